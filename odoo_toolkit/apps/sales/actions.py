"""Making, confirming and cancelling sales orders.

A ``sale.order`` goes draft or sent -> [action_confirm] -> sale; draft, sent or sale ->
[action_cancel] -> cancel -> [action_draft] -> draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.sales.lines import (
    LINE_SCHEMA,
    checked_lines,
    line_commands,
    wanted_products,
)
from odoo_toolkit.apps.sales.orders import (
    ORDER,
    Delivery,
    Invoice,
    OrderId,
    OrderLine,
    OrderName,
    is_locked,
    read_documents,
    read_lines,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, StateError
from odoo_toolkit.operations.documents import (
    Row,
    currency_of,
    filled,
    find,
    read,
    read_back,
    read_rows,
    shows,
    state_error,
)
from odoo_toolkit.operations.steps import Done, Plan, Step, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import to_wire

_CONFIRMED = ("sale", "done")

CREATE = Step(model=ORDER.model, method="create", says="Quotation created")
CONFIRM = Step(
    model=ORDER.model,
    method="action_confirm",
    says="Order confirmed",
    fails="Not confirmed",
    # The button's own context: from 16 on, mandatory analytic accounts are checked by it.
    context={"validate_analytic": True},
    seen=shows(ORDER, state=_CONFIRMED),
)
CANCEL = Step(
    model=ORDER.model,
    method="action_cancel",
    says="Order cancelled",
    # Without it, 14 to 18 may open a wizard and cancel nothing. 19 does not ask.
    context={"disable_cancel_warning": True},
    answers=frozenset({"sale.order.cancel"}),
    seen=shows(ORDER, state=("cancel",)),
)


@attrs.frozen(kw_only=True)
class OrderResult:
    """An order that was made or confirmed.

    Attributes:
        confirmed: whether it is a sales order now, as read back.
        warnings: what went otherwise than asked; the order exists nevertheless.
    """

    id: int
    name: str | None = None
    state: str | None = None
    partner: RecordName | None = None
    lines: list[OrderLine] | None = None
    amount_untaxed: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    confirmed: bool
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class CancelResult:
    """An order that was to be cancelled; ``deliveries`` and ``invoices`` as they are now."""

    id: int
    name: str
    state: str | None = None
    cancelled: bool
    deliveries: list[Delivery] = attrs.Factory(list)
    invoices: list[Invoice] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


def create_order(
    odoo: Odoo,
    lines: Annotated[
        Sequence[Mapping[str, Any]],
        JsonSchema(LINE_SCHEMA),
        Len(1, 200),
        Doc("What is sold: a product by id or name in each."),
    ],
    partner_id: Annotated[int | None, Doc("Customer id, or give partner_name.")] = None,
    partner_name: str | None = None,
    date_order: Annotated[str | None, Doc("ISO date or datetime (UTC).")] = None,
    pricelist_id: int | None = None,
    warehouse_id: int | None = None,
    note: Annotated[str | None, Doc("Terms, plain text.")] = None,
    confirm: Annotated[bool, Doc("Also confirm it.")] = False,
    dry_run: DryRun = False,
) -> OrderResult | Plan:
    """Make a quotation, and confirm it if asked to; at most six round trips on a warm schema.

    Args:
        odoo: the connection.
        lines: each with ``product_id`` or ``product_name``, ``quantity`` (1), ``price_unit`` (the
            pricelist's), ``discount`` (0 to 100 per cent) and ``name`` (the product's text). A
            line with nothing but ``name`` becomes a note.
        partner_id: the customer; or
        partner_name: their name.
        date_order: the quotation's date; confirming replaces it by the present moment.
        pricelist_id: the customer's by default.
        warehouse_id: needs the module ``sale_stock``.
        note: shown below the lines.
        confirm: confirm the order at once. When that fails, the quotation stays, ``confirmed`` is
            False and ``warnings`` says why.
        dry_run: resolve and check, write nothing.

    Raises:
        AmbiguousNameError: several records match a name; nothing was written.
        ValidationError: a line or value is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, CONFIRM] if confirm else [CREATE]
    permit(odoo, *steps)
    checked = checked_lines(lines)
    described = odoo.schema.fields(ORDER.model)
    head = {
        "date_order": date_order,
        "pricelist_id": pricelist_id,
        "warehouse_id": warehouse_id,
        "note": written_text(described["note"], note) if note is not None else None,
    }
    given = {name: value for name, value in head.items() if value is not None}
    wire = to_wire(given, ORDER.model, described, fields_of=odoo.schema.fields)
    partner = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    customer, *product_ids = resolve_all(odoo, [partner, *wanted_products(checked)])
    commands = line_commands(checked, product_ids)
    steps[0] = CREATE.of(vals_list={"partner_id": customer, **wire, "order_line": commands})

    def result(done: Done) -> OrderResult:
        if confirm and date_order is not None:
            done.warnings.insert(0, "Odoo set date_order to the time of the confirmation.")
        return _order_result(odoo, done, created=True, confirming=confirm)

    what = "and confirm it" if confirm else "as a draft"
    would = f"Would create a quotation with {len(commands)} lines {what}."
    return operate(odoo, steps, (), result, would=would, dry_run=dry_run)


