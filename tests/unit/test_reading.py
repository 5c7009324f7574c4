"""How often an argument is read, and what of it is sent."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    Domain,
    OdooError,
    Policy,
    ValidationError,
    aggregate,
    count,
    create,
    execute,
    iterate,
    read,
    search_read,
    write,
)
from odoo_toolkit.arguments import commands, fields, order, reading, records, values
from odoo_toolkit.arguments import domain as domains
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


WRITES: dict[str, Callable[[Serverless], Any]] = {
    "create": lambda o: create(o, "res.partner", [{"name": "x", "category_id": [[4, 1]]}]),
    "write": lambda o: write(o, "res.partner", [1], {"category_id": [[4, 1]]}),
    "execute create": lambda o: execute(
        o, "res.partner", "create", [[{"name": "x", "category_id": [[4, 1]]}]]
    ),
    "execute write": lambda o: execute(
        o, "res.partner", "write", [[1], {"category_id": [[4, 1]]}]
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "mode",
    [
        {},
        {"field_blocklist": "vat"},
        {"mode": "restricted", "write_allowlist": "res.partner,res.partner.category"},
    ],
)
@pytest.mark.parametrize("flow", WRITES)
def test_commands_are_read_at_most_twice_for_a_call(
    flow: str, mode: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once as the caller worded them, and once as they are sent."""
    seen: Counter[str] = Counter()
    original = commands.read_commands

    def counted(value: Any, where: str, **options: Any) -> Any:
        seen[repr(value)] += 1
        return original(value, where, **options)

    for module in (commands, records, values, walk):
        monkeypatch.setattr(module, "read_commands", counted)
    odoo = Serverless(Policy(**mode))
    with contextlib.suppress(OdooError):  # of the answers, which are made up
        WRITES[flow](odoo)

    assert any(call.method in ("create", "write") for call in odoo.sent)
    given, sent = seen["[[4, 1]]"], seen["[[4, 1, 0]]"]
    assert given >= 1
    assert given + sent <= 2


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
    from odoo_toolkit.call import PARAMETERS
    from odoo_toolkit.policy.tables import HARMLESS_METHODS

    known = {name for method in HARMLESS_METHODS for name in PARAMETERS.get(method, ())}

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
