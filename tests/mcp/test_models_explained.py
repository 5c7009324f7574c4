"""What a model is told of a model of Odoo: the fields that it asks for, and a guide."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from tests.kit.mcp import error_of, mcp_server
from tests.live.conftest import server, suffix
from tests.live.servers import Server
from tests.mcp.conftest import MakeServer

pytestmark = pytest.mark.anyio

__all__ = ["server", "suffix"]

FIELDS = "odoo_core_fields_get"


async def fields(client: Client, **asked: Any) -> dict[str, Any]:
    result = await client.call_tool(FIELDS, {"model": "res.partner", **asked})
    assert not result.is_error, result.structured_content
    assert result.structured_content["field_count"] == len(result.structured_content["fields"])
    found: dict[str, Any] = result.structured_content["fields"]
    return found


async def test_fields_by_name_and_by_words(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        named = await fields(client, names=["name", "country_id"])
        by_words = await fields(client, words="Country")
        both = await fields(client, names=["name", "country_id"], words="COUNTRY")
        none = await fields(client, words="zzzz")
        one_of_two = await fields(client, words="country zzzz")

    assert list(named) == ["country_id", "name"]
    assert "country_id" in by_words
    assert len(by_words) < 5
    assert set(both) == {"country_id"}
    assert none == {}
    assert one_of_two == by_words


async def test_a_field_that_is_not_there(make_server: MakeServer) -> None:
    asked = {"model": "res.partner", "names": ["contry_id"]}
    async with Client(make_server()) as client:
        error = error_of(await client.call_tool(FIELDS, asked))

    assert error["code"] == "INVALID_FIELD"
    assert error["details"]["did_you_mean"][0] == "country_id"


async def test_fields_beside_one_that_is_not_there_are_returned(make_server: MakeServer) -> None:
    asked = {"model": "res.partner", "names": ["name", "contry_id"]}
    async with Client(make_server()) as client:
        result = await client.call_tool(FIELDS, asked)
    found = result.structured_content or {}

    assert list(found["fields"]) == ["name"]
    assert "country_id" in found["warnings"][0]


async def test_a_closed_field_is_not_listed_and_told_as_closed(make_server: MakeServer) -> None:
    settings = {"field_blocklist": ("country_id",)}
    async with Client(make_server(**settings)) as client:
        by_words = await fields(client, words="country")
        asked = {"model": "res.partner", "names": ["country_id"]}
        error = error_of(await client.call_tool(FIELDS, asked))

    assert "country_id" not in by_words
    assert error["code"] == "FIELD_BLOCKED"


async def test_the_guide_is_that_of_the_prompt(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(mark_data=False), mode=era) as client:
        result = await client.call_tool("odoo_core_explain_model", {"model": "res.partner"})
        prompt = await client.get_prompt("odoo_model_guide", {"model_name": "res.partner"})

    assert result.structured_content["guide"].startswith("# Guide: res.partner")
    assert result.structured_content["guide"] == getattr(prompt.messages[0].content, "text", "")


async def test_what_a_new_record_must_be_given(server: Server) -> None:
    """Odoo itself creates a record with no more than that, and none with less."""
    served = mcp_server(server, server.user("admin"))
    async with Client(served) as client:
        lead = await client.call_tool(FIELDS, {"model": "res.country", "must_give": True})
        move = await client.call_tool(FIELDS, {"model": "account.move", "must_give": True})
        guide = await client.call_tool(
            "odoo_core_explain_model", {"model": "res.country", "new": True}
        )

    assert not lead.is_error, lead.structured_content
    assert set((lead.structured_content or {})["fields"]) <= {"name", "code"}
    assert "name" in (lead.structured_content or {})["fields"]
    # The journal is required, and computed.
    assert "journal_id" not in (move.structured_content or {})["fields"]
    assert "`name`" in (guide.structured_content or {})["guide"].partition("## Required")[0]
