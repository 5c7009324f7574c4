"""Bills of materials: the components of a product, its operations, and whether there is enough.

:func:`explode` does what Odoo does when it confirms a manufacturing order or delivers a kit. It
selects the lines of a variant, replaces kits by their components, and rounds quantities. Minutes
are the expected minutes of a work order: setup, cycles at the work center's efficiency, and
cleanup.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing.arrivals import (
    EXPECTED,
    Arrival,
    in_time,
    read_arrivals,
    unclaimed,
    until,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, StateError, invalid
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
    rows, centers = op.gather(
        lambda: op.read_rows(odoo, _OPERATION, of_bill, fields, acts_on=_BOM, order="sequence, id"),
        lambda: op.read_rows(odoo, _WORK_CENTER, own, _FIELDS, acts_on=_BOM),
    )
    others = {n for row in centers for n in row["alternative_workcenter_ids"] or ()}
    more = sorted(others - {row["id"] for row in centers})
    of_others = [["id", "in", more]]
    values, alternatives = op.gather(
        lambda: read_attribute_lines(odoo, rows),
        lambda: (
            op.read_rows(odoo, _WORK_CENTER, of_others, _FIELDS, acts_on=_BOM, active_test=True)
            if more
            else []
        ),
    )
    known = {row["id"]: row for row in [*centers, *alternatives]}
    hours, capacities = op.gather(
        lambda: _hours(odoo, known), lambda: _capacities(odoo, known, product)
    )
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
        told = "; ".join(
            f"{each.name}: {_listed_operations(each.ways)}" for each in operations if each.ways
        )
        raise invalid(
            "workcenter_id",
            f"The work center {workcenter} performs no operation of this order.",
            f"Choose one of these: {told}."
            if told
            else "The bill of materials has no operations. Omit workcenter_id.",
            id=workcenter,
        )
    return chosen


def _listed_operations(ways: Sequence[Way]) -> str:
    return ", ".join(f"{way.workcenter.name} ({way.workcenter.id})" for way in ways)


def costs(chosen: Sequence[tuple[Operation, Way]]) -> tuple[float, float]:
    """Return the minutes and the cost of the ways chosen."""
    minutes = sum(way.minutes for _, way in chosen)
    return round(minutes, 2), round(sum(way.cost for _, way in chosen), 2)


def blocked_warnings(chosen: Sequence[tuple[Operation, Way]]) -> list[str]:
    """Say which of the work centers chosen are blocked."""
    names = dict.fromkeys(way.workcenter.name for _, way in chosen if way.blocked)
    return [f"The work center {name} is blocked now." for name in names]


BOM = op.Document(
    model="mrp.bom",
    noun="bill of materials",
    argument="bom_id",
    fields="""
        display_name product_tmpl_id product_id product_qty product_uom_id type active consumption
        operation_ids company_id picking_type_id produce_delay
    """,
)
#: The order in which Odoo itself looks for the bill of a product.
FIRST_BILL = "sequence, product_id, id"
#: A flag tells from 18 on whose stock is counted, the type up to 17.
PRODUCT = op.Document(
    model="product.product",
    noun="product",
    argument="product_id",
    fields="""
        display_name product_tmpl_id uom_id type is_storable produce_delay
        product_template_attribute_value_ids
    """,
)
#: What is read of components besides.
COMPONENT = (*PRODUCT.fields, "qty_available", "free_qty", "standard_price")
LINE_FIELDS = (
    "bom_id",
    "product_id",
    "product_qty",
    "product_uom_id",
    "child_bom_id",
    VARIANTS,
)
#: 19 turned the meaning of ``factor`` round, and has no ``factor_inv``.
_UOM_FIELDS = ("factor", "factor_inv", "rounding")

#: Kits within kits; Odoo refuses circles.
_DEEPEST = 20
#: Up to 18, Odoo rounds what is made up to the unit of the bill before it looks at the lines.
_ROUNDS_TO = 18

#: Unit of measure -> how much of the reference unit of its kind it is, and its rounding.
Sizes = dict[int, tuple[float, float]]
#: A bill of materials, the variant that it makes, and how many times it is used.
_Used = tuple[op.Row, op.Row, float]


@attrs.frozen(kw_only=True)
class BillComponent(op.Shown):
    """A component, in its product's unit of measure. Kits are replaced by their components.

    Attributes:
        on_hand, free: Quantity in stock, and quantity not reserved. None if the stock is not
            tracked.
        missing: Quantity that is needed beyond the free quantity and receipts in time.
        coming: Quantity that confirmed receipts bring in time, beyond the free quantity. Only with
            a deadline.
        receipts: These receipts.
        cost: Cost of the needed quantity, at the product's cost.
        bom: Bill of materials of the component itself.
    """

    product: RecordName
    needed: float
    uom: str
    on_hand: float | None = None
    free: float | None = None
    missing: float = 0.0
    coming: float = 0.0
    receipts: list[Arrival] = attrs.Factory(list)
    cost: float | None = None
    bom: RecordName | None = None


@attrs.frozen(kw_only=True)
class Known:
    """What has been read for bills of materials, which is not read again.

    Attributes:
        lines: of bills of materials, by bill.
        products: by id, with the figures of their stock.
        sizes: of units of measure.
        units: more units of measure whose sizes are wanted.
    """

    lines: dict[int, list[op.Row]] = attrs.Factory(dict)
    products: dict[int, op.Row] = attrs.Factory(dict)
    sizes: Sizes = attrs.Factory(dict)
    units: set[int] = attrs.Factory(set)


def learn_sizes(odoo: Odoo, units: Iterable[int], sizes: Sizes) -> None:
    """Read the sizes of units of measure that are not known yet; no round trip for none."""
    if new := sorted(set(units) - sizes.keys()):
        rows = op.read_rows(
            odoo, "uom.uom", [["id", "in", new]], _UOM_FIELDS, acts_on=PRODUCT.model
        )
        for row in rows:
            size = row["factor_inv"] or row["factor"] or 1.0
            sizes[row["id"]] = (size, row["rounding"] or 0.01)


def in_unit(
    quantity: float, unit: RecordName | None, other: RecordName | None, sizes: Sizes
) -> float:
    """Return a quantity of a unit of measure in another one, not rounded."""
    if unit is None or other is None or unit.id == other.id:
        return quantity
    return quantity * sizes[unit.id][0] / sizes[other.id][0]


def rounded(quantity: float, step: float, *, up: bool = False) -> float:
    """Round a quantity to a unit's rounding, to the nearest or up."""
    count = round(quantity / step, 6)
    return round((math.ceil(count) if up else math.floor(count + 0.5)) * step, 6)


