"""Undo of a delivery or receipt: the order can be delivered again, and never looks finished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    StateError,
    connect,
    create,
    execute,
    history,
    search_read,
    undo,
)
from odoo_toolkit.apps import inventory, purchase, sales
from tests.live.conftest import server
from tests.live.products import stored
from tests.live.servers import Server, credentials

__all__ = ["server"]
pytestmark = pytest.mark.every_version


@pytest.fixture(scope="module")
def odoo(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    path = tmp_path_factory.mktemp("journal") / "history.sqlite"
    with connect(**credentials(server, server.user("admin")), history=path) as connection:
        yield connection


@pytest.fixture
def desk(odoo: Connection) -> int:
    """Goods that are invoiced when they are delivered, of which 20 are in stock."""
    values = {"name": "Undone desk", "list_price": 50.0, "taxes_id": [], **stored(odoo)}
    values |= {"invoice_policy": "delivery", "purchase_method": "receive"}
    number = create(odoo, "product.product", values).id
    inventory.adjust_stock(odoo, product_id=number, quantity=20)
    return number


def _partner(odoo: Connection) -> int:
    return create(odoo, "res.partner", {"name": "Undone partner"}).id


def _undo_last(odoo: Connection) -> Any:
    return undo(odoo, entry=history(odoo, limit=1)[0].id)


def test_an_order_whose_delivery_is_undone_can_be_delivered_again(
    odoo: Connection, desk: int
) -> None:
    order = sales.create_order(
        odoo, partner_id=_partner(odoo), lines=[{"product_id": desk, "quantity": 2}]
    )
    sales.confirm_order(odoo, order_id=order.id)
    sales.process_orders(odoo, orders=[order.id], steps=["deliver"])
    _undo_last(odoo)
    now = sales.get_order(odoo, order_id=order.id, include_deliveries=True)
    assert [line.delivered for line in now.lines or ()] == [0]
    assert sorted(one.state for one in now.deliveries or ()) in (
        ["assigned", "done"],
        ["confirmed", "done"],
    )
    assert now.invoice_status == "no"
    (again,) = sales.process_orders(odoo, orders=[order.id], steps=["deliver", "invoice"]).orders
    assert again.complete, again.error
    assert [*again.done] == ["deliver", "invoice"]
    now = sales.get_order(odoo, order_id=order.id)
    assert [(line.delivered, line.invoiced) for line in now.lines or ()] == [(2, 2)]


@pytest.mark.parametrize("backorder", [True, False])
def test_a_purchase_whose_receipt_in_part_is_undone_can_be_received_in_full(
    odoo: Connection, desk: int, backorder: bool
) -> None:
    order = purchase.create_order(
        odoo,
        partner_id=_partner(odoo),
        lines=[{"product_id": desk, "quantity": 10, "price_unit": 5}],
    )
    purchase.confirm_order(odoo, order_id=order.id)
    part = [{"product_id": desk, "quantity": 4}]
    purchase.receive(odoo, order_id=order.id, lines=part, backorder=backorder)
    _undo_last(odoo)
    (again,) = purchase.process_orders(odoo, orders=[order.id], steps=["receive"]).orders
    assert again.complete, again.error
    now = purchase.get_order(odoo, order_id=order.id)
    assert [line.received for line in now.lines or ()] == [10]


def _change(odoo: Connection, app: Any, order: int, quantity: float) -> None:
    (line,) = app.get_order(odoo, order_id=order).lines or ()
    app.update_order(odoo, order_id=order, change=[{"line_id": line.id, "quantity": quantity}])


@pytest.mark.parametrize("delivered", [0, 1])
def test_an_order_of_which_the_rest_is_dropped_is_not_delivered(
    odoo: Connection, desk: int, delivered: int
) -> None:
    """The answer names the rest, and what it says makes a new transfer."""
    order = sales.create_order(
        odoo, partner_id=_partner(odoo), lines=[{"product_id": desk, "quantity": 3}]
    ).id
    sales.confirm_order(odoo, order_id=order)
    (delivery,) = sales.get_order(odoo, order_id=order, include_deliveries=True).deliveries or ()
    if delivered:
        part = [{"product_id": desk, "quantity": 1}]
        inventory.validate_picking(odoo, picking_id=delivery.id, lines=part, backorder=False)
    else:
        execute(odoo, "stock.picking", "action_cancel", [[delivery.id]])
    for steps in (["deliver"], ["deliver", "invoice"]):
        (found,) = sales.process_orders(odoo, orders=[order], steps=steps).orders
        assert (found.complete, found.stopped_at) == (False, "deliver")
        assert f"{3 - delivered} of 3 not delivered" in (found.error or {})["message"]
    _change(odoo, sales, order, delivered)
    _change(odoo, sales, order, 3)
    (found,) = sales.process_orders(odoo, orders=[order], steps=["deliver", "invoice"]).orders
    assert found.complete, found.error
    (line,) = sales.get_order(odoo, order_id=order).lines or ()
    assert (line.delivered, line.invoiced) == (3, 3)


@pytest.mark.parametrize("received", [0, 4])
def test_a_purchase_of_which_the_rest_is_dropped_is_not_received(
    odoo: Connection, desk: int, received: int
) -> None:
    """The answer names the rest, and what it says makes a new transfer."""
    line = {"product_id": desk, "quantity": 10, "price_unit": 5}
    order = purchase.create_order(odoo, partner_id=_partner(odoo), lines=[line]).id
    purchase.confirm_order(odoo, order_id=order)
    if received:
        part = [{"product_id": desk, "quantity": received}]
        purchase.receive(odoo, order_id=order, lines=part, backorder=False)
    else:
        of_order = [["purchase_id", "=", order]]
        (receipt,) = search_read(odoo, "stock.picking", of_order, ["id"]).records
        execute(odoo, "stock.picking", "action_cancel", [[receipt["id"]]])
    (found,) = purchase.process_orders(odoo, orders=[order], steps=["receive", "bill"]).orders
    assert (found.complete, found.stopped_at) == (False, "receive")
    told = f"{10 - received} of 10 not received"
    assert told in (found.error or {})["message"]
    with pytest.raises(StateError, match=told):
        purchase.receive(odoo, order_id=order)
    _change(odoo, purchase, order, received)
    _change(odoo, purchase, order, 10)
    (found,) = purchase.process_orders(odoo, orders=[order], steps=["receive"]).orders
    assert found.complete, found.error
    (now,) = purchase.get_order(odoo, order_id=order).lines or ()
    assert now.received == 10
