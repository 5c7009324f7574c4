"""Functions that return the meetings of a person, and times when several people are free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Gt, Le, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.calendar.busy import Attendee, comes, meetings_of, span_of, taken_by
from odoo_toolkit.apps.calendar.meetings import EVENT, Zone, own_partner
from odoo_toolkit.apps.calendar.zones import day_after, zone_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
from odoo_toolkit.mail.recipients import people
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName

#: Most days that one call looks at, and most free times that it returns.
MOST_DAYS, MOST_TIMES = 62, 50

Day = Annotated[str | date | None, op.JsonSchema({"type": "string"})]
People = Annotated[
    Sequence[int | str], op.JsonSchema({"type": "array", "items": {"type": "string"}})
]


@attrs.frozen(kw_only=True)
class Slot(op.Shown):
    """A period of time.

    Attributes:
        start, stop: Start and end, ISO 8601 with the offset of the time zone.
        what: Subject of a meeting. None for free time.
        meeting_id: Id of a meeting.
        all_day: True if it lasts for whole days.
        attendees: Attendees of a meeting, with their answers.
        who: Person who has the meeting, if you asked about several people.
    """

    start: str
    stop: str
    what: str | None = None
    meeting_id: int | None = None
    all_day: bool = False
    location: str | None = None
    attendees: list[Attendee] = attrs.Factory(list)
    who: str | None = None


@attrs.frozen(kw_only=True)
class Agenda(op.Shown):
    """The meetings of one person, in order.

    Attributes:
        first_day, last_day: Days in the time zone.
    """

    person: RecordName
    first_day: str
    last_day: str
    timezone: str
    meetings: list[Slot]


@attrs.frozen(kw_only=True)
class FreeTimes(op.Shown):
    """Times when several people are all free.

    Attributes:
        free: Periods that are long enough, in order.
        busy: Meetings that keep the people busy, in order.
        has_more: True if there are more free times.
        warnings: If there is no free time, the people without whom there would be one.
    """

    people: list[RecordName]
    timezone: str
    free: list[Slot]
    busy: list[Slot]
    has_more: bool = False
    warnings: list[str] = attrs.Factory(list)


def get_agenda(
    odoo: Odoo,
    *,
    day: Annotated[Day, Doc("YYYY-MM-DD. Default: today.")] = None,
    days: Annotated[int, Ge(1), Le(MOST_DAYS), Doc("Number of days.")] = 1,
    person: Annotated[
        str | int | None,
        op.JsonSchema({"type": "string"}),
        Doc("Contact by name, id or e-mail address. Default: the connected user."),
    ] = None,
    timezone: Zone = None,
) -> Agenda:
    """Return a person's meetings on one or more days, without meetings that the person declined.

    >>> agenda = get_agenda(odoo, day="2030-03-11", timezone="Europe/Berlin")
    >>> [slot.what for slot in agenda.meetings]
    ['Budget']

    You can ask for at most 62 days. The time zone defaults to that of the connection.

    Raises:
        AmbiguousNameError: The name matches several contacts.
        NotFoundError: The contact does not exist.
        ValidationError: An argument is wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    zone = zone_of(odoo, timezone)
    first = _day(day, "day", zone)
    last = day_after(first, _days(days) - 1)
    given = [own_partner(odoo)] if person is None else [person]
    ((row,)) = people(odoo, given, acts_on=EVENT.model, argument="person")
    found = meetings_of(odoo, [row["id"]], first, last, zone)
    return Agenda(
        person=RecordName(id=row["id"], name=row["display_name"]),
        first_day=first.isoformat(),
        last_day=last.isoformat(),
        timezone=zone.key,
        meetings=[
            _slot(meeting, attendees, zone)
            for meeting, attendees in found
            if comes(row["id"], attendees)
        ],
    )


