"""Settings come from keywords, environment and file, and every mistake is reported at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import ConfigurationError
from odoo_toolkit.configuration import Secret, boolean, comma_list, integer, unknown_keys
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings

KEY = {"url": "https://odoo.test", "api_key": "0123456789"}


def problems(**keywords: Any) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        connection_settings(**keywords)
    found: list[str] = caught.value.details["problems"]
    return found


def test_keywords_win_over_environment_over_file_over_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "odoo.json"
    file.write_text(
        json.dumps({"odoo_url": "https://file.test", "odoo_db": "file", "odoo_tz": "Asia/Tokyo"})
    )
    monkeypatch.setenv("ODOO_DB", "environment")
    monkeypatch.setenv("ODOO_URL", "https://environment.test/")

    found = connection_settings(str(file), url="https://keyword.test", api_key="k")

    assert (found.url, found.database, found.tz) == (
        "https://keyword.test",
        "environment",
        "Asia/Tokyo",
    )
    assert (found.lang, found.timeout, found.protocol) == ("en_US", 30.0, "auto")


ENVIRONMENT = {
    "ODOO_URL": "https://odoo.test",
    "ODOO_USERNAME": "admin",
    "ODOO_API_KEY": "the admin's",
}


@pytest.mark.parametrize(
    ("keywords", "used"),
    [
        ({}, True),
        ({"url": "https://odoo.test/", "username": "admin"}, True),
        ({"timeout": 3}, True),
        ({"username": "demo", "password": "demo"}, False),
        ({"username": "admin", "password": "wrong"}, False),
        ({"password": "wrong"}, False),
        ({"url": "https://elsewhere.test", "password": "demo"}, False),
    ],
)
def test_a_key_is_used_only_for_what_stands_beside_it(
    keywords: dict[str, Any], used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    assert (connection_settings(**keywords).api_key is not None) is used


@pytest.mark.parametrize("other", ["url", "database", "username"])
def test_a_key_of_another_address_or_user_is_missed(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**ENVIRONMENT, "ODOO_DB": "one"}.items():
        monkeypatch.setenv(name, value)
    (problem,) = problems(**{other: "https://other.test"})
    assert "There are no credentials" in problem


def test_a_key_without_an_address_of_its_own_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODOO_API_KEY", "mine")
    assert connection_settings(url="https://odoo.test", username="ann").api_key == "mine"


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({}, "ODOO_URL"),
        ({"url": "https://odoo.test"}, "credential"),
        ({"url": "https://odoo.test", "password": "x"}, "ODOO_USERNAME"),
        ({"url": "odoo.test", "api_key": "x"}, "http or https"),
        ({"url": "https://ann:secret@odoo.test", "api_key": "x"}, "must not contain a user"),
        ({"url": "https://odoo.test?db=x", "api_key": "x"}, "must end with the host"),
        ({"url": "https://odoo.test:port", "api_key": "x"}, "http or https"),
        ({**KEY, "protocol": "jsonrpc"}, "ODOO_USERNAME"),
        (
            {"url": "https://odoo.test", "username": "a", "password": "x", "protocol": "json2"},
            "api_key",
        ),
        ({**KEY, "timeout": 0}, "timeout"),
        ({**KEY, "tz": "Mars/X"}, "tz must be a time zone such as Europe/Brussels, not 'Mars/X'"),
        ({**KEY, "tz": "../../etc/passwd"}, "tz must be a time zone"),
        ({**KEY, "timeout": float("nan")}, "timeout"),
        ({**KEY, "ca_cert": "/nosuch.pem"}, "PEM"),
        ({**KEY, "company_id": 3, "company_ids": [1, 2]}, "company_id"),
        ({**KEY, "company_ids": "1,x"}, "company_ids"),
        ({**KEY, "company_id": True}, "company_id"),
    ],
)
def test_a_mistake_is_named(keywords: dict[str, Any], words: str) -> None:
    assert words in " ".join(problems(**keywords))


def test_trailing_slash_and_path_of_the_address() -> None:
    assert (
        connection_settings(**{**KEY, "url": "http://odoo.test/erp/"}).url == "http://odoo.test/erp"
    )


def test_base_context_has_the_current_company_first() -> None:
    found = connection_settings(**KEY, company_id=2, company_ids="1,2,3", lang="fr_FR")

    assert found.base_context == {
        "lang": "fr_FR",
        "tz": "UTC",
        "allowed_company_ids": [2, 1, 3],
    }


def test_secrets_show_themselves_nowhere() -> None:
    found = connection_settings(**KEY, username="ann", password="hunter2")

    shown = f"{found!r} {found.password} {found.api_key!r} {found.password:>3}"
    assert "hunter2" not in shown
    assert "0123456789" not in shown
    assert found.password.reveal() == "hunter2"
    assert json.dumps(Secret("x")) == '"x"'


def test_a_file_that_is_none_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("[1]")

    with pytest.raises(ConfigurationError, match="JSON object"):
        connection_settings(str(broken), **KEY)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        connection_settings(str(tmp_path / "nosuch.json"), **KEY)


def test_unknown_keys_of_a_file_are_named_with_the_likely_one() -> None:
    assert unknown_keys({"odoo_urll": 1, "odoo_url": 2}, [ConnectionSettings]) == [
        "odoo_urll in the settings file is not a setting. Did you mean odoo_url?"
    ]


@pytest.mark.parametrize(
    ("word", "value"), [("TRUE", True), ("1", True), ("yes", True), ("Off", False), ("no", False)]
)
def test_booleans_in_any_case(word: str, value: bool) -> None:
    assert boolean(word) is value


def test_lists_are_comma_separated_and_trimmed() -> None:
    assert comma_list(" a, b ,,c") == ("a", "b", "c")


@pytest.mark.parametrize("value", ["1.5", "x", 1.5, True, "99"])
def test_whole_numbers_within_bounds(value: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        integer(minimum=0, maximum=10)(value)


@pytest.mark.parametrize("name", ["url", "api_key", "password"])
def test_blanks_and_line_ends_around_a_value_are_left_out(name: str) -> None:
    given = {**KEY, "username": "me", "password": "secret"}
    settings = connection_settings(**{**given, name: f" {given[name]}\r\n"})
    held = getattr(settings, name)
    assert (held.reveal() if isinstance(held, Secret) else held) == given[name]


@pytest.mark.parametrize("value", ["${input:odoo_key}", "<your key>", "{{ODOO_KEY}}", "%ODOO_KEY%"])
@pytest.mark.parametrize("name", ["url", "api_key"])
def test_what_stands_for_a_value_is_not_filled_in(name: str, value: str) -> None:
    (problem, *_) = problems(**{**KEY, name: value})
    assert problem.startswith(f"{name} still contains a placeholder")
