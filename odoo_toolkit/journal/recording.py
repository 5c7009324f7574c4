"""The journal of what was written to Odoo, by whom, and what the values were before.

A connection that has a journal records every call that is not a read, at the one door, so nothing
escapes it. Calls of one operation make one entry. It is written before the call is sent: what a
process did before it was killed is known.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, make_error
from odoo_toolkit.journal.digests import of_call
from odoo_toolkit.journal.entries import GONE, KEPT_CONTEXT, HistoryEntry, Outcome, Write
from odoo_toolkit.journal.external_keys import Creation, as_load, make_once
from odoo_toolkit.journal.foretelling import CREATES, opposite_of
from odoo_toolkit.journal.snapshots import (
    lines_after,
    lines_before,
    loaded_anew,
    note_before,
    returned_ids,
    sent_values,
    values_after,
    values_before,
)
from odoo_toolkit.journal.store import Reply, Store

#: What a program that connects is called in the entries, such as the name of an MCP client.
client_name: ContextVar[str] = ContextVar("client_name", default="")

#: Of an error, how many seconds ago an earlier attempt has sent the same call.
SENT_BEFORE = "sent_before"


class _Place(threading.local):
    """Which call of an entry a thread has made last: others make theirs meanwhile."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.lost_at: float | None = None


