"""Functions that import rows: they change existing records and create missing ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import attrs

from odoo_toolkit.annotations import Context, DryRun, Model
from odoo_toolkit.arguments.compared import Difference
from odoo_toolkit.change_history.recording import current
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, RateLimitError, ValidationError, invalid
from odoo_toolkit.plans import PlannedCall, PlannedChange, operation_with
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.importing.bulk_write import can_load, way_of
from odoo_toolkit.records.importing.matching import check_new, compare, match
from odoo_toolkit.records.importing.missing import replaced
from odoo_toolkit.records.importing.preparing import Empty, Meant, Prepared, prepare
from odoo_toolkit.records.importing.relations import CHUNK
from odoo_toolkit.records.importing.results import ImportPlan, ImportResult, Sent, Status
from odoo_toolkit.records.importing.second_look import Watch, look_again, written_rows
from odoo_toolkit.records.importing.sending import (
    FIRST_ROWS,
    MOST_CONCURRENT,
    MOST_ROWS,
    Row,
    Writer,
    arranged,
    grouped,
    nothing_written,
    parent_of,
)
from odoo_toolkit.records.progress_bar import Progress, progress_for_somebody, progress_of
from odoo_toolkit.records.reading_back import read_back_compared
from odoo_toolkit.records.results import Record
from odoo_toolkit.values.plain import plain, whole_number
from odoo_toolkit.values.scalars import short_repr

_COUNTED: tuple[Status, ...] = ("created", "updated", "unchanged")

#: What to do when an import has stopped.
AGAIN = "Import the same rows again. The toolkit finds the finished rows by their key."
_NOT_AGAIN = "Import the rows in remaining. First check the rows in unconfirmed in Odoo."


@operation_with(ImportPlan)
def upsert(
    odoo: Odoo,
    model: Model,
    rows: Any,
    key: str | Sequence[str],
    *,
    columns: Mapping[str, str | None] | None = None,
    values: Mapping[str, Mapping[str, Any]] | None = None,
    constants: Mapping[str, Any] | None = None,
    create_missing: Sequence[str] = (),
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    case_sensitive: bool = True,
    empty: Empty = "clear",
    batch: int = MOST_ROWS,
    concurrency: int = 1,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Import rows: change the records that exist and create the others.

    >>> result = upsert(odoo, "res.partner", "customers.csv", key="email", dry_run=True)
    >>> print(result.created, result.updated, result.unchanged, result.problems)

    A second import of the same rows changes nothing, because the toolkit writes only values that
    differ. It compares the stored values afterwards, a thousand rows per request. If Odoo or
    another row changed a value, the toolkit writes it once more. For up to 100 records, a warning
    lists other values that Odoo changed.

    A row fails by itself if it is wrong, if Odoo rejects it, or if its key is not unique. Its error
    lists everything that is wrong with it. If the server stops responding, ``interrupted`` says so,
    and you can import the rows again safely.

    Name each column after a field:

    - a many2one accepts an id or a name, ignoring case
    - ``country_id/code`` looks for a record by one of its fields
    - ``country_id/id`` accepts an external id such as ``base.be``
    - a many2many accepts a list of these, or a string with commas
    - a selection accepts a value or a label
    - ``id`` accepts ids or external ids, ``.id`` accepts ids

    An empty cell clears the field. A name that matches several records fails its row.

    Args:
        rows: Dictionaries, the path of a CSV or JSON lines file, the result of :func:`read_csv`, or
            a pandas or polars DataFrame.
        key: One or more columns that identify the record of a row: stored fields, or ``id``. A
            missing record is created, also under an external id, but not under a database id. The
            key of an existing record is never written. If two programs import the same new row at
            the same time by a key other than ``id``, they create two records.
        columns: Fields of columns with other names: ``{"Land": "country_id"}``. None skips the
            column.
        values: Values that replace the strings of a column: ``{"country_id": {"Deutschland":
            "Germany"}}``.
        constants: Values to set in every row: ``{"lang": "de_DE"}``.
        create_missing: Models whose records are created if a row names one that does not exist,
            such as ``res.partner.category``.
        context: Keys to add to the context of the connection. ``allow_readonly: True`` also writes
            read-only fields.
        notify: True if Odoo logs each change and sends the e-mails that belong to it.
        case_sensitive: True if the key distinguishes upper and lower case.
        empty: ``ignore`` to keep the values of fields with empty cells.
        batch: Maximum number of records per request. The toolkit sends fewer if Odoo is slow or
            rejects rows.
        concurrency: Batches of new records to send in parallel, from 1 to 4. Use it for servers
            with several workers. With more than 1, the ids of new records do not follow the order
            of the rows, and you can't pass an idempotency key.
        progress: True to show a progress bar, False to show none. By default a terminal and a
            notebook show one. Or pass a function to call with the number of rows done and the
            total.

    Returns:
        The result of each row. A dry run returns an :class:`ImportPlan` with the values that would
        change.

    Raises:
        ValidationError: A column, the key or the format of the file is wrong. Nothing was written.
        AccessError: The policy or Odoo does not allow it. Nothing was written.
        OdooConnectionError: The server could not be reached before anything was written.
    """
    meant = Meant(
        columns=columns or {},
        values=values or {},
        constants=constants or {},
        create_missing=create_missing,
        context=context,
        dry_run=dry_run,
        notify=notify,
        case_sensitive=case_sensitive,
        empty=empty,
        batch=batch,
        concurrency=concurrency,
        progress=progress,
    )
    return _import(odoo, model, rows, key, ("create", "write"), meant, AGAIN)


