"""Receiving a purchase order: its receipt is found and validated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.inventory.actions import VALIDATE, validate_picking
from odoo_toolkit.apps.inventory.entries import MovedLine
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.purchase.orders import (
    CONFIRMED,
    ORDER,
    OrderId,
    OrderName,
    Receipt,
    read_receipts,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.operations.documents import Row, find, state_error
from odoo_toolkit.operations.lines import NameOrId
from odoo_toolkit.operations.steps import permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import Wanted


@operation
def receive(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    lines: Annotated[
        Sequence[MovedLine] | None,
        Doc("Only if not all of it came. lots: one per line, or all serial numbers."),
    ] = None,
    backorder: Annotated[
        bool | None, Doc("If less comes: true keeps the rest in a backorder, false drops it.")
    ] = None,
    allow_more: Annotated[bool, Doc("Allow more than ordered.")] = False,
    picking_id: Annotated[NameOrId, Doc("If several receipts are open.")] = None,
    dry_run: DryRun = False,
) -> Transfer | Plan:
    """Receive a purchase order, in full or by lines.

    2 round trips, and those of :func:`~odoo_toolkit.apps.inventory.validate_picking`.

    >>> receipt = receive(
    ...     odoo,
    ...     order_name="P00012",
    ...     lines=[{"product_name": "Desk", "quantity": 3}],
    ...     backorder=True,
    ... )
    >>> receipt.state
    'done'

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        lines: the quantities that came, each with ``product_id``, ``product_name`` or ``move_id``,
            ``quantity`` and ``lots``; by default everything that is open.
        backorder: whether the rest stays open, or is given up.
        allow_more: whether to receive more than was ordered.
        picking_id: which of several open receipts, by its id or number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: the order is not confirmed, nothing is left to receive, several receipts
            are open, or less or more comes than was ordered without ``backorder`` or
            ``allow_more``.
        ValidationError: a line or its lots are wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, VALIDATE, dry_run=dry_run)
    row = find(odoo, ORDER, order_id, order_name)
    if row["state"] not in CONFIRMED:
        todo = "Confirm it with confirm_order first."
        if row["state"] == "to approve":
            todo = "It has to be approved first: confirm_order names the approvers."
        if row["state"] == "cancel":
            todo = "A cancelled order cannot be received."
        raise _refused(row, [], f"it is not a confirmed order (state {row['state']})", todo)
    receipt = _meant(row, read_receipts(odoo, row["id"]), picking_id)
    return validate_picking(
        odoo,
        picking_id=receipt.id,
        lines=lines,
        backorder=backorder,
        allow_more=allow_more,
        dry_run=dry_run,
    )


def _meant(row: Row, receipts: list[Receipt], picking_id: NameOrId) -> Receipt:
    """Return the open receipt that is meant."""
    own = [receipt for receipt in receipts if receipt.type == "incoming"]
    opened = [receipt for receipt in own if receipt.state not in ("done", "cancel")]
    meant = Wanted.of("stock.picking", picking_id, "picking_id")
    found = [r for r in opened if picking_id is None or meant.id == r.id or meant.name == r.name]
    if len(found) == 1:
        return found[0]
    if found:
        raise _refused(row, found, "several receipts of it are open", "Give picking_id.")
    if picking_id is not None:
        raise _refused(
            row, opened, f"{picking_id} is not an open receipt of it", "Give another picking_id."
        )
    if own:
        raise _refused(row, own, "no receipt of it is open", "get_order shows its receipts.")
    raise _refused(
        row,
        [],
        "it has no receipt: its products are not kept in stock",
        "Write qty_received of its purchase.order.line records instead.",
    )


def _refused(row: Row, receipts: list[Receipt], why: str, todo: str) -> StateError:
    listed = "".join(f"; {r.name} (id {r.id}) is {r.state}" for r in receipts[:10])
    error = state_error(ORDER, row, f"{row['name']} cannot be received: {why}{listed}.", todo)
    shown: list[Any] = [{"id": r.id, "name": r.name, "state": r.state} for r in receipts[:10]]
    error.details |= {"receipts": shown} if shown else {}
    return error
