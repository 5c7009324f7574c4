"""Parameters are described once: in the signature if they have a ``Doc``, else under ``Args:``."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from types import FunctionType

import pytest

from docs.builder.functions import PAGES, public_names
from odoo_toolkit import upsert
from odoo_toolkit.annotations import documentation
from tests.descriptions import sources

pytestmark = pytest.mark.lint

_ARGS = re.compile(r"^Args:\n((?:    .*\n?|\n(?=    ))+)", re.MULTILINE)
_NAMES = re.compile(r"^    (\**\w+(?:, \**\w+)*):", re.MULTILINE)

#: Functions whose docstring refers to the arguments of ``upsert``.
LIKE_UPSERT = ("create_many", "write_many")


def listed(docstring: str) -> set[str]:
    """Return the parameters under ``Args:``."""
    section = _ARGS.search(docstring)
    found = _NAMES.findall(section[1]) if section else []
    return {name.strip(" *") for names in found for name in names.split(",")}


def written() -> Iterator[tuple[str, FunctionType, str]]:
    """Yield the functions of modules that the sources have: place, function, docstring."""
    for path, tree in sources().items():
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and "Args:" in (ast.get_docstring(node) or ""):
                function = getattr(importlib.import_module(module), node.name)
                yield f"{path}:{node.name}", function, ast.get_docstring(node) or ""


def test_no_parameter_is_described_twice() -> None:
    twice = []
    for place, function, docstring in written():
        documented = documentation(function).keys()
        twice += [f"{name} in {place}" for name in listed(docstring) & documented]

    assert twice == []


def public_functions() -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions of the reference."""
    for name in {module for _, modules in PAGES.values() for module in modules}:
        module = importlib.import_module(name)
        for function in (getattr(module, public) for public in public_names(module)):
            if isinstance(function, FunctionType):
                yield f"{name}.{function.__name__}", function


def test_every_public_parameter_is_described() -> None:
    missing = []
    for place, function in public_functions():
        said = inspect.getdoc(function) or ""
        wanted = {*inspect.signature(function).parameters} - {"odoo"} - listed(said)
        wanted -= (
            listed(inspect.getdoc(upsert) or "") if function.__name__ in LIKE_UPSERT else set()
        )
        wanted -= {name for name in wanted if f"``{name}``" in said}
        missing += [f"{name} of {place}" for name in sorted(wanted)]

    assert missing == []
