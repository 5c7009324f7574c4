"""What settles an invoice: what has paid it, and what is open that could."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from odoo_toolkit.apps.accounting.books import ITEM, of_type
from odoo_toolkit.apps.accounting.invoices import INVOICE, number_in
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Row, currency_of, read_rows
from odoo_toolkit.operations.steps import Seen, Step
from odoo_toolkit.parallel import side_by_side

#: Kinds of accounts on which partners owe or are owed.
PARTNERS = ("receivable", "payable")

_PARTIAL = "account.partial.reconcile"
_OPEN = ("move_id", "account_id", "date", "partner_id", "amount_residual", "currency_id")
_OPEN_FIELDS = (*_OPEN, "amount_residual_currency", "name")
_EXCHANGE = "exchange_move_id"
_SIDES = ("debit", "credit")

ASSIGN = Step(
    model=INVOICE.model,
    method="js_assign_outstanding_line",
    says="Reconciled",
    fails="It is not reconciled with the invoice",
)
REMOVE = Step(
    model=INVOICE.model,
    method="js_remove_outstanding_partial",
    says="Taken off",
    fails="The rest is still reconciled",
)


@attrs.frozen(kw_only=True)
class OpenCredit(Shown):
    """A payment or credit note that is not used up, and can be applied to an invoice.

    Attributes:
        line_id: the journal item that is open.
        amount: what is left of it, in its currency.
    """

    line_id: int
    name: str
    date: str
    amount: float
    currency: str | None = None


@attrs.frozen(kw_only=True)
class Settlement(Shown):
    """What has paid a part of an invoice: a payment, a credit note, another entry.

    Attributes:
        name: of the journal entry.
        amount: in the invoice's currency.
    """

    move_id: int
    name: str
    date: str | None = None
    amount: float


def settled_with(line_id: int) -> Seen:
    """Return what sees that a document is reconciled with a journal item of another one."""

    def seen(odoo: Odoo, move: int) -> bool | None:
        either = [
            "|",
            *("&", ["debit_move_id", "=", line_id], ["credit_move_id.move_id", "=", move]),
            *("&", ["credit_move_id", "=", line_id], ["debit_move_id.move_id", "=", move]),
        ]
        return bool(read_rows(odoo, _PARTIAL, either, ["id"], acts_on=INVOICE.model)) or None

    return seen


def assign(line_id: int) -> Step:
    """Return the step that reconciles a document with an open journal item of another one."""
    return attrs.evolve(ASSIGN, arguments={"line_id": line_id}, seen=settled_with(line_id))


def remove(partial_id: int) -> Step:
    """Return the step that takes back what reconciles a document with a journal item."""

    def seen(odoo: Odoo, _: int) -> bool | None:
        rows = read_rows(odoo, _PARTIAL, [["id", "=", partial_id]], ["id"], acts_on=INVOICE.model)
        return None if rows else True

    return attrs.evolve(REMOVE, arguments={"partial_id": partial_id}, seen=seen)


def open_lines(odoo: Odoo, row: Row) -> list[Row]:
    """Return what is open of an invoice, on its receivable or payable account."""
    domain = [["move_id", "=", row["id"]], ["reconciled", "=", False], of_type(odoo, *PARTNERS)]
    return read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="id")


def open_credits(odoo: Odoo, row: Row) -> list[Row]:
    """Return the open journal items of the invoice's partner that could settle it."""
    # What brings money in is a debit, and is settled by credits.
    inbound = row["move_type"] in ("out_invoice", "in_refund")
    domain = [
        ["parent_state", "=", "posted"],
        ["company_id", "=", row["company_id"].id],
        ["partner_id", "=", row["commercial_partner_id"].id],
        ["reconciled", "=", False],
        ["balance", "<" if inbound else ">", 0],
        ["move_id", "!=", row["id"]],
        of_type(odoo, *PARTNERS),
    ]
    return read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="date, id")


