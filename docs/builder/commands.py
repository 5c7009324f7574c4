"""The reference of the command ``odoo-toolkit``: the help that it prints."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import click

from odoo_toolkit.cli.commands import apps, commands

_INTRODUCTION = """# Commands and options

Look up the options of `odoo-toolkit`. This is the help that each command prints, such as
`odoo-toolkit search --help`. The [command-line guide](../cli.md) has examples.
"""

_OF_APPS = """# Commands of the business apps

Look up the options of the business operations. This is the help that each command prints, such as
`odoo-toolkit sales create-order --help`. The [guide](../cli.md#business-operations) has examples.
"""

#: As wide as a terminal usually is.
_WIDTH = 80


def pages() -> dict[str, str]:
    """Return the pages by their file names."""
    settings = commands.context_settings
    context = click.Context(commands, info_name="odoo-toolkit", terminal_width=_WIDTH, **settings)
    of_apps = [
        section
        for app in apps()
        if (command := commands.get_command(context, app))
        for section in _sections(command, app, context)
    ]
    all_others = [*_sections(commands, "odoo-toolkit", None, without=apps())]
    return {
        "commands.md": "\n".join([_INTRODUCTION, *all_others]),
        "commands-apps.md": "\n".join([_OF_APPS, *of_apps]),
    }


def _sections(
    command: click.Command,
    name: str,
    parent: click.Context | None,
    without: Collection[str] = (),
) -> Iterator[str]:
    settings = command.context_settings
    context = click.Context(command, parent, info_name=name, terminal_width=_WIDTH, **settings)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for each in (name for name in command.list_commands(context) if name not in without):
            found = command.get_command(context, each)
            if found is not None and not found.hidden:
                yield from _sections(found, each, context)
