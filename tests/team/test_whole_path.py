"""From the address that a person pastes to an answer of Odoo, and how each part of it ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from odoo_toolkit import ConfigurationError, Odoo, connect, count
from odoo_toolkit.databases import database_of
from odoo_toolkit.policy import Policy
from odoo_toolkit_mcp.accounts.store import FORM
from odoo_toolkit_mcp.accounts.team import team_of
from odoo_toolkit_mcp.accounts.vault import Vault
from tests.live.conftest import server
from tests.live.servers import Server, credentials
from tests.team.harness import (
    CALLBACK,
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    Tokens,
    call,
    hidden,
    instance_of,
    text_of,
)

__all__ = ["server"]

WHO = "odoo_core_get_user"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the store is."""
    return tmp_path_factory.mktemp("team")


@pytest.fixture(scope="module")
def team(server: Server, folder: Path) -> Iterator[RunningTeam]:
    """A team with one database twice: everybody reads, and who may administer can do more."""
    rules = [
        {"groups": ["base.group_system"], "mode": "full"},
        {"logins": ["demo"], "mode": "readonly"},
    ]
    instances = {
        "main": instance_of(server, rules=rules),
        "open": instance_of(server, title="The open one"),
    }
    with RunningTeam(folder, instances, store=f"{server.name}.sqlite") as running:
        yield running


@pytest.fixture
def client(team: RunningTeam) -> OAuthClient:
    """A client that has just registered."""
    return OAuthClient(team.url)


@pytest.fixture
def person(team: RunningTeam) -> Person:
    """Somebody with a new browser."""
    return Person(team.url)


@pytest.fixture(scope="module")
def demo(team: RunningTeam, server: Server) -> Tokens:
    """What a client has after the demo user has signed in with a password and allowed it."""
    user = server.user("demo")
    client = OAuthClient(team.url)
    form = {"instance": "main", "login": user.login, "password": user.password}
    return Person(team.url).connect(client, **form)


def keys_of(server: Server, login: str) -> int:
    """Return how many keys a user has in Odoo."""
    with connect(**credentials(server, server.user("admin"))) as admin:
        free = Odoo(admin.settings, policy=Policy(protect=False))
        return count(free, "res.users.apikeys", [["user_id.login", "=", login]])


def test_a_client_acts_as_the_person_who_signed_in(team: RunningTeam, demo: Tokens) -> None:
    answer = call(team.url, demo.access, WHO)
    assert answer.status_code == 200
    assert "Marc Demo" in answer.text


