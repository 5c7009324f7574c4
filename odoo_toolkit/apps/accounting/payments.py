"""A function that pays invoices and bills through Odoo's wizard."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Gt, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, lock_warnings
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    by_currency,
    called,
    currency_called,
    of_companies,
    pick_journal,
    summed_up,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError, invalid, make_error
from odoo_toolkit.records.results import RecordName

_INVOICES = attrs.evolve(INVOICE, argument="invoice_ids")

#: What the state of 18 and later means.
_IN_PROCESS = (
    " in_process: no bank line is matched with it yet. It becomes paid once one is, or once its"
    " invoices are fully paid."
)

#: What Odoo says a payment has paid; payments that are not booked say so from 18 on, too.
_PAID = ("reconciled_invoice_ids", "reconciled_bill_ids")


@attrs.frozen(kw_only=True)
class Payment(op.Shown):
    """A payment.

    Its state is posted on Odoo 17 and earlier, and in_process or paid on Odoo 18 and later. If it
    is in_process, ``message`` says when it becomes paid.

    Attributes:
        entry: Journal entry. None if Odoo posted none, or the policy hides it.
    """

    id: int
    name: str | None = None
    state: str | None = None
    amount: float | None = None
    currency: str | None = None
    entry: RecordName | None = None


@attrs.frozen(kw_only=True)
class PaidInvoice(op.Shown):
    """An invoice after the payment. ``payment_state`` is partial, in_payment or paid."""

    id: int
    name: str
    payment_state: str
    amount_residual: float
    currency: str | None


@attrs.frozen(kw_only=True)
class PaymentResult(op.Shown):
    """The payments that were registered, and the invoices after them."""

    payments: list[Payment]
    invoices: list[PaidInvoice]
    message: str
    warnings: list[str] = attrs.Factory(list)


@op.operation
def register_payment(
    odoo: Odoo,
    *,
    invoice_ids: Annotated[
        Sequence[op.IdOrName],
        Len(1, 100),
        Doc("Posted invoices or bills: id, number or reference."),
    ],
    amount: Annotated[
        float | None,
        Gt(0),
        Doc("Default: the amount due. For several invoices: one payment for all."),
    ] = None,
    currency: Annotated[str | None, Doc("Default: the invoices'.")] = None,
    journal_id: Annotated[op.NameOrId, Doc("Default: the first bank journal.")] = None,
    payment_date: Annotated[str | None, Doc("Default: today.")] = None,
    payment_method: Annotated[str, Doc("Name of the journal's payment method.")] = "manual",
    writeoff_account: Annotated[
        str | None, Doc("Account for the difference, by name or code.")
    ] = None,
    writeoff_label: Annotated[str | None, Doc("Text of the write-off entry.")] = None,
    dry_run: op.DryRun = False,
) -> PaymentResult | op.Plan:
    """Register the payment of posted invoices or bills.

    >>> paid = register_payment(odoo, invoice_ids=["INV/1"], amount=100)
    >>> [(invoice.name, invoice.amount_residual) for invoice in paid.invoices]
    [('INV/1', 15.0)]

    The invoices must be unpaid. Pay customer invoices and vendor refunds together, or bills and
    customer credit notes. Each invoice gets its own payment. With an ``amount``, all invoices get
    one payment. They must then have the same partner and currency.

    Without an ``amount``, Odoo's wizard proposes it: the amount due, minus an early payment
    discount. All instalments are paid. In another currency, Odoo 18 and later pay only the next
    instalment.

    ``currency`` is the currency of the payment and of ``amount``. If you pass neither for one
    invoice, the currency of the journal is used if it has one. Odoo converts at the rate of the
    payment date. Odoo 14 and 15 convert an amount due in a foreign currency at the rate of the
    invoice date.

    ``payment_method`` is a code such as ``manual``, available in the journal. With
    ``writeoff_account``, the difference between ``amount`` and the amount due is booked there, and
    nothing stays open.

    It takes 8 requests, 1 more for a write-off or a past date, and 4 or 5 more in another currency.

    Raises:
        StateError: An invoice is a draft, cancelled or paid. Odoo 18 and 19 would accept a draft.
        ValidationError: The invoices can't be paid together, the journal or method does not fit, or
            Odoo has no exchange rate.
        NotFoundError: An invoice, journal or currency does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    wanted = op.wanted_each(INVOICE.model, invoice_ids, "invoice_ids", INVOICE.domain)
    ids: list[int] = []
    started = time.time()
    values: dict[str, Any] = {}

    def seen(odoo: Odoo, _: int) -> list[int]:
        domain = [["journal_id", "=", values["journal_id"]]]
        payments = op.read_new(
            odoo, "account.payment", domain, _PAID, since=started, acts_on=INVOICE.model
        )
        return [
            payment["id"]
            for payment in payments
            if not set(ids).isdisjoint([n for field in _PAID for n in payment[field] or ()])
        ]

    pay = op.WizardStep(
        model=INVOICE.model,
        wizard="account.payment.register",
        says="Payment registered",
        seen=seen,
        makes="many" if amount is None else "one",
    )
    op.permit(odoo, pay, dry_run=dry_run)
    if amount is not None:
        amount = op.checked_number(amount, "amount", positive=True)
    if not wanted:
        raise ValidationError(
            "The list of invoices is empty.", suggestion="Pass their ids or numbers."
        )
    ids += dict.fromkeys(op.find_ids(odoo, INVOICE, wanted))
    if writeoff_label is not None and writeoff_account is None:
        raise invalid(
            "writeoff_account",
            "writeoff_label is set without writeoff_account, so the rest would stay open.",
            "Set writeoff_account, or omit writeoff_label.",
        )
    if writeoff_account is not None and (amount is None or len(ids) > 1):
        raise invalid(
            "writeoff_account",
            "A write-off needs exactly one invoice and the amount paid.",
            "Set amount, and pay each invoice in a separate call.",
        )
    values["payment_date"] = op.checked_day(payment_date, "payment_date") or op.today(odoo)
    rows = op.read_all(odoo, _INVOICES, ids)
    inbound = _check_payable(rows)
    own = rows[0]["currency_id"] if amount is None else _one_currency(rows)
    if currency is not None and amount is None and len(ids) > 1:
        raise invalid(
            "currency",
            "Without an amount, each of several invoices is paid in its own currency.",
            "Set amount, or pay each invoice in a separate call.",
        )
    company, day = rows[0]["company_id"], values["payment_date"]
    named = currency_called(odoo, currency, own, company, day) if currency is not None else None
    if amount is not None:
        values |= {"amount": amount, "currency_id": (named or own).id}
        values |= {"group_payment": True} if len(ids) > 1 else {}
    elif named is not None:
        values["currency_id"] = named.id
    if writeoff_account is not None:
        label = {"writeoff_label": writeoff_label} if writeoff_label is not None else {}
        account = _writeoff_account(odoo, writeoff_account, company.id)
        values |= {"payment_difference_handling": "reconcile", "writeoff_account_id": account}
        values |= label
    types = ("bank",) if journal_id is None else ("bank", "cash", "credit")
    journal = pick_journal(odoo, journal_id, types, company.id)
    values["journal_id"] = journal["id"]
    values |= _payment_method(odoo, journal, payment_method, inbound)
    # The wizard proposes to pay a single invoice in the journal's currency.
    proposed = journal["currency_id"] if amount is None and len(ids) == 1 else None
    paid_in = named or proposed or own
    foreign = paid_in != own
    due = round(sum(row["amount_residual"] for row in rows), 6)
    in_parts = "installments_mode" in odoo.schema.fields(pay.wizard)
    if in_parts and amount is None and not foreign:
        # From 18 on Odoo proposes the next instalment only; grouped, it would pay that alone.
        values |= {"installments_mode": "full", "group_payment": False}
    # What is paid in full is refused the next time; what is paid in part is not.
    parts = in_parts and foreign and any(row["invoice_payment_term_id"] for row in rows)
    enough = amount is not None and not foreign and amount >= due
    full = not parts if amount is None else writeoff_account is not None or enough

    def result(done: op.Done) -> PaymentResult:
        if amount is not None and amount > due and not foreign and writeoff_account is None:
            more = by_currency([(amount - due, own.name)])
            done.warnings.append(
                f"The amount exceeds the amount due by {more}. The excess stays open as a credit."
            )
        writes_off = writeoff_account is not None
        made = _payment_result(odoo, ids, done, day, foreign=foreign, writes_off=writes_off)
        if parts and amount is None and any(row.amount_residual for row in made.invoices):
            made.warnings.append(
                "In another currency, Odoo pays only the next instalment. To pay more, set amount."
            )
        return made

    notes = [f"Paid on {day} by {journal['name']}."]
    if writeoff_account is not None:
        notes.append(f"The difference is written off to {writeoff_account}.")
    if amount is None:
        notes.append("Odoo proposes the amount: the amount due, less any early payment discount.")
    owed = by_currency((row["amount_residual"], op.currency_of(row)) for row in rows)
    shown = by_currency([(amount, paid_in.name)]) if amount is not None else owed
    if foreign:
        shown = f"{owed}, paid in {paid_in.name}," if amount is None else f"{shown} ({owed} is due)"
    return op.operate(
        odoo,
        [attrs.evolve(pay, values=values, safe=full)],
        ids,
        result,
        message=f"Would register {shown} for {', '.join(map(called, rows))}.",
        dry_run=dry_run,
        preview=lambda: [summed_up(odoo, row, notes=notes) for row in rows],
        doubts=lambda: lock_warnings(odoo, rows[0]["company_id"].id, day),
    )


