"""Tools for the change history. They belong to the core toolset if the server has a history."""

from __future__ import annotations

from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import AtMost, DryRun
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.plans import Plan
from odoo_toolkit.undoing.functions import UndoResult, undo, undo_since
from odoo_toolkit.undoing.overview import HistorySummary, details, overview
from odoo_toolkit_mcp.toolsets.base import Tool

#: Why the tools are missing. A server that writes nothing makes no history.
NO_HISTORY = "the server keeps no change history: ODOO_HISTORY"
NONE_TO_READ = "the server is readonly, and there is no change history yet: ODOO_HISTORY"

_SINCE = Doc("A time in UTC, such as 2026-11-23T14:30:00Z.")


@attrs.frozen(kw_only=True)
class HistoryResult:
    """The operations in the history, newest first."""

    entries: list[HistorySummary]


def _history(
    odoo: Odoo,
    entry: Annotated[int | None, Doc("One entry, with its calls and old values.")] = None,
    since: Annotated[str | None, _SINCE] = None,
    before: Annotated[int | None, Doc("Only entries older than this one.")] = None,
    limit: Annotated[int, Ge(1), AtMost(100), Doc("Maximum number of entries.")] = 10,
) -> HistoryResult:
    """Return the history, or one entry of it."""
    if entry is not None:
        return HistoryResult(entries=[details(odoo, entry=entry)])
    found = overview(odoo, since=since, before=before, limit=limit)
    return HistoryResult(entries=found)


def _undo(
    odoo: Odoo,
    entry: Annotated[int | None, Doc("History entry, or pass since.")] = None,
    since: Annotated[str | None, Doc("All changes since this time in UTC.")] = None,
    partial: Annotated[bool, Doc("Undo what is possible, even if not everything.")] = False,
    dry_run: DryRun = False,
) -> UndoResult | Plan:
    """Undo one entry, or all since a time."""
    if entry is not None and since is None:
        return undo(odoo, entry=entry, partial=partial, dry_run=dry_run)
    if since is not None and entry is None:
        return undo_since(odoo, since=since, partial=partial, dry_run=dry_run)
    raise ValidationError(
        "Give entry or since, and not both.",
        suggestion="The results of changes have the entry in undo; odoo_core_history lists them.",
    )


UNDO = Tool(
    name="odoo_core_undo",
    title="Undo",
    description="Undo the changes of an earlier call, in reverse order. If another user has since"
    " changed the records, it fails without writing. With partial, it undoes the rest."
    " Use dry_run first, and show the plan.",
    function=_undo,
    access="write",
    asks="always",
    consequence="This undoes an earlier change: it writes the old values, deletes or archives"
    " created records, and cancels or resets documents.",
)

TOOLS = (
    Tool(
        name="odoo_core_history",
        title="List changes",
        description="List the changes that this server made as this user, newest first, with time,"
        " records, and what you can undo. Pass entry to see its calls and old values.",
        function=_history,
        access="read",
    ),
    UNDO,
)
