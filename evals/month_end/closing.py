"""Closes one month of the twelve; each is a task that needs the ones before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evals import records
from evals.database import Database
from evals.month_end import events
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Close the month {month} for our harbour. All dates are as given here, and amounts have no tax.

- Post the draft invoices of {month} to Anchor Inn, Bollard Cafe and Capstan Hotel. Their references
  begin with "Berths {number:02}". Drafts of other months stay drafts.
{papers}
- Depreciation: a posted journal entry of {last}, {depreciation:.2f} debit on account EV6200, credit
  on account EV1500, reference "Depreciation {number:02}".

Then give the result of the month and what is open at its end.
"""
ANSWER = {
    "income": "what account EV4000 has from this month alone: credit less debit, a number",
    "costs": "what EV6000 and EV6200 have from this month alone, together: debit less credit",
    "receivable": "what Anchor Inn, Bollard Cafe and Capstan Hotel owe us at the month's end",
    "payable": "what we owe Dockside Power and Estuary Water at the month's end, not negative",
}
SEED = 1
ACCOUNTS = {
    "income": ("EV4000", "Berths", "income"),
    "supplies": ("EV6000", "Harbour Supplies", "expense"),
    "depreciation": ("EV6200", "Depreciation of Quays", "expense"),
    "quays": ("EV1500", "Quays", "asset_fixed"),
}


def prepare(db: Database, seed: int) -> Facts:
    """Make the accounts and partners if they are not there, and the drafts of a month.

    Args:
        db: Where.
        seed: The month's number, 1 to 12; what happens in all of them is the same on each copy.
    """
    months = events.year(SEED)
    month = months[seed - 1]
    accounts = {
        key: _there(db, "account.account", [["code", "=", code]])
        or records.account(db, code, name, kind)
        for key, (code, name, kind) in ACCOUNTS.items()
    }
    partners = {
        name: _there(db, "res.partner", [["name", "=", name]]) or records.company(db, name)
        for name in (*events.CUSTOMERS, *events.VENDORS)
    }
    berth = _there(db, "product.product", [["name", "=", "Berth Night"]])
    if not berth:
        berth = records.service(db, "Berth Night", events.PRICE)
        db.write("product.product", berth, {"property_account_income_id": accounts["income"]})
        supplies = records.service(db, "Harbour Supplies", 30)
        account = {"property_account_expense_id": accounts["supplies"]}
        db.write("product.product", supplies, account)
    for sale in month.sales:
        lines = [(berth, float(sale.drafted), sale.price)]
        customer = partners[sale.partner]
        records.invoice(db, customer, lines, sale.day.isoformat(), post=False, ref=sale.key)
    return {
        "number": seed,
        "month": month.last.strftime("%B %Y"),
        "last": month.last.isoformat(),
        "papers": events.words(month),
        "depreciation": events.DEPRECIATION,
        "accounts": accounts,
        "partners": partners,
        "books": events.books(months, seed),
        "books_before": events.books(months, seed - 1),
    }


def _there(db: Database, model: str, domain: list[Any]) -> int:
    found = db.search(model, domain, ["id"], limit=1)
    return int(found[0]["id"]) if found else 0


def found_books(db: Database, facts: Facts) -> dict[str, float]:
    """Return what the accounts have in the database at the end of the month."""
    until = [["parent_state", "=", "posted"], ["date", "<=", facts["last"]]]
    accounts = facts["accounts"]
    found = {
        key: _balance(db, [["account_id", "=", accounts[key]], *until])
        for key in ("income", "supplies", "depreciation")
    }
    found["income"] = -found["income"]
    kind = "account_type"
    names: Sequence[str] = ("asset_receivable", "liability_payable")
    if kind not in db.fields("account.account"):
        kind, names = "internal_type", ("receivable", "payable")
    for name, partner in facts["partners"].items():
        of_customer = name in events.CUSTOMERS
        account = [f"account_id.{kind}", "=", names[0 if of_customer else 1]]
        balance = _balance(db, [["partner_id", "=", partner], account, *until])
        found[name] = balance if of_customer else -balance
    return found


