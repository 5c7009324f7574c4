"""An Odoo of any version with the fields of sales, as recorded."""

from __future__ import annotations

from odoo_toolkit.policy import Policy
from tests.unit.scripted import VERSIONS, Scripted, recorded

FIELDS = recorded("sales_fields")

__all__ = ["FIELDS", "VERSIONS", "FakeOdoo"]


class FakeOdoo(Scripted):
    """A :class:`Scripted` Odoo that takes every model but ``sale.order`` for a wizard."""

    def __init__(self, major: int, policy: Policy | None = None) -> None:
        models = FIELDS[str(major)]
        super().__init__(major, None, policy, models, transient={*models} - {"sale.order"})

    @property
    def called(self) -> list[str]:
        """The methods called, in order."""
        return [call.method for call in self.sent]
