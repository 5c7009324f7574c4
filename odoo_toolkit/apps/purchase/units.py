"""Units of measure: a quantity of one in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.records.results import RecordName

#: Unit -> how much of the reference unit of its kind it is.
Sizes = Mapping[int, float]


def read_sizes(odoo: Odoo, units: Iterable[RecordName | None]) -> Sizes:
    """Return how large units are; no round trip where there is only one."""
    ids = sorted({unit.id for unit in units if unit})
    if len(ids) < 2:
        return dict.fromkeys(ids, 1.0)
    # To 18 ``factor`` is how often a unit goes into the reference, from 19 on the contrary.
    fields = ("factor", "factor_inv")
    rows = read_rows(odoo, "uom.uom", [["id", "in", ids]], fields, acts_on="product.product")
    return {row["id"]: row["factor_inv"] or row["factor"] or 1.0 for row in rows}


def in_unit(
    quantity: float, unit: RecordName | None, other: RecordName | None, sizes: Sizes
) -> float:
    """Return a quantity of a unit in another one."""
    if unit is None or other is None or unit.id == other.id:
        return quantity
    return quantity * sizes.get(unit.id, 1.0) / sizes.get(other.id, 1.0)
