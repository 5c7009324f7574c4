"""Source trees: a checkout of Odoo is copied, laid out as one of Debian's packages is.

The copy is what runs, so that the checkout may change or go, and need not be named again.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.provisioning import layout
from tests.provisioning.cache import ProvisioningError, folder_made_whole, progress, step
from tests.provisioning.releases import Release

START_PROGRAMS = ("odoo-bin", "setup/odoo")
"""Checkouts have the first; some archives of a release have only the second."""

# Some trees carry modules under it by mistake; nobody may run those without a subscription.
ENTERPRISE_LICENCE = "OEEL-1"

HOW_TO_GIVE_A_TREE = """\
Debian carries no Odoo {version}: it runs from a source tree, which has to be named once:
  git clone --depth 1 --branch {version}.0 https://github.com/odoo/odoo odoo-{version}.0
  python -m tests.provisioning start {version} --source odoo-{version}.0"""


def lay_out(release: Release, tree: Path | None) -> Path:
    """Copy a source tree to where the release runs from, unless that was done before.

    Args:
        release: Which Odoo.
        tree: A checkout of it; None for what was copied before.

    Returns:
        The folder that stands for the file system's root.

    Raises:
        ProvisioningError: No tree was ever given, or it is not one of this Odoo.
    """
    root = layout.root_folder(release)
    if not has_other_code(release, tree) or tree is None:
        return root
    left_out = ", ".join(sorted(folder.name for folder in _enterprise_modules(tree)))
    if left_out:
        progress(f"Left out, for they are under the Enterprise licence: {left_out}", release.name)
    with step(f"Copying {tree} ...", release.name), folder_made_whole(root) as folder:
        for path in _files(tree):
            target = folder / _place(path.relative_to(tree))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        layout.write_pdfs_as_text(folder)
        layout.write_version(folder, _tree_version(release, tree))
    return root


def has_other_code(release: Release, tree: Path | None) -> bool:
    """Tell whether *tree* holds something else than what the release runs from until now.

    Raises:
        ProvisioningError: No tree was ever given, or it is not one of this Odoo.
    """
    copied = layout.version(layout.root_folder(release))
    if tree is not None:
        return _tree_version(release, tree) != copied
    if not copied:
        raise ProvisioningError(HOW_TO_GIVE_A_TREE.format(version=release.version))
    return False


@functools.cache  # a tree has some 40,000 files
def _tree_version(release: Release, tree: Path) -> str:
    """Return a name for what a source tree holds, having looked whether it is one."""
    said = tree / "odoo/release.py"
    if not said.is_file() or not any((tree / name).is_file() for name in START_PROGRAMS):
        raise ProvisioningError(
            f"{tree} is not a source tree of Odoo, with odoo-bin and odoo/release.py in it."
        )
    text = said.read_text(encoding="utf-8")
    found = re.search(r"^version_info = \((.+?), (\d+),", text, re.MULTILINE)
    series = f"{found[1]}.{found[2]}" if found else "of an unknown version"
    if series != f"{release.version}.0":
        raise ProvisioningError(f"{tree} is Odoo {series}, not {release.version}.0.")
    contents = hashlib.sha256()
    for path in _files(tree):
        contents.update(f"{path.relative_to(tree)}\0".encode() + path.read_bytes())
    return f"{release.version}.0+{contents.hexdigest()[:12]}"


def _files(tree: Path) -> Iterator[Path]:
    """Yield the files that Odoo runs on, in order: its start program, its package, its addons."""
    yield next(tree / name for name in START_PROGRAMS if (tree / name).is_file())
    left_out = _enterprise_modules(tree)
    for part in ("odoo", "addons"):
        for parent, folders, files in os.walk(tree / part):
            folder = Path(parent)
            if folder in left_out or folder.name == "__pycache__":
                folders.clear()
                continue
            folders.sort()
            yield from (folder / name for name in sorted(files) if (folder / name).is_file())


@functools.cache
def _enterprise_modules(tree: Path) -> frozenset[Path]:
    """Return the folders of the modules that are not free software."""
    manifests = [
        *tree.glob("odoo/addons/*/__manifest__.py"),
        *tree.glob("addons/*/__manifest__.py"),
    ]
    return frozenset(one.parent for one in manifests if _licence(one) == ENTERPRISE_LICENCE)


def _licence(manifest: Path) -> str:
    """Return the licence that a module's manifest names."""
    try:
        said = ast.literal_eval(manifest.read_text(encoding="utf-8"))
        return str(said.get("license", ""))
    except (ValueError, SyntaxError, AttributeError):
        return ""  # Odoo will not take it for a module, either


def _place(path: Path) -> Path:
    """Return where a file of a source tree lies in a Debian package."""
    first, *_ = path.parts
    root = Path()
    if first == "odoo":
        return layout.packages(root) / path
    if first == "addons":  # beside the few that are in odoo/addons already
        return layout.packages(root) / "odoo" / path
    return layout.program(root)
