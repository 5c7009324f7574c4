"""The guides name every tool and public name; test_descriptions checks that these exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import odoo_toolkit
from docs.builder.tools import with_overviews
from odoo_toolkit.compat import RENAMED_FIELDS
from tests.descriptions import tools

pytestmark = pytest.mark.lint

ROOT = Path(__file__).parents[2]
DOCS = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
ALL = with_overviews("\n".join(DOCS.values()))


def test_every_tool_is_documented() -> None:
    assert len(tools()) >= 12
    assert [name for name in tools() if f"`{name}`" not in ALL] == []


def test_every_tool_that_a_person_is_asked_about_is_documented() -> None:
    """In the table on confirmation: those that ask always."""
    told = DOCS["confirmation.md"].partition("| asked about |")[2].partition("\n\n")[0]
    asking = [tool.name for tool in tools().values() if tool.asks == "always"]
    assert len(asking) > 3
    assert [name for name in asking if f"`{name}`" not in told] == []


@pytest.mark.parametrize("name", odoo_toolkit.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", ALL)


def test_public_names_are_sorted_and_exist() -> None:
    assert sorted(odoo_toolkit.__all__) == odoo_toolkit.__all__
    assert all(hasattr(odoo_toolkit, name) for name in odoo_toolkit.__all__)


def test_names_that_the_guide_says_have_changed_are_suggested() -> None:
    """Where a field of one version is that of another, an error names it."""
    names = r"((?:`\w+`(?:, )?)+)"
    row = re.compile(rf"^\| `([\w.]+)`[^|]*\| \d+ \| {names} -> {names} \|", re.MULTILINE)
    found = row.findall(DOCS["versions.md"])
    assert len(found) > 8
    for model, before, after in found:
        for pair in zip(re.findall(r"\w+", before), re.findall(r"\w+", after), strict=True):
            assert any({*pair} <= {*alike} for alike in RENAMED_FIELDS[model]), (model, pair)
