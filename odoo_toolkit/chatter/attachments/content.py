"""A function that returns the content of an attachment."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.call import Call
from odoo_toolkit.chatter.owner_records import find_owned
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.bulk import receiving
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.file_content import (
    Base64Text,
    DecodedBytes,
    FileSink,
    NewFile,
    decoded_text,
    human_size,
    is_text_type,
    safe_name,
)
from odoo_toolkit.operations.documents import Document

#: Bytes up to which content is sent and given.
MAX_BYTES = 12 * 1024 * 1024

# Fields named one by one: without a list, or with the field raw, the servers of some versions
# answer with mangled text or an error page.
ATTACHMENT = Document(
    model="ir.attachment",
    noun="attachment",
    argument="attachment_id",
    fields=("name", "mimetype", "file_size", "type", "url", "res_model", "res_id", "res_field"),
)

AttachmentId = Annotated[int, Ge(1), Doc("Id of the attachment.")]


@attrs.frozen(kw_only=True)
class AttachmentContent(Shown):
    """The content of an attachment, or its location.

    Attributes:
        encoding: ``text`` if ``content`` has it, or ``base64`` if ``content_base64`` has it. None
            if the content is omitted. ``path``, ``url`` or ``warnings`` then say why.
        path: Path of the file that it was written to.
        url: Address of an attachment that is only a link.
    """

    id: int
    name: str
    mimetype: str | None = None
    file_size: int
    encoding: str | None = None
    content: str | None = None
    content_base64: str | None = None
    path: str | None = None
    url: str | None = None
    warnings: list[str] = attrs.Factory(list)


def get_content(
    odoo: Odoo,
    attachment_id: AttachmentId,
    as_text: Annotated[bool, Doc("Return a text file as text instead of base64.")] = False,
    *,
    max_bytes: int = MAX_BYTES,
    download_dir: str | os.PathLike[str] | None = None,
) -> AttachmentContent:
    """Return the content of an attachment.

    The toolkit asks for the size first, and does not fetch a file that is too large. It takes 2
    requests, or 1 if the content is omitted.

    Args:
        max_bytes: Maximum size of content to return. For a larger file you get only the
            description.
        download_dir: Existing folder for larger files. The name is made safe, and existing files
            are never overwritten.

    Raises:
        NotFoundError: This user has no such attachment, or its file is lost.
        AccessError: Odoo or the policy does not allow it.
    """
    row = find_attachment(odoo, attachment_id)
    size, mimetype = row["file_size"] or 0, row["mimetype"] or ""
    given = partial(
        AttachmentContent,
        id=attachment_id,
        name=row["name"] or "",
        mimetype=mimetype or None,
        file_size=size,
    )
    # Asked for as it was found: by what it belongs to, it has been judged.
    same = [[name, "=", row[name]] for name in ("id", "res_model", "res_field")]
    read = Call(
        model=ATTACHMENT.model,
        method="search_read",
        arguments={"domain": same, "fields": ["datas"]},
        acts_on=row["res_model"] or None,
        step=True,
    )
    odoo.check(read)
    fetch = partial(_fetch, odoo, read, size)
    if row["type"] == "url":
        return given(
            url=row["url"] or None, warnings=["The attachment is a web address, not a file."]
        )
    if size > max_bytes:
        if download_dir is None:
            return given(warnings=[too_large(size, max_bytes)])
        # The id keeps names apart, and from being reserved ones of some system.
        with NewFile(download_dir, f"{attachment_id}-{safe_name(row['name'] or '')}") as file:
            fetch(file)
            return given(path=str(file.path))
    if size == 0:
        warnings = ["The file is empty."]
        if as_text:
            return given(encoding="text", content="", warnings=warnings)
        return given(encoding="base64", content_base64="", warnings=warnings)
    warnings = []
    if as_text:
        text, remark = _text(fetch, mimetype)
        warnings += [remark] if remark else []
        if text is not None:
            return given(encoding="text", content=text, warnings=warnings)
    base64_text = Base64Text()
    fetch(base64_text)
    return given(encoding="base64", content_base64=base64_text.text(), warnings=warnings)


def find_attachment(odoo: Odoo, attachment_id: int) -> dict[str, Any]:
    """Return an attachment's description, whatever it belongs to.

    Raises:
        NotFoundError: it is not there for this user, or the policy closes it.
    """
    where = "list_attachments lists the attachments of a record."
    return find_owned(odoo, ATTACHMENT, attachment_id, where)


def too_large(size: int, max_bytes: int) -> str:
    """Return a sentence on a file above the limit."""
    return (
        f"The file has {human_size(size)}, but the maximum for content is {human_size(max_bytes)}."
    )


def _fetch(odoo: Odoo, read: Call, size: int, sink: FileSink) -> None:
    """Read the content into a sink."""
    sink.start()
    with receiving(sink):
        rows = odoo.call(read)
    # Only a short content is still in the answer.
    rest = rows[0]["datas"] if rows else None
    if rest:
        sink.write(rest.encode("ascii"))
    if sink.size == 0:
        attachment_id = read.arguments["domain"][0][2]
        raise NotFoundError(
            f"The content of attachment {attachment_id} is lost: Odoo lists a file of "
            f"{human_size(size)}, but returns no content.",
            suggestion="The file is missing on the Odoo server. Ask the administrator for a "
            "backup.",
            details={"model": ATTACHMENT.model, "ids": [attachment_id]},
        )


def _text(fetch: Callable[[FileSink], None], mimetype: str) -> tuple[str | None, str | None]:
    """Return the content as text where it is that, and a remark; see :func:`decoded_text`.

    The bytes are given up on return: where they are no text, the content is fetched once more as
    base64, because both forms at a time would cost four times the file's size in memory.
    """
    if not is_text_type(mimetype):
        return None, f"It is {mimetype or 'of no declared type'}, not text."
    sink = DecodedBytes()
    fetch(sink)
    return decoded_text(mimetype, sink.content)
