"""When a product is available: from stock, from vendors, or by making it from its components.

``get_supply`` reads the stock, planned receipts, vendors' offers and the first bill of materials
with its components in one request. From the components and their vendors, the toolkit calculates
how much you can make, and when.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing import bills
from odoo_toolkit.apps.manufacturing.arrivals import (
    EXPECTED,
    Arrival,
    InTime,
    in_time,
    read_arrivals,
    unclaimed,
    until,
)
from odoo_toolkit.apps.purchase.offers import (
    ABOVE,
    BELOW,
    MOST,
    Offer,
    Offered,
    judged,
    net_price,
    offers_of,
    preferred,
    read_offers,
    with_notes,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.results import RecordName

#: Missing components that a result shows.
_SHOWN_MISSING = 10


@attrs.frozen(kw_only=True)
class Missing(op.Shown):
    """A component without enough free stock.

    Attributes:
        missing: Quantity that is neither free nor covered by receipts that arrive in time.
        coming: Quantity that confirmed receipts bring in time. Only if you passed a day.
        receipts: These receipts.
        arrives: Arrival date of the missing quantity, if you order today.
        vendors: The vendor that Odoo prefers. With a day, the vendors in time, or else the fastest
            one. Several only if no single vendor sells that much.
        offer: The offer of the vendor, if one vendor sells the missing quantity.
        cheapest: Another vendor's offer that costs less and is in time too.
        has_bom: True if you can make the component.
    """

    product: RecordName
    missing: float
    coming: float = 0.0
    receipts: list[Arrival] = attrs.Factory(list)
    arrives: str | None = None
    vendors: list[str] = attrs.Factory(list)
    offer: Offer | None = None
    cheapest: Offer | None = None
    has_bom: bool = False


@attrs.frozen(kw_only=True)
class Making(op.Shown):
    """The quantity of a product that can be made with its first bill of materials.

    Attributes:
        kit: True if it is a kit, which is assembled at delivery.
        possible_now: Quantity that the free components are enough for. None if nothing limits it.
        days: Days that making takes.
        ready: Day on which the quantity is ready, if you order the missing components today. None
            if no vendor sells enough of a component.
        start_by: Last day to start, to be ready on the day you need it.
        in_time: True if it is ready by that day.
        short: First components without enough free stock.
        short_count: Number of these components, if not all are listed.
    """

    bom: RecordName
    kit: bool = False
    possible_now: float | None = None
    days: float = 0
    ready: str | None = None
    start_by: str | None = None
    in_time: bool | None = None
    short: list[Missing] = attrs.Factory(list)
    short_count: int | None = None


@attrs.frozen(kw_only=True)
class Recipe:
    """A bill of materials, what is known of its lines and components, and who offers those."""

    bom: op.Row
    known: bills.Known
    offered: list[Offered]


def read_recipe(odoo: Odoo, product_id: int) -> Recipe | None:
    """Return the bill of materials of a product, in one round trip; None where it has none.

    Raises:
        AccessError: this user cannot read it.
    """
    if "bom_ids" not in odoo.schema.fields("product.product"):
        return None
    of_product = [["product_tmpl_id.product_variant_ids", "=", product_id]]
    either = ["|", ["product_id", "=", False], ["product_id", "=", product_id]]
    kinds = [["type", "in", ["normal", "phantom"]]]
    in_lines = "bom_line_ids.bom_id.product_tmpl_id.product_variant_ids"
    boms, lines, components, offered = op.gather(
        lambda: op.read_rows(
            odoo,
            bills.BOM.model,
            [*of_product, *either, *kinds],
            bills.BOM.fields,
            order=bills.FIRST_BILL,
            limit=1,
            active_test=True,
        ),
        lambda: op.read_rows(
            odoo,
            "mrp.bom.line",
            [[f"bom_id.{leaf[0]}", *leaf[1:]] for leaf in of_product],
            bills.LINE_FIELDS,
            acts_on=bills.BOM.model,
            order="sequence, id",
        ),
        lambda: op.read_rows(
            odoo,
            "product.product",
            [[in_lines, "=", product_id]],
            bills.COMPONENT,
            acts_on=bills.BOM.model,
        ),
        lambda: read_offers(odoo, [[f"product_tmpl_id.{in_lines}", "=", product_id]]),
    )
    if not boms:
        return None
    (bom,) = boms
    known = bills.Known(
        lines={bom["id"]: [line for line in lines if line["bom_id"].id == bom["id"]]},
        products={row["id"]: row for row in components},
        units={offer.uom.id for _, offer in offered if offer.uom},
    )
    return Recipe(bom=bom, known=known, offered=offered)


def making(
    odoo: Odoo,
    recipe: Recipe,
    product: op.Row,
    quantity: float,
    day: date,
    needed_by: date | None = None,
) -> Making:
    """Return what can be made of a product.

    1 round trip, 2 more for each level of kits, and 1 or 2 for the vendors of what is in them; 2
    with a day, for receipts and the vendors' notes.

    Args:
        odoo: the connection.
        recipe: its bill of materials.
        product: its row.
        quantity: that is needed.
        day: today.
        needed_by: the day by which it must be ready; receipts until making begins count then.
    """
    bom, known = recipe.bom, recipe.known
    first = set(known.products)
    components = bills.explode(odoo, bom, product, quantity, known=known)
    missing = [item for item in components if item.missing]
    kit = bom["type"] == "phantom"
    own = bom["produce_delay"] if bom["produce_delay"] is not None else product["produce_delay"]
    days = 0 if kit else own or 0
    start = needed_by and max(needed_by - timedelta(days=math.ceil(days)), day)
    offered = recipe.offered
    if deeper := [item.product.id for item in missing if item.product.id not in first]:
        templates = sorted({known.products[number]["product_tmpl_id"].id for number in deeper})
        offered = [*offered, *read_offers(odoo, [["product_tmpl_id", "in", templates]])]
        units = {offer.uom.id for _, offer in offered if offer.uom}
        bills.learn_sizes(odoo, units, known.sizes)
    coming: dict[int, InTime] = {}
    if start and missing:
        numbers = [item.product.id for item in missing]
        offered, coming = op.gather(
            lambda: with_notes(odoo, offered),
            lambda: _in_time(odoo, numbers, start),
        )
    short = [
        _missing(odoo, offered, item, known, day, start, coming.get(item.product.id))
        for item in missing
    ]
    comes = [item.arrives for item in short]
    begin = max([day.isoformat(), *(item for item in comes if item)])
    possible = bills.producible(components, quantity)
    ready = date.fromisoformat(begin) + timedelta(days=math.ceil(days))
    return Making(
        bom=RecordName(id=bom["id"], name=bom["display_name"]),
        kit=kit,
        possible_now=None if possible is None else math.floor(possible * 100 + 1e-6) / 100,
        days=days,
        ready=None if None in comes else ready.isoformat(),
        start_by=start.isoformat() if start else None,
        in_time=None not in comes and ready <= needed_by if needed_by else None,
        short=short[:_SHOWN_MISSING],
        short_count=len(short) if len(short) > _SHOWN_MISSING else None,
    )


def _in_time(odoo: Odoo, products: Sequence[int], day: date) -> dict[int, InTime]:
    """Return what confirmed receipts bring of products until a day; 2 requests side by side."""
    last, of_products = day.isoformat(), [["id", "in", list(products)]]
    rows, arrivals = op.gather(
        lambda: op.read_rows(
            odoo,
            "product.product",
            of_products,
            EXPECTED,
            acts_on=bills.BOM.model,
            **until(odoo, last),
        ),
        lambda: read_arrivals(odoo, products, day=last, acts_on=bills.BOM.model),
    )
    return in_time(rows, arrivals)


def _missing(
    odoo: Odoo,
    offered: list[Offered],
    item: bills.BillComponent,
    known: bills.Known,
    day: date,
    start: date | None,
    coming: InTime | None,
) -> Missing:
    component = known.products[item.product.id]
    brought = min(coming.quantity, item.missing) if coming else 0.0
    moment = coming.covers(brought) if coming and brought else None
    missing, arrives = round(item.missing - brought, 6), op.local_day(odoo, moment)
    chosen: list[Offer] = []
    cheapest = None
    if missing:
        offers = offers_of(offered, component)
        chosen = _vendors(offers, missing, component["uom_id"], known.sizes, day, start)
        if len(chosen) == 1:
            unit = component["uom_id"]
            cheapest = _cheapest(offers, chosen[0], missing, unit, known.sizes, day, start)
        bought = max((offer.arrives or "" for offer in chosen), default=None)
        arrives = max(bought, arrives or bought) if bought else None
    return Missing(
        product=item.product,
        missing=missing,
        coming=brought,
        receipts=coming.arrivals if coming and brought else [],
        arrives=arrives,
        vendors=[offer.vendor.name for offer in chosen],
        offer=_in_own_unit(chosen[0], component) if len(chosen) == 1 else None,
        cheapest=cheapest and _in_own_unit(cheapest, component),
        has_bom=item.bom is not None,
    )


def _vendors(
    offers: Sequence[Offer],
    missing: float,
    unit: RecordName,
    sizes: bills.Sizes,
    day: date,
    start: date | None,
) -> list[Offer]:
    """Return the offers that bring a quantity in a unit; by the start of making, if any can."""

    def having(due: date | None, *problems: str | None) -> list[Offer]:
        seen = [
            judged(one, bills.in_unit(missing, unit, one.uom, sizes), day, due) for one in offers
        ]
        return [one for one in seen if one.unusable in problems]

    # Too little for a vendor is ordered by their minimum.
    if best := preferred(having(start, None)) or preferred(having(start, BELOW)):
        return [best]
    if start and (together := _together(having(start, None, BELOW, ABOVE), missing, unit, sizes)):
        return together
    late = sorted(having(None, None) or having(None, BELOW), key=lambda one: one.delay)
    return late[:1] or _together(having(None, None, BELOW, ABOVE), missing, unit, sizes)


def _in_own_unit(offer: Offer, component: op.Row) -> Offer:
    """Return an offer that names its unit only if it is not the component's."""
    return attrs.evolve(offer, uom=None) if offer.uom == component["uom_id"] else offer


