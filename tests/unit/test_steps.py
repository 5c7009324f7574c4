"""The steps of an operation: what is told of one that Odoo refuses is what is so in the end."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.operations.steps import Step, make
from odoo_toolkit.testing import FakeServer

FIELDS = {"res.partner": {"name": "char"}}
CREATE = Step(
    model="res.partner", method="create", says="Created", arguments={"vals_list": [{"name": "A"}]}
)


@pytest.mark.parametrize("done", [True, None])
def test_a_step_that_another_program_has_done_is_not_said_to_be_undone(done: Any) -> None:
    refused = {("res.partner", "action_confirm"): ValidationError("It is confirmed.")}
    server = FakeServer(FIELDS, answers=refused, records={"res.partner": []})
    confirm = Step(
        model="res.partner",
        method="action_confirm",
        says="Confirmed",
        fails="Not confirmed",
        seen=lambda odoo, number: done,
    )
    made = make(server.connect(), [CREATE, confirm], ())
    if done:
        assert made.warnings == ["Confirmed by another program meanwhile: It is confirmed."]
    else:
        assert made.warnings[0].startswith("Not confirmed: It is confirmed.")
    assert made.complete == bool(done)


def test_a_look_that_fails_leaves_the_step_undone() -> None:
    refused = {("res.partner", "action_confirm"): ValidationError("No.")}
    server = FakeServer(FIELDS, answers=refused, records={"res.partner": []})

    def broken(odoo: Any, number: int) -> Any:
        raise OdooError("Gone.")

    confirm = Step(model="res.partner", method="action_confirm", fails="Not done", seen=broken)
    made = make(server.connect(), [CREATE, confirm], ())
    assert made.warnings[0].startswith("Not done: No.")
    assert not made.complete
