"""Quotations and sales orders: made, confirmed, cancelled, looked at and invoiced."""

from odoo_toolkit.apps.sales.actions import (
    CancelResult,
    OrderResult,
    cancel_order,
    confirm_order,
    create_order,
)
from odoo_toolkit.apps.sales.invoicing import InvoiceResult, create_invoices
from odoo_toolkit.apps.sales.orders import Order, get_order

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
