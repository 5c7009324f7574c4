"""nginx and Caddy: this machine's, or Debian's packages unpacked into the cache folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.provisioning import debian
from tests.provisioning.cache import ProvisioningError, cache_folder, folder_made_whole, run

#: package of Debian, which has the program's name -> where the program is in it.
PATHS = {"nginx": "usr/sbin/nginx", "caddy": "usr/bin/caddy"}


def found(name: str) -> Path | None:
    """Return the program, if it is here."""
    installed = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
    unpacked = _folder(name) / PATHS[name]
    return Path(installed) if installed else unpacked if unpacked.exists() else None


def fetch(name: str) -> Path:
    """Return the program, unpacked from Debian's package unless it is here.

    Raises:
        ProvisioningError: this is no Debian machine, or the package cannot be had.
    """
    if program := found(name):
        return program
    debian.check_machine()
    with folder_made_whole(_folder(name)) as folder:
        downloads = folder / "downloads"
        downloads.mkdir()
        debian.download([name], downloads)
        for package in downloads.glob("*.deb"):
            run(["dpkg", "-x", package, folder], failure=f"{package.name} could not be unpacked.")
        shutil.rmtree(downloads)
    if program := found(name):
        return program
    raise ProvisioningError(f"Debian's package {name} has no {PATHS[name]}.")


def _folder(name: str) -> Path:
    return cache_folder() / "proxies" / name
