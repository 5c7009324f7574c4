"""A connection whose answers are written in the test; its fields are recorded from real servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.policy import Policy

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "recorded/business.json").read_text("utf-8")
)
VERSIONS = (14, 15, 16, 17, 18, 19)


class Scripted(Odoo):
    """An Odoo of a version, of which every call but ``fields_get`` must have an answer.

    Args:
        major: the version.
        answers: (model, method) -> the result, a function of the call, or an error to raise.
    """

    def __init__(
        self,
        major: int,
        answers: Mapping[tuple[str, str], Any] | None = None,
        policy: Policy | None = None,
    ) -> None:
        settings = ConnectionSettings(url="http://odoo.test", username="admin", password="x")
        super().__init__(settings, policy=policy)
        self.major = major
        self.answers = dict(answers or {})
        self.sent: list[Call] = []

    @property
    def version(self) -> ServerVersion:
        return ServerVersion(
            major=self.major,
            full=f"{self.major}.0",
        )

    @property
    def uid(self) -> int:
        return 2

    def asked(self, *methods: str) -> list[Call]:
        """Return the calls of these methods."""
        return [call for call in self.sent if call.method in methods]

    def methods(self) -> list[str]:
        """Return what was sent, as model and method."""
        return [f"{call.model}.{call.method}" for call in self.sent]

    def _send(self, call: Call) -> Any:
        if call.method == "fields_get":
            fields = RECORDED["fields"][str(self.major)].get(call.model)
            if fields is None:
                raise NotFoundError(f"No model {call.model}", code="UNKNOWN_MODEL")
            return fields
        self.sent.append(call)
        answer = self.answers[call.model, call.method]
        if callable(answer):
            answer = answer(call)
        if isinstance(answer, Exception):
            raise answer
        return answer


def contents(call: Call) -> dict[str, Any]:
    """Return the values that a create or write sends."""
    values: dict[str, Any] = call.arguments.get("vals_list") or call.arguments["vals"]
    return values
