"""Version, database, login and calls over the three protocols, by recorded answers."""

from __future__ import annotations

import json
import logging
import math
import xmlrpc.client
from typing import Any

import attrs
import grimp
import pytest
import requests
import responses

from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    ValidationError,
)
from odoo_toolkit.call import Call
from odoo_toolkit.connection.version import parse_version
from tests.unit.wire import RECORDED, URL, Body, Wire, odoo

ONE = Call(model="res.partner", method="search_count", arguments={"domain": []})


@pytest.fixture
def nineteen(mock: responses.RequestsMock) -> responses.RequestsMock:
    """An Odoo 19 with JSON-2."""
    recorded = RECORDED["19"]
    mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
    mock.add("POST", f"{URL}/web/database/list", json=recorded["database_list"])
    mock.add("POST", f"{URL}/json/2/res.users/context_get", json=recorded["json2_context_get"])
    mock.add("POST", f"{URL}/json/2/res.users/read", json=[{"id": 2, "login": "admin"}])
    return mock


@pytest.mark.parametrize(
    ("info", "full", "major", "minor", "edition"),
    [
        ([17, 0, 0, "final", 0, "e"], "17.0+e", 17, 0, "enterprise"),
        ([14, 0, 0, "final", 0, ""], "14.0", 14, 0, "community"),
        (["saas~18", 3, 0, "final", 0, "e"], "saas~18.3+e", 18, 3, "enterprise"),
        ([19, 0], "19.0", 19, 0, "community"),
    ],
)
def test_versions_are_read(info: Any, full: str, major: int, minor: int, edition: str) -> None:
    found = parse_version(info, full)

    assert (found.major, found.minor, found.edition, found.full) == (major, minor, edition, full)
    assert found.level == "final"


def test_what_is_not_odoo_is_said_so(mock: responses.RequestsMock) -> None:
    mock.add("POST", f"{URL}/web/webclient/version_info", json={"hello": "world"})
    mock.add("GET", f"{URL}/web/version", body="<html>", content_type="text/html")

    with pytest.raises(OdooError, match="is not Odoo") as caught:
        odoo().connect()
    assert caught.value.code == "ENDPOINT_NOT_FOUND"


def test_a_later_version_without_the_old_address_is_found(mock: responses.RequestsMock) -> None:
    mock.add("POST", f"{URL}/web/webclient/version_info", status=404)
    mock.add("GET", f"{URL}/web/version", json={"version_info": [21, 0], "version": "21.0"})
    mock.add("POST", f"{URL}/web/database/list", json=RECORDED["19"]["database_list"])
    mock.add("POST", f"{URL}/json/2/res.users/context_get", json={"uid": 2})
    mock.add("POST", f"{URL}/json/2/res.users/read", json=[{"id": 2, "login": "admin"}])

    assert odoo(api_key="k").version.major == 21


def test_the_only_database_is_found(wire: Wire) -> None:
    assert odoo().database == "odoo14"


@pytest.mark.parametrize("names", [["a", "b"], [], None])
def test_several_or_hidden_databases_must_be_named(
    mock: responses.RequestsMock, names: list[str] | None
) -> None:
    mock.add("POST", f"{URL}/web/webclient/version_info", json=RECORDED["14"]["version_info"])
    mock.add("POST", f"{URL}/web/database/list", json={"jsonrpc": "2.0", "result": names})

    with pytest.raises(ConfigurationError, match="ODOO_DB"):
        odoo().connect()


@pytest.mark.parametrize("protocol", ["auto", "json2"])
def test_json2_is_taken_on_19_with_an_api_key(
    nineteen: responses.RequestsMock, protocol: str
) -> None:
    nineteen.add("POST", f"{URL}/json/2/res.partner/search_count", json=64)
    connection = odoo(api_key="the key", password=None, protocol=protocol)

    assert connection.call(ONE) == 64
    assert (connection.protocol, connection.uid) == ("json2", 2)
    request = nineteen.calls[-1].request
    assert request.headers["Authorization"] == "bearer the key"
    assert request.headers["X-Odoo-Database"] == "odoo19"
    assert json.loads(request.body or "") == {
        "domain": [],
        "context": {"lang": "en_US", "tz": "UTC"},
    }


