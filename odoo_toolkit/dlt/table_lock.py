"""Keeps a second sync from loading a table while the first one does.

Two would share the table that dlt puts rows into before it merges them: each could empty it under
the other, and a changed row would be lost without a trace.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from odoo_toolkit.errors import StateError

if TYPE_CHECKING:
    from dlt import Pipeline

#: Tables that this process loads now: a DuckDB file keeps out other processes, but not threads.
_loading: set[tuple[str, ...]] = set()
_guard = threading.Lock()


@contextmanager
def alone(pipeline: Pipeline, table: str) -> Iterator[None]:
    """Hold a table of a destination, as far as that can keep out others.

    PostgreSQL does by a lock that goes with its connection, DuckDB by the file that is open in one
    process. Others have no lock that ends with the process that took it.

    Raises:
        StateError: another sync loads the table now.
    """
    kind = str(pipeline.destination.destination_type).rpartition(".")[2]
    held = {"postgres": _in_postgres, "duckdb": _in_duckdb}.get(kind)
    with held(pipeline, table) if held else nullcontext():
        yield


@contextmanager
def _in_postgres(pipeline: Pipeline, table: str) -> Iterator[None]:
    with pipeline.sql_client() as client:
        whole = client.make_qualified_table_name(table)
        digest = blake2b(f"odoo_toolkit sync {whole}".encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "big", signed=True)
        # Of the transaction, not of the session: a pool of connections would hand on the latter.
        with client.begin_transaction():
            client.execute_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            ((taken,),) = client.execute_sql("SELECT pg_try_advisory_xact_lock(%s)", key) or [(0,)]
            if not taken:
                raise _busy(table)
            yield
            # Whoever has lost the connection has lost the lock: this fails then.
            client.execute_sql("SELECT 1")


@contextmanager
def _in_duckdb(pipeline: Pipeline, table: str) -> Iterator[None]:
    with pipeline.sql_client() as client:
        where: Any = client.execute_sql("SELECT path FROM duckdb_databases() WHERE NOT internal")
        key = (str(where), client.make_qualified_table_name(table))
        with _guard:
            if key in _loading:
                raise _busy(table)
            _loading.add(key)
        try:
            yield
        finally:
            with _guard:
                _loading.discard(key)


def _busy(table: str) -> StateError:
    return StateError(
        f"Another sync is loading the table {table}. This sync has changed nothing.",
        suggestion="Wait until the other sync has ended, then sync again. Use one worker for "
        "each table. Workers with different domains or companies need tables with "
        "different names.",
        details={"table": table},
    )
