"""The stock of a product: what there is and where, and setting it to what was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import COUNT_APPLIED_BY_CREATE_SINCE
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.documents import Document, Row, afterwards, find_id, read, read_rows
from odoo_toolkit.operations.lines import NameOrId, checked_number, wanted_links
from odoo_toolkit.operations.lots import NamedLot, create_lot, find_lots
from odoo_toolkit.operations.steps import (
    AnyStep,
    Done,
    Step,
    operate,
    permit,
)
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import resolve_all
from odoo_toolkit.records.results import RecordName

_WAREHOUSE = Document(
    model="stock.warehouse",
    noun="warehouse",
    argument="warehouse_id",
    fields=("view_location_id",),
)


@attrs.frozen(kw_only=True)
class StockLine(Shown):
    """The stock of a product in one location; the available quantity is not reserved."""

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
        warnings: whether they belong to several companies.
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
    product_name: Annotated[str | None, Doc("Or its name or reference.")] = None,
    location_id: Annotated[
        NameOrId, Doc("Only this location and those in it, of any kind.")
    ] = None,
    warehouse_id: Annotated[NameOrId, Doc("Only this warehouse.")] = None,
) -> Stock:
    """Return the stock of a product by location; 2 round trips, 3 with a warehouse.

    Internal locations count, unless a location is named. Lots, packages and owners are summed.

    >>> found = get_stock(odoo, product_name="Desk")
    >>> [(line.location.name, line.available_quantity) for line in found.stock]
    [('WH/Stock', 6.0)]

    Args:
        odoo: the connection.
        product_id: a variant (``product.product``).
        product_name: its name or internal reference instead.
        location_id: a location of any usage, by its id or name, with its sublocations.
        warehouse_id: a warehouse, by its id or name.

    Raises:
        AmbiguousNameError: a name matches several records.
        NotFoundError: product, location or warehouse do not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    places = wanted_links(
        location_id=(LOCATION.model, location_id), warehouse_id=(_WAREHOUSE.model, warehouse_id)
    )
    wanted = [PRODUCT.wanted(product_id, product_name), *places]
    ids = {
        each.field: number for each, number in zip(wanted, resolve_all(odoo, wanted), strict=True)
    }
    product, location, warehouse = (
        ids.get(name) for name in ("product_id", "location_id", "warehouse_id")
    )
    assert product is not None  # noqa: S101 - it is required
    domain: list[Any] = [["product_id", "=", product]]
    if warehouse is not None:
        view = read(odoo, _WAREHOUSE, warehouse)["view_location_id"]
        domain.append(["location_id", "child_of", view.id])
    if location is not None:
        domain.append(["location_id", "child_of", location])
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
        lambda: read(odoo, LOCATION, location) if location is not None else None,
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