def test_a_key_of_another_user_is_named(nineteen: responses.RequestsMock) -> None:
    with pytest.raises(AccessError, match="belongs to 'admin', not to 'demo'"):
        odoo(api_key="k", password=None, username="demo").connect()


def test_auto_takes_jsonrpc_before_19(wire: Wire) -> None:
    assert odoo(api_key="k").protocol == "jsonrpc"


def test_json2_before_19_is_an_error_not_a_silent_change(wire: Wire) -> None:
    with pytest.raises(ConfigurationError, match="Odoo 19 or later"):
        odoo(api_key="k", protocol="json2").connect()


def test_a_refused_api_key_falls_back_to_the_password(
    mock: responses.RequestsMock, caplog: pytest.LogCaptureFixture
) -> None:
    recorded = RECORDED["19"]
    status, body = recorded["json2_bad_key"]
    mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
    mock.add("POST", f"{URL}/json/2/res.users/context_get", json=body, status=status)
    mock.add("POST", f"{URL}/jsonrpc", json=recorded["login"])

    with caplog.at_level(logging.WARNING):
        connection = odoo(api_key="revoked key", password="pw", database="odoo19").connect()

    assert connection.protocol == "jsonrpc"
    assert "Odoo rejected the API key" in caplog.text
    assert "revoked key" not in caplog.text


def test_a_database_that_json2_does_not_find_is_named(nineteen: responses.RequestsMock) -> None:
    page = "<title>404 Not Found</title><p>No database is selected and the requested URL was not"
    context_get = f"{URL}/json/2/res.users/context_get"
    nineteen.replace("POST", context_get, body=page, status=404, content_type="text/html")
    with pytest.raises(ConfigurationError, match=r"^The server has no database named nope\."):
        odoo(api_key="k" * 40, database="nope").connect()


def test_a_redirect_of_json2_is_not_taken_for_a_missing_database(
    nineteen: responses.RequestsMock,
) -> None:
    context_get = f"{URL}/json/2/res.users/context_get"
    elsewhere = {"Location": "https://elsewhere.example/json/2"}
    nineteen.replace("POST", context_get, status=302, headers=elsewhere)
    with pytest.raises(ConfigurationError, match=r"redirects to https://elsewhere\.example"):
        odoo(api_key="k" * 40, database="sales").connect()


def test_a_refused_login_names_user_and_database(mock: responses.RequestsMock) -> None:
    recorded = RECORDED["14"]
    mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
    mock.add("POST", f"{URL}/jsonrpc", json=recorded["login_refused"])

    with pytest.raises(AccessError, match=r"'admin'.*'odoo14'") as caught:
        odoo(password="hunter2", database="odoo14").connect()
    assert "hunter2" not in str(caught.value.to_dict())


def test_a_refused_login_is_told_alike_over_xmlrpc(mock: responses.RequestsMock) -> None:
    mock.add("POST", f"{URL}/web/webclient/version_info", json=RECORDED["14"]["version_info"])
    mock.add("POST", f"{URL}/jsonrpc", json=RECORDED["14"]["login_refused"])
    refusal = xmlrpc.client.dumps((False,), methodresponse=True)
    mock.add("POST", f"{URL}/xmlrpc/2/common", body=refusal)

    told = []
    for protocol in ("jsonrpc", "xmlrpc"):
        with pytest.raises(AccessError) as caught:
            odoo(password="hunter2", database="odoo14", protocol=protocol).connect()
        told.append(caught.value.to_dict())

    assert told[0] == told[1]
    assert "hunter2" not in str(told)


@pytest.mark.parametrize("protocol", ["json2", "jsonrpc", "xmlrpc"])
def test_protocols_do_not_know_who_chooses_among_them(protocol: str) -> None:
    """Imports within functions count as well."""
    graph = grimp.build_graph("odoo_toolkit")
    home = "odoo_toolkit.connection"

    assert graph.chain_exists(importer=f"{home}.transport", imported=f"{home}.{protocol}")
    assert not graph.chain_exists(importer=f"{home}.{protocol}", imported=f"{home}.transport")


