"""Stock, transfers, and the validation of transfers."""

from odoo_toolkit.apps.inventory.actions import create_transfer, validate_picking
from odoo_toolkit.apps.inventory.stock_levels import Stock, get_stock
from odoo_toolkit.apps.inventory.transfers import Transfer

__all__ = ["Stock", "Transfer", "create_transfer", "get_stock", "validate_picking"]
