"""A function that takes several orders from the quotation to the payment.

The stages are quotation -> confirm -> deliver -> invoice -> post -> pay. Each stage finds out what
it has to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.order_payments import Billing, paying_journal
from odoo_toolkit.apps.inventory.actions import Ordered, moving
from odoo_toolkit.apps.sales import actions
from odoo_toolkit.apps.sales.orders import (
    CONFIRMED,
    ORDER,
    Invoice,
    check_confirmed,
    read_deliveries,
    read_invoices,
)
from odoo_toolkit.apps.sales.quotations import CONFIRM
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

StepName = Literal["confirm", "deliver", "invoice", "post", "pay"]


def _to_invoice(odoo: Odoo, row: op.Row, _: Mapping[str, Any]) -> list[op.Action] | str:
    check_confirmed(row)
    status = row["invoice_status"]
    if status == "invoiced" and not row["invoice_ids"]:
        raise op.state_error(
            ORDER,
            row,
            f"Nothing of {row['name']} is invoiced, though Odoo calls it invoiced: its transfers "
            "are done or cancelled, and nothing is delivered.",
            "See the delivered quantities with get_order, and deliver the order first.",
        )
    if status in ("invoiced", "upselling"):
        return "The order is already invoiced."
    if status == "no" and any(item.state != "cancel" for item in _invoices(odoo, row)):
        return "Nothing more of the order can be invoiced now."
    return [partial(actions.create_invoices, odoo, order_id=row["id"])]


def _invoices(odoo: Odoo, row: op.Row) -> list[Invoice]:
    return read_invoices(odoo, row["invoice_ids"] or ())


def _invoiced(odoo: Odoo, row: op.Row, result: actions.InvoiceResult) -> list[RecordName]:
    if result.invoices:
        return [RecordName(id=item.id, name=item.name) for item in result.invoices]
    # They may be there, and closed to this user.
    made = actions.new_invoices(odoo, row)
    if not made:
        raise op.not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=number, name=f"invoice {number}") for number in made]


_BILLING = Billing(
    order=ORDER, noun="invoice", type="out_invoice", read=_invoices, check=check_confirmed
)

_ORDERED = Ordered(
    model="sale.order.line",
    ordered="product_uom_qty",
    done="qty_delivered",
    by=("qty_delivered_method", "stock_move"),
    moved="delivered",
)

STEPS: tuple[StepName, ...] = get_args(StepName)


@attrs.frozen(kw_only=True)
class OrderOutcome(op.Outcome):
    """The result of one order.

    Attributes:
        done: Step -> its result: new deliveries, validated deliveries, new invoices, posted
            invoices, payments. It includes the failed step if that was partly done.
        not_needed: Step -> reason why there was nothing to do.
        actions: Step -> what a dry run would do.
        stopped_at: The step that failed. Later steps were not tried.
        error: Reason of the failure, as an error object.
        tried: False if the connection broke before this order.
        amount_due: Unpaid amount of its posted invoices.
        invoices: Invoices after the steps, with due date and payment term.
        state, invoice_status: State after the steps. None if it is unknown.
    """

    invoices: list[Invoice] = attrs.Factory(list)
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
    steps: Annotated[Sequence[StepName], Doc("Only these steps. Default: all remaining.")] = STEPS,
    journal_id: Annotated[
        op.NameOrId, Doc("Bank or cash journal for the payment: id or name.")
    ] = None,
    payment_date: Annotated[str | None, Doc("YYYY-MM-DD. Default: today.")] = None,
    unreserved: Annotated[
        bool, Doc("Deliver the full demand, reserved or not. Stock can become negative.")
    ] = False,
    dry_run: op.DryRun = False,
) -> ProcessResult | op.Plan:
    """Confirm, deliver, invoice, post and pay several orders, or do some of these steps.

    >>> found = process_orders(odoo, orders=["S1", "S3"], steps=["confirm", "deliver"])
    >>> [(order.name, order.complete) for order in found.orders]
    [('S1', True), ('S3', True)]

    Each order goes through the steps until one fails, while the other orders continue. Pass 1 to 50
    orders, none of them twice. The steps always run in the order above. Each step first checks the
    state of the order, so you can call the function again to continue without doing anything twice.

    A delivery is validated when all of it is reserved. With ``unreserved=True`` a delivery may use
    stock that is reserved for other orders or missing, and a warning lists products below zero.

    Invoices contain everything that can be invoiced at that time. They are paid in full, without an
    early payment discount. The journal defaults to the first bank. An invoice of several orders is
    posted and paid as a whole. Credit notes are never paid out.

    If the connection breaks, the remaining orders are not tried. A dry run returns an
    :class:`OrdersPlan`.

    It takes 1 request, and for each order 2, plus 6 to confirm, 11 for a delivery, 7 to invoice, 5
    to post and 11 to pay an invoice.

    Raises:
        ValidationError: A step, journal or date is wrong, or you passed an order twice. Nothing was
            written, as after the errors below.
        NotFoundError: The order does not exist.
        AmbiguousNameError: A number or name matches several records.
        AccessError: The policy does not allow one of the steps.
    """
    options: dict[str, dict[str, Any]] = {
        "deliver": {"unreserved": unreserved},
        "pay": {"journal_id": journal_id, "payment_date": payment_date},
    }
    return op.process(odoo, _WAY, orders, steps, options, dry_run=dry_run)


_WAY = op.Way(
    document=ORDER,
    stages={
        "confirm": op.confirming(ORDER, CONFIRMED, CONFIRM, actions.confirm_order, "deliveries"),
        "deliver": moving(
            ORDER,
            check_confirmed,
            lambda odoo, row: read_deliveries(odoo, row["picking_ids"]),
            ours="outgoing",
            verb="deliver",
            chosen="validate_picking",
            then="Would then deliver everything, if it is all in stock.",
            lines=_ORDERED,
        ),
        "invoice": op.Stage(
            allowed=(
                op.WizardStep(model=ORDER.model, wizard="sale.advance.payment.inv", seen=op.unseen),
            ),
            left=_to_invoice,
            made=_invoiced,
            then="Would then invoice everything that can be invoiced.",
        ),
        **_BILLING.stages(),
    },
    outcome=OrderOutcome,
    result=ProcessResult,
    plan=OrdersPlan,
    after=_BILLING.after,
    paying=paying_journal,
)
