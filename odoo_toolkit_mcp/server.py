"""The MCP server: lists the tools, calls them, and tells clients when the list changes."""

from __future__ import annotations

import functools
import importlib.metadata
import threading
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
import attrs
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server import (
    InitializationOptions,
    NotificationOptions,
    Server,
    ServerRequestContext,
)
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    ToolAnnotations,
)
from mcp.types import Tool as McpTool
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.progress import OperationCancelled
from odoo_toolkit_mcp import audit, disambiguation, results, untrusted
from odoo_toolkit_mcp.affected import Asking, Question
from odoo_toolkit_mcp.affected import run as run_tool
from odoo_toolkit_mcp.bridge import LIMITER, run_blocking
from odoo_toolkit_mcp.confirmation import Confirmations, check_tools
from odoo_toolkit_mcp.connection import Connection, within
from odoo_toolkit_mcp.http.clients import client_of
from odoo_toolkit_mcp.http.credentials import ConnectionPool, Credentials, credentials_of
from odoo_toolkit_mcp.instructions import expected_tools, instructions_for
from odoo_toolkit_mcp.prompts.served import Served
from odoo_toolkit_mcp.prompts.serving import prompt_handlers
from odoo_toolkit_mcp.protocol_errors import mcp_error
from odoo_toolkit_mcp.rate_limit import ClientRateLimits
from odoo_toolkit_mcp.resources.serving import ServedResources
from odoo_toolkit_mcp.settings import ServerSettings, policy_of, read_options_of

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.connection.settings import ConnectionSettings
    from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolTable
    from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry

#: Seconds that tools/list waits to learn from Odoo which toolsets it serves.
LIST_PATIENCE = 5.0

#: Seconds after which a server prepares itself though no client has said anything.
FIRST_ANSWER_PATIENCE = 1.0

#: Milliseconds for which a client may keep a list of tools that is complete.
LIST_LIFETIME = 300_000

#: What tells that Odoo has gone, or was started anew.
_GONE = frozenset({"CONNECTION_REFUSED", "CONNECTION_ERROR"})

#: Sessions of the handshake era that are told of changes; the oldest is forgotten.
MAX_SESSIONS = 100


@attrs.frozen
class Running:
    """What lives as long as the server runs."""

    tasks: TaskGroup
    session_id: str = attrs.field(factory=lambda: uuid.uuid4().hex)


Context = ServerRequestContext[Running, Any]
T = TypeVar("T")


