"""Functions that convert leads, move them from stage to stage, and mark them as won or lost."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.crm.leads import (
    LEAD,
    LeadId,
    LeadName,
    LeadResult,
    find_stage,
    given_to,
    lead_error,
    lead_result,
    plain_values,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations import stages
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.search_text import literal

CONVERT = op.WizardStep(
    model=LEAD.model,
    wizard="crm.lead2opportunity.partner",
    says="Converted",
    seen=op.shows(LEAD, type=("opportunity",)),
)

CONVERTED = op.Step(
    model=LEAD.model,
    method="write",
    says="Revenue and stage written",
    fails="It is converted, but revenue and stage are not written",
)

#: What Odoo does with ``create_customer``.
CUSTOMER = op.Step(model="res.partner", method="create")

#: State of what cannot be converted -> what to do.
_SUGGESTIONS = {
    "opportunity": "Move it on with move_stage.",
    "archived": "Restore it first: update_lead with restore.",
    "won": "Move it to an open stage first, with move_stage.",
}


@op.operation
def convert_to_opportunity(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    partner_id: Annotated[int | None, Doc("Id of the contact.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    create_customer: Annotated[
        bool, Doc("Create a customer from its data if it has none.")
    ] = False,
    user_id: Annotated[int | None, Doc("Salesperson.")] = None,
    user_name: Annotated[str | None, Doc("Login or name of the user, instead of the id.")] = None,
    team_id: Annotated[int | None, Doc("Id of the team.")] = None,
    team_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    expected_revenue: Annotated[float | None, Ge(0), Doc("In the company's currency.")] = None,
    stage_id: Annotated[int | None, Doc("Default: the first stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Convert a lead to an opportunity with Odoo's wizard. It is never merged with another lead.

    >>> lead = convert_to_opportunity(odoo, lead_name="Chairs", stage_name="Qualified")
    >>> lead.type, lead.stage and lead.stage.name
    ('opportunity', 'Qualified')

    With ``create_customer``, Odoo creates a customer from the lead's company, contact and e-mail
    address. The policy must allow you to create contacts. Without a team, Odoo chooses a team of
    the salesperson. The stage must belong to the team, or be shared by all teams. A won stage marks
    the opportunity as won.

    Raises:
        StateError: It is already an opportunity, or won or lost. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead, customer, user, team or stage does not exist. Nothing was written.
        ValidationError: The stage belongs to another team, or the revenue is wrong. Nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    changed = plain_values(expected_revenue=expected_revenue)
    by_stage = stage_id is not None or stage_name is not None
    then = CONVERTED if changed or by_stage else None
    op.permit(odoo, CONVERT, *([then] if then else []), dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    _check_convertible(lead)
    partner, user, team = op.linked_ids(
        odoo,
        [
            op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            op.Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            op.Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
        ],
    )
    if partner is None and lead["partner_id"]:
        partner = lead["partner_id"].id
    makes_customer = partner is None and create_customer
    if makes_customer:
        op.permit(odoo, CUSTOMER, dry_run=dry_run)
    if team is None and user is None and lead.get("team_id"):
        # Left to itself, the wizard takes a team of the salesperson.
        team = lead["team_id"].id
    if by_stage:
        stage = find_stage(odoo, team, stage_id, stage_name)
        changed["stage_id"] = stage.id
    chosen = {"partner_id": partner, "user_id": user, "team_id": team}
    # Left to itself, the wizard merges leads that share an e-mail address.
    values = {"name": "convert", **_customer(odoo, partner, makes_customer)}
    values |= {key: value for key, value in chosen.items() if value}
    if (user or team) and "force_assignment" in odoo.schema.fields(CONVERT.wizard):
        values["force_assignment"] = True
    what, email = op.label(lead), lead["email_from"]
    # Looked for before: the conversion makes a company and its contact, both with the address.
    others = _same_email(odoo, email) if email and makes_customer and not dry_run else {}

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        if now.get("type", "opportunity") != "opportunity":
            done.warnings.append("Odoo's wizard reported no error, but the record is still a lead.")
            return lead_result(now, f"{what} was not converted.", done.warnings)
        asked = {**chosen, "stage_id": changed.get("stage_id")} if done.complete else chosen
        done.warnings.extend(op.not_taken(now, asked))
        made = now.get("partner_id")
        if others and made and made.id not in others:
            names = ", ".join(f"{name} ({number})" for number, name in others.items())
            done.warnings.append(
                f"A new customer was created, although {email} belongs to {names}."
            )
        if not partner and not makes_customer and made:
            done.warnings.append("Odoo has linked a customer by itself.")
        return lead_result(now, f"Converted {what} to an opportunity.", done.warnings)

    new = []
    if (revenue := changed.get("expected_revenue")) is not None:
        new.append(f"an expected revenue of {revenue:g}")
    if by_stage:
        new.append(f"the stage {stage.name}")
    customer = " Odoo creates a customer from its data." if makes_customer else ""
    would = f"Would convert {what} to an opportunity{' with ' * bool(new)}{' and '.join(new)}."
    steps: list[op.AnyStep] = [attrs.evolve(CONVERT, values=values)]
    if then:
        steps.append(then.of(vals=changed))
    with given_to(odoo, user):
        return op.operate(
            odoo, steps, [lead["id"]], result, message=would + customer, dry_run=dry_run
        )


def _customer(odoo: Odoo, partner: int | None, makes_customer: bool) -> dict[str, Any]:
    """Return what the wizard is told of the customer."""
    if partner or makes_customer:
        return {"action": "exist" if partner else "create"}
    actions = dict(odoo.schema.fields(CONVERT.wizard)["action"].selection)
    # Odoo 19 cannot be told to link none: it links an existing one, and there none is given.
    return (
        {"action": "nothing"} if "nothing" in actions else {"action": "exist", "partner_id": False}
    )


def _check_convertible(lead: op.Row) -> None:
    if lead["type"] != "lead":
        state, why = "opportunity", "is already an opportunity"
    elif lead["active"] is False:
        state, why = "archived", "is lost or archived, and Odoo converts only open leads"
    elif (lead["probability"] or 0) >= 100:
        state, why = "won", "is won, and Odoo converts only open leads"
    else:
        return
    raise lead_error(lead, state, why, _SUGGESTIONS[state])


def _same_email(odoo: Odoo, email: str) -> dict[int, str]:
    """Return the names of some contacts that have an e-mail address, by id."""
    domain = [["email", "=ilike", literal(email)]]
    try:
        rows = op.read_rows(
            odoo,
            "res.partner",
            domain,
            ["display_name"],
            acts_on=LEAD.model,
            limit=3,
            active_test=True,
        )
    except OdooError:
        return {}
    return {row["id"]: row["display_name"] for row in rows}


WIN = op.Step(
    model=LEAD.model, method="action_set_won", says="Won", seen=op.shows(LEAD, probability=(100.0,))
)
LOSE = op.Step(
    model=LEAD.model, method="action_set_lost", says="Lost", seen=op.shows(LEAD, active=(False,))
)


@op.operation
def move_stage(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    stage_id: Annotated[int | None, Doc("Id of the stage.")] = None,
    stage_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Move a lead or opportunity to another stage.

    >>> stage = move_stage(odoo, lead_name="Chairs", stage_name="Qualified").stage
    >>> stage and stage.name
    'Qualified'

    The stage must belong to the lead's team, or be shared by all teams. Odoo itself would accept
    any stage.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead or stage does not exist.
        ValidationError: The stage belongs to another team. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """

    def stage_for(lead: op.Row) -> RecordName:
        team = lead["team_id"].id if lead["team_id"] else None
        return find_stage(odoo, team, stage_id, stage_name)

    return stages.move(odoo, LEAD, lead_id, lead_name, stage_for, lead_result, dry_run=dry_run)


