"""How many hours employees are to work in a week: by their schedule, less the time off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.values.moments import parse_moment

CALENDAR, SHIFT, CLOSED = (
    "resource.calendar",
    "resource.calendar.attendance",
    "resource.calendar.leaves",
)

_SHIFT_FIELDS = op.words("""
    calendar_id dayofweek hour_from hour_to day_period week_type display_type duration_hours
    date_from date_to resource_id
""")

#: Between two moments in UTC.
Span = tuple[datetime, datetime]


@attrs.frozen(kw_only=True)
class Schedule:
    """The working hours of a calendar.

    Attributes:
        shifts: by the day of the week, 0 for Monday.
        zone: in which they are meant.
        two_weeks: whether they differ from one week to the next.
    """

    shifts: Mapping[int, Sequence[op.Row]]
    zone: Any
    two_weeks: bool = False

    def hours(self, day: date, off: Sequence[Span]) -> float:
        """Return the hours of work on a day, less those that are off."""
        week_type = str((day.toordinal() - 1) // 7 % 2)
        total = 0.0
        for shift in self.shifts.get(day.weekday(), ()):
            if self.two_weeks and shift["week_type"] not in (None, week_type):
                continue
            if any(shift[f] and not inside for f, inside in _within(shift, day)):
                continue
            total += _worked(shift, day, self.zone, off)
        return total


def _within(shift: op.Row, day: date) -> list[tuple[str, bool]]:
    """Return whether a day is within the days of a shift, which only some versions have."""
    shown = day.isoformat()
    first, last = shift["date_from"], shift["date_to"]
    return [("date_from", not first or first <= shown), ("date_to", not last or shown <= last)]


def _worked(shift: op.Row, day: date, zone: Any, off: Sequence[Span]) -> float:
    """Return the hours of a shift on a day that no time off covers."""
    first, last = float(shift["hour_from"] or 0), float(shift["hour_to"] or 0)
    hours = last - first
    if hours <= 0:
        # From 19 on a shift may have a duration alone.
        first, last, hours = 0.0, 24.0, float(shift["duration_hours"] or 0)
    start, end = (_moment(day, hour, zone) for hour in (first, last))
    covered = timedelta()
    for begins, ends in _merged(off):
        covered += max(timedelta(), min(end, ends) - max(start, begins))
    return hours * (1 - covered / (end - start))


def _moment(day: date, hour: float, zone: Any) -> datetime:
    local = datetime.combine(day, time(), zone) + timedelta(hours=hour)
    return local.astimezone(UTC).replace(tzinfo=None)


def _merged(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for begins, ends in sorted(spans):
        if found and begins <= found[-1][1]:
            found[-1] = (found[-1][0], max(ends, found[-1][1]))
        else:
            found.append((begins, ends))
    return found


def read_schedules(odoo: Odoo, ids: Sequence[int], acts_on: str) -> dict[int, Schedule]:
    """Return the working hours of calendars; those whose hours are flexible are left out."""
    if not ids:
        return {}
    fields = ("tz", "two_weeks_calendar", "flexible_hours", "schedule_type")
    domain = [["id", "in", list(ids)]]
    calendars = op.read_rows(odoo, CALENDAR, domain, fields, acts_on=acts_on)
    shifts = op.read_rows(
        odoo, SHIFT, [["calendar_id", "in", list(ids)]], _SHIFT_FIELDS, acts_on=acts_on
    )
    by_day: dict[int, dict[int, list[op.Row]]] = defaultdict(lambda: defaultdict(list))
    for shift in shifts:
        ordinary = not shift["display_type"] and shift["day_period"] != "lunch"
        if ordinary and not shift["resource_id"] and shift["calendar_id"]:
            by_day[shift["calendar_id"].id][int(shift["dayofweek"])].append(shift)
    return {
        row["id"]: Schedule(
            shifts=by_day[row["id"]],
            zone=_zone(row["tz"]),
            two_weeks=bool(row["two_weeks_calendar"]),
        )
        for row in calendars
        if not row["flexible_hours"] and row["schedule_type"] != "flexible" and by_day[row["id"]]
    }


def _zone(name: str | None) -> Any:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def read_closed(odoo: Odoo, first: str, last: str, acts_on: str) -> dict[int | None, list[Span]]:
    """Return the days on which nobody works, by calendar; None stands for all calendars."""
    domain = [
        ["resource_id", "=", False],
        ["date_from", "<=", f"{last} 23:59:59"],
        ["date_to", ">=", f"{first} 00:00:00"],
    ]
    fields = ("calendar_id", "date_from", "date_to")
    found: dict[int | None, list[Span]] = defaultdict(list)
    for row in op.read_rows(odoo, CLOSED, domain, fields, acts_on=acts_on):
        key = row["calendar_id"].id if row["calendar_id"] else None
        found[key].append(span_of(row))
    return found


def span_of(row: op.Row) -> Span:
    """Return from when to when a row of time off goes."""
    return parse_moment(row["date_from"])[0], parse_moment(row["date_to"])[0]
