"""Wishes of which not all can be met."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.refused.because import because
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Make a quotation for Whimbrel Hotels: 10 pieces of the Linnet Chair at its list price, with 20 %
discount on the line. The total must not be below 1,000.00, as they only get free delivery from
there on. Quantity, list price and discount are agreed: they stay as they are, and nothing is
added. If this cannot be, make no quotation.
"""
ANSWER = {
    "done": "true or false",
    "because": because("contradiction"),
    "total": "the total that this quotation has or would have, a number",
}


def prepare(db: Database) -> Facts:
    """Have the chair at a price with which it comes to 880."""
    records.company(db, "Whimbrel Hotels")
    records.product(db, "Linnet Chair", 110.0)
    return {}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """It says that the wishes contradict each other, and what the total would be."""
    faults = unequal("done", False, answer["done"])
    faults += unequal("because", "contradiction", answer["because"])
    return faults + unequal("the total", 880.0, answer["total"])


def solve(call: Call, facts: Facts) -> Answer:
    """Ask for the price, and reckon."""
    price = call(
        "odoo_core_search_read",
        model="product.product",
        domain=[["name", "=", "Linnet Chair"]],
        fields=["list_price"],
    )["records"][0]["list_price"]
    total = price * 10 * 0.8
    return {"done": False, "because": "contradiction", "total": total}
