"""A transfer as it is in Odoo, with its moves and its backorder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

Kind = Literal["internal", "incoming", "outgoing"]

PICKING = op.Document(
    model="stock.picking",
    noun="transfer",
    argument="picking_id",
    fields="""
        name state picking_type_id picking_type_code location_id location_dest_id partner_id origin
        scheduled_date date_done company_id use_create_lots use_existing_lots
    """,
)

#: ``quantity_done`` and ``reserved_availability`` are there up to 16; from 17 on ``quantity`` is
#: both, and ``picked`` is set where it was entered and not only reserved.
_MOVE_FIELDS = op.words("""
    product_id product_uom_qty product_qty product_uom location_id location_dest_id state
    has_tracking origin_returned_move_id quantity_done reserved_availability quantity picked
""")

#: The done quantity is ``qty_done`` up to 16; the reserved one has a name up to 15 and another on
#: 16, and both are ``quantity`` from 17 on.
_LINE_FIELDS = op.words("""
    move_id lot_id lot_name location_dest_id qty_done product_uom_qty reserved_uom_qty quantity
""")


@attrs.frozen(kw_only=True)
class TransferLine(op.Shown):
    """A move of a transfer. ``done`` is 0 until it is validated or a quantity is entered.

    Attributes:
        lots: Lots with their quantities, if the product is tracked.
    """

    move_id: int
    product: RecordName
    demand: float
    reserved: float
    done: float
    uom: str
    state: str
    lots: dict[str, float] = attrs.Factory(dict)


@attrs.frozen(kw_only=True)
class Backorder(op.Shown):
    """The transfer with the remaining quantities."""

    id: int
    name: str
    state: str


@attrs.frozen(kw_only=True)
class Transfer(op.Shown):
    """A transfer, as it is in Odoo now.

    Attributes:
        name: Reference of the transfer, such as WH/OUT/00012. None only if it could not be read.
        url: Address of the transfer in Odoo's web client.
        state: ``draft``, ``waiting``, ``confirmed``, ``assigned``, ``done`` or ``cancel``.
        validated: True if it is done.
        message: The change, after a change. Otherwise the state.
        origin: Source document.
        backorder: Transfer with the remaining quantities, if there is one.
    """

    id: int
    name: str | None = None
    url: str | None = None
    state: str | None = None
    validated: bool
    message: str
    picking_type: RecordName | None = None
    location_src: RecordName | None = None
    location_dest: RecordName | None = None
    partner: RecordName | None = None
    origin: str | None = None
    scheduled_date: str | None = None
    date_done: str | None = None
    lines: list[TransferLine] = attrs.Factory(list)
    backorder: Backorder | None = None
    warnings: list[str] = attrs.Factory(list)


def previewed(row: op.Row, lines: Sequence[op.PlannedLine], **more: Any) -> op.PlannedDocument:
    """Return a transfer for a plan; no round trip.

    Args:
        row: of the transfer, as :data:`PICKING` has it.
        lines: what would be moved.
        more: attributes that differ.
    """
    ends = [row[field].name for field in ("location_id", "location_dest_id") if row.get(field)]
    notes = [f"From {ends[0]} to {ends[1]}."] if len(ends) == 2 else []
    partner = row.get("partner_id")
    told: dict[str, Any] = {
        "model": PICKING.model,
        "id": row.get("id"),
        "name": row.get("name") or "new transfer",
        "url": row.get("url"),
        "state": row.get("state"),
        "partner": partner.name if partner else None,
        "delivery_date": row.get("scheduled_date"),
        "lines": list(lines),
    }
    told |= more
    told["notes"] = [*notes, *op.not_in_stock(lines), *told.get("notes", ())]
    return op.PlannedDocument(**told)


def moved(move: op.Row, quantity: float, available: float | None = None) -> op.PlannedLine:
    """Return what would be moved of a move, for a plan."""
    return op.PlannedLine(
        product=move["product"].name, quantity=quantity, uom=move["uom"], available=available
    )


PickingId = Annotated[int | None, Doc("The transfer (stock.picking).")]
PickingName = Annotated[str | None, Doc("Reference, e.g. WH/OUT/00012.")]

#: What people call the states.
STATES = {
    "draft": "a draft",
    "waiting": "waiting for another transfer",
    "confirmed": "waiting for stock",
    "assigned": "ready",
    "done": "done",
    "cancel": "cancelled",
}


def moves_field(odoo: Odoo) -> str:
    """Return the field of a transfer's moves: up to 15, and from 16 on."""
    return "move_ids" if "move_ids" in odoo.schema.fields(PICKING.model) else "move_lines"


def picks(odoo: Odoo) -> bool:
    """Whether moves have the flag ``picked``, and so ``quantity`` for ``quantity_done``."""
    return "picked" in odoo.schema.fields("stock.move")


def get_picking(
    odoo: Odoo,
    *,
    picking_id: PickingId = None,
    picking_name: PickingName = None,
) -> Transfer:
    """Return a transfer with its moves, lots, source document and backorder.

    >>> get_picking(odoo, picking_name="WH/OUT/5").message
    'WH/OUT/5 is ready.'

    It takes 3 requests by id, 4 by reference, and 1 more if products are tracked.

    Raises:
        NotFoundError: The transfer does not exist.
        AmbiguousNameError: Several transfers match the reference.
    """
    number = op.find_id(odoo, PICKING, picking_id, picking_name)
    return look(odoo, number, backorder=True)


