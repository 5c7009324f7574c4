"""Run a command only where something changed since it last passed.

``python -m tests.changed PART -- COMMAND``. What a part is made of is named here. When its command
passed, the digest of that is kept in the cache folder, beside the servers; on a machine that has
none, the command runs.
"""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.provisioning.cache import cache_folder, progress

ROOT = Path(__file__).parents[1]
PACKAGES = ("odoo_toolkit", "odoo_toolkit_mcp")
Content = Callable[[], Iterator[bytes]]


def files(*paths: str) -> Content:
    """The names and the contents of files, those of folders with all below."""

    def read() -> Iterator[bytes]:
        for path in _files(*paths):
            yield str(path.relative_to(ROOT)).encode()
            yield path.read_bytes()

    return read


def docstrings() -> Iterator[bytes]:
    """What the packages' public parts say of themselves, with their names and arguments."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in _files(*PACKAGES, ending=".py"):
        yield str(path.relative_to(ROOT)).encode()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, kinds):
                told = ast.unparse(node.args) if isinstance(node, kinds[2:]) else ""
                name = getattr(node, "name", "")
                yield f"{name} {told} {ast.get_docstring(node)}".encode()


def data_and_names() -> Iterator[bytes]:
    """The names of the packages' files, and the contents of those that are no Python."""
    for path in _files(*PACKAGES):
        yield str(path.relative_to(ROOT)).encode()
        if path.suffix != ".py":
            yield path.read_bytes()


#: Part -> what it depends on, besides this table.
PARTS: dict[str, tuple[Content, ...]] = {
    "docs": (files("docs", "README.md", "CONTRIBUTING.md", "SECURITY.md", "setup.cfg"), docstrings),
    "package": (
        files("setup.cfg", "pyproject.toml", "README.md", "tests/packaging"),
        data_and_names,
    ),
    "types": (files(*PACKAGES, "docs", "README.md", "tests/types", "pyproject.toml"),),
    "conformance": (files("odoo_toolkit_mcp", "tests/conformance", "tests/mcp", "setup.cfg"),),
    "demo": (files("odoo_toolkit_mcp", "tests/demo", "tests/provisioning", "setup.cfg"),),
}


def digest(part: str) -> str:
    """Return the digest of what a part depends on."""
    found = hashlib.sha256()
    for content in (files("tests/changed.py", "Makefile"), *PARTS[part]):
        for piece in content():
            found.update(len(piece).to_bytes(8, "big") + piece)
    return found.hexdigest()


def _files(*paths: str, ending: str = "") -> list[Path]:
    """Return files that git knows or would add, as they are now."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = (ROOT / name for name in sorted(set(names.splitlines())))
    return [path for path in found if path.is_file() and path.name.endswith(ending)]


def main(words: list[str]) -> int:
    """Run the command unless it passed with the same files; return its exit code."""
    part, _, *command = words
    stamp = cache_folder() / "passed" / part
    now = digest(part)
    if stamp.is_file() and stamp.read_text() == now:
        progress(f"{part}: not run, as nothing of it changed since it passed here")
        return 0
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code == 0:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(now)
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
