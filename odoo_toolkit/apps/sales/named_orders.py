"""The orders that a list of ids and numbers means."""

from __future__ import annotations

from typing import Any

import attrs

from odoo_toolkit.apps.sales.orders import ORDER
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import Row, not_found, read_all, read_rows
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve_all
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import is_id, short_repr

#: Orders in one call.
MOST_ORDERS = 50

_ORDERS = attrs.evolve(ORDER, argument="orders", fields=(*ORDER.fields, "company_id"))


def find_orders(odoo: Odoo, orders: Any) -> list[Row]:
    """Return the rows of the orders meant, in one round trip where their numbers are exact.

    Args:
        odoo: the connection.
        orders: 1 to 50 ids and numbers; digits are an id, or a number where such an order is.

    Raises:
        ValidationError: there are none or too many, one is given twice, or one is no id or number.
        AmbiguousNameError: one means several.
        NotFoundError: there is no such order.
    """
    given = plain(orders)
    if not isinstance(given, list) or not 0 < len(given) <= MOST_ORDERS:
        raise ValidationError(
            f"orders must be a list of 1 to {MOST_ORDERS} ids or numbers.",
            suggestion="Give e.g. ['S00012'], and more than that in several calls.",
            details={"field": "orders"},
        )
    said = [item.strip() if isinstance(item, str) else item for item in given]
    for index, item in enumerate(said):
        if not item or not (isinstance(item, str) or is_id(item)):
            raise ValidationError(
                f"orders[{index}] is {short_repr(item)}, which is no id and no number.",
                details={"field": f"orders[{index}]"},
            )
    ids = [number for item in said if (number := _as_id(item))]
    names = [item for item in said if isinstance(item, str)]
    exact = ["|", ["id", "in", ids], ["name", "in", names]]
    rows = read_rows(odoo, ORDER.model, exact, _ORDERS.fields)
    meant: dict[int, Row] = {}
    named: dict[int, Wanted] = {}
    missing: list[int] = []
    for index, item in enumerate(said):
        found = [row for row in rows if row["id"] == _as_id(item) or row["name"] == item]
        if len(found) == 1:
            meant[index] = found[0]
        elif found:
            # Also where digits are the number of one order and the id of another one.
            matches = [RecordName(id=row["id"], name=row["name"]) for row in found]
            raise AmbiguousNameError(f"orders[{index}]", item, ORDER.model, matches)
        elif number := _as_id(item):
            missing.append(number)
        else:
            named[index] = Wanted(model=ORDER.model, field=f"orders[{index}]", name=item)
    if missing:
        raise not_found(_ORDERS, missing)
    if named:
        found_ids = [number for number in resolve_all(odoo, list(named.values())) if number]
        meant |= dict(zip(named, read_all(odoo, _ORDERS, found_ids), strict=True))
    return _once([meant[index] for index in range(len(said))])


def _as_id(item: int | str) -> int | None:
    number = int(item) if isinstance(item, str) and item.isdecimal() else item
    return number if isinstance(number, int) and is_id(number) else None


def _once(rows: list[Row]) -> list[Row]:
    first: dict[int, int] = {}
    for index, row in enumerate(rows):
        if row["id"] in first:
            raise ValidationError(
                f"orders[{first[row['id']]}] and orders[{index}] are both {row['name']}.",
                suggestion="Give each order once.",
                details={"field": f"orders[{index}]", "id": row["id"]},
            )
        first[row["id"]] = index
    return rows
