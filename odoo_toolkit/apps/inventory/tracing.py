"""Customers who have goods of a lot: deliveries minus returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.records.results import RecordName

_LINE = "stock.move.line"
#: The quantity done is ``qty_done`` up to 16, ``quantity`` later.
_OF_LINE = ("picking_id", "qty_done", "quantity", "product_uom_id", "date", "reference")
_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class Holder(op.Shown):
    """A customer who has some of a lot. None if the transfers have no customer.

    Attributes:
        quantity: Delivered quantity minus returned quantity, in the product's unit.
        transfers: Deliveries and returns, the earliest first.
    """

    partner: RecordName | None
    quantity: float
    transfers: list[str]


def find_lot(odoo: Odoo, lot: str, product: int | None) -> op.Row:
    """Return id, name and product of a lot by its number.

    Raises:
        AmbiguousNameError: several products have a lot of this number.
        NotFoundError: there is no such lot, or the product has none.
    """
    domain: list[Any] = [["name", "=", lot.strip()]]
    domain += [["product_id", "=", product]] if product is not None else []
    model = op.lot_model(odoo)
    rows = op.read_rows(odoo, model, domain, ("name", "product_id"), acts_on=_LINE, limit=20)
    if not rows:
        raise NotFoundError(
            f"There is no lot or serial number {lot.strip()[:60]!r}"
            + (" of this product." if product is not None else "."),
            suggestion="To list the lots that are in stock, call get_stock without a lot.",
            details={"field": "lot", "model": model},
        )
    products = {row["product_id"].id: row["product_id"] for row in rows}
    if len(products) > 1:
        raise op.AmbiguousNameError("product_id", lot, "product.product", list(products.values()))
    return rows[0]


def read_holders(odoo: Odoo, lot: int, unit: RecordName) -> tuple[list[Holder], list[str]]:
    """Return who has some of a lot, the most first, and what else became of it.

    Args:
        odoo: the connection.
        lot: its id.
        unit: the product's.
    """
    done = [["lot_id", "=", lot], ["state", "=", "done"]]

    def moved(*between: list[Any]) -> Callable[[], list[op.Row]]:
        domain = [*done, *between]
        return lambda: op.read_rows(odoo, _LINE, domain, _OF_LINE, order="date, id")

    customer, other = ["customer"], ["not in", ["customer"]]
    out, back, used = op.gather(
        moved(["location_dest_id.usage", "in", customer], ["location_id.usage", *other]),
        moved(["location_id.usage", "in", customer], ["location_dest_id.usage", *other]),
        moved(["location_dest_id.usage", "=", "production"]),
    )
    sizes = op.sizes_of(
        odoo, [unit.id, *(row["product_uom_id"].id for row in (*out, *back, *used))], _LINE
    )
    partners = _partners(odoo, [row["picking_id"].id for row in (*out, *back) if row["picking_id"]])
    found: dict[int, tuple[RecordName | None, list[float], dict[str, None]]] = {}
    for row, way in sorted(
        [*((row, 1) for row in out), *((row, -1) for row in back)], key=lambda one: one[0]["date"]
    ):
        picking = row["picking_id"]
        partner = partners.get(picking.id) if picking else None
        holder = found.setdefault(partner.id if partner else 0, (partner, [], {}))
        holder[1].append(way * _quantity(row, unit, sizes))
        holder[2][picking.name if picking else row["reference"] or ""] = None
    holders = [
        Holder(partner=partner, quantity=round(sum(parts), 6), transfers=list(names))
        for partner, parts, names in found.values()
        if sum(parts) > _TOLERANCE
    ]
    holders.sort(key=lambda one: -one.quantity)
    notes = []
    if used:
        total = sum(_quantity(row, unit, sizes) for row in used)
        orders = ", ".join(dict.fromkeys(row["reference"] or "" for row in used[:20]))
        notes.append(f"{total:g} {unit.name} were used to make other products: {orders}.")
    return holders, notes


def _quantity(row: op.Row, unit: RecordName, sizes: Mapping[int, float]) -> float:
    number = float(row["qty_done"] if row["qty_done"] is not None else row["quantity"] or 0.0)
    own = row["product_uom_id"]
    return number * sizes[own.id] / sizes[unit.id] if own else number


def _partners(odoo: Odoo, pickings: Sequence[int]) -> dict[int, RecordName]:
    """Return the customer of each transfer: the company, whichever of its contacts is named."""
    if not pickings:
        return {}
    of_pickings = [["id", "in", sorted(set(pickings))]]
    rows = op.read_rows(odoo, "stock.picking", of_pickings, ("partner_id",), acts_on=_LINE)
    ids = sorted({row["partner_id"].id for row in rows if row["partner_id"]})
    fields = ("commercial_partner_id",)
    contacts = op.read_rows(odoo, "res.partner", [["id", "in", ids]], fields, acts_on=_LINE)
    own = {one["id"]: one["commercial_partner_id"] for one in contacts}
    return {
        row["id"]: own.get(row["partner_id"].id) or row["partner_id"]
        for row in rows
        if row["partner_id"]
    }
