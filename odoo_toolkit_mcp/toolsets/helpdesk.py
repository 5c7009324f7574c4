"""Helpdesk tickets."""

from __future__ import annotations

from odoo_toolkit.apps import helpdesk
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_helpdesk_create_ticket",
        title="Create a ticket",
        description="Create a helpdesk ticket. Without a team, Odoo uses its default team.",
        function=helpdesk.create_ticket,
        access="create",
        creates="helpdesk.ticket",
    ),
    Tool(
        name="odoo_helpdesk_get_ticket",
        title="Get a ticket",
        description="Get a helpdesk ticket by its id or subject: state, customer, description,"
        " messages and, on request, attachments.",
        function=helpdesk.get_ticket,
        access="read",
        needs="read helpdesk.ticket",
    ),
    Tool(
        name="odoo_helpdesk_assign_ticket",
        title="Assign a ticket",
        description="Assign a helpdesk ticket to a user, a team, or both. A new team might"
        " move the ticket to another stage.",
        function=helpdesk.assign_ticket,
        access="write",
        needs="write helpdesk.ticket",
    ),
)


class HelpdeskToolset(BaseToolset):
    """Tools for tickets; the module is part of Odoo Enterprise."""

    about = ToolsetMetadata(
        name="helpdesk",
        description="Create, read and assign helpdesk tickets (Odoo Enterprise)",
        required_modules=("helpdesk",),
        depends_on=("core",),
        tags=("business", "enterprise"),
    )
    tools = TOOLS
