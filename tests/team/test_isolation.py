"""Nothing of one person or one Odoo shows in another's, whatever is asked in whichever order."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
import requests

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo, connect
from tests.live.conftest import SERVERS
from tests.live.own import own
from tests.live.servers import Server, credentials, ordinary_user
from tests.team.harness import OAuthClient, Person, RunningTeam, Tokens, call, instance_of, request

#: The versions that differ most, each an instance.
VERSIONS = [server for server in SERVERS if server.version in ("19", "14")]

pytestmark = [
    pytest.mark.skipif(len(VERSIONS) < 2, reason="needs Odoo 19 and 14"),
    pytest.mark.needs_odoo,
]


@attrs.frozen
class Member:
    """Somebody who is connected.

    Attributes:
        team, instance, login: where, and who.
        tokens: of the client.
        browser: signed in to /me.
    """

    team: RunningTeam
    instance: str
    login: str
    tokens: Tokens
    browser: Person

    def ask(self, tool: str, **arguments: Any) -> str:
        """Return all that a call is answered."""
        answer = call(self.team.url, self.tokens.access, tool, arguments)
        assert answer.status_code == 200, answer.text
        return answer.text

    def request(self, method: str, **params: Any) -> str:
        """Return all that another request is answered."""
        return self.open(method, **params).text

    def open(self, method: str, **params: Any) -> requests.Response:
        """Send another request; its answer may be a stream."""
        return request(self.team.url, self.tokens.access, method, params, stream=True)


@attrs.frozen
class Members:
    """Two people of one Odoo, and one of another."""

    admin: Member
    ordinary: Member
    elsewhere: Member

    def __iter__(self) -> Iterator[Member]:
        return iter([self.admin, self.ordinary, self.elsewhere])


def odoo_of(server: Server) -> Odoo:
    return connect(**credentials(server, server.user("admin")))


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A team of two Odoos, with people who are connected to it."""
    folder = tmp_path_factory.mktemp("isolation")
    one, other = map(own, VERSIONS)
    journal = str(folder / "history.sqlite")
    options = {"mode": "full", "confirm": "never", "history": journal}
    instances = {"one": instance_of(one, **options), "other": instance_of(other, **options)}
    with RunningTeam(folder, instances) as team:

        def member(instance: str, login: str, password: str) -> Member:
            person = Person(team.url)
            form = {"instance": instance, "login": login, "password": password}
            tokens = person.connect(OAuthClient(team.url, name=f"Client of {login}"), **form)
            assert person.post("/me/sign-in", person.get("/me"), **form).status_code == 303
            made = Member(team, instance, login, tokens, person)
            made.ask("odoo_core_get_user")  # The first answer of all says more of the user.
            return made

        ordinary = ordinary_user(one)
        yield Members(
            member("one", one.login, one.password),
            member("one", ordinary.login, ordinary.password),
            member("other", other.demo_login, other.demo_password),
        )


