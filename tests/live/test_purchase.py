"""Buying with Odoo's own figures: from what can be had to the posted bill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, Policy, execute, records
from odoo_toolkit.apps import purchase
from odoo_toolkit.apps.inventory import adjust_stock, return_picking
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.lines import today
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.live_tapes import Open
from tests.kit.market import Market, confirmed, offer, on_hand, ordered, rows, template
from tests.kit.users import take_email
from tests.live.products import stored

pytestmark = pytest.mark.recorded

#: Above what any other test orders.
LIMIT = 5_000_000.0


@pytest.fixture
def buyer(opened: Open, suffix: str) -> Odoo:
    """A user with the rights of Purchase / User, and no others, on every version."""
    odoo = opened("Buyer in purchase.group_purchase_user")
    # To 14, Odoo makes no bill for somebody who has no address.
    take_email(opened, odoo, f"buyer-{suffix}@example.com")
    return odoo


@pytest.fixture
def two_steps(opened: Open) -> Iterator[None]:
    """A company in which orders above the limit need a second approval."""
    unguarded = opened("unguarded", policy=Policy(protect=False))
    mine = records.read(unguarded, "res.users", [unguarded.uid], ["company_id"]).records[0]
    company, names = mine["company_id"]["id"], ["po_double_validation"]
    names.append("po_double_validation_amount")
    before = records.read(unguarded, "res.company", [company], names).records[0]
    values = {"po_double_validation": "two_step", "po_double_validation_amount": LIMIT}
    records.write(unguarded, "res.company", [company], values)
    yield
    records.write(unguarded, "res.company", [company], {name: before[name] for name in names})


@pytest.mark.every_version
def test_several_products_have_the_supply_that_each_has(
    admin: Odoo, market: Market, suffix: str
) -> None:
    """Also until a day, and in a list of their own order."""
    other = records.create(admin, "product.product", {"name": f"Rug {suffix}", **stored(admin)}).id
    adjust_stock(admin, product_id=other, quantity=3)
    order: list[Any] = [{"product_id": market.product, "quantity": 7}]
    purchase.create_order(admin, lines=order, partner_name=f"Vendor {market.tag}", confirm=True)
    due = (date.fromisoformat(today(admin)) + timedelta(days=30)).isoformat()
    wanted: list[Any] = [
        {"product_id": other, "quantity": 5},
        {"product_name": market.name, "quantity": 20},
    ]
    for needed_by, lacking in ((None, 20), (due, 13)):
        found = purchase.list_supply(admin, products=wanted, needed_by=needed_by)
        rug, goods = found.products
        assert (rug.product.id, rug.free, rug.offers) == (other, 3, [])
        alone = purchase.get_supply(
            admin, product_id=market.product, quantity=20, needed_by=needed_by
        )
        assert attrs.evolve(goods, message="") == attrs.evolve(
            alone, message="", offers=alone.offers[:3], incoming=alone.incoming[:3], warnings=[]
        )
        assert found.message == f"2 products. Missing: 2 {rug.product.name}, {lacking} " + (
            f"{goods.product.name}."
        )


def test_from_what_can_be_had_to_the_posted_bill(admin: Odoo, market: Market) -> None:
    """120 ordered at the price for 100 and more, 50 received and billed, then the rest."""
    day = date.fromisoformat(today(admin))
    has_discount = "discount" in admin.schema.fields("product.supplierinfo")
    price = 7.2 if has_discount else 8.0

    can = purchase.get_supply(admin, product_name=market.name, quantity=120)
    assert (can.on_hand, can.free, can.forecast, can.incoming) == (0.0, 0.0, 0.0, [])
    assert [(o.min_quantity, o.price, o.unusable) for o in can.offers] == [
        (100.0, 8.0, None),
        (1.0, 10.0, None),
        (1.0, 1.0, "expired"),
    ]
    assert can.offers[0].arrives == (day + timedelta(days=9)).isoformat()
    assert f"at {price:g}" in can.message

    order = purchase.create_order(
        admin,
        lines=[{"product_name": market.name, "quantity": 120}, {"name": "As discussed"}],
        partner_name=f"Vendor {market.tag}",
        partner_ref=f"R-{market.tag}",
        confirm=True,
    )
    assert (order.confirmed, order.state, order.warnings) == (True, "purchase", [])
    assert order.amount_total == pytest.approx(120 * price)
    (line, note) = order.lines
    assert (line.price_unit, line.discount) == (8.0, 10.0 if has_discount else 0.0)
    assert note.kind == "note"
    row = records.read(admin, "purchase.order", [order.id], ["payment_term_id"]).records[0]
    assert row["payment_term_id"]["id"] == market.terms
    (receipt,) = order.receipts
    assert (receipt.type, receipt.state) == ("incoming", "assigned")
    (arrival,) = purchase.get_supply(admin, product_id=market.product).incoming
    assert (arrival.quantity, arrival.source) == (120.0, order.name)
    assert str(arrival.date)[:10] == (day + timedelta(days=9)).isoformat()

    with pytest.raises(StateError, match="can be billed yet"):
        purchase.create_bill(admin, order_id=order.id)
    lines = [{"product_id": market.product, "quantity": 50}]
    came = purchase.receive(admin, order_id=order.id, lines=lines, backorder=True)
    assert came.validated
    assert on_hand(admin, market.product) == 50.0

    bill = purchase.create_bill(
        admin, order_name=order.name, invoice_date="2026-01-31", ref=f"B-{market.tag}", post=True
    )
    assert (bill.posted, bill.invoice_date) == (True, "2026-01-31"), bill
    assert bill.amount_untaxed == pytest.approx(50 * price)

    rest = purchase.receive(admin, order_id=order.id)
    assert (rest.id, rest.validated) == (came.backorder.id, True)
    assert on_hand(admin, market.product) == 120.0
    second = purchase.create_bill(admin, order_id=order.id)
    assert (second.state, second.amount_untaxed) == ("draft", pytest.approx(70 * price))

    now = purchase.get_order(admin, order_id=order.id)
    assert (now.lines[0].received, now.lines[0].billed) == (120.0, 120.0)
    assert [r.state for r in now.receipts] == ["done", "done"]
    assert [(b.state, b.ref) for b in now.bills] == [
        ("posted", f"B-{market.tag}"),
        ("draft", f"R-{market.tag}"),
    ]
    with pytest.raises(StateError, match=r"is already done.*is already posted"):
        purchase.cancel_order(admin, order_id=order.id)


@pytest.mark.every_version
def test_a_plan_to_cancel_names_the_receipts_that_odoo_cancels(admin: Odoo, market: Market) -> None:
    order = ordered(admin, market, 3)
    purchase.confirm_order(admin, order_id=order.id)
    plan = purchase.cancel_order(admin, order_id=order.id, dry_run=True)
    purchase.cancel_order(admin, order_id=order.id)
    assert isinstance(plan, Plan)
    (receipt,) = purchase.get_order(admin, order_id=order.id).receipts
    assert receipt.state == "cancel"
    assert plan.message.startswith(f"Would cancel {order.name} (and with it {receipt.name}): ")


@pytest.mark.every_version
def test_what_is_suggested_for_a_received_order_can_be_done(admin: Odoo, market: Market) -> None:
    """Returned, it is cancelled on 19; to 18 Odoo refuses for good, and the suggestion says so."""
    order = ordered(admin, market, 3)
    purchase.confirm_order(admin, order_id=order.id)
    came = purchase.receive(admin, order_id=order.id)
    with pytest.raises(StateError) as raised:
        purchase.cancel_order(admin, order_id=order.id)
    assert "return_picking" in raised.value.suggestion
    return_picking(admin, picking_id=came.id, validate=True)
    if admin.version.major >= 19:
        gone = purchase.cancel_order(admin, order_id=order.id)
        assert gone.cancelled
    else:
        assert "The order stays" in raised.value.suggestion
        with pytest.raises(OdooError, match="already"):
            execute(admin, "purchase.order", "button_cancel", [[order.id]])


def test_what_is_needed_by_a_day(admin: Odoo, market: Market) -> None:
    """An order that comes in time counts, one that is late does not; a note tells the maximum."""
    now = date.fromisoformat(today(admin))
    due = now + timedelta(days=8)
    rival = market.make(
        "res.partner", name=f"Rival {market.tag}", comment="Sells at most 40 pieces at a time."
    )
    offer(market, admin, market.product, rival, min_qty=1, price=6.0, delay=3, sequence=9)
    ordered_in_time = purchase.create_order(
        admin,
        lines=[
            {"product_id": market.product, "quantity": 5, "date_planned": str(due)},
            {"product_id": market.product, "quantity": 9, "date_planned": "2031-05-06"},
        ],
        partner_id=market.vendor,
        origin=f"SO {market.tag}",
        confirm=True,
    )
    assert ordered_in_time.origin == f"SO {market.tag}"

    found = purchase.get_supply(admin, product_id=market.product, quantity=55, needed_by=str(due))
    assert (found.coming, found.missing, found.forecast) == (5.0, 50.0, 5.0)
    assert [(item.quantity, item.source) for item in found.incoming] == [
        (5.0, ordered_in_time.name)
    ]
    assert [(o.price, o.unusable, o.order_by) for o in found.offers] == [
        (10.0, None, str(due - timedelta(days=7))),
        (6.0, "above maximum", str(due - timedelta(days=3))),
    ]
    assert found.offers[1].max_quantity == 40.0
    assert {(o.price, o.unusable) for o in found.omitted} == {
        (8.0, f"comes 1 day too late, on {now + timedelta(days=9)}"),
        (1.0, "expired"),
    }
    assert f"50 from Vendor {market.tag}" in found.message
    some = purchase.get_supply(admin, product_id=market.product, quantity=45, needed_by=str(due))
    assert [o.unusable for o in some.offers] == [None, None]
    all_of_it = purchase.get_supply(admin, product_id=market.product, quantity=14)
    assert (all_of_it.coming, all_of_it.missing, all_of_it.forecast) == (None, None, 14.0)


def test_totals_without_taxes_stand_beside_those_with(admin: Odoo, market: Market) -> None:
    company = acting_company(admin, "purchase.order")
    tax = market.make(
        "account.tax",
        name=f"Tax {market.tag}",
        amount=20.0,
        type_tax_use="purchase",
        company_id=company,
    )
    records.write(
        admin, "product.product", [market.product], {"supplier_taxes_id": [[6, 0, [tax]]]}
    )
    made = ordered(admin, market, 5)
    assert (made.amount_untaxed, made.amount_total) == (50.0, 60.0)
    assert "60.00 USD (50.00 untaxed)" in made.message
    assert (made.lines[0].subtotal, made.lines[0].total) == (50.0, 60.0)


def test_an_order_below_the_vendors_least_quantity_says_so(admin: Odoo, market: Market) -> None:
    product = market.make("product.product", name=f"Least {market.tag}", **stored(admin))
    offer(market, admin, product, market.vendor, min_qty=20, price=4.0)
    made = purchase.create_order(
        admin, lines=[{"product_id": product, "quantity": 3}], partner_id=market.vendor
    )
    assert made.lines[0].price_unit == 4.0
    assert "at least 20" in made.warnings[0]


def test_prices_that_are_given_win(admin: Odoo, market: Market) -> None:
    made = ordered(admin, market, 200, price_unit=9.5, date_planned="2031-05-06")
    (line,) = made.lines
    assert (line.price_unit, line.discount, line.subtotal) == (9.5, 0.0, 1900.0)
    assert str(line.date_planned)[:10] == "2031-05-06"


def test_whoever_may_buy_needs_no_other_rights(buyer: Odoo, market: Market) -> None:
    """All but receiving and posting; where stock may not be known, offers are."""
    can = purchase.get_supply(buyer, product_id=market.product, quantity=5)
    assert [found.unusable for found in can.offers] == [None, "below minimum", "expired"]
    order = ordered(buyer, market)
    assert order.lines[0].price_unit == 10.0
    product = {"product_id": market.product, "price_unit": 2.0}
    records.write(buyer, "purchase.order", [order.id], {"order_line": [[0, 0, product]]})
    done = purchase.confirm_order(buyer, order_id=order.id)
    assert (done.confirmed, len(done.receipts)) == (True, 1)
    found = purchase.get_order(buyer, order_name=done.name)
    assert (found.line_count, found.warnings) == (2, [])
    gone = purchase.cancel_order(buyer, order_id=order.id)
    assert (gone.cancelled, gone.warnings) == (True, [])


def test_a_second_approval_names_who_may_give_it(
    admin: Odoo, buyer: Odoo, market: Market, two_steps: None
) -> None:
    """The buyer's order waits; only an administrator of Purchase approves it, on 14 too."""
    order = ordered(buyer, market, 100, price_unit=LIMIT)
    waits = purchase.confirm_order(buyer, order_id=order.id)
    assert (waits.confirmed, waits.state, waits.receipts) == (False, "to approve", [])
    assert admin.uid in [person.id for person in waits.approvers]
    assert waits.approvers[0].name in waits.message
    before = rows(admin, market)
    for approve in (False, True):
        with pytest.raises(StateError, match="waits for approval") as raised:
            purchase.confirm_order(buyer, order_id=order.id, approve=approve)
        assert admin.uid in [person["id"] for person in raised.value.details["approvers"]]
    with pytest.raises(StateError, match="state to approve") as raised:
        purchase.receive(buyer, order_id=order.id)
    assert "approved first" in raised.value.suggestion
    assert rows(admin, market) == before
    approved = purchase.confirm_order(admin, order_id=order.id, approve=True)
    assert (approved.confirmed, len(approved.receipts)) == (True, 1)


