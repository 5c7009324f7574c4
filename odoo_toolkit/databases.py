"""Tables of our own: a file of SQLite for one machine, or PostgreSQL for a team's servers.

Both take the same SQL, with ``?`` for a value; here is in what they differ. What is kept in them
says so by a :class:`Form`.
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

import attrs

from odoo_toolkit.errors import ConfigurationError, OdooError, make_error
from odoo_toolkit.installation import how_to_install

if TYPE_CHECKING:
    import psycopg

#: Seconds to wait for another process that writes.
_PATIENCE = 10.0

#: When SQLite waits for the disk: a write that the machine forgets when its power fails is one that
#: Odoo may have.
_SYNC = "FULL"

#: Connections that one process has to a database of PostgreSQL; more threads wait for one.
_CONNECTIONS = 4

#: How an address of PostgreSQL begins.
_POSTGRES = ("postgresql://", "postgres://")


@attrs.frozen(kw_only=True)
class Form:
    """What is kept, and in which tables.

    Attributes:
        noun: how messages call it, such as "change history".
        error: the code of the error that says that it cannot be used.
        schema: in which it is in PostgreSQL.
        steps: SQL that brings the tables from one version to the next; the first makes them.
            They are only ever added to. ``{number}`` stands for an id that counts up by itself,
            ``{bytes}`` for the type of bytes, ``{end}`` for what closes a table of which SQLite
            needs no row ids.
        measured: tables whose size counts.
        left: whether tables stay as they are, and none are made: for who only looks.
    """

    noun: str
    error: str
    schema: str
    steps: tuple[str, ...]
    measured: tuple[str, ...] = ()
    left: bool = False

    @property
    def version(self) -> int:
        """The version that the steps lead to."""
        return len(self.steps)

    def check(self, name: str, version: int) -> None:
        """See that tables are not of a newer version than this.

        Raises:
            ConfigurationError: they are; they are left alone.
        """
        if version > self.version:
            raise ConfigurationError(
                f"The {self.noun} {name} was written by a newer version of the toolkit (format "
                f"{version}, this one writes {self.version}).",
                suggestion="Update the toolkit, or choose another file.",
            )

    def unusable(self, name: str, error: Exception, todo: str) -> OdooError:
        """Return the error that says that it cannot be used."""
        return make_error(
            self.error,
            f"The {self.noun} {name} cannot be used: {_as_sentence(str(error))}",
            suggestion=todo,
            outcome="not_sent",
        )


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
    """Where tables are; safe to share between threads and processes."""

    #: By which it is told from others, and called in messages; without a password.
    name: str

    def reading(self) -> AbstractContextManager[Session]:
        """Give what reads; what goes wrong is an :class:`OdooError`."""
        ...

    def writing(self, *turns: str) -> AbstractContextManager[Session]:
        """Give what writes, all or nothing.

        Args:
            turns: who writes by the same name, in whichever process, waits for the other to end:
                for what is counted before it is written.

        Raises:
            KeyError: there is a row with the same key.
        """
        ...

    def check(self, session: Session) -> None:
        """See, after a write, that no newer process has changed the tables meanwhile.

        Raises:
            ConfigurationError: one has; what was written is undone.
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


def database_of(place: str | Path, form: Form) -> Database:
    """Return what keeps tables.

    Args:
        place: the path of a file, or the address of a database of PostgreSQL.
        form: of the tables.

    Raises:
        ConfigurationError: the package psycopg is missing.
    """
    if isinstance(place, str) and place.startswith(_POSTGRES):
        return PostgresDatabase(place, form)
    return SqliteFile(Path(place).expanduser(), form)


