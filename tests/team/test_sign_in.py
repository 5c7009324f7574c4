"""People sign in with their Odoo user, on every Odoo that runs, and end what they allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import requests

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from odoo_toolkit_mcp.accounts import me, odoo_users, sign_in
from odoo_toolkit_mcp.accounts.vault import hashed
from tests.kit.user_keys import People, creator, keys_of, with_second_factor
from tests.kit.user_keys import Person as User
from tests.live.servers import Server
from tests.team.harness import (
    CALLBACK,
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    call,
    hidden,
    instance_of,
    status_of,
    text_of,
)

pytestmark = pytest.mark.usefixtures("no_pause")


@pytest.fixture(scope="module")
def team(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTeam]:
    """A team of one Odoo, with a journal."""
    folder = tmp_path_factory.mktemp("team")
    journal = str(folder / "history.sqlite")
    main = instance_of(server, mode="full", confirm="never", history=journal)
    down = {**main, "url": "http://127.0.0.1:9", "reconnect_attempts": 0}
    with RunningTeam(folder, {"main": main, "down": down}) as one:
        yield one


@pytest.fixture(autouse=True)
def refusals_of_others_forgotten(request: pytest.FixtureRequest) -> None:
    """Forget how often Odoo has refused: three times in a minute, and nobody else may sign in."""
    if "team" in request.fixturenames:
        team: RunningTeam = request.getfixturevalue("team")
        for instance in team.server.team.instances.values():
            team.server.attempts.forget(f"odoo {instance.odoo}")


@pytest.fixture(scope="module")
def client(team: RunningTeam) -> OAuthClient:
    """A client that has registered."""
    return OAuthClient(team.url, name="Claude")


def begun(team: RunningTeam, client: OAuthClient) -> tuple[Person, Any]:
    person = Person(team.url)
    return person, person.begin(client)


def result_of(team: RunningTeam, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = call(team.url, token, tool, arguments)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]
    return result["structuredContent"]


@pytest.mark.every_version
def test_with_a_password_from_the_first_page_to_the_last(
    team: RunningTeam, client: OAuthClient, people: People, admin: Odoo
) -> None:
    """Yes, a call, a change taken back, a second client, the key removed."""
    user = creator(people)
    person, page = begun(team, client)
    page = person.sign_in(page, instance="main", **user.form)
    assert user.login in text_of(page)
    assert "Odoo creates an API key for this server" in text_of(page)
    assert keys_of(user, people) == []
    tokens = client.tokens(person.answer(page)["code"])
    assert keys_of(user, people) == [f"Assistants at {team.url.removeprefix('http://')}"]
    assert result_of(team, tokens.access, "odoo_core_get_user")["user"] == f"Keys {user.login}"

    # Another client: the same key serves.
    other = OAuthClient(team.url, name="ChatGPT")
    theirs = person.connect(other, instance="main", **user.form)
    assert len(keys_of(user, people)) == 1

    # What was done, and taking it back.
    made = result_of(
        team,
        tokens.access,
        "odoo_core_create",
        model="res.partner",
        values={"name": f"Made by {user.login}"},
    )
    mine = person.post("/me/sign-in", person.get("/me"), instance="main", **user.form)
    assert mine.status_code == 303
    page = person.get("/me")
    assert "Claude" in text_of(page)
    assert "ChatGPT" in text_of(page)
    assert "res.partner.create" in text_of(page)
    entry = re.findall(r'name="entry" value="(\d+)"', page.text)[0]
    asked = person.post("/me/undo", page, entry=entry)
    assert "Undo this change?" in text_of(asked)
    assert f"Made by {user.login} would be deleted" in text_of(asked)
    assert "cannot be restored" in text_of(asked)
    # Words, and not the objects that they are taken from.
    assert "PlannedCall" not in text_of(asked)
    named = [["id", "=", made["id"]]]
    assert toolkit.count(admin, "res.partner", named).count == 1
    done = person.post("/me/undo", asked, entry=entry, sure="yes")
    assert "Undone" in text_of(done)
    assert toolkit.count(admin, "res.partner", named).count == 0
    # It is noted as what programs do, and there is no second time.
    events = team.server.provider.activity.latest(kind="call", words='"unlink"')
    (noted,) = [one for one in events if one.body["ids"] == [made["id"]]]
    assert (noted.client, noted.body["login"]) == ("/me", user.login)
    again = person.post("/me/undo", asked, entry=entry, sure="yes")
    assert again.status_code == 409
    assert "undone" in text_of(again)

    # One client is disconnected, then all with the key.
    (connection, *_) = re.findall(r'name="connection" value="(\d+)"', page.text)
    person.post("/me/disconnect", page, connection=connection)
    assert status_of(team, theirs.access) == 401
    assert status_of(team, tokens.access) == 200
    wrong = person.post("/me/remove-key", page, password="not this")
    assert "does not accept" in text_of(wrong)
    assert len(keys_of(user, people)) == 1
    removed = person.post("/me/remove-key", page, password=user.password)
    assert removed.status_code == 303, text_of(removed)
    assert keys_of(user, people) == []
    assert status_of(team, tokens.access) == 401
    assert client.refresh(tokens.refresh).status_code == 400


@pytest.mark.every_version
def test_what_another_person_has_to_allow_is_not_taken_back_without(
    server: Server, people: People, admin: Odoo, tmp_path: Path
) -> None:
    user = creator(people)
    rules = {"approval": ["res.partner.unlink"], "approvers": ["somebody else"]}
    journal = str(tmp_path / "history.sqlite")
    main = instance_of(server, mode="full", confirm="never", history=journal, **rules)
    with RunningTeam(tmp_path, {"main": main}) as careful:
        person, client = Person(careful.url), OAuthClient(careful.url)
        form = {"instance": "main", **user.form}
        tokens = person.connect(client, **form)
        values = {"name": f"Made by {user.login}"}
        made = result_of(
            careful, tokens.access, "odoo_core_create", model="res.partner", values=values
        )
        assert person.post("/me/sign-in", person.get("/me"), **form).status_code == 303
        page = person.get("/me")
        (entry,) = re.findall(r'name="entry" value="(\d+)"', page.text)
        for sure in ("", "yes"):
            refused = person.post("/me/undo", page, entry=entry, sure=sure)
            assert refused.status_code == 409
            assert "must approve this undo" in text_of(refused)
    assert toolkit.count(admin, "res.partner", [["id", "=", made["id"]]]).count == 1


def deletion(team: RunningTeam, token: str, record: int, **answered: Any) -> dict[str, Any]:
    """Delete a contact, with a client that asks its person; return the result."""
    arguments = {"model": "res.partner", "ids": [record]}
    answer = call(team.url, token, "odoo_core_unlink", arguments, answers=answered)
    told: dict[str, Any] = answer.json()
    return told


@pytest.mark.every_version
def test_a_yes_is_for_whom_was_asked_and_for_the_rule_that_holds(
    server: Server, people: People, admin: Odoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, another = creator(people), creator(people)
    rules = [
        {"groups": ["base.group_partner_manager"], "mode": "full"},
        {"groups": ["base.group_user"], "mode": "readonly"},
    ]
    main = instance_of(server, confirm="always", rules=rules)
    made = toolkit.create(admin, "res.partner", {"name": f"Kept by {asked.login}"}).id
    there = [["id", "=", made]]
    with RunningTeam(tmp_path, {"main": main}) as careful:
        client = OAuthClient(careful.url)
        tokens = [
            Person(careful.url).connect(client, **user.form).access for user in (asked, another)
        ]
        question = deletion(careful, tokens[0], made)["result"]
        yes = {"confirmation": {"action": "accept", "content": {"confirm": True}}}
        answered = {"inputResponses": yes, "requestState": question["requestState"]}
        # Taken by another: that person is asked, too, and the yes is used up.
        assert deletion(careful, tokens[1], made, **answered)["result"]["inputRequests"]
        assert deletion(careful, tokens[0], made, **answered)["result"]["inputRequests"]
        # Given after another rule holds.
        question = deletion(careful, tokens[0], made)["result"]
        field = "group_ids" if people.free.version.major >= 19 else "groups_id"
        named = [["module", "=", "base"], ["name", "=", "group_partner_manager"]]
        (row,) = toolkit.search_read(people.free, "ir.model.data", named, ["res_id"]).records
        toolkit.write(people.free, "res.users", [asked.uid], {field: [[3, row["res_id"]]]})
        moment = odoo_users.now() + 601
        monkeypatch.setattr(odoo_users, "now", lambda: moment)
        answered = {"inputResponses": yes, "requestState": question["requestState"]}
        refused = deletion(careful, tokens[0], made, **answered)
        assert "MODE_VIOLATION" in str(refused) or "error" in refused
        assert toolkit.count(admin, "res.partner", there).count == 1
        # Who may still, and is asked, does it.
        question = deletion(careful, tokens[1], made)["result"]
        answered = {"inputResponses": yes, "requestState": question["requestState"]}
        deletion(careful, tokens[1], made, **answered)
    assert toolkit.count(admin, "res.partner", there).count == 0


def test_a_no_leaves_nothing_behind(team: RunningTeam, client: OAuthClient, people: People) -> None:
    user = people.make()
    person, page = begun(team, client)
    page = person.sign_in(page, instance="main", **user.form)
    assert person.answer(page, "deny") == {
        "to": CALLBACK,
        "error": "access_denied",
        "error_description": "The user denied access.",
        "state": "the state",
        "iss": team.url,
    }
    assert keys_of(user, people) == []
    assert person.post("/consent", page, answer="allow").status_code == 410
    assert keys_of(user, people) == []


def test_with_a_key_of_ones_own(team: RunningTeam, client: OAuthClient, people: People) -> None:
    user = people.make()
    key = user.make().key.reveal()
    person, page = begun(team, client)
    page = person.sign_in(page, instance="main", login=user.login, key=f" {key} ")
    assert "creates an API key" not in text_of(page)
    tokens = client.tokens(person.answer(page)["code"])
    assert result_of(team, tokens.access, "odoo_core_get_user")["user"] == f"Keys {user.login}"
    assert len(keys_of(user, people)) == 1
    # The password is no key, and the key proves nothing for another login.
    for login, wrong in [(user.login, user.password), (people.make().login, key)]:
        person, page = begun(team, client)
        answer = person.sign_in(page, instance="main", login=login, key=wrong)
        assert answer.status_code == 400
        assert wrong not in answer.text


def test_a_made_key_that_a_pasted_one_replaces_is_told_and_removed(
    team: RunningTeam, client: OAuthClient, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = people.make()
    password = {"instance": "main", **user.form}
    ours = f"Assistants at {team.url.removeprefix('http://')}"
    first = Person(team.url).connect(client, **password)
    own = user.make()
    person = Person(team.url)
    pasted = {"instance": "main", "login": user.login, "key": own.key.reveal()}
    person.connect(client, **pasted)
    assert sorted(keys_of(user, people)) == sorted([ours, own.name])
    # It is told at once, on the page and to the operator; and removed with the password.
    person.post("/me/sign-in", person.get("/me"), **pasted)
    page = person.get("/me")
    assert "Unused keys" in text_of(page)
    assert "key out of use" in text_of(page)
    (left,) = re.findall(r'name="left" value="(\d+)"', page.text)
    wrong = person.post("/me/remove-key", page, left=left, password="not this")
    assert "does not accept" in text_of(wrong)
    assert person.post("/me/remove-key", page, left="1", password="x").status_code == 404
    assert len(keys_of(user, people)) == 2
    gone = person.post("/me/remove-key", page, left=left, password=user.password)
    assert gone.status_code == 303, text_of(gone)
    assert keys_of(user, people) == [own.name]
    assert "Unused keys" not in text_of(person.get("/me"))
    # Nothing is disconnected: another key serves.
    assert status_of(team, first.access) == 200

    # Who signs in with the password later need not do anything.
    Person(team.url).connect(client, **password)
    Person(team.url).connect(client, **pasted)
    assert sorted(keys_of(user, people)) == sorted([ours, own.name])
    monkeypatch.setattr(me, "UNUSED", 0)
    person = Person(team.url)
    assert person.post("/me/sign-in", person.get("/me"), **password).status_code == 303
    assert keys_of(user, people) == [own.name]
    Person(team.url).connect(client, **password)
    Person(team.url).connect(client, **pasted)
    monkeypatch.setattr(sign_in, "UNUSED", 0)
    Person(team.url).connect(client, **password)
    assert sorted(keys_of(user, people)) == sorted([ours, own.name])
    account = team.server.provider.grants.account_of("main", user.uid)
    assert team.server.provider.grants.left_keys(account.id) == []


def is_logged_in(user: User, session: str) -> bool:
    """Whether Odoo still knows a session of its web client."""
    answer = requests.post(
        f"{user.server.url}/web/session/get_session_info",
        json={"jsonrpc": "2.0", "params": {}},
        cookies={"session_id": session},
        timeout=60,
    ).json()
    return "error" not in answer and answer["result"].get("uid") == user.uid


def test_a_sign_in_that_nobody_answers_leaves_no_session_in_odoo(
    team: RunningTeam, client: OAuthClient, people: People
) -> None:
    user = people.make()
    form = {"instance": "main", **user.form}
    person, page = begun(team, client)
    token = hidden(page.text)["request"]
    asked = team.server.provider.requests
    sessions = []
    # Somebody goes back and signs in once more; then leaves the page that asks.
    for _ in range(2):
        assert person.sign_in(page, **form).status_code == 200
        found = asked.find(token)
        assert found.user
        sessions.append(found.user["session"])
    assert [is_logged_in(user, one) for one in sessions] == [False, True]
    anyio.run(team.server.sign_in.forget_unanswered)
    assert is_logged_in(user, sessions[1])
    with team.server.store.writing() as session:
        session.execute("UPDATE request SET ends = 0 WHERE hash = ?", [hashed(token)])
    anyio.run(team.server.sign_in.forget_unanswered)
    assert not is_logged_in(user, sessions[1])
    assert person.post("/consent", page, answer="allow").status_code == 410
    assert keys_of(user, people) == []


def test_refused_logins_are_all_alike_and_no_word_of_them_comes_back(
    team: RunningTeam, client: OAuthClient, people: People, admin: Odoo
) -> None:
    user, archived = people.make(), people.make()
    people.archive(archived.uid)
    told = set()
    for login, password in [
        (user.login, "not the password"),
        (archived.login, archived.password),
        ("nobody-here", "anything at all"),
    ]:
        person, page = begun(team, client)
        answer = person.sign_in(page, instance="main", login=login, password=password)
        assert answer.status_code == 400
        assert password not in answer.text
        alert = re.search(r'role="alert">([^<]+)<', answer.text)
        assert alert
        told.add(alert[1])
    # Odoo takes no login for a while after five that failed in a row, with any user.
    assert user.make()
    assert len(told) == 1


def test_a_second_factor_is_asked_for(
    team: RunningTeam, client: OAuthClient, people: People
) -> None:
    user = people.make()
    app = with_second_factor(user)
    person, page = begun(team, client)
    form = {"instance": "main", **user.form}
    page = person.sign_in(page, **form)
    assert page.status_code == 400
    assert "second" in text_of(page) or "factor" in text_of(page)
    page = person.sign_in(page, **form, code=app.code())
    assert page.status_code == 200, text_of(page)
    assert client.tokens(person.answer(page)["code"])
    assert len(keys_of(user, people)) == 1


def test_an_odoo_that_is_down_is_told_at_sign_in(team: RunningTeam, client: OAuthClient) -> None:
    person, page = begun(team, client)
    answer = person.sign_in(page, instance="down", login="ann", password="a password of ann")
    assert answer.status_code == 400
    assert "a password of ann" not in answer.text
    words = text_of(answer)
    assert "Odoo cannot be reached now" in words
    # Where Odoo is, and which settings name it, is for the operator.
    assert "127.0.0.1:9" not in words
    assert "ODOO_URL" not in words


@pytest.mark.every_version
def test_the_operator_sees_who_is_connected_and_ends_it(
    team: RunningTeam, client: OAuthClient, people: People
) -> None:
    user = people.make()
    key = user.make().key.reveal()
    tokens = Person(team.url).connect(client, instance="main", login=user.login, key=key)
    answer = call(
        team.url,
        tokens.access,
        "odoo_core_create",
        {"model": "res.partner", "values": {"name": "Of the operator's test"}},
    )
    refused = answer.json()["result"].get("isError", False)
    operator = Person(team.url)
    page = operator.get("/admin")
    assert user.login not in page.text
    wrong = operator.post("/admin/sign-in", page, password="not this password")
    assert wrong.status_code == 400
    for path in ("/admin/activity", "/admin/activity.jsonl"):
        assert operator.get(path).status_code == 403
    assert operator.post("/admin/sign-in", page, password=OPERATOR_PASSWORD).status_code == 303
    page = operator.get("/admin")
    words = text_of(page)
    assert user.login in words
    assert "Claude" in words
    assert f"Odoo {user.server.version}" in words
    assert "does not answer" in words
    assert "It can do in this user's name everything that this user can do in Odoo" in words
    grants = team.server.provider.grants
    account = grants.account_of("main", user.uid)
    lines = operator.get("/admin/activity.jsonl", account=str(account.id)).text.splitlines()
    events = [json.loads(line) for line in lines]
    assert {"connected", "call"} <= {event["kind"] for event in events}
    assert all(re.fullmatch(r"[\d-]{10}T[\d:]{8}\+00:00", event["happened"]) for event in events)
    (called,) = [event["body"] for event in events if event["kind"] == "call"]
    assert (called["model"], called["operation"]) == ("res.partner", "create")
    assert called["success"] is not refused
    assert called["login"] == user.login
    shown = operator.get("/admin/activity", words="res.partner", kind="call")
    assert user.login in shown.text
    assert operator.get("/admin/activity", account="9" * 30).status_code == 400
    operator.post("/admin/revoke", page, account=str(account.id))
    assert status_of(team, tokens.access) == 401
    gone = grants.account_of("main", user.uid)
    assert gone.key is None
    events_of_user = team.server.provider.activity.latest(account=gone.id)
    ended = [one for one in events_of_user if one.kind == "disconnected"]
    assert ended
    assert all(one.instance == "main" for one in ended)
    assert all(one.body["login"] == user.login for one in ended)
    operator.post("/admin/sign-out", page)
    assert operator.get("/admin/activity").status_code == 403


def test_a_database_that_was_renamed_is_told_to_the_operator(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RunningTeam(tmp_path, {"main": instance_of(server, database="renamed")}) as team:
        person, page = begun(team, OAuthClient(team.url))
        answer = person.sign_in(page, login="demo", password="demo")
        assert answer.status_code == 400
        assert re.search("Odoo cannot be reached now|server's administrator", text_of(answer))
        assert "database" in caplog.text