def _cheapest(
    offers: Sequence[Offer],
    chosen: Offer,
    missing: float,
    unit: RecordName,
    sizes: bills.Sizes,
    day: date,
    start: date | None,
) -> Offer | None:
    """Return the offer of another vendor that costs less, and is in time; None for none.

    Prices in other currencies are not compared.
    """

    def price(offer: Offer) -> float:
        return net_price(offer) / bills.in_unit(1.0, offer.uom, unit, sizes)

    seen = [judged(one, bills.in_unit(missing, unit, one.uom, sizes), day, start) for one in offers]
    less = [
        one
        for one in seen
        if one.unusable is None
        and one.vendor != chosen.vendor
        and one.currency == chosen.currency
        and price(one) < price(chosen) - 1e-9
    ]
    return min(less, key=price, default=None)


def _together(
    offers: Sequence[Offer], missing: float, unit: RecordName, sizes: bills.Sizes
) -> list[Offer]:
    """Return offers of several vendors that bring a quantity, the soonest first; none if all of
    them are not enough."""
    chosen: dict[int, Offer] = {}
    left = missing
    for offer in sorted(offers, key=lambda one: one.delay):
        if left > 0 and offer.vendor.id not in chosen:
            most = missing if offer.max_quantity is None else offer.max_quantity
            left -= bills.in_unit(most, offer.uom, unit, sizes) if offer.max_quantity else most
            chosen[offer.vendor.id] = offer
    return [] if left > 1e-6 else [*chosen.values()]


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