def explode(
    odoo: Odoo,
    bom: op.Row,
    product: op.Row,
    quantity: float,
    *,
    location: int | None = None,
    day: str | None = None,
    known: Known | None = None,
) -> list[BillComponent]:
    """Return the components of a quantity of a product, level by level through the kits among them.

    2 round trips for each level, 1 less where its lines and products are known, and 1 more where
    products are counted in units that no line has.

    Args:
        odoo: the connection.
        bom: by which it is made.
        product: its row.
        quantity: in the product's unit of measure.
        location: whose stock counts; None for all.
        day: until when what comes is read of products, too.
        known: what has been read before; it is told what is read here.
    """
    known = known or Known()
    context: dict[str, Any] = {} if location is None else {"location": location}
    context |= until(odoo, day) if day else {}
    known.units.update((bom["product_uom_id"].id, product["uom_id"].id))
    level: list[_Used] = []
    needed: dict[int, float] = {}
    made_by: dict[int, RecordName] = {}
    for depth in range(_DEEPEST):
        boms = [used["id"] for used, *_ in level] if depth else [bom["id"]]
        lines = _read_lines(odoo, boms, known)
        kits, values = _read_level(odoo, bom, lines, context, known)
        if not depth:
            times = _times(odoo, quantity, product["uom_id"], bom, known.sizes)
            level = [(bom, product, times / bom["product_qty"])]
        following: list[_Used] = []
        for used, variant, times in level:
            for line in known.lines[used["id"]]:
                component, uom = known.products[line["product_id"].id], line["product_uom_id"]
                if component["type"] == "service" or for_other_variants(line, variant, values):
                    continue
                part, number = times * line["product_qty"], component["id"]
                if kit := kits.get(number):
                    times_of_kit = _times(odoo, part / kit["product_qty"], uom, kit, known.sizes)
                    following.append((kit, component, times_of_kit))
                    continue
                part = rounded(part, known.sizes[uom.id][1], up=True)
                part = in_unit(part, uom, component["uom_id"], known.sizes)
                needed[number] = needed.get(number, 0.0) + part
                if line["child_bom_id"]:
                    made_by[number] = line["child_bom_id"]
        level = following
        if not level:
            break
    return [_component(known.products[n], needed[n], made_by.get(n)) for n in needed]


