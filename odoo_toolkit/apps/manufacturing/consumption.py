"""Quantities of components that a production uses, and their fields on each version.

On Odoo 16 and earlier a move has ``quantity_done``. On Odoo 17 and later it has ``quantity`` and
the flag ``picked``. Components with lots are written on the lines of the move. On Odoo 15 and
earlier this also applies to components reserved in several places, because a move with several
lines does not accept a quantity there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.transfers import picks
from odoo_toolkit.apps.manufacturing.bills import Sizes, learn_sizes, rounded
from odoo_toolkit.apps.manufacturing.orders import ORDER, read_free, read_move_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.records.results import RecordName

_TOLERANCE = 1e-6

#: Up to 15 a move with several lines takes no quantity of its own.
_SPREADS_ITSELF = 16


class UsedLine(TypedDict, total=False):
    """The total quantity of a component that is used, or its lots."""

    product_id: int
    product_name: str
    quantity: Annotated[float, Ge(0)]
    lots: Sequence[str]


@attrs.define(kw_only=True)
class Use:
    """What is used of a component.

    Attributes:
        move: as :func:`read_components` gives it.
        quantity: in the move's unit of measure.
        lots: name -> quantity; empty where what is reserved is taken.
        kept: whether it was entered in Odoo already, and stays.
        told: whether the caller gave the quantity.
        field: of the argument, for errors.
    """

    move: op.Row
    quantity: float
    lots: dict[str, float] = attrs.Factory(dict)
    kept: bool = False
    told: bool = False
    field: str = "lines"


def checked_uses(lines: Sequence[op.Line] | None) -> list[dict[str, Any]]:
    """Return the lines as plain Python, or refuse what is wrong with them by themselves.

    Raises:
        ValidationError: a key, quantity or lot is wrong.
    """
    if lines is None:
        return []
    checked = op.check_lines(lines, UsedLine.__annotations__)
    for index, line in enumerate(checked):
        field = f"lines[{index}].quantity"
        line["lots"] = op.checked_lots(line, index)
        if "quantity" in line and op.checked_number(line["quantity"], field, positive=False) < 0:
            raise invalid(field, f"{field} must not be negative.")
        if "quantity" not in line and not line["lots"]:
            raise invalid(field, f"lines[{index}] has neither a quantity nor lots.")
    return checked


def plan_uses(
    odoo: Odoo,
    moves: Sequence[op.Row],
    lines: Sequence[op.Line],
    *,
    share: float,
    entered: bool,
) -> list[Use]:
    """Return what is used of each open component; names of products cost one round trip.

    Args:
        odoo: the connection.
        moves: of the order's components.
        lines: as :func:`checked_uses` returns them.
        share: what part of the rest of the order is produced.
        entered: whether what was entered in Odoo is for this quantity, and stays.

    Raises:
        ValidationError: a line is for no component, or its lots do not fit.
    """
    moves = [move for move in moves if move["state"] != "done"]
    steps: dict[int, float] = {}
    if abs(share - 1) > _TOLERANCE:
        sizes: Sizes = {}
        learn_sizes(odoo, [move["uom"].id for move in moves], sizes)
        steps = {number: step for number, (_, step) in sizes.items()}
    uses = []
    for move in moves:
        part = move["needed"] * share
        part = rounded(part, steps[move["uom"].id]) if steps else part
        kept = entered and move["entered"]
        uses.append(Use(move=move, quantity=move["consumed"] if kept else part, kept=kept))
    components = [use for use in uses if not use.move["byproduct"]]
    products = sorted({use.move["product"].id for use in components})
    wanted = [
        attrs.evolve(op.wanted_product(line, index), domain=(["id", "in", products],))
        for index, line in enumerate(lines)
    ]
    for index, (line, product) in enumerate(zip(lines, op.resolve_all(odoo, wanted), strict=True)):
        _apply(components, line, product, f"lines[{index}]")
    return uses


def _apply(uses: Sequence[Use], line: op.Line, product: int | None, field: str) -> None:
    """Let a line say what is used of its product: all of it of the first move, if several are."""
    of_product = [use for use in uses if use.move["product"].id == product]
    if not of_product:
        listed = ", ".join(
            f"{name} ({number})"
            for number, name in {u.move["product"].id: u.move["product"].name for u in uses}.items()
        )
        raise invalid(
            f"{field}.product_id",
            f"{field} is not an open component of the order.",
            f"The components are {listed}.",
        )
    use, lots = of_product[0], line["lots"]
    first = not (use.told or use.lots)
    total = sum(other.quantity for other in of_product)
    quantity = line.get("quantity", len(lots) if use.move["tracking"] == "serial" else total)
    if lots:
        name = f"{field}.lots"
        ratio = use.move["ratio"]
        op.check_tracking(use.move["product"], use.move["tracking"], lots, quantity * ratio, name)
        op.check_once([*use.lots, *lots], name)
        use.lots.update(dict.fromkeys(lots, quantity / len(lots)))
    elif use.lots or (not first and use.move["tracking"] != "none"):
        raise invalid(
            f"{field}.lots",
            f"Some lines of {use.move['product'].name} have lots and some do not.",
            "Set lots on all of these lines, or on none.",
        )
    use.told |= "quantity" in line
    use.quantity = quantity if first else use.quantity + quantity
    use.kept, use.field = False, field
    for other in of_product[1:]:
        other.quantity, other.kept, other.told = 0.0, False, True


def shortages(odoo: Odoo, uses: Sequence[Use]) -> list[dict[str, Any]]:
    """Return the components of which less is there than is to be used; one round trip if any is.

    A move tells no more stock than it needs itself: where more is used, the product is asked.
    """
    counted = [use for use in uses if use.move["stored"] and not use.lots]
    short = _lacks(counted, None)
    if not short:
        return []
    location = counted[0].move["location"]
    rows = read_free(odoo, [item["product_id"] for item in short], location)
    return _lacks(counted, {row["id"]: max(row["free_qty"] or 0.0, 0.0) for row in rows})


def _lacks(uses: Sequence[Use], free: Mapping[int, float] | None) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for use in uses:
        move, product = use.move, use.move["product"]
        new = {"product": product.name, "product_id": product.id, "uom": move["uom"].name}
        first = (free or {}).get(product.id, 0.0) / move["ratio"]
        item = found.setdefault(product.id, {**new, "needed": 0.0, "there": first})
        item["needed"] += use.quantity
        item["there"] += move["reserved"] + (move["free"] if free is None else 0.0)
    if free is not None:
        found = {product: item for product, item in found.items() if product in free}
    return [item for item in found.values() if item["needed"] > item["there"] + _TOLERANCE]


def move_commands(
    odoo: Odoo, order: op.Row, uses: Sequence[Use], *, unreserved: bool
) -> dict[str, list[list[Any]]]:
    """Return the commands by which an order's moves are written, by its field for them.

    No round trip, but where lots or several places matter: 1, and 2 more for lots that are named.

    Args:
        odoo: the connection.
        order: its row.
        uses: what is used.
        unreserved: whether more may be used of a lot than is in stock.

    Raises:
        ValidationError: it is not known which lots to use, or too little of one is there.
        NotFoundError: a lot does not exist.
    """
    flagged = picks(odoo)
    spreads = odoo.version.major >= _SPREADS_ITSELF
    changed = [use for use in uses if not use.kept]
    by_line = [
        use
        for use in changed
        if not use.move["byproduct"]
        and (use.move["tracking"] != "none" or _must_spread(use.move, spreads))
    ]
    ids = [use.move["id"] for use in by_line if use.move["line_ids"]]
    lines = read_move_lines(odoo, [use.move for use in by_line], ids) if ids else []
    finer = [use.move["product"].id for use in by_line if use.move["ratio"] > 1]
    units = op.units_of_products(odoo, finer, ORDER.model)
    lots = _named_lots(odoo, order, by_line, unreserved=unreserved)
    commands: dict[str, list[list[Any]]] = {"move_raw_ids": [], "move_finished_ids": []}
    for use in changed:
        move = use.move
        into = commands["move_finished_ids" if move["byproduct"] else "move_raw_ids"]
        if use not in by_line:
            done: op.Row = {"quantity": use.quantity, "picked": True}
            into.append([1, move["id"], done if flagged else {"quantity_done": use.quantity}])
            continue
        own = [line for line in lines if line["move"] == move["id"]]
        parts = lots.get(move["id"]) if use.lots else _reserved_parts(odoo, use, own)
        unit = units.get(move["product"].id)
        values: op.Row = {"move_line_ids": _line_commands(move, own, parts or [], flagged, unit)}
        into.append([1, move["id"], values | ({"picked": True} if flagged else {})])
    return commands


def _must_spread(move: op.Row, spreads: bool) -> bool:
    """Return whether to write a move's quantity on its lines.

    No Odoo converts it reliably if lines are in another unit than their move.
    """
    lines = len(move["line_ids"])
    return (lines > 1 and not spreads) or (lines > 0 and move["ratio"] != 1)


def _reserved_parts(odoo: Odoo, use: Use, lines: Sequence[op.Row]) -> list[op.Row]:
    """Return what is taken of what is reserved, line by line."""
    parts: list[op.Row] = []
    left, move = use.quantity, use.move
    for line in lines:
        if move["tracking"] != "none" and not line["lot"]:
            continue
        part = min(left, line["reserved"])
        if part > _TOLERANCE:
            lot = line["lot"].id if line["lot"] else None
            parts.append({"lot": lot, "location": line["location"], "quantity": part})
            left -= part
    if left > _TOLERANCE and move["tracking"] != "none":
        raise _lots_needed(odoo, use, left)
    if left > _TOLERANCE:
        parts.append({"lot": None, "location": move["location"], "quantity": left})
    return parts


def _lots_needed(odoo: Odoo, use: Use, left: float) -> ValidationError:
    product = use.move["product"]
    there = op.lots_of(odoo, product.id, acts_on=ORDER.model, location=use.move["location"])
    return invalid(
        "lines",
        f"{product.name} is tracked by {use.move['tracking']} numbers, and no number is reserved "
        f"for {left:g} of it. Nothing was produced.",
        f"Set lots in lines, such as {{'product_id': {product.id}, 'lots': "
        f"[...]}}. In stock: {there}.",
        product_id=product.id,
    )


def _named_lots(
    odoo: Odoo, order: op.Row, uses: Sequence[Use], *, unreserved: bool
) -> dict[int, list[op.Row]]:
    """Return by move from where the lots that were named are taken."""
    named = [
        (use, op.NamedLot(product=use.move["product"], name=name, field=f"{use.field}.lots"))
        for use in uses
        for name in use.lots
    ]
    if not named:
        return {}
    company = order["company_id"].id if order["company_id"] else None
    found = op.find_lots(odoo, [lot for _, lot in named], acts_on=ORDER.model, company=company)
    for _, lot in named:
        if lot.key not in found:
            raise op.missing_lot(odoo, lot, acts_on=ORDER.model)
    places = sorted({use.move["location"] for use in uses})
    quants = op.lots_in_stock(odoo, found.values(), acts_on=ORDER.model, locations=places)
    parts: dict[int, list[op.Row]] = {}
    for use, lot in named:
        found_parts = op.taken_from(
            odoo,
            lot,
            use.lots[lot.name],
            [quant for quant in quants if quant["lot_id"].id == found[lot.key]],
            ratio=use.move["ratio"],
            location=use.move["location"],
            acts_on=ORDER.model,
            unreserved=unreserved,
        )
        parts.setdefault(use.move["id"], []).extend(
            {
                "lot": found[lot.key],
                "location": part["location_id"],
                "quantity": part["quantity"],
            }
            for part in found_parts
        )
    return parts


def _line_commands(
    move: op.Row,
    lines: Sequence[op.Row],
    parts: Sequence[Mapping[str, Any]],
    flagged: bool,
    unit: RecordName | None,
) -> list[list[Any]]:
    """Return the commands for a move's lines: those there are for the same stock are used.

    New ones are in the product's ``unit`` if that is finer than the move's.
    """
    unused = list(lines)
    commands: list[list[Any]] = []
    for part in parts:
        place = part["lot"], part["location"]
        same = [
            line
            for line in unused
            if (line["lot"].id if line["lot"] else None, line["location"]) == place
        ]
        size = same[0]["size"] if same else 1 / move["ratio"] if unit else 1.0
        quantity = round(part["quantity"] / size, 9)
        done: op.Row = {"quantity": quantity, "picked": True} if flagged else {"qty_done": quantity}
        if same:
            unused.remove(same[0])
            commands.append([1, same[0]["id"], done])
            continue
        new: op.Row = {
            "product_id": move["product"].id,
            "product_uom_id": (unit or move["uom"]).id,
            "location_id": part["location"],
            "location_dest_id": move["destination"],
        }
        commands.append([0, 0, new | ({"lot_id": part["lot"]} if part["lot"] else {}) | done])
    # From 17 on what is reserved and what is done are one: the rest of it has to go.
    rest = [[2, line["id"]] for line in unused]
    if not flagged:
        rest = [[1, line["id"], {"qty_done": 0.0}] for line in unused if line["done"]]
    return [*rest, *commands]
