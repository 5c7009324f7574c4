"""Writes the rows of an import: in batches, of which one that fails is split until it is known why.

The first batch is small, as nobody knows how long Odoo takes for a row; the others are as large as
it bears. Long ones would hold records that others want to write, and end at the server's limits.
Creations can go side by side: then the requests run in threads, and nothing else does.

A row that Odoo refuses fails alone. When the server goes away, the writer stops: what was written
is known, what may have been is in doubt, and the rest is left.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    AccessError,
    OdooConnectionError,
    OdooError,
    RateLimitError,
    ValidationError,
)
from odoo_toolkit.fields import Field
from odoo_toolkit.progress import report
from odoo_toolkit.records.importing.bulk_write import Way, can_load, way_of, write_together
from odoo_toolkit.records.importing.loading import PATIENCE, Problems, load, set_later
from odoo_toolkit.records.importing.results import FailedRow, RowError, Sent, Status
from odoo_toolkit.records.progress_bar import Progress
from odoo_toolkit.records.results import Record

#: Models of which the rows of one parent are right only together: an entry must be balanced.
_WHOLE = frozenset(
    {"account.move.line", "account.payment.term.line", "account.tax.repartition.line"}
)

#: Characters of texts and files in one call; Odoo 19 takes no more than 128 MB.
_MOST_TEXT = 10_000_000

#: Rows of the first batch, and of the largest.
FIRST_ROWS, MOST_ROWS = 50, 1000

#: Rows of the same values that are worth a request of their own.
_FEW = 10

#: Seconds that a batch may take.
_SECONDS = 3.0

#: How many times as large the next batch is at most, until Odoo refuses one, and from then on.
_FAST, _SLOW = 4, 2

#: Batches that may be under way at a time.
MOST_CONCURRENT = 4

#: Begins the names of the threads.
_NAME = "odoo-toolkit-import"

#: What is told where Odoo gives up a batch while others are under way.
ALONE = "After that, batches were sent one after the other."


@attrs.define(kw_only=True, eq=False)
class Row:
    """A row on its way.

    Attributes:
        number: from 1 on.
        given: as it was given.
        values: as they are written to Odoo; of a record that there is, only what is to change.
        says: of a record that there is, all that the row says but for the key.
        equal: those of ``values`` that the record has already, and that Odoo would compute anew.
        id: of its record.
        external_id: by which its record is to be known, where there is none yet.
        status: what became of it, once that is known.
        errors: why it failed.
    """

    number: int
    given: Mapping[str, Any]
    values: Record = attrs.Factory(dict)
    says: Record = attrs.Factory(dict)
    equal: Record = attrs.Factory(dict)
    id: int | None = None
    external_id: str | None = None
    status: Status | None = None
    errors: list[RowError] = attrs.Factory(list)

    @property
    def stated(self) -> Record:
        """All that its record is to hold: what was written, and what it had already."""
        return {**self.says, **self.values}

    def fail(
        self,
        reason: str,
        *,
        column: str | None = None,
        code: str = "VALUE_ERROR",
        candidates: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Note why this row is not imported, besides what else is wrong with it."""
        self.status = "failed"
        error = RowError(
            reason=reason,
            column=column,
            code=code,
            candidates=[dict(candidate) for candidate in candidates],
        )
        if error not in self.errors:
            self.errors.append(error)

    @property
    def failure(self) -> FailedRow | None:
        """What is told of it where it failed."""
        if not self.errors:
            return None
        return FailedRow(row=self.number, errors=self.errors, values=self.given)


@attrs.define(kw_only=True, eq=False)
class _Batch:
    """Rows of one request.

    Attributes:
        rows: in order.
        part: whether they are some of those that Odoo has refused together.
        beside: whether others may be under way at the same time.
        seconds: that the request took.
    """

    rows: list[Row]
    part: bool = False
    beside: bool = False
    seconds: float = 0.0

    def send(self, act: Callable[[list[Row]], None]) -> None:
        """Send the request, and note how long it took."""
        started = time.monotonic()
        try:
            act(self.rows)
        finally:
            self.seconds = time.monotonic() - started


