"""The rate limit as a client meets it."""

import pytest
from mcp import Client

from tests.kit.mcp import error_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = pytest.mark.anyio


async def test_too_many_calls_are_refused_before_odoo_is_asked(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    server = make_server(rate_limit=True, rate_limit_burst=2, rate_limit_rpm=1)
    async with Client(server, mode=era) as client:
        results = [
            await client.call_tool("odoo_core_count", {"model": "res.partner"}) for _ in range(3)
        ]

    assert [result.is_error for result in results] == [False, False, True]
    assert error_of(results[2])["code"] == "RATE_LIMITED"
    assert error_of(results[2])["details"]["retry_after"] > 0
    assert odoo.methods() == ["search_count"] * 2


async def test_wrong_arguments_cost_nothing(make_server: MakeServer, era: str) -> None:
    """A model that mends its call is not punished for having made a mistake."""
    async with Client(make_server(rate_limit=True, rate_limit_burst=1), mode=era) as client:
        await client.call_tool("odoo_core_count", {})
        result = await client.call_tool("odoo_core_count", {"model": "res.partner"})

    assert not result.is_error
