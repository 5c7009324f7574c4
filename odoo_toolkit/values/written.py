"""Values of a create or write: checked by field type, and turned into what Odoo takes.

Odoo itself is lenient in the wrong places: it stores the text ``"false"`` in a boolean as true,
takes True for the record 1, writes ``5`` over a name, and drops the fields it sets itself.
"""

from __future__ import annotations

import base64
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from typing import Any

import attrs

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.fields import Field, similar_names, unknown_field_error
from odoo_toolkit.values.moments import day_string, parse_moment, utc_string
from odoo_toolkit.values.plain import plain, whole_number

FieldsOf = Callable[[str], Mapping[str, Field]]
"""Gives the fields of a model; raises an OdooError where they cannot be had."""

#: Odoo sets these itself; it drops them from written values without a word.
_NEVER_WRITTEN = frozenset(
    {"id", "create_uid", "create_date", "write_uid", "write_date", "__last_update", "parent_path"}
)
_MAX_DEPTH = 8
_INTEGER_LIMIT = 2**31  # an integer field is a column of 32 bits
_REFERENCE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*,[0-9]+")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60
#: False is no number, though Odoo would take it for none; null empties a number.
_NUMBERS = frozenset({"integer", "float", "monetary"})
_NUMBER = "Pass a number, without quotes, or null to empty it."
_JSON = "It may hold texts, numbers, booleans, null, and lists and objects of these."
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


def check_text(text: str) -> None:
    """Raise ValueError for text that no database takes: NUL, or halves of surrogate pairs."""
    if "\x00" in text:
        raise ValueError("the text contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text contains a lone surrogate, which is no character") from error


def selection_details(field: Field, value: Any) -> dict[str, Any]:
    """Return ``allowed`` and ``did_you_mean`` for a value that a selection field lacks.

    A label given for its value, ``Quotation`` for ``draft``, is recognised.
    """
    text = str(value)[:80].lower()
    by_text = {str(key).lower(): key for key, _ in field.selection}
    by_label = {label.lower(): key for key, label in field.selection if isinstance(label, str)}
    close = [by_label[text]] if text in by_label else []
    close = close or [by_text[name] for name in similar_names(text, by_text)]
    return {"allowed": [list(pair) for pair in field.selection], "did_you_mean": close}


