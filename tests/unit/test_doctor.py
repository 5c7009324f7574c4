"""The doctor, on what no real server here can show: proxies, later versions, odd settings."""

from __future__ import annotations

import email.utils
import json
import os
import time
import xmlrpc.client
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests
import responses

from odoo_toolkit.connection import http
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.doctor import Diagnosis, diagnose
from odoo_toolkit.doctor.access import toolsets
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from tests.tls import https_server, write_certificate
from tests.unit.wire import RECORDED, URL, Wire

SECRETS = ("correct horse", "f21a2556452a8dfe1069194344b0a8e654a67bd5")
PASSWORD = {"url": URL, "username": "admin", "password": SECRETS[0]}
KEY = {"url": URL, "username": "admin", "api_key": SECRETS[1]}
VERSION = f"{URL}/web/webclient/version_info"
LIST = f"{URL}/web/database/list"
NAMES = [
    "configuration",
    "address",
    "tls",
    "version",
    "database",
    "protocol",
    "credentials",
    "rights",
    "reports",
    "clock",
]

#: What the toolkit may ask while it looks.
READS = {"read", "search_read", "check_access_rights", "fields_get", "get_wkhtmltopdf_state"}


def statuses(diagnosis: Diagnosis) -> dict[str, str]:
    return {step.name: step.status for step in diagnosis.steps if step.status != "ok"}


def as_told(diagnosis: Diagnosis) -> Diagnosis:
    """Check what holds for every diagnosis, and return it."""
    assert [step.name for step in diagnosis.steps] == NAMES
    for step in diagnosis.steps:
        assert step.meaning.strip()
        assert bool(step.advice) == (step.status in ("warning", "problem")), step
        assert step.status != "skipped" or not step.details
    told = str(diagnosis) + json.dumps(diagnosis.to_dict()) + repr(diagnosis)
    assert not [secret for secret in SECRETS if secret in told]
    return diagnosis


def looked(**settings: Any) -> Diagnosis:
    return as_told(diagnose(reconnect_backoff=0, **settings))


def version_info(major: int) -> dict[str, Any]:
    info = {"server_version": f"{major}.0", "server_version_info": [major, 0, 0, "final", 0, ""]}
    return {"jsonrpc": "2.0", "id": None, "result": info}


@pytest.fixture
def healthy(wire: Wire) -> Wire:
    """An Odoo 14 with sales and CRM, and a user who may not work with CRM."""
    rows = [{"name": name, "state": "installed", "shortdesc": name, "latest_version": "14.0"}
            for name in ("mail", "sale", "crm")]  # fmt: skip
    user = {"id": 2, "name": "Ann", "login": "admin", "company_id": [1, "YourCompany"]}
    wire.answers |= {
        ("res.users", "read"): [{**user, "lang": "en_US", "tz": False, "share": False,
                                 "company_ids": [1]}],
        ("ir.module.module", "search_read"): rows,
        ("ir.actions.report", "get_wkhtmltopdf_state"): "ok",
        ("res.users", "fields_get"): RECORDED["14"]["fields"],
        ("ir.module.module", "fields_get"): RECORDED["14"]["fields"],
    }  # fmt: skip
    for model in ("res.partner", "ir.attachment", "mail.message", "sale.order", "crm.lead"):
        wire.answers[model, "check_access_rights"] = model != "crm.lead"
    return wire


def test_a_healthy_server_is_told_step_by_step(healthy: Wire) -> None:
    found = looked(**PASSWORD)

    assert found.healthy
    assert statuses(found) == {"tls": "warning", "rights": "warning", "clock": "skipped"}
    assert "Ann (admin), id 2, in the company YourCompany" in found.step("credentials").meaning
    assert "odoo14" in found.step("database").meaning
    assert "Odoo 14.0" in found.step("version").meaning


def test_it_asks_little_and_changes_nothing(healthy: Wire, mock: responses.RequestsMock) -> None:
    looked(**PASSWORD)

    assert {method for _, method, _, _ in healthy.calls} <= READS
    # Version, databases, login; the user, twice, and modules, with the fields of both; five models
    # to read, four of them to create; reports.
    assert len(mock.calls) <= 18


