"""Build what is released, and check it: ``python -m tests.packaging``.

With ``--one`` it is installed once only: on the oldest Python, with the oldest versions allowed.
``python -m tests.packaging release FOLDER --repository ADDRESS`` only builds, into a folder.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from tests.packaging import bundle, distributions, environments, files, registry, tools
from tests.provisioning.cache import ProvisioningError, progress


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
    options = parser.parse_args()
    try:
        if options.command == "release":
            return _release(options.folder, options.repository)
        return _check(complete=options.complete, one=options.one)
    except ProvisioningError as error:
        print(error, file=sys.stderr)
        return 1


def _release(folder: Path, repository: str) -> int:
    """Build all that a release offers into a folder."""
    wheel, source = distributions.build(tools.folder() / "release")
    folder.mkdir(parents=True, exist_ok=True)
    made = bundle.make_bundle(wheel, folder)
    registry.make_server_json(wheel, made, repository, folder)
    environments.list_components(wheel, folder, tools.folder() / "components")
    for file in (wheel, source):
        shutil.copy(file, folder)
    for file in sorted(folder.iterdir()):
        print(file)
    return 0


def _check(*, complete: bool, one: bool) -> int:
    """Build everything, install it in every way or in one, and use it."""
    target = tools.folder() / "check"
    wheel, source = distributions.build(tools.folder() / "built")
    made = bundle.make_bundle(wheel, target)
    registry.make_server_json(wheel, made, "https://example.com/owner/odoo-toolkit", target)
    left_out = []
    if not bundle.check_bundle(made, target / "bundle"):
        left_out.append("the bundle (there is no Node)")
    environments.check_lowest(wheel, target / "environments")
    files.check()
    if not one:
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