_QUANT = "stock.quant"
_COUNTED: Document = attrs.evolve(
    PRODUCT, fields=("display_name", "uom_id", "type", "is_storable", "tracking")
)
_PLACE: Document = attrs.evolve(LOCATION, fields=("display_name", "usage", "company_id"))
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class StockCount(Shown):
    """The stock of a product, or of a lot of it, in a location, as it was and as it is now."""

    product: RecordName
    location: RecordName
    lot: str | None = None
    uom: str
    quantity_before: float
    quantity: float | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Count(Step):
    """Says what there is of a product, or of the lot that it acts on.

    Attributes:
        of_lot: whether it acts on a lot.
        makes: whether the step that follows acts on the quant.
    """

    model: str = _QUANT
    method: str = "create"
    says: str = "Stock counted"
    fails: str = "The stock is not adjusted"
    context: Mapping[str, Any] = attrs.field(factory=lambda: {"inventory_mode": True})
    of_lot: bool = False
    makes: bool = False

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the call, with the lot."""
        lot = {"lot_id": ids[0]} if self.of_lot else {}
        values = {**self.arguments.get("vals_list", {}), **lot}
        return Step.calls(self.of(vals_list=values), odoo, ids)


_APPLY = Step(
    model=_QUANT,
    method="action_apply_inventory",
    says="Stock adjusted",
    fails="Counted, but not adjusted",
)


@operation
def adjust_stock(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("The product (product.product).")] = None,
    product_name: Annotated[str | None, Doc("Or its name or reference.")] = None,
    quantity: Annotated[float, Doc("Counted, in the product's unit.")],
    location_id: Annotated[
        int | None, Doc("Default: where the product is, else the warehouse's stock.")
    ] = None,
    location_name: str | None = None,
    lot: Annotated[str | None, Doc("Lot or serial number; created if new.")] = None,
    dry_run: DryRun = False,
) -> StockCount | Plan:
    """Set the stock of a product in a location to a counted quantity; Odoo makes the stock move.

    5 to 10 round trips. Stock in packages, and stock of other owners, is not counted.

    >>> count = adjust_stock(odoo, product_name="Desk", quantity=7)
    >>> count.quantity_before, count.quantity
    (0, 7)

    Args:
        odoo: the connection.
        product_id: a variant.
        product_name: its name or internal reference instead.
        quantity: the whole quantity there, not a difference.
        location_id: a location that holds stock.
        location_name: its name instead.
        lot: of a tracked product.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.steps.Plan` and write nothing.

    Raises:
        ValidationError: the quantity is negative, the product has no stock, the lot does not fit,
            or the product lies in several locations and none was named.
        NotFoundError: product or location do not exist.
        AccessError: Odoo or the policy does not allow it; up to 17, only administrators of the
            inventory app may.
    """
    permit(odoo, _Count(), _APPLY, dry_run=dry_run)
    lot = lot.strip() if lot else None
    counted = checked_number(quantity, "quantity", positive=False)
    if counted < 0:
        raise ValidationError(
            f"quantity must not be negative, as {counted:g} is.",
            suggestion="Give the whole quantity there, not a difference.",
            details={"field": "quantity"},
        )
    product_id = find_id(odoo, PRODUCT, product_id, product_name)
    if location_id is not None or location_name is not None:
        location_id = find_id(odoo, LOCATION, location_id, location_name)
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, _COUNTED, product_id),
        lambda: _quants(odoo, product_id),
    ]
    product, quants = side_by_side(asked)
    named = RecordName(id=product_id, name=product["display_name"])
    _check_counted(product, named, lot, counted)
    place = read(odoo, _PLACE, location_id or _place(odoo, named, quants, lot))
    if place["usage"] not in ("internal", "transit"):
        raise ValidationError(
            f"{place['display_name']} holds no stock to count.",
            suggestion="Give an internal location.",
            details={"field": "location_id"},
        )
    company = place["company_id"].id if place["company_id"] else acting_company(odoo, _QUANT)
    steps: list[AnyStep] = []
    lot_id: int | None = None
    if lot:
        wanted = NamedLot(product=named, name=lot, field="lot")
        lot_id = find_lots(odoo, [wanted], acts_on=_QUANT, company=company).get(wanted.key)
        if lot_id is None:
            create = create_lot(odoo, wanted, company)
            permit(odoo, create, dry_run=dry_run)
            steps.append(create)
    before = _sum(quants, place["id"], lot)
    target = RecordName(id=place["id"], name=place["display_name"])

    def result(done: Done | None) -> StockCount:
        warnings = done.warnings if done else []
        found = afterwards(lambda: _quants(odoo, product_id), warnings, "the stock")
        now = None if found is None else _sum(found, place["id"], lot)
        what = f"{named.name}{f' ({lot})' if lot else ''} in {target.name}"
        message = f"{what}: {before:g}, now {counted:g} {product['uom_id'].name}."
        if done is None:
            now, message = before, f"There were {before:g} of {what} already. Nothing was done."
        elif now is not None and abs(now - counted) > _TOLERANCE:
            message = f"The stock of {what} is {now:g}, not {counted:g}: Odoo has not applied it."
        return StockCount(
            product=named,
            location=target,
            lot=lot,
            uom=product["uom_id"].name,
            quantity_before=before,
            quantity=now,
            message=message,
            warnings=warnings,
        )

    if abs(before - counted) <= _TOLERANCE:
        return result(None)

    def seen(odoo: Odoo, number: int) -> bool | None:
        there = _sum(_quants(odoo, product_id), place["id"], lot)
        return abs(there - counted) <= _TOLERANCE or None

    field, applies = _way(odoo)
    values = {"product_id": product_id, "location_id": place["id"], field: counted}
    count = _Count(
        arguments={"vals_list": values},
        of_lot=bool(lot),
        makes=applies,
        seen=None if applies else seen,
    )
    steps += [count, attrs.evolve(_APPLY, seen=seen)] if applies else [count]
    return operate(
        odoo,
        steps,
        [lot_id or product_id],
        result,
        would=f"Would set {named.name} in {target.name} from {before:g} to {counted:g}.",
        dry_run=dry_run,
    )


def _quants(odoo: Odoo, product: int) -> list[Row]:
    """Return what lies where of a product, without packages and the goods of others."""
    domain = [
        ["product_id", "=", product],
        ["location_id.usage", "in", ["internal", "transit"]],
        ["package_id", "=", False],
        ["owner_id", "=", False],
    ]
    return read_rows(odoo, _QUANT, domain, ("location_id", "lot_id", "quantity"))


def _sum(quants: Sequence[Row], location: int, lot: str | None) -> float:
    found: list[float] = [
        quant["quantity"]
        for quant in quants
        if quant["location_id"].id == location
        and (quant["lot_id"].name if quant["lot_id"] else None) == lot
    ]
    return round(sum(found), 6)


def _way(odoo: Odoo) -> tuple[str, bool]:
    """Return the field that takes the count, and whether it has to be applied by a second call.

    Which fields there are tells who may, so that what somebody may not apply is not left behind as
    counted. Two calls are made on 15, and from 18 on for those who are not administrators.

    Raises:
        AccessError: this user may count at most, but not adjust the stock.
    """
    described = odoo.schema.fields(_QUANT)
    if "inventory_quantity_auto_apply" in described:
        if odoo.version.major >= COUNT_APPLIED_BY_CREATE_SINCE:
            return "inventory_quantity_auto_apply", False
        return "inventory_quantity", True
    counts = "inventory_quantity" in described
    if counts and (odoo.version.major < 15 or odoo.version.major >= 18):
        return "inventory_quantity", odoo.version.major >= 18
    raise AccessError(
        "This user is not allowed to adjust the stock; nothing was done.",
        suggestion="Up to Odoo 17 it needs an administrator of the Inventory app, from 18 on any of"
        " its users.",
        details={"model": _QUANT},
    )


def _check_counted(product: Row, named: RecordName, lot: str | None, counted: float) -> None:
    """Refuse a product without stock, and a lot that does not fit."""
    message = ""
    if not (product["is_storable"] or product["type"] == "product"):
        message = f"{named.name} is not a product whose stock Odoo counts."
    elif (product["tracking"] or "none") == "none":
        message = f"{named.name} is not tracked: leave the lot out." if lot else ""
    elif not lot:
        message = f"{named.name} is tracked by {product['tracking']} numbers: name one with lot."
    elif product["tracking"] == "serial" and counted not in (0, 1):
        message = f"A serial number has a quantity of 1 or 0, not {counted:g}."
    if message:
        raise ValidationError(message, details={"field": "lot", "product_id": named.id})


def _place(odoo: Odoo, product: RecordName, quants: Sequence[Row], lot: str | None) -> int:
    """Return where a product lies; where it lies nowhere, the stock of the company's warehouse."""
    lying = {
        quant["location_id"].id: quant["location_id"].name
        for quant in quants
        if quant["quantity"] > 0 and (not lot or (quant["lot_id"] and quant["lot_id"].name == lot))
    }
    if len(lying) > 1:
        places = [{"id": number, "name": name} for number, name in lying.items()]
        raise ValidationError(
            f"{product.name} is in several locations: {', '.join(lying.values())}.",
            suggestion="Give location_id: where it was counted.",
            details={"field": "location_id", "matches": places},
        )
    if lying:
        return int(next(iter(lying)))
    of_company = [["company_id", "=", acting_company(odoo, _QUANT)]]
    rows = read_rows(odoo, "stock.warehouse", of_company, ["lot_stock_id"], acts_on=_QUANT, limit=1)
    if not rows or not rows[0]["lot_stock_id"]:
        raise ValidationError(
            "The company has no warehouse.",
            suggestion="Give location_id.",
            details={"field": "location_id"},
        )
    return int(rows[0]["lot_stock_id"].id)
