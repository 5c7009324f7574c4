"""Functions that validate and return transfers.

A ``stock.picking`` goes draft -> [action_confirm] -> waiting or confirmed -> [action_assign] ->
assigned -> [button_validate] -> done. The button action_cancel cancels any that is not done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import (
    Expected,
    below_zero,
    check_movable,
    is_reserved,
    look_at,
)
from odoo_toolkit.apps.inventory.entries import (
    Enter,
    Entry,
    MovedLine,
    ReturnedLine,
    checked_entries,
    enters,
    entry_values,
    lot_lines,
    mark,
    match_moves,
)
from odoo_toolkit.apps.inventory.transfers import (
    PICKING,
    STATES,
    PickingId,
    PickingName,
    Transfer,
    find_moves,
    look,
    moved,
    moves_field,
    previewed,
    read_backorder,
    read_move_lines,
    read_transfer,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.records.results import RecordName

CONFIRM = op.Step(
    model=PICKING.model,
    method="action_confirm",
    says="Transfer confirmed",
    fails="Not confirmed",
    seen=op.shows(PICKING, state=("waiting", "confirmed", "assigned", "done")),
)
RESERVE = op.Step(
    model=PICKING.model,
    method="action_assign",
    says="Stock reserved",
    fails="Not reserved",
    seen=is_reserved,
)
VALIDATE = op.Step(
    model=PICKING.model,
    method="button_validate",
    says="Transfer validated",
    fails="Not validated",
    # What was asked for has been checked: a rest becomes a backorder, and no SMS goes out.
    context={"skip_backorder": True, "skip_sms": True},
    answers=frozenset({"stock.immediate.transfer", "stock.backorder.confirmation"}),
    seen=op.shows(PICKING, state=("done",)),
)


class _ReserveBackorder(op.Step):
    """Reserves the backorder that a validation has made, if that waits for it."""

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        return super().calls(odoo, ("the backorder",))

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        rest = read_backorder(odoo, ids[0])
        if rest and rest.state == "confirmed":
            RESERVE.make(odoo, [rest.id], warnings)


RESERVE_BACKORDER = _ReserveBackorder(
    model=PICKING.model,
    method="action_assign",
    says="Backorder reserved",
    fails="The backorder is not reserved",
)

#: Up to 14 Odoo reserves the rest of a transfer by itself only where it counts no stock.
_RESERVES_BACKORDER = 15


@op.operation
def validate_picking(
    odoo: Odoo,
    *,
    picking_id: PickingId = None,
    picking_name: PickingName = None,
    lines: Annotated[
        Sequence[MovedLine] | None,
        Doc(
            "Lines to move, each by move or product, in the move's unit. lots: one lot per line, or"
            " all serial numbers. A receipt creates new ones."
        ),
    ] = None,
    backorder: Annotated[
        bool | None, Doc("If less is moved: true keeps the rest in a backorder, false drops it.")
    ] = None,
    unreserved: Annotated[
        bool, Doc("Move the full demand, reserved or not. Stock can become negative.")
    ] = False,
    allow_more: Annotated[bool, Doc("Allow more than the demand.")] = False,
    dry_run: op.DryRun = False,
) -> Transfer | op.Plan:
    """Validate a transfer.

    >>> part = validate_picking(
    ...     odoo,
    ...     picking_name="WH/OUT/5",
    ...     lines=[{"product_name": "Desk", "quantity": 2}],
    ...     backorder=True,
    ... )
    >>> part.message
    'Validated WH/OUT/5. The rest is in the backorder WH/OUT/6.'

    The transfer moves your ``lines``. Without ``lines`` it moves the entered quantities, or else
    the reserved quantities. A draft is confirmed first, and missing quantities are reserved.

    Each line has ``move_id``, ``product_id`` or ``product_name``, ``quantity`` in the unit of the
    move, and ``lots``. Pass one lot, or a serial number for each piece. For several lots, pass
    several lines.

    If less would move than the demand, the toolkit writes nothing, and the error lists the
    shortage. Pass ``backorder`` to decide about the rest. The toolkit answers Odoo's
    immediate-transfer and backorder wizards. Stock goes below zero only with ``unreserved``. The
    customer gets no text message.

    It takes 8 requests if everything is reserved, otherwise up to 13. The wizard of Odoo 16 and
    earlier takes 3 more. Lines take 2 more, names of products 1 and lots 3.

    Raises:
        StateError: The transfer is done or cancelled, or there is not enough or nothing to move.
        ValidationError: A line or its lots are wrong, or the quantity is more than the demand.
        WizardRequiredError: A module asks another question.
        NotFoundError: The transfer does not exist, or a lot is not in stock.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CONFIRM, RESERVE, Enter(), VALIDATE, dry_run=dry_run)
    given = None if lines is None else checked_entries(lines)
    number = op.find_id(odoo, PICKING, picking_id, picking_name)
    row, moves = look_at(odoo, number)
    entries: list[Entry] = []
    if given is not None:
        entries = match_moves(odoo, row, moves, given, more=allow_more)
    elif unreserved and not any(move["entered"] for move in moves):
        entries = [Entry(move=move, quantity=move["demand"]) for move in moves if move["demand"]]
    if entries:
        mark(odoo, moves, entries)
    expected = check_movable(odoo, row, moves, backorder=backorder, unreserved=unreserved)
    steps: list[op.AnyStep] = [CONFIRM] if row["state"] == "draft" else []
    if any(item.to_reserve for item in expected):
        steps.append(RESERVE)
    if entries:
        steps.append(_entering(odoo, row, expected, entries, unreserved, again=bool(steps)))
    elif steps:
        steps.append(check_reserved(backorder))
    steps.append(_validating(number, backorder))
    rest = backorder and any(item.missing and item.stock for item in expected)
    if odoo.version.major < _RESERVES_BACKORDER and rest:
        steps.append(RESERVE_BACKORDER)
    below = below_zero(expected)
    return op.operate(
        odoo,
        steps,
        [number],
        lambda done: transfer_result(odoo, done, created=False, validating=True, below=below),
        message=f"Would validate {row['name']}." + (f" Below zero: {below}." if below else ""),
        dry_run=dry_run,
        preview=lambda: [_previewed(row, expected, backorder)],
    )


