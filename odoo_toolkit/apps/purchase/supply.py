"""A function that finds when a product is available: from stock, from vendors, or by making it.

``get_supply`` reads the stock, planned receipts, vendors' offers and the first bill of materials
with its components in one request. From the components and their vendors, the toolkit calculates
how much you can make, and when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing.arrivals import (
    EXPECTED,
    Arrival,
    read_arrivals,
    unclaimed,
    until,
)
from odoo_toolkit.apps.manufacturing.bills import Sizes, in_unit, learn_sizes
from odoo_toolkit.apps.purchase.making import Making, making, read_recipe
from odoo_toolkit.apps.purchase.offers import (
    ABOVE,
    BELOW,
    Offer,
    judged,
    net_price,
    offers_of,
    preferred,
    read_offers,
    with_notes,
)
from odoo_toolkit.apps.purchase.orders import readable
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

#: ``produce_delay``, the days that making takes, is the bill of materials' from 17 on.
PRODUCT = op.Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields="display_name product_tmpl_id product_template_attribute_value_ids uom_id produce_delay",
)
#: Read apart: where Manufacturing is installed, not everybody who buys may know them.
_STOCK = ("qty_available", *EXPECTED)

#: Offers and arrivals that a result shows, and missing components that its message names.
_SHOWN, _NAMED = 8, 3


@attrs.frozen(kw_only=True)
class Supply(op.Shown):
    """The supply of a product. Quantities are in ``uom``, the product's unit.

    Attributes:
        quantity: Quantity that you asked about.
        needed_by: Day that you asked about.
        on_hand: Quantity in stock. ``free`` is the part that is not reserved.
        forecast: Stock plus planned receipts, minus planned deliveries, until ``needed_by`` if you
            passed it.
        incoming: Planned receipts, the earliest first, until ``needed_by`` if you passed it.
        coming: Quantity of these receipts that others do not need by then.
        missing: Part of the quantity that is neither free nor coming by then.
        offers: Vendors' prices, usable and preferred ones first. They have ``uom`` if it differs
            from the product's unit.
        offer_count: Number of all offers, if not all are listed.
        omitted: With ``needed_by``, offers that can't arrive by then. ``unusable`` says why.
        making: Quantity that can be made, if the product has a bill of materials.
        warnings: Parts of the result that could not be read.
    """

    product: RecordName
    uom: str
    quantity: float
    needed_by: str | None = None
    on_hand: float | None = None
    free: float | None = None
    forecast: float | None = None
    incoming: list[Arrival] = attrs.Factory(list)
    coming: float | None = None
    missing: float | None = None
    offers: list[Offer] = attrs.Factory(list)
    offer_count: int | None = None
    omitted: list[Offer] = attrs.Factory(list)
    making: Making | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_supply(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Variant id, or pass product_name.")] = None,
    product_name: Annotated[str | None, Doc("Name or internal reference.")] = None,
    quantity: Annotated[float, Doc("Total quantity needed. Free stock is deducted from it.")] = 1,
    needed_by: Annotated[
        str | None,
        Doc(
            "YYYY-MM-DD. Omits later offers, counts receipts due by then, and returns the last day"
            " to order."
        ),
    ] = None,
) -> Supply:
    """Return how much of a product is available, and when.

    >>> found = get_supply(odoo, product_name="Chair", quantity=5)
    >>> found.free, [offer.vendor.name for offer in found.offers]
    (4.0, ['Acme'])

    The quantity is in the product's unit, and the day in the time zone of the connection. Offers
    and production are compared with the quantity. With ``needed_by`` they are compared with the
    ``missing`` quantity, if there is one.

    It takes 1 request by id, or 2 by name. It takes 1 more if vendors use other units or the
    product has a bill of materials. Each level of kits takes 2 more, and the vendors of components
    1 or 2. With ``needed_by`` it takes 1 more for the vendors' notes, and 1 more if components are
    missing.

    Raises:
        AmbiguousNameError: Several products match the name.
        NotFoundError: The product does not exist.
        ValidationError: The quantity is not above zero, or the day is past.
        AccessError: Odoo or the policy does not allow it.
    """
    quantity = op.checked_number(quantity, "quantity", positive=True)
    last = op.day_to_come(odoo, needed_by, "needed_by")
    number = op.find_id(odoo, PRODUCT, product_id, product_name)
    warnings: list[str] = []
    own = [["product_tmpl_id.product_variant_ids", "=", number]]
    context: dict[str, Any] = until(odoo, last) if last else {}
    itself = [["id", "=", number]]
    asked: list[Callable[[], Any]] = [
        lambda: op.read(odoo, PRODUCT, number),
        readable(
            "stock", lambda: op.read_rows(odoo, PRODUCT.model, itself, _STOCK, **context), warnings
        ),
        readable(
            "expected arrivals",
            lambda: read_arrivals(odoo, [number], day=last, limit=_SHOWN),
            warnings,
        ),
        readable("bills of materials", lambda: read_recipe(odoo, number), warnings),
        readable("offers of vendors", lambda: read_offers(odoo, own), warnings),
    ]
    row, stocks, arrivals, recipe, offered = op.side_by_side(asked)
    unknown, offered = offered is None, offered or []
    if last and offered:
        noted = readable("notes of vendors", lambda: with_notes(odoo, offered), warnings)()
        offered = noted or offered
    day, unit = date.fromisoformat(op.today(odoo)), row["uom_id"]
    stock = stocks[0] if stocks else dict.fromkeys(_STOCK)
    free, coming, missing = stock["free_qty"], None, None
    if last and free is not None:
        coming = unclaimed(stock)
        missing = round(max(quantity - max(free, 0.0) - coming, 0.0), 6)
    wanted = missing or quantity
    due = date.fromisoformat(last) if last else None
    offers = offers_of(offered, row)
    units = {unit.id, *(offer.uom.id for offer in offers if offer.uom)}
    made, sizes = None, Sizes()
    if recipe:
        recipe.known.units.update(units)
        sizes = recipe.known.sizes
        # What is free of a kit is what is free of its components, which making takes off itself.
        made_of = quantity if recipe.bom["type"] == "phantom" else wanted
        made = readable(
            "components", lambda: making(odoo, recipe, row, made_of, day, due), warnings
        )()
    if len(units) > 1:
        learn_sizes(odoo, units, sizes)
    seen = [_judged(offer, unit, wanted, sizes, day, due) for offer in offers]
    seen.sort(key=lambda offer: offer.unusable is not None)
    omitted = [offer for offer in seen if due and not _partly_usable(offer)]
    kept = [offer for offer in seen if offer not in omitted]
    if not offered and not unknown:
        warnings.append(f"No vendor has a price for {row['display_name']}.")
    found = op.filled(
        Supply,
        row,
        product=RecordName(id=number, name=row["display_name"]),
        uom=unit.name,
        quantity=quantity,
        needed_by=last,
        on_hand=stock["qty_available"],
        free=free,
        forecast=stock["virtual_available"],
        incoming=(arrivals or {}).get(number, []),
        coming=coming,
        missing=missing,
        offers=kept[:_SHOWN],
        offer_count=len(kept) if len(kept) > _SHOWN else None,
        omitted=omitted[:_SHOWN],
        making=made,
        message="",
        warnings=warnings,
    )
    return attrs.evolve(found, message=_message(found, kept))


def _judged(
    offer: Offer, unit: RecordName, quantity: float, sizes: Sizes, day: date, due: date | None
) -> Offer:
    """Return an offer with what holds of it for a quantity in the product's unit."""
    wanted = in_unit(quantity, unit, offer.uom, sizes)
    offer = judged(offer, wanted, day, due)
    return attrs.evolve(offer, uom=None if offer.uom == unit else offer.uom)


