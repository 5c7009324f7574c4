"""From where to where a transfer goes, and by which operation type."""

from __future__ import annotations

from typing import Any

import attrs

from odoo_toolkit.apps.accounting.invoices import acting_company
from odoo_toolkit.apps.inventory.transfers import read_stored
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError

#: kind -> the warehouse's field for its operation type, the usage of the partner's side, and the
#: end that lies in the warehouse. The types of internal transfers may be archived: without storage
#: locations, Odoo hides them, and a search by code finds none.
_KINDS = {
    "internal": ("int_type_id", None),
    "incoming": ("in_type_id", "supplier"),
    "outgoing": ("out_type_id", "customer"),
}


@attrs.frozen(kw_only=True)
class Route:
    """Ids of the operation type, the locations and the company."""

    picking_type: int
    source: int
    destination: int
    company: int


def find_route(odoo: Odoo, kind: str, source: int | None, destination: int | None) -> Route:
    """Return the route of a kind of transfer, in 2 to 4 round trips.

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
    wanted = ["complete_name", "usage"]
    for row in read_stored(odoo, "stock.location", named, wanted) if named else ():
        if row["usage"] == "view":
            raise ValidationError(
                f"{row['complete_name']} only groups other locations and holds no stock.",
                suggestion="Give a location in it.",
                details={"field": "location_src_id" if row["id"] == source else "location_dest_id"},
            )
    inside = destination if kind == "incoming" else source or destination
    warehouse = _warehouse(odoo, field, inside)
    (kind_row,) = read_stored(
        odoo,
        "stock.picking.type",
        [warehouse[field][0]],
        ["default_location_src_id", "default_location_dest_id"],
    )
    ends = {
        "location_src_id": source or _id(kind_row["default_location_src_id"]),
        "location_dest_id": destination or _id(kind_row["default_location_dest_id"]),
    }
    for name, end in ends.items():
        # To 16, Odoo asks the partner for the other end, so the type has none.
        if end is None and partner_usage:
            ends[name] = _partner_location(odoo, partner_usage)
    if ends["location_src_id"] == ends["location_dest_id"]:
        missing = "location_dest_id" if destination is None else "location_src_id"
        raise ValidationError(
            "The transfer would begin and end in the same location.",
            suggestion=f"Give {missing}: another location than the default.",
            details={"field": missing},
        )
    return Route(
        picking_type=kind_row["id"],
        source=ends["location_src_id"] or 0,
        destination=ends["location_dest_id"] or 0,
        company=warehouse["company_id"][0],
    )


def _warehouse(odoo: Odoo, field: str, location: int | None) -> dict[str, Any]:
    """Return the warehouse that a location is in, else the company's first."""
    by_company = ["company_id", "=", acting_company(odoo)]
    domains: list[list[Any]] = [[by_company]]
    if location is not None:
        domains.insert(0, [["view_location_id", "parent_of", location]])
    for domain in domains:
        rows: list[dict[str, Any]] = odoo.call(
            Call(
                model="stock.warehouse",
                method="search_read",
                arguments={"domain": domain, "fields": [field, "company_id"], "limit": 1},
            )
        )
        if rows and rows[0][field]:
            return rows[0]
    raise NotFoundError(
        "The company has no warehouse for this kind of transfer.",
        suggestion="Name a location of a warehouse, or connect for another company"
        " (ODOO_COMPANY_ID).",
        details={"model": "stock.warehouse"},
    )


def _partner_location(odoo: Odoo, usage: str) -> int | None:
    rows = odoo.call(
        Call(
            model="stock.location",
            method="search",
            arguments={"domain": [["usage", "=", usage]], "order": "id", "limit": 1},
        )
    )
    return rows[0] if rows else None


def _id(value: Any) -> int | None:
    return value[0] if value else None
