"""What the toolkit says where another project's files lie among its own.

``make packages`` does it with the other project itself; here its files are made by hand.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import odoo_toolkit
from odoo_toolkit import installation

ROOT = Path(installation.__file__).parents[1]

WAYS_IN = {
    "a script": ["-c", "from odoo_toolkit import search_read, connect"],
    "the command": ["-m", "odoo_toolkit.cli", "--version"],
    "the server": ["-m", "odoo_toolkit_mcp", "--version"],
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with both packages, of which files can be taken away and put in."""
    package = tmp_path / "odoo_toolkit"
    package.mkdir()
    for path in (ROOT / "odoo_toolkit").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    (tmp_path / "odoo_toolkit_mcp").symlink_to(ROOT / "odoo_toolkit_mcp")
    (tmp_path / "odoo_toolkit_mcp-1.0.0.dist-info").mkdir()
    return tmp_path


def said(site: Path, arguments: list[str]) -> str:
    """Return what Python says on standard error with the packages of a folder."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env={"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr


def installed_after(site: Path) -> None:
    (site / "odoo_toolkit-3.3.0.dist-info").mkdir()
    (site / "odoo_toolkit/__init__.py").unlink()
    (site / "odoo_toolkit/__init__.py").touch()


def installed_before(site: Path) -> None:
    (site / "odoo_toolkit-3.3.0.dist-info").mkdir()


def removed_again(site: Path) -> None:
    (site / "odoo_toolkit/__init__.py").unlink()


def something_else_came_after(site: Path) -> None:
    removed_again(site)
    (site / "odoo_toolkit/__init__.py").touch()


REMOVE = "pip uninstall odoo-toolkit odoo-toolkit-mcp; then install the one you need"
REPAIR = "pip install --force-reinstall --no-deps odoo-toolkit-mcp"


@pytest.mark.parametrize("way_in", WAYS_IN)
@pytest.mark.parametrize(
    ("what_happened", "cure"),
    [
        (installed_after, REMOVE),
        (installed_before, REMOVE),
        (removed_again, REPAIR),
        (something_else_came_after, REPAIR),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_another_project_in_the_same_folder_is_told(
    site: Path, what_happened: Callable[[Path], None], cure: str, way_in: str
) -> None:
    what_happened(site)

    told = said(site, WAYS_IN[way_in])

    assert cure in told
    assert str(site) in told
    assert ("Traceback" in told) == (way_in == "a script")
    if cure == REMOVE:
        assert "odoo-toolkit 3.3.0, another project," in told


def test_alone_nothing_is_told(site: Path) -> None:
    assert said(site, WAYS_IN["a script"]) == ""
    assert said(site, ["-c", "import odoo_toolkit.testing, odoo_toolkit_mcp.server"]) == ""


def test_a_module_that_is_named_as_the_function_says_so(site: Path) -> None:
    assert "connect is a function" in said(site, ["-c", "import odoo_toolkit.connect"])


def test_another_project_may_be_anywhere_else(site: Path, tmp_path: Path) -> None:
    for name in ("elsewhere/odoo_toolkit-3.3.0.dist-info", "odoo_toolkit_extra-1.0.dist-info"):
        (tmp_path / name).mkdir(parents=True)

    assert said(site, WAYS_IN["a script"]) == ""


@pytest.mark.parametrize("name", ["odoo-toolkit-3.3.0.dist-info", "Odoo_Toolkit-3-py3.12.egg-info"])
def test_older_installers_write_the_name_in_other_ways(site: Path, name: str) -> None:
    (site / name).mkdir()

    assert "odoo-toolkit 3" in said(site, WAYS_IN["a script"])


def test_looking_reads_no_metadata_of_packages() -> None:
    code = (
        "import sys; from odoo_toolkit import connect; print({'importlib.metadata', 'mcp', 'anyio'}"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code} & set(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "set()\n"


def test_the_version_of_the_library_is_that_of_the_distribution() -> None:
    assert odoo_toolkit.__version__ == importlib.metadata.version(installation.DISTRIBUTION)
