"""Quotations and sales orders."""

from __future__ import annotations

from odoo_toolkit.app_models import known
from odoo_toolkit.apps import sales
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

_STATES = (
    known("sale.order")
    .describe_moves()
    .replace("[action_confirm]", "[odoo_sales_confirm_order]")
    .replace("[action_cancel]", "[odoo_sales_cancel_order]")
)

TOOLS = (
    Tool(
        name="odoo_sales_create_order",
        title="Create quotation",
        description="Create a quotation. Pass products by name or id. Odoo fills in missing prices"
        " and taxes. If confirm fails, the quotation stays. To repeat an order, use"
        " odoo_sales_copy_order.",
        function=sales.create_order,
        access="create",
        creates="sale.order",
    ),
    Tool(
        name="odoo_sales_update_order",
        title="Change order",
        description="Change a quotation or sales order: add, change and remove lines, and change"
        " its dates and terms. On a confirmed order, open deliveries also change, and a"
        " removed line stays with quantity 0.",
        function=sales.update_order,
        access="write",
        needs="write sale.order",
    ),
    Tool(
        name="odoo_sales_copy_order",
        title="Copy order",
        description="Copy a sales order in any state to a new quotation, with changes as in"
        " odoo_sales_update_order. For another customer, that customer's prices and terms apply.",
        function=sales.copy_order,
        access="create",
        needs="create sale.order",
    ),
    Tool(
        name="odoo_sales_confirm_order",
        title="Confirm quotation",
        description="Confirm a quotation (draft or sent). It becomes a sales order, and Odoo"
        " creates its deliveries.",
        function=sales.confirm_order,
        access="write",
        needs="write sale.order",
    ),
    Tool(
        name="odoo_sales_cancel_order",
        title="Cancel sales order",
        description="Cancel a quotation or sales order with its open deliveries and draft invoices."
        " Fails if it is locked, delivered or invoiced.",
        function=sales.cancel_order,
        access="write",
        needs="write sale.order",
        asks="always",
        consequence="This also cancels its open deliveries and draft invoices.",
    ),
    Tool(
        name="odoo_sales_get_order",
        title="Get sales order",
        description="Get a sales order by its number or the customer's reference: state, amounts,"
        " lines with delivered and invoiced quantities, and the states of its deliveries and"
        " invoices.\n" + _STATES,
        function=sales.get_order,
        access="read",
        needs="read sale.order",
    ),
    Tool(
        name="odoo_sales_create_invoices",
        title="Invoice sales order",
        description="Create a draft invoice for a confirmed sales order: all that can be invoiced"
        " now, chosen lines, or a down payment. A fixed down payment excludes taxes on"
        " Odoo 16 and earlier, and includes them on 17 and later. Each call creates"
        " another invoice. To post a draft later, use odoo_accounting_post_invoice.",
        function=sales.create_invoices,
        access="create",
        needs="create sale.advance.payment.inv",
    ),
    Tool(
        name="odoo_sales_process_orders",
        title="Process sales orders",
        description="Process several sales orders: confirm, deliver, invoice, post and pay each as"
        " far as possible. It skips steps that are already done. To deliver more than is in stock,"
        " set unreserved.",
        function=sales.process_orders,
        access="write",
        needs="read sale.order",
    ),
)


class SalesToolset(BaseToolset):
    """The tools for sales orders."""

    about = ToolsetMetadata(
        name="sales",
        description="Create, change, copy, confirm, cancel, get and invoice sales orders",
        required_modules=("sale",),
        depends_on=("core",),
        tags=("workflow",),
    )
    tools = TOOLS
