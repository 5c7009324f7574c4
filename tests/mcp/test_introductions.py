"""On whose behalf a client works: said with its first answer, and by a tool."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit import connect, read
from tests.kit.mcp import mcp_server
from tests.live.conftest import server, suffix
from tests.live.servers import Server, credentials
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import ADMIN, FakeOdoo
from tests.mcp.texts import data_of

pytestmark = pytest.mark.anyio

__all__ = ["server", "suffix"]

COUNT = {"model": "res.partner"}


async def counted(client: Client, tool: str = "odoo_core_count") -> dict[str, Any]:
    result = await client.call_tool(tool, COUNT)
    assert result.structured_content is not None
    assert data_of(result) == result.structured_content
    return result.structured_content


async def test_the_first_answer_says_it(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    odoo.who = ADMIN
    async with Client(make_server(), mode=era) as client:
        await client.list_tools()
        first, second = await counted(client), await counted(client)
        await client.list_tools()
        third = await counted(client)

    assert (
        first["acting_as"].items()
        >= {
            "user": "Mitchell",
            "company": "My Company",
            "currency": "EUR",
            "language": "en_US",
        }.items()
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", first["acting_as"]["today"])
    assert "acting_as" not in second
    assert third["acting_as"] == first["acting_as"]
    assert odoo.methods() == ["search_count"] * 3


async def test_an_error_does_not_say_it(make_server: MakeServer, odoo: FakeOdoo) -> None:
    odoo.who = ADMIN
    async with Client(make_server()) as client:
        wrong = await client.call_tool("odoo_core_count", {"model": "res.partner", "domain": "x"})
        first = await counted(client)

    assert "acting_as" not in (wrong.structured_content or {})
    assert "acting_as" in first


async def test_what_may_not_be_read_is_left_out(make_server: MakeServer, odoo: FakeOdoo) -> None:
    async with Client(make_server()) as client:
        assert "acting_as" not in await counted(client)
    odoo.who = {"res.users": {**ADMIN["res.users"], "company_ids": [1, 4, 5]}}
    async with Client(make_server()) as client:
        told = (await counted(client))["acting_as"]

    assert (told["company"], told["companies"]) == ("My Company", 3)
    assert "currency" not in told


async def test_lists_of_models_close_it(make_server: MakeServer, odoo: FakeOdoo) -> None:
    odoo.who = ADMIN
    async with Client(make_server(model_blocklist=("res.users",))) as client:
        assert "acting_as" not in await counted(client)


async def test_closed_fields_are_left_out(make_server: MakeServer, odoo: FakeOdoo) -> None:
    odoo.who = ADMIN
    async with Client(make_server(field_blocklist=("currency_id",))) as client:
        told = (await counted(client))["acting_as"]

    assert told["company"] == "My Company"
    assert "currency" not in told


async def test_it_is_what_odoo_has(server: Server) -> None:
    user = server.user("admin")
    async with Client(mcp_server(server, user)) as client:
        result = await client.call_tool("odoo_core_get_user", {})
    told = result.structured_content or {}
    with connect(**credentials(server, user)) as odoo:
        (own,) = read(odoo, "res.users", [odoo.uid], ["name", "company_id", "company_ids"]).records
        company = own["company_id"]["id"]
        (row,) = read(odoo, "res.company", [company], ["currency_id"]).records

    assert (told["user"], told["company"]) == (own["name"], own["company_id"]["name"])
    assert told["currency"] == row["currency_id"]["name"]
    assert told.get("companies", 1) == len(own["company_ids"])
