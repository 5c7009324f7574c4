"""What ``serve --check`` finds at the public address, as a hosted assistant would meet it."""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import attrs
import pytest
from urllib3.util import connection

from odoo_toolkit_mcp.accounts import command, public_address
from odoo_toolkit_mcp.accounts.command import main
from odoo_toolkit_mcp.accounts.public_address import Finding, Network, public_findings
from tests.team.conftest import Serve
from tests.team.harness import file_of
from tests.team.people import NOWHERE
from tests.tls import write_certificate, write_chain

HOST = "mcp.example.com"
URL = f"https://{HOST}"
PUBLIC = "8.8.8.8"
METADATA = "/.well-known/oauth-protected-resource"

#: What a proxy answers in place of the server: status, headers, and JSON.
Answer = tuple[int, Mapping[str, str], Any]


@attrs.define
class Proxy:
    """A proxy with TLS before a server, with faults.

    Attributes:
        instead: method and path, or ``*`` for all -> what it answers itself.
        asked: methods and paths, in order.
    """

    instead: dict[str, Answer] = attrs.field(factory=dict)
    asked: list[str] = attrs.field(factory=list)

    @contextmanager
    def running(self, certificate: Path | None, upstream: int) -> Iterator[int]:
        """Run it, without TLS if it has no certificate, and yield its port."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                proxy.asked.append(f"{self.command} {self.path}")
                known = proxy.instead.get(proxy.asked[-1], proxy.instead.get("*"))
                status, headers, told = known or self.asked_upstream(body)
                if not status:
                    return  # and say nothing
                content = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_POST = do_HEAD = pass_on  # noqa: N815

            def asked_upstream(self, body: bytes) -> Answer:
                line = http.client.HTTPConnection("127.0.0.1", upstream, timeout=30)
                line.request(self.command, self.path, body, dict(self.headers.items()))
                answer = line.getresponse()
                kept = ("WWW-Authenticate", "Location", "Content-Type")
                headers = {name: answer.headers[name] for name in kept if name in answer.headers}
                content = answer.read()
                line.close()
                return answer.status, headers, content

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda request, client_address: None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
        thread.start()
        try:
            yield int(server.server_port)
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


Look = Callable[..., list[Finding]]


@pytest.fixture
def proxy() -> Proxy:
    """The proxy, in which a test makes a fault."""
    return Proxy()


@pytest.fixture
def look(
    serve: Serve, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Look]:
    """Looks at a team's server behind the proxy, at the ports 443 and 80 of the public address."""
    connect = connection.create_connection
    ports: dict[int, int] = {}

    def here(address: tuple[str, int], *arguments: Any, **options: Any) -> socket.socket:
        if address[1] not in ports:
            raise ConnectionRefusedError(111, "Connection refused")
        return connect(("127.0.0.1", ports[address[1]]), *arguments, **options)

    monkeypatch.setattr(connection, "create_connection", here)
    with ExitStack() as stack:

        def look(
            *,
            certificate: str = "chain",
            issued_to: str = HOST,
            days: int = 60,
            trusted: bool = True,
            addresses: tuple[str, ...] = (PUBLIC,),
            port: int = 443,
            plain: Proxy | None = None,
            url: str = URL,
            **more: Any,
        ) -> list[Finding]:
            team = serve(public_url=url, **more)
            files = write_chain(tmp_path, issued_to, days)
            files["self"] = write_certificate(tmp_path / "self.pem", host=issued_to)
            ports[port] = stack.enter_context(proxy.running(files.get(certificate), team.port))
            if plain:
                ports[80] = stack.enter_context(plain.running(None, team.port))
            known = [ipaddress.ip_address(address) for address in addresses]
            trust = {"trust": str(files["root"])} if trusted else {}
            return [*public_findings(team.team, Network(lambda host, port: known, **trust))]

        yield look


def texts(findings: list[Finding], level: str) -> list[str]:
    return [one.text for one in findings if one.level == level]


@pytest.mark.parametrize(
    "instances",
    [{"main": dict(NOWHERE)}, {"main": dict(NOWHERE), "test": {**NOWHERE, "database": "test"}}],
)
def test_a_server_behind_a_right_proxy_has_only_fine_findings(
    look: Look, proxy: Proxy, instances: dict[str, Any]
) -> None:
    leads = {"Location": f"{URL}/"}
    findings = look(instances=instances, plain=Proxy({"*": (301, leads, None)}))
    assert {one.level for one in findings} == {"fine"}
    assert "valid for 59 more days" in findings[0].text
    assert findings[-1].text.startswith(f"{URL} responds as claude.ai and ChatGPT require")
    for path in ("/mcp", *(f"/mcp/{name}" for name in instances)):
        assert {f"POST {path}", f"POST {path}/", f"GET {path}", f"HEAD {path}"} <= {*proxy.asked}
        assert f"GET {METADATA}{path}" in proxy.asked


