"""Any wizard: told what it asks, or answered, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import Context, JsonSchema, Values
from odoo_toolkit.call import default_access
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.records.arguments import Ids, optional_ids, readable_of
from odoo_toolkit.records.reading_back import NAMES_AND_STATES, checked_return_fields, read_back
from odoo_toolkit.records.results import Record, WizardResult
from odoo_toolkit.values import to_wire
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import is_id
from odoo_toolkit.wizards.actions import action_context, is_transient, opened_ids
from odoo_toolkit.wizards.catalog import known_wizard
from odoo_toolkit.wizards.description import describe_wizard
from odoo_toolkit.wizards.protocol import WizardOutcome, answer_wizard

#: Records that came of a wizard and are told.
_SHOWN = 20

Source = tuple[str, list[int]]


def run_wizard(
    odoo: Odoo,
    wizard: Annotated[
        str | Mapping[str, Any],
        JsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]}),
        Doc("The wizard's model, or the action that opened it."),
    ],
    values: Annotated[Values | None, Doc("Answers other than the defaults.")] = None,
    model: Annotated[str | None, Doc("Of the records that it acts on.")] = None,
    ids: Ids = (),
    method: Annotated[str | None, Doc("Of the button, where there are several.")] = None,
    context: Context = None,
    describe: Annotated[bool, Doc("Only tell what it asks.")] = False,
) -> WizardResult:
    """Answer a wizard and press its button, and tell what became of the records.

    Three round trips on a warm schema, and one that reads the records. A wizard that the catalogue
    does not know is asked for its form first, unless ``method`` is given. Wizards that follow and
    are known to be harmless run by themselves; another one is described in the result.

    >>> run_wizard(odoo, "account.payment.register", {"amount": 100.0}, "account.move", [42])

    Args:
        odoo: the connection.
        wizard: the name of the wizard's model, or the action that a method returned.
        values: answers that differ from the defaults, forms as in :func:`create`.
        model: of the records that the wizard acts on; by default the context's ``active_model``.
        ids: of these records.
        method: what its button calls; by default the catalogue's, else the only one of its form.
        context: extends that of the action, such as a description's ``context_hint``.
        describe: whether only to tell what it asks; no button is pressed.

    Returns:
        ``records`` are those that it opened, else those that it acted on, as they are now.

    Raises:
        ValidationError: it is no wizard, an answer is wrong, or it has several buttons and none
            was named; nothing was done.
        AccessError: Odoo or the policy does not allow it. Outside full mode only wizards of the
            catalogue pass, with its questions and buttons, on models of the write allowlist.
        OdooError: Odoo refused; nothing was done.
    """
    given = _given(model, optional_ids(ids))
    action = _action(odoo, wizard, plain(context), given)
    name = action["res_model"]
    if problem := odoo.policy.model_problem(name, "read"):
        raise problem
    known = known_wizard(name, odoo.version.major)
    if known is None and not is_transient(odoo, name):
        raise ValidationError(
            f"{name} is no wizard.", suggestion="Use create, write or execute for its records."
        )
    source = _taken_from(action["context"]) or given
    if describe:
        asks = describe_wizard(odoo, action, source)
        message = "Nothing was done: this is what it asks."
        return WizardResult(done=False, message=message, wizard=asks)
    if method and default_access(method) != "execute":
        raise ValidationError(
            f"{method} is no button of {name}.", suggestion="Leave method out, or describe it."
        )
    fields_of = readable_of(odoo)
    answers = to_wire(plain(values or {}), name, fields_of(name), fields_of=fields_of)
    try:
        outcome = answer_wizard(odoo, action, answers, source=source, method=method, free=True)
    except AccessError as error:
        if known and known.function and error.code == "MODE_VIOLATION":
            error.suggestion += f" {known.function} does what is usual."
        raise
    return _told(odoo, outcome, source, given or source)


def _given(model: str | None, ids: list[int]) -> Source | None:
    if bool(model) != bool(ids):
        raise ValidationError(
            "The records that the wizard acts on take both model and ids.",
            suggestion="Give both, or leave both out.",
        )
    return (model, ids) if model else None


def _action(odoo: Odoo, wizard: Any, context: Any, given: Source | None) -> dict[str, Any]:
    """Return the action that opens a wizard, with its context as a mapping."""
    action = {"res_model": wizard} if isinstance(wizard, str) else plain(wizard)
    if not isinstance(action, dict) or not isinstance(action.get("res_model"), str):
        raise ValidationError(
            "This opens no wizard.",
            suggestion="Give the name of its model, or an action with res_model.",
        )
    if action.get("res_id") and not is_id(action["res_id"]):
        raise ValidationError("The action's res_id is no record id.", suggestion="Leave it out.")
    if not isinstance(context or {}, Mapping):
        raise ValidationError("context must be an object.", suggestion="Give e.g. {'lang': 'fr'}.")
    names: dict[str, Any] = {"uid": odoo.uid}
    if given:
        names |= {"active_model": given[0], "active_id": given[1][0], "active_ids": given[1]}
    return {**action, "context": {**action_context(action, names), **(context or {})}}


def _taken_from(context: dict[str, Any]) -> Source | None:
    """Take from a context the records that it says a wizard acts on.

    They win over those on which the method was called: the action was made for them.
    """
    model = context.pop("active_model", None)
    first, ids = context.pop("active_id", None), context.pop("active_ids", None)
    found = optional_ids(ids or first or None)
    return (model, found) if isinstance(model, str) and found else None


def _told(
    odoo: Odoo, outcome: WizardOutcome, source: Source | None, about: Source | None
) -> WizardResult:
    """Return what came of a wizard; that it ran stays true whatever cannot be read now."""
    warnings: list[str] = []
    if outcome.kind == "wizard" and outcome.action is not None:
        next_name = outcome.action["res_model"]
        asks = None
        try:
            asks = describe_wizard(odoo, outcome.result, source)
        except OdooError as error:
            warnings.append(f"{next_name} cannot be described: {error.message}")
        message = f"{outcome.model} was answered; now Odoo asks in {next_name}. Not complete."
        return WizardResult(
            done=False, message=message, wizard=asks, action=outcome.action, warnings=warnings
        )
    opened = opened_ids(outcome.action) if outcome.kind == "action" else []
    if outcome.action and opened:
        about = (outcome.action["res_model"], opened[:_SHOWN])
        if len(opened) > _SHOWN:
            warnings.append(f"{len(opened) - _SHOWN} more records came of it.")
    plain_result = outcome.kind == "done" and not isinstance(outcome.result, (dict, bool))
    return WizardResult(
        done=True,
        message=f"{outcome.model} was answered.",
        model=about[0] if about else None,
        records=_now(odoo, about, warnings),
        action=outcome.action if not opened else None,
        result=outcome.result if plain_result else None,
        warnings=warnings,
    )


def _now(odoo: Odoo, about: Source | None, warnings: list[str]) -> list[Record]:
    """Return names and states of records."""
    if about is None:
        return []
    model, ids = about
    try:
        names = checked_return_fields(odoo, model, NAMES_AND_STATES, None)
    except OdooError as error:
        warnings.append(f"It is done, but cannot be read back: {error.message}")
        return []
    return read_back(odoo, model, ids[:_SHOWN], names, None, warnings)
