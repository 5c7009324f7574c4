"""What of manufacturing needs no server: the wizards and the tools."""

from __future__ import annotations

import pytest

from odoo_toolkit.wizards import known_wizard
from odoo_toolkit_mcp.toolsets.manufacturing import TOOLS, ManufacturingToolset
from tests.unit.scripted import VERSIONS


@pytest.mark.parametrize("major", VERSIONS)
def test_the_catalogue_knows_the_wizards_of_manufacturing(major: int) -> None:
    names = {"mrp.production.backorder", "mrp.consumption.warning", "change.production.qty"}
    assert all(known_wizard(name, major) for name in names)
    assert bool(known_wizard("mrp.immediate.production", major)) == (major < 17)
    assert bool(known_wizard("mrp.production.serials", major)) == (major >= 19)
    consumption = known_wizard("mrp.consumption.warning", major)
    assert ("action_set_qty" in consumption.buttons) == (major >= 16)


def test_the_tools_need_the_module_and_are_terse() -> None:
    assert ManufacturingToolset.about.required_modules == ("mrp",)
    sizes = [len(tool.name) + len(tool.description) + len(str(tool.input_schema)) for tool in TOOLS]
    assert sum(sizes) < 4500
