"""The doctor on real servers: a healthy one, and each thing that can be wrong with a connection."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Odoo
from odoo_toolkit.cli import main
from odoo_toolkit.connection.http import Http
from odoo_toolkit.doctor import Diagnosis, diagnose
from odoo_toolkit.installation import version
from tests.live.servers import Server, User, credentials, ordinary_user
from tests.tls import https_server, write_certificate

#: The ends of addresses, and the methods, that the doctor asks for; "jsonrpc" is the login.
READS = {
    *("version_info", "list", "jsonrpc", "context_get", "fields_get", "read", "search_read"),
    *("check_access_rights", "has_access", "get_available_models", "get_wkhtmltopdf_state"),
}


@pytest.fixture(autouse=True)
def _no_settings_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("ODOO_") and not name.startswith(("ODOO_TEST", "ODOO_TOOLKIT")):
            monkeypatch.delenv(name)


def password(server: Server, **changed: Any) -> dict[str, Any]:
    """Return the administrator's settings, with some that are changed."""
    given = {"url": server.url, "database": server.db, "username": server.login}
    return {**given, "password": server.password, **changed}


def troubles(found: Diagnosis) -> dict[str, str]:
    return {step.name: step.status for step in found.steps if step.status in ("problem", "warning")}


def skipped(found: Diagnosis) -> list[str]:
    return [step.name for step in found.steps if step.status == "skipped"]


@pytest.mark.every_user
def test_a_healthy_server_is_healthy(server: Server, odoo: Odoo) -> None:
    given = {
        "url": server.url,
        "database": server.db,
        "username": odoo.settings.username,
        "api_key": odoo.settings.api_key,
        "password": odoo.settings.password,
    }
    found = diagnose(**given)

    assert found.healthy
    assert {
        "configuration",
        "address",
        "version",
        "database",
        "protocol",
        "credentials",
    }.isdisjoint(troubles(found))
    assert odoo.version.full in found.step("version").meaning
    assert f"({odoo.settings.username}), id {odoo.uid}" in found.step("credentials").meaning
    assert found.step("clock").status == "ok"


@pytest.mark.every_user
def test_what_it_says_of_rights_is_so(server: Server, odoo: Odoo) -> None:
    """Of each model that it says something of, asked one by one."""
    given = {"url": server.url, "database": server.db, "username": odoo.settings.username}
    found = diagnose(**given, api_key=odoo.settings.api_key, password=odoo.settings.password)
    rows = found.step("rights").details

    assert len(rows) >= 10
    for row in rows:
        for model in row["may_read"]:
            assert odoo.schema.may(model, "read"), model
            assert odoo.schema.may(model, "create") == (model in row["may_create"]), model
        if not row["active"]:
            assert "is not installed" in row["note"]


def test_a_user_with_few_rights_is_told_which(server: Server, ordinary: Odoo) -> None:
    found = diagnose(**credentials(server, ordinary_user(server)))

    step = found.step("rights")
    assert found.healthy
    assert step.status == "warning"
    rows = {row["toolset"]: row for row in step.details}
    assert rows["accounting"]["may_read"] == []
    closed = "this user cannot read account.move"
    unseen = "module account is not installed, or not open to this user"
    assert rows["accounting"]["note"] == (closed if rows["accounting"]["active"] else unseen)
    assert rows["core"]["may_read"] == ["res.partner"]
    assert rows["core"]["may_create"] == []
    assert "administrator" in step.advice


@pytest.mark.every_version
def test_a_wrong_password_is_told(server: Server) -> None:
    found = diagnose(**password(server, password="not the password"))

    assert troubles(found) == {"credentials": "problem"}
    assert skipped(found) == ["rights", "reports"]
    assert f"password of user {server.login!r}" in found.step("credentials").meaning
    assert "ODOO_PASSWORD" in found.step("credentials").advice
    assert "not the password" not in str(found.to_dict())


def test_a_wrong_key_is_told(server: Server) -> None:
    found = diagnose(**password(server, password=None, api_key="0" * 40))

    assert troubles(found) == {"credentials": "problem"}
    assert "API key" in found.step("credentials").meaning


