"""The keywords of ``connect``."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import ConfigurationError, ConnectionSettings, Odoo, Policy, Pool, connect
from odoo_toolkit.connection import variables
from odoo_toolkit.testing import FakeServer

#: A value of each setting, which is not its default.
GIVEN: dict[str, Any] = {
    "url": "https://odoo.test",
    "database": "one",
    "username": "ann",
    "password": "hunter2",
    "api_key": "key",
    "protocol": "xmlrpc",
    "timeout": 5.0,
    "total_timeout": 7.0,
    "verify_ssl": False,
    "ca_cert": __file__,
    "proxy": "http://proxy.test",
    "lang": "fr_FR",
    "tz": "Europe/Brussels",
    "company_id": 2,
    "company_ids": (1, 2),
    "calls_per_second": 3.0,
    "max_concurrent_calls": 4,
    "health_interval": 6.0,
    "reconnect_attempts": 1,
    "reconnect_backoff": 0.5,
    "history": "/history.sqlite",
    "history_days": 30,
    "history_megabytes": 5,
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Odoo, "connect", lambda self: self)
    monkeypatch.setattr(variables, "_told", set())
    for name in [name for name in os.environ if name.startswith("ODOO_")]:
        monkeypatch.delenv(name)


def test_each_setting_is_a_keyword_and_arrives() -> None:
    settings = connect(**GIVEN).settings
    assert {name: getattr(settings, name) for name in GIVEN} == GIVEN
    assert set(GIVEN) == {field.name for field in attrs.fields(ConnectionSettings)}


def test_each_keyword_is_documented() -> None:
    documented = inspect.getdoc(connect) or ""
    names = list(inspect.signature(connect).parameters)
    assert set(GIVEN) < set(names)
    assert [name for name in names if f"\n    {name}: " not in documented] == []


def test_what_is_not_a_setting_is_told_with_what_was_meant() -> None:
    with pytest.raises(ConfigurationError) as caught:
        connect(db="one", user="ann", usrname="ann", polcy=Policy(), xyzzy=1)
    assert caught.value.details["problems"] == [
        "db is not a setting. Did you mean database?",
        "user is not a setting. Did you mean username?",
        "usrname is not a setting. Did you mean username?",
        "polcy is not a setting. Did you mean policy?",
        "xyzzy is not a setting.",
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ODOO_HISTRY", "ODOO_HISTORY"),
        ("ODOO_DATABASE", "ODOO_DB"),
        ("ODOO_USER", "ODOO_USERNAME"),
        ("ODOO_MODE", "ODOO_MCP_MODE"),
        ("ODOO_MODEL_BLOCKLIST", "ODOO_MCP_MODEL_BLOCKLIST"),
    ],
)
def test_a_variable_that_nothing_reads_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "x")
    for _ in range(2):
        connect(url="https://odoo.test", api_key="key")
    assert caplog.messages == [
        f"The toolkit does not read the environment variable {name}. You may mean {meant}."
    ]


@pytest.mark.parametrize("name", ["ODOO_RC", "ODOO_STAGE", "ODOO_DB_PASSWORD", "ODOO_DATABASE"])
def test_variables_of_others_and_of_what_is_given_are_no_mistake(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    monkeypatch.setenv(name, "x")
    connect(url="https://odoo.test", api_key="key", database="one")
    assert caplog.messages == []


def test_a_policy_in_the_environment_does_not_seem_to_apply(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    where: dict[str, Any] = {"url": "https://odoo.test", "api_key": "key"}
    monkeypatch.setenv("ODOO_MCP_MODE", "full")
    connect(**where)
    monkeypatch.setenv("ODOO_MCP_MODE", "readonly")
    monkeypatch.setenv("ODOO_MCP_FIELD_BLOCKLIST", "email")
    connect(**where, policy=Policy(mode="readonly"))
    assert caplog.messages == []
    connect(**where)
    (told,) = caplog.messages
    assert "does not read ODOO_MCP_MODE, ODOO_MCP_FIELD_BLOCKLIST:" in told


def test_settings_beside_settings_are_refused(tmp_path: Path) -> None:
    settings = ConnectionSettings(url="https://odoo.test", api_key="key")
    assert connect(settings).settings is settings
    for beside in ({"lang": "fr_FR"}, {"config": tmp_path / "odoo.json"}):
        with pytest.raises(ConfigurationError, match=next(iter(beside))):
            connect(settings, **beside)


def test_what_is_no_setting_arrives_too() -> None:
    policy, pool = Policy(mode="readonly"), Pool()
    odoo = connect(**GIVEN, policy=policy, pool=pool, on_call=print)
    assert (odoo.policy, odoo._line.pool, odoo._on_call) == (policy, pool, print)


def test_a_fake_server_takes_the_same_settings() -> None:
    assert FakeServer({}).connect(lang="fr_FR", company_id=2).settings.lang == "fr_FR"
