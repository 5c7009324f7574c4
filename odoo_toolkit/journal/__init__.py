"""What was written to Odoo, by whom, and what is needed to take it back."""

from odoo_toolkit.journal.entries import HistoryEntry, Write
from odoo_toolkit.journal.recording import Journal, client_name

__all__ = ["HistoryEntry", "Journal", "Write", "client_name"]
