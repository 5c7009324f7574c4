"""Accounting: a credit note for part of one line of an invoice."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Plover Camping says that 3 of the 8 Folding Lanterns on invoice {invoice} were broken. Give them a
credit note for these 3, with the reason "3 lanterns broken", and post it. Nothing else is credited.
"""
ANSWER = {
    "credit_note": "number of the credit note",
    "amount": "total of the credit note, a number",
    "still_due": "what is still due on the invoice, a number",
}


def prepare(db: Database) -> Facts:
    """Make a posted invoice of two lines."""
    customer = records.company(db, "Plover Camping")
    lantern = records.product(db, "Folding Lantern", 31.9)
    tent = records.product(db, "Dune Tent", 240)
    made = records.invoice(
        db, customer, [(lantern, 8, 31.9), (tent, 1, 240)], records.days_from_now(-6)
    )
    return {"customer": customer, "lantern": lantern, "invoice": made["name"], "id": made["id"]}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """One posted credit note of three lanterns, which belongs to the invoice and lowers it."""
    note = db.one(
        "account.move",
        [["partner_id", "=", facts["customer"]], ["move_type", "=", "out_refund"]],
        ["name", "state", "amount_total", "reversed_entry_id", "ref"],
    )
    if not note:
        return ["Plover Camping does not have exactly one credit note"]
    lines = db.search(
        "account.move.line",
        [["move_id", "=", note["id"]], ["product_id", "!=", False], ["quantity", "!=", 0]],
        ["product_id", "quantity", "price_unit"],
    )
    found = [(one["product_id"][0], one["quantity"], one["price_unit"]) for one in lines]
    invoice = db.get("account.move", facts["id"], ["amount_residual"])
    faults = unequal("the credit note's state", "posted", note["state"])
    faults += unequal("its lines", [(facts["lantern"], 3.0, 31.9)], found)
    faults += unequal("its invoice", facts["id"], (note["reversed_entry_id"] or [None])[0])
    if "3 lanterns broken" not in (note["ref"] or ""):
        faults.append(f"the reason is not on it, but {note['ref']!r}")
    faults += unequal("what is due on the invoice", 399.5, invoice["amount_residual"])
    faults += unequal("the credit note in the answer", note["name"], answer["credit_note"])
    faults += unequal("the amount in the answer", 95.7, answer["amount"])
    return faults + unequal("what is still due in the answer", 399.5, answer["still_due"])


def solve(call: Call, facts: Facts) -> Answer:
    """One call, then a look at the invoice."""
    note = call(
        "odoo_accounting_create_credit_note",
        invoice_name=facts["invoice"],
        lines=[{"product_name": "Folding Lantern", "quantity": 3}],
        reason="3 lanterns broken",
        post=True,
    )
    invoice = call("odoo_accounting_get_invoice", invoice_name=facts["invoice"])
    return {
        "credit_note": note["name"],
        "amount": note["amount_total"],
        "still_due": invoice["amount_residual"],
    }
