"""A function that creates requests for quotation, with the vendor's prices and terms.

The toolkit checks the lines before it sends anything. It fills in prices that you omit from the
vendor's price list. Odoo itself does so only in its form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.purchase.offers import ABOVE, Offer, choose, obstacle, offers_of, read_offers
from odoo_toolkit.apps.purchase.orders import CONFIRM, LAYOUT, ORDER, Order, order_result
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.records.results import RecordName


class NewLine(TypedDict, total=False):
    """A line of a request for quotation: a product, or a note if it has only ``name``."""

    product_id: int
    product_name: str
    quantity: Annotated[
        float, op.JsonSchema({"type": "number", "exclusiveMinimum": 0, "default": 1})
    ]
    price_unit: Annotated[float, Doc("Default: the vendor's.")]
    discount: Annotated[float, Doc("Percentage, on Odoo 17 and later.")]
    uom: op.Uom
    date_planned: str
    name: Annotated[str, Doc("Text. Alone: a note.")]


_MODEL = "purchase.order.line"


def checked_lines(
    odoo: Odoo, lines: Sequence[Mapping[str, Any]], argument: str = "lines"
) -> list[dict[str, Any]]:
    """Return the lines, or refuse what cannot be a line of an order.

    Raises:
        ValidationError: naming the line and the key.
    """
    given = op.check_lines(lines, NewLine.__annotations__, argument)
    return [_checked(odoo, line, f"{argument}[{index}]") for index, line in enumerate(given)]


def new_lines(
    odoo: Odoo,
    vendor_id: int,
    lines: list[dict[str, Any]],
    product_ids: Sequence[int | None],
    *,
    currency: RecordName | None = None,
    argument: str = "lines",
) -> tuple[list[list[Any]], dict[str, Any], list[str]]:
    """Return commands that create lines, what the order takes from its vendor, and warnings.

    Args:
        odoo: the connection.
        vendor_id: whose prices are put in.
        lines: as :func:`checked_lines` returned them.
        product_ids: what ``op.wanted_products`` was resolved to.
        currency: of the order; None for the vendor's.
        argument: that the lines were given as, for messages.
    """
    bought = iter(product_ids)
    ids = [next(bought) if op.names_product(line) else None for line in lines]
    units: list[dict[str, Any]] = [{"product_id": number} if number else {} for number in ids]
    ratios = op.put_units(odoo, _MODEL, list(zip(lines, units, strict=True)), argument)
    vendor, warnings = _complete(odoo, vendor_id, lines, ids, ratios, currency)
    values = [
        _line_values(odoo, line, number) | unit
        for line, number, unit in zip(lines, ids, units, strict=True)
    ]
    return [[0, 0, line] for line in values], vendor, warnings


def _line_values(odoo: Odoo, line: Mapping[str, Any], product_id: int | None) -> dict[str, Any]:
    if product_id is None:
        # Without a quantity, Odoo refuses a note.
        return {"display_type": "line_note", "name": line["name"], "product_qty": 0}
    told = ("price_unit", "discount", "name", "date_planned")
    values = {"product_id": product_id, "product_qty": line.get("quantity", 1)}
    values |= {key: line[key] for key in told if key in line}
    return to_wire(values, _MODEL, odoo.schema.fields(_MODEL), fields_of=odoo.schema.fields)


def _checked(odoo: Odoo, line: dict[str, Any], where: str) -> dict[str, Any]:
    op.check_described(odoo, line, where, "purchase_ok", free=False)
    for key in ("quantity", "price_unit", "discount"):
        if key in line:
            op.checked_number(line[key], f"{where}.{key}", positive=key == "quantity")
    check_has_discount(odoo, line, where)
    op.check_discount(line, where)
    return line


def check_has_discount(odoo: Odoo, line: Mapping[str, Any], where: str) -> None:
    """Refuse a discount on versions without one."""
    if "discount" in line and "discount" not in odoo.schema.fields(_MODEL):
        raise invalid(
            f"{where}.discount",
            f"{where}.discount needs Odoo 17 or later on purchase orders.",
            "Set price_unit to the reduced price instead.",
        )


def head_values(odoo: Odoo, note: str | None, **given: Any) -> dict[str, Any]:
    """Return what is given of an order, besides its lines, in Odoo's form."""
    described = odoo.schema.fields(ORDER.model)
    # The field of the terms: up to 18, and from 19 on.
    terms = "note" if "note" in described else "notes"
    given[terms] = op.written_text(described[terms], note) if note is not None else None
    present = {name: value for name, value in given.items() if value is not None}
    return to_wire(present, ORDER.model, described, fields_of=odoo.schema.fields)


