"""Marks: where somebody stands who follows the changes of a model, as one short text."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import attrs

from odoo_toolkit.errors import invalid

#: Bytes of a digest; their base64 has no padding.
_DIGEST = 6


@attrs.frozen(kw_only=True)
class Cursor:
    """What is known at one moment of the records of a model.

    Attributes:
        model: such as ``sale.order``.
        database: its name, where it is known.
        uid: the id of the user who asked: another one sees other records.
        start: changes from this moment on are looked at next time, as Odoo writes it.
        seen: what those records held that were changed since ``start`` and have been seen: a
            digest by id.
        known: ids of all records that match; None where they are not compared.
    """

    model: str
    database: str | None
    uid: int
    start: str
    seen: Mapping[int, bytes]
    known: frozenset[int] | None


def pack(cursor: Cursor) -> str:
    """Return a cursor as text of letters, digits, ``-``, ``_`` and ``=``."""
    seen = sorted(cursor.seen)
    content = {
        "model": cursor.model,
        "database": cursor.database,
        "uid": cursor.uid,
        "start": cursor.start,
        "seen": ranges(seen),
        "digests": base64.b64encode(b"".join(cursor.seen[key] for key in seen)).decode(),
        "known": None if cursor.known is None else ranges(cursor.known),
    }
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode()


def unpack(text: Any) -> Cursor:
    """Return the cursor that :func:`pack` made a text of.

    Raises:
        ValidationError: it is none.
    """
    try:
        content = json.loads(zlib.decompress(base64.urlsafe_b64decode(text)))
        seen, known = from_ranges(content["seen"]), content["known"]
        digests = base64.b64decode(content["digests"])
        pieces = [digests[at : at + _DIGEST] for at in range(0, len(digests), _DIGEST)]
        return Cursor(
            model=content["model"],
            database=content["database"],
            uid=content["uid"],
            start=content["start"],
            seen=dict(zip(seen, pieces, strict=True)),
            known=None if known is None else frozenset(from_ranges(known)),
        )
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error) as error:
        raise invalid(
            "since",
            "since is not a cursor that changes() returned.",
            "Pass the complete .cursor, unchanged. To start again, pass None.",
        ) from error


def digest(record: Mapping[str, Any]) -> bytes:
    """Return a short digest of all that a record holds."""
    content = json.dumps(record, sort_keys=True, default=str)
    return blake2b(content.encode(), digest_size=_DIGEST).digest()


def ranges(ids: Iterable[int]) -> str:
    """Return ids as text: ``1+4,3`` is 1 to 5, and 8, three after the last one."""
    runs: list[list[int]] = []
    for number in sorted(ids):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts, before = [], 0
    for first, last in runs:
        parts.append(f"{first - before}+{last - first}" if last > first else str(first - before))
        before = last
    return ",".join(parts)


def from_ranges(text: str) -> list[int]:
    """Return the ids that :func:`ranges` made a text of, in order."""
    ids: list[int] = []
    last = 0
    for part in text.split(",") if text else ():
        ahead, _, more = part.partition("+")
        first = last + int(ahead)
        last = first + int(more or 0)
        ids.extend(range(first, last + 1))
    return ids
