"""Lines of sales orders: new lines, and changes of existing lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.sales.orders import ORDER
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError, make_error


class NewLine(TypedDict, total=False):
    """A line of a quotation: a product, a note or a heading."""

    product_id: int
    product_name: str
    quantity: Annotated[float, op.JsonSchema({"type": "number", "default": 1})]
    price_unit: float
    discount: Annotated[float, Doc("Per cent.")]
    uom: op.Uom
    name: Annotated[str, Doc("Text. Alone: a note.")]
    section: Annotated[str, Doc("Alone: a section heading.")]


class ChangedLine(TypedDict, total=False):
    """The changes of a line of a quotation, identified by ``line_id`` or by its product."""

    line_id: int
    product_id: int
    product_name: str
    quantity: float
    price_unit: float
    discount: float
    name: str


class ChosenLine(TypedDict, total=False):
    """A line of an order, identified by ``line_id`` or by its product, and a quantity."""

    line_id: int
    product_id: int
    product_name: str
    quantity: float


#: What their lines take is described where there is room: in create_order, or in words.
_OBJECTS = op.JsonSchema({"type": "array", "items": {"type": "object"}})

NewLines = Annotated[Sequence[NewLine] | None, _OBJECTS, Doc("Lines to add.")]
ChangedLines = Annotated[
    Sequence[ChangedLine] | None, _OBJECTS, Doc("Lines to change, by id or product.")
]
Add = Annotated[NewLines, Doc("Lines as in create_order.")]
Change = Annotated[
    ChangedLines, Doc("line_id or product_name, and new quantity, price_unit, discount, name.")
]
Chosen = Annotated[
    Sequence[ChosenLine] | None,
    _OBJECTS,
    Doc("Only these: line_id or product_name, and quantity. Default: all that is left."),
]
Remove = Annotated[op.NamesOrIds, Doc("Product names, or line ids.")]

LINE = "sale.order.line"

#: What is compared to see whether lines were changed.
LINE_FIELDS = (
    *("product_id", "name", "display_type", "sequence"),
    *("product_uom_qty", "price_unit", "discount"),
)


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
    given = op.check_lines(lines, NewLine.__annotations__, argument)
    return [_checked(line, f"{argument}[{index}]") for index, line in enumerate(given)]


def wanted_products(lines: Sequence[Mapping[str, Any]], argument: str = "lines") -> list[op.Wanted]:
    """Return the products that lines name, of the lines that name one; only what can be sold."""
    return [
        attrs.evolve(op.wanted_product(line, index, argument), domain=(("sale_ok", "=", True),))
        for index, line in enumerate(lines)
        if _names_product(line)
    ]


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
        product_ids: what :func:`wanted_products` was resolved to.
        argument: that they were given as, for messages.
    """
    ids = iter(product_ids)
    values = [_line_values(line, next(ids) if _names_product(line) else None) for line in lines]
    op.put_units(odoo, LINE, list(zip(lines, values, strict=True)), argument)
    return [[0, 0, each] for each in values]


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
            f"{where} has neither a product nor a name.",
            suggestion="Set product_id or product_name. For a note set only name, and for a "
            "heading only section.",
            details={"field": f"{where}.product_id"},
        )
    check_numbers(line, where)
    return line


def _checked_section(line: dict[str, Any], where: str) -> dict[str, Any]:
    title = line["section"]
    if len(line) > 1 or not isinstance(title, str) or not title.strip():
        raise ValidationError(
            f"{where}.section must be the text of a heading, without other keys.",
            suggestion="Put the products of the section into separate lines.",
            details={"field": f"{where}.section"},
        )
    return line


