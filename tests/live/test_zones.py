"""Days of users far away: at any time, one of the two zones has another day than UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from odoo_toolkit import Connection, Odoo, Plan, Policy, connect, create, read, write
from odoo_toolkit.apps.accounting import (
    Invoice,
    create_credit_note,
    create_invoice,
    post_invoice,
    register_payment,
)
from odoo_toolkit.apps.hr import create_expense
from odoo_toolkit.apps.project import create_task, log_timesheet
from odoo_toolkit.chatter import schedule_activity
from tests.live.accounting_data import customer
from tests.live.servers import Server, credentials

pytestmark = pytest.mark.every_version

LINE: Any = {"name": "Work", "quantity": 1, "price_unit": 100.0, "tax_ids": []}


@pytest.fixture(params=["Etc/GMT+12", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest, server: Server) -> Iterator[ZoneInfo]:
    """The zone that the administrator is in now."""
    login = credentials(server, server.user("admin"))
    with connect(**login, policy=Policy(protect=False)) as admin:
        (before,) = read(admin, "res.users", [admin.uid], ["tz"])
        write(admin, "res.users", [admin.uid], {"tz": request.param})
        yield ZoneInfo(request.param)
        write(admin, "res.users", [admin.uid], {"tz": before["tz"]})


@pytest.fixture
def odoo(server: Server, zone: ZoneInfo) -> Iterator[Connection]:
    """A new connection, as a zone is asked for once."""
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


@pytest.fixture
def day(zone: ZoneInfo) -> str:
    """The day there, as long as it lasts."""
    return datetime.now(zone).date().isoformat()


@pytest.mark.parametrize("move_type", ["out_invoice", "in_invoice"])
@pytest.mark.parametrize("dated", [{}, {"invoice_date": "2026-01-15"}])
def test_an_invoice_is_dated_and_due_as_planned(
    odoo: Connection, suffix: str, day: str, dated: dict[str, str], move_type: Any
) -> None:
    asked: Any = {"partner_id": customer(odoo, suffix), "lines": [LINE], **dated}
    asked |= {"move_type": move_type, "ref": suffix, "post": True}
    plan, made = create_invoice(odoo, **asked, dry_run=True), create_invoice(odoo, **asked)
    assert isinstance(plan, Plan)
    assert isinstance(made, Invoice)
    (document,) = plan.documents
    assert made.invoice_date == (dated.get("invoice_date") or day)
    told = (document.date, document.due_date, document.accounting_date or made.date)
    assert told == (made.invoice_date, made.invoice_date_due, made.date)


def test_a_draft_without_a_date_is_posted_on_the_planned_day(
    odoo: Connection, suffix: str, day: str
) -> None:
    made = create_invoice(odoo, partner_id=customer(odoo, suffix), lines=[LINE])
    write(odoo, "account.move", [made.id], {"invoice_date": False})
    plan = post_invoice(odoo, invoice_id=made.id, dry_run=True)
    posted = post_invoice(odoo, invoice_id=made.id)
    assert isinstance(posted, Invoice)
    (document,) = plan.documents
    assert (document.date, document.due_date) == (day, None)
    assert posted.invoice_date == day


def test_a_payment_and_a_credit_note_have_the_planned_day(
    odoo: Connection, suffix: str, day: str
) -> None:
    asked: Any = {"partner_id": customer(odoo, suffix), "lines": [LINE], "post": True}
    invoice = create_invoice(odoo, **asked).id
    plan = register_payment(odoo, invoice_ids=[invoice], amount=40.0, dry_run=True)
    paid = register_payment(odoo, invoice_ids=[invoice], amount=40.0)
    (document,) = plan.documents
    assert document.notes[0].startswith(f"Paid on {day} by ")
    (payment,) = read(odoo, "account.payment", [paid.payments[0].id], ["date"])
    assert payment["date"] == day
    credit: Any = {"invoice_id": create_invoice(odoo, **asked).id, "post": True}
    plan, made = (
        create_credit_note(odoo, **credit, dry_run=True),
        create_credit_note(odoo, **credit),
    )
    (document,) = plan.documents
    assert (document.date, made.invoice_date) == (day, day)


def test_what_is_dated_today_by_itself_has_the_users_day(
    odoo: Connection, admin: Odoo, suffix: str, day: str
) -> None:
    project = create(admin, "project.project", {"name": suffix, "allow_timesheets": True}).id
    task = create_task(odoo, name=suffix, project_id=project).id
    assert log_timesheet(odoo, task_id=task, hours=1).date == day
    scheduled = schedule_activity(odoo, "project.task", task, summary=suffix)
    assert scheduled.activity is not None
    assert scheduled.activity.deadline == day
    product = {"name": suffix, "can_be_expensed": True, "type": "service", "standard_price": 0.0}
    category = create(admin, "product.product", product).id
    assert create_expense(odoo, name=suffix, product_id=category, amount=10.0).date == day
