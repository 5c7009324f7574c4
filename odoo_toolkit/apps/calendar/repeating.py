"""Meetings that repeat: what is asked for, as Odoo's fields say it on each version."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.records.arguments import checked_count

Repeat = Literal["daily", "weekly", "monthly", "monthly_weekday", "yearly"]

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

#: Most meetings of one series: Odoo makes all of them at once.
MOST = 200


def series_values(
    odoo: Odoo,
    begins: datetime,
    *,
    repeat: Repeat | None,
    every: int,
    weekdays: Sequence[str] | None,
    count: int | None,
    until: str | date | None,
    timezone: str,
) -> dict[str, Any]:
    """Return the values that make a meeting repeat; none where it does not.

    Args:
        odoo: the connection.
        begins: the first one, in its time zone.
        repeat: how often.
        every: only every second, third, ... time.
        weekdays: of a weekly one; that of the first one by default.
        count: how many there are.
        until: the last day, instead of the count.
        timezone: in which it keeps its time of day when the clocks change.

    Raises:
        ValidationError: an argument is wrong, or there is no end.
    """
    last = op.checked_day(until, "until")
    if repeat is None:
        if weekdays or count is not None or last:
            raise invalid(
                "repeat",
                "weekdays, count and until are only for repeating meetings.",
                "Set repeat, or omit weekdays, count and until.",
            )
        return {}
    if (count is None) == (last is None):
        raise ValidationError(
            "A repeating meeting needs an end: either count or until.",
            suggestion="Set count to the number of meetings, or until to the last day.",
            code="MISSING_REQUIRED_FIELD",
            details={"field": "count"},
        )
    if last is not None and last < begins.date().isoformat():
        raise invalid("until", f"until {last} is before the first meeting.")
    if count is not None and checked_count(count, "count", 1) > MOST:
        raise invalid("count", f"{count} meetings are too many. The maximum is {MOST}.")
    named = "mon" in odoo.schema.fields("calendar.event")
    values: dict[str, Any] = {
        "recurrency": True,
        "interval": checked_count(every, "every", 1),
        "rrule_type": "monthly" if repeat == "monthly_weekday" else repeat,
        "event_tz": timezone,
    }
    values |= {"end_type": "count", "count": count} if last is None else {"end_type": "end_date"}
    if last is not None:
        values["until"] = last
    if repeat == "weekly":
        chosen = _weekdays(weekdays, begins)
        # Fields of 14 are called mo, tu, ...
        values |= {day if named else day[:2]: day in chosen for day in DAYS}
    elif weekdays:
        raise invalid("weekdays", "weekdays is only for meetings that repeat weekly.")
    if repeat == "monthly":
        values |= {"month_by": "date", "day": begins.day}
    if repeat == "monthly_weekday":
        week = (begins.day - 1) // 7 + 1
        name = DAYS[begins.weekday()].upper()
        values |= {
            "month_by": "day",
            "byday": str(week) if week < 5 else "-1",
            "weekday": name if named else name[:2],
        }
    return values


def _weekdays(given: Sequence[str] | None, begins: datetime) -> list[str]:
    first = DAYS[begins.weekday()]
    if given is None:
        return [first]
    chosen = [str(day).strip().lower()[:3] for day in given]
    if isinstance(given, str) or not chosen or set(chosen) - set(DAYS):
        raise invalid(
            "weekdays", "weekdays must be a list of days.", f"Choose from {', '.join(DAYS)}."
        )
    if first not in chosen:
        raise invalid(
            "weekdays",
            f"The first meeting is on a {begins:%A}, which is not among weekdays.",
            "Begin on one of the weekdays, or add this day to weekdays.",
        )
    return chosen
