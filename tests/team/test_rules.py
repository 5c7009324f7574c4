"""The team's file, and what its rules let people do. No Odoo is needed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomlkit

from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit_mcp.accounts import odoo_users
from odoo_toolkit_mcp.accounts.command import FAILED, WRONG_SETTINGS, main
from odoo_toolkit_mcp.accounts.passwords import hash_password, is_password
from odoo_toolkit_mcp.accounts.team import read_team, team_of
from odoo_toolkit_mcp.accounts.wording import policy_in_words
from odoo_toolkit_mcp.settings import ServerSettings
from tests.live.servers import Server, ordinary_user
from tests.team.conftest import Serve
from tests.team.harness import (
    OAuthClient,
    Person,
    RunningTeam,
    connected,
    form_of,
    instance_of,
    status_of,
    text_of,
)
from tests.team.people import NOWHERE, Users

INSTANCE = {name: value for name, value in NOWHERE.items() if name != "history"}
RIGHT: dict[str, Any] = {"public_url": "https://mcp.example.com", "instances": {"main": INSTANCE}}


def with_instance(**changed: Any) -> dict[str, Any]:
    return {"instances": {"main": {**INSTANCE, **changed}}}


def with_rule(**rule: Any) -> dict[str, Any]:
    return with_instance(rules=[{"logins": ["first"]}, rule])


# The file ---------------------------------------------------------------------------------------


def test_the_least_that_a_file_says_is_enough(tmp_path: Path) -> None:
    team = team_of(RIGHT, tmp_path)
    assert team.resource == "https://mcp.example.com/mcp"
    assert team.instances["main"].rule_for("anybody", []) == 0
    assert team.instances["main"].rules[0].settings.mode == "readonly"
    assert team.store == str(tmp_path / "accounts.sqlite")
    assert team.instances["main"].connection.history == str(tmp_path / "history.sqlite")


POSTGRESQL = "postgresql://mcp@db.example.com/mcp"
IN_POSTGRESQL = {"store": POSTGRESQL, "secret_keys": ["a" * 32]}


@pytest.mark.parametrize(
    ("file", "given", "place"),
    [
        ({"store": "kept/accounts.sqlite"}, None, "{folder}/kept/history.sqlite"),
        (IN_POSTGRESQL, None, POSTGRESQL),
        (IN_POSTGRESQL, "own.sqlite", "{folder}/own.sqlite"),
        ({}, "kept/own.sqlite", "{folder}/kept/own.sqlite"),
        ({}, "/srv/own.sqlite", "/srv/own.sqlite"),
        ({}, POSTGRESQL, POSTGRESQL),
        ({}, "auto", "auto"),
        ({}, "Off", "off"),
    ],
)
def test_the_journal_is_where_the_store_is_unless_the_file_says_otherwise(
    tmp_path: Path, file: dict[str, Any], given: str | None, place: str
) -> None:
    journal = {} if given is None else {"history": given}
    team = team_of({**RIGHT, **file, **with_instance(**journal)}, tmp_path)
    assert team.instances["main"].connection.history == place.format(folder=tmp_path)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"public_url": None}, "public_url"),
        ({"public_url": "http://mcp.example.com"}, "public_url"),
        ({"public_url": "https://mcp.example.com/mcp"}, "public_url"),
        ({"public_url": "https://mcp.example.com?x"}, "public_url"),
        ({"public_url": 5}, "public_url"),
        ({"public_ur": "https://mcp.example.com"}, "Did you mean public_url"),
        ({"instances": {}}, "instances is missing"),
        ({"instances": []}, "instances is missing"),
        ({"instances": {"Main Database": INSTANCE}}, "instances.Main Database"),
        ({"instances": {"main": "https://odoo.example.com"}}, "must be a table"),
        (with_instance(url=None), "url"),
        (with_instance(database=None), "database is missing"),
        (with_instance(username=None), "username and api_key are missing"),
        (
            with_instance(api_key=None),
            "There are no credentials. Set api_key, or username and password.",
        ),
        (with_instance(mode="everything"), "mode"),
        (with_instance(mdoe="full"), "mdoe"),
        (with_instance(auth_token="x" * 40), "auth_token"),
        (with_instance(allowed_hosts=["example.com"]), "allowed_hosts"),
        (with_instance(audit=True), "audit is not a setting of a team server: the activity"),
        (with_instance(audit_file="x.jsonl"), "audit_file is not a setting of a team server"),
        (with_instance(audit_writes=False), "audit_writes is not a setting of a team server"),
        (with_instance(audit_deletes=False), "audit_deletes is not a setting of a team server"),
        (with_instance(rate_limit_burst=5), "counts calls by the minute"),
        (with_instance(stateless=False), "stateless is not a setting of a team server"),
        (with_instance(log_level="debug"), "log_level applies to the whole server"),
        ({"audit": True}, "audit is not a setting of a team server"),
        (with_instance(title=7), "title must be a string"),
        (with_instance(history="of"), "history is 'of'"),
        (with_instance(history="none"), "history is 'none'"),
        (with_instance(rules={"mode": "full"}), "rules must be tables"),
        (with_instance(rules=["full"]), "rule 1: must be a table"),
        (with_rule(mode="everything"), "rule 2: "),
        (with_rule(group=["base.group_user"]), "Did you mean groups"),
        (with_rule(groups="base.group_user"), "groups must be a list"),
        (with_rule(groups=[]), "groups is empty"),
        (with_rule(groups=["Sales / Manager"]), "external ids"),
        (with_rule(logins=[5]), "logins must be a list"),
        (with_rule(allow="no"), "allow must be"),
        (with_rule(log_level="debug"), "log_level"),
        ({"operator_password": "a password in plain"}, "operator_password is not a hash"),
        ({"operator_password": "env:NOT_SET_ANYWHERE"}, "NOT_SET_ANYWHERE"),
        (with_rule(write_allowlist=["env:NOT_SET_ANYWHERE"]), "rules.write_allowlist reads"),
        ({"secret_keys": ["short"]}, "secret_keys"),
        ({"secret_keys": "x" * 64}, "secret_keys must be a list"),
        ({"secret_keys": ["env:NOT_SET_ANYWHERE"]}, "NOT_SET_ANYWHERE"),
        ({"store": "postgresql://db/accounts"}, "secret_keys is missing"),
        ({"store": 5}, "store must be a string"),
        ({"access_hours": 0}, "access_hours"),
        ({"access_hours": "a day"}, "access_hours"),
        ({"access_hours": float("nan")}, "access_hours"),
        ({"access_hours": float("inf")}, "access_hours"),
        ({"refresh_days": True}, "refresh_days"),
        ({"activity_days": 1.5}, "activity_days"),
        ({"with_password": "yes"}, "with_password"),
        ({"with_password": False, "with_key": False}, "no one can sign in"),
        ({"client_documents": 1}, "client_documents"),
        ({"port": 99999}, "port"),
        ({"lists": []}, "lists must be tables"),
        ({"lists": {"Desk 1": {"tools": ["odoo_core_read"]}}}, "lists.Desk 1: a name can have"),
        ({"lists": {"main": {"tools": ["odoo_core_read"]}}}, "Rename the list"),
        ({"lists": {"desk": 5}}, "lists.desk must be a table"),
        ({"lists": {"desk": {"tool": ["odoo_core_read"]}}}, "Did you mean tools"),
        ({"lists": {"desk": {"tools": []}}}, "lists.desk: tools must be a list"),
        ({"lists": {"desk": {"tools": "odoo_core_read"}}}, "lists.desk: tools must be a list"),
        ({"lists": {"desk": {"tools": ["odoo_core_read "]}}}, "'odoo_core_read ' contains spaces"),
        ({"lists": {"desk": {"tools": [""]}}}, "'' contains spaces"),
        (
            {"lists": {"desk": {"tools": ["odoo_core_read"], "instance": ["main"]}}},
            "instance is ['main'], but there are main",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_told(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    content = {name: value for name, value in {**RIGHT, **wrong}.items() if value is not None}
    if isinstance(content["instances"], dict):
        content["instances"] = {
            name: {key: value for key, value in one.items() if value is not None}
            if isinstance(one, dict)
            else one
            for name, one in content["instances"].items()
        }
    with pytest.raises(ConfigurationError) as caught:
        team_of(content, tmp_path)
    problems = caught.value.details["problems"]
    assert told in problems[0]
    assert all(any(name in problem for name in wrong) for problem in problems) or "store" in wrong


def test_all_that_is_wrong_is_told_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "team.toml"
    path.write_text('public_url = "ftp"\nstoer = "y"\n[instances.main]\nmode = "all"\n')
    assert main([str(path), "--check"]) == WRONG_SETTINGS
    said = capsys.readouterr().err
    for word in ("public_url", "stoer", "mode must be"):
        assert said.count(word) == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"confirm_tools": ["odoo_core_delet"]}, "no tool 'odoo_core_delet'"),
        ({"enabled_toolsets": ["slaes"]}, "no toolset 'slaes'"),
        ({"disabled_toolsets": ["slaes"]}, "no toolset 'slaes'"),
        ({"approval": ["post everything"]}, "approval: 'post everything' is not a rule"),
        ({"approval": ["account.move.action_post"]}, "approvers lists no approver"),
    ],
)
def test_what_only_a_call_would_find_wrong_is_told_at_the_start(
    tmp_path: Path, wrong: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "team.toml"
    path.write_text(tomlkit.dumps({**RIGHT, **with_rule(**wrong)}))
    for words in ([str(path), "--check"], [str(path)]):
        assert main(words) == WRONG_SETTINGS
        said = capsys.readouterr().err
        assert "instances.main: rule 2: " in said
        assert told in said
        assert "ODOO_MCP_" not in said
    # Nothing was made for a server that does not start.
    assert [one.name for one in tmp_path.iterdir()] == ["team.toml"]


def test_a_check_tells_of_plugins_and_a_journal_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plugin.toml").write_text("no plugin at all")
    (tmp_path / "history.sqlite").mkdir()
    path = tmp_path / "team.toml"
    more = {
        "plugin_files": [str(tmp_path / "plugin.toml")],
        "history": str(tmp_path / "history.sqlite"),
    }
    path.write_text(tomlkit.dumps({**RIGHT, **with_instance(**more, reconnect_attempts=0)}))
    assert main([str(path), "--check"]) == FAILED
    said = capsys.readouterr().err
    assert "does not use the plugin" in said
    assert "history.sqlite" in said
    assert "There is no server" in said


def test_a_check_tells_of_groups_that_odoo_does_not_have(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = ordinary_user(server)
    right = {"groups": ["base.group_user", "base.group_system"]}
    wrong = {"groups": ["sales_team.group_sale_manger"], "allow": False}
    for rules, status in [([right], 0), ([wrong, right], FAILED)]:
        instance = instance_of(server, username=user.login, password=user.password, rules=rules)
        instance.pop("api_key", None)
        path = tmp_path / "team.toml"
        path.write_text(tomlkit.dumps({**RIGHT, "instances": {"main": instance}}))
        assert main([str(path), "--check"]) == status
        said = capsys.readouterr().err
        assert ("no group sales_team.group_sale_manger," in said) == (status == FAILED)
        assert "base.group" not in said


@pytest.mark.parametrize("content", [b"public_url = [", b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "team.toml"
    if content is not None:
        path.write_bytes(content)
    assert main([str(path)]) == WRONG_SETTINGS
    told = "cannot read" if content is not None else f"serve --init {path}"
    assert told in capsys.readouterr().err


def test_values_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = hash_password("long enough, this")
    monkeypatch.setenv("OPERATOR", hashed)
    monkeypatch.setenv("KEYS", f"{'a' * 32},{'b' * 32}")
    path = tmp_path / "team.toml"
    path.write_text(
        'public_url = "https://mcp.example.com"\noperator_password = "env:OPERATOR"\n'
        'secret_keys = ["env:KEYS"]\n[instances.main]\nurl = "https://odoo.example.com"\n'
        'database = "main"\nusername = "server"\napi_key = "env:OF_ODOO"\n'
    )
    monkeypatch.setenv("OF_ODOO", "0123")
    team = read_team(path)
    key = team.instances["main"].connection.api_key
    assert key.reveal() == "0123"
    assert team.operator_password == hashed
    assert [key.reveal() for key in team.secret_keys] == ["a" * 32, "b" * 32]
    assert "a" * 32 not in repr(team)


def test_a_password_of_the_operator_is_long_and_kept_as_a_slow_hash() -> None:
    with pytest.raises(ValueError, match="12"):
        hash_password("short")
    kept = hash_password("long enough, this")
    assert kept != hash_password("long enough, this")
    assert is_password("long enough, this", kept)
    assert not is_password("long enough, thiS", kept)


# The rules --------------------------------------------------------------------------------------


def test_the_first_rule_that_fits_counts_and_whom_none_fits_is_not_admitted(tmp_path: Path) -> None:
    rules = [
        {"logins": ["eve@*"], "allow": False},
        {"groups": ["sales_team.group_sale_manager"], "mode": "full"},
        {"logins": ["*@example.com"], "groups": ["base.group_user"]},
    ]
    instance = team_of({**RIGHT, **with_instance(rules=rules)}, tmp_path).instances["main"]
    sales, user = "sales_team.group_sale_manager", "base.group_user"
    for login, groups, place in [
        ("eve@example.com", [sales, user], None),
        ("ann@example.com", [sales, user], 1),
        ("ann@elsewhere.com", [sales], 1),
        ("ANN@EXAMPLE.COM", [user], 2),
        ("ann@example.com", [], None),
        ("ann@example.com.evil.net", [user], None),
        ("ann@elsewhere.com", [user], None),
    ]:
        assert instance.rule_for(login, groups) == place, (login, groups)


def test_a_rule_closes_besides_what_its_instance_closes(tmp_path: Path) -> None:
    rules = [{"model_blocklist": ["hr.employee"], "field_blocklist": ["vat"]}]
    closed = with_instance(model_blocklist=["account.move"], rules=rules)
    (rule,) = team_of({**RIGHT, **closed}, tmp_path).instances["main"].rules
    assert set(rule.settings.model_blocklist) == {"account.move", "hr.employee"}
    assert set(rule.settings.field_blocklist) == {"vat"}


@pytest.mark.parametrize(
    ("settings", "told", "not_told"),
    [
        ({"mode": "readonly"}, "cannot create, change or delete", "in your name"),
        (
            {"mode": "restricted", "write_allowlist": ("crm.lead",)},
            "create and change records of: crm.lead",
            "in your name",
        ),
        ({"mode": "restricted"}, "no model", "crm.lead"),
        ({"mode": "full"}, "confirm orders, post invoices, send e-mails", "cannot create"),
        ({"model_allowlist": ("res.partner",)}, "only these models: res.partner", "never sees: "),
        ({"model_blocklist": ("hr.employee",)}, "never sees: hr.employee", "only"),
        (
            {"mode": "full", "confirm": "always"},
            "It asks you to confirm before it deletes",
            "can ask",
        ),
        ({"mode": "full", "confirm": "never"}, "passwords", "You are asked"),
    ],
)
def test_a_policy_is_told_in_plain_words(
    settings: dict[str, Any], told: str, not_told: str
) -> None:
    words = " ".join(policy_in_words(ServerSettings(transport="http", **settings)))
    assert told in words
    assert not_told not in words


def test_to_the_operator_a_policy_is_told_of_the_person() -> None:
    settings = ServerSettings(transport="http", mode="full")
    words = " ".join(policy_in_words(settings, to_operator=True))
    assert "in this user's name everything that this user can do" in words
    assert "It asks this user to confirm before" in words
    assert " you" not in words.lower()


RULES = [
    {"groups": ["sales_team.group_sale_manager"], "mode": "full"},
    {"groups": ["base.group_user"]},
]
MANAGER = ("base.group_user", "sales_team.group_sale_manager")


@pytest.fixture
def ruled(serve: Serve) -> RunningTeam:
    """A team with a rule for managers and one for users."""
    return serve({"main": {**NOWHERE, "rules": RULES}})


def test_before_consent_everybody_reads_the_rule_that_holds_for_them(
    ruled: RunningTeam, users: Users
) -> None:
    users.groups["ann"] = MANAGER
    users.groups["guest"] = ("base.group_portal",)
    client = OAuthClient(ruled.url)
    for login, told in [("ann", "confirm orders"), ("bob", "cannot create, change or delete")]:
        person = Person(ruled.url)
        page = person.sign_in(person.begin(client), **form_of(login))
        assert told in text_of(page)
    person = Person(ruled.url)
    page = person.sign_in(person.begin(client), **form_of("guest"))
    assert page.status_code == 403
    assert "You are not allowed here" in text_of(page)
    assert (users.made, users.forgotten) == ([], ["guest"])


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let time pass for what looks whether keys still hold."""
    moment = odoo_users.now() + seconds
    monkeypatch.setattr(odoo_users, "now", lambda: moment)


