"""Whether a table at the destination is as the last run left it, and what follows where it is not.

A run that dies while the destination loads may leave rows there of which nothing is kept: the next
one must neither trust what it remembers of them nor forget them. Every row has the moment when it
was handed out, and these only rise, so that such rows can be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.dlt.sync_state import Kept
from odoo_toolkit.dlt.tables import SYNCED_AT, Table

if TYPE_CHECKING:
    from dlt import Pipeline

#: Rows that are fetched from the destination at a time.
_ROWS = 50_000
#: Microseconds by which a destination may round a moment.
_ROUNDED = 10_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.frozen
class Standing:
    """What a run begins with.

    Attributes:
        kept: as far as it is true of the destination.
        doubtful: ids that may have rows or links there and are not known to have any.
        as_left: whether the table is as the last run left it.
    """

    kept: Kept
    doubtful: frozenset[int] = frozenset()
    as_left: bool = True


def standing(pipeline: Pipeline, table: Table, kept: Kept) -> Standing:
    """Compare a table with what is kept of it, by the number of rows, their ids and their moments.

    Args:
        pipeline: which loads it.
        table: the table.
        kept: of the last run.
    """
    tables = [table.name, *map(table.links_table, table.links)]
    rows = row_sums(pipeline, table.name)
    late = max((_last_moment(pipeline, name) for name in tables), default=0)
    if (
        rows == (len(kept.rows), sum(kept.rows))
        and late <= kept.moment + _ROUNDED
        and not _has_lost_links(pipeline, table, kept)
    ):
        return Standing(kept)
    there = frozenset(key for (key,) in fetched(pipeline, table.name, "id"))
    linked = {key for name in tables[1:] for (key,) in fetched(pipeline, name, "id", distinct=True)}
    cursor, reading, not_accessible = kept.cursor, kept.reading, kept.not_accessible & there
    if cursor:
        # A reading that had begun is begun anew: which rows are of it, nobody knows.
        cursor, reading = attrs.evolve(cursor, seen={}, known=there - not_accessible), None
    elif reading:
        reading = attrs.evolve(reading, seen={}, known=there)
    unsure = frozenset(kept.rows | linked | (there if not (cursor or reading) else set()))
    true = attrs.evolve(
        kept,
        cursor=cursor,
        reading=reading,
        not_accessible=not_accessible,
        links={},
        moment=max(late, kept.moment),
    )
    return Standing(true, unsure - true.rows, as_left=False)


def _has_lost_links(pipeline: Pipeline, table: Table, kept: Kept) -> bool:
    """Whether a table of links has fewer rows than the last run counted.

    It may have more: those of records that the user can no longer read stay.
    """
    counted = kept.report.get("links", {})
    return any(
        _row_count(pipeline, table.links_table(field)) < counted.get(field, 0)
        for field in table.links
    )


def _row_count(pipeline: Pipeline, table: str) -> int:
    """Return the number of rows of a table."""
    ((number,),) = _asked(pipeline, table, "COUNT(*)") or [(0,)]
    return int(number)


def row_sums(pipeline: Pipeline, table: str) -> tuple[int, int]:
    """Return the number of rows of a table, and the sum of their ids."""
    ((number, id_sum),) = _asked(pipeline, table, "COUNT(*), SUM({0})", "id") or [(0, 0)]
    return int(number), int(id_sum or 0)


def fetched(
    pipeline: Pipeline, table: str, *columns: str, distinct: bool = False
) -> Iterator[tuple[Any, ...]]:
    """Yield columns of all rows; none where there is no such table."""
    wanted = ", ".join(f"{{{at}}}" for at in range(len(columns)))
    yield from _asked(pipeline, table, f"DISTINCT {wanted}" if distinct else wanted, *columns)


def _last_moment(pipeline: Pipeline, table: str) -> int:
    """Return when the last of the rows was handed out, in microseconds."""
    ((moment,),) = _asked(pipeline, table, "MAX({0})", SYNCED_AT) or [(None,)]
    if not isinstance(moment, datetime):
        return 0
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (zoned - _EPOCH) // timedelta(microseconds=1)


def _asked(pipeline: Pipeline, table: str, wanted: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return what a table has; nothing where it, or its dataset, is not there yet."""
    import dlt
    from dlt.common.destination.exceptions import DestinationUndefinedEntity

    # Before its first load, a pipeline has no schema but that of the source.
    named = pipeline.default_schema_name
    naming = (pipeline.default_schema if named else dlt.current.source_schema()).naming
    rows: list[tuple[Any, ...]] = []
    try:
        with pipeline.sql_client() as client:
            names = [client.escape_column_name(naming.normalize_identifier(c)) for c in columns]
            whole = client.make_qualified_table_name(naming.normalize_tables_path(table))
            query = f"SELECT {wanted.format(*names)} FROM {whole}"  # noqa: S608
            with client.execute_query(query) as cursor:
                while some := cursor.fetchmany(_ROWS):
                    rows += some
    except DestinationUndefinedEntity:
        return []
    return rows


def dropped(package: Mapping[str, Any]) -> set[str]:
    """Return the tables that dlt drops before it loads a package."""
    return {table["name"] for table in package["state"].get("dropped_tables", ())}
