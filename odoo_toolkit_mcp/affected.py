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

from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.toolsets.base import Asks, Tool
from odoo_toolkit_mcp.untrusted import cleaned

#: A method one of whose words is among these destroys something: ``unlink``, ``button_cancel``.
DESTROYING_WORDS = frozenset({"unlink", "delete", "remove", "cancel"})

#: Commands on the lines of a record: delete one, take one away, take all away, replace all. The
#: last three delete lines only where they belong to one record, in a one2many field.
_DELETE, _TAKE_AWAY, _CLEAR, _REPLACE = 2, 3, 5, 6

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
    """

    message: str
    digest: str


@attrs.frozen(kw_only=True)
class Asking:
    """What decides whether a call of a tool stops.

    Attributes:
        tool: the tool.
        asks: before which changes a person is asked.
        given: the arguments as the client gave them.
        client: whose call it is.
        approved: the digest of the question that the person has said yes to.
    """

    tool: Tool
    asks: Asks
    given: Mapping[str, Any]
    client: str | None = None
    approved: str | None = None


class _Stopped(Exception):  # noqa: N818 - nothing went wrong
    """A person must be asked first."""


class _Guarded:
    """The connection as a function sees it, except that it stops before what must be asked."""

    def __init__(self, odoo: Odoo, asking: Asking) -> None:
        self._odoo = odoo
        self._asking = asking
        self._approved = False
        self._announced: str | None = None
        self.question: Question | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._odoo, name)

    def check(self, call: Call) -> None:
        """Ask the policy about a call that is to come.

        Where that one destroys something, the person is asked before the first change: a wizard is
        a new record each time, and a yes to one would be none to the next.
        """
        self._odoo.check(call)
        if destroys(call.method):
            self._announced = call.method

    def call(self, call: Call) -> Any:
        """Send a call, unless a person must be asked about it and has not been."""
        if not call.reads and not self._approved:
            lines = _deleted_lines(self._odoo, call)
            method = self._announced or call.method
            if self._asking.asks == "always" or lines or destroys(method):
                self._stop_unless_approved(call, method, lines)
        return self._odoo.call(call)

    def _stop_unless_approved(
        self, call: Call, method: str, lines: Mapping[str, Sequence[int]]
    ) -> None:
        # What the policy refuses is refused without a question.
        self._odoo.check(call)
        told = attrs.evolve(call, method=method)
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
    if tool.access == "read" and asking.asks == "always":
        question = _question_before_reading(odoo, asking)
        if question.digest != asking.approved:
            return question
    if odoo is None or tool.access == "read" or asking.asks == "never":
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
    odoo: Odoo, asking: Asking, call: Call, lines: Mapping[str, Sequence[int]]
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
        text.append(f"This removes {_counted(odoo, model, ids or None)}")
        text += _named(odoo, Call(model=model, method="read", ids=ids), companies)
    if call.method != "unlink" and not tool.consequence:
        text += _arguments(asking)
    if call.method == "unlink" or lines:
        text.append("What is deleted cannot be brought back.")
    if tool.consequence:
        text.append(tool.consequence)
    affected = [call.model, call.method, list(call.ids or ()), dict(lines)]
    return _asked("\n".join(text), asking, odoo.uid, affected)


def _source(odoo: Odoo, asking: Asking, call: Call, companies: Mapping[str, Any]) -> Iterator[str]:
    """Return lines for the records that a wizard is about, where the call names them."""
    model, ids = asking.given.get("model"), asking.given.get("ids")
    if call.model != model and isinstance(model, str) and isinstance(ids, list) and ids:
        yield f"About {_counted(odoo, model, ids)}"
        yield from _named(odoo, Call(model=model, method="read", ids=ids), companies)


def _question_before_reading(odoo: Odoo | None, asking: Asking) -> Question:
    model, ids = asking.given.get("model"), asking.given.get("ids", asking.given.get("record_id"))
    text = [asking.tool.title]
    if odoo and isinstance(model, str):
        if problem := odoo.policy.model_problem(model, "read"):
            raise problem
        ids = [i for i in (ids if isinstance(ids, list) else [ids]) if isinstance(i, int)]
        text = [f"{asking.tool.title}: {_counted(odoo, model, ids or None)}"]
        text += _named(odoo, Call(model=model, method="read", ids=ids), {})
    text += _arguments(asking)
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
        NotFoundError: one does not exist, or this user may not see it.
    """
    ids = read.ids or ()
    names = _names(odoo, attrs.evolve(read, context=context)) if ids else {}
    if missing := [i for i in ids if i not in names]:
        raise NotFoundError(
            f"There is no {read.model} {', '.join(map(str, missing[:SHOWN]))}, or this user may"
            " not see it. Nothing was done.",
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


# Lines that a write deletes ---------------------------------------------------------------------


def _deleted_lines(odoo: Odoo, call: Call) -> dict[str, list[int]]:
    """Return model -> ids of the lines that the values of a call delete; no ids for all lines."""
    found: dict[str, list[int]] = {}
    for argument in (*call.arguments.values(), *call.positional):
        for values in argument if isinstance(argument, (list, tuple)) else [argument]:
            if isinstance(values, Mapping):
                _collect(odoo, call.model, values, found)
    return found


def _collect(
    odoo: Odoo, model: str, values: Mapping[str, Any], found: dict[str, list[int]]
) -> None:
    for name, value in values.items():
        commands = [c for c in value if _is_command(c)] if isinstance(value, (list, tuple)) else []
        if not commands:
            continue
        relation, owned = _relation(odoo, model, name)
        for command in commands:
            number, *rest = command
            if number == _DELETE or (owned and number in (_TAKE_AWAY, _CLEAR, _REPLACE)):
                ids = found.setdefault(relation, [])
                if number in (_DELETE, _TAKE_AWAY) and rest and isinstance(rest[0], int):
                    ids.append(rest[0])
            if len(command) > 2 and isinstance(command[2], Mapping):
                _collect(odoo, relation, command[2], found)


def _is_command(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (int, float))


def _relation(odoo: Odoo, model: str, name: str) -> tuple[str, bool]:
    """Return the model of a field's lines, and whether they belong to one record only."""
    try:
        field = odoo.schema.fields(model).get(name)
    except OdooError:
        field = None
    if field is None or not field.relation:
        return f"{model}.{name}", True
    return field.relation, field.type == "one2many"
