"""A function that creates products with variants, barcodes, costs, vendors, taxes and units.

Odoo drops the barcode and cost of a product with several variants without a message. The toolkit
writes them to the variants, and compares the stored values with yours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypedDict, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.products.variants import (
    ATTRIBUTE,
    TEMPLATE,
    TEMPLATE_VALUE,
    VARIANT,
    Attribute,
    AttributeLine,
    Beside,
    Made,
    VariantLine,
    checked_attributes,
    checked_variants,
    count_variants,
    find_attributes,
    meant,
    not_negative,
    read_made,
)
from odoo_toolkit.arguments.compared import Difference, in_words
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, invalid, make_error
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain

ProductType = Literal["goods", "service", "storable"]

PRODUCT = op.Document(
    model=TEMPLATE,
    noun="product",
    argument="product_id",
    fields=(
        "name",
        "type",
        "is_storable",  # from 18 on; a kind of type before
        "list_price",
        "standard_price",
        "default_code",
        "barcode",
        "weight",
        "categ_id",
        "uom_id",
        "uom_po_id",
        "taxes_id",
        "supplier_taxes_id",
        "sale_ok",
        "purchase_ok",
        "product_variant_count",
    ),
)
CREATE = op.Step(model=TEMPLATE, method="create", says="Product created")
NEW_ATTRIBUTE = op.Step(model=ATTRIBUTE, method="create", says="Attribute created")


class VendorLine(TypedDict, total=False):
    """A vendor of a product, and its price."""

    vendor_id: int
    vendor_name: str
    price: Annotated[float, Ge(0), Doc("In the given currency.")]
    min_quantity: Annotated[float, Ge(0)]
    delay: Annotated[int, Ge(0), Doc("Delivery time in days.")]
    currency: Annotated[str, Doc("Such as EUR. Default: the company's.")]
    code: Annotated[str, Doc("The vendor's product code.")]


@attrs.frozen(kw_only=True)
class Variant(op.Shown):
    """A variant, as stored in Odoo.

    Attributes:
        values: Value of each attribute.
        price: Price, including the extra prices of its values.
    """

    id: int
    name: str | None = None
    values: dict[str, str] = attrs.Factory(dict)
    code: str | None = None
    barcode: str | None = None
    cost: float | None = None
    price: float | None = None
    weight: float | None = None


@attrs.frozen(kw_only=True)
class Vendor(op.Shown):
    """A vendor of a product, as stored in Odoo."""

    id: int
    vendor: RecordName | None = None
    price: float | None = None
    min_quantity: float | None = None
    delay: int | None = None
    currency: str | None = None
    code: str | None = None


@attrs.frozen(kw_only=True)
class ProductResult(op.Shown):
    """A product, as stored in Odoo.

    Attributes:
        id: Id of the product (``product.template``). The variants have their own ids.
        type: Type, as stored in Odoo.
        storable: True if Odoo tracks its stock.
        customer_taxes, vendor_taxes: Taxes, with the company if they belong to several.
        cost: Cost. None if the product has several variants, each with its own cost.
        not_stored: Values that Odoo stored differently.
        warnings: These values as sentences, and other differences.
    """

    id: int
    name: str
    message: str | None = None
    type: str | None = None
    storable: bool | None = None
    price: float | None = None
    cost: float | None = None
    code: str | None = None
    barcode: str | None = None
    category: RecordName | None = None
    uom: RecordName | None = None
    purchase_uom: RecordName | None = None
    customer_taxes: list[RecordName] = attrs.Factory(list)
    vendor_taxes: list[RecordName] = attrs.Factory(list)
    variants: list[Variant] = attrs.Factory(list)
    vendors: list[Vendor] = attrs.Factory(list)
    not_stored: list[Difference] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@op.operation
def create_product(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Name.")],
    product_type: Annotated[
        ProductType, Doc("storable tracks stock, and needs the Inventory app.")
    ] = "goods",
    price: Annotated[float | None, Ge(0), Doc("Sales price without taxes.")] = None,
    cost: Annotated[float | None, Ge(0), Doc("Cost of variants without their own.")] = None,
    code: Annotated[
        str | None, Doc("Internal reference. With several variants, set it in variants.")
    ] = None,
    barcode: Annotated[
        str | None, Doc("Barcode. With several variants, set it in variants.")
    ] = None,
    weight: Annotated[float | None, Ge(0), Doc("Weight of variants without their own.")] = None,
    category_id: Annotated[int | None, Doc("Id of the product category.")] = None,
    category_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    uom_id: Annotated[int | None, Doc("Id of the unit of measure.")] = None,
    uom_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    purchase_uom_id: Annotated[
        int | None, Doc("Id of the purchase unit of measure. On Odoo 19, also pass vendors.")
    ] = None,
    purchase_uom_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    customer_taxes: Annotated[
        op.NamesOrIds, Doc("Taxes on sales. [] for none. Default: the company's.")
    ] = None,
    vendor_taxes: Annotated[
        op.NamesOrIds, Doc("Taxes on purchases. [] for none. Default: the company's.")
    ] = None,
    attributes: Annotated[
        Sequence[AttributeLine] | None,
        Doc("Each combination of their values makes a variant."),
    ] = None,
    variants: Annotated[Sequence[VariantLine] | None, Doc("Data of individual variants.")] = None,
    vendors: Annotated[Sequence[VendorLine] | None, Doc("In order of preference.")] = None,
    description: Annotated[str | None, Doc("Text for customers, on quotations.")] = None,
    can_be_sold: Annotated[bool, Doc("Whether it can be sold.")] = True,
    can_be_purchased: Annotated[bool, Doc("Whether it can be purchased.")] = True,
    create_attributes: Annotated[
        bool, Doc("Create attributes and values that do not exist yet.")
    ] = False,
    dry_run: op.DryRun = False,
) -> ProductResult | op.Plan:
    """Create a product with its variants, barcodes, costs, vendors, taxes and units.

    >>> shirt = create_product(
    ...     odoo, name="Shirt", price=20.0, cost=8.0,
    ...     attributes=[{"attribute": "Size", "values": ["S", "XL"], "extra_prices": {"XL": 4}}],
    ...     variants=[{"values": {"Size": "XL"}, "barcode": "4006381333931"}],
    ... )
    >>> [(one.values, one.price, one.cost) for one in shirt.variants]
    [({'Size': 'S'}, 20.0, 8.0), ({'Size': 'XL'}, 24.0, 8.0)]

    Values are stored where Odoo keeps them. With several variants, set ``code``, ``barcode``,
    ``cost`` and ``weight`` in ``variants``. Each variant is identified by its ``values``. The
    result lists each value that Odoo stored differently.

    An attribute has ``attribute``, ``values`` and ``extra_prices``. A vendor has ``vendor_id`` or
    ``vendor_name``, ``price``, ``min_quantity``, ``delay``, ``currency`` and ``code``. Pass taxes
    by id or name.

    It takes at most 9 requests to look up names, 1 to create, 2 more plus 1 for each variant or
    value with its own data, and at most 7 to read the result.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The category, unit, tax, attribute, value, vendor or currency does not exist.
        ValidationError: An argument is wrong, or a barcode already exists. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the name of the product.")
    numbers = {"list_price": price, "standard_price": cost, "weight": weight}
    for field, number in (("price", price), ("cost", cost), ("weight", weight)):
        if number is not None:
            not_negative(number, field)
    lines = checked_attributes(attributes)
    own = checked_variants(variants, lines)
    sellers = _checked_vendors(vendors)
    op.permit(odoo, CREATE, *([NEW_ATTRIBUTE] if create_attributes else []), dry_run=dry_run)
    described = odoo.schema.fields(TEMPLATE)
    values: dict[str, Any] = {"name": name, **_type_values(odoo, product_type)}
    values |= {"sale_ok": can_be_sold, "purchase_ok": can_be_purchased}
    values |= {"description_sale": description} if description is not None else {}
    _check_barcodes(odoo, [barcode, *(line.get("barcode") for line in own)])
    links = _resolve(
        odoo,
        {
            "categ_id": ("product.category", "category_id", category_id, category_name),
            "uom_id": ("uom.uom", "uom_id", uom_id, uom_name),
            "uom_po_id": ("uom.uom", "purchase_uom_id", purchase_uom_id, purchase_uom_name),
        },
        {"taxes_id": customer_taxes, "supplier_taxes_id": vendor_taxes},
        sellers,
    )
    bought_in = links.get("uom_po_id")
    if bought_in and "uom_po_id" not in described:
        del links["uom_po_id"]
        if not sellers:
            raise invalid(
                "purchase_uom_id",
                f"Odoo {odoo.version.major} stores the purchase unit of a product with its "
                "vendors, but you passed no vendors.",
                "Pass vendors, or omit the purchase unit.",
            )
        for line in links["seller_ids"]:
            line[2]["product_uom_id"] = bought_in
    values |= links
    found = find_attributes(odoo, lines, create=create_attributes)
    several = _check_single(found, own, barcode=barcode, code=code)
    single = {"default_code": code, "barcode": barcode, **numbers}
    if several:
        single = {"list_price": price}
    values |= {key: value for key, value in single.items() if value is not None}
    shared = {k: v for k, v in (("standard_price", cost), ("weight", weight)) if v is not None}
    after = _after(found, own, shared if several else {})
    missing = [attribute.name for attribute in found if attribute.id is None]
    first = [
        NEW_ATTRIBUTE.of(vals_list={"name": one, "create_variant": "always"}) for one in missing
    ]

    def creation(made: Mapping[str, int]) -> op.Step:
        commands = [attribute.line(made) for attribute in found]
        return CREATE.of(
            vals_list={**values, **({"attribute_line_ids": commands} if commands else {})}
        )

    op.permit(odoo, *after, dry_run=dry_run)
    if dry_run:
        return op.plan(odoo, [*first, creation({}), *after], (), _would(name, found, own, missing))
    made: dict[str, int] = {}
    warnings: list[str] = []
    try:
        for one, step in zip(missing, first, strict=True):
            made[one] = step.make(odoo, (), warnings)[0]
        create = creation(made)
        done = op.make(odoo, [create, *after], ())
    except OdooError as error:
        if made:
            error.message += f" The attributes {', '.join(made)} were created before the error."
        raise
    done.warnings[:0] = warnings
    return _result(odoo, done, create.arguments["vals_list"], own, shared if several else {})


