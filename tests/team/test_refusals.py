"""A key is dropped only when it is known that Odoo refuses this key; nothing else disconnects."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests

import odoo_toolkit as toolkit
from odoo_toolkit_mcp.accounts import attempts, odoo_users, store
from tests.live.servers import Server
from tests.live.test_user_keys import People, people
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    call,
    instance_of,
    looks_until_dropped,
    text_of,
)
from tests.team.people import Users, password_of

__all__ = ["people"]


class Time:
    """The time of looks at keys and of failed sign-ins, which passes when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = store.now()
        for module in (odoo_users, attempts):
            monkeypatch.setattr(module, "now", lambda: self.now)

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def status_of(team: RunningTeam, token: str) -> int:
    return call(team.url, token, "odoo_core_get_user").status_code


# With users that are made up -------------------------------------------------------------------


def connected(team: RunningTeam) -> str:
    form = {"login": "ann", "password": password_of("ann")}
    return Person(team.url).connect(OAuthClient(team.url), **form).access


@pytest.mark.parametrize(
    ("what", "value"), [("refusing", 401), ("refusing", 403), ("unreadable", True)]
)
def test_what_is_no_refusal_of_the_key_disconnects_nobody(
    team: RunningTeam, users: Users, time: Time, what: str, value: Any
) -> None:
    """A firewall refuses, or Odoo lets the user not read who they are."""
    token = connected(team)
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
    token = connected(team)
    users.holds_up = users.held_up = True
    time.passes(660)
    for _ in range(5):
        assert status_of(team, token) == 503
        time.passes(66)
    users.held_up = False
    assert status_of(team, token) == 200


@pytest.mark.parametrize(
    ("holds_up", "own_ended", "statuses"),
    [
        (True, False, [503, 401]),
        (False, False, [401]),
        (False, True, [503, 401]),
    ],
)
def test_a_key_that_is_gone_ends_the_connection_and_is_noted_as_left(
    team: RunningTeam,
    users: Users,
    time: Time,
    holds_up: bool,
    own_ended: bool,
    statuses: list[int],
) -> None:
    token = connected(team)
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
    one.post("/me/sign-in", one.get("/me"), login="ann", password=password_of("ann"))
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
    time.passes(61)
    one = Person(team.url)
    for number in (3, 4):  # whose tries were none of theirs
        login = f"user{number}"
        page = one.sign_in(one.begin(client), login=login, password=password_of(login))
        assert page.status_code == 200


def test_who_is_asked_for_a_code_has_failed_at_nothing(team: RunningTeam, users: Users) -> None:
    users.counts = True
    users.factors.add("ann")
    one = Person(team.url)
    page = one.begin(OAuthClient(team.url))
    ann = {"login": "ann", "password": password_of("ann")}
    assert [one.sign_in(page, **ann).status_code for _ in range(6)] == [400] * 6
    users.factors.clear()
    assert one.sign_in(page, **ann).status_code == 200


def test_a_failed_sign_in_leaves_a_trace(
    team: RunningTeam, users: Users, caplog: pytest.LogCaptureFixture
) -> None:
    one = Person(team.url)
    one.sign_in(one.begin(OAuthClient(team.url)), login="ann", password="a guess")
    (event,) = team.server.provider.activity.latest(kind="sign-in refused")
    assert event.body == {"login": "ann", "address": "127.0.0.1"}
    assert "Odoo refuses the sign-in of 'ann' from 127.0.0.1." in caplog.text


# With an Odoo ----------------------------------------------------------------------------------

COOLDOWN = "base.login_cooldown_duration"


def fail_at(server: Server) -> None:
    """Log in to Odoo, past the team's server, until it takes no login of this machine."""
    wrong = {"db": server.db, "login": "nobody", "password": "a guess"}
    for _ in range(12):
        web = {"jsonrpc": "2.0", "params": wrong}
        requests.post(f"{server.url}/web/session/authenticate", json=web, timeout=60)
        args = [server.db, "nobody", "a guess"]
        rpc = {"service": "common", "method": "login", "args": args}
        requests.post(f"{server.url}/jsonrpc", json={"jsonrpc": "2.0", "params": rpc}, timeout=60)


def end_cooldown(people: People, value: str) -> None:
    """Let Odoo take logins again after so many seconds."""
    toolkit.execute(people.free, "ir.config_parameter", "set_param", [COOLDOWN, value])


@pytest.mark.every_version
def test_odoos_cooldown_disconnects_nobody_and_a_removed_key_ends_all_the_same(
    server: Server, people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, other = people.make(), people.make()
    waits = len(looks_until_dropped(server)) > 1
    people.free.connect()
    with RunningTeam(tmp_path, {"main": instance_of(server)}) as team:
        client = OAuthClient(team.url)
        form = {"login": user.login, "password": user.password}
        token = Person(team.url).connect(client, **form).access
        time = Time(monkeypatch)
        fail_at(server)
        time.passes(660)
        for _ in range(3):
            assert status_of(team, token) == (503 if waits else 200)
            time.passes(66)
        # Nor does a right password count as a wrong one meanwhile.
        one = Person(team.url)
        page = one.begin(client)
        right = {"login": other.login, "password": other.password}
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


class Firewall(ThreadingHTTPServer):
    """Stands before an Odoo, and answers in its place when it is told to.

    Args:
        url: of the Odoo.
    """

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.behind, self.status = url, 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Passing(BaseHTTPRequestHandler):
    server: Firewall

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        status, content, kind = self.server.status, b"<html>No.</html>", "text/html"
        if not status:
            headers = {k: v for k, v in self.headers.items() if k.lower() != "host"}
            url = self.server.behind + self.path
            answer = requests.post(url, body, headers=headers, timeout=60)
            status, content = answer.status_code, answer.content
            kind = answer.headers["Content-Type"]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@pytest.fixture
def firewall(server: Server) -> Iterator[Firewall]:
    one = Firewall(server.url)
    thread = threading.Thread(target=one.serve_forever, daemon=True)
    thread.start()
    yield one
    one.shutdown()
    one.server_close()
    thread.join()


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
        for status in (401, 403, 502):
            firewall.status = status
            time.passes(660)
            answer = call(team.url, token, "odoo_core_get_user")
            assert answer.status_code == 200
            assert f"{status}" in answer.text
            assert "sign in again" not in answer.text
        firewall.status = 0
        time.passes(660)
        assert user.login in call(team.url, token, "odoo_core_get_user").text


@pytest.mark.every_version
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