def test_rights_are_told_for_each_toolset(healthy: Wire) -> None:
    step = looked(**PASSWORD).step("rights")
    rows = {row["toolset"]: row for row in step.details}

    assert rows["sales"] == {
        "toolset": "sales",
        "active": True,
        "may_read": ["sale.order"],
        "may_create": ["sale.order"],
        "note": "",
    }
    assert rows["crm"]["active"]
    assert rows["crm"]["note"] == "this user cannot read crm.lead"
    assert not rows["purchase"]["active"]
    assert rows["purchase"]["note"] == "module purchase is not installed"
    assert "no permissions for: crm" in step.meaning


def test_the_toolsets_are_those_of_the_server() -> None:
    served = {toolset.about.name: toolset.about.required_modules for toolset in ALL_TOOLSETS}
    # What can be printed is a step of its own.
    del served["reports"]

    assert {one.name: (one.module,) if one.module else () for one in toolsets()} == served


def test_a_user_who_may_read_nothing_is_a_problem(healthy: Wire) -> None:
    for model in ("res.partner", "ir.attachment", "mail.message", "sale.order"):
        healthy.answers[model, "check_access_rights"] = False

    assert statuses(looked(**PASSWORD))["rights"] == "problem"


def test_a_user_from_outside_is_told(healthy: Wire) -> None:
    healthy.answers["res.users", "read"][0]["share"] = True

    step = looked(**PASSWORD).step("credentials")
    assert step.status == "warning"
    assert "portal or public user" in step.meaning


def test_a_company_in_which_the_user_does_not_work_is_a_problem(healthy: Wire) -> None:
    step = looked(**PASSWORD, company_ids=[1, 7]).step("credentials")

    assert step.status == "problem"
    assert "company with id 7," in step.meaning
    assert "ODOO_COMPANY_IDS" in step.advice


@pytest.mark.parametrize(
    ("state", "said"),
    [("install", "missing"), ("upgrade", "too old"), ("broken", "does not work"),
     ("workers", "one worker")],
)  # fmt: skip
def test_what_keeps_odoo_from_making_pdfs_is_told(healthy: Wire, state: str, said: str) -> None:
    healthy.answers["ir.actions.report", "get_wkhtmltopdf_state"] = state

    step = looked(**PASSWORD).step("reports")
    assert step.status == "warning"
    assert said in step.meaning


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> float:
    """A time at which the clock of this machine stands still: whole seconds, as headers have."""
    moment = float(int(time.time()))
    monkeypatch.setattr(http, "time", SimpleNamespace(time=lambda: moment))
    return moment


@pytest.mark.parametrize(
    ("ahead", "said"),
    [(-7 * 60, "7 minutes behind"), (3 * 3600, "3 hours ahead of"), (60, "60 seconds ahead of")],
)
def test_a_clock_that_is_off_is_told(
    mock: responses.RequestsMock, now: float, ahead: float, said: str
) -> None:
    mock.add("POST", VERSION, json=version_info(17))
    date = email.utils.formatdate(now + ahead, usegmt=True)
    mock.add("POST", LIST, json={"result": ["a"]}, headers={"Date": date})
    mock.add("POST", f"{URL}/jsonrpc", json=RECORDED["14"]["login_refused"])

    step = looked(**PASSWORD).step("clock")
    assert step.status == "warning"
    assert said in step.meaning


def test_clocks_that_agree_are_told(mock: responses.RequestsMock, now: float) -> None:
    date = email.utils.formatdate(now - 2, usegmt=True)
    mock.add("POST", VERSION, json=version_info(17), headers={"Date": date})
    mock.add("POST", LIST, json={"result": []})

    assert looked(**PASSWORD).step("clock").status == "ok"


# Versions, protocols, keys -----------------------------------------------------------------------


@pytest.mark.parametrize(("major", "said"), [(13, "older than"), (20, "newer than")])
def test_a_version_out_of_range_is_a_warning(
    mock: responses.RequestsMock, major: int, said: str
) -> None:
    mock.add("POST", VERSION, json=version_info(major))
    mock.add("POST", LIST, json={"result": ["a", "b"]})

    step = looked(**PASSWORD).step("version")
    assert step.status == "warning"
    assert f"Odoo {major}.0 (community) is {said}" in step.meaning


