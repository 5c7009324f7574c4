"""Stock: a counting list, in which one product is as it was."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
We have counted a shelf in the main stock of our warehouse ({location}). Enter what was counted:
Wren Hinge 48, Wren Latch 30, Wren Bracket 0, Wren Hook 17. Then tell us which of them were not as
Odoo had it, and the difference of each: counted less what Odoo had.
"""
ANSWER = {
    "differences": "an object: for each product that was different, its name and the difference",
}
BEFORE = {"Wren Hinge": 50, "Wren Latch": 30, "Wren Bracket": 4, "Wren Hook": 12}
COUNTED = {"Wren Hinge": 48, "Wren Latch": 30, "Wren Bracket": 0, "Wren Hook": 17}


def prepare(db: Database) -> Facts:
    """Make four products with their stock, and one that is not on the list."""
    ids = {}
    for name, quantity in {**BEFORE, "Wren Hinge Brass": 9}.items():
        ids[name] = records.product(db, name, 3)
        records.put_in_stock(db, ids[name], quantity)
    return {"products": ids, "location": records.warehouse(db)["lot_stock_id"][1]}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The stock is what was counted; the product that is not on the list is as it was."""
    faults = []
    for name, quantity in {**COUNTED, "Wren Hinge Brass": 9}.items():
        found = records.stock(db, facts["products"][name])
        faults += unequal(f"the stock of {name}", float(quantity), found)
    expected = {name: COUNTED[name] - BEFORE[name] for name in BEFORE}
    different = {name: by for name, by in expected.items() if by}
    told = {str(name): float(by) for name, by in answer["differences"].items() if by}
    return faults + unequal("the differences", different, told)


def solve(call: Call, facts: Facts) -> Answer:
    """Ask for each stock, then count all in one call."""
    before = {
        name: call("odoo_inventory_get_stock", product_name=name)["total_available"]
        for name in COUNTED
    }
    call(
        "odoo_inventory_count_stock",
        location_name=facts["location"],
        lines=[{"product_name": name, "quantity": counted} for name, counted in COUNTED.items()],
    )
    differences = {name: COUNTED[name] - before[name] for name in COUNTED}
    return {"differences": {name: by for name, by in differences.items() if by}}
