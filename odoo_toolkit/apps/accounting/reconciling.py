"""A function that applies open payments and credit notes to an invoice, or takes them off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, of_type
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    Invoice,
    InvoiceId,
    InvoiceName,
    OpenCredit,
    Settlement,
    called,
    invoice_result,
    number_in,
    summed_up,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.records.results import RecordName

#: Kinds of accounts on which partners owe or are owed.
PARTNERS = ("receivable", "payable")

_PARTIAL = "account.partial.reconcile"
_OPEN = ("move_id", "account_id", "date", "partner_id", "amount_residual", "currency_id")
_OPEN_FIELDS = (*_OPEN, "amount_residual_currency", "date_maturity", "name")
_EXCHANGE = "exchange_move_id"
_SIDES = ("debit", "credit")

ASSIGN = op.Step(
    model=INVOICE.model,
    method="js_assign_outstanding_line",
    says="Reconciled",
    fails="It is not reconciled with the invoice",
)
REMOVE = op.Step(
    model=INVOICE.model,
    method="js_remove_outstanding_partial",
    says="Taken off",
    fails="The rest is still reconciled",
)


def settled_with(line_id: int) -> op.Seen:
    """Return what sees that a document is reconciled with a journal item of another one."""

    def seen(odoo: Odoo, move: int) -> bool | None:
        either = [
            "|",
            *("&", ["debit_move_id", "=", line_id], ["credit_move_id.move_id", "=", move]),
            *("&", ["credit_move_id", "=", line_id], ["debit_move_id.move_id", "=", move]),
        ]
        return bool(op.read_rows(odoo, _PARTIAL, either, ["id"], acts_on=INVOICE.model)) or None

    return seen


def assign(line_id: int) -> op.Step:
    """Return the step that reconciles a document with an open journal item of another one."""
    return attrs.evolve(ASSIGN, arguments={"line_id": line_id}, seen=settled_with(line_id))


def remove(partial_id: int, line_id: int | None = None) -> op.Step:
    """Return the step that takes back what reconciles a document with a journal item.

    Args:
        partial_id: what reconciles them.
        line_id: the item, for the journal.
    """

    def seen(odoo: Odoo, _: int) -> bool | None:
        rows = op.read_rows(
            odoo, _PARTIAL, [["id", "=", partial_id]], ["id"], acts_on=INVOICE.model
        )
        return None if rows else True

    before = {0: {"line_id": line_id}} if line_id is not None else None
    return attrs.evolve(REMOVE, arguments={"partial_id": partial_id}, seen=seen, before=before)


def open_lines(odoo: Odoo, row: op.Row) -> list[op.Row]:
    """Return what is open of an invoice, on its receivable or payable account."""
    domain = [["move_id", "=", row["id"]], ["reconciled", "=", False], of_type(odoo, *PARTNERS)]
    return op.read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="id")


def open_credits(odoo: Odoo, row: op.Row) -> list[op.Row]:
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
    return op.read_rows(odoo, ITEM, domain, _OPEN_FIELDS, acts_on=INVOICE.model, order="date, id")


def told(found: Sequence[op.Row], accounts: set[int]) -> list[OpenCredit]:
    """Return the open items as results, of the accounts that the invoice is booked on."""
    return [
        OpenCredit(
            line_id=credit["id"],
            name=number_in(str(credit["move_id"].name)),
            date=credit["date"],
            amount=abs(credit["amount_residual_currency"] or credit["amount_residual"]),
            currency=op.currency_of(credit),
        )
        for credit in found
        if credit["account_id"].id in accounts
    ]


def partials_of(odoo: Odoo, row: op.Row) -> list[op.Row]:
    """Return what an invoice is reconciled by; one round trip."""
    fields = [f"{side}_{name}" for side in _SIDES for name in ("move_id", "amount_currency")]
    domain = ["|", *([f"{side}_move_id.move_id", "=", row["id"]] for side in _SIDES)]
    fields += [_EXCHANGE, "full_reconcile_id"]
    return op.read_rows(odoo, _PARTIAL, domain, fields, acts_on=INVOICE.model, order="id")


def with_items(
    odoo: Odoo, row: op.Row, partials: Sequence[op.Row]
) -> list[tuple[op.Row, op.Row | None, float]]:
    """Return what an invoice is reconciled with; one round trip, none where it is with nothing.

    Returns:
        Of each: what links them, the journal item of the other document (None where this user,
        such as a salesperson, may not see it), and how much of the invoice it has settled, in the
        invoice's currency.
    """
    if not partials:
        return []
    ids = {partial[f"{side}_move_id"].id for partial in partials for side in _SIDES}
    items, exchange = op.gather(
        lambda: op.read_rows(
            odoo, ITEM, [["id", "in", sorted(ids)]], ("move_id", "date"), acts_on=INVOICE.model
        ),
        lambda: _exchange_moves(odoo, partials),
    )
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


def _exchange_moves(odoo: Odoo, partials: Sequence[op.Row]) -> set[int]:
    """Return the entries by which Odoo has booked differences of exchange rates."""
    links = [partial[_EXCHANGE] for partial in partials]
    # To 15 it is a field of what is settled in full.
    if _EXCHANGE not in odoo.schema.fields(_PARTIAL):
        full = [partial["full_reconcile_id"] for partial in partials]
        if ids := sorted({link.id for link in full if link}):
            domain = [["id", "in", ids]]
            model = "account.full.reconcile"
            rows = op.read_rows(odoo, model, domain, [_EXCHANGE], acts_on=INVOICE.model)
            links = [row[_EXCHANGE] for row in rows]
    return {link.id for link in links if link}


def settlements(
    odoo: Odoo, row: op.Row, partials: Sequence[op.Row]
) -> tuple[list[Settlement], list[str]]:
    """Return what has paid an invoice, with a warning where this user cannot see all of it.

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
    total = op.money(sum(hidden), op.currency_of(row))
    warning = (
        f"This user cannot see all open items, or the records that paid {total} of this document."
    )
    return seen, [warning] if hidden else []


