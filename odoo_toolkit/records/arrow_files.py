"""Files of Arrow and Parquet, written batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odoo_toolkit.records.arrow_columns import imported

if TYPE_CHECKING:
    import pyarrow as pa

#: The forms, by the endings of names.
PARQUET, ARROW = ".parquet", ".arrow"

#: Rows and bytes that make a row group of a Parquet file: small ones would make it slow to read,
#: large ones take memory, in which there are two of them at a time.
_GROUP_ROWS, _GROUP_BYTES = 30_000, 32 * 2**20

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
                group.close()
            if group and told:
                writer.add_key_value_metadata(dict(told))
            writer.close()
        except BaseException:
            # It would do so itself when it is cleared away, and complain of the closed file.
            with contextlib.suppress(Exception):
                if group:
                    group.close()
                writer.close()
            raise


class _RowGroups:
    """Gathers batches until they make a row group, and writes one while the next is gathered.

    Compressing takes a while in which nothing would be read from Odoo.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._batches: list[Any] = []
        self._rows = self._bytes = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="odoo-toolkit-parquet")
        self._under_way: Future[None] | None = None

    def add(self, batch: Any) -> None:
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self.write()

    def write(self) -> None:
        """Begin to write what is gathered, and raise what went wrong with the group before."""
        self._wait()
        if self._batches:
            self._under_way = self._thread.submit(self._write, self._batches, self._rows)
        self._batches, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        """Wait until all is written.

        Raises:
            OSError: it could not be.
        """
        try:
            self._wait()
        finally:
            self._thread.shutdown()

    def _wait(self) -> None:
        under_way, self._under_way = self._under_way, None
        if under_way:
            under_way.result()

    def _write(self, batches: list[Any], rows: int) -> None:
        table = imported().Table.from_batches(batches).unify_dictionaries()
        self._writer.write_table(table, row_group_size=rows)
