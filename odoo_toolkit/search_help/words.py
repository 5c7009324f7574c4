"""The words of a query, and which of them have been understood."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import attrs

from odoo_toolkit.search_text import folded

_TOKEN = re.compile(r'"[^"]+"|“[^”]+”|(?:[^\s,;:!?()"“”]|(?<=\d)[,:](?=\d))+')


def listed(text: str) -> list[str]:
    """Return the words of a table."""
    return text.split()


#: Words that turn a phrase after them into its opposite.
NEGATIONS = frozenset(listed("not no non without never except isn't aren't wasn't weren't"))

#: What may stand between a negation and what it negates: "not yet confirmed".
_ADVERBS = frozenset({"yet", "be", "been"})

#: Two spellings of one word.
_SPELLINGS = {"canceled": "cancelled", "companies": "company", "salesman": "salesperson"}


def stem(word: str) -> str:
    """Return a word without case, accents and the plural's ending."""
    plain = folded(word).replace("’", "'").strip("'.").removesuffix("'s")
    plain = _SPELLINGS.get(plain, plain)
    if len(plain) > 4 and plain.endswith("ies"):
        return plain[:-3] + "y"
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    return plain


def phrase(text: str) -> tuple[str, ...]:
    """Return a text as the stems of its words that :meth:`Words.find` looks for."""
    return tuple(stem(word) for word in re.findall(r"[^\s,;:!?()/\-]+", text))


@attrs.define
class Word:
    """A word of a query; a text in quotation marks is one."""

    text: str
    stem: str
    quoted: bool = False
    taken: bool = False


class Words:
    """The words of a query, taken one phrase after another until only names are left."""

    def __init__(self, query: str) -> None:
        self._words: list[Word] = []
        for token in _TOKEN.findall(query):
            if token[0] in '"“':
                self._words.append(Word(token[1:-1].strip(), "", quoted=True))
            elif text := token.strip(".'’"):
                # "non-posted" is two words, "2026-11-01" and "INV/2026/1" are one.
                parts = text.split("-") if text.replace("-", "").isalpha() else [text]
                self._words += [Word(part, stem(part)) for part in parts if part]

    def __iter__(self) -> Iterator[Word]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, position: int) -> Word:
        return self._words[position]

    def text(self, start: int, end: int) -> str:
        """Return words as they were written."""
        return " ".join(word.text for word in self._words[max(start, 0) : end])

    def has(self, position: int, stems: Collection[str]) -> bool:
        """Whether a word that nobody has taken is one of some."""
        word = self._words[position] if 0 <= position < len(self._words) else None
        return word is not None and not word.taken and word.stem in stems

    def find(self, looked_for: tuple[str, ...]) -> int | None:
        """Return where a phrase begins that nobody has taken yet."""
        for start in range(len(self._words) if looked_for else 0):
            if all(self.has(start + at, (said,)) for at, said in enumerate(looked_for)):
                return start
        return None

    def take(self, start: int, end: int) -> tuple[int, bool]:
        """Take words and the negation before them; return where that begins, whether they hold."""
        before = start - 1
        while self.has(before, _ADVERBS):
            before -= 1
        negated = self.has(before, NEGATIONS)
        start = before if negated else start
        self.mark(start, end)
        return start, not negated

    def mark(self, start: int, end: int) -> None:
        """Take words by their positions."""
        for word in self._words[start:end]:
            word.taken = True
