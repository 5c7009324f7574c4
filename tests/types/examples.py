"""The examples of the guides and of the docstrings, as Python modules that can be type checked.

A guide becomes one module, each line of code where it is in the guide. The examples of one
docstring become one function of the module's module. What an example takes for granted stands in
the first line.
"""

from __future__ import annotations

import ast
import doctest
import functools
import re
import textwrap
from collections.abc import Container, Iterator
from pathlib import Path

import odoo_toolkit

ROOT = Path(__file__).parents[2]

#: What the examples of a file take for granted, besides ``odoo`` and the names of the library.
PREAMBLES = {
    "docs/accounting.md": "from odoo_toolkit.apps.accounting import *",
    "odoo_toolkit/operations/documents.py": "from odoo_toolkit.apps.sales.orders import ORDER",
    "odoo_toolkit/reports/generation.py": "import pathlib",
}

#: Examples that are not checked, by ``file: first line``, and why.
SKIPPED: dict[str, str] = {
    "docs/plugins.md: PLUGIN = Plugin(": "a part of tests/rental, by 'plugin new'",
    "docs/plugins.md: CONFIRM = Step(": "a part of tests/rental, by 'plugin new'",
    "docs/sync.md: from airflow.sdk import dag, task": "it needs Airflow",
    "docs/testing.md: from my_odoo import connect": "it shows mistakes; see test_stubs",
}

_BLOCK = re.compile(r"^([ ]*)```(\w*)[^\n]*\n(.*?)^\1```[ ]*$", re.MULTILINE | re.DOTALL)


def guides() -> list[str]:
    """Return the guides' paths below the root."""
    return ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield language, number of the first line, and code of the blocks of a guide."""
    for match in _BLOCK.finditer(text):
        yield match[2], text.count("\n", 0, match.start(3)) + 1, textwrap.dedent(match[3])


def is_left_out(path: str, code: str) -> bool:
    """Whether a block of a guide is one of those that are not checked."""
    return f"{path}: {code.partition(chr(10))[0]}" in SKIPPED


@functools.cache
def modules() -> dict[str, str]:
    """Return the modules that the examples make, by the path of the file that they are from."""
    made = {path: _of_guide(path) for path in guides()}
    sources = sorted((ROOT / "odoo_toolkit").rglob("*.py"))
    made |= {path: _of_docstrings(path) for path in (str(p.relative_to(ROOT)) for p in sources)}
    return {path: code for path, code in made.items() if code}


def _of_guide(path: str) -> str:
    lines: list[str] = []
    for language, first, code in blocks((ROOT / path).read_text("utf-8")):
        if language == "python" and not is_left_out(path, code):
            lines += [""] * (first - 1 - len(lines)) + code.splitlines()
    return "\n".join([_preamble(path), *lines[1:]]) + "\n" if lines else ""


def _of_docstrings(path: str) -> str:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            examples = doctest.DocTestParser().get_examples(ast.get_docstring(node) or "")
            code = "".join(example.source for example in examples)
            if code:
                name = getattr(node, "name", "module")
                functions.append(f"def in_{name}() -> None:\n{textwrap.indent(code, '    ')}")
    if not functions:
        return ""
    own = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return "\n".join([f"from {module} import *", _preamble(path, own), *functions])


def _preamble(path: str, without: Container[str] = ()) -> str:
    names = ", ".join(name for name in odoo_toolkit.__all__ if name not in without)
    always = f"from odoo_toolkit import {names}; odoo = connect()"
    return f"{always}; {PREAMBLES[path]}" if path in PREAMBLES else always


def write(folder: Path) -> list[Path]:
    """Write the modules into a folder and return their paths."""
    written = []
    for path, code in modules().items():
        file = folder / (re.sub(r"\W", "_", path) + ".py")
        file.write_text(code, "utf-8")
        written.append(file)
    return written
