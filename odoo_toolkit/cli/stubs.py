"""``odoo-toolkit stubs``."""

from __future__ import annotations

import click

from odoo_toolkit.cli import options
from odoo_toolkit.cli.connecting import WatchedOdoo, with_odoo
from odoo_toolkit.cli.output import say, tell_warnings
from odoo_toolkit.stubs import write_stubs
from odoo_toolkit.values.plain_text import counted


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]...", shell_complete=options.complete_model)
@click.option(
    "-o",
    "--output",
    default="my_odoo",
    metavar="FOLDER",
    help="Package to write.",
    show_default=True,
)
@with_odoo
def stubs(odoo: WatchedOdoo, models: tuple[str, ...], output: str) -> None:
    """Write the models and fields of this Odoo as types.

    Editors then complete fields, and mypy and pyright find wrong ones, in scripts that say 'from
    my_odoo import connect'. Without MODEL, all models that can be read.

    \b
    odoo-toolkit stubs
    odoo-toolkit stubs sale.order res.partner -o shop
    """
    result = write_stubs(odoo, models, output)
    tell_warnings(result)
    for name, why in result.not_told.items():
        say(f"Note: omitted {name}: {why}")
    if result.closed_models:
        say(f"Note: omitted {counted(result.closed_models, 'model')} that are blocked.")
    if result.closed_fields:
        say(f"Note: omitted {counted(result.closed_fields, 'field')} that are blocked.")
    files = f"{counted(len(result.changed), 'file')} written, {len(result.removed)} removed"
    say(f"{counted(len(result.models), 'model')} in {result.folder}: {files}.")