class Recording:
    """An entry while its operation runs; several threads can make its calls.

    Args:
        store: of the journal.
        entry: as it is begun, or as it was left.
        digest: of the operation and its arguments.
        earlier: of an entry that is gone on with, the calls that it has made, by place.
    """

    def __init__(
        self,
        store: Store,
        entry: HistoryEntry,
        digest: str | None = None,
        earlier: Mapping[int, Reply] | None = None,
    ) -> None:
        self.entry = entry
        self.warnings: list[str] = []
        #: What is kept of the result, of a keyed entry.
        self.result: str | None = None
        #: Whether a model is one of wizards.
        self.is_transient: Callable[[str], bool] = lambda model: False
        #: Whether the operation finds out itself what is there.
        self.looks = False
        #: Whether a step that fails has the operation fail, however much was done before it.
        self.whole = False
        self._store, self._digest = store, digest
        self._replies = dict(earlier or {})
        self._earlier = dict(self._replies)
        self._sought: set[int] = set()
        self._first = len(entry.writes)
        self._place = _Place(len(entry.writes) - 1)
        self._lock = threading.Lock()

    @property
    def last(self) -> Write | None:
        """The call that this thread has made last, or that it looks for."""
        return self.entry.writes[self._place.last] if self._place.last >= 0 else None

    @property
    def lost_at(self) -> float | None:
        """When an earlier attempt sent the call whose answer it lost, while this thread looks."""
        return self._place.lost_at

    def begin(self) -> None:
        """Write the entry, unless it is written."""
        with self._lock:
            if not self.entry.id:
                self.entry.id = self._store.begin(self.entry, self._digest)

    def add(self, write: Write, digest: str = "", place: int | None = None) -> int:
        """Write that a call is about to be sent, and return its place.

        Args:
            write: the call.
            digest: of a keyed entry, of the call.
            place: of the attempt at the same call that this one takes the place of.
        """
        self.begin()
        with self._lock:
            if place is None:
                self.entry.writes.append(write)
                place = len(self.entry.writes) - 1
            else:
                self.entry.writes[place] = write
            self._place.last, self._place.lost_at = place, None
            if self.entry.key:
                self._replies[place] = Reply(digest=digest, sent=time.time())
        self._store.put(self.entry.id, place, write, self._replies.get(place))
        return place

    def complete(self, place: int) -> None:
        """Write what became of a call. What is done stays done where this cannot be written."""
        try:
            self._store.put(
                self.entry.id, place, self.entry.writes[place], self._replies.get(place)
            )
        except OdooError as error:
            self.warnings.append(error.message)

    def answer(self, place: int, result: Any) -> None:
        """Keep what a call was answered, so that it need not be made again."""
        reply = self._replies.get(place)
        if reply:
            try:
                short = len(json.dumps(result)) <= _LONGEST_ANSWER
            except (TypeError, ValueError):
                short = False
            reply.answered, reply.answer = short, result if short else None

    def found(self, result: Any) -> None:
        """Note that the last call, whose answer was lost, was seen in Odoo."""
        write, place = self.last, self._place.last
        if not write:
            return
        write.outcome = "done"
        if write.method == "create" and isinstance(result, (list, tuple)):
            made(write, write.model, result)
        self._earlier.pop(place, None)
        self._place.lost_at = None
        self.answer(place, result)
        self.complete(place)

    def look_for(self, place: int, reply: Reply) -> None:
        """Have the next look be for a call of an earlier attempt."""
        self._earlier[place] = reply
        self._sought.add(place)
        self._place.last, self._place.lost_at = place, reply.sent

    def not_applied(self) -> None:
        """Note that the call that was looked for was not applied: it is sent as a new one."""
        if write := self.last:
            write.outcome = "refused"
            self._place.lost_at = None
            self.complete(self._place.last)

    def complete_last(self) -> None:
        """Write what became of the last call."""
        self.complete(self._place.last)

    def earlier(self, call: Call, digest: str) -> tuple[int, Write, Reply] | None:
        """Return the same call of an earlier attempt, which is then used up; None for a new one.

        Raises:
            StateError: the earlier attempt has made something else of the same kind, which this
                one does not ask for again.
        """
        with self._lock:
            for place, reply in self._earlier.items():
                write = self.entry.writes[place]
                if reply.digest == digest and write.outcome not in GONE:
                    del self._earlier[place]
                    return place, write, reply
            others = [
                write
                for place in self._earlier
                if (write := self.entry.writes[place]).outcome not in GONE
                and (write.model, write.method) == (call.model, call.method)
            ]
        if call.method in _MAKES and others and not (self.looks or self.is_transient(call.model)):
            ids = [n for write in others for n in write.made]
            raise make_error(
                "KEY_DONE",
                f"An earlier attempt with this key has created {call.model}"
                f" {', '.join(map(str, ids)) or 'records'} with other values; what they are made of"
                " has changed since. Nothing more was created.",
                suggestion="Look at these records, and finish them by hand.",
                details={"entry": self.entry.id, "created": {call.model: ids}},
                outcome="not_sent",
            )
        return None

    def creation(
        self, odoo: Odoo, call: Call, again: tuple[int, Write, Reply] | None
    ) -> Creation | None:
        """Return a creation of a keyed entry as it is made once; None for anything else.

        Args:
            odoo: the connection.
            call: as it would be sent.
            again: the same call of an earlier attempt.
        """
        key = self.entry.key
        if not key or call.method != "create" or self.looks or self.is_transient(call.model):
            return None
        if again and not again[1].external_id:
            return None
        earlier = self.entry.writes[: again[0]] if again else self.entry.writes
        number = sum(
            (write.model, write.method) == (call.model, "create") and write.outcome not in GONE
            for write in earlier
        )
        return as_load(odoo, call, key, number)

    def unanswered(self) -> list[tuple[int, Write, Reply]]:
        """Return the calls of an earlier attempt that have no answer, and were not asked for again.

        With each comes its place.
        """
        return [
            (place, self.entry.writes[place], reply)
            for place, reply in self._earlier.items()
            if self.entry.writes[place].outcome in ("sent", "doubtful")
        ]

    def lost(self) -> list[str]:
        """Return the names of these calls."""
        return [f"{write.model}.{write.method}" for _, write, _ in self.unanswered()]

    def end(self, error: BaseException | None) -> None:
        """Write how the operation ended."""
        if not self.entry.id:
            return
        # What earlier attempts were refused or took back, or what the state shows to be done, is
        # over.
        over = {p for p, w in enumerate(self.entry.writes[: self._first]) if w.outcome in GONE}
        over |= set() if error else self._earlier.keys() - self._sought
        writes = [write for place, write in enumerate(self.entry.writes) if place not in over]
        self.entry.outcome = _outcome(writes, error)
        self.entry.finished = now()
        values = {name: getattr(self.entry, name) for name in ("outcome", "finished", "message")}
        if self.entry.key:
            values["result"] = self.result
        try:
            self._store.update(self.entry.id, **values)
        except OdooError as problem:
            self.warnings.append(problem.message)


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


