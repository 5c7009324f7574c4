"""Builds the wheel and the source distribution, and checks what is in them."""

from __future__ import annotations

import email
import subprocess
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

from tests.packaging.tools import ROOT, tool
from tests.provisioning.cache import folder_made_whole, progress, run

PACKAGES = ("odoo_toolkit", "odoo_toolkit_mcp")


def build(target: Path) -> tuple[Path, Path]:
    """Build both from the files of the checkout, and return the wheel and the source distribution.

    The checkout is copied: what older builds left in it must not get into a package.
    """
    progress("Building the wheel and the source distribution ...")
    with folder_made_whole(target) as partial:
        tree = partial / "tree"
        for name in _files():
            copy = tree / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
        run([tool("pyproject-build"), "--outdir", partial, tree], failure="The build failed.")
    wheel, source = next(target.glob("*.whl")), next(target.glob("*.tar.gz"))
    run([tool("twine"), "check", "--strict", wheel, source], failure="The metadata are wrong.")
    _check_wheel(wheel)
    _check_source(source)
    return wheel, source


def _files() -> list[str]:
    """Return the files of the checkout, new ones included, ignored ones not."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _expected() -> set[str]:
    """Return the files that both packages must have."""
    return {name for name in _files() if name.startswith(PACKAGES)}


def _check_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    files = {name for name in names if ".dist-info/" not in name}
    if files != _expected():
        raise SystemExit(f"{wheel.name} has the wrong files: {sorted(files ^ _expected())[:10]}")
    if not any(name.endswith("/licenses/LICENSE") for name in names):
        raise SystemExit(f"{wheel.name} has no licence.")


def _check_source(source: Path) -> None:
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = (_expected() | {"LICENSE", "README.md", "pyproject.toml", "setup.cfg"}) - names
    if missing:
        raise SystemExit(f"{source.name} lacks {sorted(missing)[:10]}")


def metadata(wheel: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))
