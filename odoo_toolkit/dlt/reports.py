"""The report of a table: what a run loaded, and whether the table is complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.display.results import Shown

Status = Literal["complete", "complete, changed meanwhile", "not finished"]


@attrs.frozen(kw_only=True)
class TableReport(Shown):
    """The report of a table after a run.

    Attributes:
        table: Name of the table.
        model: Model of the table, such as ``sale.order``.
        status: ``complete`` if the database had exactly the records of the table at the end.
            ``complete, changed meanwhile`` if records were added or removed during the check. The
            next run loads them. ``not finished`` if a long first run continues with the next run.
        loaded: Number of records that are new in the table, or that were all read again.
        changed: Number of records that were loaded again because they changed.
        deleted: Number of rows that were deleted because their records were deleted.
        left: Number of rows that were deleted because their records no longer match.
        not_accessible: Number of rows whose records the user can no longer read. They stay
            unchanged.
        rows: Number of rows for records that the user can read.
        id_sum: Sum of their ids.
        counted: Number of records that match, as counted by the database.
        counted_id_sum: Sum of the ids of the counted records.
        links: Field -> number of links in its table.
        checked: True if the ids at the destination were compared with those in Odoo.
        warnings: Limits of the result.
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
