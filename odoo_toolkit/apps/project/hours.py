"""A function that returns logged hours by employee, project and week, and missing hours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.project.schedules import Schedule, Span, read_closed, read_schedules, span_of
from odoo_toolkit.apps.project.tasks import LINE, STAFF, TASK
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, invalid, make_error
from odoo_toolkit.records.aggregate.aggregation import aggregate
from odoo_toolkit.records.results import RecordName

#: Who sees the timesheets of everybody; its members of higher groups are in it, too.
_SEES_ALL = "hr_timesheet.group_hr_timesheet_approver"

#: Most days of one call, rows that are shown, and hours that are too few to matter.
_MOST_DAYS, _MOST, _SMALL = 370, 1000, 0.05

_DAY = op.JsonSchema({"type": "string"})


@attrs.frozen(kw_only=True)
class HoursRow(op.Shown):
    """The hours of one employee on one project in one week.

    Attributes:
        week: Monday of the week.
    """

    employee: RecordName | None = None
    project: RecordName | None = None
    week: str
    hours: float


@attrs.frozen(kw_only=True)
class MissingHours(op.Shown):
    """An employee who has logged fewer hours in a week than expected.

    Attributes:
        week: Monday of the week.
        expected: Hours in the working schedule, minus time off and closed days. Only past days
            within your dates count. None if the schedule is flexible or hidden, and the employee
            logged nothing.
        logged: Hours on all projects, without those that Odoo logs for time off.
    """

    employee: RecordName
    week: str
    expected: float | None = None
    logged: float
    missing: float | None = None


@attrs.frozen(kw_only=True)
class HoursReport(op.Shown):
    """Logged hours, as far as the connected user can see them.

    Attributes:
        total: Hours of all rows.
        by_employee, by_project: Totals by name. The id is added if two have the same name.
        rows: Hours by employee, project and week.
        missing: Employees with too few hours, by week. Not available if you choose projects or
            tasks.
        has_more: True if there are more rows, or more employees with too few hours.
        warnings: Data that could not be read, and limits of the result.
    """

    message: str
    date_from: str
    date_to: str
    total: float
    by_employee: dict[str, float] = attrs.Factory(dict)
    by_project: dict[str, float] = attrs.Factory(dict)
    rows: list[HoursRow] = attrs.Factory(list)
    missing: list[MissingHours] = attrs.Factory(list)
    has_more: bool = False
    warnings: list[str] = attrs.Factory(list)


def get_hours(
    odoo: Odoo,
    *,
    date_from: Annotated[
        str | date | None, _DAY, Doc("First day. Default: the Monday four weeks ago.")
    ] = None,
    date_to: Annotated[str | date | None, _DAY, Doc("Last day. Default: today.")] = None,
    employees: Annotated[op.NamesOrIds, Doc("Only these, by name or id.")] = None,
    projects: Annotated[op.NamesOrIds, Doc("Only these, by name or id.")] = None,
    tasks: Annotated[op.NamesOrIds, Doc("Only these, by name or id, without subtasks.")] = None,
) -> HoursReport:
    """Return the hours logged by employee, project and week, and the employees with too few hours.

    >>> report = get_hours(odoo, date_from="2025-06-30", date_to="2025-07-06")
    >>> report.by_project
    {'House': 9.5}
    >>> [(row.employee.name, row.week, row.missing) for row in report.missing]
    [('Bo Birch', '2025-06-30', 32.0)]

    It needs the Odoo module ``hr_timesheet``. Odoo calculates the sums. Missing hours are
    calculated from the working schedule of each active employee who is a user, minus approved time
    off and closed days. They are not calculated if you choose projects or tasks. A user who is not
    a timesheet approver sees only their own hours.

    The period is at most 370 days.

    Raises:
        AmbiguousNameError: A name matches several records.
        NotFoundError: The employee, project or task does not exist, or Odoo has no timesheets.
        ValidationError: A date is wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    first, last = _checked_days(odoo, date_from, date_to)
    if not odoo.schema.module_installed("hr_timesheet"):
        raise make_error(
            "UNKNOWN_METHOD",
            "There are no timesheets: the Odoo module hr_timesheet is not installed.",
            suggestion="Install the module in Odoo, in Apps.",
            details={"module": "hr_timesheet"},
        )
    staff = op.wanted_each(STAFF, employees, "employees")
    places = op.wanted_each("project.project", projects, "projects")
    ids = op.linked_ids(odoo, [*staff, *places, *op.wanted_each(TASK.model, tasks, "tasks")])
    people, chosen = ids[: len(staff)], ids[len(staff) :]
    domain: list[Any] = [
        ["project_id", "!=", False],
        ["date", ">=", first],
        ["date", "<=", last],
    ]
    domain += [["employee_id", "in", people]] if people else []
    of_projects, of_tasks = chosen[: len(places)], chosen[len(places) :]
    narrowed: list[Any] = [["project_id", "in", of_projects]] if of_projects else []
    narrowed += [["task_id", "in", of_tasks]] if of_tasks else []
    warnings: list[str] = []
    sums, sees_all, employed = op.gather(
        lambda: _sums(odoo, [*domain, *narrowed]),
        lambda: op.in_group(odoo, _SEES_ALL, acts_on=LINE.model),
        lambda: [] if chosen else _staff(odoo, people, warnings),
    )
    if not sees_all:
        employed = [row for row in employed if row["user_id"] and row["user_id"].id == odoo.uid]
        warnings.append(
            "This user is not a timesheet approver, so Odoo shows only the user's own hours."
        )
    rows = [
        HoursRow(
            employee=_name(row["employee_id"]),
            project=_name(row["project_id"]),
            week=row["date:week"],
            hours=round(row["unit_amount:sum"], 2),
        )
        for row in sums
    ]
    missing = list(_missing(odoo, employed, sums, domain, first, last, warnings))
    total = round(sum(row["unit_amount:sum"] for row in sums), 2)
    few = len({row.employee for row in missing})
    judged = "" if chosen else f" {few} of {len(employed)} employees logged too few hours."
    return HoursReport(
        message=f"{total:g} hours from {first} to {last}.{judged}",
        date_from=first,
        date_to=last,
        total=total,
        by_employee=_totals((row.employee, row.hours) for row in rows),
        by_project=_totals((row.project, row.hours) for row in rows),
        rows=rows[:_MOST],
        missing=missing[:_MOST],
        has_more=len(rows) > _MOST or len(missing) > _MOST,
        warnings=warnings,
    )