class Writer:
    """Writes rows, and notes in each what became of it.

    Args:
        odoo: the connection.
        model: that is imported into.
        context: of the writes.
        most: records of one call.
        headers: field -> the column that it comes from.
        progress: is told how many rows of how many are done.
        total: the number of rows; ``done`` of them need no writing.
        again: what to do when it has stopped.
        parent: the field by which rows belong together; those of one parent go in one batch.

    Attributes:
        interrupted: why it has stopped.
        warnings: what else happened.
    """

    def __init__(
        self,
        odoo: Odoo,
        model: str,
        context: Mapping[str, Any],
        *,
        most: int,
        headers: Mapping[str, str],
        progress: Progress | None,
        total: int,
        done: int,
        again: str,
        parent: str | None = None,
    ) -> None:
        self.interrupted: str | None = None
        self.warnings: list[str] = []
        self._odoo, self._model, self._context = odoo, model, context
        self._most, self._size, self._headers = most, min(FIRST_ROWS, most), headers
        self._growth = _FAST
        self._progress, self._total, self._done = progress, total, done
        self._again, self._parent = again, parent

    def create(self, rows: Sequence[Row], concurrency: int = 1) -> None:
        """Create the records of rows, in their order.

        Args:
            rows: of records that there are not.
            concurrency: batches that may be under way at a time, of rows without external ids; of
                several, each has the order of its rows.
        """
        unnamed = self._by_parent([row for row in rows if not row.external_id])
        self._write_all(unnamed, self._create, "created", concurrency)
        named = self._by_parent([row for row in rows if row.external_id])
        for alike in grouped(named, lambda row: (_fields(row), self._later(row))):
            later = self._later(alike[0])
            act = partial(self._create_named_without, later) if later else self._create_named
            self._write_all(alike, act, "created")

    def update(self, rows: Sequence[Row]) -> None:
        """Change the records of rows: many to the same together, and others in one request."""
        for way, part in arranged(self._odoo, self._model, rows):
            act = self._write if way == "write" else self._change
            self._write_all(part, act, "updated")

    def write_again(self, rows: Sequence[Row]) -> None:
        """Change the records of rows once more, which are otherwise than they were to be."""
        self._total += len(rows)
        self.update(rows)

    def update_whole(self, rows: Sequence[Row]) -> None:
        """Change the records of rows in one request: all of them or none."""
        try:
            if _are_alike(rows):
                self._write(list(rows))
            else:
                self._change_whole(rows)
        except (OdooConnectionError, RateLimitError) as error:
            for row in rows if error.outcome == "maybe_applied" else ():
                row.status = "unconfirmed"
            self.stop(error)
        except OdooError as error:
            self.interrupted = f"Nothing was written: {error.message}"
        else:
            if bad := [row.number for row in rows if row.status == "failed"]:
                self.interrupted = nothing_written(bad)
                return
            for row in rows:
                row.status = "updated"
            self._tell(len(rows))

    def stop(self, error: OdooError) -> None:
        """Write no more, and say why, and what to do; of several reasons, the first is told."""
        self.interrupted = self.interrupted or f"{error.message} {self._again}"

    def close(self) -> None:
        """End what shows the progress."""
        if close := getattr(self._progress, "close", None):
            close()

    def _write_all(
        self,
        rows: Sequence[Row],
        act: Callable[[list[Row]], None],
        status: Status,
        concurrency: int = 1,
    ) -> None:
        """Write rows in batches, each as large as the last ones have shown to be good.

        The first goes alone: what is wrong with all of them is then found by few.
        """
        # Several at a time only once a batch was taken.
        written, lanes = 0, 1
        parts: deque[_Batch] = deque()
        under_way: dict[Future[None], _Batch] = {}
        # What is under way is waited for, whatever happens; no thread is begun for one at a time.
        with ThreadPoolExecutor(concurrency, thread_name_prefix=_NAME) as threads:
            while True:
                while self.interrupted is None and len(under_way) < lanes:
                    if parts:
                        batch = parts.popleft()
                    elif left := len(rows) - written:
                        # What is left is shared out, so that none is idle in the end.
                        left += sum(len(other.rows) for other in under_way.values())
                        size = min(self._size, -(-left // lanes))
                        batch = _Batch(rows=self._first(rows[written:], size))
                        written += len(batch.rows)
                    else:
                        break
                    batch.beside = lanes > 1
                    under_way[_begun(batch, act, threads if concurrency > 1 else None)] = batch
                if not under_way:
                    return
                ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in [one for one in under_way if one in ended]:
                    batch, error = under_way.pop(future), future.exception()
                    if batch.beside and (reason := _given_up(error)):
                        concurrency = lanes = 1
                        self.warnings.append(f"{reason} {ALONE}")
                        parts.appendleft(batch)
                        continue
                    lanes = concurrency if error is None else lanes
                    parts.extendleft(reversed(self._settle(batch, error, status)))

    def _settle(
        self, batch: _Batch, error: BaseException | None, status: Status
    ) -> Sequence[_Batch]:
        """Note what became of a batch; where Odoo refuses it, return its halves, to be sent."""
        rows = batch.rows
        parts: list[_Batch] = []
        if error is None:
            for row in rows:
                row.status = row.status or status
            self._tell(len(rows))
        elif isinstance(error, (OdooConnectionError, RateLimitError)):
            for row in rows if error.outcome == "maybe_applied" else ():
                row.status = row.status or "unconfirmed"
            self.stop(error)
        elif not isinstance(error, OdooError):
            raise error
        elif len(rows) == 1 or self._may_not(error, status) or self._is_whole(rows):
            # Of several rows, those that are bad are looked for; without any right all are.
            for row in rows:
                self._fail(row, error)
            self._tell(len(rows))
        else:
            half = self._middle(rows)
            parts = [_Batch(rows=part, part=True) for part in (rows[:half], rows[half:])]
        if not batch.part:
            self._learn(len(rows), not parts, batch.seconds)
        return parts

    def _by_parent(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows with those of one parent beside each other, else in their order."""
        if self._parent is None:
            return list(rows)
        return [row for alike in grouped(rows, self._parent_of) for row in alike]

    def _parent_of(self, row: Row) -> Any:
        """Return what a row belongs to; a row of its own belongs to nothing else."""
        held = row.values.get(self._parent or "")
        return held or ("row", row.number)

    def _first(self, rows: Sequence[Row], size: int) -> list[Row]:
        """Return the rows of the next batch; it ends where a parent's rows do."""
        found = _together(rows[:size])
        if self._parent is not None:
            last = self._parent_of(found[-1])
            for row in rows[len(found) :]:
                if self._parent_of(row) != last:
                    break
                found.append(row)
        return found

    def _middle(self, rows: Sequence[Row]) -> int:
        """Return where rows are cut into halves: between parents, as far as there are several."""
        half = len(rows) // 2
        cuts = [
            place
            for place in range(1, len(rows))
            if self._parent_of(rows[place - 1]) != self._parent_of(rows[place])
        ]
        return min(cuts, key=lambda place: abs(place - half)) if cuts and self._parent else half

    def _is_whole(self, rows: Sequence[Row]) -> bool:
        """Whether Odoo takes all of these rows or none: a part of them would be another thing."""
        return self._model in _WHOLE and len({self._parent_of(row) for row in rows}) == 1

    def _learn(self, rows: int, whole: bool, seconds: float) -> None:
        """Choose the size of the next batch."""
        if not whole:
            # Where one row is bad, its neighbours are sent again and again.
            self._size, self._growth = max(1, self._size // 2), _SLOW
        elif seconds > _SECONDS:
            self._size = max(1, int(rows * _SECONDS / seconds))
        elif rows >= self._size and seconds < _SECONDS / 2:
            growth = self._growth if seconds < _SECONDS / self._growth else _SLOW
            self._size = min(self._most, self._size * growth)

    def _create(self, rows: list[Row]) -> None:
        values = [row.values for row in rows]
        arguments = {"vals_list": values}
        for row, record_id in zip(rows, self._send("create", None, arguments), strict=True):
            row.id = record_id

    def _write(self, rows: list[Row]) -> None:
        ids = tuple(row.id for row in rows if row.id is not None)
        try:
            self._send("write", ids, {"vals": rows[0].values})
        except (OdooConnectionError, RateLimitError):
            raise
        except OdooError as error:
            (row, *others), equal = rows, rows[0].equal
            if others or not equal or error.code == "KEY_DONE":
                raise
            # A locked document, for one, refuses even what it has already.
            row.values = {name: v for name, v in row.values.items() if name not in equal}
            row.equal = {}
            self._send("write", ids, {"vals": row.values})

    def _change(self, rows: list[Row]) -> None:
        """Change each record differently, in one request."""
        if len(rows) == 1:
            self._write(rows)
            return
        try:
            if _way(self._odoo, self._model, rows) != "load":
                self._write_together(rows)
                return
            problems = self._load(rows)
        except AccessError as error:
            if error.code == "ACCESS_DENIED":
                raise
            # The policy lets the rows be written, but not so: split, each is written alone.
            raise ValidationError(error.message) from error
        refused = [rows[index] for index in problems]
        for row in rows:
            row.status = None if row in refused else "updated"
        # An archived record, for one, is only refused by load: what a write says is what holds.
        for row in refused:
            try:
                self._write([row])
            except (OdooConnectionError, RateLimitError):
                raise
            except OdooError as error:
                self._fail(row, error)

    def _change_whole(self, rows: Sequence[Row]) -> None:
        """Change each record differently, in one request: all of them or none."""
        values = [row.values for row in rows]
        if _way(self._odoo, self._model, rows) != "load":
            try:
                self._write_together(rows)
                return
            except (OdooConnectionError, RateLimitError, AccessError):
                raise
            except OdooError:
                # Which row it is, only load tells; and it writes none, or all, as well.
                if not can_load(self._odoo, self._model, values):
                    raise
        for index, (field, reason) in self._load(rows, whole=True).items():
            rows[index].fail(reason, column=self._headers.get(field, field or None))

    def _write_together(self, rows: Sequence[Row]) -> None:
        ids = [row.id for row in rows if row.id is not None]
        values = [row.values for row in rows]
        write_together(self._odoo, self._model, ids, values, self._context, self.warnings)

    def _create_named(self, rows: list[Row]) -> None:
        """Create records under external ids."""
        for index, (field, reason) in self._load(rows).items():
            rows[index].fail(reason, column=self._headers.get(field, field or None))

    def _later(self, row: Row) -> str | None:
        return set_later(self._odoo, self._model, row.values)

    def _create_named_without(self, field: str, rows: list[Row]) -> None:
        """Create records under external ids, and write a field of theirs afterwards.

        With all that was given: what Odoo would compute anew from that field stays as it is.
        """
        fields = self._odoo.schema.fields(self._model)
        loaded, changes = [], []
        for row in rows:
            values = {name: value for name, value in row.values.items() if name != field}
            loaded.append(attrs.evolve(row, values=values))
        self._create_named(loaded)
        for row, one in zip(rows, loaded, strict=True):
            row.id, row.status, row.errors = one.id, one.status, one.errors
            if row.status != "failed":
                kept = {n: v for n, v in row.values.items() if fields[n].type != "binary"}
                changes.append(attrs.evolve(row, values=kept))
        made = {row.number: row for row in rows}
        try:
            if changes:
                self._change(changes)
        except (OdooConnectionError, RateLimitError):
            raise
        except OdooError:
            # Which of them is refused is looked for one by one: all are created.
            for change in changes:
                self._write_alone(change, made[change.number], field)

    def _write_alone(self, change: Row, row: Row, field: str) -> None:
        try:
            self._write([change])
        except (OdooConnectionError, RateLimitError):
            raise
        except OdooError as error:
            reason = f"The record was created, but without its {field}: {error.message}"
            row.fail(reason, column=self._headers.get(field), code=error.code)
        else:
            row.status = "created"

    def _load(self, rows: Sequence[Row], *, whole: bool = False) -> Problems:
        records: list[str | int] = [row.id or str(row.external_id) for row in rows]
        values = [row.values for row in rows]
        ids, problems = load(
            self._odoo,
            self._model,
            records,
            values,
            # An archived record is one, too; but a single write is what decides on it elsewhere.
            {**self._context, "active_test": False} if whole else self._context,
            self.warnings,
            whole=whole,
        )
        for index, row in enumerate(rows):
            row.id = ids.get(index, row.id)
        return problems

    def _send(self, method: str, ids: tuple[int, ...] | None, arguments: Mapping[str, Any]) -> Any:
        call = Call(
            model=self._model,
            method=method,
            ids=ids,
            arguments=arguments,
            context=self._context,
            timeout=PATIENCE,
        )
        return send(self._odoo, call, self.warnings)

    def _may_not(self, error: OdooError, status: Status) -> bool:
        """Whether the error holds for all rows: the right is missing as such."""
        if not isinstance(error, AccessError):
            return False
        operation = "create" if status == "created" else "write"
        return error.code in ("METHOD_BLOCKED", "MODE_VIOLATION") or not self._odoo.schema.may(
            self._model, operation
        )

    def _fail(self, row: Row, error: OdooError) -> None:
        field = error.details.get("field")
        column = self._headers.get(str(field).partition("[")[0].partition(".")[0])
        row.fail(error.message, column=column, code=error.code)

    def _tell(self, rows: int) -> None:
        self._done += rows
        report(self._done, self._total, f"{self._done} of {self._total} rows of {self._model}")
        if self._progress:
            self._progress(self._done, self._total)


def parent_of(odoo: Odoo, model: str, fields: Sequence[Field]) -> str | None:
    """Return the field whose record the rows are lines of; None where they are of nothing.

    It is required, and the other side has a field of its lines.

    Args:
        odoo: the connection.
        model: that is imported into.
        fields: that the rows have.
    """
    for field in fields:
        if field.type != "many2one" or not field.required or not field.relation:
            continue
        try:
            other = odoo.schema.fields(field.relation).values()
        except OdooError:
            continue
        if any(one.relation == model and one.relation_field == field.name for one in other):
            return field.name
    return None


def _begun(
    batch: _Batch, act: Callable[[list[Row]], None], threads: ThreadPoolExecutor | None
) -> Future[None]:
    """Send a batch, in a thread if there are some; what went wrong is in what is returned."""
    if threads:
        return threads.submit(copy_context().run, batch.send, act)
    done: Future[None] = Future()
    try:
        batch.send(act)
        done.set_result(None)
    except OdooError as error:
        done.set_exception(error)
    return done


def _given_up(error: BaseException | None) -> str:
    """Return why Odoo gave up a request of which nothing is left, and which may do better alone.

    It is so where two wrote to the same records, and Odoo has repeated one in vain.
    """
    if not isinstance(error, OdooConnectionError) or error.code != "SERVER_ERROR":
        return ""
    return error.message if error.outcome == "rolled_back" else ""


def arranged(
    odoo: Odoo, model: str, rows: Sequence[Row], *, whole: bool = False
) -> list[tuple[Sent, list[Row]]]:
    """Return the rows of changes as they go together, in order, each group with its way.

    Args:
        odoo: the connection.
        model: of the records.
        rows: of records that there are.
        whole: whether all of them are one request.
    """
    if whole:
        return [("write" if _are_alike(rows) else _way(odoo, model, rows) or "load", list(rows))]
    found: list[tuple[Sent, list[Row]]] = []
    few: list[Row] = []
    for alike in grouped(rows, _values):
        if len(alike) < _FEW:
            few += alike
        else:
            found.append(("write", alike))
    # Where nothing but load takes many, rows of the same columns go together.
    many = bool(few) and _way(odoo, model, few) == "web_save_multi"
    parts = [few] if many else grouped(few, lambda row: (_fields(row), _way(odoo, model, [row])))
    rest: list[Row] = []
    for part in parts:
        if way := _way_of_different(odoo, model, part):
            found.append((way, part))
        else:
            rest += part
    for part in grouped(rest, lambda row: _way(odoo, model, [row]) is None):
        if way := _way_of_different(odoo, model, part):
            found.append((way, part))
        else:
            found += [("write", alike) for alike in grouped(part, _values)]
    return found


def _way_of_different(odoo: Odoo, model: str, rows: Sequence[Row]) -> Way | None:
    """Return how values of its own are written to each of several records in one request."""
    return None if len(rows) < 2 or _are_alike(rows) else _way(odoo, model, rows)


def _way(odoo: Odoo, model: str, rows: Sequence[Row]) -> Way | None:
    return way_of(odoo, model, [row.values for row in rows])


def _values(row: Row) -> str:
    return json.dumps(row.values, sort_keys=True)


def _are_alike(rows: Sequence[Row]) -> bool:
    return all(row.values == rows[0].values for row in rows)


def _fields(row: Row) -> tuple[str, ...]:
    return tuple(sorted(row.values))


def nothing_written(bad: Sequence[int]) -> str:
    """Say why nothing was written, where rows are written all or none."""
    numbers = ", ".join(map(str, bad[:10])) + (", ..." if bad[10:] else "")
    rows = "row" if len(bad) == 1 else "rows"
    return f"Nothing was written, because all_or_nothing is set: {rows} {numbers} failed."


def grouped(rows: Sequence[Row], by: Callable[[Row], Any]) -> list[list[Row]]:
    """Return the rows in groups of those that are alike."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return list(groups.values())


def _together(rows: Sequence[Row]) -> list[Row]:
    """Return the first rows, of which the texts are not too long for one call."""
    size = 0
    for index, row in enumerate(rows):
        size += sum(len(value) for value in row.values.values() if isinstance(value, str))
        if index and size > _MOST_TEXT:
            return list(rows[:index])
    return list(rows)
