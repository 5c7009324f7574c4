"""What the books say, added up once more from the journal items themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps import inventory, sales
from odoo_toolkit.apps.accounting import (
    PaymentResult,
    Report,
    create_credit_note,
    create_invoice,
    get_invoice,
    get_report,
    post_invoice,
    reconcile,
    register_payment,
    reset_invoice,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.operations.lines import today
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit_mcp.results import json_text
from tests.kit.live_tapes import Open
from tests.live.accounting_data import customer, posted
from tests.live.sales_data import counted, new_product

pytestmark = pytest.mark.recorded

ITEM = "account.move.line"
PARTIAL = "account.partial.reconcile"
ALL = 1000


def company_of(odoo: Odoo) -> int:
    number: int = records.read(odoo, "res.users", [odoo.uid], ["company_id"])[0]["company_id"]["id"]
    return number


def items(odoo: Odoo, *leaves: Any) -> list[dict[str, Any]]:
    """Return all posted journal items of the user's company, read one by one."""
    base = [["parent_state", "=", "posted"], ["company_id", "=", company_of(odoo)], *leaves]
    fields = ["date", "date_maturity", "debit", "credit", "balance", "amount_residual"]
    fields += ["account_id", "partner_id"]
    found: list[dict[str, Any]] = []
    while True:
        page = records.search_read(
            odoo, ITEM, base, fields, limit=2000, offset=len(found), order="id"
        ).records
        found += [dict(row) for row in page]
        if len(page) < 2000:
            # Mere texts have no account.
            return [row for row in found if row["account_id"]]


def groups(odoo: Odoo) -> dict[int, str]:
    """Return the group of each account: asset, liability, equity, income, expense, off."""
    rows = records.search_read(odoo, "account.account", [], ["internal_group"], limit=5000).records
    return {row["id"]: row["internal_group"] for row in rows}


def quietly(odoo: Odoo, make: Callable[[], Any]) -> Any:
    """Return what is made while nobody else books anything: others test on the same server."""
    for _ in range(5):
        before = _booked(odoo)
        made = make()
        if before == _booked(odoo):
            return made
    pytest.skip("The books never stood still.")


def _booked(odoo: Odoo) -> list[Any]:
    """Return what changes with each booking; times do not, they are those of its beginning."""
    last = records.search_read(odoo, ITEM, [], ["write_date"], limit=1, order="write_date desc")
    counted: list[tuple[str, list[Any]]] = [
        (ITEM, []),
        (ITEM, [["parent_state", "=", "posted"]]),
        (PARTIAL, []),
    ]
    return [last.records, *(records.count(odoo, model, domain).count for model, domain in counted)]


def summed(rows: Iterable[dict[str, Any]], field: str = "balance") -> float:
    return round(sum(float(row[field]) for row in rows), 2)


