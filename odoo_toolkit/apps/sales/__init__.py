"""Quotations and sales orders: made, changed, confirmed, looked at, invoiced, paid, cancelled."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.sales.actions import (
    InvoiceResult,
    cancel_order,
    confirm_order,
    create_invoices,
)
from odoo_toolkit.apps.sales.lines import NewLine
from odoo_toolkit.apps.sales.orders import Delivery, Invoice, Order, OrderLine, get_order
from odoo_toolkit.apps.sales.processing import (
    OrderOutcome,
    OrdersPlan,
    ProcessResult,
    process_orders,
)
from odoo_toolkit.apps.sales.quotations import copy_order, create_order, update_order
from odoo_toolkit.operations import ChangedLine, ChosenLine

__all__ = [
    "ChangedLine",
    "ChosenLine",
    "Delivery",
    "Invoice",
    "InvoiceResult",
    "NewLine",
    "Order",
    "OrderLine",
    "OrderOutcome",
    "OrdersPlan",
    "ProcessResult",
    "cancel_order",
    "confirm_order",
    "copy_order",
    "create_invoices",
    "create_order",
    "get_order",
    "process_orders",
    "update_order",
]

readable_signatures(globals())
