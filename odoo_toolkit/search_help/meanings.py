"""The words of a query, and what they mean on any model.

What they call those of certain models is in :mod:`odoo_toolkit.app_models`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

import attrs

from odoo_toolkit import app_models
from odoo_toolkit.fields import Field
from odoo_toolkit.values.search_text import folded

Conditions = tuple[tuple[str, str, Any], ...]

#: Stands for the day of the query in a condition.
TODAY = "today"


#: Phrases, the conditions that any of them stands for (of several ways the first that the server's
#: fields allow), and conditions that only hold where nothing else was said of their field.
Meaning = tuple[list[str], list[Conditions], Conditions]
_CONDITION = re.compile(r"(\S+) (not in|in|=|!=|<=|<|>) ([^&/~]*[^&/~ ])")
_VALUES: Mapping[str, Any] = {"true": True, "false": False, "0": 0}


def _conditions(text: str) -> Conditions:
    return tuple(
        (path, operator, tuple(value.split(",")) if "in" in operator else _VALUES.get(value, value))
        for path, operator, value in _CONDITION.findall(text)
    )


@cache
def meanings_of(table: str) -> tuple[Meaning, ...]:
    """Read lines of ``phrase|phrase: condition & condition / other way ~ what it implies``."""
    meanings = []
    for line in table.strip().splitlines():
        said, _, rest = line.strip().partition(":")
        means, _, implied = rest.partition("~")
        ways = [_conditions(way) for way in means.split(" / ")]
        meanings.append((said.split("|"), ways, _conditions(implied)))
    return tuple(meanings)


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What words mean on any model that has the fields.
EVERYWHERE = meanings_of("""
    archived|inactive: active = false
    unassigned|not assigned: user_ids = false / user_id = false
    overdue|late|past due: date_deadline < today / date_planned < today / scheduled_date < today
    open|unfinished|pending: state not in done,cancel
""")

#: Words that a query can do without.
FILLERS = _listed("""
    a all an any are at by find for from get give had has have i in is it list look looking me named
    called of on please record search show that the their these this those to was were what
    where which who whose with
""")

#: Words that join conditions, or turn round or widen what follows: left to the reader.
TURNING = _listed("""
    and or not no non without never except neither nor but excluding exclude including include
    besides instead unless don't doesn't didn't haven't hasn't cannot isn't aren't wasn't weren't
""")

#: The date that the records of any model are known by, where nothing else tells.
_MAIN_DAYS = ("invoice_date", "date_order", "scheduled_date", "payment_date", "date", "create_date")
_MAIN_AMOUNTS = ("amount", "amount_total", "expected_revenue", "price_total", "list_price")
_DATES = ("date", "datetime")

_TOKEN = re.compile(r'"[^"]+"|[^\s,;:!?()"“”]+')


@attrs.frozen
class Word:
    """A word of a query; a text in quotation marks is one, without a stem."""

    text: str
    stem: str


def stem(word: str) -> str:
    """Return a word without case, accents and the plural's ending."""
    plain = folded(word).replace("’", "'").strip("'.").removesuffix("'s")
    if len(plain) > 4 and plain.endswith("ies"):
        return plain[:-3] + "y"
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    return plain


def phrase(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text."""
    return tuple(stem(word) for word in re.findall(r"[^\s,;:!?()/\-]+", text))


def split_words(query: str) -> list[Word]:
    """Return the words of a query in their order."""
    words: list[Word] = []
    for token in _TOKEN.findall(query):
        if token[0] == '"':
            words.append(Word(token[1:-1].strip(), ""))
        elif text := token.strip(".'’"):
            # "non-posted" is two words, "2026-11-01" and "INV/2026/1" are one.
            parts = text.split("-") if text.replace("-", "").isalpha() else [text]
            words += [Word(part, stem(part) or part) for part in parts if part]
    return words


def first_of(
    fields: Mapping[str, Field], names: Iterable[str], types: Collection[str] = ()
) -> str | None:
    """Return the first of some names that is a field that can be searched by."""
    for name in names:
        field = fields.get(name)
        if field and (field.store or field.searchable) and (not types or field.type in types):
            return name
    return None


def main_date(model: str, fields: Mapping[str, Field]) -> str | None:
    """Return the date that records of a model are known by."""
    return first_of(fields, (*app_models.known(model).dates, *_MAIN_DAYS), _DATES)


def main_amount(fields: Mapping[str, Field]) -> str | None:
    """Return the amount that records of a model are known by."""
    return first_of(fields, _MAIN_AMOUNTS)
