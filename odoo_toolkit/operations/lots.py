"""Lots and serial numbers that a caller names: checked, found, and where their stock lies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, invalid
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.operations.lines import Line
from odoo_toolkit.operations.steps import Step
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

_TOLERANCE = 1e-6

#: Lots that an error lists.
_MOST_LOTS = 10


@attrs.frozen(kw_only=True)
class NamedLot:
    """A lot or serial number as a caller names it.

    Attributes:
        product: whose it is to be.
        name: such as ``LOT-0001``.
        field: of the argument, for errors.
    """

    product: RecordName
    name: str
    field: str

    @property
    def key(self) -> tuple[int, str]:
        """By what it is found among the lots."""
        return self.product.id, self.name


def lot_model(odoo: Odoo) -> str:
    """Return the model of lots and serial numbers: it was renamed in 16."""
    return "stock.lot" if odoo.version.major >= 16 else "stock.production.lot"


def checked_lots(line: Line, index: int) -> list[str]:
    """Return the names under ``lots`` of a line, or refuse what is none, or there twice."""
    field = f"lines[{index}].lots"
    given = plain(line.get("lots", []))
    if not isinstance(given, list) or not all(isinstance(n, str) and n.strip() for n in given):
        raise invalid(field, f"{field} must list lot or serial numbers as strings.")
    names = [name.strip() for name in given]
    check_once(names, field)
    return names


def check_once(names: Sequence[str], field: str) -> None:
    """Refuse a number that is there twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise invalid(
            field, f"{', '.join(twice)} is listed twice ({field}).", "List each number once."
        )


def check_tracking(
    product: RecordName, tracking: str | None, names: Sequence[str], quantity: float, field: str
) -> None:
    """Refuse names that do not fit how a product is tracked.

    Args:
        product: of the line.
        tracking: none, lot or serial.
        names: of its lots.
        quantity: in the product's unit of measure.
        field: the argument of the names.

    Raises:
        ValidationError: it is not tracked, a lot is not one, or serial numbers are not as many as
            there are pieces.
    """
    message = todo = ""
    if tracking not in ("lot", "serial"):
        message = f"{product.name} is not tracked by lots or serial numbers."
        todo = "Omit lots."
    elif tracking == "lot" and len(names) != 1:
        message = f"A line of {product.name} accepts one lot, not {len(names)}."
        todo = "Pass one line for each lot, with its quantity."
    elif tracking == "serial" and abs(quantity - len(names)) > _TOLERANCE:
        message = (
            f"{product.name}: the quantity is {quantity:g}, but the number of serial numbers "
            f"is {len(names)}."
        )
        todo = "Pass one serial number for each unit."
    if message:
        raise invalid(field, f"{message} ({field})", todo)


def find_lots(
    odoo: Odoo, named: Sequence[NamedLot], *, acts_on: str, company: int | None = None
) -> dict[tuple[int, str], int]:
    """Return the ids of those lots that exist, by product and name; one round trip.

    Args:
        odoo: the connection.
        named: lots of any products.
        acts_on: the model of the document that they are for.
        company: whose lots count.

    Raises:
        ValidationError: a name is a lot of another product, and not of this one.
    """
    domain: list[Any] = [["name", "in", sorted({lot.name for lot in named})]]
    if company is not None:
        domain.append(["company_id", "in", [company, False]])
    rows = read_rows(odoo, lot_model(odoo), domain, ("name", "product_id"), acts_on=acts_on)
    found = {(row["product_id"].id, row["name"]): row["id"] for row in rows}
    for lot in named:
        others = [row["product_id"].name for row in rows if row["name"] == lot.name]
        if others and lot.key not in found:
            raise invalid(
                lot.field,
                f"{lot.name} is a lot of {others[0]}, not of {lot.product.name} ({lot.field}).",
                f"Correct the number. If {lot.product.name} has a lot with this "
                f"number, first create a {lot_model(odoo)} with name, product_id and "
                "company_id.",
                lot=lot.name,
            )
    return found


def missing_lot(
    odoo: Odoo, lot: NamedLot, *, acts_on: str, location: int | None = None
) -> NotFoundError:
    """Return the error for a lot that has to exist and does not; it lists those in stock."""
    there = lots_of(odoo, lot.product.id, acts_on=acts_on, location=location)
    return NotFoundError(
        f"{lot.product.name} has no lot or serial number {lot.name} ({lot.field}).",
        suggestion=f"Check the number. In stock: {there}.",
        details={"field": lot.field, "lot": lot.name},
    )


