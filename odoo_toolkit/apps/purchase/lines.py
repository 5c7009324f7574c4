"""The lines of a new purchase order: checked before anything is sent, then in Odoo's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, make_error
from odoo_toolkit.operations.lines import check_lines, checked_number, wanted_product
from odoo_toolkit.records.names import Wanted

LINE_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "product_id": {"type": "integer"},
            "product_name": {"type": "string"},
            "quantity": {"type": "number", "exclusiveMinimum": 0, "default": 1},
            "price_unit": {"type": "number", "description": "Default: the vendor's."},
            "discount": {"type": "number", "description": "Per cent; from Odoo 17 on."},
            "date_planned": {"type": "string"},
            "name": {"type": "string", "description": "Text; alone it makes a note."},
        },
    },
}
_LINE_KEYS = tuple(LINE_SCHEMA["items"]["properties"])  # type: ignore[index]
_MODEL = "purchase.order.line"


def checked_lines(odoo: Odoo, lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines, or refuse what cannot be a line of an order.

    Raises:
        ValidationError: naming the line and the key.
    """
    return [_checked(odoo, line, n) for n, line in enumerate(check_lines(lines, _LINE_KEYS))]


def wanted_products(lines: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """Return the products that lines name, of the lines that name one; only what can be bought."""
    return [
        attrs.evolve(wanted_product(line, index), domain=(("purchase_ok", "=", True),))
        for index, line in enumerate(lines)
        if names_product(line)
    ]


def names_product(line: Mapping[str, Any]) -> bool:
    """Whether a line buys something; else it is a note."""
    return "product_id" in line or "product_name" in line


def line_values(odoo: Odoo, line: Mapping[str, Any], product_id: int | None) -> dict[str, Any]:
    """Return what creates a line.

    Args:
        odoo: the connection.
        line: as :func:`checked_lines` returned it.
        product_id: what its product was resolved to; None for a note.
    """
    if product_id is None:
        # Without a quantity, Odoo refuses a note.
        return {"display_type": "line_note", "name": line["name"], "product_qty": 0}
    told = ("price_unit", "discount", "name", "date_planned")
    values = {"product_id": product_id, "product_qty": line.get("quantity", 1)}
    values |= {key: line[key] for key in told if key in line}
    return to_wire(values, _MODEL, odoo.schema.fields(_MODEL), fields_of=odoo.schema.fields)


def _checked(odoo: Odoo, line: dict[str, Any], index: int) -> dict[str, Any]:
    where = f"lines[{index}]"
    name = line.get("name")
    if name is not None and not isinstance(name, str):
        raise ValidationError(f"{where}.name must be text.", details={"field": f"{where}.name"})
    if not names_product(line) and (not (name or "").strip() or set(line) != {"name"}):
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{where} has no product.",
            suggestion="Give product_id or product_name, or nothing but a name for a note.",
            details={"field": f"{where}.product_id"},
        )
    for key in ("quantity", "price_unit", "discount"):
        if key in line:
            checked_number(line[key], f"{where}.{key}", positive=key == "quantity")
    if "discount" in line and "discount" not in odoo.schema.fields(_MODEL):
        raise ValidationError(
            f"{where}.discount: lines of purchase orders have discounts from Odoo 17 on only.",
            suggestion="Give the reduced price_unit instead.",
            details={"field": f"{where}.discount"},
        )
    if not 0 <= line.get("discount", 0) <= 100:
        raise ValidationError(
            f"{where}.discount is per cent, from 0 to 100, not {line['discount']:g}.",
            details={"field": f"{where}.discount"},
        )
    return line
