"""Repair: a vendor's delivery is cancelled, and customers' orders wait for it."""

from __future__ import annotations

import random
from typing import Any

from ortools.sat.python import cp_model

from evals import records
from evals.database import Database
from evals.planning.exact import solved
from evals.task import Answer, Call, Facts, unequal

WORDS = """
{lost} has cancelled the delivery of our order {purchase}; nothing of it will come. For its
products these sales orders wait: {orders}. Each has to be delivered in full on its delivery date
or before, or be cancelled; when orders compete for goods, you decide. Goods in stock can be used.
What is missing can be bought from {vendors}, at the prices and with the days of delivery in Odoo,
counted from today; make requests for quotation at these prices and do not confirm them. Cancel
the sales orders that are not worth it. What counts is the total of the sales orders that stay,
less what is bought: it has to be as much as can be. Change nothing else on the sales orders.
"""
ANSWER = {
    "cancelled": "numbers of the sales orders that were cancelled, a list",
    "result": "totals of the sales orders that stay, less what is bought, a number",
}
CUSTOMERS = ("Ashby", "Brill", "Crewe", "Dover", "Epsom", "Frome")
LARGE = 100


def instance(seed: int) -> dict[str, Any]:
    """Return an instance of which the best plan cancels some orders, and keeps more.

    Amounts are cents. An offer is (vendor, product, price, days), an order has the days until it is
    due, its price for each product, and its quantities.
    """
    for attempt in range(1000):
        given = _drawn(random.Random(f"delivery {seed} {attempt}"), seed)
        _, plan = optimum(given)
        kept = [name for name in given["orders"] if plan[f"keep {name}"]]
        if len(given["orders"]) - 3 <= len(kept) < len(given["orders"]):
            return given
    raise AssertionError(f"no instance for the seed {seed}")


def _drawn(rng: random.Random, seed: int) -> dict[str, Any]:
    products = [f"{name} {seed}" for name in ("Marlin Pump", "Nautil Valve")]
    vendors = [f"{name} {seed}" for name in ("Osmo Supply", "Pallas Parts", "Quill Depot")]
    base = {product: rng.randint(20, 60) * 100 for product in products}
    offers = []
    for number, vendor in enumerate(vendors):
        for product in products:
            # the sooner, the dearer
            delay = (2, 6, 12)[number] + rng.randint(0, 2)
            factor = (1.3, 1.05, 0.85)[number] * rng.uniform(0.92, 1.08)
            offers.append([vendor, product, round(base[product] * factor / 50) * 50, delay])
    orders = {}
    for name in CUSTOMERS:
        quantities = {product: rng.randint(0, 7) for product in products}
        if not any(quantities.values()):
            quantities[products[0]] = 3
        orders[f"{name} {seed}"] = {
            "due": rng.randint(1, 16),
            "prices": {
                product: round(base[product] * rng.uniform(0.95, 1.45) / 50) * 50
                for product in products
            },
            "quantities": quantities,
        }
    return {
        "stock": {product: rng.randint(2, 8) for product in products},
        "offers": offers,
        "orders": orders,
    }


def revenue(order: dict[str, Any]) -> int:
    """Return the total of a sales order in cents."""
    return int(sum(order["prices"][name] * number for name, number in order["quantities"].items()))


def optimum(given: dict[str, Any]) -> tuple[int, dict[str, int]]:
    """Return the best result in cents, and the plan: orders that are kept, quantities bought."""
    model = cp_model.CpModel()
    keep = {name: model.new_bool_var(name) for name in given["orders"]}
    buy = [model.new_int_var(0, LARGE, str(offer)) for offer in given["offers"]]
    for product, stock in given["stock"].items():
        for day in {order["due"] for order in given["orders"].values()}:
            taken = sum(
                keep[name] * order["quantities"][product]
                for name, order in given["orders"].items()
                if order["due"] <= day
            )
            arrived = sum(
                buy[number]
                for number, offer in enumerate(given["offers"])
                if offer[1] == product and offer[3] <= day
            )
            model.add(taken <= stock + arrived)
    result = sum(keep[name] * revenue(order) for name, order in given["orders"].items()) - sum(
        buy[number] * offer[2] for number, offer in enumerate(given["offers"])
    )
    variables = {f"keep {name}": variable for name, variable in keep.items()}
    variables |= {f"buy {number}": variable for number, variable in enumerate(buy)}
    return solved(model, result, variables, maximise=True)


def prepare(db: Database, seed: int) -> Facts:
    """Make products, vendors, sales orders, and the purchase order that was cancelled."""
    given = instance(seed)
    best, plan = optimum(given)
    products = {name: records.product(db, name, 90) for name in given["stock"]}
    for name, quantity in given["stock"].items():
        records.put_in_stock(db, products[name], quantity)
    vendors = {name: 0 for name, *_ in given["offers"]}
    for name in vendors:
        vendors[name] = records.company(db, name)
    for vendor, product, price, delay in given["offers"]:
        records.offer(db, vendors[vendor], products[product], price / 100, delay)
    orders = {}
    for name, order in given["orders"].items():
        orders[name] = _sales_order(db, records.company(db, name), order, products)
    lost = f"Lost Harbour Supply {seed}"
    purchase = _lost_purchase(db, records.company(db, lost), list(products.values()))
    names = {
        name: db.get("sale.order", number, ["name"])["name"] for name, number in orders.items()
    }
    return {
        **given,
        "lost": lost,
        "purchase": purchase,
        "orders": ", ".join(names.values()),
        "vendors": ", ".join(vendors),
        "given": given["orders"],
        "order_ids": orders,
        "order_names": names,
        "product_ids": products,
        "vendor_ids": vendors,
        "optimum": best,
        "plan": plan,
    }


