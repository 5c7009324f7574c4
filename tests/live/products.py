"""Products for the live tests, in each version's way."""

from __future__ import annotations

from typing import Any

from odoo_toolkit import Odoo


def stored(odoo: Odoo) -> dict[str, Any]:
    """Return what makes a product one of which stock is counted."""
    if "is_storable" in odoo.schema.fields("product.product"):
        return {"type": "consu", "is_storable": True}
    detailed = "detailed_type" in odoo.schema.fields("product.product")
    return {"detailed_type": "product"} if detailed else {"type": "product"}
