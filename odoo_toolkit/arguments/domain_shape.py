"""The shape of a domain: what is wrong with it, and what was probably meant.

A domain that is not understood is an error, never ``[]``: a filter that falls away would give
every record. Where the meaning is beyond doubt, the error shows the corrected domain.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.values.moments import utc_string
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import check_text, is_id, short_repr

#: connector -> how many conditions follow it.
CONNECTORS = {"&": 2, "|": 2, "!": 1}
LIST_OPERATORS = frozenset({"in", "not in"})
DOMAIN_OPERATORS = frozenset({"any", "not any"})
LIKE_OPERATORS = frozenset(
    {"like", "not like", "ilike", "not ilike", "=like", "=ilike", "not =like", "not =ilike"}
)
#: operator -> the Odoo version that brought it, 0 for those that all versions from 14 have.
OPERATORS = dict.fromkeys(
    [
        *("=", "!=", ">", ">=", "<", "<=", "=?", "like", "not like", "ilike", "not ilike"),
        *("=like", "=ilike", "in", "not in", "child_of", "parent_of"),
    ],
    0,
) | {"any": 17, "not any": 17, "not =like": 19, "not =ilike": 19}

#: What people write -> the operator.
_MEANT_OPERATORS = {
    "==": "=",
    "===": "=",
    "eq": "=",
    "equals": "=",
    "is": "=",
    "<>": "!=",
    "!==": "!=",
    "ne": "!=",
    "is not": "!=",
    "=>": ">=",
    "gte": ">=",
    "gt": ">",
    "=<": "<=",
    "lte": "<=",
    "lt": "<",
    "contains": "ilike",
    "not contains": "not ilike",
    "notin": "not in",
    "child of": "child_of",
    "parent of": "parent_of",
}
_MEANT_CONNECTORS = {"or": "|", "||": "|", "and": "&", "&&": "&", "not": "!"}

_TRUE_LEAF, _FALSE_LEAF = (1, "=", 1), (0, "=", 1)
_MAX_ELEMENTS = 5_000
_MAX_DEPTH = 10  # of domains within any / not any
_MAX_SHOWN = 100  # elements of a corrected domain that an error carries
_MAX_TEXT = 20_000
_NEWEST = max(OPERATORS.values())
#: Of an element, its place and field.
_Where = tuple[int, str]
_EXAMPLE = (
    'For example [["state", "=", "sale"], "|", ["amount_total", ">", 100], ["priority", "=", "1"]].'
)


class _ShapeError(Exception):
    """What is wrong with a domain, and how to mend it."""

    def __init__(self, problem: str, suggestion: str = _EXAMPLE) -> None:
        super().__init__(problem)
        self.problem = problem
        self.suggestion = suggestion


#: What conditions mostly hold: the path of a field, and values of these types.
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_SEQUENCES = frozenset({list, tuple})


def plain_elements(domain: Any) -> tuple[Any, ...] | None:
    """Return the elements of a domain of plain conditions; None for :func:`check_syntax` to judge.

    It is one pass, for what nearly every domain is: what it returns, that would return, too.
    """
    if type(domain) not in _SEQUENCES or len(domain) > _MAX_ELEMENTS:
        return None
    elements = []
    for item in domain:
        if type(item) not in _SEQUENCES or len(item) != 3:
            return None
        path, operator, value = item
        known = type(path) is str and type(operator) is str and OPERATORS.get(operator) == 0
        several = type(value) in _SEQUENCES
        if not known or not _PATH.fullmatch(path) or (operator in LIST_OPERATORS and not several):
            return None
        for one in value if several else (value,):
            kind = type(one)
            if not (
                kind is bool
                or (kind is str and one.isascii() and "\x00" not in one)
                or (kind is int and -(2**63) <= one < 2**63)
            ):
                return None
        elements.append((path, operator, tuple(value) if several else value))
    return tuple(elements)


def check_syntax(domain: Any, version_major: int | None) -> list[Any]:
    """Return the domain as lists that JSON can express; see ``domains.check_domain``."""
    # What is missing in a table is refused: "is empty" would find what nobody asked for.
    domain = plain(domain, missing=math.nan)
    try:
        return _checked(domain, version_major, 0)
    except _ShapeError as wrong:
        raise _domain_error(wrong, _corrected(domain, version_major)) from None


def _domain_error(wrong: _ShapeError, corrected: list[Any] | None) -> OdooError:
    message, suggestion = f"The domain is not valid: {wrong.problem}.", wrong.suggestion
    details = {}
    if corrected is not None and len(corrected) <= _MAX_SHOWN:
        details = {"corrected_domain": corrected}
        shown = json.dumps(corrected)
        if len(shown) <= 500:
            suggestion = f"Did you mean {shown}?"
    return make_error("INVALID_DOMAIN", message, suggestion=suggestion, details=details)


def _checked(domain: Any, version: int | None, depth: int) -> list[Any]:
    if depth > _MAX_DEPTH:
        raise _ShapeError(f"it nests more than {_MAX_DEPTH} domains", "Use dotted field names.")
    if isinstance(domain, str):
        raise _ShapeError(
            "it is a text", "Pass a list of conditions, not a string that contains one."
        )
    if not isinstance(domain, (list, tuple)):
        raise _ShapeError(f"it is {short_repr(domain)}, not a list")
    if len(domain) > _MAX_ELEMENTS:
        raise _ShapeError(
            f"it has more than {_MAX_ELEMENTS} elements", 'Use "in" with a list of values.'
        )
    if len(domain) == 3 and _is_bare_condition(domain):
        raise _ShapeError("it is a single condition; a domain is a list of conditions")
    checked = [_checked_element(item, index, version, depth) for index, item in enumerate(domain)]
    if any(isinstance(item, str) for item in checked):
        _check_connectors(checked)
    return checked


def _is_bare_condition(domain: Sequence[Any]) -> bool:
    return (
        len(domain) == 3
        and isinstance(domain[0], str)
        and isinstance(domain[1], str)
        and domain[0] not in CONNECTORS
        and _meant_operator(domain[1]) is not None
    )


def _checked_element(item: Any, index: int, version: int | None, depth: int) -> Any:
    if isinstance(item, str):
        if item in CONNECTORS:
            return item
        raise _ShapeError(f"element {index}, {short_repr(item)}, is neither a condition nor & | !")
    if not isinstance(item, (list, tuple)):
        raise _ShapeError(f"element {index}, {short_repr(item)}, is neither a condition nor & | !")
    if len(item) != 3 or not isinstance(item[1], str):
        raise _ShapeError(f"element {index}, {short_repr(item)}, is not [field, operator, value]")
    field, operator, value = item
    if isinstance(field, int) and operator == "=":
        for leaf in (_TRUE_LEAF, _FALSE_LEAF):
            if (field, operator, value) == leaf:
                return list(leaf)
    if not isinstance(field, str) or any(part.split() != [part] for part in field.split(".")):
        raise _ShapeError(
            f"element {index} has {short_repr(field)} where the name of a field belongs"
        )
    where = (index, field)
    if not 0 <= OPERATORS.get(operator, -1) <= (version or _NEWEST):
        raise _operator_error(operator, where, version)
    if operator in LIST_OPERATORS and not isinstance(value, list):
        raise _ShapeError(
            f"{_at(where)}: {operator!r} needs a list, not {short_repr(value)}",
            _for_period(field, operator, value) or _EXAMPLE,
        )
    if operator not in DOMAIN_OPERATORS:
        several = isinstance(value, list)
        scalars = [
            item
            if type(item) is str and item.isascii() and "\x00" not in item
            else _checked_scalar(item, where)
            for item in (value if several else [value])
        ]
        return [field, operator, scalars if several else scalars[0]]
    try:
        return [field, operator, _checked(value, version, depth + 1)]
    except _ShapeError as wrong:
        raise _ShapeError(f"{_at(where)}, {operator}: {wrong.problem}", wrong.suggestion) from None


def _at(where: _Where) -> str:
    return f"element {where[0]} ({short_repr(where[1])})"


def _operator_error(operator: str, where: _Where, version: int | None) -> _ShapeError:
    since = OPERATORS.get(operator)
    if since is None:
        return _ShapeError(
            f"{_at(where)} has the unknown operator {short_repr(operator)}",
            f"Known: {', '.join(OPERATORS)}.",
        )
    return _ShapeError(
        f"{_at(where)} uses {operator!r}, which exists from Odoo {since} on, and this is {version}",
        'Use a dotted name, such as ["order_line.product_id", "=", 5].'
        if operator in DOMAIN_OPERATORS
        else 'Put "!" before a condition with the positive operator.',
    )


def check_versions(elements: Sequence[Any], version: int) -> None:
    """Refuse operators that a version of Odoo does not have, in a domain that was checked."""
    for index, item in enumerate(elements):
        if isinstance(item, str) or not isinstance(item[0], str):
            continue
        field, operator, value = item
        if not 0 <= OPERATORS.get(operator, -1) <= version:
            raise _domain_error(_operator_error(operator, (index, field), version), None)
        if operator in DOMAIN_OPERATORS:
            check_versions(value, version)


def _for_period(field: str, operator: str, value: Any) -> str | None:
    """Return how to find the dates of a period; a mere number may be anything."""
    if str(value).isdecimal():
        return None
    return advice(field, operator, value, lambda: datetime.now(UTC).date())


def _checked_scalar(value: Any, where: _Where) -> Any:
    if value is None:
        return False  # the same to Odoo, and every protocol can carry it
    if isinstance(value, datetime):
        return utc_string(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise _ShapeError(f"{_at(where)} has a number of more than 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise _ShapeError(
            f"{_at(where)} has the number {value}, which Odoo does not know",
            "Omit the missing part. To find empty values, compare with null.",
        )
    if isinstance(value, str):
        try:
            check_text(value)
        except ValueError as error:
            raise _ShapeError(f"{_at(where)}: {error}") from None
    elif not isinstance(value, (bool, int, float)):
        raise _ShapeError(
            f"{_at(where)} has the value {short_repr(value)}",
            "A value is a string, a number, a Boolean, or a list of these. For a record, pass "
            "its id.",
        )
    return value


def _check_connectors(domain: list[Any]) -> None:
    operands = 0
    for index in reversed(range(len(domain))):
        item = domain[index]
        if not isinstance(item, str):
            operands += 1
            continue
        needed = CONNECTORS[item]
        if operands < needed:
            raise _ShapeError(
                f"the connector {item!r} (element {index}) stands before its conditions and "
                f"needs {needed}, but has only {operands} after it"
            )
        operands -= needed - 1


def join(connector: str, domains: Sequence[Sequence[Any]]) -> list[Any]:
    """Return several valid domains as one, each kept together; an empty one is all records."""
    parts = [together(part) for part in domains]
    return [connector] * (len(parts) - 1) + list(itertools.chain.from_iterable(parts))


def together(domain: Sequence[Any]) -> list[Any]:
    """Return a valid domain with its implied ``&`` written, so that it counts as one operand."""
    if not domain:
        return [list(_TRUE_LEAF)]
    operands = 0
    for item in reversed(domain):
        operands += 1 - CONNECTORS[item] if isinstance(item, str) else 1
    return ["&"] * (operands - 1) + list(domain)


# ---- What was probably meant ------------------------------------------------------------------


def _corrected(domain: Any, version: int | None) -> list[Any] | None:
    try:
        meant = _meant(domain, 0)
        return None if meant is None else _checked(meant, version, 0)
    except (_ShapeError, RecursionError):
        return None


def _meant(domain: Any, depth: int) -> list[Any] | None:
    """Return the domain that was probably meant, not yet checked; None where there is a doubt."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(domain, str):
        domain = _parsed(domain)
    if isinstance(domain, dict):
        domain = _conditions(domain)
    if not isinstance(domain, (list, tuple)) or len(domain) > _MAX_ELEMENTS:
        return None
    if _is_bare_condition(domain):
        domain = [domain]
    has_words = False
    elements: list[list[Any]] = []  # each a connector, or a domain that counts as one operand
    for item in domain:
        if isinstance(item, str):
            connector = _MEANT_CONNECTORS.get(item.lower(), item)
            if connector not in CONNECTORS:
                return None
            has_words |= connector != item
            elements.append([connector])
            continue
        condition = _meant_condition(item, depth)
        if condition is not None:
            elements.append([condition])
            continue
        inner = _meant(item, depth + 1)
        if not inner:
            return None
        elements.append(together(_checked(inner, None, depth)))
    return _in_prefix(elements, has_words)


