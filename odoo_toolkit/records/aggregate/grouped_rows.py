"""The rows of ``aggregate``: the server's groups, added up, filtered and ordered where need be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from decimal import Decimal
from functools import partial
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Admitted, Odoo
from odoo_toolkit.compat import GROUPING_SINCE
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.records.aggregate.grouped import (
    Column,
    Group,
    Plan,
    SortKey,
    call_for,
    groups,
    plan,
    shown_measure,
    sort_key,
)
from odoo_toolkit.records.aggregate.grouping import COUNT, Grouping, Measure, Spec
from odoo_toolkit.records.aggregate.measuring import holds
from odoo_toolkit.records.omissions import with_left_out
from odoo_toolkit.records.paths import Shower, columns
from odoo_toolkit.records.results import Record
from odoo_toolkit.values import ReadOptions
from odoo_toolkit.values.periods import period_start


@attrs.frozen(kw_only=True)
class Question:
    """What is asked of which records; everything in it has been checked, and was ``admitted``."""

    odoo: Odoo
    admitted: Admitted
    model: str
    domain: list[Any]
    context: Mapping[str, Any]
    zone: tzinfo | None
    spec: Spec
    described: Mapping[str, Field]
    fields_of: FieldsOf

    @property
    def major(self) -> int:
        """Odoo's version."""
        return self.odoo.version.major


@attrs.frozen(kw_only=True)
class Page:
    """Rows with all their measures, the hidden ones too.

    ``total`` is the number of all groups, as far as it is known.
    """

    rows: list[Record]
    has_more: bool
    total: int | None
    excluded_count: int | None


def page(question: Question, limit: int | None, offset: int, warnings: list[str]) -> Page:
    """Return the rows from ``offset`` on, all of them without a limit; adds to ``warnings``."""
    odoo, spec, major = question.odoo, question.spec, question.major
    asked = _plan(question)

    def fetch(limit: int | None, offset: int = 0) -> list[Group]:
        order = () if spec.local or not asked.named else spec.order
        answer = _answer(question, _call(question, asked, order, limit, offset))
        return groups(answer, asked, major, question.zone)

    def read() -> tuple[list[Group], bool]:
        """Return groups, and whether they are all there are."""
        if spec.local or not asked.named:
            return fetch(None), True
        falling = _falling(spec, major)
        if not falling and limit is not None:
            return fetch(limit + 1, offset), False
        # To 16 the empty ones come first: where there are any, all must be ordered here.
        found = fetch(None if limit is None else offset + limit + 1)
        if any(group.aggregates[name] is None for group in found for name in falling):
            return (found if limit is None else fetch(None)), True
        return found[offset:], False

    call = _call(question, asked, (), None, 0)
    (found, every), hidden = with_left_out(odoo, call, warnings, read, total=True)
    rows = _rows(question, asked, found, warnings)
    if every:
        rows = [row for row in rows if holds(spec.having, row)]
        rows = _ordered(rows, spec)
        total, rows = len(rows), rows[offset:]
        more = limit is not None and len(rows) > limit
        return Page(rows=rows[:limit], has_more=more, total=total, excluded_count=hidden)
    more = limit is not None and len(rows) > limit
    known = None if more or (offset and not rows) else offset + len(rows)
    return Page(rows=rows[:limit], has_more=more, total=known, excluded_count=hidden)


def number_of_groups(question: Question) -> int:
    """Return how many groups there are; one round trip. All of them, so not with ``having``."""
    asked = attrs.evolve(_plan(question), aggregates=(), derived=())
    return len(_answer(question, _call(question, asked, (), None, 0)))


def names_in(question: Question, name: str) -> list[str]:
    """Return the names that a many2one has in the records; one round trip."""
    column = Column(spec=name, field=question.described[name])
    asked = Plan(columns=(column,), aggregates=(), folded=False)
    answer = _answer(question, _call(question, asked, (), None, 0))
    found = groups(answer, asked, question.major, None)
    return [group.values[name]["name"] for group in found if group.values[name]]


def _plan(question: Question) -> Plan:
    nameless = question.odoo.policy.closes_models
    return plan(question.spec, question.major, question.model, nameless)


def _answer(question: Question, call: Call) -> Any:
    """Send a call that is made of what was admitted."""
    sending = question.admitted.sending(call.method, call.arguments, call.context)
    return question.odoo.send(sending)


def _call(
    question: Question,
    asked: Plan,
    order: Sequence[tuple[str, bool]],
    limit: int | None,
    offset: int,
) -> Call:
    return call_for(
        question.major,
        question.model,
        question.domain,
        asked,
        order,
        limit=limit,
        offset=offset,
        context=question.context,
    )


def _falling(spec: Spec, major: int) -> list[str]:
    """Return the measures whose empty groups the server would put first."""
    if major >= GROUPING_SINCE["order by aggregate"]:
        return []
    by_key = {measure.asked: measure for measure in spec.every}
    return [
        key
        for key, descending in spec.order
        if descending and key in by_key and not by_key[key].function.startswith("count")
    ]


# Rows ------------------------------------------------------------------------------------------


