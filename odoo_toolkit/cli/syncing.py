"""``odoo-toolkit sync``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import click

from odoo_toolkit.cli import options
from odoo_toolkit.cli.connecting import State, WatchedOdoo, with_odoo
from odoo_toolkit.cli.exit_codes import SOME_FAILED, status_of, tell_error
from odoo_toolkit.cli.output import Form, form_of, form_options, print_rows, progress, say
from odoo_toolkit.cli.parsing import domain_of, flat, name_list
from odoo_toolkit.dlt import BUNDLES, TableReport, sync
from odoo_toolkit.dlt.bundles import models_of
from odoo_toolkit.errors import OdooError
from odoo_toolkit.progress import listening
from odoo_toolkit.values.plain_text import counted

#: Columns of the table; the other forms have all that a report has.
_COLUMNS = (
    *("table", "rows", "loaded", "changed", "deleted", "left", "not_accessible", "checked"),
    "status",
)


@click.command("sync")
@click.argument("destination")
@click.argument("models", nargs=-1, metavar="[MODEL]...", shell_complete=options.complete_model)
@click.option(
    "--bundle",
    "bundles",
    multiple=True,
    type=click.Choice(list(BUNDLES)),
    help="Models of one app. You can repeat the option.",
)
@click.option(
    "--where",
    "domain",
    multiple=True,
    metavar="CONDITION",
    help="Condition on the records of one model, as in search. You can repeat the option.",
)
@click.option(
    "-f",
    "--fields",
    type=name_list,
    multiple=True,
    metavar="NAMES",
    help="Fields of one model, separated by commas. You can repeat the option. Default: all stored"
    " fields.",
)
@options.of(sync, "dataset", "context", "full_reload", "refresh", "check", name="table")
@click.option(
    "--freeze", is_flag=True, help="Stop if the model has new fields. Default: also load them."
)
@click.option(
    "--no-decimals", is_flag=True, help="Load amounts and numbers with fixed decimals as floats."
)
@form_options("table", "jsonl", "json")
@with_odoo
def sync_(
    odoo: WatchedOdoo,
    destination: str,
    models: tuple[str, ...],
    bundles: tuple[str, ...],
    domain: tuple[str, ...],
    fields: tuple[list[str], ...],
    freeze: bool,
    no_decimals: bool,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Load models into a warehouse, or what has changed since the last time.

    DESTINATION is duckdb:///file.db, postgresql://user@host/database, or the name of one that dlt
    is configured for. Prints for each table what was done and whether it is complete. A table that
    fails keeps what was loaded before, and the others are loaded.

    \b
    odoo-toolkit sync duckdb:///odoo.db sale.order sale.order.line
    odoo-toolkit sync duckdb:///odoo.db --bundle accounting --check
    odoo-toolkit sync duckdb:///odoo.db sale.order --where state=sale -f amount_total --name sold
    """
    wanted = models_of(models, bundles)
    if len(wanted) > 1 and (domain or fields or "table" in given):
        raise click.UsageError("You can use --where, --fields and --name only with a single model.")
    columns: Any = "freeze" if freeze else "evolve"
    state = click.get_current_context().ensure_object(State)
    state.loaded = []
    done: list[TableReport] = []
    failed: list[OdooError] = []
    try:
        for model in wanted:
            try:
                with _shown(model):
                    conditions = domain_of(odoo, model, domain) if domain else ()
                    report = sync(
                        odoo,
                        destination,
                        model,
                        conditions,
                        flat(fields),
                        columns=columns,
                        decimals=not no_decimals,
                        **given,
                    )
            except OdooError as error:
                say(f"{model}:")
                tell_error(error, state)
                failed.append(error)
            else:
                done.append(report)
                state.loaded.append(report.table)
    finally:
        # After Ctrl-C, too, since these tables are loaded.
        _print(done, form)
    if failed:
        state.status = SOME_FAILED if done else status_of(failed[0])
        kept = "" if given.get("refresh") else " The data from earlier syncs stays."
        say(f"{counted(len(failed), 'table')} of {len(wanted)} failed.{kept}")


def _print(done: Sequence[TableReport], form: Form) -> None:
    """Print what was done with each table, and say what else is to be known."""
    if not done:
        return
    rows = [attrs.asdict(report) for report in done]
    if form_of(form) == "table":
        rows = [{name: row[name] for name in _COLUMNS} for row in rows]
    print_rows(rows, form=form)
    for report in done:
        _tell(report)


class _Heard:
    """Moves the bar when the library tells how far it has come."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def report(self, done: float, total: float | None, message: str | None) -> None:
        self._bar(int(done), int(total or 0))

    def checkpoint(self) -> None:
        """Nobody but Ctrl-C stops it."""


@contextmanager
def _shown(model: str) -> Iterator[None]:
    """Show a bar while a model is read."""
    with progress(model) as bar:
        if bar is None:
            yield
            return
        with listening(_Heard(bar)):
            yield


def _tell(report: TableReport) -> None:
    """Say what is to be known of a table besides its numbers."""
    for warning in report.warnings:
        say(f"Note: {report.table}: {warning}")
    if report.not_accessible:
        say(
            f"Note: {report.table}: {counted(report.not_accessible, 'row')} of records that this"
            " user can no longer read stay unchanged."
        )
    if report.status != "complete":
        say(f"Note: {report.table}: {report.status}. The next sync loads the rest.")
