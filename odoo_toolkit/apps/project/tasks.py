"""Functions that create, move and change tasks, and log time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from datetime import date as Date  # noqa: N812 - an argument is called date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Gt, Len

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooError,
    ValidationError,
    invalid,
    make_error,
)
from odoo_toolkit.fields import Field
from odoo_toolkit.operations import stages
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import day_string, parse_moment, utc_string
from odoo_toolkit.values.plain import plain

STAGE = "project.task.type"
#: Employees, as everybody may see them.
STAFF = "hr.employee.public"

TaskId = Annotated[int | None, Doc("Id of the task.")]
TaskName = Annotated[str | None, Doc("Name, instead of the id.")]

#: ``user_id`` is Odoo 14's, ``user_ids`` came with 15; ``state`` with 17, for ``kanban_state``.
TASK = op.Document(
    model="project.task",
    noun="task",
    argument="task_id",
    fields="""
        name active project_id stage_id user_id user_ids parent_id date_deadline priority state
        kanban_state
    """,
)
PARENT = attrs.evolve(TASK, argument="parent_id", fields=("name", "project_id"))
CREATE = op.Step(model=TASK.model, method="create", says="Task created")


@attrs.frozen(kw_only=True)
class TaskResult(op.Shown):
    """A task as it is now. None means empty, or that the value could not be read.

    Attributes:
        users: Assignees. At most one on Odoo 14.
        date_deadline: A date on Odoo 16 and earlier, a datetime in UTC on Odoo 17 and later.
        state: On Odoo 17 and later such as 01_in_progress or 1_done. On Odoo 16 and earlier normal,
            done (ready for the next stage) or blocked.
        warnings: Differences from your request.
    """

    id: int
    name: str
    message: str
    project: RecordName | None = None
    stage: RecordName | None = None
    users: list[RecordName] = attrs.Factory(list)
    parent: RecordName | None = None
    date_deadline: str | None = None
    priority: str | None = None
    state: str | None = None
    active: bool | None = None
    warnings: list[str] = attrs.Factory(list)


@op.operation
def create_task(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Title of the task.")],
    project_id: Annotated[int | None, Doc("Id of the project.")] = None,
    project_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    user_ids: Annotated[op.NamesOrIds, Doc("Assignees. Odoo 14: only one.")] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    date_deadline: Annotated[
        str | date | datetime | None,
        op.JsonSchema({"type": "string"}),
        Doc("A date. Odoo 17 and later: also a datetime."),
    ] = None,
    priority: Annotated[str, Doc("0 or 1. Odoo 19: 0 to 3.")] = "0",
    parent_id: Annotated[int | None, Doc("Id of the parent task.")] = None,
    parent_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    tag_ids: Annotated[op.NamesOrIds, Doc("Ids or names of tags.")] = None,
    dry_run: op.DryRun = False,
) -> TaskResult | op.Plan:
    """Create a task, or a subtask.

    >>> task = create_task(odoo, name="Paint", project_name="House")
    >>> task.project and task.project.name, [user.name for user in task.users]
    ('House', ['Mitchell Admin'])

    Without ``user_ids``, Odoo chooses the assignee, usually the connected user. Odoo 16 and earlier
    store only the date of ``date_deadline``. On Odoo 17 and later a date without a time becomes
    noon in UTC, which is the same day nearly everywhere. ``priority`` also accepts the name of a
    priority.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The project or parent task does not exist.
        ValidationError: An argument is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the work to be done.")
    op.permit(odoo, CREATE, dry_run=dry_run)
    described = odoo.schema.fields(TASK.model)
    values = {"name": name, "priority": choice(described["priority"], priority)}
    assignees = op.wanted_each("res.users", user_ids, "user_ids")
    linked = op.resolve_all(odoo, [*assignees, *op.wanted_each("project.tags", tag_ids, "tag_ids")])
    numbers = [number for number in linked if number]
    users, tags = (
        list(dict.fromkeys(part)) for part in (numbers[: len(assignees)], numbers[len(assignees) :])
    )
    if users:
        values |= assigned(described, users)
    if description:
        values["description"] = op.written_text(described["description"], description)
    if date_deadline is not None:
        values["date_deadline"] = deadline(described["date_deadline"], date_deadline)
    if tags:
        values["tag_ids"] = [[6, 0, tags]]
    parent = op.resolve(odoo, PARENT.wanted(parent_id, parent_name), required=False)
    wanted = op.Wanted(
        model="project.project", field="project_id", id=project_id, name=project_name
    )
    project = op.resolve(odoo, wanted, required=parent is None)
    if dry_run:
        op.look_for(odoo, [wanted])
    if parent is not None:
        # Given explicitly: Odoo 18 takes a subtask without a project for a private task.
        project = project or _project_of(op.read(odoo, PARENT, parent))
        values["parent_id"] = parent
    values["project_id"] = project

    def result(done: op.Done) -> TaskResult:
        row = op.row_after(odoo, TASK, done, name=name)
        return task_result(odoo, row, f"Created task {name!r} with ID {done.id}", done.warnings)

    would = f"Would create the task {name!r}."
    steps = [CREATE.of(vals_list=values)]
    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


