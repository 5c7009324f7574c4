"""Functions that create, confirm and cancel manufacturing orders.

A ``mrp.production`` goes draft -> [action_confirm] -> confirmed -> progress -> to_close ->
[button_mark_done] -> done. The button action_cancel cancels any that is not done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing import bills, orders
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.values.moments import utc_string

CONFIRM = op.Step(
    model=orders.ORDER.model,
    method="action_confirm",
    says="Order confirmed",
    fails="Not confirmed",
    seen=op.shows(orders.ORDER, state=("confirmed", "progress", "to_close", "done")),
)
#: Until all that is free is reserved it has not happened, or there was nothing to reserve: it may
#: be repeated either way.
RESERVE = op.Step(
    model=orders.ORDER.model,
    method="action_assign",
    says="Components reserved",
    fails="Its components are not reserved",
    seen=lambda odoo, number: _is_reserved(odoo, number),
)
CANCEL = op.Step(
    model=orders.ORDER.model,
    method="action_cancel",
    says="Order cancelled",
    seen=op.shows(orders.ORDER, state=("cancel",)),
)

#: Up to 14 Odoo does not reserve when it confirms.
RESERVES_ITSELF = 15


@op.operation
def confirm_order(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Confirm a draft manufacturing order, and reserve its components.

    >>> confirm_order(odoo, order_name="WH/MO/5").message
    'Reserved components of WH/MO/5: 4 Units of Table.'

    For a confirmed order, it only reserves components. It takes 5 or 6 requests.

    Raises:
        StateError: The order is finished.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CONFIRM, RESERVE, dry_run=dry_run)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    check_open(row)
    draft = row["state"] == "draft"
    return op.operate(
        odoo,
        [CONFIRM, RESERVE] if draft else [RESERVE],
        [row["id"]],
        lambda done: order_result(odoo, done, "Confirmed" if draft else "Reserved components of"),
        message=f"Would {'confirm' if draft else 'reserve components of'} {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [_previewed(odoo, row)],
    )


def _previewed(odoo: Odoo, row: op.Row) -> op.PlannedDocument:
    """Return an order with its components, and what of them is reserved or free."""
    lines = [
        op.PlannedLine(
            product=move["product"].name,
            quantity=move["needed"],
            uom=move["uom"].name,
            available=move["needed"] - move["missing"],
            change="used",
        )
        for move in orders.read_components(odoo, row["id"])
    ]
    return orders.previewed(row, row["product_qty"], lines)


@op.operation
def cancel_order(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Cancel a manufacturing order that is not done, with its work orders and reservations.

    >>> cancel_order(odoo, order_name="WH/MO/5").message
    'WH/MO/5 is cancelled.'

    You can't undo this: Odoo does not confirm a cancelled order again. It takes 3 requests.

    Raises:
        StateError: The order is done.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CANCEL, dry_run=dry_run)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return orders.order_of(row, message=f"{name} was already cancelled.")
    if row["state"] == "done":
        todo = "Create an unbuild order instead (mrp.unbuild)."
        raise op.state_error(orders.ORDER, row, f"{name} is done, so it cannot be cancelled.", todo)

    def result(done: op.Done) -> orders.Order:
        now = op.row_after(odoo, orders.ORDER, done, name=name)
        state = now.get("state")
        if state not in (None, "cancel"):
            done.warnings.append(f"The order is still in the state {state}.")
        message = f"{name} is cancelled." if state in (None, "cancel") else "Not cancelled."
        return orders.order_of({**row, **now}, message=message, warnings=done.warnings)

    would = f"Would cancel {name}."
    return op.operate(odoo, [CANCEL], [row["id"]], result, message=would, dry_run=dry_run)


def check_open(row: op.Row) -> None:
    """Refuse to work on an order that is finished."""
    if row["state"] == "done":
        raise op.state_error(
            orders.ORDER, row, f"{row['name']} is already done.", "Nothing is left to do."
        )
    if row["state"] == "cancel":
        todo = "Create a new order with create_order."
        raise op.state_error(orders.ORDER, row, f"{row['name']} is cancelled.", todo)


def order_result(
    odoo: Odoo,
    done: op.Done,
    verb: str,
    *,
    confirming: bool = True,
    operations: Sequence[bills.Operation] = (),
) -> orders.Order:
    """Read back an order that was made or confirmed, with the components that are missing.

    Args:
        odoo: the connection.
        done: what was done.
        verb: such as ``Confirmed``.
        confirming: whether it was to be confirmed.
        operations: of its bill; then its work orders are read, too.
    """
    read_again = op.afterwards(
        lambda: op.gather(
            lambda: op.read(odoo, orders.ORDER, done.id),
            lambda: orders.read_components(odoo, done.id),
        ),
        done.warnings,
        "the order",
    )
    if read_again is None:
        message = f"{verb} the order {done.id}. Its state is unknown."
        return orders.Order(id=done.id, message=message, warnings=done.warnings)
    row, moves = read_again
    message = f"{verb} {row['name']}: {row['product_qty']:g} {row['product_uom_id'].name}"
    message += f" of {row['product_id'].name}."
    if confirming and row["state"] == "draft":
        message += " The order is not confirmed."
    missing = short_of(moves)
    work = row["workorder_ids"] if operations else None
    found = op.afterwards(
        lambda: orders.read_work_orders(odoo, work), done.warnings, "its work orders"
    )
    return orders.order_of(
        row,
        available=not missing,
        missing=missing,
        work_orders=found or [],
        operations=list(operations),
        message=message,
        warnings=done.warnings,
    )


def short_of(moves: Sequence[op.Row]) -> list[orders.Component]:
    """Return the components that are missing."""
    return [orders.as_component(move) for move in moves if move["missing"]]


def _is_reserved(odoo: Odoo, order_id: int) -> bool | None:
    moves = orders.read_components(odoo, order_id)
    return None if any(move["free"] for move in moves if move["state"] != "done") else True


CREATE = op.Step(model=orders.ORDER.model, method="create", says="Order created")

#: From this version on Odoo fills in an order that is created from outside.
_FILLS_IN = 16

_HEAD = op.words("""
    product_id product_qty product_uom_id bom_id date_planned_start date_planned_finished
    picking_type_id location_src_id location_dest_id company_id user_id consumption