def _times(odoo: Odoo, quantity: float, unit: RecordName, bom: op.Row, sizes: Sizes) -> float:
    """Return a quantity in the unit of a bill of materials, as Odoo rounds it."""
    step = sizes[bom["product_uom_id"].id][1]
    quantity = in_unit(quantity, unit, bom["product_uom_id"], sizes)
    return rounded(quantity, step, up=True) if odoo.version.major <= _ROUNDS_TO else quantity


def _read_lines(odoo: Odoo, boms: Sequence[int], known: Known) -> list[op.Row]:
    """Return the lines of bills of materials; no round trip where they are known."""
    if new := sorted(set(boms) - known.lines.keys()):
        known.lines.update({number: [] for number in new})
        for line in op.read_rows(
            odoo,
            "mrp.bom.line",
            [["bom_id", "in", new]],
            LINE_FIELDS,
            acts_on=BOM.model,
            order="sequence, id",
        ):
            known.lines[line["bom_id"].id].append(line)
    return [line for number in sorted(set(boms)) for line in known.lines[number]]


def _read_level(
    odoo: Odoo, bom: op.Row, lines: Sequence[op.Row], context: Mapping[str, Any], known: Known
) -> tuple[dict[int, op.Row], dict[int, int]]:
    """Learn the products and units of lines, and return the kits and attribute values among them.

    The kits are by product; of a value, the attribute line it belongs to.
    """
    new = sorted({line["product_id"].id for line in lines} - known.products.keys())
    made = sorted({line["product_id"].id for line in lines if line["child_bom_id"]})
    named = any(line[VARIANTS] for line in lines)
    known.units.update(line["product_uom_id"].id for line in lines)
    known.units.update(row["uom_id"].id for row in known.products.values())
    asked: dict[str, Callable[[], Any]] = {
        "sizes": lambda: learn_sizes(odoo, known.units, known.sizes)
    }
    if new:
        found = [["id", "in", new]]
        fields = (*COMPONENT, *EXPECTED) if "to_date" in context else COMPONENT
        asked["products"] = lambda: op.read_rows(odoo, PRODUCT.model, found, fields, **context)
    if made:
        asked["kits"] = lambda: _read_kits(odoo, bom, made)
    if named:
        asked["values"] = lambda: read_attribute_lines(odoo, lines)
    answers = dict(zip(asked, op.side_by_side([*asked.values()]), strict=True))
    known.products.update({row["id"]: row for row in answers.get("products", ())})
    if missing := [number for number in new if number not in known.products]:
        raise op.not_found(PRODUCT, missing)
    kits: dict[int, op.Row] = {}
    for kit in answers.get("kits", ()):
        for number in made:
            if is_bill_of(kit, known.products[number]):
                kits.setdefault(number, kit)
    known.units.update(row["uom_id"].id for row in known.products.values())
    known.units.update(kit["product_uom_id"].id for kit in kits.values())
    learn_sizes(odoo, known.units, known.sizes)
    return kits, answers.get("values", {})


