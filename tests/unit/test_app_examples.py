"""The example of each public function of the apps runs, and shows what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docs.builder.apps import business_apps
from odoo_toolkit.client import Odoo
from tests.kit.examples import functions, run_example
from tests.unit import (
    test_accounting,
    test_accounting_settlement,
    test_calendar,
    test_crm,
    test_helpdesk,
    test_hr,
    test_hr_expense_reports,
    test_hr_self_service,
    test_inventory_late,
    test_inventory_reordering,
    test_inventory_scrapping,
    test_project,
    test_project_billing,
    test_project_creation,
    test_project_hours,
    test_sales,
    test_sales_changes,
    test_sales_processing,
)
from tests.unit.depot import Depot
from tests.unit.dunning import Dunning, invoice, owed
from tests.unit.fake_bank import BankOffice
from tests.unit.fake_books import Ledger, item
from tests.unit.fake_contacts import AddressBook
from tests.unit.fake_purchase import Buying
from tests.unit.scripted import Scripted


def _offered(**options: Any) -> Buying:
    odoo = Buying(19, **options)
    odoo.offer(10.0, min_qty=1)
    return odoo


def _stocked() -> Depot:
    odoo = Depot(19)
    group = {"location_id": [8, "WH/Stock"], "quantity": 8.0, "reserved_quantity": 2.0}
    odoo.answers["stock.quant", "read_group"] = [group]
    return odoo


def _quoted() -> Scripted:
    odoo = test_sales_changes.shop()
    (order,) = odoo.server.records["sale.order"]
    for button, state in (("action_confirm", "sale"), ("action_cancel", "cancel")):
        odoo.answers["sale.order", button] = lambda _, state=state: order.update(state=state)
    return odoo


def _to_invoice() -> Odoo:
    odoo = test_sales.shop(state="sale")
    (row,) = odoo.answers["sale.order", "search_read"](None)
    wizard = "sale.advance.payment.inv"
    odoo.answers |= {
        (wizard, "default_get"): {},
        (wizard, "create"): 1,
        (wizard, "create_invoices"): lambda _: row.update(invoice_ids=[9]),
        ("sale.order", "search_read"): lambda _: [dict(row)],
        ("account.move", "search_read"): [test_sales.invoice()],
    }
    return odoo


def _booked(**invoice: Any) -> Scripted:
    return test_accounting.Books(19, {**test_accounting.POSTED, **invoice})


def _drafted() -> Scripted:
    odoo = test_accounting.Books(19, {**test_accounting.POSTED, "name": "/", "state": "draft"})
    odoo.row("account.move.line", 1).update(product_id=3, quantity=1.0, price_unit=50.0)
    return odoo


def _tagged() -> Scripted:
    odoo = test_crm.server(tag_ids=[])
    odoo.server.records["crm.tag"] = [{"id": 3, "name": "Furniture"}]
    return odoo


def _claimed() -> Scripted:
    odoo = test_hr_self_service.server(19)
    test_hr_self_service.expense(odoo)
    return odoo


OWED = [
    item(3, 11, 300.0, "2025-06-30", partner_id=9, date_maturity="2025-07-15"),
    item(4, 14, -300.0, "2025-06-30", partner_id=9),
]


def _met() -> Odoo:
    odoo = test_calendar.Office()
    odoo.server.records["res.partner"].append(
        {"id": 11, "name": "Azure Interior", "email": "a@x.org", "active": True}
    )
    odoo.server.records["calendar.event"].append(
        {
            **odoo.server.records["calendar.event"][0],
            "id": 5,
            "name": "Budget",
            "start": "2030-03-11 08:00:00",
            "stop": "2030-03-11 09:00:00",
            "partner_ids": [3, 11],
        }
    )
    return odoo


#: An invoice of which 115 are open.
_OF_115, _OPEN_115 = invoice(201, 9, name="INV/201"), owed(41, 201, 9, 115.0, "2025-09-30")

#: App -> what its examples are run on, and what those of some functions need instead.
ODOOS: dict[str, tuple[Callable[[], Odoo], dict[str, Callable[[], Odoo]]]] = {
    "accounting": (
        lambda: _booked(),
        {
            "create_entry": lambda: Ledger(19),
            "get_invoice": lambda: test_accounting_settlement._books(),
            "get_report": lambda: Ledger(19, OWED),
            "post_invoice": lambda: _booked(name="/", state="draft"),
            "post_invoices": lambda: _booked(name="/", state="draft"),
            "reconcile": lambda: test_accounting_settlement._books(),
            "reset_invoice": lambda: test_accounting_settlement._books(),
            "update_invoice": _drafted,
            "send_reminders": Dunning,
            "match_bank_lines": lambda: BankOffice(moves=[_OF_115], items=[_OPEN_115]),
            "get_statement": lambda: Dunning(),
        },
    ),
    "calendar": (_met, {}),
    "crm": (_tagged, {"mark_won": lambda: test_crm.server(type="opportunity")}),
    "helpdesk": (test_helpdesk.server, {}),
    "hr": (
        lambda: test_hr.server(19, test_hr.leave()),
        {
            "check_in_out": lambda: test_hr_self_service.server(16),
            "create_expense": lambda: test_hr_self_service.server(19),
            "decide_expense": _claimed,
            "process_expenses": test_hr_expense_reports.server,
            "create_allocation": lambda: test_hr.server(19),
            "request_leave": lambda: test_hr.server(19),
        },
    ),
    "contacts": (AddressBook, {}),
    "inventory": (
        lambda: Depot(19),
        {
            "find_late_transfers": lambda: test_inventory_late.late(reserved=0.0),
            "get_reordering_rules": lambda: test_inventory_reordering.ruled(),
            "get_stock": _stocked,
            "run_reordering_rules": lambda: test_inventory_reordering.ruled(),
            "scrap_product": lambda: test_inventory_scrapping.stocked(),
            "set_reordering_rule": lambda: test_inventory_reordering.ruled(),
            "return_picking": lambda: Depot(19, state="done", entered=5.0),
        },
    ),
    "project": (
        test_project.server,
        {
            "check_billing": test_project_billing.server,
            "create_project": test_project_creation.server,
            "get_hours": test_project_hours.example,
        },
    ),
    "purchase": (
        _offered,
        {
            "create_bill": lambda: _offered(state="purchase"),
            "enter_bill": lambda: _offered(state="purchase"),
            "process_orders": lambda: _offered(state="purchase"),
            "receive": lambda: Depot(19, usage="supplier", order="P00012"),
            "return_order": lambda: Depot(
                19, usage="supplier", order="P00012", state="done", entered=5.0
            ),
        },
    ),
    "sales": (
        _quoted,
        {"create_invoices": _to_invoice, "process_orders": test_sales_processing.Firm},
    ),
}


#: Their examples are run on a real Odoo, and on what it answered.
PLAYED = ("manufacturing", "products")


def test_every_app_has_its_examples_run() -> None:
    assert sorted([*ODOOS, *PLAYED]) == sorted(business_apps())


@pytest.mark.parametrize(
    ("app", "function"),
    [
        pytest.param(app, function, id=f"{app}-{function.__name__}")
        for app in ODOOS
        for function in functions(app)
    ],
)
def test_the_example_of_a_function_runs(app: str, function: Callable[..., Any]) -> None:
    usual, others = ODOOS[app]
    run_example(function, others.get(function.__name__, usual)())
