"""A lead or opportunity: finding the one meant, and telling how it is now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import Record, RecordName
from odoo_toolkit.records.rows import read_rows

LEAD = "crm.lead"

LeadId = Annotated[int | None, Doc("Id of the lead or opportunity.")]
LeadName = Annotated[str | None, Doc("Its name, instead of the id.")]

#: What is read back; what a version lacks is left out.
_FIELDS = (
    "name",
    "type",
    "active",
    "stage_id",
    "team_id",
    "user_id",
    "partner_id",
    "partner_name",
    "email_from",
    "phone",
    "expected_revenue",
    "probability",
)


@attrs.frozen(kw_only=True)
class LeadResult:
    """A lead or opportunity as it is now.

    Attributes:
        partner: the contact; ``partner_name`` is the company's name as text.
        expected_revenue: in the company's currency.
        probability: of winning, in percent.
        active: False for what is lost or archived.
        warnings: what is not as one might expect.
    """

    id: int
    name: str
    type: str
    message: str
    stage: RecordName | None = None
    team: RecordName | None = None
    user: RecordName | None = None
    partner: RecordName | None = None
    partner_name: str = ""
    email_from: str = ""
    phone: str = ""
    expected_revenue: float = 0.0
    probability: float = 0.0
    active: bool = True
    warnings: list[str] = attrs.Factory(list)


def find_lead(odoo: Odoo, lead_id: int | None, lead_name: str | None) -> Record:
    """Return the lead meant; lost and archived ones are found by id only.

    Raises:
        AmbiguousNameError: the name matches several.
        NotFoundError: there is none.
    """
    found = resolve(odoo, Wanted(model=LEAD, field="lead_id", id=lead_id, name=lead_name))
    lead = read_lead(odoo, int(found or 0))
    if lead is None:
        raise NotFoundError(
            f"There is no {LEAD} with id {found} (lead_id), or this user may not see it.",
            suggestion=f"Look for it with search_read on {LEAD}.",
            details={"model": LEAD, "field": "lead_id", "id": found},
        )
    return lead


def read_lead(odoo: Odoo, lead_id: int) -> Record | None:
    """Return what is to be known of a lead; empty is what may not be read."""
    described = odoo.policy.readable_fields(LEAD, odoo.schema.fields(LEAD))
    rows = read_rows(odoo, LEAD, [lead_id], [name for name in _FIELDS if name in described])
    return {**dict.fromkeys(_FIELDS), **rows[0]} if rows else None


def shown(lead: Record) -> str:
    """Return how messages call a lead."""
    return f"{lead['name']!r} ({lead['id']})"


def result_after(
    odoo: Odoo, lead: Record, message: str, warnings: Sequence[str] = ()
) -> LeadResult:
    """Return the lead as it is now that something was done to it, which nothing here undoes.

    Args:
        odoo: the connection.
        lead: at least its id, name and type, as it was.
        message: what was done.
        warnings: what is already known to be unexpected.
    """
    try:
        now = read_lead(odoo, lead["id"])
        unread = "this user may not see it"
    except OdooError as error:
        now, unread = None, error.message
    if now is None:
        told = [*warnings, f"This is done, but cannot be read back: {unread}"]
        return LeadResult(
            id=lead["id"], name=lead["name"], type=lead["type"], message=message, warnings=told
        )
    return result_of(now, message, warnings)


def result_of(lead: Record, message: str, warnings: Sequence[str] = ()) -> LeadResult:
    """Return a lead that was read, as a result."""
    linked: dict[str, Any] = {
        key: RecordName(**lead[f"{key}_id"])
        for key in ("stage", "team", "user", "partner")
        if lead[f"{key}_id"]
    }
    plain: dict[str, Any] = {
        key: lead[key] for key in _FIELDS if not key.endswith("_id") and lead[key] is not None
    }
    return LeadResult(id=lead["id"], message=message, warnings=list(warnings), **linked, **plain)
