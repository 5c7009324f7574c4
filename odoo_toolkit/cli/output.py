"""What commands print: data to standard output, everything else to standard error."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

import attrs
import click

from odoo_toolkit.cli.in_shell import in_shell
from odoo_toolkit.display.visible_text import ACTING
from odoo_toolkit.fields import Field
from odoo_toolkit.plans import Plan, folded
from odoo_toolkit.records.plain_results import as_data

Form = str | None

_FORMS = {
    "table": "Print a table.",
    "jsonl": "Print JSON Lines, one record per line.",
    "json": "Print one JSON document.",
    "csv": "Print CSV with a header line.",
}

#: Columns of a plan as a table, and how many of its values a terminal shows.
_PLANNED, _SHOWN = ("record", "call", "field", "before", "after"), 20

#: What of a plan is said in words, or shown apart from its values.
_OF_PLANS = frozenset(
    {"dry_run", "message", "needs", "documents", "changes", "warnings", "calls", "undo"}
)

#: Names of what is money.
_MONEY = re.compile(
    "amount|price|total|debit|credit|balance|due|cost|revenue|opening|closing|charged|settled|value"
)

#: Control characters and such, by which a text from Odoo could steer the terminal.
_CONTROL = re.compile(f"[{ACTING}]")
_NOT_ASKED = "Odoo can still reject the actual run."


def form_options(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that choose the form of the output, of which the last one holds."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(forms or tuple(_FORMS)):
            function = click.option(
                f"--{name}", "form", flag_value=name, default=None, help=_FORMS[name]
            )(function)
        return function

    return decorate


def form_of(form: Form) -> str:
    """Return the form that was chosen; else a table on a terminal, JSON lines elsewhere."""
    return form or ("table" if sys.stdout.isatty() else "jsonl")


def prepare_output() -> None:
    """Have what goes to a file or a pipe be UTF-8, and no terminal fail for want of a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                encoding=None if stream.isatty() else "utf-8", errors="backslashreplace"
            )


def say(text: str) -> None:
    """Write a sentence to standard error."""
    click.echo(_CONTROL.sub("\ufffd", text), err=True)


def note(text: str) -> None:
    """Say what the library has to say besides, in the words of the command."""
    say(f"Note: {worded(text)}")


def worded(text: Any) -> Any:
    """Return what the library says in the words of the command, and any other value as it is."""
    state = getattr(click.get_current_context(silent=True), "obj", None)
    return in_shell(text, getattr(state, "options", {})) if isinstance(text, str) else text


def tell_warnings(result: Any) -> None:
    """Say what is to be known of a result besides its data."""
    for warning in getattr(result, "warnings", ()):
        note(warning)
    if skipped := getattr(result, "skipped_fields", None):
        say(f"Note: this user cannot read {', '.join(skipped)}.")
    excluded_count = getattr(result, "excluded_count", 0)
    if excluded_count != 0:
        say(f"Note: {excluded_count or 'some'} records of blocked models were omitted.")


