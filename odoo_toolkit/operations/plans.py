from __future__ import annotations

from collections.abc import Sequence

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.steps import Plan, PlannedCall


def plan(odoo: Odoo, message: str, calls: Sequence[Call]) -> Plan:
    for call in calls:
        odoo.check(call)
    planned = [
        PlannedCall(
            model=call.model,
            method=call.method,
            ids=list(call.ids or ()),
            arguments=dict(call.arguments),
        )
        for call in calls
    ]
    return Plan(dry_run=True, message=message, calls=planned)


__all__ = ["Plan", "plan"]
