"""``odoo-toolkit create | write | call``."""

from __future__ import annotations

from typing import Any

import click

from odoo_toolkit import records
from odoo_toolkit.cli import options
from odoo_toolkit.cli.connecting import State, WatchedOdoo, with_odoo
from odoo_toolkit.cli.exit_codes import STATUS
from odoo_toolkit.cli.output import (
    Form,
    form_options,
    print_ids,
    print_plan,
    print_value,
    say,
    tell_warnings,
)
from odoo_toolkit.cli.parsing import id_list, json_or_text, named, values_of
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.results import CreateResult, WriteResult

_values = click.argument("values", nargs=-1, required=True, metavar="VALUE...")


@click.command()
@options.model
@_values
@options.of(records.create, "dry_run", "context")
@form_options("json", "csv")
@with_odoo
def create(
    odoo: WatchedOdoo, model: str, values: tuple[str, ...], form: Form, given: dict[str, Any]
) -> None:
    """Create a record, or several, and print their ids.

    A VALUE is field=value, or an object as JSON, or - for JSON from standard input; a list of
    objects makes several records, all of them or none.

    \b
    odoo-toolkit create res.partner name='Azure Interior' is_company=true country_id=20
    odoo-toolkit create res.partner '[{"name": "Ann"}, {"name": "Ben"}]' --mode full
    """
    _print_written(records.create(odoo, model, values_of(odoo, model, values), **given), form)


@click.command()
@options.model
@click.argument("ids", type=id_list)
@_values
@options.of(records.write, "dry_run", "context")
@form_options("json", "csv")
@with_odoo
def write(
    odoo: WatchedOdoo,
    model: str,
    ids: list[int],
    values: tuple[str, ...],
    form: Form,
    given: dict[str, Any],
) -> None:
    """Change records, all of them or none, and print their ids.

    IDS are 7 or 7,8,9. A VALUE is field=value, where nothing behind = empties the field, or an
    object as JSON, or - for JSON from standard input. With --dry-run, prints the plan, with
    what is there now.

    \b
    odoo-toolkit write res.partner 7,8 phone= comment='Moved' --mode full
    """
    meant = values_of(odoo, model, values)
    if isinstance(meant, list):
        raise click.UsageError("All records get the same values. Pass one object.")
    _print_written(records.write(odoo, model, ids, meant, **given), form)


def _print_written(result: CreateResult | WriteResult | Plan, form: Form) -> None:
    if isinstance(result, Plan):
        print_plan(result, form)
        return
    print_ids(result.ids, form)
    tell_warnings(result)
    say(result.message)


@click.command()
@options.model
@click.argument("method")
@click.option(
    "--ids",
    type=id_list,
    metavar="IDS",
    help="Ids of the records to call it on, such as 7 or 7,8,9.",
)
@click.option(
    "--arg",
    "args",
    type=json_or_text,
    multiple=True,
    metavar="VALUE",
    help="Positional argument, as JSON or plain text. You can repeat the option.",
)
@click.option(
    "--kwarg",
    "kwargs",
    type=named,
    multiple=True,
    metavar="NAME=VALUE",
    help="Keyword argument. The value is as in --arg.",
)
@options.of(records.execute, "dry_run", "context")
@form_options()
@with_odoo
def call(
    odoo: WatchedOdoo,
    model: str,
    method: str,
    ids: list[int] | None,
    args: tuple[Any, ...],
    kwargs: tuple[tuple[str, Any], ...],
    form: Form,
    given: dict[str, Any],
) -> None:
    """Call a public method of a model and print what it returns.

    \b
    odoo-toolkit call sale.order action_confirm --ids 42 --mode full
    odoo-toolkit call res.partner name_search --kwarg name=azure --kwarg limit=5
    """
    positional = [*([ids] if ids else []), *args]
    result = records.execute(odoo, model, method, positional, dict(kwargs), **given)
    if isinstance(result, Plan):
        print_plan(result, form)
        return
    print_value(result.action if result.action is not None else result.result, form)
    tell_warnings(result)
    if result.message:
        say(result.message)
    if result.wizard:
        click.get_current_context().ensure_object(State).status = STATUS["wizard"]
