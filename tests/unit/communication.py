"""A scripted Odoo with the fields of messages, activities and attachments, as recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.errors import NotFoundError
from tests.unit.scripted import Scripted

FIELDS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "recorded/communication.json").read_text("utf-8")
)
WRITES = ("message_post", "activity_schedule", "action_feedback", "create", "unlink")


class Communication(Scripted):
    """A :class:`Scripted` Odoo that knows other models."""

    def _send(self, call: Call) -> Any:
        if call.method != "fields_get":
            return super()._send(call)
        if call.model not in FIELDS[str(self.major)]:
            raise NotFoundError(f"No model {call.model}", code="UNKNOWN_MODEL")
        return FIELDS[str(self.major)][call.model]

    def writes(self) -> list[Call]:
        """Return the calls that change something."""
        return self.asked(*WRITES)