@op.operation
def reconcile(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_id: Annotated[int | None, Doc("Id from open_credits.")] = None,
    credit_name: Annotated[str | None, Doc("Number of the credit.")] = None,
    undo: Annotated[Literal["one", "all"] | None, Doc("Remove one credit, or all.")] = None,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Apply an open payment or credit note to a posted invoice or bill, or take it off again.

    >>> reconcile(odoo, invoice_name="INV/1", credit_name="RINV/9").name
    'INV/1'

    Without ``line_id`` and ``credit_name``, the toolkit uses the only open item. ``undo="one"``
    takes off the item you name, or the only one on the invoice. ``undo="all"`` takes off every
    item. The invoice is open again then, and Odoo reverses its entries for exchange rates and cash
    basis taxes.

    It takes 5 requests. Taking items off needs one more for each further instalment or document,
    and up to 15 if the invoice was paid in full.

    Raises:
        StateError: The invoice is not posted, is fully paid, or has nothing to take off.
        AmbiguousNameError: Several items match. The matches are journal items.
        NotFoundError: No open item of this partner matches. Odoo itself would accept any
            customer's.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, REMOVE if undo else ASSIGN, dry_run=dry_run)
    if undo is not None:
        op.check_choice(undo, ("one", "all"), "undo", "undo cannot be {}.")
    if line_id is not None and credit_name is not None:
        raise ValidationError("Pass either line_id or credit_name.")
    if undo == "all" and (line_id is not None or credit_name is not None):
        raise ValidationError(
            "undo='all' removes every credit. Omit line_id and credit_name, or pass undo='one'."
        )
    row = op.find(odoo, INVOICE, invoice_id, invoice_name)
    name = called(row)
    if undo:
        steps, chosen = _taking_off(odoo, row, line_id, credit_name, everything=undo == "all")
    else:
        steps, chosen = _applying(odoo, row, line_id, credit_name)
    names = ", ".join(credit.name for credit in chosen)
    amounts = ", ".join(map(_shown, chosen))

    def result(done: op.Done) -> Invoice:
        made = invoice_result(odoo, done, "Reconciled", posting=False)
        if made.amount_residual is None:
            return made
        some = "" if done.complete else "only a part of "
        did = f"Took {some}{names} off {name}" if undo else f"Applied {names} to {name}"
        left = op.money(made.amount_residual, made.currency)
        return attrs.evolve(made, message=f"{did}: {left} is still due.")

    would = f"Would take {amounts} off {name}." if undo else f"Would apply {amounts} to {name}."
    return op.operate(
        odoo,
        steps,
        [row["id"]],
        result,
        message=would,
        dry_run=dry_run,
        preview=lambda: [summed_up(odoo, row)],
    )


def _shown(credit: OpenCredit) -> str:
    return f"{op.money(credit.amount, credit.currency)} of {credit.name}"


def _applying(
    odoo: Odoo, row: op.Row, line_id: int | None, credit_name: str | None
) -> tuple[list[op.Step], list[OpenCredit]]:
    """Return the step that applies what is meant, and that."""
    name = called(row)
    if row["state"] != "posted":
        message = f"{name} is {row['state']}, but only posted documents can be reconciled."
        todo = "Post it first with post_invoice." if row["state"] == "draft" else ""
        raise op.state_error(INVOICE, row, message, todo)
    if not row["amount_residual"]:
        message = f"{name} has no open amount ({row['payment_state']})."
        raise op.state_error(INVOICE, row, message, "Nothing is left to do.")
    own, others = op.gather(
        lambda: open_lines(odoo, row),
        lambda: open_credits(odoo, row),
    )
    found = told(others, {line["account_id"].id for line in own})
    chosen = _chosen(found, line_id, credit_name, name)
    if chosen is None:
        wanted = _said(line_id, credit_name)
        raise _not_found(
            found,
            f"There is no open {wanted} of this partner that applies to {name}, or this user "
            "cannot see it.",
            "Open are: ",
            "Register a payment instead.",
        )
    return [assign(chosen.line_id)], [chosen]


def _taking_off(
    odoo: Odoo, row: op.Row, line_id: int | None, credit_name: str | None, *, everything: bool
) -> tuple[list[op.Step], list[OpenCredit]]:
    """Return the steps that take off what is meant, and that; each document is one of them."""
    name = called(row)
    partials: dict[int, list[int]] = {}
    lines: dict[int, int] = {}
    found: dict[int, OpenCredit] = {}
    for partial, item, amount in with_items(odoo, row, partials_of(odoo, row)):
        if item is None:
            raise AccessError(
                f"This user cannot see everything that is reconciled with {name}.",
                suggestion="Ask a user who has invoicing permissions in Odoo.",
                details={"model": INVOICE.model, "id": row["id"]},
            )
        move = item["move_id"]
        first = found.get(move.id) or OpenCredit(
            line_id=item["id"],
            name=number_in(str(move.name)),
            date=item["date"],
            amount=0.0,
            currency=op.currency_of(row),
        )
        found[move.id] = attrs.evolve(first, amount=first.amount + amount)
        lines[item["id"]] = first.line_id
        # In instalments, one document settles several items of the invoice.
        partials.setdefault(first.line_id, []).append(partial["id"])
    on_it = list(found.values())
    if not on_it:
        paid = row["payment_state"] in ("paid", "in_payment")
        back = "Undo the payment: execute action_draft on account.payment."
        todo = back if paid else "Nothing is left to do."
        message = f"No payment or credit note is reconciled with {name} ({row['state']})."
        raise op.state_error(INVOICE, row, message, todo)
    chosen = on_it
    if not everything:
        line_id = lines.get(line_id, line_id) if line_id is not None else None
        one = _chosen(on_it, line_id, credit_name, name)
        if one is None:
            message = f"{_said(line_id, credit_name)} is not reconciled with {name}."
            raise _not_found(on_it, message, "Reconciled with it: ", "")
        chosen = [one]
    steps = [
        remove(number, credit.line_id) for credit in chosen for number in partials[credit.line_id]
    ]
    return steps, chosen


def _chosen(
    found: Sequence[OpenCredit], line_id: int | None, name: str | None, invoice: str
) -> OpenCredit | None:
    """Return the item that is meant, None where there is none."""
    meant = list(found)
    if line_id is not None:
        meant = [credit for credit in found if credit.line_id == line_id]
    elif name is not None:
        meant = [credit for credit in found if credit.name == str(name).strip()]
    if len(meant) > 1:
        matches = [
            RecordName(id=c.line_id, name=f"{c.name}, {c.date}: {op.money(c.amount, c.currency)}")
            for c in meant
        ]
        raise op.AmbiguousNameError("line_id", invoice, ITEM, matches)
    return meant[0] if meant else None


def _said(line_id: int | None, name: str | None) -> str:
    return str(line_id if line_id is not None else name or "payment or credit note")[:60]


def _not_found(found: Sequence[OpenCredit], message: str, are: str, todo: str) -> NotFoundError:
    listed = ", ".join(f"{credit.name} ({credit.line_id})" for credit in found[:10])
    return NotFoundError(
        message,
        suggestion=f"{are}{listed}." if listed else todo,
        details={"model": ITEM, "field": "line_id", "ids": [c.line_id for c in found[:10]]},
    )
