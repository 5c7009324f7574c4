"""Functions that show, create and change reordering rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Gt

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.adjusting import COUNTED, PLACE, check_holds_stock, stock_location
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid, make_error
from odoo_toolkit.records.results import RecordName

Trigger = Literal["auto", "manual"]
How = Literal["purchase", "production", "transfer"]

WAREHOUSE = "stock.warehouse"

#: ``qty_multiple`` is there up to 18; the day by which goods come has a name up to 18 and another
#: on 19.
RULE = op.Document(
    model="stock.warehouse.orderpoint",
    noun="reordering rule",
    argument="rule_id",
    fields="""
        name active trigger product_id location_id warehouse_id product_uom product_min_qty
        product_max_qty qty_multiple qty_on_hand qty_forecast qty_to_order lead_days_date
        lead_horizon_date supplier_id rule_ids
    """,
)

#: What a rule of a route does, the strongest first: the last of a chain is not a transfer.
_ACTIONS: dict[str, How] = {
    "buy": "purchase",
    "manufacture": "production",
    "pull": "transfer",
    "pull_push": "transfer",
    "push": "transfer",
}

_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class ReorderingRule(op.Shown):
    """A reordering rule and the quantity that it would order, in the product's unit of measure.

    Attributes:
        minimum: If the forecast is below this quantity, Odoo orders up to ``maximum``.
        multiple: Quantity that orders are a multiple of, on Odoo 18 and earlier.
        trigger: ``auto`` if Odoo runs the rule by itself, ``manual`` if only on request.
        on_hand: Quantity in stock.
        forecast: Stock plus expected receipts minus demand, up to ``until``.
        until: Last day of the forecast. Odoo calculates it from the lead times of vendor,
            production and company.
        to_order: Quantity that the rule would order now.
        how: Source of the goods. None if no route replenishes the location.
        vendor: Preferred vendor of the rule, if it has one.
        message: The change, after a change.
    """

    id: int
    name: str | None = None
    product: RecordName | None = None
    location: RecordName | None = None
    warehouse: RecordName | None = None
    uom: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    multiple: float | None = None
    trigger: str | None = None
    active: bool = True
    on_hand: float | None = None
    forecast: float | None = None
    until: str | None = None
    to_order: float | None = None
    how: How | None = None
    vendor: str | None = None
    message: str = ""
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ReorderingRules(op.Shown):
    """Reordering rules, as they are in Odoo now."""

    message: str
    rules: list[ReorderingRule]
    warnings: list[str] = attrs.Factory(list)


ProductId = Annotated[int | None, Doc("The product (product.product).")]
ProductName = Annotated[str | None, Doc("Name or reference.")]


def get_reordering_rules(
    odoo: Odoo,
    *,
    product_id: ProductId = None,
    product_name: ProductName = None,
    location_id: Annotated[op.NameOrId, Doc("Only this location and its sublocations.")] = None,
    warehouse_id: Annotated[op.NameOrId, Doc("Only this warehouse.")] = None,
    to_order: Annotated[bool, Doc("Only rules that would order something now.")] = False,
    limit: Annotated[int, Ge(1), Doc("Maximum number of rules.")] = 100,
) -> ReorderingRules:
    """Return the active reordering rules with stock, forecast and quantity to order.

    >>> found = get_reordering_rules(odoo, product_name="Desk")
    >>> [(rule.minimum, rule.maximum, rule.to_order, rule.how) for rule in found.rules]
    [(5.0, 20.0, 17.0, 'purchase')]

    It takes 2 requests, and 1 more for names.

    Raises:
        AmbiguousNameError: A name matches several records.
        NotFoundError: The product, location or warehouse does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    domain = meant_rules(
        odoo,
        product=PRODUCT.wanted(product_id, product_name),
        location=location_id,
        warehouse=warehouse_id,
    )
    domain += [["qty_to_order", ">", 0]] if to_order else []
    rows = op.read_rows(odoo, RULE.model, domain, RULE.fields, limit=limit + 1, order="id")
    rules = shown_rules(odoo, rows[:limit])
    ordering = sum(1 for rule in rules if (rule.to_order or 0) > 0)
    return ReorderingRules(
        message=f"{op.counted(len(rules), 'reordering rule')}, {ordering} of them would order "
        "something now.",
        rules=rules,
        warnings=[f"To see more rules, raise limit ({limit})."] if len(rows) > limit else [],
    )


