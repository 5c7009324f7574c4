"""Stock, transfers, and the validation of transfers."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.inventory.actions import return_picking, validate_picking
from odoo_toolkit.apps.inventory.adjusting import StockCount, adjust_stock
from odoo_toolkit.apps.inventory.counting import (
    CountedLine,
    CountPlan,
    CountResult,
    LineCount,
    count_stock,
)
from odoo_toolkit.apps.inventory.creation import NewLine, create_transfer
from odoo_toolkit.apps.inventory.entries import MovedLine, ReturnedLine
from odoo_toolkit.apps.inventory.late import (
    Awaited,
    LateTransfer,
    LateTransfers,
    MissingLine,
    find_late_transfers,
)
from odoo_toolkit.apps.inventory.reordering import (
    ReorderingRule,
    ReorderingRules,
    get_reordering_rules,
    set_reordering_rule,
)
from odoo_toolkit.apps.inventory.replenishing import (
    Ordered,
    Replenishment,
    ReplenishmentPlan,
    run_reordering_rules,
)
from odoo_toolkit.apps.inventory.scrapping import Scrap, scrap_product
from odoo_toolkit.apps.inventory.stock import ReservedFor, Stock, StockLine, StockLot, get_stock
from odoo_toolkit.apps.inventory.tracing import Holder
from odoo_toolkit.apps.inventory.transfers import Backorder, Transfer, TransferLine, get_picking

__all__ = [
    "Awaited",
    "Backorder",
    "CountPlan",
    "CountResult",
    "CountedLine",
    "Holder",
    "LateTransfer",
    "LateTransfers",
    "LineCount",
    "MissingLine",
    "MovedLine",
    "NewLine",
    "Ordered",
    "ReorderingRule",
    "ReorderingRules",
    "Replenishment",
    "ReplenishmentPlan",
    "ReservedFor",
    "ReturnedLine",
    "Scrap",
    "Stock",
    "StockCount",
    "StockLine",
    "StockLot",
    "Transfer",
    "TransferLine",
    "adjust_stock",
    "count_stock",
    "create_transfer",
    "find_late_transfers",
    "get_picking",
    "get_reordering_rules",
    "get_stock",
    "return_picking",
    "run_reordering_rules",
    "scrap_product",
    "set_reordering_rule",
    "validate_picking",
]

readable_signatures(globals())
