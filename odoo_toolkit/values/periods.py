"""Periods by which dates and moments are grouped, and the time zone in which they begin."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from odoo_toolkit.errors import ConfigurationError, invalid

PERIODS = ("hour", "day", "week", "month", "quarter", "year")


def time_zone(context: Mapping[str, Any]) -> tzinfo:
    """Return the time zone of a context, UTC where it has none.

    Raises:
        ValidationError: there is no such zone; Odoo would take UTC in silence.
        ConfigurationError: this machine knows no time zones.
    """
    name = context.get("tz") or "UTC"
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    try:
        ZoneInfo("Europe/Brussels")
    except ZoneInfoNotFoundError:
        raise ConfigurationError(
            "This machine has no time zone data.", suggestion="Install the package tzdata."
        ) from None
    raise invalid(
        "context.tz",
        f"There is no time zone {str(name)[:80]!r}.",
        "Set tz in the context to a time zone such as Europe/Brussels.",
    )


def day_start(day: date, zone: tzinfo) -> datetime:
    """Return when a day begins in a time zone, as naive UTC.

    Raises:
        OverflowError: it is outside the calendar.
    """
    begins = datetime(day.year, day.month, day.day, tzinfo=zone)
    return begins.astimezone(UTC).replace(tzinfo=None)


def period_start(text: str, zone: tzinfo | None, period: str) -> str:
    """Return the beginning of the period that a date or moment is in, in ISO 8601.

    Args:
        text: a date, or a moment in UTC, as Odoo or the toolkit writes it.
        zone: the time zone in which periods begin; of a date it does not matter.
        period: one of ``PERIODS``.

    Returns:
        A date; for an hour, a moment with its offset. An hour that comes twice when summer ends
        is one period to Odoo: it gets the offset of winter.
    """
    day = text[:10]
    if len(text) > len(day):
        moment = datetime.fromisoformat(f"{day}T{text[11:19]}+00:00").astimezone(zone)
        if period == "hour":
            hour = moment.replace(minute=0, second=0, microsecond=0, fold=1)
            return hour.isoformat().replace("+00:00", "Z")
        day = moment.date().isoformat()
    if period == "day":
        return day
    found = date.fromisoformat(day)
    if period == "week":
        return (found - timedelta(days=found.weekday())).isoformat()
    month = {"month": found.month, "quarter": (found.month - 1) // 3 * 3 + 1, "year": 1}[period]
    return found.replace(month=month, day=1).isoformat()
