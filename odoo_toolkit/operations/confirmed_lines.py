"""Changes of confirmed orders: what Odoo allows, and what it does with the open transfers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations.documents import Row, afterwards, is_locked, read_rows, state_error
from odoo_toolkit.operations.line_changes import LineChanges
from odoo_toolkit.operations.preview import UOMS, Layout, line_rows
from odoo_toolkit.operations.units import sizes_of
from odoo_toolkit.records.results import RecordName

#: Read of stock moves, besides the field that links their line.
MOVE_FIELDS = (
    *("product_id", "product_uom_qty", "product_uom", "state", "picking_id"),
    *("reserved_availability", "quantity"),
)
_TOLERANCE = 1e-6

#: What Odoo rounds where a transfer has another unit than its order.
_ROUNDED = 0.01

#: The first version that lowers open transfers with their order.
_LOWERS_TRANSFERS = 15


@attrs.frozen(kw_only=True)
class Fulfilment:
    """Where an app keeps what is done of its orders, and what messages call that.

    Attributes:
        layout: of the orders.
        fields: what is read of lines besides.
        agreed: fields of a line that Odoo computes again with a new quantity.
        method: field of a line that says how it is fulfilled.
        by_stock: its value for lines that transfers fulfil.
        counted: its values for lines of which something is left to do.
        done, billed: quantities of a line.
        of_move: field of a stock move that links its line.
        moves: domain of the stock moves that fulfil orders.
        words: what was done, what was billed, to do, a transfer, several.
        too_many: what follows if more is billed than ordered.
        give_back: how somebody gets below what is done.
    """

    layout: Layout
    fields: tuple[str, ...]
    agreed: tuple[str, ...]
    method: str
    by_stock: str
    counted: tuple[str, ...]
    done: str
    billed: str
    of_move: str
    moves: tuple[Any, ...]
    words: tuple[str, str, str, str, str]
    too_many: str
    give_back: str

    def is_moved(self, line: Row) -> bool:
        """Whether transfers fulfil a line."""
        return bool(line[self.method] == self.by_stock)

    def left(self, line: Row, quantity: float | None = None) -> float:
        """Return what is left to do of a line, or of so many of it."""
        ordered = line[self.layout.quantity] if quantity is None else quantity
        return float(max(ordered - (line[self.done] or 0.0), 0.0))


def check_open(document: Any, row: Row, *, cancelled: str, locked: str) -> None:
    """Refuse to change an order that is cancelled or locked, and say what to do first."""
    for closed, what, todo in (
        (row["state"] == "cancel", "cancelled", cancelled),
        (is_locked(row), "locked", locked),
    ):
        if closed:
            message = f"{row['name']} is {what} (state {row['state']}), so it was not changed."
            raise state_error(document, row, message, todo)


def keep_agreed(way: Fulfilment, lines: Sequence[Row], changes: LineChanges) -> LineChanges:
    """Return changes in which a new quantity goes with what was agreed, such as the price."""
    by_id = {line["id"]: line for line in lines}
    return attrs.evolve(
        changes,
        changed={
            number: {**_agreed(way, by_id[number]), **values}
            if way.layout.quantity in values
            else values
            for number, values in changes.changed.items()
        },
    )


def _agreed(way: Fulfilment, line: Row) -> dict[str, Any]:
    return {name: line[name] for name in way.agreed if line[name] is not None}


def as_agreed(
    way: Fulfilment, order: Row, lines: Sequence[Row], changes: LineChanges
) -> LineChanges:
    """Return the changes as a confirmed order takes them, or refuse less than is done.

    A new quantity goes with what was agreed, which Odoo would compute again; a line of a product
    that is removed gets the quantity 0.
    """
    by_id = {line["id"]: line for line in lines}
    quantity = way.layout.quantity
    gone = [number for number in changes.removed if by_id[number]["product_id"]]
    changed = {**changes.changed, **{number: {quantity: 0.0} for number in gone}}
    for number, values in changed.items():
        line = by_id[number]
        least = (line[way.done] or 0.0) - _TOLERANCE
        if way.is_moved(line) and quantity in values and values[quantity] < least:
            raise _less_than_done(way, order, line, values[quantity])
    rest = [number for number in changes.removed if number not in gone]
    return keep_agreed(way, lines, attrs.evolve(changes, changed=changed, removed=rest))


def _less_than_done(way: Fulfilment, order: Row, line: Row, quantity: float) -> StateError:
    done = f"{line[way.done]:g}"
    return state_error(
        way.layout.document,
        order,
        f"The quantity of {line['product_id'].name} on {order['name']} cannot be {quantity:g}, "
        f"because {done} are {way.words[0]}.",
        f"Pass at least {done}, or {way.give_back}.",
    )


def fulfilment(
    odoo: Odoo, way: Fulfilment, lines: Sequence[Row], changes: LineChanges
) -> list[str]:
    """Say what is done and billed of the lines that change, and what is left of them."""
    done, billed, do, _, transfers = way.words
    quantity = way.layout.quantity
    notes, lowered = [], False
    for line in lines:
        values: Mapping[str, Any] = changes.changed.get(line["id"], {})
        if not line["product_id"] or not {quantity, "price_unit"} & values.keys():
            continue
        of_bills, of_stock = line[way.billed] or 0.0, line[way.done] or 0.0
        now = values.get(quantity, line[quantity])
        lowered |= way.is_moved(line) and now < line[quantity]
        parts = [f"{of_stock:g} {done}, {of_bills:g} {billed}"]
        if line[way.method] in way.counted:
            parts.append(f"{way.left(line, now):g} left to {do}")
        if of_bills > now:
            parts.append(f"{of_bills - now:g} too many are {billed}. {way.too_many}")
        if of_bills and values.get("price_unit", line["price_unit"]) != line["price_unit"]:
            parts.append(f"what is {billed} keeps the old price")
        notes.append(f"{line['product_id'].name}: {', '.join(parts)}.")
    if notes or changes.added:
        follow = f"The order is confirmed, so Odoo updates its open {transfers}."
        if lowered and odoo.version.major < _LOWERS_TRANSFERS:
            follow += " Odoo 14 does not lower them."
        notes.append(follow)
    return notes


def still_open(odoo: Odoo, way: Fulfilment, order_id: int, warnings: list[str]) -> str:
    """Return what is left to do of an order; warn of open transfers that do not move that."""
    look = afterwards(lambda: _open_transfers(odoo, way, order_id), warnings, way.words[4])
    left, differing = look or ("", [])
    warnings.extend(differing)
    return left


def _open_transfers(odoo: Odoo, way: Fulfilment, order_id: int) -> tuple[str, list[str]]:
    """Return what is left to do of an order, and which open transfers do not move that."""
    layout, model = way.layout, way.layout.document.model
    lines = line_rows(odoo, layout, order_id, ("product_id", layout.quantity, *way.fields))
    left = [
        f"{rest:g} {line['product_id'].name}"
        for line in lines
        if way.is_moved(line) and (rest := way.left(line)) > _TOLERANCE
    ]
    if not odoo.schema.has_model("stock.move"):
        return "", []
    of_order = [f"{way.of_move}.{layout.parent}", "=", order_id]
    of_moves = [of_order, *way.moves, ["state", "!=", "cancel"]]
    moves = read_rows(odoo, "stock.move", of_moves, (way.of_move, *MOVE_FIELDS), acts_on=model)
    of_line = {
        line["id"]: [move for move in moves if move[way.of_move].id == line["id"]] for line in lines
    }
    units = [unit_of(line) for line in lines if of_line[line["id"]]]
    sizes = sizes_of(odoo, [*units, *(move["product_uom"].id for move in moves)], model)
    differing = [
        told for line in lines if (told := _difference(way, line, of_line[line["id"]], sizes))
    ]
    return f"Left to {way.words[2]}: {', '.join(left) or 'nothing'}.", differing


def unit_of(line: Mapping[str, Any]) -> int:
    """Return the unit of a line, existing or new. 0 for none."""
    unit = next((line[field] for field in UOMS if line.get(field)), 0)
    return unit.id if isinstance(unit, RecordName) else unit


def _difference(
    way: Fulfilment, line: Row, moves: Sequence[Row], sizes: Mapping[int, float]
) -> str:
    """Say what the open moves of a line have too many or too few; nothing where that is unknown."""
    unit = unit_of(line)
    # A kit is moved as its components.
    if not moves or any(move["product_id"] != line["product_id"] for move in moves):
        return ""
    same = all(move["product_uom"].id == unit for move in moves)
    open_ones = [move for move in moves if move["state"] != "done"]
    found = sum(
        move["product_uom_qty"] * sizes[move["product_uom"].id] / sizes[unit] for move in open_ones
    )
    left = way.left(line)
    if abs(found - left) < (_TOLERANCE if same else _ROUNDED):
        return ""
    do, transfer = way.words[2:4]
    named = dict.fromkeys(move["picking_id"].name for move in open_ones if move["picking_id"])
    moved = f"{', '.join(named)} moves {found:g}" if named else f"no open {transfer} moves them"
    return (
        f"{line['product_id'].name}: {left:g} are left to {do}, but {moved}."
        f" Change the {transfer} in Odoo."
    )
