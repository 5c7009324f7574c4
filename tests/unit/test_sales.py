"""Sales orders: what is checked, sent and said, on the field lists of Odoo 14 to 19."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import sales
from odoo_toolkit.errors import AccessError, StateError, ValidationError, WizardRequiredError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.results import RecordName
from tests.unit.fake_sales import VERSIONS, FakeOdoo
from tests.unit.fake_shop import shop, written


def picking(**values: Any) -> dict[str, Any]:
    """Return a transfer's row."""
    row = {"id": 5, "name": "WH/OUT/00012", "state": "assigned", "scheduled_date": False}
    return row | {"picking_type_code": "outgoing"} | values


def invoice(**values: Any) -> dict[str, Any]:
    """Return an invoice's row."""
    return {
        "id": 9,
        "name": "INV/2026/00001",
        "display_name": "INV/2026/00001",
        "state": "posted",
        "move_type": "out_invoice",
        "payment_state": "not_paid",
        "amount_untaxed": 300.0,
        "amount_total": 345.0,
        "amount_residual": 345.0,
    } | values


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ({"product_id": 3, "quantity": -1}, "quantity must not be negative"),
        ({"product_id": 3, "discount": 101}, "discount must be a percentage"),
        ({"product_id": 3, "discount": -1}, "discount must be a percentage"),
        ({"product_id": 3, "price_unit": float("nan")}, "price_unit"),
        ({"product_id": 3, "quantity": "2"}, "quantity"),
        ({"product_id": 3, "amount": 2}, "unknown key"),
        ({"product_id": 3, "product_name": "Chair"}, "Pass either"),
        ({"quantity": 2}, "neither a product nor a name"),
        ({"name": "  "}, "neither a product nor a name"),
        ({"product_name": " "}, "must be a name"),
        ({}, "neither a product nor a name"),
    ],
)
def test_a_wrong_line_is_refused_before_anything_is_sent(line: dict[str, Any], match: str) -> None:
    """The error names the line; Odoo is not even asked for names."""
    odoo = shop()
    with pytest.raises(ValidationError, match=match) as raised:
        sales.create_order(odoo, lines=[{"product_id": 3}, line], partner_id=7)
    assert "lines[1]" in raised.value.message + str(raised.value.details)
    assert odoo.sent == []


def test_a_confirmation_that_changes_nothing_is_not_believed() -> None:
    """True from Odoo is no proof; the state is."""
    odoo = shop()
    odoo.answers["sale.order", "action_confirm"] = True
    result = sales.create_order(odoo, lines=[{"product_id": 3}], partner_id=7, confirm=True)
    assert not result.confirmed
    assert "still draft" in result.warnings[0]


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("state", ["sale", "cancel", "done"])
def test_only_a_quotation_is_confirmed(major: int, state: str) -> None:
    """14 to 16 would silently do nothing, 17 to 19 refuse: here the state is named."""
    odoo = shop(major, state=state)
    with pytest.raises(StateError, match=f"state {state}") as raised:
        sales.confirm_order(odoo, order_name="S00012")
    assert raised.value.details["current_state"] == state
    assert written(odoo) == []


def test_an_unknown_wizard_at_the_confirmation_is_described() -> None:
    """The error holds everything needed to answer it."""
    odoo = shop()
    odoo.answers["sale.order", "action_confirm"] = {
        "type": "ir.actions.act_window",
        "res_model": "stock.picking",
        "target": "new",
    }
    odoo.answers["stock.picking", "get_view"] = {"arch": "<form/>"}
    with pytest.raises(WizardRequiredError) as raised:
        sales.confirm_order(odoo, order_id=12)
    assert raised.value.details["wizard_required"] is True


@pytest.mark.parametrize(("still", "allowed"), [(0, True), (1, False)])
def test_a_delivery_that_came_back_is_no_obstacle(still: int, allowed: bool) -> None:
    """What counts is whether anything is still with the customer; a reversed invoice is void."""
    odoo = shop(state="sale", picking_ids=[5, 6], invoice_ids=[9])
    odoo.answers["stock.picking", "search_read"] = [
        picking(state="done"),
        picking(id=6, name="WH/IN/1", state="done", picking_type_code="incoming"),
    ]
    odoo.answers["account.move", "search_read"] = [invoice(payment_state="reversed")]
    odoo.answers["sale.order.line", "search_read"] = [{"id": 1}] * still
    if allowed:
        sales.cancel_order(odoo, order_id=12)
        return
    with pytest.raises(StateError, match="WH/OUT/00012"):
        sales.cancel_order(odoo, order_id=12)


@pytest.mark.parametrize("major", VERSIONS)
def test_a_locked_order_is_not_cancelled(major: int) -> None:
    """Locked is a state to 16 and a field from 17 on."""
    values: dict[str, Any] = {"state": "done"} if major <= 16 else {"state": "sale", "locked": True}
    odoo = shop(major, **values)
    with pytest.raises(StateError, match="locked") as raised:
        sales.cancel_order(odoo, order_id=12)
    assert "action_unlock" in raised.value.suggestion
    assert written(odoo) == []


