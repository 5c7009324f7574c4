"""Conditions that Odoo would leave out of a search: how they are found out, and what that costs."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import ValidationError, count, execute, search_read
from odoo_toolkit.call import Call
from odoo_toolkit.errors import OdooConnectionError
from odoo_toolkit.testing import FakeServer

COMPUTED: dict[str, Any] = {"store": False, "searchable": True}
MODELS: dict[str, Any] = {
    "x.order": {
        "name": {"type": "char"},
        "partner_id": {"type": "many2one", "relation": "x.partner"},
        "code": {"type": "char", **COMPUTED, "related": "partner_id.code"},
        "late": {"type": "boolean", **COMPUTED},
        "state": {
            "type": "selection",
            "selection": [["new", "New"], ["active", "Active"]],
            **COMPUTED,
        },
        "left": {"type": "float", **COMPUTED},
        "due": {"type": "date", **COMPUTED},
        "owner_id": {"type": "many2one", "relation": "x.partner", **COMPUTED},
    },
    "res.partner": {"name": {"type": "char"}},
    "x.partner": {"name": {"type": "char"}, "code": {"type": "char", **COMPUTED}},
}
DROPPED = frozenset({"code", "late", "left", "due", "owner_id", "partner_id", "display_name"})


def condition_fields(domain: Any) -> list[str]:
    return [item[0] for item in domain if not isinstance(item, str) and item[0] != "id"]


def server(dropped: frozenset[str] = DROPPED, *, empty: bool = False) -> FakeServer:
    """Return an Odoo that leaves out conditions on some fields, and finds nothing by others."""

    def found(call: Call) -> list[int]:
        named = condition_fields(call.arguments.get("domain", []))
        kept = [name for name in named if name not in dropped]
        some = call.method == "search" and kept == ["partner_id"]
        # As Odoo 19 does, whatever the field: what it must and must not be, no record is.
        contradicts = len(named) > len(set(named))
        return [] if empty or contradicts or (kept and not some) else [1, 2]

    def answer(call: Call) -> Any:
        match call.method:
            case "search_count":
                return len(found(call))
            case "search_read":
                return [{"id": one} for one in found(call)]
            case "name_search":
                return [[one, "One"] for one in found(call)] if "name" in dropped else []
            case "read_group" | "formatted_read_group":
                return [{"__count": len(found(call))}]
        return found(call)

    fake = FakeServer(MODELS, version=18, otherwise=answer)
    fake.applies_conditions = False
    return fake


def domains(fake: FakeServer, model: str) -> list[Any]:
    """Return by which domains a model's records were searched."""
    return [
        [list(item) for item in call.arguments["domain"]]
        for call in fake.asked("search")
        if call.model == model
    ]


@pytest.mark.parametrize(
    "condition",
    [
        ["code", "=", "XX"],
        ["code", "!=", "XX"],
        ["code", "in", ["XX"]],
        ["code", "not ilike", "XX"],
        ["code", "=", False],
        ["code", "!=", False],
        ["late", "=", True],
        ["late", "!=", True],
        ["left", ">", 5],
        ["left", "<=", 5],
        ["left", "=", 0],
        ["due", ">=", "2025-01-01"],
        ["owner_id", "=", 5],
        ["owner_id", "=", "nonsense"],
        ["owner_id.name", "=", "Ann"],
        ["partner_id", "=", "nonsense"],
        ["partner_id", "child_of", "nonsense"],
        ["partner_id.code", "=", "XX"],
        ["partner_id", "any", [["code", "=", "XX"]]],
        ["partner_id", "not any", ["!", ["code", "=", "XX"]]],
        ["display_name", "ilike", "nonsense"],
    ],
)
def test_a_condition_that_is_left_out_is_refused(condition: list[Any]) -> None:
    fake = server()
    with pytest.raises(ValidationError) as refused:
        search_read(fake.connect(), "x.order", ["|", ["name", "=", "A"], condition], ["id"])
    assert refused.value.code == "INVALID_FIELD"
    assert "every record" in refused.value.message
    assert not fake.asked("search_read")


def test_a_condition_that_is_applied_passes_and_is_asked_for_once() -> None:
    fake = server(frozenset())
    odoo = fake.connect()
    assert count(odoo, "x.order", [["code", "=", "XX"]]).count == 0
    first = len(fake.sent)
    assert count(odoo, "x.order", [["code", "!=", "YY"]]).count == 0
    assert len(fake.sent) == first + 1
    assert len(domains(fake, "x.order")) == 2


def test_a_stored_field_costs_nothing() -> None:
    fake = server()
    odoo = fake.connect()
    count(odoo, "x.order", [["name", "=", "A"], ["partner_id", "=", 5], ["id", "in", [1]]])
    assert [call.method for call in fake.sent] == ["search_count"]


def test_names_of_well_known_models_cost_nothing() -> None:
    fake = server()
    odoo = fake.connect()
    execute(odoo, "res.partner", "name_search", ["Ann"])
    assert [call.method for call in fake.sent] == ["name_search"]


def test_a_model_without_names_is_not_searched_by_name() -> None:
    fake = server(frozenset({"name"}))
    with pytest.raises(ValidationError, match="does not search its names") as refused:
        execute(fake.connect(), "x.order", "name_search", ["nonsense"])
    assert refused.value.suggestion


def test_what_cannot_be_asked_is_left_to_the_search() -> None:
    fake = server(frozenset())
    fake.answers["x.order", "search"] = ValidationError("No.")
    assert count(fake.connect(), "x.order", [["code", "=", "XX"]]).count == 0


def test_a_server_that_does_not_answer_is_told() -> None:
    fake = server(frozenset())
    fake.answers["x.order", "search"] = OdooConnectionError("Gone.", code="TIMEOUT")
    with pytest.raises(OdooConnectionError):
        count(fake.connect(), "x.order", [["code", "=", "XX"]])


def test_the_hook_does_not_hear_what_the_toolkit_finds_out() -> None:
    heard: list[str] = []
    odoo = server(frozenset()).connect(on_call=lambda event: heard.append(event.call.method))
    count(odoo, "x.order", [["code", "=", "XX"]])
    assert heard == ["search_count"]


def test_a_choice_is_asked_for_with_another_one() -> None:
    """A search method may take what it does not know for one of its choices."""
    fake = server(frozenset())
    assert count(fake.connect(), "x.order", [["state", "=", "new"]]).count == 0
    assert [["state", "=", "new"]] in domains(fake, "x.order")
    with pytest.raises(ValidationError, match="ignores the condition"):
        count(server(frozenset({"state"})).connect(), "x.order", [["state", "=", "new"]])
