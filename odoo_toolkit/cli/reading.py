"""``odoo-toolkit search | count | aggregate | fields | models``."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from odoo_toolkit import records
from odoo_toolkit.cli import options
from odoo_toolkit.cli.connecting import State, WatchedOdoo, with_odoo
from odoo_toolkit.cli.output import (
    Form,
    form_of,
    form_options,
    print_rows,
    print_value,
    say,
    tell_warnings,
)
from odoo_toolkit.cli.parsing import domain_of, unknown_names
from odoo_toolkit.errors import OdooError

#: Columns of the tables of fields and models; JSON and CSV have all that there is.
_FIELD_COLUMNS = ("field", "label", "type", "relation", "required", "readonly")


@click.command()
@options.model
@options.domain
@options.of(records.search_read, "fields", "order", "limit", "offset", "context")
@click.option("--all", "every", is_flag=True, help="Print all records. Default order: by id.")
@form_options()
@with_odoo
def search(
    odoo: WatchedOdoo,
    model: str,
    domain: tuple[str, ...],
    every: bool,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Find records and print their fields.

    A CONDITION is field=value, or with != > >= < <=, or field~text for what contains a text; all
    of them must hold. Or it is a domain: '["|", ["name", "ilike", "acme"], ["id", "=", 7]]'.
    For a spreadsheet give --csv; export writes what import takes again, with external ids.

    \b
    odoo-toolkit search sale.order state=sale 'amount_total>1000' -f name,partner_id
    odoo-toolkit search res.partner --all -f name,email --csv > partners.csv
    """
    if every and given.keys() & {"limit", "offset"}:
        raise click.UsageError("You cannot combine --all with --limit or --offset.")
    asked = domain_of(odoo, model, domain)
    if every:
        state = click.get_current_context().ensure_object(State)

        def printed(number: int) -> None:
            state.printed = number

        with records.iterate(odoo, model, asked, **given) as found:
            print_rows(found, lambda: found.described, form, printed)
            state.printed = 0
            tell_warnings(found)
        return
    result = records.search_read(odoo, model, asked, **given)
    print_rows(result.records, lambda: result.described, form)
    tell_warnings(result)
    _tell_unknown(odoo, model, asked, result.count)
    if result.has_more:
        say(
            f"There are more records than these {result.count}. To see others, pass --limit,"
            " --offset or --all."
        )


def _tell_unknown(odoo: WatchedOdoo, model: str, asked: list[Any], found: int) -> None:
    """Say, where nothing was found, which of the names there are none of."""
    with suppress(OdooError):
        for told in unknown_names(odoo, model, asked) if not found else ():
            say(f"Note: {told}")


@click.command()
@options.model
@options.domain
@options.of(records.count, "context")
@form_options("json", "csv")
@with_odoo
def count(
    odoo: WatchedOdoo, model: str, domain: tuple[str, ...], form: Form, given: dict[str, Any]
) -> None:
    """Print how many records match; conditions as of search."""
    asked = domain_of(odoo, model, domain)
    result = records.count(odoo, model, asked, **given)
    if form == "csv":
        print_rows([{"count": result.count}], form=form)
    else:
        print_value(result.count, form)
    tell_warnings(result)
    _tell_unknown(odoo, model, asked, result.count)


@click.command()
@options.model
@options.domain
@options.of(
    records.aggregate, "order", "limit", "offset", "context", by="groupby", measure="measures"
)
@click.option(
    "--having", metavar="DOMAIN", help='Domain on the groups, such as \'[["count", ">", 5]]\'.'
)
@form_options()
@with_odoo
def aggregate(
    odoo: WatchedOdoo,
    model: str,
    domain: tuple[str, ...],
    having: str | None,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Group records and print sums, averages, ...; conditions as of search.

    \b
    odoo-toolkit aggregate sale.order state=sale --by date_order:month --measure amount_total:sum
    """
    asked = domain_of(odoo, model, domain)
    groups = domain_of(odoo, model, [having]) if having else ()
    result = records.aggregate(odoo, model, asked, having=groups, **given)
    print_rows(result.records, lambda: result.described, form)
    tell_warnings(result)
    if result.has_more:
        say(
            f"There are more groups than these {result.count}. To see others, pass --limit or"
            " --offset."
        )


@click.command()
@options.model
@click.argument("names", nargs=-1)
@click.option(
    "--filter", "part", metavar="TEXT", help="Only fields with this text in the name or label."
)
@options.of(records.fields_get, "context")
@form_options()
@with_odoo
def fields(
    odoo: WatchedOdoo,
    model: str,
    names: tuple[str, ...],
    part: str | None,
    form: Form,
    given: dict[str, Any],
) -> None:
    """Print the fields of a model, or those that are named."""
    found = records.fields_get(odoo, model, names=names or None, **given).fields
    wanted = (part or "").casefold()
    rows = [
        {"field": name, **told}
        for name, told in found.items()
        if wanted in name.casefold() or wanted in str(told.get("label", "")).casefold()
    ]
    _print_described(rows, _FIELD_COLUMNS, form)


@click.command()
@click.argument("filter", required=False)
@click.option("--wizards", is_flag=True, help="Also wizards.")
@form_options()
@with_odoo
def models(odoo: WatchedOdoo, filter: str | None, wizards: bool, form: Form) -> None:  # noqa: A002
    """Print the models that can be read; FILTER is part of a name or label."""
    result = records.list_models(odoo, filter, wizards)
    rows = [
        {
            "model": found.model,
            "name": found.name,
            "field_count": found.field_count,
            "access": found.access,
            "transient": found.transient,
        }
        for found in result.models
    ]
    _print_described(rows, ("model", "name", "field_count", "access"), form)
    tell_warnings(result)


def _print_described(rows: list[dict[str, Any]], columns: tuple[str, ...], form: Form) -> None:
    """Print rows; in a table only the columns that are short."""
    if form_of(form) == "table":
        rows = [{name: row.get(name) for name in columns} for row in rows]
    print_rows(rows, form=form)
