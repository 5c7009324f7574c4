"""Invoicing a sales order, by Odoo's wizard."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.sales.orders import (
    ORDER,
    Invoice,
    OrderId,
    OrderName,
    read_invoices,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import OdooError, ValidationError, make_error
from odoo_toolkit.operations.documents import Row, currency_of, find, read, state_error
from odoo_toolkit.operations.lines import checked_number
from odoo_toolkit.operations.steps import (
    Done,
    WizardStep,
    operate,
    permit,
)
from odoo_toolkit.plans import Plan, operation

InvoiceMethod = Literal["delivered", "percentage", "fixed"]


@attrs.frozen(kw_only=True)
class InvoiceResult(Shown):
    """The draft invoices made of an order; amounts are those of all of them together."""

    order_id: int
    order_name: str
    invoices: list[Invoice]
    amount_untaxed: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@operation
def create_invoices(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    method: Annotated[
        InvoiceMethod,
        Doc("delivered: what can be invoiced now. percentage, fixed: a down payment."),
    ] = "delivered",
    amount: Annotated[float | None, Doc("Per cent or sum of the down payment.")] = None,
    dry_run: DryRun = False,
) -> InvoiceResult | Plan:
    """Make the draft invoice of a sales order through Odoo's wizard.

    A ``fixed`` amount is without taxes to Odoo 16 and includes them from 17 on, and what taxes a
    percentage bears differs as well: read the amounts of the result.

    >>> made = create_invoices(odoo, order_name="S00012")
    >>> [(invoice.name, invoice.amount_total) for invoice in made.invoices]
    [('INV/2026/00001', 345.0)]

    Args:
        odoo: the connection.
        order_id: the order; or
        order_name: its number.
        method: ``delivered`` invoices what is due and deducts down payments.
        amount: for ``percentage`` more than 0 and at most 100; for ``fixed`` the sum.
        dry_run: find and check, write nothing.

    Raises:
        StateError: the order is not confirmed, or there is nothing to invoice.
        ValidationError: the amount does not fit; nothing was written.
    """
    values = _wizard_values(method, amount)

    def seen(odoo: Odoo, order_id: int) -> Any:
        return new_invoices(odoo, row) or None

    invoice = WizardStep(
        model=ORDER.model,
        wizard="sale.advance.payment.inv",
        values=values,
        says="Invoice created",
        seen=seen,
        # A down payment can be made twice, what was delivered cannot be invoiced twice.
        safe=method == "delivered",
    )
    permit(odoo, invoice, dry_run=dry_run)
    row = find(odoo, ORDER, order_id, order_name)
    _check_invoiceable(row, method, amount)
    return operate(
        odoo,
        [invoice],
        [row["id"]],
        lambda done: _invoice_result(odoo, row, done),
        would=f"Would make a draft invoice of {row['name']}.",
        dry_run=dry_run,
    )


def _wizard_values(method: str, amount: float | None) -> dict[str, Any]:
    if method not in ("delivered", "percentage", "fixed"):
        raise make_error(
            "INVALID_SELECTION",
            f"{str(method)[:60]!r} is not a way to invoice.",
            suggestion="Use delivered, percentage or fixed.",
            details={"field": "method", "allowed": ["delivered", "percentage", "fixed"]},
        )
    values: dict[str, Any] = {"advance_payment_method": method}
    if method == "delivered":
        if amount is not None:
            raise ValidationError(
                "An amount is only for down payments.",
                suggestion="Leave amount out, or choose method percentage or fixed.",
                details={"field": "amount"},
            )
        return values
    if amount is None:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"amount is needed for {method}.",
            suggestion="Give per cent for percentage, a sum for fixed.",
            details={"field": "amount"},
        )
    amount = checked_number(amount, "amount", positive=True)
    if method == "percentage" and amount > 100:
        raise ValidationError(
            f"A down payment of {amount:g} % is more than the order.",
            suggestion="Give at most 100, or method fixed for a sum.",
            details={"field": "amount"},
        )
    return {**values, "amount" if method == "percentage" else "fixed_amount": amount}


def _check_invoiceable(row: Row, method: str, amount: float | None) -> None:
    name, state = row["name"], row["state"]
    if state not in ("sale", "done"):
        raise state_error(
            ORDER,
            row,
            f"{name} is not a confirmed order (state {state}).",
            "Confirm it with confirm_order first."
            if state != "cancel"
            else "A cancelled order cannot be invoiced.",
        )
    if method == "delivered" and row["invoice_status"] == "invoiced":
        raise state_error(ORDER, row, f"{name} is fully invoiced.", "See its invoices.")
    if method == "delivered" and row["invoice_status"] == "no":
        raise state_error(
            ORDER,
            row,
            f"Nothing on {name} can be invoiced now.",
            "Products invoiced by delivered quantities must be delivered first; a down payment"
            " (percentage or fixed) is possible before.",
        )
    if method == "fixed" and amount is not None and amount > row["amount_total"]:
        raise ValidationError(
            f"A down payment of {amount:g} is more than the order's total of"
            f" {row['amount_total']:g}.",
            suggestion="Give a smaller amount.",
            details={"field": "amount"},
        )


def new_invoices(odoo: Odoo, before: Row) -> list[int]:
    """Return the ids of the invoices that an order has and had not."""
    now = read(odoo, ORDER, before["id"])["invoice_ids"]
    return sorted(set(now) - set(before["invoice_ids"]))


def _invoice_result(odoo: Odoo, before: Row, done: Done) -> InvoiceResult:
    name = before["name"]
    told: dict[str, Any] = {"order_id": before["id"], "order_name": name}
    told |= {"currency": currency_of(before), "warnings": done.warnings}
    try:
        invoices = read_invoices(odoo, new_invoices(odoo, before))
    except OdooError as error:
        done.warnings.append(f"Look for it before you repeat this: {error.message}")
        message = f"{name} was invoiced; the invoice cannot be read back."
        return InvoiceResult(invoices=[], message=message, **told)
    listed = ", ".join(f"{invoice.name} (id {invoice.id})" for invoice in invoices)
    return InvoiceResult(
        invoices=invoices,
        amount_untaxed=round(sum(invoice.amount_untaxed for invoice in invoices), 6),
        amount_total=round(sum(invoice.amount_total for invoice in invoices), 6),
        message=f"Draft invoice for {name}: {listed}. Post it to make it valid."
        if invoices
        else f"Odoo made no invoice for {name}.",
        **told,
    )
