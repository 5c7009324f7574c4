"""Taking invoices, bills and entries back: to draft, or cancelled."""

from __future__ import annotations

from typing import Literal

import attrs

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    INVOICE_TYPES,
    Invoice,
    InvoiceId,
    InvoiceName,
    called,
    invoice_result,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import make_error
from odoo_toolkit.operations.documents import Row, find, shows, state_error
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit

#: To 17 an entry names its payment by the first field, from 18 on by the second.
_OWNERS = {
    "payment_id": "payment",
    "origin_payment_id": "payment",
    "statement_line_id": "bank line",
}
_ENTRY = attrs.evolve(
    INVOICE,
    noun="invoice, bill or entry",
    domain=(("move_type", "in", (*INVOICE_TYPES, "entry")),),
    fields=(*INVOICE.fields, *_OWNERS),
)

DRAFT = Step(
    model=INVOICE.model,
    method="button_draft",
    says="Reset to draft",
    seen=shows(INVOICE, state=("draft",)),
)
CANCEL = Step(
    model=INVOICE.model,
    method="button_cancel",
    says="Cancelled",
    fails="It is a draft now, but not cancelled",
    seen=shows(INVOICE, state=("cancel",)),
)


@operation
def reset_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    to: Literal["draft", "cancel"] = "draft",
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Reset an invoice, bill or entry to draft, or cancel it; 3 round trips, 4 if posted.

    What had paid it is open again; on Odoo 19 a draft stays reconciled, and only cancelling
    releases its payments.

    Args:
        odoo: the connection.
        invoice_id: the invoice, bill, credit note or journal entry.
        invoice_name: its number instead.
        to: ``draft`` (of posted or cancelled ones), or ``cancel`` (of drafts or posted ones).
        dry_run: whether to return the plan and write nothing.

    Raises:
        StateError: it is so already, or it belongs to a payment or bank line.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
        OdooError: Odoo refuses it, such as before a lock date.
    """
    permit(odoo, *([DRAFT, CANCEL] if to == "cancel" else [DRAFT]), dry_run=dry_run)
    if to not in ("draft", "cancel"):
        raise make_error(
            "INVALID_SELECTION",
            f"An invoice is not reset to {str(to)[:60]!r}.",
            suggestion="Choose draft or cancel.",
            details={"field": "to", "allowed": ["draft", "cancel"]},
        )
    row = find(odoo, _ENTRY, invoice_id, invoice_name)
    _check(row, to)
    # Odoo 14 and 15 would cancel a posted one without opening what it is reconciled with.
    steps = [DRAFT] if to == "draft" else [CANCEL]
    steps = [DRAFT, CANCEL] if to == "cancel" and row["state"] == "posted" else steps
    paid = row["payment_state"] in ("paid", "in_payment", "partial", "reversed")

    def result(done: Done) -> Invoice:
        if paid:
            done.warnings.append(
                f"It was {row['payment_state'].replace('_', ' ')}: what had paid it is not undone,"
                " but open again where the invoice shows an amount due."
            )
        verb = "Cancelled" if to == "cancel" and done.complete else "Reset to draft"
        return invoice_result(odoo, done, verb, posting=False)

    would = "cancel" if to == "cancel" else "reset to draft"
    return operate(
        odoo,
        steps,
        [row["id"]],
        result,
        would=f"Would {would} {called(row)}{', which is paid or partly paid' if paid else ''}.",
        dry_run=dry_run,
    )


def _check(row: Row, to: str) -> None:
    name = called(row)
    if row["state"] == to:
        message = f"{name} is {'cancelled' if to == 'cancel' else 'a draft'} already."
        raise state_error(INVOICE, row, message, "Nothing is left to do.")
    for field, what in _OWNERS.items():
        # A payment of an entry that is its own; Odoo would take the entry back without it.
        if row[field] and row["move_type"] == "entry":
            message = f"{name} belongs to the {what} {row[field].name}."
            raise state_error(INVOICE, row, message, f"Take back the {what} itself.")
