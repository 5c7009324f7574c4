"""The supply of several products: in how many requests, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import purchase
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from tests.unit.fake_purchase import Buying
from tests.unit.scripted import VERSIONS


def shop(major: int = 19) -> Buying:
    """A server with chairs, of which four are free, and desks, which come in dozens."""
    odoo = Buying(major)
    desk = odoo.add_product(6, "Desk", free_qty=0.0)
    for price in (5.0, 6.0, 7.0, 8.0):
        odoo.offer(price)
    odoo.offer(90.0, vendor=8, template=desk, **{odoo.uom: 2})
    return odoo


@pytest.mark.parametrize("major", VERSIONS)
def test_several_products_take_as_many_requests_as_one(major: int) -> None:
    odoo = shop(major)
    wanted: list[Any] = [{"product_id": 6, "quantity": 24}, {"product_id": 3, "quantity": 3}]
    found = purchase.list_supply(odoo, products=wanted)
    # Products, stock, receipts, offers, and the sizes of units.
    assert len(odoo.sent) == 5
    desk, chair = found.products
    assert (desk.product.name, desk.free, desk.offers[0].vendor.name) == ("Desk", 0.0, "Binford")
    assert desk.offers[0].uom is not None
    assert (chair.free, [offer.price for offer in chair.offers]) == (4.0, [5.0, 6.0, 7.0])
    assert chair.offer_count == 4
    assert found.message == "2 products. Missing: 24 Desk."


@pytest.mark.parametrize(
    ("products", "error"),
    [
        ([], ValidationError),
        ([{"product_id": 3}, {"product_name": "chair"}], ValidationError),
        ([{"product_id": 3, "quantity": 0}], ValidationError),
        ([{"product_id": 3, "price_unit": 1}], ValidationError),
        ([{"product_id": 3}, {"product_name": "Sofa"}], NotFoundError),
        ([{"product_id": 99}], NotFoundError),
    ],
)
def test_what_is_no_list_of_products_is_refused(
    products: list[Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        purchase.list_supply(shop(), products=products)


def test_what_a_user_may_not_read_is_left_out_with_a_warning() -> None:
    odoo = shop()

    def refused(call: Any) -> Any:
        raise AccessError("You may not read it.")

    odoo.answers["product.supplierinfo", "search_read"] = refused
    found = purchase.list_supply(odoo, products=[{"product_id": 3}])
    assert found.products[0].offers == []
    assert found.warnings == ["The offers of vendors cannot be read: You may not read it."]
