"""JSON-2 (``/json/2/<model>/<method>``), from Odoo 19: an API key, named arguments only."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call, asking
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.http import Http, parse_json, unexpected
from odoo_toolkit.error_patterns import classify, fault_from_json2
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError, OdooError, ValidationError

#: Keys of the request body that are not arguments of the method.
_RESERVED = {"ids", "context"}


class Json2Transport:
    """Calls over JSON-2 with an API key."""

    name = "json2"

    def __init__(self, http: Http, database: str | None, api_key: Secret) -> None:
        self._http, self._database = http, database
        self._headers = {"Authorization": f"bearer {api_key.reveal()}"}
        if database:
            self._headers["X-Odoo-Database"] = database

    def authenticate(self) -> int:
        """Ask who the key belongs to; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        try:
            context = self.send(asking("res.users", "context_get"))
        except ConfigurationError as error:
            if self._database and error.details.get("http_status") == 404:  # Odoo does not name it
                error.message = f"The server has no database named {self._database}."
            raise
        try:
            return int(context["uid"])
        except (KeyError, TypeError, ValueError):
            raise OdooConnectionError(
                f"{self._http.url} did not report which user the API key belongs to."
            ) from None

    def send(self, call: Call) -> Any:
        """Send one call; see :class:`~odoo_toolkit.connection.transport.Transport`."""
        body = dict(call.arguments)
        if call.positional:
            body |= self._name_positional(call)
        if clash := _RESERVED & body.keys():
            raise ValidationError(
                f"JSON-2 does not allow an argument named {clash.pop()!r}.",
                suggestion="Pass ids as the first positional argument, and the context separately.",
            )
        if call.ids is not None:
            body["ids"] = list(call.ids)
        if call.context:
            body["context"] = dict(call.context)
        answer = self._http.request(
            "POST", f"/json/2/{call.model}/{call.method}", json=body, headers=self._headers
        )
        if answer.status_code == 200:
            return parse_json(answer)
        body = parse_json(answer)
        # Anything else is no refusal by Odoo, and proves nothing of what became of the call.
        if not isinstance(body, dict) or not body.keys() >= {"name", "message", "arguments"}:
            raise unexpected(answer)
        fault = fault_from_json2(answer.status_code, body)
        raise classify(fault, model=call.model, method=call.method, ids=call.ids)

    def close(self) -> None:
        """Release the connections."""
        self._http.close()

    def documentation(self, model: str) -> Any:
        """Return the server's own documentation of a model: its fields and its methods.

        Raises:
            AccessError: the user lacks Settings rights.
            OdooError: it cannot be had.
        """
        return self._http.json("GET", f"/doc-bearer/{model}.json", headers=self._headers)

    def _name_positional(self, call: Call) -> dict[str, Any]:
        """Name positional arguments by the server's own documentation of the model.

        Only users with Settings rights may read it; what cannot be named is refused, because an
        argument left out would change what the call means.
        """
        try:
            parameters = self.documentation(call.model)["methods"][call.method]["parameters"]
            names = [name for name in parameters if name not in {"self", *call.arguments}]
        except (OdooError, KeyError, TypeError):
            names = []
        if len(names) < len(call.positional):
            raise ValidationError(
                "JSON-2 only accepts named arguments, but the names of the positional arguments of"
                f" {call.method} are not known.",
                suggestion="Pass them by name in kwargs, or connect with ODOO_PROTOCOL=jsonrpc.",
                details={"model": call.model, "method": call.method},
            )
        return dict(zip(names, call.positional, strict=False))
