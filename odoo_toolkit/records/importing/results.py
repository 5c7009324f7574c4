"""What became of the rows of an import."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import attrs

from odoo_toolkit.display import Shown
from odoo_toolkit.records.importing.tables import REASON, CsvFormat

Status = Literal["created", "updated", "unchanged", "failed", "in_doubt", "not_done"]
"""What became of a row. ``in_doubt``: its answer was lost, and it may have been written;
``not_done``: the server had gone before its turn."""

#: Rows of which a summary tells, and characters of a reason there.
_SHOWN_FAILED, _SHOWN_IDS, _SHOWN_REASON = 8, 50, 200


@attrs.frozen(kw_only=True)
class FailedRow(Shown):
    """A row that was not imported.

    Attributes:
        row: its number, from 1 on; the line of field names does not count.
        reason: what is wrong with it.
        column: where, if that is known.
        candidates: the records that a name may mean, each as ``{"id", "name"}``.
        code: of the error, see :mod:`odoo_toolkit.errors`.
        values: the row as it was given.
    """

    row: int
    reason: str
    column: str | None = None
    candidates: list[dict[str, Any]] = attrs.Factory(list)
    code: str = "VALUE_ERROR"
    values: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class FailedRowSummary:
    """A row that was not imported, in short; see :class:`FailedRow`."""

    row: int
    reason: str
    column: str | None = None
    candidates: list[dict[str, Any]] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ImportSummary:
    """What became of the rows, in short.

    Attributes:
        failed: number of rows that were not imported.
        failed_rows: the first of them.
        ids: by row, where the rows are few; null where there is no record.
        in_doubt, not_done: see :class:`ImportResult`.
    """

    model: str
    created: int
    updated: int
    unchanged: int
    failed: int = 0
    failed_rows: list[FailedRowSummary] = attrs.Factory(list)
    ids: list[int | None] = attrs.Factory(list)
    dry_run: bool = False
    interrupted: str | None = None
    in_doubt: list[int] = attrs.Factory(list)
    not_done: list[int] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ImportResult(Shown):
    """What became of the rows of an import; in a dry run, what would become of them.

    Attributes:
        model: that was imported into.
        created, updated, unchanged: numbers of rows.
        failed: the rows that were not imported, and why.
        ids: of the records, by row; None where there is none.
        statuses: what became of each row.
        dry_run: whether nothing was written.
        interrupted: why the import stopped before its end: the server went away, or the time was
            over. What was done until then stays done.
        in_doubt: numbers of rows whose answer was lost, and of which Odoo shows nothing: they
            may have been written.
        not_done: numbers of rows whose turn did not come.
        warnings: what else happened.
    """

    model: str
    created: int
    updated: int
    unchanged: int
    failed: list[FailedRow]
    ids: list[int | None] = attrs.field(repr=False)
    statuses: list[Status] = attrs.field(repr=False)
    dry_run: bool = False
    interrupted: str | None = None
    in_doubt: list[int] = attrs.Factory(list)
    not_done: list[int] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    _written: CsvFormat | None = attrs.field(default=None, repr=False, eq=False)
    _relations: frozenset[str] = attrs.field(default=frozenset(), repr=False, eq=False)

    @property
    def ok(self) -> bool:
        """Whether all rows are imported."""
        return not self.failed and self.interrupted is None

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        would = "would be " if self.dry_run else ""
        counts = f"{self.created} created, {self.updated} updated, {self.unchanged} unchanged"
        line = f"{len(self.ids)} rows of {self.model}: {would}{counts}, {len(self.failed)} failed"
        if self.interrupted is not None:
            line += f"; stopped with {len(self.in_doubt)} in doubt and {len(self.not_done)} not"
            line += f" done: {self.interrupted}"
        failed = {"failed": list(self.failed)} if self.failed else {}
        return "\n".join([line, *self.warnings]), failed

    def write_failed(self, path: str | PathLike[str]) -> int:
        """Write the failed rows to a CSV file, to be corrected and imported again.

        It has the columns of the rows and :data:`REASON`, which an import leaves out. It is
        written as the file that was read (encoding and separator), else as UTF-8 with commas.
        Without failed rows, no file is made.

        Args:
            path: of the file; one that exists is replaced.

        Returns:
            The number of rows in it.

        Raises:
            OSError: it cannot be written.
        """
        if not self.failed:
            return 0
        written = self._written or CsvFormat()
        columns = list(dict.fromkeys(name for row in self.failed for name in row.values))
        columns = [name for name in columns if name != REASON]
        with Path(path).open("w", encoding=written.encoding, errors="strict", newline="") as file:
            lines = csv.writer(file, delimiter=written.separator)
            lines.writerow([*columns, REASON])
            for row in self.failed:
                where = f"{row.column}: " if row.column else ""
                cells = [_cell(row.values.get(n), n in self._relations) for n in columns]
                # An encoding may lack characters that Odoo's words have.
                reason = f"{where}{row.reason}".encode(written.encoding, "replace")
                lines.writerow([*cells, reason.decode(written.encoding).removeprefix("\ufeff")])
        return len(self.failed)

    def summary(self) -> ImportSummary:
        """Return the same in few words."""
        failed = [
            FailedRowSummary(
                row=row.row,
                column=row.column,
                reason=_short(row.reason),
                candidates=[
                    {"id": found["id"], "name": str(found["name"])[:40]}
                    for found in row.candidates[:3]
                ],
            )
            for row in self.failed[:_SHOWN_FAILED]
        ]
        return ImportSummary(
            model=self.model,
            created=self.created,
            updated=self.updated,
            unchanged=self.unchanged,
            failed=len(self.failed),
            failed_rows=failed,
            ids=self.ids if len(self.ids) <= _SHOWN_IDS and not self.dry_run else [],
            dry_run=self.dry_run,
            interrupted=self.interrupted and _short(self.interrupted),
            in_doubt=self.in_doubt[:_SHOWN_IDS],
            not_done=self.not_done[:_SHOWN_IDS],
            warnings=[_short(warning) for warning in self.warnings[:3]],
        )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_REASON else text[: _SHOWN_REASON - 1] + "…"


def _cell(value: Any, relation: bool) -> str:
    """Return a value as text that an import reads as the same value."""
    if relation and isinstance(value, int) and value:
        # A number alone would be read as a name.
        value = {"id": value}
    if value is None or value is False:
        return "" if value is None else "false"
    if isinstance(value, (dict, list, bool)):
        return json.dumps(value, default=str, ensure_ascii=False)
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
