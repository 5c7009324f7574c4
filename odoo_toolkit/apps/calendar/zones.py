"""Times of day in a time zone, and over the change of clocks."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.values.moments import parse_moment

_ZONED = re.compile(r"[0-9:.,]\s*(Z|[+-][0-9]{2}:?([0-9]{2})?)$", re.IGNORECASE)


def zone_of(odoo: Odoo, name: str | None) -> ZoneInfo:
    """Return the time zone of a name; without one that of the connection.

    Raises:
        ValidationError: there is no such time zone.
    """
    if not name:
        return op.own_zone(odoo)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, AttributeError, TypeError):
        raise invalid(
            "timezone",
            f"There is no time zone {str(name)[:60]!r}.",
            "Write a time zone such as Europe/Berlin or America/New_York.",
        ) from None


def to_utc(value: str | datetime, zone: ZoneInfo, field: str) -> datetime:
    """Return a moment as naive UTC; one that says no offset is a time of day in the zone.

    Raises:
        ValidationError: it is not a moment, the clocks skip it, or it comes twice.
    """
    try:
        moment, written = parse_moment(value)
    except ValueError:
        raise _not_a_moment(value, field) from None
    if written is None:
        raise _not_a_moment(value, field)
    zoned = value.tzinfo if isinstance(value, datetime) else _ZONED.search(str(value).strip()[10:])
    if zoned:
        return moment
    first, second = (written.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC).replace(tzinfo=None)
    skipped = first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != written
    problem = (
        "is skipped when the clocks change"
        if skipped
        else "exists twice, because the clocks change"
    )
    offsets = " or ".join(moment.isoformat()[-6:] for moment in (first, second))
    raise invalid(
        field,
        f"{field}: {written:%H:%M} on {written:%Y-%m-%d} {problem} in {zone.key}.",
        "Choose another time."
        if skipped
        else f"Add the UTC offset of the time that you want: {offsets}.",
    )


def _not_a_moment(value: object, field: str) -> ValidationError:
    return invalid(
        field,
        f"{field} must be a date with a time, got {str(value)[:60]!r}.",
        "Write the time as YYYY-MM-DDTHH:MM. The toolkit applies the time zone to "
        "times without an offset.",
    )


def local(utc: str | datetime, zone: ZoneInfo) -> datetime:
    """Return a moment that is in UTC as one in the zone."""
    moment = parse_moment(utc)[0] if isinstance(utc, str) else utc
    return moment.replace(tzinfo=UTC).astimezone(zone)


def day_after(day: date, days: int = 1) -> date:
    """Return a day some days later."""
    return day + timedelta(days=days)
