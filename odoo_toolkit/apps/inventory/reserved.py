"""Documents that reserve stock."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo

#: The reserved quantity has a name up to 15, another on 16, and a third from 17 on.
_FIELDS = op.words(
    "product_id location_id lot_id reference product_uom_qty reserved_uom_qty quantity"
)


@attrs.frozen(kw_only=True)
class ReservedFor(op.Shown):
    """A transfer or manufacturing order that reserves stock.

    Attributes:
        document: Number of the document, such as WH/OUT/00012.
        quantity: Reserved quantity, in the unit of measure of the document's line.
    """

    document: str
    quantity: float


def read_reserved(
    odoo: Odoo, products: Collection[int], locations: Collection[int], *, acts_on: str
) -> list[op.Row]:
    """Return what is reserved of products, with those in the locations below; one round trip.

    Keys: those of the fields, and reserved.
    """
    domain: list[Any] = [
        ["product_id", "in", sorted(products)],
        ["location_id", "child_of", sorted(locations)],
        ["state", "in", ["assigned", "partially_available"]],
    ]
    rows = op.read_rows(odoo, "stock.move.line", domain, _FIELDS, acts_on=acts_on, order="id")
    for row in rows:
        # From 16 on the old name is gone or means something else.
        named = ("quantity", "reserved_uom_qty", "product_uom_qty")
        row["reserved"] = next((row[name] for name in named if row[name] is not None), 0.0)
    return [row for row in rows if row["reserved"]]


def summed_up(rows: Sequence[op.Row]) -> list[ReservedFor]:
    """Return how much is reserved for each document."""
    sums: dict[str, float] = {}
    for row in rows:
        name = row["reference"] or "a document without a number"
        sums[name] = sums.get(name, 0.0) + row["reserved"]
    return [
        ReservedFor(document=name, quantity=round(quantity, 6)) for name, quantity in sums.items()
    ]
