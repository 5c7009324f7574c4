"""Functions that confirm, invoice and cancel sales orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import POST
from odoo_toolkit.apps.sales import orders
from odoo_toolkit.apps.sales.invoice_preview import INVOICED, plan_down_payment, plan_invoice
from odoo_toolkit.apps.sales.lines import LINE_FIELDS, line_rows
from odoo_toolkit.apps.sales.quotations import CONFIRM, order_result
from odoo_toolkit.change_history.recording import note_made
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, invalid, make_error

CANCEL = op.Step(
    model=orders.ORDER.model,
    method="action_cancel",
    says="Order cancelled",
    # Without it, 14 to 18 may open a wizard and cancel nothing. 19 does not ask.
    context={"disable_cancel_warning": True},
    answers=frozenset({"sale.order.cancel"}),
    seen=op.shows(orders.ORDER, state=("cancel",)),
)


@op.operation
def confirm_order(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Confirm a quotation. It becomes a sales order, and Odoo creates its deliveries.

    >>> order = confirm_order(odoo, order_name="S00012")
    >>> order.confirmed, order.state
    (True, 'sale')

    Raises:
        StateError: The order is not a quotation, or has no lines. See ``details["current_state"]``.
        WizardRequiredError: Odoo asks a question that the toolkit does not know.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CONFIRM, dry_run=dry_run)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    again = "Reset it to a quotation: execute action_draft on sale.order. Then confirm it."
    op.check_confirmable(orders.ORDER, row, again, "deliveries and invoices")
    return op.operate(
        odoo,
        [CONFIRM],
        [row["id"]],
        lambda done: order_result(odoo, done, "confirmed", confirming=True),
        message=f"Would confirm {row['name']}.",
        dry_run=dry_run,
        preview=lambda: [op.read_document(odoo, orders.LAYOUT, row)],
    )


@op.operation
def cancel_order(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    dry_run: op.DryRun = False,
) -> orders.Order | op.Plan:
    """Cancel a quotation or sales order, with its open deliveries and draft invoices.

    >>> cancel_order(odoo, order_name="S00012").state
    'cancel'

    The customer gets no e-mail. The toolkit does not cancel an order that is delivered or invoiced,
    although Odoo would.

    Raises:
        StateError: The order is locked, delivered or invoiced. The message lists the documents.
        OdooError: Odoo rejected it. Nothing was changed.
    """
    op.permit(odoo, CANCEL, dry_run=dry_run)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    name = row["name"]
    if row["state"] == "cancel":
        return orders.shown(row, message=f"{name} was already cancelled.")
    others = _check_cancellable(odoo, row)
    try:
        return op.operate(
            odoo,
            [CANCEL],
            [row["id"]],
            lambda done: _cancel_result(odoo, name, done),
            message=op.would_cancel(name, others),
            dry_run=dry_run,
            preview=lambda: [op.read_document(odoo, orders.WITHOUT_STOCK, row)],
        )
    except AccessError as error:
        if others:
            error.message += f" Cancelling {name} also cancels its {', '.join(others)}."
        raise


# States ----------------------------------------------------------------------------------------


def _check_cancellable(odoo: Odoo, row: op.Row) -> list[str]:
    """Refuse to cancel what is locked, delivered or invoiced.

    Returns the names of the open deliveries and draft invoices, which Odoo cancels with it.
    """
    name = row["name"]
    unlock = "Unlock it: execute action_unlock on sale.order. Then cancel it."
    op.check_unlocked(orders.ORDER, row, unlock)
    deliveries, invoices = orders.read_documents(odoo, row)
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
        todo = ["return the delivery with return_picking"] if shipped else []
        todo += ["credit the invoice with create_credit_note"] if billed else []
        message = f"{name} cannot be cancelled: {', and '.join(obstacles)}."
        told = f"First {' and '.join(todo)}, then cancel the order."
        raise op.state_error(orders.ORDER, row, message, told)
    transfers = [one.name for one in deliveries if one.state not in ("done", "cancel")]
    return transfers + [one.name for one in invoices if one.state == "draft"]


def _still_delivered(odoo: Odoo, order_id: int) -> bool:
    domain = [["order_id", "=", order_id], ["qty_delivered", ">", 0]]
    rows = op.read_rows(
        odoo, "sale.order.line", domain, ["id"], acts_on=orders.ORDER.model, limit=1
    )
    return bool(rows)


# Results ---------------------------------------------------------------------------------------


def _cancel_result(odoo: Odoo, name: str, done: op.Done) -> orders.Order:
    row = op.read_back(odoo, orders.ORDER, done.id, done.warnings)
    told: dict[str, Any] = {"warnings": done.warnings}
    if row is None:
        message = f"{name} was cancelled. Its state is unknown."
        return orders.Order(id=done.id, name=name, message=message, **told)
    try:
        told["deliveries"], told["invoices"] = orders.read_documents(odoo, row)
    except OdooError as error:
        done.warnings.append(f"Its deliveries and invoices cannot be read: {error.message}")
    now = "cancelled" if row["state"] == "cancel" else f"not cancelled: its state is {row['state']}"
    return orders.shown(row, message=f"{name} is {now}.", **told)


InvoiceMethod = Literal["delivered", "delivered_only", "percentage", "fixed"]
#: Those that invoice lines, not a down payment.
_OF_LINES = ("delivered", "delivered_only")


@attrs.frozen(kw_only=True)
class InvoiceResult(op.Shown):
    """The invoices of an order. Amounts are the sum of all of them."""

    order_id: int
    order_name: str
    invoices: list[orders.Invoice]
    amount_untaxed: float | None = None
    amount_total: float | None = None
    currency: str | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@op.operation
def create_invoices(
    odoo: Odoo,
    *,
    order_id: orders.OrderId = None,
    order_name: orders.OrderName = None,
    method: Annotated[
        InvoiceMethod,
        Doc(
            "delivered: all that can be invoiced now. delivered_only: without undelivered "
            "quantities. percentage, fixed: a down payment."
        ),
    ] = "delivered",
    amount: Annotated[float | None, Doc("Percentage or amount of the down payment.")] = None,
    lines: op.Chosen = None,
    post: Annotated[bool, Doc("Also post it. If that fails, the draft stays.")] = False,
    dry_run: op.DryRun = False,
) -> InvoiceResult | op.Plan:
    """Create the draft invoice of a sales order, and post it if you ask for it.

    >>> made = create_invoices(odoo, order_name="S00012")
    >>> [(invoice.name, invoice.amount_total) for invoice in made.invoices]
    [('INV/2026/00001', 345.0)]

    ``delivered`` invoices everything that can be invoiced now, and deducts down payments.
    ``delivered_only`` excludes quantities that are not delivered yet, even if the product is
    invoiced when it is ordered. If you pass ``lines``, each has ``line_id``, ``product_id`` or
    ``product_name``, and ``quantity``. Down payments are then not deducted.

    For ``percentage``, the amount is more than 0 and at most 100. A ``fixed`` amount excludes taxes
    on Odoo 16 and earlier, and includes them on Odoo 17 and later. The taxes of a percentage also
    depend on the version, so check the amounts in the result.

    If posting fails, the draft stays, and the result says why.

    Raises:
        StateError: The order is not confirmed, or there is nothing to invoice.
        ValidationError: The amount or a line does not fit. Nothing was written.
    """
    values = _wizard_values(method, amount)
    asked = op.checked_choice(lines, "lines") if lines is not None else None
    if asked is not None and method not in _OF_LINES:
        raise invalid(
            "lines",
            "You cannot combine lines with a down payment.",
            'Omit lines, or pass method="delivered".',
        )

    def seen(odoo: Odoo, order_id: int) -> Any:
        return new_invoices(odoo, row) or None

    invoice = op.WizardStep(
        model=orders.ORDER.model,
        wizard="sale.advance.payment.inv",
        values=values,
        says="Invoice created",
        seen=seen,
        # A down payment can be made twice, what was delivered cannot be invoiced twice.
        safe=method in _OF_LINES,
    )
    chooses = asked is not None or method == "delivered_only"
    steps: list[op.AnyStep] = [invoice, *([_KEEP] if chooses else []), *([POST] if post else [])]
    op.permit(odoo, *steps, dry_run=dry_run)
    row = op.find(odoo, orders.ORDER, order_id, order_name)
    _check_invoiceable(row, method, amount)
    chosen = _chosen(odoo, row, method, asked) if chooses else None

    def preview() -> list[op.PlannedDocument]:
        if method in _OF_LINES:
            return [plan_invoice(odoo, row, chosen)]
        unit = "%" if method == "percentage" else op.currency_of(row) or ""
        return [plan_down_payment(odoo, row, f"{amount:g} {unit}".strip())]

    return op.operate(
        odoo,
        [
            invoice,
            *([_keep_of(row, chosen)] if chosen is not None else []),
            *([_post_new(row)] if post else []),
        ],
        [row["id"]],
        lambda done: _invoice_result(odoo, row, done),
        message=f"Would create {'and post an' if post else 'a draft'} invoice for {row['name']}.",
        dry_run=dry_run,
        preview=preview,
    )


def _chosen(odoo: Odoo, row: op.Row, method: str, asked: Sequence[Any] | None) -> dict[int, float]:
    """Return which lines are invoiced, each with its quantity in the line's unit."""
    lines = line_rows(odoo, row["id"], (*LINE_FIELDS, *INVOICED, "is_downpayment"))
    if method == "delivered_only":
        for line in lines:
            delivered = (line["qty_delivered"] or 0.0) - (line["qty_invoiced"] or 0.0)
            line["qty_to_invoice"] = min(line["qty_to_invoice"] or 0.0, delivered)
    if asked is not None:
        return op.chosen_lines(odoo, row, lines, asked, "qty_to_invoice")
    found = {
        line["id"]: line["qty_to_invoice"]
        for line in lines
        if line["qty_to_invoice"] and not line["is_downpayment"]
    }
    if not found:
        raise op.state_error(
            orders.ORDER,
            row,
            f"All delivered products of {row['name']} are already invoiced.",
            'Deliver more products first, or pass method="delivered".',
        )
    return found


