"""The stock of a product by location and lot, and the documents that reserve it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.apps.inventory.tracing import Holder, find_lot, read_holders
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.results import RecordName

#: Whether its lots are looked for; what has none takes no further round trip.
_STOCKED: op.Document = attrs.evolve(PRODUCT, fields=(*PRODUCT.fields, "tracking"))

#: Customers that a message names.
_NAMED = 10

#: Lots that an answer lists.
_MOST_LOTS = 200

_WAREHOUSE = op.Document(
    model="stock.warehouse",
    noun="warehouse",
    argument="warehouse_id",
    fields=("view_location_id",),
)


@attrs.frozen(kw_only=True)
class StockLot(op.Shown):
    """The stock of a lot or serial number in one location."""

    name: str
    quantity: float
    reserved_quantity: float
    available_quantity: float


@attrs.frozen(kw_only=True)
class StockLine(op.Shown):
    """The stock of a product in one location. The available quantity is not reserved.

    Attributes:
        lots: Stock by lot or serial number, if the product is tracked.
    """

    location: RecordName
    quantity: float
    reserved_quantity: float
    available_quantity: float
    lots: list[StockLot] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Stock(op.Shown):
    """The stock of a product, in its unit of measure.

    Attributes:
        stock: Stock by location, without empty locations.
        total_available: Quantity in these locations that is not reserved.
        holders: Customers who have some of the lot.
        warnings: Says if the locations belong to several companies, or if lots are omitted.
    """

    product: RecordName
    uom: str
    stock: list[StockLine]
    total_available: float
    holders: list[Holder] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_stock(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("The product (product.product).")] = None,
    product_name: Annotated[str | None, Doc("Name or reference.")] = None,
    location_id: Annotated[
        op.NameOrId, Doc("This location and its sublocations, of any type.")
    ] = None,
    warehouse_id: Annotated[op.NameOrId, Doc("Only this warehouse.")] = None,
    lot: Annotated[str | None, Doc("Only this lot or serial number, even at customers.")] = None,
) -> Stock:
    """Return the stock of a product by location.

    >>> found = get_stock(odoo, product_name="Desk")
    >>> [(line.location.name, line.available_quantity) for line in found.stock]
    [('WH/Stock', 6.0)]

    Only internal locations count, unless you name a location. Stock in packages and of all owners
    is included. For a tracked product, each location lists its lots, up to 200 in total.

    If you pass a lot, you can omit the product. You also see which customers have some of the lot:
    the delivered quantity minus returns.

    It takes 2 requests, 3 with a warehouse, and 1 more for lots. A search for one lot takes 4 to 7.

    Raises:
        AmbiguousNameError: A name matches several records.
        NotFoundError: The product, location or warehouse does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    places = op.wanted_links(
        location_id=(LOCATION.model, location_id), warehouse_id=(_WAREHOUSE.model, warehouse_id)
    )
    by_lot = lot is not None and product_id is None and product_name is None
    wanted = [*([] if by_lot else [PRODUCT.wanted(product_id, product_name)]), *places]
    ids = {
        each.field: number
        for each, number in zip(wanted, op.resolve_all(odoo, wanted), strict=True)
    }
    product, location, warehouse = (
        ids.get(name) for name in ("product_id", "location_id", "warehouse_id")
    )
    traced = None if lot is None else find_lot(odoo, checked_lot(lot), product)
    product = traced["product_id"].id if traced else product
    assert product is not None  # noqa: S101 - it is required
    domain: list[Any] = [["product_id", "=", product]]
    domain += [["lot_id", "=", traced["id"]]] if traced else []
    if warehouse is not None:
        view = op.read(odoo, _WAREHOUSE, warehouse)["view_location_id"]
        domain.append(["location_id", "child_of", view.id])
    if location is not None:
        domain.append(["location_id", "child_of", location])
    else:
        domain.append(["location_id.usage", "=", "internal"])
    sums = op.Call(
        model="stock.quant",
        method="read_group",
        arguments={
            "domain": domain,
            "fields": ["quantity:sum", "reserved_quantity:sum"],
            "groupby": ["location_id", "company_id"],
            "lazy": False,
        },
    )
    found, groups, _ = op.gather(
        lambda: op.read(odoo, _STOCKED, product),
        lambda: odoo.call(sums),
        # Odoo says nothing of a location that does not exist.
        lambda: op.read(odoo, LOCATION, location) if location is not None else None,
    )
    tracked = found["tracking"] in ("lot", "serial")
    lots = _lots(odoo, domain) if tracked else {}
    by_location: dict[tuple[int, str], list[Any]] = {}
    companies: dict[int, str] = {}
    for group in groups:
        by_location.setdefault(tuple(group["location_id"]), []).append(group)
        if company := group.get("company_id"):
            companies[company[0]] = company[1]
    stock = []
    for (number, place), parts in by_location.items():
        quantity = sum(part["quantity"] for part in parts)
        reserved = sum(part["reserved_quantity"] for part in parts)
        stock.append(
            StockLine(
                location=RecordName(id=number, name=place),
                quantity=_rounded(quantity),
                reserved_quantity=_rounded(reserved),
                available_quantity=_rounded(quantity - reserved),
                lots=lots.get(number, []),
            )
        )
    total = _rounded(sum(line.available_quantity for line in stock))
    name, uom = found["display_name"], found["uom_id"].name
    holders, notes = read_holders(odoo, traced["id"], found["uom_id"]) if traced else ([], [])
    name = f"lot {traced['name']} of {name}" if traced else name
    message = (
        f"{total:g} {uom} of {name} available." if stock else f"There is no stock of {name} there."
    )
    if traced:
        has = ", ".join(
            f"{one.partner.name if one.partner else 'unknown'} has {one.quantity:g}"
            for one in holders[:_NAMED]
        )
        message += f" {has}." if has else " No customer has any units of this lot."
    return Stock(
        product=RecordName(id=product, name=found["display_name"]),
        uom=uom,
        stock=stock,
        total_available=total,
        holders=holders,
        message=message,
        warnings=[
            *notes,
            *_of_several(list(companies.values())),
            *_left_out(sum(map(len, lots.values()))),
        ],
    )


