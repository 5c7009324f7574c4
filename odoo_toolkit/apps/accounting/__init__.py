"""Invoices and bills: made, posted, paid, credited; journal entries; what the books say."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.accounting.actions import (
    create_invoice,
    get_invoice,
    post_invoice,
    reset_invoice,
)
from odoo_toolkit.apps.accounting.bank_booking import BankMatch
from odoo_toolkit.apps.accounting.bank_lines import BankLine, BankPlan, BankResult, match_bank_lines
from odoo_toolkit.apps.accounting.bank_matching import BankCandidate
from odoo_toolkit.apps.accounting.changing import update_invoice
from odoo_toolkit.apps.accounting.credit_notes import CreditedLine, create_credit_note
from odoo_toolkit.apps.accounting.entries import Entry, EntryLine, create_entry
from odoo_toolkit.apps.accounting.invoices import Invoice, InvoiceLine, OpenCredit, Settlement
from odoo_toolkit.apps.accounting.lines import NewLine
from odoo_toolkit.apps.accounting.overdue import NotReminded, OverdueInvoice
from odoo_toolkit.apps.accounting.partner_statements import (
    Movement,
    OpenItem,
    PartnerStatement,
    get_statement,
)
from odoo_toolkit.apps.accounting.payments import (
    PaidInvoice,
    Payment,
    PaymentResult,
    register_payment,
)
from odoo_toolkit.apps.accounting.posting import NotPosted, PostPlan, PostResult, post_invoices
from odoo_toolkit.apps.accounting.reconciling import reconcile
from odoo_toolkit.apps.accounting.reminders import (
    Reminder,
    RemindersPlan,
    RemindersResult,
    send_reminders,
)
from odoo_toolkit.apps.accounting.statements import Report, ReportRow, get_report
from odoo_toolkit.operations import ChangedLine

__all__ = [
    "BankCandidate",
    "BankLine",
    "BankMatch",
    "BankPlan",
    "BankResult",
    "ChangedLine",
    "CreditedLine",
    "Entry",
    "EntryLine",
    "Invoice",
    "InvoiceLine",
    "Movement",
    "NewLine",
    "NotPosted",
    "NotReminded",
    "OpenCredit",
    "OpenItem",
    "OverdueInvoice",
    "PaidInvoice",
    "PartnerStatement",
    "Payment",
    "PaymentResult",
    "PostPlan",
    "PostResult",
    "Reminder",
    "RemindersPlan",
    "RemindersResult",
    "Report",
    "ReportRow",
    "Settlement",
    "create_credit_note",
    "create_entry",
    "create_invoice",
    "get_invoice",
    "get_report",
    "get_statement",
    "match_bank_lines",
    "post_invoice",
    "post_invoices",
    "reconcile",
    "register_payment",
    "reset_invoice",
    "send_reminders",
    "update_invoice",
]

readable_signatures(globals())
