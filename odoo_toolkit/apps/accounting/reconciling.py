"""Applying what is open to an invoice, and taking it off again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.books import ITEM
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    Invoice,
    InvoiceId,
    InvoiceName,
    called,
    invoice_result,
    number_in,
)
from odoo_toolkit.apps.accounting.settlement import (
    ASSIGN,
    REMOVE,
    OpenCredit,
    assign,
    open_credits,
    open_lines,
    partials_of,
    remove,
    told,
    with_items,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError, make_error
from odoo_toolkit.operations.documents import Row, currency_of, find, state_error
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.records.results import RecordName


@operation
def reconcile(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_id: Annotated[int | None, Doc("Of open_credits.")] = None,
    credit_name: Annotated[str | None, Doc("Or its number.")] = None,
    undo: Literal["one", "all"] | None = None,
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Apply an open payment or credit note to a posted invoice or bill, or take it off again.

    5 round trips; of what is taken off, one more for each further instalment or document, and to
    15 for what is paid in full.

    Args:
        odoo: the connection.
        invoice_id: the invoice.
        invoice_name: its number instead.
        line_id: the open journal item; by default the only one that there is.
        credit_name: the number of the payment or credit note instead.
        undo: ``one`` takes off what is named, or the only one that is on the invoice; ``all``
            takes off everything. It is open again then, and Odoo takes back what it had booked
            for exchange rates and taxes on payments.
        dry_run: whether to return the plan and write nothing.

    Raises:
        StateError: the invoice is not posted, nothing of it is open, or nothing is on it.
        AmbiguousNameError: several could be meant; its matches are journal items.
        NotFoundError: nothing is open, or not that; Odoo itself would take any customer's.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, REMOVE if undo else ASSIGN, dry_run=dry_run)
    if undo not in (None, "one", "all"):
        raise make_error(
            "INVALID_SELECTION",
            f"{str(undo)[:60]!r} cannot be undone.",
            suggestion="Choose one or all.",
            details={"field": "undo", "allowed": ["one", "all"]},
        )
    if line_id is not None and credit_name is not None:
        raise ValidationError("Give line_id or credit_name, not both.")
    if undo == "all" and (line_id is not None or credit_name is not None):
        raise ValidationError("undo='all' takes off everything: name nothing, or say undo='one'.")
    row = find(odoo, INVOICE, invoice_id, invoice_name)
    name = called(row)
    if undo:
        steps, chosen = _taking_off(odoo, row, line_id, credit_name, everything=undo == "all")
    else:
        steps, chosen = _applying(odoo, row, line_id, credit_name)
    names = ", ".join(credit.name for credit in chosen)
    amounts = ", ".join(map(_shown, chosen))

    def result(done: Done) -> Invoice:
        made = invoice_result(odoo, done, "Reconciled", posting=False)
        if made.amount_residual is None:
            return made
        some = "" if done.complete else "only a part of "
        did = f"Took {some}{names} off {name}" if undo else f"Applied {names} to {name}"
        left = f"{made.amount_residual:.2f} {made.currency or ''}".rstrip()
        return attrs.evolve(made, message=f"{did}: {left} is still due.")

    would = f"Would take {amounts} off {name}." if undo else f"Would apply {amounts} to {name}."
    return operate(odoo, steps, [row["id"]], result, would=would, dry_run=dry_run)


def _shown(credit: OpenCredit) -> str:
    return f"{credit.amount:.2f} {credit.currency or ''} of {credit.name}"


def _applying(
    odoo: Odoo, row: Row, line_id: int | None, credit_name: str | None
) -> tuple[list[Step], list[OpenCredit]]:
    """Return the step that applies what is meant, and that."""
    name = called(row)
    if row["state"] != "posted":
        message = f"{name} is {row['state']}; only what is posted can be reconciled."
        todo = "Post it first with post_invoice." if row["state"] == "draft" else ""
        raise state_error(INVOICE, row, message, todo)
    if not row["amount_residual"]:
        message = f"Nothing of {name} is open ({row['payment_state']})."
        raise state_error(INVOICE, row, message, "Nothing is left to do.")
    both: list[Callable[[], list[Row]]] = [
        lambda: open_lines(odoo, row),
        lambda: open_credits(odoo, row),
    ]
    own, others = side_by_side(both)
    found = told(others, {line["account_id"].id for line in own})
    chosen = _chosen(found, line_id, credit_name, name)
    if chosen is None:
        wanted = _said(line_id, credit_name)
        raise _not_found(
            found,
            f"No open {wanted} of this partner can be applied to {name}, as far as this user sees.",
            "Open are: ",
            "Register a payment instead.",
        )
    return [assign(chosen.line_id)], [chosen]


def _taking_off(
    odoo: Odoo, row: Row, line_id: int | None, credit_name: str | None, *, everything: bool
) -> tuple[list[Step], list[OpenCredit]]:
    """Return the steps that take off what is meant, and that; each document is one of them."""
    name = called(row)
    partials: dict[int, list[int]] = {}
    lines: dict[int, int] = {}
    found: dict[int, OpenCredit] = {}
    for partial, item, amount in with_items(odoo, row, partials_of(odoo, row)):
        if item is None:
            raise AccessError(
                f"This user may not see all that is reconciled with {name}.",
                suggestion="Ask somebody with Odoo's invoicing rights.",
                details={"model": INVOICE.model, "id": row["id"]},
            )
        move = item["move_id"]
        first = found.get(move.id) or OpenCredit(
            line_id=item["id"],
            name=number_in(str(move.name)),
            date=item["date"],
            amount=0.0,
            currency=currency_of(row),
        )
        found[move.id] = attrs.evolve(first, amount=first.amount + amount)
        lines[item["id"]] = first.line_id
        # In instalments, one document settles several items of the invoice.
        partials.setdefault(first.line_id, []).append(partial["id"])
    on_it = list(found.values())
    if not on_it:
        paid = row["payment_state"] in ("paid", "in_payment")
        back = "Take back its payment itself: execute action_draft on account.payment."
        todo = back if paid else "Nothing is left to do."
        message = f"No payment or credit note is reconciled with {name} ({row['state']})."
        raise state_error(INVOICE, row, message, todo)
    chosen = on_it
    if not everything:
        line_id = lines.get(line_id, line_id) if line_id is not None else None
        one = _chosen(on_it, line_id, credit_name, name)
        if one is None:
            message = f"{_said(line_id, credit_name)} is not reconciled with {name}."
            raise _not_found(on_it, message, "Those that are: ", "")
        chosen = [one]
    return [remove(number) for credit in chosen for number in partials[credit.line_id]], chosen


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
            RecordName(id=c.line_id, name=f"{c.name}, {c.date}: {c.amount:.2f} {c.currency or ''}")
            for c in meant
        ]
        raise AmbiguousNameError("line_id", invoice, ITEM, matches)
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
