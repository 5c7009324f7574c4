"""Resources and subscriptions as the server answers them, in both protocol eras."""

from __future__ import annotations

import base64
import logging
from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import attrs
from mcp import MCPError
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.types import (
    INVALID_REQUEST,
    BlobResourceContents,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextResourceContents,
    UnsubscribeRequestParams,
)

from odoo_toolkit.errors import AccessError, OdooError, make_error
from odoo_toolkit_mcp import results, skill_list, untrusted
from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.callers import client_of
from odoo_toolkit_mcp.connection import Connection, within
from odoo_toolkit_mcp.files import LIFETIME, Keeping
from odoo_toolkit_mcp.notifications import send_all
from odoo_toolkit_mcp.requests import Context, Requests, Running
from odoo_toolkit_mcp.resources.catalog import (
    JSON,
    RESOURCES,
    TEMPLATES,
    attachment_reader,
    reader_of,
)
from odoo_toolkit_mcp.resources.subscriptions import MOST_SUBSCRIPTIONS, Subscriptions, in_thread
from odoo_toolkit_mcp.resources.uris import MOST_RECORDS, ResourceUri, parse_uri
from odoo_toolkit_mcp.results import mcp_error
from odoo_toolkit_mcp.settings import ServerSettings, policy_of
from odoo_toolkit_mcp.tool_list import ToolList
from odoo_toolkit_mcp.views.serving import read_view

if TYPE_CHECKING:
    from odoo_toolkit_mcp.resources.readers import SystemInfo

logger = logging.getLogger(__name__)

#: Milliseconds for which a client may keep the lists: they change with the toolkit only.
_LIFETIME = 3_600_000

#: Seconds that a look at the system waits for the connection.
_PATIENCE = 5.0

#: Seconds between two looks whether a stream may go on.
HOLDS = 30.0


@attrs.define(eq=False)
class _Client:
    """A client that is notified unasked, and what of: address -> the connection of its user."""

    session: ServerSession
    listens_to: dict[str, Connection] = attrs.field(factory=dict)


