"""Production: which products to make of the components that are there."""

from __future__ import annotations

import random
from typing import Any

from ortools.sat.python import cp_model

from evals import records
from evals.database import Database
from evals.planning.exact import solved
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Of {products} we can make as much as the components in stock allow, by their bills of materials,
and sell at most: {demand}. No components can be bought. Make manufacturing orders, confirmed, so
that the sales prices in Odoo of all that is made add up to as much as can be. Do not produce them
yet.
"""
ANSWER = {"value": "the sales prices of all that is made, added up, a number"}


def instance(seed: int) -> dict[str, Any]:
    """Return prices in cents, demand, bills of materials, and the components' stock."""
    rng = random.Random(f"production {seed}")
    products = [
        f"{name} {seed}" for name in ("Finch Lamp", "Heron Shelf", "Ibis Stool", "Jay Rack")
    ]
    components = [f"{name} {seed}" for name in ("Steel Rod", "Oak Board", "Felt Pad")]
    bills = {
        product: {part: rng.randint(1, 6) for part in rng.sample(components, k=rng.choice((2, 3)))}
        for product in products
    }
    return {
        "prices": {product: rng.randint(40, 200) * 50 for product in products},
        "demand": {product: rng.randint(4, 15) for product in products},
        "bills": bills,
        "stock": {part: rng.randint(35, 70) for part in components},
    }


def optimum(given: dict[str, Any]) -> tuple[int, dict[str, int]]:
    """Return the largest value in cents, and how much of each product gives it."""
    model = cp_model.CpModel()
    made = {
        product: model.new_int_var(0, most, product) for product, most in given["demand"].items()
    }
    for part, stock in given["stock"].items():
        used = sum(
            bill[part] * made[product] for product, bill in given["bills"].items() if part in bill
        )
        model.add(used <= stock)
    value = sum(made[product] * price for product, price in given["prices"].items())
    return solved(model, value, made, maximise=True)


def prepare(db: Database, seed: int) -> Facts:
    """Make the components with their stock, the products, and their bills of materials."""
    given = instance(seed)
    best, plan = optimum(given)
    parts = {name: records.product(db, name, 1) for name in given["stock"]}
    for name, quantity in given["stock"].items():
        records.put_in_stock(db, parts[name], quantity)
    products = {}
    for name, price in given["prices"].items():
        products[name] = records.product(db, name, price / 100)
        template = db.get("product.product", products[name], ["product_tmpl_id"])
        lines = [
            [0, 0, {"product_id": parts[part], "product_qty": quantity}]
            for part, quantity in given["bills"][name].items()
        ]
        bill = {"product_tmpl_id": template["product_tmpl_id"][0], "product_qty": 1}
        db.create("mrp.bom", {**bill, "type": "normal", "bom_line_ids": lines})
    return {
        **given,
        "demand": ", ".join(f"{most} {name}" for name, most in given["demand"].items()),
        "most": given["demand"],
        "products": ", ".join(products),
        "product_ids": products,
        "optimum": best,
        "plan": plan,
    }


def judged(db: Database, facts: Facts) -> tuple[list[str], int]:
    """Return why the orders do not do, and their value in cents."""
    products = {number: name for name, number in facts["product_ids"].items()}
    orders = db.search(
        "mrp.production",
        [["product_id", "in", list(products)], ["state", "!=", "cancel"]],
        ["product_id", "product_qty", "state"],
    )
    faults = [
        f"an order is {order['state']}"
        for order in orders
        if order["state"] not in ("confirmed", "progress")
    ]
    made = dict.fromkeys(facts["most"], 0.0)
    for order in orders:
        made[products[order["product_id"][0]]] += order["product_qty"]
    faults += [
        f"{quantity} of {name} are more than can be sold"
        for name, quantity in made.items()
        if quantity > facts["most"][name]
    ]
    for part, stock in facts["stock"].items():
        used = sum(made[name] * bill.get(part, 0) for name, bill in facts["bills"].items())
        if used > stock:
            faults.append(f"{used} of {part} are needed, and {stock} are there")
    return faults, round(sum(made[name] * price for name, price in facts["prices"].items()))


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The orders can be made of what is there, and are worth the most."""
    faults, value = judged(db, facts)
    faults += unequal("the value", facts["optimum"] / 100, value / 100)
    return faults + unequal("the value in the answer", value / 100, answer["value"])


def distance(db: Database, facts: Facts) -> float | None:
    """How much less than the optimum it is worth."""
    faults, value = judged(db, facts)
    return None if faults else (facts["optimum"] - value) / facts["optimum"]


def solve(call: Call, facts: Facts) -> Answer:
    """Make the orders of the exact plan."""
    for name, quantity in facts["plan"].items():
        if quantity:
            call(
                "odoo_manufacturing_create_order",
                product_name=name,
                quantity=quantity,
                confirm=True,
            )
    return {"value": facts["optimum"] / 100}
