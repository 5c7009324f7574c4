"""Telling what a wizard asks, so that whoever called can answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import words
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.wizards.actions import action_context
from odoo_toolkit.wizards.catalog import KnownWizard, WizardField, known_wizard
from odoo_toolkit.wizards.form_view import Form, read_form

#: Fields that every model has and that nobody answers.
MAGIC_FIELDS = frozenset(
    words("id display_name create_uid create_date write_uid write_date __last_update")
)


@attrs.frozen(kw_only=True)
class WizardButton(Shown):
    """A button of a wizard's form: the method that it calls and what is written on it.

    Attributes:
        context: what the button adds to the context; give it to :func:`run_wizard`, too.
        hidden_when: the form's conditions, where only these tell buttons of one method apart.
    """

    method: str
    label: str
    context: dict[str, Any] = attrs.Factory(dict)
    hidden_when: list[Any] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class WizardDescription(Shown):
    """A wizard that must be answered before anything is done.

    Attributes:
        wizard_required: always True.
        wizard_action: title of the dialog.
        wizard_fields: the questions by field name.
        buttons: what can be pressed, in the form's order.
        instructions: how to go on.
        context_hint: the context to answer it with.
    """

    wizard_required: bool
    wizard_model: str
    wizard_action: str
    wizard_fields: dict[str, WizardField]
    buttons: list[WizardButton]
    instructions: str
    context_hint: dict[str, Any]


def describe_wizard(
    odoo: Odoo,
    action: Mapping[str, Any],
    source: tuple[str, list[int]] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> WizardDescription:
    """Describe the wizard that an action opens; two round trips the first time.

    Args:
        odoo: the connection.
        action: what a method returned instead of doing something.
        source: model and ids of the records that the method was called on, for the context.
        defaults: what its questions are answered with by themselves, where that is known.

    Raises:
        OdooError: the wizard's model cannot be described, for instance because it is blocked.
    """
    model = action["res_model"]
    fields = odoo.policy.readable_fields(model, odoo.schema.fields)
    known = known_wizard(model, odoo.version.major)
    form = form_of(odoo, action)
    context = _context(odoo, action, source)
    # A blocked field's name in the context would only be refused when it is passed back.
    context = {key: value for key, value in context.items() if not odoo.policy.field_blocked(key)}
    return WizardDescription(
        wizard_required=True,
        wizard_model=model,
        wizard_action=str(action.get("name") or (known.description if known else model)),
        wizard_fields={
            name: _question(fields[name], known, defaults or {})
            for name in (form.fields or tuple(fields))
            if name in fields and _is_asked(fields[name])
        },
        buttons=_buttons(odoo, form, {**context, "uid": odoo.uid}),
        instructions=_instructions(model, action, form, known),
        context_hint=context,
    )


def _buttons(odoo: Odoo, form: Form, names: Mapping[str, Any]) -> list[WizardButton]:
    """Return the buttons of a form; of several with one method, with what tells them apart."""
    methods = [button.method for button in form.buttons]
    found: list[WizardButton] = []
    for button in form.buttons:
        alike = methods.count(button.method) > 1
        context = action_context({"context": button.context}, names)
        told = WizardButton(
            method=button.method,
            label=button.label,
            context={k: v for k, v in context.items() if not odoo.policy.field_blocked(k)},
            hidden_when=list(button.hidden_when) if alike else [],
        )
        if told not in found:
            found.append(told)
    return found


def form_of(odoo: Odoo, action: Mapping[str, Any]) -> Form:
    """Return the fields and the object buttons of a wizard's form; empty where not readable."""
    view_id = next(
        (view for view, kind in action.get("views") or () if kind == "form" and view), False
    )
    try:
        return read_form(odoo, action["res_model"], view_id)
    except OdooError:
        return Form()


def _is_asked(field: Field) -> bool:
    return field.name not in MAGIC_FIELDS and (field.required or not field.readonly)


def _question(field: Field, known: KnownWizard | None, defaults: Mapping[str, Any]) -> WizardField:
    told = known.fields.get(field.name) if known else None
    return WizardField(
        type=field.type,
        required=field.required,
        label=field.string,
        description=told.description if told else "",
        relation=field.relation,
        selection=[list(pair) for pair in field.selection] or None,
        default=defaults.get(field.name, told.default if told else None),
    )


def _context(
    odoo: Odoo, action: Mapping[str, Any], source: tuple[str, list[int]] | None
) -> dict[str, Any]:
    active: dict[str, Any] = {}
    if source and source[1]:
        active = {"active_model": source[0], "active_id": source[1][0], "active_ids": source[1]}
    carried = action_context(action, {**active, "uid": odoo.uid})
    base = odoo.settings.base_context
    return {
        **active,
        **{key: value for key, value in carried.items() if key not in base or base[key] != value},
    }


def _instructions(
    model: str, action: Mapping[str, Any], form: Form, known: KnownWizard | None
) -> str:
    steps = [f"Odoo asks a question in {model}."]
    if known and known.function:
        steps.append(f"{known.function} answers it for you. Otherwise use")
    wizard = model
    if action.get("res_id"):
        wizard = f"{{'res_model': '{model}', 'res_id': {action['res_id']}}}"
    steps.append(
        f"run_wizard with wizard {wizard}, model and ids of the records, your answers as values, "
        "and context_hint as context."
    )
    methods = tuple(dict.fromkeys(button.method for button in form.buttons))
    if known:
        steps.append(f"It calls {known.action_method}.")
    elif len(methods) > 1:
        steps.append(f"Set method to one of {', '.join(methods)}.")
    for method, effect in ((known and known.alternative_actions) or {}).items():
        steps.append(f"With method {method}: {effect}")
    if known and known.hint:
        steps.append(known.hint)
    return " ".join(steps)