def _previewed(
    row: op.Row, expected: Sequence[Expected], backorder: bool | None
) -> op.PlannedDocument:
    """Return a transfer with what is to be moved of it, and what becomes of the rest."""
    rest = ", ".join(
        f"{item.missing:g} {item.move['uom']} {item.move['product'].name}"
        for item in expected
        if item.missing
    )
    fate = "goes to a backorder" if backorder else "is dropped"
    lines = [moved(item.move, item.quantity) for item in expected if item.quantity]
    return previewed(row, lines, notes=[f"{rest} of the demand {fate}."] if rest else [])


def _entering(
    odoo: Odoo,
    row: op.Row,
    expected: Sequence[Expected],
    entries: Sequence[Entry],
    unreserved: bool,
    *,
    again: bool,
) -> Enter:
    """Return the step that enters quantities; ``again`` if steps before it change move lines."""
    moves = [item.move for item in expected]
    present = read_move_lines(odoo, row["id"], moves)
    lots = lot_lines(odoo, row, entries, expected, present, unreserved=unreserved)

    def values(lines: Sequence[op.Row]) -> dict[str, Any]:
        return entry_values(odoo, moves, entries, lots, lines)

    return Enter(
        arguments={"vals": values(present)},
        seen=enters(entries),
        fill=(lambda: values(read_move_lines(odoo, row["id"], moves))) if again else None,
    )


def _validating(number: int, backorder: bool | None) -> op.Step:
    if backorder is not False:
        return VALIDATE
    context = {**VALIDATE.context, "picking_ids_not_to_backorder": [number]}
    return attrs.evolve(VALIDATE, context=context)


def check_reserved(backorder: bool | None) -> op.Check:
    """Return the check after reserving: lots, packages or another transfer may have made that
    otherwise than expected."""
    return op.Check(
        check=lambda odoo, number: check_movable(
            odoo, *look_at(odoo, number), backorder=backorder, reserved_only=True
        ),
        says="Reservation checked",
        fails="Confirmed or reserved, but not validated",
    )


def transfer_result(
    odoo: Odoo, done: op.Done, *, created: bool, validating: bool, below: str = ""
) -> Transfer:
    """Read a transfer back after its steps."""
    before = "Created. " if created else ""
    found = op.afterwards(
        lambda: look(odoo, done.id, backorder=validating), done.warnings, "the transfer"
    )
    if found is None:
        return Transfer(
            id=done.id,
            validated=validating and done.complete,
            message=f"{before}The state of transfer {done.id} is unknown.",
            warnings=done.warnings,
        )
    if found.validated:
        message = f"{before}Validated {found.name}."
        message += (
            f" The rest is in the backorder {found.backorder.name}." if found.backorder else ""
        )
        done.warnings.extend([f"The stock is below zero now. {below}."] * bool(below))
    else:
        message = f"{before}Not validated." if validating else f"Created: {found.message}"
        if validating and done.complete:
            done.warnings.append(f"The transfer is still in the state {found.state}.")
    return attrs.evolve(found, message=message, warnings=done.warnings)


_TOLERANCE = 1e-6


