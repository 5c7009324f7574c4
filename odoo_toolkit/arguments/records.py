"""Values of a create or write: checked by field type, and turned into what Odoo takes.

Odoo itself is lenient in the wrong places: it stores the text ``"false"`` in a boolean as true,
takes True for the record 1, writes ``5`` over a name, and drops the fields it sets itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments.commands import Command, Values, read_commands, wire
from odoo_toolkit.arguments.values import takes_no_empty_text
from odoo_toolkit.errors import OdooError, ValidationError, make_error
from odoo_toolkit.fields import Field, FieldsOf, unknown_field_error
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import CONVERTERS, Place, json_value, show

#: Odoo sets these itself; it drops them from written values without a word.
_NEVER_WRITTEN = frozenset(
    {"id", "create_uid", "create_date", "write_uid", "write_date", "__last_update", "parent_path"}
)
_MAX_DEPTH = 8
#: False is no number, though Odoo would take it for none; null empties a number.
_NUMBERS = frozenset({"integer", "float", "monetary"})


def to_wire(
    values: Mapping[str, Any],
    model: str,
    fields: Mapping[str, Field],
    *,
    fields_of: FieldsOf,
) -> dict[str, Any]:
    """Return the values of a create or write as Odoo takes them; nothing is dropped.

    Accepted are: for a many2one an id or the ``{"id", "name"}`` that reading gives; for a
    many2many a list of ids, which replaces what is there, of the objects that reading gives, or
    commands; for a one2many commands (see :mod:`odoo_toolkit.arguments.commands`);
    for a datetime any ISO form (UTC where no zone is given) or a datetime; for a binary base64
    text or bytes; None or False to empty a field. Values of numpy, pandas and decimal are taken
    for what they mean (see :func:`~odoo_toolkit.values.plain.plain`): what is missing in a table
    empties the field, but for a NaN among numbers, which may be a failed calculation.

    Args:
        values: by field name; or as they were read before.
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
            f"The values of {model} must be an object with field names and values.",
            suggestion='For example {"name": "Azure Interior"}.',
            details={"model": model},
        )
    given = values if isinstance(values, Values) else plain(values)
    return _convert_record(given, model, fields, fields_of, path="", depth=0)


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
                f"Odoo sets {path}{name} of {model} itself, so it cannot be written.",
                suggestion=f"Omit {name} from the values.",
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
    lines = values.lines if isinstance(values, Values) else {}
    return {
        name: _convert(
            value, Place(model, fields[name], path + name, fields_of, depth), lines.get(name)
        )
        for name, value in values.items()
    }


def _convert(value: Any, place: Place, read: Sequence[Command] | None) -> Any:
    if value is None and place.field.type in _NUMBERS:
        return False
    is_nan = isinstance(value, float) and math.isnan(value)
    if value is None or (is_nan and place.field.type not in _NUMBERS):
        value = False
    if isinstance(value, str) and not value and takes_no_empty_text(place.field):
        value = False
    if place.field.type in ("one2many", "many2many"):
        return _convert_commands(value, place, read)
    if value is False and place.field.type not in _NUMBERS:
        return False
    converter = CONVERTERS.get(place.field.type, json_value)
    try:
        return converter(value, place)
    except OdooError:
        raise
    except ValueError as error:
        raise place.wrong(
            f"cannot accept this value: {error}", "Remove that character from the text."
        ) from error


def _convert_commands(value: Any, place: Place, read: Sequence[Command] | None) -> list[list[Any]]:
    to_one = place.field.type == "one2many"
    if not to_one and (value is False or value == []):
        # As a list of ids, which says which there are to be; Odoo would take it for no command.
        return [[6, 0, []]]
    try:
        commands = read_commands(value, place.path) if read is None else read
    except ValidationError as error:
        error.details |= {"model": place.model, "type": place.field.type}
        raise
    # Whoever names some lines rarely means that all others are to go.
    if to_one and not (isinstance(value, list) and all(isinstance(c, list) for c in value)):
        raise place.wrong(
            f"needs commands, not {show(value)}",
            "Pass [[5]] to remove all lines, [[6, 0, [ids]]] to keep only some.",
        )
    return wire(
        _with_values(command, attrs.evolve(place, path=f"{place.path}[{index}]"))
        for index, command in enumerate(commands)
    )


def _with_values(command: Command, here: Place) -> Command:
    """Return a command with the values of its record as Odoo takes them."""
    if command.kind not in ("create", "update"):
        return command
    if here.depth >= _MAX_DEPTH:
        raise here.wrong("is nested too deep", "Create the inner records in separate calls.")
    comodel = here.field.relation
    if not comodel:
        raise here.wrong(
            "points to a model that the server does not name", "Write it in a separate call."
        )
    fields = here.fields_of(comodel)
    path, depth = f"{here.path}.", here.depth + 1
    values = _convert_record(
        command.values, comodel, fields, here.fields_of, path=path, depth=depth
    )
    return attrs.evolve(command, values=values)
