"""Whom a request acts for: the connection that serves it, how often it may come, what is noted."""

from __future__ import annotations

import functools
import logging
import uuid
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.to_thread
import attrs
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server import ServerRequestContext

from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp import audit
from odoo_toolkit_mcp.bridge import limiter, run_blocking
from odoo_toolkit_mcp.callers import (
    ConnectionPool,
    Credentials,
    client_of,
    credentials_of,
    seconds_left,
)
from odoo_toolkit_mcp.connection import Connection
from odoo_toolkit_mcp.host import ALONE, Serving
from odoo_toolkit_mcp.rate_limit import ClientRateLimits, too_many
from odoo_toolkit_mcp.results import mcp_error
from odoo_toolkit_mcp.settings import ServerSettings, policy_of, read_options_of

if TYPE_CHECKING:
    from odoo_toolkit.call import Access
    from odoo_toolkit.change_history import History
    from odoo_toolkit.client import CallEvent, Odoo
    from odoo_toolkit.connection.settings import ConnectionSettings


logger = logging.getLogger(__name__)


@attrs.frozen
class Running:
    """What lives as long as the server runs."""

    tasks: TaskGroup
    session_id: str = attrs.field(factory=lambda: uuid.uuid4().hex)


Context = ServerRequestContext[Running, Any]
T = TypeVar("T")


class Requests:
    """Chooses the connection of each request, limits how many come, and notes who asked.

    Args:
        connection_settings: where Odoo is, and who we are there.
        settings: of the server.
        prepare: what has to be done with a new connection of the server's own, in a thread. It
            returns the groups of its user.
        ready: what has to be done after it, on the event loop.
        serving: what is told by whoever serves this server.
        look_up: returns the groups of another user, in a thread.

    Raises:
        OSError: the audit file cannot be written.
    """

    def __init__(
        self,
        connection_settings: ConnectionSettings,
        settings: ServerSettings,
        prepare: Callable[[Odoo], str | None],
        ready: Callable[[], Awaitable[None]],
        serving: Serving = ALONE,
        look_up: Callable[[Odoo], str | None] | None = None,
    ) -> None:
        self.connection_settings = connection_settings
        self.settings = settings
        self._look_up = look_up
        self._policy = policy_of(settings)
        #: The users' connections to Odoo go over the same sockets.
        self._pool = Pool()
        self._serving = serving
        self._audit_log: audit.AuditLog | None = None
        if settings.audit or serving.note:
            self._audit_log = audit.AuditLog(settings, self._policy, serving.note)
        #: They hear of each call to Odoo, on connections made from now on.
        self.call_hooks = [self._audit_log.record] if self._audit_log else []
        #: The server's own, which decides which tools there are.
        self.connection = Connection(self._new_odoo, prepare, ready)
        self._connections = ConnectionPool(self._connection_of)
        self.rate_limits = ClientRateLimits(settings)

    def _new_odoo(self, credentials: Credentials | None = None) -> Odoo:
        from odoo_toolkit.client import Odoo

        settings = self.connection_settings
        if credentials:
            settings = attrs.evolve(
                settings,
                username=credentials.username,
                api_key=credentials.api_key,
                password=None,
            )
        return Odoo(
            settings,
            policy=self._policy,
            pool=self._pool,
            options=read_options_of(self.settings),
            on_call=self._tell if self.call_hooks else None,
            history=self.history,
        )

    @functools.cached_property
    def history(self) -> History | None:
        """What keeps what is written; None where nothing does."""
        return history_for(self.connection_settings, self.settings)

    def close_history(self) -> None:
        """Close the change history; the next use opens it again."""
        # Asked for here, it would be made first.
        history: History | None = self.__dict__.get("history")
        if history:
            history.store.close()

    async def holds(self, ctx: Context) -> bool:
        """Whether a request that is open for long may still go on."""
        if self._serving.holds:
            return await self._serving.holds(ctx.request)
        return ctx.request is None or seconds_left(ctx.request.scope) > 0

    def _tell(self, event: CallEvent) -> None:
        for hook in self.call_hooks:
            hook(event)

    def _connection_of(self, credentials: Credentials) -> Connection:
        """Return a new connection for the user that requests act for."""
        return Connection(functools.partial(self._new_odoo, credentials), self._look_up)

    @property
    def connections(self) -> list[Connection]:
        """All connections: the server's own, and those of the users that requests act for."""
        return [self.connection, *self._connections]

    @property
    def odoo_state(self) -> str:
        """Whether Odoo is connected: what the connection says that was used last, of any user.

        One that is not used, or whose credentials Odoo refused, says nothing of it.
        """
        for connection in reversed(self.connections):
            if connection.established or connection.gone:
                return "connected" if connection.established else "not connected"
        return "not connected"

    def connection_of(self, ctx: Context) -> Connection:
        """Return the connection that a request is served by.

        Raises:
            AccessError: requests have to name their user, and this one does not.
        """
        credentials = self._credentials_of(ctx)
        if credentials is None:
            return self.connection
        connection = self._connections.get(credentials)
        for evicted in self._connections.evict():
            ctx.lifespan_context.tasks.start_soon(evicted.close)
        return connection

    def owner_of(self, ctx: Context) -> Hashable:
        """Return whose a file is that is made for a request: nobody else may read it.

        Raises:
            AccessError: requests have to name their user, and this one does not.
        """
        client, credentials = client_of(ctx.request), self._credentials_of(ctx)
        # Behind a sign-in the client is the user; what all processes know of them is the name.
        return client if self._serving.credentials else (client, credentials)

    def _credentials_of(self, ctx: Context) -> Credentials | None:
        """Return the credentials of the user a request acts for; None for the server's own.

        Raises:
            AccessError: requests have to name their user, and this one does not.
        """
        if self._serving.credentials:
            return self._serving.credentials(ctx.request)
        if self.settings.transport != "http" or not self.settings.credential_headers:
            return None
        return credentials_of(ctx.request.headers if ctx.request else {})

    async def check_rate(self, ctx: Context, access: Access) -> None:
        """Count a request.

        Raises:
            RateLimitError: the client has made too many of this kind.
        """
        client, counted = client_of(ctx.request), self._serving.rates
        if counted is None:
            self.rate_limits.check(client, access)
        elif self.settings.rate_limit:
            wait = await anyio.to_thread.run_sync(
                counted, client, access, self.settings, limiter=limiter()
            )
            if wait:
                self.rate_limits.refused[access] += 1
                raise too_many(wait)

    @contextmanager
    def noted(self, ctx: Context, asked_for: str) -> Iterator[audit.Caller]:
        """Let the audit say, of calls made within the block, who asked and for what."""
        session_id = ctx.lifespan_context.session_id
        about = self._serving.about(ctx.request) if self._serving.about else {}
        who = audit.Caller(
            session_id, asked_for, client_of(ctx.request), about, log=self._audit_log
        )
        token = audit.caller.set(who)
        try:
            yield who
        finally:
            audit.caller.reset(token)

    def note_cancelled(self, who: audit.Caller, access: Access) -> None:
        """Let the audit say that a call was cancelled."""
        if self._audit_log:
            self._audit_log.record_cancelled(who, access)

    async def connection_for(self, ctx: Context, asked_for: str) -> Connection:
        """Return the connection for a prompt, a resource or the like; it counts as a read.

        Raises:
            MCPError: the request does not name its user, or there were too many of them.
        """
        try:
            await self.check_rate(ctx, "read")
            return self.connection_of(ctx)
        except OdooError as error:
            raise mcp_error(asked_for, error) from error

    async def ask(self, ctx: Context, asked_for: str, function: Callable[[Odoo], T]) -> T:
        """Run a function that reads, in a worker thread, for a prompt or the like.

        Args:
            ctx: of the request.
            asked_for: what it is for, in the log and the audit.
            function: takes the Odoo of the user that the request acts for.

        Raises:
            MCPError: it failed.
        """
        connection = await self.connection_for(ctx, asked_for)
        with self.noted(ctx, asked_for):
            try:
                odoo = await connection.get(ctx.lifespan_context.tasks)
                return await run_blocking(ctx.session, function, odoo)
            except MCPError:
                raise
            except Exception as error:
                connection.failed(error)
                raise mcp_error(asked_for, error) from error