def _wizard_values(method: str, amount: float | None) -> dict[str, Any]:
    op.check_choice(method, get_args(InvoiceMethod), "method", "{} is not a method to invoice.")
    of_lines = method in _OF_LINES
    values: dict[str, Any] = {"advance_payment_method": "delivered" if of_lines else method}
    if of_lines:
        if amount is not None:
            raise invalid(
                "amount",
                "amount is for down payments only.",
                'Omit amount, or pass method="percentage" or method="fixed".',
            )
        return values
    if amount is None:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"method {method} needs an amount.",
            suggestion='Set amount to a percentage. With method="fixed", set it to an amount '
            "of money.",
            details={"field": "amount"},
        )
    amount = op.checked_number(amount, "amount", positive=True)
    if method == "percentage" and amount > 100:
        raise invalid(
            "amount",
            f"A down payment of {amount:g} % is more than the order.",
            'Pass at most 100, or pass method="fixed" for an amount of money.',
        )
    return {**values, "amount" if method == "percentage" else "fixed_amount": amount}


def _check_invoiceable(row: op.Row, method: str, amount: float | None) -> None:
    name = row["name"]
    orders.check_confirmed(row)
    if method in _OF_LINES and row["invoice_status"] == "invoiced":
        raise op.state_error(
            orders.ORDER, row, f"{name} is fully invoiced.", "get_order lists its invoices."
        )
    if method in _OF_LINES and row["invoice_status"] == "no":
        raise op.state_error(
            orders.ORDER,
            row,
            f"No line of {name} can be invoiced yet.",
            "First deliver the products that are invoiced by delivered quantity. A down payment "
            "(percentage or fixed) is already possible.",
        )
    if method == "fixed" and amount is not None and amount > row["amount_total"]:
        raise invalid(
            "amount",
            f"A down payment of {amount:g} is more than the order's total of"
            f" {row['amount_total']:g}.",
            "Pass a smaller amount.",
        )


