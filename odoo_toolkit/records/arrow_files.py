"""Files of Arrow and Parquet, written batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odoo_toolkit.records.arrow_columns import imported

if TYPE_CHECKING:
    import pyarrow as pa

#: The forms, by the endings of names.
PARQUET, ARROW = ".parquet", ".arrow"

#: Rows and bytes that make a row group of a Parquet file: small ones would make it slow to read.
_GROUP_ROWS, _GROUP_BYTES = 100_000, 64 * 2**20

Write = Callable[["pa.RecordBatch"], None]


@contextmanager
def arrow_file(
    path: Path, form: str, schema: pa.Schema, told: Mapping[str, str] | None = None
) -> Iterator[Write]:
    """Write a file and close it.

    Args:
        path: of the file, whatever its ending.
        form: ``.parquet`` or ``.arrow``.
        schema: of the batches.
        told: metadata of a Parquet file; read when the last batch has been written.

    Yields:
        Writes one batch.
    """
    pa = imported()
    with path.open("wb") as file:
        if form == ARROW:
            options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
            writer: Any = pa.ipc.new_file(file, schema, options=options)
            group: _RowGroups | None = None
        else:
            import pyarrow.parquet as pq

            writer = pq.ParquetWriter(file, schema, compression="zstd")
            group = _RowGroups(writer)
        try:
            yield group.add if group else writer.write_batch
            if group:
                group.write()
            if group and told:
                writer.add_key_value_metadata(dict(told))
            writer.close()
        except BaseException:
            # It would do so itself when it is cleared away, and complain of the closed file.
            with contextlib.suppress(Exception):
                writer.close()
            raise


class _RowGroups:
    """Gathers batches until they make a row group."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._batches: list[Any] = []
        self._rows = self._bytes = 0

    def add(self, batch: Any) -> None:
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self.write()

    def write(self) -> None:
        if self._batches:
            table = imported().Table.from_batches(self._batches).unify_dictionaries()
            self._writer.write_table(table, row_group_size=self._rows)
        self._batches, self._rows, self._bytes = [], 0, 0
