"""The way of an opportunity: from stage to stage, to won or lost."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.crm.lead import LEAD, LeadId, LeadName, LeadResult, lead_result
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations import stages
from odoo_toolkit.operations.documents import Row, find, label, row_after, shows, state_error
from odoo_toolkit.operations.links import linked_ids
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.records.names import Wanted
from odoo_toolkit.records.results import RecordName

STAGE = "crm.stage"

WIN = Step(
    model=LEAD.model, method="action_set_won", says="Won", seen=shows(LEAD, probability=(100.0,))
)
LOSE = Step(
    model=LEAD.model, method="action_set_lost", says="Lost", seen=shows(LEAD, active=(False,))
)


@operation
def move_stage(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    stage_id: int | None = None,
    stage_name: str | None = None,
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
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead or stage.
        ValidationError: the stage is another team's; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """

    def stage_for(lead: Row) -> RecordName:
        team = lead["team_id"].id if lead["team_id"] else None
        return find_stage(odoo, team, stage_id, stage_name)

    return stages.move(odoo, LEAD, lead_id, lead_name, stage_for, lead_result, dry_run=dry_run)


@operation
def mark_won(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Mark an opportunity as won: it moves to the won stage of its team.

    One that is lost or archived is taken up again by it, as Odoo does.

    Args:
        odoo: the connection.
        lead_id: the opportunity.
        lead_name: instead of the id.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is a lead, which must be converted first; nothing was written.
        NotFoundError: there is no such opportunity.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, WIN, dry_run=dry_run)
    lead = find(odoo, LEAD, lead_id, lead_name)
    what = label(lead)
    if lead["type"] != "opportunity":
        raise lead_error(
            lead,
            "lead",
            "is a lead, and only an opportunity can be won",
            "Convert it first with convert_to_opportunity.",
        )

    def result(done: Done) -> LeadResult:
        now = row_after(odoo, LEAD, done, name=lead["name"])
        if (probability := now.get("probability")) is not None and probability < 100:
            done.warnings.append("Odoo did not mark it as won; its team may have no won stage.")
            return lead_result(now, f"{what} is not won.", done.warnings)
        if lead["active"] is False:
            done.warnings.append("It was lost or archived, and is taken up again.")
        return lead_result(now, f"{what} is won.", done.warnings)

    would = f"Would mark {what} as won."
    return operate(odoo, [WIN], [lead["id"]], result, would=would, dry_run=dry_run)


@operation
def mark_lost(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    reason_id: int | None = None,
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
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is lost or archived already; nothing was written.
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead or reason.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, LOSE, dry_run=dry_run)
    lead = find(odoo, LEAD, lead_id, lead_name)
    if lead["active"] is False:
        raise lead_error(lead, "archived", "is lost or archived already", "Nothing is left to do.")
    wanted = Wanted(model="crm.lost.reason", field="reason_id", id=reason_id, name=reason_name)
    (reason,) = linked_ids(odoo, [wanted])
    # The argument is called as the field: lost_reason to Odoo 15, lost_reason_id since.
    field = (
        "lost_reason_id" if "lost_reason_id" in odoo.schema.fields(LEAD.model) else "lost_reason"
    )
    lose = LOSE.of(**{field: reason}) if reason else LOSE

    def result(done: Done) -> LeadResult:
        now = row_after(odoo, LEAD, done, name=lead["name"])
        return lead_result(now, f"{label(lead)} is lost.", done.warnings)

    would = f"Would mark {label(lead)} as lost."
    return operate(odoo, [lose], [lead["id"]], result, would=would, dry_run=dry_run)


def lead_error(lead: Row, state: str, why: str, todo: str) -> StateError:
    """Return the error for a lead that is in no state for what was asked."""
    return state_error(LEAD, {**lead, "state": state}, f"{label(lead)} {why}.", todo)


def find_stage(
    odoo: Odoo, team: int | None, stage_id: int | None, stage_name: str | None
) -> RecordName:
    """Return the stage meant, which must be shared by all teams or belong to the lead's."""
    # Several teams share a stage from Odoo 19 on.
    field = "team_ids" if "team_ids" in odoo.schema.fields(STAGE) else "team_id"
    domain: list[Any] = [[field, "=", False]]
    return stages.find_stage(
        odoo,
        STAGE,
        ["|", *domain, [field, "in", [team]]] if team else domain,
        stage_id,
        stage_name,
        of="the stages of its sales team or of all teams",
        acts_on=LEAD.model,
        where_none=f"There are no stages for this team: create a {STAGE}, which all teams share"
        " unless it is given teams.",
    )
