"""Buying: what is checked, sent and told, on every version."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from odoo_toolkit.apps import purchase
from odoo_toolkit.apps.purchase import fulfilment, offers
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, StateError, ValidationError
from odoo_toolkit.operations.lines import today
from tests.unit.fake_purchase import Buying
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, contents

LINES = [{"product_id": 3, "quantity": 5}]


def create(odoo: Odoo, **options: Any) -> Any:
    """Order five chairs of Acme."""
    return purchase.create_order(odoo, lines=LINES, partner_id=7, **options)


def confirm(odoo: Odoo, **options: Any) -> Any:
    return purchase.confirm_order(odoo, order_id=12, **options)


def bill(odoo: Odoo, **options: Any) -> Any:
    return purchase.create_bill(odoo, order_id=12, invoice_date="2026-01-31", **options)


def cancel(odoo: Odoo, **options: Any) -> Any:
    return purchase.cancel_order(odoo, order_id=12, **options)


def day(odoo: Odoo, days: int = 0) -> str:
    return (date.fromisoformat(today(odoo)) + timedelta(days=days)).isoformat()


def sent_lines(odoo: Buying) -> list[dict[str, Any]]:
    (call,) = odoo.asked("create")
    return [command[2] for command in contents(call)["order_line"]]


# Making orders ----------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_has_what_odoos_form_would_fill_in(major: int) -> None:
    """Terms and currency of the vendor, the day on each line, the terms in their own field."""
    odoo = Buying(major)
    odoo.tables["res.partner"][0] |= {
        "property_purchase_currency_id": 3,
        "property_supplier_payment_term_id": 4,
    }
    lines = [{"product_name": "chair", "quantity": 2, "price_unit": 9}, {"name": "Thanks"}]
    made = purchase.create_order(
        odoo, lines=lines, partner_name="Acme", date_planned="2026-02-03", note="a < b"
    )
    values = contents(odoo.asked("create")[0])
    assert (values["partner_id"], values["currency_id"], values["payment_term_id"]) == (7, 3, 4)
    assert values["notes" if major < 19 else "note"] == (
        "a < b" if major == 14 else "<p>a &lt; b</p>"
    )
    assert sent_lines(odoo) == [
        {
            "product_id": 3,
            "product_qty": 2,
            "price_unit": 9,
            "date_planned": "2026-02-03 00:00:00",
        },
        {"display_type": "line_note", "name": "Thanks", "product_qty": 0},
    ]
    assert made.lines[0].product is not None
    assert (made.line_count, made.confirmed) == (2, False)


@pytest.mark.parametrize(
    ("prices", "warning"),
    [
        ([{"min_qty": 20}], "at least 20"),
        ([{"min_qty": 1}, {"min_qty": 3, "currency_id": 3}], "check price"),
        ([{"min_qty": 1, "currency_id": 3}], None),
        ([{"min_qty": 1, "date_start": "2999-01-01"}], None),
        ([], None),
    ],
)
def test_what_cannot_be_priced_is_left_to_odoo(
    prices: list[dict[str, Any]], warning: str | None
) -> None:
    odoo = Buying()
    for offer in prices:
        odoo.offer(8.0, **offer)
    made = create(odoo)
    assert "price_unit" not in sent_lines(odoo)[0]
    told = [text for text in made.warnings if "Without a price" not in text]
    assert len(told) == (warning is not None)
    assert warning is None or warning in told[0]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ({"product_id": 3, "quantity": 0}, "more than 0"),
        ({"product_id": 3, "quantity": "2"}, "must be a number"),
        ({"product_id": 3, "price_unit": float("nan")}, "price_unit"),
        ({"product_id": 3, "discount": 101}, "must be a percentage"),
        ({"product_id": 3, "qty": 2}, "unknown key"),
        ({"product_id": 3, "product_name": "Chair"}, "Pass either"),
        ({"name": "  "}, "neither a product"),
        ({"name": 5}, "must be a string"),
        ({}, "neither a product"),
    ],
)
def test_a_wrong_line_is_refused_before_anything_is_sent(line: dict[str, Any], match: str) -> None:
    odoo = Buying()
    with pytest.raises(ValidationError, match=match) as raised:
        purchase.create_order(odoo, lines=[*LINES, line], partner_id=7)
    assert "lines[1]" in raised.value.message + str(raised.value.details)
    assert odoo.sent == []


# Confirming -------------------------------------------------------------------------------------


def test_whoever_may_approve_does_it_when_asked_to() -> None:
    odoo = Buying(state="to approve")
    odoo.tables["res.users"][0]["all_group_ids"] = [9]
    with pytest.raises(StateError, match="waits for approval"):
        confirm(odoo)
    assert confirm(odoo, approve=True).confirmed
    assert len(odoo.asked("button_approve")) == 1


def test_an_approval_without_effect_is_not_believed() -> None:
    """Where the approvers cannot be known, Odoo decides, and says nothing from 15 on."""
    odoo = Buying(state="to approve")
    odoo.answers["ir.model.data", "check_object_reference"] = AccessError("No.")
    odoo.answers["purchase.order", "button_approve"] = {}
    done = confirm(odoo, approve=True)
    assert (done.confirmed, done.state) == (False, "to approve")
    assert "an administrator of Purchase" in done.message


@pytest.mark.parametrize(
    ("state", "match"),
    [("purchase", "already confirmed"), ("done", "already confirmed"), ("cancel", "is cancelled")],
)
def test_only_a_request_is_confirmed(state: str, match: str) -> None:
    odoo = Buying(14, state=state)
    with pytest.raises(StateError, match=match) as raised:
        confirm(odoo)
    assert raised.value.details["current_state"] == state
    assert writes(odoo) == []


# Receiving --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "options", "match"),
    [
        ({"state": "draft"}, {}, "not a confirmed order"),
        ({"state": "to approve"}, {}, "not a confirmed order"),
        ({"state": "cancel"}, {}, "not a confirmed order"),
        ({"state": "purchase"}, {}, "no receipt"),
        ({"state": "purchase", "receipt": "done"}, {}, r"WH/IN/31 \(id 31\) is done"),
        ({"state": "purchase", "receipt": "assigned"}, {"picking_id": 30}, "30 is not an open"),
    ],
)
def test_what_cannot_be_received_is_refused(
    order: dict[str, Any], options: dict[str, Any], match: str
) -> None:
    odoo = Buying(**order)
    with pytest.raises(StateError, match=match):
        purchase.receive(odoo, order_id=12, **options)
    assert writes(odoo) == []


def test_of_several_open_receipts_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(fulfilment, "validate_picking", lambda _, **said: asked.update(said))
    odoo = Buying(state="purchase", receipt="assigned")
    other = {"id": 32, "name": "WH/IN/32", "state": "assigned", "purchase_id": 12}
    odoo.tables["stock.picking"].append(other | {"picking_type_code": "incoming"})
    with pytest.raises(StateError, match="several receipts") as raised:
        purchase.receive(odoo, order_id=12)
    assert [receipt["id"] for receipt in raised.value.details["receipts"]] == [31, 32]
    purchase.receive(odoo, order_id=12, picking_id=32)
    assert asked["picking_id"] == 32


# Billing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "match"),
    [
        ({"state": "draft"}, "not a confirmed order"),
        ({"state": "cancel"}, "not a confirmed order"),
        ({"state": "purchase", "to_bill": 0.0, "invoice_status": "no"}, "can be billed yet"),
        ({"state": "purchase", "to_bill": 0.0, "invoice_status": "invoiced"}, "fully billed"),
    ],
)
def test_what_cannot_be_billed_is_refused(order: dict[str, Any], match: str) -> None:
    """19 would make a bill of nothing."""
    odoo = Buying(**order)
    with pytest.raises(StateError, match=match):
        bill(odoo)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_the_plan_of_a_bill_has_its_lines_and_amounts(major: int) -> None:
    """In two round trips: what the order has of them is a share of Odoo's own figures."""
    odoo = Buying(major, state="purchase", to_bill=2.0)
    odoo.tables["purchase.order.line"][0] |= {"price_tax": 7.5}
    plan = bill(odoo, ref="F-17", dry_run=True)
    assert plan.message == (
        "Would create the bill of P00012 of Acme, 2026-01-31, F-17: 2 Units of Chair at 10.00,"
        " 20.00. Total: 20.00 USD before taxes, 23.00 USD with them."
    )
    assert len(odoo.sent) == 2


