"""A function that changes sales prices by a percentage or formula.

The plan lists each product with its old and new price. The prices are read back afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Gt

from odoo_toolkit import operations as op
from odoo_toolkit.apps.products.variants import TEMPLATE, TEMPLATE_VALUE, VARIANT
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError, invalid
from odoo_toolkit.progress import Steps
from odoo_toolkit.values.plain import plain

Base = Literal["price", "cost"]
Rounding = Literal["nearest", "up", "down"]

WRITE = op.Step(model=TEMPLATE, method="write", says="Price changed")

#: Products of one call, and how far a price may be off to be the same.
MOST_PRODUCTS, _SAME = 1000, 1e-6

_ROUNDINGS: Mapping[str, str] = {
    "nearest": ROUND_HALF_UP,
    "up": ROUND_CEILING,
    "down": ROUND_FLOOR,
}


@attrs.frozen(kw_only=True)
class PriceChange(op.Shown):
    """The price of a product before and after.

    Attributes:
        base: Cost, if the new price is based on it.
        now: Price in Odoo after the change. None in a plan.
    """

    id: int
    name: str
    old: float
    new: float
    base: float | None = None
    now: float | None = None
    currency: str | None = None


@attrs.frozen(kw_only=True)
class PricesResult(op.Shown):
    """Prices that were changed.

    Attributes:
        changed: Prices that Odoo now has as requested.
        not_changed: Products with the reason, such as the same price or no cost.
    """

    message: str
    changed: list[PriceChange]
    not_changed: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class PricesPlan(op.Plan):
    """Prices that would be changed, each with the old and new price."""

    prices: list[PriceChange]
    not_changed: list[str] = attrs.Factory(list)


@op.operation_with(PricesPlan)
def change_prices(
    odoo: Odoo,
    *,
    category_id: Annotated[
        int | None, Doc("Id of a product category, including subcategories.")
    ] = None,
    category_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    products: Annotated[op.NamesOrIds, Doc("Product templates, instead of a category.")] = None,
    percent: Annotated[float, Gt(-100), Doc("Percentage to add. -10 lowers the price by 10%.")] = 0,
    amount: Annotated[float, Doc("Amount to add after the percentage.")] = 0,
    base: Annotated[Base, Doc("Start from the old price or the cost.")] = "price",
    round_to: Annotated[float, Gt(0), Doc("Multiple to round to, such as 0.05 or 1.")] = 0.01,
    rounding: Annotated[Rounding, Doc("Rounding direction.")] = "nearest",
    after_rounding: Annotated[float, Doc("Amount to add last: -0.01 turns 20 into 19.99.")] = 0,
    dry_run: op.DryRun = False,
) -> PricesResult | PricesPlan:
    """Change the sales prices of a category or of some products by a percentage or formula.

    >>> done = change_prices(odoo, category_name="Tables", percent=5, round_to=1)
    >>> [(one.name, one.old, one.new) for one in done.changed]
    [('Oak Table', 100.0, 105.0), ('Pine Table', 49.5, 52.0)]

    Each call changes the prices again, so look at the plan first.

    The new price is ``round(base * (1 + percent / 100) + amount) + after_rounding``. The base is
    the old price or the cost. It applies to the product and all its variants. Extra prices of
    attribute values stay, and ``warnings`` lists them.

    It takes 3 requests, 1 more for products with attributes, 1 more with the cost as base, 1 for
    each new price, and 1 to read the result.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The category or product does not exist.
        ValidationError: An argument is wrong, a price would be negative, or there are more than
            1,000 products. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    numbers = {"percent": percent, "amount": amount, "after_rounding": after_rounding}
    for field, number in numbers.items():
        op.checked_number(number, field, positive=False)
    if percent <= -100:
        raise invalid("percent", "percent must be more than -100.")
    op.checked_number(round_to, "round_to", positive=True)
    for field, value, allowed in (
        ("base", base, ("price", "cost")),
        ("rounding", rounding, tuple(_ROUNDINGS)),
    ):
        problem = f"{field} must be one of {', '.join(allowed)}, not {{}}."
        op.check_choice(value, allowed, field, problem, "")
    op.permit(odoo, WRITE, dry_run=dry_run)
    rows = _read_products(odoo, _meant(odoo, category_id, category_name, products))
    costs = _costs(odoo, rows) if base == "cost" else {}
    changes: list[PriceChange] = []
    not_changed: list[str] = []
    extras = _extras(odoo, rows)
    for row in rows:
        old = row["list_price"]
        start = costs.get(row["id"]) if base == "cost" else old
        if not start:
            kind = "cost, or its variants have several" if base == "cost" else "price"
            not_changed.append(f"{_called(row)} has no {kind}.")
            continue
        new = new_price(start, percent, amount, round_to, rounding, after_rounding)
        if new < 0:
            raise ValidationError(
                f"The price of {_called(row)} would be {new:g}.",
                suggestion="Omit this product, or choose a smaller change. Nothing was changed.",
                details={"id": row["id"], "old": old, "new": new},
            )
        if math.isclose(new, old, abs_tol=_SAME):
            not_changed.append(f"{_called(row)} already has this price: {old:g}.")
            continue
        changes.append(
            PriceChange(
                id=row["id"],
                name=row["name"],
                old=old,
                new=new,
                base=start if base == "cost" else None,
                currency=op.currency_of(row) if row.get("currency_id") else None,
            )
        )
    by_price: dict[float, list[PriceChange]] = {}
    for change in changes:
        by_price.setdefault(change.new, []).append(change)
    if dry_run:
        return _plan(odoo, by_price, changes, not_changed, extras)
    return _change(odoo, by_price, changes, not_changed, extras)


