"""The list of tools of a server that has just been started."""

from __future__ import annotations

import anyio
from mcp import Client
from mcp.types import ListToolsResult


async def whole_list(client: Client) -> ListToolsResult:
    """Return the list of tools once Odoo has answered: until then, it may be asked for again.

    Raises:
        TimeoutError: Odoo has not answered for two minutes.
    """
    with anyio.fail_after(120):
        while not (tools := await client.list_tools()).ttl_ms:
            await anyio.sleep(0.5)
    return tools
