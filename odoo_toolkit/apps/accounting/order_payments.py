"""The invoices and payments of orders that are taken through all their steps in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import POST, post_invoice
from odoo_toolkit.apps.accounting.invoices import INVOICE, pick_journal
from odoo_toolkit.apps.accounting.payments import PaymentResult, register_payment
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.records.results import RecordName

_PAID_FROM = ("bank", "cash", "credit")

#: Payment states in which money is due; where a payment is not booked (from 18 on) the residual
#: stays although it is paid.
_UNPAID = ("not_paid", "partial")
_SETTLED = ("paid", "in_payment", "reversed")


@attrs.frozen(kw_only=True)
class Billing:
    """The invoices of the orders of one app, which are posted and paid.

    Attributes:
        order: the orders.
        noun: the word for an invoice, and the name of the step that makes invoices.
        type: of the invoices that are paid.
        read: reads the invoices of an order.
        check: refuses an order that is not confirmed.
    """

    order: op.Document
    noun: str
    type: str
    read: Callable[[Odoo, op.Row], list[Any]]
    check: Callable[[op.Row], None]

    def stages(self) -> dict[str, op.Stage]:
        """Return the stages that post and pay."""
        wizard = op.WizardStep(
            model=INVOICE.model, wizard="account.payment.register", seen=op.unseen
        )
        return {
            "post": op.Stage(
                allowed=(POST,),
                left=self._to_post,
                made=self._posted,
                then=f"Would then post the draft {self.noun}s.",
            ),
            "pay": op.Stage(
                allowed=(wizard,),
                left=self._to_pay,
                made=_paid,
                then=f"Would then pay the open amounts of its {self.noun}s.",
            ),
        }

    def after(self, odoo: Odoo, row: op.Row) -> dict[str, Any]:
        """Return the invoices of an order, and what is left to pay of those that are posted."""
        invoices, due = self.read(odoo, row), 0.0
        for invoice in invoices:
            if invoice.state == "posted" and invoice.payment_state not in _SETTLED:
                back = invoice.type.endswith("refund")
                due += -invoice.amount_residual if back else invoice.amount_residual
        return {"amount_due": round(due, 6), f"{self.noun}s": invoices}

    def _to_post(self, odoo: Odoo, row: op.Row, _: Mapping[str, Any]) -> list[op.Action] | str:
        invoices = self._live(odoo, row, "post")
        drafts = [item for item in invoices if item.state == "draft"]
        if not drafts:
            return f"Already posted: {_listed(invoices)}."
        return [partial(post_invoice, odoo, invoice_id=item.id) for item in drafts]

    def _to_pay(self, odoo: Odoo, row: op.Row, how: Mapping[str, Any]) -> list[op.Action] | str:
        invoices = self._live(odoo, row, "pay")
        posted = [item for item in invoices if item.state == "posted"]
        due = [
            item
            for item in posted
            if item.type == self.type and item.payment_state in _UNPAID and item.amount_residual
        ]
        if due:
            # The amount is given: without one Odoo would propose less, such as the next instalment
            # only, and the rest would be paid whenever this is repeated.
            pay = partial(register_payment, odoo, **how)
            return [partial(pay, invoice_ids=[one.id], amount=one.amount_residual) for one in due]
        if not posted:
            message = f"{row['name']} has no posted {self.noun}, so there is nothing to pay."
            raise op.state_error(self.order, row, message, f"Post it first: {_listed(invoices)}.")
        told = ", ".join(f"{item.name} is {item.payment_state}" for item in posted)
        return f"Nothing is left to pay: {told}."

    def _live(self, odoo: Odoo, row: op.Row, verb: str) -> list[Any]:
        self.check(row)
        live = [item for item in self.read(odoo, row) if item.state != "cancel"]
        if not live:
            message = f"{row['name']} has no {self.noun} to {verb}."
            raise op.state_error(self.order, row, message, f"Add the step {self.noun}.")
        return live

    def _posted(self, odoo: Odoo, row: op.Row, result: Any) -> list[RecordName]:
        if result.state not in (None, "posted"):
            raise op.not_done(self.order, row, result.message, result.warnings)
        return [RecordName(id=result.id, name=result.name or f"{self.noun} {result.id}")]


def _listed(invoices: Sequence[Any]) -> str:
    return ", ".join(f"{item.name} (id {item.id})" for item in invoices)


def _paid(odoo: Odoo, row: op.Row, result: PaymentResult) -> list[RecordName]:
    return [
        RecordName(id=item.id, name=item.name or f"payment {item.id}") for item in result.payments
    ]


def paying_journal(odoo: Odoo, journal: op.NameOrId, rows: Sequence[op.Row]) -> int | None:
    """Return the journal meant; one that cannot pay these orders is refused before anything.

    Args:
        odoo: the connection.
        journal: its id or name; None for the default of each payment.
        rows: of the orders, with their ``company_id``.
    """
    if journal is None:
        return None
    domain = (("type", "in", _PAID_FROM),)
    found = op.resolve(odoo, op.Wanted.of("account.journal", journal, "journal_id", domain))
    try:
        for company in sorted({row["company_id"].id for row in rows if row["company_id"]}):
            pick_journal(odoo, found, _PAID_FROM, company)
    except AccessError:
        # Who may not see journals may still be allowed the steps before the payment.
        pass
    return found
