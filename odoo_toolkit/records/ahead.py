"""Results fetched ahead, in threads, while the one before is being used."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

from odoo_toolkit.errors import OdooConnectionError
from odoo_toolkit.progress import time_left

T = TypeVar("T")

#: Begins the names of the threads.
_NAME = "odoo-toolkit-ahead"


def in_order(actions: Iterator[Callable[[], T]], ahead: int = 2) -> Generator[T, None, None]:
    """Yield what functions return, in order; while one result is used, the next ones are fetched.

    Each runs in a thread, in a copy of the caller's context. Closing the iterator begins no
    further one, and waits for those that are under way.

    Args:
        actions: taken one by one, in the caller's thread.
        ahead: how many are fetched while one is used.
    """
    waiting: deque[tuple[Callable[[], T], float, Future[T]]] = deque()
    threads = ThreadPoolExecutor(ahead, thread_name_prefix=_NAME)

    def begin() -> None:
        for action in islice(actions, ahead - len(waiting)):
            ends = time.monotonic() + time_left()
            waiting.append((action, ends, threads.submit(copy_context().run, action)))

    try:
        begin()
        while waiting:
            action, ends, future = waiting.popleft()
            result = _result(action, ends, future)
            begin()
            yield result
            del result
    finally:
        # A thread cannot wait for itself, should it be the one that clears away the iterator.
        wait = not threading.current_thread().name.startswith(_NAME)
        threads.shutdown(wait=wait, cancel_futures=True)


def _result(action: Callable[[], T], ends: float, future: Future[T]) -> T:
    try:
        return future.result()
    except OdooConnectionError as error:
        # It was begun under a time limit that was over before anybody wanted it.
        over = ends <= time.monotonic() and time_left() > 0
        if error.code != "TIMEOUT" or not over:
            raise
    return action()
