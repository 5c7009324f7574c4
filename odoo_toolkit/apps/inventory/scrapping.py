"""A function that scraps broken or lost goods."""

from __future__ import annotations

from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Gt

from odoo_toolkit import operations as op
from odoo_toolkit.apps.inventory.adjusting import (
    COUNTED,
    PLACE,
    check_holds_stock,
    in_stock,
    lying_at,
    place_of,
    quants_of,
    stock_location,
)
from odoo_toolkit.apps.inventory.availability import LOCATION, PRODUCT
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, invalid
from odoo_toolkit.records.numbers import kept_number
from odoo_toolkit.records.results import RecordName

SCRAP = op.Document(
    model="stock.scrap",
    noun="scrap",
    argument="scrap_id",
    fields="""
        name state product_id scrap_qty product_uom_id lot_id location_id scrap_location_id
        scrap_reason_tag_ids
    """,
)

#: Reasons there are from 18 on.
REASON = "stock.scrap.reason.tag"
_TOLERANCE = 1e-6

_VALUED: op.Document = attrs.evolve(COUNTED, fields=(*COUNTED.fields, "standard_price"))

_CREATE = op.Step(model=SCRAP.model, method="create", says="Scrap created")
_VALIDATE = op.Step(
    model=SCRAP.model,
    method="action_validate",
    says="Scrapped",
    fails="The scrap is a draft, nothing has left the stock",
    seen=op.shows(SCRAP, state=("done",)),
    # Odoo scraps a done one a second time.
    safe=False,
)


@attrs.frozen(kw_only=True)
class Scrap(op.Shown):
    """Goods that were scrapped, in the product's unit of measure.

    Attributes:
        name: Number of the scrap, such as SP/00012.
        state: ``draft`` or ``done``. None if it could not be read.
        quantity_before: Stock in this location before, and of this lot.
        left: Stock in this location now, and of this lot.
        value: Value of the scrapped goods, at the product's cost. None if this user can't see the
            cost.
    """

    id: int
    name: str | None = None
    state: str | None = None
    product: RecordName
    quantity: float
    uom: str
    location: RecordName
    lot: str | None = None
    reason: str | None = None
    quantity_before: float
    left: float | None = None
    value: float | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@op.operation
