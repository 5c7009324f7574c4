"""A backup that is made while the server runs, restored as the guides say, goes on."""

from __future__ import annotations

import re
import shlex
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from tests.live.servers import Server
from tests.live.test_user_keys import People, people
from tests.provisioning import postgres
from tests.team.harness import OAuthClient, Person, RunningTeam, call, instance_of
from tests.team.test_sign_in import creator
from tests.team.test_store import KEYS, database

__all__ = ["people"]

GUIDE = Path(__file__).parents[2] / "docs" / "team-cluster.md"


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
    """Two files, saved as sqlite3's ``.backup`` does."""
    names = ("accounts.sqlite", "journal.sqlite")
    folder.joinpath("backup").mkdir()

    def back_up() -> None:
        for name in names:
            with (
                closing(sqlite3.connect(folder / name)) as kept,
                closing(sqlite3.connect(folder / "backup" / name)) as copy,
            ):
                kept.backup(copy)

    def lose_and_restore() -> None:
        for name in names:
            for one in folder.glob(f"{name}*"):
                if not one.name.endswith(".key"):
                    one.unlink()
            (folder / "backup" / name).rename(folder / name)

    return Kept(str(folder / names[0]), str(folder / names[1]), back_up, lose_and_restore)


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


@pytest.fixture(params=["sqlite", "postgresql"])
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
    main = instance_of(server, mode="full", confirm="never", journal=kept.journal)
    # With a file the secret keys are in one beside it, and with PostgreSQL in the team's file.
    more = {"store": kept.store} | ({"secret_keys": KEYS} if "://" in kept.store else {})
    with RunningTeam(tmp_path, {"main": main}, **more) as team:
        client = OAuthClient(team.url)
        tokens = Person(team.url).connect(client, login=user.login, password=user.password)
        made = toolkit.create(admin, "res.partner", {"name": f"Of {user.login}"}).id
        change = {"model": "res.partner", "ids": [made], "values": {"ref": "a"}, "key": "once"}
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
        person.post("/me/sign-in", person.get("/me"), login=user.login, password=user.password)
        assert "Take back" in person.get("/me").text


def test_a_backup_without_the_secret_keys_is_told_and_not_served(
    server: Server, people: People, tmp_path: Path
) -> None:
    user, kept = people.make(), files(tmp_path)
    (tmp_path / "journal.sqlite").touch()
    main = instance_of(server)
    with RunningTeam(tmp_path, {"main": main}) as team:
        client = OAuthClient(team.url)
        Person(team.url).connect(client, login=user.login, password=user.password)
        kept.back_up()
    kept.lose_and_restore()
    (tmp_path / "accounts.sqlite.key").unlink()
    with pytest.raises(toolkit.ConfigurationError, match="sealed with a key"):
        RunningTeam(tmp_path, {"main": main})
