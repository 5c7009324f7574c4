"""Requests for time off: as rows, as texts, and as overlaps with another request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
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
    return op.filled(LeaveRow, row, text=in_words(row), state=state_of(row), **terms(row))


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


def read_leaves(
    odoo: Odoo,
    employee_id: int,
    first: str | None,
    last: str | None,
    *,
    states: Sequence[str] = (),
    limit: int | None = None,
) -> list[op.Row]:
    """Return the time off of an employee on some of these days, as far as this user may see it.

    Args:
        odoo: the connection.
        employee_id: whose.
        first: the first day; None for any.
        last: the last day; None for any.
        states: only of these; what was cancelled by way of the archive is of none of them.
        limit: most rows.
    """
    # By moments, for to 16 not every request has days; a day more, for the time zones.
    domain: list[object] = [["employee_id", "=", employee_id]]
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
    return ValidationError(
        f"{when} overlaps with existing time off: {named}.",
        suggestion="Choose other days, or withdraw that request first (decide_leave).",
        details={"field": "date_from", "leave_ids": [row["id"] for row in taken_up]},
    )
