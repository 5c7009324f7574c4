"""Functions that list, add and delete the attachments of a record."""

from __future__ import annotations

import binascii
import hashlib
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema, Model
from odoo_toolkit.chatter.attachments.content import (
    ATTACHMENT,
    MAX_BYTES,
    AttachmentId,
    find_attachment,
    too_large,
)
from odoo_toolkit.chatter.owner_records import EndsOwned, MakesOwned, RecordId, beside_owner
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.bulk import sending
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, ValidationError, invalid
from odoo_toolkit.file_content import as_base64, base64_size, human_size, stored_type
from odoo_toolkit.operations.documents import afterwards, filled, read_rows
from odoo_toolkit.operations.steps import Done, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.records.results import RecordName

#: Most attachments that one call lists.
_MOST = 500

#: Base64 characters of a file's beginning, by which its type is told, and of each piece of it.
_HEAD, _PIECE = 4096, 65_536


@attrs.frozen(kw_only=True)
class Attachment(Shown):
    """A file attached to a record, without its content.

    Attributes:
        file_size: bytes; 0 for an address.
        created_at: ISO 8601 in UTC.
        url: where it is only an address on the web, not a file.
    """

    id: int
    name: str
    mimetype: str | None = None
    file_size: int
    file_size_human: str
    created_at: str | None = None
    created_by: RecordName | None = None
    url: str | None = None


@attrs.frozen(kw_only=True)
class AttachmentsResult(Shown):
    """The attachments of a record, newest first. ``has_more`` says whether there are others."""

    attachments: list[Attachment]
    count: int
    has_more: bool = False


@attrs.frozen(kw_only=True)
class UploadedAttachment(Shown):
    """A new attachment. ``mimetype`` is the type that Odoo stored, which may differ from yours."""

    id: int
    model: str
    record_id: int
    name: str
    mimetype: str | None = None
    file_size: int
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DeletedAttachment(Shown):
    """An attachment that was deleted."""

    id: int
    name: str
    deleted: bool
    message: str
    warnings: list[str] = attrs.Factory(list)


