"""Values of records within a call: which arguments hold them, and in one form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from odoo_toolkit.arguments.commands import Command, read_commands
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TO_MANY, Field

#: Methods that make records have, or show them with, values -> the argument that holds them.
VALUES: dict[str, str] = {
    "copy": "default",
    "copy_data": "default",
    "create": "vals_list",
    "onchange": "values",
    "update": "values",
    "web_save": "vals",
    "web_save_multi": "vals_list",
    "write": "vals",
}

#: Before the name of a field, in a context.
DEFAULT = "default_"

#: Deeper than lines of lines of any document.
_DEEPEST = 20

#: Relations of relations that are followed to a stored field.
_LONGEST_PATH = 8

FieldOf = Callable[[str, str], "Field | None"]
"""The field of a model by its name, None where it is not known."""


def normalised(call: Call, field_of: FieldOf) -> Call:
    """Return a call with each one2many and many2many in its values as commands.

    What reads, judges or sends the call then sees what Odoo does. Values of methods that nobody
    knows stay as they are.

    Args:
        call: as a caller has worded it.
        field_of: the schema.

    Raises:
        ValidationError: such a value has a form that is not known.
    """
    form = _Form(field_of)
    changed: dict[str, Any] = {}
    name = VALUES.get(call.method)
    if name and name in call.arguments:
        values = form.values(call.model, call.arguments[name], name)
        changed["arguments"] = {**call.arguments, name: values}
    elif name and call.positional:
        values = form.values(call.model, call.positional[0], name)
        changed["positional"] = (values, *call.positional[1:])
    if any(str(key).startswith(DEFAULT) for key in call.context):
        changed["context"] = {
            key: form.default(call.model, key, value) for key, value in call.context.items()
        }
    return attrs.evolve(call, **changed) if changed else call


def owns_lines(field: Field | None, model: str, field_of: FieldOf) -> bool:
    """Whether what is taken away from a field may be deleted by that.

    From a many2many that is stored, only the link is; what others do is not known, such as
    ``message_partner_ids``, which deletes followers.

    Args:
        field: the field; None where it is not known.
        model: its model.
        field_of: the schema.
    """
    for _ in range(_LONGEST_PATH):
        if field is None or field.type != "many2many":
            return True
        if field.store:
            return False
        *path, last = field.related or ("",)
        for name in path:
            step = field_of(model, name)
            model = (step.relation if step is not None else None) or ""
        field = field_of(model, last) if model else None
    return True


class _Form:
    """Values in the one form; what stands in several places is read once."""

    def __init__(self, field_of: FieldOf) -> None:
        self._field_of = field_of
        self._read: dict[tuple[str, int], Any] = {}

    def values(self, model: str, value: Any, where: str, depth: int = 0) -> Any:
        """Return the values of a record, or of each of several."""
        if isinstance(value, Mapping):
            key = (model, id(value))
            if key not in self._read:
                self._read[key] = {
                    name: self._value(model, name, item, f"{where}.{str(name)[:100]}", depth)
                    for name, item in value.items()
                }
            return self._read[key]
        if isinstance(value, (list, tuple)) and not depth:
            return [
                self.values(model, item, f"{where}[{i}]") if isinstance(item, Mapping) else item
                for i, item in enumerate(value)
            ]
        return value

    def default(self, model: str, key: Any, value: Any) -> Any:
        """Return what a key of a context holds, where that is a default value."""
        if not isinstance(key, str) or not key.startswith(DEFAULT):
            return value
        where = f"context.{key[:100]}"
        return self._value(model, key.removeprefix(DEFAULT), value, where, 0, default=True)

    def _value(
        self, model: str, name: Any, value: Any, where: str, depth: int, default: bool = False
    ) -> Any:
        field = self._field_of(model, name) if isinstance(name, str) else None
        if field is None or field.type not in TO_MANY:
            return value
        if depth > _DEEPEST:
            raise ValidationError(
                f"{where[:200]} is nested too deep.",
                suggestion="Create the inner records in calls of their own.",
                details={"named_in": where[:200]},
            )
        return [
            self._command(field, command, f"{where}[{index}]", depth).wire
            for index, command in enumerate(read_commands(value, where, default=default))
        ]

    def _command(self, field: Field, command: Command, where: str, depth: int) -> Command:
        if not command.values or not field.relation:
            return command
        values = self.values(field.relation, command.values, where, depth + 1)
        return attrs.evolve(command, values=values)
