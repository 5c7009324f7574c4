"""The addresses of the endpoint: the common one, and one for each database."""

from __future__ import annotations

import re
from typing import Any

import pytest
import requests

from odoo_toolkit.errors import ConfigurationError
from tests.mcp.issuer import Issuer
from tests.team.conftest import Serve
from tests.team.harness import OAuthClient, Person, RunningTeam, call, form_of, request, text_of
from tests.team.issuing import asked, key_given, table, token_of
from tests.team.people import NOWHERE

TWO = {
    "main": dict(NOWHERE),
    "second": {**NOWHERE, "title": "The second one", "database": "second"},
}
PATHS = ("/mcp", "/mcp/main", "/mcp/second")
PAGE = "https://chat.example.com"


@pytest.fixture
def team(serve: Serve) -> RunningTeam:
    """A team of two databases, whose people are made up."""
    return serve(TWO)


def begun(team: RunningTeam, person: Person, path: str) -> tuple[OAuthClient, requests.Response]:
    """Return a client that was given an address, and the page on which its person signs in."""
    client = OAuthClient(team.url)
    return client, person.begin(client, resource=team.url + path)


def token_for(team: RunningTeam, path: str, instance: str) -> str:
    person = Person(team.url)
    client, page = begun(team, person, path)
    return client.tokens(
        person.answer(person.sign_in(page, instance=instance, **form_of()))["code"]
    ).access


# Signing in here --------------------------------------------------------------------------------


def test_each_address_says_where_its_tokens_come_from(team: RunningTeam) -> None:
    for path, name in zip(PATHS, ("Odoo", "Odoo: Main", "Odoo: The second one"), strict=True):
        refused = asked(team, "nonsense", path)
        assert refused.status_code == 401
        where = re.search(r'resource_metadata="([^"]+)"', refused.headers["WWW-Authenticate"])
        assert where
        protected = requests.get(where[1], timeout=120).json()
        assert protected["resource"] == team.url + path
        assert protected["authorization_servers"] == [team.url]
        assert protected["resource_name"] == name


def test_there_is_no_address_of_what_is_no_database(team: RunningTeam) -> None:
    for path in ("/mcp/third", "/mcp/Main", "/mcp/main/x"):
        answer = requests.post(team.url + path, timeout=120, allow_redirects=False)
        assert answer.status_code == 404


def test_a_slash_at_the_end_makes_no_difference(team: RunningTeam) -> None:
    token = token_for(team, "/mcp/main/", "main")
    statuses = {
        path: call(team.url, token, "odoo_core_get_user", path=path).status_code
        for path in ("/mcp/main", "/mcp/main/", "/mcp/")
    }
    assert statuses == {"/mcp/main": 200, "/mcp/main/": 200, "/mcp/": 401}


def test_the_address_names_the_database(team: RunningTeam) -> None:
    person = Person(team.url)
    _, page = begun(team, person, "/mcp/second")
    assert "The second one" in text_of(page)
    assert "Main" not in text_of(page)
    assert '<input type="hidden" name="instance" value="second">' in page.text
    _, page = begun(team, person, "/mcp")
    assert {"Main", "The second one"} <= set(re.findall(r">([^<>]+)</option>", page.text))


def test_no_other_database_is_signed_in_to_there(team: RunningTeam) -> None:
    person = Person(team.url)
    _, page = begun(team, person, "/mcp/second")
    answer = person.post("/sign-in", page, instance="main", **form_of())
    assert answer.status_code == 400
    assert "does not exist" in text_of(answer)
    # Nor by going on as who is signed in to the pages with the other one.
    main = OAuthClient(team.url)
    person.connect(main, instance="main", **form_of())
    person.post("/me/sign-in", person.get("/me"), instance="main", **form_of())
    _, page = begun(team, person, "/mcp/second")
    assert "Continue as" not in text_of(page)
    assert person.post("/sign-in", page, known="yes").status_code == 403
    _, page = begun(team, person, "/mcp/main")
    assert "Continue as" in text_of(page)
    assert person.sign_in(page, known="yes").status_code == 200


@pytest.mark.parametrize(
    ("path", "instance"), [("/mcp", "main"), ("/mcp/main", "main"), ("/mcp/second", "second")]
)
def test_a_token_for_one_address_is_refused_at_the_others(
    team: RunningTeam, path: str, instance: str
) -> None:
    token = token_for(team, path, instance)
    for other in PATHS:
        assert asked(team, token, other).status_code == (200 if other == path else 401)
    assert list(team.server.members.servers) == [(instance, 0)]
    assert team.url + path in text_of(Person(team.url).get("/"))


