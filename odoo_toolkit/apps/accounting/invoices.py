"""What the accounting functions read of invoices, journals and companies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.records.results import RecordName

INVOICE_TYPES = ("out_invoice", "out_refund", "in_invoice", "in_refund")

_FIELDS = (
    "name",
    "move_type",
    "state",
    "payment_state",
    "partner_id",
    "commercial_partner_id",
    "company_id",
    "currency_id",
    "invoice_date",
    "amount_untaxed",
    "amount_tax",
    "amount_total",
    "amount_residual",
)


@attrs.frozen(kw_only=True)
class Invoice:
    """An invoice, bill, credit note or refund, as Odoo has it now.

    Attributes:
        name: its number; None as long as it is a draft without one.
        state: draft, posted or cancel; None only when it could not be read back.
        posted: whether it is posted.
        message: what was done.
        amount_residual: what is left to pay.
    """

    id: int
    name: str | None
    state: str | None
    posted: bool
    message: str
    move_type: str | None = None
    payment_state: str | None = None
    partner: RecordName | None = None
    invoice_date: str | None = None
    currency: str | None = None
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    amount_residual: float | None = None
    warnings: list[str] = attrs.Factory(list)

    @classmethod
    def from_row(cls, row: Mapping[str, Any], message: str, warnings: list[str]) -> Invoice:
        """Make it from a row of ``account.move``."""
        name = row["name"]
        partner = row["partner_id"]
        return cls(
            id=row["id"],
            # A draft's is "/" to 17 and False from 18 on.
            name=name if name and name != "/" else None,
            state=row["state"],
            posted=row["state"] == "posted",
            message=message,
            move_type=row["move_type"],
            payment_state=row["payment_state"] or None,
            partner=RecordName(id=partner[0], name=partner[1]) if partner else None,
            invoice_date=row["invoice_date"] or None,
            currency=currency_of(row),
            amount_untaxed=row["amount_untaxed"],
            amount_tax=row["amount_tax"],
            amount_total=row["amount_total"],
            amount_residual=row["amount_residual"],
            warnings=warnings,
        )


@attrs.frozen(kw_only=True)
class Payment:
    """A payment; its state is posted to Odoo 17, in_process or paid from 18 on."""

    id: int
    name: str | None = None
    state: str | None = None
    amount: float | None = None
    currency: str | None = None


@attrs.frozen(kw_only=True)
class PaidInvoice:
    """What a payment left of an invoice; payment_state is partial, in_payment or paid."""

    id: int
    name: str
    payment_state: str
    amount_residual: float
    currency: str | None


@attrs.frozen(kw_only=True)
class PaymentResult:
    """The payments that were registered, and what they left of the invoices."""

    payments: list[Payment]
    invoices: list[PaidInvoice]
    message: str
    warnings: list[str] = attrs.Factory(list)


def read_moves(odoo: Odoo, ids: Sequence[int], *more: str) -> list[dict[str, Any]]:
    """Return rows of ``account.move`` in the order asked; one round trip.

    Raises:
        NotFoundError: one does not exist; Odoo itself says nothing of those.
    """
    names = list(dict.fromkeys([*_FIELDS, *more]))
    rows = odoo.call(
        Call(model="account.move", method="read", ids=tuple(ids), arguments={"fields": names})
    )
    by_id = {row["id"]: row for row in rows}
    if missing := [number for number in ids if number not in by_id]:
        raise NotFoundError(
            f"There is no account.move {', '.join(map(str, missing))}.",
            suggestion="Look for the invoice with odoo_core_search_read on account.move.",
            details={"model": "account.move", "ids": missing},
        )
    return [by_id[number] for number in ids]


def read_invoice(odoo: Odoo, invoice_id: int, verb: str, warnings: Sequence[str] = ()) -> Invoice:
    """Return the invoice as it is after a change; never fails, for the change is made."""
    try:
        (row,) = read_moves(odoo, [invoice_id])
    except OdooError as error:
        return Invoice(
            id=invoice_id,
            name=None,
            state=None,
            posted=False,
            message=f"{verb} account.move {invoice_id}.",
            warnings=[*warnings, f"It could not be read back: {error.message}"],
        )
    found = Invoice.from_row(row, message="", warnings=list(warnings))
    if verb == "Posted" and not found.posted:
        message = f"Odoo left account.move {invoice_id} in the state {found.state}."
    else:
        label = found.name or f"the draft with ID {invoice_id}"
        also = " and posted it" if verb == "Created" and found.posted else ""
        message = f"{verb} {label}{also}: {found.amount_total:.2f} {found.currency or ''}".rstrip()
    return attrs.evolve(found, message=message)


def acting_company(odoo: Odoo) -> int:
    """Return the company that new documents are for: the connection's, else the user's."""
    allowed = odoo.settings.base_context.get("allowed_company_ids")
    if allowed:
        return int(allowed[0])
    rows = odoo.call(
        Call(
            model="res.users",
            method="read",
            ids=(odoo.uid,),
            arguments={"fields": ["company_id"]},
        )
    )
    return int(rows[0]["company_id"][0])


def company_leaf(odoo: Odoo, company: int) -> list[Any]:
    """Return the condition that a journal or tax is one that a company can use."""
    # From 17 on, a branch shares what its parent companies have.
    return ["company_id", "parent_of" if odoo.version.major >= 17 else "=", company]


def pick_journal(
    odoo: Odoo,
    journal_id: int | None,
    types: Sequence[str],
    company: int,
    fields: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the journal asked for after checking it, or the company's first of these types.

    Raises:
        NotFoundError: there is no such journal.
        ValidationError: it is another company's or of another type, or there is none.
    """
    names = ["name", "type", "company_id", *fields]
    mine = company_leaf(odoo, company)
    domain: list[Any] = [["type", "in", list(types)], mine]
    if journal_id is not None:
        domain = [["id", "=", journal_id]]
    rows: list[dict[str, Any]] = odoo.call(
        Call(
            model="account.journal",
            method="search_read",
            arguments={"domain": domain, "fields": names, "limit": 1},
        )
    )
    if not rows and journal_id is not None:
        raise NotFoundError(
            f"There is no journal {journal_id}.",
            suggestion="odoo_core_search_read on account.journal lists them.",
            details={"model": "account.journal", "field": "journal_id"},
        )
    if not rows:
        raise ValidationError(
            f"The company has no journal of type {' or '.join(types)}.",
            suggestion="Give journal_id.",
            details={"field": "journal_id"},
        )
    journal = rows[0]
    if journal_id is None:
        return journal
    if journal["type"] not in types:
        raise ValidationError(
            f"The journal {journal['name']} is of type {journal['type']};"
            f" this needs {' or '.join(types)}.",
            suggestion="Give another journal_id, or leave it out.",
            details={"field": "journal_id", "type": journal["type"], "allowed": list(types)},
        )
    if journal["company_id"][0] != company and not _shared(odoo, journal_id, mine):
        raise ValidationError(
            f"The journal {journal['name']} belongs to {journal['company_id'][1]},"
            f" another company than {company}, which this is for.",
            suggestion="Give a journal of that company, or connect for the other one"
            " (ODOO_COMPANY_ID).",
            details={"field": "journal_id", "company_id": journal["company_id"][0]},
        )
    return journal


def _shared(odoo: Odoo, journal_id: int, mine: list[Any]) -> bool:
    if mine[1] == "=":
        return False
    arguments = {"domain": [["id", "=", journal_id], mine]}
    return bool(
        odoo.call(Call(model="account.journal", method="search_count", arguments=arguments))
    )


def only(**values: Any) -> dict[str, Any]:
    """Return the values that were given."""
    return {name: value for name, value in values.items() if value is not None}


def by_currency(amounts: Iterable[tuple[float, str | None]]) -> str:
    """Return the sum of amounts in words, one for each currency: "115.00 EUR and 40.00 USD".

    Args:
        amounts: each with the name of its currency.
    """
    sums: dict[str, float] = {}
    for amount, currency in amounts:
        sums[currency or ""] = sums.get(currency or "", 0.0) + amount
    return " and ".join(f"{total:.2f} {currency}".rstrip() for currency, total in sums.items())


def currency_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the currency of a row, such as EUR."""
    return row["currency_id"][1] if row["currency_id"] else None


def label(move: Mapping[str, Any]) -> str:
    """Return how a row of ``account.move`` is called in a message."""
    name = move["name"]
    return str(name) if name and name != "/" else f"The draft {move['id']}"
