"""Quotations and sales orders: made, confirmed, cancelled, looked at and invoiced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.sales.cancelling import CancelResult, cancel_order
from odoo_toolkit.apps.sales.invoices import InvoiceResult, create_invoices
from odoo_toolkit.apps.sales.lines import LINE_SCHEMA, checked_lines, line_commands, wanted_products
from odoo_toolkit.apps.sales.orders import (
    MODEL,
    Order,
    OrderId,
    OrderLine,
    OrderName,
    allow,
    describe_order,
    find_order,
    read_lines,
    read_order,
    state_error,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.progress import Steps
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import to_wire
from odoo_toolkit.wizards.actions import is_wizard_action
from odoo_toolkit.wizards.protocol import unanswered

__all__ = [
    "CancelResult",
    "InvoiceResult",
    "Order",
    "OrderResult",
    "cancel_order",
    "confirm_order",
    "create_invoices",
    "create_order",
    "get_order",
]


@attrs.frozen(kw_only=True)
class OrderResult:
    """An order that was made or confirmed.

    Attributes:
        confirmed: whether it is a sales order now, as read back.
        warnings: what went otherwise than asked; the order exists nevertheless.
    """

    id: int
    name: str | None
    state: str | None
    partner: RecordName | None
    lines: list[OrderLine] | None = None
    amount_untaxed: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    confirmed: bool
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
    allow(odoo, "create")
    if confirm:
        allow(odoo, "action_confirm")
    checked = checked_lines(lines)
    head = _head(odoo, date_order, pricelist_id, warehouse_id, note)
    partner = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    customer, *product_ids = resolve_all(odoo, [partner, *wanted_products(checked)])
    commands = line_commands(checked, product_ids)
    create = Call(
        model=MODEL,
        method="create",
        arguments={"vals_list": {"partner_id": customer, **head, "order_line": commands}},
        acts_on=MODEL,
        step=True,
    )
    if dry_run:
        calls = [create, *([_confirm_call(cast(Any, ("the new order",)))] if confirm else [])]
        what = "and confirm it" if confirm else "as a draft"
        return plan(odoo, f"Would create a quotation with {len(commands)} lines {what}.", calls)
    steps = Steps(3 if confirm else 2)
    steps.finish(1, "Names resolved")
    created = odoo.call(create)
    order_id: int = created[0] if isinstance(created, list) else created
    steps.finish(1, f"Quotation created (id {order_id})")
    warnings: list[str] = []
    if confirm:
        if date_order is not None:
            warnings.append("Odoo set date_order to the time of the confirmation.")
        try:
            _confirm(odoo, order_id)
            steps.finish(1, "Order confirmed")
        except OdooError as error:
            warnings.append(f"Not confirmed: {error.message} {error.suggestion}".strip())
    return _order_result(odoo, order_id, "created", confirm, warnings)


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
    allow(odoo, "action_confirm")
    row = find_order(odoo, order_id, order_name)
    _check_confirmable(row)
    if dry_run:
        return plan(odoo, f"Would confirm {row['name']}.", [_confirm_call((row["id"],))])
    _confirm(odoo, row["id"])
    return _order_result(odoo, row["id"], "confirmed", True, [])


def get_order(
    odoo: Odoo,
    order_id: OrderId = None,
    order_name: OrderName = None,
    include_lines: bool = True,
    include_deliveries: bool = False,
    include_invoices: bool = False,
) -> Order:
    """Return a sales order with what belongs to it, in at most four round trips.

    Raises:
        NotFoundError: there is no such order.
        AmbiguousNameError: several orders match the name.
    """
    row = find_order(odoo, order_id, order_name)
    return describe_order(
        odoo,
        row,
        lines=include_lines,
        deliveries=include_deliveries,
        invoices=include_invoices,
    )


def _head(
    odoo: Odoo,
    date_order: str | None,
    pricelist_id: int | None,
    warehouse_id: int | None,
    note: str | None,
) -> dict[str, Any]:
    described = odoo.schema.fields(MODEL)
    given = {
        "date_order": date_order,
        "pricelist_id": pricelist_id,
        "warehouse_id": warehouse_id,
        "note": written_text(described["note"], note) if note is not None else None,
    }
    values = {name: value for name, value in given.items() if value is not None}
    return to_wire(values, MODEL, described, fields_of=odoo.schema.fields)


# States ----------------------------------------------------------------------------------------


def _check_confirmable(row: Mapping[str, Any]) -> None:
    name, state = row["name"], row["state"]
    if state == "cancel":
        raise state_error(
            row,
            f"{name} is cancelled (state cancel).",
            "Make it a quotation again with action_draft (odoo_core_execute on sale.order), then"
            " confirm it.",
        )
    if state not in ("draft", "sent"):
        raise state_error(
            row,
            f"{name} is already confirmed (state {state}).",
            "Nothing needs to be done; odoo_sales_get_order shows its deliveries and invoices.",
        )
    if not row["order_line"]:
        raise state_error(
            row,
            f"{name} has no lines, so there is nothing to confirm (state {state}).",
            "Add lines to the quotation first.",
        )


def _confirm_call(ids: tuple[int, ...]) -> Call:
    # The button's own context: from 16 on, mandatory analytic accounts are checked by it.
    context = {"validate_analytic": True}
    return Call(
        model=MODEL, method="action_confirm", ids=ids, context=context, access="write", step=True
    )


def _confirm(odoo: Odoo, order_id: int) -> None:
    result = odoo.call(_confirm_call((order_id,)))
    if is_wizard_action(odoo, result):
        raise unanswered(odoo, result)


# Results ---------------------------------------------------------------------------------------


def _order_result(
    odoo: Odoo, order_id: int, done: str, confirming: bool, warnings: list[str]
) -> OrderResult:
    try:
        row, lines = cast(
            "tuple[dict[str, Any], list[OrderLine]]",
            side_by_side([lambda: read_order(odoo, order_id), lambda: read_lines(odoo, order_id)]),
        )
        order = describe_order(odoo, row)
    except OdooError as error:
        # It is written: that it cannot be read back does not undo it.
        warnings.append(f"The order cannot be read back: {error.message}")
        return OrderResult(
            id=order_id,
            name=None,
            state=None,
            partner=None,
            confirmed=done == "confirmed",
            message=f"Order {order_id} was {done}; its state is not known.",
            warnings=warnings,
        )
    confirmed = order.state in ("sale", "done")
    if confirming and not confirmed and not warnings:
        warnings.append(f"Odoo accepted the confirmation, but the order is still {order.state}.")
    if confirmed:
        done = "created and confirmed" if done == "created" else done
        message = f"{order.name} {done}: {order.amount_total:.2f} {order.currency or ''}".strip()
    elif confirming:
        message = f"{order.name} exists but is not confirmed (state {order.state})."
    else:
        message = f"Quotation {order.name} {done}: {order.amount_total:.2f} {order.currency or ''}"
    return OrderResult(
        id=order.id,
        name=order.name,
        state=order.state,
        partner=order.partner,
        lines=lines,
        amount_untaxed=order.amount_untaxed,
        amount_total=order.amount_total,
        currency=order.currency,
        confirmed=confirmed,
        message=message.strip(),
        warnings=warnings,
    )
