"""What a validation would move of a transfer, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from odoo_toolkit.apps.inventory.transfers import PICKING, picks, read_moves, read_transfer
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations.documents import Document, Row, read_all, state_error
from odoo_toolkit.parallel import side_by_side

LOCATION = Document(
    model="stock.location",
    noun="location",
    argument="location_id",
    fields=("complete_name", "usage"),
)
PRODUCT = Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields=("display_name", "uom_id", "type"),
)
#: Goods whose stock is counted are of the type product to 17, and have a flag from 18 on.
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
    """

    move: Row
    quantity: float
    unreserved: float = 0.0
    to_reserve: bool = False
    stock: Row | None = None

    @property
    def missing(self) -> float:
        """How much less than the demand."""
        left: float = self.move["demand"] - self.quantity
        return left if left > _TOLERANCE else 0.0

    @property
    def waits(self) -> bool:
        """Whether another transfer has to bring the goods."""
        return bool(self.move["state"] == "waiting")


def check_movable(
    odoo: Odoo, picking_id: int, *, force_qty: bool, reserved_only: bool = False
) -> tuple[Row, list[Expected]]:
    """Return a transfer's row and what would be moved of it, or refuse to validate it.

    Args:
        odoo: the connection.
        picking_id: the transfer.
        force_qty: whether less than demanded is enough.
        reserved_only: whether what is free does not count: it has been tried to reserve it.

    Raises:
        StateError: it is finished, too little is there, or the stock would be negative.
    """
    row, moves, _ = read_transfer(odoo, picking_id)
    name = row["name"]
    if row["state"] == "done":
        raise state_error(PICKING, row, f"{name} is already done.", "Nothing is left to do.")
    if row["state"] == "cancel":
        todo = "Make a new transfer with create_transfer."
        raise state_error(PICKING, row, f"{name} is cancelled.", todo)
    expected = _expected(odoo, moves, reserved_only)
    if not expected:
        todo = "Add products to it, or cancel it."
        raise state_error(PICKING, row, f"{name} has nothing to move.", todo)
    if not any(item.quantity > 0 for item in expected):
        message = f"Nothing of {name} can be moved: {_list(expected)}. Nothing was moved."
        raise _shortage(odoo, row, expected, message, partly=False)
    if not force_qty and (missing := [item for item in expected if item.missing > 0]):
        message = f"{name} was not validated, because of a shortage: {_list(missing)}."
        raise _shortage(odoo, row, missing, message, partly=True)
    _check_negative(row, expected)
    return row, expected


def is_reserved(odoo: Odoo, picking_id: int) -> bool | None:
    """See whether all that can be reserved for a transfer is; None where it is not."""
    expected = _expected(odoo, read_moves(odoo, picking_id), reserved_only=False)
    return None if any(item.unreserved > _TOLERANCE for item in expected) else True


def _expected(odoo: Odoo, moves: Sequence[Row], reserved_only: bool) -> list[Expected]:
    """Return what a validation would move: what was entered, else what is or can be reserved."""
    left = [move for move in moves if move["state"] != "done"]
    entered = any(move["entered"] for move in left)
    stocks = {} if reserved_only or not left else _stocks(odoo, left)
    free = {at: max(stock["free_qty"], 0.0) for at, stock in stocks.items()}
    expected: list[Expected] = []
    for move in left:
        at = move["product"].id, move["location"]
        quantity = move["done"] if entered else min(move["reserved"], move["demand"])
        waits = move["state"] == "waiting"
        lacking = 0.0 if entered or reserved_only else move["demand"] - quantity
        unreserved = 0.0 if waits else lacking
        if at in free:
            unreserved = min(unreserved, free[at] / move["ratio"])
            free[at] -= unreserved * move["ratio"]
        expected.append(
            Expected(
                move=move,
                quantity=quantity + unreserved,
                unreserved=unreserved,
                to_reserve=(lacking if waits else unreserved) > _TOLERANCE,
                stock=stocks.get(at),
            )
        )
    return expected


def _stocks(odoo: Odoo, moves: Sequence[Row]) -> dict[tuple[int, int], Row]:
    """Return what there is of each product in each location, where stock is counted."""
    locations = sorted({move["location"] for move in moves})
    products = sorted({move["product"].id for move in moves})
    asked: list[Callable[[], list[Row]]] = [
        lambda: read_all(odoo, LOCATION, locations),
        *(
            lambda location=location: read_all(odoo, _STOCKED, products, location=location)
            for location in locations
        ),
    ]
    usages, *found = side_by_side(asked)
    return {
        (row["id"], location["id"]): row
        for location, rows in zip(usages, found, strict=True)
        if location["usage"] in _HOLDS_STOCK
        for row in rows
        if row["is_storable"] or row["type"] == "product"
    }


def _check_negative(row: Row, expected: Sequence[Expected]) -> None:
    """Refuse quantities that were entered and are not there.

    Odoo itself would move them, and leave a stock below zero.
    """
    taken: dict[tuple[int, int], float] = {}
    stocked = [item for item in expected if item.move["entered"] and item.stock]
    lines = {(item.move["product"].id, item.move["location"]): item for item in stocked}
    for item in stocked:
        at = item.move["product"].id, item.move["location"]
        taken[at] = taken.get(at, 0.0) + item.quantity * item.move["ratio"]
    problems = [
        f"{item.move['product'].name}: {taken[at]:g} entered,"
        f" {item.stock['qty_available']:g} in stock"
        for at, item in lines.items()
        if item.stock and taken[at] > item.stock["qty_available"] + _TOLERANCE
    ]
    if problems:
        raise state_error(
            PICKING,
            row,
            "More was entered than is in stock; the stock would be negative."
            f" {'; '.join(problems)}.",
            "Correct the quantities, or receive the goods first.",
        )


def _shortage(
    odoo: Odoo, row: Row, missing: Sequence[Expected], message: str, *, partly: bool
) -> StateError:
    """Return the error for a transfer of which too little can be moved, with all ways out."""
    ways = ["move this much and leave a backorder for the rest, with force_qty=True"] * partly
    if any(item.waits for item in missing):
        ways.append("validate the transfer that it waits for first")
    else:
        ways.append("receive the goods first (get_stock shows what is where)")
    values = '{"quantity": ..., "picked": true}' if picks(odoo) else '{"quantity_done": ...}'
    ways.append(
        "or, where they are in stock but reserved for others, give the quantities by hand: write"
        f" {values} on each stock.move of the transfer and validate it again"
    )
    error = state_error(PICKING, row, message, f"Choose: {'; '.join(ways)}.")
    error.details["missing"] = [_told(item) for item in missing]
    return error


def _list(items: Sequence[Expected]) -> str:
    return "; ".join(
        f"{item.move['product'].name}: {item.quantity:g} of {item.move['demand']:g}"
        f" {item.move['uom']} {'entered' if item.move['entered'] else 'available'}"
        for item in items
    )


def _told(item: Expected) -> dict[str, Any]:
    return {
        "product": item.move["product"].name,
        "move_id": item.move["id"],
        "demand": item.move["demand"],
        "available": round(item.quantity, 6),
        "missing": round(item.missing, 6),
        "uom": item.move["uom"],
    }
