"""A purchase order as it is in Odoo, and the functions that confirm and cancel it.

A ``purchase.order`` goes draft or sent -> [button_confirm] -> purchase. If it needs a second
approval, it goes to approve -> [button_approve] -> purchase. The button button_cancel cancels all
of these, and button_draft resets a cancelled one to draft.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import INVOICE, called, unnamed, with_taxes
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError
from odoo_toolkit.records.results import RecordName

OrderId = Annotated[int | None, Doc("Purchase order id, or pass order_name.")]
OrderName = Annotated[str | None, Doc("Order number, e.g. P00012.")]

#: ``locked`` is there from 19 on, ``receipt_status`` from 16 on and with the module
#: purchase_stock.
ORDER = op.Document(
    model="purchase.order",
    noun="purchase order",
    argument="order_id",
    numbered=True,
    references="partner_ref",
    fields="""
        name state locked partner_id partner_ref origin company_id date_order date_planned
        payment_term_id amount_untaxed amount_tax amount_total currency_id invoice_status
        receipt_status order_line invoice_ids
    """,
)
LAYOUT = op.Layout(
    document=ORDER,
    noun="new request for quotation",
    lines="order_line",
    line="purchase.order.line",
    parent="order_id",
    quantity="product_qty",
    taxes=("tax_ids", "taxes_id"),
    date="date_order",
    delivery="date_planned",
    completed=19,
)
CONFIRMED = ("purchase", "done")
check_confirmed = partial(
    op.check_confirmed,
    ORDER,
    CONFIRMED,
    {"to approve": "The order must be approved first. confirm_order lists the approvers."},
)

#: What people call the states.
_STATES = {
    "draft": "a request for quotation",
    "sent": "a request for quotation that was sent",
    "to approve": "waiting for approval",
    "purchase": "a confirmed order",
    "done": "a confirmed order, and locked",
    "cancel": "cancelled",
}

#: Its taxes, up to 18, and from 19 on.
_TAXES = ("taxes_id", "tax_ids")


@attrs.frozen(kw_only=True)
class OrderLine(op.Shown):
    """A line of an order. ``name`` is set if it differs from the product's name.

    Attributes:
        taxes: Set by :func:`get_order`.
        subtotal: Amount without taxes. ``total`` includes them.
    """

    id: int
    product: RecordName | None = None
    name: str | None = None
    quantity: float
    uom: str | None = None
    price_unit: float
    discount: float = 0.0
    taxes: list[RecordName] | None = None
    subtotal: float
    total: float | None = None
    date_planned: str | None = None
    received: float = 0.0
    billed: float = 0.0
    kind: str | None = None


@attrs.frozen(kw_only=True)
class Receipt(op.Shown):
    """A transfer of an order: from the vendor (incoming), or back (outgoing)."""

    id: int
    name: str
    state: str
    type: str | None = None
    scheduled_date: str | None = None
    date_done: str | None = None


@attrs.frozen(kw_only=True)
class Bill(op.Shown):
    """A bill or refund of an order. A draft may have no number yet."""

    id: int
    name: str
    state: str
    type: str
    ref: str | None = None
    invoice_date: str | None = None
    invoice_date_due: str | None = None
    payment_term: RecordName | None = None
    payment_state: str | None = None
    amount_untaxed: float | None = None
    amount_total: float
    amount_residual: float


@attrs.frozen(kw_only=True)
class Order(op.Shown):
    """A purchase order, as it is in Odoo now.

    Attributes:
        name: Number of the order. None, like the state and amounts, only if it could not be read.
        url: Address of the order in Odoo's web client.
        state: ``draft``, ``sent``, ``to approve``, ``purchase`` or ``cancel``. Odoo 18 and earlier
            also have ``done``, which means locked.
        confirmed: True if it is a purchase order now.
        cancelled: True if it is cancelled now.
        locked: True if it is locked for changes. It means the same on all versions.
        origin: Source document.
        amount_untaxed, amount_total: Amount without taxes, and with them.
        invoice_status: ``no`` (nothing to bill now), ``to invoice`` or ``invoiced``.
        receipt_status: ``pending``, ``partial`` or ``full``, on Odoo 16 and later.
        lines: The first lines. ``line_count`` is the number of all lines.
        approvers: People who can approve it, if it waits for approval.
        message: The change, after a change. Otherwise the state.
        warnings: Differences from the request, and documents that could not be read.
    """

    id: int
    name: str | None = None
    url: str | None = None
    state: str | None = None
    confirmed: bool
    cancelled: bool = False
    locked: bool = False
    message: str
    partner: RecordName | None = None
    partner_ref: str | None = None
    origin: str | None = None
    date_order: str | None = None
    date_planned: str | None = None
    payment_term: RecordName | None = None
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    invoice_status: str | None = None
    receipt_status: str | None = None
    line_count: int | None = None
    lines: list[OrderLine] = attrs.Factory(list)
    receipts: list[Receipt] = attrs.Factory(list)
    bills: list[Bill] = attrs.Factory(list)
    approvers: list[RecordName] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


def get_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    line_limit: Annotated[int, Ge(0), Doc("Maximum number of lines.")] = 12,
) -> Order:
    """Return a purchase order with its lines, receipts and bills.

    >>> order = get_order(odoo, order_name="P00012")
    >>> order.state, [line.quantity for line in order.lines]
    ('draft', [5.0])

    It takes 2 requests, or 3 if there are taxes.

    Raises:
        NotFoundError: The order does not exist.
        AmbiguousNameError: Several orders match the name.
    """
    row = op.find(odoo, ORDER, order_id, order_name)
    warnings: list[str] = []
    number, told = row["id"], row["invoice_ids"]
    lines, receipts, bills = op.gather(
        lambda: (
            with_taxes(odoo, read_lines(odoo, number, line_limit), ORDER.model)
            if line_limit
            else []
        ),
        op.readable("receipts", lambda: read_receipts(odoo, number), warnings),
        op.readable("bills", lambda: read_bills(odoo, number) if told else [], warnings),
    )
    return order_of(
        row,
        lines=lines,
        receipts=receipts or [],
        bills=bills or [],
        message=f"{row['name']} is {_STATES.get(row['state'], row['state'])}.",
        warnings=warnings,
    )


def order_of(row: op.Row, **told: Any) -> Order:
    """Make the result of an order's row."""
    return op.filled(
        Order,
        row,
        confirmed=row["state"] in CONFIRMED,
        cancelled=row["state"] == "cancel",
        locked=op.is_locked(row),
        currency=op.currency_of(row),
        line_count=len(row["order_line"]),
        **told,
    )


