"""Products on a real Odoo: created with all that belongs to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, OdooError, ValidationError
from odoo_toolkit.apps import products
from odoo_toolkit.plans import Plan
from tests.kit.examples import functions, run_example
from tests.kit.failing import refused

pytestmark = pytest.mark.recorded


@pytest.fixture
def colours(admin: Odoo, suffix: str) -> dict[str, Any]:
    """An attribute with two values, as products are given it."""
    values = {"attribute_id": _attribute(admin, f"Colour {suffix}")}
    for name in ("Red", "Blue"):
        toolkit.create(admin, "product.attribute.value", {**values, "name": name})
    return {"attribute": f"Colour {suffix}", "values": ["Red", "Blue"]}


def _attribute(admin: Odoo, name: str, makes: str = "always") -> int | None:
    values = {"name": name, "create_variant": makes}
    return toolkit.create(admin, "product.attribute", values).id


@pytest.mark.every_version
def test_what_is_given_for_variants_is_stored_on_them(admin: Odoo, suffix: str) -> None:
    vendor = toolkit.create(admin, "res.partner", {"name": f"Vendor {suffix}"}).id
    toolkit.create(admin, "product.category", {"name": f"Shirts {suffix}"})
    toolkit.create(admin, "account.tax", {"name": f"Tax {suffix}", "amount": 21.0})
    size, colour = f"Size {suffix}", f"Colour {suffix}"
    bought = {"currency": "USD", "min_quantity": 10, "code": "V1"}
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
        "vendors": [{"vendor_name": f"Vendor {suffix}", "price": 7.0, "delay": 5, **bought}],
        "customer_taxes": [f"Tax {suffix}"],
        "vendor_taxes": [],
        "category_name": f"Shirts {suffix}",
    }
    assert isinstance(products.create_product(admin, dry_run=True, **given), Plan)
    named = [["name", "=", f"Shirt {suffix}"]]
    assert toolkit.count(admin, "product.template", named).count == 0
    shirt = products.create_product(admin, **given)

    assert (shirt.warnings, shirt.not_stored, shirt.vendor_taxes) == ([], [], [])
    assert [tax.name for tax in shirt.customer_taxes] == [f"Tax {suffix}"]
    assert shirt.category
    assert shirt.category.name.endswith(f"Shirts {suffix}")
    shown = {(one.values[size], one.values[colour]): one for one in shirt.variants}
    red = shown["XL", "Red"]
    assert (len(shown), red.price, red.cost, red.barcode) == (4, 24.0, 9.5, f"B{suffix}")
    assert [(one.price, one.cost) for key, one in shown.items() if key[0] == "S"] == [(20, 8)] * 2
    (one,) = shirt.vendors
    assert (one.vendor and one.vendor.id, one.price, one.delay) == (vendor, 7.0, 5)
    assert (one.currency, one.min_quantity, one.code) == ("USD", 10, "V1")

    with pytest.raises(ValidationError, match=f"B{suffix}"):
        products.create_product(admin, name=f"Other {suffix}", barcode=f"B{suffix}")
    with pytest.raises(NotFoundError):
        products.create_product(admin, name=f"Other {suffix}", category_name=f"No such {suffix}")
    other = [["name", "=", f"Other {suffix}"]]
    assert toolkit.count(admin, "product.template", other).count == 0


def test_bad_input_is_refused_and_nothing_is_written(
    admin: Odoo, suffix: str, colours: dict[str, Any]
) -> None:
    colour, size = colours["attribute"], f"Size {suffix}"
    for name, makes in ((size, "always"), (f"Frame {suffix}", "dynamic")):
        number = _attribute(admin, name, makes)
        for value in ("S", "XL"):
            values = {"attribute_id": number, "name": value}
            toolkit.create(admin, "product.attribute.value", values)
    vendor = toolkit.create(admin, "res.partner", {"name": f"Vendor {suffix}"}).id
    red = {"values": {colour: "Red"}}
    both = [{"values": {colour: name}, "barcode": f"B{suffix}"} for name in ("Red", "Blue")]
    sizes, frames = (
        {"attribute": f"{a} {suffix}", "values": ["S", "XL"]} for a in ("Size", "Frame")
    )
    framed = [{"values": {f"Frame {suffix}": "S"}, "code": "X"}]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": " "}, "empty"),
        ({"price": -1}, "price"),
        ({"cost": "much"}, "cost"),
        ({"product_type": "thing"}, "product_type"),
        ({"barcode": "222", "attributes": [colours]}, "barcode belongs to one variant"),
        ({"code": "X", "attributes": [colours]}, "code belongs to one variant"),
        ({"attributes": [colours, colours]}, "listed twice"),
        ({"attributes": [{"attribute": colour, "values": []}]}, "must not be empty"),
        ({"attributes": [{"attribute": colour, "value": "Red"}]}, "unknown key"),
        ({"attributes": [{**colours, "extra_prices": {"Green": 1}}]}, "Green"),
        ({"variants": [red]}, "for 'Colour"),
        ({"attributes": [colours], "variants": [{"code": "X"}]}, "cannot be identified"),
        ({"attributes": [colours, sizes], "variants": [red]}, "needs a value for"),
        ({"attributes": [colours], "variants": [red, red]}, "listed twice"),
        ({"attributes": [colours], "variants": both}, "listed twice"),
        ({"vendors": [{"price": 3}]}, "vendor"),
        ({"vendors": [{"vendor_id": vendor, "price": -3}]}, "negative"),
        ({"customer_taxes": "21%"}, "list"),
        ({"attributes": [frames], "variants": framed}, "when they are sold"),
        ({"purchase_uom_name": "Units"}, "vendors"),
        ({"attributes": [{**colours, "values": ["Rde"]}]}, "Did you mean 'Red'"),
    ]
    for given, says in wrong:
        with pytest.raises((ValidationError, NotFoundError), match=says) as raised:
            products.create_product(admin, **{"name": f"Shirt {suffix}", **given})
        assert raised.value.outcome == "refused"
    named = [["name", "=", f"Shirt {suffix}"]]
    assert toolkit.count(admin, "product.template", named).count == 0


def test_what_fails_while_it_is_created_is_said(
    admin: Odoo, suffix: str, colours: dict[str, Any]
) -> None:
    collar = {"attribute": f"Collar {suffix}", "values": ["High"]}
    name = f"Shirt {suffix}"
    said = pytest.raises(OdooError, match=f"The attributes Collar {suffix} were created before")
    with refused(admin, "product.template", "create"), said:
        products.create_product(admin, name=name, create_attributes=True, attributes=[collar])
    with refused(admin, "product.product", "write"):
        shirt = products.create_product(admin, name=name, attributes=[colours], cost=3.0)
    assert "The variants are not filled in: No." in shirt.warnings[0]
    assert shirt.not_stored[0].field == "standard_price"


@pytest.mark.parametrize("act", functions("products"))
def test_the_example_of_a_function_runs(admin: Odoo, suffix: str, act: Callable[..., Any]) -> None:
    size = _attribute(admin, f"Size {suffix}")
    for value in ("S", "XL"):
        toolkit.create(admin, "product.attribute.value", {"attribute_id": size, "name": value})
    category = toolkit.create(admin, "product.category", {"name": f"Tables {suffix}"}).id
    for name, price in (("Oak Table", 100.0), ("Pine Table", 49.5)):
        values = {"name": f"{name} {suffix}", "list_price": price, "categ_id": category}
        toolkit.create(admin, "product.template", values)
    customer = toolkit.create(admin, "res.partner", {"name": f"Azure Interior {suffix}"}).id
    assert customer
    rules: Any = [{"percent_off": 10}]
    made = products.create_price_list(admin, name=f"Sale {suffix}", rules=rules)
    called = ("Oak Table", "Pine Table", "Tables", "Azure Interior", "Size", "Partners")
    # Whether a customer has a price list at all is a setting from 19 on.
    named = {"price_list_id": made.id} if act is products.get_customer_price else {}
    run_example(act, admin, {name: f"{name} {suffix}" for name in called}, **named)


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
    named = f"Tables {suffix}"
    formulas: list[tuple[dict[str, Any], list[float]]] = [
        ({"percent": 10}, [110.0, 54.45]),
        ({"percent": -10, "round_to": 1}, [90.0, 45.0]),
        ({"percent": 5, "round_to": 1, "rounding": "down"}, [105.0, 51.0]),
        ({"amount": 0.2, "round_to": 0.5, "rounding": "up"}, [100.5, 50.0]),
    ]
    for formula, expected in formulas:
        plan = products.change_prices.plan(admin, category_name=named, **formula)
        assert [one.new for one in plan.prices] == expected
        assert [(one.before, one.after) for one in plan.changes] == [
            *zip([100.0, 49.5], expected, strict=True)
        ]
    plan = products.change_prices.plan(admin, category_name=named, **asked)
    assert [(one.old, one.new) for one in plan.prices] == [(100.0, 104.99), (49.5, 51.99)]
    with pytest.raises(OdooError):
        products.change_prices(ordinary, category_id=category, **asked)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "Which products"),
        ({"category_id": category, "products": [1]}, "either a category"),
        ({"products": []}, "empty"),
        ({"category_id": category, "percent": -100}, "percent"),
        ({"category_id": category, "percent": "ten"}, "percent"),
        ({"category_id": category, "round_to": 0}, "round_to"),
        ({"category_id": category, "rounding": "sideways"}, "rounding"),
        ({"category_id": category, "base": "weight"}, "base"),
        ({"category_id": category, "amount": -70}, "would be -20.5"),
        ({"category_name": f"No such {suffix}"}, "No product.category"),
    ]
    for given, says in wrong:
        with pytest.raises(OdooError, match=says):
            products.change_prices(admin, **given)
    domain = [["categ_id", "child_of", category]]
    before = toolkit.search_read(admin, "product.template", domain, ["list_price"], order="id")
    assert [row["list_price"] for row in before.records] == [100.0, 49.5, 0.0]
    done = products.change_prices(admin, category_id=category, **asked)
    assert isinstance(done, products.PricesResult)
    assert [(one.now, one.new) for one in done.changed] == [(104.99, 104.99), (51.99, 51.99)]
    assert len(done.not_changed) == 1
    assert "has no price" in done.not_changed[0]


def test_a_price_of_a_cost_that_cannot_be_written_is_named(admin: Odoo, suffix: str) -> None:
    oak, pine, free = (
        products.create_product(admin, name=f"{name} {suffix}", price=9.0, cost=cost).id
        for name, cost in (("Oak", 60.0), ("Pine", 40.0), ("Free", 0.0))
    )
    with refused(admin, "product.template", "write", pine):
        done = products.change_prices(admin, products=[oak, pine, free], base="cost", percent=50)
    assert isinstance(done, products.PricesResult)
    assert [(one.id, one.base, one.now) for one in done.changed] == [(oak, 60.0, 90.0)]
    assert f"'Pine {suffix}' ({pine}) is 9 instead of 60." in done.not_changed
    assert f"'Free {suffix}' ({free}) has no cost, or its variants have several." in (
        done.not_changed
    )
    assert "Not changed to 60" in done.warnings[0]


def test_extra_prices_of_attribute_values_stay_and_are_named(
    admin: Odoo, suffix: str, colours: dict[str, Any]
) -> None:
    extra = {**colours, "extra_prices": {"Red": 3}}
    cup = products.create_product(admin, name=f"Cup {suffix}", price=10.0, attributes=[extra])
    plan = products.change_prices(admin, products=[cup.id], percent=10, dry_run=True)
    done = products.change_prices(admin, products=[cup.id], percent=10)
    for told in (plan.warnings, done.warnings):
        assert len(told) == 1
        assert f"'Cup {suffix}' ({cup.id}) has extra prices of attribute values" in told[0]
        assert "Red +3" in told[0]
        assert "Blue" not in told[0]


@pytest.mark.every_version
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
    # From 19 on a setting has to be enabled first.
    assert [who.id for who in made.customers] == [customer] * (admin.version.major < 19)
    assert len(made.warnings) == (admin.version.major >= 19)
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
    with pytest.raises(ValidationError):
        products.get_customer_price(
            admin, product_name=f"Lamp {suffix}", partner_id=customer, quantity=0
        )


def test_rules_of_a_price_list(admin: Odoo, suffix: str) -> None:
    category = toolkit.create(admin, "product.category", {"name": f"Tables {suffix}"}).id
    lamp = products.create_product(admin, name=f"Lamp {suffix}", price=100.0).id
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "one of fixed_price"),
        ({"fixed_price": 3, "percent_off": 3}, "one of fixed_price"),
        ({"fixed_price": -3}, "negative"),
        ({"percent_off": "ten"}, "percent_off"),
        ({"base": "weight"}, "price or cost"),
        ({"fixed_price": 3, "percent": 3}, "formula"),
        ({"fixed_price": 3, "product_id": lamp, "category_id": category}, "exactly one"),
        ({"fixed_price": 3, "date_from": "2027-02-01", "date_to": "2027-01-01"}, "ends before"),
        ({"fixed_price": 3, "date_from": "tomorrow"}, "not a date"),
        ({"fixed_price": 3, "product_name": f"No such {suffix}"}, "No product.template"),
    ]
    for rule, says in wrong:
        with pytest.raises(OdooError, match=says):
            products.create_price_list(admin, name=f"List {suffix}", rules=[rule])
    named = [["name", "=", f"List {suffix}"]]
    assert toolkit.count(admin, "product.pricelist", named).count == 0
    formula = {"base": "cost", "percent": 40, "amount": -0.01, "round_to": 1}
    rules: Any = [{"category_id": category, **formula}, {"fixed_price": 3}]
    made = products.create_price_list(admin, name=f"List {suffix}", rules=rules)
    assert isinstance(made, products.PriceListResult)
    assert made.warnings == []
    assert {rule.price for rule in made.rules} == {"cost, +40 %, rounded to 1, -0.01", "3"}
    items = toolkit.search_read(
        admin, "product.pricelist.item", [["pricelist_id", "=", made.id]], ["applied_on"]
    ).records
    assert {item["applied_on"] for item in items} == {"2_product_category", "3_global"}
