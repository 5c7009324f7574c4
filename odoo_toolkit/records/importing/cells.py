"""Single cells of an import: texts as the values that their fields take."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs

from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.records.importing.columns import Column
from odoo_toolkit.records.importing.tables import CsvFormat
from odoo_toolkit.values.plain import whole_number
from odoo_toolkit.values.scalars import is_id, short_repr

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
#: What is a number, or a date, in some other country.
_LIKE_A_NUMBER = re.compile(r"[-+$€£%\s]*[0-9][0-9.,'’\s$€£%-]*")
_LIKE_A_DATE = re.compile(r"[0-9]{1,4}[./\s-][0-9A-Za-z]{1,9}[./\s-][0-9]{1,4}([ T].*)?")
_SWITCHES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NUMBERS = frozenset({"integer", "float", "monetary", "many2one_reference"})
EXTERNAL_ID = re.compile(r"[A-Za-z0-9_]+\.[A-Za-z0-9_.-]+")


class CellError(Exception):
    """A cell cannot be imported; its row fails."""

    def __init__(self, reason: str, *, code: str = "VALUE_ERROR", candidates: Any = ()) -> None:
        super().__init__(reason)
        self.reason, self.code, self.candidates = reason, code, list(candidates)


@attrs.frozen
class Named:
    """A record that a cell names, to be looked up: by its name, by a field, by external id."""

    model: str
    by: str
    text: str


def cell_value(value: Any, column: Column, written: CsvFormat | None) -> Any:
    """Return what a cell means: a value of its field, or :class:`Named` and lists of them.

    Args:
        value: of a cell, as plain Python.
        column: that it is in.
        written: how the file is written that it comes from, if it does.

    Raises:
        CellError: it cannot be understood.
        ValidationError: the file is not written as was said, so that no cell can be relied on.
    """
    field = column.field
    if value is None or (value == "" and isinstance(value, str)):
        return [] if field.type == "many2many" else None
    if field.type == "many2one":
        return _record(value, column)
    if field.type == "many2many":
        return _several(value, column)
    if field.type == "selection":
        return _selected(value, column)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text and field.type not in ("char", "text", "html"):
        return None
    if field.type in _NUMBERS:
        return _number(text, column, written)
    if field.type == "boolean":
        if text.lower() not in _SWITCHES:
            raise CellError(f"{short_repr(value)} is neither true nor false.")
        return _SWITCHES[text.lower()]
    if field.type in ("date", "datetime") and written:
        return _moment(text, column, written)
    return value


def external_or_id(value: Any, column: Column) -> int | str:
    """Return an id, or an external id, as a cell of an ``id`` column has it.

    Raises:
        CellError: it is neither.
    """
    if isinstance(value, Mapping) and "id" in value:
        value = value["id"]
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.isdecimal():
            value = int(text)
        elif column.by != ".id" and EXTERNAL_ID.fullmatch(text):
            return text
    number = whole_number(value)
    if number is not None and is_id(number):
        return number
    raise CellError(
        f"{short_repr(value)} is no id of a record"
        + ("." if column.by == ".id" else ", nor an external id such as __import__.customer_1.")
    )


def _record(value: Any, column: Column) -> Any:
    """Return the record that a cell means: an id, or what is to be looked up."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _json(value)
    if value is False:
        return None
    if isinstance(value, Mapping) and "id" in value:
        return value["id"] or None
    model = str(column.field.relation)
    if column.by in ("id", ".id"):
        found = external_or_id(value, column)
        return found if isinstance(found, int) else Named(model, "id", found)
    if column.by is None:
        if isinstance(value, str):
            return Named(model, "", value.strip()) if value.strip() else None
        return value
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return Named(model, column.by, str(value).strip())
    raise CellError(f"{short_repr(value)} does not name a record by its {column.by}.")