# Before the first request -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "this machine only"),
        ("::1", "this machine only"),
        ("10.1.2.3", "a private network"),
        ("172.31.0.1", "a private network"),
        ("192.168.1.5", "a private network"),
        ("fd00::5", "a private network"),
        ("169.254.1.1", "a link-local address"),
        ("fe80::1", "a link-local address"),
        ("100.64.0.9", "not a public address"),
        ("224.0.0.1", "not a public address"),
        ("0.0.0.0", "a private network"),
    ],
)
def test_an_address_that_is_not_public_is_warned_of_even_beside_another(
    look: Look, address: str, kind: str
) -> None:
    (told,) = texts(look(addresses=(PUBLIC, address)), "warning")
    assert (
        f"{HOST} has the address {address} here, {kind}. claude.ai and ChatGPT do not connect"
        in told
    )


def test_a_name_without_an_address_of_ipv4_is_warned_of(look: Look) -> None:
    (told,) = texts(look(addresses=("2606:4700:4700::1111",)), "warning")
    assert "2606:4700:4700::1111, and claude.ai connects over IPv4. Add an A record" in told


def test_another_port_is_warned_of(look: Look) -> None:
    (told,) = texts(look(port=8443, url=f"{URL}:8443"), "warning")
    assert f"{URL}:8443 has the port 8443" in told
    assert "remove the port from public_url" in told


def test_a_name_that_nobody_knows_is_a_problem_and_the_last(serve: Serve) -> None:
    def unknown(host: str, port: int) -> list[Any]:
        raise socket.gaierror("Name or service not known")

    told = [*public_findings(serve(public_url=URL).team, Network(addresses=unknown))]
    assert [one.text.partition(". Create an A ")[0] for one in told] == [
        f"{HOST} has no address in DNS"
    ]


def test_an_address_of_this_machine_is_only_told(serve: Serve) -> None:
    (told,) = public_findings(serve().team)
    assert told.level == "fine"
    assert "only on this machine. claude.ai and ChatGPT need an https address" in told.text


# The certificate --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (
            {"certificate": "alone"},
            "lacks the intermediate certificates from CN=between to a public authority. Let the"
            " proxy send the full chain (fullchain.pem",
        ),
        ({"trusted": False}, "If CN=between is your own authority, get a certificate"),
        (
            {"certificate": "whole", "trusted": False},
            "comes from CN=between, which is not a public authority.",
        ),
        ({"certificate": "self"}, "is self-signed. Get one from a public authority"),
        ({"issued_to": "other.example.com"}, "is for other.example.com. Get one for"),
        ({"days": -1}, "has expired. Renew it"),
        ({"days": -1, "trusted": False}, "CN=between"),
        ({"certificate": "none"}, "does not use TLS on port 443"),
    ],
)
def test_a_wrong_certificate_is_a_problem_and_told_with_what_is_wrong(
    look: Look, proxy: Proxy, how: dict[str, Any], told: str
) -> None:
    (text,) = texts(look(**how), "problem")
    assert told in text
    assert HOST in text
    assert proxy.asked == []


@pytest.mark.parametrize(("days", "warned"), [(5, True), (20, False)])
def test_a_certificate_that_ends_soon_is_warned_of(look: Look, days: int, warned: bool) -> None:
    told = look(days=days)[0]
    assert told.level == ("warning" if warned else "fine")
    assert told.text.startswith(f"The certificate of {HOST} is valid for {days - 1} more days, ")
    assert told.text.endswith("Check that it is renewed automatically.") == warned


def test_nothing_that_answers_is_a_problem(look: Look) -> None:
    (text,) = texts(look(port=444), "problem")
    assert "No server responds at mcp.example.com, port 443 (Connection refused). Start" in text


# Answers ----------------------------------------------------------------------------------------

OLD = "https://old.example.com"
SERVER = "/.well-known/oauth-authorization-server"


