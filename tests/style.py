"""What the style sheet asks of texts, as patterns and budgets, with the counts of each file.

``python -m tests.style`` shows the files with most to do; ``python -m tests.style lower`` writes
the counts into ``tests/style.json``. A count may only fall: a test compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from tests.descriptions import HOLE, ROOT, docstrings, guides, messages

BASELINE = Path(__file__).parent / "style.json"

#: What to write instead -> how the other wording is recognised.
PATTERNS = {
    "if, when": (
        r"\b[Ww]here (?:it|that|there|one|they|nobody|somebody|none|Odoo|an? \w+|less|no|the \w+) "
        r"(?:is|are|was|has|have|can|cannot|does|do|takes|wants|refuses|keeps)\b"
    ),
    "otherwise, or": r"(?:[,;] |\b(?:or|and) )else\b",
    "Odoo 15 and earlier, Odoo 16 and later": (
        r"\b[Ff]rom (?:Odoo )?1\d on\b|\b[Uu]p to (?:Odoo )?1\d\b"
    ),
    "blocked, allowed": (
        r"\bclosed (?:models?|fields?|names?|records?|in every)\b"
        r"|\bclos(?:e|es|ing) (?:a |every |models|fields)|\b(?:is|are|stays?) closed\b"
    ),
    "check": r"\bjudg(?:e|es|ed|ing)\b",
    "undo": (
        r"\b[Tt]ak(?:e|es|en|ing) (?:it |them |that |all (?:of it )?|some |others )?back\b"
        r"|\bways? back\b"
    ),
    "report, show, say": (
        r"\b(?:told|tells? (?:of|that|whether|which|what|how))\b(?! (?:to|from|apart))"
    ),
    "again, calculate, fix, datetimes": (r"\banew\b|\breckon\w*|\bmend(?:s|ed)?\b|\bmoments?\b"),
    "its own X": r"\bof (?:its|their|your|her|his|our|the toolkit's) own\b",
    "exists, already exists": r"\b(?:is|are|was|stays?) there\b|\bthat there (?:is|are)\b",
    "is, are": r"\bstands?\b(?! (?:for|still|alone|out|in))",
    "a noun": (
        r"(?:^|(?<=[.;:] ))(?:What|Who|Whoever|Whose|How|Whether) (?!to\b)[^?.;:]{3,60}? "
        r"(?:is|are|has|have|was|were|gets?|stays?|counts?|differs|can|must)\b"
    ),
    "must be an X": r"(?<![Tt]here )\b(?:is|are) no (?!longer|more|less)\w+",
    "name the role, no one": r"\b(?:[Nn]obody|[Ss]omebody|[Ee]verybody|[Ww]hoever)\b",
    "the outcome": r"\b(?:became|becomes?|came|comes?) of\b",
    "no provenance": (
        r"\b(?:was|were|been) (?:run|measured|tried|recorded)\b|\bnot (?:been )?run (?:with|by)\b"
        r"|\boutput is (?:real|what)\b"
    ),
    "pass, set": r"\b[Gg]ive (?:it|them|one|the|an?|each|another|e\.g\.|all|`)",
    "so does X -> X also does": (
        r"(?:^|(?<=[.;:] ))(?:So (?:is|are|does|do) |Nor (?:is|are) |Were there "
        r"|Not (?:looked|those) )"
    ),
}

#: Of guides: what is measured -> the most or, if the figure is negative, the least that is good.
BUDGETS = {
    "sentences that speak to the reader, %": -25,
    "passive sentences, %": 25,
    "negative sentences, %": 15,
    "semicolons per 1,000 words": 1,
    "code blocks per 1,000 words": -10,
    "headings per 1,000 words": -10,
}

#: Guides whose subject leaves no room for examples: records, policies.
UNBUDGETED = ("CHANGELOG.md", "SECURITY.md", "docs/architecture.md", "docs/decisions.md")

_MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_FENCED = re.compile(r"^ *```.*?^ *```\n?", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ .*", re.MULTILINE)
_TABLE = re.compile(r"^\|.*\n", re.MULTILINE)
_LINE_END = re.compile(r"(?<!\n)\n(?!\n| *[-*|#>] ?| *\d+\.) *")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|vs)\.")
_READER = re.compile(r"\b(?:you|your|yours|let's)\b", re.IGNORECASE)
_IRREGULAR = (
    "built|chosen|done|drawn|found|given|held|hidden|kept|known|left|looked|lost|made|meant|met|paid"
    "|put|read|run|said|seen|sent|set|shown|sold|stored|sorted|taken|told|understood|written"
)
_PASSIVE = re.compile(
    rf"\b(?:is|are|was|were|be|been|being|gets?)\b (?:\w+ly |also |not |never |then |only )?"
    rf"(?:\w+ed|{_IRREGULAR})\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nor|neither|cannot|without)\b|n't\b", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"(?:\d+\. |[-*>] )?(?:\*\*)?(?:(?:First|Then|To [^,]*|If [^,]*|For [^,]*|In [^,]*|With [^,]*"
    r"|On [^,]*|Otherwise|When [^,]*|Before [^,]*|After [^,]*),? )?(?:also |only |always )?"
    r"(?:add|allow|answer|ask|attach|avoid|block|build|call|change|check|choose|clear|click|compare"
    r"|configure|connect|consider|copy|correct|create|delete|describe|do|don't|download|edit|enter"
    r"|explore|export|filter|find|fix|follow|get|give|group|import|install|keep|leave|let|limit|list"
    r"|load|log|look|make|match|move|name|never|open|order|pass|pick|post|press|preview|print|put"
    r"|quit|raise|read|remove|replace|replay|require|restart|restore|return|review|run|save|schedule"
    r"|search|see|select|send|serve|set|show|sign|sort|start|stop|store|switch|sync|take|tell|test"
    r"|translate|try|turn|type|undo|understand|update|use|wait|watch|work|write)\b",
    re.IGNORECASE,
)


@attrs.frozen
class Style:
    """What one file has: matches of the patterns, and figures that are beyond the budgets."""

    patterns: Mapping[str, int]
    budgets: Mapping[str, int]


def prose(text: str) -> str:
    """Return a text without its blocks of code, each paragraph and item on one line."""
    return _LINE_END.sub(" ", _FENCED.sub("", text))


def matches(text: str) -> Counter[str]:
    """Return how often each pattern is found."""
    words = prose(text)
    found = {name: len(re.findall(each, words, re.MULTILINE)) for name, each in PATTERNS.items()}
    return Counter({name: count for name, count in found.items() if count})


def sentences(text: str) -> list[str]:
    """Return the sentences of a guide: no headings, tables or code."""
    plain = _TABLE.sub("\n", _HEADING.sub("\n", prose(text)))
    parts = _SENTENCE_END.split(_ABBREVIATED.sub("such as", plain))
    return [part.strip() for part in parts if len(part.split()) > 2]


def figures(text: str) -> dict[str, int]:
    """Return the figures of a guide by the name of their budget."""
    said = sentences(text)
    words = max(len(prose(text).split()), 1)
    of = max(len(said), 1)

    def share(found: Iterator[object]) -> int:
        return round(100 * sum(map(bool, found)) / of)

    def per_thousand(count: int) -> int:
        return round(1000 * count / words)

    return dict(
        zip(
            BUDGETS,
            (
                share(_READER.search(one) or _IMPERATIVE.match(one) for one in said),
                share(_PASSIVE.search(one) for one in said),
                share(_NEGATIVE.search(one) for one in said),
                per_thousand(prose(text).count(";")),
                per_thousand(len(_FENCED.findall(text))),
                per_thousand(len(_HEADING.findall(_FENCED.sub("", text)))),
            ),
            strict=True,
        )
    )


def beyond(text: str) -> dict[str, int]:
    """Return by how much each figure of a guide is beyond its budget."""
    over = {name: found - BUDGETS[name] for name, found in figures(text).items()}
    under = {name: -found - BUDGETS[name] for name, found in figures(text).items()}
    found = {name: (over if BUDGETS[name] > 0 else under)[name] for name in BUDGETS}
    return {name: amount for name, amount in found.items() if amount > 0}


def styles() -> dict[str, Style]:
    """Return the style of each file that has anything to mend."""
    counts: dict[str, Counter[str]] = {}
    budgets: dict[str, dict[str, int]] = {}
    for guide in guides():
        counts[guide.where] = matches(guide.words)
        if guide.where not in UNBUDGETED and len(prose(guide.words).split()) > 80:
            budgets[guide.where] = beyond(guide.words)
    for name in ("CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"):
        counts[name] = matches((ROOT / name).read_text("utf-8"))
    for page in sorted((ROOT / "odoo_toolkit_mcp").rglob("*.html")):
        counts[str(page.relative_to(ROOT))] = matches(_MARKUP.sub(" ", page.read_text("utf-8")))
    for said in (*docstrings(), *messages()):
        file = said.where.partition(":")[0]
        counts.setdefault(file, Counter()).update(matches(said.words.replace(HOLE, "it")))
    return {
        file: Style(dict(sorted(found.items())), budgets.get(file, {}))
        for file, found in counts.items()
        if found or budgets.get(file)
    }


def baseline() -> dict[str, Style]:
    """Return the counts that no file may exceed."""
    kept = json.loads(BASELINE.read_text("utf-8"))
    return {
        file: Style(one.get("patterns", {}), one.get("budgets", {})) for file, one in kept.items()
    }


def risen(now: Mapping[str, Style], before: Mapping[str, Style]) -> dict[str, str]:
    """Return what has risen, by file, apart from texts that moved within the code."""
    gone = Counter[str]()
    for file, kept in before.items():
        if file.endswith(".py") or not (ROOT / file).exists():
            gone.update(kept.patterns)
            gone.subtract(now[file].patterns if file in now else {})
    gone = +gone
    found: dict[str, str] = {}
    for file, style in now.items():
        kept = before.get(file, Style({}, {}))
        for name, count in (Counter(style.patterns) - Counter(kept.patterns)).items():
            covered = min(count, gone[name]) if file.endswith(".py") or file not in before else 0
            gone[name] -= covered
            if count > covered:
                found[f"{file}: write {name}"] = f"{count - covered} more than before"
        for name, amount in style.budgets.items():
            # The figures are rough: a quarter more than the budget is let pass.
            if amount > max(kept.budgets.get(name, 0), abs(BUDGETS[name]) // 4):
                found[f"{file}: {name}"] = f"beyond the budget of {abs(BUDGETS[name])} by {amount}"
    return found


def main() -> None:
    """Show the counts, or write them where none has risen."""
    now = styles()
    if "lower" in sys.argv:
        if BASELINE.exists() and (more := risen(now, baseline())):
            sys.exit("\n".join(f"{place}: {what}" for place, what in more.items()))
        kept = {
            file: {name: value for name, value in attrs.asdict(one).items() if value}
            for file, one in sorted(now.items())
        }
        lines = (f" {json.dumps(file)}: {json.dumps(one)}" for file, one in kept.items())
        BASELINE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    by_file = {file: sum(one.patterns.values()) for file, one in now.items()}
    for file, count in sorted(by_file.items(), key=lambda item: -item[1])[:30]:
        print(f"{count:4} {file} {dict(now[file].budgets) or ''}")
    print(f"{sum(by_file.values()):4} in all")


if __name__ == "__main__":
    main()
