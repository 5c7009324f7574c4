"""A function that produces a manufacturing order, in full or in part, with lots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.manufacturing import orders
from odoo_toolkit.apps.manufacturing.actions import CONFIRM, check_open
from odoo_toolkit.apps.manufacturing.consumption import (
    Use,
    UsedLine,
    checked_uses,
    move_commands,
    plan_uses,
    shortages,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, invalid
from odoo_toolkit.records.results import RecordName

_TOLERANCE = 1e-6
_NEW_LOT = "the new lot"


@attrs.frozen(kw_only=True)
class _Enter(op.Step):
    """Writes what is produced and used; before that it creates the lots of what is made.

    The write's ``vals`` hold the lots that there are, and :data:`_NEW_LOT` for each new one.
    """

    new_lots: Sequence[Mapping[str, Any]] = ()

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        calls = super().calls(odoo, ids)
        if not self.new_lots:
            return calls
        model = op.lot_model(odoo)
        create = op.Call(
            model=model,
            method="create",
            arguments={"vals_list": [dict(values) for values in self.new_lots]},
            access="create",
            acts_on=model,
            step=True,
        )
        return [create, *calls]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        *create, write = self.calls(odoo, ids)
        made = iter([number for call in create for number in op.send(odoo, call, warnings)])
        vals = dict(write.arguments["vals"])
        if vals.get("lot_producing_id") == _NEW_LOT:
            vals["lot_producing_id"] = next(made)
        for command in vals.get("lot_producing_ids", ()):
            command[2] = [next(made) if lot == _NEW_LOT else lot for lot in command[2]]
        return op.send(odoo, attrs.evolve(write, arguments={"vals": vals}), warnings)


FINISH = op.Step(
    model=orders.ORDER.model,
    method="button_mark_done",
    says="Produced",
    fails="The quantities are entered, but it is not produced",
    seen=op.shows(orders.ORDER, state=("done",)),
)


@op.operation
def produce(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    quantity: Annotated[float | None, Doc("Default: the quantity in Odoo, or the rest.")] = None,
    lots: Annotated[
        Sequence[str] | None,
        Doc("One lot of the product, or a serial number per unit. New ones are created."),
    ] = None,
    lines: Annotated[
        Sequence[UsedLine] | None,
        Doc("Components that differ from the bill of materials: the total used, or the lots."),
    ] = None,
    backorder: Annotated[bool, Doc("Keep the rest open in a backorder.")] = True,
    unreserved: Annotated[bool, Doc("Use missing components. Stock becomes negative.")] = False,
    allow_more: Annotated[bool, Doc("Allow more than ordered.")] = False,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Produce a manufacturing order, in full or in part.

    >>> produce(odoo, order_name="WH/MO/5", quantity=3).message
    'Produced 3 Units of Table by WH/MO/5-001. The rest is WH/MO/5-002.'

    A draft is confirmed first. Its work orders are finished, too. Components are used in proportion
    to the quantity, except your ``lines`` and quantities that a user has entered in Odoo for it.
    By-products are made in the same way. A missing component is an error, although Odoo would use
    it.

    Each of ``lines`` has ``product_id`` or ``product_name``, the total ``quantity``, and ``lots``:
    one lot, or serial numbers. Without lots, reserved lots are used. Without ``lots`` of the
    product, Odoo's next number is used. On Odoo 18 and earlier, an order with serial numbers is
    produced piece by piece.

    Your arguments answer Odoo's questions about immediate production, consumption and backorders.
    With ``backorder``, the rest becomes another order, otherwise it is dropped.

    It takes 5 requests, and up to 6 more for names, parts, lots and units of measure.

    Raises:
        StateError: The order is done or cancelled, components are missing, the quantity is more
            than ordered, or the bill does not allow other components. Nothing was written.
        ValidationError: A lot or line is wrong. Nothing was written.
        WizardRequiredError: Odoo asks another question. The quantities are already entered.
    """
    op.permit(odoo, CONFIRM, _entering({}, ()), FINISH, dry_run=dry_run)
    given = checked_uses(lines)
    names = _checked_names(lots)
    if quantity is not None:
        op.checked_number(quantity, "quantity", positive=True)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    check_open(row)
    left = row["product_qty"] - (row["qty_produced"] or 0.0)
    amount = quantity or row["qty_producing"] or left
    _check_amount(odoo, row, amount, left, allow_more=allow_more)
    moves = orders.read_components(odoo, row["id"], with_byproducts=True)
    uses = plan_uses(
        odoo,
        moves,
        given,
        share=amount / left,
        entered=abs(amount - (row["qty_producing"] or 0.0)) < _TOLERANCE,
    )
    told = any(use.told for use in uses)
    if told:
        _check_consumption(odoo, row)
    if not unreserved and (short := shortages(odoo, uses)):
        raise _shortage(row, short)
    commands = move_commands(odoo, row, uses, unreserved=unreserved)
    made, new_lots = _lots_made(odoo, row, amount, names)
    values = {"qty_producing": amount, **made}
    values |= {field: of_field for field, of_field in commands.items() if of_field}
    partly = amount < left - _TOLERANCE
    context: op.Row = {"skip_backorder": True}
    context |= {"mo_ids_to_backorder": [row["id"]]} if partly and backorder else {}
    # What differs from the bill was said by the caller.
    context |= {"skip_consumption": True} if told else {}
    steps: list[op.AnyStep] = [CONFIRM] if row["state"] == "draft" else []
    steps += [_entering(values, new_lots), attrs.evolve(FINISH, context=context)]
    op.permit(odoo, *steps, dry_run=dry_run)
    return op.operate(
        odoo,
        steps,
        [row["id"]],
        lambda done: _result(odoo, row, done, amount, partly=partly, backorder=backorder),
        message=f"Would produce {amount:g} {row['product_uom_id'].name} by {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [orders.previewed(row, amount, [_used(use) for use in uses])],
    )


