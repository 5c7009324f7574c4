"""Standard input and output as the server's streams of messages.

Lines that are no messages are answered: the SDK passes over them in silence, and a client that
waits for an answer waits for ever. JSON-RPC has errors for them.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
from collections.abc import Awaitable, Callable, Iterable

import anyio
import anyio.to_thread
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

logger = logging.getLogger(__name__)

_NOT_UTF8 = "string_unicode"

#: As much as a pipe holds.
_CHUNK = 65_536


class StandardInput:
    """What the client writes on standard input, as the stream of messages that a server reads.

    Args:
        answer: sends to the client.
    """

    def __init__(self, answer: Callable[[SessionMessage], Awaitable[None]]) -> None:
        self._answer = answer
        self._file = sys.stdin.fileno()
        self._waits = os.name == "posix"
        self._read = bytearray()

    async def receive(self) -> SessionMessage:
        """Return the next message.

        Raises:
            anyio.EndOfStream: the client has closed its end.
        """
        while line := await self._line():
            try:
                return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValueError as problem:
                if error := error_for(problem):
                    logger.warning("Standard input: %s", error.error.message)
                    with contextlib.suppress(anyio.BrokenResourceError):
                        await self._answer(SessionMessage(error))
        raise anyio.EndOfStream

    async def _line(self) -> str:
        """Return the next line with its end; the empty text when there are no more."""
        end, looked = -1, 0
        while end < 0:
            end = self._read.find(b"\n", looked)
            looked = len(self._read)
            if end < 0:
                chunk = await self._chunk()
                if not chunk:
                    end = looked
                self._read += chunk
        line = self._read[: end + 1]
        del self._read[: end + 1]
        # Bytes that are no UTF-8 make a line invalid: decoded to something else, they would be
        # written to Odoo like that.
        return line.decode("utf-8", "surrogateescape")

    async def _chunk(self) -> bytes:
        """Return what there is; no bytes at the end."""
        if self._waits:
            try:
                await anyio.wait_readable(self._file)
            except OSError:  # a file, which has no need to wait
                self._waits = False
        if self._waits:
            return os.read(self._file, _CHUNK)
        return await anyio.to_thread.run_sync(os.read, self._file, _CHUNK)

    def __aiter__(self) -> StandardInput:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Leave standard input as it is: a thread may be waiting there."""

    async def __aenter__(self) -> StandardInput:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()


class StandardOutput:
    """Standard output as the stream of messages that a server writes.

    A line is written at once while the client's end of the pipe has room, as it nearly always
    has; in a worker thread where a client does not read. What others of the process print goes to
    standard error.
    """

    def __init__(self) -> None:
        self._file = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._one_at_a_time = anyio.Lock(fast_acquire=True)
        self._room = None
        if hasattr(select, "poll"):  # not on Windows
            self._room = select.poll()
            self._room.register(self._file, select.POLLOUT)

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message.

        Raises:
            anyio.BrokenResourceError: the client has closed its end.
        """
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n"
        left = memoryview(line.encode("utf-8", "replace"))
        async with self._one_at_a_time:
            try:
                while left and self._room and self._room.poll(0):
                    # A pipe that has room has it for this many bytes.
                    left = left[os.write(self._file, left[: select.PIPE_BUF]) :]
                if left:
                    # A line that has been begun must be ended, whatever is cancelled.
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(self._write_all, left)
            except OSError as error:
                raise anyio.BrokenResourceError from error

    def _write_all(self, left: memoryview) -> None:
        while left:
            left = left[os.write(self._file, left) :]

    async def aclose(self) -> None:
        """Leave standard output open: other requests may still be answered."""

    async def __aenter__(self) -> StandardOutput:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()


def error_for(reason: Exception) -> JSONRPCError | None:
    """Return the answer to a line that is no message; None where it is blank.

    Args:
        reason: why the SDK does not take it for one.
    """
    if not isinstance(reason, ValidationError):
        return _error(PARSE_ERROR, "Parse error: the server cannot read this line.")
    problems = reason.errors(include_url=False, include_context=False)
    kind, line, where = problems[0]["type"], problems[0]["input"], problems[0]["loc"]
    if where:
        return _error(
            INVALID_REQUEST,
            'Invalid Request: each line must be one JSON-RPC 2.0 message, such as {"jsonrpc":'
            ' "2.0", "id": 1, "method": "tools/list", "params": {}}. MCP does not allow'
            " batches.",
            _request_id(problem["input"] for problem in problems),
        )
    if isinstance(line, str) and not line.strip():
        return None
    why = "it is not UTF-8" if kind == _NOT_UTF8 else problems[0]["msg"]
    return _error(
        PARSE_ERROR, f"Parse error: each line must be one JSON-RPC 2.0 message. This line: {why}."
    )


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