def _checked_days(
    odoo: Odoo, date_from: str | date | None, date_to: str | date | None
) -> tuple[str, str]:
    last = op.checked_day(date_to, "date_to") or op.today(odoo)
    first = op.checked_day(date_from, "date_from")
    if first is None:
        first = (_monday(date.fromisoformat(last)) - timedelta(weeks=4)).isoformat()
    days = (date.fromisoformat(last) - date.fromisoformat(first)).days
    if not 0 <= days <= _MOST_DAYS:
        raise invalid(
            "date_from",
            f"The period from {first} to {last} must have 1 to {_MOST_DAYS} days.",
            "Set date_to to a day on or after date_from, at most one year later.",
        )
    return first, last


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _name(shown: Any) -> RecordName | None:
    return RecordName(id=shown["id"], name=shown["name"]) if shown else None


def _sums(odoo: Odoo, domain: Sequence[Any]) -> list[op.Row]:
    """Return Odoo's sums by employee, project and week."""
    by = ["employee_id", "project_id", "date:week"]
    found: list[op.Row] = []
    while True:
        page = aggregate(
            odoo, LINE.model, domain, by, ["unit_amount:sum"], limit=None, offset=len(found)
        )
        found += page.records
        if not page.has_more or not page.records:
            return found


def _totals(pairs: Any) -> dict[str, float]:
    found: dict[RecordName | None, float] = defaultdict(float)
    for who, hours in pairs:
        found[who] += hours
    names = [who.name if who else "none" for who in found]
    return {
        name if names.count(name) == 1 or who is None else f"{name} ({who.id})": round(hours, 2)
        for (who, hours), name in zip(found.items(), names, strict=True)
    }


# Who has logged too few --------------------------------------------------------------------------


def _staff(odoo: Odoo, people: Sequence[int | None], warnings: list[str]) -> list[op.Row]:
    """Return the employees whose hours are judged."""
    domain = [["id", "in", list(people)]] if people else [["user_id", "!=", False]]
    fields = ("name", "user_id", "resource_calendar_id")
    try:
        return op.read_rows(
            odoo, STAFF, domain, fields, acts_on=LINE.model, order="name, id", active_test=True
        )
    except OdooError as error:
        warnings.append(f"The toolkit cannot check who logged too few hours: {error.message}")
        return []