def _conditions(meant: dict[Any, Any]) -> list[Any] | None:
    """Return the conditions that an object stands for: fields and the values that they must have.

    A list means one of several, and ``{">": 5}`` is an operator with its value.
    """
    if set(meant) == {"field", "operator", "value"}:
        return [[meant["field"], meant["operator"], meant["value"]]]
    found: list[Any] = []
    for field, value in meant.items():
        if not isinstance(field, str) or field.lower() in _MEANT_CONNECTORS:
            return None
        if isinstance(value, dict) and not is_id(value.get("id")):
            found += [[field, operator, inner] for operator, inner in value.items()]
        else:
            found.append([field, "in" if isinstance(value, (list, tuple)) else "=", value])
    return found or None


def _parsed(text: str) -> Any:
    if len(text) > _MAX_TEXT:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _meant_condition(item: Any, depth: int) -> list[Any] | None:
    if isinstance(item, dict) and set(item) == {"field", "operator", "value"}:
        item = [item["field"], item["operator"], item["value"]]
    if not isinstance(item, (list, tuple)) or len(item) != 3 or not isinstance(item[1], str):
        return None
    field, operator, value = item
    if isinstance(field, str) and field in CONNECTORS:
        return None
    meant = _meant_operator(operator)
    if meant is None:
        return None
    if isinstance(value, dict) and is_id(value.get("id")):  # a many2one as the toolkit reads it
        value = value["id"]
    if meant in LIST_OPERATORS and (value is None or value is False):
        meant, value = ("=" if meant == "in" else "!="), False
    elif meant in LIST_OPERATORS and isinstance(value, (str, int, float)):
        if _for_period(str(field), meant, value):
            return None  # a list of it would be no date either
        listed = _parsed(value) if isinstance(value, str) else None
        value = list(listed) if isinstance(listed, (list, tuple)) else [value]
    elif meant in DOMAIN_OPERATORS:
        value = _meant(value, depth + 1)
    return [field, meant, value]


