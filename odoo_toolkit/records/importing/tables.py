"""Rows to import: of dictionaries, of a CSV file, of a DataFrame."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.errors import ValidationError
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr

#: The column in which :meth:`ImportResult.write_failed` says why; it is not imported.
REASON = "import_error"

#: What separates the cells of files that people have, besides the comma.
_SEPARATORS = {";": "';'", "\t": r"'\t'", "|": "'|'"}


@attrs.frozen(kw_only=True)
class CsvFormat:
    """How a CSV file is written; arguments of :func:`read_csv`."""

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    datetime_format: str | None = None


class CsvRows(list[dict[str, str]]):
    """The rows of a CSV file, all of them texts, and how the file is written."""

    def __init__(self, rows: Iterable[dict[str, str]], written: CsvFormat) -> None:
        super().__init__(rows)
        self.format = written


def read_csv(
    path: str | PathLike[str],
    *,
    encoding: str = "utf-8",
    separator: str = ",",
    decimal: str = ".",
    thousands: str = "",
    date_format: str | None = None,
    datetime_format: str | None = None,
) -> CsvRows:
    """Read a CSV file for :func:`upsert` and its kin; how it is written is never guessed.

    >>> rows = read_csv("prices.csv", separator=";", decimal=",", date_format="%d/%m/%Y")
    >>> upsert(odoo, "product.template", rows, key="default_code")

    The first line has the names of the fields. Columns without a name and rows of another length
    are errors; empty lines are left out.

    Args:
        path: of the file.
        encoding: such as ``cp1252``, ``utf-16``, ``latin-1``; a mark of UTF-8 may be there.
        separator: between cells; one character.
        decimal: mark of decimals, ``.`` or ``,``.
        thousands: mark of thousands, if the file has any.
        date_format: of dates, as ``strptime`` takes it; ISO (``2026-01-31``) without one.
        datetime_format: of moments; ISO without one, and UTC where no zone is given.

    Raises:
        ValidationError: the file is empty, or not written as the arguments say.
        OSError: it cannot be read.
    """
    written = CsvFormat(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        thousands=thousands,
        date_format=date_format,
        datetime_format=datetime_format,
    )
    if len(separator) != 1 or decimal not in (".", ",") or decimal == thousands:
        raise ValidationError(
            "separator must be one character, decimal '.' or ',', and thousands another one.",
            suggestion=r"Such as separator=';' or separator='\t', decimal=',', thousands='.'.",
        )
    text = _decoded(Path(path), encoding)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValidationError(
            f"{Path(path).name} is not read as CSV: {error}.",
            suggestion="Check the quotes, and the separator that was given.",
        ) from error
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        raise _no_rows(Path(path).name)
    header = _header(lines[0], Path(path).name, separator)
    for number, line in enumerate(lines[1:], 1):
        if len(line) != len(header):
            raise ValidationError(
                f"Row {number} of {Path(path).name} has {len(line)} cells, the first line"
                f" {len(header)}.",
                suggestion="Give separator= as the file has it, and quote cells that contain it.",
                details={"row": number},
            )
    if len(lines) == 1:
        raise _no_rows(Path(path).name)
    return CsvRows((dict(zip(header, line, strict=True)) for line in lines[1:]), written)


def rows_of(rows: Any) -> tuple[list[dict[str, Any]], CsvFormat | None]:
    """Return rows as dictionaries of plain values, and how the file is written, if it is one.

    Raises:
        ValidationError: they are none, or there are none.
    """
    if isinstance(rows, (str, PathLike)):
        rows = _file(Path(rows))
    written = rows.format if isinstance(rows, CsvRows) else None
    table, gaps = _records(rows)
    checked: list[dict[str, Any]] = []
    for number, row in enumerate(table, 1):
        if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
            raise ValidationError(
                f"Row {number} is no dictionary of field names and values: {short_repr(row)}.",
                suggestion='Give rows such as {"name": "Azure Interior", "country_id": "Belgium"}.',
                details={"row": number},
            )
        values = plain(row)
        if gaps:
            values = {name: None if _is_nan(value) else value for name, value in values.items()}
        checked.append(values)
    if not checked:
        raise _no_rows("rows")
    return checked, written


def _file(path: Path) -> Any:
    kind = path.suffix.lower()
    if kind in (".jsonl", ".ndjson"):
        lines = _decoded(path, "utf-8").splitlines()
        try:
            return [json.loads(line) for line in lines if line.strip()]
        except ValueError as error:
            raise ValidationError(
                f"{path.name} has a line that is no JSON: {error}.",
                suggestion="Write one object in each line.",
            ) from error
    if kind.startswith((".xls", ".ods", ".parquet")):
        raise ValidationError(
            f"{path.name} is no CSV file.",
            suggestion="Read it with pandas and give the DataFrame, or save it as CSV.",
            details={"field": "rows"},
        )
    return read_csv(path)


def _records(rows: Any) -> tuple[list[Any], bool]:
    """Return the rows, and whether a NaN in them marks a gap, as in the columns of a table."""
    if hasattr(rows, "to_dicts"):  # polars
        return list(rows.to_dicts()), True
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas
        if len(set(rows.columns)) < len(rows.columns):
            raise ValidationError(
                "Several columns of the table have the same name.",
                suggestion="Leave out or rename those that are not to be imported.",
            )
        return list(rows.to_dict("records")), True
    if isinstance(rows, (Mapping, bytes)) or not isinstance(rows, Iterable):
        raise ValidationError(
            f"rows must be a list of dictionaries, not {short_repr(rows)}.",
            suggestion="Give dictionaries, the path of a CSV file, or a DataFrame.",
        )
    return list(rows), False


def _decoded(path: Path, encoding: str) -> str:
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) and "16" not in encoding:
        raise ValidationError(
            f"{path.name} is written in UTF-16, not in {encoding}.",
            suggestion="Give encoding='utf-16'.",
            details={"field": "encoding"},
        )
    try:
        text = content.decode(encoding)
    except LookupError as error:
        raise ValidationError(
            f"There is no encoding {encoding!r}.",
            suggestion="Such as utf-8, cp1252, latin-1, utf-16.",
            details={"field": "encoding"},
        ) from error
    except UnicodeError as error:
        raise ValidationError(
            f"{path.name} is not written in {encoding}: {error}.",
            suggestion="Give encoding= as the file was saved, often encoding='cp1252' (Excel).",
            details={"field": "encoding"},
        ) from error
    if "\x00" in text:
        raise ValidationError(
            f"{path.name} has NUL characters: it is no text in {encoding}.",
            suggestion="Give encoding='utf-16', or save the table as CSV.",
            details={"field": "encoding"},
        )
    return text.removeprefix("\ufeff")


def _header(cells: list[str], name: str, separator: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    if len(header) == 1:
        for other, shown in _SEPARATORS.items():
            if other != separator and other in header[0]:
                raise ValidationError(
                    f"{name} has one column only, {header[0][:80]!r}.",
                    suggestion=f"It seems to be separated otherwise: give separator={shown}.",
                    details={"field": "separator"},
                )
        if separator != "," and "," in header[0]:
            raise ValidationError(
                f"{name} has one column only, {header[0][:80]!r}.",
                suggestion="It seems to be separated by commas: leave separator out.",
                details={"field": "separator"},
            )
    twice = sorted({cell for cell in header if header.count(cell) > 1})
    if twice or "" in header:
        raise ValidationError(
            f"The first line of {name} must name each column once: "
            + (f"{', '.join(map(repr, twice))} is there twice." if twice else "one has no name."),
            suggestion="Name the fields in it, such as name,email,country_id.",
            details={"columns": twice},
        )
    return header


def _no_rows(name: str) -> ValidationError:
    return ValidationError(
        f"There is nothing to import: {name} has no rows.",
        suggestion="Give rows below the names of the fields.",
        details={"field": "rows"},
    )


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