def test_cancelling_takes_the_receipt_along_and_leaves_the_draft_bill(
    admin: Odoo, market: Market
) -> None:
    product = {"purchase_method": "purchase"}
    records.write(admin, "product.template", [template(admin, market.product)], product)
    order = confirmed(admin, market)
    bill = purchase.create_bill(admin, order_id=order)
    gone = purchase.cancel_order(admin, order_id=order)
    assert (gone.cancelled, gone.state) == (True, "cancel")
    assert [receipt.state for receipt in gone.receipts] == ["cancel"]
    assert [found.id for found in gone.bills] == [bill.id]
    assert "draft bill" in gone.warnings[0]
    again = purchase.cancel_order(admin, order_id=order)
    assert isinstance(again, purchase.Order)
    assert "already" in again.message


def test_what_is_refused_leaves_the_database_as_it_was(admin: Odoo, market: Market) -> None:
    draft, sure = ordered(admin, market).id, confirmed(admin, market)
    market.make("product.product", name=f"Bolt {market.tag} long")
    market.make("product.product", name=f"Bolt {market.tag} short")
    other = market.make("product.product", name=f"Other {market.tag}", **stored(admin))
    empty = market.make("purchase.order", partner_id=market.vendor)
    gone = ordered(admin, market).id
    purchase.cancel_order(admin, order_id=gone)
    service = market.make("product.product", name=f"Service {market.tag}", type="service")
    served = purchase.create_order(
        admin, lines=[{"product_id": service}], partner_id=market.vendor, confirm=True
    )
    assert isinstance(served, purchase.Order)

    def create(line: dict[str, Any], **head: Any) -> Any:
        head = head or {"partner_id": market.vendor}
        return purchase.create_order(admin, lines=[line], **head)

    def receive(order: int, *lines: dict[str, Any], **more: Any) -> Any:
        return purchase.receive(admin, order_id=order, lines=list(lines) or None, **more)

    bolt = {"product_id": market.product}
    refused: list[tuple[Callable[[], Any], type[OdooError], str]] = [
        (lambda: create({"product_name": f"No {market.tag}"}), NotFoundError, "No product"),
        (lambda: create({"product_name": f"olt {market.tag}"}), AmbiguousNameError, "Several"),
        (lambda: create(bolt, partner_name=f"No {market.tag}"), NotFoundError, "No res.partner"),
        (lambda: create({**bolt, "quantity": 0}), ValidationError, "more than 0"),
        (lambda: create({**bolt, "date_planned": "soon"}), ValidationError, "date_planned"),
        (lambda: purchase.confirm_order(admin, order_id=empty), StateError, "no lines"),
        (lambda: purchase.confirm_order(admin, order_id=sure), StateError, "already confirmed"),
        (lambda: purchase.confirm_order(admin, order_id=gone), StateError, "is cancelled"),
        (lambda: purchase.confirm_order(admin, order_name="P9876543"), NotFoundError, "P9876543"),
        (lambda: purchase.create_bill(admin, order_id=draft), StateError, "not a confirmed"),
        (lambda: purchase.create_bill(admin, order_id=gone), StateError, "not a confirmed"),
        (lambda: purchase.create_bill(admin, order_id=sure), StateError, "can be billed yet"),
        (
            lambda: purchase.create_bill(admin, order_id=sure, invoice_date="then"),
            ValidationError,
            "invoice_date",
        ),
        (lambda: receive(draft), StateError, "not a confirmed"),
        (lambda: receive(gone), StateError, "not a confirmed"),
        (lambda: receive(served.id), StateError, "no receipt"),
        (lambda: receive(sure, {**bolt, "quantity": 6}), OdooError, "more"),
        (lambda: receive(sure, {**bolt, "quantity": 2}), OdooError, "backorder"),
        (lambda: receive(sure, {"product_id": other, "quantity": 1}), OdooError, ""),
        (lambda: receive(sure, {**bolt, "quantity": -1}), ValidationError, "more than 0"),
        (lambda: receive(sure, picking_id=1), StateError, "not an open receipt"),
    ]
    before = rows(admin, market)
    for number, (call, error, words) in enumerate(refused):
        with pytest.raises(error) as raised:
            call()
        told = f"{raised.value} {raised.value.suggestion}"
        assert words in told, (number, told)
    assert rows(admin, market) == before


