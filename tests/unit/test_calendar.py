"""Meetings: times of day in a zone, series, invitations, and when everybody is free."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from odoo_toolkit.apps import calendar
from odoo_toolkit.call import Call
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, Scripted

BERLIN = "Europe/Berlin"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Office(Scripted):
    """Ann (9), and Bob (10) who has no address; meetings 1 of Ann, and 2 and 3 of a series."""

    def __init__(self, major: int = 19, policy: Policy | None = None) -> None:
        days = [day if major > 14 else day[:2] for day in _DAYS]
        event: dict[str, Any] = {
            "name": "char",
            "start": "datetime",
            "stop": "datetime",
            "allday": "boolean",
            "start_date": "date",
            "stop_date": "date",
            "location": "char",
            "description": "html",
            "show_as": "selection",
            "res_model": "char",
            "active": "boolean",
            "recurrency": "boolean",
            "recurrence_id": "many2one calendar.recurrence",
            "user_id": "many2one res.users",
            "partner_ids": "many2many res.partner",
            "alarm_ids": "many2many calendar.alarm",
            "recurrence_update": "char",
            "event_tz": "char",
            **dict.fromkeys(days, "boolean"),
            **dict.fromkeys(("rrule_type", "end_type", "month_by", "byday", "weekday"), "char"),
            **dict.fromkeys(("interval", "count", "day"), "integer"),
            "until": "date",
        }
        models = {
            "calendar.event": event,
            "calendar.attendee": {
                "event_id": "many2one calendar.event",
                "partner_id": "many2one res.partner",
                "email": "char",
                "state": "char",
            },
            "calendar.alarm": {"alarm_type": "char", "duration_minutes": "integer", "name": "char"},
            "calendar.recurrence": {"name": "char"},
            "res.partner": {
                "name": "char",
                "email": "char",
                "email_normalized": "char",
                "active": "boolean",
                "commercial_partner_id": "many2one res.partner",
            },
            "res.users": {"name": "char", "partner_id": "many2one res.partner"},
            "mail.message": {"model": "char", "res_id": "integer"},
            "mail.notification": {
                "mail_message_id": "many2one mail.message",
                "res_partner_id": "many2one res.partner",
                "notification_type": "char",
                "notification_status": "char",
                "failure_type": "char",
            },
        }
        soon = datetime.now(UTC) + timedelta(days=30)

        def meeting(number: int, name: str, series: int | bool = False) -> dict[str, Any]:
            return {
                "id": number,
                "name": name,
                "start": f"{soon + timedelta(days=number):%Y-%m-%d} 08:00:00",
                "stop": f"{soon + timedelta(days=number):%Y-%m-%d} 09:30:00",
                "allday": False,
                "show_as": "busy",
                "active": True,
                "recurrency": bool(series),
                "recurrence_id": series,
                "user_id": 2,
                "partner_ids": [3, 9],
            }

        records: dict[str, list[dict[str, Any]]] = {
            "calendar.event": [meeting(1, "Talk"), meeting(2, "Week", 7), meeting(3, "Week", 7)],
            "calendar.attendee": [
                {"id": 1, "event_id": 1, "partner_id": 9, "email": "ann@x.org", "state": "accepted"}
            ],
            "calendar.alarm": [
                {"id": 4, "name": "15", "alarm_type": "notification", "duration_minutes": 15}
            ],
            "calendar.recurrence": [{"id": 7, "name": "weekly"}],
            "res.partner": [
                {"id": 3, "name": "Me", "email": "me@x.org", "active": True},
                {
                    "id": 9,
                    "name": "Ann",
                    "email": "ann@x.org",
                    "email_normalized": "ann@x.org",
                    "active": True,
                },
                {"id": 10, "name": "Bob", "email": False, "active": True},
            ],
            "res.users": [{"id": 2, "name": "Me", "partner_id": 3}],
            "mail.message": [],
            "mail.notification": [],
        }
        super().__init__(major, {}, policy, models, records=records)

    def notify(self, meeting: int, partner: int, status: str) -> None:
        """Have an invitation written."""
        kept = self.server.records
        number = len(kept["mail.message"]) + 1
        kept["mail.message"].append({"id": number, "model": "calendar.event", "res_id": meeting})
        kept["mail.notification"].append(
            {
                "id": number,
                "mail_message_id": number,
                "res_partner_id": partner,
                "notification_type": "email",
                "notification_status": status,
            }
        )


def create(odoo: Scripted, **options: Any) -> Any:
    options = {"name": "New", "start": "2030-03-11T09:00", "timezone": BERLIN, **options}
    return calendar.create_meeting(odoo, **options)


def sent(odoo: Scripted) -> dict[str, Any]:
    values: dict[str, Any] = odoo.asked("create")[0].arguments["vals_list"]
    return values


@pytest.mark.parametrize("major", VERSIONS)
def test_a_meeting_is_sent_in_utc_with_oneself(major: int) -> None:
    odoo = Office(major)
    result = create(odoo, duration=1.5, attendees=["Ann"], location="Room", description="a < b")

    assert sent(odoo) == {
        "name": "New",
        "start": "2030-03-11 08:00:00",
        "stop": "2030-03-11 09:30:00",
        "partner_ids": [[6, 0, [3, 9]]],
        "location": "Room",
        "description": "<p>a &lt; b</p>",
    }
    assert (result.start, result.stop) == ("2030-03-11T09:00:00+01:00", "2030-03-11T10:30:00+01:00")


def test_round_trips() -> None:
    odoo = Office()
    create(odoo, attendees=["Ann"])

    assert len(odoo.sent) <= 8


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"start": "2030-03-31T02:30"}, "is skipped when the clocks change"),
        ({"start": "2030-10-27T02:30"}, "exists twice, because the clocks change"),
        ({"start": "2030-03-31"}, "must be a date with a time"),
        ({"start": "tomorrow"}, "must be a date with a time"),
        ({"timezone": "Berlin"}, "no time zone 'Berlin'"),
        ({"timezone": "../../etc"}, "no time zone"),
        ({"duration": 0}, "more than 0"),
        ({"name": " "}, "name is empty"),
        ({"include_me": False}, "at least one attendee"),
        ({"repeat": "weekly"}, "needs an end"),
        ({"repeat": "weekly", "count": 2, "until": "2030-04-01"}, "needs an end"),
        ({"repeat": "daily", "count": 201}, "The maximum is 200"),
        ({"repeat": "daily", "until": "2030-03-10"}, "before the first"),
        ({"repeat": "weekly", "count": 2, "weekdays": ["tue"]}, "Monday, which is not among"),
        ({"repeat": "weekly", "count": 2, "weekdays": ["day"]}, "list of days"),
        ({"repeat": "daily", "count": 2, "weekdays": ["mon"]}, "repeat weekly"),
        ({"count": 2}, "only for repeating meetings"),
        ({"attendees": ["Nobody"]}, "Nobody"),
        ({"attendees": ["nobody@x.org"]}, "No contact has the address"),
        ({"attendees": ["x@y"]}, "attendees\\[0\\] is not an e-mail address"),
        ({"attendees": [99]}, "no contact with id 99"),
        ({"reminders": [-1]}, "reminders"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_written(
    options: dict[str, Any], text: str
) -> None:
    odoo = Office()
    with pytest.raises(OdooError, match=text):
        create(odoo, **options)
    assert writes(odoo) == []


@pytest.mark.parametrize(("major", "day", "weekday"), [(14, "th", "TH"), (19, "thu", "THU")])
def test_series_are_worded_as_the_version_words_them(major: int, day: str, weekday: str) -> None:
    """14 March 2030 is the second Thursday."""
    start = "2030-03-14T09:00"
    odoo = Office(major)
    create(odoo, start=start, repeat="weekly", every=2, count=3)
    values = sent(odoo)
    assert (values["rrule_type"], values["interval"], values["count"]) == ("weekly", 2, 3)
    assert (values[day], values["event_tz"]) == (True, BERLIN)

    odoo = Office(major)
    create(odoo, start=start, repeat="monthly_weekday", until="2030-06-30")
    values = sent(odoo)
    assert (values["month_by"], values["byday"], values["weekday"]) == ("day", "2", weekday)
    assert (values["end_type"], values["until"]) == ("end_date", "2030-06-30")


def test_reminders_that_are_there_are_linked_and_others_made() -> None:
    odoo = Office()
    odoo.answers["calendar.event", "create"] = [1]
    create(odoo, reminders=[15, 20])
    linked, made = sent(odoo)["alarm_ids"]
    assert linked == [4, 4, 0]
    assert made[2]["duration"] == 20


def test_what_became_of_the_invitations_is_told() -> None:
    odoo = Office()

    def made(call: Call) -> Any:
        odoo.notify(4, 9, "ready")
        return NotImplemented

    odoo.answers["calendar.event", "create"] = made
    result = create(odoo, attendees=["Ann", "Bob"])

    assert [(one.name, one.status) for one in result.invitations] == [("Ann", "queued")]
    assert "Invitations: Ann: queued." in result.message
    silent = create(Office(), attendees=["Ann"], invite=False)
    assert "No invitations were sent." in silent.message


def test_who_gets_no_invitation_is_told_in_the_plan() -> None:
    plan = create(Office(), attendees=["Bob"], start="2020-01-01T09:00", dry_run=True)
    assert "Bob has no e-mail address" in plan.warnings[0]
    assert "in the past" in plan.warnings[1]


@pytest.mark.parametrize(("which", "ids"), [("this", (3,)), ("following", (3,)), ("all", (3, 2))])
def test_of_a_series_it_is_said_which_are_cancelled(which: Any, ids: tuple[int, ...]) -> None:
    odoo = Office()
    result = calendar.cancel_meeting(odoo, meeting_id=3, which=which)
    assert result.active is False
    assert odoo.asked("write")[0].ids == ids


def test_a_cancelled_meeting_is_not_cancelled_again() -> None:
    odoo = Office()
    odoo.server.records["calendar.event"][0]["active"] = False
    assert "already" in calendar.cancel_meeting(odoo, meeting_id=1).message
    assert writes(odoo) == []


def test_attendees_must_hear_of_it_from_somebody() -> None:
    result = calendar.cancel_meeting(Office(), meeting_id=1)
    assert result.warnings == ["Odoo does not notify the attendees. Inform Ann yourself."]


def test_of_meetings_with_one_subject_somebody_has_to_choose() -> None:
    odoo = Office()
    with pytest.raises(AmbiguousNameError) as raised:
        calendar.cancel_meeting(odoo, meeting_name="Week")
    assert raised.value.matches[0]["name"].startswith("Week, 20")
    with pytest.raises(NotFoundError, match="No upcoming meeting"):
        calendar.cancel_meeting(odoo, meeting_name="Other")
    with pytest.raises(ValidationError):
        calendar.cancel_meeting(odoo)
    assert writes(odoo) == []


def busy(odoo: Office, start: str, stop: str, **values: Any) -> None:
    number = len(odoo.server.records["calendar.event"]) + 1
    row = {**odoo.server.records["calendar.event"][0], "id": number, "start": start, "stop": stop}
    odoo.server.records["calendar.event"].append({**row, **values})


def free(odoo: Office, **options: Any) -> list[tuple[str, str]]:
    options = {"attendees": ["Ann"], "day": "2030-03-29", "days": 1, "timezone": BERLIN, **options}
    found = calendar.find_times(odoo, **options)
    return [(slot.start[5:16], slot.stop[5:16]) for slot in found.free]


def test_free_is_what_meetings_leave() -> None:
    odoo = Office()
    busy(odoo, "2030-03-29 09:00:00", "2030-03-29 10:00:00")
    busy(odoo, "2030-03-29 09:30:00", "2030-03-29 11:00:00")
    busy(odoo, "2030-03-29 12:00:00", "2030-03-29 13:00:00", show_as="free")
    busy(odoo, "2030-03-29 14:00:00", "2030-03-29 15:00:00", active=False)

    assert free(odoo) == [("03-29T09:00", "03-29T10:00"), ("03-29T12:00", "03-29T17:00")]
    assert free(odoo, duration=2) == [("03-29T12:00", "03-29T17:00")]


def test_a_day_that_is_taken_leaves_no_time_and_weekends_do_not_count() -> None:
    odoo = Office()
    days = {"start_date": "2030-03-29", "stop_date": "2030-03-29", "allday": True}
    busy(odoo, "2030-03-29 00:00:00", "2030-03-29 23:59:00", **days)

    assert free(odoo) == []
    # The clocks change on Sunday, 31 March.
    assert free(odoo, days=4) == [("04-01T09:00", "04-01T17:00")]
    assert len(free(odoo, days=4, weekends=True)) == 3


def test_without_a_time_for_everybody_it_says_without_whom_there_is_one() -> None:
    odoo = Office()
    busy(odoo, "2030-03-29 07:00:00", "2030-03-29 16:00:00", partner_ids=[3], name="Time off")

    found = calendar.find_times(odoo, attendees=["Ann"], day="2030-03-29", days=1, timezone=BERLIN)

    assert found.free == []
    assert found.warnings == [
        "There is no time when all attendees are free.",
        "Without Me, the first free time is 2030-03-29T09:00:00+01:00 to "
        "2030-03-29T17:00:00+01:00.",
    ]


def test_who_is_busy_at_the_time_is_named_in_plan_and_result() -> None:
    odoo = Office()
    busy(odoo, "2030-03-11 08:30:00", "2030-03-11 10:00:00", partner_ids=[9], name="Dentist")
    busy(odoo, "2030-03-11 09:00:00", "2030-03-11 10:00:00", partner_ids=[9], name="Right after")
    told = "Busy then: Ann, with 'Dentist', 2030-03-11 09:30 to 2030-03-11 11:00."

    assert create(odoo, attendees=["Ann"], dry_run=True).warnings == [told]
    assert told in create(odoo, attendees=["Ann"]).warnings
    moved = calendar.move_meeting(odoo, meeting_id=1, start="2030-03-11T09:00", timezone=BERLIN)
    assert told in moved.warnings


def test_who_has_declined_is_free() -> None:
    odoo = Office()
    busy(odoo, "2030-03-29 09:00:00", "2030-03-29 10:00:00", partner_ids=[9])
    number = odoo.server.records["calendar.event"][-1]["id"]
    attendee = {"id": 2, "event_id": number, "partner_id": 9, "state": "declined"}
    odoo.server.records["calendar.attendee"].append(attendee)

    assert free(odoo) == [("03-29T09:00", "03-29T17:00")]
    agenda = calendar.get_agenda(odoo, day="2030-03-29", person="Ann", timezone=BERLIN)
    assert agenda.meetings == []


@pytest.mark.parametrize(
    "options",
    [{"days": 63}, {"day": "soon"}, {"earliest": "25:00"}, {"latest": "08:00"}, {"attendees": []}],
)
def test_days_and_times_that_are_none_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        free(Office(), **options)