def _rows(
    question: Question, asked: Plan, found: Sequence[Group], warnings: list[str]
) -> list[Record]:
    """Return the rows that groups make, with all measures."""
    spec = question.spec
    linked = _followed(question, asked, found, warnings)
    read = [_reader(grouping, asked, linked, question.zone) for grouping in spec.groupings]
    values: dict[Any, list[Any]] = {}
    parts: dict[Any, list[Group]] = {}
    for number, group in enumerate(found):
        row = [value(group) for value in read]
        key = tuple(map(_identity, row)) if asked.folded else number
        values.setdefault(key, row)
        parts.setdefault(key, []).append(group)
    measured = _added if asked.folded else _told
    return [
        {
            **{g.asked: value for g, value in zip(spec.groupings, row, strict=True)},
            COUNT: sum(group.count for group in parts[key]),
            **{m.asked: shown_measure(m, measured(m, parts[key])) for m in spec.every},
        }
        for key, row in values.items()
    ]


def _identity(value: Any) -> Any:
    """Return what tells values apart: a record by its id, and 0 from False."""
    return (dict, value["id"]) if isinstance(value, dict) else (type(value), value)


def _reader(
    grouping: Grouping, asked: Plan, linked: Mapping[str, Mapping[int, Any]], zone: Any
) -> Callable[[Group], Any]:
    """Return what gives the value of a grouping for a group of the server."""
    path, period = ".".join(grouping.path), grouping.period
    if grouping in asked.followed:
        first, table = grouping.path[0], linked[path]

        def through(group: Group) -> Any:
            record = group.values[first]
            value = table.get(record["id"]) if record else None
            if grouping.field.type == "boolean":
                return bool(value)
            if value is None or value == "":
                return None
            return period_start(value, zone, period) if period else value

        return through
    specs = {column.spec for column in asked.columns}
    if grouping.asked in specs:
        return lambda group: group.values[grouping.asked]

    def week(group: Group) -> Any:
        day = group.values[f"{path}:day"]
        return period_start(day, zone, "week") if day else None

    return week


def _followed(
    question: Question, asked: Plan, found: Sequence[Group], warnings: list[str]
) -> dict[str, dict[int, Any]]:
    """Return what is at the end of the paths that the server does not follow, by path and id."""
    by_first: dict[str, list[str]] = {}
    for grouping in asked.followed:
        by_first.setdefault(grouping.path[0], []).append(".".join(grouping.path))
    if not by_first:
        return {}

    def follow(first: str, paths: Sequence[str]) -> tuple[list[int], list[Record], Shower]:
        ids = sorted({g.values[first]["id"] for g in found if g.values[first]})
        chosen = columns(question.model, question.described, [], paths, question.fields_of)
        shower = Shower(question.odoo, ReadOptions(), chosen, question.context)
        return ids, shower.show([{first: [one, ""]} for one in ids]), shower

    linked: dict[str, dict[int, Any]] = {}
    answers = side_by_side([partial(follow, first, paths) for first, paths in by_first.items()])
    for (ids, rows, shower), paths in zip(answers, by_first.values(), strict=True):
        if shower.skipped:
            raise AccessError(
                f"This user cannot read {', '.join(shower.skipped)}, so {question.model} cannot be"
                " grouped by it.",
                suggestion="Group by fields that the user can read.",
                details={"model": question.model, "fields": list(shower.skipped)},
            )
        warnings += shower.warnings
        for path in paths:
            linked[path] = {one: row[path] for one, row in zip(ids, rows, strict=True)}
    return linked


# Measures --------------------------------------------------------------------------------------


def _told(measure: Measure, parts: Sequence[Group]) -> Any:
    """Return what the server reckoned."""
    return parts[0].aggregates[measure.asked]


def _added(measure: Measure, parts: Sequence[Group]) -> Any:
    """Return a measure over several groups of the server, exactly."""
    name, function = measure.field.name, measure.function
    if function == "count_distinct":
        return _distinct(measure, parts)
    if function == "avg":
        number = _sum(group.aggregates[f"{name}:count"] for group in parts)
        total = _sum(group.aggregates[f"{name}:sum"] for group in parts)
        return float(total) / float(number) if number else None
    values = [group.aggregates[measure.asked] for group in parts]
    values = [value for value in values if value is not None]
    if function in ("min", "max"):
        return (min if function == "min" else max)(values) if values else None
    return _sum(values) if values else None


def _sum(values: Iterable[Any]) -> Any:
    """Add as the database does, in decimal: 0.1 and 0.2 are 0.3."""
    found = [value for value in values if value is not None]
    if any(isinstance(value, float) for value in found):
        return float(sum(Decimal(repr(value)) for value in found))
    return sum(found)


def _distinct(measure: Measure, parts: Sequence[Group]) -> int:
    name = measure.field.name
    if name == "id":
        return sum(group.count for group in parts)
    spec = f"{name}:day" if measure.field.type == "date" else name
    return len(
        {
            _identity(group.values[spec])
            for group in parts
            if group.aggregates[measure.asked]  # 0 where it is empty
        }
    )


# Order -----------------------------------------------------------------------------------------


def _ordered(rows: list[Record], spec: Spec) -> list[Record]:
    """Order rows as the server does, but many2one and texts by their letters."""
    groupings = {grouping.asked for grouping in spec.groupings}
    for key, descending in reversed(spec.order):
        # Of groupings, what is empty comes last, and first where they descend; else always last.
        first = descending and key in groupings
        empty = [row for row in rows if row[key] is None]
        full = [row for row in rows if row[key] is not None]

        def place(row: Record, key: str = key) -> SortKey:
            return sort_key(row[key])

        full.sort(key=place, reverse=descending)
        rows = [*empty, *full] if first else [*full, *empty]
    return rows