def test_more_than_was_ordered_comes_when_said_so(admin: Odoo, market: Market) -> None:
    order = confirmed(admin, market)
    lines = [{"product_id": market.product, "quantity": 7}]
    came = purchase.receive(admin, order_id=order, lines=lines, allow_more=True)
    assert came.validated
    now = purchase.get_order(admin, order_id=order)
    assert now.lines[0].received == 7.0


def test_lots_are_made_as_they_come(admin: Odoo, market: Market) -> None:
    lot = {"name": f"Lot {market.tag}", "tracking": "lot", **stored(admin)}
    product = market.make("product.product", **lot)
    order = purchase.create_order(
        admin,
        lines=[{"product_id": product, "quantity": 5}],
        partner_id=market.vendor,
        confirm=True,
    )
    lines: list[dict[str, Any]] = [
        {"product_id": product, "quantity": 3, "lots": [f"A{market.tag}"]},
        {"product_id": product, "quantity": 2, "lots": [f"B{market.tag}"]},
    ]
    came = purchase.receive(admin, order_id=order.id, lines=lines)
    assert came.validated, came.warnings
    quants = records.search_read(
        admin,
        "stock.quant",
        [["product_id", "=", product], ["location_id.usage", "=", "internal"]],
        ["lot_id", "quantity"],
    ).records
    assert {(q["lot_id"]["name"], q["quantity"]) for q in quants} == {
        (f"A{market.tag}", 3.0),
        (f"B{market.tag}", 2.0),
    }


