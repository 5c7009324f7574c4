"""Runs the library's blocking functions beside the event loop."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import EventLoopToken, current_token
from mcp.server.session import ServerSession

from odoo_toolkit.progress import OperationCancelled, listening

T = TypeVar("T")

#: Own threads: the transport reads and writes through anyio's default limiter, and must not wait
#: behind slow calls to Odoo.
LIMITER = anyio.CapacityLimiter(16)

#: Seconds between two progress notifications of one call.
PROGRESS_INTERVAL = 0.1


class SessionListener:
    """Passes progress to the client, and the client's cancellation back, from and to any thread.

    Args:
        session: of the request that the work is done for.
        token: the event loop on which notifications are sent.
    """

    def __init__(self, session: ServerSession, token: EventLoopToken) -> None:
        self._session = session
        self._token = token
        self._lock = threading.Lock()
        self._done = float("-inf")
        self._last = float("-inf")
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Take note that nobody waits for the work any more."""
        self._cancelled.set()

    def report(self, done: float, total: float | None, message: str | None) -> None:
        """Notify the client: progress must grow, and not too often."""
        with self._lock:
            now = time.monotonic()
            if done <= self._done or (now - self._last < PROGRESS_INTERVAL and done != total):
                return
            self._done, self._last = done, now
            try:
                anyio.from_thread.run(
                    self._session.report_progress, done, total, message, token=self._token
                )
            except (concurrent.futures.CancelledError, anyio.RunFinishedError):
                # The request has gone; the next checkpoint tells.
                self._cancelled.set()

    def checkpoint(self) -> None:
        """Raise OperationCancelled when the client has cancelled the request."""
        if self._cancelled.is_set():
            raise OperationCancelled


async def run_blocking(
    session: ServerSession, function: Callable[..., T], /, *args: Any, **kwargs: Any
) -> T:
    """Run ``function(*args, **kwargs)`` in a worker thread and return what it returns.

    A cancelled request waits until the function has reached a checkpoint or its end: a write that
    has been sent cannot be taken back, and its audit line must still be written.
    """
    listener = SessionListener(session, current_token())

    def work() -> T | Exception:
        # A task group would wrap what is raised.
        try:
            return function(*args, **kwargs)
        except Exception as error:
            return error

    ended = anyio.Event()
    with listening(listener):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_hear_of_cancellation, listener, ended)
            outcome = await anyio.to_thread.run_sync(work, limiter=LIMITER, abandon_on_cancel=False)
            ended.set()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


async def _hear_of_cancellation(listener: SessionListener, ended: anyio.Event) -> None:
    """Wait for the end of the work, or the request's cancellation: no thread hears of it."""
    try:
        await ended.wait()
    finally:
        listener.cancel()
