"""Creating leads and opportunities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.crm.lead import LEAD, LeadResult, lead_result
from odoo_toolkit.apps.crm.pipeline import find_stage
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError
from odoo_toolkit.operations.documents import row_after
from odoo_toolkit.operations.lines import checked_name, checked_number
from odoo_toolkit.operations.links import linked_ids, look_for
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.arguments import optional_ids
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.values.plain import plain

CREATE = Step(model=LEAD.model, method="create", says="Lead created")


@operation
def create_lead(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1)],
    partner_id: int | None = None,
    partner_name: str | None = None,
    email_from: str | None = None,
    phone: str | None = None,
    type: Literal["lead", "opportunity"] = "lead",  # noqa: A002 - Odoo's name for it
    expected_revenue: Annotated[float | None, Ge(0)] = None,
    team_id: int | None = None,
    team_name: str | None = None,
    user_id: Annotated[int | None, Doc("Salesperson; the caller by default.")] = None,
    user_name: str | None = None,
    stage_id: int | None = None,
    stage_name: str | None = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    tag_ids: Sequence[int] | None = None,
    dry_run: DryRun = False,
) -> LeadResult | Plan:
    """Create a lead or an opportunity.

    Args:
        odoo: the connection.
        name: what it is about.
        partner_id: the contact.
        partner_name: looked up among the contacts; where none has that name, it is kept as the
            name of the company.
        email_from: e-mail address.
        phone: as written.
        type: ``lead`` is to be qualified first, ``opportunity`` is in the pipeline. Always sent,
            because Odoo's own default depends on the settings.
        expected_revenue: in the company's currency.
        team_id: sales team; Odoo's choice by default.
        team_name: instead of the id; so for user and stage.
        user_id: salesperson; the caller by default.
        stage_id: must be a stage of the team given, or one shared by all teams.
        description: plain text.
        tag_ids: ids of ``crm.tag``.
        dry_run: resolve and check, write nothing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        ValidationError: an argument is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = checked_name(name, "Say what the lead is about.")
    permit(odoo, CREATE, dry_run=dry_run)
    described = odoo.schema.fields(LEAD.model)
    team, user = linked_ids(
        odoo,
        [
            Wanted(model="crm.team", field="team_id", id=team_id, name=team_name),
            Wanted(model="res.users", field="user_id", id=user_id, name=user_name),
        ],
    )
    partner, company = _partner_or_text(odoo, partner_id, partner_name)
    if dry_run:
        look_for(odoo, [Wanted(model="res.partner", field="partner_id", id=partner_id)])
    by_stage = stage_id is not None or stage_name is not None
    revenue = plain(expected_revenue)
    values = {
        "name": name,
        "type": type,
        "partner_id": partner,
        "partner_name": company,
        "email_from": email_from,
        "phone": phone,
        "expected_revenue": None
        if revenue is None
        else checked_number(revenue, "expected_revenue", positive=False),
        "team_id": team,
        "user_id": user,
        "stage_id": find_stage(odoo, team, stage_id, stage_name).id if by_stage else None,
        "description": written_text(described["description"], description) if description else None,
        "tag_ids": [[6, 0, tags]] if (tags := optional_ids(tag_ids)) else None,
    }
    create = CREATE.of(vals_list={key: value for key, value in values.items() if value is not None})

    def result(done: Done) -> LeadResult:
        asked: list[Callable[[], Any]] = [
            lambda: row_after(odoo, LEAD, done, name=name, type=type),
            lambda: type != "lead" or _shows_leads(odoo),
        ]
        row, listed = side_by_side(asked)
        if not listed:
            done.warnings.append(
                "Leads are switched off for this user: Odoo does not list it until it is"
                " converted with convert_to_opportunity."
            )
        return lead_result(row, f"Created {type} {name!r} with ID {done.id}", done.warnings)

    would = f"Would create the {type} {name!r}."
    return operate(odoo, [create], (), result, would=would, dry_run=dry_run)


def _partner_or_text(
    odoo: Odoo, partner_id: int | None, partner_name: str | None
) -> tuple[int | None, str | None]:
    """Return the contact meant, or what was said as the name of a company that is none yet."""
    wanted = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    try:
        return resolve(odoo, wanted, required=False), None
    except NotFoundError as error:
        if error.code != "NOT_FOUND" or partner_name is None:
            raise
        return None, partner_name.strip()


def _shows_leads(odoo: Odoo) -> bool:
    """Whether Odoo lists leads for this user: where it does not, it makes opportunities."""
    call = Call(model=LEAD.model, method="default_get", arguments={"fields": ["type"]}, step=True)
    try:
        return bool(odoo.call(call).get("type") != "opportunity")
    except OdooError:
        return True
