"""From a new product with variants over the count to the goods received; with Odoo's figures."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, create, read
from odoo_toolkit.apps import inventory, products, purchase

pytestmark = pytest.mark.recorded


def figures(odoo: Odoo, ids: list[int]) -> list[tuple[float, float]]:
    """Return what Odoo has in stock and in the forecast of products."""
    rows = read(odoo, "product.product", ids, ["qty_available", "virtual_available"])
    return [(row["qty_available"], row["virtual_available"]) for row in rows]


def test_variants_are_counted_reordered_and_received(admin: Odoo, suffix: str) -> None:
    if not admin.schema.has_model("purchase.order"):
        pytest.skip("Purchase is not installed here.")
    vendor = create(admin, "res.partner", {"name": f"Weaver {suffix}"}).id
    size = f"Size {suffix}"
    shirt = products.create_product(
        admin,
        name=f"Shirt {suffix}",
        product_type="storable",
        price=20.0,
        cost=8.0,
        attributes=[{"attribute": size, "values": ["S", "XL"]}],
        create_attributes=True,
        vendors=[{"vendor_id": vendor, "price": 7.5, "delay": 3}],
        vendor_taxes=[],
    )
    assert shirt.warnings == []
    ids = [variant.id for variant in shirt.variants]
    assert figures(admin, ids) == [(0, 0), (0, 0)]

    lines: list[Any] = [
        {"product_id": ids[0], "quantity": 12},
        {"product_id": ids[1], "quantity": 3},
    ]
    counted = inventory.count_stock(admin, lines=lines)
    assert isinstance(counted, inventory.CountResult)
    assert (counted.value, counted.warnings) == (15 * 8.0, [])
    assert figures(admin, ids) == [(12, 12), (3, 3)]

    for number in ids:
        rule = inventory.set_reordering_rule(admin, product_id=number, minimum=10, maximum=25)
        assert isinstance(rule, inventory.ReorderingRule)
    ordered = inventory.run_reordering_rules(admin, products=ids)
    assert isinstance(ordered, inventory.Replenishment)
    assert [(one.product.id, one.quantity) for one in ordered.ordered] == [(ids[1], 22.0)]
    assert len(ordered.not_ordered) == 1
    (one,) = ordered.ordered
    assert one.partner.id == vendor

    bought = purchase.confirm_order(admin, order_id=one.document.id)
    assert bought.amount_untaxed == 22 * 7.5
    assert figures(admin, ids) == [(12, 12), (3, 25)]
    received = purchase.receive(admin, order_id=bought.id)
    assert received.validated
    assert figures(admin, ids) == [(12, 12), (25, 25)]
    stock = inventory.get_stock(admin, product_id=ids[1])
    assert stock.total_available == 25
    again = inventory.run_reordering_rules(admin, products=ids)
    assert isinstance(again, inventory.Replenishment)
    assert again.ordered == []
