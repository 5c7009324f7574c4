"""Runs a tool's function up to its first change that a person must be asked about.

The function is given a connection with a gate that stops it there. By then the policy has been
asked, names have been resolved and states checked. The question is the plan: all that the tool
would call, shown whole. What is allowed is that, and nothing else is sent after a yes.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from odoo_toolkit.arguments import with_values
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.arguments.values import VALUES
from odoo_toolkit.call import LATER, REFERENCE, Call, is_stand_in, stood_in
from odoo_toolkit.client import Gate
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy.calls import real_access
from odoo_toolkit.policy.contents import file_bytes, is_file, replaced
from odoo_toolkit.policy.implied import Effect, implied

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.plans import Plan, PlannedCall
    from odoo_toolkit.policy import Policy
    from odoo_toolkit_mcp.toolsets.base import Asks, Tool
from odoo_toolkit_mcp.approval_rules import NO_RULES, Rules
from odoo_toolkit_mcp.question import Question
from odoo_toolkit_mcp.untrusted import clean

R = TypeVar("R")

#: A method one of whose words is among these destroys something: ``unlink``, ``button_cancel``.
DESTROYING_WORDS = frozenset({"unlink", "delete", "remove", "cancel"})

#: Characters of a value on one line with others, and of a whole question: nobody reads more.
_SHORT, _LONGEST = 200, 20_000

#: Missing records that an error names.
_SHOWN = 10


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
    """A person must be asked first, or nobody can be."""


@attrs.frozen(kw_only=True)
class _Allowed:
    """What somebody has seen: by model and method the records, None where not all were known."""

    records: Mapping[tuple[str, str], frozenset[int] | None] = attrs.field(factory=dict)

    def __contains__(self, effect: Effect) -> bool:
        key = (effect.model, effect.method)
        if key not in self.records:
            return False
        known = self.records[key]
        return known is None or (effect.ids is not None and known.issuperset(effect.ids))


class _Confirmation(Gate):
    """Stops a tool before what must be asked."""

    def __init__(self, odoo: Odoo, asking: Asking) -> None:
        self._odoo = odoo
        self._asking = asking
        self._announced: list[Call] = []
        self._lock = threading.Lock()
        #: Of what the plan has: all, once it is known that the first change may be made.
        self._allowed: _Allowed | None = None
        self._shown = False
        self._planned: Sequence[PlannedCall] = ()
        self._entry: Any = None
        self._sent: list[str] = []
        self.question: Question | None = None
        self.refused: OdooError | None = None

    def announced(self, call: Call) -> None:
        """Note a write that is to come.

        Where that one destroys something, the person is asked before the first change: a wizard is
        a new record each time, and a yes to one would be none to the next.
        """
        if real_access(call) != "read":
            self._announced.append(call)

    def before(self, call: Call, policy: Policy) -> None:
        """Stop before a write that a person must be asked about and has not been."""
        if real_access(call) == "read":
            return
        with self._lock:
            if self._allowed is None:
                self._allowed = self._decide(call)
                self._entry = _entry()
            elif not self._takes_back():
                self._check_allowed(self._allowed, call)
            self._sent.append(f"{call.model}.{call.method} {list(call.ids or ())}")

    def _takes_back(self) -> bool:
        """Whether it takes back what it has just done itself."""
        entry = _entry()
        own = self._entry and self._entry.id
        return bool(own and entry is not self._entry and entry and entry.undoes == own)

    def _check_allowed(self, allowed: _Allowed, call: Call) -> None:
        """Refuse a later call that needs a yes, and was in no plan.

        Raises:
            AccessError: it is such a one; the call is not sent, and the others stay as they are.
        """
        odoo, asking, effects = self._odoo, self._asking, _effects(self._odoo, [call])
        calls = [_resolved(odoo, one) for one in asking.rules.found(odoo, [call])]
        why = (
            "needs your user's confirmation"
            if self._shown
            else "needs the approval of another user"
        )
        if call.plugin and (self._shown or asking.asks != "never"):
            # Of the toolkit's own it is known that a plan has all that it can have.
            calls += [one for one in effects if self._shown or destroys(one.method)]
        elif self._shown:
            calls += [one for one in effects if one.method == "unlink"]
        beyond = [one for one in calls if one not in allowed]
        if call.plugin and self._shown and not _has_values(odoo, self._planned, call):
            beyond += effects
        if not beyond:
            return
        one, sent = (
            beyond[0],
            f" These calls were sent before it: {', '.join(self._sent)}." if self._sent else "",
        )
        raise AccessError(
            f"{one.model}.{one.method} of {list(one.ids or ())} {why}, but was not in the plan. It"
            f" was not sent.{sent}",
            code="METHOD_BLOCKED",
            suggestion="Make this change in a separate call, on the records as they are now.",
            details={"model": one.model, "method": one.method},
            outcome="not_sent",
        )

    def _decide(self, call: Call) -> _Allowed:
        """Stop before the first change, unless what the tool would do needs no yes, or has one."""
        asking = self._asking
        rules = asking.rules.rules
        asks = asking.asks != "never"
        plan: Plan | None = None
        if asking.tool.plans and (rules or (asks and _has_more(asking))):
            plan = self._stopping(lambda: asking.tool.plan_of(self._odoo, asking.given))
        self._planned = planned = plan.calls if plan else ()
        if rules:
            self._stopping(lambda: _check_known(self._odoo, asking.rules, planned))
        # What a plan lacks, such as the context of the first call, is in that call.
        known = [as_call(one) for one in planned] if plan else self._announced
        calls = [*known, call]
        needs = asking.rules.found(self._odoo, calls) if rules else []
        effects = _effects(self._odoo, calls)
        asks = asks and (asking.asks == "always" or any(destroys(one.method) for one in effects))
        if not needs and not asks:
            return _Allowed()
        self._shown = plan is not None and (asks or bool(call.plugin))
        if call.plugin:
            shown = _Allowed(records=_records(_effects(self._odoo, known), planned))
            self._stopping(lambda: self._check_allowed(shown, call))
        told = call if plan else _told(call, self._announced)
        question = self._stopping(
            lambda: _question(self._odoo, asking, told, calls, plan, of_another=bool(needs))
        )
        if question.digest != (asking.released if needs else asking.approved):
            self.question = self.question or question
            raise _Stopped
        return _Allowed(records=_records(effects, planned))

    def _stopping(self, act: Callable[[], R]) -> R:
        """Return what ``act`` does; where it fails, nothing more is done, whoever would go on."""
        try:
            return act()
        except OdooError as error:
            self.refused = self.refused or error
            raise _Stopped from error


def _has_more(asking: Asking) -> bool:
    """Whether a tool may do more than its first call, of which a person is asked."""
    tool = asking.tool
    alone = tool.asks == "destroying" or tool.access == "delete"
    return tool.asks_about_plan or (asking.asks == "always" and not alone)


def _entry() -> Any:
    """Return the change history's entry of what runs now."""
    from odoo_toolkit.change_history.recording import current

    recording = current()
    return recording.entry if recording else None


