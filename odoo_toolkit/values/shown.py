"""The conversion of values between Odoo and the toolkit, by field type.

The type of the field decides, not the value. False means "empty" in a char field and is a value in
a Boolean field. A reference may look like a datetime.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import attrs

from odoo_toolkit.fields import Field
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.values.moments import WIRE_LENGTH, with_whole_year

#: What an empty field of a type is to the reader; False of any other type stays what it is.
_EMPTY: dict[str, Literal[""] | None] = {
    "char": "",
    "text": "",
    "html": "",
    "selection": None,
    "many2one": None,
    "reference": None,
    "binary": None,
    "json": None,
}


@attrs.frozen(kw_only=True)
class ReadOptions:
    """Options for the values of records.

    Attributes:
        strip_html: Return HTML fields as plain text.
        normalize_many2one: Return many2one values as ``{"id", "name"}`` instead of ``[id, name]``.
        max_limit: Maximum number of records per call. None for no limit.
    """

    strip_html: bool = True
    normalize_many2one: bool = True
    max_limit: int | None = None


_DEFAULT_OPTIONS = ReadOptions()

_Column = Callable[[list[dict[str, Any]], str], None]


def from_wire(
    record: Mapping[str, Any],
    fields: Mapping[str, Field],
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Return a record as read from Odoo in the shape that the toolkit gives.

    Args:
        record: one row of ``read`` or ``search_read``.
        fields: the model's fields. What is not among them, such as ``__count``, stays as it is.
        options: see :class:`ReadOptions`.
    """
    return rows_from_wire([record], fields, options)[0]


def rows_from_wire(
    records: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Field],
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> list[dict[str, Any]]:
    """Return many records as :func:`from_wire` does one; see :func:`show_rows`."""
    shown = [dict(record) for record in records]
    show_rows(shown, fields, options)
    return shown


def show_rows(
    rows: list[dict[str, Any]],
    fields: Mapping[str, Field],
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> None:
    """Give rows as read from Odoo the shape that :func:`from_wire` gives one, in place.

    How a field is shown is decided once, and then done for its whole column. Copies of many
    thousand rows would keep the garbage collector busy for longer than all the rest takes.

    Args:
        rows: the rows of one answer, which have the same keys.
        fields: the model's fields.
        options: see :class:`ReadOptions`.
    """
    for name in list(rows[0]) if rows else ():
        column = _column(fields[name], options) if name in fields else None
        if column is not None:
            column(rows, name)


def _column(field: Field, options: ReadOptions) -> _Column | None:
    """Return what shows a field of many records; None where it is shown as Odoo sends it."""
    match field.type:
        case "many2one" if options.normalize_many2one:
            return _show_many2one
        case "many2one_reference":
            return _show_id
        case "datetime":
            return _show_moment
        case "date":
            return _show_day
        case "html" if options.strip_html:
            return _show_text_of_html
    if field.type in _EMPTY:
        return partial(_show_empty, empty=_EMPTY[field.type])
    return None


def _show_empty(rows: list[dict[str, Any]], name: str, empty: Any) -> None:
    for row in rows:
        if row[name] is False:
            row[name] = empty


def _show_many2one(rows: list[dict[str, Any]], name: str) -> None:
    for row in rows:
        value = row[name]
        if value is False:
            row[name] = None
        elif isinstance(value, (list, tuple)) and len(value) == 2:
            named = value[1]
            row[name] = {"id": value[0], "name": named if isinstance(named, str) else None}
        # With the context or options of some reads, the server sends the id without the name.
        elif isinstance(value, int) and not isinstance(value, bool):
            row[name] = {"id": value, "name": None}


def _show_id(rows: list[dict[str, Any]], name: str) -> None:
    for row in rows:
        row[name] = row[name] or None


def _show_moment(rows: list[dict[str, Any]], name: str) -> None:
    for row in rows:
        value = row[name]
        if value is False:
            row[name] = None
        elif isinstance(value, str):
            whole = with_whole_year(value)
            if len(whole) == WIRE_LENGTH and whole[10] == " ":
                row[name] = whole.replace(" ", "T", 1) + "Z"


def _show_day(rows: list[dict[str, Any]], name: str) -> None:
    for row in rows:
        value = row[name]
        if value is False:
            row[name] = None
        elif isinstance(value, str):
            row[name] = with_whole_year(value)


def _show_text_of_html(rows: list[dict[str, Any]], name: str) -> None:
    for row in rows:
        value = row[name]
        if value is False:
            row[name] = ""
        elif isinstance(value, str):
            row[name] = html_to_text(value)
