"""A payment that could be that of either of two people of one name."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.refused.because import because
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Jay Nolan has paid his invoice of 250.00 in cash today. Register the payment on that invoice. If you
cannot know which one it is, register nothing, and tell us between which ones we have to choose.
"""
ANSWER = {
    "done": "true or false",
    "because": because("ambiguous"),
    "invoices": "if it is not done: numbers of the invoices that it could be, a list",
}


def prepare(db: Database) -> Facts:
    """Make two people of that name with an open invoice of 250 each, and a third of 260."""
    lesson = records.service(db, "Sailing Lesson", 50)
    numbers = []
    for city, quantity in (("Hull", 5.0), ("Whitby", 5.0), ("Goole", 5.2)):
        person = db.create("res.partner", {"name": "Jay Nolan", "city": city})
        made = records.invoice(db, person, [(lesson, quantity, 50)], records.days_from_now(-9))
        numbers.append(made["name"])
    return {"invoices": numbers[:2]}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """It names both, and only these."""
    faults = unequal("done", False, answer["done"])
    faults += unequal("because", "ambiguous", answer["because"])
    told = sorted(str(one) for one in answer["invoices"])
    return faults + unequal("the invoices", sorted(facts["invoices"]), told)


def solve(call: Call, facts: Facts) -> Answer:
    """Look for open invoices of that name and amount."""
    found = call(
        "odoo_core_search_read",
        model="account.move",
        domain=[
            ["partner_id.name", "=", "Jay Nolan"],
            ["state", "=", "posted"],
            ["amount_residual", "=", 250],
        ],
        fields=["name"],
    )["records"]
    numbers = [one["name"] for one in found]
    return {"done": False, "because": "ambiguous", "invoices": numbers}
