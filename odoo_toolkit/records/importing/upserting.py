"""Importing rows: what there is is changed, what there is not is created."""

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
from odoo_toolkit.errors import OdooConnectionError, RateLimitError, ValidationError
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
AGAIN = "Import the same rows again: what was done is found by its key."
_NOT_AGAIN = "Import the rows of remaining; look in Odoo for those of unconfirmed first."


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
    compare: bool = False,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Import rows: change the records that there are, create those that there are not.

    >>> result = upsert(odoo, "res.partner", "customers.csv", key="email", dry_run=True)
    >>> print(result.created, result.updated, result.unchanged, result.problems)

    Only what differs is written, with what Odoo would compute anew from it, so doing it twice
    changes nothing. What the row says is what is stored: records that were there are looked at
    again, and what another row or Odoo has moved is written once more. What Odoo changes besides
    of up to 100 records is told in a warning. A row that is wrong, that
    Odoo refuses, or of which the key is not unique, fails alone and says all that is wrong with
    it. When the server goes away in the middle, the result says what was done (``interrupted``);
    doing it again is safe.

    Columns: the names of fields. A many2one takes an id, a name in any case of letters, or, in a
    column such as ``country_id/code``, what one of its fields holds; in ``country_id/id`` an
    external id such as ``base.be``. A many2many takes a list of these, or one text with commas. A
    selection takes its value or label. The column ``id`` has ids or external ids, ``.id`` ids. An
    empty cell empties the field. A name that means several records fails its row.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        rows: dictionaries; the path of a CSV file, or what :func:`read_csv` returns; of a file of
            JSON lines; or a DataFrame of pandas or polars.
        key: the column or columns that tell which record a row is: of fields that are stored, or
            ``id``. Records that are not there are created, under an external id too, but not
            under an id. The key is never written to records that there are. Two programs that
            import the same new row at the same time by other columns than ``id`` create two
            records.
        columns: what columns of another name stand for: ``{"Land": "country_id"}``; None for one
            that is left out.
        values: what texts of a column stand for: ``{"country_id": {"Deutschland": "Germany"}}``.
        constants: values of columns that the rows lack, the same in all: ``{"lang": "de_DE"}``.
        create_missing: models of which records are created when rows name them and there are
            none, such as ``res.partner.category``.
        context: extends the base context; ``allow_readonly: true`` in it also writes fields that
            the model declares readonly.
        dry_run: look up and check everything, and return an :class:`ImportPlan`, which says what
            would happen, value by value (``changes``); write nothing.
        notify: let Odoo log each change and send the e-mails that go with it.
        case_sensitive: False takes texts of the key for the same in whatever case.
        empty: ``ignore`` leaves the fields of empty cells alone.
        batch: most records of one call; fewer where Odoo takes long for them or refuses rows.
        concurrency: from 1 to 4 batches of new records are under way at a time, for servers with
            several workers. With more than 1, new records are not numbered in the order of the
            rows, and a key for repeats cannot be given.
        compare: read the records back, a thousand in one round trip, and say which columns Odoo
            stored otherwise than it was given (``differences``). Without it, that is said only of
            records that were there before.
        progress: True shows a bar, False none; without it there is one on a terminal and in a
            notebook. A function is called with the numbers of rows that are done and of all rows.

    Returns:
        What became of each row; in a dry run, what would become of it.

    Raises:
        ValidationError: a column, the key or the form of the file is wrong; nothing was written.
        AccessError: the policy or Odoo does not allow it; nothing was written.
        OdooConnectionError: the server could not be reached before anything was written.
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
        compare=compare,
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
    compare: bool = False,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Create a record of each row, in batches; a row that Odoo refuses fails alone.

    Nothing is looked for, so doing it twice makes everything twice: where rows have a key, use
    :func:`upsert`. Rows, arguments and errors as there; empty cells are left to Odoo's defaults.
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
        compare=compare,
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
    compare: bool = False,
    all_or_nothing: bool = False,
    progress: bool | Progress | None = None,
) -> ImportResult | ImportPlan:
    """Change records, each to values of its own; rows name them in a column ``id`` or ``.id``.

    Only what differs is written. Rows to which the same is to happen go together, and so do rows
    with values of their own, where Odoo has a way that does the same as a write of each. A record
    that is not there fails its row.
    With ``all_or_nothing`` all rows are one request, up to 1000 of them: where one is wrong or
    refused, none is written, and ``interrupted`` says so. Rows, other arguments and errors as of
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
        compare=compare,
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
    compared = written_rows(rows) if meant.compare else otherwise
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
        raise ValidationError(
            f"concurrency must be a number from 1 to {MOST_CONCURRENT}, not"
            f" {short_repr(meant.concurrency)}.",
            suggestion=f"Give the number of the server's workers, at most {MOST_CONCURRENT}; or"
            " leave it out, which is 1.",
            details={"field": "concurrency"},
        )
    recording = current()
    if concurrency > 1 and not meant.dry_run and recording and recording.entry.idempotency_key:
        raise ValidationError(
            "With a key, batches go one after the other: a repeat knows what is done by the order"
            " in which it was sent.",
            suggestion="Leave concurrency out, or the key.",
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
            f"These rows cannot be written all or none: {problem}.",
            suggestion="Change it, or leave out all_or_nothing.",
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
    return attrs.evolve(plan, message=plan._told("would be "))


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
