"""A dry run: what a business operation would send, and nothing of it sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo


@attrs.frozen(kw_only=True)
class PlannedCall:
    """A call that would be made. An id that only an earlier call gives is written as text."""

    model: str
    method: str
    ids: list[Any]
    arguments: dict[str, Any]


@attrs.frozen(kw_only=True)
class Plan:
    """The answer to ``dry_run``: names are resolved and states checked; nothing was written."""

    dry_run: bool
    message: str
    calls: list[PlannedCall]


def plan(odoo: Odoo, message: str, calls: Sequence[Call]) -> Plan:
    """Return what ``calls`` would do, after asking the policy about each.

    Args:
        odoo: the connection, whose policy judges.
        message: a sentence for the person who asked.
        calls: the writing calls in order.

    Raises:
        AccessError: the policy forbids one of them, so the real run would be refused, too.
    """
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
