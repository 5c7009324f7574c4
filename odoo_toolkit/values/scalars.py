"""Single values of a create or write, checked by the type of their field."""

from __future__ import annotations

import base64
import contextlib
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any

import attrs

from odoo_toolkit.compat import RENAMED_VALUES
from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.fields import Field, FieldsOf, is_unencoded, similar_names
from odoo_toolkit.values.moments import day_string, parse_moment, utc_string
from odoo_toolkit.values.plain import whole_number
from odoo_toolkit.values.properties import by_name

_INTEGER_LIMIT = 2**31  # an integer field is a column of 32 bits
_REFERENCE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*,[0-9]+")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_NUMBER = "Pass a number, without quotes. To empty the field, pass null."
_JSON = "Pass strings, numbers, Booleans, null, and lists and objects of these."


@attrs.frozen
class Place:
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


def check_text(text: str) -> None:
    """Raise ValueError for text that no database takes: NUL, or halves of surrogate pairs."""
    if "\x00" in text:
        raise ValueError("the text contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text contains a lone surrogate, which is not a character") from error


def renamed_value(model: str, field: Field, value: Any) -> tuple[Any, str] | None:
    """Return what a value of another version is called here, and what is to be given with it."""
    there = {key for key, _ in field.selection}
    renamed = RENAMED_VALUES.get((model, field.name), {}).get(str(value), ())
    return next((one for one in renamed if one[0] in there), None)


def meant_value(model: str, field: Field, value: Any) -> str:
    """Ask, in words, whether another value of a selection is meant; empty where none is known."""
    if renamed := renamed_value(model, field, value):
        name, beside = renamed
        with_it = f", with {beside}" if beside else ""
        return f"In this version of Odoo, the name is {name!r}{with_it}. "
    near = selection_details(field, value)["did_you_mean"]
    return f"Did you mean {near[0]!r}? " if near else ""


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


def show(value: Any) -> str:
    """Return a value for a message, booleans as JSON writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return short_repr(value)


def short_repr(value: Any) -> str:
    """Return a value for a message, cut short however long or deep it is."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python does not print numbers of thousands of digits
        return "a value too long to show"


def _text(value: Any, place: Place) -> str:
    if not isinstance(value, str):
        raise place.wrong(
            f"needs a text, not {show(value)}", "Pass a string. To empty the field, pass null."
        )
    check_text(value)
    return value


def _integer(value: Any, place: Place) -> int:
    whole = whole_number(value)
    if whole is None:
        raise place.wrong(f"needs a whole number, not {show(value)}", _NUMBER)
    if not -_INTEGER_LIMIT <= whole < _INTEGER_LIMIT:
        raise place.wrong(f"cannot hold {show(value)}", "Pass a number of up to 32 bits.")
    return whole


def _float(value: Any, place: Place) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise place.wrong(f"needs a number, not {show(value)}", _NUMBER)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise place.wrong(f"needs a finite number, not {show(value)}", _NUMBER)
    return number


def _boolean(value: Any, place: Place) -> bool:
    if not isinstance(value, bool):
        raise place.wrong(
            f"needs true or false, not {show(value)}", "Pass a Boolean, without quotes."
        )
    return value


def _date(value: Any, place: Place) -> str:
    example = "Pass YYYY-MM-DD."
    if not isinstance(value, (str, date)):
        raise place.wrong(f"needs a date, not {show(value)}", example)
    try:
        as_written = parse_moment(value)[1]
    except ValueError as error:
        raise place.wrong(f"needs a date, not {show(value)}", example) from error
    if as_written is not None and as_written.time() != time():
        raise place.wrong(f"has no time of day, but was given {show(value)}", example)
    return day_string(value)


def _datetime(value: Any, place: Place) -> str:
    if isinstance(value, (str, date)):
        try:
            return utc_string(value)
        except ValueError:
            pass
    raise place.wrong(
        f"needs a date and time, not {show(value)}",
        "Pass YYYY-MM-DDTHH:MM:SS with Z or an offset. Without an offset, the time is in UTC.",
    )


