"""Whether two requests ask for the same: short digests of arguments, calls and policies."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.policy import Policy

#: Parameters that do not change what is done.
_WITHOUT = frozenset({"odoo", "dry_run", "progress", "concurrency", "allow_irreversible"})

#: How deep a request is compared part by part, and how many parts are kept.
_DEEPEST, _MOST_PARTS = 6, 1000


def of_arguments(odoo: Odoo, name: str, signature: Signature, given: Mapping[str, Any]) -> str:
    """Return the digest of what an operation is asked to do.

    A default that is written out is the same as one that is left out, so that a parameter more in
    a later version changes nothing.

    Args:
        odoo: the connection; its context counts, such as its company.
        name: of the function.
        signature: of the function.
        given: its arguments by name.

    Raises:
        ValidationError: an argument can be read once only, such as a generator.
    """
    meant = {}
    for parameter, value in given.items():
        default = signature.parameters[parameter].default
        if parameter in _WITHOUT or (default is not Parameter.empty and _same(value, default)):
            continue
        # Of an import: the same name does not mean the same rows.
        of_file = parameter == "rows" and isinstance(value, str)
        meant[parameter] = _plain(Path(value) if of_file else value, parameter)
    context = _plain(odoo.settings.base_context, "context")
    parts = _parts({"operation": name, "context": context, **meant})
    return json.dumps({"": _digest([name, context, meant]), **parts}, separators=(",", ":"))


def differences(first: str | None, now: str) -> list[str] | None:
    """Return what two requests have not in common, such as ``lines[1].quantity``; None if all.

    Args:
        first: the digest of the one, as a change history has it; older ones have no parts.
        now: the digest of the other.
    """
    before, after = _read(first), _read(now)
    if before.pop("", None) == after.pop("", None):
        return None
    changed = [part for part in after if before.get(part, after[part]) != after[part]]
    added = [f"{part} (only now)" for part in after if part not in before] if before else []
    return [*changed, *added, *(f"{part} (only before)" for part in before if part not in after)]


def of_reader(odoo: Odoo) -> str:
    """Return the digest of what decides how results are shown: the policy and the options."""
    rules = {
        field.name: _plain(getattr(odoo.policy, field.name), field.name)
        for field in attrs.fields(Policy)
        if field.init
    }
    return _digest([rules, attrs.asdict(odoo.options)])


def _read(digest: str | None) -> dict[str, str]:
    try:
        found = json.loads(digest or "")
    except ValueError:
        return {"": digest or ""}
    return found if isinstance(found, dict) else {"": digest or ""}


def _parts(asked: Any) -> dict[str, str]:
    """Return by path what a request consists of, as marks; of a long one what is further up."""
    found: dict[str, str] = {}
    for depth in range(_DEEPEST, 0, -1):
        found = dict(_marks(asked, "", depth))
        if len(found) <= _MOST_PARTS:
            break
    return found


def _marks(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth and value and isinstance(value, (dict, list)):
        named = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in named:
            place = f"[{name}]" if isinstance(name, int) else f".{name}"
            yield from _marks(item, f"{path}{place}".removeprefix("."), depth - 1)
    else:
        # Short: it tells two apart, and does not give away what a closed field was to hold.
        yield path, _digest(value)[:4]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _same(value: Any, default: Any) -> bool:
    # 0 is not False, and 1 is not True, although Python says so.
    return type(value) is type(default) and bool(value == default)


def _plain(value: Any, name: str) -> Any:
    """Return a value as JSON has it; the same for what means the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _plain(float(value), name)
    if isinstance(value, (bytes, bytearray)):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, Path):
        return hashlib.sha256(value.read_bytes()).hexdigest() if value.is_file() else str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, name) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, name) for item in value]
    if isinstance(value, (set, frozenset, range)):
        return sorted((_plain(item, name) for item in value), key=repr)
    if attrs.has(type(value)):
        return _plain(attrs.asdict(value, recurse=False), name)
    if callable(value) and hasattr(value, "plan"):
        return f"{value.__module__}.{value.__qualname__}"
    if frame := _frame_text(value):
        return hashlib.sha256(frame().encode()).hexdigest()
    raise ValidationError(
        f"With an idempotency key, {name} cannot be of type {type(value).__name__}, because a "
        "retry cannot be compared with it.",
        suggestion="Pass a list, or the path of a file.",
        outcome="not_sent",
    )


def _frame_text(value: Any) -> Callable[[], str] | None:
    """Return what writes a DataFrame of pandas or polars as text; None for anything else."""
    found = getattr(value, "to_csv", None) or getattr(value, "write_csv", None)
    return found if callable(found) else None
