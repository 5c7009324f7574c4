"""What can be had of a product, and when: from stock, from vendors, by making it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.apps.manufacturing.explosion import Sizes, in_unit, learn_sizes
from odoo_toolkit.apps.purchase.making import Making, making, read_recipe
from odoo_toolkit.apps.purchase.offers import Offer, choose, obstacle, offers_of, read_offers
from odoo_toolkit.apps.purchase.orders import readable
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, Row, filled, find_id, read, read_rows
from odoo_toolkit.operations.lines import checked_number, today
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

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
    """What can be had of a product; quantities in ``uom``, the product's unit.

    Attributes:
        quantity: that was asked about.
        on_hand: in stock; ``free`` is what of it is not reserved.
        forecast: on hand, with all that is to come and without all that is to go.
        incoming: what is to come, the earliest first.
        offers: of vendors, the usable and preferred ones first; ``uom`` where it is another than
            the product's.
        offer_count: how many there are, where those are not all.
        making: what can be made of it, where it has a bill of materials.
        warnings: what could not be read.
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


def supply(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Variant id, or give product_name.")] = None,
    product_name: str | None = None,
    quantity: Annotated[float, Doc("How many are needed.")] = 1,
) -> Supply:
    """Return what can be had of a product, and when; 1 round trip by id, 2 by name.

    One more where vendors count in other units than the product does, or where it has a bill of
    materials; then 2 for each level of kits in it, and 1 or 2 for vendors of what is in them.

    Args:
        odoo: the connection.
        product_id: a variant (``product.product``); or
        product_name: its name or internal reference.
        quantity: how many are needed, in the product's unit; by it is judged what vendors ask for
            and what can be made.

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
    return "; ".join(parts) + "." if parts else "Nothing of it is to be had."
