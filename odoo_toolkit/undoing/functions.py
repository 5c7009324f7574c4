"""Functions that list and undo operations.

An undo works in reverse order. The toolkit checks everything before it writes anything. It restores
a field if the value is still the one that the entry wrote. It deletes a created record, or archives
it if Odoo does not allow deletion. The tables of ``app_models`` name the opposite of each button.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import DryRun, readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import History, HistoryEntry, Write
from odoo_toolkit.change_history.entries import DAMAGED, GONE
from odoo_toolkit.change_history.recording import apart, owner_of
from odoo_toolkit.change_history.snapshots import kept_fields, kept_values
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import (
    ConfigurationError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
)
from odoo_toolkit.operations.steps import make, permit, plan
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.policy.owners import without_closed_properties
from odoo_toolkit.undoing import Found, Item, find

#: Entries that one answer shows, and that are taken back at once.
_MOST = 200


@attrs.frozen(kw_only=True)
class UndoResult(Shown):
    """The result of an undo.

    Attributes:
        entries: Ids of the history entries that were undone.
        done: What was done, in order.
        left: What was not undone, and the reason.
        not_undone: What can't be undone.
        warnings: Differences from the plan.
    """

    entries: list[int]
    done: list[str]
    left: list[str]
    not_undone: list[str]
    message: str
    warnings: list[str] = attrs.Factory(list)


def history(
    odoo: Odoo,
    *,
    since: Annotated[str | datetime | None, Doc("Only entries since this time, ISO 8601.")] = None,
    before: Annotated[int | None, Doc("Only entries older than this id.")] = None,
    limit: Annotated[int, Ge(1), Doc("Maximum number of entries.")] = 20,
) -> list[HistoryEntry]:
    """Return the operations that this user wrote through this connection's history, newest first.

    >>> history(odoo, limit=1)[0].operation  # doctest: +SKIP
    'confirm_order'

    The connection must have a change history. Values of fields and models that the policy blocks
    now are omitted. While the policy blocks anything, messages of results are also omitted. A time
    without a zone is in UTC.

    Raises:
        ConfigurationError: The connection has no change history.
    """
    kept = history_of(odoo)
    found = kept.store.latest(
        owner_of(odoo), since=_moment(since), before=before, limit=min(limit, _MOST)
    )
    seen = _of_companies(odoo, found) if odoo.settings.company_ids else None
    return [_shown(odoo, entry, seen) for entry in found]


@operation
def undo(
    odoo: Odoo,
    *,
    entry: Annotated[int, Doc("Id of the entry of the history.")],
    partial: Annotated[bool, Doc("Undo what is possible, if something is not.")] = False,
    dry_run: DryRun = False,
) -> UndoResult | Plan:
    """Undo one operation, in reverse order.

    >>> undo(odoo, entry=7, dry_run=True).message  # doctest: +SKIP
    'Would undo confirm_order: S00012 would be made a quotation again.'

    The connection must have a change history. The toolkit checks everything before it writes
    anything. It raises an error if another user changed a field since, if a document has moved on,
    or if Odoo has no opposite action. To undo the rest anyway, pass ``partial=True``.

    Raises:
        NotFoundError: This user has no such entry in this database.
        StateError: The operation is already undone, or something prevents it. ``details`` says
            what, and what you can still undo.
    """
    return _undo(odoo, [_entry(odoo, entry)], partial, dry_run)


@operation
def undo_since(
    odoo: Odoo,
    *,
    since: Annotated[str | datetime, Doc("A time, ISO 8601. Without a zone: UTC.")],
    partial: Annotated[bool, Doc("Undo what is possible, if something is not.")] = False,
    dry_run: DryRun = False,
) -> UndoResult | Plan:
    """Undo everything that this user has written since a time, newest first.

    The connection must have a change history.

    Raises:
        NotFoundError: Nothing was written since then.
        StateError: Something prevents it, see :func:`undo`.
        ValidationError: Too much was written since then. Undo entry by entry.
    """
    kept = history_of(odoo)
    found = kept.store.latest(owner_of(odoo), since=_moment(since), limit=_MOST + 1)
    if len(found) > _MOST:
        raise ValidationError(
            f"More than {_MOST} operations have written since then.",
            suggestion="Pass a later time, or undo entry by entry.",
        )
    open_ones = [e for e in found if e.undoes is None and e.undone_by is None and _wrote(e)]
    if not open_ones:
        raise NotFoundError(
            "No operation since then can be undone.",
            suggestion="history shows what was written and what was undone.",
        )
    return _undo(odoo, open_ones, partial, dry_run)


def history_of(odoo: Odoo) -> History:
    """Return the change history of a connection.

    Raises:
        ConfigurationError: it has none.
    """
    if not isinstance(odoo.history, History):
        raise ConfigurationError(
            "This connection has no change history, so its writes are not known.",
            suggestion="Pass the path of a file to connect as history.",
        )
    return odoo.history


def _entry(odoo: Odoo, entry_id: int) -> HistoryEntry:
    found = history_of(odoo).store.get(entry_id, owner_of(odoo))
    if found is None:
        raise no_entry(entry_id)
    if found.undone_by is not None:
        raise StateError(
            f"Entry {entry_id} ({found.operation}) was already undone, by entry {found.undone_by}.",
            suggestion="You don't need to do anything.",
            retry=False,
        )
    if found.undoes is not None:
        raise StateError(
            f"Entry {entry_id} is itself the undo of entry {found.undoes}.",
            suggestion="Repeat the operation instead.",
            retry=False,
        )
    if not _wrote(found):
        raise StateError(
            f"Entry {entry_id} ({found.operation}) has written nothing: {found.outcome}.",
            suggestion="You don't need to do anything.",
            retry=False,
        )
    return found


def no_entry(entry_id: int) -> NotFoundError:
    """Return the error about an entry that is not this connection's; it tells nothing of others."""
    return NotFoundError(
        f"There is no entry {entry_id} of this user and this database in the change history.",
        suggestion="Choose an entry from history. Other users undo their own writes. If you "
        "wrote it at another address of Odoo, connect to that address.",
        details={"entry": entry_id},
    )


