"""Operations of a bill of materials: work centers, times and costs.

Minutes are the expected minutes of a work order: setup, cycles at the work center's efficiency, and
cleanup.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.records.results import RecordName

_BOM = "mrp.bom"
_WORK_CENTER = "mrp.workcenter"
_OPERATION = "mrp.routing.workcenter"
#: By which lines and operations are for some variants only.
VARIANTS = "bom_product_template_attribute_value_ids"
#: ``capacity`` up to 15, ``default_capacity`` up to 18; 19 has lines of capacities only.
_FIELDS = op.words("""
    display_name capacity default_capacity capacity_ids time_start time_stop time_efficiency
    costs_hour workcenter_load working_state alternative_workcenter_ids resource_calendar_id
""")
_CAPACITY = ("workcenter_id", "product_id", "product_uom_id", "capacity", "time_start", "time_stop")
#: From this version on what is not said otherwise is made in the quantity of the bill.
_BY_BILL = 19


@attrs.frozen(kw_only=True)
class Way(op.Shown):
    """A work center that can do an operation, for your quantity.

    Attributes:
        minutes: Expected minutes, with setup and cleanup.
        cost: Cost of these minutes, at ``cost_per_hour``.
        load_minutes: Expected minutes of the work orders that it already has.
        capacity: Quantity that it makes at a time.
        efficiency: Efficiency in percent. A higher value is faster.
        hours_per_day: Working time.
        blocked: True if it is blocked now.
        alternative: True if it is an alternative to the operation's work center.
    """

    workcenter: RecordName
    minutes: float
    cost: float
    cost_per_hour: float = 0.0
    load_minutes: float | None = None
    capacity: float = 1.0
    efficiency: float = 100.0
    hours_per_day: float | None = None
    blocked: bool = False
    alternative: bool = False


@attrs.frozen(kw_only=True)
class Operation(op.Shown):
    """An operation of a bill of materials. Minutes are for one cycle of its work center.

    Attributes:
        ways: Its work center and the alternatives.
    """

    id: int
    name: str
    workcenter: RecordName | None = None
    minutes: float = 0.0
    ways: list[Way] = attrs.Factory(list)


def for_other_variants(row: op.Row, product: op.Row, values: Mapping[int, int]) -> bool:
    """Whether a line or operation is for other variants of the product.

    Of each attribute that it names, one value must be the product's.

    Args:
        row: the line or operation.
        product: the variant.
        values: of an attribute value, the attribute line it belongs to.
    """
    own = set(product["product_template_attribute_value_ids"] or ())
    groups: dict[int | None, set[int]] = {}
    for value in row[VARIANTS] or ():
        groups.setdefault(values.get(value), set()).add(value)
    return any(own.isdisjoint(group) for group in groups.values())


def read_attribute_lines(odoo: Odoo, rows: Sequence[op.Row]) -> dict[int, int]:
    """Return, of each attribute value that lines or operations name, the attribute line."""
    values = sorted({number for row in rows for number in row[VARIANTS] or ()})
    if not values:
        return {}
    model, of_values = "product.template.attribute.value", [["id", "in", values]]
    found = op.read_rows(odoo, model, of_values, ["attribute_line_id"], acts_on=_BOM)
    return {row["id"]: row["attribute_line_id"].id for row in found}


def read_operations(odoo: Odoo, bom: op.Row, product: op.Row, quantity: float) -> list[Operation]:
    """Return the operations of a bill for a product, and the ways to do them; 3 round trips.

    Args:
        odoo: the connection.
        bom: the row of the bill.
        product: the row of the variant.
        quantity: in the product's unit of measure.
    """
    if not bom["operation_ids"]:
        return []
    of_bill = [["id", "in", bom["operation_ids"]]]
    own = [["routing_line_ids", "in", bom["operation_ids"]]]
    fields = ("name", "workcenter_id", "time_cycle", VARIANTS)
    asked: list[Callable[[], Any]] = [
        lambda: op.read_rows(odoo, _OPERATION, of_bill, fields, acts_on=_BOM, order="sequence, id"),
        lambda: op.read_rows(odoo, _WORK_CENTER, own, _FIELDS, acts_on=_BOM),
    ]
    rows, centers = op.side_by_side(asked)
    others = {n for row in centers for n in row["alternative_workcenter_ids"] or ()}
    more = sorted(others - {row["id"] for row in centers})
    of_others = [["id", "in", more]]
    asked = [
        lambda: read_attribute_lines(odoo, rows),
        lambda: (
            op.read_rows(odoo, _WORK_CENTER, of_others, _FIELDS, acts_on=_BOM, active_test=True)
            if more
            else []
        ),
    ]
    values, alternatives = op.side_by_side(asked)
    known = {row["id"]: row for row in [*centers, *alternatives]}
    asked = [lambda: _hours(odoo, known), lambda: _capacities(odoo, known, product)]
    hours, capacities = op.side_by_side(asked)
    found = []
    for row in rows:
        center = known.get(row["workcenter_id"] and row["workcenter_id"].id)
        if for_other_variants(row, product, values):
            continue
        near = [known[n] for n in (center or {}).get("alternative_workcenter_ids") or ()]
        ways = [
            _way(odoo, each, row, bom, quantity, hours, capacities, alternative=each is not center)
            for each in (center, *near)
            if each
        ]
        found.append(op.filled(Operation, row, minutes=row["time_cycle"] or 0.0, ways=ways))
    return found


def _hours(odoo: Odoo, centers: Mapping[int, op.Row]) -> dict[int, float]:
    calendars = {
        row["resource_calendar_id"].id for row in centers.values() if row["resource_calendar_id"]
    }
    if not calendars:
        return {}
    domain = [["id", "in", sorted(calendars)]]
    rows = op.read_rows(odoo, "resource.calendar", domain, ["hours_per_day"], acts_on=_BOM)
    return {row["id"]: row["hours_per_day"] for row in rows}


def _capacities(odoo: Odoo, centers: Mapping[int, op.Row], product: op.Row) -> dict[int, op.Row]:
    """Return the lines of capacities that hold for a product; there are some from 16 on."""
    lines = sorted({number for row in centers.values() for number in row["capacity_ids"] or ()})
    if not lines:
        return {}
    domain = [["id", "in", lines], ["product_id", "in", [product["id"], False]]]
    rows = op.read_rows(odoo, "mrp.workcenter.capacity", domain, _CAPACITY, acts_on=_BOM)
    found: dict[int, op.Row] = {}
    for row in sorted(rows, key=lambda row: row["product_id"] is None):
        unit = row["product_uom_id"]
        if unit is None or unit.id == product["uom_id"].id:
            found.setdefault(row["workcenter_id"].id, row)
    return found


def _way(
    odoo: Odoo,
    center: op.Row,
    operation: op.Row,
    bom: op.Row,
    quantity: float,
    hours: Mapping[int, float],
    capacities: Mapping[int, op.Row],
    *,
    alternative: bool,
) -> Way:
    times = own if (own := capacities.get(center["id"])) else center
    by_bill = bom["product_qty"] if odoo.version.major >= _BY_BILL else None
    usual = by_bill or center["default_capacity"] or center["capacity"] or 1.0
    capacity = (own["capacity"] if own else None) or usual
    efficiency = center["time_efficiency"] or 100.0
    cycles = math.ceil(round(quantity / capacity, 6))
    minutes = (times["time_start"] or 0.0) + (times["time_stop"] or 0.0)
    minutes += cycles * (operation["time_cycle"] or 0.0) * 100.0 / efficiency
    per_hour, calendar = center["costs_hour"] or 0.0, center["resource_calendar_id"]
    return Way(
        workcenter=RecordName(id=center["id"], name=center["display_name"]),
        minutes=round(minutes, 2),
        cost=round(minutes / 60.0 * per_hour, 2),
        cost_per_hour=per_hour,
        load_minutes=center["workcenter_load"],
        capacity=capacity,
        efficiency=efficiency,
        hours_per_day=hours.get(calendar.id) if calendar else None,
        blocked=center["working_state"] == "blocked",
        alternative=alternative,
    )


def find_work_center(odoo: Odoo, workcenter: op.NameOrId) -> int | None:
    """Return the work center meant; None for none."""
    return op.resolve(odoo, op.Wanted.of(_WORK_CENTER, workcenter, "workcenter_id"), required=False)


def chosen_ways(
    operations: Sequence[Operation], workcenter: int | None
) -> list[tuple[Operation, Way]]:
    """Return how each operation is done: at the work center asked for if it can be.

    Raises:
        ValidationError: no operation can be done at that work center.
    """
    chosen = []
    for operation in operations:
        at = [way for way in operation.ways if way.workcenter.id == workcenter]
        chosen += [(operation, way) for way in (at or operation.ways)[:1]]
    if workcenter is not None and all(way.workcenter.id != workcenter for _, way in chosen):
        told = "; ".join(f"{each.name}: {_listed(each.ways)}" for each in operations if each.ways)
        raise ValidationError(
            f"No operation can be done at the work center {workcenter}.",
            suggestion=f"Choose one of these: {told}."
            if told
            else "The bill of materials has no operations. Omit workcenter_id.",
            details={"field": "workcenter_id", "id": workcenter},
        )
    return chosen


def _listed(ways: Sequence[Way]) -> str:
    return ", ".join(f"{way.workcenter.name} ({way.workcenter.id})" for way in ways)


def costs(chosen: Sequence[tuple[Operation, Way]]) -> tuple[float, float]:
    """Return the minutes and the cost of the ways chosen."""
    minutes = sum(way.minutes for _, way in chosen)
    return round(minutes, 2), round(sum(way.cost for _, way in chosen), 2)


def blocked_warnings(chosen: Sequence[tuple[Operation, Way]]) -> list[str]:
    """Say which of the work centers chosen are blocked."""
    names = dict.fromkeys(way.workcenter.name for _, way in chosen if way.blocked)
    return [f"The work center {name} is blocked now." for name in names]
