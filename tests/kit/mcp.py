"""Servers, clients and persons of MCP, and tools that only tests have."""

from __future__ import annotations

import http.client
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

import anyio
import attrs
from annotated_doc import Doc
from mcp import Client, MCPDeprecationWarning
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import CallToolResult, ElicitResult, ResourceUpdatedNotification

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import load
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.operations.steps import Step, plan
from odoo_toolkit.plans import Plan
from odoo_toolkit.records import name_get
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit_mcp.requests import Running
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable
from odoo_toolkit_mcp.views.serving import META
from tests.live.servers import Server, User, credentials
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.texts import data_of


def mcp_server(server: Server, user: User, **settings: Any) -> OdooServer:
    connection, problems = load(ConnectionSettings, credentials(server, user), environ={})
    assert connection is not None, problems
    return OdooServer(connection, ServerSettings(**settings))


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    assert result.structured_content is not None
    told: dict[str, Any] = result.structured_content
    return told


def headers_of(user: User) -> dict[str, str]:
    return {"X_Odoo_Username": user.login, "X_Odoo_Api_Key": user.api_key or user.password}


def error_of(result: CallToolResult) -> dict[str, Any]:
    """Return the error object of a result that must be an error."""
    assert result.is_error
    assert result.structured_content is not None
    assert data_of(result) == result.structured_content
    told: dict[str, Any] = result.structured_content
    return told


YES = ElicitResult(action="accept", content={"confirm": True})


class Person:
    """Answers every question alike, and remembers what was asked."""

    def __init__(self, answer: ElicitResult = YES) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        if "record" in params.requested_schema["properties"]:
            options = params.requested_schema["properties"]["record"]["enum"]
            return ElicitResult(action="accept", content={"record": options[-1]})
        return self.answer


@attrs.frozen(kw_only=True)
class Cancelled:
    """Whose booking was cancelled."""

    id: int


def cancel_booking(
    odoo: Odoo,
    partner_id: Annotated[int | None, Doc("Whose.")] = None,
    partner_name: Annotated[str | None, Doc("Whose, by name.")] = None,
    dry_run: DryRun = False,
) -> Cancelled | Plan:
    """Cancel what a partner has booked: two changes."""
    wanted = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    (found,) = resolve_all(odoo, [wanted])
    assert found
    change = Call(model="res.partner", method="button_cancel", ids=(found,), access="write")
    if dry_run:
        step = Step(model="res.partner", method="button_cancel")
        return plan(odoo, [step], [found], "Would cancel it.")
    odoo.call(change)
    odoo.call(
        Call(model="res.partner", method="write", ids=(found,), arguments={"vals": {"color": 1}})
    )
    return Cancelled(id=found)


def changes(odoo: FakeOdoo) -> list[str]:
    """Return the methods called that change something."""
    harmless = (
        "read",
        "search_read",
        "search",
        "name_search",
        "search_count",
        "check_access_rights",
    )
    return [method for method in odoo.methods() if method not in harmless]


def viewer(server: Any, era: str, **more: Any) -> Client:
    """Return a client that shows views."""
    settings = {"mimeTypes": [APP_MIME_TYPE]}
    return Client(server, mode=era, extensions=[advertise(EXTENSION_ID, settings)], **more)


def meta(result: CallToolResult) -> dict[str, Any]:
    assert result.meta, result
    found: dict[str, Any] = result.meta[META]
    return found


HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


URI = "odoo://record/res.partner/1"


def line_with(response: http.client.HTTPResponse, wanted: str) -> str:
    """Return the first line of a stream that has a text in it."""
    # A stream that has nothing to tell is kept open by empty lines.
    deadline = time.monotonic() + 30
    for line in iter(response.readline, b""):
        if wanted in line.decode():
            return line.decode()
        assert time.monotonic() < deadline, f"The stream goes on without {wanted}."
    raise AssertionError(f"The stream ended without {wanted}.")


def change(odoo: FakeOdoo) -> None:
    odoo.records[1] |= {"name": "Changed", "write_date": "2031-01-01 00:00:00"}


def toolset(
    function: Any,
    access: Any = "read",
    name: str = "odoo_test_work",
    about: ToolsetMetadata | None = None,
    **more: Any,
) -> type[BaseToolset]:
    """Return a toolset of one tool."""

    class OneToolset(BaseToolset):
        def metadata(self) -> ToolsetMetadata:
            return about or ToolsetMetadata(name="test", description="For tests")

        def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
            words = {"title": "Work", "description": "Works.", **more}
            return server.add_tools([Tool(name=name, function=function, access=access, **words)])

    return OneToolset


#: One tool that cancels.
BookingToolset = toolset(
    cancel_booking,
    "write",
    "odoo_booking_cancel",
    title="Cancel booking",
    asks="always",
    consequence="Its invoice is cancelled with it.",
)

#: A toolset that only an Odoo with the module sale serves.
SalesToolset = toolset(
    name_get,
    name="odoo_sales_name",
    about=ToolsetMetadata(
        name="sales",
        description="For tests",
        required_modules=("sale",),
        min_odoo_version=14,
        depends_on=("core",),
    ),
)


class Told:
    """The addresses that a client has been told of, and a way to wait for the next one."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[str](100)

    async def hear(self, message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            await self._send.send(message.params.uri)

    async def note(self, uri: str) -> None:
        await self._send.send(uri)

    async def next(self) -> str:
        with anyio.fail_after(60):
            return await self._receive.receive()

    @property
    def nothing_more(self) -> bool:
        return not self._receive.statistics().current_buffer_used


@asynccontextmanager
async def subscribed(server: OdooServer | str, era: str, *uris: str) -> AsyncIterator[Told]:
    """Let a client of an era subscribe to resources, until the block ends."""
    told = Told()
    if era == "legacy":
        async with Client(server, mode=era, message_handler=told.hear) as client:
            for uri in uris:
                await subscribe(client, uri)
            yield told
            for uri in uris:
                await unsubscribe(client, uri)
        return
    async with (
        Client(server, mode=era) as client,
        client.listen(resource_subscriptions=uris) as stream,
        anyio.create_task_group() as tasks,
    ):

        async def pass_on() -> None:
            async for event in stream:
                await told.note(event.uri)  # type: ignore[union-attr]

        tasks.start_soon(pass_on)
        yield told
        tasks.cancel_scope.cancel()


async def subscribe(client: Client, uri: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        await client.subscribe_resource(uri)


async def unsubscribe(client: Client, uri: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        await client.unsubscribe_resource(uri)


Look = Callable[[], Awaitable[set[str]]]


@asynccontextmanager
async def looking(server: OdooServer) -> AsyncIterator[Look]:
    """Give a function that looks at once at all that is watched."""
    async with anyio.create_task_group() as tasks:
        running = Running(tasks)

        async def look() -> set[str]:
            return await server.resources.subscriptions.step(running)

        yield look
        tasks.cancel_scope.cancel()
