"""Amounts in several currencies, and paying in another one than the invoice's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.operations.companies import usable_companies
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

_CURRENCY = "res.currency"


def currency_called(
    odoo: Odoo, name: str, own: RecordName, company: RecordName, day: str
) -> RecordName:
    """Return the currency of a name, after checking that Odoo can convert; 4 or 5 round trips.

    They are two after each other, and just the first 2 for the currency of what is paid.

    Args:
        odoo: the connection.
        name: such as ``EUR``; upper or lower case is the same.
        own: the currency of what is paid.
        company: which pays or is paid.
        day: on which.

    Raises:
        NotFoundError: there is no such currency.
        ValidationError: it is not in use, or there is no exchange rate: Odoo would count 1 as 1.
    """
    code = str(name).strip().upper()
    asked: list[Callable[[], list[Row]]] = [
        lambda: read_rows(odoo, _CURRENCY, [["name", "=", code]], ("name", "active"), limit=1),
        lambda: read_rows(
            odoo, "res.company", [["id", "=", company.id]], ["currency_id"], acts_on=INVOICE.model
        ),
    ]
    found, (row,) = side_by_side(asked)
    details = {"field": "currency", "model": _CURRENCY}
    if not found:
        raise NotFoundError(
            f"There is no currency {code[:60]!r}.",
            suggestion="Give its code, such as EUR or USD.",
            details=details,
        )
    currency, home = RecordName(id=found[0]["id"], name=found[0]["name"]), row["currency_id"]
    if currency == own:
        return currency
    if not found[0]["active"]:
        raise ValidationError(
            f"The currency {currency.name} is not in use here.",
            suggestion="Have it switched on in Odoo, with its exchange rates.",
            details=details,
        )
    foreign = [each for each in (currency, own) if each != home]
    rates = side_by_side([partial(_rate, odoo, c, company, day) for c in (home, *foreign)])
    for each, rate in zip(foreign, rates[1:], strict=True):
        # What has no rate counts as 1. That may be meant only where the company's has another.
        if rate is None and rates[0] in (None, 1.0):
            raise ValidationError(
                f"There is no exchange rate of {each.name} on {day} or before: Odoo would count"
                f" 1 {each.name} as 1 {home.name}.",
                suggestion="Have the rate entered in Odoo first.",
                details=details,
            )
    return currency


def _rate(odoo: Odoo, currency: RecordName, company: RecordName, day: str) -> float | None:
    companies = usable_companies(odoo, company.id, INVOICE.model)
    domain = [
        ["currency_id", "=", currency.id],
        ["company_id", "in", [False, *companies]],
        ["name", "<=", day],
    ]
    rows = read_rows(
        odoo,
        "res.currency.rate",
        domain,
        ["rate"],
        acts_on=INVOICE.model,
        limit=1,
        order="name desc",
    )
    return rows[0]["rate"] if rows else None


def by_currency(amounts: Iterable[tuple[float, str | None]]) -> str:
    """Return the sum of amounts in words, one for each currency: "115.00 EUR and 40.00 USD".

    Args:
        amounts: each with the name of its currency.
    """
    sums: dict[str, float] = {}
    for amount, currency in amounts:
        sums[currency or ""] = sums.get(currency or "", 0.0) + amount
    return " and ".join(f"{total:.2f} {currency}".rstrip() for currency, total in sums.items())
