"""``odoo-toolkit plugin``: list, check, new."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click

from odoo_toolkit.cli.connecting import State, chosen, open_odoo, profile_and_mode
from odoo_toolkit.cli.exit_codes import STATUS
from odoo_toolkit.cli.output import Form, form_options, print_rows, say
from odoo_toolkit.plugins import GROUP, Plugin
from odoo_toolkit.plugins.against_odoo import problems_in_odoo
from odoo_toolkit.plugins.loading import find_plugin
from odoo_toolkit.plugins.writing_out import write_plugin


@click.group(help="List, check and create plugins.")
def plugin() -> None:
    """Plugins are packages or TOML files; see docs/plugins.md."""


@plugin.command("list")
@form_options()
def list_(form: Form) -> None:
    """Print the plugins that are installed. None is used before the server is told to."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not points:
        say(f"No installed package has an entry point in the group {GROUP}.")
    rows = [
        {"plugin": point.name, "package": point.dist and point.dist.name, "object": point.value}
        for point in points
    ]
    print_rows(rows, form=form)


@plugin.command()
@click.argument("name_or_file")
@profile_and_mode
@click.pass_context
def check(context: click.Context, name_or_file: str, profile: str | None, mode: str | None) -> None:
    """Say what is wrong with a plugin, and what it would send to Odoo.

    NAME_OR_FILE is the name of an installed plugin or the path of a TOML file. Where a profile or
    ODOO_URL says which Odoo, models, fields, states and buttons are looked for there. Nothing is
    written. The exit status is 3 where something is wrong.

    \b
    odoo-toolkit plugin check rental
    odoo-toolkit plugin check rental.toml --profile test
    """
    found, problems = find_plugin(name_or_file)
    if found and not problems and _names_odoo(context, profile):
        with open_odoo(chosen(context, profile, mode)) as odoo:
            problems = problems_in_odoo(odoo, found)
            say(f"Its models were checked in Odoo {odoo.version.full} at {odoo.settings.url}.")
    elif found:
        say("Its models were not checked in Odoo. To check them, pass --profile or set ODOO_URL.")
    for problem in problems:
        click.echo(f"wrong: {problem}")
    if problems or found is None:
        context.ensure_object(State).status = STATUS["configuration"]
        return
    for line in _lines(found):
        click.echo(line)


@plugin.command()
@click.argument("name")
@click.option("--toml", is_flag=True, help="Write one TOML file, for a plugin without Python.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    default=".",
    help="Folder to write to. Default: the current folder.",
)
def new(name: str, toml: bool, folder: Path) -> None:
    """Write out the beginning of a plugin: a package with its tests, or a TOML file.

    \b
    odoo-toolkit plugin new rental
    odoo-toolkit plugin new rental --toml
    """
    for path in write_plugin(name, folder, toml=toml):
        click.echo(path)


def _names_odoo(context: click.Context, profile: str | None) -> bool:
    state = context.ensure_object(State)
    return bool(
        profile or state.profile or os.environ.get("ODOO_PROFILE") or os.environ.get("ODOO_URL")
    )


def _lines(found: Plugin) -> Iterator[str]:
    """Yield what a plugin is, and all that it may send."""
    yield f"valid: {found.name} {found.version}: {found.description}"
    yield f"reads: {', '.join(sorted(found.declared.models))}"
    changes: dict[str, Any] = {**found.declared.steps, **found.declared.wizards}
    for model, methods in changes.items():
        kind = "answers" if model in found.declared.wizards else "changes"
        yield f"{kind}: {model}: {', '.join(methods) or 'nothing'}"