def new_invoices(odoo: Odoo, before: op.Row) -> list[int]:
    """Return the ids of the invoices that an order has and had not."""
    now = op.read(odoo, orders.ORDER, before["id"])["invoice_ids"]
    return sorted(set(now) - set(before["invoice_ids"]))


_KEEP = op.Step(
    model="account.move",
    method="write",
    says="Lines chosen",
    fails="The draft was made, but has all that can be invoiced",
)


@attrs.frozen(kw_only=True)
class _KeepLines(op.Step):
    """Leave of the new drafts of an order the chosen lines only, with their quantities."""

    order: op.Row
    chosen: Mapping[int, float]

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the change of one draft: which lines it has, is known once it is made."""
        kept = "the chosen lines with their quantities"
        return _KEEP.of(vals={"invoice_line_ids": kept}).calls(odoo, ("the new invoice",))

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Change each draft."""
        for number in new_invoices(odoo, self.order):
            lines = op.read_rows(
                odoo,
                "account.move.line",
                [["move_id", "=", number], ["display_type", "not in", _OF_BOOKS]],
                ("sale_line_ids", "quantity", "exclude_from_invoice_tab"),
                acts_on=orders.ORDER.model,
            )
            commands: list[list[Any]] = []
            for line in lines:
                of = [one for one in line["sale_line_ids"] or () if one in self.chosen]
                if line["exclude_from_invoice_tab"]:
                    continue
                if not of:
                    commands.append([2, line["id"], 0])
                elif (quantity := abs(self.chosen[of[0]])) != line["quantity"]:
                    commands.append([1, line["id"], {"quantity": quantity}])
            if commands:
                _KEEP.of(vals={"invoice_line_ids": commands}).make(odoo, [number], warnings)


