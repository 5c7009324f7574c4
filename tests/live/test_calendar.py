"""Meetings on a real Odoo, over the change of clocks; its mail server refuses invitations."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo, Plan, ValidationError
from odoo_toolkit.apps import calendar
from odoo_toolkit.apps.calendar import Meeting

pytestmark = pytest.mark.recorded

BERLIN = "Europe/Berlin"


@pytest.fixture
def guest(admin: Odoo, suffix: str) -> str:
    """A contact with an address."""
    values = {"name": f"Guest {suffix}", "email": f"{suffix}@example.com"}
    toolkit.create(admin, "res.partner", values)
    return f"Guest {suffix}"


def made(odoo: Odoo, **options: Any) -> Meeting:
    return calendar.create_meeting(odoo, **{"timezone": BERLIN, **options})


def events(admin: Odoo, suffix: str) -> list[dict[str, Any]]:
    fields = ["name", "start", "stop"]
    domain = [["name", "ilike", suffix]]
    return toolkit.search_read(admin, "calendar.event", domain, fields, order="start").records


def others(meeting: Meeting) -> list[str]:
    """Return the warnings but for those of other tests' meetings at the same time."""
    return [text for text in meeting.warnings if not text.startswith(("Busy then", "There are"))]


def test_a_meeting_is_created_moved_and_cancelled(odoo: Odoo, guest: str, suffix: str) -> None:
    options: dict[str, Any] = {
        "name": f"Meeting {suffix}",
        "start": "2032-03-10T09:00",
        "duration": 1.5,
        "attendees": [guest],
        "location": "Room 1",
        "description": "a < b",
        "reminders": [15, 17],
        "timezone": BERLIN,
    }
    plan = calendar.create_meeting(odoo, **options, dry_run=True)
    assert isinstance(plan, Plan)
    assert "2032-03-10 09:00 to 10:30 (Europe/Berlin)" in plan.message
    assert events(odoo, suffix) == []

    meeting = made(odoo, **options)

    assert others(meeting) == []
    assert (meeting.start, meeting.stop) == (
        "2032-03-10T09:00:00+01:00",
        "2032-03-10T10:30:00+01:00",
    )
    assert {one.name.split(", ")[-1]: one.answer for one in meeting.attendees}[
        guest
    ] == "needsAction"
    assert len(meeting.attendees) == 2
    assert [one.name for one in meeting.invitations] == [guest]
    assert meeting.invitations[0].status in ("queued", "failed")
    (row,) = toolkit.read(odoo, "calendar.event", [meeting.id], ["alarm_ids"]).records
    assert len(row["alarm_ids"]) == 2

    moved = calendar.move_meeting(
        odoo,
        meeting_name=f"Meeting {suffix}",
        start="2032-04-10T14:00",
        timezone=BERLIN,
    )
    assert (moved.id, moved.start, moved.stop) == (
        meeting.id,
        "2032-04-10T14:00:00+02:00",
        "2032-04-10T15:30:00+02:00",
    )
    assert others(moved) == []
    assert [one.name for one in moved.invitations] == [guest]

    cancelled = calendar.cancel_meeting(odoo, meeting_id=meeting.id)
    assert cancelled.active is False
    assert guest in cancelled.warnings[0]
    assert events(odoo, suffix) == []


def test_nobody_is_invited_where_that_is_not_wanted(odoo: Odoo, guest: str, suffix: str) -> None:
    meeting = made(
        odoo, name=f"Quiet {suffix}", start="2032-03-10T09:00", attendees=[guest], invite=False
    )
    assert meeting.invitations == []
    assert "No invitations" in meeting.message


