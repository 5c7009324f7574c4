"""Running a wizard: context, defaults, the caller's answers, the button, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from odoo_toolkit.arguments import read_commands, wire
from odoo_toolkit.call import Access, Call, default_access
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, ValidationError, WizardRequiredError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.calls import KNOWN_KEYS, check_showing
from odoo_toolkit.policy.names import holds_template
from odoo_toolkit.wizards.actions import action_context, is_action, is_wizard_action, kept
from odoo_toolkit.wizards.catalog import KnownWizard, known_wizard
from odoo_toolkit.wizards.description import MAGIC_FIELDS, describe_wizard, form_of

#: Wizards that run one after another without anybody being asked.
MOST_IN_A_CHAIN = 3

Kind = Literal["done", "action", "report", "url", "wizard"]

#: Types of actions that have a kind of their own.
_KINDS: dict[str, Kind] = {
    "ir.actions.act_window_close": "done",
    "ir.actions.report": "report",
    "ir.actions.act_url": "url",
}


@attrs.frozen(kw_only=True)
class WizardOutcome:
    """What came of a wizard.

    Attributes:
        done: whether the operation is complete; False only when another wizard has to be
            answered (kind ``wizard``).
        kind: ``done`` with nothing to open, ``action`` with records to show, ``report``, ``url``,
            or ``wizard``.
        action: what a client would open, if anything; for ``wizard``, give it to
            :func:`answer_wizard` or :func:`describe_wizard`.
        result: what the last wizard's method returned.
        wizard_id: the last wizard's record, which Odoo deletes by itself after a while.
        model: the last wizard's model.
    """

    done: bool
    kind: Kind
    action: dict[str, Any] | None = None
    result: Any = None
    wizard_id: int
    model: str


def answer_wizard(
    odoo: Odoo,
    wizard: str | Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    source: tuple[str, Sequence[int]] | None = None,
    method: str | None = None,
    context: Mapping[str, Any] | None = None,
    free: bool = False,
) -> WizardOutcome:
    """Answer a wizard and press its button: three round trips on a warm schema.

    Wizards that follow and are known to be harmless run by themselves, at most three in all.
    What became of the records is for the caller to read: a wizard may succeed and change nothing.

    >>> answer_wizard(odoo, "account.payment.register", {"amount": 100.0},
    ...               source=("account.move", [42]))

    Args:
        odoo: the connection.
        wizard: the action that a method returned, or the name of the wizard's model.
        values: answers that differ from the defaults, in the form that Odoo takes.
        source: model and ids of the records that the wizard acts on. In restricted mode it is
            this model that must be in the write allowlist, not the wizard's.
        method: the button; by default the catalogue's, else the only one of the wizard's form.
        context: extends the context of source and action.
        free: whether a caller has shaped all this, and not one of the toolkit's operations.

    Raises:
        ValidationError: it has several buttons and none was named; nothing was done.
        AccessError: Odoo or the policy does not allow it.
        OdooError: Odoo refused; nothing was done.
    """
    for left in range(MOST_IN_A_CHAIN - 1, -1, -1):
        asked = dict(values or {})
        outcome = _run_one(odoo, wizard, asked, source, method, dict(context or {}), free)
        if outcome.kind != "wizard" or outcome.action is None or not left:
            return outcome
        known = known_wizard(outcome.action["res_model"], odoo.version.major)
        if known is None or not known.runs_by_itself:
            return outcome
        wizard, values, method = outcome.action, None, None
    raise AssertionError("unreachable")


def _run_one(
    odoo: Odoo,
    wizard: str | Mapping[str, Any],
    values: dict[str, Any],
    source: tuple[str, Sequence[int]] | None,
    method: str | None,
    context: dict[str, Any],
    free: bool,
) -> WizardOutcome:
    action: Mapping[str, Any] = {"res_model": wizard} if isinstance(wizard, str) else wizard
    model = action.get("res_model")
    if not isinstance(model, str) or not model:
        raise ValidationError(
            "This action does not open a wizard.",
            suggestion="Pass an action whose res_model is a wizard.",
        )
    # Only what the catalogue knows to be a wizard is judged by its source: any model could be
    # named here as "wizard", and would be written on the strength of another's allowlist.
    known = known_wizard(model, odoo.version.major)
    acts_on = source[0] if source and known else None
    context = _full_context(odoo, action, source, context)
    method = method or _button(odoo, model, action)
    # What a known wizard is answered with is understood, but for texts that Odoo would render.
    step = known is not None and not (odoo.policy.renders(model) and holds_template(values))
    if free and known is not None:
        understood = as_step(odoo.policy, known, values, source, method, context)
        step, context = understood is not None, context if understood is None else understood
        acts_on = acts_on if step else None
    create, press = _calls(model, values, method, context, acts_on, step)
    # Asked first, so that nothing at all is sent when the policy forbids the operation.
    odoo.check(press)
    wizard_id = action.get("res_id") or None
    if wizard_id is None:
        vals = {**_defaults(odoo, model, values, context, acts_on, step), **values}
        created = fill_in(odoo, attrs.evolve(create, arguments={"vals_list": vals}))
        wizard_id = created[0] if isinstance(created, list) else created
    elif values:
        write = attrs.evolve(create, method="write", ids=(wizard_id,), arguments={"vals": values})
        fill_in(odoo, attrs.evolve(write, access="write"))
    result = odoo.call(attrs.evolve(press, ids=(wizard_id,)))
    return _interpret(odoo, model, wizard_id, result)


def fill_in(odoo: Odoo, call: Call) -> Any:
    """Fill in a wizard's form; where the answer is lost, its button was not pressed."""
    try:
        return odoo.call(call)
    except OdooConnectionError as error:
        if error.outcome != "maybe_applied" or not call.step:
            raise
        raise OdooConnectionError(
            "The response was lost while the wizard was being filled in. Its button was not "
            "pressed.",
            code=error.code,
            suggestion="Nothing has been done. Repeat the call.",
            details=error.details,
            outcome="rolled_back",
            retry=True,
        ) from None


