"""Functions for activities: tasks of users about a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import DryRun, Model, readable_signatures
from odoo_toolkit.call import asking
from odoo_toolkit.chatter.owner_records import (
    EndsOwned,
    MakesOwned,
    beside_owner,
    check_exist,
    check_has,
    check_id,
    find_owned,
    is_there,
    read_several,
    returned_id,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import ACTIVITIES_OF_CHANGEABLE_RECORDS, ACTIVITY_RETURNED_AS_IDS_SINCE
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError, ValidationError, invalid
from odoo_toolkit.operations.documents import Document, Row, afterwards, filled, read_rows
from odoo_toolkit.operations.lines import NamesOrIds, today
from odoo_toolkit.operations.steps import Done, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.names import resolve
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import day_string
from odoo_toolkit.values.plain_text import written_text

ActivityType = Annotated[
    Literal["email", "call", "meeting", "todo", "upload_document"], Doc("Kind of activity.")
]

ACTIVITY = Document(
    model="mail.activity",
    noun="open activity",
    argument="activity_id",
    fields=("res_model", "res_id", "display_name"),
)

_USER = Document(
    model="res.users",
    noun="active user (not a partner or employee)",
    argument="user_id",
    fields=(),
    domain=(["active", "=", True],),
)

_FIELDS = ["activity_type_id", "summary", "note", "date_deadline", "user_id", "state"]
_RECORD = ["res_model", "res_id", "res_name"]

#: Most activities of a user that are told.
_MOST = 100


@attrs.frozen(kw_only=True)
class Activity(Shown):
    """A task of a user about a record.

    Attributes:
        deadline: Due date.
        user: Assignee. None for some activities of Odoo 19.
        state: ``overdue``, ``today`` or ``planned``.
        model: Model of the record. Like ``record``, it is set in a user's list.
    """

    id: int
    type: str | None = None
    summary: str | None = None
    note: str | None = None
    deadline: str | None = None
    user: RecordName | None = None
    state: str | None = None
    model: str | None = None
    record: RecordName | None = None


@attrs.frozen(kw_only=True)
class ActivitiesResult(Shown):
    """Open activities, the most urgent first. ``has_more`` says whether there are others.

    Attributes:
        warnings: On Odoo 15 and 16, a warning that other activities may be hidden.
    """

    activities: list[Activity]
    count: int
    has_more: bool = False
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ScheduledActivity(Shown):
    """An activity that was scheduled. ``activity`` is None if it could not be read.

    Attributes:
        ids: Ids of all activities. ``id`` and ``activity`` belong to the first one.
    """

    id: int | None = None
    ids: list[int] = attrs.Factory(list)
    activity: Activity | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DoneActivity(Shown):
    """An activity that was marked as done.

    Attributes:
        done: True if it is no longer open, as read afterwards.
        message_id: Id of the message about it on the record.
    """

    id: int
    done: bool
    message_id: int | None = None
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_activities(
    odoo: Odoo,
    model: Annotated[Model | None, Doc("Technical name of the model, such as res.partner.")] = None,
    record_id: Annotated[int | None, Ge(1), Doc("Id of the record.")] = None,
    user_id: Annotated[int | None, Doc("Id of the user.")] = None,
    user_name: Annotated[str | None, Doc("Name or login.")] = None,
) -> ActivitiesResult:
    """Return the open activities of a record, or of a user on all records, by deadline.

    Without a record, you get the activities of a user, at most 100. The user defaults to the
    connected user. Pass the name or login of another user. Odoo 15 and 16 return only activities on
    records that the user can change, and a warning says so.

    It takes 2 requests in parallel for a record, 1 for yourself, and 2 for another user.

    Raises:
        AmbiguousNameError: Several active users have the name.
        ValidationError: The model has no activities, or you passed only one of model and record.
        NotFoundError: The record does not exist, or no active user matches.
        AccessError: Odoo or the policy does not allow it.
    """
    if (model is None) is not (record_id is None):
        raise invalid(
            "record_id" if record_id is None else "model",
            "model and record_id belong together.",
            "Pass both, or neither to get all activities of a user.",
        )
    if model is not None:
        # Before any name is looked up.
        check_has(odoo, model, "activity_ids", "activities")
    user = _user(odoo, user_id, user_name)
    if model is None or record_id is None:
        mine = [["user_id", "=", user or odoo.uid]]
        asked: list[Callable[[], Any]] = [lambda: _read(odoo, None, mine, limit=_MOST + 1)]
        if user is not None and user_id is not None:
            asked.append(lambda: check_exist(odoo, _USER, [user], internal=True))
        found, *_ = side_by_side(asked)
        told = found[:_MOST]
        more = len(found) > _MOST
        hidden = _hidden(odoo)
        return ActivitiesResult(activities=told, count=len(told), has_more=more, warnings=hidden)
    domain = [*_of_record(model, record_id), *([["user_id", "=", user]] if user else [])]
    activities, hidden = beside_owner(
        odoo, model, record_id, lambda: _read(odoo, model, domain), lambda: _hidden(odoo, model)
    )
    return ActivitiesResult(activities=activities, count=len(activities), warnings=hidden)


@operation
def schedule_activity(
    odoo: Odoo,
    model: Model,
    record_id: Annotated[int | None, Ge(1), Doc("Id of the record.")] = None,
    activity_type: ActivityType = "todo",
    summary: Annotated[str, Doc("Title of the activity.")] = "",
    note: Annotated[str, Doc("Plain text.")] = "",
    date_deadline: Annotated[str | None, Doc("YYYY-MM-DD. Default: today.")] = None,
    user_id: Annotated[int | None, Ge(1), Doc("Assignee. Default: the connected user.")] = None,
    user_name: Annotated[str | None, Doc("Name or login.")] = None,
    *,
    records: Annotated[NamesOrIds, Doc("Several records, by name or id.")] = None,
    dry_run: DryRun = False,
) -> ScheduledActivity | Plan:
    """Schedule an activity on a record, or the same activity on several records.

    For several records, pass up to 100 ids or names. Each record gets its own activity, one after
    the other. If one fails, the remaining records are not tried, and ``warnings`` lists them. The
    deadline defaults to today in the connection's time zone.

    The toolkit calls ``activity_schedule`` of the record, which every user can call. Ordinary users
    can't create a ``mail.activity``, because they can't read the id of the model.

    Raises:
        AmbiguousNameError: Several active users have the name. Nothing was scheduled.
        ValidationError: The model has no activities, the date is wrong, you passed a record twice,
            or no record. Nothing was scheduled.
        NotFoundError: The record, user or type does not exist. Nothing was scheduled.
        AccessError: Odoo or the policy does not allow it. Nothing was scheduled.
    """
    values: dict[str, Any] = {"summary": summary} if summary else {}
    if date_deadline is not None:
        values["date_deadline"] = _day(date_deadline)
    schedule = MakesOwned(
        model=model, method="activity_schedule", owner=model, kind=ACTIVITY.model, says="Scheduled"
    )
    permit(odoo, schedule, dry_run=dry_run)
    check_has(odoo, model, "activity_ids", "activities")
    values.setdefault("date_deadline", today(odoo))
    # Left out, Odoo 19 assigns it to nobody.
    values["user_id"] = _user(odoo, user_id, user_name) or odoo.uid
    xmlid = f"mail.mail_activity_data_{activity_type}"
    described = odoo.schema.fields(ACTIVITY.model) if note else {}
    text = {"note": written_text(described["note"], note)} if note else {}
    asked: list[Callable[[], Any]] = [lambda: _type_id(odoo, activity_type, xmlid)]
    if user_id is not None:
        asked.append(lambda: check_exist(odoo, _USER, [values["user_id"]], internal=True))
    if (record_id is None) is (records is None):
        raise invalid("records", "Pass either record_id or records.")
    if record_id is not None:
        type_id, *_ = beside_owner(odoo, model, record_id, *asked)
        ids, where = [record_id], f"{model} {record_id}"
    else:
        rows = read_several(odoo, model, records)
        type_id, *_ = side_by_side(asked)
        ids, names = [row["id"] for row in rows], [row["display_name"] for row in rows]
        listed = ", ".join(f"{name} ({n})" for name, n in zip(names, ids, strict=True))
        where = f"{len(ids)} {model} record{'s' * (len(ids) > 1)}: {listed}"

    def result(done: Done) -> ScheduledActivity:
        made, warnings = done.answers[0], done.warnings
        if not made:
            warnings.append("Odoo returned no activity. Activities may be disabled.")
            return ScheduledActivity(message="Odoo scheduled no activity.", warnings=warnings)
        if odoo.protocol == "xmlrpc" and odoo.version.major < ACTIVITY_RETURNED_AS_IDS_SINCE:
            # It never carries what is returned: nothing has gone wrong.
            warnings[:] = [text for text in warnings if text.startswith("Not scheduled")]
        every = [number for answer in done.answers for number in answer]
        by_id = [["id", "in", every]]
        found = afterwards(lambda: _read(odoo, model, by_id), warnings, "the activity") or []
        by_number = {activity.id: activity for activity in found}
        first = by_number.get(made[0])
        message = f"Scheduled activity {made[0]} on {where}."
        if records is not None:
            message = f"Scheduled {len(done.answers)} of {len(ids)} activities on {where}."
            if first and len(found) == len(every) and {*map(_planned, found)} == {_planned(first)}:
                message += f" Odoo stored each as {_said(first)}."
            elif first:
                warnings += [
                    f"Odoo stored activity {one.id} as {_said(one)}."
                    for one in found
                    if _planned(one) != _planned(first)
                ]
        return ScheduledActivity(
            id=made[0], ids=every, activity=first, message=message, warnings=warnings
        )

    schedule = attrs.evolve(
        schedule,
        arguments={"act_type_xmlid": xmlid, **values, **text},
        html=text,
    )
    like = {"res_model": model, "activity_type_id": type_id, **values}
    steps = [
        attrs.evolve(
            schedule,
            record=number,
            like={**like, "res_id": number},
            fails=f"Not scheduled on {model} {number} and those after it",
        )
        for number in ids
    ]
    would = f"Would schedule an activity ({activity_type}) on {where}."
    return operate(odoo, steps, ids[:1], result, message=would, dry_run=dry_run)


def _planned(activity: Activity) -> tuple[Any, ...]:
    """Return what is the same of all activities that are scheduled together."""
    return (activity.type, activity.summary, activity.note, activity.deadline, activity.user)


def _said(activity: Activity) -> str:
    title = f" {activity.summary!r}" if activity.summary else ""
    who = activity.user.name if activity.user else "nobody"
    return f"{activity.type}{title}, due {activity.deadline}, for {who}"


@operation
def mark_activity_done(
    odoo: Odoo,
    activity_id: Annotated[int, Ge(1), Doc("Id of the activity.")],
    feedback: Annotated[str, Doc("Plain text.")] = "",
    *,
    dry_run: DryRun = False,
) -> DoneActivity | Plan:
    """Mark an activity as done, which posts a message on its record.

    Odoo 14 to 18 then delete the activity, and Odoo 19 archives it. It takes 3 requests.

    Raises:
        NotFoundError: This user has no such open activity. Nothing was done.
        AccessError: Odoo or the policy does not allow it. Nothing was done.
    """
    row = find_owned(
        odoo, ACTIVITY, activity_id, "get_activities lists the open activities of a record."
    )
    model = row["res_model"] or None
    about = f" on {model} {row['res_id']}" if model else ""
    named = f"{row['display_name'] or 'The activity'}{about}"

    def result(done: Done) -> DoneActivity:
        warnings = done.warnings
        is_open = afterwards(
            lambda: is_there(odoo, ACTIVITY, activity_id), warnings, "the activity"
        )
        if is_open:
            warnings.append("Odoo still lists the activity as open.")
        return DoneActivity(
            id=activity_id,
            done=is_open is False,
            message_id=returned_id(done.answers[0]),
            message=f"{named} {'is done' if is_open is False else 'was marked done'}.",
            warnings=warnings,
        )

    done = EndsOwned(
        model=ACTIVITY.model,
        method="action_feedback",
        arguments={"feedback": feedback},
        owner=model,
        kind=ACTIVITY,
        says="Marked done",
    )
    would = f"Would mark done: {named}."
    return operate(odoo, [done], [activity_id], result, message=would, dry_run=dry_run)


def _type_id(odoo: Odoo, name: str, xmlid: str) -> int:
    """Return the id of an activity type, or refuse it: Odoo takes an unknown one for another."""
    module, _, xml_id = xmlid.partition(".")
    # ir.model.data itself is not readable for ordinary users from 15 on; this answers everybody.
    lookup = asking("ir.model.data", "check_object_reference", module=module, xml_id=xml_id)
    try:
        found: list[Any] = odoo.call(lookup)
    except (ValidationError, NotFoundError):
        raise NotFoundError(
            f"This Odoo has no activity type {name!r} ({xmlid}).",
            suggestion="Choose email, call, meeting, todo or upload_document.",
            details={"model": "mail.activity.type", "field": "activity_type"},
        ) from None
    return int(found[1])


def _day(value: str) -> str:
    try:
        return day_string(value)
    except (ValueError, TypeError, AttributeError):
        raise invalid(
            "date_deadline",
            f"date_deadline must be a date, got {str(value)[:40]!r}.",
            "Write the date as YYYY-MM-DD.",
        ) from None


def _user(odoo: Odoo, user_id: int | None, name: str | None) -> int | None:
    """Return the id of the user meant, if any; a name or login is looked up among active ones."""
    user = resolve(odoo, _USER.wanted(user_id, name), required=False)
    if user is not None:
        check_id(user, "user_id")
    return user


def _hidden(odoo: Odoo, model: str | None = None) -> list[str]:
    """Say where Odoo may hide activities: on records of a model, or wherever they are."""
    major = odoo.version.major
    if major not in ACTIVITIES_OF_CHANGEABLE_RECORDS or (model and odoo.schema.may(model, "write")):
        return []
    return [
        (
            f"Odoo {major} hides activities on records that the user cannot change, so there may "
            "be others."
        )
    ]


def _of_record(model: str, record_id: int) -> list[Any]:
    return [["res_model", "=", model], ["res_id", "=", record_id]]


def _read(
    odoo: Odoo, model: str | None, domain: list[Any], limit: int | None = None
) -> list[Activity]:
    """Return open activities; without a model, of all those that may be seen, with the record."""
    rows = read_rows(
        odoo,
        ACTIVITY.model,
        domain,
        _FIELDS if model else [*_FIELDS, *_RECORD],
        acts_on=model,
        limit=limit,
        order="date_deadline, id",
        # From 19 on, an archived one is done.
        active_test=True,
    )
    return [
        filled(
            Activity,
            row,
            type=row["activity_type_id"].name if row["activity_type_id"] else None,
            deadline=row["date_deadline"],
            model=row.get("res_model"),
            record=_about(row),
        )
        for row in rows
    ]


def _about(row: Row) -> RecordName | None:
    if not row.get("res_id"):
        return None
    return RecordName(id=row["res_id"], name=row["res_name"] or "")


readable_signatures(globals())
