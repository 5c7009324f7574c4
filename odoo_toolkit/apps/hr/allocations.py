"""Allocations of time off that an employee has, or has requested."""

from __future__ import annotations

from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.taken import LEAVE
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import RecordName

#: ``allocation_type`` and the dates are of accruals alone on Odoo 14.
ALLOCATION = op.Document(
    model="hr.leave.allocation",
    noun="allocation",
    argument="allocation_id",
    fields="""
        state employee_id holiday_status_id number_of_days number_of_hours_display type_request_unit
        date_from date_to can_approve can_validate can_refuse
    """,
)


@attrs.frozen(kw_only=True)
class AllocationRow(op.Shown):
    """An allocation in a list.

    Attributes:
        hours: Hours, if the type uses hours.
        date_from, date_to: Period of validity, on Odoo 15 and later.
        state: ``draft``, ``confirm`` and ``validate1`` wait for approval. ``validate`` is approved.
            Also ``refuse`` and ``cancel``.
    """

    id: int
    leave_type: RecordName | None = None
    days: float | None = None
    hours: float | None = None
    state: str | None = None
    date_from: str | None = None
    date_to: str | None = None


def granted(odoo: Odoo, row: op.Row) -> dict[str, Any]:
    """Return type, amount and days of an allocation, as results name them."""
    dated = odoo.version.major > 14
    hours = row["number_of_hours_display"] if row["type_request_unit"] == "hour" else None
    return {
        "leave_type": row["holiday_status_id"],
        "days": row["number_of_days"],
        "hours": hours,
        "date_from": row["date_from"] if dated else None,
        "date_to": row["date_to"] if dated else None,
    }


def read_allocations(odoo: Odoo, employee_id: int, limit: int) -> list[AllocationRow]:
    """Return the allocations of an employee, the latest first."""
    rows = op.read_rows(
        odoo,
        ALLOCATION.model,
        [["employee_id", "=", employee_id]],
        ALLOCATION.fields,
        acts_on=LEAVE,
        limit=limit,
        order="id desc",
        active_test=True,
    )
    return [op.filled(AllocationRow, row, **granted(odoo, row)) for row in rows]
