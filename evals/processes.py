"""Processes that go on when the command that started them has ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

POLL_SECONDS = 0.1
END_SECONDS = 30


def wait_for(ready: Callable[[], bool], process: subprocess.Popen[Any], seconds: float) -> bool:
    """Wait until something is so; False if the process has ended before, or the time is over."""
    end = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end_process(pid_file: Path, name: str) -> None:
    """End the process whose number a file has, if that process still is the one of this name."""
    if not pid_file.exists():
        return
    pid = int(pid_file.read_text(encoding="utf-8"))
    end = time.monotonic() + END_SECONDS
    with contextlib.suppress(ProcessLookupError):
        while name.encode() in _command(pid) and time.monotonic() < end:
            os.kill(pid, signal.SIGTERM)
            time.sleep(POLL_SECONDS)
    pid_file.unlink()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
