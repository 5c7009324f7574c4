"""Time spent on a task."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date as Date  # noqa: N812 - an argument is called date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Gt

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.project.tasks import TaskId, TaskName, find_task, shown
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError, make_error
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.reading import count
from odoo_toolkit.records.results import Record, RecordName
from odoo_toolkit.records.rows import read_rows
from odoo_toolkit.values.moments import day_string
from odoo_toolkit.values.plain import plain

LINE = "account.analytic.line"

_FIELDS = ("name", "date", "unit_amount", "task_id", "project_id", "user_id", "employee_id")


@attrs.frozen(kw_only=True)
class TimesheetResult:
    """A timesheet line as it is now.

    Attributes:
        hours: spent; in days, where the company's project time is kept in days.
        date: the day, ISO 8601.
        warnings: what is not as one might expect.
    """

    id: int
    message: str
    hours: float
    date: str | None = None
    description: str = ""
    task: RecordName | None = None
    project: RecordName | None = None
    user: RecordName | None = None
    employee: RecordName | None = None
    warnings: list[str] = attrs.Factory(list)


def log_timesheet(
    odoo: Odoo,
    *,
    hours: Annotated[float, Gt(0), Doc("Time spent, 1.5 for an hour and a half.")],
    task_id: TaskId = None,
    task_name: TaskName = None,
    description: Annotated[str | None, Doc("What was done.")] = None,
    date: Annotated[str | Date | None, Doc("The day, YYYY-MM-DD; today by default.")] = None,
    user_id: Annotated[int | None, Doc("Who worked; the caller by default.")] = None,
    user_name: str | None = None,
    dry_run: DryRun = False,
) -> TimesheetResult | Plan:
    """Log time spent on a task; needs the Odoo module ``hr_timesheet``.

    Args:
        odoo: the connection.
        hours: time spent, more than 0. Odoo itself would take less.
        task_id: what was worked on; it must belong to a project with timesheets.
        task_name: instead of the id.
        description: what was done; Odoo writes ``/`` without it.
        date: the day; today by default.
        user_id: who worked, the caller by default. For others, Odoo wants the rights of a
            timesheet approver.
        user_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such task or user.
        ValidationError: an argument is wrong, the task has no project or its project no
            timesheets, or the user is no employee; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    hours = plain(hours)
    values = _checked(hours, description, date)
    odoo.check(_create({"name": "", "unit_amount": hours}))
    if not odoo.schema.module_installed("hr_timesheet"):
        raise make_error(
            "UNKNOWN_METHOD",
            "There are no timesheets: the Odoo module hr_timesheet is not installed.",
            suggestion="Ask the administrator to install it.",
            details={"module": "hr_timesheet"},
        )
    task = find_task(odoo, task_id, task_name, ["allow_timesheets"])
    _check_task(task)
    wanted = Wanted(model="res.users", field="user_id", id=user_id, name=user_name)
    user = resolve(odoo, wanted, required=False)
    warnings = _check_employee(odoo, user or odoo.uid)
    # The project is given explicitly: with the task alone, Odoo 14 finds no analytic account.
    values |= {"task_id": task["id"], "project_id": task["project_id"]["id"]}
    if user:
        values["user_id"] = user
    call = _create(values)
    if dry_run:
        return plan(odoo, f"Would log {hours:g} hours on {shown(task)}.", [call])
    answer = odoo.call(call)
    line_id = answer[0] if isinstance(answer, list) else answer
    message = f"Logged {hours:g} hours on {shown(task)} with ID {line_id}"
    return _after(odoo, line_id, hours, message, warnings)


def _create(values: Mapping[str, Any]) -> Call:
    return Call(model=LINE, method="create", arguments={"vals_list": dict(values)}, step=True)


def _checked(hours: float, description: str | None, date: str | Date | None) -> Record:
    is_number = isinstance(hours, (int, float)) and not isinstance(hours, bool)
    if not is_number or not math.isfinite(hours) or hours <= 0:
        raise ValidationError(
            f"hours is {hours!r}, and must be more than 0.",
            suggestion="Give the hours as a number, 1.5 for an hour and a half.",
            details={"field": "hours"},
        )
    values: Record = {"name": (description or "").strip() or "/", "unit_amount": hours}
    if date is not None:
        try:
            values["date"] = day_string(date)
        except ValueError:
            raise ValidationError(
                f"date is {date!r}, which is no day.",
                suggestion="Write it like 2025-06-30.",
                details={"field": "date"},
            ) from None
    return values


def _check_task(task: Record) -> None:
    details = {"model": "project.task", "id": task["id"]}
    if not task["project_id"]:
        # From Odoo 17 on, the line would be written without a project and seen nowhere.
        raise ValidationError(
            f"{shown(task)} belongs to no project, so no time can be logged on it.",
            suggestion="Put it into a project first: write its project_id.",
            details=details,
        )
    if task["allow_timesheets"] is False:
        raise ValidationError(
            f"The project {task['project_id']['name']} does not take timesheets.",
            suggestion="Switch on allow_timesheets of the project, or use another task.",
            details={**details, "project_id": task["project_id"]["id"]},
        )


def _check_employee(odoo: Odoo, user: int) -> list[str]:
    """Refuse a user who is no employee: Odoo 14 and 15 would log the time of nobody."""
    try:
        found = count(odoo, "hr.employee.public", [["user_id", "=", user]]).count
    except (AccessError, NotFoundError) as error:
        return [f"Whether user {user} is an employee could not be checked: {error.message}"]
    if not found:
        raise ValidationError(
            f"User {user} is linked to no employee, so no time can be logged for them.",
            suggestion="Link the user to an employee in Odoo, or give the user_id of one who is.",
            details={"field": "user_id", "id": user},
        )
    return []


def _after(
    odoo: Odoo, line_id: int, hours: float, message: str, warnings: list[str]
) -> TimesheetResult:
    unread = "this user may not see it"
    try:
        lines = read_rows(odoo, LINE, [line_id], _FIELDS)
    except OdooError as error:
        lines, unread = [], error.message
    if not lines:
        warnings.append(f"This is done, but cannot be read back: {unread}")
        return TimesheetResult(id=line_id, message=message, hours=hours, warnings=warnings)
    line = lines[0]
    linked: dict[str, Any] = {
        key: RecordName(**line[f"{key}_id"])
        for key in ("task", "project", "user", "employee")
        if line.get(f"{key}_id")
    }
    return TimesheetResult(
        id=line_id,
        message=message,
        hours=line["unit_amount"],
        date=line["date"],
        description=line["name"],
        warnings=warnings,
        **linked,
    )
