"""Attendees of meetings, and when they are busy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.calendar.zones import day_after, local
from odoo_toolkit.client import Odoo
from odoo_toolkit.values.moments import utc_string
from odoo_toolkit.values.periods import day_start

MODEL = "calendar.event"
ATTENDEE = "calendar.attendee"

#: Meetings at the same time that an answer names.
_MOST_NAMED = 5

_FIELDS = ("name", "start", "stop", "allday", "start_date", "stop_date", "location", "show_as")


@attrs.frozen(kw_only=True)
class Attendee(op.Shown):
    """A person who is invited to a meeting.

    Attributes:
        id: Id of the contact.
        answer: ``accepted``, ``declined``, ``tentative``, or ``needsAction`` if there is no answer
            yet.
    """

    id: int
    name: str
    email: str | None = None
    answer: str | None = None


def attendees_of(odoo: Odoo, rows: Sequence[op.Row]) -> dict[int, list[Attendee]]:
    """Return the attendees of meetings, by the meeting's id."""
    found: dict[int, list[Attendee]] = {row["id"]: [] for row in rows}
    domain = [["event_id", "in", list(found)]]
    fields = ["event_id", "partner_id", "email", "state"]
    for row in op.read_rows(odoo, ATTENDEE, domain, fields, acts_on=MODEL, order="id"):
        if row["partner_id"] and row["event_id"]:
            found[row["event_id"].id].append(
                Attendee(
                    id=row["partner_id"].id,
                    name=row["partner_id"].name,
                    email=row["email"],
                    answer=row["state"],
                )
            )
    return found


def meetings_of(
    odoo: Odoo, partners: Sequence[int], first: date, last: date, zone: ZoneInfo
) -> list[tuple[op.Row, list[Attendee]]]:
    """Return the meetings of some people that touch some days, with their attendees."""
    begins, ends = day_start(first, zone), day_start(day_after(last), zone)
    timed = ["&", "&", ["allday", "=", False], ["start", "<", utc_string(ends)]]
    timed.append(["stop", ">", utc_string(begins)])
    whole = ["&", "&", ["allday", "=", True], ["start_date", "<=", last.isoformat()]]
    whole.append(["stop_date", ">=", first.isoformat()])
    domain = [
        ["partner_ids", "in", list(partners)],
        ["active", "=", True],
        "|",
        *timed,
        *whole,
    ]
    rows = op.read_rows(odoo, MODEL, domain, [*_FIELDS, "partner_ids"], order="start, id")
    if not rows:
        return []
    _fill_in_people(odoo, rows, partners)
    attendees = attendees_of(odoo, rows)
    return [(row, attendees[row["id"]]) for row in rows]


def _fill_in_people(odoo: Odoo, rows: Sequence[op.Row], partners: Sequence[int]) -> None:
    """Find out who takes part in other people's private meetings; a round trip for each person.

    Odoo finds these meetings by their people, and then shows nobody.
    """
    hidden = {row["id"]: row for row in rows if not row["partner_ids"]}
    if not hidden:
        return
    by_id = ["id", "in", list(hidden)]
    found = op.side_by_side(
        [
            lambda p=partner: op.read_rows(odoo, MODEL, [by_id, ["partner_ids", "in", [p]]], ["id"])  # type: ignore[misc]
            for partner in partners
        ]
    )
    for partner, theirs in zip(partners, found, strict=True):
        for row in theirs:
            hidden[row["id"]]["partner_ids"] = [*(hidden[row["id"]]["partner_ids"] or ()), partner]


def comes(partner: int, attendees: Sequence[Attendee]) -> bool:
    """Whether somebody has not declined."""
    return all(one.answer != "declined" for one in attendees if one.id == partner)


def takes_part(partner: int, meeting: op.Row, attendees: Sequence[Attendee]) -> bool:
    """Whether somebody is invited to a meeting, and has not declined."""
    return partner in (meeting["partner_ids"] or ()) and comes(partner, attendees)


def span_of(meeting: op.Row, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return from when to when a meeting lasts; one of whole days in the zone's days."""
    if not meeting["allday"]:
        return local(meeting["start"], zone), local(meeting["stop"], zone)
    first, last = (date.fromisoformat(meeting[name]) for name in ("start_date", "stop_date"))
    begins, ends = day_start(first, zone), day_start(day_after(last), zone)
    return local(begins, zone), local(ends, zone)


def taken_by(meeting: op.Row, guests: Sequence[Attendee], named: Mapping[int, str]) -> list[str]:
    """Return the names of those whom a meeting keeps busy; of none if it is shown as free."""
    if meeting["show_as"] == "free":
        return []
    return [name for number, name in named.items() if takes_part(number, meeting, guests)]


def conflicts(
    odoo: Odoo,
    named: Mapping[int, str],
    begins: datetime,
    ends: datetime,
    zone: ZoneInfo,
    *,
    but: int | None = None,
) -> list[str]:
    """Say who is busy at a time, and with which meeting; two round trips, one if nobody is.

    Args:
        odoo: the connection.
        named: the people, by the id of their contact.
        begins, ends: naive UTC.
        zone: of the times in the answer.
        but: a meeting that does not count.
    """
    first, last = local(begins, zone), local(ends, zone)
    said = []
    for meeting, guests in meetings_of(odoo, list(named), first.date(), last.date(), zone):
        starts, stops = span_of(meeting, zone)
        if meeting["id"] == but or starts >= last or stops <= first:
            continue
        if who := taken_by(meeting, guests, named):
            said.append(
                f"Busy then: {', '.join(who)}, with"
                f" {meeting['name']!r}, {starts:%Y-%m-%d %H:%M} to {stops:%Y-%m-%d %H:%M}."
            )
    if len(said) > _MOST_NAMED:
        said[_MOST_NAMED:] = [f"There are {len(said) - _MOST_NAMED} more meetings at that time."]
    return said
