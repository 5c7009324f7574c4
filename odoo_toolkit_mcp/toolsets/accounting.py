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
        description="Create a customer invoice, vendor bill, credit note or refund, and post it if"
        " post is set. Lines take the product's price and taxes unless you set them. A"
        " line without a product has no tax unless you set tax_ids. To invoice a sales"
        " order, use odoo_sales_create_invoices.",
        function=accounting.create_invoice,
        access="create",
        creates="account.move",
    ),
    Tool(
        name="odoo_accounting_post_invoice",
        title="Post an invoice",
        description="Post a draft invoice or bill, which then gets its number. If this fails, the"
        " error says why." + _STATES,
        function=accounting.post_invoice,
        access="write",
        needs="write account.move",
    ),
    Tool(
        name="odoo_accounting_post_invoices",
        title="Post several invoices",
        description="Post several draft invoices and bills. If one cannot be posted, the others"
        " still are, and the result says why.",
        function=accounting.post_invoices,
        access="write",
        needs="write account.move",
    ),
    Tool(
        name="odoo_accounting_update_invoice",
        title="Change lines of a draft invoice",
        description="Change, add and remove lines of a draft invoice or bill. Identify a line by"
        " its product or id.",
        function=accounting.update_invoice,
        access="write",
        needs="write account.move",
    ),
    Tool(
        name="odoo_accounting_register_payment",
        title="Register a payment",
        description="Register payments for posted invoices or bills. Without amount, each is paid"
        " in full by a separate payment.",
        function=accounting.register_payment,
        access="create",
        needs="create account.payment.register",
    ),
    Tool(
        name="odoo_accounting_create_credit_note",
        title="Create a credit note",
        description="Create a credit note for a posted invoice or bill, in full or for some lines"
        " and quantities. Once posted, it settles the unpaid part of the invoice.",
        function=accounting.create_credit_note,
        access="create",
        needs="create account.move",
    ),
    Tool(
        name="odoo_accounting_get_invoice",
        title="Get invoice",
        description="Get an invoice or bill with its lines, its payments, and open credits"
        " that could be applied to it.",
        function=accounting.get_invoice,
        access="read",
        needs="read account.move",
    ),
    Tool(
        name="odoo_accounting_reconcile",
        title="Apply a payment or credit",
        description="Apply a partner's open payment or credit note to an invoice or bill, or undo"
        " this.",
        function=accounting.reconcile,
        access="write",
        needs="write account.move",
    ),
    Tool(
        name="odoo_accounting_reset_invoice",
        title="Reset or cancel an invoice",
        description="Reset an invoice, bill or journal entry to draft, or cancel it. Its"
        " payments become open again.",
        function=accounting.reset_invoice,
        access="write",
        needs="write account.move",
        asks="always",
        consequence="Payments that settled it become open again.",
    ),
    Tool(
        name="odoo_accounting_create_entry",
        title="Create a journal entry",
        description="Create a journal entry other than an invoice or bill, and post it if post is"
        " set.",
        function=accounting.create_entry,
        access="create",
        needs="create account.move",
    ),
    Tool(
        name="odoo_accounting_send_reminders",
        title="Remind of overdue invoices",
        description="Send each customer one e-mail about all overdue invoices. With dry_run, it"
        " shows recipients, subject, text and invoices. The result says whether each e-mail was"
        " sent, is queued or failed. No customer gets the same reminder twice in 24 hours. To send"
        " one invoice with its PDF, use odoo_mail_send_document.",
        function=accounting.send_reminders,
        access="create",
        needs="read account.move",
        asks="always",
        consequence="You cannot recall a sent e-mail.",
    ),
    Tool(
        name="odoo_accounting_match_bank_lines",
        title="Match bank lines",
        description="Match lines of a bank statement with open invoices, bills and payments by"
        " amount, reference and name, book them and reconcile them one by one. With dry_run, it"
        " shows each match with its reasons. Lines that are already in Odoo are recognized by"
        " reference. Lines that fit several documents are skipped until you name one. To register a"
        " payment without a bank line, use odoo_accounting_register_payment.",
        function=accounting.match_bank_lines,
        access="create",
        needs="read account.bank.statement.line",
    ),
    Tool(
        name="odoo_accounting_get_statement",
        title="Get statement of account",
        description="Get a customer's or vendor's account statement: opening balance, movements"
        " with the balance after each, closing balance and open items. Odoo Community"
        " has no PDF of it. For balances by age, use odoo_accounting_get_report.",
        function=accounting.get_statement,
        access="read",
        needs="read account.move.line",
    ),
    Tool(
        name="odoo_accounting_get_report",
        title="Get accounting report",
        description="Get a report on the posted journal entries, as of a day or for a period, and"
        " check that they balance. Fails for users who see only part of the books.",
        function=accounting.get_report,
        access="read",
        needs="read account.move.line",
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
