"""Records as a stream of Arrow batches, for DuckDB, polars, pandas and others."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, invalid
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
        path: Path of the file.
        rows: Number of records in the file.
        fields: Columns of the file.
        report: The records that were read. With ``check``, it also says whether they are complete.
        warnings: Limits of the file.
    """

    path: str
    rows: int
    fields: list[str]
    report: ReadReport
    warnings: list[str] = attrs.Factory(list)


class ArrowStream:
    """Records as Arrow batches, read while you use them. See :func:`odoo_toolkit.to_arrow`.

    Pass the stream to anything that understands the PyCapsule interface of Arrow:
    ``duckdb.sql("select * from stream")``, ``polars.DataFrame(stream)``,
    ``pandas.DataFrame.from_arrow(stream)`` or ``pyarrow.table(stream)``. To get each
    ``pyarrow.RecordBatch``, write ``for batch in stream``. Each use reads from Odoo again.

    Attributes:
        model: Model of the records, such as ``sale.order``.
        schema: A ``pyarrow.Schema`` with the columns and their types.
        report: The records that the last use read, and with ``check`` whether they are complete.
            None before the first use.
        error: The error that ended the last use. None if it was complete. A library that reads the
            stream replaces Odoo's error with its own, so look here for the original.
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
        """Differences between the request and the result in the last use, as far as they are known
        yet.
        """
        return [*self._known, *self._warnings]

    def raise_error(self) -> None:
        """Raise the error that ended the last use, if there was one.

        Raises:
            OdooError: The original error, for example because Odoo or the policy does not allow it.
        """
        if self.error is not None:
            raise self.error

    def reader(self) -> pa.RecordBatchReader:
        """Return a ``pyarrow.RecordBatchReader`` for one use."""
        return imported().RecordBatchReader.from_batches(self.schema, self._batches())

    def write(self, path: str | PathLike[str]) -> ArrowFile:
        """Write a Parquet or Arrow file, batch by batch.

        >>> to_arrow(odoo, "sale.order", [], ["name", "amount_total"]).write("orders.parquet")

        Memory use stays flat. The toolkit writes a temporary file first, and replaces the path when
        the file is complete.

        Args:
            path: Path of the file, which ends in ``.parquet`` or ``.arrow``. An existing file is
                replaced.

        Raises:
            ValidationError: The path has another ending, or a value does not fit its column.
            AccessError: Odoo or the policy does not allow it.
            OSError: The file can't be written, for example because the disk is full. A file that
                already existed does not change.
        """
        form = Path(path).suffix.lower()
        if form not in (PARQUET, ARROW):
            raise invalid(
                "path",
                f"The name {Path(path).name} does not determine the file format.",
                f"Use a file name that ends in {PARQUET} or {ARROW}. For other "
                "formats, use export().",
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
                suggestion="Omit these fields.",
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
    warnings = [f"Omitted, because they are files or properties: {', '.join(left_out)}."]
    money = decimals and any(field.type == "monetary" for field in fields.values())
    kept = money_decimals(odoo) if money else None

    def columns() -> list[ArrowColumn]:
        return arrow_columns(model, kept_fields, money=kept, decimals=decimals)

    if money and kept is None:
        warnings.append(
            "Amounts are floats, because this user cannot read the decimal places of currencies."
        )
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