def checked_lot(lot: str) -> str:
    """Return the number of a lot, or refuse what is none."""
    if not isinstance(lot, str) or not lot.strip():
        raise invalid("lot", f"lot must be the number of a lot, not {str(lot)[:60]!r}.")
    return lot


def _lots(odoo: Odoo, domain: Sequence[Any]) -> dict[int, list[StockLot]]:
    """Return the lots in stock by location, and one more than are listed if there are more."""
    rows = op.read_rows(
        odoo,
        "stock.quant",
        [*domain, ["lot_id", "!=", False], ["quantity", "!=", 0]],
        ("location_id", "lot_id", "quantity", "reserved_quantity"),
        order="id",
    )
    sums: dict[tuple[int, str], list[float]] = {}
    for row in rows:
        total = sums.setdefault((row["location_id"].id, row["lot_id"].name), [0.0, 0.0])
        total[0] += row["quantity"]
        total[1] += row["reserved_quantity"] or 0.0
    found: dict[int, list[StockLot]] = {}
    for (place, name), (quantity, reserved) in list(sums.items())[: _MOST_LOTS + 1]:
        found.setdefault(place, []).append(
            StockLot(
                name=name,
                quantity=_rounded(quantity),
                reserved_quantity=_rounded(reserved),
                available_quantity=_rounded(quantity - reserved),
            )
        )
    return found


def _left_out(lots: int) -> list[str]:
    if lots <= _MOST_LOTS:
        return []
    return [f"Only the first {_MOST_LOTS} lots are listed. Choose a location to list fewer."]


def _of_several(companies: Sequence[str]) -> list[str]:
    if len(companies) < 2:
        return []
    return [
        (
            "The total covers several companies "
            f"({', '.join(companies[:5])}{' and others' if len(companies) > 5 else ''}). To get "
            "the stock of one company, set warehouse_id."
        )
    ]


def _rounded(value: float) -> float:
    # Sums of floats: 0.1 + 0.2 must not show as 0.30000000000000004.
    return round(value, 6)


#: The reserved quantity has a name up to 15, another on 16, and a third from 17 on.
_FIELDS = op.words(
    "product_id location_id lot_id reference product_uom_qty reserved_uom_qty quantity"
)


@attrs.frozen(kw_only=True)
class ReservedFor(op.Shown):
    """A transfer or manufacturing order that reserves stock.

    Attributes:
        document: Number of the document, such as WH/OUT/00012.
        quantity: Reserved quantity, in the unit of measure of the document's line.
    """

    document: str
    quantity: float


def read_reserved(
    odoo: Odoo, products: Collection[int], locations: Collection[int], *, acts_on: str
) -> list[op.Row]:
    """Return what is reserved of products, with those in the locations below; one round trip.

    Keys: those of the fields, and reserved.
    """
    domain: list[Any] = [
        ["product_id", "in", sorted(products)],
        ["location_id", "child_of", sorted(locations)],
        ["state", "in", ["assigned", "partially_available"]],
    ]
    rows = op.read_rows(odoo, "stock.move.line", domain, _FIELDS, acts_on=acts_on, order="id")
    for row in rows:
        # From 16 on the old name is gone or means something else.
        named = ("quantity", "reserved_uom_qty", "product_uom_qty")
        row["reserved"] = next((row[name] for name in named if row[name] is not None), 0.0)
    return [row for row in rows if row["reserved"]]


def summed_up(rows: Sequence[op.Row]) -> list[ReservedFor]:
    """Return how much is reserved for each document."""
    sums: dict[str, float] = {}
    for row in rows:
        name = row["reference"] or "a document without a number"
        sums[name] = sums.get(name, 0.0) + row["reserved"]
    return [
        ReservedFor(document=name, quantity=round(quantity, 6)) for name, quantity in sums.items()
    ]
