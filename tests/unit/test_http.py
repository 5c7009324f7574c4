"""What a broken network or a wrong server means for a call: shown with real sockets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from odoo_toolkit import OdooConnectionError, OdooError
from odoo_toolkit.connection.http import Http
from tests.unit.wire import settings

HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


@contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Serve connections, each by ``answer``, and give the address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                answer(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


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
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
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


def test_timeout_proxy_and_certificates_reach_every_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    import requests

    seen: list[dict[str, object]] = []

    def request(self: object, method: str, url: str, **options: object) -> requests.Response:
        seen.append(options)
        answer = requests.Response()
        answer.status_code, answer._content = 200, b"{}"
        return answer

    monkeypatch.setattr(requests.Session, "request", request)
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
    assert [options["allow_redirects"] for options in seen] == [False, False]