def meant_rules(
    odoo: Odoo, *, product: op.Wanted | None, location: op.NameOrId, warehouse: op.NameOrId
) -> list[Any]:
    """Return the domain of the active rules that are meant; names take one round trip."""
    links = op.wanted_links(
        location_id=(LOCATION.model, location), warehouse_id=(WAREHOUSE, warehouse)
    )
    wanted = [product] if product and (product.id, product.name) != (None, None) else []
    ids = op.resolve_all(odoo, [*wanted, *links])
    domain: list[Any] = [["active", "=", True]]
    for item, number in zip([*wanted, *links], ids, strict=True):
        operator = "child_of" if item.field == "location_id" else "="
        domain.append([item.field, operator, number])
    return domain


def shown_rules(odoo: Odoo, rows: Sequence[op.Row]) -> list[ReorderingRule]:
    """Return rules as they are shown; one round trip for the routes."""
    routes = sorted({number for row in rows for number in row["rule_ids"] or ()})
    actions: dict[int, str] = {}
    if routes:
        found = op.read_rows(
            odoo, "stock.rule", [["id", "in", routes]], ["action"], acts_on=RULE.model
        )
        actions = {row["id"]: row["action"] for row in found}
    return [_shown(row, actions) for row in rows]


def _shown(row: op.Row, actions: dict[int, str], **told: Any) -> ReorderingRule:
    does = {actions.get(number) for number in row["rule_ids"] or ()}
    return op.filled(
        ReorderingRule,
        row,
        minimum=row["product_min_qty"],
        maximum=row["product_max_qty"],
        multiple=row["qty_multiple"] or None,
        on_hand=row["qty_on_hand"],
        forecast=row["qty_forecast"],
        to_order=row["qty_to_order"],
        until=row["lead_days_date"] or row["lead_horizon_date"],
        uom=unit.name if (unit := row.get("product_uom")) else None,
        how=next((how for action, how in _ACTIONS.items() if action in does), None),
        vendor=row["supplier_id"].name if row["supplier_id"] else None,
        active=bool(row["active"]),
        **told,
    )


_CREATE = op.Step(model=RULE.model, method="create", says="Reordering rule created")
_WRITE = op.Step(model=RULE.model, method="write", says="Reordering rule changed")