def _partly_usable(offer: Offer) -> bool:
    """Whether another quantity of it can be had: more, or less."""
    return offer.unusable in (None, BELOW, ABOVE)


def _message(found: Supply, offers: Sequence[Offer]) -> str:
    uom, quantity, made = found.uom, found.missing or found.quantity, found.making
    best = preferred([offer for offer in offers if not offer.unusable])
    parts = []
    if found.free is not None:
        parts.append(f"{found.free:g} {uom} of {found.product.name} free now")
    if found.missing is not None:
        brought = f"{found.coming:g} more until {found.needed_by}" if found.coming else ""
        parts += [part for part in (brought, f"{found.missing:g} missing") if part]
    if best:
        parts.append(f"{quantity:g} from {_offered(best)}")
    elif found.offers or found.omitted:
        parts += _no_vendor(found, offers)
    if made and not made.kit:
        late = " (too late)" if made.in_time is False else ""
        parts.append(
            f"{quantity:g} made by {made.ready}{late}"
            if made.ready
            else f"{made.possible_now or 0:g} can be made; components are missing"
        )
        for one in made.short[:_NAMED]:
            if one.offer is None:
                continue
            less = f", cheapest {_offered(one.cheapest)}" if one.cheapest else ""
            parts.append(f"{one.missing:g} {one.product.name} missing: {_offered(one.offer)}{less}")
    return (
        "; ".join(parts) + "."
        if parts
        else "There is no stock, vendor or bill of materials for it."
    )


def _offered(offer: Offer) -> str:
    """Return vendor, price and days of an offer."""
    price = f"{net_price(offer):g} {offer.currency or ''}".strip()
    each = f" for one {offer.uom.name}" if offer.uom else ""
    by = f", ordered by {offer.order_by}" if offer.order_by else ""
    return f"{offer.vendor.name} at {price}{each} by {offer.arrives}{by}"


def _no_vendor(found: Supply, offers: Sequence[Offer]) -> list[str]:
    """Say that no vendor alone delivers the quantity, and how much of it there is to have."""
    most: dict[str, float] = {}
    for offer in offers:
        if offer.unusable == ABOVE:
            own = max(most.get(offer.vendor.name, 0.0), offer.max_quantity or 0.0)
            most[offer.vendor.name] = own
    if not most and not found.needed_by:
        return []
    by = f" by {found.needed_by}" if found.needed_by else ""
    told = ", ".join(f"{name} at most {amount:g}" for name, amount in most.items())
    return [
        f"no vendor alone has {found.missing or found.quantity:g}{by}"
        + (f": {told}" if told else "")
    ]
