"""Files that a browser would run when Odoo serves them from its own address."""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from collections.abc import Mapping
from typing import Any

#: Parts of media types that some browser takes for a page, a script, a style sheet, or apart.
_ACTIVE = re.compile(
    r"html|[/+]xml|svg|css|xsl|(java|ecma|j|live|vb)script|multipart/|/hta|x-component|wasm"
    r"|cache-manifest"
)

#: Of these Odoo makes what the bytes look like.
_UNDECIDED = frozenset({"", "application/octet-stream"})

#: Characters that a file begins with before its first tag.
_BEFORE_MARKUP = b" \t\r\n\x0c\xef\xbb\xbf\xff\xfe\x00"


#: An address of its own, a place behind a binary field, the file on the server's disk, and who may
#: see it without a login.
_NEVER_GIVEN = (
    *("url", "res_field", "public", "store_fname", "checksum"),
    *("key", "original_id", "website_id", "theme_template_id"),
)


def is_active(mimetype: str) -> bool:
    """Whether a browser would run files of a media type."""
    return _ACTIVE.search(_kind(mimetype)) is not None


def _kind(mimetype: str) -> str:
    return mimetype.partition(";")[0].strip().lower()


def served_as_code(values: Mapping[Any, Any]) -> str | None:
    """Return the field by which an attachment's values make it code of Odoo's own.

    That is an address of its own, a place behind a binary field, or a page, script or style
    sheet. What says with its ``mimetype`` that it is something else is served as that.

    Args:
        values: as ``ir.attachment`` is created or written with.

    Returns:
        The name of the field; None where it is an ordinary file.
    """
    for field in _NEVER_GIVEN:
        if values.get(field):
            return field
    mimetype = values.get("mimetype") or ""
    if not isinstance(mimetype, str) or is_active(mimetype):
        return "mimetype"
    if _kind(mimetype) not in _UNDECIDED:
        return None
    file_name = values.get("name")
    if isinstance(file_name, str) and is_active(mimetypes.guess_type(file_name[-200:])[0] or ""):
        return "name"
    for field in ("datas", "raw", "db_datas"):
        if _is_markup(values.get(field)):
            return field
    return None


def _is_markup(content: Any) -> bool:
    if isinstance(content, str):
        if content.lstrip().startswith("<"):
            return True
        try:
            content = base64.b64decode(content[:400])
        except (ValueError, binascii.Error):
            return False
    return isinstance(content, bytes) and content.lstrip(_BEFORE_MARKUP).startswith(b"<")
