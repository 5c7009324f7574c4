"""Standard input and output as the server's streams of messages.

Lines that are no messages are answered: the SDK passes over them in silence, and a client that
waits for an answer waits for ever. JSON-RPC has errors for them.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import select
import sys
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

logger = logging.getLogger(__name__)

_NOT_UTF8 = "string_unicode"


def standard_input() -> anyio.AsyncFile[str]:
    """Return standard input as lines of text.

    Bytes that are no UTF-8 make a line invalid: decoded to something else, they would be written
    to Odoo like that.
    """
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape")
    return anyio.wrap_file(lines)


class StandardOutput:
    """Standard output, written to at once while the client's end of the pipe has room.

    The SDK passes every line through two worker threads, to wait there for a client that does not
    read; nearly every client does. What others of the process print goes to standard error.
    """

    def __init__(self) -> None:
        self._file = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._lines = b""
        self._room = None
        if hasattr(select, "poll"):  # not on Windows
            self._room = select.poll()
            self._room.register(self._file, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Take text to be written by the next flush."""
        self._lines += text.encode("utf-8", "replace")

    async def flush(self) -> None:
        """Write what there is."""
        lines, self._lines = self._lines, b""
        while lines and self._room and self._room.poll(0):
            # A pipe that has room has it for this many bytes.
            lines = lines[os.write(self._file, lines[: select.PIPE_BUF]) :]
        if lines:
            await anyio.to_thread.run_sync(self._write_all, lines)

    def _write_all(self, lines: bytes) -> None:
        while lines:
            lines = lines[os.write(self._file, lines) :]


async def pass_on(
    received: AsyncIterable[SessionMessage | Exception],
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Pass messages on, and answer what is none, until there are no more or nobody listens.

    Args:
        received: what was read: messages, and the reason for each line that is none.
        messages: takes the messages; closed at the end.
        answer: sends to the client.
    """
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with messages:
            async for item in received:
                if not isinstance(item, Exception):
                    await messages.send(item)
                elif error := error_for(item):
                    logger.warning("Standard input: %s", error.error.message)
                    await answer(SessionMessage(error))


def error_for(reason: Exception) -> JSONRPCError | None:
    """Return the answer to a line that is no message; None where it is blank.

    Args:
        reason: why the SDK does not take it for one.
    """
    if not isinstance(reason, ValidationError):
        return _error(PARSE_ERROR, "Parse error: this line cannot be read.")
    problems = reason.errors(include_url=False, include_context=False)
    kind, line, where = problems[0]["type"], problems[0]["input"], problems[0]["loc"]
    if where:
        return _error(
            INVALID_REQUEST,
            'Invalid Request: a line is one JSON-RPC 2.0 message, such as {"jsonrpc": "2.0", "id":'
            ' 1, "method": "tools/list", "params": {}}. Batches are not part of MCP.',
            _request_id(problem["input"] for problem in problems),
        )
    if isinstance(line, str) and not line.strip():
        return None
    why = "it is not UTF-8" if kind == _NOT_UTF8 else problems[0]["msg"]
    return _error(PARSE_ERROR, f"Parse error: a line is one JSON-RPC 2.0 message. This one: {why}.")


def _request_id(inputs: Iterable[object]) -> int | str | None:
    """Return the id of what seems to be a request, from what each complaint is about."""
    for given in inputs:
        if isinstance(given, dict) and "jsonrpc" in given and "method" in given:
            found = given.get("id")
            return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None
    return None


def _error(code: int, message: str, request_id: int | str | None = None) -> JSONRPCError:
    error = ErrorData(code=code, message=message)
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
