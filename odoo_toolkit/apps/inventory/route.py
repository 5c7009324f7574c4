"""From where to where a transfer goes, and by which operation type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.apps.inventory.availability import LOCATION
from odoo_toolkit.apps.inventory.transfers import PICKING
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.documents import Row, read_all, read_rows

#: kind -> the warehouse's field for its operation type, the usage of the partner's side, and the
#: end that lies in the warehouse. The types of internal transfers may be archived: without storage
#: locations, Odoo hides them, and a search by code finds none.
_KINDS = {
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
    field, partner_usage = _KINDS[kind]
    named = [number for number in (source, destination) if number is not None]
    for row in read_all(odoo, LOCATION, named, acts_on=PICKING.model) if named else ():
        if row["usage"] == "view":
            raise ValidationError(
                f"{row['complete_name']} only groups other locations and holds no stock.",
                suggestion="Give a location in it.",
                details={"field": "location_src_id" if row["id"] == source else "location_dest_id"},
            )
    inside = destination if kind == "incoming" else source or destination
    warehouse = _warehouse(odoo, field, inside)
    picking_type = warehouse[field].id
    at = _first(odoo, "stock.picking.type", ["id", "=", picking_type], _DEFAULTS, active_test=False)
    start, end = (
        given
        or (at[default].id if at and at[default] else None)
        # To 16, Odoo asks the partner for the other end, so the type has none.
        or (_partner_location(odoo, partner_usage) if partner_usage else None)
        for given, default in zip((source, destination), _DEFAULTS, strict=True)
    )
    if start is None or end is None or start == end:
        missing = "location_dest_id" if destination is None else "location_src_id"
        raise ValidationError(
            "The transfer would not begin and end in two different locations.",
            suggestion=f"Give {missing}: another location than the default.",
            details={"field": missing},
        )
    return Route(
        picking_type=picking_type,
        source=start,
        destination=end,
        company=warehouse["company_id"].id,
    )


def _warehouse(odoo: Odoo, field: str, location: int | None) -> Row:
    """Return the warehouse that a location is in, else the company's first."""

    def first(*leaf: Any) -> Row | None:
        row = _first(odoo, "stock.warehouse", leaf, (field, "company_id"))
        return row if row and row[field] else None

    found = first("view_location_id", "parent_of", location) if location is not None else None
    found = found or first("company_id", "=", acting_company(odoo, PICKING.model))
    if found is None:
        raise NotFoundError(
            "The company has no warehouse for this kind of transfer.",
            suggestion="Name a location of a warehouse, or connect for another company"
            " (company_id).",
            details={"model": "stock.warehouse"},
        )
    return found


def _partner_location(odoo: Odoo, usage: str) -> int | None:
    row = _first(odoo, LOCATION.model, ("usage", "=", usage), ("usage",), order="id")
    return row["id"] if row else None


def _first(
    odoo: Odoo,
    model: str,
    leaf: Sequence[Any],
    fields: Sequence[str],
    *,
    order: str | None = None,
    active_test: bool = True,
) -> Row | None:
    """Return the first record that matches a condition, as part of working on a transfer."""
    rows = read_rows(
        odoo,
        model,
        [list(leaf)],
        fields,
        acts_on=PICKING.model,
        limit=1,
        order=order,
        active_test=active_test,
    )
    return rows[0] if rows else None
