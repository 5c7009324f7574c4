"""Large base64 values that go past the encoders and parsers of the protocols.

A file travels to and from Odoo as one long base64 text within a small message. Taken through
JSON or XML as they are, ten megabytes cost four to nine times their size in memory. So the file
leaves the message: what is sent holds a mark, at which the text is put in while the bytes go out;
from what is received, the text is taken out while the bytes come in. It works alike for all
protocols, because base64 needs no escaping in any of them.
"""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from odoo_toolkit.progress import time_left

if TYPE_CHECKING:
    import requests

_CHUNK = 65_536
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

#: A run of base64 characters this long is taken out of an answer; nothing else is as long.
_LONG = 4096
_LONG_RUN = re.compile(rb"[A-Za-z0-9+/=]{%d}" % _LONG)
_MARK = re.compile(r"(\d+) bytes [0-9a-f]{32}")


class Sink(Protocol):
    """Takes the base64 text of an answer, piece by piece."""

    def start(self) -> None:
        """Forget what came: another answer begins, because the request was sent again."""

    def write(self, piece: bytes) -> None:
        """Take the next piece of base64 text, of any length."""


@attrs.frozen(eq=False)
class _Outgoing:
    mark: bytes
    text: str


_sink: ContextVar[Sink | None] = ContextVar("odoo_toolkit_bulk_sink", default=None)
_outgoing: ContextVar[_Outgoing | None] = ContextVar("odoo_toolkit_bulk_outgoing", default=None)


@contextmanager
def receiving(sink: Sink) -> Iterator[None]:
    """Give the long base64 text of the answers to calls made within to ``sink``.

    In the answer that the call returns it is the empty text; a short one stays there.
    """
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


@contextmanager
def sending(text: str) -> Iterator[str]:
    """Yield the mark that stands for a base64 text in calls made within."""
    # It shows in the audit log, so it says how much it stands for.
    mark = f"{len(text) * 3 // 4} bytes {uuid.uuid4().hex}"
    token = _outgoing.set(_Outgoing(mark.encode(), text))
    try:
        yield mark
    finally:
        _outgoing.reset(token)


def marked_size(text: str) -> int | None:
    """Return how many bytes a mark stands for; None for any other text."""
    found = _MARK.fullmatch(text)
    return int(found[1]) if found else None


def exchange(
    send: Callable[..., requests.Response], method: str, url: str, options: Mapping[str, Any]
) -> requests.Response:
    """Send a request by ``send``, large values put in and taken out where that is asked for.

    Raises:
        requests.RequestException: as of ``requests.request``.
        urllib3.exceptions.HTTPError: under a time limit, what went wrong within the answer.
    """
    sink, outgoing = _sink.get(), _outgoing.get()
    options = _filled(options, outgoing) if outgoing else options
    limited = time_left() < math.inf
    # Left to itself, requests would read pieces of 10 kB.
    with send(method, url, **options, stream=True) as answer:
        chunks = _arriving(answer) if limited else answer.iter_content(_CHUNK)
        return _with_body(answer, _divert(chunks, sink) if sink else b"".join(chunks))


# Sending -------------------------------------------------------------------------------------


def _filled(options: Mapping[str, Any], outgoing: _Outgoing) -> Mapping[str, Any]:
    """Return the request's options, the text in place of its mark."""
    headers = dict(options.get("headers") or {})
    if "json" in options:
        body = json.dumps(options["json"]).encode()
        headers["Content-Type"] = "application/json"
    else:
        body = options.get("data") or b""
    if not isinstance(body, bytes) or outgoing.mark not in body:
        return options
    head, tail = body.split(outgoing.mark, 1)
    rest = {name: value for name, value in options.items() if name not in ("json", "data")}
    return {**rest, "headers": headers, "data": _Body(head, outgoing.text, tail)}


class _Body:
    """A request's body that is put together while it is read, of known length."""

    def __init__(self, head: bytes, text: str, tail: bytes) -> None:
        self._length = len(head) + len(text) + len(tail)
        self._pieces = self._cut(head, text, tail)
        self._left = b""

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, or fewer; all that is left for -1."""
        if size < 0:
            return self._left + b"".join(self._pieces)
        if not self._left:
            self._left = next(self._pieces, b"")
        piece, self._left = self._left[:size], self._left[size:]
        return piece

    @staticmethod
    def _cut(head: bytes, text: str, tail: bytes) -> Iterator[bytes]:
        yield head
        for start in range(0, len(text), _CHUNK):
            yield text[start : start + _CHUNK].encode("ascii")
        yield tail


# Receiving -----------------------------------------------------------------------------------


def _arriving(answer: requests.Response) -> Iterator[bytes]:
    """Yield an answer's body as it comes, until the time limit ends.

    The timeouts of a socket are for each piece: an answer that trickles in would keep within them.
    """
    import requests

    raw: Any = answer.raw
    # urllib3 1 cannot give what is there already: it waits until a chunk is full.
    chunks = (
        iter(lambda: raw.read1(_CHUNK, decode_content=True), b"")
        if hasattr(raw, "read1")
        else answer.iter_content(_LONG)
    )
    for chunk in chunks:
        yield chunk
        if time_left() <= 0:
            raise requests.ReadTimeout("The time limit has expired.")


def _with_body(answer: requests.Response, body: bytes) -> requests.Response:
    """Return an answer with another body."""
    import io

    import requests

    small = requests.Response()
    small.status_code, small.url = answer.status_code, answer.url
    small.headers, small.encoding = answer.headers, answer.encoding
    small.request = answer.request
    small.raw = io.BytesIO(body)
    return small


def _divert(chunks: Iterator[bytes], sink: Sink) -> bytes:
    sink.start()
    kept: list[bytes] = []
    pending = b""
    within = False
    for chunk in chunks:
        data = pending + chunk
        pending = b""
        while data:
            if within:
                rest = data.lstrip(_ALPHABET)
                sink.write(data[: len(data) - len(rest)])
                within, data = not rest, rest
            elif found := _LONG_RUN.search(data):
                kept.append(data[: found.start()])
                within, data = True, data[found.start() :]
            else:
                # The run at the end may go on in the next chunk.
                whole = data.rstrip(_ALPHABET)
                kept.append(whole)
                pending, data = data[len(whole) :], b""
    return b"".join([*kept, pending])
