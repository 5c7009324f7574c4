"""Accounting: a payment that covers one invoice and part of the next."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Today Osprey Rigging has paid 1,000.00 to our bank. It is meant for their two open invoices: first
settle the one that was due first, then put the rest on the other one. Register it; the two payments
must add up to exactly 1,000.00. The draft invoice of Osprey Rigging stays a draft.
"""
ANSWER = {
    "settled": "number of the invoice that is now paid in full",
    "partly_paid": "number of the invoice that is paid in part",
    "still_due": "what is still due on that one, a number",
}


def prepare(db: Database) -> Facts:
    """Make two posted invoices, the one that was made later due first, and a draft."""
    customer = records.company(db, "Osprey Rigging")
    rope = records.service(db, "Rigging Inspection", 100)
    later = records.invoice(
        db, customer, [(rope, 8, 100)], records.days_from_now(-40), invoice_date_due=_day(20)
    )
    first = records.invoice(
        db, customer, [(rope, 6.5, 100)], records.days_from_now(-35), invoice_date_due=_day(-5)
    )
    draft = records.invoice(db, customer, [(rope, 3.5, 100)], _day(-1), post=False)
    return {"customer": customer, "first": first, "later": later, "draft": draft["id"]}


def _day(days: int) -> str:
    return records.days_from_now(days)


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The first is settled, the later has 350 on it, and nothing is paid twice."""
    rows = {
        name: db.get("account.move", facts[name]["id"], ["state", "amount_residual", "name"])
        for name in ("first", "later")
    }
    draft = db.get("account.move", facts["draft"], ["state"])
    payments = db.search(
        "account.payment",
        [["partner_id", "=", facts["customer"]], ["state", "not in", ["cancel", "canceled"]]],
        ["amount", "payment_type"],
    )
    paid = [one["amount"] for one in payments if one["payment_type"] == "inbound"]
    faults = unequal("what is due on the invoice due first", 0.0, rows["first"]["amount_residual"])
    faults += unequal("what is due on the other", 450.0, rows["later"]["amount_residual"])
    faults += unequal("the payments' sum", 1000.0, sum(paid))
    faults += unequal("the number of other payments", 0, len(payments) - len(paid))
    faults += unequal("the draft's state", "draft", draft["state"])
    faults += unequal("the settled invoice", rows["first"]["name"], answer["settled"])
    faults += unequal("the other invoice", rows["later"]["name"], answer["partly_paid"])
    return faults + unequal("what is still due in the answer", 450.0, answer["still_due"])


def solve(call: Call, facts: Facts) -> Answer:
    """Look for the open invoices by their due dates, and pay one after the other."""
    invoices = call(
        "odoo_core_search_read",
        model="account.move",
        domain=[
            ["partner_id", "=", "Osprey Rigging"],
            ["state", "=", "posted"],
            ["move_type", "=", "out_invoice"],
        ],
        fields=["name", "amount_residual"],
        order="invoice_date_due",
    )["records"]
    first, later = invoices
    call("odoo_accounting_register_payment", invoice_ids=[first["name"]])
    rest = 1000 - first["amount_residual"]
    call("odoo_accounting_register_payment", invoice_ids=[later["name"]], amount=rest)
    due = later["amount_residual"] - rest
    return {"settled": first["name"], "partly_paid": later["name"], "still_due": due}
