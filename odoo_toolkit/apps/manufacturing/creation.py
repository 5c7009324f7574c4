"""Making manufacturing orders from bills of materials.

From 16 on Odoo fills in an order itself. To 15 it does so only in its form: an order created
without that has no components, and can never be finished; so the form is asked first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.manufacturing.actions import (
    CONFIRM,
    RESERVE,
    RESERVES_ITSELF,
    OrderResult,
    order_result,
)
from odoo_toolkit.apps.manufacturing.bills import choose_bill
from odoo_toolkit.apps.manufacturing.orders import ORDER
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.lines import checked_number
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import AnyStep, Plan, Step, operate, permit

CREATE = Step(model=ORDER.model, method="create", says="Order created")

#: From this version on Odoo fills in an order that is created from outside.
_FILLS_IN = 16

_HEAD = (
    "product_id",
    "product_qty",
    "product_uom_id",
    "bom_id",
    "date_planned_start",
    "date_planned_finished",
    "picking_type_id",
    "location_src_id",
    "location_dest_id",
    "company_id",
    "user_id",
    "consumption",
)
_MOVE = (
    "name",
    "sequence",
    "date",
    "date_deadline",
    "picking_type_id",
    "product_id",
    "product_uom_qty",
    "product_uom",
    "location_id",
    "location_dest_id",
    "company_id",
    "operation_id",
    "price_unit",
    "procure_method",
    "warehouse_id",
    "propagate_cancel",
)
#: What the form shows of its lines; Odoo needs byproduct_id even where it is empty.
_LINES = {
    "move_raw_ids": (*_MOVE, "bom_line_id"),
    "move_finished_ids": (*_MOVE, "byproduct_id"),
    "workorder_ids": (
        "name",
        "workcenter_id",
        "operation_id",
        "product_uom_id",
        "consumption",
        "state",
        "duration_expected",
    ),
}


@operation
def create_order(
    odoo: Odoo,
    *,
    product_id: int | None = None,
    product_name: str | None = None,
    bom_id: Annotated[int | None, Doc("Default: the product's first.")] = None,
    quantity: Annotated[float, Doc("In the product's unit of measure.")] = 1,
    date: Annotated[str | None, Doc("Planned start, ISO; default: now.")] = None,
    confirm: Annotated[bool, Doc("Also confirm it and reserve components.")] = False,
    dry_run: DryRun = False,
) -> OrderResult | Plan:
    """Make a manufacturing order from a bill of materials, with components and work orders.

    5 round trips, 1 more for a name and 1 or 2 to confirm; to Odoo 15 2 more.

    Args:
        odoo: the connection.
        product_id: what is made; or
        product_name: its name.
        bom_id: a bill of materials of it; alone, it says the product too.
        quantity: in the product's unit of measure.
        date: planned start, an ISO date or moment (UTC where no zone is given).
        confirm: confirm the order at once, and reserve what is in stock. When that fails, the draft
            stays and ``warnings`` says why. Missing components do not keep it from being confirmed.
        dry_run: resolve and check, write nothing.

    Raises:
        AmbiguousNameError: the name matches several products; nothing was written.
        NotFoundError: the product has no bill of materials.
        StateError: it is a kit.
        ValidationError: a value is wrong; nothing was written.
    """
    confirming = [CONFIRM] if odoo.version.major >= RESERVES_ITSELF else [CONFIRM, RESERVE]
    steps: list[AnyStep] = [CREATE, *(confirming if confirm else ())]
    permit(odoo, *steps, dry_run=dry_run)
    amount = checked_number(quantity, "quantity", positive=True)
    described = odoo.schema.fields(ORDER.model)
    # Renamed in 17, where date_start had been something else.
    start = "date_planned_start" if "date_planned_start" in described else "date_start"
    given = {} if date is None else {start: date}
    head = to_wire(given, ORDER.model, described, fields_of=odoo.schema.fields)
    chosen = choose_bill(odoo, product_id, product_name, bom_id)
    values: dict[str, Any] = {
        "product_id": chosen.product["id"],
        "bom_id": chosen.bom["id"],
        "product_qty": amount,
        "product_uom_id": chosen.product["uom_id"].id,
        **head,
    }
    if odoo.version.major < _FILLS_IN:
        values = _form(odoo, values, head)
    steps[0] = CREATE.of(vals_list=values)
    what = " and confirm it" if confirm else ""
    name = chosen.product["display_name"]
    return operate(
        odoo,
        steps,
        (),
        lambda done: order_result(
            odoo, done, "Created and confirmed" if confirm else "Created", confirming=confirm
        ),
        would=f"Would make an order for {amount:g} {name}{what}.",
        dry_run=dry_run,
    )


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
        Call(
            model=ORDER.model,
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
