"""How what moved, scrapped or counted goods is taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.actions import CONFIRM
from odoo_toolkit.apps.inventory.adjusting import APPLY, QUANT, in_stock, quants_of, way_to_count
from odoo_toolkit.apps.inventory.transfers import moves_field
from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo

_LINE, _MOVE, _PICKING = "stock.move.line", "stock.move", "stock.picking"

#: The fields of a move that link it to an order.
_ORDERED = ("sale_line_id", "purchase_line_id")

#: The field of what has moved: of a done line, writing it moves the difference.
_QUANTITY_SINCE = 17

#: Differences below this are rounding.
_NOTHING = 1e-6


@attrs.frozen(kw_only=True)
class _OnDocument(op.Step):
    """A step on the lines of a document, which the lists of models judge as one on it."""

    document: str

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call."""
        return [
            attrs.evolve(call, acts_on=self.document) for call in op.Step.calls(self, odoo, ids)
        ]


@attrs.frozen(kw_only=True)
class _Anew(op.Step):
    """Copies a done transfer, whose order would else have none that is open."""

    source: int

    @property
    def makes(self) -> bool:
        """Whether the step that follows acts on the copy."""
        return True

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call."""
        return super().calls(odoo, [self.source])

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[int]:
        """Copy it, and return the ids of the copy."""
        made = super().make(odoo, ids, warnings)
        return made if isinstance(made, list) else [made]


@attrs.frozen(kw_only=True)
class _Demand(op.Step):
    """Writes the demands of a copy. In Odoo 16 and earlier, the demand is the moved quantity."""

    demands: Sequence[float]
    says: str = "Demand written"
    fails: str = "The new transfer has no demand"

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call, of which only the copy's moves are not known yet."""
        vals = {moves_field(odoo): [], **self.arguments.get("vals", {})}
        return op.Step.calls(self.of(vals=vals), odoo, ids)

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Write them, in the order of the moves, in which they were copied."""
        pairs = zip(_demands(odoo, ids[0]), self.demands, strict=False)
        commands = [[1, move["id"], {"product_uom_qty": demand}] for move, demand in pairs]
        return op.Step.make(self.of(vals={moves_field(odoo): commands}), odoo, ids, warnings)


def transfers(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how done transfers are taken back: their lines get the quantity 0.

    Odoo keeps the transfer done, and the order would look delivered. So it gets a new transfer.
    """
    found: list[op.WayBack] = []
    for row in _done(odoo, _PICKING, write):
        ways = _lines(odoo, _PICKING, row, ["picking_id", "=", row["id"]])
        found += [_anew(odoo, way, row["id"]) for way in ways] if _is_of_order(odoo, row) else ways
    return found


def _is_of_order(odoo: Odoo, row: op.Row) -> bool:
    """Whether a transfer moves ordered goods. A return does not: it can be made again."""
    names = [name for name in _ORDERED if name in odoo.schema.fields(_MOVE)]
    moves = [["picking_id", "=", row["id"]], ["origin_returned_move_id", "=", False]]
    read = op.read_rows(odoo, _MOVE, moves, names, acts_on=_PICKING) if names else []
    return any(move[name] for move in read for name in names)


def _anew(odoo: Odoo, way: op.WayBack, number: int) -> op.WayBack:
    copy = _Anew(
        model=_PICKING,
        method="copy",
        source=number,
        says="New transfer",
        fails="The goods are back, but the order has no new transfer. Duplicate the old one",
    )
    demands = [move["product_uom_qty"] for move in _demands(odoo, number)]
    steps: list[op.AnyStep] = [*way.steps, copy]
    if odoo.version.major < _QUANTITY_SINCE:
        steps.append(_Demand(model=_PICKING, method="write", demands=demands))
    says = f"{way.says}, and its order has a new transfer"
    return attrs.evolve(way, says=says, steps=[*steps, CONFIRM])


def _demands(odoo: Odoo, number: int) -> list[op.Row]:
    moves = [["picking_id", "=", number]]
    return op.read_rows(odoo, _MOVE, moves, ["product_uom_qty"], acts_on=_PICKING)


