"""A manufacturing order as it is in Odoo, with its components and work orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.transfers import picks
from odoo_toolkit.apps.manufacturing.bills import Operation
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

OrderId = Annotated[int | None, Doc("Manufacturing order id, or pass order_name.")]
OrderName = Annotated[str | None, Doc("Reference, e.g. WH/MO/00012.")]

#: The planned start is ``date_planned_start`` up to 16, where ``date_start`` is the real one. There
#: is one lot up to 18 and several from 19 on; the group of an order and its backorders was renamed.
ORDER = op.Document(
    model="mrp.production",
    noun="manufacturing order",
    argument="order_id",
    numbered=True,
    fields="""
        name state product_id product_tracking product_qty product_uom_id qty_producing qty_produced
        bom_id consumption date_planned_start date_start date_planned_finished date_finished
        date_deadline origin company_id location_src_id lot_producing_id lot_producing_ids
        workorder_ids backorder_sequence procurement_group_id production_group_id
    """,
)
_FINISHED = ("done", "cancel")

#: What people call the states.
_STATES = {
    "draft": "a draft",
    "progress": "in progress",
    "to_close": "produced, and has to be closed",
}

#: As of a transfer: ``quantity`` with ``picked`` from 17 on, two fields up to 16.
#: ``availability`` is the free quantity in the location of the move.
_MOVE_FIELDS = op.words("""
    product_id product_uom_qty product_qty product_uom location_id location_dest_id state
    quantity_done reserved_availability quantity picked availability product_type is_storable
    has_tracking move_line_ids byproduct_id
""")
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class Component(op.Shown):
    """A component of an order, in its unit of measure.

    Attributes:
        needed: Quantity for the whole order.
        consumed: Quantity that is entered or used.
        free: Quantity in stock that is not reserved, up to the needed quantity.
        missing: Quantity that is neither reserved nor free.
        lots: Reserved or consumed lots.
    """

    product: RecordName
    needed: float
    uom: str
    reserved: float = 0.0
    free: float = 0.0
    missing: float = 0.0
    consumed: float = 0.0
    lots: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class WorkOrder(op.Shown):
    """A work order. Durations are in minutes."""

    id: int
    name: str
    workcenter: RecordName | None = None
    state: str
    duration_expected: float = 0.0
    duration: float = 0.0


@attrs.frozen(kw_only=True)
class Related(op.Shown):
    """Another part of an order that was produced in parts."""

    id: int
    name: str
    state: str
    quantity: float


@attrs.frozen(kw_only=True)
class Order(op.Shown):
    """A manufacturing order, as it is in Odoo now.

    Attributes:
        name: Reference of the order. None, like the state, only if it could not be read.
        url: Address of the order in Odoo's web client.
        state: ``draft``, ``confirmed``, ``progress``, ``to_close``, ``done`` or ``cancel``.
        quantity: Quantity to make. ``produced`` is the quantity that is made.
        available: True if all components are reserved or in stock. None if the order is finished.
        components: Components, set by :func:`get_order`. ``missing`` lists those that are not in
            stock.
        date: Planned start.
        date_end: Planned end.
        operations: Operations of a new order: work centers with times, costs and load.
        lots: Lots of the product.
        backorder: Order for the rest, after a partial production.
        backorders: Other parts of an order that was produced in parts.
        message: The change, after a change. Otherwise the state.
        warnings: Differences from your request.
    """

    id: int
    name: str | None = None
    url: str | None = None
    state: str | None = None
    message: str
    product: RecordName | None = None
    quantity: float | None = None
    produced: float | None = None
    uom: str | None = None
    bom: RecordName | None = None
    date: str | None = None
    date_end: str | None = None
    date_deadline: str | None = None
    origin: str | None = None
    lots: list[RecordName] = attrs.Factory(list)
    available: bool | None = None
    components: list[Component] | None = None
    missing: list[Component] = attrs.Factory(list)
    work_orders: list[WorkOrder] = attrs.Factory(list)
    operations: list[Operation] = attrs.Factory(list)
    backorder: RecordName | None = None
    backorders: list[Related] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


def get_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    include_components: Annotated[bool, Doc("Also return the components.")] = True,
) -> Order:
    """Return a manufacturing order with its components and work orders.

    >>> order = get_order(odoo, order_name="WH/MO/5")
    >>> order.state, order.available
    ('confirmed', True)

    It takes 2 or 3 requests, and up to 5 more in parallel for lots, work orders and backorders.

    Raises:
        NotFoundError: The order does not exist.
        AmbiguousNameError: Several orders match the name.
    """
    row = op.find(odoo, ORDER, order_id, order_name)
    moves, work_orders, related, lots = op.gather(
        lambda: read_components(odoo, row["id"], with_lots=True),
        lambda: read_work_orders(odoo, row["workorder_ids"]),
        lambda: read_related(odoo, row),
        lambda: read_lots_made(odoo, row),
    )
    is_open = row["state"] not in _FINISHED
    return order_of(
        row,
        message=f"{row['name']} is {_STATES.get(row['state'], row['state'])}.",
        lots=lots,
        available=not any(move["missing"] for move in moves) if is_open else None,
        components=[as_component(move) for move in moves] if include_components else None,
        work_orders=work_orders,
        backorders=related,
    )


def order_of(row: op.Row, **told: Any) -> Order:
    """Make the result of an order's row, which may be no more than its id and name."""
    return op.filled(
        Order,
        row,
        quantity=row.get("product_qty"),
        produced=row.get("qty_produced") or 0.0,
        uom=row["product_uom_id"].name if row.get("product_uom_id") else None,
        date=(row["date_planned_start"] or row["date_start"]) if "date_start" in row else None,
        date_end=planned_end(row),
        **told,
    )


