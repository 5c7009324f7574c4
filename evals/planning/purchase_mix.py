"""Purchase: several products from several vendors with tiers of prices, days, and freight."""

from __future__ import annotations

import random
from typing import Any

from ortools.sat.python import cp_model

from evals import records
from evals.database import Database
from evals.planning.exact import solved
from evals.task import Answer, Call, Facts, unequal

WORDS = """
We need, in stock on {day} at the latest: {needs}. What is in stock already counts. Each of these
products is sold by some of our vendors {vendors}: their prices, least quantities and days of
delivery are in Odoo, and an order that is made today arrives after the vendor's days. Each vendor
charges freight once for an order: {freight}; Odoo does not have it. Buy what is missing so that
prices and freight together cost as little as can be. Make requests for quotation, at most one for
each vendor, at the prices that the vendor has for the quantity, and do not confirm them. Nothing
of these products is on order yet. More than is needed may be bought if that costs less.
"""
ANSWER = {"cost": "what all of it costs, freight included, a number"}
LARGE = 200


def instance(seed: int) -> dict[str, Any]:
    """Return needs, stock, freight and offers; amounts are cents.

    An offer is (vendor, product, least quantity, price, days).
    """
    rng = random.Random(f"purchase {seed}")
    products = [
        f"{name} {seed}" for name in ("Alder Beam", "Birch Panel", "Cedar Slat", "Elm Knob")
    ]
    vendors = [f"{name} {seed}" for name in ("Norfield Timber", "Quarry Lane", "Upwood Mills")]
    days = rng.randint(8, 12)
    offers = []
    for product in products:
        price = rng.randint(40, 200) * 25
        # one vendor of each product is in time, so that there is a plan
        certain = rng.choice(vendors)
        for vendor in vendors:
            if vendor != certain and rng.random() < 0.2:
                continue
            late = vendor != certain and rng.random() < 0.25
            delay = days + rng.randint(1, 6) if late else rng.randint(2, days)
            own = round(price * rng.uniform(0.8, 1.25) / 25) * 25
            # a vendor who is late is the cheapest: who overlooks the days takes the bait
            own = round(price * 0.6 / 25) * 25 if late else own
            offers.append((vendor, product, 1, own, delay))
            if rng.random() < 0.6:
                tier = rng.choice((10, 20, 25))
                offers.append((vendor, product, tier, round(own * 0.85 / 25) * 25, delay))
    return {
        "days": days,
        "needs": {product: rng.randint(12, 40) for product in products},
        "stock": {product: rng.randint(0, 9) for product in products},
        "freight": {vendor: rng.randint(10, 60) * 100 for vendor in vendors},
        "offers": offers,
    }