def new_price(
    base: float,
    percent: float,
    amount: float,
    round_to: float,
    rounding: Rounding,
    after_rounding: float,
) -> float:
    """Return a price by the formula of :func:`change_prices`, reckoned in decimals."""
    base_, percent_, amount_, multiple, last = (
        Decimal(str(number)) for number in (base, percent, amount, round_to, after_rounding)
    )
    raw = base_ * (1 + percent_ / 100) + amount_
    steps = (raw / multiple).quantize(Decimal(1), rounding=_ROUNDINGS[rounding])
    return float(steps * multiple + last)


def _meant(
    odoo: Odoo, category_id: int | None, category_name: str | None, products: Any
) -> list[Any]:
    """Return the domain of the products that are meant."""
    by_category = category_id is not None or category_name is not None
    listed = plain(products)
    if by_category == (listed is not None):
        raise ValidationError(
            "Pass either a category or products." if by_category else "Which products?",
            suggestion="Pass category_id, category_name or products.",
            code="VALIDATION_ERROR" if by_category else "MISSING_REQUIRED_FIELD",
            details={"fields": ["category_id", "products"]},
        )
    if by_category:
        wanted = op.Wanted(
            model="product.category", field="category_id", id=category_id, name=category_name
        )
        found = op.resolve(odoo, wanted)
        op.look_for(odoo, [wanted])
        return [["categ_id", "child_of", found]]
    each = op.wanted_each(TEMPLATE, products, "products")
    if not each:
        raise invalid("products", "products must not be empty.")
    ids = op.resolve_all(odoo, each)
    op.look_for(odoo, each)
    return [["id", "in", sorted({number for number in ids if number})]]


def _read_products(odoo: Odoo, domain: Sequence[Any]) -> list[op.Row]:
    rows = op.read_rows(
        odoo,
        TEMPLATE,
        [["active", "=", True], *domain],
        ["name", "list_price", "currency_id", "attribute_line_ids"],
        limit=MOST_PRODUCTS + 1,
        order="id",
    )
    if len(rows) > MOST_PRODUCTS:
        raise ValidationError(
            f"The maximum is {MOST_PRODUCTS} products in one call, but these are more.",
            suggestion="Change one subcategory or some of the products at a time.",
            details={"most": MOST_PRODUCTS},
        )
    if not rows:
        raise ValidationError(
            "The category has no active products.",
            suggestion="Look for products with search_read on product.template.",
        )
    return rows


def _costs(odoo: Odoo, rows: Sequence[op.Row]) -> dict[int, float]:
    """Return the cost of each product all of whose variants have the same; one round trip."""
    domain = [["product_tmpl_id", "in", [row["id"] for row in rows]], ["active", "=", True]]
    fields = ["product_tmpl_id", "standard_price"]
    found: dict[int, set[float]] = {}
    for row in op.read_rows(odoo, VARIANT, domain, fields, acts_on=TEMPLATE):
        found.setdefault(row["product_tmpl_id"].id, set()).add(row["standard_price"])
    return {template: costs.pop() for template, costs in found.items() if len(costs) == 1}


