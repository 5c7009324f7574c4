"""The way of an opportunity: from stage to stage, to won or lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.crm.lead import (
    LEAD,
    LeadId,
    LeadName,
    LeadResult,
    find_lead,
    result_after,
    result_of,
    shown,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import search_rows

STAGE = "crm.stage"


def move_stage(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[
        str | None, Doc("Its name, such as Qualified, instead of the id.")
    ] = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Move a lead or opportunity to another stage.

    Args:
        odoo: the connection.
        lead_id: what to move.
        lead_name: instead of the id.
        stage_id: where to; a stage of the lead's team or one shared by all teams. Odoo itself
            would take any.
        stage_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead or stage.
        ValidationError: the stage is another team's; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    odoo.check(_write(1, {"stage_id": 1}))
    lead = find_lead(odoo, lead_id, lead_name)
    team = lead["team_id"]["id"] if lead["team_id"] else None
    stage = find_stage(odoo, team, stage_id, stage_name)
    call = _write(lead["id"], {"stage_id": stage["id"]})
    what = shown(lead)
    if lead["stage_id"] and lead["stage_id"]["id"] == stage["id"]:
        return result_of(lead, f"{what} is in stage {stage['name']} already.")
    if dry_run:
        return plan(odoo, f"Would move {what} to stage {stage['name']}.", [call])
    odoo.call(call)
    result = result_after(odoo, lead, f"Moved {what} to stage {stage['name']}.")
    if result.stage and result.stage.id != stage["id"]:
        result.warnings.append(f"It is in stage {result.stage.name} now: something moved it on.")
    return result


def mark_won(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Mark an opportunity as won: it moves to the won stage of its team.

    Args:
        odoo: the connection.
        lead_id: the opportunity.
        lead_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        StateError: it is a lead, which must be converted first; nothing was written.
        NotFoundError: there is no such opportunity.
        AccessError: Odoo or the policy does not allow it.
    """
    win = Call(model=LEAD, method="action_set_won", ids=(1,), access="write", step=True)
    odoo.check(win)
    lead = find_lead(odoo, lead_id, lead_name)
    what = shown(lead)
    if lead["type"] != "opportunity":
        raise StateError(
            f"{what} is a lead, and only an opportunity can be won.",
            suggestion="Convert it first with convert_to_opportunity.",
            details={"model": LEAD, "id": lead["id"], "current_state": "lead"},
        )
    win = attrs.evolve(win, ids=(lead["id"],))
    if dry_run:
        return plan(odoo, f"Would mark {what} as won.", [win])
    odoo.call(win)
    result = result_after(odoo, lead, f"{what} is won.")
    if result.probability < 100 and not result.warnings:
        warning = "Odoo did not mark it as won; its team may have no won stage."
        return attrs.evolve(result, message=f"{what} is not won.", warnings=[warning])
    return result


def mark_lost(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    reason_id: Annotated[int | None, Doc("Id of a crm.lost.reason.")] = None,
    reason_name: str | None = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Mark a lead or opportunity as lost: it is archived with a probability of 0.

    Args:
        odoo: the connection.
        lead_id: what was lost.
        lead_name: instead of the id.
        reason_id: why, a ``crm.lost.reason``.
        reason_name: instead of the id.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        StateError: it is lost or archived already; nothing was written.
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead or reason.
        AccessError: Odoo or the policy does not allow it.
    """
    lose = Call(model=LEAD, method="action_set_lost", ids=(1,), access="write", step=True)
    odoo.check(lose)
    lead = find_lead(odoo, lead_id, lead_name)
    what = shown(lead)
    if lead["active"] is False:
        raise StateError(
            f"{what} is lost or archived already.",
            suggestion="Nothing is left to do.",
            details={"model": LEAD, "id": lead["id"], "current_state": "archived"},
        )
    wanted = Wanted(model="crm.lost.reason", field="reason_id", id=reason_id, name=reason_name)
    reason = resolve(odoo, wanted, required=False)
    # The argument is called as the field: lost_reason to Odoo 15, lost_reason_id since.
    field = "lost_reason_id" if "lost_reason_id" in odoo.schema.fields(LEAD) else "lost_reason"
    lose = attrs.evolve(lose, ids=(lead["id"],), arguments={field: reason} if reason else {})
    if dry_run:
        return plan(odoo, f"Would mark {what} as lost.", [lose])
    odoo.call(lose)
    return result_after(odoo, lead, f"{what} is lost.")


def _write(lead_id: int, values: Mapping[str, Any]) -> Call:
    return Call(
        model=LEAD, method="write", ids=(lead_id,), arguments={"vals": dict(values)}, step=True
    )


def find_stage(
    odoo: Odoo, team: int | None, stage_id: int | None, stage_name: str | None
) -> Record:
    """Return the stage meant, which must be shared by all teams or belong to the lead's."""
    field = _team_field(odoo.schema.fields(STAGE))
    domain: tuple[Any, ...] = ([field, "=", False],)
    if team:
        domain = ("|", *domain, [field, "in", [team]])
    wanted = Wanted(model=STAGE, field="stage_id", id=stage_id, name=stage_name, domain=domain)
    try:
        found = resolve(odoo, wanted)
    except NotFoundError as error:
        raise _no_stage(odoo, domain, error) from None
    if stage_name is not None:
        # Looked for among the right ones only.
        return {"id": found, "name": stage_name.strip()}
    stages = search_rows(odoo, STAGE, [["id", "=", found]], ["name", field])
    if not stages:
        missing = NotFoundError(
            f"There is no crm.stage with id {found}.", details={"field": "stage_id", "id": found}
        )
        raise _no_stage(odoo, domain, missing)
    stage = stages[0]
    owners = stage[field]
    owners = [owners["id"]] if isinstance(owners, dict) else owners or []
    if owners and team not in owners:
        refusal = ValidationError(
            f"Stage {stage['name']} ({found}) belongs to another sales team.",
            details={"field": "stage_id", "id": found, "team_ids": owners},
        )
        raise _no_stage(odoo, domain, refusal)
    return stage


def _team_field(stage_fields: Mapping[str, Field]) -> str:
    """Return the field with the stage's team: several teams share a stage from Odoo 19 on."""
    return "team_ids" if "team_ids" in stage_fields else "team_id"


def _no_stage(odoo: Odoo, domain: tuple[Any, ...], error: OdooError) -> OdooError:
    """Add to the error which stages there are."""
    stages = search_rows(odoo, STAGE, domain, ["name"])
    names = ", ".join(f"{stage['name']} ({stage['id']})" for stage in stages)
    error.suggestion = (
        f"Choose one of: {names}"
        if stages
        else f"There are no stages for this team: create a {STAGE}, which all teams share"
        " unless it is given teams."
    )
    error.details["stages"] = stages
    return error
