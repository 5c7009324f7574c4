"""What is to be done to an order's lines: some are changed or removed, others come in addition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.apps.sales.lines import (
    check_numbers,
    checked_lines,
    line_commands,
    wanted_products,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.operations.documents import Row
from odoo_toolkit.operations.lines import NamesOrIds, check_lines, wanted_each
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve_all

#: Most lines that an error lists.
_SHOWN = 20

_CHANGES = {"quantity": "product_uom_qty", "price_unit": "price_unit", "discount": "discount"}
_KEYS = ("line_id", "product_id", "product_name", *_CHANGES, "name")
_OBJECTS = JsonSchema({"type": "array", "items": {"type": "object"}})

Lines = Annotated[Sequence[Mapping[str, Any]] | None, _OBJECTS]
Add = Annotated[Lines, Doc("As the lines of create_order.")]
Change = Annotated[
    Lines, Doc("line_id or product_name, and new quantity, price_unit, discount, name.")
]
Remove = Annotated[NamesOrIds, Doc("Product names, or line ids.")]


@attrs.frozen(kw_only=True)
class LineChanges:
    """What is to be done to the lines of an order.

    Attributes:
        changed: line id -> its new values, in Odoo's form.
        removed: ids of lines.
        added: commands that make lines.
    """

    changed: dict[int, dict[str, Any]] = attrs.Factory(dict)
    removed: list[int] = attrs.Factory(list)
    added: list[list[Any]] = attrs.Factory(list)

    def told(self) -> str:
        """Return how many lines are concerned, in words."""
        counts = {"added": self.added, "changed": self.changed, "removed": self.removed}
        return ", ".join(f"{len(lines)} {what}" for what, lines in counts.items() if lines)


@attrs.frozen
class _Meant:
    """A line of the order that somebody means, by its id or its product."""

    where: str
    values: Mapping[str, Any]

    def wanted(self, products: Sequence[int]) -> list[Wanted]:
        """Return the product by whose name it is meant; none where it is by an id."""
        if "product_name" not in self.values or "product_id" in self.values:
            return []
        return [
            Wanted(
                model="product.product",
                field=f"{self.where}.product_id",
                name=self.values["product_name"],
                domain=(("id", "in", products),),
            )
        ]


def checked(
    add: Sequence[Mapping[str, Any]] | None,
    change: Sequence[Mapping[str, Any]] | None,
    remove: Sequence[int | str] | None,
) -> tuple[list[dict[str, Any]], list[_Meant], list[_Meant]]:
    """Return what is to be added, changed and removed, or refuse what cannot be.

    Raises:
        ValidationError: naming the line and the key.
    """
    changes = [
        _Meant(f"change[{index}]", line)
        for index, line in enumerate(check_lines(change, _KEYS, "change") if change else ())
    ]
    for item in changes:
        check_numbers(item.values, item.where)
        if not {*_CHANGES, "name"} & item.values.keys():
            raise ValidationError(
                f"{item.where} does not say what is new.",
                suggestion="Give quantity, price_unit, discount or name.",
                details={"field": item.where},
            )
    removals = [
        _Meant(item.field, {"line_id": item.id} if item.id else {"product_name": item.name})
        for item in wanted_each("product.product", remove, "remove")
    ]
    for item in [*changes, *removals]:
        if sum(key in item.values for key in ("line_id", "product_id", "product_name")) != 1:
            raise ValidationError(
                f"{item.where} must name one line.",
                suggestion="Give line_id, product_id or product_name: one of them.",
                details={"field": item.where},
            )
    return checked_lines(add, "add") if add else [], changes, removals


def resolved(
    odoo: Odoo,
    order: Row,
    lines: Sequence[Row],
    asked: tuple[list[dict[str, Any]], list[_Meant], list[_Meant]],
    others: Sequence[Wanted] = (),
) -> tuple[LineChanges, list[int | None]]:
    """Return what is to be done to the lines of an order, and the ids of what else is wanted.

    Args:
        odoo: the connection.
        order: its row.
        lines: the rows of its lines, with product_id, display_type and sequence.
        asked: as :func:`checked` returned it.
        others: names that are looked up together with the products'.

    Raises:
        AmbiguousNameError: a name matches several products; not in ``remove``.
        NotFoundError: the order has no such product.
        ValidationError: it has no such line, or several, or one is meant twice.
    """
    add, changes, removals = asked
    sold = sorted({line["product_id"].id for line in lines if line["product_id"]})
    meant = [*changes, *removals]
    by_name = [(item, wanted) for item in meant for wanted in item.wanted(sold)]
    new = wanted_products(add, "add")
    try:
        found = resolve_all(odoo, [*new, *(wanted for _, wanted in by_name), *others])
    except (NotFoundError, AmbiguousNameError) as error:
        items = {wanted.field: item for item, wanted in by_name}
        raise _by_lines(error, order, lines, items.get(error.details.get("field", ""))) from error
    rest = found[len(new) :]
    products = {item.where: product for (item, _), product in zip(by_name, rest, strict=False)}
    result = LineChanges(added=line_commands(add, found[: len(new)]))
    last = max((line["sequence"] or 0 for line in lines), default=None)
    for _, _, values in result.added if last is not None else ():
        values["sequence"] = last
    taken: set[int] = set()
    for item in meant:
        line = _line(order, lines, item, products.get(item.where, item.values.get("product_id")))
        if line["id"] in taken:
            raise ValidationError(
                f"{item.where} means the line {line['id']}, which is meant before.",
                suggestion="Name each line once.",
                details={"field": item.where},
            )
        taken.add(line["id"])
        if item.where.startswith("remove"):
            result.removed.append(line["id"])
        else:
            result.changed[line["id"]] = _values(line, item)
    return result, rest[len(by_name) :]


def _by_lines(
    error: NotFoundError | AmbiguousNameError,
    order: Row,
    lines: Sequence[Row],
    item: _Meant | None,
) -> OdooError:
    """Return an error that tells the order's lines, where a product's id is no way out.

    The order may lack a product that exists; and in ``remove`` a number is that of a line.
    """
    several = isinstance(error, AmbiguousNameError)
    if item is None or (several and not item.where.startswith("remove")):
        return error
    ids = [match["id"] for match in error.details.get("matches", ())]
    meant = [line for line in lines if line["product_id"] and line["product_id"].id in ids]
    shown = (meant or lines)[:_SHOWN]
    kind = ValidationError if several else NotFoundError
    return kind(
        f"{order['name']} has {'several lines' if several else 'no line'} with the product"
        f" {item.values['product_name']!r} ({item.where}).",
        suggestion=_lines_told(shown),
        details={"field": item.where, "lines": [line["id"] for line in shown]},
    )


def _line(order: Row, lines: Sequence[Row], item: _Meant, product: int | None) -> Row:
    """Return the line that is meant."""
    if "line_id" in item.values:
        meant = [line for line in lines if line["id"] == item.values["line_id"]]
        said = f"the id {item.values['line_id']}"
    else:
        meant = [line for line in lines if line["product_id"] and line["product_id"].id == product]
        said = f"the product {item.values.get('product_name', product)}"
    if len(meant) == 1:
        return meant[0]
    shown = (meant or lines)[:_SHOWN]
    problem = "several lines" if meant else "no line"
    raise ValidationError(
        f"{order['name']} has {problem} with {said} ({item.where}).",
        suggestion=_lines_told(shown),
        details={"field": item.where, "lines": [line["id"] for line in shown]},
    )


def _lines_told(lines: Sequence[Row]) -> str:
    listed = "; ".join(f"{line['id']} {_called(line)}" for line in lines[:_SHOWN])
    return f"Give one of these as line_id: {listed}"


def _called(line: Row) -> str:
    name = line["product_id"].name if line["product_id"] else line["name"]
    return f"{(name or '')[:40]} ({line['product_uom_qty']:g} at {line['price_unit']:g})"


def _values(line: Row, item: _Meant) -> dict[str, Any]:
    numbers = [key for key in _CHANGES if key in item.values]
    if line["display_type"] and numbers:
        raise ValidationError(
            f"{item.where} is a section or note, which has no {numbers[0]}.",
            suggestion="Give its name only.",
            details={"field": f"{item.where}.{numbers[0]}"},
        )
    values = {_CHANGES[key]: item.values[key] for key in numbers}
    if "name" in item.values:
        if not isinstance(item.values["name"], str) or not item.values["name"].strip():
            raise ValidationError(
                f"{item.where}.name must be text.", details={"field": f"{item.where}.name"}
            )
        values["name"] = item.values["name"]
    return values