def total_of(row: op.Row) -> str:
    """Return the total of an order in words: "115.00 USD (100.00 untaxed)"."""
    total = op.money(row["amount_total"], op.currency_of(row))
    untaxed = row["amount_untaxed"]
    taxed = untaxed is not None and round(row["amount_total"] - untaxed, 6)
    return f"{total} ({untaxed:.2f} untaxed)" if taxed else total


def read_lines(odoo: Odoo, order_id: int, limit: int | None = None) -> list[OrderLine]:
    """Return an order's lines in their order."""
    fields = op.words("product_id name product_qty price_unit discount price_subtotal price_total")
    fields += (*op.UOMS, "date_planned", "qty_received", "qty_invoiced", "display_type", *_TAXES)
    of_order = [["order_id", "=", order_id]]
    rows = op.read_rows(
        odoo, "purchase.order.line", of_order, fields, acts_on=ORDER.model, limit=limit
    )
    return [_line(row) for row in rows]


def _line(row: op.Row) -> OrderLine:
    product = row["product_id"]
    same = product and row["name"] == product.name
    return op.filled(
        OrderLine,
        row,
        name=None if same else row["name"],
        quantity=row["product_qty"],
        uom=op.uom_of(row),
        discount=row["discount"] or 0.0,
        taxes=unnamed(row[_TAXES[0]] or row[_TAXES[1]]),
        subtotal=row["price_subtotal"],
        total=row["price_total"],
        received=row["qty_received"],
        billed=row["qty_invoiced"],
        kind=(row["display_type"] or "").removeprefix("line_") or None,
    )