""")
_MOVE = op.words("""
    name sequence date date_deadline picking_type_id product_id product_uom_qty product_uom
    location_id location_dest_id company_id operation_id price_unit procure_method warehouse_id
    propagate_cancel
""")
#: What the form shows of its lines; Odoo needs byproduct_id even where it is empty.
_LINES = {
    "move_raw_ids": (*_MOVE, "bom_line_id"),
    "move_finished_ids": (*_MOVE, "byproduct_id"),
    "workorder_ids": op.words(
        "name workcenter_id operation_id product_uom_id consumption state duration_expected"
    ),
}


@op.operation
def create_order(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Id of the product variant.")] = None,
    product_name: Annotated[str | None, Doc("Name or internal reference.")] = None,
    bom_id: Annotated[op.NameOrId, Doc("Default: the product's first.")] = None,
    quantity: Annotated[float, Doc("In the product's unit of measure.")] = 1,
    date: Annotated[str | None, Doc("Planned start, ISO. Default: now.")] = None,
    workcenter_id: Annotated[
        op.NameOrId, Doc("Preferred work center. Default: each operation's own.")
    ] = None,
    deadline: Annotated[str | None, Doc("When it must be ready, ISO.")] = None,
    origin: Annotated[str | None, Doc("Source document, e.g. S00012.")] = None,
    confirm: Annotated[bool, Doc("Also confirm it and reserve components.")] = False,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Create a manufacturing order from a bill of materials, with components and work orders.

    >>> create_order(odoo, product_name="Table", quantity=5, confirm=True).message
    'Created and confirmed WH/MO/6: 5 Units of Table.'

    Pass a product, or a bill of materials, which also decides the product. With ``workcenter_id``,
    the operations are done there that it can do: its own ones, and those it is an alternative for.
    A datetime without a time zone is in UTC.

    If the confirmation fails, the draft stays, and ``warnings`` says why. An order can be confirmed
    without its components.

    It takes 5 requests, 1 more for a name, 1 or 2 to confirm, and 2 more on Odoo 15 and earlier.
    With operations it takes 4 more, and 2 for each that is done at another work center.

    Raises:
        AmbiguousNameError: The name matches several products. Nothing was written.
        NotFoundError: The product has no bill of materials.
        StateError: The product is a kit.
        ValidationError: A value is wrong. Nothing was written.
    """
    confirming = [CONFIRM] if odoo.version.major >= RESERVES_ITSELF else [CONFIRM, RESERVE]
    further: list[op.AnyStep] = [*(confirming if confirm else ())]
    fills_in = odoo.version.major >= _FILLS_IN
    elsewhere = [RELOCATE] if workcenter_id is not None and fills_in else []
    op.permit(odoo, CREATE, *elsewhere, *further, dry_run=dry_run)
    amount = op.checked_number(quantity, "quantity", positive=True)
    described = odoo.schema.fields(orders.ORDER.model)
    # Renamed in 17, where date_start had been something else.
    start = "date_planned_start" if "date_planned_start" in described else "date_start"
    given = {start: date, "date_deadline": deadline, "origin": origin}
    given = {name: value for name, value in given.items() if value is not None}
    head = to_wire(given, orders.ORDER.model, described, fields_of=odoo.schema.fields)
    chosen = bills.choose_bill(odoo, product_id, product_name, bom_id)
    center = bills.find_work_center(odoo, workcenter_id)
    operations = bills.read_operations(odoo, chosen.bom, chosen.product, amount)
    ways = bills.chosen_ways(operations, center)
    moved = [(each, way) for each, way in ways if way.alternative and way.workcenter.id == center]
    values: dict[str, Any] = {
        "product_id": chosen.product["id"],
        "bom_id": chosen.bom["id"],
        "product_qty": amount,
        "product_uom_id": chosen.product["uom_id"].id,
        **head,
    }
    if not fills_in:
        values = _form(odoo, values, {name: head[name] for name in head if name == start})
        _relocate(values, moved)
    steps = [CREATE.of(vals_list=values)]
    steps += [_relocating(each, way) for each, way in moved] if fills_in else []
    what = " and confirm it" if confirm else ""
    would = f"Would create an order for {amount:g} {chosen.product['display_name']}{what}"
    if ways:
        minutes, cost = bills.costs(ways)
        at = ", ".join(f"{each.name} at {way.workcenter.name}" for each, way in ways)
        would += f", {at}: {minutes:g} minutes, work costs {cost:g}"

    def result(done: op.Done) -> orders.Order:
        done.warnings[:0] = bills.blocked_warnings(ways)
        made = order_result(
            odoo,
            done,
            "Created and confirmed" if confirm else "Created",
            confirming=confirm,
            operations=operations,
        )
        return _checked_deadline(made, head.get("date_deadline"))

    return op.operate(odoo, [*steps, *further], (), result, message=f"{would}.", dry_run=dry_run)


