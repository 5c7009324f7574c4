"""Who may use a server over HTTP, and as which Odoo user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from odoo_toolkit.configuration import Secret, load
from odoo_toolkit.errors import RateLimitError
from odoo_toolkit_mcp import callers, rate_limit
from odoo_toolkit_mcp.callers import ConnectionPool, Credentials, credentials_of
from odoo_toolkit_mcp.connection import Connection
from odoo_toolkit_mcp.http.authentication import IssuedTokens, SigningKeys
from odoo_toolkit_mcp.settings import API_KEY_HEADER, USERNAME_HEADER, ServerSettings
from tests.kit.mcp import HANDSHAKE
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import LOGIN, PASSWORD, FakeOdoo
from tests.mcp.http_server import RunningServer
from tests.mcp.issuer import AUDIENCE, Issuer

pytestmark = pytest.mark.every_era

TOKEN = "a-token-of-sufficient-length"
COUNT = ("odoo_core_count", {"model": "res.partner"})


def test_shared_token_lets_in(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http", auth_token=TOKEN)) as served:
        result = served.call(era, *COUNT, Authorization=f"Bearer {TOKEN}")

    assert result["structuredContent"]["count"] == 3


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer t\xf6ken"],
)
def test_wrong_token_is_refused(make_server: MakeServer, era: str, header: str) -> None:
    """The answer shows neither token, and nothing reaches Odoo."""
    with RunningServer(make_server(transport="http", auth_token=TOKEN)) as served:
        answer = served.post(era, "tools/list", Authorization=header)

    assert answer.status == 401
    assert TOKEN not in answer.text + str(answer.headers)
    assert "bearer" in str(answer.headers).lower()


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.stop()


@pytest.fixture
def guarded(make_server: MakeServer, issuer: Issuer) -> Iterator[RunningServer]:
    with RunningServer(make_server(**issuer.settings())) as served:
        yield served


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"kid": None},
        {"aud": ["https://other.example.com", AUDIENCE]},
        {"aud": AUDIENCE + "/"},
        {"scope": None, "scp": ["odoo"]},
    ],
)
def test_token_of_the_issuer_lets_in(
    issuer: Issuer, guarded: RunningServer, era: str, claims: dict[str, Any]
) -> None:
    result = guarded.call(era, *COUNT, Authorization=f"Bearer {issuer.token(**claims)}")

    assert result["structuredContent"]["count"] == 3


@pytest.mark.parametrize(
    "claims",
    [{"exp": 1}, {"aud": "https://other.example.com/mcp"}, {"iss": None}, {"kid": "unknown"}],
    ids=" ".join,
)
def test_token_that_is_not_for_here_and_now_is_refused(
    issuer: Issuer, guarded: RunningServer, era: str, claims: dict[str, Any]
) -> None:
    """The answer tells where a right one can be had; tests/attacks has many more."""
    token = issuer.token(**claims)
    answer = guarded.post(era, "tools/list", Authorization=f"Bearer {token}")
    headers = {name.lower(): value for name, value in answer.headers.items()}

    assert answer.status == 401
    assert token not in answer.text
    assert (
        'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
        in headers["www-authenticate"]
    )


def test_token_without_the_scope_is_not_enough(
    issuer: Issuer, guarded: RunningServer, era: str
) -> None:
    token = issuer.token(scope="other")

    assert guarded.post(era, "tools/list", Authorization=f"Bearer {token}").status == 403


def test_metadata_say_where_tokens_come_from(issuer: Issuer, guarded: RunningServer) -> None:
    answer = guarded.get("/.well-known/oauth-protected-resource/mcp")
    metadata = json.loads(answer.text)

    assert metadata["resource"] == AUDIENCE
    assert metadata["authorization_servers"] == [f"{issuer.url}/"]
    assert metadata["scopes_supported"] == ["odoo"]


@pytest.mark.anyio
async def test_keys_are_fetched_seldom() -> None:
    """Not for each token, nor for each unknown key; again when a new key appears, or after long."""
    issuer, now = Issuer(), [1000.0]
    tokens = IssuedTokens(issuer.url, AUDIENCE, SigningKeys(f"{issuer.url}/jwks", lambda: now[0]))
    try:
        for _ in range(3):
            assert await tokens.verify_token(issuer.token())
            assert await tokens.verify_token(issuer.token(kid="two")) is None
        assert issuer.fetches == 1

        curve = ec.generate_private_key(ec.SECP256R1())
        public = ECAlgorithm.to_jwk(curve.public_key(), as_dict=True)
        issuer.keys = [{**public, "kid": "two", "alg": "ES256"}]
        now[0] += 31
        assert await tokens.verify_token(issuer.token(kid="two", key=curve, alg="ES256"))
        assert await tokens.verify_token(issuer.token()) is None
        assert issuer.fetches == 2

        issuer.keys = []
        now[0] += 601
        # An issuer that has no keys, or is down, has withdrawn none.
        assert await tokens.verify_token(issuer.token(kid="two", key=curve, alg="ES256"))
        assert issuer.fetches == 3
    finally:
        issuer.stop()


@pytest.mark.anyio
async def test_issuer_that_cannot_be_reached_lets_nobody_in() -> None:
    issuer = Issuer()
    issuer.stop()
    tokens = IssuedTokens(issuer.url, AUDIENCE, SigningKeys(f"{issuer.url}/jwks"))

    assert await tokens.verify_token(issuer.token()) is None
    assert await tokens.verify_token("no.token") is None


def test_audit_and_rate_limit_go_by_the_subject(
    issuer: Issuer, make_server: MakeServer, era: str, tmp_path: Path
) -> None:
    audit = tmp_path / "audit.jsonl"
    limits = {"rate_limit": True, "rate_limit_burst": 1, "rate_limit_rpm": 1}
    auditing = {"audit": True, "audit_reads": True, "audit_file": str(audit)}
    with RunningServer(make_server(**issuer.settings(), **limits, **auditing)) as served:
        results = [
            served.call(era, *COUNT, Authorization=f"Bearer {issuer.token(sub=subject)}")
            for subject in ("ann", "ann", "bob")
        ]
    lines = [json.loads(line) for line in audit.read_text("utf-8").splitlines()]

    assert [result.get("isError", False) for result in results] == [False, True, False]
    assert [line["client"] for line in lines] == ["ann", "bob"]


def test_clients_that_are_too_many_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has not called for the longest time goes; the others stay limited."""
    monkeypatch.setattr(rate_limit, "MAX_CLIENTS", 2)
    settings = ServerSettings(rate_limit=True, rate_limit_burst=1, rate_limit_rpm=1)
    limits = rate_limit.ClientRateLimits(settings, lambda: 0.0)
    for client in ("ann", "bob", "eve"):
        limits.check(client, "read")
    with pytest.raises(RateLimitError):
        limits.check("eve", "read")
    with pytest.raises(RateLimitError):
        limits.check("bob", "read")
    limits.check("ann", "read")


