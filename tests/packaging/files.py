"""Checks the files that describe images and releases, by the linters made for them."""

from __future__ import annotations

from pathlib import Path

from tests.packaging.tools import ROOT, tool
from tests.provisioning.cache import progress, run


def check() -> None:
    """Lint the Dockerfile and the workflows; what a linter finds is an error."""
    progress("Dockerfile and workflows")
    run([tool("hadolint"), ROOT / "Dockerfile"], failure="The Dockerfile is not in order.")
    zizmor: list[str | Path] = [tool("zizmor"), "--offline", "--quiet", "--persona", "pedantic"]
    run([*zizmor, ROOT / ".github/workflows"], failure="A workflow is not in order.")
