"""Taking payments and credits off an invoice again, and paying in another currency."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import History, Odoo, history, records, undo
from odoo_toolkit.apps.accounting import (
    Invoice,
    PaymentResult,
    create_credit_note,
    create_invoice,
    get_invoice,
    reconcile,
    register_payment,
    reset_invoice,
)
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.lines import today
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.live_tapes import Open
from tests.live.accounting_data import customer, expense_account, kept, posted

pytestmark = pytest.mark.recorded


@pytest.fixture
def partner(admin: Odoo, suffix: str) -> int:
    """A customer of the test's own."""
    return customer(admin, suffix)


@attrs.frozen(kw_only=True)
class Currency:
    """A currency of the test's own: one of the company's was 2 of it once, and is 4 of it now."""

    id: int
    name: str
    home: str
    before: str


@pytest.fixture
def money(admin: Odoo, suffix: str) -> Iterator[Currency]:
    company = records.read(admin, "res.users", [admin.uid], ["company_id"])[0]["company_id"]["id"]
    home = records.read(admin, "res.company", [company], ["currency_id"])[0]["currency_id"]
    made, name = _currency(admin, suffix)
    old = records.search_read(admin, "res.currency.rate", [["currency_id", "=", made]], ["id"])
    if rates := [row["id"] for row in old.records]:
        records.unlink(admin, "res.currency.rate", rates)
    now = date.fromisoformat(today(admin))
    before = now - timedelta(days=10)
    for since, times, used in ((date(2001, 1, 1), 2, before), (now - timedelta(days=5), 4, now)):
        rate = times * _rate(admin, home["id"], company, used)
        values = {"currency_id": made, "name": since.isoformat(), "rate": rate}
        records.create(admin, "res.currency.rate", {**values, "company_id": company})
    yield Currency(id=made, name=name, home=home["name"], before=before.isoformat())
    records.write(admin, "res.currency", [made], {"active": False})


def _rate(odoo: Odoo, currency: int, company: int, day: date) -> float:
    """Return the rate of the company's own currency on a day, which need not be 1.

    As it is stored: from 15 on, ``rate`` of the currency itself is told against the company's.
    """
    domain = [["currency_id", "=", currency], ["company_id", "in", [False, company]]]
    domain += [["name", "<=", day.isoformat()]]
    order = "company_id, name desc"
    rows = records.search_read(odoo, "res.currency.rate", domain, ["rate"], order=order, limit=1)
    return rows[0]["rate"] if rows.records else 1.0


def _currency(odoo: Odoo, suffix: str) -> tuple[int, str]:
    """Return a currency in use: its id, and its name of three characters, which no real one has."""
    name = f"{int(suffix, 16) % 10}{suffix[:2].upper()}"
    domain = [["name", "=", name], ["active", "in", [True, False]]]
    for row in records.search_read(odoo, "res.currency", domain, ["id"]).records:
        records.write(odoo, "res.currency", [row["id"]], {"active": True})
        return row["id"], name
    made = records.create(odoo, "res.currency", {"name": name, "symbol": name}).id
    assert made is not None
    return made, name


def _open(odoo: Odoo, invoice: int) -> tuple[Any, Any]:
    shown = get_invoice(odoo, invoice_id=invoice)
    return shown.amount_residual, [(p.name, p.amount) for p in shown.payments or ()]


def test_what_is_on_an_invoice_is_taken_off_and_applied_again(admin: Odoo, partner: int) -> None:
    invoice, other = posted(admin, partner), posted(admin, partner)
    for amount in (40, 30):
        register_payment(admin, invoice_ids=[invoice.id], amount=amount)
    lines = [{"product_name": "Beta"}]
    note = create_credit_note(admin, invoice_id=invoice.id, lines=lines, post=True)
    stranger = register_payment(admin, invoice_ids=[other.id], amount=10)
    assert isinstance(stranger, PaymentResult)
    (theirs,) = get_invoice(admin, invoice_id=other.id).payments or []
    left, paid = _open(admin, invoice.id)
    assert (left, [amount for _, amount in paid]) == (30.0, [40.0, 30.0, 60.0])

    # Odoo itself would take off what is on any invoice.
    before = kept(admin, partner)
    wrong: list[tuple[dict[str, Any], Any, str]] = [
        ({"undo": "one"}, AmbiguousNameError, "Several"),
        ({"undo": "one", "credit_name": theirs.name}, NotFoundError, "is not reconciled with"),
        ({"undo": "one", "line_id": 2**30}, NotFoundError, "is not reconciled with"),
        ({"undo": "all", "credit_name": note.name}, ValidationError, "removes every credit"),
        ({"undo": "some"}, ValidationError, "Choose|cannot be undone"),
    ]
    for arguments, error, text in wrong:
        with pytest.raises(error, match=text):
            reconcile(admin, invoice_id=invoice.id, **arguments)
    plan = reconcile(admin, invoice_id=invoice.id, undo="all", dry_run=True)
    assert [call.method for call in plan.calls] == ["js_remove_outstanding_partial"] * 3
    assert kept(admin, partner) == before

    taken = reconcile(admin, invoice_name=invoice.name, undo="one", credit_name=note.name)
    assert (taken.amount_residual, taken.warnings) == (90.0, [])
    assert taken.message.startswith(f"Took {note.name} off {invoice.name}: 90.00 ")
    everything = reconcile(admin, invoice_id=invoice.id, undo="all")
    assert (everything.amount_residual, everything.payment_state) == (160.0, "not_paid")
    opened = get_invoice(admin, invoice_id=invoice.id).open_credits or ()
    assert sorted(credit.amount for credit in opened) == [30.0, 40.0, 60.0]
    assert _open(admin, other.id) == (150.0, [(theirs.name, 10.0)])
    with pytest.raises(StateError, match="No payment or credit note is reconciled"):
        reconcile(admin, invoice_id=invoice.id, undo="one")
    again = reconcile(admin, invoice_id=invoice.id, credit_name=note.name)
    assert again.amount_residual == 100.0
    # The other way round: from the side of the credit note.
    back = reconcile(admin, invoice_id=note.id, undo="one")
    assert (back.amount_residual, _open(admin, invoice.id)[0]) == (60.0, 160.0)


