"""Paying invoices and bills, through Odoo's own wizard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Gt, Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE_TYPES,
    PaidInvoice,
    Payment,
    PaymentResult,
    by_currency,
    currency_of,
    label,
    pick_journal,
    read_moves,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError, ValidationError, make_error
from odoo_toolkit.operations.lines import checked_day, checked_number, today
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.arguments import Ids, checked_ids
from odoo_toolkit.wizards.protocol import run_wizard


def register_payment(
    odoo: Odoo,
    *,
    invoice_ids: Annotated[Ids, Len(1, 100), Doc("Posted invoices, or bills.")],
    amount: Annotated[
        float | None,
        Gt(0),
        Doc("In the invoice's currency; what is due by default. For several: one payment of all."),
    ] = None,
    journal_id: Annotated[int | None, Doc("Default: the company's first bank journal.")] = None,
    payment_date: Annotated[str | None, Doc("YYYY-MM-DD; today by default.")] = None,
    payment_method: Annotated[str, Doc("Code of the method.")] = "manual",
    dry_run: DryRun = False,
) -> PaymentResult | Plan:
    """Register the payment of posted invoices, or of bills; 8 round trips.

    Several invoices get a payment each, unless an amount is given: then one payment for all of
    them, which must be of one partner and currency.

    Args:
        odoo: the connection.
        invoice_ids: posted and unpaid; either customers' invoices and vendors' refunds (money
            comes in) or bills and customers' credit notes (money goes out).
        amount: in the currency of the invoices. By default what Odoo's wizard proposes: what is
            due, less an early payment discount; from 18 on, of instalments the next one.
        journal_id: a bank or cash journal of the invoices' company.
        payment_date: a day; today by default.
        payment_method: a code such as ``manual``, available in the journal.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        StateError: an invoice is a draft (Odoo 18 and 19 would accept it), cancelled or paid.
        ValidationError: they cannot be paid together, or journal or method do not fit.
        NotFoundError: an invoice or journal does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = list(checked_ids(invoice_ids))
    pay = Call(
        model="account.payment.register",
        method="action_create_payments",
        ids=(0,),
        access="write",
        acts_on="account.move",
        step=True,
    )
    odoo.check(pay)
    if amount is not None:
        checked_number(amount, "amount", positive=True)
    day = checked_day(payment_date, "payment_date") or today(odoo)
    moves = read_moves(odoo, ids)
    inbound = _check_payable(moves)
    values: dict[str, Any] = {"payment_date": day}
    if amount is not None:
        values |= {"amount": amount, "currency_id": _one_currency(moves)}
        if len(ids) > 1:
            values["group_payment"] = True
    company = moves[0]["company_id"][0]
    journal = pick_journal(
        odoo,
        journal_id,
        ("bank", "cash", "credit") if journal_id is not None else ("bank",),
        company,
        fields=_method_lists(odoo),
    )
    values["journal_id"] = journal["id"]
    values |= _payment_method(odoo, journal, payment_method, inbound)
    dues = [(move["amount_residual"], currency_of(move)) for move in moves]
    if dry_run:
        shown = by_currency(dues if amount is None else [(amount, currency_of(moves[0]))])
        create = attrs.evolve(pay, method="create", ids=None, arguments={"vals_list": [values]})
        pay = attrs.evolve(pay, ids=("the wizard",))  # type: ignore[arg-type]
        message = f"Would register {shown} for {', '.join(map(label, moves))}."
        return plan(odoo, message, [create, pay])
    outcome = run_wizard(odoo, "account.payment.register", values, source=("account.move", ids))
    warnings = []
    over = 0.0 if amount is None else amount - sum(due for due, _ in dues)
    if over > 0:
        more = by_currency([(over, currency_of(moves[0]))])
        warnings.append(f"The amount is {more} more than was due; that stays open as a credit.")
    return _read_payment(odoo, ids, outcome.action, warnings)


def _check_payable(moves: Sequence[Mapping[str, Any]]) -> bool:
    """Refuse what cannot be paid, or not together; return whether the money comes in."""
    directions = set()
    for move in moves:
        problem = None
        if move["move_type"] not in INVOICE_TYPES:
            problem = ("is no invoice or bill", "Give invoices or bills.")
        elif move["state"] == "draft":
            problem = ("is not posted", "Post it first with odoo_accounting_post_invoice.")
        elif move["state"] != "posted":
            problem = ("is cancelled", "Leave it out.")
        elif move["payment_state"] in ("paid", "in_payment", "reversed"):
            problem = (f"is {move['payment_state'].replace('_', ' ')}", "Leave it out.")
        elif not move["amount_residual"]:
            problem = ("has nothing left to pay", "Leave it out.")
        if problem:
            raise StateError(
                f"{label(move)} {problem[0]}: no payment was registered.",
                suggestion=problem[1],
                details={
                    "model": "account.move",
                    "id": move["id"],
                    "current_state": move["state"],
                    "payment_state": move["payment_state"] or None,
                },
            )
        directions.add(move["move_type"] in ("out_invoice", "in_refund"))
    if len(directions) > 1:
        raise ValidationError(
            "Some of these bring money in and some take it out.",
            suggestion="Pay invoices apart from bills and credit notes.",
        )
    if len({move["company_id"][0] for move in moves}) > 1:
        raise ValidationError(
            "These invoices are of different companies.", suggestion="Pay each company's apart."
        )
    return directions.pop()


