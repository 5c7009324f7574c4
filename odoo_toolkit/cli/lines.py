"""Lines of documents as they are written in a shell, or are in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_origin, get_type_hints, is_typeddict

import click

from odoo_toolkit.cli.importing import rows_of
from odoo_toolkit.cli.options import unwrapped
from odoo_toolkit.cli.parsing import BOOLEANS, json_or_text, json_values, name_list
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import similar_names

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")

#: ``2 x``, and what may follow the product: ``@ 320``, ``-10%``.
_QUANTITY = re.compile(r"(?P<quantity>[+-]?[\d.,]+)\s*[x×]\s+(?P<rest>.+)", re.DOTALL)
_PRICE = re.compile(r"(?P<rest>.+?)\s+@\s*(?P<price_unit>[^\s@\"']+)", re.DOTALL)
_DISCOUNT = re.compile(r"(?P<rest>.+?)\s+-\s*(?P<discount>[\d.,]+)\s*%", re.DOTALL)

#: Types of values that a cell has as JSON.
_NESTED = (list, dict, Sequence, Mapping)

#: What can be written so.
SYNTAX = '"2 x Large Cabinet @ 320 -10%"'


def keys_of(kind: Any) -> dict[str, Any]:
    """Return the keys of a line and the type of each; nothing if it may have any."""
    hints = get_type_hints(kind, include_extras=True) if is_typeddict(kind) else {}
    return {name: unwrapped(hint)[0] for name, hint in hints.items()}


def is_sold(keys: Mapping[str, Any]) -> bool:
    """Return whether a line is so much of a product."""
    return {"product_name", "quantity"} <= keys.keys()


def line_of(text: str, keys: Mapping[str, Any]) -> list[Any]:
    """Return the lines that a text means: ``2 x Large Cabinet @ 320 -10%``, or JSON.

    Digits alone are the id of the product. A name in quotes may have anything in it.

    Raises:
        click.UsageError: it means none.
    """
    if text.lstrip().startswith(("{", "[{")) or not is_sold(keys):
        found = json_values(text)
        return found if isinstance(found, list) else [found]
    line: dict[str, Any] = {}
    rest = text.strip()
    if match := _QUANTITY.fullmatch(rest):
        line["quantity"], rest = _number(match["quantity"], text), match["rest"].strip()
    while match := _DISCOUNT.fullmatch(rest) or _PRICE.fullmatch(rest):
        ((name, value),) = ((n, v) for n, v in match.groupdict().items() if n != "rest")
        if name in line or name not in keys:
            known = ", ".join(keys)
            reason = f"has two values for {name}" if name in line else f"takes no {name}"
            raise click.UsageError(f"The line {text!r} {reason}. A line accepts the keys {known}.")
        line[name], rest = _number(value, text), match["rest"].strip()
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        line["product_name"] = rest[1:-1]
    elif rest.isdecimal() and "product_id" in keys:
        line["product_id"] = int(rest)
    else:
        line["product_name"] = rest
    return [line]


def _number(text: str, line: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise click.UsageError(
            f"{text!r} in the line {line!r} is not a number. Write a number as 1234.5. Put a name"
            " that contains @ or % in quotes."
        )
    return float(text)


def lines_of(file: str, keys: Mapping[str, Any]) -> list[Any]:
    """Return the lines of a file: CSV, whose columns are keys of a line, or JSON.

    A text that is JSON has the lines itself.

    Raises:
        ValidationError: a column is unknown, or a cell is of another type.
    """
    if file.lstrip().startswith(("{", "[")):
        return line_of(file, {})
    with rows_of(file, {}) as found:
        if isinstance(found, Path):
            rows: Any = json_values(found.read_text("utf-8-sig"))
        elif hasattr(found, "format"):
            rows = [_typed(row, keys, number) for number, row in enumerate(found, 1)]
        else:
            rows = found
    if not isinstance(rows, list):
        raise ValidationError(
            f"{file} has no list of lines.", suggestion="Write a list of objects."
        )
    return rows


def _typed(row: Mapping[str, str], keys: Mapping[str, Any], number: int) -> dict[str, Any]:
    for name in row:
        if keys and name not in keys:
            near = similar_names(name, list(keys))
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValidationError(
                f"The file has an unknown column {name!r}.{hint}",
                suggestion=f"A line accepts {', '.join(keys)}.",
            )
    return {
        name: _cell(text.strip(), keys.get(name), f"Line {number}, {name}")
        for name, text in row.items()
        if text and text.strip()
    }


def _cell(text: str, kind: Any, where: str) -> Any:
    """Return the value of a cell by the type of its key."""
    if kind is bool and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if kind in (int, float, bool):
        if kind is bool or not _NUMBER.fullmatch(text) or (kind is int and "." in text):
            noun = {bool: "true or false", int: "a whole number"}.get(kind, "a number")
            raise ValidationError(
                f"{where}: {text!r} is not {noun}.", suggestion="Correct the file."
            )
        return kind(text)
    if get_origin(kind) in (list, Sequence) and not text.startswith("["):
        return name_list(text)
    return json_or_text(text) if kind is None or get_origin(kind) in _NESTED else text
