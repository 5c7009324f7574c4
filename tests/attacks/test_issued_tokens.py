"""Attacks on a team's server by tokens: a key acts for nobody but whom the issuer vouches for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import jwt
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import RSAAlgorithm

from odoo_toolkit_mcp.accounts import odoo_users
from odoo_toolkit_mcp.accounts.issuer import folded
from odoo_toolkit_mcp.http import authentication
from tests.mcp.issuer import Issuer
from tests.team.conftest import Serve, serve, users
from tests.team.harness import Person, RunningTeam, call, hidden, text_of
from tests.team.issuing import asked, issuer, key_given, table, token_of, why
from tests.team.people import NOWHERE, Users, key_of, password_of

__all__ = ["issuer", "serve", "users"]

ANN = "ann@example.com"

#: Two databases with users of the same logins.
TWO = {"main": dict(NOWHERE), "test": {**NOWHERE, "title": "Test", "database": "test"}}


@pytest.fixture
def team(serve: Serve, issuer: Issuer) -> RunningTeam:
    """A team of one database, where Ann's key is kept."""
    team = serve(issuer=table(issuer))
    key_given(team, ANN)
    return team


def lets_in(team: RunningTeam, token: str, path: str = "/mcp") -> bool:
    """Whether a token is answered with anything but a refusal."""
    status = asked(team, token, path).status_code
    assert status in (200, 401, 403)
    return status == 200


# Tokens that are not the issuer's, or not for here and now ------------------------------------


def unsigned(claims: dict[str, Any], **header: Any) -> str:
    """Return a token that nobody has signed."""
    parts = [{"alg": "none", "typ": "JWT", **header}, claims]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts]
    return b".".join([*encoded, b""]).decode()


def claims_of(token: str) -> dict[str, Any]:
    found: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return found


def test_the_right_token_lets_in(team: RunningTeam, issuer: Issuer) -> None:
    """What all others differ from in one thing."""
    assert lets_in(team, token_of(issuer, team, ANN))


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", "", "HS256", "RS256"])
def test_a_token_without_a_signature_is_none(team: RunningTeam, issuer: Issuer, name: str) -> None:
    claims = claims_of(token_of(issuer, team, ANN))
    for header in ({}, {"kid": "one"}, {"kid": None}):
        token = unsigned(claims, **{"alg": name, **header})
        assert asked(team, token).status_code == 401
        assert asked(team, token.rstrip(".")).status_code == 401


@pytest.mark.parametrize("part", ["[" * 20_000, "{" * 20_000, '{"kid":[]}', "\x00", "1", '"a"'])
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_no_token_is_refused_without_an_accident(
    team: RunningTeam, issuer: Issuer, part: str, place: int, caplog: pytest.LogCaptureFixture
) -> None:
    parts = token_of(issuer, team, ANN).split(".")
    parts[place] = base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
    assert asked(team, ".".join(parts)).status_code == 401
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


@pytest.mark.parametrize("path", ["/me/allow-again", "/me/disconnect", "/me/remove-key"])
def test_no_form_of_another_site_is_taken(team: RunningTeam, issuer: Issuer, path: str) -> None:
    assert lets_in(team, token_of(issuer, team, ANN))
    home = key_given(team, ANN)
    (connection,) = team.server.provider.grants.grants()
    if path == "/me/allow-again":
        home.post("/me/disconnect", home.get("/me"), connection=str(connection.id))
    before = team.server.provider.grants.grants()
    own, foreign = (hidden(one.get("/me").text)["csrf"] for one in (home, Person(team.url)))
    for origin, proof in (("https://evil.example.com", own), (team.url, foreign), (None, own)):
        headers = {"Origin": origin} if origin else {}
        form = {"csrf": proof, "connection": str(connection.id)}
        refused = home.browser.post(team.url + path, form, headers=headers, timeout=120)
        assert refused.status_code == 403
    assert home.get(path, csrf=own, connection=str(connection.id)).status_code == 405
    assert team.server.provider.grants.grants() == before


