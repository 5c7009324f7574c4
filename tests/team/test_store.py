"""Where a team's server keeps sign-ins: what is readable there, other keys, and bad stores."""

from __future__ import annotations

import copy
import os
import sqlite3
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import requests

from odoo_toolkit import databases
from odoo_toolkit.configuration import Secret
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit_mcp.accounts import clients, sign_in
from odoo_toolkit_mcp.accounts.app import TeamServer
from odoo_toolkit_mcp.accounts.grants import Account, Grant, Grants
from odoo_toolkit_mcp.accounts.odoo_users import Key
from odoo_toolkit_mcp.accounts.store import FORM, now, open_store, tidy
from odoo_toolkit_mcp.accounts.team import Team, team_of
from odoo_toolkit_mcp.accounts.vault import Vault, keys_of_file
from tests.provisioning import postgres
from tests.team.conftest import Serve
from tests.team.harness import (
    KEYS,
    OPERATOR_PASSWORD,
    OAuthClient,
    Person,
    RunningTeam,
    connected,
    database,
    form_of,
    lets_in,
    operator_of,
    text_of,
)
from tests.team.people import NOWHERE, Users, key_of, password_of


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_odoo)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store is, of each kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "kept" / "accounts.sqlite")
        return
    if os.environ.get("ODOO_TOOLKIT_NO_LIVE") == "1":
        pytest.skip("ODOO_TOOLKIT_NO_LIVE=1")
    with database() as address:
        yield address


def everything(place: str) -> bytes:
    """Return all bytes that a store has."""
    if "://" not in place:
        found = Path(place)
        return b"".join(one.read_bytes() for one in found.parent.glob(found.name + "*"))
    with open_store(place).reading() as session:
        tables = session.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?", [FORM.schema]
        ).fetchall()
        names = [row["table_name"] for row in tables]
        assert {"client", "account", "token", "session"} <= set(names)
        rows = [session.execute(f"SELECT * FROM {name}").fetchall() for name in names]
    return repr(rows).encode()


# What is readable -------------------------------------------------------------------------------


def test_nothing_secret_is_readable_in_the_store(serve: Serve, place: str) -> None:
    team = serve(store=place, secret_keys=KEYS)
    secrets = [*KEYS, OPERATOR_PASSWORD]
    client = OAuthClient(team.url)
    for login, form in [("ann", {"password": password_of("ann")}), ("bob", {"key": key_of("bob")})]:
        person = Person(team.url)
        page = person.sign_in(person.begin(client), login=login, **form)
        code = person.answer(page)["code"]
        tokens = client.tokens(code)
        renewed = client.refresh(tokens.refresh).json()
        assert lets_in(team, renewed["access_token"])
        person.post("/me/sign-in", person.get("/me"), login=login, **form)
        secrets += [*form.values(), key_of(login), code, tokens.access, tokens.refresh]
        secrets += [renewed["access_token"], renewed["refresh_token"]]
        secrets += [cookie.value or "" for cookie in person.browser.cookies]
    # One that has not been answered yet, with what a key is made from.
    begun = Person(team.url)
    page = begun.begin(client)
    secrets.append(page.url.rpartition("request=")[2])
    begun.sign_in(page, **form_of("cid"))
    secrets += [password_of("cid"), "session of cid"]
    operator = operator_of(team)
    secrets += [cookie.value or "" for cookie in operator.browser.cookies]
    made = requests.post(
        f"{team.url}/register", json={"redirect_uris": ["https://x.example"]}, timeout=120
    )
    secrets.append(made.json()["client_secret"])
    kept = everything(place)
    assert b"ann" in kept
    assert len(secrets) > 20
    for secret in secrets:
        assert secret
        assert secret.encode() not in kept, secret


def test_the_files_are_for_their_owner_only(serve: Serve, tmp_path: Path) -> None:
    serve()
    files = sorted(tmp_path.glob("accounts.sqlite*"))
    assert len(files) >= 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in files), files


# Keys -------------------------------------------------------------------------------------------


