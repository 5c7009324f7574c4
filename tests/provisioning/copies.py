"""Copies of servers: a new database with the demo data and a server on it, removed afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from tests.provisioning import layout, odoo_server, ports, postgres, pythons
from tests.provisioning.cache import ProvisioningError, cache_folder, run, try_lock
from tests.provisioning.database import (
    Installation,
    make_passwords_quick,
    restore_copy,
    write_configuration,
)
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import RELEASES, Release


@contextlib.contextmanager
def copied(release: Release, workers: int = 0, addons: Sequence[Path] = ()) -> Iterator[Server]:
    """Start a server on a new copy of the release's demo data, for this process alone.

    It takes about as long as Odoo takes to start, some three seconds. Processes that test side by
    side may each have one; a lock tells theirs from what a killed process left behind, which is
    removed here.

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
    remove_left_behind()
    with _free_installation(release) as installation:
        try:
            keys = restore_copy(installation)
            make_passwords_quick(installation)
            with ports.reserved(ports.SERVERS) as port:
                write_configuration(installation, port.number, workers)
                if addons:
                    _install(installation, addons)
                started = odoo_server.start_process(installation, port)
            yield odoo_server.entry(installation, keys, started)
        finally:
            _remove(installation)


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


@contextlib.contextmanager
def _free_installation(release: Release) -> Iterator[Installation]:
    """Lock a copy's name that this process has not used: it may have copies with other modules."""
    for copy in (str(os.getpid()), *(f"{os.getpid()}-{number}" for number in range(2, 100))):
        installation = _installation(release, copy)
        lock = _lock(installation.folder)
        if lock is None:
            continue
        with lock:
            try:
                _remove(installation)  # of a process of the same number that was killed
                yield installation
            finally:
                _lock_file(installation.folder).unlink(missing_ok=True)
        return
    raise ProvisioningError(f"This process has too many copies of {release.name}.")


def remove_left_behind() -> None:
    """Remove the copies of processes that are gone, while PostgreSQL runs, which has their data."""
    if not postgres.is_running():
        return
    for release in RELEASES.values():
        for folder in (cache_folder() / release.name / "copies").glob("*/"):
            known = _lock_file(folder).exists()
            lock = _lock(folder)
            if lock is None:
                continue
            with lock:
                # one without a lock was made before copies had locks
                if known or not os.path.exists(f"/proc/{folder.name.partition('-')[0]}"):
                    _remove(_installation(release, folder.name))
                _lock_file(folder).unlink(missing_ok=True)


def _lock_file(folder: Path) -> Path:
    return folder.with_name(folder.name + ".lock")


def _lock(folder: Path) -> IO[str] | None:
    """Lock a copy's name; None when the process is alive that has it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    return try_lock(_lock_file(folder))


def _remove(installation: Installation) -> None:
    # its database goes, too: there is nothing that Odoo would have to finish
    odoo_server.stop(installation.name, signal.SIGKILL)
    postgres.drop(installation.database)
    shutil.rmtree(installation.folder, ignore_errors=True)
