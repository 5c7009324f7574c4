"""What may be called, named and written."""

from odoo_toolkit.policy.policy import Mode, Policy

__all__ = ["Mode", "Policy"]
