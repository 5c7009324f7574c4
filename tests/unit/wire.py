"""An Odoo made of ``responses`` and recorded answers, for tests of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests
import responses

from odoo_toolkit import Odoo
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings
from odoo_toolkit.policy import Policy

RECORDED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "recorded/wire.json").read_text("utf-8")
)
URL = "http://odoo.test"


class Wire:
    """Registers the answers of an Odoo and remembers what was asked.

    Attributes:
        answers: (model, method) -> the result, or a function of args and kwargs, or a full
            JSON-RPC body when it is a ``Body``.
        calls: (model, method, args, kwargs) in order.
    """

    def __init__(self, mock: responses.RequestsMock, version: str = "14") -> None:
        recorded = RECORDED[version]
        self.version = version
        self.calls: list[tuple[str, str, list[Any], dict[str, Any]]] = []
        self.answers: dict[tuple[str, str], Any] = {
            ("res.partner", "fields_get"): recorded["fields"],
            ("res.partner", "search_read"): recorded["search_read"],
        }
        mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
        mock.add("POST", f"{URL}/web/database/list", json=recorded["database_list"])
        mock.add_callback("POST", f"{URL}/jsonrpc", self._answer)

    def asked(self, method: str) -> list[tuple[str, str, list[Any], dict[str, Any]]]:
        """Return the calls of one method."""
        return [call for call in self.calls if call[1] == method]

    def _answer(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        params = json.loads(request.body or "{}")["params"]
        if params["service"] == "common":
            return 200, {}, json.dumps(RECORDED[self.version]["login"])
        _, _, _, model, method, args, kwargs = params["args"]
        self.calls.append((model, method, args, kwargs))
        answer = self.answers[model, method]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(args, kwargs)
        if isinstance(answer, Body):
            return 200, {}, json.dumps(answer)
        return 200, {}, json.dumps({"jsonrpc": "2.0", "id": 1, "result": answer})


class Body(dict[str, Any]):
    """A whole JSON-RPC body, for errors and for results that are left out."""


def error_body(version: str, case: str) -> Body:
    """Return the recorded JSON-RPC body of an error case."""
    path = Path(__file__).parent.parent / f"recorded/errors/{version}.json"
    error = json.loads(path.read_text("utf-8"))[case]["jsonrpc"]
    return Body({"jsonrpc": "2.0", "id": 1, "error": error})


def settings(**keywords: Any) -> ConnectionSettings:
    """Return settings for :class:`Wire`, that wait for nothing."""
    defaults: dict[str, Any] = {
        "url": URL,
        "username": "admin",
        "password": "correct horse",
        "reconnect_backoff": 0,
    }
    return connection_settings(**{**defaults, **keywords})


def odoo(policy: Policy | None = None, **keywords: Any) -> Odoo:
    """Return a connection to :class:`Wire`; ``on_call`` and settings by keyword."""
    on_call = keywords.pop("on_call", None)
    return Odoo(settings(**keywords), policy=policy, on_call=on_call)
