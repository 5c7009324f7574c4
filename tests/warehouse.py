"""Warehouses that models are synced to, and an Odoo in memory some of whose records hide."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
import duckdb
import psycopg

from odoo_toolkit.call import Call
from odoo_toolkit.dlt.loading import DATASET
from odoo_toolkit.errors import AccessError
from odoo_toolkit.testing import FakeServer

ADDED = ("_deleted", "_synced_at")


class RuledServer(FakeServer):
    """An Odoo whose rules keep records from the user.

    Attributes:
        hidden: model -> ids of records that are there, but not for this user.
    """

    def __init__(self, models: Any, **options: Any) -> None:
        super().__init__(models, **options)
        self.hidden: dict[str, set[int]] = {}

    def hide(self, model: str, ids: Iterable[int]) -> None:
        """Keep records from the user; none shows all again."""
        self.hidden[model] = set(ids)

    def send(self, call: Call) -> Any:
        """Answer one call, as Odoo does under a rule."""
        hidden = self.hidden.get(call.model, set())
        there = {row["id"] for row in self.records.get(call.model, ())}
        if call.ids and hidden & there & set(call.ids):
            raise AccessError(f"You may not read these records of {call.model}.")
        if "domain" in call.arguments and hidden:
            domain = [["id", "not in", sorted(hidden)], *call.arguments["domain"]]
            call = attrs.evolve(call, arguments={**call.arguments, "domain": domain})
        return super().send(call)


class Tables:
    """What a warehouse has in the dataset of :func:`sync`."""

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        raise NotImplementedError

    def tables(self) -> list[str]:
        """Return the tables that are not dlt's own."""
        found = self.ask(
            f"select table_name from information_schema.tables where table_schema = '{DATASET}'"
        )
        return sorted(name for (name,) in found if not name.startswith("_dlt"))

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types."""
        query = f"select column_name, data_type from information_schema.columns where table_name = '{table}' and table_schema = '{DATASET}'"  # noqa: E501
        return {name: kind for name, kind in self.ask(query) if name not in ADDED}

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table, by id."""
        order = ", ".join(str(number) for number in range(1, len(columns) + 1))
        return self.ask(f"select {', '.join(columns)} from {table} order by {order}")


class Warehouse(Tables):
    """A DuckDB file.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"duckdb:///{path}"

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query; tables are in the dataset of :func:`sync`."""
        with duckdb.connect(str(self.path)) as connection:
            connection.execute("set timezone = 'UTC'")
            if self._has(DATASET, connection):
                connection.execute(f"use {DATASET}")
            return connection.execute(query).fetchall()

    def _has(self, schema: str, connection: duckdb.DuckDBPyConnection) -> bool:
        query = "select 1 from information_schema.schemata where schema_name = ?"
        return bool(connection.execute(query, [schema]).fetchall())


class PostgresWarehouse(Tables):
    """A database of PostgreSQL.

    Args:
        url: of the database.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query; tables are in the dataset of :func:`sync`."""
        with psycopg.connect(self.url, options=f"-csearch_path={DATASET}") as connection:
            return connection.execute(query.encode()).fetchall()
