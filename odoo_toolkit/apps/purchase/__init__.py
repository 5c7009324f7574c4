"""Buying: what can be had, requests for quotation, orders, their receipts and bills."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.manufacturing.arrivals import Arrival
from odoo_toolkit.apps.purchase.actions import cancel_order, confirm_order
from odoo_toolkit.apps.purchase.creation import NewLine, create_order
from odoo_toolkit.apps.purchase.fulfilment import create_bill, receive
from odoo_toolkit.apps.purchase.making import Making, Missing
from odoo_toolkit.apps.purchase.offers import Offer
from odoo_toolkit.apps.purchase.orders import Bill, Order, OrderLine, Receipt, get_order
from odoo_toolkit.apps.purchase.supply import Supply, get_supply

__all__ = [
    "Arrival",
    "Bill",
    "Making",
    "Missing",
    "NewLine",
    "Offer",
    "Order",
    "OrderLine",
    "Receipt",
    "Supply",
    "cancel_order",
    "confirm_order",
    "create_bill",
    "create_order",
    "get_order",
    "get_supply",
    "receive",
]

readable_signatures(globals())
