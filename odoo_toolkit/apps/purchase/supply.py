"""The supply of a product, and when it comes: from stock, from vendors, by making it.

``get_supply`` asks all of it at once: the stock, what is on its way, the vendors' offers, and the
first bill of materials with the components that it takes. Whether these are there, and when those
that are short could come, says what can be made and by when."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.apps.manufacturing.bills import (
    BOM,
    COMPONENT,
    FIRST_BILL,
    LINE_FIELDS,
    BillComponent,
    Known,
    Sizes,
    explode,
    in_unit,
    learn_sizes,
    producible,
)
from odoo_toolkit.apps.purchase.offers import (
    Offer,
    Offered,
    choose,
    obstacle,
    offers_of,
    read_offers,
)
from odoo_toolkit.apps.purchase.orders import readable
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, Row, filled, find_id, read, read_rows
from odoo_toolkit.operations.lines import checked_number, today
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

#: Missing components that a result shows.
_SHOWN_MISSING = 10


@attrs.frozen(kw_only=True)
class Missing(Shown):
    """A component of which too little is free.

    Attributes:
        arrives: when what is missing comes, ordered today of the vendor that Odoo prefers.
        has_bom: whether it can be made itself.
    """

    product: RecordName
    missing: float
    arrives: str | None = None
    has_bom: bool = False


@attrs.frozen(kw_only=True)
class Making(Shown):
    """How much of a product can be made by its first bill of materials.

    Attributes:
        kit: whether it is only put together when it is delivered.
        possible_now: how many the free components are enough for; None where nothing limits it.
        days: that making takes.
        ready: the day on which the quantity asked about is made, if what is missing is ordered
            today; None where a missing component has no vendor.
        short: components of which too little is free for that quantity, the first ones.
        short_count: how many there are, where those are not all.
    """

    bom: RecordName
    kit: bool = False
    possible_now: float | None = None
    days: float = 0
    ready: str | None = None
    short: list[Missing] = attrs.Factory(list)
    short_count: int | None = None


@attrs.frozen(kw_only=True)
class Recipe:
    """A bill of materials, what is known of its lines and components, and who offers those."""

    bom: Row
    known: Known
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
    asked: list[Callable[[], Any]] = [
        lambda: read_rows(
            odoo,
            BOM.model,
            [*of_product, *either, *kinds],
            BOM.fields,
            order=FIRST_BILL,
            limit=1,
            active_test=True,
        ),
        lambda: read_rows(
            odoo,
            "mrp.bom.line",
            [[f"bom_id.{leaf[0]}", *leaf[1:]] for leaf in of_product],
            LINE_FIELDS,
            acts_on=BOM.model,
            order="sequence, id",
        ),
        lambda: read_rows(
            odoo, "product.product", [[in_lines, "=", product_id]], COMPONENT, acts_on=BOM.model
        ),
        lambda: read_offers(odoo, [[f"product_tmpl_id.{in_lines}", "=", product_id]]),
    ]
    boms, lines, components, offered = side_by_side(asked)
    if not boms:
        return None
    (bom,) = boms
    known = Known(
        lines={bom["id"]: [line for line in lines if line["bom_id"].id == bom["id"]]},
        products={row["id"]: row for row in components},
        units={offer.uom.id for _, offer in offered if offer.uom},
    )
    return Recipe(bom=bom, known=known, offered=offered)


def making(odoo: Odoo, recipe: Recipe, product: Row, quantity: float, day: date) -> Making:
    """Return what can be made of a product.

    1 round trip, 2 more for each level of kits, and 1 or 2 for the vendors of what is in them.

    Args:
        odoo: the connection.
        recipe: its bill of materials.
        product: its row.
        quantity: that is needed.
        day: today.
    """
    bom, known = recipe.bom, recipe.known
    first = set(known.products)
    components = explode(odoo, bom, product, quantity, known=known)
    missing = [item for item in components if item.missing]
    offered = recipe.offered
    if deeper := [item.product.id for item in missing if item.product.id not in first]:
        templates = sorted({known.products[number]["product_tmpl_id"].id for number in deeper})
        offered = [*offered, *read_offers(odoo, [["product_tmpl_id", "in", templates]])]
        units = {offer.uom.id for _, offer in offered if offer.uom}
        learn_sizes(odoo, units, known.sizes)
    short = [
        _missing(offered, item, known.products[item.product.id], known.sizes, day)
        for item in missing
    ]
    kit = bom["type"] == "phantom"
    own = bom["produce_delay"] if bom["produce_delay"] is not None else product["produce_delay"]
    days = 0 if kit else own or 0
    comes = [item.arrives for item in short]
    begin = max([day.isoformat(), *(item for item in comes if item)])
    possible = producible(components, quantity)
    return Making(
        bom=RecordName(id=bom["id"], name=bom["display_name"]),
        kit=kit,
        possible_now=None if possible is None else math.floor(possible * 100 + 1e-6) / 100,
        days=days,
        ready=None
        if None in comes
        else (date.fromisoformat(begin) + timedelta(days=math.ceil(days))).isoformat(),
        short=short[:_SHOWN_MISSING],
        short_count=len(short) if len(short) > _SHOWN_MISSING else None,
    )


def _missing(
    offered: list[Offered], item: BillComponent, component: Row, sizes: Sizes, day: date
) -> Missing:
    offers = offers_of(offered, component)
    wanted = {
        offer.uom.id: in_unit(item.missing, component["uom_id"], offer.uom, sizes)
        for offer in offers
        if offer.uom
    }
    # Too little for a vendor is ordered by their minimum.
    chosen = choose(offers, max(wanted.values(), default=item.missing), day) or choose(
        offers, math.inf, day
    )
    return Missing(
        product=item.product,
        missing=item.missing,
        arrives=(day + timedelta(days=chosen.delay)).isoformat() if chosen else None,
        has_bom=item.bom is not None,
    )


#: ``produce_delay``, the days that making takes, is the bill of materials' from 17 on.
PRODUCT = Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields=(
        "display_name",
        "product_tmpl_id",
        "product_template_attribute_value_ids",
        "uom_id",
        "produce_delay",
    ),
)
#: Read apart: where Manufacturing is installed, not everybody who buys may know them.
_STOCK = attrs.evolve(PRODUCT, fields=("qty_available", "free_qty", "virtual_available"))

#: Offers and arrivals that a result shows.
_SHOWN = 8


@attrs.frozen(kw_only=True)
class Arrival(Shown):
    """What is under way; ``source`` is the order or transfer that brings it."""

    quantity: float
    date: str | None
    source: str | None = None


@attrs.frozen(kw_only=True)
class Supply(Shown):
    """The supply of a product; quantities in ``uom``, the product's unit.

    Attributes:
        quantity: the quantity asked about.
        on_hand: in stock; ``free`` is the part that is not reserved.
        forecast: on hand, plus all planned receipts, minus all planned deliveries.
        incoming: planned receipts, the earliest first.
        offers: vendors' prices, the usable and preferred ones first; with ``uom`` if it differs
            from the product's.
        offer_count: the number of all offers, if more than those are there.
        making: how much can be made, if it has a bill of materials.
        warnings: parts of the answer that could not be read.
    """

    product: RecordName
    uom: str
    quantity: float
    on_hand: float | None = None
    free: float | None = None
    forecast: float | None = None
    incoming: list[Arrival] = attrs.Factory(list)
    offers: list[Offer] = attrs.Factory(list)
    offer_count: int | None = None
    making: Making | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_supply(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Variant id, or give product_name.")] = None,
    product_name: str | None = None,
    quantity: Annotated[float, Doc("Quantity needed.")] = 1,
) -> Supply:
    """Return how much of a product is available, and when; 1 round trip by id, 2 by name.

    One more where vendors count in other units than the product does, or where it has a bill of
    materials; then 2 for each level of kits in it, and 1 or 2 for the vendors of their components.

    >>> found = get_supply(odoo, product_name="Chair", quantity=5)
    >>> found.free, [offer.vendor.name for offer in found.offers]
    (4.0, ['Acme'])

    Args:
        odoo: the connection.
        product_id: a variant (``product.product``); or
        product_name: its name or internal reference.
        quantity: how many are needed, in the product's unit; offers and production are judged
            by it.

    Raises:
        AmbiguousNameError: several products match.
        NotFoundError: there is no such product.
        ValidationError: the quantity is not above zero.
        AccessError: Odoo or the policy does not allow it.
    """
    quantity = checked_number(quantity, "quantity", positive=True)
    number = find_id(odoo, PRODUCT, product_id, product_name)
    warnings: list[str] = []
    own = [["product_tmpl_id.product_variant_ids", "=", number]]
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, PRODUCT, number),
        readable("stock", lambda: read(odoo, _STOCK, number), warnings),
        readable("expected arrivals", lambda: _arrivals(odoo, number), warnings),
        readable("bills of materials", lambda: read_recipe(odoo, number), warnings),
        readable("offers of vendors", lambda: read_offers(odoo, own), warnings),
    ]
    row, stock, arrivals, recipe, offered = side_by_side(asked)
    day, unit = date.fromisoformat(today(odoo)), row["uom_id"]
    offers = offers_of(offered or [], row)
    units = {unit.id, *(offer.uom.id for offer in offers if offer.uom)}
    made, sizes = None, Sizes()
    if recipe:
        recipe.known.units.update(units)
        sizes = recipe.known.sizes
        made = readable("components", lambda: making(odoo, recipe, row, quantity, day), warnings)()
    if len(units) > 1:
        learn_sizes(odoo, units, sizes)
    judged = [_judged(offer, unit, quantity, sizes, day) for offer in offers]
    judged.sort(key=lambda offer: offer.unusable is not None)
    best = choose([offer for offer in judged if not offer.unusable], float("inf"), day)
    stock = stock or dict.fromkeys(_STOCK.fields)
    return filled(
        Supply,
        row,
        product=RecordName(id=number, name=row["display_name"]),
        uom=unit.name,
        quantity=quantity,
        on_hand=stock["qty_available"],
        free=stock["free_qty"],
        forecast=stock["virtual_available"],
        incoming=(arrivals or [])[:_SHOWN],
        offers=judged[:_SHOWN],
        offer_count=len(judged) if len(judged) > _SHOWN else None,
        making=made,
        message=_message(row, stock["free_qty"], quantity, best, made),
        warnings=warnings,
    )


def _arrivals(odoo: Odoo, product_id: int) -> list[Arrival]:
    """Return what is to come into stock from elsewhere, the earliest first."""
    if not odoo.schema.has_model("stock.move"):
        return []
    inside = ["internal", "transit"]
    domain = [
        ["product_id", "=", product_id],
        ["state", "in", ["waiting", "confirmed", "partially_available", "assigned"]],
        ["location_id.usage", "not in", inside],
        ["location_dest_id.usage", "in", inside],
    ]
    fields = ("product_qty", "date", "origin", "reference")
    rows = read_rows(odoo, "stock.move", domain, fields, order="date, id", limit=_SHOWN)
    return [
        Arrival(
            quantity=row["product_qty"], date=row["date"], source=row["origin"] or row["reference"]
        )
        for row in rows
    ]


def _judged(offer: Offer, unit: RecordName, quantity: float, sizes: Sizes, day: date) -> Offer:
    """Return an offer with what holds of it for a quantity in the product's unit."""
    wanted = in_unit(quantity, unit, offer.uom, sizes)
    return attrs.evolve(
        offer,
        uom=None if offer.uom == unit else offer.uom,
        arrives=(day + timedelta(days=offer.delay)).isoformat(),
        unusable=obstacle(offer, wanted, day),
    )


def _message(
    row: Row, free: float | None, quantity: float, best: Offer | None, made: Making | None
) -> str:
    uom = row["uom_id"].name
    parts = [f"{free:g} {uom} of {row['display_name']} free now"] if free is not None else []
    if best:
        price = f"{best.price * (1 - best.discount / 100):g} {best.currency or ''}".strip()
        parts.append(f"{quantity:g} from {best.vendor.name} at {price} by {best.arrives}")
    if made and not made.kit:
        parts.append(
            f"{quantity:g} made by {made.ready}"
            if made.ready
            else f"{made.possible_now or 0:g} can be made; components are missing"
        )
    return (
        "; ".join(parts) + "."
        if parts
        else "There is no stock, vendor or bill of materials for it."
    )
