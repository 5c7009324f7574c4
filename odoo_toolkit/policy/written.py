"""Values that a caller wants written, where only what is fully understood may pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from odoo_toolkit.call import Access
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.policy.names import Names, unfit

_DEPTH = 8
_LARGEST = 2**31 - 1
_REFERENCE = re.compile(r"([a-z0-9_.]{1,200}),([0-9]{1,10})")

#: What a command does to the records of a one2many: link and unlink write their inverse field,
#: and lines that belong to a parent are deleted when they leave it.
OWNED: dict[int, tuple[Access, ...]] = {
    0: ("create",),
    1: ("write",),
    2: ("delete",),
    3: ("write", "delete"),
    4: ("write",),
    5: ("write", "delete"),
    6: ("write", "delete"),
}
#: Of a many2many, linking touches only the relation.
LINKED: dict[int, tuple[Access, ...]] = {
    **dict.fromkeys((3, 4, 5, 6), ()),
    0: ("create",),
    1: ("write",),
    2: ("delete",),
}


def is_code(value: Any) -> bool:
    """Whether it is the code of a command, as Odoo compares: True and 1.0 are 1."""
    return isinstance(value, (int, float)) and value in OWNED


def has_commands(value: Any) -> bool:
    """Whether there is a command that creates, updates or deletes."""
    return isinstance(value, (list, tuple)) and any(
        isinstance(item, (list, tuple))
        and len(item) > 1
        and is_code(item[0])
        and (item[0] == 2 or (len(item) > 2 and isinstance(item[2], Mapping)))
        for item in value
    )


FieldOf = Callable[[str, Any, str], Field]
"""Judges the name of a field, and returns the field: model, name, where it is named."""


class Written:
    """Parses the values of a create or write, and judges what is named in them."""

    def __init__(self, names: Names, field_of: FieldOf) -> None:
        self._names = names
        self._field_of = field_of

    def record(self, model: str, value: Any, where: str, depth: int = 0) -> dict[str, Any]:
        """Return the values of one record, built anew.

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
            built[field.name] = self._value(field, item, here, depth)
        self._names.record_written(model, built, (where,))
        return built

    def _value(self, field: Field, value: Any, where: str, depth: int) -> Any:
        if value is None or value is False:
            return False
        if field.type in TO_MANY:
            return self._commands(field, value, where, depth)
        fits = _FITS.get(field.type)
        if fits is None or not fits(value):
            raise unfit(where, f"has a value that does not fit a field of type {field.type}")
        if isinstance(value, str):
            self._names.text_written(field, value, (where,))
        if field.type == "many2one":
            self._names.id_written(field, value, (where,))
        return value

    def _commands(self, field: Field, value: Any, where: str, depth: int) -> list[Any]:
        comodel = field.relation
        if not isinstance(value, (list, tuple)) or not comodel:
            raise unfit(where, "must be a list of commands")
        if field.type == "many2many" and all(_is_id(item) for item in value):
            return [[6, 0, list(value)]]
        built = []
        for index, command in enumerate(value):
            here = f"{where}[{index}]"
            if not isinstance(command, (list, tuple)) or not 1 <= len(command) <= 3:
                raise unfit(here, "is no command such as [4, id, 0]")
            code, record_id, argument = [*command, 0, 0][:3]
            if type(code) is not int or code not in OWNED:
                raise unfit(here, "is no command such as [4, id, 0]")
            for access in (OWNED if field.type == "one2many" else LINKED)[code]:
                self._names.commanded(comodel, access, (here,))
            if code in (0, 1):
                argument = self.record(comodel, argument, here, depth + 1)
            elif code == 6:
                argument = self._ids(argument, here)
            else:
                argument = 0
            if code in (1, 2, 3, 4) and not _is_id(record_id):
                raise unfit(here, "needs the id of a record in second place")
            built.append([code, record_id if code in (1, 2, 3, 4) else 0, argument])
        return built

    @staticmethod
    def _ids(value: Any, where: str) -> list[int]:
        if not isinstance(value, (list, tuple)) or not all(_is_id(item) for item in value):
            raise unfit(where, "needs a list of ids in third place")
        return list(value)


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
