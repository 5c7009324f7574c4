"""People confirm and approve plans on the team server's own page, on a real Odoo."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

import pytest
import requests

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo, databases
from odoo_toolkit.change_history.approvals import Happening
from odoo_toolkit_mcp.accounts import waiting_plans
from odoo_toolkit_mcp.accounts.activity import Event, Kind
from tests.kit.user_keys import People, creator
from tests.kit.user_keys import Person as User
from tests.live.servers import Server
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    call,
    hidden,
    instance_of,
    operator_of,
    status_of,
    text_of,
    until,
)

pytestmark = pytest.mark.usefixtures("no_pause")

PAGE = "/me/approvals"
HOSTILE = "<script>alert(1)</script><b>Approved</b>"

Start = Callable[..., RunningTeam]


@pytest.fixture
def start(server: Server, tmp_path: Path) -> Iterator[Start]:
    """Starts servers of one team, which share a store and a change history."""
    journal = str(tmp_path / "history.sqlite")
    with ExitStack() as stack:

        def started(**more: Any) -> RunningTeam:
            main = instance_of(server, mode="full", **{"history": journal, **more})
            return stack.enter_context(RunningTeam(tmp_path, {"main": main}))

        yield started


@pytest.fixture(scope="module")
def ann(people: People) -> User:
    """Somebody who may delete contacts."""
    return creator(people)


@pytest.fixture(scope="module")
def bob(people: People) -> User:
    """Somebody else."""
    return creator(people)


def contact(admin: Odoo, name: str = "To be deleted") -> int:
    """Make a contact."""
    return toolkit.create(admin, "res.partner", {"name": name}).id


def is_there(admin: Odoo, record: int) -> bool:
    """Whether a contact has not been deleted."""
    return toolkit.count(admin, "res.partner", [["id", "=", record]]).count == 1


def deletion(team: RunningTeam, token: str, record: int, era: str = "2026-07-28") -> dict[str, Any]:
    """Delete a contact with a client that cannot ask; return what it is told."""
    arguments = {"model": "res.partner", "ids": [record]}
    if era == "2026-07-28":
        answer = call(team.url, token, "odoo_core_unlink", arguments)
    else:
        answer = requests.post(
            f"{team.url}/mcp",
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "odoo_core_unlink", "arguments": arguments},
            },
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": era,
            },
            timeout=120,
        )
    assert answer.status_code == 200, answer.text
    (told,) = re.findall(r'^(?:data: )?(\{"jsonrpc".*)$', answer.text, flags=re.MULTILINE)
    found: dict[str, Any] = json.loads(told)["result"]["structuredContent"]
    return found


def token_of(team: RunningTeam, user: User) -> str:
    """Connect a client for a user; return its token."""
    return Person(team.url).connect(OAuthClient(team.url), **user.form).access


def at_page(team: RunningTeam, user: User) -> Person:
    """Return somebody who has signed in to the page."""
    one = Person(team.url)
    answer = one.post("/me/sign-in", one.get(PAGE), **user.form)
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE), text_of(answer)
    return one


def happenings(team: RunningTeam, number: int) -> list[Event]:
    """Return what the audit log has of a plan, the first first."""
    events = team.server.provider.activity.latest()
    return [one for one in reversed(events) if one.body.get("approval") == number]


def plan_on(page: requests.Response, number: int) -> dict[str, str]:
    """Return the hidden fields of a plan on a page."""
    (form,) = [
        form
        for form in re.findall(r"<form.*?</form>", page.text, flags=re.DOTALL)
        if f'name="plan" value="{number}"' in form
    ]
    return hidden(form)


def decide(one: Person, number: int, decision: str = "yes", **changed: str) -> requests.Response:
    """Press a button of a plan."""
    page = one.get(PAGE)
    form = {**plan_on(page, number), "decision": decision, **changed}
    return one.post(f"{PAGE}/decide", page, **form)


@pytest.mark.every_version
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_who_cannot_be_asked_by_the_client_confirms_on_the_page(
    start: Start, admin: Odoo, ann: User, era: str
) -> None:
    """The page is another process's; one yes is good for one call."""
    team, other = start(), start()
    record, token = contact(admin), token_of(team, ann)
    waits = deletion(team, token, record, era)
    assert waits["code"] == "CONFIRMATION_NEEDED", waits
    assert waits["details"]["page"] == team.url + PAGE
    assert "To be deleted" in waits["details"]["asks"]
    number = waits["details"]["approval"]
    assert deletion(team, token, record, era)["details"]["approval"] == number
    one = at_page(other, ann)
    assert "1 plan waits for you" in text_of(one.get("/me"))
    assert waits["details"]["asks"].split("\n")[0] in text_of(one.get(PAGE))
    assert "Confirmed" in text_of(decide(one, number))
    assert "No plan waits for you" in text_of(one.get(PAGE))
    assert is_there(admin, record)
    done = deletion(team, token, record, era)
    assert "code" not in done, done
    assert not is_there(admin, record)


