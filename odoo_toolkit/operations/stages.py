"""Stages: finding the one meant among those that a record may be in, and moving it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, invalid
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    find,
    label,
    read_rows,
    row_after,
    shows,
)
from odoo_toolkit.operations.steps import Done, Step, operate, permit
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import RecordName

R = TypeVar("R")


def find_stage(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    stage_id: int | None,
    stage_name: str | None,
    *,
    of: str,
    acts_on: str,
    where_none: str,
) -> RecordName:
    """Return the stage meant, which must match the domain; Odoo itself would take any.

    Args:
        odoo: the connection.
        model: of the stages.
        domain: those that the record may be in.
        stage_id: the stage; or
        stage_name: its name.
        of: whose stages these are, for messages.
        acts_on: the model whose records are in stages.
        where_none: what to do when there is no stage at all.

    Raises:
        AmbiguousNameError: the name matches several.
        NotFoundError: there is no such stage.
        ValidationError: it is not among these. The suggestion lists those that are.
    """
    wanted = Wanted(
        model=model, field="stage_id", id=stage_id, name=stage_name, domain=tuple(domain)
    )
    try:
        found = resolve(odoo, wanted)
        if found is not None and stage_name is not None:
            # Looked for among the right ones only.
            return RecordName(id=found, name=stage_name.strip())
        of_id = [*domain, ["id", "=", found]]
        if rows := read_rows(odoo, model, of_id, ["name"], acts_on=acts_on):
            return RecordName(id=rows[0]["id"], name=rows[0]["name"])
        problem: OdooError = invalid(
            "stage_id", f"The stage {found} does not belong to {of}.", id=found
        )
    except NotFoundError as error:
        problem = error
    stages = read_rows(odoo, model, domain, ["name"], acts_on=acts_on, limit=80)
    names = ", ".join(f"{stage['name']} ({stage['id']})" for stage in stages)
    problem.suggestion = f"Choose one of: {names}" if stages else where_none
    problem.details["stages"] = [{"id": stage["id"], "name": stage["name"]} for stage in stages]
    raise problem from None


def move(
    odoo: Odoo,
    document: Document,
    record_id: int | None,
    name: str | None,
    stage_for: Callable[[Row], RecordName],
    told: Callable[[Row, str, list[str]], R],
    *,
    dry_run: bool,
) -> R | Plan:
    """Move the record meant to a stage, unless it is there.

    Args:
        odoo: the connection.
        document: what it is.
        record_id: the record; or
        name: its name.
        stage_for: finds the stage meant for its row.
        told: makes the result of a row, a message and warnings.
        dry_run: whether to return the plan and write nothing.
    """
    step = Step(model=document.model, method="write", says="Moved")
    permit(odoo, step, dry_run=dry_run)
    row = find(odoo, document, record_id, name)
    stage = stage_for(row)
    what, where = label(row), f"stage {stage.name}"
    if row["stage_id"] and row["stage_id"].id == stage.id:
        return told(row, f"{what} is already in {where}.", [])

    def result(done: Done) -> R:
        now = row_after(odoo, document, done, name=row["name"])
        if (there := now.get("stage_id")) and there.id != stage.id:
            done.warnings.append(f"It is now in the stage {there.name}: another action moved it.")
        return told(now, f"Moved {what} to {where}.", done.warnings)

    seen = shows(document, stage_id=(stage.id,))
    step = attrs.evolve(step.of(vals={"stage_id": stage.id}), seen=seen)
    would = f"Would move {what} to {where}."
    return operate(odoo, [step], [row["id"]], result, message=would, dry_run=dry_run)
