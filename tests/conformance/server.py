"""The server with the tools, resources and prompts that the conformance suite asks for by name.

It is the adapter's own server and HTTP application; only what the suite wants to be answered is
put in the place of Odoo.
"""

from __future__ import annotations

from typing import Any

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import PromptsListChanged
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    Tool,
    UnsubscribeRequestParams,
)

from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.requests import Context
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from tests.conformance import prompts, resources
from tests.conformance.tools import TOOLS

#: Tools after whose call a list is another one.
CHANGES = ("test_trigger_tool_change", "test_trigger_prompt_change")


#: An Odoo that is not needed.
NOWHERE = ConnectionSettings(url="http://127.0.0.1:9", username="nobody")


def plain_server() -> OdooServer:
    """Return the adapter's server as it is, for scenarios that ask for nothing by name."""
    return OdooServer(NOWHERE, ServerSettings(transport="http"))


class ConformanceServer(OdooServer):
    """Answers what the suite calls; everything else goes to the adapter's server."""

    def __init__(self) -> None:
        # Sessions, for the scenarios in which the server asks the client of a handshake back.
        settings = ServerSettings(transport="http", stateless=False)
        super().__init__(NOWHERE, settings)
        self.middleware.append(
            RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=self.name)
        )
        self.add_request_handler("tools/list", PaginatedRequestParams, self._list_tools)
        self.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        self.add_request_handler("logging/setLevel", SetLevelRequestParams, _accept)
        self.add_request_handler("resources/list", PaginatedRequestParams, _list_resources)
        self.add_request_handler(
            "resources/templates/list", PaginatedRequestParams, _list_templates
        )
        self.add_request_handler("resources/read", ReadResourceRequestParams, _read_resource)
        self.add_request_handler("resources/subscribe", SubscribeRequestParams, _accept)
        self.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _accept)
        self.add_request_handler("prompts/list", PaginatedRequestParams, _list_prompts)
        self.add_request_handler("prompts/get", GetPromptRequestParams, _get_prompt)
        self.add_request_handler("completion/complete", CompleteRequestParams, _complete)

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        self.offered.ensure()
        fixtures = [
            Tool(name=tool.name, description=tool.description, input_schema=tool.input_schema)
            for tool in TOOLS.values()
        ]
        fixtures += [
            Tool(name=name, description="For tests", input_schema={"type": "object"})
            for name in CHANGES
        ]
        return ListToolsResult(
            tools=[*fixtures, *self.offered.listed], ttl_ms=0, cache_scope="private"
        )

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        return TOOLS[name].input_schema if name in TOOLS else super()._input_schema(name)

    async def _call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        if params.name in CHANGES:
            return await self._change(params.name)
        if params.name not in TOOLS:
            return await super()._call_tool(ctx, params)
        try:
            return await TOOLS[params.name].function(ctx, params)
        except RuntimeError as error:
            return results.unexpected(params.name, error)

    async def _change(self, name: str) -> CallToolResult:
        """Change a list, and tell those who listen as the server does it."""
        if name == "test_trigger_tool_change":
            self.offered.listed = []
            await self._publish()
        else:
            await self._bus.publish(PromptsListChanged())
        return CallToolResult(content=[TextContent(text="Changed.")])


async def _accept(ctx: Context, params: Any) -> EmptyResult:
    return EmptyResult()


async def _list_resources(ctx: Context, params: Any) -> ListResourcesResult:
    return ListResourcesResult(resources=resources.RESOURCES, ttl_ms=0, cache_scope="private")


async def _list_templates(ctx: Context, params: Any) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(
        resource_templates=resources.TEMPLATES, ttl_ms=0, cache_scope="private"
    )


async def _read_resource(ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    contents = resources.read(params.uri)
    return ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")


async def _list_prompts(ctx: Context, params: Any) -> ListPromptsResult:
    return ListPromptsResult(prompts=prompts.PROMPTS, ttl_ms=0, cache_scope="private")


async def _get_prompt(
    ctx: Context, params: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult:
    return prompts.get(params)


async def _complete(ctx: Context, params: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
