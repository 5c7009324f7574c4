"""Functions that create, copy and change quotations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.sales.confirmed import WAY, not_covered
from odoo_toolkit.apps.sales.lines import (
    LINE_FIELDS,
    Add,
    NewLine,
    NewLines,
    checked_changes,
    checked_lines,
    line_commands,
    line_rows,
    resolved_changes,
)
from odoo_toolkit.apps.sales.orders import (
    CONFIRMED,
    LAYOUT,
    ORDER,
    WITHOUT_STOCK,
    Order,
    OrderId,
    OrderName,
    read_deliveries,
    read_lines,
    shown,
)
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import PRICES_FOLLOW_QUANTITIES_SINCE
from odoo_toolkit.errors import OdooError, ValidationError

CommitmentDate = Annotated[str | None, Doc("Promised delivery date.")]
ClientOrderRef = Annotated[str | None, Doc("Customer's own reference.")]
Note = Annotated[str | None, Doc("Terms, plain text.")]

CREATE = op.Step(model=ORDER.model, method="create", says="Quotation created")
CONFIRM = op.Step(
    model=ORDER.model,
    method="action_confirm",
    says="Order confirmed",
    fails="Not confirmed",
    # The button's own context: from 16 on, mandatory analytic accounts are checked by it.
    context={"validate_analytic": True},
    seen=op.shows(ORDER, state=CONFIRMED),
)


@op.operation
def create_order(
    odoo: Odoo,
    *,
    lines: Annotated[
        Sequence[NewLine],
        Len(1, 200),
        Doc(
            "Each with a product, and quantity, price or discount if they differ. With only name: a"
            " note. With only section: a heading."
        ),
    ],
    partner_id: Annotated[int | None, Doc("Customer.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    date_order: Annotated[str | None, Doc("Date of the quotation. Confirming replaces it.")] = None,
    commitment_date: CommitmentDate = None,
    client_order_ref: ClientOrderRef = None,
    payment_term_id: Annotated[int | None, Doc("Id of the payment term.")] = None,
    payment_term_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    pricelist_id: Annotated[
        op.NameOrId, Doc("Id or name of the pricelist. Default: the customer's.")
    ] = None,
    warehouse_id: Annotated[op.NameOrId, Doc("Id or name of the warehouse.")] = None,
    note: Note = None,
    confirm: Annotated[bool, Doc("Also confirm the order.")] = False,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Create a quotation, and confirm it if you ask for it.

    >>> order = create_order(
    ...     odoo, partner_name="Acme", lines=[{"product_name": "Desk", "quantity": 2}]
    ... )
    >>> [(line.product.name, line.quantity) for line in order.lines or () if line.product]
    [('Desk', 2)]

    Each line has ``product_id`` or ``product_name``. Optional keys are ``quantity`` (default: 1),
    ``price_unit`` (default: from the price list), ``discount`` in percent and ``name`` (default:
    the product's text). A line with only ``name`` becomes a note, and a line with only ``section``
    a heading.

    The payment term defaults to the customer's. ``warehouse_id`` needs the module ``sale_stock``.
    The note is printed below the lines.

    If the confirmation fails, the quotation stays, ``confirmed`` is False, and ``warnings`` says
    why. A creation takes at most 6 requests on a warm schema, and one more to read the deliveries
    of a confirmed order.

    Raises:
        AmbiguousNameError: Several records match a name. Nothing was written.
        ValidationError: A line or value is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, CONFIRM] if confirm else [CREATE]
    op.permit(odoo, *steps, dry_run=dry_run)
    checked = checked_lines(odoo, lines)
    head = head_values(
        odoo,
        note,
        date_order=date_order,
        commitment_date=commitment_date,
        client_order_ref=client_order_ref,
    )
    partner = op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    links = [
        *wanted_terms(payment_term_id, payment_term_name),
        *op.wanted_links(
            pricelist_id=("product.pricelist", pricelist_id),
            warehouse_id=("stock.warehouse", warehouse_id),
        ),
    ]
    products = op.wanted_products(checked, "sale_ok")
    customer, *found = op.resolve_all(odoo, [partner, *products, *links])
    if dry_run:
        # Otherwise Odoo itself looks for them.
        op.look_for(odoo, [partner, *products, *links])
    product_ids, linked = found[: len(products)], found[len(products) :]
    head |= {link.field: number for link, number in zip(links, linked, strict=True)}
    commands = line_commands(odoo, checked, product_ids)
    steps[0] = CREATE.of(vals_list={"partner_id": customer, **head, "order_line": commands})

    def result(done: op.Done) -> Order:
        if confirm and date_order is not None:
            done.warnings.insert(0, "Odoo set date_order to the time of the confirmation.")
        return order_result(odoo, done, "created", confirming=confirm)

    what = "and confirm it" if confirm else "as a draft"
    would = f"Would create a quotation with {op.counted(len(commands), 'line')} {what}."

    def preview() -> list[op.PlannedDocument]:
        return [op.new_document(odoo, LAYOUT, steps[0].arguments["vals_list"])]

    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run, preview=preview)


def head_values(odoo: Odoo, note: str | None, **given: Any) -> dict[str, Any]:
    """Return what is given of an order, besides its lines, in Odoo's form."""
    described = odoo.schema.fields(ORDER.model)
    if note is not None:
        given["note"] = op.written_text(described["note"], note)
    present = {name: value for name, value in given.items() if value is not None}
    return to_wire(present, ORDER.model, described, fields_of=odoo.schema.fields)