def _meant_operator(operator: str) -> str | None:
    words = " ".join(operator[:40].lower().split())
    for candidate in (words, words.replace("_", " ")):
        if candidate in OPERATORS:
            return candidate
        if candidate in _MEANT_OPERATORS:
            return _MEANT_OPERATORS[candidate]
    return None


def _in_prefix(elements: list[list[Any]], has_words: bool) -> list[Any] | None:
    """Return the domain, rewritten when one connector stands between all its conditions.

    ``["or", A, B, C]`` may mean any of three, or A or B and also C: that is left alone.
    """
    flat = list(itertools.chain.from_iterable(elements))
    try:
        _check_connectors(flat)
    except _ShapeError:
        connectors = [item[0] for item in elements[1::2]]
        operands = elements[::2]
        one_kind = len(elements) % 2 == 1 and set(map(str, connectors)) in ({"&"}, {"|"})
        if not one_kind or any(len(item) == 1 and isinstance(item[0], str) for item in operands):
            return None
        return connectors + list(itertools.chain.from_iterable(operands))
    return None if has_words and together(flat) != flat else flat


# ---- Periods in words -------------------------------------------------------------------------

_SAID = re.compile(
    r"(?:the )?(?P<which>last|previous|past|this|current|next)[ _](?P<unit>week|month|quarter|year)"
    r"|(?P<day>today|yesterday|tomorrow)|(?P<year>(?:19|20)\d\d)(?:-(?P<month>0[1-9]|1[0-2]))?",
    re.ASCII,
)
_SHIFTS = {"this": 0, "current": 0, "next": 1, "today": 0, "tomorrow": 1}  # others are one before
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
#: Operator -> the operator and bound of the period that it means. Others mean both bounds.
_BOUNDS = {
    ">=": [(">=", 0)],
    "<": [("<", 0)],
    ">": [(">=", 1)],
    "<=": [("<", 1)],
    "!=": [("<", 0), (">=", 1)],
    "not in": [("<", 0), (">=", 1)],
}


