"""Several changes in one call: what may be an item, what a person is asked, what is taken back."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp import Client
from mcp.types import CallToolResult, ElicitResult

from odoo_toolkit.configuration import load
from odoo_toolkit.errors import ValidationError
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.batching import _item
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.kit.mcp import Person, SalesToolset
from tests.mcp.conftest import connection_settings
from tests.mcp.fake_odoo import RECORDED, FakeOdoo

pytestmark = pytest.mark.anyio

NO = ElicitResult(action="decline")
TOOL = "odoo_core_batch"


def make(odoo: FakeOdoo, path: Path, **keywords: Any) -> OdooServer:
    settings, problems = load(ServerSettings, {"mode": "full", **keywords}, environ={})
    assert settings is not None, problems
    connection = attrs.evolve(connection_settings(odoo), history=str(path / "history.sqlite"))
    return OdooServer(connection, settings, [CoreToolset, SalesToolset])


def data(result: CallToolResult) -> dict[str, Any]:
    return dict(result.structured_content or {})


def item(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": f"odoo_core_{name}", "arguments": {"model": "res.partner", **arguments}}


def color(number: int, value: Any) -> dict[str, Any]:
    return item("write", ids=[number], values={"color": value})


def kept(odoo: FakeOdoo) -> Any:
    """Return what the records hold, but for when they were written."""
    return {
        number: {name: v for name, v in row.items() if name not in ("write_date", "write_uid")}
        for number, row in copy.deepcopy(odoo.records).items()
    }


async def test_all_of_it_in_one_call(odoo: FakeOdoo, era: str, tmp_path: Path) -> None:
    """The result has each item's own, and how all is taken back."""
    before = kept(odoo)
    async with Client(make(odoo, tmp_path), mode=era) as client:
        items = [item("create", values={"name": "Dan"}), color(1, 3), color(9, 4)]
        plan = data(await client.call_tool(TOOL, {"items": items, "dry_run": True}))
        assert [one["possible"] for one in plan["items"]] == ["full"] * 3
        assert kept(odoo) == before
        done = data(await client.call_tool(TOOL, {"items": items, "idempotency_key": "k"}))
        assert [one["operation"] for one in done["items"]] == [
            *("odoo_core_create", "odoo_core_write", "odoo_core_write")
        ]
        assert done["items"][0]["result"]["id"] in odoo.records
        assert done["undo"]["possible"] == "full"
        again = data(await client.call_tool(TOOL, {"items": items, "idempotency_key": "k"}))
        assert again["items"] == done["items"]
        assert len(odoo.records) == len(before) + 1
        await client.call_tool("odoo_core_undo", {"entry": done["undo"]["entry"]})
    assert kept(odoo) == before


async def test_what_fails_is_told_with_what_was_taken_back(
    odoo: FakeOdoo, era: str, tmp_path: Path
) -> None:
    before = kept(odoo)
    late = color(9, 4)
    late["arguments"]["values"] = {"nonsense": {"id_of_item": 1}}
    async with Client(make(odoo, tmp_path), mode=era) as client:
        items = [item("create", values={"name": "Dan"}), color(1, 3), late]
        failed = await client.call_tool(TOOL, {"items": items})
        assert failed.is_error
        error = data(failed)
        assert error["message"].startswith("Item 3 (odoo_core_write): ")
        assert error["details"]["item"] == 3
        assert len(error["details"]["taken_back"]) == 2, error
        assert error["details"]["left"] == []
        assert "undo" not in error
    assert kept(odoo) == before


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (item("read", ids=[1]), "odoo_core_read cannot be part"),
        (item("search_read"), "odoo_core_search_read cannot be part"),
        ({"tool": TOOL, "arguments": {"items": [color(1, 3)]}}, "odoo_core_batch cannot be part"),
        ({"tool": "odoo_core_undo", "arguments": {"entry": 1}}, "odoo_core_undo cannot be part"),
        ({"tool": "odoo_core_history", "arguments": {}}, "odoo_core_history cannot be part"),
        (item("run_wizard"), "odoo_core_run_wizard cannot be part"),
        ({"tool": "nonsense", "arguments": {}}, "There is no tool 'nonsense'"),
        (item("write", ids=[1], values={}, more=1), "more"),
        (
            item("write", ids=[1], values={"color": 1}, idempotency_key="x"),
            "does not accept idempotency_key",
        ),
        (item("write", ids=[1], values={"color": 1}, dry_run=True), "does not accept dry_run"),
        (item("write", ids=["x"], values={"color": 1}), "ids"),
        ({"tool": "odoo_core_write"}, "arguments is missing"),
    ],
)
async def test_an_item_of_another_kind_is_refused_before_anything_is_done(
    odoo: FakeOdoo, tmp_path: Path, wrong: dict[str, Any], says: str
) -> None:
    before = kept(odoo)
    async with Client(make(odoo, tmp_path)) as client:
        for dry_run in (True, False):
            arguments = {"items": [color(1, 3), wrong], "dry_run": dry_run}
            refused = await client.call_tool(TOOL, arguments)
            assert refused.is_error
            assert says in data(refused)["message"]
    assert kept(odoo) == before