def wizard_calls(
    odoo: Odoo,
    model: str,
    values: Mapping[str, Any],
    source: tuple[str, Sequence[int]],
    method: str | None = None,
) -> list[Call]:
    """Return the writing calls by which :func:`answer_wizard` answers a known wizard.

    For a dry run: the defaults are not in it, and the button's ids are only known later.

    Raises:
        ValidationError: the wizard has several buttons, or there are no records.
    """
    context = _full_context(odoo, {}, source, {})
    method = method or _button(odoo, model, {"res_model": model})
    create, press = _calls(model, dict(values), method, context, source[0], True)
    return [create, attrs.evolve(press, ids=None)]


def _calls(
    model: str,
    values: dict[str, Any],
    method: str,
    context: dict[str, Any],
    acts_on: str | None,
    step: bool,
) -> tuple[Call, Call]:
    create = Call(
        model=model,
        method="create",
        arguments={"vals_list": values},
        context=context,
        access="write" if step else "create",
        acts_on=acts_on,
        step=step,
    )
    access: Access = "write" if step else default_access(method)
    # The id is not known before the wizard is created.
    return create, attrs.evolve(create, method=method, ids=(), arguments={}, access=access)


def _full_context(
    odoo: Odoo,
    action: Mapping[str, Any],
    source: tuple[str, Sequence[int]] | None,
    context: dict[str, Any],
) -> dict[str, Any]:
    active: dict[str, Any] = {}
    if source:
        model, ids = source[0], list(source[1])
        if not ids:
            raise ValidationError(f"There are no {model} records for the wizard to act on.")
        active = {"active_model": model, "active_id": ids[0], "active_ids": ids}
    carried = action_context(action, {**active, "uid": odoo.uid})
    # What an action carries is meant for the wizard, also where it names other records.
    return {**active, **carried, **context}


def _defaults(
    odoo: Odoo,
    model: str,
    values: Mapping[str, Any],
    context: dict[str, Any],
    acts_on: str | None,
    step: bool,
) -> dict[str, Any]:
    """Return Odoo's own answers for the fields that were not given."""
    described = odoo.policy.readable_fields(model, odoo.schema.fields)
    names = [name for name in described if name not in values and name not in MAGIC_FIELDS]
    defaults = odoo.call(
        Call(
            model=model,
            method="default_get",
            arguments={"fields": names},
            context=context,
            acts_on=acts_on,
            step=step,
        )
    )
    return {
        name: _writable(value, described[name])
        for name, value in defaults.items()
        if name in described
    }


