"""Transfers and stock, with Odoo's own figures; both users may work with transfers."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.inventory import Transfer, create_transfer, get_stock, validate_picking
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError
from tests.live.products import stored

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]

Product = Callable[..., int]


@pytest.fixture
def product(admin: Odoo, odoo: Odoo) -> Product:
    """Makes a product of which there are that many in stock, received by a transfer."""

    def make(quantity: float = 0, name: str = "") -> int:
        values: dict[str, Any] = {"name": name or f"Thing {uuid.uuid4().hex[:8]}"}
        values |= stored(admin)
        number = records.create(admin, "product.product", values).id
        assert number
        if quantity:
            lines = [{"product_id": number, "quantity": quantity}]
            received = create_transfer(
                odoo, picking_type_name="incoming", lines=lines, validate=True
            )
            assert received.validated, received.warnings
        return number

    return make


def _delivery(odoo: Odoo, product: int, quantity: float, **options: Any) -> Transfer:
    return create_transfer(
        odoo,
        picking_type_name="outgoing",
        lines=[{"product_id": product, "quantity": quantity}],
        **options,
    )


def _enter(odoo: Odoo, transfer: Transfer, quantity: float) -> None:
    """Enter a done quantity as a person would, on a reserved transfer."""
    for method in ("action_confirm", "action_assign"):
        records.execute(odoo, "stock.picking", method, [[transfer.id]])
    move = records.search_read(odoo, "stock.move", [["picking_id", "=", transfer.id]], ["id"])[0]
    picked = "picked" in odoo.schema.fields("stock.move")
    values = {"quantity": quantity, "picked": True} if picked else {"quantity_done": quantity}
    records.write(odoo, "stock.move", [move["id"]], values)


def _on_hand(odoo: Odoo, product: int) -> float:
    rows = records.read(odoo, "product.product", [product], ["qty_available"])
    return float(rows[0]["qty_available"])


def test_a_receipt_and_a_delivery_change_the_stock(odoo: Odoo, product: Product) -> None:
    name = f"Thing {uuid.uuid4().hex[:8]}"
    number = product(5, name)
    assert get_stock(odoo, product_name=name).total_available == 5.0
    draft = _delivery(odoo, number, 3)
    assert (draft.state, draft.validated) == ("draft", False)
    done = validate_picking(odoo, picking_name=draft.name)
    assert (done.state, done.validated, done.backorder) == ("done", True, None)
    assert [(line.demand, line.done) for line in done.lines] == [(3.0, 3.0)]
    assert _on_hand(odoo, number) == 2.0
    stock = get_stock(odoo, product_id=number)
    assert [line.quantity for line in stock.stock] == [2.0]
    with pytest.raises(StateError, match="already done") as raised:
        validate_picking(odoo, picking_id=draft.id)
    assert raised.value.details["current_state"] == "done"


def test_a_shortage_is_explained_and_nothing_is_written(odoo: Odoo, product: Product) -> None:
    number = product(2)
    draft = _delivery(odoo, number, 5)
    with pytest.raises(StateError, match="2 of 5") as raised:
        validate_picking(odoo, picking_id=draft.id)
    assert raised.value.details["missing"][0]["missing"] == 3.0
    state = records.read(odoo, "stock.picking", [draft.id], ["state"])[0]["state"]
    assert state == "draft"
    assert _on_hand(odoo, number) == 2.0


def test_force_moves_what_is_there_and_leaves_a_backorder(odoo: Odoo, product: Product) -> None:
    number = product(2)
    forced = validate_picking(odoo, picking_id=_delivery(odoo, number, 5).id, backorder=True)
    assert forced.state == "done"
    assert [line.done for line in forced.lines] == [2.0]
    rest = records.search_read(
        odoo, "stock.move", [["picking_id", "=", forced.backorder.id]], ["product_uom_qty"]
    )
    assert [row["product_uom_qty"] for row in rest] == [3.0]
    assert _on_hand(odoo, number) == 0.0
    with pytest.raises(StateError, match="Nothing in"):
        validate_picking(odoo, picking_id=forced.backorder.id, backorder=True)
    assert _on_hand(odoo, number) == 0.0


def test_quantities_that_were_entered_are_what_is_moved(odoo: Odoo, product: Product) -> None:
    number = product(5)
    delivery = _delivery(odoo, number, 5)
    _enter(odoo, delivery, 2)
    with pytest.raises(StateError, match=r"2 of 5 .* entered"):
        validate_picking(odoo, picking_id=delivery.id)
    done = validate_picking(odoo, picking_id=delivery.id, backorder=True)
    assert [line.done for line in done.lines] == [2.0]
    assert done.backorder.state == "assigned"
    assert _on_hand(odoo, number) == 3.0


def test_what_is_reserved_for_others_is_taken_when_told_so(odoo: Odoo, product: Product) -> None:
    """And what is not there at all leaves a stock below zero, which the result says."""
    number = product(5)
    other = _delivery(odoo, number, 3)
    for method in ("action_confirm", "action_assign"):
        records.execute(odoo, "stock.picking", method, [[other.id]])
    urgent = _delivery(odoo, number, 5)
    with pytest.raises(StateError, match=r"2 of 5 Units available \(5 in stock\)") as raised:
        validate_picking(odoo, picking_id=urgent.id)
    assert "unreserved=True" in raised.value.suggestion
    done = validate_picking(odoo, picking_id=urgent.id, unreserved=True)
    assert (done.validated, done.warnings) == (True, [])
    assert [line.done for line in done.lines] == [5.0]
    assert _on_hand(odoo, number) == 0.0
    short = validate_picking(odoo, picking_id=other.id, unreserved=True)
    assert short.validated
    assert "below zero" in short.warnings[0]
    assert _on_hand(odoo, number) == -3.0


def test_a_dry_run_tells_what_is_sent(odoo: Odoo, product: Product) -> None:
    """Also that the backorder is reserved, which to 14 is a step of its own."""
    draft = _delivery(odoo, product(2), 5)
    planned = validate_picking(odoo, picking_id=draft.id, backorder=True, dry_run=True)
    expected = ["action_confirm", "action_assign", "button_validate"]
    expected += ["action_assign"] if odoo.version.major < 15 else []
    assert [call.method for call in planned.calls] == expected
    state = records.read(odoo, "stock.picking", [draft.id], ["state"])[0]["state"]
    assert state == "draft"


def test_stock_never_goes_below_zero(odoo: Odoo, product: Product) -> None:
    """Odoo itself would validate 5 of which there are 3."""
    number = product(3)
    delivery = _delivery(odoo, number, 5)
    _enter(odoo, delivery, 5)
    with pytest.raises(StateError, match="negative"):
        validate_picking(odoo, picking_id=delivery.id, backorder=True)
    assert _on_hand(odoo, number) == 3.0


def test_a_transfer_that_cannot_be_validated_stays_with_the_reason(
    odoo: Odoo, product: Product
) -> None:
    made = _delivery(odoo, product(1), 4, validate=True)
    assert (made.validated, made.state) == (False, "draft")
    assert "1 of 4" in made.warnings[0]


def test_goods_move_between_locations(odoo: Odoo, admin: Odoo, product: Product) -> None:
    number = product(4)
    source = get_stock(odoo, product_id=number).stock[0].location.id
    shelf = records.create(
        admin,
        "stock.location",
        {"name": f"Shelf {uuid.uuid4().hex[:6]}", "location_id": source, "usage": "internal"},
    ).id
    assert shelf
    moved = create_transfer(
        odoo,
        location_src_id=source,
        location_dest_id=shelf,
        lines=[{"product_id": number, "quantity": 1.5}],
        scheduled_date="2031-02-03T04:05:06Z",
        validate=True,
    )
    assert moved.validated, moved.warnings
    at_shelf = get_stock(odoo, product_id=number, location_id=shelf)
    assert [(line.location.id, line.quantity) for line in at_shelf.stock] == [(shelf, 1.5)]
    assert _on_hand(odoo, number) == 4.0
    warehouse = records.search_read(odoo, "stock.warehouse", [], ["view_location_id"])
    found = [get_stock(odoo, product_id=number, warehouse_id=row["id"]) for row in warehouse]
    assert sum(stock.total_available for stock in found) == 4.0


def test_bad_input_writes_nothing(odoo: Odoo, product: Product) -> None:
    number = product()
    line = {"product_id": number, "quantity": 1}
    of_product = [["product_id", "=", number]]
    before = records.count(odoo, "stock.move", of_product).count
    for quantity in (0, -1, None, "two", float("inf")):
        with pytest.raises(ValidationError, match="quantity"):
            create_transfer(odoo, lines=[{"product_id": number, "quantity": quantity}])
    with pytest.raises(ValidationError, match="the same location"):
        create_transfer(odoo, lines=[line])
    with pytest.raises(ValidationError, match="scheduled_date"):
        create_transfer(odoo, lines=[line], scheduled_date="soon")
    with pytest.raises(NotFoundError, match=r"no location"):
        create_transfer(odoo, lines=[line], location_dest_id=2**30)
    with pytest.raises(NotFoundError, match=r"no product"):
        create_transfer(
            odoo, picking_type_name="incoming", lines=[{"product_id": 2**30, "quantity": 1}]
        )
    with pytest.raises(NotFoundError):
        validate_picking(odoo, picking_id=2**30)
    planned = create_transfer(
        odoo, picking_type_name="incoming", lines=[line], validate=True, dry_run=True
    )
    assert [call.method for call in planned.calls] == [
        "create",
        "action_confirm",
        "action_assign",
        "button_validate",
    ]
    assert records.count(odoo, "stock.move", of_product).count == before