@op.operation
def mark_won(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Mark an opportunity as won. It moves to the won stage of its team.

    >>> mark_won(odoo, lead_name="Chairs").probability
    100.0

    As in Odoo, this reopens a lost or archived opportunity.

    Raises:
        StateError: It is a lead. Convert it first. Nothing was written.
        NotFoundError: The opportunity does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, WIN, dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    what = op.label(lead)
    if lead["type"] != "opportunity":
        raise lead_error(
            lead,
            "lead",
            "is a lead, and only an opportunity can be won",
            "Convert it first with convert_to_opportunity.",
        )

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        if (probability := now.get("probability")) is not None and probability < 100:
            done.warnings.append("Odoo did not mark it as won; its team may have no won stage.")
            return lead_result(now, f"{what} is not won.", done.warnings)
        if lead["active"] is False:
            done.warnings.append("It was lost or archived, and is reopened.")
        return lead_result(now, f"{what} is won.", done.warnings)

    would = f"Would mark {what} as won."
    return op.operate(odoo, [WIN], [lead["id"]], result, message=would, dry_run=dry_run)


@op.operation
def mark_lost(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    reason_id: Annotated[int | None, Doc("Id of the lost reason.")] = None,
    reason_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeadResult | op.Plan:
    """Mark a lead or opportunity as lost. It is archived with a probability of 0.

    >>> mark_lost(odoo, lead_name="Chairs", reason_name="Too expensive").active
    False

    Raises:
        StateError: It is already lost or archived. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The lead or reason does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, LOSE, dry_run=dry_run)
    lead = op.find(odoo, LEAD, lead_id, lead_name)
    if lead["active"] is False:
        raise lead_error(lead, "archived", "is already lost or archived", "Nothing is left to do.")
    wanted = op.Wanted(model="crm.lost.reason", field="reason_id", id=reason_id, name=reason_name)
    (reason,) = op.linked_ids(odoo, [wanted])
    # The argument is called as the field: lost_reason to Odoo 15, lost_reason_id since.
    field = (
        "lost_reason_id" if "lost_reason_id" in odoo.schema.fields(LEAD.model) else "lost_reason"
    )
    lose = LOSE.of(**{field: reason}) if reason else LOSE

    def result(done: op.Done) -> LeadResult:
        now = op.row_after(odoo, LEAD, done, name=lead["name"])
        return lead_result(now, f"{op.label(lead)} is lost.", done.warnings)

    would = f"Would mark {op.label(lead)} as lost."
    return op.operate(odoo, [lose], [lead["id"]], result, message=would, dry_run=dry_run)
