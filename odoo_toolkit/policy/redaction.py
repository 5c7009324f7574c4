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
        if not any(isinstance(item, _NESTED) for item in value):
            return value
        items = [without_keys(item, blocked) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return items if isinstance(value, list) else tuple(items)
    return value
