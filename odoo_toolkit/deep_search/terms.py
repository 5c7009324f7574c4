"""What a search query asks for, as domains for Odoo and as a measure of what came back."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import Domain
from odoo_toolkit.deep_search.configurations import PHONE_FIELDS
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.values.search_text import folded, literal

#: Characters of a query, and words of it that are looked for.
MAX_LENGTH, MAX_WORDS = 500, 10

#: How well a record matches; less is better. Rank is (one of these, finer distinctions).
EXACT, PREFIX, ALL_WORDS, SOME_WORDS, UNEXPLAINED = range(5)
Rank = tuple[int, int, int]

_PHONE = re.compile(r"\+?[\d\s().\-/]+")
_LEAST_DIGITS = 6
#: As many last digits as tell two numbers apart while country and area codes may be missing.
_LAST_DIGITS = 7

_AROUND_WORDS = "[](){}<>\"'“”„«»,;:!?"


@attrs.frozen(kw_only=True)
class Terms:
    """A query, taken apart.

    Attributes:
        text: the query, its white space tidied.
        words: what must all be found in the best matches.
        telling: the words of which one is enough for a weak match: not the short ones.
        digits: of a telephone number, without punctuation and leading zeros.
        warnings: what of the query is not looked for.
    """

    text: str
    words: tuple[str, ...]
    telling: tuple[str, ...]
    digits: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def single_letter(self) -> bool:
        """Whether it is one letter (or sign) of a script whose words have several."""
        return len(self.text) == 1 and unicodedata.category(self.text) != "Lo"


def parse_query(query: str) -> Terms:
    """Take a query apart.

    Raises:
        ValidationError: it is empty, too long, or no text.
    """
    if not isinstance(query, str):
        raise ValidationError(
            f"The query must be a string, not {type(query).__name__}.",
            suggestion="Pass words, a number or an address.",
        )
    if len(query) > MAX_LENGTH:
        raise ValidationError(
            f"The query has {len(query)} characters, but the maximum is {MAX_LENGTH}.",
            suggestion="Pass the few words that the record most likely contains: a name, a "
            "number or an address.",
        )
    # PostgreSQL takes neither NUL nor half of a surrogate pair.
    kept = (c if unicodedata.category(c) not in ("Cc", "Cs") else " " for c in query)
    text = " ".join("".join(kept).split())
    if not text:
        raise ValidationError(
            "The query is empty.",
            suggestion="Pass words, a number or an address. search_read lists records "
            "without a query.",
        )
    digits = _phone_digits(text)
    # The groups of a telephone number mean nothing by themselves.
    parts = [text] if digits else [part.strip(_AROUND_WORDS) for part in text.split()]
    words = list({folded(word): word for word in parts if word}.values()) or [text]
    warnings: tuple[str, ...] = ()
    if len(words) > MAX_WORDS:
        warnings = (
            f"Only the first {MAX_WORDS} words were searched. Use fewer words to find more.",
        )
        words = words[:MAX_WORDS]
    longer = [word for word in words if len(word) > 2]
    return Terms(
        text=text,
        words=tuple(words),
        telling=tuple(longer or words),
        digits=digits,
        warnings=warnings,
    )


def _phone_digits(text: str) -> str | None:
    if not _PHONE.fullmatch(text):
        return None
    digits = _digits(text)
    return digits if len(digits) >= _LEAST_DIGITS else None


def _digits(number: str) -> str:
    """Return the digits of a telephone number, without ``00``, ``0`` and ``(0)``."""
    return re.sub(r"\D", "", number.replace("(0)", "")).lstrip("0")


def _same_number(one: str, other: str) -> bool:
    """Whether one number contains the other, or ends in it where the country code is missing."""
    shorter, longer = sorted((one, other), key=len)
    if shorter == other and one != other:
        # The record's is shorter: only a whole number without its country code is the same.
        return len(other) >= _LAST_DIGITS and one.endswith(other)
    return shorter in longer


# Domains -----------------------------------------------------------------------------------


def exactly(terms: Terms, fields: Iterable[str]) -> Domain:
    """Return what finds records where a field is the query, in upper or lower case."""
    return Domain.or_(*(Domain([[name, "=ilike", literal(terms.text)]]) for name in fields))


def beginning(terms: Terms, fields: Iterable[str]) -> Domain:
    """Return what finds records where a field begins with the query."""
    return Domain.or_(*(Domain().starts_with(name, terms.text) for name in fields))


def containing_all(terms: Terms, fields: Sequence[Field]) -> Domain:
    """Return what finds records in which all words occur, in whichever fields."""
    domain = Domain()
    for word in terms.words:
        domain &= Domain.or_(*(_contains(terms, field, word) for field in fields))
    return domain


def containing_any(terms: Terms, fields: Sequence[Field]) -> Domain:
    """Return what finds records in which a word occurs."""
    return Domain.or_(
        *(_contains(terms, field, word) for field in fields for word in terms.telling)
    )


def _contains(terms: Terms, field: Field, word: str) -> Domain:
    if terms.digits and field.name in PHONE_FIELDS:
        # Whatever stands between the digits: what was found is compared by digits afterwards.
        return Domain([[field.name, "ilike", "%".join(terms.digits[-_LAST_DIGITS:])]])
    if field.type == "html":
        # "R&D" is stored as "R&amp;D".
        word = html.escape(word, quote=False)
    return Domain().contains(field.name, word)


# Ranking -----------------------------------------------------------------------------------


def rank(
    terms: Terms, record: Mapping[str, Any], names: Sequence[str], others: Sequence[str] = ()
) -> Rank | None:
    """Return how well a record matches, None where none of the words is in it.

    Args:
        terms: the query.
        record: with the values of the fields.
        names: the fields by which the record is known, the most important one first.
        others: further fields that were searched.
    """
    said = folded(terms.text)
    known = [folded(_text(record.get(name))) for name in names]
    further = [folded(_text(record.get(name))) for name in others]
    numbers = [record.get(name) for name in (*names, *others) if name in PHONE_FIELDS]
    if terms.digits and any(_same_number(terms.digits, _digits(n)) for n in numbers if n):
        return EXACT, 0, 0
    for texts, offset in ((known, 0), (further, len(known))):
        if said in texts:
            return EXACT, offset + texts.index(said), 0
    for index, text in enumerate(known):
        if text.startswith(said):
            return PREFIX, index, 0
    texts = [*known, *further]
    found = [word for word in terms.words if any(folded(word) in text for text in texts)]
    if len(found) == len(terms.words):
        # The words as they were said before the words anywhere.
        return ALL_WORDS, 0 if any(said in text for text in texts) else 1, 0
    return (SOME_WORDS, -len(found), 0) if found else None


def contains_all(terms: Terms, text: str) -> bool:
    """Whether all words are in a text, which may be HTML."""
    plain = folded(_text(text))
    return all(folded(word) in plain for word in terms.words)


def _text(value: Any) -> str:
    return html_to_text(value) if isinstance(value, str) else ""
