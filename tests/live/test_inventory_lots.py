"""Transfers by line, lots, returns and counts, with Odoo's own figures."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.inventory import (
    StockCount,
    Transfer,
    adjust_stock,
    create_transfer,
    get_picking,
    get_stock,
    return_picking,
    validate_picking,
)
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.lots import lot_model
from odoo_toolkit.records.names import AmbiguousNameError

pytestmark = pytest.mark.recorded

Product = Callable[..., int]


@pytest.fixture
def product(admin: Odoo) -> Product:
    """Makes a product: of lots or serial numbers, with some in stock."""

    def make(tracking: str = "none", quantity: float = 0) -> int:
        values: dict[str, Any] = {"name": f"Thing {uuid.uuid4().hex[:8]}", "tracking": tracking}
        storable = "is_storable" in admin.schema.fields("product.product")
        values |= {"is_storable": True} if storable else {"type": "product"}
        number = records.create(admin, "product.product", values).id
        assert number
        if quantity:
            counted = adjust_stock(admin, product_id=number, quantity=quantity)
            assert counted.quantity == quantity, counted
        return number

    return make


@pytest.fixture
def mark() -> str:
    """What makes the lots of a test its own."""
    return uuid.uuid4().hex[:8]


def _transfer(odoo: Odoo, kind: Any, **quantities: float) -> Transfer:
    lines = [{"product_id": int(p[1:]), "quantity": q} for p, q in quantities.items()]
    return create_transfer(odoo, picking_type_name=kind, lines=lines)


def _done(result: Any) -> Transfer:
    assert result.validated, result.warnings
    return result


def _on_hand(odoo: Odoo, product: int) -> float:
    rows = records.read(odoo, "product.product", [product], ["qty_available"])
    return float(rows[0]["qty_available"])


def _in_stock(odoo: Odoo, product: int) -> dict[str, float]:
    """Return what is in stock of each lot, as Odoo has it."""
    domain = [["product_id", "=", product], ["location_id.usage", "=", "internal"]]
    rows = records.search_read(odoo, "stock.quant", domain, ["lot_id", "quantity"])
    return {
        str(row["lot_id"]["name"]): row["quantity"]
        for row in rows
        if row["lot_id"] and row["quantity"]
    }


def _snapshot(odoo: Odoo, *products: int) -> list[Any]:
    """Return all that transfers and counts could have written about products."""
    done = ["quantity", "picked"] if "picked" in odoo.schema.fields("stock.move") else []
    done = done or ["quantity_done", "reserved_availability"]
    fields = {
        "stock.move": ["picking_id", "state", "product_uom_qty", *done],
        "stock.move.line": ["lot_id", "lot_name"],
        "stock.quant": ["lot_id", "quantity", "reserved_quantity"],
        lot_model(odoo): ["name"],
    }
    domain = [["product_id", "in", list(products)]]
    return [
        list(records.search_read(odoo, model, domain, names)) for model, names in fields.items()
    ]


def test_a_receipt_by_lines_leaves_a_backorder_and_its_rest_is_dropped(
    odoo: Odoo, product: Product
) -> None:
    one, other = product(), product()
    receipt = _transfer(odoo, "incoming", **{f"p{one}": 5, f"p{other}": 4})
    done = _done(
        validate_picking(
            odoo,
            picking_id=receipt.id,
            lines=[{"product_id": one, "quantity": 2}],
            backorder=True,
        )
    )
    assert (_on_hand(odoo, one), _on_hand(odoo, other)) == (2.0, 0.0)
    rest = get_picking(odoo, picking_id=done.backorder.id)
    assert {line.product.id: line.demand for line in rest.lines} == {one: 3.0, other: 4.0}
    assert rest.state == "assigned"
    line = {"product_id": other, "quantity": 1}
    _done(validate_picking(odoo, picking_id=rest.id, lines=[line], backorder=False))
    assert (_on_hand(odoo, one), _on_hand(odoo, other)) == (2.0, 1.0)
    assert records.count(odoo, "stock.picking", [["backorder_id", "=", rest.id]]).count == 0


def test_lots_are_created_found_and_chosen(odoo: Odoo, product: Product, mark: str) -> None:
    of_lots, serials = product("lot"), product("serial")
    receipt = _transfer(odoo, "incoming", **{f"p{of_lots}": 5, f"p{serials}": 2})
    lines = [
        {"product_id": of_lots, "quantity": 2, "lots": [f"A{mark}"]},
        {"product_id": of_lots, "quantity": 3, "lots": [f"B{mark}"]},
        {"product_id": serials, "lots": [f"S{mark}", f"T{mark}"]},
    ]
    received = _done(validate_picking(odoo, picking_id=receipt.id, lines=lines))
    assert received.lines[0].lots == {f"A{mark}": 2.0, f"B{mark}": 3.0}
    # One that is there already is used again.
    more = _transfer(odoo, "incoming", **{f"p{of_lots}": 1})
    again = [{"product_id": of_lots, "quantity": 1, "lots": [f"A{mark}"]}]
    _done(validate_picking(odoo, picking_id=more.id, lines=again))
    assert _in_stock(odoo, of_lots) == {f"A{mark}": 3.0, f"B{mark}": 3.0}
    # Not those that Odoo reserves by itself, which come first.
    delivery = _transfer(odoo, "outgoing", **{f"p{of_lots}": 2, f"p{serials}": 1})
    records.execute(odoo, "stock.picking", "action_confirm", [[delivery.id]])
    records.execute(odoo, "stock.picking", "action_assign", [[delivery.id]])
    lines = [
        {"product_id": of_lots, "quantity": 2, "lots": [f"B{mark}"]},
        {"product_id": serials, "lots": [f"T{mark}"]},
    ]
    _done(validate_picking(odoo, picking_id=delivery.id, lines=lines))
    assert _in_stock(odoo, of_lots) == {f"A{mark}": 3.0, f"B{mark}": 1.0}
    assert _in_stock(odoo, serials) == {f"S{mark}": 1.0}
    # Whatever is reserved.
    last = _transfer(odoo, "outgoing", **{f"p{of_lots}": 4, f"p{serials}": 1})
    _done(validate_picking(odoo, picking_id=last.id))
    assert _in_stock(odoo, of_lots) == {}


def test_a_lot_is_taken_from_the_shelf_that_it_lies_on(
    odoo: Odoo, admin: Odoo, product: Product, mark: str
) -> None:
    number = product("lot")
    stock = adjust_stock(admin, product_id=number, quantity=4, lot=f"A{mark}")
    shelf = records.create(
        admin,
        "stock.location",
        {"name": f"Shelf {mark}", "location_id": stock.location.id, "usage": "internal"},
    ).id
    moved = create_transfer(
        odoo,
        location_src_id=stock.location.id,
        location_dest_id=shelf,
        lines=[{"product_id": number, "quantity": 3}],
        validate=True,
    )
    _done(moved)
    delivery = _transfer(odoo, "outgoing", **{f"p{number}": 4})
    line = {"product_id": number, "quantity": 4, "lots": [f"A{mark}"]}
    _done(validate_picking(odoo, picking_id=delivery.id, lines=[line]))
    below = [["product_id", "=", number], ["quantity", "<", 0], ["lot_id", "!=", False]]
    below.append(["location_id.usage", "=", "internal"])
    assert records.count(odoo, "stock.quant", below).count == 0
    assert _on_hand(odoo, number) == 0.0


def test_more_than_demanded_takes_saying_so(odoo: Odoo, product: Product) -> None:
    number = product()
    receipt = _transfer(odoo, "incoming", **{f"p{number}": 2})
    line = {"product_id": number, "quantity": 3}
    before = _snapshot(odoo, number)
    with pytest.raises(StateError, match="3 of 2"):
        validate_picking(odoo, picking_id=receipt.id, lines=[line])
    assert _snapshot(odoo, number) == before
    _done(validate_picking(odoo, picking_id=receipt.id, lines=[line], allow_more=True))
    assert _on_hand(odoo, number) == 3.0


def test_wrong_lines_and_lots_leave_all_as_it_was(
    odoo: Odoo, admin: Odoo, product: Product, mark: str
) -> None:
    plain, of_lots, serials = product("none", 5), product("lot"), product("serial")
    for number, lot in ((of_lots, f"A{mark}"), (of_lots, f"B{mark}"), (serials, f"S{mark}")):
        adjust_stock(admin, product_id=number, quantity=1, lot=lot)
    quantities = {f"p{plain}": 2, f"p{of_lots}": 2, f"p{serials}": 2}
    receipt = _transfer(odoo, "incoming", **quantities)
    delivery = _transfer(odoo, "outgoing", **quantities)
    before = _snapshot(odoo, plain, of_lots, serials)
    wrong: list[tuple[int, dict[str, Any], type[OdooError], str]] = [
        (
            receipt.id,
            {"product_id": of_lots, "quantity": 1},
            ValidationError,
            "Pass lot or serial numbers",
        ),
        (receipt.id, {"product_id": plain, "quantity": 1, "lots": ["X"]}, ValidationError, "not"),
        (
            receipt.id,
            {"product_id": serials, "quantity": 2, "lots": [f"N{mark}"]},
            ValidationError,
            "one serial|1 serial",
        ),
        (
            receipt.id,
            {"product_id": serials, "lots": [f"N{mark}", f"N{mark}"]},
            ValidationError,
            "twice",
        ),
        (
            receipt.id,
            {"product_id": serials, "lots": [f"N{mark}", f"S{mark}"]},
            ValidationError,
            "already in stock",
        ),
        (
            receipt.id,
            {"product_id": serials, "lots": [f"A{mark}"]},
            ValidationError,
            "is a lot of",
        ),
        (
            delivery.id,
            {"product_id": of_lots, "quantity": 1, "lots": [f"N{mark}"]},
            NotFoundError,
            "no lot",
        ),
        (
            delivery.id,
            {"product_id": of_lots, "quantity": 2, "lots": [f"A{mark}"]},
            ValidationError,
            "1 are in stock",
        ),
        (delivery.id, {"product_name": f"No {mark}", "quantity": 1}, NotFoundError, "matches"),
        (delivery.id, {"move_id": 2**30, "quantity": 1}, ValidationError, "open moves"),
        (delivery.id, {"product_id": plain, "quantity": 0}, ValidationError, "more than 0"),
    ]
    for picking, line, error, said in wrong:
        with pytest.raises(error, match=said):
            validate_picking(odoo, picking_id=picking, lines=[line], backorder=True)
    with pytest.raises(StateError, match="because you entered less"):
        validate_picking(odoo, picking_id=delivery.id, lines=[{"product_id": plain, "quantity": 1}])
    with pytest.raises(ValidationError, match="Pass lot or serial numbers"):
        validate_picking(odoo, picking_id=receipt.id)
    with pytest.raises(StateError, match="only return a done transfer"):
        return_picking(odoo, picking_id=delivery.id)
    assert _snapshot(odoo, plain, of_lots, serials) == before


def test_a_delivery_comes_back_in_part_and_then_the_rest(admin: Odoo, product: Product) -> None:
    """By an administrator: on 14, others may not value what comes back."""
    number = product("none", 5)
    delivery = _transfer(admin, "outgoing", **{f"p{number}": 4})
    _done(validate_picking(admin, picking_id=delivery.id))
    line = {"product_id": number, "quantity": 3}
    back = _done(return_picking(admin, picking_name=delivery.name, lines=[line], validate=True))
    assert back.id != delivery.id
    assert _on_hand(admin, number) == 4.0
    before = _snapshot(admin, number)
    with pytest.raises(StateError, match="3, of which 1"):
        return_picking(admin, picking_id=delivery.id, lines=[line])
    assert _snapshot(admin, number) == before
    rest = return_picking(admin, picking_id=delivery.id)
    assert (rest.state, [line.demand for line in rest.lines]) == ("assigned", [1.0])
    _done(validate_picking(admin, picking_id=rest.id))
    assert _on_hand(admin, number) == 5.0
    with pytest.raises(StateError, match="has been returned completely"):
        return_picking(admin, picking_id=delivery.id)


def dozen(odoo: Odoo) -> int:
    # On 19 they are archived.
    named = [["name", "=", "Dozens"], ["active", "in", [True, False]]]
    return int(records.search_read(odoo, "uom.uom", named, ["id"])[0]["id"])


@pytest.mark.every_version
def test_a_receipt_of_dozens_is_returned_as_planned(admin: Odoo, product: Product) -> None:
    """To 18 the wizard counts in the product's unit."""
    number = product()
    receipt = _transfer(admin, "incoming", **{f"p{number}": 2})
    (line,) = get_picking(admin, picking_id=receipt.id).lines
    records.write(admin, "stock.move", [line.move_id], {"product_uom": dozen(admin)})
    _done(validate_picking(admin, picking_id=receipt.id))
    assert _on_hand(admin, number) == 24.0
    one = {"move_id": line.move_id, "quantity": 1}
    asked: dict[str, Any] = {"picking_id": receipt.id, "lines": [one], "validate": True}
    plan = return_picking(admin, **asked, dry_run=True)
    back = _done(return_picking(admin, **asked))
    assert _on_hand(admin, number) == 12.0
    (planned,) = plan.documents[0].lines
    (moved,) = back.lines
    assert (planned.quantity, planned.uom) == (moved.done, moved.uom)
    rest = return_picking(admin, picking_id=receipt.id)
    assert [(back.demand, back.uom) for back in rest.lines] == [(moved.done, moved.uom)]