def _extras(odoo: Odoo, rows: Sequence[op.Row]) -> list[str]:
    """Name the extra prices of attribute values; one round trip, if products have attributes."""
    varied = [row["id"] for row in rows if row["attribute_line_ids"]]
    if not varied:
        return []
    domain = [
        ["product_tmpl_id", "in", varied],
        ["price_extra", "!=", 0],
        ["ptav_active", "=", True],
    ]
    fields = ["name", "price_extra", "product_tmpl_id"]
    try:
        found = op.read_rows(odoo, TEMPLATE_VALUE, domain, fields, acts_on=TEMPLATE, order="id")
    except OdooConnectionError:
        raise
    except OdooError as error:
        return [
            (f"Extra prices of attribute values stay the same, and cannot be read: {error.message}")
        ]
    extras: dict[int, list[str]] = {}
    for value in found:
        said = f"{value['name']} {value['price_extra']:+g} ({TEMPLATE_VALUE} {value['id']})"
        extras.setdefault(value["product_tmpl_id"].id, []).append(said)
    return [
        (
            f"{_called(row)} has extra prices of attribute values, which stay the same: "
            f"{', '.join(extras[row['id']])}. To change them too, write price_extra."
        )
        for row in rows
        if row["id"] in extras
    ]


def _called(row: Mapping[str, Any]) -> str:
    return f"{row['name']!r} ({row['id']})"


def _plan(
    odoo: Odoo,
    by_price: Mapping[float, Sequence[PriceChange]],
    changes: Sequence[PriceChange],
    not_changed: Sequence[str],
    warnings: Sequence[str],
) -> PricesPlan:
    calls = [
        call
        for price, group in by_price.items()
        for call in _write(price).calls(odoo, [one.id for one in group])
    ]
    shown = op.planned(odoo, calls, f"Would change the prices of {_count(changes)}.")
    new = [
        op.PlannedChange(id=one.id, field="list_price", before=one.old, after=one.new)
        for one in changes
    ]
    more = {"prices": list(changes), "not_changed": list(not_changed)}
    return op.merged(PricesPlan, [shown], changes=new, warnings=list(warnings), **more)


def _write(price: float) -> op.Step:
    return WRITE.of(vals={"list_price": price})


def _count(changes: Sequence[Any]) -> str:
    return f"{len(changes)} product{'' if len(changes) == 1 else 's'}"


def _change(
    odoo: Odoo,
    by_price: Mapping[float, Sequence[PriceChange]],
    changes: Sequence[PriceChange],
    not_changed: list[str],
    warnings: list[str],
) -> PricesResult:
    progress = Steps(len(by_price) + 1)
    written: set[int] = set()
    for price, group in by_price.items():
        try:
            _write(price).make(odoo, [one.id for one in group], warnings)
        except OdooError as error:
            if not written:
                raise
            names = ", ".join(f"{one.name!r} ({one.id})" for one in group)
            warnings.append(f"Not changed to {price:g}: {names}: {error.message}")
            if isinstance(error, OdooConnectionError):
                warnings.append("The connection was lost. The remaining prices were not changed.")
                break
        written |= {one.id for one in group}
        progress.finish(1, f"{_count(group)} at {price:g}")
    ids = [one.id for one in changes]
    now = (
        op.afterwards(
            lambda: {
                row["id"]: row["list_price"]
                for row in op.read_rows(odoo, TEMPLATE, [["id", "in", ids]], ["list_price"])
            },
            warnings,
            "the prices",
        )
        if ids
        else {}
    )
    told = [attrs.evolve(one, now=(now or {}).get(one.id)) for one in changes]
    done: list[PriceChange] = []
    for one in told:
        # What was written, and cannot be read back, is done as far as is known.
        unseen = one.now is None and one.id in written
        if unseen or (one.now is not None and math.isclose(one.now, one.new, abs_tol=0.005)):
            done.append(one)
        elif one.now is not None:
            not_changed.append(f"{one.name!r} ({one.id}) is {one.now:g} instead of {one.new:g}.")
    return PricesResult(
        message=f"Changed the prices of {_count(done)}.",
        changed=done,
        not_changed=not_changed,
        warnings=warnings,
    )
