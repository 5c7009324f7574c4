"""Arguments of plain values, where only what has the right shape may pass.

Each returns the value as it is sent, or raises a ``ValidationError`` that says what is wrong where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from odoo_toolkit.arguments.domain_shape import DOMAIN_OPERATORS, OPERATORS
from odoo_toolkit.errors import ValidationError

_MOST_RECORDS = 100_000
MOST_NAMES = 5000
_LARGEST = 2**31 - 1
#: What limits and offsets may be, how names may be compared, and what is looked for.
COUNTS = range(_LARGEST + 1)
NAME_OPERATORS = frozenset(OPERATORS.keys() - DOMAIN_OPERATORS)
SHORT_TEXT = re.compile(r".{0,1000}", re.DOTALL)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def unfit(where: str, problem: str) -> ValidationError:
    """Return the error for an argument that has not the shape that it must have."""
    return ValidationError(
        f"{where} {problem}.",
        suggestion="Correct the value. The toolkit only sends values that it understands "
        "completely.",
        details={"named_in": where},
    )


def listed(value: Any, where: str, single: bool = False) -> Sequence[Any]:
    """Return a list of names; one name alone where ``single`` allows it."""
    if single and isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple, set, frozenset)) or len(value) > MOST_NAMES:
        raise unfit(where, "must be a list of names")
    return list(value)


def checked_ids(value: Sequence[Any]) -> tuple[int, ...]:
    """Return ids of records; in some views of other tables they are below zero."""
    if len(value) > _MOST_RECORDS or not all(
        type(i) is int and i and abs(i) <= _LARGEST for i in value
    ):
        raise unfit("ids", "must be a list of whole numbers other than 0")
    return tuple(value)


def count(value: Any, where: str) -> int | None:
    """Return a limit or an offset."""
    if value is False:
        return None
    if type(value) is not int or value not in COUNTS:
        raise unfit(where, f"must be a whole number from 0 on, not {short(value)}")
    return value


def switch(value: Any, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise unfit(where, f"must be true or false, not {short(value)}")
    return value


def text(value: Any, where: str) -> str:
    """Return a short text."""
    if not isinstance(value, str) or not SHORT_TEXT.fullmatch(value):
        raise unfit(where, f"must be a text of at most 1000 characters, not {short(value)}")
    return value


def operator(value: Any, where: str) -> str:
    """Return the operator of a search by name."""
    if not isinstance(value, str) or value not in NAME_OPERATORS:
        raise unfit(where, f"has the unknown operator {short(value)}")
    return value


def load(value: Any, where: str) -> str | bool:
    """Return how ``read`` shows relations."""
    if value not in ("_classic_read", "", False):
        raise unfit(where, "must be '_classic_read' or empty")
    return value or False


def words(value: Any, where: str) -> list[str]:
    """Return a list of plain names."""
    words = list(listed(value, where))
    if not all(isinstance(word, str) and NAME.fullmatch(word) for word in words):
        raise unfit(where, "must be a list of names")
    return words


def rows(value: Any, where: str) -> list[list[Any]]:
    """Return the rows of a ``load``."""
    fits = isinstance(value, (list, tuple)) and all(
        isinstance(row, (list, tuple))
        and all(item is None or isinstance(item, (str, int, float)) for item in row)
        for row in value
    )
    if not fits or len(value) > _MOST_RECORDS:
        raise unfit(where, "must be a list of rows of texts and numbers")
    return [list(row) for row in value]


def short(value: Any) -> str:
    """Return a value for a message, cut short."""
    return repr(value if isinstance(value, (int, float)) else str(value)[:80])[:100]