def is_id(value: Any) -> bool:
    """Tell whether ``value`` can be the id of a stored record; True is not the record 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < _INTEGER_LIMIT


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
        name: _convert(value, _Place(model, fields[name], path + name, fields_of, depth))
        for name, value in values.items()
    }


@attrs.frozen
class _Place:
    """Where a value is to be written; ``path`` is how the caller would find it."""

    model: str
    field: Field
    path: str
    fields_of: FieldsOf
    depth: int

    def wrong(
        self, problem: str, suggestion: str, code: str = "VALUE_ERROR", **details: Any
    ) -> OdooError:
        """Return the error that says what is wrong with the value at this place."""
        known = {"model": self.model, "field": self.path, "type": self.field.type}
        if self.field.relation:
            known["relation"] = self.field.relation
        return make_error(
            code,
            f"{self.path} ({self.field.type} of {self.model}) {problem}.",
            suggestion=suggestion,
            details={**known, "label": self.field.string, **details},
        )


def _convert(value: Any, place: _Place) -> Any:
    if value is None and place.field.type in _NUMBERS:
        return False
    if value is None or (_is_nan(value) and place.field.type not in _NUMBERS):
        value = False
    if place.field.type in ("one2many", "many2many"):
        return _convert_commands(value, place)
    if value is False and place.field.type not in _NUMBERS:
        return False
    converter = _CONVERTERS.get(place.field.type, _json_value)
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


def _text(value: Any, place: _Place) -> str:
    if not isinstance(value, str):
        raise place.wrong(
            f"needs a text, not {_show(value)}", "Pass a string, or null to empty it."
        )
    check_text(value)
    return value


def _integer(value: Any, place: _Place) -> int:
    whole = whole_number(value)
    if whole is None:
        raise place.wrong(f"needs a whole number, not {_show(value)}", _NUMBER)
    if not -_INTEGER_LIMIT <= whole < _INTEGER_LIMIT:
        raise place.wrong(f"cannot hold {_show(value)}", "It holds numbers of up to 32 bits.")
    return whole


def _float(value: Any, place: _Place) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise place.wrong(f"needs a number, not {_show(value)}", _NUMBER)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise place.wrong(f"needs a finite number, not {_show(value)}", _NUMBER)
    return number


def _boolean(value: Any, place: _Place) -> bool:
    if not isinstance(value, bool):
        raise place.wrong(
            f"needs true or false, not {_show(value)}", "Pass a boolean, without quotes."
        )
    return value


def _date(value: Any, place: _Place) -> str:
    example = "Pass YYYY-MM-DD."
    if not isinstance(value, (str, date)):
        raise place.wrong(f"needs a date, not {_show(value)}", example)
    try:
        as_written = parse_moment(value)[1]
    except ValueError as error:
        raise place.wrong(f"needs a date, not {_show(value)}", example) from error
    if as_written is not None and as_written.time() != time():
        raise place.wrong(f"has no time of day, but was given {_show(value)}", example)
    return day_string(value)


def _datetime(value: Any, place: _Place) -> str:
    if isinstance(value, (str, date)):
        try:
            return utc_string(value)
        except ValueError:
            pass
    raise place.wrong(
        f"needs a date and time, not {_show(value)}",
        "Pass YYYY-MM-DDTHH:MM:SS with Z or an offset; without one it is taken as UTC.",
    )


def _selection(value: Any, place: _Place) -> Any:
    field = place.field
    # Compared with the type: 1 is not "1", and True is not 1.
    if field.selection and not any(
        type(value) is type(key) and value == key for key, _ in field.selection
    ):
        details = selection_details(field, value)
        meant = details["did_you_mean"]
        raise place.wrong(
            f"has no value {_show(value)}{f'; did you mean {meant[0]!r}?' if meant else ''}",
            "Pass one of: "
            + ", ".join(f"{key!r} ({label})" for key, label in field.selection[:30]),
            "INVALID_SELECTION",
            **details,
        )
    return _json_value(value, place)


def _many2one(value: Any, place: _Place) -> int | bool:
    if isinstance(value, Mapping) and "id" in value:
        value = value["id"]
        if value is None or value is False:
            return False
    whole = whole_number(value)
    if whole is not None and is_id(whole):
        return whole
    comodel = place.field.relation or "the other model"
    if isinstance(value, str):
        raise place.wrong(
            f"needs the id of a {comodel} record, not the text {_show(value)}",
            f"Look the id up first, with search_read on {comodel}, and pass the number.",
        )
    if isinstance(value, (list, tuple)) and len(value) == 2 and is_id(value[0]):
        raise place.wrong(
            f"needs the id alone, not the pair {_show(value)}", f"Pass {value[0]}.", use=value[0]
        )
    raise place.wrong(
        f"needs the id of a {comodel} record, not {_show(value)}",
        "Pass a positive number, or null to empty it.",
    )


def _binary(value: Any, place: _Place) -> str:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if not isinstance(value, str):
        raise place.wrong(f"needs base64 text, not {_show(value)}", "Encode the content as base64.")
    if value.startswith("data:"):
        raise place.wrong("needs base64 text, not a data: URL", "Pass only what follows the comma.")
    encoded = "".join(value.split())
    try:
        base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise place.wrong("needs base64 text, and this is not", "Encode it as base64.") from error
    return encoded


def _reference(value: Any, place: _Place) -> str:
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        raise place.wrong(f"needs a reference, not {_show(value)}", 'Pass it like "res.partner,7".')
    return value


def _json_value(value: Any, place: _Place) -> Any:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise place.wrong("needs a value that JSON can express", _JSON) from error
    return value


_CONVERTERS: dict[str, Callable[[Any, _Place], Any]] = {
    "char": _text,
    "text": _text,
    "html": _text,
    "integer": _integer,
    "many2one_reference": _integer,
    "float": _float,
    "monetary": _float,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "selection": _selection,
    "many2one": _many2one,
    "binary": _binary,
    "reference": _reference,
}


def _convert_commands(value: Any, place: _Place) -> list[list[Any]]:
    to_one = place.field.type == "one2many"
    if value is False and not to_one:
        value = []
    if not isinstance(value, (list, tuple)):
        raise place.wrong(
            f"needs a list, not {_show(value)}",
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


def _convert_command(command: Any, place: _Place, index: int) -> list[Any]:
    here = attrs.evolve(place, path=f"{place.path}[{index}]", depth=place.depth + 1)
    if not isinstance(command, (list, tuple)) or not 1 <= len(command) <= 3:
        raise here.wrong(f"is not a command: {_show(command)}", f"The commands: {_COMMANDS}.")
    code, record_id, argument = [*command, 0, 0][:3]
    if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 6:
        raise here.wrong(f"has no command {_show(code)}", f"The commands: {_COMMANDS}.")
    if code in (1, 2, 3, 4) and not is_id(record_id):
        raise here.wrong(
            f"needs an id in second place, not {_show(record_id)}", f"As in: {_COMMANDS}."
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
        raise here.wrong(f"takes no third value: {_show(command)}", f"As in: {_COMMANDS}.")
    return [int(code), int(record_id), 0]


def _nested_values(command: Sequence[Any], here: _Place) -> dict[str, Any]:
    if len(command) != 3 or not isinstance(command[2], Mapping):
        raise here.wrong(f"needs an object of values in third place: {_show(command)}", _COMMANDS)
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


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return short_repr(value)


def short_repr(value: Any) -> str:
    """Return a value for a message, cut short however long or deep it is."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python does not print numbers of thousands of digits
        return "a value too long to show"
