"""What settles an invoice: what has paid it, what is open that could, and applying that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.books import ITEM, of_type
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    Invoice,
    InvoiceId,
    InvoiceName,
    called,
    invoice_result,
    number_in,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.operations.documents import Row, currency_of, find, read_rows, state_error
from odoo_toolkit.operations.steps import Done, Plan, Seen, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.records.results import RecordName

#: Kinds of accounts on which partners owe or are owed.
PARTNERS = ("receivable", "payable")

_PARTIAL = "account.partial.reconcile"
_OPEN = ("move_id", "account_id", "date", "partner_id", "amount_residual", "currency_id")
_OPEN_FIELDS = (*_OPEN, "amount_residual_currency", "name")

ASSIGN = Step(
    model=INVOICE.model,
    method="js_assign_outstanding_line",
    says="Reconciled",
    fails="It is not reconciled with the invoice",
)


@attrs.frozen(kw_only=True)
class OpenCredit:
    """A payment or credit note that is not used up, and can be applied to an invoice.

    Attributes:
        line_id: the journal item that is open.
        amount: what is left of it, in its currency.
    """

    line_id: int
    name: str
    date: str
    amount: float
    currency: str | None = None


def settled_with(line_id: int) -> Seen:
    """Return what sees that a document is reconciled with a journal item of another one."""

    def seen(odoo: Odoo, move: int) -> bool | None:
        either = [
            "|",
            *("&", ["debit_move_id", "=", line_id], ["credit_move_id.move_id", "=", move]),
            *("&", ["credit_move_id", "=", line_id], ["debit_move_id.move_id", "=", move]),
        ]
        return bool(read_rows(odoo, _PARTIAL, either, ["id"], acts_on=INVOICE.model)) or None

    return seen


def assign(line_id: int) -> Step:
    """Return the step that reconciles a document with an open journal item of another one."""
    return attrs.evolve(ASSIGN, arguments={"line_id": line_id}, seen=settled_with(line_id))


def open_lines(odoo: Odoo, row: Row) -> list[Row]:
    """Return what is open of an invoice, on its receivable or payable account."""
    domain = [["move_id", "=", row["id"]], ["reconciled", "=", False], of_type(odoo, *PARTNERS)]
    return read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="id")


def open_credits(odoo: Odoo, row: Row) -> list[Row]:
    """Return the open journal items of the invoice's partner that could settle it."""
    # What brings money in is a debit, and is settled by credits.
    inbound = row["move_type"] in ("out_invoice", "in_refund")
    domain = [
        ["parent_state", "=", "posted"],
        ["company_id", "=", row["company_id"].id],
        ["partner_id", "=", row["commercial_partner_id"].id],
        ["reconciled", "=", False],
        ["balance", "<" if inbound else ">", 0],
        ["move_id", "!=", row["id"]],
        of_type(odoo, *PARTNERS),
    ]
    return read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="date, id")


def told(found: Sequence[Row], accounts: set[int]) -> list[OpenCredit]:
    """Return the open items as results, of the accounts that the invoice is booked on."""
    return [
        OpenCredit(
            line_id=credit["id"],
            name=number_in(str(credit["move_id"].name)),
            date=credit["date"],
            amount=abs(credit["amount_residual_currency"] or credit["amount_residual"]),
            currency=currency_of(credit),
        )
        for credit in found
        if credit["account_id"].id in accounts
    ]


def reconcile(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_id: Annotated[int | None, Doc("Of open_credits of the invoice.")] = None,
    credit_name: Annotated[str | None, Doc("Or its number.")] = None,
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Apply an open payment or credit note to a posted invoice or bill; 5 round trips.

    Args:
        odoo: the connection.
        invoice_id: the invoice.
        invoice_name: its number instead.
        line_id: the open journal item; by default the only one that there is.
        credit_name: the number of the payment or credit note instead.
        dry_run: whether to return the plan and write nothing.

    Raises:
        StateError: the invoice is not posted, or nothing of it is open.
        AmbiguousNameError: several could be meant; its matches are journal items.
        NotFoundError: nothing is open, or not that; Odoo itself would take any customer's.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, ASSIGN)
    if line_id is not None and credit_name is not None:
        raise ValidationError("Give line_id or credit_name, not both.")
    row = find(odoo, INVOICE, invoice_id, invoice_name)
    name = called(row)
    if row["state"] != "posted":
        message = f"{name} is {row['state']}; only what is posted can be reconciled."
        todo = "Post it first with post_invoice." if row["state"] == "draft" else ""
        raise state_error(INVOICE, row, message, todo)
    if not row["amount_residual"]:
        message = f"Nothing of {name} is open ({row['payment_state']})."
        raise state_error(INVOICE, row, message, "Nothing is left to do.")
    both: list[Callable[[], list[Row]]] = [
        lambda: open_lines(odoo, row),
        lambda: open_credits(odoo, row),
    ]
    own, others = side_by_side(both)
    found = told(others, {line["account_id"].id for line in own})
    chosen = _chosen(found, line_id, credit_name, name)
    would = f"Would apply {chosen.amount:.2f} {chosen.currency or ''} of {chosen.name} to {name}."

    def result(done: Done) -> Invoice:
        made = invoice_result(odoo, done, "Reconciled", posting=False)
        if made.amount_residual is None:
            return made
        left = f"{made.amount_residual:.2f} {made.currency or ''}".rstrip()
        message = f"Applied {chosen.name} to {name}: {left} is still due."
        return attrs.evolve(made, message=message)

    return operate(
        odoo,
        [assign(chosen.line_id)],
        [row["id"]],
        result,
        would=would,
        dry_run=dry_run,
    )


def _chosen(
    found: Sequence[OpenCredit], line_id: int | None, name: str | None, invoice: str
) -> OpenCredit:
    """Return the open item that is meant."""
    meant = list(found)
    if line_id is not None:
        meant = [credit for credit in found if credit.line_id == line_id]
    elif name is not None:
        meant = [credit for credit in found if credit.name == str(name).strip()]
    if len(meant) == 1:
        return meant[0]
    if meant:
        matches = [
            RecordName(id=c.line_id, name=f"{c.name}, {c.date}: {c.amount:.2f} {c.currency or ''}")
            for c in meant
        ]
        raise AmbiguousNameError("line_id", invoice, ITEM, matches)
    listed = ", ".join(f"{credit.name} ({credit.line_id})" for credit in found[:10])
    wanted = str(line_id if line_id is not None else name or "payment or credit note")[:60]
    raise NotFoundError(
        f"No open {wanted} of this partner can be applied to {invoice}.",
        suggestion=f"Open are: {listed}." if listed else "Register a payment instead.",
        details={"model": ITEM, "field": "line_id", "ids": [c.line_id for c in found[:10]]},
    )
