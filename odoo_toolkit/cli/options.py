"""Arguments and options that several commands have, and what a shell offers to complete."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.cli.connecting import chosen, open_odoo
from odoo_toolkit.cli.words import an_object, name_list
from odoo_toolkit.client import Odoo
from odoo_toolkit.completion import models_like
from odoo_toolkit.errors import OdooError
from odoo_toolkit.progress import time_limit

#: Seconds that somebody who has pressed the tabulator key waits.
_PATIENCE = 3.0


def complete_model(context: click.Context, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the models that begin so; the well-known ones where Odoo cannot be asked."""
    found = _asked(context, lambda odoo: models_like(odoo, incomplete))
    names = [*COMMON_MODELS] if found is None else found
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_field(context: click.Context, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the fields of the model that begin so, after those that are written already."""
    # Behind an option whose value is still to come, click has read no arguments yet.
    model = context.params.get("model") or next(iter(context.args), None)
    before, comma, begun = incomplete.rpartition(",")
    if not model:
        return []
    fields = _asked(
        context,
        lambda odoo: sorted(odoo.policy.readable_fields(model, odoo.schema.fields)),
    )
    return [
        CompletionItem(f"{before}{comma}{name}") for name in fields or () if name.startswith(begun)
    ]


def _asked(context: click.Context, ask: Callable[[Odoo], list[str]]) -> list[str] | None:
    """Return what Odoo answers; None where it cannot be asked, of which nothing is said."""
    logging.disable()
    options = context.params
    # The options before the command are not handled yet.
    above = context.find_root().params
    try:
        found = chosen(context, options.get("profile") or above.get("profile"), None)
        with time_limit(_PATIENCE), open_odoo(found) as odoo:
            return ask(odoo)
    except (OdooError, OSError):
        return None
    finally:
        logging.disable(logging.NOTSET)


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