@op.operation
def move_stage(
    odoo: Odoo,
    *,
    task_id: TaskId = None,
    task_name: TaskName = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> TaskResult | op.Plan:
    """Move a task to another stage of its project.

    >>> stage = move_stage(odoo, task_name="Paint", stage_name="Done").stage
    >>> stage and stage.name
    'Done'

    The stage must belong to the task's project, although Odoo would accept any stage. On Odoo 17
    and later this does not change the state of the task, such as in progress or done.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The task or stage does not exist.
        ValidationError: The stage belongs to another project, or the task has no project. Nothing
            was written.
        AccessError: Odoo or the policy does not allow it.
    """

    def stage_for(task: op.Row) -> RecordName:
        return find_stage(odoo, task, stage_id, stage_name)

    def told(row: op.Row, message: str, warnings: list[str]) -> TaskResult:
        return task_result(odoo, row, message, warnings)

    return stages.move(odoo, TASK, task_id, task_name, stage_for, told, dry_run=dry_run)


def find_stage(
    odoo: Odoo, task: op.Row, stage_id: int | None, stage_name: str | None
) -> RecordName:
    """Return the stage meant, which must be one of the task's project."""
    project = task["project_id"]
    if not project:
        raise no_project(task, "and stages belong to projects")
    return stages.find_stage(
        odoo,
        STAGE,
        [["project_ids", "in", [project.id]]],
        stage_id,
        stage_name,
        of=f"the stages of the project {project.name}",
        acts_on=TASK.model,
        where_none=f"The project {project.name} has no stages. Create a {STAGE} with project_ids "
        f"[[4, {project.id}]].",
    )


def no_project(task: op.Row, why: str) -> ValidationError:
    """Return the error for a task without the project that it needs."""
    return ValidationError(
        f"{op.label(task)} does not belong to a project, {why}.",
        suggestion="Assign the task to a project first: write its project_id.",
        details={"model": TASK.model, "id": task["id"]},
    )


def assigned(fields: Mapping[str, Field], users: Sequence[int]) -> dict[str, Any]:
    """Return the values that assign a task to these users, and to no others."""
    if "user_ids" in fields:
        return {"user_ids": [[6, 0, users]]}
    if len(users) > 1:
        raise invalid("user_ids", "In Odoo 14, a task has only one assignee.", "Pass one user.")
    return {"user_id": users[0] if users else False}


def choice(field: Field, said: Any) -> Any:
    """Return the value of a selection field, by the value or by what people call it.

    What there is to choose from differs by version: the server tells. ``1_done`` is ``done``, too;
    but ``done`` of ``kanban_state`` means ready for the next stage, and only goes by that name.

    Raises:
        ValidationError: there is none; the suggestion lists those that there are.
    """
    text = str(plain(said)).strip().lower().replace("_", " ")
    for value, name in field.selection:
        words = [str(name).lower(), value.replace("_", " ")]
        words += [value.lstrip("0123456789").strip("_").replace("_", " ")]
        if (field.name, value) == ("kanban_state", "done"):
            words = [words[0], "ready"]
        if text in words:
            return value
    raise invalid(
        field.name,
        f"{said!r:.60} is not a {field.name} of tasks on this server.",
        "Choose one of: " + ", ".join(f"{value} ({name})" for value, name in field.selection),
        allowed=[list(pair) for pair in field.selection],
    )


def deadline(field: Field, value: str | date | datetime) -> str:
    """Return a deadline as the version keeps it: a day to Odoo 16, a moment from 17 on."""
    try:
        if field.type == "date":
            return day_string(value)
        moment, as_written = parse_moment(value)
    except ValueError:
        raise invalid(
            "date_deadline",
            f"date_deadline must be a date or a time, got {value!r}.",
            "Write the deadline as 2025-06-30 or 2025-06-30T17:00:00Z.",
        ) from None
    if as_written is None:
        moment = datetime.combine(moment.date(), time(12))
    return utc_string(moment)


def _project_of(parent: op.Row) -> int:
    if not parent["project_id"]:
        raise invalid(
            "project_id",
            f"The parent task {op.label(parent)} does not belong to a project.",
            "Give project_id.",
        )
    return int(parent["project_id"].id)


def task_result(odoo: Odoo, row: op.Row, message: str, warnings: list[str]) -> TaskResult:
    """Return a row of :data:`TASK` as a result, with the names of who it is assigned to."""
    users = [row["user_id"]] if row.get("user_id") else []
    if ids := row.get("user_ids"):
        users = op.linked_names(odoo, "res.users", ids, "assignees", warnings, acts_on=TASK.model)
    state = row.get("state") or row.get("kanban_state")
    return op.filled(TaskResult, row, users=users, state=state, message=message, warnings=warnings)


CHANGE = op.Step(model=TASK.model, method="write", says="Changed")


@op.operation
def update_task(
    odoo: Odoo,
    *,
    task_id: TaskId = None,
    task_name: TaskName = None,
    name: Annotated[str | None, Doc("New name.")] = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    state: Annotated[
        str | None, Doc("Such as done, canceled. Odoo 16 and earlier: ready, blocked.")
    ] = None,
    priority: Annotated[str | None, Doc("0 is normal. Higher is more important.")] = None,
    users: Annotated[op.NamesOrIds, Doc("All assignees. [] for none.")] = None,
    date_deadline: Annotated[
        str | date | datetime | None,
        op.JsonSchema({"type": "string"}),
        Doc("Last day, YYYY-MM-DD."),
    ] = None,
    description: Annotated[str | None, Doc("New description in plain text.")] = None,
    dry_run: op.DryRun = False,
) -> TaskResult | op.Plan:
    """Change a task. Values that you do not pass stay the same.

    >>> update_task(odoo, task_name="Paint", date_deadline="2027-03-01").date_deadline
    '2027-03-01T12:00:00Z'

    The stage must belong to the task's project. Pass ``state`` and ``priority`` as a value or a
    name. The states depend on the version. Odoo 17 and later have in progress, changes requested,
    approved, done and canceled. Odoo 16 and earlier have in progress, ready (for the next stage)
    and blocked. Odoo 19 has the priorities 0 to 3, earlier versions 0 and 1.

    ``users`` replaces all assignees, and ``description`` replaces the text. On Odoo 17 and later a
    deadline without a time becomes noon in UTC.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The task, stage or user does not exist. Nothing was written.
        ValidationError: There is nothing to change, a value is wrong, or this version does not have
            the state or priority. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CHANGE, dry_run=dry_run)
    described = odoo.schema.fields(TASK.model)
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = op.checked_name(name, "Set name to the work to be done.")
    if state is not None:
        field = "state" if "state" in described else "kanban_state"
        values[field] = choice(described[field], state)
        if values[field] == "04_waiting_normal":
            raise invalid(
                "state",
                "Odoo sets this state itself while a task depends on open tasks.",
                "Write the open tasks into depend_on_ids instead.",
            )
    if priority is not None:
        values["priority"] = choice(described["priority"], priority)
    if date_deadline is not None:
        values["date_deadline"] = deadline(described["date_deadline"], date_deadline)
    if description is not None:
        values["description"] = op.written_text(described["description"], description)
    wanted = op.wanted_each("res.users", users, "users")
    by_stage = stage_id is not None or stage_name is not None
    if not values and users is None and not by_stage:
        raise ValidationError(
            "There is nothing to change.", suggestion="Pass at least one new value."
        )
    task = op.find(odoo, TASK, task_id, task_name)
    if users is not None:
        found = [user for user in op.linked_ids(odoo, wanted) if user is not None]
        values |= assigned(described, sorted(set(found)))
    if by_stage:
        values["stage_id"] = find_stage(odoo, task, stage_id, stage_name).id
    what = op.label(task)

    def result(done: op.Done) -> TaskResult:
        now = op.row_after(odoo, TASK, done, name=values.get("name", task["name"]))
        done.warnings.extend(op.not_taken(now, {"stage_id": values.get("stage_id")}))
        for field in ("state", "kanban_state", "priority"):
            if field in values and now.get(field, values[field]) != values[field]:
                done.warnings.append(f"Odoo did not accept {field} {values[field]}.")
        return task_result(odoo, now, f"Changed {what}.", done.warnings)

    steps = [CHANGE.of(vals=values)]
    would = f"Would change {what}."
    return op.operate(odoo, steps, [task["id"]], result, message=would, dry_run=dry_run)


LINE = op.Document(
    model="account.analytic.line",
    noun="timesheet line",
    argument="line_id",
    fields=("name", "date", "unit_amount", "task_id", "project_id", "user_id", "employee_id"),
)
WORKED_ON = attrs.evolve(TASK, fields=("name", "active", "project_id", "allow_timesheets"))
LOG = op.Step(model=LINE.model, method="create", says="Time logged")


@attrs.frozen(kw_only=True)
class TimesheetResult(op.Shown):
    """A timesheet line as it is now. None means that the value could not be read.

    For several entries, ``id`` is the id of the first one.

    Attributes:
        ids: Ids of all entries.
        hours: Total time. In days, if the company's project time unit is days.
        hours_left: Remaining hours of each task that has allocated hours.
        date: Date, ISO 8601.
        warnings: Differences from your request.
    """

    id: int
    ids: list[int]
    message: str
    hours: float
    hours_left: dict[str, float] = attrs.Factory(dict)
    date: str | None = None
    description: str | None = None
    task: RecordName | None = None
    project: RecordName | None = None
    user: RecordName | None = None
    employee: RecordName | None = None
    warnings: list[str] = attrs.Factory(list)


#: Of an entry; what it lacks is taken from the arguments.
_ENTRY = ("hours", "task_id", "task_name", "description", "date", "employee")


@op.operation
def log_timesheet(
    odoo: Odoo,
    *,
    hours: Annotated[float | None, Gt(0), Doc("1.5 for an hour and a half.")] = None,
    task_id: TaskId = None,
    task_name: TaskName = None,
    description: Annotated[str | None, Doc("Work that was done.")] = None,
    date: Annotated[
        str | Date | None, op.JsonSchema({"type": "string"}), Doc("Default: today.")
    ] = None,
    user_id: Annotated[int | None, Doc("Who worked. Default: the connected user.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    employee: Annotated[op.NameOrId, Doc("Who worked, if not a user: name or id.")] = None,
    entries: Annotated[
        Sequence[Mapping[str, Any]] | None,
        op.JsonSchema({"type": "array", "items": {"type": "object"}}),
        Doc(
            "Several entries, each with hours, task_name (or id), description, date and employee."
            " Default: as above."
        ),
    ] = None,
    dry_run: op.DryRun = False,
) -> TimesheetResult | op.Plan:
    """Log time spent on a task, or several entries.

    >>> log_timesheet(odoo, task_name="Paint", hours=1.5, description="First coat").hours
    1.5

    It needs the Odoo module ``hr_timesheet``. The hours must be more than 0. Without a description,
    Odoo writes ``/``. To log time for another person, you need the rights of a timesheet approver.
    Pass ``employee`` for an employee who is not a user.

    Several ``entries`` are all logged, or none. An entry can have ``hours``, ``task_id``,
    ``task_name``, ``description``, ``date`` and ``employee``. Missing keys come from the other
    arguments.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The task, user or employee does not exist.
        ValidationError: An argument is wrong, the task has no project, the project has no
            timesheets, or the user is not an employee. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    several = entries is not None
    with _whole(several):
        rows = op.check_lines(entries or (), _ENTRY, "entries") if several else [{}]
    if employee is not None and (user_id is not None or user_name is not None):
        raise invalid(
            "employee", "Both an employee and a user are set.", "Pass only one of the two."
        )
    common = {"hours": hours, "description": description, "date": date, "employee": employee}
    given = [{**common, **row} for row in rows]
    places = [f"entries[{place}]." if several else "" for place in range(len(given))]
    with _whole(several):
        values = [_entry_values(one, place) for one, place in zip(given, places, strict=True)]
    op.permit(odoo, LOG, dry_run=dry_run)
    if not odoo.schema.module_installed("hr_timesheet"):
        raise make_error(
            "UNKNOWN_METHOD",
            "There are no timesheets: the Odoo module hr_timesheet is not installed.",
            suggestion="Install the module in Odoo, in Apps.",
            details={"module": "hr_timesheet"},
        )
    with _whole(several):
        tasks = _tasks(odoo, given, places, task_id, task_name)
        user, people, unsure = _who(odoo, given, places, user_id, user_name)
    for value, task, person in zip(values, tasks, people, strict=True):
        # The project is given explicitly: with the task alone, Odoo 14 finds no analytic account.
        value |= {"task_id": task["id"], "project_id": task["project_id"].id}
        value |= {"employee_id": person} if person else {"user_id": user} if user else {}
    total = round(sum(value["unit_amount"] for value in values), 6)
    on = ", ".join(dict.fromkeys(op.label(task) for task in tasks))
    entry = "entry" if len(values) == 1 else "entries"
    what = f"{total:g} hours on {on}" + (f" in {len(values)} {entry}" if several else "")

    def result(done: op.Done) -> TimesheetResult:
        done.warnings.extend(unsure)
        row = op.row_after(odoo, LINE, done, unit_amount=values[0]["unit_amount"])
        made = list(done.answers[0])
        ids = ", ".join(map(str, made))
        # Of several entries, only what is the same of all is told.
        told = {} if len(made) == 1 else dict.fromkeys(_OF_ENTRY)
        left = _hours_left(odoo, tasks, done.warnings)
        rest = "".join(f"; {hours:g} hours left on {name}" for name, hours in left.items())
        return op.filled(
            TimesheetResult,
            row,
            ids=made,
            message=f"Logged {what} with ID{'s' if len(made) > 1 else ''} {ids}{rest}",
            hours_left=left,
            hours=total if several else row["unit_amount"],
            **(told or {"description": row.get("name")}),
            warnings=done.warnings,
        )

    steps = [LOG.of(vals_list=values if several else values[0])]
    return op.operate(odoo, steps, (), result, message=f"Would log {what}.", dry_run=dry_run)


@contextmanager
def _whole(several: bool) -> Iterator[None]:
    """Have an error about one of several entries say that none was logged."""
    try:
        yield
    except OdooError as error:
        if several:
            error.message = f"{error.message} No entry was logged."
        raise


def _hours_left(odoo: Odoo, tasks: Sequence[op.Row], warnings: list[str]) -> dict[str, float]:
    """Return what is left of the hours that are allocated to tasks, of those that have any."""
    ids = sorted({task["id"] for task in tasks})
    fields = ("name", "allocated_hours", "planned_hours", "remaining_hours")
    rows = op.afterwards(
        lambda: op.read_rows(odoo, TASK.model, [["id", "in", ids]], fields, acts_on=LINE.model),
        warnings,
        "the hours left",
    )
    return {
        op.label(row): round(row["remaining_hours"], 2)
        for row in rows or ()
        if (row["allocated_hours"] or row["planned_hours"]) and row["remaining_hours"] is not None
    }


#: What a result has of one entry only.
_OF_ENTRY = ("description", "date", "task", "project", "user", "employee")


def _entry_values(entry: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return what is written of an entry, but for its task and person."""
    if entry["hours"] is None:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{place}hours is missing.",
            suggestion="Set hours to the hours worked.",
            details={"field": f"{place}hours"},
        )
    hours = op.checked_number(plain(entry["hours"]), f"{place}hours", positive=True)
    said = entry["description"]
    if said is not None and not isinstance(said, str):
        raise invalid(
            f"{place}description", f"{place}description must be text, not {str(said)[:60]!r}."
        )
    day = op.checked_day(entry["date"], f"{place}date")
    return {
        "name": (said or "").strip() or "/",
        "unit_amount": hours,
        **({"date": day} if day else {}),
    }


def _tasks(
    odoo: Odoo,
    entries: Sequence[Mapping[str, Any]],
    places: Sequence[str],
    task_id: int | None,
    task_name: str | None,
) -> list[op.Row]:
    """Return the task of each entry, or refuse one on which no time can be logged."""
    wanted = []
    for entry, place in zip(entries, places, strict=True):
        own = "task_id" in entry or "task_name" in entry
        number, name = (
            (entry.get("task_id"), entry.get("task_name")) if own else (task_id, task_name)
        )
        if number is None and isinstance(name, str) and name.strip().isdecimal():
            # As where one argument takes names and ids.
            number, name = int(name), None
        wanted.append(attrs.evolve(WORKED_ON.wanted(number, name), field=f"{place}task_id"))
    if len(wanted) == 1:
        found = [op.find(odoo, WORKED_ON, wanted[0].id, wanted[0].name)]
    else:
        ids = [number or 0 for number in op.resolve_all(odoo, wanted)]
        of = {row["id"]: row for row in op.read_all(odoo, WORKED_ON, list(dict.fromkeys(ids)))}
        found = [of[number] for number in ids]
    for task in found:
        _check_task(task)
    return found


def _who(
    odoo: Odoo,
    entries: Sequence[Mapping[str, Any]],
    places: Sequence[str],
    user_id: int | None,
    user_name: str | None,
) -> tuple[int | None, list[int | None], list[str]]:
    """Return the user who worked, if one is named, the employee of each entry, and doubts."""
    named = [entry["employee"] for entry in entries]
    staff = [
        op.Wanted.of(STAFF, one, f"{place}employee")
        for one, place in zip(named, places, strict=True)
        if one is not None
    ]
    found = iter(op.linked_ids(odoo, staff) if staff else ())
    people = [None if one is None else next(found) for one in named]
    if all(people):
        return None, people, []
    wanted = op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name)
    user = op.resolve(odoo, wanted, required=False)
    return user, people, _check_employee(odoo, user or odoo.uid)


def _check_task(task: op.Row) -> None:
    if not task["project_id"]:
        # From Odoo 17 on, the line would be written without a project and seen nowhere.
        raise no_project(task, "so no time can be logged on it")
    if task["active"] is False:
        # So are the tasks of an archived project; Odoo itself takes the time.
        raise invalid(
            "task_id",
            f"The task {task['name']} is archived.",
            "Restore the task by writing active: true, or choose another task.",
        )
    if task.get("allow_timesheets") is False:
        project = task["project_id"]
        raise ValidationError(
            f"The project {project.name} does not allow timesheets.",
            suggestion="Enable allow_timesheets on the project, or choose another task.",
            details={"model": TASK.model, "id": task["id"], "project_id": project.id},
        )


def _check_employee(odoo: Odoo, user: int) -> list[str]:
    """Refuse a user who is not an employee: Odoo 14 and 15 would log the time of nobody."""
    domain = [["user_id", "=", user]]
    try:
        found = op.read_rows(
            odoo,
            STAFF,
            domain,
            ["id"],
            acts_on=LINE.model,
            limit=1,
            active_test=True,
        )
    except (AccessError, NotFoundError) as error:
        return [f"The toolkit could not check whether user {user} is an employee: {error.message}"]
    if not found:
        raise invalid(
            "user_id",
            f"User {user} is not linked to an employee, so time cannot be logged for them.",
            "Link the user to an employee in Odoo, or set employee.",
            id=user,
        )
    return []
