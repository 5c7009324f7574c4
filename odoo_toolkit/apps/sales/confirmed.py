"""Changes of a confirmed order: what Odoo allows of them, and what becomes of its deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.sales.lines import line_rows
from odoo_toolkit.apps.sales.orders import ORDER
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.records.results import RecordName

#: Read of lines besides, to know what is delivered and invoiced of them.
FULFILLED = (
    *("qty_delivered", "qty_invoiced", "qty_delivered_method", "is_mto", "warehouse_id"),
    *op.UOMS,
)

_QUANTITY = "product_uom_qty"
_OF_MOVE = (
    *("sale_line_id", "product_id", _QUANTITY, "product_uom", "state", "picking_id"),
    *("reserved_availability", "quantity"),
)
_IN_STOCK = ("display_name", "type", "is_storable", "uom_id", "free_qty")
_TOLERANCE = 1e-6


def as_agreed(order: op.Row, lines: Sequence[op.Row], changes: op.LineChanges) -> op.LineChanges:
    """Return the changes as a confirmed order takes them, or refuse less than is delivered.

    A new quantity goes with the price that was agreed, which Odoo would compute again; a line of a
    product that is removed gets the quantity 0.
    """
    by_id = {line["id"]: line for line in lines}
    sold = [number for number in changes.removed if by_id[number]["product_id"]]
    changed = {**changes.changed, **{number: {_QUANTITY: 0.0} for number in sold}}
    for number, values in changed.items():
        line = by_id[number]
        if _QUANTITY in values:
            if _is_moved(line) and values[_QUANTITY] < line["qty_delivered"] - _TOLERANCE:
                raise _less_than_delivered(order, line, values[_QUANTITY])
            changed[number] = {"price_unit": line["price_unit"], **values}
    rest = [number for number in changes.removed if number not in sold]
    return attrs.evolve(changes, changed=changed, removed=rest)


def _is_moved(line: op.Row) -> bool:
    return bool(line["qty_delivered_method"] == "stock_move")


def _less_than_delivered(order: op.Row, line: op.Row, quantity: float) -> StateError:
    name, delivered = line["product_id"].name, line["qty_delivered"]
    return op.state_error(
        ORDER,
        order,
        f"The quantity of {name} on {order['name']} cannot be {quantity:g}, because {delivered:g} "
        "are delivered.",
        f"Pass at least {delivered:g}, or first return the difference with return_picking.",
    )


def fulfilment(lines: Sequence[op.Row], changes: op.LineChanges) -> list[str]:
    """Say what is delivered and invoiced of the lines that change, and what is left of them."""
    notes = []
    for line in lines:
        values: Mapping[str, Any] = changes.changed.get(line["id"], {})
        if not line["product_id"] or not {_QUANTITY, "price_unit"} & values.keys():
            continue
        invoiced, delivered = line["qty_invoiced"] or 0.0, line["qty_delivered"] or 0.0
        now = values.get(_QUANTITY, line[_QUANTITY])
        parts = [f"{delivered:g} delivered, {invoiced:g} invoiced"]
        if _is_moved(line):
            parts.append(f"{max(now - delivered, 0):g} left to deliver")
        if invoiced > now:
            parts.append(f"{invoiced - now:g} too many are invoiced. The next invoice credits them")
        if invoiced and values.get("price_unit", line["price_unit"]) != line["price_unit"]:
            parts.append("what is invoiced keeps the old price")
        notes.append(f"{line['product_id'].name}: {', '.join(parts)}.")
    if notes or changes.added:
        notes.append("The order is confirmed, so Odoo updates its open deliveries.")
    return notes


def not_covered(odoo: Odoo, lines: Sequence[op.Row], changes: op.LineChanges) -> list[str]:
    """Say what stock lacks of what is left to deliver of lines that change, or are added.

    Quantities that the order itself has reserved count as available. Products that are bought or
    made for the order are left out.
    """
    if not odoo.schema.has_model("stock.move"):
        return []
    left = [
        (line["id"], line["product_id"].id, _unit(line), now - (line["qty_delivered"] or 0.0))
        for line in lines
        if (now := changes.changed.get(line["id"], {}).get(_QUANTITY))
        and _is_moved(line)
        and not line["is_mto"]
    ]
    left += [
        (0, values["product_id"], _unit(values), now)
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
    asked: list[Callable[[], list[op.Row]]] = [
        lambda: op.read_rows(
            odoo, "product.product", of_products, _IN_STOCK, acts_on=ORDER.model, **place
        ),
        lambda: op.read_rows(odoo, "stock.move", of_lines, _OF_MOVE, acts_on=ORDER.model),
    ]
    rows, moves = op.side_by_side(asked)
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


def open_deliveries(odoo: Odoo, order_id: int) -> tuple[str, list[str]]:
    """Return what is left to deliver of an order, and which open deliveries do not move that."""
    lines = line_rows(odoo, order_id, ("product_id", _QUANTITY, *FULFILLED))
    left = [
        f"{rest:g} {line['product_id'].name}"
        for line in lines
        if _is_moved(line) and (rest := _left(line)) > _TOLERANCE
    ]
    if not odoo.schema.has_model("stock.move"):
        return "", []
    moves = op.read_rows(
        odoo,
        "stock.move",
        [
            ["sale_line_id.order_id", "=", order_id],
            ["location_dest_id.usage", "=", "customer"],
            ["state", "!=", "cancel"],
        ],
        _OF_MOVE,
        acts_on=ORDER.model,
    )
    differing = [
        told
        for line in lines
        if (told := _difference(line, [m for m in moves if m["sale_line_id"].id == line["id"]]))
    ]
    return f"Left to deliver: {', '.join(left) or 'nothing'}.", differing


def _left(line: op.Row) -> float:
    return float(max(line[_QUANTITY] - (line["qty_delivered"] or 0.0), 0.0))


def _unit(line: Mapping[str, Any]) -> int:
    """Return the unit of a line, existing or new. 0 for none."""
    unit = next((line[field] for field in op.UOMS if line.get(field)), 0)
    return unit.id if isinstance(unit, RecordName) else unit


def _difference(line: op.Row, moves: Sequence[op.Row]) -> str:
    """Say what the open moves of a line have too many or too few; nothing where that is unknown."""
    unit = _unit(line)
    # A kit is moved as its components, and other units are rounded.
    if any(m["product_id"] != line["product_id"] or m["product_uom"].id != unit for m in moves):
        return ""
    moving = [m for m in moves if m["state"] != "done"]
    left = _left(line)
    found = sum(m[_QUANTITY] for m in moving)
    if not moves or abs(found - left) < _TOLERANCE:
        return ""
    names = ", ".join(dict.fromkeys(m["picking_id"].name for m in moving if m["picking_id"]))
    return (
        f"{line['product_id'].name}: {left:g} are left to deliver, but"
        f" {names or 'no open delivery'} moves {found:g}. Change the delivery in Odoo."
    )
