"""A summary of the history: operations, records by name, and how to undo them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs

from odoo_toolkit.change_history import HistoryEntry, Write
from odoo_toolkit.change_history.entries import GONE, Key, Outcome, is_only_of, passing
from odoo_toolkit.change_history.undo_preview import Undo, foretold, policy_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.documents import read_rows
from odoo_toolkit.undoing.functions import history, no_entry
from odoo_toolkit.wizards.catalog import known_wizard

#: Records that one entry names, and writes, records and lines that its details have.
_NAMED, _DETAILED = 5, 20


@attrs.frozen(kw_only=True)
class HistorySummary(Shown):
    """A summary of one operation that wrote to Odoo.

    Attributes:
        entry: Id of the entry, to pass to ``undo``.
        started: Start time in UTC, ISO 8601.
        operation: Name of the function, such as ``confirm_order``.
        outcome: See :class:`HistoryEntry`.
        message: Message of its result.
        client: Program that called it.
        records: Records that it created or changed, by name if they can still be read, or if an
            undo has deleted them.
        undo: How to undo it, as far as this is known without asking Odoo. None if the operation is
            already undone.
        undoes, undone_by: Ids of other entries.
        writes: The calls, if you asked for one entry.
        truncated: True if the entry contains more than is shown.
    """

    entry: int
    started: str
    operation: str
    outcome: Outcome
    message: str = ""
    client: str = ""
    records: list[str] = attrs.Factory(list)
    undo: Undo | None = None
    undoes: int | None = None
    undone_by: int | None = None
    writes: list[Write] = attrs.Factory(list)
    truncated: bool = False


def overview(
    odoo: Odoo,
    *,
    since: str | datetime | None = None,
    before: int | None = None,
    limit: int = 20,
) -> list[HistorySummary]:
    """Return what :func:`history` returns in short, the newest first.

    Raises:
        ConfigurationError: the connection has no change history.
    """
    return _summaries(odoo, history(odoo, since=since, before=before, limit=limit))


def details(odoo: Odoo, *, entry: int) -> HistorySummary:
    """Return one entry with its calls, without values that the policy closes today.

    Raises:
        NotFoundError: there is no such entry of this user in this database.
    """
    found = [one for one in history(odoo, before=entry + 1, limit=1) if one.id == entry]
    if not found:
        raise no_entry(entry)
    (short,) = _summaries(odoo, found)
    writes = [_cut(write) for write in found[0].writes[:_DETAILED]]
    whole = writes == found[0].writes
    return attrs.evolve(short, writes=writes, truncated=not whole)


def undo_of(odoo: Odoo, entry: HistoryEntry) -> Undo | None:
    """Return what could be taken back of an entry by this connection.

    None where it has written nothing, is taken back already, or took something back itself.
    """
    gone = passing(entry.writes)
    calls = [
        (write.model, write.method, {"vals": write.values, "not_kept": write.not_kept})
        for write in entry.writes
        if write.outcome not in GONE and not is_only_of(write, gone)
    ]
    if not entry.id or not calls or entry.undoes is not None or entry.undone_by is not None:
        return None
    version = odoo.version.major
    return foretold(
        calls,
        version,
        lambda model: known_wizard(model, version) is not None,
        entry=entry.id,
        refused=policy_of(odoo),
    )


def undo_facts(odoo: Odoo, entries: Iterable[HistoryEntry]) -> dict[str, Any] | None:
    """Return what a result says of undoing the entries that it made; None if it wrote nothing."""
    for entry in entries:
        found = undo_of(odoo, entry)
        if found and found.possible == "none":
            return {"entry": entry.id, "possible": "none", "not_undone": found.not_undone}
        if found:
            return {"entry": entry.id, "possible": found.possible, "until": found.until}
    return None


def _summaries(odoo: Odoo, entries: Sequence[HistoryEntry]) -> list[HistorySummary]:
    touched = [_touched(odoo, entry) for entry in entries]
    deleted = _deleted(odoo, entries)
    named = [record for records in touched for record in records[:_NAMED]]
    names = _names(odoo, named, deleted)
    found = []
    for entry, records in zip(entries, touched, strict=True):
        shown = [
            f"{names[record]} ({record[0]} {record[1]})"
            if record in names
            else f"{record[0]} {record[1]}"
            for record in records[:_NAMED]
        ]
        if len(records) > _NAMED:
            shown.append(f"and {len(records) - _NAMED} more")
        found.append(
            HistorySummary(
                entry=entry.id,
                started=entry.started,
                operation=entry.operation,
                outcome=entry.outcome,
                message=entry.message,
                client=entry.client,
                records=shown,
                undo=undo_of(odoo, entry),
                undoes=entry.undoes,
                undone_by=entry.undone_by,
            )
        )
    return found


def _touched(odoo: Odoo, entry: HistoryEntry) -> list[Key]:
    """Return the records that an entry created or changed; wizards are none.

    What it has made only for itself, such as the file of a print, is none either.
    """
    version, gone = odoo.version.major, passing(entry.writes)
    found: dict[Key, None] = {}
    for write in entry.writes:
        if write.outcome == "refused":
            continue
        records = [(write.model, number) for number in write.ids]
        records += [(write.made_model, number) for number in write.made]
        kept = [record for record in records if record not in gone]
        found |= {r: None for r in kept if known_wizard(r[0], version) is None}
    return list(found)


def _deleted(odoo: Odoo, entries: Sequence[HistoryEntry]) -> dict[Key, str]:
    """Return the names of records that an undo has deleted, as it read them before."""
    found = {entry.id: entry for entry in entries}
    for number in {entry.undone_by for entry in entries if entry.undone_by} - found.keys():
        found |= {one.id: one for one in history(odoo, before=number + 1, limit=1)}
    return {
        (write.model, number): row["display_name"]
        for entry in found.values()
        for write in entry.writes
        if write.method == "unlink"
        for number, row in write.before.items()
        if row.get("display_name")
    }


def _names(odoo: Odoo, records: Iterable[Key], deleted: Mapping[Key, str]) -> dict[Key, str]:
    by_model: dict[str, list[int]] = {}
    for model, number in records:
        by_model.setdefault(model, []).append(number)
    names: dict[Key, str] = {}
    for model, ids in by_model.items():
        try:
            # Whom the policy lets read the model may have the names.
            if odoo.policy.model_problem(model, "read"):
                continue
            names |= {key: name for key, name in deleted.items() if key[0] == model}
            rows = read_rows(odoo, model, [["id", "in", sorted(set(ids))]], ["display_name"])
        except OdooError:
            continue
        names |= {(model, row["id"]): row["display_name"] for row in rows if row["display_name"]}
    return names


def _cut(write: Write) -> Write:
    values = write.values[:_DETAILED] if isinstance(write.values, list) else write.values
    return attrs.evolve(
        write,
        ids=write.ids[: 10 * _DETAILED],
        made=write.made[: 10 * _DETAILED],
        values=values,
        before=dict(list(write.before.items())[:_DETAILED]),
        after=dict(list(write.after.items())[:_DETAILED]),
        lines=write.lines[:_DETAILED],
    )
