"""The plugin for rentals on real servers with its module: in Python, and as a TOML file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit import Odoo, connect
from odoo_toolkit.cli import main
from odoo_toolkit.configuration import load as load_settings
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.model_guide import model_states
from odoo_toolkit.plugins import load
from odoo_toolkit.plugins.against_odoo import problems_in_odoo
from odoo_toolkit.plugins.loading import find_plugin
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from tests.attacks.policies import Raw
from tests.attacks.servers import Copy
from tests.live.servers import credentials
from tests.rental.installed import FILE, install_rental
from tests.rental.servers import Rented, rental

pytestmark = pytest.mark.anyio

__all__ = ["rental"]


@pytest.fixture(params=["python", "file"])
def admitted(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[dict[str, Any]]:
    """The settings that admit the plugin, in either form."""
    install_rental(monkeypatch, tmp_path)
    yield {"plugins": "rental"} if request.param == "python" else {"plugin_files": str(FILE)}
    load()


@pytest.fixture
def raw(rental: Copy) -> Raw:
    return Raw(rental.server)


@pytest.fixture
def odoo(rental: Copy) -> Iterator[Odoo]:
    with connect(**credentials(rental.server, rental.server.user("admin"))) as connection:
        yield connection


def mcp_server(
    rental: Copy, role: str = "admin", history: str = "off", **settings: Any
) -> OdooServer:
    keywords = {**credentials(rental.server, rental.server.user(role)), "history": history}
    connection, problems = load_settings(ConnectionSettings, keywords, environ={})
    assert connection, problems
    settings = {"mode": "full", "tools": "flat", **settings}
    found, problems = load_settings(ServerSettings, settings, environ={})
    assert found, problems
    return OdooServer(connection, found)


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return {**result.structured_content, "is_error": bool(result.is_error)}


@pytest.mark.parametrize("role", ["admin", "demo"])
async def test_a_contract_from_the_draft_to_the_customer(
    rental: Copy, raw: Raw, admitted: dict[str, Any], role: str, suffix: str
) -> None:
    drill, customer = f"Drill {suffix}", f"Customer {suffix}"
    raw("rental.equipment", "create", {"name": drill, "daily_price": 10.0})
    raw("res.partner", "create", {"name": customer})
    async with Client(mcp_server(rental, role, **admitted)) as client:
        made = await called(
            client,
            "odoo_rental_create_contract",
            partner_name=customer,
            equipment_name=drill,
            date_start="2026-11-02",
            date_end="2026-11-04",
        )
        name = made["name"]
        confirmed = await called(client, "odoo_rental_confirm_contract", contract_name=name)
        tools = [tool.name for tool in (await client.list_tools()).tools]
        hand_over = next(t for t in tools if t.startswith("odoo_rental_hand_over"))
        out = await called(client, hand_over, contract_id=made["id"])
        got = await called(client, "odoo_rental_get_contract", contract_name=name)

    assert (made["partner"]["name"], made["price"], made["state"]) == (customer, 30.0, "draft")
    assert not made.get("warnings")
    assert (confirmed["state"], out["state"], got["state"]) == ("confirmed", "out", "out")
    assert name in confirmed["message"]


async def test_a_state_that_does_not_allow_it_is_told_and_nothing_is_sent(
    rental: Copy, raw: Raw, admitted: dict[str, Any]
) -> None:
    contract = Rented(raw, "out")
    async with Client(mcp_server(rental, **admitted)) as client:
        refused = await called(client, "odoo_rental_confirm_contract", contract_id=contract.id)

    assert (refused["code"], refused["is_error"]) == ("STATE_ERROR", True)
    assert contract.value("state") == "out"


async def test_a_wizard_of_a_plugin_is_answered(
    rental: Copy, raw: Raw, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    contract = Rented(raw, "out")
    restricted = {"mode": "restricted", "write_allowlist": "rental.contract,rental.return"}
    async with Client(mcp_server(rental, plugins="rental", **restricted)) as client:
        back = await called(
            client, "odoo_rental_return_contract", contract_name=contract.name, damage="Dent"
        )

    assert (back["state"], back["damage"]) == ("returned", "Dent")


async def test_what_is_done_can_be_taken_back_as_it_says(
    rental: Copy, raw: Raw, admitted: dict[str, Any], tmp_path: Path
) -> None:
    contract = Rented(raw)
    server = mcp_server(rental, history=str(tmp_path / "history.db"), **admitted)
    async with Client(server) as client:
        plan = await called(
            client, "odoo_rental_confirm_contract", contract_id=contract.id, dry_run=True
        )
        done = await called(client, "odoo_rental_confirm_contract", contract_id=contract.id)
        undone = await called(client, "odoo_core_undo", entry=done["undo"]["entry"])

    assert plan["undo"]["possible"] == done["undo"]["possible"] == "full"
    assert "draft again" in plan["undo"]["actions"][0]
    assert not undone["is_error"], undone
    assert contract.value("state") == "draft"


async def test_what_has_no_way_back_says_so(rental: Copy, raw: Raw, tmp_path: Path) -> None:
    contract = Rented(raw, "confirmed")
    server = mcp_server(rental, history=str(tmp_path / "history.db"), plugin_files=str(FILE))
    async with Client(server) as client:
        done = await called(client, "odoo_rental_hand_over_contract", contract_id=contract.id)
    load()

    assert done["undo"]["possible"] == "none"


async def test_a_repeat_with_a_key_is_not_done_twice(
    rental: Copy, raw: Raw, admitted: dict[str, Any], tmp_path: Path, suffix: str
) -> None:
    contract = Rented(raw)
    given = {
        "partner_id": contract.partner,
        "equipment_id": contract.equipment,
        "idempotency_key": suffix,
    }
    server = mcp_server(rental, history=str(tmp_path / "history.db"), **admitted)
    async with Client(server) as client:
        first = await called(client, "odoo_rental_create_contract", **given)
        second = await called(client, "odoo_rental_create_contract", **given)

    # What a class outside of the toolkit holds is not kept, and it says so.
    assert second["code"] == "KEY_DONE"
    assert f"rental.contract {first['id']}" in second["message"]
    of_customer = raw("rental.contract", "search", [["partner_id", "=", contract.partner]])
    assert sorted(of_customer) == [contract.id, first["id"]]


async def test_lists_are_narrowed_by_the_fields_of_this_odoo(rental: Copy, raw: Raw) -> None:
    contract = Rented(raw, "out")
    async with Client(mcp_server(rental, mode="readonly", plugin_files=str(FILE))) as client:
        found = await called(
            client, "odoo_rental_list_contracts", state="out", partner_id=contract.partner
        )
        none = await called(
            client, "odoo_rental_list_contracts", state="draft", partner_id=contract.partner
        )
    load()

    assert [row["id"] for row in found["records"]] == [contract.id]
    assert none["records"] == []


async def test_both_forms_of_the_list_have_the_tools(
    rental: Copy, admitted: dict[str, Any]
) -> None:
    async with Client(mcp_server(rental, **admitted)) as client:
        flat = [tool.name for tool in (await client.list_tools()).tools]
    async with Client(mcp_server(rental, tools="areas", **admitted)) as client:
        areas = [tool.name for tool in (await client.list_tools()).tools]
        schema = await called(client, "odoo_read_rental", operation="get_contract")

    assert "odoo_rental_get_contract" in flat
    assert {"odoo_read_rental", "odoo_change_rental"} <= set(areas)
    assert "contract_name" in schema["input_schema"]["properties"]


def test_the_server_has_all_that_the_plugin_names(
    odoo: Odoo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_rental(monkeypatch, tmp_path)
    for name in ("rental", str(FILE)):
        plugin, problems = find_plugin(name)
        assert plugin, problems
        assert problems_in_odoo(odoo, plugin) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"date_end", "price"', '"date_edn", "price"', "Did you mean date_end?"),
        ('update = ["date_end"', 'update = ["price"', "price, but Odoo lets no user set it"),
        ('update = ["date_end"', 'update = ["access_token"', "access_token, which rental.contract"),
        ('to = ["confirmed"]', 'to = ["confirmd"]', "'confirmd' is not a state of rental.contract"),
        ('"action_confirm"', '"action_purge"', "has no button that calls action_purge"),
        ('"rental.equipment"', '"rental.equipmnt"', "rental.equipmnt"),
    ],
)
def test_what_this_odoo_has_not_is_said(
    odoo: Odoo, tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "rental.toml"
    file.write_text(FILE.read_text("utf-8").replace(old, new, 1))
    plugin, problems = find_plugin(str(file))
    assert plugin, problems

    assert said in " ".join(problems_in_odoo(odoo, plugin))


def test_what_a_plugin_tells_of_its_models_serves_search_and_guide(
    rental: Copy, odoo: Odoo, raw: Raw, admitted: dict[str, Any]
) -> None:
    contract = Rented(raw)
    loaded = load(
        filter(None, [admitted.get("plugins")]), filter(None, [admitted.get("plugin_files")])
    )
    found = deep_search(odoo, contract.name, "rental.contract")
    states = model_states(odoo, "rental.contract")

    assert loaded.refused == ()
    assert contract.id in [record["id"] for record in found.results["rental.contract"]]
    assert "draft" in str(states)


@pytest.mark.parametrize("form", ["python", "file"])
def test_the_doctor_says_which_plugins_can_be_used_and_why_others_cannot(
    rental: Copy,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    install_rental(monkeypatch, tmp_path)
    for name, value in credentials(rental.server, rental.server.user("admin")).items():
        monkeypatch.setenv("ODOO_DB" if name == "database" else f"ODOO_{name.upper()}", value)
    wrong = tmp_path / "wrong.toml"
    text = FILE.read_text("utf-8").replace('"rental"', '"lending"', 1)
    wrong.write_text(text.replace('"date_end"', '"date_edn"', 1), "utf-8")
    right = "rental" if form == "python" else str(FILE)
    monkeypatch.setenv("ODOO_MCP_PLUGINS", f"{right},nobodys" if form == "python" else "nobodys")
    monkeypatch.setenv(
        "ODOO_MCP_PLUGIN_FILES", str(wrong) if form == "python" else f"{right},{wrong}"
    )

    try:
        assert main(["doctor", "--json"]) == 0
    finally:
        load()

    step = json.loads(capsys.readouterr().out)["steps"][-1]
    rows = {row["plugin"]: row for row in step["details"]}
    assert (step["name"], step["status"]) == ("plugins", "warning")
    assert rows["rental"]["used"], rows["rental"]
    assert "No installed package" in rows["nobodys"]["why_not"]
    assert not any(row["used"] for name, row in rows.items() if name != "rental")
