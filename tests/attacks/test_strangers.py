"""What strangers and other web pages may do to the people of a team, each tried."""

from __future__ import annotations

import pytest
import requests

from odoo_toolkit_mcp.accounts import attempts
from tests.team.conftest import client, person, serve, team, users
from tests.team.harness import (
    CALLBACK,
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    form_of,
    operator_of,
    status_of,
    text_of,
)
from tests.team.people import Users

__all__ = ["client", "person", "serve", "team", "users"]

ANN = form_of()


def test_a_foreign_page_uses_up_no_limit_of_an_office(
    team: RunningTeam, client: OAuthClient
) -> None:
    """Its pictures and its posts come from the browsers of everybody who looks at it."""
    picture = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    for number in range(130):
        right = client.query() if number % 2 else {"client_id": "nobody"}
        answer = requests.get(f"{team.url}/authorize", right, headers=picture, timeout=60)
        assert answer.status_code == 400
    for number in range(40):
        headers = picture if number % 2 else {}
        body = f'{{"redirect_uris": ["{CALLBACK}"]}}' if number % 2 else "{}"
        answer = requests.post(f"{team.url}/register", body, headers=headers, timeout=60)
        assert answer.status_code == 400
    assert Person(team.url).connect(OAuthClient(team.url), **ANN).access


