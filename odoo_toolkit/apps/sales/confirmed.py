"""Confirmed sales orders: how they are fulfilled, and what stock lacks for a change of them."""

from __future__ import annotations

from collections.abc import Sequence

from odoo_toolkit import operations as op
from odoo_toolkit.apps.sales.orders import LAYOUT, ORDER
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError

WAY = op.Fulfilment(
    layout=LAYOUT,
    fields=(
        *("qty_delivered", "qty_invoiced", "qty_delivered_method", "is_mto", "warehouse_id"),
        *op.UOMS,
    ),
    agreed=("price_unit",),
    method="qty_delivered_method",
    by_stock="stock_move",
    counted=("stock_move",),
    done="qty_delivered",
    billed="qty_invoiced",
    of_move="sale_line_id",
    moves=(["location_dest_id.usage", "=", "customer"],),
    words=("delivered", "invoiced", "deliver", "delivery", "deliveries"),
    too_many="The next invoice credits them",
    give_back="first return the difference with return_picking",
)

_QUANTITY = LAYOUT.quantity
_OF_MOVE = (WAY.of_move, *op.MOVE_FIELDS)
_IN_STOCK = ("display_name", "type", "is_storable", "uom_id", "free_qty")
_TOLERANCE = 1e-6


def not_covered(odoo: Odoo, lines: Sequence[op.Row], changes: op.LineChanges) -> list[str]:
    """Say what stock lacks of what is left to deliver of lines that change, or are added.

    Quantities that the order itself has reserved count as available. Products that are bought or
    made for the order are left out.
    """
    if not odoo.schema.has_model("stock.move"):
        return []
    left = [
        (line["id"], line["product_id"].id, op.unit_of(line), now - (line["qty_delivered"] or 0.0))
        for line in lines
        if (now := changes.changed.get(line["id"], {}).get(_QUANTITY))
        and WAY.is_moved(line)
        and not line["is_mto"]
    ]
    left += [
        (0, values["product_id"], op.unit_of(values), now)
        for _, _, values in changes.added
        if values.get("product_id") and (now := values.get(_QUANTITY, 1.0))
    ]
    if not left:
        return []
    try:
        short = _short(odoo, lines, left)
    except OdooError as error:
        return [f"The stock cannot be read: {error.message}"]
    return (
        [f"The stock does not cover everything that is left to deliver: {short}."] if short else []
    )


def _short(odoo: Odoo, lines: Sequence[op.Row], left: Sequence[tuple[int, int, int, float]]) -> str:
    """Return which lines stock does not cover, and how much of each; "" for none.

    Args:
        odoo: the connection.
        lines: of the order.
        left: the line (0 of a new one), product, unit (0 for the product's) and quantity.
    """
    warehouse = next((line["warehouse_id"].id for line in lines if line["warehouse_id"]), None)
    # The context's key: Odoo 17 and earlier, Odoo 18 and later.
    place = {"warehouse": warehouse, "warehouse_id": warehouse} if warehouse else {}
    of_products = [["id", "in", sorted({product for _, product, _, _ in left})]]
    of_lines = [
        ["sale_line_id", "in", sorted(line for line, *_ in left if line)],
        ["location_id.usage", "in", ["internal", "transit"]],
        ["state", "not in", ["done", "cancel"]],
    ]
    rows, moves = op.gather(
        lambda: op.read_rows(
            odoo, "product.product", of_products, _IN_STOCK, acts_on=ORDER.model, **place
        ),
        lambda: op.read_rows(odoo, "stock.move", of_lines, _OF_MOVE, acts_on=ORDER.model),
    )
    products = {row["id"]: row for row in rows if row["is_storable"] or row["type"] == "product"}
    free = {number: max(row["free_qty"], 0.0) for number, row in products.items()}
    units = [row["uom_id"].id for row in rows] + [move["product_uom"].id for move in moves]
    units += [unit for *_, unit, _ in left if unit]
    sizes = op.sizes_of(odoo, units, ORDER.model)
    told = []
    for number, product, unit, quantity in left:
        if product not in products:
            continue
        own = products[product]["uom_id"].id
        size = sizes[unit or own] / sizes[own]
        of_line = [move for move in moves if number and move["sale_line_id"].id == number]
        if any(move["product_id"].id != product for move in of_line):
            continue  # A kit is moved as its components.
        reserved = sum(
            _reserved(move) * sizes[move["product_uom"].id] / sizes[own] for move in of_line
        )
        wanted = quantity * size
        taken = min(max(wanted - reserved, 0.0), free[product])
        free[product] -= taken
        if reserved + taken < wanted - _TOLERANCE:
            name = products[product]["display_name"]
            told.append(f"{name}: {round((reserved + taken) / size, 6):g} of {quantity:g}")
    return "; ".join(told)


def _reserved(move: op.Row) -> float:
    """Return the reserved quantity of an open move (Odoo 16 and earlier, 17 and later)."""
    old = move["reserved_availability"]
    return float((move["quantity"] if old is None else old) or 0.0)