def _missing(
    odoo: Odoo,
    employed: Sequence[op.Row],
    sums: Sequence[op.Row],
    domain: Sequence[Any],
    first: str,
    last: str,
    warnings: list[str],
) -> Iterator[MissingHours]:
    """Yield who has logged fewer hours than expected, by week, in the days that are over."""
    over = min(date.fromisoformat(last), date.fromisoformat(op.today(odoo)) - timedelta(days=1))
    start = date.fromisoformat(first)
    if not employed or over < start:
        return
    ids = [row["id"] for row in employed]
    calendars = {row["resource_calendar_id"].id for row in employed if row["resource_calendar_id"]}
    schedules, closed, leaves, by_leaves = op.gather(
        lambda: _readable(lambda: read_schedules(odoo, sorted(calendars), LINE.model), warnings),
        lambda: _readable(lambda: read_closed(odoo, first, last, LINE.model), warnings),
        lambda: _readable(lambda: _leaves(odoo, ids, first, last), warnings),
        lambda: _readable(lambda: _logged_by_leaves(odoo, domain), warnings),
    )
    logged: dict[tuple[int, str], float] = defaultdict(float)
    for row in sums:
        if row["employee_id"]:
            logged[row["employee_id"]["id"], row["date:week"]] += row["unit_amount:sum"]
    for row in employed:
        calendar = row["resource_calendar_id"].id if row["resource_calendar_id"] else None
        schedule: Schedule | None = schedules.get(calendar)
        off = [*closed.get(None, ()), *closed.get(calendar, ()), *leaves.get(row["id"], ())]
        for week, days in _weeks(start, over):
            own = by_leaves.get((row["id"], week), 0.0)
            worked = logged[row["id"], week] - own
            expected = None
            if schedule:
                planned = sum(schedule.hours(day, ()) for day in days)
                free = planned - sum(schedule.hours(day, off) for day in days)
                expected = planned - max(free, own)
            if worked <= _SMALL if expected is None else worked < expected - _SMALL:
                yield MissingHours(
                    employee=RecordName(id=row["id"], name=row["name"]),
                    week=week,
                    expected=None if expected is None else round(expected, 2),
                    logged=round(worked, 2),
                    missing=None if expected is None else round(expected - worked, 2),
                )


def _readable(look: Any, warnings: list[str]) -> Any:
    """Return what is read; where this user must not, an empty answer and a warning."""
    try:
        return look()
    except OdooError as error:
        warnings.append(f"The check for too few logged hours ignores this: {error.message}")
        return {}


def _weeks(first: date, last: date) -> Iterator[tuple[str, list[date]]]:
    """Yield the Monday of each week, and its days within these."""
    monday = _monday(first)
    while monday <= last:
        days = [monday + timedelta(days=n) for n in range(7)]
        yield monday.isoformat(), [day for day in days if first <= day <= last]
        monday += timedelta(weeks=1)


def _leaves(odoo: Odoo, ids: Sequence[int], first: str, last: str) -> Mapping[int, list[Span]]:
    """Return the approved time off of employees, as far as this user may see it."""
    found: dict[int, list[Span]] = defaultdict(list)
    if not odoo.schema.module_installed("hr_holidays"):
        return found
    domain = [
        ["employee_id", "in", list(ids)],
        ["state", "=", "validate"],
        ["date_from", "<=", f"{last} 23:59:59"],
        ["date_to", ">=", f"{first} 00:00:00"],
    ]
    fields = ("employee_id", "date_from", "date_to")
    for row in op.read_rows(odoo, "hr.leave", domain, fields, acts_on=LINE.model, active_test=True):
        if row["employee_id"]:
            found[row["employee_id"].id].append(span_of(row))
    return found


def _logged_by_leaves(odoo: Odoo, domain: Sequence[Any]) -> dict[tuple[int, str], float]:
    """Return the hours that time off and closed days have logged, by employee and week."""
    fields = [f for f in ("holiday_id", "global_leave_id") if f in odoo.schema.fields(LINE.model)]
    found: dict[tuple[int, str], float] = defaultdict(float)
    if fields:
        either = ["|"] * (len(fields) - 1) + [[field, "!=", False] for field in fields]
        for row in _sums(odoo, [*domain, *either]):
            if row["employee_id"]:
                found[row["employee_id"]["id"], row["date:week"]] += row["unit_amount:sum"]
    return found