#: Lines of an invoice that Odoo makes itself, from 16 on; to 15 they are marked otherwise.
_OF_BOOKS = ("tax", "payment_term", "rounding", "discount", "epd", "cogs", "non_deductible_tax")


def _keep_of(before: op.Row, chosen: Mapping[int, float]) -> _KeepLines:
    return _KeepLines(
        model=_KEEP.model,
        method=_KEEP.method,
        says=_KEEP.says,
        fails=_KEEP.fails,
        order=before,
        chosen=chosen,
    )


@attrs.frozen(kw_only=True)
class _PostNew(op.Step):
    """Post the invoices that an order has now and had not before; others are left alone."""

    order: op.Row

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call for one invoice: how many there will be, Odoo decides."""
        return POST.calls(odoo, ("the new invoice",))

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Post each."""
        for number in new_invoices(odoo, self.order):
            POST.make(odoo, [number], warnings)


def _post_new(before: op.Row) -> _PostNew:
    fails = "The draft was made, but not posted"
    return _PostNew(model=POST.model, method=POST.method, says="Posted", fails=fails, order=before)


def _invoice_result(odoo: Odoo, before: op.Row, done: op.Done) -> InvoiceResult:
    name = before["name"]
    told: dict[str, Any] = {"order_id": before["id"], "order_name": name}
    told |= {"currency": op.currency_of(before), "warnings": done.warnings}
    try:
        made = new_invoices(odoo, before)
        note_made("account.move", made)
        invoices = orders.read_invoices(odoo, made)
    except OdooError as error:
        done.warnings.append(f"Look for the invoice before you repeat the call: {error.message}")
        message = f"{name} was invoiced, but the invoice cannot be read back."
        return InvoiceResult(invoices=[], message=message, **told)
    listed = ", ".join(f"{invoice.name} (id {invoice.id})" for invoice in invoices)
    if invoices and all(invoice.state == "posted" for invoice in invoices):
        message = f"Invoice for {name}, posted: {listed}."
    elif invoices:
        message = f"Draft invoice for {name}: {listed}. To make it valid, post it."
    else:
        message = f"Odoo created no invoice for {name}."
    return InvoiceResult(
        invoices=invoices,
        amount_untaxed=round(sum(invoice.amount_untaxed for invoice in invoices), 6),
        amount_total=round(sum(invoice.amount_total for invoice in invoices), 6),
        message=message,
        **told,
    )