def test_token_settings_that_do_not_fit_together_are_refused(issuer: Issuer) -> None:
    def problems(**changes: Any) -> str:
        return " ".join(load(ServerSettings, {**issuer.settings(), **changes}, environ={})[1])

    assert problems() == ""
    assert "ODOO_MCP_AUTH_AUDIENCE" in problems(auth_audience=None)
    assert "ODOO_MCP_AUTH_ISSUER" in problems(auth_issuer=None)
    assert "only one of" in problems(auth_token=TOKEN)


# As which Odoo user.


@pytest.fixture
def by_user(make_server: MakeServer) -> Iterator[RunningServer]:
    with RunningServer(make_server(transport="http", credential_headers=True)) as served:
        yield served


def test_request_acts_for_its_own_user(odoo: FakeOdoo, by_user: RunningServer, era: str) -> None:
    """Right credentials are logged in once; wrong ones are refused, and not let others in."""
    right = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": PASSWORD}
    wrong = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": "wrong"}
    results = [by_user.call(era, *COUNT, **headers) for headers in (right, wrong, right, wrong)]

    assert [result.get("isError", False) for result in results] == [False, True, False, True]
    assert results[1]["structuredContent"]["code"] == "ACCESS_DENIED"
    assert "wrong" not in json.dumps(results[1])
    assert odoo.logins == 3


@pytest.mark.parametrize("headers", [{}, {"X_Odoo_Username": LOGIN}, {"X_Odoo_Api_Key": " "}])
def test_request_without_a_user_does_not_act_for_the_servers(
    odoo: FakeOdoo, by_user: RunningServer, era: str, headers: dict[str, str]
) -> None:
    result = by_user.call(era, *COUNT, **headers)

    assert result["isError"]
    assert result["structuredContent"]["code"] == "ACCESS_DENIED"
    assert "X-Odoo-Api-Key" in result["structuredContent"]["suggestion"]
    assert odoo.calls == []