@pytest.mark.every_version
@pytest.mark.parametrize("credential", ["password", "api_key"])
def test_a_wrong_database_is_told(server: Server, credential: str) -> None:
    given = password(server, database="no_such_database")
    if credential == "api_key":
        if not server.api_key:
            pytest.skip(f"{server.name} has no API key.")
        given |= {"password": None, "api_key": server.api_key}
    found = diagnose(**given)

    assert troubles(found) == {"database": "problem"}
    assert "no database named no_such_database" in found.step("database").meaning
    assert skipped(found) == ["protocol", "credentials", "rights", "reports"]


def test_a_server_that_is_down_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        found = diagnose(url=f"http://127.0.0.1:{port}", username="a", password="b")

    assert troubles(found) == {"address": "problem"}
    assert f"port {port}" in found.step("address").meaning
    assert skipped(found) == [step.name for step in found.steps[2:]]


def test_https_at_a_port_of_http_is_told(server: Server) -> None:
    if not server.url.startswith("http:"):
        pytest.skip(f"{server.name} speaks https.")
    found = diagnose(**password(server, url=server.url.replace("http:", "https:")))

    assert troubles(found) == {"tls": "problem"}
    assert server.url in found.step("tls").advice


def test_a_self_signed_certificate_is_told(tmp_path: Path) -> None:
    with https_server(write_certificate(tmp_path / "server.pem")) as url:
        found = diagnose(url=url, username="a", password="b")

    assert troubles(found) == {"tls": "problem"}
    assert "self-signed" in found.step("tls").meaning
    assert "ODOO_CA_CERT" in found.step("tls").advice


def test_the_address_of_a_page_is_told(server: Server) -> None:
    found = diagnose(**password(server, url=f"{server.url}/web"))

    assert found.step("address").advice == f"Remove /web: set url (ODOO_URL) to {server.url}."


def test_a_company_that_is_not_the_users_is_told(server: Server) -> None:
    found = diagnose(**password(server, company_id=987_654))

    assert troubles(found)["credentials"] == "problem"
    assert "987654" in found.step("credentials").meaning


def test_a_language_that_is_not_installed_never_passes_for_a_wrong_password(
    server: Server,
) -> None:
    """Versions that know no such language refuse the first call, older ones do not mind."""
    step = diagnose(**password(server, lang="xx_XX")).step("credentials")

    assert "password is accepted" in step.meaning
    assert step.status == "ok" or "ODOO_LANG" in step.advice


def test_it_only_reads(server: Server, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request that leaves asks for something; the login is the only one that Odoo notes."""
    asked: list[str] = []
    request = Http.request

    def noted(http: Http, method: str, path: str, **options: Any) -> Any:
        body = options.get("json") or json.loads(options.get("data") or b"{}")
        args = body.get("params", {}).get("args", [])
        asked.append(args[4] if len(args) > 4 else path.rpartition("/")[2])
        return request(http, method, path, **options)

    monkeypatch.setattr(Http, "request", noted)
    assert diagnose(**credentials(server, user)).healthy

    assert set(asked) <= READS
    assert {"version_info", "list", "read"} <= set(asked)
    assert len(asked) <= 70


@pytest.mark.parametrize(("right", "status"), [(True, 0), (False, 5)])
def test_the_command_tells_it_too(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    right: bool,
    status: int,
) -> None:
    user = User(server.login, server.password if right else "wrong")
    for name, value in {
        "ODOO_URL": server.url,
        "ODOO_DB": server.db,
        "ODOO_USERNAME": user.login,
        "ODOO_PASSWORD": user.password,
    }.items():
        monkeypatch.setenv(name, value)

    assert main(["doctor", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert (told["healthy"], told["toolkit"]) == (right, version())
    assert main(["doctor"]) == status
    lines = capsys.readouterr().out.splitlines()
    assert "  password  ***" in "\n".join(lines)
    assert len([line for line in lines if not line.startswith(" ")]) == len(told["steps"])