def _check_payable(rows: Sequence[op.Row]) -> bool:
    """Refuse what cannot be paid, or not together; return whether the money comes in."""
    for row in rows:
        problem, todo = None, "Omit this document."
        if row["state"] == "draft":
            problem, todo = "is not posted", "Post it first with post_invoice."
        elif row["state"] != "posted":
            problem = "is cancelled"
        elif row["payment_state"] in ("paid", "in_payment", "reversed"):
            problem = f"is {row['payment_state'].replace('_', ' ')}"
        elif not row["amount_residual"]:
            problem = "has nothing left to pay"
        if problem:
            message = f"{called(row)} {problem}: no payment was registered."
            told = {"payment_state": row["payment_state"]}
            raise op.state_error(INVOICE, row, message, todo, **told)
    directions = {row["move_type"] in ("out_invoice", "in_refund") for row in rows}
    if len(directions) > 1:
        raise ValidationError(
            "Some of these documents are incoming payments and some are outgoing.",
            suggestion="Pay invoices separately from bills and credit notes.",
        )
    if len({row["company_id"].id for row in rows}) > 1:
        raise ValidationError(
            "These invoices belong to different companies.",
            suggestion="Pay each company's invoices separately.",
        )
    return directions.pop()


def _writeoff_account(odoo: Odoo, account: str, company: int) -> int:
    wanted = op.Wanted(
        model="account.account",
        field="writeoff_account",
        name=account,
        domain=(of_companies(odoo, company),),
    )
    found = op.resolve(odoo, wanted)
    assert found is not None  # noqa: S101 - it is required
    return found