#: Of each of several products.
_SHOWN_EACH = 3


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
    row, stocks, arrivals, recipe, offered = op.gather(
        lambda: op.read(odoo, PRODUCT, number),
        op.readable(
            "stock", lambda: op.read_rows(odoo, PRODUCT.model, itself, _STOCK, **context), warnings
        ),
        op.readable(
            "expected arrivals",
            lambda: read_arrivals(odoo, [number], day=last, limit=_SHOWN),
            warnings,
        ),
        op.readable("bills of materials", lambda: read_recipe(odoo, number), warnings),
        op.readable("offers of vendors", lambda: read_offers(odoo, own), warnings),
    )
    unknown, offered = offered is None, offered or []
    if last and offered:
        noted = op.readable("notes of vendors", lambda: with_notes(odoo, offered), warnings)()
        offered = noted or offered
    day, unit = date.fromisoformat(op.today(odoo)), row["uom_id"]
    stock = stocks[0] if stocks else dict.fromkeys(_STOCK)
    wanted = _lacking(stock, quantity, last)[1] or quantity
    due = date.fromisoformat(last) if last else None
    offers = offers_of(offered, row)
    units = {unit.id, *(offer.uom.id for offer in offers if offer.uom)}
    made, sizes = None, bills.Sizes()
    if recipe:
        recipe.known.units.update(units)
        sizes = recipe.known.sizes
        # What is free of a kit is what is free of its components, which making takes off itself.
        made_of = quantity if recipe.bom["type"] == "phantom" else wanted
        made = op.readable(
            "components", lambda: making(odoo, recipe, row, made_of, day, due), warnings
        )()
    if len(units) > 1:
        bills.learn_sizes(odoo, units, sizes)
    if not offered and not unknown:
        warnings.append(f"No vendor has a price for {row['display_name']}.")
    coming_in = (arrivals or {}).get(number, [])
    found = _supply_of(odoo, row, stock, quantity, last, coming_in, offers, sizes, made=made)
    return attrs.evolve(found, warnings=warnings)


