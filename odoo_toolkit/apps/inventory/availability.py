"""What a validation would move of a transfer, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.transfers import (
    PICKING,
    read_move_lines,
    read_moves,
    read_transfer,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, invalid

LOCATION = op.Document(
    model="stock.location",
    noun="location",
    argument="location_id",
    fields=("complete_name", "usage"),
)
PRODUCT = op.Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields=("display_name", "uom_id", "type"),
)
#: Goods whose stock is counted are of the type product up to 17, and have a flag from 18 on.
_STOCKED = attrs.evolve(PRODUCT, fields=("type", "is_storable", "free_qty", "qty_available"))

#: Locations that hold stock; all others give whatever is asked of them.
_HOLDS_STOCK = frozenset({"internal", "transit"})
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class Expected:
    """What would be moved of one move.

    Attributes:
        move: as :func:`read_moves` gives it.
        quantity: in the move's unit of measure.
        unreserved: how much of it is free, and has to be reserved first.
        to_reserve: whether reserving may add to what is reserved.
        stock: what its location holds of the product; None where that is not counted.
        entered: whether quantities have been entered in the transfer: they alone count.
    """

    move: op.Row
    quantity: float
    unreserved: float = 0.0
    to_reserve: bool = False
    stock: op.Row | None = None
    entered: bool = False

    @property
    def missing(self) -> float:
        """How much less than the demand."""
        left: float = self.move["demand"] - self.quantity
        return left if left > _TOLERANCE else 0.0

    @property
    def waits(self) -> bool:
        """Whether another transfer has to bring the goods."""
        return bool(self.move["state"] == "waiting")


def look_at(odoo: Odoo, picking_id: int) -> tuple[op.Row, list[op.Row]]:
    """Return a transfer's row and its open moves, or refuse one that cannot be validated.

    Raises:
        StateError: it is finished, or has nothing to move.
    """
    row, moves, _ = read_transfer(odoo, picking_id)
    name = row["name"]
    if row["state"] == "done":
        raise op.state_error(PICKING, row, f"{name} is already done.", "Nothing is left to do.")
    if row["state"] == "cancel":
        todo = "Create a new transfer with create_transfer."
        raise op.state_error(PICKING, row, f"{name} is cancelled.", todo)
    left = [move for move in moves if move["state"] != "done"]
    if not left:
        todo = "Add products to the transfer, or cancel it."
        raise op.state_error(PICKING, row, f"{name} has no products to move.", todo)
    return row, left


def check_movable(
    odoo: Odoo,
    row: op.Row,
    moves: Sequence[op.Row],
    *,
    backorder: bool | None = None,
    unreserved: bool = False,
    reserved_only: bool = False,
) -> list[Expected]:
    """Return what would be moved of a transfer, or refuse to validate it.

    Args:
        odoo: the connection.
        row: the transfer.
        moves: its open moves.
        backorder: what becomes of the rest; None refuses to leave any.
        unreserved: whether more may be moved than is in stock.
        reserved_only: whether what is free does not count: it has been tried to reserve it.

    Raises:
        StateError: too little is there, or the stock would be negative.
        ValidationError: lots have to be named.
    """
    expected = _expected(odoo, moves, reserved_only)
    name = row["name"]
    if not any(item.quantity > 0 for item in expected):
        message = f"Nothing in {name} can be moved: {_list(expected)}. Nothing was moved."
        raise _shortage(row, expected, message, partly=False)
    if backorder is None and (missing := [item for item in expected if item.missing > 0]):
        entered = expected[0].entered
        why = "because you entered less than the demand" if entered else "because of a shortage"
        message = f"{name} was not validated {why}: {_list(missing)}."
        raise _shortage(row, missing, message, partly=True)
    if not unreserved and (problems := below_zero(expected)):
        raise op.state_error(
            PICKING,
            row,
            f"You entered more than is in stock, so the stock would be negative. {problems}.",
            "Correct the quantities, receive the goods first, or pass unreserved=True to let the "
            "stock go below zero.",
        )
    # From outside nothing is reserved, so no lot is chosen either.
    unnamed = [item for item in expected if item.stock is None and not item.move["asked"]]
    if uses_lots(row) and any(item.move["tracking"] != "none" for item in unnamed):
        lines = read_move_lines(odoo, row["id"], moves)
        for item in unnamed:
            check_lots_known(odoo, item, lines, "lines")
    return expected


def uses_lots(row: op.Row) -> bool:
    """Whether a transfer's operation type asks for lots at all."""
    return bool(row["use_create_lots"] or row["use_existing_lots"])


def check_lots_known(odoo: Odoo, item: Expected, lines: Sequence[op.Row], field: str) -> None:
    """Refuse a tracked product without lots, unless those that are reserved suffice.

    Args:
        odoo: the connection.
        item: what would be moved.
        lines: the transfer's move lines.
        field: the argument of the lots.
    """
    move = item.move
    if move["tracking"] not in ("lot", "serial"):
        return
    own = [line for line in lines if line["move"] == move["id"]]
    covered = sum(line["reserved"] for line in own if line["lot_id"] or line["lot_name"])
    if item.stock is not None:
        covered = move["reserved"] + max(item.stock["free_qty"], 0.0) / move["ratio"]
    if item.quantity > covered + _TOLERANCE:
        there = ""
        if item.stock is not None:
            # What comes from outside is in no stock yet.
            listed = op.lots_of(
                odoo, move["product"].id, acts_on=PICKING.model, location=move["location"]
            )
            there = f" In stock: {listed}."
        raise invalid(
            field,
            f"{move['product'].name} is tracked by {move['tracking']} numbers. Pass lot or serial "
            f"numbers for all {item.quantity:g}.",
            "Pass each line with its lots: "
            f"validate_picking(lines=[{{'move_id': {move['id']}, 'quantity': ..., 'lots': "
            f"[...]}}, ...]).{there}",
            move_id=move["id"],
        )


