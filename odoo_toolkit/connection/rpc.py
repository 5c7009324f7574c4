"""Calls through ``execute_kw``: what JSON-RPC and XML-RPC have in common."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call, rpc_arguments
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.http import Http
from odoo_toolkit.error_patterns import Fault, classify
from odoo_toolkit.errors import AccessError


class RpcTransport:
    """Calls with a password, or an API key in its place; Odoo 14 to 19."""

    name: str

    def __init__(self, http: Http, database: str, username: str, secret: Secret) -> None:
        self._http = http
        self._database, self._username, self._secret = database, username, secret
        self._uid = 0

    def authenticate(self) -> int:
        """Log in; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        uid = self._post("common", "login", [self._database, self._username, self._secret])
        if isinstance(uid, Fault):
            raise classify(uid, model="", method="login")
        if not isinstance(uid, int) or not uid:
            raise AccessError(
                f"Odoo does not accept this user or its password or API key"
                f" (user {self._username!r}, database {self._database!r}).",
                suggestion="Check ODOO_USERNAME, and ODOO_PASSWORD or ODOO_API_KEY. An API key "
                "may have expired or been revoked. A user with two-factor "
                "authentication needs an API key.",
            )
        self._uid = uid
        return uid

    def send(self, call: Call) -> Any:
        """Send one call; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        args, kwargs = rpc_arguments(call)
        if call.context:
            kwargs["context"] = dict(call.context)
        login = [self._database, self._uid, self._secret]
        answer = self._post("object", "execute_kw", [*login, call.model, call.method, args, kwargs])
        if isinstance(answer, Fault):
            raise classify(answer, model=call.model, method=call.method, ids=call.ids)
        return answer

    def close(self) -> None:
        """Release the connections."""
        self._http.close()

    def _post(self, service: str, method: str, args: list[Any]) -> Any:
        """Send a request to one of Odoo's services; a Fault is what the server refused it with."""
        raise NotImplementedError
