"""Functions that create price lists, and return the price that a customer pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Annotated, Any, Literal, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Gt, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.products.variants import TEMPLATE, VARIANT
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import utc_string

LIST = "product.pricelist"
RULE = "product.pricelist.item"
PARTNER = "res.partner"

#: Rules of a list that are shown, and that may decide about a price.
_MOST_RULES, _MOST_DECIDING = 200, 5

PRICE_LIST = op.Document(
    model=LIST,
    noun="price list",
    argument="price_list_id",
    fields=("name", "currency_id", "active"),
)
CREATE = op.Step(model=LIST, method="create", says="Price list created")

#: What Odoo looks at first: it takes the first rule that fits.
_ORDER = "applied_on, min_quantity desc, categ_id desc, id desc"

_RULE_FIELDS = op.words("""
    name applied_on categ_id product_tmpl_id product_id compute_price fixed_price percent_price base
    base_pricelist_id price_discount price_surcharge price_round min_quantity date_start date_end
""")


class PriceRuleLine(TypedDict, total=False):
    """A rule of a price list: its products, quantity, dates and price.

    Without product, variant and category it applies to all products. Set one of ``fixed_price``,
    ``percent_off`` and ``base``.
    """

    product_id: int
    product_name: str
    variant_id: int
    variant_name: str
    category_id: int
    category_name: str
    fixed_price: Annotated[float, Ge(0)]
    percent_off: Annotated[float, Doc("Percentage off the sales price.")]
    base: Annotated[
        Literal["price", "cost"], Doc("Base of a formula with percent, round_to, amount.")
    ]
    percent: Annotated[float, Doc("Percentage to add to the base. -10 lowers the price by 10%.")]
    amount: Annotated[float, Doc("Amount to add last.")]
    round_to: Annotated[float, Gt(0), Doc("Multiple to round to, before the amount is added.")]
    min_quantity: Annotated[float, Ge(0)]
    date_from: Annotated[str, Doc("First day, YYYY-MM-DD.")]
    date_to: Annotated[str, Doc("Last day, YYYY-MM-DD.")]


@attrs.frozen(kw_only=True)
class PriceRule(op.Shown):
    """A rule of a price list, as stored in Odoo.

    Attributes:
        name: Products of the rule, as Odoo describes them.
        price: Price or formula, as Odoo describes it.
        date_start, date_end: Period in UTC.
    """

    id: int
    name: str | None = None
    applied_on: str | None = None
    price: str
    min_quantity: float | None = None
    date_start: str | None = None
    date_end: str | None = None


@attrs.frozen(kw_only=True)
class PriceListResult(op.Shown):
    """A price list, as stored in Odoo.

    Attributes:
        rules: Rules in Odoo's order. The first one that applies decides.
        customers: Customers who have it now.
        warnings: Differences from your request.
    """

    id: int
    name: str
    message: str | None = None
    currency: RecordName | None = None
    rules: list[PriceRule] = attrs.Factory(list)
    customers: list[RecordName] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class CustomerPrice(op.Shown):
    """The price that a customer pays for a product.

    Attributes:
        price: Price of one unit, without taxes, as Odoo calculates it.
        list_price: Sales price of the product, in ``list_currency``.
        discount: Discount in percent of the sales price. None in another currency.
        price_list: Price list of the customer. None if the customer pays the sales price.
        rules: Rules of the price list that apply. The first one decides.
    """

    product: RecordName
    customer: RecordName
    quantity: float
    date: str
    price: float
    currency: str | None = None
    list_price: float | None = None
    list_currency: str | None = None
    discount: float | None = None
    uom: RecordName | None = None
    price_list: RecordName | None = None
    rules: list[PriceRule] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Assign(op.Step):
    """Gives customers a price list that an earlier step has made."""

    model: str = PARTNER
    method: str = "write"
    says: str = "Price list given to its customers"
    fails: str = "The customers do not have it"
    customers: tuple[int, ...] = ()

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the writing call."""
        step = self.of(vals={"property_product_pricelist": ids[0] if ids else 0})
        return op.Step.calls(step, odoo, self.customers)

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Write it to them."""
        (call,) = self.calls(odoo, ids)
        return op.send(odoo, call, warnings)


@op.operation
def create_price_list(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Name.")],
    rules: Annotated[Sequence[PriceRuleLine], Len(1), Doc("Its rules, at least one.")],
    currency: Annotated[str | None, Doc("Such as EUR. Default: the company's.")] = None,
    customers: Annotated[op.NamesOrIds, Doc("Customers to assign it to.")] = None,
    dry_run: op.DryRun = False,
) -> PriceListResult | op.Plan:
    """Create a price list with its rules, and assign it to customers.

    >>> made = create_price_list(
    ...     odoo, name="Partners", rules=[{"product_name": "Oak Table", "percent_off": 10}]
    ... )
    >>> made.rules[0].price
    '10 % off'

    A rule applies to a ``product``, ``variant``, ``category`` (by id or name) or all products. Set
    its price with ``fixed_price``, ``percent_off``, or ``base`` with ``percent``, ``round_to`` and
    ``amount``. Limit it with ``min_quantity``, ``date_from`` and ``date_to``.

    If several rules apply, Odoo prefers a rule for the variant, then for the product, the category,
    and all products. Among equal rules, the highest minimum quantity decides.

    It takes 1 request for each kind of record that you name, 1 to create, 1 for the customers, and
    3 to read the result.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The product, category, currency or customer does not exist.
        ValidationError: A rule is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the name of the pricelist.")
    lines = _checked_rules(odoo, rules)
    of_customers = op.wanted_each(PARTNER, customers, "customers")
    assigning = Assign(customers=(0,))
    op.permit(odoo, CREATE, *([assigning] if of_customers else []), dry_run=dry_run)
    wanted = [_target(line, index) for index, line in enumerate(lines)]
    named = [item for item in wanted if item]
    money = op.Wanted(model="res.currency", field="currency", name=currency)
    every = [*named, *of_customers, money]
    ids = iter(op.resolve_all(odoo, every, required=False))
    op.look_for(odoo, every)
    targets = [next(ids) if item else None for item in wanted]
    partners = tuple(number for _ in of_customers if (number := next(ids)))
    currency_id = next(ids)
    items: list[tuple[int, int, dict[str, Any]]] = [
        (0, 0, _item(odoo, line, item, target))
        for line, item, target in zip(lines, wanted, targets, strict=True)
    ]
    values: dict[str, Any] = {"name": name, "item_ids": [list(item) for item in items]}
    values |= {"currency_id": currency_id} if currency_id else {}
    steps: list[op.Step] = [CREATE.of(vals_list=values)]
    steps += [Assign(customers=partners)] if partners else []

    def result(done: op.Done) -> PriceListResult:
        row = op.row_after(odoo, PRICE_LIST, done, name=name)
        stored = op.afterwards(
            lambda: read_rules(odoo, [["pricelist_id", "=", done.id]]), done.warnings, "its rules"
        )
        have = op.afterwards(lambda: _customers(odoo, partners), done.warnings, "its customers")
        got = [who for who, listed in (have or {}).values() if listed == done.id]
        if stored is not None and len(stored) != len(items):
            done.warnings.append(f"Odoo stored {len(stored)} of {len(items)} rules.")
        if have is not None and len(got) < len(partners):
            done.warnings.append(
                f"{len(partners) - len(got)} of {len(partners)} customers do not show the "
                "pricelist. Odoo 19 ignores customers' pricelists until you enable Pricelists in "
                "the Sales settings."
            )
        return op.filled(
            PriceListResult,
            row,
            message=f"Created the price list {name!r} with {len(stored or items)} rules, ID"
            f" {done.id}",
            currency=row.get("currency_id"),
            rules=stored or [],
            customers=got,
            warnings=done.warnings,
        )

    to = f", and give it to {len(partners)} customers" if partners else ""
    would = f"Would create the pricelist {name!r} with {len(items)} rules{to}."

    def preview() -> list[op.PlannedDocument]:
        rules = [_planned_rule(odoo, item, target) for item, target in told]
        people = ", ".join(who.name for who, _ in _customers(odoo, partners).values())
        return [
            op.PlannedDocument(
                model=LIST,
                name=name,
                currency=currency,
                lines=rules,
                notes=[f"For {people}."] if people else [],
            )
        ]

    told = [(item, target) for (_, _, item), target in zip(items, wanted, strict=True)]
    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run, preview=preview)


