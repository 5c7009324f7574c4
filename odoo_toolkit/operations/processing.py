"""Several orders in one call, each taken through the stages of its app; the others go on.

An app states its stages: what is asked of the policy, what is left to be done to an order, and how
to see what came of it. The dry run goes the same way and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import attrs

from odoo_toolkit.call import LATER
from odoo_toolkit.change_history.recording import current
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError, StateError, invalid, make_error
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    currency_of,
    find_ids,
    is_locked,
    not_found,
    read,
    read_all,
    read_rows,
    state_error,
)
from odoo_toolkit.operations.lines import checked_day
from odoo_toolkit.operations.steps import AnyStep, permit
from odoo_toolkit.plans import Plan, PlannedCall, merged
from odoo_toolkit.progress import Steps, quietly
from odoo_toolkit.records.names import AmbiguousNameError, Wanted
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import is_id, short_repr

#: Does one thing; ``dry_run=True`` returns its plan.
Action = Callable[..., Any]

#: Most orders of one call.
MOST_ORDERS = 50

#: Rounds of one stage: a way through a warehouse has few.
_MOST_ROUNDS = 12

#: Kinds of errors after which the next order would fare no better.
ENDS = ("connection", "rate_limit")


@attrs.frozen(kw_only=True)
class Stage:
    """One step of the way.

    Attributes:
        allowed: what the policy is asked about, as by the operation itself.
        left: finds what is to be done to an order's row, with the arguments of the call that are
            for this step; a text says why nothing is.
        made: returns what came of an action, or raises StateError where Odoo did not do it.
        then: what a dry run says where it depends on the steps before.
        again: whether doing it may leave more to be done.
    """

    allowed: Sequence[AnyStep]
    left: Callable[[Odoo, Row, Mapping[str, Any]], list[Action] | str]
    made: Callable[[Odoo, Row, Any], list[RecordName]]
    then: str
    again: bool = False


@attrs.frozen(kw_only=True)
class Outcome(Shown):
    """What became of one order, see the class of each app."""

    id: int
    name: str
    done: dict[str, list[RecordName]] = attrs.Factory(dict)
    not_needed: dict[str, str] = attrs.Factory(dict)
    actions: dict[str, str] = attrs.Factory(dict)
    stopped_at: str | None = None
    error: dict[str, Any] | None = None
    tried: bool = True
    state: str | None = None
    invoice_status: str | None = None
    amount_untaxed: float | None = None
    amount_total: float | None = None
    amount_due: float | None = None
    currency: str | None = None
    warnings: list[str] = attrs.Factory(list)

    @property
    def complete(self) -> bool:
        """Whether each step was done or was not needed."""
        return self.tried and self.stopped_at is None


R_co = TypeVar("R_co", covariant=True)


@attrs.frozen(kw_only=True)
class Way(Generic[R_co]):
    """The way of the orders of an app.

    Attributes:
        document: the orders.
        stages: by name, in the order in which they are made.
        outcome: the class of what becomes of an order.
        result, plan: the classes of what becomes of all of them, and of a dry run.
        after: what is known of an order's row afterwards: its invoices, and what is left to pay.
        paying: finds the journal that pays the orders of rows, by its id or name.
    """

    document: Document
    stages: Mapping[str, Stage]
    outcome: type[Outcome]
    result: Callable[..., R_co]
    plan: type[Plan]
    after: Callable[[Odoo, Row], Mapping[str, Any]]
    paying: Callable[[Odoo, Any, Sequence[Row]], int | None]


def check_confirmed(
    document: Document, states: Sequence[str], todos: Mapping[str, str], row: Row
) -> None:
    """Refuse what needs a confirmed order of any other.

    Args:
        document: the orders.
        states: of those that are confirmed.
        todos: what to do instead, by state, where that is not to confirm it.
        row: of the order.
    """
    state = row["state"]
    if state not in states:
        todos = {"cancel": "A cancelled order cannot be processed further.", **todos}
        message = f"{row['name']} is not a confirmed order (state {state})."
        todo = todos.get(state, "Confirm it first with confirm_order or the confirm step.")
        raise state_error(document, row, message, todo)


def check_confirmable(document: Document, row: Row, again: str, documents: str) -> None:
    """Refuse to confirm an order that is not a quotation, or has no lines.

    Args:
        document: the orders.
        row: of the order.
        again: what to do with a cancelled one.
        documents: what confirming it makes, for the message.
    """
    name, state = row["name"], row["state"]
    if state == "cancel":
        message, todo = f"{name} is cancelled (state cancel).", again
    elif state not in ("draft", "sent"):
        message = f"{name} is already confirmed (state {state})."
        todo = f"Nothing needs to be done; get_order shows its {documents}."
    elif not row["order_line"]:
        message = f"{name} has no lines, so there is nothing to confirm (state {state})."
        todo = "Add lines to it first."
    else:
        return
    raise state_error(document, row, message, todo)


def check_unlocked(document: Document, row: Row, todo: str) -> None:
    """Refuse to cancel an order that is locked, and say what to do first."""
    if is_locked(row):
        message = f"{row['name']} is locked, so it cannot be cancelled."
        raise state_error(document, row, message, todo)


def confirming(
    document: Document, states: Sequence[str], step: AnyStep, confirm: Action, transfers: str
) -> Stage:
    """Return the stage that confirms orders; ``transfers`` is the attribute of what that makes."""

    def left(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
        if row["state"] in states:
            return f"It is already confirmed (state {row['state']})."
        return [partial(confirm, odoo, order_id=row["id"])]

    def made(odoo: Odoo, row: Row, result: Any) -> list[RecordName]:
        if result.state not in (None, *states):
            raise not_done(document, row, result.message, result.warnings)
        return [RecordName(id=one.id, name=one.name) for one in getattr(result, transfers) or ()]

    return Stage(allowed=(step,), left=left, made=made, then="")


def checked_steps(steps: Any, stages: Mapping[str, Stage]) -> list[str]:
    """Return the steps asked for, in the order of the stages.

    Raises:
        ValidationError: one is no step, or there are none.
    """
    given = plain(steps)
    if isinstance(given, str):
        given = [given]
    unknown = (
        [item for item in given if item not in [*stages]] if isinstance(given, list) else [given]
    )
    if unknown or not given:
        raise make_error(
            "INVALID_SELECTION",
            f"{short_repr(unknown[0])} is not a step of an order."
            if unknown
            else "The list of steps is empty.",
            suggestion=f"Choose from {', '.join(stages)}.",
            details={"field": "steps", "allowed": list(stages)},
        )
    return [name for name in stages if name in given]


def only_for(step: str, asked: Sequence[str], **arguments: Any) -> None:
    """Refuse arguments of a step that is not asked for.

    Raises:
        ValidationError: one was given.
    """
    if step not in asked and (given := [name for name, value in arguments.items() if value]):
        raise invalid(
            given[0],
            f"{given[0]} needs the step {step}, which is not in steps.",
            f"Omit it, or add {step} to the steps.",
        )


def process(
    odoo: Odoo,
    way: Way[R_co],
    orders: Any,
    steps: Any,
    options: Mapping[str, dict[str, Any]],
    *,
    dry_run: bool,
) -> R_co | Plan:
    """Take orders through the steps asked for.

    Args:
        odoo: the connection.
        way: of the app.
        orders: 1 to 50 ids and numbers, see :func:`find_orders`.
        steps: those asked for.
        options: the arguments that are for one step only, by its name; of ``pay``, the journal.
        dry_run: whether to plan only.

    Raises:
        AccessError: the policy does not allow one of the steps.
        OdooError: an argument is wrong, or there is no such order. Nothing was written.
    """
    asked = checked_steps(steps, way.stages)
    allowed = (step for name in asked for step in way.stages[name].allowed)
    permit(odoo, *allowed, dry_run=dry_run)
    for name, given in options.items():
        only_for(name, asked, **given)
    how = {
        name: {key: _checked(key, value) for key, value in given.items()}
        for name, given in options.items()
    }
    fields = dict.fromkeys((*way.document.fields, "company_id"))
    named = attrs.evolve(way.document, argument="orders", fields=tuple(fields))
    rows = find_orders(odoo, named, orders)
    how["pay"]["journal_id"] = way.paying(odoo, how["pay"]["journal_id"], rows)
    progress = Steps(len(rows) + 1)
    progress.finish(1, "Checked")
    outcomes: list[Outcome] = []
    plans: list[Plan] | None = [] if dry_run else None
    lost = False
    for row in rows:
        if lost:
            outcomes.append(way.outcome(id=row["id"], name=row["name"], tried=False))
            continue
        with quietly():
            outcome = _process(odoo, way, row, asked, how, plans)
        outcomes.append(outcome)
        lost = _ends(outcome)
        where = f"stopped at {outcome.stopped_at}" if outcome.stopped_at else "through"
        progress.finish(1, f"{row['name']}: {where}")
    if (recording := current()) and not all(outcome.complete for outcome in outcomes):
        recording.stopped = True
    message = _message(outcomes, dry_run)
    if plans is None:
        return way.result(message=message, orders=outcomes)
    return merged(way.plan, plans, message=message, orders=outcomes)


def _checked(name: str, value: Any) -> Any:
    return checked_day(value, name) if name.endswith("_date") else value


def _process(
    odoo: Odoo,
    way: Way[Any],
    found: Row,
    asked: Sequence[str],
    how: Mapping[str, Any],
    plans: list[Plan] | None,
) -> Outcome:
    """Take one order through the steps, or add to ``plans`` what would be; it never fails."""
    outcome = way.outcome(id=found["id"], name=found["name"])
    row: Row | None = None
    name = asked[0]
    try:
        for name in asked:
            # What happened since it was found is not to be done again. What is read after a step
            # is read for the next one: the step is done, whether or not that can be read.
            row = row or read(odoo, way.document, found["id"])
            if outcome.actions:
                outcome.actions[name] = way.stages[name].then
                if plans is not None:
                    plans.append(_later(odoo, way.stages[name]))
            else:
                row = _take(odoo, way, row, name, how, plans, outcome)
    except OdooError as error:
        outcome = attrs.evolve(outcome, stopped_at=name, error=error.to_dict())
    if _ends(outcome):
        outcome.warnings.append("Its current state is unknown. Check it first.")
        return outcome
    return _afterwards(odoo, way, row, outcome)


def _later(odoo: Odoo, stage: Stage) -> Plan:
    """Return what a stage may send after those before it, on records that are found then."""
    calls = [
        PlannedCall(model=call.model, method=call.method, ids=[LATER], arguments={})
        for step in stage.allowed
        for call in step.calls(odoo, (0,))
    ]
    return Plan(dry_run=True, message="", calls=calls)


def _take(
    odoo: Odoo,
    way: Way[Any],
    row: Row,
    name: str,
    how: Mapping[str, Any],
    plans: list[Plan] | None,
    outcome: Outcome,
) -> Row | None:
    """Do or plan one step, and return the order's row as it is then; None if it is to be read."""
    stage = way.stages[name]
    for _ in range(_MOST_ROUNDS):
        left = stage.left(odoo, row, how.get(name, {}))
        if isinstance(left, str):
            if name not in outcome.done:
                outcome.not_needed[name] = left
            return row
        for act in left:
            result = act(dry_run=plans is not None)
            if isinstance(result, Plan):
                if plans is not None:
                    plans.append(result)
                said = f"{outcome.actions.get(name, '')} {result.message}"
                outcome.actions[name] = said.strip()
                continue
            made = stage.made(odoo, row, result)
            outcome.done.setdefault(name, []).extend(made)
            outcome.warnings.extend(result.warnings)
        if plans is not None:
            if stage.again and left:
                plans.append(_later(odoo, stage))
            return row
        if not stage.again:
            return None
        row = read(odoo, way.document, row["id"])
    raise StateError(
        f"After {_MOST_ROUNDS} rounds, there is still something to {name}.",
        suggestion="Check the order in Odoo.",
    )


