"""Something before an Odoo that answers in its place: what people of a team then go through."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from requests.adapters import HTTPAdapter

import odoo_toolkit as toolkit
from odoo_toolkit_mcp.accounts import attempts, odoo_users, store
from tests.kit.user_keys import People

#: Of this machine, from which Odoo sees the requests come: it counts failed logins apart.
SOURCE = "127.0.0.2"

_PAGE, _JSON = "text/html", "application/json"
_HTML = "<!DOCTYPE html><html><head><title>One moment</title></head><body>No.</body></html>"

#: What stands there -> status, type, content and other headers of all its answers.
ANSWERS: Mapping[str, tuple[int, str, str, Mapping[str, str]]] = {
    "401": (401, _PAGE, _HTML, {"WWW-Authenticate": 'Basic realm="staff"'}),
    "401 in JSON": (401, _JSON, '{"error": "unauthorized"}', {}),
    "403": (403, _PAGE, _HTML, {}),
    "403 in JSON": (403, _JSON, '{"message": "Access Denied"}', {}),
    "404": (404, _PAGE, _HTML, {}),
    "407": (407, _PAGE, _HTML, {"Proxy-Authenticate": "Basic"}),
    "429": (429, _PAGE, _HTML, {"Retry-After": "30"}),
    "500": (500, _PAGE, _HTML, {}),
    "502": (502, _PAGE, _HTML, {}),
    "503": (503, _PAGE, _HTML, {"Retry-After": "120"}),
    "a page": (200, _PAGE, _HTML, {}),
    "a login elsewhere": (302, _PAGE, _HTML, {"Location": "https://login.example.com/"}),
    "nothing in JSON": (200, _JSON, "{}", {}),
    "no JSON": (200, _JSON, _HTML, {}),
}

#: Headers of Odoo that are passed on.
_PASSED = ("content-type", "set-cookie", "location")

#: Takes requests and never answers; breaks them off.
HANGS, BREAKS = "hangs", "breaks off"


class Firewall(ThreadingHTTPServer):
    """Passes requests on to an Odoo, unless something else stands there.

    Args:
        url: of the Odoo.

    Attributes:
        instead: what stands there, of :data:`ANSWERS`, :data:`HANGS` or :data:`BREAKS`; "" for
            the Odoo.
        over: ends the waiting of those who hang.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.behind, self.instead, self.over = url, "", threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _From(HTTPAdapter):
    def init_poolmanager(self, *args: object, **more: object) -> None:
        super().init_poolmanager(*args, source_address=(SOURCE, 0), **more)  # type: ignore[arg-type]


class _Passing(BaseHTTPRequestHandler):
    server: Firewall

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        instead = self.server.instead
        if instead == HANGS:
            self.server.over.wait(60)
        if instead in (HANGS, BREAKS):
            return
        if instead:
            status, kind, text, more = ANSWERS[instead]
            self._send(status, [("Content-Type", kind), *more.items()], text.encode())
            return
        sent = {k: v for k, v in self.headers.items() if k.lower() != "host"}
        with requests.Session() as session:
            session.mount("http://", _From())
            answer = session.request(
                self.command,
                self.server.behind + self.path,
                data=body,
                headers={**sent, "Accept-Encoding": "identity"},
                timeout=60,
                allow_redirects=False,
            )
        # As Odoo has sent them: cookies are several.
        told = answer.raw.headers.items()
        headers = [(name, value) for name, value in told if name.lower() in _PASSED]
        self._send(answer.status_code, headers, answer.content)

    do_GET = do_POST = answer  # noqa: N815

    def _send(self, status: int, headers: Sequence[tuple[str, str]], content: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # who has asked need not wait for it
            self.send_response(status)
            for name, value in [*headers, ("Content-Length", str(len(content)))]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@contextlib.contextmanager
def before(url: str) -> Iterator[Firewall]:
    """Stand before an Odoo while the block runs."""
    one = Firewall(url)
    thread = threading.Thread(target=one.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield one
    finally:
        one.over.set()
        one.shutdown()
        one.server_close()
        thread.join()


class Time:
    """The time of looks at keys and of failed sign-ins, which passes when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = store.now()
        for module in (odoo_users, attempts):
            monkeypatch.setattr(module, "now", lambda: self.now)

    def passes(self, seconds: float) -> None:
        self.now += seconds


COOLDOWN = "base.login_cooldown_duration"


def fail_at(url: str, database: str) -> None:
    """Log in to Odoo, past the team's server, until it takes no login of this machine."""
    wrong = {"db": database, "login": "nobody", "password": "a guess"}
    for _ in range(12):
        web = {"jsonrpc": "2.0", "params": wrong}
        requests.post(f"{url}/web/session/authenticate", json=web, timeout=60)
        args = [database, "nobody", "a guess"]
        rpc = {"service": "common", "method": "login", "args": args}
        requests.post(f"{url}/jsonrpc", json={"jsonrpc": "2.0", "params": rpc}, timeout=60)


def end_cooldown(people: People, value: str) -> None:
    """Let Odoo take logins again after so many seconds."""
    toolkit.execute(people.free, "ir.config_parameter", "set_param", [COOLDOWN, value])
