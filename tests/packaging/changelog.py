"""The changelog: one file for each change in ``changes``, moved into CHANGELOG.md at a release."""

from __future__ import annotations

import datetime
import re
import textwrap
from pathlib import Path

from tests.packaging.tools import ROOT
from tests.provisioning.cache import ProvisioningError

KINDS = ("added", "changed", "fixed", "removed", "security")

_HEADING = re.compile(r"^## (\S+) \((.*)\)$", re.MULTILINE)


def pending(root: Path = ROOT) -> dict[str, list[Path]]:
    """Return the files of ``changes`` by the kind of change.

    Raises:
        ProvisioningError: a file's name has no kind.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted((root / "changes").iterdir()):
        if path.name == "README.md":
            continue
        name, _, kind = path.name.removesuffix(".md").rpartition(".")
        if not name or kind not in KINDS or path.suffix != ".md":
            raise ProvisioningError(
                f"changes/{path.name} has no kind of change in its name. Rename it to"
                f" WORDS.KIND.md, where KIND is one of: {', '.join(KINDS)}."
            )
        found.setdefault(kind, []).append(path)
    return found


def collect(version: str, day: datetime.date, root: Path = ROOT) -> None:
    """Move the files of ``changes`` into CHANGELOG.md, under a version with its date."""
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text("utf-8")
    heading, changes = f"## {version} ({day})", pending(root)
    newest = _HEADING.search(text)
    start = newest.start() if newest else len(text)
    before, section = text[:start], ""
    if newest and newest[1] == version:
        following = _HEADING.search(text, newest.end())
        end = following.start() if following else len(text)
        section, start = text[newest.end() : end].strip(), end
    parts = [
        heading,
        section,
        *(_section(kind, changes[kind]) for kind in KINDS if kind in changes),
    ]
    added = "\n\n".join(part for part in parts if part)
    changelog.write_text(f"{before}{added}\n\n{text[start:]}".rstrip() + "\n", "utf-8")
    for paths in changes.values():
        for path in paths:
            path.unlink()


def _section(kind: str, paths: list[Path]) -> str:
    items = [textwrap.indent(path.read_text("utf-8").strip(), "  ") for path in paths]
    return "\n".join([f"### {kind.capitalize()}\n", *(f"- {item.strip()}" for item in items)])


def problem(version: str, root: Path = ROOT) -> str | None:
    """Return what has to be done to the changelog before a version is released."""
    newest = _HEADING.search((root / "CHANGELOG.md").read_text("utf-8"))
    dated = newest and newest[1] == version and re.fullmatch(r"\d{4}-\d\d-\d\d", newest[2])
    if not dated or pending(root):
        return (
            f"CHANGELOG.md has no dated section for {version}, or changes/ has files that are"
            " not in it. Run: python -m tests.packaging changelog"
        )
    return None
