"""Quotations and sales orders: made, changed, confirmed, cancelled, looked at and invoiced."""

from odoo_toolkit.apps.sales.actions import CancelResult, cancel_order, confirm_order
from odoo_toolkit.apps.sales.changes import update_order
from odoo_toolkit.apps.sales.copies import copy_order
from odoo_toolkit.apps.sales.creation import OrderResult, create_order
from odoo_toolkit.apps.sales.invoicing import InvoiceResult, create_invoices
from odoo_toolkit.apps.sales.orders import Order, get_order

__all__ = [
    "CancelResult",
    "InvoiceResult",
    "Order",
    "OrderResult",
    "cancel_order",
    "confirm_order",
    "copy_order",
    "create_invoices",
    "create_order",
    "get_order",
    "update_order",
]
