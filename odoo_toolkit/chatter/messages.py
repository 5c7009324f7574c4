"""Functions for the messages of a record, which Odoo shows in the chatter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, DryRun, JsonSchema, Model, readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.chatter.attachments.content import MAX_BYTES
from odoo_toolkit.chatter.message_files import MessageFile, PostsOn, check_files, message_files
from odoo_toolkit.chatter.owner_records import (
    MOST_RECORDS,
    RecordId,
    beside_owner,
    check_exist,
    check_has,
    read_several,
    says,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import MESSAGE_BODY_ESCAPED_SINCE, words
from odoo_toolkit.connection.parallel import gather
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.operations.documents import Document, afterwards, filled, read_rows
from odoo_toolkit.operations.lines import NamesOrIds
from odoo_toolkit.operations.steps import Done, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.arguments import checked_ids
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.values.plain_text import written_text

_MODEL = "mail.message"

_PARTNER = Document(model="res.partner", noun="partner", argument="partner_ids", fields=())

#: Most messages that one call returns, and records that one call posts on.
MAX_MESSAGES = 100

Body = Annotated[str, Doc("Plain text. Line breaks are kept, and tags shown as text.")]

#: What a message is logged as, unless told: comments go to followers, notes stay internal. Both
#: are stored as comments, as by "Log note": type notification is for what Odoo logs by itself.
_NOTE = "mail.mt_note"
_SUBTYPES = {"comment": "mail.mt_comment", "notification": _NOTE}

_MESSAGE_FIELDS = words(
    "date author_id email_from message_type subtype_id subject body attachment_ids"
)


@attrs.frozen(kw_only=True)
class Message(Shown):
    """A message of a record.

    Attributes:
        date: Date and time, ISO 8601 in UTC.
        author: Author. None if the sender is not a contact. See ``email_from`` then.
        type: Such as ``comment``, ``email`` or ``notification``.
        subtype: Subtype in the user's language, such as Discussions (sent to followers) or Note
            (internal).
        body: Text, or HTML if you asked for it.
        attachment_ids: Ids of the files of the message.
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
    """Messages, newest first. ``has_more`` says whether there are older ones."""

    messages: list[Message]
    count: int
    has_more: bool


@attrs.frozen(kw_only=True)
class Notified(Shown):
    """A person who was notified of a message.

    Attributes:
        by: Such as ``inbox``, ``email`` or ``sms``.
        status: Such as ``ready`` (in the queue), ``sent``, ``exception`` (failed) or ``canceled``.
    """

    id: int
    name: str
    by: str
    status: str | None = None


@attrs.frozen(kw_only=True)
class PostedMessage(Shown):
    """A message that was posted.

    Attributes:
        body: HTML that Odoo stored. None if it could not be read.
        attachment_ids: Ids of its files.
        notified: People who were notified, and how. The author is never notified.
        warnings: Differences from your request.
    """

    id: int
    model: str
    record_id: int
    body: str | None = None
    attachment_ids: list[int] = attrs.Factory(list)
    notified: list[Notified]
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class PostedNote(Shown):
    """A note on one of several records. ``message_id`` is None if Odoo did not return it."""

    record: RecordName
    message_id: int | None = None


@attrs.frozen(kw_only=True)
class PostedNotes(Shown):
    """A note on several records.

    Attributes:
        notes: Notes that were posted.
        not_posted: Records without the note. ``warnings`` says why.
    """

    model: str
    notes: list[PostedNote]
    not_posted: list[RecordName] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