def test_a_dry_run_writes_nothing(admin: Odoo, market: Market) -> None:
    order, sure = ordered(admin, market).id, confirmed(admin, market)
    before = rows(admin, market)
    plans = [
        purchase.create_order(
            admin, lines=[{"product_id": market.product}], partner_id=market.vendor, dry_run=True
        ),
        purchase.confirm_order(admin, order_id=order, dry_run=True),
        purchase.receive(admin, order_id=sure, dry_run=True),
        purchase.cancel_order(admin, order_id=sure, dry_run=True),
    ]
    assert all(isinstance(plan, Plan) and plan.calls for plan in plans)
    assert rows(admin, market) == before


def test_without_rights_nothing_happens(admin: Odoo, ordinary: Odoo, market: Market) -> None:
    """A user without Purchase is told so."""
    sure = confirmed(admin, market)
    before = rows(admin, market)
    line = {"product_id": market.product}
    for call in (
        lambda: purchase.create_order(ordinary, lines=[line], partner_id=market.vendor),
        lambda: purchase.confirm_order(ordinary, order_id=sure),
        lambda: purchase.get_order(ordinary, order_id=sure),
        lambda: purchase.create_bill(ordinary, order_id=sure),
        lambda: purchase.cancel_order(ordinary, order_id=sure),
    ):
        with pytest.raises(AccessError):
            call()
    assert rows(admin, market) == before


