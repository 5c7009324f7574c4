"""What can be made of a product, and by when: its bill of materials and what is there for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit.apps.purchase.offers import Offered, choose, offers_of, read_offers
from odoo_toolkit.apps.purchase.units import Sizes, in_unit
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

#: The days that making takes are the product's to 16.
_BOM = ("display_name", "type", "product_qty", "product_uom_id", "produce_delay")
_LINE = (
    "bom_id",
    "product_id",
    "product_qty",
    "product_uom_id",
    _VALUES := "bom_product_template_attribute_value_ids",
)
_COMPONENT = (
    "display_name",
    "product_tmpl_id",
    "uom_id",
    "free_qty",
    "type",
    "is_storable",
    "bom_ids",
)

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
    """A bill of materials: its row, lines and components, and what is offered of those."""

    bom: Row
    lines: list[Row]
    components: dict[int, Row]
    offered: list[Offered]

    def units(self) -> Iterator[RecordName]:
        """Yield the units that it counts in."""
        for row in [self.bom, *self.lines]:
            yield row["product_uom_id"]
        for row in self.components.values():
            yield row["uom_id"]
        for _, offer in self.offered:
            if offer.uom:
                yield offer.uom


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
            "mrp.bom",
            [*of_product, *either, *kinds],
            _BOM,
            order="sequence, product_id, id",
            limit=1,
            active_test=True,
        ),
        lambda: read_rows(
            odoo,
            "mrp.bom.line",
            [[f"bom_id.{leaf[0]}", *leaf[1:]] for leaf in of_product],
            _LINE,
            acts_on="mrp.bom",
        ),
        lambda: read_rows(
            odoo, "product.product", [[in_lines, "=", product_id]], _COMPONENT, acts_on="mrp.bom"
        ),
        lambda: read_offers(odoo, [[f"product_tmpl_id.{in_lines}", "=", product_id]]),
    ]
    boms, lines, components, offered = side_by_side(asked)
    if not boms:
        return None
    return Recipe(
        bom=boms[0],
        lines=[line for line in lines if line["bom_id"].id == boms[0]["id"]],
        components={row["id"]: row for row in components},
        offered=offered,
    )


def making(recipe: Recipe, product: Row, quantity: float, sizes: Sizes, day: date) -> Making:
    """Return what can be made of a product.

    Args:
        recipe: its bill of materials.
        product: its row.
        quantity: that is needed.
        sizes: of the units.
        day: today.
    """
    bom, unit = recipe.bom, product["uom_id"]
    made = in_unit(bom["product_qty"], bom["product_uom_id"], unit, sizes) or 1.0
    needed: dict[int, float] = {}
    for line in recipe.lines:
        component = recipe.components.get(line["product_id"].id)
        if component and _applies(line, product) and _is_stored(component):
            one = in_unit(line["product_qty"], line["product_uom_id"], component["uom_id"], sizes)
            needed[component["id"]] = needed.get(component["id"], 0.0) + one / made
    possible = [
        recipe.components[number]["free_qty"] / each for number, each in needed.items() if each > 0
    ]
    short = [
        _missing(recipe, recipe.components[number], each * quantity, sizes, day)
        for number, each in needed.items()
        if each * quantity > recipe.components[number]["free_qty"] + 1e-6
    ]
    kit = bom["type"] == "phantom"
    own = bom["produce_delay"] if bom["produce_delay"] is not None else product["produce_delay"]
    days = 0 if kit else own or 0
    comes = [item.arrives for item in short]
    begin = max([day.isoformat(), *(item for item in comes if item)])
    return Making(
        bom=RecordName(id=bom["id"], name=bom["display_name"]),
        kit=kit,
        possible_now=math.floor(max(0.0, min(possible)) * 100 + 1e-6) / 100 if possible else None,
        days=days,
        ready=None
        if None in comes
        else (date.fromisoformat(begin) + timedelta(days=math.ceil(days))).isoformat(),
        short=short[:_SHOWN],
        short_count=len(short) if len(short) > _SHOWN else None,
    )


def _applies(line: Row, product: Row) -> bool:
    """Whether a line is for this variant."""
    values = line[_VALUES] or ()
    return not values or bool(set(values) & set(product["product_template_attribute_value_ids"]))


def _is_stored(component: Row) -> bool:
    """Whether stock of it is counted; to 17 that is a type."""
    if component["is_storable"] is not None:
        return bool(component["is_storable"])
    return bool(component["type"] == "product")


def _missing(recipe: Recipe, component: Row, needed: float, sizes: Sizes, day: date) -> Missing:
    missing = needed - max(0.0, component["free_qty"])
    offers = offers_of(recipe.offered, component)
    wanted = {
        offer.uom.id: in_unit(missing, component["uom_id"], offer.uom, sizes)
        for offer in offers
        if offer.uom
    }
    # Too little for a vendor is ordered by their minimum.
    chosen = choose(offers, max(wanted.values(), default=missing), day) or choose(
        offers, math.inf, day
    )
    return Missing(
        product=RecordName(id=component["id"], name=component["display_name"]),
        missing=round(missing, 6),
        arrives=(day + timedelta(days=chosen.delay)).isoformat() if chosen else None,
        has_bom=bool(component["bom_ids"]),
    )