def places(team: RunningTeam) -> set[int]:
    return {place for _, place in team.server.members.servers}


def test_who_gets_into_another_group_is_under_its_rule_ten_minutes_later(
    ruled: RunningTeam, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.groups["ann"] = MANAGER
    tokens = connected(ruled)
    assert status_of(ruled, tokens.access) == 200
    assert places(ruled) == {0}
    users.groups["ann"] = ("base.group_user",)
    later(monkeypatch, 601)
    assert status_of(ruled, tokens.access) == 200
    assert places(ruled) == {0, 1}


def test_whom_no_rule_admits_any_more_is_disconnected(
    ruled: RunningTeam, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = OAuthClient(ruled.url)
    tokens = connected(ruled, client)
    users.groups["ann"] = ("base.group_portal",)
    later(monkeypatch, 601)
    assert status_of(ruled, tokens.access) == 401
    assert client.refresh(tokens.refresh).json()["error"] == "invalid_grant"
    (grant,) = ruled.server.provider.grants.grants(ended=True)
    assert grant.why == "the policy no longer admits this user"


def test_a_page_that_was_open_brings_back_no_group(
    ruled: RunningTeam, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.groups["ann"] = MANAGER
    client = OAuthClient(ruled.url)
    form = form_of()
    first = Person(ruled.url).connect(client, **form)
    one = Person(ruled.url)
    page = one.sign_in(one.begin(client), **form)
    users.groups["ann"] = ("base.group_user",)
    later(monkeypatch, 601)
    assert status_of(ruled, first.access) == 200
    assert places(ruled) == {1}
    second = client.tokens(one.answer(page)["code"])
    for tokens in (first, second):
        assert status_of(ruled, tokens.access) == 200
    assert places(ruled) == {1}