def optimum(given: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    """Return the least cost in cents, and the lines of a plan that costs it."""
    model = cp_model.CpModel()
    ordered = {vendor: model.new_bool_var(vendor) for vendor in given["freight"]}
    in_time = [offer for offer in given["offers"] if offer[4] <= given["days"]]
    quantities = {}
    for number, (vendor, product, least, _, _) in enumerate(in_time):
        tiers = [one[2] for one in in_time if one[:2] == (vendor, product) and one[2] > least]
        most = min(tiers) - 1 if tiers else LARGE
        quantity = model.new_int_var(0, most, f"quantity {number}")
        taken = model.new_bool_var(f"taken {number}")
        model.add(quantity >= least * taken)
        model.add(quantity <= most * taken)
        model.add(taken <= ordered[vendor])
        quantities[str(number)] = quantity
        # the tiers of a vendor exclude each other: an order has one line of a product
        for other in range(number):
            if in_time[other][:2] == (vendor, product):
                model.add(quantities[str(other)] == 0).only_enforce_if(taken)
    for product, need in given["needs"].items():
        bought = [
            quantities[str(number)] for number, one in enumerate(in_time) if one[1] == product
        ]
        model.add(sum(bought) >= need - given["stock"][product])
    cost = sum(quantities[str(number)] * one[3] for number, one in enumerate(in_time)) + sum(
        ordered[vendor] * freight for vendor, freight in given["freight"].items()
    )
    least_cost, values = solved(model, cost, quantities)
    lines = [
        {"vendor": one[0], "product": one[1], "quantity": values[str(number)]}
        for number, one in enumerate(in_time)
        if values[str(number)]
    ]
    return least_cost, lines


def prepare(db: Database, seed: int) -> Facts:
    """Make vendors, products, stock and offers of an instance."""
    given = instance(seed)
    least, plan = optimum(given)
    vendors = {name: records.company(db, name) for name in given["freight"]}
    products = {name: records.product(db, name, 100) for name in given["needs"]}
    for name, quantity in given["stock"].items():
        if quantity:
            records.put_in_stock(db, products[name], quantity)
    for vendor, product, quantity, price, delay in given["offers"]:
        offered = {"min_qty": quantity, "delay": delay}
        records.offer(db, vendors[vendor], products[product], price / 100, **offered)
    needs = ", ".join(f"{number} {name}" for name, number in given["needs"].items())
    freight = ", ".join(f"{name} {cents / 100:.2f}" for name, cents in given["freight"].items())
    return {
        **given,
        "needs": needs,
        "wanted": given["needs"],
        "freight": freight,
        "freights": given["freight"],
        "vendors": ", ".join(vendors),
        "day": records.days_from_now(given["days"]),
        "vendor_ids": vendors,
        "product_ids": products,
        "optimum": least,
        "plan": plan,
    }


def judged(db: Database, facts: Facts) -> tuple[list[str], int]:
    """Return why the orders do not do, and what they cost in cents."""
    vendors = {number: name for name, number in facts["vendor_ids"].items()}
    products = {number: name for name, number in facts["product_ids"].items()}
    orders = db.search(
        "purchase.order", [["partner_id", "in", list(vendors)]], ["partner_id", "state"]
    )
    open_orders = [order for order in orders if order["state"] != "cancel"]
    faults = [
        f"an order is {order['state']}"
        for order in open_orders
        if order["state"] not in ("draft", "sent")
    ]
    by_vendor = [vendors[order["partner_id"][0]] for order in open_orders]
    if len(set(by_vendor)) < len(by_vendor):
        faults.append("a vendor has more than one order")
    lines = db.search(
        "purchase.order.line",
        [["order_id", "in", [order["id"] for order in open_orders]]],
        ["partner_id", "product_id", "product_qty", "price_unit"],
    )
    bought = dict.fromkeys(facts["wanted"], 0.0)
    cost = sum(facts["freights"][vendor] for vendor in by_vendor)
    for line in lines:
        product = products.get((line["product_id"] or [0])[0])
        vendor = vendors[line["partner_id"][0]]
        tiers = [
            offer
            for offer in facts["offers"]
            if offer[:2] == [vendor, product] and offer[2] <= line["product_qty"]
        ]
        if product is None or not tiers:
            faults.append(f"{vendor} does not sell {line['product_qty']} of {product}")
            continue
        tier = max(tiers, key=lambda offer: int(offer[2]))
        if tier[4] > facts["days"]:
            faults.append(f"{product} from {vendor} comes too late")
        faults += unequal(
            f"the price of {product} from {vendor}", tier[3] / 100, line["price_unit"]
        )
        bought[product] += line["product_qty"]
        cost += round(line["product_qty"] * tier[3])
    for product, need in facts["wanted"].items():
        missing = need - facts["stock"][product] - bought[product]
        if missing > 0:
            faults.append(f"{missing} of {product} are missing")
    return faults, cost


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """The orders bring what is missing in time, at the least cost."""
    faults, cost = judged(db, facts)
    faults += unequal("the cost", facts["optimum"] / 100, cost / 100)
    return faults + unequal("the cost in the answer", cost / 100, answer["cost"])


def distance(db: Database, facts: Facts) -> float | None:
    """How much more than the optimum it costs."""
    faults, cost = judged(db, facts)
    return None if faults else (cost - facts["optimum"]) / facts["optimum"]


def solve(call: Call, facts: Facts) -> Answer:
    """Order the lines of the exact plan."""
    for vendor in facts["vendor_ids"]:
        lines = [
            {"product_name": line["product"], "quantity": line["quantity"]}
            for line in facts["plan"]
            if line["vendor"] == vendor
        ]
        if lines:
            call("odoo_purchase_create_order", partner_name=vendor, lines=lines)
    return {"cost": facts["optimum"] / 100}
