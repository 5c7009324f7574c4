"""More is ordered than is in stock, and nobody sells it to us."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.refused.because import because
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Deliver the order {order} of Harrier Yachts in full today. They do not take part deliveries. If
there is not enough in stock, order what is missing from one of our vendors of that product; do
not take on new vendors, and do not book goods that are not there.
"""
ANSWER = {
    "done": "true or false",
    "because": because("missing stock"),
    "missing": "if it is not done: how many pieces are missing, a number",
}


def prepare(db: Database) -> Facts:
    """Have five of twelve in stock."""
    customer = records.company(db, "Harrier Yachts")
    winch = records.product(db, "Sable Winch", 320, sale_ok=True)
    records.put_in_stock(db, winch, 5)
    line = {"product_id": winch, "product_uom_qty": 12}
    order = db.create("sale.order", {"partner_id": customer, "order_line": [[0, 0, line]]})
    db.call("sale.order", "action_confirm", [order])
    return {"order": db.get("sale.order", order, ["name"])["name"]}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """It says what is missing."""
    faults = unequal("done", False, answer["done"])
    faults += unequal("because", "missing stock", answer["because"])
    return faults + unequal("missing", 7, answer["missing"])


def solve(call: Call, facts: Facts) -> Answer:
    """Compare what is ordered with the sources of supply."""
    order = call("odoo_sales_get_order", order_name=facts["order"])
    line = order["lines"][0]
    supply = call("odoo_purchase_get_supply", product_id=line["product"]["id"], quantity=7)
    stock = call("odoo_inventory_get_stock", product_id=line["product"]["id"])
    have = sum(row["quantity"] for row in stock["stock"])
    if supply.get("offers"):
        return {"done": True, "because": "", "missing": 0}
    return {"done": False, "because": "missing stock", "missing": line["quantity"] - have}
