"""The content of files: base64 checked and measured, what the bytes are, a safe place on disk."""

from __future__ import annotations

import base64
import binascii
import contextlib
import io
import mimetypes
import os
import re
import secrets
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from odoo_toolkit.connection.bulk import Sink
from odoo_toolkit.errors import OdooError, invalid
from odoo_toolkit.policy.files import is_active, is_harmless, type_by_bytes
from odoo_toolkit.values.scalars import short_repr

#: Declared types of files that can be given as text.
TEXT_TYPES = frozenset(
    {
        "application/json",
        "application/xhtml+xml",
        "application/xml",
        "text/csv",
        "text/html",
        "text/plain",
        "text/xml",
    }
)

_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")

#: Bytes of this number that are all of base64 are hardly ever a file, and its remark.
_LIKE_BASE64 = 24
_TWICE = (
    "The bytes look like base64, and are stored as they are. If the file is what they encode, pass"
    " them as text."
)
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"|?*\u202a-\u202e\u2066-\u2069]")
_DEVICE = re.compile(
    r"con|prn|aux|nul|con(in|out)\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]", re.IGNORECASE
)
_LONGEST_NAME = 120
#: How many files of the same name one folder takes.
_SAME_NAME = 100


@contextlib.contextmanager
def replacing(place: Path, *, mode: int = 0o600) -> Iterator[Path]:
    """Give a file to fill that takes the place of another in one step.

    If the block ends early, the other stays as it was, and nothing is left behind.

    Args:
        place: of the file in the end.
        mode: of the new file, less what the process masks.
    """
    # Beside it, as only within one file system can one file take the place of another at once.
    part = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield part
        os.replace(part, place)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def as_base64(content: str | bytes) -> tuple[str, str | None]:
    """Return a file's content as base64, and a remark on bytes that were encoded before."""
    if not isinstance(content, (bytes, bytearray)):
        return content, None
    encoded = len(content) >= _LIKE_BASE64 and not len(content) % 4
    twice = encoded and _BASE64.fullmatch(content.decode("latin-1"))
    return base64.b64encode(content).decode(), _TWICE if twice else None


def base64_size(text: str) -> int:
    """Return how many bytes a base64 text stands for, without decoding it.

    Raises:
        ValidationError: it is not base64.
    """
    problem = None
    if not isinstance(text, str):
        problem = f"it is {short_repr(text)}, neither text nor bytes"
    elif text.startswith("data:"):
        problem = "it begins with data:, as an address does"
    elif not _BASE64.fullmatch(text):
        problem = "it holds other characters"
    elif len(text) % 4:
        problem = "its length is not a multiple of 4; it may be cut off"
    if problem:
        raise invalid(
            "content_base64",
            f"The content is not valid base64: {problem}.",
            "Encode the bytes of the file as standard base64, with padding and "
            "without line breaks.",
        )
    return len(text) // 4 * 3 - text.count("=", -2)


