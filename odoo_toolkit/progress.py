"""How long work tells how far it has come, and hears that nobody waits for it any more.

A library function calls :func:`report` and :func:`checkpoint` wherever it likes; both do nothing
until somebody listens through :func:`listening`. A thread that the library starts itself must run
in a copy of the context (``contextvars.copy_context().run``) to be heard.
"""

from __future__ import annotations

import threading
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


_listener: ContextVar[Listener | None] = ContextVar("odoo_toolkit_progress", default=None)


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