def test_keys_are_changed_without_anybody_signing_in_anew(
    users: Users, tmp_path: Path, place: str
) -> None:
    old, new = KEYS

    def running(*keys: str, port: int = 0) -> RunningTeam:
        more = {"store": place, "secret_keys": list(keys)}
        return RunningTeam(tmp_path, {"main": dict(NOWHERE)}, port, **more)

    with running(old) as team:
        port = team.port
        client = OAuthClient(team.url)
        tokens = connected(team, client)
    # The new one last, on all processes; then first.
    for ring in ([old, new], [new, old]):
        with running(*ring, port=port) as team:
            client.url = team.url
            assert lets_in(team, tokens.access)
    with pytest.raises(ConfigurationError, match="encrypted with a key"):
        running(new)
    with running(new, old, port=port) as team:
        # One account and one client.
        assert team.server.provider.rotate_keys() == 2
    with running(new, port=port) as team:
        client.url = team.url
        assert lets_in(team, tokens.access)
        assert client.refresh(tokens.refresh).status_code == 200


def test_a_file_of_keys_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "team.key"
    (key,) = keys_of_file(path)
    assert len(key) == 64
    assert keys_of_file(path) == [key]
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(ConfigurationError, match="Other users of this machine can read"):
        keys_of_file(path)


@pytest.mark.parametrize("keys", [[], ["short"], ["a" * 32, "short"]])
def test_a_bad_ring_is_refused(keys: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="32 random characters"):
        Vault(keys)


# Bad stores -------------------------------------------------------------------------------------


def team_at(place: str, folder: Path) -> Team:
    return team_of(
        {
            "public_url": "http://127.0.0.1:8080",
            "store": place,
            "secret_keys": KEYS,
            "instances": {"main": dict(NOWHERE)},
        },
        folder,
    )


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path, place: str) -> None:
    store = open_store(place)
    with store.writing() as session:
        if "://" in place:
            session.execute(f"COMMENT ON SCHEMA {FORM.schema} IS '99'")
        else:
            session.execute("PRAGMA user_version = 99")
    store.close()
    with pytest.raises(ConfigurationError, match="newer version"):
        TeamServer(team_at(place, tmp_path))


def test_a_store_that_is_none_is_told(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"This is no database. " * 1000)
    with pytest.raises(OdooError, match="cannot be used"):
        TeamServer(team_at(str(garbage), tmp_path))
    assert garbage.read_bytes().startswith(b"This is no database.")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        TeamServer(team_at(str(tmp_path), tmp_path))


def test_a_server_of_postgresql_that_is_not_there_is_told_without_the_password(
    tmp_path: Path,
) -> None:
    with pytest.raises(OdooError, match="cannot be used") as caught:
        TeamServer(team_at("postgresql://joe:the-secret@127.0.0.1:9/team", tmp_path))
    assert "the-secret" not in str(caught.value.to_dict())


def full(store: Any) -> None:
    store._opened().execute("PRAGMA max_page_count = 1")


def read_only(store: Any) -> None:
    store._opened().execute("PRAGMA query_only = 1")


def damaged(store: Any) -> None:
    store.close()
    for path in store.path.parent.glob(store.path.name + "?*"):
        path.unlink()
    with store.path.open("r+b") as file:
        file.write(b"\0" * 4096)


