"""Whatever JSON a client sends, a tool answers with a result or an error object."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from tests.kit.core_calls import CALLS
from tests.mcp.conftest import MakeServer
from tests.mcp.texts import as_shown, data_of

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
        async with Client(server, mode=mode) as client:  # type: ignore[arg-type]
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
