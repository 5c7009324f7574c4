"""An Odoo whose records are in memory, for what a search finds; its fields are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import CallEvent, Odoo
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import make_error
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer
from odoo_toolkit.values import ReadOptions
from tests.unit.scripted import recorded

Row = dict[str, Any]

FIELDS = recorded("deep_search_fields")


class MemoryOdoo(Odoo):
    """A connection to records in memory.

    Attributes:
        tables: records by model, in Odoo's order.
        calls: what was sent, without the descriptions of fields.
    """

    def __init__(
        self,
        tables: dict[str, list[Row]],
        *,
        version: int = 19,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        on_call: Callable[[CallEvent], None] | None = None,
    ) -> None:
        models = FIELDS[str(version)]
        records = {**dict.fromkeys(models, ()), **tables}
        self.server = FakeServer(models, version=version, records=records)
        self.server.unaccent = True
        self.tables, self.calls = self.server.records, self.server.sent
        super().__init__(
            ConnectionSettings(url="http://odoo.test", username="ann", reconnect_attempts=0),
            policy=policy,
            options=options,
            on_call=on_call,
            transport=self.server,
        )

    def asked(self, model: str) -> list[Call]:
        """Return the calls of one model."""
        return [call for call in self.calls if call.model == model]

    def refuse(self, model: str, code: str) -> None:
        """Let all searches of a model end in an error."""
        error = make_error(code, f"You may not read {model}.")
        for method in ("search_read", "search_count", "name_search"):
            self.server.answers[model, method] = error
        if code == "ACCESS_DENIED":
            self.server.answers[model, "fields_get"] = error

    def hide(self, model: str, field: str) -> None:
        """Let the user not read a field, although it is described."""

        def answer(call: Call) -> Any:
            if field not in call.arguments["fields"]:
                return NotImplemented
            return make_error("ACCESS_DENIED", "No.", details={"fields": [field]})

        self.server.answers[model, "search_read"] = answer
