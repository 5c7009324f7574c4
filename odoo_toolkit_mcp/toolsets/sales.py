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
    + " From Odoo 17 on action_lock sets locked=true instead; action_unlock opens the order again."
)

TOOLS = (
    Tool(
        name="odoo_sales_create_order",
        title="Create quotation",
        description="Create a quotation for a customer, with products by name or id; prices and"
        " taxes come from Odoo where none are given. confirm makes it a sales order at once: if"
        " that fails, the quotation stays and confirmed is false. When a name matches several"
        " records nothing is created and you are asked to choose.\n" + _STATES,
        function=sales.create_order,
        access="create",
        creates="sale.order",
    ),
    Tool(
        name="odoo_sales_confirm_order",
        title="Confirm quotation",
        description="Confirm a quotation (draft or sent): it becomes a sales order and Odoo makes"
        " its deliveries. In any other state it is an error that names the state.\n" + _STATES,
        function=sales.confirm_order,
        access="write",
    ),
    Tool(
        name="odoo_sales_cancel_order",
        title="Cancel sales order",
        description="Cancel a quotation or sales order, with its open deliveries and draft"
        " invoices; the customer gets no e-mail. Refused, naming the documents, when the order is"
        " locked, a delivery is validated or an invoice is posted.\n" + _STATES,
        function=sales.cancel_order,
        access="write",
        asks="always",
        consequence="Its open deliveries and draft invoices are cancelled with it.",
    ),
    Tool(
        name="odoo_sales_get_order",
        title="Get sales order",
        description="Get a sales order: state, amounts, lines with delivered and invoiced"
        " quantities, and the states of its deliveries and invoices.\n" + _STATES,
        function=sales.get_order,
        access="read",
    ),
    Tool(
        name="odoo_sales_invoice_order",
        title="Invoice sales order",
        description="Make the draft invoice of a confirmed sales order: what can be invoiced now,"
        " or a down payment. A fixed down payment is without taxes to Odoo 16 and includes them"
        " from 17 on: check amount_untaxed and amount_total. Each call makes another invoice."
        " Then: odoo_accounting_post_invoice, odoo_accounting_register_payment.",
        function=sales.create_invoices,
        access="create",
    ),
)


class SalesToolset(BaseToolset):
    """The tools for sales orders."""

    about = ToolsetMetadata(
        name="sales",
        description="Quotations and sales orders: create, confirm, cancel, look at, invoice",
        required_modules=("sale",),
        depends_on=("core",),
        tags=("workflow",),
    )
    tools = TOOLS
