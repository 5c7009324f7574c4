"""Invoices, bills, payments, journal entries and what the books say."""

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
        " line of free text has no tax unless tax_ids are given.",
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
        description="Register the payment of posted invoices, or of bills. Without an amount each"
        " is paid what is due by its own payment.",
        function=accounting.register_payment,
        access="create",
    ),
    Tool(
        name="odoo_accounting_create_credit_note",
        title="Create a credit note",
        description="Credit a posted invoice or bill, the whole or some lines and quantities."
        " Posted, it settles the invoice as far as that is unpaid.",
        function=accounting.create_credit_note,
        access="create",
    ),
    Tool(
        name="odoo_accounting_get_invoice",
        title="Look at an invoice",
        description="An invoice or bill with its lines, what has paid it, and open credits that"
        " could be applied to it.",
        function=accounting.get_invoice,
        access="read",
    ),
    Tool(
        name="odoo_accounting_reconcile",
        title="Apply a payment or credit",
        description="Apply a partner's open payment or credit note to an invoice or bill, or undo"
        " that.",
        function=accounting.reconcile,
        access="write",
    ),
    Tool(
        name="odoo_accounting_reset_invoice",
        title="Reset or cancel an invoice",
        description="Reset an invoice, bill or journal entry to draft, or cancel it. What had paid"
        " it is open again.",
        function=accounting.reset_invoice,
        access="write",
        asks="always",
        consequence="What had paid it is open again.",
    ),
    Tool(
        name="odoo_accounting_create_entry",
        title="Create a journal entry",
        description="Create a journal entry that is no invoice, and post it if asked.",
        function=accounting.create_entry,
        access="create",
    ),
    Tool(
        name="odoo_accounting_get_report",
        title="Accounting report",
        description="What the posted books say, as of any day or for a period, with checks that"
        " they balance. Refused to users who see only a part of the book.",
        function=accounting.get_report,
        access="read",
    ),
)


class AccountingToolset(BaseToolset):
    """Tools for invoices, bills, payments, journal entries and reports."""

    about = ToolsetMetadata(
        name="accounting",
        description="Invoices, bills, payments, credit notes, journal entries, financial reports",
        required_modules=("account",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
