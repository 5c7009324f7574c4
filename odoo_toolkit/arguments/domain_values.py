"""A domain against the fields of its model: paths, and values by the type of the field."""

from __future__ import annotations

import math
import operator as operators
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from odoo_toolkit.arguments.domain_shape import DOMAIN_OPERATORS, LIKE_OPERATORS, advice
from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.fields import RELATIONAL, TO_MANY, Field, FieldsOf, unknown_field_error
from odoo_toolkit.values.moments import day_string, parse_moment
from odoo_toolkit.values.periods import day_start
from odoo_toolkit.values.plain import whole_number
from odoo_toolkit.values.scalars import meant_value, selection_details, short_repr

#: The first version that filters by properties.
PROPERTIES_SINCE = 17
#: Gives the time zone in which days are meant.
Zone = Callable[[], tzinfo]
_LONG_PATH = 4  # names on a dotted path; each further one is another subquery
#: Parts of a date that stand at the end of a path, from Odoo 17 on.
DATE_NUMBERS = frozenset(
    {
        *("year_number", "quarter_number", "month_number", "iso_week_number", "day_of_year"),
        *("day_of_month", "day_of_week", "hour_number", "minute_number", "second_number"),
    }
)
#: Odoo 19 reckons these itself: "today", "-7d", "today =1d", "+monday".
_RELATIVE_DATE = re.compile(
    r"\s*(today|now)?(\s*[=+-]([0-9]+[dwmyHMS]|[a-z]+day|week_start))*\s*", re.ASCII
)
_INTEGER_TEXT = re.compile(r"\s*[+-]?[0-9]{1,19}\s*")
_NUMBERS = frozenset({"integer", "float", "monetary"})
_COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "=": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: Operators by which the end of a day counts -> those for the beginning of the next.
_NEXT_DAY = {"<=": "<", ">": ">="}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False, 1: True, 0: False}


def resolve_conditions(
    domain: Sequence[Any],
    model: str,
    fields_of: FieldsOf,
    version: int | None,
    warnings: list[str],
    zone: Zone | None = None,
) -> list[Any]:
    """Return a domain of valid shape with each condition resolved; adds to ``warnings``.

    With a zone, days of datetimes become the times at which they begin there.
    """
    resolved: list[Any] = []
    for item in domain:
        if isinstance(item, str) or not isinstance(item[0], str):  # connectors, (1, "=", 1)
            resolved.append(item)
            continue
        path, operator, value = item
        if path.count(".") >= _LONG_PATH:
            warnings.append(
                f"{path} follows more than {_LONG_PATH} links, so this filter can be slow."
            )
        field = _field_at(path, model, fields_of, version, zone)
        if field is not None and operator in DOMAIN_OPERATORS:
            value = _inner_domain(field, model, path, value, fields_of, version, warnings, zone)
        elif field is not None:
            value = _Condition(model, path, field, operator, version, warnings, zone).convert(value)
            if field.type == "datetime" and zone:
                operator, value = _in_zone(operator, value, zone)
            if field.store and field.type in _NUMBERS and path != "id" and (version or 99) < 18:
                resolved += _with_never_set(path, operator, value, negated="!" in domain)
                continue
            if field.type in TO_MANY and operator in _AMONG and False in value:
                resolved += _with_none_apart(path, operator, value)
                continue
        resolved.append([path, operator, value])
    return resolved


def _in_zone(operator: str, value: Any, zone: Zone) -> tuple[str, Any]:
    """Return the operator and value of a condition on datetimes, days as when they begin.

    Odoo 19 reads a day in the zone of the context, and earlier versions in UTC. ``<=`` and ``>``
    mean the end of the day, which is the beginning of the next one.
    """
    if isinstance(value, list):
        return operator, [_in_zone(operator, item, zone)[1] for item in value]
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return operator, value
    day, here = date.fromisoformat(value), zone()
    try:
        start = day_start(day + timedelta(days=operator in _NEXT_DAY), here)
    except OverflowError:  # the end of the calendar: no zone matters
        return operator, value
    return _NEXT_DAY.get(operator, operator), start.isoformat(sep=" ")


