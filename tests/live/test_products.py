"""Products on a real Odoo: created with all that belongs to them."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, OdooError, ValidationError
from odoo_toolkit.apps import products
from odoo_toolkit.plans import Plan

pytestmark = pytest.mark.recorded


def test_what_is_given_for_variants_is_stored_on_them(admin: Odoo, suffix: str) -> None:
    vendor = toolkit.create(admin, "res.partner", {"name": f"Vendor {suffix}"}).id
    size, colour = f"Size {suffix}", f"Colour {suffix}"
    given: dict[str, Any] = {
        "name": f"Shirt {suffix}",
        "product_type": "storable",
        "price": 20.0,
        "cost": 8.0,
        "create_attributes": True,
        "attributes": [
            {"attribute": size, "values": ["S", "XL"], "extra_prices": {"XL": 4}},
            {"attribute": colour, "values": ["Red", "Blue"]},
        ],
        "variants": [{"values": {size: "XL", colour: "Red"}, "barcode": f"B{suffix}", "cost": 9.5}],
        "vendors": [{"vendor_name": f"Vendor {suffix}", "price": 7.0, "delay": 5}],
        "customer_taxes": [],
    }
    assert isinstance(products.create_product(admin, dry_run=True, **given), Plan)
    named = [["name", "=", f"Shirt {suffix}"]]
    assert toolkit.count(admin, "product.template", named).count == 0
    shirt = products.create_product(admin, **given)

    assert (shirt.warnings, shirt.not_stored, shirt.customer_taxes) == ([], [], [])
    shown = {(one.values[size], one.values[colour]): one for one in shirt.variants}
    red = shown["XL", "Red"]
    assert (len(shown), red.price, red.cost, red.barcode) == (4, 24.0, 9.5, f"B{suffix}")
    assert [(one.price, one.cost) for key, one in shown.items() if key[0] == "S"] == [(20, 8)] * 2
    assert [(one.vendor and one.vendor.id, one.price) for one in shirt.vendors] == [(vendor, 7.0)]

    with pytest.raises(ValidationError, match=f"B{suffix}"):
        products.create_product(admin, name=f"Other {suffix}", barcode=f"B{suffix}")
    with pytest.raises(NotFoundError):
        products.create_product(admin, name=f"Other {suffix}", category_name=f"No such {suffix}")
    other = [["name", "=", f"Other {suffix}"]]
    assert toolkit.count(admin, "product.template", other).count == 0


def test_who_may_not_create_products_is_refused(ordinary: Odoo, admin: Odoo, suffix: str) -> None:
    with pytest.raises(OdooError):
        products.create_product(ordinary, name=f"Mine {suffix}", price=3.0)
    named = [["name", "=", f"Mine {suffix}"]]
    assert toolkit.count(admin, "product.template", named).count == 0


def test_prices_of_a_category_change_as_the_plan_says(
    admin: Odoo, ordinary: Odoo, suffix: str
) -> None:
    category = toolkit.create(admin, "product.category", {"name": f"Tables {suffix}"}).id
    below = {"name": f"Oak {suffix}", "parent_id": category}
    oak = toolkit.create(admin, "product.category", below).id
    for name, price, where in (("a", 100.0, category), ("b", 49.5, oak), ("c", 0.0, oak)):
        values = {"name": f"{name} {suffix}", "list_price": price, "categ_id": where}
        toolkit.create(admin, "product.template", values)
    asked: dict[str, Any] = {"percent": 5, "round_to": 1, "after_rounding": -0.01}
    plan = products.change_prices.plan(admin, category_name=f"Tables {suffix}", **asked)
    assert [(one.old, one.new) for one in plan.prices] == [(100.0, 104.99), (49.5, 51.99)]
    with pytest.raises(OdooError):
        products.change_prices(ordinary, category_id=category, **asked)
    with pytest.raises(ValidationError):
        products.change_prices(admin, category_id=category, amount=-70)
    domain = [["categ_id", "child_of", category]]
    before = toolkit.search_read(admin, "product.template", domain, ["list_price"], order="id")
    assert [row["list_price"] for row in before.records] == [100.0, 49.5, 0.0]
    done = products.change_prices(admin, category_id=category, **asked)
    assert isinstance(done, products.PricesResult)
    assert [(one.now, one.new) for one in done.changed] == [(104.99, 104.99), (51.99, 51.99)]
    assert len(done.not_changed) == 1


def test_a_customer_pays_by_the_rules_of_the_price_list(admin: Odoo, suffix: str) -> None:
    customer = toolkit.create(admin, "res.partner", {"name": f"Customer {suffix}"}).id
    assert customer
    products.create_product(admin, name=f"Lamp {suffix}", price=100.0, cost=50.0)
    rules: Any = [
        {"product_name": f"Lamp {suffix}", "percent_off": 10},
        {"product_name": f"Lamp {suffix}", "fixed_price": 80, "min_quantity": 10},
        {"variant_name": f"Lamp {suffix}", "fixed_price": 70, "date_from": "2027-01-01"},
    ]
    rules[2]["date_to"] = "2027-01-31"
    made = products.create_price_list(
        admin, name=f"List {suffix}", rules=rules, customers=[customer]
    )
    assert isinstance(made, products.PriceListResult)
    for quantity, day, price in (
        (1, "2026-12-31", 90),
        (10, "2026-12-31", 80),
        (1, "2027-01-31", 70),
    ):
        paid = products.get_customer_price(
            admin,
            product_name=f"Lamp {suffix}",
            partner_id=customer,
            quantity=quantity,
            date=day,
            price_list_id=made.id,
        )
        assert (paid.price, paid.list_price) == (price, 100.0)
        assert paid.rules[0].price in (f"{price}", "10 % off")
