"""The pages of a long search, read ahead of their use."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from odoo_toolkit.client import Admitted, Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT
from odoo_toolkit.errors import OdooConnectionError
from odoo_toolkit.policy.tables import FILE_MODELS
from odoo_toolkit.progress import time_left
from odoo_toolkit.records.omissions import with_left_out
from odoo_toolkit.records.paths import Shower
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import Question, fetched
from odoo_toolkit.values import ReadOptions

#: Pages whose ids are asked for at a time, which costs little.
_WINDOW = 20


class Pages:
    """What matches a question, page by page.

    Args:
        odoo: the connection.
        options: how values are shown.
        question: what is searched for.
        batch: records on a page.
        counted: whether ``total`` is wanted.

    Attributes:
        shower: shows the records, and knows what could not be read.
        total: how many match; None until it is known.
        excluded_count: how many the policy keeps out; known from the first page on.
        warnings: what was done differently from what was asked.
    """

    def __init__(
        self,
        odoo: Odoo,
        options: ReadOptions,
        question: Question,
        batch: int,
        *,
        counted: bool = False,
    ) -> None:
        self.shower = Shower(odoo, options, question.columns, question.context)
        self.total: int | None = None
        self.excluded_count: int | None = 0
        self.warnings = list(question.warnings)
        self._odoo, self._question, self._batch = odoo, question, batch
        self._counted = counted

    def read(self) -> Generator[list[Record], None, None]:
        """Yield page after page; the next ones are under way meanwhile."""
        first = self._first()
        later = self._question.model in FILTERED_AFTER_LIMIT
        if len(first) < self._batch and not later:
            self.total = len(first) + self._question.offset
            yield self.shower.show(first)
            return
        question = self._question
        if self._counted:
            self.total = int(self._odoo.send(question.counting()))
        # Odoo cuts some searches at the limit before it filters; files it finds differently by id.
        by_key = self._by_id and not later and self._question.model not in FILE_MODELS
        rest = self._ranges(first[-1]["id"]) if by_key else self._chunks(first)
        begun: list[Callable[[], list[Record]]] = [partial(self.shower.show, first)]
        pages = in_order(chain(begun, rest))
        try:
            yield from pages
        finally:
            pages.close()

    @property
    def _by_id(self) -> bool:
        question = self._question
        return question.order is not None and question.order.by_id and not question.offset

    def _first(self) -> list[Record]:
        """Return the first page, and find out beside it what is left out."""
        question = self._question
        first = question.sending("search_read", {**question.arguments, "limit": self._batch})
        rows, self.excluded_count = with_left_out(
            self._odoo,
            first.call,
            self.warnings,
            lambda: fetched(self._odoo, first, self.shower),
        )
        return rows

    def _fetched(self, asked: Admitted) -> list[Record]:
        return fetched(self._odoo, asked, self.shower)

    def _ranges(self, last: int) -> Iterator[Callable[[], list[Record]]]:
        """Yield what reads the pages after an id, each by the ids between which it lies.

        So pages can be read side by side, and whatever comes or goes shifts none of them.
        """
        domain, window = self._question.domain, _WINDOW * self._batch
        while True:
            arguments = {"domain": [["id", ">", last], *domain], "limit": window, "order": "id"}
            ids: list[int] = self._odoo.send(self._question.sending("search", arguments))
            for end in [*ids[self._batch - 1 :: self._batch], *ids[-1:]]:
                if end > last:
                    yield partial(self._range, last, end)
                    last = end
            if len(ids) < window:
                return

    def _range(self, after: int, end: int) -> list[Record]:
        between = [["id", ">", after], ["id", "<=", end], *self._question.domain]
        page = self._question.sending("search_read", {"domain": between, "order": "id"})
        return self.shower.show(self._fetched(page))

    def _chunks(self, first: Sequence[Record]) -> Iterator[Callable[[], list[Record]]]:
        """Yield what reads the records after the first page, of all ids taken at once."""
        read = {row["id"] for row in first}
        found = self._odoo.send(self._question.sending("search", self._question.arguments))
        ids = [one for one in found if one not in read]
        for start in range(0, len(ids), self._batch):
            yield partial(self.chunk, ids[start : start + self._batch])

    def chunk(self, ids: list[int]) -> list[Record]:
        """Read records by their ids, in this order, as far as they can be read."""
        # Searched for, as a read would fail as a whole where one may be seen no longer.
        arguments = {"domain": [["id", "in", ids]], "order": "id"}
        page = self._question.sending("search_read", arguments, active_test=False)
        rows = {row["id"]: row for row in self._fetched(page)}
        return self.shower.show([rows[one] for one in ids if one in rows])


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