class ServedResources:
    """The resources of a server.

    Args:
        requests: have the connections and the settings.
        offered: the toolsets that are told of.
        bus: carries notifications to clients of the 2026-07-28 era.
        listen: sends them.
        kept_files: that can be read for a while.
    """

    def __init__(
        self,
        requests: Requests,
        offered: ToolList,
        bus: InMemorySubscriptionBus,
        listen: ListenHandler,
        kept_files: Keeping,
    ) -> None:
        self._requests = requests
        self._kept_files = kept_files
        self._offered = offered
        self._bus = bus
        self._listen = listen
        #: Clients of the handshake era, by their connection to this server.
        self._clients: dict[Hashable, _Client] = {}
        self.subscriptions = Subscriptions(
            requests.settings.subscription_interval, self._tell, self._known_of_system
        )

    @property
    def handlers(self) -> dict[str, Any]:
        """The handlers, by what the MCP server calls them."""
        return {
            "on_list_resources": self._list,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read,
            "on_subscribe_resource": self._subscribe,
            "on_unsubscribe_resource": self._unsubscribe,
            "on_subscriptions_listen": self._listen_while_open,
        }

    async def _list(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        skills = skill_list.resources(await self._offered.added_skills())
        return ListResourcesResult(
            resources=[*RESOURCES, *skills], ttl_ms=_LIFETIME, cache_scope="public"
        )

    async def _list_templates(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=list(TEMPLATES), ttl_ms=_LIFETIME, cache_scope="public"
        )

    # Reading.

    async def _read(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        if view := read_view(params.uri):
            return view
        if params.uri.startswith(skill_list.SCHEME):
            skill = skill_list.read(params.uri, await self._offered.added_skills())
            return ReadResourceResult(contents=[skill], ttl_ms=_LIFETIME, cache_scope="public")
        marks = self._requests.settings.mark_data
        try:
            uri = _parsed(params.uri)
            contents, from_odoo = await self._contents(ctx, uri)
        except MCPError as error:
            # Where the 2026-07-28 revision wants it.
            data = {**(error.error.data or {}), "uri": params.uri[:500]}
            shown = untrusted.cleaned_error(error) if marks else error
            raise MCPError(error.error.code, shown.error.message, data) from error
        # The notice comes after: some clients take the first of the contents only.
        notices = []
        if marks and from_odoo:
            notices = [untrusted.resource_notice(params.uri, is_json=contents.mime_type == JSON)]
        return ReadResourceResult(contents=[contents, *notices], cache_scope="private")

    async def _contents(
        self, ctx: Context, uri: ResourceUri
    ) -> tuple[TextResourceContents | BlobResourceContents, bool]:
        """Return what a resource has, and whether it comes from Odoo."""
        marks = self._requests.settings.mark_data
        if uri.kind in ("attachment", "file"):
            of_kind = self._attachment if uri.kind == "attachment" else self._kept_file
            return await of_kind(ctx, uri), True
        text = results.json_text(await self._found(ctx, uri))
        if marks:
            text = untrusted.cleaned_json(text)
        contents = TextResourceContents(uri=uri.text, mime_type=JSON, text=text)
        return contents, reader_of(uri.kind) is not None

    async def _attachment(
        self, ctx: Context, uri: ResourceUri
    ) -> TextResourceContents | BlobResourceContents:
        """Return what an attachment holds now, if the user may see it now."""
        settings = self._requests.settings
        read = partial(attachment_reader(), uri=uri, max_bytes=settings.attachment_max_bytes)
        found = await self._requests.ask(ctx, f"resource {uri.text[:200]}", read)
        kind = found.mimetype or None
        if found.encoding == "text":
            text = found.content or ""
            shown = untrusted.cleaned(text) if settings.mark_data else text
            return TextResourceContents(uri=uri.text, mime_type=kind, text=shown)
        blob = found.content_base64 or ""
        return BlobResourceContents(uri=uri.text, mime_type=kind, blob=blob)

    async def _kept_file(self, ctx: Context, uri: ResourceUri) -> BlobResourceContents:
        """Return a file that was made for this user a short while ago."""
        await self._requests.connection_for(ctx, "resource odoo://file")
        owner = self._requests.owner_of(ctx)
        try:
            file = await anyio.to_thread.run_sync(
                self._kept_files.get, owner, uri.token, limiter=limiter()
            )
        except OdooError as error:
            raise mcp_error("resource odoo://file", error) from error
        if file is None:
            minutes = f"{LIFETIME / 60:.0f} minutes"
            raise mcp_error(
                "resource odoo://file",
                make_error(
                    "NOT_FOUND",
                    "This file does not exist, has expired or belongs to another user. The server"
                    f" keeps files for {minutes}.",
                    suggestion="To create the file again, call the same tool again.",
                    outcome="not_sent",
                ),
            )
        blob = base64.b64encode(file.content).decode()
        return BlobResourceContents(uri=uri.text, mime_type=file.mimetype, blob=blob)

    async def _found(self, ctx: Context, uri: ResourceUri) -> Any:
        name = f"resource {uri.text[:200]}"
        read = reader_of(uri.kind)
        if read:
            return await self._requests.ask(ctx, name, lambda odoo: read(odoo, uri))
        connection = await self._requests.connection_for(ctx, name)
        if uri.kind == "config/safety":
            return _safety(self._requests.settings)
        if uri.kind == "system/info":
            return await self._system_info(connection, ctx.lifespan_context)
        from odoo_toolkit_mcp.toolsets.core import describe_toolsets

        table, tasks = self._offered.table, ctx.lifespan_context.tasks
        odoo = await within(_PATIENCE, lambda: connection.get(tasks))
        return await anyio.to_thread.run_sync(describe_toolsets, table, odoo, limiter=limiter())

    async def _system_info(
        self, connection: Connection, running: Running, abandon: bool = False
    ) -> SystemInfo:
        """Return what the connected Odoo is, or why there is no connection.

        Args:
            connection: of the user who asks.
            running: the server.
            abandon: as of :func:`~odoo_toolkit_mcp.resources.subscriptions.in_thread`.
        """
        from odoo_toolkit_mcp.resources import readers

        try:
            with anyio.fail_after(_PATIENCE):
                odoo = await connection.get(running.tasks)
            return await in_thread(running, readers.info, odoo, abandon=abandon)
        except TimeoutError:
            error: OdooError = make_error(
                "TIMEOUT", f"The server could not connect to Odoo within {_PATIENCE:.0f} seconds."
            )
        except OdooError as reason:
            error = reason
            connection.failed(error)
        settings = self._requests.connection_settings
        return readers.without_connection(settings.url, settings.database, error)

    async def _known_of_system(self, connection: Connection, running: Running) -> SystemInfo:
        """Return the same in a form that only changes when there is something to tell."""
        info = await self._system_info(connection, running, abandon=True)
        return attrs.evolve(info, error=info.error and {"code": info.error["code"]})

    # Subscriptions.

    async def _tell(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        listeners = [client for client in self._clients.values() if uri in client.listens_to]
        await send_all(partial(client.session.send_resource_updated, uri) for client in listeners)

    async def _listen_while_open(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve a stream of notifications, as of 2026-07-28."""
        uris = [_parsed(uri) for uri in params.notifications.resource_subscriptions or ()]
        name = client_of(ctx.request)
        try:
            with self.subscriptions.stream(name):
                if not uris:
                    return await self._listen_while_it_holds(ctx, params)
                connection = await self._requests.connection_for(ctx, "subscriptions/listen")
                client, running = (name, connection), ctx.lifespan_context
                async with self.subscriptions.listening(running, client, connection, uris):
                    return await self._listen_while_it_holds(ctx, params)
        except OdooError as error:
            raise mcp_error("subscriptions/listen", error) from error

    async def _listen_while_it_holds(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Send notifications until the client goes.

        Raises:
            AccessError: it may not have them any more.
        """
        looks = anyio.CancelScope()
        with anyio.CancelScope() as stream:
            ctx.lifespan_context.tasks.start_soon(self._look, ctx, stream, looks)
            try:
                return await self._listen(ctx, params)
            finally:
                looks.cancel()
        raise AccessError(
            "This stream has ended, because the permissions of its request have ended or changed.",
            suggestion="Call subscriptions/listen again with a valid token.",
        )

    async def _look(
        self, ctx: Context, stream: anyio.CancelScope, looks: anyio.CancelScope
    ) -> None:
        """Cut a stream off once it may not go on, or nobody knows."""
        with looks:
            while True:
                await anyio.sleep(HOLDS)
                try:
                    if await self._requests.holds(ctx):
                        continue
                except OdooError as error:
                    logger.error("%s %s", error.message, error.suggestion or "")
                except Exception:  # this task must not end the server
                    logger.exception("The server cannot check whether the stream is still allowed.")
                stream.cancel()
                return

    async def _subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Begin to notify a client of the handshake era."""
        settings = self._requests.settings
        if settings.transport == "http" and settings.stateless:
            raise MCPError(
                INVALID_REQUEST,
                "This server is stateless (ODOO_MCP_STATELESS), so it cannot notify clients of this"
                " protocol version. Clients of version 2026-07-28 use subscriptions/listen.",
            )
        uri = _parsed(params.uri)
        connection = await self._requests.connection_for(ctx, "resources/subscribe")
        listener = _listener(ctx)
        try:
            await self.subscriptions.add(
                ctx.lifespan_context, listener, listener, connection, [uri]
            )
        except OdooError as error:
            raise mcp_error("resources/subscribe", error) from error
        if listener not in self._clients:
            self._clients[listener] = _Client(ctx.session)
            listener.exit_stack.callback(self._forget, listener)
        self._clients[listener].listens_to[uri.text] = connection
        return EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Notify a client of the handshake era no more."""
        self._end(_listener(ctx), params.uri)
        return EmptyResult()

    def _forget(self, listener: Hashable) -> None:
        """End the subscriptions of a client that has gone."""
        for uri in list(self._clients[listener].listens_to):
            self._end(listener, uri)
        del self._clients[listener]

    def _end(self, listener: Hashable, uri: str) -> None:
        client = self._clients.get(listener)
        connection = client.listens_to.pop(uri, None) if client else None
        if connection:
            self.subscriptions.remove(listener, listener, connection, uri)


def _listener(ctx: Context) -> Any:
    """Return a client's connection to this server: it is the same for all its requests.

    The SDK has no public way to it, nor another one to hear that the client has gone.
    """
    return ctx.session._connection


def _parsed(uri: str) -> ResourceUri:
    try:
        return parse_uri(uri)
    except OdooError as error:
        raise mcp_error("resource", error) from error


def _safety(settings: ServerSettings) -> dict[str, Any]:
    """Return the mode, what is open and closed, and the limits; no secrets are among them."""
    rules = policy_of(settings).describe()
    return {
        "operation_mode": rules.pop("mode"),
        **rules,
        "rate_limit": _rate_limit(settings),
        "limits": {
            "search_limit": settings.search_limit,
            "search_max_limit": settings.search_max_limit,
            "resource_max_limit": min(MOST_RECORDS, settings.search_max_limit),
            "attachment_max_mb": settings.attachment_max_mb,
            "subscriptions_per_client": MOST_SUBSCRIPTIONS,
            "subscription_interval_seconds": settings.subscription_interval,
        },
    }


def _rate_limit(settings: ServerSettings) -> dict[str, Any] | None:
    """Return the rates of one client; None where calls are not limited."""
    if not settings.rate_limit:
        return None
    return {
        "calls_per_minute": settings.rate_limit_rpm,
        "calls_per_hour": settings.rate_limit_rph,
        "burst": settings.rate_limit_burst,
        "reads_per_minute": settings.rate_limit_read_rpm,
        "writes_per_minute": settings.rate_limit_write_rpm,
    }
