"""What ``aggregate`` is asked for as a whole: measures, order and conditions on groups, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from odoo_toolkit.arguments import check_domain, read_order
from odoo_toolkit.compat import GROUPING_SINCE
from odoo_toolkit.errors import invalid
from odoo_toolkit.fields import Field, FieldsOf, similar_names, unknown_field_error
from odoo_toolkit.records.aggregate.grouping import (
    COUNT,
    COUNTED,
    DATES,
    NUMBERS,
    SERVER_COUNT,
    Grouping,
    Measure,
    Spec,
    checked_grouping,
    refuse,
)
from odoo_toolkit.values import utc_string
from odoo_toolkit.values.moments import day_string, iso_utc
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr

FUNCTIONS = ("sum", "avg", "min", "max", "count", "count_distinct")
#: function -> the types of fields that it means something for.
_MEASURED: dict[str, frozenset[str]] = {
    "sum": NUMBERS,
    "avg": NUMBERS,
    "min": NUMBERS | DATES,
    "max": NUMBERS | DATES,
    "count": COUNTED,
    "count_distinct": COUNTED,
}
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, other: bool(value == other),
    "!=": lambda value, other: bool(value != other),
    ">": lambda value, other: bool(value > other),
    ">=": lambda value, other: bool(value >= other),
    "<": lambda value, other: bool(value < other),
    "<=": lambda value, other: bool(value <= other),
    "in": lambda value, others: value in others,
    "not in": lambda value, others: value not in others,
}
ORDER_EXAMPLE = "Write it like 'amount_total:sum desc, partner_id'."


def parse(
    model: str,
    described: Mapping[str, Field],
    fields_of: FieldsOf,
    major: int,
    *,
    groupby: Any,
    measures: Any,
    order: Any,
    having: Any,
) -> Spec:
    """Return what is asked for, checked against the fields of the model.

    Args:
        model: whose records are grouped.
        described: its fields, as far as they may be named.
        fields_of: describes other models.
        major: Odoo's version.
        groupby, measures, order, having: as of :func:`odoo_toolkit.records.aggregate`.

    Raises:
        ValidationError: it cannot be done; the message says what can.
        AccessError: a path leads to a model that cannot be read.
    """
    groupings = [
        checked_grouping(model, item, described, fields_of, major)
        for item in listed(groupby, "groupby")
    ]
    chosen = [_measure(model, item, described) for item in listed(measures, "measures")]
    keys = [grouping.asked for grouping in groupings]
    if COUNT in keys:
        refuse(
            model, COUNT, "Every row already contains count, the number of records in its group.",
            "Omit it from groupby.",
        )  # fmt: skip
    every = {measure.asked: measure for measure in chosen}
    hidden: dict[str, Measure] = {}

    def measured(asked: str) -> None:
        if asked not in every and asked not in hidden:
            hidden[asked] = _measure(model, asked, described)

    terms = _order(model, order, groupings, measured)
    conditions = _having(model, having, measured, {**every, **hidden}, hidden)
    if major < GROUPING_SINCE["aggregates of groupings"]:
        _check_not_grouped(model, groupings, [*chosen, *hidden.values()], major)
    return Spec(
        groupings=tuple(groupings),
        measures=tuple(chosen),
        hidden=tuple(hidden.values()),
        order=terms,
        having=tuple(conditions),
    )


def listed(value: Any, name: str) -> list[str]:
    """Return groupings or measures without repetitions, or refuse what is no list of texts."""
    given = plain(value)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise invalid(
            name,
            f"{name} must be a list of strings, not {short_repr(value)}.",
            "Pass a list such as ['partner_id', 'date_order:month']."
            if name == "groupby"
            else "Pass a list such as ['amount_total:sum'].",
        )
    return list(dict.fromkeys(given))


# Measures --------------------------------------------------------------------------------------


def _measure(model: str, asked: str, described: Mapping[str, Field]) -> Measure:
    name, _, function = asked.partition(":")
    if "." in name:
        refuse(
            model, asked, f"{asked}: Odoo only calculates with fields of {model} itself.",
            "Aggregate the model that has the field, and group by a path to this model.",
        )  # fmt: skip
    if name not in described:
        raise unknown_field_error(model, name, described)
    field = described[name]
    if function not in FUNCTIONS:
        refuse(
            model, asked,
            f"{asked} is not a measure: {short_repr(function) if function else 'its function'} is"
            f" {'unknown' if function else 'missing'}.",
            f"Write {name}:sum, or one of {', '.join(FUNCTIONS)}.",
        )  # fmt: skip
    fitting = [each for each in FUNCTIONS if field.type in _MEASURED[each]]
    if function not in fitting:
        refuse(
            model, asked,
            f"{asked}: {name} of {model} is {field.type}, which does not support {function}.",
            f"Use one of {', '.join(fitting)}." if fitting
            else "Omit it. Every row contains count, the number of records.",
        )  # fmt: skip
    if not field.sortable and name != "id":
        stored = [
            other.name
            for other in described.values()
            if other.sortable and other.type in _MEASURED[function]
        ]
        similar = similar_names(name, stored)
        near = f", such as {', '.join(similar)}" if similar else ""
        refuse(
            model, asked,
            f"{asked}: {name} of {model} is computed and not stored, so the database cannot "
"calculate with it.",
            f"Use a stored field{near}, or read the records and calculate the values.",
        )  # fmt: skip
    return Measure(asked=asked, field=field, function=function)


def _check_not_grouped(
    model: str, groupings: Sequence[Grouping], measures: Sequence[Measure], major: int
) -> None:
    """Refuse what Odoo to 16 leaves out of its answer in silence."""
    grouped = {grouping.path[0] for grouping in groupings}
    # Where groups are added up here, values are counted here, too.
    added = any(grouping.dotted for grouping in groupings)
    for measure in measures:
        counted_here = added and measure.function == "count_distinct"
        if measure.field.name in grouped and not counted_here:
            refuse(
                model, measure.asked,
                f"{measure.asked}: Odoo {major} cannot measure {measure.field.name} and group by "
"it in one call.",
                "Omit it from groupby or from measures, or make two calls.",
            )  # fmt: skip


# Order and conditions --------------------------------------------------------------------------


def _order(
    model: str, order: Any, groupings: Sequence[Grouping], measured: Callable[[str], None]
) -> tuple[tuple[str, bool], ...]:
    """Return the terms of the order; groupings that it does not name follow, ascending."""
    asked = read_order(order, example=ORDER_EXAMPLE).terms if order else ()
    found: dict[str, bool] = {}
    for term in asked:
        if term.nulls:
            raise invalid(
                "order",
                f"The order {term.wire} is not valid: groups without a value always come last.",
                ORDER_EXAMPLE,
            )
        name = term.path
        keys = [g.asked for g in groupings if name in (g.asked, ".".join(g.path))]
        if name in (COUNT, SERVER_COUNT):
            keys = [COUNT]
        elif not keys and ":" not in name:
            refuse(
                model, name,
                f"Groups cannot be ordered by {name[:80]}, which is neither in groupby nor a "
"measure.",
                "Order by a grouping, a measure such as amount_total:sum, or count.",
            )  # fmt: skip
        elif not keys:
            measured(name)
            keys = [name]
        found |= {key: term.direction == "desc" for key in keys if key not in found}
    found |= {g.asked: False for g in groupings if g.asked not in found}
    return tuple(found.items())


def _having(
    model: str,
    having: Any,
    measured: Callable[[str], None],
    known: Mapping[str, Measure],
    hidden: Mapping[str, Measure],
) -> list[Any]:
    conditions: list[Any] = []
    for item in check_domain(having if having is not None else []):
        if isinstance(item, str):
            conditions.append(item)
            continue
        name, operator, value = item
        if operator not in _COMPARED or not isinstance(name, str):
            raise invalid(
                "having",
                f"Groups cannot be filtered by {short_repr(item)}.",
                f"Use one of {', '.join(_COMPARED)} in having.",
            )
        if name in (COUNT, SERVER_COUNT):
            conditions.append((COUNT, operator, _compared("integer", item, value)))
            continue
        if ":" not in name:
            refuse(
                model, name, f"having compares measures, but {name[:80]} is not a measure.",
                "Write [[\"amount_total:sum\", \">\", 1000]] or similar. Other conditions belong "
"in domain.",
            )  # fmt: skip
        measured(name)
        measure = known.get(name) or hidden[name]
        type_ = "integer" if measure.function.startswith("count") else measure.field.type
        conditions.append((name, operator, _compared(type_, item, value)))
    return conditions


def _compared(type_: str, condition: Any, value: Any) -> Any:
    """Return what a measure is compared with, in the form in which the measure is shown."""
    if isinstance(value, list):
        if condition[1] in ("in", "not in"):
            return [_compared(type_, condition, item) for item in value]
    elif value is False:
        if condition[1] in ("=", "!="):
            return None
    elif type_ in DATES and isinstance(value, str):
        try:
            return iso_utc(utc_string(value)) if type_ == "datetime" else day_string(value)
        except ValueError:
            pass
    elif type_ in NUMBERS and isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise invalid(
        "having",
        f"having cannot compare {condition[0]} with {short_repr(value)}.",
        f"Compare it with {'a date' if type_ in DATES else 'a number'}.",
    )


def holds(conditions: Sequence[Any], row: Mapping[str, Any]) -> bool:
    """Whether a row fulfils the conditions; what is None is neither more nor less than anything."""
    stack: list[bool] = []
    for item in reversed(conditions):
        if item == "!":
            stack.append(not stack.pop())
        elif item in ("&", "|"):
            first, second = stack.pop(), stack.pop()
            stack.append(first and second if item == "&" else first or second)
        else:
            name, operator, value = item
            if isinstance(name, int):
                stack.append(name == value)
                continue
            unknown = row[name] is None and operator not in ("=", "!=", "in", "not in")
            stack.append(not unknown and _COMPARED[operator](row[name], value))
    return all(stack)
