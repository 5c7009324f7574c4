"""A release's code, laid out below one folder: where its parts are, and what is done to all."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.provisioning.cache import cache_folder
from tests.provisioning.releases import Release


def root_folder(release: Release) -> Path:
    """Return the folder of a release's code; what is below it is as in Debian's packages."""
    return cache_folder() / release.name / "root"


def packages(root: Path) -> Path:
    """Return the folder of the Python package ``odoo``, which has all addons."""
    return root / "usr/lib/python3/dist-packages"


def program(root: Path) -> Path:
    """Return Odoo's start program."""
    return root / "usr/bin/odoo"


def version(root: Path) -> str:
    """Return what tells this code from other code, or "" where none is laid out."""
    kept = root / "VERSION"
    return kept.read_text(encoding="utf-8").strip() if kept.exists() else ""


def write_version(root: Path, text: str) -> None:
    """Keep what tells this code from other code."""
    (root / "VERSION").write_text(text + "\n", encoding="utf-8")


def write_pdfs_as_text(root: Path) -> None:
    """Take away the web font of Odoo's reports, so that tests can read what a PDF says.

    Debian's wkhtmltopdf draws the letters of a web font as outlines; those of a font of the
    system it writes as text.
    """
    for folder in (packages(root) / "odoo/addons/web/static").glob("**/fonts/lato"):
        shutil.rmtree(folder)
