"""The journal: what is kept before a call is sent, what stops it, and what it never keeps."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path

import pytest

from odoo_toolkit import (
    ConfigurationError,
    Connection,
    History,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    Policy,
    StateError,
    ValidationError,
    create,
    history,
    search_read,
    undo,
    write,
)
from odoo_toolkit.call import Call
from odoo_toolkit.testing import FakeServer

FIELDS = {"name": "char", "ref": "char", "secret_code": "char", "photo": "binary"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal is."""
    return tmp_path / "history.sqlite"


@pytest.fixture
def server() -> FakeServer:
    """One contact."""
    row = {"id": 1, "name": "Ann", "ref": "a", "secret_code": "s", "photo": "eA=="}
    return FakeServer({"res.partner": FIELDS}, records={"res.partner": [row]})


@pytest.fixture
def odoo(server: FakeServer, path: Path) -> Connection:
    """A connection with a journal."""
    return server.connect(history=History(path))


def test_a_write_takes_as_many_requests_as_without_a_journal(
    server: FakeServer, path: Path
) -> None:
    """The old values come with the request that looks whether the records are there."""
    counts = []
    for journal in (None, History(path)):
        odoo = server.connect(history=journal)
        write(odoo, "res.partner", [1], {"ref": "x"})  # the schema is read
        server.sent.clear()
        write(odoo, "res.partner", [1], {"ref": "b"})
        counts.append([call.method for call in server.sent])
    assert len(counts[0]) == len(counts[1]) == 3


def test_reads_leave_no_trace(odoo: Connection) -> None:
    search_read(odoo, "res.partner", [], ["name"])
    assert history(odoo) == []


def test_the_entry_has_what_was_and_what_is(odoo: Connection) -> None:
    write(odoo, "res.partner", [1], {"ref": "b"})
    (entry,) = history(odoo)
    (call,) = entry.writes
    assert (entry.operation, entry.outcome, entry.uid) == ("write", "done", 2)
    assert (call.before, call.after) == ({1: {"ref": "a"}}, {1: {"ref": "b"}})


def test_files_and_closed_fields_are_not_kept(server: FakeServer, path: Path) -> None:
    """A field that the policy closes later is not shown either."""
    odoo = server.connect(history=History(path))
    write(odoo, "res.partner", [1], {"ref": "b", "secret_code": "t", "photo": "eQ=="})
    closed = server.connect(
        history=History(path), policy=Policy(field_blocklist=frozenset({"secret_code"}))
    )
    assert "eA==" not in path.read_bytes().decode("latin-1")
    (call,) = history(odoo)[0].writes
    assert call.not_kept == ["photo"]
    (call,) = history(closed)[0].writes
    assert call.before == {1: {"ref": "a"}}
    assert call.values == {"ref": "b"}


def test_without_its_journal_nothing_is_sent(server: FakeServer, path: Path) -> None:
    """What cannot be written down is not done."""
    odoo = server.connect(history=History(path))
    history(odoo)
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE write")
    server.sent.clear()
    with pytest.raises(OdooError) as caught:
        create(odoo, "res.partner", {"name": "Bob"})
    assert (caught.value.code, caught.value.outcome) == ("HISTORY_ERROR", "not_sent")
    assert server.asked("create") == []


def test_an_undo_sends_no_records_of_a_context(server: FakeServer, odoo: Connection) -> None:
    """They were those of another document then, and a user's own code may act on them."""
    context = {"active_model": "sale.order", "active_ids": [3], "tz": "Europe/Berlin"}
    write(odoo, "res.partner", [1], {"ref": "b"}, context=context)
    server.sent.clear()
    undo(odoo, entry=history(odoo)[0].id)
    sent = [call.context for call in server.sent if call.model == "res.partner"]
    assert len(sent) > 1
    assert not [one for one in sent if one.keys() & {"active_model", "active_ids"}]
    assert server.asked("write")[0].context["tz"] == "Europe/Berlin"


@pytest.mark.parametrize(
    ("content", "says"), [(b"no database at all" * 100, "damaged"), ("newer", "newer version")]
)
def test_a_file_that_is_no_journal_is_left_alone(
    server: FakeServer, path: Path, content: bytes | str, says: str
) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with sqlite3.connect(path) as other:
            other.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    odoo = server.connect(history=History(path))
    with pytest.raises(ConfigurationError) as caught:
        create(odoo, "res.partner", {"name": "Bob"})
    assert says in str(caught.value)
    assert server.asked("create") == []
    assert path.read_bytes() == before


