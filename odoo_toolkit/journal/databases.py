"""Where a journal is kept: a file of SQLite for one machine, or PostgreSQL for a team's servers.

Both take the same SQL, with ``?`` for a value; here is in what they differ.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from odoo_toolkit.errors import ConfigurationError, OdooError, make_error

if TYPE_CHECKING:
    import psycopg

#: The form of the tables. A journal of a newer one is left alone.
_VERSION = 2

_TABLES = """
CREATE TABLE IF NOT EXISTS entry (
    id {number}, started TEXT NOT NULL, finished TEXT,
    database TEXT NOT NULL, uid INTEGER NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT 'running',
    key TEXT, digest TEXT, result TEXT, undoes BIGINT, undone_by BIGINT
);
CREATE UNIQUE INDEX IF NOT EXISTS entry_key ON entry (database, uid, key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entry_started ON entry (database, uid, started);
CREATE TABLE IF NOT EXISTS write (
    entry BIGINT NOT NULL REFERENCES entry (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (entry, place)
){end};
CREATE TABLE IF NOT EXISTS approval (
    id {number}, asked TEXT NOT NULL, database TEXT NOT NULL, uid INTEGER NOT NULL,
    who TEXT NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL, message TEXT NOT NULL,
    digest TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', decided TEXT, decider TEXT
);
"""

#: Seconds to wait for another process that writes.
_PATIENCE = 10.0

#: How an address of PostgreSQL begins.
_POSTGRES = ("postgresql://", "postgres://")


class Rows(Protocol):
    """What a statement has found or changed."""

    @property
    def rowcount(self) -> int:
        """How many rows it has changed."""
        ...

    def fetchone(self) -> Any:
        """Return the next row, by the names of its columns."""
        ...

    def fetchall(self) -> Sequence[Any]:
        """Return all rows."""
        ...


class Session(Protocol):
    """What runs statements."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """Run one statement, with a ``?`` for each value."""
        ...


class Database(Protocol):
    """Where a journal is; safe to share between threads and processes."""

    #: By which it is told from others, and called in messages; without a password.
    name: str

    def reading(self) -> AbstractContextManager[Session]:
        """Give what reads; what goes wrong is an :class:`OdooError`."""
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Give what writes, all or nothing.

        Raises:
            KeyError: there is a row with the same key.
        """
        ...

    def size(self, session: Session) -> int:
        """Return how many bytes it has."""
        ...

    def exists(self) -> bool:
        """Whether it was made before."""
        ...

    def close(self) -> None:
        """Close it; the next use opens it again."""
        ...


def database_of(place: str | Path) -> Database:
    """Return what keeps a journal.

    Args:
        place: the path of a file, or the address of a database of PostgreSQL.
    """
    if isinstance(place, str) and place.startswith(_POSTGRES):
        return PostgresDatabase(place)
    return SqliteFile(Path(place).expanduser())


class SqliteFile:
    """A file of SQLite; it is made where it is missing, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give what reads; see :class:`Database`."""
        with self._lock:
            try:
                yield self._opened()
            except sqlite3.IntegrityError as error:
                raise KeyError(str(error)) from error
            except sqlite3.Error as error:
                raise self._problem(error) from error

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give what writes; see :class:`Database`."""
        with self.reading() as session:
            connection = self._opened()
            session.execute("BEGIN IMMEDIATE")
            try:
                yield session
                session.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    session.execute("ROLLBACK")

    def size(self, session: Session) -> int:
        """Return how many bytes are in use; see :class:`Database`."""
        connection = self._opened()
        used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
        return used * _pragma(connection, "page_size")

    def exists(self) -> bool:
        """Whether there is such a file; see :class:`Database`."""
        return self.path.exists()

    def close(self) -> None:
        """Close the file; see :class:`Database`."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

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
            _check_version(self.name, version)
            connection.execute("PRAGMA foreign_keys = ON")
            if version < _VERSION:
                connection.execute("PRAGMA journal_mode = WAL")
                number = "INTEGER PRIMARY KEY AUTOINCREMENT"
                connection.executescript(_TABLES.format(number=number, end=" WITHOUT ROWID"))
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
        return _unusable(self.name, error, todo)


class PostgresDatabase:
    """The schema ``odoo_toolkit`` of a database of PostgreSQL; it is made where it is missing.

    Args:
        address: ``postgresql://user@host/database``; what it leaves out, such as the password,
            comes from the environment and files of PostgreSQL's own programs.

    Raises:
        ConfigurationError: the package psycopg is missing.
    """

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise ConfigurationError(
                "A journal in PostgreSQL needs the package psycopg.",
                suggestion="Run pip install 'odoo-toolkit-mcp[postgres]'.",
            ) from error
        self._psycopg = psycopg
        self._address = address
        parts = urlsplit(address)
        self.name = f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._process = 0

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give what reads; see :class:`Database`."""
        with self._lock:
            try:
                yield _PostgresSession(self._alive())
            except self._psycopg.IntegrityError as error:
                raise KeyError(str(error)) from error
            except self._psycopg.Error as error:
                raise self._problem(error) from error

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give what writes; see :class:`Database`."""
        with self.reading() as session:
            connection = self._alive()
            with connection.transaction():
                yield session

    def size(self, session: Session) -> int:
        """Return how many bytes the tables have; see :class:`Database`."""
        row = session.execute(
            "SELECT pg_total_relation_size('entry') + pg_total_relation_size('write') AS size"
        ).fetchone()
        return int(row["size"])

    def exists(self) -> bool:
        """Whether there is such a database, which nobody makes by asking; see :class:`Database`."""
        return True

    def close(self) -> None:
        """Close the connection; see :class:`Database`."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    def _alive(self) -> psycopg.Connection[Any]:
        """Return the connection; a new one where the server has been restarted since."""
        connection = self._connection
        if connection is None or self._process != os.getpid() or connection.closed:
            return self._open()
        if connection.info.transaction_status == self._psycopg.pq.TransactionStatus.IDLE:
            try:
                connection.execute("SELECT 1")
            except self._psycopg.OperationalError:
                connection.close()
                return self._open()
        return connection

    def _open(self) -> psycopg.Connection[Any]:
        from psycopg.rows import dict_row

        connection: psycopg.Connection[Any] = self._psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=int(_PATIENCE),
            options=f"-c search_path=odoo_toolkit -c lock_timeout={int(_PATIENCE * 1000)}",
            row_factory=dict_row,
        )
        try:
            self._make_tables(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _make_tables(self, connection: psycopg.Connection[Any]) -> None:
        told = "SELECT obj_description(to_regnamespace('odoo_toolkit')::oid) AS form"
        row = connection.execute(told).fetchone()
        version = int((row or {}).get("form") or 0)
        _check_version(self.name, version)
        if version == _VERSION:
            return
        with connection.transaction():
            # One process makes them, the others wait.
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('odoo_toolkit'))")
            connection.execute("CREATE SCHEMA IF NOT EXISTS odoo_toolkit")
            number = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            connection.execute(_TABLES.format(number=number, end=""))
            connection.execute(f"COMMENT ON SCHEMA odoo_toolkit IS '{_VERSION}'")

    def _problem(self, error: psycopg.Error) -> OdooError:
        todo = "See that the database can be reached and written, then repeat."
        if isinstance(error, self._psycopg.errors.LockNotAvailable):
            todo = "Another process holds it: wait, or end that process."
        return _unusable(self.name, error, todo)


class _PostgresSession:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        found: Rows = self._connection.execute(sql.replace("?", "%s"), values)
        return found


def _check_version(name: str, version: int) -> None:
    if version > _VERSION:
        raise ConfigurationError(
            f"The journal {name} is of a newer version of the toolkit (form {version}, this one"
            f" writes {_VERSION}).",
            suggestion="Update the toolkit, or give another place.",
        )


def _unusable(name: str, error: Exception, todo: str) -> OdooError:
    return make_error(
        "JOURNAL_ERROR",
        f"The journal {name} cannot be used: {str(error).strip()}.",
        suggestion=todo,
        outcome="not_sent",
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