def test_four_statements_are_what_the_journal_items_add_up_to(admin: Odoo) -> None:
    last = today(admin)
    first = (date.fromisoformat(last) - timedelta(days=3)).isoformat()
    kinds: tuple[Any, ...] = ("trial_balance", "profit_and_loss", "balance_sheet")

    def make() -> Any:
        made = [
            get_report(
                admin,
                kind=kind,
                date_from=None if kind == "balance_sheet" else first,
                date_to=last,
                limit=ALL,
            )
            for kind in kinds
        ]
        owed: tuple[Any, ...] = ("aged_receivable", "aged_payable")
        made += [get_report(admin, kind=kind, date_to="2099-12-31", limit=ALL) for kind in owed]
        return made, items(admin), groups(admin)

    (trial, profit, sheet, receivable, payable), rows, group_of = quietly(admin, make)
    for made in (trial, profit, sheet, receivable, payable):
        assert made.warnings == []
        assert set(made.checks.values()) == {True}
    until = [row for row in rows if row["date"] <= last]
    period = [row for row in until if row["date"] >= first]

    def of(some: Iterable[dict[str, Any]], group: str) -> list[dict[str, Any]]:
        return [row for row in some if group_of[row["account_id"]["id"]] == group]

    assert trial.totals["debit"] == pytest.approx(summed(period, "debit"))
    assert trial.totals["credit"] == pytest.approx(summed(period, "credit"))
    for line in trial.rows:
        if line.id is None or group_of[line.id] in ("income", "expense"):
            continue
        own = [row for row in until if row["account_id"]["id"] == line.id]
        assert line.balance == pytest.approx(summed(own)), line
        in_period = [row for row in own if row["date"] >= first]
        assert line.debit == pytest.approx(summed(in_period, "debit"))
        assert line.opening == pytest.approx(summed(row for row in own if row["date"] < first))
    accounts = {row["account_id"]["id"] for row in period if row["debit"] or row["credit"]}
    assert accounts <= {line.id for line in trial.rows}

    earned = -summed([*of(period, "income"), *of(period, "expense")])
    assert profit.totals["profit"] == pytest.approx(earned)
    assert profit.totals["income"] == pytest.approx(-summed(of(period, "income")))
    assert summed_rows(profit, "income") == pytest.approx(profit.totals["income"])

    kept_back = -summed([*of(until, "income"), *of(until, "expense")])
    assert sheet.totals["assets"] == pytest.approx(summed(of(until, "asset")))
    assert sheet.totals["liabilities"] == pytest.approx(-summed(of(until, "liability")))
    assert sheet.totals["equity"] == pytest.approx(kept_back - summed(of(until, "equity")))
    for section, total in (("asset", "assets"), ("equity", "equity")):
        assert summed_rows(sheet, section) == pytest.approx(sheet.totals[total])

    # In the far future, what was open then is what Odoo says is open now, and what drafts settle.
    field = "account_type" if "account_type" in admin.schema.fields("account.account") else None
    kind_of = {"receivable": "asset_receivable", "payable": "liability_payable"}
    for name, sign, made in (("receivable", 1, receivable), ("payable", -1, payable)):
        leaf = [f"account_id.{field or 'internal_type'}", "=", kind_of[name] if field else name]
        ids = {row["id"] for row in records.search_read(admin, ITEM, [leaf], ["id"], limit=9999)}
        left = summed((row for row in rows if row["id"] in ids), "amount_residual")
        for side, other, way in (("debit", "credit", 1), ("credit", "debit", -1)):
            drafts = [[f"{other}_move_id.parent_state", "!=", "posted"]]
            partials = records.search_read(admin, PARTIAL, drafts, ["*"], limit=ALL).records
            left += way * sum(p["amount"] for p in partials if p[f"{side}_move_id"]["id"] in ids)
        assert made.totals["balance"] == pytest.approx(sign * left)


def summed_rows(made: Report, section: str) -> float:
    return round(sum(row.balance for row in made.rows if row.section == section), 2)


