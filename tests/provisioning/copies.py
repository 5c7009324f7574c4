"""Copies of servers: a database restored from the dump and a server on it, removed afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.provisioning import layout, odoo_server, postgres, pythons
from tests.provisioning.cache import ProvisioningError, cache_folder, read_json, run, write_json
from tests.provisioning.database import Installation, restore_copy, write_configuration
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import Release


@contextlib.contextmanager
def copied(release: Release, workers: int = 0, addons: Sequence[Path] = ()) -> Iterator[Server]:
    """Start a server on a new copy of the release's demo data, for this process alone.

    The copy's name has the process's number, so that processes that test side by side have one
    each, and so that what a process left behind that was killed can be told and removed.

    Args:
        release: One that was started once.
        workers: Processes that answer, as hosted servers have; 0 for threads of one.
        addons: Folders of modules to install on the copy, besides those of all servers.

    Yields:
        The server's entry, as in ``servers.json``.

    Raises:
        ProvisioningError: The release was never started, or PostgreSQL does not run.
    """
    if not layout.version(layout.root_folder(release)) or not postgres.is_running():
        raise ProvisioningError(
            f"{release.name} cannot be copied: run 'python -m tests.provisioning start "
            f"{release.version}' first."
        )
    _remove_left_behind(release)
    installation = _free_installation(release)
    process: Server = {"name": installation.name, "pid": 0}
    try:
        keys = restore_copy(installation)
        port = _free_port()
        url = f"http://127.0.0.1:{port}"
        write_configuration(installation, port, workers)
        if addons:
            _install(installation, addons)
        odoo_server.tell_own_address(installation.database, url)
        process["pid"] = odoo_server.start_process(installation, url)
        write_json(installation.folder / "server.json", process)
        yield odoo_server.entry(installation, url, keys, process["pid"])
    finally:
        _remove(installation, process)


def _install(installation: Installation, addons: Sequence[Path]) -> None:
    """Install modules on a copy."""
    release = installation.release
    for addon in addons:
        shutil.copytree(addon, installation.folder / "addons" / addon.name)
    with (installation.folder / "install.log").open("w", encoding="utf-8") as log:
        run(
            [
                *installation.command(*release.server_words),
                *("-i", ",".join(addon.name for addon in addons), "--stop-after-init"),
            ],
            env=installation.environment(),
            log=log,
            failure=f"{installation.name}: the modules could not be installed.",
        )


def _installation(release: Release, copy: str) -> Installation:
    root = layout.root_folder(release)
    return Installation(release, root, pythons.environment_of(release), copy)


def _free_installation(release: Release) -> Installation:
    """Return a copy that this process has not: it may have one with other modules."""
    copies = (str(os.getpid()), *(f"{os.getpid()}-{number}" for number in range(2, 100)))
    installations = (_installation(release, copy) for copy in copies)
    return next(one for one in installations if not one.folder.exists())


def _free_port() -> int:
    """Return a free port; processes that ask at the same time begin at different ones."""
    ports = list(odoo_server.PORTS)
    start = os.getpid() % len(ports)
    return next(port for port in ports[start:] + ports[:start] if odoo_server.is_free(port))


def _remove_left_behind(release: Release) -> None:
    """Remove the copies of processes that are gone."""
    for folder in (cache_folder() / release.name / "copies").glob("*"):
        if not os.path.exists(f"/proc/{folder.name.partition('-')[0]}"):
            _remove(
                _installation(release, folder.name), read_json(folder / "server.json", {"pid": 0})
            )


def _remove(installation: Installation, process: Server) -> None:
    if process["pid"]:
        odoo_server.stop(process)
    postgres.drop(installation.database)
    shutil.rmtree(installation.folder, ignore_errors=True)
