"""What may be called, named and written."""

from odoo_toolkit.policy.policy import Policy
from odoo_toolkit.policy.rules import Mode

__all__ = ["Mode", "Policy"]
