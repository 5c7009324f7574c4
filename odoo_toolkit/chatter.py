"""Messages of a record: what Odoo shows in the chatter below its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, JsonSchema, Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import MESSAGE_BODY_ESCAPED_SINCE
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.html_text import html_to_text
from odoo_toolkit.owner_records import (
    RecordId,
    afterwards,
    check_has,
    check_owner,
    reading_of,
    record_name,
    returned_id,
)
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.records.arguments import checked_ids
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import iso_utc

#: Most messages that one call returns.
MAX_MESSAGES = 100

#: What a message is logged as, unless told: comments go to followers, notes stay internal.
_SUBTYPES = {"comment": "mail.mt_comment", "notification": "mail.mt_note"}

_MESSAGE_FIELDS = [
    "date",
    "author_id",
    "email_from",
    "message_type",
    "subtype_id",
    "subject",
    "body",
    "attachment_ids",
]


@attrs.frozen(kw_only=True)
class Message:
    """A message of a record.

    Attributes:
        date: ISO 8601 in UTC.
        author: None where the sender is no partner; ``email_from`` tells who it was.
        type: comment, email, notification, ...
        subtype: such as Discussions (went to followers) or Note (internal), in the user's language.
        body: text, or HTML where that was asked for.
        attachment_ids: files of the message.
    """

    id: int
    date: str | None
    author: RecordName | None
    type: str
    subject: str
    body: str
    email_from: str
    subtype: str | None = None
    attachment_ids: list[int] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class MessagesResult:
    """Messages, the newest first; ``has_more`` tells of older ones."""

    messages: list[Message]
    count: int
    has_more: bool


@attrs.frozen(kw_only=True)
class Notified:
    """Somebody whom a message was sent to.

    Attributes:
        by: inbox, email, sms, ...
        status: such as ready (waits in the queue), sent, exception (failed), canceled.
    """

    id: int
    name: str
    by: str
    status: str


@attrs.frozen(kw_only=True)
class PostedMessage:
    """A message that was posted.

    Attributes:
        body: the HTML that Odoo stored; None where it could not be read.
        notified: who was told, and how; the author never is.
        warnings: what went otherwise than asked.
    """

    id: int
    model: str
    record_id: int
    body: str | None
    notified: list[Notified]
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_messages(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    limit: Annotated[int, Ge(1), AtMost(MAX_MESSAGES), Doc("Most messages.")] = 20,
    message_types: Annotated[
        Sequence[str],
        JsonSchema({"type": "array", "items": {"type": "string"}}),
        Len(1),
        Doc("email, comment (by users), notification (by Odoo), ..."),
    ] = ("email", "comment"),
    strip_html: Annotated[bool, Doc("Bodies as text instead of HTML.")] = True,
) -> MessagesResult:
    """Return the newest messages of a record; three requests, side by side.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        record_id: the record.
        limit: most messages, at most 100.
        message_types: as in the selection of ``mail.message.message_type`` of this server.
        strip_html: bodies as readable text.

    Raises:
        ValidationError: the model has no chatter; there is no such message type.
        NotFoundError: there is no such record.
        AccessError: Odoo or the policy does not allow it.
    """
    check_has(odoo, model, "message_ids", "chatter")
    _check_types(odoo, message_types)
    limit = min(limit, MAX_MESSAGES)
    domain = [
        ["model", "=", model],
        ["res_id", "=", record_id],
        ["message_type", "in", list(message_types)],
    ]
    # One more than asked for tells whether there are more. Odoo takes away what the user may not
    # see after it has cut at the limit, so that fewer tell nothing: then the count does.
    arguments = {
        "domain": domain,
        "fields": _MESSAGE_FIELDS,
        "limit": limit + 1,
        "order": "date desc, id desc",
    }
    _, rows, total = side_by_side(
        [
            lambda: check_owner(odoo, model, record_id),
            lambda: odoo.call(reading_of(model, "mail.message", "search_read", **arguments)),
            lambda: odoo.call(reading_of(model, "mail.message", "search_count", domain=domain)),
        ]
    )
    messages = [_message(row, strip_html) for row in rows[:limit]]
    return MessagesResult(messages=messages, count=len(messages), has_more=total > len(messages))


def post_message(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    body: Annotated[str, Doc("Plain text; line breaks are kept, tags are shown as they are.")],
    message_type: Annotated[
        Literal["comment", "notification"],
        Doc("comment: sent to followers; notification: internal note."),
    ] = "comment",
    subtype: Annotated[
        Literal["mail.mt_comment", "mail.mt_note"] | None,
        Doc("Instead of what follows from message_type."),
    ] = None,
    partner_ids: Annotated[
        Sequence[int],
        JsonSchema({"type": "array", "items": {"type": "integer"}}),
        Doc("Partners to notify besides the followers."),
    ] = (),
) -> PostedMessage:
    """Post a message on a record and return it as stored, with who was notified.

    Three steps: record and partners are looked up side by side, the message is posted, message
    and notifications are read side by side.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        record_id: the record.
        body: plain text. Odoo 14 to 16 take a body for HTML, 17 and later escape it; it is sent
            in such a way that readers see this text on each.
        message_type: comment or notification.
        subtype: ``mail.mt_comment`` (to followers) or ``mail.mt_note`` (internal).
        partner_ids: partners to notify; on Odoo 14 to 18 they become followers.

    Raises:
        ValidationError: the model has no chatter, the body is empty; nothing was posted.
        NotFoundError: there is no such record or partner; nothing was posted.
        AccessError: Odoo or the policy does not allow it; nothing was posted.
    """
    if not isinstance(body, str) or not body.strip():
        raise ValidationError("The body is empty.", suggestion="Write the text to post.")
    if message_type not in _SUBTYPES:
        raise ValidationError(
            f"message_type {message_type!r} cannot be posted.",
            suggestion="Use comment (to followers) or notification (internal note).",
        )
    if subtype not in (None, *_SUBTYPES.values()):
        raise ValidationError(
            f"There is no subtype {subtype!r}.",
            suggestion="Use mail.mt_comment (to followers) or mail.mt_note (internal).",
        )
    partners = list(checked_ids(partner_ids)) if partner_ids else []
    check_has(odoo, model, "message_ids", "chatter")
    html = written_text(odoo.schema.fields("mail.message")["body"], body)
    arguments: dict[str, Any] = {
        "body": html,
        "message_type": message_type,
        "subtype_xmlid": subtype or _SUBTYPES[message_type],
    }
    if odoo.version.major >= MESSAGE_BODY_ESCAPED_SINCE:
        arguments["body_is_html"] = True
    if partners:
        arguments["partner_ids"] = partners
    call = Call(
        model=model,
        method="message_post",
        ids=(record_id,),
        arguments=arguments,
        access="write",
        step=True,
    )
    odoo.check(call)
    side_by_side(
        [
            lambda: check_owner(odoo, model, record_id),
            lambda: _check_partners(odoo, partners),
        ]
        if partners
        else [lambda: check_owner(odoo, model, record_id)]
    )
    message_id = _first_id(odoo.call(call))
    posted, notified, warnings = _read_posted(odoo, model, message_id, html)
    return PostedMessage(
        id=message_id,
        model=model,
        record_id=record_id,
        body=posted,
        notified=notified,
        message=f"Posted message {message_id} on {model} {record_id}; {_told(notified)}.",
        warnings=warnings,
    )


# What is checked before anything is written --------------------------------------------------


def _check_types(odoo: Odoo, types: Sequence[str]) -> None:
    if isinstance(types, str) or not types:
        raise ValidationError(
            "message_types must be a list of message types.", suggestion='Give e.g. ["comment"].'
        )
    known = [value for value, _ in odoo.schema.fields("mail.message")["message_type"].selection]
    if unknown := [name for name in types if name not in known]:
        raise ValidationError(
            f"This Odoo has no message type {', '.join(map(repr, unknown))}.",
            suggestion=f"Choose of {', '.join(known)}.",
            code="INVALID_SELECTION",
            details={"model": "mail.message", "field": "message_type"},
        )


def _check_partners(odoo: Odoo, ids: list[int]) -> None:
    found = odoo.call(
        Call(
            model="res.partner",
            method="search",
            arguments={"domain": [["id", "in", ids]]},
            context={"active_test": False},
        )
    )
    if missing := [i for i in ids if i not in found]:
        raise NotFoundError(
            f"There is no partner {', '.join(map(str, missing))}, or this user may not see it.",
            suggestion="Look the partners up with odoo_core_search_read on res.partner.",
            details={"model": "res.partner", "field": "partner_ids", "ids": missing},
        )


# What is read --------------------------------------------------------------------------------


def _message(row: dict[str, Any], strip_html: bool) -> Message:
    body = row["body"] or ""
    return Message(
        id=row["id"],
        date=iso_utc(row["date"]) or None,
        author=record_name(row["author_id"]),
        type=row["message_type"],
        subject=row["subject"] or "",
        body=html_to_text(body) if strip_html else body,
        email_from=row["email_from"] or "",
        subtype=row["subtype_id"][1] if row["subtype_id"] else None,
        attachment_ids=row["attachment_ids"],
    )


def _read_posted(
    odoo: Odoo, model: str, message_id: int, html: str
) -> tuple[str | None, list[Notified], list[str]]:
    """Return a posted message's body, who was notified, and what is odd about it."""
    warnings: list[str] = []
    message = reading_of(
        model, "mail.message", "search_read", domain=[["id", "=", message_id]], fields=["body"]
    )
    notifications = reading_of(
        model,
        "mail.notification",
        "search_read",
        domain=[["mail_message_id", "=", message_id]],
        fields=["res_partner_id", "notification_type", "notification_status"],
    )
    messages, rows = side_by_side(
        [
            lambda: afterwards(lambda: odoo.call(message), warnings, "message"),
            lambda: afterwards(lambda: odoo.call(notifications), warnings, "notifications"),
        ]
    )
    body = messages[0]["body"] or "" if messages else None
    if body is not None and html_to_text(body).split() != html_to_text(html).split():
        warnings.append("Odoo stored another text than was given: see body.")
    notified = [
        Notified(
            id=row["res_partner_id"][0],
            name=row["res_partner_id"][1],
            by=row["notification_type"],
            status=row["notification_status"] or "",
        )
        for row in rows or ()
        if row["res_partner_id"]
    ]
    return body, notified, warnings


def _first_id(answer: Any) -> int:
    message_id = returned_id(answer)
    if message_id is None:
        raise OdooError(
            "Odoo did not say which message it posted.",
            suggestion="Look with odoo_chatter_get_messages before posting it again.",
            outcome="maybe_applied",
        )
    return message_id


def _told(notified: list[Notified]) -> str:
    if not notified:
        return "nobody was notified"
    return "notified: " + ", ".join(person.name for person in notified)