def _used(use: Use) -> op.PlannedLine:
    lots = ", ".join(use.lots)
    made = use.move["byproduct"]
    return op.PlannedLine(
        product=use.move["product"].name,
        name=f"lots {lots}" if lots else None,
        quantity=use.quantity,
        uom=use.move["uom"].name,
        change="made" if made else "used",
    )


def _entering(vals: Mapping[str, Any], new_lots: Sequence[Mapping[str, Any]]) -> _Enter:
    return _Enter(
        model=orders.ORDER.model,
        method="write",
        arguments={"vals": vals},
        says="Quantities entered",
        fails="The quantities are not entered",
        new_lots=new_lots,
    )


def _checked_names(lots: Sequence[str] | None) -> list[str]:
    names = [lots] if isinstance(lots, str) else list(lots or ())
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise invalid("lots", "lots must be a list of strings.")
    names = [name.strip() for name in names]
    op.check_once(names, "lots")
    return names


def _check_amount(odoo: Odoo, row: op.Row, amount: float, left: float, *, allow_more: bool) -> None:
    name = row["name"]
    if left <= _TOLERANCE:
        todo = "Cancel the order, or create a new one."
        raise op.state_error(orders.ORDER, row, f"Nothing of {name} is left to produce.", todo)
    if amount > left + _TOLERANCE and not allow_more:
        raise op.state_error(
            orders.ORDER,
            row,
            f"You entered {amount:g}, but only {left:g} {row['product_uom_id'].name} of {name} "
            "are left to produce. Nothing was produced.",
            "Correct the quantity, or pass allow_more=True.",
        )
    if row["product_tracking"] != "serial":
        return
    if row["lot_producing_ids"] is None and abs(amount - 1) > _TOLERANCE:
        raise op.state_error(
            orders.ORDER,
            row,
            f"{row['product_id'].name} has serial numbers, and Odoo {odoo.version.major} produces "
            "such products one at a time.",
            "Pass quantity=1, then produce each backorder in the same way.",
        )


def _check_consumption(odoo: Odoo, row: op.Row) -> None:
    """Refuse other components than the bill's where it is strict; Odoo only asks about it."""
    consumption = row["consumption"]
    if row["state"] == "draft" and row["bom_id"]:
        # An order takes it from its bill when it is confirmed.
        domain = [["id", "=", row["bom_id"].id]]
        bills = op.read_rows(odoo, "mrp.bom", domain, ["consumption"], acts_on=orders.ORDER.model)
        consumption = bills[0]["consumption"] if bills else consumption
    if consumption == "strict":
        raise op.state_error(
            orders.ORDER,
            row,
            f"The bill of materials of {row['name']} allows no other component quantities "
            "(consumption strict). Nothing was produced.",
            "Omit the quantities from lines, or change the bill of materials.",
        )


def _shortage(row: op.Row, short: Sequence[Mapping[str, Any]]) -> StateError:
    listed = "; ".join(
        f"{item['product']}: {item['there']:g} of {item['needed']:g} {item['uom']}"
        for item in short[:10]
    )
    error = op.state_error(
        orders.ORDER,
        row,
        f"{row['name']} was not produced, because of a shortage: {listed}.",
        "Produce a smaller quantity, or first get the components. To let the stock go below "
        "zero, pass unreserved=True.",
    )
    error.details["missing"] = [
        {**item, "missing": round(item["needed"] - item["there"], 6)} for item in short
    ]
    return error


