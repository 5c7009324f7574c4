"""What keeps Odoo from sending e-mails and logging each change while rows are imported: data."""

from __future__ import annotations

from collections.abc import Iterable

#: Context keys; found by watching what 14 to 19 send when records are made and changed.
SILENT: dict[str, bool] = {
    # No log, no tracking of changes, no followers, no e-mail on assignment.
    "tracking_disable": True,
    "mail_auto_subscribe_no_notify": True,
    "mail_create_nolog": True,
    # No invitation to a new user, to whom an activity is given, to an external attendee.
    "no_reset_password": True,
    "mail_activity_quick_update": True,
    "no_mail_to_attendees": True,
}

#: (model, field) -> versions that send an e-mail when it is written, whatever the context says.
LOUD: dict[tuple[str, str], tuple[int, ...]] = {
    ("project.task", "user_ids"): (15, 16),
    ("res.users", "password"): (17, 18, 19),
    ("res.users", "login"): (17, 18, 19),
    ("res.users", "email"): (17, 18, 19),
}


def loud_fields(model: str, fields: Iterable[str], major: int) -> list[str]:
    """Return which of the fields cannot be written without e-mails on a version."""
    return [name for name in fields if major in LOUD.get((model, name), ())]
