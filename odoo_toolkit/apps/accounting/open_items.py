"""What is open between a company and its customers and vendors, item by item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, Book, rounded
from odoo_toolkit.apps.accounting.invoices import number_in, number_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

MOVE = "account.move"

_FIELDS = op.words("""
    name move_id partner_id account_id date date_maturity amount_residual amount_residual_currency
    currency_id blocked
""")
_MOVE_FIELDS = op.words("""
    name display_name state move_type payment_state amount_residual ref payment_reference
    invoice_date partner_id
""")


@attrs.frozen(kw_only=True)
class Open:
    """A journal item that is not settled, or not to the full.

    Attributes:
        document: its journal entry, by its number.
        contact: of the document: whom it was sent to.
        references: its number and what else people call it by.
        due: when it is or was due; the day under which it is booked where it has none.
        left: what is open, in its currency; what is owed to the company is positive.
        home: the same in the company's currency.
        blocked: whether people have marked it as one that is not to be asked for (up to 17).
    """

    id: int
    document: RecordName
    move_type: str
    payment_state: str | None = None
    references: tuple[str, ...] = ()
    partner: RecordName | None = None
    contact: RecordName | None = None
    account: RecordName
    date: str
    invoice_date: str | None = None
    due: str
    left: float
    home: float
    currency: str | None = None
    blocked: bool = False


def read_open(odoo: Odoo, book: Book, *leaves: Any) -> list[Open]:
    """Return the open items of a company that match, by their due dates; 2 round trips."""
    domain = book.domain(["reconciled", "=", False], *leaves)
    rows = op.read_rows(
        odoo, ITEM, domain, _FIELDS, acts_on=ITEM, order="date_maturity, id", **book.context
    )
    rows = [row for row in rows if row["amount_residual"] or row["amount_residual_currency"]]
    moves = read_moves(odoo, book, (row["move_id"].id for row in rows))
    return [_open(row, moves[row["move_id"].id]) for row in rows if row["move_id"].id in moves]


def read_moves(odoo: Odoo, book: Book, ids: Iterable[int]) -> dict[int, op.Row]:
    """Return journal entries by their ids; one round trip, none for none."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    domain = [["id", "in", wanted]]
    rows = op.read_rows(odoo, MOVE, domain, _MOVE_FIELDS, acts_on=ITEM, **book.context)
    return {row["id"]: row for row in rows}


def document_of(move: op.Row) -> RecordName:
    """Return a journal entry by its number."""
    shown = number_of(move) or number_in(str(move["display_name"]))
    return RecordName(id=move["id"], name=shown)


def _open(row: op.Row, move: op.Row) -> Open:
    told = (number_of(move), move["payment_reference"], move["ref"])
    return Open(
        id=row["id"],
        document=document_of(move),
        move_type=move["move_type"],
        payment_state=move["payment_state"],
        references=tuple(dict.fromkeys(str(one) for one in told if one)),
        partner=row["partner_id"],
        contact=move["partner_id"] or row["partner_id"],
        account=row["account_id"],
        date=row["date"],
        invoice_date=move["invoice_date"],
        due=row["date_maturity"] or row["date"],
        left=rounded(row["amount_residual_currency"] or row["amount_residual"]),
        home=rounded(row["amount_residual"]),
        currency=op.currency_of(row),
        blocked=bool(row["blocked"]),
    )
