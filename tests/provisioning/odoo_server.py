"""A running Odoo server: started detached on a loopback port, found again, stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import zlib
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tests.provisioning import database, debian, postgres, pythons, sources
from tests.provisioning.cache import (
    ProvisioningError,
    cache_folder,
    progress,
    read_json,
    servers_file,
    write_json,
)
from tests.provisioning.database import Installation
from tests.provisioning.releases import Release

Server = dict[str, Any]

# Below the range from which the system takes the ports of outgoing connections.
PORTS = range(18069, 18569)
START_SECONDS = 180
STOP_SECONDS = 15
POLL_SECONDS = 0.1


def read_servers() -> list[Server]:
    """Return the servers that ``servers.json`` lists."""
    servers: list[Server] = read_json(servers_file(), [])
    return servers


def running_servers() -> list[Server]:
    """Return the listed servers that run."""
    return [server for server in read_servers() if is_running(server)]


def is_running(server: Server) -> bool:
    """Tell whether a listed server's process is alive, and not another one of the same number."""
    try:
        command = Path(f"/proc/{server['pid']}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(cache_folder() / server["name"] / "odoo.conf").encode() in command


def start(
    release: Release,
    port: int,
    system: Future[None],
    tree: Path | None = None,
    fresh: bool = False,
) -> Server:
    """Provision what is missing of a release and start its server unless it runs.

    Args:
        release: Which Odoo.
        port: The loopback port to listen on.
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
    if known:
        stop(known)
    python = pythons.environment_of(release)  # first, for it may be what this machine lacks
    root = debian.unpack_release(release) if release.package else sources.lay_out(release, tree)
    installation = Installation(release, root, python)
    system.result()
    database.write_configuration(installation, port)
    keys = database.prepare_database(installation, fresh)
    url = f"http://127.0.0.1:{port}"
    tell_own_address(release.database, url)
    return entry(installation, url, keys, start_process(installation, url))


def entry(installation: Installation, url: str, keys: dict[str, str], pid: int) -> Server:
    """Return what ``servers.json`` says of a server."""
    return {
        "name": installation.release.name,
        "version": installation.release.version,
        "url": url,
        "db": installation.database,
        "login": "admin",
        "password": "admin",
        "api_key": keys["admin"],
        "demo_login": "demo",
        "demo_password": "demo",
        "demo_api_key": keys["demo"],
        "pid": pid,
    }


def choose_ports(releases: list[Release]) -> dict[str, int]:
    """Return each release's port: the remembered one if it is free, else a new one.

    Each cache folder looks in an order of its own: two that start at the same time would find the
    same port free, and take each other's servers for theirs.
    """
    first = zlib.crc32(str(cache_folder()).encode()) % len(PORTS)
    candidates = [*PORTS[first:], *PORTS[:first]]
    ports: dict[str, int] = read_json(cache_folder() / "ports.json", {})
    running = {server["name"] for server in running_servers()}
    for release in releases:
        port = ports.get(release.name)
        if port is None or not (release.name in running or is_free(port)):
            taken = set(ports.values())
            ports[release.name] = next(
                one for one in candidates if one not in taken and is_free(one)
            )
    write_json(cache_folder() / "ports.json", ports)
    return ports


def is_free(port: int) -> bool:
    """Tell whether nothing listens on a loopback port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def tell_own_address(name: str, url: str) -> None:
    """Write the server's address into its database: links and PDFs fetch their parts from it."""
    for key in ("web.base.url", "report.url"):
        postgres.execute(
            name,
            "INSERT INTO ir_config_parameter (key, value) "
            f"VALUES ('{key}', '{url}') ON CONFLICT (key) DO UPDATE SET value = '{url}'",
        )


def start_process(installation: Installation, url: str) -> int:
    """Start the server in a session of its own, and return its number once it answers."""
    progress("Starting the server ...", installation.release.name)
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
        )
    deadline = time.monotonic() + START_SECONDS
    while not _answers(url):
        if process.poll() is not None:
            raise ProvisioningError(
                f"Odoo {installation.release.version} ended while it started: see {log_path}"
            )
        if time.monotonic() > deadline:
            process.terminate()
            raise ProvisioningError(
                f"Odoo {installation.release.version} did not answer on {url} within "
                f"{START_SECONDS} s: see {log_path}"
            )
        time.sleep(POLL_SECONDS)
    progress(f"Answers on {url}", installation.release.name)
    return process.pid


def _answers(url: str) -> bool:
    """Tell whether the server shows its login page (a proxy must not be asked for loopback)."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/web/login", timeout=60) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def stop(server: Server) -> None:
    """Stop a listed server if it runs, and wait until it is gone."""
    if not is_running(server):
        return
    progress("Stopping the server ...", server["name"])
    for kind in (signal.SIGTERM, signal.SIGKILL):
        os.kill(server["pid"], kind)
        deadline = time.monotonic() + STOP_SECONDS
        while is_running(server) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        if not is_running(server):
            return
