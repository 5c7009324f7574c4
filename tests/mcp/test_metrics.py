"""What the HTTP server tells Prometheus, and to whom."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from odoo_toolkit_mcp.metrics import Metrics
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import LOGIN, PASSWORD, FakeOdoo, FaultError
from tests.mcp.http_server import Answer, RunningServer

COUNT = ("odoo_core_count", {"model": "res.partner"})
WRITE = ("odoo_core_write", {"model": "res.partner", "ids": [1], "values": {"phone": "1"}})
TOKEN = "a-token-of-sufficient-length"
OTHER = "another-token-of-sufficient-length"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(served: RunningServer, **headers: str) -> Samples:
    """Return what the metrics are now, read by Prometheus' own parser."""
    answer = served.get("/metrics", **headers)
    assert answer.status == 200, answer
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((f"odoo_mcp_{name}", frozenset(labels.items())))


def labels_of(found: Samples, label: str) -> set[str]:
    return {dict(labels)[label] for _, labels in found if label in dict(labels)}


def test_calls_are_counted_by_tool_and_outcome(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http")) as served:
        served.call(era, *COUNT)
        served.call(era, *COUNT)
        served.call(era, COUNT[0], {"model": "no.such.model"})
        found = samples(served)

    tool = {"tool": "odoo_core_count"}
    assert value(found, "tool_calls_total", **tool, outcome="success") == 2
    assert value(found, "tool_calls_total", **tool, outcome="error") == 1
    assert value(found, "errors_total", method="tools/call", code="ACCESS_DENIED") == 1
    assert value(found, "tool_duration_seconds_count", **tool) == 3
    assert value(found, "tool_duration_seconds_bucket", **tool, le="+Inf") == 3
    seconds = value(found, "tool_duration_seconds_sum", **tool)
    odoo = value(found, "odoo_call_duration_seconds_sum", access="read")
    assert seconds is not None
    assert odoo is not None
    assert 0 < odoo < seconds


def test_calls_to_odoo_are_counted_by_kind_with_their_errors(
    odoo: FakeOdoo, make_server: MakeServer, era: str
) -> None:
    def refuse(args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise FaultError({"data": {"name": "odoo.exceptions.UserError", "message": "Taken."}})

    with RunningServer(make_server(transport="http", mode="full")) as served:
        served.call(era, *WRITE)
        before = samples(served)
        odoo.answers["res.partner", "write"] = refuse
        served.call(era, *WRITE)
        after = samples(served)

    assert value(before, "odoo_call_duration_seconds_count", access="write") == 1
    assert value(before, "odoo_call_errors_total", code="USER_ERROR") is None
    assert value(after, "odoo_call_duration_seconds_count", access="write") == 2
    assert value(after, "odoo_call_errors_total", code="USER_ERROR") == 1
    assert value(after, "errors_total", method="tools/call", code="USER_ERROR") == 1


def test_names_that_clients_make_up_are_one_label(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http")) as served:
        for name in ("nothing", "x" * 5000, 'a"b', "odoo_core_counts"):
            served.post(era, "tools/call", {"name": name, "arguments": {}})
        for name in (1, None, ["odoo_core_count"], {}):
            served.post(era, "tools/call", {"name": name}, Mcp_Name="x")
        for method in ("made/up", "also/made/up"):
            served.post(era, method)
        found = samples(served)

    unknown = value(found, "tool_calls_total", tool="unknown", outcome="error")
    assert unknown is not None
    assert unknown >= 4
    assert labels_of(found, "tool") == {"unknown"}
    assert value(found, "requests_under_way", method="unknown") == 0
    assert labels_of(found, "method") == {"unknown", "tools/call"}
    assert labels_of(found, "code") == {"INVALID_REQUEST"}


def test_tools_that_the_mode_hides_are_told_by_name(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http", mode="readonly")) as served:
        served.call(era, *WRITE)
        found = samples(served)

    assert value(found, "tool_calls_total", tool=WRITE[0], outcome="error") == 1
    assert value(found, "errors_total", method="tools/call", code="MODE_VIOLATION") == 1


def test_errors_of_resources_are_counted(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http")) as served:
        uri = "odoo://record/res.partner/999"
        answer = served.post(era, "resources/read", {"uri": uri}, Mcp_Name=uri)
        found = samples(served)

    code = answer.message["error"]["data"]["code"]
    assert value(found, "errors_total", method="resources/read", code=code) == 1


def test_question_to_the_person_is_no_success(make_server: MakeServer) -> None:
    """The request ends with the question; the answer comes with another one."""
    delete = {"model": "res.partner", "ids": [9]}
    params = {"name": "odoo_core_unlink", "arguments": delete}
    capable = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
    with RunningServer(make_server(transport="http", mode="full")) as served:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", **capable}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        answer = post(served, {**body, "params": {**params, "_meta": meta}})
        found = samples(served)

    assert answer.message["result"]["resultType"] == "input_required"
    labels = {"tool": "odoo_core_unlink", "outcome": "question"}
    assert value(found, "tool_calls_total", **labels) == 1


def post(served: RunningServer, body: dict[str, Any]) -> Answer:
    """Send a request of the newer revision as it is."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": body["method"],
        "Mcp-Name": body["params"]["name"],
    }
    connection.request("POST", served.path, json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return Answer(response.status, dict(response.getheaders()), text)


def test_requests_under_way_are_told_while_they_are(
    odoo: FakeOdoo, make_server: MakeServer, era: str
) -> None:
    began, finish = threading.Event(), threading.Event()
    count = odoo.answers["res.partner", "search_count"]

    def slow(args: list[Any], kwargs: dict[str, Any]) -> Any:
        began.set()
        finish.wait(120)
        return count(args, kwargs)

    odoo.answers["res.partner", "search_count"] = slow
    with RunningServer(make_server(transport="http")) as served:
        connection = served.send(era, "tools/call", {"name": COUNT[0], "arguments": COUNT[1]})
        assert began.wait(60)
        during = samples(served)
        finish.set()
        connection.getresponse().read()
        connection.close()
        after = samples(served)

    assert value(during, "requests_under_way", method="tools/call") == 1
    assert value(during, "tool_calls_total", tool=COUNT[0], outcome="success") is None
    assert value(after, "requests_under_way", method="tools/call") == 0


@pytest.mark.anyio
@pytest.mark.parametrize("answer", [None, {"content": [], "isError": True}])
async def test_request_that_the_client_gave_up_is_no_error(
    make_server: MakeServer, answer: dict[str, Any] | None
) -> None:
    """Stopped on the event loop, or at a checkpoint of the work."""
    server = make_server(transport="http")
    metrics = Metrics(server)
    server.offered.ensure()
    ctx: Any = SimpleNamespace(method="tools/call", params={"name": COUNT[0]}, request_id=1)

    async def stopped(_: object) -> Any:
        scope.cancel()
        return answer or await anyio.sleep_forever()

    with anyio.CancelScope() as scope:
        await metrics.watch(ctx, stopped)
    text = metrics.text().decode()

    assert 'odoo_mcp_tool_calls_total{outcome="cancelled",tool="odoo_core_count"} 1.0' in text
    assert "odoo_mcp_errors_total{" not in text
    assert 'odoo_mcp_requests_under_way{method="tools/call"} 0.0' in text


def test_connections_are_told_by_state(odoo: FakeOdoo, make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http")) as served:
        unused = samples(served)
        served.call(era, *COUNT)
        opened = samples(served)
        odoo.stop()
        served.call(era, *COUNT)
        failed = samples(served)

    assert value(unused, "odoo_connections", state="unused") == 1
    assert value(opened, "odoo_connections", state="open") == 1
    assert value(opened, "odoo_connections", state="error") == 0
    assert value(failed, "odoo_connections", state="error") == 1
    assert value(failed, "odoo_connections", state="open") == 0


def test_connections_of_users_are_counted(make_server: MakeServer, era: str) -> None:
    """The server's own serves to learn which toolsets there are, here none that asks Odoo."""
    server = make_server(transport="http", credential_headers=True)
    with RunningServer(server) as served:
        served.call(era, *COUNT, X_Odoo_Username=LOGIN, X_Odoo_Api_Key=PASSWORD)
        served.call(era, *COUNT, X_Odoo_Username=LOGIN, X_Odoo_Api_Key="wrong")
        answer = served.get("/metrics")
        found = samples(served)

    assert value(found, "odoo_connections", state="open") == 1
    assert value(found, "odoo_connections", state="error") == 1
    assert PASSWORD not in answer.text
    assert LOGIN not in answer.text


def test_rate_limits_are_counted(make_server: MakeServer, era: str) -> None:
    limits = {"rate_limit": True, "rate_limit_burst": 1, "rate_limit_rpm": 1}
    with RunningServer(make_server(transport="http", **limits)) as served:
        before = samples(served)
        for _ in range(3):
            served.call(era, *COUNT)
        after = samples(served)

    assert value(before, "rate_limited_total", access="read") == 0
    assert value(after, "rate_limited_total", access="read") == 2
    assert value(after, "rate_limited_total", access="write") == 0
    assert value(after, "errors_total", method="tools/call", code="RATE_LIMITED") == 2


def test_metrics_tell_version_mode_and_nothing_secret(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http", mode="restricted")) as served:
        served.call(era, *COUNT)
        served.call(era, COUNT[0], {"model": PASSWORD})
        answer = served.get("/metrics")

    assert 'mode="restricted"' in answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert PASSWORD not in answer.text
    assert "res.partner" not in answer.text


# Who may read them.


def test_metrics_need_the_token_of_the_server(make_server: MakeServer) -> None:
    with RunningServer(make_server(transport="http", auth_token=TOKEN)) as served:
        assert served.get("/metrics").status == 401
        assert served.get("/metrics", Authorization=f"Bearer {OTHER}").status == 401
        assert samples(served, Authorization=f"Bearer {TOKEN}")


def test_the_token_of_the_metrics_opens_nothing_else(make_server: MakeServer, era: str) -> None:
    """Whoever watches the server need not be able to use it; nor the other way round."""
    server = make_server(transport="http", auth_token=TOKEN, metrics_token=OTHER)
    with RunningServer(server) as served:
        assert samples(served, Authorization=f"Bearer {OTHER}")
        assert served.get("/metrics", Authorization=f"Bearer {TOKEN}").status == 401
        assert served.get("/metrics").status == 401
        refused = served.post(era, "tools/list", Authorization=f"Bearer {OTHER}")
        assert refused.status == 401
        assert served.post(era, "tools/list", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "mcp.example.com"},
        {"Host": "127.0.0.1.example.com"},
        {"Host": "[::1"},
        {"X_Forwarded_For": "192.0.2.1"},
    ],
    ids=["through a proxy", "rebound name", "no name", "for another machine"],
)
def test_without_a_token_metrics_are_for_this_machine(
    make_server: MakeServer, headers: dict[str, str]
) -> None:
    server = make_server(transport="http", allowed_hosts="mcp.example.com")
    with RunningServer(server) as served:
        refused = served.get("/metrics", **headers)
        assert samples(served, Host="localhost")

    assert refused.status == 403
    assert "ODOO_MCP_METRICS_TOKEN" in refused.text


def test_the_endpoint_cannot_take_the_place_of_the_metrics(make_server: MakeServer) -> None:
    with pytest.raises(AssertionError, match="/metrics"):
        make_server(transport="http", path="/metrics")


def test_over_stdio_nothing_of_it_is_imported() -> None:
    root = Path(__file__).parents[2]
    code = (
        "import sys, odoo_toolkit_mcp.server, odoo_toolkit_mcp.cli;"
        "print([m for m in sys.modules if 'prometheus' in m or m == 'odoo_toolkit_mcp.metrics'])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("installed", [True, False])
def test_spans_are_made_where_the_sdk_of_opentelemetry_is(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    found = object() if installed else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    kinds = [type(each).__name__ for each in make_server().middleware]
    assert ("OpenTelemetryMiddleware" in kinds) is installed