def test_a_bill_that_was_paid_in_full_is_open_again(admin: Odoo, partner: int) -> None:
    bill = posted(admin, partner, move_type="in_invoice")
    register_payment(admin, invoice_ids=[bill.id])
    taken = reconcile(admin, invoice_id=bill.id, undo="one")
    assert (taken.amount_residual, taken.payment_state) == (160.0, "not_paid")
    assert isinstance(reconcile(admin, invoice_id=bill.id), Invoice)
    assert _open(admin, bill.id)[0] == 0.0


def test_an_ordinary_user_takes_nothing_off(ordinary: Odoo, admin: Odoo, partner: int) -> None:
    invoice = posted(admin, partner)
    register_payment(admin, invoice_ids=[invoice.id], amount=40)
    before = kept(admin, partner)
    with pytest.raises(OdooError):
        reconcile(ordinary, invoice_id=invoice.id, undo="one")
    assert kept(admin, partner) == before


@pytest.mark.every_version
def test_an_invoice_is_paid_in_another_currency(admin: Odoo, partner: int, money: Currency) -> None:
    """Of 160, 200 of the other currency are 50; then what is left is converted by Odoo."""
    invoice = posted(admin, partner)
    assert invoice.currency == money.home
    part = register_payment(admin, invoice_ids=[invoice.id], currency=money.name, amount=200)
    assert f"Registered 200.00 {money.name} on " in part.message
    assert f". 110.00 {money.home} is still due." in part.message
    assert [(p.amount, p.currency) for p in part.payments] == [(200.0, money.name)]
    assert (part.invoices[0].payment_state, part.invoices[0].currency) == ("partial", money.home)
    rest = register_payment(admin, invoice_ids=[invoice.id], currency=money.name.lower())
    assert [(p.amount, p.currency) for p in rest.payments] == [(440.0, money.name)]
    assert (rest.invoices[0].amount_residual, rest.warnings) == (0.0, [])
    assert [amount for _, amount in _open(admin, invoice.id)[1]] == [50.0, 110.0]

    # 640 would do: 60 of the other currency stay open.
    more = posted(admin, partner)
    paid = register_payment(admin, invoice_ids=[more.id], currency=money.name, amount=700)
    assert isinstance(paid, PaymentResult)
    assert paid.warnings == ["The payment exceeds the amount due. The rest stays open as a credit."]
    third = posted(admin, partner)
    (credit,) = get_invoice(admin, invoice_id=third.id).open_credits or []
    assert (credit.amount, credit.currency) == (60.0, money.name)
    account = expense_account(admin)
    off: dict[str, Any] = {"invoice_ids": [third.id], "writeoff_account": account["code"]}
    before = kept(admin, partner)
    refused = None
    try:
        written = register_payment(admin, **off, currency=money.name, amount=600)
    except OdooError as error:
        refused = error
    if refused is not None:
        # So do builds of 18, where the journal has no outstanding account.
        assert (admin.version.major, refused.outcome) == (18, "rolled_back")
        assert "set an outstanding account" in refused.suggestion
        assert kept(admin, partner) == before
        written = register_payment(admin, **off, amount=150)
    assert (written.invoices[0].amount_residual, written.warnings) == (0.0, [])
    domain = [["partner_id", "=", partner], ["account_id", "=", account["id"]]]
    (row,) = records.search_read(admin, "account.move.line", domain, ["balance"]).records
    assert row["balance"] == 10.0
    both = [posted(admin, partner).id, posted(admin, partner).id]
    together = register_payment(admin, invoice_ids=both, currency=money.name, amount=1280)
    assert [(p.amount, p.currency) for p in together.payments] == [(1280.0, money.name)]
    assert [i.amount_residual for i in together.invoices] == [0.0, 0.0]


