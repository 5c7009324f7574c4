"""Runs the library's blocking functions beside the event loop."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.session import ServerSession

from odoo_toolkit.progress import OperationCancelled, listening

T = TypeVar("T")

#: Own threads: the transport reads and writes through anyio's default limiter, and must not wait
#: behind slow calls to Odoo.
LIMITER = anyio.CapacityLimiter(16)

#: Seconds between two progress notifications of one call.
PROGRESS_INTERVAL = 0.1


class SessionListener:
    """Passes progress from a worker thread to the client, and the client's cancellation back."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._done = float("-inf")
        self._last = float("-inf")

    def report(self, done: float, total: float | None, message: str | None) -> None:
        """Notify the client: progress must grow, and not too often."""
        now = time.monotonic()
        if done <= self._done or (now - self._last < PROGRESS_INTERVAL and done != total):
            return
        self._done, self._last = done, now
        anyio.from_thread.run(self._session.report_progress, done, total, message)

    def checkpoint(self) -> None:
        """Raise OperationCancelled when the client has cancelled the request."""
        try:
            anyio.from_thread.check_cancelled()
        except asyncio.CancelledError as error:
            raise OperationCancelled from error


async def run_blocking(
    session: ServerSession, function: Callable[..., T], /, *args: Any, **kwargs: Any
) -> T:
    """Run ``function(*args, **kwargs)`` in a worker thread and return what it returns.

    A cancelled request waits until the function has reached a checkpoint or its end: a write that
    has been sent cannot be taken back, and its audit line must still be written.
    """
    with listening(SessionListener(session)):
        return await anyio.to_thread.run_sync(
            functools.partial(function, *args, **kwargs),
            limiter=LIMITER,
            abandon_on_cancel=False,
        )
