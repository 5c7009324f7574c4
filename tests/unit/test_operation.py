"""What makes a function an operation changes its types, and nothing else."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import typing
from typing import Any

import pytest

from odoo_toolkit import Odoo, StateError, ValidationError, execute
from odoo_toolkit.apps.hr import decide_leave
from odoo_toolkit.apps.sales import cancel_order, confirm_order
from odoo_toolkit.plans import Plan, operation
from tests.kit.operations import OPERATIONS, shop


def test_there_are_many() -> None:
    assert len(OPERATIONS) > 40


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_has_a_plan_and_stays_a_plain_function(name: str) -> None:
    function: Any = OPERATIONS[name]
    hints = typing.get_type_hints(function)
    assert hints["dry_run"] is bool
    assert hints["odoo"] is Odoo
    parameters = inspect.signature(function).parameters
    assert parameters["dry_run"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["dry_run"].default is False
    assert [*inspect.signature(function.plan).parameters] == [
        p for p in parameters if p != "dry_run"
    ]
    assert inspect.signature(function.plan).return_annotation == "Plan"
    assert function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("arguments", [{"order_name": "S1"}, {"order_id": 1}])
def test_the_plan_is_the_dry_run(arguments: dict[str, Any]) -> None:
    server = shop()
    odoo = server.connect()
    planned = confirm_order.plan(odoo, **arguments)
    asked = len(server.sent)
    assert planned == confirm_order(odoo, **arguments, dry_run=True)
    assert [call.method for call in planned.calls] == ["action_confirm"]
    assert len(server.sent) == 2 * asked
    assert server.asked("action_confirm") == []


def test_a_plan_stays_one_whatever_is_said_of_the_dry_run() -> None:
    server = shop()
    planned = confirm_order.plan(server.connect(), order_id=1, dry_run=False)
    assert isinstance(planned, Plan)
    assert server.asked("action_confirm") == []


def test_errors_of_a_plan_are_those_of_the_operation() -> None:
    server = shop()
    server.records["sale.order"][0]["state"] = "sale"
    with pytest.raises(StateError):
        confirm_order.plan(server.connect(), order_id=1)
    with pytest.raises(TypeError, match="ordr_id"):
        confirm_order.plan(server.connect(), ordr_id=1)


def test_help_tells_of_the_plan() -> None:
    text = pydoc.plain(pydoc.render_doc(cancel_order.plan))
    assert "Return what :func:`cancel_order` would do" in text
    assert "Annotated" not in text


def test_an_operation_returns_what_the_function_does() -> None:
    def act(odoo: Odoo, *, dry_run: bool = False) -> int | Plan:
        """Act."""
        return Plan(dry_run=True, message="x", calls=[]) if dry_run else 1

    made, odoo = operation(act), shop().connect()
    assert (made(odoo), made.plan(odoo).message) == (1, "x")
    assert made.__doc__ == "Act."


@pytest.mark.parametrize("name", ["decision", "leave_id", "reason", "dry_run"])
@pytest.mark.parametrize("value", [{"approve": True}, ["approve"]])
def test_a_list_is_refused_where_one_value_is_asked_for(name: str, value: Any) -> None:
    given: dict[str, Any] = {"decision": "approve", "leave_id": 1, name: value}
    with pytest.raises(ValidationError) as refused:
        decide_leave(None, **given)
    assert refused.value.details == {"field": name}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_word_is_no_boolean(name: str) -> None:
    function: Any = OPERATIONS[name]
    hints = typing.get_type_hints(function)
    needed = {
        parameter.name: None
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
    }
    for argument in (argument for argument, hint in hints.items() if hint in (bool, bool | None)):
        with pytest.raises(ValidationError, match="must be True or False") as refused:
            function(**{**needed, argument: "no"})
        assert refused.value.details == {"field": argument}


def test_a_mapping_is_no_list() -> None:
    args: Any = {"no": 1}
    with pytest.raises(ValidationError, match="must be a list"):
        execute(None, "res.partner", "read", args)