def _writable(value: Any, field: Field) -> Any:
    """Return a default in a form that ``create`` takes."""
    if field.type not in TO_MANY:
        return value
    # Lines come as objects or as commands; clearing what is new is pointless.
    commands = read_commands(value, field.name, default=True)
    return wire(command for command in commands if command.kind != "clear")


def _button(odoo: Odoo, model: str, action: Mapping[str, Any]) -> str:
    known = known_wizard(model, odoo.version.major)
    if known:
        return known.action_method
    methods = list(dict.fromkeys(button.method for button in form_of(odoo, action).buttons))
    if len(methods) == 1:
        return methods[0]
    raise ValidationError(
        f"The wizard {model} has {'several buttons' if methods else 'no button that acts'}.",
        suggestion=f"Set method to one of {', '.join(methods)}."
        if methods
        else "Set method to the method to call.",
        details={"model": model, "methods": methods},
    )


def _interpret(odoo: Odoo, model: str, wizard_id: int, result: Any) -> WizardOutcome:
    if not is_action(result):
        return WizardOutcome(
            done=True, kind="done", result=result, wizard_id=wizard_id, model=model
        )
    kind = _KINDS.get(result["type"], "action")
    if is_wizard_action(odoo, result):
        kind = "wizard"
    return WizardOutcome(
        done=kind != "wizard",
        kind=kind,
        action=None if kind == "done" else kept(result),
        result=result,
        wizard_id=wizard_id,
        model=model,
    )


def unanswered(odoo: Odoo, action: Mapping[str, Any]) -> WizardRequiredError:
    """Return the error for a wizard that a business operation cannot answer by itself.

    Its details are the :class:`~odoo_toolkit.wizards.description.WizardDescription`.
    """
    described = describe_wizard(odoo, action)
    return WizardRequiredError(
        f"Odoo asks a question first, in the wizard {described.wizard_model}.",
        suggestion=described.instructions,
        details=attrs.asdict(described),
    )


_ACTIVE = frozenset({"active_model", "active_id", "active_ids"})


def as_step(
    policy: Policy,
    known: KnownWizard,
    values: Mapping[str, Any],
    source: tuple[str, Sequence[int]] | None,
    method: str,
    context: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Return the context with which a caller's answers to a wizard are sent as a step.

    While the mode or a list binds, only the catalogue's questions are answered, with plain values,
    on records of the wizard's own source; of the context only what it needs is kept.

    Args:
        policy: decides what binds.
        known: the wizard.
        values: the answers.
        source: model and ids of the records that it acts on.
        method: the button.
        context: of the call, ``active_*`` included.

    Returns:
        None where it is not understood: then it is a free call, and judged by itself.

    Raises:
        AccessError: a key of the context could show what is closed.
    """
    model = source[0] if source else context.get("active_model", known.source_model)
    if method not in known.buttons or model != known.source_model:
        return None
    if policy.renders(known.model) and holds_template([values, context]):
        return None
    if policy.mode == "full" and not policy.closes:
        check_showing(policy, context)
        return dict(context)
    asked = {name: value for name, value in values.items() if value is not None}
    if known.beyond or not source or not (asked.keys() <= known.fields.keys()):
        return None
    if not all(map(is_plain, asked.values())):
        return None
    needed = {*known.context_keys, *(f"default_{name}" for name in known.fields)} - _ACTIVE
    kept = {key: value for key, value in context.items() if key in needed}
    if not all(map(is_plain, kept.values())):
        # Without it, the wizard would do something else.
        return None
    kept |= {
        key: context[key]
        for key, (fits, _) in KNOWN_KEYS.items()
        if key in context and fits(context[key])
    }
    ids = list(source[1])
    return {**kept, "active_model": model, "active_id": ids[0], "active_ids": ids}


def is_plain(value: Any) -> bool:
    """Whether a value is a scalar, or says which records are meant and no more."""
    if value is None or isinstance(value, (str, int, float)):
        return True
    try:
        commands = read_commands(value, "values")
    except ValidationError:
        return False
    return all(command.kind in ("link", "set") for command in commands)
