"""What every operation has to keep to, told once, for a real Odoo and for its recordings."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from odoo_toolkit import (
    Connection,
    HistoryEntry,
    ImportPlan,
    Plan,
    StateError,
    Undo,
    UndoResult,
    history,
    undo,
)
from odoo_toolkit.change_history import History, Write
from odoo_toolkit.change_history.undo_preview import foretold
from odoo_toolkit.wizards.catalog import known_wizard
from tests.live import undo_cases
from tests.live.undo_cases import CASES, Case, differing, state

#: What is not recorded: it goes through a web session, which is no transport of calls.
LIVE_ONLY = ("hr.check_in_out", "attachments.attach_report")

#: Gives a connection, with a journal or without, of "odoo", "plain" or another user of the cases.
Connect = Callable[[str, "History | None"], AbstractContextManager[Connection]]


def names(version: int) -> list[str]:
    """Return the scenarios that are recorded for a version."""
    return [
        name
        for name, case in CASES.items()
        if case.since <= version <= case.until and not (case.needs or name.startswith(LIVE_ONLY))
    ]


def play(name: str, connect: Connect) -> None:
    """Run a scenario."""
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder, connect("plain", None) as plain:
        journal = History(Path(folder) / "history.sqlite")
        with connect(case.user, journal) as odoo:
            take_back(case, odoo, plain)


@contextmanager
def planned_first() -> Iterator[list[Plan]]:
    """Plan each operation of the cases right before it is done, and give the plans."""
    found: list[Plan] = []

    def planning(function: Any) -> Any:
        @functools.wraps(function)
        def act(odoo: Connection, *args: Any, **kwargs: Any) -> Any:
            if not kwargs.get("dry_run"):
                found.append(function.plan(odoo, *args, **kwargs))
            return function(odoo, *args, **kwargs)

        return act

    modules = [value for value in vars(undo_cases).values() if isinstance(value, ModuleType)]
    with ExitStack() as stack:
        for module in (undo_cases, *modules):
            for name, value in list(vars(module).items()):
                if hasattr(value, "plan"):
                    stack.enter_context(mock.patch.object(module, name, planning(value)))
        yield found


def take_back(case: Case, odoo: Connection, plain: Connection) -> None:
    """Do an operation and take it back: all is as before but what its plan foretells.

    All calls that it makes are in its plan: whoever allows a plan allows no more than that.

    Args:
        case: the operation.
        odoo: who does it, with a journal.
        plain: an administrator, who prepares and looks.
    """

    def look(number: Any) -> Any:
        rows = state(plain, case.model, [number], case.left) if whole and number else {}
        return rows, case.look(plain, number) if case.look else None

    whole = "*" not in case.left
    number = case.prepare(plain)
    before = look(number)
    with planned_first() as plans:
        done = case.do(odoo, number)
    entry = history(odoo, limit=1)[0]
    assert entry.outcome == "done", entry
    # That of an import has the effect, and not how it is sent. Whether Odoo will ask is not known.
    for plan in (one for one in plans[-1:] if not isinstance(one, ImportPlan)):
        sent = [write for write in entry.writes if not _asks(odoo, write.model)]
        made_calls = {(write.model, write.method) for write in sent}
        assert made_calls <= {(call.model, call.method) for call in plan.calls}
    made = number or getattr(done, "id", None) or done.ids[0]
    assert look(made) != before or case.look or not number
    told = _foretold(odoo, entry)
    assert told.possible != "none"
    planned = undo(odoo, entry=entry.id, dry_run=True)
    assert isinstance(planned, Plan)
    assert planned.calls
    taken = undo(odoo, entry=entry.id)
    assert isinstance(taken, UndoResult)
    assert not taken.left, taken
    assert set(taken.not_undone) <= set(told.not_undone)
    assert not [text for text in taken.not_undone if "no known opposite" in text]
    rows, other = look(made)
    assert (differing(before[0], rows), other) == ({}, before[1])
    with pytest.raises(StateError, match="taken back already"):
        undo(odoo, entry=entry.id)


def _asks(odoo: Connection, model: str) -> bool:
    """Whether a model is a question of Odoo that operations answer when it comes."""
    wizard = known_wizard(model, odoo.version.major)
    return wizard is not None and wizard.runs_by_itself


def _foretold(odoo: Connection, entry: HistoryEntry) -> Undo:
    """Return what a plan of the same calls says."""
    calls = [(write.model, write.method, _arguments(write)) for write in entry.writes]
    version = odoo.version.major
    return foretold(calls, version, lambda model: known_wizard(model, version) is not None)


def _arguments(write: Write) -> dict[str, Any]:
    return {"vals": write.values} if write.method == "write" else {}
