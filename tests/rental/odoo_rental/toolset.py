"""The tools for rental contracts."""

from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

from . import operations

TOOLS = (
    Tool(
        name="odoo_rental_get_contract",
        title="Get a rental contract",
        description="Get a rental contract by its id or number.",
        function=operations.get_contract,
        access="read",
    ),
    Tool(
        name="odoo_rental_create_contract",
        title="Create a rental contract",
        description="Create a draft of a rental contract.",
        function=operations.create_contract,
        access="create",
        creates="rental.contract",
    ),
    Tool(
        name="odoo_rental_confirm_contract",
        title="Confirm a rental contract",
        description="Confirm a draft; the equipment is reserved.",
        function=operations.confirm_contract,
        access="write",
    ),
    Tool(
        name="odoo_rental_hand_over",
        title="Hand equipment over",
        description="Hand the equipment of a confirmed contract over to the customer.",
        function=operations.hand_over,
        access="write",
    ),
    Tool(
        name="odoo_rental_return_contract",
        title="Take equipment back",
        description="Take the equipment of a contract back, and note what is damaged.",
        function=operations.return_contract,
        access="write",
    ),
)


class RentalToolset(BaseToolset):
    """Tools for the rental of equipment."""

    about = ToolsetMetadata(
        name="rental",
        description="Rent equipment out and take it back",
        required_modules=("rental",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