@pytest.mark.parametrize("algorithm", ["HS256", "HS384", "HS512"])
def test_the_public_key_is_no_shared_secret(
    team: RunningTeam, issuer: Issuer, algorithm: str
) -> None:
    public = issuer.key.public_key()
    encodings, formats = serialization.Encoding, serialization.PublicFormat
    secrets = [
        public.public_bytes(encodings.PEM, formats.SubjectPublicKeyInfo),
        public.public_bytes(encodings.PEM, formats.PKCS1),
        public.public_bytes(encodings.DER, formats.SubjectPublicKeyInfo),
        json.dumps(issuer.keys[0]).encode(),
        issuer.keys[0]["n"].encode(),
        b"",
    ]
    claims = claims_of(token_of(issuer, team, ANN))
    head, body, _ = unsigned(claims, alg=algorithm, kid="one").split(".")
    digest = getattr(hashlib, f"sha{algorithm[2:]}")
    for secret in secrets:
        mac = hmac.new(secret, f"{head}.{body}".encode(), digest).digest()
        token = f"{head}.{body}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"
        assert asked(team, token).status_code == 401


def test_a_key_that_a_token_brings_along_is_not_used(team: RunningTeam, issuer: Issuer) -> None:
    own = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = {**RSAAlgorithm.to_jwk(own.public_key(), as_dict=True), "kid": "one"}
    claims = claims_of(token_of(issuer, team, ANN))
    for header in (
        {"kid": "one", "jwk": public},
        {"jwk": public},
        {"kid": "one", "jku": f"{issuer.url}/evil"},
        {"kid": "one", "x5u": f"{issuer.url}/evil"},
        {"kid": "../../one"},
        {"kid": "one\0"},
        {"kid": ["one"]},
    ):
        try:
            token = jwt.encode(claims, own, algorithm="RS256", headers=header)
        except jwt.InvalidTokenError:
            head, body, rest = jwt.encode(claims, own, algorithm="RS256").split(".")
            head = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", **header}).encode())
            token = f"{head.decode().rstrip('=')}.{body}.{rest}"
        assert asked(team, token).status_code == 401


def test_a_signature_of_other_claims_is_none(team: RunningTeam, issuer: Issuer) -> None:
    key_given(team, "eve@example.com")
    head, _, signature = token_of(issuer, team, "eve@example.com").split(".")
    _, body, _ = token_of(issuer, team, ANN).split(".")
    assert asked(team, f"{head}.{body}.{signature}").status_code == 401
    curve = ec.generate_private_key(ec.SECP256R1())
    token = issuer.token(
        key=curve, alg="ES256", email=ANN, email_verified=True, aud=f"{team.url}/mcp"
    )
    assert asked(team, token).status_code == 401


def test_another_issuer_vouches_for_nobody(team: RunningTeam, issuer: Issuer) -> None:
    """Neither with keys of its own, nor where it signs with the same keys."""
    other = Issuer()
    try:
        assert asked(team, token_of(other, team, ANN)).status_code == 401
        assert asked(team, token_of(other, team, ANN, iss=issuer.url)).status_code == 401
    finally:
        other.stop()
    for name in (
        *(issuer.url + "/", issuer.url.upper(), f"{issuer.url}/other", f" {issuer.url}"),
        *("https://login.example.com", "", None, [issuer.url], {"url": issuer.url}),
    ):
        assert asked(team, token_of(issuer, team, ANN, iss=name)).status_code == 401


@pytest.mark.parametrize(
    "claims",
    [
        *(
            {"aud": audience}
            for audience in (
                *("https://other.example.com/mcp", "{url}", "{url}/", "{url}/mcp/main"),
                *("{url}/mcp/test", "{url}/MCP", "{url}/mcp?x=1", "{url}/mc", "*", "", "Claude"),
                *(None, [], [["x"]], {"https://mcp.example.com/mcp": True}),
            )
        ),
        # Seconds from now.
        *({"exp": ends} for ends in (-60, None, "text")),
        *({name: 86_400} for name in ("nbf", "iat")),
        {"kid": "unknown"},
    ],
    ids=str,
)
def test_a_token_for_somebody_else_or_another_time_is_of_no_use(
    team: RunningTeam, issuer: Issuer, claims: dict[str, Any]
) -> None:
    def meant(value: Any) -> Any:
        if isinstance(value, int):
            return int(time.time()) + value
        return value.format(url=team.url) if isinstance(value, str) else value

    claims = {name: meant(value) for name, value in claims.items()}
    assert asked(team, token_of(issuer, team, ANN, **claims)).status_code == 401


