"""The file of the journal: SQLite, written before a call is sent and after its answer.

Rows are added, and completed by the process that added them; only what is too old, or too much, is
ever removed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import attrs
from cattrs import Converter

from odoo_toolkit.errors import ConfigurationError, OdooError, make_error
from odoo_toolkit.journal.entries import HistoryEntry, Write

#: The form of the tables. A file of a newer one is left alone.
_VERSION = 1

_TABLES = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT, started TEXT NOT NULL, finished TEXT,
    database TEXT NOT NULL, uid INTEGER NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT 'running',
    key TEXT, digest TEXT, result TEXT, undoes INTEGER, undone_by INTEGER
);
CREATE UNIQUE INDEX IF NOT EXISTS entry_key ON entry (database, uid, key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entry_started ON entry (database, uid, started);
CREATE TABLE IF NOT EXISTS write (
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (entry, place)
) WITHOUT ROWID;
"""

#: Seconds to wait for another process that writes.
_PATIENCE = 10.0

#: Entries after which the bounds are looked at again.
_LOOKED_AT = 200

#: Characters of one call that are kept; what is more is left out, and cannot be taken back.
_MOST_TEXT = 2_000_000

_ENTRY = [field.name for field in attrs.fields(HistoryEntry) if field.name != "writes"]

_converter = Converter()


@attrs.define(kw_only=True)
class Reply:
    """Of a call of a keyed entry, what tells it from others, and what it was answered.

    Attributes:
        digest: of the call.
        sent: when it was sent, in seconds since the epoch.
        answered: whether the answer is known and kept.
        answer: as JSON has it.
    """

    digest: str
    sent: float
    answered: bool = False
    answer: Any = None


@attrs.frozen(kw_only=True)
class Keyed:
    """What there is of a key.

    Attributes:
        entry: that it was given for.
        digest: of the function and its arguments.
        result: once it is done; before that the process that runs it.
    """

    entry: HistoryEntry
    digest: str | None
    result: str | None


