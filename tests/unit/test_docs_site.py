"""The site's reference tells of everything, and its pages name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

import odoo_toolkit
from docs.builder import errors, functions, settings, tools
from docs.builder.cures import CURES
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import CODES
from odoo_toolkit_mcp.settings import ServerSettings
from tests.descriptions import tools as all_tools

ROOT = Path(__file__).parents[2]
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if page.parent != ROOT / "docs"]
MADE = {
    f"docs/reference/{name}" for one in (errors, functions, settings, tools) for name in one.pages()
}


@pytest.mark.parametrize("name", odoo_toolkit.__all__)
def test_the_reference_has_every_public_name(name: str) -> None:
    everything = "\n".join(functions.pages().values())
    assert re.search(rf":: odoo_toolkit\.{name}\b", everything)


def test_the_reference_has_every_tool_and_its_parameters() -> None:
    (page,) = tools.pages().values()
    for name, tool in all_tools().items():
        section = page.partition(f"### {name}\n")[2].partition("\n### ")[0]
        assert [one for one in tool.input_schema["properties"] if f"`{one}`" not in section] == []


@pytest.mark.parametrize("cls", [ConnectionSettings, ServerSettings])
def test_the_reference_says_of_every_setting_what_it_takes_and_means(cls: type) -> None:
    (page,) = settings.pages().values()
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for field in attrs.fields(cls):
        cells = [cell.strip() for cell in rows[field.metadata["env"]].split("|")][1:-1]
        assert cells[-1], f"{field.name} is not explained"
        assert cells[-3], f"{field.name} takes nothing"


def test_every_error_code_has_a_meaning_and_a_cure() -> None:
    (page,) = errors.pages().values()
    assert set(CURES) == set(CODES)
    assert [code for code in CODES if f"\n## {code}\n" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_of_the_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        there = (page.parent / target).resolve()
        # What the builder makes is written there only; its index stands a folder higher.
        placed = there if "builder" not in page.parts else ROOT / "docs" / target
        assert placed.exists() or str(placed.relative_to(ROOT)) in MADE, target