def _one_currency(rows: Sequence[op.Row]) -> RecordName:
    partners = {row["commercial_partner_id"] for row in rows}
    currencies: set[RecordName] = {row["currency_id"] for row in rows}
    if len(partners) > 1 or len(currencies) > 1:
        raise invalid(
            "amount",
            "amount is only possible for invoices of one partner in one currency.",
            "Omit amount to pay each invoice in full, or pay them in separate calls.",
        )
    return currencies.pop()


def _payment_method(odoo: Odoo, journal: op.Row, code: str, inbound: bool) -> dict[str, int]:
    """Return the wizard's value for a payment method: Odoo 14 has methods, 15 lines of them."""
    direction = "inbound" if inbound else "outbound"
    available = journal[f"{direction}_payment_method_ids"]
    if available is None:
        model, field = "account.payment.method.line", "payment_method_line_id"
        domain = [["journal_id", "=", journal["id"]], ["payment_type", "=", direction]]
    else:
        model, field = "account.payment.method", "payment_method_id"
        domain = [["id", "in", available]]
    rows = op.read_rows(odoo, model, domain, ["code"], acts_on=INVOICE.model)
    for row in rows:
        if row["code"] == code:
            return {field: row["id"]}
    codes = sorted({row["code"] for row in rows if row["code"]})
    raise make_error(
        "INVALID_SELECTION",
        f"The journal {journal['name']} has no {direction} payment method {str(code)[:60]!r}.",
        suggestion=f"Choose {' or '.join([*codes, 'another journal'])}.",
        details={"field": "payment_method", "allowed": codes},
    )


