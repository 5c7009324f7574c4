"""A lead or opportunity as it is in Odoo."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import AccessError
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


@contextlib.contextmanager
def given_to(odoo: Odoo, user: int | None) -> Iterator[None]:
    """Say what is meant where Odoo refuses to give a lead to somebody else.

    Odoo 17 and 18 read it once more when it is given away; who sees only their own may not then.
    """
    try:
        yield
    except AccessError as error:
        given_away = user not in (None, odoo.uid)
        if (
            given_away
            and error.outcome == "rolled_back"
            and error.details.get("operation") == "read"
        ):
            error.message = (
                f"Odoo {odoo.version.major} does not let this user give a lead to somebody else:"
                " then the user may not see it any more. Nothing was changed."
            )
            error.suggestion = (
                "Leave the salesperson out, or let a user do it who sees the leads of others."
            )
        raise