# Looking ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_is_looked_at(major: int) -> None:
    odoo = Buying(major, state="purchase", receipt="done", received=5.0)
    odoo._bill(None)
    found = purchase.get_order(odoo, order_name="P00012")
    (line,) = found.lines
    # What only repeats the product's name is left out.
    assert (line.name, line.uom, line.received) == (None, "Units", 5.0)
    assert [receipt.name for receipt in found.receipts] == ["WH/IN/31"]
    assert [item.name for item in found.bills] == ["Draft Bill"]
    assert len(odoo.sent) == 4
    assert purchase.get_order(odoo, order_id=12, line_limit=0).lines == []


def test_what_may_not_be_read_of_an_order_is_told() -> None:
    odoo = Buying(receipt="done")
    odoo.answers["stock.picking", "search_read"] = AccessError("No rights.")
    found = purchase.get_order(odoo, order_id=12)
    assert found.receipts == []
    assert "The receipts cannot be read" in found.warnings[0]


# What can be had --------------------------------------------------------------------------------


def test_a_vendor_who_counts_in_dozens_is_compared_in_dozens() -> None:
    for major in VERSIONS:
        odoo = Buying(major)
        odoo.offer(90.0, min_qty=2, **{odoo.uom: 2})
        for quantity, obstacle in ((23, "below minimum"), (24, None)):
            (offer,) = purchase.get_supply(odoo, product_id=3, quantity=quantity).offers
            assert offer.unusable == obstacle
            assert offer.uom is not None
        assert len(odoo.sent) == 2 * 5