def advice(path: str, operator: str, value: Any, today: Callable[[], date]) -> str | None:
    """Return how to find the dates of a period; None if the value names no period.

    >>> from datetime import date
    >>> advice("date", ">=", "last month", lambda: date(2026, 11, 27))
    '\\'last month\\' is a period: pass [["date", ">=", "2026-10-01"]].'

    Args:
        path: of the field.
        operator: of the condition.
        value: as it was given.
        today: gives the present day, if the value names a period.
    """
    said = _SAID.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if said is None:
        return None
    bounds = _bounds(said, today())
    meant = _BOUNDS.get(operator, [(">=", 0), ("<", 1)])
    found: list[Any] = [[path, sign, bounds[place].isoformat()] for sign, place in meant]
    if meant[0] == ("<", 0) and len(found) > 1:
        found.insert(0, "|")
    return f"{value!r} is a period: pass {json.dumps(found)}."


def _bounds(said: re.Match[str], today: date) -> tuple[date, date]:
    """Return the first day of a period, and the day after its last."""
    shift = _SHIFTS.get(said["which"] or said["day"], -1)
    if said["day"] or said["unit"] == "week":
        length = 1 if said["day"] else 7
        first = today + timedelta(shift * length - (today.weekday() if length == 7 else 0))
        return first, first + timedelta(length)
    if said["year"]:
        months, begin = 1 if said["month"] else 12, 12 * int(said["year"])
        begin += int(said["month"] or 1) - 1
    else:
        months = _MONTHS[said["unit"]]
        begin = ((12 * today.year + today.month - 1) // months + shift) * months
    first, after = (date(at // 12, at % 12 + 1, 1) for at in (begin, begin + months))
    return first, after
