"""How a command ends: what is said on standard error, and the exit status."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import attrs
import click

from odoo_toolkit.cli import INTERRUPTED, NOTHING_WRITTEN
from odoo_toolkit.cli.connecting import State
from odoo_toolkit.cli.in_shell import in_shell
from odoo_toolkit.cli.output import say
from odoo_toolkit.errors import OdooError
from odoo_toolkit.values.plain_text import counted

#: category of an error -> exit status. 1 is what nobody foresaw, 2 wrong arguments, as of click.
STATUS = {
    "unknown": 1,
    "configuration": 3,
    "connection": 4,
    "access": 5,
    "not_found": 6,
    "validation": 7,
    "constraint": 8,
    "state": 9,
    "wizard": 10,
    "rate_limit": 11,
}
SOME_FAILED, UNCONFIRMED, WRONG_FILE = 12, 13, 14
#: As of programs that a signal ends: SIGPIPE.
CLOSED_PIPE = 141


class _FileFailure(Exception):  # noqa: N818 - it carries an error
    """An OSError on its way past click."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def past_click() -> Iterator[None]:
    """Let an OSError pass click, which ends with 1 when nobody reads the output any more."""
    try:
        yield
    except OSError as error:
        raise _FileFailure(error) from error


@attrs.define
class End:
    """How it ended."""

    status: int = 0


@contextmanager
def ending(state: State) -> Iterator[End]:
    """Turn what is raised within the block into sentences on standard error and an exit status."""
    end = End()
    try:
        yield end
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        end.status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say(_interrupted(state))
        tell_undo(state)
        end.status = INTERRUPTED
    except OdooError as error:
        tell_error(error, state)
        end.status = status_of(error)
    except SystemExit as leaving:
        # This is how rich leaves when nobody reads the output any more.
        if not _is_closed_pipe(leaving.__context__):
            raise
        end.status = CLOSED_PIPE
    except _FileFailure as failure:
        end.status = _failed(failure.error, state)
    except OSError as error:
        end.status = _failed(error, state)
    finally:
        if end.status in (CLOSED_PIPE, WRONG_FILE):
            _forget_output()


def status_of(error: OdooError) -> int:
    """Return the exit status of an error."""
    return UNCONFIRMED if error.outcome == "maybe_applied" else STATUS[error.category]


def tell_error(error: OdooError, state: State) -> None:
    """Say what happened, and what to do next."""
    say(f"Error: {in_shell(error.message, state.options)}")
    if error.code == "MODE_VIOLATION":
        say(
            f"The mode is {state.mode_used}. Pass --mode full, or use a profile with mode ="
            " restricted and the model in its write_allowlist."
        )
    elif error.suggestion:
        said = in_shell(error.suggestion, state.options)
        if groups := error.details.get("groups"):
            # Nothing shows the details here.
            said = said.replace("named in the details", ", ".join(groups))
        say(said)
    tell_undo(state)
    _tell_printed(state)


def tell_undo(state: State) -> None:
    """Say how what an operation has written is undone."""
    if state.undo and state.undo["possible"] != "none":
        say(f"To undo these changes, run: odoo-toolkit undo {state.undo['entry']}")


def _failed(error: OSError, state: State) -> int:
    """Say that a file cannot be read or written; return the exit status."""
    if _is_closed_pipe(error):
        return CLOSED_PIPE
    where = f"{error.filename}: " if error.filename else ""
    say(f"Error: {where}{error.strerror or error}.")
    _tell_printed(state)
    return WRONG_FILE


def _tell_printed(state: State) -> None:
    if state.printed:
        say(f"The command printed {counted(state.printed, 'record')}. There may be more.")


def _interrupted(state: State) -> str:
    odoo = state.odoo
    if state.printed:
        return (
            f"Interrupted. The command printed {counted(state.printed, 'record')}. There may be"
            " more."
        )
    if state.loaded is not None:
        return _interrupted_sync(state.loaded)
    if odoo is None or not (odoo.under_way or odoo.written):
        return NOTHING_WRITTEN
    done = f" {state.rows[0]} of {state.rows[1]} rows were processed." if state.rows else ""
    if odoo.under_way is None:
        return f"Interrupted after something was written.{done}"
    call = odoo.under_way
    return (
        f"Interrupted while {call.method} of {call.model} was running. It may have been"
        f" applied.{done} Check in Odoo before you repeat it."
    )


def _interrupted_sync(loaded: Sequence[str]) -> str:
    whole = f"{counted(len(loaded), 'table')} loaded whole: {', '.join(loaded)}"
    return (
        f"Interrupted: {(whole if loaded else 'no table was loaded in full')}. The current table"
        " may be loaded in part. The next sync loads the rest."
    )


def _is_closed_pipe(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EPIPE


def _forget_output() -> None:
    """Have Python not try again, at its end, to write what could not be written."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.__stdout__.fileno())  # type: ignore[union-attr]
        os.close(nowhere)
