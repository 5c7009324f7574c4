"""What a hostile client, site, program or person may try at a team's sign-in, each tried."""

from __future__ import annotations

import json
import logging
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from starlette.testclient import TestClient

from odoo_toolkit_mcp.accounts import client_documents, oauth, sign_in, web
from odoo_toolkit_mcp.accounts.app import TeamServer
from odoo_toolkit_mcp.accounts.client_documents import DocumentError, fetch_document
from odoo_toolkit_mcp.accounts.team import Instance, team_of
from odoo_toolkit_mcp.http import slow_clients
from tests.team.conftest import Serve, client, person, serve, team, users
from tests.team.harness import (
    CALLBACK,
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    at_home,
    connected,
    form_of,
    hidden,
    lets_in,
    operator_of,
    signed_in,
    text_of,
)
from tests.team.people import NOWHERE, Users, key_of, password_of
from tests.tls import write_certificate

__all__ = ["client", "person", "serve", "team", "users"]

POSTS = [
    "/sign-in",
    "/consent",
    "/me/sign-in",
    "/me/sign-out",
    "/me/disconnect",
    "/me/remove-key",
    "/me/undo",
    "/admin/sign-in",
    "/admin/sign-out",
    "/admin/revoke",
]


# Tokens in the place of others ------------------------------------------------------------------


def test_a_refresh_token_a_code_and_a_cookie_open_nothing(
    team: RunningTeam, client: OAuthClient
) -> None:
    one, page = signed_in(team, client)
    code = one.answer(page)["code"]
    assert not lets_in(team, code)
    tokens = client.tokens(code)
    home = at_home(team, client)
    cookies = [cookie.value or "" for cookie in home.browser.cookies]
    for wrong in (tokens.refresh, *cookies, "", "null", tokens.access[:-1], tokens.access + "x"):
        assert not lets_in(team, wrong)
    assert client.refresh(tokens.access).status_code == 400
    assert lets_in(team, tokens.access)


def test_a_token_opens_no_page(team: RunningTeam, client: OAuthClient) -> None:
    tokens = connected(team, client)
    for token in (tokens.access, tokens.refresh):
        thief = Person(team.url)
        for name in ("omcp-me", "omcp-admin"):
            thief.browser.cookies.set(name, token)
        assert "ann" not in thief.get("/me").text
        assert "ann" not in thief.get("/admin").text
        headers = {"Authorization": f"Bearer {token}"}
        assert "ann" not in requests.get(f"{team.url}/me", headers=headers, timeout=120).text


def test_the_operators_cookie_and_a_persons_are_not_the_same(
    team: RunningTeam, client: OAuthClient
) -> None:
    home = at_home(team, client)
    home.browser.cookies.set("omcp-admin", home.browser.cookies["omcp-me"])
    assert home.get("/admin/activity").status_code == 403
    operator = operator_of(team)
    assert operator.get("/admin/activity").status_code == 200
    operator.browser.cookies.set("omcp-me", operator.browser.cookies["omcp-admin"])
    assert "Sign in with Odoo" in text_of(operator.get("/me"))


def test_a_stolen_cookie_is_of_no_use_after_the_person_has_signed_out(
    team: RunningTeam, client: OAuthClient
) -> None:
    home = at_home(team, client)
    thief = Person(team.url)
    thief.browser.cookies.update(home.browser.cookies)
    assert "Ann (ann)" in text_of(thief.get("/me"))
    home.post("/me/sign-out", home.get("/me"))
    assert "Ann (ann)" not in text_of(thief.get("/me"))


# Redirects --------------------------------------------------------------------------------------


def test_a_bad_request_is_no_open_redirect(team: RunningTeam) -> None:
    """Anybody can register an address; nobody is sent there unasked."""
    evil = OAuthClient(team.url, callback="https://evil.example.com/landing")
    for changed in (
        {"scope": "nonsense"},
        {"response_type": "token"},
        {"code_challenge": None},
        {"resource": "https://elsewhere.example.com"},
        {"state": "x" * 3000},
    ):
        answer = Person(team.url).get("/authorize", **evil.query(**changed))
        assert answer.status_code == 400
        assert "Location" not in answer.headers
        assert "evil.example.com" in text_of(answer)
        link = re.search(r'href="(https://evil[^"]+)"', answer.text)
        assert link
        assert "error=" in link[1]
        assert "iss=" in link[1]


