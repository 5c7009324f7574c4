"""The change history: every call that wrote to Odoo, its user, and the values before.

A connection with a change history records every call that is not a read. The calls of one operation
make one entry. The entry is written before the call is sent, so it also covers a process that was
killed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.entries import (
    GONE,
    KEPT_CONTEXT,
    OPENED_FOR,
    HistoryEntry,
    Outcome,
    Owner,
    Write,
)
from odoo_toolkit.change_history.snapshots import (
    keep_moved,
    kept_rows,
    lines_after,
    lines_before,
    loaded_anew,
    note_before,
    returned_ids,
    sent_values,
    values_after,
    values_before,
)
from odoo_toolkit.change_history.store import Store
from odoo_toolkit.change_history.undo_preview import CREATES, opposite_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, make_error

logger = logging.getLogger(__name__)

#: What a program that connects is called in the entries, such as the name of an MCP client.
client_name: ContextVar[str] = ContextVar("client_name", default="")


class _Place(threading.local):
    """Which call of an entry a thread has made last: others make theirs meanwhile."""

    last = -1


class Recording:
    """An entry while its operation runs; several threads can make its calls.

    Args:
        store: of the change history.
        entry: as it is begun.
        digest: of the operation and its arguments.
    """

    def __init__(self, store: Store, entry: HistoryEntry, digest: str | None = None) -> None:
        self.entry = entry
        #: What is kept of the result, of a keyed entry.
        self.result: str | None = None
        #: Whether what the operation returns may be kept for a repeat.
        self.keeps_result = True
        #: Whether a step that fails has the operation fail, however much was done before it.
        self.whole = False
        #: Whether the operation returned before it was through, such as where the time was over.
        self.stopped = False
        #: The uuid of the database, if it is known.
        self.uuid: str | None = None
        self._store, self._digest = store, digest
        self._place = _Place()
        self._lock = threading.Lock()
        self._told = False

    @property
    def last(self) -> Write | None:
        """The call that this thread has made last."""
        return self.entry.writes[self._place.last] if self._place.last >= 0 else None

    def begin(self) -> None:
        """Write the entry, unless it is written."""
        with self._lock:
            if not self.entry.id:
                self.entry.id = self._store.begin(self.entry, self._digest, self.uuid)

    def add(self, write: Write) -> int:
        """Write that a call is about to be sent, and return its place.

        Raises:
            StateError: another program has taken over the key meanwhile; nothing was sent.
        """
        self.begin()
        with self._lock:
            if (
                self.entry.idempotency_key
                and not self.entry.writes
                and not self._store.send_off(self.entry.id)
            ):
                raise make_error(
                    "KEY_RUNNING",
                    "Another process has taken over the idempotency key "
                    f"{self.entry.idempotency_key}, because this one had sent nothing for a "
                    "while. This process has sent nothing.",
                    suggestion="Retry with the same key to get that result.",
                    outcome="not_sent",
                )
            self.entry.writes.append(write)
            self._place.last = place = len(self.entry.writes) - 1
        self._store.put(self.entry.id, place, write)
        return place

    def complete(self, place: int) -> None:
        """Write what became of a call. What is done stays done where this cannot be written."""
        try:
            self._store.put(self.entry.id, place, self.entry.writes[place])
        except OdooError as error:
            self._tell(error)

    def found(self, result: Any) -> None:
        """Note that the last call, whose answer was lost, was seen in Odoo."""
        write, place = self.last, self._place.last
        if not write:
            return
        write.outcome = "done"
        if write.method == "create" and isinstance(result, (list, tuple)):
            made(write, write.model, result)
        self.complete(place)

    def complete_last(self) -> None:
        """Write what became of the last call."""
        self.complete(self._place.last)

    def end(self, error: BaseException | None) -> None:
        """Write how the operation ended. Of what was refused, the key is free again."""
        if not self.entry.id:
            return
        self.entry.outcome = _outcome(self.entry.writes, error is not None or self.stopped)
        self.entry.finished = now()
        values = {name: getattr(self.entry, name) for name in ("outcome", "finished", "message")}
        if self.entry.idempotency_key:
            values["result"] = self.result
            values["idempotency_key"] = (
                None if self.entry.outcome == "refused" else self.entry.idempotency_key
            )
        try:
            self._store.update(self.entry.id, **values)
        except OdooError as problem:
            self._tell(problem)

    def _tell(self, error: OdooError) -> None:
        """Log once that not all of the entry could be written."""
        if not self._told:
            self._told = True
            logger.warning(
                "%s Entry %s is incomplete. Its changes in Odoo stay.", error.message, self.entry.id
            )


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


#: The entries that were begun in this context, for whoever listens.
_heard: ContextVar[list[HistoryEntry] | None] = ContextVar("heard", default=None)


@contextmanager
def hearing() -> Iterator[list[HistoryEntry]]:
    """Give the entries of the operations that run within the block; one without an id is none."""
    entries: list[HistoryEntry] = []
    token = _heard.set(entries)
    try:
        yield entries
    finally:
        _heard.reset(token)


def current() -> Recording | None:
    """Return the entry of the operation that runs in this context."""
    return _current.get()


@contextmanager
def apart() -> Iterator[None]:
    """Have the writes within make entries of their own, though an operation runs."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


