"""A plugin's function sends what was declared and what its tool says, and nothing else.

Its code may say of a call what it likes: that it is internal, a step, a read, about another model.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, Policy, aggregate, create, execute, read, search_read, unlink, write
from odoo_toolkit.call import Access, Call
from odoo_toolkit.client import Admitted, Gate
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.operations.documents import Document, read_rows, shows
from odoo_toolkit.operations.steps import Step, WizardStep, operate
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.plugins import Declared
from odoo_toolkit.plugins.bounds import Bounds, bound
from tests.rental.memory import connection, written

CONTRACT = "rental.contract"
DECLARED = Declared(
    reads="res.partner",
    steps={CONTRACT: "create write unlink action_confirm action_draft"},
    wizards={"rental.return": "action_done"},
)
FULL = Policy()
READONLY = Policy(mode="readonly")
LISTED = Policy(mode="restricted", write_allowlist=[CONTRACT])
UNLISTED = Policy(mode="restricted", write_allowlist=["res.partner"])


def run(
    act: Callable[[Odoo], Any], policy: Policy = FULL, access: Access = "write"
) -> tuple[Any, list[str]]:
    """Let a function of a plugin act; return what it returned or raised, and what was written."""
    odoo, server = connection(policy)
    bounds = Bounds(plugin="rental", declared=DECLARED, access=access)
    try:
        result = bound(bounds, act)(odoo)
    except OdooError as error:
        result = error
    return result, written(server)


def calling(model: str, method: str, **parts: Any) -> Callable[[Odoo], Any]:
    parts.setdefault("ids", (1,))
    return lambda odoo: odoo.call(Call(model=model, method=method, **parts))


def pressing(**parts: Any) -> Callable[[Odoo], Any]:
    return calling(CONTRACT, "action_confirm", **{"step": True, "access": "write", **parts})


# What passes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [FULL, LISTED], ids=["full", "restricted"])
def test_a_declared_step_is_made_where_ours_would_be(policy: Policy) -> None:
    result, sent = run(pressing(), policy)

    assert (result, sent) == (True, ["rental.contract.action_confirm"])


def test_values_are_written_as_a_caller_would_write_them() -> None:
    result, sent = run(lambda odoo: write(odoo, CONTRACT, [1], {"damage": "x"}), LISTED)

    assert result.ids == [1]
    assert sent == ["rental.contract.write"]


def test_reading_goes_on_in_every_mode() -> None:
    for policy in (FULL, READONLY, UNLISTED):
        result, sent = run(lambda odoo: search_read(odoo, CONTRACT, [], ["name"]), policy, "read")

        assert [row["name"] for row in result] == ["RENT/0001"]
        assert sent == []


# What does not -----------------------------------------------------------------------------------

_ROW = {"vals_list": [{"name": "x"}]}

#: What a plugin might do in full mode, where ours has few limits -> what is said.
REFUSED: dict[str, tuple[Callable[[Odoo], Any], str]] = {
    "another method": (
        calling(CONTRACT, "action_write_off", step=True, access="write"),
        "has not declared the step rental.contract.action_write_off",
    ),
    "another method, as a read": (
        calling(CONTRACT, "action_write_off", step=True, access="read"),
        "has not declared the step",
    ),
    "another method, as the toolkit's own": (
        calling(CONTRACT, "action_write_off", internal=True, access="read"),
        "has not declared the step",
    ),
    "another method, freely": (
        lambda odoo: execute(odoo, CONTRACT, "action_write_off", [[1]]),
        "has not declared the step",
    ),
    "a token": (
        calling(CONTRACT, "generate_access_token", step=True, access="write"),
        "has not declared the step",
    ),
    "another model": (
        calling("res.partner", "write", arguments={"vals": {"name": "x"}}, step=True),
        "has not declared the step res.partner.write",
    ),
    "another model, as this one": (
        calling("res.partner", "write", arguments={"vals": {"name": "x"}}, acts_on=CONTRACT),
        "has not declared the step res.partner.write",
    ),
    "reading another model": (
        lambda odoo: read(odoo, "rental.equipment", [1], ["name"]),
        "has not declared that it reads rental.equipment",
    ),
    "reading another model as a step": (
        lambda odoo: read_rows(odoo, "rental.equipment", [], ["name"], acts_on=CONTRACT),
        "has not declared that it reads rental.equipment",
    ),
    "reading another model as the toolkit": (
        calling("rental.equipment", "read", arguments={"fields": ["name"]}, internal=True),
        "has not declared that it reads rental.equipment",
    ),
    "secrets as the toolkit": (
        calling("ir.config_parameter", "search_read", ids=None, internal=True),
        "has not declared that it reads ir.config_parameter",
    ),
    "users as the toolkit": (
        calling("res.users", "read", arguments={"fields": ["login"]}, internal=True),
        "has not declared that it reads res.users",
    ),
    "groups of another model": (
        lambda odoo: aggregate(odoo, "rental.equipment", [], ["name"], []),
        "has not declared that it reads rental.equipment",
    ),
    "lines of another model": (
        lambda odoo: write(odoo, CONTRACT, [1], {"line_ids": [[0, 0, {"name": "x"}]]}),
        "reaches rental.equipment with these values, and has not declared that",
    ),
    "lines of another model, as a step": (
        calling(CONTRACT, "write", arguments={"vals": {"line_ids": [[1, 1, {"name": "x"}]]}}),
        "reaches rental.equipment with these values, and has not declared that",
    ),
    "lines that go": (
        calling(CONTRACT, "write", arguments={"vals": {"line_ids": [[2, 1]]}}, step=True),
        "reaches rental.equipment with these values, and has not declared that",
    ),
    "deleting where the tool writes": (
        lambda odoo: unlink(odoo, CONTRACT, [1]),
        "deletes records, although its tool does not declare that",
    ),
    "a button of the wizard's that is not declared": (
        calling("rental.return", "action_purge", step=True, access="write"),
        "has not declared the step rental.return.action_purge",
    ),
    "a change past the call": (
        lambda odoo: odoo.send(
            Admitted(call=_PRESS, asked=_PRESS, started=0.0),
        ),
        "differs from the call that the policy checked",
    ),
    "a change that calls itself a read, past the call": (
        lambda odoo: odoo.send(Admitted(call=_PRESS, asked=_PRESS, started=0.0, judged=_PRESS)),
        "as what it is not",
    ),
}
_PRESS = Call(model=CONTRACT, method="action_confirm", ids=(1,), step=True, access="read")


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_declared_is_not_sent(case: str) -> None:
    act, said = REFUSED[case]

    result, sent = run(act)

    assert isinstance(result, AccessError)
    assert said in result.message
    assert result.suggestion
    assert sent == []


@pytest.mark.parametrize(
    ("name", "use"),
    {
        "web session": lambda own: own.web_session,
        "documentation": lambda own: own.documentation(CONTRACT),
        "end": lambda own: own.close(),
        "copy": copy.copy,
    }.items(),
)
def test_no_other_way_to_odoo_is_open(name: str, use: Callable[[Odoo], Any]) -> None:
    result, _ = run(use)

    assert isinstance(result, AccessError)
    assert f"This connection has no {name}" in result.message


def test_a_plugin_has_no_connection_without_its_bounds() -> None:
    odoo, server = connection(FULL)
    bounds = Bounds(plugin="rental", declared=Declared(reads="res.partner"), access="write")

    def act(own: Odoo) -> None:
        own.policy = Policy(protect=False)
        pressing()(own.gated(Gate()))

    with pytest.raises(AccessError, match="has not declared the step"):
        bound(bounds, act)(odoo)
    assert odoo.policy is FULL
    assert written(server) == []


@pytest.mark.parametrize(
    "act",
    [
        pressing(),
        pressing(access="read"),
        pressing(access="read", internal=True),
        lambda odoo: write(odoo, CONTRACT, [1], {"damage": "x"}),
        lambda odoo: create(odoo, CONTRACT, {"name": "x"}),
        calling("rental.return", "create", ids=None, arguments=_ROW, step=True, acts_on=CONTRACT),
    ],
)
@pytest.mark.parametrize("case", ["readonly", "not on the list", "a tool that reads"])
def test_nothing_is_written_where_it_may_not_be(act: Callable[[Odoo], Any], case: str) -> None:
    policy = {"readonly": READONLY, "not on the list": UNLISTED}.get(case, FULL)

    result, sent = run(act, policy, "read" if case == "a tool that reads" else "write")

    assert isinstance(result, AccessError), result
    assert sent == []


@pytest.mark.parametrize("field", ["access_token", "signature"])
@pytest.mark.parametrize("step", [True, False])
def test_closed_fields_stay_closed_to_what_calls_itself_a_step(field: str, step: bool) -> None:
    values = calling(CONTRACT, "write", arguments={"vals": {field: "x"}}, step=step)
    fields = calling(CONTRACT, "read", arguments={"fields": [field]}, step=step, internal=step)
    for act in (values, fields):
        result, sent = run(act)

        assert isinstance(result, AccessError), result
        assert sent == []


def test_a_list_of_models_counts_each_model_by_itself() -> None:
    """That one acts on another is taken from ours alone."""
    policy = Policy(model_allowlist=[CONTRACT])
    result, _ = run(
        lambda odoo: read_rows(odoo, "res.partner", [], ["name"], acts_on=CONTRACT), policy
    )

    assert isinstance(result, AccessError)
    assert result.code == "MODEL_BLOCKED"


@pytest.mark.parametrize(
    "parts", [{"arguments": {"force": True}}, {"context": {"active_model": "x"}}]
)
@pytest.mark.parametrize(
    "policy", [LISTED, Policy(field_blocklist=["damage"])], ids=["restricted", "a field closed"]
)
def test_a_button_is_pressed_on_ids_alone_where_more_than_rights_are_the_limit(
    parts: dict[str, Any], policy: Policy
) -> None:
    result, sent = run(pressing(**parts), policy)

    assert isinstance(result, AccessError), result
    assert sent == []


@pytest.mark.parametrize("policy", [LISTED, Policy(field_blocklist=["damage"])])
def test_a_button_takes_no_known_context_key_of_another_type(policy: Policy) -> None:
    result, sent = run(pressing(context={"active_test": "x"}), policy)

    assert isinstance(result, ValidationError), result
    assert sent == []


def test_a_wizard_is_not_filled_in_with_lines_where_a_list_is_the_limit() -> None:
    lines = {"contract_id": 1, "damage": [[0, 0, {"name": "x"}]]}
    policy = Policy(mode="restricted", write_allowlist=["rental.return"])
    act = calling("rental.return", "create", ids=None, arguments={"vals_list": lines}, step=True)

    result, sent = run(act, policy)

    assert isinstance(result, AccessError)
    assert "fills rental.return in with lines" in result.message
    assert sent == []


def test_what_a_button_returns_tells_nothing_while_fields_are_closed() -> None:
    odoo, server = connection(Policy(field_blocklist=["damage"]))
    server.answers[CONTRACT, "action_confirm"] = "The drill is broken"
    bounds = Bounds(plugin="rental", declared=DECLARED, access="write")

    assert bound(bounds, pressing())(odoo) is None


def test_a_method_that_the_operator_closed_is_no_step() -> None:
    result, sent = run(pressing(), Policy(method_blocklist=["action_confirm"]))

    assert isinstance(result, AccessError)
    assert sent == []


# Operations --------------------------------------------------------------------------------------

DOCUMENT = Document(model=CONTRACT, noun="contract", argument="contract_id", fields=("state",))
CONFIRM = Step(model=CONTRACT, method="action_confirm", seen=shows(DOCUMENT, state=("confirmed",)))
RETURN = WizardStep(
    model=CONTRACT,
    wizard="rental.return",
    method="action_done",
    seen=shows(DOCUMENT, state=("returned",)),
)


@operation
def confirm(odoo: Odoo, *, dry_run: bool = False) -> str | Plan:
    return operate(
        odoo, [CONFIRM], [1], lambda done: "done", message="Would do it.", dry_run=dry_run
    )


@pytest.mark.parametrize("policy", [FULL, READONLY, LISTED, UNLISTED])
def test_a_plan_is_told_in_every_mode_and_sends_nothing(policy: Policy) -> None:
    by_keyword, sent = run(lambda odoo: confirm(odoo, dry_run=True), policy)
    odoo, server = connection(policy)
    bounds = Bounds(plugin="rental", declared=DECLARED, access="write")
    by_plan = bound(bounds, confirm).plan(odoo)

    for plan in (by_keyword, by_plan):
        assert [call.method for call in plan.calls] == ["action_confirm"]
        assert bool(plan.needs) == (policy in (READONLY, UNLISTED))
    assert sent == written(server) == []


def test_a_plan_of_what_is_not_declared_is_refused_as_the_deed_is() -> None:
    step = attrs.evolve(CONFIRM, method="action_write_off")
    result, sent = run(
        lambda odoo: operate(odoo, [step], [1], lambda done: 0, message="x", dry_run=True)
    )

    assert isinstance(result, AccessError)
    assert "has not declared the step" in result.message
    assert sent == []


@pytest.mark.parametrize("listed", [[CONTRACT], [CONTRACT, "rental.return"]])
def test_a_wizard_is_answered_where_it_is_on_the_list_itself(listed: list[str]) -> None:
    """Ours are answered on the strength of their source; what a plugin calls a wizard is not."""
    step = RETURN.of(contract_id=1)
    result, sent = run(
        lambda odoo: operate(odoo, [step], [1], lambda done: "done", message="x", dry_run=False),
        Policy(mode="restricted", write_allowlist=listed),
    )

    if "rental.return" in listed:
        assert (result, sent) == ("done", ["rental.return.create", "rental.return.action_done"])
    else:
        assert isinstance(result, AccessError)
        assert sent == []


def test_signature_and_plan_of_a_function_stay() -> None:
    bounds = Bounds(plugin="rental", declared=DECLARED, access="write")

    assert bound(bounds, confirm).__name__ == "confirm"
    assert hasattr(bound(bounds, confirm), "plan")
