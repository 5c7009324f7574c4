"""A function that sets the stock of a product to a counted quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import COUNT_APPLIED_BY_CREATE_SINCE
from odoo_toolkit.errors import AccessError, ValidationError, invalid
from odoo_toolkit.records.numbers import kept_number
from odoo_toolkit.records.results import RecordName

QUANT = "stock.quant"
COUNTED: op.Document = attrs.evolve(
    PRODUCT, fields=("display_name", "uom_id", "type", "is_storable", "tracking")
)
PLACE: op.Document = attrs.evolve(LOCATION, fields=("display_name", "usage", "company_id"))
TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class StockCount(op.Shown):
    """The stock of a product, or of one of its lots, in a location, before and after a count."""

    product: RecordName
    location: RecordName
    lot: str | None = None
    uom: str
    quantity_before: float
    quantity: float | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Count(op.Step):
    """Says what there is of a product, or of the lot that it acts on.

    Attributes:
        of_lot: whether it acts on a lot.
        makes: whether the step that follows acts on the quant.
    """

    model: str = QUANT
    method: str = "create"
    says: str = "Stock counted"
    fails: str = "The stock is not adjusted"
    context: Mapping[str, Any] = attrs.field(factory=lambda: {"inventory_mode": True})
    of_lot: bool = False
    makes: bool = False

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call, with the lot."""
        lot = {"lot_id": ids[0]} if self.of_lot else {}
        values = {**self.arguments.get("vals_list", {}), **lot}
        return op.Step.calls(self.of(vals_list=values), odoo, ids)


APPLY = op.Step(
    model=QUANT,
    method="action_apply_inventory",
    says="Stock adjusted",
    fails="Counted, but not adjusted",
)


@op.operation
def adjust_stock(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("The product (product.product).")] = None,
    product_name: Annotated[str | None, Doc("Name or reference.")] = None,
    quantity: Annotated[float, Doc("Counted quantity, in the product's unit.")],
    location_id: Annotated[
        int | None, Doc("Default: the product's, or the warehouse's stock.")
    ] = None,
    location_name: Annotated[str | None, Doc("Name of the location, instead of the id.")] = None,
    lot: Annotated[str | None, Doc("Lot or serial number, created if new.")] = None,
    dry_run: op.DryRun = False,
) -> StockCount | op.Plan:
    """Set the stock of a product in a location to a counted quantity. Odoo creates the stock move.

    >>> count = adjust_stock(odoo, product_name="Desk", quantity=7)
    >>> count.quantity_before, count.quantity
    (0, 7)

    Pass the whole quantity, not a difference. Stock in packages and stock of other owners does not
    count. It takes 5 to 10 requests.

    Raises:
        ValidationError: The quantity is negative, the product has no stock, the lot does not fit,
            or the product is in several locations and you named none.
        NotFoundError: The product or location does not exist.
        AccessError: Odoo or the policy does not allow it. Odoo 17 and earlier allow it only to
            administrators of the inventory app.
    """
    op.permit(odoo, _Count(), APPLY, dry_run=dry_run)
    lot = lot.strip() if lot else None
    counted = checked_count(quantity, "quantity")
    product_id = op.find_id(odoo, PRODUCT, product_id, product_name)
    if location_id is not None or location_name is not None:
        location_id = op.find_id(odoo, LOCATION, location_id, location_name)
    product, quants = op.gather(
        lambda: op.read(odoo, COUNTED, product_id),
        lambda: quants_of(odoo, [product_id]),
    )
    named = RecordName(id=product_id, name=product["display_name"])
    check_counted(odoo, product, lot, counted)
    field, applies = way_to_count(odoo)
    rounded: list[str] = []
    counted = kept_number(odoo, QUANT, field, counted, "quantity", rounded)
    place = op.read(
        odoo, PLACE, location_id or place_of(named, quants, lot, lambda: stock_location(odoo))
    )
    check_holds_stock(place, "location_id")
    company = place["company_id"].id if place["company_id"] else op.acting_company(odoo, QUANT)
    steps: list[op.AnyStep] = []
    lot_id: int | None = None
    if lot:
        wanted = op.NamedLot(product=named, name=lot, field="lot")
        lot_id = op.find_lots(odoo, [wanted], acts_on=QUANT, company=company).get(wanted.key)
        if lot_id is None:
            create = op.create_lot(odoo, wanted, company)
            op.permit(odoo, create, dry_run=dry_run)
            steps.append(create)
    before = in_stock(quants, place["id"], lot)
    target = RecordName(id=place["id"], name=place["display_name"])

    def result(done: op.Done | None) -> StockCount:
        warnings = [*rounded, *(done.warnings if done else ())]
        found = op.afterwards(lambda: quants_of(odoo, [product_id]), warnings, "the stock")
        now = None if found is None else in_stock(found, place["id"], lot)
        what = f"{named.name}{f' ({lot})' if lot else ''} in {target.name}"
        message = (
            f"{what}: the stock was {before:g} and is now {counted:g} {product['uom_id'].name}."
        )
        if done is None:
            now, message = before, f"The stock of {what} is already {before:g}. Nothing was done."
        elif now is not None and abs(now - counted) > TOLERANCE:
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

    if abs(before - counted) <= TOLERANCE:
        return result(None)

    def seen(odoo: Odoo, number: int) -> bool | None:
        there = in_stock(quants_of(odoo, [product_id]), place["id"], lot)
        return abs(there - counted) <= TOLERANCE or None

    values = {"product_id": product_id, "location_id": place["id"], field: counted}
    count = _Count(
        arguments={"vals_list": values},
        of_lot=bool(lot),
        makes=applies,
        seen=None if applies else seen,
        before={0: {"quantity": before}},
    )
    steps += [count, attrs.evolve(APPLY, seen=seen)] if applies else [count]
    return op.operate(
        odoo,
        steps,
        [lot_id or product_id],
        result,
        message=f"Would set {named.name} in {target.name} from {before:g} to {counted:g}.",
        dry_run=dry_run,
        doubts=lambda: rounded,
    )


