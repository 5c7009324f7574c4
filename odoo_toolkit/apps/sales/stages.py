"""What an order goes through after the quotation, and what each step finds to be done.

quotation -> confirm -> deliver -> invoice -> post -> pay
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import attrs

from odoo_toolkit.apps.accounting.actions import POST, post_invoice
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.apps.accounting.payments import PaymentResult, register_payment
from odoo_toolkit.apps.inventory import actions as transfers
from odoo_toolkit.apps.inventory.move_lines import Enter
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.sales.actions import confirm_order
from odoo_toolkit.apps.sales.creation import CONFIRM, CONFIRMED, OrderResult
from odoo_toolkit.apps.sales.invoicing import InvoiceResult, create_invoices, new_invoices
from odoo_toolkit.apps.sales.orders import (
    ORDER,
    Invoice,
    read_deliveries,
    read_invoices,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations.documents import Row, state_error
from odoo_toolkit.operations.steps import AnyStep, Plan, WizardStep
from odoo_toolkit.records.results import RecordName

StepName = Literal["confirm", "deliver", "invoice", "post", "pay"]

#: Does one thing; ``dry_run=True`` returns its plan.
Action = Callable[..., Any]

#: Transfers to the customer, and those before them; what a vendor or the customer himself brings
#: is no delivery of ours.
_OURS = ("outgoing", "internal")

#: Payment states in which money is due; where a payment is not booked (from 18 on) the residual
#: stays although it is paid.
_UNPAID = ("not_paid", "partial")
_SETTLED = ("paid", "in_payment", "reversed")


@attrs.frozen(kw_only=True)
class Stage:
    """One step of the way.

    Attributes:
        allowed: what the policy is asked about, as by the operation itself.
        left: finds what is to be done to an order's row, with the payment's arguments; a text
            says why nothing is.
        made: returns what came of an action, or raises StateError where Odoo did not do it.
        then: what a dry run says where it depends on the steps before.
        again: whether doing it may leave more to be done.
    """

    allowed: Sequence[AnyStep]
    left: Callable[[Odoo, Row, Mapping[str, Any]], list[Action] | str]
    made: Callable[[Odoo, Row, Any], list[RecordName]]
    then: str
    again: bool = False


def amount_due(invoices: Sequence[Invoice]) -> float:
    """Return what is left to pay of posted invoices, less what credit notes give back."""
    due = 0.0
    for invoice in invoices:
        if invoice.state == "posted" and invoice.payment_state not in _SETTLED:
            back = invoice.type == "out_refund"
            due += -invoice.amount_residual if back else invoice.amount_residual
    return round(due, 6)


def check_confirmed(row: Row) -> None:
    """Refuse what needs a confirmed order of any other."""
    if row["state"] not in CONFIRMED:
        todo = "Confirm it first: the step confirm."
        if row["state"] == "cancel":
            todo = "A cancelled order goes no further."
        message = f"{row['name']} is not a confirmed order (state {row['state']})."
        raise state_error(ORDER, row, message, todo)


# What is left to be done --------------------------------------------------------------------------


def _to_confirm(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    if row["state"] in CONFIRMED:
        return f"It is confirmed already (state {row['state']})."
    return [partial(confirm_order, odoo, order_id=row["id"])]


def _to_deliver(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    if not row["picking_ids"]:
        return "It has no deliveries."
    deliveries = read_deliveries(odoo, row["picking_ids"])
    opened = [item for item in deliveries if item.state not in ("done", "cancel")]
    ours = [item for item in opened if item.type in _OURS]
    # One that waits is made ready by those before it: it comes in the next round.
    ready = [item for item in ours if item.state != "waiting"] or ours
    if ready:
        return [partial(_validate, odoo, item.id) for item in sorted(ready, key=lambda i: i.id)]
    others = ", ".join(f"{item.name} ({item.type})" for item in opened)
    return "Nothing is left to deliver." + (f" Not ours to deliver: {others}." if others else "")


def _validate(odoo: Odoo, picking_id: int, dry_run: bool) -> Transfer | Plan:
    try:
        return transfers.validate_picking(odoo, picking_id=picking_id, dry_run=dry_run)
    except StateError as error:
        # What can be chosen is chosen there.
        error.suggestion = f"With validate_picking: {error.suggestion}"
        raise


def _to_invoice(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    status = row["invoice_status"]
    if status in ("invoiced", "upselling"):
        return "It is invoiced already."
    if status == "no" and any(item.state != "cancel" for item in _invoices(odoo, row)):
        return "Nothing more of it can be invoiced now."
    return [partial(create_invoices, odoo, order_id=row["id"])]


def _to_post(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    invoices = _live_invoices(odoo, row, "post")
    drafts = [item for item in invoices if item.state == "draft"]
    if not drafts:
        return f"Posted already: {_listed(invoices)}."
    return [partial(post_invoice, odoo, invoice_id=item.id) for item in drafts]


def _to_pay(odoo: Odoo, row: Row, how: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    invoices = _live_invoices(odoo, row, "pay")
    posted = [item for item in invoices if item.state == "posted"]
    due = [
        item
        for item in posted
        if item.type == "out_invoice" and item.payment_state in _UNPAID and item.amount_residual
    ]
    if due:
        # The amount is given: without one Odoo would propose less, such as the next instalment
        # only, and the rest would be paid whenever this is repeated.
        return [
            partial(
                register_payment,
                odoo,
                invoice_ids=[item.id],
                amount=item.amount_residual,
                **how,
            )
            for item in due
        ]
    if not posted:
        message = f"Of {row['name']} no invoice is posted, so nothing can be paid."
        raise state_error(ORDER, row, message, f"Post it first: {_listed(invoices)}.")
    told = ", ".join(f"{item.name} is {item.payment_state}" for item in posted)
    return f"Nothing is left to pay: {told}."


def _invoices(odoo: Odoo, row: Row) -> list[Invoice]:
    return read_invoices(odoo, row["invoice_ids"] or ())


def _live_invoices(odoo: Odoo, row: Row, verb: str) -> list[Invoice]:
    live = [item for item in _invoices(odoo, row) if item.state != "cancel"]
    if not live:
        message = f"{row['name']} has no invoice to {verb}."
        raise state_error(ORDER, row, message, "Make it first: the step invoice.")
    return live


def _listed(invoices: Sequence[Invoice]) -> str:
    return ", ".join(f"{item.name} (id {item.id})" for item in invoices)


# What came of it ----------------------------------------------------------------------------------


def _confirmed(odoo: Odoo, row: Row, result: OrderResult) -> list[RecordName]:
    if not result.confirmed:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=item.id, name=item.name) for item in result.deliveries or ()]


def _delivered(odoo: Odoo, row: Row, result: Transfer) -> list[RecordName]:
    if not result.validated:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"transfer {result.id}")]


def _invoiced(odoo: Odoo, row: Row, result: InvoiceResult) -> list[RecordName]:
    if result.invoices:
        return [RecordName(id=item.id, name=item.name) for item in result.invoices]
    # They may be there, and closed to this user.
    made = new_invoices(odoo, row)
    if not made:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=number, name=f"invoice {number}") for number in made]


def _posted(odoo: Odoo, row: Row, result: Any) -> list[RecordName]:
    if not result.posted:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"invoice {result.id}")]


def _paid(odoo: Odoo, row: Row, result: PaymentResult) -> list[RecordName]:
    return [
        RecordName(id=item.id, name=item.name or f"payment {item.id}") for item in result.payments
    ]


def _not_done(row: Row, message: str, warnings: Sequence[str]) -> StateError:
    told = " ".join([message, *warnings])
    return state_error(ORDER, row, told, "Look at it in Odoo, then call this again.")


def _unseen(odoo: Odoo, number: int) -> None:
    """Steps that are only asked of the policy are not looked for."""


STAGES: Mapping[StepName, Stage] = {
    "confirm": Stage(
        allowed=(CONFIRM,),
        left=_to_confirm,
        made=_confirmed,
        then="",
    ),
    "deliver": Stage(
        allowed=(transfers.CONFIRM, transfers.RESERVE, Enter(), transfers.VALIDATE),
        left=_to_deliver,
        made=_delivered,
        then="Would deliver what there is to deliver then, if all of it is in stock.",
        again=True,
    ),
    "invoice": Stage(
        allowed=(WizardStep(model=ORDER.model, wizard="sale.advance.payment.inv", seen=_unseen),),
        left=_to_invoice,
        made=_invoiced,
        then="Would invoice what can be invoiced then.",
    ),
    "post": Stage(
        allowed=(POST,),
        left=_to_post,
        made=_posted,
        then="Would post the invoices that are drafts then.",
    ),
    "pay": Stage(
        allowed=(WizardStep(model=INVOICE.model, wizard="account.payment.register", seen=_unseen),),
        left=_to_pay,
        made=_paid,
        then="Would pay what is open of its invoices then.",
    ),
}
