"""A transfer as it is: its moves, what can be moved of them, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, StateError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

Row = dict[str, Any]

#: Locations that hold stock; all others give whatever is asked of them.
_HOLDS_STOCK = frozenset({"internal", "transit"})
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class TransferLine:
    """A move of a transfer; done is 0 until it is validated."""

    product: RecordName
    demand: float
    reserved: float
    done: float
    uom: str
    state: str


@attrs.frozen(kw_only=True)
class Backorder:
    """The transfer that holds the rest."""

    id: int
    name: str
    state: str


@attrs.frozen(kw_only=True)
class Transfer:
    """A transfer, as Odoo has it now.

    Attributes:
        name: its reference, such as WH/OUT/00012; None only when it could not be read back.
        state: draft, waiting, confirmed, assigned, done or cancel.
        validated: whether it is done.
        message: what was done.
        backorder: the transfer that holds the rest, if there is one.
    """

    id: int
    name: str | None
    state: str | None
    validated: bool
    message: str = ""
    picking_type: RecordName | None = None
    location_src: RecordName | None = None
    location_dest: RecordName | None = None
    lines: list[TransferLine] = attrs.Factory(list)
    backorder: Backorder | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Expected:
    """What would be moved of one move.

    Attributes:
        quantity: in the move's unit of measure.
        missing: of the demand.
        to_reserve: whether it has to be reserved first.
        from_stock: the product and location whose stock it lowers, if one does, and by how much
            in the product's unit of measure.
    """

    product: str
    demand: float
    quantity: float
    uom: str
    entered: bool = False
    waiting: bool = False
    to_reserve: bool = False
    from_stock: tuple[int, int, float] | None = None

    @property
    def missing(self) -> float:
        """How much less than the demand."""
        left = self.demand - self.quantity
        return left if left > _TOLERANCE else 0.0


@attrs.frozen(kw_only=True)
class TransferFields:
    """Names of fields that differ between versions.

    Attributes:
        moves: a picking's moves: move_lines to 15, move_ids from 16 on.
        move_has_name: whether a move needs a name: to 18.
        done: what is done of a move: quantity_done to 16; from 17 on quantity, which is what is
            reserved until then.
        reserved: reserved_availability to 16, quantity from 17 on.
        picked: whether there is the flag that tells what was entered from what is reserved.
    """

    moves: str
    move_has_name: bool
    done: str
    reserved: str
    picked: bool


def transfer_fields(odoo: Odoo) -> TransferFields:
    """Return the names of fields on this server, by its own description of them."""
    move = odoo.schema.fields("stock.move")
    picked = "picked" in move
    return TransferFields(
        moves="move_ids" if "move_ids" in odoo.schema.fields("stock.picking") else "move_lines",
        move_has_name="name" in move,
        done="quantity" if picked else "quantity_done",
        reserved="quantity" if picked else "reserved_availability",
        picked=picked,
    )


def read_stored(
    odoo: Odoo, model: str, ids: Sequence[int], fields: Sequence[str], **context: Any
) -> list[Row]:
    """Return rows in the order asked, or raise NotFoundError: Odoo says nothing of missing ones."""
    rows = odoo.call(
        Call(
            model=model,
            method="read",
            ids=tuple(ids),
            arguments={"fields": list(fields)},
            context=context,
        )
    )
    by_id = {row["id"]: row for row in rows}
    if missing := [number for number in ids if number not in by_id]:
        raise NotFoundError(
            f"There is no {model} {', '.join(map(str, missing))}.",
            suggestion=f"Look for it with odoo_core_search_read on {model}.",
            details={"model": model, "ids": missing},
        )
    return [by_id[number] for number in ids]


def read_transfer(
    odoo: Odoo, number: int, *, backorder: bool = False
) -> tuple[Transfer, list[Row]]:
    """Return a transfer, and its moves that are not cancelled as rows with uniform keys.

    The reads run side by side: one round trip's time. Keys of a move: product_id, demand, done,
    reserved, entered, ratio (of the product's unit to the move's), location_id, state, uom.
    """
    names = transfer_fields(odoo)
    wanted = ["name", "state", "picking_type_id", "location_id", "location_dest_id"]
    fields = ["product_id", "product_uom_qty", "product_qty", "product_uom", "location_id"]
    fields += ["state", *dict.fromkeys([names.done, names.reserved])]
    fields += ["picked"] if names.picked else []
    domain = [["picking_id", "=", number], ["state", "!=", "cancel"]]
    moves_call = Call(
        model="stock.move",
        method="search_read",
        arguments={"domain": domain, "fields": fields, "order": "id"},
    )
    rest_call = Call(
        model="stock.picking",
        method="search_read",
        arguments={
            "domain": [["backorder_id", "=", number]],
            "fields": ["name", "state"],
            "order": "id desc",
            "limit": 1,
        },
    )
    (row,), moves, rest = side_by_side(
        [
            lambda: read_stored(odoo, "stock.picking", [number], wanted),
            lambda: [_uniform(move, names) for move in odoo.call(moves_call)],
            lambda: odoo.call(rest_call) if backorder else [],
        ]
    )
    transfer = Transfer(
        id=number,
        name=row["name"],
        state=row["state"],
        validated=row["state"] == "done",
        picking_type=_name(row["picking_type_id"]),
        location_src=_name(row["location_id"]),
        location_dest=_name(row["location_dest_id"]),
        lines=[
            TransferLine(
                product=RecordName(id=move["product_id"][0], name=move["product_id"][1]),
                demand=move["demand"],
                reserved=move["reserved"],
                done=move["done"],
                uom=move["uom"],
                state=move["state"],
            )
            for move in moves
        ],
        backorder=Backorder(id=rest[0]["id"], name=rest[0]["name"], state=rest[0]["state"])
        if rest
        else None,
    )
    return transfer, moves


def _uniform(move: Row, names: TransferFields) -> Row:
    finished = move["state"] == "done"
    done = move[names.done]
    entered = bool(done) and (move["picked"] if names.picked else True)
    demand = move["product_uom_qty"]
    return {
        "product_id": move["product_id"],
        "demand": demand,
        "done": done if finished or entered else 0.0,
        "entered": entered,
        "reserved": 0.0 if finished else move[names.reserved],
        # 12 of a dozen: stock is counted in the product's unit, the move in its own.
        "ratio": move["product_qty"] / demand if demand else 1.0,
        "location_id": move["location_id"][0],
        "state": move["state"],
        "uom": move["product_uom"][1],
    }


def expected_quantities(
    odoo: Odoo, moves: Sequence[Row], *, reserved_only: bool = False
) -> list[Expected]:
    """Return what a validation would move: what was entered, else what is or can be reserved.

    Args:
        odoo: the connection.
        moves: as :func:`read_transfer` gives them.
        reserved_only: whether what is free does not count: it has been tried to reserve it.
    """
    open_moves = [move for move in moves if move["state"] != "done"]
    if not open_moves:
        return []
    entered = any(move["entered"] for move in open_moves)
    stored: set[tuple[int, int]]
    free: dict[tuple[int, int], float]
    stored, free = (set(), {}) if reserved_only else _stock(odoo, open_moves)
    expected: list[Expected] = []
    for move in open_moves:
        product, location = move["product_id"][0], move["location_id"]
        limited = (product, location) in free
        quantity = move["done"] if entered else min(move["reserved"], move["demand"])
        lacking = move["demand"] - quantity
        to_reserve = False
        if not entered and lacking > _TOLERANCE and not reserved_only:
            available = lacking
            if move["state"] == "waiting":
                available = 0.0
            elif limited:
                available = min(lacking, max(free[product, location], 0.0) / move["ratio"])
                free[product, location] -= available * move["ratio"]
            to_reserve = available > _TOLERANCE or move["state"] == "waiting"
            quantity += available
        expected.append(
            Expected(
                product=move["product_id"][1],
                demand=move["demand"],
                quantity=quantity,
                uom=move["uom"],
                entered=entered,
                waiting=move["state"] == "waiting",
                to_reserve=to_reserve,
                from_stock=(product, location, quantity * move["ratio"])
                if (product, location) in stored
                else None,
            )
        )
    return expected


def _stock(
    odoo: Odoo, moves: Sequence[Row]
) -> tuple[set[tuple[int, int]], dict[tuple[int, int], float]]:
    """Return which moves lower a stock that is counted, and what is free of it."""
    locations = sorted({move["location_id"] for move in moves})
    products = sorted({move["product_id"][0] for move in moves})
    # Goods whose stock is not counted: to 17 of another type, from 18 on without a flag.
    flag = "is_storable" if "is_storable" in odoo.schema.fields("product.product") else "type"

    def free_at(location: int) -> list[Row]:
        return read_stored(odoo, "product.product", products, [flag, "free_qty"], location=location)

    usages, *free = side_by_side(
        [
            lambda: read_stored(odoo, "stock.location", locations, ["usage"]),
            *(lambda location=location: free_at(location) for location in locations),
        ]
    )
    found: dict[tuple[int, int], float] = {}
    for usage, rows in zip(usages, free, strict=True):
        if usage["usage"] in _HOLDS_STOCK:
            for row in rows:
                if row[flag] in (True, "product"):
                    found[row["id"], usage["id"]] = row["free_qty"]
    return set(found), found


def negative_stock(odoo: Odoo, expected: Sequence[Expected]) -> StateError | None:
    """Return why quantities that were entered by hand cannot be moved: there are not as many.

    Odoo itself would move them, and leave a stock below zero.
    """
    taken: dict[tuple[int, int], float] = {}
    names: dict[tuple[int, int], str] = {}
    for item in expected:
        if item.entered and item.from_stock:
            product, location, quantity = item.from_stock
            taken[product, location] = taken.get((product, location), 0.0) + quantity
            names[product, location] = item.product
    problems = []
    for location in sorted({location for _, location in taken}):
        products = sorted(product for product, place in taken if place == location)
        rows = read_stored(odoo, "product.product", products, ["qty_available"], location=location)
        problems += [
            f"{names[row['id'], location]}: {taken[row['id'], location]:g} entered,"
            f" {row['qty_available']:g} in stock"
            for row in rows
            if taken[row["id"], location] > row["qty_available"] + _TOLERANCE
        ]
    if not problems:
        return None
    return StateError(
        f"More was entered than is in stock; the stock would be negative. {'; '.join(problems)}.",
        suggestion="Correct the quantities in Odoo, or receive the goods first.",
        details={"model": "stock.picking", "missing": problems},
    )


def nothing_to_move(transfer: Transfer, expected: Sequence[Expected]) -> StateError:
    """Return the error for a transfer of which nothing can be moved."""
    if not expected:
        return StateError(
            f"{transfer.name} has nothing to move.",
            suggestion="Add products to it, or cancel it.",
            details=_details(transfer, []),
        )
    return StateError(
        f"Nothing of {transfer.name} can be moved: {_list(expected)}. Nothing was changed.",
        suggestion="Validate the transfer that it waits for first."
        if any(item.waiting for item in expected)
        else "Receive the goods first; odoo_inventory_get_stock shows what is where.",
        details=_details(transfer, expected),
    )


def shortage(transfer: Transfer, missing: Sequence[Expected]) -> StateError:
    """Return the error for a transfer of which only a part can be moved."""
    return StateError(
        f"{transfer.name} was not validated, because of a shortage: {_list(missing)}.",
        suggestion="Pass force_qty: true to move what is there and leave a backorder for the"
        " rest, or wait until all is there.",
        details=_details(transfer, missing),
    )


def _list(items: Sequence[Expected]) -> str:
    return "; ".join(
        f"{item.product}: {item.quantity:g} of {item.demand:g} {item.uom}"
        f"{' entered' if item.entered else ' available'}"
        for item in items
    )


def _details(transfer: Transfer, missing: Sequence[Expected]) -> Mapping[str, Any]:
    return {
        "model": "stock.picking",
        "id": transfer.id,
        "current_state": transfer.state,
        "missing": [
            {
                "product": item.product,
                "demand": item.demand,
                "available": round(item.quantity, 6),
                "missing": round(item.missing, 6),
                "uom": item.uom,
            }
            for item in missing
        ],
    }


def _name(value: Any) -> RecordName | None:
    return RecordName(id=value[0], name=value[1]) if value else None
