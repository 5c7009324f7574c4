"""Results as text and back: the first answer again, for whoever repeats with the same key.

Values that JSON has no form for are marked, and so are the classes of the library, which are the
only ones that are made again. Nothing else in the file of a change history is ever run.
"""

from __future__ import annotations

import base64
import datetime
import importlib
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import attrs

from odoo_toolkit.policy.contents import holds_file

#: The name under which a marked value says what it is.
_MARK = "!"

#: Characters of a result that are kept.
MOST_TEXT = 500_000

_PACKAGE = "odoo_toolkit."

#: type -> (to JSON, back).
_FORMS: Mapping[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: (datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: (datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: (datetime.time.isoformat, datetime.time.fromisoformat),
    Decimal: (str, Decimal),
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    tuple: (lambda value: [_plain(item) for item in value], lambda v: tuple(map(_made, v))),
    set: (lambda value: [_plain(item) for item in value], lambda v: set(map(_made, v))),
    frozenset: (lambda value: [_plain(item) for item in value], lambda v: frozenset(map(_made, v))),
}
_BY_NAME = {kind.__name__: back for kind, (_, back) in _FORMS.items()}


def as_text(result: Any, unkept: Callable[[str], bool] = lambda name: False) -> str | None:
    """Return a result as text.

    None where it is too long, of a kind that has no form, or holds the content of a file.

    Args:
        result: of an operation.
        unkept: whether the values of a field of this name are not kept.
    """
    try:
        plain = _plain(result)
        if _holds(plain, unkept):
            return None
        text = json.dumps(plain, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= MOST_TEXT else None


def from_text(text: str) -> Any:
    """Return the result that a text was made of.

    Raises:
        ValueError: it is of another version of the library, or was changed.
    """
    try:
        return _made(json.loads(text))
    except (AttributeError, ImportError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _holds(plain: Any, unkept: Callable[[str], bool]) -> bool:
    """Whether a result has a value under a name whose values are not kept."""
    if isinstance(plain, dict):
        return any(
            (unkept(name) and item not in (False, None, "")) or _holds(item, unkept)
            for name, item in plain.items()
        )
    if isinstance(plain, list):
        return any(_holds(item, unkept) for item in plain)
    return holds_file(plain)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    kind = type(value)
    if kind in _FORMS:
        return {_MARK: kind.__name__, "value": _FORMS[kind][0](value)}
    if kind is list:
        return [_plain(item) for item in value]
    if attrs.has(kind) and kind.__module__.startswith(_PACKAGE):
        values = {
            field.alias: _plain(getattr(value, field.name))
            for field in attrs.fields(kind)
            if field.init
        }
        return {_MARK: f"{kind.__module__}:{kind.__qualname__}", "value": values}
    if isinstance(value, Mapping):
        if all(type(name) is str and name != _MARK for name in value):
            return {name: _plain(item) for name, item in value.items()}
        return {_MARK: "dict", "value": [[_plain(k), _plain(v)] for k, v in value.items()]}
    raise TypeError(f"{kind.__name__} cannot be stored.")


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _MARK not in value:
        return {name: _made(item) for name, item in value.items()}
    kind, inner = value[_MARK], value["value"]
    if kind == "dict":
        return {_made(name): _made(item) for name, item in inner}
    if kind in _BY_NAME:
        return _BY_NAME[kind](inner)
    module, _, name = kind.partition(":")
    if not module.startswith(_PACKAGE):
        raise ValueError(f"{kind} is not a class of the library.")
    made = getattr(importlib.import_module(module), name)
    if not attrs.has(made):
        raise ValueError(f"{kind} is not a result.")
    return made(**{name: _made(item) for name, item in inner.items()})