@pytest.mark.every_version
def test_an_invoice_in_another_currency_is_paid_in_the_companys(
    admin: Odoo, partner: int, money: Currency
) -> None:
    """It was 80 when invoiced and is 40 now; the difference is no payment, and goes with it."""
    invoice = posted(admin, partner, currency_id=money.id, invoice_date=money.before)
    assert invoice.currency == money.name
    part = register_payment(admin, invoice_ids=[invoice.id], currency=money.home, amount=10)
    assert isinstance(part, PaymentResult)
    assert f"Registered 10.00 {money.home} on " in part.message
    assert f". 120.00 {money.name} is still due." in part.message
    rest = register_payment(admin, invoice_ids=[invoice.id], currency=money.home)
    # To 15, what is due is taken at the rate of the invoice.
    owed = 70.0 if admin.version.major < 16 else 30.0
    assert [(p.amount, p.currency) for p in rest.payments] == [(owed, money.home)]
    assert rest.invoices[0].amount_residual == 0.0
    left, paid = _open(admin, invoice.id)
    assert (left, [amount for _, amount in paid]) == (0.0, [40.0, 4 * owed])
    taken = reconcile(admin, invoice_id=invoice.id, undo="all")
    assert (taken.amount_residual, taken.payment_state) == (160.0, "not_paid")
    assert taken.warnings == []
    # In its own currency, too.
    own = register_payment(admin, invoice_ids=[invoice.id])
    assert isinstance(own, PaymentResult)
    assert f"Registered 160.00 {money.name} on " in own.message
    once = reconcile(admin, invoice_id=invoice.id, undo="one")
    assert once.amount_residual == 160.0


def test_a_journal_pays_in_its_own_currency_unless_told(
    admin: Odoo, partner: int, money: Currency, suffix: str
) -> None:
    values = {"name": suffix, "code": suffix[:5], "type": "bank", "currency_id": money.id}
    journal = records.create(admin, "account.journal", values).id
    assert journal is not None
    invoice = posted(admin, partner)
    pay: dict[str, Any] = {"invoice_ids": [invoice.id], "journal_id": journal}
    plan = register_payment(admin, **pay, dry_run=True)
    assert isinstance(plan, Plan)
    assert f"160.00 {money.home}, paid in {money.name}," in plan.message
    part = register_payment(admin, **pay, amount=60)
    assert [(p.amount, p.currency) for p in part.payments] == [(60.0, money.home)]
    rest = register_payment(admin, **pay)
    assert [(p.amount, p.currency) for p in rest.payments] == [(400.0, money.name)]
    assert rest.invoices[0].amount_residual == 0.0
    records.write(admin, "account.journal", [journal], {"active": False})


def test_what_cannot_be_converted_pays_nothing(admin: Odoo, partner: int, money: Currency) -> None:
    invoices = [posted(admin, partner).id, posted(admin, partner).id]
    foreign = create_invoice(
        admin,
        partner_id=partner,
        lines=[{"name": "x", "price_unit": 1}],
        currency_id=money.id,
        post=True,
    )
    domain = [["active", "=", False]]
    (unused,) = records.search_read(admin, "res.currency", domain, ["name"], limit=1).records
    before = kept(admin, partner)
    wrong: list[tuple[dict[str, Any], Any, str]] = [
        ({"currency": "no such"}, NotFoundError, "There is no currency"),
        ({"currency": unused["name"]}, ValidationError, "is not active"),
        ({"currency": money.name, "payment_date": "2000-12-31"}, ValidationError, "exchange rate"),
        ({"currency": money.name, "invoice_ids": invoices}, ValidationError, "its own currency"),
        (
            {"currency": money.name, "invoice_ids": [invoices[0], foreign.id], "amount": 5},
            ValidationError,
            "partner in one currency",
        ),
    ]
    home = records.search_read(
        admin, "res.currency.rate", [["currency_id.name", "=", money.home]], ["rate"]
    ).records
    for arguments, error, text in wrong:
        if text == "exchange rate" and any(row["rate"] != 1.0 for row in home):
            # Then it may be the currency that all others are measured in.
            continue
        with pytest.raises(error, match=text):
            register_payment(admin, **{"invoice_ids": invoices[:1], **arguments})
    assert kept(admin, partner) == before


@pytest.mark.every_version
@pytest.mark.parametrize("state", ["posted", "cancel"])
def test_a_reset_invoice_gets_the_state_that_it_had(
    admin: Odoo, partner: int, tmp_path: Path, opened: Open, state: str
) -> None:
    """What was cancelled, and has never been in the books, is not posted."""
    lines = [{"name": "Work", "quantity": 1, "price_unit": 10, "tax_ids": []}]
    invoice = create_invoice(admin, partner_id=partner, lines=lines, post=state == "posted")
    if state == "cancel":
        reset_invoice(admin, invoice_id=invoice.id, to="cancel")
    odoo = opened("admin", history=History(tmp_path / "history.sqlite"))
    reset_invoice(odoo, invoice_id=invoice.id)
    undo(odoo, entry=history(odoo)[0].id)
    assert get_invoice(odoo, invoice_id=invoice.id).state == state
