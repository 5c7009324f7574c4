"""MCP over streamable HTTP: both eras, many clients at once, bad requests, the end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit.configuration import load
from odoo_toolkit_mcp.settings import ServerSettings
from tests.kit.mcp import HANDSHAKE
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import DATABASE, LOGIN, PASSWORD, FakeOdoo
from tests.mcp.http_server import HttpClient, RunningServer
from tests.provisioning.ports import free_port

pytestmark = pytest.mark.every_era

COUNT = ("odoo_core_count", {"model": "res.partner"})


@pytest.fixture
def served(make_server: MakeServer) -> Iterator[RunningServer]:
    with RunningServer(make_server(transport="http")) as running:
        yield running


def problems_of(**settings: Any) -> str:
    return " ".join(load(ServerSettings, {"transport": "http", **settings}, environ={})[1])


@pytest.mark.anyio
async def test_sdk_client_over_http(served: RunningServer, era: str) -> None:
    async with Client(served.url, mode=era) as client:
        tools = await client.list_tools()
        found = await client.call_tool(*COUNT)

    assert "odoo_core_count" in {tool.name for tool in tools.tools}
    assert found.structured_content["count"] == 3


def test_any_process_answers_any_request(make_server: MakeServer, era: str) -> None:
    """No request needs what an earlier one left behind."""
    with (
        RunningServer(make_server(transport="http")) as one,
        RunningServer(make_server(transport="http")) as other,
    ):
        listed = one.post(era, "tools/list")
        result = other.call(era, *COUNT)

    assert "Mcp-Session-Id" not in {name.title() for name in listed.headers}
    assert result["structuredContent"]["count"] == 3


def test_sessions_are_kept_when_asked_for(make_server: MakeServer) -> None:
    """The handshake era then has a session, which its requests have to name."""
    with RunningServer(make_server(transport="http", stateless=False)) as served:
        answer = served.post("legacy", "initialize", HANDSHAKE)
        session = {name.lower(): value for name, value in answer.headers.items()}["mcp-session-id"]
        known = served.post("legacy", "tools/list", Mcp_Session_Id=session)
        unknown = served.post("legacy", "tools/list", Mcp_Session_Id="0" * 32)

    assert known.status == 200
    assert unknown.status == 404


@pytest.mark.parametrize("stateless", [True, False])
def test_notifications_are_promised_only_where_they_can_be_sent(
    make_server: MakeServer, stateless: bool
) -> None:
    with RunningServer(make_server(transport="http", stateless=stateless)) as served:
        told = served.post("legacy", "initialize", HANDSHAKE).message["result"]["capabilities"]

    assert told["tools"]["listChanged"] is not stateless
    assert told["resources"]["subscribe"] is not stateless


def test_200_calls_at_once_are_all_answered_rightly(
    odoo: FakeOdoo, served: RunningServer, era: str
) -> None:
    """None lost, none mixed up; and the list of tools does not wait for them."""
    busy, finish = threading.Event(), threading.Event()

    def count(args: list[Any], kwargs: dict[str, Any]) -> int:
        busy.set()
        assert finish.wait(240)
        domain = kwargs.get("domain") or args[0]
        return int(domain[0][2])

    served.call(era, *COUNT)
    odoo.answers["res.partner", "search_count"] = count

    def call(number: int) -> int:
        arguments = {"model": "res.partner", "domain": [["id", "=", number]]}
        result = served.call(era, "odoo_core_count", arguments)
        return int(result["structuredContent"]["count"])

    with ThreadPoolExecutor(200) as threads:
        answers = [threads.submit(call, number) for number in range(1, 201)]
        try:
            assert busy.wait(120)
            listed = served.post(era, "tools/list")
            early = [answer.exception() or answer.result() for answer in answers if answer.done()]
        finally:
            finish.set()
        counts = [answer.result() for answer in answers]

    assert listed.status == 200
    assert early == []
    assert counts == list(range(1, 201))


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost@evil", ""]
)
def test_foreign_host_is_refused(served: RunningServer, era: str, host: str) -> None:
    assert served.post(era, "tools/list", Host=host).status == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"]
)
def test_foreign_web_page_is_refused(served: RunningServer, era: str, origin: str) -> None:
    assert served.post(era, "tools/list", Origin=origin).status == 403


@pytest.mark.parametrize("host", ["mcp.example.com", "mcp.example.com:443", "localhost:1"])
def test_allowed_host_is_served_behind_a_proxy(
    make_server: MakeServer, era: str, host: str
) -> None:
    server = make_server(transport="http", allowed_hosts="mcp.example.com")
    with RunningServer(server) as served:
        assert served.post(era, "tools/list", Host=host).status == 200
        assert served.post(era, "tools/list", Host="other.example.com").status == 421


def test_allowed_web_page_is_served(make_server: MakeServer, era: str) -> None:
    """Its browser asks first, without a token, and may read the answer."""
    page = "https://chat.example.com"
    server = make_server(
        transport="http", allowed_origins=page, auth_token="a-token-of-sufficient-length"
    )
    with RunningServer(server) as served:
        connection = served.send(
            era, "tools/list", Origin=page, Authorization="Bearer a-token-of-sufficient-length"
        )
        response = connection.getresponse()
        status, allowed = response.status, response.getheader("Access-Control-Allow-Origin")
        connection.close()
        connection = served.send(era, "tools/list")
        connection.getresponse().read()
        connection.request(
            "OPTIONS",
            served.path,
            headers={
                "Origin": page,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,mcp-method",
            },
        )
        preflight = connection.getresponse()
        preflight.read()
        connection.close()

    assert (status, allowed) == (200, page)
    assert preflight.status == 200
    assert preflight.getheader("Access-Control-Allow-Origin") == page


def test_body_over_the_limit_is_refused(make_server: MakeServer, era: str) -> None:
    """Told at once, or announced as endless."""
    with RunningServer(make_server(transport="http", max_body_mb=1)) as served:
        large = {"name": COUNT[0], "arguments": {"model": "x" * 1_100_000}}
        assert served.post(era, "tools/call", large).status == 413
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        with socket.create_connection(("127.0.0.1", served.port), timeout=120) as raw:
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost:{served.port}\r\n"
            head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            raw.sendall(head.encode() + chunk + chunk)
            assert raw.recv(100).startswith(b"HTTP/1.1 413")
        assert served.post(era, "tools/list").status == 200


def test_upload_of_the_largest_attachment_fits() -> None:
    settings = ServerSettings(attachment_max_mb=12)

    assert settings.max_body_bytes > 12 * 1024 * 1024 * 4 / 3
    assert ServerSettings(max_body_mb=3).max_body_bytes == 3 * 1024 * 1024


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000, b"1e999"])
def test_body_that_is_no_request_is_refused(served: RunningServer, era: str, body: bytes) -> None:
    """Never 500, and the server goes on."""
    connection = served.send(era, "tools/list")
    sent = connection.getresponse()
    sent.read()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28" if era == "auto" else "2025-11-25",
    }
    connection.request("POST", served.path, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()

    assert response.status == 400
    assert "Traceback" not in text
    assert served.post(era, "tools/list").status == 200


def test_client_that_vanishes_does_not_take_back_its_write(
    odoo: FakeOdoo, make_server: MakeServer, era: str, tmp_path: Path
) -> None:
    """What was sent to Odoo is waited for and recorded, and the server goes on."""
    began, finish = threading.Event(), threading.Event()
    create = odoo.answers["res.partner", "create"]

    def slow_create(args: list[Any], kwargs: dict[str, Any]) -> Any:
        began.set()
        finish.wait(120)
        return create(args, kwargs)

    odoo.answers["res.partner", "create"] = slow_create
    audit = tmp_path / "audit.jsonl"
    server = make_server(transport="http", mode="full", audit=True, audit_file=str(audit))
    with RunningServer(server) as served:
        arguments = {"model": "res.partner", "values": {"name": "Ann"}}
        connection = served.send(
            era, "tools/call", {"name": "odoo_core_create", "arguments": arguments}
        )
        assert began.wait(60)
        connection.close()
        assert served.post(era, "tools/list").status == 200
        finish.set()
        assert served.call(era, *COUNT)["structuredContent"]["count"] >= 3

    [line] = audit.read_text("utf-8").splitlines()
    assert json.loads(line)["success"] is True
    assert json.loads(line)["client"] == "127.0.0.1"


def test_each_client_has_its_own_rate_limit(make_server: MakeServer, era: str) -> None:
    """Clients are told apart by the address that the proxy on this machine names."""
    limits = {"rate_limit": True, "rate_limit_burst": 1, "rate_limit_rpm": 1}
    with RunningServer(make_server(transport="http", **limits)) as served:
        results = [
            served.call(era, *COUNT, X_Forwarded_For=address)
            for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
        ]

    assert [result.get("isError", False) for result in results] == [False, True, False]
    assert results[1]["structuredContent"]["code"] == "RATE_LIMITED"


def test_a_slash_at_the_end_makes_no_difference(served: RunningServer) -> None:
    slashed = HttpClient(served.port, "/mcp/")
    assert slashed.post("auto", "tools/list").status == 200


def test_health_needs_no_token_and_tells_no_secret(make_server: MakeServer) -> None:
    server = make_server(transport="http", auth_token="a-token-of-sufficient-length")
    with RunningServer(server) as served:
        before = served.get("/healthz", Host="10.0.0.7")
        served.call("auto", *COUNT, Authorization="Bearer a-token-of-sufficient-length")
        after = served.get("/healthz")

    assert json.loads(before.text) == {"status": "ok", "odoo": "not connected"}
    assert json.loads(after.text) == {"status": "ok", "odoo": "connected"}


def test_stopping_ends_streams_of_notifications(make_server: MakeServer) -> None:
    """A client that listens must not hold up the end."""
    with RunningServer(make_server(transport="http")) as served:
        connection = served.send(
            "auto", "subscriptions/listen", {"notifications": {"toolsListChanged": True}}
        )
        response = connection.getresponse()
        assert b"acknowledged" in response.read1(2000)
        served.stop()
        rest = response.read()
        connection.close()

    assert b'"result"' in rest


def test_session_has_a_stream_that_ends_with_the_server(make_server: MakeServer) -> None:
    """Without sessions there is nothing to listen to."""
    wanted = {"Accept": "text/event-stream", "MCP_Protocol_Version": "2025-11-25"}
    with RunningServer(make_server(transport="http")) as stateless:
        assert stateless.get("/mcp", **wanted).status == 405
    with RunningServer(make_server(transport="http", stateless=False)) as served:
        answer = served.post("legacy", "initialize", HANDSHAKE)
        session = {name.lower(): value for name, value in answer.headers.items()}["mcp-session-id"]
        with ThreadPoolExecutor(1) as threads:
            stream = threads.submit(served.get, "/mcp", Mcp_Session_Id=session, **wanted)
            served.post("legacy", "ping", Mcp_Session_Id=session)
            served.stop()
            assert stream.result(60).status == 200


def test_sigterm_lets_calls_end(odoo: FakeOdoo, era: str, tmp_path: Path) -> None:
    """The process answers the call under way, records it, and ends with status 0."""
    began, finish = threading.Event(), threading.Event()

    def create(args: list[Any], kwargs: dict[str, Any]) -> Any:
        began.set()
        finish.wait(120)
        return [77]

    odoo.answers["res.partner", "create"] = create
    port = free_port()
    audit = tmp_path / "audit.jsonl"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ODOO_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "odoo_toolkit_mcp", "--transport", "http", "--port", str(port)],
        env={
            **kept,
            "ODOO_URL": odoo.url,
            "ODOO_DB": DATABASE,
            "ODOO_USERNAME": LOGIN,
            "ODOO_PASSWORD": PASSWORD,
            "ODOO_MCP_MODE": "full",
            "ODOO_MCP_AUDIT": "true",
            "ODOO_MCP_AUDIT_FILE": str(audit),
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("Serving MCP at" in line for line in iter(process.stderr.readline, ""))
    arguments = {"model": "res.partner", "values": {"name": "Ann"}}
    connection = HttpClient(port).send(
        era, "tools/call", {"name": "odoo_core_create", "arguments": arguments}
    )
    assert began.wait(60)
    process.send_signal(signal.SIGTERM)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(lambda: connection.getresponse().read())
        with pytest.raises(FutureTimeout):
            # Neither answered nor cut off.
            reading.result(1)
        finish.set()
        answer = reading.result(60)
    connection.close()

    assert process.wait(60) == 0
    assert b'"isError":false' in answer.replace(b" ", b"")
    assert json.loads(audit.read_text("utf-8"))["result_ids"] == [77]
    process.stderr.close()


def test_server_open_to_all_must_be_wanted() -> None:
    token = "a-token-of-sufficient-length"

    assert problems_of() == ""
    assert problems_of(host="localhost") == ""
    assert "ODOO_MCP_AUTH_TOKEN" in problems_of(host="192.0.2.1")
    assert problems_of(host="192.0.2.1", auth_token=token) == ""
    assert problems_of(host="192.0.2.1", allow_unauthenticated=True) == ""
    assert "ODOO_MCP_ALLOWED_HOSTS" in problems_of(host="0.0.0.0", auth_token=token)
    assert problems_of(host="::", auth_token=token, allowed_hosts="mcp.example.com") == ""
    assert problems_of(transport="stdio", host="192.0.2.1") == ""


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("port", "80800"),
        ("port", "0"),
        ("path", "mcp"),
        ("path", "/"),
        ("path", "//"),
        ("path", "/healthz"),
        ("allowed_hosts", "https://mcp.example.com"),
        ("allowed_hosts", "*"),
        ("allowed_origins", "*"),
        ("allowed_origins", "chat.example.com"),
        ("allowed_origins", "https://chat.example.com/page"),
        ("auth_token", "short"),
        ("auth_token", "with spaces in the token"),
        ("auth_issuer", "http://login.example.com"),
        ("auth_jwks_url", "login.example.com/jwks"),
        ("max_body_mb", "0"),
    ],
)
def test_wrong_setting_is_named(setting: str, value: str) -> None:
    assert setting in problems_of(**{setting: value})


def test_refused_token_is_not_repeated() -> None:
    assert "hush" not in problems_of(auth_token="hush")
