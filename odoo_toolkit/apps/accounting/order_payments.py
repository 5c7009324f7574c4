"""The payments of orders that are taken through all their steps in one call."""

from __future__ import annotations

from collections.abc import Sequence

from odoo_toolkit.apps.accounting.invoices import pick_journal
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.operations.documents import Row
from odoo_toolkit.operations.lines import NameOrId
from odoo_toolkit.records.names import Wanted, resolve

_PAID_FROM = ("bank", "cash", "credit")

#: Payment states in which money is due; where a payment is not booked (from 18 on) the residual
#: stays although it is paid.
UNPAID = ("not_paid", "partial")
SETTLED = ("paid", "in_payment", "reversed")


def paying_journal(odoo: Odoo, journal: NameOrId, rows: Sequence[Row]) -> int | None:
    """Return the journal meant; one that cannot pay these orders is refused before anything.

    Args:
        odoo: the connection.
        journal: its id or name; None for the default of each payment.
        rows: of the orders, with their ``company_id``.
    """
    if journal is None:
        return None
    domain = (("type", "in", _PAID_FROM),)
    found = resolve(odoo, Wanted.of("account.journal", journal, "journal_id", domain))
    try:
        for company in sorted({row["company_id"].id for row in rows if row["company_id"]}):
            pick_journal(odoo, found, _PAID_FROM, company)
    except AccessError:
        # Who may not see journals may still be allowed the steps before the payment.
        pass
    return found