class OdooServer(Server[Running]):
    """Serves the tools of an Odoo over MCP, to clients of both protocol eras.

    It answers before it has reached Odoo, connects when Odoo is first needed, and stays up when
    Odoo is down.

    Args:
        connection_settings: where Odoo is, and who we are there.
        settings: of the server.
        toolsets: the toolsets to choose from; all of them by default.

    Raises:
        OSError: the audit file cannot be written.
    """

    def __init__(
        self,
        connection_settings: ConnectionSettings,
        settings: ServerSettings,
        toolsets: Iterable[type[BaseToolset]] | None = None,
    ) -> None:
        self.settings = settings
        self._toolsets = toolsets
        self._registering = threading.Lock()
        self.connection_settings = connection_settings
        self._policy = policy_of(settings)
        self._audit_log = audit.AuditLog(settings, self._policy) if settings.audit else None
        self.connection = Connection(self._new_odoo, self._register, self._publish)
        self._connections = ConnectionPool(self._connection_of)
        self._rate_limits = ClientRateLimits(settings)
        self._confirmations = Confirmations(settings)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self.resources = ServedResources(self, self._bus, self._listen)
        self._sessions: OrderedDict[int, ServerSession] = OrderedDict()
        self._registered: ToolTable | None = None
        self._tools: dict[str, Tool] = {}
        self._hidden: dict[str, Tool] = {}
        self._listed: list[McpTool] = []
        self._answered = anyio.Event()
        super().__init__(
            "odoo-toolkit",
            version=importlib.metadata.version("odoo-toolkit"),
            title="Odoo",
            instructions=instructions_for(expected_tools(settings), settings.mode),
            lifespan=_lifespan,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._answer_call,
            **self.resources.handlers,
            **prompt_handlers(self),
        )
        self.middleware.append(self._note_answer)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Tell clients of the handshake era what they will be notified of.

        That is nothing where there are no sessions.
        """
        sessions = self.settings.transport == "stdio" or not self.settings.stateless
        options = super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=sessions),
            experimental_capabilities,
            extensions,
        )
        if options.capabilities.resources and not sessions:
            options.capabilities.resources.subscribe = False
        return options

    def end_streams(self) -> None:
        """End the streams of notifications, which clients keep open for as long as they can."""
        self._listen.close()

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
            options=read_options_of(self.settings),
            on_call=self._audit_log.record if self._audit_log else None,
        )

    def _connection_of(self, credentials: Credentials) -> Connection:
        """Return a new connection for the user that requests act for."""
        return Connection(functools.partial(self._new_odoo, credentials))

    def _connection(self, ctx: Context) -> Connection:
        """Return the connection that a request is served by.

        Raises:
            AccessError: requests have to name their user, and this one does not.
        """
        if self.settings.transport != "http" or not self.settings.credential_headers:
            return self.connection
        credentials = credentials_of(ctx.request.headers if ctx.request else {})
        connection = self._connections.get(credentials)
        for evicted in self._connections.evict():
            ctx.lifespan_context.tasks.start_soon(evicted.close)
        return connection

    # The list of tools.

    @cached_property
    def registry(self) -> ToolsetRegistry:
        """The toolsets; with them the library's modules are imported."""
        from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
        from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry

        toolsets = list(self._toolsets or ALL_TOOLSETS)
        registry = ToolsetRegistry(self.settings, toolsets)
        check_tools(self.settings, registry, toolsets)
        return registry

    async def prepare(self, patience: float = FIRST_ANSWER_PATIENCE) -> None:
        """Register what needs no Odoo, once the client has its first answer.

        Args:
            patience: seconds to wait for that.

        Raises:
            ConfigurationError: the toolsets depend on each other in a circle, or the settings
                name one that does not exist.
        """
        with anyio.move_on_after(patience):
            await self._answered.wait()
        await anyio.to_thread.run_sync(self._ensure_registered, limiter=LIMITER)

    async def _note_answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        self._answered.set()
        return result

    def _register(self, odoo: Odoo | None) -> None:
        """Find out which tools there are; runs in a worker thread when there is a connection."""
        from odoo_toolkit_mcp.toolsets.base import ToolTable

        table = ToolTable(self.settings, self.registry)
        self.registry.discover_and_register(table, odoo)
        self._registered = table

    def _ensure_registered(self) -> None:
        """Register what needs no Odoo, unless that has been done."""
        with self._registering:
            if self._registered is None:
                self._register(None)
                self._use_registered()

    def _use_registered(self) -> None:
        table = self._registered
        if table is None:
            return
        self._tools, self._hidden = table.tools, table.hidden
        self._listed = [_listed(tool, self.settings.mode) for tool in self._tools.values()]

    async def _publish(self) -> None:
        """Put newly registered tools to use, and tell all clients if the list has changed."""
        before = self._listed
        self._use_registered()
        self.instructions = instructions_for(self._tools, self.settings.mode)
        if self._listed == before:
            return
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        self._remember(ctx)
        self._ensure_registered()
        if not self.connection.established:
            # Even where no toolset waits for it, the first call will want the connection.
            patience = LIST_PATIENCE if self.registry.waiting_toolsets() else 0
            await within(patience, lambda: self._own_odoo(ctx))
        complete = self.connection.established
        return ListToolsResult(
            tools=self._listed,
            ttl_ms=LIST_LIFETIME if complete else 0,
            cache_scope="private",
        )

    def _remember(self, ctx: Context) -> None:
        """Remember a session of the handshake era, in which changes are told unasked."""
        if ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            return
        # The session object is made anew for each request; these belong to the connection.
        self._sessions[id(ctx.session.client_params)] = ctx.session
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        self._ensure_registered()
        tool = self._tools.get(name)
        return tool.input_schema if tool else None

    # Calling them.

    async def _answer_call(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what a model will read of the answer is marked as data from Odoo."""
        result = await self._call_tool(ctx, params)
        if not self.settings.mark_data or not isinstance(result, CallToolResult):
            return result
        tool = self._tools.get(params.name)
        from_odoo = tool is not None and tool.needs_odoo and not result.is_error
        return untrusted.for_models(result, mark=from_odoo)

    async def _call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        name = params.name
        try:
            self._ensure_registered()
            tool = await self._tool(ctx, name)
            given = disambiguation.chosen(params.arguments or {}, params)
            tool.check(given)
            self._rate_limits.check(client_of(ctx.request), tool.access)
            approved = self._confirmations.answered(params)
            odoo = await self._odoo_for(ctx, tool)
            while True:
                outcome = await self._run(ctx, tool, odoo, given, approved)
                if isinstance(outcome, Question):
                    answer = await self._confirmations.ask(ctx, params, outcome)
                    if isinstance(answer, InputRequiredResult):
                        return answer
                    approved = answer
                    continue
                if not disambiguation.is_ambiguous(outcome):
                    return results.success(outcome, tool.blocks(outcome) if tool.blocks else ())
                choice = await disambiguation.ask(ctx, params, outcome)
                if isinstance(choice, InputRequiredResult):
                    return choice
                replaced = choice and disambiguation.with_choice(given, outcome.field, choice)
                if not replaced:
                    return results.disambiguation(outcome)
                given = replaced
        except MCPError:
            raise
        except OperationCancelled:
            # Nobody waits for this: answers to cancelled requests are not sent.
            return CallToolResult(content=[], is_error=True)
        except OdooError as error:
            if error.code in _GONE:
                self._connection(ctx).lost()
            return results.failure(name, error)
        except Exception as error:
            return results.unexpected(name, error)

    async def _run(
        self,
        ctx: Context,
        tool: Tool,
        odoo: Odoo | None,
        given: dict[str, Any],
        approved: str | None,
    ) -> Any:
        """Run a tool's function.

        Where a name means several records, return what there is; where a person must be asked
        first and ``approved`` is not the digest of that question, return the question.
        """
        asks, client = self._confirmations.asks(ctx, tool), client_of(ctx.request)
        asking = Asking(tool=tool, asks=asks, given=given, client=client, approved=approved)
        arguments = tool.check(given)
        who = audit.Caller(ctx.lifespan_context.session_id, tool.name, client)
        token = audit.caller.set(who)
        try:
            return await run_blocking(ctx.session, run_tool, asking, odoo, **arguments)
        except OdooError as error:
            if disambiguation.is_ambiguous(error):
                return error
            raise
        except (OperationCancelled, anyio.get_cancelled_exc_class()):
            if self._audit_log:
                self._audit_log.record_cancelled(who, tool.access)
            raise
        finally:
            audit.caller.reset(token)

    async def _tool(self, ctx: Context, name: str) -> Tool:
        """Return a tool by its name.

        Raises:
            MCPError: there is no such tool.
            OdooError: its toolset waits for Odoo, which cannot be reached; or this mode hides it.
        """
        if name not in self._tools and any(
            name.startswith(f"odoo_{toolset}_") for toolset in self.registry.waiting_toolsets()
        ):
            await self._own_odoo(ctx)
        if name in self._tools:
            return self._tools[name]
        if name in self._hidden:
            access, mode = self._hidden[name].access, self.settings.mode
            raise make_error(
                "MODE_VIOLATION",
                f"{access.capitalize()} operations are not allowed in {mode} mode",
                suggestion="It takes an administrator to change ODOO_MCP_MODE.",
                details={"mode": mode},
                outcome="not_sent",
            )
        raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")

    # What is not a tool.

    def served(self) -> Served:
        """Return what there is to work with, for prompts."""
        return Served(
            mode=self.settings.mode,
            tools=frozenset(self._tools),
            toolsets=tuple(item.name for item in self.registry.get_registered_toolsets()),
        )

    async def ask(self, ctx: Context, asked_for: str, function: Callable[[Odoo], T]) -> T:
        """Run a function that reads, in a worker thread, for a prompt or the like.

        Args:
            ctx: of the request.
            asked_for: what it is for, in the log and the audit.
            function: takes the Odoo of the user that the request acts for.

        Raises:
            MCPError: it failed.
        """
        connection = self.connection_for(ctx, asked_for)
        session_id = ctx.lifespan_context.session_id
        who = audit.Caller(session_id, asked_for, client_of(ctx.request))
        token = audit.caller.set(who)
        try:
            odoo = await connection.get(ctx.lifespan_context.tasks)
            return await run_blocking(ctx.session, function, odoo)
        except MCPError:
            raise
        except Exception as error:
            if isinstance(error, OdooError) and error.code in _GONE:
                connection.lost()
            raise mcp_error(asked_for, error) from error
        finally:
            audit.caller.reset(token)

    def connection_for(self, ctx: Context, asked_for: str) -> Connection:
        """Return the connection of the user that a request acts for; it counts as a read.

        Raises:
            MCPError: the request does not name its user, or there were too many of them.
        """
        try:
            self._ensure_registered()
            self._rate_limits.check(client_of(ctx.request), "read")
            return self._connection(ctx)
        except OdooError as error:
            raise mcp_error(asked_for, error) from error

    async def _own_odoo(self, ctx: Context) -> Odoo:
        """Return the server's own Odoo, which decides which tools there are."""
        return await self.connection.get(ctx.lifespan_context.tasks)

    async def _odoo(self, ctx: Context) -> Odoo:
        """Return the Odoo of the user that the request acts for."""
        return await self._connection(ctx).get(ctx.lifespan_context.tasks)

    async def _odoo_for(self, ctx: Context, tool: Tool) -> Odoo | None:
        if tool.needs_odoo:
            return await self._odoo(ctx)
        return await within(LIST_PATIENCE, lambda: self._odoo(ctx))


@asynccontextmanager
async def _lifespan(server: Server[Running]) -> AsyncIterator[Running]:
    async with anyio.create_task_group() as tasks:
        try:
            yield Running(tasks)
        finally:
            tasks.cancel_scope.cancel()


def _listed(tool: Tool, mode: str) -> McpTool:
    """Return a tool as tools/list shows it."""
    hints = tool.hints(mode)
    return McpTool(
        # The title is in the annotations, where clients look for it, too.
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
