"""Only a person decides about another's operation, whatever the settings and the client are."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.types import ClientCapabilities, ElicitationCapability, UrlElicitationCapability

from odoo_toolkit import connect, create
from odoo_toolkit_mcp.confirmation import Confirmations
from odoo_toolkit_mcp.sealing import Sealing
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import Asks, ToolTable
from odoo_toolkit_mcp.views.serving import CALL, CONFIRM
from tests.kit.approvals import Office, call
from tests.kit.mcp import YES, Person
from tests.live.conftest import server, suffix
from tests.live.servers import Server, credentials

__all__ = ["server", "suffix"]

DECIDE = "odoo_core_decide_approval"

#: Whether a client can ask, by what it says of itself.
CLIENTS = {
    "forms": (True, ClientCapabilities(elicitation=ElicitationCapability())),
    "addresses": (
        False,
        ClientCapabilities(elicitation=ElicitationCapability(url=UrlElicitationCapability())),
    ),
    "nothing": (False, ClientCapabilities()),
    "unknown": (False, None),
}


def _all_tools() -> ToolTable:
    settings = ServerSettings(mode="full", approval=("*.unlink",), approvers=("olga",))
    table = ToolTable(settings)
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    return table


def test_each_tool_with_each_setting_and_client() -> None:
    """The setting decides of all tools but those that give a person's own answer."""
    tools = _all_tools().tools
    assert DECIDE in tools
    settings = product(("auto", "always", "never"), (False, True))
    for (confirm, named), client in product(settings, CLIENTS):
        can_ask, capabilities = CLIENTS[client]
        session = SimpleNamespace(client_capabilities=capabilities, can_send_request=True)
        ctx: Any = SimpleNamespace(session=session, protocol_version="2025-11-25")
        asked_for = tuple(tools) if named else ()
        confirmations = Confirmations(
            ServerSettings(confirm=confirm, confirm_tools=asked_for), Sealing()
        )
        for tool, in_view in product(tools.values(), (False, True)):
            expected: Asks = "always" if named else tool.asks
            if confirm == "never" or (confirm == "auto" and not can_ask and not in_view):
                expected = "never"
            if tool.name == DECIDE:
                expected = "always"
            case = (confirm, named, client, tool.name, in_view)
            assert confirmations.asks(ctx, tool, in_view=in_view) == expected, case


@pytest.mark.anyio
@pytest.mark.parametrize("confirm", ["auto", "always", "never"])
async def test_no_client_decides_for_its_person(
    server: Server, tmp_path: Path, suffix: str, confirm: str
) -> None:
    """A client that cannot ask gets an error that says what to do; one that can asks."""
    with connect(**credentials(server, server.user("admin"))) as odoo:
        partner = create(odoo, "res.partner", {"name": f"Stays {suffix}"}).id
    office = Office(server, tmp_path, ["*.unlink"])
    person = Person(YES)
    async with (
        office.person("admin") as asks,
        office.person("demo", None, confirm=confirm, views=True) as alone,
        office.person("demo", person, confirm=confirm) as decides,
    ):
        waits = await call(asks, "odoo_core_unlink", model="res.partner", ids=[partner])
        given = {"approval": waits["details"]["approval"], "approve": True}
        ways: list[tuple[str, dict[str, Any]]] = [
            (DECIDE, given),
            (
                "odoo_core_batch",
                {"items": [{"tool": DECIDE, "arguments": given}], "allow_irreversible": True},
            ),
            (CALL, {"tool": DECIDE, "arguments": given}),
            (CONFIRM, {"tool": DECIDE, "arguments": given, "seal": "x"}),
        ]
        for tool, arguments in ways:
            answer = await alone.call_tool(tool, arguments)
            assert answer.is_error, answer
            refused = answer.structured_content or {}
            if tool == DECIDE:
                assert refused["code"] == "ACCESS_DENIED"
                assert "form mode" in refused["suggestion"]
                assert "ODOO_MCP_CONFIRM" not in refused["suggestion"]
            again = await call(asks, "odoo_core_unlink", model="res.partner", ids=[partner])
            assert again["code"] == "APPROVAL_NEEDED", tool
        decided = await call(decides, DECIDE, **given)
        assert decided["state"] == "approved"
        assert [f"Stays {suffix}" in question for question in person.asked] == [True]


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["demo", "admin"])
async def test_who_may_not_decide_is_not_shown_what_waits(
    server: Server, tmp_path: Path, suffix: str, name: str
) -> None:
    """Neither another user, nor the one who asked, is asked about it."""
    with connect(**credentials(server, server.user("admin"))) as odoo:
        partner = create(odoo, "res.partner", {"name": f"Stays {suffix}"}).id
    office, person = Office(server, tmp_path, ["*.unlink"]), Person(YES)
    async with office.person("admin", approvers=("admin",)) as asks:
        waits = await call(asks, "odoo_core_unlink", model="res.partner", ids=[partner])
        approval = waits["details"]["approval"]
        async with office.person(name, person, approvers=("admin",)) as other:
            refused = await call(other, DECIDE, approval=approval, approve=True)
    assert refused["code"] == "ACCESS_DENIED", refused
    assert person.asked == []