CREATE = op.Step(model=ORDER.model, method="create", says="Request for quotation created")

#: What Odoo's form takes from the vendor, and a call from outside leaves empty.
_VENDOR = op.Document(
    model="res.partner",
    noun="vendor",
    argument="partner_id",
    fields=("parent_id", "property_purchase_currency_id", "property_supplier_payment_term_id"),
)


@op.operation
def create_order(
    odoo: Odoo,
    *,
    lines: Annotated[Sequence[NewLine], Len(1, 200), Doc("Each has a product, by id or name.")],
    partner_id: Annotated[int | None, Doc("Vendor id, or pass partner_name.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    partner_ref: Annotated[str | None, Doc("The vendor's own reference.")] = None,
    date_planned: Annotated[
        str | None, Doc("Expected arrival (UTC). Default: the vendor's lead time.")
    ] = None,
    origin: Annotated[str | None, Doc("Source document, e.g. S00012.")] = None,
    note: Annotated[str | None, Doc("Terms, plain text.")] = None,
    confirm: Annotated[bool, Doc("Also confirm it.")] = False,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Create a request for quotation, and confirm it if you ask for it.

    >>> order = create_order(
    ...     odoo, lines=[{"product_name": "Chair", "quantity": 5}], partner_name="Acme"
    ... )
    >>> order.confirmed
    False

    Each line has ``product_id`` or ``product_name``. Optional keys are ``quantity`` (default: 1, in
    the unit in which you buy the product), ``price_unit``, ``discount`` (Odoo 17 and later),
    ``date_planned`` and ``name``. A line with only ``name`` becomes a note.

    Prices, taxes and lead times that you omit come from the vendor's price list. Payment terms and
    currency come from the vendor, as in Odoo's form.

    If the confirmation fails, the request stays, ``confirmed`` is False, and ``warnings`` says why.
    It takes 4 requests, or 5 to confirm it, too.

    Raises:
        AmbiguousNameError: Several records match a name. Nothing was written.
        ValidationError: A line or value is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, CONFIRM] if confirm else [CREATE]
    op.permit(odoo, *steps, dry_run=dry_run)
    checked = checked_lines(odoo, lines)
    wire = head_values(
        odoo, note, partner_ref=partner_ref, date_planned=date_planned, origin=origin
    )
    if date_planned is not None:
        # What an order says does not reach its lines.
        checked = [
            {"date_planned": date_planned, **line} if op.names_product(line) else line
            for line in checked
        ]
    partner = op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    vendor_id, *product_ids = op.resolve_all(
        odoo, [partner, *op.wanted_products(checked, "purchase_ok")]
    )
    assert vendor_id is not None  # noqa: S101 - it is required
    commands, vendor, warnings = new_lines(odoo, vendor_id, checked, product_ids)
    steps[0] = CREATE.of(
        vals_list={"partner_id": vendor_id, **vendor, **wire, "order_line": commands}
    )

    def result(done: op.Done) -> Order:
        done.warnings[:0] = warnings
        return order_result(odoo, done, "created", confirming=confirm)

    what = "and confirm it" if confirm else "as a draft"
    would = f"Would create a request for quotation with {op.counted(len(commands), 'line')} {what}."

    def preview() -> list[op.PlannedDocument]:
        return [op.new_document(odoo, LAYOUT, steps[0].arguments["vals_list"], notes=warnings)]

    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run, preview=preview)


def _complete(
    odoo: Odoo,
    vendor_id: int,
    lines: list[dict[str, Any]],
    ids: Sequence[int | None],
    ratios: Mapping[int, float],
    currency: RecordName | None,
) -> tuple[dict[str, Any], list[str]]:
    """Return what an order takes from its vendor, and warnings; put the vendor's prices in lines.

    Odoo itself takes the price of the vendor's smallest quantity for what a call from outside
    orders, and drops the discount, on every version.
    """
    unpriced = [n for n, line in zip(ids, lines, strict=True) if n and "price_unit" not in line]
    of_lines = [["id", "in", sorted(set(unpriced))]]
    in_list = [["product_tmpl_id.product_variant_ids", "in", of_lines[0][2]]]
    fields = ("display_name", "product_tmpl_id", "cost_currency_id", "uom_id")
    asked: list[Callable[[], Any]] = [
        lambda: op.read(odoo, _VENDOR, vendor_id),
        lambda: op.read_rows(odoo, "product.product", of_lines, fields, acts_on=ORDER.model),
        lambda: read_offers(odoo, in_list, ORDER.model),
    ]
    vendor, rows, offers = [*op.side_by_side(asked if unpriced else asked[:1]), [], []][:3]
    own_currency = vendor["property_purchase_currency_id"]
    currency = currency or own_currency
    own = {vendor_id, vendor["parent_id"] and vendor["parent_id"].id}
    products = {row["id"]: row for row in rows}
    warnings = []
    for place, (line, number) in enumerate(zip(lines, ids, strict=True)):
        if number in products and "price_unit" not in line:
            product = products[number]
            offered = [o for o in offers_of(offers, product) if o.vendor.id in own]
            if ratio := ratios.get(place):
                offered = [_in_unit(offer, product["uom_id"], ratio) for offer in offered]
            problem = _price(odoo, line, offered, (currency or product["cost_currency_id"]).name)
            warnings += [f"{product['display_name']}: {problem}"] if problem else []
    links = {
        "currency_id": own_currency,
        "payment_term_id": vendor["property_supplier_payment_term_id"],
    }
    return {field: link.id for field, link in links.items() if link}, warnings


def _in_unit(offer: Offer, own: RecordName, ratio: float) -> Offer:
    """Return an offer in a unit of the line's that is so many of the product's own."""
    if offer.uom is not None and offer.uom != own:
        # Odoo converts its price itself.
        return offer
    most = offer.max_quantity
    return attrs.evolve(
        offer,
        price=offer.price * ratio,
        min_quantity=offer.min_quantity / ratio,
        max_quantity=None if most is None else most / ratio,
    )


def _price(odoo: Odoo, line: dict[str, Any], offered: Sequence[Offer], currency: str) -> str | None:
    """Put the price for a line's quantity in it; return what there is to say of it."""
    day = date.fromisoformat(op.today(odoo))
    valid = [offer for offer in offered if not obstacle(offer, None, day)]
    smallest = min(valid, key=lambda offer: offer.min_quantity, default=None)
    if smallest is None:
        return None
    quantity, problem = line.get("quantity", 1), None
    chosen = choose(valid, quantity, day)
    over = [offer for offer in valid if obstacle(offer, quantity, day) == ABOVE]
    if chosen is None and over:
        most = max(offer.max_quantity or 0.0 for offer in over)
        chosen, problem = choose(over, None, day), f"the vendor sells at most {most:g}."
    if chosen is None:
        return f"the vendor sells at least {smallest.min_quantity:g}; this is the price for that."
    if chosen.currency != currency or chosen.uom != smallest.uom:
        # Left to Odoo, which converts, but looks at the smallest quantity only.
        same = chosen == smallest and not chosen.discount
        return problem if same else "check price and discount, which may be for another quantity."
    line["price_unit"] = chosen.price
    if chosen.discount:
        line.setdefault("discount", chosen.discount)
    if chosen.delay != smallest.delay:
        line.setdefault("date_planned", (day + timedelta(days=chosen.delay)).isoformat())
    return problem
