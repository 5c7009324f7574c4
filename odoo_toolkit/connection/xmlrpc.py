"""XML-RPC (``/xmlrpc/2``), encoded by the standard library, sent over the pooled session.

The standard library's own transport is not used: it silently sends a request again when the
connection breaks, which can apply a write twice.
"""

from __future__ import annotations

import re
import xmlrpc.client
from typing import Any
from xml.parsers.expat import ExpatError

from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.http import unexpected
from odoo_toolkit.connection.rpc import RpcTransport
from odoo_toolkit.error_patterns import fault_from_xmlrpc, is_void_result
from odoo_toolkit.errors import ValidationError

#: What no XML document can hold.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class XmlRpcTransport(RpcTransport):
    """Calls over XML-RPC."""

    name = "xmlrpc"

    def _post(self, service: str, method: str, args: list[Any]) -> Any:
        shown = [arg.reveal() if isinstance(arg, Secret) else arg for arg in args]
        answer = self._http.request(
            "POST",
            f"/xmlrpc/2/{service}",
            data=_encode(tuple(shown), method),
            headers={"Content-Type": "text/xml"},
        )
        if answer.status_code != 200:
            raise unexpected(answer)
        try:
            return xmlrpc.client.loads(answer.content, use_builtin_types=True)[0][0]
        except xmlrpc.client.Fault as error:
            fault = fault_from_xmlrpc(error.faultCode, error.faultString)
            return None if is_void_result(fault) else fault
        except (ExpatError, xmlrpc.client.Error, IndexError, ValueError, TypeError):
            raise unexpected(answer) from None


def _encode(parameters: tuple[Any, ...], method: str) -> bytes:
    try:
        body = xmlrpc.client.dumps(parameters, method, allow_none=True)
    except (OverflowError, TypeError) as error:
        raise ValidationError(
            f"XML-RPC cannot carry these arguments: {error}.",
            suggestion="Use integers of at most 32 bits, or set ODOO_PROTOCOL=jsonrpc.",
        ) from None
    if _CONTROL.search(body):
        raise ValidationError(
            "XML-RPC cannot carry control characters.",
            suggestion="Remove them from the text, or use ODOO_PROTOCOL=jsonrpc.",
        )
    return body.encode()
