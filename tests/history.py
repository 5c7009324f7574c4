"""A year of orders, invoices and payments, made up: the demo data of Odoo have two months of them.

``python -m tests.history`` writes it to the Odoo that ``ODOO_URL`` and the other settings name;
take a copy that may be thrown away. The same year comes out each time, moved to end today.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from odoo_toolkit import Odoo, connect, create, execute, write
from tests.kit.days import today

#: How many customers begin to order in each of the last twelve months that are over.
BEGUN = (9, 7, 8, 11, 6, 8, 10, 9, 7, 12, 8, 9)
#: Days that customers take beyond the date that an invoice is due, each its own way.
HABITS = ((-3, 2), (0, 9), (4, 16), (12, 35), (25, 60))
QUIET = {"tracking_disable": True, "mail_create_nolog": True}


def write_history(odoo: Odoo, begun: Sequence[int] = BEGUN) -> None:
    """Write customers who order again or not, and their invoices, which they pay late or not.

    Args:
        odoo: a connection of an administrator.
        begun: customers who begin in each of the last months; the fewer, the sooner it is done.
    """
    chance, last_day = random.Random(14), today()
    product = create(odoo, "product.product", {"name": "Coffee, a box", "type": "service"}).id
    names = [{"name": f"Café {number:03}", "is_company": True} for number in range(sum(begun))]
    customers = create(odoo, "res.partner", names, context=QUIET).ids
    months = [len(begun) - month for month, number in enumerate(begun) for _ in range(number)]
    ordered: dict[date, list[int]] = defaultdict(list)
    for customer, first in zip(customers, months, strict=True):
        likes_it = chance.uniform(0.02, 0.3)
        for month in range(first, -1, -1):
            if month == first or chance.random() < likes_it:
                ordered[_day(last_day, month, chance)].append(customer)
    _order(odoo, product, ordered, chance)
    _invoice(odoo, product, ordered, last_day, chance)


def _day(last_day: date, months: int, chance: random.Random) -> date:
    """Return a day of the month that is so many months ago."""
    first = last_day.replace(day=1)
    for _ in range(months):
        first = (first - timedelta(days=1)).replace(day=1)
    # As many numbers are drawn on each day: the rest of the year comes out the same.
    day = chance.randrange(28)
    return first + timedelta(days=day if months else day % last_day.day)


def _order(odoo: Odoo, product: int, ordered: dict[date, list[int]], chance: random.Random) -> None:
    """Write confirmed orders; confirming sets their date to today, so it is written again."""
    values = [
        {
            "partner_id": customer,
            "order_line": [
                [0, 0, {"product_id": product, "product_uom_qty": chance.randrange(1, 30)}]
            ],
        }
        for customers in ordered.values()
        for customer in customers
    ]
    orders = create(odoo, "sale.order", values, context=QUIET).ids
    execute(odoo, "sale.order", "action_confirm", [orders], context=QUIET)
    for day, customers in ordered.items():
        those, orders = orders[: len(customers)], orders[len(customers) :]
        write(odoo, "sale.order", those, {"date_order": f"{day} 09:00:00"}, context=QUIET)


def _invoice(
    odoo: Odoo,
    product: int,
    ordered: dict[date, list[int]],
    last_day: date,
    chance: random.Random,
) -> None:
    """Write the invoices of the orders, due after 30 days, and the payments of each Friday."""
    values, paid_on = [], []
    for day, customers in ordered.items():
        for customer in customers:
            due = day + timedelta(days=30)
            line = {
                "product_id": product,
                "quantity": 1,
                "price_unit": chance.randrange(500, 9000),
                "tax_ids": [[6, 0, []]],
            }
            values.append(
                {
                    "move_type": "out_invoice",
                    "partner_id": customer,
                    "invoice_date": str(day),
                    "invoice_date_due": str(due),
                    "invoice_line_ids": [[0, 0, line]],
                }
            )
            paid_on.append(due + timedelta(days=chance.randint(*HABITS[customer % len(HABITS)])))
    invoices = create(odoo, "account.move", values, context=QUIET).ids
    execute(odoo, "account.move", "action_post", [invoices], context=QUIET)
    weeks: dict[date, list[int]] = defaultdict(list)
    for invoice, paid in zip(invoices, paid_on, strict=True):
        friday = paid + timedelta(days=(4 - paid.weekday()) % 7)
        if friday <= last_day:
            weeks[friday].append(invoice)
    for friday, those in weeks.items():
        context = {"active_model": "account.move", "active_ids": those, **QUIET}
        wizard = create(
            odoo,
            "account.payment.register",
            {"payment_date": str(friday), "group_payment": False},
            context=context,
        ).id
        execute(
            odoo, "account.payment.register", "action_create_payments", [[wizard]], context=context
        )


if __name__ == "__main__":
    with connect() as connection:
        write_history(connection)
