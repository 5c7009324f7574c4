"""A function that finds late transfers, and the reasons why they are late."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import stocks_of
from odoo_toolkit.apps.inventory.stock import ReservedFor, read_reserved, summed_up
from odoo_toolkit.apps.inventory.transfers import PICKING, Kind, find_moves
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import parse_moment

_WAREHOUSE = "stock.warehouse"
_RFQ, _RFQ_LINE = "purchase.order", "purchase.order.line"
_TOLERANCE = 1e-6

#: Further fields of moves: which there are depends on the apps.
_ALSO = ("picking_id", "move_orig_ids")
_COMING = ("picking_id", "production_id", "purchase_line_id", "origin", "date", "reference")


@attrs.frozen(kw_only=True)
class Awaited(op.Shown):
    """Goods that are on the way.

    Attributes:
        kind: Kind of the document. A request for quotation is not an order yet.
        document: Transfer, manufacturing order or request for quotation.
        origin: Source document, such as the purchase order of a receipt.
        quantity: Quantity of the product, in ``uom``.
        date: Expected date.
        late: True if that date is past.
    """

    kind: Literal["transfer", "purchase", "production", "request for quotation"]
    document: str
    origin: str | None = None
    quantity: float
    uom: str
    date: str | None = None
    late: bool = False
    state: str | None = None


@attrs.frozen(kw_only=True)
class MissingLine(op.Shown):
    """A product of a late transfer that is not fully reserved.

    Attributes:
        missing: Demand minus reserved quantity, in ``uom``.
        in_stock: Stock in the source location, in the product's unit. None if that location holds
            no stock.
        free: Part of that stock that is not reserved.
        reserved_for: Documents that reserve the rest.
        waits_for: Transfer or manufacturing order that must be done first.
        on_the_way: Other goods that will arrive in the warehouse, for any document.
    """

    product: RecordName
    demand: float
    reserved: float
    missing: float
    uom: str
    in_stock: float | None = None
    free: float | None = None
    reserved_for: list[ReservedFor] = attrs.Factory(list)
    waits_for: list[Awaited] = attrs.Factory(list)
    on_the_way: list[Awaited] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class LateTransfer(op.Shown):
    """A transfer whose date is past.

    Attributes:
        kind: Incoming, outgoing or internal.
        why: Reasons, in one or more sentences.
        missing: Lines that are not fully reserved.
    """

    id: int
    name: str | None = None
    state: str | None = None
    kind: str | None = None
    partner: RecordName | None = None
    origin: str | None = None
    scheduled_date: str | None = None
    days_late: int
    why: str
    missing: list[MissingLine] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class LateTransfers(op.Shown):
    """Late transfers, the latest first."""

    message: str
    transfers: list[LateTransfer]
    warnings: list[str] = attrs.Factory(list)


def find_late_transfers(
    odoo: Odoo,
    *,
    picking_type_name: Annotated[
        Kind | None, Doc("Only this kind: outgoing (deliveries), incoming (receipts), internal.")
    ] = None,
    warehouse_id: Annotated[op.NameOrId, Doc("Only this warehouse.")] = None,
    limit: Annotated[int, Ge(1), Doc("Maximum number of transfers.")] = 50,
) -> LateTransfers:
    """Find the transfers whose date is past, and say why each is late.

    >>> found = find_late_transfers(odoo, picking_type_name="outgoing")
    >>> [(late.name, late.why) for late in found.transfers]
    [('WH/OUT/5', '5 of 5 Units of Desk are missing: nothing is on the way.')]

    For each line that is not fully reserved, you see the stock, the documents that reserve it, the
    document it waits for, and the goods on the way: receipts, requests for quotation and
    manufacturing orders. The transfers that have been late the longest come first.

    It takes 2 requests, and 8 to 10 more if goods are missing. Each further warehouse and source
    location takes 1.

    Raises:
        ValidationError: The kind does not exist.
        NotFoundError: The warehouse does not exist.
        AmbiguousNameError: Several warehouses match the name.
        AccessError: Odoo or the policy does not allow it.
    """
    if picking_type_name is not None:
        op.check_choice(
            picking_type_name, get_args(Kind), "picking_type_name", "{} is not a kind of transfer."
        )
    now = datetime.now(UTC)
    domain: list[Any] = [
        ["state", "in", ["draft", "waiting", "confirmed", "assigned"]],
        ["scheduled_date", "<", now.strftime("%Y-%m-%d %H:%M:%S")],
    ]
    links = op.wanted_links(warehouse_id=(_WAREHOUSE, warehouse_id))
    if links:
        domain.append(["picking_type_id.warehouse_id", "in", op.resolve_all(odoo, links)])
    if picking_type_name:
        domain.append(["picking_type_id.code", "=", picking_type_name])
    rows = op.read_rows(
        odoo, PICKING.model, domain, PICKING.fields, limit=limit + 1, order="scheduled_date, id"
    )
    more, rows = len(rows) > limit, rows[:limit]
    if not rows:
        return LateTransfers(message="No transfer is late.", transfers=[])
    open_moves = [
        ["picking_id", "in", [row["id"] for row in rows]],
        ["state", "!=", "done"],
    ]
    moves = find_moves(odoo, open_moves, _ALSO)
    warnings: list[str] = []
    lines = _missing(odoo, rows, moves, now, warnings)
    transfers = [_late(row, moves, lines.get(row["id"], []), now) for row in rows]
    lacking = sum(1 for late in transfers if late.missing)
    count = len(transfers)
    past = f"{count} transfer{' is past its' if count == 1 else 's are past their'} date"
    if more:
        past = f"More than {count} transfers are past their date; these have been late the longest"
        warnings.append(f"To see more transfers, raise limit ({limit}).")
    return LateTransfers(
        message=f"{past}. Goods are missing in {lacking}.",
        transfers=transfers,
        warnings=warnings,
    )


def _moment(value: str | None) -> datetime | None:
    if not value:
        return None
    return parse_moment(value)[0].replace(tzinfo=UTC)


def _late(
    row: op.Row, moves: Sequence[op.Row], missing: Sequence[MissingLine], now: datetime
) -> LateTransfer:
    due = _moment(row["scheduled_date"])
    own = [move for move in moves if move["picking_id"].id == row["id"]]
    return op.filled(
        LateTransfer,
        row,
        kind=row["picking_type_code"],
        days_late=(now - due).days if due else 0,
        why=_why(row, own, missing),
        missing=list(missing),
    )


def _why(row: op.Row, moves: Sequence[op.Row], missing: Sequence[MissingLine]) -> str:
    if not moves:
        return "The transfer has nothing to move."
    if missing:
        told = "The transfer is a draft. " if row["state"] == "draft" else ""
        told += " ".join(_why_missing(line) for line in missing[:5])
        return told + (f" {len(missing) - 5} more lines lack goods." if len(missing) > 5 else "")
    if row["state"] == "draft":
        return "The transfer is a draft that no one has confirmed."
    if row["picking_type_code"] == "incoming":
        return "The goods have not been received, or the receipt has not been validated."
    return "Everything is reserved. The transfer only needs to be validated."


def _why_missing(line: MissingLine) -> str:
    lacks = f"{line.missing:g} of {line.demand:g} {line.uom} of {line.product.name} are missing"
    if line.waits_for:
        return f"{lacks}: it waits for {_listed(line.waits_for)}."
    if line.free is not None and line.free >= line.missing - _TOLERANCE:
        return f"{lacks}, but {line.free:g} are free: reserve them."
    others = ", ".join(one.document for one in line.reserved_for[:3])
    taken = f" The stock is reserved for {others}." if others else ""
    coming = f"on the way are {_listed(line.on_the_way)}" if line.on_the_way else ""
    return f"{lacks}: {coming or 'nothing is on the way'}.{taken}"


def _listed(awaited: Sequence[Awaited]) -> str:
    more = f" and {len(awaited) - 3} more" if len(awaited) > 3 else ""
    return ", ".join(_told(one) for one in awaited[:3]) + more


def _told(one: Awaited) -> str:
    of = f" of {one.origin}" if one.origin and one.origin != one.document else ""
    date = f", {'late since' if one.late else 'due'} {one.date[:10]}" if one.date else ""
    return f"the {one.kind} {one.document}{of} ({one.quantity:g} {one.uom}{date})"


def _missing(
    odoo: Odoo,
    rows: Sequence[op.Row],
    moves: Sequence[op.Row],
    now: datetime,
    warnings: list[str],
) -> dict[int, list[MissingLine]]:
    """Return the lines that are not fully reserved, by transfer."""
    lacking = [move for move in moves if move["demand"] - _has(move) > _TOLERANCE]
    if not lacking:
        return {}
    products = sorted({move["product"].id for move in lacking})
    places = sorted({move["location"] for move in lacking})
    before = sorted({number for move in lacking for number in move["move_orig_ids"] or ()})
    types = sorted({row["picking_type_id"].id for row in rows if row["picking_type_id"]})
    stocks, reserved, earlier, warehouses = op.gather(
        lambda: stocks_of(odoo, lacking),
        lambda: read_reserved(odoo, products, places, acts_on=PICKING.model),
        lambda: _moves(odoo, _unfinished(before), now) if before else [],
        lambda: _warehouses(odoo, types),
    )
    of_type = {number: house["id"] for house in warehouses for number in house["types"]}
    looking: list[Callable[[], Any]] = [
        *(_looking(odoo, house, products, now) for house in warehouses),
        lambda: _requested(odoo, of_type, products, now, warnings),
    ]
    coming: list[_Coming] = [one for found in op.side_by_side(looking) for one in found]
    by_id = {row["id"]: row for row in rows}
    found: dict[int, list[MissingLine]] = {}
    for move in lacking:
        row = by_id[move["picking_id"].id]
        stock = stocks.get((move["product"].id, move["location"]))
        awaited = [one for number, _, one in earlier if number in (move["move_orig_ids"] or ())]
        kind = row["picking_type_id"].id if row["picking_type_id"] else None
        coming_in: list[Awaited] = []
        if not awaited and kind in of_type:
            coming_in = [
                one
                for house, product, one in coming
                if (house, product) == (of_type[kind], move["product"].id)
                and one.document != row["name"]
            ]
        others = [
            other
            for other in reserved
            if other["product_id"].id == move["product"].id and other["reference"] != row["name"]
        ]
        if stock is None and not awaited:
            # From outside comes whatever is asked for; nothing is missing there.
            continue
        line = MissingLine(
            product=move["product"],
            demand=move["demand"],
            reserved=_has(move),
            missing=round(move["demand"] - _has(move), 6),
            uom=move["uom"],
            in_stock=stock["qty_available"] if stock else None,
            free=stock["free_qty"] if stock else None,
            reserved_for=summed_up(others),
            waits_for=sorted(awaited, key=_by_date),
            on_the_way=sorted(coming_in, key=_by_date),
        )
        found.setdefault(row["id"], []).append(line)
    return found


def _by_date(one: Awaited) -> str:
    return one.date or "9999"


def _has(move: op.Row) -> float:
    """Return what a move has: reserved, or entered as done."""
    return float(max(move["reserved"] or 0.0, move["done"] or 0.0))


def _warehouses(odoo: Odoo, types: Sequence[int]) -> list[op.Row]:
    """Return the warehouses of operation types, each with all of its types."""

    def read_types(*condition: Any) -> list[op.Row]:
        model, fields = "stock.picking.type", ["warehouse_id"]
        return op.read_rows(odoo, model, [list(condition)], fields, acts_on=PICKING.model)

    numbers = sorted(
        {row["warehouse_id"].id for row in read_types("id", "in", types) if row["warehouse_id"]}
    )
    if not numbers:
        return []
    among, view = [["id", "in", numbers]], ["view_location_id"]
    asked: list[Callable[[], list[op.Row]]] = [
        lambda: op.read_rows(odoo, _WAREHOUSE, among, view, acts_on=PICKING.model),
        lambda: read_types("warehouse_id", "in", numbers),
    ]
    houses, of_houses = op.side_by_side(asked)
    for house in houses:
        house["types"] = [row["id"] for row in of_houses if row["warehouse_id"].id == house["id"]]
    return houses


#: A warehouse, a product, and what is on the way of it.
_Coming = tuple[int, int, Awaited]


def _looking(
    odoo: Odoo, house: op.Row, products: Sequence[int], now: datetime
) -> Callable[[], list[_Coming]]:
    """Return what looks for what is on the way to a warehouse, from outside of it."""
    inside = house["view_location_id"].id
    from_outside = [
        ["product_id", "in", list(products)],
        ["location_dest_id", "child_of", inside],
        "!",
        ["location_id", "child_of", inside],
        ["state", "!=", "done"],
    ]
    return lambda: [
        (house["id"], product, one) for _, product, one in _moves(odoo, from_outside, now)
    ]


def _unfinished(numbers: Sequence[int]) -> list[Any]:
    return [["id", "in", list(numbers)], ["state", "!=", "done"]]


def _moves(odoo: Odoo, domain: Sequence[Any], now: datetime) -> list[tuple[int, int, Awaited]]:
    """Return moves on the way: each with its id, its product, and how it is shown."""
    found = []
    for move in find_moves(odoo, domain, _COMING):
        kind: Literal["transfer", "purchase", "production"] = "transfer"
        document = move["picking_id"] or move["production_id"]
        if move["production_id"]:
            kind, document = "production", move["production_id"]
        elif move["purchase_line_id"]:
            kind = "purchase"
        one = Awaited(
            kind=kind,
            document=document.name if document else move["reference"] or f"move {move['id']}",
            origin=move["origin"],
            quantity=move["demand"],
            uom=move["uom"],
            state=move["state"],
            **_when(move["date"], now),
        )
        found.append((move["id"], move["product"].id, one))
    return found


def _when(date: str | None, now: datetime) -> dict[str, Any]:
    due = _moment(date)
    return {"date": date, "late": due is not None and due < now}


def _requested(
    odoo: Odoo,
    of_type: Mapping[int, int],
    products: Sequence[int],
    now: datetime,
    warnings: list[str],
) -> list[_Coming]:
    """Return what requests for quotation ask for, by the warehouse that it comes to."""
    if not odoo.schema.has_model(_RFQ_LINE):
        return []
    domain = [
        ["product_id", "in", list(products)],
        ["state", "in", ["draft", "sent", "to approve"]],
    ]
    fields = op.words(
        "product_id order_id product_qty product_uom product_uom_id date_planned state"
    )
    try:
        rows = op.read_rows(odoo, _RFQ_LINE, domain, fields, acts_on=PICKING.model, order="id")
        among = [["id", "in", sorted({row["order_id"].id for row in rows})]]
        kind = ["picking_type_id"]
        orders = op.read_rows(odoo, _RFQ, among, kind, acts_on=PICKING.model) if rows else []
    except OdooError as error:
        warnings.append(f"The toolkit cannot see requests for quotation: {error.message}")
        return []
    types = {row["id"]: row["picking_type_id"].id for row in orders if row["picking_type_id"]}
    found: list[_Coming] = []
    for row in rows:
        house = of_type.get(types.get(row["order_id"].id, 0))
        if house is None:
            continue
        unit = row["product_uom"] or row["product_uom_id"]
        one = Awaited(
            kind="request for quotation",
            document=row["order_id"].name,
            quantity=row["product_qty"],
            uom=unit.name if unit else "",
            state=row["state"],
            **_when(row["date_planned"], now),
        )
        found.append((house, row["product_id"].id, one))
    return found
