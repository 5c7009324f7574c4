"""Bank lines matched with open items, and statements of account, on a real Odoo."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    ValidationError,
    count,
    create,
    read,
    search_read,
    write,
)
from odoo_toolkit.apps import inventory, sales
from odoo_toolkit.apps.accounting import (
    BankPlan,
    BankResult,
    Invoice,
    get_invoice,
    get_report,
    get_statement,
    match_bank_lines,
    post_invoice,
    register_payment,
    send_reminders,
)
from odoo_toolkit.mail import send_document
from tests.kit.live_tapes import Open
from tests.kit.users import take_email
from tests.live.accounting_data import customer, kept, posted
from tests.live.products import stored

pytestmark = pytest.mark.recorded

DAY = "2026-01-20"
ITEM, LINE = "account.move.line", "account.bank.statement.line"


@pytest.fixture
def accountant(opened: Open, admin: Odoo) -> Odoo:
    """A user with the rights that Odoo wants for bank lines."""
    group = "basic" if admin.version.major >= 18 else "user"
    groups = f"account.group_account_manager account.group_account_{group}"
    odoo = opened(f"Accountant in {groups}")
    # An order whose invoice is paid is told so by e-mail, which needs a sender.
    take_email(opened, odoo, "accountant@example.com")
    return odoo


def line(amount: float, reference: str, partner: str = "", **more: Any) -> dict[str, Any]:
    return {"date": DAY, "amount": amount, "reference": reference, "partner": partner, **more}


def book(odoo: Odoo, *lines: dict[str, Any], **options: Any) -> BankResult:
    done = match_bank_lines(odoo, lines=list(lines), **options)
    assert isinstance(done, BankResult)
    return done


def plan(odoo: Odoo, *lines: dict[str, Any]) -> BankPlan:
    shown = match_bank_lines(odoo, lines=list(lines), dry_run=True)
    assert isinstance(shown, BankPlan)
    return shown


def booked(admin: Odoo, suffix: str) -> int:
    """How many bank lines of this test there are."""
    return count(admin, LINE, [["payment_ref", "like", suffix]]).count


def now(admin: Odoo, invoice: Invoice) -> tuple[str | None, float | None]:
    shown = get_invoice(admin, invoice_id=invoice.id)
    return shown.payment_state, shown.amount_residual


@pytest.mark.every_version
def test_lines_are_matched_booked_and_reconciled(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    payer = customer(admin, suffix)
    by_number, by_name, part = (posted(admin, payer, invoice_date=DAY) for _ in range(3))
    register_payment(admin, invoice_ids=[by_name.id], amount=17.5)
    vendor = customer(admin, f"v{suffix}")
    bill = posted(admin, vendor, move_type="in_invoice", ref=f"B{suffix}1", invoice_date=DAY)
    lines = [
        line(160.0, f"{str(by_number.name).replace('/', ' ')} {suffix}"),
        line(142.5, f"thanks {suffix}", f"CUSTOMER {suffix} Ltd"),
        line(60.0, f"{part.name} first part {suffix}"),
        line(-160.0, f"Bill B{suffix}1 {suffix}"),
        line(3.21, f"nothing {suffix}"),
    ]
    before = kept(admin, payer, vendor)

    shown = plan(accountant, *lines)

    assert [one.status for one in shown.lines] == ["match", "match", "match", "match", "none"]
    assert [one.stays_open for one in shown.lines[:4]] == [0.0, 0.0, 100.0, 0.0]
    assert (kept(admin, payer, vendor), booked(admin, suffix)) == (before, 0)

    done = book(accountant, *lines)

    assert [one.status for one in done.lines] == ["done", "done", "done", "done", "none"], done
    assert [one.warnings for one in done.lines[:4]] == [[], [], [], []]
    assert now(admin, by_number) == now(admin, by_name) == now(admin, bill) == ("paid", 0.0)
    assert now(admin, part) == ("partial", 100.0)
    assert booked(admin, suffix) == 4
    rows = read(admin, LINE, [one.line_id or 0 for one in done.lines[:4]], ["is_reconciled"])
    assert [row["is_reconciled"] for row in rows.records] == [True] * 4
    after = kept(admin, payer, vendor)
    again = book(accountant, *lines)
    assert [one.booked_before for one in again.lines] == [True, True, True, True, False]
    assert (kept(admin, payer, vendor), booked(admin, suffix)) == (after, 4)


@pytest.mark.every_version
def test_a_line_that_fits_two_invoices_is_left_alone_until_one_is_named(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    payer = customer(admin, suffix)
    one, two = posted(admin, payer), posted(admin, payer)
    asked = line(160.0, f"rent {suffix}", f"Customer {suffix}")
    before = kept(admin, payer)
    (left,) = book(accountant, asked).lines
    assert left.status == "ask"
    assert {each.document.id for each in left.items} == {one.id, two.id}
    assert (kept(admin, payer), booked(admin, suffix)) == (before, 0)
    (done,) = book(accountant, {**asked, "documents": [two.name]}).lines
    assert (done.status, now(admin, two), now(admin, one)) == (
        "done",
        ("paid", 0.0),
        ("not_paid", 160.0),
    )
    # Too much is asked, too; once named, the rest is the customer's credit.
    more = line(165.0, f"{one.name} {suffix}")
    assert book(accountant, more).lines[0].status == "ask"
    (paid,) = book(accountant, {**more, "documents": [one.id]}).lines
    assert (paid.status, paid.stays_open, now(admin, one)) == ("done", -5.0, ("paid", 0.0))
    credit = get_statement(admin, partner=payer)
    assert [item.left for item in credit.open_items] == [-5.0]


@pytest.mark.every_version
def test_one_line_pays_several_and_a_payment_is_matched(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    payer = customer(admin, suffix)
    one, two, paid = (posted(admin, payer) for _ in range(3))
    register_payment(admin, invoice_ids=[paid.id])
    both = line(320.0, f"{one.name}, {two.name} {suffix}")
    # What is in payment is open until its money has come.
    of_payment = line(160.0, f"{paid.name} {suffix}")
    done = book(accountant, both, of_payment).lines
    assert now(admin, one) == now(admin, two) == ("paid", 0.0)
    assert [each.status for each in done][:1] == ["done"]
    if done[1].status == "done":
        assert now(admin, paid) == ("paid", 0.0)
    else:
        # Without an account for it in between, the payment is booked on the bank itself.
        assert done[1].status == "none"


@pytest.mark.every_version
def test_a_difference_is_written_off_and_a_line_is_named_by_its_reference(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    """Two too few and three too many are booked on an account of expenses, and of a bill one."""
    payer = customer(admin, suffix)
    few, many = posted(admin, payer), posted(admin, payer)
    bill = posted(admin, payer, move_type="in_invoice", ref=f"B{suffix}", invoice_date=DAY)
    owed = now(admin, bill)[1]
    expense = "account_type" if "account_type" in admin.schema.fields("account.account") else None
    domain = [[expense, "=", "expense"]] if expense else [["internal_group", "=", "expense"]]
    account = search_read(accountant, "account.account", domain, ["name", "code"], limit=1)[0]
    off = {"writeoff_account": account["code"]}
    lines = [
        line(158.0, f"{suffix} {few.name}", documents=[few.id], **off),
        line(163.0, f"{suffix} {many.name}", documents=[many.id], **off),
        line(1.0 - owed, f"{suffix} {bill.ref}", documents=[bill.id], **off),
    ]
    assert [one.written_off for one in plan(accountant, *lines).lines] == [2.0, -3.0, 1.0]
    done = book(accountant, *lines)
    assert [(one.status, one.written_off, one.stays_open) for one in done.lines] == [
        ("done", 2.0, 0.0),
        ("done", -3.0, 0.0),
        ("done", 1.0, 0.0),
    ], done
    assert [one.warnings for one in done.lines] == [[], [], []]
    assert [one.left_open for one in done.lines] == [{one.name: 0.0} for one in (few, many, bill)]
    assert now(admin, few) == now(admin, many) == now(admin, bill) == ("paid", 0.0)
    rows = search_read(
        admin,
        ITEM,
        [["account_id", "=", account["id"]], ["name", "like", "Write-off"], ["move_id.line_ids"
          ".partner_id", "=", payer]],
        ["balance"],
        order="id",
    ).records  # fmt: skip
    # What is not paid of a bill is a gain.
    assert [row["balance"] for row in rows] == [2.0, -3.0, -1.0]

    waits = f"transfer {suffix} of nobody"
    journal = done.journal.id
    values: dict[str, Any] = {"date": DAY, "amount": 160.0, "payment_ref": waits}
    if admin.version.major > 15:
        create(accountant, LINE, {"journal_id": journal, **values})
    else:
        head = {"name": suffix, "journal_id": journal, "date": DAY, "line_ids": [[0, 0, values]]}
        start = {"balance_start": 0.0, "balance_end_real": 160.0}
        create(accountant, "account.bank.statement", {**head, **start})
    third = posted(admin, payer)
    (named,) = book(accountant, {"reference": f"transfer {suffix}", "documents": [third.id]}).lines
    assert (named.status, named.booked_before, named.amount) == ("done", True, 160.0), named
    assert now(admin, third) == ("paid", 0.0)
    for wrong in (
        {"reference": f"transfer {suffix}"},
        {"reference": f"nothing {suffix}"},
        line(1.0, suffix, writeoff_account=" "),
        line(1.0, suffix, writeoff_account=f"No {suffix}"),
    ):
        with pytest.raises((ValidationError, NotFoundError)):
            book(accountant, wrong)


@pytest.mark.every_version
def test_bad_input_and_missing_rights_book_nothing(
    admin: Odoo, accountant: Odoo, opened: Open, suffix: str
) -> None:
    payer = customer(admin, suffix)
    invoice = posted(admin, payer)
    before = kept(admin, payer)
    right = line(160.0, f"{invoice.name} {suffix}")
    for wrong in ({**right, "currency": "XYZ"}, {**right, "amount": 0}, {**right, "date": "soon"}):
        with pytest.raises(ValidationError):
            book(accountant, wrong)
    with pytest.raises(ValidationError):
        book(accountant, right, right)
    biller = opened("Only Billing in account.group_account_invoice")
    with pytest.raises(AccessError, match="cannot book"):
        book(biller, right)
    assert "cannot book" in plan(biller, right).message
    assert (kept(admin, payer), booked(admin, suffix)) == (before, 0)


@pytest.mark.every_version
def test_an_invoice_in_another_currency_is_named_and_not_converted(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    company = read(admin, "res.users", [admin.uid], ["company_id"])[0]["company_id"]["id"]
    home = read(admin, "res.company", [company], ["currency_id"])[0]["currency_id"]["name"]
    code = f"Q{suffix[:2]}".upper()
    currency = create(admin, "res.currency", {"name": code, "symbol": code, "active": True}).id
    rate = {"currency_id": currency, "name": "2020-01-01", "rate": 2.0, "company_id": company}
    create(admin, "res.currency.rate", rate)
    invoice = posted(admin, customer(admin, suffix), currency_id=currency)
    (found,) = book(accountant, line(160.0, f"{invoice.name} {suffix}")).lines
    assert found.status == "none"
    assert f"is in {code}, but the line is in {home}" in found.reasons[0]
    assert (now(admin, invoice), booked(admin, suffix)) == (("not_paid", 160.0), 0)


def test_a_statement_of_account_is_odoos_own_figures(
    admin: Odoo, ordinary: Odoo, suffix: str
) -> None:
    payer = customer(admin, suffix)
    old = posted(admin, payer, invoice_date="2025-03-10")
    new = posted(admin, payer, invoice_date="2026-02-10")
    register_payment(admin, invoice_ids=[old.id], amount=60, payment_date="2026-03-01")
    found = get_statement(
        admin, partner=f"Customer {suffix}", date_from="2026-01-01", date_to="2026-12-31"
    )
    assert (found.opening, found.charged, found.settled, found.closing) == (160, 160, 60, 260)
    assert [(one.amount, one.balance) for one in found.movements] == [(160, 320), (-60, 260)]
    assert found.movements[0].document.id == new.id
    assert {one.document.id: one.left for one in found.open_items} == {old.id: 100, new.id: 160}
    assert set(found.checks.values()) == {True}
    aged = get_report(admin, kind="aged_receivable", date_to="2026-12-31", limit=1000)
    assert [row.balance for row in aged.rows if row.id == payer] == [found.closing]
    one = get_statement(admin, partner=payer, date_from="2026-01-01", date_to="2026-12-31", limit=1)
    assert (len(one.movements), one.has_more, one.closing) == (1, True, 260)
    assert get_statement(admin, partner=payer, side="vendor").closing == 0
    with pytest.raises(ValidationError):
        get_statement(admin, partner=payer, date_from="2026-02-01", date_to="2026-01-01")
    if not ordinary.schema.may("account.move.line", "create"):
        with pytest.raises(AccessError):
            get_statement(ordinary, partner=payer)


@pytest.mark.every_version
def test_from_the_quotation_to_the_money_in_the_bank(
    admin: Odoo, accountant: Odoo, suffix: str
) -> None:
    """Each step by the operation for it, with Odoo's own figures at the end."""
    address = {"name": f"Chain {suffix}", "email": f"{suffix}@example.com"}
    payer = create(admin, "res.partner", address).id
    goods = {"name": f"Desk {suffix}", "list_price": 80.0, "taxes_id": [], **stored(admin)}
    desk = create(admin, "product.product", goods).id
    inventory.adjust_stock(admin, product_id=desk, quantity=5)
    order = sales.create_order(admin, partner_id=payer, lines=[{"product_id": desk, "quantity": 2}])
    mailed = send_document(admin, model="sale.order", record_id=order.id)
    assert (mailed.state, mailed.status in ("failed", "queued")) == ("sent", True)
    (outcome,) = sales.process_orders(admin, orders=[order.id], steps=["confirm", "deliver"]).orders
    assert outcome.complete, outcome
    (draft,) = sales.create_invoices(admin, order_id=order.id).invoices
    write(
        admin,
        "account.move",
        [draft.id],
        {"invoice_date": DAY, "invoice_payment_term_id": False, "invoice_date_due": DAY},
    )
    # Up to 15 only Odoo's form takes the day over to the item.
    due = [
        row["id"]
        for row in search_read(
            admin, ITEM, [["move_id", "=", draft.id], ["date_maturity", "!=", False]], ["id"]
        ).records
    ]
    write(admin, ITEM, due, {"date_maturity": DAY})
    invoice = post_invoice(admin, invoice_id=draft.id)
    assert (invoice.posted, invoice.invoice_date_due) == (True, DAY)
    assert send_document(admin, model="account.move", record_id=invoice.id).message_id
    (reminder,) = send_reminders(admin, partners=[payer]).reminders
    assert [(one.id, one.residual) for one in reminder.invoices] == [(invoice.id, 160.0)]
    assert reminder.message_id
    (paid,) = book(accountant, line(160.0, f"{invoice.name} {suffix}")).lines
    assert paid.status == "done", paid.error
    assert now(admin, invoice) == ("paid", 0.0)
    assert get_statement(admin, partner=payer).closing == 0.0
    (left,) = send_reminders(admin, partners=[payer], dry_run=True).not_sent
    assert "Nothing has been overdue" in left.reason
    shown = sales.get_order(admin, order_id=order.id, include_invoices=True)
    assert (shown.invoice_status, [one.payment_state for one in shown.invoices or ()]) == (
        "invoiced",
        ["paid"],
    )
