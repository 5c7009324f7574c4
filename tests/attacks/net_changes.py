"""What a call leaves in a database, row by row: two calls that do the same leave the same.

Triggers note every row that is written. What was made with a record is known by its place in that,
so that the rows of two records that were made alike can be compared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tests.attacks.database import Database

NOTE = """
CREATE SCHEMA net;
CREATE TABLE net.log (n bigserial, tab text, old jsonb, new jsonb);
CREATE FUNCTION net.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO net.log (tab, old, new) VALUES (TG_TABLE_NAME,
        CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END,
        CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    RETURN NULL; END $$;
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    LOOP
        EXECUTE format('CREATE TRIGGER net AFTER INSERT OR UPDATE OR DELETE'
            ' ON public.%I FOR EACH ROW EXECUTE FUNCTION net.note()', one.relname);
    END LOOP; END $$;
"""
LOG = "SELECT coalesce(json_agg(json_build_array(tab, old, new) ORDER BY n), '[]') FROM net.log"
LINKS = """
SELECT json_agg(json_build_array(c.relname, a.attname, f.relname)) FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND array_length(k.conkey, 1) = 1
"""

#: Columns that are made up anew for each row, or that hold a time or an id within a text.
RANDOM = frozenset(
    {"message_id", "access_token", "key", "html_field_history", "channel", "message"}
)

Row = Mapping[str, Any]
Changes = Counter[str]


class NetChanges:
    """Notes what is written to a database.

    Args:
        database: a watched one, that nobody else uses.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        database.ask(NOTE)
        self._since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
        self._links = {(table, name): to for table, name, to in json.loads(database.ask(LINKS))}
        self._marks: dict[tuple[str, int], str] = {}

    def close(self) -> None:
        """Note no more."""
        self._database.ask("DROP SCHEMA net CASCADE")

    def made(self, name: str, make: Callable[[], int]) -> int:
        """Make a record, whose rows are then known by a name; return its id."""
        self._database.ask("TRUNCATE net.log")
        record = make()
        places: Counter[str] = Counter()
        for table, old, new in self._log():
            if old is None and new and "id" in new:
                self._marks[table, new["id"]] = f"{table} {places[table]} of {name}"
                places[table] += 1
        return record

    def of(self, act: Callable[[], object]) -> Changes:
        """Do something, and return which rows it left otherwise, without what is of one run."""
        self._database.ask("TRUNCATE net.log")
        act()
        rows: dict[tuple[str, Any], list[Row | None]] = {}
        for table, old, new in self._log():
            row = old or new
            key = (table, row["id"] if "id" in row else json.dumps(row, sort_keys=True))
            rows.setdefault(key, [old, new])[1] = new
        new_ones = {key for key, (old, _) in rows.items() if old is None}
        found: Changes = Counter()
        for (table, number), (old, new) in rows.items():
            if old == new:
                continue
            mark = self._marks.get((table, number))
            told = self._told(table, old, new, mark, new_ones)
            name = mark or ("new" if old is None else f"{table} {number}" if "id" in old else "")
            found[json.dumps([table, name, new is None, told], sort_keys=True)] += 1
        return found

    def _log(self) -> list[Any]:
        found: list[Any] = json.loads(self._database.ask(LOG))
        return found

    def _told(
        self,
        table: str,
        old: Row | None,
        new: Row | None,
        mark: str | None,
        new_ones: set[tuple[str, Any]],
    ) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for name, value in (new or old or {}).items():
            if name in RANDOM or name == "id":
                continue
            now = self._plain(table, name, value, new or old or {}, new_ones)
            if old is None or new is None:
                told[name] = now
            elif old[name] != value or name == "write_uid":
                before = self._plain(table, name, old[name], old, new_ones)
                # Made and changed within one second, or not: of records of the test only.
                if not (mark and before == now == "now"):
                    told[name] = now
        return told

    def _plain(
        self, table: str, name: str, value: Any, row: Row, new_ones: set[tuple[str, Any]]
    ) -> Any:
        to = self._links.get((table, name))
        if name == "res_id":
            # A translation of a field names it as MODEL,FIELD.
            model = row.get("model") or row.get("res_model") or str(row.get("name") or "")
            to = model.partition(",")[0].replace(".", "_")
        if isinstance(value, str):
            model, _, number = value.partition(",")
            if number.isdigit():
                to, value = model.replace(".", "_"), int(number)
            elif value >= self._since and value[4:5] == "-" and value[10:11] == "T":
                return "now"
        if isinstance(value, float):
            return round(value, 6)
        if to and isinstance(value, int):
            if (to, value) in new_ones:
                return f"new {to}"
            return self._marks.get((to, value), value)
        return value
