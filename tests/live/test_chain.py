"""From a quotation to the delivery, over what has to be bought and made for it; Odoo's figures."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, create, read, search_read
from odoo_toolkit.apps import inventory, manufacturing, purchase, sales
from tests.live.products import stored

pytestmark = pytest.mark.recorded


@pytest.fixture
def table(admin: Odoo, suffix: str) -> dict[str, int]:
    """A table of a top and four legs, each bought from a vendor; ids by name."""
    if "mrp.bom" not in admin.schema.models():
        pytest.skip("Manufacturing is not installed here.")

    def product(name: str, **values: Any) -> int:
        row = {"name": f"{name} {suffix}", "taxes_id": [], "supplier_taxes_id": []}
        return create(admin, "product.product", {**row, **stored(admin), **values}).id

    ids = {"Table": product("Table", list_price=500.0), "Top": product("Top")}
    ids["Leg"] = product("Leg")
    ids["Vendor"] = create(admin, "res.partner", {"name": f"Timber {suffix}"}).id
    ids["Customer"] = create(admin, "res.partner", {"name": f"Diner {suffix}"}).id
    templates = {
        row["id"]: row["product_tmpl_id"]["id"]
        for row in read(
            admin, "product.product", [ids["Table"], ids["Top"], ids["Leg"]], ["product_tmpl_id"]
        )
    }
    who = "partner_id" if "partner_id" in admin.schema.fields("product.supplierinfo") else "name"
    for name, price in (("Top", 90.0), ("Leg", 7.5)):
        offer = {who: ids["Vendor"], "product_tmpl_id": templates[ids[name]], "price": price}
        create(admin, "product.supplierinfo", offer)
    lines = [
        [0, 0, {"product_id": ids["Top"], "product_qty": 1}],
        [0, 0, {"product_id": ids["Leg"], "product_qty": 4}],
    ]
    bom = {"product_tmpl_id": templates[ids["Table"]], "product_qty": 1, "bom_line_ids": lines}
    create(admin, "mrp.bom", bom)
    return ids


def on_hand(odoo: Odoo, product: int) -> float:
    """Return what Odoo says is in stock."""
    return float(read(odoo, "product.product", [product], ["qty_available"])[0]["qty_available"])


def test_an_order_is_delivered_over_what_is_bought_and_made_for_it(
    admin: Odoo, table: dict[str, int], suffix: str
) -> None:
    sold = sales.create_order(
        admin,
        lines=[{"product_name": f"Table {suffix}", "quantity": 2}],
        partner_id=table["Customer"],
        confirm=True,
    )
    assert sold.confirmed

    # What is missing: no table, and of two tables' parts nothing.
    had = purchase.get_supply(admin, product_id=table["Table"], quantity=2)
    assert (had.on_hand, had.forecast) == (0, -2)
    assert had.making
    short = manufacturing.check_components(admin, product_id=table["Table"], quantity=2)
    assert not short.can_make
    needed = {part.product.id: part.needed for part in short.components}
    assert needed == {table["Top"]: 2, table["Leg"]: 8}

    bought = purchase.create_order(
        admin,
        lines=[
            {"product_id": product, "quantity": quantity} for product, quantity in needed.items()
        ],
        partner_id=table["Vendor"],
        confirm=True,
    )
    assert bought.amount_untaxed == 2 * 90 + 8 * 7.5
    received = purchase.receive(admin, order_id=bought.id)
    assert received.validated
    assert (on_hand(admin, table["Top"]), on_hand(admin, table["Leg"])) == (2, 8)
    bill = purchase.create_bill(admin, order_id=bought.id, invoice_date="2026-01-31", post=True)
    assert (bill.posted, bill.amount_untaxed) == (True, bought.amount_untaxed)

    assert manufacturing.check_components(admin, product_id=table["Table"], quantity=2).can_make
    order = manufacturing.create_order(admin, product_id=table["Table"], quantity=2, confirm=True)
    made = manufacturing.produce(admin, order_id=order.id)
    assert (made.state, made.produced) == ("done", 2)
    assert (on_hand(admin, table["Leg"]), on_hand(admin, table["Table"])) == (0, 2)

    (delivery,) = sales.get_order(admin, order_id=sold.id, include_deliveries=True).deliveries or ()
    delivered = inventory.validate_picking(admin, picking_id=delivery.id)
    assert delivered.validated
    assert on_hand(admin, table["Table"]) == 0
    invoiced = sales.create_invoices(admin, order_id=sold.id)
    assert invoiced.amount_untaxed == 1000.0
    moves = search_read(
        admin,
        "stock.move",
        [["product_id", "=", table["Leg"]], ["state", "=", "done"]],
        ["product_uom_qty"],
    )
    assert sum(row["product_uom_qty"] for row in moves) == 16
