"""What is asked of the server to group records, by its version, and how its answer is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.compat import GROUPING_SINCE, UNNAMED_AGGREGATES
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.records.aggregate.grouping import COUNT, SERVER_COUNT, Grouping, Measure, Spec
from odoo_toolkit.values.moments import iso_utc
from odoo_toolkit.values.periods import period_start

#: Sorts whatever may be the value of one grouping.
SortKey = tuple[int, float, str, str]


@attrs.frozen(kw_only=True)
class Column:
    """What the server groups by, as it is asked: ``spec`` is such as ``date_order:day``."""

    spec: str
    field: Field
    period: str | None = None


@attrs.frozen(kw_only=True)
class Group:
    """One group of the server: values by the specs of columns, aggregates by field:function."""

    values: dict[str, Any]
    count: int
    aggregates: dict[str, Any]


@attrs.frozen(kw_only=True)
class Plan:
    """What the server is asked for.

    Attributes:
        columns: that it groups by.
        aggregates: field:function, as it reckons them.
        derived: further ones, of the very values of columns, which it leaves out of its answer.
        folded: whether several groups of the server may make one row.
        named: whether aggregates are given names, by which groups can be ordered.
        nameless: whether the names of records in properties are left out.
        followed: groupings whose paths are followed here, from the first relation on.
    """

    columns: tuple[Column, ...]
    aggregates: tuple[str, ...]
    folded: bool
    derived: tuple[str, ...] = ()
    named: bool = True
    nameless: bool = False
    followed: tuple[Grouping, ...] = ()


def plan(spec: Spec, major: int, model: str, nameless: bool) -> Plan:
    """Return how the server is asked.

    Args:
        spec: what is asked for.
        major: the server's version.
        model: whose records are grouped.
        nameless: as of :class:`Plan`.

    Raises:
        ValidationError: a measure cannot be calculated exactly from what the server tells.
    """
    followed = [g for g in spec.groupings if g.dotted and major < GROUPING_SINCE["formatted"]]
    weeks = major >= GROUPING_SINCE["weeks by language"]
    folded = bool(followed) or any(weeks and g.period == "week" for g in spec.groupings)
    columns = {}
    for grouping in spec.groupings:
        column = _column(grouping, followed=grouping in followed, weeks=weeks)
        columns[column.spec] = column
    aggregates: list[str] = []
    derived: list[str] = []
    for measure in spec.every:
        if not folded:
            aggregates.append(measure.asked)
            continue
        aggregates += _parts(measure)
        if measure.function == "count_distinct" and measure.field.name != "id":
            column = _values_of(measure, major)
            columns[column.spec] = column
    if major < GROUPING_SINCE["aggregates of groupings"]:
        # It leaves these out of its answer; the values that it groups by tell enough.
        grouped = {column.field.name for column in columns.values()}
        derived = [item for item in aggregates if item.partition(":")[0] in grouped]
    by_name = major >= GROUPING_SINCE["order by aggregate"]
    named = by_name or model not in UNNAMED_AGGREGATES
    if not named:
        fields = [name.partition(":")[0] for name in dict.fromkeys(aggregates)]
        for measure in spec.every:
            if fields.count(measure.field.name) > 1:
                raise _inexact(measure, major)
    return Plan(
        named=named,
        nameless=nameless,
        columns=tuple(columns.values()),
        aggregates=tuple(item for item in dict.fromkeys(aggregates) if item not in derived),
        derived=tuple(dict.fromkeys(derived)),
        folded=folded,
        followed=tuple(followed),
    )


def _column(grouping: Grouping, *, followed: bool, weeks: bool) -> Column:
    if followed:
        first = grouping.path[0]
        return Column(spec=first, field=Field(name=first, type="many2one"))
    period = "day" if weeks and grouping.period == "week" else grouping.period
    name = ".".join(grouping.path)
    return Column(spec=f"{name}:{period}" if period else name, field=grouping.field, period=period)


def _parts(measure: Measure) -> list[str]:
    """Return what adds up to a measure over several groups."""
    name = measure.field.name
    if measure.function == "avg":
        return [f"{name}:sum", f"{name}:count"]
    if measure.function == "count_distinct" and name == "id":
        return []
    return [measure.asked]


def _values_of(measure: Measure, major: int) -> Column:
    """Return the column by which distinct values are told apart where groups are added up."""
    field = measure.field
    merged = field.type == "boolean" and major < GROUPING_SINCE["aggregates of groupings"]
    if field.type == "datetime" or merged:
        raise _inexact(measure, major)
    period = "day" if field.type == "date" else None
    spec = f"{field.name}:{period}" if period else field.name
    return Column(spec=spec, field=field, period=period)


def _inexact(measure: Measure, major: int) -> ValidationError:
    return ValidationError(
        f"{measure.asked} cannot be calculated exactly for these groupings on Odoo {major}.",
        code="INVALID_FIELD",
        suggestion="Ask for this measure alone, group without dotted paths and weeks, or make a "
        "separate call for each value.",
        details={"field": measure.asked},
    )


# Calls -----------------------------------------------------------------------------------------


def call_for(
    major: int,
    model: str,
    domain: Sequence[Any],
    asked: Plan,
    order: Sequence[tuple[str, bool]],
    *,
    limit: int | None,
    offset: int,
    context: Mapping[str, Any],
) -> Call:
    """Return the call that groups records; ``order`` has specs, ``field:function``s and count."""
    columns = [column.spec for column in asked.columns]
    aliases = _aliases(asked)
    by_name = major >= GROUPING_SINCE["order by aggregate"]
    terms = []
    for name, descending in order:
        term = name if name in columns else _ordered_by(name, by_name, aliases)
        # What is empty comes last, also when it descends, where the server lets us say so.
        nulls = " nulls last" if by_name and descending and name not in columns else ""
        terms.append(f"{term}{f' desc{nulls}' if descending else ''}")
    arguments: dict[str, Any] = {"domain": list(domain)}
    if major >= GROUPING_SINCE["formatted"]:
        method, order_name = "formatted_read_group", "order"
        arguments |= {"groupby": columns, "aggregates": [SERVER_COUNT, *asked.aggregates]}
    else:
        # Without any field, Odoo to 16 sums all numbers; without an alias, a field is named once.
        method, order_name = "read_group", "orderby"
        fields = [f"{alias}:{_function(name)}" for name, alias in aliases.items()]
        if not asked.named:
            fields = list(asked.aggregates) or ["id:count"]
        arguments |= {"fields": fields, "groupby": columns}
    if limit is not None:
        arguments |= {"offset": offset, "limit": limit}  # to 16, an offset alone is ignored
    if terms:
        arguments[order_name] = ", ".join(terms) if by_name else ",".join(terms)
    if order_name == "orderby":
        arguments["lazy"] = False
    return Call(model=model, method=method, arguments=arguments, context=context)


def _aliases(asked: Plan) -> dict[str, str]:
    """Return how aggregates are named; long and of one length, as Odoo replaces them as text."""
    if not asked.named:
        return {name: name.partition(":")[0] for name in asked.aggregates}
    return {name: f"agg_{number:02}" for number, name in enumerate([COUNT, *asked.aggregates])}


def _function(name: str) -> str:
    """``amount_total:sum`` as ``sum(amount_total)``."""
    field, _, function = name.partition(":")
    return f"{function}({field})" if function else "count(id)"


def _ordered_by(name: str, by_name: bool, aliases: Mapping[str, str]) -> str:
    if not by_name:
        return aliases[name]
    return SERVER_COUNT if name == COUNT else name


def groups(answer: Sequence[Mapping[str, Any]], asked: Plan, major: int, zone: Any) -> list[Group]:
    """Return the groups of an answer, values as they are shown."""
    formatted = major >= GROUPING_SINCE["formatted"]
    keys = _aliases(asked)
    found = []
    for row in answer:
        starts = _starts(row, asked, major)
        values = {
            column.spec: _shown(column, row[column.spec], starts.get(column.spec), zone)
            for column in asked.columns
        }
        if asked.nameless:
            values |= _without_names(asked.columns, values)
        aggregates = {
            name: _empty(row[name if formatted else keys[name]]) for name in asked.aggregates
        }
        count = int(row[SERVER_COUNT])
        for name in asked.derived:
            field, _, function = name.partition(":")
            value = values.get(field, values.get(f"{field}:day"))
            aggregates[name] = _derived(function, value, count)
        found.append(Group(values=values, count=count, aggregates=aggregates))
    return found


def _derived(function: str, value: Any, count: int) -> Any:
    """Return an aggregate of records that all have the same value."""
    if function.startswith("count"):
        return 0 if value is None else count if function == "count" else 1
    if function == "sum" and value is not None:
        return float(Decimal(repr(value)) * count) if isinstance(value, float) else value * count
    return value


def _starts(row: Mapping[str, Any], asked: Plan, major: int) -> dict[str, str]:
    """Return the beginnings of the periods by spec, as the server tells them; none for none."""
    periods = [column for column in asked.columns if column.period]
    if not periods:
        return {}
    if major >= GROUPING_SINCE["formatted"]:
        values = {column.spec: row[column.spec] for column in periods}
        return {spec: value[0] for spec, value in values.items() if value}
    if major >= GROUPING_SINCE["range"]:
        ranges = row.get("__range") or {}
        found = {column.spec: ranges.get(column.spec) for column in periods}
        return {spec: told["from"] for spec, told in found.items() if told}
    leaves = (leaf for leaf in row["__domain"] if isinstance(leaf, (list, tuple)))
    return dict(_starts_in(leaves, asked.columns))


def _starts_in(
    leaves: Iterator[Sequence[Any]], columns: Sequence[Column]
) -> Iterator[tuple[str, str]]:
    """Read what the domain of a group begins with: one condition a column, two for a period."""
    for column in columns:
        _, operator, value = next(leaves)
        if column.period and operator == ">=":
            next(leaves)
            yield column.spec, value


def _empty(value: Any) -> Any:
    return None if value is False else value


def _shown(column: Column, value: Any, start: str | None, zone: Any) -> Any:
    """Return the value of a group as it is shown; None for what is empty."""
    if column.field.type == "boolean":
        return bool(value)
    if column.period:
        return period_start(start, zone, column.period) if start else None
    if isinstance(value, (list, tuple)):  # a record; of properties also a tag, with its colour
        return {"id": value[0], "name": value[1]} if value else None
    return None if value is False else value


def _without_names(columns: Sequence[Column], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return records that properties hold without their names: of which model is not told."""
    held = {c.spec: values[c.spec] for c in columns if c.field.type == "properties"}
    return {
        spec: {**value, "name": None}
        for spec, value in held.items()
        if isinstance(value, dict) and isinstance(value["id"], int)
    }


def shown_measure(measure: Measure, value: Any) -> Any:
    """Return a measure as it is shown: the sum or number of nothing is 0, anything else None."""
    if measure.function in ("count", "count_distinct"):
        return int(value or 0)
    if measure.function == "sum" and value is None:
        return 0 if measure.field.type == "integer" else 0.0
    if measure.field.type == "datetime" and isinstance(value, str):
        return iso_utc(value[:19])
    return value


def sort_key(value: Any) -> SortKey:
    """Return what orders values of one grouping or measure among each other, but None."""
    if isinstance(value, dict):
        name = str(value["name"] or "")
        number = value["id"] if isinstance(value["id"], int) else 0
        return (1, 0, f"{name.casefold()}\0{number:012}", name)
    if isinstance(value, (int, float)):
        return (0, float(value), "", "")
    text = str(value)
    return (1, 0, text.casefold(), text)