def _read_kits(odoo: Odoo, bom: op.Row, products: Sequence[int]) -> list[op.Row]:
    """Return the kits that are products, as Odoo looks for them: whatever else makes these."""
    domain: list[Any] = [["type", "=", "phantom"], "|", ["product_id", "in", products]]
    domain += ["&", ["product_id", "=", False]]
    domain += [["product_tmpl_id.product_variant_ids", "in", products]]
    for field in ("company_id", "picking_type_id"):
        if bom[field]:
            domain.append([field, "in", [False, bom[field].id]])
    return op.read_rows(odoo, BOM.model, domain, BOM.fields, order=FIRST_BILL, active_test=True)


def is_bill_of(bom: op.Row, product: op.Row) -> bool:
    """Whether a bill of materials is for a product: for it alone, or for all its variants."""
    if bom["product_id"]:
        return bool(bom["product_id"].id == product["id"])
    return bool(bom["product_tmpl_id"].id == product["product_tmpl_id"].id)


def _component(product: op.Row, needed: float, bom: RecordName | None) -> BillComponent:
    counted = product["is_storable"] or product["type"] == "product"
    free = max(product["free_qty"] or 0.0, 0.0) if counted else None
    missing = round(needed - free, 6) if free is not None else 0.0
    return BillComponent(
        product=RecordName(id=product["id"], name=product["display_name"]),
        needed=round(needed, 6),
        uom=product["uom_id"].name,
        on_hand=product["qty_available"] if counted else None,
        free=free,
        missing=max(missing, 0.0),
        cost=None if (price := product["standard_price"]) is None else round(needed * price, 2),
        bom=bom,
    )


def _with_receipts(
    odoo: Odoo, components: Sequence[BillComponent], known: Known, day: str
) -> list[BillComponent]:
    """Return components with what confirmed receipts bring until a day; 1 round trip if any do."""
    rows = [known.products[item.product.id] for item in components if item.missing]
    rows = [row for row in rows if unclaimed(row)]
    arrivals = read_arrivals(odoo, [row["id"] for row in rows], day=day, acts_on=BOM.model)
    coming = in_time(rows, arrivals)
    found = []
    for item in components:
        brought = coming.get(item.product.id)
        counted = min(brought.quantity, item.missing) if brought else 0.0
        if brought and counted:
            item = attrs.evolve(
                item,
                missing=round(item.missing - counted, 6),
                coming=counted,
                receipts=brought.arrivals,
            )
        found.append(item)
    return found


def producible(components: Sequence[BillComponent], quantity: float) -> float | None:
    """Return how many can be made now, of which a quantity takes these; None for no limit."""
    limits = [item.free / item.needed for item in components if item.free is not None]
    return max(math.floor(min(limits) * quantity * 1e6 + 0.5) / 1e6, 0.0) if limits else None


@attrs.frozen(kw_only=True)
class Bill(op.Shown):
    """A bill of materials, for ``quantity`` of its product."""

    id: int
    name: str
    quantity: float
    uom: str


@attrs.frozen(kw_only=True)
class BillComponents(op.Shown):
    """The components of a product.

    Attributes:
        quantity: Quantity of the product, in its unit of measure.
        can_make: True if you can make all of it now. With a deadline, if the components are in
            stock by ``start_by``.
        producible: Quantity that you can make now. None if no component limits it.
        deadline: Day that you asked about.
        start_by: Last day to start, by the manufacturing lead time.
        operations: Operations, with the work centers that can do them (``ways``).
        minutes, operation_cost: Total of all operations, at your work center if it can do them,
            otherwise at their own.
        component_cost: Cost of the components.
        other_boms: Other bills of materials of the product, to pass as ``bom_id``.
    """

    product: RecordName
    quantity: float
    uom: str
    can_make: bool
    producible: float | None = None
    bom: Bill
    components: list[BillComponent]
    deadline: str | None = None
    start_by: str | None = None
    operations: list[Operation] = attrs.Factory(list)
    minutes: float | None = None
    operation_cost: float | None = None
    component_cost: float | None = None
    other_boms: list[RecordName] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Chosen:
    """A product and the bill of materials it is made by, as rows, and its other bills."""

    product: op.Row
    bom: op.Row
    others: list[op.Row] = attrs.Factory(list)


