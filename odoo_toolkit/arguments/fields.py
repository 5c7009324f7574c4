"""Fields as callers name them: alone, on paths, with a part of a date, as measures of groups."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import attrs

from odoo_toolkit.arguments.domain_values import DATE_NUMBERS
from odoo_toolkit.arguments.scalars import MOST_NAMES, NAME, listed, short, unfit

_EXPRESSION = re.compile(
    r"([A-Za-z_][\w.]{0,199})(?::([a-z_]{1,20})(?:\(([A-Za-z_]\w{0,99})\))?)?", re.ASCII
)
DATE_PARTS = DATE_NUMBERS | {"hour", "day", "week", "month", "quarter", "year"}
_FUNCTIONS = DATE_PARTS | {
    *("sum", "avg", "min", "max", "count", "count_distinct", "bool_and", "bool_or"),
    *("array_agg", "array_agg_distinct", "recordset", "sum_currency"),
}
#: What Odoo calls the number of records of a group.
SERVER_COUNT = "__count"


@attrs.frozen
class Expression:
    """A field, or what is made of it.

    Attributes:
        path: a field or a dotted path.
        function: a part of a date, or a function that measures groups.
        alias: what the answer calls it, in ``alias:function(field)``.
    """

    path: str
    function: str = ""
    alias: str = ""

    @property
    def wire(self) -> str:
        """The expression as it is sent."""
        if self.alias:
            return f"{self.alias}:{self.function}({self.path})"
        return f"{self.path}:{self.function}" if self.function else self.path


@attrs.frozen
class Named:
    """Fields that are read, grouped by or measured, in the order given."""

    items: tuple[Expression, ...]

    @property
    def wire(self) -> list[str]:
        """The list as it is sent."""
        return [item.wire if item.function else item.path for item in self.items]


@lru_cache(maxsize=8192)  # a name is asked for again and again
def _as_named(path: str) -> Expression:
    return Expression(*path.partition(":")[::2])


def named(paths: Iterable[str]) -> Named:
    """Return fields and paths as they are named, of which nothing is demanded here."""
    return Named(tuple(map(_as_named, paths)))


def read_names(value: Any, where: str) -> Named:
    """Return plain names of fields, without repetitions.

    Raises:
        ValidationError: there is something else among them.
    """
    names = value if type(value) is list and len(value) <= MOST_NAMES else listed(value, where)
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise unfit(where, f"has {short(name)} where the name of a field belongs")
    return Named(tuple(map(_as_named, dict.fromkeys(names))))


def read_expression(value: Any, where: str, *, measured: bool = False) -> Expression:
    """Return a grouping, or what groups are measured by, ordered by or filtered by.

    Raises:
        ValidationError: it is neither.
    """
    match = _EXPRESSION.fullmatch(value) if isinstance(value, str) else None
    known = _FUNCTIONS if measured else DATE_PARTS
    if match is None or (match[2] and match[2] not in known) or (match[3] and not measured):
        belongs = "field:function" if measured else "a field to group by"
        raise unfit(where, f"has {short(value)} where {belongs} belongs")
    path, function, field = match.groups("")
    return Expression(field, function, path) if field else Expression(path, function)


def read_groupings(value: Any, where: str) -> Named:
    """Return what records are grouped by: ``partner_id``, ``date:month``; one text is one."""
    given = listed(value, where, single=True)
    return Named(tuple(read_expression(item, where) for item in given))


def read_measures(value: Any, where: str) -> Named:
    """Return what is measured: ``amount:sum``, ``alias:sum(amount)``, ``__count``."""
    items = [read_expression(item, where, measured=True) for item in listed(value, where)]
    for item in items:
        if "." in item.path:
            raise unfit(where, f"has {short(item.wire)} where field:function belongs")
    return Named(tuple(items))