@op.operation
def set_reordering_rule(
    odoo: Odoo,
    *,
    rule_id: Annotated[int | None, Doc("An existing rule, instead of a product.")] = None,
    product_id: ProductId = None,
    product_name: ProductName = None,
    location_id: Annotated[
        op.NameOrId, Doc("Default: its only rule's, or the warehouse's stock.")
    ] = None,
    minimum: Annotated[
        float | None, Ge(0), Doc("Odoo orders when the forecast is lower. Required for a new rule.")
    ] = None,
    maximum: Annotated[
        float | None, Ge(0), Doc("Quantity to order up to. A new rule's default: the minimum.")
    ] = None,
    multiple: Annotated[
        float | None, Gt(0), Doc("Order multiples of this, on Odoo 18 and earlier.")
    ] = None,
    trigger: Annotated[Trigger | None, Doc("auto: Odoo runs it. manual: only on request.")] = None,
    dry_run: op.DryRun = False,
) -> ReorderingRule | op.Plan:
    """Create the reordering rule of a product in a location, or change the existing rule.

    >>> rule = set_reordering_rule(odoo, product_name="Desk", minimum=8)
    >>> rule.message
    'Changed OP/00001 of Desk in WH/Stock: minimum from 5 to 8.'

    Values that you do not pass stay the same. An archived rule becomes active again. Nothing is
    ordered yet. To order, call :func:`run_reordering_rules`. Odoo's scheduler also runs rules with
    the trigger ``auto``.

    It takes 4 to 9 requests.

    Raises:
        ValidationError: A number is wrong, the maximum would be below the minimum, the product has
            no stock, or it has several rules.
        NotFoundError: The product, location or rule does not exist.
        AmbiguousNameError: A name matches several records.
        AccessError: Odoo or the policy does not allow it. Odoo allows it only to administrators of
            the inventory app.
    """
    op.permit(odoo, _CREATE, _WRITE, dry_run=dry_run)
    asked = _checked(odoo, minimum, maximum, multiple, trigger)
    row, values, place = _target(odoo, rule_id, product_id, product_name, location_id)
    if row is None:
        if minimum is None:
            raise make_error(
                "MISSING_REQUIRED_FIELD",
                f"{place} has no reordering rule yet. A new rule needs a minimum.",
                suggestion="Set minimum and maximum.",
                details={"field": "minimum"},
            )
        asked.setdefault("product_max_qty", minimum)
    else:
        asked |= {} if row["active"] else {"active": True}
    there: op.Row = row or {}
    least = float(asked.get("product_min_qty", there.get("product_min_qty")) or 0.0)
    most = float(asked.get("product_max_qty", there.get("product_max_qty")) or 0.0)
    if most < least - _TOLERANCE:
        raise invalid(
            "maximum",
            f"The maximum, {most:g}, would be below the minimum, {least:g}.",
            "Set both minimum and maximum.",
        )
    if row is None:
        told = f"a reordering rule of {place}: minimum {least:g}, maximum {most:g}"
        return _do(odoo, _CREATE.of(vals_list={**values, **asked}), [], told, asked, [], dry_run)
    differing = {field: value for field, value in asked.items() if not _same(row[field], value)}
    told = f"{row['name']} of {place}: {_changes(row, differing)}"
    if not differing:
        if dry_run:
            return op.plan(
                odoo, [], [row["id"]], f"{row['name']} of {place} already has these values."
            )
        (rule,) = shown_rules(odoo, [row])
        return attrs.evolve(rule, message=f"{row['name']} of {place} already had these values.")
    changes = [
        op.PlannedChange(id=row["id"], field=field, before=row[field], after=value)
        for field, value in differing.items()
    ]
    return _do(odoo, _WRITE.of(vals=differing), [row["id"]], told, asked, changes, dry_run)


_CALLED = {
    "product_min_qty": "minimum",
    "product_max_qty": "maximum",
    "qty_multiple": "multiple",
    "trigger": "trigger",
    "active": "active",
}


def _do(
    odoo: Odoo,
    step: op.Step,
    ids: Sequence[int],
    told: str,
    asked: op.Row,
    changes: Sequence[op.PlannedChange],
    dry_run: bool,
) -> ReorderingRule | op.Plan:
    verb = "change" if ids else "create"
    if dry_run:
        return attrs.evolve(
            op.plan(odoo, [step], ids, f"Would {verb} {told}."), changes=list(changes)
        )
    return _result(odoo, op.make(odoo, [step], ids), f"{verb.capitalize()}d {told}.", asked)


def _result(odoo: Odoo, done: op.Done, message: str, asked: op.Row) -> ReorderingRule:
    def look() -> ReorderingRule:
        row = op.read(odoo, RULE, done.id)
        (rule,) = shown_rules(odoo, [row])
        told = " ".join(done.warnings)  # of decimals that are not kept, every step tells
        for field, value in asked.items():
            if field not in told and not _same(row[field], value):
                done.warnings.append(
                    f"Odoo stored {row[field]!r} as {_CALLED[field]}, not {value!r}."
                )
        return rule

    rule = op.afterwards(look, done.warnings, "the rule") or ReorderingRule(id=done.id)
    return attrs.evolve(rule, message=message, warnings=done.warnings)


def _same(now: Any, then: Any) -> bool:
    if isinstance(then, (int, float)) and not isinstance(then, bool):
        return bool(abs((now or 0) - then) <= _TOLERANCE)
    return bool(now == then)


def _changes(row: op.Row, differing: op.Row) -> str:
    def said(value: Any) -> str:
        return f"{value:g}" if isinstance(value, float | int) else str(value)

    return ", ".join(
        "active again"
        if field == "active"
        else f"{_CALLED[field]} from {said(row[field] or 0)} to {said(value)}"
        for field, value in differing.items()
    )


