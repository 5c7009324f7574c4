"""Records, links and deletions as batches of Arrow, each of a table's one schema."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from odoo_toolkit.dlt.links import Links
from odoo_toolkit.dlt.tables import DELETED, SYNCED_AT, Table
from odoo_toolkit.records.arrow_columns import imported, record_batch, schema
from odoo_toolkit.records.results import Record

if TYPE_CHECKING:
    import pyarrow as pa


class Batches:
    """Makes the batches of one run.

    Each batch is later than the one before: of several rows of a record, the last one holds.

    Args:
        table: whose batches.
        moment: that of the last batch of the run before, in microseconds.

    Attributes:
        moment: that of the last batch.
    """

    def __init__(self, table: Table, moment: int = 0) -> None:
        pa = imported()
        self.moment = moment
        self._table = table
        self._own = schema(table.columns)
        self._added = [
            pa.field(DELETED, pa.bool_()),
            pa.field(SYNCED_AT, pa.timestamp("us", tz="UTC")),
        ]
        fields = [pa.field(f.name, _plain(pa, f.type), f.name != "id") for f in self._own]
        self._whole = pa.schema([*fields, *self._added])
        self._links = pa.schema(
            [pa.field("id", pa.int64(), False), pa.field("other_id", pa.int64()), *self._added]
        )

    def rows(self, records: Sequence[Record]) -> pa.RecordBatch:
        """Return records as rows.

        Raises:
            ValidationError: VALUE_ERROR: a value does not fit the type of its field.
        """
        table = self._table
        values = [[row.get(column.key) for row in records] for column in table.columns]
        ids = [row["id"] for row in records]
        batch = record_batch(table.model, table.columns, self._own, values, ids)
        arrays = [
            array.cast(field.type) for array, field in zip(batch.columns, self._whole, strict=False)
        ]
        return self._batch([*arrays, *self._stamped([False] * len(records))], self._whole)

    def ended(self, ids: Sequence[int]) -> pa.RecordBatch:
        """Return rows that delete those of such ids."""
        pa = imported()
        arrays = [
            pa.array(ids, field.type) if field.name == "id" else pa.nulls(len(ids), field.type)
            for field in self._whole
            if field.name not in (DELETED, SYNCED_AT)
        ]
        return self._batch([*arrays, *self._stamped([True] * len(ids))], self._whole)

    def links(self, links: Links) -> pa.RecordBatch:
        """Return links as rows; each record has one more, which deletes those it had before."""
        pa = imported()
        ids, others = [one for one, _ in links.pairs], [other for _, other in links.pairs]
        before = len(links.ids)
        arrays = [
            pa.array([*links.ids, *ids], pa.int64()),
            pa.array([*([None] * before), *others], pa.int64()),
        ]
        deleted = [*([True] * before), *([False] * len(ids))]
        return self._batch([*arrays, *self._stamped(deleted)], self._links)

    def _batch(self, arrays: Sequence[pa.Array], known: pa.Schema) -> pa.RecordBatch:
        return imported().RecordBatch.from_arrays(arrays, schema=known)

    def _stamped(self, deleted: Sequence[bool]) -> list[pa.Array]:
        pa = imported()
        self.moment = max(self.moment + 1, time.time_ns() // 1000)
        stamp = pa.scalar(self.moment, pa.timestamp("us", tz="UTC"))
        return [pa.array(deleted, pa.bool_()), pa.repeat(stamp, len(deleted))]


def _plain(pa: Any, kind: pa.DataType) -> pa.DataType:
    """Return the type of texts for a selection: other libraries mix up several dictionaries."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
