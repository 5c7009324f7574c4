"""Meetings."""

from odoo_toolkit.app_models.model import AppModel

MODELS = (
    AppModel(
        "calendar.event",
        "Calendar Event",
        module="calendar",
        nouns="calendar event|meeting|appointment",
        key_fields="id name start stop partner_ids location",
        dates="start stop",
        tips=("start and stop are in UTC; the functions for meetings take a time zone.",),
        disambiguation_fields="start",
    ),
    AppModel("calendar.attendee"),
    AppModel("calendar.alarm"),
)