def check_numbers(line: Mapping[str, Any], where: str) -> None:
    """Refuse a quantity, price or discount that cannot be one."""
    for key in ("quantity", "price_unit", "discount"):
        if key in line:
            op.checked_number(line[key], f"{where}.{key}", positive=False)
    if line.get("quantity", 1) < 0:
        raise ValidationError(
            f"{where}.quantity must not be negative, got {line['quantity']:g}.",
            suggestion="For a return or refund, make a credit note instead.",
            details={"field": f"{where}.quantity"},
        )
    if not 0 <= line.get("discount", 0) <= 100:
        raise ValidationError(
            f"{where}.discount must be a percentage from 0 to 100, not {line['discount']:g}.",
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


#: Most lines that an error lists.
_SHOWN = 20

#: What is new of a line -> its field.
QUANTITIES = {"quantity": "product_uom_qty", "price_unit": "price_unit", "discount": "discount"}


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

    def wanted(self, products: Sequence[int]) -> list[op.Wanted]:
        """Return the product by whose name it is meant; none where it is by an id."""
        if "product_name" not in self.values or "product_id" in self.values:
            return []
        return [
            op.Wanted(
                model="product.product",
                field=f"{self.where}.product_id",
                name=self.values["product_name"],
                domain=(("id", "in", products),),
            )
        ]


def checked_changes(
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
        for index, line in enumerate(
            op.check_lines(change, ChangedLine.__annotations__, "change") if change else ()
        )
    ]
    for item in changes:
        check_numbers(item.values, item.where)
        if not {*QUANTITIES, "name"} & item.values.keys():
            raise ValidationError(
                f"{item.where} has no new values.",
                suggestion="Set quantity, price_unit, discount or name.",
                details={"field": item.where},
            )
    removals = [
        _Meant(item.field, {"line_id": item.id} if item.id else {"product_name": item.name})
        for item in op.wanted_each("product.product", remove, "remove")
    ]
    for item in [*changes, *removals]:
        _check_names_one(item)
    return checked_lines(add, "add") if add else [], changes, removals


def _check_names_one(item: _Meant) -> None:
    if sum(key in item.values for key in ("line_id", "product_id", "product_name")) != 1:
        raise ValidationError(
            f"{item.where} must identify one line.",
            suggestion="Set exactly one of line_id, product_id and product_name.",
            details={"field": item.where},
        )


def checked_choice(given: Sequence[Mapping[str, Any]], argument: str) -> list[_Meant]:
    """Return which lines of an order are meant, or refuse what can be none.

    Raises:
        ValidationError: naming the line and the key.
    """
    items = [
        _Meant(f"{argument}[{index}]", line)
        for index, line in enumerate(op.check_lines(given, ChosenLine.__annotations__, argument))
    ]
    for item in items:
        _check_names_one(item)
        if "quantity" in item.values:
            op.checked_number(item.values["quantity"], f"{item.where}.quantity", positive=True)
    return items


def chosen_lines(
    odoo: Odoo, order: op.Row, lines: Sequence[op.Row], items: Sequence[_Meant], left: str
) -> dict[int, float]:
    """Return the lines that are meant, each with its quantity.

    Args:
        odoo: the connection.
        order: its row.
        lines: the rows of its lines.
        items: as :func:`checked_choice` returned them.
        left: the field with the quantity that a line has at most, and by default.

    Raises:
        AmbiguousNameError: a name matches several products.
        NotFoundError: the order has no such product.
        ValidationError: it has no such line, or several, one is meant twice, or has less.
    """
    _, line_of, _ = _look_up(odoo, order, lines, items)
    chosen: dict[int, float] = {}
    for item, line in [(item, line_of(item)) for item in items]:
        most = line[left] or 0.0
        quantity = item.values.get("quantity", most)
        if line["id"] in chosen or not most or quantity > most + 1e-6:
            why = "which is meant before" if line["id"] in chosen else f"of which {most:g} is left"
            raise ValidationError(
                f"{item.where} refers to {_called(line)}, {why}.",
                suggestion="List each line once, and with at most the quantity that is left.",
                details={"field": item.where, "left": most},
            )
        chosen[line["id"]] = quantity
    return chosen


def _look_up(
    odoo: Odoo,
    order: op.Row,
    lines: Sequence[op.Row],
    items: Sequence[_Meant],
    before: Sequence[op.Wanted] = (),
    after: Sequence[op.Wanted] = (),
) -> tuple[list[int | None], Callable[[_Meant], op.Row], list[int | None]]:
    """Look up the products by which items mean lines, together with what else is wanted.

    Returns:
        The ids of what is wanted before; what returns the line that an item means; the ids of what
        is wanted after.
    """
    sold = sorted({line["product_id"].id for line in lines if line["product_id"]})
    by_name = [(item, wanted) for item in items for wanted in item.wanted(sold)]
    try:
        found = op.resolve_all(odoo, [*before, *(wanted for _, wanted in by_name), *after])
    except (NotFoundError, op.AmbiguousNameError) as error:
        of = {wanted.field: item for item, wanted in by_name}
        raise _by_lines(error, order, lines, of.get(error.details.get("field", ""))) from error
    first, rest = found[: len(before)], found[len(before) :]
    products = {item.where: product for (item, _), product in zip(by_name, rest, strict=False)}

    def line_of(item: _Meant) -> op.Row:
        product = products.get(item.where, item.values.get("product_id"))
        return _line(order, lines, item, product)

    return first, line_of, rest[len(by_name) :]


def resolved_changes(
    odoo: Odoo,
    order: op.Row,
    lines: Sequence[op.Row],
    asked: tuple[list[dict[str, Any]], list[_Meant], list[_Meant]],
    others: Sequence[op.Wanted] = (),
) -> tuple[LineChanges, list[int | None]]:
    """Return what is to be done to the lines of an order, and the ids of what else is wanted.

    Args:
        odoo: the connection.
        order: its row.
        lines: the rows of its lines, with product_id, display_type and sequence.
        asked: as :func:`checked_changes` returned it.
        others: names that are looked up together with the products'.

    Raises:
        AmbiguousNameError: a name matches several products; not in ``remove``.
        NotFoundError: the order has no such product.
        ValidationError: it has no such line, or several, or one is meant twice.
    """
    add, changes, removals = asked
    meant = [*changes, *removals]
    new = wanted_products(add, "add")
    products, line_of, ids = _look_up(odoo, order, lines, meant, new, others)
    result = LineChanges(added=line_commands(odoo, add, products, "add"))
    last = max((line["sequence"] or 0 for line in lines), default=None)
    for _, _, values in result.added if last is not None else ():
        values["sequence"] = last
    taken: set[int] = set()
    for item in meant:
        line = line_of(item)
        if line["id"] in taken:
            raise ValidationError(
                f"{item.where} refers to the line {line['id']}, which is already listed.",
                suggestion="List each line once.",
                details={"field": item.where},
            )
        taken.add(line["id"])
        if item.where.startswith("remove"):
            result.removed.append(line["id"])
        else:
            result.changed[line["id"]] = _values(line, item)
    return result, ids


def _by_lines(
    error: NotFoundError | op.AmbiguousNameError,
    order: op.Row,
    lines: Sequence[op.Row],
    item: _Meant | None,
) -> OdooError:
    """Return an error that tells the order's lines, where a product's id is no way out.

    The order may lack a product that exists; and in ``remove`` a number is that of a line.
    """
    several = isinstance(error, op.AmbiguousNameError)
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


def _line(order: op.Row, lines: Sequence[op.Row], item: _Meant, product: int | None) -> op.Row:
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


def _lines_told(lines: Sequence[op.Row]) -> str:
    listed = "; ".join(f"{line['id']} {_called(line)}" for line in lines[:_SHOWN])
    return f"Set line_id to one of these: {listed}"


def _called(line: op.Row) -> str:
    name = line["product_id"].name if line["product_id"] else line["name"]
    return f"{(name or '')[:40]} ({line['product_uom_qty']:g} at {line['price_unit']:g})"


def _values(line: op.Row, item: _Meant) -> dict[str, Any]:
    numbers = [key for key in QUANTITIES if key in item.values]
    if line["display_type"] and numbers:
        raise ValidationError(
            f"{item.where} is a section or note, so it has no {numbers[0]}.",
            suggestion="Set only name.",
            details={"field": f"{item.where}.{numbers[0]}"},
        )
    values = {QUANTITIES[key]: item.values[key] for key in numbers}
    if "name" in item.values:
        if not isinstance(item.values["name"], str) or not item.values["name"].strip():
            raise ValidationError(
                f"{item.where}.name must be text.", details={"field": f"{item.where}.name"}
            )
        values["name"] = item.values["name"]
    return values


def line_rows(odoo: Odoo, order_id: int, fields: Sequence[str] = LINE_FIELDS) -> list[op.Row]:
    """Return the rows of an order's lines in their order."""
    return op.read_rows(odoo, LINE, [["order_id", "=", order_id]], fields, acts_on=ORDER.model)
