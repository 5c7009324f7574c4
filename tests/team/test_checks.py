"""What ``serve``, its options and ``/admin`` tell whoever runs a team's server."""

from __future__ import annotations

import getpass
import hashlib
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import attrs
import pytest
import tomlkit

from odoo_toolkit.change_history import store as history_store
from odoo_toolkit.databases import database_of
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooConnectionError
from odoo_toolkit_mcp.accounts.app import TeamServer
from odoo_toolkit_mcp.accounts.command import FAILED, WRONG_SETTINGS, main
from odoo_toolkit_mcp.accounts.passwords import is_password
from odoo_toolkit_mcp.accounts.service_accounts import OwnUsers
from odoo_toolkit_mcp.accounts.store import FORM, open_store
from odoo_toolkit_mcp.accounts.team import team_of
from odoo_toolkit_mcp.accounts.wording import for_people, setting_names
from tests.kit.user_keys import People
from tests.live.servers import Server, ordinary_user
from tests.team.conftest import Serve
from tests.team.harness import RunningTeam, connected, file_of, instance_of, operator_of, text_of
from tests.team.people import NOWHERE, Users

KEY = "0" * 40


def checked(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the status of a check, and what it says."""
    status = main([str(path), "--check"])
    return status, capsys.readouterr().err


# The server's own user --------------------------------------------------------------------------


def wrong_key(server: Server) -> dict[str, Any]:
    instance = instance_of(server, title="Production", api_key=KEY)
    instance.pop("password", None)
    return instance


def test_a_key_of_the_server_that_odoo_refuses_is_told_in_the_check_and_at_admin(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = checked(file_of(tmp_path, wrong_key(server)), capsys)
    assert status == FAILED
    assert "as api_key of [instances.main]" in said
    assert "ODOO_" not in said
    with RunningTeam(tmp_path, {"main": wrong_key(server)}) as team:
        operator = operator_of(team)
        words = text_of(operator.get("/admin"))
    assert "Production : Odoo does not accept the server's own user" in words
    assert "as api_key of [instances.main]" in words


def test_a_key_of_the_server_that_odoo_refuses_is_warned_of_in_the_log(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    instances = {"main": wrong_key(server), "right": instance_of(server)}
    team = team_of({"public_url": "http://127.0.0.1:1", "instances": instances}, tmp_path)
    anyio.run(OwnUsers(team).warn)
    (line,) = [one for one in caplog.records if one.name.endswith("service_accounts")]
    assert line.levelno == logging.WARNING
    assert "Instance main: Odoo does not accept the server's own user" in line.getMessage()
    assert "of [instances.main]), and restart" in line.getMessage()


def test_a_server_looks_at_its_own_users_as_soon_as_it_starts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        operator = operator_of(team)
        # The page asks the same, so that it has been found out by then.
        assert "does not answer" in text_of(operator.get("/admin"))
    assert "Instance main: does not answer" in caplog.text


def test_a_check_tells_when_the_key_of_the_server_ends(
    server: Server, people: People, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = people.make()
    made = user.make()
    key = {"username": user.login, "api_key": made.key.reveal()}
    instance = instance_of(server, **key)
    instance.pop("password", None)
    status, said = checked(file_of(tmp_path, instance), capsys)
    assert status == 0, said
    assert ("The API key of" in said) == bool(made.expires)
    if made.expires:
        assert f"The API key of {user.login} expires on {made.expires:%Y-%m-%d}" in said
        # Of several, nobody knows which.
        user.make()
        _, said = checked(tmp_path / "team.toml", capsys)
        assert "has 2 API keys" in said
        assert "does not show which" in said


# What starts and what does not ------------------------------------------------------------------


def test_a_database_of_the_store_that_cannot_be_reached_is_no_wrong_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = "postgresql://joe@127.0.0.1:9/team"
    path = file_of(tmp_path, store=place, secret_keys=["a" * 32])
    for words in ([str(path)], [str(path), "--check"]):
        assert main(words) == FAILED
        said = capsys.readouterr().err
        assert "store of sign-ins" in said
        assert "?." not in said
        assert ".." not in said


@pytest.mark.parametrize("told", ["Is it there?", "Is it there", "It is not.", "Two\n lines"])
def test_an_error_of_a_database_ends_with_one_mark(told: str) -> None:
    message = FORM.unusable("x", sqlite3.Error(told), "Wait.").message
    assert message.endswith(("there?", "there.", "not.", "lines."))
    assert "\n" not in message


def test_no_new_key_is_written_beside_a_store_that_an_earlier_one_has_sealed(
    users: Users, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        connected(team)
    key = tmp_path / "accounts.sqlite.key"
    kept = key.read_text()
    key.unlink()
    path = file_of(tmp_path)
    for words in ([str(path)], [str(path), "--check"]):
        assert main(words) == WRONG_SETTINGS
        assert "accounts.sqlite.key, is missing" in capsys.readouterr().err
        assert not key.exists()
    key.write_text(kept)
    key.chmod(0o600)
    TeamServer(team.team).store.close()


def test_a_store_without_secrets_gets_a_new_key(tmp_path: Path) -> None:
    open_store(tmp_path / "accounts.sqlite").close()
    content = {"public_url": "http://127.0.0.1:1", "instances": {"main": dict(NOWHERE)}}
    TeamServer(team_of(content, tmp_path)).store.close()
    assert (tmp_path / "accounts.sqlite.key").exists()


# The check --------------------------------------------------------------------------------------


def test_a_check_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instance = {name: value for name, value in NOWHERE.items() if name != "history"}
    path = file_of(tmp_path, instance, store="deep/accounts.sqlite")
    _, said = checked(path, capsys)
    assert [one.name for one in tmp_path.iterdir()] == ["team.toml"]
    for what in ("accounts.sqlite", "accounts.sqlite.key", "history.sqlite"):
        assert f"{tmp_path / 'deep' / what} does not exist yet" in said


def test_a_check_leaves_tables_of_earlier_versions_as_they_are(
    users: Users, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        connected(team)
    kept = [tmp_path / "accounts.sqlite", tmp_path / "history.sqlite"]
    store = sqlite3.connect(kept[0], isolation_level=None)
    for statement in ("DROP TABLE file", "DROP TABLE left_key", "PRAGMA user_version = 1"):
        store.execute(statement)
    store.close()
    first = attrs.evolve(history_store.FORM, steps=history_store.FORM.steps[:1])
    with closing(database_of(kept[1], first)) as history, history.reading():
        pass
    before = [hashlib.sha256(one.read_bytes()).digest() for one in kept]
    names = {one.name for one in tmp_path.iterdir()} | {"team.toml"}
    _, said = checked(file_of(tmp_path, {**NOWHERE, "history": "history.sqlite"}), capsys)
    for told in (f"use the database {kept[0]}", "keys are valid", f"{kept[1]} can be used"):
        assert told in said, said
    assert [hashlib.sha256(one.read_bytes()).digest() for one in kept] == before
    assert {one.name for one in tmp_path.iterdir()} == names


def test_a_check_tells_all_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "accounts.sqlite").write_text("this is no database, and has some length" * 40)
    instance = {**NOWHERE, "history": str(tmp_path), "approval": ["nonsense"]}
    path = file_of(tmp_path, instance)
    status, said = checked(path, capsys)
    assert status == WRONG_SETTINGS
    wrong = ("'nonsense' is not a rule", "not a database", str(tmp_path), "does not answer")
    assert [told for told in wrong if told not in said] == []
    assert "Address for assistants" in said


def test_a_check_tells_of_approvers_whom_odoo_does_not_have(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = server.user("admin").login.upper()
    rules = {"approval": ["*.unlink"], "approvers": [known, "nobody_here", "%"]}
    status, said = checked(file_of(tmp_path, instance_of(server, **rules)), capsys)
    assert status == FAILED
    assert "no active user %, nobody_here, so" in said
    status, said = checked(
        file_of(tmp_path, instance_of(server, **{**rules, "approvers": [known]})), capsys
    )
    assert (status, "no active user" in said) == (0, False)


def test_a_check_tells_of_a_folder_in_which_nothing_can_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    path = file_of(tmp_path, store="file/accounts.sqlite")
    status, said = checked(path, capsys)
    assert status == FAILED
    assert f"cannot write to {tmp_path / 'file'}" in said


def test_a_check_says_where_the_journal_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = checked(file_of(tmp_path), capsys)
    assert "Main: The change history is off" in said
    place = tmp_path / "own.sqlite"
    sqlite3.connect(place).close()
    _, said = checked(file_of(tmp_path, {**NOWHERE, "history": "own.sqlite"}), capsys)
    assert f"Main: The change history {place} can be used." in said


@pytest.mark.parametrize(
    ("settings", "fails"),
    [
        ({"mode": "full"}, "deletions and other calls that a client cannot confirm itself fail"),
        ({"rules": [{"mode": "full"}]}, "that a client cannot confirm itself fail"),
        (
            {"mode": "full", "approval": ["sale.order.action_confirm"], "approvers": ["boss"]},
            "calls that need an approval and deletions and other calls",
        ),
        ({"mode": "full", "confirm": "never"}, None),
        ({"mode": "readonly"}, None),
        ({"mode": "full", "history": "own.sqlite"}, None),
    ],
)
def test_a_start_and_a_check_warn_of_what_fails_without_a_history(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    settings: dict[str, Any],
    fails: str | None,
) -> None:
    instance = {**NOWHERE, **settings}
    _, said = checked(file_of(tmp_path, instance), capsys)
    content = {"public_url": "http://127.0.0.1:1", "instances": {"main": instance}}
    TeamServer(team_of(content, tmp_path)).store.close()
    for told in (said, caplog.text):
        assert ("(ODOO_HISTORY)" in told) == bool(fails)
        assert (fails or "") in told
    assert ("Main: Warning: The change history is off" in said) == bool(fails)


WIDE = [{"mode": "restricted"}, {"logins": ["ann"]}]
NARROW = [{"logins": ["ann"]}, {"mode": "restricted", "write_allowlist": ["crm.lead"]}]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (WIDE, "Warning: rule 1 has no logins, groups or claims. It matches every user"),
        (WIDE, "rule 1 has the mode restricted, but no write_allowlist"),
        (NARROW, None),
    ],
)
def test_a_check_warns_of_rules_that_are_hardly_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rules: Any, told: str | None
) -> None:
    instance = {**NOWHERE, "history": "own.sqlite", "rules": rules}
    _, said = checked(file_of(tmp_path, instance), capsys)
    assert told in said if told else "Warning" not in said
    # No two addresses are called the same.
    labels = [line.partition(": ")[0] for line in said.splitlines() if "Address for" in line]
    assert len(labels) == len(set(labels)) == 2


def test_a_check_warns_of_a_file_with_a_key_that_others_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_ODOO", KEY)
    path = file_of(tmp_path)
    assert "other users of this machine can read" not in checked(path, capsys)[1]
    path.chmod(0o644)
    assert (
        f"Warning: other users of this machine can read {path}, which contains api_key"
        in checked(path, capsys)[1]
    )
    file_of(tmp_path, {**NOWHERE, "api_key": "env:OF_ODOO"}).chmod(0o644)
    assert "other users of this machine can read" not in checked(path, capsys)[1]


def test_a_check_warns_of_models_that_odoo_does_not_have(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = {"model_blocklist": ["res.partner", "hr.employe"], "write_allowlist": ["res.users.x"]}
    lists["field_blocklist"] = ["emial", "email"]
    status, said = checked(file_of(tmp_path, instance_of(server, **lists)), capsys)
    assert status == 0
    assert "The model blocklist contains 'hr.employe', but Odoo has no such model. Did you" in said
    assert "The write allowlist contains 'res.users.x', but Odoo has no such model." in said
    assert "The field blocklist contains 'emial', but no model has such a field. Did you" in said


def test_a_check_as_a_user_with_few_rights_says_nothing_wrong_of_models(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = ordinary_user(server)
    instance = instance_of(server, username=user.login, password=user.password)
    instance.pop("api_key", None)
    status, said = checked(
        file_of(tmp_path, {**instance, "model_blocklist": ["res.partner"]}), capsys
    )
    assert status == 0
    assert "no model" not in said


# Words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "in_the_file"),
    [
        ("url (ODOO_URL) is missing.", "url is missing."),
        ("Check the address (ODOO_URL).", "Check the address (url)."),
        (
            "give username and password (ODOO_USERNAME, ODOO_PASSWORD).",
            "give username and password.",
        ),
        ("database (ODOO_DB) is missing.", "database is missing."),
        ("Check ODOO_USERNAME and ODOO_DB.", "Check username and database."),
        ("ODOO_MCP_APPROVAL has rules.", "approval has rules."),
        ("ODOO_SOMETHING_ELSE stays.", "ODOO_SOMETHING_ELSE stays."),
    ],
)
def test_settings_are_named_as_in_the_file(told: str, in_the_file: str) -> None:
    assert setting_names(told) == in_the_file


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            OdooConnectionError(
                "There is no server at http://10.0.0.5:8069.", suggestion="ODOO_URL"
            ),
            "Odoo cannot be reached now. Try again in a few minutes.",
        ),
        (
            OdooConnectionError("Broken off.", outcome="maybe_applied"),
            "Odoo has not answered. The change may have been applied: check it in Odoo first.",
        ),
        (
            ConfigurationError("The journal /srv/secret.sqlite cannot be used."),
            "This cannot be done now. Ask this server's administrator to check its log.",
        ),
        (
            AccessError("Not allowed.", suggestion='It needs full mode: Policy(mode="full").'),
            "Not allowed. It needs full mode.",
        ),
    ],
)
def test_people_are_told_neither_addresses_nor_code(
    error: Any, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert for_people(error) == told
    if not isinstance(error, AccessError):
        assert error.message in caplog.text


def typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Have somebody type passwords."""
    given: Iterator[str] = iter(answers)
    monkeypatch.setattr(getpass, "getpass", lambda question: next(given))


def test_the_password_of_the_operator_is_asked_for_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "a long password", "a long pasword")
    assert main(["--hash-password"]) == WRONG_SETTINGS
    told = capsys.readouterr()
    assert "passwords differ" in told.err
    assert told.out == ""
    typed(monkeypatch, "a long password", "a long password")
    assert main(["--hash-password"]) == 0
    hashed = tomlkit.parse(capsys.readouterr().out)["operator_password"]
    assert is_password("a long password", str(hashed))


def test_what_the_operator_ends_is_noted_with_whom_and_where(serve: Serve) -> None:
    team = serve()
    connected(team)
    (account,) = team.server.provider.grants.accounts()
    operator = operator_of(team)
    operator.post("/admin/revoke", operator.get("/admin"), account=str(account.id))
    (event,) = team.server.provider.activity.latest(kind="disconnected")
    assert (event.instance, event.body["login"]) == ("main", "ann")
    lines = operator.get("/admin/activity.jsonl").text
    assert '+00:00"' in lines
