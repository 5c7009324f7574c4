"""Quantities and lots to enter in the moves of a transfer.

The toolkit checks your lines, matches each with a move, and converts them to the form of each Odoo
version.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_types import Gt

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import Expected, check_lots_known, uses_lots
from odoo_toolkit.apps.inventory.transfers import PICKING, moves_field, picks, read_moves
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid

_TOLERANCE = 1e-6


class ReturnedLine(TypedDict, total=False):
    """The quantity of a move to return. The move is identified by its id or its product."""

    move_id: int
    product_id: int
    product_name: str
    quantity: Annotated[float, Gt(0)]


class MovedLine(ReturnedLine, total=False):
    """The quantity of a move to move, and its lots."""

    lots: Sequence[str]


@attrs.frozen(kw_only=True)
class Entry:
    """What is to be done of one move.

    Attributes:
        move: as :func:`read_moves` gives it.
        quantity: in the move's unit of measure.
        lots: name -> quantity; empty for what is not tracked, or where what is reserved is taken.
        field: of the argument, for errors.
    """

    move: op.Row
    quantity: float
    lots: dict[str, float] = attrs.Factory(dict)
    field: str = "lines"


def checked_entries(lines: Sequence[op.Line], *, lots: bool = True) -> list[dict[str, Any]]:
    """Return the lines as plain Python, or refuse what is wrong with them by themselves.

    Args:
        lines: as they were given.
        lots: whether they may name lots.

    Raises:
        ValidationError: a key, quantity or lot is wrong.
    """
    checked = op.check_lines(lines, (MovedLine if lots else ReturnedLine).__annotations__)
    for index, line in enumerate(checked):
        line["lots"] = op.checked_lots(line, index)
        if "quantity" in line or not line["lots"]:
            op.checked_number(line.get("quantity"), f"lines[{index}].quantity", positive=True)
        if sum(key in line for key in ("move_id", "product_id", "product_name")) != 1:
            raise invalid(
                f"lines[{index}]",
                f"lines[{index}] needs exactly one of move_id, product_id and product_name.",
            )
    return checked


def match_moves(
    odoo: Odoo, row: op.Row, moves: Sequence[op.Row], lines: Sequence[op.Row], *, more: bool = False
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
        attrs.evolve(op.wanted_product(line, index), domain=(["id", "in", products],))
        for index, line in enumerate(lines)
    ]
    entries: dict[int, Entry] = {}
    for index, (line, product) in enumerate(
        zip(lines, op.resolve_all(odoo, wanted, required=False), strict=True)
    ):
        move = _meant(row, moves, line.get("move_id"), product, f"lines[{index}]")
        lots, ratio, field = line["lots"], move["ratio"], f"lines[{index}].lots"
        quantity = line.get("quantity", len(lots) / ratio)
        if lots:
            op.check_tracking(move["product"], move["tracking"], lots, quantity * ratio, field)
        entry = entries.setdefault(move["id"], Entry(move=move, quantity=0.0, field=field))
        if entry.quantity and bool(entry.lots) != bool(lots):
            raise invalid(
                field,
                f"Some lines of {move['product'].name} have lots and some do not.",
                "Set lots on all of these lines, or on none.",
            )
        op.check_once([*entry.lots, *lots], field)
        entry.lots.update(dict.fromkeys(lots, quantity / len(lots)) if lots else {})
        entries[move["id"]] = attrs.evolve(entry, quantity=entry.quantity + quantity)
    if not more and (over := [entry for entry in entries.values() if _over(entry)]):
        told = "; ".join(
            f"{entry.move['product'].name}: {entry.quantity:g} of {entry.move['demand']:g}"
            for entry in over
        )
        raise op.state_error(
            PICKING,
            row,
            f"{row['name']}: you entered more than the demand. {told}. Nothing was moved.",
            "Correct the quantities, or pass allow_more=True.",
        )
    return list(entries.values())


def _over(entry: Entry) -> bool:
    return bool(entry.quantity > entry.move["demand"] + _TOLERANCE)


def _meant(
    row: op.Row, moves: Sequence[op.Row], move_id: int | None, product: int | None, field: str
) -> op.Row:
    found = [move for move in moves if move_id == move["id"] or product == move["product"].id]
    if len(found) == 1:
        return found[0]
    shown = [
        {"move_id": move["id"], "product": move["product"].name, "demand": move["demand"]}
        for move in found or moves
    ]
    listed = "; ".join(f"{m['move_id']}: {m['demand']:g} {m['product']}" for m in shown[:20])
    what = "matches several moves" if found else "is not among the open moves"
    raise invalid(
        field, f"{field} {what} of {row['name']}.", f"Set move_id: {listed}.", moves=shown[:20]
    )


def mark(odoo: Odoo, moves: Sequence[op.Row], entries: Sequence[Entry]) -> None:
    """Show in the moves what is to be entered, as if it had been."""
    asked = {entry.move["id"]: entry for entry in entries}
    # From 17 on, entering a quantity reserves it; what has lots named is not reserved but taken.
    reserves = not picks(odoo)
    for move in moves:
        entry = asked.get(move["id"])
        move["asked"], move["was_entered"] = True, move["entered"]
        move["entered"], move["done"] = entry is not None, entry.quantity if entry else 0.0
        move["to_reserve"] = entry.quantity if entry and reserves and not entry.lots else 0.0


def lot_lines(
    odoo: Odoo,
    row: op.Row,
    entries: Sequence[Entry],
    expected: Sequence[Expected],
    lines: Sequence[op.Row],
    *,
    unreserved: bool,
) -> dict[int, list[op.Row]]:
    """Return the values of the move lines that moves with lots get; two round trips, if any has.

    Args:
        odoo: the connection.
        row: the transfer.
        entries: what was asked.
        expected: what would be moved.
        lines: the transfer's move lines.
        unreserved: whether more may be moved of a lot than is in stock.

    Raises:
        ValidationError: lots are missing, of another product, or not there; a serial number is in
            stock already.
        NotFoundError: a lot that has to exist does not.
    """
    of_move = {item.move["id"]: item for item in expected}
    if uses_lots(row):
        for entry in entries:
            if not entry.lots:
                check_lots_known(odoo, of_move[entry.move["id"]], lines, entry.field)
    named = [
        (entry, op.NamedLot(product=entry.move["product"], name=name, field=entry.field))
        for entry in entries
        for name in entry.lots
    ]
    if not named:
        return {}
    company = row["company_id"].id if row["company_id"] else None
    found = op.find_lots(odoo, [lot for _, lot in named], acts_on=PICKING.model, company=company)
    stocked = {entry.move["id"]: of_move[entry.move["id"]].stock is not None for entry, _ in named}
    sources = [entry.move["location"] for entry, _ in named if stocked[entry.move["id"]]]
    quants: list[op.Row] = []
    if found:
        ids = found.values()
        quants = op.lots_in_stock(odoo, ids, acts_on=PICKING.model, locations=sorted({*sources}))
    units = _units(odoo, [entry for entry, _ in named])
    values: dict[int, list[op.Row]] = {}
    for entry, lot in named:
        move, lot_id = entry.move, found.get(lot.key)
        ratio, unit = (1.0, units[move["id"]]) if move["id"] in units else (move["ratio"], None)
        of_lot = [quant for quant in quants if quant["lot_id"].id == lot_id]
        quantity = entry.lots[lot.name] * move["ratio"] / ratio
        if not stocked[move["id"]]:
            if lot_id is None and not row["use_create_lots"]:
                raise op.missing_lot(odoo, lot, acts_on=PICKING.model)
            if move["tracking"] == "serial":
                op.check_not_in_stock(of_lot, lot, lot_id)
            parts: list[op.Row] = [{"location_id": move["location"], "quantity": quantity}]
        elif lot_id is None:
            raise op.missing_lot(odoo, lot, acts_on=PICKING.model, location=move["location"])
        else:
            parts = op.taken_from(
                odoo,
                lot,
                quantity,
                of_lot,
                ratio=ratio,
                location=move["location"],
                acts_on=PICKING.model,
                unreserved=unreserved,
            )
        lying = [line["location_dest_id"].id for line in lines if line["move"] == move["id"]]
        values.setdefault(move["id"], []).extend(
            {
                "picking_id": row["id"],
                "product_id": move["product"].id,
                "product_uom_id": unit or move["uom_id"],
                # Where Odoo's rules put it away, if they have been applied.
                "location_dest_id": (lying or [move["destination"]])[0],
                **({"lot_id": lot_id} if lot_id else {"lot_name": lot.name}),
                **part,
            }
            for part in parts
        )
    return values


def _units(odoo: Odoo, entries: Collection[Entry]) -> dict[int, int]:
    """Return by move the product's unit, for lots where that is the finer one.

    A quantity in dozens has two decimals, which can't express seven pieces. A serial number is
    always one piece.
    """
    moves = [
        entry.move
        for entry in entries
        if entry.move["ratio"] > 1
        or (entry.move["tracking"] == "serial" and entry.move["ratio"] < 1)
    ]
    products = (move["product"].id for move in moves)
    units = op.units_of_products(odoo, products, PICKING.model)
    return {move["id"]: units[move["product"].id].id for move in moves}


def entry_values(
    odoo: Odoo,
    moves: Sequence[op.Row],
    entries: Sequence[Entry],
    lots: Mapping[int, Sequence[op.Row]],
    lines: Sequence[op.Row],
) -> dict[str, Any]:
    """Return what is written on a transfer so that just this is entered.

    Args:
        odoo: the connection.
        moves: its open moves, after :func:`mark`.
        entries: what was asked.
        lots: as :func:`lot_lines` returns them.
        lines: the transfer's move lines.
    """
    flagged = picks(odoo)
    asked = {entry.move["id"]: entry.quantity for entry in entries}
    commands: list[Any] = []
    for move in moves:
        own = [line for line in lines if line["move"] == move["id"]]
        values: dict[str, Any] = {}
        if move["id"] in lots:
            values["move_line_ids"] = [[2, line["id"], 0] for line in own] + [
                [0, 0, _line_values(part, flagged)] for part in lots[move["id"]]
            ]
        elif move["id"] not in asked:
            if move["was_entered"]:
                lines_off = [[1, line["id"], {"qty_done": 0}] for line in own]
                values = {"picked": False} if flagged else {"move_line_ids": lines_off}
        elif _must_spread(asked[move["id"]], own, flagged):
            values["move_line_ids"] = _spread(asked[move["id"]], own, flagged)
        elif flagged:
            values = {"quantity": asked[move["id"]], "picked": True}
        else:
            values["quantity_done"] = asked[move["id"]]
        if values:
            commands.append([1, move["id"], values])
    return {moves_field(odoo): commands}


def _line_values(part: op.Row, flagged: bool) -> op.Row:
    others = {name: value for name, value in part.items() if name != "quantity"}
    if flagged:
        return {**others, "quantity": part["quantity"], "picked": True}
    return {**others, "qty_done": part["quantity"]}


def _must_spread(quantity: float, lines: Sequence[op.Row], flagged: bool) -> bool:
    """Return whether to write a move's quantity on its lines, as Odoo would spread it wrongly.

    Odoo 16 and earlier do not spread it over several lines, and do not convert it to the unit of a
    single one. Odoo 17 and later do not convert what they take off lines.
    """
    converts = any(line["size"] != 1 for line in lines)
    if flagged:
        return converts and quantity < sum(line["reserved"] for line in lines) - _TOLERANCE
    return converts or len(lines) > 1


def _spread(quantity: float, lines: Sequence[op.Row], flagged: bool) -> list[Any]:
    commands: list[Any] = []
    for line in lines:
        last = line is lines[-1]
        part = quantity if last else min(quantity, line["reserved"])
        values = _line_values({"quantity": round(part / line["size"], 9)}, flagged)
        commands.append([1, line["id"], values] if part or not flagged else [2, line["id"], 0])
        quantity -= part
    return commands


@attrs.frozen(kw_only=True)
class Enter(op.Step):
    """Enters quantities and lots in the moves of a transfer.

    Attributes:
        fill: reads the move lines, which steps before this one change, and makes the values;
            None where there are no such steps.
    """

    model: str = PICKING.model
    method: str = "write"
    says: str = "Quantities entered"
    fails: str = "The quantities are not entered"
    fill: Callable[[], dict[str, Any]] | None = None

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Enter them."""
        step: op.Step = self
        if self.fill:
            step = attrs.evolve(self, fill=None, arguments={"vals": self.fill()})
        return op.Step.make(step, odoo, ids, warnings)


def enters(entries: Sequence[Entry]) -> op.Seen:
    """Return what sees that these quantities, and no others, are entered."""
    asked = {entry.move["id"]: entry.quantity for entry in entries}

    def seen(odoo: Odoo, picking_id: int) -> bool | None:
        for move in read_moves(odoo, picking_id):
            if abs(move["done"] - asked.get(move["id"], 0.0)) > _TOLERANCE:
                return None
        return True

    return seen
