"""From a sold service to the invoice of its hours, on a real Odoo."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from odoo_toolkit.apps import accounting, project, sales

pytestmark = pytest.mark.recorded


@pytest.fixture
def billed(admin: Odoo) -> Odoo:
    if not admin.schema.module_installed("sale_timesheet"):
        pytest.skip("sale_timesheet is not installed.")
    return admin


def service(odoo: Odoo, name: str, **values: Any) -> int:
    """Make a service that is sold by the hour, for 100 each without taxes."""
    hours = toolkit.search_read(odoo, "uom.uom", [["name", "=", "Hours"]], ["id"]).records[0]["id"]
    values |= {"name": name, "type": "service", "list_price": 100, "taxes_id": [[6, 0, []]]}
    values |= {"uom_id": hours}
    if "uom_po_id" in odoo.schema.fields("product.product"):
        values["uom_po_id"] = hours
    made = toolkit.create(odoo, "product.product", values).id
    assert made
    return made


def todo(odoo: Odoo, order: int) -> list[str]:
    return project.check_billing(odoo, order_id=order).todo


def test_from_the_sold_service_to_the_invoice(billed: Odoo, suffix: str) -> None:
    by_hours: dict[str, Any] = {"invoice_policy": "delivery", "service_type": "timesheet"}
    support = service(billed, f"Support {suffix}", **by_hours, service_tracking="task_in_project")
    loose = service(billed, f"Loose {suffix}", **by_hours, service_tracking="no")
    partner = toolkit.create(billed, "res.partner", {"name": f"Customer {suffix}"}).id
    lines: Any = [{"product_id": product, "quantity": 5} for product in (support, loose)]
    order: Any = sales.create_order(billed, partner_id=partner, lines=lines)
    assert todo(billed, order.id)[0].startswith("Confirm the order with confirm_order")

    sales.confirm_order(billed, order_id=order.id)
    told = project.check_billing(billed, order_name=order.name)
    first, second = told.services
    assert told.todo[0].startswith(f"Log hours on the task {first.task.name!r} ({first.task.id})")
    assert told.todo[1].startswith(f"Loose {suffix} has no task")

    project.log_timesheet(billed, task_id=first.task.id, hours=3)
    extra = project.create_task(billed, name=f"Extra {suffix}", project_id=first.project.id)
    toolkit.write(billed, "project.task", [extra.id], {"sale_line_id": False})
    project.log_timesheet(billed, task_id=extra.id, hours=2)
    told = project.check_billing(billed, order_id=order.id)
    assert [(lost.task and lost.task.id, lost.hours) for lost in told.unbilled] == [(extra.id, 2.0)]
    assert "is not linked to an order line" in told.unbilled[0].reason
    assert told.amount_to_invoice == 300.0
    assert [item.logged for item in told.services] == [3.0, 0.0]

    # As the answer says: linked to its line, the task's hours are billed.
    toolkit.write(billed, "project.task", [extra.id], {"sale_line_id": second.id})
    told = project.check_billing(billed, order_id=order.id)
    assert (told.unbilled, told.amount_to_invoice) == ([], 500.0)
    assert [text.split(":")[0] for text in told.todo] == [
        f"Invoice 3 Hours of Support {suffix} with create_invoices of sales",
        f"Invoice 2 Hours of Loose {suffix} with create_invoices of sales",
    ]
    invoiced: Any = sales.create_invoices(billed, order_id=order.id)
    (invoice,) = invoiced.invoices
    # Odoo's own figure.
    (row,) = toolkit.read(billed, "account.move", [invoice.id], ["amount_untaxed"]).records
    assert row["amount_untaxed"] == told.amount_to_invoice
    told = project.check_billing(billed, order_id=order.id)
    assert told.amount_to_invoice == 0.0
    assert [item.logged_invoiced for item in told.services] == [3.0, 2.0]
    (post,) = told.todo
    assert f"(id {invoice.id}) with post_invoice" in post
    accounting.post_invoice(billed, invoice_id=invoice.id)
    assert todo(billed, order.id) == []


def test_what_is_sold_by_quantity_is_not_invoiced_by_hours(billed: Odoo, suffix: str) -> None:
    product = service(
        billed,
        f"Prepaid {suffix}",
        invoice_policy="order",
        service_type="timesheet",
        service_tracking="task_in_project",
    )
    partner = toolkit.create(billed, "res.partner", {"name": f"Customer {suffix}"}).id
    order = sales.create_order(
        billed, partner_id=partner, lines=[{"product_id": product, "quantity": 5}]
    )
    sales.confirm_order(billed, order_id=order.id)
    (item,) = project.check_billing(billed, order_id=order.id).services
    project.log_timesheet(billed, task_id=item.task.id, hours=2)
    told = project.check_billing(billed, order_id=order.id)
    assert "not by the 2 logged hours" in told.todo[0]
    assert told.amount_to_invoice == 500.0
