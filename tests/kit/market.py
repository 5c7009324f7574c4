"""A vendor and what can be bought there, for tests of buying."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps import purchase
from tests.live.products import stored


@attrs.frozen(kw_only=True)
class Market:
    """Records of our own: a vendor with terms of payment, and a product with two prices."""

    tag: str
    vendor: int
    terms: int
    product: int
    make: Callable[..., int]

    @property
    def name(self) -> str:
        return f"Bolt {self.tag}"


def template(odoo: Odoo, product: int) -> int:
    row = records.read(odoo, "product.product", [product], ["product_tmpl_id"]).records[0]
    found: int = row["product_tmpl_id"]["id"]
    return found


def offer(market: Market, odoo: Odoo, product: int, vendor: int, **values: Any) -> int:
    """Make a vendor's price."""
    fields = odoo.schema.fields("product.supplierinfo")
    who = "partner_id" if "partner_id" in fields else "name"
    known = {name: value for name, value in values.items() if name in fields}
    return market.make(
        "product.supplierinfo",
        **{who: vendor, "product_tmpl_id": template(odoo, product)},
        **known,
    )


@pytest.fixture
def market(admin: Odoo, suffix: str) -> Market:
    def make(model: str, **values: Any) -> int:
        created = records.create(admin, model, values).id
        assert created
        return created

    terms = make("account.payment.term", name=f"Terms {suffix}")
    found = Market(
        tag=suffix,
        terms=terms,
        vendor=make(
            "res.partner", name=f"Vendor {suffix}", property_supplier_payment_term_id=terms
        ),
        product=make(
            "product.product",
            name=f"Bolt {suffix}",
            standard_price=3.0,
            supplier_taxes_id=[],
            purchase_method="receive",
            **stored(admin),
        ),
        make=make,
    )
    offer(found, admin, found.product, found.vendor, min_qty=1, price=10.0, delay=7)
    offer(found, admin, found.product, found.vendor, min_qty=100, price=8.0, delay=9, discount=10)
    past = {"date_end": "2020-01-31"}
    offer(found, admin, found.product, found.vendor, min_qty=1, price=1.0, delay=1, **past)
    return found


def ordered(odoo: Odoo, market: Market, quantity: float = 5, **values: Any) -> purchase.Order:
    made = purchase.create_order(
        odoo,
        lines=[{"product_id": market.product, "quantity": quantity, **values}],
        partner_id=market.vendor,
    )
    assert isinstance(made, purchase.Order)
    return made


def confirmed(odoo: Odoo, market: Market, quantity: float = 5) -> int:
    made = ordered(odoo, market, quantity)
    done = purchase.confirm_order(odoo, order_id=made.id)
    assert isinstance(done, purchase.Order)
    assert done.confirmed, done
    return made.id


def on_hand(odoo: Odoo, product: int) -> float:
    row = records.read(odoo, "product.product", [product], ["qty_available"]).records[0]
    return float(row["qty_available"])


def rows(odoo: Odoo, market: Market) -> list[Any]:
    """Return all that buying of this vendor and product leaves in the database."""
    looked = (
        ("purchase.order", [["partner_id", "=", market.vendor]], ["state", "amount_total"]),
        (
            "purchase.order.line",
            [["partner_id", "=", market.vendor]],
            ["product_qty", "price_unit", "qty_received", "qty_invoiced"],
        ),
        ("stock.move", [["product_id", "=", market.product]], ["state", "product_uom_qty"]),
        ("stock.move.line", [["product_id", "=", market.product]], ["state", "write_date"]),
        ("stock.picking", [["partner_id", "=", market.vendor]], ["state", "backorder_id"]),
        ("account.move", [["partner_id", "=", market.vendor]], ["state", "amount_total", "ref"]),
    )
    return [
        records.search_read(odoo, model, domain, fields, order="id").records
        for model, domain, fields in looked
    ]
