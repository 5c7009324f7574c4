"""Stock, transfers, and the validation of transfers.

A ``stock.picking`` goes draft -> [action_confirm] -> waiting or confirmed -> [action_assign] ->
assigned -> [button_validate] -> done; all but done -> [action_cancel] -> cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.inventory.route import find_route
from odoo_toolkit.apps.inventory.stock_levels import get_stock
from odoo_toolkit.apps.inventory.transfers import (
    Expected,
    Transfer,
    expected_quantities,
    negative_stock,
    nothing_to_move,
    read_stored,
    read_transfer,
    shortage,
    transfer_fields,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    OdooError,
    StateError,
    ValidationError,
    WizardRequiredError,
    make_error,
)
from odoo_toolkit.operations.lines import Line, check_lines, checked_number, wanted_product
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import Wanted, resolve, resolve_all
from odoo_toolkit.values.moments import utc_string
from odoo_toolkit.wizards.actions import is_wizard_action
from odoo_toolkit.wizards.protocol import run_wizard, unanswered

__all__ = ["create_transfer", "get_stock", "validate_picking"]


#: The questions of button_validate that are answered by themselves.
_ANSWERED = frozenset({"stock.immediate.transfer", "stock.backorder.confirmation"})

#: To 14 Odoo does not reserve the rest of a transfer by itself.
_RESERVES_BACKORDER = 15

_LINES = JsonSchema(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "product_id": {"type": "integer"},
                "product_name": {"type": "string"},
                "quantity": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "description": "In the product's unit of measure.",
                },
            },
            "required": ["quantity"],
            "additionalProperties": False,
        },
    }
)


def validate_picking(
    odoo: Odoo,
    *,
    picking_id: Annotated[int | None, Doc("The transfer (stock.picking).")] = None,
    picking_name: Annotated[str | None, Doc("Or its reference, such as WH/OUT/00012.")] = None,
    force_qty: Annotated[
        bool, Doc("Validate with what is there and leave a backorder for the rest.")
    ] = False,
    dry_run: DryRun = False,
) -> Transfer | Plan:
    """Validate a transfer: move the quantities that were entered, else all that is reserved.

    A draft is confirmed, and what is missing is reserved, first. When less is there than is
    demanded, nothing is written and the error lists what is missing, unless ``force_qty``; what
    Odoo's immediate-transfer and backorder wizards ask is answered. Stock never goes below zero.
    No text message is sent to the customer.

    5 round trips when all is reserved; up to 10.

    Args:
        odoo: the connection.
        picking_id: the transfer.
        picking_name: its reference instead.
        force_qty: whether to move what is there and leave a backorder for the rest.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        StateError: it is done or cancelled, too little is there, or nothing is to be moved.
        WizardRequiredError: a module asks something else.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    odoo.check(_call("button_validate", 0))
    wanted = Wanted(model="stock.picking", field="picking_id", id=picking_id, name=picking_name)
    number = resolve(odoo, wanted) or 0
    transfer, expected = _expect(odoo, number)
    steps = _check(odoo, transfer, expected, force_qty)
    if dry_run:
        calls = [_call(step, number) for step in steps]
        return plan(odoo, f"Would validate {transfer.name}.", calls)
    *before, _ = steps
    done: list[str] = []
    try:
        for step in before:
            odoo.call(_call(step, number))
            done.append(step)
        if before:
            # Lots, packages or another transfer may have reserved otherwise than expected.
            transfer, expected = _expect(odoo, number, reserved_only=True)
            _check(odoo, transfer, expected, force_qty)
        _press(odoo, number)
    except WizardRequiredError:
        raise
    except OdooError as error:
        if not done:
            raise
        return _unvalidated(odoo, number, error, "It was confirmed or reserved, but not validated")
    return _outcome(odoo, number)