class Store:
    """The entries of a journal; safe to share between threads and processes.

    Args:
        path: of the file; it is made where it is missing, readable by its owner only.
        days: after which entries are removed.
        megabytes: at which the oldest entries are removed.

    Raises:
        ConfigurationError: it is of a newer version, is not a journal, or cannot be written.
    """

    def __init__(self, path: Path, *, days: int, megabytes: int) -> None:
        self.path, self._days, self._bytes = path, days, megabytes * 1_000_000
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._added = 0

    def begin(
        self, entry: HistoryEntry, digest: str | None = None, process: str | None = None
    ) -> int:
        """Add an entry and return its id.

        Args:
            entry: as it is begun.
            digest: of a keyed one, of its function and arguments.
            process: of a keyed one, which runs it; it stands where the result will be.

        Raises:
            OdooError: it cannot be written; code ``JOURNAL_ERROR``.
            KeyError: there is one with the same key.
        """
        row = {**_columns(entry), "digest": digest, "result": process}
        del row["id"]
        names = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        with self._writing() as connection:
            try:
                cursor = connection.execute(
                    f"INSERT INTO entry ({names}) VALUES ({marks})",  # noqa: S608
                    list(row.values()),
                )
            except sqlite3.IntegrityError as error:
                raise KeyError(entry.key) from error
            self._added += 1
            if self._added % _LOOKED_AT == 1:
                self._shorten(connection)
        return int(cursor.lastrowid or 0)

    def update(self, entry_id: int, **values: Any) -> None:
        """Complete an entry; names as of :class:`HistoryEntry`, and ``result``."""
        names = ", ".join(f"{name} = ?" for name in values)
        with self._writing() as connection:
            connection.execute(
                f"UPDATE entry SET {names} WHERE id = ?",  # noqa: S608
                [*values.values(), entry_id],
            )

    def claim(self, entry_id: int, outcome: str, result: str | None, process: str) -> bool:
        """Take an entry that was begun, to go on with it; whether nobody else has done so before.

        Args:
            entry_id: of the entry.
            outcome, result: that it has, as they were read.
            process: which goes on with it.
        """
        with self._writing() as connection:
            cursor = connection.execute(
                "UPDATE entry SET outcome = 'running', finished = NULL, undone_by = NULL,"
                " result = ? WHERE id = ? AND outcome = ? AND result IS ?",
                [process, entry_id, outcome, result],
            )
        return cursor.rowcount == 1

    def put(self, entry_id: int, place: int, write: Write, reply: Reply | None = None) -> None:
        """Add one of its writes, or complete it."""
        body = _body(write, reply)
        if len(body) > _MOST_TEXT:
            short = attrs.evolve(
                write,
                values=None,
                before={},
                after={},
                lines=[],
                made=write.made[:1000],
                not_kept=[*write.not_kept, "(more than the journal keeps of one call)"],
            )
            body = _body(short, reply)
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO write (entry, place, body) VALUES (?, ?, ?)",
                (entry_id, place, body),
            )

    def mark(self, entry_id: int, place: int, outcome: str) -> None:
        """Note what has become of one of its writes since."""
        with self._writing() as connection:
            row = connection.execute(
                "SELECT body FROM write WHERE entry = ? AND place = ?", [entry_id, place]
            ).fetchone()
            body = json.dumps({**json.loads(row["body"]), "outcome": outcome})
            connection.execute(
                "UPDATE write SET body = ? WHERE entry = ? AND place = ?", [body, entry_id, place]
            )

    def replies(self, entry_id: int) -> dict[int, Reply]:
        """Return by place which calls a keyed entry has made, and what they were answered."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT place, body FROM write WHERE entry = ?", [entry_id]
            ).fetchall()
        bodies = {row["place"]: json.loads(row["body"]) for row in rows}
        return {
            place: _converter.structure(body["reply"], Reply)
            for place, body in bodies.items()
            if body.get("reply")
        }

    def get(self, entry_id: int) -> HistoryEntry | None:
        """Return an entry with its writes; None where there is none."""
        found = self._entries("WHERE id = ?", [entry_id])
        return found[0] if found else None

    def by_key(self, database: str, uid: int, key: str) -> Keyed | None:
        """Return what there is of a key; None where it is new."""
        found = self._entries("WHERE database = ? AND uid = ? AND key = ?", [database, uid, key])
        if not found:
            return None
        with self._reading() as connection:
            row = connection.execute(
                "SELECT outcome, digest, result FROM entry WHERE id = ?", [found[0].id]
            ).fetchone()
        # It can have ended between the two.
        found[0].outcome = row["outcome"]
        return Keyed(entry=found[0], digest=row["digest"], result=row["result"])

    def latest(
        self, database: str, uid: int, *, since: str = "", before: int | None = None, limit: int
    ) -> list[HistoryEntry]:
        """Return the latest entries of a user, the newest first."""
        condition, values = (
            "WHERE database = ? AND uid = ? AND started >= ?",
            [database, uid, since],
        )
        if before is not None:
            condition, values = f"{condition} AND id < ?", [*values, before]
        return self._entries(f"{condition} ORDER BY id DESC LIMIT ?", [*values, limit])

    def open(self) -> None:
        """Open the file, which the first use does by itself.

        Raises:
            OdooError: it cannot be used.
        """
        with self._reading():
            pass

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    def _entries(self, condition: str, values: Sequence[Any]) -> list[HistoryEntry]:
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(_ENTRY)} FROM entry {condition}",  # noqa: S608
                list(values),
            ).fetchall()
            found = []
            for row in rows:
                bodies = connection.execute(
                    "SELECT body FROM write WHERE entry = ? ORDER BY place", [row["id"]]
                )
                writes = [_converter.structure(json.loads(body[0]), Write) for body in bodies]
                found.append(HistoryEntry(**dict(row), writes=writes))
        return found

    def _shorten(self, connection: sqlite3.Connection) -> None:
        """Remove what is too old, and of what is too much the oldest tenth."""
        oldest = (datetime.now(timezone.utc) - timedelta(days=self._days)).isoformat()
        connection.execute("DELETE FROM entry WHERE started < ?", [oldest])
        used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
        if used * _pragma(connection, "page_size") > self._bytes:
            connection.execute(
                "DELETE FROM entry WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 10"
                " FROM entry)"
            )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._opened()
            except sqlite3.Error as error:
                raise self._problem(error) from error

    def _opened(self) -> sqlite3.Connection:
        # SQLite must not be used on in the child of a process that has forked.
        if self._connection is None or self._process != os.getpid():
            self._connection, self._process = self._open(), os.getpid()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise ConfigurationError(
                f"The journal {self.path} cannot be written: {error.strerror or error}.",
                suggestion="Give another file, or the right to write this one.",
            ) from error
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        try:
            version = _pragma(connection, "user_version")
            if version > _VERSION:
                raise ConfigurationError(
                    f"The journal {self.path} is of a newer version of the toolkit"
                    f" (form {version}, this one writes {_VERSION}).",
                    suggestion="Update the toolkit, or give another file.",
                )
            connection.execute("PRAGMA foreign_keys = ON")
            if version < _VERSION:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            # A write that the machine forgets when its power fails is one that Odoo may have.
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _problem(self, error: sqlite3.Error) -> OdooError:
        todo = "Free some space, or give another file."
        if isinstance(error, sqlite3.DatabaseError) and "locked" in str(error):
            todo = "Another process holds it: wait, or end that process."
        elif "malformed" in str(error) or "not a database" in str(error):
            todo = "The file is damaged: move it away, and a new one is made; keep it to look at."
        return make_error(
            "JOURNAL_ERROR",
            f"The journal {self.path} cannot be used: {error}.",
            suggestion=todo,
            outcome="not_sent",
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _body(write: Write, reply: Reply | None) -> str:
    body = _converter.unstructure(write)
    if reply:
        body["reply"] = _converter.unstructure(reply)
    return json.dumps(body, default=str, separators=(",", ":"))


def _columns(entry: HistoryEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _ENTRY}
