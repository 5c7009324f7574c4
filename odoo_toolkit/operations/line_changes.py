"""Lines of a document as somebody names them: by id, or by the product of exactly one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError, invalid, make_error
from odoo_toolkit.operations.documents import Row, currency_of
from odoo_toolkit.operations.lines import (
    NamesOrIds,
    check_discount,
    check_lines,
    checked_number,
    names_product,
    wanted_each,
)
from odoo_toolkit.operations.preview import Layout, given_lines, read_document
from odoo_toolkit.operations.steps import Seen
from odoo_toolkit.plans import PlannedDocument, PlannedLine
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve, resolve_all
from odoo_toolkit.records.results import RecordName


class ChangedLine(TypedDict, total=False):
    """The changes of a line, identified by ``line_id`` or by its product."""

    line_id: int
    product_id: int
    product_name: str
    quantity: float
    price_unit: float
    discount: float
    name: str


class ChosenLine(TypedDict, total=False):
    """A line, identified by ``line_id`` or by its product, and a quantity."""

    line_id: int
    product_id: int
    product_name: str
    quantity: float


#: What their lines take is described where there is room, or in words.
OBJECTS = JsonSchema({"type": "array", "items": {"type": "object"}})

ChangedLines = Annotated[
    Sequence[ChangedLine] | None, OBJECTS, Doc("Lines to change, by id or product.")
]
Change = Annotated[
    ChangedLines, Doc("line_id or product_name, and new quantity, price_unit, discount, name.")
]
Chosen = Annotated[
    Sequence[ChosenLine] | None,
    OBJECTS,
    Doc("Only these: line_id or product_name, and quantity. Default: all that is left."),
]
Remove = Annotated[NamesOrIds, Doc("Product names, or line ids.")]

NUMBERS = ("quantity", "price_unit", "discount")
_IDENTIFY = ("line_id", "product_id", "product_name")


def check_line_numbers(line: Mapping[str, Any], where: str) -> None:
    """Refuse a quantity, price or discount that cannot be one."""
    for key in NUMBERS:
        if key in line:
            checked_number(line[key], f"{where}.{key}", positive=False)
    if line.get("quantity", 1) < 0:
        raise invalid(
            f"{where}.quantity",
            f"{where}.quantity must not be negative, got {line['quantity']:g}.",
            "For a return or refund, make a credit note instead.",
        )
    if "discount" in line:
        check_discount(line, where)


def check_described(
    odoo: Odoo, line: Mapping[str, Any], where: str, flag: str, *, free: bool, also: str = ""
) -> None:
    """Refuse a line without a product, unless it has only text, or text with a price.

    A caller who puts the product's name into ``name`` would get an empty line. Before such an
    error, the toolkit looks for that product: 1 round trip.

    Args:
        odoo: the connection.
        line: as :func:`check_lines` returned it.
        where: path of the line, for messages.
        flag: the field of the products that are meant, such as ``sale_ok``.
        free: whether Odoo takes lines with a price and without a product here.
        also: what else a line may be, for messages.

    Raises:
        ValidationError: naming what the line lacks.
    """
    name = line.get("name")
    if name is not None and not isinstance(name, str):
        raise invalid(f"{where}.name", f"{where}.name must be a string.")
    named = bool(name and name.strip())
    if names_product(line) or (named and (len(line) == 1 or (free and "price_unit" in line))):
        return
    hint = "Set product_id or product_name. "
    if named and _is_product(odoo, str(name), flag):
        hint = f"Set product_name to {str(name).strip()[:60]!r} instead of name. "
    elif named and free:
        hint = "Set price_unit for a line without a product, or product_name for a product. "
    problem = "a name, but no product" if named else "neither a product nor a name"
    raise make_error(
        "MISSING_REQUIRED_FIELD",
        f"{where} has {problem}.",
        suggestion=f"{hint}For a note, set only name.{also}",
        details={"field": f"{where}.product_id"},
    )


def _is_product(odoo: Odoo, name: str, flag: str) -> bool:
    domain = ((flag, "=", True),)
    try:
        resolve(odoo, Wanted(model="product.product", field="name", name=name, domain=domain))
    except AmbiguousNameError:
        return True
    except OdooError:
        return False
    return True


#: Most lines that an error lists.
_SHOWN = 20

#: The quantity of a line of an order, a purchase order, or an invoice.
_QUANTITIES = ("product_uom_qty", "product_qty", "quantity")


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

    @property
    def commands(self) -> list[list[Any]]:
        """What is written to the field with the lines."""
        changed = [[1, line, values] for line, values in self.changed.items()]
        return [*changed, *([2, line, 0] for line in self.removed), *self.added]

    def told(self) -> str:
        """Return how many lines are concerned, in words."""
        counts = {"added": self.added, "changed": self.changed, "removed": self.removed}
        return ", ".join(f"{len(lines)} {what}" for what, lines in counts.items() if lines)


@attrs.frozen
class Meant:
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


def at_the_end(lines: Sequence[Row], added: Sequence[list[Any]]) -> list[list[Any]]:
    """Return commands that put new lines behind those that an order has."""
    last = max((line["sequence"] or 0 for line in lines), default=None)
    place = {} if last is None else {"sequence": last}
    return [[*which, {**values, **place}] for *which, values in added]


def copied(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return values of a row that are not empty, as they are written."""
    return {name: _wire(row[name]) for name in names if row[name] is not None}


