"""The entries of the change history, written before a call is sent and after its answer.

Rows are added, and completed by the process that added them; only what is too old, or too much, is
ever removed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
from cattrs import BaseValidationError, Converter

from odoo_toolkit.change_history.entries import DAMAGED, HistoryEntry, Owner, Write
from odoo_toolkit.databases import Form, PostgresDatabase, Session, database_of
from odoo_toolkit.errors import make_error

FORM = Form(
    noun="change history",
    error="HISTORY_ERROR",
    schema="odoo_toolkit",
    steps=(
        """
CREATE TABLE IF NOT EXISTS entry (
    id {number}, started TEXT NOT NULL, finished TEXT,
    database TEXT NOT NULL, uid INTEGER NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT 'running',
    idempotency_key TEXT, digest TEXT, result TEXT, undoes BIGINT, undone_by BIGINT
);
CREATE UNIQUE INDEX IF NOT EXISTS entry_key ON entry (database, uid, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entry_started ON entry (database, uid, started);
CREATE TABLE IF NOT EXISTS write (
    entry BIGINT NOT NULL REFERENCES entry (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (entry, place)
){end};
""",
        """
CREATE TABLE IF NOT EXISTS approval (
    id {number}, asked TEXT NOT NULL, database TEXT NOT NULL, uid INTEGER NOT NULL,
    who TEXT NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL, message TEXT NOT NULL,
    digest TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', decided TEXT, decider TEXT
);
""",
        """
ALTER TABLE entry ADD COLUMN database_uuid TEXT;
DROP INDEX IF EXISTS entry_key;
CREATE UNIQUE INDEX IF NOT EXISTS entry_key_of_uuid
    ON entry (database, uid, idempotency_key, COALESCE(database_uuid, ''))
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entry_of_key ON entry (uid, idempotency_key);
CREATE INDEX IF NOT EXISTS entry_of_uuid ON entry (database_uuid, uid, started);
""",
        """
DROP INDEX IF EXISTS entry_of_uuid;
""",
    ),
    measured=("entry", "write"),
)

#: What stands for the result of a keyed entry before its first call is sent, and after that.
BEGUN, _SENT = "begun", "sent"

#: Entries after which the bounds are looked at again.
_LOOKED_AT = 200

#: Characters of one call that are kept; what is more is left out, and cannot be taken back.
_MOST_TEXT = 2_000_000

_ENTRY = [field.name for field in attrs.fields(HistoryEntry) if field.name != "writes"]

_converter = Converter()


@attrs.frozen(kw_only=True)
class Keyed:
    """What there is of a key.

    Attributes:
        entry: that it was given for.
        digest: of the function and its arguments.
        result: once it is done; before that :data:`BEGUN`, or that something was sent.
        elsewhere: whether it was used in what may be another database, such as a copy.
    """

    entry: HistoryEntry
    digest: str | None
    result: str | None
    elsewhere: bool = False


class Store:
    """The entries of a change history; safe to share between threads and processes.

    Args:
        place: the path of a file, or the address of a database of PostgreSQL.
        days: after which entries are removed.
        megabytes: at which the oldest entries are removed.

    Raises:
        ConfigurationError: it is of a newer version, is not a change history, or cannot be written.
    """

    def __init__(self, place: str | Path, *, days: int, megabytes: int) -> None:
        #: Where they are.
        self.database = database_of(place, FORM)
        #: By which it is told from others, and called in messages.
        self.name = self.database.name
        #: Whether other machines can reach them.
        self.shared = isinstance(self.database, PostgresDatabase)
        self._days, self._bytes = days, megabytes * 1_000_000
        self._added = 0

    def begin(self, entry: HistoryEntry, digest: str | None = None, uuid: str | None = None) -> int:
        """Add an entry and return its id.

        Args:
            entry: as it is begun.
            digest: of a keyed one, of its function and arguments.
            uuid: of the database, if it is known.

        Raises:
            OdooError: it cannot be written; code ``HISTORY_ERROR``.
            KeyError: there is one with the same key, or one that may be of the same database.
            ConfigurationError: it has a key, and a newer version has changed the tables meanwhile.
        """
        row = {
            **{name: getattr(entry, name) for name in _ENTRY if name != "id"},
            "database_uuid": uuid or None,
            "digest": digest,
            "result": BEGUN if entry.idempotency_key else None,
        }
        names = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        key = entry.idempotency_key
        # Those who come by another address have the same turn: no index tells them apart.
        turns = [f"key {entry.uid} {key}"] if key else []
        condition, values = _may_be_of(Owner(database=entry.database, uuid=uuid, uid=entry.uid))
        used = f"SELECT id FROM entry WHERE idempotency_key = ? AND {condition}"  # noqa: S608
        with self.database.writing(*turns) as session:
            if key and session.execute(used, [key, *values]).fetchone():
                raise KeyError(key)
            row_id = session.execute(
                f"INSERT INTO entry ({names}) VALUES ({marks}) RETURNING id",  # noqa: S608
                list(row.values()),
            ).fetchone()["id"]
            if key:
                # A newer version may tell keys apart by what this one does not write.
                self.database.check(session)
            self._added += 1
            if self._added % _LOOKED_AT == 1:
                self._shorten(session)
        return int(row_id)

    def update(self, entry_id: int, **values: Any) -> None:
        """Complete an entry; names as of :class:`HistoryEntry`, and ``result``."""
        names = ", ".join(f"{name} = ?" for name in values)
        with self.database.writing() as session:
            session.execute(
                f"UPDATE entry SET {names} WHERE id = ?",  # noqa: S608
                [*values.values(), entry_id],
            )

    def send_off(self, entry_id: int) -> bool:
        """Note that a keyed entry sends its first call; whether it still has its key."""
        with self.database.writing() as session:
            cursor = session.execute(
                "UPDATE entry SET result = ? WHERE id = ? AND result = ?", [_SENT, entry_id, BEGUN]
            )
        return bool(cursor.rowcount == 1)

    def release(self, found: Keyed) -> bool:
        """Free the key of an entry of which nothing is in Odoo; whether it was as it was read.

        Its own program, if it still runs, is stopped by :meth:`send_off`.
        """
        with self.database.writing() as session:
            cursor = session.execute(
                "UPDATE entry SET idempotency_key = NULL, result = NULL, outcome = 'refused'"
                " WHERE id = ? AND COALESCE(result, '') = ?",
                [found.entry.id, found.result or ""],
            )
        return bool(cursor.rowcount == 1)

    def put(self, entry_id: int, place: int, write: Write) -> None:
        """Add one of its writes, or complete it."""
        body = _body(write)
        if len(body) > _MOST_TEXT:
            short = attrs.evolve(
                write,
                values=None,
                before={},
                after={},
                lines=[],
                made=write.made[:1000],
                not_kept=[*write.not_kept, "(more than the change history keeps of one call)"],
            )
            body = _body(short)
        with self.database.writing() as session:
            session.execute(
                "INSERT INTO write (entry, place, body) VALUES (?, ?, ?)"
                " ON CONFLICT (entry, place) DO UPDATE SET body = excluded.body",
                (entry_id, place, body),
            )

    def mark(self, entry_id: int, place: int, outcome: str) -> None:
        """Note what has become of one of its writes since."""
        with self.database.writing() as session:
            row = session.execute(
                "SELECT body FROM write WHERE entry = ? AND place = ?", [entry_id, place]
            ).fetchone()
            body = json.dumps({**_kept(row["body"], entry_id), "outcome": outcome})
            session.execute(
                "UPDATE write SET body = ? WHERE entry = ? AND place = ?", [body, entry_id, place]
            )

    def get(self, entry_id: int, owner: Owner) -> HistoryEntry | None:
        """Return an entry with its writes; None where there is none, or it is of another owner."""
        condition, values = _of(owner)
        found = self._entries(f"WHERE id = ? AND {condition}", [entry_id, *values])
        return found[0] if found else None

    def by_key(self, owner: Owner, key: str) -> Keyed | None:
        """Return what there is of a key; None where it is new.

        It has :attr:`Keyed.elsewhere` if it was used at another address or with another uuid, and
        nothing says that this is another database.
        """

        def used(condition: str, values: list[Any]) -> list[HistoryEntry]:
            condition = f"WHERE idempotency_key = ? AND {condition} ORDER BY id DESC LIMIT 1"
            return self._entries(condition, [key, *values])

        here = used(*_of(owner))
        found = here or used(*_may_be_of(owner))
        if not found:
            return None
        with self.database.reading() as session:
            row = session.execute(
                "SELECT outcome, digest, result FROM entry WHERE id = ?", [found[0].id]
            ).fetchone()
        # It can have ended between the two.
        found[0].outcome = row["outcome"]
        return Keyed(entry=found[0], digest=row["digest"], result=row["result"], elsewhere=not here)

    def latest(
        self, owner: Owner, *, since: str = "", before: int | None = None, limit: int
    ) -> list[HistoryEntry]:
        """Return the latest entries of a user, the newest first."""
        condition, values = _of(owner)
        condition, values = f"WHERE {condition} AND started >= ?", [*values, since]
        if before is not None:
            condition, values = f"{condition} AND id < ?", [*values, before]
        return self._entries(f"{condition} ORDER BY id DESC LIMIT ?", [*values, limit])

    def open(self) -> None:
        """Open it, which the first use does by itself.

        Raises:
            OdooError: it cannot be used.
        """
        with self.database.reading():
            pass

    def exists(self) -> bool:
        """Whether it was made before; nothing is made by this."""
        return self.database.exists()

    def close(self) -> None:
        """Close it; the next use opens it again."""
        self.database.close()

    def _entries(self, condition: str, values: Sequence[Any]) -> list[HistoryEntry]:
        with self.database.reading() as session:
            rows = session.execute(
                f"SELECT {', '.join(_ENTRY)} FROM entry {condition}",  # noqa: S608
                list(values),
            ).fetchall()
            found = []
            for row in rows:
                bodies = session.execute(
                    "SELECT body FROM write WHERE entry = ? ORDER BY place", [row["id"]]
                )
                writes = [_write(body["body"]) for body in bodies.fetchall()]
                found.append(HistoryEntry(**dict(row), writes=writes))
        return found

    def _shorten(self, session: Session) -> None:
        """Remove what is too old, and of what is too much the oldest tenth."""
        oldest = (datetime.now(UTC) - timedelta(days=self._days)).isoformat()
        session.execute("DELETE FROM entry WHERE started < ?", [oldest])
        session.execute("DELETE FROM approval WHERE asked < ?", [oldest])
        if self.database.size(session) > self._bytes:
            session.execute(
                "DELETE FROM entry WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 10"
                " FROM entry)"
            )


def _of(owner: Owner) -> tuple[str, list[Any]]:
    """Return the condition that entries are of an owner: of the same address and name.

    A copy that was restored elsewhere has the name, the uuid and the users of its original, so only
    the address tells the two apart. Another uuid at the same address is another database.
    """
    same, uuid = "uid = ? AND database = ?", owner.uuid or ""
    if not uuid:
        return same, [owner.uid, owner.database]
    return f"{same} AND COALESCE(database_uuid, '') IN ('', ?)", [owner.uid, owner.database, uuid]


def _may_be_of(owner: Owner) -> tuple[str, list[Any]]:
    """Return the condition that entries are of an owner, or may be: of a copy, or another address.

    The name decides only if a uuid is unknown.
    """
    named, name = _is_named(owner)
    if owner.uuid:
        named = f"(database_uuid = ? OR COALESCE(database_uuid, '') = '' AND {named})"
        name = [owner.uuid, *name]
    return f"uid = ? AND (database = ? OR {named})", [owner.uid, owner.database, *name]


def _is_named(owner: Owner) -> tuple[str, list[Any]]:
    """Return the condition that a database has the owner's name, or may have it.

    A server that chooses the database itself gives no name.
    """
    if not owner.name:
        return "TRUE", []
    end = "substr(database, length(database) - {})"
    return f"({end.format(0)} = '/' OR {end.format(len(owner.name))} = ?)", [f"/{owner.name}"]


def _body(write: Write) -> str:
    return json.dumps(_converter.unstructure(write), default=str, separators=(",", ":"))


def _write(text: str) -> Write:
    """Return a call as it was kept; one that cannot be read is known to have been made."""
    try:
        return _converter.structure(json.loads(text), Write)
    except (ValueError, TypeError, KeyError, BaseValidationError):
        return Write(model=DAMAGED, method=DAMAGED, outcome="doubtful")


def _kept(text: str, entry_id: int) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise make_error(
            "HISTORY_ERROR",
            f"The calls of entry {entry_id} of the change history cannot be read, because the "
            "file is damaged there.",
            suggestion="Check in Odoo what was done, then do the rest with a new idempotency key.",
            details={"entry": entry_id},
            outcome="not_sent",
        )
    return found
