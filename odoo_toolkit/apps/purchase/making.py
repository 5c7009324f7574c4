"""What can be made of a product, and by when: its bill of materials and what is there for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit.apps.manufacturing.explosion import (
    BOM,
    COMPONENT,
    FIRST_BILL,
    LINE_FIELDS,
    PRODUCT,
    BillComponent,
    Known,
    Sizes,
    explode,
    in_unit,
    learn_sizes,
    producible,
)
from odoo_toolkit.apps.purchase.offers import Offered, choose, offers_of, read_offers
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

#: Missing components that a result shows.
_SHOWN = 10


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
    """What can be made of a product by its first bill of materials.

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
        AccessError: this user may not read it.
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
            odoo, PRODUCT.model, [[in_lines, "=", product_id]], COMPONENT, acts_on=BOM.model
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
        short=short[:_SHOWN],
        short_count=len(short) if len(short) > _SHOWN else None,
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
