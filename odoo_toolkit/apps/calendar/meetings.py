"""Functions that create, move and cancel meetings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Gt, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.calendar.busy import MODEL, Attendee, attendees_of, conflicts
from odoo_toolkit.apps.calendar.repeating import DAYS, Repeat, series_values
from odoo_toolkit.apps.calendar.zones import local, to_utc, zone_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.mail.outcome import MESSAGE, Delivery, deliveries
from odoo_toolkit.mail.recipients import people
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import utc_string
from odoo_toolkit.values.search_text import literal

EVENT = op.Document(
    model=MODEL,
    noun="meeting",
    argument="meeting_id",
    fields="""
        name start stop allday location partner_ids alarm_ids user_id active recurrency
        recurrence_id
    """,
)
ALARM = "calendar.alarm"

#: With this in the context, Odoo writes no invitations.
_SILENT = {"no_mail_to_attendees": True}

Zone = Annotated[str | None, Doc("Such as Europe/Berlin. Default: the user's.")]
MeetingId = Annotated[int | None, Ge(1), Doc("Id of the meeting.")]
MeetingName = Annotated[str | None, Doc("Subject, instead of the id.")]
Moment = Annotated[
    str | datetime,
    op.JsonSchema({"type": "string"}),
    Doc("YYYY-MM-DDTHH:MM in the time zone, or with an offset."),
]
Which = Literal["this", "following", "all"]


@attrs.frozen(kw_only=True)
class Meeting(op.Shown):
    """A meeting as it is now.

    Attributes:
        start, stop: Start and end, ISO 8601 with the offset of the time zone.
        timezone: Time zone of start and stop.
        organizer: User who is responsible.
        attendees: People who are invited, with their answers.
        repeats: True if it belongs to a series.
        meetings: Number of meetings in the series.
        active: False if it is cancelled.
        invitations: Status of each e-mail to an attendee. Empty if Odoo wrote none.
        warnings: Differences from your request.
    """

    id: int
    name: str
    start: str | None = None
    stop: str | None = None
    timezone: str
    all_day: bool = False
    location: str | None = None
    organizer: RecordName | None = None
    attendees: list[Attendee] = attrs.Factory(list)
    repeats: bool = False
    meetings: int | None = None
    active: bool | None = None
    invitations: list[Delivery] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


CREATE = op.Step(model=EVENT.model, method="create", says="Meeting created")
MOVE = op.Step(model=EVENT.model, method="write", says="Meeting moved")
CANCEL = op.Step(model=EVENT.model, method="write", says="Meeting cancelled")


@op.operation
def create_meeting(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Subject.")],
    start: Moment,
    duration: Annotated[float, Gt(0), Doc("Hours.")] = 1.0,
    timezone: Zone = None,
    attendees: Annotated[
        op.NamesOrIds, Doc("Contacts by name, id or e-mail address, besides the user.")
    ] = None,
    include_me: Annotated[bool, Doc("Whether the connected user takes part.")] = True,
    location: Annotated[str | None, Doc("Where it takes place.")] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    reminders: Annotated[
        Sequence[int] | None,
        op.JsonSchema({"type": "array", "items": {"type": "integer"}}),
        Doc("Minutes before the start, one notification each."),
    ] = None,
    repeat: Annotated[
        Repeat | None,
        Doc("monthly: on the same date. monthly_weekday: such as the second Monday."),
    ] = None,
    every: Annotated[int, Ge(1), Doc("2 means every second day, week, ...")] = 1,
    weekdays: Annotated[
        Sequence[str] | None,
        op.JsonSchema({"type": "array", "items": {"enum": list(DAYS)}}),
        Doc("For weekly. Default: the first meeting's."),
    ] = None,
    count: Annotated[int | None, Ge(1), Doc("Number of meetings.")] = None,
    until: Annotated[
        str | date | None, op.JsonSchema({"type": "string"}), Doc("Last day, instead of count.")
    ] = None,
    invite: Annotated[bool, Doc("Whether Odoo e-mails invitations.")] = True,
    dry_run: op.DryRun = False,
) -> Meeting | op.Plan:
    """Create a meeting, or a series of meetings, in a time zone.

    >>> create_meeting(odoo, name="Budget", start="2030-03-11T09:00", timezone="Europe/Berlin",
    ...                attendees=["Azure Interior"]).start
    '2030-03-11T09:00:00+01:00'

    The time zone defaults to that of the connection. A series keeps its time of day when the clocks
    change. It has at most 200 meetings.

    Raises:
        AmbiguousNameError: A name matches several contacts. Nothing was written.
        NotFoundError: The contact does not exist. Nothing was written.
        ValidationError: An argument is wrong, or the clocks skip the time or show it twice. Nothing
            was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the subject of the meeting.")
    zone = zone_of(odoo, timezone)
    begins = to_utc(start, zone, "start")
    hours = op.checked_number(duration, "duration", positive=True)
    series = series_values(
        odoo,
        local(begins, zone),
        repeat=repeat,
        every=every,
        weekdays=weekdays,
        count=count,
        until=until,
        timezone=zone.key,
    )
    op.permit(odoo, CREATE, dry_run=dry_run)
    rows = people(odoo, list(attendees or ()), acts_on=EVENT.model, argument="attendees")
    guests = {row["id"]: row for row in rows}
    me = own_partner(odoo)
    coming = {number: row["display_name"] for number, row in guests.items()}
    if include_me and me not in guests:
        coming = {me: "you", **coming}
    ids = list(coming)
    if not ids:
        raise ValidationError(
            "Add at least one attendee to the meeting.",
            suggestion="Pass attendees, or include_me=True.",
            code="MISSING_REQUIRED_FIELD",
            details={"field": "attendees"},
        )
    ends = begins + timedelta(hours=hours)
    values: dict[str, Any] = {
        "name": name,
        "start": utc_string(begins),
        "stop": utc_string(ends),
        "partner_ids": [[6, 0, ids]],
        **series,
    }
    if location is not None:
        values["location"] = location
    if description is not None:
        field = odoo.schema.fields(EVENT.model)["description"]
        values["description"] = op.written_text(field, description)
    if reminders:
        values["alarm_ids"] = _alarms(odoo, reminders)
    step = attrs.evolve(CREATE.of(vals_list=values), context={} if invite else _SILENT)
    silent = [row["display_name"] for row in guests.values() if not row["email"]]
    busy = conflicts(odoo, coming, begins, ends, zone)

    def result(done: op.Done) -> Meeting:
        row = op.afterwards(lambda: _first(odoo, done.id, begins), done.warnings)
        made = _meeting(odoo, row or {"id": done.id, "name": name}, zone, done.warnings)
        invited = [person for person in made.attendees if person.id != me]
        missing = set(guests) - {person.id for person in made.attendees} if row else set()
        done.warnings.extend(f"Odoo did not accept attendee {number}." for number in missing)
        if row and (row["start"], row["stop"]) != (_iso(begins), _iso(ends)):
            done.warnings.append(f"Odoo stored different times: {made.start} to {made.stop}.")
        done.warnings.extend(busy)
        if invite and invited:
            done.warnings.extend(_uninvited(silent, begins))
        return attrs.evolve(
            made, message=f"Created {_shown(made)}. {_invited(made, invite=invite)}".strip()
        )

    would = f"Would create {name!r} {_span(begins, ends, zone)}"
    if guests:
        who = ", ".join(row["display_name"] for row in guests.values())
        would += f" with {who}, {'who are invited by e-mail' if invite else 'without invitations'}"
    plan = op.operate(odoo, [step], (), result, message=f"{would}.", dry_run=dry_run)
    if isinstance(plan, op.Plan):
        plan.warnings.extend(busy)
        plan.warnings.extend(_uninvited(silent, begins) if guests and invite else [])
    return plan


