"""The ids that a value may stand for: Odoo and PostgreSQL take more for an id than a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def ids_in(value: Any) -> set[int]:
    """Return the ids in what stands for records: ids, texts of them, lists, what is read of one.

    Of a pair with a name, a name that is a number counts, too: a list of two ids may look the same.
    """
    if isinstance(value, Mapping):
        value = value.get("id")
    if isinstance(value, (list, tuple)):
        return {number for item in value for number in ids_in(item)}
    if isinstance(value, float) and math.isfinite(value):
        return {math.floor(value), math.ceil(value)}
    if isinstance(value, str):
        return _in_text(value)
    return {int(value)} if isinstance(value, int) and value is not False else set()


def _in_text(text: str) -> set[int]:
    """Return the number that a text is: 12, +12, 1_2, 0xC."""
    for base in (10, 0):
        try:
            return {int(text, base)}
        except ValueError:
            continue
    return set()
