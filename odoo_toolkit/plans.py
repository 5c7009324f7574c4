"""Plans, which functions that write return for ``dry_run``.

The toolkit resolves names, checks states and values, and asks the policy. It writes nothing.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

import attrs

from odoo_toolkit.annotations import IdempotencyKey, annotate
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.digests import of_arguments
from odoo_toolkit.change_history.keys import plan_with_key, run_once
from odoo_toolkit.change_history.undo_preview import Undo, foretold, policy_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.values.scalars import short_repr
from odoo_toolkit.wizards.catalog import known_wizard

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound="Plan")
S_co = TypeVar("S_co", bound="Plan", covariant=True)

#: Characters of a result's message that the change history keeps.
_LONGEST = 2000


@attrs.frozen(kw_only=True)
class PlannedCall(Shown):
    """A call that would be sent. An id that an earlier call creates is written as a string.

    In a batch, ``ids`` says if an item acts on a record of an earlier item, or on records that a
    later step finds. If only the operation is known, ``model`` is empty.
    """

    model: str
    method: str
    ids: list[Any]
    arguments: dict[str, Any]

    def __str__(self) -> str:
        arguments = [str(self.ids)] if self.ids else []
        arguments += [f"{name}={value!r}" for name, value in self.arguments.items()]
        return f"{self.model}.{self.method}({', '.join(arguments)})"


def folded(calls: Sequence[PlannedCall]) -> list[PlannedCall]:
    """Return planned calls for people: neighbors that differ only in their records become one."""
    shown: list[PlannedCall] = []
    for call in calls:
        last = shown[-1] if shown else None
        if last and call.ids and last.ids and attrs.evolve(last, ids=call.ids) == call:
            shown[-1] = attrs.evolve(last, ids=[*last.ids, *call.ids])
        else:
            shown.append(call)
    return shown


@attrs.frozen(kw_only=True)
class PlannedChange(Shown):
    """A value that would change.

    Attributes:
        id: Id of the record.
        field: Name of the field. In an import, the column of the rows.
        before: Value before, as ``read`` returns it.
        after: Value to write. In an import, the value of the row.
        name: Name of the record.
        before_label, after_label: Labels of a selection.
        row: Row number in an import.
    """

    id: int
    field: str
    before: Any
    after: Any
    name: str | None = None
    before_label: str | None = None
    after_label: str | None = None
    row: int | None = None


@attrs.frozen(kw_only=True)
class PlannedLine(Shown):
    """A line of a planned document, in names and money. None means unknown.

    Attributes:
        product: Name of the product.
        name: Text of the line, if it differs from the product's name.
        taxes: Names of the taxes. An empty list means no taxes.
        subtotal: Amount without taxes, after the discount.
        available: Free stock of the product, in the unit of the line.
        kind: ``section`` or ``note`` if the line has no product.
        change: Change to an existing document: added, changed or removed.
    """

    product: str | None = None
    name: str | None = None
    quantity: float | None = None
    uom: str | None = None
    price_unit: float | None = None
    discount: float = 0.0
    taxes: list[str] | None = None
    subtotal: float | None = None
    available: float | None = None
    kind: str | None = None
    change: str | None = None

    def __str__(self) -> str:
        said = " ".join(filter(None, [self.product, self.name and f"({self.name})"]))
        if self.kind:
            return f"{self.kind}: {self.name}"
        number = f"{self.quantity:g} {self.uom or ''}".strip() if self.quantity is not None else ""
        parts = [f"{self.change}:" if self.change else "", number, said]
        if self.price_unit is not None:
            parts.append(f"at {self.price_unit:,.2f}")
        if self.discount:
            parts.append(f"less {self.discount:g} %")
        if self.subtotal is not None:
            parts.append(f"= {self.subtotal:,.2f}")
        if self.taxes:
            parts.append(f"plus {', '.join(self.taxes)}")
        if self.available is not None:
            parts.append(f"[{self.available:g} available]")
        return " ".join(filter(None, parts))


@attrs.frozen(kw_only=True)
class PlannedDocument(Shown):
    """An order, invoice or transfer as it is, or as Odoo would create it.

    None means that a value is unknown or does not apply.

    Attributes:
        name: Number of the document, or its kind if it does not exist yet.
        url: Address of the document in Odoo's web client.
        state: Current state.
        partner: Customer or vendor.
        date: Date of the order or invoice.
        accounting_date: Day on which Odoo books an invoice.
        due_date: Due date of the payment.
        delivery_date: Date on which the goods are promised or expected.
        amount_due: Amount that is still unpaid.
        notes: Values that Odoo decides later, and quantities that stock does not cover.
    """

    model: str
    id: int | None = None
    name: str
    url: str | None = None
    state: str | None = None
    partner: str | None = None
    date: str | None = None
    accounting_date: str | None = None
    due_date: str | None = None
    delivery_date: str | None = None
    payment_term: str | None = None
    lines: list[PlannedLine] = attrs.Factory(list)
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    amount_due: float | None = None
    currency: str | None = None
    notes: list[str] = attrs.Factory(list)

    @property
    def brief(self) -> str:
        """Whose it is, and how much: ``Azure Interior, total 345.00 EUR``; what is known of it."""
        total = self.amount_total
        money = f"total {total:,.2f} {self.currency or ''}".strip() if total is not None else None
        return ", ".join(filter(None, [self.partner, money]))

    def __str__(self) -> str:
        booked = self.accounting_date if self.accounting_date != self.date else None
        dates = {"booked": booked, "due": self.due_date, "delivery": self.delivery_date}
        parts = [self.name, self.partner, self.date]
        parts += [f"{what} {day}" for what, day in dates.items() if day]
        head = ", ".join(filter(None, parts))
        lines = "; ".join(map(str, self.lines))
        amounts = {
            "untaxed": self.amount_untaxed,
            "taxes": self.amount_tax,
            "total": self.amount_total,
            "due": self.amount_due,
        }
        sums = [f"{what} {money:,.2f}" for what, money in amounts.items() if money is not None]
        money = f"{', '.join(sums)} {self.currency or ''}".strip() if sums else ""
        told = [head, lines, money, *self.notes]
        return ". ".join(text.rstrip(".") for text in told if text)


@attrs.frozen(kw_only=True)
class Plan(Shown):
    """The result of a dry run. Names and states were checked, and nothing was written.

    Odoo may still reject the calls when they are sent.

    Attributes:
        needs: What you need to run it, if the mode of this connection does not allow it.
        documents: Documents that would be created or changed, see :class:`PlannedDocument`.
        changes: Values before and after, if fields would change.
        warnings: Differences between your request and the plan.
        calls: Calls that would be sent, in order.
        undo: How to undo these calls afterwards, see :func:`odoo_toolkit.undo`. In the plan of an
            undo, this is how to undo the undo: not whether it is possible.
    """

    dry_run: bool = attrs.field(repr=False)
    message: str
    needs: str | None = None
    documents: list[PlannedDocument] = attrs.Factory(list)
    changes: list[PlannedChange] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    calls: list[PlannedCall]
    undo: Undo | None = None


def merged(kind: type[S], plans: Sequence[Plan], **own: Any) -> S:
    """Return several plans as one.

    Args:
        kind: its class.
        plans: in order; their messages follow each other.
        own: attributes that differ, and those that only this class has.
    """
    lists = ("documents", "changes", "warnings", "calls")
    of_all = {name: [one for plan in plans for one in getattr(plan, name)] for name in lists}
    needs = next((plan.needs for plan in plans if plan.needs), None)
    message = " ".join(plan.message for plan in plans)
    return kind(**{"dry_run": True, "message": message, "needs": needs, **of_all, **own})


def planned(
    odoo: Odoo,
    calls: Sequence[Call],
    message: str,
    *,
    documents: Sequence[PlannedDocument] = (),
    changes: Sequence[PlannedChange] = (),
    warnings: Sequence[str] = (),
) -> Plan:
    """Return the plan of some calls, after asking the policy about each.

    Args:
        odoo: the connection.
        calls: what would be sent, in order.
        message: a sentence that says what would be done.
        documents: what it is about. Of one with lines, the sentence says whose it is and how much.
        changes: the values before and after it.
        warnings: what would go otherwise than asked.

    Raises:
        AccessError: the policy forbids a call in every mode.
    """
    for call in calls:
        odoo.check(call, planned=True)
    if len(documents) == 1 and documents[0].lines and documents[0].brief:
        message = f"{message.removesuffix('.')}: {documents[0].brief}."
    return Plan(
        dry_run=True,
        message=message,
        needs=_needs(odoo, calls),
        calls=[
            PlannedCall(
                model=call.model,
                method=call.method,
                ids=list(call.ids or ()),
                arguments=by_name(call),
            )
            for call in calls
        ],
        documents=list(documents),
        changes=list(changes),
        warnings=list(warnings),
    )


def _with_undo(odoo: Odoo, plan: Any) -> Any:
    """Return a plan with what could be taken back of it."""
    if not isinstance(plan, Plan) or not plan.calls or plan.undo:
        return plan
    version = odoo.version.major
    calls = [(call.model, call.method, call.arguments) for call in plan.calls]
    told = foretold(
        calls,
        version,
        lambda model: known_wizard(model, version) is not None,
        refused=policy_of(odoo),
    )
    return attrs.evolve(plan, undo=told)


def by_name(call: Call) -> dict[str, Any]:
    """Return the arguments; those that have no name are numbered.

    The context of a caller's own call can hold values, too.
    """
    unnamed = {f"argument {place}": value for place, value in enumerate(call.positional, 1)}
    context = {"context": dict(call.context)} if call.context and not call.step else {}
    return {**unnamed, **call.arguments, **context}


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
    def __call__(self, *args: Any, idempotency_key: str | None, **kwargs: Any) -> R_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class Operation(Planning[P, R_co, S_co], Protocol):
    """A function that does something, or only tells what it would do."""

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> S_co:
        """Return what would be done with the same arguments: names resolved, nothing written."""
        ...


def operation(function: Callable[P, R | Plan]) -> Operation[P, R, Plan]:
    """Give a function with the keyword ``dry_run`` its types, :meth:`Operation.plan` and a key.

    It stays the function that it is: its other parameters, its annotations, how it is pickled.
    """
    return operation_with(Plan)(function)


def operation_with(plan_class: type[S]) -> Callable[[Callable[P, R | S]], Operation[P, R, S]]:
    """Do the same for a function whose plans say more, in a class of their own."""

    def decorated(operates: Callable[P, R | S]) -> Operation[P, R, S]:
        name, act = operates.__qualname__, cast(Any, operates)
        own = inspect.signature(operates)
        home = ".".join(operates.__module__.split(".")[1:3])

        @functools.wraps(operates)
        def function(odoo: Odoo, *args: Any, **kwargs: Any) -> Any:
            key = kwargs.pop(_KEYWORD, None)
            given = own.bind(odoo, *args, **kwargs).arguments
            _check_shapes(operates, given)
            digest = "" if key is None else of_arguments(odoo, f"{home}.{name}", own, given)
            if kwargs.get("dry_run"):
                planned = _with_undo(odoo, act(odoo, *args, **kwargs))
                return planned if key is None else plan_with_key(odoo, key, digest, planned)
            if key is not None:
                return run_once(odoo, name, key, digest, lambda: act(odoo, *args, **kwargs))
            if not isinstance(odoo.history, History):
                return act(odoo, *args, **kwargs)
            with odoo.history.operation(odoo, name) as recording:
                result = act(odoo, *args, **kwargs)
                said = recording.entry.message or str(getattr(result, "message", ""))
                recording.entry.message = said[:_LONGEST]
            return result

        def plan(*args: Any, **kwargs: Any) -> Any:
            return cast(Any, function)(*args, **{**kwargs, "dry_run": True})

        _add_key(function, own)
        plan.__module__, plan.__qualname__ = function.__module__, f"{name}.plan"
        plan.__doc__ = (
            f"Return what :func:`{name}` would do with the same arguments; write nothing."
        )
        function.plan = plan  # type: ignore[attr-defined]
        return cast("Operation[P, R, S]", function)

    return decorated


def _check_shapes(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse a list or a mapping where one value is asked for, and the other way round.

    A word is not a Boolean, as "no" would count as true.

    Raises:
        ValidationError: there is one.
    """
    for name, (wrong, takes) in _shapes(function).items():
        if isinstance(value := given.get(name), wrong):
            raise ValidationError(
                f"{name} must be {takes}, got {short_repr(value)}.",
                suggestion=f"Set {name} to {takes}.",
                details={"field": name},
            )


