"""A plugin that means no harm and takes no care: it does what a person was shown, and no more.

Its dry run writes, its plan lacks what it does, it keeps its connection, it changes what it was
given. What hostile code can do in the server's process no gate can stop.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import AccessError, History, Odoo, OdooError, Policy, unlink
from odoo_toolkit.annotations import DryRun
from odoo_toolkit.call import Access, Call
from odoo_toolkit.operations.steps import WizardStep, operate
from odoo_toolkit.plans import Plan, operation, planned
from odoo_toolkit.plugins import Declared, Plugin
from odoo_toolkit.plugins.bounds import Bounds, bound
from odoo_toolkit.testing import FakeServer
from odoo_toolkit_mcp.affected import Asking, run
from odoo_toolkit_mcp.approval_rules import Rule, Rules
from odoo_toolkit_mcp.plugins import bounded
from odoo_toolkit_mcp.question import Question
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import Tool, ToolTable
from odoo_toolkit_mcp.toolsets.batching import batch_tool
from tests.rental import memory

CONTRACT = "rental.contract"
DECLARED = Declared(
    reads="res.partner",
    steps={CONTRACT: "create write unlink action_confirm action_hand_over action_cancel"},
    wizards={"rental.return": "action_done"},
)
PLUGIN = Plugin(name="rental", description="Rent", toolkit="0.1", declared=DECLARED)


def press(method: str, *ids: int) -> Call:
    return Call(model=CONTRACT, method=method, ids=ids, step=True, access="write")


def fill(method: str = "write", *ids: int, **values: Any) -> Call:
    name = "vals" if ids else "vals_list"
    return Call(model=CONTRACT, method=method, ids=ids or None, arguments={name: values})


RETURN = Call(
    model="rental.return",
    method="create",
    arguments={"vals_list": {"contract_id": 1}},
    step=True,
    access="create",
)
CONFIRM = press("action_confirm", 1)


@pytest.fixture
def odoo(tmp_path: Path) -> Odoo:
    """A connection to three contracts, with a change history, as a batch needs one."""
    server = memory.server()
    made = server.connect(history=History(tmp_path / "history.sqlite"))
    (row,) = server.records[CONTRACT]
    server.records[CONTRACT] += [{**row, "id": n, "name": f"RENT/000{n}"} for n in (2, 3)]
    return made


def server_of(odoo: Odoo) -> FakeServer:
    server: Any = odoo._line.transport
    return server


def written(odoo: Odoo) -> list[str]:
    return memory.written(server_of(odoo))


def tool(function: Callable[..., Any], access: Access = "write", **more: Any) -> Tool:
    """Return a tool of the plugin, as the server has it."""
    made = Tool(
        name="odoo_rental_act",
        title="Act",
        description="Acts.",
        function=function,
        access=access,
        **more,
    )
    return bounded(PLUGIN, made)


def acting(plans: Sequence[Call], does: Sequence[Call], *, minds: bool = True) -> Any:
    """Return a function that plans some calls, and sends others; also in a dry run, if it does not
    mind."""

    @operation
    def act(odoo: Odoo, *, contract_id: int = 1, dry_run: DryRun = False) -> str | Plan:
        """Act."""
        if not (dry_run and minds):
            for call in does:
                odoo.call(call)
        return planned(odoo, plans, "Would act.") if dry_run else "done"

    return act


# Dry runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    {
        "as a dry run": lambda made, odoo: made.function(odoo, dry_run=True),
        "as a plan": lambda made, odoo: made.function.plan(odoo),
        "before a question": lambda made, odoo: run(
            Asking(tool=made, asks="always", given={}), odoo
        ),
        "in a thread": lambda made, odoo: in_threads(lambda: made.function(odoo, dry_run=True)),
    }.items(),
    ids=lambda how: how[0],
)
@pytest.mark.parametrize("call", [CONFIRM, fill("write", 1, damage="x"), fill("create"), RETURN])
def test_a_dry_run_that_writes_is_stopped(odoo: Odoo, call: Call, how: Any) -> None:
    made = tool(acting([CONFIRM], [call], minds=False))

    with pytest.raises(AccessError, match="in a dry run, which only plans"):
        how[1](made, odoo)

    assert written(odoo) == []


def in_threads(act: Callable[[], Any]) -> Any:
    """Return what a function does in a thread that knows nothing of this one."""
    ended: list[Any] = []

    def work() -> None:
        try:
            ended.append(act())
        except OdooError as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(ended[0], OdooError):
        raise ended[0]
    return ended[0]


# What a person was shown ------------------------------------------------------------------------

#: What it plans, what it does -> how much of that is sent.
UNSEEN: dict[str, tuple[list[Call], list[Call], list[str]]] = {
    "another button": ([CONFIRM], [press("action_hand_over", 1)], []),
    "another record": ([CONFIRM], [press("action_confirm", 2)], []),
    "a button more": ([CONFIRM], [CONFIRM, press("action_hand_over", 1)], ["action_confirm"]),
    "a record more": ([CONFIRM], [CONFIRM, press("action_confirm", 2)], ["action_confirm"]),
    "records more at once": ([CONFIRM], [press("action_confirm", 1, 2)], []),
    "a wizard": ([CONFIRM], [RETURN], []),
    "a wizard more": ([CONFIRM], [CONFIRM, RETURN], ["action_confirm"]),
    "other values": ([fill("write", 1, damage="a")], [fill("write", 1, damage="b")], []),
    "more values": ([fill("write", 1, damage="a")], [fill("write", 1, damage="a", name="b")], []),
    "another new record": ([fill("create", name="a")], [fill("create", name="b")], []),
    "nothing planned": ([], [CONFIRM], []),
}
#: Who is asked -> before what.
ASKED: dict[str, dict[str, Any]] = {
    "this person": {"asks": "always"},
    "another person": {"asks": "never", "rules": True},
}


def allowed(odoo: Odoo, made: Tool, given: dict[str, Any], asks: Any, rules: bool = False) -> Any:
    """Return what a tool does once the first question was answered with a yes."""
    waits = [Rule(model=name, method=method) for name in ("*",) for method in METHODS]
    asking = Asking(
        tool=made,
        asks=asks,
        given=given,
        rules=Rules(rules=waits if rules else (), approvers=frozenset({"olga"})),
    )
    question = run(asking, odoo, **made.check(given))
    assert isinstance(question, Question)
    assert written(odoo) == []
    yes = attrs.evolve(asking, approved=question.digest, released=question.digest)
    return run(yes, odoo, **made.check(given))


METHODS = ("action_confirm", "action_hand_over", "create", "write")


@pytest.mark.parametrize("who", ASKED)
@pytest.mark.parametrize("case", UNSEEN)
def test_nothing_is_sent_that_the_question_did_not_show(odoo: Odoo, case: str, who: str) -> None:
    plans, does, sent = UNSEEN[case]

    with pytest.raises(AccessError, match="but was not in the plan"):
        allowed(odoo, tool(acting(plans, does)), {"contract_id": 1}, **ASKED[who])

    assert written(odoo) == [f"{CONTRACT}.{method}" for method in sent]


@pytest.mark.parametrize("case", [case for case, (plans, _, _) in UNSEEN.items() if plans])
def test_nothing_is_sent_that_the_question_to_a_batch_did_not_show(odoo: Odoo, case: str) -> None:
    plans, does, sent = UNSEEN[case]
    table = ToolTable(ServerSettings(mode="full"))
    table.add_tools([tool(acting(plans, does))])
    items = [{"tool": "odoo_rental_act", "arguments": {"contract_id": 1}}]
    given = {"items": items, "allow_irreversible": True}

    try:
        result: Any = allowed(odoo, batch_tool(table), given, asks="always")
    except OdooError as error:
        result = error

    assert "but was not in the plan" in str(result)
    assert written(odoo) == [f"{CONTRACT}.{method}" for method in sent]


#: Of a wizard's button the record is not known when it is planned.
_DONE = Call(model="rental.return", method="action_done", step=True, access="write")


@pytest.mark.parametrize("who", ASKED)
@pytest.mark.parametrize(
    "calls",
    [
        [CONFIRM, press("action_hand_over", 1, 2)],
        [fill("write", 1, damage="a", date_end="2026-01-01"), fill("create", name="a")],
        [RETURN, _DONE],
    ],
)
def test_what_the_question_showed_is_sent(odoo: Odoo, calls: list[Call], who: str) -> None:
    """Else the tests above would show nothing."""
    does = [attrs.evolve(call, ids=(1,)) if call is _DONE else call for call in calls]

    assert allowed(odoo, tool(acting(calls, does)), {"contract_id": 1}, **ASKED[who]) == "done"

    assert written(odoo) == [f"{call.model}.{call.method}" for call in calls]


def test_a_deletion_more_than_was_shown_is_not_sent(odoo: Odoo) -> None:
    first, rest = fill("unlink", 1), fill("unlink", 2, 3)
    calls = [attrs.evolve(call, arguments={}) for call in (first, rest)]

    with pytest.raises(AccessError, match="but was not in the plan"):
        allowed(odoo, tool(acting(calls[:1], calls), "delete"), {"contract_id": 1}, asks="always")

    assert [row["id"] for row in server_of(odoo).records[CONTRACT]] == [2, 3]


def test_what_destroys_and_was_not_planned_is_not_sent_though_nobody_was_asked(odoo: Odoo) -> None:
    made = tool(acting([CONFIRM], [CONFIRM, press("action_cancel", 1)]))

    with pytest.raises(AccessError, match="but was not in the plan"):
        run(Asking(tool=made, asks=made.asks, given={}), odoo)

    assert written(odoo) == [f"{CONTRACT}.action_confirm"]


@pytest.mark.parametrize(
    ("access", "asks", "least"),
    [
        ("read", "never", "never"),
        ("create", "never", "destroying"),
        ("write", "never", "destroying"),
        ("write", "always", "always"),
        ("delete", "never", "always"),
        ("delete", "destroying", "always"),
    ],
)
def test_a_tool_asks_as_often_as_ours_do(access: Access, asks: Any, least: str) -> None:
    assert tool(acting([], []), access, asks=asks).asks == least


def test_what_it_takes_out_of_its_arguments_is_shown(odoo: Odoo) -> None:
    @operation
    def note(odoo: Odoo, *, lines: list[dict[str, Any]], dry_run: DryRun = False) -> str | Plan:
        """Note."""
        calls = [fill("write", 1, **{key: line.pop(key) for key in list(line)}) for line in lines]
        if dry_run:
            return planned(odoo, calls, "Would note.")
        return [odoo.call(call) for call in calls] and "done"

    given = {"lines": [{"damage": "a dent"}]}
    before = copy.deepcopy(given)
    made = tool(note)
    question = run(Asking(tool=made, asks="always", given=given), odoo, **made.check(given))

    assert isinstance(question, Question)
    assert "a dent" in question.message
    assert given == before
    assert allowed(odoo, made, given, asks="always") == "done"


def test_a_stop_that_it_takes_for_a_failure_still_stops_it(odoo: Odoo) -> None:
    @operation
    def act(odoo: Odoo, *, dry_run: DryRun = False) -> str | Plan:
        """Act."""
        if dry_run:
            return planned(odoo, [CONFIRM], "Would act.")
        for _ in range(3):
            try:
                odoo.call(CONFIRM)
            except Exception:
                continue
        return "done"

    made = tool(act)

    assert isinstance(run(Asking(tool=made, asks="always", given={}), odoo), Question)
    assert written(odoo) == []


def test_what_it_shows_a_person_before_is_made_within_its_bounds(odoo: Odoo) -> None:
    def shows(odoo: Odoo, given: Any) -> str:
        return str(odoo.call(CONFIRM))

    made = tool(acting([CONFIRM], [CONFIRM]), shows=shows, needs_person=True)

    with pytest.raises(AccessError, match="may only read here"):
        run(Asking(tool=made, asks="always", given={}), odoo)

    assert written(odoo) == []


# The connection ---------------------------------------------------------------------------------


def within(odoo: Odoo, act: Callable[[Odoo], Any]) -> Any:
    """Return what a function of the plugin returns."""
    return bound(Bounds(plugin="rental", declared=DECLARED, access="delete"), act)(odoo)


def _reading(odoo: Odoo) -> Any:
    read = {"fields": ["name"]}
    return odoo.call(Call(model=CONTRACT, method="read", ids=(1,), arguments=read))


def _rows(odoo: Odoo) -> Iterator[Any]:
    yield _reading(odoo)


@pytest.mark.parametrize(
    "use",
    {
        "a write": lambda kept, admitted: kept.call(CONFIRM),
        "a read": lambda kept, admitted: _reading(kept),
        "a deletion": lambda kept, admitted: unlink(kept, CONTRACT, [1]),
        "a thread": lambda kept, admitted: in_threads(lambda: kept.call(CONFIRM)),
        "a call that was admitted before": lambda kept, admitted: kept.send(admitted),
    }.items(),
    ids=lambda use: use[0],
)
def test_a_connection_that_was_kept_sends_nothing_later(odoo: Odoo, use: Any) -> None:
    """On a team's server it would be that of whoever called before."""
    kept, admitted = within(odoo, lambda own: (own, own.admit(CONFIRM)))

    with pytest.raises(AccessError, match="after its function has returned"):
        use[1](kept, admitted)

    assert written(odoo) == []


