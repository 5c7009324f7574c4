"""A function that returns the methods of a model: its buttons and documented actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import Field
from odoo_toolkit.model_guide.visibility import fields_in, visible_states
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.wizards.form_view import Button, Form, main_form

#: What is told of a documented model besides its buttons.
_PREFIXES = ("action_", "button_")


@attrs.frozen(kw_only=True)
class ModelMethod(Shown):
    """A method of a model, to be called on records with ``execute``.

    Attributes:
        description: from the server's documentation; else what its button says.
        accepts_kwargs: whether it takes arguments besides the ids.
        labels: what is written on its buttons.
        states: values of the state field with which a button of it can be seen; empty where no
            button is tied to the state, or there is no state or no button.
        depends_on: other fields that decide whether the button can be seen.
        confirm: the question that the web client asks before it calls.
        signature: its parameters and what it returns, where the server documents them.
    """

    name: str
    description: str
    accepts_kwargs: bool
    labels: list[str] = attrs.Factory(list)
    states: list[str] = attrs.Factory(list)
    depends_on: list[str] = attrs.Factory(list)
    confirm: str = ""
    signature: str = ""


@attrs.frozen(kw_only=True)
class ModelMethods(Shown):
    """The methods of a model, and their source (``source``)."""

    model: str
    methods: list[ModelMethod]
    count: int
    source: str


def model_methods(odoo: Odoo, model: Model) -> ModelMethods:
    """Return the methods behind the buttons of a model's form, and the documented actions.

    The toolkit reads both from the server as the connected user, so they include customizations.
    Odoo 19 and later document their models to users with Settings rights. Otherwise methods without
    a button on the form are not known.

    Raises:
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    fields = describe(odoo, model, "fields_get", {}, None)
    asked: list[Any] = side_by_side(
        [lambda: main_form(odoo, model), lambda: _documented(odoo, model)]
    )
    form: Form = asked[0]
    documented: Mapping[str, Any] = asked[1]
    by_method = buttons_by_method(form)
    for name in documented:
        if name.startswith(_PREFIXES):
            by_method.setdefault(name, [])
    methods = [
        _method(name, places, documented.get(name, {}), fields)
        for name, places in by_method.items()
        if not _blocked(odoo, model, name)
    ]
    source = "buttons of the form view" + (" and the server's documentation" if documented else "")
    return ModelMethods(model=model, methods=methods, count=len(methods), source=source)


def buttons_by_method(form: Form) -> dict[str, list[Button]]:
    """Return the buttons of a form that call each method."""
    found: dict[str, list[Button]] = {}
    for button in form.buttons:
        found.setdefault(button.method, []).append(button)
    return found


def state_field(fields: Mapping[str, Field]) -> Field | None:
    """Return the selection that tells a record's state, if the model has one."""
    field = fields.get("state")
    return field if field and field.type == "selection" else None


def button_states(
    buttons: Sequence[Button], field: Field | None
) -> tuple[list[str], dict[str, str]]:
    """Return in which states a method's buttons are seen, and what is written on them there.

    Returns:
        The states in their order, and a label by state. Both are empty where no button depends on
        the state, or one of them is seen in every state.
    """
    if field is None:
        return [], {}
    values = [value for value, _ in field.selection]
    labels: dict[str, str] = {}
    for button in buttons:
        if field.name in fields_in(button.hidden_when):
            for state in visible_states(button, field.name, values):
                labels.setdefault(state, button.label)
    states = [value for value in values if value in labels]
    return ([], {}) if len(states) == len(values) else (states, labels)


def _documented(odoo: Odoo, model: str) -> Mapping[str, Any]:
    """Return the server's documentation of the model's methods; empty where there is none."""
    answer = odoo.schema.remember(f"documentation {model}", lambda: odoo.documentation(model))
    methods: Mapping[str, Any] = (answer or {}).get("methods") or {}
    return methods


def _method(
    name: str,
    buttons: Sequence[Button],
    documentation: Mapping[str, Any],
    fields: Mapping[str, Field],
) -> ModelMethod:
    field = state_field(fields)
    states, _ = button_states(buttons, field)
    labels = list(dict.fromkeys(button.label for button in buttons if button.label != name))
    others = fields_in(condition for button in buttons for condition in button.hidden_when)
    documented = html_to_text(str(documentation.get("doc") or "")).strip()
    return ModelMethod(
        name=name,
        description=" ".join(documented.split("\n\n")[0].split()) or _said_by(name, labels),
        accepts_kwargs=bool(documentation.get("parameters")),
        labels=labels,
        states=states,
        # A blocked field is not even named.
        depends_on=[
            other for other in others if other in fields and not (field and other == field.name)
        ],
        confirm=next((button.confirm for button in buttons if button.confirm), ""),
        signature=str(documentation.get("signature") or ""),
    )


def _said_by(name: str, labels: Sequence[str]) -> str:
    if labels:
        return " / ".join(labels)
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name.replace("_", " ").strip().capitalize()


def _blocked(odoo: Odoo, model: str, method: str) -> bool:
    """Whether the method is never called, in whatever mode."""
    try:
        odoo.check(Call(model=model, method=method, ids=(1,)))
    except AccessError as refusal:
        return refusal.code == "METHOD_BLOCKED"
    return False
