"""A sales order as it is in Odoo, and the search for orders by ids and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import called
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.records.results import RecordName

#: To Odoo 16 an order that is locked is done.
CONFIRMED = ("sale", "done")

OrderId = Annotated[int | None, Doc("Id of the order.")]
OrderName = Annotated[str | None, Doc("Number, e.g. S00012.")]

#: ``locked`` is there from 17 on, ``delivery_status`` from 16 on, both ``picking_ids`` and it
#: with the module sale_stock.
ORDER = op.Document(
    model="sale.order",
    noun="sales order",
    argument="order_id",
    numbered=True,
    references="client_order_ref",
    fields="""
        name state locked partner_id date_order commitment_date client_order_ref payment_term_id
        note amount_untaxed amount_tax amount_total currency_id invoice_status delivery_status
        order_line picking_ids invoice_ids
    """,
)

check_confirmed = partial(op.check_confirmed, ORDER, CONFIRMED, {})

LAYOUT = op.Layout(
    document=ORDER,
    noun="new quotation",
    lines="order_line",
    line="sale.order.line",
    parent="order_id",
    quantity="product_uom_qty",
    taxes=("tax_ids", "tax_id"),
    available=("free_qty_today", "display_qty_widget"),
    date="date_order",
    delivery="commitment_date",
)
#: Of an order whose deliveries are there, or that is to be cancelled: what Odoo says of the stock
#: of a line then takes the whole quantity for open, and leaves what is free out.
WITHOUT_STOCK = attrs.evolve(LAYOUT, available=None)


@attrs.frozen(kw_only=True)
class OrderLine(op.Shown):
    """A line of an order. ``kind`` is section, subsection or note for lines without a product."""

    id: int
    product: RecordName | None
    name: str
    quantity: float
    uom: str | None = None
    price_unit: float
    discount: float = 0.0
    subtotal: float
    delivered: float = 0.0
    invoiced: float = 0.0
    kind: str | None = None


@attrs.frozen(kw_only=True)
class Delivery(op.Shown):
    """A transfer of an order: to the customer (outgoing), or back (incoming)."""

    id: int
    name: str
    state: str
    type: str | None = None
    scheduled_date: str | None = None


@attrs.frozen(kw_only=True)
class Invoice(op.Shown):
    """An invoice or credit note of an order. A draft may have no number yet."""

    id: int
    name: str
    state: str
    type: str
    payment_state: str | None = None
    invoice_date: str | None = None
    invoice_date_due: str | None = None
    payment_term: RecordName | None = None
    currency: str | None = None
    amount_untaxed: float
    amount_total: float
    amount_residual: float


@attrs.frozen(kw_only=True)
class Order(op.Shown):
    """A quotation or sales order as it is in Odoo.

    None means empty, or that the value could not be read.

    Attributes:
        url: Address of the order in Odoo's web client.
        state: ``draft``, ``sent``, ``sale`` or ``cancel``. Odoo 16 and earlier also have ``done``,
            which means locked.
        locked: True if the order is locked for changes. It means the same on all versions.
        commitment_date: Promised delivery date.
        client_order_ref: The customer's own reference.
        note: Terms, as plain text.
        invoice_status: ``no`` (nothing to invoice), ``to invoice``, ``invoiced`` or ``upselling``.
        delivery_status: ``pending``, ``started``, ``partial`` or ``full``, on Odoo 16 and later.
        lines, deliveries, invoices: None if you did not ask for them.
        message: The change, after a change.
        warnings: Values that could not be read, and differences from your request. The order exists
            nevertheless.
    """

    id: int
    name: str | None = None
    url: str | None = None
    state: str | None = None
    locked: bool = False
    partner: RecordName | None = None
    date_order: str | None = None
    commitment_date: str | None = None
    client_order_ref: str | None = None
    payment_term: RecordName | None = None
    note: str | None = None
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    invoice_status: str | None = None
    delivery_status: str | None = None
    line_count: int | None = None
    delivery_count: int | None = None
    invoice_count: int | None = None
    lines: list[OrderLine] | None = None
    deliveries: list[Delivery] | None = None
    invoices: list[Invoice] | None = None
    message: str = ""
    warnings: list[str] = attrs.Factory(list)

    @property
    def confirmed(self) -> bool:
        """Whether it is a sales order; a quotation is not."""
        return self.state in CONFIRMED

    @property
    def cancelled(self) -> bool:
        """Whether it is cancelled."""
        return self.state == "cancel"


def get_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    include_lines: Annotated[bool, Doc("Also return the lines.")] = True,
    include_deliveries: Annotated[bool, Doc("Also return the deliveries.")] = False,
    include_invoices: Annotated[bool, Doc("Also return the invoices.")] = False,
) -> Order:
    """Return a sales order with its lines, deliveries and invoices.

    >>> order = get_order(odoo, order_name="S00012")
    >>> order.state, order.amount_total, len(order.lines or ())
    ('draft', 345.0, 3)

    It takes at most 4 requests.

    Raises:
        NotFoundError: The order does not exist.
        AmbiguousNameError: Several orders match the name.
    """
    row = op.find(odoo, ORDER, order_id, order_name)
    warnings: list[str] = []
    asked: dict[str, Callable[[], list[Any]]] = {}
    if include_lines:
        asked["lines"] = lambda: read_lines(odoo, row["id"])
    if include_deliveries:
        asked["deliveries"] = lambda: read_deliveries(odoo, row["picking_ids"])
    if include_invoices:
        asked["invoices"] = lambda: read_invoices(odoo, row["invoice_ids"])

    found = op.side_by_side(
        [op.readable(what, ask, warnings, AccessError) for what, ask in asked.items()]
    )
    return shown(row, warnings=warnings, **dict(zip(asked, found, strict=True)))


def shown(row: op.Row, **more: Any) -> Order:
    """Return a row of :data:`ORDER` as an order, with more of its attributes."""
    return op.filled(
        Order,
        row,
        locked=op.is_locked(row),
        currency=op.currency_of(row),
        line_count=len(row["order_line"] or ()),
        delivery_count=len(row["picking_ids"] or ()),
        invoice_count=len(row["invoice_ids"] or ()),
        **more,
    )


def read_lines(odoo: Odoo, order_id: int) -> list[OrderLine]:
    """Return an order's lines in their order."""
    fields = ["product_id", "name", "product_uom_qty", "price_unit", "discount", "price_subtotal"]
    fields += ["qty_delivered", "qty_invoiced", "display_type", *op.UOMS]
    of_order = [["order_id", "=", order_id]]
    return [
        op.filled(
            OrderLine,
            row,
            product=row["product_id"],
            name=row["name"] or "",
            quantity=row["product_uom_qty"],
            uom=op.uom_of(row),
            subtotal=row["price_subtotal"],
            delivered=row["qty_delivered"],
            invoiced=row["qty_invoiced"],
            kind=(row["display_type"] or "").removeprefix("line_") or None,
        )
        for row in op.read_rows(odoo, "sale.order.line", of_order, fields, acts_on=ORDER.model)
    ]


