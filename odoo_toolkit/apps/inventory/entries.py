"""The lines that a caller gives for the moves of a transfer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.apps.inventory.transfers import PICKING, picks
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import Row, state_error
from odoo_toolkit.operations.lines import Line, check_lines, checked_number
from odoo_toolkit.operations.lots import check_once, check_tracking, checked_lots
from odoo_toolkit.records.names import Wanted, resolve_all

_TOLERANCE = 1e-6

_MEANT = {
    "move_id": {"type": "integer"},
    "product_id": {"type": "integer"},
    "product_name": {"type": "string"},
    "quantity": {"type": "number", "exclusiveMinimum": 0},
}


def lines_schema(**further: Any) -> JsonSchema:
    """Return the schema of lines that each mean a move; ``further`` properties of theirs."""
    properties = {**_MEANT, **further}
    line = {"type": "object", "properties": properties}
    return JsonSchema({"type": "array", "items": line})


@attrs.frozen(kw_only=True)
class Entry:
    """What is to be done of one move.

    Attributes:
        move: as :func:`read_moves` gives it.
        quantity: in the move's unit of measure.
        lots: name -> quantity; empty for what is not tracked, or where what is reserved is taken.
        field: of the argument, for errors.
    """

    move: Row
    quantity: float
    lots: dict[str, float] = attrs.Factory(dict)
    field: str = "lines"


def checked_entries(lines: Sequence[Line], *, lots: bool = True) -> list[dict[str, Any]]:
    """Return the lines as plain Python, or refuse what is wrong with them by themselves.

    Args:
        lines: as they were given.
        lots: whether they may name lots.

    Raises:
        ValidationError: a key, quantity or lot is wrong.
    """
    checked = check_lines(lines, [*_MEANT, "lots"] if lots else _MEANT)
    for index, line in enumerate(checked):
        line["lots"] = checked_lots(line, index)
        if "quantity" in line or not line["lots"]:
            checked_number(line.get("quantity"), f"lines[{index}].quantity", positive=True)
        if sum(key in line for key in ("move_id", "product_id", "product_name")) != 1:
            raise ValidationError(
                f"lines[{index}] must have one of move_id, product_id and product_name.",
                details={"field": f"lines[{index}]"},
            )
    return checked


def match_moves(
    odoo: Odoo, row: Row, moves: Sequence[Row], lines: Sequence[Row], *, more: bool = False
) -> list[Entry]:
    """Return what is to be done of each move that the lines mean; names cost one round trip.

    Args:
        odoo: the connection.
        row: the transfer.
        moves: its open moves.
        lines: as :func:`checked_entries` returns them.
        more: whether more may be moved than is demanded.

    Raises:
        ValidationError: a line means no move or several, its lots do not fit, or it is too much.
        NotFoundError: nothing of this name is in the transfer.
    """
    products = sorted({move["product"].id for move in moves})
    wanted = [
        Wanted(
            model="product.product",
            field=f"lines[{index}].product_id",
            id=line.get("product_id"),
            name=line.get("product_name"),
            domain=(["id", "in", products],),
        )
        for index, line in enumerate(lines)
    ]
    entries: dict[int, Entry] = {}
    for index, (line, product) in enumerate(
        zip(lines, resolve_all(odoo, wanted, required=False), strict=True)
    ):
        move = _meant(row, moves, line.get("move_id"), product, f"lines[{index}]")
        lots, ratio, field = line["lots"], move["ratio"], f"lines[{index}].lots"
        quantity = line.get("quantity", len(lots) / ratio)
        if lots:
            check_tracking(move["product"], move["tracking"], lots, quantity * ratio, field)
        entry = entries.setdefault(move["id"], Entry(move=move, quantity=0.0, field=field))
        if entry.quantity and bool(entry.lots) != bool(lots):
            raise ValidationError(
                f"Some lines of {move['product'].name} name lots and some do not.",
                suggestion="Name them in all of its lines, or in none.",
                details={"field": field},
            )
        check_once([*entry.lots, *lots], field)
        entry.lots.update(dict.fromkeys(lots, quantity / len(lots)) if lots else {})
        entries[move["id"]] = attrs.evolve(entry, quantity=entry.quantity + quantity)
    if not more and (over := [entry for entry in entries.values() if _over(entry)]):
        told = "; ".join(
            f"{entry.move['product'].name}: {entry.quantity:g} of {entry.move['demand']:g}"
            for entry in over
        )
        raise state_error(
            PICKING,
            row,
            f"{row['name']}: more is to be moved than was demanded. {told}. Nothing was moved.",
            "Correct the quantities, or say allow_more=True.",
        )
    return list(entries.values())


def _over(entry: Entry) -> bool:
    return bool(entry.quantity > entry.move["demand"] + _TOLERANCE)


def _meant(
    row: Row, moves: Sequence[Row], move_id: int | None, product: int | None, field: str
) -> Row:
    found = [move for move in moves if move_id == move["id"] or product == move["product"].id]
    if len(found) == 1:
        return found[0]
    shown = [
        {"move_id": move["id"], "product": move["product"].name, "demand": move["demand"]}
        for move in found or moves
    ]
    listed = "; ".join(f"{m['move_id']}: {m['demand']:g} {m['product']}" for m in shown[:20])
    what = "means several moves" if found else "is not among the open moves"
    raise ValidationError(
        f"{field} {what} of {row['name']}.",
        suggestion=f"Give move_id: {listed}.",
        details={"field": field, "moves": shown[:20]},
    )


def mark(odoo: Odoo, moves: Sequence[Row], entries: Sequence[Entry]) -> None:
    """Show in the moves what is to be entered, as if it had been."""
    asked = {entry.move["id"]: entry for entry in entries}
    # From 17 on, entering a quantity reserves it; what has lots named is not reserved but taken.
    reserves = not picks(odoo)
    for move in moves:
        entry = asked.get(move["id"])
        move["asked"], move["was_entered"] = True, move["entered"]
        move["entered"], move["done"] = entry is not None, entry.quantity if entry else 0.0
        move["to_reserve"] = entry.quantity if entry and reserves and not entry.lots else 0.0
