"""How what was applied to an invoice, or taken off it, is taken back."""

from __future__ import annotations

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.apps.accounting.reconciling import assign, remove
from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo

_PARTIAL = "account.partial.reconcile"


def applied(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how a payment or credit note is taken off the invoice that it was applied to."""
    line = (write.values or {}).get("line_id")
    found = []
    for row in _invoices(odoo, write):
        own = ["move_id", "=", row["id"]]
        domain = ["|", "&", [f"debit_move_id.{own[0]}", *own[1:]], ["credit_move_id", "=", line]]
        domain += ["&", [f"credit_move_id.{own[0]}", *own[1:]], ["debit_move_id", "=", line]]
        partials = op.read_rows(odoo, _PARTIAL, domain, ["id"], acts_on=INVOICE.model)
        if partials:
            found.append(
                op.WayBack(
                    model=INVOICE.model,
                    ids=[row["id"]],
                    name=row["display_name"],
                    says="open again, and so is what was applied to it",
                    steps=[remove(partial["id"]) for partial in partials],
                )
            )
    return found


def taken_off(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how what was taken off an invoice is applied to it again."""
    line = write.before.get(0, {}).get("line_id")
    if line is None:
        return []
    domain = [["id", "=", line], ["reconciled", "=", False]]
    if not op.read_rows(odoo, "account.move.line", domain, ["id"], acts_on=INVOICE.model):
        gone = f"item {line} is not open any more"
        return [op.WayBack(model=INVOICE.model, ids=write.ids, name="", says="", blocked=gone)]
    return [
        op.WayBack(
            model=INVOICE.model,
            ids=[row["id"]],
            name=row["display_name"],
            says="settled with it again",
            steps=[assign(line)],
        )
        for row in _invoices(odoo, write)
    ]


def _invoices(odoo: Odoo, write: Write) -> list[op.Row]:
    domain = [["id", "in", write.ids]]
    return op.read_rows(odoo, INVOICE.model, domain, ["display_name"], acts_on=INVOICE.model)
