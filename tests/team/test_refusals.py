"""A key is dropped only when it is known that Odoo refuses this key; nothing else disconnects."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit_mcp.accounts import beside, sign_in
from odoo_toolkit_mcp.accounts.team import Instance
from tests.kit.user_keys import People
from tests.live.servers import Server
from tests.team.firewall import Firewall, Time, before, end_cooldown, fail_at
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    call,
    connected,
    form_of,
    instance_of,
    looks_until_dropped,
    status_of,
    text_of,
    until,
)
from tests.team.people import Users


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


# With users that are made up -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "value"), [("refusing", 401), ("refusing", 403), ("unreadable", True), ("down", True)]
)
def test_what_is_no_refusal_of_the_key_disconnects_nobody(
    team: RunningTeam, users: Users, time: Time, what: str, value: Any
) -> None:
    """A firewall refuses, Odoo is down, or lets the user not read who they are."""
    token = connected(team).access
    setattr(users, what, value)
    for _ in range(3):
        time.passes(660)
        assert status_of(team, token) == 200
    setattr(users, what, None)
    time.passes(660)
    assert status_of(team, token) == 200


def test_while_odoo_takes_no_login_a_key_is_kept_and_the_program_told_to_wait(
    team: RunningTeam, users: Users, time: Time
) -> None:
    token = connected(team).access
    users.holds_up = users.held_up = True
    time.passes(660)
    for _ in range(5):
        assert status_of(team, token) == 503
        time.passes(66)
    users.held_up = False
    assert status_of(team, token) == 200


def test_what_was_refused_long_ago_proves_nothing_today(
    team: RunningTeam, users: Users, time: Time
) -> None:
    """Each time, Odoo takes nobody for a moment."""
    token = connected(team).access
    users.held_up = True
    for _ in range(3):
        time.passes(3000)
        assert status_of(team, token) == 503
    users.held_up = False
    time.passes(66)
    assert status_of(team, token) == 200


@pytest.mark.parametrize(
    ("holds_up", "own_ended", "statuses"),
    [(True, False, [503, 401]), (False, False, [401]), (False, True, [503, 401])],
)
def test_a_key_that_is_gone_ends_the_connection_and_is_noted_as_left(
    team: RunningTeam,
    users: Users,
    time: Time,
    holds_up: bool,
    own_ended: bool,
    statuses: list[int],
) -> None:
    token = connected(team).access
    users.archived.add("ann")
    users.holds_up, users.held_up = holds_up, own_ended
    time.passes(660)
    for status in statuses:
        assert status_of(team, token) == status
        time.passes(66)
    grants = team.server.provider.grants
    (account,) = grants.accounts()
    assert account.key is None
    assert [left.key_id for left in grants.left_keys(account.id)] == [1]


def test_the_page_of_a_person_ends_with_the_key(
    team: RunningTeam, users: Users, time: Time
) -> None:
    connected(team)
    one = Person(team.url)
    one.post("/me/sign-in", one.get("/me"), **form_of())
    assert "Audit log" in text_of(one.get("/me"))
    users.archived.add("ann")
    time.passes(660)
    # Not even this once, though it is this request that finds it out.
    assert "Audit log" not in text_of(one.get("/me"))


def test_failed_sign_ins_stay_below_what_odoo_counts(
    team: RunningTeam, users: Users, time: Time
) -> None:
    """Neither another login nor another address counts apart; a minute later it goes on."""
    users.counts = True
    client = OAuthClient(team.url)
    statuses = []
    for number in range(5):
        one = Person(team.url)
        one.browser.headers["X-Forwarded-For"] = f"198.51.100.{number}"
        answer = one.sign_in(one.begin(client), login=f"user{number}", password="a guess")
        statuses.append(answer.status_code)
    assert statuses == [400, 400, 400, 429, 429]
    assert "1 minute" in text_of(answer)
    events = team.server.provider.activity.latest(kind="sign-in refused")
    assert [(one.body["login"], one.body.get("why")) for one in reversed(events)][2:] == [
        ("user2", None),
        ("user3", "too many attempts"),
        ("user4", "too many attempts"),
    ]
    time.passes(61)
    one = Person(team.url)
    for number in (3, 4):  # whose tries were none of theirs
        login = f"user{number}"
        page = one.sign_in(one.begin(client), **form_of(login))
        assert page.status_code == 200


def test_processes_together_stay_below_what_odoo_counts(
    team: RunningTeam, users: Users, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of the guesses that are under way at once is counted yet."""
    users.counts = True
    tried, waiting, go_on = [], set(), threading.Event()

    def sleep(seconds: float) -> None:
        waiting.add(threading.get_ident())
        go_on.wait(seconds)

    def with_password(instance: Instance, login: str, *given: str) -> Any:
        tried.append(login)
        go_on.wait(60)
        return users.with_password(instance, login, *given)

    monkeypatch.setattr(sign_in, "sleep", sleep)
    monkeypatch.setattr(sign_in, "with_password", with_password)
    # One process with the threads of three.
    monkeypatch.setattr(beside, "_THREADS", {**beside._THREADS, "sign in": 6})
    monkeypatch.setattr(beside, "_limiters", {})
    client = OAuthClient(team.url)

    def guess(number: int) -> int:
        one = Person(team.url)
        one.browser.headers["X-Forwarded-For"] = f"198.51.100.{number}"
        page = one.begin(client)
        return one.sign_in(page, login=f"user{number}", password="a guess").status_code

    with ThreadPoolExecutor(12) as pool:
        guesses = [pool.submit(guess, number) for number in range(12)]
        until(lambda: len(tried) + len(waiting) == 6)
        go_on.set()
        statuses = [one.result() for one in guesses]
    assert len(tried) == statuses.count(400) <= 4
    assert set(statuses) == {400, 429}