def test_a_token_counts_where_tokens_belong_only(team: RunningTeam, issuer: Issuer) -> None:
    """In one header, and not in an address, a form or a cookie; nor does a page take one."""
    token = token_of(issuer, team, ANN)
    address = f"{team.url}/mcp"
    assert requests.post(address, params={"access_token": token}, timeout=120).status_code == 401
    assert requests.post(address, {"access_token": token}, timeout=120).status_code == 401
    assert requests.post(address, cookies={"omcp-me": token}, timeout=120).status_code == 401
    for path in ("/me", "/admin", "/admin/activity"):
        page = requests.get(
            team.url + path,
            headers={"Authorization": f"Bearer {token}"},
            cookies={"omcp-me": token, "omcp-admin": token},
            timeout=120,
        )
        assert ANN not in page.text


# Claims that name nobody for certain ------------------------------------------------------------


@pytest.mark.parametrize("verified", [None, False, "true", "false", 1, [True], {"value": True}])
def test_an_address_that_is_not_verified_names_nobody(
    team: RunningTeam, issuer: Issuer, verified: Any
) -> None:
    told = why(asked(team, token_of(issuer, team, ANN, email_verified=verified)))
    assert "your e-mail address is verified" in told


@pytest.mark.parametrize(
    "claim",
    [
        *(None, "", " ", 7, True, [ANN], [], {"value": ANN}, {ANN: True}, "a" * 201),
        *(f"{ANN}\n", f"{ANN}\0", f"\u202e{ANN}", f"\u200b{ANN}", f"{ANN}\u00a0"),
    ],
    ids=repr,
)
def test_a_claim_that_is_no_login_names_nobody(
    team: RunningTeam, issuer: Issuer, claim: Any
) -> None:
    told = why(asked(team, token_of(issuer, team, claim)))
    assert "token" in told


@pytest.mark.parametrize(
    "login",
    [
        # Wildcards of a database.
        *("%", "_", "ann%", "%@example.com", "ann_example.com", "___@example.com", "a\\nn", "*"),
        *("ann@example.co_", "ann@example.com%", "[a]nn@example.com", ".*"),
        # Spaces, and other addresses that some take for the same.
        *(f" {ANN}", f"{ANN} ", "ann @example.com", "ann+odoo@example.com", "a.nn@example.com"),
        *(f"<{ANN}>", f"Ann <{ANN}>", f"{ANN},eve@example.com", f"mailto:{ANN}", f"{ANN}."),
        # Letters that look alike, are of another width, or whose lower case is one of ours.
        *("\u0430nn@example.com", "ann@ex\u0430mple.com", "\uff41nn@example.com"),
        *("a\u0307nn@example.com", "\u00e4nn@example.com", "ann\uff20example.com"),
        # Words of SQL and of the page.
        *("' OR '1'='1", f"{ANN}' --", "<b>ann</b>", "{{ 7*7 }}"),
    ],
)
def test_what_only_looks_like_a_login_is_another(
    team: RunningTeam, issuer: Issuer, login: str
) -> None:
    assert "no API key" in why(asked(team, token_of(issuer, team, login)))


def test_the_case_of_a_login_makes_no_difference(team: RunningTeam, issuer: Issuer) -> None:
    assert lets_in(team, token_of(issuer, team, "Ann@EXAMPLE.com"))


@pytest.mark.parametrize(
    ("login", "claim"),
    [
        ("kim@example.com", "\u212aim@example.com"),
        ("\u212aim@example.com", "kim@example.com"),
        ("iris@example.com", "\u0130ris@example.com"),
        ("sam@example.com", "\u017fam@example.com"),
        ("strasse@example.com", "stra\u00dfe@example.com"),
        ("jos\u00e9@example.com", "JOS\u00c9@example.com"),
        ("jos\u00e9@example.com", "jose\u0301@example.com"),
    ],
)
def test_letters_whose_case_is_another_letter_are_another(
    team: RunningTeam, issuer: Issuer, login: str, claim: str
) -> None:
    key_given(team, login)
    assert lets_in(team, token_of(issuer, team, login))
    assert "no API key" in why(asked(team, token_of(issuer, team, claim)))
    # Whatever a database takes for the same letter.
    assert folded(login) != folded(claim)


