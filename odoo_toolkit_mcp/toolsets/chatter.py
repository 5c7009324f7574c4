"""Messages and activities of records."""

from __future__ import annotations

from odoo_toolkit import activities, chatter
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_chatter_get_messages",
        title="Read messages",
        description="Read the newest messages and e-mails in the chatter of a record. Changes"
        " that Odoo logs have the type notification, which is left out unless you ask for it.",
        function=chatter.get_messages,
        access="read",
    ),
    Tool(
        name="odoo_chatter_post_message",
        title="Post a message",
        description="Post a message in the chatter of a record. A comment is sent to all"
        " followers of the record, customers among them, by e-mail; a notification is an internal"
        " note, sent only to partner_ids.",
        function=chatter.post_message,
        access="create",
    ),
    Tool(
        name="odoo_chatter_get_activities",
        title="Read activities",
        description="Read the open activities of a record: what is to be done, by whom, by when.",
        function=activities.get_activities,
        access="read",
    ),
    Tool(
        name="odoo_chatter_schedule_activity",
        title="Schedule an activity",
        description="Schedule an activity on a record: something that a user is to do by a day."
        " Odoo tells the user.",
        function=activities.schedule_activity,
        access="create",
    ),
    Tool(
        name="odoo_chatter_mark_activity_done",
        title="Mark an activity done",
        description="Mark an open activity done, with what came of it; that is posted in the"
        " record's chatter.",
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
