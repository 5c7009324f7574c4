"""Tasks of a project: create them, and move them through the project's stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.arguments import optional_ids
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.reading import name_get
from odoo_toolkit.records.results import Record, RecordName
from odoo_toolkit.records.rows import read_rows, search_rows
from odoo_toolkit.values.moments import day_string, parse_moment, utc_string

TASK, STAGE = "project.task", "project.task.type"

TaskId = Annotated[int | None, Doc("Id of the task.")]
TaskName = Annotated[str | None, Doc("Its name, instead of the id.")]

#: What is read back; ``user_id`` is Odoo 14's, ``user_ids`` came with 15.
_FIELDS = (
    "name",
    "active",
    "project_id",
    "stage_id",
    "user_id",
    "user_ids",
    "parent_id",
    "date_deadline",
    "priority",
)


@attrs.frozen(kw_only=True)
class TaskResult:
    """A task as it is now.

    Attributes:
        users: who it is assigned to; at most one on Odoo 14.
        date_deadline: a day to Odoo 16, a moment in UTC from 17 on.
        warnings: what is not as one might expect.
    """

    id: int
    name: str
    message: str
    project: RecordName | None = None
    stage: RecordName | None = None
    users: list[RecordName] = attrs.Factory(list)
    parent: RecordName | None = None
    date_deadline: str | None = None
    priority: str = "0"
    active: bool = True
    warnings: list[str] = attrs.Factory(list)


def create_task(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("What is to be done.")],
    project_id: Annotated[
        int | None, Doc("Id of the project; a subtask is in its parent's by default.")
    ] = None,
    project_name: str | None = None,
    user_ids: Annotated[
        Sequence[int] | None, Doc("Users it is assigned to; one at most on Odoo 14.")
    ] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    date_deadline: Annotated[
        str | date | datetime | None, Doc("A day, or from Odoo 17 on also a moment, as ISO 8601.")
    ] = None,
    priority: Annotated[Literal["0", "1"], Doc("1 is important.")] = "0",
    parent_id: Annotated[int | None, Doc("Makes it a subtask of this task.")] = None,
    parent_name: str | None = None,
    tag_ids: Sequence[int] | None = None,
    dry_run: DryRun = False,
) -> TaskResult | Plan:
    """Create a task, or a subtask.

    Args:
        odoo: the connection.
        name: what is to be done.
        project_id: the project; by default the parent's.
        project_name: instead of the id.
        user_ids: who it is assigned to; without them Odoo decides, mostly for the caller.
        description: plain text.
        date_deadline: a day to Odoo 16, where a time of day is left out; a moment from 17 on,
            where a mere day becomes noon in UTC, which is that day nearly everywhere.
        priority: ``1`` marks it as important.
        parent_id: the task that it is a part of.
        parent_name: instead of the id.
        tag_ids: ids of ``project.tags``.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such project or parent task.
        ValidationError: an argument is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    if not name.strip():
        raise ValidationError("name is empty.", suggestion="Say what is to be done.")
    odoo.check(_create({"name": name}))
    fields = odoo.schema.fields(TASK)
    values: Record = {"name": name.strip(), "priority": priority}
    values |= _assignees(fields, user_ids)
    if description:
        values["description"] = written_text(fields["description"], description)
    if date_deadline is not None:
        values["date_deadline"] = _deadline(fields["date_deadline"], date_deadline)
    if tags := optional_ids(tag_ids):
        values["tag_ids"] = [[6, 0, tags]]
    wanted = Wanted(model=TASK, field="parent_id", id=parent_id, name=parent_name)
    parent = resolve(odoo, wanted, required=False)
    wanted = Wanted(model="project.project", field="project_id", id=project_id, name=project_name)
    project = resolve(odoo, wanted, required=parent is None)
    if parent is not None:
        # Given explicitly: Odoo 18 takes a subtask without a project for a private task.
        project = project or _project_of(odoo, parent)
        values["parent_id"] = parent
    values["project_id"] = project
    call = _create(values)
    if dry_run:
        return plan(odoo, f"Would create the task {name.strip()!r}.", [call])
    answer = odoo.call(call)
    task_id = answer[0] if isinstance(answer, list) else answer
    message = f"Created task {name.strip()!r} with ID {task_id}"
    return task_after(odoo, {"id": task_id, "name": name.strip()}, message)