def get_messages(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    limit: Annotated[int, Ge(1), AtMost(MAX_MESSAGES), Doc("Maximum number of messages.")] = 20,
    message_types: Annotated[
        Sequence[str],
        JsonSchema({"type": "array", "items": {"type": "string"}}),
        Len(1),
        Doc("email, comment (by users, or notes), notification (by Odoo), ..."),
    ] = ("email", "comment"),
    strip_html: Annotated[bool, Doc("Return text instead of HTML.")] = True,
) -> MessagesResult:
    """Return the newest messages of a record.

    You get at most 100 messages. The types are those of ``mail.message.message_type`` on your
    server. It takes 3 requests in parallel.

    Raises:
        ValidationError: The model has no chatter, or the message type does not exist.
        NotFoundError: The record does not exist.
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
    body: Body,
    message_type: Annotated[
        Literal["comment", "notification"], Doc("notification is an internal note.")
    ] = "comment",
    subtype: Annotated[
        Literal["mail.mt_comment", "mail.mt_note"] | None,
        Doc("Subtype, instead of message_type's default."),
    ] = None,
    partner_ids: Annotated[
        Sequence[int],
        JsonSchema({"type": "array", "items": {"type": "integer"}}),
        Doc("Partners to notify besides the followers."),
    ] = (),
    *,
    attachments: Annotated[
        Sequence[MessageFile] | None,
        JsonSchema({"type": "array", "items": {"type": "object"}}),
        Doc("Each {'id'} of a file on this record, or a new file: {'name', 'content_base64'}."),
    ] = None,
    max_bytes: int = MAX_BYTES,
    dry_run: DryRun = False,
) -> PostedMessage | Plan:
    """Post a message on a record, and return it with the people who were notified.

    Odoo 14 to 16 read a body as HTML, and Odoo 17 and later escape it. The toolkit sends it so that
    readers see your text on every version. The subtype is ``mail.mt_comment`` (to followers) or
    ``mail.mt_note`` (internal). On Odoo 14 to 18 the partners become followers.

    Attach files of the record by id, or new files by name and content. Their ``mimetype`` is
    handled as in :func:`~odoo_toolkit.chatter.attachments.upload`.

    It takes 3 steps. The toolkit looks up the record, partners and files in parallel, posts the
    message, and reads the message and its notifications in parallel. Each new file takes 1 more
    request before the message.

    Args:
        max_bytes: Maximum size of a file.

    Raises:
        ValidationError: The model has no chatter, the body is empty, or a file is wrong. Nothing
            was posted.
        NotFoundError: The record or partner does not exist, or the record has no such file. Nothing
            was posted.
        AccessError: Odoo or the policy does not allow it. Nothing was posted.
    """
    _check_body(body)
    if message_type not in _SUBTYPES:
        raise ValidationError(
            f"message_type cannot be {message_type!r}.",
            suggestion="Use comment (to followers) or notification (internal note).",
        )
    if subtype not in (None, *_SUBTYPES.values()):
        raise ValidationError(
            f"There is no subtype {subtype!r}.",
            suggestion="Use mail.mt_comment (to followers) or mail.mt_note (internal).",
        )
    partners = list(checked_ids(partner_ids)) if partner_ids else []
    there, new = message_files(attachments, max_bytes)
    kind = subtype or _SUBTYPES[message_type]
    post = PostsOn(model=model, method="message_post", owner=model, kind=_MODEL, record=record_id)
    permit(odoo, attrs.evolve(post, files=new), dry_run=dry_run)
    check_has(odoo, model, "message_ids", "chatter")
    post = _posting(odoo, post, body, kind)
    html = post.html["body"]
    arguments = dict(post.arguments)
    if partners:
        arguments["partner_ids"] = partners
    if there:
        arguments["attachment_ids"] = there
    checks: list[Callable[[], Any]] = [lambda: check_exist(odoo, _PARTNER, partners)] * bool(
        partners
    )
    if there:
        checks.append(lambda: check_files(odoo, model, record_id, there))
    beside_owner(odoo, model, record_id, *checks)

    def result(done: Done) -> PostedMessage:
        (message_id,), warnings = _posted_id(done.answers[0]), done.warnings
        warnings.extend(remark for file in new for remark in file.remarks)
        stored, files, notified = _read_posted(odoo, model, message_id, warnings)
        if files is not None and len(files) != len(there) + len(new):
            warnings.append(f"The message has {len(files)} of {len(there) + len(new)} files.")
        if stored is not None and not says(html_to_text(stored), html):
            warnings.append("Odoo stored another text than you passed. The result's body shows it.")
        told = ", ".join(person.name for person in notified)
        return PostedMessage(
            id=message_id,
            model=model,
            record_id=record_id,
            body=stored,
            attachment_ids=files or [],
            notified=notified,
            message=f"Posted message {message_id} on {model} {record_id}. "
            f"{f'Notified: {told}' if told else 'No one was notified'}.",
            warnings=warnings,
        )

    what = "an internal note" if kind == _NOTE else "a message"
    count = len(there) + len(new)
    files_too = f" with {count} file{'s' * (count > 1)}" if count else ""
    would = f"Would post {what}{files_too} on {model} {record_id}."
    post = attrs.evolve(post, arguments=arguments, files=new)
    return operate(odoo, [post], [record_id], result, message=would, dry_run=dry_run)


@operation
def post_notes(
    odoo: Odoo,
    *,
    model: Model,
    records: Annotated[
        NamesOrIds, Len(1, MOST_RECORDS), Doc("Names or ids of records of the model.")
    ],
    body: Body,
    dry_run: DryRun = False,
) -> PostedNotes | Plan:
    """Post the same internal note on several records. No one is notified.

    >>> post_notes(odoo, model="res.partner", records=["ACME Ltd", 26], body="On hold").message
    'Posted the note on 2 of 2 res.partner records.'

    Pass up to 100 records. Odoo posts on one record at a time. If one fails, the remaining records
    are not tried, and the result lists them. It takes 3 requests, and 1 for each record.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was posted.
        NotFoundError: The record does not exist. Nothing was posted.
        ValidationError: The model has no chatter, the body is empty, or you passed no records, too
            many, or one twice. Nothing was posted.
        AccessError: Odoo or the policy does not allow it. Nothing was posted.
    """
    _check_body(body)
    post = PostsOn(model=model, method="message_post", owner=model, kind=_MODEL, record=0)
    permit(odoo, post, dry_run=dry_run)
    check_has(odoo, model, "message_ids", "chatter")
    rows = read_several(odoo, model, records)
    names = [RecordName(id=row["id"], name=row["display_name"]) for row in rows]
    post = _posting(odoo, post, body, _NOTE)
    steps = [
        attrs.evolve(
            post,
            record=one.id,
            like={**post.like, "res_id": one.id},
            says=f"Posted on {one.name}",
            fails=f"Not posted on {one.name} ({one.id}) and those after it",
        )
        for one in names
    ]

    def result(done: Done) -> PostedNotes:
        made = [*zip(names, done.answers, strict=False)]
        notes = [
            PostedNote(record=one, message_id=answer[0] if answer else None) for one, answer in made
        ]
        return PostedNotes(
            model=model,
            notes=notes,
            not_posted=names[len(notes) :],
            message=f"Posted the note on {len(notes)} of {len(names)} {model} records.",
            warnings=[*done.warnings, *_not_as_given(odoo, model, notes, post.html["body"])],
        )

    listed = ", ".join(f"{one.name} ({one.id})" for one in names)
    count = f"{len(names)} {model} record{'s' * (len(names) > 1)}"
    would = f"Would post an internal note on {count}: {listed}."
    return operate(odoo, steps, [names[0].id], result, message=would, dry_run=dry_run)


def _check_body(body: str) -> None:
    if not isinstance(body, str) or not body.strip():
        raise ValidationError("The body is empty.", suggestion="Write the text to post.")


def _posting(odoo: Odoo, step: PostsOn, body: str, subtype: str) -> PostsOn:
    """Return the step with its text, in such a way that readers see it on each version."""
    html = written_text(odoo.schema.fields(_MODEL)["body"], body)
    arguments = {"body": html, "message_type": "comment", "subtype_xmlid": subtype}
    as_html = {"body_is_html": True} if odoo.version.major >= MESSAGE_BODY_ESCAPED_SINCE else {}
    return attrs.evolve(
        step,
        arguments={**arguments, **as_html},
        like={"model": step.model, "res_id": step.record, "message_type": "comment"},
        html={"body": html},
    )


def _posted_id(answer: list[int]) -> list[int]:
    if not answer:
        raise OdooError(
            "Odoo returned no id for the message.",
            suggestion="Check with get_messages before you post the message again.",
            outcome="maybe_applied",
        )
    return answer


def _not_as_given(odoo: Odoo, model: str, notes: Sequence[PostedNote], html: str) -> list[str]:
    """Say which notes Odoo did not tell of, or stored otherwise than given; one round trip."""
    warnings = [
        f"Odoo did not say which message it posted on {note.record.name} ({note.record.id})."
        for note in notes
        if note.message_id is None
    ]
    records = {note.message_id: note.record for note in notes if note.message_id is not None}
    rows = afterwards(
        lambda: read_rows(
            odoo,
            _MODEL,
            [["id", "in", list(records)]],
            ["body"],
            acts_on=model,
            strip_html=False,
        ),
        warnings,
        "the notes",
    )
    stored = {row["id"]: row["body"] for row in rows or ()}
    for number, record in records.items() if rows is not None else ():
        if number not in stored:
            warnings.append(
                f"The note {number} on {record.name} ({record.id}) cannot be read back."
            )
        elif not says(html_to_text(stored[number] or ""), html):
            warnings.append(f"Odoo stored another text on {record.name} ({record.id}).")
    return warnings


def _check_types(odoo: Odoo, types: Sequence[str]) -> None:
    if isinstance(types, str) or not types:
        raise ValidationError(
            "message_types must be a list of message types.",
            suggestion='Pass a list such as ["comment"].',
        )
    known = [value for value, _ in odoo.schema.fields("mail.message")["message_type"].selection]
    if unknown := [name for name in types if name not in known]:
        raise ValidationError(
            f"This Odoo has no message type {', '.join(map(repr, unknown))}.",
            suggestion=f"Choose from {', '.join(known)}.",
            code="INVALID_SELECTION",
            details={"model": "mail.message", "field": "message_type"},
        )


def _read_posted(
    odoo: Odoo, model: str, message_id: int, warnings: list[str]
) -> tuple[str | None, list[int] | None, list[Notified]]:
    """Return a posted message's body as HTML, its files, and who was notified."""

    def rows(of: str, domain: list[Any], fields: list[str], what: str) -> list[dict[str, Any]]:
        def read() -> list[dict[str, Any]]:
            return read_rows(odoo, of, domain, fields, acts_on=model, strip_html=False)

        return afterwards(read, warnings, what) or []

    by = ["res_partner_id", "notification_type", "notification_status"]
    of_message = [["mail_message_id", "=", message_id]]
    messages, notifications = gather(
        lambda: rows(_MODEL, [["id", "=", message_id]], ["body", "attachment_ids"], "the message"),
        lambda: rows("mail.notification", of_message, by, "who was notified"),
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
    if not messages:
        return None, None, notified
    return messages[0]["body"] or "", messages[0]["attachment_ids"] or [], notified


readable_signatures(globals())
