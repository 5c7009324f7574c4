"""What the history knows of an operation: who, when, which writes, and what the values were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs

from odoo_toolkit.display import Shown

Outcome = Literal["running", "done", "partial", "refused", "doubtful"]

#: Outcomes of a write of which nothing is there.
GONE = ("refused", "undone")

#: A record: its model and id.
Key = tuple[str, int]

#: The model and method of a call that the file of the change history does not hold any more.
DAMAGED = "(damaged in the change history)"

#: Of a context, what decides which value of a field is meant.
KEPT_CONTEXT = frozenset({"lang", "tz", "company_id", "allowed_company_ids", "force_company"})


@attrs.define(kw_only=True)
class Write(Shown):
    """One writing call.

    Attributes:
        model: that it was made on.
        method: of the model.
        ids: the records that it was called on.
        values: of ``create`` and ``write``, what was sent; closed fields and files are not kept.
        context: what of it decides which value is meant, such as the language.
        before: of ``write``, record id -> field -> value, as Odoo sends it.
        after: the same after the write, as far as it was read.
        lines: of ``write``, what it changed on the lines of the record.
        not_kept: fields that it changed and whose old values are not known.
        made_model: of the records that it created.
        made: their ids.
        outcome: ``sent`` while no answer is known; ``doubtful`` where it was lost; ``undone`` where
            it was taken back, ``partial`` where a part of it was.
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
        id: by which it is undone.
        started: in UTC, ISO 8601.
        finished: the same; None while it runs, or where its process ended first.
        database: the address and name of the database.
        uid: of the Odoo user.
        client: the program that asked for it.
        operation: the function, such as ``confirm_order``.
        message: what its result said.
        outcome: ``done``; ``partial``, where a later step failed; ``refused``; ``doubtful``, where
            an answer was lost; ``running``, where no end was written.
        writes: the calls, in order.
        idempotency_key: the caller's key, by which a retry is known.
        undoes: the entry that this one took back.
        undone_by: the entry that took this one back.
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