def _afterwards(odoo: Odoo, way: Way[Any], row: Row | None, outcome: Outcome) -> Outcome:
    """Add how the order is now; what cannot be read is a warning."""
    try:
        if row is None or outcome.stopped_at:
            # It may have changed before it stopped.
            row = read(odoo, way.document, outcome.id)
        outcome = attrs.evolve(
            outcome,
            state=row["state"],
            invoice_status=row["invoice_status"],
            amount_untaxed=row["amount_untaxed"],
            amount_total=row["amount_total"],
            currency=currency_of(row),
        )
        return attrs.evolve(outcome, **way.after(odoo, row))
    except OdooError as error:
        outcome.warnings.append(f"Its current state cannot be read: {error.message}")
        return outcome


def not_done(document: Document, row: Row, message: str, warnings: Sequence[str]) -> StateError:
    """Return the error for a step that Odoo did not do."""
    told = " ".join([message, *warnings])
    return state_error(document, row, told, "Check it in Odoo, then repeat this call.")


def unseen(odoo: Odoo, number: int) -> None:
    """Steps that are only asked of the policy are not looked for."""


def _ends(outcome: Outcome) -> bool:
    return outcome.error is not None and outcome.error["category"] in ENDS


def _message(outcomes: Sequence[Outcome], dry_run: bool) -> str:
    through = [item for item in outcomes if item.complete]
    could = "can go through, as far as is known" if dry_run else "went through"
    parts = [f"{len(through)} of {len(outcomes)} orders {could}"]
    parts += [
        f"{item.name} {'would stop' if dry_run else 'stopped'} at {item.stopped_at}"
        for item in outcomes
        if item.stopped_at
    ]
    if left := [item.name for item in outcomes if not item.tried]:
        parts.append(f"Odoo could no longer be reached. Skipped: {', '.join(left)}")
    told = "; ".join(parts) + "."
    return f"Nothing was written. {told}" if dry_run else told