async def test_a_batch_may_name_a_tool_that_waits_for_the_connection(
    odoo: FakeOdoo, era: str, tmp_path: Path
) -> None:
    """As the first call of all: it is refused as what it is, not as unknown."""
    odoo.answers["sale.order", "fields_get"] = lambda args, kwargs: RECORDED["fields"]
    items = [{"tool": "odoo_sales_name", "arguments": {}}]
    async with Client(make(odoo, tmp_path), mode=era) as client:
        refused = data(await client.call_tool(TOOL, {"items": items}))
        assert "odoo_sales_name cannot be part" in refused["message"]
        nonsense = await client.call_tool("odoo_core_count", {"model": "res.partner", "items": 3})
        assert nonsense.is_error


async def test_what_the_mode_hides_is_hidden_here_too(odoo: FakeOdoo, tmp_path: Path) -> None:
    """It can be planned, as it can by itself."""
    before = kept(odoo)
    items = [color(1, 3), item("unlink", ids=[9])]
    server = make(odoo, tmp_path, mode="restricted", write_allowlist=("res.partner",))
    async with Client(server) as client:
        refused = data(await client.call_tool(TOOL, {"items": items}))
        assert refused["code"] == "MODE_VIOLATION"
        assert refused["details"]["item"] == 2
        plan = data(await client.call_tool(TOOL, {"items": items, "dry_run": True}))
        assert plan["needs"]
    assert kept(odoo) == before


async def test_a_readonly_server_only_plans(odoo: FakeOdoo, tmp_path: Path) -> None:
    make(odoo, tmp_path)
    async with Client(make(odoo, tmp_path, mode="full")) as client:
        await client.call_tool("odoo_core_write", color(1, 3)["arguments"])
    before = kept(odoo)
    async with Client(make(odoo, tmp_path, mode="readonly")) as client:
        assert TOOL not in {tool.name for tool in (await client.list_tools()).tools}
        refused = data(await client.call_tool(TOOL, {"items": [color(1, 4)]}))
        assert refused["code"] == "MODE_VIOLATION"
        plan = data(await client.call_tool(TOOL, {"items": [color(1, 4)], "dry_run": True}))
        assert plan["needs"]
    assert kept(odoo) == before


def test_all_tools_that_change_something_can_be_items() -> None:
    """All but those that take back, and those that cannot tell what they would do."""
    settings, _ = load(ServerSettings, {"mode": "full"}, environ={})
    assert settings
    table = ToolTable(settings)
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    table.add_tools([])
    refused = set()
    for name, tool in table.tools.items():
        if tool.access == "read":
            continue
        try:
            _item(table, 1, {"tool": name, "arguments": {}}, dry_run=False)
        except ValidationError:
            refused.add(name)
    assert refused == {TOOL, "odoo_core_undo", "odoo_core_run_wizard"}


async def test_without_a_journal_there_is_no_such_tool(odoo: FakeOdoo) -> None:
    settings, _ = load(ServerSettings, {"mode": "full"}, environ={})
    assert settings
    connection = attrs.evolve(connection_settings(odoo), history="off")
    async with Client(OdooServer(connection, settings, [CoreToolset])) as client:
        assert TOOL not in {tool.name for tool in (await client.list_tools()).tools}


async def test_a_person_sees_all_of_it_and_says_yes_once(
    odoo: FakeOdoo, era: str, tmp_path: Path
) -> None:
    """Also what an item deletes, which only its own tool would have asked about."""
    person = Person()
    name = odoo.records[9]["name"]
    async with Client(make(odoo, tmp_path), mode=era, elicitation_callback=person) as client:
        items = [color(1, 3), item("unlink", ids=[9])]
        done = await client.call_tool(TOOL, {"items": items})
        assert not done.is_error, done
    (question,) = person.asked
    assert question.startswith("Make several changes")
    assert "1. odoo_core_write: Would change 1 res.partner record" in question
    assert f"2. odoo_core_unlink: Would delete 1 res.partner record: {name} (9)" in question
    assert "cannot be restored" in question
    assert 9 not in odoo.records
    assert odoo.records[1]["color"] == 3


async def test_with_a_no_nothing_is_done(odoo: FakeOdoo, era: str, tmp_path: Path) -> None:
    before = kept(odoo)
    person = Person(NO)
    async with Client(make(odoo, tmp_path), mode=era, elicitation_callback=person) as client:
        items = [item("create", values={"name": "Dan"}), color(1, 3)]
        refused = await client.call_tool(TOOL, {"items": items, "idempotency_key": "k"})
        assert refused.is_error
        assert "did not confirm" in data(refused)["message"]
        assert len(person.asked) == 1
        person.answer = ElicitResult(action="accept", content={"confirm": True})
        done = await client.call_tool(TOOL, {"items": items, "idempotency_key": "k"})
        assert not done.is_error, done
    assert len(odoo.records) == len(before) + 1


async def test_an_item_that_is_looked_at_late_is_shown_as_it_was_given(
    odoo: FakeOdoo, tmp_path: Path
) -> None:
    person = Person(NO)
    async with Client(make(odoo, tmp_path), elicitation_callback=person) as client:
        late = item("unlink", ids=[{"id_of_item": 1}])
        items = [item("create", values={"name": "Dan"}), late]
        await client.call_tool(TOOL, {"items": items})
    (question,) = person.asked
    assert '   ids: [{"id_of_item": 1}]' in question.splitlines()