def find_times(
    odoo: Odoo,
    *,
    attendees: Annotated[People, Len(1), Doc("Contacts by name, id or e-mail address.")],
    duration: Annotated[float, Gt(0), Doc("Length in hours.")] = 1.0,
    day: Annotated[Day, Doc("First day, YYYY-MM-DD. Default: today.")] = None,
    days: Annotated[int, Ge(1), Le(MOST_DAYS), Doc("Number of days.")] = 5,
    earliest: Annotated[str, Doc("HH:MM, start of each day.")] = "09:00",
    latest: Annotated[str, Doc("HH:MM, end of each day.")] = "17:00",
    weekends: Annotated[bool, Doc("Include Saturdays and Sundays.")] = False,
    include_me: Annotated[bool, Doc("Include the connected user.")] = True,
    timezone: Zone = None,
) -> FreeTimes:
    """Return times when several people are all free, and the meetings that keep them busy.

    >>> found = find_times(
    ...     odoo, attendees=["Azure Interior"], day="2030-03-11", timezone="Europe/Berlin"
    ... )
    >>> found.free[0].start
    '2030-03-11T10:00:00+01:00'

    A person is busy during meetings that are shown as busy, unless the person declined. You can
    search at most 62 days. The time zone defaults to that of the connection.

    Raises:
        AmbiguousNameError: A name matches several contacts.
        NotFoundError: The contact does not exist.
        ValidationError: An argument is wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    zone = zone_of(odoo, timezone)
    needed = timedelta(hours=op.checked_number(duration, "duration", positive=True))
    first = _day(day, "day", zone)
    last = day_after(first, _days(days) - 1)
    opens, closes = _time(earliest, "earliest"), _time(latest, "latest")
    if opens >= closes:
        raise invalid("latest", "latest must be later than earliest.")
    if isinstance(attendees, str) or not attendees:
        raise invalid("attendees", "attendees must be a list of contacts.")
    given = [*attendees, *([own_partner(odoo)] if include_me else [])]
    rows = people(odoo, given, acts_on=EVENT.model, argument="attendees")
    named = {row["id"]: row["display_name"] for row in rows}
    taken: list[tuple[list[str], tuple[datetime, datetime]]] = []
    busy: list[Slot] = []
    for meeting, guests in meetings_of(odoo, list(named), first, last, zone):
        coming = taken_by(meeting, guests, named)
        if not coming:
            continue
        taken.append((coming, span_of(meeting, zone)))
        busy.append(attrs.evolve(_slot(meeting, [], zone), who=", ".join(coming)))
    now = datetime.now(zone)
    hours = [
        (max(datetime.combine(this, opens, zone), now), datetime.combine(this, closes, zone))
        for this in (day_after(first, number) for number in range((last - first).days + 1))
        if weekends or this.weekday() < 5
    ]

    def free_but_for(nobody: str | None) -> list[Slot]:
        """Return the times at which everybody is free, one person left aside."""
        spans = [span for who, span in taken if who != [nobody]]
        return [
            Slot(
                start=a.astimezone(zone).isoformat(timespec="seconds"),
                stop=b.astimezone(zone).isoformat(timespec="seconds"),
            )
            for begins, ends in hours
            for a, b in _gaps(begins, ends, spans)
            if b - a >= needed
        ]

    free = free_but_for(None)
    warnings = [] if free else _nearly(named, free_but_for)
    return FreeTimes(
        people=[RecordName(id=number, name=name) for number, name in named.items()],
        timezone=zone.key,
        free=free[:MOST_TIMES],
        busy=busy,
        has_more=len(free) > MOST_TIMES,
        warnings=warnings,
    )


def _nearly(named: Mapping[int, str], free_but_for: Callable[[str], list[Slot]]) -> list[str]:
    """Say without whom there would be a time, where there is none."""
    told = ["There is no time when all attendees are free."]
    others = {name: free_but_for(name) for name in named.values()} if len(named) > 1 else {}
    return told + [
        f"Without {name}, the first free time is {free[0].start} to {free[0].stop}."
        for name, free in others.items()
        if free
    ]


def _gaps(
    begins: datetime, ends: datetime, taken: Sequence[tuple[datetime, datetime]]
) -> list[tuple[datetime, datetime]]:
    """Return what is left of a stretch of time; compared in UTC, as clocks change."""
    here, until = begins.astimezone(UTC), ends.astimezone(UTC)
    gaps = []
    for start, stop in sorted((a.astimezone(UTC), b.astimezone(UTC)) for a, b in taken):
        if start >= until:
            break
        if start > here:
            gaps.append((here, start))
        here = max(here, stop)
    if here < until:
        gaps.append((here, until))
    return gaps


def _slot(meeting: op.Row, attendees: list[Attendee], zone: ZoneInfo) -> Slot:
    begins, ends = span_of(meeting, zone)
    return Slot(
        start=begins.isoformat(),
        stop=ends.isoformat(),
        what=meeting["name"],
        meeting_id=meeting["id"],
        all_day=bool(meeting["allday"]),
        location=meeting["location"],
        attendees=attendees,
    )


def _day(value: str | date | None, field: str, zone: ZoneInfo) -> date:
    text = op.checked_day(value, field)
    return datetime.now(zone).date() if text is None else date.fromisoformat(text)


def _days(value: int) -> int:
    number = checked_count(value, "days", 1)
    if number > MOST_DAYS:
        raise invalid("days", f"{number} days are too many. The maximum is {MOST_DAYS}.")
    return number


def _time(value: str, field: str) -> time:
    try:
        return time.fromisoformat(value.strip())
    except (ValueError, AttributeError, TypeError):
        raise invalid(
            field, f"{field} must be a time of day, got {str(value)[:40]!r}.", "Write HH:MM."
        ) from None
