"""The guides tell of every setting, tool and public name."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import attrs
import pytest

import odoo_toolkit
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable

ROOT = Path(__file__).parents[2]
DOCS = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
ALL = "\n".join(DOCS.values())


@pytest.mark.parametrize(
    "variable",
    [
        field.metadata["env"]
        for cls in (ConnectionSettings, ServerSettings)
        for field in attrs.fields(cls)
    ],
)
def test_every_setting_is_documented(variable: str) -> None:
    assert f"`{variable}`" in DOCS["server.md"]


def test_every_tool_is_documented() -> None:
    settings = ServerSettings(mode="full")
    table = ToolTable(settings)
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)

    assert len(table.tools) >= 12
    assert [name for name in table.tools if f"`{name}`" not in ALL] == []


@pytest.mark.parametrize("name", odoo_toolkit.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", ALL)


def test_public_names_are_sorted_and_exist() -> None:
    assert sorted(odoo_toolkit.__all__) == odoo_toolkit.__all__
    assert all(hasattr(odoo_toolkit, name) for name in odoo_toolkit.__all__)


def test_links_between_the_guides_lead_somewhere() -> None:
    texts = {**DOCS, "README.md": (ROOT / "README.md").read_text("utf-8")}
    for name, text in texts.items():
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            base = ROOT if name == "README.md" else ROOT / "docs"
            assert (base / target).exists(), f"{name} links to {target}"


TEXTS = {
    **DOCS,
    **{name: (ROOT / name).read_text("utf-8") for name in ("README.md", "SECURITY.md")},
}
_PATH = re.compile(r"`((?:odoo_toolkit|odoo_toolkit_mcp|tests|docs)/[\w./-]+)`")
_MODULE = re.compile(r"\b(odoo_toolkit(?:_mcp)?(?:\.[a-z]\w*)+)")
_IMPORT = re.compile(r"^from (odoo_toolkit[\w.]*) import ([\w, ]+)$", re.MULTILINE)


@pytest.mark.parametrize("name", TEXTS)
def test_what_the_guides_name_exists(name: str) -> None:
    """Files, modules, and what is imported in examples."""
    text = TEXTS[name]
    assert [path for path in _PATH.findall(text) if not (ROOT / path).exists()] == []
    assert [dotted for dotted in _MODULE.findall(text) if not _exists(dotted)] == []
    imported = [
        f"{module}.{one.strip()}"
        for module, names in _IMPORT.findall(text)
        for one in names.split(",")
    ]
    assert [dotted for dotted in imported if not _exists(dotted)] == []


def _exists(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name in one."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return True
