"""A transfer as it is in Odoo, with its moves and its backorder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import Document, Row, filled, read, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

PICKING = Document(
    model="stock.picking",
    noun="transfer",
    argument="picking_id",
    fields=("name", "state", "picking_type_id", "location_id", "location_dest_id"),
)

#: ``quantity_done`` and ``reserved_availability`` are there to 16; from 17 on ``quantity`` is both,
#: and ``picked`` tells what was entered from what is reserved.
_MOVE_FIELDS = (
    "product_id",
    "product_uom_qty",
    "product_qty",
    "product_uom",
    "location_id",
    "state",
    "quantity_done",
    "reserved_availability",
    "quantity",
    "picked",
)


@attrs.frozen(kw_only=True)
class TransferLine:
    """A move of a transfer; done is 0 until it is validated or a quantity is entered."""

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
    name: str | None = None
    state: str | None = None
    validated: bool
    message: str
    picking_type: RecordName | None = None
    location_src: RecordName | None = None
    location_dest: RecordName | None = None
    lines: list[TransferLine] = attrs.Factory(list)
    backorder: Backorder | None = None
    warnings: list[str] = attrs.Factory(list)


def picks(odoo: Odoo) -> bool:
    """Whether moves have the flag ``picked``, and so ``quantity`` for ``quantity_done``."""
    return "picked" in odoo.schema.fields("stock.move")


def read_transfer(
    odoo: Odoo, picking_id: int, *, backorder: bool = False
) -> tuple[Row, list[Row], Backorder | None]:
    """Return a transfer's row, its moves and its backorder, read side by side.

    Args:
        odoo: the connection.
        picking_id: the transfer.
        backorder: whether to look for the backorder.
    """
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, PICKING, picking_id),
        lambda: read_moves(odoo, picking_id),
        lambda: read_backorder(odoo, picking_id) if backorder else None,
    ]
    row, moves, rest = side_by_side(asked)
    return row, moves, rest


def read_backorder(odoo: Odoo, picking_id: int) -> Backorder | None:
    """Return the transfer that holds the rest of another, the newest of several."""
    rest = [["backorder_id", "=", picking_id]]
    rows = read_rows(odoo, PICKING.model, rest, ("name", "state"), order="id desc", limit=1)
    return filled(Backorder, rows[0]) if rows else None


def read_moves(odoo: Odoo, picking_id: int) -> list[Row]:
    """Return the moves of a transfer that are not cancelled, alike on all versions.

    Keys: id, product, demand, done, reserved, entered, ratio (of the product's unit to the
    move's), location (where from), state, uom.
    """
    domain = [["picking_id", "=", picking_id], ["state", "!=", "cancel"]]
    rows = read_rows(odoo, "stock.move", domain, _MOVE_FIELDS, acts_on=PICKING.model, order="id")
    return [_uniform(row) for row in rows]


def _uniform(row: Row) -> Row:
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
        "state": row["state"],
        "uom": row["product_uom"].name,
    }
