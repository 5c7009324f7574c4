"""An issuer's tokens at each Odoo that runs: whose key acts, and when it does no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit.configuration import Secret
from odoo_toolkit_mcp.accounts import odoo_users
from odoo_toolkit_mcp.accounts.odoo_users import shares_login
from tests.kit.user_keys import People, creator, keys_of
from tests.kit.user_keys import Person as User
from tests.live.servers import Server
from tests.mcp.issuer import Issuer
from tests.team.harness import Person, RunningTeam, call, instance_of, looks_until_dropped, text_of
from tests.team.issuing import WHO, key_given, table, token_of, why

pytestmark = pytest.mark.usefixtures("no_pause")


@pytest.fixture(scope="module")
def team(
    server: Server, issuer: Issuer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningTeam]:
    """A team of one Odoo, whose people an issuer signs in: sales may write, others read."""
    rules = [{"claims": {"groups": ["sales"]}, "mode": "full", "confirm": "never"}, {}]
    main = instance_of(server, rules=rules)
    folder = tmp_path_factory.mktemp("team")
    with RunningTeam(folder, {"main": main}, issuer=table(issuer)) as one:
        yield one


def answer_of(team: RunningTeam, token: str, tool: str, **arguments: Any) -> Any:
    answer = call(team.url, token, tool, arguments)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def test_from_a_token_without_a_key_to_an_answer_of_odoo(
    team: RunningTeam, issuer: Issuer, people: People
) -> None:
    user = creator(people)
    token = token_of(issuer, team, user.login.upper())
    told = why(call(team.url, token, WHO))
    assert f"{team.url}/me" in told
    person = key_given(team, user.login, password=user.password)
    assert keys_of(user, people) == [f"Assistants at {team.url.removeprefix('http://')}"]

    who = answer_of(team, token, WHO)["structuredContent"]
    assert who["user"] == f"Keys {user.login}"
    values = {"model": "res.partner", "values": {"name": f"Made by {user.login}"}}
    assert "isError" in answer_of(team, token, "odoo_core_create", **values)
    sales = token_of(issuer, team, user.login, groups=["sales"])
    made = answer_of(team, sales, "odoo_core_create", **values)["structuredContent"]
    (row,) = toolkit.read(people.free, "res.partner", [made["id"]], ["create_uid"]).records
    assert row["create_uid"]["id"] == user.uid

    # It is noted for that person, with the program.
    events = team.server.provider.activity.latest(kind="call")
    assert {(one.client, one.body["login"]) for one in events} == {("Claude", user.login)}
    assert "res.partner.create" in text_of(person.get("/me"))

    # Signing in once more makes no second key.
    key_given(team, user.login, password=user.password)
    assert len(keys_of(user, people)) == 1
    removed = person.post("/me/remove-key", person.get("/me"), password=user.password)
    assert removed.status_code == 303
    assert keys_of(user, people) == []
    assert "no API key" in why(call(team.url, sales, WHO))


def alike(people: People, user: User, login: str) -> User:
    """Return another user, who is given a login."""
    other = people.make()
    toolkit.write(people.free, "res.users", [other.uid], {"login": login})
    assert login != user.login
    return User(other.server, login, other.password, other.uid)


def test_two_users_whose_logins_differ_in_case_are_nobody(
    team: RunningTeam, issuer: Issuer, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = people.make()
    key_given(team, user.login, password=user.password)
    token = token_of(issuer, team, user.login)
    assert call(team.url, token, WHO).status_code == 200
    other = alike(people, user, user.login.upper())
    person = Person(team.url)
    form = other.form
    refused = person.post("/me/sign-in", person.get("/me"), **form)
    assert refused.status_code == 409
    moment = odoo_users.now() + 601
    monkeypatch.setattr(odoo_users, "now", lambda: moment)
    assert "no API key" in why(call(team.url, token, WHO))
    # One who is archived is nobody's double.
    people.archive(other.uid)
    key_given(team, user.login, password=user.password)
    assert call(team.url, token, WHO).status_code == 200


def test_characters_with_a_meaning_to_a_database_have_none_in_a_login(
    team: RunningTeam, people: People
) -> None:
    instance = team.team.instances["main"]
    user = people.make()
    login = f"a%b_c\\d{user.login}"
    toolkit.write(people.free, "res.users", [user.uid], {"login": login})
    key = Secret(User(user.server, login, user.password, user.uid).make().key.reveal())
    alike(people, user, f"a%bXc\\d{user.login}")
    assert not shares_login(instance, login, key)
    alike(people, user, f"A%b_C\\d{user.login}")
    assert shares_login(instance, login, key)


def test_who_is_archived_or_loses_the_key_acts_no_more(
    team: RunningTeam, issuer: Issuer, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    archived, revoked = people.make(), people.make()
    keys = {user.login: user.make() for user in (archived, revoked)}
    tokens = []
    for login, made in keys.items():
        key_given(team, login, key=made.key.reveal())
        tokens.append(token_of(issuer, team, login))
    for token in tokens:
        assert call(team.url, token, WHO).status_code == 200
    people.archive(archived.uid)
    revoked.remove(keys[revoked.login].key_id)
    moment = odoo_users.now()
    monkeypatch.setattr(odoo_users, "now", lambda: moment)
    for seconds in looks_until_dropped(archived.server):
        moment += seconds
        answers = [call(team.url, token, WHO) for token in tokens]
    for answer in answers:
        assert "no API key" in why(answer)