def test_a_refreshed_token_is_for_the_same_address(team: RunningTeam) -> None:
    person = Person(team.url)
    client, page = begun(team, person, "/mcp/second")
    tokens = client.tokens(person.answer(person.sign_in(page, **form_of()))["code"])
    for other in ("/mcp", "/mcp/main", ""):
        refused = client.post(
            "/token",
            grant_type="refresh_token",
            refresh_token=tokens.refresh,
            resource=team.url + other,
        )
        assert refused.json()["error"] == "invalid_target"
    refused = client.post(
        "/token",
        grant_type="refresh_token",
        refresh_token=tokens.refresh,
        code="of something else",
        resource=f"{team.url}/mcp/main",
    )
    assert refused.json()["error"] == "invalid_target"
    answer = client.post(
        "/token",
        grant_type="refresh_token",
        refresh_token=tokens.refresh,
        resource=f"{team.url}/mcp/second",
    )
    token = answer.json()["access_token"]
    assert asked(team, token, "/mcp/second").status_code == 200
    assert asked(team, token).status_code == 401


def test_with_one_database_both_addresses_are_its_own(serve: Serve) -> None:
    team = serve()
    token = token_for(team, "/mcp/main", "main")
    assert asked(team, token, "/mcp/main").status_code == 200
    assert asked(team, token, "/mcp").status_code == 401
    assert "/mcp/main" not in text_of(Person(team.url).get("/"))


def test_an_issuer_chooses_no_database(serve: Serve, issuer: Issuer) -> None:
    team = serve(TWO, issuer=table(issuer))
    assert requests.post(f"{team.url}/mcp", timeout=120).status_code == 404
    bare = f"{team.url}/.well-known/oauth-protected-resource"
    assert requests.get(bare, timeout=120).status_code == 404
    key_given(team, instance="second")
    assert asked(team, token_of(issuer, team, path="/mcp/second"), "/mcp/second").status_code == 200
    assert f"{team.url}/mcp " not in text_of(Person(team.url).get("/"))


# Lists of tools ---------------------------------------------------------------------------------

DESK = {"desk": {"tools": ["odoo_core_read", "odoo_core_count", "odoo_core_write"]}}


def listed(team: RunningTeam, token: str, path: str, **headers: str) -> Any:
    """Return the names of the tools that an address lists, or the error."""
    answer = request(team.url, token, "tools/list", {}, path, **dict[str, Any](headers)).json()
    if "error" in answer:
        return answer["error"]["message"]
    return {tool["name"] for tool in answer["result"]["tools"]}


@pytest.mark.parametrize(
    ("asks", "there"),
    [
        ({}, {"odoo_core_read", "odoo_core_count"}),
        ({"X-MCP-Tools": "odoo_core_count,odoo_core_search_read"}, {"odoo_core_count"}),
        ({"X-MCP-Toolsets": "all"}, {"odoo_core_read", "odoo_core_count"}),
        ({"X-MCP-Toolsets": "core"}, {"odoo_core_read", "odoo_core_count"}),
        ({"X-MCP-Tools": "flat"}, {"odoo_core_read", "odoo_core_count"}),
    ],
)
def test_an_address_lists_its_tools_as_far_as_the_rules_allow(
    serve: Serve, asks: dict[str, str], there: set[str]
) -> None:
    """A client narrows it further, and never widens it. A rule that only reads lists no write."""
    team = serve({"main": {**NOWHERE, "mode": "readonly"}}, lists=DESK)
    token = token_for(team, "/mcp/desk", "main")
    assert listed(team, token, "/mcp/desk", **asks) == there


def test_an_address_with_a_list_is_an_address_like_others(serve: Serve) -> None:
    team = serve(TWO, lists={**DESK, "second-desk": {**DESK["desk"], "instance": "second"}})
    for path, name in (("/mcp/desk", "Odoo: desk"), ("/mcp/second-desk", "Odoo: second-desk")):
        protected = requests.get(
            f"{team.url}/.well-known/oauth-protected-resource{path}", timeout=120
        ).json()
        assert (protected["resource"], protected["resource_name"]) == (team.url + path, name)
        token = token_for(team, path, "second")
        for other in ("/mcp", "/mcp/second", "/mcp/desk", "/mcp/second-desk"):
            assert asked(team, token, other).status_code == (200 if other == path else 401)
        # A tool that is not in the list works by its name: Odoo is not there, which is its answer.
        answer = call(team.url, token, "odoo_core_search_read", {"model": "res.partner"}, path)
        assert answer.json()["result"]["structuredContent"]["code"] == "CONNECTION_REFUSED"
        assert team.url + path in text_of(Person(team.url).get("/"))
    assert "Main" not in text_of(begun(team, Person(team.url), "/mcp/second-desk")[1])


def test_a_list_of_which_a_rule_allows_nothing_says_so(serve: Serve) -> None:
    lists = {"desk": {"tools": ["odoo_core_write"]}}
    team = serve({"main": {**NOWHERE, "mode": "readonly"}}, lists=lists)
    token = token_for(team, "/mcp/desk", "main")
    assert "The list desk lists 'odoo_core_write'" in listed(team, token, "/mcp/desk")


def test_an_unknown_address_names_those_that_there_are(serve: Serve) -> None:
    team = serve(lists=DESK)
    answer = requests.post(f"{team.url}/mcp/stock", timeout=120)
    assert answer.status_code == 404
    assert f"{team.url}/mcp/desk" in answer.text
    assert "[lists.NAME]" in answer.text


