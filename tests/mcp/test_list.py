"""The list of tools as a whole: how large it is, and what a linter of definitions says of it."""

from __future__ import annotations

import pytest
from tdqs.lint_server import lint_server
from tdqs.parse_tool_definitions import parse_tool_definitions

from odoo_toolkit_mcp.settings import MODE_ACCESS
from tests.mcp import list_sizes

#: Tools for which the linter guesses that a model might call another one, as that takes fewer
#: arguments: it compares only how many there are. Each of these was read beside its neighbours:
#: it makes a document of its own, and no other tool of the list does; a batch is of several calls.
DEARER_FOR_A_REASON = {
    "odoo_core_batch",
    "odoo_core_create",
    "odoo_products_create_price_list",
    "odoo_purchase_enter_bill",
    "odoo_inventory_create_transfer",
    "odoo_attachments_upload",
}


def test_list_has_not_grown() -> None:
    """Where growth is meant, ``python -m tests.mcp.list_sizes`` writes it down."""
    now, before = list_sizes.measured(), list_sizes.recorded()
    grown = [
        f"{form}, {mode}: {before.get(form, {}).get(mode)} -> {size}"
        for form, modes in now.items()
        for mode, size in modes.items()
        if size > before.get(form, {}).get(mode, 0)
    ]

    assert grown == []


def test_guide_has_the_sizes() -> None:
    """``python -m tests.mcp.list_sizes`` writes them there."""
    guide = list_sizes.GUIDE.read_text("utf-8")

    assert list_sizes.by_client() in guide


@pytest.mark.parametrize("form", list_sizes.FORMS)
@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_linter_has_nothing_to_say(mode: str, form: str) -> None:
    """Descriptions, parameters, annotations, output schemas: no error, warning or remark."""
    parsed = parse_tool_definitions({"tools": list_sizes.listed(mode, form)})
    report = lint_server(server_name="odoo", tools=parsed.tools)

    dearer = {one.tool for one in report.findings if one.rule == "shadow-candidate"}
    assert [one.message for one in report.findings if one.rule != "shadow-candidate"] == []
    assert dearer <= DEARER_FOR_A_REASON


def test_every_answer_is_typed() -> None:
    """Clients that run code over tools make types of the schemas of the answers."""
    untyped = [
        tool["name"]
        for tool in list_sizes.listed("full", "flat")
        if not tool["outputSchema"].get("properties")
    ]

    assert untyped == []
