"""Files that are attached to records.

Content travels by Odoo's remote calls as base64, past the parsers
(:mod:`odoo_toolkit.connection.bulk`), so that a file costs little more memory than its own base64.
The web route ``/web/content`` would stream the bytes, but with an API key it needs an access token,
which is written to the attachment: reading would then need the right to write, and leave behind a
key that opens the file to anybody.
"""

from __future__ import annotations

import binascii
import os
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.bulk import receiving, sending
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.file_content import (
    Base64Text,
    DecodedBytes,
    FileSink,
    NewFile,
    base64_size,
    decoded_text,
    human_size,
    is_text_type,
    safe_name,
    stored_type,
)
from odoo_toolkit.owner_records import (
    RecordId,
    afterwards,
    check_id,
    check_owner,
    reading_of,
    record_name,
    returned_id,
)
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import iso_utc

MODEL = "ir.attachment"

#: Bytes up to which content is sent and given (REQ-09-15).
MAX_BYTES = 12 * 1024 * 1024

#: Most attachments that one call lists.
_MOST = 500

# Named one by one: without a list, or with the field raw, the servers of some versions answer
# with mangled text or an error page.
_FIELDS = [
    "name",
    "mimetype",
    "file_size",
    "type",
    "url",
    "res_model",
    "res_id",
    "create_date",
    "create_uid",
]
#: Base64 characters of a file's beginning, by which its type is told.
_HEAD = 4096

AttachmentId = Annotated[int, Ge(1), Doc("Id of the attachment.")]


@attrs.frozen(kw_only=True)
class Attachment:
    """A file attached to a record, without its content.

    Attributes:
        file_size: bytes; 0 for an address.
        created_at: ISO 8601 in UTC.
        url: where it is only an address on the web, not a file.
    """

    id: int
    name: str
    mimetype: str
    file_size: int
    file_size_human: str
    created_at: str | None
    created_by: RecordName | None
    url: str | None = None


@attrs.frozen(kw_only=True)
class AttachmentsResult:
    """Attachments of a record, the newest first; ``has_more`` where these are not all."""

    attachments: list[Attachment]
    count: int
    has_more: bool = False


@attrs.frozen(kw_only=True)
class AttachmentContent:
    """An attachment's content, or where it is.

    Attributes:
        encoding: text (then ``content`` has it) or base64 (``content_base64``); None where the
            content is not given: ``path``, ``url`` or ``warnings`` tell why.
        path: the file that it was written to.
        url: where the attachment is only an address on the web.
    """

    id: int
    name: str
    mimetype: str
    file_size: int
    encoding: str | None = None
    content: str | None = None
    content_base64: str | None = None
    path: str | None = None
    url: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class UploadedAttachment:
    """An attachment that was made; ``mimetype`` as Odoo stored it, which may change it."""

    id: int
    model: str
    record_id: int
    name: str
    mimetype: str | None
    file_size: int
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DeletedAttachment:
    """An attachment that was deleted."""

    id: int
    name: str
    deleted: bool
    message: str


def list_attachments(odoo: Odoo, model: Model, record_id: RecordId) -> AttachmentsResult:
    """Return the attachments of a record, the newest first; two requests, side by side.

    Raises:
        NotFoundError: there is no such record.
        AccessError: Odoo or the policy does not allow it.
    """
    search = reading_of(
        model,
        MODEL,
        "search_read",
        domain=[["res_model", "=", model], ["res_id", "=", record_id]],
        fields=_FIELDS,
        limit=_MOST + 1,
        order="create_date desc, id desc",
    )
    _, rows = side_by_side([lambda: check_owner(odoo, model, record_id), lambda: odoo.call(search)])
    attachments = [_attachment(row) for row in rows[:_MOST]]
    return AttachmentsResult(
        attachments=attachments, count=len(attachments), has_more=len(rows) > _MOST
    )


