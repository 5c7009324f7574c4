"""Changing a lead by plain names, and taking up one that was lost."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.crm.lead import LEAD, LeadId, LeadName, LeadResult, given_to, lead_result
from odoo_toolkit.apps.crm.pipeline import find_stage, lead_error
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import (
    find,
    label,
    linked_names,
    not_taken,
    row_after,
    shows,
)
from odoo_toolkit.operations.lines import NamesOrIds, checked_day, checked_number, wanted_each
from odoo_toolkit.operations.links import linked_ids
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.names import Wanted
from odoo_toolkit.values.plain import plain

CHANGE = Step(model=LEAD.model, method="write", says="Changed", fails="Not changed")
RESTORE = Step(
    model=LEAD.model,
    method="action_unarchive",
    says="Restored",
    seen=shows(LEAD, active=(True,)),
)


@operation
def update_lead(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    expected_revenue: Annotated[float | None, Ge(0)] = None,
    date_deadline: Annotated[
        str | date | None, JsonSchema({"type": "string"}), Doc("Expected closing.")
    ] = None,
    stage_id: int | None = None,
    stage_name: str | None = None,
    user_id: Annotated[int | None, Doc("Salesperson.")] = None,
    user_name: str | None = None,
    team_id: int | None = None,
    team_name: str | None = None,
    add_tags: NamesOrIds = None,
    remove_tags: NamesOrIds = None,
    description: str | None = None,
    restore: Annotated[bool, Doc("Take up a lost one again.")] = False,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Change a lead or opportunity; what is not given stays as it is.

    Args:
        odoo: the connection.
        lead_id: what to change; or
        lead_name: its name. One that is lost is found by name with ``restore`` only.
        expected_revenue: in the company's currency.
        date_deadline: the day on which it is expected to be closed.
        stage_id: a stage of its team, or one shared by all teams; a won stage wins it.
        stage_name: instead of the id; so for user and team.
        user_id: salesperson.
        team_id: sales team.
        add_tags: tags that it gets besides those it has, by name or id.
        remove_tags: tags that it loses.
        description: plain text; replaces what is there.
        restore: whether to take up a lost or archived one first; its reason is removed then.
        dry_run: find and check, write nothing.

    Raises:
        StateError: ``restore`` was asked for, and it is not archived; nothing was written.
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead, stage, tag, ...; nothing was written.
        ValidationError: nothing is to be changed, or a value is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    described = odoo.schema.fields(LEAD.model)
    values = _plain_values(
        expected_revenue=expected_revenue,
        date_deadline=date_deadline,
    )
    if description is not None:
        values["description"] = written_text(described["description"], description)
    links = [
        Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
        Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
    ]
    tags = [
        *wanted_each("crm.tag", add_tags, "add_tags"),
        *wanted_each("crm.tag", remove_tags, "remove_tags"),
    ]
    by_stage = stage_id is not None or stage_name is not None
    linked = [link for link in links if link.id is not None or link.name is not None]
    changes = bool(values or linked or tags or by_stage)
    if not changes and not restore:
        raise ValidationError(
            "There is nothing to change.", suggestion="Give at least one value that is new."
        )
    steps = [*([RESTORE] if restore else []), *([CHANGE] if changes else [])]
    permit(odoo, *steps, dry_run=dry_run)
    # Names are looked for among what is archived only where that is what is meant.
    archived = restore and lead_id is None
    document = attrs.evolve(LEAD, domain=(("active", "=", False),)) if archived else LEAD
    lead = find(odoo, document, lead_id, lead_name)
    what = label(lead)
    if restore and lead["active"]:
        raise lead_error(lead, lead["type"], "is not lost or archived", "Leave restore out.")
    ids = linked_ids(odoo, [*linked, *tags])
    chosen = {link.field: found for link, found in zip(linked, ids, strict=False)}
    values |= chosen
    if by_stage:
        own = lead["team_id"].id if lead["team_id"] else None
        values["stage_id"] = find_stage(odoo, chosen.get("team_id", own), stage_id, stage_name).id
    if tags:
        first = len(linked) + len(add_tags or ())
        added, removed = set(ids[len(linked) : first]), set(ids[first:])
        if added & removed:
            raise ValidationError(
                "The same tag is in add_tags and in remove_tags.",
                suggestion="Leave it out of one of them.",
                details={"field": "remove_tags"},
            )
        kept = {*(lead["tag_ids"] or ()), *added} - removed
        # The whole set: so a lost answer can be told from one that was not written.
        values["tag_ids"] = [[6, 0, sorted(kept)]]
    if changes:
        steps[-1] = CHANGE.of(vals=values)

    def result(done: Done) -> LeadResult:
        now = row_after(odoo, LEAD, done, name=lead["name"])
        links = {**chosen, "stage_id": values.get("stage_id")}
        done.warnings.extend(not_taken(now, links) if done.complete else [])
        verb = "Restored and changed" if restore and changes else "Restored" if restore else ""
        if tags:
            shown, model = now.pop("tag_ids", ()), LEAD.model
            now["tags"] = linked_names(odoo, "crm.tag", shown, "tags", done.warnings, acts_on=model)
        told = f"{verb or 'Changed'} {what}." if done.complete else f"Restored {what} only."
        return lead_result(now, told, done.warnings)

    would = f"Would {'restore' if restore else 'change'} {what}."
    with given_to(odoo, values.get("user_id")):
        return operate(odoo, steps, [lead["id"]], result, would=would, dry_run=dry_run)


def _plain_values(**given: Any) -> dict[str, Any]:
    """Return what was given, checked."""
    values = {field: plain(value) for field, value in given.items() if plain(value) is not None}
    if "expected_revenue" in values:
        revenue = checked_number(values["expected_revenue"], "expected_revenue", positive=False)
        if revenue < 0:
            raise ValidationError(
                f"expected_revenue must not be negative, it is {revenue:g}.",
                details={"field": "expected_revenue"},
            )
    if "date_deadline" in values:
        values["date_deadline"] = checked_day(values["date_deadline"], "date_deadline")
    return values
