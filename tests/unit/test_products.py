"""Products: created with all that belongs to them."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import products
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError, make_error
from tests.unit.fake_products import TEMPLATE, TEMPLATE_VALUE, VARIANT, Shop
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, contents

SIZES: dict[str, Any] = {"attribute": "size", "values": ["S", "XL"], "extra_prices": {"xl": 4}}
COLOURS = {"attribute": "Colour", "values": ["Red", "Blue"]}


def create(odoo: Shop, **given: Any) -> Any:
    return products.create_product(odoo, **{"name": "Shirt", **given})


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_given_for_variants_is_stored_on_them(major: int) -> None:
    odoo = Shop(major)
    shirt = create(
        odoo,
        product_type="storable",
        price=20.0,
        cost=8.0,
        attributes=[SIZES, COLOURS],
        variants=[
            {"values": {"Size": "xl", "colour": "Red"}, "barcode": "222", "code": "X", "cost": 9}
        ],
        vendors=[{"vendor_name": "Cotton & Co", "price": 7, "min_quantity": 10, "currency": "USD"}],
        customer_taxes=["21%"],
        vendor_taxes=[],
        category_name="Tables",
    )

    assert (shirt.warnings, shirt.not_stored, shirt.cost) == ([], [], None)
    assert [(one.values, one.price, one.cost, one.barcode) for one in shirt.variants] == [
        ({"Size": "S", "Colour": "Red"}, 20.0, 8.0, None),
        ({"Size": "S", "Colour": "Blue"}, 20.0, 8.0, None),
        ({"Size": "XL", "Colour": "Red"}, 24.0, 9, "222"),
        ({"Size": "XL", "Colour": "Blue"}, 24.0, 8.0, None),
    ]
    (vendor,) = shirt.vendors
    assert (vendor.vendor.name, vendor.price, vendor.currency) == ("Cotton & Co", 7, "USD")
    assert [tax.name for tax in shirt.customer_taxes] == ["21%"]
    sent = contents(odoo.asked("create")[0])
    kinds = {14: {"type": "product"}, 18: {"type": "consu", "is_storable": True}}
    kinds |= {15: {"detailed_type": "product"}, 16: kinds.get(15, {}), 19: kinds[18]}
    expected = kinds[14] if major == 14 else kinds[15] if major < 18 else kinds[18]
    assert expected.items() <= sent.items()
    assert ("partner_id" if major >= 16 else "name") in sent["seller_ids"][0][2]
    assert len(odoo.sent) == (22 if major < 17 else 23)


def test_a_misspelt_value_is_answered_with_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'Blue'"):
        create(Shop(), attributes=[{"attribute": "Colour", "values": ["Bleu"]}])


def test_what_was_created_before_a_failure_is_said() -> None:
    odoo = Shop()
    odoo.answers[TEMPLATE, "create"] = make_error("ACCESS_DENIED", "No.")
    with pytest.raises(OdooError, match="The attributes Collar were created before the error"):
        create(
            odoo, create_attributes=True, attributes=[{"attribute": "Collar", "values": ["High"]}]
        )


def test_a_variant_that_cannot_be_written_is_named_and_the_product_stays() -> None:
    odoo = Shop()
    odoo.answers[VARIANT, "write"] = make_error("ACCESS_DENIED", "No.")
    shirt = create(odoo, attributes=[COLOURS], cost=3.0)
    assert "The variants are not filled in: No." in shirt.warnings[0]
    assert shirt.not_stored[0].field == "standard_price"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"name": " "}, "empty"),
        ({"price": -1}, "price"),
        ({"cost": "much"}, "cost"),
        ({"product_type": "thing"}, "product_type"),
        ({"barcode": "222", "attributes": [COLOURS]}, "barcode belongs to one variant"),
        ({"code": "X", "attributes": [COLOURS]}, "code belongs to one variant"),
        ({"barcode": "111"}, "Oak Table"),
        ({"attributes": [COLOURS, COLOURS]}, "listed twice"),
        ({"attributes": [{"attribute": "Colour", "values": []}]}, "must not be empty"),
        ({"attributes": [{"attribute": "Colour", "value": "Red"}]}, "unknown key"),
        ({"attributes": [{**COLOURS, "extra_prices": {"Green": 1}}]}, "Green"),
        ({"variants": [{"values": {"Colour": "Red"}}]}, "for 'Colour'"),
        (
            {"attributes": [COLOURS], "variants": [{"code": "X"}]},
            "the variant cannot be identified",
        ),
        (
            {"attributes": [COLOURS, SIZES], "variants": [{"values": {"Size": "S"}}]},
            "needs a value for",
        ),
        (
            {"attributes": [COLOURS], "variants": [{"values": {"Colour": "Red"}}] * 2},
            "listed twice",
        ),
        (
            {
                "attributes": [COLOURS],
                "variants": [{"values": {"Colour": c}, "barcode": "9"} for c in ("Red", "Blue")],
            },
            "listed twice",
        ),
        ({"vendors": [{"price": 3}]}, "vendor"),
        ({"vendors": [{"vendor_id": 7, "price": -3}]}, "negative"),
        ({"customer_taxes": "21%"}, "list"),
        (
            {
                "attributes": [{"attribute": "Frame", "values": ["Oak"]}],
                "variants": [{"values": {"Frame": "Oak"}, "code": "X"}],
            },
            "when they are sold",
        ),
        ({"purchase_uom_name": "Dozens"}, "vendors"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(wrong: dict[str, Any], says: str) -> None:
    odoo = Shop()
    with pytest.raises(ValidationError, match=says):
        create(odoo, **wrong)
    assert writes(odoo) == []


def test_stock_is_counted_only_where_there_is_the_app() -> None:
    with pytest.raises(ValidationError, match="does not track stock"):
        create(Shop(17, stock=False), product_type="storable")


# Prices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"percent": 10}, [110.0, 54.45]),
        ({"percent": -10, "round_to": 1}, [90.0, 45.0]),
        ({"percent": 5, "round_to": 1, "rounding": "down"}, [105.0, 51.0]),
        ({"amount": 0.2, "round_to": 0.5, "rounding": "up"}, [100.5, 50.0]),
        ({"percent": 5, "round_to": 1, "after_rounding": -0.01}, [104.99, 51.99]),
    ],
)
def test_prices_change_by_per_cent_and_formula(given: Any, expected: list[float]) -> None:
    odoo = Shop()
    plan = products.change_prices.plan(odoo, category_name="Tables", **given)
    assert [one.new for one in plan.prices] == expected
    assert [(one.before, one.after) for one in plan.changes] == list(
        zip([100.0, 49.5], expected, strict=True)
    )
    assert writes(odoo) == []
    done = products.change_prices(odoo, category_name="Tables", **given)
    assert isinstance(done, products.PricesResult)
    assert [(one.new, one.now) for one in done.changed] == [(new, new) for new in expected]
    assert done.not_changed == ["'Free Sample' (12) has no price."]


def test_the_cost_can_be_the_base() -> None:
    done = products.change_prices(Shop(), category_id=2, base="cost", percent=50)
    assert isinstance(done, products.PricesResult)
    assert [(one.name, one.base, one.now) for one in done.changed] == [
        ("Oak Table", 60.0, 90.0),
        ("Free Sample", 1.0, 1.5),
    ]
    assert done.not_changed == ["'Pine Table' (11) has no cost, or its variants have several."]


def test_extra_prices_of_attribute_values_stay_and_are_named() -> None:
    odoo = Shop()
    odoo.server.records[TEMPLATE][0]["attribute_line_ids"] = [1]
    lines = odoo.server.records["product.template.attribute.line"]
    lines.append({"id": 1, "product_tmpl_id": 10})
    odoo.server.records[TEMPLATE_VALUE] += [
        {"id": 70, "name": "1 l", "product_tmpl_id": 10, "price_extra": 3.0, "ptav_active": True},
        {"id": 71, "name": "2 l", "product_tmpl_id": 10, "price_extra": 0.0, "ptav_active": True},
    ]
    told = [
        "'Oak Table' (10) has extra prices of attribute values, which stay the same: 1 l +3"
        " (product.template.attribute.value 70). To change them too, write price_extra."
    ]

    assert products.change_prices(odoo, category_id=2, percent=10, dry_run=True).warnings == told
    assert products.change_prices(odoo, category_id=2, percent=10).warnings == told


def test_a_price_that_cannot_be_written_is_named() -> None:
    odoo = Shop()

    def refuse_second(call: Any) -> Any:
        if call.ids == (11,):
            return make_error("ACCESS_DENIED", "No.")
        return NotImplemented

    odoo.answers[TEMPLATE, "write"] = refuse_second
    done = products.change_prices(odoo, category_id=2, percent=10)
    assert isinstance(done, products.PricesResult)
    assert [one.id for one in done.changed] == [10]
    assert "'Pine Table' (11) is 49.5 instead of 54.45." in done.not_changed
    assert "Not changed to 54.45" in done.warnings[0]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "Which products"),
        ({"category_id": 2, "products": [10]}, "either a category"),
        ({"products": []}, "empty"),
        ({"category_id": 2, "percent": -100}, "percent"),
        ({"category_id": 2, "percent": "ten"}, "percent"),
        ({"category_id": 2, "round_to": 0}, "round_to"),
        ({"category_id": 2, "rounding": "sideways"}, "rounding"),
        ({"category_id": 2, "base": "weight"}, "base"),
        ({"category_id": 2, "amount": -70}, "would be -20.5"),
        ({"category_name": "All / No such"}, "No product.category"),
    ],
)
def test_bad_prices_are_refused_and_nothing_is_written(wrong: Any, says: str) -> None:
    odoo = Shop()
    with pytest.raises(OdooError, match=says):
        products.change_prices(odoo, **wrong)
    assert writes(odoo) == []


# Price lists --------------------------------------------------------------------------------------


def test_a_price_list_is_created_and_given_to_customers() -> None:
    odoo = Shop()
    rules: Any = [
        {"product_name": "Oak Table", "percent_off": 10, "min_quantity": 5},
        {"category_id": 2, "base": "cost", "percent": 40, "amount": -0.01, "round_to": 1},
        {"fixed_price": 3, "date_from": "2027-01-01", "date_to": "2027-01-31"},
    ]
    made = products.create_price_list(odoo, name="Partners", rules=rules, customers=[7])
    assert {rule.price for rule in made.rules} == {
        "10 % off",
        "cost, +40 %, rounded to 1, -0.01",
        "3",
    }
    assert ([who.id for who in made.customers], made.warnings) == ([7], [])
    items = [command[2] for command in contents(odoo.asked("create")[0])["item_ids"]]
    assert [item["applied_on"] for item in items] == [
        "1_product",
        "2_product_category",
        "3_global",
    ]
    assert (items[2]["date_start"], items[2]["date_end"]) == (
        "2027-01-01 00:00:00",
        "2027-01-31 23:59:59",
    )


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({}, "one of fixed_price"),
        ({"fixed_price": 3, "percent_off": 3}, "one of fixed_price"),
        ({"fixed_price": -3}, "negative"),
        ({"percent_off": "ten"}, "percent_off"),
        ({"base": "weight"}, "price or cost"),
        ({"fixed_price": 3, "percent": 3}, "formula"),
        ({"fixed_price": 3, "product_id": 10, "category_id": 2}, "exactly one"),
        ({"fixed_price": 3, "date_from": "2027-02-01", "date_to": "2027-01-01"}, "ends before"),
        ({"fixed_price": 3, "date_from": "tomorrow"}, "not a date"),
        ({"fixed_price": 3, "product_name": "No such thing"}, "No product.template"),
    ],
)
def test_a_wrong_rule_is_refused_and_nothing_is_written(rule: Any, says: str) -> None:
    odoo = Shop()
    with pytest.raises(OdooError, match=says):
        products.create_price_list(odoo, name="Partners", rules=[rule])
    assert writes(odoo) == []


def test_a_customers_price_is_odoos_with_the_rule() -> None:
    odoo = Shop()
    paid = products.get_customer_price(odoo, product_id=110, partner_id=8)
    assert (paid.price, paid.list_price, paid.discount, paid.currency) == (90.0, 100.0, 10.0, "EUR")
    assert (paid.price_list and paid.price_list.name) == "Retail"
    assert [rule.price for rule in paid.rules] == ["10 % off"]
    assert len(odoo.sent) == 5
    other = products.get_customer_price(odoo, product_id=110, partner_id=7)
    assert (other.price, other.price_list, other.rules) == (100.0, None, [])
    with pytest.raises(ValidationError):
        products.get_customer_price(odoo, product_id=110, partner_id=8, quantity=0)
