"""A running Odoo server: started detached on a loopback port, found again, stopped."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.provisioning import database, debian, ports, postgres, pythons, sources
from tests.provisioning.cache import (
    ProvisioningError,
    cache_folder,
    command_of,
    end_of_log,
    progress,
    read_json,
    servers_file,
    step,
    write_json,
)
from tests.provisioning.database import Installation
from tests.provisioning.releases import Release

Server = dict[str, Any]

CHOOSING = threading.Lock()
"""Releases start side by side, and each chooses a port."""
START_SECONDS = 180
STOP_SECONDS = 15
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Started:
    """A server's process that answers."""

    url: str
    pid: int


def read_servers() -> list[Server]:
    """Return the servers that ``servers.json`` lists."""
    servers: list[Server] = read_json(servers_file(), [])
    return servers


def running_servers() -> list[Server]:
    """Return the listed servers that run."""
    return [server for server in read_servers() if is_running(server)]


def is_running(server: Server) -> bool:
    """Tell whether a listed server's process is alive."""
    return _runs(server["pid"], server["name"])


def start(
    release: Release,
    system: Future[None],
    tree: Path | None = None,
    fresh: bool = False,
) -> Server:
    """Provision what is missing of a release and start its server unless it runs.

    Args:
        release: Which Odoo.
        system: The start of PostgreSQL and the like, to be awaited before the database is used.
        tree: A source tree to run from then on; None for Debian's packages, or the tree that was
            given before.
        fresh: Whether to throw away the database's content for that of the dump.

    Returns:
        The server's entry for ``servers.json``.
    """
    known = next((one for one in running_servers() if one["name"] == release.name), None)
    other_code = not release.package and sources.has_other_code(release, tree)
    if known and not fresh and not other_code and _answers(known["url"]):
        progress(f"Runs already on {known['url']}", release.name)
        return known
    stop(release.name)  # also one of a process that was killed before it could list it
    python = pythons.environment_of(release)  # first, for it may be what this machine lacks
    root = debian.unpack_release(release) if release.package else sources.lay_out(release, tree)
    installation = Installation(release, root, python)
    system.result()
    with _reserve_port(release) as port:
        database.write_configuration(installation, port.number)
        keys = database.prepare_database(installation, fresh)
        return entry(installation, keys, start_process(installation, port))


def entry(installation: Installation, keys: dict[str, str], started: Started) -> Server:
    """Return what ``servers.json`` says of a server."""
    return {
        "name": installation.release.name,
        "version": installation.release.version,
        "url": started.url,
        "db": installation.database,
        "login": "admin",
        "password": "admin",
        "api_key": keys["admin"],
        "demo_login": "demo",
        "demo_password": "demo",
        "demo_api_key": keys["demo"],
        "pid": started.pid,
    }


@contextlib.contextmanager
def _reserve_port(release: Release) -> Iterator[ports.Reservation]:
    """Reserve a release's port: the one that it had before if that is free, else a new one."""
    with CHOOSING:
        path = cache_folder() / "ports.json"
        remembered: dict[str, int] = read_json(path, {})
        before = remembered.pop(release.name, None)
        new = (one for one in ports.SERVERS if one not in remembered.values())
        port = ports.reserve(new if before is None else itertools.chain([before], new))
        write_json(path, {**remembered, release.name: port.number})
    try:
        yield port
    finally:
        port.release()


def tell_own_address(name: str, url: str) -> None:
    """Write the server's address into its database: links and PDFs fetch their parts from it."""
    for key in ("web.base.url", "report.url"):
        postgres.execute(
            name,
            "INSERT INTO ir_config_parameter (key, value) "
            f"VALUES ('{key}', '{url}') ON CONFLICT (key) DO UPDATE SET value = '{url}'",
        )


def start_process(installation: Installation, port: ports.Reservation) -> Started:
    """Start the server in a session of its own, which holds its port, and wait for its answer.

    Raises:
        ProvisioningError: It ended or did not answer; the message has the end of its log.
    """
    url = f"http://127.0.0.1:{port.number}"
    tell_own_address(installation.database, url)
    log_path = installation.folder / "server.log"
    with log_path.open("a", encoding="utf-8") as log:
        process = subprocess.Popen(
            installation.command(*installation.release.server_words),
            env={**os.environ, **installation.environment()},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=installation.folder,
            start_new_session=True,
            pass_fds=[port.lock.fileno()],
        )
    name = f"Odoo {installation.release.version}"
    with step(f"Starting the server, with the log {log_path} ...", installation.release.name):
        deadline = time.monotonic() + START_SECONDS
        while not _answers(url):
            if process.poll() is not None:
                raise ProvisioningError(f"{name} ended while it started. {end_of_log(log_path)}")
            if time.monotonic() > deadline:
                process.kill()
                raise ProvisioningError(
                    f"{name} did not answer on {url} within {START_SECONDS} s. "
                    f"{end_of_log(log_path)}"
                )
            time.sleep(POLL_SECONDS)
    progress(f"Answers on {url}", installation.release.name)
    return Started(url, process.pid)


def _answers(url: str) -> bool:
    """Tell whether the server shows its login page (a proxy must not be asked for loopback)."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/web/login", timeout=60) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def stop(name: str, *signals: signal.Signals) -> None:
    """Stop the processes of a server, if there are any, and wait until they are gone.

    Args:
        name: The server's name, which is its folder's.
        signals: What to send one after the other; by default, what lets Odoo finish first.
    """
    for kind in signals or (signal.SIGTERM, signal.SIGKILL):
        found = _processes(name)
        if not found:
            return
        progress("Stopping the server ...", name)
        for process in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, kind)
        deadline = time.monotonic() + STOP_SECONDS
        while _processes(name) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)


def _processes(name: str) -> list[int]:
    """Return the numbers of the processes that run Odoo with a server's configuration."""
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _runs(folder.name, name)]


def _runs(pid: int | str, name: str) -> bool:
    """Tell whether a process is one of a server's, and not another one of the same number."""
    return str(cache_folder() / name / "odoo.conf") in command_of(pid)
