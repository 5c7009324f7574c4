"""The MCP server: lists the tools, calls them, and tells clients when the list changes."""

from __future__ import annotations

import importlib.util
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server import InitializationOptions, NotificationOptions, Server
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
)
from mcp.types import Tool as McpTool
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from odoo_toolkit.errors import OdooError, is_refusal, make_error
from odoo_toolkit.installation import DISTRIBUTION, version
from odoo_toolkit.progress import OperationCancelled
from odoo_toolkit_mcp import (
    disambiguation,
    files,
    history_entries,
    request_ids,
    results,
    skill_list,
    untrusted,
)
from odoo_toolkit_mcp.affected import Asking
from odoo_toolkit_mcp.answer_size import within_budget
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.approvals import release
from odoo_toolkit_mcp.bridge import limiter, run_blocking
from odoo_toolkit_mcp.callers import client_of
from odoo_toolkit_mcp.confirmation import Confirmations
from odoo_toolkit_mcp.connection import Connection, has_gone, within
from odoo_toolkit_mcp.files import KeptFiles
from odoo_toolkit_mcp.host import ALONE, Serving
from odoo_toolkit_mcp.instructions import expected_tools, instructions_for
from odoo_toolkit_mcp.introductions import Introductions, introduced
from odoo_toolkit_mcp.known_modules import modules_of
from odoo_toolkit_mcp.notifications import send_all
from odoo_toolkit_mcp.prompts.serving import prompt_handlers
from odoo_toolkit_mcp.question import Question
from odoo_toolkit_mcp.requests import Context, Requests, Running
from odoo_toolkit_mcp.resources.serving import ServedResources
from odoo_toolkit_mcp.sealing import Sealing
from odoo_toolkit_mcp.settings import ServerSettings, by_variable
from odoo_toolkit_mcp.tool_groups import INPUT_SCHEMA, Operation, read_call
from odoo_toolkit_mcp.tool_list import Listing, ToolList
from odoo_toolkit_mcp.views.serving import (
    EXTENSION_ID,
    ServedViews,
    ViewCall,
    has_views,
    tool_called,
    view_of,
    with_views,
    with_whole,
)
from odoo_toolkit_mcp.wishes import HEADERS, wishes_of

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.connection.settings import ConnectionSettings
    from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool
    from odoo_toolkit_mcp.views.sealed import Seal

logger = logging.getLogger(__name__)

#: Seconds that tools/list waits to learn from Odoo which toolsets it serves, if nothing is
#: remembered of it: less than the 30 that some clients wait.
LIST_PATIENCE = 25.0

#: Seconds that a tool waits for Odoo that can answer without it.
TOOL_PATIENCE = 5.0

#: Seconds after which a server prepares itself though no client has said anything.
FIRST_ANSWER_PATIENCE = 1.0

#: Milliseconds for which a client may keep a list of tools that is complete.
LIST_LIFETIME = 300_000

#: Seconds between two times that a denied call lets the server look up the rights of its user.
RIGHTS_INTERVAL = 300.0

#: What a person who has signed in does about a key that Odoo does not accept any more.
SIGN_IN_AGAIN = (
    "If the API key of this connection was removed or has expired, sign in again. The next call"
    " asks you to. Otherwise, try again in a minute."
)

#: Sessions of the handshake era that are told of changes; the oldest is forgotten.
MAX_SESSIONS = 100


