"""Spans of time as people say them: last month, in 2025, since 2026-02-01."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

#: The first and the last day, both included; None is open.
Period = tuple[date | None, date | None]

_SHIFTS = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}

_YEAR = r"(?:19|20)\d\d"
_DAY = rf"(?:\d{{4}}-\d\d-\d\d|{'|'.join(_DAYS)})"
_IN = r"(?:in|from|of|during|for|within|over)"
#: A number that may be an amount is no span: "up to 2000". What is unclear is none either: does
#: "from 2026-02-01" mean that day, or all since?
_SAID = re.compile(
    rf"(?:{_IN} )?(?:the )?(?P<which>{'|'.join(_SHIFTS)}) (?:(?P<count>\d{{1,3}}) )?"
    r"(?P<unit>day|week|month|quarter|year)s?"
    rf"|(?P<bound>since|after|before|until|till) (?P<point>{_DAY}|{_YEAR})"
    rf"|(?P<unclear>from|by|over|to|up to|and|between) {_DAY}"
    rf"|(?:on |of |for |dated )?(?P<day>{_DAY})"
    rf"|(?:in|from|of|during|(?:{_IN} )?(?:the )?year) (?P<year>{_YEAR})"
)


def period_at(texts: Sequence[str], start: int, today: date) -> tuple[int, Period | None] | None:
    """Return where a span of time ends that begins at a word, and the span.

    Args:
        texts: the words of a query in small letters; empty those in quotation marks.
        start: the position of the word.
        today: what "today" is.

    Returns:
        None where no span is said there; its end and None where it is no span: 30 February.
    """
    said = " ".join(texts[start:]) + " "
    found = _SAID.match(said)
    if not found or said[found.end()] != " ":
        return None
    try:
        period = _period(found, today)
    except (ValueError, OverflowError):
        period = None
    return start + found.group().count(" ") + 1, period


def _period(found: re.Match[str], today: date) -> Period:
    if found["unit"]:
        return _relative(found["unit"], _SHIFTS[found["which"]], int(found["count"] or 0), today)
    said, bound = found["point"] or found["day"] or found["year"], found["bound"]
    if found["unclear"]:
        raise ValueError(found["unclear"])
    if len(said) == 4:
        first, last = date(int(said), 1, 1), date(int(said), 12, 31)
    else:
        first = today + timedelta(_DAYS[said]) if said in _DAYS else date.fromisoformat(said)
        last = first
    if bound in ("since", "after"):
        return (first if bound == "since" else last + timedelta(days=1)), None
    return (None if bound else first), (first - timedelta(days=1) if bound == "before" else last)


def _relative(unit: str, shift: int, count: int, today: date) -> Period:
    length = {"day": 1, "week": 7}.get(unit)
    if count:
        if not shift or not length:
            raise ValueError("this 3 weeks, last 3 months")
        other = today + timedelta(days=length * shift * count)
        return min(today, other), max(today, other)
    if length:
        first = today + timedelta(days=length * shift - (today.weekday() if length == 7 else 0))
        return first, first + timedelta(days=length - 1)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    begin = ((today.year * 12 + today.month - 1) // months + shift) * months
    first, after = (date(at // 12, at % 12 + 1, 1) for at in (begin, begin + months))
    return first, after - timedelta(days=1)
