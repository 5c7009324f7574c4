"""Journals that are damaged, full, locked or of elsewhere, and records that changed since.

Nothing is sent that is not written down, and nothing is said to be taken back that is not.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    History,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    UndoResult,
    create,
    history,
    undo,
    undo_since,
    write,
)
from odoo_toolkit.change_history.store import Store
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer

FIELDS = {"name": "char", "ref": "char", "active": "boolean"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a server, or for another process."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    monkeypatch.setattr("odoo_toolkit.databases._PATIENCE", 0.05)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal is."""
    return tmp_path / "history.sqlite"


@pytest.fixture
def server() -> FakeServer:
    """One contact."""
    row = {"id": 1, "name": "Ann", "ref": "a", "active": True}
    return FakeServer({"res.partner": FIELDS}, records={"res.partner": [row]})


@pytest.fixture
def odoo(server: FakeServer, path: Path) -> Connection:
    """A connection with a journal, which has one change."""
    connection = server.connect(history=History(path))
    write(connection, "res.partner", [1], {"ref": "b"})
    return connection


def _ref(server: FakeServer) -> Any:
    return server.records["res.partner"][0]["ref"]


def _damage(path: Path, body: str) -> None:
    with sqlite3.connect(path) as other:
        other.execute("UPDATE write SET body = ?", [body])


@pytest.mark.parametrize(
    "body", ['{"model": "res.par', "[]", "7", '{"model": "res.partner"}', '{"model": 1, "ids": {}}']
)
def test_a_damaged_line_is_shown_as_such_and_not_taken_back(
    server: FakeServer, odoo: Connection, path: Path, body: str
) -> None:
    """Whoever reads the history sees that something was written, and that nobody knows what."""
    _damage(path, body)
    (entry,) = history(odoo)
    assert entry.writes[0].method == "(damaged in the change history)"
    for dry_run in (True, False):
        with pytest.raises(StateError, match="this part of the change history is damaged"):
            undo(odoo, entry=entry.id, dry_run=dry_run)
    with pytest.raises(StateError, match="this part of the change history is damaged"):
        undo(odoo, entry=entry.id, partial=True)
    with pytest.raises(StateError, match="this part of the change history is damaged"):
        undo_since(odoo, since="2020-01-01")
    assert _ref(server) == "b"


def test_a_damaged_line_of_a_key_has_nothing_sent_again(
    server: FakeServer, odoo: Connection, path: Path
) -> None:
    server.lose_answer("write", applied=False)
    with pytest.raises(OdooConnectionError):
        write(odoo, "res.partner", [1], {"ref": "c"}, idempotency_key="k")
    _damage(path, "{")
    with pytest.raises(OdooError) as caught:
        write(odoo, "res.partner", [1], {"ref": "c"}, idempotency_key="k")
    assert (caught.value.code, caught.value.outcome) == ("KEY_UNCONFIRMED", "maybe_applied")
    assert _ref(server) == "b"


def _cut_off(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"x" * 100)


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [_cut_off, _a_folder])
def test_a_file_that_cannot_be_used_has_nothing_sent(
    server: FakeServer, odoo: Connection, path: Path, spoil: Callable[[Path], None]
) -> None:
    assert isinstance(odoo.history, History)
    odoo.history.store.close()
    for beside in ("-wal", "-shm"):
        path.with_name(path.name + beside).unlink(missing_ok=True)
    spoil(path)
    server.sent.clear()
    with pytest.raises(OdooError) as caught:
        write(server.connect(history=History(path)), "res.partner", [1], {"ref": "c"})
    assert caught.value.suggestion
    assert _ref(server) == "b"


def test_a_full_file_has_nothing_sent(server: FakeServer, odoo: Connection) -> None:
    assert isinstance(odoo.history, History)
    connection = odoo.history.store.database._opened()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(OdooError, match="full") as caught:
        write(odoo, "res.partner", [1], {"ref": "c" * 50_000})
    assert (caught.value.code, caught.value.outcome) == ("HISTORY_ERROR", "not_sent")
    assert _ref(server) == "b"