def planned_end(row: op.Row) -> str | None:
    """Return when an order is to be ready; None where that is not known."""
    # Up to 16 ``date_finished`` is when it really was.
    if row.get("date_planned_start"):
        planned: str | None = row["date_planned_finished"]
        return planned
    return row.get("date_finished")


def read_lots_made(odoo: Odoo, row: op.Row) -> list[RecordName]:
    """Return the lots of what is made; a round trip only from 19 on, where there may be several."""
    if row["lot_producing_id"]:
        return [row["lot_producing_id"]]
    domain = [["id", "in", list(row["lot_producing_ids"] or ())]]
    if not row["lot_producing_ids"]:
        return []
    rows = op.read_rows(odoo, op.lot_model(odoo), domain, ["name"], acts_on=ORDER.model, order="id")
    return [RecordName(id=lot["id"], name=lot["name"]) for lot in rows]


def read_related(odoo: Odoo, row: op.Row) -> list[Related]:
    """Return the other parts of an order that was made in parts; no round trip for none."""
    group = "production_group_id" if row["production_group_id"] else "procurement_group_id"
    if not row["backorder_sequence"] or not row[group]:
        return []
    domain = [[group, "=", row[group].id], ["id", "!=", row["id"]]]
    fields = ("name", "state", "product_qty")
    rows = op.read_rows(odoo, ORDER.model, domain, fields, order="id")
    return [op.filled(Related, other, quantity=other["product_qty"]) for other in rows]


def previewed(row: op.Row, amount: float, lines: Sequence[op.PlannedLine]) -> op.PlannedDocument:
    """Return an order for a plan: what it makes, and of what; no round trip.

    Args:
        row: of the order.
        amount: that would be made.
        lines: the components that would be used.
    """
    uom, product = row.get("product_uom_id"), row.get("product_id")
    makes = op.PlannedLine(
        product=product.name if product else None,
        quantity=amount,
        uom=uom.name if uom else None,
        change="made",
    )
    return op.PlannedDocument(
        model=ORDER.model,
        id=row["id"],
        name=row["name"],
        url=row.get("url"),
        state=row.get("state"),
        delivery_date=row.get("date_deadline"),
        lines=[makes, *lines],
        notes=op.not_in_stock(lines),
    )


def read_components(
    odoo: Odoo, order_id: int, *, with_lots: bool = False, with_byproducts: bool = False
) -> list[op.Row]:
    """Return the moves of an order's components that are not cancelled, alike on all versions.

    Keys: id, product, needed, reserved, free, missing, consumed, entered, ratio (of the product's
    unit to the move's), uom, location, destination, state, tracking, stored, byproduct, line_ids,
    and lines as :func:`read_move_lines` gives them, which are empty where they were not read.

    Args:
        odoo: the connection.
        order_id: the order.
        with_lots: whether to read the lines of tracked components.
        with_byproducts: whether to return the moves of what is made besides, too.
    """
    domain: list[Any] = [["state", "!=", "cancel"]]
    domain += ["|"] if with_byproducts else []
    domain += [["raw_material_production_id", "=", order_id]]
    if with_byproducts:
        domain += ["&", ["production_id", "=", order_id], ["byproduct_id", "!=", False]]
    rows = op.read_rows(odoo, "stock.move", domain, _MOVE_FIELDS, acts_on=ORDER.model, order="id")
    moves = [_uniform(row) for row in rows]
    tracked = [move["id"] for move in moves if move["tracking"] != "none" and move["line_ids"]]
    shared = _shared(moves)
    lines, stocks = op.gather(
        lambda: read_move_lines(odoo, moves, tracked) if with_lots and tracked else [],
        lambda: read_free(odoo, shared, moves[0]["location"]) if shared else [],
    )
    _allot(moves, {row["id"]: max(row["free_qty"] or 0.0, 0.0) for row in stocks})
    for move in moves:
        if with_lots and move["id"] in tracked:
            move["lines"] = [line for line in lines if line["move"] == move["id"]]
    return moves


