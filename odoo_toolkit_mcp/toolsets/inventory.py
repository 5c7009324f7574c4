"""Stock and transfers."""

from __future__ import annotations

from odoo_toolkit.apps import inventory
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_inventory_get_stock",
        title="Get stock",
        description="Get a product's stock by location: on hand, reserved and available, and the"
        " lots of a tracked product. Internal locations only, unless location_id names another.",
        function=inventory.get_stock,
        access="read",
        needs="read stock.quant",
    ),
    Tool(
        name="odoo_inventory_get_picking",
        title="Get transfer",
        description="Get a transfer: state, origin, moves with their lots, and its backorder.",
        function=inventory.get_picking,
        access="read",
        needs="read stock.picking",
    ),
    Tool(
        name="odoo_inventory_validate_picking",
        title="Validate transfer",
        description="Validate a receipt, delivery or internal transfer: move the lines that you"
        " pass or, without lines, the quantities entered or reserved. If that is less"
        " than the demand, nothing is done, and the error lists the options.",
        function=inventory.validate_picking,
        access="write",
        needs="write stock.picking",
    ),
    Tool(
        name="odoo_inventory_return_picking",
        title="Return transfer",
        description="Return a done transfer, in full or in part, and validate the return if"
        " validate is set. To choose lots, validate it with odoo_inventory_validate_picking.",
        function=inventory.return_picking,
        access="create",
        needs="create stock.return.picking",
    ),
    Tool(
        name="odoo_inventory_create_transfer",
        title="Create transfer",
        description="Create a draft transfer: internal, incoming (receipt) or outgoing (delivery)."
        " With validate, also validate it if all is available.",
        function=inventory.create_transfer,
        access="create",
        creates="stock.picking",
    ),
    Tool(
        name="odoo_inventory_adjust_stock",
        title="Adjust stock",
        description="Set the stock of a product in a location to a counted quantity. On Odoo 17 and"
        " earlier, only Inventory administrators can do this. For several products, locations or"
        " lots, use odoo_inventory_count_stock.",
        function=inventory.adjust_stock,
        access="write",
        needs="read stock.quant",
    ),
    Tool(
        name="odoo_inventory_count_stock",
        title="Count stock",
        description="Set the stock of several products, locations and lots to counted quantities,"
        " in one call. dry_run shows the old quantity, the count, the difference with its value,"
        " and what is reserved. For a single product, use odoo_inventory_adjust_stock.",
        function=inventory.count_stock,
        access="write",
        needs="read stock.quant",
    ),
    Tool(
        name="odoo_inventory_find_late_transfers",
        title="Find late transfers",
        description="Find receipts, deliveries and internal transfers past their date, with the"
        " reasons: missing goods, stock reserved by others, earlier transfers, and goods"
        " on the way. To see one transfer, use odoo_inventory_get_picking.",
        function=inventory.find_late_transfers,
        access="read",
        needs="read stock.picking",
    ),
    Tool(
        name="odoo_inventory_get_reordering_rules",
        title="Get reordering rules",
        description="Get reordering rules with minimum, maximum, stock, forecast, and the quantity"
        " each would order now. Use odoo_inventory_run_reordering_rules to order it.",
        function=inventory.get_reordering_rules,
        access="read",
        needs="read stock.warehouse.orderpoint",
    ),
    Tool(
        name="odoo_inventory_set_reordering_rule",
        title="Set reordering rule",
        description="Create a product's reordering rule for a location, or change the existing"
        " rule. It orders nothing. Only Inventory administrators can do this.",
        function=inventory.set_reordering_rule,
        access="write",
        needs="write stock.warehouse.orderpoint",
    ),
    Tool(
        name="odoo_inventory_run_reordering_rules",
        title="Run reordering rules",
        description="Run reordering rules now, and return the purchase order lines, manufacturing"
        " orders and transfers they created. dry_run shows what each rule would order. Only"
        " Inventory administrators can do this.",
        function=inventory.run_reordering_rules,
        access="write",
        needs="read stock.warehouse.orderpoint",
    ),
    Tool(
        name="odoo_inventory_scrap_product",
        title="Scrap product",
        description="Scrap a quantity of a product that is broken or lost. To set the stock to a"
        " counted quantity, use odoo_inventory_adjust_stock.",
        function=inventory.scrap_product,
        access="create",
        creates="stock.scrap",
    ),
)


class InventoryToolset(BaseToolset):
    """Tools for stock and transfers."""

    about = ToolsetMetadata(
        name="inventory",
        description="Get, count and scrap stock; get, create, validate and return transfers; late"
        " transfers; reordering rules",
        required_modules=("stock",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
