"""Messages of a record: what Odoo shows in the chatter below its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, DryRun, JsonSchema, Model, readable_signatures
from odoo_toolkit.attached.owner_records import (
    MakesOwned,
    RecordId,
    beside_owner,
    check_exist,
    check_has,
    says,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import MESSAGE_BODY_ESCAPED_SINCE
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.html_text import html_to_text
from odoo_toolkit.operations.documents import Document, afterwards, filled, read_rows
from odoo_toolkit.operations.steps import Done, operate, permit
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.plain_text import written_text
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.arguments import checked_ids
from odoo_toolkit.records.results import RecordName

_MODEL = "mail.message"

_PARTNER = Document(model="res.partner", noun="partner", argument="partner_ids", fields=())

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
class Message(Shown):
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
    date: str | None = None
    author: RecordName | None = None
    type: str
    subject: str | None = None
    body: str | None = None
    email_from: str | None = None
    subtype: str | None = None
    attachment_ids: list[int] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class MessagesResult(Shown):
    """Messages, the newest first; ``has_more`` tells of older ones."""

    messages: list[Message]
    count: int
    has_more: bool


@attrs.frozen(kw_only=True)
class Notified(Shown):
    """Somebody whom a message was sent to.

    Attributes:
        by: inbox, email, sms, ...
        status: such as ready (waits in the queue), sent, exception (failed), canceled.
    """

    id: int
    name: str
    by: str
    status: str | None = None


@attrs.frozen(kw_only=True)
class PostedMessage(Shown):
    """A message that was posted.

    Attributes:
        body: the HTML that Odoo stored; None where it could not be read.
        notified: who was told, and how; the author never is.
        warnings: what went otherwise than asked.
    """

    id: int
    model: str
    record_id: int
    body: str | None = None
    notified: list[Notified]
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_messages(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    limit: Annotated[int, Ge(1), AtMost(MAX_MESSAGES)] = 20,
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
    counting = Call(
        model=_MODEL,
        method="search_count",
        arguments={"domain": domain},
        acts_on=model,
        step=True,
    )
    # One more than asked for tells whether there are more. Odoo takes away what the user may not
    # see after it has cut at the limit, so that fewer tell nothing: then the count does.
    rows, total = beside_owner(
        odoo,
        model,
        record_id,
        lambda: read_rows(
            odoo,
            _MODEL,
            domain,
            _MESSAGE_FIELDS,
            acts_on=model,
            limit=limit + 1,
            order="date desc, id desc",
            strip_html=strip_html,
        ),
        lambda: odoo.call(counting),
    )
    messages = [
        filled(
            Message,
            row,
            type=row["message_type"],
            subtype=row["subtype_id"].name if row["subtype_id"] else None,
        )
        for row in rows[:limit]
    ]
    return MessagesResult(messages=messages, count=len(messages), has_more=total > len(messages))


@operation
def post_message(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    body: Annotated[str, Doc("Plain text; line breaks are kept, tags are shown as they are.")],
    message_type: Literal["comment", "notification"] = "comment",
    subtype: Annotated[
        Literal["mail.mt_comment", "mail.mt_note"] | None,
        Doc("Instead of the usual subtype of message_type."),
    ] = None,
    partner_ids: Annotated[
        Sequence[int],
        JsonSchema({"type": "array", "items": {"type": "integer"}}),
        Doc("Partners to notify besides the followers."),
    ] = (),
    *,
    dry_run: DryRun = False,
) -> PostedMessage | Plan:
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
        dry_run: check everything and post nothing.

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
    post = MakesOwned(model=model, method="message_post", owner=model, kind=_MODEL, says="Posted")
    permit(odoo, post, dry_run=dry_run)
    check_has(odoo, model, "message_ids", "chatter")
    html = written_text(odoo.schema.fields(_MODEL)["body"], body)
    arguments: dict[str, Any] = {
        "body": html,
        "message_type": message_type,
        "subtype_xmlid": subtype or _SUBTYPES[message_type],
    }
    if odoo.version.major >= MESSAGE_BODY_ESCAPED_SINCE:
        arguments["body_is_html"] = True
    if partners:
        arguments["partner_ids"] = partners
    beside_owner(
        odoo,
        model,
        record_id,
        *([lambda: check_exist(odoo, _PARTNER, partners)] if partners else []),
    )

    def result(done: Done) -> PostedMessage:
        if not done.answers[0]:
            raise OdooError(
                "Odoo did not say which message it posted.",
                suggestion="Look with get_messages before posting it again.",
                outcome="maybe_applied",
            )
        (message_id,), warnings = done.answers[0], done.warnings
        stored, notified = _read_posted(odoo, model, message_id, warnings)
        if stored is not None and not says(html_to_text(stored), html):
            warnings.append("Odoo stored another text than was given: see body.")
        told = ", ".join(person.name for person in notified)
        return PostedMessage(
            id=message_id,
            model=model,
            record_id=record_id,
            body=stored,
            notified=notified,
            message=f"Posted message {message_id} on {model} {record_id};"
            f" {f'notified: {told}' if told else 'nobody was notified'}.",
            warnings=warnings,
        )

    post = attrs.evolve(
        post,
        arguments=arguments,
        like={"model": model, "res_id": record_id, "message_type": message_type},
        html={"body": html},
    )
    kind = "an internal note" if arguments["subtype_xmlid"] == "mail.mt_note" else "a message"
    would = f"Would post {kind} on {model} {record_id}."
    return operate(odoo, [post], [record_id], result, would=would, dry_run=dry_run)


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


def _read_posted(
    odoo: Odoo, model: str, message_id: int, warnings: list[str]
) -> tuple[str | None, list[Notified]]:
    """Return a posted message's body as HTML, and who was notified."""

    def rows(of: str, domain: list[Any], fields: list[str], what: str) -> list[dict[str, Any]]:
        def read() -> list[dict[str, Any]]:
            return read_rows(odoo, of, domain, fields, acts_on=model, strip_html=False)

        return afterwards(read, warnings, what) or []

    by = ["res_partner_id", "notification_type", "notification_status"]
    of_message = [["mail_message_id", "=", message_id]]
    messages, notifications = side_by_side(
        [
            lambda: rows(_MODEL, [["id", "=", message_id]], ["body"], "the message"),
            lambda: rows("mail.notification", of_message, by, "who was notified"),
        ]
    )
    notified = [
        Notified(
            id=row["res_partner_id"].id,
            name=row["res_partner_id"].name,
            by=row["notification_type"],
            status=row["notification_status"],
        )
        for row in notifications
        if row["res_partner_id"]
    ]
    return (messages[0]["body"] or "") if messages else None, notified


readable_signatures(globals())