@operation_with(ImportPlan)
def create_many(
    odoo: Odoo,
    model: Model,
    rows: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    values: Mapping[str, Mapping[str, Any]] | None = None,
    constants: Mapping[str, Any] | None = None,
    create_missing: Sequence[str] = (),
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    batch: int = MOST_ROWS,
    concurrency: int = 1,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Create a record for each row, in batches. A row that Odoo rejects fails by itself.

    The toolkit does not look for existing records, so a second call creates every record again. If
    your rows have a key, use :func:`upsert`. It has the same rows, arguments and errors. Empty
    cells get Odoo's default values.
    """
    meant = Meant(
        columns=columns or {},
        values=values or {},
        constants=constants or {},
        create_missing=create_missing,
        context=context,
        dry_run=dry_run,
        notify=notify,
        batch=batch,
        concurrency=concurrency,
        progress=progress,
    )
    return _import(odoo, model, rows, None, ("create",), meant, _NOT_AGAIN)


@operation_with(ImportPlan)
def write_many(
    odoo: Odoo,
    model: Model,
    rows: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    values: Mapping[str, Mapping[str, Any]] | None = None,
    constants: Mapping[str, Any] | None = None,
    create_missing: Sequence[str] = (),
    context: Context = None,
    dry_run: DryRun = False,
    notify: bool = False,
    empty: Empty = "clear",
    batch: int = MOST_ROWS,
    all_or_nothing: bool = False,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Change records that each row names in a column ``id`` or ``.id``.

    The toolkit writes only values that differ. It sends rows with the same changes together. It
    also groups rows with different changes if Odoo has a method with the same effect as single
    writes. A row fails if its record does not exist.

    With ``all_or_nothing``, up to 1000 rows are one request. If a row is wrong or rejected, nothing
    is written, and ``interrupted`` says so. Rows, other arguments and errors are those of
    :func:`upsert`.
    """
    meant = Meant(
        columns=columns or {},
        values=values or {},
        constants=constants or {},
        create_missing=create_missing,
        context=context,
        dry_run=dry_run,
        notify=notify,
        empty=empty,
        batch=batch,
        progress=progress,
    )
    return _import(odoo, model, rows, ".id", ("write",), meant, AGAIN, whole=all_or_nothing)


def _import(
    odoo: Odoo,
    model: str,
    rows: Any,
    key: str | Sequence[str] | None,
    methods: Sequence[str],
    meant: Meant,
    again: str,
    *,
    whole: bool = False,
) -> ImportResult | ImportPlan:
    concurrency = _checked_concurrency(meant)
    prepared = prepare(odoo, model, rows, key, methods, meant)
    batch = checked_count(meant.batch, "batch", 1)
    rows, missing = prepared.rows, prepared.missing
    telling = progress_of(meant.progress, model)
    if meant.progress is None and len(rows) > FIRST_ROWS:
        telling = progress_for_somebody(model)
    changes: list[PlannedChange] = []
    given = {row.number: dict(row.values) for row in rows} if whole else {}
    if prepared.key:
        present = match(odoo, model, prepared, meant.case_sensitive, named=meant.dry_run)
        changes = compare(odoo, model, prepared, present, "create" in methods)
    check_new(odoo, model, prepared)
    places = {column.header: place for place, column in enumerate(prepared.columns)}
    for row in rows:
        if len(row.errors) > 1:
            row.errors.sort(key=lambda error: places.get(error.column or "", len(places)))
        if row.status is None and row.id is None and not row.values:
            row.fail("The row is empty.", code="MISSING_REQUIRED_FIELD")
    stopped = _made_whole(odoo, model, prepared, given, batch) if whole else None
    if meant.dry_run:
        return _plan(odoo, model, prepared, changes, [stopped] if stopped else [], whole)
    writer = Writer(
        odoo,
        model,
        prepared.writing,
        most=batch,
        headers=prepared.headers,
        progress=telling() if telling else None,
        total=len(rows),
        done=sum(row.status is not None for row in rows),
        again=again,
        parent=parent_of(odoo, model, [column.field for column in prepared.columns]),
    )
    related: dict[str, list[str]] = {}
    writer.interrupted = stopped
    try:
        if missing.used(_open(rows)):
            related = _create_related(odoo, prepared, writer)
        new = [row for row in _open(rows) if row.id is None]
        old = [row for row in _open(rows) if row.id is not None]
        watch = Watch(odoo, model, old, prepared)
        writer.create(new, concurrency)
        if whole and old and writer.interrupted is None:
            writer.update_whole(old)
        else:
            writer.update(old)
        otherwise = look_again(odoo, model, prepared, writer, repair=not whole)
        if writer.interrupted is None:
            watch.tell(writer.warnings)
    finally:
        writer.close()
    _set(_open(rows), "remaining")
    # What cannot be read back is among the writer's warnings.
    created = [row for row in written_rows(rows) if row.status == "created"]
    compared = list(dict.fromkeys([*created, *otherwise]))
    differences = _differences(odoo, model, prepared, compared, writer)
    return ImportResult(
        **_facts(model, prepared),
        url=odoo.links(model, [row.id for row in rows]),
        related=related,
        warnings=_once(prepared.warnings, writer.warnings),
        interrupted=writer.interrupted,
        unconfirmed=[row.number for row in rows if row.status == "unconfirmed"],
        remaining=[row.number for row in rows if row.status == "remaining"],
        differences=differences,
    )


def _checked_concurrency(meant: Meant) -> int:
    """Return how many batches may be under way at a time.

    Raises:
        ValidationError: it is no such number, or the calls of a key would have no order.
    """
    concurrency = whole_number(plain(meant.concurrency))
    if concurrency is None or not 1 <= concurrency <= MOST_CONCURRENT:
        raise invalid(
            "concurrency",
            f"concurrency must be an integer from 1 to {MOST_CONCURRENT}, not "
            f"{short_repr(meant.concurrency)}.",
            f"Pass the number of the server's workers, at most {MOST_CONCURRENT}. Default: 1.",
        )
    recording = current()
    if concurrency > 1 and not meant.dry_run and recording and recording.entry.idempotency_key:
        raise ValidationError(
            "With an idempotency key, batches are sent one after the other, so concurrency "
            "cannot be used.",
            suggestion="Omit concurrency or the idempotency key.",
            details={"field": "concurrency"},
            outcome="not_sent",
        )
    return concurrency


def _made_whole(
    odoo: Odoo, model: str, prepared: Prepared, given: Mapping[int, Record], most: int
) -> str | None:
    """Have rows be such that one request can write all of them; say why none is to be written.

    Raises:
        ValidationError: one request cannot.
    """
    changed = _open(prepared.rows)
    if bad := [row.number for row in prepared.rows if row.status == "failed"]:
        _set(changed, "remaining")
        return nothing_written(bad)
    problem = f"there are more than {most} rows" if len(changed) > most else ""
    if prepared.missing.used(changed):
        problem = "records of create_missing are created before"
    differ = any(row.values != changed[0].values for row in changed)
    if not problem and differ and not way_of(odoo, model, [row.values for row in changed]):
        problem = _same_columns(odoo, model, changed, given)
    if problem:
        raise ValidationError(
            f"all_or_nothing is not possible for these rows: {problem}.",
            suggestion="Change the rows, or omit all_or_nothing.",
            outcome="not_sent",
        )
    return None


def _same_columns(odoo: Odoo, model: str, rows: Sequence[Row], given: Mapping[int, Record]) -> str:
    """Give rows the same columns, as Odoo's import wants them; return why it cannot take them."""
    if is_owned(model):
        return f"rows of {model} are written one by one"
    names = sorted({name for row in rows for name in row.values})
    for row in rows:
        if missing := [name for name in names if name not in given[row.number]]:
            return f"row {row.number} has no {', '.join(missing)}, which other rows change"
        row.values = {name: given[row.number][name] for name in names}
    if way_of(odoo, model, [row.values for row in rows]):
        return ""
    odd = [row.number for row in rows if not can_load(odoo, model, [row.values])]
    if len(odd) == len(rows):
        return f"nothing is known to do that with {model} on Odoo {odoo.version.major}"
    return f"Odoo's import does not take the values of row {odd[0]}"


def _plan(
    odoo: Odoo,
    model: str,
    prepared: Prepared,
    changes: Sequence[PlannedChange],
    warnings: Sequence[str],
    whole: bool,
) -> ImportPlan:
    """Return what would become of the rows, and give them that status."""
    rows = _open(prepared.rows)
    calls, stands = prepared.missing.planned(rows)
    new = [row for row in rows if row.id is None]
    old = [row for row in rows if row.id is not None]
    values = {row.number: {n: replaced(v, stands) for n, v in row.values.items()} for row in rows}
    if new:
        arguments = {"vals_list": [values[row.number] for row in new]}
        calls.append(PlannedCall(model=model, method="create", ids=[], arguments=arguments))
    for alike in grouped(old, lambda row: json.dumps(values[row.number], sort_keys=True)):
        changed = {"vals": values[alike[0].number]}
        ids = [row.id for row in alike]
        calls.append(PlannedCall(model=model, method="write", ids=ids, arguments=changed))
    related = {name: list(names.values()) for name, names in prepared.missing.used(rows).items()}
    ways: Counter[Sent] = Counter("load" if row.external_id else "create" for row in new)
    for way, part in arranged(odoo, model, old, whole=whole) if old else ():
        ways[way] += len(part)
    _set(new, "created")
    _set(old, "updated")
    plan = ImportPlan(
        **_facts(model, prepared),
        related=related,
        warnings=_once(prepared.warnings, warnings),
        dry_run=True,
        message="",
        needs=prepared.needs,
        calls=calls,
        changes=list(changes),
        ways=dict(ways),
    )
    return attrs.evolve(plan, message=plan.counts)


def _differences(
    odoo: Odoo, model: str, prepared: Prepared, rows: Sequence[Row], writer: Writer
) -> list[Difference]:
    """Read the records of rows, and return what Odoo stored otherwise than these say."""
    given = {row.id: row.stated for row in rows if row.id is not None}
    ids = list(given)
    found: list[Difference] = []
    for start in range(0, len(ids), CHUNK):
        chunk = {record_id: given[record_id] for record_id in ids[start : start + CHUNK]}
        found += read_back_compared(odoo, model, chunk, (), prepared.context, writer.warnings)[1]
    return found


def _create_related(odoo: Odoo, prepared: Prepared, writer: Writer) -> dict[str, list[str]]:
    """Create the records that rows name and that are not there; return their names by model."""
    rows = _open(prepared.rows)
    try:
        return prepared.missing.create(odoo, rows, prepared.writing, writer.warnings)
    except (OdooConnectionError, RateLimitError) as error:
        writer.stop(error)
        return {}


# The result ------------------------------------------------------------------------------------


def _open(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.status is None]


def _set(rows: Sequence[Row], status: Status) -> None:
    for row in rows:
        row.status = status


def _once(*warnings: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(chain(*warnings)))


def _facts(model: str, prepared: Prepared) -> dict[str, Any]:
    """Return what a result and a plan have in common."""
    rows = prepared.rows
    statuses: list[Status] = [row.status or "remaining" for row in rows]
    return {
        "model": model,
        **{name: statuses.count(name) for name in _COUNTED},
        "failed": [row.failure for row in rows if row.failure is not None],
        "ids": [row.id for row in rows],
        "statuses": statuses,
        "written": prepared.written,
        "relations": prepared.relations,
    }