def move_stage(
    odoo: Odoo,
    *,
    task_id: TaskId = None,
    task_name: TaskName = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Its name, such as Done, instead of the id.")] = None,
    dry_run: DryRun = False,
) -> TaskResult | Plan:
    """Move a task to another stage of its project.

    From Odoo 17 on this does not change the task's own state (in progress, done, ...).

    Args:
        odoo: the connection.
        task_id: what to move.
        task_name: instead of the id.
        stage_id: where to; a stage of the task's project. Odoo itself would take any.
        stage_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such task or stage.
        ValidationError: the stage is another project's, or the task has no project; nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    odoo.check(_write(1, {"stage_id": 1}))
    task = find_task(odoo, task_id, task_name)
    if not task["project_id"]:
        raise ValidationError(
            f"{shown(task)} belongs to no project, and stages belong to projects.",
            suggestion="Put it into a project first: write its project_id.",
            details={"model": TASK, "id": task["id"]},
        )
    stage = _stage(odoo, task["project_id"], stage_id, stage_name)
    what, where = shown(task), f"stage {stage['name']}"
    if task["stage_id"] and task["stage_id"]["id"] == stage["id"]:
        return _result(odoo, task, f"{what} is in {where} already.")
    call = _write(task["id"], {"stage_id": stage["id"]})
    if dry_run:
        return plan(odoo, f"Would move {what} to {where}.", [call])
    odoo.call(call)
    result = task_after(odoo, task, f"Moved {what} to {where}.")
    if result.stage and result.stage.id != stage["id"]:
        result.warnings.append(f"It is in stage {result.stage.name} now: something moved it on.")
    return result


def find_task(
    odoo: Odoo, task_id: int | None, task_name: str | None = None, extra: Sequence[str] = ()
) -> Record:
    """Return the task meant.

    Args:
        odoo: the connection.
        task_id: its id.
        task_name: instead of the id.
        extra: fields to read, besides the usual ones; None where they cannot be read.

    Raises:
        AmbiguousNameError: the name matches several.
        NotFoundError: there is none.
    """
    found = resolve(odoo, Wanted(model=TASK, field="task_id", id=task_id, name=task_name))
    task = _read(odoo, int(found or 0), (*_FIELDS, *extra))
    if task is None:
        raise NotFoundError(
            f"There is no {TASK} with id {found} (task_id), or this user may not see it.",
            suggestion=f"Look for it with search_read on {TASK}.",
            details={"model": TASK, "field": "task_id", "id": found},
        )
    return task


def shown(task: Record) -> str:
    """Return how messages call a task."""
    return f"{task['name']!r} ({task['id']})"


def task_after(odoo: Odoo, task: Record, message: str) -> TaskResult:
    """Return a task as it is now that something was done to it, which nothing here undoes."""
    unread = "this user may not see it"
    try:
        now = _read(odoo, task["id"], _FIELDS)
    except OdooError as error:
        now, unread = None, error.message
    if now is None:
        told = [f"This is done, but cannot be read back: {unread}"]
        return TaskResult(id=task["id"], name=task["name"], message=message, warnings=told)
    return _result(odoo, now, message)


def _create(values: Mapping[str, Any]) -> Call:
    return Call(model=TASK, method="create", arguments={"vals_list": dict(values)}, step=True)


def _write(task_id: int, values: Mapping[str, Any]) -> Call:
    return Call(
        model=TASK, method="write", ids=(task_id,), arguments={"vals": dict(values)}, step=True
    )


def _read(odoo: Odoo, task_id: int, fields: Sequence[str]) -> Record | None:
    described = odoo.policy.readable_fields(TASK, odoo.schema.fields(TASK))
    rows = read_rows(odoo, TASK, [task_id], [name for name in fields if name in described])
    return {**dict.fromkeys(fields), **rows[0]} if rows else None


def _assignees(fields: Mapping[str, Field], user_ids: Sequence[int] | None) -> Record:
    users = optional_ids(user_ids)
    if not users:
        return {}
    if "user_ids" in fields:
        return {"user_ids": [[6, 0, users]]}
    if len(users) > 1:
        raise ValidationError(
            "In Odoo 14 a task is assigned to one user.",
            suggestion="Give one id in user_ids.",
            details={"field": "user_ids"},
        )
    return {"user_id": users[0]}


def _deadline(field: Field, value: str | date | datetime) -> str:
    try:
        if field.type == "date":
            return day_string(value)
        moment, as_written = parse_moment(value)
    except ValueError:
        raise ValidationError(
            f"date_deadline is {value!r}, which is no day or moment.",
            suggestion="Write it like 2025-06-30 or 2025-06-30T17:00:00Z.",
            details={"field": "date_deadline"},
        ) from None
    if as_written is None:
        moment = datetime.combine(moment.date(), time(12))
    return utc_string(moment)


def _project_of(odoo: Odoo, parent: int) -> int:
    task = _read(odoo, parent, ("name", "project_id"))
    if task is None:
        raise NotFoundError(
            f"There is no {TASK} with id {parent} (parent_id), or this user may not see it.",
            suggestion=f"Look for it with search_read on {TASK}.",
            details={"model": TASK, "field": "parent_id", "id": parent},
        )
    if not task["project_id"]:
        raise ValidationError(
            f"The parent task {shown(task)} belongs to no project.",
            suggestion="Give project_id.",
            details={"field": "project_id"},
        )
    return int(task["project_id"]["id"])


def _stage(odoo: Odoo, project: Record, stage_id: int | None, stage_name: str | None) -> Record:
    """Return the stage meant, which must be one of the project's."""
    domain = (["project_ids", "in", [project["id"]]],)
    wanted = Wanted(model=STAGE, field="stage_id", id=stage_id, name=stage_name, domain=domain)
    try:
        found = resolve(odoo, wanted)
    except NotFoundError as error:
        raise _no_stage(odoo, domain, project, error) from None
    if stage_name is not None:
        # Looked for among the right ones only.
        return {"id": found, "name": stage_name.strip()}
    stages = search_rows(odoo, STAGE, [*domain, ["id", "=", found]], ["name"])
    if not stages:
        refusal = ValidationError(
            f"Stage {found} is not one of the project {project['name']}.",
            details={"field": "stage_id", "id": found},
        )
        raise _no_stage(odoo, domain, project, refusal)
    return stages[0]


