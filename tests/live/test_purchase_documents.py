"""From the receipt to the refund, with Odoo's own figures on every version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps import purchase
from odoo_toolkit.apps.inventory import Transfer
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.lines import today
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.market import Market, confirmed, on_hand, rows
from tests.live.products import stored

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]


def taxed(admin: Odoo, market: Market) -> None:
    """Put a tax of a fifth on the product."""
    company = acting_company(admin, "purchase.order")
    tax = {"name": f"Tax {market.tag}", "amount": 20.0, "type_tax_use": "purchase"}
    made = market.make("account.tax", **tax, company_id=company)
    values = {"supplier_taxes_id": [[6, 0, [made]]]}
    records.write(admin, "product.product", [market.product], values)


def lines_of(admin: Odoo, order: int) -> list[tuple[float, float]]:
    """Return what was received and billed, as Odoo has it."""
    fields = ["qty_received", "qty_invoiced"]
    domain = [["order_id", "=", order], ["product_id", "!=", False]]
    found = records.search_read(admin, "purchase.order.line", domain, fields, order="id").records
    return [(row["qty_received"], row["qty_invoiced"]) for row in found]


def test_receipt_bill_payment_return_refund(admin: Odoo, market: Market) -> None:
    """The second half of buying, in two calls; a plan before each writes nothing."""
    taxed(admin, market)
    order = confirmed(admin, market, 10)
    name = f"P{order}"
    before = rows(admin, market)
    plan = purchase.process_orders(admin, orders=[order], dry_run=True)
    assert isinstance(plan, purchase.OrdersPlan)
    assert set(plan.orders[0].actions) == {"receive", "bill", "post", "pay"}
    assert rows(admin, market) == before

    done = purchase.process_orders(admin, orders=[order], ref=f"F-{market.tag}")
    (outcome,) = done.orders
    assert (outcome.complete, outcome.error, outcome.warnings) == (True, None, [])
    assert (outcome.amount_untaxed, outcome.amount_total, outcome.amount_due) == (100, 120, 0)
    assert on_hand(admin, market.product) == 10.0
    assert lines_of(admin, order) == [(10.0, 10.0)]
    bill = outcome.done["post"][0].id
    row = records.read(admin, "account.move", [bill], ["payment_state", "ref", "state"]).records[0]
    assert (row["state"], row["ref"]) == ("posted", f"F-{market.tag}")
    assert row["payment_state"] in ("paid", "in_payment")
    before = rows(admin, market)
    again = purchase.process_orders(admin, orders=[order])
    assert set(again.orders[0].not_needed) == {"receive", "bill", "post", "pay"}, name
    assert rows(admin, market) == before

    lines = [{"product_name": market.name, "quantity": 4}]
    how: dict[str, Any] = {"order_id": order, "lines": lines, "reason": "Bent", "post": True}
    planned = purchase.return_order(admin, **how, dry_run=True)
    assert isinstance(planned, Plan)
    assert "48.00" in planned.message
    assert rows(admin, market) == before
    back = purchase.return_order(admin, **how)
    assert [item.state for item in back.returns] == ["done"]
    (refund,) = back.refunds
    assert (refund.move_type, refund.state, refund.warnings) == ("in_refund", "posted", [])
    assert (refund.amount_untaxed, refund.amount_total) == (40.0, 48.0)
    assert on_hand(admin, market.product) == 6.0
    assert lines_of(admin, order) == [(6.0, 6.0)]
    row = records.read(admin, "account.move", [refund.id], ["reversed_entry_id"]).records[0]
    assert row["reversed_entry_id"]["id"] == bill

    rest = purchase.return_order(admin, order_id=order)
    assert [item.amount_untaxed for item in rest.refunds] == [60.0]
    assert (on_hand(admin, market.product), lines_of(admin, order)) == (0.0, [(0.0, 0.0)])
    before = rows(admin, market)
    with pytest.raises(StateError, match="has been returned"):
        purchase.return_order(admin, order_id=order)
    assert rows(admin, market) == before


def test_what_is_billed_by_order_is_refunded_by_what_goes_back(admin: Odoo, market: Market) -> None:
    """Three of five came, all five are billed; one goes back."""
    records.write(admin, "product.product", [market.product], {"purchase_method": "purchase"})
    order = confirmed(admin, market, 5)
    lines = [{"product_id": market.product, "quantity": 3}]
    purchase.receive(admin, order_id=order, lines=lines, backorder=True)
    purchase.process_orders(admin, orders=[order], steps=["bill", "post"])
    assert lines_of(admin, order) == [(3.0, 5.0)]
    sent = [{"product_id": market.product, "quantity": 1}]
    back = purchase.return_order(admin, order_id=order, lines=sent)
    assert [item.amount_untaxed for item in back.refunds] == [10.0]
    assert lines_of(admin, order) == [(2.0, 4.0)]
    assert any("bill it again" in text for text in back.warnings)


def test_a_vendors_bill_is_matched_before_it_is_entered(admin: Odoo, market: Market) -> None:
    """Six of ten are received; the bill has eight at another price, and then the right ones."""
    taxed(admin, market)
    order = confirmed(admin, market, 10)
    came = purchase.receive(
        admin, order_id=order, lines=[{"product_id": market.product, "quantity": 6}], backorder=True
    )
    assert isinstance(came, Transfer)
    wrong = [{"product_name": market.name, "quantity": 8, "price_unit": 11}]
    right = [{"product_name": market.name, "quantity": 6, "price_unit": 10}]
    head: dict[str, Any] = {"order_id": order, "ref": f"F-{market.tag}"}
    head["invoice_date"] = today(admin)
    market.make("product.product", name=f"Other {market.tag}", **stored(admin))

    def enter(lines: Any = right, **other: Any) -> Any:
        return purchase.enter_bill(admin, lines=lines, **{**head, **other})

    before = rows(admin, market)
    plan = enter(wrong, dry_run=True)
    assert isinstance(plan, purchase.BillPlan)
    assert [len(line.differences) for line in plan.lines] == [2]
    assert "the price is 11 on the bill and 10 on the order (+8.00)" in str(plan.differences)
    refused: list[tuple[Callable[[], Any], type[OdooError], str]] = [
        (lambda: enter(wrong), ValidationError, "the bill has 8, but only 6 can be billed"),
        (lambda: enter(amount_untaxed=61.0), ValidationError, "add up to 60.00, not 61.00"),
        (lambda: enter(order_id=10**8), NotFoundError, "no purchase order"),
        (
            lambda: enter([{**right[0], "product_name": f"Other {market.tag}"}]),
            NotFoundError,
            "has no line",
        ),
        (lambda: enter([*right, *right]), ValidationError, "same order line"),
        (lambda: enter(invoice_date="2025-02-30"), ValidationError, "invoice_date"),
    ]
    for number, (call, error, words) in enumerate(refused):
        with pytest.raises(error) as raised:
            call()
        assert words in f"{raised.value} {raised.value.suggestion}", number
    assert rows(admin, market) == before

    made = enter(amount_untaxed=60.0, amount_total=72.0, post=True)
    assert isinstance(made, purchase.EnteredBill)
    assert (made.bill.state, made.differences, made.warnings) == ("posted", [], [])
    assert made.bill.invoice_date == head["invoice_date"]
    assert (made.bill.amount_untaxed, made.bill.amount_total) == (60.0, 72.0)
    assert lines_of(admin, order) == [(6.0, 6.0)]
    (linked,) = purchase.get_order(admin, order_id=order).bills
    assert (linked.id, linked.ref) == (made.bill.id, head["ref"])
    terms = records.read(admin, "account.move", [made.bill.id], ["invoice_payment_term_id"])
    assert terms.records[0]["invoice_payment_term_id"]["id"] == market.terms

    before = rows(admin, market)
    spelled = f"f {market.tag.upper()}"
    for again in (head["ref"], spelled):
        with pytest.raises(StateError, match="already exists") as raised:
            enter([{**right[0], "quantity": 4}], ref=again, accept_differences=True)
        assert raised.value.details["ids"] == [made.bill.id]
    assert rows(admin, market) == before

    # Goods that are not there yet, as the vendor has them.
    rest = enter(
        [{**right[0], "quantity": 4}],
        ref=f"G-{market.tag}",
        accept_differences=True,
        amount_total=99.0,
        post=True,
    )
    assert (rest.bill.state, rest.bill.amount_total) == ("draft", 48.0)
    assert "48.00 in Odoo, not 99.00" in rest.warnings[0]
    assert lines_of(admin, order) == [(6.0, 10.0)]


def test_two_lines_of_a_product_are_told_apart(admin: Odoo, market: Market) -> None:
    lines: list[dict[str, Any]] = [
        {"product_id": market.product, "quantity": 2, "price_unit": 10},
        {"product_id": market.product, "quantity": 3, "price_unit": 9},
    ]
    made = purchase.create_order(admin, lines=lines, partner_id=market.vendor, confirm=True)
    purchase.receive(admin, order_id=made.id)
    head: dict[str, Any] = {"order_id": made.id, "ref": f"H-{market.tag}"}
    head["invoice_date"] = "2025-03-04"
    said = {"quantity": 3, "price_unit": 9}
    with pytest.raises(AmbiguousNameError):
        purchase.enter_bill(admin, lines=[{"product_id": market.product, **said}], **head)
    chosen = {"order_line_id": made.lines[1].id, **said}
    entered = purchase.enter_bill(admin, lines=[chosen], **head)
    assert isinstance(entered, purchase.EnteredBill)
    assert [line.id for line in entered.not_billed] == [made.lines[0].id]
    assert lines_of(admin, made.id) == [(2.0, 0.0), (3.0, 3.0)]


def test_one_order_that_stops_does_not_stop_the_others(admin: Odoo, market: Market) -> None:
    request = purchase.create_order(
        admin, lines=[{"product_id": market.product, "quantity": 1}], partner_id=market.vendor
    )
    sure = confirmed(admin, market, 2)
    result = purchase.process_orders(admin, orders=[request.id, sure], steps=["receive", "bill"])
    first, second = result.orders
    assert (first.stopped_at, second.complete, list(second.done)) == (
        "receive",
        True,
        ["receive", "bill"],
    )
    assert "the confirm step" in first.error["suggestion"]
    both = purchase.process_orders(
        admin, orders=[request.id, sure], steps=["confirm", "receive", "bill", "post"]
    )
    assert [order.complete for order in both.orders] == [True, True]
    # Each is posted, and not paid.
    assert [order.amount_due for order in both.orders] == [10.0, 20.0]


def test_without_rights_no_document_is_made(admin: Odoo, ordinary: Odoo, market: Market) -> None:
    order = confirmed(admin, market)
    purchase.receive(admin, order_id=order)
    before = rows(admin, market)
    line = {"product_id": market.product, "quantity": 5, "price_unit": 10}
    for call in (
        lambda: purchase.process_orders(ordinary, orders=[order]),
        lambda: purchase.return_order(ordinary, order_id=order),
        lambda: purchase.enter_bill(
            ordinary, order_id=order, ref="F-1", invoice_date="2025-03-04", lines=[line]
        ),
    ):
        with pytest.raises(AccessError):
            call()
    assert rows(admin, market) == before