@op.operation
def move_meeting(
    odoo: Odoo,
    *,
    meeting_id: MeetingId = None,
    meeting_name: MeetingName = None,
    start: Moment,
    duration: Annotated[float | None, Gt(0), Doc("Hours. Default: unchanged.")] = None,
    timezone: Zone = None,
    which: Annotated[
        Literal["this", "following"], Doc("In a series: this one, or also the following ones.")
    ] = "this",
    invite: Annotated[bool, Doc("Whether Odoo e-mails the new time.")] = True,
    dry_run: op.DryRun = False,
) -> Meeting | op.Plan:
    """Move a meeting to another time.

    >>> move_meeting(odoo, meeting_id=5, start="2030-03-12T14:00", timezone="Europe/Berlin").start
    '2030-03-12T14:00:00+01:00'

    A name finds only upcoming meetings. The time zone defaults to that of the connection.

    Raises:
        AmbiguousNameError: Several meetings have that subject. Nothing was written.
        NotFoundError: The meeting does not exist. Nothing was written.
        ValidationError: An argument is wrong, or the clocks skip the time or show it twice. Nothing
            was written.
        AccessError: Odoo or the policy does not allow it.
    """
    zone = zone_of(odoo, timezone)
    begins = to_utc(start, zone, "start")
    hours = None if duration is None else op.checked_number(duration, "duration", positive=True)
    op.permit(odoo, MOVE, dry_run=dry_run)
    row = find_meeting(odoo, meeting_id, meeting_name, zone)
    if row["allday"]:
        raise ValidationError(
            f"{row['name']!r} lasts all day and has no time.",
            suggestion="Change its days with write on calendar.event.",
            details={"id": row["id"]},
        )
    was = _utc(row["start"])
    ends = begins + (_utc(row["stop"]) - was if hours is None else timedelta(hours=hours))
    values: dict[str, Any] = {"start": utc_string(begins), "stop": utc_string(ends)}
    following = which == "following" and row["recurrency"]
    if row["recurrency"]:
        values["recurrence_update"] = "future_events" if following else "self_only"
    step = attrs.evolve(MOVE.of(vals=values), context={} if invite else _SILENT)
    before = newest(odoo, row["id"])
    coming = {one.id: one.name for one in attendees_of(odoo, [row])[row["id"]]}
    busy = conflicts(odoo, coming, begins, ends, zone, but=row["id"]) if coming else []

    def result(done: op.Done) -> Meeting:
        now = op.afterwards(lambda: op.read(odoo, EVENT, row["id"]), done.warnings)
        made = _meeting(odoo, now or row, zone, done.warnings, since=before)
        if now and (now["start"], now["stop"]) != (_iso(begins), _iso(ends)):
            done.warnings.append(f"Odoo stored different times: {made.start} to {made.stop}.")
        done.warnings.extend(busy)
        return attrs.evolve(
            made, message=f"Moved {_shown(made)}. {_invited(made, invite=invite)}".strip()
        )

    old = _span(was, _utc(row["stop"]), zone)
    more = ", and the later meetings of the series" if following else ""
    would = f"Would move {row['name']!r} from {old} to {_span(begins, ends, zone)}{more}."
    plan = op.operate(odoo, [step], [row["id"]], result, message=would, dry_run=dry_run)
    if isinstance(plan, op.Plan):
        plan.warnings.extend(busy)
    return plan