def get_content(
    odoo: Odoo,
    attachment_id: AttachmentId,
    as_text: Annotated[bool, Doc("Give a text file as text instead of base64.")] = False,
    *,
    max_bytes: int = MAX_BYTES,
    download_dir: str | os.PathLike[str] | None = None,
) -> AttachmentContent:
    """Return an attachment's content; two requests, one where it is not given.

    The size is asked first: what is too large to be given is not fetched.

    Args:
        odoo: the connection.
        attachment_id: the attachment.
        as_text: give text instead of base64, where declared type and bytes are text.
        max_bytes: content up to this size is given; of larger files only the description.
        download_dir: an existing folder that larger files are written to, under their own name,
            made safe; existing files are never overwritten.

    Raises:
        NotFoundError: there is no such attachment for this user, or its file is lost.
        AccessError: Odoo or the policy does not allow it.
    """
    row = _find(odoo, attachment_id)
    known = _described(row)
    read = _datas(row)
    odoo.check(read)
    if row["type"] == "url":
        return attrs.evolve(
            known, url=row["url"] or None, warnings=["It is an address on the web, not a file."]
        )
    if known.file_size > max_bytes:
        if download_dir is None:
            return attrs.evolve(known, warnings=[_too_large(known.file_size, max_bytes)])
        return _download(odoo, read, known, download_dir)
    if known.file_size == 0:
        return attrs.evolve(
            known,
            encoding="text" if as_text else "base64",
            content="" if as_text else None,
            content_base64=None if as_text else "",
            warnings=["The file is empty."],
        )
    warnings: list[str] = []
    if as_text:
        text, remark = _text(odoo, read, known)
        warnings += [remark] if remark else []
        if text is not None:
            return attrs.evolve(known, encoding="text", content=text, warnings=warnings)
    base64_text = Base64Text()
    _fetch(odoo, read, known, base64_text)
    return attrs.evolve(
        known, encoding="base64", content_base64=base64_text.text(), warnings=warnings
    )


def upload(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    name: Annotated[str, Len(1, 255), Doc("File name, with its extension.")],
    content_base64: Annotated[str, Doc("The file's bytes as base64.")],
    mimetype: Annotated[str | None, Doc("Default by the name.")] = None,
    *,
    max_bytes: int = MAX_BYTES,
) -> UploadedAttachment:
    """Attach a file to a record; three requests: record, file, and the attachment as stored.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        record_id: the record.
        name: of the file.
        content_base64: its bytes.
        mimetype: such as ``application/pdf``; by the name's extension, else by the first bytes.
            What a browser would run from Odoo's address (HTML, SVG, XML, scripts, style sheets)
            is stored as text/plain, with a warning.
        max_bytes: larger files are refused.

    Raises:
        ValidationError: name or content is empty, not base64 or too large, or the type is none;
            nothing was sent.
        NotFoundError: there is no such record; nothing was attached.
        AccessError: Odoo or the policy does not allow it; nothing was attached.
    """
    name = _checked_name(name)
    size = base64_size(content_base64)
    if size == 0:
        raise ValidationError(
            "The file is empty.",
            suggestion="Give the file's bytes as base64.",
            details={"field": "content_base64"},
        )
    if size > max_bytes:
        raise ValidationError(_too_large(size, max_bytes), suggestion="Upload it in Odoo itself.")
    head = binascii.a2b_base64(content_base64[:_HEAD])
    kind, remark = stored_type(name, mimetype, head)
    values: dict[str, Any] = {
        "name": name,
        "res_model": model,
        "res_id": record_id,
        "mimetype": kind,
    }
    with sending(content_base64) as mark:
        values["datas"] = mark
        create = Call(
            model=MODEL,
            method="create",
            arguments={"vals_list": values},
            acts_on=model,
            step=True,
        )
        odoo.check(create)
        # Odoo 14 to 18 attach files to records that do not exist.
        check_owner(odoo, model, record_id)
        attachment_id = returned_id(odoo.call(create))
    assert attachment_id is not None  # noqa: S101 - create always answers with an id
    warnings = [remark] if remark else []
    rows = afterwards(
        lambda: odoo.call(
            reading_of(
                model, MODEL, "search_read", domain=[["id", "=", attachment_id]], fields=_FIELDS
            )
        ),
        warnings,
        "attachment",
    )
    stored = _described(rows[0]) if rows else None
    if stored and stored.file_size != size:
        warnings.append(f"Odoo stored {stored.file_size} bytes instead of {size}.")
    return UploadedAttachment(
        id=attachment_id,
        model=model,
        record_id=record_id,
        name=stored.name if stored else name,
        mimetype=stored.mimetype if stored else None,
        file_size=stored.file_size if stored else size,
        message=f"Attached {name!r} ({human_size(size)}) to {model} {record_id}.",
        warnings=warnings,
    )


def delete(odoo: Odoo, attachment_id: AttachmentId) -> DeletedAttachment:
    """Delete an attachment for good.

    Raises:
        NotFoundError: there is no such attachment for this user.
        AccessError: Odoo or the policy does not allow it, or it is no ordinary file; nothing was
            deleted.
    """
    row = _find(odoo, attachment_id)
    _check_ordinary(row)
    owner = row["res_model"] or None
    odoo.call(Call(model=MODEL, method="unlink", ids=(attachment_id,), acts_on=owner, step=True))
    return DeletedAttachment(
        id=attachment_id,
        name=row["name"],
        deleted=True,
        message=f"Deleted attachment {attachment_id} ({row['name']!r}).",
    )


# One attachment by its id --------------------------------------------------------------------