@op.operation
def return_picking(
    odoo: Odoo,
    *,
    picking_id: PickingId = None,
    picking_name: PickingName = None,
    lines: Annotated[
        Sequence[ReturnedLine] | None,
        Doc("Lines to return, in the move's unit. Default: all."),
    ] = None,
    validate: Annotated[bool, Doc("Also validate the return.")] = False,
    dry_run: op.DryRun = False,
) -> Transfer | op.Plan:
    """Create the return of a done transfer, in full or in part.

    >>> back = return_picking(
    ...     odoo, picking_name="WH/OUT/5", lines=[{"product_name": "Desk", "quantity": 2}]
    ... )
    >>> back.message
    'Created: WH/OUT/7 is ready.'

    Each line has ``move_id``, ``product_id`` or ``product_name``, and ``quantity``. By default
    everything is returned that has not come back yet. To choose lots, call
    :func:`~odoo_toolkit.apps.inventory.validate_picking` with the id of the return instead of
    passing ``validate``.

    The return reduces the delivered or received quantities of the order, so that they can be
    refunded.

    It takes 8 requests, and 4 more to validate. The wizard of Odoo 16 and earlier takes 3 more
    then.

    Raises:
        StateError: The transfer is not done, everything has come back, or you would return more
            than was moved.
        ValidationError: A line is wrong.
        NotFoundError: The transfer does not exist, or does not have such a product.
        AccessError: Odoo or the policy does not allow it.
    """
    started = time.time()

    def seen(odoo: Odoo, picking_id: int) -> list[int]:
        domain = [[f"{moves_field(odoo)}.origin_returned_move_id.picking_id", "=", picking_id]]
        return [
            row["id"] for row in op.read_new(odoo, PICKING.model, domain, ["id"], since=started)
        ]

    make = op.WizardStep(
        model=PICKING.model,
        wizard="stock.return.picking",
        says="Return created",
        seen=seen,
        makes="one",
    )
    further: list[op.AnyStep] = [check_reserved(None), VALIDATE] if validate else []
    op.permit(odoo, make, *further, dry_run=dry_run)
    given = None if lines is None else checked_entries(lines, lots=False)
    number = op.find_id(odoo, PICKING, picking_id, picking_name)
    row, moves, _ = read_transfer(odoo, number)
    if row["state"] != "done":
        raise op.state_error(
            PICKING,
            row,
            f"{row['name']} is {STATES[row['state']]}. You can only return a done transfer.",
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
    return op.operate(
        odoo,
        [make.of(**values), *further],
        [number],
        lambda done: transfer_result(odoo, done, created=True, validating=validate),
        message=f"Would return {op.counted(len(entries), 'line')} of {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [_returned(odoo, row, entries)],
    )


def _returned(odoo: Odoo, row: op.Row, entries: Sequence[Entry]) -> op.PlannedDocument:
    ends = {"location_id": row["location_dest_id"], "location_dest_id": row["location_id"]}
    back = {**row, **ends, "id": None, "url": None, "state": None, "scheduled_date": None}
    others = [] if _counts_in_move_unit(odoo) else [e.move for e in entries if e.move["ratio"] != 1]
    units = op.units_of_products(odoo, (move["product"].id for move in others), PICKING.model)
    names = {move["id"]: units[move["product"].id].name for move in others}
    lines = [
        moved(
            {**entry.move, "uom": names.get(entry.move["id"], entry.move["uom"])},
            _returned_quantity(odoo, entry),
        )
        for entry in entries
    ]
    return previewed(back, lines, name=f"new return of {row['name']}")


def _counts_in_move_unit(odoo: Odoo) -> bool:
    """Return True if a return keeps the move's unit. Odoo 18 and earlier use the product's."""
    return odoo.version.major >= 19


def _returned_quantity(odoo: Odoo, entry: Entry) -> float:
    """Return the quantity in the unit of the return: the product's, or the move's."""
    ratio = 1.0 if _counts_in_move_unit(odoo) else entry.move["ratio"]
    return float(round(entry.quantity * ratio, 9))


def _returnable(odoo: Odoo, row: op.Row, moves: Sequence[op.Row]) -> list[op.Row]:
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


def _check_left(row: op.Row, entries: Sequence[Entry]) -> None:
    """Refuse to return more than has been moved: Odoo itself would."""
    over = [entry for entry in entries if entry.quantity > entry.move["demand"] + _TOLERANCE]
    if entries and not over:
        return
    todo = f"Check the returns: search_read on stock.picking, origin ilike {row['name']}."
    if not entries:
        raise op.state_error(PICKING, row, f"{row['name']} has been returned completely.", todo)
    told = "; ".join(
        f"{entry.move['product'].name}: {entry.quantity:g}, of which {entry.move['demand']:g}"
        f" {entry.move['uom']} can still be returned"
        for entry in over
    )
    message = f"The quantities are more than {row['name']} has moved. {told}. Nothing was done."
    raise op.state_error(PICKING, row, message, f"Correct the quantities. {todo}")


def _line(odoo: Odoo, entry: Entry) -> op.Row:
    move = entry.move
    line = {
        "product_id": move["product"].id,
        "quantity": _returned_quantity(odoo, entry),
        "move_id": move["id"],
    }
    # Only with the modules of sales or purchase is there anything to refund.
    refunds = "to_refund" in odoo.schema.fields("stock.return.picking.line")
    return {**line, "to_refund": True} if refunds else line


# Transfers of orders ----------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Ordered:
    """The lines of an order of which transfers move the goods.

    Attributes:
        model: of the lines.
        ordered, done: the fields with what is ordered, and with what has moved.
        by: the field, and its value where transfers count the goods.
        moved: what has happened to goods that have moved, for messages.
    """

    model: str
    ordered: str
    done: str
    by: tuple[str, str]
    moved: str


#: Lines that a message names.
_NAMED = 5


def unmoved(odoo: Odoo, order: op.Document, row: op.Row, lines: Ordered) -> str:
    """Say what of a confirmed order has not moved; empty where all has."""
    domain = [["order_id", "=", row["id"]], [lines.by[0], "=", lines.by[1]]]
    fields = ["product_id", lines.ordered, lines.done]
    found = op.read_rows(odoo, lines.model, domain, fields, acts_on=order.model)
    less = [line for line in found if line[lines.done] + _TOLERANCE < line[lines.ordered]]
    told = [
        f"{line['product_id'].name}: {line[lines.ordered] - line[lines.done]:g} of "
        f"{line[lines.ordered]:g} not {lines.moved}"
        for line in less[:_NAMED]
    ]
    more = f"; and {len(less) - _NAMED} more lines" if len(less) > _NAMED else ""
    return "; ".join(told) + more


def no_transfer(order: op.Document, row: op.Row, missing: str, lines: Ordered) -> StateError:
    """Return the error of an order of which goods are missing, and no transfer is open."""
    return op.state_error(
        order,
        row,
        f"No transfer of {row['name']} is open, but not everything has moved. {missing}.",
        f"To make a new transfer, lower the quantities with update_order to what is {lines.moved}, "
        "then raise them again. If the rest is not wanted, only lower them.",
    )


def moving(
    order: op.Document,
    check: Callable[[op.Row], None],
    read: Callable[[Odoo, op.Row], Sequence[Any]],
    ours: str,
    verb: str,
    chosen: str,
    then: str,
    lines: Ordered,
) -> op.Stage:
    """Return the stage that validates the transfers of an order.

    Args:
        order: the orders.
        check: refuses an order that is not confirmed.
        read: reads the transfers of an order.
        ours: the type of its own ones; those inside the warehouse are its own, too.
        verb: what the stage does.
        chosen: the function with which lots and quantities are chosen.
        then: as of a stage.
        lines: of the order.
    """

    own_types = (ours, "internal")

    def left(odoo: Odoo, row: op.Row, how: Mapping[str, Any]) -> list[op.Action] | str:
        check(row)
        transfers = read(odoo, row)
        opened = [item for item in transfers if item.state not in ("done", "cancel")]
        own = [item for item in opened if item.type in own_types]
        # One that waits is made ready by those before it: it comes in the next round.
        if ready := [item for item in own if item.state != "waiting"] or own:
            numbers = sorted(item.id for item in ready)
            return [partial(validate, odoo, picking_id=number, **how) for number in numbers]
        # What came back is not to be moved again.
        back = [item for item in transfers if item.state == "done" and item.type not in own_types]
        if transfers and not opened and not back and (told := unmoved(odoo, order, row, lines)):
            raise no_transfer(order, row, told, lines)
        others = ", ".join(f"{item.name} ({item.type})" for item in opened)
        told = f"Nothing is left to {verb}." if transfers else "It has no transfers."
        return told + (f" Transfers that are not {ours}: {others}." if others else "")

    def validate(odoo: Odoo, **how: Any) -> Transfer | op.Plan:
        try:
            moved_all: Transfer | op.Plan = validate_picking(odoo, **how)
        except StateError as error:
            # What can be chosen is chosen there.
            error.suggestion = f"Use {chosen}. {error.suggestion}"
            raise
        return moved_all

    def made(odoo: Odoo, row: op.Row, result: Transfer) -> list[RecordName]:
        if not result.validated:
            raise op.not_done(order, row, result.message, result.warnings)
        return [RecordName(id=result.id, name=result.name or f"transfer {result.id}")]

    allowed = (CONFIRM, RESERVE, Enter(), VALIDATE)
    return op.Stage(allowed=allowed, left=left, made=made, then=then, again=True)