def check_components(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Id of the product variant.")] = None,
    product_name: Annotated[str | None, Doc("Name or internal reference.")] = None,
    bom_id: Annotated[op.NameOrId, Doc("Default: the product's first.")] = None,
    quantity: Annotated[float, Doc("In the product's unit of measure.")] = 1,
    location_id: Annotated[op.NameOrId, Doc("Count stock only there. Default: everywhere.")] = None,
    workcenter_id: Annotated[
        op.NameOrId, Doc("Work center for times and costs. Default: each operation's own.")
    ] = None,
    deadline: Annotated[
        str | None, Doc("YYYY-MM-DD. Components due in time are not counted as missing.")
    ] = None,
) -> BillComponents:
    """Return the components of a product, and whether you can make a quantity of it now.

    >>> found = check_components(odoo, product_name="Table", quantity=5)
    >>> found.can_make, [(part.product.name, part.needed) for part in found.components]
    (True, [('Wood', 10.0), ('Steel', 5.0)])

    Pass a product, or a bill of materials, which also decides the product. A location includes its
    sublocations. With ``workcenter_id``, you see its times and costs for the operations that it can
    do. With a deadline, confirmed receipts count that arrive before production must start. The
    deadline is in the time zone of the connection.

    It takes 4 to 6 requests, 2 more for each level of kits, 1 more with operations, and 1 more if
    receipts come in time.

    Raises:
        NotFoundError: The product has no bill of materials.
        ValidationError: The work center can do none of the operations, or the deadline is past.
        StateError: The product is a kit, which is not manufactured.
        AmbiguousNameError: The name matches several products.
    """
    wanted = op.checked_number(quantity, "quantity", positive=True)
    due = op.day_to_come(odoo, deadline, "deadline")
    chosen = choose_bill(odoo, product_id, product_name, bom_id)
    place = op.resolve(
        odoo, op.Wanted.of("stock.location", location_id, "location_id"), required=False
    )
    center = find_work_center(odoo, workcenter_id)
    product, bom, known = chosen.product, chosen.bom, Known()
    start = start_by(odoo, product, bom, due) if due else None

    def needed() -> list[BillComponent]:
        found = explode(odoo, bom, product, wanted, location=place, day=start, known=known)
        return _with_receipts(odoo, found, known, start) if start else found

    components, operations = op.gather(
        needed,
        lambda: read_operations(odoo, bom, product, wanted),
    )
    ways = chosen_ways(operations, center)
    minutes, work = costs(ways)
    name, uom = product["display_name"], product["uom_id"].name
    short = [item.product.name for item in components if item.missing]
    when = f"by {due}" if due else "now"
    message = f"{wanted:g} {uom} of {name} can be made {when}."
    if short:
        message = f"{wanted:g} {uom} of {name} cannot be made {when}: not enough of"
        message += f" {', '.join(short)}"
        message = f"{message[:400]}."
    elif not components:
        message = f"The bill of materials of {name} has no components."
    return BillComponents(
        product=RecordName(id=product["id"], name=name),
        quantity=wanted,
        uom=uom,
        can_make=bool(components) and not short,
        producible=producible(components, wanted),
        bom=Bill(
            id=bom["id"],
            name=bom["display_name"],
            quantity=bom["product_qty"],
            uom=bom["product_uom_id"].name,
        ),
        components=components,
        deadline=due,
        start_by=start,
        operations=operations,
        minutes=minutes if ways else None,
        operation_cost=work if ways else None,
        component_cost=round(sum(item.cost or 0.0 for item in components), 2)
        if components and all(item.cost is not None for item in components)
        else None,
        other_boms=[RecordName(id=row["id"], name=row["display_name"]) for row in chosen.others],
        message=message,
        warnings=blocked_warnings(ways),
    )


