"""Whose entries a history returns: by the uuid of a database, or else by its address."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from odoo_toolkit.change_history.entries import HistoryEntry, Owner
from odoo_toolkit.change_history.store import FORM, Store

HERE, THERE = "http://127.0.0.1:8069/shop", "http://localhost:8069/shop"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty history."""
    return Store(tmp_path / "history.sqlite", days=400, megabytes=500)


def _owner(database: str, uuid: str | None) -> Owner:
    return Owner(database=database, uuid=uuid, uid=2)


def _begin(store: Store, database: str, uuid: str | None, key: str | None = "k") -> int:
    entry = HistoryEntry(
        id=0,
        started="2026-11-01",
        database=database,
        uid=2,
        operation="create",
        idempotency_key=key,
    )
    return store.begin(entry, "digest", uuid)


@pytest.mark.parametrize(
    ("database", "uuid", "asking", "asking_uuid", "expected"),
    [
        (HERE, "u1", THERE, "u1", "found"),
        (HERE, "u1", HERE, "u1", "found"),
        # As before: an older file, and users who can't read the uuid.
        (HERE, None, HERE, None, "found"),
        (HERE, None, HERE, "u1", "found"),
        (HERE, "u1", HERE, None, "found"),
        # The address is reused for a new database, or a copy kept the uuid.
        (HERE, "u1", HERE, "u2", "new"),
        (HERE, "u1", "http://127.0.0.1:8069/copy", "u1", "new"),
        (HERE, "u1", THERE, "u2", "new"),
        (HERE, None, "http://localhost:8069/other", None, "new"),
        # A server that chooses the database gives no name.
        (HERE, "u1", "https://shop.test/", "u1", "found"),
        ("https://shop.test/", "u1", HERE, "u1", "found"),
        # It may be the same database.
        (HERE, None, THERE, None, "elsewhere"),
        (HERE, None, THERE, "u1", "elsewhere"),
        (HERE, "u1", THERE, None, "elsewhere"),
        (HERE, None, "https://shop.test/", None, "elsewhere"),
    ],
)
def test_key_is_found_by_uuid_or_by_address(
    store: Store,
    database: str,
    uuid: str | None,
    asking: str,
    asking_uuid: str | None,
    expected: str,
) -> None:
    number = _begin(store, database, uuid)
    owner = _owner(asking, asking_uuid)
    found = store.by_key(owner, "k")
    state = "new" if found is None else "elsewhere" if found.elsewhere else "found"
    assert state == expected
    assert [entry.id for entry in store.latest(owner, limit=9)] == [number] * (state == "found")
    assert (store.get(number, owner) is not None) == (state == "found")
    if state == "new":
        assert _begin(store, asking, asking_uuid) != number
    else:
        with pytest.raises(KeyError):
            _begin(store, asking, asking_uuid)


def test_entries_without_a_key_are_added_at_any_address(store: Store) -> None:
    assert _begin(store, HERE, "u1", None) != _begin(store, THERE, "u1", None)


def test_older_file_gets_the_column_and_keeps_its_entries(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    with sqlite3.connect(path) as old:
        for step in FORM.steps[:2]:
            number = "INTEGER PRIMARY KEY AUTOINCREMENT"
            old.executescript(step.format(number=number, bytes="BLOB", end=" WITHOUT ROWID"))
        old.execute(
            "INSERT INTO entry (started, database, uid, client, operation, idempotency_key)"
            " VALUES ('2026-11-01', ?, 2, '', 'create', 'k')",
            [HERE],
        )
        old.execute("PRAGMA user_version = 2")
    old.close()
    store = Store(path, days=400, megabytes=500)
    found = store.by_key(_owner(HERE, "u1"), "k")
    assert found is not None
    assert not found.elsewhere
    assert [entry.operation for entry in store.latest(_owner(HERE, None), limit=9)] == ["create"]