def _lacking(stock: op.Row, quantity: float, last: str | None) -> tuple[float | None, float | None]:
    """Return what comes of a product until a day, and what is missing then; None without a day."""
    free = stock["free_qty"]
    if not last or free is None:
        return None, None
    coming = unclaimed(stock)
    return coming, round(max(quantity - max(free, 0.0) - coming, 0.0), 6)


def _supply_of(
    odoo: Odoo,
    row: op.Row,
    stock: op.Row,
    quantity: float,
    last: str | None,
    incoming: list[Arrival],
    offers: Sequence[Offer],
    sizes: bills.Sizes,
    *,
    made: Making | None = None,
    most: int = _SHOWN,
) -> Supply:
    """Return the supply of a product from what was read of it.

    Args:
        odoo: the connection.
        row: of the product.
        stock: its :data:`_STOCK` fields.
        quantity: that is needed.
        last: the day by which it is needed.
        incoming: what comes.
        offers: of the product.
        sizes: of the units of the offers.
        made: what can be made.
        most: of offers and arrivals that are shown.
    """
    coming, missing = _lacking(stock, quantity, last)
    day, unit = date.fromisoformat(op.today(odoo)), row["uom_id"]
    due = date.fromisoformat(last) if last else None
    seen = [_judged(offer, unit, missing or quantity, sizes, day, due) for offer in offers]
    seen.sort(key=lambda offer: offer.unusable is not None)
    omitted = [offer for offer in seen if due and not _partly_usable(offer)]
    kept = [offer for offer in seen if offer not in omitted]
    found = op.filled(
        Supply,
        row,
        product=RecordName(id=row["id"], name=row["display_name"]),
        uom=unit.name,
        quantity=quantity,
        needed_by=last,
        on_hand=stock["qty_available"],
        free=stock["free_qty"],
        forecast=stock["virtual_available"],
        incoming=incoming[:most],
        coming=coming,
        missing=missing,
        offers=kept[:most],
        offer_count=len(kept) if len(kept) > most else None,
        omitted=omitted[:most],
        making=made,
        message="",
    )
    return attrs.evolve(found, message=_message(found, kept))


def _judged(
    offer: Offer, unit: RecordName, quantity: float, sizes: bills.Sizes, day: date, due: date | None
) -> Offer:
    """Return an offer with what holds of it for a quantity in the product's unit."""
    wanted = bills.in_unit(quantity, unit, offer.uom, sizes)
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
    return "; ".join(parts) + "." if parts else "It has no stock, vendor or bill of materials."


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


# Several products ------------------------------------------------------------------------------


class NeededProduct(TypedDict, total=False):
    """A product, by its id or name, and the quantity that is needed of it."""

    product_id: int
    product_name: str
    quantity: float


@attrs.frozen(kw_only=True)
class Supplies(op.Shown):
    """The supply of several products.

    Attributes:
        products: The supply of each product, in your order, without ``making``.
        message: Number of products, and those whose free stock and receipts are not enough.
        warnings: Parts of the result that could not be read.
    """

    products: list[Supply]
    message: str
    warnings: list[str] = attrs.Factory(list)


