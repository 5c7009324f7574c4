"""Groups of records in memory, as ``read_group`` and ``formatted_read_group`` answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.values.periods import period_start, time_zone

_COUNT = "__count"
#: ``agg_01:sum(amount_total)``, and ``amount_total:sum``.
_NAMED = re.compile(r"(?P<name>\w+):(?P<function>\w+)\((?P<field>\w+)\)")
_NUMBERS = ("integer", "float", "monetary")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


class Kept(Protocol):
    """The records, as far as they are looked at here."""

    def matching(self, call: Call) -> list[dict[str, Any]]:
        """Return the records that match the domain of a call."""

    def along(self, model: str, row: Mapping[str, Any], path: str) -> tuple[str, Any]:
        """Return the type of the field at the end of a path, and what is there."""

    def named(self, model: str, path: str, record_id: int) -> list[Any]:
        """Return a record of the relation at the end of a path with its name."""


@attrs.frozen
class _Group:
    """The records that have the same in all groupings."""

    values: tuple[Any, ...]
    rows: list[dict[str, Any]]


def grouped(kept: Kept, call: Call) -> list[dict[str, Any]]:
    """Answer a call of ``read_group`` or ``formatted_read_group``."""
    asked = call.arguments
    formatted = call.method == "formatted_read_group"
    specs = list(asked.get("groupby") or ())
    wanted = list(asked.get("aggregates") or ()) if formatted else list(asked.get("fields") or ())
    measures = dict(_measures(kept, call.model, wanted, formatted))
    rest: list[str] = []
    if lazy := bool(specs) and not formatted and asked.get("lazy", True):
        specs, rest = specs[:1], specs[1:]
    groups = _groups(kept, call, specs)
    shown = [_shown(kept, call, group, specs, measures, formatted) for group in groups]
    if lazy:
        for row in shown:
            row[f"{specs[0].partition(':')[0]}_count"] = row.pop(_COUNT)
            row |= {"__context": {"group_by": rest}} if rest else {}
    for part in reversed(str(asked.get("order") or asked.get("orderby") or "").split(",")):
        name, *way = part.split()[:4] or [""]
        if name:
            # From 17 on a measure is named field:function, whatever it is called in the answer.
            called = {f"{field}:{function}": key for key, (field, function) in measures.items()}
            shown = _sorted(shown, called.get(name, name), way)
    start, limit = asked.get("offset") or 0, asked.get("limit")
    return shown[start : start + limit if limit else None]


def _measures(
    kept: Kept, model: str, wanted: Iterable[str], formatted: bool
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield how each measure is called in the answer, its field and its function.

    ``read_group`` calls ``amount_total:sum`` by its field alone, and adds up a number without a
    function; fields of other types are not measures.
    """
    for text in wanted:
        field, colon, function = text.partition(":")
        if match := _NAMED.fullmatch(text):
            yield match["name"], (match["field"], match["function"])
        elif colon:
            yield (text if formatted else field), (field, function)
        elif text not in (_COUNT, "id") and kept.along(model, {}, field)[0] in _NUMBERS:
            yield field, (field, "sum")


def _groups(kept: Kept, call: Call, specs: Sequence[str]) -> list[_Group]:
    """Return the groups, ordered by what they have in common; empty values come last."""
    zone = time_zone(call.context)
    found: dict[tuple[Any, ...], _Group] = {} if specs else {(): _Group((), [])}
    for row in kept.matching(call):
        for values in _combined([_keys(kept, call.model, row, spec, zone) for spec in specs]):
            found.setdefault(values, _Group(values, [])).rows.append(row)

    def place(group: _Group) -> tuple[Any, ...]:
        return tuple(
            (value is False, _order(kept, call.model, spec, value))
            for spec, value in zip(specs, group.values, strict=True)
        )

    return sorted(found.values(), key=place)


