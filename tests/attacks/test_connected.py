"""What somebody may try who is connected to a team's server, or was until a moment ago."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import requests

from odoo_toolkit_mcp.accounts import app, odoo_users, stored_rates
from odoo_toolkit_mcp.accounts.passwords import hash_password
from odoo_toolkit_mcp.resources import serving
from odoo_toolkit_mcp.resources.subscriptions import MOST_SUBSCRIPTIONS
from tests.team.conftest import Serve, client, serve, team, users
from tests.team.harness import (
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    at_home,
    call,
    connected,
    operator_of,
    request,
)
from tests.team.people import NOWHERE, Users, password_of

__all__ = ["client", "serve", "team", "users"]

#: Managers may change everything, users only look.
RULES = [
    {"groups": ["base.group_system"], "mode": "full"},
    {"groups": ["base.group_user"], "mode": "readonly"},
]
TOOLS = {"toolsListChanged": True}


def listen(team: RunningTeam, token: str, **notifications: Any) -> requests.Response:
    """Open a stream of notifications."""
    asked = {"notifications": notifications}
    return request(team.url, token, "subscriptions/listen", asked, stream=True)


def messages(stream: requests.Response) -> Iterator[dict[str, Any]]:
    """Yield what comes on a stream until it ends."""
    for line in stream.iter_lines():
        if line.startswith(b"data: {"):
            yield json.loads(line.removeprefix(b"data: "))
        elif line.startswith(b"{"):
            yield json.loads(line)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let time pass for what looks whether keys still hold."""
    moment = odoo_users.now() + seconds
    monkeypatch.setattr(odoo_users, "now", lambda: moment)


