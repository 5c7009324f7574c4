"""Lines of sales orders: new lines, and changes of existing lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.sales.orders import LAYOUT
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid


class NewLine(TypedDict, total=False):
    """A line of a quotation: a product, a note or a heading."""

    product_id: int
    product_name: str
    quantity: Annotated[float, op.JsonSchema({"type": "number", "default": 1})]
    price_unit: float
    discount: Annotated[float, Doc("Percentage.")]
    uom: op.Uom
    name: Annotated[str, Doc("Text. Alone: a note.")]
    section: Annotated[str, Doc("Alone: a section heading.")]


NewLines = Annotated[Sequence[NewLine] | None, op.OBJECTS, Doc("Lines to add.")]
Add = Annotated[NewLines, Doc("Lines as in create_order.")]
LINE = "sale.order.line"
_FREE_SINCE = 18

#: What is compared to see whether lines were changed.
LINE_FIELDS = (
    *("product_id", "name", "display_type", "sequence"),
    *("product_uom_qty", "price_unit", "discount"),
)


def checked_lines(
    odoo: Odoo, lines: Sequence[Mapping[str, Any]], argument: str = "lines"
) -> list[dict[str, Any]]:
    """Return the lines, or refuse what cannot be a line of an order.

    Args:
        odoo: the connection.
        lines: as they were given.
        argument: that they were given as, for messages.

    Raises:
        ValidationError: naming the line and the key.
    """
    given = op.check_lines(lines, NewLine.__annotations__, argument)
    return [_checked(odoo, line, f"{argument}[{index}]") for index, line in enumerate(given)]


def line_commands(
    odoo: Odoo,
    lines: Sequence[Mapping[str, Any]],
    product_ids: Sequence[int | None],
    argument: str = "lines",
) -> list[list[Any]]:
    """Return the commands that create the lines; 3 round trips where one has a unit of its own.

    Args:
        odoo: the connection.
        lines: as :func:`checked_lines` returned them.
        product_ids: what ``op.wanted_products`` was resolved to.
        argument: that they were given as, for messages.
    """
    ids = iter(product_ids)
    values = [_line_values(line, next(ids) if op.names_product(line) else None) for line in lines]
    op.put_units(odoo, LINE, list(zip(lines, values, strict=True)), argument)
    return [[0, 0, each] for each in values]


def _checked(odoo: Odoo, line: dict[str, Any], where: str) -> dict[str, Any]:
    if "section" in line:
        return _checked_section(line, where)
    # To 17, Odoo takes no line without a product; from 18 on, it takes one until it confirms.
    free = odoo.version.major >= _FREE_SINCE
    heading = " For a heading, set only section."
    op.check_described(odoo, line, where, "sale_ok", free=free, also=heading)
    op.check_line_numbers(line, where)
    return line


def _checked_section(line: dict[str, Any], where: str) -> dict[str, Any]:
    title = line["section"]
    if len(line) > 1 or not isinstance(title, str) or not title.strip():
        raise invalid(
            f"{where}.section",
            f"{where}.section must be the text of a heading, without other keys.",
            "Put the products of the section into separate lines.",
        )
    return line


def _line_values(line: Mapping[str, Any], product_id: int | None) -> dict[str, Any]:
    if "section" in line:
        return {"display_type": "line_section", "name": line["section"]}
    if product_id is None and set(line) == {"name"}:
        return {"display_type": "line_note", "name": line["name"]}
    values: dict[str, Any] = {"product_uom_qty": line.get("quantity", 1)}
    if product_id is not None:
        values["product_id"] = product_id
    return values | {key: line[key] for key in ("price_unit", "discount", "name") if key in line}


def checked_changes(
    odoo: Odoo,
    add: Sequence[Mapping[str, Any]] | None,
    change: Sequence[Mapping[str, Any]] | None,
    remove: Sequence[int | str] | None,
) -> tuple[list[dict[str, Any]], list[op.Meant], list[op.Meant]]:
    """Return what is to be added, changed and removed, or refuse what cannot be.

    Raises:
        ValidationError: naming the line and the key.
    """
    asked = op.checked_changes(change, remove)
    return (checked_lines(odoo, add, "add") if add else [], *asked)


def resolved_changes(
    odoo: Odoo,
    order: op.Row,
    lines: Sequence[op.Row],
    asked: tuple[list[dict[str, Any]], list[op.Meant], list[op.Meant]],
    others: Sequence[op.Wanted] = (),
) -> tuple[op.LineChanges, list[int | None]]:
    """Return what is to be done to the lines of an order, and the ids of what else is wanted.

    Args: as of ``op.resolved_changes``; ``asked`` as :func:`checked_changes` returned it.
    """
    add, *meant = asked
    new = op.wanted_products(add, "sale_ok", "add")
    products, changes, ids = op.resolved_changes(
        odoo, order, lines, (meant[0], meant[1]), new, others
    )
    added = line_commands(odoo, add, products, "add")
    return attrs.evolve(changes, added=op.at_the_end(lines, added)), ids


def line_rows(odoo: Odoo, order_id: int, fields: Sequence[str] = LINE_FIELDS) -> list[op.Row]:
    """Return the rows of an order's lines in their order."""
    return op.line_rows(odoo, LAYOUT, order_id, fields)
