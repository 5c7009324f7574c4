"""A function that creates transfers.

Both locations must fit the kind of the transfer. The locations that you name decide the warehouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Gt, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory import actions
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT, check_movable, look_at
from odoo_toolkit.apps.inventory.transfers import PICKING, Kind, Transfer, moves_field, previewed
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, invalid
from odoo_toolkit.records.results import RecordName

#: kind -> the warehouse's field for its operation type, the usage of the partner's side, and the
#: end that lies in the warehouse. The types of internal transfers may be archived: without storage
#: locations, Odoo hides them, and a search by code finds none.
_Kind = {
    "internal": ("int_type_id", None),
    "incoming": ("in_type_id", "supplier"),
    "outgoing": ("out_type_id", "customer"),
}


#: Of an operation type: where its transfers begin and end.
_DEFAULTS = ("default_location_src_id", "default_location_dest_id")


@attrs.frozen(kw_only=True)
class Route:
    """Ids of the operation type, the locations and the company."""

    picking_type: int
    source: int
    destination: int
    company: int


def find_route(odoo: Odoo, kind: str, source: int | None, destination: int | None) -> Route:
    """Return the route of a kind of transfer, in 2 to 5 round trips.

    Args:
        odoo: the connection.
        kind: internal, incoming or outgoing.
        source: a location, or None for the operation type's.
        destination: likewise.

    Raises:
        NotFoundError: a location does not exist, or there is no warehouse.
        ValidationError: the locations make no transfer.
    """
    field, partner_usage = _Kind[kind]
    named = [number for number in (source, destination) if number is not None]
    for row in op.read_all(odoo, LOCATION, named, acts_on=PICKING.model) if named else ():
        if row["usage"] == "view":
            raise invalid(
                "location_src_id" if row["id"] == source else "location_dest_id",
                f"{row['complete_name']} only groups other locations and holds no stock.",
                "Choose a location inside it.",
            )
    inside = destination if kind == "incoming" else source or destination
    warehouse = _warehouse(odoo, field, inside)
    picking_type = warehouse[field].id
    of_type, acts_on = [["id", "=", picking_type]], PICKING.model
    at = op.first(odoo, "stock.picking.type", of_type, _DEFAULTS, acts_on=acts_on)
    start, end = (
        given
        or (at[default].id if at and at[default] else None)
        # Up to 16, Odoo asks the partner for the other end, so the type has none.
        or (_partner_location(odoo, partner_usage) if partner_usage else None)
        for given, default in zip((source, destination), _DEFAULTS, strict=True)
    )
    if start is None or end is None or start == end:
        missing = "location_dest_id" if destination is None else "location_src_id"
        raise invalid(
            missing,
            "The source and the destination of the transfer are the same location.",
            f"Set {missing} to a location other than the default.",
        )
    return Route(
        picking_type=picking_type,
        source=start,
        destination=end,
        company=warehouse["company_id"].id,
    )


def _warehouse(odoo: Odoo, field: str, location: int | None) -> op.Row:
    """Return the warehouse that a location is in, else the company's first."""

    def first(*leaf: Any) -> op.Row | None:
        fields, how = (field, "company_id"), {"acts_on": PICKING.model, "active_test": True}
        row = op.first(odoo, "stock.warehouse", [[*leaf]], fields, **how)
        return row if row and row[field] else None

    found = first("view_location_id", "parent_of", location) if location is not None else None
    found = found or first("company_id", "=", op.acting_company(odoo, PICKING.model))
    if found is None:
        raise NotFoundError(
            "The company has no warehouse for this kind of transfer.",
            suggestion="Choose a location of a warehouse, or connect for another company "
            "(company_id).",
            details={"model": "stock.warehouse"},
        )
    return found


def _partner_location(odoo: Odoo, usage: str) -> int | None:
    how = {"acts_on": PICKING.model, "order": "id", "active_test": True}
    row = op.first(odoo, LOCATION.model, [["usage", "=", usage]], ["usage"], **how)
    return row["id"] if row else None


CREATE = op.Step(model=PICKING.model, method="create", says="Transfer created")


class _Product(TypedDict, total=False):
    product_id: int
    product_name: str


class NewLine(_Product):
    """A product of a new transfer, and its quantity."""

    quantity: Annotated[float, Gt(0), Doc("In the product's unit of measure.")]


