"""How often an argument is read, and what of it is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    Domain,
    Policy,
    ValidationError,
    aggregate,
    count,
    execute,
    iterate,
    read,
    search_read,
)
from odoo_toolkit.arguments import domain as domains
from odoo_toolkit.arguments import fields, order, reading
from odoo_toolkit.call import Call
from odoo_toolkit.policy import unknown_arguments as walk
from tests.attacks.serverless import Serverless

LEAF = [["name", "=", "x"], "|", ["parent_id.name", "ilike", "a"], ["category_id", "in", [1, 2]]]
FLOWS: dict[str, Callable[[Serverless], Any]] = {
    "search_read": lambda o: search_read(o, "res.partner", LEAF, ["name"], order="name desc"),
    "all pages": lambda o: list(iterate(o, "res.partner", LEAF, ["name"], order="name desc")),
    "read": lambda o: read(o, "res.partner", [1], ["name", "parent_id.name"]),
    "count": lambda o: count(o, "res.partner", LEAF),
    "aggregate": lambda o: aggregate(
        o, "res.partner", LEAF, ["country_id"], ["color:sum"], order="color:sum desc",
        having=[["color:sum", ">", 1]],
    ),
    "execute": lambda o: execute(
        o, "res.partner", "search_read", [LEAF, ["name"]], {"order": "name desc"}
    ),
    "execute read_group": lambda o: execute(
        o, "res.partner", "read_group", [LEAF, ["color:sum"], ["country_id"]]
    ),
}  # fmt: skip
MODES: dict[str, dict[str, Any]] = {
    "readonly": {"mode": "readonly"},
    "full": {},
    "a list": {"field_blocklist": "vat"},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("flow", FLOWS)
def test_an_argument_is_read_at_most_twice_for_a_call(
    flow: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once where the function takes it, and once where a call is made of what was understood."""
    runs: Counter[str] = Counter()

    def counted(name: str, reader: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            runs[name] += 1
            return reader(*args, **named)

        return run

    monkeypatch.setattr(domains, "check_syntax", counted("domain", domains.check_syntax))
    monkeypatch.setattr(order, "_read", counted("order", order._read))
    monkeypatch.setattr(fields, "listed", counted("fields", fields.listed))
    for name in ("_domain", "_field_list"):
        monkeypatch.setattr(walk.Walk, name, counted("walk", getattr(walk.Walk, name)))
    FLOWS[flow](Serverless(Policy(**MODES[mode])))

    assert runs["walk"] == 0
    # The domain of an aggregate and its condition on groups are two arguments.
    assert runs["domain"] <= (4 if flow == "aggregate" else 2)
    assert max(runs["order"], runs["fields"]) <= 2


@pytest.mark.parametrize("mode", MODES)
def test_what_was_admitted_is_sent_without_being_judged_again(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy is asked once for a search, its pages, and its count."""
    asked: list[Call] = []
    original = Policy.admitted

    def noted(self: Policy, call: Call, *args: Any) -> Call:
        if not call.internal:
            asked.append(call)
        return original(self, call, *args)

    monkeypatch.setattr(Policy, "admitted", noted)
    odoo = Serverless(Policy(**MODES[mode]))
    search_read(odoo, "res.partner", LEAF, ["name"], count_total=True)

    assert [call.method for call in asked] == ["search_read"]
    assert [call.method for call in odoo.sent if not call.internal] == [
        *("search_read", "search_count"),
    ]


def test_a_typed_argument_is_sent_in_its_form_on_the_wire() -> None:
    """Whatever reads the call that is sent, a transport or the hook, sees plain lists."""
    odoo = Serverless(Policy())
    odoo.call(
        Call(model="res.partner", method="search", arguments={"domain": Domain().equals("name", 1)})
    )

    assert odoo.sent[-1].arguments == {"domain": [["name", "=", 1]]}


@pytest.mark.parametrize("mode", MODES)
def test_what_is_closed_is_refused_as_such_where_nothing_else_is_understood(mode: str) -> None:
    """A shape that no reader takes is no way around the name that is in it."""
    odoo = Serverless(Policy(**MODES[mode]))
    with pytest.raises(AccessError, match="password"):
        execute(odoo, "res.partner", "search", [[[["password", "=", "x"]]]])
    with pytest.raises(ValidationError):
        execute(odoo, "res.partner", "search", [[[["name", "=", "x"]]]])
    assert not odoo.callers()


@pytest.mark.parametrize("path", ["props.a.b", "props", "password", "parent_id.unknown"])
def test_the_library_sends_no_order_or_condition_that_a_caller_may_not(path: str) -> None:
    """Where it judges once, it judges as strictly as what a caller shapes is judged."""
    for mode in MODES.values():
        for ask in (
            lambda o: search_read(o, "res.partner", [], ["id"], order=path),
            lambda o: search_read(o, "res.partner", [[path, "=", "x"]], ["id"]),
            lambda o: execute(o, "res.partner", "search", [[[path, "=", "x"]]]),
        ):
            odoo = Serverless(Policy(**mode), fields={"props": "properties"})
            try:
                ask(odoo)
            except (AccessError, ValidationError):
                assert not odoo.callers()
            else:
                # In full mode, Odoo says of fields whether there are such.
                assert path == "props" or (mode == {} and path != "password")


def test_readers_are_all_that_methods_which_only_read_take() -> None:
    """A parameter without a reader would be sent as it came."""
    from odoo_toolkit.call import parameter_names
    from odoo_toolkit.policy.tables import HARMLESS_METHODS

    known = {name for method in HARMLESS_METHODS for name in parameter_names(method) or ()}

    assert known <= set(reading._READERS)


@pytest.mark.parametrize("ask", [
    lambda o: search_read(o, "res.partner", fields=["*"]),
    lambda o: read(o, "res.partner", [1], ["*"]),
    lambda o: list(iterate(o, "res.partner", [], ["*"])),
])  # fmt: skip
@pytest.mark.parametrize("mode", ["readonly", "full"])
def test_all_fields_are_those_that_may_be_read(ask: Callable[[Any], Any], mode: Any) -> None:
    """A relation to a model that is closed is left out; it does not close the others."""
    odoo = Serverless(Policy(mode=mode, model_blocklist="res.partner.category"))
    ask(odoo)

    (call,) = [one for one in odoo.sent if one.method in ("search_read", "read")]
    assert "name" in call.arguments["fields"]
    assert "category_id" not in call.arguments["fields"]
