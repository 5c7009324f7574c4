"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from odoo_toolkit.cli.completing import complete_field, complete_model
from odoo_toolkit.cli.words import an_object, name_list

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

model: Decorator = click.argument("model", shell_complete=complete_model)
domain: Decorator = click.argument("domain", nargs=-1, metavar="[CONDITION]...")
context: Decorator = click.option(
    "--context", type=an_object, metavar="JSON", help='Odoo context, such as \'{"lang": "fr_FR"}\'.'
)
order: Decorator = click.option("--order", metavar="TEXT", help="Such as 'date_order desc, id'.")
fields: Decorator = click.option(
    "-f",
    "--fields",
    type=name_list,
    multiple=True,
    metavar="NAMES",
    shell_complete=complete_field,
    help="Fields, with commas between or repeated; also dotted: partner_id.city.",
)
dry_run: Decorator = click.option(
    "--dry-run", is_flag=True, help="Check everything, say what would be done, write nothing."
)