# Streams ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["revoked", "refreshed", "archived", "regrouped"])
def test_a_stream_ends_with_what_its_token_grants(
    users: Users, serve: Serve, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(serving, "HOLDS", 0.05)
    users.groups["ann"] = ("base.group_system", "base.group_user")
    team = serve({"main": {**NOWHERE, "rules": RULES}})
    client = OAuthClient(team.url)
    tokens = connected(team, client)
    with listen(team, tokens.access, **TOOLS) as stream:
        told = messages(stream)
        assert "acknowledged" in next(told)["method"]
        if end == "revoked":
            client.post("/revoke", token=tokens.refresh)
        elif end == "refreshed":
            client.refresh(tokens.refresh)
        elif end == "archived":
            users.archived.add("ann")
            later(monkeypatch, 601)
        else:
            users.groups["ann"] = ("base.group_user",)
            later(monkeypatch, 601)
        *_, last = told
    assert "ACCESS_DENIED" in str(last["error"])


def test_streams_of_one_person_leave_room_for_others(
    team: RunningTeam, client: OAuthClient
) -> None:
    ann, bob = connected(team, client), connected(team, client, "bob")
    told = []
    with ExitStack() as open_ones:
        for tokens in [ann] * (MOST_SUBSCRIPTIONS + 1) + [bob]:
            stream = open_ones.enter_context(listen(team, tokens.access, **TOOLS))
            told.append(messages(stream))  # kept: else the stream is closed
        first = [next(one) for one in told]
    assert "RATE_LIMITED" in str(first[-2]["error"])
    assert all("acknowledged" in one["method"] for one in [*first[:-2], first[-1]])


def test_calls_of_one_person_are_none_of_anothers(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs of one person share; another person, and the same login elsewhere, do not."""
    monkeypatch.setattr(stored_rates, "now", lambda: 1_800_000_000.0)
    bound = {"rate_limit": True, "rate_limit_rpm": 3}
    other = {**NOWHERE, **bound, "title": "Other", "database": "other"}
    team = serve({"main": {**NOWHERE, **bound}, "other": other})

    def token(login: str, instance: str) -> str:
        form = {"instance": instance, "login": login, "password": password_of(login)}
        return Person(team.url).connect(OAuthClient(team.url), **form).access

    def refused(one: str) -> bool:
        return "RATE_LIMITED" in call(team.url, one, "odoo_core_get_user").text

    one, again = token("ann", "main"), token("ann", "main")
    answers = [refused(each) for each in (one, again, one, again, one)]
    assert answers == [False, False, False, True, True]
    assert not refused(token("bob", "main"))
    assert not refused(token("ann", "other"))


# The pages --------------------------------------------------------------------------------------


def test_who_left_the_group_takes_nothing_back(
    users: Users, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has called in the meantime, so that only the page could look."""
    users.groups["ann"] = ("base.group_system",)
    team = serve({"main": {**NOWHERE, "rules": RULES}})
    home = at_home(team, OAuthClient(team.url))
    page = home.get("/me")
    users.groups["ann"] = ("base.group_portal",)
    later(monkeypatch, 601)
    refused = home.post("/me/undo", page, entry="1", sure="yes")
    assert refused.status_code == 403
    assert "not allowed here" in refused.text


def test_who_was_archived_allows_no_further_program(
    team: RunningTeam, client: OAuthClient, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = at_home(team, client)
    page = home.begin(client)
    assert "Continue as" in page.text
    users.archived.add("ann")
    later(monkeypatch, 601)
    assert home.post("/sign-in", page, known="yes").status_code == 403
    assert "Continue as" not in home.begin(client).text


def test_a_session_that_somebody_knows_before_is_not_the_one_of_who_signs_in(
    team: RunningTeam, client: OAuthClient
) -> None:
    """Cookies of the intruder, planted in the browser of somebody who then signs in."""
    intruder = at_home(team, client, "eve")
    victim = Person(team.url)
    victim.browser.cookies.update(intruder.browser.cookies)
    page = victim.get("/me")
    form = {"instance": "main", "login": "ann", "password": password_of("ann")}
    victim.connect(client, **form)
    assert victim.post("/me/sign-in", page, **form).status_code == 303
    assert "(ann)" in victim.get("/me").text
    assert "(eve)" in intruder.get("/me").text
    operator = Person(team.url)
    operator.browser.cookies.set("omcp-admin", intruder.browser.cookies["omcp-me"])
    operator.post("/admin/sign-in", operator.get("/admin"), password=OPERATOR_PASSWORD)
    assert operator.get("/admin/activity").status_code == 200
    intruder.browser.cookies.set("omcp-admin", intruder.browser.cookies["omcp-me"])
    assert intruder.get("/admin/activity").status_code == 403


def test_a_new_password_of_the_operator_ends_the_sessions_of_the_old_one(serve: Serve) -> None:
    before = serve()
    thief = operator_of(before)
    assert thief.get("/admin/activity").status_code == 200
    after = serve(public_url=before.url, operator_password=hash_password("another password"))
    thief.url = after.url
    assert thief.get("/admin/activity").status_code == 403
    assert "Connections" not in thief.get("/admin").text


def test_a_call_that_never_ends_to_arrive_is_cut_off(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "PATIENCE", 0.2)
    team = serve()
    token = connected(team, OAuthClient(team.url)).access
    with socket.create_connection(("127.0.0.1", team.port), timeout=30) as slow:
        slow.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{team.port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMcp-Method: tools/list\r\n"
            "MCP-Protocol-Version: 2026-07-28\r\nContent-Length: 1000\r\n\r\n{".encode()
        )
        assert slow.recv(1000).split()[1] == b"408"


# Addresses --------------------------------------------------------------------------------------


def test_an_address_of_ipv4_in_ipv6_is_one_persons(team: RunningTeam) -> None:
    """One that guesses makes nobody else wait; a network of IPv6 is one person's."""

    def refused(address: str) -> int:
        one = Person(team.url)
        one.browser.headers["X-Forwarded-For"] = address
        page = one.get("/admin")
        return one.post("/admin/sign-in", page, password="a guess, again").status_code

    assert {refused("::ffff:198.51.100.7") for _ in range(10)} == {400}
    assert refused("::ffff:198.51.100.7") == 429
    assert refused("198.51.100.7") == 429
    assert refused("::ffff:198.51.100.8") == 400
    assert {refused(f"2001:db8::{number}") for number in range(10)} == {400}
    assert refused("2001:db8::ffff") == 429
