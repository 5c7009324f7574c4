"""A lead or opportunity as it is in Odoo."""

from __future__ import annotations

import attrs

from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, Row, filled
from odoo_toolkit.records.results import RecordName

#: Of a lead or an opportunity.
LeadId = int | None
LeadName = str | None

LEAD = Document(
    model="crm.lead",
    noun="lead",
    argument="lead_id",
    fields=(
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
        "date_deadline",
        "tag_ids",
    ),
)


@attrs.frozen(kw_only=True)
class LeadResult(Shown):
    """A lead or opportunity as it is now; None is what is empty, or could not be read back.

    Attributes:
        partner: the contact; ``partner_name`` is the company's name as text.
        expected_revenue: in the company's currency.
        probability: of winning, in percent.
        date_deadline: when it is expected to be closed.
        tags: told where they were changed.
        active: False for what is lost or archived.
        warnings: what is not as one might expect.
    """

    id: int
    name: str
    type: str | None = None
    message: str
    stage: RecordName | None = None
    team: RecordName | None = None
    user: RecordName | None = None
    partner: RecordName | None = None
    partner_name: str | None = None
    email_from: str | None = None
    phone: str | None = None
    expected_revenue: float | None = None
    probability: float | None = None
    date_deadline: str | None = None
    tags: list[RecordName] | None = None
    active: bool | None = None
    warnings: list[str] = attrs.Factory(list)


def lead_result(row: Row, message: str, warnings: list[str]) -> LeadResult:
    """Return a row of :data:`LEAD` as a result."""
    return filled(LeadResult, row, message=message, warnings=warnings)
