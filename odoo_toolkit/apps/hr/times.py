"""When time off is taken: which days, and which part of a day."""

from __future__ import annotations

from datetime import date

from odoo_toolkit.apps.hr.balance import LEAVE
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.documents import Row
from odoo_toolkit.operations.lines import checked_day, checked_number

#: From and to which hour of the employee's day.
HOUR_FIELDS = ("request_hour_from", "request_hour_to")


def checked_days(
    date_from: str | date,
    date_to: str | date | None,
    half_day: str | None,
    hours: tuple[float, float] | None,
) -> tuple[str, str]:
    """Return the first and the last day, or refuse what are none."""
    first = checked_day(date_from, "date_from")
    if first is None:
        raise ValidationError("date_from is needed.", details={"field": "date_from"})
    last = checked_day(date_to, "date_to") or first
    if last < first:
        raise ValidationError(
            f"date_to {last} is before date_from {first}.", details={"field": "date_to"}
        )
    if half_day not in (None, "am", "pm"):
        raise ValidationError("half_day is am or pm.", details={"field": "half_day"})
    if (half_day or hours) and last != first:
        part, field = ("half_day is", "half_day") if half_day else ("Hours are", "hour_from")
        raise ValidationError(
            f"{part} for one day only.",
            suggestion="Request the part of a day and the whole days apart.",
            details={"field": field},
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
        raise ValidationError(
            f"{missing} is needed, too.",
            suggestion="Give hour_from and hour_to, such as 9 and 11.5.",
            details={"field": missing},
        )
    first = checked_number(hour_from, "hour_from", positive=False)
    last = checked_number(hour_to, "hour_to", positive=True)
    if half_day or not 0 <= first < last <= 24:
        raise ValidationError(
            f"The hours {first:g} to {last:g} are no part of a day."
            if not half_day
            else "half_day and hours cannot both be taken.",
            suggestion="Give hour_from and hour_to, such as 9 and 11.5, or half_day.",
            details={"field": "hour_from"},
        )
    return first, last


def part_of_day(odoo: Odoo, half_day: str | None, hours: tuple[float, float] | None) -> Row:
    """Return the values by which a part of a day is requested."""
    fields = odoo.schema.fields(LEAVE)
    if hours:
        values: Row = {"request_unit_hours": True}
        for name, hour in zip(HOUR_FIELDS, hours, strict=True):
            # A choice to 17, of whole and half hours before midnight; then a number.
            options = dict(fields[name].selection)
            if options and f"{hour:g}" not in options:
                raise ValidationError(
                    f"{hour:g} is no hour at which time off begins or ends on this server.",
                    suggestion="Give whole and half hours from 0 to 23.5.",
                    details={"field": name.removeprefix("request_")},
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
