"""The check of a long read: the records that arrived, compared with the count in the database.

Each request to Odoo is a separate transaction, so a read of several pages has no common point in
time. At the end, the toolkit compares the ids with those that match then. It reads the records that
the pages missed, and reports what changed meanwhile.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import ConfigurationError, OdooError, StateError
from odoo_toolkit.policy.tables import FILE_MODELS
from odoo_toolkit.records.aggregate import aggregate
from odoo_toolkit.records.changes import OVERLAP, server_time
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import Question, existing_ids

#: Ids that the database counts and sums at a time.
_WINDOW = 50_000
#: How often what is missing is read: meanwhile more may come.
_ROUNDS = 3
#: Records of which it is told whether they were changed meanwhile; more are too many to ask for.
_MOST_CHANGED = 100_000

Status = Literal["not checked", "complete", "complete, changed meanwhile"]


@attrs.frozen(kw_only=True)
class ReadReport(Shown):
    """The records that a read returned, and whether they are complete.

    Attributes:
        model: Model of the records, such as ``sale.order``.
        status: ``complete`` if the database had exactly these records at the end, and no one
            changed them during the read. ``complete, changed meanwhile`` if the fields below list
            changes. ``not checked`` if you did not ask for a check, or the read has not ended.
        records: Number of records that were returned.
        id_sum: Sum of their ids.
        counted: Number of records that match at the end, as counted by the database.
        counted_id_sum: Sum of the ids of the counted records.
        late: Ids of records that the pages missed, because their transaction ended during the read.
            The toolkit read them at the end.
        created: Ids of records that other users created during the read, and that were returned.
        changed: Ids of records that other users changed during the read. You may have the values
            before or after the change. None if Odoo does not store it, or if there are too many.
        deleted: Ids of returned records that no longer exist.
        left: Ids of returned records that no longer match, such as archived records.
        unread: Ids of records that began to match during the check at the end.
    """

    model: str
    status: Status
    records: int
    id_sum: int
    counted: int | None = None
    counted_id_sum: int | None = None
    late: list[int] = attrs.Factory(list)
    created: list[int] = attrs.Factory(list)
    changed: list[int] | None = None
    deleted: list[int] = attrs.Factory(list)
    left: list[int] = attrs.Factory(list)
    unread: list[int] = attrs.Factory(list)


class Watch:
    """Takes note of what a read returns; with ``checked``, compares it with the database.

    Args:
        odoo: the connection.
        question: what is read.
        checked: whether it is compared.
    """

    def __init__(self, odoo: Odoo, question: Question, *, checked: bool) -> None:
        self.checked = checked
        self._odoo, self._question = odoo, question
        self._records = self._sum = 0
        self._ids = array("q")
        self._late: list[int] = []
        self._since = ""
        self._before: dict[int, Record] | None = None
        self._ended: ReadReport | None = None

    @property
    def report(self) -> ReadReport:
        """The report, as far as it is known yet."""
        return self._ended or ReadReport(
            model=self._question.model,
            status="not checked",
            records=self._records,
            id_sum=self._sum,
        )

    def begin(self) -> None:
        """Take note of what was written lately; before the first page is read."""
        if self.checked:
            try:
                # Transactions that are still at work have a write_date from their beginning.
                self._since = server_time(self._odoo, -OVERLAP)
            except ConfigurationError:
                return
            self._before = self._lately()

    def take(self, page: Sequence[Record]) -> None:
        """Take note of a page."""
        ids = [row["id"] for row in page]
        self._records += len(ids)
        self._sum += sum(ids)
        if self.checked:
            self._ids.extend(ids)

    def rest(self, read: Callable[[list[int]], list[Record]], batch: int) -> Iterator[list[Record]]:
        """Yield what the pages have missed, and make the report.

        Args:
            read: reads records by their ids.
            batch: how many at a time.

        Raises:
            StateError: the database counts records that it does not return.
        """
        asked: set[int] = set()
        for again in range(_ROUNDS + 1):
            found = self._compared()
            if gap := sorted(found.missing & asked):
                raise self._incomplete(gap)
            if not found.missing or again == _ROUNDS:
                break
            missing = sorted(found.missing)
            for start in range(0, len(missing), batch):
                page = read(missing[start : start + batch])
                self._late += [row["id"] for row in page]
                self.take(page)
                if page:
                    yield page
            asked |= found.missing
        self._ended = self._told(found)

    def _told(self, found: _Compared) -> ReadReport:
        question = self._question
        still = (
            set(existing_ids(self._odoo, question.model, sorted(found.gone), question.context))
            if found.gone
            else set()
        )
        created, changed = self._changed()
        quiet = not (self._late or created or changed or found.gone or found.missing)
        return ReadReport(
            model=question.model,
            status="complete" if quiet else "complete, changed meanwhile",
            records=self._records,
            id_sum=self._sum,
            counted=found.counted,
            counted_id_sum=found.id_sum,
            late=sorted(self._late),
            created=created,
            changed=changed,
            deleted=sorted(found.gone - still),
            left=sorted(still),
            unread=sorted(found.missing),
        )

    def _changed(self) -> tuple[list[int], list[int] | None]:
        """Return the ids of the records that were created, and of those that were changed."""
        after = self._lately() if self._before is not None else None
        if after is None or self._before is None:
            return [], None
        returned, late = set(self._ids), set(self._late)
        created, changed = [], []
        for key, row in after.items():
            before = self._before.get(key)
            if key not in returned or (before and before["write_date"] == row["write_date"]):
                continue
            if before is None and row["write_date"] == row.get("create_date"):
                created.append(key)
            elif key not in late:
                changed.append(key)
        return sorted(created), sorted(changed)

    def _lately(self) -> dict[int, Record] | None:
        """Return the records that were written since shortly before the read began."""
        question = self._question
        names = [name for name in ("write_date", "create_date") if name in question.columns.fields]
        if "write_date" not in names or not question.columns.fields["write_date"].store:
            return None
        arguments = {
            "domain": [["write_date", ">=", self._since], *question.domain],
            "fields": names,
            "limit": _MOST_CHANGED + 1,
            "order": "id",
        }
        rows = self._odoo.send(question.sending("search_read", arguments))
        return {row["id"]: row for row in rows} if len(rows) <= _MOST_CHANGED else None

    def _compared(self) -> _Compared:
        """Compare the ids that were returned with those that match now."""
        ids = array("q", sorted(self._ids))
        if any(one == other for one, other in pairwise(ids)):
            raise StateError(
                f"Odoo returned some records of {self._question.model} twice.",
                suggestion="Read again, without an order.",
                details={"model": self._question.model},
            )
        # Odoo finds files and messages differently where the domain names ids.
        if self._question.model in FILE_MODELS or self._question.model in FILTERED_AFTER_LIMIT:
            return _compared(ids, self._matching(()))
        whole = _Compared(missing=set(), gone=set(), counted=0, id_sum=0)
        for start in range(0, len(ids) or 1, _WINDOW):
            window = ids[start : start + _WINDOW]
            after = [["id", ">", ids[start - 1]]] if start else []
            until = [["id", "<=", window[-1]]] if start + _WINDOW < len(ids) else []
            whole = whole.plus(self._window(window, [*after, *until]))
        return whole

    def _window(self, ids: array[int], limits: Sequence[Any]) -> _Compared:
        """Compare by number and sum; where these differ, by the ids themselves."""
        counted = self._counted(limits)
        if counted == (len(ids), sum(ids)):
            return _Compared(missing=set(), gone=set(), counted=len(ids), id_sum=sum(ids))
        return _compared(ids, self._matching(limits))

    def _counted(self, limits: Sequence[Any]) -> tuple[int, int] | None:
        question = self._question
        domain = [*limits, *question.domain]
        try:
            (row,) = aggregate(
                self._odoo, question.model, domain, [], ["id:sum"], context=question.context
            ).records
        except (OdooError, ValueError):
            return None
        return row["count"], int(row["id:sum"] or 0)

    def _matching(self, limits: Sequence[Any]) -> list[int]:
        question = self._question
        arguments = {"domain": [*limits, *question.domain], "order": "id"}
        found: list[int] = self._odoo.send(question.sending("search", arguments))
        return found

    def _incomplete(self, gap: list[int]) -> StateError:
        model = self._question.model
        return StateError(
            f"The database counts {len(gap)} records of {model} that it does not return, such as "
            f"{', '.join(map(str, gap[:5]))}, so the result is incomplete.",
            suggestion="Read again. If it happens again, check these records in Odoo.",
            details={"model": model, "ids": gap[:1000]},
        )


@attrs.frozen(kw_only=True)
class _Compared:
    """Ids that match and were not returned; ids of which the reverse is true; all that match."""

    missing: set[int]
    gone: set[int]
    counted: int
    id_sum: int

    def plus(self, other: _Compared) -> _Compared:
        return _Compared(
            missing=self.missing | other.missing,
            gone=self.gone | other.gone,
            counted=self.counted + other.counted,
            id_sum=self.id_sum + other.id_sum,
        )


def _compared(returned: Sequence[int], matching: Sequence[int]) -> _Compared:
    here, there = set(returned), set(matching)
    return _Compared(missing=there - here, gone=here - there, counted=len(there), id_sum=sum(there))


def as_metadata(report: ReadReport) -> Mapping[str, Any]:
    """Return a report as a file's metadata keep it: lists of ids by their lengths."""
    told = attrs.asdict(report)
    return {name: len(value) if isinstance(value, list) else value for name, value in told.items()}
