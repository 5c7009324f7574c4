"""An invoice as it is in Odoo, with its possible journals and currencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Protocol, TypeVar, cast

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError, invalid
from odoo_toolkit.records.results import RecordName

T = TypeVar("T")
MoveType = Annotated[
    Literal["out_invoice", "out_refund", "in_invoice", "in_refund"],
    Doc("Customer invoice, credit note, vendor bill or refund."),
]
#: What a name says by itself is not described: models load the schemas of all tools.
InvoiceId = Annotated[int | None, Doc("Id of the invoice or bill.")]
InvoiceName = Annotated[str | None, Doc("Its number, reference or order.")]
AccountingDate = Annotated[str | None, Doc("Accounting date. Default: Odoo's choice.")]

#: The first version that computes dates, prices, taxes and terms of what is created from outside.
COMPUTES = 16

#: What plans call those that do not exist yet.
NEW = {
    "out_invoice": "new customer invoice",
    "out_refund": "new credit note",
    "in_invoice": "new vendor bill",
    "in_refund": "new refund of a vendor",
}

INVOICE_TYPES = ("out_invoice", "out_refund", "in_invoice", "in_refund")

INVOICE = op.Document(
    model="account.move",
    noun="invoice or bill",
    argument="invoice_id",
    numbered=True,
    references="ref payment_reference invoice_origin",
    domain=(("move_type", "in", INVOICE_TYPES),),
    fields="""
        name display_name move_type state payment_state ref invoice_origin partner_id
        commercial_partner_id company_id journal_id currency_id invoice_date invoice_date_due date
        invoice_payment_term_id invoice_line_ids amount_untaxed amount_tax amount_total
        amount_residual
    """,
)

LAYOUT = op.Layout(
    document=INVOICE,
    noun="new invoice",
    lines="invoice_line_ids",
    line="account.move.line",
    parent="move_id",
    quantity="quantity",
    date="invoice_date",
    booked="date",
    due="invoice_date_due",
    terms="invoice_payment_term_id",
    completed=0,
    sums="tax_totals",
)

#: Odoo 14 lists the payment methods in the journal.
JOURNAL = op.Document(
    model="account.journal",
    noun="journal",
    argument="journal_id",
    domain=(("active", "=", True),),
    fields="""
        name type company_id currency_id inbound_payment_method_ids outbound_payment_method_ids
    """,
)


@attrs.frozen(kw_only=True)
class InvoiceLine(op.Shown):
    """A line of an invoice. ``kind`` is section or note for lines without a product."""

    id: int
    product: RecordName | None = None
    name: str | None = None
    quantity: float | None = None
    price_unit: float | None = None
    discount: float | None = None
    account: RecordName | None = None
    taxes: list[RecordName] | None = None
    subtotal: float | None = None
    total: float | None = None
    kind: str | None = None


class _Taxed(Protocol):
    """A line with taxes."""

    @property
    def taxes(self) -> list[RecordName] | None: ...


TaxedT = TypeVar("TaxedT", bound=_Taxed)


def unnamed(ids: Sequence[int] | None) -> list[RecordName] | None:
    """Return taxes by their ids, until they are named."""
    return [RecordName(id=number, name=f"tax {number}") for number in ids or ()] or None


def with_taxes(odoo: Odoo, lines: Sequence[TaxedT], acts_on: str) -> list[TaxedT]:
    """Return lines with the names of their taxes; no round trip where there are none.

    A tax that this user cannot read keeps its number.
    """
    ids = sorted({tax.id for line in lines for tax in line.taxes or ()})
    if not ids:
        return list(lines)
    try:
        rows = op.read_rows(
            odoo, "account.tax", [["id", "in", ids]], ["display_name"], acts_on=acts_on
        )
    except OdooError:
        return list(lines)
    named = {row["id"]: RecordName(id=row["id"], name=row["display_name"]) for row in rows}
    changed: list[Any] = [
        [named.get(tax.id, tax) for tax in line.taxes or ()] or None for line in lines
    ]
    return [
        cast(TaxedT, attrs.evolve(cast(Any, line), taxes=taxes))
        for line, taxes in zip(lines, changed, strict=True)
    ]


@attrs.frozen(kw_only=True)
class OpenCredit(op.Shown):
    """A payment or credit note that is still open, and that you can apply to an invoice.

    Attributes:
        line_id: Id of the open journal item.
        amount: Open amount, in its currency.
    """

    line_id: int
    name: str
    date: str
    amount: float
    currency: str | None = None


@attrs.frozen(kw_only=True)
class Settlement(op.Shown):
    """A payment, credit note or other entry that has paid a part of an invoice.

    Attributes:
        name: Number of the journal entry.
        amount: Amount in the invoice's currency.
    """

    move_id: int
    name: str
    date: str | None = None
    amount: float


@attrs.frozen(kw_only=True)
class Invoice(op.Shown):
    """An invoice, bill, credit note or refund as it is in Odoo.

    Attributes:
        name: Number of the invoice. None for a draft without a number.
        url: Address of the invoice in Odoo's web client.
        state: ``draft``, ``posted`` or ``cancel``. None only if the state could not be read.
        date: Accounting date.
        amount_residual: Unpaid amount.
        lines, payments, open_credits: Set by :func:`get_invoice`: the lines, the payments and
            credit notes that were applied, and open ones of the partner that ``reconcile`` can
            apply.
        message: The change, after a change.
    """

    id: int
    name: str | None = None
    url: str | None = None
    state: str | None = None
    move_type: str | None = None
    payment_state: str | None = None
    partner: RecordName | None = None
    journal: RecordName | None = None
    ref: str | None = None
    invoice_origin: str | None = None
    invoice_date: str | None = None
    invoice_date_due: str | None = None
    payment_term: RecordName | None = None
    date: str | None = None
    currency: str | None = None
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    amount_residual: float | None = None
    line_count: int | None = None
    lines: list[InvoiceLine] | None = None
    payments: list[Settlement] | None = None
    open_credits: list[OpenCredit] | None = None
    message: str = ""
    warnings: list[str] = attrs.Factory(list)

    @property
    def posted(self) -> bool:
        """Whether it is posted, as read back."""
        return self.state == "posted"


def due_by_itself(date: str | None, due: str | None, term: Any) -> list[str]:
    """Warn of the day that Odoo 16 and later take without a due date and terms of payment."""
    if term or not date or not due or due <= date:
        return []
    return [f"Without due_date and payment terms, Odoo set the due date to {due}."]


def invoice_result(
    odoo: Odoo,
    done: op.Done,
    verb: str,
    *,
    posting: bool,
    date: str | None = None,
    due: bool = True,
) -> Invoice:
    """Return the invoice as it is after a change, see :func:`move_result`.

    ``date`` is the accounting date that it was to have, and ``due`` whether it was to be due on a
    certain day.
    """
    made, row = move_result(odoo, INVOICE, Invoice, done, verb, posting=posting)
    made = attrs.evolve(made, payment_term=row.get("invoice_payment_term_id"))
    if not due:
        told = due_by_itself(made.invoice_date, made.invoice_date_due, made.payment_term)
        done.warnings.extend(told)
    day, booked = date or row.get("invoice_date"), row.get("date")
    if (date or (posting and made.posted)) and day and booked and booked != day:
        # A bill of an earlier month may be booked at its end, without any lock.
        why = ": check the lock dates" if date or kind_of(row["move_type"]) == "sale" else ""
        done.warnings.append(f"Odoo booked it on {booked}, not {day}{why}.")
    return made


def move_result(
    odoo: Odoo, document: op.Document, result: type[T], done: op.Done, verb: str, *, posting: bool
) -> tuple[T, op.Row]:
    """Return an invoice or entry as it is after a change; never fails, for the change is made.

    Args:
        odoo: the connection.
        document: what it is.
        result: an attrs class with ``id``, ``name``, ``currency``, ``message`` and ``warnings``.
        done: what was done.
        verb: what it is called: Created or Posted.
        posting: whether it was to be posted.

    Returns:
        The result, and the row that it is made of, which is empty if it could not be read back.
    """
    row = op.read_back(odoo, document, done.id, done.warnings)
    if row is None:
        also = " and posted" if posting and done.complete and verb == "Created" else ""
        told: dict[str, Any] = {
            "id": done.id,
            "message": f"{verb}{also} account.move {done.id}. Its state is unknown.",
            "warnings": done.warnings,
        }
        return result(**told), {}
    posted = row["state"] == "posted"
    if posting and done.complete and not posted:
        done.warnings.append(
            f"Odoo accepted the posting, but the document is in state {row['state']}."
        )
    also = " and posted" if posted and verb == "Created" else ""
    total = op.money(row["amount_total"], op.currency_of(row))
    made = op.filled(
        result,
        row,
        name=number_of(row),
        currency=op.currency_of(row),
        message=f"{verb}{also} {called(row)}: {total}",
        warnings=done.warnings,
    )
    return made, row


def number_of(row: Mapping[str, Any]) -> str | None:
    """Return the number of a row of ``account.move``, if it has one."""
    # Without, it is called "/" to 17 and nothing from 18 on.
    return None if row["name"] in (None, "/") else str(row["name"])


def number_in(shown: str) -> str:
    """Return the number in what Odoo calls a posted document: its reference may follow it."""
    return shown.partition(" (")[0]


def called(row: Mapping[str, Any]) -> str:
    """Return how a row of ``account.move`` is called: by its number, or as Odoo shows a draft."""
    nameless = f"without number (id {row['id']})"
    return number_of(row) or (str(row["display_name"]) if row["state"] == "draft" else nameless)


def previewed(odoo: Odoo, row: op.Row, **more: Any) -> op.PlannedDocument:
    """Return an invoice as it stands, with its lines, for a plan; 2 round trips."""
    return op.read_document(odoo, LAYOUT, row, **_told(row), **more)


def summed_up(odoo: Odoo, row: op.Row, **more: Any) -> op.PlannedDocument:
    """Return an invoice as it stands, without its lines, for a plan; no round trip."""
    return op.summary(odoo, LAYOUT, row, **_told(row), **more)


def _told(row: op.Row) -> dict[str, Any]:
    posted = row.get("state") == "posted"
    return {"name": called(row), "amount_due": row.get("amount_residual") if posted else None}


def planned_invoice(odoo: Odoo, values: Mapping[str, Any], **more: Any) -> op.PlannedDocument:
    """Return an invoice that does not exist as Odoo would create it, for a plan."""
    # 15's form knows another day for bills than ``create`` takes there.
    own = values["invoice_date"] if odoo.version.major < COMPUTES else None
    if day := values.get("date", own):
        more["accounting_date"] = day
    return op.new_document(odoo, LAYOUT, values, name=NEW[values["move_type"]], **more)


def kind_of(move_type: str) -> str:
    """Return the type of the journals and taxes of an invoice: sale or purchase."""
    return "sale" if move_type.startswith("out_") else "purchase"


def of_companies(odoo: Odoo, company: int) -> tuple[str, str, list[int]]:
    """Return what the accounts that a company can use match."""
    # From 18 on an account can be of several companies.
    fields = odoo.schema.fields("account.account")
    field = "company_ids" if "company_ids" in fields else "company_id"
    return (field, "in", op.usable_companies(odoo, company, INVOICE.model))


def pick_journal(odoo: Odoo, journal: op.NameOrId, types: Sequence[str], company: int) -> op.Row:
    """Return the journal asked for after checking it, or the company's first of these types.

    Raises:
        AmbiguousNameError: a name matches several.
        NotFoundError: there is no such journal.
        ValidationError: it is another company's or of another type, or there is none.
    """
    companies = op.usable_companies(odoo, company, INVOICE.model)
    named = (*JOURNAL.domain, ("company_id", "in", companies))
    wanted = op.Wanted.of(JOURNAL.model, journal, "journal_id", named)
    journal_id = op.resolve(odoo, wanted, required=False)
    asked = [["id", "=", journal_id]] if journal_id is not None else []
    domain = [*JOURNAL.domain, *asked, ["type", "in", types], ["company_id", "in", companies]]
    # One that somebody named must be open to them; the company's own is part of the invoice.
    acts_on = None if asked else INVOICE.model
    if rows := op.read_rows(odoo, JOURNAL.model, domain, JOURNAL.fields, acts_on=acts_on, limit=1):
        return rows[0]
    if journal_id is None:
        raise invalid(
            "journal_id",
            f"The company has no journal with type {' or '.join(types)}.",
            "Give journal_id.",
        )
    row = op.read(odoo, JOURNAL, journal_id)
    if row["type"] not in types:
        raise invalid(
            "journal_id",
            f"The journal {row['name']} has type {row['type']}, but this "
            f"document needs {' or '.join(types)}.",
            "Pass another journal_id, or omit journal_id.",
            type=row["type"],
            allowed=list(types),
        )
    raise invalid(
        "journal_id",
        f"The journal {row['name']} belongs to the company {row['company_id'].name}, but this "
        f"document belongs to {company}.",
        "Pass a journal of that company, or connect for the other company (company_id).",
        company_id=row["company_id"].id,
    )


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
    found, (row,) = op.gather(
        lambda: op.read_rows(odoo, _CURRENCY, [["name", "=", code]], ("name", "active"), limit=1),
        lambda: op.read_rows(
            odoo, "res.company", [["id", "=", company.id]], ["currency_id"], acts_on=INVOICE.model
        ),
    )
    details = {"field": "currency", "model": _CURRENCY}
    if not found:
        raise NotFoundError(
            f"There is no currency {code[:60]!r}.",
            suggestion="Pass a currency code, such as EUR or USD.",
            details=details,
        )
    currency, home = RecordName(id=found[0]["id"], name=found[0]["name"]), row["currency_id"]
    if currency == own:
        return currency
    if not found[0]["active"]:
        raise ValidationError(
            f"The currency {currency.name} is not active in Odoo.",
            suggestion="Activate the currency in Odoo and enter its exchange rates.",
            details=details,
        )
    foreign = [each for each in (currency, own) if each != home]
    rates = op.side_by_side([partial(_rate, odoo, c, company, day) for c in (home, *foreign)])
    for each, rate in zip(foreign, rates[1:], strict=True):
        # What has no rate counts as 1. That may be meant only where the company's has another.
        if rate is None and rates[0] in (None, 1.0):
            raise ValidationError(
                f"There is no exchange rate for {each.name} on or before {day}: Odoo would count"
                f" 1 {each.name} as 1 {home.name}.",
                suggestion="Enter the rate in Odoo first.",
                details=details,
            )
    return currency


def _rate(odoo: Odoo, currency: RecordName, company: RecordName, day: str) -> float | None:
    companies = op.usable_companies(odoo, company.id, INVOICE.model)
    domain = [
        ["currency_id", "=", currency.id],
        ["company_id", "in", [False, *companies]],
        ["name", "<=", day],
    ]
    rows = op.read_rows(
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
    return " and ".join(op.money(total, currency) for currency, total in sums.items())
