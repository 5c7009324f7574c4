"""Sees that results hold what their classes say: clients hold answers against the tools' schemas.

A client that gets text where the schema says a number shows its user nothing of the answer. Types
are checked where a test makes a result, which is where Odoo's values come in.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Any

import attrs

from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable

_NUMBERS: dict[Any, tuple[type, ...]] = {float: (int, float), int: (int,)}


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

    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        for field in attrs.fields(cls):
            value = getattr(self, field.name)
            if not fits(value, hints[field.name]):
                raise TypeError(f"{cls.__name__}.{field.name} is {value!r}, not {field.type}.")

    if make.__qualname__ != checked.__qualname__ and "__init__" in vars(cls):
        cls.__init__ = checked


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what a type hint says."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return True
    if origin is typing.Annotated:
        return fits(value, arguments[0])
    if origin is typing.Literal:
        return value in arguments
    if origin in (typing.Union, UnionType):
        return any(fits(value, one) for one in arguments)
    if hint in (None, type(None)):
        return value is None
    if hint in _NUMBERS:
        return isinstance(value, _NUMBERS[hint]) and not isinstance(value, bool)
    if origin is None:
        return not isinstance(hint, type) or isinstance(value, hint)
    return isinstance(value, origin) and _parts_fit(value, origin, arguments)


def _parts_fit(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if issubclass(origin, Mapping):
        return all(fits(key, arguments[0]) and fits(v, arguments[1]) for key, v in value.items())
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if issubclass(origin, Iterable) and not isinstance(value, (str, bytes)):
        return all(fits(one, arguments[0]) for one in value)
    return True
