"""Several changes as one plan: checked before the first change, and undone if one fails.

Odoo has no call for this. Each item is sent by itself, so other users may see a part of the batch.
The undo works as in :func:`odoo_toolkit.undo`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import DryRun, readable_signatures
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import LATER, REFERENCE, referring, stood_in
from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.entries import GONE
from odoo_toolkit.change_history.recording import Recording, current
from odoo_toolkit.change_history.undo_preview import Extent, foretold, policy_of
from odoo_toolkit.client import Odoo, checked_calls
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import (
    ConfigurationError,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
    make_error,
)
from odoo_toolkit.plans import (
    Plan,
    PlannedCall,
    PlannedChange,
    PlannedDocument,
    by_name,
    folded,
    operation_with,
)
from odoo_toolkit.progress import OperationCancelled, Steps, checkpoint, quietly, undisturbed
from odoo_toolkit.undoing.functions import take_back, unconfirmed, undo, undo_since
from odoo_toolkit.values.plain_text import counted
from odoo_toolkit.values.scalars import short_repr
from odoo_toolkit.wizards.catalog import known_wizard

#: Most items of one batch.
MOST_ITEMS = 50

Item = tuple[Callable[..., Any], Mapping[str, Any]]


@attrs.frozen(kw_only=True)
class BatchItem(Shown):
    """One item of a batch.

    Attributes:
        item: Number of the item, starting at 1.
        operation: Name of the function.
        message: What it did, or would do.
        possible: How far it can be undone: ``full``, ``partial`` or ``none``. None if this is known
            only when its turn comes. In a plan, ``none`` also if the item would be rejected.
        result: Result of the function, without its message and warnings. None in a plan.
        calls: In a plan, the calls of the item, if no document shows what they do.
    """

    item: int
    operation: str
    message: str
    possible: Extent | None = None
    result: Any = None
    calls: list[PlannedCall] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class BatchResult(Shown):
    """The result of a batch.

    Attributes:
        items: All items with their results.
        warnings: Warnings of the items, with their numbers.
    """

    items: list[BatchItem]
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class BatchPlan(Plan):
    """The plan of a batch. Nothing was written.

    Attributes:
        items: All items.
        rejected: True if Odoo would reject an item. Then no item would run, and ``calls`` is empty.
        message, needs, warnings, calls, undo: See :class:`~odoo_toolkit.Plan`.
    """

    items: list[BatchItem]
    rejected: bool = False


@attrs.frozen(kw_only=True)
class _Planned:
    """An item, and what its own dry run says; None where it needs what an earlier one makes.

    Then ``calls`` is what of it is known all the same.
    """

    number: int
    name: str
    function: Any
    arguments: Mapping[str, Any]
    plan: Any = None
    calls: list[PlannedCall] = attrs.Factory(list)

    @property
    def label(self) -> str:
        return f"Item {self.number} ({self.name})"

    @property
    def rejected(self) -> bool:
        """Whether its plan says that it would be."""
        return bool(getattr(self.plan, "rejected", False))


@operation_with(BatchPlan)
def batch(
    odoo: Odoo,
    items: Sequence[Item],
    *,
    allow_irreversible: bool = False,
    dry_run: DryRun = False,
) -> BatchResult | BatchPlan:
    """Make several changes in order. If one fails, undo the others.

    >>> batch(  # doctest: +SKIP
    ...     odoo,
    ...     [
    ...         (create, {"model": "res.partner", "values": {"name": "Azure Interior"}}),
    ...         (write, {"model": "crm.lead", "ids": [7],
    ...                  "values": {"partner_id": {"id_of_item": 1}}}),
    ...     ],
    ... )

    The connection must have a change history. Before it sends the first item, the toolkit makes a
    dry run of every item. The dry runs check the policy, the names, the states and the values. The
    items are one entry of the change history.

    A batch is not one transaction. Other users can see the changes before the batch ends, and may
    build on them.

    Args:
        items: Up to 50 pairs of a function that writes and its arguments by name. ``{"id_of_item":
            1}`` is the id of the record that item 1 creates. An item that contains it is checked
            when its turn comes.
        allow_irreversible: True if an item that can't be undone, or only in part, may come before
            other items. The last item may always be irreversible.

    Raises:
        ConfigurationError: The connection has no change history.
        OdooError: An item failed. ``details["item"]`` has its number. If it was sent, ``details``
            also lists what was undone, what is ``left``, and what is ``not_undone``. The outcome is
            ``maybe_applied`` if something is left, otherwise ``rolled_back``.
        OperationCancelled: The caller no longer waits. The changes were undone.
    """
    recording = current()
    if not isinstance(odoo.history, History):
        raise ConfigurationError(
            "A batch needs a change history, but this connection has none, so nothing could be "
            "undone.",
            suggestion="Pass the path of a file to connect as history.",
            outcome="not_sent",
        )
    asked = _read(items)
    planned = _all_planned(odoo, asked)
    plan = _plan(odoo, planned)
    if dry_run or recording is None:
        return plan
    for item in planned:
        _check_rejected(item)
    for item in planned[:-1]:
        _check_irreversible(item, allow_irreversible)
    _check_mode(planned)
    return _run(odoo, recording, planned, allow_irreversible)


# Before the first is sent ----------------------------------------------------------------------


def _read(items: Sequence[Item]) -> list[_Planned]:
    """Return the items, after looking at their form."""
    if not 1 <= len(items) <= MOST_ITEMS:
        raise ValidationError(
            f"A batch must have 1 to {MOST_ITEMS} items, got {len(items)}.",
            suggestion="Split the items into several batches.",
            outcome="not_sent",
        )
    found = []
    for number, given in enumerate(items, 1):
        match given:
            case (function, Mapping() as arguments):
                pass
            case _:
                raise ValidationError(
                    f"Item {number} is not valid: {short_repr(given)}.",
                    suggestion="Pass a function and its arguments, such as (create, {'model': "
                    "...}).",
                    outcome="not_sent",
                )
        name = getattr(function, "__name__", str(function))
        item = _Planned(number=number, name=name, function=function, arguments=arguments)
        if problem := _mistake(item):
            raise _at(item, problem)
        found.append(item)
    return found


def _mistake(item: _Planned) -> ValidationError | None:
    """Return what is wrong with the form of an item."""
    if item.function in (batch, undo, undo_since) or not hasattr(item.function, "plan"):
        return ValidationError(
            f"{item.name} cannot be part of a batch.",
            suggestion="Use functions that write and support dry_run, such as create, write or "
            "confirm_order. A batch cannot contain batch or undo.",
        )
    signature = inspect.signature(item.function)
    try:
        signature.bind(None, **item.arguments)
    except TypeError as error:
        return ValidationError(
            f"{str(error).capitalize()}.",
            suggestion=f"Its arguments are: {', '.join([*signature.parameters][1:])}.",
        )
    if own := {"idempotency_key", "dry_run"} & item.arguments.keys():
        return ValidationError(
            f"An item does not accept {' and '.join(sorted(own))}.",
            suggestion="Pass the argument to the batch instead.",
        )
    for earlier in _references(item.arguments):
        if not (type(earlier) is int and 1 <= earlier < item.number):
            return ValidationError(
                f"{REFERENCE} {earlier!r} is not the number of an earlier item.",
                suggestion="Pass the number of an earlier item. The first item is 1.",
            )
    return None


def _all_planned(odoo: Odoo, items: Sequence[_Planned]) -> list[_Planned]:
    """Return the items with what their dry runs say; all that is wrong is told at once."""
    planned, errors = [], []
    with quietly():
        for item in items:
            try:
                waits = any(True for _ in _references(item.arguments))
                looks = _rehearsed if waits else _looked_at
                planned.append(looks(odoo, item, item.arguments))
            except OdooConnectionError:
                raise
            except OdooError as error:
                if isinstance(error, (NotFoundError, StateError)) and item.number > 1:
                    error.suggestion += (
                        " The toolkit checks each item against Odoo's current state. If "
                        "an earlier item creates the record, refer to it by "
                        f'{{"{REFERENCE}": number}}. If an earlier item changes the state, '
                        "run this item after the batch."
                    )
                errors.append(_at(item, error))
    if errors:
        first, *others = errors
        first.message += "".join(f" {error.message}" for error in others)
        raise first
    return planned


def _looked_at(odoo: Odoo, item: _Planned, arguments: Mapping[str, Any]) -> _Planned:
    plan = item.function.plan(odoo, **arguments)
    if failed := _failed_rows(plan):
        raise ValidationError(failed, suggestion="Correct these rows. A batch cannot skip rows.")
    return attrs.evolve(item, plan=plan)


def _rehearsed(odoo: Odoo, item: _Planned, arguments: Mapping[str, Any]) -> _Planned:
    """Return an item that needs what an earlier one makes with what it would send.

    Its own dry run is begun with an id that no record has, and what it asks the policy about is
    noted: the calls of a caller as they are, those of an operation without their records.
    """
    with checked_calls() as heard:
        try:
            calls = item.function.plan(odoo, **stood_in(arguments)).calls
        except OdooConnectionError:
            raise
        except OdooError:
            made = [wired(call) for call in heard if not call.reads]
            calls = [
                PlannedCall(
                    model=call.model,
                    method=call.method,
                    ids=[LATER] if call.step else list(call.ids or ()),
                    arguments={} if call.step else by_name(call),
                )
                for call in made
            ]
    if not calls:
        calls = [PlannedCall(model="", method=item.name, ids=[LATER], arguments={**arguments})]
    shown = [
        attrs.evolve(one, ids=referring(one.ids), arguments=referring(one.arguments))
        for one in calls
    ]
    return attrs.evolve(item, calls=shown)


def _plan(odoo: Odoo, items: Sequence[_Planned]) -> BatchPlan:
    shown: list[BatchItem] = []
    calls: list[PlannedCall] = []
    documents: list[PlannedDocument] = []
    changes: list[PlannedChange] = []
    warnings: list[str] = []
    changed_by: dict[tuple[str, Any], int] = {}
    for item in items:
        if item.plan is None:
            message = "is only checked after earlier items have created its records."
            said = f"I{message[1:]}"
            shown.append(
                BatchItem(item=item.number, operation=item.name, message=said, calls=item.calls)
            )
            warnings.append(f"{item.label} {message}")
            calls += item.calls
            continue
        irreversible = "" if item.rejected else _irreversible(item)
        own, told = getattr(item.plan, "calls", []), getattr(item.plan, "documents", [])
        shown.append(
            BatchItem(
                item=item.number,
                operation=item.name,
                message=item.plan.message,
                possible=_possible(item),
                calls=[] if told or item.rejected else folded(own),
            )
        )
        records = {(call.model, id_) for call in own for id_ in call.ids if type(id_) is int}
        if both := records & changed_by.keys():
            warnings.append(
                f"{item.label}: item {min(changed_by[each] for each in both)} changes the same "
                "record first. The plan shows the amounts and states of this item without that "
                "change."
            )
        changed_by = {**dict.fromkeys(records, item.number), **changed_by}
        calls += own
        documents += told
        changes += getattr(item.plan, "changes", [])
        warnings += [f"{item.label}: {text}" for text in getattr(item.plan, "warnings", ())]
        if irreversible and item.number < len(items):
            warnings.append(
                f"{item.label} needs allow_irreversible, because other items follow it: "
                f"{irreversible}"
            )
    message = f"Would run {counted(len(items), 'item')}."
    if rejected := [item.label for item in items if item.rejected]:
        calls = []
        message = f"{', '.join(rejected)} would be rejected, so the batch would not run."
    version = odoo.version.major
    undo_told = foretold(
        ((call.model, call.method, call.arguments) for call in calls),
        version,
        lambda model: known_wizard(model, version) is not None,
        refused=policy_of(odoo),
    )
    if late := [str(item.number) for item in items if item.plan is None]:
        not_undone = [
            *undo_told.not_undone,
            f"The toolkit cannot check yet how to undo item {', '.join(late)}.",
        ]
        possible: Extent = "partial" if calls else "none"
        undo_told = attrs.evolve(undo_told, possible=possible, not_undone=not_undone)
    return BatchPlan(
        undo=None if rejected else undo_told,
        dry_run=True,
        message=message,
        needs=next((n for i in items if (n := getattr(i.plan, "needs", None))), None),
        items=shown,
        calls=calls,
        documents=documents,
        changes=changes,
        warnings=warnings,
        rejected=bool(rejected),
    )


def _possible(item: _Planned) -> Extent | None:
    if item.rejected:
        return "none"
    told = getattr(item.plan, "undo", None)
    if told is None:
        return "full" if getattr(item.plan, "calls", None) == [] else None
    possible: Extent = told.possible
    return possible


def _irreversible(item: _Planned) -> str:
    """Say what of an item could not be taken back; nothing where all could be."""
    possible = _possible(item)
    if possible == "full":
        return ""
    if possible is None:
        return "the toolkit cannot check beforehand whether it can be undone."
    told = getattr(item.plan, "undo", None)
    some = "cannot be undone" if possible == "none" else "can only be partially undone"
    return " ".join([f"it {some}.", *(told.not_undone if told else ())])


def _check_irreversible(item: _Planned, allowed: bool) -> None:
    if allowed or item.plan is None or not (why := _irreversible(item)):
        return
    raise _at(
        item,
        StateError(
            f"{why[0].upper()}{why[1:]} Other items follow it, and one of them may fail.",
            suggestion="Move this item to the end. If it may stay when a later item fails, pass "
            "allow_irreversible=True.",
        ),
    )


def _check_rejected(item: _Planned) -> None:
    if item.rejected:
        told = " ".join([item.plan.message, *item.plan.warnings])
        raise _at(item, StateError(told, suggestion="Correct or omit this item."))


def _check_mode(items: Sequence[_Planned]) -> None:
    for item in items:
        if needs := getattr(item.plan, "needs", None):
            raise _at(item, make_error("MODE_VIOLATION", needs))


# Doing it --------------------------------------------------------------------------------------


def _run(
    odoo: Odoo, recording: Recording, items: Sequence[_Planned], allow_irreversible: bool
) -> BatchResult:
    results: list[Any] = []
    steps = Steps(len(items))
    recording.whole = True
    item = items[0]
    try:
        for item in items:
            checkpoint()
            start = len(recording.entry.writes)
            with quietly():
                arguments = _filled(item, item.arguments, results)
                if item.plan is None:
                    late = _looked_at(odoo, item, arguments)
                    _check_rejected(late)
                    _check_mode([late])
                    if item is not items[-1]:
                        _check_irreversible(late, allow_irreversible)
                result = item.function(odoo, **arguments)
            _check_done(result, recording, start)
            results.append(result)
            steps.finish(1, f"{item.label}: {_message(result)}")
    except (Exception, KeyboardInterrupt) as error:
        told = _taken_back(odoo, recording, item, error)
        if told is error:
            raise
        raise told from error
    shown = [
        BatchItem(
            item=each.number, operation=each.name, message=_message(result), result=_brief(result)
        )
        for each, result in zip(items, results, strict=True)
    ]
    message = f"Ran {counted(len(items), 'item')}"
    # The change history has no items.
    recording.entry.message = f"{message}: " + " ".join(f"{i.item}. {i.message}" for i in shown)
    return BatchResult(
        items=shown,
        message=f"{message}.",
        warnings=[
            f"{each.label}: {text}"
            for each, result in zip(items, results, strict=True)
            for text in getattr(result, "warnings", ())
        ],
    )


def _check_done(result: Any, recording: Recording, start: int) -> None:
    """Refuse a result that says that a part was not done.

    Raises:
        StateError: so it is.
    """
    refused = [
        f"Odoo rejected {write.method} of {write.model}."
        for write in recording.entry.writes[start:]
        if write.outcome in ("refused", "doubtful")
    ]
    if failed := _failed_rows(result):
        refused.append(failed)
    if refused:
        told = [*dict.fromkeys(refused), *getattr(result, "warnings", ())]
        raise StateError(
            " ".join(map(str, told)), suggestion="Correct the item, then run the whole batch again."
        )


def _failed_rows(result: Any) -> str:
    """Say which rows or documents of a result have failed by themselves."""
    problems = []
    if getattr(result, "failed", None):
        problems += [str(problem) for problem in result.problems[:5]]
    if interrupted := getattr(result, "interrupted", None):
        problems.append(str(interrupted))
    if not_posted := getattr(result, "not_posted", None):
        problems.append(f"Not posted on {', '.join(map(str, not_posted))}.")
    lists = [getattr(result, field.name) for field in attrs.fields(type(result))]
    for one in (one for each in lists if isinstance(each, list) for one in each):
        if error := getattr(one, "error", None):
            problems.append(f"{getattr(one, 'name', '')}: {error['message']}".removeprefix(": "))
    return " ".join(problems)


def _message(result: Any) -> str:
    return str(getattr(result, "message", "") or result)


def _brief(result: Any) -> Any:
    """Return a result without what the batch itself says of it."""
    said = {"message": "", "warnings": []}
    fields = {field.name for field in attrs.fields(type(result))}
    return attrs.evolve(result, **{name: said[name] for name in said.keys() & fields})


def _taken_back(
    odoo: Odoo, recording: Recording, item: _Planned, error: BaseException
) -> BaseException:
    """Take back what was done, and return the error that says so."""
    entry = recording.entry
    if not any(write.outcome not in GONE for write in entry.writes):
        return _at(item, error) if isinstance(error, OdooError) else error
    with undisturbed():
        taken = take_back(odoo, entry)
    left = [*taken.left, *unconfirmed(entry)]
    told = f"Undone: {' '.join(taken.done)}" if taken.done else "Nothing was undone."
    if left:
        told += f" Left: {_sentences(left)}"
    entry.message = f"{item.label} failed. {told}"
    if isinstance(error, OperationCancelled):
        entry.message = f"Stopped at item {item.number} ({item.name}). {told}"
        return OperationCancelled(entry.message)
    if not isinstance(error, OdooError):
        entry.message = f"{item.label} failed: {type(error).__name__}. {told}"
        return error
    found = _at(item, error)
    found.message = f"{found.message} {told}"
    found.details |= {"taken_back": taken.done, "left": left, "not_undone": taken.not_undone}
    found.outcome = "maybe_applied" if left else "rolled_back"
    return found


def _sentences(texts: Sequence[str]) -> str:
    return " ".join(f"{text.rstrip('.')}." for text in texts)


def _at(item: _Planned, error: OdooError) -> OdooError:
    """Return an error that says which item it is about."""
    if type(error).__module__ != OdooError.__module__:
        # What asks which record is meant would have the answer put among the batch's arguments.
        error = make_error(
            error.code,
            error.message,
            suggestion=error.suggestion,
            details=error.details,
            outcome="not_sent",
        )
    error.message = f"{item.label}: {error.message}"
    error.details["item"] = item.number
    return error


# The ids of earlier items ----------------------------------------------------------------------


def _references(value: Any) -> Iterator[Any]:
    """Yield the numbers of the items that arguments name."""
    if isinstance(value, Mapping):
        if list(value) == [REFERENCE]:
            yield value[REFERENCE]
        else:
            for each in value.values():
                yield from _references(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _references(each)


def _filled(item: _Planned, value: Any, results: Sequence[Any]) -> Any:
    """Return arguments with the ids in them."""
    if isinstance(value, Mapping):
        if list(value) == [REFERENCE]:
            return _id_of(item, value[REFERENCE], results[value[REFERENCE] - 1])
        return {name: _filled(item, each, results) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(item, each, results) for each in value]
    return value


def _id_of(item: _Planned, number: int, result: Any) -> int:
    found = getattr(result, "id", None)
    ids = getattr(result, "ids", None) or getattr(result, "created_ids", None) or []
    if found is None and len(ids) == 1:
        found = ids[0]
    if not isinstance(found, int) or len(ids) > 1:
        raise ValidationError(
            f"Item {number} did not create exactly one record, so there is no id to refer to.",
            suggestion=f"Pass an id instead of {REFERENCE}.",
        )
    return found


readable_signatures(globals())
