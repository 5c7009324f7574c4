"""Vendors' bills from their documents, orders taken to the payment, and goods sent back."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import purchase
from odoo_toolkit.apps.accounting import Invoice
from odoo_toolkit.apps.inventory import Transfer
from odoo_toolkit.apps.purchase import returning
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
    make_error,
)
from odoo_toolkit.plans import Plan
from odoo_toolkit.policy import Policy
from tests.unit.fake_purchase import Buying
from tests.unit.operation_checks import writes

CHAIRS = [{"product_name": "Chair", "quantity": 5, "price_unit": 10}]


def enter(odoo: Buying, lines: Any = CHAIRS, **options: Any) -> Any:
    how = {"order_id": 12, "ref": "F-17", "invoice_date": "2026-01-31", **options}
    return purchase.enter_bill(odoo, lines=lines, **how)


def bought(major: int = 19, **order: Any) -> Buying:
    """Return a confirmed order of five chairs at ten each, which are received."""
    return Buying(major, state="purchase", receipt="done", received=5.0, **order)


# A vendor's bill --------------------------------------------------------------------------------


def test_a_bill_is_planned_and_booked_on_its_accounting_date() -> None:
    odoo = bought()
    (planned,) = enter(odoo, accounting_date="2026-02-28", dry_run=True).documents
    assert (planned.date, planned.accounting_date) == ("2026-01-31", "2026-02-28")
    assert [line.quantity for line in planned.lines] == [5]
    made = enter(odoo, accounting_date="2026-02-28")
    assert made.bill.date == "2026-02-28"
    with pytest.raises(ValidationError, match="accounting_date is not a date"):
        enter(odoo, accounting_date="28.2.", ref="F-18")


def test_another_vendors_number_or_a_cancelled_bill_is_none() -> None:
    odoo = bought()
    odoo.add_bill(40, ref="F-17", commercial_partner_id=8, partner_id=8)
    odoo.add_bill(42, ref="F-17", state="cancel")
    odoo.add_bill(43, ref="F-170")
    odoo.tables["account.move"][:0] = [{"id": 39, "move_type": "entry", "ref": "F-17"}]
    odoo.add_bill(44, ref="F-18", invoice_date="2026-01-31")
    made = enter(odoo)
    assert made.bill.id == 41
    assert "BILL/44 (id 44) has the same date and amount: F-18." in made.warnings[0]


def test_a_total_that_is_not_the_vendors_is_not_posted() -> None:
    odoo = bought()
    made = enter(odoo, amount_total=60.0, post=True)
    assert made.bill.state == "draft"
    assert "55.00 in Odoo, not 60.00" in made.warnings[0]
    assert odoo.asked("action_post") == []
    assert "not 60.00" in enter(bought(), amount_total=60.0).warnings[0]


@pytest.mark.parametrize(
    ("line", "error", "match"),
    [
        ({"product_name": "Table", "quantity": 1, "price_unit": 1}, NotFoundError, "Table"),
        ({"quantity": 1, "price_unit": 1}, ValidationError, "identify one line"),
        ({"product_id": 3, "price_unit": 1}, ValidationError, "quantity"),
        ({"product_id": 3, "quantity": 0, "price_unit": 1}, ValidationError, "more than 0"),
        ({"product_id": 3, "quantity": 1}, ValidationError, "price_unit"),
        (
            {"product_id": 3, "quantity": 1, "price_unit": 1, "discount": 101},
            OdooError,
            "percentage",
        ),
        ({"product_id": 3, "quantity": 1, "price": 1}, ValidationError, "unknown key"),
    ],
)
def test_a_wrong_line_of_a_bill_is_refused(
    line: dict[str, Any], error: type[OdooError], match: str
) -> None:
    odoo = bought()
    with pytest.raises(error, match=match):
        enter(odoo, [line])
    assert writes(odoo) == []


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"ref": " - "}, "ref must be"),
        ({"invoice_date": "soon"}, "invoice_date"),
        ({"amount_total": float("nan")}, "amount_total"),
        ({"lines": [*CHAIRS, *CHAIRS]}, "same order line"),
    ],
)
def test_a_wrong_head_of_a_bill_is_refused(wrong: dict[str, Any], match: str) -> None:
    odoo = bought()
    with pytest.raises(ValidationError, match=match):
        enter(odoo, **wrong)
    assert writes(odoo) == []


def test_a_bill_needs_a_confirmed_order() -> None:
    odoo = Buying()
    with pytest.raises(StateError, match="not a confirmed order"):
        enter(odoo)
    assert writes(odoo) == []


# From the receipt to the payment ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"steps": ["deliver"]}, "not a step"),
        ({"steps": []}, "list of steps is empty"),
        ({"steps": ["receive"], "ref": "F-17"}, "needs the step bill"),
        ({"steps": ["bill"], "journal_id": 5}, "needs the step pay"),
        ({"orders": [12, "P00012"]}, "both P00012"),
        ({"orders": []}, "list of 1 to 50"),
        ({"payment_date": "soon"}, "payment_date"),
    ],
)
def test_what_cannot_be_processed_is_refused(wrong: dict[str, Any], match: str) -> None:
    odoo = Buying(state="purchase")
    with pytest.raises(ValidationError, match=match):
        purchase.process_orders(odoo, **{"orders": [12], **wrong})
    assert writes(odoo) == []


def test_one_number_is_not_that_of_two_bills() -> None:
    odoo = Buying(state="purchase")
    odoo.tables["purchase.order"].append({**odoo.order, "id": 13, "name": "P00013"})
    with pytest.raises(ValidationError, match="single bill's number"):
        purchase.process_orders(odoo, orders=[12, 13], ref="F-17")
    assert writes(odoo) == []
    forbidden = Buying(policy=Policy(mode="readonly"))
    with pytest.raises(AccessError):
        purchase.process_orders(forbidden, orders=[12])
    assert forbidden.sent == []


# Sending back -----------------------------------------------------------------------------------


@pytest.fixture
def sent_back(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Note what is returned and credited; returned are two chairs, or all."""
    asked: list[Any] = []

    def give_back(odoo: Buying, *, picking_id: int, lines: Any, **how: Any) -> Any:
        asked.append(("return", picking_id, lines, how))
        if how["dry_run"]:
            return Plan(dry_run=True, message="Would return.", calls=[])
        line = odoo.tables["purchase.order.line"][0]
        if not line["qty_received"]:
            raise StateError("WH/IN/31 has been returned completely.")
        line["qty_received"] -= 2.0 if lines else line["qty_received"]
        return Transfer(id=33, name="WH/OUT/33", state="done", validated=True, message="")

    def credit(odoo: Buying, *, invoice_id: int, lines: Any, **how: Any) -> Any:
        asked.append(("credit", invoice_id, lines, how))
        if how.get("dry_run"):
            return Plan(dry_run=True, message="Would credit.", calls=[])
        odoo.add_bill(45, move_type="in_refund")
        odoo.bill_line(45, lines[0]["quantity"])
        return Invoice(id=45, name="RBILL/45", state="posted", message="Created RBILL/45: 20.00")

    monkeypatch.setattr(returning, "return_picking", give_back)
    monkeypatch.setattr(returning, "create_credit_note", credit)
    return asked


