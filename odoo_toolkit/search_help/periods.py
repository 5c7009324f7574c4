"""Spans of time as people say them: last month, in March, since Monday."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

import attrs

from odoo_toolkit.search_help.words import Words

# Not those of the calendar module: they follow the process's locale.
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = {
    form: number
    for number, name in enumerate(_MONTH_NAMES, start=1)
    for form in {name, name[:3], *(["sept"] if number == 9 else [])}
}
_WEEKDAYS = {name: number for number, name in enumerate(_DAY_NAMES)}

_COUNTS = {
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
}
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_DAY = r"\d{4}-\d{1,2}-\d{1,2}"
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_POINT = rf"(?:{_DAY}|(?:{_MONTH})\.?(?: \d{{4}})?|\d{{4}}|today|yesterday|{'|'.join(_WEEKDAYS)})"
_BOUNDARY = r"(?<![^\s])"
_END = r"(?![^\s])"


@attrs.frozen
class Period:
    """Days from ``first`` to ``last``, both included; None is open. ``said`` are the words."""

    first: date | None
    last: date | None
    said: str


def take_period(words: Words, today: date) -> Period | None:
    """Take the first span of time from a query.

    Args:
        words: of the query.
        today: the day that "today" is.
    """
    for pattern, make in _FORMS:
        if found := words.match(pattern):
            try:
                first, last = make(found, today)
            except (ValueError, OverflowError):  # 30 February
                continue
            return Period(first, last, found.group().strip())
    return None


def _span(first: date, unit: str, count: int = 1) -> tuple[date, date]:
    """Return ``count`` units from a first day on."""
    if unit in ("day", "week"):
        last = first + timedelta(days=count * (7 if unit == "week" else 1) - 1)
    else:
        months = {"month": 1, "quarter": 3, "year": 12}[unit] * count
        last = _add_months(first, months) - timedelta(days=1)
    return first, last


def _begin(day: date, unit: str) -> date:
    """Return the first day of the week, month, quarter or year that a day is in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return date(day.year, day.month - (day.month - 1) % 3, 1)
    return date(day.year, 1, 1) if unit == "year" else day


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _shifted(first: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return first + timedelta(days=count * (7 if unit == "week" else 1))
    return _add_months(first, {"month": 1, "quarter": 3, "year": 12}[unit] * count)


Span = tuple[date | None, date | None]


def _relative(found: re.Match[str], today: date) -> Span:
    unit = found["unit"]
    shift = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0}.get(found["which"], 1)
    return _span(_shifted(_begin(today, unit), unit, shift), unit)


def _several(found: re.Match[str], today: date) -> Span:
    unit = found["unit"]
    count = _COUNTS.get(found["count"]) or int(found["count"])
    if found["which"] in ("next", "coming"):
        return today, _shifted(today, unit, count)
    return _shifted(today, unit, -count), today


def _ago(found: re.Match[str], today: date) -> Span:
    count = _COUNTS.get(found["count"]) or int(found["count"])
    day = _shifted(today, found["unit"], -count)
    return _bounded(found["bound"], (day, day))


def _days(found: re.Match[str], today: date) -> Span:
    shift = {"today": 0, "yesterday": -1, "tomorrow": 1}[found["day"]]
    day = today + timedelta(days=shift)
    return day, day


def _between(found: re.Match[str], today: date) -> Span:
    return _point(found["first"], today)[0], _point(found["last"], today)[1]


def _one_sided(found: re.Match[str], today: date) -> Span:
    return _bounded(found["bound"], _point(found["point"], today))


def _bounded(bound: str | None, span: tuple[date, date]) -> Span:
    first, last = span
    if bound in ("since", "starting", "from"):
        return first, None
    if bound == "after":
        return last + timedelta(days=1), None
    if bound in ("before", "older than", "more than"):
        return None, first - timedelta(days=1)
    if bound in ("until", "till", "up to"):
        return None, last
    return first, last


def _within(found: re.Match[str], today: date) -> Span:
    return _point(found["point"], today)


def _point(text: str, today: date) -> tuple[date, date]:
    """Return the day, month or year that was named; of a bare month, the latest that has begun."""
    text = text.replace(".", "")
    if re.fullmatch(_DAY, text):
        year, month, day = map(int, text.split("-"))
        return date(year, month, day), date(year, month, day)
    if text in ("today", "yesterday"):
        day_meant = today - timedelta(days=text == "yesterday")
        return day_meant, day_meant
    if text in _WEEKDAYS:
        day_meant = today - timedelta(days=(today.weekday() - _WEEKDAYS[text]) % 7)
        return day_meant, day_meant
    if text.isdigit():
        return _span(date(int(text), 1, 1), "year")
    name, _, year_text = text.partition(" ")
    month = _MONTHS[name]
    year = int(year_text) if year_text else today.year - (month > today.month)
    return _span(date(year, month, 1), "month")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(_BOUNDARY + text + _END)


_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_FORMS = (
    (
        _pattern(
            rf"(?:(?:between|from) )?(?P<first>{_POINT}) (?:and|to|until|till) (?P<last>{_POINT})"
        ),
        _between,
    ),
    (
        _pattern(
            rf"(?:(?:in|from|of|within|over|during) )?(?:the )?"
            rf"(?P<which>last|past|previous|next|coming) {_COUNT} {_UNIT}"
        ),
        _several,
    ),
    (
        _pattern(rf"(?:(?P<bound>since|after|before|older than|more than) )?{_COUNT} {_UNIT} ago"),
        _ago,
    ),
    (
        _pattern(rf"(?P<bound>older than|before|since) {_COUNT} {_UNIT}"),
        _ago,
    ),
    (
        _pattern(
            r"(?:(?:in|from|of|during|for) )?(?:the )?"
            rf"(?P<which>last|past|previous|this|current|next|coming) {_UNIT}"
        ),
        _relative,
    ),
    (
        _pattern(rf"(?P<bound>since|after|before|until|till|up to|starting) (?P<point>{_POINT})"),
        _one_sided,
    ),
    (_pattern(r"(?:(?:from|of|on|for) )?(?P<day>today|yesterday|tomorrow)"), _days),
    (
        _pattern(
            rf"(?:in|from|of|during|on|for|dated) (?P<point>{_DAY}|(?:{_MONTH})\.?(?: \d{{4}})?"
            rf"|(?:19|20)\d\d|{'|'.join(_WEEKDAYS)})"
        ),
        _within,
    ),
    (_pattern(rf"(?P<point>{_DAY}|(?:{_MONTH})\.? \d{{4}})"), _within),
)