def test_a_refusal_is_told_once_and_a_yes_counts_for_an_hour(
    start: Start, admin: Odoo, ann: User, tmp_path: Path
) -> None:
    team = start(confirm="always")
    record, token = contact(admin), token_of(team, ann)
    one = at_page(team, ann)
    first = deletion(team, token, record)["details"]["approval"]
    assert "Refused" in text_of(decide(one, first, "no"))
    refused = deletion(team, token, record)
    assert (refused["code"], refused["retry"]) == ("VALIDATION_ERROR", False)
    second = deletion(team, token, record)["details"]["approval"]
    assert second != first
    decide(one, second)
    journal = sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None)
    journal.execute(
        "UPDATE approval SET decided = replace(decided, substr(decided, 1, 10), '2000-01-01')"
    )
    journal.close()
    third = deletion(team, token, record)["details"]["approval"]
    assert third not in (first, second)
    assert is_there(admin, record)
    assert [one.kind for one in happenings(team, first)] == ["plan asked", "plan refused"]
    # Of what nobody decides upon, it is noted once that it has expired.
    journal = sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None)
    journal.execute("UPDATE approval SET asked = '2000-01-01' WHERE id = ?", [third])
    journal.close()
    for _ in range(2):
        waiting_plans.expire(team.team.instances["main"], team.server.provider.activity)
    assert [one.kind for one in happenings(team, third)] == ["plan asked", "plan expired"]


def test_where_the_settings_say_that_nothing_is_asked_it_stays_so(
    start: Start, admin: Odoo, ann: User
) -> None:
    team = start(confirm="never")
    record = contact(admin)
    assert "code" not in deletion(team, token_of(team, ann), record, "2025-11-25")
    assert not is_there(admin, record)


def test_without_a_change_history_nothing_is_done_unasked(
    start: Start, admin: Odoo, ann: User
) -> None:
    team = start(history="off")
    record = contact(admin)
    refused = deletion(team, token_of(team, ann), record)
    assert refused["code"] == "CONFIG_ERROR"
    assert "set history" in refused["suggestion"]
    assert is_there(admin, record)


def test_a_plan_of_ones_own_is_nobody_elses(
    start: Start, admin: Odoo, ann: User, bob: User
) -> None:
    team = start(approvers=[bob.login])
    record = contact(admin)
    number = deletion(team, token_of(team, ann), record)["details"]["approval"]
    one, other = at_page(team, ann), at_page(team, bob)
    page = one.get(PAGE)
    theirs = plan_on(page, number)
    assert "To be deleted" not in text_of(other.get(PAGE))
    for whose in ("own", "others"):
        form = {**theirs, "decision": "yes", "whose": whose}
        del form["csrf"]
        refused = other.post(f"{PAGE}/decide", other.get("/me"), **form)
        assert (refused.status_code, "no longer exists" in text_of(refused)) == (404, True)
    assert decide(one, number, whose="others").status_code == 403


def test_a_form_of_another_site_or_another_plan_decides_nothing(
    start: Start, admin: Odoo, ann: User
) -> None:
    team = start()
    token = token_of(team, ann)
    number = deletion(team, token, contact(admin))["details"]["approval"]
    another = deletion(team, token, contact(admin, "Kept"))["details"]["approval"]
    one = at_page(team, ann)
    form = {**plan_on(one.get(PAGE), number), "decision": "yes"}
    where = f"{team.url}{PAGE}/decide"

    def status(**headers: str) -> int:
        return one.browser.post(where, form, headers=headers, timeout=60).status_code

    assert status() == status(Origin="https://evil.example") == status(Origin="null") == 403
    signed = dict(form)
    form["csrf"] = "0" * 64
    assert status(Origin=team.url) == 403
    form = {**signed, "plan": str(another)}
    assert status(Origin=team.url) == 409
    form = {**signed, "decision": "approved"}
    assert status(Origin=team.url) == 404
    stranger = Person(team.url)
    assert stranger.post(f"{PAGE}/decide", stranger.get(PAGE), decision="yes").status_code == 403
    form = signed
    assert [status(Origin=team.url), status(Origin=team.url)] == [200, 409]


