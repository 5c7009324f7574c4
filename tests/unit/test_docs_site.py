"""The site's reference tells of everything, and its pages name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest
from pygments.styles import get_style_by_name

import odoo_toolkit
from docs.builder import __main__ as builder
from docs.builder import commands, errors, functions, settings, tools
from docs.builder.cures import CURES
from odoo_toolkit.cli.commands import COMMANDS, apps
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import CODES
from odoo_toolkit_mcp.settings import ServerSettings
from tests.descriptions import tools as all_tools

pytestmark = pytest.mark.lint

ROOT = Path(__file__).parents[2]
PAGES = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
MADE = {
    f"docs/reference/{name}"
    for one in (commands, errors, functions, settings, tools)
    for name in one.pages()
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


def test_the_reference_has_the_help_of_every_command() -> None:
    page = "\n".join(commands.pages().values())
    for name in (*COMMANDS, *apps(), "sales confirm-order"):
        section = page.partition(f"## odoo-toolkit {name}\n")[2].partition("\n## ")[0]
        assert f"Usage: odoo-toolkit {name}" in section
        assert "-h, --help" in section


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


def luminance(colour: str) -> float:
    """Return how light a colour is, as WCAG 2 has it."""
    parts = [int(colour.lstrip("#")[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    darker, lighter = sorted(luminance(one) for one in (colour, other))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ["pygments_style", "pygments_dark_style"])
def test_every_colour_of_code_stands_out_from_its_background(name: str) -> None:
    builds = ROOT / "docs/builder"
    chosen = re.search(rf'^{name} = "(.*)"$', (builds / "conf.py").read_text("utf-8"), re.MULTILINE)
    assert chosen
    style = get_style_by_name(chosen[1])
    backgrounds = [style.background_color]
    if name == "pygments_style":
        css = (builds / "static/site.css").read_text("utf-8")
        backgrounds = re.findall(r"\.highlight \{ background: (#\w{6}); \}", css)
    colours = {one["color"] for _, one in style if one["color"]}

    assert len(colours) > 5
    assert len(backgrounds) == 1
    assert [one for one in colours if contrast(one, backgrounds[0]) < 4.5] == []


def test_pages_show_titles_and_no_names_of_files(tmp_path: Path) -> None:
    builder.put_together(tmp_path / "pages")

    pages = {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").rglob("*.md")}
    assert "[](reference/errors.md)" in pages["troubleshooting.md"]
    assert "[Security](SECURITY.md)" in pages["permissions.md"]
    named = re.compile(r"\[[^\]]*\.md\]\(")
    assert [name for name, text in pages.items() if named.search(text)] == []


def test_the_home_page_says_how_to_install_and_links_to_every_quickstart() -> None:
    home = (ROOT / "docs/builder/index.md").read_text("utf-8").partition("```{toctree}")[0]

    assert "pip install" in home.partition("\n## ")[0]
    quickstarts = {f"](start/{page.name})" for page in (ROOT / "docs/start").glob("*.md")}
    assert [one for one in quickstarts if one not in home] == []
