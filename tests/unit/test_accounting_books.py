"""The statements of a small book whose figures are known, on every version."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import Report, get_report
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.fake_books import Ledger, item

VERSIONS = range(14, 20)
TODAY = "2025-10-31"

#: Capital 1000 in the year before; a sale of 300 in it; this year (from July) a sale of 200 and
#: costs of 80; a draft and another company's items, which do not count.
BOOK = [
    item(1, 10, 1000.0, "2025-01-01"),
    item(2, 13, -1000.0, "2025-01-01"),
    item(3, 11, 300.0, "2025-06-30", partner_id=9, date_maturity="2025-07-15"),
    item(4, 14, -300.0, "2025-06-30", partner_id=9),
    item(5, 11, 200.0, "2025-09-01", partner_id=10, date_maturity="2025-10-31"),
    item(6, 14, -200.0, "2025-09-01", partner_id=10),
    item(7, 15, 80.0, "2025-10-01", partner_id=10),
    item(8, 12, -80.0, "2025-10-01", partner_id=10, date_maturity=False),
    item(9, 10, 120.0, "2025-08-10"),
    item(10, 11, -120.0, "2025-08-10", partner_id=9),
    item(11, 14, -55.0, "2025-09-01", parent_state="draft"),
    item(12, 14, -66.0, "2025-09-01", company_id=2),
    # A line that is only text.
    item(13, 0, 0.0, "2025-09-01") | {"account_id": False},
]
#: Paid in part in August, and once more after today.
PARTIALS = [
    {"debit_move_id": 3, "credit_move_id": 10, "amount": 120.0, "max_date": "2025-08-10"},
    {"debit_move_id": 3, "credit_move_id": 15, "amount": 180.0, "max_date": "2025-11-05"},
]


def _book(major: int = 19, **more: Any) -> Ledger:
    later = [
        item(14, 10, 180.0, "2025-11-05"),
        item(15, 11, -180.0, "2025-11-05", partner_id=9, reconciled=True),
    ]
    settled = {3: True, 10: True}
    rows = [{**row, "reconciled": settled.get(row["id"], row["reconciled"])} for row in BOOK]
    return Ledger(major, [*rows, *later], partials=PARTIALS, **more)


def _rows(made: Report, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(row, name) for name in ("name", *columns)) for row in made.rows]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_trial_balance_begins_where_the_last_period_ended(major: int) -> None:
    made = get_report(
        _book(major), kind="trial_balance", date_from="2025-09-01", date_to=TODAY, limit=50
    )
    assert _rows(made, "opening", "debit", "credit", "balance") == [
        ("Bank", 1120.0, 0.0, 0.0, 1120.0),
        ("Receivable", 180.0, 200.0, 0.0, 380.0),
        ("Payable", 0.0, 0.0, 80.0, -80.0),
        ("Capital", -1000.0, 0.0, 0.0, -1000.0),
        ("Sales", 0.0, 0.0, 200.0, -200.0),
        ("Costs", 0.0, 80.0, 0.0, 80.0),
        ("Result of earlier years, not allocated", -300.0, 0.0, 0.0, -300.0),
    ]
    assert made.totals == {"opening": 0.0, "debit": 280.0, "credit": 280.0, "balance": 0.0}
    assert set(made.checks.values()) == {True}
    assert (made.currency, made.warnings) == ("USD", [])


@pytest.mark.parametrize("major", VERSIONS)
def test_assets_are_liabilities_and_equity_with_what_was_earned(major: int) -> None:
    made = get_report(_book(major), kind="balance_sheet", date_to=TODAY)
    assert _rows(made, "section", "balance") == [
        ("Bank", "asset", 1120.0),
        ("Receivable", "asset", 380.0),
        ("Payable", "liability", 80.0),
        ("Capital", "equity", 1000.0),
        ("Result of earlier years, not allocated", "equity", 300.0),
        ("Result of this year", "equity", 120.0),
    ]
    assert made.totals == {"assets": 1500.0, "liabilities": 80.0, "equity": 1420.0}
    assert made.checks["assets_equal_liabilities_and_equity"]


@pytest.mark.parametrize("major", VERSIONS)
def test_profit_is_of_the_fiscal_year_unless_told(major: int) -> None:
    made = get_report(_book(major), kind="profit_and_loss", date_to=TODAY)
    assert made.date_from == "2025-07-01"
    assert _rows(made, "section", "balance") == [
        ("Sales", "income", 200.0),
        ("Costs", "expense", 80.0),
    ]
    assert made.totals == {"income": 200.0, "expense": 80.0, "profit": 120.0}
    by_partner = get_report(
        _book(major), kind="profit_and_loss", date_from="2025-01-01", date_to=TODAY, by="partner"
    )
    assert _rows(by_partner, "section", "balance") == [
        ("Azure", "income", 300.0),
        ("Brown", "income", 200.0),
        ("Brown", "expense", 80.0),
    ]


def test_a_book_that_does_not_balance_is_shown() -> None:
    odoo = Ledger(19, [*BOOK, item(20, 15, 7.0, "2025-10-02")])
    for kind in ("trial_balance", "balance_sheet", "profit_and_loss"):
        made = get_report(odoo, kind=kind, date_to=TODAY)
        assert made.rows
        assert not made.checks["debits_equal_credits"]
        assert "do not balance: debits equal credits is off by 7.00 USD" in made.warnings[0]
    # An item that is called settled, and is not.
    wrong = Ledger(19, [item(1, 11, 50.0, "2025-10-01", reconciled=True)])
    owed = get_report(wrong, kind="aged_receivable", date_to=TODAY)
    assert owed.checks == {"whole_book_seen": True, "equals_balance_of_accounts": False}


@pytest.mark.parametrize("major", [14, 17, 18, 19])
def test_who_does_not_see_the_whole_book_gets_no_figures(major: int) -> None:
    for groups in ((), ("sales_team.group_sale_manager", "purchase.group_purchase_manager")):
        odoo = _book(major, groups=groups)
        with pytest.raises(AccessError, match="all journal items"):
            get_report(odoo, kind="balance_sheet")
        assert odoo.asked("read_group") == []
    reader = _book(major, groups=("account.group_account_readonly",))
    assert get_report(reader, kind="balance_sheet", date_to=TODAY).checks["whole_book_seen"]
    # To 17 it is a method of the model, from 18 on of a user.
    assert {call.ids for call in reader.asked("has_group")} == {None if major < 18 else (2,)}


def test_another_company_is_asked_for_in_its_own_context() -> None:
    odoo = _book()
    odoo.row("res.company", 2).update(currency_id=1, fiscalyear_last_month="12")
    made = get_report(odoo, kind="profit_and_loss", date_to=TODAY, company_id=2)
    assert (made.company.name, made.currency, made.date_from) == ("Other", "EUR", "2025-01-01")
    assert made.totals["income"] == 66.0
    assert all(call.context["allowed_company_ids"] == [2] for call in odoo.asked("read_group"))
    with pytest.raises(NotFoundError, match="no company with id 77"):
        get_report(odoo, kind="profit_and_loss", company_id=77)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"kind": "cash_flow"}, "no report"),
        ({"kind": "aged_payable", "date_from": "2025-01-01"}, "does not accept date_from"),
        ({"kind": "trial_balance", "date_from": "2025-02-01", "date_to": "2025-01-01"}, "ends"),
        ({"kind": "trial_balance", "date_to": "soon"}, "not a date"),
        ({"kind": "balance_sheet", "by": "partner"}, "cannot be grouped by 'partner'"),
        ({"kind": "profit_and_loss", "by": "document"}, "cannot be grouped by 'document'"),
        ({"kind": "trial_balance", "limit": 0}, "limit"),
    ],
)
def test_a_report_that_cannot_be_made_asks_nothing(arguments: Any, error: str) -> None:
    odoo = _book()
    with pytest.raises(ValidationError, match=error):
        get_report(odoo, **arguments)
    assert odoo.sent == []


def test_lists_of_models_need_the_journal_items_only() -> None:
    for mode in ("readonly", "restricted"):
        models = {"account.move.line"}
        odoo = _book(policy=Policy(mode=mode, model_allowlist=models))
        assert get_report(odoo, kind="trial_balance", date_to=TODAY).rows
        with pytest.raises(AccessError, match=r"account\.partial\.reconcile"):
            get_report(odoo, kind="aged_receivable", date_to=TODAY)
        both = models | {"account.partial.reconcile"}
        odoo = _book(policy=Policy(mode=mode, model_allowlist=both))
        assert get_report(odoo, kind="aged_receivable", date_to=TODAY).rows
    closed = _book(policy=Policy(mode="readonly", model_allowlist={"res.partner"}))
    with pytest.raises(AccessError):
        get_report(closed, kind="trial_balance")


def test_a_company_is_named() -> None:
    """One more call; a name of none or of several asks for no figures."""
    odoo = _book()
    odoo.row("res.company", 2).update(currency_id=1, fiscalyear_last_month="12")
    kind: Any = "profit_and_loss"
    by_id = get_report(odoo, kind=kind, date_to=TODAY, company_id=2)
    calls = len(odoo.sent)
    assert get_report(odoo, kind=kind, date_to=TODAY, company_name="other") == by_id
    assert len(odoo.sent) == 2 * calls + 1
    odoo.row("res.company", 1)["name"] = "Others"
    odoo.sent.clear()
    wrong: list[tuple[dict[str, Any], Any, str]] = [
        ({"company_name": "Nobody"}, NotFoundError, "Nobody"),
        ({"company_name": "othe"}, AmbiguousNameError, "Pass company_id"),
        ({"company_name": "Other", "company_id": 2}, ValidationError, "Pass either"),
        ({"company_id": 0}, ValidationError, "must be a record id"),
    ]
    for named, error, text in wrong:
        with pytest.raises(error, match=text):
            get_report(odoo, kind=kind, **named)
    assert odoo.asked("read_group") == []


@pytest.mark.parametrize("major", VERSIONS)
def test_what_was_open_on_a_day_is_by_what_was_settled_then(major: int) -> None:
    made = get_report(_book(major), kind="aged_receivable", date_to=TODAY)
    assert _rows(made, "not_due", "older", "balance") == [
        ("Brown", 200.0, None, 200.0),
        ("Azure", None, 180.0, 180.0),
    ]
    assert made.totals["balance"] == 380.0
    before = get_report(_book(major), kind="aged_receivable", date_to="2025-07-31")
    assert _rows(before, "days_1_30") == [("Azure", 300.0)]
    after = get_report(_book(major), kind="aged_receivable", date_to="2025-11-05")
    assert _rows(after, "days_1_30") == [("Brown", 200.0)]
    owed = get_report(_book(major), kind="aged_payable", date_to=TODAY, by="account")
    assert _rows(owed, "days_1_30", "balance") == [("Payable", 80.0, 80.0)]
    for shown in (made, before, after, owed):
        assert set(shown.checks.values()) == {True}
