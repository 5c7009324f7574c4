"""What names the business apps follows from their modules, or is compared with them here.

A new app is a module in ``odoo_toolkit/apps``, a file in ``odoo_toolkit/app_models``, a toolset, a
guide, and tests; docs/architecture.md says the same to people. The layers among the apps are held
by the import contract, which fails where an app has no place in it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.builder.apps import business_apps, guide
from odoo_toolkit.app_models import APPS as APP_MODELS
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from tests.descriptions import tools
from tests.provisioning.releases import MODULES

ROOT = Path(__file__).parents[2]
APPS = business_apps()
TOOLSETS = [toolset().metadata() for toolset in ALL_TOOLSETS]

#: Odoo module -> the provisioned one that brings it.
BROUGHT = {
    "product": "sale_management",
    "sale": "sale_management",
    "hr": "hr_holidays",
    "mail": "crm",
    "calendar": "crm",
    "sale_timesheet": "hr_timesheet",
}


def guides_linked_in(page: str) -> set[str]:
    """Return the guides that a page links to."""
    return set(re.findall(r"\]\((?:docs/)?(\w+)\.md[)#]", (ROOT / page).read_text("utf-8")))


@pytest.mark.parametrize("app", APPS)
def test_an_app_has_models_a_toolset_a_guide_and_tests(app: str) -> None:
    files = [f"docs/{guide(app)}.md", f"tests/unit/test_{app}.py", f"tests/live/test_{app}.py"]

    assert app in APP_MODELS
    assert app in [toolset.name for toolset in TOOLSETS]
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert f"](reference/tools.md#{app})" in (ROOT / files[0]).read_text("utf-8")


def test_the_guide_of_the_server_links_to_every_toolset() -> None:
    """That of the core tools is the page itself."""
    described = {guide(toolset.name) for toolset in TOOLSETS if toolset.name != "core"}

    assert described <= guides_linked_in("docs/server.md")


def test_what_the_tools_need_is_installed_on_the_servers_of_the_tests() -> None:
    """Without its module a tool is not listed, and its live tests would say nothing."""
    needed = {module for toolset in TOOLSETS for module in toolset.required_modules}
    needed |= {tool.module for tool in tools().values() if tool.module}

    assert needed - {*MODULES, *BROUGHT} == set()
    assert set(BROUGHT.values()) <= set(MODULES)


def test_the_containers_have_the_same_modules_as_the_servers_of_the_tests() -> None:
    compose = (ROOT / "docs/compose.yaml").read_text("utf-8")

    assert re.findall(r"--init\s+(\S+)", compose) == [",".join(MODULES)]
