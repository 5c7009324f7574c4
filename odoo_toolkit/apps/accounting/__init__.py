"""Invoices and bills: made, posted, paid and credited."""

from odoo_toolkit.apps.accounting.actions import create_credit_note, create_invoice, post_invoice
from odoo_toolkit.apps.accounting.invoices import Invoice
from odoo_toolkit.apps.accounting.payments import (
    PaidInvoice,
    Payment,
    PaymentResult,
    register_payment,
)

__all__ = [
    "Invoice",
    "PaidInvoice",
    "Payment",
    "PaymentResult",
    "create_credit_note",
    "create_invoice",
    "post_invoice",
    "register_payment",
]