def test_what_can_be_made_waits_for_its_slowest_component(admin: Odoo, market: Market) -> None:
    """Two of one component each, of which nothing is there, and none of a service."""
    if not admin.schema.has_model("mrp.bom"):
        pytest.skip("Manufacturing is not installed.")
    day = date.fromisoformat(today(admin))
    made = market.make("product.product", name=f"Shelf {market.tag}", **stored(admin))
    work = market.make("product.product", name=f"Work {market.tag}", type="service")
    delay = "produce_delay"
    values: dict[str, Any] = {"product_tmpl_id": template(admin, made), "product_qty": 2}
    if delay in admin.schema.fields("mrp.bom"):
        values[delay] = 3
    else:
        records.write(admin, "product.template", [template(admin, made)], {delay: 3})
    components = [{"product_id": market.product, "product_qty": 8}, {"product_id": work}]
    market.make("mrp.bom", **values, bom_line_ids=[[0, 0, line] for line in components])

    can = purchase.get_supply(admin, product_id=made, quantity=5).making
    assert (can.kit, can.possible_now, can.days) == (False, 0.0, 3)
    (short,) = can.short
    assert (short.product.id, short.missing) == (market.product, 20.0)
    assert short.arrives == (day + timedelta(days=7)).isoformat()
    assert can.ready == (day + timedelta(days=10)).isoformat()

    order = confirmed(admin, market, 14)
    purchase.receive(admin, order_id=order)
    can = purchase.get_supply(admin, product_id=made, quantity=3).making
    assert (can.possible_now, can.short) == (3.5, [])
    assert can.ready == (day + timedelta(days=3)).isoformat()