def test_returned_lots_are_those_that_were_delivered(
    admin: Odoo, product: Product, mark: str
) -> None:
    number = product("lot")
    adjust_stock(admin, product_id=number, quantity=3, lot=f"A{mark}")
    delivery = _transfer(admin, "outgoing", **{f"p{number}": 3})
    _done(validate_picking(admin, picking_id=delivery.id))
    back = return_picking(admin, picking_id=delivery.id)
    line = {"product_id": number, "quantity": 2, "lots": [f"A{mark}"]}
    _done(validate_picking(admin, picking_id=back.id, lines=[line], backorder=False))
    assert _in_stock(admin, number) == {f"A{mark}": 2.0}


@pytest.mark.every_version
def test_who_has_a_lot_net_of_returns(admin: Odoo, product: Product, mark: str) -> None:
    """Of a lot of twelve, one customer has three of five left, another has given all back."""
    lot, thing = f"L-{mark}", product("lot")
    adjust_stock(admin, product_id=thing, quantity=12, lot=lot)
    adjust_stock(admin, product_id=thing, quantity=9, lot=f"M-{mark}")
    company = records.create(admin, "res.partner", {"name": f"A {mark}", "is_company": True}).id
    branch = {"name": f"Dock {mark}", "parent_id": company}
    other = records.create(admin, "res.partner", {"name": f"B {mark}"}).id
    for partner, quantity, back in (
        (company, 4, 2),
        (records.create(admin, "res.partner", branch).id, 1, 0),
        (other, 2, 2),
    ):
        sent = _transfer(admin, "outgoing", **{f"p{thing}": quantity})
        records.write(admin, "stock.picking", [sent.id], {"partner_id": partner})
        line = {"product_id": thing, "quantity": quantity, "lots": [lot]}
        _done(validate_picking(admin, picking_id=sent.id, lines=[line]))
        if back:
            came = return_picking(admin, picking_id=sent.id)
            few = {"product_id": thing, "quantity": back, "lots": [lot]}
            _done(validate_picking(admin, picking_id=came.id, lines=[few], backorder=False))
    found = get_stock(admin, lot=lot)
    assert found.product.id == thing
    assert (found.total_available, _in_stock(admin, thing)[lot]) == (9.0, 9.0)
    (holder,) = found.holders
    assert (holder.partner.id, holder.quantity) == (company, 3.0)
    assert len(holder.transfers) == 3
    assert f"A {mark} has 3" in found.message
    assert get_stock(admin, product_id=thing, lot=f"M-{mark}").holders == []
    assert get_stock(admin, product_id=thing).holders == []
    for wrong, error in ((f"N-{mark}", NotFoundError), (" ", ValidationError)):
        with pytest.raises(error):
            get_stock(admin, lot=wrong)
    twin: dict[str, Any] = {"name": lot, "product_id": product("lot")}
    if "company_id" in admin.schema.fields(lot_model(admin)):
        (user,) = records.read(admin, "res.users", [admin.uid], ["company_id"]).records
        twin["company_id"] = user["company_id"]["id"]
    records.create(admin, lot_model(admin), twin)
    with pytest.raises(AmbiguousNameError):
        get_stock(admin, lot=lot)


