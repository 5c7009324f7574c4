"""A sales order as it is in Odoo: found, read, with its lines, deliveries and invoices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, cast

import attrs
from annotated_doc import Doc

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, StateError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import iso_utc

MODEL = "sale.order"

OrderId = Annotated[int | None, Doc("Sales order id, or give order_name.")]
OrderName = Annotated[str | None, Doc("Order number, e.g. S00012.")]


@attrs.frozen(kw_only=True)
class OrderLine:
    """A line of an order; ``kind`` is section, subsection or note for lines that sell nothing."""

    id: int
    product: RecordName | None
    name: str
    quantity: float
    price_unit: float
    discount: float = 0.0
    subtotal: float
    delivered: float = 0.0
    invoiced: float = 0.0
    kind: str | None = None


@attrs.frozen(kw_only=True)
class Delivery:
    """A transfer of an order: to the customer (outgoing), or back (incoming)."""

    id: int
    name: str
    state: str
    type: str | None = None
    scheduled_date: str | None = None


@attrs.frozen(kw_only=True)
class Invoice:
    """An invoice or credit note of an order; a draft may have no number yet."""

    id: int
    name: str
    state: str
    type: str
    payment_state: str | None = None
    amount_untaxed: float
    amount_total: float
    amount_due: float


@attrs.frozen(kw_only=True)
class Order:
    """A sales order.

    Attributes:
        state: draft, sent, sale, cancel; to Odoo 16 also done, which means locked.
        locked: whether it is closed for changes, told alike on all versions.
        invoice_status: no (nothing to invoice), to invoice, invoiced, upselling.
        delivery_status: from Odoo 16 on: pending, started, partial, full.
        lines, deliveries, invoices: None where they were not asked for.
        warnings: what could not be read.
    """

    id: int
    name: str
    state: str
    locked: bool
    partner: RecordName
    date_order: str | None
    amount_untaxed: float
    amount_tax: float
    amount_total: float
    currency: str | None
    invoice_status: str | None
    delivery_status: str | None = None
    line_count: int
    delivery_count: int
    invoice_count: int
    lines: list[OrderLine] | None = None
    deliveries: list[Delivery] | None = None
    invoices: list[Invoice] | None = None
    warnings: list[str] = attrs.Factory(list)


#: Fields of the order, as far as the server has them: ``locked`` is there from 17 on,
#: ``picking_ids`` with the module sale_stock.
_FIELDS = (
    "name",
    "state",
    "locked",
    "partner_id",
    "date_order",
    "amount_untaxed",
    "amount_tax",
    "amount_total",
    "currency_id",
    "invoice_status",
    "delivery_status",
    "order_line",
    "picking_ids",
    "invoice_ids",
)
_LINE_FIELDS = [
    "product_id",
    "name",
    "product_uom_qty",
    "price_unit",
    "discount",
    "price_subtotal",
    "qty_delivered",
    "qty_invoiced",
    "display_type",
]
_DELIVERY_FIELDS = ["name", "state", "picking_type_code", "scheduled_date"]
_INVOICE_FIELDS = [
    "name",
    "display_name",
    "state",
    "move_type",
    "payment_state",
    "amount_untaxed",
    "amount_total",
    "amount_residual",
]


def find_order(odoo: Odoo, order_id: int | None, order_name: str | None) -> dict[str, Any]:
    """Return an order's row, found by id or by its number.

    A number that is exactly one order's takes one round trip, as does an id.

    Raises:
        AmbiguousNameError: several orders match.
        NotFoundError: none does.
    """
    wanted = Wanted(model=MODEL, field="order_id", id=order_id, name=order_name)
    if order_id is None and isinstance(order_name, str) and order_name.strip():
        rows = _rows(odoo, MODEL, [["name", "=", order_name.strip()]], order_fields(odoo), limit=2)
        if len(rows) == 1:
            return rows[0]
    return read_order(odoo, resolve(odoo, wanted) or 0)


def read_order(odoo: Odoo, order_id: int) -> dict[str, Any]:
    """Return an order's row, or raise when there is none with this id."""
    rows = _rows(odoo, MODEL, [["id", "=", order_id]], order_fields(odoo), limit=1)
    if not rows:
        raise NotFoundError(
            f"There is no sales order with id {order_id}, or this user may not see it.",
            suggestion="Look for it with odoo_core_search_read on sale.order.",
            details={"model": MODEL, "id": order_id},
        )
    return rows[0]


def order_fields(odoo: Odoo) -> list[str]:
    """Return the fields to read of an order that this server has."""
    described = odoo.policy.readable_fields(MODEL, odoo.schema.fields(MODEL))
    return [name for name in _FIELDS if name in described]


def is_locked(row: Mapping[str, Any]) -> bool:
    """Whether an order is locked: a state to Odoo 16, a field of its own from 17 on."""
    return row["state"] == "done" or bool(row.get("locked"))


def read_lines(odoo: Odoo, order_id: int) -> list[OrderLine]:
    """Return an order's lines in their order."""
    rows = _rows(odoo, "sale.order.line", [["order_id", "=", order_id]], _LINE_FIELDS)
    return [
        OrderLine(
            id=row["id"],
            product=_record_name(row["product_id"]),
            name=row["name"] or "",
            quantity=row["product_uom_qty"],
            price_unit=row["price_unit"],
            discount=row["discount"],
            subtotal=row["price_subtotal"],
            delivered=row["qty_delivered"],
            invoiced=row["qty_invoiced"],
            kind=str(row["display_type"]).removeprefix("line_") if row["display_type"] else None,
        )
        for row in rows
    ]


