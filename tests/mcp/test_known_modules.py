"""The first list is right though Odoo is slow: its modules are remembered from the last time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import attrs
import pytest
from mcp import Client

from odoo_toolkit.records import name_get
from odoo_toolkit_mcp.known_modules import modules_of
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.kit.mcp import SalesToolset, error_of, toolset
from tests.mcp.conftest import connection_settings
from tests.mcp.fake_odoo import RECORDED, FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

NewServer = Callable[..., OdooServer]
SALES = ("odoo_sales_name", {"model": "res.partner", "ids": [1]})


class Slow:
    """Holds back what Odoo answers about the model of sales, until it is let go."""

    def __init__(self, odoo: FakeOdoo) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        odoo.answers["sale.order", "fields_get"] = self

    def __call__(self, args: Any, kwargs: Any) -> Any:
        self.asked.set()
        assert self.go.wait(240)
        return RECORDED["fields"]


@pytest.fixture
def new_server(odoo: FakeOdoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewServer:
    """Starts a server for the same person's Odoo, as a client does it again and again."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    odoo.answers["sale.order", "fields_get"] = lambda args, kwargs: RECORDED["fields"]

    def start(**connection: Any) -> OdooServer:
        settings = attrs.evolve(connection_settings(odoo), **{"history": None, **connection})
        toolsets: list[Any] = [CoreToolset, SalesToolset]
        return OdooServer(settings, ServerSettings(), toolsets)

    return start


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def first_list(server: OdooServer, era: str) -> set[str]:
    async with Client(server, mode=era) as client:
        return await names(client)


async def test_list_does_not_wait_for_what_is_remembered(
    new_server: NewServer, odoo: FakeOdoo, era: str
) -> None:
    await first_list(new_server(), era)
    slow = Slow(odoo)
    async with Client(new_server(), mode=era) as client:
        with anyio.fail_after(120):
            listed = await client.list_tools()
        slow.go.set()
        called = await client.call_tool(*SALES)

    assert "odoo_sales_name" in {tool.name for tool in listed.tools}
    assert listed.ttl_ms in (0, None)
    assert not called.is_error


async def test_list_waits_for_what_nobody_remembers(
    new_server: NewServer, odoo: FakeOdoo, era: str
) -> None:
    slow, found = Slow(odoo), list[set[str]]()

    async def ask(client: Client) -> None:
        found.append(await names(client))

    async with Client(new_server(), mode=era) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(ask, client)
        assert await anyio.to_thread.run_sync(slow.asked.wait, 120)
        early = list(found)
        slow.go.set()

    assert early == []
    assert "odoo_sales_name" in found[0]


async def test_the_modules_are_asked_for_side_by_side(odoo: FakeOdoo) -> None:
    together = threading.Barrier(2)

    def answer(args: Any, kwargs: Any) -> Any:
        together.wait(120)
        return RECORDED["fields"]

    odoo.answers |= {(model, "fields_get"): answer for model in ("sale.order", "crm.lead")}
    needs_both = attrs.evolve(SalesToolset().metadata(), required_modules=("sale", "crm"))
    both = toolset(name_get, name="odoo_sales_name", about=needs_both)
    server = OdooServer(connection_settings(odoo), ServerSettings(), [CoreToolset, both])

    assert "odoo_sales_name" in await first_list(server, "legacy")


async def test_the_list_is_there_while_odoo_is_not(
    new_server: NewServer, odoo: FakeOdoo, era: str
) -> None:
    await first_list(new_server(), era)
    odoo.stop()
    async with Client(new_server(), mode=era) as client:
        listed = await names(client)
        refused = await client.call_tool(*SALES)

    assert "odoo_sales_name" in listed
    assert error_of(refused)["code"] == "CONNECTION_REFUSED"


async def test_what_has_changed_since_is_announced(new_server: NewServer, odoo: FakeOdoo) -> None:
    await first_list(new_server(), "legacy")
    del odoo.answers["sale.order", "fields_get"]
    announced = anyio.Event()

    async def hear(message: object) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            announced.set()

    async with Client(new_server(), mode="legacy", message_handler=hear) as client:
        early = await names(client)
        with anyio.fail_after(120):
            await announced.wait()
        late = await names(client)

    assert "odoo_sales_name" in early
    assert "odoo_sales_name" not in late
    assert "odoo_sales_name" not in await first_list(new_server(), "legacy")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"": 1}', '{"odoo 19": []}', '{"KEY": {"odoo": "19", "missing": [1]}}'],
)
async def test_a_file_that_is_damaged_is_as_none(
    new_server: NewServer, tmp_path: Path, era: str, content: str
) -> None:
    await first_list(new_server(), era)
    (file,) = tmp_path.rglob("*.modules.json")
    key = next(iter(json.loads(file.read_text("utf-8"))))
    file.write_text(content.replace("KEY", key), "utf-8")

    assert "odoo_sales_name" in await first_list(new_server(), era)
    assert key in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("changed", "known"),
    [({}, True), ({"database": "other"}, False), ({"username": "bob"}, False)],
)
async def test_each_user_and_database_has_its_own(
    new_server: NewServer, odoo: FakeOdoo, changed: dict[str, str], known: bool
) -> None:
    await first_list(new_server(), "auto")
    settings = attrs.evolve(connection_settings(odoo), **{"history": None, **changed})

    assert (modules_of(settings).major is not None) is known


async def test_without_a_history_nothing_is_written(
    new_server: NewServer, tmp_path: Path, era: str
) -> None:
    assert "odoo_sales_name" in await first_list(new_server(history="off"), era)
    assert list(tmp_path.rglob("*.json")) == []


async def test_a_folder_that_cannot_be_written_does_no_harm(
    new_server: NewServer, tmp_path: Path, era: str
) -> None:
    (tmp_path / "odoo-toolkit").write_text("a file", "utf-8")

    assert "odoo_sales_name" in await first_list(new_server(), era)


async def test_a_toolset_that_has_to_ask_odoo_waits(
    new_server: NewServer, odoo: FakeOdoo, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known to be served, and only Odoo can tell its tools."""
    monkeypatch.setattr(SalesToolset, "register_tools", _asking(SalesToolset.register_tools))
    await first_list(new_server(), era)
    odoo.stop()
    server = new_server()
    listed = await first_list(server, era)

    assert "odoo_sales_name" not in listed
    assert server.offered.registry.waiting_toolsets() == ["sales"]


def _asking(register: Any) -> Any:
    def asking(self: Any, server: Any, connection: Any) -> Any:
        if connection is None:
            raise ValueError("Only Odoo can tell.")
        return register(self, server, connection)

    return asking