@pytest.mark.parametrize(
    "address", ["//evil.example.com/sign-in", "/\\evil.example.com", "/%2f%2fevil.example.com"]
)
def test_a_path_is_no_open_redirect(team: RunningTeam, address: str) -> None:
    answer = Person(team.url).get(team.url + address)
    assert answer.status_code == 404
    assert "Location" not in answer.headers


def test_another_name_of_the_host_is_not_answered(team: RunningTeam) -> None:
    for path in ("/", "/me", "/authorize", "/.well-known/oauth-authorization-server", "/mcp"):
        answer = requests.get(
            team.url + path,
            headers={"Host": "evil.example.com"},
            allow_redirects=False,
            timeout=120,
        )
        assert answer.status_code == 421
        assert "evil" not in answer.text


def test_forwarded_headers_bend_no_address(team: RunningTeam, client: OAuthClient) -> None:
    headers = {
        "X-Forwarded-Host": "evil.example.com",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil.example.com",
    }
    told = requests.get(
        f"{team.url}/.well-known/oauth-authorization-server", headers=headers, timeout=120
    )
    assert "evil" not in told.text
    sent = requests.get(
        f"{team.url}/authorize",
        params=client.query(),
        headers=headers,
        allow_redirects=False,
        timeout=120,
    )
    assert sent.headers["Location"].startswith(team.url)


def test_a_state_breaks_no_header(team: RunningTeam, client: OAuthClient) -> None:
    one = Person(team.url)
    state = "a\r\nSet-Cookie: omcp-me=b\r\n\r\n<script>"
    page = one.sign_in(one.begin(client, state=state), **form_of())
    sent = one.post("/consent", page, answer="allow")
    assert sent.status_code == 303
    assert "omcp-me" not in sent.headers.get("Set-Cookie", "")
    assert "\n" not in sent.headers["Location"]


# Names that lie ---------------------------------------------------------------------------------


def test_a_name_that_is_html_is_text(team: RunningTeam) -> None:
    name = '<script>alert(1)</script><a href="https://evil.example.com">"\'{{7*7}}'
    evil = OAuthClient(team.url, name=name)
    home = at_home(team, evil)
    operator = operator_of(team)
    pages = [Person(team.url).begin(evil), home.get("/me"), operator.get("/admin")]
    for page in [*pages, operator.get("/admin/activity")]:
        assert "<script" not in page.text
        assert 'href="https://evil' not in page.text
        assert "{{7*7}}" in page.text


def test_what_odoo_and_a_call_name_is_text_on_all_pages(
    team: RunningTeam, client: OAuthClient
) -> None:
    evil = "<img src=x onerror=alert(1)>\"'\u202e\x1b"
    home = at_home(team, client, evil)
    (account,) = team.server.provider.grants.accounts()
    names = ("tool", "model", "operation", "error_code", "login", evil)
    body = {**dict.fromkeys(names, evil), "ids": [evil], "result_ids": [evil]}
    for kind in ("call", "warning", evil):
        team.server.provider.activity.note(
            kind, instance="main", account=account.id, client=evil, body=body
        )
    operator = operator_of(team)
    pages = [home.get("/me"), home.begin(client), operator.get("/admin")]
    pages += [operator.get("/admin/activity"), operator.get("/admin/activity", words=evil)]
    for page in pages:
        assert page.status_code == 200
        assert "&lt;img src=x onerror" in page.text.lower()
        for acting in ("<img", "\u202e", "\x1b"):
            assert acting not in page.text.lower()


def test_a_name_of_another_shows_where_the_browser_goes(team: RunningTeam) -> None:
    evil = OAuthClient(
        team.url, name="Claude \u202e (claude.ai)\n\n", callback="https://claude.ai.evil.example/"
    )
    one, page = signed_in(team, evil)
    for shown in (one.begin(evil), page):
        assert "claude.ai.evil.example" in text_of(shown)
        assert "\u202e" not in shown.text
    assert "the name it gave itself" in text_of(page)


def test_a_look_alike_of_a_host_is_shown_as_what_it_is(team: RunningTeam) -> None:
    evil = OAuthClient(team.url, callback="https://cl\u0430ude.ai/callback")
    words = text_of(Person(team.url).begin(evil))
    assert "xn--" in words
    assert "cl\u0430ude" not in words


