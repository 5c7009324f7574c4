"""The tools of the journal: entries with each result, the history, and taking it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult, Implementation

from odoo_toolkit.configuration import load
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.mcp.conftest import connection_settings
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = pytest.mark.anyio


def make(odoo: FakeOdoo, journal: str | None, **keywords: Any) -> OdooServer:
    settings, problems = load(ServerSettings, {"mode": "full", **keywords}, environ={})
    assert settings is not None, problems
    connection = attrs.evolve(connection_settings(odoo), history=journal)
    return OdooServer(connection, settings, [CoreToolset])


def data(result: CallToolResult) -> dict[str, Any]:
    return dict(result.structured_content or {})


WRITE = {"model": "res.partner", "ids": [1], "values": {"color": 3}}


async def test_each_change_says_how_it_is_taken_back(
    odoo: FakeOdoo, era: str, tmp_path: Path
) -> None:
    """A result has the entry; the history has the client, the records and the old values."""
    path = tmp_path / "history.sqlite"
    server = make(odoo, str(path))
    before = odoo.records[1].get("color")
    me = Implementation(name="Tester", version="7")
    async with Client(server, mode=era, client_info=me) as client:
        written = data(await client.call_tool("odoo_core_write", WRITE))
        assert written["undo"]["entry"] == 1
        assert written["undo"]["possible"] == "full"
        read = data(await client.call_tool("odoo_core_read", {"model": "res.partner", "ids": [1]}))
        assert "undo" not in read

        (entry,) = data(await client.call_tool("odoo_core_history", {}))["entries"]
        assert entry["client"] == "Tester 7"
        assert "writes" not in entry
        assert entry["records"] == ["My Company (San Francisco) (res.partner 1)"]
        (entry,) = data(await client.call_tool("odoo_core_history", {"entry": 1}))["entries"]
        assert entry["writes"][0]["before"] == {"1": {"color": before}}

        plan = data(await client.call_tool("odoo_core_undo", {"entry": 1, "dry_run": True}))
        assert plan["dry_run"] is True
        assert odoo.records[1]["color"] == 3
        undone = data(await client.call_tool("odoo_core_undo", {"entry": 1}))
        assert undone["entries"] == [1]
        assert "undo" not in undone
        assert odoo.records[1]["color"] == before
        again = await client.call_tool("odoo_core_undo", {"entry": 1})
        assert again.is_error
        assert "already undone" in data(again)["message"]
        both = await client.call_tool("odoo_core_undo", {"entry": 1, "since": "2026-01-01"})
        assert data(both)["code"] == "VALIDATION_ERROR"


async def test_what_cannot_be_taken_back_says_why(odoo: FakeOdoo, era: str, tmp_path: Path) -> None:
    async with Client(make(odoo, str(tmp_path / "history.sqlite")), mode=era) as client:
        arguments = {"model": "res.partner", "ids": [1]}
        deleted = data(await client.call_tool("odoo_core_unlink", arguments))
        assert deleted["undo"]["possible"] == "none"
        assert deleted["undo"]["not_undone"] == [
            "A deleted record cannot be restored: archive it instead."
        ]


async def test_without_a_journal_there_are_no_such_tools(odoo: FakeOdoo, era: str) -> None:
    async with Client(make(odoo, "off"), mode=era) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {"odoo_core_history", "odoo_core_undo"}
        with pytest.raises(MCPError):
            await client.call_tool("odoo_core_history", {})
        assert "undo" not in data(await client.call_tool("odoo_core_write", WRITE))


async def test_a_server_keeps_a_journal_unless_told_otherwise(
    odoo: FakeOdoo, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with Client(make(odoo, None), mode=era) as client:
        assert data(await client.call_tool("odoo_core_write", WRITE))["undo"]["entry"] == 1
    (file,) = (tmp_path / "odoo-toolkit" / "history").glob("*.sqlite")
    assert file.name == f"127.0.0.1-{odoo.port}.sqlite"
    # Who may only read can plan it, and see what was written.
    async with Client(make(odoo, None, mode="readonly"), mode=era) as client:
        assert len(data(await client.call_tool("odoo_core_history", {}))["entries"]) == 1
        refused = await client.call_tool("odoo_core_undo", {"entry": 1})
        assert data(refused)["code"] == "MODE_VIOLATION"


async def test_a_readonly_server_makes_no_file(
    odoo: FakeOdoo, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with Client(make(odoo, None, mode="readonly"), mode=era) as client:
        assert "odoo_core_history" not in {t.name for t in (await client.list_tools()).tools}
    assert list(tmp_path.iterdir()) == []


async def test_where_no_file_can_be_made_the_server_works_without(
    odoo: FakeOdoo, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asked for the file: that it cannot be had is in the log."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "taken"))
    async with Client(make(odoo, None), mode=era) as client:
        written = await client.call_tool("odoo_core_write", WRITE)
        assert not written.is_error
        assert "undo" not in data(written)