def test_who_is_asked_for_a_code_has_failed_at_nothing(team: RunningTeam, users: Users) -> None:
    users.counts = True
    users.factors.add("ann")
    one = Person(team.url)
    page = one.begin(OAuthClient(team.url))
    ann = form_of()
    assert [one.sign_in(page, **ann).status_code for _ in range(6)] == [400] * 6
    users.factors.clear()
    assert one.sign_in(page, **ann).status_code == 200


def test_a_failed_sign_in_leaves_a_trace(
    team: RunningTeam, caplog: pytest.LogCaptureFixture
) -> None:
    one = Person(team.url)
    one.sign_in(one.begin(OAuthClient(team.url)), login="ann", password="a guess")
    (event,) = team.server.provider.activity.latest(kind="sign-in refused")
    assert event.body == {"login": "ann", "address": "127.0.0.1"}
    assert "Odoo rejected the sign-in of 'ann' from 127.0.0.1." in caplog.text


# With an Odoo ----------------------------------------------------------------------------------


@pytest.mark.every_version
@pytest.mark.usefixtures("no_pause")
def test_odoos_cooldown_disconnects_nobody_and_a_removed_key_ends_all_the_same(
    server: Server, people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, other = people.make(), people.make()
    waits = len(looks_until_dropped(server)) > 1
    people.free.connect()
    with RunningTeam(tmp_path, {"main": instance_of(server)}) as team:
        client = OAuthClient(team.url)
        form = user.form
        token = Person(team.url).connect(client, **form).access
        time = Time(monkeypatch)
        fail_at(server.url, server.db)
        time.passes(660)
        for _ in range(3):
            assert status_of(team, token) == (503 if waits else 200)
            time.passes(66)
        # Nor does a right password count as a wrong one meanwhile.
        one = Person(team.url)
        page = one.begin(client)
        right = other.form
        assert [one.sign_in(page, **right).status_code for _ in range(6)] == [429] * 6
        end_cooldown(people, "0")
        try:
            assert one.sign_in(page, **right).status_code == 200
            time.passes(66)
            assert status_of(team, token) == 200
            (account,) = team.server.provider.grants.accounts()
            user.remove(account.key_id)
            time.passes(660)
            if waits:
                assert status_of(team, token) == 503
                time.passes(66)
            assert status_of(team, token) == 401
        finally:
            end_cooldown(people, "60")


@pytest.fixture
def firewall(server: Server) -> Iterator[Firewall]:
    with before(server.url) as one:
        yield one


@pytest.mark.every_version
def test_a_firewall_that_refuses_for_a_while_disconnects_nobody(
    server: Server,
    people: People,
    firewall: Firewall,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = people.make()
    main = {**instance_of(server), "url": firewall.url, "reconnect_attempts": 0}
    with RunningTeam(tmp_path, {"main": main}) as team:
        made = user.make()
        form = {"login": user.login, "key": made.key.reveal()}
        token = Person(team.url).connect(OAuthClient(team.url), **form).access
        time = Time(monkeypatch)
        for instead in ("401", "403", "502"):
            firewall.instead = instead
            time.passes(660)
            answer = call(team.url, token, "odoo_core_get_user")
            assert answer.status_code == 200
            assert instead in answer.text
            assert "sign in again" not in answer.text
        firewall.instead = ""
        time.passes(660)
        assert user.login in call(team.url, token, "odoo_core_get_user").text


@pytest.mark.every_version
@pytest.mark.usefixtures("no_pause")
def test_wrong_passwords_of_strangers_never_make_odoo_refuse_others(
    server: Server, people: People, tmp_path: Path
) -> None:
    user = people.make()
    with RunningTeam(tmp_path, {"main": instance_of(server)}) as team:
        client = OAuthClient(team.url)
        statuses = set()
        for number in range(6):
            one = Person(team.url)
            one.browser.headers["X-Forwarded-For"] = f"198.51.100.{number}"
            guess = {"login": f"nobody{number}", "password": "a guess"}
            statuses.add(one.sign_in(one.begin(client), **guess).status_code)
        # What the team's server does not let through, it says itself.
        assert statuses <= {400, 429}
    # Past the team's server, from the same machine: a key is made with the password.
    assert user.check(user.make().key.reveal()).uid == user.uid