def billed(method: str = "receive", quantity: float = 5.0, **order: Any) -> Buying:
    odoo = bought(invoice_ids=[40], **order)
    odoo.tables["product.product"][0]["purchase_method"] = method
    odoo.add_bill(40)
    odoo.bill_line(40, quantity)
    return odoo


TWO = [{"product_id": 3, "quantity": 2}]


def test_a_refund_that_fails_is_made_when_it_is_called_again(
    sent_back: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    odoo = billed()
    credit = returning.create_credit_note

    def fail(*_: Any, **__: Any) -> Any:
        raise make_error("USER_ERROR", "The period is closed.")

    monkeypatch.setattr(returning, "create_credit_note", fail)
    back = purchase.return_order(odoo, order_id=12)
    assert isinstance(back, purchase.ReturnResult)
    assert "returned, but not everything was refunded: The period is closed." in back.warnings[0]
    monkeypatch.setattr(returning, "create_credit_note", credit)
    again = purchase.return_order(odoo, order_id=12)
    assert (again.returns, len(again.refunds)) == ([], 1)
    with pytest.raises(StateError, match="has been returned"):
        purchase.return_order(odoo, order_id=12)


@pytest.mark.parametrize(
    ("order", "options", "match"),
    [
        ({"state": "draft"}, {}, "not a confirmed order"),
        ({"state": "purchase"}, {}, "nothing of it was received"),
        ({"state": "purchase", "receipt": "assigned"}, {}, "nothing of it was received"),
        ({"state": "purchase", "receipt": "done"}, {"picking_id": 99}, "99 is not a done receipt"),
    ],
)
def test_what_cannot_be_returned_is_refused(
    order: dict[str, Any], options: dict[str, Any], match: str
) -> None:
    odoo = Buying(**order)
    with pytest.raises(StateError, match=match):
        purchase.return_order(odoo, order_id=12, **options)
    assert writes(odoo) == []


def test_of_several_receipts_one_is_named(sent_back: list[Any]) -> None:
    odoo = billed()
    other = {**odoo.tables["stock.picking"][0], "id": 32, "name": "WH/IN/32"}
    odoo.tables["stock.picking"].append(other)
    with pytest.raises(StateError, match="several receipts"):
        purchase.return_order(odoo, order_id=12, lines=TWO)
    purchase.return_order(odoo, order_id=12, lines=TWO, picking_id="WH/IN/32")
    assert sent_back[0][1] == 32
    forbidden = Buying(policy=Policy(mode="readonly"))
    with pytest.raises(AccessError):
        purchase.return_order(forbidden, order_id=12)
    assert forbidden.sent == []
