"""Payments in another currency than the invoice's, on every version."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import PaymentResult, register_payment
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.fake_accounting import IN_EUROS, POSTED, Books

RATE = {"id": 1, "name": "2025-01-01", "currency_id": 1, "company_id": 1, "rate": 0.5}
DAY = "2099-02-03"


def _books(major: int = 19, *rates: dict[str, Any], policy: Policy | None = None) -> Books:
    odoo = Books(major, POSTED, IN_EUROS, {**POSTED, "id": 9, "name": "INV/3"}, policy=policy)
    odoo.server.records["res.currency.rate"] = [dict(rate) for rate in rates or (RATE,)]
    return odoo


def _pay(odoo: Books, **more: Any) -> Any:
    return register_payment(odoo, **{"invoice_ids": [7], "payment_date": DAY, **more})


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
            "partner in one currency",
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
