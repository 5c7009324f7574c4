"""The reports of Odoo, such as quotations and invoices: which there are, and their PDFs."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.reports.generation import generate_report
from odoo_toolkit.reports.listing import list_reports

__all__ = ["generate_report", "list_reports"]

readable_signatures(globals())