def test_from_delivery_to_settlement_as_of_three_days(admin: Odoo, suffix: str) -> None:
    """Delivery, invoice, part payment, credit note for one line, settlement: what was owed when."""
    partner = customer(admin, suffix)
    goods = new_product(admin, f"Goods {suffix}", kind="consu", price=25.0)
    more = new_product(admin, f"More {suffix}", price=60.0)
    lines = [{"product_id": goods, "quantity": 4}, {"product_id": more, "quantity": 1}]
    order = sales.create_order(admin, lines=lines, partner_id=partner, confirm=True)
    shown = sales.get_order(admin, order_id=order.id, include_deliveries=True)
    (delivery,) = shown.deliveries or []
    inventory.validate_picking(admin, picking_id=delivery.id)
    (delivered,) = records.read(admin, "stock.picking", [delivery.id], ["state"])
    assert delivered["state"] == "done"
    invoiced = sales.create_invoices(admin, order_id=order.id)
    (draft,) = invoiced.invoices
    invoice = post_invoice(admin, invoice_id=draft.id)
    assert invoice.amount_total == 160.0
    day = date.fromisoformat(
        str(records.read(admin, "account.move", [draft.id], ["date"])[0]["date"])
    )
    paid_on, credited_on = (day + timedelta(days=n) for n in (10, 40))
    paid = register_payment(
        admin, invoice_ids=[draft.id], amount=30, payment_date=paid_on.isoformat()
    )
    assert isinstance(paid, PaymentResult)
    note = create_credit_note(
        admin,
        invoice_id=draft.id,
        lines=[{"product_name": f"goods {suffix}", "quantity": 2}],
        date=credited_on.isoformat(),
        post=True,
    )
    assert (note.amount_total, note.amount_residual, note.warnings) == (50.0, 0.0, [])

    def owed(on: date) -> dict[str, float | None]:
        made = quietly(
            admin,
            lambda: get_report(admin, kind="aged_receivable", date_to=on.isoformat(), limit=ALL),
        )
        assert made.checks == {"whole_book_seen": True, "equals_balance_of_accounts": True}
        (row,) = [row for row in made.rows if row.id == partner]
        assert row.balance == pytest.approx(owed_by_items(on))
        return {"not_due": row.not_due, "1_30": row.days_1_30, "31_60": row.days_31_60}

    def owed_by_items(on: date) -> float:
        until = ["date", "<=", on.isoformat()]
        own = items(admin, ["partner_id", "=", partner], ["account_id", "=", account], until)
        return summed(own)

    (debit,) = items(admin, ["move_id", "=", draft.id], ["debit", ">", 100])
    account = debit["account_id"]["id"]
    due = get_invoice(admin, invoice_id=draft.id)
    assert due.invoice_date_due == day.isoformat()
    assert owed(day) == {"not_due": 160.0, "1_30": None, "31_60": None}
    assert owed(paid_on) == {"not_due": None, "1_30": 130.0, "31_60": None}
    assert owed(credited_on) == {"not_due": None, "1_30": None, "31_60": 80.0}
    assert [(p.amount, p.date) for p in due.payments or ()] == [
        (30.0, paid_on.isoformat()),
        (50.0, credited_on.isoformat()),
    ]

    # Another invoice's credit note settles the rest, and nothing is owed any more.
    other = posted(admin, partner, invoice_date=credited_on.isoformat())
    register_payment(admin, invoice_ids=[other.id], payment_date=credited_on.isoformat())
    credit = create_credit_note(
        admin,
        invoice_id=other.id,
        lines=[{"product_name": "alpha"}],
        date=credited_on.isoformat(),
        post=True,
    )
    settled = reconcile(admin, invoice_id=draft.id, credit_name=credit.name)
    assert (settled.amount_residual, settled.payment_state) in ((0.0, "paid"), (0.0, "in_payment"))
    last = get_report(admin, kind="aged_receivable", date_to="2099-12-31", limit=ALL)
    assert {row.id: row.balance for row in last.rows}[partner] == -20.0
    # What was owed before stays what it was.
    assert owed(paid_on)["1_30"] == 130.0


@pytest.mark.every_version
def test_what_pays_a_draft_is_open(admin: Odoo, suffix: str) -> None:
    """Odoo 19 leaves its payments on an invoice that is reset: the books have them alone."""
    partner = customer(admin, suffix)
    invoice = posted(admin, partner)
    register_payment(admin, invoice_ids=[invoice.id], amount=100)
    reset_invoice(admin, invoice_id=invoice.id, to="draft")
    made = quietly(admin, lambda: get_report(admin, kind="aged_receivable", limit=ALL))
    assert set(made.checks.values()) == {True}
    assert {row.id: row.balance for row in made.rows}[partner] == -100.0


def test_a_seller_is_refused_and_a_reader_sees_the_whole_book(admin: Odoo, opened: Open) -> None:
    """Odoo itself would sum some invoices for the seller without a word."""
    seller = opened("Seller in sales_team.group_sale_salesman")
    reader = opened("Bookreader in account.group_account_readonly")
    sums = Call(
        model=ITEM,
        method="read_group",
        arguments={"domain": [], "fields": ["debit:sum"], "groupby": ["account_id"], "lazy": False},
    )
    seller.call(sums)
    with pytest.raises(AccessError, match="cannot see all journal items"):
        get_report(seller, kind="trial_balance")
    theirs, ours = quietly(
        admin, lambda: [get_report(one, kind="trial_balance", limit=ALL) for one in (reader, admin)]
    )
    assert (theirs.rows, theirs.totals) == (ours.rows, ours.totals)
    assert ours.rows


def test_an_ordinary_user_is_refused(ordinary: Odoo) -> None:
    with pytest.raises(AccessError):
        get_report(ordinary, kind="balance_sheet")


