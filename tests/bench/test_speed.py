"""Ratios and differences measured in one run, alternating, so that a busy machine is no excuse.

Where processes are started the quickest runs are compared: whatever else the machine does only
ever adds to them. Run by hand: ``pytest tests/bench -m bench -s``.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable

import pytest
import requests

from tests.bench.calls import BARE
from tests.bench.timing import alternate
from tests.mcp.fake_odoo import DATABASE, PASSWORD, FakeOdoo, environ_of
from tests.mcp.stdio_client import SERVER, StdioClient

pytestmark = pytest.mark.bench


def test_tool_call_costs_at_most_three_milliseconds_more_than_the_request() -> None:
    """A call over stdio, against the same request sent by requests to the same Odoo."""
    odoo = FakeOdoo().start()
    session = requests.Session()
    fields = ["name", "email"]
    call = {
        "service": "object",
        "method": "execute_kw",
        "args": [
            DATABASE,
            2,
            PASSWORD,
            "res.partner",
            "search_read",
            [[], fields, 0, 20],
            {"context": {"lang": "en_US", "tz": "UTC"}},
        ],
    }

    def plain() -> None:
        body = {"jsonrpc": "2.0", "method": "call", "params": call, "id": 1}
        assert session.post(f"{odoo.url}/jsonrpc", json=body).json()["result"]

    with StdioClient(environ_of(odoo)) as client:
        client.initialize()

        def tool() -> None:
            result = client.call(
                "odoo_core_search_read", model="res.partner", fields=fields, limit=20
            )
            assert not result["isError"]

        alternate(20, plain, tool)
        request_ms, tool_ms = map(statistics.median, alternate(300, plain, tool))
    odoo.stop()
    print(f"\nrequest {request_ms:.2f} ms, tool {tool_ms:.2f} ms, +{tool_ms - request_ms:.2f} ms")
    assert tool_ms - request_ms <= 3


def test_initialize_takes_at_most_a_fifth_longer_than_a_bare_server() -> None:
    """From starting the process to the answer."""
    environ = environ_of(FakeOdoo())

    def start(command: tuple[str, ...]) -> None:
        client = StdioClient(environ, command)
        client.initialize()
        # What the server does after its answer must not count.
        client.process.kill()
        client.close()

    bare, ours = map(min, alternate(15, lambda: start(BARE), lambda: start(SERVER)))
    print(f"\nbare {bare:.0f} ms, ours {ours:.0f} ms, ratio {ours / bare:.3f}")
    assert ours / bare <= 1.2


def test_importing_the_library_costs_little() -> None:
    """At most 150 ms over starting Python."""

    def run(code: str) -> Callable[[], None]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True) and None

    nothing, library = map(min, alternate(15, run("pass"), run("import odoo_toolkit")))
    print(f"\npython {nothing:.0f} ms, with odoo_toolkit {library:.0f} ms")
    assert library - nothing <= 150