# The orders meant -------------------------------------------------------------------------------


def find_orders(odoo: Odoo, document: Document, orders: Any, argument: str = "orders") -> list[Row]:
    """Return the rows of the orders meant, in one round trip where their numbers are exact.

    Args:
        odoo: the connection.
        document: what they are.
        orders: 1 to 50 ids and numbers; digits are an id, or a number where such an order is.
        argument: that they were given as, for messages.

    Raises:
        ValidationError: there are none or too many, one is given twice, or one is no id or number.
        AmbiguousNameError: one means several.
        NotFoundError: there is no such order.
    """
    given = plain(orders)
    if not isinstance(given, list) or not 0 < len(given) <= MOST_ORDERS:
        raise invalid(
            argument,
            f"{argument} must be a list of 1 to {MOST_ORDERS} ids or numbers.",
            "Pass a list such as ['S00012']. Split a longer list.",
        )
    said = [item.strip() if isinstance(item, str) else item for item in given]
    for index, item in enumerate(said):
        if not item or not (isinstance(item, str) or is_id(item)):
            raise invalid(
                f"{argument}[{index}]",
                f"{argument}[{index}] is {short_repr(item)}, which is neither an id nor a name.",
            )
    ids = [number for item in said if (number := _as_id(item))]
    names = [item for item in said if isinstance(item, str)]
    exact = ["|", ["id", "in", ids], ["name", "in", names]]
    rows = read_rows(odoo, document.model, exact, document.fields)
    meant: dict[int, Row] = {}
    named: dict[int, Wanted] = {}
    missing: list[int] = []
    for index, item in enumerate(said):
        found = [row for row in rows if row["id"] == _as_id(item) or row["name"] == item]
        if len(found) == 1:
            meant[index] = found[0]
        elif found:
            # Also where digits are the number of one order and the id of another one.
            matches = [RecordName(id=row["id"], name=row["name"]) for row in found]
            raise AmbiguousNameError(f"{argument}[{index}]", item, document.model, matches)
        elif number := _as_id(item):
            missing.append(number)
        else:
            named[index] = Wanted(model=document.model, field=f"{argument}[{index}]", name=item)
    if missing:
        raise not_found(document, missing)
    if named:
        found_ids = find_ids(odoo, document, list(named.values()))
        meant |= dict(zip(named, read_all(odoo, document, found_ids), strict=True))
    return _once([meant[index] for index in range(len(said))], argument)


def _as_id(item: int | str) -> int | None:
    number = int(item) if isinstance(item, str) and item.isdecimal() else item
    return number if isinstance(number, int) and is_id(number) else None


def _once(rows: list[Row], argument: str) -> list[Row]:
    first: dict[int, int] = {}
    for index, row in enumerate(rows):
        if row["id"] in first:
            raise invalid(
                f"{argument}[{index}]",
                f"{argument}[{first[row['id']]}] and {argument}[{index}] are both {row['name']}.",
                "List each one once.",
                id=row["id"],
            )
        first[row["id"]] = index
    return rows
