"""Python interpreters for Odoo: find one of a wanted version, make a virtual environment."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.provisioning import debian
from tests.provisioning.cache import ProvisioningError, cache_folder, locked, run, step
from tests.provisioning.releases import DEVELOPMENT_PYTHONS, Release


def find_python(versions: tuple[str, ...]) -> Path | None:
    """Return an interpreter of one of *versions* (the first is preferred), or None.

    Each candidate is run: a pyenv shim exists for versions that are not active, and fails.
    """
    for version in versions:
        for candidate in _candidates(version):
            if _works(candidate, version):
                return candidate
    return None


def _candidates(version: str) -> Iterator[Path]:
    """Yield the places where an interpreter of *version* may be."""
    for name in (f"python{version}", "python3"):
        found = shutil.which(name)
        if found:
            yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted((pyenv / "versions").glob(f"{version}.*/bin/python{version}"), reverse=True)
    yield Path(f"/usr/bin/python{version}")
    if shutil.which("uv"):
        asked = ["uv", "python", "find", "--no-python-downloads", version]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            yield Path(answer.stdout.strip())


def _works(candidate: Path, version: str) -> bool:
    """Tell whether an interpreter runs, is of *version*, and can make virtual environments."""
    asked = "import ensurepip, venv, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run(
            [candidate, "-c", asked], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == version


def make_environment(folder: Path, versions: tuple[str, ...], label: str = "") -> Path:
    """Make an empty virtual environment, installing Debian's Python where that is what lacks.

    Args:
        folder: Where to make it; what is there is thrown away.
        versions: The Python versions that will do, the preferred one first.
        label: Whom the progress lines speak of.

    Returns:
        The environment's interpreter.

    Raises:
        ProvisioningError: None of these versions is here, nor is one of them Debian's.
    """
    interpreter = find_python(versions)
    if interpreter is None and debian.python_version() in versions:
        debian.install(["python3", "python3-venv"], "a Python that makes virtual environments")
        interpreter = find_python(versions)
    if interpreter is None:
        newest = versions[-1]
        raise ProvisioningError(
            f"No Python {' or '.join(versions)} with its venv module is on PATH, in pyenv or known "
            f"to uv. Install one with 'uv python install {newest}' or 'pyenv install {newest}'."
        )
    with step(f"Making a virtual environment with {interpreter} ...", label):
        run(
            [interpreter, "-m", "venv", "--clear", folder],
            failure=f"{interpreter} could not make a virtual environment.",
        )
    return folder / "bin" / "python"


def install_checkout(folder: Path, requirement: str) -> None:
    """Install this checkout, so that changes to it count, into an environment made where needed.

    Args:
        folder: The environment. One that has no pip is made anew: whatever made it was killed.
        requirement: The checkout, with extras: ``".[cli]"``.

    Raises:
        ProvisioningError: No suitable Python is here, or its packages can't be installed.
    """
    python = folder / "bin" / "python"
    try:
        run([python, "-m", "pip", "--version"], failure="This is no whole environment.")
    except ProvisioningError:
        make_environment(folder, DEVELOPMENT_PYTHONS)
    with step(f"Installing {requirement} into {folder} ...", log=folder / "pip.log") as log:
        run(
            [*pip_install(python), "--editable", requirement],
            log=log,
            failure=f"{requirement} could not be installed: is the network there?",
        )


def environment_of(release: Release) -> Path:
    """Make the release's virtual environment unless it is there, and return its interpreter.

    Each list of packages has an environment of its own: servers may run on one that another
    checkout would make differently.

    Raises:
        ProvisioningError: No suitable Python is here, or its packages can't be installed.
    """
    wanted = hashlib.sha256(release.requirements.read_bytes()).hexdigest()
    folder = cache_folder() / release.name / f"venv-{wanted[:12]}"
    finished = folder / "finished"
    if not finished.exists():
        with locked(f"{release.name}/venv.lock"):
            if not finished.exists():  # or else another process has just made it
                _install(release, folder)
                finished.touch()
    return folder / "bin" / "python"


def _install(release: Release, folder: Path) -> None:
    """Make an environment with the release's packages."""
    python = make_environment(folder, release.pythons, release.name)
    text = f"Installing the Python packages of {release.requirements.name} ..."
    with step(text, release.name, folder / "pip.log") as log:
        run(
            [*pip_install(python), "--prefer-binary", "-r", release.requirements],
            log=log,
            failure=f"The Python packages of Odoo {release.version} could not be installed: "
            "is the network there?",
        )


def pip_install(python: Path) -> list[str | Path]:
    """Return the command that installs what follows, for a log."""
    quiet = ("--disable-pip-version-check", "--progress-bar", "off")
    return [python, "-m", "pip", "install", *quiet]
