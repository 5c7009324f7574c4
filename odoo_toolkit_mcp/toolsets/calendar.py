"""Meetings."""

from __future__ import annotations

from odoo_toolkit.apps import calendar
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_calendar_get_agenda",
        title="Read the agenda",
        description="Read a person's meetings on one or more days. To find times when several"
        " people are free, use odoo_calendar_find_times.",
        function=calendar.get_agenda,
        access="read",
    ),
    Tool(
        name="odoo_calendar_find_times",
        title="Find free times",
        description="Find times when several people are free, and the meetings that keep them"
        " busy.",
        function=calendar.find_times,
        access="read",
    ),
    Tool(
        name="odoo_calendar_create_meeting",
        title="Create a meeting",
        description="Create a meeting, or a series of meetings, in a time zone, with attendees and"
        " reminders. The result contains each invitation's status.",
        function=calendar.create_meeting,
        access="create",
        creates="calendar.event",
    ),
    Tool(
        name="odoo_calendar_move_meeting",
        title="Move a meeting",
        description="Move a meeting to another time, or change its duration. In a series, move this"
        " meeting, or also the following ones.",
        function=calendar.move_meeting,
        access="write",
    ),
    Tool(
        name="odoo_calendar_cancel_meeting",
        title="Cancel a meeting",
        description="Cancel a meeting, or several in a series, by archiving. Odoo does not notify"
        " attendees, so use odoo_chatter_post_message first.",
        function=calendar.cancel_meeting,
        access="write",
        asks="always",
        consequence="Odoo does not notify the attendees.",
    ),
)


class CalendarToolset(BaseToolset):
    """Tools for meetings."""

    about = ToolsetMetadata(
        name="calendar",
        description="Create, move and cancel meetings, read agendas, find free times",
        required_modules=("calendar",),
        depends_on=("core",),
        tags=("business", "communication"),
    )
    tools = TOOLS
