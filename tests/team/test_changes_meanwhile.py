"""What changes in Odoo while people are connected: keys, passwords, the database's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from odoo_toolkit.call import Call
from odoo_toolkit_mcp.accounts import odoo_users
from tests.kit.user_keys import People, creator, keys_of
from tests.live.servers import Server
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    call,
    instance_of,
    looks_until_dropped,
    status_of,
    text_of,
)

pytestmark = pytest.mark.usefixtures("no_pause")


@pytest.fixture
def team(server: Server, tmp_path: Path) -> Iterator[RunningTeam]:
    """A team of one Odoo, with a journal."""
    journal = str(tmp_path / "history.sqlite")
    main = instance_of(server, mode="full", confirm="never", history=journal)
    with RunningTeam(tmp_path, {"main": main}) as one:
        yield one


#: The first version of Odoo in which every call looks whether its key is still there.
REFUSES_AT_ONCE = 19


def before_creating(name: str, do: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do something once, right before the call that creates a record of a name is sent."""
    send, done = Odoo.send, []

    def sent(odoo: Odoo, admitted: Any, *args: Any, **options: Any) -> Any:
        asked: Call = admitted if isinstance(admitted, Call) else admitted.call
        if asked.method == "create" and name in repr(asked.arguments) and not done:
            done.append(True)
            do()
        return send(odoo, admitted, *args, **options)

    monkeypatch.setattr(Odoo, "send", sent)


def named(admin: Odoo, name: str) -> int:
    return toolkit.count(admin, "res.partner", [["name", "=", name]]).count


@pytest.mark.every_version
def test_a_key_that_is_revoked_during_a_call_ends_it_with_an_error_and_nothing_is_done_twice(
    team: RunningTeam, people: People, admin: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = creator(people)
    client = OAuthClient(team.url)
    tokens = Person(team.url).connect(client, **user.form)
    (account,) = team.server.provider.grants.accounts()
    first, second = f"First of {user.login}", f"Second of {user.login}"
    before_creating(second, lambda: user.remove(account.key_id), monkeypatch)
    # Longer than half a minute after the sign-in, in which Odoo would not be asked again.
    moment = odoo_users.now() + 40
    monkeypatch.setattr(odoo_users, "now", lambda: moment)
    items = [
        {"tool": "odoo_core_create", "arguments": {"model": "res.partner", "values": {"name": one}}}
        for one in (first, second)
    ]
    answer = call(
        team.url, tokens.access, "odoo_core_batch", {"items": items, "idempotency_key": "one try"}
    )
    assert answer.status_code == 200
    # Up to 18 Odoo remembers for a while which keys were right, and mostly takes the second call.
    refused = answer.json()["result"]["isError"]
    assert refused or int(user.server.version) < REFUSES_AT_ONCE
    assert (named(admin, first), named(admin, second)) == (1, 0 if refused else 1)
    if refused:
        assert "did not accept the API key" in answer.text
        assert "sign in again" in answer.text
    for seconds in looks_until_dropped(user.server):
        moment += seconds
        status = status_of(team, tokens.access)
    assert status == 401
    (grant,) = team.server.provider.grants.grants(ended=True)
    assert grant.why == "Odoo refuses the key"
    # Signed in again: the answer is repeated, or the error names what is left and can be undone.
    tokens = Person(team.url).connect(client, **user.form)
    asked = {"items": items, "idempotency_key": "one try"}
    result = call(team.url, tokens.access, "odoo_core_batch", asked).json()["result"]
    assert result["isError"] is refused
    assert (named(admin, first), named(admin, second)) == (1, 0 if refused else 1)
    if refused:
        error = result["structuredContent"]
        assert error["code"] == "KEY_UNCONFIRMED"
        entry = {"entry": error["details"]["entry"]}
        undone = call(team.url, tokens.access, "odoo_core_undo", entry)
        assert undone.json()["result"]["isError"] is False
        assert named(admin, first) == 0


def test_a_changed_password_leaves_what_is_connected_and_ends_what_is_begun(
    team: RunningTeam, people: People
) -> None:
    user = people.make()
    client = OAuthClient(team.url)
    tokens = Person(team.url).connect(client, **user.form)
    begun = Person(team.url)
    other = people.make()
    page = begun.sign_in(begun.begin(client), **other.form)
    assert page.status_code == 200
    for one in (user, other):
        toolkit.write(people.free, "res.users", [one.uid], {"password": f"new of {one.login}"})
    # A key is no password: Odoo takes it on.
    assert status_of(team, tokens.access) == 200
    person = Person(team.url)
    assert person.sign_in(person.begin(client), **user.form).status_code == 400
    # The web session of the old password has ended.
    answer = begun.post("/consent", page, answer="allow")
    assert answer.status_code == 502
    assert "Odoo has not created a key" in text_of(answer)
    assert "The app has no access yet" in text_of(answer)
    assert keys_of(other, people) == []
    new = {"login": user.login, "password": f"new of {user.login}"}
    assert Person(team.url).connect(client, **new)
    assert len(keys_of(user, people)) == 1


def test_a_database_that_is_renamed_disconnects_nobody(
    server: Server, people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = people.make()
    right = instance_of(server, reconnect_attempts=0)
    with RunningTeam(tmp_path, {"main": right}) as team:
        client = OAuthClient(team.url)
        tokens = Person(team.url).connect(client, **user.form)
    moment = odoo_users.now() + 700
    monkeypatch.setattr(odoo_users, "now", lambda: moment)
    # For the server it is all one whether Odoo renames it, or its own file does.
    renamed = {"main": {**right, "database": "renamed"}}
    with RunningTeam(tmp_path, renamed, team.port) as team:
        answer = call(team.url, tokens.access, "odoo_core_get_user")
        assert answer.status_code == 200
        result = answer.json()["result"]
        assert result["isError"]
        assert any(
            told in answer.text
            for told in ("no database named renamed", "did not find the database")
        )
    moment += 700
    with RunningTeam(tmp_path, {"main": right}, team.port) as team:
        answer = call(team.url, tokens.access, "odoo_core_get_user")
        assert answer.status_code == 200
        assert user.login in answer.text
