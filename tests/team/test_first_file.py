"""``serve --init``: five questions, and no answer is taken that would not serve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.accounts.command import main
from odoo_toolkit_mcp.accounts.first_file import (
    FirstFile,
    add_database,
    renew_key,
    write_first_file,
)
from odoo_toolkit_mcp.accounts.passwords import is_password
from odoo_toolkit_mcp.accounts.team import read_team
from tests.kit.user_keys import People, keys_of, with_second_factor
from tests.live.servers import Server


@attrs.define
class Answers:
    """What somebody answers, word by word, and what is said meanwhile.

    Attributes:
        given: the beginning of each question, and the answer.
        said: everything that the person has read.
    """

    given: Iterator[tuple[str, str]]
    said: list[str] = attrs.field(factory=list)

    def ask(self, question: str) -> str:
        try:
            wanted, answer = next(self.given)
        except StopIteration:
            raise EOFError from None
        assert question.strip().startswith(wanted), (question, self.said)
        return answer


def init(path: Path, *given: tuple[str, str], patient: bool = True) -> tuple[FirstFile, list[str]]:
    answers = Answers(iter(given))
    written = write_first_file(path, answers.said.append, answers.ask, answers.ask, patient)
    assert list(answers.given) == []
    return written, answers.said


@pytest.mark.every_version
def test_five_right_answers_make_a_file_that_passes_the_check(
    server: Server, people: People, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = people.make()
    path = tmp_path / "team.toml"
    written, said = init(
        path,
        ("1.", f" {server.url}/ "),
        ("2.", ""),
        ("Login", user.login),
        ("Password", user.password),
        ("4.", ""),
        ("5.", ""),
    )
    team = written.team
    assert team.public_url == "http://127.0.0.1:8080"
    assert team.instances["main"].connection.database == server.db
    assert team.instances["main"].rules[0].settings.mode == "readonly"
    assert is_password(written.operator_password, team.operator_password or "")
    assert path.stat().st_mode & 0o777 == 0o600
    assert user.password not in path.read_text()
    assert keys_of(user, people) == ["odoo-toolkit-mcp server"]
    assert any("set api_key in the file" in line for line in said) == (int(server.version) >= 18)
    assert main([str(path), "--check"]) == 0
    assert user.login in capsys.readouterr().err


def test_a_wrong_answer_is_told_and_asked_again(
    server: Server, people: People, tmp_path: Path
) -> None:
    user = people.make()
    app = with_second_factor(user)
    written, said = init(
        tmp_path / "team.toml",
        ("1.", "odoo.example.com"),
        ("1.", "127.0.0.1:8070"),
        ("1.", "odoo:8069"),
        ("1.", server.url.replace("http:", "https:")),
        ("1.", "http://127.0.0.1:9"),
        ("1.", ""),
        ("1.", f"{server.url}/odoo"),
        ("1.", server.url),
        ("2.", "not-there"),
        ("2.", server.db),
        ("Login", ""),
        ("Login", user.login),
        ("Password", "not the password"),
        ("Login", user.login),
        ("Password", user.password),
        ("Two-factor", app.code()),
        ("4.", "localhost:9123"),
        ("4.", "http://mcp.example.com"),
        ("4.", "https://mcp.example.com/mcp"),
        ("4.", "http://127.0.0.1:9123"),
        ("5.", "everything"),
        ("5.", "full"),
    )
    words = "\n".join(said)
    for told in (
        "url must begin with https:// or http://: https://odoo.example.com",
        "url must begin with https:// or http://: http://127.0.0.1:8070",
        "url must begin with https:// or http://: http://odoo:8069",
        "If Odoo does not use TLS there, begin the address with http://",
        f"{server.url}/odoo redirects to {server.url}. Enter that address",
        "public_url must begin with https:// or http://: http://localhost:9123",
        "Every user with a login in this database can sign in",
        "There is no server at http://127.0.0.1:9",
        "The address is missing",
        "'not-there'",
        "does not accept this login and password",
        "public_url must be the https address",
        "'everything' is neither readonly nor full",
    ):
        assert told in words, told
    assert "not the password" not in words
    assert written.team.instances["main"].rules[0].settings.mode == "full"
    # Nothing stands before a server of this machine: it listens where people are sent.
    assert written.team.server.port == 9123
    assert keys_of(user, people) == ["odoo-toolkit-mcp server"]


@pytest.mark.every_version
def test_a_portal_user_is_refused_at_once_and_one_with_needless_rights_is_asked_about(
    server: Server, people: People, tmp_path: Path
) -> None:
    portal, chief, plain = (
        people.make(group) for group in ("group_portal", "group_system", "group_user")
    )
    _, said = init(
        tmp_path / "team.toml",
        ("1.", server.url),
        ("2.", server.db),
        ("Login", portal.login),
        ("Password", portal.password),
        ("Login", chief.login),
        ("Password", chief.password),
        (f"Use {chief.login} anyway?", ""),
        ("Login", plain.login),
        ("Password", plain.password),
        ("4.", ""),
        ("5.", ""),
    )
    assert f"{portal.login} is not an internal user" in "\n".join(said)
    assert "can change users or settings" in "\n".join(said)
    assert keys_of(chief, people) == []


@pytest.mark.every_version
def test_a_database_is_added_and_its_key_renewed(
    server: Server, people: People, tmp_path: Path
) -> None:
    user = people.make()
    path = tmp_path / "team.toml"
    first = ("1.", server.url), ("2.", server.db), ("Login", user.login)
    init(path, *first, ("Password", user.make().key.reveal()), ("4.", ""), ("5.", ""))
    path.write_text(path.read_text() + "\n# a comment of the operator\n")
    before = path.read_text()

    def dialog(change: Any, name: str, *given: tuple[str, str], patient: bool = True) -> list[str]:
        answers = Answers(iter(given))
        change(path, name, answers.said.append, answers.ask, answers.ask, patient)
        return answers.said

    for change, name, given in [
        (add_database, "main", []),
        (add_database, "Not A Name", []),
        (add_database, "test", [*first]),
        (renew_key, "other", []),
        (renew_key, "main", [("Password", "wrong")]),
    ]:
        with pytest.raises(OdooError):
            dialog(change, name, *given, patient=False)
        assert path.read_text() == before
    added = dialog(add_database, "test", *first, ("Password", user.password), ("4.", "full"))
    assert added[-1].endswith("http://127.0.0.1:8080/mcp/test")
    team = read_team(path)
    assert "# a comment of the operator" in path.read_text()
    assert team.instances["test"].rules[0].settings.mode == "full"
    assert path.stat().st_mode & 0o777 == 0o600
    dialog(renew_key, "main", ("Password", user.password))
    keys = [one.connection.api_key for one in read_team(path).instances.values()]
    assert len({key.reveal() for key in keys if key}) == 2
    assert keys[0] != team.instances["main"].connection.api_key
    assert all(user.check(key.reveal()).uid == user.uid for key in keys if key)
    assert [one.name for one in tmp_path.iterdir()] == ["team.toml"]


def test_of_a_dialog_that_comes_to_no_end_nothing_is_left(
    server: Server, people: People, tmp_path: Path
) -> None:
    user = people.make()
    right = [
        ("1.", server.url),
        ("2.", server.db),
        ("Login", user.login),
        ("Password", user.password),
        ("4.", ""),
    ]
    for last, told in [
        ([], "ended before the last question"),
        ([("5.", "everything")], "neither readonly nor full"),
    ]:
        with pytest.raises(OdooError, match=told):
            init(tmp_path / "team.toml", *right, *last, patient=False)
    with pytest.raises(OdooError, match="no folder"):
        init(tmp_path / "missing" / "team.toml")
    assert list(tmp_path.iterdir()) == []
    assert keys_of(user, people) == []


def test_a_file_that_is_there_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "team.toml"
    path.write_text("mine")
    assert main([str(path), "--init"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_an_api_key_is_taken_in_place_of_the_password_and_no_other_is_made(
    server: Server, people: People, tmp_path: Path
) -> None:
    user = people.make()
    made = user.make()
    written, said = init(
        tmp_path / "team.toml",
        ("1.", server.url),
        ("2.", server.db),
        ("Login", user.login),
        ("Password", "0" * 40),
        ("Login", user.login),
        ("Password", f" {made.key.reveal()} "),
        ("4.", ""),
        ("5.", "restricted"),
        ("5.", ""),
    )
    assert "does not accept this API key" in "\n".join(said)
    assert "'restricted' is neither readonly nor full" in "\n".join(said)
    key = written.team.instances["main"].connection.api_key
    assert key.reveal() == made.key.reveal()
    assert keys_of(user, people) == [made.name]


@pytest.mark.parametrize("there", ["accounts.sqlite", "first.toml"])
def test_a_second_team_in_one_folder_is_refused(
    there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / there).write_text('public_url = "https://x"\n[instances.main]\n')
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    path = tmp_path / "second.toml"
    assert main([str(path), "--init"]) == 2
    said = capsys.readouterr().err
    assert f"already contains {there}" in said
    assert not said.startswith("odoo-toolkit-mcp serve")
    assert not path.exists()