def list_supply(
    odoo: Odoo,
    *,
    products: Annotated[
        Sequence[NeededProduct],
        Len(1, 30),
        op.OBJECTS,
        Doc("Each has product_id or product_name, and the quantity needed (default 1)."),
    ],
    needed_by: Annotated[
        str | None, Doc("YYYY-MM-DD. Omits later offers, and counts receipts due by then.")
    ] = None,
) -> Supplies:
    """Return the stock, receipts and vendors' offers of several products.

    >>> found = list_supply(odoo, products=[{"product_name": "Chair", "quantity": 5}])
    >>> [(supply.product.name, supply.free) for supply in found.products]
    [('Chair', 4.0)]

    Each product has the same figures as in :func:`get_supply`, with its first 3 receipts and
    offers. For production and missing components, call :func:`get_supply` with the product.

    It takes 1 request by id, or 2 by name, 1 more if vendors use other units, and 1 more with
    ``needed_by``.

    Raises:
        AmbiguousNameError: Several products match a name.
        NotFoundError: A product does not exist.
        ValidationError: A quantity is not above zero, a product is listed twice, or the day is
            past.
        AccessError: Odoo or the policy does not allow it.
    """
    given = op.check_lines(products, NeededProduct.__annotations__, "products")
    quantities = [
        op.checked_number(line.get("quantity", 1), f"products[{index}].quantity", positive=True)
        for index, line in enumerate(given)
    ]
    last = op.day_to_come(odoo, needed_by, "needed_by")
    wanted = [op.wanted_product(line, index, "products") for index, line in enumerate(given)]
    ids = [number for number in op.resolve_all(odoo, wanted) if number]
    for index, number in enumerate(ids):
        if number in ids[:index]:
            raise invalid(
                f"products[{index}]",
                f"products[{index}] is the product {number}, which is already listed.",
                "List each product once.",
            )
    needed = dict(zip(ids, quantities, strict=True))
    warnings: list[str] = []
    context: dict[str, Any] = until(odoo, last) if last else {}
    of_them, of_offers = [["id", "in", ids]], [["product_tmpl_id.product_variant_ids", "in", ids]]
    rows, stocks, arrivals, offered = op.gather(
        lambda: op.read_all(odoo, PRODUCT, ids),
        op.readable(
            "stock", lambda: op.read_rows(odoo, PRODUCT.model, of_them, _STOCK, **context), warnings
        ),
        op.readable("expected arrivals", lambda: read_arrivals(odoo, ids, day=last), warnings),
        op.readable("offers of vendors", lambda: read_offers(odoo, of_offers), warnings),
    )
    offered = offered or []
    if MOST in (len(offered), sum(map(len, (arrivals or {}).values()))):
        warnings.append(
            f"The toolkit read only the first {MOST} offers and receipts. Pass fewer products."
        )
    if last and offered:
        noted = op.readable("notes of vendors", lambda: with_notes(odoo, offered), warnings)()
        offered = noted or offered
    offers = {row["id"]: offers_of(offered, row) for row in rows}
    units = {row["uom_id"].id for row in rows if offers[row["id"]]}
    units |= {offer.uom.id for each in offers.values() for offer in each if offer.uom}
    sizes = bills.Sizes()
    if len(units) > 1:
        bills.learn_sizes(odoo, units, sizes)
    stock = {row["id"]: row for row in stocks or ()}
    found = [
        _supply_of(
            odoo,
            row,
            stock.get(row["id"], dict.fromkeys(_STOCK)),
            needed[row["id"]],
            last,
            (arrivals or {}).get(row["id"], []),
            offers[row["id"]],
            sizes,
            most=_SHOWN_EACH,
        )
        for row in rows
    ]
    return Supplies(products=found, message=_told(found), warnings=warnings)


def _told(found: Sequence[Supply]) -> str:
    missing = {
        supply.product.name: supply.quantity - max(supply.free, 0.0)
        if supply.missing is None
        else supply.missing
        for supply in found
        if supply.free is not None
    }
    told = ", ".join(f"{lacking:g} {name}" for name, lacking in missing.items() if lacking > 0)
    return f"{op.counted(len(found), 'product')}. Missing: {told or 'nothing'}."
