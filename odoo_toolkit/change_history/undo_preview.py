"""The preview of an undo, made from tables and the policy before the calls are sent.

Odoo is asked only for the fields of a model whose records can't be deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import attrs

from odoo_toolkit.app_models import Opposite, known
from odoo_toolkit.arguments import read_commands
from odoo_toolkit.call import Access, Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY

Extent = Literal["full", "partial", "none"]

#: Methods of any model, and how what they did is taken back.
ANY_MODEL: Mapping[str, Opposite] = {
    "create": Opposite("create", "unlink", "deleted", otherwise="archive"),
    "copy": Opposite("copy", "unlink", "deleted", otherwise="archive"),
    "name_create": Opposite("name_create", "unlink", "deleted", otherwise="archive"),
    "load": Opposite(
        "load",
        "unlink",
        "deleted where it was created, and as before where it was changed",
        otherwise="archive",
    ),
    # Each of its records is noted as written, and that is taken back.
    "web_save_multi": Opposite("web_save_multi"),
    "action_archive": Opposite("action_archive", "unarchive", "active again"),
    "action_unarchive": Opposite("action_unarchive", "archive", "archived again"),
    "message_post": Opposite(
        "message_post",
        made="mail.message",
        not_undone="A sent e-mail cannot be recalled.",
    ),
    "update_field_translations": Opposite(
        "update_field_translations", "looked_up", "translated as before"
    ),
    "activity_schedule": Opposite("activity_schedule", made="mail.activity"),
    "unlink": Opposite(
        "unlink", not_undone="A deleted record cannot be restored: archive it instead."
    ),
}

#: What nobody minds: it makes or shows a wizard, and changes no document.
_UNTOLD = frozenset({"onchange", "default_get"})

#: What makes a record, whatever it is called.
CREATES = frozenset({"create", "copy", "name_create"})

#: Says why the policy keeps some methods from the records of a model; empty where it does not.
Refused = Callable[[str, Sequence[str]], str]

#: Before the name of a field, among methods: its new lines are deleted.
_LINES = "lines"

#: Ways back that are a change of ``active``.
_ACTIVE = frozenset({"archive", "unarchive"})

#: Until when, in words: it can be looked up only when it is asked for.
UNTIL = "Until someone changes the same records again."


class Told(Protocol):
    """A call as a plan or the change history has it."""

    @property
    def model(self) -> str: ...
    @property
    def method(self) -> str: ...


@attrs.frozen(kw_only=True)
class Undo(Shown):
    """A preview of an undo.

    Attributes:
        possible: ``full``, ``partial`` or ``none``.
        actions: One sentence for each action of the undo.
        not_undone: What can't be undone.
        until: Until when the undo is possible.
        entry: Id of the history entry to undo. None if nothing was written yet, or without a change
            history.
    """

    possible: Extent
    actions: list[str] = attrs.Factory(list)
    not_undone: list[str] = attrs.Factory(list)
    until: str = ""
    entry: int | None = None


def opposite_of(model: str, method: str, version: int) -> Opposite | None:
    """Return how what a method did is taken back; None where nobody knows."""
    own = known(model).opposite("create" if method in CREATES else method, version)
    return own or ANY_MODEL.get(method)


def foretold(
    calls: Iterable[tuple[str, str, Mapping[str, Any]]],
    version: int,
    is_wizard: Any = lambda model: False,
    entry: int | None = None,
    refused: Refused = lambda model, methods: "",
) -> Undo:
    """Return what could be taken back of some calls.

    Args:
        calls: model, method and arguments of each.
        version: of Odoo.
        is_wizard: whether a model is one of dialogs, whose own records nobody keeps.
        entry: of the change history, where they were made.
        refused: says what the policy of the connection is against, see :func:`policy_of`.
    """
    actions: list[str] = []
    not_undone: list[str] = []
    known_ones = unknown = 0
    for model, method, arguments in calls:
        if method in _UNTOLD:
            continue
        if method == "web_save_multi":
            known_ones += 1
            actions.append(f"Undo would write back the old values of {model}.")
            continue
        wizard = known(model).is_wizard
        if wizard and method in ("create", "write"):
            continue
        if method == "write":
            fields = arguments.get("vals")
            if lost := arguments.get("not_kept"):
                unknown += 1
                not_undone.append(
                    f"The change history does not contain the old values of {', '.join(lost)} "
                    f"of {model}."
                )
                if not fields:
                    continue
            against = refused(model, _written_back(fields))
            if against:
                unknown += 1
                not_undone.append(not_allowed(model, against, less=False))
                continue
            known_ones += 1
            names = ", ".join(fields) if isinstance(fields, Mapping) else "the fields"
            actions.append(f"Undo would write back the old values of {names} of {model}.")
            if isinstance(fields, Mapping) and _deletes(fields):
                unknown += 1
                not_undone.append("Deleted lines cannot be restored.")
            continue
        opposite = known(model).opposite(method, version)
        if opposite is None and is_wizard(model):
            if method != "create":
                unknown += 1
                not_undone.append(f"The toolkit does not know how to undo {method} of {model}.")
            continue
        opposite = opposite_of(model, method, version)
        made = opposite.made if opposite else ""
        if opposite and made:
            not_undone += [opposite.not_undone] if opposite.not_undone else []
            opposite = opposite_of(made, "create", version)
            model, method = made, "create"
        against = refused(model, opposite.by) if opposite else ""
        if opposite and against:
            unknown += 1
            less = bool(opposite.otherwise) and not refused(model, opposite.otherwise)
            not_undone.append(not_allowed(model, against, less=less))
            if less:
                known_ones += 1
                says = opposite.says.replace("deleted", less_of(opposite))
                actions.append(f"{_noun(model)} would be {says}.")
        elif opposite and opposite.is_known:
            known_ones += 1
            actions.append(f"{_noun(model)} would be {opposite.says or 'as before'}.")
        elif opposite and not opposite.not_undone:
            continue  # another call of the operation says it
        else:
            unknown += 1
        if opposite is None:
            not_undone.append(f"The toolkit does not know how to undo {method} of {model}.")
        elif opposite.not_undone:
            not_undone.append(opposite.not_undone)
    possible: Extent = "none" if not known_ones else "partial" if unknown else "full"
    return Undo(
        possible=possible,
        actions=list(dict.fromkeys(reversed(actions))),
        not_undone=list(dict.fromkeys(not_undone)),
        until=UNTIL if known_ones else "",
        entry=entry,
    )


def policy_of(odoo: Odoo) -> Refused:
    """Return what says why the policy of a connection keeps methods from a model's records.

    A readonly connection writes nothing, and only tells what others would do: nothing is said.
    """
    if odoo.policy.mode == "readonly":
        return lambda model, methods: ""

    def refused(model: str, methods: Sequence[str]) -> str:
        for method in methods:
            name, _, of = method.partition(">")[0].partition("@")
            if name == "looked_up":
                continue
            values = name in (_LINES, "write")
            problem = (
                _value_problem(odoo, model, of, lines=name == _LINES)
                if values
                else _problem(odoo, model, name)
            )
            if problem:
                return problem
        return ""

    return refused


def _problem(odoo: Odoo, model: str, method: str) -> str:
    access: Access = "delete" if method == "unlink" else "write"
    call = Call(model=model, method=method, ids=(0,), access=access, step=True)
    if method in _ACTIVE:
        values = {"vals": {"active": method == "unarchive"}}
        call = attrs.evolve(call, method="write", arguments=values)
        try:
            if "active" not in odoo.schema.fields(model):
                return f"{model} has no archive"
        except OdooError as error:
            return error.message.rstrip(".")
    # It is taken back by the user, and not by the plugin that a gate may keep to its bounds.
    refusal = odoo.refusal(call, of_user=True)
    return refusal.message.rstrip(".") if refusal else ""


def _value_problem(odoo: Odoo, model: str, name: str, *, lines: bool) -> str:
    """Say why the policy does not let a field be written, or its new lines be deleted."""
    try:
        field = odoo.schema.fields(model).get(name)
    except OdooError as error:
        return error.message.rstrip(".")
    if field is None or (lines and field.type != "one2many"):
        return ""
    back: Any = [[2, 1, 0]] if lines else [] if field.type in TO_MANY else False
    values = {"vals": {name: back}}
    refusal = odoo.refusal(Call(model=model, method="write", ids=(1,), arguments=values, step=True))
    return refusal.message.rstrip(".") if refusal else ""


def less_of(opposite: Opposite) -> str:
    """Return what comes of a record that is not deleted."""
    return "archived" if "archive" in opposite.otherwise else "cancelled"


def not_allowed(model: str, why: str, *, less: bool) -> str:
    """Say that the policy keeps a record from being taken back as it usually is.

    Args:
        model: of the record.
        why: what the policy is against.
        less: whether something less is done to it.
    """
    stays = "is not deleted" if less else "stays as it is"
    return f"{_noun(model)} {stays}: {why[:1].lower()}{why[1:]}."


def _noun(model: str) -> str:
    return f"The record of {model}"


def _written_back(values: Any) -> list[str]:
    """Return what stands for writing values back and deleting the lines that they make."""
    fields = values if isinstance(values, Mapping) else {}
    lines = [f"{_LINES}@{name}" for name, value in fields.items() if _does(value, "create")]
    return [*(f"write@{name}" for name in fields), *lines]


def _deletes(values: Mapping[str, Any]) -> bool:
    return any(_does(value, "delete") for value in values.values())


def _does(value: Any, kind: str) -> bool:
    """Whether a value that is sent to Odoo has a command of a kind."""
    if not (isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple))):
        return False
    try:
        return any(command.kind == kind for command in read_commands(value, "values"))
    except ValidationError:
        return False
