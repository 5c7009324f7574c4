"""Bills of materials and manufacturing orders."""

from __future__ import annotations

from odoo_toolkit.apps import manufacturing
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_manufacturing_check_components",
        title="Check components",
        description="Check whether a quantity of a product can be made now from its bill of"
        " materials, or by a deadline. It returns needed, free and missing components,"
        " and each operation's work centers with time, cost and load. It writes nothing.",
        function=manufacturing.check_components,
        access="read",
        needs="read mrp.bom",
    ),
    Tool(
        name="odoo_manufacturing_create_order",
        title="Create manufacturing order",
        description="Create a manufacturing order from a bill of materials. The result lists"
        " missing components. You can confirm the order without them.",
        function=manufacturing.create_order,
        access="create",
        creates="mrp.production",
    ),
    Tool(
        name="odoo_manufacturing_produce",
        title="Produce manufacturing order",
        description="Produce a manufacturing order, in full or in part, and finish its work orders."
        " Fails if components are missing.",
        function=manufacturing.produce,
        access="write",
        needs="write mrp.production",
    ),
    Tool(
        name="odoo_manufacturing_get_order",
        title="Get manufacturing order",
        description="Get a manufacturing order: state, needed, reserved, missing and used"
        " components, work orders, lots and backorders.",
        function=manufacturing.get_order,
        access="read",
        needs="read mrp.production",
    ),
    Tool(
        name="odoo_manufacturing_cancel_order",
        title="Cancel manufacturing order",
        description="Cancel a manufacturing order that is not done. This cannot be undone.",
        function=manufacturing.cancel_order,
        access="write",
        needs="write mrp.production",
        asks="always",
        consequence="You cannot confirm it again, and its components are no longer reserved.",
    ),
)


class ManufacturingToolset(BaseToolset):
    """Tools for manufacturing."""

    about = ToolsetMetadata(
        name="manufacturing",
        description="Check components; create, produce, get and cancel manufacturing orders",
        required_modules=("mrp",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
