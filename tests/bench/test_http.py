"""How long the list of tools takes while 200 calls are under way. Run by hand, as test_speed.py."""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.mcp.fake_odoo import FakeOdoo, environ_of
from tests.mcp.http_server import HttpClient
from tests.provisioning.ports import free_port

pytestmark = pytest.mark.bench

CALLS = 200

#: Seconds that this Odoo takes for an answer.
ODOO_TIME = 0.2


@pytest.mark.parametrize("era", ["auto", "legacy"], ids=["2026-07-28", "2025-11-25"])
def test_list_of_tools_does_not_wait_for_calls(era: str) -> None:
    """200 calls at once: all answered, and 19 of 20 lists in less than 100 ms meanwhile.

    The slowest is the one that arrives together with all the calls.
    """
    odoo = FakeOdoo().start()
    never = threading.Event()

    def count(args: list[Any], kwargs: dict[str, Any]) -> int:
        never.wait(ODOO_TIME)
        domain = kwargs.get("domain") or args[0]
        return int(domain[0][2])

    odoo.answers["res.partner", "search_count"] = count
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "odoo_toolkit_mcp", "--transport", "http", "--port", str(port)],
        env={**environ_of(odoo), "ODOO_MCP_LOG_LEVEL": "info"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("Serving MCP at" in line for line in iter(process.stderr.readline, ""))
    client = HttpClient(port)

    def call(number: int) -> bool:
        arguments = {"model": "res.partner", "domain": [["id", "=", number]]}
        result = client.call(era, "odoo_core_count", arguments)
        return bool(result["structuredContent"]["count"] == number)

    assert call(1)
    taken = []
    with ThreadPoolExecutor(CALLS) as threads:
        started = time.perf_counter()
        answers = [threads.submit(call, number) for number in range(CALLS)]
        while not all(answer.done() for answer in answers):
            begun = time.perf_counter()
            assert client.post(era, "tools/list").status == 200
            taken.append((time.perf_counter() - begun) * 1000)
        total = time.perf_counter() - started
        assert all(answer.result() for answer in answers)
    process.terminate()
    process.wait(20)
    process.stderr.close()
    odoo.stop()
    *_, most = statistics.quantiles(taken, n=20)
    print(
        f"\n{CALLS} calls in {total:.1f} s ({CALLS * ODOO_TIME / total:.1f} of Odoo's at a time);"
        f" {len(taken)} lists, median {statistics.median(taken):.0f} ms,"
        f" 19 of 20 in {most:.0f} ms, slowest {max(taken):.0f} ms"
    )
    assert most < 100