# Until a day ------------------------------------------------------------------------------------


def in_stock(odoo: Buying, product: int = 3, **values: float) -> None:
    """Say what is there of a product and what comes."""
    rows = odoo.tables["product.product"]
    next(row for row in rows if row["id"] == product).update(values)


def comes(odoo: Buying, quantity: float, days: int, product: int = 3) -> None:
    """Add a confirmed receipt."""
    places = {"location_id": 4, "location_dest_id": 8}
    odoo.tables["stock.location"] = [{"id": 4, "usage": "supplier"}, {"id": 8, "usage": "internal"}]
    moves = odoo.tables["stock.move"]
    moves.append(
        {"id": len(moves) + 1, "product_id": product, "state": "assigned", "product_qty": quantity}
        | {"date": f"{day(odoo, days)} 08:00:00", "origin": f"P{days}", **places}
    )


@pytest.mark.parametrize("major", VERSIONS)
def test_what_cannot_be_there_by_the_day_is_left_out_with_the_reason(major: int) -> None:
    """A vendor who sells 85 at most is not proposed for 91; another one would be too late."""
    odoo = Buying(major)
    in_stock(odoo, free_qty=0.0, incoming_qty=0.0, virtual_available=0.0)
    odoo.tables["res.partner"][0]["comment"] = "Sells at most 85 pieces."
    odoo.offer(5.0, delay=3)
    odoo.offer(4.0, vendor=8, delay=12)
    odoo.offer(3.0, vendor=8, delay=2, date_end="2020-01-01")
    # A price that starts in time counts.
    odoo.offer(9.0, vendor=8, delay=2, date_start=day(odoo, 6), date_end=day(odoo, 7))
    found = purchase.get_supply(odoo, product_id=3, quantity=91, needed_by=day(odoo, 10))
    usable, most = found.offers
    assert (most.price, most.max_quantity, most.unusable) == (5.0, 85.0, "above maximum")
    assert (most.order_by, most.note) == (day(odoo, 7), "Sells at most 85 pieces.")
    assert (usable.price, usable.arrives, usable.order_by) == (9.0, day(odoo, 8), day(odoo, 7))
    assert {(offer.price, offer.unusable) for offer in found.omitted} == {
        (4.0, f"comes 2 days too late, on {day(odoo, 12)}"),
        (3.0, "expired"),
    }
    assert f"91 from Binford at 9 USD by {day(odoo, 8)}, ordered by" in found.message
    # As without a day, and then the vendors' notes.
    assert len(odoo.sent) == 5


