"""A connection to an Odoo of any version whose forms and fields were recorded from real servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from odoo_toolkit.call import Call
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "recorded/model_guide.json").read_text("utf-8")
)


class Guided(Scripted):
    """Answers ``fields_get`` and form views as recorded; the rest is written in the test."""

    def __init__(
        self,
        major: int,
        answers: Mapping[tuple[str, str], Any] | None = None,
        policy: Policy | None = None,
        documentation: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(major, answers, policy)
        self._documentation = documentation

    def documentation(self, model: str) -> dict[str, Any] | None:
        return self._documentation

    def _send(self, call: Call) -> Any:
        recorded = RECORDED[str(self.major)]
        if call.method == "fields_get":
            if call.model not in recorded["fields"]:
                if (call.model, "name_search") in self.answers:
                    return {"name": {"type": "char", "string": "Name"}}
                raise NotFoundError(f"No model {call.model}", code="UNKNOWN_MODEL")
            return recorded["fields"][call.model]
        form = "get_view" if self.major >= 16 else "fields_view_get"
        if call.method == form and (call.model, form) not in self.answers:
            self.sent.append(call)
            return {"arch": form_of(recorded["buttons"].get(call.model, []))}
        return super()._send(call)


def form_of(buttons: list[dict[str, str]]) -> str:
    """Return the form view that has recorded buttons in its header."""
    shown = [
        f"<button type='object' {' '.join(f'{k}={quoteattr(v)}' for k, v in button.items())}/>"
        for button in buttons
    ]
    return f"<form><header>{''.join(shown)}</header><sheet><field name='name'/></sheet></form>"
