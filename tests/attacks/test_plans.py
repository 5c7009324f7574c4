"""A plan is for every mode, and writes nothing in any: the database is the same afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    OdooError,
    create,
    create_many,
    execute,
    read,
    search_read,
    unlink,
    upsert,
    write,
    write_many,
)
from odoo_toolkit.apps import (
    accounting,
    calendar,
    contacts,
    crm,
    helpdesk,
    hr,
    inventory,
    manufacturing,
    products,
    project,
    purchase,
    sales,
)
from odoo_toolkit.chatter import attachments
from odoo_toolkit.chatter.activities import mark_activity_done, schedule_activity
from odoo_toolkit.chatter.messages import post_message, post_notes
from odoo_toolkit.languages import activate_language, translate
from odoo_toolkit.mail import send_document
from odoo_toolkit.plans import Plan
from tests.attacks.database import Database, unchanged
from tests.attacks.policies import Noting, Raw
from tests.attacks.test_readonly_writes import LOGIN_TABLES

#: model and domain of the records that an operation is tried on, and the operation.
Case = tuple[str, list[Any], Callable[[Any, int], Any]]


def _state(*states: str) -> list[Any]:
    return [["state", "in", list(states)]]


_POSTED = [["move_type", "=", "out_invoice"], *_state("posted")]
_DRAFT = [["move_type", "=", "out_invoice"], *_state("draft")]

CASES: dict[str, Case] = {
    "confirm": (
        "sale.order",
        _state("draft", "sent"),
        lambda o, i: sales.confirm_order.plan(o, order_id=i),
    ),
    "cancel": ("sale.order", _state("sale"), lambda o, i: sales.cancel_order.plan(o, order_id=i)),
    "copy": ("sale.order", [], lambda o, i: sales.copy_order.plan(o, order_id=i)),
    "invoice": (
        "sale.order",
        _state("sale"),
        lambda o, i: sales.create_invoices.plan(o, order_id=i),
    ),
    "update order": (
        "sale.order",
        _state("draft", "sent"),
        lambda o, i: sales.update_order.plan(o, order_id=i, add=[{"product_id": 1}]),
    ),
    "create order": (
        "res.partner",
        [],
        lambda o, i: sales.create_order.plan(
            o, partner_id=i, lines=[{"product_id": 1, "price_unit": 1}]
        ),
    ),
    "process": (
        "sale.order",
        _state("draft", "sale"),
        lambda o, i: sales.process_orders(o, orders=[i], dry_run=True),
    ),
    "post": ("account.move", _DRAFT, lambda o, i: accounting.post_invoice.plan(o, invoice_id=i)),
    "reset": ("account.move", _POSTED, lambda o, i: accounting.reset_invoice.plan(o, invoice_id=i)),
    "pay": (
        "account.move",
        [*_POSTED, ["payment_state", "=", "not_paid"]],
        lambda o, i: accounting.register_payment.plan(o, invoice_ids=[i]),
    ),
    "credit": (
        "account.move",
        _POSTED,
        lambda o, i: accounting.create_credit_note.plan(o, invoice_id=i, reason="x"),
    ),
    "match a bank line": (
        "account.move",
        [*_POSTED, ["payment_state", "=", "not_paid"]],
        lambda o, i: accounting.match_bank_lines(
            o,
            lines=[{"date": "2026-01-05", "amount": 0.01, "reference": "x", "documents": [i]}],
            dry_run=True,
        ),
    ),
    "remind": (
        "res.partner",
        [["invoice_ids", "!=", False]],
        lambda o, i: accounting.send_reminders(o, partners=[i], dry_run=True),
    ),
    "entry": (
        "account.account",
        [],
        lambda o, i: accounting.create_entry.plan(
            o, lines=[{"account_id": i, "debit": 1}, {"account_id": i, "credit": 1}]
        ),
    ),
    "reconcile": (
        "account.move.line",
        [
            ["parent_state", "=", "posted"],
            ["account_id.reconcile", "=", True],
            ["amount_residual", "<", 0],
            ["partner_id", "!=", False],
            ["move_id.move_type", "in", ["out_refund", "entry"]],
        ],
        lambda o, i: accounting.reconcile.plan(o, invoice_id=_open_invoice(o, i), line_id=i),
    ),
    "create invoice": (
        "res.partner",
        [],
        lambda o, i: accounting.create_invoice.plan(
            o, partner_id=i, lines=[{"name": "x", "price_unit": 1}]
        ),
    ),
    "won": ("crm.lead", [], lambda o, i: crm.mark_won.plan(o, lead_id=i)),
    "lost": ("crm.lead", [], lambda o, i: crm.mark_lost.plan(o, lead_id=i)),
    "lead's stage": (
        "crm.lead",
        [["type", "=", "opportunity"], ["stage_id.is_won", "=", False]],
        lambda o, i: crm.move_stage.plan(o, lead_id=i, stage_id=_other(o, "crm.lead", i)),
    ),
    "convert": (
        "crm.lead",
        [["type", "=", "lead"]],
        lambda o, i: crm.convert_to_opportunity.plan(o, lead_id=i, expected_revenue=9.0),
    ),
    "update lead": (
        "crm.lead",
        [],
        lambda o, i: crm.update_lead.plan(o, lead_id=i, expected_revenue=7.0),
    ),
    "create lead": ("res.partner", [], lambda o, i: crm.create_lead.plan(o, name="x")),
    "ticket": ("res.partner", [], lambda o, i: helpdesk.create_ticket.plan(o, name="x")),
    "assign a ticket": (
        "helpdesk.ticket",
        [],
        lambda o, i: helpdesk.assign_ticket.plan(o, ticket_id=i, user_id=o.uid),
    ),
    "leave": (
        "hr.leave.type",
        [],
        lambda o, i: hr.request_leave.plan(o, leave_type_id=i, date_from="2027-03-02"),
    ),
    "allocation": (
        "hr.leave.type",
        [],
        lambda o, i: hr.create_allocation(o, leave_type_id=i, days=3, approve=True, dry_run=True),
    ),
    "decide leave": (
        "hr.leave",
        _state("confirm"),
        lambda o, i: hr.decide_leave.plan(o, decision="approve", leave_id=i),
    ),
    "check in": ("res.users", [], lambda o, i: hr.check_in_out.plan(o, direction="in")),
    "expense": (
        "product.product",
        [["can_be_expensed", "=", True]],
        lambda o, i: hr.create_expense.plan(o, name="x", product_id=i, amount=3.0),
    ),
    "decide on an expense": (
        "hr.expense",
        _state("draft"),
        lambda o, i: hr.decide_expense.plan(o, decision="submit", expense_id=i),
    ),
    "expenses that are paid": (
        "hr.expense",
        _state("draft"),
        lambda o, i: hr.process_expenses(
            o, expenses=[i], until="pay", journal=_first(o, "account.journal"), dry_run=True
        ),
    ),
    "expenses": (
        "hr.expense",
        [],
        lambda o, i: hr.process_expenses(o, expenses=[i], until="post", dry_run=True),
    ),
    "validate": (
        "stock.picking",
        _state("assigned", "confirmed"),
        lambda o, i: inventory.validate_picking.plan(o, picking_id=i),
    ),
    "return": (
        "stock.picking",
        _state("done"),
        lambda o, i: inventory.return_picking.plan(o, picking_id=i),
    ),
    "adjust": (
        "stock.quant",
        [["location_id.usage", "=", "internal"]],
        lambda o, i: inventory.adjust_stock.plan(o, product_id=_product(o, i), quantity=41.0),
    ),
    "count": (
        "stock.quant",
        [["location_id.usage", "=", "internal"], ["lot_id", "=", False]],
        lambda o, i: inventory.count_stock(
            o, lines=[{"product_id": _product(o, i), "quantity": 41.0}], dry_run=True
        ),
    ),
    "scrap": (
        "stock.quant",
        [["location_id.usage", "=", "internal"], ["lot_id", "=", False], ["quantity", ">", 1]],
        lambda o, i: inventory.scrap_product(
            o, product_id=_product(o, i), quantity=1.0, dry_run=True
        ),
    ),
    "reorder": (
        "stock.warehouse.orderpoint",
        [],
        lambda o, i: inventory.run_reordering_rules(o, rules=[i], dry_run=True),
    ),
    "reordering rule": (
        "stock.warehouse.orderpoint",
        [],
        lambda o, i: inventory.set_reordering_rule(o, rule_id=i, maximum=4321.0, dry_run=True),
    ),
    "transfer": (
        "product.product",
        [["type", "in", ["product", "consu"]]],
        lambda o, i: inventory.create_transfer.plan(o, lines=[{"product_id": i, "quantity": 1}]),
    ),
    "produce": (
        "mrp.production",
        _state("confirmed", "progress"),
        lambda o, i: manufacturing.produce.plan(o, order_id=i),
    ),
    "confirm production": (
        "mrp.production",
        _state("draft", "confirmed"),
        lambda o, i: manufacturing.confirm_order.plan(o, order_id=i),
    ),
    "cancel production": (
        "mrp.production",
        _state("draft", "confirmed"),
        lambda o, i: manufacturing.cancel_order.plan(o, order_id=i),
    ),
    "project": (
        "res.partner",
        [],
        lambda o, i: project.create_project(
            o,
            name="x",
            stages=["a"],
            tasks=[{"name": "y"}, {"name": "z", "parent": "y"}],
            partner=i,
            dry_run=True,
        ),
    ),
    "task": (
        "project.project",
        [],
        lambda o, i: project.create_task.plan(o, name="x", project_id=i),
    ),
    "update task": (
        "project.task",
        [["project_id", "!=", False]],
        lambda o, i: project.update_task.plan(o, task_id=i, name="x"),
    ),
    "task's stage": (
        "project.task",
        [["project_id", "!=", False], ["stage_id", "!=", False]],
        lambda o, i: project.move_stage.plan(o, task_id=i, stage_id=_other(o, "project.task", i)),
    ),
    "time": (
        "project.task",
        [["project_id.allow_timesheets", "=", True]],
        lambda o, i: project.log_timesheet.plan(o, hours=1.0, task_id=i),
    ),
    "create purchase": (
        "res.partner",
        [["parent_id", "=", False]],
        lambda o, i: purchase.create_order.plan(
            o,
            partner_id=i,
            lines=[{"product_id": _first(o, "product.product"), "price_unit": 1}],
            confirm=True,
        ),
    ),
    "cancel purchase": (
        "purchase.order",
        _state("draft", "purchase"),
        lambda o, i: purchase.cancel_order.plan(o, order_id=i),
    ),
    "purchase": (
        "purchase.order",
        _state("draft"),
        lambda o, i: purchase.confirm_order.plan(o, order_id=i),
    ),
    "receive": (
        "purchase.order",
        [["picking_ids.state", "=", "assigned"], *_state("purchase")],
        lambda o, i: purchase.receive.plan(o, order_id=i),
    ),
    "bill": (
        "purchase.order",
        [["invoice_status", "=", "to invoice"], *_state("purchase")],
        lambda o, i: purchase.create_bill.plan(o, order_id=i),
    ),
    "process purchases": (
        "purchase.order",
        _state("purchase"),
        lambda o, i: purchase.process_orders(o, orders=[i], dry_run=True),
    ),
    "enter a bill": (
        "purchase.order.line",
        [["state", "=", "purchase"], ["product_id", "!=", False]],
        lambda o, i: purchase.enter_bill.plan(
            o,
            order_id=read(o, "purchase.order.line", [i], ["order_id"])[0]["order_id"]["id"],
            ref=f"Plan {i}",
            invoice_date="2025-01-15",
            lines=[{"order_line_id": i, "quantity": 1, "price_unit": 1}],
        ),
    ),
    "return to a vendor": (
        "purchase.order",
        [["order_line.qty_received", ">", 0], *_state("purchase")],
        lambda o, i: purchase.return_order.plan(o, order_id=i),
    ),
    "create manufacturing order": (
        "mrp.bom",
        [["type", "=", "normal"]],
        lambda o, i: manufacturing.create_order.plan(o, bom_id=i, deadline="2027-01-15"),
    ),
    "write": ("res.partner", [], lambda o, i: write.plan(o, "res.partner", [i], {"name": "x"})),
    "create": ("res.users", [], lambda o, i: create.plan(o, "res.partner", {"name": "x"})),
    "unlink": ("res.partner", [], lambda o, i: unlink.plan(o, "res.partner", [i])),
    "execute": (
        "res.partner",
        [],
        lambda o, i: execute.plan(o, "res.partner", "toggle_active", [[i]]),
    ),
    "import": (
        "res.partner",
        [["name", "!=", False]],
        lambda o, i: upsert.plan(o, "res.partner", [{".id": i, "name": "x"}], ".id"),
    ),
    "message": ("res.partner", [], lambda o, i: post_message.plan(o, "res.partner", i, "x")),
    "many": (
        "res.country",
        [],
        lambda o, i: create_many.plan(o, "res.partner", [{"name": "x", "country_id/.id": i}]),
    ),
    "many changes": (
        "res.partner",
        [["name", "!=", False]],
        lambda o, i: write_many.plan(o, "res.partner", [{".id": i, "name": "x"}]),
    ),
    "company": (
        "res.country",
        [],
        lambda o, i: contacts.create_company.plan(
            o,
            name="Planned Company",
            country=i,
            people=[{"name": "Ann"}],
            addresses=[{"type": "invoice", "city": "Ghent"}],
        ),
    ),
    "message with a file": (
        "res.partner",
        [],
        lambda o, i: post_message.plan(
            o,
            "res.partner",
            i,
            "x",
            attachments=[{"name": "a.txt", "content_base64": "aGVsbG8="}],
        ),
    ),
    "notes": (
        "res.partner",
        [],
        lambda o, i: post_notes.plan(o, model="res.partner", records=[i], body="x"),
    ),
    "activity": ("res.partner", [], lambda o, i: schedule_activity.plan(o, "res.partner", i)),
    "done": ("mail.activity", [], lambda o, i: mark_activity_done.plan(o, i)),
    "attach": (
        "res.partner",
        [],
        lambda o, i: attachments.upload.plan(o, "res.partner", i, "x.txt", "eHg="),
    ),
    "print and attach": (
        "sale.order",
        [],
        lambda o, i: attachments.attach_report(
            o, report_name="sale.report_saleorder", record=i, dry_run=True
        ),
    ),
    "detach": (
        "ir.attachment",
        [["res_model", "=", "res.partner"], ["res_field", "=", False]],
        lambda o, i: attachments.delete.plan(o, i),
    ),
    # Odoo 14 to 16 make the PDF of other documents for the plan, and store style sheets with the
    # first one, as any printing does.
    "send an invoice": (
        "account.move",
        _POSTED,
        lambda o, i: send_document(o, model="account.move", record_id=i, dry_run=True),
    ),
    "send about a lead": (
        "crm.lead",
        [["partner_id", "!=", False]],
        lambda o, i: send_document(o, model="crm.lead", record_id=i, dry_run=True),
    ),
    "meet": (
        "res.partner",
        [["email", "!=", False]],
        lambda o, i: calendar.create_meeting(
            o, name="x", start="2032-03-10T09:00", attendees=[i], dry_run=True
        ),
    ),
    "move a meeting": (
        "calendar.event",
        [["allday", "=", False]],
        lambda o, i: calendar.move_meeting(o, meeting_id=i, start="2032-03-10T09:00", dry_run=True),
    ),
    "cancel a meeting": (
        "calendar.event",
        [],
        lambda o, i: calendar.cancel_meeting(o, meeting_id=i, dry_run=True),
    ),
    "merge": (
        "res.partner",
        [["parent_id", "=", False]],
        lambda o, i: contacts.merge_contacts(o, contact_id=i, duplicates=[i + 1], dry_run=True),
    ),
    "product": (
        "product.category",
        [],
        lambda o, i: products.create_product(
            o, name="x", category_id=i, price=3.0, barcode="5901234123457", dry_run=True
        ),
    ),
    "prices": (
        "product.category",
        [],
        lambda o, i: products.change_prices(o, category_id=i, percent=3, dry_run=True),
    ),
    "price list": (
        "res.partner",
        [["parent_id", "=", False]],
        lambda o, i: products.create_price_list(
            o, name="x", rules=[{"percent_off": 3}], customers=[i], dry_run=True
        ),
    ),
    "language": ("res.users", [], lambda o, i: activate_language(o, "fr_BE", dry_run=True)),
    "translation": (
        "product.template",
        [],
        lambda o, i: translate.plan(o, "product.template", i, {"name": {"en_US": "x"}}),
    ),
}


def _product(odoo: Noting, quant: int) -> int:
    product: int = read(odoo, "stock.quant", [quant], ["product_id"]).records[0]["product_id"]["id"]
    return product


def _first(odoo: Noting, model: str) -> int:
    """Return a bank journal, or a product that is bought."""
    wanted: dict[str, list[Any]] = {
        "account.journal": [["type", "=", "bank"]],
        "product.product": [["purchase_ok", "=", True]],
    }
    return int(search_read(odoo, model, wanted[model], ["id"], limit=1).records[0]["id"])


def _other(odoo: Noting, model: str, record: int) -> int:
    """Return a stage that a lead or a task is not in, and that it can go to."""
    fields = ["stage_id"] if model == "crm.lead" else ["stage_id", "project_id"]
    (row,) = read(odoo, model, [record], fields).records
    domain: list[Any] = [["id", "!=", row["stage_id"]["id"]]]
    if model == "project.task":
        domain.append(["project_ids", "in", [row["project_id"]["id"]]])
    stages = "crm.stage" if model == "crm.lead" else "project.task.type"
    found = search_read(odoo, stages, domain, ["id"], limit=1).records
    return int(found[0]["id"]) if found else 0


def _open_invoice(odoo: Noting, line: int) -> int:
    """Return an open invoice of the partner of an open credit."""
    (row,) = read(odoo, "account.move.line", [line], ["partner_id"]).records
    of_partner = [["partner_id", "=", row["partner_id"]["id"]], ["payment_state", "=", "not_paid"]]
    found = search_read(odoo, "account.move", [*_POSTED, *of_partner], ["id"], limit=1).records
    return int(found[0]["id"]) if found else 0


def test_plans_in_readonly_mode_write_nothing(
    reader: Noting, role: str, raw: Raw, database: Database
) -> None:
    planned: list[str] = []
    odd: dict[str, Any] = {}
    # What a login writes on its own has nothing to do with the plan.
    with unchanged(database, LOGIN_TABLES):
        for name, (model, domain, plan) in CASES.items():
            found = []
            with contextlib.suppress(Exception):  # an app that is not installed
                found = raw(model, "search", domain, limit=3)
            for record_id in found:
                reader.sent.clear()
                try:
                    made = plan(reader, record_id)
                except OdooError as error:
                    odd[name] = (error.code, error.message)
                else:
                    planned.append(name)
                    if isinstance(made, Plan) and made.calls:
                        assert "mode" in (made.needs or ""), name
                assert [call.method for call in reader.sent if not call.reads] == [], name
    # A record may be in no state for it, but the mode is never the reason.
    wrong = ("MODE_VIOLATION", "UNKNOWN_ERROR")
    assert {name: said for name, said in odd.items() if said[0] in wrong} == {}
    assert len(set(planned)) > (60 if role == "admin" else 40), odd


def test_what_a_list_closes_is_not_planned(reader: Noting, role: str, raw: Raw) -> None:
    (order,) = raw("sale.order", "search", [["state", "=", "draft"]], limit=1)
    allowed = reader.policy
    reader.policy = attrs.evolve(allowed, model_blocklist="sale.order")
    try:
        with pytest.raises(OdooError) as caught:
            sales.confirm_order.plan(reader, order_id=order)
    finally:
        reader.policy = allowed
    assert caught.value.code == "MODEL_BLOCKED"
