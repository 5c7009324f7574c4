"""Python interpreters for Odoo: find one of a wanted version, make a virtual environment."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.provisioning.cache import ProvisioningError, cache_folder, progress, run
from tests.provisioning.releases import Release


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


def make_environment(release: Release) -> Path:
    """Make the release's virtual environment unless it is there, and return its interpreter.

    Raises:
        ProvisioningError: No suitable Python is here, or its packages can't be installed.
    """
    folder = cache_folder() / release.name / "venv"
    python = folder / "bin" / "python"
    wanted = hashlib.sha256(release.requirements.read_bytes()).hexdigest()
    finished = folder / "finished"
    if finished.exists() and finished.read_text(encoding="utf-8") == wanted:
        return python
    interpreter = find_python(release.pythons)
    if interpreter is None:
        raise ProvisioningError(
            f"Odoo {release.version} needs Python {' or '.join(sorted(release.pythons))}, with "
            f"its venv module; none is on PATH, in pyenv or known to uv. {release.python_advice}"
        )
    progress(f"Making a virtual environment with {interpreter} ...", release.name)
    run(
        [interpreter, "-m", "venv", "--clear", folder],
        failure=f"{interpreter} could not make a virtual environment.",
    )
    progress(f"Installing the Python packages of {release.requirements.name} ...", release.name)
    run(
        [python, "-m", "pip", "install", "--quiet", "--prefer-binary", "-r", release.requirements],
        failure=f"The Python packages of Odoo {release.version} could not be installed: "
        "is the network there?",
    )
    finished.write_text(wanted, encoding="utf-8")
    return python