def wanted_terms(payment_term_id: int | None, payment_term_name: str | None) -> list[op.Wanted]:
    """Return the payment term meant; none where none is."""
    if payment_term_id is None and payment_term_name is None:
        return []
    return [
        op.Wanted(
            model="account.payment.term",
            field="payment_term_id",
            id=payment_term_id,
            name=payment_term_name,
        )
    ]


def order_result(odoo: Odoo, done: op.Done, verb: str, *, confirming: bool = False) -> Order:
    """Read an order back, with its lines and deliveries.

    Args:
        odoo: the connection.
        done: what was done to it.
        verb: created, confirmed, ...
        confirming: whether it was to be confirmed, too.
    """
    asked: list[Callable[[], Any]] = [
        lambda: op.read(odoo, ORDER, done.id),
        lambda: read_lines(odoo, done.id),
    ]
    try:
        row, lines = op.side_by_side(asked)
    except OdooError as error:
        # It is written: that it cannot be read back does not undo it.
        done.warnings.append(f"The order cannot be read back: {error.message}")
        also = " and confirmed" if confirming and done.complete and verb == "created" else ""
        return Order(
            id=done.id,
            message=f"Order {done.id} was {verb}{also}. Its state is unknown.",
            warnings=done.warnings,
        )
    name, state = row["name"], row["state"]
    picking_ids = row["picking_ids"]
    deliveries = op.afterwards(
        lambda: read_deliveries(odoo, picking_ids), done.warnings, "deliveries"
    )
    confirmed = state in CONFIRMED
    if confirming and done.complete and not confirmed:
        done.warnings.append(f"Odoo accepted the confirmation, but the order is still {state}.")
    total = op.money(row["amount_total"], op.currency_of(row))
    if confirmed:
        did = "created and confirmed" if verb == "created" else verb
        message = f"{name} {did}: {total}"
    elif confirming:
        message = f"{name} exists but is not confirmed (state {state})."
    else:
        message = f"Quotation {name} {verb}: {total}"
    return shown(
        row, lines=lines, deliveries=deliveries or None, message=message, warnings=done.warnings
    )


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


