"""nginx and Caddy with the files of docs/operating: what they pass on, and how."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from odoo_toolkit.configuration import Secret
from odoo_toolkit_mcp.settings import ServerSettings
from tests.kit.mcp import URI, change, line_with, mcp_server
from tests.live.conftest import NO_SERVER
from tests.live.own import own
from tests.live.servers import Server, find_servers
from tests.mcp.conftest import MakeServer, anyio_backend, make_server, odoo
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.http_server import HttpClient, RunningServer
from tests.provisioning.ports import free_port
from tests.proxies.paths import paths_of_a_team
from tests.proxies.programs import PATHS, found
from tests.proxies.running import HOST, Proxy, Upstream, running
from tests.team.conftest import users
from tests.team.harness import CALLBACK, OAuthClient, Person, RunningTeam
from tests.team.people import NOWHERE, Users, password_of

pytestmark = pytest.mark.proxies

__all__ = ["anyio_backend", "make_server", "odoo", "users"]

TOKEN = "0123456789abcdef" * 2

#: Besides the paths of the server: queries, other names of databases, and where clients look first.
MORE_SERVED = [
    *("/mcp/the-2nd_one", "/.well-known/oauth-protected-resource/mcp/the-2nd_one"),
    *("/authorize?state=a%20b&scope=odoo", "/consent?request=a", "/admin/activity?account=2"),
    "/.well-known/oauth-authorization-server/mcp",
]
NOT_SERVED = [
    *(
        "/healthz",
        "/metrics",
        "/mcp/Main",
        "/mcp/a/b",
        "/mcp.more",
        "/tokens",
        "/token/",
        "/administrator",
        "/statics",
    ),
    *("/admin.php", "/.well-known/openid-configuration", "/.well-known/oauth-protected-resources"),
    *("/metrics/", "//metrics", "/./metrics", "/%6Detrics"),
]


@pytest.fixture(params=PATHS)
def name(request: pytest.FixtureRequest) -> str:
    """Each proxy in turn."""
    found: str = request.param
    return found


@pytest.fixture
def program(name: str) -> Path:
    here = found(name)
    if here is None:
        pytest.skip(f"{name} is not on this machine; 'make proxies' fetches it.")
    return here


@pytest.fixture(autouse=True)
def _resolved_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name in the files is this machine."""
    resolve = socket.getaddrinfo

    def here(host: Any, *arguments: Any, **options: Any) -> Any:
        known = "127.0.0.1" if host in (HOST, HOST.encode()) else host
        return resolve(known, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", here)


@pytest.fixture
def newest() -> Server:
    """The newest Odoo that runs: to a proxy they are all alike."""
    servers = find_servers()
    if not servers:
        pytest.fail(NO_SERVER, pytrace=False)
    return own(max(servers, key=lambda one: int(one.version or 0)))


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture
def proxy(name: str, program: Path, upstream: Upstream, tmp_path: Path) -> Iterator[Proxy]:
    """The proxy before a server that tells what it was asked."""
    with running(name, program, upstream.port, tmp_path) as proxy:
        yield proxy


def test_each_path_of_a_teams_server_is_passed_on_as_it_is(proxy: Proxy, tmp_path: Path) -> None:
    for path in [*sorted(paths_of_a_team(tmp_path)), *MORE_SERVED]:
        for method in ("GET", "POST"):
            status, _, body = proxy.send(method, path, b"a=1" if method == "POST" else None)
            told = json.loads(body)
            assert status == 200, path
            assert (told["method"], told["path"]) == (method, path)
            assert told["length"] == (3 if method == "POST" else 0)
    for method in ("DELETE", "OPTIONS"):
        assert json.loads(proxy.send(method, "/mcp")[2])["method"] == method


def test_nothing_else_is(proxy: Proxy, upstream: Upstream) -> None:
    answers = {path: proxy.send("GET", path)[0] for path in NOT_SERVED}

    assert {path for path, status in answers.items() if status not in (404, 308)} == set()
    assert upstream.asked == []


@pytest.mark.parametrize(
    "path",
    [
        *("/me/../metrics", "/me/%2e%2e/metrics", "/me/..%2fmetrics", "/admin//../../healthz"),
        *("/mcp/../metrics", "/mcp/%2e%2e/metrics", "/mcp/..%2fmetrics"),
    ],
)
def test_no_path_leads_round_it(proxy: Proxy, upstream: Upstream, path: str) -> None:
    """What is passed on is not the path of something else; the server does not resolve dots."""
    proxy.send("GET", path)

    assert {asked for asked in upstream.asked if not asked.startswith(("/me/", "/admin/"))} == set()


def test_the_server_sees_the_name_of_the_proxy_and_the_address_of_the_client(proxy: Proxy) -> None:
    sent = {
        "X_Forwarded_For": "192.0.2.66",
        "X_Forwarded_Proto": "http",
        "X_Request_Id": "chosen by the client",
        "Authorization": f"Bearer {TOKEN}",
        "X_Odoo_Username": "ann",
        "X_Odoo_Api_Key": "key",
        "Mcp_Session_Id": "7",
        "MCP_Protocol_Version": "2026-07-28",
        "Cookie": "session=1",
        "Origin": f"https://{HOST}",
    }
    headers = json.loads(proxy.send("POST", "/mcp", b"{}", **sent)[2])["headers"]

    assert headers["host"].partition(":")[0] == HOST
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert headers["x-forwarded-proto"] == "https"
    assert len(headers["x-request-id"]) in (32, 36)
    for name in list(sent)[3:]:
        assert headers[name.replace("_", "-").lower()] == sent[name]
    for path in ("/token", "/sign-in", "/.well-known/oauth-protected-resource/mcp"):
        headers = json.loads(proxy.send("GET", path, **sent)[2])["headers"]
        assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == ("127.0.0.1", "https")


def test_redirections_and_cookies_come_back_as_they_are(proxy: Proxy) -> None:
    status, headers, _ = proxy.send("POST", "/sign-in", b"", X_Test="redirect")

    assert (status, headers["location"], headers["set-cookie"]) == (302, "/me", "a=1; Secure")


def test_a_stream_is_passed_on_as_it_comes(proxy: Proxy, upstream: Upstream) -> None:
    """The second half is not sent before the first has arrived."""
    connection = proxy.connection()
    connection.request("POST", "/mcp", b"{}", {"X-Test": "stream"})
    response = connection.getresponse()

    assert response.readline() == b"data: first\n"
    upstream.go_on.set()
    assert b"second" in response.read()
    connection.close()


def test_the_largest_body_that_the_server_takes_is_passed_on(proxy: Proxy) -> None:
    largest = ServerSettings().max_body_bytes

    assert json.loads(proxy.send("POST", "/mcp", b"x" * largest)[2])["length"] == largest


def test_a_larger_body_is_refused(
    name: str, program: Path, make_server: MakeServer, tmp_path: Path
) -> None:
    """By the server; by nginx where it is larger still."""
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    with (
        RunningServer(make_server(**mcp_settings())) as behind,
        running(name, program, behind.port, tmp_path) as proxy,
    ):
        for size in (ServerSettings().max_body_bytes + 1, 25 * 1024 * 1024):
            connection = proxy.connection()
            connection.putrequest("POST", "/mcp")
            for header, value in {**headers, "Content-Length": str(size)}.items():
                connection.putheader(header, value)
            connection.endheaders()
            status = None
            # Caddy may close the connection before it has read the rest, and the answer is lost.
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.send(b"x" * size)
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = connection.getresponse().status
            connection.close()
            assert status == 413 or (name == "caddy" and status is None)


def test_somebody_signs_in_through_it_and_sees_the_pages(
    name: str, program: Path, users: Users, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    with running(name, program, port, tmp_path) as proxy:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(proxy.certificate))
        with RunningTeam(tmp_path, {"main": dict(NOWHERE)}, port, public_url=proxy.url):
            client, person = OAuthClient(proxy.url), Person(proxy.url)
            asks = person.sign_in(person.begin(client), login="ann", password=password_of("ann"))
            looks = person.get("/static/pages.css")
            told = person.answer(asks)
            home = person.get("/")

            assert told["to"] == CALLBACK
            assert client.tokens(told["code"]).access
            assert looks.headers["Content-Type"].startswith("text/css")
            assert f"{proxy.url}/mcp" in home.text


class Through(HttpClient):
    """A client of the server behind a proxy."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(proxy.port)
        self.connection = proxy.connection  # type: ignore[method-assign]


def mcp_settings(**more: Any) -> dict[str, Any]:
    return {"transport": "http", "auth_token": Secret(TOKEN), "allowed_hosts": (HOST,), **more}


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_tool_of_a_real_odoo_is_called_through_it(
    name: str, program: Path, newest: Server, era: str, tmp_path: Path
) -> None:
    served = mcp_server(newest, newest.user("admin"), **mcp_settings())
    with (
        RunningServer(served) as behind,
        running(name, program, behind.port, tmp_path) as proxy,
    ):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(verify=proxy.trust, headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{proxy.url}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                result = await client.call_tool("odoo_core_count", {"model": "res.partner"})

        without = proxy.send("POST", "/mcp", b"{}", Content_Type="application/json")[0]
        foreign = proxy.send(
            *("POST", "/mcp", b"{}"),
            Content_Type="application/json",
            Host="mcp.example.net",
            **headers,
        )

    assert not result.is_error
    assert result.structured_content
    assert result.structured_content["count"] > 3
    assert without == 401
    # nginx has no other site and passes it on, so that the server refuses it; Caddy has no answer.
    assert foreign[0] == 421 or foreign[2] == b""


def test_a_client_that_listens_is_told_of_changes_through_it(
    name: str, program: Path, odoo: FakeOdoo, make_server: MakeServer, tmp_path: Path
) -> None:
    settings = mcp_settings(subscription_interval=1)
    with (
        RunningServer(make_server(**settings)) as behind,
        running(name, program, behind.port, tmp_path) as proxy,
    ):
        asked = {"notifications": {"resourceSubscriptions": [URI]}}
        connection = Through(proxy).send(
            "auto", "subscriptions/listen", asked, Authorization=f"Bearer {TOKEN}"
        )
        response = connection.getresponse()
        line_with(response, "acknowledged")
        change(odoo)
        told = line_with(response, "notifications/resources/updated")
        connection.close()

    assert URI in told
