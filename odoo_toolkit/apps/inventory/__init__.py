"""Stock, transfers, and the validation of transfers."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.inventory.actions import return_picking, validate_picking
from odoo_toolkit.apps.inventory.creation import NewLine, create_transfer
from odoo_toolkit.apps.inventory.entries import MovedLine, ReturnedLine
from odoo_toolkit.apps.inventory.stock import Stock, StockCount, StockLine, adjust_stock, get_stock
from odoo_toolkit.apps.inventory.transfers import Backorder, Transfer, TransferLine, get_picking

__all__ = [
    "Backorder",
    "MovedLine",
    "NewLine",
    "ReturnedLine",
    "Stock",
    "StockCount",
    "StockLine",
    "Transfer",
    "TransferLine",
    "adjust_stock",
    "create_transfer",
    "get_picking",
    "get_stock",
    "return_picking",
    "validate_picking",
]

readable_signatures(globals())