def scraps(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how goods that were scrapped come back: the lines of the move get the quantity 0."""
    found: list[op.WayBack] = []
    for row in _done(odoo, "stock.scrap", write):
        moves = [row["move_id"].id] if row["move_id"] else list(row["move_ids"] or ())
        found += _lines(odoo, "stock.scrap", row, ["move_id", "in", moves])
    return found


def _done(odoo: Odoo, model: str, write: Write) -> list[op.Row]:
    # A wizard acts on others than itself, which were noted.
    ids = write.ids if write.model == model else list(write.before)
    domain = [["id", "in", ids], ["state", "=", "done"]]
    # A scrap has one move to 16, and several later.
    names = ["display_name", *(["move_id", "move_ids"] if model == "stock.scrap" else [])]
    return op.read_rows(odoo, model, domain, names, acts_on=model)


def _lines(odoo: Odoo, model: str, row: op.Row, which: list[Any]) -> list[op.WayBack]:
    field = "quantity" if odoo.version.major >= _QUANTITY_SINCE else "qty_done"
    names = ["move_id", "product_id", "lot_id", "location_dest_id", "picking_id", field]
    lines = op.read_rows(odoo, _LINE, [which, ["state", "=", "done"]], names, acts_on=model)
    moved = [line for line in lines if abs(line[field]) > _NOTHING]
    if not moved:
        return []
    ids = [line["id"] for line in moved]
    covers = {(_LINE, line["id"]) for line in lines} | {(model, row["id"])}
    covers |= {(_MOVE, line["move_id"].id) for line in lines if line["move_id"]}
    step = _OnDocument(
        model=_LINE,
        method="write",
        arguments={"vals": {field: 0.0}},
        document=model,
        says="Goods brought back",
    )
    return [
        op.WayBack(
            model=_LINE,
            ids=ids,
            name=row["display_name"],
            says="done with quantities of 0, and the goods are back",
            steps=[step],
            blocked=_gone_on(odoo, model, row, moved, field),
            covers=frozenset(covers),
        )
    ]


def _gone_on(
    odoo: Odoo, model: str, row: op.Row, lines: Sequence[op.Row], field: str
) -> str | None:
    """Say where goods have gone on since."""
    name = row["display_name"]
    moves = sorted({line["move_id"].id for line in lines if line["move_id"]})
    returned = [["origin_returned_move_id", "in", moves], ["state", "=", "done"]]
    back = op.read_rows(odoo, _MOVE, returned, ["display_name"], acts_on=model, limit=1)
    if back:
        return f"{name}: part of it was already returned by {back[0]['display_name']}"
    places = sorted({line["location_dest_id"].id for line in lines})
    domain = [
        ["location_id", "in", places],
        ["location_id.usage", "=", "internal"],
        ["product_id", "in", sorted({line["product_id"].id for line in lines})],
    ]
    fields = ["product_id", "location_id", "lot_id", "quantity"]
    internal = op.read_rows(
        odoo,
        "stock.location",
        [["id", "in", places], ["usage", "=", "internal"]],
        ["display_name"],
        acts_on=model,
    )
    if not internal:
        return None
    quants = op.read_rows(odoo, QUANT, domain, fields, acts_on=model)
    there = {place["id"]: place["display_name"] for place in internal}
    wanted: dict[tuple[Any, Any, Any], float] = {}
    for line in lines:
        if line["location_dest_id"].id in there:
            wanted[_where(line, "location_dest_id")] = (
                wanted.get(_where(line, "location_dest_id"), 0.0) + line[field]
            )
    have: dict[tuple[Any, Any, Any], float] = {}
    for quant in quants:
        have[_where(quant, "location_id")] = (
            have.get(_where(quant, "location_id"), 0.0) + quant["quantity"]
        )
    for place, quantity in wanted.items():
        if have.get(place, 0.0) + _NOTHING < quantity:
            return (
                f"{name}: {place[0].name} is no longer in {there[place[1]]} "
                f"({have.get(place, 0.0):g} of {quantity:g})"
            )
    return None


def _where(row: Mapping[str, Any], place: str) -> tuple[Any, Any, Any]:
    return row["product_id"], row[place].id, row["lot_id"].id if row["lot_id"] else None


def counts(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how counts are taken back: what was there before is counted again.

    The quantities before are handed over by the functions that count.
    """
    rows = write.values if isinstance(write.values, list) else [write.values or {}]
    found = []
    for index, row in enumerate(rows):
        before = write.before.get(index, {}).get("quantity")
        if before is None or write.outcome != "done":
            continue
        found += _count(odoo, row, before, write.made)
    return found


def _count(
    odoo: Odoo, values: Mapping[str, Any], before: float, made: Sequence[int]
) -> list[op.WayBack]:
    field, applies = way_to_count(odoo)
    product, place, lot = (values.get(n) for n in ("product_id", "location_id", "lot_id"))
    if not product or not place or field not in values:
        return []
    counted = float(values[field])
    quants = quants_of(odoo, [product])
    own = [q for q in quants if (q["lot_id"].id if q["lot_id"] else False) == (lot or False)]
    named = own[0]["lot_id"].name if own and own[0]["lot_id"] else None
    now = in_stock(quants, place, named) if own else 0.0
    about = next((q for q in quants), None)
    name = about["product_id"].name if about else f"product {product}"
    if abs(now - before) <= _NOTHING:
        return []
    steps: list[op.AnyStep] = [
        _Recount(
            model=QUANT,
            method="create",
            arguments={"vals_list": {**values, field: before}},
            context={"inventory_mode": True},
            applies=applies,
        )
    ]
    if applies:
        steps.append(attrs.evolve(APPLY, seen=None))
    changed = abs(now - counted) > _NOTHING
    return [
        op.WayBack(
            model=QUANT,
            ids=list(made) or [0],
            name=name,
            says=f"counted as {before:g} again",
            steps=steps,
            blocked=f"{name}: the stock is now {now:g} instead of {counted:g}" if changed else None,
        )
    ]


@attrs.frozen(kw_only=True)
class _Recount(op.Step):
    """Counts again; applied by the step that follows, where Odoo needs one."""

    applies: bool

    @property
    def makes(self) -> bool:
        """Whether the step that follows acts on the quant."""
        return self.applies


def applied(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return nothing: what was applied is taken back where it was counted."""
    return []