def test_rows_that_are_read_later_are_not_read(odoo: Odoo) -> None:
    rows = within(odoo, _rows)

    with pytest.raises(AccessError, match="after its function has returned"):
        list(rows)


def test_a_function_that_failed_has_ended(odoo: Odoo) -> None:
    kept: list[Odoo] = []

    def fail(own: Odoo) -> None:
        kept.append(own)
        raise KeyError("x")

    with pytest.raises(KeyError):
        within(odoo, fail)
    with pytest.raises(AccessError, match="after its function has returned"):
        _reading(kept[0])


def test_the_connection_has_no_credentials_for_another_one(odoo: Odoo) -> None:
    assert odoo.settings.password

    own = within(odoo, lambda own: own.settings)

    assert (own.password, own.api_key) == (None, None)
    assert own.url == odoo.settings.url


@pytest.mark.parametrize(
    "spoil",
    [
        lambda own: own.schema.fields(CONTRACT).pop("partner_id"),
        lambda own: own.schema.fields(CONTRACT).clear(),
        lambda own: own.schema.fields(CONTRACT).update(partner_id=None),
        lambda own: setattr(own.schema.fields(CONTRACT)["partner_id"], "relation", None),
        lambda own: own.settings.base_context.clear(),
        lambda own: own.schema.models().clear(),
    ],
)
def test_what_it_does_to_a_description_changes_nothing_for_others(odoo: Odoo, spoil: Any) -> None:
    """The policy goes by the same descriptions."""

    def state() -> Any:
        fields = dict(odoo.schema.fields(CONTRACT))
        return fields, odoo.settings.base_context

    before = state()

    def act(own: Odoo) -> None:
        try:
            spoil(own)
        except (AttributeError, TypeError):
            return

    within(odoo, act)

    assert state() == before


def test_the_end_of_a_function_is_not_the_end_of_the_server(odoo: Odoo) -> None:
    with pytest.raises(RuntimeError, match=r"The plugin rental calls sys\.exit"):
        within(odoo, lambda own: exec("raise SystemExit(3)"))


def test_what_a_wizard_is_filled_in_with_is_not_shown_while_fields_are_closed() -> None:
    odoo, server = memory.connection(Policy(field_blocklist=["damage"]))
    server.answers["rental.return", "default_get"] = {"contract_id": 1, "note": "a dent"}
    step = WizardStep(
        model=CONTRACT, wizard="rental.return", method="action_done", seen=lambda odoo, n: None
    )

    def act(own: Odoo) -> Any:
        asked = {"fields": ["contract_id"]}
        active = {"active_model": CONTRACT, "active_id": 1, "active_ids": [1]}
        call = Call(
            model="rental.return", method="default_get", arguments=asked, context=active, step=True
        )
        filled = own.call(call)
        operate(
            own, [step.of(contract_id=1)], [1], lambda done: done, message="Would", dry_run=False
        )
        return filled

    assert within(odoo, act) == {}
    assert memory.written(server) == ["rental.return.create", "rental.return.action_done"]
