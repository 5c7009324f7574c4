"""Requests for quotation and purchase orders."""

from __future__ import annotations

from odoo_toolkit.apps import purchase
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_purchase_get_supply",
        title="Get supply of a product",
        description="Get a product's sources, and when each can deliver: stock, expected receipts,"
        " vendors' offers, and production with its missing components. To plan for a"
        " day, pass needed_by. For stock by location, use odoo_inventory_get_stock.",
        function=purchase.get_supply,
        access="read",
    ),
    Tool(
        name="odoo_purchase_list_supply",
        title="List supply of products",
        description="Get stock, expected receipts and vendors' offers of several products at once."
        " For production, use odoo_purchase_get_supply.",
        function=purchase.list_supply,
        access="read",
    ),
    Tool(
        name="odoo_purchase_create_order",
        title="Create request for quotation",
        description="Create a request for quotation to a vendor. Missing prices come from the"
        " vendor's pricelist.",
        function=purchase.create_order,
        access="create",
        creates="purchase.order",
    ),
    Tool(
        name="odoo_purchase_update_order",
        title="Change purchase order",
        description="Change a request for quotation or purchase order: add, change and remove"
        " lines, and change dates and terms. On a confirmed order, open receipts change too, and a"
        " removed line stays with quantity 0.",
        function=purchase.update_order,
        access="write",
        needs="write purchase.order",
    ),
    Tool(
        name="odoo_purchase_confirm_order",
        title="Confirm purchase order",
        description="Confirm a request for quotation. If it needs a second approval, the result"
        " lists the approvers.",
        function=purchase.confirm_order,
        access="write",
        needs="write purchase.order",
    ),
    Tool(
        name="odoo_purchase_receive",
        title="Receive purchase order",
        description="Receive a confirmed purchase order, in full or by lines and lots. For other"
        " transfers, use odoo_inventory_validate_picking.",
        function=purchase.receive,
        access="write",
        needs="write stock.picking",
    ),
    Tool(
        name="odoo_purchase_create_bill",
        title="Bill purchase order",
        description="Create the vendor bill for a purchase order, for everything that can be billed"
        " now.",
        function=purchase.create_bill,
        access="create",
        needs="create account.move",
    ),
    Tool(
        name="odoo_purchase_enter_bill",
        title="Enter a vendor's bill",
        description="Enter a vendor's bill with the number, date and lines on its document, matched"
        " with the purchase order. It reports differences in quantity or price, and a duplicate"
        " number, before it writes anything. Without the document, use odoo_purchase_create_bill.",
        function=purchase.enter_bill,
        access="create",
        creates="account.move",
    ),
    Tool(
        name="odoo_purchase_process_orders",
        title="Process purchase orders",
        description="Process several purchase orders: receive, bill, post and pay each as far as"
        " possible. It skips steps that are already done. To receive only a part, or lots, use"
        " odoo_purchase_receive first.",
        function=purchase.process_orders,
        access="write",
        needs="read purchase.order",
    ),
    Tool(
        name="odoo_purchase_return_order",
        title="Return goods to the vendor",
        description="Return a purchase order's received goods to the vendor, and create the refund"
        " for the billed part. For other transfers, use odoo_inventory_return_picking.",
        function=purchase.return_order,
        access="write",
        needs="create stock.return.picking",
    ),
    Tool(
        name="odoo_purchase_get_order",
        title="Get purchase order",
        description="Get a purchase order with its lines, receipts and bills.",
        function=purchase.get_order,
        access="read",
        needs="read purchase.order",
    ),
    Tool(
        name="odoo_purchase_cancel_order",
        title="Cancel purchase order",
        description="Cancel a purchase order and its open receipts. Fails if anything was received"
        " or a bill is posted.",
        function=purchase.cancel_order,
        access="write",
        needs="write purchase.order",
        asks="always",
        consequence="This also cancels its open receipts.",
    ),
)


class PurchaseToolset(BaseToolset):
    """The tools for purchase orders."""

    about = ToolsetMetadata(
        name="purchase",
        description="Get the supply of products; create, confirm, receive and bill purchase orders",
        required_modules=("purchase",),
        depends_on=("core",),
        tags=("workflow",),
    )
    tools = TOOLS
