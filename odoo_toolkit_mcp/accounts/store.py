"""Where sign-ins are kept: one file of SQLite, or PostgreSQL for several server processes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import anyio
import anyio.to_thread

from odoo_toolkit.databases import Database, Form, database_of

P = ParamSpec("P")
T = TypeVar("T")

#: Times are seconds since the epoch. What ends in ``hash`` stands for a token that is not kept.
FORM = Form(
    noun="store of sign-ins",
    error="STORE_ERROR",
    schema="odoo_toolkit_accounts",
    steps=(
        """
CREATE TABLE client (
    id TEXT PRIMARY KEY, sealed TEXT NOT NULL, made DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION NOT NULL
);
CREATE TABLE request (
    hash TEXT PRIMARY KEY, sealed TEXT NOT NULL, ends DOUBLE PRECISION NOT NULL
);
CREATE TABLE account (
    id {number}, instance TEXT NOT NULL, uid BIGINT NOT NULL, login TEXT NOT NULL,
    name TEXT NOT NULL, sealed_key TEXT, key_id BIGINT, key_ends DOUBLE PRECISION,
    groups TEXT NOT NULL, checked DOUBLE PRECISION NOT NULL, made DOUBLE PRECISION NOT NULL,
    UNIQUE (instance, uid)
);
CREATE TABLE granted (
    id {number}, account BIGINT NOT NULL REFERENCES account (id), client TEXT NOT NULL,
    client_name TEXT NOT NULL, scopes TEXT NOT NULL, resource TEXT,
    made DOUBLE PRECISION NOT NULL, used DOUBLE PRECISION NOT NULL, ended DOUBLE PRECISION,
    why TEXT
);
CREATE INDEX granted_account ON granted (account);
CREATE TABLE code (
    hash TEXT PRIMARY KEY, granted BIGINT NOT NULL REFERENCES granted (id), body TEXT NOT NULL,
    ends DOUBLE PRECISION NOT NULL, used DOUBLE PRECISION
);
CREATE TABLE token (
    hash TEXT PRIMARY KEY, granted BIGINT NOT NULL REFERENCES granted (id), kind TEXT NOT NULL,
    scopes TEXT NOT NULL, ends DOUBLE PRECISION NOT NULL, used DOUBLE PRECISION
);
CREATE INDEX token_granted ON token (granted);
CREATE TABLE session (
    hash TEXT PRIMARY KEY, account BIGINT, ends DOUBLE PRECISION NOT NULL
);
CREATE TABLE attempt (
    id {number}, who TEXT NOT NULL, happened DOUBLE PRECISION NOT NULL
);
CREATE INDEX attempt_who ON attempt (who, happened);
CREATE TABLE activity (
    id {number}, happened DOUBLE PRECISION NOT NULL, instance TEXT NOT NULL, account BIGINT,
    client TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX activity_happened ON activity (happened);
CREATE TABLE spent (
    number TEXT PRIMARY KEY, ends DOUBLE PRECISION NOT NULL
);
CREATE TABLE calls (
    who TEXT NOT NULL, kind TEXT NOT NULL, span BIGINT NOT NULL, count BIGINT NOT NULL,
    PRIMARY KEY (who, kind, span)
);
""",
        """
CREATE TABLE file (
    hash TEXT PRIMARY KEY, owner TEXT NOT NULL, mimetype TEXT, sealed {bytes} NOT NULL,
    size BIGINT NOT NULL, ends DOUBLE PRECISION NOT NULL
);
""",
        """
CREATE TABLE left_key (
    account BIGINT NOT NULL REFERENCES account (id), key_id BIGINT NOT NULL,
    happened DOUBLE PRECISION NOT NULL, ends DOUBLE PRECISION, PRIMARY KEY (account, key_id)
);
""",
    ),
)

#: Threads that may wait for the store at once; they never wait for Odoo.
_THREADS = 8

#: How long what nobody needs any more is kept, so that a second use of it is still recognised.
_KEPT = 30 * 86_400.0

#: Seconds that the clocks of two processes may be apart without a seal being used twice.
_APART = 3600.0

#: Clients that never completed a sign-in are forgotten after this; others when nothing is granted
#: to them any more.
_UNUSED_CLIENT = 2 * 86_400.0


def open_store(place: str | Path) -> Database:
    """Return the store; its tables are made where they are missing.

    Args:
        place: the path of a file, or ``postgresql://...``.

    Raises:
        ConfigurationError: it is of a newer version, or cannot be written.
        OdooError: it cannot be used otherwise.
    """
    store = database_of(place, FORM)
    with store.reading():
        pass
    return store


def holds_secrets(store: Database) -> bool:
    """Whether a store has anything that a secret key has sealed for long."""
    with store.reading() as session:
        found = session.execute(
            "SELECT 1 FROM client UNION ALL SELECT 1 FROM account WHERE sealed_key IS NOT NULL"
            " LIMIT 1"
        ).fetchone()
    return found is not None


def now() -> float:
    """Return the time as the store has it."""
    return time.time()


class Aside:
    """Runs what uses the store beside the event loop."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    def __call__(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Run a function in a thread and return what it returns."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return anyio.to_thread.run_sync(lambda: function(*args, **kwargs), limiter=self._limiter)


#: Where it is used, an await stands before it.
aside = Aside()


def tidy(store: Database, activity_days: int) -> None:
    """Remove what has ended long ago.

    Args:
        store: to be tidied.
        activity_days: for how long it is kept who did what.
    """
    long_ago = now() - _KEPT
    with store.writing() as session:
        session.execute("DELETE FROM session WHERE ends < ?", [now()])
        session.execute("DELETE FROM left_key WHERE ends < ?", [now()])
        # Longer than it counts: at a process whose clock is behind, a seal may still hold.
        session.execute("DELETE FROM spent WHERE ends < ?", [now() - _APART])
        session.execute("DELETE FROM file WHERE ends < ?", [now()])
        session.execute("DELETE FROM code WHERE ends < ?", [long_ago])
        session.execute("DELETE FROM token WHERE ends < ?", [long_ago])
        session.execute("DELETE FROM attempt WHERE happened < ?", [now() - 86_400])
        session.execute("DELETE FROM calls WHERE span < ?", [int(now() // 60) - 120])
        session.execute("DELETE FROM activity WHERE happened < ?", [now() - activity_days * 86_400])
        session.execute(
            "DELETE FROM client WHERE used < ? AND id NOT IN (SELECT client FROM granted)",
            [now() - _UNUSED_CLIENT],
        )