def test_no_vendor_is_named_who_has_too_few() -> None:
    odoo = Buying()
    odoo.offer(5.0, x_max_qty=85)
    found = purchase.get_supply(odoo, product_id=3, quantity=91)
    assert found.offers[0].unusable == "above maximum"
    assert "no vendor alone has 91: Acme at most 85" in found.message
    assert "from Acme" not in found.message
    made = purchase.create_order(
        odoo, lines=[{"product_id": 3, "quantity": 91}], partner_id=7, origin="S00007"
    )
    assert made.warnings[0] == "Chair: the vendor sells at most 85."
    values = contents(odoo.asked("create")[0])
    assert (values["origin"], values["order_line"][0][2]["price_unit"]) == ("S00007", 5.0)
    assert made.origin == "S00007"


@pytest.mark.parametrize(
    ("note", "most"),
    [
        ("Max. order: 85", 85.0),
        ("maximum quantity 1,200 pieces", 1200.0),
        ("They sell no more than 40.", 40.0),
        ("max_qty=12", None),
        ("MAX 85; at most 85 each week", 85.0),
        ("At most 85, but maximum 20 on Fridays", None),
        ("Maximum delivery time 12", None),
        ("at most 5 days", None),
        ("maximum 10 % discount", None),
        ("max 1.200", None),
        ("Maxine, phone 555 12", None),
        ("Nothing.", None),
        (None, None),
    ],
)
def test_a_maximum_is_read_of_a_note_only_where_it_is_clear(
    note: str | None, most: float | None
) -> None:
    assert offers.most_in(note) == most


def test_the_cheapest_vendor_of_a_component_that_is_in_time_is_named() -> None:
    """Beside the preferred one: making begins on the seventh day."""
    odoo = shelf(19)
    in_stock(odoo, 50, incoming_qty=0.0, virtual_available=0.0)
    in_stock(odoo, 3, incoming_qty=0.0, virtual_available=4.0)
    in_stock(odoo, 51, incoming_qty=0.0, virtual_available=10.0)
    (board,) = [row for row in odoo.tables["product.product"] if row["id"] == 51]
    for number, price, delay in ((70, 8.5, 6), (71, 8.0, 7), (72, 1.0, 8)):
        odoo.tables["res.partner"].append({"id": number, "name": f"Rival {delay}"})
        odoo.offer(
            price, vendor=number, template=board["product_tmpl_id"], delay=delay, sequence=delay
        )
    found = purchase.get_supply(odoo, product_id=50, quantity=6, needed_by=day(odoo, 10))
    (boards,) = [item for item in found.making.short if item.product.id == 51]
    assert (boards.offer.price, boards.cheapest.price) == (8.5, 8.0)
    assert boards.cheapest.order_by == day(odoo, 0)
    assert f"Rival 6 at 8.5 USD by {day(odoo, 6)}" in found.message
    assert f"cheapest Rival 7 at 8 USD by {day(odoo, 7)}" in found.message


def shelf(major: int, kind: str = "normal") -> Buying:
    """Return an Odoo in which a shelf is made of chairs, boards and work."""
    odoo = Buying(major, mrp=True)
    made = odoo.add_product(50, "Shelf", free_qty=0.0, produce_delay=3.0)
    boards = odoo.add_product(51, "Board", free_qty=10.0)
    odoo.add_product(52, "Work", free_qty=0.0, type="service", is_storable=False)
    bom = {"id": 1, "product_tmpl_id": made, "type": kind, "product_qty": 1.0}
    odoo.tables["mrp.bom"].append(
        bom | {"product_uom_id": 2, "produce_delay": 3.0, "display_name": "Shelf"}
    )
    board = {"id": 2, "product_tmpl_id": boards, "type": "normal", "product_qty": 1.0}
    odoo.tables["mrp.bom"].append(board | {"product_uom_id": 1, "display_name": "Board"})
    for number, (component, quantity, uom) in enumerate([(3, 12.0, 1), (51, 5.0, 2), (52, 1.0, 1)]):
        line = {"id": number + 1, "bom_id": 1, "product_id": component, "product_uom_id": uom}
        odoo.tables["mrp.bom.line"].append(line | {"product_qty": quantity, "sequence": number})
    odoo.tables["mrp.bom.line"][1]["child_bom_id"] = 2
    for template, lines in ((30, [1]), (boards, [2])):
        rows = odoo.tables["product.template"]
        next(row for row in rows if row["id"] == template)["bom_line_ids"] = lines
    odoo.offer(7.0, delay=6)
    odoo.offer(9.0, delay=4, template=boards, min_qty=500)
    return odoo