def _checked_deadline(made: orders.Order, deadline: str | None) -> orders.Order:
    """Warn where the order does not have the deadline, or is planned to be late."""
    if deadline is None or made.state is None:
        return made
    if made.date_deadline is None or utc_string(made.date_deadline) != deadline:
        made.warnings.append(f"Odoo stored the deadline {made.date_deadline}, not {deadline}.")
    elif made.date_end and utc_string(made.date_end) > deadline:
        made.warnings.append(f"Odoo plans to finish it on {made.date_end}, after the deadline.")
    return made


@attrs.frozen(kw_only=True)
class _Relocate(op.Step):
    """Gives an operation's work order of a new order another work center."""

    operation: bills.Operation | None = None

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        name = self.operation.name if self.operation else ""
        return super().calls(odoo, (f"the work order of {name}",))

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        assert self.operation is not None  # noqa: S101 - only asked of the policy without
        domain = [["production_id", "=", ids[0]], ["operation_id", "=", self.operation.id]]
        rows = op.read_rows(odoo, self.model, domain, ["id"], acts_on=orders.ORDER.model)
        if not rows:
            warnings.append(f"Odoo created no work order for {self.operation.name}.")
            return True
        (call,) = super().calls(odoo, [row["id"] for row in rows])
        return op.send(odoo, call, warnings)


RELOCATE = _Relocate(
    model="mrp.workorder",
    method="write",
    says="Work center set",
    fails="Its work orders stay at their own work centers",
)


def _relocating(operation: bills.Operation, way: bills.Way) -> _Relocate:
    step = attrs.evolve(RELOCATE, operation=operation)
    return attrs.evolve(step, arguments={"vals": _at(way)})


def _at(way: bills.Way) -> dict[str, Any]:
    # Not every version computes the time anew.
    return {"workcenter_id": way.workcenter.id, "duration_expected": way.minutes}


def _relocate(
    values: Mapping[str, Any], moved: Sequence[tuple[bills.Operation, bills.Way]]
) -> None:
    """Put work centers into the work orders that the form has filled in, up to 15."""
    ways = {operation.id: way for operation, way in moved}
    for command in values.get("workorder_ids") or ():
        if way := ways.get(command[2].get("operation_id")):
            command[2].update(_at(way))


def _form(odoo: Odoo, values: Mapping[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that Odoo's form fills in: of a new order first, then of its quantity and date.

    Naming the bill sets the quantity to the bill's; so the quantity is given afterwards.
    """
    named = {name: values[name] for name in ("product_id", "bom_id")}
    first = _onchange(odoo, named, [])
    changed = {**first, **values, "move_raw_ids": [], "move_finished_ids": []}
    filled = {**changed, **_onchange(odoo, changed, ["product_qty", *head])}
    # What is made besides has a field of its own: in the other one Odoo drops it.
    made = filled["move_finished_ids"]
    filled["move_finished_ids"] = [move for move in made if not move[2].get("byproduct_id")]
    if besides := [move for move in made if move[2].get("byproduct_id")]:
        filled["move_byproduct_ids"] = besides
    return filled


def _onchange(odoo: Odoo, values: Mapping[str, Any], changed: list[str]) -> dict[str, Any]:
    """Ask the form what follows from values; without a changed one, the defaults are filled in."""
    spec = dict.fromkeys((*_HEAD, *_LINES), "1")
    spec |= {f"{lines}.{name}": "" for lines, names in _LINES.items() for name in names}
    answer = odoo.call(
        op.Call(
            model=orders.ORDER.model,
            method="onchange",
            ids=(),
            arguments={"values": dict(values), "field_names": changed, "fields_spec": spec},
            access="read",
            step=True,
        )
    )
    found = (answer.get("value") or {}).items()
    return {name: _plain(value) for name, value in found if name in spec}


def _plain(value: Any) -> Any:
    """Return a value of the form as ``create`` takes it."""
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) == 2 and isinstance(value[1], str):
        return value[0]
    return [
        [0, 0, {name: _plain(part) for name, part in command[2].items() if name != "id"}]
        for command in value
        if command[0] == 0
    ]
