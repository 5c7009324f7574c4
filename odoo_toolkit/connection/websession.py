"""A web session: what a browser has after its login, for what only the web client's routes serve.

Odoo opens one for a password and for nothing else: API keys are refused here by every version
from 14 to 19, and a user with two-factor authentication has to give a code, too.
"""

from __future__ import annotations

import contextlib
import html
import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from odoo_toolkit.call import Call, rpc_arguments
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.database import find_database
from odoo_toolkit.connection.http import CONNECT_TIMEOUT, Http, unexpected
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.error_patterns import classify, fault_from_jsonrpc
from odoo_toolkit.errors import (
    AccessError,
    ConfigurationError,
    OdooConnectionError,
    OdooError,
    RateLimitError,
)

if TYPE_CHECKING:
    import requests

#: Seconds that a logout may take: whoever closes a connection does not want to wait.
_LOGOUT_TIMEOUT = 3.0

#: Seconds after which Odoo takes logins again from where too many have failed, as it comes.
_COOLDOWN = 60

#: By which Odoo knows a web session.
_COOKIE = "session_id"

#: Where the code of an authenticator app completes a login.
_SECOND_FACTOR = "/web/login/totp"


class WebSession:
    """Requests to the routes of Odoo's web client, logged in; safe to use from many threads.

    It logs in at the first request, and once more when the server has forgotten the session. Odoo
    writes at a login: whoever uses the session says with ``before_login`` when it may be.

    Args:
        settings: where Odoo is, the user and the password.
        database: its name; None to ask the server, which must have one only.
        second_factor: the current code of the user's authenticator app; it serves for one login.

    Where a login is refused, the error's ``details["reason"]`` tells why: ``credentials``,
    ``second_factor`` (one is wanted), ``code`` (it is wrong), ``too_many_tries``.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        database: str | None,
        *,
        second_factor: Secret | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._second_factor = second_factor
        # Apart from the RPC connections, which must not have the cookie.
        self._http = Http(settings, keep_cookies=True)
        self._lock = threading.Lock()
        self._uid = 0
        self._logins = 0
        self._wants_second_factor = self._logged_in_by_half = False

    def log_in(self, *, before_login: Callable[[], object]) -> int:
        """Log in, unless that is done, and return the id of the user in Odoo.

        Args:
            before_login: called right before a login, not without one; what it raises prevents it.

        Raises:
            ConfigurationError: there is no user or no password in the settings.
            AccessError: Odoo refuses them, or wants a second factor.
            OdooConnectionError: Odoo cannot be reached.
        """
        with self._lock:
            if not self._uid:
                self._authenticate(before_login)
            return self._uid

    def get(
        self, path: str, *, timeout: float, before_login: Callable[[], object], **options: Any
    ) -> requests.Response:
        """Send a GET request and return the answer, whatever it is but a way to the login page.

        Args:
            path: begins with a slash, below the server's address.
            timeout: seconds until the answer begins.
            before_login: as of :meth:`log_in`.
            options: as of ``requests.request``.

        Raises:
            OdooError: as :meth:`log_in`; SESSION_EXPIRED where a new login did not help.
        """
        self.log_in(before_login=before_login)
        options["timeout"] = (min(timeout, CONNECT_TIMEOUT), timeout)
        logins = self._logins
        answer = self._http.request("GET", path, **options)
        if not _logged_out(answer):
            return answer
        with self._lock:
            # Several threads may have met the same expired session: one login serves them all.
            if self._logins == logins:
                self._authenticate(before_login)
        answer = self._http.request("GET", path, **options)
        if _logged_out(answer):
            raise OdooConnectionError(
                "Odoo ended the web session immediately after the login.",
                code="SESSION_EXPIRED",
                suggestion="Try again in a moment. If it happens each time, check whether a "
                "proxy removes the session cookie.",
            )
        return answer

    def call(self, path: str, *, timeout: float, before_login: Callable[[], object]) -> Any:
        """Call a route that the web client calls with JSON, without arguments; return its result.

        Args:
            path: begins with a slash, below the server's address.
            timeout: seconds until the answer begins.
            before_login: as of :meth:`log_in`.

        Raises:
            OdooError: as :meth:`log_in`, or what the route raised.
        """
        answer = self._post(path, {}, timeout, before_login)
        if isinstance(answer, dict) and "error" in answer:
            raise classify(fault_from_jsonrpc(answer["error"]), model="", method=path)
        return answer.get("result") if isinstance(answer, dict) else None

    def send(self, call: Call, *, timeout: float, before_login: Callable[[], object]) -> Any:
        """Call a method of a model, as a button of the web client does; return its result.

        Some methods can be called by nothing else: making an API key is one.

        Args:
            call: what to call; nobody judges it here.
            timeout: seconds until the answer begins.
            before_login: as of :meth:`log_in`.

        Raises:
            OdooError: as :meth:`log_in`, or what the method raised.
        """
        args, kwargs = rpc_arguments(call)
        if call.context:
            kwargs["context"] = dict(call.context)
        path = f"/web/dataset/call_kw/{call.model}/{call.method}"
        params = {"model": call.model, "method": call.method, "args": args, "kwargs": kwargs}
        answer = self._post(path, params, timeout, before_login)
        if not isinstance(answer, dict) or "jsonrpc" not in answer:
            raise OdooConnectionError(
                f"The response of {self._http.url} does not come from Odoo's web client.",
                suggestion="Check that ODOO_URL is the address of Odoo itself.",
                outcome="maybe_applied",
            )
        if "error" in answer:
            fault = fault_from_jsonrpc(answer["error"])
            raise classify(fault, model=call.model, method=call.method, ids=call.ids)
        return answer.get("result")

    def _post(
        self, path: str, params: dict[str, Any], timeout: float, before_login: Callable[[], object]
    ) -> Any:
        """Send a JSON request, once more after a new login where the session was forgotten."""
        self.log_in(before_login=before_login)
        options = {"json": _rpc(params), "timeout": (min(timeout, CONNECT_TIMEOUT), timeout)}
        logins = self._logins
        answer = self._http.json("POST", path, **options)
        if _expired(answer):
            with self._lock:
                if self._logins == logins:
                    self._authenticate(before_login)
            answer = self._http.json("POST", path, **options)
        return answer

    def leave(self) -> tuple[int, Secret]:
        """Close the connections and stay logged in; return what :meth:`resume` takes."""
        token = self._http.cookie(_COOKIE)
        uid, self._uid = self._uid, 0
        self._http.close()
        return uid, Secret(token or "")

    def resume(self, uid: int, token: Secret) -> None:
        """Go on with a login that was left.

        Args:
            uid: the user's id.
            token: of the web session.
        """
        self._http.set_cookie(_COOKIE, token.reveal())
        self._uid = uid

    def close(self) -> None:
        """Log out, if that works at once, and close the connections."""
        with contextlib.suppress(OdooError):
            if self._uid:
                self._http.request(
                    "POST", "/web/session/destroy", json=_rpc({}), timeout=_LOGOUT_TIMEOUT
                )
            elif self._logged_in_by_half:
                # Who is logged in by half may not call the other one.
                self._http.request("GET", "/web/session/logout", timeout=_LOGOUT_TIMEOUT)
        self._uid = 0
        self._http.close()

    def _authenticate(self, before_login: Callable[[], object]) -> None:
        settings = self._settings
        if not settings.password or not settings.username:
            raise ConfigurationError(
                "A web session needs the user's name and password. An API key is not enough.",
                suggestion="Set ODOO_USERNAME and ODOO_PASSWORD. You can keep the API key.",
            )
        if self._wants_second_factor:
            # Newer versions of Odoo e-mail the user about each try.
            raise _second_factor(settings.username)
        before_login()
        database = self._database or find_database(self._http)
        if self._second_factor:
            # From 15 on, a half login forgets which of several databases it was for.
            self._http.request("GET", "/web/login", params={"db": database})
        credentials = {
            "db": database,
            "login": settings.username,
            "password": settings.password,
        }
        answer = self._http.json("POST", "/web/session/authenticate", json=_rpc(credentials))
        if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
            raise OdooConnectionError(
                f"{self._http.url} did not respond to the login as Odoo does.",
                suggestion="Check that ODOO_URL is the address of Odoo itself.",
            )
        if "error" in answer:
            raise _refusal(answer["error"], settings.username)
        uid = (answer["result"] or {}).get("uid")
        if not uid:
            self._wants_second_factor = self._logged_in_by_half = True
            if not self._second_factor:
                raise _second_factor(settings.username)
            uid = self._complete(self._second_factor)
            self._logged_in_by_half = False
        self._uid = int(uid)
        self._logins += 1

    def _complete(self, code: Secret) -> int:
        """Complete a login with the code of an authenticator app, as its page does."""
        page = self._http.request("GET", _SECOND_FACTOR)
        token = re.search(r'<input[^>]*name="csrf_token"[^>]*value="([^"]+)"', page.text)
        if page.status_code != 200 or not token:
            raise unexpected(page)
        form = {"csrf_token": token[1], "totp_token": code.reveal()}
        answer = self._http.request("POST", _SECOND_FACTOR, data=form)
        if not 300 <= answer.status_code < 400:
            raise _wrong_code(answer)
        told = self._http.json("POST", "/web/session/get_session_info", json=_rpc({}))
        uid = told.get("result", {}).get("uid") if isinstance(told, dict) else None
        if not uid:
            raise _second_factor(self._settings.username or "")
        return int(uid)


def _rpc(params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "call", "params": params}


def _logged_out(answer: requests.Response) -> bool:
    """Whether the server sends to the login, or, without a session, knows no database."""
    return 300 <= answer.status_code < 400 or answer.status_code == 404


def _second_factor(username: str) -> AccessError:
    return AccessError(
        f"Odoo requires a second factor from {username!r} before it opens a web session.",
        suggestion="Connect as a user without two-factor authentication.",
        details={"reason": "second_factor"},
    )


def _wrong_code(answer: requests.Response) -> AccessError:
    """Return the error for a code that Odoo does not take, with what its page says of it."""
    said = re.search(r'class="[^"]*\balert-danger\b[^"]*"[^>]*>([^<]*)<', answer.text)
    told = html.unescape(said[1]).strip() if said else ""
    return AccessError(
        f"Odoo does not accept the code: {told}" if told else "Odoo does not accept the code.",
        suggestion="Enter the code that the authenticator app shows now.",
        details={"reason": "code"},
    )


def _expired(answer: Any) -> bool:
    """Whether a route was not called, because the server has forgotten the session."""
    if not isinstance(answer, dict) or "error" not in answer:
        return False
    return fault_from_jsonrpc(answer["error"]).name.endswith("SessionExpiredException")


def _refusal(error: Any, username: str) -> OdooError:
    fault = fault_from_jsonrpc(error)
    if not fault.name.endswith("AccessDenied"):
        return classify(fault, model="", method="login")
    if fault.message.startswith("Too many login failures"):
        return RateLimitError(
            "Odoo rejects logins from here for a while, because too many have failed.",
            suggestion=f"Wait {_COOLDOWN} seconds.",
            details={"reason": "too_many_tries", "retry_after": _COOLDOWN},
        )
    return AccessError(
        f"Odoo does not accept the password of {username!r} for a web session.",
        suggestion="Check ODOO_PASSWORD. It must be the password, not an API key.",
        details={"reason": "credentials"},
    )