class Journal:
    """What was written through the connections that have it; give it to :func:`connect`.

    >>> odoo = connect(journal="journal.sqlite")  # doctest: +SKIP

    Args:
        path: of the file, which is made where it is missing; or the address of a database of
            PostgreSQL, ``postgresql://user@host/database``, which several machines can share.
        days: after which entries are removed.
        megabytes: at which the oldest entries are removed.

    Raises:
        ConfigurationError: it cannot be used, or the package psycopg is missing.
    """

    def __init__(self, path: str | Path, *, days: int = 400, megabytes: int = 500) -> None:
        self._arguments = (str(path), days, megabytes)
        self.store = Store(path, days=days, megabytes=megabytes)

    def __repr__(self) -> str:
        return f"Journal({self.store.name!r})"

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
            OdooError: of ``send``; or the journal cannot be written, and nothing was sent.
        """
        with self.operation(odoo, f"{call.model}.{call.method}") as recording:
            asked = wired(call)
            digest, again = "", None
            if recording.entry.key:
                digest = of_call(asked)
                again = recording.earlier(asked, digest)
                if again and again[1].outcome in ("done", "partly"):
                    return _answer_again(recording, again)
            write = Write(
                model=call.model,
                method=call.method,
                ids=list(call.ids or ()),
                context={k: v for k, v in call.context.items() if k in KEPT_CONTEXT},
            )
            write.values = sent_values(odoo, asked)
            opposite = opposite_of(call.model, call.method, odoo.version.major)
            if call.method == "write":
                before = values_before(odoo, asked) if call.before is None else dict(call.before)
                write.before, write.not_kept = before, _unknown(asked, before)
                write.lines = lines_before(odoo, asked)
            elif opposite:
                note_before(odoo, asked, write, opposite)
            write.made_model = opposite.made if opposite else ""
            creation = recording.creation(odoo, asked, again)
            if again and not creation:
                _check_again(recording, again, write)
            if creation:
                write.external_id = creation.names[0]
            place = recording.add(write, digest, again[0] if again else None)
            try:
                ids = make_once(odoo, creation, send, again=bool(again)) if creation else None
                if creation and ids is None:
                    # Odoo says better why it refuses a creation, or takes it.
                    write.external_id = ""
                    recording.add(write, digest, place)
                result = ids or send(call)
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
            recording.answer(place, odoo.policy.redact(result) if digest else None)
            write.after = values_after(odoo, asked, write)
            if call.method != "write":
                lines_after(odoo, asked, write)
            recording.complete(place)
            return result


#: Methods that make a record each time.
_MAKES = frozenset({"create", "copy"})

#: Characters of an answer that are kept.
_LONGEST_ANSWER = 20_000


def _answer_again(recording: Recording, again: tuple[int, Write, Reply]) -> Any:
    _, write, reply = again
    if reply.answered and write.outcome == "done":
        return reply.answer
    why = "its answer was too long to be kept"
    if write.outcome == "partly":
        why = "a part of that was taken back"
    raise make_error(
        "KEY_DONE",
        f"An earlier attempt with this key has made {write.model}.{write.method}, and {why}: the"
        " rest cannot be done from it.",
        suggestion="Look at the record, and finish it by hand.",
        details={"entry": recording.entry.id},
        outcome="not_sent",
    )


def _check_again(recording: Recording, again: tuple[int, Write, Reply], write: Write) -> None:
    """Have a call be looked for, which an earlier attempt has sent without an answer.

    Raises:
        OdooConnectionError: as the earlier attempt had; who makes the call then looks for it.
    """
    place, first, reply = again
    if write.method == "unlink" or (
        write.method == "create" and recording.is_transient(write.model)
    ):
        return
    details: dict[str, Any] = {SENT_BEFORE: time.time() - reply.sent}
    if write.method == "write":
        same = write.before == first.before
        if same and first.before and not (write.lines or write.not_kept or first.not_kept):
            return
        # Somebody has changed it since, perhaps after the earlier attempt: never overwritten.
        details = details if same else {}
    recording.look_for(place, reply)
    raise OdooConnectionError(
        f"An earlier attempt with this key has sent {write.model}.{write.method}, and its answer"
        " was lost.",
        suggestion="Look in Odoo whether it is done; or repeat it later with the same key.",
        details={**details, "entry": recording.entry.id},
        outcome="maybe_applied",
    )


def one_entry(odoo: Odoo, name: str) -> AbstractContextManager[Recording | None]:
    """Have the writes within make one entry of the connection's journal, if it has one."""
    if isinstance(odoo.journal, Journal):
        return odoo.journal.operation(odoo, name)
    return nullcontext()


