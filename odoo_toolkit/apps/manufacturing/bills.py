"""Bills of materials: what a product is made of, and whether it can be made from what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.apps.manufacturing.explosion import (
    BOM,
    FIRST_BILL,
    PRODUCT,
    BillComponent,
    explode,
    is_bill_of,
    producible,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError
from odoo_toolkit.operations.documents import Row, filled, find_id, read, read_rows
from odoo_toolkit.operations.lines import checked_number
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName


@attrs.frozen(kw_only=True)
class Bill(Shown):
    """A bill of materials: what ``quantity`` of a product is made of."""

    id: int
    name: str
    quantity: float
    uom: str


@attrs.frozen(kw_only=True)
class Operation(Shown):
    """An operation of a bill of materials; minutes for one cycle of its work center."""

    name: str
    workcenter: RecordName | None = None
    minutes: float = 0.0


@attrs.frozen(kw_only=True)
class BillComponents(Shown):
    """What a product is made of.

    Attributes:
        quantity: that the components are for, in the product's unit of measure.
        can_make: whether all of it can be made now.
        producible: how many can be made now; None where no component limits it.
        other_boms: other bills of the product; name one as bom_id to choose it.
    """

    product: RecordName
    quantity: float
    uom: str
    can_make: bool
    producible: float | None = None
    bom: Bill
    components: list[BillComponent]
    operations: list[Operation] = attrs.Factory(list)
    other_boms: list[RecordName] = attrs.Factory(list)
    message: str


@attrs.frozen(kw_only=True)
class Chosen:
    """A product and the bill of materials it is made by, as rows, and its other bills."""

    product: Row
    bom: Row
    others: list[Row] = attrs.Factory(list)


def check_components(
    odoo: Odoo,
    *,
    product_id: int | None = None,
    product_name: str | None = None,
    bom_id: Annotated[int | None, Doc("Default: the product's first.")] = None,
    quantity: Annotated[float, Doc("In the product's unit of measure.")] = 1,
    location_id: Annotated[int | None, Doc("Stock there only; default: all.")] = None,
) -> BillComponents:
    """Return what a product is made of, and whether a quantity of it can be made now.

    4 to 6 round trips, and 2 more for each level of kits.

    Args:
        odoo: the connection.
        product_id: the product; or
        product_name: its name.
        bom_id: a bill of materials of it; alone, it says the product too.
        quantity: to make, in the product's unit of measure.
        location_id: where the components are taken from, with the places in it.

    Raises:
        NotFoundError: the product has no bill of materials.
        StateError: it is a kit, which is not manufactured.
        AmbiguousNameError: the name matches several products.
    """
    wanted = checked_number(quantity, "quantity", positive=True)
    chosen = choose_bill(odoo, product_id, product_name, bom_id)
    asked: list[Callable[[], Any]] = [
        lambda: explode(odoo, chosen.bom, chosen.product, wanted, location=location_id),
        lambda: _read_operations(odoo, chosen.bom),
    ]
    components, operations = side_by_side(asked)
    product, bom = chosen.product, chosen.bom
    name, uom = product["display_name"], product["uom_id"].name
    short = [item.product.name for item in components if item.missing]
    message = f"{wanted:g} {uom} of {name} can be made now."
    if short:
        message = f"{wanted:g} {uom} of {name} cannot be made now: too little of {', '.join(short)}"
        message = f"{message[:400]}."
    elif not components:
        message = f"The bill of materials of {name} has no components."
    return BillComponents(
        product=RecordName(id=product["id"], name=name),
        quantity=wanted,
        uom=uom,
        can_make=bool(components) and not short,
        producible=producible(components, wanted),
        bom=Bill(
            id=bom["id"],
            name=bom["display_name"],
            quantity=bom["product_qty"],
            uom=bom["product_uom_id"].name,
        ),
        components=components,
        operations=operations,
        other_boms=[RecordName(id=row["id"], name=row["display_name"]) for row in chosen.others],
        message=message,
    )


def choose_bill(
    odoo: Odoo, product_id: int | None, product_name: str | None, bom_id: int | None
) -> Chosen:
    """Return the product meant and the bill by which it is made, the first unless one is named.

    Raises:
        NotFoundError: there is no such product or bill, or the product has none.
        ValidationError: the bill is another product's, or that of several variants.
        StateError: it is a kit.
    """
    if bom_id is not None and product_id is None and product_name is None:
        return _of_bill(odoo, bom_id)
    number = find_id(odoo, PRODUCT, product_id, product_name)
    variants = ["product_tmpl_id.product_variant_ids", "in", [number]]
    domain = [variants, "|", ["product_id", "=", number], ["product_id", "=", False]]
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, PRODUCT, number),
        lambda: read_rows(odoo, BOM.model, domain, BOM.fields, order=FIRST_BILL, active_test=True),
    ]
    product, rows = side_by_side(asked)
    name = product["display_name"]
    if bom_id is not None:
        own = [row for row in rows if row["id"] == bom_id] or [
            row for row in [read(odoo, BOM, bom_id)] if is_bill_of(row, product)
        ]
        if not own:
            raise ValidationError(
                f"The bill of materials {bom_id} is not one of {name}.",
                suggestion=f"Choose one of: {_listed(rows)}." if rows else "Leave bom_id out.",
                details={"field": "bom_id", "id": bom_id},
            )
        return Chosen(product=product, bom=_checked(own[0]))
    makes = [row for row in rows if row["type"] == "normal"]
    if makes:
        return Chosen(product=product, bom=makes[0], others=makes[1:])
    if rows:
        _checked(rows[0])
    raise NotFoundError(
        f"{name} has no bill of materials.",
        suggestion="Create one on mrp.bom (product_tmpl_id, bom_line_ids), or buy the product.",
        details={"model": BOM.model, "product_id": number},
    )


def _of_bill(odoo: Odoo, bom_id: int) -> Chosen:
    bom = _checked(read(odoo, BOM, bom_id))
    domain: list[Any] = [["product_tmpl_id", "=", bom["product_tmpl_id"].id]]
    if bom["product_id"]:
        domain = [["id", "=", bom["product_id"].id]]
    rows = read_rows(odoo, PRODUCT.model, domain, PRODUCT.fields, limit=2, active_test=False)
    if len(rows) != 1:
        raise ValidationError(
            f"{bom['display_name']} is the bill of several variants, or of none.",
            suggestion="Give product_id too: the variant to make.",
            details={"field": "product_id", "bom_id": bom_id},
        )
    return Chosen(product=rows[0], bom=bom)


def _checked(bom: Row) -> Row:
    name = bom["display_name"]
    details = {"model": BOM.model, "id": bom["id"], "type": bom["type"]}
    if bom["type"] == "phantom":
        raise StateError(
            f"{name} is a kit: it is not manufactured, its components are delivered.",
            suggestion="Make or buy the components.",
            details=details,
        )
    if bom["type"] != "normal":
        raise StateError(
            f"{name} is made by a subcontractor: order it from that vendor.",
            suggestion="Make a purchase order.",
            details=details,
        )
    return bom


def _listed(rows: Sequence[Row]) -> str:
    return ", ".join(f"{row['display_name']} ({row['id']})" for row in rows[:10])


def _read_operations(odoo: Odoo, bom: Row) -> list[Operation]:
    if not bom["operation_ids"]:
        return []
    domain = [["id", "in", bom["operation_ids"]]]
    fields = ("name", "workcenter_id", "time_cycle")
    rows = read_rows(odoo, "mrp.routing.workcenter", domain, fields, acts_on=BOM.model)
    return [filled(Operation, row, minutes=row["time_cycle"] or 0.0) for row in rows]
