"""Answers have the fields that are promised for each tool, whatever else they have."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_type_hints

import attrs
import pytest

from odoo_toolkit import Plan
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
    "accounting_post_invoices": "invoices rejected message",
    "accounting_register_payment": "payments invoices message",
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

_MEETING = "id name start stop timezone attendees meetings message"
_ORDER = "id name state partner lines amount_total message"
_PRODUCTION = "id name state product quantity produced components message"
_TASK = "id name project stage users message"
_TICKET = "id name stage team user priority partner description message"
_TRANSFER = "id name state validated picking_type location_src location_dest lines message"

#: The same of tools that answer alike.
FIELDS |= {
    name: fields
    for fields, named in {
        _ORDER + " confirmed": "sales_update_order sales_copy_order purchase_create_order"
        " purchase_update_order purchase_confirm_order purchase_get_order purchase_cancel_order",
        _ORDER + " move_type payment_state posted"
        " amount_untaxed amount_tax amount_residual": "purchase_create_bill"
        " accounting_create_credit_note accounting_get_invoice accounting_reconcile"
        " accounting_update_invoice"
        " accounting_reset_invoice",
        _TRANSFER: "inventory_validate_picking inventory_create_transfer inventory_get_picking"
        " inventory_return_picking purchase_receive",
        "id name type stage team user partner email_from phone"
        " expected_revenue message": "crm_create_lead crm_move_stage crm_convert_to_opportunity"
        " crm_update_lead crm_mark_won crm_mark_lost",
        _TICKET: "helpdesk_create_ticket helpdesk_assign_ticket",
        _TICKET + " messages attachments": "helpdesk_get_ticket",
        _TASK + " parent priority": "project_create_task project_move_stage project_update_task",
        _PRODUCTION: "manufacturing_create_order manufacturing_produce manufacturing_get_order"
        " manufacturing_cancel_order",
        _MEETING: "calendar_create_meeting calendar_move_meeting calendar_cancel_meeting",
        "message orders": "sales_process_orders purchase_process_orders",
        "id state employee leave_type days message": "hr_request_leave hr_decide_leave"
        " hr_create_allocation",
        "id name state employee total_amount currency message": "hr_create_expense"
        " hr_decide_expense",
        "id model record_id name mimetype file_size": "attachments_upload reports_attach",
        "model id translations message": "core_get_translations core_translate",
    }.items()
    for name in named.split()
}
#: And of the others.
FIELDS |= {
    "core_run_queries": "answers",
    "core_aggregate": "records count model has_more",
    "core_get_user": "user company currency companies language time_zone today",
    "core_import": "model created updated unchanged failed problems message",
    "core_run_wizard": "done message model records",
    "core_get_languages": "languages",
    "core_activate_language": "code name active message",
    "core_history": "entries",
    "core_undo": "entries done left not_undone message",
    "core_batch": "items message",
    "core_explain_model": "model guide",
    "contacts_identify_contact": "message contacts accounts",
    "contacts_create_company": "id name people addresses not_stored message",
    "contacts_find_duplicates": "message groups total has_more complete",
    "contacts_merge_contacts": "id name merged pointing taken_over not_kept message",
    "products_create_product": "id name type price cost code barcode category variants message",
    "products_change_prices": "message changed not_changed",
    "products_create_price_list": "id name currency rules customers message",
    "products_get_customer_price": "product customer quantity date price currency list_price",
    "sales_create_invoices": "order_id order_name invoices amount_total message",
    "purchase_get_supply": "product quantity on_hand free forecast missing offers message",
    "purchase_list_supply": "products message",
    "purchase_enter_bill": "bill lines not_billed differences message",
    "purchase_return_order": "order returns refunds message",
    "project_create_project": "id name partner manager stages tasks message",
    "project_log_timesheet": "id ids hours date description task project user message",
    "project_get_hours": "date_from date_to total by_employee by_project rows missing message",
    "project_check_billing": "order state amount_to_invoice services unbilled invoices message",
    "accounting_create_entry": "id name state date journal amount_total posted message",
    "accounting_send_reminders": "message reminders not_sent omitted",
    "accounting_match_bank_lines": "message journal lines",
    "accounting_get_statement": "partner opening charged settled closing movements open_items"
    " open_total message",
    "accounting_get_report": "kind currency date_to totals checks rows message",
    "inventory_adjust_stock": "product location quantity_before quantity message",
    "inventory_count_stock": "message lines value",
    "inventory_find_late_transfers": "message transfers",
    "inventory_get_reordering_rules": "message rules",
    "inventory_set_reordering_rule": "id product location minimum maximum to_order message",
    "inventory_run_reordering_rules": "message rules ordered not_ordered",
    "inventory_scrap_product": "id name state product quantity location left message",
    "manufacturing_check_components": "product quantity can_make producible components message",
    "hr_find_people": "people count has_more",
    "hr_get_leave_balance": "employee balances requests",
    "hr_list_leaves": "date_from date_to leaves totals message",
    "hr_process_expenses": "state employee expenses total_amount entries payments message",
    "hr_check_in_out": "id checked_in employee check_in check_out worked_hours message",
    "calendar_get_agenda": "person first_day last_day timezone meetings",
    "calendar_find_times": "people timezone free busy",
    "chatter_post_notes": "model notes not_posted message",
    "chatter_schedule_activity": "id ids activity message",
    "chatter_mark_activity_done": "id done message",
    "mail_send_document": "model record status subject attachments deliveries message",
    "attachments_delete": "id name deleted message",
}


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """Every tool by its name without the prefix."""
    table = ToolTable(ServerSettings(mode="full"))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    return {name.removeprefix("odoo_"): tool for name, tool in table.tools.items()}


def test_every_tool_has_its_fields_here(tools: dict[str, Any]) -> None:
    assert sorted(FIELDS) == sorted(tools)


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_that_are_promised_are_in_the_schema(tools: dict[str, Any], name: str) -> None:
    schema = tools[name].output_schema
    missing = []
    for field in FIELDS[name].split():
        described = schema["properties"]
        listed, _, inner = field.rpartition("[]")
        if listed:
            items = described[listed]["items"]
            described = schema["$defs"][items["$ref"].rpartition("/")[2]]["properties"]
        if inner not in described:
            missing.append(field)
    assert missing == []


@pytest.mark.parametrize("name", FIELDS)
def test_no_value_of_a_promised_field_is_left_out(tools: dict[str, Any], name: str) -> None:
    """An answer lacks what has its default: that must be nothing known, never a number or no."""
    hint = get_type_hints(inspect.unwrap(tools[name].function))["return"]
    left_out = [
        (one.name, one.default)
        for cls in (hint, *get_args(hint))
        if attrs.has(cls) and cls is not Plan
        for one in attrs.fields(cls)
        if one.name in FIELDS[name].split() and isinstance(one.default, (bool, int, float))
    ]
    assert left_out == []


@pytest.mark.parametrize(("state", "confirmed"), [("sale", True), ("draft", False)])
def test_what_follows_from_an_answer_is_in_it(state: str, confirmed: bool) -> None:
    """No is said as yes is, and not left out."""
    data = results.success(sales.Order(id=7, state=state)).structured_content
    assert (data["confirmed"], data["cancelled"]) == (confirmed, False)