class SqliteFile:
    """A file of SQLite; it is made where it is missing, readable by its owner only."""

    def __init__(self, path: Path, form: Form) -> None:
        self.path, self.name, self._form = path, str(path), form
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
    def writing(self, *turns: str) -> Iterator[Session]:
        """Give what writes; see :class:`Database`. One at a time writes to a file anyway."""
        with self.reading() as session:
            connection = self._opened()
            session.execute("BEGIN IMMEDIATE")
            try:
                yield session
                session.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    session.execute("ROLLBACK")

    def check(self, session: Session) -> None:
        """See that no newer process has changed them; see :class:`Database`."""
        self._form.check(self.name, _pragma(self._opened(), "user_version"))

    def size(self, session: Session) -> int:
        """Return how many bytes are in use; see :class:`Database`."""
        connection = self._opened()
        used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
        return used * _pragma(connection, "page_size")

    def exists(self) -> bool:
        """Whether there is such a file; see :class:`Database`."""
        return self.path.exists() and self.path.stat().st_size > 0

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
            if not self._form.left:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            made = 0 if self._form.left else os.O_CREAT
            os.close(os.open(self.path, made | os.O_RDWR, 0o600))
        except OSError as error:
            raise ConfigurationError(
                f"The {self._form.noun} {self.path} cannot be written: {error.strerror or error}.",
                suggestion="Choose another file, or get permission to write this one.",
            ) from error
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        try:
            self._form.check(self.name, _pragma(connection, "user_version"))
            connection.executescript(f"PRAGMA foreign_keys = ON; PRAGMA synchronous = {_SYNC}")
            done = self._form.left or _pragma(connection, "user_version") == self._form.version
            if not done:
                self._make_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        number = "INTEGER PRIMARY KEY AUTOINCREMENT"
        # One process makes them, the others wait.
        connection.execute("BEGIN IMMEDIATE")
        try:
            done = _pragma(connection, "user_version")
            for step in self._form.steps[done:]:
                script = step.format(number=number, bytes="BLOB", end=" WITHOUT ROWID")
                for statement in _statements(script):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {max(done, self._form.version)}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _problem(self, error: sqlite3.Error) -> OdooError:
        todo = "Free some space, or choose another file."
        if isinstance(error, sqlite3.DatabaseError) and "locked" in str(error):
            todo = "Another process is using it. Wait, or end that process."
        elif "malformed" in str(error) or "not a database" in str(error):
            todo = (
                "The file is damaged. Keep a copy, and move the file away: the toolkit "
                "creates a new one."
            )
        return self._form.unusable(self.name, error, todo)


