"""What was written is taken back: looked at first, in reverse order, nothing of others overwritten.

Field values are written back where they still are what the entry left; what was made is deleted,
or does less where Odoo refuses; buttons have their opposites, which the tables of ``app_models``
name. What is in the way stops it before anything is written.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import DryRun, readable_signatures
from odoo_toolkit.app_models import Block, Opposite, known
from odoo_toolkit.arguments.compared import differences
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import (
    ConfigurationError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
)
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.journal import HistoryEntry, Journal, Write
from odoo_toolkit.journal.entries import GONE
from odoo_toolkit.journal.foretelling import CREATES, opposite_of
from odoo_toolkit.journal.recording import apart, identity
from odoo_toolkit.journal.snapshots import kept_fields
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.operations.steps import AnyStep, Step, make, permit, plan
from odoo_toolkit.operations.ways_back import WayBack
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.ways_back import way_back
from odoo_toolkit.wizards.actions import is_transient

#: How a record is called in messages, where it is found.
_NAME = "display_name"

#: Entries that one answer shows, and that are taken back at once.
_MOST = 200


@attrs.frozen(kw_only=True)
class Part(Shown):
    """One thing that is taken back.

    Attributes:
        model, ids: the records.
        says: what would come of it.
        done: what has come of it, once it is done.
        blocked: why it cannot be done; None where nothing is known to be in the way.
    """

    model: str
    ids: list[int]
    says: str
    done: str = ""
    blocked: str | None = None


@attrs.frozen(kw_only=True)
class UndoResult(Shown):
    """What was taken back.

    Attributes:
        entries: of the journal that were taken back.
        done: what was done, in order.
        left: what was not taken back, and why.
        remains: what nothing takes back.
        warnings: what went otherwise than foretold.
    """

    entries: list[int]
    done: list[str]
    left: list[str]
    remains: list[str]
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.define(kw_only=True)
class _Item:
    """A part, and the steps by which it is done; ``of`` has the places of the writes it is of."""

    part: Part
    of: frozenset[int] = frozenset()
    steps: list[AnyStep] = attrs.Factory(list)
    otherwise: list[AnyStep] = attrs.Factory(list)
    says_otherwise: str = ""
    check: Callable[[], str | None] | None = None


@attrs.define(kw_only=True)
class _Found:
    """What takes some writes back.

    Attributes:
        writes: in the order in which they were made.
        items: in the order in which they are taken back.
        remains: what nothing takes back.
        lost: of ``remains``, what is no mere trace, by the place of its write.
        done: the items that were done.
    """

    writes: Sequence[Write]
    items: list[_Item] = attrs.Factory(list)
    remains: list[str] = attrs.Factory(list)
    lost: dict[int, list[str]] = attrs.Factory(dict)
    done: list[_Item] = attrs.Factory(list)

    def outcome(self, place: int) -> str:
        """Return what has become of a write."""
        write = self.writes[place]
        own = [item for item in self.items if place in item.of]
        done = sum(item in self.done for item in own)
        doubtful = write.outcome in ("sent", "doubtful") and not done
        if write.outcome in GONE or doubtful:
            return write.outcome
        if done == len(own) and place not in self.lost:
            return "undone"
        return "partly" if done else write.outcome


def history(
    odoo: Odoo,
    *,
    since: Annotated[
        str | datetime | None, Doc("Only what was begun at this time or later, ISO 8601.")
    ] = None,
    before: Annotated[
        int | None, Doc("Only entries older than the one with this id, to read on.")
    ] = None,
    limit: Annotated[int, Ge(1), Doc("Most entries.")] = 20,
) -> list[HistoryEntry]:
    """Return what was written through this connection's journal as this user, the newest first.

    Values of fields and models that the policy closes today are left out.

    >>> history(odoo, limit=1)[0].operation  # doctest: +SKIP
    'confirm_order'

    Args:
        odoo: the connection; it must have a journal.
        since: a time; UTC where it has no zone.
        before: the id of an entry, to read on from there.
        limit: most entries.

    Raises:
        ConfigurationError: the connection has no journal.
    """
    journal = journal_of(odoo)
    found = journal.store.latest(
        identity(odoo), odoo.uid, since=_moment(since), before=before, limit=min(limit, _MOST)
    )
    return [_shown(odoo, entry) for entry in found]


@operation
def undo(
    odoo: Odoo,
    *,
    entry: Annotated[int, Doc("Id of the entry of the history.")],
    partly: Annotated[bool, Doc("Take back what can be, where something else cannot be.")] = False,
    dry_run: DryRun = False,
) -> UndoResult | Plan:
    """Take back what one operation has written, in reverse order.

    Everything is looked at first. Fields that somebody has changed since, documents that have gone
    on, and what Odoo has no way back for stop it, before anything is written; ``partly`` takes
    back the rest.

    >>> undo(odoo, entry=7, dry_run=True).message  # doctest: +SKIP
    'Would take back confirm_order: S00012 would be made a quotation again.'

    Args:
        odoo: the connection; it must have a journal.
        entry: its id, as :func:`history` shows it.
        partly: whether to leave out what cannot be taken back.
        dry_run: look, and write nothing.

    Raises:
        NotFoundError: there is no such entry of this user in this database.
        StateError: it is taken back already, or something is in the way; ``details`` has what is,
            and what could still be done.
    """
    return _undo(odoo, [_entry(odoo, entry)], partly, dry_run)


@operation
def undo_since(
    odoo: Odoo,
    *,
    moment: Annotated[str | datetime, Doc("A time, ISO 8601; UTC where it has no zone.")],
    partly: Annotated[bool, Doc("Take back what can be, where something else cannot be.")] = False,
    dry_run: DryRun = False,
) -> UndoResult | Plan:
    """Take back everything that this user has written since a time, the newest first.

    Args:
        odoo: the connection; it must have a journal.
        moment: from when on.
        partly: whether to leave out what cannot be taken back.
        dry_run: look, and write nothing.

    Raises:
        NotFoundError: nothing was written since.
        StateError: something is in the way, see :func:`undo`.
        ValidationError: too much was written since; take back entry by entry.
    """
    journal = journal_of(odoo)
    found = journal.store.latest(identity(odoo), odoo.uid, since=_moment(moment), limit=_MOST + 1)
    if len(found) > _MOST:
        raise ValidationError(
            f"More than {_MOST} operations have written since.",
            suggestion="Give a later time, or take back entry by entry.",
        )
    open_ones = [e for e in found if e.undoes is None and e.undone_by is None and _wrote(e)]
    if not open_ones:
        raise NotFoundError(
            "Nothing that could be taken back was written since.",
            suggestion="history shows what was written, and what was taken back.",
        )
    return _undo(odoo, open_ones, partly, dry_run)


def journal_of(odoo: Odoo) -> Journal:
    """Return the journal of a connection.

    Raises:
        ConfigurationError: it has none.
    """
    if not isinstance(odoo.journal, Journal):
        raise ConfigurationError(
            "This connection has no journal, so its writes are not known.",
            suggestion="Give connect the path of a file as its journal.",
        )
    return odoo.journal


def _entry(odoo: Odoo, entry_id: int) -> HistoryEntry:
    found = journal_of(odoo).store.get(entry_id)
    if found is None or found.database != identity(odoo) or found.uid != odoo.uid:
        raise NotFoundError(
            f"There is no entry {entry_id} of this user and this database in the journal.",
            suggestion="history shows what there is. Other people take back their own writes.",
            details={"entry": entry_id},
        )
    if found.undone_by is not None:
        raise StateError(
            f"HistoryEntry {entry_id} ({found.operation}) is taken back already, by entry"
            f" {found.undone_by}.",
            suggestion="Nothing needs to be done.",
        )
    if found.undoes is not None:
        raise StateError(
            f"HistoryEntry {entry_id} is itself the undoing of entry {found.undoes}.",
            suggestion="Do again what was taken back instead.",
        )
    if not _wrote(found):
        raise StateError(
            f"HistoryEntry {entry_id} ({found.operation}) has written nothing: {found.outcome}.",
            suggestion="Nothing needs to be done.",
        )
    return found


def _wrote(entry: HistoryEntry) -> bool:
    return any(write.outcome not in GONE for write in entry.writes)


def _moment(value: str | datetime | None) -> str:
    if value is None:
        return ""
    try:
        found = (
            datetime.fromisoformat(value.replace("Z", "+00:00"))
            if isinstance(value, str)
            else value
        )
    except ValueError:
        raise ValidationError(
            f"{str(value)[:60]!r} is not a time.", suggestion="Give it like 2026-11-23T14:30:00Z."
        ) from None
    found = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
    return found.astimezone(timezone.utc).isoformat(timespec="milliseconds")


def _shown(odoo: Odoo, entry: HistoryEntry) -> HistoryEntry:
    """Return an entry without what the policy closes today."""
    return attrs.evolve(entry, writes=[_open(odoo, write) for write in entry.writes])


def _open(odoo: Odoo, write: Write) -> Write:
    def rows(
        found: Mapping[int, Mapping[str, Any]], names: Iterable[str]
    ) -> dict[int, dict[str, Any]]:
        return {n: {k: v for k, v in row.items() if k in names} for n, row in found.items()}

    given = write.values if isinstance(write.values, list) else [write.values or {}]
    mentioned = {
        name for row in [*given, *write.before.values(), *write.after.values()] for name in row
    }
    try:
        odoo.check(Call(model=write.model, method="read", ids=(1,), arguments={"fields": ["id"]}))
        kept = kept_fields(odoo, write.model, dict.fromkeys(mentioned))
    except OdooError:
        kept = {}
    values = [{k: v for k, v in row.items() if k in kept} for row in given]
    return attrs.evolve(
        write,
        values=values if isinstance(write.values, list) else (values[0] if write.values else None),
        before=rows(write.before, kept),
        after=rows(write.after, kept),
        lines=[_open(odoo, line) for line in write.lines],
    )


# What would be done ----------------------------------------------------------------------------


def _undo(
    odoo: Odoo, entries: Sequence[HistoryEntry], partly: bool, dry_run: bool
) -> UndoResult | Plan:
    found = _find(odoo, [write for entry in reversed(entries) for write in entry.writes])
    remains = found.remains
    blocked = [item for item in found.items if item.part.blocked]
    free = [item for item in found.items if not item.part.blocked]
    what = ", ".join(f"{entry.operation} (entry {entry.id})" for entry in entries[:5])
    what += f" and {len(entries) - 5} more" if len(entries) > 5 else ""
    if blocked and not (partly and free):
        raise StateError(
            f"{what} cannot be taken back: {'; '.join(str(i.part.blocked) for i in blocked[:5])}.",
            suggestion="With partly the rest is taken back: "
            + " ".join(item.part.says for item in free[:5])
            if free
            else "Nothing of it can be taken back.",
            details={
                "in_the_way": [item.part.blocked for item in blocked],
                "possible": [item.part.says for item in free],
            },
        )
    if not free:
        raise StateError(
            f"Nothing of {what} can be taken back. {' '.join(remains)}".strip(),
            suggestion="Everything is as it was before already, or Odoo has no way back.",
        )
    for item in free:
        permit(odoo, *item.steps, dry_run=dry_run)
    if dry_run:
        shown = plan(odoo, [], [], f"Would take back {what}: {' '.join(i.part.says for i in free)}")
        planned = [plan(odoo, item.steps, item.part.ids, "") for item in free]
        return attrs.evolve(
            shown,
            needs=next((p.needs for p in planned if p.needs), None),
            calls=[call for p in planned for call in p.calls],
            warnings=[*(str(i.part.blocked) for i in blocked), *remains],
        )
    return _take_back(odoo, entries, what, found)


def take_back(odoo: Odoo, entry: HistoryEntry) -> UndoResult:
    """Take back what an operation that still runs has written, as far as it can be.

    What is in the way of one thing does not keep the others from being taken back. ``left`` has
    all that is there still, also what nothing takes back; nothing is raised for it.
    """
    what = f"{entry.operation} (entry {entry.id})"
    try:
        found = _find(odoo, entry.writes)
        with apart():
            result = _take_back(odoo, [entry], what, found, running=True)
    except OdooError as error:
        left = [f"All of it: it cannot be looked at. {error.message}"]
        return UndoResult(entries=[entry.id], done=[], left=left, remains=[], message="")
    lost = list(dict.fromkeys(text for texts in found.lost.values() for text in texts))
    left = [*result.left, *lost]
    return attrs.evolve(result, left=left, remains=[t for t in result.remains if t not in lost])


def in_doubt(entry: HistoryEntry) -> list[str]:
    """Say of which calls of an entry it is not known whether they were applied."""
    return [
        f"Whether {write.method} of {write.model} was applied is not known."
        for write in entry.writes
        if write.outcome in ("sent", "doubtful")
    ]


def _take_back(
    odoo: Odoo,
    entries: Sequence[HistoryEntry],
    what: str,
    found: _Found,
    *,
    running: bool = False,
) -> UndoResult:
    journal = journal_of(odoo)
    items = [item for item in found.items if not item.part.blocked]
    left = [str(item.part.blocked) for item in found.items if item.part.blocked]
    done: list[str] = []
    warnings: list[str] = []
    failed = False
    with journal.operation(odoo, "undo", undoes=entries[0].id) as recording:
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
                left += [f"{item.part.says} Odoo refused it: {error.message}"]
                left += [f"Not tried: {later.part.says}" for later in items[place + 1 :]]
                break
        if done or not running:
            recording.begin()
        _mark(journal, entries, found)
        if not failed and not left and recording.entry.id and not (running and found.lost):
            for entry in entries:
                journal.store.update(entry.id, undone_by=recording.entry.id)
    message = f"Took back {what}: {' '.join(done)}" if not left else f"Took back part of {what}."
    return UndoResult(
        entries=[entry.id for entry in entries],
        done=done,
        left=left,
        remains=found.remains,
        message=message,
        warnings=warnings,
    )


def _mark(journal: Journal, entries: Sequence[HistoryEntry], found: _Found) -> None:
    """Note of each write what has become of it: what is taken back is not done any more."""
    places = iter(range(len(found.writes)))
    for entry in reversed(entries):
        for own, write in enumerate(entry.writes):
            outcome: Any = found.outcome(next(places))
            if outcome != write.outcome:
                write.outcome = outcome
                journal.store.mark(entry.id, own, outcome)


def _do(odoo: Odoo, item: _Item, warnings: list[str]) -> str:
    if item.check and (changed := item.check()):
        raise StateError(changed, suggestion="history shows what the values were.")
    ids = item.part.ids
    try:
        done = make(odoo, item.steps, ids)
    except OdooError as error:
        if not item.otherwise or error.outcome == "maybe_applied":
            raise
        done = make(odoo, item.otherwise, ids)
        warnings += [*done.warnings, f"{item.says_otherwise} Odoo refused more: {error.message}"]
        return item.says_otherwise
    warnings += done.warnings
    if not done.complete:
        raise StateError(done.warnings[-1], suggestion="Remove the obstacle, then try again.")
    return item.part.done or item.part.says


def _find(odoo: Odoo, writes: Sequence[Write]) -> _Found:
    """Return what takes some writes back, the last first, and what nothing takes back."""
    version = odoo.version.major
    there = [(place, write) for place, write in enumerate(writes) if write.outcome not in GONE]
    made = {(w.made_model, n) for _, w in there for n in w.made}
    parts = [(place, part) for place, write in there for part in (*write.lines, write)]
    flat, origins = [part for _, part in parts], [place for place, _ in parts]
    ways: dict[int, list[WayBack]] = {}
    seen: set[tuple[str, tuple[int, ...]]] = set()
    for place, write in enumerate(flat):
        if _is_looked_up(write, version):
            ways[place] = [
                way
                for way in _looked_up(odoo, write)
                # A button and the wizard that it opened lead to the same.
                if (way.model, tuple(way.ids)) not in seen
            ]
            seen |= {(way.model, tuple(way.ids)) for way in ways[place]}
    # What a way back settles is not taken back by itself.
    settled = {record for own in ways.values() for way in own for record in way.covers}
    restored = _Restored(odoo, flat, made | settled)
    found = _Found(writes=writes)
    items, remains = found.items, found.remains
    states: dict[tuple[str, int], str] = {}

    def lost(place: int, *told: str) -> None:
        remains.extend(told)
        if told:
            found.lost.setdefault(origins[place], []).extend(told)

    for place in range(len(flat) - 1, -1, -1):
        write = flat[place]
        before = len(items)
        if place in ways:
            opposite = opposite_of(write.model, write.method, version)
            unless = opposite.unless if opposite else ()
            items += [_by_way(odoo, write, w, unless, later=bool(items)) for w in ways[place]]
            _are_of(items[before:], [origins[place]])
            remains += [opposite.remains] if opposite and opposite.remains else []
            continue
        if write.method in ("create", "write") and known(write.model).is_wizard:
            continue
        if write.method == "write":
            for item, of in restored.at(place):
                _are_of([item], [origins[each] for each in of])
                items.append(item)
            lost(place, *restored.told(place))
            continue
        opposite = known(write.model).opposite(write.method, version)
        # What Odoo does not tell to be a wizard may be a record that somebody wants gone.
        if opposite is None and is_transient(odoo, write.model, untold=False):
            if write.method != "create":
                lost(place, f"{write.method} of {write.model} has no known opposite.")
            continue
        opposite = opposite or opposite_of(write.model, write.method, version)
        if opposite and opposite.remains and not opposite.is_known and not opposite.made:
            lost(place, opposite.remains)
        elif opposite and opposite.remains:
            remains.append(opposite.remains)
        model, ids = write.model, write.ids
        if write.made:
            model = write.made_model
            ids = [number for number in write.made if (model, number) not in settled]
            opposite = opposite_of(model, "create", version)
            if opposite and opposite.remains:
                remains.append(opposite.remains)
        elif opposite and opposite.made:
            opposite = None
        elif opposite and opposite.of:
            model, ids = opposite.of, list(write.before)
        if opposite is None or not opposite.by:
            if opposite is None and not write.made:
                lost(place, _unknown(write))
            continue
        if write.outcome == "doubtful" and write.method in CREATES:
            remains.append(f"Whether a record of {model} was created is not known: look for it.")
            continue
        items += _opposites(odoo, model, ids, opposite, write.before, states, later=bool(items))
        _are_of(items[before:], [origins[place]])
    found.remains = list(dict.fromkeys(remains))
    return found


def _are_of(items: Sequence[_Item], places: Iterable[int]) -> None:
    for item in items:
        item.of = frozenset(places)


def _unknown(write: Write) -> str:
    if write.made_model:
        return f"Which {write.made_model} {write.method} of {write.model} has made is not known."
    return f"{write.method} of {write.model} has no known opposite."


def _is_looked_up(write: Write, version: int) -> bool:
    """Whether a function says how a call is taken back."""
    opposite = opposite_of(write.model, write.method, version)
    return opposite is not None and "looked_up" in opposite.by


def _by_way(
    odoo: Odoo, write: Write, way: WayBack, unless: Sequence[Block], *, later: bool
) -> _Item:
    def blocks() -> str | None:
        # What is taken back before it may have been what blocked it.
        now = next((w for w in _looked_up(odoo, write) if w.ids == way.ids), None)
        return (now.blocked if now else None) or others()

    def others() -> str | None:
        found = (_in_the_way(odoo, number, way.name, unless) for number in write.ids)
        return next((block for block in found if block), None) if unless else None

    return _Item(
        part=Part(
            model=way.model,
            ids=way.ids,
            says=f"{way.name} would be {way.says}.",
            done=f"{way.name} is {way.says}.",
            blocked=None if later else way.blocked or others(),
        ),
        check=blocks if later else None,
        steps=way.steps,
    )


def _looked_up(odoo: Odoo, write: Write) -> list[WayBack]:
    return way_back(write.model, write.method)(odoo, write)


def _opposites(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    opposite: Opposite,
    before: Mapping[int, Mapping[str, Any]],
    states: dict[tuple[str, int], str],
    *,
    later: bool,
) -> list[_Item]:
    """Return what takes back what a method did to some records.

    Args:
        states: in which records are after what is taken back before it; is added to.
    """
    names = [_NAME, "state"] if "state" in odoo.schema.fields(model) else [_NAME]
    names += ["active"] if "active" in odoo.schema.fields(model) else []
    rows = {row["id"]: row for row in read_rows(odoo, model, [["id", "in", list(ids)]], names)}
    items = []
    for number in reversed(ids):
        row = rows.get(number)
        if row is None:
            continue  # deleted since: nothing is left of it
        name = row[_NAME] or f"{model} {number}"
        back_to = before.get(number, {}).get("state")
        state = states.get((model, number), row.get("state"))
        steps, then = _steps(odoo, model, opposite.by, opposite.context, state, back_to)
        if not steps:
            continue  # what is taken back before it has done it
        if then is not None:
            states[model, number] = then
        less = "archived" if "archive" in opposite.otherwise else "cancelled"
        what = opposite.says or "as before"
        other, _ = _steps(odoo, model, opposite.otherwise, opposite.context, state)
        blocks = functools.partial(_in_the_way, odoo, number, name, opposite.unless)
        items.append(
            _Item(
                part=Part(
                    model=model,
                    ids=[number],
                    says=f"{name} would be {what}.",
                    done=f"{name} is {what}.",
                    # What is taken back before it may be what is in the way.
                    blocked=None if later else blocks(),
                ),
                check=blocks if later else None,
                steps=steps,
                otherwise=other,
                says_otherwise=f"{name} is {less}.",
            )
        )
    return items


def _steps(
    odoo: Odoo,
    model: str,
    methods: Sequence[str],
    context: Sequence[str],
    state: str | None,
    back_to: str | None = None,
) -> tuple[list[AnyStep], str | None]:
    """Return the steps that some methods are, and the state to which they lead.

    Args:
        state: in which the record is; what is not for it is left out.
        back_to: in which it is to be; what leads on from there is left out.
    """
    steps: list[AnyStep] = []
    true = dict.fromkeys(context, True)
    for method in methods:
        if back_to is not None and state == back_to:
            break
        method, _, only = method.partition("@")
        if only and state != only:
            continue
        if method in ("archive", "unarchive"):
            if "active" in odoo.schema.fields(model):
                values = {"active": method == "unarchive"}
                steps.append(Step(model=model, method="write", arguments={"vals": values}))
            continue
        if method == "unlink":
            steps.append(Step(model=model, method="unlink"))
            continue
        move = known(model).move(method, odoo.version.major)
        if move and state is not None:
            if state not in (*move.sources, *move.also):
                continue
            state = move.to[0]
            seen = _in_state(model, move.to)
            steps.append(Step(model=model, method=method, context=true, seen=seen))
        else:
            steps.append(Step(model=model, method=method, context=true))
    return steps, state


def _in_state(model: str, states: Sequence[str]) -> Callable[[Odoo, int], bool | None]:
    def seen(odoo: Odoo, number: int) -> bool | None:
        rows = read_rows(odoo, model, [["id", "=", number]], ["state"])
        return True if rows and rows[0]["state"] in states else None

    return seen


def _in_the_way(odoo: Odoo, number: int, name: str, blocks: Sequence[Block]) -> str | None:
    for block in blocks:
        domain = [[f, o, number if v == "ID" else v] for f, o, v in block.domain]
        try:
            rows = read_rows(odoo, block.model, domain, [_NAME], limit=5)
        except OdooError as error:
            if error.code in ("UNKNOWN_MODEL", "INVALID_FIELD"):
                continue  # the module is not installed
            raise
        if rows:
            names = ", ".join(str(row[_NAME]) for row in rows)
            return f"{name}: {block.says.format(names=names)}"
    return None


# Field values ----------------------------------------------------------------------------------


class _Restored:
    """The old values of fields: of several writes to one field, the first one's."""

    def __init__(self, odoo: Odoo, writes: Sequence[Write], made: set[tuple[str, int]]) -> None:
        self._odoo, self._writes = odoo, writes
        #: (model, id, field) -> the places of the first and the last write.
        places: dict[tuple[str, int, str], tuple[int, int]] = {}
        for place, write in enumerate(writes):
            if write.method != "write":
                continue
            for number in write.ids:
                if (write.model, number) in made:
                    continue
                for name in write.values or {}:
                    first = places.get((write.model, number, name), (place, place))[0]
                    places[write.model, number, name] = (first, place)
        self._places = places
        self._made = made

    def told(self, place: int) -> list[str]:
        """Say which fields of a write cannot be written back."""
        write = self._writes[place]
        lost = [
            n for n in write.not_kept if any((write.model, i) not in self._made for i in write.ids)
        ]
        if not lost:
            return []
        return [f"The old values of {', '.join(lost)} of {write.model} are not kept."]

    def at(self, place: int) -> list[tuple[_Item, set[int]]]:
        """Return what is written back where the first write of some fields was.

        With each comes where the writes are that it takes back.
        """
        write = self._writes[place]
        wanted: dict[int, list[str]] = {}
        for (model, number, name), (first, _) in self._places.items():
            if first == place and model == write.model and number in write.ids:
                wanted.setdefault(number, []).append(name)
        if not wanted:
            return []
        fields = kept_fields(
            self._odoo, write.model, {n: None for names in wanted.values() for n in names}
        )
        now = self._now(write, list(wanted), list(fields))
        return [
            (item, self._of(write.model, number, names))
            for number, names in wanted.items()
            for item in self._record(write, number, [n for n in names if n in fields], fields, now)
        ]

    def _of(self, model: str, number: int, names: Sequence[str]) -> set[int]:
        """Return where the writes to some fields of a record are."""
        return {
            place
            for place, write in enumerate(self._writes)
            if (write.model, write.method) == (model, "write")
            and number in write.ids
            and not (write.values or {}).keys().isdisjoint(names)
        }

    def _record(
        self,
        write: Write,
        number: int,
        names: Sequence[str],
        fields: Mapping[str, Field],
        now: Mapping[int, Mapping[str, Any]],
    ) -> list[_Item]:
        label = f"{write.model} {number}"
        row = now.get(number)
        if row is None:
            gone = f"{label} is not there any more"
            return [_Item(part=Part(model=write.model, ids=[number], says="", blocked=gone))]
        name = row.get(_NAME) or label
        values: dict[str, Any] = {}
        alike: dict[str, Any] = {}
        changed = []
        for field in names:
            before = write.before.get(number, {})
            if field not in before:
                continue
            last = self._writes[self._places[write.model, number, field][1]]
            if _same(row.get(field), before[field], fields[field]):
                alike[field] = _back(before[field], before[field], fields[field])
                continue  # as before already
            if not self._as_left(last, number, field, row, fields):
                changed.append(field)
                continue
            back = _back(before[field], last.after.get(number, {}).get(field), fields[field])
            if back is not None:
                values[field] = back
        items: list[_Item] = []
        if changed:
            listed = ", ".join(changed)
            blocked = f"{name}: {listed} {'was' if len(changed) == 1 else 'were'} changed since"
            items.append(
                _Item(part=Part(model=write.model, ids=[number], says="", blocked=blocked))
            )
        if not values:
            return items
        shown = ", ".join(
            f"{fields[f].string or f} {_brief(row.get(f))} → {_brief(write.before[number][f])}"
            for f in values
        )
        looked_at = list(values)
        if all(value is None for value in (write.values or {}).values()):
            # What a button has changed: Odoo must not compute the rest of it anew.
            values |= {field: back for field, back in alike.items() if back is not None}
        step = Step(
            model=write.model, method="write", arguments={"vals": values}, context=write.context
        )
        return [
            *items,
            _Item(
                part=Part(
                    model=write.model,
                    ids=[number],
                    says=f"{name}: {shown}.",
                ),
                steps=[step],
                check=lambda: self._changed(write, number, looked_at, row, fields),
            ),
        ]

    def _changed(
        self,
        write: Write,
        number: int,
        names: Sequence[str],
        then: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> str | None:
        """Look again, right before the values are written."""
        now = self._now(write, [number], names).get(number, {})
        other = [n for n in names if not _same(now.get(n), then.get(n), fields[n])]
        return (
            f"{', '.join(other)} of {write.model} {number} was changed just now." if other else None
        )

    def _as_left(
        self,
        write: Write,
        number: int,
        name: str,
        row: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> bool:
        """Whether a field holds what the last write of the entry left in it."""
        after = write.after.get(number, {})
        if name in after:
            return _same(row.get(name), after[name], fields[name])
        given = {number: {name: (write.values or {}).get(name)}}
        return not differences(write.model, given, {number: dict(row)}, fields)

    def _now(
        self, write: Write, ids: Sequence[int], names: Sequence[str]
    ) -> dict[int, dict[str, Any]]:
        rows = self._odoo.call(
            Call(
                model=write.model,
                method="search_read",
                arguments={"domain": [["id", "in", list(ids)]], "fields": [_NAME, *names]},
                context={**write.context, "active_test": False},
                step=True,
            )
        )
        return {row["id"]: row for row in rows}


def _same(one: Any, other: Any, field: Field) -> bool:
    """Whether two values that Odoo sent are the same."""
    if field.type == "many2one":
        return bool((one or [0])[0] == (other or [0])[0])
    if field.type in TO_MANY:
        return set(one or ()) == set(other or ())
    return bool((one or False) == (other or False))


def _back(before: Any, after: Any, field: Field) -> Any:
    """Return what writes an old value; None where nothing does."""
    if field.type == "many2one":
        return before[0] if before else False
    if field.type == "many2many":
        return [[6, 0, list(before or ())]]
    if field.type == "one2many":
        new = set(after or ()) - set(before or ())
        return [[2, line, 0] for line in sorted(new)] or None
    return before


def _brief(value: Any) -> str:
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[1], str):
        return value[1]
    text = str(value if value not in (False, None) else "(empty)")
    return text if len(text) <= 40 else f"{text[:39]}…"


readable_signatures(globals())
