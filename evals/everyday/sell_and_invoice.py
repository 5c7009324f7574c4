"""Sales: a quotation with a discount, confirmed, delivered and invoiced."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Kestrel Boats orders 6 pieces of Teak Grating and 2 pieces of Brass Cleat Set, both at our list
price, but give them a 10 % discount on the Teak Grating. Their reference is KB-4471. Make the sales
order, confirm it, deliver everything (it is in stock), and make and post the invoice.
"""
ANSWER = {
    "order": "number of the sales order",
    "delivery": "number of the delivery",
    "invoice": "number of the invoice",
    "total": "total of the invoice, a number",
}
GRATING, CLEATS = (85.0, 6), (42.5, 2)


def prepare(db: Database) -> Facts:
    """Make the customer and the two products, with enough in stock."""
    customer = records.company(db, "Kestrel Boats", email="orders@kestrel-boats.example")
    # invoiced as delivered: who does not deliver has nothing to invoice
    grating = records.product(db, "Teak Grating", GRATING[0], invoice_policy="delivery")
    cleats = records.product(db, "Brass Cleat Set", CLEATS[0], invoice_policy="delivery")
    records.put_in_stock(db, grating, 20)
    records.put_in_stock(db, cleats, 10)
    return {"customer": customer, "grating": grating, "cleats": cleats}


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """One order with the right lines, its goods gone from stock, its invoice posted."""
    order = db.one(
        "sale.order",
        [["partner_id", "=", facts["customer"]]],
        ["name", "state", "client_order_ref", "invoice_ids", "picking_ids"],
    )
    if not order:
        return ["Kestrel Boats does not have exactly one order"]
    lines = db.search(
        "sale.order.line",
        [["order_id", "=", order["id"]]],
        ["product_id", "product_uom_qty", "discount", "price_unit"],
    )
    found = sorted(
        (line["product_id"][0], line["product_uom_qty"], line["discount"], line["price_unit"])
        for line in lines
    )
    expected = sorted(
        [
            (facts["grating"], float(GRATING[1]), 10.0, GRATING[0]),
            (facts["cleats"], float(CLEATS[1]), 0.0, CLEATS[0]),
        ]
    )
    total = round(GRATING[0] * GRATING[1] * 0.9 + CLEATS[0] * CLEATS[1], 2)
    faults = unequal("the lines (product, quantity, discount, price)", expected, found)
    faults += unequal("the customer's reference", "KB-4471", order["client_order_ref"])
    faults += unequal("the stock of Teak Grating", 14.0, records.stock(db, facts["grating"]))
    faults += unequal("the stock of Brass Cleat Set", 8.0, records.stock(db, facts["cleats"]))
    faults += unequal("the order in the answer", order["name"], answer["order"])
    pickings = db.search("stock.picking", [["id", "in", order["picking_ids"]]], ["name", "state"])
    faults += unequal("the deliveries' states", ["done"], [one["state"] for one in pickings])
    faults += unequal("the delivery", [one["name"] for one in pickings], [answer["delivery"]])
    invoices = db.search(
        "account.move", [["id", "in", order["invoice_ids"]]], ["name", "state", "amount_total"]
    )
    faults += unequal("the invoices' states", ["posted"], [one["state"] for one in invoices])
    faults += unequal("the invoice", [one["name"] for one in invoices], [answer["invoice"]])
    faults += unequal("the invoiced total", total, sum(one["amount_total"] for one in invoices))
    return faults + unequal("the total in the answer", total, answer["total"])


def solve(call: Call, facts: Facts) -> Answer:
    """Create and confirm, then the rest in one call."""
    order = call(
        "odoo_sales_create_order",
        partner_name="Kestrel Boats",
        client_order_ref="KB-4471",
        lines=[
            {"product_name": "Teak Grating", "quantity": 6, "discount": 10},
            {"product_name": "Brass Cleat Set", "quantity": 2},
        ],
    )
    call(
        "odoo_sales_process_orders",
        orders=[order["name"]],
        steps=["confirm", "deliver", "invoice", "post"],
    )
    done = call(
        "odoo_sales_get_order",
        order_name=order["name"],
        include_deliveries=True,
        include_invoices=True,
    )
    invoice = done["invoices"][0]
    return {
        "order": done["name"],
        "delivery": done["deliveries"][0]["name"],
        "invoice": invoice["name"],
        "total": invoice["amount_total"],
    }