def _wrote(entry: HistoryEntry) -> bool:
    return any(write.outcome not in GONE for write in entry.writes)


def _moment(value: str | datetime | None) -> str:
    if value is None:
        return ""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise ValidationError(
            f"{str(value)[:60]!r} is not a time.",
            suggestion="Pass a time such as 2026-11-23T14:30:00Z.",
        ) from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found.astimezone(UTC).isoformat(timespec="milliseconds")


_Records = dict[str, set[int]]
"""Ids of records, by model."""


def _shown(odoo: Odoo, entry: HistoryEntry, seen: _Records | None) -> HistoryEntry:
    """Return an entry without what the policy closes today, and what other companies have.

    A message can say what is closed, and nobody knows of which fields it was made.
    """
    writes = [
        _open(odoo, one) if seen is None or _is_seen(one, seen) else _nothing(one)
        for one in entry.writes
    ]
    whole = seen is None or all(_is_seen(one, seen) for one in entry.writes)
    message = entry.message if whole and not odoo.policy.closes else ""
    return attrs.evolve(entry, message=message, writes=writes)


def _of_companies(odoo: Odoo, entries: Sequence[HistoryEntry]) -> _Records:
    """Return which records of entries the companies of the connection show; a request a model."""
    asked: _Records = {}
    for write in (one for entry in entries for one in entry.writes):
        for model, ids in _touched(write):
            asked.setdefault(model, set()).update(ids)
    return {model: _searched(odoo, model, ids) for model, ids in asked.items() if ids}


def _searched(odoo: Odoo, model: str, ids: set[int]) -> set[int]:
    search = Call(
        model=model,
        method="search",
        arguments={"domain": [["id", "in", sorted(ids)]]},
        context={"active_test": False},
        step=True,
    )
    try:
        return set(odoo.call(search))
    except OdooError:
        return set()


