"""The steps of a business operation: permitted, told, made, and looked for when an answer is lost.

An operation states its steps. From the same list come the question to the policy, the dry run, the
calls, the progress, and the answer to "did it happen?" when the connection broke.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.arguments.compared import in_words
from odoo_toolkit.call import Access, Call, opened_ids
from odoo_toolkit.change_history.lost_answers import creating, look, or_seen
from odoo_toolkit.change_history.lost_answers import send as send_once
from odoo_toolkit.change_history.recording import current, note_made
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, WizardRequiredError
from odoo_toolkit.plans import Plan, PlannedDocument, planned
from odoo_toolkit.progress import Steps
from odoo_toolkit.records.numbers import Number, check_numbers, told_of_numbers
from odoo_toolkit.records.time_zones import own_context
from odoo_toolkit.wizards.actions import is_wizard_action
from odoo_toolkit.wizards.protocol import answer_wizard, unanswered, wizard_calls

R = TypeVar("R")

#: What a step does that is neither a change of fields nor a button.
_ACCESS: Mapping[str, Access] = {"create": "create", "unlink": "delete"}

#: Reads what a plan is about, and writes nothing.
Preview = Callable[[], Sequence[PlannedDocument]]
#: Finds out what would go otherwise than asked.
Doubts = Callable[[], Sequence[str]]

#: Looks in Odoo whether a step has happened to a record; returns None where it has not.
Seen = Callable[[Odoo, int], Any]


@attrs.frozen(kw_only=True)
class Step:
    """One thing that an operation does to one record, by one call.

    Attributes:
        model: of the record.
        method: ``create``, whose record is then that of the steps that follow, ``write``, or what
            a button calls.
        says: what is told once it is done.
        arguments: of the method, by name.
        context: extends the connection's.
        seen: how to see that a button has done it; what is created or written needs none.
        answers: wizards that a button may open and that are answered with their defaults.
        safe: of a step with ``seen``: whether the state, which is looked at first, keeps it from
            being done twice.
        fails: what is told when earlier steps were done and this one was not.
        timeout: seconds to wait at least for the answer, where the settings' may be too few.
        before: what the operation has read that is needed to take it back, see :class:`Call`.
    """

    model: str
    method: str
    says: str = ""
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    context: Mapping[str, Any] = attrs.field(factory=dict)
    seen: Seen | None = None
    answers: frozenset[str] = frozenset()
    safe: bool = True
    fails: str = "Not done"
    timeout: float | None = None
    before: Mapping[int, dict[str, Any]] | None = None

    @property
    def makes(self) -> bool:
        """Whether it makes the record on which the steps that follow act."""
        return self.method == "create"

    def of(self, **arguments: Any) -> Step:
        """Return the step with these arguments."""
        return attrs.evolve(self, arguments=arguments)

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing calls by which it is made."""
        return [
            Call(
                model=self.model,
                method=self.method,
                ids=None if self.method == "create" else ids,
                arguments=self.arguments,
                context=self.context,
                access=_ACCESS.get(self.method, "write"),
                acts_on=self.model,
                step=True,
                timeout=self.timeout,
                before=self.before,
            )
        ]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Do it, and return what the method returned; of ``create`` the ids."""
        (call,), seen = self.calls(odoo, ids), self.seen
        call = attrs.evolve(call, context={**own_context(odoo), **call.context})
        if seen is None:
            return send(odoo, call, warnings)
        answer = or_seen(
            lambda: self._press(odoo, call), lambda: seen(odoo, ids[0]), warnings, safe=self.safe
        )
        _tell_numbers(odoo, call, answer, warnings)
        return answer

    def _press(self, odoo: Odoo, call: Call) -> Any:
        result, ids = odoo.call(call), call.ids or ()
        if is_wizard_action(odoo, result) and result["res_model"] in self.answers:
            outcome = answer_wizard(odoo, result, source=(self.model, ids), context=call.context)
            result = outcome.action
        # From Odoo 18 on, some ask about the future after they have done what they were told.
        if is_wizard_action(odoo, result) and not (self.seen and self.seen(odoo, ids[0])):
            raise unanswered(odoo, result)
        return result


@attrs.frozen(kw_only=True)
class WizardStep:
    """One thing that an operation does to records by answering a wizard.

    Attributes:
        model: of the records that the wizard acts on.
        wizard: its model, which the catalogue knows.
        values: answers that differ from the defaults.
        method: its button, where it is not the catalogue's.
        seen: how to see on the first record that it has happened; where it makes records, it
            returns the ids of those that this user has made since.
        makes: whether it makes one record or many, on which the steps that follow act.
        safe: whether the state, which is looked at first, keeps it from being done twice.
        says, fails: as of a :class:`Step`.
    """

    model: str
    wizard: str
    values: Mapping[str, Any] = attrs.field(factory=dict)
    method: str | None = None
    says: str = ""
    seen: Seen
    makes: Literal["one", "many"] | None = None
    safe: bool = True
    fails: str = "Not done"

    def of(self, **values: Any) -> WizardStep:
        """Return the step with these answers."""
        return attrs.evolve(self, values=values)

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing calls by which it is made."""
        return wizard_calls(odoo, self.wizard, self.values, (self.model, ids), self.method)

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Do it, and return the action that the wizard answered with, if any.

        Of what makes records, return their ids; none where Odoo does not tell them.
        """

        def answer() -> Any:
            source = (self.model, ids)
            return answer_wizard(
                odoo,
                self.wizard,
                self.values,
                source=source,
                method=self.method,
                context=own_context(odoo),
            ).action

        if not self.makes:
            return or_seen(answer, lambda: self.seen(odoo, ids[0]), warnings, safe=self.safe)
        with creating(odoo, self.wizard, list(ids)) as creation:

            def seen() -> list[int] | None:
                own = creation.own(self.seen(odoo, ids[0]))
                return own if len(own) == 1 or (own and self.makes == "many") else None

            def made() -> list[int]:
                return opened_ids(answer()) or look(seen) or []

            answered: list[int] = or_seen(made, seen, warnings, safe=self.safe)
            creation.ids = frozenset(answered)
            for made_model in {opposite.made for opposite in known(self.wizard).opposites}:
                note_made(made_model, answered)
            return answered


@attrs.frozen(kw_only=True)
class Check:
    """A look at what earlier steps have made, before those that follow; it writes nothing.

    Attributes:
        check: looks at the first record, and raises an OdooError where the rest must not be done.
        says, fails: as of a :class:`Step`.
    """

    check: Callable[[Odoo, int], object]
    says: str = ""
    fails: str = "Not done"
    makes = False

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return none: only what writes is permitted and planned."""
        return []

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Look."""
        return self.check(odoo, ids[0])


AnyStep = Step | WizardStep | Check


def send(odoo: Odoo, call: Call, warnings: list[str]) -> Any:
    """Send a write as :func:`odoo_toolkit.change_history.lost_answers.send` does.

    Each value that Odoo has rounded is told in the warnings.

    Args: as there.

    Raises:
        ValidationError: a number would become 0; nothing was sent.
        OdooError: as there.
    """
    found = _checked_numbers(odoo, [call])
    answer = send_once(odoo, call, warnings)
    if found:
        _tell_numbers(odoo, call, answer, warnings)
    return answer


def _tell_numbers(odoo: Odoo, call: Call, answer: Any, warnings: list[str]) -> None:
    values = _values(call)
    ids = answer if call.method == "create" else list(call.ids or ())
    ids = [ids] if isinstance(ids, int) else ids
    if call.method == "write":
        values = values * len(ids)
    if not values or not isinstance(ids, list) or len(ids) != len(values):
        return
    given = dict(zip(ids, values, strict=True))
    if found := told_of_numbers(odoo, call.model, given, call.acts_on or call.model, warnings):
        warnings.append(in_words(found))


def _values(call: Call) -> list[Mapping[str, Any]]:
    """Return what a call writes, for each record that it makes, or for all that it changes."""
    given = call.arguments.get({"create": "vals_list", "write": "vals"}.get(call.method, ""))
    rows = given if isinstance(given, (list, tuple)) else [given]
    return [row for row in rows if isinstance(row, Mapping)]


def _checked_numbers(odoo: Odoo, calls: Sequence[Call]) -> list[Number]:
    """Refuse numbers that would become 0; return those that may lose decimals."""
    return [
        number
        for call in calls
        for values in _values(call)
        for number in check_numbers(odoo, call.model, values)
    ]


def _rounded(odoo: Odoo, calls: Sequence[Call]) -> list[str]:
    """Refuse numbers that would become 0; say which ones lose decimals, as far as that is known."""
    found = _checked_numbers(odoo, calls)
    return [str(number) for number in found if number.kept is not None]


@attrs.frozen(kw_only=True)
class Done:
    """What was done.

    Attributes:
        id: the record that the steps were about.
        answers: what the steps returned, as far as they were made.
        warnings: what went otherwise than asked.
        complete: whether all steps were made.
    """

    id: int
    answers: list[Any] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    complete: bool = True


def permit(odoo: Odoo, *steps: AnyStep, dry_run: bool = False) -> None:
    """Ask the policy about all steps, before anything is sent for the caller.

    A dry run is permitted in every mode, as it writes nothing; lists hold for it, too.

    Raises:
        AccessError: it forbids one of them.
    """
    for step in steps:
        for call in step.calls(odoo, (0,)):
            odoo.check(call, planned=dry_run)


def operate(
    odoo: Odoo,
    steps: Sequence[AnyStep],
    ids: Sequence[int],
    result: Callable[[Done], R],
    *,
    message: str,
    dry_run: bool,
    preview: Preview | None = None,
    doubts: Doubts | None = None,
) -> R | Plan:
    """Make the steps of an operation and return its result, or its plan.

    Args:
        odoo: the connection.
        steps: in order; the first may create the record that the others act on.
        ids: the records that they act on; none where the first step creates it.
        result: makes the result of what was done.
        message: a sentence that says what the dry run would do.
        dry_run: whether to return the plan and write nothing.
        preview: reads what the plan shows in names and money; asked for a dry run only.
        doubts: finds out what would go otherwise than asked; for a dry run only, too.

    Raises:
        AccessError: the policy forbids a step; nothing was written.
        OdooError: the first step failed; nothing was written. When a later one fails, the result
            says so in its warnings, for what was written stays.
    """
    if dry_run:
        return plan(odoo, steps, ids, message, preview, doubts)
    return result(make(odoo, steps, ids))


def make(odoo: Odoo, steps: Sequence[AnyStep], ids: Sequence[int]) -> Done:
    """Make steps one after the other, see :func:`operate`."""
    # A number of which nothing would be kept is refused before the first step is made; what is
    # sent first is looked at when it is sent.
    rounded = [
        []
        if step is steps[0] and _is_sent_at_once(step)
        else _rounded(odoo, step.calls(odoo, ids or (0,)))
        for step in steps
    ]
    progress = Steps(len(steps) + 1)
    progress.finish(1, "Checked")
    answers: list[Any] = []
    warnings: list[str] = []
    created = False
    for step, told in zip(steps, rounded, strict=True):
        try:
            answer = step.make(odoo, ids, warnings)
        except OdooError as error:
            # Odoo's question is for the caller to answer, unless that would hide a new record.
            asks = isinstance(error, WizardRequiredError) and not created
            if not answers or asks or _is_whole():
                raise
            answer = _done_meanwhile(odoo, step, ids)
            if answer is None:
                warnings.append(f"{step.fails}: {error.message} {error.suggestion}".strip())
                break
            warnings.append(f"{step.says} by another program meanwhile: {error.message}")
        answers.append(answer)
        # Of what a wizard makes of a number, nothing can be read back.
        warnings += told if isinstance(step, WizardStep) else []
        if step.makes and not answer:
            warnings.append("Odoo did not return the id of the new record.")
            break
        says = step.says
        if step.makes:
            ids, created = answer, True
            says += f" (id {ids[0]})"
        progress.finish(1, says)
    return Done(id=ids[0], answers=answers, warnings=warnings, complete=len(answers) == len(steps))


def _is_sent_at_once(step: AnyStep) -> bool:
    return type(step) is Step and step.seen is None


def _done_meanwhile(odoo: Odoo, step: AnyStep, ids: Sequence[int]) -> Any:
    """Return what shows that a step that was refused is done all the same; None if nothing does."""
    seen = None if step.makes or isinstance(step, Check) else step.seen
    try:
        return seen(odoo, ids[0]) if seen and ids else None
    except OdooError:
        return None


def _is_whole() -> bool:
    """Whether the steps belong to something that is taken back where one of them fails."""
    recording = current()
    return recording is not None and recording.whole


def plan(
    odoo: Odoo,
    steps: Sequence[AnyStep],
    ids: Sequence[int],
    message: str,
    preview: Preview | None = None,
    doubts: Doubts | None = None,
) -> Plan:
    """Return what the steps would send and do, after asking the policy about each call."""
    shown: Sequence[Any] = ids
    calls: list[Call] = []
    for step in steps:
        calls += step.calls(odoo, shown)
        shown = ("the new record",) if step.makes else shown
    documents: Sequence[PlannedDocument] = ()
    warnings = [*_rounded(odoo, calls), *(doubts() if doubts else ())]
    try:
        documents = preview() if preview else ()
    except OdooError as error:
        warnings.append(f"The document itself cannot be shown: {error.message}")
    return planned(odoo, calls, message, documents=documents, warnings=warnings)
