"""The invoice that an order would get, for plans: its lines, and what it amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.apps.accounting.invoices import LAYOUT as OF_INVOICE
from odoo_toolkit.apps.sales.orders import LAYOUT, ORDER, WITHOUT_STOCK
from odoo_toolkit.client import Odoo

#: What can be invoiced of a line now, and what is delivered and invoiced of it.
INVOICED = ("qty_to_invoice", "qty_delivered", "qty_invoiced")

#: The first version whose form of invoices adds up its lines. Before, the form of orders is asked.
_ADDS_UP = 16

#: What decides on the sums of an order, and what an invoice takes over of it -> its own name.
_OF_ORDER = ("partner_id", "pricelist_id", "fiscal_position_id", "currency_id", "company_id")
_OF_INVOICE = {
    "partner_invoice_id": "partner_id",
    "partner_shipping_id": "partner_shipping_id",
    "fiscal_position_id": "fiscal_position_id",
    "payment_term_id": "invoice_payment_term_id",
    "currency_id": "currency_id",
}


def plan_invoice(odoo: Odoo, row: op.Row, chosen: Mapping[int, float] | None) -> op.PlannedDocument:
    """Return the invoice of an order, with what Odoo's form of invoices says of its sums.

    Args:
        odoo: the connection.
        row: the order.
        chosen: the lines that are invoiced with their quantities, or None for all that is due.
    """
    lines: list[op.Row] = []

    def due(line: op.Row, item: op.PlannedLine) -> op.PlannedLine | None:
        quantity = line.get("qty_to_invoice") if chosen is None else chosen.get(line["id"])
        if item.kind:
            return item if chosen is None else None
        if quantity:
            lines.append({**line, "qty_to_invoice": quantity})
        if quantity == item.quantity:
            return item
        return attrs.evolve(item, quantity=quantity, subtotal=None) if quantity else None

    of_lines = (*INVOICED, "is_downpayment")
    planned = op.read_document(odoo, WITHOUT_STOCK, row, of_lines=of_lines, shown=due, **_new(row))
    filled = _filled(odoo, row, lines)
    sums = {name: getattr(filled, name) for name in op.AMOUNTS}
    notes = [*planned.notes, *filled.notes]
    if any(line["is_downpayment"] for line in lines):
        notes.append("Odoo deducts the down payments. Their sum may differ by a cent.")
    if (filled.amount_total or 0) < 0:
        notes.append(
            "The order was invoiced for more than its quantities, so Odoo creates a credit note."
        )
        sums = {name: amount and -amount for name, amount in sums.items()}
    return attrs.evolve(planned, **sums, notes=notes)


def plan_down_payment(odoo: Odoo, row: op.Row, amount: str) -> op.PlannedDocument:
    """Return the invoice of a down payment: its sums differ by version, and are not known."""
    total = f"{row.get('amount_total')} {op.currency_of(row) or ''}".strip()
    notes = [
        f"A down payment of {amount}. The order's total is {total}.",
        "Odoo calculates the totals when it creates the invoice.",
    ]
    return op.summary(odoo, LAYOUT, row, **_new(row), notes=notes)


def _new(row: op.Row) -> dict[str, Any]:
    """Return what is otherwise of the invoice than of its order."""
    unlike = ("id", "url", "state", "date", "delivery_date", *op.AMOUNTS)
    name = f"new invoice of {row['name']}"
    return {**dict.fromkeys(unlike), "model": INVOICE.model, "name": name}


def _filled(odoo: Odoo, row: op.Row, lines: Sequence[op.Row]) -> op.PlannedDocument:
    """Return a document of lines of an order as Odoo's form fills it in."""
    by_invoice = odoo.version.major >= _ADDS_UP
    layout, unit = (OF_INVOICE, "product_uom_id") if by_invoice else (LAYOUT, "product_uom")
    names = _OF_INVOICE if by_invoice else dict(zip(_OF_ORDER, _OF_ORDER, strict=True))
    (order,) = op.read_rows(odoo, ORDER.model, [["id", "=", row["id"]]], tuple(names))
    values: dict[str, Any] = {new: order[old].id for old, new in names.items() if order[old]}
    values |= {"move_type": "out_invoice"} if by_invoice else {}
    commands = [[0, 0, _line(line, layout, unit)] for line in lines]
    return op.new_document(odoo, layout, {**values, layout.lines: commands})


def _line(line: op.Row, layout: op.Layout, unit: str) -> dict[str, Any]:
    taxes, tax_ids = next((name, line[name]) for name in LAYOUT.taxes if line[name] is not None)
    links = {
        "product_id": line["product_id"],
        unit: next((line[name] for name in op.UOMS if line[name]), None),
    }
    return {
        **{name: link.id for name, link in links.items() if link},
        "name": line["name"],
        layout.quantity: line["qty_to_invoice"],
        "price_unit": line["price_unit"],
        "discount": line["discount"] or 0.0,
        "tax_ids" if layout is OF_INVOICE else taxes: [[6, 0, tax_ids]],
    }
