"""The words of a query, and which of them have been understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import attrs

from odoo_toolkit.search_text import folded

_TOKEN = re.compile(r'"[^"]+"|“[^”]+”|(?:[^\s,;:!?()"“”]|(?<=\d)[,:](?=\d))+')

#: What may stand before a word and turns it into its opposite.
NEGATIONS = frozenset({"not", "no", "non", "without", "isn't", "aren't", "never", "except"})


#: Two spellings of one word.
_SPELLINGS = {"canceled": "cancelled", "companies": "company", "salesman": "salesperson"}


def stem(word: str) -> str:
    """Return a word without case, accents and the plural's ending."""
    plain = folded(word).strip("'.")
    plain = plain.removesuffix("'s").removesuffix("’s")
    plain = _SPELLINGS.get(plain, plain)
    if len(plain) > 4 and plain.endswith("ies"):
        return plain[:-3] + "y"
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    return plain


def phrase(text: str) -> tuple[str, ...]:
    """Return a text as the stems of its words that :meth:`Words.take` looks for."""
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

    def find(self, looked_for: tuple[str, ...]) -> int | None:
        """Return where a phrase begins that nobody has taken yet."""
        size = len(looked_for)
        for start in range(len(self._words) - size + 1):
            words = self._words[start : start + size]
            if tuple(word.stem for word in words) == looked_for and not any(
                word.taken for word in words
            ):
                return start
        return None

    def before(self, looked_for: tuple[str, ...]) -> str | None:
        """Return the word before a phrase."""
        start = self.find(looked_for)
        return self._words[start - 1].stem if start else None

    def take(self, looked_for: tuple[str, ...]) -> bool | None:
        """Take a phrase; False where it is negated, None where it is not there."""
        start = self.find(looked_for) if looked_for else None
        if start is None:
            return None
        self.mark(range(start, start + len(looked_for)))
        before = self._words[start - 1] if start else None
        if before is not None and not before.taken and before.stem in NEGATIONS:
            before.taken = True
            return False
        return True

    def mark(self, positions: Iterable[int]) -> None:
        """Take words by their positions."""
        for position in positions:
            self._words[position].taken = True

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take the first words that a pattern matches in the query's free words.

        The pattern sees lower-case words joined by single spaces; what is taken, and what stands
        in quotation marks, is a ``|``.
        """
        texts = ["|" if w.taken or w.quoted else w.text.casefold() for w in self._words]
        found = pattern.search(" ".join(texts))
        if found is None:
            return None
        position = 0
        for index, text in enumerate(texts):
            if found.start() <= position and position + len(text) <= found.end():
                self.mark([index])
            position += len(text) + 1
        return found
