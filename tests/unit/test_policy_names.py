"""Names in a policy's lists that Odoo does not have are told, to users with many rights and few."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, Policy
from odoo_toolkit.doctor.policy_names import look_at_lists, unknown_names
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer

MODELS: dict[str, Any] = {"res.partner": {"email": "char"}, "hr.employee": {"pin": "char"}}
FIELDS = [{"id": 1, "name": "email"}, {"id": 2, "name": "pin"}]


def odoo(*, lists_all: bool) -> Odoo:
    closed = make_error("ACCESS_DENIED", "This user cannot access records.")

    def listed(call: Any) -> Any:
        return NotImplemented if lists_all else closed

    def fields(call: Any) -> Any:
        if not lists_all:
            return closed
        ((_, operator, value),) = call.arguments["domain"]
        if operator == "in":
            return [row for row in FIELDS if row["name"] in value]
        return [row for row in FIELDS if str(row["name"]).startswith(value.rstrip("%"))]

    answers = {("ir.model", "search_read"): listed, ("ir.model.fields", "search_read"): fields}
    return FakeServer(MODELS, answers=answers).connect()


@pytest.mark.parametrize("lists_all", [True, False])
def test_misspelled_names_are_told_with_what_was_meant(lists_all: bool) -> None:
    policy = Policy(
        mode="restricted",
        model_blocklist="hr.employe,res.partner",
        write_allowlist="res.parner",
        field_blocklist="emial,Email,pin",
    )
    blocked, written, field = unknown_names(odoo(lists_all=lists_all), [policy])
    assert blocked.startswith("The model blocklist contains 'hr.employe', but Odoo has no such")
    assert "Did you mean 'hr.employee'?" in blocked
    assert written.startswith("The write allowlist contains 'res.parner', but Odoo has no such")
    assert "'emial'" in field
    assert "Did you mean 'email'?" in field
    assert ("can't list" in field) != lists_all


@pytest.mark.parametrize("lists_all", [True, False])
def test_right_names_are_no_warning(lists_all: bool) -> None:
    policy = Policy(model_blocklist="hr.employee", field_blocklist="email")
    step = look_at_lists(odoo(lists_all=lists_all), policy)
    assert (step.name, step.status) == ("lists", "ok")


def test_without_lists_odoo_is_not_asked() -> None:
    assert unknown_names(None, [Policy(mode="readonly")]) == []  # type: ignore[arg-type]
