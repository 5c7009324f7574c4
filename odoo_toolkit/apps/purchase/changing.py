"""A function that changes requests for quotation and purchase orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.purchase.creation import (
    NewLine,
    check_has_discount,
    checked_lines,
    head_values,
    new_lines,
)
from odoo_toolkit.apps.purchase.orders import (
    CONFIRMED,
    LAYOUT,
    ORDER,
    Order,
    OrderId,
    OrderName,
    order_result,
)
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.values import from_wire


class ChangedLine(op.ChangedLine, total=False):
    """The changes of a line, identified by ``line_id`` or by its product."""

    date_planned: str


CHANGE = op.Step(model=ORDER.model, method="write", says="Order changed")

_DATE = "date_planned"
_QUANTITY = LAYOUT.quantity

_WAY = op.Fulfilment(
    layout=LAYOUT,
    fields=("qty_received", "qty_invoiced", "qty_received_method", *op.UOMS),
    # Odoo 16 to 18 compute them again with every quantity, 19 with some.
    agreed=("price_unit", "discount", _DATE),
    method="qty_received_method",
    by_stock="stock_moves",
    counted=("stock_moves", "manual"),
    done="qty_received",
    billed="qty_invoiced",
    of_move="purchase_line_id",
    moves=(["location_dest_id.usage", "!=", "supplier"],),
    words=("received", "billed", "receive", "receipt", "receipts"),
    too_many="Ask the vendor for a refund",
    give_back="first return the difference with return_order",
)
_OPEN = {
    "cancelled": "Reset it to draft: execute button_draft on purchase.order. Then change it.",
    "locked": "Unlock it: execute button_unlock on purchase.order. Then change it.",
}

#: What is compared to see whether lines were changed, and what a preview takes over besides.
_FIELDS = (
    *("product_id", "name", "display_type", "sequence"),
    *(_QUANTITY, "price_unit", "discount", _DATE),
)
_COPIED = (*_FIELDS, *op.UOMS, *LAYOUT.taxes)
_TEXT = ("display_type", "name", "sequence", _QUANTITY)

#: The version that does not fill in the day of a line that an existing order gets.
_UNDATED = 15


@op.operation
def update_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    add: Annotated[Sequence[NewLine] | None, op.OBJECTS, Doc("Lines as in create_order.")] = None,
    change: Annotated[
        Sequence[ChangedLine] | None,
        op.OBJECTS,
        Doc("line_id or product_name, and new quantity, price_unit, discount, date_planned, name."),
    ] = None,
    remove: op.Remove = None,
    date_planned: Annotated[str | None, Doc("Expected arrival of all lines (UTC).")] = None,
    partner_ref: Annotated[str | None, Doc("The vendor's own reference.")] = None,
    payment_term_id: Annotated[op.NameOrId, Doc("Id or name of the payment term.")] = None,
    note: Annotated[str | None, Doc("Terms, plain text.")] = None,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Change a request for quotation or purchase order in one write.

    >>> order = update_order(
    ...     odoo, order_name="P00012", change=[{"product_name": "Chair", "quantity": 8}]
    ... )
    >>> [line.quantity for line in order.lines]
    [8]

    Values that you do not pass stay the same, also prices and dates that Odoo would calculate again
    for a new quantity. New lines get the vendor's price.

    In a confirmed order, open receipts follow the lines. For each line, the plan shows the
    received, billed and remaining quantity. ``warnings`` lists receipts that did not follow. Odoo
    keeps a removed line with the quantity 0, and the scheduled date of a receipt.

    Raises:
        StateError: The order is locked or cancelled, or a line would have less than is already
            received. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The order does not exist, or it has no such product. Nothing was written.
        ValidationError: There is nothing to change, or a line or value is wrong. Nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CHANGE, dry_run=dry_run)
    new = checked_lines(odoo, add, "add") if add else []
    asked = op.checked_changes(change, remove, ChangedLine)
    for item in asked[0]:
        check_has_discount(odoo, item.values, item.where)
    head = head_values(odoo, note, partner_ref=partner_ref)
    day = None if date_planned is None else _day(odoo, date_planned)
    terms = op.wanted_links(payment_term_id=("account.payment.term", payment_term_id))
    if not any((new, *asked, head, day, terms)):
        raise ValidationError(
            "There is nothing to change.", suggestion="Pass add, change, remove or a new value."
        )
    row = op.find(odoo, ORDER, order_id, order_name)
    op.check_open(ORDER, row, **_OPEN)
    confirmed = row["state"] in CONFIRMED
    lines: list[op.Row] = []
    changes, warnings = op.LineChanges(), list[str]()
    if any((new, *asked, day)):
        lines = _lines(odoo, row["id"], (*_COPIED, *(_WAY.fields if confirmed else ())))
        products, changes, ids = op.resolved_changes(
            odoo, row, lines, asked, op.wanted_products(new, "purchase_ok", "add"), terms
        )
        changes = _dated(odoo, lines, changes, day)
        if confirmed:
            changes = op.as_agreed(_WAY, row, lines, changes)
        else:
            changes = op.keep_agreed(_WAY, lines, changes)
        added, warnings = _added(odoo, row, new, products, day)
        changes = attrs.evolve(changes, added=op.at_the_end(lines, added))
    else:
        ids = op.resolve_all(odoo, terms)
    head |= {"payment_term_id": ids[0]} if ids else {}
    commands = [_sent(odoo, command) for command in changes.commands]
    step = CHANGE.of(vals={**head, **({"order_line": commands} if commands else {})})
    if commands:
        # Added lines would come twice: repeating is not safe.
        step = attrs.evolve(step, seen=op.seen_changes(lines, changes, _lines), safe=False)

    def result(done: op.Done) -> Order:
        done.warnings[:0] = warnings
        told = order_result(odoo, done, "changed", confirming=confirmed)
        if not confirmed or not commands:
            return told
        done.warnings.extend(_not_rescheduled(told, _days(lines, changes)))
        left = op.still_open(odoo, _WAY, row["id"], done.warnings)
        return attrs.evolve(told, message=f"{told.message}. {left}" if left else told.message)

    what = changes.told()
    would = f"Would change {row['name']}" + (f" (lines: {what})." if what else ".")

    def preview() -> list[op.PlannedDocument]:
        def like() -> dict[str, Any]:
            return _like(odoo, row, lines, changes)

        sums = op.changed_sums(odoo, LAYOUT, row, commands, like) if commands else {}
        more = [*warnings, *(op.fulfilment(odoo, _WAY, lines, changes) if confirmed else ())]
        if confirmed and _days(lines, changes):
            more.append("Receipts keep their scheduled date.")
        return [
            op.changed_document(odoo, LAYOUT, row, head, changes, sums, more, of_lines=(_DATE,))
        ]

    return op.operate(
        odoo, [step], [row["id"]], result, message=would, dry_run=dry_run, preview=preview
    )


def _lines(odoo: Odoo, order_id: int, fields: Sequence[str] = _FIELDS) -> list[op.Row]:
    return op.line_rows(odoo, LAYOUT, order_id, fields)


def _day(odoo: Odoo, given: str) -> str:
    """Return a time as rows have it."""
    return str(from_wire(_wire(odoo, given), odoo.schema.fields(LAYOUT.line))[_DATE])


def _wire(odoo: Odoo, day: str) -> dict[str, Any]:
    described = odoo.schema.fields(LAYOUT.line)
    return to_wire({_DATE: day}, LAYOUT.line, described, fields_of=odoo.schema.fields)


def _sent(odoo: Odoo, command: list[Any]) -> list[Any]:
    """Return a command with its time as it is sent."""
    *which, values = command
    if not isinstance(values, Mapping) or _DATE not in values:
        return command
    return [*which, {**values, **_wire(odoo, values[_DATE])}]


def _dated(
    odoo: Odoo, lines: Sequence[op.Row], changes: op.LineChanges, day: str | None
) -> op.LineChanges:
    """Return changes with the day of all lines, as what an order says does not reach them."""
    changed = {
        number: values | ({_DATE: _day(odoo, values[_DATE])} if _DATE in values else {})
        for number, values in changes.changed.items()
    }
    for line in lines if day else ():
        if line["product_id"] and line["id"] not in changes.removed:
            changed[line["id"]] = {_DATE: day, **changed.get(line["id"], {})}
    return attrs.evolve(changes, changed=changed)


def _added(
    odoo: Odoo,
    row: op.Row,
    lines: list[dict[str, Any]],
    products: Sequence[int | None],
    day: str | None,
) -> tuple[list[list[Any]], list[str]]:
    """Return commands that add lines to an order, with the vendor's prices, and warnings."""
    if not lines:
        return [], []
    if day is None and odoo.version.major == _UNDATED:
        day = max(row[_DATE] or "", _day(odoo, op.today(odoo)))
    dated = [{_DATE: day, **line} if day and op.names_product(line) else line for line in lines]
    commands, _, warnings = new_lines(
        odoo,
        row["partner_id"].id,
        dated,
        products,
        currency=row["currency_id"],
        argument="add",
    )
    return commands, warnings


def _days(lines: Sequence[op.Row], changes: op.LineChanges) -> set[str]:
    """Return the days that lines get which had another one."""
    before = {line["id"]: line[_DATE] for line in lines}
    days = {number: values.get(_DATE) for number, values in changes.changed.items()}
    return {day for number, day in days.items() if day and day != before[number]}


def _not_rescheduled(order: Order, days: set[str]) -> list[str]:
    """Say which open receipts keep their day."""
    kept = [
        f"{one.name} stays scheduled for {one.scheduled_date}"
        for one in order.receipts
        if days
        and one.type == "incoming"
        and one.state not in ("done", "cancel")
        and one.scheduled_date not in days
    ]
    how = "To change it, write scheduled_date on stock.picking."
    return [f"{told}: Odoo changes only its deadline. {how}" for told in kept]


def _like(
    odoo: Odoo, row: op.Row, lines: Sequence[op.Row], changes: op.LineChanges
) -> dict[str, Any]:
    """Return the values of a new order with the lines that an order is to have."""
    commands = op.copied_lines(
        lines, changes, lambda line: _TEXT if line["display_type"] else _COPIED
    )
    return {
        **op.copied(row, ("partner_id", "currency_id")),
        "order_line": [_sent(odoo, command) for command in commands],
    }
