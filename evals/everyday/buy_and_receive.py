"""Purchase: an order at the vendor's prices, received in part."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Order 10 Curlew Saddles and 4 Curlew Stems from Dunlin Cycle Parts at the prices that we have agreed
with them, and confirm the order. The first parcel is here already: 6 saddles and all 4 stems. Book
what came in. The other 4 saddles will come later, so keep them expected.
"""
ANSWER = {
    "order": "number of the purchase order",
    "total": "total of the order, a number",
    "expected": "number of the receipt that is still expected",
}


def prepare(db: Database) -> Facts:
    """Make two vendors for the same products, at prices of their own."""
    vendor = records.company(db, "Dunlin Cycle Parts")
    other = records.company(db, "Sandpiper Trading")
    saddle = records.product(db, "Curlew Saddle", 60, standard_price=30)
    stem = records.product(db, "Curlew Stem", 40, standard_price=20)
    records.offer(db, other, saddle, 25.0)
    records.offer(db, vendor, saddle, 27.4)
    records.offer(db, vendor, stem, 18.25)
    return {"vendor": vendor, "saddle": saddle, "stem": stem}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """One confirmed order, received but for four saddles, which are expected."""
    order = db.one(
        "purchase.order",
        [["partner_id", "=", facts["vendor"]]],
        ["name", "state", "amount_total", "picking_ids"],
    )
    if not order:
        return ["Dunlin Cycle Parts does not have exactly one order"]
    lines = db.search(
        "purchase.order.line",
        [["order_id", "=", order["id"]]],
        ["product_id", "product_qty", "price_unit", "qty_received"],
    )
    found = sorted(
        (one["product_id"][0], one["product_qty"], one["price_unit"], one["qty_received"])
        for one in lines
    )
    expected = sorted([(facts["saddle"], 10.0, 27.4, 6.0), (facts["stem"], 4.0, 18.25, 4.0)])
    pickings = db.search(
        "stock.picking", [["id", "in", order["picking_ids"]]], ["name", "state"], order="id"
    )
    waiting = [one["name"] for one in pickings if one["state"] not in ("done", "cancel")]
    faults = unequal("the lines (product, ordered, price, received)", expected, found)
    if order["state"] not in ("purchase", "done"):
        faults.append(f"the order is not confirmed, but {order['state']}")
    faults += unequal("the stock of saddles", 6.0, records.stock(db, facts["saddle"]))
    faults += unequal("the receipts still expected", [answer["expected"]], waiting)
    faults += unequal("the order in the answer", order["name"], answer["order"])
    return faults + unequal("the total in the answer", 347.0, answer["total"])


def solve(call: Call, facts: Facts) -> Answer:
    """Order, receive in part, and look at the receipts."""
    order = call(
        "odoo_purchase_create_order",
        partner_name="Dunlin Cycle Parts",
        lines=[
            {"product_name": "Curlew Saddle", "quantity": 10},
            {"product_name": "Curlew Stem", "quantity": 4},
        ],
        confirm=True,
    )
    call(
        "odoo_purchase_receive",
        order_name=order["name"],
        lines=[
            {"product_name": "Curlew Saddle", "quantity": 6},
            {"product_name": "Curlew Stem", "quantity": 4},
        ],
        backorder=True,
    )
    done = call("odoo_purchase_get_order", order_name=order["name"])
    waiting = [one for one in done["receipts"] if one["state"] not in ("done", "cancel")]
    return {
        "order": done["name"],
        "total": done["amount_total"],
        "expected": waiting[0]["name"],
    }
