"""Entries of the change history: the user, the time, the calls, and the values before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.display.results import Shown

Outcome = Literal["running", "done", "partial", "refused", "doubtful"]

#: Of the context of a wizard, the records for which it was opened.
OPENED_FOR = ("active_model", "active_ids")

#: Outcomes of a write of which nothing is there.
GONE = ("refused", "undone")


@attrs.frozen(kw_only=True)
class Owner:
    """One user in one database: who writes an entry.

    Attributes:
        database: Address and name of the database, as this connection has them.
        uuid: By which Odoo knows the database and its copies. None if this user can't read it.
        uid: Id of the user.
    """

    database: str
    uuid: str | None = None
    uid: int

    @property
    def name(self) -> str:
        """The name of the database; empty if the server chooses it."""
        return self.database.rpartition("/")[2]


#: A record: its model and id.
Key = tuple[str, int]

#: The model and method of a call that the file of the change history does not hold any more.
DAMAGED = "(damaged in the change history)"

#: Of a context, what decides which value of a field is meant.
KEPT_CONTEXT = frozenset({"lang", "tz", "company_id", "allowed_company_ids", "force_company"})


@attrs.define(kw_only=True)
class Write(Shown):
    """One call that wrote to Odoo.

    Attributes:
        model: Model that was called.
        method: Method of the model.
        ids: Ids of the records that it was called on.
        values: Values that ``create`` or ``write`` sent. Blocked fields and files are not stored.
        context: Parts of the context that decide which value is meant, such as the language. Of a
            wizard, also the records for which it was opened.
        before: Values before a ``write``, as Odoo sends them: record id -> field -> value.
        after: Values after a ``write``, as far as they were read.
        lines: Changes that a ``write`` made to lines of the record.
        not_kept: Changed fields whose values before are unknown.
        made_model: Model of the records that the call created.
        made: Ids of the records that the call created.
        outcome: ``sent`` until the response arrives, ``doubtful`` if the response was lost,
            ``undone`` or ``partial`` after an undo.
    """

    model: str
    method: str
    ids: list[int] = attrs.Factory(list)
    values: Any = None
    context: dict[str, Any] = attrs.Factory(dict)
    before: dict[int, dict[str, Any]] = attrs.Factory(dict)
    after: dict[int, dict[str, Any]] = attrs.Factory(dict)
    lines: list[Write] = attrs.Factory(list)
    not_kept: list[str] = attrs.Factory(list)
    made_model: str = ""
    made: list[int] = attrs.Factory(list)
    outcome: Literal["sent", "done", "refused", "doubtful", "undone", "partial"] = "sent"


@attrs.define(kw_only=True)
class HistoryEntry(Shown):
    """One operation that wrote to Odoo.

    Attributes:
        id: Id of the entry, to pass to ``undo``.
        started: Start time in UTC, ISO 8601.
        finished: End time. None while it runs, or if its process ended first.
        database: Address and name of the database.
        uid: Id of the Odoo user.
        client: Program that called it.
        operation: Name of the function, such as ``confirm_order``.
        message: Message of the result.
        outcome: ``done``, ``partial`` if a later step failed, ``refused``, ``doubtful`` if a
            response was lost, or ``running`` if it has no end time.
        writes: The calls, in order.
        idempotency_key: Key that identifies a retry.
        undoes: Id of the entry that this one undid.
        undone_by: Id of the entry that undid this one.
    """

    id: int
    started: str
    finished: str | None = None
    database: str
    uid: int
    client: str = ""
    operation: str
    message: str = ""
    outcome: Outcome = "running"
    writes: list[Write] = attrs.Factory(list)
    idempotency_key: str | None = None
    undoes: int | None = None
    undone_by: int | None = None


def opened_for(context: Mapping[str, Any]) -> tuple[str, list[int]]:
    """Return the records for which a wizard was opened; none if its context does not name any.

    A context is as the caller sent it.
    """
    model, ids = context.get("active_model"), context.get("active_ids")
    ids = [n for n in ids if isinstance(n, int)] if isinstance(ids, (list, tuple)) else []
    return (model, ids) if isinstance(model, str) and ids else ("", [])


def passing(writes: Iterable[Write]) -> set[Key]:
    """Return the records that some writes have made and deleted again: nothing is left of them."""
    there = [write for write in writes if write.outcome not in GONE]
    made = {(write.made_model, number) for write in there for number in write.made}
    deleted = [w for w in there if w.method == "unlink" and w.outcome == "done"]
    return made & {(write.model, number) for write in deleted for number in write.ids}


def is_only_of(write: Write, records: set[Key]) -> bool:
    """Whether a write has made, or was made on, some records and no others."""
    model, ids = (write.made_model, write.made) if write.made else (write.model, write.ids)
    return bool(ids) and all((model, number) in records for number in ids)
