"""Tests of ``tests/live`` that are marked ``recorded``, played from what a real Odoo answered.

Each test has a tape for each version, kept in a file for each module and version: what changes in
one module leaves the recordings of the others as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import attrs
import pytest

from odoo_toolkit import Connection, connect
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.connection import parallel
from odoo_toolkit.connection.version import ServerVersion
from tests.kit.recordings import (
    NOWHERE,
    Played,
    Recording,
    Recordings,
    Replay,
    StaleRecordingError,
    Tape,
    standing_still,
)
from tests.live.accounting_data import person
from tests.live.servers import Server, credentials
from tests.receipts import commit

_TESTS = Path(__file__).parents[1]
FOLDER, PLAYED = _TESTS / "recorded" / "live", _TESTS / "played"


class Open(Protocol):
    """Opens a connection of a user, which ends with the test."""

    def __call__(self, user: str, **how: Any) -> Connection:
        """Open it, with a policy and a history of its own if they are given."""
        ...


class InTurn:
    """Runs in turn what is otherwise asked side by side: all of it, also after an error.

    Threads would begin the rest or not, by the time that the error takes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __enter__(self) -> InTurn:
        return self

    def __exit__(self, *args: object) -> None:
        """Nothing is open."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return the results; raise the first error when all have run."""
        futures: list[Future[Any]] = []
        for item in items:
            futures.append(Future())
            try:
                futures[-1].set_result(function(item))
            except Exception as error:
                futures[-1].set_exception(error)
        return [future.result() for future in futures]


@contextmanager
def _alike(name: str, moment: int) -> Iterator[ExitStack]:
    """Have a test ask the same in the same order each time, and close what it opens."""
    in_turn = mock.patch.object(parallel, "ThreadPoolExecutor", InTurn)
    # What other tests have created, on servers that cannot be told apart.
    lost_answers._creations.clear()
    with ExitStack() as opened, in_turn, standing_still(name, moment):
        yield opened


@attrs.define
class Recorder:
    """Where tests are recorded, if they are: on a server, those whose names have a part."""

    server: Server
    version: int
    part: str

    def records(self, version: int, module: str, name: str) -> bool:
        """Tell whether a test is recorded."""
        return version == self.version and self.part in f"{module}::{name}"


#: Set where tests are recorded.
recorder: Recorder | None = None


@contextmanager
def recorded(module: str, name: str, at: Recorder, passed: Callable[[], bool]) -> Iterator[Open]:
    """Run a test on a real Odoo, and keep what went over the wire if it passes."""
    folder = FOLDER / module
    recordings = Recordings.read(at.version, folder)
    tape = Tape(moment=int(time.time()), commit=commit())
    with _alike(name, tape.moment) as opened:

        def open_(user: str, **how: Any) -> Connection:
            real = opened.enter_context(connect(**credentials(at.server, person(at.server, user))))
            tape.version = attrs.asdict(real.version)
            send = Recording(
                real._connected().transport, real.version, real.uid, user, tape, recordings
            )
            return opened.enter_context(Connection(real.settings, transport=send, **how))

        yield open_
    if passed():
        recordings.tapes[name] = tape
        recordings.write(at.version, folder)


@contextmanager
def played(
    module: str, name: str, version: int, kept: Recordings, passed: Callable[[], bool]
) -> Iterator[Open]:
    """Run a test with what a real Odoo answered.

    Raises:
        StaleRecordingError: it is not recorded, or sends something else.
    """

    def stale(what: str) -> StaleRecordingError:
        return StaleRecordingError(what, version, f"{module}::{name}")

    if name not in kept.tapes:
        raise stale("It is not recorded.")
    tape = kept.tapes[name]
    left = Played(kept, [*tape.exchanges], stale)
    with _alike(name, tape.moment) as opened:

        def open_(user: str, **how: Any) -> Connection:
            # Who asked nothing has no id on the tape.
            uid = tape.users.get(user, 0)
            transport = Replay(user, ServerVersion(**tape.version), uid, left)
            return opened.enter_context(Connection(NOWHERE, transport=transport, **how))

        yield open_
    if passed():
        left.end()


def record(version: int, server: Server, part: str) -> bool:
    """Record the tests of a version whose names have a part, and tell whether all passed."""
    global recorder
    recorder = Recorder(server, version, part)
    try:
        code = pytest.main(["-q", "-n", "0", str(PLAYED)])
    finally:
        recorder = None
    return code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