def _selection(value: Any, place: Place) -> Any:
    field = place.field
    # Compared with the type: 1 is not "1", and True is not 1.
    if field.selection and not any(
        type(value) is type(key) and value == key for key, _ in field.selection
    ):
        details = selection_details(field, value)
        meant = details["did_you_mean"]
        if renamed := renamed_value(place.model, field, value):
            meant[:] = [renamed[0]]
            raise place.wrong(
                f"has no value {show(value)}",
                meant_value(place.model, field, value),
                "INVALID_SELECTION",
                **details,
            )
        raise place.wrong(
            f"has no value {show(value)}{f'; did you mean {meant[0]!r}?' if meant else ''}",
            "Pass one of: "
            + ", ".join(f"{key!r} ({label})" for key, label in field.selection[:30]),
            "INVALID_SELECTION",
            **details,
        )
    return json_value(value, place)


def _many2one(value: Any, place: Place) -> int | bool:
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
            f"needs the id of a {comodel} record, not the text {show(value)}",
            f"Look up the id with search_read on {comodel}, and pass the number.",
        )
    if isinstance(value, (list, tuple)) and len(value) == 2 and is_id(value[0]):
        raise place.wrong(
            f"needs the id alone, not the pair {show(value)}", f"Pass {value[0]}.", use=value[0]
        )
    raise place.wrong(
        f"needs the id of a {comodel} record, not {show(value)}",
        "Pass a positive number. To empty the field, pass null.",
    )


def _binary(value: Any, place: Place) -> str:
    if is_unencoded(place.model, place.field):
        raise place.wrong(
            "cannot contain base64: Odoo would store it as it is",
            "Write datas, which Odoo decodes.",
        )
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if not isinstance(value, str):
        raise place.wrong(f"needs base64 text, not {show(value)}", "Encode the content as base64.")
    if value.startswith("data:"):
        raise place.wrong(
            "needs base64 text, not a data: URL", "Pass only the part after the comma."
        )
    encoded = "".join(value.split())
    try:
        base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise place.wrong("needs base64 text, and this is not", "Encode it as base64.") from error
    return encoded


def _reference(value: Any, place: Place) -> str:
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        raise place.wrong(f"needs a reference, not {show(value)}", 'Write it as "res.partner,7".')
    return value


def json_value(value: Any, place: Place) -> Any:
    """Return a value of a type that is not known here, if JSON can express it."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise place.wrong("needs a value that JSON can express", _JSON) from error
    return value


def _of_json(value: Any) -> Any:
    """Return what a text holds as JSON, as files and some clients have it; no field holds such."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return json.loads(value)
    return value


def _json(value: Any, place: Place) -> Any:
    """Return what a json field holds, which has texts for keys; what is empty is False."""
    return json.loads(json.dumps(json_value(_of_json(value), place))) or False


def _properties(value: Any, place: Place) -> dict[str, Any]:
    """Return properties as names and values, also as reading gives them."""
    value = _of_json(value)
    if isinstance(value, Mapping):
        return {str(name): json_value(item, place) for name, item in value.items()}
    listed = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(one, Mapping) and "name" in one for one in listed):
        raise place.wrong(
            f"needs names and values, not {show(value)}", 'Pass them in this form: {"a1b2": 7}.'
        )
    if any(one.get("definition_changed") or one.get("definition_deleted") for one in listed):
        raise place.wrong(
            "would define properties anew, for all records",
            "Write the definitions on the parent, such as the project of a task.",
        )
    return by_name(listed)


def _definitions(value: Any, place: Place) -> Any:
    value = _of_json(value)
    listed = isinstance(value, (list, tuple))
    if not listed or not all(isinstance(one, Mapping) and one.get("name") for one in value):
        raise place.wrong(
            f"needs a list of definitions, not {show(value)}",
            'Pass all definitions, each like {"name": "a1b2", "string": "Size", '
            '"type": "integer"}.',
        )
    return json_value([dict(one) for one in value], place)


#: type of a field -> what returns a value as Odoo takes it, or raises what is wrong with it
CONVERTERS: dict[str, Callable[[Any, Place], Any]] = {
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
    "json": _json,
    "properties": _properties,
    "properties_definition": _definitions,
}
