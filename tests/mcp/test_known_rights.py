"""Tools that a user's access rights exclude are not listed; called by name, Odoo answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import attrs
import pytest
from mcp import Client, MCPError

from odoo_toolkit_mcp import server as server_module
from odoo_toolkit_mcp.known_rights import KnownRights
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.contacts import ContactsToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.crm import CrmToolset
from tests.kit.mcp import call, error_of
from tests.mcp.conftest import MakeServer, connection_settings
from tests.mcp.fake_odoo import ADMIN, FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

COMPANY, MERGE = "odoo_contacts_create_company", "odoo_contacts_merge_contacts"
RIGHT = "check_access_rights"
TOOLSETS: list[Any] = [CoreToolset, ContactsToolset]

NewServer = Callable[..., OdooServer]


@pytest.fixture
def groups(odoo: FakeOdoo) -> list[int]:
    """The groups of a user who may create no contacts, and of whose wizard Odoo says nothing."""
    found = [1, 7]
    odoo.who = {**ADMIN, "res.users": {**ADMIN["res.users"], "groups_id": found}}
    odoo.answers["res.partner", RIGHT] = lambda args, kwargs: len(found) > 2
    return found


@pytest.fixture
def new_server(odoo: FakeOdoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewServer:
    """Starts a server that remembers, as a client does it again and again."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings = attrs.evolve(connection_settings(odoo), history=None)
    return lambda: OdooServer(settings, ServerSettings(mode="full", tools="flat"), TOOLSETS)


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def first_list(server: OdooServer, era: str) -> set[str]:
    async with Client(server, mode=era) as client:
        await names(client)
        await call(client, "odoo_core_count", model="res.partner")
        return await names(client)


def rights_asked(odoo: FakeOdoo) -> int:
    return sum(method == RIGHT for _, method, *_ in odoo.calls)


async def test_a_tool_without_the_right_is_not_listed_and_works_by_name(
    make_server: MakeServer, odoo: FakeOdoo, groups: list[int], era: str
) -> None:
    server = make_server(mode="full", tools="flat", toolsets=TOOLSETS)
    async with Client(server, mode=era) as client:
        await call(client, "odoo_core_count", model="res.partner")
        listed = await names(client)
        told = await call(client, "odoo_core_list_toolsets")
        refused = error_of(await client.call_tool(COMPANY, {"nonsense": 1}))

    assert COMPANY not in listed
    assert MERGE in listed  # Odoo says nothing of it
    [reason] = [one["reason"] for one in told["toolsets"] if one["name"] == "contacts"]
    assert f"your Odoo user has no right: {COMPANY} (needs create res.partner)." in reason
    assert "nonsense is not an argument" in refused["message"]


async def test_an_odoo_that_tells_no_groups_hides_nothing(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.answers["res.partner", RIGHT] = lambda args, kwargs: False
    listed = await first_list(make_server(mode="full", tools="flat", toolsets=TOOLSETS), era)

    assert COMPANY in listed
    assert rights_asked(odoo) == 0


async def test_rights_are_remembered_until_the_groups_change(
    new_server: NewServer, odoo: FakeOdoo, groups: list[int], era: str
) -> None:
    assert COMPANY not in await first_list(new_server(), era)
    asked = rights_asked(odoo)
    assert asked > 0
    assert COMPANY not in await first_list(new_server(), era)
    assert rights_asked(odoo) == asked
    groups.append(9)
    assert COMPANY in await first_list(new_server(), era)
    assert rights_asked(odoo) == 2 * asked


async def test_the_list_is_short_before_odoo_answers(
    new_server: NewServer, odoo: FakeOdoo, groups: list[int], era: str
) -> None:
    await first_list(new_server(), era)
    odoo.stop()
    async with Client(new_server(), mode=era) as client:
        assert COMPANY not in await names(client)


@pytest.mark.parametrize(
    "rights",
    [
        *(1, [], {}, {"groups": [1], "asked": 0, "rights": {}}, {"groups": "1,7", "rights": {}}),
        {"groups": "1,7", "asked": 9e9, "rights": {"create res.partner": "no"}},
    ],
)
async def test_a_damaged_file_is_asked_about_again(
    new_server: NewServer, tmp_path: Path, groups: list[int], rights: Any
) -> None:
    await first_list(new_server(), "auto")
    (file,) = tmp_path.rglob("*.modules.json")
    content = {
        key: {**facts, "rights": rights} for key, facts in json.loads(file.read_text()).items()
    }
    file.write_text(json.dumps(content))

    assert COMPANY not in await first_list(new_server(), "auto")


@pytest.mark.parametrize("by", ["groups", "denied"])
async def test_a_change_of_rights_is_announced(
    make_server: MakeServer,
    odoo: FakeOdoo,
    groups: list[int],
    by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next list looks again by one request; a call that Odoo denies asks for all rights."""
    groups.append(9)
    announced = anyio.Event()

    async def hear(message: object) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            announced.set()

    server = make_server(mode="full", tools="flat", toolsets=TOOLSETS)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        await call(client, "odoo_core_count", model="res.partner")
        early = await names(client)
        assert not announced.is_set()
        if by == "groups":
            monkeypatch.setattr(server_module, "LIST_LIFETIME", 0)
            groups.remove(9)
            await names(client)
        else:
            monkeypatch.setattr(server_module, "RIGHTS_INTERVAL", -1)
            odoo.answers["res.partner", RIGHT] = lambda args, kwargs: False
            await client.call_tool("odoo_core_count", {"model": "res.country"})
        with anyio.fail_after(60):
            await announced.wait()
        late = await names(client)

    assert COMPANY in early
    assert COMPANY not in late


async def test_rights_of_groups_are_asked_for_again_after_a_day() -> None:
    now = [1000.0]
    known = KnownRights(lambda: now[0])
    known.from_file({"groups": "1", "asked": 1000, "rights": {"read res.partner": False}})
    assert known.denied("1") == {"read res.partner"}
    assert known.denied("2") == known.denied(None) == frozenset()
    assert known.to_file("1")["asked"] == 1000


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("odoo_change_records", "odoo_change_records is not available in readonly mode"),
        ("odoo_change_contacts", "which excludes all its operations"),
        (COMPANY, "not allowed in readonly mode"),
    ],
)
async def test_what_the_mode_excludes_is_not_unknown(
    make_server: MakeServer, era: str, tool: str, said: str
) -> None:
    async with Client(make_server(toolsets=TOOLSETS), mode=era) as client:
        error = error_of(await client.call_tool(tool, {}))

    assert error["code"] == "MODE_VIOLATION"
    assert said in error["message"]
    assert "ODOO_MCP_MODE" in error["suggestion"]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("odoo_change_nonsense", "Unknown tool: odoo_change_nonsense$"),
        (
            "odoo_crm_mark_won",
            r"Unknown tool: odoo_crm_mark_won \(toolset crm: module 'crm' is not",
        ),
    ],
)
async def test_an_unknown_tool_says_why_as_far_as_that_is_known(
    make_server: MakeServer, era: str, tool: str, said: str
) -> None:
    async with Client(make_server(toolsets=[*TOOLSETS, CrmToolset]), mode=era) as client:
        with pytest.raises(MCPError, match=said):
            await client.call_tool(tool, {})