@pytest.mark.every_version
def test_components_come_from_the_vendor_who_is_in_time(admin: Odoo, market: Market) -> None:
    """Odoo prefers a slow vendor; a fast one, or two with a maximum together, are in time."""
    now = date.fromisoformat(today(admin))
    due = str(now + timedelta(days=4))
    made = market.make("product.product", name=f"Rack {market.tag}", **stored(admin))
    line = {"product_id": market.product, "product_qty": 1}
    market.make(
        "mrp.bom", product_tmpl_id=template(admin, made), product_qty=1, bom_line_ids=[[0, 0, line]]
    )

    def ask(quantity: float, needed_by: str | None = due) -> tuple[Any, ...]:
        can = purchase.get_supply(
            admin, product_id=made, quantity=quantity, needed_by=needed_by
        ).making
        (short,) = can.short
        return can.in_time, short.arrives, [name.split()[0] for name in short.vendors]

    assert ask(10) == (False, str(now + timedelta(days=7)), ["Vendor"])
    for name, delay in (("Near", 2), ("Next", 3)):
        rival = market.make(
            "res.partner", name=f"{name} {market.tag}", comment="Sells at most 40 pieces."
        )
        offer(market, admin, market.product, rival, min_qty=1, price=20.0, delay=delay, sequence=9)
    assert ask(10) == (True, str(now + timedelta(days=2)), ["Near"])
    assert ask(70) == (True, str(now + timedelta(days=3)), ["Near", "Next"])
    assert ask(90) == (False, str(now + timedelta(days=7)), ["Vendor"])
    assert ask(10, None) == (None, str(now + timedelta(days=7)), ["Vendor"])


