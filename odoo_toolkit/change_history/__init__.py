"""What was written to Odoo, by whom, and what is needed to take it back."""

from odoo_toolkit.change_history.entries import HistoryEntry, Write
from odoo_toolkit.change_history.recording import History, client_name

__all__ = ["History", "HistoryEntry", "Write", "client_name"]