@pytest.mark.every_version
def test_an_approver_decides_on_the_page_without_a_client(
    start: Start, admin: Odoo, ann: User, people: People
) -> None:
    boss, other = people.make(), people.make()
    rules = {
        "approval": ["res.partner.unlink"],
        "approvers": [boss.login.upper(), ann.login],
        "confirm": "never",
    }
    team = start(**rules)
    record, token = contact(admin, HOSTILE), token_of(team, ann)
    waits = deletion(team, token, record, "2025-11-25")
    assert waits["code"] == "APPROVAL_NEEDED", waits
    assert team.url + PAGE in waits["suggestion"]
    number = waits["details"]["approval"]
    # Who asked sees the plan, and has no button for it.
    asker = at_page(team, ann)
    assert "another user must approve" in text_of(asker.get(PAGE))
    assert f'name="plan" value="{number}"' not in asker.get(PAGE).text
    judge = at_page(team, boss)
    page = judge.get(PAGE)
    assert HOSTILE in text_of(page).replace("&lt;", "<") or "alert(1)" in text_of(page)
    assert "<script" not in page.text
    fields = plan_on(page, number)
    fields.pop("csrf")
    own = asker.post(f"{PAGE}/decide", asker.get("/me"), **fields, decision="yes")
    assert (own.status_code, "your own plan" in text_of(own)) == (403, True)
    # Somebody who decides upon nothing has no account here.
    one = Person(team.url)
    assert one.post("/me/sign-in", one.get(PAGE), **other.form).status_code == 404
    assert "Approved" in text_of(decide(judge, number))
    assert "code" not in deletion(team, token, record, "2025-11-25")
    assert not is_there(admin, record)
    happened = happenings(team, number)
    assert [(event.kind, event.body["login"]) for event in happened] == [
        ("plan asked", ann.login),
        ("plan approved", boss.login),
        ("plan used", ann.login),
    ]
    assert [event.body.get("plan") for event in happened] == [waits["details"]["asks"], None, None]
    assert happened[1].body["decided_by"] == boss.login
    assert "plan approved" in text_of(judge.get("/me"))


def test_two_decisions_at_once_in_two_processes_are_one(
    start: Start, admin: Odoo, ann: User, bob: User, people: People
) -> None:
    boss = people.make()
    rules = {
        "approval": ["res.partner.unlink"],
        "approvers": [boss.login, bob.login],
        "confirm": "never",
    }
    teams = [start(**rules), start(**rules)]
    token = token_of(teams[0], ann)
    judges = [at_page(teams[0], boss), at_page(teams[1], bob)]
    for _ in range(5):
        record = contact(admin)
        number = deletion(teams[0], token, record)["details"]["approval"]
        pages = [judge.get(PAGE) for judge in judges]

        def press(place: int, decision: str) -> int:
            form = plan_on(pages[place], number)  # noqa: B023
            answer = judges[place].post(f"{PAGE}/decide", pages[place], **form, decision=decision)  # noqa: B023
            return answer.status_code

        with ThreadPoolExecutor() as pool:
            statuses = list(pool.map(press, (0, 1), ("yes", "no")))
        assert sorted(statuses) == [200, 409]
        answer = deletion(teams[0], token, record)
        assert ("code" not in answer) == (statuses[0] == 200), answer
        assert is_there(admin, record) == (statuses[1] == 200)


def test_an_approver_who_was_archived_decides_no_more(
    start: Start, admin: Odoo, ann: User, people: People
) -> None:
    """At once, though the session on the page goes on, and the key was looked at just before."""
    boss = people.make()
    rules = {"approval": ["res.partner.unlink"], "approvers": [boss.login], "confirm": "never"}
    team = start(**rules)
    record, token = contact(admin), token_of(team, ann)
    number = deletion(team, token, record)["details"]["approval"]
    judge = at_page(team, boss)
    page = judge.get(PAGE)
    people.archive(boss.uid)
    form = plan_on(page, number)
    refused = judge.post(f"{PAGE}/decide", page, **form, decision="yes")
    assert (refused.status_code, "Nothing was decided" in text_of(refused)) == (403, True)
    # The session has ended: another press makes no other failed login in Odoo.
    again = judge.post(f"{PAGE}/decide", page, **form, decision="yes")
    assert (again.status_code, "no longer signed in" in text_of(again)) == (403, True)
    assert "To be deleted" not in text_of(judge.get(PAGE))
    assert deletion(team, token, record)["details"]["approval"] == number
    team.server.attempts.forget(f"odoo {team.team.instances['main'].odoo}")


