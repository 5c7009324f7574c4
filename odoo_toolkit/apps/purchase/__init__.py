"""Buying: what can be had, requests for quotation, orders, their receipts and bills."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.purchase.changing import ChangedLine, update_order
from odoo_toolkit.apps.purchase.creation import NewLine, create_order
from odoo_toolkit.apps.purchase.fulfilment import create_bill, receive
from odoo_toolkit.apps.purchase.making import (
    Making,
    Missing,
    NeededProduct,
    Supplies,
    Supply,
    get_supply,
    list_supply,
)
from odoo_toolkit.apps.purchase.matching import (
    BilledLine,
    BillPlan,
    EnteredBill,
    MatchedLine,
    enter_bill,
)
from odoo_toolkit.apps.purchase.offers import Offer
from odoo_toolkit.apps.purchase.orders import (
    Bill,
    Order,
    OrderLine,
    Receipt,
    cancel_order,
    confirm_order,
    get_order,
)
from odoo_toolkit.apps.purchase.processing import (
    OrderOutcome,
    OrdersPlan,
    ProcessResult,
    process_orders,
)
from odoo_toolkit.apps.purchase.returning import ReturnResult, return_order

__all__ = [
    "Bill",
    "BillPlan",
    "BilledLine",
    "ChangedLine",
    "EnteredBill",
    "Making",
    "MatchedLine",
    "Missing",
    "NeededProduct",
    "NewLine",
    "Offer",
    "Order",
    "OrderLine",
    "OrderOutcome",
    "OrdersPlan",
    "ProcessResult",
    "Receipt",
    "ReturnResult",
    "Supplies",
    "Supply",
    "cancel_order",
    "confirm_order",
    "create_bill",
    "create_order",
    "enter_bill",
    "get_order",
    "get_supply",
    "list_supply",
    "process_orders",
    "receive",
    "return_order",
    "update_order",
]

readable_signatures(globals())