@op.operation
def cancel_meeting(
    odoo: Odoo,
    *,
    meeting_id: MeetingId = None,
    meeting_name: MeetingName = None,
    which: Annotated[
        Which, Doc("In a series: this one, this and the following ones, or all.")
    ] = "this",
    timezone: Zone = None,
    dry_run: op.DryRun = False,
) -> Meeting | op.Plan:
    """Cancel a meeting. It is archived, so you can restore it.

    >>> cancel_meeting(odoo, meeting_id=5).active
    False

    Odoo does not notify the attendees. A name finds only upcoming meetings.

    Raises:
        AmbiguousNameError: Several meetings have that subject. Nothing was written.
        NotFoundError: The meeting does not exist. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    zone = zone_of(odoo, timezone)
    op.permit(odoo, CANCEL, dry_run=dry_run)
    row = find_meeting(odoo, meeting_id, meeting_name, zone)
    if not row["active"]:
        return _meeting(
            odoo, row, zone, [], since=None, message=f"{row['name']!r} is already cancelled."
        )
    ids = [row["id"]]
    if which != "this" and row["recurrence_id"]:
        domain: list[Any] = [
            ["recurrence_id", "=", row["recurrence_id"].id],
            ["active", "=", True],
        ]
        if which == "following":
            domain.append(["start", ">=", utc_string(_utc(row["start"]))])
        found = [one["id"] for one in op.read_rows(odoo, EVENT.model, domain, ["start"])]
        ids = [row["id"], *(number for number in found if number != row["id"])]

    def result(done: op.Done) -> Meeting:
        now = op.afterwards(lambda: op.read(odoo, EVENT, row["id"]), done.warnings)
        # Odoo writes no e-mails about it: what it wrote before is not of interest.
        made = _meeting(odoo, now or row, zone, done.warnings, since=None)
        if others := [one.name for one in made.attendees if one.id != own_partner(odoo)]:
            done.warnings.append(
                f"Odoo does not notify the attendees. Inform {', '.join(others)} yourself."
            )
        number = f" and {len(ids) - 1} more of its series" if len(ids) > 1 else ""
        return attrs.evolve(made, message=f"Cancelled {_shown(made)}{number}.")

    span = _span(_utc(row["start"]), _utc(row["stop"]), zone)
    number = f" and {len(ids) - 1} more of its series" if len(ids) > 1 else ""
    would = f"Would cancel {row['name']!r} {span}{number}."
    step = CANCEL.of(vals={"active": False})
    return op.operate(odoo, [step], ids, result, message=would, dry_run=dry_run)


# Finding ---------------------------------------------------------------------------------------


def own_partner(odoo: Odoo) -> int:
    """Return the contact of the user of the connection."""
    domain = [["id", "=", odoo.uid]]
    rows = op.read_rows(odoo, "res.users", domain, ["partner_id"], acts_on=EVENT.model)
    number: int = rows[0]["partner_id"].id
    return number


def find_meeting(
    odoo: Odoo, meeting_id: int | None, meeting_name: str | None, zone: ZoneInfo
) -> op.Row:
    """Return the row of the meeting meant; by its subject only one that is still to come.

    Raises:
        AmbiguousNameError: several have that subject; the matches say when they are.
        NotFoundError: there is none.
        ValidationError: neither or both were given.
    """
    if (meeting_id is None) == (not (meeting_name or "").strip()):
        raise ValidationError(
            "Pass either meeting_id or meeting_name.",
            code="MISSING_REQUIRED_FIELD",
            details={"field": "meeting_id"},
        )
    if meeting_id is not None:
        return op.read(odoo, EVENT, meeting_id)
    text = str(meeting_name).strip()
    now = utc_string(datetime.now(UTC))
    domain = [["name", "=ilike", literal(text)], ["stop", ">=", now], ["active", "=", True]]
    rows = op.read_rows(odoo, EVENT.model, domain, EVENT.fields, limit=11, order="start")
    if not rows:
        domain[0] = ["name", "ilike", literal(text)]
        rows = op.read_rows(odoo, EVENT.model, domain, EVENT.fields, limit=11, order="start")
    if not rows:
        raise NotFoundError(
            f"No upcoming meeting is called {text!r} (meeting_name).",
            suggestion="Find its id with get_agenda or search_read on calendar.event.",
            details={"model": EVENT.model, "field": "meeting_id", "name": text},
        )
    if len(rows) > 1:
        matches = [
            RecordName(id=row["id"], name=f"{row['name']}, {_at(_utc(row['start']), zone)}")
            for row in rows
        ]
        raise op.AmbiguousNameError("meeting_id", text, EVENT.model, matches)
    return rows[0]


def _first(odoo: Odoo, made: int, begins: datetime) -> op.Row:
    """Return the row of what was created; of a series the first, which may be another record."""
    row = op.read(odoo, EVENT, made)
    if row["active"] or not row["recurrency"]:
        return row
    domain = [
        ["name", "=", row["name"]],
        ["start", "=", utc_string(begins)],
        ["create_uid", "=", odoo.uid],
        ["active", "=", True],
    ]
    rows = op.read_rows(odoo, EVENT.model, domain, EVENT.fields, limit=1, order="id desc")
    return rows[0] if rows else row


def _alarms(odoo: Odoo, minutes: Sequence[int]) -> list[list[Any]]:
    """Return commands that link the reminders there are, and make those that are missing."""
    wanted = [checked_count(number, f"reminders[{i}]", 0) for i, number in enumerate(minutes)]
    domain = [["alarm_type", "=", "notification"], ["duration_minutes", "in", wanted]]
    fields = ["duration_minutes"]
    rows = op.read_rows(odoo, ALARM, domain, fields, acts_on=EVENT.model, order="id desc")
    known = {row["duration_minutes"]: row["id"] for row in rows}
    return [
        [4, known[number], 0]
        if number in known
        else [
            0,
            0,
            {
                "name": f"{number} minutes",
                "alarm_type": "notification",
                "duration": number,
                "interval": "minutes",
            },
        ]
        for number in dict.fromkeys(wanted)
    ]


# Results ---------------------------------------------------------------------------------------


def newest(odoo: Odoo, meeting: int) -> int:
    """Return the id of the newest message about a meeting; 0 where there is none."""
    domain = [["model", "=", EVENT.model], ["res_id", "=", meeting]]
    fields, model = ["id"], EVENT.model
    rows = op.read_rows(odoo, MESSAGE, domain, fields, acts_on=model, limit=1, order="id desc")
    return rows[0]["id"] if rows else 0


def _invitations(odoo: Odoo, row: op.Row, since: int) -> list[Delivery]:
    """Return what became of the e-mails about a meeting."""
    domain = [["model", "=", EVENT.model], ["res_id", "=", row["id"]], ["id", ">", since]]
    rows = op.read_rows(odoo, MESSAGE, domain, ["id"], acts_on=EVENT.model)
    return deliveries(odoo, EVENT.model, [message["id"] for message in rows])


def _meeting(
    odoo: Odoo,
    row: op.Row,
    zone: ZoneInfo,
    warnings: list[str],
    *,
    since: int | None = 0,
    message: str = "",
) -> Meeting:
    """Return a meeting with its attendees, and the e-mails about it after a message, if any."""
    known = "start" in row
    people_of = op.afterwards(lambda: attendees_of(odoo, [row]), warnings, "the attendees") or {}
    sent = (
        op.afterwards(lambda: _invitations(odoo, row, since), warnings, "the invitations")
        if known and since is not None
        else None
    )
    number = None
    if row.get("recurrence_id"):
        domain = [["recurrence_id", "=", row["recurrence_id"].id], ["active", "=", True]]
        series = op.afterwards(
            lambda: op.read_rows(odoo, EVENT.model, domain, ["id"]), warnings, "the series"
        )
        number = len(series) if series is not None else None
    return Meeting(
        id=row["id"],
        name=row["name"],
        start=local(row["start"], zone).isoformat() if known else None,
        stop=local(row["stop"], zone).isoformat() if known else None,
        timezone=zone.key,
        all_day=bool(row.get("allday")),
        location=row.get("location"),
        organizer=row.get("user_id"),
        attendees=people_of.get(row["id"], []),
        repeats=bool(row.get("recurrency")),
        meetings=number,
        active=row.get("active"),
        invitations=sent or [],
        message=message,
        warnings=warnings,
    )


def _uninvited(silent: Sequence[str], begins: datetime) -> list[str]:
    told = [f"{name} has no e-mail address, so Odoo sends no invitation." for name in silent]
    if begins < datetime.now(UTC).replace(tzinfo=None):
        told.append("The meeting is in the past: Odoo sends no invitations.")
    return told


def _invited(made: Meeting, *, invite: bool) -> str:
    if not invite:
        return "No invitations were sent."
    if not made.invitations:
        return "Odoo shows no invitations."
    told = ", ".join(
        f"{one.name}: {one.status}{f' ({one.failure})' if one.failure else ''}"
        for one in made.invitations
    )
    return f"Invitations: {told}."


def _shown(made: Meeting) -> str:
    series = f" ({made.meetings} meetings)" if made.meetings else ""
    return f"{made.name!r} ({made.id}), {made.start} to {made.stop}{series}"


def _utc(value: str) -> datetime:
    return local(value, ZoneInfo("UTC")).replace(tzinfo=None)


def _iso(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='seconds')}Z"


def _at(moment: datetime, zone: ZoneInfo) -> str:
    return f"{local(moment, zone):%Y-%m-%d %H:%M}"


def _span(begins: datetime, ends: datetime, zone: ZoneInfo) -> str:
    first, last = local(begins, zone), local(ends, zone)
    until = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M} to {until} ({zone.key})"
