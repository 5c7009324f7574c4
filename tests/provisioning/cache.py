"""The cache folder: where everything is kept, the lock on it, and the progress lines."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pwd
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

STARTED = time.monotonic()
LAST_LINES = 8
"""How much of what a program said is told when it failed."""
REMIND_SECONDS = 15
"""How long a step may be silent: a longer silence looks like a hang."""


class ProvisioningError(Exception):
    """Provisioning cannot go on: the message says what went wrong and what to do instead."""


class FullDiscError(ProvisioningError):
    """A disc is full: to do the same in another way would not help."""


NO_SPACE = "No space left on device"
"""How the system says it, and every program after it."""
FREE_SOME = "free some, and repeat the command. What is half made is not used."


def cache_folder() -> Path:
    """Return the folder below which everything is kept (``ODOO_TOOLKIT_CACHE`` overrides it)."""
    own = os.environ.get("ODOO_TOOLKIT_CACHE")
    if own:
        return Path(own).expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "odoo-toolkit"


def servers_file() -> Path:
    """Return the path of the list of provisioned servers, which the live tests read."""
    return cache_folder() / "servers.json"


def shown_mark(name: str, database: str) -> Path:
    """Return the file that says that the database of a server has seen the demo's session."""
    return cache_folder() / name / f"{database}-seen"


def progress(text: str, label: str = "") -> None:
    """Print one progress line with the elapsed seconds on stderr (stdout is for results)."""
    elapsed = time.monotonic() - STARTED
    prefix = f"{label}: " if label else ""
    # written at once, for the releases report side by side
    sys.stderr.write(f"[{elapsed:6.1f} s] {prefix}{text}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def step(
    text: str, label: str = "", log: Path | None = None, now: Callable[[], str] = str
) -> Iterator[IO[str] | None]:
    """Say what begins, and while the block runs, say every few seconds that it still goes on.

    Args:
        text: What is done, for example ``"Unpacking the packages ..."``.
        label: Whom it is done for.
        log: The file for what the programs of this step print. It begins anew.
        now: Returns a more exact text than *text* once there is one.

    Yields:
        The log, open, for ``run``; None without one.
    """
    progress(text, label)
    finished = threading.Event()

    def say(seconds: float) -> None:
        progress(still(now() or text, seconds, log), label)

    thread = threading.Thread(target=remind, args=(finished.wait, say), daemon=True)
    with contextlib.ExitStack() as stack:
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
        file = stack.enter_context(log.open("w", encoding="utf-8")) if log else None
        thread.start()
        try:
            yield file
        finally:
            finished.set()
            thread.join()


def remind(
    wait: Callable[[float], bool],
    say: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Call *say* with the seconds since now, again and again, until *wait* returns True."""
    began = clock()
    while not wait(REMIND_SECONDS):
        say(clock() - began)


def still(text: str, seconds: float, log: Path | None) -> str:
    """Return the line that says that a step goes on, how long already, and where its log is."""
    return f"{text} (for {seconds:.0f} s now" + (f"; log: {log})" if log else ")")


@contextlib.contextmanager
def locked(
    name: str = "lock",
    waiting: str = "Another process is provisioning; waiting for it to finish ...",
    *,
    shared: bool = False,
) -> Iterator[None]:
    """Hold a lock on a file of the cache folder, which ends with the process at the latest.

    Args:
        name: Which one; without it, the one that lets one checkout at a time provision.
        waiting: What to say to the person when somebody else has the lock.
        shared: Whether others may hold it at the same time, if they share it, too.
    """
    path = cache_folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            with step(waiting):
                fcntl.flock(handle, kind)
        yield


def try_lock(path: Path) -> IO[str] | None:
    """Lock a file until it is closed, or until the process ends; None when somebody else has it."""
    handle = path.open("a", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle


def read_json(path: Path, default: Any) -> Any:
    """Return the content of a JSON file, or *default* when there is no readable one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return default


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file that only this user can read (it may hold passwords), in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.touch(mode=0o600)
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(path)


@contextlib.contextmanager
def folder_made_whole(path: Path) -> Iterator[Path]:
    """Give a folder to fill that takes the name *path* only when it was filled to the end.

    An interrupted download or restore thus never passes for a finished one.
    """
    partial = path.with_name(path.name + ".partial")
    for leftover in (partial, path):
        if leftover.exists():
            shutil.rmtree(leftover)
    partial.mkdir(parents=True)
    yield partial
    partial.rename(path)


def end_of_log(path: str | Path) -> str:
    """Return where a log is and its last lines, for an error's message."""
    with contextlib.suppress(OSError):
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        if lines:
            last = "\n".join("  " + line for line in lines[-LAST_LINES:])
            return f"The log {path} ends with:\n{last}"
    return f"The log {path} is empty."


def command_of(pid: int | str) -> list[str]:
    """Return the words of a process's command; none if it, or ``/proc``, is not there."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def run(
    command: Sequence[str | Path],
    *,
    failure: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user: str | None = None,
    text_in: str | None = None,
    log: IO[str] | None = None,
) -> str:
    """Run a command to its end and return what it printed.

    Args:
        command: The program and its arguments.
        failure: What to tell the person when it fails; the last lines it printed are added.
        env: Variables on top of this process's own.
        cwd: The folder to run in.
        user: The user to run as (only root may say so).
        text_in: What the command reads on its standard input.
        log: Where its output goes instead of into the return value.

    Raises:
        FullDiscError: The command failed because a disc is full.
        ProvisioningError: The command is missing or exits with an error.
    """
    words = [str(word) for word in command]
    before = log.tell() if log else 0
    try:
        done = subprocess.run(
            words,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            user=user,
            group=pwd.getpwnam(user).pw_gid if user else None,
            extra_groups=[] if user else None,
            input=text_in if text_in is not None else "",
            stdout=log or subprocess.PIPE,
            stderr=subprocess.STDOUT if log else subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError as missing:
        raise ProvisioningError(f"{failure}\n  {words[0]} was not found.") from missing
    if done.returncode:
        text = done.stderr or done.stdout or ""
        if log:  # which may have what another command said before
            text = Path(log.name).read_bytes()[before:].decode(errors="replace")
        said = text.strip().splitlines()
        if full := [line for line in said if NO_SPACE in line]:
            raise FullDiscError(f"{failure}\n  {full[0]}\nA disc is full: {FREE_SOME}")
        end = "\n".join(f"  {line}" for line in said[-LAST_LINES:])
        last = end_of_log(log.name) if log else end
        raise ProvisioningError(f"{failure}\n{last}\n  (command: {' '.join(words[:8])} ...)")
    return done.stdout or ""
