"""Each core tool, from the client's call to what reaches Odoo and back, in both eras."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError

from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import CountResult
from tests.kit.core_calls import CALLS
from tests.kit.mcp import error_of, toolset
from tests.mcp import list_sizes
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import ADMIN, FakeOdoo
from tests.mcp.texts import as_shown, data_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("tool", CALLS)
async def test_tool_answers(make_server: MakeServer, odoo: FakeOdoo, era: str, tool: str) -> None:
    """Structured content and text are the same object, with what Odoo answered."""
    odoo.who = ADMIN
    arguments, expected = CALLS[tool]
    async with Client(make_server(mode="full"), mode=era) as client:
        result = await client.call_tool(tool, arguments)

    assert not result.is_error
    assert expected.items() <= result.structured_content.items()
    assert data_of(result) == result.structured_content


async def test_every_core_tool_is_tried(make_server: MakeServer, era: str) -> None:
    """The table above has all tools, so that a new one cannot go untested."""
    async with Client(make_server(mode="full"), mode=era) as client:
        listed = await client.list_tools()

    assert {tool.name for tool in listed.tools} == set(CALLS)


def test_names_and_descriptions_fit_the_limits_of_clients() -> None:
    """With a server's prefix of 28 characters, names stay within the 64 that clients take."""
    tools = list_sizes.table("full").tools.values()

    assert [tool.name for tool in tools if len(tool.name) > 36] == []
    assert [tool.name for tool in tools if len(tool.description) > 1000] == []
    undescribed = [
        f"{tool.name}.{name}"
        for tool in tools
        for name, schema in tool.input_schema["properties"].items()
        if not schema.get("description")
    ]
    assert undescribed == []


