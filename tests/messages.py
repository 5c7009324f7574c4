"""The table of messages: errors, suggestions, warnings and questions in the code, for editors.

``python -m tests.messages`` writes ``tests/messages.txt``: a text in each line, sorted, and its
file. A value that a message fills in is shown by its name. Descriptions of tools are in
``tests/mcp/golden`` instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.descriptions import HOLE, sources

TABLE = Path(__file__).parent / "messages.txt"

_SENTENCE = re.compile(r"[.?:!](?:\s|$)")
_CODE = re.compile(r"\n\n|^\s*(?:\n|\"\"\"|[|<^])|\b(?:SELECT|UPDATE|DELETE|WHERE)\b|[=<>] \?|\(\?")


def table() -> str:
    """Return the table as it is in the file."""
    lines = {
        f"{text.strip()}\t{path}".replace("\n", "\\n")
        for path, tree in sources().items()
        if "/toolsets/" not in path
        for text in texts(tree)
    }
    return "\n".join(sorted(lines)) + "\n"


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the sentences that are no docstrings, descriptions of parameters or SQL."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(id(node.value))  # docstrings
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Doc":
            left_out.update(map(id, ast.walk(node)))
        if isinstance(node, ast.JoinedStr):
            left_out.update(id(part) for part in ast.walk(node) if part is not node)
        text = template(node)
        sentence = len(text.split()) > 2 and _SENTENCE.search(text) and not _CODE.search(text)
        if sentence and id(node) not in left_out:
            yield text


def template(node: ast.AST) -> str:
    """Return a text with the names of the values that are filled in; nothing for other nodes."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(template, node.values))
    if isinstance(node, ast.FormattedValue):
        value = node.value
        while isinstance(value, ast.Call) and value.args:
            value = value.args[0]
        return f"{{{getattr(value, 'attr', getattr(value, 'id', HOLE))}}}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