def _lots_made(
    odoo: Odoo, row: op.Row, amount: float, names: Sequence[str]
) -> tuple[op.Row, list[op.Row]]:
    """Return what is written of the lots of what is made, and those that have to be created."""
    product, tracking = row["product_id"], row["product_tracking"] or "none"
    if tracking == "none":
        if names:
            raise invalid(
                "lots", f"{product.name} is not tracked by lots or serial numbers.", "Omit lots."
            )
        return {}, []
    many = row["lot_producing_ids"] is not None
    there = bool(row["lot_producing_id"] or row["lot_producing_ids"])
    if there and not names:
        return {}, []
    pieces = round(amount) if tracking == "serial" else 1
    if names and len(names) != pieces:
        what = f"{pieces} serial numbers, one per unit" if tracking == "serial" else "one lot"
        raise invalid(
            "lots",
            f"{amount:g} of {product.name} need {what}, not {len(names)}.",
            "Correct lots or quantity, or omit lots to use Odoo's next numbers.",
        )
    named = [op.NamedLot(product=product, name=name, field="lots") for name in names]
    company = row["company_id"].id
    found = op.find_lots(odoo, named, acts_on=orders.ORDER.model, company=company) if named else {}
    if tracking == "serial" and found:
        _check_unused(odoo, product, found)
    ids = [found.get(lot.key, _NEW_LOT) for lot in named] or [_NEW_LOT] * pieces
    wanted: list[op.NamedLot | None] = [*named] or [None] * pieces
    new: list[op.Row] = [
        {"product_id": product.id, "company_id": company, **({"name": lot.name} if lot else {})}
        for lot in wanted
        if lot is None or lot.key not in found
    ]
    return ({"lot_producing_ids": [[6, 0, ids]]} if many else {"lot_producing_id": ids[0]}), new


def _check_unused(odoo: Odoo, product: RecordName, found: Mapping[tuple[int, str], int]) -> None:
    """Refuse a serial number of a piece that is there, or was produced before."""
    ids = sorted(number for (owner, _), number in found.items() if owner == product.id)
    domain = [["lot_id", "in", ids], ["state", "=", "done"]]
    rows = op.read_rows(
        odoo, "stock.move.line", domain, ("lot_id",), acts_on=orders.ORDER.model, limit=1
    )
    if rows:
        raise invalid(
            "lots",
            f"The serial number {rows[0]['lot_id'].name} of {product.name} is already in use.",
            "Pass a new serial number.",
            lot=rows[0]["lot_id"].name,
        )


def _result(
    odoo: Odoo, before: op.Row, done: op.Done, amount: float, *, partly: bool, backorder: bool
) -> orders.Order:
    """Read back what has become of the order, and of its rest."""
    uom, product = before["product_uom_id"].name, before["product_id"].name
    rest = op.opened_ids(done.answers[-1]) if partly and isinstance(done.answers[-1], dict) else []
    domain = [["id", "in", [done.id, *rest]]]
    rows = op.afterwards(
        lambda: op.read_rows(odoo, orders.ORDER.model, domain, orders.ORDER.fields, order="id"),
        done.warnings,
    )
    if not rows:
        message = f"The state of {before['name']} is unknown."
        return orders.Order(id=done.id, message=message, warnings=done.warnings)
    row = next(row for row in rows if row["id"] == done.id)
    others = [RecordName(id=r["id"], name=r["name"]) for r in rows if r["id"] != done.id]
    if partly and backorder and not others and row["state"] == "done":
        related = op.afterwards(lambda: orders.read_related(odoo, row), done.warnings) or []
        others = [RecordName(id=r.id, name=r.name) for r in related if r.state != "done"][-1:]
    lots = op.afterwards(lambda: orders.read_lots_made(odoo, row), done.warnings) or []
    if row["state"] == "done":
        message = f"Produced {row['qty_produced']:g} {uom} of {product} by {row['name']}."
        message += f" The rest is {others[0].name}." if others else ""
    else:
        message = f"{row['name']} was not produced. Its state is {row['state']}."
        if done.complete:
            done.warnings.append(f"The order is still in the state {row['state']}.")
    return orders.order_of(
        row,
        lots=lots,
        backorder=others[0] if others else None,
        message=message,
        warnings=done.warnings,
    )