def test_stock_is_counted_by_location_and_lot(admin: Odoo, product: Product, mark: str) -> None:
    number, of_lots = product("none", 5), product("lot")
    for counted in (8, 3, 0, 2):
        done = adjust_stock(admin, product_id=number, quantity=counted)
        assert (done.quantity, done.warnings) == (counted, [])
        assert _on_hand(admin, number) == counted
    for counted in (4, 1):
        adjust_stock(admin, product_id=of_lots, quantity=counted, lot=f"A{mark}")
    assert _in_stock(admin, of_lots) == {f"A{mark}": 1.0}
    moves = records.count(admin, "stock.move", [["product_id", "=", number]]).count
    again = adjust_stock(admin, product_id=number, quantity=2)
    assert isinstance(again, StockCount)
    assert "already" in again.message
    assert records.count(admin, "stock.move", [["product_id", "=", number]]).count == moves


@pytest.mark.every_user
@pytest.mark.every_version
def test_who_may_not_adjust_leaves_nothing_behind(odoo: Odoo, product: Product) -> None:
    """To 17 only administrators of the app have the field; from 18 on others may as well."""
    number = product("none", 5)
    fields = odoo.schema.fields("stock.quant")
    manager = "inventory_quantity_auto_apply" in fields or (
        odoo.version.major < 15 and "inventory_quantity" in fields
    )
    if manager or odoo.version.major >= 18:
        done = adjust_stock(odoo, product_id=number, quantity=7)
        assert done.quantity == 7.0
        return
    with pytest.raises(AccessError, match="is not allowed to adjust"):
        adjust_stock(odoo, product_id=number, quantity=7)
    assert _on_hand(odoo, number) == 5.0
    counted = [["product_id", "=", number], ["inventory_quantity_set", "=", True]]
    if "inventory_quantity_set" in fields:
        assert records.count(odoo, "stock.quant", counted).count == 0