def told(found: Sequence[Row], accounts: set[int]) -> list[OpenCredit]:
    """Return the open items as results, of the accounts that the invoice is booked on."""
    return [
        OpenCredit(
            line_id=credit["id"],
            name=number_in(str(credit["move_id"].name)),
            date=credit["date"],
            amount=abs(credit["amount_residual_currency"] or credit["amount_residual"]),
            currency=currency_of(credit),
        )
        for credit in found
        if credit["account_id"].id in accounts
    ]


def partials_of(odoo: Odoo, row: Row) -> list[Row]:
    """Return what an invoice is reconciled by; one round trip."""
    fields = [f"{side}_{name}" for side in _SIDES for name in ("move_id", "amount_currency")]
    domain = ["|", *([f"{side}_move_id.move_id", "=", row["id"]] for side in _SIDES)]
    fields += [_EXCHANGE, "full_reconcile_id"]
    return read_rows(odoo, _PARTIAL, domain, fields, acts_on=INVOICE.model, order="id")


def with_items(
    odoo: Odoo, row: Row, partials: Sequence[Row]
) -> list[tuple[Row, Row | None, float]]:
    """Return what an invoice is reconciled with; one round trip, none where it is with nothing.

    Returns:
        Of each: what links them, the journal item of the other document (None where this user,
        such as a salesperson, may not see it), and how much of the invoice it has settled, in the
        invoice's currency.
    """
    if not partials:
        return []
    ids = {partial[f"{side}_move_id"].id for partial in partials for side in _SIDES}
    both: list[Callable[[], Any]] = [
        lambda: read_rows(
            odoo, ITEM, [["id", "in", sorted(ids)]], ("move_id", "date"), acts_on=INVOICE.model
        ),
        lambda: _exchange_moves(odoo, partials),
    ]
    items, exchange = side_by_side(both)
    item_of = {item["id"]: item for item in items}
    found = []
    for partial in partials:
        debit, credit = (item_of.get(partial[f"{side}_move_id"].id) for side in _SIDES)
        is_debit = debit is not None and debit["move_id"].id == row["id"]
        own, other = ("debit", credit) if is_debit else ("credit", debit)
        amount = partial[f"{own}_amount_currency"]
        # Differences of exchange rates are settled, too, but are no money.
        if amount and (other is None or other["move_id"].id not in exchange):
            found.append((partial, other, amount))
    return found


def _exchange_moves(odoo: Odoo, partials: Sequence[Row]) -> set[int]:
    """Return the entries by which Odoo has booked differences of exchange rates."""
    links = [partial[_EXCHANGE] for partial in partials]
    # To 15 it is a field of what is settled in full.
    if _EXCHANGE not in odoo.schema.fields(_PARTIAL):
        full = [partial["full_reconcile_id"] for partial in partials]
        if ids := sorted({link.id for link in full if link}):
            domain = [["id", "in", ids]]
            model = "account.full.reconcile"
            rows = read_rows(odoo, model, domain, [_EXCHANGE], acts_on=INVOICE.model)
            links = [row[_EXCHANGE] for row in rows]
    return {link.id for link in links if link}


def settlements(
    odoo: Odoo, row: Row, partials: Sequence[Row]
) -> tuple[list[Settlement], list[str]]:
    """Return what has paid an invoice, with a warning where this user may not see all of it.

    One round trip, none where nothing has.
    """
    found = with_items(odoo, row, partials)
    seen = [
        Settlement(
            move_id=other["move_id"].id,
            name=number_in(str(other["move_id"].name)),
            date=other["date"],
            amount=amount,
        )
        for _, other, amount in found
        if other is not None
    ]
    hidden = [amount for _, other, amount in found if other is None]
    total = f"{sum(hidden):.2f} {currency_of(row) or ''}".rstrip()
    warning = f"What has paid {total} of it, this user may not see, nor what else is open."
    return seen, [warning] if hidden else []
