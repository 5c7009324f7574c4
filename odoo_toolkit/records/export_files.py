"""The files that records are exported to: their forms, and that each is whole or not there."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.errors import ConfigurationError, ValidationError, invalid
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.file_content import replacing
from odoo_toolkit.records.arrow_columns import (
    IDS_OF_TEXT,
    TYPED,
    ArrowColumn,
    list_column,
    plain_column,
    record_batch,
    schema,
)
from odoo_toolkit.records.arrow_files import ARROW, PARQUET, arrow_file
from odoo_toolkit.records.frames import to_df

if TYPE_CHECKING:
    import pandas as pd

import contextlib
import errno
import os
import shutil

#: What a sheet of Excel holds: rows below the first one, and characters of a cell.
_SHEET_ROWS, _CELL_LENGTH = 1_048_575, 32_767
_LIKE_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_NOT_IN_EXCEL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@attrs.frozen
class Column:
    """A column of the file.

    Attributes:
        header: its name, as imports know it.
        name: key of the records.
        field: whose values it has.
        comodel: whose records it names; None where it holds plain values.
    """

    header: str
    name: str
    field: Field
    comodel: str | None = None

    @property
    def by_number(self) -> bool:
        """Whether it names records by numbers: database ids, not external ids."""
        return self.header.endswith(".id") and self.comodel not in IDS_OF_TEXT


Rows = Iterable[Sequence[Any]]
Write = Callable[[Rows], None]


@contextmanager
def _csv(path: Path, columns: Sequence[Column]) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(column.header for column in columns)

        def write(rows: Rows) -> None:
            lines.writerows(
                [_text(value, column) for value, column in zip(row, columns, strict=True)]
                for row in rows
            )

        yield write


@contextmanager
def _json_lines(path: Path, columns: Sequence[Column]) -> Iterator[Write]:
    headers = [column.header for column in columns]
    with path.open("w", encoding="utf-8", newline="") as file:

        def write(rows: Rows) -> None:
            named = (dict(zip(headers, row, strict=True)) for row in rows)
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in named)

        yield write


@contextmanager
def _arrow(path: Path, columns: Sequence[Column], form: str) -> Iterator[Write]:
    model = columns[0].comodel or ""
    typed = [_arrow_column(column) for column in columns]
    known = schema(typed)
    with arrow_file(path, form, known, {"odoo.model": model}) as write_batch:

        def write(rows: Rows) -> None:
            page = list(rows)
            values = [[row[at] for row in page] for at in range(len(columns))]
            write_batch(record_batch(model, typed, known, values, values[0]))

        yield write


def _arrow_column(column: Column) -> ArrowColumn:
    """Return the column of an Arrow file: as imports take it, numbers as floats of Odoo."""
    field, many = column.field, column.field.type in TO_MANY
    if column.comodel:
        if many:
            return list_column(column.header, field, texts=not column.by_number)
        field = attrs.evolve(field, type="integer" if column.by_number else "char")
        taken = None if column.by_number else partial(_all_text, column)
        return plain_column(column.header, column.name, field, taken)
    if field.type not in TYPED:
        field = attrs.evolve(field, type="char")
        return plain_column(column.header, column.name, field, partial(_all_text, column))
    return plain_column(column.header, column.name, field)


def _all_text(column: Column, values: Sequence[Any]) -> list[Any]:
    return [None if value is None else _text(value, column) for value in values]


@contextmanager
def _excel(path: Path, columns: Sequence[Column]) -> Iterator[Write]:
    import pandas as pd

    found: list[Sequence[Any]] = []

    def write(rows: Rows) -> None:
        for row in rows:
            cells = [_joined(value) for value in row]
            _check_for_excel(cells, columns, len(found))
            found.append(cells)

    yield write
    frame = _frame(found, columns)
    for name in frame.select_dtypes("datetimetz"):
        # Excel knows no time zones: these are in UTC.
        frame[name] = frame[name].dt.tz_localize(None)
    # In memory: on a full disc, zipfile would complain of the file that it cannot finish, too.
    content = BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as writer:
        frame.to_excel(writer, index=False)
        for line in writer.book.active.iter_rows():
            for cell in line:
                if cell.data_type == "f":
                    # What begins with = is somebody's text, and must not be run as a formula.
                    cell.data_type = "s"
    path.write_bytes(content.getbuffer())


#: What writes a file, by the ending of its name.
FORMS: dict[str, Callable[[Path, Sequence[Column]], AbstractContextManager[Write]]] = {
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    PARQUET: partial(_arrow, form=PARQUET),
    ARROW: partial(_arrow, form=ARROW),
    ".xlsx": _excel,
}

_NEEDS = {PARQUET: ("pyarrow",), ARROW: ("pyarrow",), ".xlsx": ("pandas", "openpyxl")}


def check_form(path: Path) -> str:
    """Return the ending of a path, if files of that form can be written.

    Raises:
        ValidationError: it is another one.
        ConfigurationError: a package that it takes is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMS:
        raise invalid(
            "path",
            f"The name {path.name} does not determine the file format.",
            f"Use a file name that ends in {', '.join(FORMS)}.",
        )
    if missing := [name for name in _NEEDS.get(suffix, ()) if find_spec(name) is None]:
        raise ConfigurationError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed, and"
            f" {suffix} files need it.",
            suggestion=f"Run: pip install {' '.join(missing)}. Or write a .csv file.",
        )
    return suffix


