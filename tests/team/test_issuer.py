"""A team's server whose people are signed in by an issuer of somebody else's."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
import requests
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from odoo_toolkit import ConfigurationError
from odoo_toolkit_mcp.accounts import provider
from odoo_toolkit_mcp.accounts.command import FAILED, WRONG_SETTINGS, main
from odoo_toolkit_mcp.accounts.team import team_of
from tests.mcp.issuer import Issuer
from tests.team.conftest import Serve
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    connected,
    form_of,
    operator_of,
    text_of,
)
from tests.team.issuing import asked, key_given, table, token_of, why
from tests.team.people import NOWHERE, Users, key_of

PUBLIC = "https://mcp.example.com"

#: Two databases, neither of which is there.
TWO = {"main": dict(NOWHERE), "test": {**NOWHERE, "title": "Test", "database": "test"}}


@pytest.fixture
def team(serve: Serve, issuer: Issuer) -> RunningTeam:
    """A team of one database, whose people are made up."""
    return serve(issuer=table(issuer))


# Where clients get tokens ------------------------------------------------------------------------


def test_a_client_is_sent_to_the_issuer(team: RunningTeam, issuer: Issuer) -> None:
    refused = asked(team, "nonsense")
    assert refused.status_code == 401
    where = re.search(r'resource_metadata="([^"]+)"', refused.headers["WWW-Authenticate"])
    assert where
    protected = requests.get(where[1], timeout=120).json()
    assert protected["resource"] == f"{team.url}/mcp"
    assert protected["authorization_servers"] == [issuer.url]
    assert protected["scopes_supported"] == ["odoo"]


@pytest.mark.parametrize(
    "path",
    [
        *("/authorize", "/token", "/register", "/revoke", "/sign-in", "/consent"),
        "/.well-known/oauth-authorization-server",
    ],
)
def test_nobody_gets_a_token_here(team: RunningTeam, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        assert requests.request(method, team.url + path, timeout=120).status_code == 404


def test_a_token_that_was_given_out_here_before_opens_nothing(
    serve: Serve, issuer: Issuer, tmp_path: Path
) -> None:
    with RunningTeam(tmp_path / "a", {"main": dict(NOWHERE)}) as before:
        port = before.port
        client = OAuthClient(before.url)
        tokens = connected(before, client)
        assert asked(before, tokens.access).status_code == 200
    with RunningTeam(tmp_path / "a", {"main": dict(NOWHERE)}, port, issuer=table(issuer)) as now:
        assert asked(now, tokens.access).status_code == 401
        # The key that was kept then serves on.
        assert asked(now, token_of(issuer, now)).status_code == 200
        # Also for a client of the same id; what it was granted here is not what it has now.
        token = token_of(issuer, now, client_id=client.id)
        assert asked(now, token).status_code == 200
        for grant in now.server.provider.grants.grants():
            now.server.provider.grants.end(grant.id, "revoked by the operator")
        now.server.provider.grants.resume(grant.account.id, grant_id=grant.id)
        person = key_given(now)
        assert "Allow Claude again" in person.get("/me").text
        assert "Allow Test client again" not in person.get("/me").text
    with RunningTeam(tmp_path / "a", {"main": dict(NOWHERE)}, port) as again:
        assert asked(again, tokens.access).status_code == 401


def test_the_keys_of_the_issuer_are_where_the_file_says(serve: Serve, issuer: Issuer) -> None:
    team = serve(issuer=table(issuer, jwks_url="http://127.0.0.1:9/jwks"))
    assert asked(team, token_of(issuer, team)).status_code == 401


@pytest.mark.parametrize(
    ("path", "told", "status"),
    [
        ("/.well-known/oauth-authorization-server", {}, 403),
        ("/.well-known/openid-configuration", {"issuer": "https://other.example.com"}, 401),
        ("/.well-known/openid-configuration", {"issuer": None}, 401),
        ("/.well-known/openid-configuration", {"jwks_uri": "file:///etc/passwd"}, 401),
        ("/.well-known/openid-configuration", {"jwks_uri": None}, 401),
    ],
)
def test_metadata_of_the_issuer_lead_to_its_keys_only_if_they_are_its_own(
    serve: Serve, path: str, told: dict[str, Any], status: int
) -> None:
    issuer = Issuer()
    (right,) = issuer.metadata.values()
    issuer.metadata = {path: {**right, **told}}
    team = serve(issuer=table(issuer))
    assert asked(team, token_of(issuer, team)).status_code == status
    issuer.stop()


# The key -----------------------------------------------------------------------------------------


def test_whose_key_is_missing_is_told_where_to_go_and_acts_once_it_is_there(
    team: RunningTeam, issuer: Issuer, users: Users
) -> None:
    token = token_of(issuer, team)
    answer = asked(team, token)
    told = why(answer)
    assert "no API key of ann for Main" in told
    assert f"{team.url}/me" in told
    assert json.loads(answer.text)["jsonrpc"] == "2.0"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "WWW-Authenticate" not in answer.headers
    person = key_given(team)
    assert users.made == ["ann"]
    assert asked(team, token).status_code == 200
    assert "Claude" in text_of(person.get("/me"))


def test_a_key_of_ones_own_serves_as_well(team: RunningTeam, issuer: Issuer, users: Users) -> None:
    key_given(team, key=key_of("ann"))
    assert users.made == []
    (account,) = team.server.provider.grants.accounts()
    assert account.key.reveal() == key_of("ann")
    assert asked(team, token_of(issuer, team)).status_code == 200


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_person_reads_it_in_the_program(
    team: RunningTeam, issuer: Issuer, era: str
) -> None:
    headers = {"Authorization": f"Bearer {token_of(issuer, team)}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{team.url}/mcp", http_client=http)
        with pytest.raises(BaseException) as raised:  # noqa: PT011
            async with Client(transport, mode=era) as client:
                await client.list_tools()
    found: Any = raised.value
    while hasattr(found, "exceptions"):
        (found,) = found.exceptions
    assert isinstance(found, MCPError)
    assert f"{team.url}/me" in str(found)


def test_the_page_says_what_the_key_is_for(team: RunningTeam, issuer: Issuer) -> None:
    person = Person(team.url)
    assert issuer.url in text_of(person.get("/me"))
    assert f"{team.url}/mcp" in text_of(person.get("/"))
    assert issuer.url in text_of(person.get("/"))


def test_a_key_that_has_ended_is_missing(team: RunningTeam, issuer: Issuer, users: Users) -> None:
    users.ends = datetime.now(UTC) + timedelta(days=40)
    key_given(team)
    token = token_of(issuer, team)
    assert asked(team, token).status_code == 200
    with team.server.store.writing() as session:
        session.execute("UPDATE account SET key_ends = ?", [provider.now() - 1])
    assert "no API key" in why(asked(team, token))
    users.ends = None
    key_given(team)
    assert asked(team, token).status_code == 200


# Rules by claims ---------------------------------------------------------------------------------


def test_rules_go_by_claims_of_the_token(serve: Serve, issuer: Issuer) -> None:
    rules = [
        {"claims": {"groups": ["banned"]}, "allow": False},
        {"claims": {"groups": ["sales", "boss"], "tier": ["gold"]}, "mode": "full"},
        {"claims": {"groups": ["sales"]}},
    ]
    team = serve({"main": {**NOWHERE, "rules": rules}}, issuer=table(issuer))
    key_given(team)

    def rule(**claims: Any) -> Any:
        answer = asked(team, token_of(issuer, team, **claims))
        if answer.status_code == 403:
            assert "do not allow ann" in why(answer)
            return None
        found = team.server.provider.team.instances["main"].rule_for("ann", [], claims)
        assert ("main", found) in team.server.members.servers
        return found

    assert rule(groups=["sales"]) == 2
    assert rule(groups="sales") == 2
    assert rule(groups=["x", "boss"], tier="gold") == 1
    for nobody in (
        *({}, {"groups": ["Sales"]}, {"groups": ["sales", "banned"]}, {"groups": {"sales": 1}}),
        *({"groups": ["sales x"]}, {"groups": "sales boss"}, {"groups": [["sales"]]}),
        *({"groups": None}, {"groups": True}, {"tier": "gold"}, {"groups": ["boss"]}),
    ):
        assert rule(**nobody) is None


def test_where_no_token_is_at_hand_no_rule_by_claims_is_guessed(
    serve: Serve, issuer: Issuer
) -> None:
    """Neither that it fits, nor that it does not: a later rule might allow more."""
    rules = [{"claims": {"groups": ["trainee"]}}, {"mode": "full"}]
    team = serve({"main": {**NOWHERE, "rules": rules}}, issuer=table(issuer))
    person = key_given(team)
    instance = team.team.instances["main"]
    assert instance.rule_for("ann", ["base.group_user"]) is None
    assert "depends on the token" in text_of(person.get("/me"))
    refused = person.post("/me/undo", person.get("/me"), entry="1")
    assert (refused.status_code, "your assistant" in text_of(refused)) == (403, True)
    operator = operator_of(team)
    assert "depends on the token" in text_of(operator.get("/admin"))


def test_who_can_be_admitted_by_no_token_gives_no_key(
    users: Users, serve: Serve, issuer: Issuer
) -> None:
    rules = [{"logins": ["eve"], "allow": False}, {"claims": {"groups": ["sales"]}}]
    team = serve({"main": {**NOWHERE, "rules": rules}}, issuer=table(issuer))
    person = Person(team.url)
    answer = person.post("/me/sign-in", person.get("/me"), **form_of("eve"))
    assert answer.status_code == 403
    assert users.forgotten == ["eve"]
    assert users.made == []


# Ending it ---------------------------------------------------------------------------------------


def test_what_a_person_ends_stays_ended_until_that_person_allows_it_again(
    team: RunningTeam, issuer: Issuer
) -> None:
    person = key_given(team)
    asked(team, token_of(issuer, team))
    other = token_of(issuer, team, client_id="Codex")
    assert asked(team, other).status_code == 200
    (grant,) = [one for one in team.server.provider.grants.grants() if one.client == "Claude"]
    person.post("/me/disconnect", person.get("/me"), connection=str(grant.id))
    # A new token of the issuer changes nothing.
    told = why(asked(team, token_of(issuer, team)))
    assert "(Claude)" in told
    assert f"{team.url}/me" in told
    assert asked(team, other).status_code == 200
    stranger = key_given(team, "eve")
    stranger.post("/me/allow-again", stranger.get("/me"), connection=str(grant.id))
    assert asked(team, token_of(issuer, team)).status_code == 403
    page = person.get("/me")
    assert "Disconnected apps" in text_of(page)
    person.post("/me/allow-again", page, connection=str(grant.id))
    assert asked(team, token_of(issuer, team)).status_code == 200
    assert "Disconnected apps" not in text_of(person.get("/me"))


def test_the_operator_sees_and_ends_it(team: RunningTeam, issuer: Issuer) -> None:
    person = key_given(team)
    token = token_of(issuer, team)
    asked(team, token)
    operator = operator_of(team)
    assert "Claude" in text_of(operator.get("/admin"))
    (grant,) = team.server.provider.grants.grants()
    operator.post("/admin/revoke", operator.get("/admin"), connection=str(grant.id))
    assert "revoked by the operator" in why(asked(team, token))
    # All of a person, and the key: neither a token nor the page helps without signing in anew.
    operator.post("/admin/revoke", operator.get("/admin"), account=str(grant.account.id))
    assert "no API key" in why(asked(team, token_of(issuer, team, client_id="another")))
    page = person.get("/me")
    person.post("/me/allow-again", page, connection=str(grant.id))
    assert "no API key" in why(asked(team, token))


def test_it_is_noted_who_is_connected_with_what(team: RunningTeam, issuer: Issuer) -> None:
    key_given(team)
    for _ in range(3):
        asked(team, token_of(issuer, team))
    events = team.server.provider.activity.latest()
    assert [event.kind for event in events] == ["connected", "key kept"]
    assert (events[0].client, events[0].body["login"]) == ("Claude", "ann")
    (grant,) = team.server.provider.grants.grants()
    assert (grant.client_name, grant.account.login) == ("Claude", "ann")


def test_without_the_scope_there_is_nothing(team: RunningTeam, issuer: Issuer) -> None:
    key_given(team)
    refused = asked(team, token_of(issuer, team, scope="other"))
    assert refused.status_code == 403
    told = refused.headers["WWW-Authenticate"]
    assert "insufficient_scope" in told
    assert f'scope="{" ".join(team.team.issuer.scopes)}"' in told


# The file ----------------------------------------------------------------------------------------


def by_claims(claims: object) -> dict[str, Any]:
    return {"instances": {"main": {**NOWHERE, "rules": [{"claims": claims}]}}}


def with_issuer(**more: Any) -> dict[str, Any]:
    return {"issuer": {"url": "https://login.example.com", **more}}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"issuer": "https://login.example.com"}, "issuer must be a table"),
        ({"issuer": {}}, "issuer: url is missing"),
        (with_issuer(url="http://login.example.com"), "issuer: url must be an https address"),
        (with_issuer(scope="odoo"), "Did you mean scopes"),
        (with_issuer(audience=7), "audience must be a string"),
        (with_issuer(claim=7), "claim must be a string"),
        ({"access_hours": 2}, "access_hours has no effect"),
        ({"client_documents": True}, "client_documents has no effect"),
        (
            {"instances": TWO, **with_issuer(audience="api://odoo")},
            "one audience cannot distinguish the instances",
        ),
        (
            {"instances": TWO, **with_issuer(audience={"main": "x://o", "test": "x://o/"})},
            "different for each",
        ),
        (
            {"instances": TWO, **with_issuer(audience={"main": f"{PUBLIC}/mcp/test"})},
            "different for each",
        ),
        (with_issuer(audience={"other": "x://o"}), "no instance has the name other"),
        (by_claims({}), "claims is empty"),
        *((by_claims({"groups": wrong}), "lists of strings") for wrong in ("sales", [], [1])),
        (by_claims(["sales"]), "lists of strings"),
        ({"issuer": None, **by_claims({"groups": ["sales"]})}, r"Add \[issuer\]"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, changed: dict[str, Any], told: str) -> None:
    right = {"public_url": PUBLIC, "instances": {"main": dict(NOWHERE)}, **with_issuer()}
    content = {name: value for name, value in {**right, **changed}.items() if value is not None}
    with pytest.raises(ConfigurationError, match=told):
        team_of(content, tmp_path)


def test_an_audience_can_be_a_name(serve: Serve, issuer: Issuer) -> None:
    team = serve(issuer=table(issuer, audience="api://odoo"))
    key_given(team)
    for path in ("/mcp", "/mcp/main"):
        assert asked(team, token_of(issuer, team, aud="api://odoo"), path).status_code == 200
        assert asked(team, token_of(issuer, team), path).status_code == 401


def test_another_claim_can_be_the_login(serve: Serve, issuer: Issuer) -> None:
    team = serve(issuer=table(issuer, claim="upn"))
    key_given(team)
    assert asked(team, token_of(issuer, team, "eve", upn="ann", email_verified=None)).ok
    assert "'upn'" in why(asked(team, token_of(issuer, team)))


@pytest.mark.parametrize(
    ("auth", "with_issuer", "told"),
    [
        ("local", True, "has [issuer]"),
        ("issuer", False, "has no [issuer]"),
        ("local", False, None),
        ("issuer", True, None),
        (None, True, None),
    ],
)
def test_the_command_line_can_say_how_people_are_meant_to_sign_in(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    auth: str | None,
    with_issuer: bool,
    told: str | None,
) -> None:
    path = tmp_path / "team.toml"
    text = 'public_url = "https://mcp.example.com"\n[instances.main]\n'
    text += "".join(f'{name} = "{value}"\n' for name, value in NOWHERE.items() if name != "timeout")
    text = text.replace('reconnect_attempts = "0"', "reconnect_attempts = 0\ntimeout = 1")
    path.write_text(
        text
        + with_issuer
        * '[issuer]\nurl = "https://login.example.com"\njwks_url = "http://127.0.0.1:9"\n'
    )
    status = main([str(path), "--check", *(["--auth", auth] if auth else [])])
    said = capsys.readouterr().err
    if told:
        assert status == WRONG_SETTINGS
        assert told in said
        return
    # As far as the database, which is not there.
    assert status == FAILED
    assert ("https://login.example.com" in said) == with_issuer
    assert ("cannot read the identity provider's keys" in said) == with_issuer
    assert "https://mcp.example.com/mcp/main" in said
