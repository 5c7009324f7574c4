"""How fast one server is called, and by how many at a time: for servers that bear little."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from odoo_toolkit.connection.failures import time_is_over
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.progress import checkpoint, pause, time_left

logger = logging.getLogger(__name__)

#: End of the host names at which Odoo's own cloud serves its customers, and what it is reported to
#: bear: calls per second, and calls at once.
_HOSTED = ".odoo.com"
_HOSTED_PACE = (1.0, 1)

#: Seconds after which whoever waits for others looks whether the work is still wanted.
_HEARING = 0.1


class Pacer:
    """Lets requests to one server pass one after the other, first come, first served.

    Args:
        url: of the server, for errors.
        per_second: requests that may begin in a second; 0 for any number.
        at_once: requests that may be under way at a time; 0 for any number.
    """

    def __init__(self, url: str, per_second: float, at_once: int) -> None:
        self._url = url
        self._interval = 1 / per_second if per_second else 0.0
        self._at_once = at_once or math.inf
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()
        self._under_way = 0
        #: When the next request may begin.
        self._next = -math.inf

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until a request may be sent; it is under way until the block ends.

        Nothing that waits for another request may be done within the block.

        Raises:
            OperationCancelled: the caller has gone while it waited.
            OdooConnectionError: the turn would come after the end of the time limit.
        """
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            self._wait(ticket)
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def hold(self, seconds: float) -> None:
        """Let no request begin for so many seconds: the server has said that it were too many."""
        with self._changed:
            self._next = max(self._next, time.monotonic() + seconds)

    def _wait(self, ticket: object) -> None:
        """Wait for a turn, and take it."""
        while True:
            with self._changed:
                if self._queue[0] is ticket and self._under_way < self._at_once:
                    now = time.monotonic()
                    seconds = self._next - now
                    if seconds <= 0:
                        self._under_way += 1
                        self._next = now + self._interval
                        return
                else:
                    # An end may be told at any moment; a cancellation is not told.
                    self._changed.wait(_HEARING)
                    seconds = 0.0
            if seconds >= time_left():
                raise time_is_over(self._url)
            if seconds:
                pause(seconds)
            else:
                checkpoint()


#: Shared by all who call the same server, for as long as one of them does. A fork has its own: the
#: requests that are under way in its parent never end in it.
_pacers: WeakValueDictionary[tuple[int, str, float, int], Pacer] = WeakValueDictionary()
_lock = threading.Lock()
#: Hosts of which the log has said that they are called slowly.
_told: set[str] = set()


def pace_of(settings: ConnectionSettings) -> tuple[float, int]:
    """Return the calls per second and at once that the settings, else the address, allow.

    0 stands for any number. ``*.odoo.com`` is reported to bear about one call a second and none
    at the same time.
    """
    hosted = (urlsplit(settings.url).hostname or "").endswith(_HOSTED)
    per_second, at_once = _HOSTED_PACE if hosted else (0.0, 0)
    if settings.calls_per_second is not None:
        per_second = settings.calls_per_second
    if settings.max_concurrent_calls is not None:
        at_once = settings.max_concurrent_calls
    return per_second, at_once


def pacer_of(settings: ConnectionSettings) -> Pacer | None:
    """Return what paces the requests of a connection; None where nothing does.

    All connections of this process to the same server share one: it is the server that bears no
    more, whoever calls.
    """
    per_second, at_once = pace_of(settings)
    if not per_second and not at_once:
        return None
    host = urlsplit(settings.url).netloc.lower()
    key = (os.getpid(), host, per_second, at_once)
    with _lock:
        pacer = _pacers.get(key)
        if pacer is None:
            pacer = _pacers[key] = Pacer(settings.url, per_second, at_once)
    if host not in _told:
        _told.add(host)
        logger.info("%s", _said(host, settings, per_second, at_once))
    return pacer


def _said(host: str, settings: ConnectionSettings, per_second: float, at_once: int) -> str:
    limits = [f"{per_second:g} a second"] if per_second else []
    limits += [f"{at_once} at a time"] if at_once else []
    said = f"Calls to {host} are limited to {' and '.join(limits)}"
    if settings.calls_per_second is None and settings.max_concurrent_calls is None:
        said += ", which is all that Odoo's own cloud is reported to bear"
    return f"{said} (ODOO_CALLS_PER_SECOND, ODOO_MAX_CONCURRENT_CALLS; 0 for no limit)."
