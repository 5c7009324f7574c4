"""A plan shows in names and money what comes of it: its figures are those of what is then made."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, PlannedDocument, create, read, search_read, write
from odoo_toolkit.apps import sales
from tests.live.sales_data import new_customer, new_product


def only(plan: Any) -> PlannedDocument:
    """Return the one document of a plan that shows it without reservations."""
    assert plan.warnings == []
    (document,) = plan.documents
    return document


def amounts(document: Any) -> tuple[float, ...]:
    """Return the three sums of a document."""
    return document.amount_untaxed, document.amount_tax, document.amount_total


def tax_of(admin: Odoo, name: str, kind: str = "sale", **values: Any) -> int:
    """Return the id of a new tax, of the group that an existing one has."""
    found = search_read(admin, "account.tax", [["type_tax_use", "=", kind]], ["tax_group_id"])
    group = found.records[0]["tax_group_id"]["id"]
    values = {"name": name, "amount": 21.0, "type_tax_use": kind, "tax_group_id": group} | values
    made = create(admin, "account.tax", values).id
    assert made is not None
    return made


@pytest.fixture
def goods(admin: Odoo, suffix: str) -> str:
    """A product at 19.99 with a tax, cheaper from ten pieces on for the customer."""
    product = new_product(admin, f"Lamp {suffix}", price=19.99)
    tax = tax_of(admin, f"Tax {suffix}")
    write(admin, "product.product", [product], {"taxes_id": [tax]})
    rule = {"applied_on": "3_global", "compute_price": "percentage", "percent_price": 12.5}
    values = {"name": f"List {suffix}", "item_ids": [[0, 0, {**rule, "min_quantity": 10}]]}
    listed = create(admin, "product.pricelist", values).id
    customer = new_customer(admin, suffix)
    write(admin, "res.partner", [customer], {"property_product_pricelist": listed})
    return f"Lamp {suffix}"


def test_a_new_quotation_is_shown_as_odoo_then_makes_it(
    odoo: Odoo, suffix: str, goods: str
) -> None:
    """Price list, discount and taxes are Odoo's, on every version."""
    lines = [
        {"product_name": goods, "quantity": 12},
        {"product_name": goods, "quantity": 2, "price_unit": 7, "discount": 10},
        {"name": "By hand"},
    ]
    given: dict[str, Any] = {"partner_name": f"Customer {suffix}", "lines": lines}
    plan = sales.create_order.plan(odoo, **given)
    shown = only(plan)
    made = sales.create_order(odoo, **given)
    assert shown.partner == f"Customer {suffix}"
    assert shown.currency == made.currency
    assert amounts(shown) == pytest.approx(amounts(made))
    assert f"total {made.amount_total:,.2f} {made.currency}" in plan.message
    for line, stored in zip(shown.lines, made.lines, strict=True):
        assert line.kind == stored.kind
        if line.kind:
            continue
        assert line.product == goods
        assert line.uom == stored.uom
        assert line.taxes == [f"Tax {suffix}"]
        assert (line.quantity, line.price_unit, line.discount, line.subtotal) == pytest.approx(
            (stored.quantity, stored.price_unit, stored.discount, stored.subtotal)
        )
    assert made.url == odoo.link("sale.order", made.id)

    # A copy for the same customer, and the confirmation, show the order's own figures.
    for again in (
        sales.copy_order.plan(odoo, order_id=made.id),
        sales.confirm_order.plan(odoo, order_id=made.id),
    ):
        assert amounts(only(again)) == pytest.approx(amounts(made))
        assert [line.subtotal for line in only(again).lines] == pytest.approx(
            [line.subtotal for line in shown.lines]
        )
    change: dict[str, Any] = {
        "order_id": made.id,
        "change": [{"line_id": made.lines[1].id, "quantity": 3}],
        "remove": [made.lines[0].id],
        "add": [{"product_name": goods}],
    }
    changed = only(sales.update_order.plan(odoo, **change))
    assert [line.change and line.change.split()[0] for line in changed.lines] == [
        *("removed", "changed", None, "added")
    ]
    assert read(odoo, "sale.order", [made.id], ["state"]).records[0]["state"] == "draft"
    sales.update_order(odoo, **change)
    assert amounts(changed) == pytest.approx(amounts(sales.get_order(odoo, order_id=made.id)))
