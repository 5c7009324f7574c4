"""Changing a task by plain names."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.project.tasks import (
    TASK,
    TaskId,
    TaskName,
    TaskResult,
    assigned,
    choice,
    deadline,
    find_stage,
    task_result,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import find, label, not_taken, row_after
from odoo_toolkit.operations.lines import NamesOrIds, checked_name, wanted_each
from odoo_toolkit.operations.links import linked_ids
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.plain_text import written_text

CHANGE = Step(model=TASK.model, method="write", says="Changed")


@operation
def update_task(
    odoo: Odoo,
    *,
    task_id: TaskId = None,
    task_name: TaskName = None,
    name: Annotated[str | None, Doc("New name.")] = None,
    stage_id: int | None = None,
    stage_name: str | None = None,
    state: Annotated[str | None, Doc("Such as done, canceled; to Odoo 16 ready, blocked.")] = None,
    priority: str | None = None,
    users: Annotated[NamesOrIds, Doc("All it is assigned to; [] nobody.")] = None,
    date_deadline: Annotated[str | date | datetime | None, JsonSchema({"type": "string"})] = None,
    description: str | None = None,
    dry_run: DryRun = False,
) -> TaskResult | Plan:
    """Change a task; what is not given stays as it is.

    Args:
        odoo: the connection.
        task_id: what to change; or
        task_name: its name.
        name: what it is called from now on.
        stage_id: a stage of its project; or
        stage_name: its name.
        state: its own state, by value or name, as the version has them: from Odoo 17 on in
            progress, changes requested, approved, done, canceled; to 16 in progress, ready (for
            the next stage), blocked.
        priority: by value or name: ``0`` and ``1``; from Odoo 19 on also ``2`` and ``3``.
        users: who it is assigned to from now on, by name or id; at most one on Odoo 14.
        date_deadline: a day to Odoo 16; from 17 on a moment, where a mere day becomes noon in UTC.
        description: plain text; replaces what is there.
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such task, stage or user; nothing was written.
        ValidationError: nothing is to be changed, a value is wrong, or the version has no such
            state or priority; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, CHANGE, dry_run=dry_run)
    described = odoo.schema.fields(TASK.model)
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = checked_name(name, "Say what is to be done.")
    if state is not None:
        field = "state" if "state" in described else "kanban_state"
        values[field] = choice(described[field], state)
        if values[field] == "04_waiting_normal":
            raise ValidationError(
                "A task waits by itself, while tasks that it depends on are open.",
                suggestion="Write those into its field depend_on_ids instead.",
                details={"field": "state"},
            )
    if priority is not None:
        values["priority"] = choice(described["priority"], priority)
    if date_deadline is not None:
        values["date_deadline"] = deadline(described["date_deadline"], date_deadline)
    if description is not None:
        values["description"] = written_text(described["description"], description)
    wanted = wanted_each("res.users", users, "users")
    by_stage = stage_id is not None or stage_name is not None
    if not values and users is None and not by_stage:
        raise ValidationError(
            "There is nothing to change.", suggestion="Give at least one value that is new."
        )
    task = find(odoo, TASK, task_id, task_name)
    if users is not None:
        found = [user for user in linked_ids(odoo, wanted) if user is not None]
        values |= assigned(described, sorted(set(found)))
    if by_stage:
        values["stage_id"] = find_stage(odoo, task, stage_id, stage_name).id
    what = label(task)

    def result(done: Done) -> TaskResult:
        now = row_after(odoo, TASK, done, name=values.get("name", task["name"]))
        done.warnings.extend(not_taken(now, {"stage_id": values.get("stage_id")}))
        for field in ("state", "kanban_state", "priority"):
            if field in values and now.get(field, values[field]) != values[field]:
                done.warnings.append(f"Odoo did not take {field} {values[field]}.")
        return task_result(odoo, now, f"Changed {what}.", done.warnings)

    steps = [CHANGE.of(vals=values)]
    would = f"Would change {what}."
    return operate(odoo, steps, [task["id"]], result, would=would, dry_run=dry_run)
