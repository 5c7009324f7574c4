"""What there is of a product, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, find_id, read
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

_WAREHOUSE = Document(
    model="stock.warehouse",
    noun="warehouse",
    argument="warehouse_id",
    fields=("view_location_id",),
)


@attrs.frozen(kw_only=True)
class StockLine(Shown):
    """What a location holds of a product; available is what is not reserved."""

    location: RecordName
    quantity: float
    reserved_quantity: float
    available_quantity: float


@attrs.frozen(kw_only=True)
class Stock(Shown):
    """The stock of a product, in its unit of measure.

    Attributes:
        stock: by location, where there is any.
        total_available: not reserved, in all these locations.
        warnings: where they are of several companies.
    """

    product: RecordName
    uom: str
    stock: list[StockLine]
    total_available: float
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_stock(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("The product (product.product).")] = None,
    product_name: Annotated[str | None, Doc("Or its name or reference to look up.")] = None,
    location_id: Annotated[
        int | None, Doc("Only this location and those in it; of any kind.")
    ] = None,
    warehouse_id: Annotated[int | None, Doc("Only this warehouse.")] = None,
) -> Stock:
    """Return what there is of a product, by location; 2 round trips, 3 with a warehouse.

    Internal locations count, unless a location is named. Lots, packages and owners are summed.

    Args:
        odoo: the connection.
        product_id: a variant (``product.product``).
        product_name: its name or internal reference instead.
        location_id: a location of any usage, with its sublocations.
        warehouse_id: a warehouse.

    Raises:
        AmbiguousNameError: several products match.
        NotFoundError: product, location or warehouse do not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    product = find_id(odoo, PRODUCT, product_id, product_name)
    domain: list[Any] = [["product_id", "=", product]]
    if warehouse_id is not None:
        view = read(odoo, _WAREHOUSE, warehouse_id)["view_location_id"]
        domain.append(["location_id", "child_of", view.id])
    if location_id is not None:
        domain.append(["location_id", "child_of", location_id])
    else:
        domain.append(["location_id.usage", "=", "internal"])
    sums = Call(
        model="stock.quant",
        method="read_group",
        arguments={
            "domain": domain,
            "fields": ["quantity:sum", "reserved_quantity:sum"],
            "groupby": ["location_id", "company_id"],
            "lazy": False,
        },
    )
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, PRODUCT, product),
        lambda: odoo.call(sums),
        # Odoo says nothing of a location that does not exist.
        lambda: read(odoo, LOCATION, location_id) if location_id is not None else None,
    ]
    found, groups, _ = side_by_side(asked)
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
            )
        )
    total = _rounded(sum(line.available_quantity for line in stock))
    name, uom = found["display_name"], found["uom_id"].name
    return Stock(
        product=RecordName(id=product, name=name),
        uom=uom,
        stock=stock,
        total_available=total,
        message=f"{total:g} {uom} of {name} available." if stock else f"No stock of {name} there.",
        warnings=_of_several(list(companies.values())),
    )


def _of_several(companies: Sequence[str]) -> list[str]:
    if len(companies) < 2:
        return []
    return [
        f"The total covers several companies ({', '.join(companies[:5])}"
        f"{' and others' if len(companies) > 5 else ''}): a warehouse_id is of one of them."
    ]


def _rounded(value: float) -> float:
    # Sums of floats: 0.1 + 0.2 must not show as 0.30000000000000004.
    return round(value, 6)
