"""What every operation has to keep to, told once, for a real Odoo and for its recordings."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import attrs
import pytest

from odoo_toolkit import (
    Connection,
    HistoryEntry,
    ImportPlan,
    Plan,
    Policy,
    StateError,
    Undo,
    UndoResult,
    history,
    read,
    undo,
)
from odoo_toolkit.change_history import History, Write
from odoo_toolkit.change_history.undo_preview import foretold, policy_of
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.operations import AMOUNTS
from odoo_toolkit.wizards.catalog import known_wizard
from tests.kit.catalogue import CASES, Case, differing, operation, state
from tests.kit.invariants import INVARIANTS, ON_THE_NEWEST, Act, Branch
from tests.kit.recordings import (
    NOWHERE,
    Played,
    Recordings,
    Replay,
    StaleRecordingError,
    standing_still,
)
from tests.provisioning.releases import RELEASES

#: What is not recorded: it goes through a web session, which is no transport of calls.
LIVE_ONLY = ("hr.check_in_out", "attachments.attach_report")

NEWEST = max(map(int, RELEASES))

#: Gives a connection, with a journal or without, of "odoo", "plain" or another user of the cases.
Connect = Callable[[str, "History | None"], AbstractContextManager[Connection]]


def names(version: int) -> list[str]:
    """Return the scenarios that are recorded for a version."""
    return [
        name
        for name, case in CASES.items()
        if case.since <= version <= case.until
        and not (case.needs or case.planned or name.startswith(LIVE_ONLY))
    ]


def play(name: str, connect: Connect, branch: Branch | None = None) -> None:
    """Run a scenario.

    Args:
        name: of the case.
        connect: opens connections.
        branch: opens those on which the invariants are tried; None where that is no recording.
    """
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder, connect("plain", None) as plain:
        journal = History(Path(folder) / "history.sqlite")
        with connect(case.user, journal) as odoo:
            take_back(name, odoo, plain, branch)


def play_back(version: int, name: str, kept: Recordings, *, invariants: bool = True) -> None:
    """Run a scenario with what a real Odoo answered.

    Args:
        version: of Odoo.
        name: of the case.
        kept: the recordings of that version.
        invariants: whether to try what holds for all operations, too.

    Raises:
        StaleRecordingError: it is not recorded, or sends something else.
    """
    stale = partial(StaleRecordingError, version=version, name=name)
    if name not in kept.tapes:
        raise stale("It is not recorded.")
    tape = kept.tapes[name]
    played = Played(kept, [*tape.exchanges], stale)

    def opened(
        user: str, journal: History | None, policy: Policy | None = None, played: Played = played
    ) -> Connection:
        transport = Replay(user, ServerVersion(**tape.version), tape.users[user], played)
        return Connection(NOWHERE, policy=policy, transport=transport, history=journal).connect()

    def branch(policy: Policy, journal: History | None) -> tuple[Connection, Played]:
        branched = played.branch()
        return opened(CASES[name].user, journal, policy, branched), branched

    with standing_still(name, tape.moment):
        play(name, opened, branch if invariants else None)
    played.end()


@contextmanager
def planned_first(name: str, branch: Branch | None) -> Iterator[list[Plan]]:
    """Plan the operation of a case right before it is done, and try what holds for all.

    Yields:
        its plans.
    """
    plans: list[Plan] = []
    home, attribute = operation(name)
    function = getattr(home, attribute)

    @functools.wraps(function)
    def act(odoo: Connection, *args: Any, **kwargs: Any) -> Any:
        if odoo.history is not None:
            plan = function.plan(odoo, *args, **kwargs) if hasattr(function, "plan") else None
            plans.extend([] if plan is None else [plan])
            if branch:
                for invariant in INVARIANTS:
                    # What is wrong input is the same on every version.
                    if invariant not in ON_THE_NEWEST or odoo.version.major == NEWEST:
                        invariant(Act(function, args, kwargs, plan, branch))
        return function(odoo, *args, **kwargs)

    with mock.patch.object(home, attribute, act):
        yield plans


def take_back(name: str, odoo: Connection, plain: Connection, branch: Branch | None = None) -> None:
    """Do an operation and take it back: all is as before but what its plan foretells.

    All calls that it makes are in its plan: whoever allows a plan allows no more than that.

    Args:
        name: of the case.
        odoo: who does it, with a journal.
        plain: an administrator, who prepares and looks.
        branch: opens connections on which the invariants are tried.
    """
    case = CASES[name]

    def look(number: Any) -> Any:
        rows = state(plain, case.model, [number], case.left) if whole and number else {}
        return rows, case.look(plain, number) if case.look else None

    whole = "*" not in case.left
    number = case.prepare(plain)
    before = look(number)
    with planned_first(name, branch) as plans:
        done = case.do(odoo, number)
    entry = history(odoo, limit=1)[0]
    assert entry.outcome == "done", entry
    # That of an import has the effect, and not how it is sent. Whether Odoo will ask is not known.
    for plan in (one for one in plans[-1:] if not isinstance(one, ImportPlan)):
        sent = [write for write in entry.writes if not _asks(odoo, write.model)]
        made_calls = {(write.model, write.method) for write in sent}
        assert made_calls <= {(call.model, call.method) for call in plan.calls}
    made = number or getattr(done, "id", None) or done.ids[0]
    if made == getattr(done, "id", None):
        check_result(plain, case, done)
    for plan in plans[-1:]:
        check_plan(case, plan, done)
        words, last = case.told_until
        assert (words in str(attrs.asdict(plan))) is (odoo.version.major <= last)
    told = _foretold(odoo, entry)
    if case.stays:
        assert told.possible != "full"
        return
    assert look(made) != before or case.look or not number
    assert told.possible != "none"
    planned = undo(odoo, entry=entry.id, dry_run=True)
    assert isinstance(planned, Plan)
    assert planned.calls
    taken = undo(odoo, entry=entry.id)
    assert isinstance(taken, UndoResult)
    assert not taken.left, taken
    assert set(taken.not_undone) <= set(told.not_undone)
    assert not [text for text in taken.not_undone if "does not know how to undo" in text]
    rows, other = look(made)
    assert (differing(before[0], rows), other) == ({}, before[1])
    with pytest.raises(StateError, match="was already undone"):
        undo(odoo, entry=entry.id)


#: Attributes of results that mean something else than the field of the same name.
_OF_THEIR_OWN = frozenset({"id", "message", "url", "warnings", "date", "name", "price"})


def check_result(plain: Connection, case: Case, done: Any) -> None:
    """See that what an operation says of its record is what Odoo has stored.

    Args:
        plain: an administrator, who looks.
        case: the operation.
        done: its result.
    """
    fields = plain.schema.fields(case.model)
    said = {
        attribute.name: value
        for attribute in attrs.fields(type(done))
        if attribute.name in fields and attribute.name not in _OF_THEIR_OWN
        if not isinstance(value := getattr(done, attribute.name), (list, dict))
    }
    if not said:
        return
    (stored,) = read(plain, case.model, [done.id], sorted(said)).records
    for name, value in said.items():
        kind, kept = fields[name].type, stored[name]
        if kind == "many2one":
            assert getattr(value, "id", None) == (kept or {}).get("id"), name
        elif kind in ("char", "selection", "date"):
            assert (value or None) == (kept or None), name
        elif kind in ("float", "monetary", "integer", "boolean"):
            assert value == kept, name


#: What of a planned document, and of its lines, the result calls how, where both know it.
_HEAD = {
    **{name: name for name in ("partner", "payment_term", "currency", *AMOUNTS)},
    "date": "invoice_date",
    "accounting_date": "date",
    "due_date": "invoice_date_due",
}
_LINE = {name: name for name in ("product", "quantity", "price_unit", "discount", "subtotal")}


def check_plan(case: Case, plan: Plan | ImportPlan, done: Any) -> None:
    """See that a plan says of the document what the result says.

    Args:
        case: the operation.
        plan: what it was to do.
        done: its result.
    """
    for document in plan.documents if isinstance(plan, Plan) else []:
        if document.model != case.model or document.id not in (None, getattr(done, "id", None)):
            continue
        pairs = [(document, done, _HEAD)]
        if getattr(done, "lines", None):
            lines = zip(document.lines, done.lines, strict=True)
            # Odoo returns dozens in units.
            pairs += [(x, y, _LINE) for x, y in lines if x.uom == getattr(y, "uom", x.uom)]
        for planned, now, names in pairs:
            for name, called in names.items():
                said, became = getattr(planned, name, None), getattr(now, called, None)
                if said is not None and became is not None:
                    assert said == getattr(became, "name", became), name


def _asks(odoo: Connection, model: str) -> bool:
    """Whether a model is a question of Odoo that operations answer when it comes."""
    wizard = known_wizard(model, odoo.version.major)
    return wizard is not None and wizard.runs_by_itself


def _foretold(odoo: Connection, entry: HistoryEntry) -> Undo:
    """Return what a plan of the same calls says."""
    calls = [(write.model, write.method, _arguments(write)) for write in entry.writes]
    version = odoo.version.major
    return foretold(
        calls,
        version,
        lambda model: known_wizard(model, version) is not None,
        refused=policy_of(odoo),
    )


def _arguments(write: Write) -> dict[str, Any]:
    return {"vals": write.values} if write.method == "write" else {}
