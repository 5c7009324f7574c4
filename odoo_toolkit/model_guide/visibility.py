"""In which states a button can be seen, as far as the form's conditions tell."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from odoo_toolkit.wizards.form_view import Button, Condition

#: What cannot be told without the record.
_UNKNOWN: Any = object()

#: A record that exists has an id; which one does not matter to any condition.
_SAVED_RECORD = {"id": 1}

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda value, values: value in values,
    ast.NotIn: lambda value, values: value not in values,
}

#: How domains write them; what they have besides is no comparison that can be judged.
_OPERATORS = {"=": "==", "<>": "!=", "==": "==", "!=": "!=", "in": "in", "not in": "not in"}


def visible_states(button: Button, field: str, states: Iterable[Any]) -> list[Any]:
    """Return the states in which a button may be seen.

    What else a condition depends on is not known here, so a state is only left out where the
    button is hidden whatever the other fields hold.

    Args:
        button: of the form.
        field: the state field.
        states: its values.
    """
    return [
        state
        for state in states
        if not any(
            holds(condition, {**_SAVED_RECORD, field: state}) is True
            for condition in button.hidden_when
        )
    ]


def holds(condition: Condition, known: Mapping[str, Any]) -> bool | None:
    """Whether a condition holds for a record of which some fields are known; None: depends.

    Args:
        condition: a domain, or a Python expression; what is not understood depends.
        known: values of fields.
    """
    tree = _parsed(condition)
    value = _UNKNOWN if tree is None else _value(tree, known)
    return None if value is _UNKNOWN else bool(value)


def fields_in(conditions: Iterable[Condition]) -> list[str]:
    """Return the fields that conditions look at, in order, ``id`` and the context left out."""
    trees = [tree for condition in conditions if (tree := _parsed(condition))]
    names = [node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)]
    aside = {"id", "context", "parent", "uid", "True", "False", "None", "true", "false"}
    return [name for name in dict.fromkeys(names) if name not in aside]


def _parsed(condition: Condition) -> ast.expr | None:
    try:
        expression = condition if isinstance(condition, str) else _expression(condition)
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, TypeError):
        return None


def _expression(domain: Sequence[Any]) -> str:
    """Return a domain, read from its end, as a Python expression."""
    stack: list[str] = []
    for item in reversed(domain):
        if item == "!":
            stack.append(f"(not {stack.pop()})")
        elif item in ("|", "&"):
            stack.append(f"({stack.pop()} {'or' if item == '|' else 'and'} {stack.pop()})")
        elif isinstance(item, bool):
            stack.append(str(item))
        else:
            field, comparison, value = item
            stack.append(f"({field} {_OPERATORS.get(comparison, '@')} {value!r})")
    return " and ".join(stack) or "True"


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return what an expression comes to; nothing is called, attributes are not looked up."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id, _UNKNOWN)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        items = [_value(item, known) for item in node.elts]
        return _UNKNOWN if any(item is _UNKNOWN for item in items) else items
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value = _value(node.operand, known)
        return value if value is _UNKNOWN else not value
    if isinstance(node, ast.BoolOp):
        decisive = isinstance(node.op, ast.Or)
        return _joined([_value(item, known) for item in node.values], decisive)
    if isinstance(node, ast.Compare):
        return _compared(node, known)
    return _UNKNOWN


def _joined(values: Sequence[Any], decisive: bool) -> Any:
    """Join values by ``or`` (where True decides) or ``and`` (where False does)."""
    if any(value is not _UNKNOWN and bool(value) is decisive for value in values):
        return decisive
    return _UNKNOWN if any(value is _UNKNOWN for value in values) else not decisive


def _compared(node: ast.Compare, known: Mapping[str, Any]) -> Any:
    values = [_value(item, known) for item in (node.left, *node.comparators)]
    results = []
    for kind, left, right in zip(node.ops, values, values[1:], strict=False):
        try:
            unknown = left is _UNKNOWN or right is _UNKNOWN
            results.append(_UNKNOWN if unknown else _COMPARISONS[type(kind)](left, right))
        except TypeError:
            results.append(_UNKNOWN)
    return _joined(results, decisive=False)
