"""Values of a create or write: checked by field type, and turned into what Odoo takes.

Odoo itself is lenient in the wrong places: it stores the text ``"false"`` in a boolean as true,
takes True for the record 1, writes ``5`` over a name, and drops the fields it sets itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.fields import Field, unknown_field_error
from odoo_toolkit.values.plain import plain, whole_number
from odoo_toolkit.values.scalars import CONVERTERS, FieldsOf, Place, is_id, json_value, show

#: Odoo sets these itself; it drops them from written values without a word.
_NEVER_WRITTEN = frozenset(
    {"id", "create_uid", "create_date", "write_uid", "write_date", "__last_update", "parent_path"}
)
_MAX_DEPTH = 8
#: False is no number, though Odoo would take it for none; null empties a number.
_NUMBERS = frozenset({"integer", "float", "monetary"})
_COMMANDS = "[0,0,{values}] create, [1,id,{values}] update, [2,id] delete, [3,id] unlink, "
_COMMANDS += "[4,id] link, [5] clear, [6,0,[ids]] set"


def to_wire(
    values: Mapping[str, Any],
    model: str,
    fields: Mapping[str, Field],
    *,
    fields_of: FieldsOf,
) -> dict[str, Any]:
    """Return the values of a create or write as Odoo takes them; nothing is dropped.

    Accepted are: for a many2one an id or the ``{"id", "name"}`` that reading gives; for a
    many2many a list of ids, which replaces what is there, or commands; for a one2many commands;
    for a datetime any ISO form (UTC where no zone is given) or a datetime; for a binary base64
    text or bytes; None or False to empty a field. Values of numpy, pandas and decimal are taken
    for what they mean (see :func:`~odoo_toolkit.values.plain.plain`): what is missing in a table
    empties the field, but for a NaN among numbers, which may be a failed calculation.

    Args:
        values: by field name.
        model: the model written to, for the messages.
        fields: its fields.
        fields_of: gives the fields of other models, for values nested in x2many commands.

    Raises:
        ValidationError: INVALID_FIELD, INVALID_SELECTION or VALUE_ERROR; ``details["field"]`` is
            the path to the value, such as ``order_line[0].product_id``.
        OdooError: the fields of a nested model cannot be had.
    """
    if not isinstance(values, Mapping):
        raise make_error(
            "VALUE_ERROR",
            f"The values of {model} must be an object of field names and values.",
            suggestion='For example {"name": "Azure Interior"}.',
            details={"model": model},
        )
    return _convert_record(plain(values), model, fields, fields_of, path="", depth=0)


def _convert_record(
    values: Mapping[str, Any],
    model: str,
    fields: Mapping[str, Field],
    fields_of: FieldsOf,
    *,
    path: str,
    depth: int,
) -> dict[str, Any]:
    names = [str(name) for name in values]
    for name in names:
        field = fields.get(name)
        if name in _NEVER_WRITTEN or (name == "display_name" and field and field.readonly):
            raise make_error(
                "INVALID_FIELD",
                f"{path}{name} of {model} is set by Odoo itself and cannot be written.",
                suggestion=f"Leave {name} out of the values.",
                details={"model": model, "field": path + name},
            )
    unknown = [name for name in names if name not in fields]
    if unknown:
        error = unknown_field_error(model, unknown, fields)
        error.details["path"] = path + unknown[0]
        if path:
            error.message = f"In {path.rstrip('.')}: {error.message}"
            error.args = (error.message,)
        raise error
    return {
        name: _convert(value, Place(model, fields[name], path + name, fields_of, depth))
        for name, value in values.items()
    }


def _convert(value: Any, place: Place) -> Any:
    if value is None and place.field.type in _NUMBERS:
        return False
    if value is None or (_is_nan(value) and place.field.type not in _NUMBERS):
        value = False
    if place.field.type in ("one2many", "many2many"):
        return _convert_commands(value, place)
    if value is False and place.field.type not in _NUMBERS:
        return False
    converter = CONVERTERS.get(place.field.type, json_value)
    try:
        return converter(value, place)
    except OdooError:
        raise
    except ValueError as error:
        raise place.wrong(
            f"cannot take this value: {error}", "Take that character out of it."
        ) from error


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _convert_commands(value: Any, place: Place) -> list[list[Any]]:
    to_one = place.field.type == "one2many"
    if value is False and not to_one:
        value = []
    if not isinstance(value, (list, tuple)):
        raise place.wrong(
            f"needs a list, not {show(value)}",
            "Pass [[5]] to remove all lines." if to_one else "Pass a list of ids, or [] for none.",
        )
    value = _with_whole_numbers(value)
    if not to_one and all(is_id(item) for item in value):
        # An empty list means none, as a list of ids does; Odoo would take it for no command.
        return [[6, 0, list(value)]]
    if to_one and value and all(isinstance(item, Mapping) for item in value):
        raise place.wrong(
            "needs commands, not bare objects",
            "To add lines pass [[0, 0, {...}], ...], one command for each object.",
        )
    return [_convert_command(command, place, index) for index, command in enumerate(value)]


def _with_whole_numbers(value: Any) -> Any:
    """Return commands with 3.0 turned into 3, as ids are in a column where some are missing."""
    if isinstance(value, list):
        return [_with_whole_numbers(item) for item in value]
    return whole_number(value) if isinstance(value, float) and value.is_integer() else value


def _convert_command(command: Any, place: Place, index: int) -> list[Any]:
    here = attrs.evolve(place, path=f"{place.path}[{index}]", depth=place.depth + 1)
    if not isinstance(command, (list, tuple)) or not 1 <= len(command) <= 3:
        raise here.wrong(f"is not a command: {show(command)}", f"The commands: {_COMMANDS}.")
    code, record_id, argument = [*command, 0, 0][:3]
    if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 6:
        raise here.wrong(f"has no command {show(code)}", f"The commands: {_COMMANDS}.")
    if code in (1, 2, 3, 4) and not is_id(record_id):
        raise here.wrong(
            f"needs an id in second place, not {show(record_id)}", f"As in: {_COMMANDS}."
        )
    match code:
        case 0:
            return [0, 0, _nested_values(command, here)]
        case 1:
            return [1, int(record_id), _nested_values(command, here)]
        case 5:
            return [5, 0, 0]
        case 6:
            if not isinstance(argument, (list, tuple)) or not all(is_id(item) for item in argument):
                raise here.wrong("needs a list of ids in third place", "As in [6, 0, [3, 4]].")
            return [6, 0, list(argument)]
    if argument not in (0, False, None):
        raise here.wrong(f"takes no third value: {show(command)}", f"As in: {_COMMANDS}.")
    return [int(code), int(record_id), 0]


def _nested_values(command: Sequence[Any], here: Place) -> dict[str, Any]:
    if len(command) != 3 or not isinstance(command[2], Mapping):
        raise here.wrong(f"needs an object of values in third place: {show(command)}", _COMMANDS)
    if here.depth > _MAX_DEPTH:
        raise here.wrong("is nested too deep", "Create the inner records in calls of their own.")
    comodel = here.field.relation
    if not comodel:
        raise here.wrong("points to a model that the server does not name", "Write it apart.")
    return _convert_record(
        command[2],
        comodel,
        here.fields_of(comodel),
        here.fields_of,
        path=f"{here.path}.",
        depth=here.depth,
    )
