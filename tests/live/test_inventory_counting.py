"""Counting a list, with Odoo's own figures before and after."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.inventory import (
    CountPlan,
    CountResult,
    NewLine,
    count_stock,
    create_transfer,
    get_stock,
)
from odoo_toolkit.errors import OdooError
from tests.live.products import stored

pytestmark = pytest.mark.recorded


@pytest.fixture
def mark() -> str:
    """What makes the records of a test its own."""
    return uuid.uuid4().hex[:8]


def _product(admin: Odoo, name: str, **values: Any) -> int:
    number = records.create(admin, "product.product", {"name": name, **stored(admin), **values}).id
    assert number
    return number


def _stock(admin: Odoo) -> tuple[int, int]:
    """Return the stock of the company's warehouse, and a new shelf in it."""
    company = records.read(admin, "res.users", [admin.uid], ["company_id"])[0]["company_id"]["id"]
    found = records.search_read(
        admin, "stock.warehouse", [["company_id", "=", company]], ["lot_stock_id"], limit=1
    )
    stock = found[0]["lot_stock_id"]["id"]
    values = {"name": f"Shelf {uuid.uuid4().hex[:8]}", "location_id": stock, "usage": "internal"}
    shelf = records.create(admin, "stock.location", values).id
    assert shelf
    return stock, shelf


def _quants(odoo: Odoo, *products: int) -> dict[tuple[int, int, str], float]:
    """Return what lies where of products, as Odoo has it."""
    domain = [["product_id", "in", list(products)], ["location_id.usage", "=", "internal"]]
    fields = ["product_id", "location_id", "lot_id", "quantity"]
    return {
        (
            row["product_id"]["id"],
            row["location_id"]["id"],
            row["lot_id"]["name"] if row["lot_id"] else "",
        ): row["quantity"]
        for row in records.search_read(odoo, "stock.quant", domain, fields)
        if row["quantity"]
    }


def _moves(odoo: Odoo, *products: int) -> int:
    return records.count(odoo, "stock.move", [["product_id", "in", list(products)]]).count


def test_a_list_of_places_and_lots_is_counted(admin: Odoo, mark: str) -> None:
    stock, shelf = _stock(admin)
    plain = _product(admin, f"Plain {mark}", standard_price=2.5)
    lots = _product(admin, f"Lots {mark}", tracking="lot", standard_price=10.0)
    serials = _product(admin, f"Serials {mark}", tracking="serial")
    lines: list[Any] = [
        {"product_name": f"Plain {mark}", "quantity": 5},
        {"product_id": plain, "quantity": 7.0, "location_id": shelf},
        {"product_id": lots, "quantity": 3, "lot": f"A{mark}"},
        {"product_id": lots, "quantity": 4, "lot": f"B{mark}"},
        {"product_id": serials, "quantity": 1, "lot": f"S{mark}"},
    ]
    products = plain, lots, serials
    plan = count_stock(admin, lines=lines, dry_run=True)
    assert isinstance(plan, CountPlan)
    assert (_quants(admin, *products), _moves(admin, *products)) == ({}, 0)
    made = count_stock(admin, lines=lines)
    assert isinstance(made, CountResult)
    assert made.warnings == []
    assert [one.quantity for one in made.lines] == [one.counted for one in plan.lines]
    assert made.value == plan.value == 12 * 2.5 + 7 * 10.0
    assert _quants(admin, *products) == {
        (plain, stock, ""): 5.0,
        (plain, shelf, ""): 7.0,
        (lots, stock, f"A{mark}"): 3.0,
        (lots, stock, f"B{mark}"): 4.0,
        (serials, stock, f"S{mark}"): 1.0,
    }
    assert _moves(admin, *products) == 5
    again = [
        {"product_id": plain, "quantity": 0, "location_id": stock},
        {"product_id": plain, "quantity": 7.0, "location_id": shelf},
        {"product_id": lots, "quantity": 2, "lot": f"A{mark}"},
    ]
    made = count_stock(admin, lines=again)
    assert isinstance(made, CountResult)
    assert made.warnings == []
    assert [one.difference for one in made.lines] == [-5.0, 0.0, -1.0]
    assert _moves(admin, *products) == 7
    left = _quants(admin, plain, lots)
    assert left == {
        (plain, shelf, ""): 7.0,
        (lots, stock, f"A{mark}"): 2.0,
        (lots, stock, f"B{mark}"): 4.0,
    }
    (line,) = get_stock(admin, product_id=lots).stock
    assert {lot.name: lot.quantity for lot in line.lots} == {f"A{mark}": 2.0, f"B{mark}": 4.0}


