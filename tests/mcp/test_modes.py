"""What each mode shows and lets through."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from tests.kit.mcp import error_of
from tests.mcp import golden
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

#: The modes in which clients are shown each tool, as its file has them.
SHOWN = {
    tool["name"]: tool["modes"]
    for tool in json.loads((golden.FOLDER / "core.json").read_text("utf-8"))
}
#: Not without a journal.
OF_THE_JOURNAL = {"odoo_core_batch", "odoo_core_history", "odoo_core_undo"}


@pytest.mark.parametrize("mode", [None, "readonly", "restricted", "full"])
async def test_mode_decides_which_tools_exist(
    make_server: MakeServer, era: str, mode: str | None
) -> None:
    """Readonly is the default."""
    async with Client(make_server(**({"mode": mode} if mode else {})), mode=era) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}

    expected = {name for name, modes in SHOWN.items() if (mode or "readonly") in modes}
    assert listed == expected - OF_THE_JOURNAL
    assert ("odoo_core_create" in listed, "odoo_core_unlink" in listed) == (
        mode in ("restricted", "full"),
        mode == "full",
    )


@pytest.mark.parametrize(
    ("mode", "tool", "message"),
    [
        ("readonly", "odoo_core_create", "Create operations are not allowed in readonly mode"),
        ("readonly", "odoo_core_run_wizard", "Execute operations are not allowed in readonly mode"),
        ("readonly", "odoo_core_unlink", "Delete operations are not allowed in readonly mode"),
        ("restricted", "odoo_core_unlink", "Delete operations are not allowed in restricted mode"),
    ],
)
async def test_hidden_tool_says_that_the_mode_forbids_it(
    make_server: MakeServer, odoo: FakeOdoo, era: str, mode: str, tool: str, message: str
) -> None:
    """A client may remember a tool from before the mode was changed."""
    async with Client(make_server(mode=mode), mode=era) as client:
        result = await client.call_tool(tool, {"model": "res.partner", "ids": [1]})

    assert error_of(result)["code"] == "MODE_VIOLATION"
    assert error_of(result)["message"] == message
    assert odoo.calls == []


@pytest.mark.parametrize(
    ("method", "args"),
    [("unlink", [[1]]), ("write", [[1], {"name": "x"}]), ("action_archive", [[1]])],
)
async def test_execute_only_reads_in_readonly(
    make_server: MakeServer, odoo: FakeOdoo, era: str, method: str, args: list[object]
) -> None:
    async with Client(make_server(), mode=era) as client:
        result = await client.call_tool(
            "odoo_core_execute", {"model": "res.partner", "method": method, "args": args}
        )

    assert error_of(result)["code"] == "MODE_VIOLATION"
    assert odoo.methods() == []


async def test_restricted_writes_only_allowed_models(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    server = make_server(mode="restricted", write_allowlist=["res.partner"])
    async with Client(server, mode=era) as client:
        allowed = await client.call_tool(
            "odoo_core_create", {"model": "res.partner", "values": {"name": "Ann"}}
        )
        refused = await client.call_tool(
            "odoo_core_create", {"model": "res.country", "values": {"name": "Utopia"}}
        )

    assert not allowed.is_error
    assert error_of(refused)["code"] == "MODE_VIOLATION"
    assert odoo.methods() == ["create", "read"]


@pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
async def test_instructions_name_only_tools_that_exist(
    make_server: MakeServer, era: str, mode: str
) -> None:
    """And the mode; some clients cut them after 2000 characters."""
    import re

    server = make_server(mode=mode)
    async with Client(server, mode=era) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        told = client.instructions or ""

    assert f"Mode: {mode}." in told
    assert set(re.findall(r"odoo_core_\w+", told)) <= names
    assert len(told) < 2000
