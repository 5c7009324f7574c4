"""Repeats are safe: what a key was given for is done once, and answered from the history after.

The entry of a key is written before anything is sent. It reserves the key for all programs that
share the change history. It has a digest of all that was asked, a state, and the result. What is in
doubt is said, and never sent again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.change_history import kept_results
from odoo_toolkit.change_history.digests import differences, of_reader
from odoo_toolkit.change_history.entries import GONE, HistoryEntry, Write, opened_for
from odoo_toolkit.change_history.lost_answers import made_since
from odoo_toolkit.change_history.recording import (
    History,
    Recording,
    client_name,
    current,
    now,
    owner_of,
)
from odoo_toolkit.change_history.store import BEGUN, Keyed
from odoo_toolkit.change_history.undo_preview import CREATES
from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import is_placeholder
from odoo_toolkit.errors import ConfigurationError, OdooError, ValidationError, make_error
from odoo_toolkit.policy.contents import is_file, is_secret
from odoo_toolkit.progress import pause, time_left

#: Characters of a key.
LONGEST = 200

#: Seconds between looks at what another thread or process does with the same key.
WAITS = (0.05, 0.1, 0.2, 0.5, *[1.0] * 20)

#: Seconds after which no server is still working at a call; Odoo ends its own after 2 minutes.
SETTLED = 900.0

#: Characters of a result's message that the change history keeps.
_LONGEST_MESSAGE = 2000

#: Differences, and records of a model, that an error names.
_NAMED = 10
#: Records that may be what a lost answer was about: a busy user has created others meanwhile.
_LOOKED_AT = 200

#: Outcomes of a call of which nobody knows whether it was applied.
_DOUBTFUL = ("sent", "doubtful")

#: How long one waits; tests put something else in its place.
wait: Callable[[float], None] = pause


def run_once(odoo: Odoo, name: str, key: str, digest: str, act: Callable[[], Any]) -> Any:
    """Do what a key is given for, unless it is done; return its result, the first one if it is.

    Args:
        odoo: the connection; it must have a change history.
        name: of the operation.
        key: of the caller.
        digest: of the function and its arguments.
        act: does it.

    Raises:
        ConfigurationError: the connection has no change history; nothing was sent.
        ValidationError: it is not a key; nothing was sent.
        StateError: the key was given for something else, or what it was given for still runs, is
            in doubt, or was done and the result cannot be shown again; nothing was sent.
        OdooError: of ``act``.
    """
    key = checked_key(key)
    history = odoo.history
    if not isinstance(history, History):
        raise ConfigurationError(
            "An idempotency key needs a change history, but this connection has none, so retries "
            "could not be recognized.",
            suggestion="Pass the path of a file to connect as history, or omit the idempotency "
            "key.",
            outcome="not_sent",
        )
    if current():
        raise ValidationError(
            "An idempotency key belongs to a whole operation, not to a part of it.",
            suggestion="Pass the idempotency key to the outer call.",
            outcome="not_sent",
        )
    reserved = _reserved(odoo, history, name, key, digest)
    if isinstance(reserved, _Answer):
        return reserved.result
    with history.within(reserved):
        result = with_protection(odoo, act())
        said = reserved.entry.message or str(getattr(result, "message", ""))
        reserved.entry.message = said[:_LONGEST_MESSAGE]
        if reserved.keeps_result:
            reserved.result = _kept(odoo, result)
    return result


def with_protection(odoo: Odoo, result: Any) -> Any:
    """Return a result, or a plan, whose message says for whom its key holds."""
    message = getattr(result, "message", None)
    if not isinstance(message, str) or not message or not attrs.has(type(result)):
        return result
    history = odoo.history
    told = "This connection has no change history, so it does not accept idempotency keys."
    if isinstance(history, History):
        where = "on any machine" if history.shared else "on this machine only"
        told = (
            "Its idempotency key is valid for scripts and servers with this change "
            f"history and this address of Odoo, {where}."
        )
    return attrs.evolve(result, message=f"{message.rstrip('.')}. {told}")


def plan_with_key(odoo: Odoo, key: Any, digest: str, plan: Any) -> Any:
    """Return a plan that says what its key does: for whom it holds, and whether it is used.

    Raises:
        ValidationError: it is not a key.
        StateError: it was given for something else.
    """
    key, history = checked_key(key), odoo.history
    found = None
    if isinstance(history, History):
        with suppress(OdooError):  # a history that cannot be read stops the real run
            found = history.store.by_key(owner_of(odoo), key)
    if found is None:
        return with_protection(odoo, plan)
    _check_here(found)
    _check_same(found, digest)
    told = (
        f"Its idempotency key was used in entry {found.entry.id}. Nothing would be sent a "
        "second time."
    )
    return attrs.evolve(plan, message=f"{plan.message.rstrip('.')}. {told}")


def checked_key(key: Any) -> str:
    """Return a key as it is kept.

    Raises:
        ValidationError: it is not a text, is empty, too long or a placeholder.
    """
    text = key.strip() if isinstance(key, str) else ""
    if is_placeholder(text):
        raise ValidationError(
            f"The idempotency key still contains a placeholder: {text[:60]}.",
            suggestion="Replace the placeholder. Otherwise every request would have the same key.",
            outcome="not_sent",
        )
    if not text or len(text) > LONGEST or not text.isprintable():
        raise ValidationError(
            f"An idempotency key must be a string of 1 to {LONGEST} printable characters.",
            suggestion="Choose a key that is unique to this request, such as a UUID or the "
            "number of the document that it comes from.",
            outcome="not_sent",
        )
    return text


class _Answer:
    """What a repeat is answered with."""

    def __init__(self, result: Any) -> None:
        self.result = result


def _reserved(
    odoo: Odoo, history: History, name: str, key: str, digest: str
) -> Recording | _Answer:
    """Return the entry that is now ours to run, or the answer that there is."""
    store, owner = history.store, owner_of(odoo)
    waits = iter(WAITS)
    while True:
        entry = HistoryEntry(
            id=0,
            started=now(),
            database=owner.database,
            uid=owner.uid,
            client=client_name.get(),
            operation=name,
            idempotency_key=key,
        )
        try:
            entry.id = store.begin(entry, digest, owner.uuid)
            return Recording(store, entry)
        except KeyError:
            found = store.by_key(owner, key)
        if found is None:
            continue  # it was refused, or so old that it has just been removed
        _check_here(found)
        _check_same(found, digest)
        running = found.entry.outcome == "running"
        if not running and (answer := _answer(odoo, found)):
            return answer
        if running and _waited(waits):
            continue
        if not _may_release(odoo, found) or not store.release(found):
            raise _unconfirmed(odoo, found.entry)


def _check_here(found: Keyed) -> None:
    """See that a key was used in this database, not in what may be another, such as a copy."""
    if not found.elsewhere:
        return
    entry = found.entry
    raise make_error(
        "KEY_UNCONFIRMED",
        f"The idempotency key {entry.idempotency_key} was used for the database {entry.database}"
        f" ({entry.operation} of {entry.started}), at another address or with another uuid. It may"
        f" be the same database as this one, or a copy.{_created(entry)} Nothing was sent.",
        suggestion="For a retry, connect to the address of the first attempt. If this database does"
        " not contain the result, use a new key. For a copy, use another history file.",
        details={**_details(entry), "operation": entry.operation, "address": entry.database},
        outcome="not_sent",
    )


def _check_same(found: Keyed, digest: str) -> None:
    other = differences(found.digest, digest)
    if other is None:
        return
    entry = found.entry
    more = f" and {len(other) - _NAMED} more" if len(other) > _NAMED else ""
    raise make_error(
        "KEY_DONE",
        f"The idempotency key {entry.idempotency_key} was used for another request: "
        f"{entry.operation} of {entry.started}."
        + (f" These arguments differ: {', '.join(other[:_NAMED])}{more}." if other else "")
        + _created(entry)
        + " Nothing was sent.",
        suggestion="Use a new key for a new request. For a retry, pass exactly the same arguments.",
        details={**_details(entry), "operation": entry.operation, "differences": other},
        outcome="not_sent",
    )


def _waited(waits: Iterator[float]) -> bool:
    """Wait for the program that has the key; whether there was time for that."""
    seconds = next(waits, None)
    if seconds is None or time_left() <= seconds:
        return False
    wait(seconds)
    return True


def _kept(odoo: Odoo, result: Any) -> str | None:
    files, closed = odoo.schema.files(), odoo.policy.protecting().field_blocked
    text = kept_results.as_text(
        result, lambda name: name in files or is_file(name) or is_secret(name) or closed(name)
    )
    return None if text is None else json.dumps([of_reader(odoo), text])


def _answer(odoo: Odoo, found: Keyed) -> _Answer | None:
    """Return the first result again; None where it is in doubt what was done.

    Raises:
        StateError: it was taken back since, is not kept, or is not for this connection to see.
    """
    entry = found.entry
    if entry.undone_by is not None and not _doubtful(entry):
        raise _done_before(
            entry,
            f", and entry {entry.undone_by} undid it",
            "Use a new key to run it again.",
        )
    try:
        reader, text = json.loads(found.result or "null") or ("", "")
        if reader == of_reader(odoo):
            return _Answer(kept_results.from_text(text))
    except (TypeError, ValueError):
        reader = ""
    if reader or entry.outcome == "done":
        raise _done_before(
            entry,
            ", but the result cannot be shown again",
            "There is nothing more to do. To see the result, read the records.",
        )
    return None


def _may_release(odoo: Odoo, found: Keyed) -> bool:
    """Whether nothing of an attempt can be in Odoo, so that it may be made again.

    Nothing was sent; or all that was sent were creations, so long ago that no server is still at
    them, and this user has created no such record since.
    """
    if found.result == BEGUN:
        return True
    entry = found.entry
    last = datetime.fromisoformat(entry.finished or entry.started).timestamp()
    if time.time() - last <= (SETTLED if entry.finished else 4 * SETTLED):
        return False
    sent = [write for write in entry.writes if write.outcome not in GONE]
    return all(
        write.outcome in _DOUBTFUL
        and write.method in CREATES
        and _since(odoo, entry, write.model) == []
        for write in sent
    )


def _since(odoo: Odoo, entry: HistoryEntry, model: str) -> list[int] | None:
    """Return what this user has created of a model since an entry began; None if not known."""
    domain = made_since(odoo, datetime.fromisoformat(entry.started).timestamp())
    if domain is None:
        return None
    try:
        rows = odoo.call(
            Call(
                model=model,
                method="search_read",
                arguments={"domain": domain, "fields": ["id"], "order": "id", "limit": _LOOKED_AT},
                context={"active_test": False},
                step=True,
            )
        )
    except OdooError:
        return None
    return [row["id"] for row in rows]


def _unconfirmed(odoo: Odoo, entry: HistoryEntry) -> OdooError:
    """Return the error that says what is known of an attempt, and what to look at."""
    doubtful = _doubtful(entry)
    running = entry.outcome == "running"
    done = [w for w in entry.writes if w.outcome in ("done", "partial") and not w.made]
    told = [f"{_called(write)} was done." for write in done[:_NAMED]]
    looked: dict[str, dict[int, None]] = {}
    for write in doubtful:
        told.append(f"{_called(write)} is unconfirmed.")
        model, ids = _acted_on(write)
        looked.setdefault(model, {}).update(dict.fromkeys(ids))
    for model in dict.fromkeys(filter(None, map(_may_have_made, doubtful))):
        if new := _since(odoo, entry, model):
            told.append(
                f"Since then, this user has created {_numbers(model, new)}"
                + (f" and {len(new) - _NAMED} more." if len(new) > _NAMED else ".")
            )
            looked.setdefault(model, {}).update(dict.fromkeys(new))
    state = "was partially done, and then failed"
    if running:
        state = "is still running, or its process was ended"
    elif doubtful:
        state = "is unconfirmed, because the response was lost"
    look = "the records that are named" if looked or entry.writes else f"entry {entry.id}"
    todo = f"Check {look} in Odoo, and the change history. undo(entry={entry.id}) undoes what is"
    return make_error(
        "KEY_RUNNING" if running else "KEY_UNCONFIRMED",
        f"The request with the idempotency key {entry.idempotency_key}, {entry.operation} of"
        f" {entry.started} (entry {entry.id}), {state}.{_created(entry)}"
        f" {' '.join([*told, 'Nothing was sent now.'])}",
        suggestion=("If it may still run, repeat it later with the same key. " if running else "")
        + f"{todo} known of it. Then use a new key for the rest.",
        details={
            **_details(entry),
            "unconfirmed": [_called(w) for w in doubtful],
            "look_at": {model: list(ids) for model, ids in looked.items() if ids},
        },
        outcome="maybe_applied",
    )


def _doubtful(entry: HistoryEntry) -> list[Write]:
    return [write for write in entry.writes if write.outcome in _DOUBTFUL]


def _acted_on(write: Write) -> tuple[str, list[int]]:
    """Return the records that a call is about: of a wizard, those for which it was opened."""
    model, ids = opened_for(write.context)
    return (model, ids) if ids else (write.model, write.ids)


def _may_have_made(write: Write) -> str:
    """Return the model of which a call, whose answer is unknown, may have made records."""
    return write.made_model or (write.model if write.method in CREATES else "")


def _called(write: Write) -> str:
    model, ids = _acted_on(write)
    of = f" of {', '.join(map(str, ids[:_NAMED]))}" if ids else ""
    if model != write.model:
        of = f" for {_numbers(model, ids)}"
    return f"{write.model}.{write.method}{of}"


def _numbers(model: str, ids: Sequence[int]) -> str:
    return f"{model} {', '.join(map(str, ids[:_NAMED]))}"


def _created(entry: HistoryEntry) -> str:
    """Say which records an entry has created."""
    made = _details(entry)["created"]
    ids = ", ".join(_numbers(model, made[model]) for model in made)
    return f" It created {ids}." if ids else ""


def _details(entry: HistoryEntry) -> dict[str, Any]:
    made: dict[str, list[int]] = {}
    for write in entry.writes:
        if write.made and write.outcome not in GONE:
            made[write.made_model] = [*made.get(write.made_model, []), *write.made]
    return {"entry": entry.id, "created": made}


def _done_before(entry: HistoryEntry, then: str, todo: str) -> OdooError:
    return make_error(
        "KEY_DONE",
        f"Entry {entry.id} ({entry.operation} of {entry.started}) already did this{then}."
        + _created(entry),
        suggestion=todo,
        details=_details(entry),
        outcome="not_sent",
    )
