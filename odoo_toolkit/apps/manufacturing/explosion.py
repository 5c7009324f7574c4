"""The components of a bill of materials, through the kits among them, and what of them is there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Document, Row, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

BOM = Document(
    model="mrp.bom",
    noun="bill of materials",
    argument="bom_id",
    fields=(
        "display_name",
        "product_tmpl_id",
        "product_id",
        "product_qty",
        "product_uom_id",
        "type",
        "active",
        "consumption",
        "operation_ids",
    ),
)
#: A flag tells from 18 on whose stock is counted, the type to 17.
PRODUCT = Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields=(
        "display_name",
        "product_tmpl_id",
        "uom_id",
        "type",
        "is_storable",
        "product_template_attribute_value_ids",
    ),
)
_LINE_FIELDS = (
    "bom_id",
    "product_id",
    "product_qty",
    "product_uom_id",
    "child_bom_id",
    "bom_product_template_attribute_value_ids",
)
#: 19 turned the meaning of ``factor`` round, and has no ``factor_inv``.
_UOM_FIELDS = ("factor", "factor_inv", "rounding")

#: Kits within kits; Odoo refuses circles.
_DEEPEST = 20


@attrs.frozen(kw_only=True)
class BillComponent(Shown):
    """A component, in its product's unit of measure; kits are replaced by what is in them.

    Attributes:
        on_hand, free: in stock, and not reserved; None where stock is not counted.
        missing: how much more is needed than is free.
        bom: by which the component itself is made.
    """

    product: RecordName
    needed: float
    uom: str
    on_hand: float | None = None
    free: float | None = None
    missing: float = 0.0
    bom: RecordName | None = None


def uom_sizes(odoo: Odoo, ids: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return the size of units of measure, in that of their category, and their rounding."""
    if not ids:
        return {}
    domain = [["id", "in", sorted(set(ids))]]
    rows = read_rows(odoo, "uom.uom", domain, _UOM_FIELDS, acts_on=BOM.model)
    return {
        row["id"]: (row["factor_inv"] or row["factor"], row["rounding"] or 0.01) for row in rows
    }


def rounded(quantity: float, step: float, *, up: bool = False) -> float:
    """Round a quantity to a unit's rounding, to the nearest or up."""
    count = round(quantity / step, 6)
    return round((math.ceil(count) if up else math.floor(count + 0.5)) * step, 6)


def explode(
    odoo: Odoo, bom: Row, product: Row, quantity: float, location: int | None
) -> list[BillComponent]:
    """Return the components of a quantity of a product, level by level through the kits among them.

    Args:
        odoo: the connection.
        bom: by which it is made.
        product: its row.
        quantity: in the product's unit of measure.
        location: whose stock counts; None for all.
    """
    level = [(bom, product, quantity, product["uom_id"].id)]
    sizes: dict[int, tuple[float, float]] = {}
    needed: dict[int, float] = {}
    products: dict[int, Row] = {}
    made_by: dict[int, RecordName] = {}
    for _ in range(_DEEPEST):
        if not level:
            break
        boms = sorted({kit["id"] for kit, *_ in level})
        lines = read_rows(
            odoo,
            "mrp.bom.line",
            [["bom_id", "in", boms]],
            _LINE_FIELDS,
            acts_on=BOM.model,
            order="sequence, id",
        )
        children = _read_level(odoo, level, lines, products, sizes, location)
        values = _read_values(odoo, lines)
        following = []
        for kit, whole, amount, unit in level:
            times = amount * sizes[unit][0] / sizes[kit["product_uom_id"].id][0]
            for line in lines:
                if line["bom_id"].id != kit["id"] or _skipped(line, whole, values):
                    continue
                component, uom = products[line["product_id"].id], line["product_uom_id"].id
                part = times / kit["product_qty"] * line["product_qty"]
                child = children.get(line["child_bom_id"].id) if line["child_bom_id"] else None
                if child and child["type"] == "phantom":
                    following.append((child, component, part, uom))
                    continue
                if component["type"] == "service":
                    continue
                number, own = component["id"], component["uom_id"].id
                part = rounded(part, sizes[uom][1], up=True) * sizes[uom][0] / sizes[own][0]
                needed[number] = needed.get(number, 0.0) + part
                if child:
                    made_by[number] = line["child_bom_id"]
        level = following
    return [_component(products[n], needed[n], made_by.get(n)) for n in needed]


def _read_level(
    odoo: Odoo,
    level: Sequence[tuple[Row, Row, float, int]],
    lines: Sequence[Row],
    products: dict[int, Row],
    sizes: dict[int, tuple[float, float]],
    location: int | None,
) -> dict[int, Row]:
    """Read the products and units of lines, and return the bills of those components."""
    children = sorted({line["child_bom_id"].id for line in lines if line["child_bom_id"]})
    new = sorted({line["product_id"].id for line in lines} - products.keys())
    fields = (*PRODUCT.fields, "qty_available", "free_qty")
    context: dict[str, Any] = {} if location is None else {"location": location}
    units = {line["product_uom_id"].id for line in lines}
    units |= {number for bom, _, _, unit in level for number in (bom["product_uom_id"].id, unit)}
    asked: list[Callable[[], Any]] = [
        lambda: (
            read_rows(odoo, PRODUCT.model, [["id", "in", new]], fields, **context) if new else []
        ),
        lambda: (
            read_rows(odoo, BOM.model, [["id", "in", children]], BOM.fields) if children else []
        ),
        lambda: uom_sizes(odoo, sorted(units - sizes.keys())),
    ]
    rows, boms, found = side_by_side(asked)
    products |= {row["id"]: row for row in rows}
    sizes |= found
    sizes |= uom_sizes(odoo, sorted({row["uom_id"].id for row in rows} - sizes.keys()))
    return {bom["id"]: bom for bom in boms}


def _read_values(odoo: Odoo, lines: Sequence[Row]) -> dict[int, int]:
    """Return the attribute line of each attribute value that lines are for."""
    field = "bom_product_template_attribute_value_ids"
    ids = sorted({number for line in lines for number in line[field] or ()})
    if not ids:
        return {}
    model, domain = "product.template.attribute.value", [["id", "in", ids]]
    rows = read_rows(odoo, model, domain, ["attribute_line_id"], acts_on=BOM.model)
    return {row["id"]: row["attribute_line_id"].id for row in rows}


def _skipped(line: Row, product: Row, values: Mapping[int, int]) -> bool:
    """Whether a line is for other variants: of each attribute it names, one value must be there."""
    own = set(product["product_template_attribute_value_ids"] or ())
    groups: dict[int | None, set[int]] = {}
    for value in line["bom_product_template_attribute_value_ids"] or ():
        groups.setdefault(values.get(value), set()).add(value)
    return any(own.isdisjoint(group) for group in groups.values())


def _component(product: Row, needed: float, bom: RecordName | None) -> BillComponent:
    counted = product["is_storable"] or product["type"] == "product"
    free = max(product["free_qty"] or 0.0, 0.0) if counted else None
    missing = round(needed - free, 6) if free is not None else 0.0
    return BillComponent(
        product=RecordName(id=product["id"], name=product["display_name"]),
        needed=round(needed, 6),
        uom=product["uom_id"].name,
        on_hand=product["qty_available"] if counted else None,
        free=free,
        missing=max(missing, 0.0),
        bom=bom,
    )