# Other browsers, other people -------------------------------------------------------------------


def test_consent_is_not_given_in_another_browser(team: RunningTeam, client: OAuthClient) -> None:
    """Somebody signs in and sends the page to a victim, or the other way round."""
    attacker, page = signed_in(team, client, "eve")
    victim = Person(team.url)
    opened = victim.get(page.url)
    assert opened.status_code == 403
    token = hidden(page.text)["request"]
    victim.get("/me")
    answer = victim.post("/consent", victim.get("/me"), request=token, answer="allow")
    assert answer.status_code == 403
    assert "another browser" in text_of(answer)
    assert attacker.answer(page)["code"]


def test_nobody_signs_in_underneath_another(
    team: RunningTeam, client: OAuthClient, users: Users
) -> None:
    """The attacker knows the request, and signs in to it while the victim reads the page."""
    victim = Person(team.url)
    first = victim.begin(client)
    attacker = Person(team.url)
    theirs = attacker.get(first.url)
    page = victim.sign_in(first, **form_of())
    attacker.sign_in(theirs, **form_of("eve"))
    answer = victim.post("/consent", page, answer="allow")
    assert answer.status_code == 403
    assert users.made == []


def test_consent_without_signing_in_is_none(team: RunningTeam, client: OAuthClient) -> None:
    one = Person(team.url)
    page = one.begin(client)
    assert one.get("/consent", request=hidden(page.text)["request"]).status_code == 403
    assert one.post("/consent", page, answer="allow").status_code == 403


def test_consent_counts_once(team: RunningTeam, client: OAuthClient, users: Users) -> None:
    one, page = signed_in(team, client)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: one.post("/consent", page, answer="allow"), range(6)))
    assert sorted(answer.status_code for answer in answers) == [303, *[410] * 5]
    assert users.made == ["ann"]


def test_anything_but_allow_is_a_no(team: RunningTeam, client: OAuthClient, users: Users) -> None:
    for answer in ("", "Allow", "allow ", "yes"):
        one, page = signed_in(team, client)
        assert one.answer(page, answer)["error"] == "access_denied"
    assert users.made == []


def test_two_people_in_one_browser_do_not_get_each_others_pages(
    team: RunningTeam, client: OAuthClient
) -> None:
    browser = at_home(team, client, "ann")
    # Bob signs a client in where ann is still signed in to /me.
    page = browser.sign_in(browser.begin(client), **form_of("bob"))
    words = text_of(page)
    assert "Bob (bob)" in words
    assert "(ann)" not in words
    assert browser.answer(page)["code"]
    browser.post("/me/sign-out", browser.get("/me"))
    assert "Continue as" not in text_of(browser.begin(client))
    form = form_of("bob")
    browser.post("/me/sign-in", browser.get("/me"), **form)
    assert "Ann (ann)" not in text_of(browser.get("/me"))


def test_nobody_continues_as_somebody_else(team: RunningTeam, client: OAuthClient) -> None:
    at_home(team, client)
    one = Person(team.url)
    page = one.begin(client)
    assert one.post("/sign-in", page, known="yes").status_code == 403


# Forms from elsewhere ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", POSTS)
def test_no_form_of_another_site_is_taken(
    team: RunningTeam, client: OAuthClient, path: str
) -> None:
    home = at_home(team, client)
    proof = hidden(home.get("/me").text)["csrf"]
    form = {"csrf": proof, "connection": "1", "account": "1", "answer": "allow"}
    for origin in (None, "null", "https://evil.example.com", team.url + ".evil.example.com"):
        headers = {"Origin": origin} if origin else {}
        answer = home.browser.post(team.url + path, form, headers=headers, timeout=120)
        assert answer.status_code == 403, (origin, answer.text)
    ours = {"Origin": team.url}
    foreign = hidden(Person(team.url).get("/me").text)["csrf"]
    for wrong in (None, "", "x", foreign, "\u00e9"):
        answer = home.browser.post(
            team.url + path, {**form, "csrf": wrong}, headers=ours, timeout=120
        )
        assert answer.status_code == 403, wrong
    as_json = home.browser.post(team.url + path, json=form, headers=ours, timeout=120)
    assert as_json.status_code == 415
    without_cookie = requests.post(team.url + path, form, headers=ours, timeout=120)
    assert without_cookie.status_code == 403
    # Nor does a link do anything.
    if path not in ("/sign-in", "/consent"):
        assert home.get(path, csrf=proof, connection="1").status_code == 405
    assert len(team.server.provider.grants.grants()) == 1


