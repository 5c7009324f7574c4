"""Time spent on a task."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 - an argument is called date
from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Gt

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.project.tasks import TASK, TaskId, TaskName, no_project
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError, make_error
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    filled,
    find,
    label,
    read_rows,
    row_after,
)
from odoo_toolkit.operations.lines import checked_day, checked_number
from odoo_toolkit.operations.steps import (
    Done,
    Step,
    operate,
    permit,
)
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

LINE = Document(
    model="account.analytic.line",
    noun="timesheet line",
    argument="line_id",
    fields=("name", "date", "unit_amount", "task_id", "project_id", "user_id", "employee_id"),
)
WORKED_ON = attrs.evolve(TASK, fields=("name", "project_id", "allow_timesheets"))
LOG = Step(model=LINE.model, method="create", says="Time logged")


@attrs.frozen(kw_only=True)
class TimesheetResult(Shown):
    """A timesheet line as it is now; None is what could not be read back.

    Attributes:
        hours: spent; in days, where the company's project time is kept in days.
        date: the day, ISO 8601.
        warnings: what is not as one might expect.
    """

    id: int
    message: str
    hours: float
    date: str | None = None
    description: str | None = None
    task: RecordName | None = None
    project: RecordName | None = None
    user: RecordName | None = None
    employee: RecordName | None = None
    warnings: list[str] = attrs.Factory(list)


@operation
def log_timesheet(
    odoo: Odoo,
    *,
    hours: Annotated[float, Gt(0), Doc("1.5 for an hour and a half.")],
    task_id: TaskId = None,
    task_name: TaskName = None,
    description: str | None = None,
    date: Annotated[
        str | Date | None, JsonSchema({"type": "string"}), Doc("Today by default.")
    ] = None,
    user_id: Annotated[int | None, Doc("Who worked; the caller by default.")] = None,
    user_name: str | None = None,
    dry_run: DryRun = False,
) -> TimesheetResult | Plan:
    """Log time spent on a task; needs the Odoo module ``hr_timesheet``.

    >>> log_timesheet(odoo, task_name="Paint", hours=1.5, description="First coat").hours
    1.5

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
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such task or user.
        ValidationError: an argument is wrong, the task has no project or its project no
            timesheets, or the user is not an employee; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    hours = checked_number(plain(hours), "hours", positive=True)
    values = {"name": (description or "").strip() or "/", "unit_amount": hours}
    if day := checked_day(date, "date"):
        values["date"] = day
    permit(odoo, LOG, dry_run=dry_run)
    if not odoo.schema.module_installed("hr_timesheet"):
        raise make_error(
            "UNKNOWN_METHOD",
            "There are no timesheets: the Odoo module hr_timesheet is not installed.",
            suggestion="Install it in Odoo, in Apps.",
            details={"module": "hr_timesheet"},
        )
    task = find(odoo, WORKED_ON, task_id, task_name)
    _check_task(task)
    wanted = Wanted(model="res.users", field="user_id", id=user_id, name=user_name)
    user = resolve(odoo, wanted, required=False)
    unsure = _check_employee(odoo, user or odoo.uid)
    # The project is given explicitly: with the task alone, Odoo 14 finds no analytic account.
    values |= {"task_id": task["id"], "project_id": task["project_id"].id}
    if user:
        values["user_id"] = user
    what = f"{hours:g} hours on {label(task)}"

    def result(done: Done) -> TimesheetResult:
        done.warnings.extend(unsure)
        row = row_after(odoo, LINE, done, unit_amount=hours)
        return filled(
            TimesheetResult,
            row,
            message=f"Logged {what} with ID {done.id}",
            hours=row["unit_amount"],
            description=row.get("name"),
            warnings=done.warnings,
        )

    steps = [LOG.of(vals_list=values)]
    return operate(odoo, steps, (), result, would=f"Would log {what}.", dry_run=dry_run)


def _check_task(task: Row) -> None:
    if not task["project_id"]:
        # From Odoo 17 on, the line would be written without a project and seen nowhere.
        raise no_project(task, "so no time can be logged on it")
    if task["allow_timesheets"] is False:
        project = task["project_id"]
        raise ValidationError(
            f"The project {project.name} does not take timesheets.",
            suggestion="Switch on allow_timesheets of the project, or use another task.",
            details={"model": TASK.model, "id": task["id"], "project_id": project.id},
        )


def _check_employee(odoo: Odoo, user: int) -> list[str]:
    """Refuse a user who is not an employee: Odoo 14 and 15 would log the time of nobody."""
    domain = [["user_id", "=", user]]
    try:
        found = read_rows(
            odoo,
            "hr.employee.public",
            domain,
            ["id"],
            acts_on=LINE.model,
            limit=1,
            active_test=True,
        )
    except (AccessError, NotFoundError) as error:
        return [f"Whether user {user} is an employee could not be checked: {error.message}"]
    if not found:
        raise ValidationError(
            f"User {user} is linked to no employee, so no time can be logged for them.",
            suggestion="Link the user to an employee in Odoo, or give the user_id of one who is.",
            details={"field": "user_id", "id": user},
        )
    return []
