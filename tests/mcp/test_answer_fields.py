"""Answers have the fields that are promised for each tool, whatever else they have."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import sales
from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable

#: Tool -> the fields of its answer; with ``[]`` those of what is listed in one of them.
FIELDS: dict[str, str] = {
    "core_list_toolsets": "toolsets total_tools odoo_version connection"
    " toolsets[]name toolsets[]description toolsets[]tools toolsets[]odoo_modules toolsets[]status",
    "core_search_read": "records count model limit offset has_more",
    "core_read": "records missing_ids",
    "core_create": "id model message",
    "core_write": "success model ids message",
    "core_unlink": "success model deleted_ids message",
    "core_count": "model domain count",
    "core_fields_get": "model fields field_count",
    "core_execute": "result_type result action",
    "core_name_get": "model names names[]id names[]name",
    "core_default_get": "model defaults",
    "core_list_models": "models count models[]model models[]name models[]transient"
    " models[]field_count models[]access",
    "core_deep_search": "query results search_log depth_reached total_results strategies_used"
    " suggestions search_log[]level search_log[]strategy search_log[]model"
    " search_log[]results_found",
    "sales_create_order": "id name state partner lines amount_total confirmed message",
    "sales_confirm_order": "id name state confirmed message",
    "sales_cancel_order": "id name state message",
    "sales_get_order": "id name state partner lines lines[]id lines[]product lines[]quantity"
    " lines[]price_unit lines[]subtotal deliveries invoices delivery_count invoice_count"
    " deliveries[]state invoices[]state amount_total",
    "accounting_create_invoice": "id name state amount_untaxed amount_tax amount_total",
    "accounting_post_invoice": "id name state",
    "inventory_get_stock": "product stock total_available stock[]location stock[]quantity"
    " stock[]reserved_quantity stock[]available_quantity",
    "chatter_get_messages": "messages count has_more messages[]id messages[]date messages[]author"
    " messages[]type messages[]subject messages[]body messages[]email_from",
    "chatter_post_message": "id body",
    "chatter_get_activities": "activities activities[]id activities[]type activities[]summary"
    " activities[]note activities[]deadline activities[]user activities[]state",
    "attachments_list": "attachments count attachments[]id attachments[]name attachments[]mimetype"
    " attachments[]file_size attachments[]file_size_human attachments[]created_at"
    " attachments[]created_by",
    "attachments_get_content": "id name mimetype file_size content content_base64 encoding",
    "reports_generate": "report_name record_ids format content_base64 file_name size size_human",
    "reports_list": "model reports reports[]name reports[]report_name reports[]report_type",
}


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """Every tool by its name without the prefix."""
    table = ToolTable(ServerSettings(mode="full"))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    return {name.removeprefix("odoo_"): tool for name, tool in table.tools.items()}


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_that_are_promised_are_in_the_schema(tools: dict[str, Any], name: str) -> None:
    schema = tools[name].output_schema
    missing = []
    for field in FIELDS[name].split():
        listed, _, inner = field.rpartition("[]")
        described = schema["properties"]
        if listed:
            items = described[listed]["items"]
            described = schema["$defs"][items["$ref"].rpartition("/")[2]]["properties"]
        if inner not in described:
            missing.append(field)
    assert missing == []


@pytest.mark.parametrize(("state", "confirmed"), [("sale", True), ("draft", False)])
def test_what_follows_from_an_answer_is_in_it(state: str, confirmed: bool) -> None:
    """No is said as yes is, and not left out."""
    data = results.success(sales.Order(id=7, state=state)).structured_content
    assert data is not None
    assert (data["confirmed"], data["cancelled"]) == (confirmed, False)
