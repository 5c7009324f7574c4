"""What the server answered, without what is closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    seen: Any = None
    for row in rows:
        if not isinstance(row, dict):
            return False
        if row.keys() != seen:
            seen = row.keys()
            if any(isinstance(key, str) and blocked(key) for key in seen):
                return False
        for value in row.values():
            if isinstance(value, _NESTED):
                if isinstance(value, dict):
                    return False
                for item in value:
                    if isinstance(item, _NESTED):
                        return False
    return True
