"""Manufacturing: what products are made of, and the orders by which they are made."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.manufacturing.actions import cancel_order, confirm_order, create_order
from odoo_toolkit.apps.manufacturing.arrivals import Arrival
from odoo_toolkit.apps.manufacturing.bills import (
    Bill,
    BillComponent,
    BillComponents,
    Operation,
    Way,
    check_components,
)
from odoo_toolkit.apps.manufacturing.consumption import UsedLine
from odoo_toolkit.apps.manufacturing.orders import Component, Order, Related, WorkOrder, get_order
from odoo_toolkit.apps.manufacturing.production import produce

__all__ = [
    "Arrival",
    "Bill",
    "BillComponent",
    "BillComponents",
    "Component",
    "Operation",
    "Order",
    "Related",
    "UsedLine",
    "Way",
    "WorkOrder",
    "cancel_order",
    "check_components",
    "confirm_order",
    "create_order",
    "get_order",
    "produce",
]

readable_signatures(globals())
