"""Stock and transfers."""

from __future__ import annotations

from odoo_toolkit.app_models import known
from odoo_toolkit.apps import inventory
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

_STATES = "\n" + known("stock.picking").describe_moves()

TOOLS = (
    Tool(
        name="odoo_inventory_get_stock",
        title="Get stock",
        description="Get what there is of a product by location, what of it is reserved and what"
        " is available, in the product's unit of measure. Internal locations only, unless"
        " location_id names another.",
        function=inventory.get_stock,
        access="read",
    ),
    Tool(
        name="odoo_inventory_validate_picking",
        title="Validate a transfer",
        description="Validate a receipt, delivery or internal transfer: move the quantities that"
        " were entered, else all that is reserved. A draft is confirmed and reserved first. When"
        " less is there than demanded, nothing is moved and the error lists what is missing;"
        " force_qty moves what is there and leaves a backorder." + _STATES,
        function=inventory.validate_picking,
        access="write",
    ),
    Tool(
        name="odoo_inventory_create_transfer",
        title="Create a transfer",
        description="Create a draft transfer: internal, incoming (receipt) or outgoing (delivery),"
        " and validate it if asked and all is available. When a name matches several products,"
        " nothing is created and the matches are returned." + _STATES,
        function=inventory.create_transfer,
        access="create",
        creates="stock.picking",
    ),
)


class InventoryToolset(BaseToolset):
    """Tools for stock and transfers."""

    about = ToolsetMetadata(
        name="inventory",
        description="Look up stock, create and validate transfers",
        required_modules=("stock",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