class History:
    """A change history of everything that its connections write. Pass it to :func:`connect`.

    >>> odoo = connect(history="history.sqlite")  # doctest: +SKIP

    Args:
        path: Path of the file, which is created if it does not exist. Or the address of a
            PostgreSQL database, ``postgresql://user@host/database``, to share between several
            machines.
        days: Days after which entries are removed.
        megabytes: Size at which the oldest entries are removed.

    Raises:
        ConfigurationError: The file or database can't be used, or the package psycopg is not
            installed.
    """

    def __init__(self, path: str | Path, *, days: int = 400, megabytes: int = 500) -> None:
        self._arguments = (str(path), days, megabytes)
        self.store = Store(path, days=days, megabytes=megabytes)

    @property
    def shared(self) -> bool:
        """Whether other machines can have it, too."""
        return self.store.shared

    def __repr__(self) -> str:
        return f"History({self.store.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._arguments

    @contextmanager
    def operation(self, odoo: Odoo, name: str, **told: Any) -> Iterator[Recording]:
        """Have the writes within make one entry; within another operation they are part of it.

        Args:
            odoo: the connection.
            name: of the operation.
            told: further attributes of the entry, and ``digest`` of its arguments.
        """
        running = _current.get()
        if running:
            yield running
            return
        digest = told.pop("digest", None)
        entry = HistoryEntry(
            id=0,
            started=now(),
            database=identity(odoo),
            uid=odoo.uid,
            client=client_name.get(),
            operation=name,
            **told,
        )
        with self.within(Recording(self.store, entry, digest)) as recording:
            yield recording

    @contextmanager
    def within(self, recording: Recording) -> Iterator[Recording]:
        """Have the writes within be part of an entry, and write how it ended."""
        if (heard := _heard.get()) is not None:
            heard.append(recording.entry)
        token = _current.set(recording)
        try:
            yield recording
        except BaseException as error:
            recording.end(error)
            raise
        else:
            recording.end(None)
        finally:
            _current.reset(token)

    def recorded(self, odoo: Odoo, call: Call, send: Callable[[Call], Any]) -> Any:
        """Record a call that writes, and send it.

        Args:
            odoo: the connection.
            call: as it is to be sent.
            send: sends a call, and returns what its method returned.

        Raises:
            OdooError: of ``send``; or the change history cannot be written, and nothing was sent.
        """
        with self.operation(odoo, f"{call.model}.{call.method}") as recording:
            asked = wired(call)
            write = Write(
                model=call.model,
                method=call.method,
                ids=list(call.ids or ()),
                context={
                    name: value
                    for name, value in call.context.items()
                    if name in KEPT_CONTEXT
                    or (name in OPENED_FOR and call.context.get("active_model") != call.model)
                },
            )
            write.values = sent_values(odoo, asked)
            opposite = opposite_of(call.model, call.method, odoo.version.major)
            if call.method == "write":
                before = (
                    values_before(odoo, asked)
                    if call.before is None
                    else kept_rows(odoo, call.model, call.before)
                )
                # Of what is not kept as it was sent, nobody could tell later whether it is there.
                unkept = asked.arguments["vals"].keys() - (write.values or {}).keys()
                before = {
                    number: {name: value for name, value in row.items() if name not in unkept}
                    for number, row in before.items()
                }
                write.before, write.not_kept = before, _unknown(asked, before)
                write.lines = lines_before(odoo, asked)
            elif opposite:
                note_before(odoo, asked, write, opposite)
            write.made_model = opposite.made if opposite else ""
            if not recording.entry.id:
                recording.uuid = odoo.database_uuid
            place = recording.add(write)
            try:
                result = send(call)
            except BaseException as error:
                lost = isinstance(error, OdooConnectionError) and error.outcome == "maybe_applied"
                write.outcome = (
                    "refused" if isinstance(error, OdooError) and not lost else "doubtful"
                )
                recording.complete(place)
                raise
            write.outcome = "done"
            if call.method in CREATES:
                made(write, call.model, result if isinstance(result, (list, tuple)) else [result])
            elif write.made_model and not write.made:
                made(write, write.made_model, returned_ids(write.made_model, result))
            elif call.method == "load":
                made(write, call.model, loaded_anew(odoo, asked, result))
            write.after = values_after(odoo, asked, write)
            if call.method == "write" and call.before is None:
                keep_moved(odoo, write)
            lines_after(odoo, asked, write)
            recording.complete(place)
            return result