def _with_never_set(path: str, operator: str, value: Any, *, negated: bool) -> list[Any]:
    """Return a condition on a number by which one that was never set is 0, as it is read.

    Odoo 18 and later do so themselves. Earlier versions never find it by a comparison.
    """
    if operator in _AMONG:
        if all(value):
            return [[path, operator, value]]
        return _with_none_apart(
            path, operator, value, lambda sign: _with_never_set(path, sign, 0, negated=True)
        )
    compare, number = _COMPARES.get(operator), value or 0
    # Odoo itself takes what was never set for another number than 5.
    if compare is None or (operator in ("=", "!=") and number):
        return [[path, operator, value]]
    if compare(0, number):
        return ["|", [path, operator, number], [path, "=", False]]
    condition = [path, operator, number]
    return ["&", condition, [path, "!=", False]] if negated else [condition]


def _with_none_apart(
    path: str,
    operator: str,
    value: list[Any],
    none: Callable[[str], list[Any]] | None = None,
) -> list[Any]:
    """Return a condition with a list in which "not set" is its own condition.

    For lines and tags Odoo 17 and earlier pass over it in a list, or fail.
    """
    rest = [item for item in value if item]
    sign, joined = ("=", "|") if operator == "in" else ("!=", "&")
    apart = none(sign) if none else [[path, sign, False]]
    return [joined, [path, operator, rest], *apart] if rest else apart


def _inner_domain(
    field: Field,
    model: str,
    path: str,
    value: list[Any],
    fields_of: FieldsOf,
    version: int | None,
    warnings: list[str],
    zone: Zone | None,
) -> list[Any]:
    if path == "id":
        return resolve_conditions(value, model, fields_of, version, warnings, zone)
    if field.type not in RELATIONAL:
        raise make_error(
            "INVALID_DOMAIN",
            f"any and not any need a relational field, but {path} of {model} is {field.type}.",
            suggestion="Compare the field itself, with = or in.",
            details={"model": model, "field": path, "type": field.type},
        )
    if not field.relation or not _can_describe(field.relation, fields_of):
        return value
    return resolve_conditions(value, field.relation, fields_of, version, warnings, zone)


def _can_describe(model: str, fields_of: FieldsOf) -> bool:
    try:
        fields_of(model)
    except OdooError:
        return False
    return True


def _field_at(
    path: str, model: str, fields_of: FieldsOf, version: int | None, zone: Zone | None
) -> Field | None:
    """Return the field at the end of a dotted path, None where only the server can judge."""
    names = path.split(".")
    fields, here = fields_of(model), model
    for index, name in enumerate(names):
        rest = names[index + 1 :]
        field = fields.get(name) or (Field(name="id", type="integer") if name == "id" else None)
        if field is None:
            error = unknown_field_error(here, name, fields)
            error.details["path"] = path
            raise error
        if not field.searchable and not field.store:
            raise make_error(
                "INVALID_FIELD",
                f"{here} cannot be filtered by {name}: this field is computed, and cannot be "
                "searched. Odoo either fails on such a field, or ignores it and returns every "
                "record.",
                suggestion="Filter by stored fields, and check this one in the records that you "
                "read.",
                details={"model": here, "field": name, "path": path},
            )
        if not rest:
            return field
        if field.type in ("date", "datetime") and rest[0] in DATE_NUMBERS and len(rest) == 1:
            if version is None or version >= 17:
                if zone and field.type == "datetime":
                    zone()
                return Field(name=rest[0], type="integer")
        elif field.type in ("properties", "json"):
            if field.type == "properties" and version is not None and version < PROPERTIES_SINCE:
                raise make_error(
                    "INVALID_FIELD",
                    f"Odoo {version} cannot filter by properties: {path}.",
                    suggestion=f"Filter by other fields, read {name}, and check it in the records.",
                    details={"model": here, "field": name, "path": path},
                )
            return None
        if field.type not in RELATIONAL:
            raise make_error(
                "INVALID_FIELD",
                f"{path}: {name} of {here} is {field.type}. Only relational fields can be "
                "followed by a dot.",
                suggestion=f"Filter by {'.'.join(names[: index + 1])} itself.",
                details={"model": here, "field": name, "type": field.type, "path": path},
            )
        if not field.relation:
            return None
        try:
            fields, here = fields_of(field.relation), field.relation
        except OdooError:
            return None
    return None


