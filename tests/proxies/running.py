"""The proxies of docs/operating, run with another port and certificate before another server."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import attrs

from tests.provisioning.cache import run
from tests.provisioning.ports import free_port
from tests.tls import write_certificate

FILES = Path(__file__).parents[2] / "docs/operating"

#: The name in the files.
HOST = "mcp.example.com"


@attrs.frozen
class Proxy:
    """A proxy that runs, and the certificate that its clients have to trust."""

    port: int
    certificate: Path

    @property
    def url(self) -> str:
        """Its address; tests lead the name to this machine."""
        return f"https://{HOST}:{self.port}"

    @property
    def trust(self) -> ssl.SSLContext:
        """What trusts the certificate, and nothing else."""
        return ssl.create_default_context(cafile=str(self.certificate))

    def connection(self) -> http.client.HTTPSConnection:
        """Return a connection to it."""
        return http.client.HTTPSConnection(HOST, self.port, context=self.trust, timeout=30)

    def send(
        self, method: str, path: str, body: bytes | None = None, /, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers in lower case, and body.

        Args:
            method: of HTTP.
            path: as it is to be sent, whatever is in it.
            body: of the request.
            headers: an underscore stands for a hyphen.
        """
        connection = self.connection()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, answer


@contextmanager
def running(name: str, program: Path, upstream: int, folder: Path) -> Iterator[Proxy]:
    """Run a proxy with its file of docs/operating.

    Args:
        name: nginx or caddy.
        program: its path.
        upstream: the port of the server that it stands before.
        folder: for what it writes.
    """
    proxy = Proxy(free_port(), write_certificate(folder / "certificate.pem", host=HOST))
    pid_file = folder / "pid"
    start = {"nginx": _nginx, "caddy": _caddy}[name]
    # Both go to the background once they listen.
    command, environment = start(program, proxy, upstream, folder, pid_file)
    with (folder / "output").open("w") as output:
        started = subprocess.run(
            command, env={**os.environ, **environment}, stdout=output, stderr=output, timeout=60
        )
    assert started.returncode == 0, (folder / "output").read_text()
    try:
        yield proxy
    finally:
        os.kill(int(pid_file.read_text()), signal.SIGTERM)


def _replaced(text: str, by: dict[str, str]) -> str:
    """Return a text with each pattern replaced, which must be in it."""
    for pattern, replacement in by.items():
        text, count = re.subn(pattern, replacement, text)
        assert count, pattern
    return text


def _nginx(
    program: Path, proxy: Proxy, upstream: int, folder: Path, pid_file: Path
) -> tuple[list[str | Path], dict[str, str]]:
    site = _replaced(
        (FILES / "nginx.conf").read_text("utf-8"),
        {
            r"listen 443 ssl": f"listen 127.0.0.1:{proxy.port} ssl",
            r"(ssl_certificate(?:_key)?) +\S+;": rf"\1 {proxy.certificate};",
            r"127\.0\.0\.1:8080": f"127.0.0.1:{upstream}",
        },
    )
    kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    paths = "".join(f"{one}_temp_path {folder}/{one};\n" for one in kept)
    main = f"pid {pid_file};\nerror_log {folder}/error.log;\nevents {{}}\n"
    conf = folder / "nginx.conf"
    conf.write_text(f"{main}http {{\naccess_log {folder}/access.log;\n{paths}{site}}}\n", "utf-8")
    if os.geteuid() == 0:
        # Its workers would else be a user who may not reach the folder.
        conf.write_text(f"user root;\n{conf.read_text('utf-8')}", "utf-8")
    return [program, "-p", folder, "-e", folder / "error.log", "-c", conf], {}


def _caddy(
    program: Path, proxy: Proxy, upstream: int, folder: Path, pid_file: Path
) -> tuple[list[str | Path], dict[str, str]]:
    site = _replaced(
        (FILES / "Caddyfile").read_text("utf-8"),
        {
            rf"(?m)^{HOST} \{{": f"{proxy.url} {{\n\ttls {proxy.certificate} {proxy.certificate}",
            r"127\.0\.0\.1:8080": f"127.0.0.1:{upstream}",
        },
    )
    conf = folder / "Caddyfile"
    conf.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}", "utf-8")
    run([program, "validate", "--config", conf, "--adapter", "caddyfile"], failure="Not valid.")
    started: list[str | Path] = [program, "start", "--config", conf, "--adapter", "caddyfile"]
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    return [*started, "--pidfile", pid_file], home


class Upstream:
    """A server that answers with what it was asked, to be stood before by a proxy.

    Attributes:
        asked: paths, in order.
        go_on: a stream's second half comes once this is set.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.go_on = threading.Event()
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                upstream.asked.append(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.headers.get("X-Test") == "stream":
                    self.stream()
                elif self.headers.get("X-Test") == "redirect":
                    self.reply(302, b"", {"Location": "/me", "Set-Cookie": "a=1; Secure"})
                else:
                    told = {
                        "method": self.command,
                        "path": self.path,
                        "headers": {name.lower(): value for name, value in self.headers.items()},
                        "length": len(body),
                    }
                    self.reply(200, json.dumps(told).encode(), {})

            do_GET = do_POST = do_DELETE = do_OPTIONS = answer  # noqa: N815

            def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def stream(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for text in (b"data: first\n\n", b"data: second\n\n", b""):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                    self.wfile.flush()
                    if b"first" in text and not upstream.go_on.wait(30):
                        return

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_port)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()
