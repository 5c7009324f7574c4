"""Keys of people: what a real Odoo cannot be made to do, or must not on a shared server."""

from __future__ import annotations

import json
import traceback
from typing import Any

import pytest
import requests
import responses

from odoo_toolkit import OdooConnectionError, OdooError, StateError
from odoo_toolkit.users.user_keys import begin_key, finish_key, give_up_key, make_key, remove_key
from tests.unit.wire import URL, Wire

PASSWORD = "correct horse"
KEY = "0123456789abcdef0123456789abcdef01234567"

#: Words of Odoo 19 for a plain user.
DURATIONS = [["1", "1 Day"], ["30", "1 Month"], ["90", "3 Months"], ["-1", "Custom Date"]]

#: Odoo asks for the password once more; and shows the form for a new key.
CHECK = {"res_model": "res.users.identitycheck", "res_id": 6}
FORM = {"res_model": "res.users.apikeys.description"}


class WebOdoo:
    """The methods that make keys, over the routes of the web client; remembers what was asked.

    Attributes:
        answers: (model, method) -> the result, or an exception to raise, or a function.
        calls: (model, method, args, kwargs) in order.
    """

    def __init__(self, mock: responses.RequestsMock, wire: Wire) -> None:
        wire.answers["res.users", "has_group"] = False
        self.keys: list[dict[str, Any]] = []
        self.calls: list[tuple[str, str, list[Any], dict[str, Any]]] = []
        self.answers: dict[tuple[str, str], Any] = {
            ("res.users", "fields_get"): {"groups_id": {"type": "many2many"}},
            ("res.users", "read"): [
                {
                    "id": 2,
                    "name": "Ann",
                    "login": "ann",
                    "company_id": [1, "Shop"],
                    "groups_id": [1],
                }
            ],
            ("res.groups", "get_external_id"): {"1": "base.group_user"},
            ("res.users.apikeys", "search_read"): lambda: list(self.keys),
            ("res.users.apikeys.description", "fields_get"): {"name": {}},
            ("res.users.apikeys.description", "create"): 5,
            ("res.users", "api_key_wizard"): CHECK,
            ("res.users.apikeys.description", "make_key"): self.made,
            ("res.users.apikeys", "remove"): None,
            ("res.users.identitycheck", "fields_get"): {"password": {"store": True}},
            ("res.users.identitycheck", "write"): True,
            ("res.users.identitycheck", "run_check"): FORM,
        }
        self.logouts = 0
        self.login = {"jsonrpc": "2.0", "id": None, "result": {"uid": 2}}
        mock.add_callback(
            "POST",
            f"{URL}/web/session/authenticate",
            lambda request: (200, {"Set-Cookie": "session_id=s; Path=/"}, json.dumps(self.login)),
        )
        mock.add_callback("POST", f"{URL}/web/session/destroy", self._log_out)
        for model, method in self.answers:
            path = f"{URL}/web/dataset/call_kw/{model}/{method}"
            mock.add_callback("POST", path, self._answer)

    def made(self, *others: str) -> dict[str, Any]:
        """Make a key, and at the same time those of these names."""
        for name in ("Assistant", *others):
            row = {"id": len(self.keys) + 1, "name": name, "create_date": "2026-11-25 10:00:00"}
            self.keys.append(row)
        return {"res_model": "res.users.apikeys.show", "context": {"default_key": KEY}}

    def asked(self, method: str) -> list[tuple[list[Any], dict[str, Any]]]:
        """Return the arguments of each call of a method."""
        return [call[2:] for call in self.calls if call[1] == method]

    def _answer(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        params = json.loads(request.body or "{}")["params"]
        model, method = params["model"], params["method"]
        self.calls.append((model, method, params["args"], params["kwargs"]))
        answer = self.answers[model, method]
        if isinstance(answer, Exception):
            raise answer
        answer = answer() if callable(answer) else answer
        body = answer if isinstance(answer, Refusal) else {"result": answer}
        return 200, {}, json.dumps({"jsonrpc": "2.0", "id": None, **body})

    def _log_out(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.logouts += 1
        return 200, {}, '{"jsonrpc": "2.0", "id": null}'


class Refusal(dict[str, Any]):
    """The body with which Odoo refuses a call."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(error={"data": {"name": f"odoo.exceptions.{name}", "message": message}})


@pytest.fixture
def web(mock: responses.RequestsMock, wire: Wire) -> WebOdoo:
    return WebOdoo(mock, wire)


def make(**options: Any) -> Any:
    return make_key(URL, "odoo14", "ann", PASSWORD, "Assistant", **options)


def everything(error: BaseException) -> str:
    """Return all that an error holds: words, causes, and the values in the frames it came by."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    library = [repr(f.locals) for f in shown.stack if "odoo_toolkit" in f.filename]
    texts = [str(error), repr(vars(error)), repr(error.__cause__), repr(error.__context__)]
    return "\n".join([*texts, *library])


def test_a_key_is_made_and_the_session_logged_out(web: WebOdoo) -> None:
    made = make()

    assert (made.key.reveal(), made.key_id, made.expires, made.warning) == (KEY, 1, None, "")
    assert made.owner.groups == ["base.group_user"]
    assert web.logouts == 1


@pytest.mark.parametrize(
    ("offered", "days", "duration"),
    [
        (DURATIONS, None, "90"),
        (DURATIONS, 30, "-1"),
        (DURATIONS, 90, "90"),
        (DURATIONS, 91, "90"),
        (DURATIONS, 14, "-1"),
        ([*DURATIONS, ["0", "Persistent Key"]], None, "0"),
        ([*DURATIONS, ["0", "Persistent Key"]], 365, "-1"),
        ([["-1", "Custom Date"]], None, "1"),
    ],
)
def test_the_duration_is_the_longest_or_the_days_that_were_asked_for(
    web: WebOdoo, offered: list[list[str]], days: int | None, duration: str
) -> None:
    fields = {"name": {}, "duration": {"selection": offered}}
    web.answers["res.users.apikeys.description", "fields_get"] = fields

    make(days=days)
    ((args, _),) = web.asked("create")
    assert args[0]["duration"] == duration
    assert ("expiration_date" in args[0]) == (duration == "-1")


def test_the_password_is_typed_where_the_version_takes_it_from(web: WebOdoo) -> None:
    make()
    ((args, _),) = web.asked("write")
    assert args == [[6], {"password": PASSWORD}]
    assert web.asked("run_check") == [([[6]], {})]

    web.calls.clear()
    web.answers["res.users.identitycheck", "fields_get"] = {
        "password": {"store": False},
        "auth_method": {"store": True},
    }
    make()
    ((args, _),) = web.asked("write")
    assert args == [[6], {"auth_method": "password"}]
    assert web.asked("run_check") == [([[6]], {"context": {"password": PASSWORD}})]


def test_a_password_that_odoo_would_keep_is_taken_back(web: WebOdoo) -> None:
    web.answers["res.users.identitycheck", "run_check"] = Refusal("UserError", "Incorrect")

    with pytest.raises(OdooError):
        make()
    assert web.asked("write")[-1] == ([[6], {"password": False}], {})
    assert web.logouts == 1


def test_who_may_not_have_keys_is_told_so(web: WebOdoo) -> None:
    web.answers["res.users.apikeys.description", "make_key"] = Refusal("AccessError", "Only some")

    with pytest.raises(OdooError) as caught:
        make()
    assert caught.value.details["reason"] == "no_keys"
    assert web.logouts == 1


def test_a_login_that_is_too_long_ago_makes_no_key(web: WebOdoo) -> None:
    begun = begin_key(URL, "odoo14", "ann", PASSWORD)
    web.answers["res.users.apikeys.description", "make_key"] = CHECK

    with pytest.raises(StateError, match="too old"):
        finish_key(URL, "odoo14", begun, "Assistant")
    assert (web.keys, web.logouts) == ([], 1)


def test_a_login_that_nothing_comes_of_is_logged_out(web: WebOdoo) -> None:
    begun = begin_key(URL, "odoo14", "ann", PASSWORD)
    assert web.logouts == 0
    give_up_key(URL, "odoo14", begun)
    assert (web.keys, web.logouts) == ([], 1)


def test_no_confirmation_is_given_where_none_is_wanted(web: WebOdoo) -> None:
    web.answers["res.users", "api_key_wizard"] = FORM

    assert make().key_id == 1
    assert not web.asked("run_check")


def test_a_key_that_cannot_be_told_from_another_has_no_id(web: WebOdoo) -> None:
    web.answers["res.users.apikeys.description", "make_key"] = lambda: web.made("Assistant")

    assert make().key_id is None


def test_a_key_that_is_not_shown_is_an_error(web: WebOdoo) -> None:
    closed = {"type": "ir.actions.act_window_close"}
    web.answers["res.users.apikeys.description", "make_key"] = closed

    with pytest.raises(StateError, match="did not show"):
        make()
    assert web.logouts == 1


def test_a_key_that_odoo_does_not_remove_is_an_error(web: WebOdoo) -> None:
    web.made()

    with pytest.raises(StateError, match="did not remove"):
        remove_key(URL, "odoo14", "ann", PASSWORD, 1)
    assert web.logouts == 1


def test_a_connection_that_breaks_holds_no_password(web: WebOdoo) -> None:
    broken = requests.ConnectionError("gone")
    web.answers["res.users.identitycheck", "write"] = broken

    with pytest.raises(OdooConnectionError) as caught:
        make()
    assert PASSWORD not in everything(caught.value)
    assert web.logouts == 1


def test_a_session_that_ends_is_not_opened_anew(web: WebOdoo) -> None:
    web.answers["res.users.apikeys.description", "create"] = Refusal(
        "SessionExpiredException", "Session expired"
    )

    with pytest.raises(OdooConnectionError) as caught:
        make()
    assert caught.value.code == "SESSION_EXPIRED"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"value": URL, "write_date": "2026-11-25 09:59:58"}], True),
        ([{"value": URL, "write_date": "2026-11-24 09:59:58"}], False),
        (Refusal("AccessError", "You are not allowed"), False),
    ],
    ids=["changed", "long-ago", "plain-user"],
)
def test_a_login_that_changed_the_address_in_odoos_links_is_told(
    mock: responses.RequestsMock, wire: Wire, web: WebOdoo, rows: Any, told: bool
) -> None:
    # Who has a second factor is refused over RPC, so that nothing is known before.
    rpc = f"{URL}/jsonrpc"
    mock.replace("POST", rpc, json={"jsonrpc": "2.0", "id": None, "result": False})
    web.answers["ir.config_parameter", "search_read"] = rows
    path = f"{URL}/web/dataset/call_kw/ir.config_parameter/search_read"
    mock.add_callback("POST", path, web._answer)

    warning = make().warning
    assert ("web.base.url" in warning) == told
    assert bool(warning) == told
