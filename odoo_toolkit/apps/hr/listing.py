"""A function that lists the requests and allocations of one employee."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.granting import AllocationRow, read_allocations
from odoo_toolkit.apps.hr.leave import LEAVE, TAKES_DAYS, LeaveRow, leave_row, read_leaves
from odoo_toolkit.apps.hr.people import named_employee
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid
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
    """The time off of one employee, as far as the connected user can see it.

    Attributes:
        message: Number of requests, and number of those that take days.
        overlapping: Time off that takes these days. Odoo would reject another request for them.
        leaves: All requests that overlap with the days, by date, including refused and cancelled
            ones.
        totals: Totals by type. A request that is partly within the days counts in full.
        allocations: Allocations of all years.
        has_more: True if there are more requests.
        warnings: Differences from your request.
    """

    employee: RecordName
    message: str
    date_from: str
    date_to: str | None = None
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
    date_from: Annotated[
        str | date | None, _DAY, Doc("First day. Default: the first of this year.")
    ] = None,
    date_to: Annotated[str | date | None, _DAY, Doc("Last day. Default: no end.")] = None,
) -> EmployeeLeaves:
    """List one employee's time off, and the part of it that overlaps with a period.

    >>> list_leaves(odoo, date_from="2030-01-08", date_to="2030-01-08").overlapping
    ['requested Paid, 2030-01-07 to 2030-01-09']

    Each request has a text such as "approved Sick Time Off, 2030-01-07 to 2030-01-09". You also get
    the totals by type, and the allocations. The requests of other employees are visible to their
    approvers and to Time Off officers.

    It takes 3 requests, two of them in parallel, and 1 more by name.

    Raises:
        AmbiguousNameError: Several employees have the name.
        NotFoundError: The employee does not exist, or the module ``hr_holidays`` is not installed.
        ValidationError: A date is wrong, or the user is not an employee.
        AccessError: Odoo or the policy does not allow it.
    """
    first = op.checked_day(date_from, "date_from") or f"{op.today(odoo)[:4]}-01-01"
    last = op.checked_day(date_to, "date_to")
    if last and last < first:
        raise invalid("date_to", f"date_to {last} is before date_from {first}.")
    other = employee_id is not None or employee_name is not None
    employee = named_employee(odoo, employee_id, employee_name, LEAVE)
    warnings: list[str] = []
    rows, allocations = op.gather(
        lambda: read_leaves(odoo, employee.id, first, last, limit=_MOST + 1),
        op.readable("allocations", lambda: read_allocations(odoo, employee.id, _MOST), warnings),
    )
    has_more = len(rows) > _MOST
    leaves = [leave_row(row) for row in rows[:_MOST]]
    taking = [row for row in leaves if row.state in TAKES_DAYS]
    if other and not leaves:
        warnings.append(
            f"{employee.name} has no time off in this period, or this user cannot see it. Odoo "
            "shows time off to the employee, their approver and Time Off officers."
        )
    days = f"from {first} on" if last is None else first if first == last else f"{first} to {last}"
    return EmployeeLeaves(
        employee=employee,
        message=f"{employee.name}, {days}: {op.counted(len(leaves), 'request')}, {len(taking)} of "
        "them take days (see overlapping)."
        if leaves
        else f"{employee.name}, {days}: this user sees no time off.",
        date_from=first,
        date_to=last,
        overlapping=[row.text for row in taking],
        leaves=leaves,
        totals=_totals(leaves),
        allocations=allocations or [],
        has_more=has_more,
        warnings=warnings,
    )


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