def test_an_answer_that_was_lost_and_found_is_done(server: FakeServer, odoo: Connection) -> None:
    server.lose_answer("create")
    made = create(odoo, "res.partner", {"name": "Bob"})
    (call,) = history(odoo)[0].writes
    assert (call.outcome, call.made) == ("done", made.ids)


def test_an_answer_that_stays_lost_is_doubtful(
    server: FakeServer, odoo: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    server.lose_answer("create", applied=False)
    with pytest.raises(OdooConnectionError):
        create(odoo, "res.partner", {"name": "Bob"})
    entry = history(odoo)[0]
    assert (entry.outcome, entry.writes[0].outcome) == ("doubtful", "doubtful")


def test_what_another_user_or_database_wrote_is_not_there(server: FakeServer, path: Path) -> None:
    odoo = server.connect(history=History(path))
    write(odoo, "res.partner", [1], {"ref": "b"})
    entry = history(odoo)[0].id
    for other in (
        server.connect(history=History(path), url="http://elsewhere.test"),
        FakeServer({"res.partner": FIELDS}, uid=7).connect(history=History(path)),
    ):
        assert history(other) == []
        with pytest.raises(NotFoundError):
            undo(other, entry=entry)


def test_undoing_writes_the_old_value_and_only_once(server: FakeServer, odoo: Connection) -> None:
    write(odoo, "res.partner", [1], {"ref": "b"})
    entry = history(odoo)[0].id
    undo(odoo, entry=entry, dry_run=True)
    assert server.records["res.partner"][0]["ref"] == "b"
    undo(odoo, entry=entry)
    assert server.records["res.partner"][0]["ref"] == "a"
    with pytest.raises(StateError, match="already undone"):
        undo(odoo, entry=entry)


def test_what_is_not_kept_keeps_nothing_from_being_done(
    server: FakeServer, odoo: Connection
) -> None:
    """The entry is then taken back, and not once more."""
    write(odoo, "res.partner", [1], {"ref": "b", "photo": "eQ=="})
    entry = history(odoo)[0].id
    taken = undo(odoo, entry=entry)
    assert taken.not_undone == [
        "The change history does not contain the old values of photo of res.partner."
    ]
    assert server.records["res.partner"][0]["ref"] == "a"
    with pytest.raises(StateError, match="already undone"):
        undo(odoo, entry=entry)


def test_what_odoo_computes_is_held_where_odoo_lets_it_be_written(path: Path) -> None:
    """Else the old value is written alone, and what is computed anew is as Odoo has it."""

    def answer(call: Call) -> bool:
        values = call.arguments["vals"]
        if "state" in values:
            raise ValidationError("Nobody writes the state.")
        server.records["x.order"][0].update(values)
        return True

    fields = {
        "name": "char",
        "ref": "char",
        "state": {"type": "char", "store": True, "depends": ["ref"]},
    }
    row = {"id": 1, "name": "O1", "ref": "a", "state": "new"}
    server = FakeServer({"x.order": fields}, records={"x.order": [row]})
    server.answers["x.order", "write"] = answer
    odoo = server.connect(history=History(path))
    write(odoo, "x.order", [1], {"ref": "b"})
    undo(odoo, entry=history(odoo)[0].id)
    assert server.records["x.order"][0]["ref"] == "a"
    tried = [call.arguments["vals"] for call in server.sent if call.method == "write"]
    assert tried == [{"ref": "b"}, {"ref": "a", "state": "new"}, {"ref": "a"}]


def test_a_value_that_changed_since_stays(server: FakeServer, odoo: Connection) -> None:
    write(odoo, "res.partner", [1], {"ref": "b"})
    server.records["res.partner"][0]["ref"] = "c"
    with pytest.raises(StateError, match="ref was changed since"):
        undo(odoo, entry=history(odoo)[0].id)
    assert server.records["res.partner"][0]["ref"] == "c"


def test_a_connection_with_a_journal_can_be_pickled(path: Path) -> None:
    journal = pickle.loads(pickle.dumps(History(path, days=3)))
    assert repr(journal) == repr(History(path))


def test_without_a_journal_history_says_how_to_have_one(server: FakeServer) -> None:
    with pytest.raises(ConfigurationError, match="has no change history"):
        history(server.connect())
