"""Whether the process that began something still runs."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

#: Seconds after which what a process that cannot be asked for has begun counts as given up.
_GIVEN_UP = 3600.0

#: What this process does just now; ids of entries, and the journals that they are in.
_running: set[tuple[int, str, int]] = set()


def begun(journal: str, entry: int) -> None:
    """Note that this process runs an entry."""
    _running.add((os.getpid(), journal, entry))


def ended(journal: str, entry: int) -> None:
    """Note that it does not any more."""
    _running.discard((os.getpid(), journal, entry))


def this_process() -> str:
    """Return by what a process is known, as an entry keeps it."""
    pid = os.getpid()
    told = {"host": _host(), "pid": pid, "start": _start(pid), "at": time.time()}
    return json.dumps(told, sort_keys=True)


def runs(process: str | None, journal: str, entry: int) -> bool:
    """Whether the process that has begun an entry may still be at it."""
    try:
        told: dict[str, Any] = json.loads(process or "")
        host, pid, start, at = told["host"], int(told["pid"]), told["start"], float(told["at"])
    except (KeyError, TypeError, ValueError):
        return False
    if host == _host() and pid == os.getpid() and start == _start(pid):
        return (pid, journal, entry) in _running
    if host == _host() and os.name == "posix":
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        # Another process can have got its number.
        return bool(start == _start(pid))
    return time.time() - at < _GIVEN_UP


def _host() -> str:
    """Return the name of the machine, and of the container where that has numbers of its own."""
    try:
        return f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def _start(pid: int) -> str:
    """Return when a process was started, in the units of the system; empty where it is not told."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The name, in brackets, may have spaces and brackets itself.
    return told.rpartition(")")[2].split()[19]
