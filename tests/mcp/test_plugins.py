"""The server with plugins: admitted by name, listed in both forms, left out where one is wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp import Client, MCPError

from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.plugins import load
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo
from tests.rental.installed import FILE, install, install_rental
from tests.rental.memory import CONTRACT, EQUIPMENT

pytestmark = pytest.mark.anyio

CORE = [CoreToolset]


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    load()


@pytest.fixture
def rental(odoo: FakeOdoo) -> FakeOdoo:
    """The fake Odoo with the module of the plugin, and a draft of a contract."""
    row = {
        "id": 1,
        "name": "RENT/0001",
        "display_name": "RENT/0001",
        "partner_id": [9, "Azure Interior"],
        "equipment_id": [1, "Drill"],
        "date_start": "2026-11-02",
        "date_end": False,
        "price": 12.5,
        "state": "draft",
        "damage": False,
    }

    def fields(told: dict[str, Any]) -> Any:
        described = {}
        for name, one in {**told, "id": "integer", "display_name": "char"}.items():
            kind, _, relation = (one if isinstance(one, str) else one["type"]).partition(" ")
            facts = {
                "type": kind,
                "string": name,
                "relation": relation.split(" ")[0],
                "store": True,
            }
            described[name] = {**facts, **(one if isinstance(one, dict) else {})}
        return lambda args, kwargs: described

    def press(args: list[Any], kwargs: dict[str, Any]) -> bool:
        row["state"] = "confirmed"
        return True

    buttons = ("action_confirm", "action_hand_over", "action_cancel", "action_draft")
    arch = "".join(f'<button name="{name}" type="object"/>' for name in buttons)
    odoo.answers |= {
        ("ir.module.module", "search_count"): lambda args, kwargs: 1,
        ("rental.contract", "fields_get"): fields(CONTRACT),
        ("rental.equipment", "fields_get"): fields(EQUIPMENT),
        ("rental.contract", "fields_view_get"): lambda args, kwargs: {
            "arch": f"<form><header>{arch}</header></form>"
        },
        ("rental.contract", "search_read"): lambda args, kwargs: [dict(row)],
        ("rental.contract", "action_confirm"): press,
    }
    return odoo


def toolset_of(answer: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in answer["toolsets"] if one["name"] == name)
    return found


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return {**result.structured_content, "is_error": bool(result.is_error)}


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.fixture(params=["python", "file"])
def admitted(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> dict[str, Any]:
    """The settings that admit the plugin for rentals, in either form."""
    if request.param == "file":
        return {"plugin_files": str(FILE)}
    install_rental(monkeypatch, tmp_path)
    return {"plugins": "rental"}


async def test_no_plugin_is_used_that_nobody_admitted(
    make_server: MakeServer, rental: FakeOdoo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    async with Client(make_server(mode="full")) as client:
        assert not [name for name in await names(client) if "rental" in name]
        assert not [
            one.name for one in (await client.list_prompts()).prompts if "rental" in one.name
        ]
        listed = (await client.list_resources()).resources
        assert not [str(one.uri) for one in listed if "rental" in str(one.uri)]


async def test_tools_of_a_plugin_are_listed_flat(
    make_server: MakeServer, rental: FakeOdoo, admitted: dict[str, Any]
) -> None:
    async with Client(make_server(mode="full", **admitted)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        told = toolset_of(await called(client, "odoo_core_list_toolsets"), "rental")

    assert tools["odoo_rental_get_contract"].annotations.read_only_hint
    confirm = tools["odoo_rental_confirm_contract"]
    assert not confirm.annotations.read_only_hint
    assert confirm.output_schema
    assert (told["status"], told["odoo_modules"]) == ("active", ["rental"])
    assert "odoo_rental_confirm_contract" in told["tools"]


async def test_tools_of_a_plugin_are_operations_of_its_area(
    make_server: MakeServer, rental: FakeOdoo, admitted: dict[str, Any]
) -> None:
    async with Client(make_server(mode="full", tools="areas", **admitted)) as client:
        there = await names(client)
        manifest = await called(client, "odoo_change_rental")
        done = await called(
            client,
            "odoo_change_rental",
            operation="confirm_contract",
            arguments={"contract_name": "RENT/0001"},
        )

    assert {"odoo_read_rental", "odoo_change_rental"} <= set(there)
    assert "odoo_rental_confirm_contract" not in there
    assert "confirm_contract" in manifest["manifest"]
    assert (done["state"], done["is_error"]) == ("confirmed", False)


async def test_readonly_plans_and_refuses(
    make_server: MakeServer, rental: FakeOdoo, admitted: dict[str, Any]
) -> None:
    async with Client(make_server(mode="readonly", **admitted)) as client:
        there = await names(client)
        plan = await called(
            client, "odoo_rental_confirm_contract", contract_name="RENT/0001", dry_run=True
        )
        refused = await called(client, "odoo_rental_confirm_contract", contract_name="RENT/0001")

    assert "odoo_rental_get_contract" in there
    assert "odoo_rental_confirm_contract" not in there
    assert plan["calls"][0]["method"] == "action_confirm"
    assert refused["code"] == "MODE_VIOLATION"
    assert "action_confirm" not in rental.methods()


async def test_the_audit_tells_a_plugins_calls(
    make_server: MakeServer, rental: FakeOdoo, admitted: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    server = make_server(mode="full", audit=True, audit_file=str(log), **admitted)
    async with Client(server) as client:
        await called(client, "odoo_rental_confirm_contract", contract_name="RENT/0001")

    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [
        (line["tool"], line["model"]) for line in lines if line["operation"] == "action_confirm"
    ] == [("odoo_rental_confirm_contract", "rental.contract")]


async def test_the_audit_tells_what_a_plugin_was_not_let_do(
    make_server: MakeServer, rental: FakeOdoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_rental(monkeypatch, tmp_path / "installed")
    from odoo_rental import operations

    step = attrs.evolve(operations.CONFIRM, method="action_write_off")
    monkeypatch.setattr(operations, "CONFIRM", step)
    log = tmp_path / "audit.jsonl"
    server = make_server(mode="full", audit=True, audit_file=str(log), plugins="rental")
    async with Client(server) as client:
        refused = await called(client, "odoo_rental_confirm_contract", contract_id=1)

    assert refused["code"] == "METHOD_BLOCKED"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [
        (line["tool"], line["error_code"])
        for line in lines
        if line["operation"] == "action_write_off"
    ] == [("odoo_rental_confirm_contract", "METHOD_BLOCKED")]


async def test_a_file_asks_a_person_where_it_says_so(
    make_server: MakeServer, rental: FakeOdoo
) -> None:
    """The client of this test cannot be asked: where that is a must, it is refused."""
    server = make_server(mode="full", confirm="always", plugin_files=str(FILE))
    async with Client(server) as client:
        await called(client, "odoo_rental_confirm_contract", contract_id=1)
        refused = await called(client, "odoo_rental_hand_over_contract", contract_id=1)

    assert refused["is_error"]
    assert "action_hand_over" not in rental.methods()


async def test_prompts_and_skills_of_a_plugin_are_served(
    make_server: MakeServer, rental: FakeOdoo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    rental.answers["rental.contract", "search_read"] = lambda args, kwargs: [
        {"id": 1, "name": "RENT/0001", "equipment_id": [1, "Drill"], "date_end": "2026-11-03"}
    ]
    async with Client(make_server(plugins="rental")) as client:
        prompts = [one.name for one in (await client.list_prompts()).prompts]
        made = await client.get_prompt("odoo_rental_due_back", {"day": "2026-11-04"})
        with pytest.raises(MCPError, match="needs day"):
            await client.get_prompt("odoo_rental_due_back", {})
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        skill = await client.read_resource("skill://rental-return/SKILL.md")

    assert "odoo_rental_due_back" in prompts
    assert "RENT/0001: Drill, due 2026-11-03" in str(made.messages[0].content)
    assert "skill://rental-return/SKILL.md" in uris
    assert "Take equipment back" in str(skill.contents[0])


@pytest.mark.parametrize(
    "names_it", [{}, {"enabled_toolsets": "core,hire"}, {"confirm_tools": "x"}]
)
async def test_the_server_starts_without_a_broken_plugin_and_says_why(
    make_server: MakeServer,
    rental: FakeOdoo,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    names_it: dict[str, str],
) -> None:
    (tmp_path / "broken_plugin.py").write_text("1 / 0")
    install(monkeypatch, tmp_path, {"hire": "broken_plugin:PLUGIN"})
    with caplog.at_level(logging.WARNING):
        server = make_server(
            plugins="hire", plugin_files=f"{FILE},{tmp_path}/none.toml", **names_it
        )
        async with Client(server) as client:
            there = await names(client)
            told = await called(client, "odoo_core_list_toolsets")

    assert "odoo_core_search_read" in there
    assert ("odoo_rental_get_contract" in there) == ("enabled_toolsets" not in names_it)
    hire = toolset_of(told, "hire")
    assert (hire["status"], hire["tools"]) == ("failed", [])
    assert "ZeroDivisionError: division by zero" in hire["reason"]
    assert "It cannot be read" in toolset_of(told, "none")["reason"]
    assert "The plugin hire is not used" in caplog.text


async def test_a_file_that_does_not_fit_this_odoo_is_told(
    make_server: MakeServer, rental: FakeOdoo, tmp_path: Path
) -> None:
    file = tmp_path / "rental.toml"
    file.write_text(FILE.read_text("utf-8").replace('"action_confirm"', '"action_purge"'))
    async with Client(make_server(plugin_files=str(file))) as client:
        there = await names(client)
        told = toolset_of(await called(client, "odoo_core_list_toolsets"), "rental")

    assert not [name for name in there if "rental" in name]
    assert told["status"] == "failed"
    assert "has no button that calls action_purge" in told["reason"]


async def test_toolsets_of_plugins_cannot_end_the_server_by_a_circle(
    make_server: MakeServer, rental: FakeOdoo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    from odoo_rental.toolset import RentalToolset

    about = attrs.evolve(RentalToolset.about, depends_on=("core", "rental"))
    monkeypatch.setattr(RentalToolset, "about", about)
    async with Client(make_server(plugins="rental")) as client:
        assert "odoo_rental_get_contract" in await names(client)


async def test_names_of_toolsets_that_nobody_has_are_still_refused(
    make_server: MakeServer, rental: FakeOdoo
) -> None:
    server: OdooServer = make_server(plugin_files=str(FILE), enabled_toolsets="core,sail")
    with pytest.raises(ConfigurationError, match="There is no toolset 'sail'"):
        _ = server.offered.registry


async def test_only_the_table_of_tools_is_taken_of_a_plugins_toolset(
    make_server: MakeServer, rental: FakeOdoo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own way to register them would have the connection without bounds."""
    install_rental(monkeypatch, tmp_path)
    from odoo_rental.toolset import RentalToolset

    def register_tools(self: Any, server: Any, connection: Any) -> list[str]:
        raise AssertionError("A plugin registers its tools itself.")

    monkeypatch.setattr(RentalToolset, "register_tools", register_tools)
    async with Client(make_server(plugins="rental")) as client:
        assert "odoo_rental_get_contract" in await names(client)
