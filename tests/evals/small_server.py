"""An MCP server of four tools: one answers, one fails, one gives a file, one ends the process."""

from __future__ import annotations

import base64
import os
from typing import Any

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    EmbeddedResource,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
    Tool,
)

NAMES = ("echo", "fail", "file", "die")


async def list_tools(
    context: ServerRequestContext[Any], params: PaginatedRequestParams | None
) -> ListToolsResult:
    """List the tools, on two pages."""
    first = params is None or not params.cursor
    names = NAMES[:2] if first else NAMES[2:]
    tools = [Tool(name=name, description=name, input_schema={"type": "object"}) for name in names]
    return ListToolsResult(tools=tools, next_cursor="2" if first else None)


async def call_tool(
    context: ServerRequestContext[Any], params: CallToolRequestParams
) -> CallToolResult:
    """Do what the tool's name says."""
    if params.name == "die":
        os._exit(3)
    if params.name == "file":
        blob = BlobResourceContents(
            uri="file:///offer.pdf", blob=base64.b64encode(b"%PDF-1").decode()
        )
        return CallToolResult(content=[EmbeddedResource(type="resource", resource=blob)])
    text = str((params.arguments or {}).get("text", "nothing"))
    failed = params.name == "fail"
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


async def read_resource(
    context: ServerRequestContext[Any], params: ReadResourceRequestParams
) -> ReadResourceResult:
    """Return the address as the text of a resource."""
    text = TextResourceContents(uri=params.uri, text=f"of {params.uri}")
    return ReadResourceResult(contents=[text])


async def main() -> None:
    """Serve until the client goes."""
    server = Server(
        "small",
        instructions="Be small.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_read_resource=read_resource,
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