def as_call(planned: PlannedCall) -> Call:
    """Return a call of a plan; of its records, those that are known."""
    ids = tuple(number for number in stood_in(planned.ids) if isinstance(number, int))
    arguments = stood_in(planned.arguments)
    context = arguments.pop("context", None)
    return Call(
        model=planned.model,
        method=planned.method,
        ids=ids or None,
        arguments=arguments,
        context=context if isinstance(context, Mapping) else {},
    )


def _told(call: Call, announced: Sequence[Call]) -> Call:
    """Return the call that the question is headed by: one that destroys, if one is to come."""
    coming = [one.method for one in announced if destroys(one.method)]
    return attrs.evolve(call, method=coming[-1]) if coming else call


def _has_values(odoo: Odoo, planned: Iterable[PlannedCall], call: Call) -> bool:
    """Return true if a plan has the values that a call creates or writes.

    A call that needs a record of an earlier one, or fills a wizard in, counts as planned.
    """
    if call.step or call.method not in VALUES:
        return True

    def form(one: Call) -> str:
        read = wired(with_values(one, odoo.schema.described, worded=True))
        return json.dumps(read.arguments, sort_keys=True, default=str)

    return any(
        LATER in one.ids or REFERENCE in str(one.arguments) or form(as_call(one)) == form(call)
        for one in planned
        if (one.model, one.method) == (call.model, call.method)
    )