def lots_of(odoo: Odoo, product_id: int, *, acts_on: str, location: int | None = None) -> str:
    """Return in words which lots of a product are in stock, and how much is free; for errors.

    One round trip.

    Args:
        odoo: the connection.
        product_id: of the product.
        acts_on: the model of the document that they are for.
        location: only what lies in it; by default in any that holds stock.
    """
    place: list[Any] = ["location_id.usage", "in", ["internal", "transit"]]
    if location is not None:
        place = ["location_id", "child_of", location]
    domain = [["product_id", "=", product_id], ["lot_id", "!=", False], ["quantity", ">", 0], place]
    fields = ("lot_id", "quantity", "reserved_quantity")
    try:
        rows = read_rows(odoo, "stock.quant", domain, fields, acts_on=acts_on, order="id")
    except OdooError:
        # What is told is that something is wrong: a list beside it must not hide that.
        return "not visible to this user"
    free: dict[str, float] = {}
    for row in rows:
        name = row["lot_id"].name
        free[name] = free.get(name, 0.0) + row["quantity"] - (row["reserved_quantity"] or 0.0)
    told = [f"{name} ({quantity:g} free)" for name, quantity in free.items()]
    more = f" and {len(told) - _MOST_LOTS} more" if len(told) > _MOST_LOTS else ""
    return ", ".join(told[:_MOST_LOTS]) + more or "none"


def create_lot(odoo: Odoo, lot: NamedLot, company: int) -> Step:
    """Return the step that creates a lot."""
    return Step(model=lot_model(odoo), method="create", says=f"Created {lot.name}").of(
        vals_list={"name": lot.name, "product_id": lot.product.id, "company_id": company}
    )


def lots_in_stock(
    odoo: Odoo, ids: Collection[int], *, acts_on: str, locations: Sequence[int] = ()
) -> list[Row]:
    """Return the quants of lots: what lies where, in the product's unit; one round trip.

    Args:
        odoo: the connection.
        ids: of the lots.
        acts_on: the model of the document that they are for.
        locations: only what lies in these; by default in any that holds stock.
    """
    place: list[Any] = ["location_id.usage", "in", ["internal", "transit"]]
    if locations:
        place = ["location_id", "child_of", list(locations)]
    domain = [["lot_id", "in", sorted(ids)], ["quantity", ">", 0], place]
    fields = ("lot_id", "location_id", "quantity", "package_id", "owner_id")
    return read_rows(odoo, "stock.quant", domain, fields, acts_on=acts_on, order="id")


def check_not_in_stock(quants: Sequence[Row], named: NamedLot, lot_id: int | None) -> None:
    """Refuse a serial number that comes in and is there already.

    Args:
        quants: as :func:`lots_in_stock` returns them.
        named: the number.
        lot_id: its id, if it exists.
    """
    for quant in quants:
        if quant["lot_id"].id == lot_id:
            raise invalid(
                named.field,
                f"The serial number {named.name} of {named.product.name} is already in stock, in"
                f" {quant['location_id'].name} ({named.field}).",
                "Pass the serial number of the incoming unit.",
                lot=named.name,
            )


def taken_from(
    odoo: Odoo,
    lot: NamedLot,
    quantity: float,
    quants: Sequence[Row],
    *,
    ratio: float,
    location: int,
    acts_on: str,
    unreserved: bool,
) -> list[Row]:
    """Return from where a lot is taken, place by place: location_id, quantity, package and owner.

    Args:
        odoo: the connection.
        lot: the lot.
        quantity: in a unit of measure.
        quants: the stock of this lot.
        ratio: of the product's unit, in which stock is counted, to that unit.
        location: of the rest, if there is too little.
        acts_on: the model of the record that the operation is about.
        unreserved: whether more may be taken than is in stock.

    Raises:
        ValidationError: there is too little of it.
    """
    parts: list[Row] = []
    left = quantity
    for quant in quants:
        part = min(left, quant["quantity"] / ratio)
        if part > _TOLERANCE:
            held = ("location_id", "package_id", "owner_id")
            parts.append({n: quant[n].id for n in held if quant[n]} | {"quantity": part})
            left -= part
    if left <= _TOLERANCE:
        return parts
    if not unreserved:
        there = lots_of(odoo, lot.product.id, acts_on=acts_on, location=location)
        raise invalid(
            lot.field,
            f"{lot.name} ({lot.product.name}) needs {quantity:g}, but only {quantity - left:g} "
            f"are in stock ({lot.field}).",
            "Choose another lot, or pass unreserved=True to let its stock go below "
            f"zero. In stock: {there}.",
            lot=lot.name,
        )
    return [*parts, {"location_id": location, "quantity": left}]