def is_reserved(odoo: Odoo, picking_id: int) -> bool | None:
    """See whether all that can be reserved for a transfer is; None where it is not."""
    left = [move for move in read_moves(odoo, picking_id) if move["state"] != "done"]
    expected = _expected(odoo, left, reserved_only=False)
    return None if any(item.unreserved > _TOLERANCE for item in expected) else True


def _expected(odoo: Odoo, moves: Sequence[op.Row], reserved_only: bool) -> list[Expected]:
    """Return what a validation would move: what was entered, else what is or can be reserved."""
    entered = any(move["entered"] for move in moves)
    stocks = {} if reserved_only else stocks_of(odoo, moves)
    free = {at: max(stock["free_qty"], 0.0) for at, stock in stocks.items()}
    expected: list[Expected] = []
    for move in moves:
        at = move["product"].id, move["location"]
        reserved = min(move["reserved"], move["demand"])
        waits = move["state"] == "waiting"
        wanted = move["to_reserve"] if entered else move["demand"]
        lacking = 0.0 if reserved_only else max(wanted - reserved, 0.0)
        unreserved = 0.0 if waits else lacking
        if at in free:
            unreserved = min(unreserved, free[at] / move["ratio"])
            free[at] -= unreserved * move["ratio"]
        expected.append(
            Expected(
                move=move,
                quantity=move["done"] if entered else reserved + unreserved,
                unreserved=unreserved,
                to_reserve=(lacking if waits else unreserved) > _TOLERANCE,
                stock=stocks.get(at),
                entered=entered,
            )
        )
    return expected


def stocks_of(odoo: Odoo, moves: Sequence[op.Row]) -> dict[tuple[int, int], op.Row]:
    """Return what there is of each product in each location, where stock is counted."""
    locations = sorted({move["location"] for move in moves})
    products = sorted({move["product"].id for move in moves})
    asked: list[Callable[[], list[op.Row]]] = [
        lambda: op.read_all(odoo, LOCATION, locations),
        *(
            lambda location=location: op.read_all(odoo, _STOCKED, products, location=location)
            for location in locations
        ),
    ]
    usages, *found = op.side_by_side(asked)
    return {
        (row["id"], location["id"]): row
        for location, rows in zip(usages, found, strict=True)
        if location["usage"] in _HOLDS_STOCK
        for row in rows
        if row["is_storable"] or row["type"] == "product"
    }


def below_zero(expected: Sequence[Expected]) -> str:
    """Say of which products more was entered than there is; empty where of none.

    Odoo itself would move them, and leave a stock below zero.
    """
    taken: dict[tuple[int, int], float] = {}
    stocked = [item for item in expected if item.move["entered"] and item.stock]
    lines = {(item.move["product"].id, item.move["location"]): item for item in stocked}
    for item in stocked:
        at = item.move["product"].id, item.move["location"]
        taken[at] = taken.get(at, 0.0) + item.quantity * item.move["ratio"]
    return "; ".join(
        f"{item.move['product'].name}: {taken[at]:g} entered,"
        f" {item.stock['qty_available']:g} in stock"
        for at, item in lines.items()
        if item.stock and taken[at] > item.stock["qty_available"] + _TOLERANCE
    )


def _shortage(
    row: op.Row, missing: Sequence[Expected], message: str, *, partly: bool
) -> StateError:
    """Return the error for a transfer of which too little can be moved, with all ways out."""
    ways = [
        "move this much, and leave the rest in a backorder (backorder=True) or drop it"
        " (backorder=False)"
    ] * partly
    if not missing[0].entered:
        if any(item.waits for item in missing):
            ways.append("validate the transfer that it waits for first")
        else:
            ways.append("receive the goods first (get_stock shows the stock by location)")
        ways.append(
            "or move all of it, taking what is reserved for others, and the stock below zero where"
            " there is none (unreserved=True)"
        )
    told = [_told(item) for item in missing]
    return op.state_error(PICKING, row, message, f"Choose: {'; '.join(ways)}.", missing=told)


def _list(items: Sequence[Expected]) -> str:
    def told(item: Expected) -> str:
        how = "entered" if item.entered else "available"
        stock = f" ({item.stock['qty_available']:g} in stock)" if item.stock else ""
        named = f"{item.move['product'].name}: {item.quantity:g} of {item.move['demand']:g}"
        return f"{named} {item.move['uom']} {how}{stock}"

    return "; ".join(map(told, items))


def _told(item: Expected) -> dict[str, Any]:
    return {
        "product": item.move["product"].name,
        "move_id": item.move["id"],
        "demand": item.move["demand"],
        "available": round(item.quantity, 6),
        "missing": round(item.missing, 6),
        "uom": item.move["uom"],
    }
