"""Finds out whether a call wrote to the database: every table and sequence is compared.

Triggers count the writing statements, which makes the usual answer (nothing was written) cheap;
only where something was, all tables are hashed again. A transaction's number would not do: it is
of the whole cluster, where the tests of other databases run at the same time.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Collection, Iterator
from typing import Any

import attrs
import pytest

from tests.provisioning import postgres

#: Rows that a failure shows of each table, and the characters of each row.
SHOWN_ROWS, SHOWN_CHARACTERS = 4, 400

WATCH = """
CREATE SCHEMA watch;
CREATE SEQUENCE watch.writes;
CREATE FUNCTION watch.count() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('watch.writes'); RETURN NULL; END $$;
CREATE FUNCTION watch.count_command() RETURNS event_trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('watch.writes'); END $$;
CREATE FUNCTION watch.hashes() RETURNS TABLE (name text, lines bigint, hash text)
    LANGUAGE plpgsql AS $$ BEGIN
    FOR name IN SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    LOOP
        EXECUTE format('SELECT count(*), md5(string_agg(md5(t::text), '''' ORDER BY md5(t::text)))'
            ' FROM public.%I t', name) INTO lines, hash;
        RETURN NEXT;
    END LOOP; END $$;
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    LOOP
        EXECUTE format('CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE'
            ' ON public.%I EXECUTE FUNCTION watch.count()', one.relname);
    END LOOP; END $$;
CREATE EVENT TRIGGER watch_commands ON ddl_command_end EXECUTE FUNCTION watch.count_command();
"""
WRITES = "SELECT last_value, is_called FROM watch.writes"
SEQUENCES = (
    "SELECT coalesce(json_object_agg(sequencename, last_value), '{}') FROM pg_sequences"
    " WHERE schemaname = 'public'"
)
HASHES = "SELECT json_object_agg(name, json_build_array(lines, hash)) FROM watch.hashes()"
#: Of a row the number of the transaction that wrote it is known; numbers only grow.
NEXT_TRANSACTION = "SELECT pg_snapshot_xmax(pg_current_snapshot())"
WRITTEN_ROWS = (
    "SELECT coalesce(json_agg(t), '[]') FROM (SELECT * FROM public.\"{table}\""
    " WHERE xmin::text::bigint >= {transaction} LIMIT {limit}) t"
)


@attrs.frozen
class State:
    """What a database held: table -> rows and hash, sequence -> last value."""

    tables: dict[str, list[Any]]
    sequences: dict[str, int | None]
    transaction: int
    """The first one that is not in it."""


class Database:
    """A database that is watched; one process of psql serves all questions."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._writes = ""
        self._tables: dict[str, list[Any]] = {}
        self._psql = subprocess.Popen(
            postgres.psql_command(name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def close(self) -> None:
        """End psql."""
        self._psql.communicate("\\q\n")

    def watch(self) -> Database:
        """Set up the triggers; to be done once, before anything is compared."""
        self.ask(WATCH)
        return self

    def ask(self, sql: str) -> str:
        """Run SQL and return what it selects, unadorned.

        Raises:
            RuntimeError: PostgreSQL does not accept it.
        """
        psql = self._psql
        assert psql.stdin
        assert psql.stdout
        psql.stdin.write(f"{sql.strip().removesuffix(';')};\n\\echo <<end>> :ERROR\n")
        psql.stdin.flush()
        lines: list[str] = []
        for line in psql.stdout:
            if line.startswith("<<end>>"):
                said = "".join(lines).strip()
                if "ERROR: " in said:
                    raise RuntimeError(f"{self.name}: {said}")
                return said
            lines.append(line)
        raise RuntimeError(f"psql ended: {''.join(lines)}")

    def counters(self) -> str:
        """Return what changes with every write and every number taken; told quickly."""
        return self.ask(WRITES) + self.ask(SEQUENCES)

    def state(self) -> State:
        """Return what the database holds now."""
        writes = self.ask(WRITES)
        if writes != self._writes:
            self._writes, self._tables = writes, json.loads(self.ask(HASHES))
        transaction = int(self.ask(NEXT_TRANSACTION))
        return State(self._tables, json.loads(self.ask(SEQUENCES)), transaction)

    def changes(self, before: State, besides: Collection[str] = ()) -> list[str]:
        """Say what changed since, table by table and sequence by sequence; nothing for no change.

        Args:
            before: an earlier state.
            besides: tables of which neither rows nor sequences are compared.
        """
        now = self.state()
        numbered = {f"{table}_id_seq" for table in besides}
        return [
            *(
                self._changed_table(table, before, now)
                for table in sorted({*before.tables, *now.tables} - set(besides))
                if before.tables.get(table) != now.tables.get(table)
            ),
            *(
                f"sequence {name}: {before.sequences.get(name)} -> {now.sequences.get(name)}"
                for name in sorted({*before.sequences, *now.sequences} - numbered)
                if before.sequences.get(name) != now.sequences.get(name)
            ),
        ]

    def _changed_table(self, table: str, before: State, now: State) -> str:
        if table not in now.tables:
            return f"table {table}: gone"
        asked = WRITTEN_ROWS.format(table=table, transaction=before.transaction, limit=SHOWN_ROWS)
        rows = [
            json.dumps({name: value for name, value in row.items() if value is not None})
            for row in json.loads(self.ask(asked))
        ]
        shown = "".join(f"\n    {row[:SHOWN_CHARACTERS]}" for row in rows)
        count = [state.tables.get(table, [0])[0] for state in (before, now)]
        return f"table {table}: {count[0]} -> {count[1]} rows; written:{shown or ' none'}"


@contextlib.contextmanager
def unchanged(database: Database, besides: Collection[str] = ()) -> Iterator[None]:
    """Fail unless the database is the same after the block; the failure names what changed.

    >>> with unchanged(database):
    ...     search_read(odoo, "res.partner")

    Args:
        database: a watched one, that nobody else uses.
        besides: tables that may change; say in the test why.
    """
    before = database.state()
    yield
    if found := database.changes(before, besides):
        pytest.fail("The database changed.\n" + "\n".join(found), pytrace=False)


#: What a login writes on its own: who logged in when, and from where (18 and later), and on 17 the
#: record of the user's own settings, at the first web login.
LOGIN_TABLES = ("res_users_log", "res_device_log", "res_users_settings")
