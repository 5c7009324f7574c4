"""Logged hours and who has logged too few, on a real Odoo."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, ValidationError
from odoo_toolkit.apps import hr, project
from tests.kit.live_tapes import Open
from tests.live.staff import Staff, new_staff
from tests.live.test_hr import leave_type

pytestmark = pytest.mark.recorded

MONDAY = date(2018, 1, 1)


@pytest.fixture
def staff(opened: Open, admin: Odoo) -> Staff:
    """An employee and a boss."""
    return new_staff(opened, admin)


def house(admin: Odoo, name: str) -> tuple[int, int]:
    """Return a project with timesheets and a task of it."""
    made = toolkit.create(admin, "project.project", {"name": name, "allow_timesheets": True}).id
    assert made
    task = toolkit.create(admin, "project.task", {"name": name, "project_id": made}).id
    assert task
    return made, task


def log(admin: Odoo, task: int, user: int, day: date, hours: float) -> None:
    project.log_timesheet(admin, task_id=task, user_id=user, hours=hours, date=day)


def own_sum(admin: Odoo, domain: list[Any]) -> float:
    """Return the sum that Odoo itself makes."""
    rows = toolkit.search_read(
        admin, "account.analytic.line", domain, ["unit_amount"], limit=500
    ).records
    return round(sum(row["unit_amount"] for row in rows), 2)


def test_hours_are_odoos_own(admin: Odoo, staff: Staff, suffix: str) -> None:
    made, task = house(admin, f"House {suffix}")
    other, garden = house(admin, f"Garden {suffix}")
    log(admin, task, staff.emp.uid, MONDAY, 3)
    log(admin, task, staff.emp.uid, MONDAY + timedelta(days=2), 4.5)
    log(admin, garden, staff.emp.uid, MONDAY + timedelta(days=7), 2)
    log(admin, task, staff.boss.uid, MONDAY, 1)
    span: dict[str, Any] = {"date_from": MONDAY, "date_to": MONDAY + timedelta(days=13)}
    report = project.get_hours(admin, **span, projects=[f"house {suffix}", other])
    rows = {
        (row.employee and row.employee.id, row.project and row.project.id, row.week): row.hours
        for row in report.rows
    }
    later = MONDAY + timedelta(days=7)
    assert rows == {
        (staff.emp_id, made, str(MONDAY)): 7.5,
        (staff.emp_id, other, str(later)): 2.0,
        (staff.boss_id, made, str(MONDAY)): 1.0,
    }
    assert report.by_project == {f"House {suffix}": 8.5, f"Garden {suffix}": 2.0}
    clerk, chief = (f"Toolkit {name} {staff.tag}" for name in ("Clerk", "Chief"))
    assert report.by_employee == {clerk: 9.5, chief: 1.0}
    assert report.total == own_sum(admin, [["project_id", "in", [made, other]]])
    assert report.missing == []
    assert "too few" not in report.message

    judged = project.get_hours(
        admin, **span, employees=[f"toolkit clerk {staff.tag}", staff.boss_id]
    )
    domain = [
        ["project_id", "!=", False],
        ["employee_id", "in", [staff.emp_id, staff.boss_id]],
        ["date", ">=", str(MONDAY)],
        ["date", "<=", str(MONDAY + timedelta(days=13))],
    ]
    assert judged.total == own_sum(admin, domain)
    found = {(row.employee.id, row.week): row for row in judged.missing}
    first = found[staff.emp_id, str(MONDAY)]
    assert (first.logged, first.expected, first.missing) == (7.5, 40.0, 32.5)
    assert found[staff.boss_id, str(later)].logged == 0.0


def test_time_off_is_not_missing(admin: Odoo, staff: Staff, suffix: str) -> None:
    """Whether or not Odoo logs the hours of time off by itself."""
    _, task = house(admin, f"House {suffix}")
    type_id = leave_type(admin, f"Past {suffix}")
    tuesday = MONDAY + timedelta(days=1)
    leave = hr.request_leave(staff.emp, leave_type_id=type_id, date_from=MONDAY, date_to=tuesday)
    # On 14 the approver approves nothing that has begun.
    hr.decide_leave(admin, decision="approve", leave_id=leave.id)
    log(admin, task, staff.emp.uid, MONDAY + timedelta(days=2), 8)
    span: dict[str, Any] = {"date_from": MONDAY, "date_to": MONDAY + timedelta(days=6)}
    (row,) = project.get_hours(admin, **span, employees=[staff.emp_id]).missing
    assert (row.logged, row.expected, row.missing) == (8.0, 24.0, 16.0)
    for days in (3, 4):
        log(admin, task, staff.emp.uid, MONDAY + timedelta(days=days), 8)
    assert project.get_hours(admin, **span, employees=[staff.emp_id]).missing == []
    hr.decide_leave(admin, decision="refuse", leave_id=leave.id)
    (row,) = project.get_hours(admin, **span, employees=[staff.emp_id]).missing
    assert (row.logged, row.expected) == (24.0, 40.0)


def test_bad_questions(admin: Odoo, suffix: str) -> None:
    for values, error in (
        ({"employees": [f"Nobody {suffix}"]}, NotFoundError),
        ({"projects": [f"Nowhere {suffix}"]}, NotFoundError),
        ({"date_from": "2024-02-30"}, ValidationError),
        ({"date_from": "2024-01-02", "date_to": "2024-01-01"}, ValidationError),
    ):
        with pytest.raises(error):
            project.get_hours(admin, **values)
