"""XML-RPC (``/xmlrpc/2``), encoded by the standard library, sent over the pooled session.

The standard library's own transport is not used: it silently sends a request again when the
connection breaks, which can apply a write twice.
"""

from __future__ import annotations

import xmlrpc.client
from typing import Any
from xml.parsers.expat import ExpatError

from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.call import Call, rpc_arguments
from odoo_toolkit.connection.http import Http, unexpected
from odoo_toolkit.connection.transport import login_refused
from odoo_toolkit.error_patterns import classify, fault_from_xmlrpc, is_void_result
from odoo_toolkit.errors import ValidationError


class XmlRpcTransport:
    """Calls over XML-RPC with a password, or an API key in its place; Odoo 14 to 19."""

    name = "xmlrpc"

    def __init__(self, http: Http, database: str, username: str, secret: Secret) -> None:
        self._http = http
        self._database, self._username, self._secret = database, username, secret
        self._uid = 0

    def authenticate(self) -> int:
        """Log in; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        login = (self._database, self._username, self._secret.reveal())
        uid = self._post("common", "login", login)
        if not isinstance(uid, int) or not uid:
            raise login_refused(self._username, self._database)
        self._uid = uid
        return uid

    def send(self, call: Call) -> Any:
        """Send one call; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        args, kwargs = rpc_arguments(call)
        if call.context:
            kwargs["context"] = dict(call.context)
        parameters = (self._database, self._uid, self._secret.reveal())
        return self._post(
            "object", "execute_kw", (*parameters, call.model, call.method, args, kwargs), call
        )

    def close(self) -> None:
        """Release the connections."""
        self._http.close()

    def _post(
        self, service: str, method: str, parameters: tuple[Any, ...], call: Call | None = None
    ) -> Any:
        answer = self._http.request(
            "POST",
            f"/xmlrpc/2/{service}",
            data=_encode(parameters, method),
            headers={"Content-Type": "text/xml"},
        )
        if answer.status_code != 200:
            raise unexpected(answer)
        try:
            return xmlrpc.client.loads(answer.content, use_builtin_types=True)[0][0]
        except xmlrpc.client.Fault as error:
            fault = fault_from_xmlrpc(error.faultCode, error.faultString)
            if is_void_result(fault):
                return None
            raise classify(
                fault,
                model=call.model if call else "",
                method=call.method if call else method,
                ids=call.ids if call else None,
            ) from None
        except (ExpatError, xmlrpc.client.Error, IndexError, ValueError, TypeError):
            raise unexpected(answer) from None


def _encode(parameters: tuple[Any, ...], method: str) -> bytes:
    try:
        body = xmlrpc.client.dumps(parameters, method, allow_none=True)
    except (OverflowError, TypeError) as error:
        raise ValidationError(
            f"XML-RPC cannot carry these arguments: {error}.",
            suggestion="Whole numbers must fit into 32 bits; or use ODOO_PROTOCOL=jsonrpc.",
        ) from None
    if any(ord(character) < 32 and character not in "\t\n\r" for character in body):
        raise ValidationError(
            "XML-RPC cannot carry control characters.",
            suggestion="Remove them from the text, or use ODOO_PROTOCOL=jsonrpc.",
        )
    return body.encode()