# What was given -----------------------------------------------------------------------------------


def _checked_vendors(vendors: Sequence[VendorLine] | None) -> list[dict[str, Any]]:
    if plain(vendors) in (None, []):
        return []
    lines = op.check_lines(vendors or (), VendorLine.__annotations__, "vendors")
    for index, line in enumerate(lines):
        for key in ("price", "min_quantity", "delay"):
            if key in line:
                not_negative(line[key], f"vendors[{index}].{key}")
    return lines


def _type_values(odoo: Odoo, product_type: ProductType) -> dict[str, Any]:
    """Return how the version says what kind of product it is."""
    problem = "product_type must be goods, service or storable, not {}."
    op.check_choice(product_type, get_args(ProductType), "product_type", problem, "")
    described = odoo.schema.fields(TEMPLATE)
    plain_type = "service" if product_type == "service" else "consu"
    if product_type != "storable":
        return {"detailed_type" if "detailed_type" in described else "type": plain_type}
    if "is_storable" in described:
        return {"type": "consu", "is_storable": True}
    field = described["detailed_type" if "detailed_type" in described else "type"]
    if "product" not in [value for value, _ in field.selection or ()]:
        raise invalid(
            "product_type",
            "This database does not track stock: the Inventory app is not installed.",
            "Create the product as goods.",
        )
    return {field.name: "product"}