def _find(odoo: Odoo, attachment_id: int) -> dict[str, Any]:
    """Return an attachment's description, whatever it belongs to, as far as the policy lets."""
    check_id(attachment_id, "attachment_id")
    domain = [["id", "=", attachment_id]]
    search = Call(
        model=MODEL,
        method="search_read",
        # The policy's filter is applied here, because the call is judged by what it belongs to,
        # which only its answer tells.
        arguments={
            "domain": [*odoo.record_filter(MODEL, domain), *domain],
            "fields": [*_FIELDS, "res_field"],
        },
        step=True,
        internal=True,
    )
    rows: list[dict[str, Any]] = odoo.call(search)
    # The file behind a binary field is as closed as the field.
    if not rows or odoo.policy.field_blocked(rows[0]["res_field"] or ""):
        raise NotFoundError(
            f"There is no attachment {attachment_id}, or this user may not see it.",
            suggestion="odoo_attachments_list lists the attachments of a record.",
            details={"model": MODEL, "ids": [attachment_id]},
        )
    return rows[0]


def _check_ordinary(row: dict[str, Any]) -> None:
    """Refuse to change an attachment that is more than a file of a record."""
    if row["res_field"]:
        what = f"is the content of the field {row['res_field']}"
        suggestion = f"Change that field of {row['res_model']} instead."
    elif row["url"]:
        what = "has an address of its own, by which pages of Odoo may use it"
        suggestion = "Ask the administrator to delete it in Odoo."
    else:
        return
    raise AccessError(
        f"Attachment {row['id']} is not changed from here: it {what}.",
        code="MODEL_BLOCKED",
        suggestion=suggestion,
        details={"model": MODEL, "ids": [row["id"]]},
    )


def _datas(row: dict[str, Any]) -> Call:
    # Asked for as it was found: by what it belongs to, it has been judged.
    same = [[name, "=", row[name]] for name in ("id", "res_model", "res_field")]
    return Call(
        model=MODEL,
        method="search_read",
        arguments={"domain": same, "fields": ["datas"]},
        acts_on=row["res_model"] or None,
        step=True,
    )


def _fetch(odoo: Odoo, read: Call, known: AttachmentContent, sink: FileSink) -> None:
    """Read the content into a sink."""
    sink.start()
    with receiving(sink):
        rows = odoo.call(read)
    # Only a short content is still in the answer.
    rest = rows[0]["datas"] if rows else None
    if rest:
        sink.write(rest.encode("ascii"))
    if sink.size == 0:
        raise NotFoundError(
            f"The content of attachment {known.id} is lost: Odoo knows of"
            f" {human_size(known.file_size)}, but gives none.",
            suggestion="Its file is missing on the Odoo server; whoever runs it may have a backup.",
            details={"model": MODEL, "ids": [known.id]},
        )


def _text(odoo: Odoo, read: Call, known: AttachmentContent) -> tuple[str | None, str | None]:
    """Return the content as text where it is that, and a remark; see :func:`decoded_text`.

    The bytes are given up on return: where they are no text, the content is fetched once more as
    base64, because both forms at a time would cost four times the file's size in memory.
    """
    if not is_text_type(known.mimetype):
        return None, f"It is {known.mimetype or 'of no declared type'}, not text."
    sink = DecodedBytes()
    _fetch(odoo, read, known, sink)
    return decoded_text(known.mimetype, sink.content)


def _download(
    odoo: Odoo, read: Call, known: AttachmentContent, folder: str | os.PathLike[str]
) -> AttachmentContent:
    # The id keeps names apart, and from being reserved ones of some system.
    with NewFile(folder, f"{known.id}-{safe_name(known.name)}") as file:
        _fetch(odoo, read, known, file)
        return attrs.evolve(known, path=str(file.path))


# Values --------------------------------------------------------------------------------------


def _attachment(row: dict[str, Any]) -> Attachment:
    size = row["file_size"] or 0
    return Attachment(
        id=row["id"],
        name=row["name"] or "",
        mimetype=row["mimetype"] or "",
        file_size=size,
        file_size_human=human_size(size),
        created_at=iso_utc(row["create_date"]) or None,
        created_by=record_name(row["create_uid"]),
        url=(row["url"] or None) if row["type"] == "url" else None,
    )


def _described(row: dict[str, Any]) -> AttachmentContent:
    return AttachmentContent(
        id=row["id"],
        name=row["name"] or "",
        mimetype=row["mimetype"] or "",
        file_size=row["file_size"] or 0,
    )


def _too_large(size: int, max_bytes: int) -> str:
    return (
        f"The file has {human_size(size)}; content is passed on up to {human_size(max_bytes)}"
        " (ODOO_MCP_ATTACHMENT_MAX_MB)."
    )


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip() or any(ord(c) < 32 for c in name):
        raise ValidationError(
            "The file needs a name of one line.",
            suggestion="Give e.g. 'offer.pdf'.",
            details={"field": "name"},
        )
    return name.strip()