def _check_known(odoo: Odoo, rules: Rules, planned: Sequence[PlannedCall]) -> None:
    """Refuse what nobody could be shown.

    Raises:
        AccessError: a call needs a yes, and is known only when its turn comes.
    """
    late = [one for one in planned if LATER in one.ids]
    hidden = [f"{one.model}.{one.method}" for one in rules.found(odoo, map(as_call, late))]
    hidden += [one.method for one in late if not one.model]
    if not hidden:
        return
    what = ", ".join(dict.fromkeys(hidden))
    raise AccessError(
        f"{what} needs the approval of another user. The server cannot show which records it"
        " changes until the earlier steps are done. Nothing was done.",
        code="METHOD_BLOCKED",
        suggestion="First make a call without this step or item. Then make this change in a"
        " separate call, on the records that exist then.",
        details={"calls": hidden},
        outcome="not_sent",
    )


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
    if (tool.access == "read" or tool.needs_person) and asking.asks == "always":
        question = _question_before_calling(odoo, asking)
        if question.digest != asking.approved:
            return question
    asks = asking.asks != "never" or asking.rules.rules
    if odoo is None or tool.access == "read" or not asks:
        return tool.function(odoo, **arguments)
    gate = _Confirmation(odoo, asking)
    try:
        result = tool.function(odoo.gated(gate), **arguments)
    except _Stopped:
        result = None
    # Where the function took the stop for a failure of its own, nothing was changed either.
    if gate.refused:
        raise gate.refused
    return gate.question or result


# What the question says ------------------------------------------------------------------------


def _question(
    odoo: Odoo,
    asking: Asking,
    call: Call,
    calls: Sequence[Call],
    plan: Plan | None,
    *,
    of_another: bool,
) -> Question:
    """Return the question about what a tool would do: the plan of it, or the call that it is.

    Raises:
        ValidationError: it is too long to be read; what cannot be shown whole is not asked.
    """
    tool, files = asking.tool, odoo.schema.files(only=True)
    asking = attrs.evolve(asking, given=_without_files(asking.given, files))
    if plan is not None:
        shown_calls = [
            attrs.evolve(one, arguments=_without_files(one.arguments, files)) for one in plan.calls
        ]
        plan = attrs.evolve(plan, calls=shown_calls)
    removed = _removed(_effects(odoo, calls), direct=plan is not None)
    companies = {k: v for k, v in call.context.items() if k == "allowed_company_ids"}
    heading = tool.title
    text: list[str] = []
    if plan is not None:
        text = [heading, *_plan(odoo, asking, plan, companies)]
    else:
        if call.method == "unlink":
            heading = "Delete"
        elif tool.access == "execute":
            heading = f"Call {clean(call.method)}"
        read = Call(model=call.model, method="read", ids=call.ids, acts_on=call.acts_on, step=True)
        text = [f"{heading}: {_counted(odoo, call.model, call.ids)}"]
        text += [*_named(odoo, read, companies), *_source(odoo, asking, call, companies)]
    for model, ids in removed.items():
        text.append(f"This removes {_counted(odoo, model, ids)}")
        text += _named(odoo, Call(model=model, method="read", ids=ids), companies)
    if plan is None or not hasattr(plan, "items"):
        text += _arguments(asking.given, call)
    if call.method == "unlink" or removed:
        text.append("You cannot restore deleted records.")
    text += [tool.consequence] if tool.consequence else []
    facts: list[Any] = [[one.model, one.method, list(one.ids or ())] for one in calls]
    if plan is not None:
        shown: Iterable[Any] = (*plan.calls, *plan.documents, *plan.changes)
        facts += map(attrs.asdict, shown)
    question = _asked(text, asking, odoo.uid, [*facts, removed])
    if (length := len(question.message)) > _LONGEST:
        raise ValidationError(
            f"The user must confirm this plan, which takes {length:,} characters. A confirmation"
            f" prompt can have at most {_LONGEST:,}. Nothing was done.",
            suggestion="Split it into calls with fewer records, rows or items, or with shorter"
            " texts.",
            outcome="not_sent",
        )
    return attrs.evolve(question, of_another=of_another)


