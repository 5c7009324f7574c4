"""JSON-RPC (``/jsonrpc``), carried by odoorpc over the pooled session."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import urlsplit

from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.http import Http, unexpected
from odoo_toolkit.connection.rpc import RpcTransport
from odoo_toolkit.error_patterns import fault_from_jsonrpc
from odoo_toolkit.errors import OdooConnectionError, OdooError


class _Opener:
    """Stands where odoorpc expects a urllib opener; sends over the pooled session instead."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def open(self, request: Any, timeout: float | None = None) -> io.BytesIO:
        answer = self._http.request(
            request.get_method(),
            urlsplit(request.full_url).path,
            data=request.data,
            headers={"Content-Type": "application/json"},
        )
        if answer.status_code != 200 or not answer.content.lstrip().startswith(b"{"):
            raise unexpected(answer)
        return io.BytesIO(answer.content)


class JsonRpcTransport(RpcTransport):
    """Calls over JSON-RPC."""

    name = "jsonrpc"

    def __init__(
        self, http: Http, database: str, username: str, secret: Secret, version: str
    ) -> None:
        import odoorpc

        super().__init__(http, database, username, secret)
        # Host and port are never used: the opener knows the address. A given version saves the
        # request that odoorpc would make for it.
        self._odoorpc = odoorpc.ODOO("localhost", version=version, opener=_Opener(http))

    def _post(self, service: str, method: str, args: list[Any]) -> Any:
        import odoorpc

        try:
            answer = self._odoorpc.json(
                "/jsonrpc", {"service": service, "method": method, "args": args}
            )
        except odoorpc.error.RPCError as error:
            return fault_from_jsonrpc(error.info)
        except OdooError:
            raise
        except (KeyError, TypeError, ValueError):
            raise _not_an_answer(self._http.url) from None
        # A method that returns None leaves "result" out on every version, so an object that is
        # something else altogether must not pass for such an answer.
        if not isinstance(answer, dict) or "jsonrpc" not in answer:
            raise _not_an_answer(self._http.url)
        return answer.get("result")


def _not_an_answer(url: str) -> OdooConnectionError:
    return OdooConnectionError(
        f"The response of {url} is incomplete, or not JSON-RPC.",
        suggestion="Check that ODOO_URL is the address of Odoo itself, then try again.",
        outcome="maybe_applied",
    )