def _one_currency(moves: Sequence[Mapping[str, Any]]) -> int:
    partners = {tuple(move["commercial_partner_id"] or ()) for move in moves}
    currencies = {move["currency_id"][0] for move in moves}
    if len(partners) > 1 or len(currencies) > 1:
        raise ValidationError(
            "An amount can be given for the invoices of one partner in one currency only.",
            suggestion="Leave out amount to pay each invoice in full, or pay them one by one.",
            details={"field": "amount"},
        )
    return int(currencies.pop())


def _method_lists(odoo: Odoo) -> tuple[str, ...]:
    """Return the journal's fields that list payment methods, as far as they are needed (14)."""
    if "payment_method_line_id" in odoo.schema.fields("account.payment.register"):
        return ()
    return ("inbound_payment_method_ids", "outbound_payment_method_ids")


def _payment_method(
    odoo: Odoo, journal: Mapping[str, Any], code: str, inbound: bool
) -> dict[str, int]:
    """Return the wizard's value for a payment method: Odoo 14 has methods, 15 lines of them."""
    direction = "inbound" if inbound else "outbound"
    available = journal.get(f"{direction}_payment_method_ids")
    if available is None:
        model, field = "account.payment.method.line", "payment_method_line_id"
        domain = [["journal_id", "=", journal["id"]], ["payment_type", "=", direction]]
    else:
        model, field = "account.payment.method", "payment_method_id"
        domain = [["id", "in", available]]
    rows = odoo.call(
        Call(model=model, method="search_read", arguments={"domain": domain, "fields": ["code"]})
    )
    for row in rows:
        if row["code"] == code:
            return {field: row["id"]}
    codes = sorted({row["code"] for row in rows if row["code"]})
    raise make_error(
        "INVALID_SELECTION",
        f"The journal {journal['name']} has no {direction} payment method {str(code)[:60]!r}.",
        suggestion=f"Choose {' or '.join(codes)}, or another journal."
        if codes
        else "Choose another journal.",
        details={"field": "payment_method", "allowed": codes},
    )


def _read_payment(
    odoo: Odoo, ids: list[int], action: Mapping[str, Any] | None, warnings: list[str]
) -> PaymentResult:
    found: list[int] = []
    if action and action.get("res_id"):
        found = [action["res_id"]]
    elif action:
        found = [
            number
            for leaf in action.get("domain") or ()
            if isinstance(leaf, (list, tuple)) and len(leaf) == 3 and leaf[0] == "id"
            for number in (leaf[2] if isinstance(leaf[2], (list, tuple)) else [leaf[2]])
        ]
    names = ["name", "state", "amount", "currency_id"]

    def read_payments() -> list[dict[str, Any]]:
        if not found:
            return []
        arguments = {"fields": names}
        rows: list[dict[str, Any]] = odoo.call(
            Call(model="account.payment", method="read", ids=tuple(found), arguments=arguments)
        )
        return rows

    try:
        payments, moves = side_by_side([read_payments, lambda: read_moves(odoo, ids)])
    except OdooError as error:
        return PaymentResult(
            payments=[Payment(id=number) for number in found],
            invoices=[],
            message="The payment was registered.",
            warnings=[*warnings, f"It could not be read back: {error.message}"],
        )
    invoices = [
        PaidInvoice(
            id=move["id"],
            name=move["name"],
            payment_state=move["payment_state"],
            amount_residual=move["amount_residual"],
            currency=currency_of(move),
        )
        for move in moves
    ]
    left = by_currency(
        (invoice.amount_residual, invoice.currency)
        for invoice in invoices
        if invoice.amount_residual
    )
    total = by_currency((row["amount"], currency_of(row)) for row in payments)
    if not payments:
        warnings.append("Odoo did not say which payment it made.")
    return PaymentResult(
        payments=[
            Payment(
                id=row["id"],
                name=row["name"] or None,
                state=row["state"],
                amount=row["amount"],
                currency=currency_of(row),
            )
            for row in payments
        ],
        invoices=invoices,
        message=f"Registered {total or 'a payment'};"
        f" {f'{left} is still due' if left else 'nothing is left to pay'}.",
        warnings=warnings,
    )