_ONE: tuple[tuple[type, ...], str] = (Mapping, list, tuple, set), "one value"
_SEVERAL: tuple[tuple[type, ...], str] = (Mapping,), "a list"
_BOOLEAN: tuple[tuple[type, ...], str] = (*_ONE[0], str, bytes, float), "True or False"


@functools.cache
def _shapes(function: Callable[..., Any]) -> dict[str, tuple[tuple[type, ...], str]]:
    """Return parameter -> what it does not take, and what it takes."""
    try:
        hints = typing.get_type_hints(function)
    except NameError:  # a function of others, with a name that only type checkers see
        return {}
    return {name: shape for name, hint in hints.items() if (shape := _shape(hint))}


def _shape(hint: Any) -> tuple[tuple[type, ...], str] | None:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, UnionType):
        shapes = {_shape(one) for one in typing.get_args(hint) if one is not type(None)}
        return shapes.pop() if len(shapes) == 1 else None
    if hint is bool:
        return _BOOLEAN
    if hint in (str, int, float) or origin is Literal:
        return _ONE
    return _SEVERAL if origin in (list, Sequence) else None


def _add_key(function: Any, own: inspect.Signature) -> None:
    """Have the signature and annotations of a function show its key."""
    added = inspect.Parameter(
        _KEYWORD, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None"
    )
    function.__signature__ = own.replace(parameters=[*own.parameters.values(), added])
    result = {"return": function.__annotations__["return"]}
    annotate(function, {**function.__annotations__, _KEYWORD: IdempotencyKey, **result})


#: The keyword of each of these functions that makes a repeat safe.
_KEYWORD = "idempotency_key"
