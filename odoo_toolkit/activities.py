"""Activities: what users are to do about a record, and by when."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.html_text import html_to_text
from odoo_toolkit.owner_records import (
    RecordId,
    afterwards,
    check_has,
    check_id,
    check_owner,
    reading_of,
    record_name,
    returned_id,
)
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import day_string

ActivityType = Literal["email", "call", "meeting", "todo", "upload_document"]

_FIELDS = ["activity_type_id", "summary", "note", "date_deadline", "user_id", "state"]


@attrs.frozen(kw_only=True)
class Activity:
    """Something that a user is to do about a record.

    Attributes:
        deadline: a date.
        user: who is to do it; nobody on some activities of Odoo 19.
        state: overdue, today or planned.
    """

    id: int
    type: str | None
    summary: str
    note: str
    deadline: str | None
    user: RecordName | None
    state: str | None


@attrs.frozen(kw_only=True)
class ActivitiesResult:
    """Open activities of a record, the most urgent first."""

    activities: list[Activity]
    count: int


@attrs.frozen(kw_only=True)
class ScheduledActivity:
    """An activity that was scheduled; ``activity`` is None where it could not be read."""

    id: int | None
    activity: Activity | None
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DoneActivity:
    """An activity that was marked done.

    Attributes:
        done: whether it is gone from the open activities, as read afterwards.
        message_id: the message in the record's chatter that tells of it.
    """

    id: int
    done: bool
    message_id: int | None
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_activities(odoo: Odoo, model: Model, record_id: RecordId) -> ActivitiesResult:
    """Return the open activities of a record by deadline; two requests, side by side.

    Raises:
        ValidationError: the model has no activities.
        NotFoundError: there is no such record.
        AccessError: Odoo or the policy does not allow it.
    """
    check_has(odoo, model, "activity_ids", "activities")
    domain = [["res_model", "=", model], ["res_id", "=", record_id]]
    _, activities = side_by_side(
        [
            lambda: check_owner(odoo, model, record_id),
            lambda: _read_activities(odoo, model, domain),
        ]
    )
    return ActivitiesResult(activities=activities or [], count=len(activities or []))


def schedule_activity(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    activity_type: ActivityType = "todo",
    summary: Annotated[str, Doc("A few words.")] = "",
    note: Annotated[str, Doc("Plain text.")] = "",
    date_deadline: Annotated[str | None, Doc("YYYY-MM-DD; default today.")] = None,
    user_id: Annotated[int | None, Ge(1), Doc("Who is to do it; default oneself.")] = None,
) -> ScheduledActivity:
    """Schedule an activity on a record and return it as stored; three steps.

    Made by the record's own ``activity_schedule``, which every user may call; to create a
    ``mail.activity`` one would need the id of the model, which ordinary users may not read.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        record_id: the record.
        activity_type: one of the types that Odoo brings along.
        summary: a few words.
        note: plain text; tags in it are shown, not obeyed.
        date_deadline: a day; today in the connection's time zone by default.
        user_id: who is to do it (``res.users``); oneself by default.

    Raises:
        ValidationError: the model has no activities, the date is none; nothing was scheduled.
        NotFoundError: there is no such record, user or type; nothing was scheduled.
        AccessError: Odoo or the policy does not allow it; nothing was scheduled.
    """
    check_has(odoo, model, "activity_ids", "activities")
    if user_id is not None:
        check_id(user_id, "user_id")
    xmlid = f"mail.mail_activity_data_{activity_type}"
    arguments: dict[str, Any] = {"act_type_xmlid": xmlid, "summary": summary}
    if note:
        arguments["note"] = written_text(odoo.schema.fields("mail.activity")["note"], note)
    if date_deadline is not None:
        arguments["date_deadline"] = _day(date_deadline)
    # Left out, Odoo 19 assigns it to nobody.
    arguments["user_id"] = odoo.uid if user_id is None else user_id
    call = Call(
        model=model,
        method="activity_schedule",
        ids=(record_id,),
        arguments=arguments,
        access="write",
        step=True,
    )
    odoo.check(call)
    owned = [["res_model", "=", model], ["res_id", "=", record_id]]
    before = side_by_side(
        [
            lambda: _ids(odoo, model, owned),
            lambda: check_owner(odoo, model, record_id),
            # Odoo takes an unknown type for none.
            lambda: _check_type(odoo, activity_type, xmlid),
            lambda: _check_user(odoo, user_id),
        ]
    )[0]
    try:
        activity_id = returned_id(odoo.call(call))
    except OdooConnectionError as error:
        # To 18 it returns a record, which XML-RPC cannot carry: it is scheduled nevertheless.
        added = _added(odoo, model, [*owned, ["create_uid", "=", odoo.uid]], before)
        if error.outcome != "maybe_applied" or not added:
            raise
        activity_id = added
    if activity_id is None:
        return ScheduledActivity(
            id=None,
            activity=None,
            message="Odoo scheduled nothing.",
            warnings=["Odoo answered without an activity: activities may be switched off."],
        )
    warnings: list[str] = []
    found = afterwards(
        lambda: _read_activities(odoo, model, [["id", "=", activity_id]]), warnings, "activity"
    )
    return ScheduledActivity(
        id=activity_id,
        activity=found[0] if found else None,
        message=f"Scheduled activity {activity_id} on {model} {record_id}.",
        warnings=warnings,
    )


def mark_activity_done(
    odoo: Odoo,
    activity_id: Annotated[int, Ge(1), Doc("Id of the activity.")],
    feedback: Annotated[str, Doc("Plain text: what came of it.")] = "",
) -> DoneActivity:
    """Mark an activity done, which posts a message on its record; three steps.

    Odoo 14 to 18 delete the activity then, 19 archives it.

    Args:
        odoo: the connection.
        activity_id: an open activity.
        feedback: plain text, shown in the message.

    Raises:
        NotFoundError: there is no such open activity for this user; nothing was done.
        AccessError: Odoo or the policy does not allow it; nothing was done.
    """
    check_id(activity_id, "activity_id")
    domain = [["id", "=", activity_id]]
    search = Call(
        model="mail.activity",
        method="search_read",
        arguments={
            "domain": [*odoo.record_filter("mail.activity", domain), *domain],
            "fields": ["res_model", "res_id", "display_name"],
        },
        internal=True,
    )
    rows = odoo.call(search)
    if not rows:
        raise NotFoundError(
            f"There is no open activity {activity_id}, or this user may not see it.",
            suggestion="odoo_chatter_get_activities lists the open activities of a record.",
            details={"model": "mail.activity", "ids": [activity_id]},
        )
    row = rows[0]
    model = row["res_model"] or None
    done = Call(
        model="mail.activity",
        method="action_feedback",
        ids=(activity_id,),
        arguments={"feedback": feedback},
        access="write",
        acts_on=model,
        step=True,
    )
    message_id = returned_id(odoo.call(done))
    warnings: list[str] = []
    left = afterwards(lambda: odoo.call(search), warnings, "activity")
    is_done = left is not None and not left
    about = f" on {model} {row['res_id']}" if model else ""
    return DoneActivity(
        id=activity_id,
        done=is_done,
        message_id=message_id,
        message=f"{row['display_name'] or 'The activity'}{about}"
        f" {'is done' if is_done else 'was marked done'}.",
        warnings=warnings if left is None or is_done else ["Odoo still lists it as open."],
    )


def _check_type(odoo: Odoo, name: str, xmlid: str) -> None:
    module, _, xml_id = xmlid.partition(".")
    # ir.model.data itself is not readable for ordinary users from 15 on; this answers everybody.
    lookup = Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments={"module": module, "xml_id": xml_id},
        access="read",
        internal=True,
    )
    try:
        odoo.call(lookup)
    except (ValidationError, NotFoundError):
        raise NotFoundError(
            f"This Odoo has no activity type {name!r} ({xmlid}).",
            suggestion="Choose another of email, call, meeting, todo, upload_document.",
            details={"model": "mail.activity.type", "field": "activity_type"},
        ) from None


def _check_user(odoo: Odoo, user_id: int | None) -> None:
    if user_id is None:
        return
    search = Call(
        model="res.users",
        method="search",
        arguments={"domain": [["id", "=", user_id]]},
        internal=True,
    )
    if not odoo.call(search):
        raise NotFoundError(
            f"There is no active user {user_id}.",
            suggestion="Look for the user with odoo_core_search_read on res.users; user_id is not"
            " the id of a partner or an employee.",
            details={"model": "res.users", "field": "user_id", "ids": [user_id]},
        )


def _day(value: str) -> str:
    try:
        return day_string(value)
    except (ValueError, TypeError, AttributeError):
        raise ValidationError(
            f"date_deadline {str(value)[:40]!r} is not a date.",
            suggestion="Write it as YYYY-MM-DD.",
            details={"field": "date_deadline"},
        ) from None


def _ids(odoo: Odoo, model: str, domain: list[Any]) -> list[int]:
    found: list[int] = odoo.call(reading_of(model, "mail.activity", "search", domain=domain))
    return found


def _added(odoo: Odoo, model: str, domain: list[Any], before: list[int] | None) -> int | None:
    """Return the newest activity that was not there before, None where that cannot be found."""
    try:
        return max(set(_ids(odoo, model, domain)) - set(before or ()), default=None)
    except OdooError:
        return None


def _read_activities(odoo: Odoo, model: str, domain: list[Any]) -> list[Activity]:
    rows = odoo.call(
        reading_of(
            model,
            "mail.activity",
            "search_read",
            domain=domain,
            fields=_FIELDS,
            order="date_deadline, id",
        )
    )
    return [
        Activity(
            id=row["id"],
            type=row["activity_type_id"][1] if row["activity_type_id"] else None,
            summary=row["summary"] or "",
            note=html_to_text(row["note"] or ""),
            deadline=row["date_deadline"] or None,
            user=record_name(row["user_id"]),
            state=row["state"] or None,
        )
        for row in rows
    ]
