"""An Odoo of any version, for the business functions: answers by (model, method)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

from odoo_toolkit import Odoo
from odoo_toolkit.call import Call
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy import Policy


class FakeOdoo:
    """Answers calls from a table and remembers them; fields exist where they are listed.

    Args:
        major: Odoo's version.
        fields: names of fields by model, as far as a function asks for them.
        answers: (model, method) -> a result, an error to raise, or a function of the call.
    """

    def __init__(
        self,
        major: int,
        fields: Mapping[str, tuple[str, ...]],
        answers: Mapping[tuple[str, str], Any],
        policy: Policy | None = None,
    ) -> None:
        self.version = SimpleNamespace(major=major)
        self.uid = 2
        self.settings = SimpleNamespace(base_context={"tz": "UTC"})
        self.policy = policy or Policy()
        self.calls: list[Call] = []
        self._answers = answers

        def described(model: str) -> dict[str, Field]:
            return {name: Field(name=name, type="char") for name in fields.get(model, ())}

        self.schema = SimpleNamespace(fields=described)

    def check(self, call: Call) -> None:
        """Ask the policy."""
        self.policy.check(call, self.schema.fields)

    def call(self, call: Call) -> Any:
        self.check(call)
        self.calls.append(call)
        answer = self._answers[call.model, call.method]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(call)
        if isinstance(answer, OdooError):
            raise answer
        return answer

    def asked(self, method: str) -> list[Call]:
        """Return the calls of a method."""
        return [call for call in self.calls if call.method == method]

    @property
    def odoo(self) -> Odoo:
        """Itself, as the type that the functions take."""
        return cast(Odoo, self)
