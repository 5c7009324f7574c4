"""Sees that results hold what their classes say: clients hold answers against the tools' schemas.

A client that gets text where the schema says a number shows its user nothing of the answer. Types
are checked where a test makes a result, which is where Odoo's values come in.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Any

import attrs

from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable

_NUMBERS: dict[Any, tuple[type, ...]] = {float: (int, float), int: (int,)}


#: Whether a value is what a type hint says.
Fits = Callable[[Any], bool]


def _anything(value: Any) -> bool:
    return True


def watch() -> None:
    """Have every result of a tool raise TypeError if an attribute is not what it says."""
    table = ToolTable(ServerSettings(mode="full"))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    seen: set[Any] = set()
    for tool in table.tools.values():
        for cls in _classes(typing.get_type_hints(tool.function)["return"], seen):
            _watch(cls)


def _classes(hint: Any, seen: set[Any]) -> Iterator[Any]:
    """Yield the attrs classes in a type hint, and those in theirs."""
    if isinstance(hint, type) and attrs.has(hint):
        if hint in seen:
            return
        seen.add(hint)
        yield hint
        for inner in typing.get_type_hints(hint).values():
            yield from _classes(inner, seen)
    for argument in typing.get_args(hint):
        yield from _classes(argument, seen)


def _watch(cls: Any) -> None:
    hints, make = typing.get_type_hints(cls), cls.__init__
    attributes = [
        (field.name, fitting(hints[field.name]), field.type) for field in attrs.fields(cls)
    ]

    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        for name, fits, hint in attributes:
            if not fits(value := getattr(self, name)):
                raise TypeError(f"{cls.__name__}.{name} is {value!r}, not {hint}.")

    if make.__qualname__ != checked.__qualname__ and "__init__" in vars(cls):
        cls.__init__ = checked


def fitting(hint: Any) -> Fits:
    """Return what tells whether a value is what a type hint says.

    It is made once for each attribute: fields are described by the thousand.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return _anything
    if origin is typing.Annotated:
        return fitting(arguments[0])
    if origin is typing.Literal:
        return lambda value: value in arguments
    if origin in (typing.Union, UnionType):
        any_of = [fitting(one) for one in arguments]
        return lambda value: any(fits(value) for fits in any_of)
    if hint in _NUMBERS:
        numbers = _NUMBERS[hint]
        return lambda value: isinstance(value, numbers) and not isinstance(value, bool)
    if hint in (None, type(None)):
        return lambda value: value is None
    if origin is None:
        return (lambda value: isinstance(value, hint)) if isinstance(hint, type) else _anything
    parts = _parts(origin, arguments)
    return lambda value: isinstance(value, origin) and parts(value)


def _parts(origin: Any, arguments: tuple[Any, ...]) -> Fits:
    if not issubclass(origin, Iterable):
        return _anything
    each = [fitting(one) for one in arguments if one is not Ellipsis]
    if issubclass(origin, Mapping):
        key, item = each
        return lambda value: all(key(name) and item(one) for name, one in value.items())
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return lambda value: (
            len(value) == len(each)
            and all(fits(one) for fits, one in zip(each, value, strict=True))
        )
    return lambda value: isinstance(value, (str, bytes)) or all(map(each[0], value))