def _text(value: Any, column: Column) -> str:
    """Return a value as the text that an import takes for it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and column.comodel:
        return ",".join(map(str, value))
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and _LIKE_THOUSANDS.fullmatch(repr(value)):
        # 1.234 alone may be a thousand and more: 1.2340 is not.
        return f"{value!r}0"
    return str(value)


def _joined(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, (int, str)) for item in value):
        return ",".join(map(str, value))
    return value


def _frame(rows: Rows, columns: Sequence[Column]) -> pd.DataFrame:
    """Return rows as a DataFrame; several records in a cell are named by texts in it."""
    fields = {column.header: _plain(column) for column in columns}
    named = [
        {c.header: _in_frame(value, c) for value, c in zip(row, columns, strict=True)}
        for row in rows
    ]
    return to_df(named, fields)


def _plain(column: Column) -> Field:
    field = column.field
    if column.comodel:
        one = "integer" if column.by_number else "char"
        return attrs.evolve(field, type="json" if field.type in TO_MANY else one)
    return field


def _in_frame(value: Any, column: Column) -> Any:
    if column.comodel is None:
        return _text(value, column) if isinstance(value, (list, dict)) else value
    if isinstance(value, list):
        return [str(one) for one in value]
    return value if value is None or column.by_number else str(value)


def _check_for_excel(cells: Sequence[Any], columns: Sequence[Column], before: int) -> None:
    if before >= _SHEET_ROWS:
        raise ValidationError(
            f"An Excel sheet cannot have more than {_SHEET_ROWS} rows.",
            suggestion="Write a .csv or .parquet file, or narrow the domain.",
        )
    for value, column in zip(cells, columns, strict=True):
        if isinstance(value, str) and (len(value) > _CELL_LENGTH or _NOT_IN_EXCEL.search(value)):
            raise invalid(
                column.name,
                f"{column.name} of record {cells[0]} is too long for an Excel cell, or contains a "
                "control character.",
                "Write a .csv or .parquet file, or omit this field.",
            )


@contextlib.contextmanager
def written_beside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the path of a file to fill, which takes the place of ``path`` when it is full.

    Whatever ends the block early, a full disc or Ctrl-C, leaves no file behind, and one that was
    there before as it was.

    Args:
        path: of the file in the end. A link stays, and what it leads to is replaced.

    Raises:
        ValidationError: it is a directory or a device.
        OSError: it cannot be written; the message says that nothing has changed.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise invalid("path", f"{path} is not a file.", "Pass the path of a file.")
    try:
        with replacing(place, mode=0o666) as part:
            if place.exists():
                shutil.copymode(place, part)
                if not os.access(place, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            yield part
    except OSError as error:
        there = "is as it was before" if place.exists() else "was not made"
        problem = f"{error.strerror or error}. The file {there}"
        if not place.parent.exists():
            problem += f"; make the folder {place.parent} first"
        raise OSError(error.errno, problem, str(path)) from error
