"""Making a new quotation like an order that there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.sales import line_changes
from odoo_toolkit.apps.sales.changes import LINE_FIELDS, read_lines
from odoo_toolkit.apps.sales.creation import (
    CREATE,
    ClientOrderRef,
    CommitmentDate,
    OrderResult,
    head_values,
    order_result,
)
from odoo_toolkit.apps.sales.line_changes import LineChanges, Lines
from odoo_toolkit.apps.sales.orders import ORDER, OrderId, OrderName
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import Row, find, read_rows
from odoo_toolkit.operations.lines import NamesOrIds
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import Done, Plan, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import Wanted
from odoo_toolkit.records.results import RecordName

#: What every copy takes over of an order, and what only one for the same customer does: for
#: another one, Odoo finds these anew. Of lines likewise.
_HEAD = ("company_id", "warehouse_id", "note")
_CUSTOMERS_HEAD = (
    *("partner_invoice_id", "partner_shipping_id", "pricelist_id", "fiscal_position_id"),
    *("payment_term_id", "team_id", "user_id"),
)
_LINE = ("product_id", "product_uom_qty", "product_uom", "product_uom_id", "sequence")
_CUSTOMERS_LINE = ("name", "price_unit", "discount", "tax_id", "tax_ids", "analytic_distribution")
_TEXT_LINE = ("display_type", "name", "sequence")


@operation
def copy_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    partner_id: Annotated[int | None, Doc("Another customer.")] = None,
    partner_name: str | None = None,
    add: Lines = None,
    change: Lines = None,
    remove: NamesOrIds = None,
    commitment_date: CommitmentDate = None,
    client_order_ref: ClientOrderRef = None,
    dry_run: DryRun = False,
) -> OrderResult | Plan:
    """Make a quotation like an order, in whatever state that is, with changes.

    For the same customer, prices, discounts, taxes and terms are the order's; for another one they
    come from Odoo, as for a new quotation. Down payments, the reference and the promised date are
    not copied.

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        partner_id: the customer of the copy, if it is another one; or
        partner_name: their name.
        add: lines that the copy has besides, each as in :func:`create_order`.
        change: how its lines differ, as in :func:`update_order`; ids are of the order's lines.
        remove: the names of products, or ids of the order's lines, that it has not.
        commitment_date: when its delivery is promised.
        client_order_ref: the customer's own reference.
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: a name matches several records; nothing was written.
        NotFoundError: there is no such order, or it has no such product; nothing was written.
        ValidationError: a line or value is wrong, or it sells a combination of products, which
            only Odoo can copy; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, CREATE, dry_run=dry_run)
    asked = line_changes.checked(add, change, remove)
    head = head_values(
        odoo, None, commitment_date=commitment_date, client_order_ref=client_order_ref
    )
    row = find(odoo, ORDER, order_id, order_name)
    original, lines = _read(odoo, row["id"])
    _check_lines(row, lines)
    customer = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    given = [customer] if partner_id is not None or partner_name is not None else []
    changes, ids = line_changes.resolved(odoo, row, lines, asked, given)
    same = not ids or ids[0] == row["partner_id"].id
    taken = (*_HEAD, *(_CUSTOMERS_HEAD if same else ()))
    values = {
        "partner_id": row["partner_id"].id if same else ids[0],
        **{name: _wire(original[name]) for name in taken if original[name] is not None},
        **head,
        "order_line": _commands(lines, changes, same=same),
    }
    if not values["order_line"]:
        raise ValidationError(
            f"Nothing of {row['name']} would be left to copy.", suggestion="Add a line."
        )

    def result(done: Done) -> OrderResult:
        return order_result(odoo, done, f"made like {row['name']}")

    steps = [CREATE.of(vals_list=values)]
    what = changes.told()
    would = f"Would copy {row['name']}" + (f" (lines: {what})." if what else ".")
    return operate(odoo, steps, (), result, would=would, dry_run=dry_run)


def _read(odoo: Odoo, order_id: int) -> tuple[Row, list[Row]]:
    """Return what is copied of an order, and of its lines but for down payments."""
    head = (*_HEAD, *_CUSTOMERS_HEAD)
    fields = {*LINE_FIELDS, *_LINE, *_CUSTOMERS_LINE, "is_downpayment", "combo_item_id"}
    asked: list[Callable[[], list[Row]]] = [
        # The note as it is, with its form.
        lambda: read_rows(odoo, ORDER.model, [["id", "=", order_id]], head, strip_html=False),
        lambda: read_lines(odoo, order_id, sorted(fields)),
    ]
    (original,), lines = side_by_side(asked)
    return original, [line for line in lines if not line["is_downpayment"]]


def _check_lines(row: Row, lines: Sequence[Row]) -> None:
    if any(line["combo_item_id"] for line in lines):
        raise ValidationError(
            f"{row['name']} sells a combination of products, which is not copied line by line.",
            suggestion="Let Odoo copy it: execute copy on sale.order, then update_order.",
            details={"model": ORDER.model, "id": row["id"]},
        )


def _commands(lines: Sequence[Row], changes: LineChanges, *, same: bool) -> list[list[Any]]:
    copied = []
    for line in lines:
        if line["id"] in changes.removed:
            continue
        names = (*_LINE, *(_CUSTOMERS_LINE if same or not line["product_id"] else ()))
        if line["display_type"]:
            names = _TEXT_LINE
        values = {name: _wire(line[name]) for name in names if line[name] is not None}
        copied.append([0, 0, values | changes.changed.get(line["id"], {})])
    return copied + changes.added


def _wire(value: Any) -> Any:
    """Return a value of a row as it is written."""
    if isinstance(value, RecordName):
        return value.id
    return [[6, 0, value]] if isinstance(value, list) else value
