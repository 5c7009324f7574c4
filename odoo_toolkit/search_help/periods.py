"""Spans of time as people say them: last month, in March, since 2026-02-01."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

import attrs

from odoo_toolkit.search_help.words import Words, listed
from odoo_toolkit.search_text import folded

# Not those of the calendar module: they follow the process's locale.
_NAMES = listed(
    "January February March April May June July August September October November December"
)
_MONTHS = {
    form.lower(): number
    for number, name in enumerate(_NAMES, start=1)
    for form in (name, name[:3], *(["sept"] if number == 9 else []))
}
_IN_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_SHIFTS = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}


@attrs.frozen
class Period:
    """Days from ``first`` to ``last``, both included; None is open.

    ``ahead``: a month without a year was named, and of what lies ahead, such as a deadline, another
    one may be meant than the last that has begun.
    """

    first: date | None
    last: date | None
    ahead: bool = False

    def __str__(self) -> str:
        """Return the days in words, with the year that was meant."""
        days = [
            f"{word} {day.day} {_NAMES[day.month - 1]} {day.year}"
            for word, day in (("from", self.first), ("to", self.last))
            if day
        ]
        return " ".join(days)


def _shifted(day: date, unit: str, count: int) -> date:
    if unit not in _IN_MONTHS:
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + _IN_MONTHS[unit] * count, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _span(first: date, unit: str) -> tuple[date, date]:
    return first, _shifted(first, unit, 1) - timedelta(days=1)


def _fixed(text: str, today: date) -> tuple[date, date] | None:
    """Return the days that were named; None for a month without a year."""
    if text in _DAYS:
        return _span(today + timedelta(days=_DAYS[text]), "day")
    if "-" in text:
        year, month, day = map(int, text.split("-"))
        return _span(date(year, month, day), "day")
    name, _, year_text = text.rpartition(" ")
    if not year_text.isdigit():
        return None
    return _span(date(int(year_text), _MONTHS.get(name, 1), 1), "month" if name else "year")


def _last_begun(name: str, today: date) -> tuple[date, date]:
    """Return the last month of a name that has begun by a day."""
    month = _MONTHS[name]
    return _span(date(today.year - (month > today.month), month, 1), "month")


def _relative(found: re.Match[str], today: date) -> Period:
    unit, shift = found["unit"], _SHIFTS[found["which"]]
    if found["count"]:
        if not shift:
            raise ValueError("this 3 weeks")
        other = _shifted(today, unit, shift * int(found["count"]))
        return Period(min(today, other), max(today, other))
    begin = today - timedelta(days=today.weekday() if unit == "week" else 0)
    if months := _IN_MONTHS.get(unit):
        begin = date(today.year, (today.month - 1) // months * months + 1, 1)
    return Period(*_span(_shifted(begin, unit, shift), unit))


def _between(found: re.Match[str], today: date) -> Period:
    """Return a span; of months without a year, the last such span that has begun."""
    low, high = _fixed(found["low"], today), _fixed(found["high"], today)
    first = (low or _last_begun(found["low"], high[1] if high else today))[0]
    if high is None:
        month = _MONTHS[found["high"]]
        high = _span(date(first.year + (month < first.month), month, 1), "month")
    if high[1] < first:
        raise ValueError("a span that ends before it begins")
    return Period(first, high[1], ahead=first.year < today.year and low is None)


def _named(found: re.Match[str], today: date) -> Period:
    bound, fixed = found.groupdict().get("bound"), _fixed(found["point"], today)
    first, last = fixed or _last_begun(found["point"], today)
    bare = fixed is None
    if bound == "since":
        return Period(first, None)
    if bound == "after":
        return Period(last + timedelta(days=1), None, ahead=bare)
    if bound is None:
        return Period(first, last, ahead=bare and first.year < today.year)
    if bare and first.year < today.year:
        raise ValueError("before a month: that of last year, or the one to come?")
    return Period(None, first - timedelta(days=1) if bound == "before" else last, ahead=bare)


_YEAR = r"(?:19|20)\d\d"
_DAY = rf"(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|{'|'.join(_DAYS)})"
_MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_POINT = rf"(?:{_DAY}|{_MONTH}(?: {_YEAR})?)"
_IN = r"(?:in|from|of|during|for|within) "
#: What people say -> the span. A number that may be an amount is none: "up to 2000". Nor is "from
#: 2026-02-01": is that day meant, or all since? Nor "of May", who may be a person.
_FORMS = tuple(
    (re.compile(said), make)
    for said, make in (
        (rf"(?:(?:between|from) )?(?P<low>{_POINT}) (?:and|to|until) (?P<high>{_POINT})", _between),
        (
            rf"(?:{_IN}|over )?(?:the )?(?P<which>{'|'.join(_SHIFTS)}) (?:(?P<count>\d{{1,3}}) )?"
            r"(?P<unit>day|week|month|quarter|year)s?",
            _relative,
        ),
        (rf"(?P<bound>since|after|before|until|till|up to) (?P<point>{_POINT})", _named),
        (rf"(?P<bound>since|after|before|until|till) (?P<point>{_YEAR})", _named),
        (rf"(?:(?:on|of|for|dated) )?(?P<point>{_DAY})", _named),
        (rf"(?:{_IN})?(?P<point>{_MONTH} {_YEAR})", _named),
        (rf"(?:in|from|during) (?P<point>yesterday|{_MONTH})", _named),
        (rf"(?:(?:in|from|of|during) |(?:{_IN})?(?:the )?year )(?P<point>{_YEAR})", _named),
    )
)

#: Words of time, amounts and order: what is not understood of them is no name either.
_TELLING = frozenset(
    listed(
        "day days week weeks weekend month months quarter quarters year years fiscal today "
        "yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday ago last "
        "next previous current coming first since before after until till between over above "
        "exceeding under below more less fewer greater larger higher smaller lower cheaper older "
        "newer earlier later than least most minimum maximum up top recent largest biggest "
        "highest smallest lowest cheapest early mid beginning end half"
    )
) | set(_MONTHS)
#: Words that belong to them where they stand beside them.
_BESIDE = frozenset(listed("in from of during for on within at by this past dated q1 q2 q3 q4"))
_NUMBER = re.compile(r"[$€£\d<>=~].*|eur|euros?|usd|dollars?")
_DATE_LIKE = re.compile(r"\d+[-/.]\d+[-/.]\d+|\d+(st|nd|rd|th)|(19|20)\d\d|[$€£<>=~].+")
_PART = re.compile(r"(?:[NB][NBJ]*)?T(?:[TNBJ]*[TN])?")


def take_periods(words: Words, today: date) -> list[tuple[int, int, Period | None]]:
    """Take what a query says of time and amounts: each part is understood whole or not at all.

    Returns:
        Where a part begins, where it ends, and the span of time, if it is one.
    """
    texts = ["" if word.quoted else folded(word.text) for word in words]
    parts = []
    # A letter for each word, by what it is; a part is then what a pattern finds.
    for start, end in [found.span() for found in _PART.finditer("".join(map(_letter, texts)))]:
        parts.append((start, end, _read(" ".join(texts[start:end]), today)))
        words.mark(start, end)
    return parts


def _letter(text: str) -> str:
    if text in _TELLING or _DATE_LIKE.fullmatch(text):
        return "T"
    if _NUMBER.fullmatch(text):
        return "N"
    return "B" if text in _BESIDE else "J" if text in ("and", "the", "to") else "-"


def _read(said: str, today: date) -> Period | None:
    for pattern, make in _FORMS:
        if found := pattern.fullmatch(said):
            try:
                return make(found, today)
            except (ValueError, OverflowError):  # 30 February
                break
    return None
