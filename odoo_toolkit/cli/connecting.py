"""The connection of a command: its options, and what is known of its writes."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import click
from click.shell_completion import CompletionItem

from odoo_toolkit.call import Call
from odoo_toolkit.change_history.places import history_of_settings
from odoo_toolkit.cli.output import say
from odoo_toolkit.cli.profiles import MODES, Chosen, choose, profile_names
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection import variables
from odoo_toolkit.errors import OdooConnectionError, OdooError


class WatchedOdoo(Odoo):
    """A connection that knows what it has written, to say so after Ctrl-C.

    Attributes:
        under_way: a write whose answer has not come, or was lost.
        written: number of writes that were carried out.
        stopping: whether no further write is to begin.
    """

    under_way: Call | None = None
    written = 0
    stopping = False

    def _write(self, call: Call, send: Callable[[Call], Any]) -> Any:
        if self.stopping:
            raise OdooConnectionError("You stopped it.", outcome="not_sent", retry=False)
        self.under_way = call
        try:
            result = super()._write(call, send)
        except OdooError as error:
            if error.outcome != "maybe_applied":
                self.under_way = None
            raise
        self.under_way = None
        self.written += 1
        return result


@attrs.define
class State:
    """What the parts of one command line share.

    Attributes:
        profile, mode: options given before the command.
        mode_used: that of the connection.
        odoo: the connection, once there is one.
        options: argument of the library -> option of the command, such as ``--dry-run``.
        rows: of an import, how many of how many are done.
        loaded: of a sync that has begun, the tables that are loaded whole.
        undo: what the history says of undoing what an operation has written.
        printed: records that have been printed while more were read.
        status: exit status of a command that has not failed as a whole.
    """

    profile: str | None = None
    mode: str | None = None
    mode_used: str = MODES[0]
    odoo: WatchedOdoo | None = None
    options: dict[str, str] = attrs.Factory(dict)
    rows: tuple[int, int] | None = None
    loaded: list[str] | None = None
    undo: dict[str, Any] | None = None
    printed: int = 0
    status: int = 0


def complete_profile(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the profiles that begin so."""
    return [CompletionItem(name) for name in profile_names() if name.startswith(incomplete)]


def profile_and_mode(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--profile`` and ``--mode``."""
    function = click.option(
        "--mode", type=click.Choice(MODES), help="Mode of the connection. Default: readonly."
    )(function)
    return click.option(
        "--profile",
        metavar="NAME",
        shell_complete=complete_profile,
        help="Profile to use. Default: ODOO_PROFILE. To list profiles: odoo-toolkit profiles.",
    )(function)


def chosen(context: click.Context, profile: str | None = None, mode: str | None = None) -> Chosen:
    """Return the settings that the options before and behind a command choose."""
    state = context.ensure_object(State)
    found = choose(profile or state.profile, mode or state.mode)
    state.mode_used = found.policy.mode
    return found


def open_odoo(found: Chosen) -> WatchedOdoo:
    """Return a connection; it connects when it is first used."""
    history = history_of_settings(found.settings)
    return WatchedOdoo(found.settings, policy=found.policy, history=history)


def _warn_of_lists(found: Chosen) -> None:
    """Warn of lists in the environment, which do not restrict the command."""
    # A profile has lists of its own, if any.
    if (named := variables.unread_policy(variables.POLICY_LISTS)) and not found.policy.closes:
        variables.warn_once(
            [
                f"The command does not read {named}: only the MCP server does. To restrict the"
                " command, put the lists in a profile."
            ]
        )


def with_odoo(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a connection as its first argument, and the options that choose it."""

    @functools.wraps(function)
    def command(*arguments: Any, profile: str | None, mode: str | None, **options: Any) -> Any:
        context = click.get_current_context()
        found = chosen(context, profile, mode)
        _warn_of_lists(found)
        odoo = open_odoo(found)
        state = context.ensure_object(State)
        state.odoo = odoo
        state.options = {
            option.name: option.opts[0]
            for option in context.command.params
            if isinstance(option, click.Option) and option.name
        }
        with odoo:
            function(odoo, *arguments, **options)

    return profile_and_mode(command)


@contextmanager
def stopping_softly(odoo: WatchedOdoo) -> Iterator[None]:
    """Let the first Ctrl-C end the work after the write that is under way, the second at once.

    While nothing has been written yet, the first one ends it at once, too.
    """

    def stop(number: int, frame: Any) -> None:
        if odoo.stopping or not (odoo.under_way or odoo.written):
            raise KeyboardInterrupt
        odoo.stopping = True
        say("Stopping after the current step. To stop without waiting, press Ctrl-C again.")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
