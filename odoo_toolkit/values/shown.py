"""Values as Odoo sends and takes them, and as the toolkit gives and takes them, by field type.

The type of the field decides, never the look of the value: False is "nothing" in a char field
and a value in a boolean one, and ``2025-06-07 21:55:52`` may well be somebody's reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.fields import Field
from odoo_toolkit.html_text import html_to_text
from odoo_toolkit.values.moments import iso_utc

#: What an empty field of a type is to the reader; False of any other type stays what it is.
_EMPTY: dict[str, Literal[""] | None] = {
    "char": "",
    "text": "",
    "html": "",
    "date": None,
    "datetime": None,
    "selection": None,
    "many2one": None,
    "reference": None,
    "binary": None,
    "json": None,
}


@attrs.frozen(kw_only=True)
class ReadOptions:
    """How records are given to the reader.

    Attributes:
        strip_html: html fields as plain text.
        normalize_many2one: many2one values as ``{"id", "name"}`` instead of ``[id, name]``.
        max_limit: most records that one call reads; None for as many as are asked for.
    """

    strip_html: bool = True
    normalize_many2one: bool = True
    max_limit: int | None = None


_DEFAULT_OPTIONS = ReadOptions()


def from_wire(
    record: Mapping[str, Any],
    fields: Mapping[str, Field],
    options: ReadOptions = _DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Return a record as read from Odoo in the shape that the toolkit gives (REQ-04-35, 04-37).

    Args:
        record: one row of ``read`` or ``search_read``.
        fields: the model's fields. What is not among them, such as ``__count``, stays as it is.
        options: see :class:`ReadOptions`.
    """
    return {
        name: _read_value(value, fields[name], options) if name in fields else value
        for name, value in record.items()
    }


def _read_value(value: Any, field: Field, options: ReadOptions) -> Any:
    if value is False and field.type in _EMPTY:
        return _EMPTY[field.type]
    match field.type:
        case "many2one" if options.normalize_many2one:
            return _read_many2one(value)
        case "many2one_reference":
            return value or None
        case "datetime":
            return iso_utc(value)
        case "html" if options.strip_html and isinstance(value, str):
            return html_to_text(value)
    return value


def _read_many2one(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return {"id": value[0], "name": value[1] if isinstance(value[1], str) else None}
    # With the context or options of some reads, the server sends the id without the name.
    if isinstance(value, int) and not isinstance(value, bool):
        return {"id": value, "name": None}
    return value
