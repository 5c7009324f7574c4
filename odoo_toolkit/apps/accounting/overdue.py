"""Open items of customers and vendors, overdue invoices, and customers who get no reminder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, NOTHING, Book, of_type, rounded
from odoo_toolkit.apps.accounting.invoices import by_currency, number_in, number_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.mail.recipients import people
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


PARTNER = "res.partner"


@attrs.frozen(kw_only=True)
class OverdueInvoice(op.Shown):
    """An invoice with an overdue amount.

    Attributes:
        due_date: Due date of the oldest overdue part.
        days_overdue: Days since then.
        residual: Overdue amount, in the invoice's currency.
        not_due: Open amount that is not due yet, such as later instalments.
    """

    id: int
    name: str
    invoice_date: str | None = None
    due_date: str
    days_overdue: int
    residual: float
    not_due: float = 0.0
    currency: str | None = None


@attrs.frozen(kw_only=True)
class NotReminded(op.Shown):
    """A customer who gets no reminder, and the reason."""

    customer: RecordName
    reason: str


@attrs.frozen(kw_only=True)
class Debtor:
    """A customer with overdue invoices, and what else is to be known of it."""

    customer: RecordName
    invoices: list[OverdueInvoice]
    contacts: list[int]
    warnings: list[str]

    @property
    def document(self) -> RecordName:
        """Return the invoice that has been due the longest."""
        first = max(self.invoices, key=lambda one: (one.days_overdue, -one.id))
        return RecordName(id=first.id, name=first.name)

    @property
    def totals(self) -> dict[str, float]:
        """Return what is overdue, by currency."""
        totals: dict[str, float] = {}
        for one in self.invoices:
            name = one.currency or ""
            totals[name] = round(totals.get(name, 0.0) + one.residual, 6)
        return totals


def commercial(odoo: Odoo, ids: Sequence[int]) -> dict[int, RecordName]:
    """Return the customers that contacts belong to, by id; no round trip for none."""
    if not ids:
        return {}
    found = people(odoo, ids, acts_on=PARTNER, argument="partners")
    links = [row["commercial_partner_id"] for row in found]
    own = [RecordName(id=row["id"], name=row["display_name"]) for row in found]
    return {(link or me).id: link or me for link, me in zip(links, own, strict=True)}


def overdue(
    odoo: Odoo, book: Book, customers: Mapping[int, RecordName], day: str, days: int
) -> tuple[list[Debtor], list[NotReminded]]:
    """Return the customers with overdue invoices, the longest overdue first, and who is spared."""
    of_customers = [["partner_id", "in", list(customers)]] if customers else []
    items = read_open(odoo, book, of_type(odoo, "receivable"), *of_customers)
    by_customer: dict[int, list[Open]] = {}
    for item in items:
        if item.partner:
            by_customer.setdefault(item.partner.id, []).append(item)
    debtors: list[Debtor] = []
    spared: list[NotReminded] = []
    last = (date.fromisoformat(day) - timedelta(days=days)).isoformat()
    for owed in by_customer.values():
        partner = owed[0].partner
        assert partner is not None  # noqa: S101 - they are kept by it
        late = [
            item
            for item in owed
            if item.move_type == "out_invoice"
            and item.left > NOTHING
            and item.due <= last
            and item.payment_state in ("not_paid", "partial")
        ]
        asked = [item for item in late if not item.blocked]
        if late and not asked:
            reason = "Every overdue item is excluded from follow-ups in Odoo."
            spared.append(NotReminded(customer=partner, reason=reason))
        if not asked:
            continue
        debtor, covered = _debtor(partner, asked, owed, day)
        if len(asked) < len(late):
            names = ", ".join(item.document.name or "" for item in late if item.blocked)
            debtor.warnings.append(f"Skipped, because Odoo excludes them from follow-ups: {names}.")
        if covered:
            spared.append(NotReminded(customer=partner, reason=covered))
        else:
            debtors.append(debtor)
    told = {one.customer.id for one in debtors} | {one.customer.id for one in spared}
    reason = f"Nothing has been overdue for {days} day{'s' if days > 1 else ''}."
    spared += [
        NotReminded(customer=one, reason=reason) for n, one in customers.items() if n not in told
    ]
    debtors.sort(key=lambda one: (-max(i.days_overdue for i in one.invoices), one.customer.id))
    return debtors, spared


def _debtor(
    partner: RecordName, late: Sequence[Open], owed: Sequence[Open], day: str
) -> tuple[Debtor, str]:
    """Return what a customer is reminded of, and why that is not done where credits cover it."""
    by_invoice: dict[int, list[Open]] = {}
    for item in late:
        by_invoice.setdefault(item.document.id, []).append(item)
    invoices = [_invoice(parts, owed, day) for parts in by_invoice.values()]
    contacts = [item.contact.id for item in late if item.contact]
    debtor = Debtor(
        customer=partner,
        invoices=invoices,
        contacts=list(dict.fromkeys(contacts)),
        warnings=[],
    )
    open_credits = [item for item in owed if item.left < -NOTHING]
    if not open_credits:
        return debtor, ""
    sums: dict[str, float] = {}
    for item in open_credits:
        name = item.currency or ""
        sums[name] = sums.get(name, 0.0) - item.left
    listed = ", ".join(dict.fromkeys(item.document.name or "" for item in open_credits))
    amounts = by_currency((amount, name) for name, amount in sums.items())
    totals = debtor.totals
    if all(sums.get(name, 0.0) >= total - NOTHING for name, total in totals.items()):
        return debtor, f"Open credits of {amounts} cover it ({listed}). Apply them with reconcile."
    debtor.warnings.append(
        f"Open credits of {amounts} are not applied to it ({listed}). Apply them with reconcile."
    )
    return debtor, ""


def _invoice(parts: Sequence[Open], owed: Sequence[Open], day: str) -> OverdueInvoice:
    first = min(parts, key=lambda part: part.due)
    late = {part.id for part in parts}
    rest = [
        item.left
        for item in owed
        if item.document.id == first.document.id and item.id not in late and item.left > 0
    ]
    return OverdueInvoice(
        id=first.document.id,
        name=first.document.name or f"invoice {first.document.id}",
        invoice_date=first.invoice_date,
        due_date=first.due,
        days_overdue=(date.fromisoformat(day) - date.fromisoformat(first.due)).days,
        residual=round(sum(part.left for part in parts), 6),
        not_due=round(sum(rest), 6),
        currency=first.currency,
    )
