"""Each tool of a readonly server, with arguments that are right: the database is the same after.

Tools that write are planned, with what the catalogue of operations gives them, and then told to do
it. What a tool is given is right: a call that fails in the checks of its arguments shows nothing.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit import connect
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import Tool
from tests.attacks.database import Database, unchanged
from tests.attacks.policies import Raw
from tests.attacks.test_plans import given
from tests.attacks.test_readonly_writes import style_sheets
from tests.kit.approvals import call
from tests.kit.catalogue import activity
from tests.kit.tool_lists import whole_list
from tests.live.servers import Server, credentials

__all__ = ["style_sheets"]

pytestmark = [pytest.mark.anyio, pytest.mark.attack, pytest.mark.every_version]

#: Tools that do not plan -> what they are told to do.
ACTS: Mapping[str, dict[str, Any]] = {
    "odoo_core_run_wizard": {"model": "sale.order", "ids": [1], "method": "action_cancel"},
    "odoo_core_decide_approval": {"approval": 1, "approve": True},
}

_CREATE = {"model": "res.partner", "values": {"name": "New"}}

#: Tools that are no operations of the catalogue -> what they plan.
PLANS: Mapping[str, dict[str, Any]] = {
    "odoo_core_import": {
        "model": "res.partner",
        "rows": [{"name": "New", "email": "new@example.com", "category_id": "New tag"}],
        "key": "email",
        "create_missing": ["res.partner.category"],
    },
    "odoo_core_batch": {"items": [{"tool": "odoo_core_create", "arguments": _CREATE}] * 2},
    "odoo_core_undo": {"entry": 1},
}

#: Why a right call of a reading tool is refused: invoices keep their PDF on these versions, and
#: reports need a web session.
REFUSED = {"odoo_reports_generate": {"MODE_VIOLATION", "ACCESS_DENIED"}}

Calls = list[tuple[str, dict[str, Any]]]


def reads(raw: Raw) -> dict[str, list[dict[str, Any]]]:
    """Return what each tool that reads is given, of records that are there."""

    def one(model: str, *domain: Any) -> int:
        found: list[int] = raw(model, "search", list(domain), limit=1)
        return found[0]

    partner = one("res.partner", ["email", "!=", False])
    product = one("product.product", ["type", "!=", "service"])
    made = one("product.product", ["bom_ids", "!=", False])
    sale, purchase = one("sale.order"), one("purchase.order")
    invoice = one("account.move", ["state", "=", "posted"], ["move_type", "=", "out_invoice"])
    on = {"model": "res.partner", "record_id": partner}
    has_tickets = raw("ir.model", "search_count", [["model", "=", "helpdesk.ticket"]])
    tickets = [raw("helpdesk.ticket", "create", {"name": "Help"})] if has_tickets else []
    file = raw("ir.attachment", "create", {"name": "a.txt", "datas": "aGVsbG8="})
    plan = {"model": "sale.order", "ids": [sale]}
    years = {"date_from": "2026-01-01", "date_to": "2026-12-31"}
    return {
        "odoo_core_search_read": [
            {"model": "sale.order", "fields": ["*"], "count_total": True},
            {"model": "res.partner", "domain": [["name", "ilike", "a"]], "order": "name desc"},
        ],
        "odoo_core_deep_search": [{"query": "Azure"}, {"query": "a", "model": "sale.order"}],
        "odoo_core_run_queries": [{"queries": [{"model": "res.partner", "limit": 3}]}],
        "odoo_core_read": [{**plan, "fields": ["*"]}, {**plan}],
        "odoo_core_count": [{"model": "res.partner"}],
        "odoo_core_aggregate": [
            {"model": "sale.order", "groupby": ["state"], "measures": ["amount_total:sum"]}
        ],
        "odoo_core_fields_get": [{"model": "sale.order"}],
        "odoo_core_name_get": [plan],
        "odoo_core_default_get": [{"model": name} for name in ("sale.order", "res.partner")],
        "odoo_core_get_user": [{}],
        "odoo_core_list_models": [{}, {"filter": "sale", "transient": True}],
        "odoo_core_execute": [
            {"model": "res.partner", "method": "name_search", "args": ["a"]},
            {"model": "res.partner", "method": "fields_get"},
        ],
        "odoo_core_get_languages": [{}, {"find": "fr"}],
        "odoo_core_get_translations": [{"model": "product.product", "record_id": product}],
        "odoo_core_history": [{}, {"entry": 1}],
        "odoo_core_list_approvals": [{}],
        "odoo_core_explain_model": [{"model": "sale.order"}, {"model": "sale.order", "new": True}],
        "odoo_core_list_toolsets": [{}],
        "odoo_contacts_identify_contact": [{"email": "ann@example.com"}, {"contact": partner}],
        "odoo_contacts_find_duplicates": [{"contact_id": partner}, {"by": ["email"]}],
        "odoo_products_get_customer_price": [{"product_id": product, "partner_id": partner}],
        "odoo_sales_get_order": [{"order_id": sale}],
        "odoo_purchase_get_supply": [{"product_id": product, "quantity": 5}],
        "odoo_purchase_list_supply": [{"products": [{"product_id": product}]}],
        "odoo_purchase_get_order": [{"order_id": purchase}],
        "odoo_project_get_hours": [years],
        "odoo_project_check_billing": [{"order_id": sale}],
        "odoo_accounting_get_invoice": [{"invoice_id": invoice}],
        "odoo_accounting_get_statement": [{"partner": partner}],
        "odoo_accounting_get_report": [
            {"kind": kind, **years} for kind in ("trial_balance", "profit_and_loss")
        ],
        "odoo_inventory_get_stock": [{"product_id": product}],
        "odoo_inventory_get_picking": [{"picking_id": one("stock.picking")}],
        "odoo_inventory_find_late_transfers": [{}],
        "odoo_inventory_get_reordering_rules": [{}],
        "odoo_manufacturing_check_components": [{"product_id": made}],
        "odoo_manufacturing_get_order": [{"order_id": one("mrp.production")}],
        "odoo_helpdesk_get_ticket": [{"ticket_id": ticket} for ticket in tickets],
        "odoo_hr_find_people": [{"query": "a"}],
        "odoo_hr_get_leave_balance": [{}],
        "odoo_hr_list_leaves": [years],
        "odoo_calendar_get_agenda": [{"day": "2026-12-01", "days": 3}],
        "odoo_calendar_find_times": [{"attendees": [partner], "day": "2026-12-01"}],
        "odoo_chatter_get_messages": [on],
        "odoo_chatter_get_activities": [{}, on],
        "odoo_attachments_list": [on],
        "odoo_attachments_get_content": [
            {"attachment_id": file, "as_text": as_text} for as_text in (True, False)
        ],
        "odoo_reports_list": [{"model": "sale.order"}],
        "odoo_reports_generate": [
            {"report_name": "sale.report_saleorder", "record_ids": [sale]},
            {"report_name": "account.report_invoice", "record_ids": [invoice]},
        ],
    }


def plans(server: Server, tools: Mapping[str, Tool]) -> Calls:
    """Return each operation of the catalogue as a call of its tool."""
    of = {inspect.unwrap(tool.function): name for name, tool in tools.items()}
    admin = server.user("admin")
    # Odoo 19 wants the password for checking in.
    user: dict[str, Any] = {**credentials(server, admin), "password": admin.password}
    with connect(**user) as plain:
        # An operation that nothing takes back before 19 is none of the catalogue there.
        found: Calls = [("odoo_chatter_mark_activity_done", {"activity_id": activity(plain)})]
        for _, function, asked in given(plain):
            if name := of.get(inspect.unwrap(function)):
                bound = inspect.signature(function).bind(*asked.args, **asked.named)
                arguments = dict(list(bound.arguments.items())[1:])
                found.append((name, json.loads(json.dumps(arguments, default=str))))
    return found


async def test_no_tool_of_a_readonly_server_writes(
    own_server: Server, role: str, raw: Raw, database: Database, tmp_path: Path, style_sheets: None
) -> None:
    history = str(tmp_path / "history.sqlite")
    settings = connection_settings(
        **credentials(own_server, own_server.user(role)), history=history
    )
    rules: dict[str, Any] = {"approval": ("*.unlink",), "approvers": ("admin", "demo")}
    async with Client(OdooServer(settings, ServerSettings(mode="full", confirm="never"))) as full:
        await call(full, "odoo_core_create", model="crm.tag", values={"name": tmp_path.name})
    served = OdooServer(settings, ServerSettings(mode="readonly", tools="flat", **rules))
    reading = reads(raw)
    done: set[str] = set()
    wrong: dict[str, Any] = {}
    async with Client(served) as client:
        listed = {tool.name for tool in (await whole_list(client)).tools}
        acts: Calls = [*plans(own_server, served.offered.hidden), *PLANS.items()]
        calls = [(name, one) for name in sorted(listed) for one in reading.get(name, ())]
        calls += [(name, {**arguments, "dry_run": True}) for name, arguments in acts]
        for name, arguments in [*calls, *acts, *ACTS.items()]:
            try:
                with unchanged(database):
                    answer = await client.call_tool(name, arguments)
            except pytest.fail.Exception as changed:
                wrong[f"{name} {arguments}"] = str(changed)
                continue
            content: Any = answer.structured_content
            if not answer.is_error:
                done.add(name)
            elif name in served.offered.hidden and "dry_run" not in arguments:
                if content["code"] != "MODE_VIOLATION":
                    wrong[f"{name} {arguments}"] = content
            elif content["code"] in {"MODE_VIOLATION", "UNKNOWN_ERROR"} - REFUSED.get(name, set()):
                wrong[f"{name} {arguments}"] = content
            elif content["code"] in REFUSED.get(name, ()):
                done.add(name)
    assert wrong == {}
    # An ordinary user may not do everything, and no Odoo has every app.
    tried = {name for name, _ in [*calls, *acts]}
    assert role != "admin" or done == tried, tried - done
    assert {*listed, *served.offered.hidden} <= {*tried, *ACTS}