def human_size(size: int) -> str:
    """Return a number of bytes in words, such as ``1.5 MB`` (of 1024 * 1024 bytes)."""
    if size < 1024:
        return f"{size} bytes"
    power = min((size.bit_length() - 1) // 10, 4)
    return f"{size / 1024**power:.1f} {'_KMGT'[power]}B"


def stored_type(name: str, declared: str | None, head: bytes) -> tuple[str, str | None]:
    """Return the type under which a file is stored, and a remark where that is another one.

    Odoo serves attachments under the type that is stored, from its own address: 14 lets a page or
    picture with a script act there for whoever opens it, and from every version a page of Odoo's
    could take in scripts and styles. These are stored as plain text, as Odoo itself does with those
    of ordinary users. Where the bytes decide, it is here and not in Odoo, which may see a page.

    Args:
        name: of the file, which tells its type where none is declared.
        declared: the type that the file is said to have.
        head: the file's first bytes.

    Raises:
        ValidationError: what is declared is no type.
    """
    guessed, packed = mimetypes.guess_type(name)
    # Of "x.html.gz" the name tells the type of what is packed.
    text = declared or (None if packed else guessed) or ""
    kind, _, parameters = text.partition(";")
    kind = kind.strip().lower()
    if kind and not _MEDIA_TYPE.fullmatch(kind):
        raise invalid(
            "mimetype",
            f"{text[:80]!r} is not a media type.",
            "Pass a media type such as 'application/pdf', or omit it to use the file name.",
        )
    if kind in ("", "application/octet-stream"):
        return type_by_bytes(head), None
    if is_active(kind):
        return "text/plain", (
            f"Stored as text/plain instead of {kind}, because Odoo serves files from its own "
            "address, and a browser would run it."
        )
    if not is_harmless(kind):
        stored = type_by_bytes(head)
        return stored, (
            f"Stored as {stored.partition(';')[0]} instead of {kind}, because browsers might "
            "run it."
        )
    charset = _CHARSET.search(parameters)
    return f"{kind}; charset={charset[1].lower()}" if charset else kind, None


def is_text_type(mimetype: str) -> bool:
    """Whether a declared type is one of :data:`TEXT_TYPES`, parameters aside."""
    return mimetype.partition(";")[0].strip().lower() in TEXT_TYPES


def decoded_text(mimetype: str, content: bytes | bytearray) -> tuple[str | None, str | None]:
    """Return what a file's bytes say, None where they are no text, and a remark on it.

    UTF-8 is tried first, then what the type declares, then windows-1252, in which spreadsheets
    still write CSV files.
    """
    charset = _CHARSET.search(mimetype)
    encodings = ["utf-16"] if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ["utf-8-sig"]
    encodings += [charset[1]] if charset else []
    for encoding in [*encodings, "cp1252"]:
        try:
            text = content.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if _BINARY.search(text):
            break
        guessed = encoding == "cp1252" and not charset
        return text, "The file is not UTF-8. It was read as windows-1252." if guessed else None
    return None, f"The file is declared as {mimetype}, but its bytes are not text."


class FileSink(Sink, Protocol):
    """Takes a file as base64 and knows how much came."""

    @property
    def size(self) -> int:
        """Bytes of the file, about; 0 only where nothing came."""


class Base64Text:
    """A sink that keeps base64 as text."""

    def __init__(self) -> None:
        self._text = io.StringIO()

    def start(self) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self._text = io.StringIO()

    def write(self, piece: bytes) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self._text.write(piece.decode("ascii"))

    @property
    def size(self) -> int:
        """See :class:`FileSink`."""
        return self._text.tell() // 4 * 3

    def text(self) -> str:
        """Return all that came."""
        return self._text.getvalue()


class _Decoder:
    """Decodes base64 that comes in pieces of any length."""

    def __init__(self) -> None:
        self._pending = b""

    def decode(self, piece: bytes) -> bytes:
        data = self._pending + piece
        whole = len(data) // 4 * 4
        self._pending = data[whole:]
        return binascii.a2b_base64(data[:whole])


class DecodedBytes:
    """A sink that keeps what the base64 stands for."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self._decoder, self.content = _Decoder(), bytearray()

    def write(self, piece: bytes) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self.content += self._decoder.decode(piece)

    @property
    def size(self) -> int:
        """See :class:`FileSink`."""
        return len(self.content)


class NewFile:
    """A sink that writes to a new file of a folder; within ``with``, it is removed on failure.

    No name leads out of the folder, and nothing that exists is written to.

    Args:
        folder: must exist.
        name: what the file would like to be called.

    Raises:
        OdooError: the folder cannot be written to.
    """

    def __init__(self, folder: str | os.PathLike[str], name: str) -> None:
        self.path, descriptor = _create(Path(folder).absolute(), safe_name(name))
        self._file = os.fdopen(descriptor, "wb")
        self._decoder = _Decoder()

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        own = os.fstat(self._file.fileno())
        self._file.close()
        if kind is None:
            return
        # Whoever moved the file or its folder meanwhile may have put another one in its place.
        with contextlib.suppress(OSError):
            if os.path.samestat(own, os.lstat(self.path)):
                self.path.unlink()

    def start(self) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self._file.seek(0)
        self._file.truncate()
        self._decoder = _Decoder()

    def write(self, piece: bytes) -> None:
        """See :class:`~odoo_toolkit.connection.bulk.Sink`."""
        self._file.write(self._decoder.decode(piece))

    @property
    def size(self) -> int:
        """See :class:`FileSink`."""
        return self._file.tell()


def safe_name(name: str) -> str:
    """Return a file name made of ``name`` that is one on every system and leads nowhere."""
    base = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    base = re.split(r"[/\\]", base)[-1]
    base = _UNSAFE.sub("_", base).strip(" .")
    stem, dot, suffix = base.rpartition(".")
    if not stem or len(suffix) > 10:
        stem, dot, suffix = base, "", ""
    # Counted in bytes, as file systems do.
    # On Windows these are devices, whatever their suffix is.
    stem = f"_{stem}" if _DEVICE.fullmatch(base.partition(".")[0].strip()) else stem
    stem = stem.encode()[: _LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore").strip()
    return f"{stem or 'file'}{dot}{suffix}"


def _create(folder: Path, name: str) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    stem, suffix = os.path.splitext(name)
    for number in range(1, _SAME_NAME + 1):
        path = folder / (name if number == 1 else f"{stem} ({number}){suffix}")
        try:
            return path, os.open(path, flags, 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise OdooError(
                f"The toolkit cannot write a file to the download folder: {error.strerror}.",
                suggestion="Ask the administrator who set the folder to check that it exists and "
                "has free space.",
            ) from None
    raise OdooError(
        f"The download folder already has {_SAME_NAME} files named like {name!r}.",
        suggestion="Remove some of these files.",
    )