class PostgresDatabase:
    """A schema of a database of PostgreSQL; it is made where it is missing.

    Args:
        address: ``postgresql://user@host/database``; what it leaves out, such as the password,
            comes from the environment and files of PostgreSQL's own programs.
        form: of the tables.

    Raises:
        ConfigurationError: the package psycopg is missing.
    """

    def __init__(self, address: str, form: Form) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise ConfigurationError(
                f"A {form.noun} in PostgreSQL needs the package psycopg.",
                suggestion=how_to_install("postgres"),
            ) from error
        self._psycopg = psycopg
        self._address, self._form = address, form
        parts = urlsplit(address)
        self.name = f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._made = False
        self._begin()

    def _begin(self) -> None:
        # Those that nobody uses; the last used is the first to be lent.
        self._free = threading.BoundedSemaphore(_CONNECTIONS)
        self._idle: list[psycopg.Connection[Any]] = []
        self._process = os.getpid()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give what reads; see :class:`Database`."""
        with self._lent() as connection:
            yield _PostgresSession(connection)

    @contextmanager
    def writing(self, *turns: str) -> Iterator[Session]:
        """Give what writes; see :class:`Database`."""
        with self._lent() as connection, connection.transaction():
            session = _PostgresSession(connection)
            # In one order, so that two never wait for each other.
            for turn in sorted(turns):
                session.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
                    [f"{self._form.schema} {turn}"],
                )
            yield session

    def check(self, session: Session) -> None:
        """See that no newer process has changed them; see :class:`Database`."""
        self._version(session)

    def size(self, session: Session) -> int:
        """Return how many bytes the tables have; see :class:`Database`."""
        sizes = [f"pg_total_relation_size('{table}')" for table in self._form.measured]
        row = session.execute(f"SELECT {' + '.join(sizes)} AS size").fetchone()
        return int(row["size"])

    def exists(self) -> bool:
        """Whether the tables are there; see :class:`Database`."""
        try:
            with self._psycopg.connect(self._address, connect_timeout=int(_PATIENCE)) as connection:
                told = "SELECT to_regnamespace(%s)"
                found = connection.execute(told, [self._form.schema]).fetchone()
        except self._psycopg.Error:
            return True  # opening it says what is wrong
        return bool(found and found[0])

    def close(self) -> None:
        """Close the connections that nobody uses; see :class:`Database`."""
        if self._process == os.getpid():
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _lent(self) -> Iterator[psycopg.Connection[Any]]:
        """Lend a connection; one that has broken meanwhile is not lent again."""
        if self._process != os.getpid():
            self._begin()  # the connections are those of the process that has forked
        with self._free:
            connection = None
            try:
                connection = self._alive()
                yield connection
            except self._psycopg.IntegrityError as error:
                raise KeyError(str(error)) from error
            except self._psycopg.Error as error:
                raise self._problem(error) from error
            finally:
                if connection is not None:
                    self._give_back(connection)

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        status = connection.info.transaction_status
        if status == self._psycopg.pq.TransactionStatus.IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _alive(self) -> psycopg.Connection[Any]:
        """Return a connection; a new one where the server has been restarted since."""
        while self._idle:
            connection = self._idle.pop()
            try:
                connection.execute("SELECT 1")
            except self._psycopg.Error:
                connection.close()
            else:
                return connection
        return self._open()

    def _open(self) -> psycopg.Connection[Any]:
        from psycopg.rows import dict_row

        milliseconds = int(_PATIENCE * 1000)
        options = {
            "search_path": self._form.schema,
            "lock_timeout": milliseconds,
            # A process that stands still must not hold up the others.
            "idle_in_transaction_session_timeout": milliseconds,
        }
        connection: psycopg.Connection[Any] = self._psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=int(_PATIENCE),
            # A server that has vanished is not waited for longer than that.
            tcp_user_timeout=milliseconds,
            options=" ".join(f"-c {name}={value}" for name, value in options.items()),
            row_factory=dict_row,
        )
        try:
            # Once: where a newer process has added to the tables since, this one goes on.
            if not self._made:
                self._make_tables(connection)
        except BaseException:
            connection.close()
            raise
        self._made = True
        return connection

    def _make_tables(self, connection: psycopg.Connection[Any]) -> None:
        schema, form = self._form.schema, self._form
        session = _PostgresSession(connection)
        if self._version(session) == form.version or form.left:
            return
        with connection.transaction():
            # One process makes them, the others wait.
            connection.execute(f"SELECT pg_advisory_xact_lock(hashtext('{schema}'))")
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            number = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            for step in form.steps[self._version(session) :]:
                connection.execute(step.format(number=number, bytes="BYTEA", end=""))
            connection.execute(f"COMMENT ON SCHEMA {schema} IS '{form.version}'")

    def _version(self, session: Session) -> int:
        """Return the version of the tables, 0 where there are none.

        Raises:
            ConfigurationError: they are of a newer version.
        """
        told = f"SELECT obj_description(to_regnamespace('{self._form.schema}')::oid) AS form"
        version = int((session.execute(told).fetchone() or {}).get("form") or 0)
        self._form.check(self.name, version)
        return version

    def _problem(self, error: psycopg.Error) -> OdooError:
        todo = "Check that the database is reachable and writable, then try again."
        if isinstance(error, self._psycopg.errors.LockNotAvailable):
            todo = "Another process is using it. Wait, or end that process."
        return self._form.unusable(self.name, error, todo)


class _PostgresSession:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        found: Rows = self._connection.execute(sql.replace("?", "%s"), values)
        return found


def _as_sentence(told: str) -> str:
    """Return what a database says, which may be several lines, with one mark at its end."""
    told = " ".join(told.split())
    return told if told.endswith((".", "?", "!")) else f"{told}."


def _statements(script: str) -> list[str]:
    """Return the statements of a script, which has no semicolon within any of them."""
    return [part for part in script.split(";") if part.strip()]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