def read_receipts(odoo: Odoo, order_id: int) -> list[Receipt]:
    """Return the transfers of an order; none without the module purchase_stock."""
    try:
        if "purchase_id" not in odoo.schema.fields("stock.picking"):
            return []
    except NotFoundError:
        return []
    fields = ("name", "state", "picking_type_code", "scheduled_date", "date_done")
    of_order = [["purchase_id", "=", order_id]]
    rows = op.read_rows(
        odoo, "stock.picking", of_order, fields, acts_on=ORDER.model, order="id", limit=40
    )
    return [
        op.filled(Receipt, row, name=row["name"] or "", type=row["picking_type_code"])
        for row in rows
    ]


def read_bills(odoo: Odoo, order_id: int) -> list[Bill]:
    """Return the bills and refunds of an order."""
    fields = ["name", "display_name", "state", "move_type", "payment_state", "ref"]
    fields += ["invoice_date", "invoice_date_due", "invoice_payment_term_id"]
    fields += ["amount_untaxed", "amount_total", "amount_residual"]
    of_order = [*INVOICE.domain, ["invoice_line_ids.purchase_line_id.order_id", "=", order_id]]
    rows = op.read_rows(odoo, INVOICE.model, of_order, fields, order="id", limit=40)
    return [
        op.filled(
            Bill,
            row,
            name=called(row),
            type=row["move_type"],
            payment_term=row.get("invoice_payment_term_id"),
        )
        for row in rows
    ]


_GROUP = ("purchase", "group_purchase_manager")
_MOST = 200


def approvers(odoo: Odoo, row: op.Row) -> list[RecordName]:
    """Return who may approve an order: the administrators of Purchase in its company.

    None where this user cannot know; it never fails.
    """
    lookup = op.Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments=dict(zip(("module", "xml_id"), _GROUP, strict=True)),
        access="read",
        internal=True,
    )
    try:
        group = odoo.call(lookup)[1]
        # Groups that another one implies are apart from 19 on.
        fields = odoo.schema.fields("res.users")
        groups = "all_group_ids" if "all_group_ids" in fields else "groups_id"
        domain = [[groups, "in", [group]], ["company_ids", "in", [row["company_id"].id]]]
        users = op.read_rows(
            odoo,
            "res.users",
            domain,
            ["name"],
            acts_on="purchase.order",
            limit=_MOST,
            active_test=True,
        )
    except OdooError:
        return []
    return [RecordName(id=user["id"], name=user["name"]) for user in users]


def who(names: list[RecordName]) -> str:
    """Return how a message calls those who may approve."""
    people = ", ".join(f"{name.name} ({name.id})" for name in names)
    return people or "an administrator of Purchase"


CONFIRM = op.Step(
    model=ORDER.model,
    method="button_confirm",
    says="Order confirmed",
    fails="Not confirmed",
    # The button's own context: from 16 on, mandatory analytic accounts are checked by it.
    context={"validate_analytic": True},
    seen=op.shows(ORDER, state=(*CONFIRMED, "to approve")),
)
APPROVE = op.Step(
    model=ORDER.model,
    method="button_approve",
    says="Order approved",
    seen=op.shows(ORDER, state=CONFIRMED),
)
CANCEL = op.Step(
    model=ORDER.model,
    method="button_cancel",
    says="Order cancelled",
    seen=op.shows(ORDER, state=("cancel",)),
)

#: Lines that a result shows.
_SHOWN = 12

#: Last Odoo version that refuses an order of which anything was ever received, also where all of
#: it was returned; 19 looks at the state only.
_KEEPS_RECEIVED = 18


