"""Messages and activities of records."""

from __future__ import annotations

from odoo_toolkit.chatter import activities, messages
from odoo_toolkit.client import Odoo
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable

TOOLS = (
    Tool(
        name="odoo_chatter_get_messages",
        title="Read messages",
        description="Read a record's newest messages, e-mails and notes. Odoo's own log entries"
        " (type notification) are omitted unless you ask for them.",
        function=messages.get_messages,
        access="read",
    ),
    Tool(
        name="odoo_chatter_post_notes",
        title="Post one note on several records",
        description="Post the same internal note on several records of a model, by name or id. No"
        " one is notified. For one record, for followers or with files, use"
        " odoo_chatter_post_message.",
        function=messages.post_notes,
        access="create",
    ),
    Tool(
        name="odoo_chatter_get_activities",
        title="Read activities",
        description="Read the open activities of a record or, without a record, of a user. Default:"
        " the connected user.",
        function=activities.get_activities,
        access="read",
    ),
    Tool(
        name="odoo_chatter_schedule_activity",
        title="Schedule an activity",
        description="Schedule an activity on a record: a task for a user, due on a day.",
        function=activities.schedule_activity,
        access="create",
    ),
    Tool(
        name="odoo_chatter_mark_activity_done",
        title="Mark an activity done",
        description="Mark an open activity as done. The feedback is posted on its record.",
        function=activities.mark_activity_done,
        access="write",
    ),
)


def tools_for(settings: ServerSettings) -> list[Tool]:
    """Return the tools, with the limit that the settings give to files."""
    posting = Tool(
        name="odoo_chatter_post_message",
        title="Post a message",
        description="Post a message on a record. A comment is e-mailed to all its followers,"
        " including customers. A notification is an internal note, sent only to partner_ids."
        " attachments are files of the record by id, or new ones of up to"
        f" {settings.attachment_max_mb} MB. To post one note on several records,"
        " use odoo_chatter_post_notes.",
        function=messages.post_message,
        access="create",
        fixed={"max_bytes": settings.attachment_max_bytes},
    )
    return [TOOLS[0], posting, *TOOLS[1:]]


class ChatterToolset(BaseToolset):
    """Tools for messages and activities."""

    about = ToolsetMetadata(
        name="chatter",
        description="Read and post messages on records, plan and finish activities",
        required_modules=("mail",),
        depends_on=("core",),
        tags=("communication",),
    )

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the tools for messages and activities."""
        return server.add_tools(tools_for(server.settings))
