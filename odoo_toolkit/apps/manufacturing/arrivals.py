"""Confirmed receipts of a product, and how much of them is free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo

#: Read of a product, with the context of :func:`until`.
EXPECTED = ("free_qty", "incoming_qty", "virtual_available")
_OPEN = ("waiting", "confirmed", "partially_available", "assigned")
_INSIDE = ("internal", "transit")
_MOST = 400
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class Arrival(op.Shown):
    """Goods on the way. ``source`` is the order or transfer that brings them."""

    quantity: float
    date: str | None
    source: str | None = None


@attrs.frozen(kw_only=True)
class InTime(op.Shown):
    """What confirmed receipts bring of a product until a day.

    Attributes:
        quantity: that is not meant for others who need it by then.
        arrivals: the receipts, the earliest first; they may bring more than that.
    """

    quantity: float
    arrivals: list[Arrival]

    def covers(self, missing: float) -> str | None:
        """Return the moment from which a missing quantity is there; None if it never is."""
        others = sum(arrival.quantity for arrival in self.arrivals) - self.quantity
        found = -others
        for arrival in self.arrivals:
            found += arrival.quantity
            if found + _TOLERANCE >= missing:
                return arrival.date
        return None


def until(odoo: Odoo, day: str) -> dict[str, Any]:
    """Return the context in which Odoo's expected quantities are those at the end of a day."""
    return {"to_date": op.end_of_day(odoo, day)}


def unclaimed(row: op.Row) -> float:
    """Return what comes of a product and is not meant for others, of :data:`EXPECTED` fields.

    Deliveries for which nothing is reserved yet take from what comes.
    """
    free, incoming = row["free_qty"] or 0.0, row["incoming_qty"] or 0.0
    claimed = max(free + incoming - (row["virtual_available"] or 0.0), 0.0)
    return round(max(incoming - claimed, 0.0), 6)


def read_arrivals(
    odoo: Odoo,
    products: Sequence[int],
    *,
    day: str | None = None,
    acts_on: str | None = None,
    limit: int = _MOST,
) -> dict[int, list[Arrival]]:
    """Return what is to come into stock from elsewhere, by product, the earliest first.

    Args:
        odoo: the connection.
        products: ids of variants.
        day: the last one that counts; None for all that is planned.
        acts_on: the model that the operation is about.
        limit: most arrivals.
    """
    if not products or not odoo.schema.has_model("stock.move"):
        return {}
    domain = [
        ["product_id", "in", list(products)],
        ["state", "in", _OPEN],
        ["location_id.usage", "not in", _INSIDE],
        ["location_dest_id.usage", "in", _INSIDE],
    ]
    domain += [["date", "<=", op.end_of_day(odoo, day)]] if day else []
    fields = ("product_id", "product_qty", "date", "origin", "reference")
    rows = op.read_rows(
        odoo, "stock.move", domain, fields, order="date, id", limit=limit, acts_on=acts_on
    )
    found: dict[int, list[Arrival]] = {}
    for row in rows:
        source = row["origin"] or row["reference"]
        arrival = Arrival(quantity=row["product_qty"], date=row["date"], source=source)
        found.setdefault(row["product_id"].id, []).append(arrival)
    return found


def in_time(rows: Sequence[op.Row], arrivals: Mapping[int, list[Arrival]]) -> dict[int, InTime]:
    """Return what receipts bring of products, by product.

    Args:
        rows: of the products, with :data:`EXPECTED` fields until the day.
        arrivals: as :func:`read_arrivals` gives them until that day.
    """
    found = {}
    for row in rows:
        own = arrivals.get(row["id"], [])
        most = sum(arrival.quantity for arrival in own)
        found[row["id"]] = InTime(quantity=min(unclaimed(row), most), arrivals=own)
    return found
