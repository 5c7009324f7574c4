"""An Odoo of any version, for the business functions: answers by (model, method)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted


class FakeOdoo(Scripted):
    """A :class:`Scripted` Odoo in which fields exist where they are listed.

    Args:
        major: Odoo's version.
        fields: names of fields by model, as far as a function asks for them.
        answers: (model, method) -> a result, an error to raise, or a function of the call.
        policy: what may be called.
    """

    def __init__(
        self,
        major: int,
        fields: Mapping[str, tuple[str, ...]],
        answers: Mapping[tuple[str, str], Any],
        policy: Policy | None = None,
    ) -> None:
        models = {model: dict.fromkeys(names, "char") for model, names in fields.items()}
        super().__init__(major, answers, policy, models)
        self.calls, self.odoo = self.sent, self