@pytest.mark.parametrize(
    ("instead", "level", "seen", "cure"),
    [
        (
            {"POST /mcp": (301, {"Location": f"{OLD}/mcp"}, None)},
            "problem",
            f"{URL}, POST /mcp: the answer has status 301 and leads to {OLD}/mcp.",
            "loses the body or the token",
        ),
        (
            {"POST /mcp": (404, {}, None), "GET /mcp": (404, {}, None)},
            "problem",
            f"{URL}, POST /mcp, GET /mcp: the answer has status 404.",
            "Let the proxy forward this path, as in the files of docs/operating.",
        ),
        (
            {"HEAD /mcp/main": (405, {}, None), "HEAD /mcp": (500, {}, None)},
            "problem",
            f"{URL}, HEAD /mcp: the answer has status 500.",
            "Start the server, and check that the proxy forwards requests to http://127.0.0.1:",
        ),
        (
            {"POST /mcp": (405, {}, None)},
            "problem",
            f"{URL}, POST /mcp: the answer has status 405.",
            "Let the proxy forward this method.",
        ),
        (
            {"POST /mcp": (421, {}, None)},
            "problem",
            "the answer has status 421.",
            "the Host header unchanged",
        ),
        (
            {f"GET {SERVER}": (403, {}, None)},
            "problem",
            f"{URL}, GET {SERVER}: the answer has status 403.",
            "a bot check in front of the server rejects it",
        ),
        (
            {"POST /mcp": (200, {}, {})},
            "problem",
            f"{URL}, POST /mcp: the answer has status 200.",
            "Another server seems to respond there",
        ),
        (
            {"POST /mcp": (401, {}, {})},
            "problem",
            f'is missing, without resource_metadata="{URL}{METADATA}/mcp".',
            "Let the proxy forward this header",
        ),
        (
            {"POST /mcp/": (307, {"Location": f"http://{HOST}/mcp"}, None)},
            "warning",
            f"{URL}, POST /mcp/: the answer has status 307 and leads to http://{HOST}/mcp.",
            "loses the body or the token",
        ),
        (
            {f"GET {METADATA}/mcp": (200, {}, {"resource": f"{OLD}/mcp"})},
            "problem",
            f"{URL}, GET {METADATA}/mcp: resource is '{OLD}/mcp', not '{URL}/mcp'.",
            "Restart the server if its settings file has changed",
        ),
        (
            {f"GET {SERVER}": (200, {}, {"issuer": URL})},
            "problem",
            f"{URL}, GET {SERVER}: authorization_endpoint is None, not '{URL}/authorize'.",
            "Restart the server",
        ),
        (
            {f"GET {METADATA}": (200, {}, b"<html>")},
            "problem",
            f"{URL}, GET {METADATA}: the answer is not a JSON object.",
            "Another server",
        ),
        (
            {"POST /register": (403, {}, None), "POST /token": (403, {}, None)},
            "problem",
            f"{URL}, POST /token, POST /register: the answer has status 403.",
            "firewall, a login page or a bot check",
        ),
        (
            {"*": (502, {}, None)},
            "problem",
            "POST /mcp, GET /mcp, HEAD /mcp, POST /mcp/ and 11 more: the answer has status 502.",
            "Start the server",
        ),
    ],
)
def test_a_wrong_answer_is_told_once_with_what_to_do(
    look: Look, proxy: Proxy, instead: dict[str, Answer], level: str, seen: str, cure: str
) -> None:
    proxy.instead = instead
    findings = look()
    (text,) = [one.text for one in findings if one.level == level]
    assert seen in text
    assert cure in text
    assert not any("responds as claude.ai and ChatGPT require" in one.text for one in findings)


def test_a_connection_that_breaks_off_is_told(look: Look, proxy: Proxy) -> None:
    proxy.instead = {"POST /token": (0, {}, None)}
    (text,) = texts(look(), "problem")
    assert f"{URL}, POST /token: no answer (ConnectionError). Check the log" in text


@pytest.mark.parametrize("answer", [(200, {}, None), (302, {"Location": f"http://{HOST}/x"}, None)])
def test_a_server_that_answers_without_tls_is_warned_of(look: Look, answer: Answer) -> None:
    (text,) = texts(look(plain=Proxy({"*": answer})), "warning")
    assert f"http://{HOST}/ answers with status {answer[0]} and without TLS. Let the" in text


def test_with_an_issuer_its_own_endpoints_are_not_asked(look: Look, proxy: Proxy) -> None:
    issuer = {"url": "https://login.example.com", "scopes": ["odoo"]}
    assert {one.level for one in look(issuer=issuer)} == {"fine"}
    assert not [one for one in proxy.asked if "authorization-server" in one or "token" in one]


@pytest.mark.parametrize(
    ("level", "status", "printed"),
    [("problem", 1, "Seen."), ("warning", 0, "Warning: Seen."), ("fine", 0, "Seen.")],
)
def test_the_check_prints_findings_and_fails_for_problems(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    level: Any,
    status: int,
    printed: str,
) -> None:
    monkeypatch.setattr(public_address, "public_findings", lambda team: [Finding(level, "Seen.")])
    monkeypatch.setattr(command, "_problems_with_odoo", lambda instance: iter(()))
    assert main([str(file_of(tmp_path)), "--check"]) == status
    assert printed in capsys.readouterr().err.splitlines()
