"""What a read leaves out: records that the policy closes, fields that Odoo refuses."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import TypeVar

from odoo_toolkit.call import PARAMETERS, Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT
from odoo_toolkit.connection.parallel import gather
from odoo_toolkit.errors import OdooError
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.policy.sending import left_out
from odoo_toolkit.records.results import Record

T = TypeVar("T")

#: Codes of errors that may come of one field: the code behind it fails, or its query.
FAULTS = frozenset({"UNKNOWN_ERROR", "VALIDATION_ERROR", "USER_ERROR", "VALUE_ERROR", "NOT_FOUND"})


def with_left_out(
    odoo: Odoo, call: Call, warnings: list[str], search: Callable[[], T], total: bool = False
) -> tuple[T, int | None]:
    """Search, and find out beside it how many records the policy leaves out; warn of them.

    Args:
        odoo: the connection.
        call: what is searched for; of others than searches nothing is found out.
        warnings: where the sentence is added.
        search: makes the call.
        total: whether all that match are counted; else they are not, where that takes Odoo long.

    Returns:
        What ``search`` returns, and the number; None where it is not told.
    """
    if not is_owned(call.model) or "domain" not in PARAMETERS.get(call.method, ()):
        return search(), 0

    def hidden() -> int | None:
        counted = total or call.model not in FILTERED_AFTER_LIMIT
        domain = call.arguments.get("domain") or ()
        try:
            return left_out(odoo, call.model, domain, call.context, counted)
        except OdooError:
            return None

    found, number = gather(search, hidden)
    if number is None:
        warnings.append(
            f"Some records of {call.model} may be omitted, because they belong to blocked models "
            "or fields. All counts include only visible records."
        )
    elif number:
        warnings.append(
            f"{number} records of {call.model} are omitted, because they belong to blocked models "
            "or fields."
        )
    return found, number


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


def failing_fields(
    fetch: Callable[[Sequence[str]], list[Record]], names: Sequence[str]
) -> list[str]:
    """Return the fields whose reading fails; none where the records cannot be read at all."""
    try:
        fetch(["id"])
    except OdooError:
        return []
    return _refused(fetch, [name for name in names if name != "id"], FAULTS)


def _refused(
    fetch: Callable[[Sequence[str]], list[Record]],
    names: list[str],
    codes: Container[str] = ("ACCESS_DENIED",),
) -> list[str]:
    """Return the fields whose reading ends with such an error, found by halving the list."""
    if not names:
        return []
    try:
        fetch(names)
    except OdooError as error:
        if error.code not in codes:
            raise
        if len(names) == 1:
            return names
        half = len(names) // 2
        return [*_refused(fetch, names[:half], codes), *_refused(fetch, names[half:], codes)]
    return []
