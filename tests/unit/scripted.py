"""A connection whose answers are written in the test; its fields are recorded from real servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer

_SETTINGS = ConnectionSettings(url="http://odoo.test", username="admin", reconnect_backoff=0)


def recorded(name: str) -> dict[str, Any]:
    """Return what was recorded from real servers under a name."""
    path = Path(__file__).parent.parent / f"recorded/{name}.json"
    answer: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return answer


RECORDED = recorded("business")
VERSIONS = (14, 15, 16, 17, 18, 19)


class Scripted(Odoo):
    """A connection to a :class:`FakeServer`, of which every call must have an answer.

    Args:
        major: the version.
        answers: (model, method) -> the result, a function of the call, or an error to raise.
        policy: what may be called.
        models: the fields of its models; by default those recorded for the business operations.
        server: further arguments of :class:`FakeServer`.
    """

    def __init__(
        self,
        major: int,
        answers: Mapping[tuple[str, str], Any] | None = None,
        policy: Policy | None = None,
        models: Mapping[str, Any] | None = None,
        **server: Any,
    ) -> None:
        if models is None:
            models = RECORDED["fields"][str(major)]
        self.server = FakeServer(models, version=major, answers=answers, **server)
        self.answers, self.sent = self.server.answers, self.server.sent
        self.asked = self.server.asked
        super().__init__(_SETTINGS, policy=policy, transport=self.server)

    def methods(self) -> list[str]:
        """Return what was sent, as model and method."""
        return [f"{call.model}.{call.method}" for call in self.sent]


def contents(call: Call) -> dict[str, Any]:
    """Return the values that a create or write sends."""
    values: dict[str, Any] = call.arguments.get("vals_list") or call.arguments["vals"]
    return values
