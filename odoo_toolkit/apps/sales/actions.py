"""Confirming and cancelling sales orders.

A ``sale.order`` goes draft or sent -> [action_confirm] -> sale; draft, sent or sale ->
[action_cancel] -> cancel -> [action_draft] -> draft.
"""

from __future__ import annotations

from typing import Any

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.sales.creation import CONFIRM, order_result
from odoo_toolkit.apps.sales.orders import (
    ORDER,
    Order,
    OrderId,
    OrderName,
    read_documents,
    shown,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, StateError
from odoo_toolkit.operations.documents import (
    Row,
    find,
    is_locked,
    read_back,
    read_rows,
    shows,
    state_error,
)
from odoo_toolkit.operations.steps import (
    Done,
    Step,
    operate,
    permit,
)
from odoo_toolkit.plans import Plan, operation

CANCEL = Step(
    model=ORDER.model,
    method="action_cancel",
    says="Order cancelled",
    # Without it, 14 to 18 may open a wizard and cancel nothing. 19 does not ask.
    context={"disable_cancel_warning": True},
    answers=frozenset({"sale.order.cancel"}),
    seen=shows(ORDER, state=("cancel",)),
)


@operation
def confirm_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: DryRun = False,
) -> Order | Plan:
    """Confirm a quotation: it becomes a sales order and its deliveries are made.

    >>> order = confirm_order(odoo, order_name="S00012")
    >>> order.confirmed, order.state
    (True, 'sale')

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is not a quotation, or has no lines; ``details["current_state"]``.
        WizardRequiredError: Odoo asks a question that the toolkit does not know.
        OdooError: Odoo refused; nothing was changed.
    """
    permit(odoo, CONFIRM, dry_run=dry_run)
    row = find(odoo, ORDER, order_id, order_name)
    _check_confirmable(row)
    return operate(
        odoo,
        [CONFIRM],
        [row["id"]],
        lambda done: order_result(odoo, done, "confirmed", confirming=True),
        would=f"Would confirm {row['name']}.",
        dry_run=dry_run,
    )


@operation
def cancel_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: DryRun = False,
) -> Order | Plan:
    """Cancel a quotation or sales order, with its open deliveries and draft invoices.

    The customer gets no e-mail. An order that is delivered or invoiced is not cancelled, although
    Odoo itself would do so without a word.

    >>> cancel_order(odoo, order_name="S00012").state
    'cancel'

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is locked, delivered or invoiced; the message names the documents.
        OdooError: Odoo refused; nothing was changed.
    """
    permit(odoo, CANCEL, dry_run=dry_run)
    row = find(odoo, ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return shown(row, message=f"{name} was cancelled already.")
    drafts = _check_cancellable(odoo, row)
    try:
        return operate(
            odoo,
            [CANCEL],
            [row["id"]],
            lambda done: _cancel_result(odoo, name, done),
            would=f"Would cancel {name}.",
            dry_run=dry_run,
        )
    except AccessError as error:
        if drafts:
            error.message += f" Cancelling {name} also cancels its {', '.join(drafts)}."
        raise


# States ----------------------------------------------------------------------------------------


def _order_error(row: Row, message: str, todo: str) -> StateError:
    error = state_error(ORDER, row, message, todo)
    if row["locked"] is not None:
        error.details["locked"] = row["locked"]
    return error


def _check_confirmable(row: Row) -> None:
    name, state = row["name"], row["state"]
    if state == "cancel":
        raise _order_error(
            row,
            f"{name} is cancelled (state cancel).",
            "Make it a quotation again: execute action_draft on sale.order, then confirm it.",
        )
    if state not in ("draft", "sent"):
        raise _order_error(
            row,
            f"{name} is already confirmed (state {state}).",
            "Nothing needs to be done; get_order shows its deliveries and invoices.",
        )
    if not row["order_line"]:
        raise _order_error(
            row,
            f"{name} has no lines, so there is nothing to confirm (state {state}).",
            "Add lines to the quotation first.",
        )


def _check_cancellable(odoo: Odoo, row: Row) -> list[str]:
    """Refuse to cancel what is locked, delivered or invoiced; return the draft invoices' names."""
    name = row["name"]
    if is_locked(row):
        raise _order_error(
            row,
            f"{name} is locked, so it cannot be cancelled.",
            "Unlock it: execute action_unlock on sale.order, then cancel it.",
        )
    deliveries, invoices = read_documents(odoo, row)
    shipped = [d.name for d in deliveries if d.state == "done" and d.type != "incoming"]
    returned = any(d.state == "done" and d.type == "incoming" for d in deliveries)
    if shipped and returned and not _still_delivered(odoo, row["id"]):
        shipped = []
    billed = [
        i.name
        for i in invoices
        if i.state == "posted" and i.type == "out_invoice" and i.payment_state != "reversed"
    ]
    obstacles = [f"its delivery {item} is already validated" for item in shipped]
    obstacles += [f"its invoice {item} is already posted" for item in billed]
    if obstacles:
        todo = ["return the delivery with return_picking"] if shipped else []
        todo += ["credit the invoice with create_credit_note"] if billed else []
        raise _order_error(
            row,
            f"{name} cannot be cancelled: {', and '.join(obstacles)}.",
            f"First {' and '.join(todo)}, then cancel the order.",
        )
    return [invoice.name for invoice in invoices if invoice.state == "draft"]


def _still_delivered(odoo: Odoo, order_id: int) -> bool:
    domain = [["order_id", "=", order_id], ["qty_delivered", ">", 0]]
    rows = read_rows(odoo, "sale.order.line", domain, ["id"], acts_on=ORDER.model, limit=1)
    return bool(rows)


# Results ---------------------------------------------------------------------------------------


def _cancel_result(odoo: Odoo, name: str, done: Done) -> Order:
    row = read_back(odoo, ORDER, done.id, done.warnings)
    told: dict[str, Any] = {"warnings": done.warnings}
    if row is None:
        message = f"{name} was cancelled; its state is not known."
        return Order(id=done.id, name=name, message=message, **told)
    try:
        told["deliveries"], told["invoices"] = read_documents(odoo, row)
    except OdooError as error:
        done.warnings.append(f"Its deliveries and invoices cannot be read: {error.message}")
    now = "cancelled" if row["state"] == "cancel" else f"not cancelled: its state is {row['state']}"
    return shown(row, message=f"{name} is {now}.", **told)