def read_deliveries(odoo: Odoo, ids: Sequence[int]) -> list[Delivery]:
    """Return transfers by their ids; no round trip for none."""
    if not ids:
        return []
    rows = _rows(odoo, "stock.picking", [["id", "in", list(ids)]], _DELIVERY_FIELDS)
    return [
        Delivery(
            id=row["id"],
            name=row["name"] or "",
            state=row["state"],
            type=row["picking_type_code"] or None,
            scheduled_date=iso_utc(row["scheduled_date"]) if row["scheduled_date"] else None,
        )
        for row in rows
    ]


def read_invoices(odoo: Odoo, ids: Sequence[int]) -> list[Invoice]:
    """Return invoices and credit notes by their ids; no round trip for none."""
    if not ids:
        return []
    rows = _rows(odoo, "account.move", [["id", "in", list(ids)]], _INVOICE_FIELDS)
    return [
        Invoice(
            id=row["id"],
            name=_invoice_name(row),
            state=row["state"],
            type=row["move_type"],
            payment_state=row["payment_state"] or None,
            amount_untaxed=row["amount_untaxed"],
            amount_total=row["amount_total"],
            amount_due=row["amount_residual"],
        )
        for row in rows
    ]


def _invoice_name(row: Mapping[str, Any]) -> str:
    # Without a number, it is called "/" to 17 and nothing from 18 on; a draft displays as one.
    if row["name"] not in (False, "/"):
        return str(row["name"])
    return (
        str(row["display_name"]) if row["state"] == "draft" else f"without number (id {row['id']})"
    )


def describe_order(
    odoo: Odoo,
    row: Mapping[str, Any],
    *,
    lines: bool = False,
    deliveries: bool = False,
    invoices: bool = False,
) -> Order:
    """Make an :class:`Order` of its row, reading what was asked for side by side."""
    warnings: list[str] = []

    def readable(what: str, read: Callable[[], list[Any]]) -> Callable[[], list[Any] | None]:
        def action() -> list[Any] | None:
            try:
                return read()
            except AccessError as error:
                warnings.append(f"The {what} cannot be read: {error.message}")
                return None

        return action

    picking_ids, invoice_ids = row.get("picking_ids") or [], row["invoice_ids"]
    wanted: dict[str, Callable[[], list[Any] | None]] = {}
    if lines:
        wanted["lines"] = readable("lines", lambda: read_lines(odoo, row["id"]))
    if deliveries:
        wanted["deliveries"] = readable("deliveries", lambda: read_deliveries(odoo, picking_ids))
    if invoices:
        wanted["invoices"] = readable("invoices", lambda: read_invoices(odoo, invoice_ids))
    found = dict(zip(wanted, side_by_side(list(wanted.values())), strict=True))
    currency = _record_name(row["currency_id"])
    return Order(
        id=row["id"],
        name=row["name"],
        state=row["state"],
        locked=is_locked(row),
        partner=_record_name(row["partner_id"]) or RecordName(id=0, name=""),
        date_order=iso_utc(row["date_order"]) if row["date_order"] else None,
        amount_untaxed=row["amount_untaxed"],
        amount_tax=row["amount_tax"],
        amount_total=row["amount_total"],
        currency=currency.name if currency else None,
        invoice_status=row["invoice_status"] or None,
        delivery_status=row.get("delivery_status") or None,
        line_count=len(row["order_line"]),
        delivery_count=len(picking_ids),
        invoice_count=len(invoice_ids),
        warnings=warnings,
        **found,
    )


def _rows(
    odoo: Odoo, model: str, domain: list[Any], fields: list[str], limit: int | None = None
) -> list[dict[str, Any]]:
    arguments: dict[str, Any] = {"domain": domain, "fields": fields}
    if limit is not None:
        arguments["limit"] = limit
    # Found by their ids, also when they are archived.
    context = {"active_test": False}
    rows: list[dict[str, Any]] = odoo.call(
        Call(model=model, method="search_read", arguments=arguments, context=context)
    )
    return rows


def _record_name(value: Any) -> RecordName | None:
    return RecordName(id=value[0], name=value[1]) if value else None


def allow(odoo: Odoo, method: str) -> None:
    """Have the policy stop an operation before anything is sent."""
    ids = None if method == "create" else ()
    access: Any = "create" if method == "create" else "write"
    odoo.check(Call(model=MODEL, method=method, ids=ids, access=access, step=True))


def state_error(row: Mapping[str, Any], message: str, suggestion: str) -> StateError:
    """Return the error for an order whose state does not allow what was asked."""
    details = {"model": MODEL, "id": row["id"], "current_state": row["state"]}
    if "locked" in row:
        details["locked"] = row["locked"]
    return StateError(message, suggestion=suggestion, details=details)


def read_documents(odoo: Odoo, row: Mapping[str, Any]) -> tuple[list[Delivery], list[Invoice]]:
    """Return the deliveries and invoices of an order's row, read side by side."""
    pickings, invoices = row.get("picking_ids") or [], row["invoice_ids"]
    deliveries, moves = side_by_side(
        [lambda: read_deliveries(odoo, pickings), lambda: read_invoices(odoo, invoices)]
    )
    return cast("list[Delivery]", deliveries), cast("list[Invoice]", moves)
