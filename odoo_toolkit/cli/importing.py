"""``odoo-toolkit import``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import click

from odoo_toolkit import records
from odoo_toolkit.cli import INTERRUPTED, options
from odoo_toolkit.cli.connecting import State, WatchedOdoo, stopping_softly, with_odoo
from odoo_toolkit.cli.exit_codes import SOME_FAILED, STATUS, UNCONFIRMED
from odoo_toolkit.cli.in_shell import in_shell
from odoo_toolkit.cli.output import (
    Form,
    form_of,
    form_options,
    note,
    print_planned,
    print_text,
    print_value,
    progress,
    worded,
)
from odoo_toolkit.cli.output import say as tell
from odoo_toolkit.cli.parsing import flat, name_list
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.importing.results import ImportPlan, ImportResult
from odoo_toolkit.values.plain_text import counted

#: Problems that are told one by one.
_TOLD = 20


@click.command("import")
@options.model
@click.argument("file", metavar="FILE")
@click.option(
    "--key",
    type=name_list,
    multiple=True,
    metavar="NAMES",
    help="Columns that identify the record of a row. If a record does not exist, the command"
    " creates it.",
)
@click.option(
    "--create-only",
    is_flag=True,
    help="Create a record for each row, without a search for existing ones.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="HEADER=FIELD",
    help="Field of a column of the file. HEADER= skips the column.",
)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="FIELD:TEXT=VALUE",
    help="Value to import for a text in the file. FIELD:TEXT= makes the cell empty.",
)
@click.option(
    "--constant",
    "constants",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Value of a column that the file does not have.",
)
@options.of(records.upsert, "create_missing", "dry_run", "notify", "context")
@click.option("--failed", metavar="FILE", help="Write the failed rows to this CSV file.")
@options.of(
    records.read_csv,
    *("encoding", "separator", "decimal", "thousands", "date_format", "datetime_format"),
    into="written",
)
@click.option(
    "--skip-empty", is_flag=True, help="Skip empty cells, so that their fields stay the same."
)
@click.option("--ignore-case", is_flag=True, help="Ignore upper and lower case in the key.")
@click.option(
    "--batch", type=click.IntRange(1), default=200, help="Maximum number of records per call."
)
@form_options("json")
@with_odoo
def import_(
    odoo: WatchedOdoo,
    model: str,
    file: str,
    key: tuple[list[str], ...],
    create_only: bool,
    columns: tuple[str, ...],
    values: tuple[str, ...],
    constants: tuple[str, ...],
    failed: str | None,
    skip_empty: bool,
    ignore_case: bool,
    batch: int,
    form: Form,
    given: dict[str, Any],
    written: dict[str, Any],
) -> None:
    """Create and change records from a file, and print what became of the rows.

    FILE is CSV, or JSON lines where its name ends in .jsonl or .ndjson, or a JSON list in .json;
    - is standard input. Rows that are wrong fail alone. Only what differs is written, so doing it
    again is safe; not so with --create-only. Ctrl-C stops after the rows that are under way.

    \b
    odoo-toolkit import res.partner customers.csv --key email --dry-run
    """
    keys = flat(key)
    if create_only == bool(keys):
        raise click.UsageError("Pass either --key, such as --key email, or --create-only.")
    if create_only and (skip_empty or ignore_case):
        raise click.UsageError("--create-only does not search for records, and skips empty cells.")
    state = click.get_current_context().ensure_object(State)
    with rows_of(file, written) as rows, stopping_softly(odoo), progress(model) as bar:

        def done(number: int, total: int) -> None:
            state.rows = (number, total)
            if bar:
                bar(number, total)

        common: dict[str, Any] = {
            "columns": {name: path or None for name, path in map(_pair, columns)},
            "values": _values(values),
            "constants": dict(map(_pair, constants)),
            "batch": batch,
            "progress": done,
            **given,
        }
        if create_only:
            result = records.create_many(odoo, model, rows, **common)
        else:
            result = records.upsert(
                odoo,
                model,
                rows,
                keys,
                case_sensitive=not ignore_case,
                empty="ignore" if skip_empty else "clear",
                **common,
            )
    _tell(result, odoo, state, form, failed)


def _tell(
    result: ImportResult | ImportPlan,
    odoo: WatchedOdoo,
    state: State,
    form: Form,
    failed: str | None,
) -> None:
    """Print what became of the rows, and choose the exit status."""
    stopped = result.interrupted if isinstance(result, ImportResult) else None
    if isinstance(result, ImportResult) and stopped is not None:
        state.status = INTERRUPTED if odoo.stopping else STATUS["connection"]
        if result.unconfirmed:
            state.status = UNCONFIRMED
    elif result.failed:
        state.status = SOME_FAILED
    problems = result.problems
    for problem in problems[:_TOLD]:
        tell(in_shell(str(problem), state.options))
    if len(problems) > _TOLD:
        tell(f"and {len(problems) - _TOLD} more; --failed FILE has all of them")
    for related, names in result.related.items():
        created = f"{counted(len(names), 'record')} of {related} {result.WORDS[0]}"
        tell(f"{created}: {', '.join(names)}")
    for warning in result.warnings:
        note(warning)
    if isinstance(result, Plan) and result.needs:
        note(result.needs)
    if isinstance(result, ImportResult) and stopped is not None:
        numbers = f"{counted(len(result.remaining), 'row')} remaining"
        numbers += f", {len(result.unconfirmed)} unconfirmed"
        tell(f"Stopped: {numbers}. {stopped}")
    if failed and result.failed:
        result.write_failed(failed)
        tell(f"The failed rows are in {failed}.")
    _print(result, form)


def _print(result: ImportResult | ImportPlan, form: Form) -> None:
    if form_of(form) == "table":
        line = result.counts
        if isinstance(result, ImportResult) and result.interrupted is not None:
            line += f", {len(result.unconfirmed)} unconfirmed, {len(result.remaining)} remaining"
        print_text(line + "\n")
        if isinstance(result, Plan):
            print_planned(result)
        return
    failures = [
        {
            "row": row.row,
            "column": row.column,
            "reason": worded(row.reason),
            "code": row.code,
            "errors": [attrs.asdict(error) for error in row.errors],
        }
        for row in result.failed
    ]
    names = ["model", "created", "updated", "unchanged", "ids", "statuses", "related", "warnings"]
    if isinstance(result, Plan):
        names += ["dry_run", "message", "needs", "calls", "changes", "ways"]
    else:
        names += ["interrupted", "unconfirmed", "remaining"]
    told = {name: worded(_plain(getattr(result, name))) for name in names}
    print_value({**told, "failed": failures}, form)


def _plain(value: Any) -> Any:
    """Return lists of results as lists of dictionaries, without what does not apply."""
    if isinstance(value, list) and value and attrs.has(type(value[0])):
        return [attrs.asdict(item, filter=_applies) for item in value]
    return value


def _applies(field: attrs.Attribute[Any], value: Any) -> bool:
    return value is not None or field.default is attrs.NOTHING


def _pair(given: str) -> tuple[str, str]:
    """Take ``name=value`` apart."""
    name, equals, value = given.partition("=")
    if not name or not equals:
        raise click.UsageError(f"{given!r} is not of the form NAME=VALUE.")
    return name, value


def _values(given: Iterable[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for one in given:
        name, colon, text = one.partition(":")
        if not colon:
            raise click.UsageError(f"{one!r} is not of the form FIELD:TEXT=VALUE.")
        text, value = _pair(text)
        found.setdefault(name, {})[text] = value
    return found


@contextmanager
def rows_of(file: str, written: dict[str, Any]) -> Iterator[Any]:
    """Give the rows of a file, or of standard input."""
    if file != "-":
        yield _read(Path(file), written)
        return
    content = sys.stdin.buffer.read()
    # What begins so is no line of field names.
    ending = {b"{": ".jsonl", b"[": ".json"}.get(content.lstrip()[:1], ".csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stdin{ending}"
        path.write_bytes(content)
        del content
        yield _read(path, written)


def _read(path: Path, written: dict[str, Any]) -> Any:
    kind = path.suffix.lower()
    if kind == ".json":
        try:
            return json.loads(path.read_text("utf-8-sig"))
        except ValueError as error:
            raise ValidationError(
                f"{path.name} is not valid JSON: {error}.", suggestion="Pass a list of objects."
            ) from None
    if kind in (".jsonl", ".ndjson"):
        return path
    if written.get("separator") == "\\t":
        written["separator"] = "\t"
    return records.read_csv(path, **written)
