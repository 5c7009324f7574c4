"""A function that describes a wizard, or fills it in and presses its button."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import Context, JsonSchema, Values
from odoo_toolkit.arguments import read_commands, to_wire
from odoo_toolkit.arguments.contexts import checked_context
from odoo_toolkit.call import Call, default_access, opened_ids
from odoo_toolkit.change_history.recording import one_entry
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import Ids, optional_ids, readable_of
from odoo_toolkit.records.reading_back import NAMES_AND_STATES, checked_return_fields, read_back
from odoo_toolkit.records.results import Record, WizardResult
from odoo_toolkit.values import ReadOptions, from_wire
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import is_id
from odoo_toolkit.wizards.actions import action_context, is_transient
from odoo_toolkit.wizards.catalog import known_wizard
from odoo_toolkit.wizards.description import MAGIC_FIELDS, describe_wizard
from odoo_toolkit.wizards.protocol import WizardOutcome, answer_wizard

#: Records that came of a wizard and are told.
_SHOWN = 20

#: What changes when a record does, beside its state.
_CHANGING = ("write_date", "active")

_NAME = ("display_name",)

Source = tuple[str, list[int]]


def run_wizard(
    odoo: Odoo,
    wizard: Annotated[
        str | Mapping[str, Any],
        JsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]}),
        Doc("The wizard's model, or the action that opened it."),
    ],
    values: Annotated[Values | None, Doc("Values other than the defaults.")] = None,
    model: Annotated[str | None, Doc("Model of the records it acts on.")] = None,
    ids: Ids = (),
    method: Annotated[str | None, Doc("The button's method, if there are several.")] = None,
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
    describe: Annotated[bool, Doc("Only list fields and buttons.")] = False,
) -> WizardResult:
    """Fill in a wizard, press its button, and return the records as they are then.

    >>> run_wizard(odoo, "account.payment.register", {"amount": 100.0}, "account.move", [42])

    Pass the model of the wizard, or the action that a method returned. Set ``values`` only for
    fields that differ from the defaults. The model and the ids default to ``active_model`` and
    ``active_ids`` of the context. To see the fields and buttons first, pass ``describe=True``.

    Without ``method``, the toolkit presses the button in its catalogue, or the only button of the
    form. Wizards that follow and are known to be harmless run by themselves. Any other wizard is
    described in the result.

    It takes three requests on a warm schema, and one to read the records. For a wizard that is not
    in the catalogue, the toolkit also reads the form and the records before the button is pressed,
    to see whether it changed them.

    Returns:
        ``records`` are the records that the wizard opened. If it opened none, they are the records
        that it acted on.

    Raises:
        ValidationError: The model is not a wizard, a value is wrong, or you must choose one of
            several buttons. Nothing was done.
        AccessError: Odoo or the policy does not allow it. Outside full mode, only wizards of the
            catalogue are allowed, with their known fields and buttons, on models of the write
            allowlist.
        OdooError: Odoo rejected it. Nothing was done.
    """
    given = _given(model, optional_ids(ids))
    action = _action(odoo, wizard, plain(context), given)
    name = action["res_model"]
    if problem := odoo.policy.model_problem(name, "read"):
        raise problem
    known = known_wizard(name, odoo.version.major)
    if known is None and not is_transient(odoo, name):
        raise ValidationError(
            f"{name} is not a wizard.",
            suggestion="To work with its records, use create, write or execute.",
        )
    source = _taken_from(action["context"]) or given
    if describe:
        asks = describe_wizard(odoo, action, source, _defaults(odoo, action, source))
        message = "Nothing was done. These are the questions of the wizard."
        return WizardResult(done=False, message=message, wizard=asks)
    if method and default_access(method) != "execute":
        raise ValidationError(
            f"{method} is not a button of {name}.",
            suggestion="Omit method, or describe the wizard first.",
        )
    before = None
    if known is None:
        # Nothing is read for what the policy forbids.
        pressed = method or "create"
        odoo.check(Call(model=name, method=pressed, ids=() if method else None, access="execute"))
    if known is None or known.reopens:
        # Mostly, what is known acts when its button is pressed; of others it is found out.
        before = _now_quietly(odoo, source)
    fields_of = readable_of(odoo)
    answers = to_wire(plain(values or {}), name, fields_of(name), fields_of=fields_of)
    try:
        with one_entry(odoo, "run_wizard"):
            outcome = answer_wizard(odoo, action, answers, source=source, method=method, free=True)
    except AccessError as error:
        if known and known.function and error.code == "MODE_VIOLATION":
            error.suggestion += f" The usual case is simpler with {known.function}."
        raise
    return _told(odoo, outcome, source, given or source, before)


def _given(model: str | None, ids: list[int]) -> Source | None:
    if bool(model) != bool(ids):
        raise ValidationError(
            "The records that the wizard acts on need both model and ids.",
            suggestion="Pass both, or omit both.",
        )
    return (model, ids) if model else None


def _action(odoo: Odoo, wizard: Any, context: Any, given: Source | None) -> dict[str, Any]:
    """Return the action that opens a wizard, with its context as a mapping."""
    action = {"res_model": wizard} if isinstance(wizard, str) else plain(wizard)
    if not isinstance(action, dict) or not isinstance(action.get("res_model"), str):
        raise ValidationError(
            "This does not open a wizard.",
            suggestion="Pass the name of the wizard's model, or an action with res_model.",
        )
    if action.get("res_id") and not is_id(action["res_id"]):
        raise ValidationError("The action's res_id is not a record id.", suggestion="Omit res_id.")
    context = checked_context(context)
    names: dict[str, Any] = {"uid": odoo.uid}
    if given:
        names |= {"active_model": given[0], "active_id": given[1][0], "active_ids": given[1]}
    return {**action, "context": {**action_context(action, names), **context}}


def _taken_from(context: dict[str, Any]) -> Source | None:
    """Take from a context the records that it says a wizard acts on.

    They win over those on which the method was called: the action was made for them.
    """
    model = context.pop("active_model", None)
    first, ids = context.pop("active_id", None), context.pop("active_ids", None)
    found = optional_ids(ids or first or None)
    return (model, found) if isinstance(model, str) and found else None


def _defaults(odoo: Odoo, action: dict[str, Any], source: Source | None) -> dict[str, Any]:
    """Return what a wizard's questions are answered with by themselves, as far as it is told."""
    name, fields = action["res_model"], readable_of(odoo)(action["res_model"])
    names = [key for key in fields if key not in MAGIC_FIELDS]
    active: dict[str, Any] = {}
    if source:
        active = {"active_model": source[0], "active_id": source[1][0], "active_ids": source[1]}
    call = Call(model=name, method="default_get", arguments={"fields": names})
    if action.get("res_id"):
        call = Call(model=name, method="read", ids=(action["res_id"],), arguments={"fields": names})
    try:
        answer = odoo.call(attrs.evolve(call, context={**active, **action["context"]}))
        values = answer[0] if isinstance(answer, list) else answer
        shown = {key: _linked(value) for key, value in values.items() if key in fields}
        return _named(odoo, from_wire(shown, fields), fields)
    except (OdooError, LookupError):
        # It is described all the same: the policy, too, may say that nothing is told.
        return {}