def start_by(odoo: Odoo, product: op.Row, bom: op.Row, due: str) -> str:
    """Return the last day to start, by the lead time of the bill, or of the product up to 16."""
    own = bom["produce_delay"] if bom["produce_delay"] is not None else product["produce_delay"]
    start = date.fromisoformat(due) - timedelta(days=math.ceil(own or 0))
    return max(start.isoformat(), op.today(odoo))


def choose_bill(
    odoo: Odoo, product_id: int | None, product_name: str | None, bill: op.NameOrId
) -> Chosen:
    """Return the product meant and the bill by which it is made, the first unless one is named.

    Raises:
        NotFoundError: there is no such product or bill, or the product has none.
        ValidationError: the bill is another product's, or that of several variants.
        StateError: it is a kit.
    """
    bom_id = op.resolve(odoo, op.Wanted.of(BOM.model, bill, "bom_id"), required=False)
    if bom_id is not None and product_id is None and product_name is None:
        return _of_bill(odoo, bom_id)
    number = op.find_id(odoo, PRODUCT, product_id, product_name)
    variants = ["product_tmpl_id.product_variant_ids", "in", [number]]
    domain = [variants, "|", ["product_id", "=", number], ["product_id", "=", False]]
    product, rows = op.gather(
        lambda: op.read(odoo, PRODUCT, number),
        lambda: op.read_rows(
            odoo, BOM.model, domain, BOM.fields, order=FIRST_BILL, active_test=True
        ),
    )
    name = product["display_name"]
    if bom_id is not None:
        own = [row for row in rows if row["id"] == bom_id] or [
            row for row in [op.read(odoo, BOM, bom_id)] if is_bill_of(row, product)
        ]
        if not own:
            raise invalid(
                "bom_id",
                f"The bill of materials {bom_id} does not belong to {name}.",
                f"Choose one of these: {_listed(rows)}." if rows else "Omit bom_id.",
                id=bom_id,
            )
        return Chosen(product=product, bom=_checked(own[0]))
    makes = [row for row in rows if row["type"] == "normal"]
    if makes:
        return Chosen(product=product, bom=makes[0], others=makes[1:])
    if rows:
        _checked(rows[0])
    raise NotFoundError(
        f"{name} has no bill of materials.",
        suggestion="Create one on mrp.bom (product_tmpl_id, bom_line_ids), or buy the product.",
        details={"model": BOM.model, "product_id": number},
    )


def _of_bill(odoo: Odoo, bom_id: int) -> Chosen:
    bom = _checked(op.read(odoo, BOM, bom_id))
    domain: list[Any] = [["product_tmpl_id", "=", bom["product_tmpl_id"].id]]
    if bom["product_id"]:
        domain = [["id", "=", bom["product_id"].id]]
    rows = op.read_rows(odoo, PRODUCT.model, domain, PRODUCT.fields, limit=2, active_test=False)
    if len(rows) != 1:
        raise invalid(
            "product_id",
            f"{bom['display_name']} applies to several variants, or to none.",
            "Also set product_id to the variant to produce.",
            bom_id=bom_id,
        )
    return Chosen(product=rows[0], bom=bom)


def _checked(bom: op.Row) -> op.Row:
    name = bom["display_name"]
    details = {"model": BOM.model, "id": bom["id"], "type": bom["type"]}
    if bom["type"] == "phantom":
        raise StateError(
            f"{name} is a kit, so it is not manufactured. Odoo delivers its components instead.",
            suggestion="Produce or buy the components.",
            details=details,
        )
    if bom["type"] != "normal":
        raise StateError(
            f"A subcontractor makes {name}, so it is not manufactured here.",
            suggestion="Order the product from the subcontractor with a purchase order.",
            details=details,
        )
    return bom


def _listed(rows: Sequence[op.Row]) -> str:
    return ", ".join(f"{row['display_name']} ({row['id']})" for row in rows[:10])
