"""Files, and the type under which Odoo stores and serves them from its own address.

Where nobody says what a file is, Odoo guesses by its name and bytes, and a page with a text before
its tags becomes a page. So the type is decided here, out of a table of what no browser runs, and
sent; what cannot be given a type passes only where it is known what Odoo makes of it.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.call import Call

#: Odoo keeps this type; of a plain application/octet-stream it makes what the bytes look like.
UNKNOWN_TYPE = "application/octet-stream; charset=binary"

#: What browsers show without running anything in it, hand to a program, or save.
_HARMLESS = re.compile(
    r"(audio|video|font)/[a-z0-9.-]+"
    r"|image/(png|jpe?g|gif|webp|avif|bmp|x-ms-bmp|tiff|hei[cf]|x-icon|vnd\.[a-z0-9.-]+)"
    r"|text/(plain|csv|calendar|markdown|tab-separated-values|x?-?vcard|rtf|directory|yaml)"
    r"|application/("
    r"pdf|postscript|rtf|msword|json|yaml|x-yaml|toml|sql|csv|x-ndjson|epub\+zip"
    r"|zip|gzip|x-gzip|x-tar|x-bzip2?|x-xz|x-7z-compressed|x-rar(-compressed)?|x-zip-compressed"
    r"|vnd\.[a-z0-9.-]+|ms-tnef|dxf|acad|x-iso9660-image|x-sqlite3|edifact|edi-x12|edi-consent"
    r"|pkcs7-signature|pkcs7-mime|x-pkcs12|pkix-cert|x-x509-(ca|user)-cert|pgp-[a-z]+)"
)

#: Parts of media types that some browser takes for a page, a script, a style sheet, or apart.
_ACTIVE = re.compile(
    r"html|[/+]xml|svg|css|xsl|(java|ecma|j|live|vb|wml)script|multipart/|message/|/hta"
    r"|x-component|wasm|cache-manifest|xul"
)

#: A type as it may be sent: nothing before it, and no parameter but the encoding.
_TYPE = re.compile(r"([A-Za-z0-9/.+_-]+)(?:; ?charset=[A-Za-z0-9._:-]{1,40})?")

#: Of these Odoo makes what the bytes look like.
_UNDECIDED = frozenset({"", "application/octet-stream"})

#: First bytes -> type, on all versions and for whatever follows.
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)

#: Formats in which nobody looks for tags; what Odoo calls them differs.
_BINARY_BEGINNINGS = (
    *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07"),
    *(b"II*\x00", b"MM\x00*", b"OggS", b"wOFF", b"wOF2", b"\x00\x01\x00\x00\x00"),
)

#: Further than any version of Odoo looks into a file to tell what it is.
_LOOKED_AT = 8192

#: An address of its own, a place behind a binary field, the file on the server's disk, and who may
#: see it without a login.
_NEVER_GIVEN = (
    *("url", "res_field", "public", "store_fname", "checksum"),
    *("key", "original_id", "website_id", "theme_template_id"),
)

_CONTENT = ("datas", "raw", "db_datas")

#: The fields that decide under which type a file is served.
SERVED_BY = frozenset({"mimetype", "name", *_CONTENT})

_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

#: Python's own table: what else the machine knows, Odoo's may not.
_NAMES = mimetypes.MimeTypes(filenames=())


def is_active(mimetype: str) -> bool:
    """Whether a browser would run files of a media type."""
    return _ACTIVE.search(_kind(mimetype)) is not None


def is_harmless(mimetype: str) -> bool:
    """Whether it is known that no browser runs files of a media type."""
    kind = _kind(mimetype)
    return _HARMLESS.fullmatch(kind) is not None and not is_active(kind)


def _kind(mimetype: str) -> str:
    return mimetype.partition(";")[0].strip().lower()


def picture_type(head: bytes) -> str | None:
    """Return the MIME type of a picture by its first bytes; None for anything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    kind = _type_of_beginning(head)
    return kind if kind and kind.startswith("image/") else None


def _type_of_beginning(head: bytes) -> str | None:
    return next((name for magic, name in _BEGINNINGS if head.startswith(magic)), None)