def confirm_order(
    odoo: Odoo,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: DryRun = False,
) -> OrderResult | Plan:
    """Confirm a quotation: it becomes a sales order and its deliveries are made.

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is not a quotation, or has no lines; ``details["current_state"]``.
        WizardRequiredError: Odoo asks a question that the toolkit does not know.
        OdooError: Odoo refused; nothing was changed.
    """
    permit(odoo, CONFIRM)
    row = find(odoo, ORDER, order_id, order_name)
    _check_confirmable(row)
    return operate(
        odoo,
        [CONFIRM],
        [row["id"]],
        lambda done: _order_result(odoo, done, created=False, confirming=True),
        would=f"Would confirm {row['name']}.",
        dry_run=dry_run,
    )


def cancel_order(
    odoo: Odoo,
    order_id: OrderId = None,
    order_name: OrderName = None,
    dry_run: DryRun = False,
) -> CancelResult | Plan:
    """Cancel a quotation or sales order, with its open deliveries and draft invoices.

    The customer gets no e-mail. An order that is delivered or invoiced is not cancelled, although
    Odoo itself would do so without a word.

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        dry_run: find and check, write nothing.

    Raises:
        StateError: it is locked, delivered or invoiced; the message names the documents.
        OdooError: Odoo refused; nothing was changed.
    """
    permit(odoo, CANCEL)
    row = find(odoo, ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return filled(CancelResult, row, cancelled=True, message=f"{name} was cancelled already.")
    drafts = _check_cancellable(odoo, row)
    try:
        return operate(
            odoo,
            [CANCEL],
            [row["id"]],
            lambda done: _cancel_result(odoo, name, done),
            would=f"Would cancel {name}.",
            dry_run=dry_run,
        )
    except AccessError as error:
        if drafts:
            error.message += f" Cancelling {name} also cancels its {', '.join(drafts)}."
        raise


# States ----------------------------------------------------------------------------------------


def _order_error(row: Row, message: str, todo: str) -> StateError:
    error = state_error(ORDER, row, message, todo)
    if row["locked"] is not None:
        error.details["locked"] = row["locked"]
    return error


def _check_confirmable(row: Row) -> None:
    name, state = row["name"], row["state"]
    if state == "cancel":
        raise _order_error(
            row,
            f"{name} is cancelled (state cancel).",
            "Make it a quotation again: execute action_draft on sale.order, then confirm it.",
        )
    if state not in ("draft", "sent"):
        raise _order_error(
            row,
            f"{name} is already confirmed (state {state}).",
            "Nothing needs to be done; get_order shows its deliveries and invoices.",
        )
    if not row["order_line"]:
        raise _order_error(
            row,
            f"{name} has no lines, so there is nothing to confirm (state {state}).",
            "Add lines to the quotation first.",
        )


def _check_cancellable(odoo: Odoo, row: Row) -> list[str]:
    """Refuse to cancel what is locked, delivered or invoiced; return the draft invoices' names."""
    name = row["name"]
    if is_locked(row):
        raise _order_error(
            row,
            f"{name} is locked, so it cannot be cancelled.",
            "Unlock it: execute action_unlock on sale.order, then cancel it.",
        )
    deliveries, invoices = read_documents(odoo, row)
    shipped = [d.name for d in deliveries if d.state == "done" and d.type != "incoming"]
    returned = any(d.state == "done" and d.type == "incoming" for d in deliveries)
    if shipped and returned and not _still_delivered(odoo, row["id"]):
        shipped = []
    billed = [
        i.name
        for i in invoices
        if i.state == "posted" and i.type == "out_invoice" and i.payment_state != "reversed"
    ]
    obstacles = [f"its delivery {item} is already validated" for item in shipped]
    obstacles += [f"its invoice {item} is already posted" for item in billed]
    if obstacles:
        todo = ["return the delivery"] if shipped else []
        todo += ["reverse the invoice by a credit note"] if billed else []
        raise _order_error(
            row,
            f"{name} cannot be cancelled: {', and '.join(obstacles)}.",
            f"First {' and '.join(todo)} in Odoo, then cancel the order.",
        )
    return [invoice.name for invoice in invoices if invoice.state == "draft"]


def _still_delivered(odoo: Odoo, order_id: int) -> bool:
    domain = [["order_id", "=", order_id], ["qty_delivered", ">", 0]]
    rows = read_rows(odoo, "sale.order.line", domain, ["id"], acts_on=ORDER.model, limit=1)
    return bool(rows)


# Results ---------------------------------------------------------------------------------------


def _order_result(odoo: Odoo, done: Done, *, created: bool, confirming: bool) -> OrderResult:
    verb = "created" if created else "confirmed"
    asked: list[Callable[[], Any]] = [
        lambda: read(odoo, ORDER, done.id),
        lambda: read_lines(odoo, done.id),
    ]
    try:
        row, lines = side_by_side(asked)
    except OdooError as error:
        # It is written: that it cannot be read back does not undo it.
        done.warnings.append(f"The order cannot be read back: {error.message}")
        return OrderResult(
            id=done.id,
            confirmed=confirming and done.complete,
            message=f"Order {done.id} was {verb}; its state is not known.",
            warnings=done.warnings,
        )
    name, state = row["name"], row["state"]
    confirmed = state in _CONFIRMED
    if confirming and done.complete and not confirmed:
        done.warnings.append(f"Odoo accepted the confirmation, but the order is still {state}.")
    total = f"{row['amount_total']:.2f} {currency_of(row) or ''}".strip()
    if confirmed:
        message = f"{name} {'created and ' if created else ''}confirmed: {total}"
    elif confirming:
        message = f"{name} exists but is not confirmed (state {state})."
    else:
        message = f"Quotation {name} created: {total}"
    return filled(
        OrderResult,
        row,
        lines=lines,
        currency=currency_of(row),
        confirmed=confirmed,
        message=message,
        warnings=done.warnings,
    )


def _cancel_result(odoo: Odoo, name: str, done: Done) -> CancelResult:
    row = read_back(odoo, ORDER, done.id, done.warnings)
    told: dict[str, Any] = {"warnings": done.warnings}
    if row is None:
        message = f"{name} was cancelled; its state is not known."
        return CancelResult(id=done.id, name=name, cancelled=True, message=message, **told)
    try:
        told["deliveries"], told["invoices"] = read_documents(odoo, row)
    except OdooError as error:
        done.warnings.append(f"Its deliveries and invoices cannot be read: {error.message}")
    cancelled = row["state"] == "cancel"
    now = "cancelled" if cancelled else f"not cancelled: its state is {row['state']}"
    return filled(CancelResult, row, cancelled=cancelled, message=f"{name} is {now}.", **told)
