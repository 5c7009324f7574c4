"""A function that takes several purchase orders from the receipt to the payment of the bill.

The stages are request -> confirm -> receive -> bill -> post -> pay. Each stage finds out what it
has to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import Invoice
from odoo_toolkit.apps.accounting.order_payments import Billing, paying_journal
from odoo_toolkit.apps.inventory import actions as transfers
from odoo_toolkit.apps.inventory.entries import Enter
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.purchase.actions import CONFIRM, confirm_order
from odoo_toolkit.apps.purchase.fulfilment import BILL, WRITE, create_bill
from odoo_toolkit.apps.purchase.orders import (
    CONFIRMED,
    ORDER,
    Bill,
    Order,
    read_bills,
    read_receipts,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, ValidationError
from odoo_toolkit.records.results import RecordName

StepName = Literal["confirm", "receive", "bill", "post", "pay"]
STEPS: tuple[StepName, ...] = get_args(StepName)
#: Confirming orders goods; so it is done only where it is asked for.
_USUAL: tuple[StepName, ...] = STEPS[1:]


def check_confirmed(row: op.Row) -> None:
    """Refuse what needs a confirmed order of any other."""
    if row["state"] not in CONFIRMED:
        todo = "Confirm it first: the step confirm."
        if row["state"] == "to approve":
            todo = "The order must be approved first. confirm_order names the approvers."
        if row["state"] == "cancel":
            todo = "A cancelled order goes no further."
        message = f"{row['name']} is not a confirmed order (state {row['state']})."
        raise op.state_error(ORDER, row, message, todo)


# What is left to be done --------------------------------------------------------------------------


def _to_confirm(odoo: Odoo, row: op.Row, _: Mapping[str, Any]) -> list[op.Action] | str:
    if row["state"] in CONFIRMED:
        return f"It is already confirmed (state {row['state']})."
    return [partial(confirm_order, odoo, order_id=row["id"])]


def _to_receive(odoo: Odoo, row: op.Row, _: Mapping[str, Any]) -> list[op.Action] | str:
    check_confirmed(row)
    receipts = read_receipts(odoo, row["id"])
    opened = [item for item in receipts if item.state not in ("done", "cancel")]
    ours = [item for item in opened if item.type in ("incoming", "internal")]
    # One that waits is made ready by those before it: it comes in the next round.
    ready = [item for item in ours if item.state != "waiting"] or ours
    if ready:
        return [partial(_validate, odoo, item.id) for item in sorted(ready, key=lambda i: i.id)]
    others = ", ".join(f"{item.name} ({item.type})" for item in opened)
    told = "Nothing is left to receive." if receipts else "It has no receipts."
    return told + (f" Not receipts: {others}." if others else "")


def _validate(odoo: Odoo, picking_id: int, dry_run: bool) -> Transfer | op.Plan:
    try:
        return transfers.validate_picking(odoo, picking_id=picking_id, dry_run=dry_run)
    except StateError as error:
        # What can be chosen is chosen there.
        error.suggestion = f"With receive: {error.suggestion}"
        raise


def _to_bill(odoo: Odoo, row: op.Row, how: Mapping[str, Any]) -> list[op.Action] | str:
    check_confirmed(row)
    left: list[Any] = [["order_id", "=", row["id"]], ["qty_to_invoice", "!=", 0]]
    lines = op.read_rows(
        odoo, "purchase.order.line", left, ["qty_to_invoice"], acts_on=ORDER.model, limit=400
    )
    if not lines and row["invoice_ids"]:
        return "Nothing more of it can be billed now."
    if lines and all(line["qty_to_invoice"] < 0 for line in lines):
        return "Only a refund is left to make, with return_order or create_bill."
    return [partial(create_bill, odoo, order_id=row["id"], **how["bill"])]


def _bills(odoo: Odoo, row: op.Row) -> list[Bill]:
    return read_bills(odoo, row["id"]) if row["invoice_ids"] else []


# What came of it ----------------------------------------------------------------------------------


def _confirmed(odoo: Odoo, row: op.Row, result: Order) -> list[RecordName]:
    if result.state not in (None, *CONFIRMED):
        raise op.not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=item.id, name=item.name) for item in result.receipts]


def _received(odoo: Odoo, row: op.Row, result: Transfer) -> list[RecordName]:
    if not result.validated:
        raise op.not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"transfer {result.id}")]


def _billed(odoo: Odoo, row: op.Row, result: Invoice) -> list[RecordName]:
    return [RecordName(id=result.id, name=result.name or f"draft bill {result.id}")]


_BILLING = Billing(order=ORDER, noun="bill", type="in_invoice", read=_bills, check=check_confirmed)

STAGES: Mapping[str, op.Stage] = {
    "confirm": op.Stage(allowed=(CONFIRM,), left=_to_confirm, made=_confirmed, then=""),
    "receive": op.Stage(
        allowed=(transfers.CONFIRM, transfers.RESERVE, Enter(), transfers.VALIDATE),
        left=_to_receive,
        made=_received,
        then="Would receive all that is ordered then.",
        again=True,
    ),
    "bill": op.Stage(
        allowed=(BILL, WRITE),
        left=_to_bill,
        made=_billed,
        then="Would bill everything that can be billed then.",
    ),
    **_BILLING.stages(),
}


@attrs.frozen(kw_only=True)
class OrderOutcome(op.Outcome):
    """The result of one order.

    Attributes:
        done: Step -> its result: new receipts, validated receipts, new bills, posted bills,
            payments. It includes the failed step if that was partly done.
        not_needed: Step -> reason why there was nothing to do.
        actions: Step -> what a dry run would do.
        stopped_at: The step that failed. Later steps were not tried.
        error: Reason of the failure, as an error object.
        tried: False if the connection broke before this order.
        amount_due: Unpaid amount of its posted bills.
        bills: Bills after the steps, with due date and payment term.
        state, invoice_status: State after the steps. None if it is unknown.
    """

    bills: list[Bill] = attrs.Factory(list)
    stopped_at: StepName | None = None


@attrs.frozen(kw_only=True)
class ProcessResult(op.Shown):
    """The results of several orders, in your order."""

    message: str
    orders: list[OrderOutcome]


@attrs.frozen(kw_only=True)
class OrdersPlan(op.Plan):
    """The plan for several orders. ``calls`` lists the calls that are known in advance."""

    orders: list[OrderOutcome]


@op.operation
def process_orders(
    odoo: Odoo,
    *,
    orders: Annotated[Sequence[op.IdOrName], Len(1, op.MOST_ORDERS), Doc("Ids or numbers.")],
    steps: Annotated[
        Sequence[StepName], Doc("Steps to run. Default: all but confirm, which orders the goods.")
    ] = _USUAL,
    ref: Annotated[str | None, Doc("The vendor's bill number, for one order.")] = None,
    invoice_date: Annotated[str | None, Doc("Bill date, YYYY-MM-DD. Default: today.")] = None,
    journal_id: Annotated[
        op.NameOrId, Doc("Journal of the payment. Default: the first bank.")
    ] = None,
    payment_date: Annotated[str | None, Doc("YYYY-MM-DD. Default: today.")] = None,
    dry_run: op.DryRun = False,
) -> ProcessResult | op.Plan:
    """Receive, bill, post and pay several purchase orders, or do some of these steps.

    >>> found = process_orders(odoo, orders=["P00012"], steps=["bill", "post"])
    >>> [(order.name, order.complete) for order in found.orders]
    [('P00012', True)]

    Each order goes through the steps until one fails, while the other orders continue. Pass 1 to 50
    orders, none of them twice. The steps always run in the order confirm, receive, bill, post, pay.
    Unless you pass the step ``confirm``, a request for quotation is rejected. Each step first
    checks the state of the order, so you can call the function again to continue without doing
    anything twice.

    The ordered quantity is received in full. To receive less, or lots, call :func:`receive` first.
    Bills contain everything that can be billed at that time, and are paid in full. The number of a
    bill defaults to the vendor's reference of its order. A bill of several orders is posted and
    paid as a whole. Refunds are never paid out.

    If the connection breaks, the remaining orders are not tried. A dry run returns an
    :class:`OrdersPlan`.

    It takes 1 request, and for each order 2, plus 4 to confirm, 10 for a receipt, 6 to bill, 5 to
    post and 11 to pay a bill.

    Raises:
        ValidationError: A step, journal or date is wrong, or you passed an order twice. Nothing was
            written, as after the errors below.
        NotFoundError: The order does not exist.
        AmbiguousNameError: A number or name matches several records.
        AccessError: The policy does not allow one of the steps.
    """
    asked = op.checked_steps(steps, STAGES)
    allowed = (step for name in asked for step in STAGES[name].allowed)
    op.permit(odoo, *allowed, dry_run=dry_run)
    op.only_for("pay", asked, journal_id=journal_id, payment_date=payment_date)
    op.only_for("bill", asked, ref=ref, invoice_date=invoice_date)
    day = op.checked_day(payment_date, "payment_date")
    bill = {"ref": ref, "invoice_date": op.checked_day(invoice_date, "invoice_date")}
    rows = op.find_orders(odoo, _ORDERS, orders)
    if ref is not None and len(rows) > 1:
        raise ValidationError(
            "ref is the number of one bill, but several orders were passed.",
            suggestion="Omit ref, or process each order in its own call.",
            details={"field": "ref"},
        )
    paying = {"payment_date": day, "journal_id": paying_journal(odoo, journal_id, rows)}
    how = {"payment": paying, "bill": bill}
    ran = op.run(odoo, _WAY, rows, asked, how, dry_run=dry_run)
    if dry_run:
        return OrdersPlan(**ran.told(), orders=ran.outcomes)
    return ProcessResult(message=ran.message, orders=ran.outcomes)


_ORDERS = attrs.evolve(ORDER, argument="orders")
_WAY = op.Way(document=ORDER, stages=STAGES, outcome=OrderOutcome, after=_BILLING.after)