@pytest.mark.parametrize("spoil", [full, read_only, damaged])
def test_a_store_that_cannot_be_written_is_told_and_grants_nothing(
    serve: Serve, spoil: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So long that it needs pages of its own.
    long = Key(key=Secret("k" * 100_000))
    monkeypatch.setattr(sign_in, "key_for", lambda *args: long)
    team = serve()
    client, person = OAuthClient(team.url), Person(team.url)
    page = person.sign_in(person.begin(client), **form_of())
    spoil(team.server.store)
    answer = person.post("/consent", page, answer="allow")
    assert answer.status_code == 503
    assert "cannot do that now" in text_of(answer)
    assert "sqlite" not in answer.text
    told = client.post("/token", grant_type="refresh_token", refresh_token="x")
    assert told.status_code in (400, 503)
    register = requests.post(
        f"{team.url}/register",
        json={"redirect_uris": ["https://x.example"], "contacts": ["x" * 12_000]},
        timeout=120,
    )
    assert register.status_code == 503
    assert register.json()["error"] == "temporarily_unavailable"
    assert register.headers["Retry-After"]
    assert "sqlite" not in register.text


def test_a_key_that_the_store_has_no_room_for_is_told(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only its user can remove it then."""
    made = Key(key=Secret("k" * 100_000), key_id=7)
    monkeypatch.setattr(sign_in, "key_for", lambda *args: made)
    team = serve()
    client, person = OAuthClient(team.url), Person(team.url)
    page = person.sign_in(person.begin(client), **form_of())
    full(team.server.store)
    answer = person.post("/consent", page, answer="allow")
    assert answer.status_code == 503
    assert (
        f"an API key named Assistants at {team.url.partition('://')[2]} that does not"
        in answer.text
    )
    assert team.server.provider.grants.grants() == []


@pytest.mark.needs_odoo
def test_a_postgresql_that_only_reads_grants_nothing_until_it_writes_again(
    users: Users, serve: Serve
) -> None:
    """As one is that stands in for another."""
    if os.environ.get("ODOO_TOOLKIT_NO_LIVE") == "1":
        pytest.skip("ODOO_TOOLKIT_NO_LIVE=1")
    with database() as address:
        name = address.partition("@/")[2].partition("?")[0]

        def only_read(word: str) -> None:
            postgres.execute(
                "postgres", f"ALTER DATABASE {name} SET default_transaction_read_only = {word}"
            )
            postgres.execute(
                "postgres",
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            )

        team = serve(store=address, secret_keys=KEYS)
        client, person = OAuthClient(team.url), Person(team.url)
        page = person.sign_in(person.begin(client), **form_of())
        only_read("on")
        answer = person.post("/consent", page, answer="allow")
        assert answer.status_code == 503
        assert "cannot do that now" in text_of(answer)
        assert users.made == []
        only_read("off")
        assert lets_in(team, client.tokens(person.answer(page)["code"]).access)


def test_a_store_that_another_process_holds_is_told_and_works_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_PATIENCE", 0.1)
    team = serve()
    client = OAuthClient(team.url)
    tokens = connected(team, client)
    other = sqlite3.connect(team.team.store, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    answer = client.refresh(tokens.refresh)
    assert answer.status_code == 503
    other.execute("ROLLBACK")
    other.close()
    assert client.refresh(tokens.refresh).status_code == 200


def test_tidying_a_store_that_is_held_does_not_end_the_server(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(databases, "_PATIENCE", 0.1)
    open_store(tmp_path / "accounts.sqlite").close()
    other = sqlite3.connect(tmp_path / "accounts.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    team = serve()
    assert requests.get(f"{team.url}/healthz", timeout=120).status_code in (200, 503)
    other.execute("ROLLBACK")
    other.close()
    assert OAuthClient(team.url).id


def test_what_is_gone_is_forgotten_and_what_holds_is_kept(serve: Serve, place: str) -> None:
    team = serve(store=place, secret_keys=KEYS)
    tokens = connected(team)
    unused = OAuthClient(team.url)
    with team.server.store.writing() as session:
        session.execute("UPDATE client SET used = ?", [now() - 3 * 86_400])
        session.execute("UPDATE activity SET happened = ?", [now() - 50 * 86_400])
    tidy(team.server.store, activity_days=40)
    assert lets_in(team, tokens.access)
    assert team.server.provider.clients.find(unused.id) is None
    assert team.server.provider.activity.latest() == []


def test_a_key_that_the_operator_ends_stays_known_until_it_is_removed(
    serve: Serve, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = serve(store=place, secret_keys=KEYS)
    grants = team.server.provider.grants
    password = {"password": password_of("ann")}
    connected(team)
    (account,) = grants.accounts()
    assert grants.left_keys(account.id) == []
    operator = operator_of(team)
    operator.post("/admin/revoke", operator.get("/admin"), account=str(account.id))
    assert [one.key_id for one in grants.left_keys(account.id)] == [account.key_id]
    person = Person(team.url)
    person.post("/me/sign-in", person.get("/me"), login="ann", **password)
    assert "Unused keys" in text_of(person.get("/me"))
    # Signing in again within the hour leaves it: a call may still be at work with it.
    connected(team)
    assert [one.key_id for one in grants.left_keys(account.id)] == [account.key_id]
    monkeypatch.setattr(sign_in, "UNUSED", 0)
    connected(team)
    left = [one.key_id for one in grants.left_keys(account.id)]
    assert account.key_id not in left
    assert "key removed" in [one.kind for one in team.server.provider.activity.latest()]


def test_many_registrations_neither_keep_new_clients_out_nor_push_out_those_in_use(
    serve: Serve, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "MOST_CLIENTS", 5)
    team = serve(store=place, secret_keys=KEYS)
    kept = team.server.provider.clients
    named = {name: OAuthClient(team.url, name=name) for name in ("left", "used", "asking", "first")}
    tokens = {name: Person(team.url).connect(named[name], **form_of()) for name in ("left", "used")}
    assert named["left"].post("/revoke", token=tokens["left"].refresh).status_code == 200
    asking = Person(team.url)
    page = asking.sign_in(asking.begin(named["asking"]), **form_of("bob"))
    code = asking.answer(page)["code"]
    for _ in range(4):
        OAuthClient(team.url, name="of an attack")
    last = OAuthClient(team.url, name="new")

    def found(*names: str) -> list[bool]:
        return [kept.find(named[name].id) is not None for name in names]

    # With whom nobody has ever signed in goes first, then who is disconnected.
    assert found("used", "asking", "left", "first") == [True, True, True, False]
    assert kept.find(last.id)
    assert named["used"].refresh(tokens["used"].refresh).status_code == 200
    assert named["asking"].tokens(code)
    monkeypatch.setattr(clients, "MOST_CLIENTS", 3)
    OAuthClient(team.url, name="another")
    assert found("used", "asking", "left", "first") == [True, True, False, False]
    # Where all are in use, a new one is told.
    monkeypatch.setattr(clients, "MOST_CLIENTS", 2)
    answer = requests.post(
        f"{team.url}/register", json={"redirect_uris": ["https://x.example"]}, timeout=120
    )
    assert answer.status_code == 400
    assert "too many clients" in answer.text
    assert found("used", "asking") == [True, True]


def test_of_very_many_registrations_few_are_in_memory_at_once(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can make 20,000, and a server that starts or renews its keys opens them all."""
    team = serve()
    OAuthClient(team.url)
    with team.server.store.writing() as session:
        session.execute(
            "INSERT INTO client (id, sealed, made, used)"
            " WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)"
            " SELECT 'many' || n, sealed, made, used FROM n, client"
        )
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    most = [0]

    class Row(sqlite3.Row):
        def __init__(self, *given: Any) -> None:
            alive.add(self)
            most[0] = max(most[0], len(alive))

    monkeypatch.setattr(sqlite3, "Row", Row)
    server = TeamServer(team.team)
    assert 0 < most[0] <= 1000
    assert server.provider.rotate_keys() == 3001
    assert most[0] <= 1000
    server.store.close()


def test_the_activity_is_found_by_its_words(serve: Serve, place: str) -> None:
    activity = serve(store=place, secret_keys=KEYS).server.provider.activity
    for number, words in enumerate(["100 % of it", "100 x of it", "a_b", "axb"]):
        activity.note("call", instance="main", account=number, body={"words": words})
    for words, found in [("100 %", [0]), ("a_b", [2]), ("of it", [1, 0]), ("\\", [])]:
        assert [one.account for one in activity.latest(words=words)] == found, words
    (last, *_) = activity.latest(kind="call", instance="main", limit=1)
    assert [one.account for one in activity.latest(before=last.id)] == [2, 1, 0]


@pytest.mark.parametrize("what", ["code", "refresh token"])
def test_of_uses_at_two_processes_at_once_one_counts_at_most(
    serve: Serve, place: str, what: str
) -> None:
    """And none is left: whoever has taken the other one is not told apart from its owner."""
    kept = {"store": place, "secret_keys": KEYS}
    here = serve(**kept)
    there = serve(public_url=here.url, **kept)
    client, person = OAuthClient(here.url), Person(here.url)
    page = person.sign_in(person.begin(client), **form_of())
    secret = person.answer(page)["code"]
    if what == "refresh token":
        secret = client.tokens(secret).refresh
    barrier = Barrier(8)

    def use(url: str) -> requests.Response:
        one = copy.copy(client)
        one.url = url
        barrier.wait()
        return one.exchange(secret) if what == "code" else one.refresh(secret)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(use, [here.url, there.url] * 4))
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) <= 1
    assert {one.json()["error"] for one in answers if one.status_code != 200} == {"invalid_grant"}
    for team in (here, there):
        assert not any(lets_in(team, one["access_token"]) for one in given)
    client.url = there.url
    for one in given:
        assert client.refresh(one["refresh_token"]).status_code == 400
    (ended, *_) = here.server.provider.grants.grants(ended=True)
    assert ended.why == f"a {what} was used twice"


