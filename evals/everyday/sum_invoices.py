"""A question with a sum: what a group of customers was invoiced in a month."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
How much did we invoice to the customers with the tag Harbour in {month}, by the date of the
invoice? Credit notes of that month are taken off; drafts and cancelled invoices do not count. And
who of them stands for the largest part, after credit notes?
"""
ANSWER = {
    "total": "what was invoiced, a number",
    "largest": "name of that customer",
    "largest_total": "that customer's part, a number",
}
ONLY_READS = True
LINES: dict[str, list[tuple[int, str, float, bool]]] = {
    # customer: (months ago, move type, quantity, whether it is posted)
    "Tern Ferries": [(1, "out_invoice", 11, True), (1, "out_refund", 5, True)],
    "Skua Cranes": [(1, "out_invoice", 4, True), (1, "out_invoice", 4.5, True)],
    "Gannet Pilots": [(1, "out_invoice", 2.25, True), (2, "out_invoice", 30, True)],
    "Petrel Divers": [(1, "out_invoice", 7, False), (0, "out_invoice", 3, True)],
}
PRICE = 120.0


def prepare(db: Database) -> Facts:
    """Make customers with and without the tag, and their invoices of some months."""
    tag = db.create("res.partner.category", {"name": "Harbour"})
    mooring = records.service(db, "Mooring", PRICE)
    for name, invoices in LINES.items():
        customer = records.company(db, name, category_id=[[6, 0, [tag]]])
        for months, move_type, quantity, post in invoices:
            day = records.month_ago(months).replace(day=12 if months else 1).isoformat()
            line = [(mooring, quantity, PRICE)]
            records.invoice(db, customer, line, day, move_type=move_type, post=post)
    other = records.company(db, "Diver Hotels")
    day = records.month_ago(1).replace(day=28).isoformat()
    records.invoice(db, other, [(mooring, 40, PRICE)], day)
    return {"month": records.month_ago(1).strftime("%B %Y")}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """Skua Cranes has 8.5 pieces; Tern Ferries had the largest invoice and got 5 back."""
    total = (11 - 5 + 4 + 4.5 + 2.25) * PRICE
    faults = unequal("the total", total, answer["total"])
    faults += unequal("the largest", "Skua Cranes", answer["largest"])
    return faults + unequal("the largest part", 8.5 * PRICE, answer["largest_total"])


def solve(call: Call, facts: Facts) -> Answer:
    """One aggregate: amounts with their sign, by customer."""
    first, after = records.month_ago(1), records.month_ago(0)
    groups = call(
        "odoo_core_aggregate",
        model="account.move",
        domain=[
            ["partner_id.category_id", "=", "Harbour"],
            ["state", "=", "posted"],
            ["move_type", "in", ["out_invoice", "out_refund"]],
            ["invoice_date", ">=", first.isoformat()],
            ["invoice_date", "<", after.isoformat()],
        ],
        groupby=["partner_id"],
        measures=["amount_total_signed:sum"],
    )["records"]
    parts = {group["partner_id"]["name"]: group["amount_total_signed:sum"] for group in groups}
    largest = max(parts, key=lambda name: float(parts[name]))
    return {
        "total": sum(parts.values()),
        "largest": largest,
        "largest_total": parts[largest],
    }
