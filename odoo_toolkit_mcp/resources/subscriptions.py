"""Telling clients that a resource they subscribed to has changed.

Odoo tells nothing by itself, so it is asked now and then, only while somebody listens: all
watched records of a model in one call.
"""

from __future__ import annotations

import functools
import logging
from collections import Counter, defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
import attrs

from odoo_toolkit.errors import OdooError, ValidationError, make_error
from odoo_toolkit_mcp import audit
from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.connection import Connection
from odoo_toolkit_mcp.requests import Running
from odoo_toolkit_mcp.resources.uris import ResourceUri

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

T = TypeVar("T")

logger = logging.getLogger(__name__)

#: Subscriptions of one client (REQ-06-16).
MOST_SUBSCRIPTIONS = 50

#: Kinds of resources that can be subscribed to (REQ-06-15).
RECORD, SYSTEM = "record", "system/info"

#: Seconds for which a change counts as just made. Odoo tells whole seconds, so one that follows it
#: within the same second looks the same; the next look tells of it in any case. More than a
#: second, as clocks are compared to a second, and a change is stored some time after its moment.
_FRESH = 5.0

#: What is known of a record that is not there.
GONE = "gone"


@attrs.define(eq=False, kw_only=True)
class Watch:
    """A resource that somebody listens to, as one user sees it.

    Attributes:
        uri: of the resource.
        connection: of the user.
        seen: what was there when it was last looked at.
        listeners: who is told; one client may listen several times.
    """

    uri: ResourceUri
    connection: Connection
    seen: Any
    listeners: set[Hashable] = attrs.field(factory=set)