def test_a_database_list_that_does_not_come_is_no_question_of_settings(
    mock: responses.RequestsMock,
) -> None:
    mock.add("POST", f"{URL}/web/webclient/version_info", json=RECORDED["14"]["version_info"])
    mock.add("POST", f"{URL}/web/database/list", body=requests.ReadTimeout())

    with pytest.raises(OdooConnectionError) as caught:
        odoo().connect()
    assert caught.value.code == "TIMEOUT"


def test_none_is_a_result(wire: Wire) -> None:
    wire.answers["sale.order", "action_quotation_sent"] = Body(RECORDED["14"]["none"])

    call = Call(model="sale.order", method="action_quotation_sent", ids=[1])
    assert odoo().call(call) is None


@pytest.mark.parametrize("body", [{}, {"hello": 1}, {"error": {"code": 1}}])
def test_an_object_that_is_no_answer_is_never_success(wire: Wire, body: dict[str, Any]) -> None:
    wire.answers["sale.order", "action_confirm"] = Body(body)

    with pytest.raises(OdooError):
        odoo().call(Call(model="sale.order", method="action_confirm", ids=[1]))


def test_a_redirect_during_a_call_says_where_to(wire: Wire, mock: responses.RequestsMock) -> None:
    connection = odoo().connect()
    mock.replace(
        "POST", f"{URL}/jsonrpc", status=301, headers={"Location": "https://odoo.test/jsonrpc"}
    )
    with pytest.raises(OdooError, match="https"):
        connection.call(ONE)


def test_a_call_that_needs_longer_waits_longer(wire: Wire, mock: responses.RequestsMock) -> None:
    wire.answers["res.partner", "search_count"] = 1
    connection = odoo(timeout=5)
    connection.call(attrs.evolve(ONE, timeout=60))
    assert mock.calls[-1].request.req_kwargs["timeout"] == (5, 60)
    connection.call(attrs.evolve(ONE, timeout=1))
    assert mock.calls[-1].request.req_kwargs["timeout"] == (5, 5)


