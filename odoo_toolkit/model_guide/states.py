"""A function that returns the states of a model, and the buttons that change them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.annotations import Model
from odoo_toolkit.app_models import known
from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.model_guide.methods import button_states, buttons_by_method, state_field
from odoo_toolkit.model_guide.picture import picture
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.wizards.form_view import Button, Form, main_form

#: Stages told of a model that has stages instead of states.
_MOST_STAGES = 50

#: What a method's name says after action_ or button_ -> the states it may lead to, on models whose
#: moves are not known; only where the model has one and the form ties the button to states.
_USUAL_MOVES = {
    "cancel": ("cancel", "cancelled", "canceled"),
    **dict.fromkeys(("draft", "reset_to_draft", "set_draft", "set_to_draft"), ("draft",)),
    "confirm": ("confirmed", "confirm", "open"),
    "approve": ("approved", "approve"),
    "refuse": ("refused", "refuse"),
    "reject": ("rejected", "reject"),
    "done": ("done",),
    "validate": ("done", "validated", "validate"),
    "close": ("closed", "close", "done"),
    "post": ("posted", "post"),
}


@attrs.frozen(kw_only=True)
class ModelState(Shown):
    """A state: what is stored, and what people read.

    Attributes:
        value: of the state field; the stage's id where the model has stages.
        methods: those whose buttons depend on the state and can be seen in this one.
    """

    value: str | int
    label: str
    methods: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ModelStates(Shown):
    """The states and transitions of a model.

    Attributes:
        state_field: ``state``, or ``stage_id`` for models with stages. None without either.
        initial: State of a new record.
        transitions: Objects with ``from``, ``to``, ``method`` and ``label``. ``to`` is known for
            Odoo's own documents, and for buttons with a usual name.
        mermaid: The transitions as a Mermaid state diagram. Empty without transitions.
        note: Further information.
    """

    model: str
    state_field: str | None
    states: list[ModelState]
    transitions: list[dict[str, str]]
    initial: str | int | None = None
    mermaid: str = attrs.field(default="", repr=False)
    note: str = ""

    def _repr_html_(self) -> str | None:
        # A notebook that gets both prefers HTML to the drawing.
        return None if self.mermaid else super()._repr_html_()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Have the states drawn by Mermaid, in JupyterLab 4.1 and Notebook 7.1 on, or as they are.

        What knows no Mermaid, such as a page or an older notebook, shows the picture, which needs
        nothing else.
        """
        if not self.mermaid:
            return {}
        labels = {str(state.value): state.label for state in self.states}
        drawn = picture(self.transitions, labels)
        return {"text/vnd.mermaid": self.mermaid, "image/svg+xml": drawn}


def model_states(odoo: Odoo, model: Model) -> ModelStates:
    """Return the states of a model and the transitions between them.

    The toolkit reads the form view as the connected user to see where a button starts from, so the
    result includes customizations. The first call takes 3 requests.

    Raises:
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    fields = describe(odoo, model, "fields_get", {}, None)
    field = state_field(fields)
    stage = fields.get("stage_id")
    if field is None:
        main_form(odoo, model)  # says whether the user may read the model at all
        if stage is not None and stage.type == "many2one" and stage.relation:
            return _stages(odoo, model, stage)
        note = "This model has neither a state nor stages."
        return ModelStates(model=model, state_field=None, states=[], transitions=[], note=note)
    asked: list[Any] = side_by_side(
        [
            lambda: main_form(odoo, model),
            lambda: odoo.schema.remember(f"initial {model}", lambda: _initial(odoo, model, field)),
        ]
    )
    form: Form = asked[0]
    initial: str | None = asked[1]
    by_method = buttons_by_method(form)
    seen = {method: button_states(places, field) for method, places in by_method.items()}
    for move in known(model).moves:
        if move.label:  # known to exist without a button
            by_method.setdefault(move.method, [])
    transitions = [
        transition
        for method, places in by_method.items()
        for transition in _transitions(odoo, model, method, places, field)
    ]
    return ModelStates(
        model=model,
        state_field=field.name,
        states=[
            ModelState(
                value=value,
                label=label,
                methods=[method for method, (states, _) in seen.items() if value in states],
            )
            for value, label in field.selection
        ],
        transitions=transitions,
        initial=initial,
        mermaid=_mermaid(field, transitions, initial),
        note="A button may open a wizard instead of changing the state. Read the state again.",
    )


def _transitions(
    odoo: Odoo, model: str, method: str, buttons: Sequence[Button], field: Field
) -> list[dict[str, str]]:
    """Return the transitions of one method: from where by the form, to where by the table."""
    values = [value for value, _ in field.selection]
    sources, labels = button_states(buttons, field)
    move = known(model).move(method, odoo.version.major)
    if move:
        targets = [state for state in move.to if state in values]
        sources = [
            value
            for value in values
            if value in (*(sources or move.sources), *move.also)
            and value not in (*targets, *move.never)
        ]
    else:
        said = re.sub("^(action|button)_", "", method) if sources and not known(model).moves else ""
        targets = [state for state in _USUAL_MOVES.get(said, ()) if state in values][:1]
        sources = [value for value in sources if value not in targets]
    named = buttons[0].label if buttons else move.label if move else ""
    return [
        {"from": source, "to": target, "method": method, "label": labels.get(source, named)}
        for source in sources
        for target in targets
    ]


def _initial(odoo: Odoo, model: str, field: Field) -> str | None:
    """Return the state that a new record has; None where the server does not tell."""
    call = asking(model, "default_get", fields=[field.name])
    try:
        value = odoo.call(call).get(field.name)
    except (OdooError, AttributeError):
        return None
    return value if value in [state for state, _ in field.selection] else None


def _stages(odoo: Odoo, model: str, stage: Field) -> ModelStates:
    """Return the stages of a model, which are records, in their order."""
    arguments = {"domain": [], "fields": ["display_name"], "limit": _MOST_STAGES}
    rows = odoo.call(Call(model=str(stage.relation), method="search_read", arguments=arguments))
    return ModelStates(
        model=model,
        state_field=stage.name,
        states=[ModelState(value=row["id"], label=row["display_name"]) for row in rows],
        transitions=[],
        note=f"Stages are records of {stage.relation}. To move a record, write {stage.name}. The "
        "available stages may depend on the team or project.",
    )


def _mermaid(field: Field, transitions: Sequence[Mapping[str, str]], initial: str | None) -> str:
    """Return a state diagram; its ids hold letters, digits and underscores only."""
    if not transitions:
        return ""
    names = {
        value: f"s{index}_{re.sub(r'[^0-9A-Za-z]+', '_', value)}"
        for index, (value, _) in enumerate(field.selection)
    }
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{_text(label)}" as {names[value]}' for value, label in field.selection]
    if initial:
        lines.append(f"    [*] --> {names[initial]}")
    lines += [
        f"    {names[step['from']]} --> {names[step['to']]}: {_text(step['label'])}"
        f" ({step['method']})"
        for step in transitions
    ]
    return "\n".join(lines)


def _text(label: str) -> str:
    """Return a label without what means something to Mermaid."""
    return " ".join(re.sub(r"[\"#;:{}\[\]<>]", " ", label).split())
