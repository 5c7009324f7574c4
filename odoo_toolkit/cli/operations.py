"""``odoo-toolkit sales confirm-order ...``: each business operation as a command.

A command is made of what the operation says of itself: its signature, ``Doc`` and docstring.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click
from click.core import ParameterSource

from odoo_toolkit.change_history.recording import hearing
from odoo_toolkit.cli import output
from odoo_toolkit.cli.asking import agreed
from odoo_toolkit.cli.connecting import State, WatchedOdoo, with_odoo
from odoo_toolkit.cli.exit_codes import SOME_FAILED, tell_undo
from odoo_toolkit.cli.in_shell import in_shell
from odoo_toolkit.cli.options import complete_number
from odoo_toolkit.cli.parameters import Taken, taken_of
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.documents import Document
from odoo_toolkit.records.plain_results import as_data
from odoo_toolkit.undoing.overview import undo_facts

#: In the first line of a docstring, what is of no use in a shell.
_ROUND_TRIPS = re.compile(r"[;,] [^;]*\bround trips?\b.*(?=\.)|:\w+:|`")


class App(click.Group):
    """The operations of an app, each made into a command when it is called for."""

    def __init__(self, name: str) -> None:
        self.home = importlib.import_module(f"odoo_toolkit.apps.{name}")
        exported = {each: getattr(self.home, each) for each in sorted(self.home.__all__)}
        self.operations = {
            _written(each): each for each, found in exported.items() if inspect.isfunction(found)
        }
        super().__init__(name, help=inspect.getdoc(self.home))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*self.operations]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a command."""
        name = self.operations.get(cmd_name)
        return _command(self.name or "", self.home, name) if name else None


def _written(name: str) -> str:
    """Return the name of an operation as a command has it."""
    return name.replace("_", "-")


def _command(app: str, home: Any, name: str) -> click.Command:
    function = getattr(home, name)
    taken = taken_of(function)
    # An error may name another operation of the app.
    options = {other: f"odoo-toolkit {app} {_written(other)}" for other in home.__all__}
    options |= {argument: one.option for one in reversed(taken) for argument in one.arguments}
    writes = "dry_run" in options

    @output.form_options("table", "json", "jsonl")
    @with_odoo
    def run(odoo: WatchedOdoo, form: output.Form, yes: bool = True, **given: Any) -> None:
        context = click.get_current_context()
        state = context.ensure_object(State)
        state.options = options
        arguments = _arguments(taken, context)
        dry_run = arguments.pop("dry_run", False)
        plan = functools.partial(function, odoo, **arguments, dry_run=True)
        if writes and not agreed(plan, form, dry_run=dry_run, yes=yes):
            return
        with hearing() as entries:
            try:
                result = function(odoo, **arguments)
            finally:
                with suppress(OdooError):
                    state.undo = undo_facts(odoo, entries)
        _tell(result, state, form)

    said = in_shell(_ROUND_TRIPS.sub("", (inspect.getdoc(function) or "").split("\n")[0]), {})
    command = click.command(_written(name), help=said, short_help=said)(run)
    for one in taken:
        one.facts["help"] = in_shell(one.facts["help"], options)
        if model := _numbered(home.__name__).get(f"{one.name}_id"):
            one.facts["shell_complete"] = functools.partial(complete_number, model=model)
    asking = (
        [click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation.")]
        if writes
        else []
    )
    command.params[:0] = [*(each for one in taken for each in one.parameters()), *asking]
    return command


@functools.cache
def _numbered(home: str) -> dict[str, str]:
    """Return argument -> model of the documents of an app that have a number."""
    modules = [found for name, found in sys.modules.items() if name.startswith(f"{home}.")]
    values = [value for module in modules for value in vars(module).values()]
    documents = [value for value in values if isinstance(value, Document) and value.numbered]
    return {document.argument: document.model for document in documents}


def _arguments(taken: Sequence[Taken], context: click.Context) -> dict[str, Any]:
    """Return the arguments of an operation from what was written.

    Raises:
        click.UsageError: one is missing, or is given twice.
    """
    arguments: dict[str, Any] = {}
    by: dict[str, str] = {}
    for one in taken:
        written = {f"{one.name}__word": one.name.upper(), one.name: one.option}
        for name, how in written.items():
            value = context.params.get(name)
            source = context.get_parameter_source(name)
            if value in (None, ()) or source in (None, ParameterSource.DEFAULT):
                continue
            if other := next((by[each] for each in one.arguments if each in by), None):
                raise click.UsageError(f"Pass {other} or {how}, not both.")
            arguments |= one.read(value)
            by |= dict.fromkeys(one.arguments, how)
    for one in taken:
        if one.required and not by.keys() & {*one.arguments}:
            alike = [other.option for other in taken if other.arguments == one.arguments]
            raise click.UsageError(f"Missing {' or '.join(alike)}.")
    return arguments


def _tell(result: Any, state: State, form: output.Form) -> None:
    """Print a result, and say how it is undone and what of it failed."""
    data = as_data(result)
    if output.form_of(form) == "table":
        output.print_facts({name: value for name, value in data.items() if name not in _SAID})
    else:
        output.print_value(data | ({"undo": state.undo} if state.undo else {}), form)
    output.tell_warnings(result)
    if message := data.get("message"):
        output.say(in_shell(str(message), state.options))
    if any(row.get("error") for rows in data.values() if output.are_rows(rows) for row in rows):
        state.status = SOME_FAILED
    tell_undo(state)


#: What of a result is said beside its data.
_SAID = ("message", "warnings")
