"""What a broken network or a wrong server means for a call: shown with real sockets."""

from __future__ import annotations

import contextlib
import datetime
import io
import os
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import OdooConnectionError, OdooError, progress
from odoo_toolkit.connection.http import Http
from tests.provisioning.ports import free_port
from tests.unit.sockets import server
from tests.unit.wire import settings

HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


def failure(answer: Callable[[socket.socket], None], timeout: float = 5) -> OdooError:
    """Return the error of one request that is answered so."""
    with server(answer) as url:
        http = Http(settings(url=url, timeout=timeout))
        with pytest.raises(OdooError) as caught:
            http.json("POST", "/jsonrpc", json={})
        return caught.value


def reply(status: str, body: bytes, headers: str = "", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{headers}\r\n".encode() + body


def test_nobody_listening_was_never_sent() -> None:
    port = free_port()
    with pytest.raises(OdooConnectionError) as caught:
        Http(settings(url=f"http://127.0.0.1:{port}")).request("GET", "/")

    assert (caught.value.code, caught.value.outcome) == ("CONNECTION_REFUSED", "not_sent")
    assert caught.value.retry
    assert caught.value.details["retry_after"] > 0


def test_unknown_host_was_never_sent() -> None:
    with pytest.raises(OdooConnectionError) as caught:
        Http(settings(url="http://nosuch.invalid")).request("GET", "/")

    assert (caught.value.code, caught.value.outcome) == ("CONNECTION_REFUSED", "not_sent")


def test_dying_in_the_middle_may_have_been_applied() -> None:
    error = failure(lambda connection: None)

    assert (error.code, error.outcome) == ("CONNECTION_ERROR", "maybe_applied")


def test_a_truncated_answer_may_have_been_applied() -> None:
    error = failure(lambda c: c.sendall(reply("200 OK", b'{"jsonrpc": "2.', length=100)))

    assert (error.code, error.outcome) == ("CONNECTION_ERROR", "maybe_applied")


def test_no_answer_in_time_may_have_been_applied() -> None:
    never = threading.Event()
    error = failure(lambda connection: bool(never.wait(2)) or None, timeout=0.2)

    assert (error.code, error.outcome) == ("TIMEOUT", "maybe_applied")
    assert "ODOO_TIMEOUT" in error.suggestion


@pytest.mark.parametrize(
    ("status", "body", "headers", "code", "outcome"),
    [
        ("502 Bad Gateway", HTML, "Content-Type: text/html\r\n", "SERVER_ERROR", "maybe_applied"),
        ("200 OK", HTML, "Content-Type: text/html\r\n", None, "maybe_applied"),
        ("404 Not Found", HTML, "Content-Type: text/html\r\n", "ENDPOINT_NOT_FOUND", "refused"),
        ("301 Moved", b"", "Location: https://odoo.test/jsonrpc\r\n", None, "refused"),
        ("429 Too Many", b"", "Retry-After: 7\r\n", "RATE_LIMITED", "refused"),
    ],
)
def test_an_answer_that_is_none(
    status: str, body: bytes, headers: str, code: str | None, outcome: str
) -> None:
    error = failure(lambda connection: connection.sendall(reply(status, body, headers)))

    assert error.code == (code or error.code)
    assert error.category in {"connection", "rate_limit", "configuration"}
    assert error.outcome == outcome
    assert "<html" not in str(error.to_dict())


def test_redirects_are_not_followed_but_told() -> None:
    header = "Location: https://odoo.test/jsonrpc\r\n"
    error = failure(lambda connection: connection.sendall(reply("301 Moved", b"", header)))

    assert "https" in error.message + error.suggestion


def test_cookies_and_the_environments_proxies_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    seen: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        headers = "Set-Cookie: session_id=x; Path=/\r\nConnection: close\r\n"
        connection.sendall(reply("200 OK", b"{}", headers))

    with server(answer) as url:
        http = Http(settings(url=url))
        http.json("POST", "/", json={})
        sent = http.request("GET", "/").request
        seen.append(str(sent.headers).encode())

    assert b"Cookie" not in seen[0]


def test_connections_are_kept_and_shared() -> None:
    """Ten requests over one connection, where the server keeps it open."""
    connections = 0

    def answer(connection: socket.socket) -> None:
        nonlocal connections
        connections += 1
        while True:
            connection.sendall(reply("200 OK", b"{}"))
            if not connection.recv(65536):
                return

    with server(answer) as url:
        http = Http(settings(url=url))
        for _ in range(10):
            http.json("GET", "/")

    assert connections == 1


def test_address_is_sent_in_ascii() -> None:
    with server(lambda connection: connection.sendall(reply("200 OK", b"{}"))) as url:
        sent = Http(settings(url=url)).request("POST", "/a b/é", json={}).request

    assert sent.path_url == "/a%20b/%C3%A9"
    assert sent.headers["Content-Length"] == "2"


def test_timeout_proxy_and_certificates_reach_every_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    import requests

    seen: list[dict[str, object]] = []

    def send(self: object, request: object, **options: object) -> requests.Response:
        seen.append(options)
        answer = requests.Response()
        answer.status_code, answer.raw = 200, io.BytesIO(b"{}")
        return answer

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    pem = f"{tmp_path}/ca.pem"
    with open(pem, "w", encoding="utf-8") as file:
        file.write("x")

    Http(settings(timeout=3, ca_cert=pem, proxy="http://proxy.test:3128")).json("GET", "/")
    Http(settings(timeout=60, verify_ssl=False)).json("GET", "/")

    assert seen[0]["timeout"] == (3, 3)
    assert seen[0]["verify"] == pem
    assert seen[0]["proxies"] == {
        "http": "http://proxy.test:3128",
        "https": "http://proxy.test:3128",
    }
    assert seen[1]["timeout"] == (10, 60)
    assert seen[1]["verify"] is False


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PEM file with a key and its certificate for 127.0.0.1."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "odoo.test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(private + made.public_bytes(pem))
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def tls_failure(url: str, certificate: Path | None) -> OdooError:
    """Return the error of one request to a TLS server."""
    http = Http(settings(url=url, timeout=5, ca_cert=str(certificate) if certificate else None))
    with pytest.raises(OdooConnectionError) as caught:
        http.json("POST", "/jsonrpc", json={})
    return caught.value


def test_a_refused_certificate_was_never_sent(tls: ssl.SSLContext) -> None:
    asked = threading.Event()

    with server(lambda connection: asked.set(), tls) as url:
        error = tls_failure(url, None)

    assert (error.outcome, error.retry, asked.is_set()) == ("not_sent", False, False)
    assert "ODOO_CA_CERT" in error.suggestion


def test_a_server_without_tls_was_never_sent_anything() -> None:
    with server(lambda connection: connection.sendall(reply("400 Bad", b""))) as url:
        error = tls_failure(url.replace("http:", "https:"), None)

    assert (error.outcome, error.retry) == ("not_sent", False)


@pytest.mark.parametrize("begun", [b"", reply("200 OK", b'{"jsonrpc": "2.', length=100)])
def test_tls_that_fails_after_the_request_may_have_been_applied(
    tls: ssl.SSLContext, certificate: Path, begun: bytes
) -> None:
    """Before the first byte of the answer, and in the middle of it."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(begun)
        # Past TLS, on the bare connection.
        os.write(connection.fileno(), b"This is no TLS record, whatever it may look like.")
        connection.recv(65536)

    with server(answer, tls) as url:
        error = tls_failure(url, certificate)

    assert (error.code, error.outcome) == ("CONNECTION_ERROR", "maybe_applied")
    assert "TLS" in error.message


def test_tls_that_works_is_no_failure(tls: ssl.SSLContext, certificate: Path) -> None:
    with server(lambda connection: connection.sendall(reply("200 OK", b"[7]")), tls) as url:
        http = Http(settings(url=url, ca_cert=str(certificate)))

        assert http.json("GET", "/") == [7]


class Clock:
    """Stands for the module time; it goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_limit_shortens_what_a_request_may_take(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    import requests

    asked: list[Any] = []

    def send(self: object, request: object, **options: Any) -> None:
        asked.append(options["timeout"])
        raise requests.ReadTimeout

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    http = Http(settings(timeout=30))
    with progress.time_limit(8), progress.time_limit(60):
        clock.now += 5
        with pytest.raises(OdooConnectionError):
            http.request("GET", "/")
    with pytest.raises(OdooConnectionError):
        http.request("GET", "/")

    asked[0].start_connect()
    assert 2.9 < asked[0].read_timeout <= 3
    assert asked[1] == (10, 30)


def test_when_the_time_is_over_nothing_is_sent(clock: Clock) -> None:
    asked = threading.Event()
    with server(lambda connection: asked.set()) as url, progress.time_limit(3):
        clock.now += 3
        with pytest.raises(OdooConnectionError) as caught:
            Http(settings(url=url)).request("GET", "/")

    assert (caught.value.code, caught.value.outcome) == ("TIMEOUT", "not_sent")
    assert not asked.is_set()


@pytest.mark.parametrize("kind", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_an_answer_that_trickles_in_ends_with_the_limit(clock: Clock, kind: str) -> None:
    """Each piece comes within the timeout of the socket; all of them together never end."""
    given_up = threading.Event()

    def answer(connection: socket.socket) -> None:
        piece = b"1\r\n[\r\n" if "chunked" in kind else b"["
        connection.sendall(f"HTTP/1.1 200 OK\r\n{kind}\r\n\r\n".encode() + piece)
        clock.now += 3
        connection.sendall(piece)
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(65536):
                """The rest of the request, until the client closes the connection."""
        given_up.set()

    with server(answer) as url, progress.time_limit(3):
        with pytest.raises(OdooConnectionError) as caught:
            Http(settings(url=url, timeout=20)).json("POST", "/jsonrpc", json={})
        assert given_up.wait(60)

    assert (caught.value.code, caught.value.outcome) == ("TIMEOUT", "maybe_applied")


def test_an_answer_within_the_limit_is_whole() -> None:
    """Compressed as well: under a limit the body is read in another way."""
    import gzip

    body = b"[" + b"7, " * 100_000 + b"7]"
    packed = reply("200 OK", gzip.compress(body), "Content-Encoding: gzip\r\n")
    with server(lambda connection: connection.sendall(packed)) as url, progress.time_limit(60):
        assert Http(settings(url=url)).request("GET", "/").content == body


def test_silence_in_the_middle_of_an_answer_is_slowness() -> None:
    """So a read is not asked for again, which would take as long."""
    never = threading.Event()

    def answer(connection: socket.socket) -> None:
        connection.sendall(reply("200 OK", b"[", length=100))
        never.wait(2)

    assert failure(answer, timeout=0.2).code == "TIMEOUT"
