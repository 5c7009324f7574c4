"""What the server answered, without what is closed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

#: What JSON and XML-RPC know besides lists and objects.
_FLAT = frozenset({str, int, float, bool, type(None)})
_FLAT_OR_LIST = _FLAT | {list}

_NESTED = (dict, list, tuple)


def without_keys(value: Any, blocked: Callable[[str], bool]) -> Any:
    """Return a value without the keys that are blocked, at any depth; copied only if need be."""
    if isinstance(value, dict):
        gone = {key for key in value if isinstance(key, str) and blocked(key)}
        clean = {
            key: new
            for key, old in value.items()
            if isinstance(old, _NESTED) and (new := without_keys(old, blocked)) is not old
        }
        if not gone and not clean:
            return value
        return {key: clean.get(key, old) for key, old in value.items() if key not in gone}
    if isinstance(value, (list, tuple)):
        if not any(isinstance(item, _NESTED) for item in value) or _are_clean(value, blocked):
            return value
        items = [without_keys(item, blocked) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return items if isinstance(value, list) else tuple(items)
    return value


def _are_clean(rows: list[Any] | tuple[Any, ...], blocked: Callable[[str], bool]) -> bool:
    """Whether these are rows of flat values with no blocked key; told quickly, as most are."""
    if set(map(type, rows)) != {dict}:
        return False
    names = {name for keys in set(map(tuple, rows)) for name in keys}
    if any(not isinstance(name, str) or blocked(name) for name in names):
        return False
    values = list(chain.from_iterable(map(dict.values, rows)))
    lists = [value for value in values if type(value) is list]
    if lists and not _FLAT.issuperset(map(type, chain.from_iterable(lists))):
        return False
    return _FLAT_OR_LIST.issuperset(map(type, values))
