"""A call of each core tool that works on the fake Odoo."""

from __future__ import annotations

from typing import Any

#: tool -> arguments that work on the fake Odoo, and what the answer must contain.
CALLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "odoo_core_search_read": (
        {"model": "res.partner", "fields": ["name", "country_id", "date"], "limit": 1},
        {
            "records": [
                {
                    "id": 1,
                    "name": "My Company (San Francisco)",
                    "country_id": {"id": 233, "name": "United States"},
                    "date": None,
                }
            ],
            "count": 1,
            "model": "res.partner",
            "limit": 1,
            "offset": 0,
            "has_more": True,
        },
    ),
    "odoo_core_read": (
        {"model": "res.partner", "ids": [1, 999], "fields": ["is_company", "create_date"]},
        {
            "records": [{"id": 1, "is_company": True, "create_date": "2026-11-21T22:52:35Z"}],
            "missing_ids": [999],
        },
    ),
    "odoo_core_count": (
        {"model": "res.partner", "domain": [["is_company", "=", True]]},
        {"model": "res.partner", "domain": [["is_company", "=", True]], "count": 3},
    ),
    "odoo_core_aggregate": (
        {"model": "res.partner", "groupby": ["country_id"], "measures": ["color:sum"]},
        {
            "records": [
                {"country_id": {"id": 233, "name": "United States"}, "count": 3, "color:sum": 0}
            ],
            "count": 1,
            "total": 1,
        },
    ),
    "odoo_core_fields_get": ({"model": "res.partner"}, {"model": "res.partner"}),
    "odoo_core_name_get": (
        {"model": "res.partner", "ids": [1]},
        {"names": [{"id": 1, "name": "My Company (San Francisco)"}]},
    ),
    "odoo_core_default_get": (
        {"model": "res.partner", "fields": ["type", "color"]},
        {"model": "res.partner", "defaults": {"type": "contact", "color": 0}},
    ),
    "odoo_core_list_models": ({"filter": "partner"}, {"count": 1}),
    "odoo_core_create": (
        {"model": "res.partner", "values": {"name": "Ann"}},
        {"model": "res.partner"},
    ),
    "odoo_core_write": (
        {"model": "res.partner", "ids": [1], "values": {"phone": "1"}},
        {"success": True, "model": "res.partner", "ids": [1]},
    ),
    "odoo_core_import": (
        {"model": "res.partner", "rows": [{"name": "Nobody Yet"}], "key": ["name"]},
        {"model": "res.partner", "created": 1, "updated": 0, "unchanged": 0},
    ),
    "odoo_core_unlink": (
        {"model": "res.partner", "ids": [1]},
        {"success": True, "model": "res.partner", "deleted_ids": [1]},
    ),
    "odoo_core_execute": (
        {"model": "res.partner", "method": "action_archive", "args": [[1]]},
        {"result_type": "value", "result": True},
    ),
    "odoo_core_deep_search": (
        {"query": "ann", "model": "res.partner", "limit": 2},
        {"query": "ann", "depth_reached": 1, "total_results": 2},
    ),
    "odoo_core_get_user": (
        {},
        {"user": "Mitchell", "company": "My Company", "currency": "EUR"},
    ),
    "odoo_core_explain_model": (
        {"model": "res.partner"},
        {"model": "res.partner"},
    ),
    "odoo_core_list_toolsets": (
        {},
        {
            "total_tools": 23,
            "odoo_version": "14.0",
            "apps_without_toolset": {"crm": "CRM", "lunch": "Lunch", "sale_management": "Sales"},
        },
    ),
    "odoo_core_run_queries": (
        {
            "queries": [
                {"model": "res.partner", "domain": [["is_company", "=", True]], "count": True},
                {"model": "res.partner", "fields": ["nme"]},
                {"model": "res.partner", "fields": ["name"], "limit": 1, "order": None},
            ]
        },
        {},
    ),
    "odoo_core_get_languages": (
        {},
        {"languages": [{"code": "en_US", "name": "English (US)", "active": True}]},
    ),
    "odoo_core_activate_language": (
        {"code": "en_US"},
        {
            "code": "en_US",
            "active": True,
            "message": "English (US) (en_US) is already active.",
        },
    ),
    "odoo_core_get_translations": (
        {"model": "res.country", "record_id": 20},
        {"translations": {"name": {"en_US": "Belgium"}}},
    ),
    "odoo_core_translate": (
        {
            "model": "res.country",
            "record_id": 20,
            "translations": {"name": {"en_US": "x"}},
            "dry_run": True,
        },
        {"dry_run": True, "message": "Would write name of res.country 20 in en_US."},
    ),
    "odoo_core_run_wizard": (
        {"wizard": "account.payment.register", "describe": True, "model": "x.y", "ids": [1]},
        {"done": False, "message": "Nothing was done. These are the questions of the wizard."},
    ),
}