def one_entry(odoo: Odoo, name: str) -> AbstractContextManager[Recording | None]:
    """Have the writes within make one entry of the connection's change history, if it has one."""
    if isinstance(odoo.history, History):
        return odoo.history.operation(odoo, name)
    return nullcontext()


def made(write: Write, model: str, ids: Sequence[Any]) -> None:
    """Note which records a call has created."""
    write.made_model, write.made = model, [n for n in ids if isinstance(n, int)]


def note_made(model: str, ids: Sequence[int], *, besides: bool = False) -> None:
    """Note which records a call of the running operation has created.

    For what is told by a look afterwards, such as what a wizard's button made: it is noted of the
    last call that is known to make records of the model.

    Args:
        model: of the records.
        ids: of the records.
        besides: whether the last call of all made them, which nobody would expect of it.
    """
    recording = _current.get()
    if not recording:
        return
    for place in range(len(recording.entry.writes) - 1, -1, -1):
        write = recording.entry.writes[place]
        if write.made_model == model or besides:
            made(write, model, list(ids))
            recording.complete(place)
            return


def note_found(result: Any) -> None:
    """Note that the last call, whose answer was lost, was seen in Odoo.

    Args:
        result: what stands for its answer; of ``create`` the ids.
    """
    if recording := _current.get():
        recording.found(result)


def note_lines(odoo: Odoo, call: Call) -> None:
    """Note what the last call has left, whose answer was lost, and which was seen in Odoo."""
    recording = _current.get()
    if recording and (write := recording.last):
        lines_after(odoo, call, write)
        recording.complete_last()


def made_by_others(model: str) -> set[int]:
    """Return which records other calls of the running operation have created."""
    recording = _current.get()
    writes = recording.entry.writes if recording else []
    return {n for write in writes if write.made_model == model for n in write.made}


def note_stored(odoo: Odoo, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Note what is stored after the last write of the running operation, where it is read anyway.

    Args:
        odoo: the connection.
        rows: record id -> field -> value, as Odoo sends it.
    """
    recording = _current.get()
    if recording and recording.entry.writes:
        write = recording.entry.writes[-1]
        for record_id, before in write.before.items():
            row = rows.get(record_id, {})
            write.after[record_id] = {name: row[name] for name in before if name in row}
        keep_moved(odoo, write)
        recording.complete(len(recording.entry.writes) - 1)


def now() -> str:
    """Return the time as entries have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def owner_of(odoo: Odoo) -> Owner:
    """Return whose entries a connection has; it asks Odoo for the database's uuid, once."""
    return Owner(database=identity(odoo), uuid=odoo.database_uuid, uid=odoo.uid)


def identity(odoo: Odoo) -> str:
    """Return by which name entries know the database of a connection."""
    return name_of_database(odoo.settings.url, odoo.database)


def name_of_database(url: str, database: str | None) -> str:
    """Return by which name entries know a database of Odoo."""
    return f"{url.rstrip('/')}/{database or ''}"


def _unknown(call: Call, before: Mapping[int, Mapping[str, Any]]) -> list[str]:
    kept = {name for row in before.values() for name in row}
    return [name for name in call.arguments.get("vals", {}) if name not in kept]


def _outcome(writes: Sequence[Write], failed: bool) -> Outcome:
    outcomes = {"refused" if write.outcome in GONE else write.outcome for write in writes}
    if failed and not outcomes:
        return "refused"
    if "doubtful" in outcomes or "sent" in outcomes:
        return "doubtful"
    if outcomes == {"refused"}:
        return "refused"
    return "partial" if failed or {"refused", "partial"} & outcomes else "done"


def _again(path: str, days: int, megabytes: int) -> History:
    return History(path, days=days, megabytes=megabytes)