def _payment_result(
    odoo: Odoo, ids: list[int], done: op.Done, day: str, *, foreign: bool, writes_off: bool
) -> PaymentResult:
    made = done.answers[0]
    fields = ("name", "state", "amount", "currency_id", "is_reconciled", "move_id")
    domain = [["id", "in", made]]

    def read_payments() -> list[op.Row]:
        if not made:
            return []
        return op.read_rows(
            odoo, "account.payment", domain, fields, acts_on=INVOICE.model, order="id"
        )

    def read_moved() -> list[op.Row]:
        # Only the past can be locked; from 18 on, a payment itself keeps its date.
        if not made or day >= op.today(odoo):
            return []
        moved = [["payment_id", "in", made], ["date", "!=", day]]
        return op.read_rows(odoo, ITEM, moved, ["date"], acts_on=INVOICE.model, limit=1)

    asked = [read_payments, lambda: op.read_all(odoo, _INVOICES, ids), read_moved]
    try:
        payments, rows, moved = op.side_by_side(asked)
    except OdooError as error:
        done.warnings.append(f"The payment cannot be read back: {error.message}")
        return PaymentResult(
            payments=[Payment(id=number) for number in made],
            invoices=[],
            message="The payment was registered.",
            warnings=done.warnings,
        )
    left = by_currency(
        (r["amount_residual"], op.currency_of(r)) for r in rows if r["amount_residual"]
    )
    told = f" {left} is still due." if left else " Nothing is left to pay."
    if unbooked := _without_entry(odoo, payments):
        told = ""  # the amounts due have not changed yet
        done.warnings.append(
            f"Odoo posted no journal entry for {unbooked}. The amount due stays the same until you "
            "match the payment with a bank line."
        )
        if writes_off:
            done.warnings.append("Without a journal entry, Odoo books no write-off.")
    if moved:
        booked = moved[0]["date"]
        done.warnings.append(f"Odoo booked it on {booked}, not {day}: check the lock dates.")
    if foreign and not left and any(row["is_reconciled"] is False for row in payments):
        done.warnings.append("The payment exceeds the amount due. The rest stays open as a credit.")
    total = by_currency((row["amount"], op.currency_of(row)) for row in payments)
    waits = _IN_PROCESS if any(row["state"] == "in_process" for row in payments) else ""
    return PaymentResult(
        payments=[
            op.filled(Payment, row, currency=op.currency_of(row), entry=row.get("move_id"))
            for row in payments
        ],
        invoices=[
            op.filled(PaidInvoice, row, name=called(row), currency=op.currency_of(row))
            for row in rows
        ],
        message=f"Registered {total or 'a payment'} on {day}.{told}{waits}",
        warnings=done.warnings,
    )


def _without_entry(odoo: Odoo, payments: Sequence[op.Row]) -> str:
    """Name the payments that have no journal entry; none if the policy hides the entries."""
    if "move_id" not in odoo.policy.readable_fields("account.payment", odoo.schema.fields):
        return ""
    return ", ".join(str(row["name"] or row["id"]) for row in payments if not row["move_id"])