def _touched(write: Write) -> Iterator[tuple[str, Sequence[int]]]:
    yield write.model, write.ids
    yield write.made_model, write.made
    for line in write.lines:
        yield from _touched(line)


def _is_seen(write: Write, seen: _Records) -> bool:
    return all(seen.get(model, set()).issuperset(ids) for model, ids in _touched(write))


def _nothing(write: Write) -> Write:
    """Return a call without values."""
    return attrs.evolve(write, values=None, before={}, after={}, lines=[])


def _open(odoo: Odoo, write: Write) -> Write:
    def rows(
        found: Mapping[int, Mapping[str, Any]], names: Iterable[str]
    ) -> dict[int, dict[str, Any]]:
        held = {n: {k: v for k, v in row.items() if k in names} for n, row in found.items()}
        without_closed_properties(
            list(held.values()), odoo.schema.fields(write.model), odoo.policy.model_blocked
        )
        return held

    given = write.values if isinstance(write.values, list) else [write.values or {}]
    mentioned = {
        name for row in [*given, *write.before.values(), *write.after.values()] for name in row
    }
    try:
        odoo.check(Call(model=write.model, method="read", ids=(1,), arguments={"fields": ["id"]}))
        kept = kept_fields(odoo, write.model, dict.fromkeys(mentioned))
        values = [kept_values(odoo, write.model, row) for row in given]
    except OdooError:
        return _nothing(write)
    return attrs.evolve(
        write,
        values=values if isinstance(write.values, list) else (values[0] if write.values else None),
        before=rows(write.before, kept),
        after=rows(write.after, kept),
        lines=[_open(odoo, line) for line in write.lines],
    )


# What would be done ----------------------------------------------------------------------------


def _undo(
    odoo: Odoo, entries: Sequence[HistoryEntry], partial: bool, dry_run: bool
) -> UndoResult | Plan:
    for entry in entries:
        _check_whole(entry)
    found = find(odoo, [write for entry in reversed(entries) for write in entry.writes])
    not_undone = found.not_undone
    blocked = found.blocked
    free = [item for item in found.items if not item.part.blocked]
    what = ", ".join(f"{entry.operation} (entry {entry.id})" for entry in entries[:5])
    what += f" and {len(entries) - 5} more" if len(entries) > 5 else ""
    if blocked and not (partial and free):
        raise StateError(
            f"{what} cannot be undone: {'; '.join(blocked[:5])}.",
            suggestion="With partial, the rest is undone: "
            + " ".join(item.part.says for item in free[:5])
            if free
            else "No part of it can be undone.",
            details={
                "in_the_way": blocked,
                "possible": [item.part.says for item in free],
            },
        )
    if not free:
        raise StateError(
            f"No part of {what} can be undone. {' '.join(not_undone)}".strip(),
            suggestion="The old state is already restored, or Odoo cannot undo this.",
        )
    for item in free:
        permit(odoo, *item.steps, dry_run=dry_run)
    if dry_run:
        shown = plan(odoo, [], [], f"Would undo {what}: {' '.join(i.part.says for i in free)}")
        planned = [plan(odoo, item.steps, item.part.ids, "") for item in free]
        return attrs.evolve(
            shown,
            needs=next((p.needs for p in planned if p.needs), None),
            calls=[call for p in planned for call in p.calls],
            warnings=[*blocked, *not_undone],
        )
    return _take_back(odoo, entries, what, found)


def _check_whole(entry: HistoryEntry) -> None:
    if any(write.method == DAMAGED for write in entry.writes):
        raise StateError(
            f"Entry {entry.id} ({entry.operation}) cannot be undone: this part of the change "
            "history is damaged, and some of its writes are missing.",
            suggestion="Check in Odoo what it did, and undo that there.",
            details={"entry": entry.id},
        )


