"""Values of records, read once: which arguments hold them, and what their commands do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from odoo_toolkit.arguments.commands import Command, Records, Values, read_commands, wire
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TEXTS, TO_MANY, Field

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


def with_values(call: Call, field_of: FieldOf, *, worded: bool = False) -> Call:
    """Return a call with the values in it read: each one2many and many2many as commands.

    What judges or sends the call then sees what Odoo does. Values of methods that nobody knows
    stay as they are.

    Args:
        call: as a caller has worded it.
        field_of: the schema.
        worded: as of :func:`read_values`.

    Raises:
        ValidationError: such a value has a form that is not known.
    """
    changed: dict[str, Any] = {}
    name = VALUES.get(call.method)
    if name and name in call.arguments:
        values = read_values(call.arguments[name], call.model, field_of, name, worded=worded)
        changed["arguments"] = {**call.arguments, name: values}
    elif name and call.positional:
        values = read_values(call.positional[0], call.model, field_of, name, worded=worded)
        changed["positional"] = (values, *call.positional[1:])
    if any(str(key).startswith(DEFAULT) for key in call.context):
        reader = _Reader(field_of, worded=worded)
        changed["context"] = {
            key: reader.default(call.model, key, value) for key, value in call.context.items()
        }
    return attrs.evolve(call, **changed) if changed else call


def read_values(
    value: Any, model: str | None, field_of: FieldOf, where: str, *, worded: bool = False
) -> Any:
    """Return the values of a record as :class:`Values`, those of a list as :class:`Records`.

    What is neither, and what was read before, comes back as it is.

    Args:
        value: as a caller gave it.
        model: of the record; None where it is not known.
        field_of: the schema.
        where: the values stand, for errors.
        worded: whether relations may be worded in another form, such as by names: such a value
            stays as it is. It is not to be sent.

    Raises:
        ValidationError: the value of a one2many or many2many has a form that is not known.
    """
    if isinstance(value, (Records, Values)):
        return value
    return _Reader(field_of, worded=worded).values(model, value, where)


def takes_no_empty_text(field: Field | None) -> bool:
    """Whether an empty text means that a field is not set.

    Odoo stores it as a text of no letters, which no search for what is not set finds to 17, and
    which is there once only where texts must be unique. A required field would refuse to be unset.
    """
    return field is not None and field.type in TEXTS and not field.required


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


class _Reader:
    """Reads the values of one argument; what stands in several places is read once."""

    def __init__(self, field_of: FieldOf, *, worded: bool = False) -> None:
        self._field_of, self._worded = field_of, worded
        self._read: dict[tuple[str | None, int], Values] = {}
        #: One lookup for the rows of a table.
        self._to_many = functools.cache(self._find_to_many)

    def values(self, model: str | None, value: Any, where: str) -> Any:
        """Return the values of a record, or of each of several."""
        if isinstance(value, Mapping):
            return self.record(model, value, where, 0)
        if not isinstance(value, (list, tuple)):
            return value
        return Records(
            items=tuple(
                self.record(model, item, f"{where}[{i}]", 0) if isinstance(item, Mapping) else item
                for i, item in enumerate(value)
            )
        )

    def record(self, model: str | None, value: Mapping[str, Any], where: str, depth: int) -> Values:
        """Return the values of one record."""
        key = (model, id(value))
        if key not in self._read:
            lines, emptied = {}, {}
            for name, item in value.items():
                if item == "" and takes_no_empty_text(self._field(model, name)):
                    emptied[name] = False
                elif (field := self._to_many(model, name)) is not None:
                    here = f"{where}.{str(name)[:100]}"
                    read = self._commands(field, item, here, depth)
                    if read is not None:
                        lines[name] = read
            given = {**value, **emptied} if emptied else value
            self._read[key] = Values(model=model, given=given, lines=lines)
        return self._read[key]

    def default(self, model: str, key: Any, value: Any) -> Any:
        """Return what a key of a context holds; commands, where that is a default value."""
        name = key.removeprefix(DEFAULT) if isinstance(key, str) else ""
        field = self._to_many(model, name) if name != key else None
        if field is None:
            return value
        read = self._commands(field, value, f"context.{key[:100]}", 0, default=True)
        return value if read is None else wire(read)

    def _field(self, model: str | None, name: Any) -> Field | None:
        return self._field_of(model, name) if model and isinstance(name, str) else None

    def _find_to_many(self, model: str | None, name: Any) -> Field | None:
        """Return the field, where it is a one2many or many2many."""
        field = self._field_of(model, name) if model and isinstance(name, str) else None
        return field if field is not None and field.type in TO_MANY else None

    def _commands(
        self, field: Field, value: Any, where: str, depth: int, *, default: bool = False
    ) -> tuple[Command, ...] | None:
        if depth > _DEEPEST:
            raise ValidationError(
                f"{where[:200]} is nested too deeply.",
                suggestion="Create the inner records in separate calls.",
                details={"named_in": where[:200]},
            )
        try:
            commands = read_commands(value, where, default=default)
        except ValidationError:
            if self._worded:
                return None
            raise
        return tuple(
            attrs.evolve(
                command,
                values=self.record(field.relation, command.values, f"{where}[{index}]", depth + 1),
            )
            if command.values
            else command
            for index, command in enumerate(commands)
        )
