"""A connection to an Odoo of any version whose forms and fields were recorded from real servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted, recorded

RECORDED = recorded("model_guide")


class Guided(Scripted):
    """Answers ``fields_get`` and form views as recorded; the rest is written in the test."""

    def __init__(
        self,
        major: int,
        answers: Mapping[tuple[str, str], Any] | None = None,
        policy: Policy | None = None,
        documentation: dict[str, Any] | None = None,
    ) -> None:
        of_version = RECORDED[str(major)]
        named = {
            model: {"name": "char"} for model, method in answers or () if method == "name_search"
        }

        def form(call: Call) -> Any:
            assert call.method == ("get_view" if major >= 16 else "fields_view_get")
            return {"arch": form_of(of_version["buttons"].get(call.model, []))}

        super().__init__(major, answers, policy, {**named, **of_version["fields"]}, otherwise=form)
        self._documentation = documentation

    def documentation(self, model: str) -> dict[str, Any] | None:
        return self._documentation


def form_of(buttons: list[dict[str, str]]) -> str:
    """Return the form view that has recorded buttons in its header."""
    shown = [
        f"<button type='object' {' '.join(f'{k}={quoteattr(v)}' for k, v in button.items())}/>"
        for button in buttons
    ]
    return f"<form><header>{''.join(shown)}</header><sheet><field name='name'/></sheet></form>"