class OdooServer(Server[Running]):
    """Serves the tools of an Odoo over MCP, to clients of both protocol eras.

    It answers before it has reached Odoo, connects when Odoo is first needed, and stays up when
    Odoo is down.

    Args:
        connection_settings: where Odoo is, and who we are there.
        settings: of the server.
        toolsets: the toolsets to choose from; all of them by default.
        serving: what is told by whoever serves it, and shared with other servers.

    Raises:
        OSError: the audit file cannot be written.
    """

    def __init__(
        self,
        connection_settings: ConnectionSettings,
        settings: ServerSettings,
        toolsets: Iterable[type[BaseToolset]] | None = None,
        serving: Serving = ALONE,
    ) -> None:
        self.settings = settings
        modules = partial(modules_of, connection_settings)
        self.offered = ToolList(settings, toolsets, lambda: bool(self.requests.history), modules)
        self.requests = Requests(
            connection_settings,
            settings,
            self._register,
            self._publish,
            serving,
            self.offered.look_up,
        )
        self._serving = serving
        sealing = serving.sealing or Sealing()
        self._confirmations = Confirmations(settings, sealing, serving.page)
        self._rules = rules_of(settings)
        self._views = ServedViews(sealing)
        self._introductions = Introductions()
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self.kept_files = serving.files or KeptFiles()
        self.resources = ServedResources(
            self.requests, self.offered, self._bus, self._listen, self.kept_files
        )
        self._sessions: OrderedDict[int, ServerSession] = OrderedDict()
        self._answered = anyio.Event()
        self._lists_are_checked = False
        super().__init__(
            DISTRIBUTION,
            version=version(),
            title="Odoo",
            lifespan=_lifespan,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._answer_call,
            **self.resources.handlers,
            **prompt_handlers(self.requests, self.offered),
        )
        self.extensions[EXTENSION_ID] = {}
        self.extensions[skill_list.EXTENSION] = {}
        for name, handler in skill_list.skill_handlers(self.offered.added_skills).items():
            self.add_request_handler(name, *handler)
        if importlib.util.find_spec("opentelemetry.sdk") is None:
            # The SDK's own middleware would make spans that nobody takes.
            self.middleware.clear()
        self.middleware += [request_ids.noted, self._note_answer, self._instruct]

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Tell clients of the handshake era what they will be notified of.

        That is nothing where there are no sessions.
        """
        sessions = self._has_sessions
        options = super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=sessions),
            experimental_capabilities,
            extensions,
        )
        if options.capabilities.resources and not sessions:
            options.capabilities.resources.subscribe = False
        return options

    @property
    def _has_sessions(self) -> bool:
        """Return whether clients of the handshake era have a session."""
        return self.settings.transport == "stdio" or not self.settings.stateless

    def end_streams(self) -> None:
        """End the streams of notifications, which clients keep open for as long as they can."""
        self._listen.close()

    @property
    def connection(self) -> Connection:
        """The server's own connection to Odoo."""
        return self.requests.connection

    # The list of tools.

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
        await anyio.to_thread.run_sync(self.offered.ensure, limiter=limiter())

    async def _note_answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        self._answered.set()
        return result

    def _register(self, odoo: Odoo) -> str | None:
        """Find out which tools there are, and warn of names in lists that have no effect."""
        groups = self.offered.register(odoo)
        if not self._lists_are_checked:
            # Imported here: the server starts without it.
            from odoo_toolkit.doctor.policy_names import unknown_names

            self._lists_are_checked = True
            for told in unknown_names(odoo, [odoo.policy]):
                logger.warning(by_variable(told))
        return groups

    async def _publish(self) -> None:
        """Put newly registered tools to use, and tell all clients if the list has changed."""
        if self.offered.use_registered():
            await self._announce()

    async def _announce(self) -> None:
        """Tell all clients that the list has changed."""
        await self._bus.publish(ToolsListChanged())
        sessions = dict(self._sessions)
        keys = list(sessions)
        for gone in await send_all(s.send_tool_list_changed for s in sessions.values()):
            self._sessions.pop(keys[gone], None)

    async def _instruct(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Tell a client in its instructions of the list that it gets, and why it gets that."""
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            form, listed, about = self._listing(ctx)
            tools = {tool.name for tool in listed} or expected_tools(self.settings, form)
            result["instructions"] = instructions_for(tools, self.settings, form, about)
        return result

    def _client(self, ctx: Context) -> str:
        """Return what a client calls itself, as far as each of its requests will say it."""
        if ctx.method == "initialize":
            info = (ctx.params or {}).get("clientInfo")
            name = info.get("name") if isinstance(info, Mapping) and self._has_sessions else None
            return name if isinstance(name, str) else ""
        params = ctx.session.client_params
        return params.client_info.name if params else ""

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        self._remember(ctx)
        self._introductions.begin(client_of(ctx.request))
        self.offered.ensure()
        if not self.connection.established:
            # Even where no toolset waits for it, the first call will want the connection.
            patience = LIST_PATIENCE if self.offered.waiting else 0
            await within(patience, lambda: self._own_odoo(ctx))
        complete = self.connection.established and await self._knows_rights(ctx)
        return ListToolsResult(
            tools=self._listed(ctx),
            ttl_ms=LIST_LIFETIME if complete else 0,
            cache_scope="private",
        )

    def _listed(self, ctx: Context) -> list[McpTool]:
        """Return the list of a client.

        Raises:
            MCPError: the connection asks for tools, and this server has none of them.
        """
        client, wishes = self._client(ctx), wishes_of(ctx.request)
        _, tools, about = self._listing(ctx)
        logger.info("%d tools for %s. %s", len(tools), ascii(client[:60]), " ".join(about))
        if wishes.names and not tools:
            raise MCPError(INVALID_PARAMS, " ".join(about))
        return (
            with_views(tools, self.offered.tools, self.offered.areas) if has_views(ctx) else tools
        )

    def _listing(self, ctx: Context) -> Listing:
        connection = self._user(ctx)
        own = connection is self.connection
        groups = self.offered.groups if own else connection.groups if connection else None
        return self.offered.listing(self._client(ctx), wishes_of(ctx.request), groups)

    def _user(self, ctx: Context) -> Connection | None:
        """Return the connection of the user whose rights decide what is listed, if one is named."""
        try:
            return self.requests.connection_of(ctx)
        except OdooError:
            return None

    async def _knows_rights(self, ctx: Context) -> bool:
        """Look up what the user of a request may do; return whether that is up to date.

        If nothing is known of the user, wait for it. Otherwise look again in the background.
        """
        if (connection := self._user(ctx)) is None:
            return True
        if connection is not self.connection and not connection.established:
            try:
                await self.requests.check_rate(ctx, "read")
            except OdooError:
                return False
            return await within(TOOL_PATIENCE, lambda: self._odoo(ctx)) is not None
        self._look_up_rights(ctx, connection, LIST_LIFETIME / 1000)
        return True

    def _look_up_rights(
        self, ctx: Context, connection: Connection, age: float, *, again: bool = False
    ) -> None:
        """Look up what a user may do, beside the request, if that is older than some seconds."""
        tasks, offered = ctx.lifespan_context.tasks, self.offered

        async def look_up() -> None:
            try:
                odoo = await connection.get(tasks)
            except OdooError:
                return
            before = offered.rights.denied(connection.groups)
            own = connection is self.connection
            looking = partial(offered.look_up, odoo, own=own, again=again)
            connection.note_groups(await anyio.to_thread.run_sync(looking, limiter=limiter()))
            if offered.rights.denied(connection.groups) != before:
                await self._announce()

        # A key that Odoo has refused is not tried again for this.
        if connection.established and time.monotonic() - connection.looked_up > age:
            connection.note_groups(None)  # others need not look at the same time
            tasks.start_soon(look_up)

    def _note_denied(self, ctx: Context, name: str) -> None:
        """Look up a user's rights again if Odoo has denied what the list did not leave out."""
        connection = self._user(ctx)
        if connection and not self.offered.hides(name, connection.groups):
            self._look_up_rights(ctx, connection, RIGHTS_INTERVAL, again=True)

    def _remember(self, ctx: Context) -> None:
        """Remember a session of the handshake era, in which changes are told unasked."""
        if ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            return
        # The session object is made anew for each request; these belong to the connection.
        self._sessions[id(ctx.session.client_params)] = ctx.session
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        self.offered.ensure()
        if name in self.offered.areas:
            return INPUT_SCHEMA
        tool = self.offered.tools.get(name)
        return tool.input_schema if tool else None

    # Calling them.

    async def _answer_call(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what a model will read of the answer is marked as data from Odoo."""
        meant = await self._meant(ctx, params)
        if isinstance(meant, CallToolResult):
            return meant
        result = await self._call_tool(ctx, meant)
        if not isinstance(result, CallToolResult):
            return result
        name = tool_called(meant)
        tool = self.offered.tools.get(name) or self.offered.hidden.get(name)
        if name == meant.name:  # A view shows all that it gets: no model reads that.
            result = await self._introduced(ctx, tool, result)
            shorter = results.without_calls(result)
            most = self.settings.answer_kb * 1000
            shorter = within_budget(shorter, tool, meant.arguments or {}, most)
            result = shorter if shorter is result else with_whole(shorter, result)
        if not self.settings.mark_data:
            return result
        from_odoo = tool is not None and tool.needs_odoo
        return untrusted.for_models(result, mark=from_odoo)

    async def _introduced(
        self, ctx: Context, tool: Tool | None, result: CallToolResult
    ) -> CallToolResult:
        """Return an answer with the user, the company and the day, if it is the client's first."""
        if tool is None or not tool.needs_odoo or result.is_error:
            return result
        if not self.requests.connection_of(ctx).established:
            return result
        odoo = await self._odoo(ctx)
        if not self._introductions.is_due(client_of(ctx.request), f"{odoo.uid}"):
            return result
        with self.requests.noted(ctx, tool.name):
            return await run_blocking(ctx.session, introduced, odoo, result)

    async def _meant(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolRequestParams | CallToolResult:
        """Return the call that is meant: of an operation's own tool, where an area was called.

        What only tells of an area is answered at once.
        """
        try:
            self.offered.ensure()
            named = [tool_called(params), *self.offered.batched(params.arguments or {})]
            if any(self.offered.waits_for(name) for name in named):
                await self._own_odoo(ctx)
            area = self.offered.areas.get(params.name)
            if area is None:
                return params
            called = read_call(area, self.offered.areas, params.arguments or {})
            if isinstance(called, Operation):
                meant = {"name": called.tool, "arguments": called.arguments}
                return params.model_copy(update=meant)
            await self.requests.check_rate(ctx, "read")
            return results.success(called)
        except OdooError as error:
            return results.failure(params.name, error)

    async def _call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        by_view = self._views.call_of(ctx, params)
        params = by_view.params if by_view else params
        name, noted = params.name, history_entries.Noted(history_entries.client_label(ctx))
        try:
            tool = self._tool(ctx, name, params.arguments or {})
            given = disambiguation.chosen(params.arguments or {}, params)
            arguments = tool.check(given)
            await self.requests.check_rate(ctx, tool.access)
            approved = await self._confirmations.answered(params)
            released: str | None = None
            odoo = await self._odoo_for(ctx, tool)
            seal = None
            if by_view:
                by_view.check(tool, given)
                seal = await self._unsealed(ctx, tool, odoo, given, by_view)
                approved = seal.question if seal else None
            while True:
                outcome = await self._run(
                    ctx, noted, tool, odoo, given, arguments, approved, by_view, released
                )
                if isinstance(outcome, Question) and outcome.of_another and odoo:
                    released = await self._released(ctx, odoo, tool, outcome, noted.client)
                    continue
                if isinstance(outcome, Question) and by_view:
                    return self._views.question(outcome, seal, ctx, odoo, tool, given)
                if isinstance(outcome, Question) and odoo and self._confirmations.on_page(ctx):
                    approved = await self._released(ctx, odoo, tool, outcome, noted.client)
                    continue
                if isinstance(outcome, Question):
                    answer = await self._confirmations.ask(ctx, params, tool, outcome)
                    if isinstance(answer, InputRequiredResult):
                        return answer
                    approved = answer
                    continue
                if not disambiguation.is_ambiguous(outcome):
                    return await self._answer(ctx, tool, odoo, given, outcome, noted.undo)
                choice = None if by_view else await disambiguation.ask(ctx, params, outcome)
                if isinstance(choice, InputRequiredResult):
                    return choice
                replaced = choice and disambiguation.with_choice(given, outcome.field, choice)
                if not replaced:
                    result = results.disambiguation(outcome)
                    return await self._for_view(ctx, tool, odoo, given, result)
                given, arguments = replaced, tool.check(replaced)
        except MCPError:
            raise
        except OperationCancelled:
            # Nobody waits for this: answers to cancelled requests are not sent.
            return CallToolResult(content=[], is_error=True)
        except OdooError as error:
            if has_gone(error):
                self.requests.connection_of(ctx).lost()
            if error.code == "ACCESS_DENIED" and is_refusal(error):
                self._note_denied(ctx, name)
            if error.code == "ACCESS_DENIED" and is_refusal(error) and self._serving.denied:
                self._serving.denied(ctx.request)
                if "ODOO_API_KEY" in (error.suggestion or ""):
                    error.suggestion = SIGN_IN_AGAIN  # who signed in has no such settings
            return results.failure(name, error, noted.undo)
        except Exception as error:
            return results.unexpected(name, error)

    async def _answer(
        self,
        ctx: Context,
        tool: Tool,
        odoo: Odoo | None,
        given: dict[str, Any],
        outcome: Any,
        undo: Mapping[str, Any] | None,
    ) -> CallToolResult:
        """Return the result of a call, with the file that the tool returned.

        Raises:
            OdooError: the file cannot be written to the download folder.
        """
        if tool.file is None:
            result = results.success(outcome, undo=undo)
            return await self._for_view(ctx, tool, odoo, given, result)
        file, way = tool.file(outcome), tool.delivery(given)
        owner, folder = self.requests.owner_of(ctx), self.settings.download_dir
        delivering = partial(files.deliver, file, way, self.kept_files, owner, folder)
        delivered = await anyio.to_thread.run_sync(delivering, limiter=limiter())
        result = results.success(outcome, delivered, undo)
        return await self._for_view(ctx, tool, odoo, given, result, file.content_base64)

    async def _run(
        self,
        ctx: Context,
        noted: history_entries.Noted,
        tool: Tool,
        odoo: Odoo | None,
        given: dict[str, Any],
        arguments: dict[str, Any],
        approved: str | None,
        by_view: ViewCall | None,
        released: str | None = None,
    ) -> Any:
        """Run a tool's function with the checked arguments.

        Where a name means several records, return what there is; where a person must be asked
        first and ``approved`` is not the digest of that question, return the question.
        """
        asks = self._confirmations.asks(ctx, tool, in_view=by_view is not None)
        client = client_of(ctx.request)
        asking = Asking(
            tool=tool,
            asks=asks,
            given=given,
            client=client,
            approved=approved,
            rules=self._rules,
            released=released,
        )
        with self.requests.noted(ctx, tool.name) as who:
            try:
                return await run_blocking(
                    ctx.session, history_entries.run, noted, asking, odoo, **arguments
                )
            except OdooError as error:
                if disambiguation.is_ambiguous(error):
                    return error
                raise
            except (OperationCancelled, anyio.get_cancelled_exc_class()):
                self.requests.note_cancelled(who, tool.access)
                raise

    async def _released(
        self, ctx: Context, odoo: Odoo, tool: Tool, question: Question, client: str
    ) -> str:
        """Return the digest of a question to which a person has said yes apart from this call."""
        page = self._serving.page
        with self.requests.noted(ctx, tool.name):
            return await run_blocking(
                ctx.session, release, odoo, self._rules, tool.name, question, client, page
            )

    async def _unsealed(
        self,
        ctx: Context,
        tool: Tool,
        odoo: Odoo | None,
        given: dict[str, Any],
        by_view: ViewCall,
    ) -> Seal | None:
        """Return what a view has shown, if that is confirmed and still is what would be done."""
        if by_view.seal is None:
            return None
        who = self._views.who(ctx, odoo)
        with self.requests.noted(ctx, tool.name):
            return await run_blocking(
                ctx.session, self._views.unsealed, odoo, who, tool, given, by_view.seal
            )

    async def _for_view(
        self,
        ctx: Context,
        tool: Tool,
        odoo: Odoo | None,
        given: dict[str, Any],
        result: CallToolResult,
        content: str = "",
    ) -> CallToolResult:
        """Return a result with what a view needs of it, where the client has views."""
        if not has_views(ctx) or not view_of(tool):
            return result
        who = self._views.who(ctx, odoo)
        with self.requests.noted(ctx, tool.name):
            return await run_blocking(
                ctx.session, self._views.with_meta, odoo, who, tool, given, result, content
            )

    def _tool(self, ctx: Context, name: str, arguments: Mapping[str, Any]) -> Tool:
        """Return a tool by its name; what the mode or the connection excludes may be planned.

        Raises:
            MCPError: there is no such tool.
            OdooError: this mode hides it, or the connection only reads.
        """
        mode, tool = self.settings.mode, self.offered.tools.get(name)
        where, who = f"in {mode} mode", "The administrator sets the mode with ODOO_MCP_MODE."
        if tool:
            if tool.hints(mode).read_only or not wishes_of(ctx.request).readonly:
                return tool
            header = HEADERS["readonly"]
            where, who = "on this connection", f"The client requires this with {header}."
        tool = tool or self.offered.hidden.get(name)
        if tool is None and (excluded := self.offered.excluded_of_area(name)):
            plans = (
                f"You can still plan with its tools, such as {excluded[0].name}: call one with"
                " dry_run true."
            )
            raise make_error(
                "MODE_VIOLATION",
                f"{name} is not available {where}, which excludes all its operations",
                suggestion=f"{who} {plans if excluded[0].plans else ''}".strip(),
                details={"mode": mode},
                outcome="not_sent",
            )
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}{self.offered.reason(name)}")
        if tool.plans and arguments.get("dry_run") is True:
            return tool
        plans = "With dry_run true, it shows what it would do. " if tool.plans else ""
        raise make_error(
            "MODE_VIOLATION",
            f"{tool.access.capitalize()} operations are not allowed {where}",
            suggestion=f"{plans}{who}",
            details={"mode": mode},
            outcome="not_sent",
        )

    async def _own_odoo(self, ctx: Context) -> Odoo:
        """Return the server's own Odoo, which decides which tools there are."""
        return await self.connection.get(ctx.lifespan_context.tasks)

    async def _odoo(self, ctx: Context) -> Odoo:
        """Return the Odoo of the user that the request acts for."""
        return await self.requests.connection_of(ctx).get(ctx.lifespan_context.tasks)

    async def _odoo_for(self, ctx: Context, tool: Tool) -> Odoo | None:
        if tool.needs_odoo:
            return await self._odoo(ctx)
        return await within(TOOL_PATIENCE, lambda: self._odoo(ctx))


@asynccontextmanager
async def _lifespan(server: Server[Running]) -> AsyncIterator[Running]:
    async with anyio.create_task_group() as tasks:
        try:
            yield Running(tasks)
        finally:
            tasks.cancel_scope.cancel()
