"""Checking in and out on a real Odoo: it goes through a web session, which is not recorded."""

from __future__ import annotations

from typing import Any

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from odoo_toolkit.apps import hr
from odoo_toolkit.plans import Plan
from tests.kit.live_tapes import Open
from tests.live.staff import new_staff


def attendances(admin: Odoo, employee_id: int) -> list[dict[str, Any]]:
    domain = [["employee_id", "=", employee_id]]
    fields = ["check_in", "check_out"]
    return toolkit.search_read(admin, "hr.attendance", domain, fields, limit=500).records


def test_an_employee_checks_in_and_out(admin: Odoo, opened: Open) -> None:
    staff = new_staff(opened, admin)
    hr.check_in_out(staff.emp, direction="out")
    before = len(attendances(admin, staff.emp_id))
    plan = hr.check_in_out(staff.emp, direction="in", dry_run=True)
    assert isinstance(plan, Plan)
    assert len(attendances(admin, staff.emp_id)) == before
    came = hr.check_in_out(staff.emp, direction="in")
    assert (came.checked_in, came.check_out) == (True, None)
    again = hr.check_in_out(staff.emp, direction="in")
    assert (again.id, "already" in again.message) == (came.id, True)
    assert len(attendances(admin, staff.emp_id)) == before + 1
    for _ in range(2):
        went = hr.check_in_out(staff.emp, direction="out")
        assert (went.id, went.checked_in) == (came.id, False)
        assert went.check_out
    assert len(attendances(admin, staff.emp_id)) == before + 1
