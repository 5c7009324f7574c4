"""The authorization server, as clients of OAuth use it. No Odoo is needed for it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import requests

from odoo_toolkit_mcp.accounts import client_documents, grants, provider
from tests.team.conftest import Serve
from tests.team.harness import (
    CALLBACK,
    OAuthClient,
    Person,
    RunningTeam,
    call,
    connected,
    form_of,
    lets_in,
    text_of,
)
from tests.team.people import key_of

DOCUMENT = "https://client.example.net/oauth/client.json"


def code_of(team: RunningTeam, client: OAuthClient, **changed: str | None) -> str:
    person = Person(team.url)
    page = person.sign_in(person.begin(client, **changed), **form_of())
    return person.answer(page)["code"]


def register(team: RunningTeam, **changed: Any) -> requests.Response:
    body = {
        "client_name": "Test",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        **changed,
    }
    return requests.post(f"{team.url}/register", json=body, timeout=120)


# Metadata ---------------------------------------------------------------------------------------


def test_a_client_finds_its_way_from_a_refused_call(team: RunningTeam) -> None:
    refused = call(team.url, "nonsense", "odoo_core_get_user")
    assert refused.status_code == 401
    assert 'scope="odoo"' in refused.headers["WWW-Authenticate"]
    where = re.search(r'resource_metadata="([^"]+)"', refused.headers["WWW-Authenticate"])
    assert where
    protected = requests.get(where[1], timeout=120).json()
    assert protected["resource"] == f"{team.url}/mcp"
    (issuer,) = protected["authorization_servers"]
    told = requests.get(
        f"{issuer}/.well-known/oauth-authorization-server",
        headers={"Origin": "https://inspector.example.com"},
        timeout=120,
    )
    metadata = told.json()
    assert metadata["issuer"] == issuer == team.url
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert "none" in metadata["token_endpoint_auth_methods_supported"]
    assert metadata["client_id_metadata_document_supported"] is True
    assert "offline_access" not in protected["scopes_supported"]
    assert told.headers["Access-Control-Allow-Origin"] == "*"
    bare = requests.get(f"{team.url}/.well-known/oauth-protected-resource", timeout=120)
    assert bare.json() == protected
    # A client that knows who answers is not taken in by another server (RFC 9207).
    assert metadata["authorization_response_iss_parameter_supported"] is True


def test_without_documents_they_are_not_announced(serve: Serve) -> None:
    team = serve(client_documents=False)
    told = requests.get(f"{team.url}/.well-known/oauth-authorization-server", timeout=120).json()
    assert told["client_id_metadata_document_supported"] is False
    answer = Person(team.url).get("/authorize", **OAuthClient(team.url).query(client_id=DOCUMENT))
    assert answer.status_code == 400


# Registration -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "http://127.0.0.1:33418/callback",
        "http://localhost/callback",
        "http://[::1]:8080/",
        "cursor://anysphere.cursor-retrieval/oauth/user-mcp/callback",
        "vscode://ms-vscode.mcp/callback",
    ],
)
def test_addresses_that_a_browser_may_be_sent_to_are_registered(
    team: RunningTeam, address: str
) -> None:
    answer = register(team, redirect_uris=[address])
    assert answer.status_code == 201, answer.text
    assert "client_secret" not in answer.json()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"redirect_uris": ["http://client.example.com/callback"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://127.0.0.1.example.com/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://127.0.0.1@example.com/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://user:word@example.com/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK + "#part"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["data:text/html,x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["file:///etc/passwd"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK + "?" + "x" * 1000]}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"{CALLBACK}/{n}" for n in range(11)]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_client_metadata"),
        ({"redirect_uris": None}, None),
        ({"scope": "odoo admin"}, "invalid_client_metadata"),
        ({"client_name": "x" * 101}, "invalid_client_metadata"),
        ({"contacts": ["x" * 1000] * 20}, "invalid_client_metadata"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
    ],
)
def test_what_no_client_may_be_is_refused_with_a_reason(
    team: RunningTeam, wrong: dict[str, Any], error: str | None
) -> None:
    answer = register(team, **wrong)
    assert answer.status_code == 400, answer.text
    if error:
        assert answer.json()["error"] == error
    assert answer.json()["error_description"]


# Codes and PKCE ---------------------------------------------------------------------------------


def test_a_client_signs_somebody_in_and_calls(team: RunningTeam, client: OAuthClient) -> None:
    person = Person(team.url)
    page = person.sign_in(person.begin(client), **form_of())
    told = person.answer(page)
    assert told["to"] == CALLBACK
    assert (told["state"], told["iss"]) == ("the state", team.url)
    answer = client.exchange(told["code"])
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json()["token_type"] == "Bearer"
    assert lets_in(team, answer.json()["access_token"])


def test_a_secret_is_asked_for_of_whom_one_was_given(team: RunningTeam) -> None:
    for method in ("client_secret_post", "client_secret_basic"):
        client = OAuthClient(team.url)
        made = register(team, token_endpoint_auth_method=method).json()
        client.id = made["client_id"]
        code = code_of(team, client)
        without = client.exchange(code)
        assert (without.status_code, without.json()["error"]) == (401, "invalid_client")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": CALLBACK,
            "code_verifier": client.verifier,
        }
        # As RFC 6749 has it: with Basic, the client is named there and nowhere else.
        basic = (client.id, made["client_secret"]) if method == "client_secret_basic" else None
        named = {} if basic else {"client_id": client.id, "client_secret": made["client_secret"]}
        answer = requests.post(f"{team.url}/token", {**form, **named}, auth=basic, timeout=120)
        assert answer.status_code == 200, answer.text


def test_without_pkce_nobody_is_asked(team: RunningTeam, client: OAuthClient) -> None:
    local = OAuthClient(team.url, callback="http://127.0.0.1:1234/callback")
    for changed in (
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"code_challenge": "short"},
    ):
        told = Person(team.url).get("/authorize", **local.query(**changed))
        assert told.status_code == 302
        assert told.headers["Location"].startswith("http://127.0.0.1:1234/callback?error=")
        assert "state=the+state" in told.headers["Location"]
        assert Person(team.url).get("/authorize", **client.query(**changed)).status_code == 400


def test_another_verifier_gets_nothing_and_uses_nothing_up(
    team: RunningTeam, client: OAuthClient
) -> None:
    code = code_of(team, client)
    wrong = client.post(
        "/token",
        grant_type="authorization_code",
        code=code,
        redirect_uri=CALLBACK,
        code_verifier="x" * 43,
    )
    assert (wrong.status_code, wrong.json()["error"]) == (400, "invalid_grant")
    assert client.tokens(code)


def test_a_code_holds_for_five_minutes(
    team: RunningTeam, client: OAuthClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grants, "CODE_LASTS", -1.0)
    answer = client.exchange(code_of(team, client))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_code_used_twice_ends_what_the_first_use_was_given(
    team: RunningTeam, client: OAuthClient
) -> None:
    code = code_of(team, client)
    tokens = client.tokens(code)
    assert lets_in(team, tokens.access)
    again = client.exchange(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert not lets_in(team, tokens.access)
    assert client.refresh(tokens.refresh).status_code == 400
    kinds = [
        (event.kind, event.body.get("why")) for event in team.server.provider.activity.latest()
    ]
    assert ("disconnected", "a code was used twice") in kinds


def test_a_code_serves_no_other_client(team: RunningTeam, client: OAuthClient) -> None:
    code = code_of(team, client)
    other = OAuthClient(team.url)
    other.verifier = client.verifier
    assert other.exchange(code).json()["error"] == "invalid_grant"
    assert client.tokens(code)


# The resource -----------------------------------------------------------------------------------


def test_another_resource_is_refused_before_and_after(
    team: RunningTeam, client: OAuthClient
) -> None:
    local = OAuthClient(team.url, callback="http://localhost/callback")
    elsewhere = "https://mcp.example.net/mcp"
    told = Person(team.url).get("/authorize", **local.query(resource=elsewhere))
    assert "error=invalid_target" in told.headers["Location"]
    code = code_of(team, client)
    assert client.exchange(code, resource=elsewhere).json()["error"] == "invalid_target"
    # Named twice, none of the two may be another.
    form = {"grant_type": "authorization_code", "code": code, "client_id": client.id}
    twice = [*form.items(), ("resource", elsewhere), ("resource", team.resource)]
    answer = requests.post(f"{team.url}/token", twice, timeout=120)
    assert answer.json()["error"] == "invalid_target"


@pytest.mark.parametrize("ending", ["/mcp", "/mcp/", "", "/"])
def test_the_resource_is_named_as_people_type_it(
    team: RunningTeam, client: OAuthClient, ending: str
) -> None:
    code = code_of(team, client, resource=team.url + ending)
    answer = client.exchange(code, resource=team.url + ending)
    assert lets_in(team, answer.json()["access_token"])


# Refreshing and revoking ------------------------------------------------------------------------


def test_a_refresh_gives_new_tokens_and_ends_the_old(
    team: RunningTeam, client: OAuthClient
) -> None:
    first = connected(team, client)
    answer = client.refresh(first.refresh)
    assert answer.status_code == 200, answer.text
    second = answer.json()
    assert second["refresh_token"] != first.refresh
    assert lets_in(team, second["access_token"])
    assert not lets_in(team, first.access)


def test_a_refresh_token_used_twice_ends_the_connection(
    team: RunningTeam, client: OAuthClient
) -> None:
    first = connected(team, client)
    second = client.refresh(first.refresh).json()
    again = client.refresh(first.refresh)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert not lets_in(team, second["access_token"])
    assert client.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_serves_no_other_client(team: RunningTeam, client: OAuthClient) -> None:
    tokens = connected(team, client)
    assert OAuthClient(team.url).refresh(tokens.refresh).json()["error"] == "invalid_grant"
    assert client.refresh(tokens.refresh).status_code == 200


def test_tokens_end(
    team: RunningTeam, client: OAuthClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = connected(team, client)
    late = provider.now() + 25 * 3600
    monkeypatch.setattr(provider, "now", lambda: late)
    assert not lets_in(team, tokens.access)


def test_a_client_may_ask_for_more_than_it_registered_for_but_not_for_what_there_is_not(
    team: RunningTeam, client: OAuthClient
) -> None:
    """The MCP inspector registers with the endpoint's scopes, and asks for all of the server.

    Others ask for the scope of the challenge alone; they, too, go on without the person.
    """
    client.id = register(team, scope="odoo").json()["client_id"]
    for scope in ("odoo offline_access", "odoo"):
        tokens = client.tokens(code_of(team, client, scope=scope))
        assert client.refresh(tokens.refresh).json()["scope"] == scope
    page = Person(team.url).get("/authorize", **client.query(scope="odoo admin"))
    assert "invalid_scope" in page.headers.get("location", page.text)


def test_a_refresh_asks_for_less_and_not_for_more(team: RunningTeam, client: OAuthClient) -> None:
    tokens = connected(team, client)
    more = client.post(
        "/token", grant_type="refresh_token", refresh_token=tokens.refresh, scope="odoo admin"
    )
    assert more.json()["error"] == "invalid_scope"
    less = client.post(
        "/token", grant_type="refresh_token", refresh_token=tokens.refresh, scope="offline_access"
    )
    assert less.json()["scope"] == "offline_access"
    # Without the scope of the endpoint.
    assert call(team.url, less.json()["access_token"], "odoo_core_get_user").status_code == 403


@pytest.mark.parametrize("which", ["access", "refresh"])
def test_a_revoked_token_takes_the_others_along(
    team: RunningTeam, client: OAuthClient, which: str
) -> None:
    tokens = connected(team, client)
    token = getattr(tokens, which)
    assert OAuthClient(team.url).post("/revoke", token=token).status_code == 200
    assert lets_in(team, tokens.access), "another client has revoked it"
    assert client.post("/revoke", token=token).status_code == 200
    assert not lets_in(team, tokens.access)
    assert client.refresh(tokens.refresh).status_code == 400
    assert client.post("/revoke", token="nobody's").status_code == 200


# Redirects --------------------------------------------------------------------------------------


def test_on_ones_own_machine_any_port_will_do(team: RunningTeam) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]"):
        client = OAuthClient(team.url, callback=f"http://{host}:1000/callback")
        page = Person(team.url).begin(client, redirect_uri=f"http://{host}:2000/callback")
        assert f"{host}:2000" in text_of(page)
        for other in (f"http://{host}:2000/other", "http://127.0.0.2:1000/callback"):
            answer = Person(team.url).get("/authorize", **client.query(redirect_uri=other))
            assert answer.status_code == 400


def test_an_address_that_is_not_registered_is_never_gone_to(
    team: RunningTeam, client: OAuthClient
) -> None:
    for other in (
        "https://evil.example.com/callback",
        CALLBACK + "/more",
        CALLBACK + "?more=1",
        CALLBACK.replace("client.", "client.example.com."),
        CALLBACK.replace("https:", "http:"),
        CALLBACK.replace(".com", ".com:8443"),
    ):
        answer = Person(team.url).get("/authorize", **client.query(redirect_uri=other))
        assert answer.status_code == 400, other
        assert "Location" not in answer.headers
        assert answer.json()["error"] == "invalid_request"


# Clients with a document ------------------------------------------------------------------------


def test_a_client_is_known_by_its_document(
    team: RunningTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def fetch(address: str) -> Any:
        fetched.append(address)
        return {
            "client_id": DOCUMENT,
            "client_name": "By document",
            "redirect_uris": [CALLBACK],
            "token_endpoint_auth_method": "private_key_jwt",
        }

    monkeypatch.setattr(team.server.provider, "_documents", client_documents.ClientDocuments(fetch))
    client = OAuthClient(team.url)
    client.id = DOCUMENT
    assert client.refresh("nothing").json()["error"] == "invalid_client"
    assert fetched == [], "the token endpoint fetches for nobody"
    person = Person(team.url)
    page = person.begin(client)
    assert "By document" in text_of(page)
    page = person.sign_in(page, login="ann", key=key_of("ann"))
    assert "Described at client.example.net" in text_of(page)  # its name is its own choice
    tokens = client.tokens(person.answer(page)["code"])
    assert lets_in(team, tokens.access)
    assert client.refresh(tokens.refresh).status_code == 200
    assert client.post("/revoke", token=tokens.refresh).status_code == 200
    assert fetched == [DOCUMENT]


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"client_id": DOCUMENT + "x", "redirect_uris": [CALLBACK]},
        {"client_id": DOCUMENT},
        {"client_id": DOCUMENT, "redirect_uris": ["http://example.com/"]},
        {"client_id": DOCUMENT, "redirect_uris": ["javascript:alert(1)"]},
        {"client_id": DOCUMENT, "redirect_uris": [CALLBACK], "client_name": "x" * 101},
        {"client_id": DOCUMENT, "redirect_uris": [CALLBACK], "client_name": {"a": 1}},
        {"client_id": DOCUMENT, "redirect_uris": "x" * 5000},
    ],
)
def test_a_document_that_describes_no_client_makes_none(
    team: RunningTeam, document: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = client_documents.ClientDocuments(lambda address: document)
    monkeypatch.setattr(team.server.provider, "_documents", documents)
    answer = Person(team.url).get("/authorize", **OAuthClient(team.url).query(client_id=DOCUMENT))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
