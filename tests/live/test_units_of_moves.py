"""Moves in another unit than their product's: what Odoo reserves of them in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.inventory import adjust_stock, create_transfer, get_picking, validate_picking
from odoo_toolkit.apps.manufacturing import create_order, produce
from tests.live.test_inventory_lots import dozen, product
from tests.live.test_manufacturing import Shop, shop

__all__ = ["product", "shop"]

pytestmark = pytest.mark.every_version


def deliver(odoo: Odoo, number: int) -> Any:
    lines = [{"product_id": number, "quantity": 1}]
    return create_transfer(odoo, picking_type_name="outgoing", lines=lines)


def on_hand(odoo: Odoo, number: int) -> float:
    return float(
        records.read(odoo, "product.product", [number], ["qty_available"])[0]["qty_available"]
    )


def reserve_dozens(odoo: Odoo, move: int) -> None:
    of_move = [["move_id", "=", move]]
    if lines := records.search_read(odoo, "stock.move.line", of_move, ["id"]):
        records.unlink(odoo, "stock.move.line", [row["id"] for row in lines])
    records.write(odoo, "stock.move", [move], {"product_uom": dozen(odoo)})
    (row,) = records.read(odoo, "stock.move", [move], ["picking_id"])
    records.execute(odoo, "stock.picking", "action_assign", [[row["picking_id"]["id"]]])


@pytest.mark.parametrize("tracking", ["none", "lot"])
@pytest.mark.parametrize("asked", [1, 0.75])
def test_dozens_from_shelves_with_pieces(
    admin: Odoo, product: Any, suffix: str, tracking: str, asked: float
) -> None:
    """Odoo reserves in pieces what is no part of a dozen, and the move stays in dozens."""
    number = product(tracking)
    stock = records.search_read(admin, "stock.warehouse", [], ["lot_stock_id"], limit=1)
    inside = stock[0]["lot_stock_id"]["id"]
    lot = {"lot": f"L{suffix}"} if tracking == "lot" else {}
    shelves = []
    for name, quantity in (("A", 7), ("B", 8)):
        shelf = {"name": f"{name}{suffix}", "location_id": inside}
        shelves.append(records.create(admin, "stock.location", shelf).id)
        place = shelves[-1]
        adjust_stock(admin, product_id=number, quantity=quantity, location_id=place, **lot)
    delivery = deliver(admin, number)
    (line,) = get_picking(admin, picking_id=delivery.id).lines
    reserve_dozens(admin, line.move_id)
    reserved = get_picking(admin, picking_id=delivery.id).lines[0]
    assert (reserved.reserved, reserved.uom) == (1.0, "Dozens")
    assert list(reserved.lots.values()) == ([1.0] if lot else [])
    entry = {"move_id": line.move_id, "quantity": asked, **({"lots": [lot["lot"]]} if lot else {})}
    validate_picking(admin, picking_id=delivery.id, lines=[entry], backorder=False)
    assert on_hand(admin, number) == 15 - 12 * asked
    of_product = [["product_id", "=", number], ["location_id", "in", shelves]]
    left = records.search_read(admin, "stock.quant", of_product, ["quantity"])
    # Whole pieces from each shelf.
    assert all(row["quantity"] == int(row["quantity"]) >= 0 for row in left)


def test_dozens_beyond_the_reserved_pieces(admin: Odoo, product: Any) -> None:
    """What is reserved is one line, in pieces; on 14 and 15 a quantity is written on it as is."""
    number = product(quantity=7)
    delivery = deliver(admin, number)
    (line,) = get_picking(admin, picking_id=delivery.id).lines
    reserve_dozens(admin, line.move_id)
    entry = {"move_id": line.move_id, "quantity": 1}
    validate_picking(admin, picking_id=delivery.id, lines=[entry], unreserved=True)
    assert on_hand(admin, number) == -5.0


@pytest.mark.parametrize("tracking", ["none", "lot"])
@pytest.mark.parametrize("whole", [True, False])
def test_dozens_are_used_from_shelves_with_pieces(
    admin: Odoo, shop: Shop, tracking: str, whole: bool
) -> None:
    """Odoo reserves in pieces what is no part of a dozen, and the component stays in dozens."""
    screw, table = shop.product("Screw", tracking=tracking), shop.product("Table")
    lot = {"lot": f"L {shop.tag}"} if tracking == "lot" else {}
    inside = records.search_read(admin, "stock.warehouse", [], ["lot_stock_id"], limit=1)
    for name, quantity in (("A", 7), ("B", 20)):
        above = inside[0]["lot_stock_id"]["id"]
        shelf = shop.make("stock.location", name=f"{name} {shop.tag}", location_id=above)
        adjust_stock(admin, product_id=screw, quantity=quantity, location_id=shelf, **lot)
    bill = shop.bill(table, {})
    part = {"bom_id": bill, "product_id": screw, "product_qty": 1, "product_uom_id": dozen(admin)}
    shop.make("mrp.bom.line", **part)
    line = {"product_id": screw, "quantity": 0.75} | ({"lots": [lot["lot"]]} if lot else {})
    for lines, left in ((None, 15.0), ([line], 6.0)) if whole else (([line], 18.0),):
        order = create_order(admin, product_id=table, quantity=1, confirm=True)
        assert produce(admin, order_id=order.id, lines=lines).state == "done"
        assert shop.on_hand(screw) == [left]