async def test_unknown_argument_is_refused_by_name(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """A misspelt argument is never dropped: a lost filter would give every record."""
    async with Client(make_server(), mode=era) as client:
        result = await client.call_tool(
            "odoo_core_search_read", {"model": "res.partner", "domian": [["id", "=", 1]]}
        )

    error = error_of(result)
    assert error["code"] == "VALIDATION_ERROR"
    assert "domian" in error["message"]
    assert "did you mean domain?" in error["message"]
    assert odoo.calls == []


async def test_all_mistakes_are_told_at_once(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(), mode=era) as client:
        result = await client.call_tool("odoo_core_read", {"ids": [1, "x"], "fields": {}})

    assert error_of(result)["details"]["problems"] == [
        "model is missing",
        "fields must be a list, not an object",
        'ids.1 must be a whole number, not the text "x"',
    ]


async def test_unknown_tool_is_a_protocol_error(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError, match="Unknown tool: odoo_core_serch_read") as raised:
            await client.call_tool("odoo_core_serch_read", {})

    assert raised.value.code == -32602


async def test_limit_above_the_maximum_is_lowered(make_server: MakeServer, era: str) -> None:
    """The maximum is advertised, yet asking for more gives the most there is, not an error."""
    async with Client(make_server(search_max_limit=200), mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool(
            "odoo_core_search_read", {"model": "res.partner", "limit": 5000}
        )

    assert tools["odoo_core_search_read"].input_schema["properties"]["limit"]["maximum"] == 200
    assert result.structured_content["limit"] == 200


async def test_default_limit_comes_from_the_settings(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(search_limit=2), mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("odoo_core_search_read", {"model": "res.partner"})

    assert tools["odoo_core_search_read"].input_schema["properties"]["limit"]["default"] == 2
    assert len(result.structured_content["records"]) == 2


async def test_null_counts_as_left_out(make_server: MakeServer, era: str) -> None:
    """Models often write null for an optional argument that they do not want to give."""
    async with Client(make_server(), mode=era) as client:
        result = await client.call_tool(
            "odoo_core_search_read",
            {"model": "res.partner", "order": None, "limit": None, "context": None},
        )

    assert not result.is_error


async def test_error_of_odoo_becomes_an_error_object(make_server: MakeServer, era: str) -> None:
    """What Odoo refuses is a result the model can act upon, without Odoo's traceback."""
    async with Client(make_server(mode="full"), mode=era) as client:
        result = await client.call_tool(
            "odoo_core_write", {"model": "res.partner", "ids": [999], "values": {"name": "x"}}
        )

    error = error_of(result)
    assert error["error"] is True
    assert error["code"] == "NOT_FOUND"
    assert error["suggestion"]
    assert "Traceback" not in json.dumps(error)


def explode(odoo: Odoo) -> CountResult:
    """Raise what nobody expected."""
    raise RuntimeError("the password is swordfish")


async def test_unforeseen_exception_keeps_its_text(
    make_server: MakeServer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug gives UNKNOWN_ERROR; what the exception says may be anything and stays here."""
    with caplog.at_level("INFO"):
        async with Client(make_server(toolsets=[toolset(explode)]), mode=era) as client:
            result = await client.call_tool("odoo_test_work", {})

    assert error_of(result)["code"] == "UNKNOWN_ERROR"
    assert "swordfish" not in json.dumps(error_of(result))
    assert "UNKNOWN_ERROR" in caplog.text
    assert "swordfish" not in caplog.text


async def test_structured_errors_fit_the_advertised_schema(
    make_server: MakeServer, era: str
) -> None:
    """Clients that hold errors against outputSchema must not stumble over them."""
    from jsonschema import Draft202012Validator

    async with Client(make_server(mode="full"), mode=era) as client:
        for tool in (await client.list_tools()).tools:
            result = await client.call_tool(tool.name, {"no_such_argument": 1})
            assert tool.output_schema is not None
            Draft202012Validator(tool.output_schema).validate(error_of(result))


async def test_complete_list_may_be_kept_by_the_client(make_server: MakeServer) -> None:
    """Until Odoo has answered the list may change any moment; then it is good for a while."""
    async with Client(make_server(), mode="auto") as client:
        first = await client.list_tools(cache_mode="bypass")
        await client.call_tool("odoo_core_count", {"model": "res.partner"})
        second = await client.list_tools(cache_mode="bypass")

    assert first.ttl_ms == 0
    assert second.ttl_ms == 300_000
    assert second.cache_scope == "private"


# The rate limit -----------------------------------------------------------------------------------


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


# Searching by words -------------------------------------------------------------------------------


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

    assert max(entry["level"] for entry in result.structured_content["search_log"]) == depth
    assert result.structured_content["results"] == {}


async def test_what_was_not_looked_at_reaches_the_client(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        result = await client.call_tool("odoo_core_deep_search", {"query": "company"})

    log = result.structured_content["search_log"]
    assert {"searched": False, "results_found": 0}.items() <= log[1].items()
    assert "cannot read" in log[1]["notes"][0]
    assert result.structured_content["suggestions"]


# Whatever JSON a client sends ---------------------------------------------------------------------


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["res.partner", "name", "id", "=", "in", "|", "&", "!", "*", "any", "write"]),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=12,
)
NAMES = sorted({name for arguments, _ in CALLS.values() for name in arguments} | {"kwargs", "x"})


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, and arguments of which some may be right and some are anything."""
    tool = draw(st.sampled_from(sorted(CALLS)))
    right = draw(st.booleans())
    arguments = dict(CALLS[tool][0]) if right else {}
    return tool, arguments | draw(
        st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), JSON, max_size=4)
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_no_input_breaks_a_tool(make_server: MakeServer, mode: str) -> None:
    """Never a protocol error, and never an error that nobody foresaw."""
    server = make_server(mode="full")

    async def run(examples: list[tuple[str, dict[str, Any]]]) -> None:
        async with Client(server, mode=mode) as client:
            for tool, arguments in examples:
                result = await client.call_tool(tool, arguments)
                data = result.structured_content
                assert data is not None
                assert data_of(result) == as_shown(data)
                if result.is_error:
                    assert {"error", "code", "message", "suggestion"} <= data.keys()
                    assert data["code"] != "UNKNOWN_ERROR", (tool, arguments)

    @settings(
        max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    @given(st.lists(calls(), min_size=5, max_size=5))
    def check(examples: list[tuple[str, dict[str, Any]]]) -> None:
        anyio.run(run, examples)

    check()
