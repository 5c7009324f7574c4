"""``odoo-toolkit history | undo``."""

from __future__ import annotations

from typing import Any

import click

from odoo_toolkit.cli import options, output
from odoo_toolkit.cli.asking import agreed
from odoo_toolkit.cli.connecting import WatchedOdoo, with_odoo
from odoo_toolkit.undoing.functions import history as entries_of
from odoo_toolkit.undoing.functions import undo as undo_entry
from odoo_toolkit.undoing.functions import undo_since
from odoo_toolkit.undoing.overview import details, overview

#: Columns of the table, and characters of its records; JSON and CSV have all that there is.
_COLUMNS, _WIDTH = ("entry", "started", "operation", "records", "undo"), 60


@click.command()
@click.argument("entry", type=click.IntRange(1), required=False)
@options.of(entries_of, "since", "before", "limit")
@output.form_options()
@with_odoo
def history(odoo: WatchedOdoo, entry: int | None, form: output.Form, given: dict[str, Any]) -> None:
    """Print what was written as this user, the newest first; of one ENTRY all that is known.

    The change history must be kept: set ODOO_HISTORY to auto or to the path of a file, or history
    in the profile.

    \b
    odoo-toolkit history --limit 5
    odoo-toolkit history 7 --json
    """
    if entry is not None:
        output.print_value(details(odoo, entry=entry), form or "json")
        return
    rows: list[dict[str, Any]] = [
        {
            "entry": one.entry,
            "started": one.started,
            "operation": one.operation,
            "outcome": one.outcome,
            "records": ", ".join(one.records),
            "undo": f"undone by {one.undone_by}"
            if one.undone_by
            else one.undo and one.undo.possible,
            "client": one.client,
        }
        for one in overview(odoo, **given)
    ]
    if output.form_of(form) == "table":
        rows = [{name: row[name] for name in _COLUMNS} | _in_short(row) for row in rows]
    output.print_rows(rows, form=form)


def _in_short(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a line of a terminal has room for."""
    done = "" if row["outcome"] == "done" else f" ({row['outcome']})"
    return {
        "started": row["started"][:16].replace("T", " "),
        "operation": row["operation"] + done,
        "records": row["records"][:_WIDTH] + ("…" if len(row["records"]) > _WIDTH else ""),
    }


@click.command()
@click.argument("entry", type=click.IntRange(1), required=False)
@click.option(
    "--since",
    metavar="TIME",
    help="Undo all changes since a time (ISO 8601). Without an offset, it is UTC.",
)
@options.of(undo_entry, "partial", "dry_run")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@output.form_options("json")
@with_odoo
def undo(
    odoo: WatchedOdoo,
    entry: int | None,
    since: str | None,
    yes: bool,
    form: output.Form,
    given: dict[str, Any],
) -> None:
    """Take back what one ENTRY of the history has written, or everything since a time.

    Shows the plan and asks first; where nobody can be asked it takes --yes.

    \b
    odoo-toolkit undo 7 --dry-run
    odoo-toolkit undo --since 2026-11-23T14:00:00Z --yes --mode full
    """
    if (entry is None) == (since is None):
        raise click.UsageError("Pass an ENTRY, or --since.")
    dry_run = given.pop("dry_run", False)

    def taken_back(dry: bool) -> Any:
        if entry is not None:
            return undo_entry(odoo, entry=entry, dry_run=dry, **given)
        return undo_since(odoo, since=since or "", dry_run=dry, **given)

    if not agreed(lambda: taken_back(True), form, dry_run=dry_run, yes=yes):
        return
    result = taken_back(False)
    output.print_value(result, form or "json")
    output.tell_warnings(result)
    output.say(result.message)
