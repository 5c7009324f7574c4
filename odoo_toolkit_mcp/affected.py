"""Runs a tool's function up to its first change that a person must be asked about.

The function is given a connection that stops it there. By then the policy has been asked, names
have been resolved and states checked; what is about to be sent is known exactly, so the question
can name the records, and nothing else than what was asked about is sent after a yes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from odoo_toolkit.arguments import owns_lines, read_commands, with_values
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.arguments.values import VALUES
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.plans import Plan
    from odoo_toolkit_mcp.toolsets.base import Asks, Tool
from odoo_toolkit_mcp.approval_rules import NO_RULES, Rules
from odoo_toolkit_mcp.untrusted import cleaned

#: A method one of whose words is among these destroys something: ``unlink``, ``button_cancel``.
DESTROYING_WORDS = frozenset({"unlink", "delete", "remove", "cancel"})

#: Names that a question shows, and characters of a name or of an argument.
SHOWN, _LONGEST_NAME, _LONGEST_ARGUMENT = 10, 80, 200

#: Arguments that the records and the heading of a question show already.
_SAID = frozenset({"model", "ids", "record_id", "method"})


@attrs.frozen(kw_only=True)
class Question:
    """What a person is asked before a tool goes on.

    Attributes:
        message: what will happen, with the names of the records.
        digest: stands for the message, the call with its arguments and records, and who makes it.
        of_another: whether not this person is asked, but another one.
    """

    message: str
    digest: str
    of_another: bool = False


@attrs.frozen(kw_only=True)
class Asking:
    """What decides whether a call of a tool stops.

    Attributes:
        tool: the tool.
        asks: before which changes a person is asked.
        given: the arguments as the client gave them.
        client: whose call it is.
        approved: the digest of the question that the person has said yes to.
        rules: of the calls that another person has to allow.
        released: the digest of the question that another person has said yes to.
    """

    tool: Tool
    asks: Asks
    given: Mapping[str, Any]
    client: str | None = None
    approved: str | None = None
    rules: Rules = NO_RULES
    released: str | None = None


class _Stopped(Exception):  # noqa: N818 - nothing went wrong
    """A person must be asked first."""


class _Guarded:
    """The connection as a function sees it, except that it stops before what must be asked."""

    def __init__(self, odoo: Odoo, asking: Asking) -> None:
        self._odoo = odoo
        self._asking = asking
        self._approved = self._released = self._planned = False
        self._announced: str | None = None
        self.question: Question | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._odoo, name)

    def check(self, call: Call, *, planned: bool = False) -> Call:
        """Ask the policy about a call that is to come.

        Where that one destroys something, the person is asked before the first change: a wizard is
        a new record each time, and a yes to one would be none to the next.
        """
        checked = self._odoo.check(call, planned=planned)
        if destroys(call.method) and not planned:
            self._announced = call.method
        return checked

    def call(self, call: Call) -> Any:
        """Send a call, unless a person must be asked about it and has not been."""
        if not call.reads and self._asking.rules.rules and not self._released:
            self._stop_unless_released(call)
        if not call.reads and not self._approved and self._asking.asks != "never":
            lines = _TakenAway(self._odoo).by(call)
            method = self._announced or call.method
            if self._asking.asks == "always" or lines or destroys(method):
                self._stop_unless_approved(call, method, lines)
        return self._odoo.call(call)

    def _stop_unless_released(self, call: Call) -> None:
        """Stop before the first change of what another person has to allow, and has not."""
        asking = self._asking
        plan = None
        if not self._planned:
            self._planned = True
            plan = _dry_run(self._odoo, asking)
        if not asking.rules.stop(self._odoo, [call, *(plan.calls if plan else ())]):
            return
        # What the policy refuses is refused without a question.
        self._odoo.check(call)
        question = _question_to_another(self._odoo, asking, call, plan)
        if question.digest != asking.released:
            self.question = self.question or question
            raise _Stopped
        self._released = self._approved = True

    def _stop_unless_approved(
        self, call: Call, method: str, lines: Mapping[str, Sequence[int] | None]
    ) -> None:
        # What the policy refuses is refused without a question.
        self._odoo.check(call)
        told = attrs.evolve(call, method=method)
        if self._asking.tool.asks_about_plan:
            question = _question_about_plan(self._odoo, self._asking)
        else:
            question = _question(self._odoo, self._asking, told, lines)
        if question.digest != self._asking.approved:
            self.question = self.question or question
            raise _Stopped
        self._approved = True


def destroys(method: str) -> bool:
    """Whether a method deletes or cancels, judged by its name."""
    return not DESTROYING_WORDS.isdisjoint(method.lower().split("_"))


def run(asking: Asking, odoo: Odoo | None, /, **arguments: Any) -> Any:
    """Call a tool's function; stop before what a person must be asked about.

    Args:
        asking: decides where it stops.
        odoo: the connection; None for a tool that works without one.
        arguments: of the function, checked.

    Returns:
        What the function returned; or the question, and nothing has been changed.

    Raises:
        OdooError: as the function does; the policy refuses the call; or a record does not exist.
    """
    tool = asking.tool
    if (tool.access == "read" or tool.asks_first) and asking.asks == "always":
        question = _question_before_calling(odoo, asking)
        if question.digest != asking.approved:
            return question
    asks = asking.asks != "never" or asking.rules.rules
    if odoo is None or tool.access == "read" or not asks:
        return tool.function(odoo, **arguments)
    guarded = _Guarded(odoo, asking)
    try:
        result = tool.function(cast("Odoo", guarded), **arguments)
    except _Stopped:
        return guarded.question
    # Where the function took the stop for a failure of its own, nothing was changed either.
    return guarded.question or result


# What the question says ------------------------------------------------------------------------


def _question(
    odoo: Odoo, asking: Asking, call: Call, lines: Mapping[str, Sequence[int] | None]
) -> Question:
    tool = asking.tool
    heading = tool.title
    if call.method == "unlink":
        heading = "Delete"
    elif tool.access == "execute":
        heading = f"Call {clean(call.method)}"
    companies = {k: v for k, v in call.context.items() if k == "allowed_company_ids"}
    text = [f"{heading}: {_counted(odoo, call.model, call.ids)}"]
    text += _named(
        odoo,
        Call(model=call.model, method="read", ids=call.ids, acts_on=call.acts_on, step=True),
        companies,
    )
    text += _source(odoo, asking, call, companies)
    for model, ids in lines.items():
        text.append(f"This removes {_counted(odoo, model, ids)}")
        text += _named(odoo, Call(model=model, method="read", ids=ids), companies)
    if call.method != "unlink" and not tool.consequence:
        text += _arguments(asking)
    if call.method == "unlink" or lines:
        text.append("Deleted records cannot be brought back.")
    if tool.consequence:
        text.append(tool.consequence)
    affected = [call.model, call.method, list(call.ids or ()), dict(lines)]
    return _asked("\n".join(text), asking, odoo.uid, affected)


def _question_about_plan(odoo: Odoo, asking: Asking) -> Question:
    tool = asking.tool
    plan = tool.function(odoo, **tool.check({**asking.given, "dry_run": True}))
    text = [tool.title]
    for one, given in zip(plan.items, asking.given["items"], strict=True):
        text.append(f"{one.item}. {one.operation}: {clean(one.message, _LONGEST_ARGUMENT)}")
        if one.possible is None:
            arguments = json.dumps(given["arguments"], ensure_ascii=False, default=str)
            text.append(f"   {clean(arguments, _LONGEST_ARGUMENT)}")
    for planned in plan.calls:
        known = [number for number in planned.ids if isinstance(number, int)]
        call = Call(
            model=planned.model,
            method=planned.method,
            ids=known or None,
            arguments=planned.arguments,
            access="create" if planned.method == "create" else "write",
        )
        for model, ids in _TakenAway(odoo).by(call).items():
            text.append(f"This removes {_counted(odoo, model, ids)}")
            text += _named(odoo, Call(model=model, method="read", ids=ids), {})
    text += [clean(warning, _LONGEST_ARGUMENT) for warning in plan.warnings]
    if plan.undo and plan.undo.remains:
        text.append(f"What stays if it is taken back: {' '.join(plan.undo.remains)}")
    return _asked("\n".join(text), asking, odoo.uid, [str(call) for call in plan.calls])


def _dry_run(odoo: Odoo, asking: Asking) -> Plan | None:
    """Return what a tool would do, if it can tell that."""
    if "dry_run" not in asking.tool.input_schema["properties"] or asking.given.get("dry_run"):
        return None
    plan: Plan = asking.tool.function(odoo, **asking.tool.check({**asking.given, "dry_run": True}))
    return plan


def _question_to_another(odoo: Odoo, asking: Asking, call: Call, plan: Plan | None) -> Question:
    """Return what another person is asked: the plan with its names and amounts, or the call."""
    text = [asking.tool.title]
    if call.ids:
        read = Call(model=call.model, method="read", ids=call.ids, acts_on=call.acts_on, step=True)
        text += [_counted(odoo, call.model, call.ids), *_named(odoo, read, {})]
    text += _arguments(asking)
    facts: Any = [call.model, call.method, list(call.ids or ()), str(wired(call).arguments)]
    if plan:
        text += [plan.message, *(clean(one, _LONGEST_ARGUMENT) for one in plan.warnings)]
        facts = [str(attrs.asdict(plan))]
    question = _asked("\n".join(text), asking, odoo.uid, facts)
    return attrs.evolve(question, of_another=True)


def _source(odoo: Odoo, asking: Asking, call: Call, companies: Mapping[str, Any]) -> Iterator[str]:
    """Return lines for the records that a wizard is about, where the call names them."""
    model, ids = asking.given.get("model"), asking.given.get("ids")
    if call.model != model and isinstance(model, str) and isinstance(ids, list) and ids:
        yield f"About {_counted(odoo, model, ids)}"
        yield from _named(odoo, Call(model=model, method="read", ids=ids), companies)


def _question_before_calling(odoo: Odoo | None, asking: Asking) -> Question:
    model, ids = asking.given.get("model"), asking.given.get("ids", asking.given.get("record_id"))
    tool = asking.tool
    text = [tool.title]
    if odoo and isinstance(model, str):
        if problem := odoo.policy.model_problem(model, "read"):
            raise problem
        ids = [i for i in (ids if isinstance(ids, list) else [ids]) if isinstance(i, int)]
        text = [f"{asking.tool.title}: {_counted(odoo, model, ids or None)}"]
        text += _named(odoo, Call(model=model, method="read", ids=ids), {})
    text += _arguments(asking)
    text += [tool.consequence] if tool.consequence else []
    return _asked("\n".join(text), asking, odoo.uid if odoo else 0, [])


def _asked(message: str, asking: Asking, uid: int, affected: Sequence[Any]) -> Question:
    facts = [asking.client, uid, asking.tool.name, asking.given, message, affected]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()
    return Question(message=message, digest=digest)


def _counted(odoo: Odoo, model: str, ids: Sequence[int] | None) -> str:
    """Return how many records of what."""
    try:
        label = odoo.schema.models().get(model, "")
    except OdooError:
        # To Odoo 15 an ordinary user may not learn the labels.
        label = ""
    kind = f"{clean(label)}, {model}" if label else model
    if ids is None:
        return f"records ({kind})"
    return f"{len(ids)} {'record' if len(ids) == 1 else 'records'} ({kind})"


def _named(odoo: Odoo, read: Call, context: Mapping[str, Any]) -> Iterator[str]:
    """Return a line for each record, for as many as are shown.

    Raises:
        NotFoundError: one does not exist, or this user cannot see it.
    """
    ids = read.ids or ()
    names = _names(odoo, attrs.evolve(read, context=context)) if ids else {}
    if missing := [i for i in ids if i not in names]:
        raise NotFoundError(
            f"There is no {read.model} {', '.join(map(str, missing[:SHOWN]))}, or this user cannot"
            " see it. Nothing was done.",
            suggestion="Look the records up, and leave out those that do not exist.",
            details={"model": read.model, "ids": missing},
        )
    for record_id in ids[:SHOWN]:
        name = clean(names[record_id])
        yield f"- {name} (id {record_id})" if name else f"- id {record_id}"
    if len(ids) > SHOWN:
        yield f"- and {len(ids) - SHOWN} more"


def _names(odoo: Odoo, read: Call) -> dict[int, str]:
    try:
        rows = odoo.call(attrs.evolve(read, arguments={"fields": ["display_name"]}))
    except AccessError as error:
        if error.code != "FIELD_BLOCKED":
            raise
        # The operator closed the names: the ids have to do, and Odoo tells of missing records.
        return dict.fromkeys(read.ids or (), "")
    return {row["id"]: row.get("display_name") or "" for row in rows}


def _arguments(asking: Asking) -> Iterator[str]:
    for name, value in asking.given.items():
        if name not in _SAID and value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{name}: {clean(text, _LONGEST_ARGUMENT)}"


def clean(text: object, longest: int = _LONGEST_NAME) -> str:
    """Return text on one line, cut, without characters that show nothing or turn the text.

    A name is written by anybody who may write a record: it must not look like a part of the
    question.
    """
    line = " ".join(cleaned(str(text)[: longest * 4]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


# Lines that a write takes away ------------------------------------------------------------------


class _TakenAway:
    """Finds out which records the values of a call delete, or take away from a one2many."""

    def __init__(self, odoo: Odoo) -> None:
        self._odoo = odoo
        #: model -> ids; None where it cannot be told which.
        self.found: dict[str, list[int] | None] = {}

    def field(self, model: str, name: str) -> Field | None:
        """Return a field, None where it is not known."""
        try:
            return self._odoo.schema.fields(model).get(name)
        except OdooError:
            return None

    def by(self, call: Call) -> dict[str, list[int] | None]:
        """Return the records by their model."""
        call = wired(with_values(call, self.field))
        values = [*call.arguments.values(), *call.positional]
        # What a method does with values that is not among those cannot be known.
        of = call.ids if call.method in VALUES else None
        of = () if call.access == "create" else of
        for value in values:
            self._search(call.model, of, value)
        return {model: ids for model, ids in self.found.items() if ids != []}

    def _search(self, model: str, of: tuple[int, ...] | None, value: Any) -> None:
        if isinstance(value, Mapping):
            for name, item in value.items():
                self._read(model, of, str(name), item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Mapping):
                    self._search(model, of, item)

    def _read(self, model: str, of: tuple[int, ...] | None, name: str, value: Any) -> None:
        field = self.field(model, name)
        listed = isinstance(value, (list, tuple))
        if not listed if field is None else field.type not in TO_MANY:
            return
        try:
            commands = read_commands(value, name)
        except ValidationError:
            return  # Nor is it a value of this field, but a list of something else.
        relation = (field and field.relation) or f"{model}.{name}"
        owned = owns_lines(field, model, self.field)
        for command in commands:
            if command.kind == "delete" or (owned and command.kind == "unlink"):
                self._add(relation, [command.id])
            elif owned and command.takes_all:
                there = self._lines(model, of, name, field)
                self._add(relation, there and [i for i in there if i not in command.ids])
            new = command.kind == "create"
            self._search(relation, () if new else (command.id,), command.values)

    def _lines(
        self, model: str, of: tuple[int, ...] | None, name: str, field: Field | None
    ) -> list[int] | None:
        """Return the records that there are now."""
        if field is None or of is None:
            return None
        if not of:
            # A new record has none yet; but a field may show those of another.
            return [] if field.store and not field.related else None
        read = Call(
            model=model,
            method="read",
            ids=of,
            arguments={"fields": [name]},
            context={"active_test": False},
            internal=True,
        )
        try:
            return [line for row in self._odoo.call(read) for line in row[name]]
        except OdooError:
            return None

    def _add(self, model: str, ids: list[int] | None) -> None:
        known = self.found.setdefault(model, [])
        if known is None or ids is None:
            self.found[model] = None
        else:
            known += [i for i in ids if i not in known]