def test_reading_an_order_takes_four_round_trips() -> None:
    """By name, with lines, deliveries and invoices; what cannot be read is a warning."""
    odoo = shop(picking_ids=[5], invoice_ids=[9])
    odoo.answers["stock.picking", "search_read"] = [picking()]
    odoo.answers["account.move", "search_read"] = AccessError("not for you")
    found = sales.get_order(
        odoo, order_name="S00012", include_deliveries=True, include_invoices=True
    )
    assert len(odoo.sent) == 4
    assert (found.delivery_count, found.deliveries[0].state) == (1, "assigned")
    assert (found.invoice_count, found.invoices) == (1, None)
    assert "not for you" in found.warnings[0]


def invoicing(major: int = 19) -> FakeOdoo:
    """Return an Odoo with a confirmed order, an old draft of it, and what makes and posts more."""
    odoo = shop(major, state="sale", invoice_ids=[8])
    row = odoo.answers["sale.order", "search_read"](None)[0]
    moves = {8: "draft", 9: "draft"}

    def invoiced(_: Any) -> Any:
        row["invoice_ids"] = [8, 9]
        return {"type": "ir.actions.act_window_close"}

    def post(call: Any) -> bool:
        moves.update(dict.fromkeys(call.ids, "posted"))
        return False

    def found(call: Any) -> list[dict[str, Any]]:
        (leaf,) = (leaf for leaf in call.arguments["domain"] if leaf[0] == "id")
        ids = leaf[2] if isinstance(leaf[2], list) else [leaf[2]]
        due = {"invoice_date_due": "2026-02-14", "invoice_payment_term_id": [4, "30 Days"]}
        return [invoice(id=number, state=moves[number], **due) for number in ids]

    odoo.answers |= {
        ("sale.advance.payment.inv", "default_get"): {},
        ("sale.advance.payment.inv", "create"): 1,
        ("sale.advance.payment.inv", "create_invoices"): invoiced,
        ("sale.order", "search_read"): lambda _: [dict(row)],
        ("account.move", "search_read"): found,
        ("account.move", "action_post"): post,
    }
    return odoo


@pytest.mark.parametrize("major", VERSIONS)
def test_what_was_made_is_posted_if_asked_and_nothing_else(major: int) -> None:
    """The draft that the order had before stays one; the due date and the terms are told."""
    odoo = invoicing(major)
    result = sales.create_invoices(odoo, order_id=12, post=True)
    assert [call.ids for call in odoo.asked("action_post")] == [(9,)]
    (made,) = result.invoices
    assert (made.state, made.invoice_date_due) == ("posted", "2026-02-14")
    assert made.payment_term == RecordName(id=4, name="30 Days")
    assert result.message == "Invoice for S00012, posted: INV/2026/00001 (id 9)."
    assert result.warnings == []
    plan = sales.create_invoices.plan(invoicing(major), order_id=12, post=True)
    assert plan.message == "Would create and post an invoice for S00012."
    assert [(call.method, call.ids) for call in plan.calls][-1] == (
        "action_post",
        ["the new invoice"],
    )


def test_posting_is_asked_of_the_policy_before_the_draft_is_made() -> None:
    odoo = shop(19, Policy(mode="restricted", write_allowlist="sale.order"), state="sale")
    with pytest.raises(AccessError, match=r"account\.move"):
        sales.create_invoices(odoo, order_id=12, post=True)
    assert odoo.sent == []


@pytest.mark.parametrize(
    ("method", "amount", "match"),
    [
        ("percentage", 150, "more than the order"),
        ("percentage", 0, "more than 0"),
        ("percentage", None, "needs an amount"),
        ("fixed", -5, "more than 0"),
        ("delivered", 5, "for down payments only"),
        ("nosuch", None, "not a method to invoice"),
        ("fixed", 346, "order's total"),
    ],
)
def test_a_wrong_amount_is_refused(method: Any, amount: float | None, match: str) -> None:
    """150 % is accepted by Odoo; not here."""
    odoo = shop(state="sale")
    with pytest.raises(ValidationError, match=match):
        sales.create_invoices(odoo, order_id=12, method=method, amount=amount)
    assert written(odoo) == []


@pytest.mark.parametrize(
    "values",
    [
        {"state": "draft"},
        {"state": "cancel"},
        {"state": "sale", "invoice_status": "no"},
        {"state": "sale", "invoice_status": "invoiced"},
    ],
)
def test_what_cannot_be_invoiced_is_refused(values: dict[str, str]) -> None:
    """The state, or that nothing is left, is said before the wizard is opened."""
    odoo = shop(**values)
    with pytest.raises(StateError):
        sales.create_invoices(odoo, order_id=12)
    assert written(odoo) == []


def test_an_allowlist_with_the_order_is_enough() -> None:
    """Its lines and its invoicing wizard belong to the order."""
    odoo = shop(18, Policy(mode="restricted", write_allowlist="sale.order"), state="draft")
    created = sales.create_order(odoo, lines=[{"product_id": 3}], partner_id=7, confirm=True)
    assert created.confirmed
    odoo.answers |= {
        ("sale.advance.payment.inv", "default_get"): {},
        ("sale.advance.payment.inv", "create"): 1,
        ("sale.advance.payment.inv", "create_invoices"): True,
    }
    result = sales.create_invoices(odoo, order_id=12)
    assert isinstance(result, sales.InvoiceResult)
    assert "created no invoice" in result.message