def _no_stage(odoo: Odoo, domain: Sequence[Any], project: Record, error: OdooError) -> OdooError:
    """Add to the error which stages there are."""
    stages = search_rows(odoo, STAGE, domain, ["name"])
    names = ", ".join(f"{stage['name']} ({stage['id']})" for stage in stages)
    error.suggestion = (
        f"Choose one of: {names}"
        if stages
        else f"The project {project['name']} has no stages: create a {STAGE} with project_ids"
        f" [[4, {project['id']}]]."
    )
    error.details["stages"] = stages
    return error


def _result(odoo: Odoo, task: Record, message: str) -> TaskResult:
    linked: dict[str, Any] = {
        key: RecordName(**task[f"{key}_id"])
        for key in ("project", "stage", "parent")
        if task[f"{key}_id"]
    }
    warnings = []
    users: list[RecordName] = []
    try:
        if task["user_ids"]:
            users = name_get(odoo, "res.users", task["user_ids"]).names
        elif task["user_id"]:
            users = [RecordName(**task["user_id"])]
    except OdooError as error:
        warnings.append(f"The assignees' names cannot be read: {error.message}")
    return TaskResult(
        id=task["id"],
        name=task["name"],
        message=message,
        users=users,
        date_deadline=task["date_deadline"],
        priority=task["priority"] or "0",
        active=task["active"] is not False,
        warnings=warnings,
        **linked,
    )