def test_a_period_without_entries_says_so(admin: Odoo) -> None:
    made = get_report(admin, kind="profit_and_loss", date_from="1951-01-01", date_to="1951-12-31")
    assert (made.rows, made.totals["profit"]) == ([], 0.0)
    assert "no posted journal items from 1951-01-01 to 1951-12-31" in made.warnings[0]


def test_a_report_that_cannot_be_made_is_an_error(admin: Odoo) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"kind": "cash_flow"}, "no report 'cash_flow'"),
        ({"kind": "balance_sheet", "date_from": "2025-01-01"}, "does not accept date_from"),
        (
            {"kind": "trial_balance", "date_from": "2025-02-01", "date_to": "2025-01-01"},
            "ends before",
        ),
        ({"kind": "trial_balance", "date_to": "31.12.2025"}, "not a date"),
        ({"kind": "trial_balance", "by": "document"}, "cannot be grouped by"),
    ]
    for arguments, error in wrong:
        with pytest.raises(ValidationError, match=error):
            get_report(admin, **arguments)
    with pytest.raises((NotFoundError, AccessError)):
        get_report(admin, kind="balance_sheet", company_id=987654)
    with pytest.raises(NotFoundError, match="no such company"):
        get_report(admin, kind="balance_sheet", company_name="no such company")


def test_a_company_is_named(admin: Odoo, suffix: str) -> None:
    """Its books are the same by name and by id; of several alike one has to be chosen."""
    company = records.read(admin, "res.company", [company_of(admin)], ["name"])[0]
    kind: Any = "balance_sheet"
    by_id, by_name = quietly(
        admin,
        lambda: [
            get_report(admin, kind=kind, company_id=company["id"]),
            get_report(admin, kind=kind, company_name=company["name"].upper()),
        ],
    )
    assert by_name == by_id
    assert by_name.rows
    for end in ("one", "two"):
        records.create(admin, "res.company", {"name": f"Books {suffix} {end}"})
    with pytest.raises(AmbiguousNameError, match="Pass company_id"):
        get_report(admin, kind=kind, company_name=f"Books {suffix}")


def test_reports_take_few_calls_and_little_room(admin: Odoo) -> None:
    kinds: tuple[Any, ...] = ("trial_balance", "profit_and_loss", "balance_sheet", "aged_payable")
    for kind, most in zip(kinds, (7, 5, 6, 7), strict=True):
        get_report(admin, kind=kind)  # asks what stays the same, once
        with counted(admin) as calls:
            made = get_report(admin, kind=kind)
        assert len(calls) <= most, (kind, calls)
        assert len(made.rows) <= 25
        assert len(json_text(made)) < 4000


@pytest.mark.every_version
def test_days_to_pay_are_weighted_by_what_was_paid(admin: Odoo, suffix: str) -> None:
    """100 after 10 days and 300 after 30, due at once: 25 days on average, of late payment too."""
    buyer = records.create(admin, "res.partner", {"name": f"Buyer {suffix}"}).id
    for amount, day in ((100, "2026-03-12"), (300, "2026-04-01")):
        made = create_invoice(
            admin,
            partner_id=buyer,
            invoice_date="2026-03-02",
            due_date="2026-03-02",
            lines=[{"name": "Advice", "price_unit": amount, "tax_ids": []}],
            post=True,
        )
        register_payment(admin, invoice_ids=[made.id], payment_date=day)
    asked: dict[str, Any] = {"kind": "days_to_pay", "date_from": "2026-03-01", "limit": 1000}
    report = get_report(admin, **asked, date_to="2026-04-30")
    (row,) = [row for row in report.rows if row.id == buyer]
    assert (row.days, row.days_late, row.balance) == (25.0, 25.0, 400.0)
    assert report.totals["paid"] == pytest.approx(sum(row.balance for row in report.rows))
    early = get_report(admin, **asked, date_to="2026-03-31", by="document")
    mine = [row for row in early.rows if row.days == 10.0 and row.balance == 100.0]
    assert mine
    with pytest.raises(ValidationError):
        get_report(admin, kind="days_to_pay", by="account")
    vendors = get_report(admin, **{**asked, "kind": "days_to_pay_vendors"})
    assert buyer not in [row.id for row in vendors.rows]
