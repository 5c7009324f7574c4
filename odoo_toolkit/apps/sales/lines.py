"""The lines of a new order: checked before anything is sent, then in Odoo's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.errors import ValidationError, make_error
from odoo_toolkit.operations.lines import check_lines, checked_number, wanted_product
from odoo_toolkit.records.names import Wanted

_LINE_KEYS = (
    *("product_id", "product_name", "quantity", "price_unit", "discount", "name"),
    "section",
)
LINE_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "product_id": {"type": "integer"},
            "product_name": {"type": "string"},
            "quantity": {"type": "number", "default": 1},
            "price_unit": {"type": "number"},
            "discount": {"type": "number", "description": "Per cent."},
            "name": {"type": "string", "description": "Text; alone it makes a note."},
            "section": {"type": "string", "description": "Alone: a heading."},
        },
    },
}


def checked_lines(
    lines: Sequence[Mapping[str, Any]], argument: str = "lines"
) -> list[dict[str, Any]]:
    """Return the lines, or refuse what cannot be a line of an order.

    Args:
        lines: as they were given.
        argument: that they were given as, for messages.

    Raises:
        ValidationError: naming the line and the key.
    """
    given = check_lines(lines, _LINE_KEYS, argument)
    return [_checked(line, f"{argument}[{index}]") for index, line in enumerate(given)]


def wanted_products(lines: Sequence[Mapping[str, Any]], argument: str = "lines") -> list[Wanted]:
    """Return the products that lines name, of the lines that name one; only what can be sold."""
    return [
        attrs.evolve(wanted_product(line, index, argument), domain=(("sale_ok", "=", True),))
        for index, line in enumerate(lines)
        if _names_product(line)
    ]


def line_commands(
    lines: Sequence[Mapping[str, Any]], product_ids: Sequence[int | None]
) -> list[list[Any]]:
    """Return the commands that create the lines.

    Args:
        lines: as :func:`checked_lines` returned them.
        product_ids: what :func:`wanted_products` was resolved to.
    """
    ids = iter(product_ids)
    return [
        [0, 0, _line_values(line, next(ids) if _names_product(line) else None)] for line in lines
    ]


def _names_product(line: Mapping[str, Any]) -> bool:
    return "product_id" in line or "product_name" in line


def _checked(line: dict[str, Any], where: str) -> dict[str, Any]:
    if "section" in line:
        return _checked_section(line, where)
    name = line.get("name")
    if name is not None and not isinstance(name, str):
        raise ValidationError(f"{where}.name must be text.", details={"field": f"{where}.name"})
    if not _names_product(line) and not (name or "").strip():
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{where} has neither a product nor a text.",
            suggestion="Give product_id or product_name, a name for a note, or a section.",
            details={"field": f"{where}.product_id"},
        )
    check_numbers(line, where)
    return line


def _checked_section(line: dict[str, Any], where: str) -> dict[str, Any]:
    title = line["section"]
    if len(line) > 1 or not isinstance(title, str) or not title.strip():
        raise ValidationError(
            f"{where}.section must be the heading's text, and stand alone.",
            suggestion="Put what is sold below it into lines of their own.",
            details={"field": f"{where}.section"},
        )
    return line


def check_numbers(line: Mapping[str, Any], where: str) -> None:
    """Refuse a quantity, price or discount that cannot be one."""
    for key in ("quantity", "price_unit", "discount"):
        if key in line:
            checked_number(line[key], f"{where}.{key}", positive=False)
    if line.get("quantity", 1) < 0:
        raise ValidationError(
            f"{where}.quantity must not be negative, it is {line['quantity']:g}.",
            suggestion="For a return or refund, make a credit note instead.",
            details={"field": f"{where}.quantity"},
        )
    if not 0 <= line.get("discount", 0) <= 100:
        raise ValidationError(
            f"{where}.discount is per cent, from 0 to 100, not {line['discount']:g}.",
            details={"field": f"{where}.discount"},
        )


def _line_values(line: Mapping[str, Any], product_id: int | None) -> dict[str, Any]:
    if "section" in line:
        return {"display_type": "line_section", "name": line["section"]}
    if product_id is None and set(line) == {"name"}:
        return {"display_type": "line_note", "name": line["name"]}
    values: dict[str, Any] = {"product_uom_qty": line.get("quantity", 1)}
    if product_id is not None:
        values["product_id"] = product_id
    return values | {key: line[key] for key in ("price_unit", "discount", "name") if key in line}