def _checked(
    odoo: Odoo,
    minimum: float | None,
    maximum: float | None,
    multiple: float | None,
    trigger: str | None,
) -> op.Row:
    """Return the values that were given, by field, or refuse them."""
    given = {"minimum": minimum, "maximum": maximum, "multiple": multiple}
    fields = {name: field for field, name in _CALLED.items()}
    asked: op.Row = {}
    for name, value in given.items():
        if value is None:
            continue
        number = op.checked_number(value, name, positive=name == "multiple")
        if number < 0:
            raise invalid(name, f"{name} must not be negative, got {number:g}.")
        asked[fields[name]] = number
    if multiple is not None and "qty_multiple" not in odoo.schema.fields(RULE.model):
        raise invalid(
            "multiple",
            f"Reordering rules in Odoo {odoo.version.major} have no multiple.",
            "Omit multiple. Odoo rounds to the vendor's unit.",
        )
    if trigger is not None:
        op.check_choice(
            trigger, ("auto", "manual"), "trigger", "trigger must be auto or manual, not {}.", ""
        )
        asked["trigger"] = trigger
    return asked


def _target(
    odoo: Odoo,
    rule_id: int | None,
    product_id: int | None,
    product_name: str | None,
    location_id: op.NameOrId,
) -> tuple[op.Row | None, op.Row, str]:
    """Return the rule that is there or None, the values of a new one, and what it is about."""
    if rule_id is not None:
        if (product_id, product_name, location_id) != (None, None, None):
            raise invalid("rule_id", "Pass either rule_id, or a product and a location.")
        row = op.read(odoo, RULE, rule_id)
        return row, {}, f"{row['product_id'].name} in {row['location_id'].name}"
    places = op.wanted_links(location_id=(LOCATION.model, location_id))
    product, *at = op.resolve_all(odoo, [PRODUCT.wanted(product_id, product_name), *places])
    assert product is not None  # noqa: S101 - it is required
    goods, rows = op.gather(
        lambda: op.read_all(odoo, COUNTED, [product], acts_on=RULE.model)[0],
        lambda: op.read_rows(
            odoo, RULE.model, [["product_id", "=", product]], RULE.fields, order="id"
        ),
    )
    if not (goods["is_storable"] or goods["type"] == "product"):
        raise invalid(
            "product_id",
            f"{goods['display_name']} is not a storable product, so its stock cannot be counted.",
            product_id=product,
        )
    rows = [row for row in rows if row["location_id"].id in at] if at else _living(rows)
    if len(rows) > 1:
        raise _several(goods["display_name"], rows)
    if rows:
        return rows[0], {}, f"{goods['display_name']} in {rows[0]['location_id'].name}"
    number = at[0] if at and at[0] else stock_location(odoo, acts_on=RULE.model)
    (place,) = op.read_all(odoo, PLACE, [number], acts_on=RULE.model)
    check_holds_stock(place, "location_id")
    within = [["view_location_id", "parent_of", number]]
    found = op.read_rows(odoo, WAREHOUSE, within, ["lot_stock_id"], acts_on=RULE.model, limit=1)
    if not found:
        raise invalid(
            "location_id",
            f"{place['display_name']} does not belong to a warehouse.",
            "Choose a location of a warehouse.",
        )
    values = {"product_id": product, "location_id": number, "warehouse_id": found[0]["id"]}
    return None, values, f"{goods['display_name']} in {place['display_name']}"


def _living(rows: Collection[op.Row]) -> list[op.Row]:
    """Return the active rules, or the archived ones where there are no others."""
    return [row for row in rows if row["active"]] or list(rows)


def _several(product: str, rows: Sequence[op.Row]) -> ValidationError:
    listed = [
        {
            "rule_id": row["id"],
            "name": row["name"],
            "location": row["location_id"].name,
            "minimum": row["product_min_qty"],
            "maximum": row["product_max_qty"],
            "active": row["active"],
        }
        for row in rows
    ]
    told = "; ".join(
        f"{one['rule_id']}: {one['location']}, {one['minimum']:g} to {one['maximum']:g}"
        for one in listed
    )
    return invalid(
        "rule_id",
        f"{product} has several reordering rules.",
        f"Set rule_id: {told}.",
        matches=listed,
    )
