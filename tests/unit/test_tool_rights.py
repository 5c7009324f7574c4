"""A right that a tool needs is one that Odoo asks for: the operation changes that model."""

from __future__ import annotations

import pytest

from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from tests.kit.recordings import Recordings
from tests.provisioning.releases import RELEASES

TOOLS = {tool.name: tool for toolset in ALL_TOOLSETS for tool in toolset.tools}

#: Tools whose operation lets Odoo create the records of another model.
BY_ODOO = {"odoo_purchase_create_bill": "action_create_invoice"}


@pytest.mark.parametrize("version", map(int, RELEASES))
def test_operations_use_the_rights_that_their_tools_need(version: int) -> None:
    tapes = Recordings.read(version).tapes
    compared, wrong = 0, {}
    for name, tool in TOOLS.items():
        operation, _, model = tool.needs.partition(" ")
        tape = tapes.get(name.removeprefix("odoo_").replace("_", ".", 1))
        if tape is None or operation not in ("create", "write"):
            continue
        sent = [(one[1]["model"], one[1]["method"]) for one in tape.exchanges if not one[3]]
        methods = {method for of, method in sent if of == model}
        used = "create" in methods if operation == "create" else methods - {"create", "unlink"}
        if not used and BY_ODOO.get(name) not in {method for _, method in sent}:
            wrong[name] = sorted(methods)
        compared += 1
    assert wrong == {}
    assert compared > 20