def _plan(odoo: Odoo, asking: Asking, plan: Plan, companies: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a plan says, its items, and each call with its records and values."""
    from odoo_toolkit.plans import folded

    items = getattr(plan, "items", None)
    if items is None:
        yield clean(plan.message, None)
    else:
        for one, given in zip(items, asking.given["items"], strict=True):
            yield f"{one.item}. {one.operation}: {clean(one.message, None)}"
            yield from _values(given["arguments"], "   ")
    yield from (clean(document, None) for document in plan.documents)
    for change in plan.changes:
        before, after = (_text(value, _SHORT) for value in (change.before, change.after))
        yield f"- {clean(change.name or change.id)}: {change.field}: {before} -> {after}"
    shown = {_text(value) for value in _values_in(asking.given)}
    for call in folded(plan.calls):
        yield f"Call {clean(call.model)}.{clean(call.method)}: {_ids(call)}"
        known = tuple(n for n in call.ids if isinstance(n, int) and not is_stand_in(n))
        read = Call(model=call.model, method="read", ids=known, step=True)
        yield from _named(odoo, read, companies)
        yield from _values({k: v for k, v in call.arguments.items() if _text(v) not in shown}, "  ")
    yield from (clean(warning, None) for warning in plan.warnings)
    if plan.undo and plan.undo.not_undone:
        yield f"What can't be undone: {clean(' '.join(plan.undo.not_undone), None)}"


def _ids(call: PlannedCall) -> str:
    others = [str(number) for number in call.ids if not isinstance(number, int)]
    count = len(call.ids)
    number = f"{count} {'record' if count == 1 else 'records'}" if count else "new"
    return f"{number} ({', '.join(map(clean, others))})" if others else number


def _values_in(given: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the arguments, and those of the items of a batch."""
    yield from given.values()
    for item in given.get("items") or ():
        if isinstance(item, Mapping) and isinstance(item.get("arguments"), Mapping):
            yield from item["arguments"].values()


def _source(odoo: Odoo, asking: Asking, call: Call, companies: Mapping[str, Any]) -> Iterator[str]:
    """Return lines for the records that a wizard is about, where the call names them."""
    model, ids = asking.given.get("model"), asking.given.get("ids")
    if call.model != model and isinstance(model, str) and isinstance(ids, list) and ids:
        yield f"About {_counted(odoo, model, ids)}"
        yield from _named(odoo, Call(model=model, method="read", ids=ids), companies)


def _question_before_calling(odoo: Odoo | None, asking: Asking) -> Question:
    files = odoo.schema.files(only=True) if odoo else frozenset()
    asking = attrs.evolve(asking, given=_without_files(asking.given, files))
    model, ids = asking.given.get("model"), asking.given.get("ids", asking.given.get("record_id"))
    tool = asking.tool
    text = [tool.title]
    call = None
    if odoo and isinstance(model, str):
        if problem := odoo.policy.model_problem(model, "read"):
            raise problem
        ids = [i for i in (ids if isinstance(ids, list) else [ids]) if isinstance(i, int)]
        call = Call(model=model, method="read", ids=ids)
        text = [f"{asking.tool.title}: {_counted(odoo, model, ids or None)}"]
        text += _named(odoo, call, {})
    text += _arguments(asking.given, call)
    text += [tool.shows(odoo, asking.given)] if odoo and tool.shows else []
    text += [tool.consequence] if tool.consequence else []
    return _asked(text, asking, odoo.uid if odoo else 0, [])


def _asked(text: Sequence[str], asking: Asking, uid: int, affected: Any) -> Question:
    message = "\n".join(text)
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
    """Return a line for each record.

    Raises:
        NotFoundError: one does not exist, or this user cannot see it.
    """
    ids = read.ids or ()
    names = _names(odoo, attrs.evolve(read, context=context)) if ids else {}
    if missing := [i for i in ids if i not in names]:
        raise NotFoundError(
            f"There is no {read.model} {', '.join(map(str, missing[:_SHOWN]))}, or this user cannot"
            " see it. Nothing was done.",
            suggestion="Look up the records, and remove the ids that do not exist.",
            details={"model": read.model, "ids": missing},
        )
    for record_id in ids:
        name = clean(names[record_id])
        yield f"- {name} (id {record_id})" if name else f"- id {record_id}"


def _names(odoo: Odoo, read: Call) -> dict[int, str]:
    try:
        rows = odoo.call(attrs.evolve(read, arguments={"fields": ["display_name"]}))
    except AccessError as error:
        if error.code != "FIELD_BLOCKED":
            raise
        # The operator closed the names: the ids have to do, and Odoo tells of missing records.
        return dict.fromkeys(read.ids or (), "")
    return {row["id"]: row.get("display_name") or "" for row in rows}


def _arguments(given: Mapping[str, Any], call: Call | None) -> Iterator[str]:
    """Yield the arguments that the heading does not show."""
    said: dict[str, Any] = {}
    if call is not None:
        ids = list(call.ids or ())
        said = {"model": call.model, "method": call.method, "ids": ids}
        said["record_id"] = ids[0] if len(ids) == 1 else None
    yield from _values({k: v for k, v in given.items() if k not in said or v != said[k]}, "")


def _values(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Yield a line for each value, the short ones first: nothing is hidden behind a long one.

    A mapping that is long has its own values on lines of their own.
    """
    told = {str(k): (v, _text(v)) for k, v in values.items() if v not in (None, "", [], {})}
    for name, (value, text) in sorted(told.items(), key=lambda item: len(item[1][1])):
        rows = value if isinstance(value, (list, tuple)) else [value]
        if len(text) > _SHORT and all(isinstance(row, Mapping) for row in rows):
            for place, row in enumerate(rows, 1):
                yield f"{indent}{clean(name)}{f' {place}' if len(rows) > 1 else ''}:"
                yield from _values(row, f"{indent}  ")
        else:
            yield f"{indent}{clean(name)}: {text}"


def _text(value: Any, longest: int | None = None) -> str:
    """Return a value on one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return clean(text, longest)


def _without_files(value: Any, files: frozenset[str]) -> Any:
    """Return a value with size and digest in place of the content of files."""

    def tell(name: str, content: Any) -> Any:
        if not (isinstance(content, str) and content and (is_file(name) or name in files)):
            return content
        data = file_bytes(content, name)
        if data is None:  # it is told whole what Odoo would make something of
            return content
        return f"(a file of {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()})"

    return replaced(value, tell)


# What is deleted -------------------------------------------------------------------------------


def _effects(odoo: Odoo, calls: Iterable[Call]) -> list[Effect]:
    """Return all that calls amount to, with the records as far as they can be told."""
    found = [one for call in calls for one in implied(call, odoo.schema.described)]
    return [one for one in (_resolved(odoo, each) for each in found) if one.ids != ()]


def _resolved(odoo: Odoo, effect: Effect) -> Effect:
    """Return an effect with its records: lines that are taken away at once are looked up."""
    if effect.within is None:
        return attrs.evolve(effect, ids=effect.ids or None)
    lines = _lines(odoo, *effect.within)
    ids = None if lines is None else tuple(i for i in lines if i not in (effect.ids or ()))
    return attrs.evolve(effect, ids=ids, within=None)


def _removed(effects: Iterable[Effect], *, direct: bool) -> dict[str, list[int] | None]:
    """Return the records that are deleted, by model; None where it cannot be told which.

    Args:
        effects: of all calls.
        direct: also by a call that does nothing else.
    """
    found: dict[str, list[int] | None] = {}
    for one in effects:
        if one.method != "unlink" or not (one.place or direct):
            continue
        known = found.setdefault(one.model, [])
        if known is None or one.ids is None:
            found[one.model] = None
        else:
            known += [i for i in one.ids if i not in known and not is_stand_in(i)]
    return {model: ids for model, ids in found.items() if ids != []}


def _lines(odoo: Odoo, model: str, of: tuple[int, ...] | None, name: str) -> list[int] | None:
    """Return the lines that records have now; None where that cannot be told."""
    if not of or name not in odoo.schema.described(model):
        return None
    read = Call(
        model=model,
        method="read",
        ids=of,
        arguments={"fields": [name]},
        context={"active_test": False},
        internal=True,
    )
    try:
        return [line for row in odoo.call(read) for line in row[name]]
    except OdooError:
        return None


def _records(
    effects: Iterable[Effect], planned: Iterable[PlannedCall]
) -> dict[tuple[str, str], frozenset[int] | None]:
    """Return the records of each model and method; None where not all are known beforehand."""
    found: dict[tuple[str, str], frozenset[int] | None] = {
        (one.model, one.method): None
        for one in planned
        if not all(isinstance(number, int) for number in one.ids)
    }
    for one in effects:
        key = (one.model, one.method)
        ids = None if one.ids is None or any(map(is_stand_in, one.ids)) else frozenset(one.ids)
        known = found.get(key, frozenset())
        found[key] = None if known is None or ids is None else known | ids
    return found
