"""A web session: what a browser has after its login, for what only the web client's routes serve.

Odoo opens one for a password and for nothing else: API keys are refused here by every version
from 14 to 19, and a user with two-factor authentication would have to type a code.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from odoo_toolkit.connection.database import find_database
from odoo_toolkit.connection.http import CONNECT_TIMEOUT, Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.error_patterns import classify, fault_from_jsonrpc
from odoo_toolkit.errors import (
    AccessError,
    ConfigurationError,
    OdooConnectionError,
    OdooError,
)

if TYPE_CHECKING:
    import requests

#: Seconds that a logout may take: whoever closes a connection does not want to wait.
_LOGOUT_TIMEOUT = 3.0


class WebSession:
    """Requests to the routes of Odoo's web client, logged in; safe to use from many threads.

    It logs in at the first request, and once more when the server has forgotten the session. Odoo
    writes at a login: whoever uses the session says with ``before_login`` when it may be.

    Args:
        settings: where Odoo is, the user and the password.
        database: its name; None to ask the server, which must have one only.
    """

    def __init__(self, settings: ConnectionSettings, database: str | None) -> None:
        self._settings = settings
        self._database = database
        # Apart from the RPC connections, which must not have the cookie.
        self._http = Http(settings, keep_cookies=True)
        self._lock = threading.Lock()
        self._uid = 0
        self._logins = 0
        self._wants_second_factor = False

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
                "Odoo ended the web session right after the login.",
                code="SESSION_EXPIRED",
                suggestion="Try again in a moment. If it happens each time, a proxy may drop the"
                " session's cookie.",
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
        self.log_in(before_login=before_login)
        options = {"json": _rpc({}), "timeout": (min(timeout, CONNECT_TIMEOUT), timeout)}
        logins = self._logins
        answer = self._http.json("POST", path, **options)
        if _expired(answer):
            with self._lock:
                if self._logins == logins:
                    self._authenticate(before_login)
            answer = self._http.json("POST", path, **options)
        if isinstance(answer, dict) and "error" in answer:
            raise classify(fault_from_jsonrpc(answer["error"]), model="", method=path)
        return answer.get("result") if isinstance(answer, dict) else None

    def close(self) -> None:
        """Log out, if that works at once, and close the connections."""
        if self._uid:
            with contextlib.suppress(OdooError):
                self._http.request(
                    "POST", "/web/session/destroy", json=_rpc({}), timeout=_LOGOUT_TIMEOUT
                )
        self._uid = 0
        self._http.close()

    def _authenticate(self, before_login: Callable[[], object]) -> None:
        settings = self._settings
        if not settings.password or not settings.username:
            raise ConfigurationError(
                "A web session needs the user's name and password; an API key opens none.",
                suggestion="Set ODOO_USERNAME and ODOO_PASSWORD, beside the API key if you like.",
            )
        if self._wants_second_factor:
            # Newer versions of Odoo e-mail the user about each try.
            raise _second_factor(settings.username)
        before_login()
        credentials = {
            "db": self._database or find_database(self._http),
            "login": settings.username,
            "password": settings.password,
        }
        answer = self._http.json("POST", "/web/session/authenticate", json=_rpc(credentials))
        if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
            raise OdooConnectionError(
                f"{self._http.url} did not answer the login as Odoo does.",
                suggestion="Check that ODOO_URL is the address of Odoo itself.",
            )
        if "error" in answer:
            raise _refusal(answer["error"], settings.username)
        uid = (answer["result"] or {}).get("uid")
        if not uid:
            self._wants_second_factor = True
            raise _second_factor(settings.username)
        self._uid = int(uid)
        self._logins += 1


def _rpc(params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "call", "params": params}


def _logged_out(answer: requests.Response) -> bool:
    """Whether the server sends to the login, or, without a session, knows no database."""
    return 300 <= answer.status_code < 400 or answer.status_code == 404


def _second_factor(username: str) -> AccessError:
    return AccessError(
        f"Odoo wants a second factor from {username!r} before it opens a web session.",
        suggestion="Use a user without two-factor authentication for this.",
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
    return AccessError(
        f"Odoo does not accept the password of {username!r} for a web session.",
        suggestion="Check ODOO_PASSWORD: it must be the password itself, an API key is refused"
        " here.",
    )