def test_an_approver_whom_the_file_no_longer_names_decides_no_more(
    start: Start, admin: Odoo, ann: User, bob: User
) -> None:
    """Nor does a yes count that was given before."""
    rules = {"approval": ["res.partner.unlink"], "confirm": "never"}
    team = start(**rules, approvers=[bob.login])
    record, token = contact(admin), token_of(team, ann)
    number = deletion(team, token, record)["details"]["approval"]
    judge = at_page(team, bob)
    page = judge.get(PAGE)
    assert "Approved" in text_of(decide(judge, number))
    changed = start(**rules, approvers=["somebody"])
    waits = deletion(changed, token_of(changed, ann), record)
    assert waits["details"]["approval"] != number
    judge.url = changed.url
    assert "Plans of others" not in text_of(judge.get(PAGE))
    form = plan_on(page, number)
    assert judge.post(f"{PAGE}/decide", page, **form, decision="yes").status_code == 403
    assert is_there(admin, record)


def test_the_audit_log_has_a_plan_once_and_without_secrets(
    start: Start, admin: Odoo, ann: User
) -> None:
    team = start(confirm_tools=["odoo_core_create"])
    values = {"name": "Jansen", "comment": "password: hunter2 api_key=abc1"}
    token, arguments = token_of(team, ann), {"model": "res.partner", "values": values}
    answer = call(team.url, token, "odoo_core_create", arguments).text
    number = int(re.findall(r'"approval": ?(\d+)', answer)[0])
    one = at_page(team, ann)
    assert "hunter2" in text_of(one.get(PAGE))
    decide(one, number)
    call(team.url, token, "odoo_core_create", arguments)
    happened = happenings(team, number)
    assert [event.kind for event in happened] == ["plan asked", "plan approved", "plan used"]
    told = json.dumps([event.body for event in happened])
    assert ("hunter2" in told, "abc1" in told) == (False, False)
    assert told.count("Jansen") == 1
    assert ["plan" in event.body for event in happened] == [True, False, False]


@pytest.mark.every_version
def test_who_takes_the_name_of_another_is_known_by_the_login(
    start: Start, admin: Odoo, people: People
) -> None:
    boss, ann = people.make(), creator(people)
    users = toolkit.search_read(people.free, "res.users", [["id", "=", boss.uid]], ["name"])
    name = f"{users.records[0]['name']} ({boss.login})"
    toolkit.write(people.free, "res.users", [ann.uid], {"name": name})
    team = start(approval=["res.partner.unlink"], approvers=[boss.login], confirm="never")
    number = deletion(team, token_of(team, ann), contact(admin))["details"]["approval"]
    judge = at_page(team, boss)
    assert f"{ann.login} ({name})" in text_of(judge.get(PAGE))
    assert f"{ann.login} ({name}) can now tell" in text_of(decide(judge, number))
    assert happenings(team, number)[0].body["asked_by"].startswith(ann.login)


def test_wrong_sign_ins_of_strangers_keep_nobody_from_deciding(
    start: Start, admin: Odoo, ann: User
) -> None:
    team = start()
    number = deletion(team, token_of(team, ann), contact(admin))["details"]["approval"]
    one, odoo = at_page(team, ann), team.team.instances["main"].odoo
    for _ in range(5):
        team.server.attempts.note(f"login {odoo} {ann.login.lower()}")
        team.server.attempts.note(f"odoo {odoo}")
    assert "Confirmed" in text_of(decide(one, number))
    team.server.attempts.forget(f"odoo {odoo}")


def test_only_who_comes_to_approve_gets_a_key_and_is_told(start: Start, people: People) -> None:
    boss = people.make()
    team = start(approval=["res.partner.unlink"], approvers=[boss.login])
    one = Person(team.url)
    page = one.get("/me")
    assert "creates one" not in text_of(page)
    refused = one.post("/me/sign-in", page, **boss.form)
    assert (refused.status_code, f"open {PAGE}" in text_of(refused)) == (404, True)
    grants = team.server.provider.grants
    assert grants.account_of("main", boss.uid) is None
    assert "creates one" in text_of(one.get(PAGE))
    at_page(team, boss)
    assert grants.account_of("main", boss.uid).key
    assert [one.kind for one in team.server.provider.activity.latest(kind="key kept")]