def made(write: Write, model: str, ids: Sequence[Any]) -> None:
    """Note which records a call has created."""
    write.made_model, write.made = model, [n for n in ids if isinstance(n, int)]


def note_made(model: str, ids: Sequence[int]) -> None:
    """Note which records a call of the running operation has created.

    For what is told by a look afterwards, such as what a wizard's button made: it is noted of the
    last call that is known to make records of the model.
    """
    recording = _current.get()
    if not recording:
        return
    for place in range(len(recording.entry.writes) - 1, -1, -1):
        write = recording.entry.writes[place]
        if write.made_model == model:
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


def made_by_others(odoo: Odoo, model: str) -> set[int]:
    """Return which records are known to be of other calls than the one that is looked for.

    These are other calls of the running operation; where the call is of an earlier attempt, those
    of other operations of the journal since it was sent, too.
    """
    recording, journal = _current.get(), odoo.journal
    if not recording:
        return set()
    own = {n for write in recording.entry.writes if write.made_model == model for n in write.made}
    if recording.lost_at is None or not isinstance(journal, Journal):
        return own
    since = datetime.fromtimestamp(recording.lost_at, timezone.utc) - timedelta(minutes=10)
    entries = journal.store.latest(
        identity(odoo), odoo.uid, since=since.isoformat(timespec="milliseconds"), limit=1000
    )
    return own | {
        number
        for entry in entries
        for write in entry.writes
        if write.made_model == model
        for number in write.made
    }


def note_stored(rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Note what is stored after the last write of the running operation, where it is read anyway.

    Args:
        rows: record id -> field -> value, as Odoo sends it.
    """
    recording = _current.get()
    if recording and recording.entry.writes:
        write = recording.entry.writes[-1]
        for record_id, before in write.before.items():
            row = rows.get(record_id, {})
            write.after[record_id] = {name: row[name] for name in before if name in row}
        recording.complete(len(recording.entry.writes) - 1)


def now() -> str:
    """Return the time as entries have it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def identity(odoo: Odoo) -> str:
    """Return by which name entries know the database of a connection."""
    return f"{odoo.settings.url.rstrip('/')}/{odoo.database or ''}"


def _unknown(call: Call, before: Mapping[int, Mapping[str, Any]]) -> list[str]:
    kept = {name for row in before.values() for name in row}
    return [name for name in call.arguments.get("vals", {}) if name not in kept]


def _outcome(writes: Sequence[Write], error: BaseException | None) -> Outcome:
    outcomes = {"refused" if write.outcome in GONE else write.outcome for write in writes}
    if error is not None and not outcomes:
        return "refused"
    if "doubtful" in outcomes or "sent" in outcomes:
        return "doubtful"
    if outcomes == {"refused"}:
        return "refused"
    return "partly" if error is not None or {"refused", "partly"} & outcomes else "done"


def _again(path: str, days: int, megabytes: int) -> Journal:
    return Journal(path, days=days, megabytes=megabytes)
