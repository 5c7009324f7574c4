"""What a team's server of several processes consists of: PostgreSQL, the processes, what is before.

Everything listens on this machine only.
"""

from __future__ import annotations

import http.client
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import tomlkit

from tests.provisioning import postgres
from tests.provisioning.cache import run
from tests.provisioning.ports import free_port
from tests.team.harness import OPERATOR_HASH

#: Of a store that survives that its processes are killed; the machine itself is not.
_SETTINGS = """
listen_addresses = ''
fsync = off
full_page_writes = off
shared_buffers = 64MB
max_connections = 60
"""

#: Headers that are of one connection, and not of the message.
_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "host"})


class StorePostgres:
    """A PostgreSQL of its own for store and journal, which can be restarted and killed.

    Args:
        folder: which only this user and that of PostgreSQL can enter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._data = folder, folder / "data"
        self._user = postgres._cluster_user()
        if self._user:
            shutil.chown(folder, self._user, pwd.getpwnam(self._user).pw_gid)
        self._run(
            *("initdb", "-D", self._data, "--username", postgres.ROLE, "--auth", "trust"),
            *("--no-sync", "--encoding", "UTF8", "--locale", "C.UTF-8"),
        )
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(f"{_SETTINGS}unix_socket_directories = '{folder}'\n")
        self.start()

    @property
    def address(self) -> str:
        """The address of the database."""
        return f"postgresql://{postgres.ROLE}@/postgres?host={self._folder}"

    def start(self) -> None:
        """Start it."""
        self._run("pg_ctl", "start", "--wait", "-D", self._data, "-l", self._folder / "log")

    def stop(self, mode: str = "fast") -> None:
        """Stop it; ``immediate`` ends it as a crash does."""
        self._run("pg_ctl", "stop", "--wait", "-m", mode, "-D", self._data)

    def _run(self, program: str, *words: str | Path) -> None:
        with open(os.devnull, "w") as nowhere:
            run(
                [postgres._program(program), *words],
                user=self._user,
                cwd=self._folder,
                log=nowhere,
                failure=f"The store's PostgreSQL: {program} failed.",
            )


@contextmanager
def store_postgres() -> Iterator[StorePostgres]:
    """Run a PostgreSQL of its own while the block runs."""
    # A short path: it is that of a socket.
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        store = StorePostgres(Path(folder))
        try:
            yield store
        finally:
            store.stop("immediate")


class Process:
    """One process of ``odoo-toolkit-mcp serve``.

    Args:
        team: what the team's file says, without port and keys.
        folder: of its file.
        keys: the ring of secret keys.
    """

    def __init__(self, team: Mapping[str, Any], folder: Path, keys: Sequence[str]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.keys = list(keys)
        self.said: list[str] = []
        self._file = folder / f"team-{self.port}.toml"
        self._team = team
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it listens."""
        content = {
            **self._team,
            "port": self.port,
            "secret_keys": ["env:CLUSTER_KEYS"],
            "operator_password": OPERATOR_HASH,
        }
        self._file.write_text(tomlkit.dumps(content))
        process = subprocess.Popen(
            [sys.executable, "-m", "odoo_toolkit_mcp", "serve", str(self._file)],
            env={**os.environ, "CLUSTER_KEYS": ",".join(self.keys)},
            stderr=subprocess.PIPE,
            text=True,
        )
        self._process = process
        listens = threading.Event()

        def hear() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                self.said.append(line)
                if "Serving MCP at" in line:
                    listens.set()
            listens.set()

        threading.Thread(target=hear, daemon=True).start()
        assert listens.wait(120), "".join(self.said[-20:])
        assert process.poll() is None, "".join(self.said[-20:])

    def kill(self) -> None:
        """End it as if the machine had gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def hang(self) -> None:
        """Let it stand still, with its connections open, as a machine does that is suspended."""
        os.kill(self.pid, signal.SIGSTOP)

    def wake(self) -> None:
        """Let it go on where it stood still."""
        os.kill(self.pid, signal.SIGCONT)

    def rotate_keys(self) -> None:
        """Run ``serve --rotate-keys`` with its keys."""
        run(
            [sys.executable, "-m", "odoo_toolkit_mcp", "serve", "--rotate-keys", self._file],
            env={"CLUSTER_KEYS": ",".join(self.keys)},
            failure="The store could not be sealed anew.",
        )

    def _end(self, number: int) -> None:
        process = self._process
        if process and process.poll() is None:
            process.send_signal(number)
            process.wait(60)


class RoundRobin:
    """Hands each request to the next process; a client of what has no sticky sessions.

    A request that a process may have begun is not sent to another one.

    Args:
        ports: of the processes.
        port: where it listens.
    """

    def __init__(self, ports: Sequence[int], port: int) -> None:
        self.port = port
        #: Seconds that it waits for an answer.
        self.patience = 120.0
        self.url = f"http://127.0.0.1:{port}"
        self._ports = list(ports)
        self._turn = 0
        self._lock = threading.Lock()
        front = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                front.forward(self)

            do_GET = do_DELETE = do_POST  # noqa: N815

            def log_message(self, *said: Any) -> None:
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

        self._server = Listener(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> RoundRobin:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _in_turn(self) -> list[int]:
        with self._lock:
            self._turn += 1
            place = self._turn % len(self._ports)
        return self._ports[place:] + self._ports[:place]

    def forward(self, request: BaseHTTPRequestHandler) -> None:
        """Send a request on, and its answer back."""
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _HOP}
        for port in self._in_turn():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=self.patience)
            try:
                connection.connect()
            except OSError:
                continue
            try:
                connection.request(
                    request.command,
                    request.path,
                    body,
                    {**headers, "Host": request.headers["Host"], "Connection": "close"},
                )
                answer = connection.getresponse()
                self._answer(request, answer)
            except (OSError, http.client.HTTPException):
                request.send_error(502)
            finally:
                connection.close()
            return
        request.send_error(502)

    def _answer(self, request: BaseHTTPRequestHandler, answer: http.client.HTTPResponse) -> None:
        # As a stream: an answer without an end is passed on, too.
        first = answer.read1(65536)
        request.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                request.send_header(name, value)
        request.end_headers()
        while first:
            request.wfile.write(first)
            request.wfile.flush()
            first = answer.read1(65536)


def nginx_configuration(ports: Sequence[int], port: int) -> str:
    """Return the ``upstream`` of ``docs/operating.md`` for ports, and a server without TLS."""
    upstream = "".join(
        f"    server 127.0.0.1:{one} max_fails=1 fail_timeout=2s;\n" for one in ports
    )
    return f"""upstream odoo_toolkit_mcp {{
{upstream}}}

server {{
    listen 127.0.0.1:{port};
    client_max_body_size 20m;

    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_connect_timeout 2s;

    location / {{
        proxy_pass http://odoo_toolkit_mcp;
        proxy_buffering off;
        proxy_read_timeout 300s;
    }}
}}
"""


@contextmanager
def nginx(program: Path, ports: Sequence[int], port: int, folder: Path) -> Iterator[str]:
    """Run nginx before the processes; yields its address."""
    kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    paths = "".join(f"{one}_temp_path {folder}/{one};\n" for one in kept)
    user = "user root;\n" if os.geteuid() == 0 else ""
    conf = folder / "nginx.conf"
    conf.write_text(
        f"{user}pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}{nginx_configuration(ports, port)}}}\n"
    )
    run(
        [program, "-p", folder, "-e", folder / "error.log", "-c", conf],
        failure="nginx could not be started.",
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        os.kill(int((folder / "nginx.pid").read_text()), signal.SIGTERM)