def _planned_rule(odoo: Odoo, item: Mapping[str, Any], wanted: op.Wanted | None) -> op.PlannedLine:
    """Return a rule in words, with the name of what it is for; one round trip for a record."""
    target = "all products"
    if wanted:
        (number,) = (item[field] for _, field, _ in _KINDS.values() if field in item)
        rows = op.read_rows(
            odoo, wanted.model, [["id", "=", number]], ["display_name"], acts_on=LIST
        )
        target = rows[0]["display_name"] if rows else str(number)
    days = [str(item[key]) for key in ("date_start", "date_end") if key in item]
    least = item.get("min_quantity")
    words = [_in_words(dict(item)), f"from {least:g} on" if least else "", " to ".join(days)]
    return op.PlannedLine(product=target, name=", ".join(filter(None, words)))


# Rules --------------------------------------------------------------------------------------------

_KINDS = {
    "variant": (VARIANT, "product_id", "0_product_variant"),
    "product": (TEMPLATE, "product_tmpl_id", "1_product"),
    "category": ("product.category", "categ_id", "2_product_category"),
}
_NUMBERS = ("percent_off", "percent", "amount")
_FORMULA = ("percent", "amount", "round_to")


def _checked_rules(odoo: Odoo, rules: Sequence[PriceRuleLine]) -> list[dict[str, Any]]:
    """Return the rules as plain Python, or refuse what is wrong with them by themselves."""
    lines = op.check_lines(rules, PriceRuleLine.__annotations__, "rules")
    for index, line in enumerate(lines):
        where = f"rules[{index}]"
        ways = [key for key in ("fixed_price", "percent_off", "base") if key in line]
        if len(ways) != 1:
            raise invalid(where, f"{where} must have one of fixed_price, percent_off and base.")
        kinds = [kind for kind in _KINDS if f"{kind}_id" in line or f"{kind}_name" in line]
        if len(kinds) > 1:
            raise invalid(where, f"{where} must apply to exactly one {' and a '.join(kinds)}.")
        if "base" not in line and (odd := [key for key in _FORMULA if key in line]):
            raise invalid(
                f"{where}.{odd[0]}",
                f"{where}: {odd[0]} only works with a formula.",
                'Set base to "price" or "cost".',
            )
        base = line.get("base", "price")
        op.check_choice(
            base, ("price", "cost"), f"{where}.base", f"{where}.base must be price or cost.", ""
        )
        for key in _NUMBERS:
            if key in line:
                op.checked_number(line[key], f"{where}.{key}", positive=False)
        for key in ("fixed_price", "min_quantity"):
            if key in line and op.checked_number(line[key], f"{where}.{key}", positive=False) < 0:
                raise invalid(f"{where}.{key}", f"{where}.{key} must not be negative.")
        if "round_to" in line:
            op.checked_number(line["round_to"], f"{where}.round_to", positive=True)
        days = [op.checked_day(line.get(key), f"{where}.{key}") for key in ("date_from", "date_to")]
        if days[0] and days[1] and days[1] < days[0]:
            raise invalid(f"{where}.date_to", f"{where} ends before it begins.")
        line["starts"] = _moment(odoo, days[0], time.min)
        line["ends"] = _moment(odoo, days[1], time(23, 59, 59))
    return lines