@pytest.mark.parametrize(("major", "says_mcp"), [(19, False), (20, True)])
def test_a_refused_key_may_be_one_for_mcp_from_20_on(
    mock: responses.RequestsMock, major: int, says_mcp: bool
) -> None:
    status, body = RECORDED["19"]["json2_bad_key"]
    mock.add("POST", VERSION, json=version_info(major))
    mock.add("POST", LIST, json={"result": ["shop"]})
    mock.add("POST", f"{URL}/json/2/res.users/context_get", json=body, status=status)

    found = looked(**KEY)
    step = found.step("credentials")
    assert step.meaning == "Odoo does not accept the API key of user 'admin' (database shop)."
    assert ("for MCP" in step.advice) == says_mcp
    assert "Account Security" in step.advice
    assert statuses(found)["rights"] == statuses(found)["reports"] == "skipped"
    assert "first solve credentials" in found.step("rights").meaning


def test_a_refused_key_beside_a_good_password_is_a_warning(healthy: Wire) -> None:
    def log_in(request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        params = json.loads(request.body or "{}")["params"]
        if params["service"] == "common":
            result: Any = 2 if params["args"][2] == SECRETS[0] else False
            return 200, {}, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})
        return healthy._answer(request)

    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add("POST", VERSION, json=version_info(14))
        mock.add("POST", LIST, json={"result": ["a"]})
        mock.add_callback("POST", f"{URL}/jsonrpc", log_in)
        found = looked(**PASSWORD, api_key=SECRETS[1])

    step = found.step("credentials")
    assert found.healthy
    assert step.status == "warning"
    assert "The password is accepted: you are Ann" in step.meaning
    assert "does not accept the API key" in step.meaning


def test_a_refused_key_and_a_refused_password_are_told_together(
    mock: responses.RequestsMock,
) -> None:
    mock.add("POST", VERSION, json=version_info(14))
    mock.add("POST", LIST, json={"result": ["a"]})
    mock.add("POST", f"{URL}/jsonrpc", json=RECORDED["14"]["login_refused"])

    step = looked(**PASSWORD, api_key=SECRETS[1]).step("credentials")
    assert step.status == "problem"
    assert "accepts neither the API key nor the password" in step.meaning
    assert "two-factor" in step.advice


def test_a_key_of_somebody_else_is_a_warning(healthy: Wire) -> None:
    healthy.answers["res.users", "read"][0]["login"] = "ben"

    step = looked(**KEY).step("credentials")
    assert step.status == "warning"
    assert "That is not 'admin'" in step.meaning


def test_a_server_whose_json2_is_closed_is_told(mock: responses.RequestsMock) -> None:
    mock.add("POST", VERSION, json=version_info(19))
    mock.add("POST", LIST, json={"result": ["shop"]})
    mock.add(
        "POST",
        f"{URL}/json/2/res.users/context_get",
        status=404,
        body="<title>Not found</title>",
        content_type="text/html",
    )
    accepted = xmlrpc.client.dumps((2,), methodresponse=True)
    mock.add("POST", f"{URL}/xmlrpc/2/common", body=accepted)
    mock.add("POST", f"{URL}/xmlrpc/2/object", status=502)

    found = looked(**KEY)
    step = found.step("protocol")
    assert step.status == "warning"
    assert "JSON-2 is not reachable" in step.meaning
    assert "XML-RPC" in step.meaning
    assert "/json/2" in step.advice
    # And the call that follows the login says why it failed.
    assert statuses(found)["credentials"] == "problem"
    assert "HTTP 502" in found.step("credentials").meaning


def test_json2_before_19_is_a_problem_of_the_protocol(mock: responses.RequestsMock) -> None:
    mock.add("POST", VERSION, json=version_info(17))
    mock.add("POST", LIST, json={"result": ["shop"]})

    found = looked(**KEY, protocol="json2")
    assert statuses(found)["protocol"] == "problem"
    assert "Odoo 19 or later" in found.step("protocol").meaning


def test_a_proxy_that_forbids_the_api_is_no_wrong_password(mock: responses.RequestsMock) -> None:
    mock.add("POST", VERSION, json=version_info(17))
    mock.add("POST", LIST, json={"result": ["shop"]})
    mock.add("POST", f"{URL}/jsonrpc", status=403, body="<title>Forbidden</title>")

    found = looked(**PASSWORD)
    assert statuses(found)["protocol"] == "problem"
    assert statuses(found)["credentials"] == "skipped"