def test_the_policy_of_the_rule_holds_and_is_told_before(
    team: RunningTeam, demo: Tokens, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("demo")
    page = person.sign_in(
        person.begin(client), instance="main", login=user.login, password=user.password
    )
    assert "It cannot create, change or delete anything." in text_of(page)
    values = {"model": "res.partner", "values": {"name": "must not be"}}
    refused = call(team.url, demo.access, "odoo_core_create", values)
    assert "Unknown tool" in refused.text or "MODE" in refused.text
    assert person.answer(page, "deny")["error"] == "access_denied"


def test_a_wrong_password_gets_nobody_in(
    person: Person, client: OAuthClient, server: Server
) -> None:
    page = person.sign_in(
        person.begin(client), instance="main", login="admin", password="not the password"
    )
    assert page.status_code == 400
    assert "does not accept" in text_of(page)
    assert "not the password" not in page.text


def test_who_says_no_leaves_no_key_in_odoo(
    team: RunningTeam, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("demo")
    form = {"instance": "main", "login": user.login, "password": user.password}
    before = keys_of(server, user.login)
    told = person.answer(person.sign_in(person.begin(client), **form), "deny")
    assert keys_of(server, user.login) == before
    assert told == {
        "to": CALLBACK,
        "error": "access_denied",
        "error_description": "The person said no.",
        "state": "the state",
        "iss": team.url,
    }


def test_a_key_that_was_pasted_serves_as_well(
    team: RunningTeam, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("admin")
    if not user.api_key:
        pytest.skip("no key of the administrator is known")
    tokens = person.connect(client, instance="open", login=user.login, key=user.api_key)
    assert call(team.url, tokens.access, WHO).status_code == 200


def test_a_code_serves_once_and_a_second_use_ends_everything(
    team: RunningTeam, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("demo")
    form = {"instance": "main", "login": user.login, "password": user.password}
    code = person.answer(person.sign_in(person.begin(client), **form))["code"]
    tokens = client.tokens(code)
    assert client.exchange(code).json()["error"] == "invalid_grant"
    assert call(team.url, tokens.access, WHO).status_code == 401
    assert client.refresh(tokens.refresh).json()["error"] == "invalid_grant"


def test_a_refresh_token_rotates_and_a_second_use_ends_everything(
    team: RunningTeam, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("demo")
    form = {"instance": "main", "login": user.login, "password": user.password}
    first = person.connect(client, **form)
    second = client.refresh(first.refresh).json()
    assert call(team.url, first.access, WHO).status_code == 401
    assert call(team.url, second["access_token"], WHO).status_code == 200
    assert client.refresh(first.refresh).json()["error"] == "invalid_grant"
    assert call(team.url, second["access_token"], WHO).status_code == 401


def test_a_client_can_end_its_own_grant_only(
    team: RunningTeam, person: Person, client: OAuthClient, demo: Tokens, server: Server
) -> None:
    user = server.user("demo")
    form = {"instance": "main", "login": user.login, "password": user.password}
    tokens = person.connect(client, **form)
    assert client.post("/revoke", token=demo.access).status_code == 200
    assert call(team.url, demo.access, WHO).status_code == 200
    assert client.post("/revoke", token=tokens.refresh).status_code == 200
    assert call(team.url, tokens.access, WHO).status_code == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "https://evil.example.com/callback"},
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"resource": "https://other.example.com/mcp"},
        {"response_type": "token"},
        {"client_id": "nobody"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_wrong_request_shows_no_form_and_sends_no_browser_away(
    person: Person, client: OAuthClient, changed: dict[str, str | None]
) -> None:
    answer = person.get("/authorize", **client.query(**changed))
    assert answer.status_code == 400
    assert "Location" not in answer.headers


def test_another_browser_cannot_go_on_with_a_sign_in(
    team: RunningTeam, person: Person, client: OAuthClient, server: Server
) -> None:
    user = server.user("demo")
    form = {"instance": "main", "login": user.login, "password": user.password}
    page = person.sign_in(person.begin(client), **form)
    stranger = Person(team.url)
    stranger.get("/me")
    assert stranger.post("/consent", page, answer="allow").status_code == 403
    assert stranger.get(page.url).status_code == 403
    assert "code" in person.answer(page)


@pytest.mark.parametrize("origin", [None, "https://evil.example.com", "null"])
def test_a_form_of_another_site_does_nothing(
    person: Person, client: OAuthClient, origin: str | None
) -> None:
    page = person.begin(client)
    headers = {"Origin": origin} if origin else {}
    sent = person.browser.post(
        f"{person.url}/sign-in", hidden(page.text), headers=headers, timeout=120
    )
    assert sent.status_code == 403


def test_pages_cannot_be_framed_and_cookies_are_not_for_scripts(person: Person) -> None:
    page = person.get("/me")
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Frame-Options"] == "DENY"
    cookie = page.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_a_request_without_a_token_is_told_where_to_get_one(team: RunningTeam) -> None:
    answer = call(team.url, "nonsense", WHO)
    assert answer.status_code == 401
    address = f"{team.url}/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{address}"' in answer.headers["WWW-Authenticate"]
    assert requests.get(address, timeout=120).json()["authorization_servers"] == [team.url]


def test_each_person_sees_and_ends_what_is_connected(
    team: RunningTeam, person: Person, server: Server
) -> None:
    user = server.user("demo")
    client = OAuthClient(team.url, "A client to be ended")
    form = {"instance": "main", "login": user.login, "password": user.password}
    tokens = person.connect(client, **form)
    signed_in = person.post("/me/sign-in", person.get("/me"), **form)
    assert signed_in.headers["Location"] == "/me"
    page = person.get("/me")
    assert "A client to be ended" in text_of(page)
    row = page.text[page.text.index("<td>A client to be ended") :]
    number = row.split('name="connection" value="')[1].split('"')[0]
    person.post("/me/disconnect", page, connection=number)
    assert call(team.url, tokens.access, WHO).status_code == 401
    assert Person(team.url).post("/me/disconnect", page, connection=number).status_code == 403


def test_the_operator_sees_who_is_connected_and_nobody_else_does(
    team: RunningTeam, demo: Tokens, person: Person
) -> None:
    for path in ("/admin/activity", "/admin/activity.jsonl"):
        assert person.get(path).status_code == 403
    assert "Marc Demo" not in person.get("/admin").text
    wrong = person.post("/admin/sign-in", person.get("/admin"), password="wrong password")
    assert wrong.status_code == 400
    person.post("/admin/sign-in", person.get("/admin"), password=OPERATOR_PASSWORD)
    assert "Marc Demo" in text_of(person.get("/admin"))
    assert "connected" in person.get("/admin/activity.jsonl").text


def test_the_store_holds_no_password_key_or_token(
    team: RunningTeam, demo: Tokens, server: Server, folder: Path
) -> None:
    kept = b"".join(path.read_bytes() for path in folder.glob(f"{server.name}.sqlite*"))
    kept = kept.replace((folder / f"{server.name}.sqlite.key").read_bytes(), b"")
    user = server.user("admin")
    for secret in (demo.access, demo.refresh, user.api_key):
        assert not secret or secret.encode() not in kept


def test_many_wrong_passwords_make_everybody_wait(
    team: RunningTeam, client: OAuthClient, person: Person
) -> None:
    page = person.begin(client)
    form = {"instance": "open", "login": "nobody at all", "key": "f" * 40}
    answers = [person.sign_in(page, **form).status_code for _ in range(6)]
    # After three within a minute, Odoo is not asked; after five, this login is not taken either.
    assert answers[:3] == [400] * 3
    assert {*answers[3:5]} <= {400, 429}
    assert answers[5] == 429


# Without Odoo.


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"public_url": "http://mcp.example.com"}, "public_url must be the https address"),
        ({"public_ur": "x"}, "Did you mean public_url"),
        ({"operator_password": "plain text"}, "operator_password is not a hash"),
        ({"store": "postgresql://db/x"}, "secret_keys is missing"),
        ({"secret_keys": ["short"]}, "at least 32"),
        ({"with_password": False, "with_key": False}, "nobody can sign in"),
        ({"instances": {}}, "instances is missing"),
        ({"access_hours": 0}, "access_hours must be a number"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, changed: dict[str, object], told: str) -> None:
    instance = {"url": "https://o.example.com", "database": "d", "username": "u", "api_key": "k"}
    content = {"public_url": "https://mcp.example.com", "instances": {"main": instance}, **changed}
    with pytest.raises(ConfigurationError, match=told):
        team_of(content, tmp_path)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"group": ["a.b"]}, "Did you mean groups"),
        ({"groups": ["Sales"]}, "external ids"),
        ({"logins": []}, "logins is empty"),
        ({"mode": "all"}, "mode must be one of"),
        ({"allow": "no"}, "allow must be true or false"),
    ],
)
def test_a_wrong_rule_is_told(tmp_path: Path, rule: dict[str, object], told: str) -> None:
    instance = {"url": "https://o.example.com", "database": "d", "username": "u", "api_key": "k"}
    content = {
        "public_url": "https://mcp.example.com",
        "instances": {"main": {**instance, "rules": [rule]}},
    }
    with pytest.raises(ConfigurationError, match=told):
        team_of(content, tmp_path)


