"""Units of measure that lines are given in: found, checked against the product's, and compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.operations.lines import IdOrName
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import RecordName

_MODEL = "uom.uom"

#: The size is ``factor_inv`` up to 18, ``factor`` later; units that can be compared have a category
#: up to 18, and a common root later.
_FIELDS = ("display_name", "factor", "factor_inv", "category_id", "parent_path")

Uom = Annotated[IdOrName, Doc("Unit, e.g. Dozens. Default: the product's.")]


def put_units(
    odoo: Odoo,
    model: str,
    lines: Sequence[tuple[Mapping[str, Any], dict[str, Any]]],
    argument: str = "lines",
) -> dict[int, float]:
    """Put the units that lines are given in into their values; no round trip where none is.

    Args:
        odoo: the connection.
        model: of the lines.
        lines: each as it was given, and its values with the ``product_id``.
        argument: that they were given as, for messages.

    Returns:
        By the place of the line, how many of the product's unit are in the unit given.

    Raises:
        AmbiguousNameError: a name matches several units.
        NotFoundError: there is no such unit.
        ValidationError: a line has no product, or its product is not counted in such a unit.
    """
    given = [place for place, (line, _) in enumerate(lines) if "uom" in line]
    if not given:
        return {}
    where = {place: f"{argument}[{place}].uom" for place in given}
    for place in given:
        if not lines[place][1].get("product_id"):
            raise invalid(
                where[place],
                f"{where[place]} belongs to a line without a product.",
                "Set product_id or product_name, or omit uom.",
            )
    wanted = [Wanted.of(_MODEL, lines[place][0]["uom"], where[place]) for place in given]
    units = dict(zip(given, resolve_all(odoo, wanted), strict=True))
    acts_on = model.removesuffix(".line")
    own = units_of_products(odoo, (lines[place][1]["product_id"] for place in given), acts_on)
    known = sorted({n for n in (*units.values(), *(u.id for u in own.values())) if n})
    sizes = {
        row["id"]: row
        for row in read_rows(odoo, _MODEL, [["id", "in", known]], _FIELDS, acts_on=acts_on)
    }
    described = odoo.schema.fields(model)
    field = "product_uom" if "product_uom" in described else "product_uom_id"
    found = {}
    for place in given:
        values = lines[place][1]
        unit, base = sizes.get(units[place] or 0), sizes[own[values["product_id"]].id]
        if unit is None or _root(unit) != _root(base):
            said = unit["display_name"] if unit else units[place]
            raise invalid(
                where[place],
                f"{where[place]}: the product is counted in {base['display_name']}, which cannot "
                f"be converted to {said}.",
                "Set uom to a unit of the same kind, or omit it.",
                product_uom=base["display_name"],
            )
        values[field] = unit["id"]
        found[place] = _size(unit) / _size(base)
    return found


def sizes_of(odoo: Odoo, units: Iterable[int], acts_on: str) -> dict[int, float]:
    """Return the sizes of units by their ids; no round trip where they are all the same."""
    ids = sorted(set(units))
    if len(ids) < 2:
        return dict.fromkeys(ids, 1.0)
    rows = read_rows(odoo, _MODEL, [["id", "in", ids]], _FIELDS, acts_on=acts_on)
    return {row["id"]: _size(row) for row in rows}


def units_of_products(odoo: Odoo, products: Iterable[int], acts_on: str) -> dict[int, RecordName]:
    """Return the units in which products are counted; no round trip for none."""
    ids = sorted(set(products))
    domain = [["id", "in", ids]]
    rows = read_rows(odoo, "product.product", domain, ["uom_id"], acts_on=acts_on) if ids else []
    return {row["id"]: row["uom_id"] for row in rows}


def with_units(fields: Sequence[str], moves: Iterable[Row]) -> Sequence[str]:
    """Return the fields to read of move lines: with the unit, if a move is not in its product's."""
    return (*fields, "product_uom_id") if any(move["ratio"] != 1 for move in moves) else fields


def count_in_moves_units(
    odoo: Odoo,
    lines: Sequence[Row],
    rows: Sequence[Row],
    units: Mapping[int, int],
    acts_on: str,
) -> None:
    """Convert what is reserved and done of move lines to the units of their moves.

    What Odoo cannot reserve in whole hundredths of a move's unit, it reserves in the product's: of
    a dozen, seven Units here and five there. No round trip if all lines have their moves' units.

    Args:
        odoo: the connection.
        lines: with move, reserved and done; each gets ``size``, of its unit in the move's.
        rows: as they were read, with the fields of :func:`with_units`.
        units: of the moves, by their ids.
        acts_on: model of the document.
    """
    own = [row.get("product_uom_id") for row in rows]
    pairs = [
        (unit.id, units[line["move"]])
        if unit and units.get(line["move"], unit.id) != unit.id
        else None
        for line, unit in zip(lines, own, strict=True)
    ]
    sizes = sizes_of(odoo, [unit for pair in pairs if pair for unit in pair], acts_on)
    for line, pair in zip(lines, pairs, strict=True):
        line["size"] = sizes[pair[0]] / sizes[pair[1]] if pair else 1.0
        for name in ("reserved", "done"):
            line[name] *= line["size"]


def _size(unit: Row) -> float:
    return float(unit["factor_inv"] or unit["factor"] or 1.0)


def _root(unit: Row) -> Any:
    """Return what two units have in common that are converted into each other."""
    return unit["category_id"] or (unit["parent_path"] or str(unit["id"])).split("/")[0]
