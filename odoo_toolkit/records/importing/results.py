"""Results of an import, row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal

import attrs

from odoo_toolkit.arguments.compared import Difference
from odoo_toolkit.display.results import Shown
from odoo_toolkit.plans import Plan, PlannedCall, PlannedChange
from odoo_toolkit.records.importing.tables import REASON, CsvFormat
from odoo_toolkit.values.plain_text import counted

Status = Literal["created", "updated", "unchanged", "failed", "unconfirmed", "remaining"]
"""What became of a row. ``unconfirmed``: its answer was lost, and it may have been written;
``remaining``: the server had gone before its turn."""

Sent = Literal["create", "write", "load", "web_save_multi", "commands"]
"""How a row is sent: by this method, or by ``commands`` in a ``write`` of another record."""

#: Problems, rows of one, changes and ids of which a summary tells, and characters of a reason.
_PROBLEMS, _ROWS, _CHANGES, _IDS, _REASON = 20, 50, 10, 50, 200

#: Numbers of rows that one line names.
_TOLD = 10


@attrs.frozen(kw_only=True)
class RowError(Shown):
    """One error of a row.

    Attributes:
        reason: What is wrong.
        column: Column of the error, if it is known. Several columns if they are the key.
        candidates: Records that match a name, each as ``{"id", "name"}``.
        code: Error code, see :mod:`odoo_toolkit.errors`.
    """

    reason: str
    column: str | None = None
    candidates: list[dict[str, Any]] = attrs.Factory(list)
    code: str = "VALUE_ERROR"

    def __str__(self) -> str:
        return f"{self.column}: {self.reason}" if self.column else self.reason


@attrs.frozen(kw_only=True)
class FailedRow(Shown):
    """A row that was not imported.

    Attributes:
        row: Number of the row, starting at 1. The line of field names is not counted.
        errors: Every error that the toolkit found. If it found none, the error of Odoo.
        values: The row as you passed it.
    """

    row: int
    errors: list[RowError]
    values: Mapping[str, Any] = attrs.field(factory=dict, repr=False)

    @property
    def reason(self) -> str:
        """All that is wrong, in one text."""
        if len(self.errors) == 1:
            return self.errors[0].reason
        return " | ".join(map(str, self.errors))

    @property
    def column(self) -> str | None:
        """Where the first error is."""
        return self.errors[0].column

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The records that the names in the row may mean."""
        return [found for error in self.errors for found in error.candidates]

    @property
    def code(self) -> str:
        """The code of the first error."""
        return self.errors[0].code


@attrs.frozen(kw_only=True)
class Problem(Shown):
    """An error that one or more rows have in common.

    Attributes:
        rows: Numbers of the rows. A summary lists only the first ones.
        row_count: Number of rows with this error.
        reason, column, candidates, code: See :class:`RowError`.
    """

    rows: list[int]
    row_count: int
    reason: str
    column: str | None = None
    candidates: list[dict[str, Any]] = attrs.Factory(list)
    code: str = "VALUE_ERROR"

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:_TOLD])) + (", ..." if self.row_count > _TOLD else "")
        word = "Row" if self.row_count == 1 else f"{self.row_count} rows:"
        column = f", {self.column}" if self.column else ""
        return f"{word} {shown}{column}: {self.reason}"


@attrs.frozen(kw_only=True)
class ImportSummary:
    """What became of the rows, in short.

    Attributes:
        failed: number of rows that were not imported.
        problems: what is wrong with them, the same error once for all of its rows.
        problem_count: how many problems there are, where not all are told.
        changes: of a dry run, the first of the values that would change.
        message, needs: of a dry run, see :class:`~odoo_toolkit.Plan`.
        related: model -> names of records that were created since rows name them.
        ids: by row, where the rows are few; null where there is no record.
        created_ids, updated_ids: ids of the records that were created and updated, where they are
            few and the rows differ in that.
        url: opens the record in Odoo's web client; of several, with ``{id}`` in place of an id.
        unconfirmed, remaining: see :class:`ImportResult`.
    """

    model: str
    created: int
    updated: int
    unchanged: int
    failed: int
    problems: list[Problem] = attrs.Factory(list)
    problem_count: int = 0
    changes: list[PlannedChange] = attrs.Factory(list)
    related: dict[str, list[str]] = attrs.Factory(dict)
    ids: list[int | None] = attrs.Factory(list)
    created_ids: list[int] = attrs.Factory(list)
    updated_ids: list[int] = attrs.Factory(list)
    url: str | None = None
    dry_run: bool = False
    message: str = ""
    needs: str | None = None
    interrupted: str | None = None
    unconfirmed: list[int] = attrs.Factory(list)
    remaining: list[int] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


