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
from odoo_toolkit.apps.inventory.actions import moving
from odoo_toolkit.apps.purchase.fulfilment import BILL, ORDERED, WRITE, create_bill
from odoo_toolkit.apps.purchase.orders import (
    CONFIRM,
    CONFIRMED,
    ORDER,
    Bill,
    check_confirmed,
    confirm_order,
    read_bills,
    read_receipts,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

StepName = Literal["confirm", "receive", "bill", "post", "pay"]
STEPS: tuple[StepName, ...] = get_args(StepName)
#: Confirming orders goods; so it is done only where it is asked for.
_USUAL: tuple[StepName, ...] = STEPS[1:]


def _to_bill(odoo: Odoo, row: op.Row, how: Mapping[str, Any]) -> list[op.Action] | str:
    check_confirmed(row)
    left: list[Any] = [["order_id", "=", row["id"]], ["qty_to_invoice", "!=", 0]]
    lines = op.read_rows(
        odoo, "purchase.order.line", left, ["qty_to_invoice"], acts_on=ORDER.model, limit=400
    )
    if not lines and row["invoice_ids"]:
        return "Nothing more of the order can be billed now."
    if lines and all(line["qty_to_invoice"] < 0 for line in lines):
        return "Only a refund is left. Create it with return_order or create_bill."
    return [partial(create_bill, odoo, order_id=row["id"], **how)]


def _bills(odoo: Odoo, row: op.Row) -> list[Bill]:
    return read_bills(odoo, row["id"]) if row["invoice_ids"] else []


def _billed(odoo: Odoo, row: op.Row, result: Invoice) -> list[RecordName]:
    return [RecordName(id=result.id, name=result.name or f"draft bill {result.id}")]


_BILLING = Billing(order=ORDER, noun="bill", type="in_invoice", read=_bills, check=check_confirmed)


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
        op.NameOrId, Doc("Payment journal. Default: the first bank journal.")
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
    given = plain(orders)
    if ref is not None and isinstance(given, list) and len(given) > 1:
        raise invalid(
            "ref",
            "ref is a single bill's number, but you passed several orders.",
            "Omit ref, or process each order in a separate call.",
        )
    options: dict[str, dict[str, Any]] = {
        "bill": {"ref": ref, "invoice_date": invoice_date},
        "pay": {"journal_id": journal_id, "payment_date": payment_date},
    }
    return op.process(odoo, _WAY, orders, steps, options, dry_run=dry_run)


_WAY = op.Way(
    document=ORDER,
    stages={
        "confirm": op.confirming(ORDER, CONFIRMED, CONFIRM, confirm_order, "receipts"),
        "receive": moving(
            ORDER,
            check_confirmed,
            lambda odoo, row: read_receipts(odoo, row["id"]),
            ours="incoming",
            verb="receive",
            chosen="receive",
            then="Would then receive everything that is ordered.",
            lines=ORDERED,
        ),
        "bill": op.Stage(
            allowed=(BILL, WRITE),
            left=_to_bill,
            made=_billed,
            then="Would then bill everything that can be billed.",
        ),
        **_BILLING.stages(),
    },
    outcome=OrderOutcome,
    result=ProcessResult,
    plan=OrdersPlan,
    after=_BILLING.after,
    paying=paying_journal,
)
