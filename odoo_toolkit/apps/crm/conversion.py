"""From a lead to an opportunity, through Odoo's wizard."""

from __future__ import annotations

from typing import Annotated

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
    shown,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import search_rows
from odoo_toolkit.search_text import literal

WIZARD = "crm.lead2opportunity.partner"

#: State of what cannot be converted -> what to do.
_SUGGESTIONS = {
    "opportunity": "Move it on with move_stage.",
    "archived": "Restore it first: write its field active as true.",
    "won": "Move it to an open stage first, with move_stage.",
}


def convert_to_opportunity(
    odoo: Odoo,
    *,
    lead_id: LeadId = None,
    lead_name: LeadName = None,
    partner_id: Annotated[
        int | None, Doc("Customer; by default the lead's own, else a new one is made.")
    ] = None,
    partner_name: str | None = None,
    create_customer: Annotated[
        bool, Doc("False: make no new customer where there is none.")
    ] = True,
    user_id: Annotated[int | None, Doc("Salesperson.")] = None,
    user_name: str | None = None,
    team_id: Annotated[int | None, Doc("Sales team.")] = None,
    team_name: str | None = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Convert a lead to an opportunity, through Odoo's wizard; it is never merged with another.

    Args:
        odoo: the connection.
        lead_id: what to convert.
        lead_name: instead of the id; so for partner, user and team.
        partner_id: the customer to link. Without one the lead keeps its own, or Odoo makes a new
            customer from the lead's company, contact and e-mail address.
        create_customer: False makes none; the opportunity then may have no customer.
        user_id: salesperson from now on.
        team_id: sales team from now on.
        dry_run: return the :class:`~odoo_toolkit.operations.plans.Plan` instead of writing.

    Raises:
        StateError: it is an opportunity already, or won or lost; nothing was written.
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such lead.
        AccessError: Odoo or the policy does not allow it.
    """
    # Imported here: only what runs a wizard needs them.
    from odoo_toolkit.wizards import run_wizard

    apply = Call(
        model=WIZARD, method="action_apply", ids=(0,), access="write", acts_on=LEAD, step=True
    )
    odoo.check(apply)
    lead = find_lead(odoo, lead_id, lead_name)
    _check_convertible(lead)
    partner, user, team = resolve_all(
        odoo,
        [
            Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
            Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
        ],
        required=False,
    )
    if partner is None and lead["partner_id"]:
        partner = lead["partner_id"]["id"]
    makes_customer = partner is None and create_customer
    chosen = {"partner_id": partner, "user_id": user, "team_id": team}
    # Left to itself, the wizard merges leads that share an e-mail address.
    values: Record = {"name": "convert", **_customer(odoo, partner, makes_customer)}
    values |= {key: value for key, value in chosen.items() if value}
    if (user or team) and "force_assignment" in odoo.schema.fields(WIZARD):
        values["force_assignment"] = True
    what = shown(lead)
    if dry_run:
        context = {"active_model": LEAD, "active_id": lead["id"], "active_ids": [lead["id"]]}
        create = Call(
            model=WIZARD,
            method="create",
            arguments={"vals_list": values},
            context=context,
            access="write",
            acts_on=LEAD,
            step=True,
        )
        return plan(
            odoo, f"Would convert {what} to an opportunity.", [create, attrs.evolve(apply, ids=())]
        )
    # Looked for before: the conversion makes a company and its contact, both with the address.
    others = _same_email(odoo, lead["email_from"]) if makes_customer else {}
    run_wizard(odoo, WIZARD, values, source=(LEAD, [lead["id"]]))
    result = result_after(odoo, lead, f"Converted {what} to an opportunity.")
    if result.warnings:
        return result
    if result.type != "opportunity":
        told = "Odoo's wizard ran without an error, and left it a lead."
        return attrs.evolve(result, message=f"{what} was not converted.", warnings=[told])
    for field, wanted in chosen.items():
        now = getattr(result, field.removesuffix("_id"))
        if wanted and (now is None or now.id != wanted):
            result.warnings.append(f"Odoo did not take {field} {wanted}.")
    if others and result.partner and result.partner.id not in others:
        names = ", ".join(f"{name} ({partner_id})" for partner_id, name in others.items())
        result.warnings.append(
            f"A new customer was made, while {lead['email_from']} belongs to {names}, too."
        )
    if not partner and not makes_customer and result.partner:
        result.warnings.append("Odoo has linked a customer by itself.")
    return result


def _customer(odoo: Odoo, partner: int | None, makes_customer: bool) -> Record:
    """Return what the wizard is told of the customer."""
    if partner or makes_customer:
        return {"action": "exist" if partner else "create"}
    actions = dict(odoo.schema.fields(WIZARD)["action"].selection)
    # Odoo 19 cannot be told to link none: it links an existing one, and there none is given.
    return (
        {"action": "nothing"} if "nothing" in actions else {"action": "exist", "partner_id": False}
    )


def _check_convertible(lead: Record) -> None:
    state = None
    if lead["type"] != "lead":
        state, why = "opportunity", "is an opportunity already"
    elif lead["active"] is False:
        state, why = "archived", "is lost or archived, and Odoo converts only open leads"
    elif (lead["probability"] or 0) >= 100:
        state, why = "won", "is won, and Odoo converts only open leads"
    if state:
        raise StateError(
            f"{shown(lead)} {why}.",
            suggestion=_SUGGESTIONS[state],
            details={"model": LEAD, "id": lead["id"], "current_state": state},
        )


def _same_email(odoo: Odoo, email: str | None) -> dict[int, str]:
    """Return the names of some contacts that have an e-mail address, by id."""
    if not email:
        return {}
    try:
        domain = [["email", "=ilike", literal(email)]]
        rows = search_rows(odoo, "res.partner", domain, ["display_name"], limit=3)
    except OdooError:
        return {}
    return {row["id"]: row["display_name"] for row in rows}