# Without slots, as a class has them of one base only.
@attrs.frozen(kw_only=True, slots=False)
class ImportedRows(Shown):
    """What became, or would become, of the rows of an import.

    Attributes:
        model: that is imported into.
        created, updated, unchanged: numbers of rows.
        failed: the rows that are not imported, and why.
        ids: of the records, by row; None where there is none.
        statuses: what became of each row.
        related: model -> names of the records that are created since rows name them; only of the
            models in ``create_missing``.
        warnings: what else is to be known.
    """

    #: What is said of the created, the updated and the failed rows.
    WORDS: ClassVar = ("created", "updated", "failed")

    model: str
    created: int
    updated: int
    unchanged: int
    failed: list[FailedRow] = attrs.field(repr=False)
    ids: list[int | None] = attrs.field(repr=False)
    statuses: list[Status] = attrs.field(repr=False)
    related: dict[str, list[str]] = attrs.field(factory=dict, repr=False)
    warnings: list[str] = attrs.Factory(list)
    _written: CsvFormat | None = attrs.field(default=None, repr=False, eq=False)
    _relations: frozenset[str] = attrs.field(default=frozenset(), repr=False, eq=False)

    @property
    def problems(self) -> list[Problem]:
        """All errors of all rows; the same error once, with the numbers of its rows."""
        found: dict[tuple[Any, ...], list[int]] = {}
        first: dict[tuple[Any, ...], RowError] = {}
        for row in self.failed:
            for error in row.errors:
                key = (error.column, error.code, error.reason)
                found.setdefault(key, []).append(row.row)
                first.setdefault(key, error)
        return [
            Problem(rows=rows, row_count=len(rows), **attrs.asdict(first[key]))
            for key, rows in found.items()
        ]

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
                cells = [_cell(row.values.get(n), n in self._relations) for n in columns]
                # An encoding may lack characters that Odoo's words have.
                reason = " | ".join(map(str, row.errors)).encode(written.encoding, "replace")
                lines.writerow([*cells, reason.decode(written.encoding).removeprefix("\ufeff")])
        return len(self.failed)

    @property
    def counts(self) -> str:
        """The numbers in words."""
        created, updated, failed = self.WORDS
        return (
            f"{counted(len(self.ids), 'row')} of {self.model}: {self.created} {created},"
            f" {self.updated} {updated}, {self.unchanged} unchanged, {len(self.failed)} {failed}"
        )

    def _details(self) -> list[str]:
        """Return what is to be known besides the numbers."""
        related = [
            f"{len(names)} {model} {self.WORDS[0]}: {', '.join(_few(names, _IDS))}"
            for model, names in self.related.items()
        ]
        problems = self.problems
        told = [str(problem) for problem in problems[:_PROBLEMS]]
        if len(problems) > _PROBLEMS:
            told.append(f"and {len(problems) - _PROBLEMS} more problems, all in result.problems")
        return [*related, *self.warnings, *told]

    def _in_short(self, **more: Any) -> ImportSummary:
        problems = self.problems
        return ImportSummary(
            model=self.model,
            created=self.created,
            updated=self.updated,
            unchanged=self.unchanged,
            failed=len(self.failed),
            problems=[_in_short(problem) for problem in problems[:_PROBLEMS]],
            problem_count=len(problems),
            related={model: _few(names, _IDS) for model, names in self.related.items()},
            warnings=_few([_short(warning) for warning in self.warnings], 3),
            **more,
        )


