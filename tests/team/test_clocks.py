"""Clocks that are apart: of two processes, of Odoo and the server, and one that is set back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest
from mcp.server.auth.handlers import token as token_handler
from mcp.server.auth.middleware import bearer_auth

from odoo_toolkit_mcp.accounts import odoo_users
from odoo_toolkit_mcp.accounts import store as stores
from odoo_toolkit_mcp.accounts.attempts import Attempts, Bound
from odoo_toolkit_mcp.accounts.odoo_users import Rechecks, SignedIn
from odoo_toolkit_mcp.accounts.store import now, open_store, tidy
from odoo_toolkit_mcp.accounts.stored_rates import StoredRates
from odoo_toolkit_mcp.accounts.team import Instance
from odoo_toolkit_mcp.accounts.used_nonces import SpentInStore
from odoo_toolkit_mcp.settings import ServerSettings
from tests.team.harness import (
    KEYS,
    OAuthClient,
    Person,
    RunningTeam,
    Tokens,
    call,
    form_of,
    status_of,
)
from tests.team.people import NOWHERE, Users

MINUTES = 60.0
DAY = 86_400.0


@attrs.define
class Clock:
    """The clock of whichever process is asked; the tests set it by hand."""

    now: float

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the team's modules, and of the SDK's that look at a clock."""
    found = Clock(now())
    for module in (stores, token_handler, bearer_auth):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=found.time))
    return found


@attrs.frozen
class Two:
    """Two processes of one store.

    Attributes:
        clock: of the one that is asked.
        right: a process whose clock is right.
        wrong: seconds that the clock of the other one is ahead.
        other: that one.
    """

    clock: Clock
    right: RunningTeam
    other: RunningTeam
    wrong: float

    def exchange(self, client: OAuthClient, code: str) -> Tokens:
        """Exchange a code at the other process."""
        self.clock.now += self.wrong
        client.url = self.other.url
        found = client.tokens(code)
        self.clock.now -= self.wrong
        client.url = self.right.url
        return found

    def works(self, tokens: Tokens, *, other: bool) -> bool:
        self.clock.now += self.wrong if other else 0
        url = self.other.url if other else self.right.url
        answer = call(url, tokens.access, "odoo_core_get_user")
        self.clock.now -= self.wrong if other else 0
        return answer.status_code == 200


@pytest.fixture(params=[-5 * MINUTES, 5 * MINUTES], ids=["behind", "ahead"])
def two(
    request: pytest.FixtureRequest, clock: Clock, users: Users, tmp_path: Path
) -> Iterator[Two]:
    """Two processes whose clocks are five minutes apart, either way."""
    kept = {"store": str(tmp_path / "accounts.sqlite"), "secret_keys": KEYS}
    with (
        RunningTeam(tmp_path, {"main": dict(NOWHERE)}, **kept) as right,
        RunningTeam(tmp_path, {"main": dict(NOWHERE)}, public_url=right.url, **kept) as other,
    ):
        yield Two(clock, right, other, request.param)


def code_of(team: RunningTeam, client: OAuthClient) -> str:
    person = Person(team.url)
    page = person.sign_in(person.begin(client), **form_of())
    return person.answer(page)["code"]


def test_a_sign_in_goes_on_at_a_process_whose_clock_is_apart(two: Two) -> None:
    client = OAuthClient(two.right.url)
    tokens = two.exchange(client, code_of(two.right, client))
    assert two.works(tokens, other=True)
    assert two.works(tokens, other=False)
    # What is used up is so at once, wherever it is shown.
    two.clock.now += two.wrong
    client.url = two.other.url
    assert client.refresh(tokens.refresh).status_code == 200
    two.clock.now -= two.wrong
    assert not two.works(tokens, other=False)
    assert not two.works(tokens, other=True)


def test_a_code_does_not_hold_for_long_all_the_same(two: Two) -> None:
    client = OAuthClient(two.right.url)
    code = code_of(two.right, client)
    two.clock.now += 16 * MINUTES + two.wrong
    client.url = two.other.url
    assert client.exchange(code).status_code == 400


