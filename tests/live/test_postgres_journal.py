"""A journal in PostgreSQL: shared by processes of several machines, there after restarts."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator

import pytest

from odoo_toolkit import (
    ConfigurationError,
    Connection,
    History,
    OdooError,
    StateError,
    connect,
    count,
    create,
    history,
    read,
    undo,
    write,
)
from odoo_toolkit.change_history.store import FORM
from tests.live.conftest import server
from tests.live.servers import Server, credentials
from tests.provisioning import postgres

__all__ = ["server"]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A database of its own."""
    name = f"journal_{uuid.uuid4().hex[:8]}"
    postgres.execute("postgres", f"CREATE DATABASE {name}")
    yield name
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def address(database: str) -> str:
    """Where it is reached."""
    return f"postgresql://{postgres.ROLE}:secret@/{database}?host={postgres.socket_folder()}"


@pytest.fixture
def odoo(server: Server, address: str) -> Iterator[Connection]:
    """The administrator, with the journal."""
    with _connected(server, address) as connection:
        yield connection


def _connected(server: Server, address: str) -> Connection:
    return connect(**credentials(server, server.user("admin")), history=History(address))


def test_a_change_is_kept_and_taken_back_by_another_process(
    odoo: Connection, server: Server, address: str, suffix: str
) -> None:
    made = create(odoo, "res.partner", {"name": f"Shared {suffix}", "ref": "a"}).id
    write(odoo, "res.partner", [made], {"ref": "b"})
    with _connected(server, address) as other:
        entry, first = history(other, limit=2)
        assert (entry.operation, first.writes[0].made) == ("write", [made])
        undo(other, entry=entry.id)
        assert read(other, "res.partner", [made], ["ref"]).records[0]["ref"] == "a"
    with pytest.raises(StateError, match="already undone"):
        undo(odoo, entry=entry.id)


def test_processes_with_one_key_make_one_record(server: Server, address: str, suffix: str) -> None:
    connections = [_connected(server, address) for _ in range(3)]
    barrier, made = threading.Barrier(3), list[int]()

    def act(connection: Connection) -> None:
        connection.connect()
        barrier.wait()
        values = {"name": f"Raced {suffix}"}
        made.append(create(connection, "res.partner", values, idempotency_key=f"p-{suffix}").id)

    threads = [threading.Thread(target=act, args=(one,)) for one in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3
    assert len(set(made)) == 1
    assert count(connections[0], "res.partner", [["name", "=", f"Raced {suffix}"]]).count == 1
    with pytest.raises(OdooError, match="another request"):
        create(connections[1], "res.partner", {"name": "Other"}, idempotency_key=f"p-{suffix}")
    for connection in connections:
        connection.close()


def test_a_restart_of_postgresql_loses_nothing(
    odoo: Connection, database: str, suffix: str
) -> None:
    """The next call makes a new connection; what was kept is there."""
    create(odoo, "res.partner", {"name": f"Before {suffix}"}, idempotency_key=f"q-{suffix}")
    postgres.execute(
        "postgres",
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'",
    )
    again = create(odoo, "res.partner", {"name": f"Before {suffix}"}, idempotency_key=f"q-{suffix}")
    assert again.id
    assert count(odoo, "res.partner", [["name", "=", f"Before {suffix}"]]).count == 1


def test_without_its_journal_nothing_is_sent(
    odoo: Connection, database: str, address: str, server: Server, suffix: str
) -> None:
    """A database that is gone, held by another process, or of a newer version of the toolkit."""
    create(odoo, "res.partner", {"name": f"Kept {suffix}"})
    lost = address.replace(database, f"{database}_lost")
    with _connected(server, lost) as other, pytest.raises(OdooError) as caught:
        create(other, "res.partner", {"name": f"Lost {suffix}"})
    assert (caught.value.code, caught.value.outcome) == ("HISTORY_ERROR", "not_sent")
    assert "secret" not in f"{caught.value.message} {History(lost)!r}"
    comment = "COMMENT ON SCHEMA odoo_toolkit IS"
    postgres.execute(database, f"{comment} '99'")
    try:
        with (
            _connected(server, address) as other,
            pytest.raises(ConfigurationError, match="newer version"),
        ):
            create(other, "res.partner", {"name": f"Lost {suffix}"})
    finally:
        postgres.execute(database, f"{comment} '{FORM.version}'")
    assert count(odoo, "res.partner", [["name", "=", f"Lost {suffix}"]]).count == 0


def test_process_that_a_newer_version_has_overtaken_takes_no_key(
    server: Server, address: str, database: str, suffix: str
) -> None:
    """It was connected before, and goes on without keys."""
    values = {"name": f"Overtaken {suffix}"}
    comment = "COMMENT ON SCHEMA odoo_toolkit IS"
    with _connected(server, address) as old:
        history(old)
        postgres.execute(database, f"{comment} '99'")
        try:
            with pytest.raises(ConfigurationError, match="newer version"):
                create(old, "res.partner", values, idempotency_key=f"overtaken-{suffix}")
            assert count(old, "res.partner", [["name", "=", values["name"]]]).count == 0
            create(old, "res.partner", values)
        finally:
            postgres.execute(database, f"{comment} '{FORM.version}'")
        create(old, "res.partner", values, idempotency_key=f"overtaken-{suffix}")


@pytest.mark.needs_odoo
def test_asking_for_a_journal_makes_none() -> None:
    """A readonly server shows the journal that is there, and makes no tables."""
    name = f"journal_{uuid.uuid4().hex[:8]}"
    postgres.execute("postgres", f"CREATE DATABASE {name}")
    address = f"postgresql://{postgres.ROLE}:secret@/{name}?host={postgres.socket_folder()}"
    try:
        journal = History(address)
        assert not journal.store.exists()
        assert not History(address).store.exists()
        journal.store.open()
        assert journal.store.exists()
        journal.store.close()
    finally:
        postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")
