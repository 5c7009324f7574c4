"""Invoices, bills and payments."""

from __future__ import annotations

from odoo_toolkit.app_models import known
from odoo_toolkit.apps import accounting
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

_STATES = "\n" + known("account.move").describe_moves()

TOOLS = (
    Tool(
        name="odoo_accounting_create_invoice",
        title="Create an invoice",
        description="Create a customer invoice, vendor bill, credit note or refund, and post it"
        " if asked. A line takes its price and taxes from the product unless they are given; a"
        " line of free text has no tax unless tax_ids are given. When a name matches several"
        " records, nothing is created and the matches are returned." + _STATES,
        function=accounting.create_invoice,
        access="create",
        creates="account.move",
    ),
    Tool(
        name="odoo_accounting_post_invoice",
        title="Post an invoice",
        description="Post a draft invoice or bill, which gives it its number and books it. What is"
        " in the way is said." + _STATES,
        function=accounting.post_invoice,
        access="write",
    ),
    Tool(
        name="odoo_accounting_register_payment",
        title="Register a payment",
        description="Register the payment of posted invoices or bills, through Odoo's own payment"
        " wizard. Without an amount each is paid what is due by its own payment. Invoices and"
        " bills cannot be paid together. payment_state goes not_paid -> partial -> in_payment or"
        " paid.",
        function=accounting.register_payment,
        access="create",
    ),
)


class AccountingToolset(BaseToolset):
    """Tools for invoices, bills and payments."""

    about = ToolsetMetadata(
        name="accounting",
        description="Create and post invoices and bills, register payments",
        required_modules=("account",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