def _moment(odoo: Odoo, day: str | None, at: time) -> str | None:
    """Return a time of a day, in the time zone of the connection, as Odoo stores it."""
    if day is None:
        return None
    local = datetime.combine(datetime.fromisoformat(day).date(), at, op.own_zone(odoo))
    return utc_string(local.astimezone(UTC))


def _target(line: Mapping[str, Any], index: int) -> op.Wanted | None:
    """Return the record that a rule is for; None for all products."""
    for kind, (model, _, _) in _KINDS.items():
        if f"{kind}_id" in line or f"{kind}_name" in line:
            return op.Wanted(
                model=model,
                field=f"rules[{index}].{kind}_id",
                id=line.get(f"{kind}_id"),
                name=line.get(f"{kind}_name"),
            )
    return None


def _item(
    odoo: Odoo, line: Mapping[str, Any], wanted: op.Wanted | None, target: int | None
) -> dict[str, Any]:
    """Return the values of a rule; what it is for is always said, as 14 to 16 do not derive it."""
    values: dict[str, Any] = {"applied_on": "3_global"}
    for model, field, applied_on in _KINDS.values():
        if wanted and wanted.model == model:
            values = {"applied_on": applied_on, field: target}
    if "display_applied_on" in odoo.schema.fields(RULE):
        by_category = values["applied_on"] == "2_product_category"
        values["display_applied_on"] = "2_product_category" if by_category else "1_product"
    if "fixed_price" in line:
        values |= {"compute_price": "fixed", "fixed_price": line["fixed_price"]}
    elif "percent_off" in line:
        values |= {"compute_price": "percentage", "percent_price": line["percent_off"]}
    else:
        values |= {
            "compute_price": "formula",
            "base": "list_price" if line["base"] == "price" else "standard_price",
            "price_discount": -line.get("percent", 0),
            "price_surcharge": line.get("amount", 0),
            "price_round": line.get("round_to", 0),
        }
    given = {
        "min_quantity": line.get("min_quantity"),
        "date_start": line["starts"],
        "date_end": line["ends"],
    }
    return {**values, **{key: value for key, value in given.items() if value is not None}}