def fails_without_history(
    connection: ConnectionSettings, settings: ServerSettings, *, page: bool
) -> str | None:
    """Return which calls fail because there is no change history; None if there is one.

    Args:
        connection: names its place.
        settings: of the server.
        page: whether clients that cannot ask send people to a page.
    """
    fails = ["calls that need an approval"] * bool(settings.approval)
    writes = settings.mode != "readonly" or settings.confirm_tools
    if page and writes and settings.confirm != "never":
        fails.append("deletions and other calls that a client cannot confirm itself")
    if connection.history != "off" or not fails:
        return None
    return (
        f"The change history is off (ODOO_HISTORY), so {' and '.join(fails)} fail. To allow these"
        " calls, set history to a file."
    )


def history_for(connection: ConnectionSettings, settings: ServerSettings) -> History | None:
    """Return what keeps what a server writes; None where nothing does.

    Args:
        connection: names its place, or leaves that to us.
        settings: of the server.
    """
    # Imported here: the server must be able to start without it.
    from odoo_toolkit.change_history.places import AUTO, history_of_settings

    history = history_of_settings(connection, unset=AUTO)
    writes = settings.mode != "readonly" or settings.approval or settings.approvers
    # What is asked about is kept there, too: a plugin may ask before it reads.
    writes = writes or settings.confirm_tools or settings.plugins or settings.plugin_files
    if history is None or not (writes or history.store.exists()):
        return None  # nothing would ever be in it
    if connection.history not in (None, AUTO):
        return history
    try:
        history.store.open()
    except OdooError as error:
        logger.warning(
            "The server cannot store the change history: %s %s", error.message, error.suggestion
        )
        return None
    return history
