"""Making transfers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.inventory.actions import (
    CONFIRM,
    RESERVE,
    VALIDATE,
    check_reserved,
    transfer_result,
)
from odoo_toolkit.apps.inventory.availability import PRODUCT, check_movable, look_at
from odoo_toolkit.apps.inventory.route import find_route
from odoo_toolkit.apps.inventory.transfers import PICKING, Transfer, moves_field
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, make_error
from odoo_toolkit.operations.documents import Row, read_all
from odoo_toolkit.operations.lines import Line, check_lines, checked_number, wanted_product
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import AnyStep, Check, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import resolve_all

CREATE = Step(model=PICKING.model, method="create", says="Transfer created")

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
        },
    }
)


@operation
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
            check=lambda odoo, number: check_movable(odoo, *look_at(odoo, number)),
            says="Availability checked",
            fails="Not validated",
        ),
        CONFIRM,
        RESERVE,
        check_reserved(None),
        VALIDATE,
    ]
    further = validation if validate else []
    permit(odoo, CREATE, *further, dry_run=dry_run)
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
        moves_field(odoo): [[0, 0, move] for move in moves],
    }
    return operate(
        odoo,
        [CREATE.of(vals_list=values), *further],
        (),
        lambda done: transfer_result(odoo, done, created=True, validating=validate),
        would=f"Would create a transfer of {len(moves)} line(s).",
        dry_run=dry_run,
    )


def _products(odoo: Odoo, ids: Sequence[int]) -> list[Row]:
    """Return the products of lines, or refuse those that cannot be moved."""
    rows = {
        row["id"]: row for row in read_all(odoo, PRODUCT, sorted(set(ids)), acts_on=PICKING.model)
    }
    for index, number in enumerate(ids):
        if rows[number]["type"] == "service":
            raise ValidationError(
                f"{rows[number]['display_name']} is a service: it cannot be moved.",
                suggestion="Leave the line out.",
                details={"field": f"lines[{index}].product_id"},
            )
    return [rows[number] for number in ids]
