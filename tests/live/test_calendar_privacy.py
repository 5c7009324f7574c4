"""Somebody else's private meeting: it takes time, and says nothing more to an ordinary user."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Connection, Odoo, OdooError
from odoo_toolkit.apps import calendar

pytestmark = pytest.mark.recorded

ZONE = "Europe/Berlin"
#: On a weekday on which no other test has meetings.
DAY = "2033-02-09"


@pytest.fixture
def private(admin: Odoo, suffix: str) -> dict[str, Any]:
    """A private meeting of the administrator with a contact, in the morning."""
    guest = toolkit.create(admin, "res.partner", {"name": f"Guest {suffix}"}).id
    own = toolkit.read(admin, "res.users", [admin.uid], ["partner_id"]).records[0]["partner_id"]
    values = {
        "name": f"Secret {suffix}",
        "location": f"Hideout {suffix}",
        "description": f"Plot {suffix}",
        "start": f"{DAY} 08:00:00",
        "stop": f"{DAY} 09:00:00",
        "partner_ids": [[6, 0, [guest, own["id"]]]],
    }
    context = {"no_mail_to_attendees": True}
    made = toolkit.create(admin, "calendar.event", values, context=context).id
    # Odoo 14 does not create it with a guest.
    toolkit.write(admin, "calendar.event", [made or 0], {"privacy": "private"}, context=context)
    return {"id": made, "guest": guest, "suffix": suffix}


def test_a_private_meeting_is_busy_and_nothing_else(
    ordinary: Connection, admin: Odoo, private: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {"day": DAY, "timezone": ZONE}
    told = calendar.find_times(
        ordinary, attendees=[private["guest"]], days=1, include_me=False, **asked
    )
    (busy,) = told.busy
    assert (busy.start, busy.stop) == (f"{DAY}T09:00:00+01:00", f"{DAY}T10:00:00+01:00")
    assert told.free[0].start == f"{DAY}T10:00:00+01:00"
    agenda = calendar.get_agenda(ordinary, person=private["guest"], **asked)
    (slot,) = agenda.meetings
    for shown in (busy, slot):
        assert shown.what == "Busy"
        assert shown.location is None
    for text in ("Secret", "Hideout", "Plot"):
        assert f"{text} {private['suffix']}" not in f"{told} {agenda}"

    own = calendar.get_agenda(admin, person=private["guest"], **asked).meetings[0]
    assert (own.what, own.location) == (
        f"Secret {private['suffix']}",
        f"Hideout {private['suffix']}",
    )


def test_a_private_meeting_is_not_changed_by_others(
    ordinary: Connection, admin: Odoo, private: dict[str, Any]
) -> None:
    fields = ["name", "start", "stop", "active"]
    before = toolkit.read(admin, "calendar.event", [private["id"]], fields).records
    given: dict[str, Any] = {"meeting_id": private["id"], "timezone": ZONE}
    for change in (
        lambda: calendar.move_meeting(ordinary, start=f"{DAY}T15:00", **given),
        lambda: calendar.cancel_meeting(ordinary, **given),
    ):
        with pytest.raises(OdooError) as raised:
            change()
        assert raised.value.outcome in ("refused", "rolled_back")
        assert f"Secret {private['suffix']}" not in str(raised.value)
    assert toolkit.read(admin, "calendar.event", [private["id"]], fields).records == before
