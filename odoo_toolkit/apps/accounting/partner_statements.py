"""A function that returns a customer's or vendor's statement of account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, NOTHING, grouped, of_type, open_book, rounded
from odoo_toolkit.apps.accounting.overdue import Open, document_of, read_moves, read_open
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName

Side = Literal["customer", "vendor", "both"]

_PARTNER = op.Document(
    model="res.partner",
    noun="contact",
    argument="partner",
    fields=("display_name", "commercial_partner_id"),
)
_KINDS = {
    "customer": ("receivable",),
    "vendor": ("payable",),
    "both": ("receivable", "payable"),
}
_FIELDS = op.words(
    "move_id date name date_maturity debit credit balance amount_currency currency_id"
)


@attrs.frozen(kw_only=True)
class Movement(op.Shown):
    """An entry in a statement of account.

    Attributes:
        kind: Invoice, credit note, bill, refund or entry. A payment is an entry.
        amount: Amount that it adds to the balance, negative if it reduces the balance.
        balance: Balance after it.
        foreign_amount, currency: Amount of a document in a foreign currency.
    """

    date: str
    document: RecordName
    kind: str
    label: str | None = None
    due_date: str | None = None
    amount: float
    balance: float
    foreign_amount: float | None = None
    currency: str | None = None


@attrs.frozen(kw_only=True)
class OpenItem(op.Shown):
    """The open amount of a document now.

    Attributes:
        left: Open amount, in the document's currency. Negative if the company owes it to the
            partner, such as a customer's credit note.
        days_overdue: Days overdue on the last day of the statement. 0 if it is not due.
    """

    document: RecordName
    due_date: str
    left: float
    currency: str | None = None
    days_overdue: int = 0


@attrs.frozen(kw_only=True)
class PartnerStatement(op.Shown):
    """A statement of account, in the currency of the books.

    An amount that a customer owes is positive, and so is an amount that you owe a vendor. With both
    sides together, an amount that the partner owes is positive.

    Attributes:
        opening, closing: Balance before the first day and after the last day.
        charged, settled: Amounts added and taken off in between.
        has_more: True if there are movements beyond the limit. Totals include all movements.
        open_items: Open items of documents up to the last day, as they are now. Some may have been
            paid after that day.
        checks: Checks of the figures, and their results.
    """

    partner: RecordName
    company: RecordName
    side: Side
    currency: str
    date_from: str
    date_to: str
    message: str
    opening: float
    charged: float
    settled: float
    closing: float
    movements: list[Movement]
    has_more: bool = False
    open_items: list[OpenItem]
    open_total: float
    checks: dict[str, bool]
    warnings: list[str] = attrs.Factory(list)


def get_statement(
    odoo: Odoo,
    *,
    partner: Annotated[op.IdOrName, Doc("Customer or vendor, by id or name.")],
    date_from: Annotated[str | None, Doc("First day. Default: the fiscal year's.")] = None,
    date_to: Annotated[str | None, Doc("Last day. Default: today.")] = None,
    side: Annotated[Side, Doc("As a customer, as a vendor, or both.")] = "customer",
    company: Annotated[op.NameOrId, Doc("Company. Default: the connection's.")] = None,
    limit: Annotated[int, Ge(1), op.AtMost(1000), Doc("Maximum number of movements.")] = 100,
) -> PartnerStatement:
    """Return the statement of account of a customer or vendor.

    >>> found = get_statement(odoo, partner="Azure", date_to="2025-12-31")
    >>> found.opening, found.closing, [item.left for item in found.open_items]
    (0.0, 165.0, [100.0, 15.0, 50.0])

    A contact stands for its company, which has the account. Odoo Community does not print such a
    statement. Totals include movements beyond the limit.

    It takes 8 requests, or 10 with names.

    Raises:
        AmbiguousNameError: A name matches several records.
        NotFoundError: The partner or company does not exist.
        ValidationError: An argument is wrong.
        AccessError: This user can't see the whole book, so the figures would be wrong.
    """
    op.check_choice(side, get_args(Side), "side", "{} is not a side of a statement.")
    limit = checked_count(limit, "limit", 1)
    last = op.checked_day(date_to, "date_to") or op.today(odoo)
    first = op.checked_day(date_from, "date_from")
    whose = op.resolve(odoo, op.Wanted.of("res.company", company, "company"), required=False)
    number = op.resolve(odoo, op.Wanted.of(_PARTNER.model, partner, "partner"))
    assert number is not None  # noqa: S101 - it is required
    book = open_book(odoo, whose)
    first = first or book.year_of(last)
    if first > last:
        raise invalid(
            "date_from",
            f"The period ends before it begins: {first} to {last}.",
            "Set date_from to a day before date_to.",
        )
    row = op.read(odoo, _PARTNER, number)
    own = row["commercial_partner_id"] or RecordName(id=row["id"], name=row["display_name"])
    whole = [["partner_id", "=", own.id], of_type(odoo, *_KINDS[side])]
    until, before = [*whole, ["date", "<=", last]], [*whole, ["date", "<", first]]
    within = book.domain(*until, ["date", ">=", first])
    amounts = ("debit", "credit", "balance")
    earlier, period, end, rows, items = op.gather(
        lambda: grouped(odoo, ITEM, book.domain(*before), ("balance",), [], **book.context),
        lambda: grouped(odoo, ITEM, within, amounts, [], **book.context),
        lambda: grouped(odoo, ITEM, book.domain(*until), ("balance",), [], **book.context),
        lambda: op.read_rows(
            odoo,
            ITEM,
            within,
            _FIELDS,
            acts_on=ITEM,
            limit=limit + 1,
            order="date, id",
            **book.context,
        ),
        lambda: read_open(odoo, book, *until),
    )
    sign = -1 if side == "vendor" else 1
    opening, closing = (rounded(sign * _total(some, "balance")) for some in (earlier, end))
    charged, settled = _total(period, "debit"), _total(period, "credit")
    charged, settled = (settled, charged) if side == "vendor" else (charged, settled)
    moves = read_moves(odoo, book, (one["move_id"].id for one in rows[:limit]))
    movements = _movements(rows[:limit], moves, sign, opening, book.currency)
    open_items = [_open_item(item, sign, last) for item in items]
    open_total = rounded(sign * sum(item.home for item in items))
    checks = {"opening_and_movements_are_closing": _same(opening + charged - settled, closing)}
    warnings = []
    if last >= op.today(odoo):
        checks["open_items_are_closing"] = _same(open_total, closing)
        if not checks["open_items_are_closing"]:
            warnings.append("The open items do not add up to the balance. Check them in Odoo.")
    if not rows and not opening and not items:
        warnings.append("There are no journal items for this partner.")
    return PartnerStatement(
        partner=own,
        company=book.company,
        side=side,
        currency=book.currency,
        date_from=first,
        date_to=last,
        message=f"{own.name} from {first} to {last}: opening {opening:.2f}, closing {closing:.2f},"
        f" open now {open_total:.2f} {book.currency}.",
        opening=opening,
        charged=rounded(charged),
        settled=rounded(settled),
        closing=closing,
        movements=movements,
        has_more=len(rows) > limit,
        open_items=open_items,
        open_total=open_total,
        checks=checks,
        warnings=warnings,
    )


#: Type of an entry -> what people call it.
_SAID = {
    "out_invoice": "invoice",
    "out_refund": "credit note",
    "in_invoice": "bill",
    "in_refund": "refund",
    "out_receipt": "receipt",
    "in_receipt": "receipt",
}


def _total(rows: Sequence[op.Row], field: str) -> float:
    return rounded(sum(row.get(field) or 0.0 for row in rows))


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= NOTHING


def _movements(
    rows: Sequence[op.Row], moves: dict[int, op.Row], sign: int, opening: float, home: str
) -> list[Movement]:
    """Return journal items with the balance after each."""
    found: list[Movement] = []
    balance = opening
    for row in rows:
        amount = rounded(sign * row["balance"])
        balance = rounded(balance + amount)
        move = moves.get(row["move_id"].id)
        currency = op.currency_of(row)
        foreign = currency not in (None, home)
        found.append(
            Movement(
                date=row["date"],
                document=document_of(move) if move else row["move_id"],
                kind=_SAID.get(move["move_type"], "entry") if move else "entry",
                label=row["name"],
                due_date=row["date_maturity"] if move and move["move_type"] in _SAID else None,
                amount=amount,
                balance=balance,
                foreign_amount=rounded(sign * row["amount_currency"]) if foreign else None,
                currency=currency if foreign else None,
            )
        )
    return found


def _open_item(item: Open, sign: int, day: str) -> OpenItem:
    late = (date.fromisoformat(day) - date.fromisoformat(item.due)).days
    return OpenItem(
        document=item.document,
        due_date=item.due,
        left=rounded(sign * item.left),
        currency=item.currency,
        days_overdue=max(late, 0),
    )
