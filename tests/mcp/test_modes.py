"""What each mode shows and lets through."""

from __future__ import annotations

import pytest
from mcp import Client

from tests.kit.mcp import error_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

READING = {
    "odoo_core_search_read",
    "odoo_core_deep_search",
    "odoo_core_run_queries",
    "odoo_core_read",
    "odoo_core_aggregate",
    "odoo_core_count",
    "odoo_core_fields_get",
    "odoo_core_name_get",
    "odoo_core_default_get",
    "odoo_core_explain_model",
    "odoo_core_get_user",
    "odoo_core_list_models",
    "odoo_core_list_toolsets",
    "odoo_core_execute",
    "odoo_core_get_languages",
    "odoo_core_get_translations",
}
WRITING = {
    "odoo_core_create",
    "odoo_core_import",
    "odoo_core_run_wizard",
    "odoo_core_translate",
    "odoo_core_write",
}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("readonly", READING),
        ("restricted", READING | WRITING),
        ("full", READING | WRITING | {"odoo_core_activate_language", "odoo_core_unlink"}),
    ],
)
async def test_mode_decides_which_tools_exist(
    make_server: MakeServer, era: str, mode: str, expected: set[str]
) -> None:
    async with Client(make_server(mode=mode), mode=era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == expected


async def test_readonly_is_the_default(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING


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
    told = server.instructions or ""

    assert f"Mode: {mode}." in told
    assert set(re.findall(r"odoo_core_\w+", told)) <= names
    assert len(told) < 2000