class _Condition:
    """One condition whose field is known; converts its value or says what is wrong with it."""

    def __init__(
        self,
        model: str,
        path: str,
        field: Field,
        operator: str,
        version: int | None,
        warnings: list[str],
        zone: Zone | None,
    ) -> None:
        self.model, self.path, self.field, self.operator = model, path, field, operator
        self.version, self.warnings, self.zone = version, warnings, zone

    def convert(self, value: Any) -> Any:
        """Return the value as Odoo takes it; False, "empty", is legal for every field."""
        if self.field.type == "binary" and any(item is not False for item in _items(value)):
            raise self.wrong(
                value,
                "can only be tested for being set; Odoo ignores anything else, giving every record",
                "Use = false or != false.",
            )
        if self.operator in LIKE_OPERATORS:
            if isinstance(value, (list, bool)):
                raise self.wrong(value, f"takes a text with {self.operator}", "Pass one string.")
            related = self.field.type in RELATIONAL
            if value == "" and related and self.operator.startswith("="):
                raise self.wrong(
                    value, f"takes a name with {self.operator}", 'For "is not set", use = false.'
                )
            if value == "" and self.operator in ("like", "ilike"):
                self.warnings.append(
                    f"{self.path} {self.operator} an empty string matches every "
                    f"record{' that has one' if related else ''}."
                )
            return value
        converter = _CONVERTERS.get(self.field.type)
        if converter is None:
            return value
        if isinstance(value, list):
            if self.field.type == "many2one" and _is_pair(value) and self.operator not in _LISTS:
                raise self.wrong(value, "takes the id alone, not the pair", f"Pass {value[0]}.")
            if self.field.type == "selection" and self.operator == "in":
                value = self.existing(value)
            return [item if item is False else converter(item, self) for item in value]
        return value if value is False else converter(value, self)

    def existing(self, values: list[Any]) -> list[Any]:
        """Return those of several values that the selection has, and warn of the others.

        What does not exist matches nothing, so the rest counts. Where none exists, all are returned
        and the first is refused.
        """
        there = [item for item in values if item is False or _is_value(self.field, item)]
        if not there or not self.field.selection:
            return values
        for item in values:
            if item not in there:
                self.warn_of_missing(item)
        return there

    def warn_of_missing(self, value: Any) -> None:
        """Warn of a value that a selection does not have, and that so changes nothing."""
        meant = selection_details(self.field, value)["did_you_mean"]
        hint = f" Did you mean {meant[0]!r}?" if meant else ""
        self.warnings.append(
            f"{self.path} of {self.model} has no value {short_repr(value)}, so the filter "
            f"ignores it.{hint}"
        )

    def warn_of_midnight(self, day: str) -> None:
        """Warn where a day is compared with moments for equality."""
        if self.operator in ("=", "!=", "in", "not in"):
            self.warnings.append(
                f"{self.path} is a datetime, so {self.operator} {day} compares it with midnight. "
                f"For the whole day, use >= {day} and < the next day."
            )

    def today(self) -> date:
        """Return the present day in the zone of days."""
        return datetime.now(self.zone() if self.zone else UTC).date()

    def wrong(
        self,
        value: Any,
        problem: str,
        suggestion: str,
        code: str = "INVALID_DOMAIN",
        **details: Any,
    ) -> OdooError:
        """Return the error for ``value``."""
        return make_error(
            code,
            f"{self.path} ({self.field.type} of {self.model}) {problem}: {short_repr(value)}.",
            suggestion=suggestion,
            details={
                "model": self.model,
                "field": self.path,
                "type": self.field.type,
                "operator": self.operator,
                **details,
            },
        )


_AMONG = frozenset({"in", "not in"})
_EXACT = frozenset({"=", "!=", "in", "not in"})
_LISTS = frozenset({"in", "not in", "child_of", "parent_of"})
_NAMED = _EXACT | _LISTS


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_pair(value: list[Any]) -> bool:
    return len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)