def as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that no terminal takes for commands."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    # Line ends are of the document; those in a text are escaped already, as other controls are.
    return re.sub(f"[{ACTING}\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text)


def _plain(value: Any) -> Any:
    if attrs.has(type(value)):
        return attrs.asdict(value)
    return list(value) if isinstance(value, (set, frozenset, tuple)) else str(value)


def print_text(text: str) -> None:
    """Write a text to standard output; on a terminal without what would steer it."""
    if sys.stdout.isatty():
        text = _CONTROL.sub("\ufffd", text)
    sys.stdout.write(text)


def print_value(value: Any, form: Form = None) -> None:
    """Print one value: records as rows, anything else as JSON.

    As a table, an object is its values and the tables of its rows, and a text is as it is.
    """
    chosen = form_of(form)
    if chosen == "json":
        print_text(as_json(value, indent=2) + "\n")
    elif value and isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        print_rows(value, form=chosen)
    elif chosen == "csv":
        rows = value if isinstance(value, list) else [value]
        print_rows([{"result": row} for row in rows], form=chosen)
    elif chosen == "table" and isinstance(data := as_data(value), Mapping):
        print_facts(data)
    elif chosen == "table":
        print_text((value if isinstance(value, str) else as_json(value, indent=2)) + "\n")
    else:
        print_text(as_json(value) + "\n")


def print_plan(plan: Plan, form: Form = None) -> None:
    """Print what would be done, as the MCP server shows it; say that nothing was.

    A terminal shows documents in names and money, and the values that would be written.
    """
    if form_of(form) == "table":
        data = as_data(plan)
        more = {name: value for name, value in data.items() if name not in _OF_PLANS}
        for part in (*data.get("documents", ()), more):
            print_facts(part)
        if plan.changes or not (plan.documents or more):
            print_planned(plan)
    else:
        data = as_data(plan)
        print_value({name: worded(v) if name == "needs" else v for name, v in data.items()}, form)
    tell_warnings(plan)
    if plan.needs:
        note(plan.needs)
    say(f"{plan.message} Nothing was written. {_NOT_ASKED}")


def print_facts(data: Mapping[str, Any]) -> None:
    """Print a result: its values, and tables of its rows."""
    facts: dict[str, Any] = {}
    tables: dict[str, list[Mapping[str, Any]]] = {}
    for name, value in data.items():
        if are_rows(value):
            tables[name] = value
        elif isinstance(value, Mapping) and not _is_name(value):
            facts |= {f"{name}.{inner}": one for inner, one in value.items()}
        elif value not in (None, "", []):
            facts[name] = value
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        text = _shown(name, value).replace("\n", f"\n{'':{width}}  ")
        print_text(f"{name:{width}}  {text}".rstrip() + "\n")
    for title, rows in tables.items():
        print_text(f"{title}:\n")
        _print_table(rows, _names(rows), shown=_shown)


def are_rows(value: Any) -> bool:
    """Return whether a value is the rows of a table."""
    listed = isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    return listed and not all(map(_is_name, value))


def _shown(name: str, value: Any) -> str:
    """Return a value of a result: money with its cents, sentences and pairs one below the other."""
    if isinstance(value, float):
        cents = _MONEY.search(name) and value == round(value, 2)
        return f"{value:,.2f}" if cents else f"{value:,.12g}"
    if isinstance(value, Mapping) and not _is_name(value) and not value.get("error"):
        return "\n".join(f"{key}: {_shown(key, inner)}" for key, inner in value.items())
    if are_rows(value):
        rows = ([f"{key}: {_shown(key, inner)}" for key, inner in row.items()] for row in value)
        return "\n".join(map(", ".join, rows))
    sentences = isinstance(value, list) and any(" " in str(one) for one in value)
    return "\n".join(map(_cell, value)) if sentences else _cell(value)


def print_planned(plan: Plan) -> None:
    """Print as a table which values would be written, and what else would be called."""
    rows: list[dict[str, Any]] = [
        {
            "record": f"{change.name or plan.calls[0].model} ({change.id})",
            "field": change.field,
            "before": change.before_label or change.before,
            "after": change.after_label or change.after,
        }
        for change in plan.changes
    ]
    # What is written to records that there are is told value by value.
    others = [call for call in folded(plan.calls) if not (rows and call.method == "write")]
    for call in others:
        values = call.arguments.get("vals_list", call.arguments.get("vals", call.arguments))
        for one in values if isinstance(values, list) else [values]:
            record = f"new {call.model}" if call.method == "create" else f"{call.model} {call.ids}"
            given = one if isinstance(one, Mapping) and one else {"": ""}
            rows += [
                {"record": record, "call": call.method, "field": name, "after": value}
                for name, value in given.items()
            ]
    names = [name for name in _PLANNED if any(row.get(name) for row in rows)]
    _print_table(rows[:_SHOWN], names)
    if len(rows) > _SHOWN:
        say(f"and {len(rows) - _SHOWN} more values: --json prints all of them.")


def print_ids(ids: Sequence[int], form: Form = None) -> None:
    """Print ids, one in each line."""
    chosen = form_of(form)
    if chosen == "json":
        print_text(as_json(list(ids)) + "\n")
    else:
        lines = [*(["id"] if chosen == "csv" else []), *map(str, ids)]
        print_text("".join(f"{line}\n" for line in lines))


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    described: Callable[[], Mapping[str, Field]] | None = None,
    form: Form = None,
    count: Callable[[int], None] = lambda number: None,
) -> None:
    """Print records.

    Args:
        rows: the records; JSON lines and CSV are printed while they come.
        described: gives the field of each column, asked when the first row is known; by default
            the columns are those that the rows have.
        form: of the output.
        count: is told after each row how many have been printed.
    """
    chosen = form_of(form)
    if chosen == "jsonl":
        for number, row in enumerate(rows, 1):
            print_text(as_json(row) + "\n")
            count(number)
        return
    if chosen != "csv" or described is None:
        rows = list(rows)
    if chosen == "json":
        print_text(as_json(rows, indent=2) + "\n")
        return
    rows = iter(rows)
    known = list(islice(rows, None if described is None else 1))
    fields = described() if described else {}
    names = list(fields) or _names(known)
    if chosen == "table":
        _print_table([*known, *rows], names)
    else:
        _print_csv(chain(known, rows), _with_names(names, fields), count)


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _with_names(names: Sequence[str], fields: Mapping[str, Field]) -> list[str]:
    """Add the columns of names to those of the ids, as a DataFrame of the records has them."""
    found: list[str] = []
    for name in names:
        found.append(name)
        if name in fields and fields[name].type == "many2one":
            found.append(f"{name}.name")
    return list(dict.fromkeys(found))


class _Printed:
    """A file for csv that writes as ``print_text`` does."""

    def write(self, text: str) -> None:
        print_text(text)


def _print_csv(
    rows: Iterable[Mapping[str, Any]], names: Sequence[str], count: Callable[[int], None]
) -> None:
    lines = csv.writer(_Printed(), lineterminator="\n")
    lines.writerow(names)
    for number, row in enumerate(rows, 1):
        cells = {name: value for name, value in row.items() if not _is_name(value)}
        for name, value in row.items():
            if _is_name(value):
                cells |= {name: value["id"], f"{name}.name": value["name"]}
        lines.writerow([_csv_cell(cells.get(name)) for name in names])
        count(number)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_json(value) if isinstance(value, (list, dict)) else value


def _is_name(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"id", "name"}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _is_name(value):
        return f"{value['name']} ({value['id']})"
    if isinstance(value, (list, tuple)):
        return ", ".join(
            ": ".join(map(str, item)) if isinstance(item, (list, tuple)) else _cell(item)
            for item in value
        )
    if isinstance(value, Mapping):
        return str(value["message"]) if value.get("error") else as_json(value)
    return str(round(value, 6) if isinstance(value, float) else value)


def _print_table(
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    shown: Callable[[str, Any], str] = lambda name, value: _cell(value),
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # What is no terminal has no width: nothing is cut or broken there.
    console = Console(width=None if sys.stdout.isatty() else 100_000, file=sys.stdout)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        numbers = any(_is_number(row.get(name)) for row in rows)
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        cells = [_CONTROL.sub("\ufffd", shown(name, row.get(name))) for name in names]
        # As texts, in which [bold] is no markup.
        table.add_row(*map(Text, cells))
    if names:
        console.print(table)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on standard error, if that is a terminal; give what is told of the progress."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
