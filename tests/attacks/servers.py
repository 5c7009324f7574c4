"""A server with a database of its own: a copy that attacks may ruin and that nobody else writes."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.attacks.database import Database
from tests.attacks.policies import Raw
from tests.live.servers import Server
from tests.provisioning import odoo_server, postgres, pythons
from tests.provisioning.cache import cache_folder, read_json, write_json
from tests.provisioning.database import Installation, restore_copy, write_configuration
from tests.provisioning.releases import RELEASES, Release


@dataclass(frozen=True)
class Copy:
    """A copied server and its database."""

    server: Server
    database: Database


def can_be_copied(server: Server) -> bool:
    """Tell whether a server was provisioned here; those of other machines cannot be copied."""
    return server.version in RELEASES and (cache_folder() / server.name / "root").exists()


def as_user(server: Server, role: str) -> Raw:
    """Return a user of a server without the toolkit, for what no policy lets pass."""
    user = server.user(role)
    return Raw(replace(server, login=user.login, password=user.password, api_key=user.api_key))


@contextlib.contextmanager
def copied(server: Server, workers: int = 0) -> Iterator[Copy]:
    """Start a copy of a provisioned server on the demo data, for this process alone.

    With ``workers`` it has so many processes that answer, as hosted servers have; otherwise it
    has threads of one.

    The copy's name has the process's number, so that processes that test side by side have one
    each, and so that what a process left behind that was killed can be told and removed.
    """
    release = RELEASES[server.version]
    _remove_left_behind(release)
    installation = _installation(release, str(os.getpid()))
    odoo: odoo_server.Server = {"name": installation.name, "pid": 0}
    try:
        restore_copy(installation)
        database = Database(installation.database).watch()
        port = _free_port()
        url = f"http://127.0.0.1:{port}"
        write_configuration(installation, port, workers)
        odoo_server.tell_own_address(installation.database, url)
        odoo["pid"] = odoo_server.start_process(installation, url)
        write_json(installation.folder / "server.json", odoo)
        yield Copy(replace(server, url=url, db=installation.database), database)
        database.close()
    finally:
        _remove(installation, odoo)


def _installation(release: Release, copy: str) -> Installation:
    root = cache_folder() / release.name / "root"
    return Installation(release, root, pythons.environment_of(release), copy)


def _free_port() -> int:
    """Return a free port; processes that ask at the same time begin at different ones."""
    ports = list(odoo_server.PORTS)
    start = os.getpid() % len(ports)
    return next(port for port in ports[start:] + ports[:start] if odoo_server.is_free(port))


def _remove_left_behind(release: Release) -> None:
    """Remove the copies of processes that are gone."""
    for folder in (cache_folder() / release.name / "copies").glob("*"):
        if not os.path.exists(f"/proc/{folder.name}"):
            _remove(
                _installation(release, folder.name), read_json(folder / "server.json", {"pid": 0})
            )


def _remove(installation: Installation, server: odoo_server.Server) -> None:
    if server["pid"]:
        odoo_server.stop(server)
    postgres.drop(installation.database)
    shutil.rmtree(installation.folder, ignore_errors=True)
