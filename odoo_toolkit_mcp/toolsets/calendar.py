"""Meetings."""

from __future__ import annotations

from odoo_toolkit.apps import calendar
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_calendar_get_agenda",
        title="Read the agenda",
        description="Read what is on for a person on a day or several. For times when several"
        " people are free, use odoo_calendar_find_times.",
        function=calendar.get_agenda,
        access="read",
    ),
    Tool(
        name="odoo_calendar_find_times",
        title="Find free times",
        description="Find times when all of some people are free, and see what they are busy with.",
        function=calendar.find_times,
        access="read",
    ),
    Tool(
        name="odoo_calendar_create_meeting",
        title="Create a meeting",
        description="Create a meeting, or a series of meetings, in a time zone, with attendees"
        " and reminders. The answer says what became of the invitations.",
        function=calendar.create_meeting,
        access="create",
        creates="calendar.event",
    ),
    Tool(
        name="odoo_calendar_move_meeting",
        title="Move a meeting",
        description="Move a meeting to another time, or change how long it lasts; of a series"
        " this one, or those that follow, too.",
        function=calendar.move_meeting,
        access="write",
    ),
    Tool(
        name="odoo_calendar_cancel_meeting",
        title="Cancel a meeting",
        description="Cancel a meeting, or meetings of a series. It is archived, and Odoo tells"
        " nobody: to tell the attendees, use odoo_chatter_post_message first.",
        function=calendar.cancel_meeting,
        access="write",
        asks="always",
        consequence="Attendees are not told.",
    ),
)


class CalendarToolset(BaseToolset):
    """Tools for meetings."""

    about = ToolsetMetadata(
        name="calendar",
        description="Create, move and cancel meetings, see what is on and who is free",
        required_modules=("calendar",),
        depends_on=("core",),
        tags=("business", "communication"),
    )
    tools = TOOLS
