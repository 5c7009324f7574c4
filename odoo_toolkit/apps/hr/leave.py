"""Functions that return leave balances and request time off.

Odoo's form calculates the hours and days between the dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.people import denied_as, named_employee, own_employee
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, ValidationError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values import iso_utc

LEAVE = "hr.leave"

LEAVE_FIELDS = op.words("""
    state active employee_id holiday_status_id request_date_from request_date_to
    request_date_from_period request_date_to_period request_unit_half request_unit_hours
    request_hour_from request_hour_to date_from date_to number_of_days
""")

#: From and to which hour of the employee's day.
HOUR_FIELDS = ("request_hour_from", "request_hour_to")

#: When a request begins and ends, in UTC.
MOMENTS = ("date_from", "date_to")

#: States in which a request takes its days.
TAKES_DAYS = ("draft", "confirm", "validate1", "validate")

_SAID = {
    "draft": "drafted",
    "confirm": "requested",
    "validate1": "half approved",
    "validate": "approved",
    "refuse": "refused",
    "cancel": "cancelled",
}


@attrs.frozen(kw_only=True)
class LeaveRow(op.Shown):
    """A request for time off in a list.

    Attributes:
        text: Such as "approved Sick Time Off, 2030-01-07 to 2030-01-09".
        half_day: ``am`` or ``pm``.
        hour_from, hour_to: Hours, if the type uses hours. 9.5 is 9:30 in the employee's time zone.
        state: ``confirm`` and ``validate1`` wait for approval. ``validate`` is approved. Also
            ``refuse``, ``cancel`` and ``draft``.
    """

    id: int
    text: str
    employee: RecordName | None = None
    leave_type: RecordName | None = None
    date_from: str | None = None
    date_to: str | None = None
    half_day: str | None = None
    hour_from: float | None = None
    hour_to: float | None = None
    days: float | None = None
    state: str | None = None


def leave_row(row: op.Row) -> LeaveRow:
    """Return a row of :data:`LEAVE_FIELDS` as lists show it."""
    told: op.Row = {"employee": row["employee_id"], "text": in_words(row), "state": state_of(row)}
    return op.filled(LeaveRow, row, **told, **terms(row))


def state_of(row: op.Row) -> str:
    """Return the state: to Odoo 17 what was cancelled is an approved request in the archive."""
    return "cancel" if row["active"] is False else str(row["state"])


def terms(row: op.Row) -> op.Row:
    """Return type, days, part of the day and duration of a request, as results name them."""
    # To 16, those made from moments have no request_date_*.
    days = {
        f"date_{end}": row[f"request_date_{end}"] or (row[f"date_{end}"] or "")[:10] or None
        for end in ("from", "to")
    }
    # Odoo 19 keeps no hours of a whole day.
    hours = [float(row[name] or 0) if row["request_unit_hours"] else None for name in HOUR_FIELDS]
    if hours[1] == 0:
        hours = [None, None]
    begins, ends = _halves(row)
    half_day = begins if begins == ends and days["date_from"] == days["date_to"] else None
    return {
        "leave_type": row["holiday_status_id"],
        "half_day": half_day,
        "hour_from": hours[0],
        "hour_to": hours[1],
        "days": row["number_of_days"],
        **days,
    }


def _halves(row: op.Row) -> tuple[str | None, str | None]:
    """Return in which half of its first day a request begins, and of its last one it ends.

    To Odoo 18 a half is of one day; from 19 on whole days go from a morning to an afternoon.
    """
    if not row["request_unit_half"]:
        return None, None
    begins = row["request_date_from_period"]
    return begins, row["request_date_to_period"] or begins


def in_words(row: op.Row) -> str:
    """Say what a request is: "approved Sick Time Off, 2030-01-07 to 2030-01-09"."""
    known = terms(row)
    kind = known["leave_type"].name if known["leave_type"] else "time off"
    first, last = (known[f"date_{end}"] or "?" for end in ("from", "to"))
    begins, ends = _halves(row)
    if known["hour_from"] is not None:
        days = f"{first} {known['hour_from']:g} to {known['hour_to']:g} h"
    elif first == last:
        days = f"{first} {known['half_day']}" if known["half_day"] else first
    else:
        late, early = " pm" if begins == "pm" else "", " am" if ends == "am" else ""
        days = f"{first}{late} to {last}{early}"
    state = state_of(row)
    return f"{_SAID.get(state, state)} {kind}, {days}"


def of_employee(employee: RecordName) -> tuple[str, str, int]:
    """Return the condition for the time off of an employee."""
    return "employee_id", "=", employee.id


def read_leaves(
    odoo: Odoo,
    whose: tuple[str, str, int],
    first: str | None,
    last: str | None,
    *,
    states: Sequence[str] = (),
    limit: int | None = None,
) -> list[op.Row]:
    """Return time off on some of these days, as far as this user may see it.

    Args:
        odoo: the connection.
        whose: condition on the employee or department.
        first: the first day; None for any.
        last: the last day; None for any.
        states: only of these; what was cancelled by way of the archive is of none of them.
        limit: most rows.
    """
    # By moments, for to 16 not every request has days; a day more, for the time zones.
    domain: list[object] = [list(whose)]
    if states:
        domain.append(["state", "in", list(states)])
    if last:
        domain.append(["date_from", "<=", f"{_moved(last, 1)} 23:59:59"])
    if first:
        domain.append(["date_to", ">=", f"{_moved(first, -1)} 00:00:00"])
    rows = op.read_rows(
        odoo,
        LEAVE,
        domain,
        LEAVE_FIELDS,
        acts_on=LEAVE,
        limit=limit,
        order="date_from, id",
        active_test=bool(states),
    )
    return [row for row in rows if _touches(terms(row), first, last)]


def _moved(day: str, by: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=by)).isoformat()


def _touches(known: op.Row, first: str | None, last: str | None) -> bool:
    begins, ends = known["date_from"], known["date_to"]
    return not ((last and begins and begins > last) or (first and ends and ends < first))


def overlapping(taken_up: list[op.Row], form: op.Row, when: str) -> ValidationError | None:
    """Return the error that names the time off with which a request overlaps, if there is any.

    Args:
        taken_up: what the employee has on these days.
        form: the moments that the request means.
        when: the days, in words.
    """
    start, end = (iso_utc(form.get(name)) for name in MOMENTS)
    if start and end:
        # By hours, as Odoo judges: the morning is not in the way of the afternoon.
        taken_up = [row for row in taken_up if row["date_from"] < end and row["date_to"] > start]
    if not taken_up:
        return None
    named = "; ".join(f"{in_words(row)} (id {row['id']})" for row in taken_up)
    return invalid(
        "date_from",
        f"{when} overlaps with existing time off: {named}.",
        "Choose other days, or first withdraw the existing request with decide_leave.",
        leave_ids=[row["id"] for row in taken_up],
    )


def checked_days(
    date_from: str | date,
    date_to: str | date | None,
    half_day: str | None,
    hours: tuple[float, float] | None,
) -> tuple[str, str]:
    """Return the first and the last day, or refuse what are none."""
    first = op.checked_day(date_from, "date_from")
    if first is None:
        raise invalid("date_from", "date_from is missing.")
    last = op.checked_day(date_to, "date_to") or first
    if last < first:
        raise invalid("date_to", f"date_to {last} is before date_from {first}.")
    if half_day not in (None, "am", "pm"):
        raise invalid("half_day", 'half_day must be "am" or "pm".')
    if (half_day or hours) and last != first:
        part, field = ("half_day is", "half_day") if half_day else ("Hours are", "hour_from")
        raise invalid(
            field,
            f"{part} only possible for a single day.",
            "Request part of a day and whole days separately.",
        )
    return first, last


def checked_hours(
    hour_from: float | None, hour_to: float | None, half_day: str | None
) -> tuple[float, float] | None:
    """Return the hours of the day that are taken, if it is taken by hours."""
    if hour_from is None and hour_to is None:
        return None
    if hour_from is None or hour_to is None:
        missing = "hour_from" if hour_from is None else "hour_to"
        raise invalid(
            missing, f"{missing} is missing.", "Set hour_from and hour_to, such as 9 and 11.5."
        )
    first = op.checked_number(hour_from, "hour_from", positive=False)
    last = op.checked_number(hour_to, "hour_to", positive=True)
    if half_day or not 0 <= first < last <= 24:
        raise invalid(
            "hour_from",
            f"{first:g} to {last:g} is not a range of hours within one day."
            if not half_day
            else "half_day and hours cannot be combined.",
            "Set hour_from and hour_to, such as 9 and 11.5, or half_day.",
        )
    return first, last


def part_of_day(odoo: Odoo, half_day: str | None, hours: tuple[float, float] | None) -> op.Row:
    """Return the values by which a part of a day is requested."""
    fields = odoo.schema.fields(LEAVE)
    if hours:
        values: op.Row = {"request_unit_hours": True}
        for name, hour in zip(HOUR_FIELDS, hours, strict=True):
            # A choice to 17, of whole and half hours before midnight; then a number.
            options = dict(fields[name].selection)
            if options and f"{hour:g}" not in options:
                raise invalid(
                    name.removeprefix("request_"),
                    f"Time off cannot begin or end at {hour:g} on this server.",
                    "Use whole or half hours from 0 to 23.5.",
                )
            values[name] = f"{hour:g}" if options else hour
        return values
    if not half_day:
        return {}
    values = {"request_unit_half": True, "request_date_from_period": half_day}
    if "request_date_to_period" in fields:
        # From 19 on; else the morning's request would go on until the evening.
        values["request_date_to_period"] = half_day
    return values


TYPE = "hr.leave.type"

#: ``allocation_type`` is Odoo 14's, ``requires_allocation`` came with 15.
TYPE_FIELDS = op.words("""
    name request_unit allocation_type requires_allocation max_leaves leaves_taken
    virtual_remaining_leaves allows_negative