def checked_count(quantity: Any, field: str) -> float:
    """Return a counted quantity, or refuse what is no number, or below zero."""
    counted = op.checked_number(quantity, field, positive=False)
    if counted < 0:
        raise invalid(
            field,
            f"{field} must not be negative, got {counted:g}.",
            "Pass the complete quantity that you counted, not a difference.",
        )
    return counted


def quants_of(odoo: Odoo, products: Sequence[int], *, acts_on: str = QUANT) -> list[op.Row]:
    """Return what lies where of products, without packages and the goods of others."""
    domain = [
        ["product_id", "in", list(products)],
        ["location_id.usage", "in", ["internal", "transit"]],
        ["package_id", "=", False],
        ["owner_id", "=", False],
    ]
    fields = ("product_id", "location_id", "lot_id", "quantity", "reserved_quantity")
    return op.read_rows(odoo, QUANT, domain, fields, acts_on=acts_on)


def in_stock(quants: Sequence[op.Row], location: int, lot: str | None) -> float:
    """Return how much of a product, or of a lot of it, lies in a location.

    Args:
        quants: those of the product.
        location: the location itself, not those in it.
        lot: None means what has no lot.
    """
    found: list[float] = [quant["quantity"] for quant in lying_at(quants, location, lot)]
    return round(sum(found), 6)


def lying_at(quants: Sequence[op.Row], location: int, lot: str | None) -> list[op.Row]:
    """Return those quants of a product that :func:`in_stock` sums up."""
    return [
        quant
        for quant in quants
        if quant["location_id"].id == location
        and (quant["lot_id"].name if quant["lot_id"] else None) == lot
    ]


