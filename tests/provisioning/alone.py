"""One heavy run at a time on this machine: the next one says who is at work, and waits.

A run is heavy that keeps all processors busy for minutes, such as the whole of the tests. From a
Makefile or a shell script::

    python -m tests.provisioning alone -- COMMAND WORDS...

waits for its turn, then becomes COMMAND: its exit code, its output and its signals are COMMAND's
own. The turn ends when COMMAND and its children end, however they end. From Python::

    with heavy_run("make attack"):
        ...

What a heavy run starts belongs to it: an ``alone`` within an ``alone`` goes on at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from tests.provisioning.cache import ProvisioningError, cache_folder, progress, try_lock

VARIABLE = "ODOO_TOOLKIT_HEAVY_RUN"
HIGH_NUMBER = 200
POLL_SECONDS = 0.5
REPEAT_SECONDS = 60


@contextlib.contextmanager
def heavy_run(what: str) -> Iterator[None]:
    """Wait until no other heavy run is at work, and keep others waiting while the block runs.

    Args:
        what: What those who wait are told, for example the command.
    """
    if _is_within():
        yield
        return
    with _take_turn(what):
        os.environ[VARIABLE] = str(_path())
        try:
            yield
        finally:
            del os.environ[VARIABLE]


def become(command: Sequence[str]) -> None:
    """Wait for a turn, and go on as *command*, which keeps the turn as long as it runs.

    Raises:
        ProvisioningError: There is no such command.
    """
    if not command:
        raise ProvisioningError("Say what to run: alone -- COMMAND ...")
    if not _is_within():
        lock = _take_turn(shlex.join(command))
        # as a number that no script uses for a file of its own
        fcntl.fcntl(lock, fcntl.F_DUPFD, HIGH_NUMBER)
        os.environ[VARIABLE] = str(_path())
    try:
        os.execvp(command[0], [*command])
    except OSError as error:
        raise ProvisioningError(f"{command[0]} cannot be run: {error.strerror}.") from error


def _path() -> Path:
    return cache_folder() / "heavy-run.lock"


def _is_within() -> bool:
    return os.environ.get(VARIABLE) == str(_path())


def _take_turn(what: str) -> IO[str]:
    """Return the lock, on whose file it is written who has it."""
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    repeat = 0.0
    while (lock := try_lock(path)) is None:
        if time.monotonic() >= repeat:
            repeat = time.monotonic() + REPEAT_SECONDS
            progress(f"Waiting for another heavy run on this machine: {path.read_text().strip()}")
        time.sleep(POLL_SECONDS)
    lock.truncate(0)
    since = time.strftime("%H:%M:%S")
    lock.write(f"{what} (process {os.getpid()} in {Path.cwd()}, since {since})\n")
    lock.flush()
    return lock
