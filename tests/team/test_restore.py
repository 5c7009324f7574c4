"""A backup that is made while the server runs, restored as the guides say, goes on."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from odoo_toolkit.change_history import HistoryEntry
from odoo_toolkit.change_history.entries import Owner
from odoo_toolkit.change_history.store import Store
from tests.kit.user_keys import People, creator
from tests.live.servers import Server
from tests.provisioning import postgres
from tests.team.harness import (
    KEYS,
    OAuthClient,
    Person,
    RunningTeam,
    call,
    connected,
    database,
    form_of,
    instance_of,
)
from tests.team.people import NOWHERE, Users, key_of

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "team-backup.md"
NAMES = ("accounts.sqlite", "history.sqlite")


def run_block(command: str, folder: Path) -> str:
    """Run the block of the guides that contains a command in a folder; return its output."""
    written = re.findall(r"```sh\n\s*(.*?)```", GUIDE.read_text(), re.DOTALL)
    (block,) = [block for block in written if command in block]
    ran = subprocess.run(
        ["/bin/sh", "-ec", block],
        check=True,
        cwd=folder,
        timeout=60,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def back_up(folder: Path) -> None:
    """Save store and journal as the guide says."""
    run_block(".backup backup/", folder)


def restore(folder: Path) -> None:
    """Bring them back as the guide says."""
    run_block("rm -f ", folder)


def beside(folder: Path) -> list[str]:
    """Return the names of the files that SQLite keeps beside its own."""
    return sorted(path.name for name in NAMES for path in folder.glob(f"{name}-*"))


@attrs.frozen
class Kept:
    """Where store and journal are, and how they are saved and brought back.

    Attributes:
        store, journal: their places.
        back_up: saves both.
        lose_and_restore: removes both, and brings them back.
    """

    store: str
    journal: str
    back_up: Callable[[], None]
    lose_and_restore: Callable[[], None]


def files(folder: Path) -> Kept:
    """Two files, saved and brought back by the commands of the guide."""

    def lose_and_restore() -> None:
        for name in NAMES:
            (folder / name).unlink(missing_ok=True)
        restore(folder)

    store, journal = (str(folder / name) for name in NAMES)
    return Kept(store, journal, lambda: back_up(folder), lose_and_restore)


def schemas(address: str, folder: Path) -> Kept:
    """Two schemas, saved and brought back by the commands of the guide."""
    name = re.findall(r"@/(\w+)\?", address)[0]
    written = GUIDE.read_text()

    def run(program: str) -> None:
        (line,) = re.findall(rf"^{program} .*$", written, re.MULTILINE)
        words = [name if word == "mcp" else word for word in shlex.split(line)[1:]]
        words = [word.replace("--dbname=mcp", f"--dbname={name}") for word in words]
        where = ["-h", str(postgres.socket_folder()), "-U", postgres.ROLE]
        subprocess.run(
            [postgres._program(program), *where, *words], check=True, cwd=folder, timeout=120
        )

    def lose_and_restore() -> None:
        run("psql")
        run("pg_restore")

    return Kept(address, address, lambda: run("pg_dump"), lose_and_restore)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_odoo)])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    """Store and journal of each kind."""
    if request.param == "sqlite":
        yield files(tmp_path)
        return
    with database() as address:
        yield schemas(address, tmp_path)


def test_tokens_hold_keys_open_and_nothing_is_done_twice(
    server: Server, people: People, admin: Odoo, kept: Kept, tmp_path: Path
) -> None:
    user = creator(people)
    main = instance_of(server, mode="full", confirm="never", history=kept.journal)
    # With a file the secret keys are in one beside it, and with PostgreSQL in the team's file.
    more = {"store": kept.store} | ({"secret_keys": KEYS} if "://" in kept.store else {})
    with RunningTeam(tmp_path, {"main": main}, **more) as team:
        client = OAuthClient(team.url)
        tokens = Person(team.url).connect(client, **user.form)
        made = toolkit.create(admin, "res.partner", {"name": f"Of {user.login}"}).id
        change = {
            "model": "res.partner",
            "ids": [made],
            "values": {"ref": "a"},
            "idempotency_key": "once",
        }
        answer = call(team.url, tokens.access, "odoo_core_write", change)
        assert answer.json()["result"]["isError"] is False, answer.text
        kept.back_up()
    toolkit.write(admin, "res.partner", [made], {"ref": "by somebody else"})
    kept.lose_and_restore()
    with RunningTeam(tmp_path, {"main": main}, team.port, **more) as team:
        client.url = team.url
        answer = call(team.url, tokens.access, "odoo_core_get_user")
        assert answer.status_code == 200
        assert user.login in answer.text
        again = call(team.url, tokens.access, "odoo_core_write", change)
        assert again.json()["result"]["isError"] is False, again.text
        (row,) = toolkit.read(admin, "res.partner", [made], ["ref"]).records
        assert row["ref"] == "by somebody else"
        assert client.refresh(tokens.refresh).status_code == 200
        person = Person(team.url)
        person.post("/me/sign-in", person.get("/me"), **user.form)
        assert "Undo" in person.get("/me").text


def test_a_backup_without_the_secret_keys_is_told_and_not_served(
    server: Server, people: People, tmp_path: Path
) -> None:
    user, kept = people.make(), files(tmp_path)
    main = instance_of(server)
    with RunningTeam(tmp_path, {"main": main}) as team:
        client = OAuthClient(team.url)
        Person(team.url).connect(client, **user.form)
        kept.back_up()
    kept.lose_and_restore()
    (tmp_path / "accounts.sqlite.key").unlink()
    with pytest.raises(toolkit.ConfigurationError, match="encrypted with a key"):
        RunningTeam(tmp_path, {"main": main})


def noted(place: Path, *operations: str) -> Store:
    """Note operations in a journal, which stays open; return it."""
    store = Store(place, days=400, megabytes=500)
    for name in operations:
        entry = HistoryEntry(id=0, started="2026-01-01", database="main", uid=2, operation=name)
        store.begin(entry)
    return store


def operations(place: Path) -> list[str]:
    """Return the operations that a journal has."""
    store = Store(place, days=400, megabytes=500)
    found = [entry.operation for entry in store.latest(Owner(database="main", uid=2), limit=100)]
    store.close()
    return sorted(found)


def test_what_a_killed_server_leaves_beside_its_files_is_not_replayed_over_the_copies(
    users: Users, tmp_path: Path
) -> None:
    runs, killed = tmp_path / "runs", tmp_path / "killed"
    runs.mkdir()
    with RunningTeam(runs, {"main": dict(NOWHERE)}) as team:
        connected(team)
        noted(runs / "history.sqlite", "before")
        # One connection stays open, as that of a server does.
        back_up(runs)
        journal = noted(runs / "history.sqlite", *(f"after {n}" for n in range(20)))
        Person(team.url).connect(OAuthClient(team.url), **form_of("bob"))
        shutil.copytree(runs, killed)
        journal.close()
    left = beside(killed)

    restore(killed)

    assert left == [f"{name}-{end}" for name in NAMES for end in ("shm", "wal")]
    assert operations(killed / "history.sqlite") == ["before"]
    with closing(sqlite3.connect(killed / "accounts.sqlite")) as store:
        assert store.execute("SELECT login FROM account").fetchall() == [("ann",)]
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_copies_are_readable_by_their_owner_only_and_there_is_none_of_a_missing_journal(
    users: Users, tmp_path: Path
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}):
        back_up(tmp_path)

    copies = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "backup").iterdir()}
    assert copies == {"accounts.sqlite": 0o600}
    assert not (tmp_path / "history.sqlite").exists()


def test_a_server_that_is_stopped_leaves_nothing_beside_its_files(
    users: Users, tmp_path: Path
) -> None:
    main = {**NOWHERE, "history": "history.sqlite", "mode": "full"}
    with RunningTeam(tmp_path, {"main": main}) as team:
        client = OAuthClient(team.url)
        tokens = connected(team, client)
        call(team.url, tokens.access, "odoo_core_get_user")
        (server,) = team.server.members.servers.values()
        server.requests.history.store.open()
        while_it_ran = beside(tmp_path)

    assert while_it_ran == [f"{name}-{end}" for name in NAMES for end in ("shm", "wal")]
    assert beside(tmp_path) == []


def test_the_guide_lists_whose_keys_were_pasted(users: Users, tmp_path: Path) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        client = OAuthClient(team.url)
        connected(team, client)
        Person(team.url).connect(client, login="bob", key=key_of("bob"))

        assert run_block('sqlite3 accounts.sqlite "SELECT', tmp_path) == "main|bob\n"