def test_a_key_without_a_user_name_before_19_is_told(mock: responses.RequestsMock) -> None:
    mock.add("POST", VERSION, json=version_info(17))
    mock.add("POST", LIST, json={"result": ["shop"]})

    found = looked(url=URL, api_key=SECRETS[1])
    assert statuses(found)["credentials"] == "problem"
    assert "username (ODOO_USERNAME) is missing" in found.step("credentials").meaning


# Databases ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a", "b"], "several databases. Its databases are a, b."), ([], "does not list"),
     (None, "does not list")],
)  # fmt: skip
def test_a_database_that_is_not_named_is_a_problem(
    mock: responses.RequestsMock, names: list[str] | None, said: str
) -> None:
    mock.add("POST", VERSION, json=version_info(17))
    mock.add("POST", LIST, json={"result": names})

    step = looked(**PASSWORD).step("database")
    assert step.status == "problem"
    assert said in step.meaning
    assert "ODOO_DB" in step.advice


def test_a_database_that_the_server_does_not_list_may_be_there(healthy: Wire) -> None:
    step = looked(**PASSWORD, database="hidden").step("database")

    assert step.status == "ok"
    assert "does not list it" in step.meaning


# Addresses ---------------------------------------------------------------------------------------


def test_a_redirect_to_https_is_told(mock: responses.RequestsMock) -> None:
    for method, path in (("POST", VERSION), ("GET", f"{URL}/web/version")):
        mock.add(method, path, status=301, headers={"Location": "https://odoo.test/web"})

    step = looked(**PASSWORD).step("address")
    assert "https://odoo.test" in step.advice
    assert step.status == "problem"


def test_a_name_without_an_address_is_told() -> None:
    step = looked(**{**PASSWORD, "url": "http://nowhere.invalid"}).step("address")

    assert "no host named nowhere.invalid" in step.meaning


