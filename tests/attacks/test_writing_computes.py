"""Fields that write when they are read, found in Odoo's own sources: each is known to the policy.

The fuzz finds those that write with the data that is there. What a compute method does with other
data shows in its code: it assigns a stored field, or calls ``write``. That it computes this field,
too, does not help: to 16, Odoo stores again what it found for it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from odoo_toolkit.policy.tables import WRITING_FIELDS
from tests.provisioning import layout
from tests.provisioning.releases import RELEASES

_WRITES = frozenset({"write", "create", "unlink", "set_param"})


@attrs.frozen
class _Field:
    name: str
    compute: str | None
    stored: bool


def _addons(version: str) -> Path:
    return layout.packages(layout.root_folder(RELEASES[version])) / "odoo/addons"


def _fields(body: list[ast.stmt]) -> Iterator[_Field]:
    for statement in body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="fields")), keywords=given),
            ):
                said = {item.arg: item.value for item in given}
                compute, store = said.get("compute"), said.get("store")
                by = compute.value if isinstance(compute, ast.Constant) else None
                kept = isinstance(store, ast.Constant) and bool(store.value)
                stored = kept or not (compute or "related" in said)
                yield _Field(name, str(by) if by else None, stored)


def _model(body: list[ast.stmt]) -> str | None:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="_name" | "_inherit")], value=ast.Constant(value)):
                return str(value)
    return None


def _writes(method: ast.FunctionDef, stored: set[str]) -> bool:
    for node in ast.walk(method):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=name)]):
                if name in stored:
                    return True
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                if name in _WRITES and not (isinstance(value, ast.Name) and value.id == "Command"):
                    return True
    return False


def _found(addons: Path) -> set[tuple[str, str]]:
    """Return model and field of what is computed, not stored, by a method that writes."""
    fields: dict[str, list[_Field]] = defaultdict(list)
    methods: list[tuple[str, ast.FunctionDef]] = []
    for file in addons.glob("*/models/*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and (model := _model(node.body)):
                fields[model] += _fields(node.body)
                methods += [(model, one) for one in node.body if isinstance(one, ast.FunctionDef)]
    found = set()
    for model, method in methods:
        computed = [field for field in fields[model] if field.compute == method.name]
        shown = {field.name for field in computed if not field.stored}
        stored = {field.name for field in fields[model] if field.stored}
        if shown and _writes(method, stored - shown):
            found |= {(model, name) for name in shown}
    return found


@pytest.mark.attack
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("version", list(RELEASES))
def test_fields_whose_compute_writes_are_known(version: str) -> None:
    addons = _addons(version)
    if not addons.is_dir():
        pytest.skip(f"The sources of Odoo {version} are not here.")
    assert _found(addons) - WRITING_FIELDS == set()
