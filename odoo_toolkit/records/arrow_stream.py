"""Records as a stream of Arrow batches, which DuckDB, polars, pandas and others read."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.arrow_columns import (
    MONEY,
    ArrowColumn,
    arrow_columns,
    imported,
    record_batch,
    schema,
    without_refused,
)
from odoo_toolkit.records.arrow_files import ARROW, PARQUET, arrow_file
from odoo_toolkit.records.completeness import ReadReport, as_metadata
from odoo_toolkit.records.export_files import written_beside
from odoo_toolkit.records.results import Record

if TYPE_CHECKING:
    import pyarrow as pa


class Reading(Protocol):
    """Records that are read page by page, see :class:`odoo_toolkit.Records`."""

    @property
    def skipped_fields(self) -> list[str]: ...

    @property
    def warnings(self) -> list[str]: ...

    @property
    def report(self) -> ReadReport: ...

    def pages(self) -> Generator[list[Record], None, None]: ...


@attrs.frozen(kw_only=True)
class ArrowFile(Shown):
    """A file of Arrow data.

    Attributes:
        path: of the file.
        rows: number of records in it.
        fields: its columns.
        report: what has been read, and with ``check`` whether that is all.
        warnings: what is to be known of the file.
    """

    path: str
    rows: int
    fields: list[str]
    report: ReadReport
    warnings: list[str] = attrs.Factory(list)


class ArrowStream:
    """Records as Arrow batches, read while they are used; see :func:`odoo_toolkit.to_arrow`.

    Whatever understands the PyCapsule interface of Arrow takes it as it is: ``duckdb.sql("select
    * from stream")``, ``polars.DataFrame(stream)``, ``pandas.DataFrame.from_arrow(stream)``,
    ``pyarrow.table(stream)``. Each use reads from Odoo anew. ``for batch in stream`` gives each
    ``pyarrow.RecordBatch``.

    Attributes:
        model: such as ``sale.order``.
        schema: a ``pyarrow.Schema``: the columns with their types.
        report: what the last use has read, and with ``check`` whether that is all; None before.
        error: what the last use ended with; None where it came to its end. A library that reads
            the stream reports an error of Odoo as one of its own: this is the original.
    """

    def __init__(
        self,
        model: str,
        begin: Callable[[], Reading],
        columns: Callable[[], list[ArrowColumn]],
        warnings: Sequence[str] = (),
    ) -> None:
        self.model = model
        self.report: ReadReport | None = None
        self.error: BaseException | None = None
        self._begin, self._columns, self._known = begin, columns, warnings
        self._warnings: list[str] = []
        self.schema: pa.Schema = schema(columns())

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._batches()

    def __repr__(self) -> str:
        return f"<ArrowStream of {self.model}: {', '.join(self.schema.names)}>"

    def __arrow_c_schema__(self) -> object:
        """Return the schema as a PyCapsule."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a new reading as a PyCapsule."""
        return self.reader().__arrow_c_stream__(requested_schema)

    @property
    def warnings(self) -> list[str]:
        """What was done differently from what was asked in the last use, as far as it has come."""
        return [*self._known, *self._warnings]

    def raise_error(self) -> None:
        """Raise the error that the last use ended with, as the library worded it; if there is one.

        Raises:
            OdooError: Odoo or the policy does not allow it, a value does not fit, ...
        """
        if self.error is not None:
            raise self.error

    def reader(self) -> pa.RecordBatchReader:
        """Return a new reading as a ``pyarrow.RecordBatchReader``, for one use."""
        return imported().RecordBatchReader.from_batches(self.schema, self._batches())

    def write(self, path: str | PathLike[str]) -> ArrowFile:
        """Write a Parquet or Arrow file, batch by batch; memory stays flat.

        The file is written beside and put in its place when it is complete.

        >>> to_arrow(odoo, "sale.order", [], ["name", "amount_total"]).write("orders.parquet")

        Args:
            path: of the file, ending in ``.parquet`` or ``.arrow``; one that exists is replaced.

        Returns:
            What was written.

        Raises:
            ValidationError: the path has another ending, or a value does not fit its column.
            AccessError: Odoo or the policy does not allow it.
            OSError: the file cannot be written, the disc is full, ...; none is left behind, and
                one that was there is as it was.
        """
        form = Path(path).suffix.lower()
        if form not in (PARQUET, ARROW):
            raise ValidationError(
                f"{Path(path).name} does not say in which form it is to be written.",
                suggestion=f"Let it end in {PARQUET} or {ARROW}; export() writes other files.",
                details={"field": "path"},
            )
        rows = 0
        told = {"odoo.model": self.model}
        # Another use may be going on: the report of this one is wanted.
        records = self._begin()
        with written_beside(path) as part, arrow_file(part, form, self.schema, told) as write:
            for batch in self._batches(records):
                write(batch)
                rows += batch.num_rows
            told["odoo.rows"] = str(rows)
            told["odoo.report"] = json.dumps(as_metadata(records.report))
        return ArrowFile(
            path=str(path),
            rows=rows,
            fields=self.schema.names,
            report=records.report,
            warnings=self.warnings,
        )

    def _batches(self, records: Reading | None = None) -> Generator[pa.RecordBatch, None, None]:
        self.error = None
        # Each use has columns of its own: they take note of what they have seen.
        columns, records = self._columns(), records or self._begin()
        pages = records.pages()
        try:
            for page in pages:
                self._warnings = records.warnings
                self._check_complete(columns, records.skipped_fields)
                if page:
                    yield self._batch(columns, page)
            self._warnings = records.warnings
        except Exception as error:
            self.error = error
            raise
        finally:
            pages.close()
            self.report = records.report

    def _batch(self, columns: list[ArrowColumn], page: list[Record]) -> pa.RecordBatch:
        # A many2one has two columns of one key.
        keys = dict.fromkeys(column.key for column in columns)
        by_key = {key: [row.get(key) for row in page] for key in keys}
        values = [by_key[column.key] for column in columns]
        return record_batch(self.model, columns, self.schema, values, by_key["id"])

    def _check_complete(self, columns: Iterable[ArrowColumn], skipped: Iterable[str]) -> None:
        """Refuse columns that are empty because the user cannot read them."""
        if late := {column.key for column in columns} & set(skipped):
            raise AccessError(
                f"This user cannot read {', '.join(sorted(late))} of {self.model}.",
                suggestion="Leave these fields out.",
                details={"model": self.model, "fields": sorted(late)},
            )


def stream_of(
    odoo: Odoo,
    model: str,
    fields: Mapping[str, Field],
    begin: Callable[[], Reading],
    decimals: bool,
    every: bool,
) -> ArrowStream:
    """Return the stream of records with these fields, which ``begin`` begins to read.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.
        fields: by name, in the order of the columns.
        begin: begins to read.
        decimals: as of :func:`odoo_toolkit.to_arrow`.
        every: whether all were asked for: then those of which no column can be made are left out,
            with a warning.
    """
    kept_fields = without_refused(fields) if every else fields
    # Files are among the model's fields, and not among those that are read.
    wanted = {**readable_of(odoo)(model), **fields} if every else fields
    left_out = [name for name in wanted if every and name not in without_refused(wanted)]
    warnings = [f"Left out, as they are files or properties: {', '.join(left_out)}."]
    money = decimals and any(field.type == "monetary" for field in fields.values())
    kept = money_decimals(odoo) if money else None

    def columns() -> list[ArrowColumn]:
        return arrow_columns(model, kept_fields, money=kept, decimals=decimals)

    if money and kept is None:
        warnings.append("Amounts are floats: the user cannot read the decimals of currencies.")
    return ArrowStream(model, begin, columns, warnings[0 if left_out else 1 :])


def money_decimals(odoo: Odoo) -> int | None:
    """Return how many decimals hold every amount; None where currencies cannot be read."""
    call = Call(
        model="res.currency",
        method="search_read",
        arguments={"domain": [], "fields": ["decimal_places"]},
        context={"active_test": False},
        step=True,
    )
    try:
        rows = odoo.call(call)
    except AccessError:
        return None
    return max([MONEY, *(row["decimal_places"] or 0 for row in rows)])
