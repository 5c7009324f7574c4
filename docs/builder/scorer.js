// How the site's search ranks: guides before what is made from the code, and before the changelog.
var Scorer = {
  score: ([page, , , , score, , kind]) => {
    const made = page.startsWith("reference/") || page === "CHANGELOG";
    return made && kind !== "object" ? score / 4 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 2,
  objPrio: { 0: 15, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
