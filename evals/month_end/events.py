"""What happens in twelve months, from a seed, and what the books have at the end of each."""

from __future__ import annotations

import calendar
import random
from dataclasses import dataclass, field
from datetime import date

from evals import records

MONTHS = 12
CUSTOMERS = ("Anchor Inn", "Bollard Cafe", "Capstan Hotel")
VENDORS = ("Dockside Power", "Estuary Water")
PRICE = 40.0
DEPRECIATION = 125.0


@dataclass
class Invoice:
    """An invoice or bill of one line.

    Args:
        key: Names it, for payments and credit notes.
        partner: The customer or vendor.
        day: Its date.
        quantity: Of the one product.
        price: Of a piece.
        drafted: The quantity that the prepared draft has, which is another one if it is wrong.
    """

    key: str
    partner: str
    day: date
    quantity: int
    price: float
    drafted: int = 0

    @property
    def total(self) -> float:
        """What is to be paid."""
        return self.quantity * self.price


@dataclass
class Month:
    """What happens in a month.

    Args:
        number: 1 to 12.
        last: Its last day.
        sales: Customers' invoices, prepared as drafts.
        bills: Vendors' bills, which come on paper.
        credit: A credit note: the day, the invoice that it is for, and how many pieces; or None.
        payments: On the bank: the day, and the invoices or bills paid at once.
    """

    number: int
    last: date
    sales: list[Invoice] = field(default_factory=list)
    bills: list[Invoice] = field(default_factory=list)
    credit: tuple[date, Invoice, int] | None = None
    payments: list[tuple[date, list[Invoice]]] = field(default_factory=list)


def year(seed: int) -> list[Month]:
    """Return twelve months that end with the last one; the same for each seed."""
    rng = random.Random(f"year {seed}")
    months: list[Month] = []
    unpaid: list[Invoice] = []
    owed: list[Invoice] = []
    for number in range(1, MONTHS + 1):
        first = records.month_ago(MONTHS + 1 - number)
        last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
        month = Month(number, last)
        for place, customer in enumerate(CUSTOMERS):
            quantity = rng.randint(2, 12)
            wrong = quantity + rng.choice((1, 2, 10)) if rng.random() < 0.25 else quantity
            day = first.replace(day=3 + place)
            key = f"Berths {number:02}-{place + 1}"
            month.sales.append(Invoice(key, customer, day, quantity, PRICE, wrong))
        for place, vendor in enumerate(VENDORS):
            if place == 0 or rng.random() < 0.6:
                ref = f"{vendor.split()[0].upper()}-{number:02}{rng.randint(10, 99)}"
                price = rng.randint(20, 90) * 0.5
                day = first.replace(day=8 + place)
                month.bills.append(Invoice(ref, vendor, day, rng.randint(3, 9), price))
        if unpaid and number % 3 == 0:
            # it is settled by what is credited and a later payment of the rest: not paid before
            credited = unpaid[0]
            month.credit = (first.replace(day=14), credited, 1)
        due = [one for one in unpaid if month.credit is None or one is not month.credit[1]]
        for customer in CUSTOMERS:
            paid = [one for one in due if one.partner == customer and rng.random() < 0.8]
            if paid:
                month.payments.append((first.replace(day=20), paid))
                unpaid = [one for one in unpaid if one not in paid]
        for vendor in VENDORS:
            settled = [one for one in owed if one.partner == vendor]
            if settled:
                month.payments.append((first.replace(day=22), settled))
                owed = [one for one in owed if one not in settled]
        if month.credit:
            # what is left of it stays open: paying it would need the rest's amount
            unpaid = [one for one in unpaid if one is not month.credit[1]]
        unpaid += month.sales
        owed += month.bills
        months.append(month)
    return months


def books(months: list[Month], number: int) -> dict[str, float]:
    """Return what the accounts have at the end of a month, all months before it included.

    The accounts are ``income``, ``supplies``, ``depreciation``, and one for each partner.
    """
    found = dict.fromkeys(("income", "supplies", "depreciation", *CUSTOMERS, *VENDORS), 0.0)
    for month in months[:number]:
        found["depreciation"] += DEPRECIATION
        for sale in month.sales:
            found["income"] += sale.total
            found[sale.partner] += sale.total
        for bill in month.bills:
            found["supplies"] += bill.total
            found[bill.partner] += bill.total
        if month.credit:
            _, invoice, pieces = month.credit
            found["income"] -= pieces * invoice.price
            found[invoice.partner] -= pieces * invoice.price
        for _, paid in month.payments:
            for one in paid:
                found[one.partner] -= one.total
    return found


def words(month: Month) -> str:
    """Return what an assistant is told of a month's papers and bank lines."""
    lines = [
        f"- The draft {sale.key} of {sale.partner} is wrong: it has to be {sale.quantity} "
        f"Berth Nights, not {sale.drafted}. Correct it before you post it."
        for sale in month.sales
        if sale.drafted != sale.quantity
    ]
    lines += [
        f"- Bill {bill.key} of {bill.partner}, dated {bill.day}: {bill.quantity} Harbour Supplies "
        f"at {bill.price:.2f} each. Enter it with that number as its reference, and post it."
        for bill in month.bills
    ]
    if month.credit:
        day, invoice, pieces = month.credit
        lines.append(
            f"- Credit note of {day} for {pieces} Berth Night of the invoice with the reference "
            f"{invoice.key} of {invoice.partner}. Post it."
        )
    for day, paid in month.payments:
        total = sum(one.total for one in paid)
        what = ", ".join(one.key for one in paid)
        kind = "to" if paid[0].partner in VENDORS else "from"
        lines.append(
            f"- Bank, {day}: {total:.2f} {kind} {paid[0].partner}, for {what}, each in full."
        )
    return "\n".join(lines)
