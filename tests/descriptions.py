"""What the project says in words, and the names that are in it.

Descriptions of tools, parameters, prompts and resources; messages and suggestions of errors, and
warnings; docstrings; guides. Names are collected here, once; what they must be is asserted in
``tests/unit/test_descriptions.py`` and, on real servers, ``tests/live/test_descriptions.py``.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.compat import NEWEST, OLDEST
from odoo_toolkit_mcp.guides.domain_help import domain_help
from odoo_toolkit_mcp.instructions import instructions_for
from odoo_toolkit_mcp.prompts.catalog import list_prompts
from odoo_toolkit_mcp.resources.catalog import RESOURCES, TEMPLATES
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import Tool, ToolTable

ROOT = Path(__file__).parents[1]
PACKAGES = ("odoo_toolkit", "odoo_toolkit_mcp")

#: Stands for what a message fills in, so that no name is put together over it.
HOLE = "\N{HORIZONTAL ELLIPSIS}"

VERSIONS = range(OLDEST, NEWEST + 1)


@attrs.frozen
class Said:
    """A text, and where it stands: the path of the file, or the name of the tool."""

    where: str
    words: str


@functools.cache
def tools() -> Mapping[str, Tool]:
    """Return every tool of every toolset, also those that only some settings make."""
    approval = {"approval": ("account.move.action_post",), "approvers": ("olga",)}
    table = ToolTable(ServerSettings(mode="full", **approval))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    return table.tools


@functools.cache
def tool_texts() -> tuple[Said, ...]:
    """Return the descriptions of tools, their parameters and what is in these."""
    found = []
    for tool in tools().values():
        found.append(Said(tool.name, tool.description))
        for name, schema in tool.input_schema["properties"].items():
            texts = (part.get("description") for part in objects_in(schema))
            found += [Said(f"{tool.name}.{name}", text) for text in texts if isinstance(text, str)]
    return tuple(found)


def objects_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Return each object of a JSON schema, itself included, at any depth."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from objects_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects_in(value)


@functools.cache
def server_texts() -> tuple[Said, ...]:
    """Return what the server says of itself, its prompts and its resources."""
    found = [
        Said(
            f"instructions, {mode}",
            instructions_for(tools(), ServerSettings(mode=mode), form),
        )
        for mode in MODE_ACCESS
        for form in ("flat", "areas")
    ]
    found += [Said(f"odoo_domain_help on {v}", domain_help(v)) for v in VERSIONS]
    for prompt in list_prompts():
        found.append(Said(prompt.name, prompt.description or ""))
        found += [
            Said(f"{prompt.name}.{a.name}", a.description or "") for a in prompt.arguments or ()
        ]
    found += [Said(str(each.uri), each.description or "") for each in RESOURCES]
    found += [Said(each.uri_template, each.description or "") for each in TEMPLATES]
    return tuple(found)


@functools.cache
def guides() -> tuple[Said, ...]:
    """Return the documents."""
    paths = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return tuple(Said(str(p.relative_to(ROOT)), p.read_text("utf-8")) for p in paths)


@functools.cache
def sources() -> Mapping[str, ast.Module]:
    """Return the parsed files of both packages, by their path."""
    paths = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]
    return {str(p.relative_to(ROOT)): ast.parse(p.read_text("utf-8")) for p in paths}


@functools.cache
def docstrings() -> tuple[Said, ...]:
    """Return the docstrings of modules, classes and functions."""
    return tuple(
        Said(f"{path}:{getattr(node, 'name', 'module')}", text)
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and (text := ast.get_docstring(node))
    )


@functools.cache
def messages() -> tuple[Said, ...]:
    """Return the sentences in the code: of errors, suggestions, warnings, questions, prompts."""
    return tuple(
        Said(f"{path}:{line}", text)
        for path, tree in sources().items()
        for line, text in sentences(tree)
    )


#: Functions that take names as one text.
_LIST_NAMES = ("words", "op.words", "Document", "op.Document")


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the texts of several words: no docstrings, regular expressions or lists of names."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(id(node.value))  # docstrings
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _LIST_NAMES:
            left_out.update(map(id, [*node.args, *(each.value for each in node.keywords)]))
        if isinstance(node, ast.JoinedStr):
            left_out.update(id(part) for part in ast.walk(node) if part is not node)
        text = _text(node)
        if text and id(node) not in left_out and len(text.split()) > 2 and "(?" not in text:
            yield node.lineno, text  # type: ignore[attr-defined]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or HOLE for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def domains_in(words: str) -> list[list[Any]]:
    """Return the domains that are written out in a text, as JSON; single conditions as well."""
    found = []
    spans = [*re.findall(r"`(\[[^`]*\])`", words), *re.findall(r"^(\[.*\])$", words, re.MULTILINE)]
    for span in spans:
        try:
            domain = json.loads(f"[{span}]")
        except json.JSONDecodeError:
            continue
        found.append(domain[0] if len(domain) == 1 and _is_domain(domain[0]) else domain)
    return [domain for domain in found if _is_domain(domain)]


def _is_domain(domain: list[Any]) -> bool:
    conditions = [item for item in domain if isinstance(item, list)]
    return bool(conditions) and all(
        len(item) == 3 and isinstance(item[0], str) and item[1:2] != [item[0]]
        for item in conditions
    )