def test_names_of_users_are_utf8() -> None:
    """As they arrive: HTTP takes the bytes of a header for Latin-1."""
    name = "jürgen@example.com"
    given = {USERNAME_HEADER: name.encode().decode("latin-1"), API_KEY_HEADER: "\xe4"}

    assert credentials_of(given) == Credentials(name, Secret("\xe4"))


def test_headers_are_ignored_unless_enabled(make_server: MakeServer, era: str) -> None:
    with RunningServer(make_server(transport="http")) as served:
        result = served.call(era, *COUNT, X_Odoo_Username="x", X_Odoo_Api_Key="wrong")

    assert result["structuredContent"]["count"] == 3


def test_connections_that_are_too_many_or_unused_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(callers, "MAX_CONNECTIONS", 2)
    now = [0.0]
    pool = ConnectionPool(lambda who: Connection(lambda: None), lambda: now[0])
    ann, bob, eve = (Credentials(name, Secret("key")) for name in ("ann", "bob", "eve"))
    first = pool.get(ann)
    second = pool.get(bob)
    assert pool.get(ann) is first
    assert pool.evict() == []
    third = pool.get(eve)
    assert pool.evict() == [second]
    now[0] += callers.IDLE_TIME + 1
    assert pool.get(eve) is third
    assert pool.evict() == [first]


def test_wrong_credentials_do_not_push_out_right_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has just come is kept in any case: a full pool must not log it in at each call."""
    monkeypatch.setattr(callers, "MAX_CONNECTIONS", 2)
    monkeypatch.setattr(Connection, "established", property(lambda self: self in right))
    pool = ConnectionPool(lambda who: Connection(lambda: None))
    first = pool.get(Credentials("ann", Secret("key")))
    right = [first]
    guesses = [pool.get(Credentials("ann", Secret(f"guess {n}"))) for n in (1, 2)]

    assert pool.evict() == [guesses[0]]
    right.append(guesses[1])
    newcomer = pool.get(Credentials("bob", Secret("key")))
    assert pool.evict() == [first]
    assert pool.get(Credentials("bob", Secret("key"))) is newcomer


def test_a_session_belongs_to_the_user_who_began_it(make_server: MakeServer) -> None:
    """Whoever knows its id neither acts in it nor hears it nor ends it."""
    settings: dict[str, Any] = {"credential_headers": True, "stateless": False}
    ann = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": PASSWORD}
    others = {
        "another": {"X_Odoo_Username": "bob", "X_Odoo_Api_Key": PASSWORD},
        "another key": {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": "other"},
        "nobody": {},
    }
    with RunningServer(make_server(transport="http", **settings)) as served:
        began = served.post("legacy", "initialize", HANDSHAKE, **ann)
        of_session = {
            "Mcp_Session_Id": {name.lower(): v for name, v in began.headers.items()}[
                "mcp-session-id"
            ]
        }
        mine = served.post("legacy", "tools/list", **of_session, **ann)
        theirs = {
            name: [
                served.post("legacy", "tools/list", **of_session, **headers).status,
                served.get("/mcp", Accept="text/event-stream", **of_session, **headers).status,
            ]
            for name, headers in others.items()
        }
        still = served.post("legacy", "ping", **of_session, **ann)

    assert (mine.status, still.status) == (200, 200)
    assert theirs == {name: [404, 404] for name in others}


def test_health_tells_of_the_users_connections(odoo: FakeOdoo, by_user: RunningServer) -> None:
    """The server's own is not used; wrong credentials say nothing of Odoo."""
    right = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": PASSWORD}
    wrong = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": "wrong"}

    def health() -> str:
        return str(json.loads(by_user.get("/healthz").text)["odoo"])

    told = [health()]
    for headers in (wrong, right, wrong):
        by_user.call("auto", *COUNT, **headers)
        told.append(health())
    odoo.stop()
    by_user.call("auto", *COUNT, **right)
    told.append(health())
    odoo.start()
    by_user.call("auto", *COUNT, **right)
    told.append(health())

    no, yes = "not connected", "connected"
    assert told == [no, no, yes, yes, no, yes]