def read_deliveries(odoo: Odoo, ids: Sequence[int] | None) -> list[Delivery]:
    """Return transfers by their ids; no round trip for none."""
    fields = ("name", "state", "picking_type_code", "scheduled_date")
    rows = op.read_rows(odoo, "stock.picking", [["id", "in", list(ids)]], fields) if ids else []
    return [
        op.filled(Delivery, row, name=row["name"] or "", type=row["picking_type_code"])
        for row in rows
    ]


def read_invoices(odoo: Odoo, ids: Sequence[int]) -> list[Invoice]:
    """Return invoices and credit notes by their ids; no round trip for none."""
    fields = ["name", "display_name", "state", "move_type", "payment_state", "currency_id"]
    fields += ["amount_untaxed", "amount_total", "amount_residual"]
    fields += ["invoice_date", "invoice_date_due", "invoice_payment_term_id"]
    rows = op.read_rows(odoo, "account.move", [["id", "in", list(ids)]], fields) if ids else []
    return [
        op.filled(
            Invoice,
            row,
            name=called(row),
            type=row["move_type"],
            currency=op.currency_of(row),
            payment_term=row.get("invoice_payment_term_id"),
        )
        for row in rows
    ]


def read_documents(odoo: Odoo, row: op.Row) -> tuple[list[Delivery], list[Invoice]]:
    """Return the deliveries and invoices of an order's row, read side by side."""
    deliveries, invoices = op.gather(
        lambda: read_deliveries(odoo, row["picking_ids"]),
        lambda: read_invoices(odoo, row["invoice_ids"]),
    )
    return deliveries, invoices