class Subscriptions:
    """What clients have subscribed to; on the event loop only.

    Args:
        interval: seconds between two looks.
        tell: tells all who listen that the resource of an address has changed.
        system_info: what is known of the system; it is compared with what was known before.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        interval: float,
        tell: Callable[[str], Awaitable[None]],
        system_info: Callable[[Connection, Running], Awaitable[Any]],
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._interval = interval
        self._tell = tell
        self._system_info = system_info
        self._sleep = sleep
        self._watches: dict[tuple[str, Connection], Watch] = {}
        self._held: Counter[Hashable] = Counter()
        self._polling = False

    @property
    def watched(self) -> list[str]:
        """The addresses that somebody listens to."""
        return [uri for uri, _ in self._watches]

    @contextmanager
    def stream(self, client: Hashable) -> Iterator[None]:
        """Count a stream while the block lasts, so that those of one leave room for others.

        Raises:
            RateLimitError: the client has too many.
        """
        if self._held[client] >= MOST_SUBSCRIPTIONS:
            raise _too_many("streams")
        self._held[client] += 1
        try:
            yield
        finally:
            self._release(client, 1)

    @asynccontextmanager
    async def listening(
        self,
        running: Running,
        client: Hashable,
        connection: Connection,
        uris: Sequence[ResourceUri],
    ) -> AsyncIterator[None]:
        """Watch resources while the block lasts; arguments and errors as of :meth:`add`."""
        listener = object()
        await self.add(running, client, listener, connection, uris)
        try:
            yield
        finally:
            for uri in uris:
                self.remove(client, listener, connection, uri.text)

    async def add(
        self,
        running: Running,
        client: Hashable,
        listener: Hashable,
        connection: Connection,
        uris: Sequence[ResourceUri],
    ) -> None:
        """Watch resources from now on, all of them or none.

        Args:
            running: the server; the polling is a task of it.
            client: whose subscriptions are counted.
            listener: by it they are removed; what it listens to already is left as it is.
            connection: of the user who listens.
            uris: of the resources.

        Raises:
            RateLimitError: the client has too many.
            ValidationError: one of the resources cannot be subscribed to.
            NotFoundError: there is no such record.
            AccessError: Odoo or the policy does not allow it.
        """
        new = {uri.text: uri for uri in uris if not self._listens(listener, uri.text, connection)}
        if not new:
            return
        if self._held[client] + len(new) > MOST_SUBSCRIPTIONS:
            raise _too_many("subscribed resources")
        # Counted before Odoo is asked, which takes a while.
        self._held[client] += len(new)
        try:
            seen = await self._begin(running, connection, new.values())
        except BaseException:
            self._release(client, len(new))
            raise
        for text, uri in new.items():
            watch = self._watches.setdefault(
                (text, connection), Watch(uri=uri, connection=connection, seen=seen[text])
            )
            if listener in watch.listeners:  # it asked twice at the same time
                self._release(client, 1)
            watch.listeners.add(listener)
        if not self._polling:
            self._polling = True
            running.tasks.start_soon(self._poll, running)

    def remove(
        self, client: Hashable, listener: Hashable, connection: Connection, uri: str
    ) -> None:
        """Watch a resource no more for a listener; nothing happens where it does not listen."""
        if not self._listens(listener, uri, connection):
            return
        watch = self._watches[uri, connection]
        watch.listeners.remove(listener)
        self._release(client, 1)
        if not watch.listeners:
            del self._watches[uri, connection]

    def _listens(self, listener: Hashable, uri: str, connection: Connection) -> bool:
        watch = self._watches.get((uri, connection))
        return watch is not None and listener in watch.listeners

    def _release(self, client: Hashable, number: int) -> None:
        self._held[client] -= number
        if not self._held[client]:
            del self._held[client]

    async def _begin(
        self, running: Running, connection: Connection, uris: Iterable[ResourceUri]
    ) -> dict[str, Any]:
        """Return what there is at each address now; the user must be allowed to see it."""
        seen: dict[str, Any] = {}
        by_model: dict[str, list[ResourceUri]] = defaultdict(list)
        for uri in uris:
            if uri.kind not in (RECORD, SYSTEM):
                raise _not_watched(uri)
            by_model[uri.model].append(uri)
        for model, those in by_model.items():
            if model:
                odoo = await connection.get(running.tasks)
                seen |= await in_thread(running, _first_look, odoo, model, those, abandon=False)
            else:
                info = await self._system_info(connection, running)
                seen |= {uri.text: info for uri in those}
        return seen

    async def _poll(self, running: Running) -> None:
        """Look again and again, until nobody listens."""
        try:
            while self._watches:
                await self._sleep(self._interval)
                await self.step(running)
        finally:
            self._polling = False

    async def step(self, running: Running) -> set[str]:
        """Look once at all that is watched, tell of what has changed, and return its addresses.

        A failure is told by the next look that succeeds; that Odoo has gone is a change of
        ``odoo://system/info``.
        """
        # Each user's records of a model are one question; the system comes first.
        groups: dict[tuple[Connection, str], list[Watch]] = defaultdict(list)
        for watch in sorted(self._watches.values(), key=lambda watch: watch.uri.model):
            groups[watch.connection, watch.uri.model].append(watch)
        changed: set[str] = set()
        silent: set[Connection] = set()
        for (connection, model), watches in groups.items():
            if connection in silent:
                continue
            try:
                changed |= await self._look(running, connection, model, watches)
            except OdooError as error:
                logger.info("Subscriptions to %s: %s", model or SYSTEM, error.message)
                silent.add(connection)
                connection.failed(error)
            except Exception:
                logger.exception("Subscriptions to %s", model or SYSTEM)
        for uri in changed:
            await self._tell(uri)
        return changed

    async def _look(
        self, running: Running, connection: Connection, model: str, watches: Sequence[Watch]
    ) -> set[str]:
        """Look at the records of a model, or at the system, and return what has changed."""
        now: dict[int, Any] = {}
        if model:
            ids = [watch.uri.record_id for watch in watches]
            try:
                odoo = await connection.get(running.tasks)
                now = await in_thread(running, _last_changes, odoo, model, ids, abandon=True)
            except OdooError as error:
                # Who has lost the right to see them is told, too.
                if error.category not in ("access", "not_found"):
                    raise
        else:
            now = {0: await self._system_info(connection, running)}
        changed = set()
        for watch in watches:
            found = now.get(watch.uri.record_id, GONE)
            if found != watch.seen:
                watch.seen = found
                changed.add(watch.uri.text)
        return changed


async def in_thread(
    running: Running, function: Callable[..., T], *arguments: Any, abandon: bool
) -> T:
    """Run a function that reads from Odoo in a worker thread, on behalf of no tool.

    Args:
        running: the server.
        function: reads.
        arguments: its arguments.
        abandon: whether to leave the thread to itself when nobody waits any more. A server that
            stops need not wait for it; but who cancels request after request must not have one
            thread for each.
    """
    token = audit.caller.set(audit.Caller(running.session_id, "subscriptions"))
    try:
        return await anyio.to_thread.run_sync(
            functools.partial(function, *arguments), limiter=limiter(), abandon_on_cancel=abandon
        )
    finally:
        audit.caller.reset(token)


def _first_look(odoo: Odoo, model: str, uris: Sequence[ResourceUri]) -> dict[str, Any]:
    """Return when records of a model were last changed, or refuse to watch them."""
    from odoo_toolkit_mcp.resources.readers import missing

    found = _last_changes(odoo, model, [uri.record_id for uri in uris])
    for uri in uris:
        if uri.record_id not in found:
            raise missing(uri)
    return {uri.text: found[uri.record_id] for uri in uris}


def _last_changes(odoo: Odoo, model: str, ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
    """Return when records were last changed, and whether each change had only just been made."""
    # Imported here: the server answers before it needs the library.
    from odoo_toolkit.records.changes import last_changes, server_time

    since = None if odoo.clock_ahead is None else server_time(odoo, -_FRESH)
    found = last_changes(odoo, model, ids)
    # What was made by SQL may have no such moment.
    return {key: (str(at), since is not None and str(at) >= since) for key, at in found.items()}


def _not_watched(uri: ResourceUri) -> OdooError:
    return ValidationError(
        f"You cannot subscribe to {uri.text[:200]}.",
        suggestion="Subscribe to single records (odoo://record/MODEL/ID) or to odoo://system/info.",
        details={"uri": uri.text[:500]},
        outcome="not_sent",
    )


def _too_many(what: str) -> OdooError:
    return make_error(
        "RATE_LIMITED",
        f"A client can have at most {MOST_SUBSCRIPTIONS} {what}.",
        suggestion="End a subscription that you no longer need.",
        details={"limit": MOST_SUBSCRIPTIONS},
        outcome="not_sent",
    )
