"""What the server answered, without what is closed."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import Any

#: What JSON and XML-RPC know besides lists and objects.
_FLAT = frozenset({str, int, float, bool, type(None)})
_FLAT_OR_LIST = _FLAT | {list}

#: The name of a model or of a choice.
_WORD = re.compile(r"[a-z_]+(\.[a-z_]+)*")

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
    if not isinstance(value, (list, tuple)):
        return value
    # Mostly it is rows of flat values with no blocked key, or of flat lists.
    kinds, inner = set(map(type, value)), value
    if kinds == {dict}:
        names = {name for keys in set(map(tuple, value)) for name in keys}
        if not any(not isinstance(name, str) or blocked(name) for name in names):
            inner = list(chain.from_iterable(map(dict.values, value)))
            kinds = set(map(type, inner))
    if list in kinds and _FLAT_OR_LIST.issuperset(kinds):
        lists = [item for item in inner if type(item) is list]
        kinds = set(map(type, chain.from_iterable(lists)))
    if _FLAT.issuperset(kinds):
        return value
    items = [without_keys(item, blocked) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return items if isinstance(value, list) else tuple(items)


#: What opens an action, and is not what a record holds.
_OPENING = ("type", "name", "res_model", "res_id", "view_mode", "views", "target", "tag", "id")


def opening(result: Any) -> Any:
    """Return what a button's method returned without what it may tell of records.

    An action keeps what opens it: a domain on ids, and of the context ids, flags and choices. Of
    anything else ids and yes or no are kept.
    """
    if isinstance(result, dict):
        if not str(result.get("type", "")).startswith("ir.actions."):
            return None
        kept = {key: result[key] for key in (*_OPENING, "report_name") if key in result}
        if "domain" in result and _is_on_ids(result["domain"]):
            kept["domain"] = result["domain"]
        context = result.get("context")
        if isinstance(context, dict):
            kept["context"] = {key: item for key, item in context.items() if _opens(item)}
        return kept
    return result if result is None or _opens(result) else None


def _is_on_ids(domain: Any) -> bool:
    return isinstance(domain, (list, tuple)) and all(
        isinstance(leaf, (list, tuple)) and len(leaf) == 3 and leaf[0] == "id" for leaf in domain
    )


def _opens(value: Any) -> bool:
    """Whether it is an id, ids, a flag, or a word such as the name of a model or a choice."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if isinstance(value, (list, tuple)):
        return all(type(item) is int for item in value)
    return isinstance(value, int)
