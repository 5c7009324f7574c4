"""Debian packages: find the machine's mirror, download from any suite, unpack, install."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.provisioning import layout
from tests.provisioning.cache import (
    ProvisioningError,
    cache_folder,
    folder_made_whole,
    progress,
    read_json,
    run,
    step,
    write_json,
)
from tests.provisioning.releases import Release

# Suites of Debian proper; others ("bookworm-pgdg", "nodistro") belong to third parties.
RELEASE_NAMES = frozenset({"bullseye", "bookworm", "trixie", "forky", "duke", "sid"})
BRANCH_NAMES = frozenset({"oldoldstable", "oldstable", "stable", "testing", "unstable"})
PYTHON_OF_DEBIAN = {"bullseye": "3.9", "bookworm": "3.11", "trixie": "3.13", "forky": "3.14"}
DEFAULT_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

INSTALLING = threading.Lock()
"""apt lets only one process work at a time, and does not wait for its turn."""


def check_machine() -> None:
    """Raise a ProvisioningError that names other ways when this is not a Debian machine."""
    is_debian = re.search(r"^ID=\"?debian\b", _os_release(), re.MULTILINE)
    if not is_debian or not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise ProvisioningError(
            "This machine is not a Debian one, and the Odoo used here is Debian's."
        )


def download(packages: Sequence[str], target: Path) -> None:
    """Download packages of this machine's own Debian release into a folder.

    Raises:
        ProvisioningError: the release is not known, or a package cannot be had.
    """
    suite = re.search(r"^VERSION_CODENAME=(\w+)", _os_release(), re.MULTILINE)
    if not suite:
        raise ProvisioningError("This Debian does not tell which release it is.")
    uri, keyring = find_mirror()
    _download(packages, suite[1], uri, keyring, target, packages[0])


def _os_release() -> str:
    """Return what the operating system says of itself."""
    path = Path("/etc/os-release")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def find_mirror(apt_folder: Path = Path("/etc/apt")) -> tuple[str, str]:
    """Return the URI of the machine's own Debian mirror and the keyring that signs it.

    Raises:
        ProvisioningError: No source of this machine names a Debian suite.
    """
    for uri, suite, components, signed_by in _machine_sources(apt_folder):
        if suite in RELEASE_NAMES | BRANCH_NAMES and "main" in components and "security" not in uri:
            return uri, signed_by or DEFAULT_KEYRING
    raise ProvisioningError(
        f"No Debian mirror is named in {apt_folder}/sources.list or {apt_folder}/sources.list.d.\n"
        f"Add your mirror's 'main' component there and run 'apt-get update'."
    )


def _machine_sources(apt_folder: Path) -> Iterator[tuple[str, str, list[str], str]]:
    """Yield (URI, suite, components, keyring) of each source, from both file formats."""
    parts = apt_folder / "sources.list.d"
    for path in sorted(parts.glob("*.sources")):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            text = re.sub(r"^#.*\n?", "", paragraph, flags=re.MULTILINE)
            fields = dict(re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", text, re.MULTILINE))
            fields = {name.lower(): value.strip() for name, value in fields.items()}
            if "deb" not in fields.get("types", "").split() or fields.get("enabled") == "no":
                continue
            keyring = fields.get("signed-by", "")
            for uri in fields.get("uris", "").split():
                for suite in fields.get("suites", "").split():
                    yield (
                        uri,
                        suite,
                        fields.get("components", "").split(),
                        keyring if keyring.startswith("/") else "",
                    )
    one_line = re.compile(r"^deb\s+(?:\[(?P<options>[^]]*)\]\s*)?(?P<uri>\S+)\s+(?P<rest>.*)$")
    for path in [apt_folder / "sources.list", *sorted(parts.glob("*.list"))]:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            found = one_line.match(line.split("#")[0].strip())
            if found:
                suite, *components = found["rest"].split() or [""]
                signed_by = re.search(r"signed-by=(\S+)", found["options"] or "")
                yield found["uri"], suite, components, signed_by[1] if signed_by else ""


def unpack_release(release: Release) -> Path:
    """Download and unpack a release's Debian packages unless that was done before.

    Nothing is installed: the packages are unpacked into the cache folder.

    Returns:
        The folder that stands for the file system's root.
    """
    root = layout.root_folder(release)
    if root.exists():
        layout.write_pdfs_as_text(root)
        _warn_of_another_version(release, root)
        return root
    uri, keyring = find_mirror()
    pinned = f"{release.package}={release.package_version}"
    packages = (pinned, *release.linked_packages)
    with folder_made_whole(root) as folder:
        downloads = folder / "downloads"
        downloads.mkdir()
        _download(packages, release.suite, uri, keyring, downloads, release.name)
        with step("Unpacking the packages ...", release.name):
            for deb in sorted(downloads.glob("*.deb")):
                run(["dpkg", "-x", deb, folder], failure=f"{deb.name} could not be unpacked.")
        own = next(iter(downloads.glob(f"{release.package}_*.deb")))
        version = run(["dpkg-deb", "-f", own, "Version"], failure=f"{own.name} has no version.")
        layout.write_version(folder, version.strip())
        shutil.rmtree(downloads)
    layout.write_pdfs_as_text(root)
    _warn_of_another_version(release, root)
    return root


def _warn_of_another_version(release: Release, root: Path) -> None:
    """Say loudly that the Odoo that runs is not the one that tests are written for."""
    version = layout.version(root)
    if version != release.package_version:
        progress(
            f"*** THIS IS {release.package} {version}, not {release.package_version}, which Debian "
            f"{release.suite} did not have. Tests may differ. If they pass, write the version into "
            f"tests/provisioning/releases.py; to look for the other one, delete {root}.",
            release.name,
        )


def _download(
    packages: Sequence[str], suite: str, uri: str, keyring: str, target: Path, label: str
) -> None:
    """Download *packages* of a Debian suite with apt, apart from the machine's own apt state."""
    apt = cache_folder() / "apt" / suite
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    sources = apt / "sources.list"
    sources.write_text(f"deb [signed-by={keyring}] {uri} {suite} main\n", encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": apt / "lists",
        # apt would otherwise prefer the versions that the machine itself has installed
        "Dir::State::Status": "/dev/null",
        "Dir::Cache": apt / "cache",
        # root's apt would otherwise download as a user who may not reach the cache folder
        "APT::Sandbox::User": "root",
        # a mirror may lag behind or be a snapshot; the signatures are checked all the same
        "Acquire::Check-Valid-Until": "false",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    log_path = apt / "apt.log"
    with step(f"Reading the package list of Debian {suite} ...", label, log_path) as log:
        run(
            ["apt-get", *words, "--error-on=any", "update"],
            log=log,
            failure=f"Debian's package list of {suite} could not be fetched: is the network there?",
        )
    chosen = [name for name in packages if "=" not in name or _is_there(name, words)]
    # what Debian no longer has in that version, it may have in another
    missing = [name.partition("=")[0] for name in packages if name not in chosen]
    packages = [*missing, *chosen]
    text = f"Downloading {packages[0]} and {len(packages) - 1} packages it links to ..."
    with step(text, label, log_path) as log:
        run(
            ["apt-get", *words, "download", *packages],
            cwd=target,
            log=log,
            failure=f"The packages of {packages[0]} could not be downloaded.",
        )


def _is_there(pinned: str, words: Sequence[str]) -> bool:
    """Tell whether a suite's package list has a package in a version, given as ``name=version``."""
    name, _, version = pinned.partition("=")
    listed = run(
        ["apt-cache", *words, "madison", name], failure=f"Debian's {name} could not be looked up."
    )
    return version in [line.split("|")[1].strip() for line in listed.splitlines() if "|" in line]


def python_version() -> str:
    """Return the version of this machine's Debian's own Python, or "" when it is not known."""
    found = re.search(r"^VERSION_CODENAME=(\w+)", _os_release(), re.MULTILINE)
    return PYTHON_OF_DEBIAN.get(found[1], "") if found else ""


def install(packages: Sequence[str], why: str, before: str = "true", after: str = "true") -> None:
    """Install missing Debian packages system-wide: as root, or with passwordless sudo.

    Args:
        packages: What to install.
        why: What is missing without them, for the person who reads along.
        before: A shell command that goes before the installation.
        after: A shell command that follows it, also when it failed.

    Raises:
        ProvisioningError: The installation failed, or the user may not install; the message then
            has the exact command.
    """
    wanted = " ".join(packages)
    script = (
        "export DEBIAN_FRONTEND=noninteractive; apt-get update;"
        f" {before} && apt-get install --yes --no-install-recommends {wanted};"
        f" status=$?; {after}; exit $status"
    )
    command = ["sh", "-c", script]
    if os.geteuid() != 0:
        run(
            ["sudo", "-n", "true"],
            failure=f"Missing: {why}. Please run this as root, then start again:\n\n  {script}\n",
        )
        command = ["sudo", "-n", *command]
    with INSTALLING:
        text = f"Installing the system's package {wanted} with apt-get ({why}) ..."
        with step(text, log=cache_folder() / "apt-get.log") as log:
            run(command, log=log, failure=f"Debian's {wanted} could not be installed ({why}).")
        write_json(_installed_file(), sorted({*installed(), *packages}))


def installed() -> list[str]:
    """Return the packages that ``install`` has installed on this machine."""
    names: list[str] = read_json(_installed_file(), [])
    return names


def _installed_file() -> Path:
    return cache_folder() / "installed.json"