@pytest.mark.parametrize(
    "sent",
    [
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"},
        {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    ],
    ids=str,
)
def test_a_foreign_page_that_knows_a_client_uses_up_no_limit_of_an_office(
    team: RunningTeam, client: OAuthClient, sent: dict[str, str]
) -> None:
    """Anybody can register one, and what a page frames or fetches needs no click."""
    page = {**sent, "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example.com"}
    for _ in range(attempts.REQUESTS.most + 1):
        answer = requests.get(
            f"{team.url}/authorize", client.query(), headers=page, timeout=60, allow_redirects=False
        )
        assert answer.status_code == 400
    right = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
    for _ in range(attempts.REGISTRATIONS.most + 1):
        answer = requests.post(f"{team.url}/register", json=right, headers=page, timeout=60)
    assert answer.status_code == 429
    # The programs of the people who have looked at that page are counted apart.
    assert Person(team.url).connect(OAuthClient(team.url), **ANN).access


def test_documents_that_are_fetched_in_vain_count(
    team: RunningTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(team.server.provider, "_described", asked.append)
    for number in range(attempts.REQUESTS.most + 5):
        query = {"client_id": f"https://client.example.com/{number}"}
        answer = requests.get(f"{team.url}/authorize", query, timeout=60)
    assert answer.status_code == 429
    assert len(set(asked)) <= attempts.REQUESTS.most


@pytest.mark.parametrize("query", [{}, {"client_id": "nobody"}])
def test_a_browser_gets_a_page_and_a_program_json(
    team: RunningTeam, person: Person, client: OAuthClient, query: dict[str, str]
) -> None:
    address = f"{team.url}/authorize"
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    asked = {**client.query(), **query} if query else query
    page = requests.get(address, asked, headers=browser, timeout=60)
    assert page.status_code == 400
    assert page.headers["Content-Type"].startswith("text/html")
    assert "add it again" in text_of(page)
    assert requests.get(address, asked, timeout=60).json()["error"] == "invalid_request"


def test_what_is_given_twice_is_refused(team: RunningTeam, client: OAuthClient) -> None:
    twice = [*client.query().items(), ("redirect_uri", CALLBACK)]
    answer = requests.get(f"{team.url}/authorize", params=twice, timeout=60)
    assert answer.json()["error_description"] == "The request contains redirect_uri twice."
    form = [("client_id", client.id), ("grant_type", "refresh_token"), ("client_id", client.id)]
    for path in ("token", "revoke"):
        answer = requests.post(f"{team.url}/{path}", form, timeout=60)
        assert answer.json()["error_description"] == "The request contains client_id twice."


def test_very_many_connections_of_one_person_hide_nobody_elses(
    team: RunningTeam, client: OAuthClient
) -> None:
    first = Person(team.url).connect(client, **ANN)
    Person(team.url).connect(client, **form_of("mallory"))
    with team.server.store.writing() as session:
        session.execute(
            "INSERT INTO granted (account, client, client_name, scopes, made, used)"
            " WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100)"
            " SELECT account, client, 'Many', scopes, made, used FROM n, granted WHERE id = 2"
        )
    operator = operator_of(team)
    page = operator.get("/admin")
    assert "ann" in text_of(page)
    assert text_of(page).count("Many") < 1000
    operator.post("/admin/revoke", page, connection="1")
    assert status_of(team, first.access) == 401
    # Nor is one of the many out of reach.
    operator.post("/admin/revoke", page, connection="3")
    assert team.server.provider.grants.find_grant(3) is None


def test_strangers_do_not_keep_out_an_operator_whose_browser_is_known(
    team: RunningTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator, stranger = Person(team.url), Person(team.url)
    for one in (operator, stranger):
        one.browser.headers["X-Forwarded-For"] = f"198.51.100.{7 if one is operator else 8}"
    right = {"password": OPERATOR_PASSWORD}
    assert operator.post("/admin/sign-in", operator.get("/admin"), **right).status_code == 303
    with team.server.store.writing() as session:
        for _ in range(attempts.OPERATOR.most):
            session.execute(
                "INSERT INTO attempt (who, happened) VALUES ('operator', ?)", [attempts.now()]
            )
    assert stranger.post("/admin/sign-in", stranger.get("/admin"), **right).status_code == 429
    operator.browser.cookies.pop("omcp-admin")
    assert operator.post("/admin/sign-in", operator.get("/admin"), **right).status_code == 303


def test_the_networks_of_one_home_do_not_keep_out_the_operator(team: RunningTeam) -> None:
    """A home has 256 networks of IPv6; all together are one address, as of IPv4."""
    stranger, operator = Person(team.url), Person(team.url)
    page = stranger.get("/admin")
    for number in range(40):
        stranger.browser.headers["X-Forwarded-For"] = f"2001:db8:7:{number:x}::1"
        refused = stranger.post("/admin/sign-in", page, password="a guess")
    assert refused.status_code == 429
    counted = team.server.attempts
    assert counted.wait(("operator", attempts.Bound(attempts.OPERATOR_ADDRESS.most + 1, 900))) == 0
    operator.browser.headers["X-Forwarded-For"] = "2001:db8:8::1"
    right = {"password": OPERATOR_PASSWORD}
    assert operator.post("/admin/sign-in", operator.get("/admin"), **right).status_code == 303


@pytest.mark.parametrize("path", ["/mcp", "/mcp/main"])
def test_a_browser_that_opens_the_address_for_assistants_is_sent_to_the_page(
    team: RunningTeam, path: str
) -> None:
    headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    address = team.url + path
    answer = requests.get(address, headers=headers, allow_redirects=False, timeout=60)
    assert (answer.status_code, answer.headers.get("Location")) == (303, "/")
    assert requests.get(address, headers={"Accept": "*/*"}, timeout=60).status_code == 401
    assert requests.post(address, headers=headers, timeout=60).status_code == 401


def test_a_page_at_another_name_of_this_machine_leads_to_the_right_one(team: RunningTeam) -> None:
    """Its forms would else be those of another site."""
    other = f"http://localhost:{team.port}"
    answer = requests.get(f"{other}/me?a=1", allow_redirects=False, timeout=60)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{team.url}/me?a=1")
    assert requests.get(f"{other}/healthz", allow_redirects=False, timeout=60).status_code == 200
    form = requests.post(f"{other}/me/sign-in", data={}, allow_redirects=False, timeout=60)
    assert form.status_code == 403


def test_a_portal_user_is_told_before_allow(
    team: RunningTeam, client: OAuthClient, users: Users
) -> None:
    users.groups["ann"] = ("base.group_portal",)
    one = Person(team.url)
    assert "You are a portal user" in text_of(one.sign_in(one.begin(client), **ANN))


def test_a_proxy_that_makes_all_people_one_address_is_told_once(
    team: RunningTeam, caplog: pytest.LogCaptureFixture
) -> None:
    for seen in ("198.51.100.7", "127.0.0.1", "127.0.0.1"):
        requests.get(f"{team.url}/", headers={"X-Forwarded-For": seen}, timeout=60)
        told = [one for one in caplog.messages if "cannot distinguish users by address" in one]
        assert len(told) == (seen == "127.0.0.1")


@pytest.mark.parametrize(("callback", "told"), [(CALLBACK, False), ("http://127.0.0.1:9/a", True)])
def test_a_program_of_ones_own_computer_is_told_of_before_allow(
    team: RunningTeam, callback: str, told: bool
) -> None:
    one = Person(team.url)
    page = one.sign_in(one.begin(OAuthClient(team.url, callback=callback)), **ANN)
    assert ("Any app on this computer" in text_of(page)) == told