def copied_lines(
    lines: Sequence[Row], changes: LineChanges, names: Callable[[Row], Sequence[str]]
) -> list[list[Any]]:
    """Return commands that make the lines of a copy, as they are to be.

    Args:
        lines: that the order has.
        changes: of them.
        names: returns the fields that are taken over from a line.
    """
    kept = [
        [0, 0, copied(line, names(line)) | changes.changed.get(line["id"], {})]
        for line in lines
        if line["id"] not in changes.removed
    ]
    return kept + changes.added


def _wire(value: Any) -> Any:
    if isinstance(value, RecordName):
        return value.id
    return [[6, 0, value]] if isinstance(value, list) else value


def checked_changes(
    change: Sequence[Mapping[str, Any]] | None,
    remove: Sequence[int | str] | None,
    kind: type = ChangedLine,
) -> tuple[list[Meant], list[Meant]]:
    """Return what is to be changed and removed, or refuse what cannot be.

    Args:
        change: as it was given.
        remove: as it was given.
        kind: of a changed line, which may have more keys.

    Raises:
        ValidationError: naming the line and the key.
    """
    changes = [
        Meant(f"change[{index}]", line)
        for index, line in enumerate(
            check_lines(change, kind.__annotations__, "change") if change else ()
        )
    ]
    for item in changes:
        check_line_numbers(item.values, item.where)
        if not item.values.keys() - _IDENTIFY:
            *others, last = [name for name in kind.__annotations__ if name not in _IDENTIFY]
            raise invalid(
                item.where,
                f"{item.where} has no new values.",
                f"Set {', '.join(others)} or {last}.",
            )
    removals = [
        Meant(item.field, {"line_id": item.id} if item.id else {"product_name": item.name})
        for item in wanted_each("product.product", remove, "remove")
    ]
    for item in [*changes, *removals]:
        _check_names_one(item)
    return changes, removals


def _check_names_one(item: Meant) -> None:
    if sum(key in item.values for key in _IDENTIFY) != 1:
        raise invalid(
            item.where,
            f"{item.where} must identify one line.",
            "Set exactly one of line_id, product_id and product_name.",
        )


def checked_choice(given: Sequence[Mapping[str, Any]], argument: str) -> list[Meant]:
    """Return which lines of an order are meant, or refuse what can be none.

    Raises:
        ValidationError: naming the line and the key.
    """
    items = [
        Meant(f"{argument}[{index}]", line)
        for index, line in enumerate(check_lines(given, ChosenLine.__annotations__, argument))
    ]
    for item in items:
        _check_names_one(item)
        if "quantity" in item.values:
            checked_number(item.values["quantity"], f"{item.where}.quantity", positive=True)
    return items


