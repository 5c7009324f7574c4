"""Rows to import, from dictionaries, CSV files and DataFrames."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr

#: The column in which :meth:`ImportResult.write_failed` says why; it is not imported.
REASON = "import_error"

#: What separates the cells of files that people have -> how it is written in Python.
_SEPARATORS = {",": "','", ";": "';'", "\t": r"'\t'", "|": "'|'"}

#: Rows of another length that an error names.
_SHOWN_ROWS = 20


@attrs.frozen(kw_only=True)
class CsvFormat:
    """How a CSV file is written; arguments of :func:`read_csv`, None for what was not said."""

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str | None = None
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
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str = "",
    date_format: str | None = None,
    datetime_format: str | None = None,
) -> CsvRows:
    """Read a CSV file for :func:`upsert`, :func:`create_many` or :func:`write_many`.

    >>> rows = read_csv("prices.csv", encoding="cp1252", date_format="%d/%m/%Y")
    >>> upsert(odoo, "product.template", rows, key="default_code")

    The first line contains the names of the columns. A row with another number of cells is an
    error. Empty lines, and columns with neither a name nor a value, are skipped.

    Args:
        path: Path of the file.
        encoding: Encoding of the file, such as ``cp1252`` or ``latin-1``. Default: UTF-8, or UTF-16
            if the file starts with a byte order mark.
        separator: One character between cells. By default the toolkit chooses comma, semicolon, tab
            or bar, so that all lines have the same number of cells.
        decimal: Decimal mark, a point or a comma. By default the toolkit detects it for each
            column. An ambiguous number fails its row.
        thousands: Thousands separator, if you want to accept only this one.
        date_format: Format of dates, as in ``strptime``. By default the toolkit detects it for each
            column.
        datetime_format: Format of datetimes, detected in the same way. A datetime without a time
            zone is in UTC.

    Raises:
        ValidationError: The file is empty, or its contents do not fit the arguments.
        OSError: The file can't be read.
    """
    path = Path(path)
    if (
        (separator is not None and len(separator) != 1)
        or decimal not in (None, ".", ",")
        or (thousands and thousands == decimal)
    ):
        raise ValidationError(
            "separator must be one character, decimal must be '.' or ',', and thousands must be "
            "another character.",
            suggestion=r"Such as separator=';' or separator='\t', decimal=',', thousands='.'.",
        )
    text, encoding = _decoded(path, encoding)
    if separator is None:
        separator = _separator(text, path.name)
    lines = _lines(text, separator, path.name)
    if not lines:
        raise _no_rows(path.name)
    header = _header(lines, path.name, separator)
    _check_lengths(lines, path.name)
    if len(lines) == 1:
        raise _no_rows(path.name)
    written = CsvFormat(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        thousands=thousands,
        date_format=date_format,
        datetime_format=datetime_format,
    )
    if "" not in header:
        return CsvRows((dict(zip(header, line, strict=True)) for line in lines[1:]), written)
    named = [index for index, name in enumerate(header) if name]
    return CsvRows(({header[i]: line[i] for i in named} for line in lines[1:]), written)


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
                f"Row {number} is not a dictionary of field names and values: {short_repr(row)}.",
                suggestion='Pass rows such as {"name": "Azure Interior", "country_id": "Belgium"}.',
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
        lines = _decoded(path, "utf-8")[0].splitlines()
        try:
            return [json.loads(line) for line in lines if line.strip()]
        except ValueError as error:
            raise ValidationError(
                f"{path.name} has a line that is not valid JSON: {error}.",
                suggestion="Write one object in each line.",
            ) from error
    if kind.startswith((".xls", ".ods", ".parquet")):
        raise invalid(
            "rows",
            f"{path.name} is not a CSV file.",
            "Read it with pandas and pass the DataFrame, or save it as CSV.",
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
                suggestion="Rename these columns, or remove those that you do not import.",
            )
        return list(rows.to_dict("records")), True
    if isinstance(rows, (Mapping, bytes)) or not isinstance(rows, Iterable):
        raise ValidationError(
            f"rows must be a list of dictionaries, not {short_repr(rows)}.",
            suggestion="Pass dictionaries, the path of a CSV file, or a DataFrame.",
        )
    return list(rows), False


#: How files of spreadsheets begin: .xlsx and .ods, which are ZIP archives, and .xls.
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def _decoded(path: Path, encoding: str | None) -> tuple[str, str]:
    """Return the text of a file, and its encoding."""
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = f"{error.strerror or error}. Pass the path of a readable file"
        raise OSError(error.errno, problem, str(path)) from error
    if content.startswith(_WORKBOOKS):
        raise invalid(
            "rows",
            f"{path.name} is a workbook of Excel or another spreadsheet, not a CSV file.",
            "Save the sheet as CSV. Or read it with pandas.read_excel, and pass the DataFrame.",
        )
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        if encoding is not None and "16" not in encoding:
            raise invalid(
                "encoding",
                f"{path.name} is encoded in UTF-16, not in {encoding}.",
                "Give encoding='utf-16'.",
            )
        encoding = "utf-16"
    encoding = encoding or "utf-8"
    try:
        text = content.decode(encoding)
    except LookupError as error:
        raise invalid(
            "encoding",
            f"There is no encoding {encoding!r}.",
            "Use an encoding such as utf-8, cp1252, latin-1 or utf-16.",
        ) from error
    except UnicodeError as error:
        raise invalid(
            "encoding",
            f"{path.name} is not encoded in {encoding}: {error}.",
            "Pass the encoding of the file, such as encoding='cp1252' for Excel.",
        ) from error
    if "\x00" in text:
        raise invalid(
            "encoding",
            f"{path.name} contains NUL characters, so it is not text in {encoding}.",
            "Pass encoding='utf-16', or save the table as CSV.",
        )
    return text.removeprefix("\ufeff"), encoding


def _lines(text: str, separator: str, name: str) -> list[list[str]]:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValidationError(
            f"{name} cannot be read as CSV: {error}.",
            suggestion="Check the quotes and the separator.",
        ) from error
    return [line for line in lines if any(cell.strip() for cell in line)]


def _separator(text: str, name: str) -> str:
    """Return what separates the cells: all lines have the same number of them by it."""
    first = text.lstrip("\r\n").partition("\n")[0]
    marks = [mark for mark in _SEPARATORS if mark in first]
    if len(marks) < 2:
        return marks[0] if marks else ","
    fitting: list[str] = []
    for separator in marks:
        try:
            lengths = {len(line) for line in _lines(text, separator, name)}
        except ValidationError:
            continue
        if len(lengths) == 1:
            fitting.append(separator)
    if len(fitting) > 1:
        raise invalid(
            "separator",
            f"The separator of {name} is ambiguous: "
            f"{' or '.join(_SEPARATORS[mark] for mark in fitting)}.",
            "Pass the separator of the file.",
        )
    if fitting:
        return fitting[0]
    return max(marks, key=first.count)


def _header(lines: Sequence[Sequence[str]], name: str, separator: str) -> list[str]:
    """Return the names of the columns; none for those that are empty altogether."""
    header = [cell.strip() for cell in lines[0]]
    if len(header) == 1:
        others = [mark for mark in _SEPARATORS if mark != separator and mark in header[0]]
        if others:
            raise invalid(
                "separator",
                f"{name} has only one column, {header[0][:80]!r}.",
                "The file seems to have another separator. Pass "
                f"separator={_SEPARATORS[others[0]]}, or omit it.",
            )
    twice = sorted({cell for cell in header if cell and header.count(cell) > 1})
    nameless = [index for index, cell in enumerate(header) if not cell]
    used = [i for i in nameless if any(len(line) > i and line[i].strip() for line in lines[1:])]
    if twice or used:
        raise ValidationError(
            f"The first line of {name} must contain a unique name for each column: "
            + (f"{', '.join(map(repr, twice))} is repeated." if twice else "a name is missing."),
            suggestion="Write field names into the first line, such as name,email,country_id.",
            details={"columns": twice},
        )
    return header


def _check_lengths(lines: Sequence[Sequence[str]], name: str) -> None:
    width = len(lines[0])
    wrong = [(number, len(line)) for number, line in enumerate(lines) if len(line) != width]
    if not wrong:
        return
    shown = ", ".join(f"row {number} has {length}" for number, length in wrong[:_SHOWN_ROWS])
    more = f", and {len(wrong) - _SHOWN_ROWS} more" if len(wrong) > _SHOWN_ROWS else ""
    raise ValidationError(
        f"The first line of {name} has {width} cells, but other rows have a different number: "
        f"{shown}{more}.",
        suggestion="Pass the separator of the file, and quote cells that contain it.",
        details={"rows": [number for number, _ in wrong]},
    )


def _no_rows(name: str) -> ValidationError:
    return invalid(
        "rows",
        f"There is nothing to import: {name} has no rows.",
        "Add rows below the field names.",
    )


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
