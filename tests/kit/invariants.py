"""What holds for every operation, whatever it does: tried on its recording right before it is done.

Each invariant does the operation on a connection of its own, which answers as Odoo did from there
on. Nothing of it is seen by the scenario that goes on.
"""

from __future__ import annotations

import inspect
import itertools
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import attrs
import pytest

from odoo_toolkit import Connection, ImportPlan, OdooError, Policy
from odoo_toolkit.change_history import History, lost_answers
from odoo_toolkit.errors import AccessError
from odoo_toolkit.wizards.catalog import known_wizard
from tests.kit.recordings import LOST, NotRecordedError, Played, as_if_nothing_was_drawn


class Branch(Protocol):
    """Opens a connection that answers as from now on, and what was asked of it."""

    def __call__(self, policy: Policy, journal: History | None) -> tuple[Connection, Played]:
        """Open it."""
        ...


@attrs.frozen
class Act:
    """An operation that is about to be done.

    Attributes:
        function: the operation.
        args, kwargs: what it is given, but for the connection.
        plan: what its plan says; None where it has none.
        branch: opens connections to try it on.
    """

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    plan: Any
    branch: Branch

    def do(self, odoo: Connection, **more: Any) -> Any:
        """Do it on a connection."""
        return self.function(odoo, *self.args, **{**self.kwargs, **more})

    @contextmanager
    def journaled(self, policy: Policy | None = None) -> Iterator[tuple[Connection, Played]]:
        """Open a connection with a journal of its own."""
        with tempfile.TemporaryDirectory() as folder, as_if_nothing_was_drawn():
            journal = History(Path(folder) / "history.sqlite")
            odoo, played = self.branch(policy or Policy(), journal)
            with odoo:
                yield odoo, played


def steps_of(plan: Any) -> list[tuple[str, str]]:
    """Return the model and the method of each call of a plan."""
    return [(call.model, call.method) for call in plan.calls]


#: Operations that look something up before the policy is asked.
LOOK_FIRST = frozenset({"batch", "cancel_meeting", "delete", "mark_activity_done"})

#: Of these a plan has the methods, and not all arguments: they are known only when it is done.
KNOWN_LATER = frozenset(
    {"create_expense", "create_invoices", "create_project", "decide_expense", "upload"}
)

#: Of these it has what might be needed for some of many records.
FOR_MANY = frozenset({"process_expenses", "process_orders"})


def in_readonly_mode_it_is_planned_and_not_done(act: Act) -> None:
    readonly = Policy(mode="readonly")
    with act.journaled(readonly) as (odoo, played):
        # Names that full mode does not look up were not asked of the real Odoo.
        with suppress(NotRecordedError):
            if act.plan is not None:
                planned = act.function.plan(odoo, *act.args, **act.kwargs)
                assert steps_of(planned) == steps_of(act.plan)
                assert "mode" in (planned.needs or ""), planned.needs
        assert played.writes == []
    with act.journaled(readonly) as (odoo, played):
        with pytest.raises(AccessError) as refused:
            act.do(odoo)
        assert refused.value.code == "MODE_VIOLATION"
        assert played.writes == []
        assert act.function.__name__ in LOOK_FIRST or played.asked == 0


def what_a_list_closes_is_neither_planned_nor_done(act: Act) -> None:
    models = {call.model for call in act.plan.calls} if act.plan is not None else set()
    for model in sorted(models):
        closed = Policy(model_blocklist=frozenset({model}))
        for more in ({}, {"dry_run": True}):
            with act.journaled(closed) as (odoo, played):
                # What it asks instead was not asked of the real Odoo.
                with pytest.raises((AccessError, NotRecordedError)):
                    act.do(odoo, **more)
                assert played.writes == [], model


def _timeless(arguments: Mapping[str, Any]) -> str:
    """Return arguments without times: what Odoo suggests has its own, which goes on."""
    return re.sub(r"\d\d:\d\d:\d\d", "", str(dict(arguments)))


def the_plan_is_what_is_sent(act: Act) -> None:
    name = act.function.__name__
    if act.plan is None or isinstance(act.plan, ImportPlan) or name in FOR_MANY:
        return
    with act.journaled() as (odoo, played):
        act.do(odoo)
    major = odoo.version.major
    planned, sent = (
        [call for call in calls if not known_wizard(call.model, major)]
        for calls in (act.plan.calls, played.writes)
    )
    for foretold, call in zip(planned, sent, strict=True):
        assert (foretold.model, foretold.method) == (call.model, call.method)
        if name in KNOWN_LATER:
            continue
        shown = {**foretold.arguments}
        context = shown.pop("context", {})
        assert _timeless(shown) == _timeless(call.arguments)
        assert context.items() <= dict(call.context).items()
        # The id of a new record is a text, as nobody knows it before.
        unknown = any(isinstance(item, str) for item in foretold.ids)
        assert unknown or foretold.ids in ([], list(call.ids or ()))


def a_repeat_with_its_key_is_done_once(act: Act) -> None:
    if "idempotency_key" not in inspect.signature(act.function).parameters:
        return
    with act.journaled() as (odoo, played):
        first = act.do(odoo, idempotency_key="once")
        sent = len(played.writes)
        assert sent
        assert act.do(odoo, idempotency_key="once") == first
        assert len(played.writes) == sent


def an_answer_that_is_lost_is_said_to_be_and_nothing_is_sent_twice(act: Act) -> None:
    for number in itertools.count():
        with act.journaled() as (odoo, played), mock.patch.object(lost_answers, "WAITS", (0.0,)):
            played.loses = number
            try:
                told = str(attrs.asdict(act.do(odoo)))
            except OdooError as error:
                told = error.outcome
                # A dialog that was not answered has done nothing.
                if known_wizard(played.writes[-1].model, odoo.version.major):
                    told = "maybe_applied"
            if not played.lost:
                break
            assert any(said in told for said in ("maybe_applied", LOST, "not pressed")), told
            assert len(played.writes) == number + 1
    assert number


#: What no parameter takes.
NONSENSE: tuple[Any, ...] = ({"no": {"such": "thing"}}, [None, {"no": 1}])


def bad_input_is_refused_and_writes_nothing(act: Act) -> None:
    given = inspect.signature(act.function).bind(None, *act.args, **act.kwargs).arguments
    connection = next(iter(given))
    # The arguments of any method are any values.
    for name in [name for name in given if name not in (connection, "args")]:
        for nonsense in NONSENSE:
            with act.journaled() as (odoo, played):
                with suppress(OdooError, NotRecordedError):
                    act.function(**{**given, name: nonsense, connection: odoo})
                assert played.writes == [], (name, nonsense)


#: Tried on the recording of every operation.
INVARIANTS: tuple[Callable[[Act], None], ...] = (
    in_readonly_mode_it_is_planned_and_not_done,
    what_a_list_closes_is_neither_planned_nor_done,
    the_plan_is_what_is_sent,
    a_repeat_with_its_key_is_done_once,
    an_answer_that_is_lost_is_said_to_be_and_nothing_is_sent_twice,
    bad_input_is_refused_and_writes_nothing,
)

#: Of these, what is tried on the newest version only.
ON_THE_NEWEST = (bad_input_is_refused_and_writes_nothing,)