def chosen_lines(
    odoo: Odoo, order: Row, lines: Sequence[Row], items: Sequence[Meant], left: str
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
            raise invalid(
                item.where,
                f"{item.where} refers to {_called(line)}, {why}.",
                "List each line once, and with at most the quantity that is left.",
                left=most,
            )
        chosen[line["id"]] = quantity
    return chosen


def _look_up(
    odoo: Odoo,
    order: Row,
    lines: Sequence[Row],
    items: Sequence[Meant],
    before: Sequence[Wanted] = (),
    after: Sequence[Wanted] = (),
) -> tuple[list[int | None], Callable[[Meant], Row], list[int | None]]:
    """Look up the products by which items mean lines, together with what else is wanted.

    Returns:
        The ids of what is wanted before; what returns the line that an item means; the ids of what
        is wanted after.
    """
    sold = sorted({line["product_id"].id for line in lines if line["product_id"]})
    by_name = [(item, wanted) for item in items for wanted in item.wanted(sold)]
    try:
        found = resolve_all(odoo, [*before, *(wanted for _, wanted in by_name), *after])
    except (NotFoundError, AmbiguousNameError) as error:
        of = {wanted.field: item for item, wanted in by_name}
        raise _by_lines(error, order, lines, of.get(error.details.get("field", ""))) from error
    first, rest = found[: len(before)], found[len(before) :]
    products = {item.where: product for (item, _), product in zip(by_name, rest, strict=False)}

    def line_of(item: Meant) -> Row:
        product = products.get(item.where, item.values.get("product_id"))
        return _line(order, lines, item, product)

    return first, line_of, rest[len(by_name) :]


def resolved_changes(
    odoo: Odoo,
    order: Row,
    lines: Sequence[Row],
    asked: tuple[list[Meant], list[Meant]],
    before: Sequence[Wanted] = (),
    after: Sequence[Wanted] = (),
) -> tuple[list[int | None], LineChanges, list[int | None]]:
    """Return what is to be done to the lines of a document, and the ids of what else is wanted.

    Args:
        odoo: the connection.
        order: its row, or just its ``name``.
        lines: the rows of its lines, with product_id and display_type.
        asked: as :func:`checked_changes` returned it.
        before, after: names that are looked up together with the products'.

    Raises:
        AmbiguousNameError: a name matches several products; not in ``remove``.
        NotFoundError: the document has no such product.
        ValidationError: it has no such line, or several, or one is meant twice.
    """
    meant = [item for items in asked for item in items]
    first, line_of, rest = _look_up(odoo, order, lines, meant, before, after)
    result = LineChanges()
    taken: set[int] = set()
    for item in meant:
        line = line_of(item)
        if line["id"] in taken:
            raise invalid(
                item.where,
                f"{item.where} refers to the line {line['id']}, which is already listed.",
                "List each line once.",
            )
        taken.add(line["id"])
        if item.where.startswith("remove"):
            result.removed.append(line["id"])
        else:
            result.changed[line["id"]] = _values(line, item)
    return first, result, rest


def _by_lines(
    error: NotFoundError | AmbiguousNameError,
    order: Row,
    lines: Sequence[Row],
    item: Meant | None,
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


def _line(order: Row, lines: Sequence[Row], item: Meant, product: int | None) -> Row:
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
    raise invalid(
        item.where,
        f"{order['name']} has {problem} with {said} ({item.where}).",
        _lines_told(shown),
        lines=[line["id"] for line in shown],
    )


def _lines_told(lines: Sequence[Row]) -> str:
    listed = "; ".join(f"{line['id']} {_called(line)}" for line in lines[:_SHOWN])
    return f"Set line_id to one of these: {listed}"


def _called(line: Row) -> str:
    name = line["product_id"].name if line["product_id"] else line["name"]
    return f"{(name or '')[:40]} ({line[_quantity(line)]:g} at {line['price_unit']:g})"


def _quantity(line: Row) -> str:
    return next(name for name in _QUANTITIES if name in line)


def _values(line: Row, item: Meant) -> dict[str, Any]:
    more = [key for key in item.values if key not in (*_IDENTIFY, *NUMBERS, "name")]
    numbers = [*(key for key in NUMBERS if key in item.values), *more]
    # Lines of invoices have a type from 16 on, those of products too.
    if line["display_type"] not in (None, "product") and numbers:
        raise invalid(
            f"{item.where}.{numbers[0]}",
            f"{item.where} is a section or note, so it has no {numbers[0]}.",
            "Set only name.",
        )
    fields = {"quantity": _quantity(line)}
    values = {fields.get(key, key): item.values[key] for key in numbers}
    if "name" in item.values:
        if not isinstance(item.values["name"], str) or not item.values["name"].strip():
            raise invalid(f"{item.where}.name", f"{item.where}.name must be text.")
        values["name"] = item.values["name"]
    return values


def changed_document(
    odoo: Odoo,
    layout: Layout,
    row: Row,
    head: Mapping[str, Any],
    changes: LineChanges,
    sums: Mapping[str, Any],
    more: Sequence[str] = (),
    **told: Any,
) -> PlannedDocument:
    """Return an order with what is to be changed: new figures as given, others left out."""

    fields = {**dict(zip(NUMBERS, NUMBERS, strict=True)), "quantity": layout.quantity}

    def shown(line: Row, item: PlannedLine) -> PlannedLine:
        if line["id"] in changes.removed:
            return attrs.evolve(item, change="removed")
        if line["id"] not in changes.changed:
            return item
        values = changes.changed[line["id"]]
        was = [f"{name} was {line[name]}" for name in values if values[name] != line[name]]
        asked = {name: values.get(field) for name, field in fields.items() if field in values}
        text = {"name": values["name"]} if "name" in values else {}
        computed = {"subtotal": None} if asked else {}
        how = f"changed ({', '.join(was)})"
        return attrs.evolve(item, **{**asked, **text, **computed, "change": how})

    currency = currency_of(row) or ""
    total = f"{row.get('amount_total')} {currency}".strip()
    notes = [f"{name}: {row.get(name)} becomes {value}." for name, value in head.items()]
    if sums:
        new = sums["amount_total"]
        becomes = "Odoo calculates the new total when it writes the change."
        if new is not None:
            becomes = f"It becomes {new:.2f} {currency}".rstrip() + "."
        notes.append(f"The total is {total} now. {becomes}")
    notes += more
    planned = read_document(odoo, layout, row, shown=shown, **sums, notes=notes, **told)
    added = given_lines(odoo, layout, changes.added, "added") if changes.added else []
    return attrs.evolve(planned, lines=[*planned.lines, *added])


def seen_changes(
    before: Sequence[Row], changes: LineChanges, look: Callable[[Odoo, int], list[Row]]
) -> Seen:
    """Return what sees that the lines are as they were to be."""
    known = {line["id"] for line in before}

    def seen(odoo: Odoo, order_id: int) -> bool | None:
        now = {line["id"]: line for line in look(odoo, order_id)}
        if any(line in now for line in changes.removed):
            return None
        if len(now.keys() - known) != len(changes.added):
            return None
        same = all(
            line in now and _shows(now[line], values) for line, values in changes.changed.items()
        )
        return True if same else None

    return seen


def _shows(line: Row, values: Mapping[str, Any]) -> bool:
    for field, value in values.items():
        shown = line[field]
        if isinstance(value, str):
            if value.strip() != str(shown or "").strip():
                return False
        elif not math.isclose(value, shown or 0.0, rel_tol=1e-4, abs_tol=0.005):
            return False
    return True
