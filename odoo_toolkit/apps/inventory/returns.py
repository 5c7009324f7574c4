"""Taking back what a done transfer has moved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.inventory.actions import VALIDATE, check_reserved, transfer_result
from odoo_toolkit.apps.inventory.entries import (
    Entry,
    ReturnedLine,
    checked_entries,
    match_moves,
)
from odoo_toolkit.apps.inventory.transfers import (
    PICKING,
    STATES,
    PickingId,
    PickingName,
    Transfer,
    find_moves,
    moves_field,
    read_transfer,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import Row, find_id, read_new, state_error
from odoo_toolkit.operations.steps import (
    AnyStep,
    WizardStep,
    operate,
    permit,
)
from odoo_toolkit.plans import Plan, operation

_TOLERANCE = 1e-6
#: Up to 18 the wizard counts in the product's unit, from 19 on in the move's.
_IN_MOVE_UNIT = 19


@operation
def return_picking(
    odoo: Odoo,
    *,
    picking_id: PickingId = None,
    picking_name: PickingName = None,
    lines: Annotated[
        Sequence[ReturnedLine] | None,
        Doc("Which lines come back, in the move's unit; default: all."),
    ] = None,
    validate: Annotated[bool, Doc("Also validate the return.")] = False,
    dry_run: DryRun = False,
) -> Transfer | Plan:
    """Create the return of a done transfer, in full or in part.

    The return is to be refunded: the delivered or received quantities of the order go down.
    8 round trips, and 4 with ``validate``; up to 16 Odoo's wizard takes 3 more then.

    >>> back = return_picking(
    ...     odoo, picking_name="WH/OUT/5", lines=[{"product_name": "Desk", "quantity": 2}]
    ... )
    >>> back.message
    'Created: WH/OUT/7 is ready.'

    Args:
        odoo: the connection.
        picking_id: the done transfer.
        picking_name: its reference instead.
        lines: each with ``move_id``, ``product_id`` or ``product_name``, and ``quantity``; by
            default everything that has not come back yet.
        validate: whether to validate it too. Otherwise, or to choose lots, call
            :func:`~odoo_toolkit.apps.inventory.validate_picking` with the id of the result.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.steps.Plan` and write nothing.

    Raises:
        StateError: it is not done, all of it has come back, or more would come back than was
            moved.
        ValidationError: a line is wrong.
        NotFoundError: it does not exist, or has no such product.
        AccessError: Odoo or the policy does not allow it.
    """
    started = time.time()

    def seen(odoo: Odoo, picking_id: int) -> list[int]:
        domain = [[f"{moves_field(odoo)}.origin_returned_move_id.picking_id", "=", picking_id]]
        return [row["id"] for row in read_new(odoo, PICKING.model, domain, ["id"], since=started)]

    make = WizardStep(
        model=PICKING.model,
        wizard="stock.return.picking",
        says="Return created",
        seen=seen,
        makes="one",
    )
    further: list[AnyStep] = [check_reserved(None), VALIDATE] if validate else []
    permit(odoo, make, *further, dry_run=dry_run)
    given = None if lines is None else checked_entries(lines, lots=False)
    number = find_id(odoo, PICKING, picking_id, picking_name)
    row, moves, _ = read_transfer(odoo, number)
    if row["state"] != "done":
        raise state_error(
            PICKING,
            row,
            f"{row['name']} is {STATES[row['state']]}: only a done transfer can be returned.",
            "Validate it first with validate_picking, or cancel it.",
        )
    left = _returnable(odoo, row, moves)
    entries = [Entry(move=move, quantity=move["demand"]) for move in left if move["demand"]]
    if given is not None:
        entries = match_moves(odoo, row, left, given, more=True)
    _check_left(row, entries)
    values: dict[str, Any] = {
        "picking_id": number,
        "product_return_moves": [[0, 0, _line(odoo, entry)] for entry in entries],
    }
    if "location_id" in odoo.schema.fields("stock.return.picking"):
        # Up to 17, without it the goods would go where they are.
        values["location_id"] = row["location_id"].id
    return operate(
        odoo,
        [make.of(**values), *further],
        [number],
        lambda done: transfer_result(odoo, done, created=True, validating=validate),
        would=f"Would return {len(entries)} line(s) of {row['name']}.",
        dry_run=dry_run,
    )


def _returnable(odoo: Odoo, row: Row, moves: Sequence[Row]) -> list[Row]:
    """Return the done moves, each with what has not come back yet as its demand."""
    back = find_moves(odoo, [["origin_returned_move_id.picking_id", "=", row["id"]]])
    returned: dict[int, float] = {}
    for move in back:
        quantity = move["done"] if move["state"] == "done" else move["demand"]
        of_move = move["returns"]
        returned[of_move] = returned.get(of_move, 0.0) + quantity * move["ratio"]
    return [
        {**move, "demand": max(move["done"] - returned.get(move["id"], 0.0) / move["ratio"], 0.0)}
        for move in moves
    ]


def _check_left(row: Row, entries: Sequence[Entry]) -> None:
    """Refuse to return more than has been moved: Odoo itself would."""
    over = [entry for entry in entries if entry.quantity > entry.move["demand"] + _TOLERANCE]
    if entries and not over:
        return
    todo = f"Look at its returns: search_read on stock.picking, origin ilike {row['name']}."
    if not entries:
        raise state_error(PICKING, row, f"All of {row['name']} has been returned.", todo)
    told = "; ".join(
        f"{entry.move['product'].name}: {entry.quantity:g}, of which {entry.move['demand']:g}"
        f" {entry.move['uom']} can still be returned"
        for entry in over
    )
    message = f"More would be returned than {row['name']} has moved. {told}. Nothing was done."
    raise state_error(PICKING, row, message, f"Correct the quantities. {todo}")


def _line(odoo: Odoo, entry: Entry) -> Row:
    move = entry.move
    ratio = 1.0 if odoo.version.major >= _IN_MOVE_UNIT else move["ratio"]
    line = {
        "product_id": move["product"].id,
        "quantity": entry.quantity * ratio,
        "move_id": move["id"],
    }
    # Only with the modules of sales or purchase is there anything to refund.
    refunds = "to_refund" in odoo.schema.fields("stock.return.picking.line")
    return {**line, "to_refund": True} if refunds else line