def test_without_a_key_nobody_sees_plans(start: Start, admin: Odoo, ann: User) -> None:
    team = start()
    deletion(team, token_of(team, ann), contact(admin))
    one = at_page(team, ann)
    page = one.get(PAGE)
    assert "To be deleted" in text_of(page)
    grants = team.server.provider.grants
    account = grants.account_of("main", ann.uid)
    grants.drop_key(account.id, "disconnected by the user")
    assert "To be deleted" not in text_of(one.get(PAGE))
    assert "waits for you" not in text_of(one.get("/me"))
    again = one.post("/me/sign-in", one.get(PAGE), **ann.form)
    assert (again.status_code, "no connections" in text_of(again)) == (404, True)


def test_a_history_that_cannot_be_used_keeps_no_other_from_being_tidied(
    server: Server, tmp_path: Path
) -> None:
    journal = tmp_path / "history.sqlite"
    instances = {
        "broken": instance_of(server, mode="full", history=str(tmp_path)),
        "main": instance_of(server, mode="full", history=str(journal)),
    }
    team = RunningTeam(tmp_path, instances)
    with waiting_plans.opened(team.team.instances["main"]) as plans:
        told = {"uid": 7, "who": "ann", "client": "", "operation": "", "message": "", "digest": ""}
        number = plans["own"].ask(**told).id
    connection = sqlite3.connect(journal, isolation_level=None)
    connection.execute("UPDATE approval SET asked = '2000-01-01'")
    connection.close()
    with team:
        until(lambda: [one.kind for one in happenings(team, number)] == ["plan expired"])


def test_a_locked_history_decides_nothing_and_a_session_that_ended_neither(
    start: Start, admin: Odoo, ann: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = start()
    number = deletion(team, token_of(team, ann), contact(admin))["details"]["approval"]
    one = at_page(team, ann)
    page = one.get(PAGE)
    form = {**plan_on(page, number), "decision": "yes"}
    journal = sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None)
    journal.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(databases, "_PATIENCE", 0.1)
    locked = one.post(f"{PAGE}/decide", page, **form)
    assert (locked.status_code, "cannot do that now" in text_of(locked)) == (503, True)
    assert "history.sqlite" not in locked.text
    journal.execute("ROLLBACK")
    journal.close()
    long = one.post(f"{PAGE}/decide", page, **{**form, "stamp": "x" * 1_000_000})
    assert long.status_code == 413
    assert "Confirmed" not in text_of(long)
    out = Person(team.url)
    out.browser.cookies.update(one.browser.cookies)
    out.post("/me/sign-out", out.get("/me"))
    ended = one.post(f"{PAGE}/decide", page, **form)
    assert (ended.status_code, "no longer signed in" in text_of(ended)) == (403, True)
    again = at_page(team, ann)
    decided = decide(again, number)
    assert "Confirmed" in text_of(decided)
    for answer in (page, locked, ended, decided):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_a_plan_that_nobody_can_read_is_not_kept(start: Start, ann: User) -> None:
    team = start(confirm_tools=["odoo_core_create"])
    values = {"name": "Long", "comment": "x" * 1_000_000}
    arguments = {"model": "res.partner", "values": values}
    answer = call(team.url, token_of(team, ann), "odoo_core_create", arguments)
    assert "can have at most 20,000" in answer.text
    assert "No plan waits for you" in text_of(at_page(team, ann).get(PAGE))


def test_the_operator_can_choose_each_kind_of_entry(start: Start) -> None:
    assert {f"plan {one}" for one in get_args(Happening)} < {*get_args(Kind)}
    page = operator_of(start()).get("/admin/activity")
    assert all(f"<option>{kind}</option>" in page.text for kind in get_args(Kind))


def test_a_colleague_who_leaves_is_out_at_once(
    start: Start, admin: Odoo, ann: User, people: People
) -> None:
    """The steps of the guide: archived in Odoo, disconnected by the administrator."""
    boss = creator(people)
    rules = {"approval": ["res.partner.unlink"], "approvers": [boss.login], "confirm": "never"}
    team = start(**rules)
    token = token_of(team, boss)
    judge = at_page(team, boss)
    deletion(team, token_of(team, ann), contact(admin))
    assert "To be deleted" in text_of(judge.get(PAGE))
    people.archive(boss.uid)
    operator = operator_of(team)
    (account,) = [
        one.id for one in team.server.provider.grants.accounts() if one.login == boss.login
    ]
    operator.post("/admin/revoke", operator.get("/admin"), account=str(account))
    assert status_of(team, token) == 401
    assert "To be deleted" not in text_of(judge.get(PAGE))
    one = Person(team.url)
    refused = one.post("/me/sign-in", one.get(PAGE), **boss.form)
    assert refused.status_code == 400, text_of(refused)
    team.server.attempts.forget(f"odoo {team.team.instances['main'].odoo}")
