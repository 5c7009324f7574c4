"""Whose entries a history returns: those of the same address; a key of a copy stops a retry."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from odoo_toolkit.change_history.entries import HistoryEntry, Owner
from odoo_toolkit.change_history.store import FORM, Store
from odoo_toolkit.connection.line import Line
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooError

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
        (HERE, "u1", HERE, "u1", "found"),
        # As before: an older file, and users who can't read the uuid.
        (HERE, None, HERE, None, "found"),
        (HERE, None, HERE, "u1", "found"),
        (HERE, "u1", HERE, None, "found"),
        # A transport in place of HTTP has no uuid.
        (HERE, "", HERE, "u1", "found"),
        (HERE, "u1", HERE, "", "found"),
        # A restored copy has the name and the uuid, and may have been renamed.
        (HERE, "u1", THERE, "u1", "elsewhere"),
        (HERE, "u1", "http://127.0.0.1:8069/copy", "u1", "elsewhere"),
        (HERE, "u1", "https://shop.test/", "u1", "elsewhere"),
        ("https://shop.test/", "u1", HERE, "u1", "elsewhere"),
        # The address is reused for a new database.
        (HERE, "u1", HERE, "u2", "elsewhere"),
        # It may be the same database.
        (HERE, None, THERE, None, "elsewhere"),
        (HERE, None, THERE, "u1", "elsewhere"),
        (HERE, "u1", THERE, None, "elsewhere"),
        (HERE, "", THERE, "u1", "elsewhere"),
        (HERE, None, "https://shop.test/", None, "elsewhere"),
        # It is another one.
        (HERE, "u1", THERE, "u2", "new"),
        (HERE, None, "http://localhost:8069/other", None, "new"),
        (HERE, "", "http://localhost:8069/other", "u1", "new"),
    ],
)
def test_key_is_found_at_its_address_only(
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


def test_key_of_a_copy_is_known_in_the_copy(store: Store) -> None:
    """A key that is stopped at one address stays what it is at the other."""
    number = _begin(store, HERE, "u1")
    with pytest.raises(KeyError):
        _begin(store, THERE, "u1")
    found = store.by_key(_owner(HERE, "u1"), "k")
    assert found is not None
    assert (found.entry.id, found.elsewhere) == (number, False)


def test_process_that_a_newer_version_has_overtaken_takes_no_key(store: Store) -> None:
    """It goes on without keys: what the newer version tells keys apart by, it does not write."""
    _begin(store, HERE, "u1", "before")
    with sqlite3.connect(store.name) as newer:
        newer.execute(f"PRAGMA user_version = {FORM.version + 1}")
    newer.close()
    with pytest.raises(ConfigurationError, match="newer version"):
        _begin(store, HERE, "u1", "after")
    _begin(store, HERE, "u1", None)
    assert [e.idempotency_key for e in store.latest(_owner(HERE, "u1"), limit=9)] == [
        None,
        "before",
    ]


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


def test_uuid_is_asked_until_odoo_gives_or_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of the server says nothing about the rights of the user."""
    line = Line(ConnectionSettings(url="http://odoo.test"), None, None)
    answers: list[OdooError | list[dict[str, str]]] = [
        OdooError("The worker has ended."),
        [{"value": "u1"}],
    ]

    def send(call: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, OdooError):
            raise answer
        return answer

    monkeypatch.setattr(line, "send", send)
    assert [line.database_uuid() for _ in range(3)] == [None, "u1", "u1"]
    refused = Line(line.settings, None, None)
    monkeypatch.setattr(refused, "send", send)
    answers.append(AccessError("You may not read it."))
    assert [refused.database_uuid() for _ in range(2)] == [None, None]