def test_less_than_is_reserved_says_for_what(admin: Odoo, mark: str) -> None:
    number = _product(admin, f"Reserved {mark}")
    count_stock(admin, lines=[{"product_id": number, "quantity": 9}])
    wanted: list[NewLine] = [{"product_id": number, "quantity": 6}]
    delivery = create_transfer(admin, picking_type_name="outgoing", lines=wanted)
    for method in ("action_confirm", "action_assign"):
        records.execute(admin, "stock.picking", method, [[delivery.id]])
    plan = count_stock(admin, lines=[{"product_id": number, "quantity": 2}], dry_run=True)
    assert isinstance(plan, CountPlan)
    (line,) = plan.lines
    assert line.reserved == 6.0
    assert [(one.document, one.quantity) for one in line.reserved_for] == [(delivery.name, 6.0)]
    made = count_stock(admin, lines=[{"product_id": number, "quantity": 2}])
    assert isinstance(made, CountResult)
    assert made.lines[0].quantity == 2.0
    (found,) = get_stock(admin, product_id=number).stock
    assert found.reserved_quantity <= 2.0


def test_one_wrong_line_keeps_all_from_being_counted(admin: Odoo, mark: str) -> None:
    plain = _product(admin, f"Plain {mark}")
    lots = _product(admin, f"Lots {mark}", tracking="lot")
    count_stock(admin, lines=[{"product_id": lots, "quantity": 3, "lot": f"A{mark}"}])
    good: Any = {"product_id": plain, "quantity": 5}
    before = _quants(admin, plain, lots)
    for wrong, said in (
        ({"product_id": lots, "quantity": 3}, rf"A{mark} \(3 free\)"),
        ({"product_id": plain, "quantity": 6}, "both count"),
        ({"product_id": plain, "quantity": 1, "lot": f"A{mark}"}, "not tracked"),
        ({"product_id": lots, "quantity": -1, "lot": f"A{mark}"}, "negative"),
        ({"product_name": f"Nothing {mark}", "quantity": 1}, "(?i)no .*match|not found|no record"),
        ({"product_id": lots, "quantity": 1, "lot": "X", "location_id": 999999}, "999999"),
    ):
        with pytest.raises(OdooError, match=said):
            count_stock(admin, lines=[good, wrong])
    assert (_quants(admin, plain, lots), _moves(admin, plain)) == (before, 0)


@pytest.mark.every_user
@pytest.mark.every_version
def test_who_may_not_adjust_counts_nothing(odoo: Odoo, admin: Odoo, mark: str) -> None:
    """To 17 only administrators of the app may; what they may not apply is not left as counted."""
    number = _product(admin, f"Thing {mark}")
    fields = odoo.schema.fields("stock.quant")
    manager = "inventory_quantity_auto_apply" in fields or (
        odoo.version.major < 15 and "inventory_quantity" in fields
    )
    if manager or odoo.version.major >= 18:
        made = count_stock(odoo, lines=[{"product_id": number, "quantity": 7}])
        assert isinstance(made, CountResult)
        assert made.lines[0].quantity == 7.0
        return
    with pytest.raises(OdooError, match="is not allowed to adjust"):
        count_stock(odoo, lines=[{"product_id": number, "quantity": 7}])
    assert records.count(admin, "stock.quant", [["product_id", "=", number]]).count == 0