def _balance(db: Database, domain: list[Any]) -> float:
    return float(sum(one["balance"] for one in db.search("account.move.line", domain, ["balance"])))


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """Each account is what it has to be, with what was done in the months before."""
    found, books, before = found_books(db, facts), facts["books"], facts["books_before"]
    faults = []
    for key, amount in books.items():
        faults += unequal(f"{key} at the end of {facts['month']}", amount, round(found[key], 2))
    expected = {
        "income": books["income"] - before["income"],
        "costs": sum(books[key] - before[key] for key in ("supplies", "depreciation")),
        "receivable": sum(books[name] for name in events.CUSTOMERS),
        "payable": sum(books[name] for name in events.VENDORS),
    }
    for key, amount in expected.items():
        faults += unequal(f"{key} in the answer", amount, answer[key])
    return faults


def distance(db: Database, facts: Facts) -> float | None:
    """How far the accounts are off, in all, as a part of what has been sold so far."""
    found, books = found_books(db, facts), facts["books"]
    return float(sum(abs(found[key] - books[key]) for key in books) / books["income"])


def solve(call: Call, facts: Facts) -> Answer:
    """Correct and post, enter, credit, pay, depreciate; then read the accounts."""
    month = events.year(SEED)[facts["number"] - 1]
    for sale in month.sales:
        _post_draft(call, sale)
    for bill in month.bills:
        call(
            "odoo_accounting_create_invoice",
            move_type="in_invoice",
            partner_name=bill.partner,
            invoice_date=bill.day.isoformat(),
            ref=bill.key,
            lines=[
                {
                    "product_name": "Harbour Supplies",
                    "quantity": bill.quantity,
                    "price_unit": bill.price,
                }
            ],
            post=True,
        )
    if month.credit:
        day, invoice, pieces = month.credit
        call(
            "odoo_accounting_create_credit_note",
            invoice_id=_by_reference(call, invoice.key)["id"],
            lines=[{"product_name": "Berth Night", "quantity": pieces}],
            date=day.isoformat(),
            post=True,
        )
    for day, paid in month.payments:
        for one in paid:
            call(
                "odoo_accounting_register_payment",
                invoice_ids=[str(_by_reference(call, one.key)["id"])],
                payment_date=day.isoformat(),
            )
    call(
        "odoo_accounting_create_entry",
        date=facts["last"],
        ref=f"Depreciation {month.number:02}",
        lines=[
            {"account_name": "EV6200", "debit": facts["depreciation"]},
            {"account_name": "EV1500", "credit": facts["depreciation"]},
        ],
        post=True,
    )
    return _result(call, month)


def _post_draft(call: Call, sale: events.Invoice) -> None:
    draft = _by_reference(call, sale.key)
    if sale.drafted != sale.quantity:
        line = [1, draft["invoice_line_ids"][0], {"quantity": sale.quantity}]
        values = {"invoice_line_ids": [line]}
        call("odoo_core_write", model="account.move", ids=[draft["id"]], values=values)
    call("odoo_accounting_post_invoice", invoice_id=draft["id"])


def _by_reference(call: Call, reference: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = call(
        "odoo_core_search_read",
        model="account.move",
        domain=[["ref", "=", reference], ["move_type", "in", ["out_invoice", "in_invoice"]]],
        fields=["name", "invoice_line_ids"],
    )["records"]
    return found[0]


def _result(call: Call, month: events.Month) -> Answer:
    """Read the result and what is open from the posted entries."""
    first = month.last.replace(day=1)

    def balance(domain: list[Any]) -> float:
        posted = [["parent_state", "=", "posted"], ["date", "<=", month.last.isoformat()]]
        rows = call(
            "odoo_core_aggregate",
            model="account.move.line",
            domain=[*domain, *posted],
            measures=["balance:sum"],
        )["records"]
        return round(float(rows[0]["balance:sum"] or 0), 2) if rows else 0.0

    def open_of(names: Sequence[str], side: str) -> float:
        until = month.last.isoformat()
        return sum(
            float(
                call("odoo_accounting_get_statement", partner=name, date_to=until, side=side)[
                    "closing"
                ]
            )
            for name in names
        )

    since = ["date", ">=", first.isoformat()]
    return {
        "income": -balance([["account_id.code", "=", "EV4000"], since]),
        "costs": balance([["account_id.code", "in", ["EV6000", "EV6200"]], since]),
        "receivable": open_of(events.CUSTOMERS, "customer"),
        "payable": open_of(events.VENDORS, "vendor"),
    }
