"""Several orders in one call, each taken through the stages after the quotation.

quotation -> confirm -> deliver -> invoice -> post -> pay; each stage finds what is to be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.actions import POST, post_invoice
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.apps.accounting.order_payments import SETTLED, UNPAID, paying_journal
from odoo_toolkit.apps.accounting.payments import PaymentResult, register_payment
from odoo_toolkit.apps.inventory import actions as transfers
from odoo_toolkit.apps.inventory.entries import Enter
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.sales.actions import (
    InvoiceResult,
    confirm_order,
    create_invoices,
    new_invoices,
)
from odoo_toolkit.apps.sales.orders import (
    CONFIRMED,
    ORDER,
    Invoice,
    Order,
    read_deliveries,
    read_invoices,
)
from odoo_toolkit.apps.sales.quotations import CONFIRM
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import (
    StateError,
)
from odoo_toolkit.operations.documents import (
    Row,
    state_error,
)
from odoo_toolkit.operations.lines import IdOrName, NameOrId, checked_day
from odoo_toolkit.operations.processing import (
    MOST_ORDERS,
    Action,
    Outcome,
    Stage,
    Way,
    checked_steps,
    find_orders,
    not_done,
    only_for,
    run,
    unseen,
)
from odoo_toolkit.operations.steps import WizardStep, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.results import RecordName

StepName = Literal["confirm", "deliver", "invoice", "post", "pay"]

#: Transfers to the customer, and those before them; what a vendor or the customer himself brings
#: is no delivery of ours.
_OURS = ("outgoing", "internal")


def amount_due(invoices: Sequence[Invoice]) -> float:
    """Return what is left to pay of posted invoices, less what credit notes give back."""
    due = 0.0
    for invoice in invoices:
        if invoice.state == "posted" and invoice.payment_state not in SETTLED:
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
        return f"It is already confirmed (state {row['state']})."
    return [partial(confirm_order, odoo, order_id=row["id"])]


def _to_deliver(odoo: Odoo, row: Row, how: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    if not row["picking_ids"]:
        return "It has no deliveries."
    deliveries = read_deliveries(odoo, row["picking_ids"])
    opened = [item for item in deliveries if item.state not in ("done", "cancel")]
    ours = [item for item in opened if item.type in _OURS]
    # One that waits is made ready by those before it: it comes in the next round.
    ready = [item for item in ours if item.state != "waiting"] or ours
    if ready:
        return [
            partial(_validate, odoo, item.id, unreserved=how["unreserved"])
            for item in sorted(ready, key=lambda i: i.id)
        ]
    others = ", ".join(f"{item.name} ({item.type})" for item in opened)
    return "Nothing is left to deliver." + (f" Not ours to deliver: {others}." if others else "")


def _validate(odoo: Odoo, picking_id: int, unreserved: bool, dry_run: bool) -> Transfer | Plan:
    try:
        return transfers.validate_picking(
            odoo, picking_id=picking_id, unreserved=unreserved, dry_run=dry_run
        )
    except StateError as error:
        # What can be chosen is chosen there.
        error.suggestion = f"With validate_picking: {error.suggestion}"
        raise


def _to_invoice(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    status = row["invoice_status"]
    if status in ("invoiced", "upselling"):
        return "It is already invoiced."
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
        if item.type == "out_invoice" and item.payment_state in UNPAID and item.amount_residual
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
                **how["payment"],
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


def _confirmed(odoo: Odoo, row: Row, result: Order) -> list[RecordName]:
    if result.state not in (None, *CONFIRMED):
        raise not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=item.id, name=item.name) for item in result.deliveries or ()]


def _delivered(odoo: Odoo, row: Row, result: Transfer) -> list[RecordName]:
    if not result.validated:
        raise not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"transfer {result.id}")]


def _invoiced(odoo: Odoo, row: Row, result: InvoiceResult) -> list[RecordName]:
    if result.invoices:
        return [RecordName(id=item.id, name=item.name) for item in result.invoices]
    # They may be there, and closed to this user.
    made = new_invoices(odoo, row)
    if not made:
        raise not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=number, name=f"invoice {number}") for number in made]


def _posted(odoo: Odoo, row: Row, result: Any) -> list[RecordName]:
    if result.state not in (None, "posted"):
        raise not_done(ORDER, row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"invoice {result.id}")]


def _paid(odoo: Odoo, row: Row, result: PaymentResult) -> list[RecordName]:
    return [
        RecordName(id=item.id, name=item.name or f"payment {item.id}") for item in result.payments
    ]


STAGES: Mapping[str, Stage] = {
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
        then="Would deliver everything then, if all of it is in stock.",
        again=True,
    ),
    "invoice": Stage(
        allowed=(WizardStep(model=ORDER.model, wizard="sale.advance.payment.inv", seen=unseen),),
        left=_to_invoice,
        made=_invoiced,
        then="Would invoice everything that can be invoiced then.",
    ),
    "post": Stage(
        allowed=(POST,),
        left=_to_post,
        made=_posted,
        then="Would post the invoices that are drafts then.",
    ),
    "pay": Stage(
        allowed=(WizardStep(model=INVOICE.model, wizard="account.payment.register", seen=unseen),),
        left=_to_pay,
        made=_paid,
        then="Would pay the open amount of its invoices then.",
    ),
}


STEPS: tuple[StepName, ...] = get_args(StepName)


@attrs.frozen(kw_only=True)
class OrderOutcome(Outcome):
    """What became of one order.

    Attributes:
        done: by step, what came of it: the deliveries that confirming made, those that were
            validated, the invoices that were made, those that were posted, the payments. The step
            where it stopped is among them if it had done a part.
        not_needed: by step, why there was nothing to do.
        actions: by step, what a dry run would do.
        stopped_at: the step that could not be done; those after it were not tried.
        error: why, as an error object.
        tried: False where the connection was lost before this order had its turn.
        state, invoice_status, amount_due: afterwards; None where they are not known.
        amount_due: what is left to pay of its posted invoices.
        invoices: afterwards, with due date and payment term.
    """

    invoices: list[Invoice] = attrs.Factory(list)
    stopped_at: StepName | None = None


@attrs.frozen(kw_only=True)
class ProcessResult(Shown):
    """What became of several orders, in the order in which they were given."""

    message: str
    orders: list[OrderOutcome]


@attrs.frozen(kw_only=True)
class OrdersPlan(Plan):
    """What would become of several orders; ``calls`` are those that can be known before."""

    orders: list[OrderOutcome]


@operation
def process_orders(
    odoo: Odoo,
    *,
    orders: Annotated[
        Sequence[IdOrName],
        Len(1, MOST_ORDERS),
        Doc("Ids or numbers."),
    ],
    steps: Annotated[
        Sequence[StepName], Doc("Only these steps; default: all that remain.")
    ] = STEPS,
    journal_id: Annotated[
        NameOrId, Doc("Id or name of the bank or cash journal that pays.")
    ] = None,
    payment_date: Annotated[str | None, Doc("YYYY-MM-DD; default: today.")] = None,
    unreserved: Annotated[
        bool, Doc("Deliver the full demand, reserved or not; stock can go below zero.")
    ] = False,
    dry_run: DryRun = False,
) -> ProcessResult | Plan:
    """Confirm, deliver, invoice, post and pay orders, or some of these steps; each by itself.

    An order goes through the steps until one cannot be done; the others go on. Nothing is forced:
    a delivery is validated when all of it is there, unless ``unreserved`` says otherwise. Each step
    looks at the order's state first, so that calling it again goes on where it stopped and does
    nothing twice. Invoices are of what can be invoiced then; they are paid in full, without an
    early payment discount. An invoice that belongs to several orders is posted and paid as a whole;
    credit notes are never paid out.

    Where the connection is lost, the orders that follow are not tried.

    Round trips: 1, and per order 2, 6 to confirm, 11 for a delivery, 7 to invoice, 5 to post and 11
    to pay an invoice.

    >>> found = process_orders(odoo, orders=["S1", "S3"], steps=["confirm", "deliver"])
    >>> [(order.name, order.complete) for order in found.orders]
    [('S1', True), ('S3', True)]

    Args:
        odoo: the connection.
        orders: 1 to 50, each by its id or number, none twice.
        steps: any of confirm, deliver, invoice, post and pay; made in this order always.
        journal_id: the bank or cash journal of the payments, by its id or name; by default the
            first bank.
        payment_date: a day; today by default.
        unreserved: whether to deliver the full demand, even if it is reserved for other orders or
            not in stock; a warning names what is below zero then.
        dry_run: return an :class:`OrdersPlan`, which says per order what would be done, as far as
            it can be known; write nothing.

    Raises:
        ValidationError: a step, journal or date is wrong, or an order is given twice; nothing was
            written, as after the errors below.
        NotFoundError: there is no such order.
        AmbiguousNameError: a number or name means several.
        AccessError: the policy forbids one of the steps.
    """
    asked = checked_steps(steps, STAGES)
    allowed = (step for name in asked for step in STAGES[name].allowed)
    permit(odoo, *allowed, dry_run=dry_run)
    only_for("pay", asked, journal_id=journal_id, payment_date=payment_date)
    only_for("deliver", asked, unreserved=unreserved)
    day = checked_day(payment_date, "payment_date")
    rows = find_orders(odoo, _ORDERS, orders)
    paying = {"payment_date": day, "journal_id": paying_journal(odoo, journal_id, rows)}
    how = {"payment": paying, "unreserved": unreserved}
    ran = run(odoo, _WAY, rows, asked, how, dry_run=dry_run)
    if dry_run:
        return OrdersPlan(**ran.told(), orders=ran.outcomes)
    return ProcessResult(message=ran.message, orders=ran.outcomes)


def _after(odoo: Odoo, row: Row) -> dict[str, Any]:
    invoices = read_invoices(odoo, row["invoice_ids"] or ())
    return {"amount_due": amount_due(invoices), "invoices": invoices}


_ORDERS = attrs.evolve(ORDER, argument="orders", fields=(*ORDER.fields, "company_id"))
_WAY = Way(document=ORDER, stages=STAGES, outcome=OrderOutcome, after=_after)