def test_characters_that_no_store_takes_do_no_harm(serve: Serve, place: str) -> None:
    team = serve(store=place, secret_keys=KEYS)
    client, person = OAuthClient(team.url), Person(team.url)
    assert person.get("/authorize", **client.query(client_id="a\0b")).status_code == 400
    assert client.post("/token", grant_type="refresh_token", refresh_token="a\0").status_code == 400
    for path in ("/token", "/revoke"):
        named = {"client_id": "https://x.example/\0", "token": "a"}
        assert requests.post(f"{team.url}{path}", named, timeout=120).status_code == 401
    page = person.sign_in(person.begin(client), login="ann\0", password="x")
    assert page.status_code == 400
    named = {"client_name": "a\0b\u202e", "redirect_uris": ["https://x.example/"]}
    made = requests.post(
        f"{team.url}/register", json={**named, "token_endpoint_auth_method": "none"}, timeout=120
    )
    client.id, client.callback = made.json()["client_id"], "https://x.example/"
    person = Person(team.url)
    assert client.tokens(person.answer(person.sign_in(person.begin(client), **form_of()))["code"])


# An issuer's clients --------------------------------------------------------------------------


def kept(place: str, *logins: str) -> tuple[Grants, list[Account]]:
    grants = Grants(open_store(place), Vault(KEYS))
    accounts = [
        grants.keep_account(
            instance="main",
            uid=number,
            login=login,
            name=login,
            key=Secret("0" * 40),
            key_id=None,
            key_ends=None,
            groups=(),
        )
        for number, login in enumerate(logins, 1)
    ]
    return grants, accounts


