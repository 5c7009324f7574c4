"""Plans: what a function that writes would do, as ``dry_run`` returns it.

Names are resolved, states and values are checked, the policy is asked; nothing is written.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.journal import Journal
from odoo_toolkit.journal.foretelling import Undo, foretold
from odoo_toolkit.wizards.catalog import known_wizard

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound="Plan")
S_co = TypeVar("S_co", bound="Plan", covariant=True)

#: Characters of a result's message that the journal keeps.
_LONGEST = 2000


@attrs.frozen(kw_only=True)
class PlannedCall(Shown):
    """A call that would be made. An id that only an earlier call gives is written as text."""

    model: str
    method: str
    ids: list[Any]
    arguments: dict[str, Any]

    def __str__(self) -> str:
        arguments = [str(self.ids)] if self.ids else []
        arguments += [f"{name}={value!r}" for name, value in self.arguments.items()]
        return f"{self.model}.{self.method}({', '.join(arguments)})"


@attrs.frozen(kw_only=True)
class PlannedChange(Shown):
    """A value that would be changed.

    Attributes:
        id: of the record.
        field: of the record; in an import the column of the rows.
        now: what it holds, as ``read`` returns it.
        then: what would be written; in an import what the row has.
        row: the number of the row of an import.
    """

    id: int
    field: str
    now: Any
    then: Any
    row: int | None = None


@attrs.frozen(kw_only=True)
class Plan(Shown):
    """The answer to ``dry_run``: names are resolved and states checked; nothing was written.

    What Odoo itself would refuse is only known when it is asked.

    Attributes:
        needs: what it takes to do it, where the mode of this connection does not allow it.
        calls: what would be sent, in order.
        changes: of a change of fields, the values before and after it.
        warnings: what would go otherwise than asked.
        undo: what could be taken back of it afterwards, see :func:`odoo_toolkit.undo`.
    """

    dry_run: bool = attrs.field(repr=False)
    message: str
    needs: str | None = None
    calls: list[PlannedCall]
    changes: list[PlannedChange] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    undo: Undo | None = None


def planned(
    odoo: Odoo,
    calls: Sequence[Call],
    would: str,
    *,
    changes: Sequence[PlannedChange] = (),
    warnings: Sequence[str] = (),
) -> Plan:
    """Return the plan of some calls, after asking the policy about each.

    Args:
        odoo: the connection.
        calls: what would be sent, in order.
        would: a sentence that says what would be done.
        changes: the values before and after it.
        warnings: what would go otherwise than asked.

    Raises:
        AccessError: the policy forbids a call in every mode.
    """
    for call in calls:
        odoo.check(call, planned=True)
    return Plan(
        dry_run=True,
        message=would,
        needs=_needs(odoo, calls),
        calls=[
            PlannedCall(
                model=call.model,
                method=call.method,
                ids=list(call.ids or ()),
                arguments=_by_name(call),
            )
            for call in calls
        ],
        changes=list(changes),
        warnings=list(warnings),
    )


def _with_undo(odoo: Odoo, plan: Any) -> Any:
    """Return a plan with what could be taken back of it."""
    if not isinstance(plan, Plan) or not plan.calls or plan.undo:
        return plan
    version = odoo.version.major
    calls = [(call.model, call.method, call.arguments) for call in plan.calls]
    told = foretold(calls, version, lambda model: known_wizard(model, version) is not None)
    return attrs.evolve(plan, undo=told)


def _by_name(call: Call) -> dict[str, Any]:
    """Return the arguments; those that have no name are numbered."""
    unnamed = {f"argument {place}": value for place, value in enumerate(call.positional, 1)}
    return {**unnamed, **call.arguments}


def _needs(odoo: Odoo, calls: Sequence[Call]) -> str | None:
    """Return what the mode keeps this connection from doing, and what that takes."""
    # In full mode nothing is allowed to plans that is not allowed to calls.
    for call in calls if odoo.policy.mode != "full" else ():
        refusal = odoo.refusal(call)
        if refusal is None:
            continue
        # In full mode it passed: what else refuses it here is closed to other modes only.
        takes = 'It needs full mode: Policy(mode="full").'
        suggestion = refusal.suggestion if refusal.code == "MODE_VIOLATION" else takes
        return f"{refusal.message.rstrip('.')}. {suggestion}"
    return None


# Functions that have plans ---------------------------------------------------------------------


class Planning(Protocol[P, R_co, S_co]):
    """What does something, or only tells what it would do.

    Its result depends on ``dry_run``, and type checkers know it. What Python's typing cannot say
    is "the same parameters with ``dry_run=True``" (PEP 612 has no keyword between ``*args`` and
    ``**kwargs``): with the keyword the result alone is typed, in :meth:`Operation.plan` the
    arguments are checked, too.
    """

    @overload
    def __call__(self, *args: Any, dry_run: Literal[True], **kwargs: Any) -> S_co: ...
    @overload
    def __call__(self, *args: Any, dry_run: Literal[False], **kwargs: Any) -> R_co: ...
    @overload
    def __call__(self, *args: Any, dry_run: bool, **kwargs: Any) -> R_co | S_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class Operation(Planning[P, R_co, S_co], Protocol):
    """A function that does something, or only tells what it would do."""

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> S_co:
        """Return what would be done with the same arguments: names resolved, nothing written."""
        ...


def operation(function: Callable[P, R | Plan]) -> Operation[P, R, Plan]:
    """Give a function with the keyword ``dry_run`` its types, and :meth:`Operation.plan`.

    It stays the function that it is: its signature, its annotations, how it is pickled.
    """
    return operation_with(Plan)(function)


def operation_with(plan_class: type[S]) -> Callable[[Callable[P, R | S]], Operation[P, R, S]]:
    """Do the same for a function whose plans say more, in a class of their own."""

    def decorated(operates: Callable[P, R | S]) -> Operation[P, R, S]:
        name = operates.__qualname__

        @functools.wraps(operates)
        def function(odoo: Odoo, *args: Any, **kwargs: Any) -> Any:
            act = cast(Any, operates)
            if kwargs.get("dry_run"):
                return _with_undo(odoo, act(odoo, *args, **kwargs))
            if not isinstance(odoo.journal, Journal):
                return act(odoo, *args, **kwargs)
            with odoo.journal.operation(odoo, name) as recording:
                result = act(odoo, *args, **kwargs)
                recording.entry.message = str(getattr(result, "message", ""))[:_LONGEST]
            return result

        def plan(*args: Any, **kwargs: Any) -> Any:
            return cast(Any, function)(*args, **{**kwargs, "dry_run": True})

        plan.__module__, plan.__qualname__ = function.__module__, f"{name}.plan"
        plan.__doc__ = (
            f"Return what :func:`{name}` would do with the same arguments; write nothing."
        )
        function.plan = plan  # type: ignore[attr-defined]
        return cast("Operation[P, R, S]", function)

    return decorated