@op.operation
def copy_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    partner_id: Annotated[int | None, Doc("Another customer.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    add: NewLines = None,
    change: op.ChangedLines = None,
    remove: Annotated[op.NamesOrIds, Doc("Lines to omit, by id or product name.")] = None,
    commitment_date: CommitmentDate = None,
    client_order_ref: ClientOrderRef = None,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Create a quotation from an existing order, with changes.

    >>> copy = copy_order(odoo, order_name="S00012", remove=["Desk"])
    >>> copy.id, [line.name for line in copy.lines or ()]
    (13, ['Chair', 'By hand'])

    The order can be in any state. For the same customer, the copy keeps prices, discounts, taxes
    and terms. For another customer, Odoo fills them in as for a new quotation. Down payments, the
    reference and the promised date are not copied.

    ``add`` has the same lines as in :func:`create_order`, and ``change`` the same as in
    :func:`update_order`. Line ids are those of the original order.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The order does not exist, or it has no such product. Nothing was written.
        ValidationError: A line or value is wrong, or the order contains a combo product, which only
            Odoo can copy. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CREATE, dry_run=dry_run)
    asked = checked_changes(odoo, add, change, remove)
    head = head_values(
        odoo, None, commitment_date=commitment_date, client_order_ref=client_order_ref
    )
    row = op.find(odoo, ORDER, order_id, order_name)
    original, lines = _read(odoo, row["id"])
    _check_lines(row, lines)
    customer = op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    given = [customer] if partner_id is not None or partner_name is not None else []
    changes, ids = resolved_changes(odoo, row, lines, asked, given)
    same = not ids or ids[0] == row["partner_id"].id
    taken = (*_HEAD, *(_CUSTOMERS_HEAD if same else ()))
    values = {
        "partner_id": row["partner_id"].id if same else ids[0],
        **op.copied(original, taken),
        **head,
        "order_line": _commands(lines, changes, same=same),
    }
    if not values["order_line"]:
        raise ValidationError(
            f"No line of {row['name']} would be left to copy.", suggestion="Add a line."
        )

    def result(done: op.Done) -> Order:
        return order_result(odoo, done, f"made like {row['name']}")

    steps = [CREATE.of(vals_list=values)]
    what = changes.told()
    would = f"Would copy {row['name']}" + (f" (lines: {what})." if what else ".")

    def preview() -> list[op.PlannedDocument]:
        return [op.new_document(odoo, LAYOUT, values)]

    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run, preview=preview)


def _read(odoo: Odoo, order_id: int) -> tuple[op.Row, list[op.Row]]:
    """Return what is copied of an order, and of its lines but for down payments."""
    head = (*_HEAD, *_CUSTOMERS_HEAD)
    fields = {*LINE_FIELDS, *_LINE, *_CUSTOMERS_LINE, "is_downpayment", "combo_item_id"}
    (original,), lines = op.gather(
        # The note as it is, with its form.
        lambda: op.read_rows(odoo, ORDER.model, [["id", "=", order_id]], head, strip_html=False),
        lambda: line_rows(odoo, order_id, sorted(fields)),
    )
    return original, [line for line in lines if not line["is_downpayment"]]


def _like(odoo: Odoo, row: op.Row, changes: op.LineChanges, *, computed: bool) -> dict[str, Any]:
    """Return the values of a new order with the lines that an order is to have.

    Args:
        odoo: the connection.
        row: the order.
        changes: of its lines.
        computed: whether Odoo computes prices again where quantities change.
    """
    original, lines = _read(odoo, row["id"])
    if computed and odoo.version.major >= PRICES_FOLLOW_QUANTITIES_SINCE:
        for line in lines:
            if LAYOUT.quantity in changes.changed.get(line["id"], {}):
                line["price_unit"] = None
    return {
        "partner_id": row["partner_id"].id,
        **op.copied(original, (*_HEAD, *_CUSTOMERS_HEAD)),
        "order_line": _commands(lines, changes, same=True),
    }


def _check_lines(row: op.Row, lines: Sequence[op.Row]) -> None:
    if any(line["combo_item_id"] for line in lines):
        raise ValidationError(
            f"{row['name']} contains a combo product, which the toolkit cannot copy line by line.",
            suggestion="To let Odoo copy it, execute copy on sale.order. Then use update_order.",
            details={"model": ORDER.model, "id": row["id"]},
        )


def _commands(lines: Sequence[op.Row], changes: op.LineChanges, *, same: bool) -> list[list[Any]]:
    def names(line: op.Row) -> tuple[str, ...]:
        if line["display_type"]:
            return _TEXT_LINE
        return (*_LINE, *(_CUSTOMERS_LINE if same or not line["product_id"] else ()))

    return op.copied_lines(lines, changes, names)


CHANGE = op.Step(model=ORDER.model, method="write", says="Order changed")


