"""A proxy between the toolkit and a real Odoo that loses the answers of writes, when it is told."""

from __future__ import annotations

import http.client
import json
import re
import threading
import xmlrpc.client
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import urlsplit

#: lost: Odoo does it, and the connection breaks before the answer. cut: in the middle of the
#: answer. gateway: a 504 takes the answer's place. late: the connection breaks at once, and Odoo
#: does it while the client already looks. dropped: Odoo never hears of it.
Fault = Literal["lost", "cut", "gateway", "late", "dropped"]

_READS = (
    "fields_get|search|search_read|search_count|read|name_search|default_get|name_get|get_views"
    "|fields_view_get|check_access_rights|has_access|get_available_models|web_search_read"
    "|context_get|read_group"
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.choose(self.path, body) if _writes(self.path, body) else None
        if fault == "dropped":
            self._hang_up()
        elif fault == "late":
            self._hang_up()
            self._forward(body)
        else:
            self._pass_on(body, fault)

    def _pass_on(self, body: bytes | None, fault: Fault | None = None) -> None:
        answer, content = self._forward(body)
        if fault == "lost":
            self._hang_up()
            return
        self.send_response(504 if fault == "gateway" else answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault == "cut":
            self.wfile.write(content[: len(content) // 2])
            self._hang_up()
        else:
            self.wfile.write(content)

    def _forward(self, body: bytes | None) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self.server.target, timeout=120)
        try:
            headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


class Proxy(ThreadingHTTPServer):
    """Listens on a port of its own.

    Args:
        url: the Odoo that it stands before.
        choose: is asked for each write, by path and body, which fault it meets; None for none.
    """

    daemon_threads = True

    def __init__(self, url: str, choose: Callable[[str, bytes], Fault | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(url).netloc
        self.choose = choose
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hung up."""


@contextmanager
def proxy(url: str, choose: Callable[[str, bytes], Fault | None]) -> Iterator[Proxy]:
    """Run a proxy within the block."""
    server = Proxy(url, choose)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _writes(path: str, body: bytes) -> bool:
    method = method_of(path, body)
    return method is not None and re.fullmatch(_READS, method) is None


def method_of(path: str, body: bytes) -> str | None:
    """Return the model's method that a request calls; None where it calls none."""
    if path.startswith("/json/2/"):
        return path.rsplit("/", 1)[1]
    if b"execute_kw" not in body:
        return None
    if body.lstrip().startswith(b"{"):
        return str(json.loads(body)["params"]["args"][4])
    return str(xmlrpc.client.loads(body)[0][4])


class Between:
    """Stands between; the next call of ``method`` meets ``fault``, others pass."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.method = ""
        self.sent = 0
        self.server: Proxy

    def choose(self, path: str, body: bytes) -> Fault | None:
        """Return the fault of a request."""
        if method_of(path, body) != self.method:
            return None
        self.sent += 1
        fault, self.fault = self.fault, None
        return fault
