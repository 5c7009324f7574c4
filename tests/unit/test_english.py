"""Texts are written in plain English: the patterns of a dialect that no native speaker writes.

The patterns find what can be found safely; a reader finds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests import messages as table_of_messages
from tests import style
from tests.descriptions import HOLE, Said, guides, messages, server_texts, tool_texts, tools

pytestmark = pytest.mark.lint

_SAID = r"(?:said|told)"
_BEFORE = r"of|from|with|for|by|than|into|against|after|before|beside|besides|but|without|behind"

#: What to write instead -> how the other thing is recognised.
PATTERNS = {
    '"is not a ...", "are not ..."': (
        r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b)\w+"
    ),
    '"up to 16"': r"(?<!\d)(?<!\bup) to 1[4-9]\b",
    '"must not", "might not", "is not allowed to", "cannot"': r"\bmay not\b",
    'who says it: "the error says", "the result names"': (
        rf"(?<!clients )(?<!users )(?<!people )\b(?:is|are|was|were|be) {_SAID}\b"
        r"(?! (?:to|apart|from|that|so|about|when|how|why)\b)"
    ),
    'a verb: "prevents it"': r"\bin the way\b(?! (?:of|that|in)\b)",
    'a noun: "the records that ...", "anything that ..."': rf"\b(?:{_BEFORE}) what\b(?![,:.?])",
    'a noun at the beginning: "Records that ..."': (
        r"(?:^(?:- )?|(?<=[.!;] ))(?-i:What) (?!to\b)[^?|\n]*?\.(?=\s|$)"
    ),
}

#: Within a paragraph; items of lists and rows of tables begin a line.
_LINE_END = re.compile(r"(?<!\n)\n(?!\n| *[-*|#] ?| *\d+\.) *")
_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def texts() -> Iterator[Said]:
    """Yield what people and models read; examples of output in the guides are the messages'."""
    for said in guides():
        yield Said(said.where, _FENCED.sub("", said.words))
    yield from tool_texts()
    yield from (Said(name, tool.title) for name, tool in tools().items())
    yield from server_texts()
    # Where a message stands changes with every line above it.
    yield from (Said("message", said.words) for said in messages())


def found_in(said: Said) -> Iterator[tuple[str, str]]:
    """Yield where and what is not plain, with some words around it, and what to write instead."""
    words = _LINE_END.sub(" ", said.words)
    for instead, pattern in PATTERNS.items():
        for match in re.finditer(pattern, words, re.IGNORECASE | re.MULTILINE):
            before = words[: match.start()].split()[-2:]
            after = words[match.end() :].split()[:2]
            around = " ".join([*before, *match[0].split()[:8], *after])
            yield f"{said.where}: {around}", instead


def test_texts_are_plain() -> None:
    found = {place: instead for said in texts() for place, instead in found_in(said)}

    assert not found, "\n".join(f"{place}\n    write {each}" for place, each in found.items())


def test_the_table_of_messages_has_those_of_the_code() -> None:
    before = set(table_of_messages.TABLE.read_text("utf-8").splitlines())
    now = set(table_of_messages.table().splitlines())

    changed = [*(f"- {line}" for line in before - now), *(f"+ {line}" for line in now - before)]
    assert not changed, "\n".join(["Run 'python -m tests.messages', and read:", *sorted(changed)])


@pytest.mark.parametrize(
    "dialect",
    [
        "A list that is no domain.",
        "A deadline is a day to 16.",
        "The user may not see it.",
        "Missing components are told.",
        "What is in the way is said.",
        "It consists of what was sent.",
        "What is closed stays closed.",
    ],
)
def test_the_dialect_is_found(dialect: str) -> None:
    assert list(found_in(Said("example", dialect)))


@pytest.mark.parametrize(
    "plain",
    [
        "There is no order. It is no longer open.",
        "Odoo 14 to 18, and up to 16.",
        "The error says what to do. What is closed?",
        f"{HOLE} was told that they cannot be told apart.",
        "Do it in the way that Odoo does.",
    ],
)
def test_plain_english_is_left_alone(plain: str) -> None:
    assert list(found_in(Said("example", plain))) == []


def test_no_file_departs_further_from_the_style_sheet() -> None:
    more = style.risen(style.styles(), style.baseline())

    assert not more, "\n".join(f"{place}: {what}" for place, what in more.items())


@pytest.mark.parametrize(
    ("instead", "wording"),
    [
        ("if, when", "Deleted, or archived where Odoo is asked to."),
        ("otherwise, or", "Give a name, else an id."),
        ("undo", "Nothing takes that back."),
        ("a noun", "What is more than that is a domain."),
        ("no provenance", "Each example was run on Odoo 19."),
        ("pass, set", "Give it."),
    ],
)
def test_what_the_style_sheet_forbids_is_found(instead: str, wording: str) -> None:
    assert instead in style.matches(wording)


def test_the_figures_of_a_guide_are_those_of_its_sentences() -> None:
    code = "```python\nx = 1; y = 2\n```"
    found = style.figures(f"# Title\n\nPass an id.\n\n{code}\n\nNames are not found here; try.\n")

    assert [*found.values()][:3] == [50, 50, 50]


def test_a_count_that_rises_is_found_and_a_file_that_moved_is_not() -> None:
    before = {"README.md": style.Style({"undo": 1}, {}), "gone.md": style.Style({"check": 2}, {})}
    now = {"README.md": style.Style({"undo": 2}, {}), "new.md": style.Style({"check": 2}, {})}

    assert list(style.risen(now, before)) == ["README.md: write undo"]