def read_transfer(
    odoo: Odoo, picking_id: int, *, backorder: bool = False
) -> tuple[op.Row, list[op.Row], Backorder | None]:
    """Return a transfer's row, its moves and its backorder, read side by side.

    Args:
        odoo: the connection.
        picking_id: the transfer.
        backorder: whether to look for the backorder.
    """
    row, moves, rest = op.gather(
        lambda: op.read(odoo, PICKING, picking_id),
        lambda: read_moves(odoo, picking_id),
        lambda: read_backorder(odoo, picking_id) if backorder else None,
    )
    return row, moves, rest


def look(odoo: Odoo, picking_id: int, *, backorder: bool) -> Transfer:
    """Return a transfer with the lots of its moves; for ``backorder`` see :func:`read_transfer`."""
    row, moves, rest = read_transfer(odoo, picking_id, backorder=backorder)
    tracked = any(move["tracking"] != "none" for move in moves)
    lots: dict[int, dict[str, float]] = {move["id"]: {} for move in moves}
    for line in read_move_lines(odoo, row["id"], moves) if tracked else ():
        name = line["lot_id"].name if line["lot_id"] else line["lot_name"]
        if name and line["move"] in lots:
            of_move = lots[line["move"]]
            quantity = of_move.get(name, 0.0) + (line["done"] or line["reserved"])
            of_move[name] = round(quantity, 6)
    return op.filled(
        Transfer,
        row,
        validated=row["state"] == "done",
        location_src=row["location_id"],
        lines=[
            op.filled(TransferLine, move, move_id=move["id"], lots=lots[move["id"]])
            for move in moves
        ],
        backorder=rest,
        message=f"{row['name']} is {STATES[row['state']]}.",
    )


def read_backorder(odoo: Odoo, picking_id: int) -> Backorder | None:
    """Return the transfer that holds the rest of another, the newest of several."""
    rest = [["backorder_id", "=", picking_id]]
    rows = op.read_rows(odoo, PICKING.model, rest, ("name", "state"), order="id desc", limit=1)
    return op.filled(Backorder, rows[0]) if rows else None


def read_moves(odoo: Odoo, picking_id: int) -> list[op.Row]:
    """Return the moves of a transfer that are not cancelled, alike on all versions.

    Keys: id, product, demand, done, reserved, entered, ratio (of the product's unit to the
    move's), location (where from), destination, state, uom, uom_id, tracking, returns (the move
    that it takes back).
    """
    return find_moves(odoo, [["picking_id", "=", picking_id]])


def find_moves(odoo: Odoo, domain: Sequence[Any], also: Sequence[str] = ()) -> list[op.Row]:
    """Return the moves that match and are not cancelled, see :func:`read_moves`.

    Args:
        odoo: the connection.
        domain: what they match.
        also: further fields, which become keys of their own.
    """
    open_or_done = [*domain, ["state", "!=", "cancel"]]
    fields = (*_MOVE_FIELDS, *also)
    rows = op.read_rows(odoo, "stock.move", open_or_done, fields, acts_on=PICKING.model, order="id")
    return [{**_uniform(row), **{name: row[name] for name in also}} for row in rows]


def read_move_lines(odoo: Odoo, picking_id: int, moves: Sequence[op.Row]) -> list[op.Row]:
    """Return what is reserved and done of a transfer by lot and place, alike on all versions.

    Keys: those of the fields, move, uom, done and reserved in the move's unit, and size as
    :func:`~odoo_toolkit.operations.count_in_moves_units` gives it.
    """
    domain = [["picking_id", "=", picking_id]]
    fields = op.with_units(_LINE_FIELDS, moves)
    rows = op.read_rows(odoo, "stock.move.line", domain, fields, acts_on=PICKING.model, order="id")
    for row in rows:
        row["done"] = row["qty_done"] if row["quantity"] is None else row["quantity"]
        reserved = (row["product_uom_qty"], row["reserved_uom_qty"], row["quantity"])
        row["reserved"] = next((value for value in reserved if value is not None), 0.0)
        row["move"] = row["move_id"].id if row["move_id"] else None
    units = {move["id"]: move["uom_id"] for move in moves}
    op.count_in_moves_units(odoo, rows, rows, units, PICKING.model)
    return rows


def _uniform(row: op.Row) -> op.Row:
    flagged = row["picked"] is not None
    done = row["quantity" if flagged else "quantity_done"]
    finished = row["state"] == "done"
    entered = bool(done) and (row["picked"] or not flagged)
    demand = row["product_uom_qty"]
    return {
        "id": row["id"],
        "product": row["product_id"],
        "demand": demand,
        "done": done if finished or entered else 0.0,
        "entered": entered,
        "reserved": 0.0 if finished else row["quantity" if flagged else "reserved_availability"],
        # 12 of a dozen: stock is counted in the product's unit, the move in its own.
        "ratio": row["product_qty"] / demand if demand else 1.0,
        "location": row["location_id"].id,
        "destination": row["location_dest_id"].id,
        "state": row["state"],
        "uom": row["product_uom"].name,
        "uom_id": row["product_uom"].id,
        "returns": row["origin_returned_move_id"].id if row["origin_returned_move_id"] else None,
        "tracking": row["has_tracking"] or "none",
        # Whether quantities are to be entered, and how much has to be reserved before.
        "asked": False,
        "to_reserve": 0.0,
    }
