"""What is never told of a value: the content of a file, and a secret.

The audit log, the log, the change history and the questions to a person all decide by this.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from odoo_toolkit.connection.bulk import marked_size

#: Arguments and fields with the content of a file, besides what a model describes as binary.
_FILES = re.compile(r"content_base64|datas|raw|db_datas|file_content|(image|avatar)(_\d+)?")

#: Arguments that pair the name of a file with its content, as ``message_post`` takes them.
_PAIRS = frozenset({"attachments"})

#: How the names of secrets end, in whatever a custom module calls them.
_SECRET = re.compile(
    r"(?:.*_|)(?:pass|passw(?:or)?d|passphrase|pwd|secret|token|api_?key|access_?key|private_?key)",
    re.IGNORECASE,
)

_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")

#: Base64 of at least so many characters is content, whatever it is called; also in lines.
_LONG = re.compile(r"[A-Za-z0-9+/_-]{60}[A-Za-z0-9+/_\r\n-]{60,}={0,2}")
_ADDRESS = re.compile(r"(data:[\w.+/-]*(?:;[\w=.+-]+)*;base64,)([A-Za-z0-9+/_=%\s-]+)")
_SIGNED = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")
_NAMED = re.compile(
    r"(?i)((?:\b|_)(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?key)[\"']?\s?[=:]\s?[\"']?"
    r"|\bbearer\s)"
    r"[^\s\"'&,;<>)\]}]+"
)
_USER = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(@)")

HIDDEN = "***"


def is_file(name: str) -> bool:
    """Whether an argument or field of this name has the content of a file."""
    return _FILES.fullmatch(name) is not None


def is_secret(name: str) -> bool:
    """Whether an argument or field of this name has a secret."""
    return _SECRET.fullmatch(name) is not None


def holds_file(value: Any) -> bool:
    """Whether a text has files in it: pictures whose address is their content."""
    return isinstance(value, str) and _ADDRESS.search(value) is not None


def file_bytes(content: str, name: str) -> bytes | None:
    """Return the file that Odoo makes of a text; None where it is no base64.

    Args:
        content: the text.
        name: of the field; ``raw`` takes the file as it is.
    """
    if name == "raw":
        return content.encode("utf-8", "replace")
    try:
        return base64.b64decode(content) if _BASE64.fullmatch(content) else None
    except binascii.Error:
        return None


def replaced(value: Any, tell: Callable[[str, Any], Any], name: str = "") -> Any:
    """Return a value with what ``tell`` makes of each part, which is given the name of its field.

    Fields are named by keys, by the columns of ``load``, and by the conditions of a domain.
    """
    if isinstance(value, Mapping):
        columns, rows = value.get("fields"), value.get("data")
        shown = {str(key): replaced(item, tell, str(key)) for key, item in value.items()}
        if isinstance(columns, (list, tuple)) and isinstance(rows, (list, tuple)):
            shown["data"] = [_row(row, columns, tell) for row in rows]
        return shown
    if isinstance(value, (list, tuple, set, frozenset)):
        items = list(value)
        texts = [isinstance(item, str) for item in items[:2]] == [True, True]
        if texts and name in _PAIRS:
            return [items[0], tell("raw", items[1]), *items[2:]]
        if texts and len(items) == 3:
            return [*items[:2], replaced(items[2], tell, items[0].rpartition(".")[2])]
        return [replaced(item, tell, name) for item in items]
    return tell(name, value)


def _row(row: Any, columns: Any, tell: Callable[[str, Any], Any]) -> Any:
    """Return a row of ``load``, whose cells the columns name."""
    if not isinstance(row, (list, tuple)):
        return replaced(row, tell)
    names = [str(column).rpartition("/")[2] for column in columns]
    names += [""] * (len(row) - len(names))
    return [replaced(cell, tell, name) for cell, name in zip(row, names, strict=False)]


def in_brief(name: str, value: Any, files: frozenset[str] = frozenset()) -> Any:
    """Return a part of a value as a log tells it.

    Args:
        name: of its field.
        value: no mapping and no list.
        files: names of fields that hold files.
    """
    if isinstance(value, (bytes, bytearray)):
        return f"<{len(value)} bytes>"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = str(value)
    if text and is_secret(name):
        return HIDDEN
    if text and (is_file(name) or name in files):
        content, size = file_bytes(text, name), marked_size(text)
        if size is None:
            size = len(text if content is None else content)
        return f"<{size} bytes>"
    return text_in_brief(text)


def text_in_brief(text: str) -> str:
    """Return a text without the files and the secrets that can be told in it by their form."""
    text = _ADDRESS.sub(lambda found: f"{found[1]}{_size(found[2])}", text)
    text = _SIGNED.sub(HIDDEN, text)
    text = _LONG.sub(lambda found: _size(found[0]), text)
    text = _NAMED.sub(rf"\g<1>{HIDDEN}", text)
    return _USER.sub(rf"\g<1>{HIDDEN}\g<2>", text)


def lines_in_brief(text: str) -> str:
    """Return lines of names and values, such as a question's, without files and secrets."""
    return "\n".join(map(_line_in_brief, text.split("\n")))


def _line_in_brief(line: str) -> str:
    *names, _ = parts = line.split(": ")
    for place, name in enumerate(names, 1):
        if is_secret(name.strip()):
            return ": ".join([*parts[:place], HIDDEN])
    name, there, value = line.partition(": ")
    try:
        found = replaced(json.loads(value), in_brief, name.strip())
        told = value if isinstance(found, (int, float)) else json.dumps(found, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text_in_brief(line)
    return f"{name}{there}{told}"


def _size(content: str) -> str:
    return f"<{len(content) * 3 // 4 - content[-2:].count('=')} bytes>"
