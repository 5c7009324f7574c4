"""Progress reports and cancellation of long operations.

>>> with time_limit(5):
...     search_read(odoo, "sale.order")

A library function can call :func:`report` and :func:`checkpoint` anywhere. Both do nothing until a
caller listens with :func:`listening`. A thread that the library starts must run in a copy of the
context (``contextvars.copy_context().run``).

>>> with time_limit(5):
...     search_read(odoo, "sale.order")
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class OperationCancelled(Exception):  # noqa: N818 - nothing went wrong: the caller stopped it
    """The caller no longer wants the result."""


class Listener(Protocol):
    """Whoever wants to know of the progress, and may stop the work."""

    def report(self, done: float, total: float | None, message: str | None) -> None:
        """Take note that ``done`` of ``total`` steps are finished."""

    def checkpoint(self) -> None:
        """Raise :class:`OperationCancelled` when the work is no longer wanted."""


#: Seconds between two checkpoints of a pause.
_HEARING = 0.1

_listener: ContextVar[Listener | None] = ContextVar("odoo_toolkit_progress", default=None)
_end: ContextVar[float] = ContextVar("odoo_toolkit_time_limit", default=math.inf)


def report(done: float, total: float | None = None, message: str | None = None) -> None:
    """Tell the listener, if there is one, that ``done`` of ``total`` steps are finished."""
    listener = _listener.get()
    if listener is not None:
        listener.report(done, total, message)


def checkpoint() -> None:
    """Stop here if the work is no longer wanted.

    Call it between steps, never between a write and the report of that write.

    Raises:
        OperationCancelled: the caller has gone.
    """
    listener = _listener.get()
    if listener is not None:
        listener.checkpoint()


def pause(seconds: float) -> None:
    """Wait, and stop here as soon as the work is no longer wanted.

    Raises:
        OperationCancelled: the caller has gone.
    """
    step = seconds if _listener.get() is None else _HEARING
    checkpoint()
    while seconds > 0:
        time.sleep(min(step, seconds))
        seconds -= step
        checkpoint()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the time of all calls to Odoo within the ``with`` block.

    Connecting and all attempts count. When the time is over, the current call ends with an
    :class:`~odoo_toolkit.errors.OdooConnectionError` of code ``TIMEOUT``. Its ``outcome`` says
    whether a write may have been applied. With several limits, the earliest one applies.

    Args:
        seconds: Seconds from now.
    """
    token = _end.set(min(_end.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _end.reset(token)


def time_left() -> float:
    """Return the seconds until the :func:`time_limit` ends; infinity without one."""
    return _end.get() - time.monotonic()


class Steps:
    """Counts the steps of work that several threads do together, and reports them.

    Args:
        total: the number of steps.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def finish(self, number: int, message: str) -> None:
        """Report that so many more steps are finished, or have become needless."""
        with self._lock:
            self._done += number
            done = self._done
        if number:
            report(done, self._total, message)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let ``listener`` hear of all work done within the ``with`` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let what runs within the block go on to its end: nobody stops it, and no time limit holds."""
    tokens = _listener.set(None), _end.set(math.inf)
    try:
        yield
    finally:
        _listener.reset(tokens[0])
        _end.reset(tokens[1])


class _Quiet:
    """Passes checkpoints on, and no steps."""

    def __init__(self, listener: Listener) -> None:
        self.checkpoint = listener.checkpoint

    def report(self, done: float, total: float | None, message: str | None) -> None:
        """Tell nobody."""


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the steps of what runs within the block to itself, where they are part of a larger work.

    It can still be stopped.
    """
    listener = _listener.get()
    if listener is None:
        yield
        return
    with listening(_Quiet(listener)):
        yield
