"""Conditions that find the dates of a period, in place of a text that names one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

_SAID = re.compile(
    r"(?:the )?(?P<which>last|previous|past|this|current|next)[ _](?P<unit>week|month|quarter|year)"
    r"|(?P<day>today|yesterday|tomorrow)|(?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?",
    re.ASCII,
)
_SHIFTS = {"this": 0, "current": 0, "next": 1, "today": 0, "tomorrow": 1}  # others are one before
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
#: Operator -> the operator and bound of the period that it means. Others mean both bounds.
_BOUNDS = {
    ">=": [(">=", 0)],
    "<": [("<", 0)],
    ">": [(">=", 1)],
    "<=": [("<", 1)],
    "!=": [("<", 0), (">=", 1)],
    "not in": [("<", 0), (">=", 1)],
}


def advice(path: str, operator: str, value: Any, today: Callable[[], date]) -> str | None:
    """Return how to find the dates of a period; None if the value names no period.

    >>> from datetime import date
    >>> advice("date", ">=", "last month", lambda: date(2026, 11, 27))
    '\\'last month\\' is a period: pass [["date", ">=", "2026-10-01"]].'

    Args:
        path: of the field.
        operator: of the condition.
        value: as it was given.
        today: gives the present day, if the value names a period.
    """
    said = _SAID.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if said is None:
        return None
    bounds = _bounds(said, today())
    meant = _BOUNDS.get(operator, [(">=", 0), ("<", 1)])
    found: list[Any] = [[path, sign, bounds[place].isoformat()] for sign, place in meant]
    if meant[0] == ("<", 0) and len(found) > 1:
        found.insert(0, "|")
    return f"{value!r} is a period: pass {json.dumps(found)}."


def _bounds(said: re.Match[str], today: date) -> tuple[date, date]:
    """Return the first day of a period, and the day after its last."""
    shift = _SHIFTS.get(said["which"] or said["day"], -1)
    if said["day"] or said["unit"] == "week":
        length = 1 if said["day"] else 7
        first = today + timedelta(shift * length - (today.weekday() if length == 7 else 0))
        return first, first + timedelta(length)
    if said["year"]:
        months, begin = 1 if said["month"] else 12, 12 * int(said["year"])
        begin += int(said["month"] or 1) - 1
    else:
        months = _MONTHS[said["unit"]]
        begin = ((12 * today.year + today.month - 1) // months + shift) * months
    first, after = (date(at // 12, at % 12 + 1, 1) for at in (begin, begin + months))
    return first, after
