"""Values that a caller wants written, where only what is fully understood may pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import attrs

from odoo_toolkit.arguments import Command, owns_lines, read_commands
from odoo_toolkit.arguments.commands import Kind
from odoo_toolkit.arguments.scalars import unfit
from odoo_toolkit.call import Access
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.policy.names import Names

_DEPTH = 8
_LARGEST = 2**31 - 1
_REFERENCE = re.compile(r"([a-z0-9_.]{1,200}),([0-9]{1,10})")

#: What a command does to the records of a one2many: link and unlink write their inverse field,
#: and lines that belong to a parent may be deleted when they leave it.
OWNED: dict[Kind, tuple[Access, ...]] = {
    "create": ("create",),
    "update": ("write",),
    "delete": ("delete",),
    "unlink": ("write", "delete"),
    "link": ("write",),
    "clear": ("write", "delete"),
    "set": ("write", "delete"),
}
#: Of a many2many, linking touches only the relation.
LINKED: dict[Kind, tuple[Access, ...]] = {
    "create": ("create",),
    "update": ("write",),
    "delete": ("delete",),
    **dict.fromkeys(("unlink", "link", "clear", "set"), ()),
}


def accesses(command: Command, field: Field, owned: bool, creating: bool) -> tuple[Access, ...]:
    """Return what a command does to the records of the model that a field leads to.

    Args:
        command: the command.
        field: the field.
        owned: whether what is taken away from it may be deleted.
        creating: whether it is a value of a new record, which has nothing yet that could be taken
            away; but a field that shows another record's does.
    """
    if creating and command.takes_all and not command.ids and field.store and not field.related:
        return ()
    return (OWNED if owned else LINKED)[command.kind]


def holds_commands(value: Any) -> bool:
    """Whether a value of a field that nobody knows makes, changes or deletes records."""
    try:
        commands = read_commands(value, "value", default=True)
    except ValidationError:
        items = value if isinstance(value, (list, tuple)) else [value]
        return any(isinstance(item, (list, tuple, Mapping)) for item in items)
    return any(command.kind in ("create", "update", "delete") for command in commands)


FieldOf = Callable[[str, Any, str], Field]
"""Judges the name of a field, and returns the field: model, name, where it is named."""


class Written:
    """Parses the values of a create or write, and judges what is named in them."""

    def __init__(self, names: Names, field_of: FieldOf) -> None:
        self._names = names
        self._field_of = field_of

    def record(
        self, model: str, value: Any, where: str, depth: int = 0, *, creating: bool
    ) -> dict[str, Any]:
        """Return the values of one record, built anew.

        Args:
            model: of the record.
            value: the values.
            where: they stand, for errors.
            depth: of records within records.
            creating: whether the record is new.

        Raises:
            AccessError: something closed is named.
            ValidationError: a value does not fit its field.
        """
        if not isinstance(value, Mapping) or depth > _DEPTH:
            raise unfit(where, "must be an object of field names and values")
        built = {}
        for name, item in value.items():
            here = f"{where}.{str(name)[:100]}"
            field = self._field_of(model, name, here)
            self._names.written(model, name, (here,))
            self._names.binary_written(model, field, item, (here,))
            if field.type in TO_MANY:
                built[field.name] = self._commands(model, field, item, here, depth, creating)
            else:
                built[field.name] = self._value(field, item, here)
        self._names.record_written(model, built, (where,))
        return built

    def _value(self, field: Field, value: Any, where: str) -> Any:
        if value is None or value is False:
            return False
        fits = _FITS.get(field.type)
        if fits is None or not fits(value):
            raise unfit(where, f"has a value that does not fit a field of type {field.type}")
        if isinstance(value, str):
            self._names.text_written(field, value, (where,))
        if field.type == "many2one":
            self._names.id_written(field, value, (where,))
        return value

    def _commands(
        self, model: str, field: Field, value: Any, where: str, depth: int, creating: bool
    ) -> list[Any]:
        comodel = field.relation
        if not comodel:
            raise unfit(where, "leads to a model that the server does not name")
        owned = owns_lines(field, model, self._names.field)
        built = []
        for index, command in enumerate(read_commands(value, where)):
            here = f"{where}[{index}]"
            for access in accesses(command, field, owned, creating):
                self._names.commanded(comodel, access, (here,))
            if command.kind in ("create", "update"):
                new = command.kind == "create"
                values = self.record(comodel, command.values, here, depth + 1, creating=new)
                command = attrs.evolve(command, values=values)
            built.append(command.wire)
        return built


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < value <= _LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_moment(value: Any) -> bool:
    return isinstance(value, (str, date))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _is_flat(value: Any) -> bool:
    """Whether it is a scalar, or a mapping of names to scalars and lists of them.

    Properties may be set so; given as a list they would define properties for all records.
    """
    if isinstance(value, Mapping):
        return all(
            isinstance(key, str)
            and (
                _is_scalar(item)
                or (isinstance(item, (list, tuple)) and all(_is_scalar(one) for one in item))
            )
            for key, item in value.items()
        )
    return _is_scalar(value)


_FITS: dict[str, Callable[[Any], bool]] = {
    "binary": lambda value: isinstance(value, (str, bytes)),
    "boolean": lambda value: isinstance(value, bool),
    "char": _is_text,
    "date": _is_moment,
    "datetime": _is_moment,
    "float": _is_number,
    "html": _is_text,
    "integer": _is_number,
    "json": _is_flat,
    "many2one": _is_id,
    "many2one_reference": _is_id,
    "monetary": _is_number,
    "properties": lambda value: isinstance(value, Mapping) and _is_flat(value),
    "reference": lambda value: isinstance(value, str) and bool(_REFERENCE.fullmatch(value)),
    "selection": _is_scalar,
    "text": _is_text,
}
