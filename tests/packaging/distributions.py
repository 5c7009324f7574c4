"""Builds the wheel and the source distribution, and checks what is in them."""

from __future__ import annotations

import email
import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

from tests.packaging.tools import BACKEND, ROOT, tool
from tests.provisioning.cache import ProvisioningError, folder_made_whole, progress, run

PACKAGES = ("odoo_toolkit", "odoo_toolkit_mcp")


def build(target: Path) -> tuple[Path, Path]:
    """Build both from the files of the checkout, and return the wheel and the source distribution.

    The checkout is copied: what older builds left in it must not get into a package. The same
    commit gives the same bytes: the date in the files is that of the commit, or
    ``SOURCE_DATE_EPOCH``.
    """
    progress("Building the wheel and the source distribution ...")
    moment = _moment()
    with folder_made_whole(target) as partial:
        tree, constraint = partial / "tree", partial / "backend.txt"
        for name in files():
            copy = tree / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
            copy.chmod(0o644)
        constraint.write_text(f"{BACKEND}\n", "utf-8")
        environment = {"SOURCE_DATE_EPOCH": str(moment), "PIP_CONSTRAINT": str(constraint)}
        # The files of the source distribution are unpacked, and packed into the wheel as they are.
        before = os.umask(0o022)
        try:
            run(
                [tool("pyproject-build"), "--outdir", partial, tree],
                failure="The build failed.",
                env=environment,
            )
        finally:
            os.umask(before)
        _without_traces(next(partial.glob("*.tar.gz")), moment)
    wheel, source = next(target.glob("*.whl")), next(target.glob("*.tar.gz"))
    run([tool("twine"), "check", "--strict", wheel, source], failure="The metadata are wrong.")
    _check_wheel(wheel)
    _check_source(source)
    return wheel, source


def check_reproducible(made: tuple[Path, Path], target: Path) -> None:
    """Build once more, as another user on another machine might, and compare the bytes.

    Raises:
        ProvisioningError: a file is different.
    """
    progress("The same once more, to compare the bytes")
    before = os.umask(0o077), os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Auckland"
    try:
        again = build(target)
    finally:
        os.umask(before[0])
        os.environ.pop("TZ")
        if before[1] is not None:
            os.environ["TZ"] = before[1]
    for first, second in zip(made, again, strict=True):
        if first.read_bytes() != second.read_bytes():
            raise ProvisioningError(f"{first.name} is different when it is built again: {second}")
        progress(f"{hashlib.sha256(first.read_bytes()).hexdigest()}  {first.name}")


def _moment() -> int:
    """Return the date of the files, in seconds: that of the commit, unless it is given."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    return int(run(["git", "log", "-1", "--format=%ct"], failure="No commit.", cwd=ROOT))


def _without_traces(source: Path, moment: int) -> None:
    """Take out of a source distribution who packed it, and when: setuptools leaves that in."""
    packed = io.BytesIO()
    with tarfile.open(source) as old, tarfile.open(fileobj=packed, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = moment, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() else 0o644
            # The headers of the old one hold the dates as fractions.
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with source.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=moment) as archive:
        archive.write(packed.getvalue())


def files() -> list[str]:
    """Return the files of the checkout, new ones included, ignored ones not."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _expected() -> set[str]:
    """Return the files that both packages must have."""
    return {name for name in files() if name.startswith(PACKAGES)}


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
