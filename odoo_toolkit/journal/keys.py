"""Repeats are safe: what a key was given for is done once, and answered from the journal after.

The entry of a key is written before anything is sent. It reserves the key for all threads and
processes that share the file. What was begun and not finished is gone through again: calls that
were made are not made again, but answered as they were.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    ConfigurationError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
    make_error,
)
from odoo_toolkit.journal import kept_results, processes
from odoo_toolkit.journal.digests import of_reader
from odoo_toolkit.journal.entries import GONE, HistoryEntry
from odoo_toolkit.journal.recording import (
    Journal,
    Recording,
    client_name,
    current,
    identity,
    now,
)
from odoo_toolkit.journal.store import Keyed
from odoo_toolkit.progress import pause, time_left

#: Characters of a key.
LONGEST = 200

#: Seconds between looks at what another thread or process does with the same key.
WAITS = (0.05, 0.1, 0.2, 0.5, *[1.0] * 20)

#: Characters of a result's message that the journal keeps.
_LONGEST_MESSAGE = 2000

#: How long one waits; tests put something else in its place.
wait: Callable[[float], None] = pause


def run_once(
    odoo: Odoo,
    name: str,
    key: str,
    digest: str,
    act: Callable[[], Any],
    is_transient: Callable[[str], bool],
    *,
    looks: bool = False,
) -> Any:
    """Do what a key is given for, unless it is done; return its result, the first one if it is.

    Args:
        odoo: the connection; it must have a journal.
        name: of the operation.
        key: of the caller.
        digest: of the function and its arguments.
        act: does it.
        is_transient: whether a model is one of wizards, whose records nobody misses.
        looks: whether it finds out itself what is there, such as an import by a key.

    Raises:
        ConfigurationError: the connection has no journal; nothing was sent.
        ValidationError: the key was used for something else, or is not a key; nothing was sent.
        StateError: it still runs, or it was done and the result cannot be shown again.
        OdooError: of ``act``.
    """
    key = checked_key(key)
    journal = odoo.journal
    if not isinstance(journal, Journal):
        raise ConfigurationError(
            "A key needs a journal, and this connection has none: no repeat would be known.",
            suggestion="Give connect the path of a file as its journal, or leave the key out.",
            outcome="not_sent",
        )
    if current():
        raise ValidationError(
            "A key belongs to a whole operation, and not to a part of it.",
            suggestion="Give the key to the outer call.",
            outcome="not_sent",
        )
    recording = _reserved(odoo, journal, name, key, digest)
    if isinstance(recording, _Answer):
        return recording.result
    recording.is_transient, recording.looks = is_transient, looks
    entry = recording.entry
    processes.begun(journal.store.name, entry.id)
    try:
        with journal.within(recording):
            try:
                result = act()
            except (StateError, NotFoundError) as error:
                _explain(error, recording)
                raise
            entry.message = str(getattr(result, "message", ""))[:_LONGEST_MESSAGE]
            recording.result = _kept(odoo, result)
        return result
    finally:
        processes.ended(journal.store.name, entry.id)


def checked_key(key: Any) -> str:
    """Return a key as it is kept.

    Raises:
        ValidationError: it is not a text, is empty or too long.
    """
    text = key.strip() if isinstance(key, str) else ""
    if not text or len(text) > LONGEST or not text.isprintable():
        raise ValidationError(
            f"A key is a text of 1 to {LONGEST} printable characters.",
            suggestion="Use something that names this request alone, such as a UUID or the number"
            " of the document that it comes from.",
            outcome="not_sent",
        )
    return text


class _Answer:
    """What a repeat is answered with."""

    def __init__(self, result: Any) -> None:
        self.result = result


def _reserved(
    odoo: Odoo, journal: Journal, name: str, key: str, digest: str
) -> Recording | _Answer:
    """Return the entry that is now ours to run, or the answer that there is."""
    store, database, uid = journal.store, identity(odoo), odoo.uid
    waits = iter(WAITS)
    while True:
        process = processes.this_process()
        entry = HistoryEntry(
            id=0,
            started=now(),
            database=database,
            uid=uid,
            client=client_name.get(),
            operation=name,
            key=key,
        )
        try:
            entry.id = store.begin(entry, digest, process)
            return Recording(store, entry)
        except KeyError:
            found = store.by_key(database, uid, key)
        if found is None:
            continue  # it was so old that it has just been removed
        entry = found.entry
        _check_same(entry, found.digest, digest)
        if entry.outcome == "done":
            return _Answer(_result(odoo, found))
        if entry.outcome == "running" and processes.runs(found.result, store.name, entry.id):
            _wait(entry, waits)
        elif store.claim(entry.id, entry.outcome, found.result, process):
            claimed = store.get(entry.id) or entry
            return Recording(store, claimed, earlier=store.replies(entry.id))


def _check_same(entry: HistoryEntry, first: str | None, digest: str) -> None:
    if first == digest:
        return
    raise make_error(
        "KEY_REUSED",
        f"The key {entry.key} was given for something else: {entry.operation} of {entry.started}.",
        suggestion="Use a new key for a new request; repeat with exactly the same arguments.",
        details={"entry": entry.id, "operation": entry.operation},
        outcome="not_sent",
    )


def _wait(entry: HistoryEntry, waits: Iterable[float]) -> None:
    seconds = next(iter(waits), None)
    if seconds is not None and time_left() > seconds:
        wait(seconds)
        return
    raise make_error(
        "KEY_RUNNING",
        f"The same request, {entry.operation} with the key {entry.key}, still runs, since"
        f" {entry.started}.",
        suggestion="Repeat it later with the same key: then it is answered with the result.",
        details={"entry": entry.id},
        outcome="not_sent",
    )


def _kept(odoo: Odoo, result: Any) -> str | None:
    text = kept_results.as_text(result)
    return None if text is None else json.dumps([of_reader(odoo), text])


def _result(odoo: Odoo, found: Keyed) -> Any:
    """Return the first result again.

    Raises:
        StateError: it was taken back since, is not kept, or is not for this connection to see.
    """
    if found.entry.undone_by is not None:
        _done_before(
            found.entry,
            f" and taken back by entry {found.entry.undone_by}",
            "Use a new key to do it again.",
        )
    try:
        reader, text = json.loads(found.result or "null") or ("", "")
        if reader == of_reader(odoo):
            return kept_results.from_text(text)
    except (TypeError, ValueError):
        pass
    return _done_before(
        found.entry,
        "; the result cannot be shown again",
        "Nothing needs to be done. Read the records to see how they are.",
    )


def _done_before(entry: HistoryEntry, then: str, todo: str) -> NoReturn:
    made = {w.made_model: w.made for w in entry.writes if w.made and w.outcome not in GONE}
    ids = ", ".join(f"{model} {', '.join(map(str, made[model][:10]))}" for model in made)
    raise make_error(
        "KEY_DONE",
        f"This was done, by entry {entry.id} ({entry.operation} of {entry.started}){then}."
        + (f" It created {ids}." if ids else ""),
        suggestion=todo,
        details={"entry": entry.id, "created": made},
        outcome="not_sent",
    )


def _explain(error: OdooError, recording: Recording) -> None:
    """Say of a state that stops a repeat that the first attempt may have brought it about."""
    lost = recording.lost()
    if lost:
        error.details["entry"] = recording.entry.id
        error.suggestion = (
            f"The answer to {' and '.join(lost)} of an earlier attempt with this key was lost: this"
            f" is probably its work. Look at the record. {error.suggestion}"
        ).strip()
