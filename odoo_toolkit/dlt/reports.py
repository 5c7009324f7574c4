"""What a run has done with a table, and whether the table is complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.display import Shown

Status = Literal["complete", "complete, changed meanwhile", "not finished"]


@attrs.frozen(kw_only=True)
class TableReport(Shown):
    """What a run has done with a table, and whether the table is complete.

    Attributes:
        table: its name.
        model: such as ``sale.order``.
        status: ``complete``: at the end, the database had exactly the records that the table has
            rows for. ``complete, changed meanwhile``: records came or went while that was checked;
            the next run has them. ``not finished``: a long first run goes on with the next one.
        loaded: records that are new in the table, or that were all read again.
        changed: records that were loaded again because they had changed.
        deleted: rows that were deleted because their records are.
        left: rows that were deleted because their records no longer match.
        not_accessible: rows whose records the user can no longer read, and that stay as they were.
        rows: how many rows the table has for records that the user can read.
        id_sum: the sum of their ids.
        counted: how many records match, as the database counts them.
        counted_id_sum: the sum of the ids of those.
        links: field -> how many links its table has.
        checked: whether the ids at the destination were compared with those in Odoo, too.
        warnings: what else is to be known.
    """

    table: str
    model: str
    status: Status
    loaded: int = 0
    changed: int = 0
    deleted: int = 0
    left: int = 0
    not_accessible: int = 0
    rows: int = 0
    id_sum: int = 0
    counted: int | None = None
    counted_id_sum: int | None = None
    links: dict[str, int] = attrs.Factory(dict)
    checked: bool = False
    warnings: list[str] = attrs.Factory(list)

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        kinds = ("loaded", "changed", "deleted", "left", "not_accessible")
        counted = [f"{getattr(self, kind)} {kind}" for kind in kinds if getattr(self, kind)]
        done = ", ".join(counted) or "nothing has changed"
        return f"{facts.pop('table')}: {done}; {facts.pop('status')}", facts


def report_of(told: Mapping[str, Any]) -> TableReport:
    """Return the report that ``attrs.asdict`` made a dictionary of."""
    return TableReport(**told)
