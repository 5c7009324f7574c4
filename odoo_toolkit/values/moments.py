"""Moments and days between ISO 8601 and Odoo's own form, which is UTC without saying so."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

from odoo_toolkit.values.plain import plain

_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})"
    r"(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:[.,][0-9]+)?"
    r"\s*(?:(Z)|([+-])([0-9]{2}):?([0-9]{2})?)?)?",
    re.IGNORECASE,
)
_WIRE_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
#: Of a moment as Odoo sends it.
WIRE_LENGTH = len("2025-02-09 14:30:00")


def with_whole_year(value: str) -> str:
    """Return a day or moment as Odoo sends it with four digits of the year.

    Odoo writes the year 1 as ``1``: ``1-01-01`` stands for ``0001-01-01``.
    """
    if "-" not in value[:4]:
        return value
    year, dash, rest = value.partition("-")
    return f"{year:0>4}{dash}{rest}" if year.isdecimal() else value


def iso_utc(value: Any) -> Any:
    """Return Odoo's ``2025-02-09 14:30:00`` as ``2025-02-09T14:30:00Z``, anything else as it is."""
    if isinstance(value, str) and len(value) == WIRE_LENGTH and _WIRE_DATETIME.fullmatch(value):
        return f"{value[:10]}T{value[11:]}Z"
    return value


def utc_string(value: str | date | datetime) -> str:
    """Return a moment as Odoo's wire form, ``YYYY-MM-DD HH:MM:SS`` in UTC.

    Args:
        value: an ISO string with ``T`` or a space, with or without seconds, ``Z`` or an offset; a
            datetime; a date. Without a zone it is taken as UTC; a day begins at midnight.

    Raises:
        ValueError: it is not a moment.
    """
    return parse_moment(value)[0].isoformat(sep=" ", timespec="seconds")


def utc_string_of(seconds: float) -> str:
    """Return a moment, in seconds since the epoch, as Odoo's wire form in UTC."""
    return utc_string(datetime.fromtimestamp(seconds, UTC))


def parse_moment(value: str | date | datetime) -> tuple[datetime, datetime | None]:
    """Return a moment in naive UTC, and as it was written, without its zone.

    The second is None where only a day was given. It tells which calendar day was meant:
    ``2025-01-01T00:30+02:00`` is written on the first of January.

    Raises:
        ValueError: it is not a moment.
    """
    value = plain(value)
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        return datetime.combine(value, time()), None
    elif not isinstance(value, str):
        raise ValueError(f"not a date or time: {value!r:.80}")
    else:
        match = _MOMENT.fullmatch(value.strip())
        if not match:
            raise ValueError(f"not an ISO date: {value[:80]!r}")
        day, minutes, seconds, zulu, sign, zone_hours, zone_minutes = match.groups()
        year, month, day_of_month = map(int, day.split("-"))
        moment = datetime(year, month, day_of_month)  # noqa: DTZ001
        if minutes is None:
            return moment, None
        moment = datetime.combine(moment, time.fromisoformat(minutes + (seconds or ":00")))
        if zulu:
            moment = moment.replace(tzinfo=UTC)
        elif sign:
            offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes or 0))
            moment = moment.replace(tzinfo=timezone(-offset if sign == "-" else offset))
    as_written = moment.replace(tzinfo=None)
    if moment.tzinfo is None:
        return as_written, as_written
    try:
        return moment.astimezone(UTC).replace(tzinfo=None), as_written
    except OverflowError as error:
        raise ValueError(f"outside the calendar: {value}") from error


def day_string(value: str | date | datetime) -> str:
    """Return the calendar day that was written, as ``YYYY-MM-DD``; a time of day is left out.

    Raises:
        ValueError: it is neither a day nor a moment.
    """
    moment, as_written = parse_moment(value)
    return (as_written or moment).date().isoformat()