def _combined(parts: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Return every combination: a record with two tags is in the groups of both."""
    found: list[tuple[Any, ...]] = [()]
    for part in parts:
        found = [(*before, value) for before in found for value in part]
    return found


def _keys(kept: Kept, model: str, row: Mapping[str, Any], spec: str, zone: Any) -> list[Any]:
    """Return what a record has in a grouping; False where it has nothing."""
    path, _, period = spec.partition(":")
    kind, value = kept.along(model, row, path)
    if isinstance(value, list):
        return value or [False]
    if period and value:
        return [period_start(str(value), zone, period)]
    return [value if value or kind in _NUMBERS else False]


def _order(kept: Kept, model: str, spec: str, value: Any) -> Any:
    kind, _ = kept.along(model, {}, spec.partition(":")[0])
    if value is False:
        return ""
    if kind in ("many2one", "many2many"):
        return str(kept.named(model, spec, value)[1]).casefold()
    return value


def _sorted(rows: list[dict[str, Any]], name: str, way: Sequence[str]) -> list[dict[str, Any]]:
    """Order answers by a grouping or a measure, as PostgreSQL does."""
    falling = "desc" in [word.lower() for word in way]
    last = not falling or "last" in [word.lower() for word in way]

    def value(row: Mapping[str, Any]) -> Any:
        found = row.get(name)
        if isinstance(found, list):
            return found[0] if isinstance(found[0], str) else str(found[1]).casefold()
        return ((row.get("__range") or {}).get(name) or {}).get("from") or found

    empty = [row for row in rows if value(row) in (False, None)]
    full = [row for row in rows if value(row) not in (False, None)]
    full.sort(key=value, reverse=falling)
    return [*full, *empty] if last else [*empty, *full]


def _shown(
    kept: Kept,
    call: Call,
    group: _Group,
    specs: Sequence[str],
    measures: Mapping[str, tuple[str, str]],
    formatted: bool,
) -> dict[str, Any]:
    """Return a group in the form of its version's answer."""
    row: dict[str, Any] = {_COUNT: len(group.rows)}
    domain: list[Any] = []
    ranges: dict[str, Any] = {}
    for spec, value in zip(specs, group.values, strict=True):
        path, _, period = spec.partition(":")
        kind, _ = kept.along(call.model, {}, path)
        if period and value:
            start, end = _bounds(value, period, kind, time_zone(call.context))
            row[spec] = [start, value] if formatted else value
            ranges[spec] = {"from": start, "to": end}
            domain += ["&", [path, ">=", start], [path, "<", end]]
            continue
        named = kind in ("many2one", "many2many") and value
        row[spec] = kept.named(call.model, spec, value) if named else value
        if period:
            ranges[spec] = False
        domain.append([path, "=", value])
    for name, (field, function) in measures.items():
        values = [kept.along(call.model, record, field) for record in group.rows]
        row[name] = _reckoned(function, values)
    if formatted:
        return {**row, "__extra_domain": domain}
    return {**row, "__domain": [*domain, *(call.arguments.get("domain") or ())], "__range": ranges}


def _bounds(start: str, period: str, kind: str, zone: Any) -> tuple[str, str]:
    """Return the beginning of a period and that of the next one, of moments in UTC."""
    moment = datetime.fromisoformat(start)
    if period in _MONTHS:
        months = moment.year * 12 + moment.month - 1 + _MONTHS[period]
        following = moment.replace(year=months // 12, month=months % 12 + 1)
    else:
        length = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
        following = moment + length[period]
    if kind == "date":
        return moment.date().isoformat(), following.date().isoformat()
    found = [
        one if one.tzinfo else datetime.combine(one.date(), one.time(), zone)
        for one in (moment, following)
    ]
    first, last = (one.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") for one in found)
    return first, last


def _sum(values: Iterable[Any]) -> Any:
    """Add as the database does, in decimal."""
    numbers = list(values)
    if any(isinstance(number, float) for number in numbers):
        return float(sum(Decimal(repr(number)) for number in numbers))
    return sum(numbers)


_FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": _sum,
    "avg": lambda values: float(_sum(values)) / len(values),
    "min": min,
    "max": max,
    "bool_and": all,
    "bool_or": any,
}


def _reckoned(function: str, found: Iterable[tuple[str, Any]]) -> Any:
    """Return a measure of values with their types; False where there are none."""
    values = [value for kind, value in found if value not in (None, False, "") or kind == "boolean"]
    if function == "count":
        return len(values)
    if function == "count_distinct":
        return len({str(value) for value in values})
    if function not in _FUNCTIONS:
        raise make_error("VALUE_ERROR", f"FakeServer does not know the function {function!r}.")
    return _FUNCTIONS[function](values) if values else False