def test_a_list_with_an_unknown_tool_stops_the_start(serve: Serve) -> None:
    with pytest.raises(ConfigurationError, match=r"lists\.desk: There is no tool 'odoo_core_reed'"):
        serve(lists={"desk": {"tools": ["odoo_core_reed", "odoo_core_read"]}})


def test_a_list_of_an_issuer_is_for_one_database(serve: Serve, issuer: Issuer) -> None:
    with pytest.raises(ConfigurationError, match=r"lists\.desk: instance is missing"):
        serve(TWO, issuer=table(issuer), lists=DESK)
    desk = {"desk": {**DESK["desk"], "instance": "second"}}
    team = serve(TWO, issuer=table(issuer), lists=desk)
    key_given(team, instance="second")
    token = token_of(issuer, team, path="/mcp/desk")
    assert asked(team, token, "/mcp/desk").status_code == 200
    assert asked(team, token, "/mcp/main").status_code == 401


# Pages of others --------------------------------------------------------------------------------


def preflight(address: str, origin: str, method: str, headers: str) -> requests.Response:
    """Ask as a browser does before it sends what a page of another site wants it to."""
    return requests.options(
        address,
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": headers,
        },
        timeout=120,
    )


#: What browsers would not let a page see or do.
NEEDED = "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name"


@pytest.fixture(params=["here", "issuer"])
def open_to(request: pytest.FixtureRequest, serve: Serve, issuer: Issuer) -> RunningTeam:
    """A team whose endpoint a page may use, whoever signs people in."""
    more: dict[str, Any] = {"issuer": table(issuer)} if request.param == "issuer" else {}
    return serve(allowed_origins=[PAGE], **more)


def test_a_page_that_is_allowed_may_use_the_endpoint(open_to: RunningTeam) -> None:
    for path in ("/mcp", "/mcp/main"):
        told = preflight(open_to.url + path, PAGE, "POST", NEEDED)
        assert told.status_code == 200
        assert told.headers["Access-Control-Allow-Origin"] == PAGE
        assert "POST" in told.headers["Access-Control-Allow-Methods"]
        allowed = told.headers["Access-Control-Allow-Headers"].lower()
        assert all(name in allowed for name in NEEDED.split(","))
        assert "Access-Control-Allow-Credentials" not in told.headers
        # It reads where to get a token, too.
        refused = requests.post(open_to.url + path, headers={"Origin": PAGE}, timeout=120)
        assert refused.status_code == 401
        assert refused.headers["Access-Control-Allow-Origin"] == PAGE
        assert "WWW-Authenticate" in refused.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in refused.headers


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example.com", "null", f"{PAGE}.evil.example", "http://chat.example.com", "*"],
)
def test_no_other_page_may(open_to: RunningTeam, origin: str) -> None:
    told = preflight(f"{open_to.url}/mcp", origin, "POST", NEEDED)
    assert told.status_code == 400
    assert "Access-Control-Allow-Origin" not in told.headers
    refused = requests.post(f"{open_to.url}/mcp", headers={"Origin": origin}, timeout=120)
    assert "Access-Control-Allow-Origin" not in refused.headers


def test_without_a_list_no_page_may(team: RunningTeam) -> None:
    told = preflight(f"{team.url}/mcp", PAGE, "POST", NEEDED)
    assert told.status_code == 401
    assert "Access-Control-Allow-Origin" not in told.headers


def test_a_page_calls_a_tool_and_others_cannot(serve: Serve) -> None:
    team = serve(allowed_origins=[PAGE])
    token = token_for(team, "/mcp", "main")
    allowed = call(team.url, token, "odoo_core_get_user", Origin=PAGE)
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == PAGE
    assert (
        call(team.url, token, "odoo_core_get_user", Origin="https://e.example").status_code == 403
    )


def test_pages_of_anybody_find_their_way_and_register_without_cookies(open_to: RunningTeam) -> None:
    """As clients in browsers do; no cookie or password of a browser counts there."""
    url = open_to.url
    addresses = {f"{url}/.well-known/oauth-protected-resource/mcp": "GET"}
    if open_to.team.issuer is None:
        addresses |= {
            f"{url}/.well-known/oauth-authorization-server": "GET",
            **{url + path: "POST" for path in ("/token", "/register", "/revoke")},
        }
    for origin in (PAGE, "https://inspector.example.com"):
        for address, method in addresses.items():
            told = preflight(address, origin, method, "content-type,mcp-protocol-version")
            assert told.status_code == 200
            answer = requests.request(method, address, headers={"Origin": origin}, timeout=120)
            for one in (told, answer):
                assert one.headers["Access-Control-Allow-Origin"] == "*"
                assert "Access-Control-Allow-Credentials" not in one.headers


@pytest.mark.parametrize("path", ["/sign-in", "/consent", "/me", "/me/sign-in", "/admin", "/"])
def test_the_pages_for_people_are_for_no_other_page(open_to: RunningTeam, path: str) -> None:
    told = preflight(open_to.url + path, PAGE, "POST", "content-type")
    shown = requests.get(open_to.url + path, headers={"Origin": PAGE}, timeout=120)
    for one in (told, shown):
        assert "Access-Control-Allow-Origin" not in one.headers