def read_rules(odoo: Odoo, domain: Sequence[Any], limit: int = _MOST_RULES) -> list[PriceRule]:
    """Return rules in the order in which Odoo looks at them; one round trip."""
    rows = op.read_rows(odoo, RULE, domain, _RULE_FIELDS, acts_on=LIST, limit=limit, order=_ORDER)
    return [op.filled(PriceRule, row, price=_in_words(row)) for row in rows]


def _in_words(row: op.Row) -> str:
    if row.get("compute_price") == "fixed":
        return f"{row.get('fixed_price') or 0:g}"
    if row.get("compute_price") == "percentage":
        return f"{row.get('percent_price') or 0:g} % off"
    base = {"list_price": "sales price", "standard_price": "cost"}.get(str(row.get("base")))
    above = row.get("base_pricelist_id")
    parts = [base or (f"price of {above.name}" if above else "price list")]
    if percent := -(row.get("price_discount") or 0):
        parts.append(f"{percent:+g} %")
    if row.get("price_round"):
        parts.append(f"rounded to {row['price_round']:g}")
    if row.get("price_surcharge"):
        parts.append(f"{row['price_surcharge']:+g}")
    return ", ".join(parts)


def _customers(odoo: Odoo, ids: Sequence[int]) -> dict[int, tuple[RecordName, int | None]]:
    """Return customers with the id of the price list that they show; no round trip for none."""
    if not ids:
        return {}
    fields = ["name", "property_product_pricelist"]
    return {
        row["id"]: (
            RecordName(id=row["id"], name=row["name"]),
            row["property_product_pricelist"].id if row["property_product_pricelist"] else None,
        )
        for row in op.read_rows(odoo, PARTNER, [["id", "in", list(ids)]], fields)
    }


# The price of a customer --------------------------------------------------------------------------

_PRODUCT = op.Document(
    model=VARIANT,
    noun="product",
    argument="product_id",
    fields=("display_name", "product_tmpl_id", "categ_id", "lst_price", "uom_id", "currency_id"),
)
_CUSTOMER = op.Document(
    model=PARTNER,
    noun="contact",
    argument="partner_id",
    fields=("name", "property_product_pricelist"),
)