@pytest.mark.every_version
def test_the_stock_in_a_kit_counts_once(admin: Odoo, market: Market) -> None:
    """Of ten bolts five kits are there; for eight kits six bolts are missing, by a day or not."""
    now = date.fromisoformat(today(admin))
    kit = market.make("product.product", name=f"Kit {market.tag}", **stored(admin))
    line = {"product_id": market.product, "product_qty": 2}
    values = {"product_tmpl_id": template(admin, kit), "product_qty": 1, "type": "phantom"}
    market.make("mrp.bom", **values, bom_line_ids=[[0, 0, line]])
    purchase.receive(admin, order_id=confirmed(admin, market, 10))
    for needed_by in (None, str(now + timedelta(days=9))):
        found = purchase.get_supply(admin, product_id=kit, quantity=8, needed_by=needed_by)
        assert found.free == 5.0
        assert [item.missing for item in found.making.short] == [6.0]
        assert (found.making.kit, found.making.days) == (True, 0)


def test_components_that_come_in_time_are_not_missing(admin: Odoo, market: Market) -> None:
    """Ten bolts for ten shelves are ordered for the day on which making has to begin."""
    if not admin.schema.has_model("mrp.bom"):
        pytest.skip("Manufacturing is not installed.")
    now = date.fromisoformat(today(admin))
    made = market.make("product.product", name=f"Rack {market.tag}", **stored(admin))
    values: dict[str, Any] = {"product_tmpl_id": template(admin, made), "product_qty": 1}
    if "produce_delay" in admin.schema.fields("mrp.bom"):
        values["produce_delay"] = 2
    else:
        records.write(admin, "product.template", [template(admin, made)], {"produce_delay": 2})
    line = {"product_id": market.product, "product_qty": 1}
    market.make("mrp.bom", **values, bom_line_ids=[[0, 0, line]])
    start = now + timedelta(days=4)
    lines = [{"product_id": market.product, "quantity": 10, "date_planned": str(start)}]
    order = purchase.create_order(admin, lines=lines, partner_id=market.vendor, confirm=True)
    due = str(start + timedelta(days=2))
    can = purchase.get_supply(admin, product_id=made, quantity=10, needed_by=due).making
    (bolt,) = can.short
    assert (bolt.missing, bolt.coming, bolt.arrives) == (0.0, 10.0, str(start))
    assert [item.source for item in bolt.receipts] == [order.name]
    assert (can.start_by, can.ready, can.in_time) == (str(start), due, True)
    soon = purchase.get_supply(
        admin, product_id=made, quantity=10, needed_by=str(now + timedelta(days=5))
    )
    assert (soon.making.short[0].missing, soon.making.in_time) == (10.0, False)
    assert "(too late)" in soon.message
