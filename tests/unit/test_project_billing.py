"""From a sold service to the invoice of its hours: everything that is still to be done is named."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.apps.project import BillingResult
from odoo_toolkit.errors import NotFoundError
from tests.unit.scripted import Scripted


def _models(major: int) -> dict[str, dict[str, Any]]:
    uom = "product_uom_id" if major >= 19 else "product_uom"
    return {
        "res.partner": {"name": "char"},
        "res.currency": {"name": "char"},
        "uom.uom": {"name": "char"},
        "product.product": {
            "name": "char",
            "invoice_policy": "char",
            "service_type": "char",
            "service_tracking": "char",
        },
        "account.move": {"name": "char", "state": "char"},
        "project.sale.line.employee.map": {"name": "char"},
        "sale.order": {
            "name": "char",
            "state": "char",
            "partner_id": "many2one res.partner",
            "currency_id": "many2one res.currency",
            "invoice_status": "char",
            "invoice_ids": "many2many account.move",
        },
        "sale.order.line": {
            "name": "char",
            "order_id": "many2one sale.order",
            "product_id": "many2one product.product",
            uom: "many2one uom.uom",
            "product_uom_qty": "float",
            "qty_delivered": "float",
            "qty_delivered_method": "char",
            "qty_invoiced": "float",
            "qty_to_invoice": "float",
            "price_reduce_taxexcl": "float",
            "is_service": "boolean",
            "is_downpayment": "boolean",
            "is_expense": "boolean",
            "display_type": "char",
            "project_id": "many2one project.project",
            "task_id": "many2one project.task",
        },
        "project.project": {
            "name": "char",
            "sale_line_id": "many2one sale.order.line",
            "allow_billable": "boolean",
            "allow_timesheets": "boolean",
        },
        "project.task": {
            "name": "char",
            "project_id": "many2one project.project",
            "sale_line_id": "many2one sale.order.line",
            "allow_billable": "boolean",
            "effective_hours": "float",
        },
        "account.analytic.line": {
            "unit_amount": "float",
            "task_id": "many2one project.task",
            "project_id": "many2one project.project",
            "so_line": "many2one sale.order.line",
            "timesheet_invoice_id": "many2one account.move",
        },
    }


def server(major: int = 19, *, approver: bool = True, **line: Any) -> Scripted:
    """A confirmed order of 5 hours of support, 3 of which are logged on its task."""
    sold = {
        "id": 21,
        "name": "Support",
        "order_id": 12,
        "product_id": 4,
        "product_uom_id" if major >= 19 else "product_uom": 6,
        "product_uom_qty": 5.0,
        "qty_delivered": 3.0,
        "qty_delivered_method": "timesheet",
        "qty_invoiced": 0.0,
        "qty_to_invoice": 3.0,
        "price_reduce_taxexcl": 100.0,
        "is_service": True,
        "project_id": 3,
        "task_id": 5,
        **line,
    }
    records = {
        "res.partner": [{"id": 9, "name": "Azure"}],
        "res.currency": [{"id": 1, "name": "EUR"}],
        "uom.uom": [{"id": 6, "name": "Hours"}],
        "product.product": [
            {
                "id": 4,
                "name": "Support",
                "invoice_policy": "delivery",
                "service_type": "timesheet",
                "service_tracking": "task_in_project",
            }
        ],
        "account.move": [{"id": 30, "name": "INV/1", "state": "draft"}],
        "project.sale.line.employee.map": [],
        "sale.order": [
            {
                "id": 12,
                "name": "S00012",
                "state": "sale",
                "partner_id": 9,
                "currency_id": 1,
                "invoice_status": "to invoice",
                "invoice_ids": [],
            }
        ],
        "sale.order.line": [
            sold,
            {"id": 22, "name": "Chair", "order_id": 12, "is_service": False, "product_uom_qty": 1},
        ],
        "project.project": [
            {"id": 3, "name": "House", "sale_line_id": 21, "allow_billable": True},
        ],
        "project.task": [
            {"id": 5, "name": "Help", "project_id": 3, "sale_line_id": 21, "allow_billable": True}
        ],
        "account.analytic.line": [
            {"id": 1, "unit_amount": 3.0, "task_id": 5, "project_id": 3, "so_line": 21}
        ],
    }
    answers = {("res.users", "has_group"): approver}
    return Scripted(major, answers, None, _models(major), records=records)


def check(odoo: Scripted) -> BillingResult:
    return project.check_billing(odoo, order_name="S00012")


def test_a_quotation_is_confirmed_first() -> None:
    odoo = server(project_id=False, task_id=False, qty_to_invoice=0.0, qty_delivered=0.0)
    odoo.server.records["sale.order"][0]["state"] = "draft"
    odoo.server.records["account.analytic.line"].clear()
    assert [text.split(" with")[0] for text in check(odoo).todo] == ["Confirm the order"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({}, "Log hours on the task 'Help' (5)"),
        ({"task_id": False}, "Log hours on a task of the project 'House'"),
        ({"task_id": False, "project_id": False}, "Support has no task"),
    ],
)
def test_without_hours_they_are_logged_first(line: dict[str, Any], words: str) -> None:
    odoo = server(**{"qty_to_invoice": 0.0, "qty_delivered": 0.0, **line})
    odoo.server.records["account.analytic.line"].clear()
    (todo,) = check(odoo).todo
    assert todo.startswith(words)
    assert "log_timesheet" in todo


@pytest.mark.parametrize(
    ("task", "owner", "entry", "reason"),
    [
        ({"sale_line_id": False}, {}, {}, "is not linked to an order line"),
        ({"allow_billable": False}, {}, {}, "not billable"),
        ({}, {"allow_billable": False}, {}, "not billable"),
        ({}, {}, {}, "excluded from billing"),
        ({}, {}, {"task_id": False}, "do not belong to a task"),
    ],
)
def test_hours_that_no_invoice_will_have_are_named(
    task: dict[str, Any], owner: dict[str, Any], entry: dict[str, Any], reason: str
) -> None:
    odoo = server()
    kept = odoo.server.records
    kept["project.task"].append(
        {"id": 6, "name": "Extra", "project_id": 3, "sale_line_id": 21, "allow_billable": True}
        | task
    )
    kept["project.project"][0] |= owner
    kept["account.analytic.line"].append(
        {"id": 2, "unit_amount": 2.0, "task_id": 6, "project_id": 3, "so_line": False} | entry
    )
    told = check(odoo)
    (lost,) = told.unbilled
    assert lost.hours == 2.0
    assert reason in lost.reason
    assert told.todo[0].startswith("2 hours on")


def test_what_is_sold_by_quantity_is_not_invoiced_by_hours() -> None:
    odoo = server()
    odoo.server.records["product.product"][0]["invoice_policy"] = "order"
    told = check(odoo)
    assert told.services[0].invoiced_by == "ordered quantity"
    assert "not by the 3 logged hours" in told.todo[0]


def test_what_is_on_a_draft_is_posted_and_nothing_is_left() -> None:
    odoo = server(qty_invoiced=3.0, qty_to_invoice=0.0)
    odoo.server.records["sale.order"][0]["invoice_ids"] = [30]
    odoo.server.records["account.analytic.line"][0]["timesheet_invoice_id"] = 30
    told = check(odoo)
    assert (told.amount_to_invoice, told.services[0].logged_invoiced) == (0.0, 3.0)
    assert told.todo == ["Post the draft invoice INV/1 (id 30) with post_invoice."]
    odoo.server.records["account.move"][0]["state"] = "posted"
    again = check(odoo)
    assert again.todo == []
    assert "nothing to do" in again.message


def test_what_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    odoo = server()
    with pytest.raises(NotFoundError, match="S99"):
        project.check_billing(odoo, order_name="S99")
    monkeypatch.setattr(odoo.schema, "module_installed", lambda name: False)
    with pytest.raises(NotFoundError, match="sale_timesheet"):
        check(odoo)