def _sales_order(db: Database, customer: int, order: dict[str, Any], products: Facts) -> int:
    lines = [
        [
            0,
            0,
            {
                "product_id": products[name],
                "product_uom_qty": number,
                "price_unit": order["prices"][name] / 100,
            },
        ]
        for name, number in order["quantities"].items()
        if number
    ]
    due = f"{records.days_from_now(order['due'])} 17:00:00"
    values = {"partner_id": customer, "order_line": lines, "commitment_date": due}
    made = db.create("sale.order", values)
    db.call("sale.order", "action_confirm", [made])
    return made


def _lost_purchase(db: Database, vendor: int, products: list[int]) -> str:
    lines = [[0, 0, {"product_id": one, "product_qty": 30, "price_unit": 20}] for one in products]
    made = db.create("purchase.order", {"partner_id": vendor, "order_line": lines})
    db.call("purchase.order", "button_confirm", [made])
    db.call("purchase.order", "button_cancel", [made])
    return str(db.get("purchase.order", made, ["name"])["name"])


def judged(db: Database, facts: Facts) -> tuple[list[str], int]:
    """Return why the plan does not do, and its result in cents."""
    vendors = {number: name for name, number in facts["vendor_ids"].items()}
    products = {number: name for name, number in facts["product_ids"].items()}
    orders = {number: name for name, number in facts["order_ids"].items()}
    kept = []
    faults = []
    for row in db.search("sale.order", [["id", "in", list(orders)]], ["state", "amount_total"]):
        order = facts["given"][orders[row["id"]]]
        if row["state"] == "cancel":
            continue
        kept.append(order)
        faults += unequal("a sales order's total", revenue(order) / 100, row["amount_total"])
    lines = db.search(
        "purchase.order.line",
        [
            ["order_id.partner_id", "in", list(vendors)],
            ["order_id.state", "!=", "cancel"],
        ],
        ["partner_id", "product_id", "product_qty", "price_unit", "state"],
    )
    bought = []
    for line in lines:
        product = products.get((line["product_id"] or [0])[0])
        vendor = vendors[line["partner_id"][0]]
        offer = next((one for one in facts["offers"] if one[:2] == [vendor, product]), None)
        if offer is None:
            faults.append(f"{vendor} does not sell {product}")
            continue
        faults += unequal(f"the price of {product}", offer[2] / 100, line["price_unit"])
        if line["state"] not in ("draft", "sent"):
            faults.append(f"an order of {vendor} is {line['state']}")
        bought.append((product, line["product_qty"], offer[3], offer[2]))
    for product, stock in facts["stock"].items():
        for day in sorted({order["due"] for order in kept}):
            taken = sum(order["quantities"][product] for order in kept if order["due"] <= day)
            there = stock + sum(one[1] for one in bought if one[0] == product and one[2] <= day)
            if taken > there:
                faults.append(f"in {day} days {taken} of {product} are due, and {there} are there")
    result = sum(revenue(order) for order in kept)
    return faults, round(result - sum(one[1] * one[3] for one in bought))


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """All that stays can be delivered in time, and the result is the best."""
    faults, result = judged(db, facts)
    ids = list(facts["order_ids"].values())
    cancelled = db.search("sale.order", [["id", "in", ids], ["state", "=", "cancel"]], ["name"])
    names = sorted(one["name"] for one in cancelled)
    faults += unequal("the result", facts["optimum"] / 100, result / 100)
    faults += unequal("the cancelled orders", names, sorted(answer["cancelled"]))
    return faults + unequal("the result in the answer", result / 100, answer["result"])


def distance(db: Database, facts: Facts) -> float | None:
    """How much less than the optimum the result is."""
    faults, result = judged(db, facts)
    return None if faults else (facts["optimum"] - result) / facts["optimum"]


def solve(call: Call, facts: Facts) -> Answer:
    """Cancel and buy what the exact plan says."""
    cancelled = [
        number for name, number in facts["order_names"].items() if not facts["plan"][f"keep {name}"]
    ]
    for number in cancelled:
        call("odoo_sales_cancel_order", order_name=number)
    for vendor in facts["vendor_ids"]:
        lines = [
            {"product_name": offer[1], "quantity": facts["plan"][f"buy {number}"]}
            for number, offer in enumerate(facts["offers"])
            if offer[0] == vendor and facts["plan"][f"buy {number}"]
        ]
        if lines:
            call("odoo_purchase_create_order", partner_name=vendor, lines=lines)
    return {"cancelled": cancelled, "result": facts["optimum"] / 100}
