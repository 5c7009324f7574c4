"""Single cells of an import: what they mean as values of their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.fields import similar_names
from odoo_toolkit.records.importing.columns import Column
from odoo_toolkit.records.importing.tables import CsvFormat
from odoo_toolkit.records.importing.texts import (
    CellError,
    moment_reader,
    number_reader,
    read_switch,
)
from odoo_toolkit.values.plain import whole_number
from odoo_toolkit.values.scalars import is_id, short_repr

_WHOLE = frozenset({"integer", "many2one_reference"})
_NUMBERS = _WHOLE | {"float", "monetary"}
_MOMENTS = frozenset({"date", "datetime"})
_FREE = frozenset({"char", "text", "html"})
#: What files have as JSON.
_STRUCTURED = frozenset({"json", "properties", "properties_definition"})
EXTERNAL_ID = re.compile(r"[A-Za-z0-9_]+\.[A-Za-z0-9_.-]+")


@attrs.frozen
class Named:
    """A record that a cell names, to be looked up: by its name, by a field, by external id."""

    model: str
    by: str
    text: str


Reader = Callable[[Any], Any]
"""Gives what a cell means: a value of its field, or :class:`Named` and lists of them.

Raises:
    CellError: it cannot be understood.
"""


def reader_of(
    column: Column,
    cells: Iterable[Any],
    written: CsvFormat | None,
    meant: Mapping[str, Any],
    warnings: list[str],
) -> Reader:
    """Return what reads the cells of a column; how they are written, all of them together tell.

    Args:
        column: that they are in.
        cells: all of them, as plain Python.
        written: how the file is written that they come from, if they do.
        meant: what texts stand for, as the caller said, in any case of letters.
        warnings: is told what is left out.
    """
    folded = {text.strip().casefold(): value for text, value in meant.items()}
    texts = [cell.strip() for cell in cells if isinstance(cell, str)]
    texts = [text for text in texts if text and text.casefold() not in folded]
    read = _plain_reader(column, texts, written or CsvFormat(), warnings)
    if folded:
        said = _plain_reader(column, (), CsvFormat(decimal="."), [])
        read = _mapped(column, read, said, folded)
    known: dict[str, Any] = {}

    def cached(cell: Any) -> Any:
        """Read each text once: the same ones come again and again."""
        if not isinstance(cell, str):
            return read(cell)
        if cell not in known:
            try:
                known[cell] = read(cell)
            except CellError as error:
                known[cell] = error
        found = known[cell]
        if isinstance(found, CellError):
            raise found
        return found

    return read if column.field.type in _FREE else cached


def _mapped(column: Column, read: Reader, said: Reader, folded: Mapping[str, Any]) -> Reader:
    """Return a reader of cells whose texts, or parts of lists, stand for other values."""

    def meaning(cell: Any) -> Any:
        if not isinstance(cell, str):
            return read(cell)
        text = cell.strip().casefold()
        if text in folded:
            return said(folded[text])
        if column.field.type != "many2many" or cell.lstrip().startswith("["):
            return read(cell)
        parts = [folded.get(part.strip().casefold(), part) for part in cell.split(",")]
        return said([part for part in parts if part not in (None, "") and str(part).strip()])

    return meaning


def _plain_reader(
    column: Column, texts: Sequence[str], written: CsvFormat, warnings: list[str]
) -> Reader:
    field = column.field
    if column.is_id:
        return lambda cell: external_or_id(cell, column)
    if field.type == "many2one":
        return lambda cell: None if _is_empty(cell) else _record(cell, column)
    if field.type == "many2many":
        return lambda cell: [] if _is_empty(cell) else _several(cell, column)
    if field.type == "selection":
        return lambda cell: None if _is_empty(cell) else _selected(cell, column)
    if field.type in _NUMBERS:
        number, signs = number_reader(texts, written, whole=field.type in _WHOLE)
        if signs:
            warnings.append(
                f"{column.header}: the symbol {signs[0]} was removed. The toolkit imports only the "
                "numbers."
            )
        return _of_text(number)
    if field.type == "boolean":
        return _switch
    if field.type in _MOMENTS:
        return _of_text(moment_reader(texts, written, day=field.type == "date"))
    if field.type in _FREE:
        return lambda cell: None if _is_empty(cell) else cell
    if field.type in _STRUCTURED:
        return _of_text(_structure)
    return _of_text(lambda text: text)


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell)


def _of_text(read: Callable[[str], Any]) -> Reader:
    """Return a reader of texts, which leaves other values alone."""

    def reader(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        text = cell.strip()
        return read(text) if text else None

    return reader


def _switch(cell: Any) -> Any:
    if isinstance(cell, str):
        text = cell.strip()
        return read_switch(text) if text else None
    # Tables have 1 and 0 where they mean yes and no.
    return bool(cell) if cell in (0, 1) and isinstance(cell, (int, float)) else cell


def external_or_id(value: Any, column: Column) -> int | str | None:
    """Return an id, or an external id, as a cell of an ``id`` column has it; None for neither.

    Raises:
        CellError: it is something else.
    """
    if isinstance(value, Mapping) and "id" in value:
        value = value["id"]
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.isdecimal():
            value = int(text[:20])
        elif column.by != ".id" and EXTERNAL_ID.fullmatch(text):
            return text
    number = whole_number(value)
    if number is not None and is_id(number):
        return number
    raise CellError(
        f"{short_repr(value)} is not the id of a record"
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
        if isinstance(found, int) and column.by == "id":
            raise CellError(
                f"{found} looks like a database id, but this column contains external ids. If it "
                f"is an id of this database, rename the column to {column.field.name}/.id."
            )
        return Named(model, "id", found) if isinstance(found, str) else found
    if column.by is None:
        if isinstance(value, str):
            return Named(model, "", value.strip()) if value.strip() else None
        return value
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return Named(model, column.by, str(value).strip())
    raise CellError(f"{short_repr(value)} does not identify a record by its {column.by}.")


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
        raise CellError(f"{short_repr(value)} is not a list of records.")
    if any(isinstance(item, (list, tuple)) for item in value):
        return list(value)  # commands
    return [_record(item, column) for item in value]


def _json(text: str) -> Any:
    """Return a list or an object that a cell holds, or the text where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _structure(text: str) -> Any:
    """Return the list or object that a cell holds as JSON.

    Raises:
        CellError: it holds something else.
    """
    found = _json(text)
    if found is text or not isinstance(found, (dict, list)):
        raise CellError(f'{short_repr(text)} is not JSON, such as {{"35": 100}}.')
    return found


def _selected(value: Any, column: Column) -> Any:
    """Return the value of a selection that is meant, by itself or by its label."""
    options = column.field.selection
    if value is False or any(type(value) is type(key) and value == key for key, _ in options):
        return value
    text = str(value).strip().lower()
    if not text:
        return None
    found = {key for key, label in options if text in (str(key).lower(), str(label).lower())}
    if len(found) == 1:
        return found.pop()
    if not options:
        return value
    known = ", ".join(f"{key!r} ({label})" for key, label in options[:30])
    problem = "may be several of" if found else "is none of"
    names = [str(name).lower() for option in options for name in option]
    near = similar_names(text, names)[:1] if not found else []
    asked = f" Did you mean {near[0]!r}?" if near else ""
    raise CellError(f"{short_repr(value)} {problem}: {known}.{asked}", code="INVALID_SELECTION")
