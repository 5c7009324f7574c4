"""Requests for quotation and purchase orders."""

from __future__ import annotations

from odoo_toolkit.apps import purchase
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_purchase_get_supply",
        title="What can be had of a product",
        description="What can be had of a product and when: stock, forecast and what is coming,"
        " each vendor's offer, and what can be made of it from which missing components.",
        function=purchase.get_supply,
        access="read",
    ),
    Tool(
        name="odoo_purchase_create_order",
        title="Create request for quotation",
        description="Create a request for quotation at a vendor; prices come from the vendor's"
        " price list where none are given.",
        function=purchase.create_order,
        access="create",
        creates="purchase.order",
    ),
    Tool(
        name="odoo_purchase_confirm_order",
        title="Confirm purchase order",
        description="Confirm a request for quotation. Where a second approval is needed, the"
        " answer says who may give it.",
        function=purchase.confirm_order,
        access="write",
    ),
    Tool(
        name="odoo_purchase_receive",
        title="Receive purchase order",
        description="Receive a confirmed purchase order: all of it, or the quantities and lots"
        " given.",
        function=purchase.receive,
        access="write",
    ),
    Tool(
        name="odoo_purchase_create_bill",
        title="Bill purchase order",
        description="Create the vendor's bill of what can be billed of a purchase order now.",
        function=purchase.create_bill,
        access="create",
    ),
    Tool(
        name="odoo_purchase_get_order",
        title="Get purchase order",
        description="Get a purchase order with its lines, receipts and bills.",
        function=purchase.get_order,
        access="read",
    ),
    Tool(
        name="odoo_purchase_cancel_order",
        title="Cancel purchase order",
        description="Cancel a purchase order with its open receipts; refused when something was"
        " received or a bill is posted.",
        function=purchase.cancel_order,
        access="write",
        asks="always",
        consequence="Its open receipts are cancelled with it.",
    ),
)


class PurchaseToolset(BaseToolset):
    """The tools for purchase orders."""

    about = ToolsetMetadata(
        name="purchase",
        description="What can be had and when; purchase orders: create, confirm, receive, bill",
        required_modules=("purchase",),
        depends_on=("core",),
        tags=("workflow",),
    )
    tools = TOOLS