def test_a_login_is_found_by_the_case_of_a_to_z_only(place: str) -> None:
    grants, accounts = kept(place, "Kim", "\u212aim", "jos\u00e9", "JOS\u00c9", "k_m", "%")
    for login, *expected in (
        ("KIM", 0),
        ("\u212aim", 1),
        ("Jos\u00e9", 2),
        ("jos\u00c9", 3),
        *(("k_m", 4), ("%", 5), ("k%",), ("_im",), ("",), (" kim",)),
    ):
        found = grants.accounts_with("main", str(login))
        assert found == [accounts[int(one)] for one in expected]
        assert grants.accounts_with("other", str(login)) == []


def test_a_client_of_an_issuer_is_connected_once_and_stays_disconnected(place: str) -> None:
    grants, (ann, bob) = kept(place, "ann", "bob")

    def connect() -> tuple[Grant, bool]:
        return grants.connection(
            ann, "Claude", client_name="Claude", scopes=["odoo"], resource="https://x/mcp"
        )

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: connect(), range(16)))
    assert len({grant.id for grant, _ in found}) == 1
    assert [new for _, new in found].count(True) == 1
    grant = found[0][0]
    grants.end(grant.id, "disconnected by the user")
    assert connect()[0].ended
    assert [one.id for one in grants.ended(ann.id)] == [grant.id]
    # Neither a new key nor somebody else lets it go on.
    grants.resume(ann.id)
    grants.resume(bob.id, grant_id=grant.id)
    assert connect()[0].ended
    grants.resume(ann.id, grant_id=grant.id)
    assert not connect()[0].ended
    grants.drop_key(ann.id, "Odoo refuses the key")
    assert connect()[0].ended
    grants.resume(ann.id)
    assert not connect()[0].ended
