"""How many days customers take to pay invoices, and the company to pay bills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, Book, rounded
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

_PARTIAL = "account.partial.reconcile"

#: By kind of report: the side of the invoices, that of what pays them, and the types of both; a
#: credit note pays nothing.
SIDES: Mapping[str, tuple[str, str, str, str]] = {
    "days_to_pay": ("debit_move_id", "credit_move_id", "out_invoice", "out_refund"),
    "days_to_pay_vendors": ("credit_move_id", "debit_move_id", "in_invoice", "in_refund"),
}


@attrs.define(kw_only=True)
class PaidDays:
    """What was paid of a partner's invoices or of one of them.

    Attributes:
        paid: in the currency of the books.
        days, late: from the invoice's date, and from the day that it was due, each multiplied by
            the amount.
    """

    id: int | None
    name: str
    paid: float = 0.0
    days: float = 0.0
    late: float = 0.0

    def add(self, other: PaidDays) -> None:
        """Add what was paid of others."""
        self.paid += other.paid
        self.days += other.days
        self.late += other.late

    def average(self, days: float) -> float:
        """Return days for each unit of money that was paid."""
        return rounded(days / self.paid) if self.paid else 0.0


def read_paid(odoo: Odoo, book: Book, kind: str, first: str, last: str, by: str) -> list[PaidDays]:
    """Return what was paid in a period, the slowest first; 2 to 3 round trips.

    Args:
        odoo: the connection.
        book: whose.
        kind: of :data:`SIDES`.
        first: the first day of the payments.
        last: their last day.
        by: partner or document.
    """
    own, other, invoice, refund = SIDES[kind]
    domain: list[Any] = [
        ["company_id", "=", book.company.id],
        ["max_date", ">=", first],
        ["max_date", "<=", last],
        [f"{own}.move_id.move_type", "=", invoice],
        [f"{own}.parent_state", "=", "posted"],
        [f"{other}.move_id.move_type", "!=", refund],
    ]
    options: dict[str, Any] = {"acts_on": ITEM, **book.context}
    partials = op.read_rows(odoo, _PARTIAL, domain, (own, "amount", "max_date"), **options)
    if not partials:
        return []
    items = _by_id(
        odoo, ITEM, {row[own].id for row in partials}, ("move_id", "partner_id", "date_maturity"),
        options,
    )  # fmt: skip
    moves = _by_id(
        odoo,
        "account.move",
        {item["move_id"].id for item in items.values()},
        ("name", "invoice_date", "date"),
        options,
    )
    found: dict[int | None, PaidDays] = {}
    for row in partials:
        item = items[row[own].id]
        move, partner = moves[item["move_id"].id], item["partner_id"]
        named = RecordName(id=move["id"], name=move["name"] or "/") if by == "document" else partner
        key = named.id if named else None
        entry = found.setdefault(key, PaidDays(id=key, name=named.name if named else "No partner"))
        paid, begun = row["amount"], move["invoice_date"] or move["date"]
        entry.paid += paid
        entry.days += paid * _days(begun, row["max_date"])
        entry.late += paid * _days(item["date_maturity"] or begun, row["max_date"])
    return sorted(found.values(), key=lambda one: (-one.average(one.days), one.name))


def _by_id(
    odoo: Odoo, model: str, ids: set[int], fields: Sequence[str], options: Mapping[str, Any]
) -> dict[int, op.Row]:
    rows = op.read_rows(odoo, model, [["id", "in", sorted(ids)]], fields, **options)
    return {row["id"]: row for row in rows}


def _days(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
