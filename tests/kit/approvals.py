"""Servers of two people that share a journal: one asks, the other decides."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import ElicitResult

from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from tests.live.servers import Server, credentials


async def says_yes(context: Any, params: Any) -> ElicitResult:
    """Answer a question."""
    return ElicitResult(action="accept", content={"confirm": True})


class Office:
    """The two people.

    Args:
        server: the Odoo.
        folder: of the journal.
        rules: of the calls that wait.
    """

    def __init__(self, server: Server, folder: Path, rules: Sequence[str]) -> None:
        self._server, self._journal = server, folder / "history.sqlite"
        self._rules = tuple(rules)

    @asynccontextmanager
    async def person(
        self, name: str, callback: Any = says_yes, views: bool = False, **settings: Any
    ) -> AsyncIterator[Client]:
        """Connect a client for a person, who says yes to what they are asked."""
        connection = connection_settings(
            **credentials(self._server, self._server.user(name)), history=str(self._journal)
        )
        approval = {"approval": self._rules, "approvers": ("demo", "admin")} if self._rules else {}
        given = {"mode": "full", "confirm": "never", **approval, **settings}
        server = OdooServer(connection, ServerSettings(**given))
        shown = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})] if views else []
        async with Client(server, elicitation_callback=callback, extensions=shown) as client:
            yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; return its result, or its error."""
    answer = await client.call_tool(tool, arguments)
    content = answer.structured_content
    assert isinstance(content, dict), answer
    return content