def test_jsonrpc_debug_log_has_no_password(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    wire.answers["res.partner", "search_count"] = 1
    with caplog.at_level(logging.DEBUG):
        odoo(password="hunter2").call(ONE)

    assert "search_count" in caplog.text
    assert "hunter2" not in caplog.text


def test_a_path_below_the_host_is_kept(mock: responses.RequestsMock) -> None:
    recorded = RECORDED["14"]
    mock.add("POST", f"{URL}/erp/web/webclient/version_info", json=recorded["version_info"])
    mock.add("POST", f"{URL}/erp/jsonrpc", json=recorded["login"])

    assert odoo(url=f"{URL}/erp", database="odoo14").uid == 2


class TestXmlRpc:
    """XML-RPC, by recorded answers of Odoo 14."""

    @pytest.fixture
    def server(self, mock: responses.RequestsMock) -> responses.RequestsMock:
        recorded = RECORDED["14"]
        mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
        login = xmlrpc.client.dumps((2,), methodresponse=True)
        mock.add("POST", f"{URL}/xmlrpc/2/common", body=login)
        return mock

    def call(self, call: Call = ONE) -> Any:
        return odoo(protocol="xmlrpc", database="odoo14").call(call)

    def test_a_result(self, server: responses.RequestsMock) -> None:
        server.add("POST", f"{URL}/xmlrpc/2/object", body=RECORDED["14"]["xmlrpc_count"])

        assert isinstance(self.call(), int)

    def test_cannot_marshal_none_is_success_and_not_sent_again(
        self, server: responses.RequestsMock
    ) -> None:
        sent = server.add("POST", f"{URL}/xmlrpc/2/object", body=RECORDED["14"]["xmlrpc_none"])

        assert self.call(Call(model="sale.order", method="action_quotation_sent", ids=[1])) is None
        assert sent.call_count == 1

    def test_a_truncated_answer_is_an_error(self, server: responses.RequestsMock) -> None:
        server.add("POST", f"{URL}/xmlrpc/2/object", body=RECORDED["14"]["xmlrpc_count"][:60])

        with pytest.raises(OdooError):
            self.call()

    @pytest.mark.parametrize("value", [2**40, "bell \x07"])
    def test_what_it_cannot_carry_is_refused_before_sending(
        self, server: responses.RequestsMock, value: Any
    ) -> None:
        call = Call(model="res.partner", method="write", ids=[1], arguments={"vals": {"a": value}})

        with pytest.raises(ValidationError, match="XML-RPC"):
            self.call(call)


class TestJson2:
    """JSON-2, by recorded answers of Odoo 19."""

    def test_unknown_method(self, nineteen: responses.RequestsMock) -> None:
        status, body = RECORDED["19"]["json2_unknown_method"]
        nineteen.add("POST", f"{URL}/json/2/res.partner/nope", json=body, status=status)

        with pytest.raises(NotFoundError) as caught:
            odoo(api_key="k").call(Call(model="res.partner", method="nope", ids=[1]))
        assert caught.value.code == "UNKNOWN_METHOD"

    def test_positional_arguments_are_named_by_the_servers_documentation(
        self, nineteen: responses.RequestsMock
    ) -> None:
        nineteen.add(
            "GET",
            f"{URL}/doc-bearer/res.partner.json",
            json={"methods": {"do_it": {"parameters": {"first": {}, "second": {}}}}},
        )
        nineteen.add("POST", f"{URL}/json/2/res.partner/do_it", json=True)

        call = Call(model="res.partner", method="do_it", ids=[1], positional=("a", "b"))
        assert odoo(api_key="k").call(call) is True
        body = json.loads(nineteen.calls[-1].request.body or "")
        assert (body["first"], body["second"], body["ids"]) == ("a", "b", [1])

    def test_what_cannot_be_named_is_refused_never_dropped(
        self, nineteen: responses.RequestsMock
    ) -> None:
        nineteen.add("GET", f"{URL}/doc-bearer/res.partner.json", status=403)

        with pytest.raises(ValidationError, match="only accepts named arguments"):
            odoo(api_key="k").call(
                Call(model="res.partner", method="do_it", ids=[1], positional=("a",))
            )

    def test_numbers_that_are_none_are_read(self, nineteen: responses.RequestsMock) -> None:
        """Odoo writes them so; simplejson, which requests takes where it is, does not read them."""
        body = '[{"id": 1, "rate": NaN}, {"id": 2, "rate": -Infinity}]'
        nineteen.add("POST", f"{URL}/json/2/res.partner/search_count", body=body)
        with odoo(api_key="key") as connection:
            first, second = connection.call(ONE)
        assert math.isnan(first["rate"])
        assert second["rate"] == -math.inf

    def test_html_is_an_error(self, nineteen: responses.RequestsMock) -> None:
        nineteen.add(
            "POST",
            f"{URL}/json/2/res.partner/search_count",
            body="<html>wrong database</html>",
            status=404,
            content_type="text/html",
        )

        with pytest.raises(OdooError) as caught:
            odoo(api_key="k").call(ONE)
        assert caught.value.code == "ENDPOINT_NOT_FOUND"


def test_a_gateway_error_with_json_of_its_own_proves_nothing(
    nineteen: responses.RequestsMock,
) -> None:
    """Only a body in the form of Odoo's errors says that Odoo refused."""
    body = {"name": "Payments", "type": "ir.actions.act_window"}
    nineteen.add("POST", f"{URL}/json/2/account.move/action_post", json=body, status=504)
    call = Call(model="account.move", method="action_post", ids=(7,), access="write", step=True)
    with pytest.raises(OdooConnectionError) as raised:
        odoo(api_key="k").call(call)
    assert raised.value.outcome == "maybe_applied"
