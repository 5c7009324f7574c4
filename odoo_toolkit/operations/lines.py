"""The lines that a caller gives for an invoice or a transfer: checked before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

import attrs

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError, invalid, make_error
from odoo_toolkit.fields import similar_names
from odoo_toolkit.records.names import Wanted
from odoo_toolkit.records.time_zones import own_zone
from odoo_toolkit.values.moments import day_string, parse_moment
from odoo_toolkit.values.periods import day_start
from odoo_toolkit.values.plain import plain

Line = Mapping[str, Any]

#: A record, by its id or name; digits alone are an id, so that text is enough to describe it.
IdOrName = Annotated[int | str, JsonSchema({"type": "string"})]
NameOrId = Annotated[IdOrName | None, JsonSchema({"type": "string"})]

#: Records, each by its id or name.
NamesOrIds = Annotated[
    Sequence[IdOrName] | None, JsonSchema({"type": "array", "items": {"type": "string"}})
]


def check_lines(
    lines: Sequence[Line], keys: Collection[str], argument: str = "lines"
) -> list[dict[str, Any]]:
    """Return the lines as plain Python without empty entries, or refuse what is no line.

    Args:
        lines: as they were given.
        keys: those that a line may have.
        argument: that they were given as, for messages.

    Raises:
        ValidationError: there are none, or one has a key that is not among ``keys``.
    """
    given = plain(lines)
    if not isinstance(given, list) or not given:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{argument} is empty.",
            suggestion=f"Pass at least one object with some of {', '.join(keys)}.",
            details={"field": argument},
        )
    checked = []
    for index, line in enumerate(given):
        if not isinstance(line, dict):
            raise ValidationError(
                f"{argument}[{index}] must be an object.",
                suggestion=f"Pass an object with some of {', '.join(keys)}.",
            )
        for key in line:
            if key not in keys:
                near = similar_names(str(key), list(keys))
                hint = f" Did you mean {near[0]}?" if near else ""
                raise invalid(
                    f"{argument}[{index}]",
                    f"{argument}[{index}] has an unknown key {str(key)[:60]!r}.{hint}",
                    f"A line accepts {', '.join(keys)}.",
                    did_you_mean=near,
                )
        checked.append({key: value for key, value in line.items() if value is not None})
    return checked


def check_choice(
    value: Any, allowed: Sequence[str], field: str, problem: str, suggestion: str | None = None
) -> None:
    """Refuse a value that is not among the allowed ones.

    Args:
        value: as it was given.
        allowed: the values to choose from.
        field: the argument that it was given as.
        problem: the message; braces stand for the value.
        suggestion: what to do. By default it lists the allowed values.

    Raises:
        ValidationError: INVALID_SELECTION.
    """
    if value not in allowed:
        either = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise make_error(
            "INVALID_SELECTION",
            problem.format(repr(str(value)[:60])),
            suggestion=f"Choose {either}." if suggestion is None else suggestion,
            details={"field": field, "allowed": list(allowed)},
        )


def wanted_product(line: Line, index: int, argument: str = "lines") -> Wanted:
    """Return the product that a line means."""
    return Wanted(
        model="product.product",
        field=f"{argument}[{index}].product_id",
        id=line.get("product_id"),
        name=line.get("product_name"),
    )


def names_product(line: Line) -> bool:
    """Return whether a line has a product. Notes and headings have none."""
    return "product_id" in line or "product_name" in line


def wanted_products(lines: Sequence[Line], flag: str, argument: str = "lines") -> list[Wanted]:
    """Return the products of the lines that have a product.

    Args:
        lines: as they were given.
        flag: the field of the products that are meant, such as ``sale_ok``.
        argument: that the lines were given as, for messages.
    """
    return [
        attrs.evolve(wanted_product(line, index, argument), domain=((flag, "=", True),))
        for index, line in enumerate(lines)
        if names_product(line)
    ]


def wanted_each(
    model: str,
    given: Sequence[int | str] | None,
    argument: str,
    domain: tuple[Any, ...] = (),
) -> list[Wanted]:
    """Return the records that a list means, each by its id or name; digits alone are an id.

    Args:
        model: of the records.
        given: ids and names.
        argument: that it was given as, for messages.
        domain: only records that match it are meant.
    """
    listed = plain(given)
    if listed is not None and not isinstance(listed, list):
        raise invalid(argument, f"{argument} must be a list of names or ids.")
    return [
        Wanted.of(model, item, f"{argument}[{index}]", domain)
        for index, item in enumerate(listed or ())
    ]


def wanted_links(**given: tuple[str, NameOrId]) -> list[Wanted]:
    """Return the records that arguments mean, each by its id or name; none where one is None.

    >>> wanted_links(journal_id=("account.journal", "Bank"))

    Args:
        given: by the name of the argument: the model, and the id or name.
    """
    return [
        Wanted.of(model, said, argument)
        for argument, (model, said) in given.items()
        if said is not None
    ]


def checked_number(value: Any, field: str, *, positive: bool) -> float:
    """Return a number, or refuse what is none, infinite, or not above zero where it has to be."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise invalid(field, f"{field} must be a number, not {str(value)[:60]!r}.")
    if positive and value <= 0:
        raise invalid(field, f"{field} must be more than 0, not {value:g}.")
    return value


