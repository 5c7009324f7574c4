"""A function that runs reordering rules, and finds out what they ordered.

Odoo does not return what it ordered. The toolkit reads the open documents of the products before
and after, and compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.availability import PRODUCT
from odoo_toolkit.apps.inventory.reordering import RULE, WAREHOUSE, How, ReorderingRule, shown_rules
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    AccessError,
    OdooConnectionError,
    OdooError,
    ValidationError,
    invalid,
    make_error,
)
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

#: Rules of one call.
MOST_RULES = 500

_TOLERANCE = 1e-6

_ORDER, _OFFER = "purchase.order", "product.supplierinfo"

RUN = op.Step(
    model=RULE.model,
    method="action_replenish",
    says="Reordering rules run",
    fails="Not ordered",
    timeout=120.0,
)


@attrs.frozen(kw_only=True)
class _Source:
    """Where what rules order is found.

    Attributes:
        quantity: the field of how much.
        document: the field of the document; empty where it is the record itself.
        open: what is not finished.
        dates: the field of when it is to come, in one version or another.
    """

    model: str
    how: How
    quantity: str
    document: str
    open: tuple[Any, ...]
    dates: tuple[str, ...]


_SOURCES = (
    _Source(
        model="purchase.order.line",
        how="purchase",
        quantity="product_qty",
        document="order_id",
        open=(["state", "in", ["draft", "sent", "to approve"]],),
        dates=("date_planned",),
    ),
    _Source(
        model="mrp.production",
        how="production",
        quantity="product_qty",
        document="",
        open=(["state", "not in", ["done", "cancel"]],),
        dates=("date_start", "date_planned_start"),
    ),
    _Source(
        model="stock.move",
        how="transfer",
        quantity="product_uom_qty",
        document="picking_id",
        open=(["state", "not in", ["done", "cancel"]],),
        dates=("date",),
    ),
)

#: What a manufacturing order makes and takes are moves, too; they are shown as its own.
_OF_PRODUCTION = ("production_id", "raw_material_production_id")


@attrs.frozen(kw_only=True)
class Ordered(op.Shown):
    """A quantity of a product that reordering rules ordered.

    Attributes:
        document: Purchase order, manufacturing order or transfer.
        quantity: Quantity that was added, in ``uom``.
        added: True if it was added to an existing line.
        date: Expected date, or start date.
    """

    how: How
    document: RecordName
    product: RecordName
    quantity: float
    uom: str | None = None
    partner: RecordName | None = None
    date: str | None = None
    state: str | None = None
    added: bool = False


@attrs.frozen(kw_only=True)
class Replenishment(op.Shown):
    """The result of running reordering rules.

    Attributes:
        rules: Rules that were run, as they were before.
        ordered: New purchase lines, manufacturing orders and transfers of their products.
        not_ordered: Rules that had nothing to order.
    """

    message: str
    rules: list[ReorderingRule]
    ordered: list[Ordered]
    not_ordered: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ReplenishmentPlan(op.Plan):
    """The plan of running reordering rules: the quantity to order and the source of the goods.

    Attributes:
        rules: Rules that would be run.
        not_ordered: Rules that have nothing to order.
    """

    rules: list[ReorderingRule]
    not_ordered: list[str] = attrs.Factory(list)


@op.operation_with(ReplenishmentPlan)
def run_reordering_rules(
    odoo: Odoo,
    *,
    rules: Annotated[Sequence[int] | None, Doc("Ids of reordering rules.")] = None,
    products: Annotated[op.NamesOrIds, Doc("Products whose rules to run.")] = None,
    warehouse_id: Annotated[op.NameOrId, Doc("Warehouse whose rules to run.")] = None,
    dry_run: op.DryRun = False,
) -> Replenishment | ReplenishmentPlan:
    """Run reordering rules now, and return what they ordered.

    >>> done = run_reordering_rules(odoo, products=["Desk"])
    >>> [(one.how, one.document.name, one.quantity) for one in done.ordered]
    [('purchase', 'P00012', 17.0)]

    Pass rules, products by id or name, or a warehouse. Each rule orders its ``to_order``, as
    :func:`get_reordering_rules` shows it. Rules that have nothing to order are skipped. Odoo
    creates or extends a request for quotation, or creates a manufacturing order or a transfer. It
    sends nothing to a vendor. All rules are one call. If Odoo rejects a rule, for example because
    it has no vendor, nothing is ordered.

    It takes 7 to 10 requests, however many rules there are. A dry run takes up to 3 more, to read
    draft purchase orders that Odoo may extend.

    Raises:
        ValidationError: You passed none or several of rules, products and warehouse, there is no
            rule, or there are more than 500.
        NotFoundError: A rule, product or warehouse does not exist.
        AmbiguousNameError: A name matches several records.
        OdooError: Odoo rejects a rule. Nothing was ordered.
        AccessError: Odoo or the policy does not allow it. Odoo allows it only to administrators of
            the inventory app.
    """
    op.permit(odoo, RUN, dry_run=dry_run)
    rows = _meant(odoo, rules, products, warehouse_id)
    shown = shown_rules(odoo, rows)
    running = [rule for rule in shown if (rule.to_order or 0) > _TOLERANCE]
    idle = [_idle(rule) for rule in shown if rule not in running]
    ids = [rule.id for rule in running]
    warnings = [
        f"No route replenishes {_called(rule)}, so Odoo will reject this rule."
        for rule in running
        if rule.how is None
    ]
    if dry_run:
        drafts = _drafts(odoo, running, warnings)
        made = op.plan(odoo, [RUN] if ids else [], ids, _would(running) + _new_or_not(drafts))
        more = {"documents": drafts or [], "rules": running, "not_ordered": idle}
        return op.merged(ReplenishmentPlan, [made], warnings=warnings, **more)
    if not ids:
        return Replenishment(
            message="There is nothing to order.", rules=[], ordered=[], not_ordered=idle
        )
    wanted = sorted({rule.product.id for rule in running if rule.product})
    before = _open(odoo, wanted, warnings)

    def seen(odoo: Odoo, number: int) -> bool | None:
        found = _new(before, _open(odoo, wanted, []))
        return set(wanted) <= {one.product.id for one in found} or None

    done = op.make(odoo, [attrs.evolve(RUN, seen=seen)], ids)
    warnings += done.warnings
    ordered = _new(before, _open(odoo, wanted, warnings))
    for rule in running:
        if rule.product and rule.product.id not in {one.product.id for one in ordered}:
            warnings.append(
                f"Odoo created no new order for {_called(rule)}. If Odoo failed to order, it adds "
                "an activity to the product."
            )
    return Replenishment(
        message=_message(ordered),
        rules=running,
        ordered=ordered,
        not_ordered=idle,
        warnings=list(dict.fromkeys(warnings)),
    )


def _drafts(
    odoo: Odoo, running: Sequence[ReorderingRule], warnings: list[str]
) -> list[op.PlannedDocument] | None:
    """Return the drafts to vendors of what is bought; None where that is nothing, or not known."""
    bought = sorted({one.product.id for one in running if one.how == "purchase" and one.product})
    if not bought or not odoo.schema.has_model(_ORDER):
        return None
    of_rule = partial(op.read_rows, odoo, acts_on=RULE.model)
    try:
        products = of_rule(PRODUCT.model, [["id", "in", bought]], ["seller_ids"])
        offers = sorted({number for row in products for number in row["seller_ids"] or ()})
        # Up to 15 the vendor of an offer is its name.
        rows = of_rule(_OFFER, [["id", "in", offers]], ["partner_id", "name"]) if offers else []
        found = [row["partner_id"] or row["name"] for row in rows]
        vendors = sorted({one.id for one in found if isinstance(one, RecordName)})
        if not vendors:
            return None
        # Only a connection that may read orders sees them here.
        domain = [["state", "=", "draft"], ["partner_id", "in", vendors]]
        orders = op.read_rows(odoo, _ORDER, domain, ["name", "partner_id", "state"], order="id")
    except AccessError:
        warnings.append(
            "Draft purchase orders are not shown, because this connection cannot see them."
        )
        return None
    except OdooConnectionError:
        raise
    except OdooError as error:
        warnings.append(f"The toolkit cannot see draft purchase orders: {error.message}")
        return None
    return [
        op.PlannedDocument(
            model=_ORDER,
            id=row["id"],
            name=row["name"] or "A draft",
            url=odoo.link(_ORDER, row["id"]),
            state=row["state"],
            partner=row["partner_id"].name if row["partner_id"] else None,
            notes=["Odoo may add the products to this draft."],
        )
        for row in orders
    ]


def _new_or_not(drafts: Sequence[op.PlannedDocument] | None) -> str:
    """Say whether what is bought goes into new orders, or may go into drafts that are there."""
    if drafts is None:
        return ""
    if not drafts:
        return " These vendors have no draft, so Odoo will create new purchase orders."
    told = ", ".join(f"{one.name} of {one.partner or 'a vendor'}" for one in drafts[:10])
    more = f" and {len(drafts) - 10} more" if len(drafts) > 10 else ""
    return (
        f" Odoo may add the products to these drafts: {told}{more}. Odoo uses a draft with the "
        "same vendor, warehouse and buyer, or creates a purchase order."
    )


def _meant(odoo: Odoo, rules: Any, products: Any, warehouse_id: op.NameOrId) -> list[op.Row]:
    """Return the active rules that are meant."""
    listed, named = plain(rules), plain(products)
    given = [name for name, value in (("rules", listed), ("products", named)) if value is not None]
    given += ["warehouse_id"] if warehouse_id is not None else []
    if len(given) != 1:
        raise make_error(
            "VALIDATION_ERROR" if given else "MISSING_REQUIRED_FIELD",
            f"{' and '.join(given)} cannot be combined." if given else "Which rules?",
            suggestion="Pass only one of rules, products and warehouse_id.",
            details={"fields": ["rules", "products", "warehouse_id"]},
        )
    if listed is not None:
        if not isinstance(listed, list) or not all(type(number) is int for number in listed):
            raise invalid("rules", "rules must be a list of ids.")
        domain: list[Any] = [["id", "in", listed]]
    elif named is not None:
        domain = [
            [
                "product_id",
                "in",
                op.resolve_all(odoo, op.wanted_each(PRODUCT.model, named, "products")),
            ]
        ]
    else:
        links = op.wanted_links(warehouse_id=(WAREHOUSE, warehouse_id))
        domain = [["warehouse_id", "in", op.resolve_all(odoo, links)]]
    active = [["active", "=", True], *domain]
    rows = op.read_rows(odoo, RULE.model, active, RULE.fields, limit=MOST_RULES + 1, order="id")
    if listed and (missing := [number for number in listed if number not in _ids(rows)]):
        raise op.not_found(RULE, missing)
    if len(rows) > MOST_RULES:
        raise ValidationError(
            f"The maximum is {MOST_RULES} rules in one call, but these are more.",
            suggestion="Split the rules into several calls.",
            details={"most": MOST_RULES},
        )
    if not rows:
        raise invalid(
            given[0],
            "There is no active reordering rule.",
            "Create a rule with set_reordering_rule.",
        )
    return rows


def _ids(rows: Sequence[op.Row]) -> set[int]:
    return {row["id"] for row in rows}


def _called(rule: ReorderingRule) -> str:
    product = rule.product.name if rule.product else "a product"
    return f"{product} in {rule.location.name if rule.location else 'a location'}"


def _idle(rule: ReorderingRule) -> str:
    return (
        f"{_called(rule)}: the forecast is {rule.forecast or 0:g} {rule.uom or ''}, the "
        f"minimum {rule.minimum or 0:g}."
    )


_BY: Mapping[How | None, str] = {
    "purchase": "by purchase",
    "production": "by production",
    "transfer": "by transfer",
    None: "no route",
}


def _would(running: Sequence[ReorderingRule]) -> str:
    if not running:
        return "There is nothing to order."
    told = "; ".join(
        f"{rule.to_order:g} {rule.uom or ''} of {_called(rule)} ({_BY[rule.how]})"
        for rule in running[:10]
    )
    more = f"; and {len(running) - 10} more" if len(running) > 10 else ""
    return f"Would order {told}{more}."


def _message(ordered: Sequence[Ordered]) -> str:
    if not ordered:
        return "The rules ran, but created nothing new."
    told = "; ".join(
        f"{one.quantity:g} {one.uom or ''} of {one.product.name}"
        f" ({'added to a line of ' if one.added else ''}{one.document.name})"
        for one in ordered[:10]
    )
    more = f"; and {len(ordered) - 10} more" if len(ordered) > 10 else ""
    return f"Ordered {told}{more}."


#: What is open by model and id.
_Open = dict[tuple[str, int], Ordered]


def _open(odoo: Odoo, products: Sequence[int], warnings: list[str]) -> _Open:
    """Return what is open of products: one round trip for each model there is."""
    sources = [source for source in _SOURCES if odoo.schema.has_model(source.model)]
    found = op.side_by_side([_reading(odoo, source, products, warnings) for source in sources])
    return {
        (source.model, number): ordered
        for source, rows in zip(sources, found, strict=True)
        for number, ordered in rows.items()
    }


def _reading(odoo: Odoo, source: _Source, products: Sequence[int], warnings: list[str]) -> Any:
    def look() -> dict[int, Ordered]:
        there = odoo.schema.fields(source.model)
        domain: list[Any] = [["product_id", "in", list(products)], *source.open]
        if source.model == "stock.move":
            domain += [[name, "=", False] for name in _OF_PRODUCTION if name in there]
        fields = ["product_id", source.quantity, "state", "partner_id", "name", "display_name"]
        fields += [*source.dates, "product_uom", "product_uom_id"]
        fields += [source.document] if source.document else []
        try:
            rows = op.read_rows(odoo, source.model, domain, fields, acts_on=RULE.model, order="id")
        except OdooError as error:
            warnings.append(
                f"The toolkit cannot see what was ordered by {source.how}: {error.message}"
            )
            return {}
        return {row["id"]: _ordered(source, row) for row in rows}

    return look


def _ordered(source: _Source, row: op.Row) -> Ordered:
    own = RecordName(id=row["id"], name=row["name"] or row["display_name"] or "")
    unit = row["product_uom"] or row["product_uom_id"]
    return Ordered(
        how=source.how,
        document=(row[source.document] if source.document else None) or own,
        product=row["product_id"],
        quantity=row[source.quantity],
        uom=unit.name if unit else None,
        partner=row["partner_id"],
        date=next((row[name] for name in source.dates if row[name]), None),
        state=row["state"],
    )


def _new(before: _Open, after: _Open) -> list[Ordered]:
    """Return what is new after the rules were run, and by how much what was there has grown."""
    found: list[Ordered] = []
    for key, one in after.items():
        was = before.get(key)
        grown = one.quantity - (was.quantity if was else 0.0)
        if grown > _TOLERANCE:
            found.append(attrs.evolve(one, quantity=round(grown, 6), added=was is not None))
    return found