# Whose key it is --------------------------------------------------------------------------------


def test_two_users_whose_logins_differ_in_case_are_nobody(
    team: RunningTeam, issuer: Issuer, users: Users
) -> None:
    """The second gets no key kept; nor is the first one's used once it is known."""
    users.shared.add("ANN@example.com")
    person = Person(team.url)
    form = {"login": "ANN@example.com", "password": password_of("ANN@example.com")}
    answer = person.post("/me/sign-in", person.get("/me"), **form)
    assert answer.status_code == 409
    assert "only in upper and lower case" in text_of(answer)
    assert [one.login for one in team.server.provider.grants.accounts()] == [ANN]


def test_two_users_who_were_known_before_are_nobody(team: RunningTeam, issuer: Issuer) -> None:
    key_given(team, "ANN@example.com")
    for login in (ANN, "ANN@example.com", "Ann@example.com"):
        assert "Several users of" in why(asked(team, token_of(issuer, team, login)))


def test_a_second_user_who_comes_later_is_noticed(
    team: RunningTeam, issuer: Issuer, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = token_of(issuer, team, ANN)
    assert lets_in(team, token)
    users.shared.add(ANN)
    moment = odoo_users.now()
    monkeypatch.setattr(odoo_users, "now", lambda: moment + 601)
    assert "no API key" in why(asked(team, token))
    (account,) = team.server.provider.grants.accounts()
    assert account.key is None
    # Until one of the two has another login.
    users.shared.clear()
    key_given(team, ANN)
    assert lets_in(team, token)


def test_a_key_of_one_database_is_not_used_at_another(serve: Serve, issuer: Issuer) -> None:
    team = serve(TWO, issuer=table(issuer))
    key_given(team, ANN, "main")
    assert lets_in(team, token_of(issuer, team, ANN, "/mcp/main"), "/mcp/main")
    assert "for Test" in why(asked(team, token_of(issuer, team, ANN, "/mcp/test"), "/mcp/test"))
    # Nor does a token go from one address to the other.
    key_given(team, ANN, "test")
    for at, meant in (("/mcp/test", "/mcp/main"), ("/mcp/main", "/mcp/test")):
        assert asked(team, token_of(issuer, team, ANN, meant), at).status_code == 401
        assert asked(team, token_of(issuer, team, ANN, "/mcp"), at).status_code == 401
    # No database is chosen for anybody.
    assert asked(team, token_of(issuer, team, ANN, "/mcp"), "/mcp").status_code == 404


def test_a_key_of_an_archived_user_is_not_used(
    team: RunningTeam, issuer: Issuer, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.archived.add(ANN)
    moment = odoo_users.now()
    monkeypatch.setattr(odoo_users, "now", lambda: moment + 601)
    assert not lets_in(team, token_of(issuer, team, ANN))
    person = Person(team.url)
    for form in ({"password": password_of(ANN)}, {"key": key_of(ANN)}):
        answer = person.post("/me/sign-in", person.get("/me"), login=ANN, **form)
        assert answer.status_code == 400


def test_a_key_that_was_taken_back_is_not_used(team: RunningTeam, issuer: Issuer) -> None:
    (account,) = team.server.provider.grants.accounts()
    team.server.provider.grants.drop_key(account.id, "revoked by the operator")
    assert "no API key" in why(asked(team, token_of(issuer, team, ANN)))


def test_a_person_keeps_no_key_of_anothers(team: RunningTeam, issuer: Issuer) -> None:
    """A key is kept for the user whom Odoo says it belongs to, whatever login is typed."""
    eve = Person(team.url)
    for form in (
        {"login": ANN, "key": key_of("eve@example.com")},
        {"login": ANN, "password": password_of("eve@example.com")},
    ):
        assert eve.post("/me/sign-in", eve.get("/me"), **form).status_code == 400
    (account,) = team.server.provider.grants.accounts()
    assert account.key.reveal() == key_of(ANN)


def test_no_header_or_argument_names_another_user(team: RunningTeam, issuer: Issuer) -> None:
    key_given(team, "eve@example.com")
    headers = {
        "X-Odoo-Username": "eve@example.com",
        "X-Odoo-Api-Key": key_of("eve@example.com"),
        "X-Forwarded-User": "eve@example.com",
    }
    token = token_of(issuer, team, ANN, sub="eve@example.com", preferred_username="eve")
    call(team.url, token, "odoo_core_get_user", {"login": "eve@example.com"}, **headers)
    assert {one.account.login for one in team.server.provider.grants.grants()} == {ANN}


def test_the_servers_own_user_acts_for_nobody(serve: Serve, issuer: Issuer) -> None:
    team = serve(issuer=table(issuer))
    for login in ("server", ANN, "admin"):
        assert "no API key" in why(asked(team, token_of(issuer, team, login)))
    assert team.server.members.servers == {}


# What is said -----------------------------------------------------------------------------------


def test_no_token_or_key_is_in_an_answer_or_the_log(
    team: RunningTeam, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    tokens = [
        token_of(issuer, team, ANN),
        token_of(issuer, team, "nobody"),
        token_of(issuer, team, ANN, email_verified=False),
        token_of(issuer, team, ANN, exp=int(time.time()) - 60),
    ]
    answers = [asked(team, token).text for token in tokens]
    told = caplog.text + "".join(answers)
    for secret in (*tokens, key_of(ANN)):
        assert secret not in told


def test_a_name_of_a_program_is_text_in_one_line(team: RunningTeam, issuer: Issuer) -> None:
    name = "<script>alert(1)</script>\n\u202eevil" + "x" * 500
    assert lets_in(team, token_of(issuer, team, ANN, client_id=name))
    page = key_given(team, ANN).get("/me").text
    assert "<script>" not in page
    assert "\u202e" not in page
    assert "x" * 200 not in page


# Tokens that are for something else, and keys that are --------------------------------------------


@pytest.mark.parametrize(
    ("typ", "claims", "taken"),
    [
        ("at+jwt", {}, True),
        *((f"{kind}+jwt", {}, False) for kind in ("logout", "secevent", "dpop", "application/x")),
        ("oauth-authz-req+jwt", {}, False),
        *(
            ("JWT", {name: {"jkt": "0"}}, False)
            for name in ("cnf", "at_hash", "c_hash", "s_hash", "events")
        ),
        # An id token need not have a hash; Keycloak and Cognito say what a token is in a claim.
        ("JWT", {"nonce": "n"}, False),
        *(("JWT", {"typ": kind}, False) for kind in ("ID", "Refresh", "Offline", "Logout")),
        ("JWT", {"token_use": "id"}, False),
        ("at+jwt", {"nonce": "n"}, True),
        ("JWT", {"nonce": "n", "typ": "Bearer"}, True),
        ("JWT", {"nonce": "n", "token_use": "access"}, True),
    ],
    ids=str,
)
def test_a_token_that_is_bound_or_of_another_type_is_refused(
    team: RunningTeam, issuer: Issuer, typ: str, claims: dict[str, Any], taken: bool
) -> None:
    assert lets_in(team, token_of(issuer, team, ANN, typ=typ, also=claims)) == taken


@pytest.mark.parametrize(
    ("bits", "described", "counts"),
    [
        (2048, {"use": "sig"}, 1),
        (2048, {"key_ops": ["verify"]}, 1),
        (2048, {"use": "enc"}, 0),
        (2048, {"key_ops": ["encrypt", "wrapKey"]}, 0),
        (1024, {}, 0),
    ],
    ids=str,
)
def test_keys_that_are_short_or_for_encryption_do_not_count(
    bits: int, described: dict[str, Any], counts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = rsa.generate_private_key(65537, bits).public_key()
    of_key = RSAAlgorithm.to_jwk(key, as_dict=True)
    described = {**of_key, "key_ops": None, "kid": "one", **described}
    described = {name: value for name, value in described.items() if value is not None}
    long = rsa.generate_private_key(65537, 2048).public_key()
    other = {**RSAAlgorithm.to_jwk(long, as_dict=True), "kid": "other"}
    monkeypatch.setattr(authentication, "_document", lambda url: {"keys": [other, described]})
    assert len(authentication.SigningKeys("https://login.example.com/keys").read()) == 1 + counts
