"""Odoo comes and goes; the server stays, and tells clients when its tools change."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio
import pytest
from mcp import Client
from mcp.server.subscriptions import ToolsListChanged

from odoo_toolkit.client import Odoo
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.kit.mcp import SalesToolset, error_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import RECORDED, FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

COUNT = ("odoo_core_count", {"model": "res.partner"})


@pytest.fixture
def sales_server(make_server: MakeServer, odoo: FakeOdoo) -> Callable[[], object]:
    """Makes a server with the core toolset and one that needs the module sale."""
    odoo.answers["sale.order", "fields_get"] = lambda args, kwargs: RECORDED["fields"]
    return lambda: make_server(toolsets=[CoreToolset, SalesToolset])


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def test_without_odoo_there_is_what_needs_none(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo, era: str
) -> None:
    """Tools are listed, the one that tells what there is says why there is less, calls fail."""
    odoo.stop()
    async with Client(sales_server(), mode=era) as client:
        assert client.server_info.name == "odoo-toolkit-mcp"
        assert odoo.logins == 0
        assert "odoo_core_search_read" in await names(client)
        told = (await client.call_tool("odoo_core_list_toolsets", {})).structured_content
        error = error_of(await client.call_tool(*COUNT))

    assert told["odoo_version"] is None
    statuses = {toolset["name"]: toolset["status"] for toolset in told["toolsets"]}
    assert statuses == {"core": "active", "sales": "skipped"}
    assert (error["code"], error["retry"]) == ("CONNECTION_REFUSED", True)


async def test_list_waits_for_what_odoo_serves(sales_server: Callable[[], Odoo], era: str) -> None:
    """With Odoo up, the first list is complete."""
    async with Client(sales_server(), mode=era) as client:
        assert "odoo_sales_name" in await names(client)


async def test_list_does_not_wait_for_ever(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An Odoo that hangs does not hang the list: what needs no Odoo is listed."""
    monkeypatch.setattr("odoo_toolkit_mcp.server.LIST_PATIENCE", 0.1)
    released = threading.Event()
    odoo.answers["sale.order", "fields_get"] = lambda args, kwargs: (
        released.wait(120),
        RECORDED["fields"],
    )[1]
    async with Client(sales_server(), mode=era) as client:
        with anyio.fail_after(60):
            listed = await names(client)
        released.set()

    assert "odoo_core_count" in listed
    assert "odoo_sales_name" not in listed


async def test_tools_work_again_when_odoo_is_back(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Down at the start, up, down, and up again: each call tells how it is."""
    odoo.stop()
    outcomes = []
    async with Client(make_server(), mode=era) as client:
        for action in (None, odoo.start, odoo.stop, odoo.start):
            if action:
                action()
            outcomes.append((await client.call_tool(*COUNT)).is_error)

    assert outcomes == [True, False, True, False]


async def test_toolset_that_waits_for_odoo_says_so(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo, era: str
) -> None:
    """A tool that the client remembers is not unknown only because Odoo is down."""
    odoo.stop()
    async with Client(sales_server(), mode=era) as client:
        result = await client.call_tool("odoo_sales_name", {"model": "res.partner", "ids": [1]})
        assert error_of(result)["code"] == "CONNECTION_REFUSED"

        odoo.start()
        result = await client.call_tool("odoo_sales_name", {"model": "res.partner", "ids": [1]})
        assert not result.is_error


async def test_new_tools_are_announced_to_a_listener(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo
) -> None:
    """2026-07-28: on the stream that the client has opened."""
    odoo.stop()
    async with Client(sales_server(), mode="auto") as client:
        assert client.server_capabilities.tools.list_changed
        async with client.listen(tools_list_changed=True) as events:
            assert "odoo_sales_name" not in await names(client)
            odoo.start()
            await client.call_tool(*COUNT)
            with anyio.fail_after(60):
                event = await events.__anext__()
            assert "odoo_sales_name" in await names(client)

    assert isinstance(event, ToolsListChanged)


async def test_new_tools_are_announced_to_a_session(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo
) -> None:
    """2025-11-25: unasked, to every client that has listed the tools."""
    odoo.stop()
    announced = anyio.Event()

    async def hear(message: object) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            announced.set()

    async with Client(sales_server(), mode="legacy", message_handler=hear) as client:
        assert client.server_capabilities.tools.list_changed
        assert "odoo_sales_name" not in await names(client)
        odoo.start()
        await client.call_tool(*COUNT)
        with anyio.fail_after(60):
            await announced.wait()
        assert "odoo_sales_name" in await names(client)


async def test_odoo_that_comes_back_without_a_module_loses_its_tools(
    sales_server: Callable[[], Odoo], odoo: FakeOdoo, era: str
) -> None:
    """What comes back may be another Odoo: its toolsets are found out anew."""
    async with Client(sales_server(), mode=era) as client:
        assert "odoo_sales_name" in await names(client)
        odoo.stop()
        await client.call_tool(*COUNT)
        del odoo.answers["sale.order", "fields_get"]
        odoo.start()
        await client.call_tool(*COUNT)
        assert "odoo_sales_name" not in await names(client)


async def test_many_first_calls_log_in_once(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Calls that need the connection at the same time wait for one attempt."""
    async with Client(make_server(), mode=era) as client, anyio.create_task_group() as calls:
        for _ in range(10):
            calls.start_soon(client.call_tool, *COUNT)

    assert odoo.logins == 1
    assert odoo.methods() == ["search_count"] * 10


async def test_wrong_password_is_told_without_it(
    make_server: MakeServer, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.mcp.fake_odoo.PASSWORD", "another one")
    async with Client(make_server(), mode=era) as client:
        result = await client.call_tool(*COUNT)

    assert error_of(result)["code"] == "ACCESS_DENIED"
    assert "correct horse battery" not in result.model_dump_json()
