"""Stock and transfers."""

from __future__ import annotations

from odoo_toolkit.apps import inventory
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_inventory_get_stock",
        title="Get stock",
        description="Get the stock of a product by location: on hand, reserved and available."
        " Internal locations only, unless location_id names another.",
        function=inventory.get_stock,
        access="read",
    ),
    Tool(
        name="odoo_inventory_get_picking",
        title="Get transfer",
        description="Get a transfer: state, origin, moves with their lots, and its backorder.",
        function=inventory.get_picking,
        access="read",
    ),
    Tool(
        name="odoo_inventory_validate_picking",
        title="Validate transfer",
        description="Validate a receipt, delivery or internal transfer: move the lines given, else"
        " the quantities entered, else those reserved. If less than the demand would move,"
        " nothing is done and the error lists the options.",
        function=inventory.validate_picking,
        access="write",
    ),
    Tool(
        name="odoo_inventory_return_picking",
        title="Return transfer",
        description="Create the return of a done transfer, in full or in part, and validate it if"
        " asked. To choose lots, validate it with odoo_inventory_validate_picking.",
        function=inventory.return_picking,
        access="create",
    ),
    Tool(
        name="odoo_inventory_create_transfer",
        title="Create transfer",
        description="Create a draft transfer: internal, incoming (receipt) or outgoing (delivery)."
        " Also validate it if asked, and if all is available.",
        function=inventory.create_transfer,
        access="create",
        creates="stock.picking",
    ),
    Tool(
        name="odoo_inventory_adjust_stock",
        title="Adjust stock",
        description="Set the stock of a product in a location to a counted quantity. Up to Odoo 17,"
        " this needs the rights of an Inventory administrator.",
        function=inventory.adjust_stock,
        access="write",
    ),
)


class InventoryToolset(BaseToolset):
    """Tools for stock and transfers."""

    about = ToolsetMetadata(
        name="inventory",
        description="Get and adjust stock; get, create, validate and return transfers",
        required_modules=("stock",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