def _integer(value: Any, condition: _Condition) -> Any:
    # Odoo takes "5" for 5, and True for 1.
    if isinstance(value, str) and _INTEGER_TEXT.fullmatch(value):
        return int(value)
    whole = whole_number(value)
    if isinstance(value, (str, bool)) or (whole is None and condition.field.name == "id"):
        raise condition.wrong(value, "is compared with numbers", "Pass a number.")
    return value if whole is None else whole


def _float(value: Any, condition: _Condition) -> Any:
    if not isinstance(value, (str, bool)):
        return value
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise condition.wrong(value, "is compared with numbers", "Pass a number.")
    return number


def _boolean(value: Any, condition: _Condition) -> bool:
    key = value.strip().lower() if isinstance(value, str) else value
    if key not in _BOOLEANS:
        raise condition.wrong(value, "is compared with true or false", "Pass true or false.")
    return _BOOLEANS[key]


def _text(value: Any, condition: _Condition) -> Any:
    # To 17 an empty text in a condition is not found where the field is not set.
    if isinstance(value, str) and not value and condition.operator in _EXACT:
        return False
    if value is True:
        condition.warnings.append(
            f'{condition.path} is compared with the string "true". For "is set", use != false.'
        )
    return value


def _record(value: Any, condition: _Condition) -> Any:
    if isinstance(value, str):
        if condition.operator in _NAMED and _INTEGER_TEXT.fullmatch(value):
            raise condition.wrong(
                value,
                "is compared with a name here",
                f"For the record with this id, pass the number {value}. For a name, use ilike.",
            )
        # Odoo looks for records of any name, and from 18 on finds all that have one.
        return value or (False if condition.operator in _EXACT else value)
    # 0 is no record to 17, and from 18 on means what is not set.
    if not (whole := whole_number(value)):
        raise condition.wrong(
            value,
            "is compared with an id, a name or false",
            'For "is set", use != false. For "is not set", use = false.',
        )
    return whole


def _selection(value: Any, condition: _Condition) -> Any:
    field = condition.field
    if condition.operator not in _EXACT or not field.selection or _is_value(field, value):
        return value
    if condition.operator in ("=", "in"):
        details = selection_details(field, value)
        raise condition.wrong(
            value,
            "has no such value",
            meant_value(condition.model, field, value)
            + "Its values: "
            + ", ".join(f"{key!r} ({label})" for key, label in field.selection[:30]),
            "INVALID_SELECTION",
            **details,
        )
    # No error: != "done" is right for all versions, also where Odoo dropped that state.
    condition.warn_of_missing(value)
    return value


def _is_value(field: Field, value: Any) -> bool:
    """Whether a selection has a value."""
    return any(type(value) is type(key) and value == key for key, _ in field.selection)


def _moment(convert: Callable[[str], str]) -> Callable[[Any, _Condition], Any]:
    def converter(value: Any, condition: _Condition) -> Any:
        if isinstance(value, str):
            try:
                converted = convert(value)
                if condition.field.type == "datetime" and len(converted) == len("YYYY-MM-DD"):
                    condition.warn_of_midnight(converted)
                return converted
            except ValueError:
                relative = bool(value.strip()) and _RELATIVE_DATE.fullmatch(value)
                if relative and (condition.version is None or condition.version >= 19):
                    if condition.zone:
                        condition.zone()
                    return value
        raise condition.wrong(
            value,
            "is compared with dates",
            advice(condition.path, condition.operator, value, condition.today)
            or "Pass YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ. Odoo 19 also accepts today, -7d, =monday.",
        )

    return converter


def _datetime_string(value: str) -> str:
    moment, as_written = parse_moment(value)
    if as_written is None:  # a day stays a day: Odoo adds the right end of it
        return date.isoformat(moment.date())
    return moment.isoformat(sep=" ", timespec="seconds")


_CONVERTERS: dict[str, Callable[[Any, _Condition], Any]] = {
    "char": _text,
    "text": _text,
    "html": _text,
    "integer": _integer,
    "many2one_reference": _integer,
    "float": _float,
    "monetary": _float,
    "boolean": _boolean,
    "selection": _selection,
    "date": _moment(day_string),
    "datetime": _moment(_datetime_string),
    "many2one": _record,
    "one2many": _record,
    "many2many": _record,
}
