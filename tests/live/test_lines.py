"""Lines that have text and no product, on every document with lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import Odoo, ValidationError, read
from odoo_toolkit.apps import accounting, purchase, sales
from tests.live.sales_data import new_customer, new_product

pytestmark = pytest.mark.every_version

#: What makes a document with lines.
MAKERS: dict[str, Callable[..., Any]] = {
    "order": sales.create_order,
    "purchase": purchase.create_order,
    "invoice": accounting.create_invoice,
    "bill": lambda odoo, **told: accounting.create_invoice(odoo, move_type="in_invoice", **told),
    "credit": lambda odoo, **told: accounting.create_invoice(odoo, move_type="out_refund", **told),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_text_with_a_quantity_is_refused_and_text_alone_is_a_note(
    admin: Odoo, suffix: str, make: Callable[..., Any]
) -> None:
    """The error names the product, if the text is the name of one."""
    customer, name = new_customer(admin, suffix), f"Advice {suffix}"
    product = new_product(admin, name)
    with pytest.raises(ValidationError) as raised:
        make(admin, partner_id=customer, lines=[{"name": name.lower(), "quantity": 2}])
    assert f"Set product_name to '{name.lower()}'" in str(raised.value.suggestion)
    with pytest.raises(ValidationError) as raised:
        make(admin, partner_id=customer, lines=[{"name": f"No {suffix}", "discount": 5}])
    assert "product_name" in str(raised.value.suggestion)
    lines = [{"product_id": product, "price_unit": 10}, {"name": "Thank you"}]
    plan = make(admin, partner_id=customer, lines=lines, dry_run=True)
    assert [line.kind for line in plan.documents[0].lines] == [None, "note"]
    made = make(admin, partner_id=customer, lines=lines)
    assert [line.kind for line in shown(admin, made)] == [None, "note"]


def shown(odoo: Odoo, made: Any) -> Any:
    """Return the lines of a document; of an invoice they are read."""
    if isinstance(made, accounting.Invoice):
        return accounting.get_invoice(odoo, invoice_id=made.id).lines
    return made.lines


def test_text_with_a_price_is_a_line_of_an_invoice(admin: Odoo, suffix: str) -> None:
    """It can be posted. Orders need a product, from 18 on when they are confirmed."""
    customer, lines = new_customer(admin, suffix), [{"name": "Advice", "price_unit": 90}]
    made = accounting.create_invoice(admin, partner_id=customer, lines=lines, post=True)
    (row,) = read(admin, "account.move", [made.id], ["amount_untaxed"]).records
    assert (made.posted, row["amount_untaxed"]) == (True, 90)
    if admin.version.major < 18:
        with pytest.raises(ValidationError, match="has a name, but no product"):
            sales.create_order(admin, partner_id=customer, lines=lines)
    else:
        order = sales.create_order(admin, partner_id=customer, lines=lines, confirm=True)
        assert (order.confirmed, order.amount_untaxed) == (False, 90)