def list_attachments(odoo: Odoo, model: Model, record_id: RecordId) -> AttachmentsResult:
    """Return the attachments of a record, newest first.

    It takes 2 requests in parallel.

    Raises:
        NotFoundError: The record does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    (rows,) = beside_owner(
        odoo,
        model,
        record_id,
        lambda: read_rows(
            odoo,
            ATTACHMENT.model,
            [["res_model", "=", model], ["res_id", "=", record_id]],
            [*ATTACHMENT.fields, "create_date", "create_uid"],
            acts_on=model,
            limit=_MOST + 1,
            order="create_date desc, id desc",
        ),
    )
    attachments = [
        filled(
            Attachment,
            row,
            name=row["name"] or "",
            file_size_human=human_size(row["file_size"]),
            created_at=row["create_date"],
            created_by=row["create_uid"],
            url=row["url"] if row["type"] == "url" else None,
        )
        for row in rows[:_MOST]
    ]
    return AttachmentsResult(
        attachments=attachments, count=len(attachments), has_more=len(rows) > _MOST
    )


@operation
def upload(
    odoo: Odoo,
    model: Model,
    record_id: RecordId,
    name: Annotated[str, Len(1, 255), Doc("File name, with its extension.")],
    content_base64: Annotated[
        str | bytes, JsonSchema({"type": "string"}), Doc("The file's bytes as base64.")
    ],
    mimetype: Annotated[str | None, Doc("Default: from the name.")] = None,
    *,
    max_bytes: int = MAX_BYTES,
    dry_run: DryRun = False,
) -> UploadedAttachment | Plan:
    """Attach a file to a record.

    ``content_base64`` takes base64 as text, or the file's bytes. The type defaults to that of the
    name's extension, or else of the first bytes. A type that a browser could run from Odoo's
    address (HTML, SVG, XML, scripts, style sheets) is stored as text/plain, with a warning. It
    takes 3 requests.

    Args:
        max_bytes: Maximum size of the file.

    Raises:
        ValidationError: The name or content is empty, the content is not base64 or too large, or
            the type is wrong. Nothing was sent.
        NotFoundError: The record does not exist. Nothing was attached.
        AccessError: Odoo or the policy does not allow it. Nothing was attached.
    """
    name, content, size, kind, remarks = checked_file(name, content_base64, mimetype, max_bytes)
    values = {"name": name, "res_model": model, "res_id": record_id}
    like = {**values, "checksum": checksum(content)}

    def result(done: Done) -> UploadedAttachment:
        warnings = [*remarks, *done.warnings]
        by_id, fields = [["id", "=", done.id]], ["name", "mimetype", "file_size"]
        rows = afterwards(
            lambda: read_rows(odoo, ATTACHMENT.model, by_id, fields, acts_on=model),
            warnings,
            "the attachment",
        )
        stored = rows[0] if rows else {"name": name, "mimetype": None, "file_size": size}
        if stored["file_size"] != size:
            warnings.append(f"Odoo stored {stored['file_size']} bytes instead of {size}.")
        return filled(
            UploadedAttachment,
            stored,
            id=done.id,
            model=model,
            record_id=record_id,
            message=f"Attached {about}.",
            warnings=warnings,
        )

    about = f"{name!r} ({human_size(size)}) to {model} {record_id}"
    with sending(content) as mark:
        attach = MakesOwned(
            model=ATTACHMENT.model,
            method="create",
            arguments={"vals_list": {**values, "mimetype": kind, "datas": mark}},
            owner=model,
            kind=ATTACHMENT.model,
            like=like,
            says="Attached",
        )
        permit(odoo, attach, dry_run=dry_run)
        beside_owner(odoo, model, record_id)
        would = " ".join([f"Would attach {about}.", *remarks])
        return operate(odoo, [attach], (), result, message=would, dry_run=dry_run)


@operation
def delete(
    odoo: Odoo, attachment_id: AttachmentId, *, dry_run: DryRun = False
) -> DeletedAttachment | Plan:
    """Delete an attachment permanently.

    Raises:
        NotFoundError: This user has no such attachment.
        AccessError: Odoo or the policy does not allow it, or it is not an ordinary file. Nothing
            was deleted.
    """
    row = find_attachment(odoo, attachment_id)
    _check_ordinary(row)
    owner = row["res_model"] or None
    about = f"attachment {attachment_id} ({row['name']!r})"

    def result(done: Done) -> DeletedAttachment:
        return DeletedAttachment(
            id=attachment_id,
            name=row["name"],
            deleted=True,
            message=f"Deleted {about}.",
            warnings=done.warnings,
        )

    step = EndsOwned(
        model=ATTACHMENT.model, method="unlink", owner=owner, kind=ATTACHMENT, says="Deleted"
    )
    would = f"Would delete {about}."
    return operate(odoo, [step], [attachment_id], result, message=would, dry_run=dry_run)


def _check_ordinary(row: dict[str, Any]) -> None:
    """Refuse to change an attachment that is more than a file of a record."""
    if row["res_field"]:
        what = f"is the content of the field {row['res_field']}"
        suggestion = f"Change that field of {row['res_model']} instead."
    elif row["url"]:
        what = "has an address of its own, by which pages of Odoo may use it"
        suggestion = "If no page needs the file, delete it in Odoo."
    else:
        return
    raise AccessError(
        f"The toolkit does not change attachment {row['id']}: it {what}.",
        code="MODEL_BLOCKED",
        suggestion=suggestion,
        details={"model": ATTACHMENT.model, "ids": [row["id"]]},
    )


def checked_file(
    name: str, content: str | bytes, mimetype: str | None, max_bytes: int
) -> tuple[str, str, int, str, list[str]]:
    """Return a new file's name, base64, size and type, and remarks on what Odoo will store.

    Raises:
        ValidationError: name or content is empty, not base64 or too large, or the type is none.
    """
    name = checked_file_name(name)
    text, twice = as_base64(content)
    size = base64_size(text)
    if size == 0:
        raise invalid("content_base64", "The file is empty.", "Pass the file's bytes as base64.")
    if size > max_bytes:
        raise ValidationError(
            too_large(size, max_bytes),
            suggestion="Upload the file in Odoo, or ask the administrator to increase max_bytes.",
        )
    kind, remark = stored_type(name, mimetype, binascii.a2b_base64(text[:_HEAD]))
    return name, text, size, kind, [told for told in (remark, twice) if told]


def checked_file_name(name: str) -> str:
    """Return the name of a file without the space around it, or refuse what is none."""
    if not isinstance(name, str) or not name.strip() or any(ord(c) < 32 for c in name):
        raise invalid(
            "name", "The file needs a name without line breaks.", "Pass a name such as 'offer.pdf'."
        )
    return name.strip()


def checksum(content_base64: str) -> str:
    """Return what Odoo stores with a file to recognise it by; not decoded as a whole."""
    digest = hashlib.sha1(usedforsecurity=False)
    for start in range(0, len(content_base64), _PIECE):
        digest.update(binascii.a2b_base64(content_base64[start : start + _PIECE]))
    return digest.hexdigest()
