"""The group of all commands, each imported when it is called for."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from odoo_toolkit.cli.connecting import State, profile_and_mode
from odoo_toolkit.cli.exit_codes import ending, past_click
from odoo_toolkit.cli.output import prepare_output
from odoo_toolkit.installation import DISTRIBUTION

#: command -> the module of this package and the name there, and what it does. A new command is a
#: line here and a click command there.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "search": ("reading:search", "Find records and print their fields."),
    "count": ("reading:count", "Print the number of records that match."),
    "aggregate": ("reading:aggregate", "Group records, and print sums, averages and counts."),
    "fields": ("reading:fields", "Print the fields of a model."),
    "models": ("reading:models", "Print the models that you can read."),
    "export": ("files:export", "Write all records that match to a file that you can import again."),
    "import": ("importing:import_", "Create and change records from a CSV or JSON Lines file."),
    "sync": ("syncing:sync_", "Sync models to a data warehouse."),
    "report": ("files:report", "Print records as a PDF."),
    "create": ("writing:create", "Create records, and print their ids."),
    "write": ("writing:write", "Change records, and print their ids."),
    "call": ("writing:call", "Call a method of a model and print what it returns."),
    "stubs": ("stubs:stubs", "Write type stubs of the models and fields, for editors and mypy."),
    "history": ("undoing:history", "Print the change history, newest first."),
    "undo": ("undoing:undo", "Undo changes."),
    "doctor": ("doctor:doctor", "Check the connection, and print what is wrong and what to do."),
    "plugin": ("plugin_commands:plugin", "List, check and create plugins."),
    "profiles": ("profile_commands:profiles", "List, show, add and remove profiles."),
}

#: Where the business apps are, each of which is a group of commands.
_APPS = "odoo_toolkit.apps"


@functools.cache
def apps() -> dict[str, str]:
    """Return the business apps and what each is about, without importing them."""
    folders = importlib.import_module(_APPS).__path__
    found = {}
    for module in pkgutil.iter_modules(folders):
        path = Path(folders[0], module.name)
        text = (path / "__init__.py" if module.ispkg else path.with_suffix(".py")).read_text(
            "utf-8"
        )
        about = ast.get_docstring(ast.parse(text)) or ""
        found[module.name] = about.split("\n")[0]
    return found


_EPILOG = """\
Data alone goes to standard output: a table on a terminal, JSON lines elsewhere, or as --csv,
--json, --jsonl and --table say. All else goes to standard error.

\b
Exit status: 0 done, 1 something unforeseen, 2 wrong arguments,
3 wrong settings or profile, 4 no connection, 5 not allowed, 6 not found,
7 wrong input, 8 a constraint refuses, 9 not in this state, 10 a wizard asks,
11 too many calls, 12 some rows or tables failed, 13 may have been applied,
14 a file cannot be read or written, 130 Ctrl-C, 141 the reading end of a
pipe closed.
"""


class Commands(click.Group):
    """A group that imports its commands late and ends with the right exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the table."""
        return [*COMMANDS, *apps()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or the operations of an app."""
        if cmd_name not in COMMANDS and cmd_name in apps():
            return importlib.import_module(f"{__package__}.operations").App(cmd_name)  # type: ignore[no-any-return]
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in COMMANDS.items()])
        with formatter.section("Business apps, such as 'odoo-toolkit sales confirm-order S00042'"):
            formatter.write_dl([*apps().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands, or options, that begin so, without importing any."""
        about = {name: does for name, (_, does) in COMMANDS.items()} | apps()
        found = [CompletionItem(name, help=does) for name, does in about.items()]
        begun = [item for item in found if item.value.startswith(incomplete)]
        return [*begun, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with past_click():
            result = super().invoke(ctx)
            sys.stdout.flush()
        return result

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments, and print the help that they ask for."""
        with past_click():
            return super().make_context(*arguments, **options)

    def run(self, arguments: Sequence[str] | None = None) -> int:
        """Run a command line and return its exit status."""
        prepare_output()
        state = State()
        with ending(state) as end:
            result = super().main(
                None if arguments is None else list(arguments),
                prog_name="odoo-toolkit",
                standalone_mode=False,
                obj=state,
            )
            # click returns the status that --help and its like ask for.
            end.status = result if isinstance(result, int) else state.status
        return end.status

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *ignored: Any, **options: Any
    ) -> None:
        """Run a command line and exit, as click's own ``main`` does."""
        sys.exit(self.run(args))


@click.group(cls=Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=DISTRIBUTION, message="odoo-toolkit %(version)s")
@profile_and_mode
@click.pass_context
def commands(context: click.Context, profile: str | None, mode: str | None) -> None:
    """Work with an Odoo (14 to 19) from the shell.

    Where it is and who you are there comes from a profile (--profile or ODOO_PROFILE), else from
    ODOO_URL, ODOO_DB, ODOO_USERNAME and ODOO_PASSWORD or ODOO_API_KEY. Nothing is written unless
    the profile or --mode says so.
    """
    state = context.ensure_object(State)
    state.profile, state.mode = profile, mode