@op.operation
def update_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    add: Add = None,
    change: op.Change = None,
    remove: op.Remove = None,
    commitment_date: CommitmentDate = None,
    client_order_ref: ClientOrderRef = None,
    payment_term_id: Annotated[int | None, Doc("Id of the payment term.")] = None,
    payment_term_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    note: Note = None,
    dry_run: op.DryRun = False,
) -> Order | op.Plan:
    """Change a quotation or sales order in one write. Values that you do not pass stay the same.

    >>> order = update_order(
    ...     odoo, order_name="S00012", change=[{"product_name": "Desk", "quantity": 3}]
    ... )
    >>> [line.quantity for line in order.lines or () if line.name == "Desk"]
    [3]

    In a confirmed order, open deliveries follow the lines. For each line, the plan shows the
    delivered, invoiced and remaining quantity. ``warnings`` lists deliveries that did not follow.
    Prices stay the same unless you pass them. Odoo keeps a removed line with the quantity 0.

    Raises:
        StateError: The order is locked or cancelled, or a line would have less than is already
            delivered. Nothing was written.
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The order does not exist, or it has no such product. Nothing was written.
        ValidationError: There is nothing to change, or a line or value is wrong. Nothing was
            written.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CHANGE, dry_run=dry_run)
    asked = checked_changes(odoo, add, change, remove)
    head = head_values(
        odoo, note, commitment_date=commitment_date, client_order_ref=client_order_ref
    )
    terms = wanted_terms(payment_term_id, payment_term_name)
    if not any(asked) and not head and not terms:
        raise ValidationError(
            "There is nothing to change.", suggestion="Pass add, change, remove or a new value."
        )
    row = op.find(odoo, ORDER, order_id, order_name)
    op.check_open(ORDER, row, **_OPEN)
    confirmed = row["state"] in CONFIRMED
    lines, changes = [], op.LineChanges()
    if any(asked):
        lines = line_rows(odoo, row["id"], (*LINE_FIELDS, *(WAY.fields if confirmed else ())))
        changes, ids = resolved_changes(odoo, row, lines, asked, terms)
        if confirmed:
            changes = op.as_agreed(WAY, row, lines, changes)
    else:
        ids = op.resolve_all(odoo, terms)
    if ids:
        head["payment_term_id"] = ids[0]
    commands = changes.commands
    step = CHANGE.of(vals={**head, **({"order_line": commands} if commands else {})})
    if commands:
        # Added lines would come twice: repeating is not safe.
        step = attrs.evolve(step, seen=op.seen_changes(lines, changes, line_rows), safe=False)

    def result(done: op.Done) -> Order:
        told = order_result(odoo, done, "changed")
        now = {line.id: line.price_unit for line in told.lines or ()}
        done.warnings.extend(_moved_prices(lines, changes, now))
        if not confirmed or not commands:
            return told
        left = op.still_open(odoo, WAY, row["id"], done.warnings)
        return attrs.evolve(told, message=f"{told.message}. {left}" if left else told.message)

    what = changes.told()
    would = f"Would change {row['name']}" + (f" (lines: {what})." if what else ".")

    def preview() -> list[op.PlannedDocument]:
        def like() -> dict[str, Any]:
            return _like(odoo, row, changes, computed=not confirmed)

        sums = op.changed_sums(odoo, LAYOUT, row, commands, like) if commands else {}
        if not confirmed:
            return [op.changed_document(odoo, LAYOUT, row, head, changes, sums)]
        more = [*op.fulfilment(odoo, WAY, lines, changes), *not_covered(odoo, lines, changes)]
        return [op.changed_document(odoo, WITHOUT_STOCK, row, head, changes, sums, more)]

    return op.operate(
        odoo, [step], [row["id"]], result, message=would, dry_run=dry_run, preview=preview
    )


_OPEN = {
    "cancelled": "Reset it to a quotation: execute action_draft on sale.order. Then change it.",
    "locked": "Copy it with copy_order, or unlock it: execute action_unlock on sale.order.",
}


def _moved_prices(
    before: Sequence[op.Row], changes: op.LineChanges, now: Mapping[int, float]
) -> list[str]:
    """Say which prices Odoo has computed anew, because the quantity is another one."""
    return [
        (
            f"The price of {line['product_id'].name} is now {now[line['id']]:g} instead of "
            f"{line['price_unit']:g}, because Odoo calculated it again."
        )
        for line in before
        if line["id"] in changes.changed
        and "price_unit" not in changes.changed[line["id"]]
        and line["product_id"]
        and not math.isclose(now.get(line["id"], line["price_unit"]), line["price_unit"])
    ]
