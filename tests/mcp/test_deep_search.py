"""The tool odoo_core_deep_search: how deep it goes, and what its answer looks like."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("settings", "arguments", "depth"),
    [
        ({}, {"model": "res.partner"}, 3),
        ({"deep_search_depth": 2}, {"model": "res.partner"}, 2),
        ({"deep_search_depth": 2}, {"model": "res.partner", "max_depth": 1}, 1),
        ({"deep_search_depth": 1}, {}, 5),
    ],
)
async def test_depth_is_that_of_the_call_then_of_the_settings(
    make_server: MakeServer,
    odoo: FakeOdoo,
    settings: dict[str, int],
    arguments: dict[str, Any],
    depth: int,
) -> None:
    """Without a model it goes to the end."""
    odoo.answers["res.partner", "search_read"] = lambda args, kwargs: []
    async with Client(make_server(**settings)) as client:
        result = await client.call_tool("odoo_core_deep_search", {"query": "zzz", **arguments})

    assert result.structured_content is not None
    assert max(entry["level"] for entry in result.structured_content["search_log"]) == depth
    assert result.structured_content["results"] == {}


async def test_what_was_not_looked_at_reaches_the_client(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        result = await client.call_tool("odoo_core_deep_search", {"query": "company"})

    assert result.structured_content is not None
    log = result.structured_content["search_log"]
    assert {"searched": False, "results_found": 0}.items() <= log[1].items()
    assert "cannot read" in log[1]["notes"][0]
    assert result.structured_content["suggestions"]


async def test_empty_query_is_an_error_that_says_what_to_do(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    async with Client(make_server()) as client:
        result = await client.call_tool("odoo_core_deep_search", {"query": " "})

    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["code"] == "VALIDATION_ERROR"
    assert result.structured_content["suggestion"]
    assert odoo.methods() == []
