"""Functions that confirm and cancel purchase orders.

A ``purchase.order`` goes draft or sent -> [button_confirm] -> purchase. If it needs a second
approval, it goes to approve -> [button_approve] -> purchase. The button button_cancel cancels all
of these, and button_draft resets a cancelled one to draft.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.purchase.orders import (
    CONFIRMED,
    LAYOUT,
    ORDER,
    Order,
    OrderId,
    OrderName,
    order_of,
    read_bills,
    read_lines,
    read_receipts,
    readable,
    total_of,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.records.results import RecordName

_GROUP = ("purchase", "group_purchase_manager")
_MOST = 200


def approvers(odoo: Odoo, row: op.Row) -> list[RecordName]:
    """Return who may approve an order: the administrators of Purchase in its company.

    None where this user cannot know; it never fails.
    """
    lookup = op.Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments=dict(zip(("module", "xml_id"), _GROUP, strict=True)),
        access="read",
        internal=True,
    )
    try:
        group = odoo.call(lookup)[1]
        # Groups that another one implies are apart from 19 on.
        fields = odoo.schema.fields("res.users")
        groups = "all_group_ids" if "all_group_ids" in fields else "groups_id"
        domain = [[groups, "in", [group]], ["company_ids", "in", [row["company_id"].id]]]
        users = op.read_rows(
            odoo,
            "res.users",
            domain,
            ["name"],
            acts_on="purchase.order",
            limit=_MOST,
            active_test=True,
        )
    except OdooError:
        return []
    return [RecordName(id=user["id"], name=user["name"]) for user in users]


def who(names: list[RecordName]) -> str:
    """Return how a message calls those who may approve."""
    people = ", ".join(f"{name.name} ({name.id})" for name in names)
    return people or "an administrator of Purchase"


CONFIRM = op.Step(
    model=ORDER.model,
    method="button_confirm",
    says="Order confirmed",
    fails="Not confirmed",
    # The button's own context: from 16 on, mandatory analytic accounts are checked by it.
    context={"validate_analytic": True},
    seen=op.shows(ORDER, state=(*CONFIRMED, "to approve")),
)
APPROVE = op.Step(
    model=ORDER.model,
    method="button_approve",
    says="Order approved",
    seen=op.shows(ORDER, state=CONFIRMED),
)
CANCEL = op.Step(
    model=ORDER.model,
    method="button_cancel",
    says="Order cancelled",
    seen=op.shows(ORDER, state=("cancel",)),
)

#: Lines that a result shows.
_SHOWN = 12

#: Last Odoo version that refuses an order of which anything was ever received, also where all of
#: it was returned; 19 looks at the state only.
_KEEPS_RECEIVED = 18


@op.operation
def confirm_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    approve: Annotated[bool, Doc("Approve an order that waits for a second approval.")] = False,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Confirm a request for quotation. It becomes a purchase order, and Odoo creates its receipt.

    >>> confirm_order(odoo, order_name="P00012").message
    'P00012 confirmed: 50.00 USD'

    If the company wants a second approval, the order may stay in the state ``to approve``. The
    result then lists the people who can approve it. It takes 3 requests, or 5 if an approval is
    necessary.

    Raises:
        StateError: The order is not a request for quotation, has no lines, or waits for an
            approval. See ``details["current_state"]`` and ``details["approvers"]``.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CONFIRM, *([APPROVE] if approve else []), dry_run=dry_run)
    row = op.find(odoo, ORDER, order_id, order_name)
    step = _confirming(odoo, row, approve)
    return op.operate(
        odoo,
        [step],
        [row["id"]],
        lambda done: order_result(odoo, done, created=False, confirming=True),
        message=f"Would {'confirm' if step is CONFIRM else 'approve'} {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [op.read_document(odoo, LAYOUT, row)],
    )


@op.operation
def cancel_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Cancel a request for quotation or purchase order, with its open receipts.

    >>> cancel_order(odoo, order_name="P00012").message
    'P00012 is cancelled.'

    An order that is received or billed is not cancelled, although Odoo 19 would do it. Odoo 18 and
    earlier do not cancel it even if everything was returned. Odoo does not change a draft bill.

    It takes 4 requests.

    Raises:
        StateError: The order is locked, received or billed. The message lists the documents.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CANCEL, dry_run=dry_run)
    row = op.find(odoo, ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return order_of(row, message=f"{name} was already cancelled.")
    receipts = _check_cancellable(odoo, row)
    return op.operate(
        odoo,
        [CANCEL],
        [row["id"]],
        lambda done: _cancel_result(odoo, row, done),
        message=op.would_cancel(name, receipts),
        dry_run=dry_run,
        preview=lambda: [op.read_document(odoo, LAYOUT, row)],
    )


# States ----------------------------------------------------------------------------------------


def _order_error(row: op.Row, message: str, todo: str, **details: Any) -> StateError:
    error = op.state_error(ORDER, row, message, todo)
    error.details.update(details)
    return error


def _confirming(odoo: Odoo, row: op.Row, approve: bool) -> op.Step:
    """Return the step by which an order is confirmed, or refuse its state."""
    name, state = row["name"], row["state"]
    if state == "to approve":
        names = approvers(odoo, row)
        # 14 would let everybody approve.
        if approve and (not names or odoo.uid in [person.id for person in names]):
            return APPROVE
        raise _order_error(
            row,
            f"{name} is confirmed and waits for approval (state to approve) by {who(names)}.",
            "Ask them to approve it. If you are one of them, call confirm_order with approve=True.",
            approvers=[attrs.asdict(person) for person in names],
        )
    if state == "cancel":
        raise _order_error(
            row,
            f"{name} is cancelled (state cancel).",
            "Make it a draft again: execute button_draft on purchase.order, then confirm it.",
        )
    if state not in ("draft", "sent"):
        raise _order_error(
            row,
            f"{name} is already confirmed (state {state}).",
            "Nothing needs to be done; get_order shows its receipts and bills.",
        )
    if not row["order_line"]:
        raise _order_error(
            row,
            f"{name} has no lines, so there is nothing to confirm (state {state}).",
            "Add lines to it first.",
        )
    return CONFIRM


def _check_cancellable(odoo: Odoo, row: op.Row) -> list[str]:
    """Refuse to cancel what is locked, received or billed; return the receipts Odoo cancels."""
    name = row["name"]
    if op.is_locked(row):
        raise _order_error(
            row,
            f"{name} is locked, so it cannot be cancelled.",
            "Unlock it: execute button_unlock on purchase.order, then cancel it.",
        )
    received = [["order_id", "=", row["id"]], ["qty_received", ">", 0]]
    asked: list[Callable[[], list[Any]]] = [
        lambda: read_receipts(odoo, row["id"]),
        lambda: read_bills(odoo, row["id"]) if row["invoice_ids"] else [],
        lambda: op.read_rows(
            odoo, "purchase.order.line", received, ["id"], acts_on=ORDER.model, limit=1
        ),
    ]
    receipts, bills, lines = op.side_by_side(asked)
    keeps = odoo.version.major <= _KEEPS_RECEIVED
    done = [r.name for r in receipts if r.state == "done" and r.type != "outgoing"]
    done = done if lines or keeps else []
    posted = [bill.name for bill in bills if bill.state == "posted"]
    obstacles = [f"its receipt {item} is already done" for item in done]
    obstacles += [f"its bill {item} is already posted" for item in posted]
    if obstacles:
        todo = ["return the receipt with return_picking"] if done else []
        todo += ["cancel the bill with reset_invoice"] if posted else []
        steps = " and ".join(todo)
        suggestion = f"First {steps}, then cancel the order."
        if done and keeps:
            suggestion = f"To undo it, {steps}; the order stays, because up to 18 Odoo does not"
            suggestion += " cancel an order of which anything was received."
        message = f"{name} cannot be cancelled: {', and '.join(obstacles)}."
        raise _order_error(row, message, suggestion)
    return [receipt.name for receipt in receipts if receipt.state not in ("done", "cancel")]


# Results ---------------------------------------------------------------------------------------


def order_result(odoo: Odoo, done: op.Done, *, created: bool, confirming: bool) -> Order:
    verb = "created" if created else "confirmed"
    asked: list[Callable[[], Any]] = [
        lambda: op.read(odoo, ORDER, done.id),
        lambda: read_lines(odoo, done.id, _SHOWN) if created else [],
        lambda: read_receipts(odoo, done.id) if confirming else [],
    ]
    read_again = op.afterwards(lambda: op.side_by_side(asked), done.warnings, "the order")
    if read_again is None:
        return Order(
            id=done.id,
            confirmed=confirming and done.complete,
            message=f"Order {done.id} was {verb}; its state is not known.",
            warnings=done.warnings,
        )
    row, lines, receipts = read_again
    name, state = row["name"], row["state"]
    confirmed = state in CONFIRMED
    people = approvers(odoo, row) if state == "to approve" else []
    total = total_of(row)
    if confirmed:
        message = f"{name} {'created and ' if created else ''}confirmed: {total}"
    elif state == "to approve":
        message = f"{name} ({total}) waits for approval by {who(people)}: nothing is ordered yet."
    elif confirming:
        message = f"{name} exists but is not confirmed (state {state})."
    else:
        message = f"Request for quotation {name} created: {total}"
    if confirming and done.complete and state not in (*CONFIRMED, "to approve"):
        done.warnings.append(f"Odoo accepted the confirmation, but the order is still {state}.")
    free = [line.product.name for line in lines if line.product and not line.price_unit]
    if free:
        done.warnings.append(f"Without a price: {', '.join(free)}.")
    return order_of(
        row,
        lines=lines,
        receipts=receipts,
        approvers=people,
        message=message,
        warnings=done.warnings,
    )


def _cancel_result(odoo: Odoo, before: op.Row, done: op.Done) -> Order:
    name, number, warnings = before["name"], done.id, done.warnings
    asked: list[Callable[[], Any]] = [
        lambda: op.read_back(odoo, ORDER, number, warnings),
        readable("receipts", lambda: read_receipts(odoo, number), warnings),
        readable(
            "bills", lambda: read_bills(odoo, number) if before["invoice_ids"] else [], warnings
        ),
    ]
    row, receipts, bills = op.side_by_side(asked)
    told: dict[str, Any] = {"receipts": receipts or [], "bills": bills or []}
    told["warnings"] = warnings
    if row is None:
        message = f"{name} was cancelled; its state is not known."
        return Order(id=number, name=name, confirmed=False, cancelled=True, message=message, **told)
    cancelled = row["state"] == "cancel"
    now = "cancelled" if cancelled else f"not cancelled: its state is {row['state']}"
    drafts = [bill.name for bill in told["bills"] if bill.state == "draft"]
    if cancelled and drafts:
        warnings.append(f"Odoo leaves its draft bill as it is: {', '.join(drafts)}.")
    return order_of(row, message=f"{name} is {now}.", **told)