def _several(value: Any, column: Column) -> Any:
    if isinstance(value, str):
        listed = _json(value) if value.lstrip().startswith("[") else value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        value = listed if isinstance(listed, list) else parts
    if isinstance(value, int) and not isinstance(value, bool):
        value = [value]
    if value is False:
        return []
    if not isinstance(value, Sequence):
        raise CellError(f"{short_repr(value)} is no list of records.")
    if any(isinstance(item, (list, tuple)) for item in value):
        return list(value)  # commands
    return [_record(item, column) for item in value]


def _json(text: str) -> Any:
    """Return a list or an object that a cell holds, or the text where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _selected(value: Any, column: Column) -> Any:
    """Return the value of a selection that is meant, by itself or by its label."""
    options = column.field.selection
    if value is False or any(type(value) is type(key) and value == key for key, _ in options):
        return value
    text = str(value).strip().lower()
    found = {key for key, label in options if text in (str(key).lower(), str(label).lower())}
    if len(found) == 1:
        return found.pop()
    if not options:
        return value
    known = ", ".join(f"{key!r} ({label})" for key, label in options[:30])
    problem = "may be several of" if found else "is none of"
    raise CellError(f"{short_repr(value)} {problem}: {known}.", code="INVALID_SELECTION")


def _number(text: str, column: Column, written: CsvFormat | None) -> Any:
    plain = text
    if written:
        if written.thousands:
            plain = _without_thousands(text, written)
        if written.decimal == ",":
            # A dot would be read as what it is not.
            plain = plain.replace(".", "?").replace(",", ".")
    whole = column.field.type in ("integer", "many2one_reference")
    if whole:
        if _WHOLE.fullmatch(plain):
            return int(plain)
        if _NUMBER.fullmatch(plain) and float(plain).is_integer():
            return int(float(plain))
    elif _NUMBER.fullmatch(plain):
        return float(plain)
    if written and _LIKE_A_NUMBER.fullmatch(text) and not _NUMBER.fullmatch(plain):
        raise _misread(
            text,
            column,
            f"a number with {written.decimal!r} before the decimals"
            + (f" and {written.thousands!r} between thousands" if written.thousands else ""),
            "Give read_csv decimal=',' or thousands= as the file has them, and take signs such as"
            " % and $ out of it.",
        )
    raise CellError(f"{short_repr(text)} is no {'whole ' if whole else ''}number.")


def _without_thousands(text: str, written: CsvFormat) -> str:
    mark = re.escape(written.thousands)
    decimals = rf"({re.escape(written.decimal)}[0-9]*)?"
    if re.fullmatch(rf"[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})*{decimals}", text):
        return text.replace(written.thousands, "")
    return text


def _moment(text: str, column: Column, written: CsvFormat) -> Any:
    """Return a date or a moment in the form that the file has; ISO is checked later."""
    is_date = column.field.type == "date"
    given = written.date_format if is_date else written.datetime_format
    name = "date_format" if is_date else "datetime_format"
    if given is None:
        if not re.match(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ]|$)", text) and _LIKE_A_DATE.fullmatch(
            text
        ):
            raise _misread(
                text,
                column,
                "a date such as 2026-01-31",
                f"Give read_csv {name}= as the file has it, such as '%d/%m/%Y' or '%m/%d/%Y'.",
            )
        return text
    try:
        moment = datetime.strptime(text, given)  # noqa: DTZ007 - without a zone it is UTC
    except ValueError as error:
        if _LIKE_A_DATE.fullmatch(text):
            raise _misread(
                text, column, f"in the form {given}", f"Give read_csv the {name} of the file."
            ) from error
        raise CellError(f"{short_repr(text)} is not in the form {given}.") from error
    return moment.date() if is_date else moment


def _misread(text: str, column: Column, expected: str, suggestion: str) -> OdooError:
    """Return the error for a file that is written otherwise; what was read by luck may be wrong."""
    return ValidationError(
        f"The column {column.header!r} has {text[:40]!r}, which is not {expected}. Nothing was"
        " imported.",
        suggestion=suggestion,
        details={"column": column.header, "value": text[:40]},
    )