def test_many_at_once_are_never_mixed_up(members: Members, suffix: str) -> None:
    expected = {one.login: one.ask("odoo_core_get_user") for one in members}
    wrong: list[str] = []

    def ask(one: Member) -> None:
        answers = {one.ask("odoo_core_get_user") for _ in range(6)}
        wrong.extend(answers - {expected[one.login]})

    threads = [threading.Thread(target=ask, args=[one]) for one in members for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_one_may_not_read_no_cache_gives_away(members: Members) -> None:
    """The administrator has read it just before; the other may not, nor learn of its fields."""
    closed = {"model": "ir.cron", "domain": [], "fields": ["name"], "limit": 1}
    read = {"model": "crm.lead", "domain": [], "fields": ["name"], "limit": 3}
    for arguments in (read, closed):
        members.admin.ask("odoo_core_search_read", **arguments)
        refused = members.ordinary.ask("odoo_core_search_read", **arguments)
        assert '"isError":true' in refused.replace(" ", "")
        members.admin.ask("odoo_core_search_read", **arguments)


def test_fields_of_a_model_are_each_ones_own(members: Members) -> None:
    fields = [
        one.ask("odoo_core_fields_get", model="res.users")
        for one in (members.admin, members.ordinary)
    ]
    again = [
        one.ask("odoo_core_fields_get", model="res.users")
        for one in (members.ordinary, members.admin)
    ]
    assert again == fields[::-1]
    other = members.elsewhere.ask("odoo_core_fields_get", model="res.partner")
    here = members.admin.ask("odoo_core_fields_get", model="res.partner")
    # Of Odoo 14 only.
    assert '"image_medium"' not in here
    assert other != here


def test_a_secret_record_is_found_by_no_search_of_others(members: Members, suffix: str) -> None:
    """Records of one Odoo do not show in the other; those of a person do not show to another."""
    with odoo_of(own(VERSIONS[0])) as odoo:
        made = toolkit.create(odoo, "res.partner", {"name": f"Only in one {suffix}"}).id
    word = f"Only in one {suffix}"
    domain = [["name", "=", word]]
    for _ in range(2):
        here = members.admin.ask("odoo_core_count", model="res.partner", domain=domain)
        there = members.elsewhere.ask("odoo_core_count", model="res.partner", domain=domain)
        assert '"count":1' in here.replace(" ", "")
        assert '"count":0' in there.replace(" ", "")
    found = [one.ask("odoo_core_deep_search", query=word, model="res.partner") for one in members]
    assert [f'"id":{made},' in answer.replace(" ", "") for answer in found][::2] == [True, False]
    reference = {"type": "ref/resource", "uri": "odoo://record/{model}/{id}"}
    argument = {"name": "model", "value": "res.part"}
    for one in members:
        one.request("completion/complete", ref=reference, argument=argument)
    uri = f"odoo://record/res.partner/{made}"
    assert word in members.admin.request("resources/read", uri=uri)
    assert word not in members.elsewhere.request("resources/read", uri=uri)


def test_a_kept_file_is_read_by_whom_it_was_made_for(members: Members) -> None:
    with odoo_of(own(VERSIONS[0])) as odoo:
        order = toolkit.search_read(odoo, "sale.order", [], ["id"], limit=1).records[0]["id"]
    made = call(
        members.admin.team.url,
        members.admin.tokens.access,
        "odoo_reports_generate",
        {"report_name": "sale.report_saleorder", "record_ids": [order], "deliver": "link"},
    ).json()["result"]
    uri = made["structuredContent"]["uri"]
    assert "blob" in members.admin.request("resources/read", uri=uri)
    for other in (members.ordinary, members.elsewhere):
        refused = other.request("resources/read", uri=uri)
        assert "NOT_FOUND" in refused
        assert "blob" not in refused


def test_a_subscription_opens_nothing_to_others(members: Members, suffix: str) -> None:
    with odoo_of(own(VERSIONS[0])) as odoo:
        made = toolkit.create(odoo, "crm.lead", {"name": f"Subscribed {suffix}"}).id
    uri = f"odoo://record/crm.lead/{made}"
    asked = {"notifications": {"resourceSubscriptions": [uri]}}
    with members.admin.open("subscriptions/listen", **asked) as stream:
        first = next(line for line in stream.iter_lines() if line.startswith(b"data: {"))
        assert b"acknowledged" in first
        for other in (members.ordinary, members.elsewhere):
            with other.open("subscriptions/listen", **asked) as refused:
                assert b'"error"' in next(line for line in refused.iter_lines() if line)
            assert suffix not in other.request("resources/read", uri=uri)


def test_the_page_of_each_shows_their_own_and_no_more(members: Members, suffix: str) -> None:
    for one in (members.admin, members.elsewhere):
        one.ask(
            "odoo_core_create",
            model="res.partner.category",
            values={"name": f"{one.instance} {suffix}"},
        )
    pages = {one.login: one.browser.get("/me").text for one in members}
    for one in members:
        page = pages[one.login]
        for another in members:
            shown = f"Client of {another.login}" in page
            assert shown is (another is one), (one.login, another.login)
    assert "res.partner.category" not in pages[members.ordinary.login]


def test_nobody_ends_or_takes_back_what_is_anothers(members: Members, suffix: str) -> None:
    made = members.admin.ask(
        "odoo_core_create", model="res.partner.category", values={"name": f"Kept {suffix}"}
    )
    assert f"Kept {suffix}" in made or '"id"' in made
    grants = members.admin.team.server.provider.grants
    mine = grants.grants()
    for intruder in (members.ordinary, members.elsewhere):
        page = intruder.browser.get("/me")
        for grant in mine:
            if grant.account.login != intruder.login:
                intruder.browser.post("/me/disconnect", page, connection=str(grant.id))
        theirs = set(re.findall(r'name="entry" value="(\d+)"', page.text))
        for entry in {str(number) for number in range(1, 12)} - theirs:
            answer = intruder.browser.post("/me/undo", page, entry=entry, sure="yes")
            assert answer.status_code in (404, 409), (intruder.login, entry, answer.text)
    assert len(grants.grants()) == len(mine)
    with odoo_of(own(VERSIONS[0])) as odoo:
        named = [["name", "=", f"Kept {suffix}"]]
        assert toolkit.count(odoo, "res.partner.category", named).count == 1


def test_what_a_client_says_of_itself_chooses_nobody(members: Members) -> None:
    """Headers by which servers without a sign-in are told whom a request is for."""
    one = members.ordinary
    expected = one.ask("odoo_core_get_user")
    headers = {
        "X-Odoo-Username": members.admin.login,
        "X-Odoo-Api-Key": "0" * 40,
        "X-Forwarded-User": members.admin.login,
    }
    answer = call(one.team.url, one.tokens.access, "odoo_core_get_user", **headers)
    assert answer.text == expected


def test_the_audit_says_who_did_what_where(members: Members, suffix: str) -> None:
    for one in members:
        one.ask("odoo_core_create", model="res.partner", values={"name": f"Audited {suffix}"})
    activity = members.admin.team.server.provider.activity
    events = [
        event
        for event in activity.latest(kind="call", limit=50)
        if event.body.get("model") == "res.partner"
    ][:3]
    told = {(event.instance, event.body["login"], event.client) for event in events}
    assert told == {(one.instance, one.login, f"Client of {one.login}") for one in members}