def create_transfer(
    odoo: Odoo,
    *,
    picking_type_name: Annotated[
        Literal["internal", "incoming", "outgoing"], Doc("Kind of transfer.")
    ] = "internal",
    location_src_id: Annotated[int | None, Doc("From; default: the operation type's.")] = None,
    location_dest_id: Annotated[int | None, Doc("To; default: the operation type's.")] = None,
    lines: Annotated[Sequence[Line], _LINES, Len(1, 500)],
    scheduled_date: Annotated[str | None, Doc("ISO date or moment; UTC without zone.")] = None,
    validate: Annotated[bool, Doc("Also validate it, if all is available.")] = False,
    dry_run: DryRun = False,
) -> Transfer | Plan:
    """Create a draft transfer; 6 round trips, and those of :func:`validate_picking` with it.

    Args:
        odoo: the connection.
        picking_type_name: ``internal``, ``incoming`` (receipt) or ``outgoing`` (delivery), of
            the warehouse that the named locations are in, else of the company's first one.
        location_src_id: where the goods come from.
        location_dest_id: where they go to.
        lines: each with ``product_id`` or ``product_name``, and ``quantity`` in the product's
            unit of measure.
        scheduled_date: an ISO date or moment.
        validate: whether to validate it. If that cannot be, the transfer stays and the result
            says why.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        AmbiguousNameError: a name means several products; nothing was written.
        ValidationError: a line, a location or the date is wrong; nothing was written.
        NotFoundError: a product or location does not exist; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    empty = _create_call({})
    for call in (empty, *([_call("button_validate", 0)] if validate else [])):
        odoo.check(call)
    if picking_type_name not in ("internal", "incoming", "outgoing"):
        raise make_error(
            "INVALID_SELECTION",
            f"{str(picking_type_name)[:60]!r} is no kind of transfer.",
            suggestion="Choose internal, incoming or outgoing.",
            details={"field": "picking_type_name"},
        )
    checked = check_lines(lines, ("product_id", "product_name", "quantity"))
    for index, line in enumerate(checked):
        checked_number(line.get("quantity"), f"lines[{index}].quantity", positive=True)
    moment = _moment(scheduled_date)
    wanted = [wanted_product(line, index) for index, line in enumerate(checked)]
    product_ids = [number or 0 for number in resolve_all(odoo, wanted)]
    wanted_fields = ["display_name", "uom_id", "type"]
    reads: list[Callable[[], Any]] = [
        lambda: read_stored(odoo, "product.product", sorted(set(product_ids)), wanted_fields),
        lambda: find_route(odoo, picking_type_name, location_src_id, location_dest_id),
    ]
    rows, route = side_by_side(reads)
    products = {row["id"]: row for row in rows}
    names = transfer_fields(odoo)
    moves = []
    for index, (line, product_id) in enumerate(zip(checked, product_ids, strict=True)):
        product = products[product_id]
        if product["type"] == "service":
            raise ValidationError(
                f"{product['display_name']} is a service: it cannot be moved.",
                suggestion="Leave the line out.",
                details={"field": f"lines[{index}].product_id"},
            )
        values = {
            "product_id": product_id,
            "product_uom": product["uom_id"][0],
            "product_uom_qty": line["quantity"],
            "location_id": route.source,
            "location_dest_id": route.destination,
            "company_id": route.company,
        }
        if names.move_has_name:
            values["name"] = product["display_name"]
        moves.append([0, 0, values])
    values = {
        "picking_type_id": route.picking_type,
        "location_id": route.source,
        "location_dest_id": route.destination,
        names.moves: moves,
    }
    if moment is not None:
        values["scheduled_date"] = moment
    create = _create_call(values)
    if dry_run:
        calls = [create, *([_call("button_validate", "the new transfer")] if validate else [])]
        return plan(odoo, f"Would create a transfer of {len(moves)} line(s).", calls)
    answer = odoo.call(create)
    number = answer[0] if isinstance(answer, list) else answer
    try:
        if validate:
            found = validate_picking(odoo, picking_id=number)
            assert isinstance(found, Transfer)  # noqa: S101 - no dry run was asked for
            return attrs.evolve(found, message=f"Created. {found.message}")
        return attrs.evolve(read_transfer(odoo, number)[0], message="Created as a draft.")
    except OdooError as error:
        said = "It was created, but not validated" if validate else "It could not be read back"
        return _unvalidated(odoo, number, error, said, "Created.")


def _call(method: str, picking: Any, **context: Any) -> Call:
    return Call(
        model="stock.picking",
        method=method,
        ids=(picking,),
        context=context,
        access="write",
        acts_on="stock.picking",
        step=True,
    )


def _create_call(values: dict[str, Any]) -> Call:
    return Call(
        model="stock.picking",
        method="create",
        arguments={"vals_list": [values]},
        acts_on="stock.picking",
        step=True,
    )


def _moment(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return utc_string(value)
    except (ValueError, TypeError, AttributeError):
        raise ValidationError(
            f"scheduled_date is not a date: {str(value)[:60]!r}.",
            suggestion="Write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.",
            details={"field": "scheduled_date"},
        ) from None


def _expect(
    odoo: Odoo, number: int, *, reserved_only: bool = False
) -> tuple[Transfer, list[Expected]]:
    transfer, moves = read_transfer(odoo, number)
    if transfer.state in ("done", "cancel"):
        return transfer, []
    return transfer, expected_quantities(odoo, moves, reserved_only=reserved_only)


def _check(
    odoo: Odoo, transfer: Transfer, expected: Sequence[Expected], force_qty: bool
) -> list[str]:
    """Refuse what cannot be validated; return the methods to call, the last is the validation."""
    if transfer.state in ("done", "cancel"):
        raise StateError(
            f"{transfer.name} is {'already done' if transfer.state == 'done' else 'cancelled'}.",
            suggestion="Nothing is left to do."
            if transfer.state == "done"
            else "Create a new transfer with odoo_inventory_create_transfer.",
            details={
                "model": "stock.picking",
                "id": transfer.id,
                "current_state": transfer.state,
            },
        )
    if not any(item.quantity > 0 for item in expected):
        raise nothing_to_move(transfer, expected)
    if not force_qty and (missing := [item for item in expected if item.missing > 0]):
        raise shortage(transfer, missing)
    if below := negative_stock(odoo, expected):
        raise below
    steps = []
    if transfer.state == "draft":
        steps.append("action_confirm")
    if any(item.to_reserve for item in expected):
        steps.append("action_assign")
    return [*steps, "button_validate"]


def _press(odoo: Odoo, number: int) -> None:
    # What was asked for has been checked: a rest becomes a backorder, and no SMS goes out.
    context = {"skip_backorder": True, "skip_sms": True}
    result = odoo.call(_call("button_validate", number, **context))
    if not is_wizard_action(odoo, result):
        return
    if result["res_model"] not in _ANSWERED:
        raise unanswered(odoo, result)
    outcome = run_wizard(odoo, result, source=("stock.picking", [number]), context=context)
    if not outcome.done and outcome.action:
        raise unanswered(odoo, outcome.action)


def _outcome(odoo: Odoo, number: int) -> Transfer:
    """Read back what the validation made of the transfer."""
    try:
        transfer, _ = read_transfer(odoo, number, backorder=True)
        rest = transfer.backorder
        if rest and rest.state == "confirmed" and odoo.version.major < _RESERVES_BACKORDER:
            odoo.call(_call("action_assign", rest.id))
            transfer, _ = read_transfer(odoo, number, backorder=True)
    except OdooError as error:
        return _unvalidated(odoo, number, error, "Validation was asked for, reading back failed")
    if transfer.state != "done":
        warning = f"Odoo left it in the state {transfer.state}."
        return attrs.evolve(transfer, message="Not validated.", warnings=[warning])
    message = f"Validated {transfer.name}."
    if transfer.backorder:
        message += f" The rest is in the backorder {transfer.backorder.name}."
    return attrs.evolve(transfer, message=message)


def _unvalidated(
    odoo: Odoo, number: int, error: OdooError, said: str, message: str = ""
) -> Transfer:
    """Return what there is of a transfer, and why no more was done."""
    warning = f"{said}: {error.message} {error.suggestion}".rstrip()
    try:
        transfer, _ = read_transfer(odoo, number, backorder=True)
    except OdooError:
        transfer = Transfer(id=number, name=None, state=None, validated=False)
    return attrs.evolve(
        transfer, message=message or "Not validated.", warnings=[*transfer.warnings, warning]
    )