@op.operation
def create_transfer(
    odoo: Odoo,
    *,
    picking_type_name: Annotated[Kind, Doc("Kind of transfer.")] = "internal",
    location_src_id: Annotated[op.NameOrId, Doc("Source. Default: the operation type's.")] = None,
    location_dest_id: Annotated[
        op.NameOrId, Doc("Destination. Default: the operation type's.")
    ] = None,
    lines: Annotated[
        Sequence[NewLine],
        Len(1, 500),
        Doc("Each with a product and a quantity, and lots if it is tracked."),
    ],
    scheduled_date: Annotated[
        str | None, Doc("ISO date or datetime. UTC without an offset.")
    ] = None,
    validate: Annotated[bool, Doc("Also validate it if all is available.")] = False,
    dry_run: op.DryRun = False,
) -> Transfer | op.Plan:
    """Create a draft transfer, and validate it if you ask for it.

    >>> receipt = create_transfer(
    ...     odoo, picking_type_name="incoming", lines=[{"product_name": "Desk", "quantity": 5}]
    ... )
    >>> receipt.state, receipt.lines[0].demand
    ('draft', 5)

    Each line has ``product_id`` or ``product_name``, and ``quantity`` in the product's unit of
    measure. The operation type is one of the warehouse that your locations belong to. Without
    locations, it is one of the company's first warehouse. If the validation fails, the transfer
    stays, and the result says why.

    It takes 6 requests, and those of :func:`validate_picking`.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        ValidationError: A line, a location or the date is wrong. Nothing was written.
        NotFoundError: A product or location does not exist. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    # In a new transfer nothing is reserved: all is looked for first, and reserved.
    validation: list[op.AnyStep] = [
        op.Check(
            check=lambda odoo, number: check_movable(odoo, *look_at(odoo, number)),
            says="Availability checked",
            fails="Not validated",
        ),
        actions.CONFIRM,
        actions.RESERVE,
        actions.check_reserved(None),
        actions.VALIDATE,
    ]
    further = validation if validate else []
    op.permit(odoo, CREATE, *further, dry_run=dry_run)
    op.check_choice(
        picking_type_name, get_args(Kind), "picking_type_name", "{} is not a kind of transfer."
    )
    checked = op.check_lines(lines, NewLine.__annotations__)
    for index, line in enumerate(checked):
        op.checked_number(line.get("quantity"), f"lines[{index}].quantity", positive=True)
    described = odoo.schema.fields(PICKING.model)
    date = {} if scheduled_date is None else {"scheduled_date": scheduled_date}
    head = to_wire(date, PICKING.model, described, fields_of=odoo.schema.fields)
    places = op.wanted_links(
        location_src_id=(LOCATION.model, location_src_id),
        location_dest_id=(LOCATION.model, location_dest_id),
    )
    found = op.resolve_all(
        odoo, [*(op.wanted_product(line, n) for n, line in enumerate(checked)), *places]
    )
    product_ids = [number for number in found[: len(checked)] if number is not None]
    named_ends = dict(zip((place.field for place in places), found[len(checked) :], strict=True))
    products, route = op.gather(
        lambda: _products(odoo, product_ids),
        lambda: find_route(
            odoo,
            picking_type_name,
            named_ends.get("location_src_id"),
            named_ends.get("location_dest_id"),
        ),
    )
    ends = {"location_id": route.source, "location_dest_id": route.destination}
    named = "name" in odoo.schema.fields("stock.move")
    moves = [
        {
            "product_id": product["id"],
            "product_uom": product["uom_id"].id,
            "product_uom_qty": line["quantity"],
            **ends,
            "company_id": route.company,
            # Needed up to 18, and unknown from 19 on.
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
    return op.operate(
        odoo,
        [CREATE.of(vals_list=values), *further],
        (),
        lambda done: actions.transfer_result(odoo, done, created=True, validating=validate),
        message=f"Would create a transfer of {op.counted(len(moves), 'line')}.",
        dry_run=dry_run,
        preview=lambda: [_previewed(odoo, values, checked, products)],
    )


def _previewed(
    odoo: Odoo, values: op.Row, lines: Sequence[op.Row], products: Sequence[op.Row]
) -> op.PlannedDocument:
    """Return a new transfer with the names of its ends; one round trip."""
    fields = ("location_id", "location_dest_id")
    domain = [["id", "in", [values[field] for field in fields]]]
    rows = op.read_rows(odoo, LOCATION.model, domain, ["display_name"], acts_on=PICKING.model)
    names = {row["id"]: RecordName(id=row["id"], name=row["display_name"]) for row in rows}
    ends = {field: names.get(values[field]) for field in fields}
    told = [
        op.PlannedLine(
            product=product["display_name"], quantity=line["quantity"], uom=product["uom_id"].name
        )
        for line, product in zip(lines, products, strict=True)
    ]
    return previewed(ends, told, delivery_date=values.get("scheduled_date"))


def _products(odoo: Odoo, ids: Sequence[int]) -> list[op.Row]:
    """Return the products of lines, or refuse those that cannot be moved."""
    rows = {
        row["id"]: row
        for row in op.read_all(odoo, PRODUCT, sorted(set(ids)), acts_on=PICKING.model)
    }
    for index, number in enumerate(ids):
        if rows[number]["type"] == "service":
            raise invalid(
                f"lines[{index}].product_id",
                f"{rows[number]['display_name']} is a service: it cannot be moved.",
                "Omit the line.",
            )
    return [rows[number] for number in ids]
