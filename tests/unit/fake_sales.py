"""An Odoo without a wire: the real client, policy and schema over recorded field lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import make_error
from odoo_toolkit.policy import Policy
from tests.unit.wire import settings

FIELDS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "recorded/sales_fields.json").read_text("utf-8")
)
VERSIONS = sorted(map(int, FIELDS))


class FakeOdoo(Odoo):
    """Answers by ``answers[model, method]``; ``sent`` has every call but those for the schema."""

    def __init__(self, major: int, policy: Policy | None = None) -> None:
        super().__init__(settings(), policy=policy)
        self.major = major
        self.sent: list[Call] = []
        self.answers: dict[tuple[str, str], Any] = {}

    @property
    def version(self) -> Any:
        return SimpleNamespace(major=self.major, full=f"{self.major}.0")

    @property
    def uid(self) -> int:
        return 2

    @property
    def methods(self) -> list[str]:
        """The methods called, in order."""
        return [call.method for call in self.sent]

    def _send(self, call: Call) -> Any:
        if call.method == "fields_get":
            if call.model not in FIELDS[str(self.major)]:
                raise make_error("UNKNOWN_MODEL", f"There is no model {call.model}.")
            return FIELDS[str(self.major)][call.model]
        if call.method == "get_available_models":
            return [{"model": "sale.order", "display_name": "Sales Order"}]
        if (call.model, call.method) == ("ir.model", "search_count"):
            return int("sale.order" not in str(call.arguments["domain"]))
        if call.model == "ir.model" or call.method == "check_access_rights":
            return []
        self.sent.append(call)
        answer = self.answers[call.model, call.method]
        result = answer(call) if isinstance(answer, Callable) else answer  # type: ignore[arg-type]
        if isinstance(result, Exception):
            raise result
        return result
