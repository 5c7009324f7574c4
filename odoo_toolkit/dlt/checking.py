"""Compares what is at the destination with what was handed out, and with what Odoo has now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.destination_check import fetched, row_sums
from odoo_toolkit.dlt.links import digests_of, ids_of_block
from odoo_toolkit.dlt.sync_state import Kept
from odoo_toolkit.dlt.tables import Table
from odoo_toolkit.errors import StateError
from odoo_toolkit.records.iterate import iterate

if TYPE_CHECKING:
    from dlt import Pipeline


_ANEW = (
    "Check whether something else writes to the table. To drop and reload it, pass refresh=True."
)


def check_destination(odoo: Odoo, pipeline: Pipeline, table: Table, kept: Kept) -> list[str]:
    """Compare ids, moments of change and links at the destination with those in Odoo.

    Returns:
        What is different because of what others did since the run began.

    Raises:
        StateError: the destination does not have exactly what was handed out, or has a record as
            it was before the run began.
    """
    there = {
        key: _text(moment) for key, moment in fetched(pipeline, table.name, "id", "write_date")
    }
    _same(table.name, kept.rows, there.keys())
    for field in table.links:
        name = table.links_table(field)
        pairs = fetched(pipeline, name, "id", "other_id")
        found = digests_of((one, other) for one, other in pairs if one not in kept.not_accessible)
        _same_links(name, kept.links.get(field, {}), found)
    return _compared(odoo, table, kept, there)


def check_sums(pipeline: Pipeline, name: str, kept: Kept) -> None:
    """Compare the number of rows at the destination, and the sum of their ids, with those kept.

    Raises:
        StateError: they differ.
    """
    wanted, found = (len(kept.rows), sum(kept.rows)), row_sums(pipeline, name)
    if found != wanted:
        raise StateError(
            f"The table {name} contains {found[0]} rows with an id sum of {found[1]}, instead of "
            f"{wanted[0]} rows with {wanted[1]}. It is not complete.",
            suggestion=_ANEW,
            details={"table": name},
        )


def _compared(odoo: Odoo, table: Table, kept: Kept, there: Mapping[int, str]) -> list[str]:
    records = iterate(odoo, table.model, table.domain, ["write_date"], context=table.context)
    now = {row["id"]: _text(row["write_date"]) for row in records}
    start = _text(kept.cursor.start) if kept.cursor else ""
    stale = [key for key, moment in now.items() if key in there and there[key] != moment]
    old = [key for key in stale if now[key] < start]
    new = now.keys() - there.keys()
    if old:
        raise _different(table.name, f"{len(old)} rows are older than their records", old)
    gone = there.keys() - now.keys() - kept.not_accessible
    since = {"changed": stale, "came": new, "went": gone}
    return [
        f"{len(ids)} records of {table.model} {kind} during this check."
        for kind, ids in since.items()
        if ids
    ]


def _same(name: str, wanted: Iterable[Any], found: Iterable[Any]) -> None:
    wanted, found = set(wanted), set(found)
    if missing := wanted - found:
        raise _different(name, f"{len(missing)} rows are missing", missing)
    if more := found - wanted:
        raise _different(name, f"{len(more)} rows are too many", more)


def _same_links(name: str, wanted: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Compare links by the digests of their blocks, which tell where they differ and not how."""
    blocks = {block for block, _ in wanted.items() ^ found.items()}
    if blocks:
        some = [ids_of_block(block) for block in sorted(blocks, key=int)[:5]]
        told = ", ".join(f"{ids[0]} to {ids[-1]}" for ids in some)
        more = f" and {len(blocks) - len(some)} more ranges" if len(blocks) > len(some) else ""
        raise StateError(
            f"The links in the table {name} do not match the loaded records, for records with ids "
            f"from {told}{more}.",
            suggestion=_ANEW,
            details={"table": name},
        )


def _different(name: str, what: str, which: Iterable[Any]) -> StateError:
    some = ", ".join(str(one) for one in sorted(which)[:5])
    return StateError(
        f"The table {name} does not match the loaded records: {what}, such as {some}.",
        suggestion=_ANEW,
        details={"table": name},
    )


def _text(moment: Any) -> str:
    """Return a moment in UTC to the second, as Odoo writes it."""
    if isinstance(moment, datetime):
        zoned = moment.astimezone(UTC) if moment.tzinfo else moment
        return zoned.strftime("%Y-%m-%d %H:%M:%S")
    return str(moment or "").replace("T", " ").rstrip("Z")[:19]