@attrs.frozen(kw_only=True)
class ImportPlan(ImportedRows, Plan):
    """The plan of an import. Nothing was written.

    Attributes:
        model, created, updated, unchanged, failed, ids, statuses: See :class:`ImportedRows`.
        related, warnings: See :class:`ImportedRows`.
        changes: Values of existing records that would change.
        calls: Records that would be created and written, by values. The policy checks these calls.
            They are sent in batches, see ``ways``.
        ways: Method of sending -> number of rows. The methods are ``create``, ``write`` for rows
            with the same changes, and ``load``, ``web_save_multi`` or ``commands`` for rows with
            different values. A row that is rejected or alone in its batch is sent with ``write``.
        message, needs: See :class:`~odoo_toolkit.Plan`.
    """

    WORDS: ClassVar = ("to create", "to update", "with errors")

    calls: list[PlannedCall] = attrs.field(repr=False)
    changes: list[PlannedChange] = attrs.field(factory=list, repr=False)
    ways: dict[Sent, int] = attrs.field(factory=dict, repr=False)

    def __repr__(self) -> str:
        counts = ("created", "updated", "unchanged")
        told = "".join(f", {name}={getattr(self, name)}" for name in counts)
        return f"ImportPlan(model={self.model!r}{told}, failed={len(self.failed)})"

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        sent = ", ".join(f"{way} {rows}" for way, rows in self.ways.items())
        told = [*([f"rows by method of sending: {sent}"] if sent else []), self.needs or ""]
        return "\n".join([self.message, *filter(None, told), *self._details()]), {}

    def summary(self) -> ImportSummary:
        """Return a summary of the plan."""
        shown = ""
        if hidden := self.changes[_CHANGES:]:
            rows = list(dict.fromkeys(str(change.row) for change in hidden))
            listed = ", ".join(rows[:_ROWS]) + (", ..." if len(rows) > _ROWS else "")
            shown = (
                f". {_CHANGES} of {len(self.changes)} changes are shown. To see the others, pass"
                f" only their rows to a dry run: {listed}."
            )
        return self._in_short(
            dry_run=True,
            message=self.message + shown,
            needs=self.needs,
            changes=[
                attrs.evolve(change, before=_cut(change.before), after=_cut(change.after))
                for change in self.changes[:_CHANGES]
            ],
        )


@attrs.frozen(kw_only=True)
class ImportResult(ImportedRows):
    """The result of an import.

    Attributes:
        model, created, updated, unchanged, failed, ids, statuses: See :class:`ImportedRows`.
        related, warnings: See :class:`ImportedRows`.
        url: Address of the record in Odoo's web client. For several records it contains ``{id}``
            instead of an id.
        interrupted: Reason why the import stopped early: the server stopped responding, or the time
            limit ended. Rows that were done stay done.
        unconfirmed: Numbers of rows whose response was lost, and which the toolkit did not find in
            Odoo. They may have been written.
        remaining: Numbers of rows that were not sent.
        differences: Stored values that differ from yours.
    """

    url: str | None = None
    interrupted: str | None = None
    unconfirmed: list[int] = attrs.Factory(list)
    remaining: list[int] = attrs.Factory(list)
    differences: list[Difference] = attrs.Factory(list)

    @property
    def ok(self) -> bool:
        """True if all rows were imported."""
        return not self.failed and self.interrupted is None

    def __repr__(self) -> str:
        counts = ("created", "updated", "unchanged")
        told = "".join(f", {name}={getattr(self, name)}" for name in counts)
        stopped = ", interrupted" if self.interrupted is not None else ""
        return f"ImportResult(model={self.model!r}{told}, failed={len(self.failed)}{stopped})"

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        line = self.counts
        if self.interrupted is not None:
            line += f"; stopped with {len(self.unconfirmed)} unconfirmed and"
            line += f" {len(self.remaining)} remaining: {self.interrupted}"
        return "\n".join([line, *self._details()]), {}

    def summary(self) -> ImportSummary:
        """Return a summary of the result."""
        of: dict[str, list[int]] = {
            status: [
                n for n, each in zip(self.ids, self.statuses, strict=True) if each == status and n
            ]
            for status in ("created", "updated")
        }
        of = of if len({*self.statuses}) > 1 else {}
        return self._in_short(
            ids=self.ids if len(self.ids) <= _IDS else [],
            created_ids=of.get("created", [])[:_IDS],
            updated_ids=of.get("updated", [])[:_IDS],
            url=self.url,
            message="; ".join(
                f"the first {_IDS} of {len(rows)} rows {what} are listed"
                for what, rows in (
                    *of.items(),
                    ("unconfirmed", self.unconfirmed),
                    ("remaining", self.remaining),
                )
                if len(rows) > _IDS
            ),
            interrupted=self.interrupted and _short(self.interrupted),
            unconfirmed=self.unconfirmed[:_IDS],
            remaining=self.remaining[:_IDS],
        )


def _in_short(problem: Problem) -> Problem:
    return attrs.evolve(
        problem,
        rows=problem.rows[:_ROWS],
        reason=_short(problem.reason),
        candidates=[
            {"id": found["id"], "name": str(found["name"])[:40]} for found in problem.candidates[:3]
        ],
    )


def _cut(value: Any) -> Any:
    return _short(value) if isinstance(value, str) else value


def _few(texts: Sequence[str], most: int) -> list[str]:
    """Return the first texts, and how many more there are."""
    more = len(texts) - most
    return [*texts[:most], *([f"and {more} more"] if more > 0 else [])]


def _short(text: str) -> str:
    return text if len(text) <= _REASON else text[: _REASON - 1] + "…"


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
