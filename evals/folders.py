"""Where a trial keeps what: a folder for the judge, and the desk in it for the assistant."""

from __future__ import annotations

from pathlib import Path

LONGEST_SOCKET_PATH = 100  # the system allows some 107 bytes


class Folders:
    """The files of a trial.

    Args:
        root: The judge's folder. The assistant gets the folder ``desk`` in it and nothing else.

    Raises:
        ValueError: The path is too long for the socket in it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.desk = self.root / "desk"
        self.answers = self.desk / "answers"
        self.tasks = self.desk / "TASKS.md"
        self.socket = self.desk / "server.sock"
        self.address = self.root / "odoo.json"
        self.facts = self.root / "facts.json"
        self.settings = self.root / "settings.json"
        self.copy_pid = self.root / "copy.pid"
        self.copy_log = self.root / "copy.log"
        self.bridge_pid = self.root / "bridge.pid"
        self.bridge_log = self.root / "bridge.log"
        self.calls = self.root / "calls.jsonl"
        self.result = self.root / "result.json"
        if len(str(self.socket)) > LONGEST_SOCKET_PATH:
            raise ValueError(f"{self.root} is too long a path for a socket; use a shorter one.")