def scrap_product(
    odoo: Odoo,
    *,
    product_id: Annotated[int | None, Doc("The product (product.product).")] = None,
    product_name: Annotated[str | None, Doc("Name or reference.")] = None,
    quantity: Annotated[float, Gt(0), Doc("In the product's unit.")],
    location_id: Annotated[
        int | None, Doc("Default: the product's, or the warehouse's stock.")
    ] = None,
    location_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    lot: Annotated[str | None, Doc("Lot or serial number of a tracked product.")] = None,
    reason: Annotated[op.NameOrId, Doc("Odoo's scrap reason, on Odoo 18 and later.")] = None,
    dry_run: op.DryRun = False,
) -> Scrap | op.Plan:
    """Scrap goods, which moves them from stock to Odoo's scrap location.

    >>> gone = scrap_product(odoo, product_name="Desk", quantity=2, location_id=8)
    >>> gone.message
    'Scrapped 2 Units of Desk in WH/Stock: SP/00001.'

    You can't scrap more than the stock of the location, or of the lot. Stock in packages and stock
    of other owners does not count. The reason is an existing scrap reason
    (``stock.scrap.reason.tag``), by id or name.

    It takes 7 to 13 requests.

    Raises:
        StateError: The stock is less than the quantity.
        ValidationError: The quantity is wrong, the product has no stock, the product is in several
            locations and you named none, the lot does not fit, or this version has no reasons.
        NotFoundError: The product, location, lot or reason does not exist.
        AmbiguousNameError: A name matches several records.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, _CREATE, _VALIDATE, dry_run=dry_run)
    warnings: list[str] = []
    amount = op.checked_number(quantity, "quantity", positive=True)
    # To 14 the scrap itself keeps all decimals, and what leaves the stock does not.
    amount = kept_number(odoo, "stock.move", "product_uom_qty", amount, "quantity", warnings)
    lot = lot.strip() if lot else None
    product_id, place_id, reason_id = _meant(
        odoo, product_id, product_name, location_id, location_name, reason
    )
    product, quants = op.gather(
        lambda: op.read_all(odoo, _VALUED, [product_id], acts_on=SCRAP.model)[0],
        lambda: quants_of(odoo, [product_id], acts_on=SCRAP.model),
    )
    named = RecordName(id=product_id, name=product["display_name"])
    _check_scrapped(odoo, product, named, lot, amount)
    if place_id is None:
        place_id = place_of(named, quants, lot, lambda: stock_location(odoo, acts_on=SCRAP.model))
    (place,) = op.read_all(odoo, PLACE, [place_id], acts_on=SCRAP.model)
    check_holds_stock(place, "location_id")
    lot_id = None
    if lot:
        wanted = op.NamedLot(product=named, name=lot, field="lot")
        lot_id = op.find_lots(odoo, [wanted], acts_on=SCRAP.model).get(wanted.key)
        if lot_id is None:
            raise op.missing_lot(odoo, wanted, acts_on=SCRAP.model)
    before = in_stock(quants, place_id, lot)
    uom = product["uom_id"].name
    what = f"{amount:g} {uom} of {named.name}{f' ({lot})' if lot else ''}"
    if before < amount - _TOLERANCE:
        raise StateError(
            f"{what} cannot be scrapped: {place['display_name']} contains {before:g}.",
            suggestion="Correct the quantity, or choose another location or lot. get_stock shows "
            "the stock by location.",
            details={"in_stock": before, "location_id": place_id, "product_id": product_id},
        )
    reserved = sum(q["reserved_quantity"] or 0.0 for q in lying_at(quants, place_id, lot))
    if reserved > before - amount + _TOLERANCE:
        warnings.append(
            f"{reserved:g} of the {before:g} in stock are reserved. Odoo removes excess "
            "reservations."
        )
    values = {
        "product_id": product_id,
        "scrap_qty": amount,
        "product_uom_id": product["uom_id"].id,
        "location_id": place_id,
        **({"lot_id": lot_id} if lot_id else {}),
        **({"scrap_reason_tag_ids": [[6, 0, [reason_id]]]} if reason_id else {}),
    }
    if place["company_id"]:
        values["company_id"] = place["company_id"].id
    cost = product.get("standard_price")
    known = {
        "product": named,
        "quantity": amount,
        "uom": uom,
        "location": RecordName(id=place_id, name=place["display_name"]),
        "lot": lot,
        "quantity_before": before,
        "value": None if cost is None else round(cost * amount, 2),
    }

    def result(done: op.Done) -> Scrap:
        done.warnings[:0] = warnings
        row = op.afterwards(lambda: op.read(odoo, SCRAP, done.id), done.warnings, "the scrap") or {}
        now = op.afterwards(
            lambda: quants_of(odoo, [product_id], acts_on=SCRAP.model), done.warnings, "the stock"
        )
        tags = op.linked_names(
            odoo,
            REASON,
            row.get("scrap_reason_tag_ids") or [],
            "reasons",
            done.warnings,
            acts_on=SCRAP.model,
        )
        scrapped = row.get("state") == "done"
        told = f"Scrapped {what} in {place['display_name']}: {row.get('name')}."
        if not scrapped:
            told = f"Not scrapped: {what} in {place['display_name']}. See the draft {done.id}."
        return op.filled(
            Scrap,
            {"id": done.id, "name": row.get("name"), "state": row.get("state")},
            **known,
            reason=", ".join(tag.name for tag in tags) or None,
            left=None if now is None else in_stock(now, place_id, lot),
            message=told,
            warnings=done.warnings,
        )

    made = op.operate(
        odoo,
        [_CREATE.of(vals_list=values), _VALIDATE],
        (),
        result,
        message=f"Would scrap {what} in {place['display_name']}. {before - amount:g} would be "
        "left.",
        dry_run=dry_run,
    )
    return attrs.evolve(made, warnings=warnings) if isinstance(made, op.Plan) else made


def _meant(
    odoo: Odoo,
    product_id: int | None,
    product_name: str | None,
    location_id: int | None,
    location_name: str | None,
    reason: op.NameOrId,
) -> tuple[int, int | None, int | None]:
    """Return the ids of product, location and reason; names take one round trip."""
    if reason is not None and "scrap_reason_tag_ids" not in odoo.schema.fields(SCRAP.model):
        raise invalid(
            "reason",
            f"Odoo {odoo.version.major} does not support scrap reasons.",
            "Omit reason. Post it as a note on the scrap order.",
        )
    wanted = [PRODUCT.wanted(product_id, product_name)]
    if location_id is not None or location_name is not None:
        wanted.append(LOCATION.wanted(location_id, location_name))
    links = op.wanted_links(reason=(REASON, reason))
    ids = dict(
        zip(
            (item.field for item in [*wanted, *links]),
            op.resolve_all(odoo, [*wanted, *links]),
            strict=True,
        )
    )
    op.look_for(odoo, links)
    product = ids["product_id"]
    assert product is not None  # noqa: S101 - it is required
    return product, ids.get("location_id"), ids.get("reason")


def _check_scrapped(
    odoo: Odoo, product: op.Row, named: RecordName, lot: str | None, amount: float
) -> None:
    """Refuse a product that has no stock, and a lot that does not fit."""
    if not (product["is_storable"] or product["type"] == "product"):
        raise invalid(
            "product_id",
            f"{named.name} is not a storable product, so it has no stock to scrap.",
            product_id=named.id,
        )
    tracking = product["tracking"] or "none"
    if lot:
        op.check_tracking(named, tracking, [lot], amount, "lot")
    elif tracking != "none":
        raise invalid(
            "lot",
            f"{named.name} is tracked by {tracking} numbers. Set lot to one of these numbers.",
            f"In stock: {op.lots_of(odoo, named.id, acts_on=SCRAP.model)}.",
            product_id=named.id,
        )