# TLS ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("certificate", "trusted", "said"),
    [
        ({}, False, "self-signed"),
        ({"ends_in_days": -1}, True, "has expired"),
        ({"address": "127.0.0.2"}, True, "another host name"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_told(
    tmp_path: Path, certificate: dict[str, Any], trusted: bool, said: str
) -> None:
    pem = write_certificate(tmp_path / "server.pem", **certificate)
    with https_server(pem) as url:
        found = looked(**{**PASSWORD, "url": url}, ca_cert=str(pem) if trusted else None)

    assert statuses(found)["tls"] == "problem"
    assert said in found.step("tls").meaning
    assert found.step("address").status == "ok"
    assert "first solve tls" in found.step("version").meaning


def test_a_certificate_of_the_own_authority_is_right_once_it_is_named(tmp_path: Path) -> None:
    pem = write_certificate(tmp_path / "server.pem")
    with https_server(pem, json.dumps(version_info(18)).encode()) as url:
        checked = looked(**{**PASSWORD, "url": url}, ca_cert=str(pem))
        unchecked = looked(**{**PASSWORD, "url": url}, verify_ssl=False)

    assert checked.step("tls").status == "ok"
    assert str(pem) in checked.step("tls").meaning
    assert unchecked.step("tls").status == "warning"
    assert "does not check" in unchecked.step("tls").meaning


@pytest.mark.parametrize(
    ("url", "status"), [(URL, "warning"), ("http://127.0.0.1", "ok"), ("http://localhost", "ok")]
)
def test_http_is_right_within_this_machine_only(
    mock: responses.RequestsMock, url: str, status: str
) -> None:
    mock.add("POST", f"{url}/web/webclient/version_info", json=version_info(17))
    mock.add("POST", f"{url}/web/database/list", json={"result": []})

    assert looked(**{**PASSWORD, "url": url}).step("tls").status == status


# Settings ----------------------------------------------------------------------------------------


def origins_of(found: Diagnosis) -> dict[str, tuple[str, str]]:
    rows = found.step("configuration").details
    return {row["setting"]: (row["value"], row["from"]) for row in rows}


def test_each_setting_is_told_with_where_it_comes_from(
    healthy: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "odoo.json"
    file.write_text(json.dumps({"odoo_db": "odoo14", "odoo_url": "http://other.test"}))
    monkeypatch.setenv("ODOO_USERNAME", "admin")
    monkeypatch.setenv("ODOO_PASSWORD", SECRETS[0])

    found = as_told(diagnose(config=file, url=URL))
    assert found.healthy
    assert origins_of(found) == {
        "url": (URL, "keyword url"),
        "database": ("odoo14", f"odoo_db in {file}"),
        "username": ("admin", "environment variable ODOO_USERNAME"),
        "password": ("***", "environment variable ODOO_PASSWORD"),
    }


def test_settings_that_are_ready_made_are_told_with_what_the_caller_says(healthy: Wire) -> None:
    settings = connection_settings(**PASSWORD)

    found = as_told(diagnose(settings, origins={"url": "profile shop"}))
    assert origins_of(found)["url"] == (URL, "profile shop")
    assert origins_of(found)["username"] == ("admin", "settings")


def test_all_that_is_wrong_with_the_settings_is_told_and_nothing_else_looked_at() -> None:
    found = looked(url="ftp://x", timeout="soon", nonsense=1)

    step = found.step("configuration")
    for said in ("url must be", "timeout must be", "nonsense is not a setting", "no credential"):
        assert said in step.meaning
    assert {step.status for step in found.steps[1:]} == {"skipped"}


def test_without_any_settings_it_says_how_to_begin() -> None:
    assert "Set ODOO_URL, ODOO_USERNAME" in as_told(diagnose()).step("configuration").advice


@pytest.mark.parametrize("url", ["https://ann:{}@odoo.test", "ann:{}@odoo.test", "https://{}@x"])
def test_a_password_within_the_address_is_not_shown(url: str) -> None:
    found = as_told(diagnose(url=url.format("hunter2"), username="a", password=SECRETS[0]))

    assert found.step("configuration").status == "problem"
    assert "hunter2" not in str(found.to_dict())


@pytest.mark.parametrize("key", ["ключ", "two words"])
def test_a_key_that_cannot_be_one_is_told(key: str) -> None:
    step = looked(url=URL, api_key=key).step("configuration")

    assert step.status == "problem"
    assert "ODOO_API_KEY" in step.meaning


@pytest.mark.parametrize(
    ("name", "meant"), [("ODOO_DATABASE", "ODOO_DB"), ("ODOO_TIME_OUT", "ODOO_TIMEOUT")]
)
def test_a_variable_that_is_not_read_is_told(
    healthy: Wire, monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "30")

    step = looked(**PASSWORD).step("configuration")
    assert step.status == "warning"
    assert f"environment variable {name}. You may mean {meant}." in step.advice


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_file_with_a_password_that_others_can_read_is_a_warning(
    healthy: Wire, tmp_path: Path
) -> None:
    file = tmp_path / "odoo.json"
    file.write_text(
        json.dumps({"odoo_url": URL, "odoo_username": "admin", "odoo_password": SECRETS[0]})
    )
    file.chmod(0o644)
    open_to_all = as_told(diagnose(config=file)).step("configuration")
    file.chmod(0o600)

    assert open_to_all.status == "warning"
    assert f"chmod 600 {file}" in open_to_all.advice
    assert as_told(diagnose(config=file)).step("configuration").status == "ok"


def test_a_file_that_is_no_json_is_told(tmp_path: Path) -> None:
    file = tmp_path / "odoo.json"
    file.write_text("url = x")

    step = as_told(diagnose(config=file)).step("configuration")
    assert step.status == "problem"
    assert str(file) in step.meaning


def test_what_servers_say_does_not_steer_the_terminal(healthy: Wire) -> None:
    healthy.answers["res.users", "read"][0]["name"] = "\x1b[2JAnn\nBen"

    text = str(looked(**PASSWORD))
    assert "\x1b" not in text
    assert "Ann\ufffdBen" in text


def test_a_pause_after_too_many_logins_is_no_wrong_password(mock: responses.RequestsMock) -> None:
    data = {
        "name": "odoo.exceptions.AccessDenied",
        "message": "Too many login failures, please wait a bit before trying again.",
        "arguments": [],
    }
    mock.add("POST", VERSION, json=version_info(17))
    mock.add("POST", LIST, json={"result": ["shop"]})
    mock.add("POST", f"{URL}/jsonrpc", json={"jsonrpc": "2.0", "error": {"data": data}})

    step = looked(**PASSWORD).step("credentials")
    assert step.status == "problem"
    assert "rejects logins for a while" in step.meaning
    assert "minute" in step.advice
