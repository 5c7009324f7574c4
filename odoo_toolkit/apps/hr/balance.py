"""What is left of each type of time off, and what is requested or approved already."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import attrs

from odoo_toolkit.apps.hr.people import own_employee
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Row, filled, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

LEAVE, TYPE = "hr.leave", "hr.leave.type"

#: ``allocation_type`` is Odoo 14's, ``requires_allocation`` came with 15.
TYPE_FIELDS = (
    "name",
    "request_unit",
    "allocation_type",
    "requires_allocation",
    "max_leaves",
    "leaves_taken",
    "virtual_remaining_leaves",
    "allows_negative",
)

LEAVE_FIELDS = (
    "state",
    "active",
    "employee_id",
    "holiday_status_id",
    "request_date_from",
    "request_date_to",
    "request_date_from_period",
    "request_unit_half",
    "request_unit_hours",
    "request_hour_from",
    "request_hour_to",
    "date_from",
    "date_to",
    "number_of_days",
)

#: To this version what is taken by hours may be taken by half days; later it would be a whole one.
_EITHER_UNTIL = 18

#: Coming requests that are shown.
_MOST = 10


@attrs.frozen(kw_only=True)
class Balance(Shown):
    """One type of time off.

    Attributes:
        unit: of the figures, ``days`` or ``hours``.
        half_days: whether half a day can be taken.
        allocated: how much was granted; None, as ``remaining``, where none is needed.
        taken: what was approved.
        remaining: what is left, requests that wait for approval taken off.
    """

    id: int
    name: str
    unit: str
    half_days: bool = False
    allocated: float | None = None
    taken: float = 0.0
    remaining: float | None = None


@attrs.frozen(kw_only=True)
class LeaveRow(Shown):
    """A request: waiting (``confirm``, ``validate1``) or approved (``validate``)."""

    id: int
    leave_type: RecordName | None = None
    date_from: str | None = None
    date_to: str | None = None
    days: float | None = None
    state: str | None = None


@attrs.frozen(kw_only=True)
class LeaveBalances(Shown):
    """What the connected user has; ``requests`` are those that end today or later."""

    employee: RecordName
    balances: list[Balance]
    requests: list[LeaveRow]


def leave_balance(odoo: Odoo) -> LeaveBalances:
    """Return what the connected user has left of each type of time off, and what is requested.

    Three round trips, side by side.

    Args:
        odoo: the connection.

    Raises:
        NotFoundError: the module ``hr_holidays`` is not installed.
        ValidationError: the user is no employee.
        AccessError: Odoo or the policy does not allow it.
    """
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d 00:00:00")
    open_ones = [
        ["user_id", "=", odoo.uid],
        ["state", "in", ["confirm", "validate1", "validate"]],
        ["date_to", ">=", now],
    ]
    asked: list[Any] = [
        lambda: own_employee(odoo, LEAVE),
        lambda: read_rows(odoo, TYPE, [], TYPE_FIELDS, acts_on=LEAVE, active_test=True),
        lambda: read_rows(
            odoo,
            LEAVE,
            open_ones,
            LEAVE_FIELDS,
            limit=_MOST,
            order="date_from",
            # To 17, a request that was cancelled is an approved one in the archive.
            active_test=True,
        ),
    ]
    employee, types, leaves = side_by_side(asked)
    return LeaveBalances(
        employee=employee,
        balances=[balance(odoo, row) for row in types],
        requests=[filled(LeaveRow, row, **terms(row)) for row in leaves],
    )


def balance(odoo: Odoo, row: Row) -> Balance:
    """Return what a row of a type tells."""
    known: dict[str, Any] = {"taken": row["leaves_taken"] or 0.0}
    if needs_allocation(row):
        known |= {
            "allocated": row["max_leaves"] or 0.0,
            "remaining": row["virtual_remaining_leaves"] or 0.0,
        }
    unit = "hours" if row["request_unit"] == "hour" else "days"
    halved = ("half_day", "hour") if odoo.version.major <= _EITHER_UNTIL else ("half_day",)
    half_days = row["request_unit"] in halved
    return Balance(id=row["id"], name=row["name"], unit=unit, half_days=half_days, **known)


def needs_allocation(row: Row) -> bool:
    """Whether time off of a type must have been granted before."""
    # To 14, to 18, and from 19 on.
    fixed = row["allocation_type"] in ("fixed", "fixed_allocation")
    return fixed or row["requires_allocation"] in ("yes", True)


def terms(row: Row) -> Row:
    """Return type, days and duration of a request, as results name them."""
    days = {
        # To 16, those made from moments have no request_date_*.
        f"date_{end}": row[f"request_date_{end}"] or (row[f"date_{end}"] or "")[:10] or None
        for end in ("from", "to")
    }
    return {"leave_type": row["holiday_status_id"], "days": row["number_of_days"], **days}
