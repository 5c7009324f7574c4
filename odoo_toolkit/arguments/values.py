"""Values of records, read once: which arguments hold them, and what their commands do."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments.commands import Command, Records, Values, are_new, read_commands, wire
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TEXTS, TO_MANY, Field, FieldsOf

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

Record = tuple[str, tuple[int, ...], Values, bool]
"""A model, the ids of records that are there (none for a new one), what they are given, and
whether they are lines of another."""


def with_values(call: Call, described: FieldsOf, *, worded: bool = False) -> Call:
    """Return a call with the values in it read: each one2many and many2many as commands.

    What judges or sends the call then sees what Odoo does. Values of methods that nobody knows
    stay as they are.

    Args:
        call: as a caller has worded it.
        described: the fields of a model; none where they are not known.
        worded: as of :func:`read_values`.

    Raises:
        ValidationError: such a value has a form that is not known.
    """
    changed: dict[str, Any] = {}
    name, reader = VALUES.get(call.method), _Reader(described, worded=worded)
    if name and name in call.arguments:
        values = reader.values(call.model, call.arguments[name], name)
        changed["arguments"] = {**call.arguments, name: values}
    elif name and call.positional:
        values = reader.values(call.model, call.positional[0], name)
        changed["positional"] = (values, *call.positional[1:])
    if any(str(key).startswith(DEFAULT) for key in call.context):
        changed["context"] = {
            key: reader.default(call.model, key, value) for key, value in call.context.items()
        }
    return attrs.evolve(call, **changed) if changed else call


def read_values(
    value: Any, model: str | None, described: FieldsOf, where: str, *, worded: bool = False
) -> Any:
    """Return the values of a record as :class:`Values`, those of a list as :class:`Records`.

    What is neither, and what was read before, comes back as it is.

    Args:
        value: as a caller gave it.
        model: of the record; None where it is not known.
        described: the fields of a model; none where they are not known.
        where: the values stand, for errors.
        worded: whether relations may be worded in another form, such as by names: such a value
            stays as it is. It is not to be sent.

    Raises:
        ValidationError: the value of a one2many or many2many has a form that is not known.
    """
    return _Reader(described, worded=worded).values(model, value, where)


def defaults_in(context: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the default values in a context, by the names of the fields."""
    return {
        key[len(DEFAULT) :]: value
        for key, value in context.items()
        if isinstance(key, str) and key.startswith(DEFAULT)
    }


def records_written(call: Call) -> list[Record]:
    """Return what records are given by a call whose values were read, and the lines of each."""
    given: list[Record] = []
    for value in (*call.arguments.values(), *call.positional):
        for index, item in enumerate(value.items if isinstance(value, Records) else (value,)):
            if isinstance(item, Values):
                ids = call.ids or ()
                if call.method == "web_save_multi" and index < len(ids):
                    ids = ids[index : index + 1]
                given.append((item.model or call.model, ids, item, False))
    return records_within(given)


def records_within(given: Sequence[Record]) -> list[Record]:
    """Return records, each followed by its lines."""
    found = []
    left = [*reversed(given)]
    while left:
        found.append(record := left.pop())
        lines = [
            (inner.model, (command.id,) if command.id else (), inner, True)
            for commands in record[2].lines.values()
            for command in commands
            if isinstance(inner := command.values, Values) and inner.model
        ]
        left += reversed(lines)
    return found


def takes_no_empty_text(field: Field | None) -> bool:
    """Whether an empty text means that a field is not set.

    Odoo stores it as a text of no letters, which no search for what is not set finds to 17, and
    which is there once only where texts must be unique. A required field would refuse to be unset.
    """
    return field is not None and field.type in TEXTS and not field.required


def owns_lines(field: Field | None, model: str, described: FieldsOf) -> bool:
    """Whether what is taken away from a field may be deleted by that.

    From a many2many that is stored, only the link is; what others do is not known, such as
    ``message_partner_ids``, which deletes followers.

    Args:
        field: the field; None where it is not known.
        model: its model.
        described: the fields of a model; none where they are not known.
    """
    for _ in range(_LONGEST_PATH):
        if field is None or field.type != "many2many":
            return True
        if field.store:
            return False
        *path, last = field.related or ("",)
        for name in path:
            step = described(model).get(name)
            model = (step.relation if step is not None else None) or ""
        field = described(model).get(last) if model else None
    return True


def ids_in(value: Any) -> set[int]:
    """Return the ids in what stands for records: ids, texts of them, lists, what is read of one.

    Of a pair with a name, a name that is a number counts, too: a list of two ids may look the same.
    """
    if isinstance(value, Mapping):
        value = value.get("id")
    if isinstance(value, (list, tuple)):
        return {number for item in value for number in ids_in(item)}
    if isinstance(value, float) and math.isfinite(value):
        return {math.floor(value), math.ceil(value)}
    if isinstance(value, str):
        return _number_in(value)
    return {int(value)} if isinstance(value, int) and value is not False else set()


def _number_in(text: str) -> set[int]:
    """Return the number that a text is: 12, +12, 1_2, 0xC."""
    for base in (10, 0):
        try:
            return {int(text, base)}
        except ValueError:
            continue
    return set()


class _Reader:
    """Reads the values of one argument; what stands in several places is read once."""

    def __init__(self, described: FieldsOf, *, worded: bool = False) -> None:
        self._worded = worded
        self._read: dict[tuple[str | None, int], Values] = {}
        #: One lookup for the rows of a table.
        self._described = functools.cache(described)

    def values(self, model: str | None, value: Any, where: str) -> Any:
        """Return the values of a record, or of each of several."""
        if isinstance(value, (Records, Values)):
            return value
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
            fields = self._described(model) if model and value else {}
            for name, item in value.items():
                field = fields.get(name)
                if item == "" and takes_no_empty_text(field):
                    emptied[name] = False
                elif field is not None and field.type in TO_MANY:
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
        field = self._described(model).get(name) if name != key else None
        if field is None or field.type not in TO_MANY:
            return value
        read = self._commands(field, value, f"context.{key[:100]}", 0, default=True)
        return value if read is None else wire(read)

    def _commands(
        self, field: Field, value: Any, where: str, depth: int, *, default: bool = False
    ) -> tuple[Command, ...] | None:
        if depth > _DEEPEST:
            raise ValidationError(
                f"{where[:200]} is nested too deeply.",
                suggestion="Create the inner records in separate calls.",
                details={"named_in": where[:200]},
            )
        if are_new(value):
            depth, model = depth + 1, field.relation
            return tuple(
                [
                    Command(
                        kind="create",
                        values=given and self.record(model, given, f"{where}[{index}]", depth),
                    )
                    for index, (_, _, given) in enumerate(value)
                ]
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
