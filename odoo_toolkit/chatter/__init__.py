"""What hangs on any record: messages, activities and files."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.chatter import attachments
from odoo_toolkit.chatter.activities import get_activities, mark_activity_done, schedule_activity
from odoo_toolkit.chatter.messages import get_messages, post_message, post_notes

__all__ = [
    "attachments",
    "get_activities",
    "get_messages",
    "mark_activity_done",
    "post_message",
    "post_notes",
    "schedule_activity",
]

readable_signatures(globals())
