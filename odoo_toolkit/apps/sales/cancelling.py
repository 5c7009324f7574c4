"""Cancelling a sales order, unless it is delivered or invoiced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.sales.orders import (
    MODEL,
    Delivery,
    Invoice,
    OrderId,
    OrderName,
    allow,
    find_order,
    is_locked,
    read_documents,
    read_order,
    state_error,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.wizards.actions import is_wizard_action
from odoo_toolkit.wizards.protocol import run_wizard


@attrs.frozen(kw_only=True)
class CancelResult:
    """An order that was to be cancelled; ``deliveries`` and ``invoices`` as they are now."""

    id: int
    name: str
    state: str | None
    cancelled: bool
    deliveries: list[Delivery] = attrs.Factory(list)
    invoices: list[Invoice] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


def cancel_order(
    odoo: Odoo,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: DryRun = False,
) -> CancelResult | Plan:
    """Cancel a quotation or sales order, with its open deliveries and draft invoices.

    The customer gets no e-mail. An order that is delivered or invoiced is not cancelled, although
    Odoo itself would do so without a word.

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is locked, delivered or invoiced; the message names the documents.
        OdooError: Odoo refused; nothing was changed.
    """
    allow(odoo, "action_cancel")
    row = find_order(odoo, order_id, order_name)
    if row["state"] == "cancel":
        return CancelResult(
            id=row["id"],
            name=row["name"],
            state="cancel",
            cancelled=True,
            message=f"{row['name']} was cancelled already.",
        )
    drafts = _check_cancellable(odoo, row)
    call = Call(
        model=MODEL,
        method="action_cancel",
        ids=(row["id"],),
        # Without it, 14 to 18 may open a wizard and cancel nothing. 19 does not ask.
        context={"disable_cancel_warning": True},
        access="write",
        step=True,
    )
    if dry_run:
        return plan(odoo, f"Would cancel {row['name']}.", [call])
    try:
        result = odoo.call(call)
    except AccessError as error:
        if drafts:
            error.message += f" Cancelling {row['name']} also cancels its {', '.join(drafts)}."
        raise
    if is_wizard_action(odoo, result):
        run_wizard(odoo, result, source=(MODEL, [row["id"]]))
    return _cancel_result(odoo, row)


def _check_cancellable(odoo: Odoo, row: Mapping[str, Any]) -> list[str]:
    """Refuse to cancel what is locked, delivered or invoiced; return the draft invoices' names."""
    name = row["name"]
    if is_locked(row):
        raise state_error(
            row,
            f"{name} is locked, so it cannot be cancelled.",
            "Unlock it with action_unlock (odoo_core_execute on sale.order), then cancel it.",
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
        steps = ["return the delivery"] if shipped else []
        steps += ["reverse the invoice by a credit note"] if billed else []
        raise state_error(
            row,
            f"{name} cannot be cancelled: {', and '.join(obstacles)}.",
            f"First {' and '.join(steps)} in Odoo, then cancel the order.",
        )
    return [invoice.name for invoice in invoices if invoice.state == "draft"]


def _still_delivered(odoo: Odoo, order_id: int) -> bool:
    domain = [["order_id", "=", order_id], ["qty_delivered", ">", 0]]
    return bool(
        odoo.call(
            Call(model="sale.order.line", method="search_count", arguments={"domain": domain})
        )
    )


def _cancel_result(odoo: Odoo, before: Mapping[str, Any]) -> CancelResult:
    name = before["name"]
    try:
        row = read_order(odoo, before["id"])
        deliveries, invoices = read_documents(odoo, row)
    except OdooError as error:
        return CancelResult(
            id=before["id"],
            name=name,
            state=None,
            cancelled=True,
            message=f"{name} was cancelled; its state is not known.",
            warnings=[f"The order cannot be read back: {error.message}"],
        )
    cancelled = row["state"] == "cancel"
    return CancelResult(
        id=row["id"],
        name=name,
        state=row["state"],
        cancelled=cancelled,
        deliveries=deliveries,
        invoices=invoices,
        message=f"{name} is cancelled."
        if cancelled
        else f"{name} is not cancelled: its state is {row['state']}.",
    )
