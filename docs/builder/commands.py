"""The reference of the command ``odoo-toolkit``: the help that it prints."""

from __future__ import annotations

from collections.abc import Iterator

import click

from odoo_toolkit.cli.commands import commands

_INTRODUCTION = """# Commands and options

Look up the options of `odoo-toolkit`. This is the help that each command prints, such as
`odoo-toolkit search --help`. The [command-line guide](../cli.md) has examples.
"""

#: As wide as a terminal usually is.
_WIDTH = 80


def pages() -> dict[str, str]:
    """Return the page by its file name."""
    return {"commands.md": "\n".join([_INTRODUCTION, *_sections(commands, "odoo-toolkit", None)])}


def _sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    settings = command.context_settings
    context = click.Context(command, parent, info_name=name, terminal_width=_WIDTH, **settings)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None and not found.hidden:
                yield from _sections(found, each, context)
