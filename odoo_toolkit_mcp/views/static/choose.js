// Several records have a name: choose the one that is meant, and see the answer for it.
"use strict";

start(show);

function show(result) {
  const { data, meta, failed } = opened(result);
  if (failed) return fill(failure(data));
  if (data.status === "disambiguation_needed") {
    return fill(h("p", { class: "dim" }, meta.title || ""),
      choices(data, (match) => chosen(data, meta, match)));
  }
  return fill(h("h1", {}, meta.title || "Answer"),
    data.message ? h("p", {}, words(data.message)) : null, warnings(data), facts(data, meta.link));
}

async function chosen(data, meta, match) {
  const args = withChoice(meta.arguments || {}, data.field || "", match.id);
  if (!args) return fillStatus("bad", "Say in the chat that it is id " + match.id + ".");
  try {
    const result = await callTool(meta.tool, args);
    show(result);
    tellModel("The person chose " + words(match.name) + " (id " + match.id + ") for " + data.field
      + ".", { tool: meta.tool, arguments: args, result: opened(result).data });
  } catch (error) {
    fill(note("bad", error.message));
  }
}