def test_the_first_rule_that_fits_counts_and_whom_none_fits_is_not_admitted(
    tmp_path: Path,
) -> None:
    rules = [
        {"logins": ["eve@*"], "allow": False},
        {"groups": ["sale.manager"], "mode": "full", "field_blocklist": ["vat"]},
        {"logins": ["*@example.com"]},
    ]
    instance = {"url": "https://o.example.com", "database": "d", "username": "u", "api_key": "k"}
    instance |= {"field_blocklist": ["barcode"], "rules": rules}
    content = {"public_url": "https://mcp.example.com", "instances": {"main": instance}}
    found = team_of(content, tmp_path).instances["main"]
    assert found.rule_for("eve@example.com", ["sale.manager"]) is None
    assert found.rule_for("ann@elsewhere.com", ["sale.manager"]) == 1
    assert found.rule_for("Ann@Example.com", []) == 2
    assert found.rule_for("ann@elsewhere.com", []) is None
    assert found.rules[1].settings.field_blocklist == ("barcode", "vat")


def test_a_new_key_opens_what_the_old_one_sealed_until_it_is_removed() -> None:
    old, new = "o" * 32, "n" * 32
    sealed = Vault([old]).seal("a key of Odoo")
    assert Vault([old, new]).open(sealed) == Vault([new, old]).open(sealed) == "a key of Odoo"
    assert Vault([new]).open(Vault([new, old]).renew(sealed)) == "a key of Odoo"
    with pytest.raises(ConfigurationError, match="does not have"):
        Vault([new]).open(sealed)


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with (
        pytest.raises(ConfigurationError, match="newer version"),
        database_of(path, FORM).reading(),
    ):
        pass