def take_back(odoo: Odoo, entry: HistoryEntry) -> UndoResult:
    """Take back what an operation that still runs has written, as far as it can be.

    What is in the way of one thing does not keep the others from being taken back. ``left`` has
    all that is there still, also what nothing takes back; nothing is raised for it.

    Args:
        odoo: the connection.
        entry: of the operation.
    """
    what = f"{entry.operation} (entry {entry.id})"
    try:
        found = find(odoo, entry.writes)
        with apart():
            result = _take_back(odoo, [entry], what, found, running=True)
    except OdooError as error:
        left = [f"The whole entry: it cannot be checked. {error.message}"]
        return UndoResult(entries=[entry.id], done=[], left=left, not_undone=[], message="")
    lost = list(dict.fromkeys(text for texts in found.lost.values() for text in texts))
    left = [*result.left, *lost]
    return attrs.evolve(
        result, left=left, not_undone=[t for t in result.not_undone if t not in lost]
    )


def unconfirmed(entry: HistoryEntry) -> list[str]:
    """Say of which calls of an entry it is not known whether they were applied."""
    return [
        f"It is unknown whether {write.method} of {write.model} was applied."
        for write in entry.writes
        if write.outcome in ("sent", "doubtful")
    ]


def _take_back(
    odoo: Odoo,
    entries: Sequence[HistoryEntry],
    what: str,
    found: Found,
    *,
    running: bool = False,
) -> UndoResult:
    kept = history_of(odoo)
    items = [item for item in found.items if not item.part.blocked]
    left = found.blocked
    done: list[str] = []
    warnings: list[str] = []
    failed = False
    with kept.operation(odoo, "undo", undoes=entries[0].id) as recording:
        # Of the same operation, too: undo runs in an entry of its own.
        recording.entry.undoes = entries[0].id
        for place, item in enumerate(items):
            try:
                done.append(_do(odoo, item, warnings))
                found.done.append(item)
            except OdooError as error:
                if not done and not running:
                    raise
                failed = True
                left += [f"{item.part.says} Odoo rejected it: {error.message}"]
                left += [f"Not tried: {later.part.says}" for later in items[place + 1 :]]
                break
        not_undone = [*found.not_undone, *_not_back(found.done)]
        if done or not running:
            recording.begin()
        _mark(kept, entries, found)
        whole = not failed and not left and not (running and found.lost)
        if whole and recording.entry.id:
            for entry in entries:
                kept.store.update(entry.id, undone_by=recording.entry.id)
    message = f"Undid {what}: {' '.join(done)}" if not left else f"Undid part of {what}."
    return UndoResult(
        entries=[entry.id for entry in entries],
        done=done,
        left=left,
        not_undone=not_undone,
        message=message,
        warnings=warnings,
    )


def _not_back(items: Sequence[Item]) -> list[str]:
    """Say what is not as before though it was written back, once everything is."""
    told: list[str] = []
    for item in items:
        try:
            told += [text] if item.verify and (text := item.verify()) else []
        except OdooError as error:
            told.append(f"{item.part.says} It cannot be checked: {error.message}")
    return told


def _mark(kept: History, entries: Sequence[HistoryEntry], found: Found) -> None:
    """Note of each write what has become of it: what is taken back is not done any more."""
    places = iter(range(len(found.writes)))
    for entry in reversed(entries):
        for own, write in enumerate(entry.writes):
            outcome: Any = found.outcome(next(places))
            if outcome != write.outcome:
                write.outcome = outcome
                kept.store.mark(entry.id, own, outcome)


def _do(odoo: Odoo, item: Item, warnings: list[str]) -> str:
    if item.check and (changed := item.check()):
        raise StateError(changed, suggestion="history shows what the values were.")
    ids = item.part.ids
    try:
        done = make(odoo, item.steps, ids)
    except OdooError as error:
        if not item.otherwise or error.outcome == "maybe_applied":
            raise
        done = make(odoo, item.otherwise, ids)
        warnings += done.warnings
        if item.says_otherwise != item.part.says:
            warnings.append(f"{item.says_otherwise} Odoo rejected the rest: {error.message}")
        return item.says_otherwise
    warnings += done.warnings
    if not done.complete:
        raise StateError(done.warnings[-1], suggestion="Solve the problem, then try again.")
    return item.part.done or item.part.says


readable_signatures(globals())