def test_whoever_sends_forms_without_end_has_to_wait(
    team: RunningTeam, client: OAuthClient
) -> None:
    """Others do not, and what programs do goes on."""
    home, other = (at_home(team, client, login) for login in ("ann", "eve"))
    page = home.get("/me")
    answers = [home.post("/me/disconnect", page, connection="0") for _ in range(61)]
    assert [answer.status_code for answer in answers] == [303] * 60 + [429]
    assert "Too many attempts" in answers[-1].text
    assert other.post("/me/disconnect", other.get("/me"), connection="0").status_code == 303
    assert len(team.server.provider.grants.grants()) == 2


# What browsers are told -------------------------------------------------------------------------


def test_no_page_can_be_framed_or_kept_or_run_scripts(
    team: RunningTeam, client: OAuthClient
) -> None:
    one, consent = signed_in(team, client)
    pages = [consent, one.begin(client), one.get("/"), one.get("/me"), one.get("/admin")]
    for page in [*pages, one.get("/sign-in", request="nothing")]:
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src" not in policy
        assert page.headers["X-Frame-Options"] == "DENY"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "same-origin"
        assert "<script" not in page.text
        assert "style=" not in page.text


def test_cookies_are_for_this_host_over_tls_only(users: Users, tmp_path: Path) -> None:
    content = {"public_url": "https://mcp.example.com", "instances": {"main": dict(NOWHERE)}}
    server = TeamServer(team_of(content, tmp_path))
    with TestClient(server.app(), base_url="https://mcp.example.com") as browser:
        answer = browser.get("/me")
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith("__Host-omcp-browser=")
        for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
            assert part in cookie
        assert "Domain" not in cookie
        assert "max-age" in answer.headers["Strict-Transport-Security"]
        assert browser.get("/healthz").headers["X-Content-Type-Options"] == "nosniff"


# Guessing ---------------------------------------------------------------------------------------


def test_the_sixth_guess_at_a_password_waits(team: RunningTeam, client: OAuthClient) -> None:
    """Neither another browser nor another spelling of the login counts anew."""
    spellings = ["ann", "Ann", " ann", "ANN ", "ann"]
    for login in spellings:
        one = Person(team.url)
        answer = one.sign_in(one.begin(client), login=login, password="a guess")
        assert answer.status_code == 400
    one = Person(team.url)
    answer = one.sign_in(one.begin(client), **form_of())
    assert answer.status_code == 429
    assert "15 minutes" in text_of(answer)
    home = one.post("/me/sign-in", one.get("/me"), **form_of())
    assert home.status_code == 429
    # Others sign in as before.
    other = one.sign_in(one.begin(client), **form_of("bob"))
    assert other.status_code == 200


def test_two_instances_of_one_database_count_together(serve: Serve) -> None:
    team = serve({"main": dict(NOWHERE), "again": {**NOWHERE, "title": "Again"}})
    one = Person(team.url)
    page = one.begin(OAuthClient(team.url))
    for instance in ("main", "again", "main", "again", "main"):
        form = {"instance": instance, "login": "ann", "password": "a guess"}
        assert one.sign_in(page, **form).status_code == 400
    for instance in ("main", "again"):
        form = {"instance": instance, "login": "ann", "password": password_of("ann")}
        assert one.sign_in(page, **form).status_code == 429


@pytest.mark.parametrize("path", ["/sign-in", "/me/sign-in"])
@pytest.mark.parametrize("given", ["password", "key"])
def test_how_long_a_refusal_takes_tells_nothing_of_a_login(
    team: RunningTeam, client: OAuthClient, users: Users, path: str, given: str
) -> None:
    """Odoo hashes the password only where there is such a login."""
    one = Person(team.url)
    page = one.begin(client) if path == "/sign-in" else one.get("/me")
    assert one.post(path, page, **{"login": "ann", given: "0" * 40}).status_code == 400
    (held,) = users.pauses
    assert sign_in.REFUSAL - 1 < held <= sign_in.REFUSAL


