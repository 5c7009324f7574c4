"""The web session: when it logs in, logs in again and logs out, and what it says when it cannot."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import attrs
import pytest
import requests
import responses

from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    OdooConnectionError,
    OdooError,
    RateLimitError,
)
from odoo_toolkit.call import Call
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.websession import WebSession
from tests.unit.wire import URL, Wire, odoo, settings

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "recorded/reports.json").read_text("utf-8")
)


class Web:
    """A web server that knows sessions: ``valid`` is the one that it takes for logged in."""

    def __init__(self, mock: responses.RequestsMock, version: str = "14") -> None:
        self.version = version
        self.logins: list[dict[str, Any]] = []
        self.logouts = 0
        self.valid = ""
        self.login_answer: Any = RECORDED[version]["login"]
        self.forgets_at_once = False
        self._lock = threading.Lock()
        mock.add_callback("POST", f"{URL}/web/session/authenticate", self._log_in)
        mock.add_callback("POST", f"{URL}/web/session/destroy", self._log_out)
        mock.add_callback("GET", f"{URL}/page", self._page)

    def _log_in(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        with self._lock:
            self.logins.append(json.loads(request.body or "{}")["params"])
            self.valid = "" if self.forgets_at_once else f"s{len(self.logins)}"
            cookie = {"Set-Cookie": f"session_id=s{len(self.logins)}; Path=/"}
        return 200, cookie, json.dumps(self.login_answer)

    def _log_out(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.logouts += 1
        return 200, {}, '{"jsonrpc": "2.0", "id": null}'

    def _page(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        if f"session_id={self.valid}" in request.headers.get("Cookie", "") and self.valid:
            return 200, {}, "the page"
        expired = RECORDED[self.version]["expired"]
        return expired["status"], expired["headers"], ""


def anything() -> None:
    """Let every login pass."""


def session(**keywords: Any) -> WebSession:
    return WebSession(settings(**keywords), "odoo14")


@pytest.mark.parametrize("version", ["14", "19"])
def test_it_logs_in_once_with_user_password_and_database(
    mock: responses.RequestsMock, version: str
) -> None:
    web, opened = Web(mock, version), session()

    for _ in range(3):
        assert opened.get("/page", timeout=5, before_login=anything).text == "the page"
    assert opened.log_in(before_login=anything) == 2
    assert web.logins == [{"db": "odoo14", "login": "admin", "password": "correct horse"}]


@pytest.mark.parametrize("version", ["14", "19"])
def test_an_expired_session_logs_in_again_once(mock: responses.RequestsMock, version: str) -> None:
    web, opened = Web(mock, version), session()
    opened.get("/page", timeout=5, before_login=anything)
    web.valid = "another"

    assert opened.get("/page", timeout=5, before_login=anything).text == "the page"
    assert len(web.logins) == 2


def test_threads_that_meet_the_same_expired_session_log_in_once(
    mock: responses.RequestsMock,
) -> None:
    web, opened = Web(mock), session()
    opened.get("/page", timeout=5, before_login=anything)
    web.valid = "another"
    together, texts = threading.Barrier(4), []
    request = opened._http.request

    def all_expired(method: str, path: str, **options: Any) -> Any:
        answer = request(method, path, **options)
        if path == "/page" and answer.status_code != 200:
            together.wait(120)
        return answer

    opened._http.request = all_expired

    def get() -> None:
        texts.append(opened.get("/page", timeout=5, before_login=anything).text)

    threads = [threading.Thread(target=get) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert texts == ["the page"] * 4
    assert len(web.logins) == 2


def test_each_login_is_asked_about_before_and_nothing_else(mock: responses.RequestsMock) -> None:
    web, opened = Web(mock), session()
    asked: list[int] = []

    def ask() -> None:
        asked.append(len(web.logins))

    opened.get("/page", timeout=5, before_login=ask)
    opened.get("/page", timeout=5, before_login=ask)
    web.valid = "another"
    opened.get("/page", timeout=5, before_login=ask)
    assert asked == [0, 1]


@pytest.mark.parametrize("again", [False, True], ids=["first", "after-it-expired"])
def test_a_login_that_is_not_let_pass_is_not_sent(
    mock: responses.RequestsMock, again: bool
) -> None:
    web, opened = Web(mock), session()

    def refuse() -> None:
        raise ValueError("not now")

    if again:
        opened.get("/page", timeout=5, before_login=anything)
        web.valid = "another"
    with pytest.raises(ValueError, match="not now"):
        opened.get("/page", timeout=5, before_login=refuse)
    assert len(web.logins) == again


def test_a_session_that_never_holds_is_an_error_not_a_loop(mock: responses.RequestsMock) -> None:
    web, opened = Web(mock), session()
    web.forgets_at_once = True

    with pytest.raises(OdooConnectionError) as caught:
        opened.get("/page", timeout=5, before_login=anything)
    assert caught.value.code == "SESSION_EXPIRED"
    assert len(web.logins) == 2


@pytest.mark.parametrize("version", ["14", "19"])
def test_a_refused_password_names_the_user_and_not_the_password(
    mock: responses.RequestsMock, version: str
) -> None:
    web, opened = Web(mock, version), session()
    web.login_answer = RECORDED[version]["refused"]

    with pytest.raises(AccessError) as caught:
        opened.get("/page", timeout=5, before_login=anything)
    assert caught.value.code == "ACCESS_DENIED"
    assert "'admin'" in caught.value.message
    assert "correct horse" not in json.dumps(caught.value.to_dict())


def test_a_second_factor_is_told(mock: responses.RequestsMock) -> None:
    web, opened = Web(mock), session()
    web.login_answer = {"jsonrpc": "2.0", "id": None, "result": {"uid": None}}

    # Asked once only: newer versions of Odoo e-mail the user about each try.
    for _ in range(2):
        with pytest.raises(AccessError, match="second factor"):
            opened.log_in(before_login=anything)
    assert len(web.logins) == 1


@pytest.mark.parametrize("answer", [[], "x", {"jsonrpc": "2.0"}])
def test_an_answer_that_is_not_odoos_is_told(mock: responses.RequestsMock, answer: Any) -> None:
    web, opened = Web(mock), session()
    web.login_answer = answer

    with pytest.raises(OdooConnectionError, match="as Odoo does"):
        opened.log_in(before_login=anything)


def test_without_a_password_nothing_is_sent(mock: responses.RequestsMock) -> None:
    opened = session(password=None, api_key="0123456789")

    with pytest.raises(ConfigurationError, match="API key is not enough"):
        opened.get("/page", timeout=5, before_login=anything)
    assert len(mock.calls) == 0


def test_the_database_is_asked_where_it_is_not_known(
    mock: responses.RequestsMock, wire: Wire
) -> None:
    web, opened = Web(mock), WebSession(settings(), None)

    opened.log_in(before_login=anything)
    assert [login["db"] for login in web.logins] == ["odoo14"]


def test_closing_the_connection_logs_out_and_the_next_use_logs_in(
    mock: responses.RequestsMock, wire: Wire
) -> None:
    web, connection = Web(mock), odoo()
    before = connection.web_session
    before.get("/page", timeout=5, before_login=anything)
    assert connection.web_session is before

    connection.close()
    assert web.logouts == 1

    assert connection.web_session.get("/page", timeout=5, before_login=anything).text == "the page"
    assert len(web.logins) == 2


def test_closing_without_use_or_with_a_dead_server_is_quiet(
    mock: responses.RequestsMock, wire: Wire
) -> None:
    web, opened = Web(mock), session()
    opened.close()
    assert web.logouts == 0

    opened = session()
    opened.log_in(before_login=anything)
    mock.replace("POST", f"{URL}/web/session/destroy", body=requests.ConnectionError("gone"))
    opened.close()


def test_rpc_has_no_cookie_of_the_web_session(mock: responses.RequestsMock, wire: Wire) -> None:
    Web(mock)
    connection = odoo()
    connection.web_session.get("/page", timeout=5, before_login=anything)
    connection.schema.fields("res.partner")

    rpc = [call for call in mock.calls if call.request.url == f"{URL}/jsonrpc"]
    assert rpc
    assert all("Cookie" not in call.request.headers for call in rpc)


def test_a_report_may_take_longer_than_other_requests(mock: responses.RequestsMock) -> None:
    Web(mock)
    opened, seen = session(timeout=3), []
    send = opened._http._session.request

    def remember(method: str, url: str, **options: Any) -> Any:
        seen.append((url, options["timeout"]))
        return send(method, url, **options)

    opened._http._session.request = remember
    opened.get("/page", timeout=120, before_login=anything)
    assert seen[-1] == (f"{URL}/page", (10, 120))
    assert seen[0] == (f"{URL}/web/session/authenticate", (3, 3))


def test_the_server_down_is_a_connection_error(mock: responses.RequestsMock) -> None:
    with pytest.raises(OdooError) as caught:
        session().log_in(before_login=anything)
    assert caught.value.category == "connection"


READ = Call(model="res.users", method="read", ids=(2,), arguments={"fields": ["name"]})


def test_a_method_is_called_as_a_button_of_the_web_client_calls_it(
    mock: responses.RequestsMock,
) -> None:
    Web(mock)
    path = f"{URL}/web/dataset/call_kw/res.users/read"
    sent = mock.post(path, json={"jsonrpc": "2.0", "id": None, "result": [{"id": 2}]})
    opened = session()

    call = attrs.evolve(READ, context={"lang": "fr_FR"})
    assert opened.send(call, timeout=5, before_login=anything) == [{"id": 2}]
    assert json.loads(sent.calls[0].request.body)["params"] == {
        "model": "res.users",
        "method": "read",
        "args": [[2], ["name"]],
        "kwargs": {"context": {"lang": "fr_FR"}},
    }


def test_a_method_of_an_expired_session_is_called_after_a_new_login(
    mock: responses.RequestsMock,
) -> None:
    web, opened = Web(mock), session()
    path = f"{URL}/web/dataset/call_kw/res.users/read"
    expired = {"data": {"name": "odoo.http.SessionExpiredException", "message": "Session expired"}}
    mock.post(path, json={"jsonrpc": "2.0", "id": None, "error": expired})
    mock.post(path, json={"jsonrpc": "2.0", "id": None, "result": []})

    assert opened.send(READ, timeout=5, before_login=anything) == []
    assert len(web.logins) == 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, None),
        ({"result": []}, "CONNECTION_ERROR"),
        ([], "CONNECTION_ERROR"),
    ],
)
def test_a_method_that_fails_and_an_answer_of_something_else_are_told(
    mock: responses.RequestsMock, answer: Any, code: str | None
) -> None:
    Web(mock)
    error = {"data": {"name": "odoo.exceptions.AccessError", "message": "Only internal users"}}
    body = answer if code else {"jsonrpc": "2.0", "id": None, "error": error}
    mock.post(f"{URL}/web/dataset/call_kw/res.users/read", json=body)

    with pytest.raises(OdooError) as caught:
        session().send(READ, timeout=5, before_login=anything)
    assert caught.value.code == (code or "ACCESS_DENIED")


FORM = '<form><input type="hidden" name="csrf_token" value="t0ken"/></form>'


class SecondFactor(Web):
    """A web server that wants the code of an app after the password."""

    def __init__(self, mock: responses.RequestsMock, page: str = FORM) -> None:
        super().__init__(mock)
        self.login_answer = {"jsonrpc": "2.0", "id": None, "result": {"uid": None}}
        mock.get(f"{URL}/web/login", body="")
        mock.get(f"{URL}/web/login/totp", body=page)
        mock.add_callback("POST", f"{URL}/web/login/totp", self._check)
        info = {"jsonrpc": "2.0", "id": None, "result": {"uid": 7}}
        mock.post(f"{URL}/web/session/get_session_info", json=info)
        self.forms: list[str] = []
        self.says = ""

    def _check(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.forms.append(str(request.body))
        if "totp_token=123456" in self.forms[-1] and "csrf_token=t0ken" in self.forms[-1]:
            return 303, {"Location": "/web"}, ""
        return 200, {}, f'{FORM}<p class="alert alert-danger" role="alert">\n {self.says}\n</p>'


def test_the_code_of_an_app_completes_a_login(mock: responses.RequestsMock) -> None:
    SecondFactor(mock)
    opened = WebSession(settings(), "odoo14", second_factor=Secret("123456"))

    assert opened.log_in(before_login=anything) == 7


def test_a_code_serves_for_one_login(mock: responses.RequestsMock) -> None:
    web = SecondFactor(mock)
    opened = WebSession(settings(), "odoo14", second_factor=Secret("123456"))
    opened.get("/page", timeout=5, before_login=anything)
    web.valid = "another"

    with pytest.raises(AccessError, match="second factor"):
        opened.get("/page", timeout=5, before_login=anything)
    assert len(web.forms) == 1


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("Please use the latest 6-digit code", "code: Please use the latest 6-digit code"),
        ("", "does not accept the code."),
    ],
)
def test_a_wrong_code_is_told_in_odoos_words(
    mock: responses.RequestsMock, says: str, told: str
) -> None:
    web = SecondFactor(mock)
    web.says = says
    opened = WebSession(settings(), "odoo14", second_factor=Secret("654321"))

    with pytest.raises(AccessError) as caught:
        opened.log_in(before_login=anything)
    assert told in caught.value.message
    assert caught.value.details == {"reason": "code"}
    assert "654321" not in json.dumps(caught.value.to_dict())


def test_a_page_without_the_form_is_told(mock: responses.RequestsMock) -> None:
    SecondFactor(mock, page="<html>Maintenance</html>")
    opened = WebSession(settings(), "odoo14", second_factor=Secret("123456"))

    with pytest.raises(OdooConnectionError):
        opened.log_in(before_login=anything)


def test_too_many_logins_that_failed_are_told_apart(mock: responses.RequestsMock) -> None:
    web, opened = Web(mock), session()
    message = "Too many login failures, please wait a bit before trying again."
    data = {"name": "odoo.exceptions.AccessDenied", "message": message}
    web.login_answer = {"jsonrpc": "2.0", "id": None, "error": {"data": data}}

    with pytest.raises(RateLimitError) as caught:
        opened.log_in(before_login=anything)
    assert caught.value.details == {"reason": "too_many_tries", "retry_after": 60}
