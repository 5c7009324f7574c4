"""Run the examples of pages and write what they print below them.

``ODOO_URL=... python -m docs.builder.outputs`` runs the Python blocks of the pages, or of those
that are named, in their order, in one namespace and an empty folder. A ``text`` block that
follows a Python block directly is what that block prints, and is written anew. The examples write
to the Odoo that they run on: take one with demo data that may be thrown away.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DOCS = Path(__file__).parents[1]

#: The pages whose examples have outputs. Each is complete.
PAGES = (
    _DOCS.parent / "README.md",
    *(_DOCS / f"start/{name}.md" for name in ("script", "notebook", "odoo-for-python")),
    *(
        _DOCS / f"{name}.md"
        for name in (
            "connecting",
            "library",
            "values",
            "domains",
            "dry-run",
            "errors",
            "permissions",
            "undo",
            "import",
            "import-files",
            "import-bulk",
            "undo-operations",
            "export",
            "aggregate",
            "changes",
            "wizards",
            "chatter",
            "attachments",
            "reports",
            "accounting",
            "payments",
            "purchase",
            "sales",
            "manufacturing",
            "hr",
            "project",
            "crm",
            "products",
        )
    ),
    _DOCS / "recipes.md",
    _DOCS / "inventory.md",  # it counts stock away
)

#: First lines of examples that only run on Odoo Enterprise.
_ENTERPRISE = ("from odoo_toolkit.apps import helpdesk\n",)

#: A Python block, and the output below it if there is one.
_EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?P<output>\n```text\n.*?^```\n)?", re.MULTILINE | re.DOTALL
)


def run(text: str, name: str) -> Iterator[tuple[re.Match[str], str]]:
    """Run the examples of a page and yield each with what it prints.

    Args:
        text: the page.
        name: of the page, for tracebacks.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for example in _EXAMPLE.finditer(text):
        if example["code"].startswith(_ENTERPRISE):
            continue
        lines = "\n" * text.count("\n", 0, example.start("code"))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(lines + example["code"], name, "exec"), namespace)  # noqa: S102
        yield example, printed.getvalue()


def with_outputs(text: str, name: str) -> str:
    """Return a page with the outputs that its examples have now."""
    parts, end = [], 0
    for example, printed in run(text, name):
        parts.append(text[end : example.end("code")] + "```\n")
        lines = [line.rstrip() for line in printed.splitlines()]
        parts += ["\n```text\n", *(f"{line}\n" for line in lines), "```\n"] if lines else []
        end = example.end()
    return "".join(parts) + text[end:]


@contextlib.contextmanager
def _within(folder: str) -> Iterator[None]:
    """Work in a folder, as ``contextlib.chdir`` of Python 3.11."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Write the outputs of the pages that the command line names, or of all."""
    for path in [Path(name).absolute() for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as folder, _within(folder):
            text = with_outputs(path.read_text("utf-8"), str(path))
        path.write_text(text, "utf-8")
        print(f"{path.name}: written", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