def test_a_slow_odoo_does_not_tell_who_has_a_login(
    team: RunningTeam, client: OAuthClient, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes for those who sign in is known before anybody guesses."""
    now = [0.0]

    def with_password(instance: Instance, login: str, *given: str) -> Any:
        now[0] += 3.5 if login in ("ann", "bob") else 0.1
        return users.with_password(instance, login, *given)

    monkeypatch.setattr(sign_in, "monotonic", lambda: now[0])
    monkeypatch.setattr(sign_in, "with_password", with_password)
    one = Person(team.url)
    page = one.begin(client)
    assert one.sign_in(page, **form_of("bob")).status_code == 200
    took = []
    for login in ("nobody", "ann"):
        begun = now[0]
        assert one.post("/sign-in", page, login=login, password="a guess").status_code == 400
        took.append(now[0] - begun + users.pauses.pop())
    assert took[0] == pytest.approx(took[1])


def test_many_guesses_at_once_are_counted(
    team: RunningTeam, client: OAuthClient, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counting(instance: Any, login: str, password: str, code: str) -> Any:
        asked.append(login)
        return users.with_password(instance, login, password, code)

    monkeypatch.setattr(sign_in, "with_password", counting)
    one = Person(team.url)
    page = one.begin(client)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda n: one.sign_in(page, login="ann", password=f"guess {n}"), range(20)))
    assert len(asked) == 5


def test_guessing_with_many_logins_waits_and_an_office_does_not(
    team: RunningTeam, client: OAuthClient
) -> None:
    one = Person(team.url)
    page = one.begin(client)
    for number in range(40):
        login = f"user{number}"
        assert one.sign_in(page, **form_of(login)).status_code == 200
    statuses = [
        one.sign_in(page, login=f"guess{number}", password="password1").status_code
        for number in range(40)
    ]
    assert statuses.count(400) == 30
    assert set(statuses[30:]) == {429}


def test_guesses_at_keys_are_counted_too(team: RunningTeam, client: OAuthClient) -> None:
    one = Person(team.url)
    page = one.begin(client)
    for number in range(5):
        assert one.sign_in(page, login="ann", key=f"{number:040x}").status_code == 400
    assert one.sign_in(page, login="ann", key=key_of("ann")).status_code == 429


def test_guesses_at_the_operators_password_wait_and_lock_nobody_out(team: RunningTeam) -> None:
    one = Person(team.url)
    page = one.get("/admin")
    for _ in range(10):
        assert one.post("/admin/sign-in", page, password="a guess, again").status_code == 400
    assert one.post("/admin/sign-in", page, password=OPERATOR_PASSWORD).status_code == 429
    operator = Person(team.url)
    operator.browser.headers["X-Forwarded-For"] = "198.51.100.7"
    page = operator.get("/admin")
    assert operator.post("/admin/sign-in", page, password=OPERATOR_PASSWORD).status_code == 303


def test_registrations_and_requests_of_one_address_are_bounded(
    team: RunningTeam, client: OAuthClient
) -> None:
    body = {"redirect_uris": [CALLBACK]}
    statuses = [
        requests.post(f"{team.url}/register", json=body, timeout=120).status_code for _ in range(40)
    ]
    assert statuses[28:].count(429) >= 10
    answers = [Person(team.url).get("/authorize", **client.query()) for _ in range(130)]
    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"]


# Bodies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/register", "/token", "/revoke", "/authorize", *POSTS])
def test_a_body_that_is_too_long_is_cut_off(team: RunningTeam, person: Person, path: str) -> None:
    page = person.get("/me")
    form = {**hidden(page.text), "login": "x" * 100_000}
    headers = {"Origin": team.url}
    answer = person.browser.post(team.url + path, form, headers=headers, timeout=120)
    assert answer.status_code == 413


@pytest.mark.parametrize("body", ["[" * 60_000, '{"a":' * 10_000, "{", "null", "", "\ud800"])
def test_json_that_is_none_or_too_deep_registers_nobody(team: RunningTeam, body: str) -> None:
    answer = requests.post(
        f"{team.url}/register",
        body.encode("utf-8", "surrogatepass"),
        headers={"Content-Type": "application/json"},
        timeout=120,
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")


def test_a_form_of_very_many_fields_is_refused(team: RunningTeam, person: Person) -> None:
    page = person.get("/me")
    many = {f"f{number}": "" for number in range(200)}
    answer = person.post("/me/sign-in", page, **many)
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/token", "/register", "/sign-in", "/me/sign-in"])
def test_a_body_that_never_ends_to_arrive_is_cut_off(
    team: RunningTeam, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oauth, "_PATIENCE", 0.2)
    monkeypatch.setattr(web, "_PATIENCE", 0.2)
    with socket.create_connection(("127.0.0.1", team.port), timeout=30) as slow:
        slow.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{team.port}\r\nOrigin: {team.url}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n"
            "a=".encode()
        )
        assert slow.recv(1000).split()[1] == b"408"


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-A", b"GET /healthz"])
def test_headers_that_never_end_are_cut_off(
    serve: Any, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_clients, "PATIENCE", 0.2)
    team = serve()
    with socket.create_connection(("127.0.0.1", team.port), timeout=30) as slow:
        slow.sendall(sent)
        assert closed(slow)
    # Also after a request that was in order.
    with socket.create_connection(("127.0.0.1", team.port), timeout=30) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert slow.recv(1000).split()[1] == b"200"
        slow.sendall(b"GET /healthz HT")
        assert closed(slow)
    assert requests.get(f"{team.url}/healthz", timeout=120).status_code == 200


def closed(connection: socket.socket) -> bool:
    """Wait until the other side ends a connection."""
    try:
        while connection.recv(1000):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("number", ["9" * 30, "\u00b2", "-1", "1e3", "1 OR 1=1", "'"])
def test_numbers_that_are_none_are_told(
    team: RunningTeam, client: OAuthClient, number: str
) -> None:
    home = at_home(team, client)
    page = home.get("/me")
    assert home.post("/me/undo", page, entry=number).status_code == 404
    assert home.post("/me/disconnect", page, connection=number).status_code == 303
    operator = operator_of(team)
    for name in ("account", "before"):
        assert operator.get("/admin/activity", **{name: number}).status_code == 400
    page = operator.get("/admin")
    operator.post("/admin/revoke", page, account=number, connection=number)
    assert len(team.server.provider.grants.grants()) == 1


# Documents of clients ---------------------------------------------------------------------------


#: Networks of organisations and machines, and all the ways to write their addresses.
INSIDE = """
127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1
255.255.255.255 192.88.99.1 240.0.0.1 198.18.0.1 ::1 :: fe80::1 fd00::1 ::ffff:10.0.0.1
64:ff9b::a00:1 64:ff9b:1::a00:1 ::a00:1 fec0::1 ::ffff:0:a00:1 ::ffff:8.8.8.8 5f00::1 3fff::1
4000::1 2002:a00:1:: 2001:0:a00:1:: ff02::1
"""


@pytest.mark.parametrize(
    "found", [*([address] for address in INSIDE.split()), ["93.184.215.14", "10.0.0.1"], []]
)
def test_no_document_is_fetched_from_inside(
    found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, **more: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in found]

    def dial(*args: Any, **more: Any) -> Any:
        raise AssertionError("It has dialled.")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(client_documents, "HTTPSConnection", dial)
    with pytest.raises(DocumentError, match="not on the public internet"):
        fetch_document("https://client.example.net/client.json")


@pytest.mark.parametrize(
    "address",
    [
        "http://client.example.net/client.json",
        "https://client.example.net",
        "https://client.example.net/",
        "https://user@client.example.net/client.json",
        "https://:word@client.example.net/client.json",
        "https://client.example.net/client.json#part",
        "https://client.example.net/a/../client.json",
        "https://client.example.net:99999/client.json",
        "https:///client.json",
        "file:///etc/passwd",
    ],
)
def test_an_address_of_no_document_is_not_asked(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*args: Any, **more: Any) -> Any:
        raise AssertionError("It has looked the name up.")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(DocumentError):
        fetch_document(address)


Answer = Callable[[ssl.SSLSocket], None]


@contextmanager
def document_server(
    folder: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch, host: str = "client.example.net"
) -> Iterator[str]:
    """Serve TLS on this machine, as if it were on the internet; give the address of a document."""
    certificate = write_certificate(folder / "certificate.pem", host=host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]

    def serve_once() -> None:
        try:
            plain, _ = listening.accept()
            with context.wrap_socket(plain, server_side=True) as connection:
                connection.settimeout(20)
                connection.recv(4000)
                answer(connection)
        except OSError:
            pass  # The other side has hung up.

    thread = threading.Thread(target=serve_once, daemon=True)
    thread.start()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(client_documents, "public_address", lambda host, port: "127.0.0.1")
    yield f"https://client.example.net:{port}/client.json"
    listening.close()
    thread.join(60)


def respond(status: str, body: bytes = b"", *headers: str) -> Answer:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])
    return lambda connection: connection.sendall(head.encode() + body)


def test_a_document_comes_from_the_host_that_its_certificate_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = respond("200 OK", b'{"a": 1}')
    with document_server(tmp_path, right, monkeypatch) as address:
        assert fetch_document(address) == {"a": 1}
    with (
        document_server(tmp_path, right, monkeypatch, host="evil.example.net") as address,
        pytest.raises(DocumentError, match="sent an unexpected response"),
    ):
        fetch_document(address)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (respond("302 Found", b"", "Location: http://169.254.169.254/latest"), "status 302"),
        (respond("200 OK", b'"' + b"x" * 30_000 + b'"'), "more than"),
        (respond("200 OK", b"[" * 15_000), "not JSON"),
        (respond("200 OK", b"<html>"), "not JSON"),
        (respond("200 OK", b"\x1f\x8b", "Content-Encoding: gzip"), "not JSON"),
        (respond("500 Oh"), "status 500"),
        (lambda connection: connection.sendall(b"what?\r\n\r\n"), "unexpected response"),
        (lambda connection: None, "unexpected response"),
    ],
)
def test_a_server_of_documents_leads_nowhere_else(
    answer: Answer, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        document_server(tmp_path, answer, monkeypatch) as address,
        pytest.raises(DocumentError, match=told),
    ):
        fetch_document(address)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_document_that_drips_is_cut_off(
    head: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_documents, "_TOTAL", 0.5)

    def drip(connection: ssl.SSLSocket) -> None:
        connection.sendall(head)
        connection.settimeout(0.05)
        while True:
            connection.sendall(b"x")
            try:
                if not connection.recv(1):
                    return
            except TimeoutError:
                continue

    with document_server(tmp_path, drip, monkeypatch) as address, pytest.raises(DocumentError):
        fetch_document(address)


# Traces -----------------------------------------------------------------------------------------


def test_no_secret_is_in_the_log(
    team: RunningTeam, client: OAuthClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one, page = signed_in(team, client)
    code = one.answer(page)["code"]
    tokens = client.tokens(code)
    renewed = client.refresh(tokens.refresh).json()
    client.refresh(tokens.refresh)
    home = at_home(team, client, "bob")
    wrong = one.sign_in(one.begin(client), login="ann", password="a wrong password")
    assert wrong.status_code == 400
    operator_of(team)
    secrets = [code, tokens.access, tokens.refresh, renewed["access_token"], password_of("ann")]
    secrets += [key_of("ann"), "a wrong password", OPERATOR_PASSWORD, client.verifier]
    secrets += [cookie.value or "" for cookie in home.browser.cookies]
    # The client's own library may log what it sends; the server is what is looked at.
    told = "\n".join(
        record.getMessage() for record in caplog.records if "urllib3" not in record.name
    )
    assert "a refresh token was used twice" in told
    for secret in secrets:
        assert secret not in told


def test_no_client_turns_the_audit_off(team: RunningTeam, client: OAuthClient) -> None:
    """What it sends beside the call changes nothing of what is noted of the connection."""
    one, page = signed_in(team, client)
    told = one.answer(page)
    answer = client.exchange(told["code"], audit="off", scope="")
    assert answer.status_code == 200
    client.post("/revoke", token=answer.json()["access_token"], audit="off")
    kinds = [event.kind for event in team.server.provider.activity.latest()]
    assert kinds == ["disconnected", "connected"]
    operator = operator_of(team)
    lines = operator.get("/admin/activity.jsonl").text.splitlines()
    assert [json.loads(line)["kind"] for line in lines][-2:] == ["disconnected", "connected"]
