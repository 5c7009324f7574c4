"""Making and validating transfers.

A ``stock.picking`` goes draft -> [action_confirm] -> waiting or confirmed -> [action_assign] ->
assigned -> [button_validate] -> done; all but done -> [action_cancel] -> cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.inventory.availability import PRODUCT, check_movable, is_reserved
from odoo_toolkit.apps.inventory.route import find_route
from odoo_toolkit.apps.inventory.transfers import (
    PICKING,
    Transfer,
    TransferLine,
    read_backorder,
    read_transfer,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError, make_error
from odoo_toolkit.operations.documents import Row, filled, find_id, read_all, shows
from odoo_toolkit.operations.lines import Line, check_lines, checked_number, wanted_product
from odoo_toolkit.operations.steps import AnyStep, Check, Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import resolve_all
from odoo_toolkit.values import to_wire

CREATE = Step(model=PICKING.model, method="create", says="Transfer created")
CONFIRM = Step(
    model=PICKING.model,
    method="action_confirm",
    says="Transfer confirmed",
    fails="Not confirmed",
    seen=shows(PICKING, state=("waiting", "confirmed", "assigned", "done")),
)
RESERVE = Step(
    model=PICKING.model,
    method="action_assign",
    says="Stock reserved",
    fails="Not reserved",
    seen=is_reserved,
)
VALIDATE = Step(
    model=PICKING.model,
    method="button_validate",
    says="Transfer validated",
    fails="Not validated",
    # What was asked for has been checked: a rest becomes a backorder, and no SMS goes out.
    context={"skip_backorder": True, "skip_sms": True},
    answers=frozenset({"stock.immediate.transfer", "stock.backorder.confirmation"}),
    seen=shows(PICKING, state=("done",)),
)


class _ReserveBackorder(Step):
    """Reserves the backorder that a validation has made, if that waits for it."""

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
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

    5 round trips when all is reserved, up to 8 otherwise; to 16 Odoo's wizard takes 3 more.

    Args:
        odoo: the connection.
        picking_id: the transfer.
        picking_name: its reference instead.
        force_qty: whether to move what is there and leave a backorder for the rest.
        dry_run: whether to return a :class:`~odoo_toolkit.operations.steps.Plan` and write nothing.

    Raises:
        StateError: it is done or cancelled, too little is there, or nothing is to be moved.
        WizardRequiredError: a module asks something else.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, CONFIRM, RESERVE, VALIDATE)
    number = find_id(odoo, PICKING, picking_id, picking_name)
    row, expected = check_movable(odoo, number, force_qty=force_qty)
    steps: list[AnyStep] = [CONFIRM] if row["state"] == "draft" else []
    if any(item.to_reserve for item in expected):
        steps.append(RESERVE)
    if steps:
        steps.append(_check_reserved(force_qty))
    steps.append(VALIDATE)
    if odoo.version.major < _RESERVES_BACKORDER and any(item.missing for item in expected):
        steps.append(RESERVE_BACKORDER)
    return operate(
        odoo,
        steps,
        [number],
        lambda done: _result(odoo, done, created=False, validating=True),
        would=f"Would validate {row['name']}.",
        dry_run=dry_run,
    )


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
        dry_run: whether to return a :class:`~odoo_toolkit.operations.steps.Plan` and write nothing.

    Raises:
        AmbiguousNameError: a name means several products; nothing was written.
        ValidationError: a line, a location or the date is wrong; nothing was written.
        NotFoundError: a product or location does not exist; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    # In a new transfer nothing is reserved: all is looked for first, and reserved.
    validation: list[AnyStep] = [
        Check(
            check=lambda odoo, number: check_movable(odoo, number, force_qty=False),
            says="Availability checked",
            fails="Not validated",
        ),
        CONFIRM,
        RESERVE,
        _check_reserved(force_qty=False),
        VALIDATE,
    ]
    further = validation if validate else []
    permit(odoo, CREATE, *further)
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
    described = odoo.schema.fields(PICKING.model)
    date = {} if scheduled_date is None else {"scheduled_date": scheduled_date}
    head = to_wire(date, PICKING.model, described, fields_of=odoo.schema.fields)
    found = resolve_all(odoo, [wanted_product(line, n) for n, line in enumerate(checked)])
    product_ids = [number for number in found if number is not None]
    asked: list[Callable[[], Any]] = [
        lambda: _products(odoo, product_ids),
        lambda: find_route(odoo, picking_type_name, location_src_id, location_dest_id),
    ]
    products, route = side_by_side(asked)
    ends = {"location_id": route.source, "location_dest_id": route.destination}
    named = "name" in odoo.schema.fields("stock.move")
    moves = [
        {
            "product_id": product["id"],
            "product_uom": product["uom_id"].id,
            "product_uom_qty": line["quantity"],
            **ends,
            "company_id": route.company,
            # Needed to 18, and unknown from 19 on.
            **({"name": product["display_name"]} if named else {}),
        }
        for line, product in zip(checked, products, strict=True)
    ]
    values = {
        "picking_type_id": route.picking_type,
        **ends,
        **head,
        # The field of a transfer's moves: to 15, and from 16 on.
        "move_ids" if "move_ids" in described else "move_lines": [[0, 0, move] for move in moves],
    }
    return operate(
        odoo,
        [CREATE.of(vals_list=values), *further],
        (),
        lambda done: _result(odoo, done, created=True, validating=validate),
        would=f"Would create a transfer of {len(moves)} line(s).",
        dry_run=dry_run,
    )


def _check_reserved(force_qty: bool) -> Check:
    """Return the check after reserving: lots, packages or another transfer may have made that
    otherwise than expected."""
    return Check(
        check=lambda odoo, number: check_movable(
            odoo, number, force_qty=force_qty, reserved_only=True
        ),
        says="Reservation checked",
        fails="Confirmed or reserved, but not validated",
    )


def _products(odoo: Odoo, ids: Sequence[int]) -> list[Row]:
    """Return the products of lines, or refuse those that cannot be moved."""
    rows = {row["id"]: row for row in read_all(odoo, PRODUCT, sorted(set(ids)))}
    for index, number in enumerate(ids):
        if rows[number]["type"] == "service":
            raise ValidationError(
                f"{rows[number]['display_name']} is a service: it cannot be moved.",
                suggestion="Leave the line out.",
                details={"field": f"lines[{index}].product_id"},
            )
    return [rows[number] for number in ids]


def _result(odoo: Odoo, done: Done, *, created: bool, validating: bool) -> Transfer:
    """Read back what has become of a transfer."""
    before = "Created. " if created else ""
    try:
        row, moves, rest = read_transfer(odoo, done.id, backorder=validating)
    except OdooError as error:
        # It is written: that it cannot be read back does not undo it.
        done.warnings.append(f"The transfer cannot be read back: {error.message}")
        return Transfer(
            id=done.id,
            validated=validating and done.complete,
            message=f"{before}The state of the transfer {done.id} is not known.",
            warnings=done.warnings,
        )
    state, name = row["state"], row["name"]
    validated = state == "done"
    if validated:
        message = f"{before}Validated {name}."
        message += f" The rest is in the backorder {rest.name}." if rest else ""
    else:
        message = f"{before}Not validated." if validating else f"Created {name} as a draft."
        if validating and done.complete:
            done.warnings.append(f"Odoo left it in the state {state}.")
    return filled(
        Transfer,
        row,
        validated=validated,
        message=message,
        location_src=row["location_id"],
        lines=[filled(TransferLine, move) for move in moves],
        backorder=rest,
        warnings=done.warnings,
    )