@op.operation
def confirm_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    approve: Annotated[bool, Doc("Approve an order that waits for a second approval.")] = False,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Confirm a request for quotation. It becomes a purchase order, and Odoo creates its receipt.

    >>> confirm_order(odoo, order_name="P00012").message
    'P00012 confirmed: 50.00 USD'

    If the company wants a second approval, the order may stay in the state ``to approve``. The
    result then lists the people who can approve it. It takes 3 requests, or 5 if an approval is
    necessary.

    Raises:
        StateError: The order is not a request for quotation, has no lines, or waits for an
            approval. See ``details["current_state"]`` and ``details["approvers"]``.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CONFIRM, *([APPROVE] if approve else []), dry_run=dry_run)
    row = op.find(odoo, ORDER, order_id, order_name)
    step = _confirming(odoo, row, approve)
    return op.operate(
        odoo,
        [step],
        [row["id"]],
        lambda done: order_result(odoo, done, "confirmed", confirming=True),
        message=f"Would {'confirm' if step is CONFIRM else 'approve'} {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [op.read_document(odoo, LAYOUT, row)],
    )


@op.operation
def cancel_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Cancel a request for quotation or purchase order, with its open receipts.

    >>> cancel_order(odoo, order_name="P00012").message
    'P00012 is cancelled.'

    An order that is received or billed is not cancelled, although Odoo 19 would do it. Odoo 18 and
    earlier do not cancel it even if everything was returned. Odoo does not change a draft bill.

    It takes 4 requests.

    Raises:
        StateError: The order is locked, received or billed. The message lists the documents.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CANCEL, dry_run=dry_run)
    row = op.find(odoo, ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return order_of(row, message=f"{name} was already cancelled.")
    receipts = _check_cancellable(odoo, row)
    return op.operate(
        odoo,
        [CANCEL],
        [row["id"]],
        lambda done: _cancel_result(odoo, row, done),
        message=op.would_cancel(name, receipts),
        dry_run=dry_run,
        preview=lambda: [op.read_document(odoo, LAYOUT, row)],
    )


# States ----------------------------------------------------------------------------------------


def _confirming(odoo: Odoo, row: op.Row, approve: bool) -> op.Step:
    """Return the step by which an order is confirmed, or refuse its state."""
    if row["state"] == "to approve":
        names = approvers(odoo, row)
        # 14 would let everybody approve.
        if approve and (not names or odoo.uid in [person.id for person in names]):
            return APPROVE
        told = f"is confirmed and waits for approval (state to approve) by {who(names)}."
        raise op.state_error(
            ORDER,
            row,
            f"{row['name']} {told}",
            "Ask them to approve it. If you may approve it, call confirm_order with approve=True.",
            approvers=[attrs.asdict(person) for person in names],
        )
    again = "Reset it to draft: execute button_draft on purchase.order. Then confirm it."
    op.check_confirmable(ORDER, row, again, "receipts and bills")
    return CONFIRM


def _check_cancellable(odoo: Odoo, row: op.Row) -> list[str]:
    """Refuse to cancel what is locked, received or billed; return the receipts Odoo cancels."""
    name = row["name"]
    unlock = "Unlock it: execute button_unlock on purchase.order. Then cancel it."
    op.check_unlocked(ORDER, row, unlock)
    received = [["order_id", "=", row["id"]], ["qty_received", ">", 0]]
    receipts, bills, lines = op.gather(
        lambda: read_receipts(odoo, row["id"]),
        lambda: read_bills(odoo, row["id"]) if row["invoice_ids"] else [],
        lambda: op.read_rows(
            odoo, "purchase.order.line", received, ["id"], acts_on=ORDER.model, limit=1
        ),
    )
    keeps = odoo.version.major <= _KEEPS_RECEIVED
    done = [r.name for r in receipts if r.state == "done" and r.type != "outgoing"]
    done = done if lines or keeps else []
    posted = [bill.name for bill in bills if bill.state == "posted"]
    obstacles = [f"its receipt {item} is already done" for item in done]
    obstacles += [f"its bill {item} is already posted" for item in posted]
    if obstacles:
        todo = ["return the receipt with return_picking"] if done else []
        todo += ["cancel the bill with reset_invoice"] if posted else []
        steps = " and ".join(todo)
        suggestion = f"First {steps}, then cancel the order."
        if done and keeps:
            suggestion = f"To undo it, {steps}. The order stays, because Odoo 18 and earlier cannot"
            suggestion += " cancel an order after receiving a part of it."
        message = f"{name} cannot be cancelled: {', and '.join(obstacles)}."
        raise op.state_error(ORDER, row, message, suggestion)
    return [receipt.name for receipt in receipts if receipt.state not in ("done", "cancel")]


# Results ---------------------------------------------------------------------------------------


def order_result(odoo: Odoo, done: op.Done, verb: str, *, confirming: bool = False) -> Order:
    """Read an order back, with its lines unless it was just confirmed, and its receipts.

    Args:
        odoo: the connection.
        done: what was done to it.
        verb: created, confirmed or changed.
        confirming: whether it is to be confirmed now. Otherwise it has no receipts.
    """
    created = verb == "created"
    read_again = op.afterwards(
        lambda: op.gather(
            lambda: op.read(odoo, ORDER, done.id),
            lambda: read_lines(odoo, done.id, _SHOWN) if verb != "confirmed" else [],
            lambda: read_receipts(odoo, done.id) if confirming else [],
        ),
        done.warnings,
        "the order",
    )
    if read_again is None:
        return Order(
            id=done.id,
            confirmed=confirming and done.complete,
            message=f"Order {done.id} was {verb}. Its state is unknown.",
            warnings=done.warnings,
        )
    row, lines, receipts = read_again
    name, state = row["name"], row["state"]
    confirmed = state in CONFIRMED
    people = approvers(odoo, row) if state == "to approve" else []
    total = total_of(row)
    if confirmed:
        message = f"{name} {'created and confirmed' if created else verb}: {total}"
    elif state == "to approve" and verb != "changed":
        message = f"{name} ({total}) waits for approval by {who(people)}. Nothing is ordered yet."
    elif confirming:
        message = f"{name} exists but is not confirmed (state {state})."
    else:
        message = f"Request for quotation {name} {verb}: {total}"
    if confirming and done.complete and state not in (*CONFIRMED, "to approve"):
        done.warnings.append(f"Odoo accepted the confirmation, but the order is still {state}.")
    free = [line.product.name for line in lines if line.product and not line.price_unit]
    if free:
        done.warnings.append(f"Without a price: {', '.join(free)}.")
    return order_of(
        row,
        lines=lines,
        receipts=receipts,
        approvers=people,
        message=message,
        warnings=done.warnings,
    )


def _cancel_result(odoo: Odoo, before: op.Row, done: op.Done) -> Order:
    name, number, warnings = before["name"], done.id, done.warnings
    row, receipts, bills = op.gather(
        lambda: op.read_back(odoo, ORDER, number, warnings),
        op.readable("receipts", lambda: read_receipts(odoo, number), warnings),
        op.readable(
            "bills", lambda: read_bills(odoo, number) if before["invoice_ids"] else [], warnings
        ),
    )
    told: dict[str, Any] = {"receipts": receipts or [], "bills": bills or []}
    told["warnings"] = warnings
    if row is None:
        message = f"{name} was cancelled. Its state is unknown."
        return Order(id=number, name=name, confirmed=False, cancelled=True, message=message, **told)
    cancelled = row["state"] == "cancel"
    now = "cancelled" if cancelled else f"not cancelled: its state is {row['state']}"
    drafts = [bill.name for bill in told["bills"] if bill.state == "draft"]
    if cancelled and drafts:
        warnings.append(f"Odoo leaves the order's draft bill unchanged: {', '.join(drafts)}.")
    return order_of(row, message=f"{name} is {now}.", **told)