def read_move_lines(odoo: Odoo, moves: Sequence[op.Row], ids: Sequence[int]) -> list[op.Row]:
    """Return the lines of some of the moves, alike on all versions.

    Keys: id, move, lot, location, uom, reserved and done in the move's unit, and size as
    :func:`~odoo_toolkit.operations.count_in_moves_units` gives it.
    """
    flagged = picks(odoo)
    fields = ["move_id", "lot_id", "location_id", "quantity", "picked", "qty_done"]
    # Up to 16 what is reserved is the quantity that is to do; renamed in 16.
    fields += ["product_uom_qty", "reserved_uom_qty"]
    domain = [["move_id", "in", list(ids)]]
    asked = op.with_units(fields, moves)
    rows = op.read_rows(odoo, "stock.move.line", domain, asked, acts_on=ORDER.model, order="id")
    lines = [
        {
            "id": row["id"],
            "move": row["move_id"].id,
            "lot": row["lot_id"],
            "location": row["location_id"].id,
            "reserved": row["quantity"]
            if flagged
            else row["product_uom_qty"] or row["reserved_uom_qty"] or 0.0,
            "done": (row["quantity"] if row["picked"] else 0.0) if flagged else row["qty_done"],
        }
        for row in rows
    ]
    units = {move["id"]: move["uom"].id for move in moves}
    op.count_in_moves_units(odoo, lines, rows, units, ORDER.model)
    return lines


def as_component(move: op.Row) -> Component:
    """Return what is told of a component's move."""
    lots = [line["lot"].name for line in move["lines"] if line["lot"]]
    names = (field.name for field in attrs.fields(Component) if field.name != "lots")
    told = {name: move[name] for name in names if name != "uom"}
    return Component(**told, uom=move["uom"].name, lots=list(dict.fromkeys(lots)))


def _uniform(row: op.Row) -> op.Row:
    flagged = row["picked"] is not None
    done = row["quantity" if flagged else "quantity_done"] or 0.0
    finished = row["state"] == "done"
    entered = bool(done) and not finished and bool(row["picked"] or not flagged)
    reserved = row["quantity" if flagged else "reserved_availability"] or 0.0
    needed = row["product_uom_qty"]
    stored = row["product_type"] == "product" if row["is_storable"] is None else row["is_storable"]
    stored = stored and not row["byproduct_id"]
    ratio = row["product_qty"] / needed if needed else 1.0
    return {
        "id": row["id"],
        "product": row["product_id"],
        "needed": needed,
        "consumed": done if finished or entered else 0.0,
        "entered": entered,
        "reserved": 0.0 if finished else min(reserved, needed),
        "free": 0.0 if finished or not stored else (row["availability"] or 0.0) / ratio,
        "ratio": ratio,
        "uom": row["product_uom"],
        "location": row["location_id"].id,
        "destination": row["location_dest_id"].id,
        "state": row["state"],
        "tracking": row["has_tracking"] or "none",
        "stored": stored,
        "byproduct": bool(row["byproduct_id"]),
        "line_ids": row["move_line_ids"] or [],
        "lines": [],
        "missing": 0.0,
    }


def _shared(moves: Sequence[op.Row]) -> list[int]:
    """Return the products of which several moves want the same free stock."""
    lacking = [m["product"].id for m in moves if m["stored"] and m["reserved"] < m["needed"]]
    return sorted({number for number in lacking if lacking.count(number) > 1})


def read_free(odoo: Odoo, products: Sequence[int], location: int) -> list[op.Row]:
    """Return what of products is in a location and not reserved."""
    domain = [["id", "in", list(products)]]
    return op.read_rows(
        odoo, "product.product", domain, ["free_qty"], acts_on=ORDER.model, location=location
    )


def _allot(moves: Sequence[op.Row], free: dict[int, float]) -> None:
    """Give the moves what is free, once, and note what is missing."""
    for move in moves:
        if move["state"] == "done" or not move["stored"]:
            continue
        lacking = max(move["needed"] - move["reserved"], 0.0)
        if (product := move["product"].id) in free:
            move["free"] = min(lacking, free[product] / move["ratio"])
            free[product] -= move["free"] * move["ratio"]
        move["free"] = round(min(move["free"], lacking), 6)
        missing = lacking - move["free"]
        move["missing"] = round(missing, 6) if missing > _TOLERANCE else 0.0


def read_work_orders(odoo: Odoo, ids: Sequence[int] | None) -> list[WorkOrder]:
    """Return work orders; no round trip for none."""
    if not ids:
        return []
    fields = ("name", "workcenter_id", "state", "duration_expected", "duration")
    domain = [["id", "in", list(ids)]]
    rows = op.read_rows(odoo, "mrp.workorder", domain, fields, acts_on=ORDER.model, order="id")
    return [op.filled(WorkOrder, row) for row in rows]
