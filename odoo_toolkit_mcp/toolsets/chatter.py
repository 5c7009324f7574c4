"""Messages and activities of records."""

from __future__ import annotations

from odoo_toolkit.attached import activities, chatter
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_chatter_get_messages",
        title="Read messages",
        description="Read a record's newest messages and e-mails. Odoo's own log entries (type"
        " notification) are left out unless you ask for them.",
        function=chatter.get_messages,
        access="read",
    ),
    Tool(
        name="odoo_chatter_post_message",
        title="Post a message",
        description="Post a message on a record. A comment is e-mailed to all its followers,"
        " customers among them; a notification is an internal note, sent only to partner_ids.",
        function=chatter.post_message,
        access="create",
    ),
    Tool(
        name="odoo_chatter_get_activities",
        title="Read activities",
        description="Read the open activities of a record. Without a record, read those of a user,"
        " by default the connected one.",
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


class ChatterToolset(BaseToolset):
    """Tools for messages and activities."""

    about = ToolsetMetadata(
        name="chatter",
        description="Read and post messages on records, plan and finish activities",
        required_modules=("mail",),
        depends_on=("core",),
        tags=("communication",),
    )
    tools = TOOLS
