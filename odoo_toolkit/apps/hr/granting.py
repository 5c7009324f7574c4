"""Allocations of time off: those of an employee, and a function that grants one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Gt

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.leave import LEAVE, TOLD, TYPE, TYPE_FIELDS, needs_allocation, no_type
from odoo_toolkit.apps.hr.people import denied_as, named_employee
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, invalid
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


CREATE = op.Step(model=ALLOCATION.model, method="create", says="Allocation created")

#: Validity is the type's on this version.
_NO_DATES_UNTIL = 14

#: What approves, by version; others have ``action_approve``.
_APPROVES = dict.fromkeys((15, 16, 17), "action_validate")

#: On these versions an allocation is a draft first.
_DRAFTS = (15, 16)

_DAY = op.JsonSchema({"type": "string"})


@attrs.frozen(kw_only=True)
class AllocationResult(op.Shown):
    """An allocation as it is now. None means empty, or that the value could not be read.

    Attributes:
        state: ``validate`` is approved. ``draft``, ``confirm`` and ``validate1`` wait for approval.
        hours: Hours, if the type uses hours.
        warnings: Differences from your request.
    """

    id: int
    message: str
    state: str | None = None
    employee: RecordName | None = None
    leave_type: RecordName | None = None
    days: float | None = None
    hours: float | None = None
    date_from: str | None = None
    date_to: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Press(op.Step):
    """Presses a button in the states that it is for: some types need no approval."""

    states: tuple[str, ...]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Press it, unless Odoo has gone on by itself."""
        rows = op.read_rows(odoo, self.model, [["id", "in", list(ids)]], ["state"])
        waits = rows and rows[0]["state"] in self.states
        return op.Step.make(self, odoo, ids, warnings) if waits else True


@op.operation
def create_allocation(
    odoo: Odoo,
    *,
    leave_type_id: Annotated[int | None, Doc("Id of the time off type.")] = None,
    leave_type_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    employee_id: Annotated[int | None, Doc("Default: the connected user.")] = None,
    employee_name: Annotated[str | None, Doc("Name of the employee, instead of the id.")] = None,
    days: Annotated[float, Gt(0), Doc("Number of days, for any type.")],
    date_from: Annotated[
        str | date | None, _DAY, Doc("First day, on Odoo 15 and later. Default: today.")
    ] = None,
    date_to: Annotated[str | date | None, _DAY, Doc("Last day. Default: no end.")] = None,
    description: Annotated[str | None, Doc("Description.")] = None,
    approve: Annotated[bool, Doc("Also approve it, if this user can.")] = False,
    dry_run: op.DryRun = False,
) -> AllocationResult | op.Plan:
    """Allocate days of time off to an employee, and approve the allocation if you ask for it.

    >>> create_allocation(odoo, leave_type_name="Paid", days=10, approve=True).state
    'validate'

    To allocate for other employees, you must be a Time Off officer. ``days`` is also the unit for
    types that use hours. If the type needs two approvals, ``approve`` gives the first. If the
    approval fails, ``warnings`` says so.

    Raises:
        AmbiguousNameError: A name matches several types or employees. Nothing was written.
        NotFoundError: The type or employee does not exist, or the module ``hr_holidays`` is not
            installed.
        ValidationError: An argument is wrong, or the type needs no allocation. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    days = op.checked_number(days, "days", positive=True)
    first, last = op.checked_day(date_from, "date_from"), op.checked_day(date_to, "date_to")
    if first and last and last < first:
        raise invalid("date_to", f"date_to {last} is before date_from {first}.")
    major = odoo.version.major
    if (first or last) and major <= _NO_DATES_UNTIL:
        raise invalid(
            "date_from" if first else "date_to",
            "On Odoo 14, the validity belongs to the type of time off, not to the allocation.",
            "Omit date_from and date_to.",
        )
    further = _further(major, approve=approve)
    op.permit(odoo, CREATE, *further, dry_run=dry_run)
    wanted = op.Wanted(model=TYPE, field="leave_type_id", id=leave_type_id, name=leave_type_name)
    employee, kind = op.gather(
        lambda: named_employee(odoo, employee_id, employee_name, ALLOCATION.model),
        lambda: _type(odoo, wanted),
    )
    values: op.Row = {
        "holiday_status_id": kind["id"],
        "employee_id": employee.id,
        "number_of_days": days,
        "name": (description or "").strip() or f"Allocation of {kind['name']}",
    }
    values |= {"date_from": first} if first else {}
    values |= {"date_to": last} if last else {}
    steps: list[op.Step] = [CREATE.of(vals_list=values)]
    if kind["allocation_validation_type"] not in ("no", "no_validation"):
        steps += further
    valid = "".join([f", from {first}" if first else "", f", until {last}" if last else ""])
    what = f"{days:g} days of {kind['name']} to {employee.name}{valid}"

    def result(done: op.Done) -> AllocationResult:
        row = op.row_after(odoo, ALLOCATION, done)
        state = row.get("state")
        if "number_of_days" in row and abs(row["number_of_days"] - days) > 0.005:
            done.warnings.append(
                f"Odoo allocated {row['number_of_days']:g} days instead of {days:g}."
            )
        told = f": {TOLD[state]}" if state in TOLD else ""
        return op.filled(
            AllocationResult,
            row,
            message=f"Allocated {what} with ID {done.id}{told}.",
            warnings=done.warnings,
            **(granted(odoo, row) if "number_of_days" in row else {}),
        )

    would = f"Would allocate {what}{', and approve it' if approve else ''}."
    denied = AccessError(
        f"This user is not allowed to allocate {kind['name']} to {employee.name}.",
        suggestion="A Time Off officer can. Employees can request allocations only for types "
        "that allow it.",
        details={"model": ALLOCATION.model, "employee_id": employee.id},
    )
    with denied_as(denied):
        return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def _further(major: int, *, approve: bool) -> list[op.Step]:
    """Return the steps after the creation."""
    steps: list[op.Step] = []
    if major in _DRAFTS:
        steps.append(
            _Press(
                model=ALLOCATION.model,
                method="action_confirm",
                says="Submitted",
                fails="The allocation is a draft",
                seen=op.shows(ALLOCATION, state=("confirm", "validate1", "validate")),
                states=("draft",),
            )
        )
    if approve:
        steps.append(
            _Press(
                model=ALLOCATION.model,
                method=_APPROVES.get(major, "action_approve"),
                says="Approved",
                fails="The allocation is not approved",
                seen=op.shows(ALLOCATION, state=("validate1", "validate")),
                states=("draft", "confirm"),
            )
        )
    return steps


def _type(odoo: Odoo, wanted: op.Wanted) -> op.Row:
    """Return the type of time off, which must need allocations."""
    number = op.resolve(odoo, wanted)
    fields = (*TYPE_FIELDS, "allocation_validation_type")
    domain = [["id", "=", number]]
    rows = op.read_rows(odoo, TYPE, domain, fields, acts_on=ALLOCATION.model, active_test=True)
    if not rows:
        raise no_type(number)
    if not needs_allocation(rows[0]):
        raise invalid(
            "leave_type_id",
            f"Employees can request {rows[0]['name']} without an allocation.",
            "Choose a type for which get_leave_balance shows figures.",
            id=number,
        )
    return rows[0]
