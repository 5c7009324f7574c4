"""Meetings: created, moved, cancelled; what is on, and when everybody is free."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.calendar.busy import Attendee
from odoo_toolkit.apps.calendar.meetings import (
    Meeting,
    cancel_meeting,
    create_meeting,
    move_meeting,
)
from odoo_toolkit.apps.calendar.times import Agenda, FreeTimes, Slot, find_times, get_agenda

__all__ = [
    "Agenda",
    "Attendee",
    "FreeTimes",
    "Meeting",
    "Slot",
    "cancel_meeting",
    "create_meeting",
    "find_times",
    "get_agenda",
    "move_meeting",
]

readable_signatures(globals())