""")

#: To this version what is taken by hours may be taken by half days; later it would be a whole one.
_EITHER_UNTIL = 18

#: Coming requests that are shown.
_MOST = 10


@attrs.frozen(kw_only=True)
class Balance(op.Shown):
    """The balance of one type of time off.

    Attributes:
        unit: Unit of the numbers, ``days`` or ``hours``.
        half_days: True if you can take half a day.
        allocated: Allocated time. None, like ``remaining``, if the type needs no allocation.
        taken: Approved time.
        remaining: Remaining time, minus requests that wait for approval.
    """

    id: int
    name: str
    unit: str
    half_days: bool = False
    allocated: float | None = None
    taken: float = 0.0
    remaining: float | None = None


@attrs.frozen(kw_only=True)
class LeaveBalances(op.Shown):
    """The leave balances of the connected user. ``requests`` end today or later."""

    employee: RecordName
    balances: list[Balance]
    requests: list[LeaveRow]


def get_leave_balance(odoo: Odoo) -> LeaveBalances:
    """Return the connected user's balance of each type of time off, and the current requests.

    >>> [(balance.name, balance.remaining) for balance in get_leave_balance(odoo).balances]
    [('Paid', 5.0), ('Unpaid', None)]

    It takes 3 requests in parallel.

    Raises:
        NotFoundError: The module ``hr_holidays`` is not installed.
        ValidationError: The user is not an employee.
        AccessError: Odoo or the policy does not allow it.
    """
    open_ones = [
        ["user_id", "=", odoo.uid],
        ["state", "in", ["confirm", "validate1", "validate"]],
        ["date_to", ">=", op.start_of_day(odoo, op.today(odoo))],
    ]
    employee, types, leaves = op.gather(
        lambda: own_employee(odoo, LEAVE),
        lambda: op.read_rows(odoo, TYPE, [], TYPE_FIELDS, acts_on=LEAVE, active_test=True),
        lambda: op.read_rows(
            odoo,
            LEAVE,
            open_ones,
            LEAVE_FIELDS,
            limit=_MOST,
            order="date_from",
            # To 17, a request that was cancelled is an approved one in the archive.
            active_test=True,
        ),
    )
    return LeaveBalances(
        employee=employee,
        balances=[balance(odoo, row) for row in types],
        requests=[leave_row(row) for row in leaves],
    )


def balance(odoo: Odoo, row: op.Row) -> Balance:
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


def needs_allocation(row: op.Row) -> bool:
    """Whether time off of a type must have been granted before."""
    # To 14, to 18, and from 19 on.
    fixed = row["allocation_type"] in ("fixed", "fixed_allocation")
    return fixed or row["requires_allocation"] in ("yes", True)


#: ``can_approve`` is on all versions, the others where the version has them.
REQUEST = op.Document(
    model=LEAVE,
    noun="request for time off",
    argument="leave_id",
    fields=(*LEAVE_FIELDS, "user_id", "can_approve", "can_validate", "can_refuse", "can_cancel"),
)
CREATE = op.Step(model=LEAVE, method="create", says="Time off requested")

#: What the form works out besides the moments; hours have had two names.
_DURATIONS = ("number_of_days", "number_of_hours", "number_of_hours_display")

#: To this version ``create`` ignores the days and wants the moments; later ones ignore those.
_MOMENTS_UNTIL = 16

_DAY = op.JsonSchema({"type": "string"})

TOLD = {
    "draft": "it is a draft",
    "confirm": "it waits for approval",
    "validate1": "it waits for the second approval",
    "validate": "it is approved",
    "refuse": "it is refused",
    "cancel": "it is cancelled",
}


@attrs.frozen(kw_only=True)
class LeaveResult(op.Shown):
    """A request for time off as it is now. None means empty, or that the value could not be read.

    Attributes:
        state: ``confirm`` and ``validate1`` wait for approval. ``validate`` is approved. Also
            ``refuse``, ``cancel`` and ``draft``. None if the request was deleted.
        half_day: ``am`` or ``pm``.
        hour_from: Start, if the type uses hours. 9.5 is 9:30 in the employee's time zone.
        hour_to: End, in the same way.
        warnings: Differences from your request.
    """

    id: int
    message: str
    state: str | None = None
    employee: RecordName | None = None
    leave_type: RecordName | None = None
    date_from: str | None = None
    date_to: str | None = None
    half_day: str | None = None
    hour_from: float | None = None
    hour_to: float | None = None
    days: float | None = None
    warnings: list[str] = attrs.Factory(list)


@op.operation
def request_leave(
    odoo: Odoo,
    *,
    leave_type_id: Annotated[int | None, Doc("Id of the time off type.")] = None,
    leave_type_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    date_from: Annotated[str | date, _DAY, Doc("YYYY-MM-DD")],
    date_to: Annotated[str | date | None, _DAY, Doc("Default: date_from.")] = None,
    half_day: Annotated[
        Literal["am", "pm"] | None, Doc("Half a day: am is the morning, pm the afternoon.")
    ] = None,
    hour_from: Annotated[float | None, Doc("Start: 9.5 is 9:30.")] = None,
    hour_to: Annotated[float | None, Doc("End, such as 17.5.")] = None,
    description: Annotated[str | None, Doc("Reason for the request.")] = None,
    employee_id: Annotated[int | None, Doc("Default: the connected user.")] = None,
    employee_name: Annotated[str | None, Doc("Name of the employee, instead of the id.")] = None,
    dry_run: op.DryRun = False,
) -> LeaveResult | op.Plan:
    """Request time off for the connected user or another employee. The balance is checked first.

    >>> request_leave(odoo, leave_type_name="Paid", date_from="2030-01-07").state
    'confirm'

    ``half_day`` works if the type allows half days, and ``hour_from`` and ``hour_to`` if it uses
    hours. Hours are in the employee's time zone. Odoo 17 and earlier accept whole and half hours.
    Other users may see the description. For another employee, you must be their approver or a Time
    Off officer.

    Raises:
        AmbiguousNameError: A name matches several types or employees. Nothing was written.
        NotFoundError: The type or employee does not exist, or the module ``hr_holidays`` is not
            installed.
        ValidationError: The dates are wrong or contain no working time, the balance is too low, the
            user is not an employee, or there is already time off on these days. Nothing was
            written.
        AccessError: Odoo or the policy does not allow it, or not for this employee.
    """
    hours = checked_hours(hour_from, hour_to, half_day)
    first, last = checked_days(date_from, date_to, half_day, hours)
    op.permit(odoo, CREATE, dry_run=dry_run)
    wanted = op.Wanted(model=TYPE, field="leave_type_id", id=leave_type_id, name=leave_type_name)
    other = employee_id is not None or employee_name is not None
    employee, type_id = op.gather(
        lambda: named_employee(odoo, employee_id, employee_name, LEAVE),
        lambda: op.resolve(odoo, wanted),
    )
    values: op.Row = {
        "holiday_status_id": type_id,
        "employee_id": employee.id,
        "request_date_from": first,
        "request_date_to": last,
        **part_of_day(odoo, half_day, hours),
    }
    denied = _denied(employee) if other else None
    with denied_as(denied):
        kind, form, taken_up = op.gather(
            lambda: _type(odoo, type_id, employee.id, first),
            lambda: _worked_out(odoo, values),
            lambda: read_leaves(odoo, of_employee(employee), first, last, states=TAKES_DAYS),
        )
    what = _checked(kind, form, first, last, half_day, hours, taken_up)
    if other:
        what = f"{what}, for {employee.name}"
    if odoo.version.major <= _MOMENTS_UNTIL:
        values |= {name: form[name] for name in MOMENTS}
    if description and description.strip():
        values["name"] = description.strip()

    def result(done: op.Done) -> LeaveResult:
        row = op.row_after(odoo, REQUEST, done)
        return told(row, f"Requested {what} with ID {done.id}", done.warnings)

    left = "" if kind.remaining is None else f" Before it, {kind.remaining:g} {kind.unit} are left."
    # What overlaps was refused above.
    would = f"Would request {what}.{left} This user sees no overlapping time off."
    steps = [CREATE.of(vals_list=values)]
    with denied_as(denied):
        return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def told(row: op.Row, message: str, warnings: list[str]) -> LeaveResult:
    """Return the result of a row, whose state the message then tells, too."""
    state = row.get("state")
    if "holiday_status_id" not in row:
        return LeaveResult(id=row["id"], message=f"{message}.", warnings=warnings)
    message = f"{message}: {TOLD[state]}." if state in TOLD else f"{message}."
    return op.filled(LeaveResult, row, message=message, warnings=warnings, **terms(row))


def _denied(other: RecordName) -> AccessError:
    """Return the error that says whose time off it is that the user may not request."""
    return AccessError(
        f"This user is not allowed to request time off for {other.name}.",
        suggestion="The employee, their approver or a Time Off officer can.",
        details={"model": LEAVE, "field": "employee_id", "id": other.id},
    )


def no_type(number: int | None) -> ValidationError:
    """Return the error for a type of time off that does not exist."""
    return invalid(
        "leave_type_id",
        f"There is no type of time off with id {number}, or this user cannot see it.",
        "get_leave_balance lists the types.",
        id=number,
    )


def _type(odoo: Odoo, type_id: int, employee_id: int, day: str) -> Balance:
    """Return a type of time off with what the employee has left of it on a day."""
    rows = op.read_rows(
        odoo,
        TYPE,
        [["id", "=", type_id]],
        TYPE_FIELDS,
        acts_on=LEAVE,
        employee_id=employee_id,
        default_date_from=day,
    )
    if not rows:
        raise no_type(type_id)
    found = balance(odoo, rows[0])
    # What may go below zero is for Odoo to judge.
    return attrs.evolve(found, remaining=None) if rows[0]["allows_negative"] else found


def _worked_out(odoo: Odoo, values: op.Row) -> op.Row:
    """Ask the form which moments and how many days the request means."""
    fields = odoo.schema.fields(LEAVE)
    wanted = [name for name in (*MOMENTS, *_DURATIONS) if name in fields]
    spec: op.Row = {name: {} for name in wanted}
    if odoo.version.major <= _MOMENTS_UNTIL:
        spec = dict.fromkeys((*wanted, *values), "1")
    changed = [name for name in values if name.startswith("request_")]
    answer = odoo.call(
        op.Call(
            model=LEAVE,
            method="onchange",
            ids=(),
            arguments={"values": values, "field_names": changed, "fields_spec": spec},
            access="read",
            step=True,
        )
    )
    return answer.get("value") or {}


def _checked(
    kind: Balance,
    form: op.Row,
    first: str,
    last: str,
    half_day: str | None,
    hours: tuple[float, float] | None,
    taken_up: list[op.Row],
) -> str:
    """Return what the request is, in words, or refuse it."""
    when = first if last == first else f"{first} to {last}"
    if hours:
        when = f"{when} {hours[0]:g} to {hours[1]:g} h"
    if hours and kind.unit != "hours":
        raise invalid(
            "hour_from",
            f"{kind.name} cannot be taken in hours.",
            "Omit the hours, or use another type from get_leave_balance.",
        )
    if half_day and not kind.half_days:
        raise invalid(
            "half_day",
            f"{kind.name} cannot be taken in half days.",
            "Omit half_day, or use another type from get_leave_balance.",
        )
    days = form.get("number_of_days")
    time = form.get("number_of_hours", form.get("number_of_hours_display"))
    amount = time if kind.unit == "hours" else days
    in_the_way = overlapping(taken_up, form, when)
    if not days or amount is None:
        raise in_the_way or invalid(
            "date_from",
            f"There is no working time on {when}, so there is no time to take off.",
            "Choose a time when the employee works. Weekends, public holidays "
            "and approved time off do not count.",
        )
    if kind.remaining is not None and amount > kind.remaining + 0.005:
        raise invalid(
            "leave_type_id",
            f"{kind.name}: you request {amount:g} {kind.unit}, but {kind.remaining:g} are left "
            "after deducting requests that wait for approval.",
            "Take less, or use another type. get_leave_balance shows how much is left.",
            asked=amount,
            remaining=kind.remaining,
            unit=kind.unit,
        )
    if in_the_way:
        raise in_the_way
    half = f" ({half_day})" if half_day else ""
    return f"{amount:g} {kind.unit} of {kind.name}, {when}{half}"