def test_a_clock_that_is_set_back_keeps_nobody_out_and_goes_on_looking(
    clock: Clock, users: Users, tmp_path: Path
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        client = OAuthClient(team.url)
        tokens = client.tokens(code_of(team, client))
        assert status_of(team, tokens.access) == 200
        clock.now -= DAY
        # The key is looked at again, though the last look is "tomorrow".
        users.archived.add("ann")
        assert status_of(team, tokens.access) == 401
        users.archived.clear()
        tokens = client.tokens(code_of(team, client))
        assert status_of(team, tokens.access) == 200
        assert client.refresh(tokens.refresh).status_code == 200


def test_tries_of_tomorrow_lock_nobody_out(clock: Clock, tmp_path: Path) -> None:
    attempts, bound = Attempts(open_store(tmp_path / "store.sqlite")), Bound(2, 900.0)
    for _ in range(2):
        assert attempts.take([("ann", bound)]) == 0
    assert attempts.take([("ann", bound)]) > 0
    # A clock that is a little behind is no way around it.
    clock.now -= 5 * MINUTES
    assert attempts.take([("ann", bound)]) > 0
    clock.now -= DAY
    assert attempts.take([("ann", bound)]) == 0


def test_writes_have_a_limit_of_their_own(clock: Clock, tmp_path: Path) -> None:
    clock.now = 1_800_000_000.0
    rates = StoredRates(open_store(tmp_path / "store.sqlite"), "main")
    limits = ServerSettings(rate_limit=True, rate_limit_rpm=9, rate_limit_write_rpm=2)
    waits = [rates("ann", kind, limits) > 0 for kind in ("write", "create", "write", "read")]
    assert waits == [False, False, True, False]


def test_calls_of_tomorrow_keep_nobody_waiting(clock: Clock, tmp_path: Path) -> None:
    rates = StoredRates(open_store(tmp_path / "store.sqlite"), "main")
    limits = ServerSettings(rate_limit=True, rate_limit_rpm=2, rate_limit_rph=4)
    clock.now = 1_800_000_000.0
    for _ in range(2):
        assert rates("ann", "read", limits) == 0
    assert rates("ann", "read", limits) > 0
    # The next process is five minutes behind: its minute is its own, the hour is that of all.
    clock.now -= 5 * MINUTES
    for _ in range(2):
        assert rates("ann", "read", limits) == 0
    clock.now += 2 * MINUTES
    assert rates("ann", "read", limits) > 0
    clock.now -= DAY
    assert rates("ann", "read", limits) == 0


def test_a_seal_that_was_used_stays_so_where_the_clock_is_behind(
    clock: Clock, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "store.sqlite")
    spent, ends = SpentInStore(store), clock.now + 60
    assert spent("the number", ends)
    clock.now += 5 * MINUTES
    tidy(store, 400)
    clock.now -= 5 * MINUTES
    assert not spent("the number", ends)
    clock.now += DAY
    tidy(store, 400)
    assert spent("the number", ends)


@pytest.mark.parametrize("ahead", [-5 * MINUTES, 5 * MINUTES], ids=["behind", "ahead"])
def test_a_key_ends_in_time_though_odoos_clock_is_apart(
    clock: Clock, users: Users, tmp_path: Path, ahead: float
) -> None:
    """Odoo says when a key ends by its own clock; until then it serves, or Odoo refuses it."""
    users.ends = datetime.fromtimestamp(clock.now + ahead, UTC) + timedelta(days=90)
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}, access_hours=10_000) as team:
        client = OAuthClient(team.url)
        tokens = client.tokens(code_of(team, client))
        clock.now += 90 * DAY - 6 * MINUTES
        assert status_of(team, tokens.access) == 200
        clock.now += 12 * MINUTES
        assert status_of(team, tokens.access) == 401
        (grant,) = team.server.provider.grants.grants(ended=True)
        assert grant.why == "Odoo refuses the key"


def test_a_look_at_a_key_by_a_process_that_is_ahead_counts(
    clock: Clock, users: Users, tmp_path: Path
) -> None:
    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        OAuthClient(team.url)
        provider = team.server.provider
        client = OAuthClient(team.url)
        code_of(team, client)
        (account,) = provider.grants.accounts()
        rechecks = Rechecks(team.team, provider.grants)
        for apart, due in [(0, False), (5, False), (-5, False), (11, True), (-11, True)]:
            clock.now = account.checked + apart * MINUTES
            assert rechecks.is_due(account) == due, apart


def test_a_key_that_odoo_denies_something_is_looked_at_once_in_a_while(
    clock: Clock, users: Users, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def with_key(instance: Instance, login: str, key: str) -> SignedIn:
        looked.append(login)
        return users.with_key(instance, login, key)

    with RunningTeam(tmp_path, {"main": dict(NOWHERE)}) as team:
        code_of(team, OAuthClient(team.url))
        grants = team.server.provider.grants
        (account,) = grants.accounts()
        monkeypatch.setattr(odoo_users, "with_key", with_key)
        rechecks = Rechecks(team.team, grants)
        for seconds, times in [(10, 0), (31, 1), (40, 1), (70, 2)]:
            clock.now = account.checked + seconds
            rechecks(account)
            assert len(looked) == times, seconds
