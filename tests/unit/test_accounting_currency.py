"""Payments in another currency than the invoice's, on every version."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import PaymentResult, register_payment
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.plans import Plan
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import check_told_when_lost
from tests.unit.test_accounting import IN_EUROS, POSTED, Books

VERSIONS = range(14, 20)
RATE = {"id": 1, "name": "2025-01-01", "currency_id": 1, "company_id": 1, "rate": 0.5}
DAY = "2099-02-03"


def _books(major: int = 19, *rates: dict[str, Any], policy: Policy | None = None) -> Books:
    odoo = Books(major, POSTED, IN_EUROS, {**POSTED, "id": 9, "name": "INV/3"}, policy=policy)
    odoo.server.records["res.currency.rate"] = [dict(rate) for rate in rates or (RATE,)]
    return odoo


def _pay(odoo: Books, **more: Any) -> Any:
    return register_payment(odoo, **{"invoice_ids": [7], "payment_date": DAY, **more})


def _answers(odoo: Books) -> dict[str, Any]:
    """Return what the wizard was told."""
    (call,) = [c for c in odoo.asked("create") if c.model == "account.payment.register"]
    values = call.arguments["vals_list"]
    return dict(values[0] if isinstance(values, list) else values)


@pytest.mark.parametrize("major", VERSIONS)
def test_the_wizard_is_told_the_currency(major: int) -> None:
    odoo = _books(major)
    _pay(odoo)
    assert "currency_id" not in _answers(odoo)
    plain = len(odoo.sent)

    odoo = _books(major)
    paid = _pay(odoo, currency="eur", amount=20)
    assert (_answers(odoo)["currency_id"], _answers(odoo)["amount"]) == (1, 20)
    assert isinstance(paid, PaymentResult)
    assert [(payment.amount, payment.currency) for payment in paid.payments] == [(20, "EUR")]
    assert paid.message == "Registered 20.00 EUR; 95.00 USD is still due."
    # One call for each currency, its rate, the company and its rate: two after each other.
    assert len(odoo.sent) == plain + 4

    # What is due, as Odoo converts it.
    odoo = _books(major)
    _pay(odoo, currency="EUR")
    assert _answers(odoo)["currency_id"] == 1
    assert "amount" not in _answers(odoo)
    # A currency that is named is taken, though the journal has its own.
    odoo = _books(major)
    odoo.row("account.journal", 6)["currency_id"] = 1
    _pay(odoo, currency="USD")
    assert _answers(odoo)["currency_id"] == 2


def test_a_dry_run_tells_both_currencies() -> None:
    told: dict[str, dict[str, Any]] = {
        "EUR and an amount": {"currency": "EUR", "amount": 20},
        "EUR": {"currency": "EUR"},
        "USD": {"currency": "usd"},
        "the journal's": {},
    }
    messages = {}
    for name, arguments in told.items():
        odoo = _books()
        odoo.row("account.journal", 6)["currency_id"] = 1
        plan = _pay(odoo, **arguments, dry_run=True)
        assert isinstance(plan, Plan)
        messages[name] = plan.message
    assert messages == {
        "EUR and an amount": "Would register 20.00 EUR (115.00 USD is due) for INV/1.",
        "EUR": "Would register 115.00 USD, paid in EUR, for INV/1.",
        "USD": "Would register 115.00 USD for INV/1.",
        "the journal's": "Would register 115.00 USD, paid in EUR, for INV/1.",
    }


@pytest.mark.parametrize(
    ("rates", "arguments", "error", "text"),
    [
        ([RATE], {"currency": "QQQ"}, NotFoundError, "no currency 'QQQ'"),
        ([RATE], {"currency": ""}, NotFoundError, "no currency ''"),
        ([RATE], {"currency": "CHF"}, ValidationError, "CHF is not active"),
        ([{**RATE, "company_id": 2}], {"currency": "EUR"}, ValidationError, "1 EUR as 1 USD"),
        (
            [{**RATE, "name": "2100-01-01"}],
            {"currency": "EUR"},
            ValidationError,
            "no exchange rate",
        ),
        (
            [{**RATE, "currency_id": 2, "rate": 1.0}],
            {"currency": "EUR"},
            ValidationError,
            "no exchange rate for EUR",
        ),
        (
            [{**RATE, "company_id": 2}],
            {"invoice_ids": [8], "currency": "USD"},
            ValidationError,
            "no exchange rate for EUR",
        ),
        ([RATE], {"invoice_ids": [7, 9], "currency": "EUR"}, ValidationError, "its own currency"),
        (
            [RATE],
            {"invoice_ids": [7, 8], "currency": "EUR", "amount": 5},
            ValidationError,
            "in one currency only",
        ),
    ],
)
def test_a_currency_that_cannot_be_converted_pays_nothing(
    rates: Any, arguments: Any, error: Any, text: str
) -> None:
    odoo = _books(19, *rates)
    with pytest.raises(error, match=text):
        _pay(odoo, **arguments)
    assert odoo.written() == []


def test_a_currency_without_rate_may_be_the_one_that_others_are_measured_in() -> None:
    odoo = _books(14, {**RATE, "currency_id": 2, "rate": 1.5})
    assert isinstance(_pay(odoo, currency="EUR"), PaymentResult)


def test_what_is_paid_too_much_in_another_currency_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odoo = _books()
    paid = _pay(odoo, currency="EUR", amount=300)
    assert isinstance(paid, PaymentResult)
    assert paid.warnings == ["That is more than was due; the rest stays open as a credit."]
    # Whether 200 EUR are all that is due is not known beforehand.
    for amount, safe in ((200, False), (None, True)):
        more = {} if amount is None else {"amount": amount}
        method = "action_create_payments"
        error = check_told_when_lost(
            _books(), method, lambda odoo, m=more: _pay(odoo, currency="EUR", **m), monkeypatch
        )
        assert ("is safe" in error.suggestion) == safe


@pytest.mark.parametrize("day", ["2025-02-03", DAY])
def test_a_payment_that_was_booked_under_another_day_is_told(day: str) -> None:
    """Only the past can be locked, so that only then it is looked for."""
    odoo = _books()
    odoo.server.records["account.move.line"].append(
        {"id": 50, "move_id": 7, "payment_id": 1, "date": "2025-04-01"}
    )
    paid = _pay(odoo, payment_date=day)
    assert isinstance(paid, PaymentResult)
    told = [f"Odoo booked it on 2025-04-01, not {day}: check the lock dates."]
    assert paid.warnings == (told if day < DAY else [])