def check_discount(line: Mapping[str, Any], where: str) -> None:
    """Refuse the discount of a line unless it is a percentage."""
    if not 0 <= line.get("discount", 0) <= 100:
        raise make_error(
            "VALUE_ERROR",
            f"{where}.discount must be a percentage from 0 to 100, not {line['discount']:g}.",
            suggestion="Pass 10 for 10 %.",
            details={"field": f"{where}.discount"},
        )


def checked_name(name: str, todo: str) -> str:
    """Return the name of a new record without the space around it, or refuse an empty one.

    Args:
        name: as it was given.
        todo: what to say instead.
    """
    if not isinstance(name, str) or not name.strip():
        raise invalid("name", "name is empty.", todo)
    return name.strip()


def checked_day(value: str | date | None, field: str) -> str | None:
    """Return a day as ``YYYY-MM-DD``; None stays None."""
    if value is None:
        return None
    try:
        return day_string(value)
    except (ValueError, TypeError, AttributeError):
        raise invalid(
            field, f"{field} is not a date: {str(value)[:60]!r}.", "Write YYYY-MM-DD."
        ) from None


def today(odoo: Odoo) -> str:
    """Return the present day in the time zone of the connection, see :func:`own_zone`."""
    return datetime.now(own_zone(odoo)).date().isoformat()


def start_of_day(odoo: Odoo, day: str) -> str:
    """Return the first second of a day, in the connection's time zone, as Odoo's UTC."""
    return day_start(date.fromisoformat(day), own_zone(odoo)).isoformat(sep=" ")


def end_of_day(odoo: Odoo, day: str) -> str:
    """Return the last second of a day, in the connection's time zone, as Odoo's UTC."""
    moment = datetime.combine(date.fromisoformat(day), time(23, 59, 59), own_zone(odoo))
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def local_day(odoo: Odoo, moment: str | None) -> str | None:
    """Return the day, in the connection's time zone, of a moment of Odoo's; None stays None."""
    if moment is None:
        return None
    utc = parse_moment(moment)[0].replace(tzinfo=UTC)
    return utc.astimezone(own_zone(odoo)).date().isoformat()


def day_to_come(odoo: Odoo, value: str | date | None, field: str) -> str | None:
    """Return a day as ``YYYY-MM-DD``, or refuse one that is past; None stays None."""
    day = checked_day(value, field)
    if day is not None and day < (now := today(odoo)):
        raise invalid(
            field,
            f"{field} is {day}, which is in the past. Today is {now}.",
            "Pass today or a later day.",
        )
    return day
