"""What holds for every business operation: its plan is its run, and no answer is lost for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.errors import OdooConnectionError
from tests.unit.scripted import Scripted

#: Called with a connection, and with ``dry_run=True`` for the plan.
Operation = Callable[..., Any]

_READS = {
    "read",
    "search",
    "fields_get",
    "get_field_translations",
    "search_read",
    "name_search",
    "search_count",
    "default_get",
    "onchange",
    "has_group",
    "read_group",
    "has_access",
    "check_access_rights",
}


def writes(odoo: Scripted) -> list[Call]:
    """Return the calls that arrived and change something."""
    return [call for call in odoo.sent if call.method not in _READS]


def check_plan_is_the_run(odoo: Scripted, operation: Operation) -> None:
    """Check that a dry run writes nothing, and shows each call that the real run then sends."""
    plan = operation(odoo, dry_run=True)
    assert writes(odoo) == []
    operation(odoo)
    sent = writes(odoo)
    for planned, call in zip(plan.calls, sent, strict=True):
        shown = {**planned.arguments}
        context = shown.pop("context", {})
        assert (planned.model, planned.method, shown) == (
            call.model,
            call.method,
            dict(call.arguments),
        )
        assert context.items() <= dict(call.context).items()
        # What a wizard's id will be is not known before it is made; that of a new record is a text.
        named = any(isinstance(item, str) for item in planned.ids)
        assert named or planned.ids in ([], list(call.ids or ()))


def check_seen_when_lost(
    odoo: Scripted, method: str, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Check that what was done is recognised though its answer was lost; return the result."""
    _look_once(monkeypatch)
    odoo.server.lose_answer(method)
    result = operation(odoo)
    assert len(odoo.asked(method)) == 1
    assert result.warnings == [lost_answers.SEEN]
    return result


def check_told_when_lost(
    odoo: Scripted, method: str, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> OdooConnectionError:
    """Check that what was not done, for all one can see, is not claimed; return the error."""
    _look_once(monkeypatch)
    odoo.server.lose_answer(method, applied=False)
    with pytest.raises(OdooConnectionError) as raised:
        operation(odoo)
    assert odoo.asked(method) == []
    assert raised.value.outcome == "maybe_applied"
    assert "looked for the result in Odoo" in raised.value.message
    return raised.value


def _look_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