def way_to_count(odoo: Odoo) -> tuple[str, bool]:
    """Return the field that takes the count, and whether it has to be applied by a second call.

    Which fields there are tells who may, so that what somebody may not apply is not left behind as
    counted. Two calls are made on 15, and from 18 on for those who are not administrators.

    Raises:
        AccessError: this user may count at most, but not adjust the stock.
    """
    described = odoo.schema.fields(QUANT)
    if "inventory_quantity_auto_apply" in described:
        if odoo.version.major >= COUNT_APPLIED_BY_CREATE_SINCE:
            return "inventory_quantity_auto_apply", False
        return "inventory_quantity", True
    counts = "inventory_quantity" in described
    if counts and (odoo.version.major < 15 or odoo.version.major >= 18):
        return "inventory_quantity", odoo.version.major >= 18
    raise AccessError(
        "This user is not allowed to adjust the stock. Nothing was done.",
        suggestion="On Odoo 17 and earlier, an administrator of the Inventory app can. On "
        "Odoo 18 and later, any Inventory user can.",
        details={"model": QUANT},
    )


def check_counted(
    odoo: Odoo, product: op.Row, lot: str | None, counted: float, field: str = "lot"
) -> None:
    """Refuse a product without stock, and a lot that does not fit.

    Args:
        odoo: the connection.
        product: its row, see ``COUNTED``.
        lot: that was given.
        counted: how many.
        field: the argument of the lot, for errors.
    """
    name, message, todo = product["display_name"], "", ""
    tracking = product["tracking"] or "none"
    if not (product["is_storable"] or product["type"] == "product"):
        message = f"{name} is not a storable product, so its stock cannot be counted."
    elif tracking == "none":
        message = f"{name} is not tracked by lots. Omit lot." if lot else ""
    elif not lot:
        message = f"{name} is tracked by {tracking} numbers. Set lot to one of these numbers."
        todo = f"In stock: {op.lots_of(odoo, product['id'], acts_on=QUANT)}."
    elif tracking == "serial" and counted not in (0, 1):
        message = f"A serial number has a quantity of 1 or 0, not {counted:g}."
    if message:
        where = f" ({field})" if "." in field else ""
        details = {"field": field, "product_id": product["id"]}
        raise ValidationError(f"{message}{where}", suggestion=todo, details=details)


def check_holds_stock(place: op.Row, field: str) -> None:
    """Refuse a location in which nothing is counted; ``field`` is its argument."""
    if place["usage"] not in ("internal", "transit"):
        raise invalid(
            field,
            f"{place['display_name']} holds no stock, so you cannot count there.",
            "Choose an internal location.",
        )


def place_of(
    product: RecordName,
    quants: Sequence[op.Row],
    lot: str | None,
    default: Callable[[], int],
    field: str = "location_id",
) -> int:
    """Return where a product lies; where it lies nowhere, the stock of the company's warehouse.

    Args:
        product: that was counted.
        quants: what lies where of it.
        lot: only of this lot.
        default: where what lies nowhere is put.
        field: the argument of the location, for errors.

    Raises:
        ValidationError: it lies in several locations.
    """
    lying = {
        quant["location_id"].id: quant["location_id"].name
        for quant in quants
        if quant["quantity"] > 0 and (not lot or (quant["lot_id"] and quant["lot_id"].name == lot))
    }
    if len(lying) > 1:
        places = [{"id": number, "name": name} for number, name in lying.items()]
        raise invalid(
            field,
            f"{product.name} is in stock in several locations: {', '.join(lying.values())}.",
            "Set location_id to the location that was counted.",
            matches=places,
        )
    return int(next(iter(lying))) if lying else default()


def stock_location(odoo: Odoo, *, acts_on: str = QUANT) -> int:
    """Return the stock of the company's first warehouse; two round trips."""
    of_company = [["company_id", "=", op.acting_company(odoo, acts_on)]]
    rows = op.read_rows(
        odoo, "stock.warehouse", of_company, ["lot_stock_id"], acts_on=acts_on, limit=1
    )
    if not rows or not rows[0]["lot_stock_id"]:
        raise invalid("location_id", "The company has no warehouse.", "Give location_id.")
    return int(rows[0]["lot_stock_id"].id)
