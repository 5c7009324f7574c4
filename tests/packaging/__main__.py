"""Build what is released, and check it: ``python -m tests.packaging``.

With ``--one`` it is installed once only: on the oldest Python, with the oldest versions allowed.
``python -m tests.packaging release FOLDER --repository ADDRESS`` only builds, into a folder.
``python -m tests.packaging rehearse FOLDER`` checks and builds all, and says what is left to do.
``python -m tests.packaging changelog`` moves the files of ``changes`` into CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import re
import shutil
import sys
from pathlib import Path

from tests.packaging import (
    bundle,
    changelog,
    distributions,
    environments,
    files,
    registry,
    secrets,
    tools,
)
from tests.provisioning.cache import ProvisioningError, progress, run

#: Stands for the address of the repository where that makes no difference.
_SOMEWHERE = "https://example.com/owner/odoo-toolkit"


def main() -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.packaging", description=__doc__)
    parser.add_argument(
        "--complete", action="store_true", help="fail where something had to be left out"
    )
    parser.add_argument(
        "--one", action="store_true", help="install on one Python, with the oldest versions allowed"
    )
    commands = parser.add_subparsers(dest="command")
    release = commands.add_parser("release", help="build what a release offers")
    release.add_argument("folder", type=Path)
    release.add_argument("--repository", required=True, help="address of the repository")
    rehearse = commands.add_parser("rehearse", help="all that a release takes but to publish it")
    rehearse.add_argument("folder", type=Path)
    commands.add_parser("changelog", help="move the files of changes/ into CHANGELOG.md")
    options = parser.parse_args()
    try:
        if options.command == "release":
            return _release(options.folder, options.repository)
        if options.command == "rehearse":
            return _rehearse(options.folder)
        if options.command == "changelog":
            changelog.collect(_version(), datetime.datetime.now(datetime.UTC).date())
            return 0
        return _check(complete=options.complete, one=options.one)
    except ProvisioningError as error:
        print(error, file=sys.stderr)
        return 1


def _release(folder: Path, repository: str) -> int:
    """Build all that a release offers into a folder, from a checkout that is ready for it."""
    if left := _to_do():
        raise ProvisioningError(" ".join(left))
    _build(folder, repository)
    return 0


def _rehearse(folder: Path) -> int:
    """Check and build everything; say what is to be done before the release."""
    _check(complete=False, one=False)
    _build(folder, _SOMEWHERE)
    for left in _to_do():
        print(f"\n*** BEFORE THE RELEASE: {left} ***", file=sys.stderr)
    return 0


def _to_do() -> list[str]:
    """Return what keeps this checkout from being released."""
    left = []
    if changed := run(["git", "status", "--porcelain"], failure="No repository.", cwd=tools.ROOT):
        left.append(f"There are changes that are not committed: {changed.split()[1]}, ...")
    if problem := changelog.problem(_version()):
        left.append(problem)
    return left


def _version() -> str:
    """Return the version that the setup declares."""
    setup = (tools.ROOT / "setup.cfg").read_text("utf-8")
    version = re.search(r"^version = (.*)$", setup, re.MULTILINE)
    assert version
    return version[1]


def _build(folder: Path, repository: str) -> None:
    wheel, source = distributions.build(tools.folder() / "release")
    folder.mkdir(parents=True, exist_ok=True)
    made = bundle.make_bundle(wheel, folder)
    registry.make_server_json(wheel, made, repository, folder)
    environments.list_components(wheel, folder, tools.folder() / "components")
    for file in (wheel, source):
        shutil.copy(file, folder)
    offered = sorted(file for file in folder.iterdir() if file.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in offered]
    (folder / "SHA256SUMS").write_text("".join(sums), "utf-8")
    print("".join(sums), end="")


def _check(*, complete: bool, one: bool) -> int:
    """Build everything, install it in every way or in one, and use it."""
    target = tools.folder() / "check"
    wheel, source = distributions.build(tools.folder() / "built")
    made = bundle.make_bundle(wheel, target)
    registry.make_server_json(wheel, made, _SOMEWHERE, target)
    left_out = []
    if not bundle.check_bundle(made, target / "bundle"):
        left_out.append("the bundle (there is no Node)")
    environments.check_lowest(wheel, target / "environments")
    files.check()
    if not one:
        distributions.check_reproducible((wheel, source), tools.folder() / "built-again")
        secrets.check()
        left_out += _check_every_way(wheel, source, target)
    progress("All packages are in order.")
    for name in left_out:
        print(f"\n*** LEFT OUT: {name} ***\n", file=sys.stderr)
    return 1 if left_out and complete else 0


def _check_every_way(wheel: Path, source: Path, target: Path) -> list[str]:
    """Install on each Python with each extra, and as people do; return what was left out."""
    folder = target / "environments"
    missing = environments.check_matrix(wheel, source, folder)
    environments.check_runners(wheel, target)
    environments.check_clash(wheel, folder)
    environments.list_components(wheel, target, folder / "components")
    return [f"Python {version}" for version in missing]


if __name__ == "__main__":
    sys.exit(main())
