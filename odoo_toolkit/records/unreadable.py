"""Reading what may be read where Odoo refuses a read because of single fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from odoo_toolkit.errors import OdooError
from odoo_toolkit.records.results import Record


def without_unreadable(
    fetch: Callable[[Sequence[str]], list[Record]], names: Sequence[str]
) -> tuple[list[Record], list[str]]:
    """Read fields; where single ones are refused, read the rest and name those."""
    try:
        return fetch(names), []
    except OdooError as error:
        if error.code != "ACCESS_DENIED" or len(names) < 2:
            raise
        try:
            fetch(["id"])
        except OdooError:
            # It is not the fields: the records themselves are refused.
            raise error from None
        named = [name for name in error.details.get("fields", ()) if name in names]
    skipped = named or _refused(fetch, [name for name in names if name != "id"])
    left = [name for name in names if name not in skipped]
    rows, more = without_unreadable(fetch, left) if named else (fetch(left), [])
    return rows, skipped + more


def _refused(fetch: Callable[[Sequence[str]], list[Record]], names: list[str]) -> list[str]:
    """Return the fields whose reading is refused, found by halving the list."""
    try:
        fetch(names)
    except OdooError as error:
        if error.code != "ACCESS_DENIED":
            raise
        if len(names) == 1:
            return names
        half = len(names) // 2
        return _refused(fetch, names[:half]) + _refused(fetch, names[half:])
    return []
