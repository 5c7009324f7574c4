"""Runs the library's blocking functions beside the event loop."""

from __future__ import annotations

import concurrent.futures
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import EventLoopToken, current_token
from mcp.server.session import ServerSession

from odoo_toolkit.progress import OperationCancelled, listening

T = TypeVar("T")

#: The Odoo that is worked for, where there are several: each has threads of its own, so that one
#: that hangs holds nobody up who uses another.
working_for: ContextVar[str] = ContextVar("working_for", default="")

#: Own threads: the transport reads and writes through anyio's default limiter, and must not wait
#: behind slow calls to Odoo.
_LIMITERS: dict[str, anyio.CapacityLimiter] = defaultdict(lambda: anyio.CapacityLimiter(16))

#: For threads that are counted already: an abandoned one is at work until it has ended.
_COUNTED = anyio.CapacityLimiter(math.inf)

#: Seconds between two progress notifications of one call.
PROGRESS_INTERVAL = 0.1


def limiter() -> anyio.CapacityLimiter:
    """Return what bounds the threads for the Odoo that is worked for."""
    return _LIMITERS[working_for.get()]


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
        #: held as long as the work is done
        self._at_work = threading.Lock()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let :meth:`wait_for_end` wait until the block has ended.

        Raises:
            OperationCancelled: nobody waits for the work any more.
        """
        with self._at_work:
            self.checkpoint()
            yield

    def cancel(self) -> None:
        """Take note that nobody waits for the work any more."""
        self._cancelled.set()

    def wait_for_end(self) -> None:
        """Wait until cancelled work has ended, if it has begun at all."""
        with self._at_work:
            pass

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
    ended: list[T | Exception] = []

    def work() -> None:
        with listener.working():
            try:
                ended.append(function(*args, **kwargs))
            except Exception as error:
                ended.append(error)

    with listening(listener):
        async with limiter():
            try:
                # Were it not abandoned, nobody here would hear of the cancellation.
                await anyio.to_thread.run_sync(work, limiter=_COUNTED, abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                listener.cancel()
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(listener.wait_for_end, limiter=_COUNTED)
                if not ended:
                    raise
    outcome = ended[0]
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
