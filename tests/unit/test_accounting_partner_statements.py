"""Statements of account: opening balance, movements, closing balance and open items."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import PartnerStatement, get_statement
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.dunning import Dunning, invoice, owed
from tests.unit.fake_books import item
from tests.unit.operation_checks import writes

#: A payment of 20 in September, of the invoice 101.
_PAYMENT = invoice(150, 9, name="PBNK1/1", move_type="entry")
_PAID = item(21, 11, -20.0, "2025-09-05", move_id=150, partner_id=9, reconciled=True) | {
    "amount_residual": 0.0,
    "amount_residual_currency": 0.0,
}


def paid(major: int = 19, **options: Any) -> Dunning:
    odoo = Dunning(major, more=[_PAID], moves=[_PAYMENT], **options)
    odoo.row("account.move.line", 1).update(amount_residual=80.0, amount_residual_currency=80.0)
    return odoo


def statement(odoo: Dunning, partner: Any = "Azure", **options: Any) -> PartnerStatement:
    found = get_statement(odoo, partner=partner, **options)
    assert writes(odoo) == []
    return found


def test_what_was_before_is_the_opening_balance() -> None:
    found = statement(paid(), date_from="2025-09-01", date_to="2025-10-31")
    assert (found.opening, found.closing) == (165.0, 145.0)
    assert [one.balance for one in found.movements] == [145.0]
    assert found.open_items[0].days_overdue == 31
    # What is open now says nothing of a day in the past.
    assert list(found.checks) == ["opening_and_movements_are_closing"]


def test_other_currencies_are_shown_beside_the_books() -> None:
    foreign = owed(31, 170, 9, 40.0, "2025-09-30", currency_id=1)
    odoo = Dunning(more=[{**foreign, "amount_currency": 36.0}], moves=[invoice(170, 9)])
    last = statement(odoo, date_from="2025-08-01").movements[-1]
    assert (last.amount, last.foreign_amount, last.currency) == (40.0, 36.0, "EUR")


def test_a_contact_stands_for_its_company_and_the_limit_for_nothing_else() -> None:
    found = statement(paid(), "Ann", date_from="2025-08-01", limit=2)
    assert (found.partner.name, len(found.movements), found.has_more) == ("Azure", 2, True)
    assert found.closing == 145.0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"partner": "Nobody"}, NotFoundError),
        ({"partner": 99}, NotFoundError),
        ({"side": "bank"}, OdooError),
        ({"date_from": "2025-02-01", "date_to": "2025-01-01"}, ValidationError),
        ({"date_to": "soon"}, ValidationError),
        ({"limit": 0}, ValidationError),
        ({"company": "No such"}, NotFoundError),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[OdooError]) -> None:
    with pytest.raises(error):
        get_statement(paid(), **{"partner": 9, **options})


def test_who_sees_a_part_of_the_books_is_refused() -> None:
    with pytest.raises(AccessError):
        statement(paid(groups=()))
    with pytest.raises(AccessError):
        statement(paid(policy=Policy(model_blocklist="account.move.line")))


def test_round_trips() -> None:
    odoo = paid()
    statement(odoo, 9)
    assert len([call for call in odoo.sent if call.method != "fields_get"]) <= 10


def test_a_vendor_is_owed_what_is_positive() -> None:
    bill = invoice(160, 10, name="BILL/1", move_type="in_invoice")
    owing = item(31, 12, -55.0, "2025-08-01", move_id=160, partner_id=10, date_maturity=False)
    odoo = Dunning(more=[owing], moves=[bill])
    found = statement(odoo, "Silent", date_from="2025-08-01", side="vendor")
    assert (found.charged, found.closing, found.open_items[0].left) == (55.0, 55.0, 55.0)
    both = statement(odoo, "Silent", date_from="2025-08-01", side="both")
    assert (both.charged, both.settled, both.closing) == (70.0, 55.0, 15.0)
