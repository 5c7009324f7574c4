"""Changes of a confirmed order: what Odoo allows of them, and what becomes of its deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.apps.sales.lines import LineChanges, line_rows
from odoo_toolkit.apps.sales.orders import ORDER
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations.documents import Row, read_rows, state_error
from odoo_toolkit.operations.preview import UOMS

#: Read of lines besides, to know what is delivered and invoiced of them.
FULFILLED = ("qty_delivered", "qty_invoiced", "qty_delivered_method", *UOMS)

_QUANTITY = "product_uom_qty"
_OF_MOVE = ("sale_line_id", "product_id", _QUANTITY, "product_uom", "state", "picking_id")
_TOLERANCE = 1e-6


def as_agreed(order: Row, lines: Sequence[Row], changes: LineChanges) -> LineChanges:
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


def _is_moved(line: Row) -> bool:
    return bool(line["qty_delivered_method"] == "stock_move")


def _less_than_delivered(order: Row, line: Row, quantity: float) -> StateError:
    name, delivered = line["product_id"].name, line["qty_delivered"]
    return state_error(
        ORDER,
        order,
        f"{order['name']} cannot have {quantity:g} of {name}: {delivered:g} are delivered.",
        f"Give at least {delivered:g}, or return the rest first with return_picking.",
    )


def fulfilment(lines: Sequence[Row], changes: LineChanges) -> list[str]:
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
            parts.append(f"{invoiced - now:g} too many are invoiced: the next invoice credits them")
        if invoiced and values.get("price_unit", line["price_unit"]) != line["price_unit"]:
            parts.append("what is invoiced keeps the old price")
        notes.append(f"{line['product_id'].name}: {', '.join(parts)}.")
    if notes or changes.added:
        notes.append("The order is confirmed: Odoo adapts its open deliveries.")
    return notes


def not_followed(odoo: Odoo, order_id: int) -> list[str]:
    """Say which open deliveries of an order do not move what is left to deliver of its lines."""
    if not odoo.schema.has_model("stock.move"):
        return []
    moves = read_rows(
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
    lines = line_rows(odoo, order_id, ("product_id", _QUANTITY, *FULFILLED))
    return [
        told
        for line in lines
        if (told := _difference(line, [m for m in moves if m["sale_line_id"].id == line["id"]]))
    ]


def _difference(line: Row, moves: Sequence[Row]) -> str:
    """Say what the open moves of a line have too many or too few; nothing where that is unknown."""
    unit = next((line[field] for field in UOMS if line[field]), None)
    # A kit is moved as its components, and other units are rounded.
    if any(m["product_id"] != line["product_id"] or m["product_uom"] != unit for m in moves):
        return ""
    moving = [m for m in moves if m["state"] != "done"]
    left = max(line[_QUANTITY] - (line["qty_delivered"] or 0.0), 0.0)
    found = sum(m[_QUANTITY] for m in moving)
    if not moves or abs(found - left) < _TOLERANCE:
        return ""
    names = ", ".join(dict.fromkeys(m["picking_id"].name for m in moving if m["picking_id"]))
    return (
        f"{line['product_id'].name}: {left:g} are left to deliver, but"
        f" {names or 'no open delivery'} moves {found:g}. Change the delivery in Odoo."
    )