def type_by_bytes(head: bytes) -> str:
    """Return the type of a file by its first bytes: one that no browser runs."""
    text = head and not _BINARY.search(head.decode("latin-1"))
    known = _type_of_beginning(head) or picture_type(head)
    return known or ("text/plain" if text else UNKNOWN_TYPE)


def decided_type(name: str, head: bytes) -> str:
    """Return the type under which a file is stored of which nobody says what it is.

    Args:
        name: of the file; what it tells holds where no browser runs that.
        head: its first bytes.
    """
    guessed, packed = mimetypes.guess_type(name[-200:])
    if guessed and not packed and is_harmless(guessed):
        return guessed
    return "text/plain" if guessed and is_active(guessed) else type_by_bytes(head)


def with_types(call: Call) -> Call:
    """Return a call that creates or writes files with the types of those that have none."""
    name, new = {"create": "vals_list", "write": "vals"}.get(call.method), call.method == "create"
    given = call.arguments.get(name or "")
    if isinstance(given, Mapping):
        filled: Any = _with_type(given, new)
    elif isinstance(given, (list, tuple)):
        filled = [_with_type(one, new) if isinstance(one, Mapping) else one for one in given]
    else:
        return call
    return attrs.evolve(call, arguments={**call.arguments, str(name): filled})


def _with_type(values: Mapping[Any, Any], new: bool) -> Mapping[Any, Any]:
    mimetype, name = values.get("mimetype") or "", values.get("name")
    if not isinstance(mimetype, str) or mimetype.lower() not in _UNDECIDED:
        return values
    contents = [values[field] for field in _CONTENT if values.get(field)]
    if not contents and not new:
        return values
    head = next((_head(values[field], field) for field in _CONTENT if values.get(field)), b"")
    named = name if isinstance(name, str) and not mimetype else ""
    return {**values, "mimetype": decided_type(named, head)}


def served_as_code(values: Mapping[Any, Any]) -> str | None:
    """Return the field by which an attachment's values may make it code of Odoo's own.

    That is an address of its own, a place behind a binary field, a type that browsers run or that
    is not known, or content whose type is left to Odoo, where it is not known what it makes of it.

    Args:
        values: as ``ir.attachment`` is created or written with.

    Returns:
        The name of the field; None where it is an ordinary file.
    """
    for field in _NEVER_GIVEN:
        if values.get(field):
            return field
    mimetype = values.get("mimetype") or ""
    if not isinstance(mimetype, str):
        return "mimetype"
    name, named = values.get("name"), None
    if isinstance(name, str):
        named = _NAMES.guess_type(name[-200:])[0]
        # Of "x.svgz" the name tells what is packed, and Odoo believes it.
        here = mimetypes.guess_type(name[-200:])[0]
        if not mimetype and not all(is_harmless(kind) for kind in (named, here) if kind):
            return "name"
    if mimetype and mimetype.lower() not in _UNDECIDED:
        whole = _TYPE.fullmatch(mimetype)
        known = whole is not None and (is_harmless(mimetype) or mimetype == UNKNOWN_TYPE)
        return None if known else "mimetype"
    if named and not mimetype:
        return None
    for field in _CONTENT:
        if values.get(field) and _type_of_beginning(_head(values[field], field)) is None:
            return field
    return None


def may_be_markup(content: Any) -> bool:
    """Whether Odoo might take what a binary field is to hold for a page, picture or script with
    tags: such a field has no type of its own.

    Args:
        content: base64, as text or bytes.
    """
    head = _head(content, "datas")
    known = _type_of_beginning(head) or picture_type(head)
    if known or head.startswith(_BINARY_BEGINNINGS) or head[4:8] == b"ftyp":
        return False
    return b"<" in head or head.startswith(b"#!")


def _head(content: Any, field: str) -> bytes:
    """Return the first bytes of a content; none where it is not what the field takes."""
    if isinstance(content, str):
        if field == "raw":
            return content[:_LOOKED_AT].encode("utf-8", "replace")
        content = content.encode("ascii", "ignore")
    if not isinstance(content, bytes):
        return b""
    if field == "raw":
        return content[:_LOOKED_AT]
    # As lenient as Odoo, which leaves out what is no base64.
    text = re.sub(rb"[^A-Za-z0-9+/]", b"", content[: _LOOKED_AT * 2])
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        return base64.b64decode(text[: len(text) // 4 * 4])