@pytest.mark.every_version
def test_a_series_keeps_its_time_of_day_when_the_clocks_change(odoo: Odoo, suffix: str) -> None:
    """In Berlin, the clocks change on 28 March 2032."""
    series = made(
        odoo,
        name=f"Weekly {suffix}",
        start="2032-03-22T09:00",
        repeat="weekly",
        weekdays=["mon", "thu"],
        count=4,
    )

    assert (series.meetings, series.start) == (4, "2032-03-22T09:00:00+01:00")
    assert [row["start"] for row in events(odoo, suffix)] == [
        "2032-03-22T08:00:00Z",
        "2032-03-25T08:00:00Z",
        "2032-03-29T07:00:00Z",
        "2032-04-01T07:00:00Z",
    ]
    second = events(odoo, suffix)[1]["id"]
    calendar.move_meeting(odoo, meeting_id=second, start="2032-03-25T11:00", timezone=BERLIN)
    assert events(odoo, suffix)[1]["start"] == "2032-03-25T10:00:00Z"
    assert len(events(odoo, suffix)) == 4
    calendar.cancel_meeting(odoo, meeting_id=second)
    assert len(events(odoo, suffix)) == 3
    third = events(odoo, suffix)[1]["id"]
    calendar.cancel_meeting(odoo, meeting_id=third, which="following")
    assert [row["start"] for row in events(odoo, suffix)] == ["2032-03-22T08:00:00Z"]


def test_those_that_follow_are_moved_too(odoo: Odoo, suffix: str) -> None:
    made(odoo, name=f"Daily {suffix}", start="2032-05-03T09:00", repeat="daily", count=3)
    second = events(odoo, suffix)[1]["id"]
    calendar.move_meeting(
        odoo, meeting_id=second, start="2032-05-04T10:00", timezone=BERLIN, which="following"
    )
    assert [row["start"] for row in events(odoo, suffix)] == [
        "2032-05-03T07:00:00Z",
        "2032-05-04T08:00:00Z",
        "2032-05-05T08:00:00Z",
    ]


@pytest.mark.every_version
@pytest.mark.parametrize(
    ("options", "starts"),
    [
        ({"repeat": "daily", "every": 2, "until": "2032-03-14"}, ["10", "12", "14"]),
        ({"repeat": "monthly", "count": 2}, ["10", "10"]),
        ({"repeat": "monthly_weekday", "count": 2}, ["10", "14"]),
        ({"repeat": "yearly", "count": 2}, ["10", "10"]),
    ],
)
def test_meetings_repeat(
    admin: Odoo, suffix: str, options: dict[str, Any], starts: list[str]
) -> None:
    """10 March 2032 is the second Wednesday."""
    made(admin, name=f"Again {suffix}", start="2032-03-10T09:00", **options)
    assert [row["start"][8:10] for row in events(admin, suffix)] == starts


@pytest.mark.parametrize("start", ["2032-03-28T02:30", "2032-10-31T02:30"])
def test_a_time_that_is_not_clear_is_refused(admin: Odoo, suffix: str, start: str) -> None:
    with pytest.raises(ValidationError, match="clocks change"):
        made(admin, name=f"Night {suffix}", start=start)
    assert events(admin, suffix) == []


def test_what_is_on_and_who_is_free(odoo: Odoo, guest: str, suffix: str) -> None:
    meeting = made(odoo, name=f"Busy {suffix}", start="2032-06-09T10:00", attendees=[guest])
    agenda = calendar.get_agenda(odoo, day="2032-06-09", person=guest, timezone=BERLIN)
    assert [(slot.what, slot.start) for slot in agenda.meetings] == [
        (f"Busy {suffix}", "2032-06-09T10:00:00+02:00")
    ]
    assert calendar.get_agenda(odoo, day="2032-06-10", person=guest, timezone=BERLIN).meetings == []
    options: dict[str, Any] = {
        "attendees": [guest],
        "day": "2032-06-09",
        "days": 1,
        "timezone": BERLIN,
        "include_me": False,
    }
    found = calendar.find_times(odoo, duration=2, **options)
    assert [(slot.start[11:16], slot.stop[11:16]) for slot in found.free] == [("11:00", "17:00")]
    assert [(slot.what, slot.who) for slot in found.busy] == [(f"Busy {suffix}", guest)]

    domain = [["event_id", "=", meeting.id], ["email", "=", f"{suffix}@example.com"]]
    (row,) = toolkit.search_read(odoo, "calendar.attendee", domain, ["state"]).records
    toolkit.execute(odoo, "calendar.attendee", "do_decline", [[row["id"]]])
    found = calendar.find_times(odoo, duration=2, **options)
    assert [(slot.start[11:16], slot.stop[11:16]) for slot in found.free] == [("09:00", "17:00")]
