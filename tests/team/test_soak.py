"""A team's server before an Odoo that refuses, hangs and fails in turn, while people work on.

What counts: whose key is valid stays connected, whose key is gone is disconnected and sees it
listed, and nobody waits for the Odoo of others. Time passes when the test says so.
"""

from __future__ import annotations

import itertools
import os
import random
import time as real
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest
import requests

from tests.kit.user_keys import People
from tests.kit.user_keys import Person as User
from tests.live.servers import Server
from tests.team.firewall import (
    ANSWERS,
    BREAKS,
    HANGS,
    Firewall,
    Time,
    before,
    end_cooldown,
    fail_at,
)
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    Tokens,
    call,
    instance_of,
    looks_until_dropped,
)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600), pytest.mark.usefixtures("no_pause")]


#: How often each of the following comes, in an order that is always the same.
TIMES = int(os.environ.get("ODOO_TOOLKIT_SOAK_ROUNDS", "2"))
COOLDOWN = "rejects logins"
ILLNESSES = [*ANSWERS, HANGS, BREAKS, COOLDOWN]

#: One more than the threads that one Odoo has for calls, for signing in, and for looks together.
CALLS, STRANGERS = 17, 4

#: Seconds that pass while an Odoo is ill: less than, about and more than those between two looks.
PASSING = itertools.cycle([66.0, 660.0, 3000.0])


@attrs.define
class Member:
    """Somebody of the team, with a program that is connected."""

    team: RunningTeam
    user: User
    instance: str
    client: OAuthClient
    tokens: Tokens = attrs.field(init=False)

    def connect(self) -> None:
        """Sign in, and allow the program."""
        form = {"instance": self.instance, "login": self.user.login, "password": self.user.password}
        self.tokens = Person(self.team.url).connect(self.client, **form)

    def sign_in(self) -> None:
        """Sign in to the page, by which no program is connected."""
        form = {"instance": self.instance, "login": self.user.login, "password": self.user.password}
        one = Person(self.team.url)
        answer = one.post("/me/sign-in", one.get("/me"), **form)
        assert answer.status_code == 303, answer.text

    def call(self) -> requests.Response:
        """Ask Odoo who this is."""
        return call(self.team.url, self.tokens.access, "odoo_core_get_user")

    def refresh(self) -> None:
        """Get new tokens, which must succeed."""
        answer = self.client.refresh(self.tokens.refresh)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        self.tokens = Tokens(told["access_token"], told["refresh_token"])

    def works(self) -> None:
        """See that Odoo answers as this person."""
        answer = self.call()
        assert answer.status_code == 200, answer.text
        assert self.user.login in answer.text, answer.text


class Soak:
    """The team, and what has happened to it."""

    def __init__(self, team: RunningTeam, time: Time, firewall: Firewall, people: People) -> None:
        self.team, self.time, self.firewall, self.people = team, time, firewall, people
        client = OAuthClient(team.url)
        self.ill = [Member(team, people.make(), "ill", client) for _ in range(3)]
        self.well = [Member(team, people.make(), "well", client) for _ in range(3)]
        self.removed: list[int] = []
        self.answers: Counter[str] = Counter()
        self.waits: list[float] = []
        for member in [*self.ill, *self.well]:
            member.connect()
        self.strangers = itertools.count()

    def stranger(self) -> int:
        """Guess at a password of the ill Odoo, from an address of its own."""
        number = next(self.strangers)
        one = Person(self.team.url)
        one.browser.headers["X-Forwarded-For"] = f"198.51.{number // 250}.{number % 250}"
        guess = {"instance": "ill", "login": f"nobody{number}", "password": "a guess"}
        return one.sign_in(one.begin(self.ill[0].client), **guess).status_code

    def timed(self, do: Callable[[], Any]) -> None:
        """Do something for which nobody may have to wait for the ill Odoo."""
        begun = real.monotonic()
        do()
        self.waits.append(real.monotonic() - begun)

    def round(self, illness: str, removes: bool) -> None:
        """Let the Odoo fall ill, people work, and the Odoo get well."""
        if illness == COOLDOWN:
            fail_at(self.firewall.url, self.people.server.db)
        else:
            self.firewall.instead = illness
        self.time.passes(next(PASSING))
        with ThreadPoolExecutor(CALLS + STRANGERS) as pool:
            asked = [pool.submit(self.ill[n % len(self.ill)].call) for n in range(CALLS)]
            guesses = [pool.submit(self.stranger) for _ in range(STRANGERS)]
            # Those who hang go on only once these are done: else nobody would ever be.
            for member in self.well:
                self.timed(member.works)
                self.timed(member.refresh)
                self.timed(member.works)
            self.timed(self.well[0].connect)
            self.firewall.over.set()
            statuses = [one.result().status_code for one in asked]
            assert set(statuses) <= {200, 503}, (illness, statuses)
            assert {one.result() for one in guesses} <= {400, 429}, illness
        self.answers.update(f"{illness}: {status}" for status in statuses)
        for member in self.ill:
            member.refresh()
        gone = self.ill[0] if removes else None
        account = None
        if gone:
            (account,) = self.accounts(gone)
            gone.user.remove(account.key_id)
        self.firewall.instead = ""
        self.firewall.over.clear()
        if illness == COOLDOWN:
            end_cooldown(self.people, "0")
        self.time.passes(66)
        for member in self.ill:
            if member is not gone:
                member.works()
        if illness == COOLDOWN:
            next(member for member in self.ill if member is not gone).sign_in()
            end_cooldown(self.people, "60")  # of which nothing is left once a login was right
        if gone and account:
            self.ends(gone, account)

    def accounts(self, member: Member) -> list[Any]:
        """Return the account of a person."""
        grants = self.team.server.provider.grants
        return grants.accounts_with(member.instance, member.user.login)

    def ends(self, gone: Member, account: Any) -> None:
        """See that somebody whose key was removed is disconnected, can tell, and can come back."""
        *first, last = looks_until_dropped(self.people.server)
        for seconds in [*first, last]:
            self.time.passes(seconds)
            status = gone.call().status_code
        assert status == 401
        left = self.team.server.provider.grants.left_keys(account.id)
        assert account.key_id in [one.key_id for one in left]
        self.removed.append(account.key_id)
        self.time.passes(66)
        gone.connect()
        gone.works()


@pytest.mark.every_version
def test_an_odoo_that_falls_ill_disconnects_nobody_and_holds_nobody_up(
    server: Server, people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = Time(monkeypatch)
    people.free.connect()
    illnesses = ILLNESSES * TIMES
    random.Random(7).shuffle(illnesses)
    often = {"rate_limit_rpm": 100_000, "reconnect_attempts": 0}
    with before(server.url) as firewall:
        instances = {
            "well": instance_of(server, title="Well", **often),
            "ill": {**instance_of(server, title="Ill", **often), "url": firewall.url},
        }
        with RunningTeam(tmp_path, instances) as team:
            soak = Soak(team, time, firewall, people)
            for number, illness in enumerate(illnesses):
                soak.round(illness, removes=number % 5 == 4)
            grants = team.server.provider.grants
            ended = [one for one in grants.grants(ended=True) if one.ended]
            assert {one.why for one in ended} <= {"Odoo refuses the key"}
            assert len(ended) == len(soak.removed)
    print(f"\n{server.name}: {len(illnesses)} outages, {len(soak.removed)} keys removed")
    print(f"answers at the ill Odoo: {dict(sorted(soak.answers.items()))}")
    print(f"{len(soak.waits)} at the other, the longest {max(soak.waits):.1f} s")