def _check_barcodes(odoo: Odoo, given: Sequence[str | None]) -> None:
    """Refuse a barcode that is given twice, or that a product has; one round trip, if any."""
    barcodes = [barcode for barcode in given if barcode is not None]
    for index, barcode in enumerate(barcodes):
        if not isinstance(barcode, str) or not barcode.strip():
            raise invalid("barcode", "barcode must not be empty.")
        if barcode in barcodes[:index]:
            raise invalid("barcode", f"The barcode {barcode} is listed twice.")
    if not barcodes:
        return
    domain = [["barcode", "in", barcodes]]
    taken = op.read_rows(odoo, VARIANT, domain, ["display_name", "barcode"], acts_on=TEMPLATE)
    if taken:
        row = taken[0]
        raise invalid(
            "barcode",
            f"The barcode {row['barcode']} already belongs to {row['display_name']!r} "
            f"({row['id']}).",
            "Choose another barcode. Each barcode identifies one product.",
            id=row["id"],
        )


def _resolve(
    odoo: Odoo,
    single: Mapping[str, tuple[str, str, int | None, str | None]],
    taxes: Mapping[str, Any],
    sellers: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the values of what other records are linked to, all looked up together."""
    wanted = {
        field: op.Wanted(model=model, field=argument, id=number, name=named)
        for field, (model, argument, number, named) in single.items()
    }
    taxed = {field: given for field, given in taxes.items() if plain(given) is not None}
    company: tuple[Any, ...] = ()
    if any(plain(given) for given in taxed.values()):
        usable = op.usable_companies(odoo, op.acting_company(odoo, TEMPLATE), TEMPLATE)
        company = (["company_id", "in", usable],)
    arguments = {
        "taxes_id": ("customer_taxes", "sale"),
        "supplier_taxes_id": ("vendor_taxes", "purchase"),
    }
    of_taxes = {
        field: [
            attrs.evolve(item, domain=(*company, ["type_tax_use", "=", arguments[field][1]]))
            for item in op.wanted_each("account.tax", given, arguments[field][0])
        ]
        for field, given in taxed.items()
    }
    of_vendors = [
        op.Wanted(
            model="res.partner",
            field=f"vendors[{index}].vendor_id",
            id=line.get("vendor_id"),
            name=line.get("vendor_name"),
        )
        for index, line in enumerate(sellers)
    ]
    if nobody := [item for item in of_vendors if item.id is None and item.name is None]:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{nobody[0].field} or vendor_name is missing.",
            details={"field": nobody[0].field},
        )
    of_currencies = [
        op.Wanted(
            model="res.currency", field=f"vendors[{index}].currency", name=line.get("currency")
        )
        for index, line in enumerate(sellers)
    ]
    groups = [[*wanted.values()], *of_taxes.values(), of_vendors, of_currencies]
    every = [item for group in groups for item in group]
    ids = iter(op.resolve_all(odoo, every, required=False))
    op.look_for(odoo, every)
    resolved = [[next(ids) for _ in group] for group in groups]
    values: dict[str, Any] = {
        field: number for field, number in zip(wanted, resolved[0], strict=True) if number
    }
    for field, numbers in zip(of_taxes, resolved[1:-2], strict=True):
        values[field] = [[6, 0, numbers]]
    if sellers:
        # The field is called name to 15.
        described = odoo.schema.fields("product.supplierinfo")
        partner = "partner_id" if "partner_id" in described else "name"
        values["seller_ids"] = [
            [0, 0, _seller(line, partner, vendor, currency)]
            for line, vendor, currency in zip(sellers, resolved[-2], resolved[-1], strict=True)
        ]
    return values


def _seller(
    line: Mapping[str, Any], partner: str, vendor: int | None, currency: int | None
) -> dict[str, Any]:
    given = {
        partner: vendor,
        "price": line.get("price"),
        "min_qty": line.get("min_quantity"),
        "delay": line.get("delay"),
        "currency_id": currency,
        "product_code": line.get("code"),
    }
    return {key: value for key, value in given.items() if value is not None}


def _check_single(
    attributes: Sequence[Attribute],
    own: Sequence[Mapping[str, Any]],
    *,
    barcode: str | None,
    code: str | None,
) -> bool:
    """Return whether the product has not exactly one variant; refuse what then has no place."""
    count = count_variants(attributes)
    many = f"{count} variants" if count else "variants that Odoo makes when they are sold"
    if count != 1:
        for field, given in (("barcode", barcode), ("code", code)):
            if given is not None:
                raise invalid(
                    field,
                    f"{field} belongs to one variant, but this product has {many}.",
                    f"Set {field} on each variant in variants.",
                )
    if own and not count:
        raise invalid(
            "variants",
            "Odoo creates this product's variants only when they are sold, so there are none yet.",
            "Omit variants, or use attributes whose variants Odoo creates instantly.",
        )
    still = [a.name for a in attributes if a.makes == "no_variant" and len(a.values) > 1]
    if own and still:
        raise invalid(
            "variants",
            f"Odoo created no variants for {', '.join(still)}, so the variants cannot be "
            "identified.",
        )
    return count != 1


def _after(
    attributes: Sequence[Attribute], own: Sequence[Mapping[str, Any]], shared: Mapping[str, Any]
) -> list[op.Step]:
    """Return the steps that follow the creation: prices of values, then what variants have."""

    @cache
    def parts(template: int) -> tuple[list[Made], list[op.Row]]:
        return read_made(reading[0], template)

    reading: list[Odoo] = []

    def made(odoo: Odoo, template: int) -> tuple[list[Made], list[op.Row]]:
        reading[:] = [odoo]
        return parts(template)

    def value(attribute: str, name: str) -> Any:
        def which(odoo: Odoo, template: int) -> list[int]:
            return [
                row["id"]
                for row in made(odoo, template)[1]
                if row["attribute_id"]
                and row["attribute_id"].name.casefold() == attribute.casefold()
                and row["name"].casefold() == name.casefold()
            ]

        return which

    def variant(values: Mapping[str, str]) -> Any:
        return lambda odoo, template: meant(made(odoo, template)[0], values)

    steps: list[op.Step] = [
        Beside(
            model=TEMPLATE_VALUE,
            method="write",
            arguments={"vals": {"price_extra": price}},
            says=f"Price of {name} set",
            fails=f"The price of {name} is not set",
            which=value(attribute.name, name),
            label=f"the value {attribute.name}: {name}",
        )
        for attribute in attributes
        for name, price in attribute.extra_prices.items()
    ]
    if shared:
        steps.append(
            Beside(
                model=VARIANT,
                method="write",
                arguments={"vals": dict(shared)},
                says="Variants filled in",
                fails="The variants are not filled in",
                which=variant({}),
                label="all variants",
            )
        )
    for line in own:
        told = ", ".join(line["values"].values())
        vals = _of_variant(line)
        if vals:
            steps.append(
                Beside(
                    model=VARIANT,
                    method="write",
                    arguments={"vals": vals},
                    says=f"{told} filled in",
                    fails=f"{told} is not filled in",
                    which=variant(line["values"]),
                    label=f"the variant {told}",
                )
            )
    return steps


def _of_variant(line: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        "code": "default_code",
        "barcode": "barcode",
        "cost": "standard_price",
        "weight": "weight",
    }
    return {field: line[key] for key, field in fields.items() if key in line}


def _would(
    name: str,
    attributes: Sequence[Attribute],
    own: Sequence[Mapping[str, Any]],
    missing: Sequence[str],
) -> str:
    count = count_variants(attributes)
    parts = [f"Would create the product {name!r}"]
    if attributes:
        parts.append(f"with {count} variants" if count else "with variants made when they are sold")
    new = [
        f"{a.name}: {value}" for a in attributes for value, number in a.values.items() if not number
    ]
    if missing:
        parts.append(f"and the attributes {', '.join(missing)}")
    if new:
        parts.append(f"and the values {', '.join(new)}")
    return " ".join(parts) + "."


# What became of it --------------------------------------------------------------------------------


def _result(
    odoo: Odoo,
    done: op.Done,
    values: Mapping[str, Any],
    own: Sequence[Mapping[str, Any]],
    shared: Mapping[str, Any],
) -> ProductResult:
    warnings = done.warnings
    row = op.afterwards(lambda: op.read(odoo, PRODUCT, done.id), warnings)
    result = ProductResult(id=done.id, name=values["name"], warnings=warnings)
    if row is None:
        return result
    told = op.afterwards(lambda: _variants(odoo, done.id), warnings, "its variants")
    made, shown = told or ([], [])
    vendors = op.afterwards(lambda: _vendors(odoo, done.id), warnings, "its vendors") or []
    taxes = {field: row.get(field) or () for field in ("taxes_id", "supplier_taxes_id")}
    names = _tax_names(odoo, {n for ids in taxes.values() for n in ids}, warnings)
    given: dict[int, dict[str, Any]] = {one.id: dict(shared) for one in made if shared}
    for line in own:
        for number in meant(made, line["values"]):
            given.setdefault(number, {}).update(_of_variant(line))
    found = op.afterwards(
        lambda: [
            *op.stored_otherwise(odoo, TEMPLATE, {done.id: values}, TEMPLATE),
            *(op.stored_otherwise(odoo, VARIANT, given, TEMPLATE) if given else []),
        ],
        warnings,
    )
    if found:
        warnings.append(in_words(found))
    ids = f"product.template {done.id}"
    if len(shown) == 1:
        ids += f"; {shown[0].id} as variant, which orders and stock name"
    many = f" with {len(shown)} variants" if len(shown) != 1 else ""
    return op.filled(
        ProductResult,
        row,
        message=f"Created the product {row['name']!r}{many} ({ids})",
        storable=bool(row.get("is_storable")) or row.get("type") == "product",
        price=row.get("list_price"),
        cost=row.get("standard_price") if len(shown) == 1 else None,
        code=row.get("default_code"),
        category=row.get("categ_id"),
        uom=row.get("uom_id"),
        purchase_uom=row.get("uom_po_id"),
        customer_taxes=[names[n] for n in taxes["taxes_id"] if n in names],
        vendor_taxes=[names[n] for n in taxes["supplier_taxes_id"] if n in names],
        variants=shown,
        vendors=vendors,
        not_stored=found or [],
        warnings=warnings,
    )


def _variants(odoo: Odoo, template: int) -> tuple[list[Made], list[Variant]]:
    made, _ = read_made(odoo, template)
    fields = ["display_name", "default_code", "barcode", "standard_price", "lst_price", "weight"]
    rows = op.read_rows(
        odoo,
        VARIANT,
        [["id", "in", [one.id for one in made]]],
        fields,
        acts_on=TEMPLATE,
        order="id",
    )
    by_id = {one.id: one for one in made}
    return made, [
        Variant(
            id=row["id"],
            name=row.get("display_name"),
            values=by_id[row["id"]].values,
            code=row.get("default_code"),
            barcode=row.get("barcode"),
            cost=row.get("standard_price"),
            price=row.get("lst_price"),
            weight=row.get("weight"),
        )
        for row in rows
    ]


def _vendors(odoo: Odoo, template: int) -> list[Vendor]:
    described = odoo.schema.fields("product.supplierinfo")
    partner = "partner_id" if "partner_id" in described else "name"
    fields = [partner, "price", "min_qty", "delay", "currency_id", "product_code"]
    rows = op.read_rows(
        odoo,
        "product.supplierinfo",
        [["product_tmpl_id", "=", template]],
        fields,
        acts_on=TEMPLATE,
        order="sequence, id",
    )
    return [
        Vendor(
            id=row["id"],
            vendor=row.get(partner),
            price=row.get("price"),
            min_quantity=row.get("min_qty"),
            delay=row.get("delay"),
            currency=row["currency_id"].name if row.get("currency_id") else None,
            code=row.get("product_code"),
        )
        for row in rows
    ]


def _tax_names(odoo: Odoo, ids: set[int], warnings: list[str]) -> dict[int, RecordName]:
    if not ids:
        return {}
    rows = op.afterwards(
        lambda: op.read_rows(
            odoo,
            "account.tax",
            [["id", "in", sorted(ids)]],
            ["name", "company_id"],
            acts_on=TEMPLATE,
        ),
        warnings,
        "its taxes",
    )
    several = len({row["company_id"].id for row in rows or () if row["company_id"]}) > 1
    return {
        row["id"]: RecordName(
            id=row["id"],
            # An order has those of its own company alone.
            name=f"{row['name']} ({row['company_id'].name})"
            if several and row["company_id"]
            else row["name"],
        )
        for row in rows or ()
    }