def get_customer_price(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("Id of the product variant.")] = None,
    product_name: Annotated[str | None, Doc("Name, code or barcode, instead of the id.")] = None,
    partner_id: Annotated[int | None, Doc("Id of the customer.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    quantity: Annotated[float, Gt(0), Doc("In the product's unit of measure.")] = 1,
    date: Annotated[str | None, Doc("Order date, YYYY-MM-DD. Default: today.")] = None,
    price_list_id: Annotated[int | None, Doc("Pricelist to use instead of the customer's.")] = None,
    price_list_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
) -> CustomerPrice:
    """Return the price that a customer pays for a product, and the rule that decides it.

    >>> paid = get_customer_price(odoo, product_name="Oak Table", partner_name="Azure Interior")
    >>> (paid.price, paid.list_price, paid.discount)
    (90.0, 100.0, 10.0)

    Odoo calculates the price with the customer's price list, without taxes. It takes 1 request for
    each kind of name, 2 in parallel, 1 for the price and 2 in parallel with it.

    Raises:
        AmbiguousNameError: A name matches several records.
        NotFoundError: The product, customer or price list does not exist.
        ValidationError: The quantity or the date is wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    op.checked_number(quantity, "quantity", positive=True)
    day = op.checked_day(date, "date") or op.today(odoo)
    wanted_list = PRICE_LIST.wanted(price_list_id, price_list_name)
    chosen = op.resolve(odoo, wanted_list, required=False)
    op.look_for(odoo, [wanted_list])
    product, customer = op.gather(
        lambda: op.read(odoo, _PRODUCT, op.find_id(odoo, _PRODUCT, product_id, product_name)),
        lambda: op.read(odoo, _CUSTOMER, op.find_id(odoo, _CUSTOMER, partner_id, partner_name)),
    )
    own = customer["property_product_pricelist"]
    listed = chosen or (own.id if own else None)
    moment = _moment(odoo, day, time(12))
    told: dict[str, Any] = {"warnings": []}

    def price() -> None:
        told["price"] = _price(odoo, product["id"], listed, quantity, moment, customer["id"])

    def price_list() -> None:
        rows = op.read_rows(odoo, LIST, [["id", "=", listed]], PRICE_LIST.fields)
        told["list"] = rows[0] if rows else None

    def rules() -> None:
        domain = _fitting(product, listed, quantity, moment)
        try:
            told["rules"] = read_rules(odoo, domain, _MOST_DECIDING)
        except OdooError as error:
            told["rules"] = []
            told["warnings"].append(
                f"The price comes from Odoo, but the rule behind it cannot be read: {error.message}"
            )

    op.side_by_side([price, *([price_list, rules] if listed else [])])
    row = told.get("list")
    of_product = op.currency_of(product)
    currency = op.currency_of(row) if row else of_product
    full = product["lst_price"]
    discount = (
        round((1 - told["price"] / full) * 100, 2) if full and currency == of_product else None
    )
    return CustomerPrice(
        product=RecordName(id=product["id"], name=product["display_name"]),
        customer=RecordName(id=customer["id"], name=customer["name"]),
        quantity=quantity,
        date=day,
        price=told["price"],
        currency=currency,
        list_price=full,
        list_currency=of_product,
        discount=discount,
        uom=product["uom_id"],
        price_list=RecordName(id=row["id"], name=row["name"]) if row else None,
        rules=told.get("rules", []),
        warnings=told["warnings"],
    )


def _price(
    odoo: Odoo,
    product: int,
    price_list: int | None,
    quantity: float,
    moment: str | None,
    customer: int,
) -> float:
    """Return the price by Odoo's own reckoning: a field to 15, a method from 16 on."""
    context: dict[str, Any] = {"quantity": quantity, "date": moment, "partner": customer}
    context |= {"pricelist": price_list} if price_list else {}
    if odoo.version.major < 16:
        domain = [["id", "=", product]]
        field = "price" if price_list else "lst_price"
        (row,) = op.read_rows(odoo, VARIANT, domain, [field], **context)
        return float(row[field])
    call = op.Call(
        model=VARIANT,
        method="get_contextual_price",
        ids=(product,),
        context=context,
        access="read",
        step=True,
    )
    return round(float(odoo.call(call)), 6)


def _fitting(
    product: op.Row, price_list: int | None, quantity: float, moment: str | None
) -> list[Any]:
    """Return the domain of the rules that fit: like Odoo, by what they name and not by its kind."""

    def none_or(field: str, operator: str, value: Any) -> list[Any]:
        return ["|", [field, "=", False], [field, operator, value]]

    category = product["categ_id"]
    of_category: list[Any] = [["categ_id", "=", False]]
    if category:
        of_category = none_or("categ_id", "parent_of", category.id)
    return [
        ["pricelist_id", "=", price_list],
        *none_or("product_id", "=", product["id"]),
        *none_or("product_tmpl_id", "=", product["product_tmpl_id"].id),
        *of_category,
        ["min_quantity", "<=", quantity],
        *none_or("date_start", "<=", moment),
        *none_or("date_end", ">=", moment),
    ]
