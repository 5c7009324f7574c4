"""What of a plugin the connected Odoo does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit.fields import Field, similar_names
from odoo_toolkit.plugins.file_functions import FILTERED_TYPES, SHOWN_TYPES, WRITTEN_TYPES
from odoo_toolkit.plugins.file_models import FileModel
from odoo_toolkit.plugins.plugin import Plugin
from odoo_toolkit.wizards.form_view import main_form

#: What names fields in a file -> the types that they may have.
_TYPES: Mapping[str, Collection[str]] = {
    "create": WRITTEN_TYPES,
    "update": WRITTEN_TYPES,
    "filter": FILTERED_TYPES,
    "search": ("char", "text", "html"),
    "state": ("selection",),
}


def problems_in_odoo(odoo: Odoo, plugin: Plugin) -> list[str]:
    """Return what a plugin names and this Odoo does not have, or this user cannot see.

    Args:
        odoo: a connection, as the server has it.
        plugin: one whose claims have been checked.

    Raises:
        OdooConnectionError: Odoo cannot be reached.
    """
    if plugin.file_models:
        return [text for model in plugin.file_models for text in _of_file(odoo, model)]
    found: list[str] = []
    for model in sorted(plugin.declared.models):
        fields = _fields(odoo, model)
        if isinstance(fields, str):
            found.append(fields)
    return found


def _of_file(odoo: Odoo, model: FileModel) -> Iterator[str]:
    described = _fields(odoo, model.model)
    if isinstance(described, str):
        yield described
        return
    where = f"[models.{model.key}]"
    for key, names in model.named.items():
        for name in names:
            field = described.get(name)
            if field is None:
                near = similar_names(name, described)
                meant = f" Did you mean {' or '.join(near)}?" if near else ""
                yield (
                    f"{where}: {key} contains {name}, which {model.model} does not have, or "
                    f"which is blocked.{meant}"
                )
            elif field.type not in _TYPES.get(key, SHOWN_TYPES):
                yield (
                    f"{where}: {key} contains {name}. A {field.type} field is not possible there."
                )
            elif key in ("create", "update") and field.readonly and not field.state_dependent:
                yield f"{where}: {key} contains {name}, but Odoo lets no user set it."
    if not model.buttons:
        return
    if (state := described.get(model.state)) and state.selection:
        yield from _states(model, [value for value, _ in state.selection])
    yield from _buttons(odoo, model)


def _states(model: FileModel, states: Collection[str]) -> Iterator[str]:
    for button in model.buttons:
        for name in (*button.sources, *button.to):
            if name not in states:
                yield (
                    f"[models.{model.key}.buttons.{button.key}]: {name!r} is not a "
                    f"{model.state} of {model.model}. Choose from "
                    f"{', '.join(map(str, states))}."
                )


def _buttons(odoo: Odoo, model: FileModel) -> Iterator[str]:
    """Yield the methods that are those of no button: a file presses what a person could press."""
    try:
        methods = list(
            dict.fromkeys(button.method for button in main_form(odoo, model.model).buttons)
        )
    except OdooConnectionError:
        raise
    except OdooError as error:
        yield f"[models.{model.key}]: its form cannot be read to look for buttons: {error.message}"
        return
    for button in model.buttons:
        if button.method not in methods:
            yield (
                f"[models.{model.key}.buttons.{button.key}]: the form of {model.model} has no"
                f" button that calls {button.method}. It has {', '.join(methods) or 'none'}."
            )


def _fields(odoo: Odoo, model: str) -> Mapping[str, Field] | str:
    """Return the fields of a model that may be named; or what to say where there are none."""
    try:
        odoo.check(Call(model=model, method="fields_get"))
        return odoo.policy.readable_fields(model, odoo.schema.fields)
    except OdooConnectionError:
        raise
    except OdooError as error:
        return f"{model}: {error.message}"