def _linked(value: Any) -> Any:
    """Return a default of a relation to many as ids, where it only links records."""
    if not isinstance(value, list) or not all(isinstance(item, (list, tuple)) for item in value):
        return value
    try:
        commands = read_commands(value, "value", default=True)
    except ValidationError:
        return value
    linked: list[int] = []
    for command in commands:
        if command.takes_all:
            linked = list(command.ids)
        elif command.kind == "link":
            linked.append(command.id)
        else:
            return value
    return linked


def _named(odoo: Odoo, values: Record, fields: Mapping[str, Field]) -> Record:
    """Return values with names beside the ids of records, at most a round trip for each field."""

    def named(name: str) -> Any:
        value, field = values[name], fields[name]
        if field.type == "many2one" and value and not value["name"]:
            found = rows.read(odoo, ReadOptions(), str(field.relation), [value["id"]], _NAME)
            return found.records[0] if found.records else value
        if field.type in TO_MANY and value and all(map(is_id, value)):
            return rows.read(
                odoo, ReadOptions(), str(field.relation), value[:_SHOWN], _NAME
            ).records
        return value

    def quietly(name: str) -> Any:
        try:
            return named(name)
        except OdooError:
            return values[name]

    found = side_by_side([partial(quietly, name) for name in values])
    return {n: _as_name(v) for n, v in zip(values, found, strict=True) if v not in (None, "", [])}


def _as_name(value: Any) -> Any:
    """Return a record that was read as id and name."""
    if isinstance(value, list):
        return [_as_name(item) for item in value]
    if isinstance(value, Mapping) and "display_name" in value:
        return {"id": value["id"], "name": value["display_name"]}
    return value


def _now_quietly(odoo: Odoo, source: Source | None) -> dict[int, Record] | None:
    """Return what tells whether records change; None where that cannot be told."""
    if source is None:
        return None
    model, ids = source
    try:
        fields = readable_of(odoo)(model)
        names = [name for name in (*_CHANGING, *NAMES_AND_STATES) if name in fields]
        if "write_date" not in names:
            return None
        found = rows.read(odoo, odoo.options, model, ids, names, {"active_test": False}).records
    except OdooError:
        return None
    return {record["id"]: record for record in found}


def _told(
    odoo: Odoo,
    outcome: WizardOutcome,
    source: Source | None,
    about: Source | None,
    before: Mapping[int, Record] | None,
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
        after = _now_quietly(odoo, source) if before is not None else None
        changed = None if before is None or after is None else after != before
        message = f"{outcome.model} was answered. Now Odoo asks a question in {next_name}."
        if changed is None:
            message += " To see what it has already done, read the records."
        elif changed:
            message += " It is finished, and the records that it acts on have changed."
        else:
            message += " The records that it acts on have not changed."
        return WizardResult(
            done=bool(changed),
            message=message,
            model=about[0] if about else None,
            records=_now(odoo, about, warnings),
            wizard=asks,
            action=outcome.action,
            warnings=warnings,
        )
    opened = opened_ids(outcome.action) if outcome.kind == "action" else []
    if outcome.action and opened:
        about = (outcome.action["res_model"], opened[:_SHOWN])
        if len(opened) > _SHOWN:
            warnings.append(f"It created {len(opened) - _SHOWN} more records.")
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
        warnings.append(
            f"The wizard finished, but the records cannot be read back: {error.message}"
        )
        return []
    return read_back(odoo, model, ids[:_SHOWN], names, None, warnings)
