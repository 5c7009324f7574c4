"""Importing rows: what there is is changed, what there is not is created."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from odoo_toolkit.annotations import Context, DryRun, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.importing.matching import compare, match
from odoo_toolkit.records.importing.preparing import Empty, Prepared, prepare
from odoo_toolkit.records.importing.results import FailedRow, ImportResult, Status
from odoo_toolkit.records.importing.sending import MOST_ROWS, Row, Writer
from odoo_toolkit.records.iterate import Progress, progress_of

_COUNTED = ("created", "updated", "unchanged")


def upsert(
    odoo: Odoo,
    model: Model,
    rows: Any,
    key: str | Sequence[str],
    *,
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    case_sensitive: bool = True,
    empty: Empty = "clear",
    batch: int = MOST_ROWS,
    progress: bool | Progress = False,
) -> ImportResult:
    """Import rows: change the records that there are, create those that there are not.

    >>> result = upsert(odoo, "res.partner", "customers.csv", key="email")
    >>> result.created, result.updated, result.unchanged, result.write_failed("failed.csv")

    Only what differs is written, so doing it twice changes nothing. A row that is wrong, that
    Odoo refuses, or of which the key is not unique, fails alone and says why. When the server goes
    away in the middle, the result says what was done (``interrupted``); doing it again is safe.

    Columns: the names of fields. A many2one takes an id, a name as Odoo shows it, or, in a column
    such as ``country_id/code``, what one of its fields holds; in ``country_id/id`` an external id
    such as ``base.be``. A many2many takes a list of these, or one text with commas. A selection
    takes its value or label. The column ``id`` has ids or external ids, ``.id`` ids. An empty
    cell empties the field. Names must be exact; one that means several records fails its row.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        rows: dictionaries; the path of a CSV file with commas in UTF-8, of another one what
            :func:`read_csv` returns; of a file of JSON lines; or a DataFrame of pandas or polars.
        key: the column or columns that tell which record a row is: of fields that are stored, or
            ``id``. Records that are not there are created, under an external id too, but not
            under an id. The key is never written to records that there are.
        context: extends the base context; ``allow_readonly: true`` in it also writes fields that
            the model declares readonly.
        dry_run: look up and check everything, and say what would happen; write nothing.
        notify: let Odoo log each change and send the e-mails that go with it.
        case_sensitive: False takes texts of the key for the same in whatever case.
        empty: ``ignore`` leaves the fields of empty cells alone.
        batch: most records of one call; fewer where Odoo takes long for them or refuses rows.
        progress: True shows a bar of tqdm; a function is called with the numbers of rows that
            are done and of all rows.

    Returns:
        What became of each row.

    Raises:
        ValidationError: a column, the key or the form of the file is wrong; nothing was written.
        AccessError: the policy or Odoo does not allow it; nothing was written.
        OdooConnectionError: the server could not be reached before anything was written.
    """
    return _import(
        odoo,
        model,
        prepare(odoo, model, rows, key, ("create", "write"), context, notify=notify, empty=empty),
        creates=True,
        dry_run=dry_run,
        case_sensitive=case_sensitive,
        batch=batch,
        progress=progress,
    )


def create_many(
    odoo: Odoo,
    model: Model,
    rows: Any,
    *,
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    batch: int = MOST_ROWS,
    progress: bool | Progress = False,
) -> ImportResult:
    """Create a record of each row, in batches; a row that Odoo refuses fails alone.

    Nothing is looked for, so doing it twice makes everything twice: where rows have a key, use
    :func:`upsert`. Rows, arguments and errors as there; empty cells are left to Odoo's defaults.
    """
    prepared = prepare(odoo, model, rows, None, ("create",), context, notify=notify, empty="ignore")
    return _import(
        odoo, model, prepared, creates=True, dry_run=dry_run, batch=batch, progress=progress
    )


def write_many(
    odoo: Odoo,
    model: Model,
    rows: Any,
    *,
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    empty: Empty = "clear",
    batch: int = MOST_ROWS,
    progress: bool | Progress = False,
) -> ImportResult:
    """Change records, each to values of its own; rows name them in a column ``id`` or ``.id``.

    Only what differs is written; rows to which the same is to happen go together. A record that
    is not there fails its row. Rows, arguments and errors as of :func:`upsert`.
    """
    prepared = prepare(odoo, model, rows, ".id", ("write",), context, notify=notify, empty=empty)
    return _import(
        odoo, model, prepared, creates=False, dry_run=dry_run, batch=batch, progress=progress
    )


def _import(
    odoo: Odoo,
    model: str,
    prepared: Prepared,
    *,
    creates: bool,
    dry_run: bool,
    batch: int,
    progress: bool | Progress,
    case_sensitive: bool = True,
) -> ImportResult:
    batch = checked_count(batch, "batch", 1)
    telling = progress_of(progress, model)
    rows = prepared.rows
    if prepared.key:
        present = match(odoo, model, prepared, case_sensitive)
        compare(odoo, model, prepared, present, creates)
    for row in rows:
        if row.status is None and row.id is None and not row.values:
            row.fail("The row is empty.", code="MISSING_REQUIRED_FIELD")
    new = [row for row in rows if row.status is None and row.id is None]
    old = [row for row in rows if row.status is None and row.id is not None]
    writer = Writer(
        odoo,
        model,
        prepared.writing,
        most=batch,
        headers=prepared.headers,
        progress=telling() if telling and not dry_run else None,
        total=len(rows),
        done=len(rows) - len(new) - len(old),
    )
    if dry_run:
        _set(new, "created")
        _set(old, "updated")
    else:
        try:
            writer.create(new)
            writer.update(old)
        finally:
            writer.close()
        _set([row for row in rows if row.status is None], "not_done")
    return _result(model, prepared, writer, dry_run)


# The result ------------------------------------------------------------------------------------


def _set(rows: Sequence[Row], status: Status) -> None:
    for row in rows:
        row.status = status


def _result(model: str, prepared: Prepared, writer: Writer, dry_run: bool) -> ImportResult:
    rows = prepared.rows
    statuses: list[Status] = [row.status or "not_done" for row in rows]
    failed: list[FailedRow] = [row.failure for row in rows if row.failure is not None]
    created, updated, unchanged = (statuses.count(name) for name in _COUNTED)  # type: ignore[arg-type]
    return ImportResult(
        model=model,
        created=created,
        updated=updated,
        unchanged=unchanged,
        failed=failed,
        ids=[row.id for row in rows],
        statuses=statuses,
        dry_run=dry_run,
        interrupted=writer.interrupted,
        in_doubt=[row.number for row in rows if row.status == "in_doubt"],
        not_done=[row.number for row in rows if row.status == "not_done"],
        warnings=list(dict.fromkeys(writer.warnings)),
        written=prepared.written,
        relations=prepared.relations,
    )
