"""A function that lists the time off of an employee or a department."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.granting import AllocationRow, read_allocations
from odoo_toolkit.apps.hr.leave import (
    LEAVE,
    TAKES_DAYS,
    LeaveRow,
    leave_row,
    of_employee,
    read_leaves,
)
from odoo_toolkit.apps.hr.people import named_employee
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, invalid
from odoo_toolkit.records.results import RecordName

#: Most requests that are listed.
_MOST = 200

_DAY = op.JsonSchema({"type": "string"})


@attrs.frozen(kw_only=True)
class LeaveTotal(op.Shown):
    """The days of one type of time off in a list of requests.

    Attributes:
        approved: Days of approved requests.
        waiting: Days of requests that wait for approval.
    """

    leave_type: RecordName
    approved: float
    waiting: float


@attrs.frozen(kw_only=True)
class EmployeeLeaves(op.Shown):
    """The time off of an employee or a department, as far as the connected user can see it.

    Attributes:
        employee: The employee. None for a department.
        message: Number of requests, and number of those that take days.
        department: The department, if you asked for one.
        overlapping: Time off that takes these days, for a department with the employee's name. Odoo
            would reject another request for them.
        leaves: All requests that overlap with the days, by date, including refused and cancelled
            ones.
        totals: Totals by type. A request that is partly within the days counts in full.
        allocations: Allocations of all years. Empty for a department.
        has_more: True if there are more requests.
        warnings: Differences from your request.
    """

    employee: RecordName | None = None
    message: str
    date_from: str
    date_to: str | None = None
    department: RecordName | None = None
    overlapping: list[str] = attrs.Factory(list)
    leaves: list[LeaveRow] = attrs.Factory(list)
    totals: list[LeaveTotal] = attrs.Factory(list)
    allocations: list[AllocationRow] = attrs.Factory(list)
    has_more: bool = False
    warnings: list[str] = attrs.Factory(list)


def list_leaves(
    odoo: Odoo,
    *,
    employee_id: Annotated[int | None, Doc("Default: the connected user.")] = None,
    employee_name: Annotated[str | None, Doc("Name of the employee, instead of the id.")] = None,
    department_id: Annotated[
        op.NameOrId, Doc("Id or name of a department, instead of an employee.")
    ] = None,
    date_from: Annotated[
        str | date | None, _DAY, Doc("First day. Default: the first of this year.")
    ] = None,
    date_to: Annotated[str | date | None, _DAY, Doc("Last day. Default: no end.")] = None,
) -> EmployeeLeaves:
    """List an employee's or a department's time off that overlaps with a period.

    >>> list_leaves(odoo, date_from="2030-01-08", date_to="2030-01-08").overlapping
    ['requested Paid, 2030-01-07 to 2030-01-09']

    Each request has a text such as "approved Sick Time Off, 2030-01-07 to 2030-01-09". You also get
    the totals by type, and the allocations. The requests of other employees are visible to their
    approvers and to Time Off officers.

    A department includes its sub-departments, as in Odoo. Odoo uses the department that the
    employee had when the request was created.

    It takes 3 requests, two of them in parallel, and 1 more by name. For a department, it takes 2
    requests, and 2 more for a part of its name.

    Raises:
        AmbiguousNameError: Several employees or departments have the name.
        NotFoundError: The employee or department does not exist, or the module ``hr_holidays`` is
            not installed.
        ValidationError: A date is wrong, the user is not an employee, or you passed an employee and
            a department.
        AccessError: Odoo or the policy does not allow it.
    """
    first = op.checked_day(date_from, "date_from") or f"{op.today(odoo)[:4]}-01-01"
    last = op.checked_day(date_to, "date_to")
    if last and last < first:
        raise invalid("date_to", f"date_to {last} is before date_from {first}.")
    other = employee_id is not None or employee_name is not None
    if other and department_id is not None:
        raise invalid(
            "department_id",
            "Both an employee and a department are set.",
            "Omit department_id, or the employee.",
        )
    warnings: list[str] = []
    employee = department = None
    allocations: list[AllocationRow] | None = None
    if department_id is None:
        employee = named_employee(odoo, employee_id, employee_name, LEAVE)
        mine, number = of_employee(employee), employee.id
        rows, allocations = op.gather(
            lambda: read_leaves(odoo, mine, first, last, limit=_MOST + 1),
            op.readable("allocations", lambda: read_allocations(odoo, number, _MOST), warnings),
        )
    else:
        department = _named_department(odoo, department_id)
        below = ("department_id", "child_of", department.id)
        rows = read_leaves(odoo, below, first, last, limit=_MOST + 1)
    whose = (employee or department).name  # type: ignore[union-attr]
    has_more = len(rows) > _MOST
    leaves = [leave_row(row) for row in rows[:_MOST]]
    taking = [row for row in leaves if row.state in TAKES_DAYS]
    if (other and not leaves) or department:
        missing = f"{whose} has no time off in this period, or this user cannot see it."
        partly = "The list may lack time off that this user cannot see."
        warnings.append(
            f"{partly if leaves else missing} Odoo shows time off to the employee, their approver "
            "and Time Off officers."
        )
    days = f"from {first} on" if last is None else first if first == last else f"{first} to {last}"
    return EmployeeLeaves(
        employee=employee,
        department=department,
        message=f"{whose}, {days}: {op.counted(len(leaves), 'request')}, {len(taking)} of "
        "them take days (see overlapping)."
        if leaves
        else f"{whose}, {days}: this user sees no time off.",
        date_from=first,
        date_to=last,
        overlapping=[
            f"{row.employee.name}: {row.text}" if department and row.employee else row.text
            for row in taking
        ],
        leaves=leaves,
        totals=_totals(leaves),
        allocations=allocations or [],
        has_more=has_more,
        warnings=warnings,
    )


def _named_department(odoo: Odoo, department: op.IdOrName) -> RecordName:
    """Return the department that an argument means.

    Raises:
        AmbiguousNameError: several departments have the name.
        NotFoundError: there is no such department.
    """
    wanted = op.Wanted.of("hr.department", department, "department_id")

    def read(*condition: Any) -> list[op.Row]:
        return op.read_rows(odoo, wanted.model, [condition], ["display_name"], acts_on=LEAVE)

    # By its own name first: Odoo shows and searches the path of departments above it.
    rows = read("name", "=", wanted.name) if wanted.name else []
    number = rows[0]["id"] if len(rows) == 1 else op.resolve(odoo, wanted)
    if len(rows) != 1:
        rows = read("id", "=", number)
    if not rows:
        raise NotFoundError(
            f"There is no department with id {number}, or this user cannot see it.",
            suggestion="Pass the name of a department.",
            details={"model": wanted.model, "field": "department_id", "id": number},
        )
    return RecordName(id=rows[0]["id"], name=rows[0]["display_name"])


def _totals(leaves: list[LeaveRow]) -> list[LeaveTotal]:
    found: dict[RecordName, dict[str, float]] = {}
    for row in leaves:
        if row.leave_type and row.state in TAKES_DAYS:
            days = found.setdefault(row.leave_type, {"approved": 0.0, "waiting": 0.0})
            days["approved" if row.state == "validate" else "waiting"] += row.days or 0.0
    return [
        LeaveTotal(leave_type=kind, **{name: round(value, 2) for name, value in days.items()})
        for kind, days in found.items()
    ]