def test_a_file_that_fills_up_meanwhile_is_said_once(
    server: FakeServer,
    odoo: Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The change is made, and its entry says that it runs."""

    def fail(*_: object, **__: object) -> None:
        raise make_error("HISTORY_ERROR", "The change history is full.")

    real = Store.put
    monkeypatch.setattr(
        Store, "put", lambda *arguments: (real(*arguments), monkeypatch.setattr(Store, "put", fail))
    )
    monkeypatch.setattr(Store, "update", fail)
    write(odoo, "res.partner", [1], {"ref": "c"})
    assert _ref(server) == "c"
    assert [record.getMessage() for record in caplog.records] == [
        "The change history is full. Entry 2 is incomplete. Its changes in Odoo stay."
    ]
    assert history(odoo)[0].outcome == "running"


def test_a_file_that_another_process_holds_has_nothing_sent(
    server: FakeServer, odoo: Connection, path: Path
) -> None:
    assert isinstance(odoo.history, History)
    odoo.history.store.close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OdooError, match="locked") as caught:
        write(odoo, "res.partner", [1], {"ref": "c"})
    assert "Another process is using it" in caught.value.suggestion
    assert _ref(server) == "b"
    other.execute("ROLLBACK")
    other.close()
    write(odoo, "res.partner", [1], {"ref": "c"})
    assert _ref(server) == "c"


def test_a_copy_of_another_databases_journal_takes_nothing_back(
    server: FakeServer, odoo: Connection, path: Path, tmp_path: Path
) -> None:
    assert isinstance(odoo.history, History)
    number = history(odoo)[0].id
    odoo.history.store.close()
    copied = shutil.copy(path, tmp_path / "copied.sqlite")
    other = server.connect(history=History(copied), database="other")
    assert history(other) == []
    with pytest.raises(NotFoundError):
        undo(other, entry=number)
    assert _ref(server) == "b"


def test_a_record_that_was_deleted_since_is_in_the_way(
    server: FakeServer, odoo: Connection
) -> None:
    server.records["res.partner"].clear()
    with pytest.raises(StateError, match="is not there any more"):
        undo(odoo, entry=history(odoo)[0].id)
    with pytest.raises(StateError, match="is not there any more"):
        undo(odoo, entry=history(odoo)[0].id, partial=True)


def test_a_record_that_was_archived_since_is_still_found(
    server: FakeServer, odoo: Connection
) -> None:
    server.records["res.partner"][0]["active"] = False
    undo(odoo, entry=history(odoo)[0].id)
    assert _ref(server) == "a"
    assert server.records["res.partner"][0]["active"] is False


def test_what_was_created_and_is_gone_leaves_nothing_to_take_back(
    server: FakeServer, odoo: Connection
) -> None:
    create(odoo, "res.partner", {"name": "Bob"})
    del server.records["res.partner"][1]
    with pytest.raises(StateError, match="No part of create"):
        undo(odoo, entry=history(odoo)[0].id)


def test_a_lost_answer_of_an_undo_is_looked_for(server: FakeServer, odoo: Connection) -> None:
    """Where Odoo shows that it was done, it is done, and not done twice."""
    number = history(odoo)[0].id
    server.lose_answer("write")
    taken = undo(odoo, entry=number)
    assert isinstance(taken, UndoResult)
    assert any("was lost" in text for text in taken.warnings)
    assert _ref(server) == "a"
    with pytest.raises(StateError, match="already undone"):
        undo(odoo, entry=number)


def test_a_lost_answer_of_an_undo_that_did_nothing_is_not_said_to_be_done(
    server: FakeServer, odoo: Connection
) -> None:
    """It may be tried again, and is done then."""
    number = history(odoo)[0].id
    server.lose_answer("write", applied=False)
    with pytest.raises(OdooConnectionError) as caught:
        undo(odoo, entry=number)
    assert caught.value.outcome == "maybe_applied"
    assert _ref(server) == "b"
    assert history(odoo)[1].undone_by is None
    undo(odoo, entry=number)
    assert _ref(server) == "a"
