"""Follows a model: reads all records once, then what has changed, and proves that this is all.

A run ends with a proof: the database counts the records that match and sums their ids, and both
must be those of the rows that were handed out in this run and the ones before it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.deletions import what_became_of
from odoo_toolkit.dlt.destination_check import Standing
from odoo_toolkit.dlt.links import Compared, Links, changed_links
from odoo_toolkit.dlt.reports import Status, TableReport
from odoo_toolkit.dlt.sync_state import Kept, check
from odoo_toolkit.dlt.tables import Table, check_readable, matching, name_the_failing, shown
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.policy.tables import FILE_MODELS
from odoo_toolkit.progress import checkpoint, report
from odoo_toolkit.records.aggregate import aggregate
from odoo_toolkit.records.changes import OVERLAP, ChangesResult, changes, server_time
from odoo_toolkit.records.cursors import Cursor, digest, pack, unpack
from odoo_toolkit.records.iterate import BATCH, iterate
from odoo_toolkit.records.omissions import FAULTS
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import count
from odoo_toolkit.values import iso_utc

#: How often changes are asked for until the database counts what was handed out.
_ROUNDS = 3
#: Changed records that are held in memory; where there are more, all are read page by page.
MOST_CHANGED = 100_000


@attrs.frozen
class Rows:
    """Records that are new or have changed."""

    records: Sequence[Record]


@attrs.frozen
class Ended:
    """Ids of rows that are to be deleted."""

    ids: Sequence[int]


class Following:
    """One run over a table.

    Args:
        odoo: the connection.
        table: what is read.
        begun: what is kept of the last run.
        full_reload: whether all records are read again.
        frozen: whether new fields are refused.
        batch_size: most records that are read before a long run ends for the next one to go on; all
            where there is none.

    Attributes:
        kept: for the next run; None until this one has come to its end.
        report: what was done; None until then.
    """

    def __init__(
        self,
        odoo: Odoo,
        table: Table,
        begun: Standing,
        *,
        full_reload: bool = False,
        frozen: bool = False,
        batch_size: int | None = None,
    ) -> None:
        self.kept: Kept | None = None
        self.report: TableReport | None = None
        self._odoo, self._table, self._before = odoo, table, begun.kept
        self._doubtful = begun.doubtful
        self._full_reload, self._frozen = full_reload, frozen
        # Odoo finds files differently where the domain names ids.
        self._batch_size = None if table.model in FILE_MODELS else batch_size
        self._told: dict[str, Any] = dict.fromkeys(("loaded", "changed", "deleted", "left"), 0)
        self._warnings = list(table.warnings)
        if not begun.as_left:
            self._warnings.append(
                "The table differed from the state after the last run, for example because that "
                "run was interrupted. The toolkit compared all ids."
            )
        self._not_accessible = set(begun.kept.not_accessible)

    def parts(self) -> Iterator[Rows | Ended | Links]:
        """Yield what is to be loaded, in this order: later rows replace earlier ones.

        Raises:
            ValidationError: the model is no longer as it was, see :func:`kept.check`.
            StateError: the clock of Odoo went back; or the database counts records that it does
                not return.
            AccessError: the user cannot read the model, or one of the fields.
        """
        before, table = self._before, self._table
        new = check(self._odoo, table, before, frozen=self._frozen)
        if before.types != table.types:
            # So that there are tables, with all their columns, where there are no rows yet.
            yield Rows(())
            yield from (Links(field, (), ()) for field in table.links)
        cursor, reading = before.cursor, before.reading
        if reading or cursor is None or self._full_reload or new or self._is_much(cursor):
            if new:
                self._warnings.append(f"New: {shown(new)}. The toolkit read all records again.")
                reading = None
            read, ended = yield from self._all(reading)
            if not ended:
                self._end(cursor, read, "not finished", None, before.links, {})
                return
            cursor = attrs.evolve(read, known=_known(read) | _known(cursor))
        cursor, status, counted = yield from self._since(cursor)
        if rest := sorted(self._doubtful - _known(cursor) - self._not_accessible):
            yield Ended(rest)
        links = Compared()
        yield from changed_links(self._odoo, table, _known(cursor), before.links, links)
        self._end(cursor, None, status, counted, links.blocks, links.counts)

    # The first time, and whenever all is read again -------------------------------------------

    def _all(self, reading: Cursor | None) -> Generator[Rows, None, tuple[Cursor, bool]]:
        """Yield all records; return a cursor that knows them, and whether it was all of them."""
        odoo, table = self._odoo, self._table
        start = reading.start if reading else server_time(odoo, -OVERLAP)
        known, seen = set(_known(reading)), dict(reading.seen) if reading else {}
        after = [["id", ">", max(known)]] if known else []
        records = iterate(
            odoo,
            table.model,
            [*after, *table.domain],
            table.fields,
            "id",
            BATCH,
            table.context,
            lambda done, total: report(done, total, table.name),
        )
        read, ended = 0, True
        with records:
            for page in records.pages():
                check_readable(table, records.skipped_fields)
                known.update(row["id"] for row in page)
                # As they were handed out: what is changed later differs from it.
                seen |= {row["id"]: digest(row) for row in page if _is_late(row, start)}
                read += len(page)
                yield Rows(page)
                if self._batch_size and read >= self._batch_size:
                    ended = False
                    break
        self._told["loaded"] += read
        self._warnings += records.warnings
        cursor = Cursor(
            model=table.model,
            database=odoo.database,
            uid=odoo.uid,
            start=start,
            seen=seen,
            known=frozenset(known),
        )
        return cursor, ended

    def _is_much(self, cursor: Cursor) -> bool:
        """Whether so many records have changed that all are better read again."""
        changed = [["write_date", ">=", cursor.start], *self._table.domain]
        context = self._table.context
        return count(self._odoo, self._table.model, changed, context).count > MOST_CHANGED

    # From then on -------------------------------------------------------------------------------

    def _since(
        self, cursor: Cursor
    ) -> Generator[Rows | Ended, None, tuple[Cursor, Status, tuple[int, int]]]:
        """Yield what has changed, until the database has exactly what was handed out."""
        missed: frozenset[int] = frozenset()
        counted = None
        for _ in range(_ROUNDS):
            checkpoint()
            found = self._changes(cursor)
            check_readable(self._table, found.skipped_fields)
            for start in range(0, len(found.records), BATCH):
                yield Rows(found.records[start : start + BATCH])
            self._told["loaded"] += len(found.created) + len(found.entered)
            self._told["changed"] += len(found.written)
            cursor = unpack(found.cursor)
            known = _known(cursor)
            if ended := self._ended(found, known):
                yield Ended(ended)
            counted = self._counted()
            if counted == _sums(known):
                return cursor, "complete", counted
            found_now = matching(self._odoo, self._table)
            counted = _sums(found_now)
            if found_now == known:
                return cursor, "complete", counted
            if lost := (found_now - known) & missed:
                raise self._incomplete(sorted(lost))
            missed |= found_now - known
        return cursor, "complete, changed meanwhile", counted or (0, 0)

    def _changes(self, cursor: Cursor) -> ChangesResult:
        table = self._table
        # Changed records are read as all were, by a search: which reads without active_test.
        context = {name: value for name, value in table.context.items() if name != "active_test"}
        # Another user may go on: what is hidden from this one is not taken for deleted.
        since = pack(attrs.evolve(cursor, uid=self._odoo.uid))
        try:
            return changes(self._odoo, table.model, since, table.domain, table.fields, context)
        except OdooError as error:
            if error.code in FAULTS:
                # Where no field is named, this error holds.
                changed = [["write_date", ">=", cursor.start], *table.domain]
                name_the_failing(self._odoo, table, changed, table.fields)
            raise

    def _ended(self, found: ChangesResult, known: frozenset[int]) -> list[int]:
        """Return the ids of the rows that are to be deleted."""
        self._not_accessible -= known
        gone = what_became_of(self._odoo, self._table, self._not_accessible | set(found.deleted))
        self._not_accessible = set(gone.not_accessible)
        self._told["deleted"] += len(gone.deleted)
        self._told["left"] += len(gone.left) + len(found.left)
        return sorted({*gone.deleted, *gone.left, *found.left})

    # The proof -----------------------------------------------------------------------------------

    def _counted(self) -> tuple[int, int] | None:
        """Return the number of records that match and the sum of their ids, by the database."""
        table = self._table
        try:
            (row,) = aggregate(
                self._odoo, table.model, table.domain, [], ["id:sum"], context=table.context
            ).records
        except (OdooError, ValueError):
            return None
        return row["count"], int(row["id:sum"] or 0)

    def _incomplete(self, ids: list[int]) -> StateError:
        model = self._table.model
        return StateError(
            f"The database counts {len(ids)} records of {model} that it does not return, such as "
            f"{', '.join(map(str, ids[:5]))}. The table would not be complete.",
            suggestion="Run the sync again. If it happens again, check these records in Odoo.",
            details={"model": model, "ids": ids[:1000]},
        )

    def _end(
        self,
        cursor: Cursor | None,
        reading: Cursor | None,
        status: Status,
        counted: tuple[int, int] | None,
        blocks: Mapping[str, Mapping[str, str]],
        links: dict[str, int],
    ) -> None:
        table = self._table
        rows, id_sum = _sums(_known(reading or cursor))
        self.report = TableReport(
            table=table.name,
            model=table.model,
            status=status,
            **self._told,
            not_accessible=len(self._not_accessible),
            rows=rows,
            id_sum=id_sum,
            counted=counted and counted[0],
            counted_id_sum=counted and counted[1],
            links=links,
            warnings=self._warnings,
        )
        self.kept = Kept(
            cursor=cursor,
            reading=reading,
            not_accessible=frozenset(self._not_accessible),
            types=table.types,
            context=table.context,
            language=table.language,
            company=table.company,
            links=blocks,
            report=attrs.asdict(self.report),
        )


def _known(cursor: Cursor | None) -> frozenset[int]:
    return (cursor.known if cursor else None) or frozenset()


def _sums(ids: frozenset[int]) -> tuple[int, int]:
    return len(ids), sum(ids)


def _is_late(row: Record, start: str) -> bool:
    return bool((row.get("write_date") or "") >= iso_utc(start))
