"""The least that the SDK's low-level server can be: what our own is compared with.

Its only tool sends one request to Odoo: what ``BARE_URL`` and ``BARE_BODY`` hold.
"""

import os

import anyio
import anyio.to_thread
import requests
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

SESSION = requests.Session()


async def list_tools(
    ctx: ServerRequestContext, params: PaginatedRequestParams | None
) -> ListToolsResult:
    return ListToolsResult(tools=[])


async def call_tool(ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
    text = await anyio.to_thread.run_sync(_ask)
    return CallToolResult(content=[TextContent(text=text)])


def _ask() -> str:
    headers = {"Content-Type": "application/json"}
    answer = SESSION.post(os.environ["BARE_URL"], data=os.environ["BARE_BODY"], headers=headers)
    assert answer.json()["result"]
    return str(answer.text)


async def main() -> None:
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


anyio.run(main)
