"""What customers owe and what is owed to vendors, as it was on any day, by how late it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from odoo_toolkit.apps.accounting.books import ITEM, NOTHING, Book, grouped, of_type, rounded
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.parallel import side_by_side

#: Bucket -> the most days after the due date.
BUCKETS = {"not_due": 0, "days_1_30": 30, "days_31_60": 60, "days_61_90": 90, "older": None}

_PARTIAL = "account.partial.reconcile"
_IDS_AT_A_TIME = 1000


def open_items(odoo: Odoo, book: Book, kind: str, day: str) -> tuple[list[Row], float]:
    """Return the items that were open on a day, and the balance of their accounts on that day.

    Odoo keeps only what is open now. What was open is the item's balance less what had been
    settled by that day, both of which it does keep.

    Args:
        odoo: the connection.
        book: the company's.
        kind: receivable or payable.
        day: as of which.

    Returns:
        The items with ``open`` (what customers owe, or what is owed to vendors, is positive) and
        ``bucket``, and the balance in the same sense: 4 round trips, 2 where nothing is open.
    """
    sign = 1 if kind == "receivable" else -1
    until = book.domain(["date", "<=", day], of_type(odoo, kind))
    # What is settled by now and was settled by then is not looked at: that is most of a book.
    settled_later = [
        "|",
        ["matched_debit_ids.max_date", ">", day],
        ["matched_credit_ids.max_date", ">", day],
    ]
    wanted = [*until, "|", ["reconciled", "=", False], *settled_later]
    fields = ("balance", "date", "date_maturity", "partner_id", "account_id", "move_id")
    asked: list[Callable[[], Any]] = [
        lambda: read_rows(odoo, ITEM, wanted, fields, acts_on=ITEM, order="id", **book.context),
        lambda: grouped(odoo, ITEM, until, ("balance",), [], **book.context),
    ]
    items, totals = side_by_side(asked)
    settled = _settled(odoo, book, [item["id"] for item in items], day)
    found = []
    for item in items:
        left = rounded(sign * (item["balance"] - settled.get(item["id"], 0.0)))
        if abs(left) > NOTHING:
            late = date.fromisoformat(day) - date.fromisoformat(
                item["date_maturity"] or item["date"]
            )
            found.append({**item, "open": left, "bucket": _bucket(late.days)})
    return found, rounded(sign * sum(row["balance"] or 0.0 for row in totals))


def _settled(odoo: Odoo, book: Book, ids: Sequence[int], day: str) -> dict[int, float]:
    """Return what of the balance of items had been settled by a day."""
    chunks = [ids[i : i + _IDS_AT_A_TIME] for i in range(0, len(ids), _IDS_AT_A_TIME)]
    sides = [(field, some) for some in chunks for field in ("debit_move_id", "credit_move_id")]

    def ask(field: str, some: Sequence[int]) -> Iterable[Row]:
        domain = [[field, "in", list(some)], ["max_date", "<=", day]]
        return grouped(odoo, _PARTIAL, domain, ("amount",), [field], **book.context)

    answers = side_by_side([lambda side=side: ask(*side) for side in sides])  # type: ignore[misc]
    settled: dict[int, float] = {}
    for (field, _), rows in zip(sides, answers, strict=True):
        way = 1 if field == "debit_move_id" else -1
        for row in rows:
            item = row[field][0]
            settled[item] = settled.get(item, 0.0) + way * row["amount"]
    return settled


def _bucket(days: int) -> str:
    return next(name for name, most in BUCKETS.items() if most is None or days <= most)
